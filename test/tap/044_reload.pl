# A reload that wants a number which named generators have: whoever runs the server learns who they are, and can get the
# number in two ways, a drop and a restart. Ids go on meanwhile, and none is made twice. The same for ids that somebody
# has put off by hand: they say so, and there is a way back.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

my $folder = PostgreSQL::Test::Utils::tempdir();
$node = new_server('reload', 'max_connections = 40', 'restart_after_crash = on');
$node->start;
sub as_tenant { return $node->safe_psql('tenant', $_[0], user => 'tenant'); }
my $log = 0;
sub log_says {
    my ($like, $what) = @_;
    ok($node->wait_for_log($like, $log), $what) or return '';
    return substr(slurp_file($node->logfile), $log);
}
sub configure { $log = -s $node->logfile; $node->adjust_conf('postgresql.conf', 'snowid.worker_id', $_[0]); return; }
sub reload_with { configure(@_); $node->reload; return; }
sub worker_is { return $node->poll_query_until('postgres', "SELECT snowflake_worker(snowflake_next()) = $_[0]"); }
sub finding { return sql("SELECT finding || ' (' || severity || ')' FROM snowid_check() WHERE subject = 'worker'"); }

sql('CREATE ROLE tenant LOGIN; CREATE EXTENSION snowid');
sql("CREATE DATABASE $_ OWNER tenant") for 'tenant', 'other';
sql('CREATE EXTENSION snowid', 'other');
as_tenant('CREATE EXTENSION snowid');
as_tenant("SELECT snowid_generator_create('g' || n, worker => n) FROM generate_series(0, 1023) AS n WHERE n NOT IN (1, 80)");
as_tenant("SELECT snowid_generator_create('h' || n, worker => 80, sequence_min => 512 * n, sequence_max => 512 * n + 511)
    FROM generate_series(0, 6) AS n");

# the reload is refused: the log and snowid_check() name the generator and its database, and all ids go on
my %files = map { $_ => "$folder/$_" } 'server', 'other_server', 'g77', 'other_g77', 'g79';
my @writers = map { writer_start($node, $files{$_}, dbname => /^server/ ? 'postgres' : 'tenant',
    query => 'SELECT snowflake_next(' . (/(g\d+)/ ? "'$1'" : '') . ') FROM generate_series(1, 20)') } sort keys %files;
ok(ids_go_on([ values %files ]), 'sessions make ids with the numbers of the server and of the tenant');
reload_with(77);
my $said = log_says(qr/HINT: .*snowid_generator_drop/, 'a number that the tenant has: the log has a hint');
like($said, qr/LOG:  snowid: the worker stays 1, because generator "g77" of database "tenant" has 77\n.*HINT:  Give the generator another worker, or run in the database "tenant": SELECT snowid_generator_drop\('g77'\); Then reload\. Or restart the server/,
    'it names the generator and the database');
is(finding(), 'the worker stays 1, because generator g77 of database tenant has 77 (error)', 'so does snowid_check()');
like(sql("SELECT what_to_do FROM snowid_check() WHERE subject = 'worker'"), qr/snowid_generator_drop.*Then reload\. Or restart the server/,
    'which says what to do');
ok(ids_go_on([ values %files ]), 'ids go on');
is_deeply({ refusals(values %files) }, {}, 'and none was refused');

# what the hint says, to the letter; the tenant cannot take the number back meanwhile
my ($database, $statement) = $said =~ /in the database "(\w+)": (SELECT .*?;)/;
sql($statement, $database);
fails_with($node, "SELECT snowid_generator_create('g77', worker => 77)", '42710', qr/could make the same ids as the default generator/,
    'the tenant cannot take it back', dbname => 'tenant', user => 'tenant');
reload_with(77);
log_says(qr/snowid: the worker is 77 from here on, and was 1/, 'the generator is dropped: the next reload takes the number');
ok(worker_is(77), 'which is in force');
is(finding(), '', 'and snowid_check() has nothing to say');
ok(ids_go_on([ map { $files{$_} } 'server', 'other_server', 'g79' ]), 'ids go on');
kill_backend($node);
ok(ids_go_on([ map { $files{$_} } 'server', 'other_server', 'g79' ]), 'also after a crash');

# many that have the number are counted
reload_with(80);
log_says(qr/snowid: the worker stays 77, because generator "h0" of database "tenant", generator "h1" of database "tenant", generator "h2" of database "tenant" and 4 more have 80\n/,
    'the first are named, the others counted');
is(finding(),
    'the worker stays 77, because generator h0 of database tenant, generator h1 of database tenant, generator h2 of database tenant and 4 more have 80 (error)',
        'in snowid_check() too');
is(sql("SELECT finding FROM snowid_check() WHERE subject = 'worker'", 'tenant'),
    'the worker stays 77, because generator h0 of database tenant, generator h1 of database tenant, generator h2 of database tenant and 4 more have 80',
        'and in their own database');
sql("SELECT snowid_generator_create('mine', worker => 77, overlap => true), snowid_generator_create('own', worker => 79)", 'other');
reload_with(79);
log_says(qr/snowid: the worker stays 77, because generator "\w+" of database "\w+" and generator "\w+" of database "\w+" have 79\n/,
    'of several databases');

# a restart takes the number: the generators that have it make no ids
configure(79);
$node->restart;
ok(worker_is(79), 'the server has it');
is(sql("SELECT finding FROM snowid_check() WHERE subject = 'worker'", $$_[1]),
    "generator $$_[0] of database $$_[1] makes no ids, because it has the server's own worker, 79", "snowid_check() in $$_[1] says so")
    for [ 'g79', 'tenant' ], [ 'own', 'other' ];
fails_with($node, "SELECT snowflake_next('$$_[0]')", '55000', qr/could make the same ids as the default generator of this server/,
    "generator $$_[0] makes none", dbname => $$_[1]) for [ 'g79', 'tenant' ], [ 'own', 'other' ];
ok(ids_go_on([ map { $files{$_} } 'server', 'other_server' ]), 'the ids of the server go on');
writer_stop(@writers);
check_ids('over reloads, a drop, a crash and a restart', values %files);

# ids that are put off by hand
my $year = 1900 + (localtime)[5] + 66;
fails_with($node, "SELECT snowid_horizon_advance('$year-01-01')", '22023',
    qr/the horizon would be \S+ \w+ ahead of the clock.*DETAIL:  No id would be made.*snowid.clock_jump ahead \(10 min\).*HINT:.*force => true/s,
        'far beyond the clock');
fails_with($node, "SELECT snowid_horizon_rewind('$year-01-01')", '22023', qr/the horizon would be \S+ \w+ ahead of the clock/,
    'nor does a rewind lead there');
ok(sql('SELECT snowflake_next()') > 0, 'nothing has happened');
sql("SELECT snowid_horizon_advance(now() + interval '100 ms')");
ok(sql('SELECT snowflake_next()') > 0, 'a time near the clock needs no force');
my @before = map { sql($_) } 'SELECT snowflake_next()', 'SELECT sno_next()';
sql("SELECT snowid_horizon_advance('$year-01-01', force => true)");
for my $kind ('snowflake', 'sno') {
    fails_with($node, "SELECT ${kind}_next()", '58000',
        qr/the clock is .* behind the ${kind}s.*DETAIL:  A superuser has put them off to $year-01-01 .*snowid_horizon_advance\(\).*HINT:.*SELECT snowid_horizon_rewind\(now\(\) \+ interval '\d+ ms'\);/s,
            "${kind}s that are put off");
}
my ($out, $err);
$node->psql('postgres', 'SELECT snowflake_next()', stderr => \$err);
my ($back) = $err =~ /(SELECT snowid_horizon_rewind\(.*\);)/;
$node->restart;
fails_with($node, 'SELECT snowflake_next()', '58000',
    qr/HINT:  Check the server's time source, and whether snowid_horizon_advance\(\) was called with a wrong time/,
    'a restart remembers the time, and not the reason');
sql($back);
my @after = map { sql($_) } 'SELECT snowflake_next()', 'SELECT sno_next()';
cmp_ok($after[0], '>', $before[0], 'what the hint says brings snowflakes back, above those before');
cmp_ok($after[1], 'gt', $before[1], 'and snos');
$node->restart;
ok(sql('SELECT snowflake_next()') > $after[0], 'also after a restart');
sql("SELECT snowid_generator_create('given', worker => 90, backfill => true); SELECT snowid_horizon_advance(now() + interval '5 min'); $back");
fails_with($node, "SELECT snowflake_at(now(), 'given')", '58000', qr/HINT:.* run: SELECT snowid_generator_rewind\('given', now\(\)\);/,
    'given times have a way back of their own');
ok(sql("SELECT snowid_generator_rewind('given', now()); SELECT snowflake_at(now(), 'given')") > 0, 'which brings them back');
$node->stop;
done_testing();
