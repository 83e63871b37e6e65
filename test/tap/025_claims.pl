# Numbers that change hands: whatever begins or ends the number of a generator, no id is made twice, and ids ascend.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep);

my $folder = PostgreSQL::Test::Utils::tempdir();
my $clock = "$folder/clock";
my %clock = faked_clock($clock);
$node = new_server('claims', 'max_connections = 40', 'restart_after_crash = on', 'snowid.max_generators = 20',
    'snowid.max_generators_per_database = 20');
start_again($node, %clock);
$node->safe_psql('postgres', 'CREATE EXTENSION snowid');
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', 'CREATE EXTENSION snowid');

sub configure { $node->append_conf('postgresql.conf', "$_[0] = $_[1]"); $node->reload; }
sub in_force {
    my ($function, $number) = @_;
    return $node->poll_query_until('postgres', "SELECT $function = $number");
}
sub worker_is { return in_force('snowflake_worker(snowflake_next())', $_[0]); }
sub partition_is { return in_force('sno_partition(sno_next(1))', $_[0]); }
sub ids { return split(/\n/, sql("SELECT snowflake_next(" . ($_[0] ? "'$_[0]'" : '') . ") FROM generate_series(1, $_[1])")); }
sub none_twice {
    my ($what, @ids) = @_;
    my %seen;
    my $twice = grep { $seen{$_}++ } @ids;
    is($twice, 0, "$what: none of " . @ids . ' ids is there twice');
}
my $log = 0;
sub log_says { my ($like, $what) = @_; ok($node->wait_for_log($like, $log), $what); $log = -s $node->logfile; }

# a reload takes a number that a generator has made ids with, ahead of the clock, and gave up
sql("SELECT snowid_generator_create('shardx', worker => 77)");
my @ids = ids('shardx', 1000);
$node->stop('immediate');
start_again($node, %clock);
push @ids, ids('shardx', 500);
sql("SELECT snowid_generator_drop('shardx')");
configure('snowid.worker_id', 77);
ok(worker_is(77), 'the number of a generator that was dropped becomes the server\'s');
push @ids, ids(undef, 2000);
none_twice('a reload after a drop', @ids);
log_says(qr/snowid: the worker is 77 from here on, and was 1/, 'the log says so');

sleep(2.5);  # a number that a reload brings begins ahead of the clock

# the same after another crash: the claim that was given up is read from the database
sql("SELECT snowid_generator_create('shardy', worker => 78)", 'other');
@ids = split(/\n/, sql("SELECT snowflake_next('shardy') FROM generate_series(1, 100)", 'other'));
$node->stop('immediate');
set_clock($clock, -1.5);
start_again($node, %clock);
push @ids, split(/\n/, sql("SELECT snowflake_next('shardy') FROM generate_series(1, 300)", 'other'));
sql("SELECT snowid_generator_drop('shardy')", 'other');
$node->stop('immediate');
start_again($node, %clock);
configure('snowid.worker_id', 78);
ok(worker_is(78), 'a number of another database, after a crash');
push @ids, ids(undef, 2000);
none_twice('a reload after a drop and a crash', @ids);
set_clock($clock, 0);

# partitions of snos take the same path
sql("SELECT snowid_generator_create('parts', 'sno', partition => 300)");
my @snos = split(/\n/, sql("SELECT sno_next(1, 'parts') FROM generate_series(1, 1000)"));
$node->stop('immediate');
start_again($node, %clock);
push @snos, split(/\n/, sql("SELECT sno_next(1, 'parts') FROM generate_series(1, 500)"));
sql("SELECT snowid_generator_drop('parts')");
configure('snowid.sno_partition', 300);
ok(partition_is(300), 'a partition that a generator gave up becomes the server\'s');
push @snos, split(/\n/, sql('SELECT sno_next(1) FROM generate_series(1, 2000)'));
none_twice('snos after a reload', @snos);

