# Pollers that read below the safe horizon, for as long as one likes: the clock steps, workers change, sessions are ended by force,
# the server crashes and restarts with prepared transactions, and a synchronous standby takes over. In each round a poller must
# get every row once, and one that reads what is above its last id must miss some.
#
#     SNOWID_LONG_SECONDS=300     how long
#     SNOWID_SEED=...             the same actions again, though not at the same moments
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Pollers;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep time);

my $seconds = $ENV{SNOWID_LONG_SECONDS} // 300;
my $seed = seed();
my $folder = "$PostgreSQL::Test::Utils::tmp_check/safe_horizon";    # it stays after a failure
mkdir $folder or die $!;
my %clock = faked_clock("$folder/clock");
use_rig($folder, $seed);

my $node = new_server('server0', 'fsync = on', 'max_prepared_transactions = 40', 'max_worker_processes = 24', 'max_parallel_workers = 16',
    'max_connections = 60',
    'restart_after_crash = on', 'max_wal_size = 1GB', 'snowid.clock_drift = 5s');
start_again($node, %clock);
make_rig($node);

my ($made, %done) = (0);
sub add_standby {
    my $name = 'server' . ++$made;
    $node->backup($name);
    my $standby = Server->new($name);
    $standby->init_from_backup($node, $name, has_streaming => 1);
    start_again($standby, %clock);
    $node->wait_for_catchup($standby, 'replay');
    $node->append_conf('postgresql.conf', "synchronous_standby_names = '$name'");
    $node->reload;
    $node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
    return $standby;
}

my @actions = (
    sub { $done{'clock steps'}++; set_clock("$folder/clock", rand() < 0.4 ? 0 : rand(2) - 1) },
    sub {
        $done{'other workers'}++;
        $node->append_conf('postgresql.conf', 'snowid.worker_id = ' . (1 + int(rand(7))));
        $node->reload;
    },
    sub {
        $done{'sessions ended'}++;
        $node->psql('postgres', 'SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM snowid_holders WHERE pid IS NOT NULL
            ORDER BY random() LIMIT 3) s');
    },
    sub {
        $done{'parallel leaders ended'}++;
        $node->psql('postgres', 'SELECT count(pg_terminate_backend(leader_pid)) FROM pg_stat_activity WHERE leader_pid IS NOT NULL');
    },
);
my @crashes = (
    sub { $done{'kill -9 of a backend'}++; kill_backend($node) },
    sub { $done{'kill -9 of the server'}++; kill_postmaster($node); start_again($node, %clock) },
    sub { $done{'restarts'}++; $node->stop('fast'); start_again($node, %clock) },
);

my $until = time() + $seconds;
for (my $round = 1; time() < $until; $round++) {
    my $standby = $round % 3 == 0 ? add_standby() : undef;
    begin_polling();
    begin_writing();
    for (1 .. 3) {
        for (1 .. 8) {
            sleep(rand(0.6));
            $actions[ rand @actions ]->();
        }
        next if $standby;
        $crashes[ rand @crashes ]->();
        accepts_connections($node);
    }
    if ($standby) {
        $done{promotions}++;
        kill_postmaster($node);
        $standby->promote;
        move_to($standby);
        $node = $standby;
        $node->append_conf('postgresql.conf', "synchronous_standby_names = ''");
        $node->reload;
        sleep(3);
    }
    stop_all('writers');
    set_clock("$folder/clock", 0);
    none_lost($node, "round $round");
    stop_all('pollers');
    $node->safe_psql('postgres', 'TRUNCATE o, n, c');
}
note("$_: $done{$_}") for sort keys %done;
is_deeply(other_errors(), {}, 'no other errors');
done_testing();
