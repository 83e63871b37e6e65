# A server of an older PostgreSQL becomes one of this PostgreSQL, and makes no id that the old one has made, though its clock is
# behind. So it is with each older PostgreSQL that was put here.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep time);

my $folder = PostgreSQL::Test::Utils::tempdir();
my $clock = "$folder/clock";
my %clock = faked_clock($clock);
my @old_bins = glob("/opt/to-$ENV{SNOWID_PG_VERSION}/postgresql-*/bin") or BAIL_OUT('there is no older PostgreSQL');
chomp(my $new_bin = `pg_config --bindir`);
my $files = 0;

# Both have checksums, which are a default from 18 on only.
sub cluster {
    my ($name, %options) = @_;
    my $node = Server->new($name, %options);
    $node->init(extra => ['--data-checksums']);
    $node->append_conf('postgresql.conf',
        "shared_preload_libraries = 'snowid'\nsnowid.worker_id = 3\nsnowid.clock_drift = 5s\nfsync = on\n");
    return $node;
}

# Ids of both databases, by the server's own generator and by a named one.
sub ids_from {
    my ($node, $what) = @_;
    my %files = map { $_ => "$folder/ids" . ++$files . ".$_" } 'own', 'orders', 'second';
    my @writers = (
        writer_start($node, $files{own}),
        writer_start($node, $files{orders}, query => "SELECT snowflake_next('orders')"),
        writer_start($node, $files{second}, dbname => 'second'));
    ok(ids_go_on([ values %files ], more => 100), "$what: ids go on");
    sleep(0.5);
    writer_stop(@writers);
    return %files;
}

sub upgrade {
    my ($old_bin) = @_;
    my ($major) = $old_bin =~ m|-(\d+)/bin$|;
    my $old = cluster("old$major", install_path => $old_bin =~ s|/bin$||r);
    start_again($old, %clock);
    $old->safe_psql('postgres', slurp_file('test/upgrade/data.sql'));
    $old->safe_psql('postgres', 'CREATE DATABASE second');
    $old->safe_psql('second', "CREATE EXTENSION snowid; SELECT snowid_generator_create('given', worker => 9, backfill => true)");
    diag('PostgreSQL ' . $old->safe_psql('postgres', 'SHOW server_version'));
    my %before = ids_from($old, 'before');
    my $partitions = 'SELECT partition, starts, ends FROM snowid_partitions(\'log\') ORDER BY 1';
    my $were = $old->safe_psql('postgres', $partitions);
    my $last = $old->safe_psql('postgres', 'SELECT extract(epoch FROM snowflake_time(snowflake_next()))');
    # Minor releases since 17.12 and 15.20 mark columns with an option that 18.6 and 19rc1 cannot restore.
    $old->safe_psql($_, 'SET allow_system_table_mods = on;'
            . " UPDATE pg_attribute SET attoptions = NULL WHERE attoptions::text LIKE '%pg_attver=%'") for 'postgres', 'second';
    $old->stop;

    my $new = cluster("new$major");
    chdir $folder or die $!;
    command_ok([ 'pg_upgrade', '--no-sync', '-d', $old->data_dir, '-D', $new->data_dir, '-b', $old_bin, '-B', $new_bin, '-s', $new->host,
            '-p', $old->port, '-P', $new->port ], 'pg_upgrade');
    chdir $ENV{TESTDIR} or die $!;

    set_clock($clock, $last - time() - 3);
    start_again($new, %clock);
    my %after = ids_from($new, 'after');
    for my $name (keys %before) {
        my ($last, $first) = (`sort -n $before{$name} | tail -n 1`, `sort -n $after{$name} | head -n 1`);
        cmp_ok($first, '>', $last, "$name: what the new server makes is above what the old one made");
    }
    $new->safe_psql($_, 'SELECT snowid_catalog_update()') for 'postgres', 'second';
    is($new->safe_psql('postgres', slurp_file('test/upgrade/check.sql')), 'goes on', 'what was there is there');
    is($new->safe_psql('postgres', $partitions), $were, 'so are the partitions');
    like($new->safe_psql('postgres', "SELECT action FROM snowid_partition('log', '1 month', ahead => 4)"), qr/^created/,
        'and there will be more');
    cmp_ok($new->safe_psql('second', "SELECT snowflake_at('2024-05-01 12:00Z', 'given')"), '>', 0, 'a backfill generator goes on');
    check_ids('orders', map { $_->{orders} } \%before, \%after);
    check_ids('own', map { @$_{ 'own', 'second' } } \%before, \%after);

    # what is left to do, and nothing else
    my $findings = "SELECT DISTINCT subject FROM snowid_check() WHERE severity <> 'note' ORDER BY 1";
    is($new->safe_psql($_, $findings), "clock\ncopy", "the copy is found in $_, beside the clock") for 'postgres', 'second';
    $new->safe_psql('second', 'SELECT snowid_horizon_advance(now())');
    $new->stop;
    set_clock($clock, 0);
    start_again($new, %clock);
    is($new->safe_psql($_, $findings), '', "nothing is wrong in $_") for 'postgres', 'second';
    $new->stop;
}

for my $old_bin (@old_bins) {
    subtest $old_bin => sub { upgrade($old_bin) };
}
done_testing();