# a generator that has the number keeps it: ids go on with the old one
$log = -s $node->logfile;
sql("SELECT snowid_generator_create('holder', worker => 80)", 'other');
configure('snowid.worker_id', 80);
log_says(qr/snowid: the worker stays 78, because generator "holder" of database "other" has 80/, 'a live claim: the log says who has it');
is(sql('SELECT snowflake_worker(snowflake_next())'), '78', 'ids go on with the old number');
is(sql("SELECT finding || ' (' || severity || ')' FROM snowid_check() WHERE subject = 'worker'"),
    'the worker stays 78, because generator holder of database other has 80 (error)', 'snowid_check() says so');
fails_with($node, "SELECT snowid_generator_create('late', worker => 80)", '42710', qr/could make the same ids as the default generator/,
    'the number that is configured is nobody else\'s');
sql("SELECT snowid_generator_drop('holder')", 'other');
$node->reload;
ok(worker_is(80), 'once it is dropped, the next reload puts the number in force');

# at a start there is no old number: the generator makes no ids
sql("SELECT snowid_generator_create('unlucky', worker => 81)");
sql("SELECT snowflake_next('unlucky')");
$node->append_conf('postgresql.conf', 'snowid.worker_id = 81');
$node->stop;
$log = -s $node->logfile;
start_again($node, %clock);
is(sql('SELECT snowflake_worker(snowflake_next())'), '81', 'the server has it');
fails_with($node, "SELECT snowflake_next('unlucky')", '55000', qr/could make the same ids as the default generator.*HINT:.*another worker/s,
    'and the generator makes none');
like(sql("SELECT finding FROM snowid_check() WHERE subject = 'worker'"), qr/generator unlucky of database postgres makes no ids/,
    'snowid_check() says so');
sql("SELECT snowid_generator_alter('unlucky', worker => 82)");
is(sql("SELECT count(*) FROM snowid_check() WHERE subject = 'worker'"), '0', 'another number for it, and there is nothing to say');
is(sql("SELECT snowflake_worker(snowflake_next('unlucky'))"), '82', 'with another number it goes on');
sql("SELECT snowid_generator_drop('unlucky')");

# numbers change within a tick, up and down, under writers: each session's ids ascend, and all together
my @writers = map { writer_start($node, "$folder/reload_$_", query => 'SELECT snowflake_next() FROM generate_series(1, 100)',
    pause => 0) } 1 .. 4;
ok(ids_go_on([ map { "$folder/reload_$_" } 1 .. 4 ]), 'writers write');
for my $round (1 .. 12) {
    configure('snowid.worker_id', (500, 3, 900)[ $round % 3 ]);
    sleep(0.25);
}
writer_stop(@writers);
is_deeply({ refusals(map { "$folder/reload_$_" } 1 .. 4) }, {}, 'a reload refuses no id');
check_ids('reloads under writers', map { "$folder/reload_$_" } 1 .. 4);
worker_is(500) or worker_is(3) or worker_is(900);
my $cursor = $node->background_psql('postgres', on_error_stop => 0);
$cursor->query_safe('BEGIN');
$cursor->query_safe('DECLARE batch CURSOR FOR SELECT snowflake_next_batch(100000)');
my $before = $cursor->query_safe('FETCH 10 FROM batch');
configure('snowid.worker_id', 700);
ok(worker_is(700), 'another number while a batch is open');
my $after = $cursor->query_safe('FETCH 5000 FROM batch');
$cursor->quit;
none_twice('a batch over a reload', split(/\n/, $before), split(/\n/, $after), ids(undef, 3000));

# transactions: ids are made by committed claims
sql("SELECT snowid_generator_create('gp', worker => 205)");
sql('CREATE TABLE src AS SELECT generate_series(1, 3000) AS n; ANALYZE src');
my $parallel = "SET LOCAL parallel_leader_participation = off; SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0;
    SET LOCAL min_parallel_table_scan_size = 0;";
fails_with($node, "BEGIN; SELECT snowid_generator_alter('gp', worker => 206); $parallel SELECT snowflake_next('gp') FROM src", '55000',
    qr/in a transaction that/, 'a parallel worker by an uncommitted claim');
fails_with($node, "BEGIN; SELECT snowid_generator_create('gq', worker => 207); $parallel SELECT snowflake_next('gq') FROM src", '55000',
    qr/a parallel worker makes no ids/, 'a parallel worker by an uncommitted creation');
