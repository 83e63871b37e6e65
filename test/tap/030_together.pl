# Many generators in steady use: their horizons are advanced together, so they cost few flushes, and a crash at any moment
# repeats no id of any of them.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Client;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep);

seed();
my $generators = 40;
my $folder = PostgreSQL::Test::Utils::tempdir();
my $clock = "$folder/clock";
my %clock = faked_clock($clock);
my $node = new_server('together', 'restart_after_crash = on', 'wal_writer_delay = 10s', 'autovacuum = off', 'fsync = on');
start_again($node, %clock);
$node->safe_psql('postgres', <<"SQL");
CREATE EXTENSION snowid;
SELECT count(snowid_generator_create('g' || n, 'snowflake', worker => n + 1)) FROM generate_series(1, $generators, 2) n;
SELECT count(snowid_generator_create('g' || n, 'sno', partition => n)) FROM generate_series(2, $generators, 2) n;
SELECT pg_stat_force_next_flush();
SQL

# A line for each id: its generator, and an id whose text sorts as the id does. The flushes are counted as they are made.
my $query = <<"SQL";
SELECT n || ' ' || CASE n % 2 WHEN 1 THEN snowflake_next('g' || n)::text ELSE sno_next(0, 'g' || n)::text END
FROM generate_series(1, $generators) n, pg_stat_force_next_flush()
SQL
my @files = map { "$folder/lines$_" } 1 .. 3;
my @writers = map { writer_start($node, $_, query => $query, pause => 0.01) } @files;
ok(ids_go_on(\@files, more => 1000), 'three clients use all generators');

sub counted {
    my $syncs = $node->pg_version >= 18 ? "SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal'" : 'SELECT wal_sync FROM pg_stat_wal';
    return split /\|/, $node->safe_psql('postgres', "SELECT ($syncs), (SELECT sum(horizon_advances) FROM snowid_stat)");
}
my ($syncs_before, $raises_before) = counted();
sleep(3);
my ($syncs, $raises) = counted();
$_ > 0 or BAIL_OUT('nothing was raised') for $raises -= $raises_before;
$syncs -= $syncs_before;
cmp_ok($syncs * 4, '<', $raises, "the horizons of $generators generators are advanced together: $raises advances, $syncs flushes");

# The clock is set back while the server is down, so only the horizon tells what is used.
my $stuck = 0;
for my $round (1 .. 8) {
    sleep(rand(0.8));
    $round % 2 ? $node->stop('immediate') : kill_postmaster($node);
    set_clock($clock, -1 - rand(0.8));
    start_again($node, %clock);
    $stuck++ unless ids_go_on(\@files, more => 100);
    set_clock($clock, 0);
}
is($stuck, 0, 'ids go on after each of 8 crashes');
writer_stop(@writers);

my (%all, $descents);
for my $file (@files) {
    my %last;
    for (split /\n/, slurp_file($file)) {
        my ($n, $id) = split / /;
        $descents++ if $n % 2 && defined $last{$n} && $id <= $last{$n};
        $last{$n} = $id;
        $all{"$n $id"}++;
    }
}
is($descents // 0, 0, 'the snowflakes of each generator ascend in every session');
is(join(', ', grep { $all{$_} > 1 } keys %all), '', 'none of ' . keys(%all) . ' ids is there twice');

# Databases cannot advance each other's horizons. But none flushes its own before half of what is left is used, and mostly another
# has flushed by then. The clock goes on by the test, and far enough that it does not matter how fast this machine is.
my $databases = 8;
$node->safe_psql('postgres', "ALTER SYSTEM SET $_ = '60s'") for 'snowid.reserve', 'snowid.clock_drift';
$node->safe_psql('postgres', 'CREATE DATABASE d1');
$node->safe_psql('d1', 'CREATE EXTENSION snowid');
$node->safe_psql('postgres', "CREATE DATABASE d$_ TEMPLATE d1 STRATEGY file_copy") for 2 .. $databases;
$node->reload;
my @sessions = map { client($node->host, $node->port, "d$_") } 1 .. $databases;
my $now = 0;
for my $round (1 .. 60) {
    ($syncs_before, $raises_before) = counted() if $round == 2 * $databases;
    set_clock($clock, $now += 3);
    my $last = $round < 2 * $databases ? int($round / 2) : $databases - 1;    # they begin one after the other
    client_query($_, 'SELECT snowflake_next(), pg_stat_force_next_flush()') for @sessions[0 .. $last];
}
($syncs, $raises) = counted();
$_ > 0 or BAIL_OUT('nothing was raised') for $raises -= $raises_before;
$syncs -= $syncs_before;
cmp_ok($syncs * 2, '<', $raises, "$databases databases share flushes: $raises advances, $syncs flushes");
client_end($_) for @sessions;
$node->stop;
done_testing();
