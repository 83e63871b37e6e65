# Databases of different people on one server: none of them stops another, or takes all that there is of something.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

seed();
my $folder = PostgreSQL::Test::Utils::tempdir();
$node = new_server('tenants', 'max_connections = 40', 'restart_after_crash = on', 'snowid.max_generators = 8');
$node->start;
sub set { $node->append_conf('postgresql.conf', "snowid.$_[0] = '$_[1]'"); $node->reload;
    $node->poll_query_until('postgres', "SELECT current_setting('snowid.$_[0]') = '$_[1]'") or die; return; }
sub findings { return sql(q(SELECT finding FROM snowid_check() WHERE subject = 'generators' ORDER BY finding), $_[0]); }

for my $db ('postgres', 'greedy', 'modest') {
    sql("CREATE DATABASE $db") unless $db eq 'postgres';
    sql('CREATE EXTENSION snowid', $db);
}
sql("SELECT snowid_generator_create('g' || n, worker => 100 + n) FROM generate_series(1, 30) AS n", 'greedy');
sql("SELECT snowid_generator_create('s' || n, scheme => 'sno', partition => 100 + n) FROM generate_series(1, 3) AS n", 'greedy');
sql("SELECT snowid_generator_create('mine', worker => 200), snowid_generator_create('events', scheme => 'sno', partition => 200)",
    'modest');

# a database has no more than its part, while sessions use it
is(findings(), '', 'snowid_check() has nothing to say of generators');
my @modest = map { "$folder/modest_$_" } 1, 2;
my @writers = (
    writer_start($node, $modest[0], query => "SELECT snowflake_next('mine')", dbname => 'modest'),
    writer_start($node, $modest[1], query => "SELECT sno_next(0, 'events')", dbname => 'modest'));
ok(ids_go_on(\@modest), 'the ids of a modest database');
my $greedy = $node->background_psql('greedy');
$greedy->query_safe('BEGIN');
$greedy->query_safe("SELECT snowflake_next('g' || n) FROM generate_series(1, 2) AS n");
is(findings(),
    "2 of 4 named generators that database greedy has room for are in use\n2 of 4 named generators that database modest has room for are in use\n4 of 8 named generators that this server has room for are in use",
    'from half of the room on it warns');