fails_with($node, "BEGIN; SELECT snowid_generator_alter('gp', worker => 206); $parallel SELECT snowflake_next() FROM src", '55000',
    qr/a parallel worker makes no ids/, 'nor by the server\'s number');
fails_with($node, "BEGIN; TRUNCATE _snowid.horizon; SELECT snowid_horizon_advance(now()); $parallel SELECT snowflake_next() FROM src",
    '55000', qr/a parallel worker makes no ids/, 'nor where the horizon was rewritten');
is(sql("$parallel SELECT count(DISTINCT id) FROM (SELECT snowflake_next('gp') AS id FROM src) s"), '3000', 'by a committed one it does');

sql("SELECT snowid_generator_create('hist', worker => 1000, backfill => true)");
fails_with($node, "BEGIN; SELECT snowid_generator_create('hist2', worker => 1001, backfill => true);
    SELECT snowflake_at('2024-02-01', 'hist2')", '55000', qr/makes no ids in a transaction that creates or changes it.*Commit/s,
    'a backfill generator before its commit');
fails_with($node, "BEGIN; SAVEPOINT s; SELECT snowid_generator_create('hist3', worker => 1001, backfill => true);
    SELECT snowflake_at('2024-02-01', 'hist3')", '55000', qr/makes no ids/, 'nor in a savepoint');

# a generator that is created, used and rolled back, whole, to a savepoint, or by a crash
@ids = ();
for my $way ('ROLLBACK', 'ROLLBACK TO s; COMMIT', 'crash', 'backend') {
    my $session = $node->background_psql('postgres', on_error_stop => 0);
    $session->query_safe('BEGIN; SAVEPOINT s');
    $session->query_safe("SELECT snowid_generator_create('short', worker => 300)");
    push @ids, split(/\n/, $session->query_safe("SELECT snowflake_next('short') FROM generate_series(1, 9000)"));
    if ($way eq 'crash') { $node->stop('immediate'); start_again($node, %clock); }
    elsif ($way eq 'backend') { kill_backend($node); accepts_connections($node); }
    else { $session->query_safe($way); }
    eval { $session->quit };
    sql("SELECT snowid_generator_create('again', worker => 300)");
    push @ids, ids('again', 9000);
    sql("SELECT snowid_generator_drop('again')");
}
none_twice('creations that were taken back', @ids);

sleep(2.5);

# a generator that may no longer overlap
sql("SELECT snowid_generator_create('first', worker => 310)");
@ids = ids('first', 500);
$node->stop('immediate');
set_clock($clock, -1.5);
start_again($node, %clock);
push @ids, ids('first', 500);
sql("SELECT snowid_generator_create('second', worker => 310, overlap => true)");
sql("SELECT snowid_generator_drop('first')");
sql("SELECT snowid_generator_alter('second', overlap => false)");
cmp_ok((ids('second', 1))[0], '>', $ids[-1], 'a generator that may no longer overlap begins above them');
set_clock($clock, 0);

# snos of a creation that a crash takes back, after the server's own generator has flipped its tick-tock bit
sql('SELECT sno_next(1)');
my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe("BEGIN; SELECT snowid_generator_create('short', 'sno', partition => 301)");
my $slowly = sub { "SELECT sno_next(1, '$_[0]') FROM generate_series(1, $_[1]), LATERAL (SELECT pg_sleep(0.002 + 0 * generate_series))
    AS s" };
@snos = split(/\n/, $session->query_safe($slowly->('short', 300)));
set_clock($clock, -1.5);
sql('SELECT sno_next(1) FROM generate_series(1, 10)');
$node->stop('immediate');
start_again($node, %clock);
eval { $session->quit };
sql("SELECT snowid_generator_create('anew', 'sno', partition => 301)");
# a start that is soon over can be more than clock_drift behind what was reserved
$node->poll_query_until('postgres', "SELECT sno_next(1, 'anew') IS NOT NULL");
push @snos, split(/\n/, sql($slowly->('anew', 900)));
none_twice('snos of a creation that a crash took back', @snos);

$node->stop;
done_testing();
