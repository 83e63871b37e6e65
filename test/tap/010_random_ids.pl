# The ids whose uniqueness is random: eight sessions at once, one order over all of them, a clock that steps, a server
# that does not preload the library, and a standby.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use List::Util 'max';
use Snowid;
use Test::More;

my @generators = ('uuidv7_next()', 'ulid_next()');
my @all = (@generators, 'ksuid_next()', 'sandflake_next()');
my @counted = ('objectid_next()', 'rsxid_next()');
my $clock = PostgreSQL::Test::Utils::tempdir() . '/clock';
my $node = new_server('random', 'max_connections = 100');
{
    local %ENV = (%ENV, faked_clock($clock));
    $node->start;
}
$node->safe_psql('postgres', 'CREATE EXTENSION snowid');

# one strict order over the sessions, by time of issue
my @sessions = map { $node->background_psql('postgres') } 1 .. 4;

sub ascends_in_turn {
    my ($what, $generator, $rounds) = @_;
    my @ids = map { my $session = $_; map { $session->query_safe("SELECT $generator") } 1 .. 2 } (@sessions) x $rounds;
    my $out_of_order = grep { $ids[$_] le $ids[ $_ - 1 ] } 1 .. $#ids;
    is($out_of_order, 0, "$what: $generator ascends over the sessions in turn");
    return $ids[-1];
}
ascends_in_turn('a true clock', $_, 50) for @all;
ascends_in_turn('batches', "max(id::text) FROM (SELECT id FROM uuidv7_next_batch(100) AS id) s", 10);

# within snowid.clock_drift a clock that steps back changes nothing; beyond it ids follow the clock, and are unique
for my $generator (@all) {
    my $last = ascends_in_turn('before', $generator, 2);
    for my $offset (-0.001, -0.5, -1.5, -0.2) {
        set_clock($clock, $offset);
        my $first = $sessions[0]->query_safe("SELECT $generator");
        cmp_ok($first, 'gt', $last, "the clock is at $offset s: $generator goes on");
        $last = ascends_in_turn("the clock is at $offset s", $generator, 2);
    }
    set_clock($clock, 0);
}
set_clock($clock, -3600);
for my $type (qw(uuidv7 ulid sandflake ksuid objectid rsxid)) {
    is($sessions[1]->query_safe("SELECT ${type}_time(${type}_next()) BETWEEN clock_timestamp() - interval '1 s'
        AND clock_timestamp() + interval '2 s'"),
        't', "an hour back: $type follows the clock");
}
my $machine = $sessions[0]->query_safe('SELECT rsxid_machine(rsxid_next())');
my $random = $sessions[0]->query_safe('SELECT objectid_random(objectid_next())');
my $worker = $sessions[0]->query_safe('SELECT sandflake_worker(sandflake_next())');
is($sessions[1]->query_safe('SELECT rsxid_machine(rsxid_next())'), $machine, 'one machine for all sessions');
is($sessions[1]->query_safe('SELECT sandflake_worker(sandflake_next())'), $worker, 'one worker for all sessions');
isnt($sessions[1]->query_safe('SELECT objectid_random(objectid_next())'), $random, 'each session has its own random value');
set_clock($clock, -7200);
isnt($sessions[0]->query_safe('SELECT rsxid_machine(rsxid_next())'), $machine, 'seconds that come again: another machine');
isnt($sessions[0]->query_safe('SELECT objectid_random(objectid_next())'), $random, 'and another random value');
$sessions[0]->query_safe('SELECT ulid_next()');
isnt($sessions[0]->query_safe('SELECT sandflake_worker(sandflake_next())'), $worker, 'and another worker');

# the same second comes three hundred times: the counters begin again each time, and the rest of the id differs
my $second = int(time()) - 10000;
my (%ids, %of_second);
my $longest = 0;
for my $step (1 .. 300) {
    for my $time ($second + 10, $second + 0.001) {
        my $set = time();
        set_clock($clock, $time - $set);
        for my $session (@sessions[0, 1]) {
            for my $id (split /\n/, $session->query_safe('SELECT unnest(ARRAY[objectid_next()::text, rsxid_next()::text])
                FROM generate_series(1, 3)')) {
                $ids{$id}++;
                $of_second{$id}++ if $time < $second + 1;
            }
        }
        $longest = max($longest, time() - $set);
    }
}
my %seconds = map { $_ => 1 } split /\n/, $sessions[0]->query_safe('SELECT DISTINCT extract(epoch FROM t) FROM ('
        . join(' UNION ALL ', map { 'SELECT ' . (length == 24 ? 'objectid' : 'rsxid') . "_time('$_') AS t" } keys %of_second) . ') s');
is(scalar keys %ids, 300 * 2 * 2 * 3 * 2, 'the clock steps back three hundred times to one second, and no id is there twice');
cmp_ok(scalar keys %seconds, '<=', 3 + $longest, 'the ids are of that second, or of the next ones if the machine was slow');
set_clock($clock, 0);
$_->quit for @sessions;
$node->restart;    # without the moved clock

# many ids from each of eight sessions
my $each = usual_or_long(100_000, 1_000_000);
my $folder = PostgreSQL::Test::Utils::tempdir();
for my $generator (@generators) {
    my @runs;
    for my $n (1 .. 8) {
        my ($type) = $generator =~ /^(\w+)_next/;
        my $from = $n % 2 ? "SELECT $generator FROM generate_series(1, $each)" : "SELECT ${type}_next_batch($each)";
        push @runs, IPC::Run::start([ 'psql', '-XqAt', '-d', $node->connstr('postgres'), '-c', "COPY ($from) TO STDOUT" ], '>',
            "$folder/$n");
    }
    $_->finish for @runs;
    is(check_texts($generator, map { "$folder/$_" } 1 .. 8), 8 * $each, "$generator: every session got what it asked for");
}

# the others, a hundred thousand each: seconds that are used up are waited for
for my $generator (@counted, 'ksuid_next()', 'sandflake_next()') {
    my @runs;
    push @runs, IPC::Run::start([ 'psql', '-XqAt', '-d', $node->connstr('postgres'), '-c',
            "COPY (SELECT $generator FROM generate_series(1, 100000)) TO STDOUT" ], '>', "$folder/$_") for 1 .. 8;
    $_->finish for @runs;
    is(check_texts($generator, map { "$folder/$_" } 1 .. 8), 800_000, "$generator: every session got what it asked for");
}

# a standby, and a server that was started without the library
$node->backup('base');
my $standby = Server->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
for my $generator (@all, @counted) {
    is($standby->safe_psql('postgres', "SELECT count(DISTINCT id), bool_and(id > previous) FROM (SELECT id, lag(id) OVER (ORDER BY n)
        AS previous
        FROM (SELECT n, $generator AS id FROM generate_series(1, 1000) AS n) g) s"), '1000|t', "a standby: $generator");
}
$standby->stop;
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$node->restart;
for my $generator (@all, @counted) {
    is($node->safe_psql('postgres', "SELECT count(DISTINCT id), bool_and(id > previous) FROM (SELECT id, lag(id) OVER (ORDER BY n)
        AS previous
        FROM (SELECT n, $generator AS id FROM generate_series(1, 1000) AS n) g) s"), '1000|t', "without preload: $generator");
}
my @machines = map { $node->safe_psql('postgres', 'SELECT rsxid_machine(rsxid_next())', fresh => 1) } 1, 2;
isnt($machines[0], $machines[1], 'without preload each session is a machine of its own');

done_testing();