$greedy->query_safe("SELECT snowflake_next('g' || n) FROM generate_series(3, 4) AS n");
my $refusals = q(SELECT refusals FROM snowid_stat WHERE generator = 'default' AND scheme = 'snowflake');
my $refused = sql($refusals);
my @no_room =
    ('53400', qr/too many generators are in use.*DETAIL:  This database has room for 4 of the server's 8.*HINT:  Raise snowid.max_generators_per_database/s);
fails_with($node, "SELECT snowflake_next('g5')", @no_room, 'more than its part', dbname => 'greedy');
is(sql($refusals), $refused + 1, 'which is counted');
like(slurp_file($node->logfile), qr/LOG:  snowid: ids are refused, because too many generators are in use/, 'and logged');
ok(ids_go_on(\@modest, more => 50), 'and others go on');
set('max_generators_per_database', 8);
$greedy->query_safe("SELECT snowflake_next('g' || n) FROM generate_series(5, 6) AS n");
fails_with($node, "SELECT snowflake_next('g7')", '53400',
    qr/DETAIL:  This server has room for 8 named generators in all its databases, and all are in use.*HINT:  Raise snowid.max_generators and restart/s,
        'more than the server has', dbname => 'greedy');
$greedy->query_safe('COMMIT');
$greedy->quit;
writer_stop(@writers);

# what nobody uses is given back, and goes on above
set('max_generators_per_database', 4);
my @ids = map { split /\n/, sql("SELECT snowflake_next('g' || n) FROM generate_series($_, $_ + 2) AS n", 'greedy') } map { 3 * $_ +
    1 } 0 .. 9;
is(scalar @ids, 30, '30 generators in 4 slots, one after the other');
my @again = map { split /\n/, sql("SELECT snowflake_next('g' || n) FROM generate_series($_, $_ + 2) AS n", 'greedy') } map { 3 * $_ +
    1 } 0 .. 9;
is(scalar(grep { $again[$_] > $ids[$_] } 0 .. 29), 30, 'and each goes on above its last id');

# a session that stays: what its transaction does not need does not stand in its way, nor in that of others
my $long = $node->background_psql('greedy');
is(join(' ', map { $long->query_safe("SELECT snowflake_worker(snowflake_next('g$_'))") } 1 .. 20), join(' ', 101 .. 120),
    'one session uses 20 generators');
my $other = $node->background_psql('greedy');
$other->query_safe("SELECT snowflake_next('g$_')") for 21 .. 23;
$long->query_safe("SELECT snowflake_next('g1')");
is(join(' ', map { $other->query_safe("SELECT snowflake_worker(snowflake_next('g$_'))") } 21 .. 30), join(' ', 121 .. 130),
    'and another one beside it');
$other->quit;

# one that is not committed yet
$long->query_safe('BEGIN');
$long->query_safe("SELECT snowid_generator_create('passing', worker => 300)");
my $passing = $long->query_safe("SELECT snowflake_next('passing')");
sql("SELECT snowflake_next('g' || n) FROM generate_series($_, $_ + 1) AS n", 'greedy') for 1 .. 20;
my $last = $long->query_safe("SELECT snowflake_next('passing')");
cmp_ok($last, '>', $passing, 'a generator that is not committed keeps its slot');
$long->query_safe('ROLLBACK');
$long->quit;
sql("SELECT snowid_generator_create('passing', worker => 300)", 'greedy');
cmp_ok(sql("SELECT snowflake_next('passing')", 'greedy'), '>', $last, 'and its number begins above');

# many sessions, more generators than slots, crashes
my @files = map { "$folder/churn_$_" } 1 .. 5;
@writers = map { writer_start($node, $_, query => "SELECT snowflake_next('g' || 1 + floor(random() * 30))", dbname => 'greedy',
    pause => 0) } @files[ 0 .. 2 ];
push @writers, map { writer_start($node, $files[ 2 + $_ ], query => "SELECT sno_next(0, 's' || 1 + floor(random() * 3))",
    dbname => 'greedy', pause => 0) } 1, 2;
my @steady = map { "$folder/steady_$_" } 1, 2;
push @writers, writer_start($node, $steady[0], query => "SELECT snowflake_next('mine')", dbname => 'modest');
push @writers, writer_start($node, $steady[1], query => "SELECT sno_next(0, 'events')", dbname => 'modest');
for my $round (1 .. 4) {
    ok(ids_go_on([ @files, @steady ], more => 20, within => 60), "round $round: ids go on");
    kill_backend($node) if $round % 2;
}
writer_stop(@writers);
check_unique('snowflakes of generators that take turns', @files[ 0 .. 2 ]);
check_unique('snos of generators that take turns', @files[ 3, 4 ]);
check_ids('one beside them', $steady[0]);
is_deeply([ grep { !/^53400 too many generators/ } keys %{ { refusals(@files) } } ], [], 'nothing is refused but for want of room');
is_deeply({ refusals(@steady) }, {}, 'and nothing at all to another database');

# a role that may use no backfill generator, and one that a time of the far future has used up
sql(q(CREATE ROLE stranger LOGIN));
sql(q(SELECT snowid_generator_create('history', worker => 400, backfill => true), snowid_generator_create('future', 'sno', partition => 400,
    backfill => true, future => true)), 'modest');
my @stranger = (dbname => 'modest', user => 'stranger');
for my $call (q(snowflake_at('2024-05-01', 'history')), q(snowflake_at('2262-04-11', 'history')), q(sno_at('2079-01-01', 'future'))) {
    fails_with($node, "SELECT $call", '42501', qr/permission denied for generator.*HINT:.*snowid_generator_grant/s,
        "a stranger calls $call", @stranger);
}
my @given = split /\n/, sql(q(SELECT sno_at('2024-05-01', 'future') FROM generate_series(1, 3)), 'modest');
sql(q(SELECT sno_at('2079-01-01', 'future')), 'modest');
my $session = $node->background_psql('modest');
$session->query_safe(q(SELECT sno_at('2079-01-01', 'future')));
sql(q(SELECT snowid_generator_rewind('future', '2024-05-02')), 'modest');
push @given, $session->query_safe(q(SELECT sno_at('2024-05-02', 'future')));
$session->quit;
$node->stop('immediate');
$node->start;
push @given, split /\n/, sql(q(SELECT sno_at('2024-05-03', 'future') FROM generate_series(1, 3)), 'modest');
is_deeply(\@given, [ sort @given ], 'after it was rewound and the server has crashed its ids ascend');
is(sql("SELECT string_agg(DISTINCT sno_time(id::sno)::date::text, ' ') FROM unnest('{@{[ join(',', @given) ]}}'::text[]) AS id"),
    '2024-05-01 2024-05-02 2024-05-03', 'and have the given times');

done_testing();
