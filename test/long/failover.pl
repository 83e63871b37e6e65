# A directory with a synchronous standby fails over under four servers that have been up for a minute, with the usual lease.
# Nothing is lost, and no server misses an id: neither where the directory has one address, which leads to the new primary
# when that is there, nor where the servers know two hosts, of which the old one drops packets. Without a tolerance for
# those that had renewed, ids end.
#
#     SNOWID_AWAY=35     for how many seconds nobody answers
use strict;
use warnings;
use lib 'test/tap';
use IO::Socket::INET;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Fleet;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep time);

seed();
my $away = $ENV{SNOWID_AWAY} // 35;
my $folder = PostgreSQL::Test::Utils::tempdir();
my $user = getpwuid($>);

# From now on the host answers nothing, not even who connects.
sub drop_packets {
    my ($port, $file) = @_;
    proxy_do($file, 'silent');
    return map { IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port, Blocking => 0) } 1 .. 4;
}

sub run {
    my ($fault) = @_;
    my $name = $fault ? 'fault' : 'right';
    my $old = new_server("old_$name", "shared_preload_libraries = ''", 'max_connections = 40', 'wal_keep_size = 128MB');
    $old->start;
    make_directory($old, 1, 40);
    plant($old, 'itself.renew', 'IF held_until_ns < fleet.floor_ns', 'IF false') if $fault;
    $old->backup('backup');
    my $new = Server->new("new_$name");
    $new->init_from_backup($old, 'backup', has_streaming => 1);
    $new->start;
    $old->append_conf('postgresql.conf', "synchronous_standby_names = '*'");
    $old->reload;
    $old->poll_query_until('postgres', "SELECT sync_state = 'sync' FROM pg_stat_replication") or die;

    my ($moves, $stays) = ("$folder/moves_$name", "$folder/stays_$name");
    my ($moving, $port) = proxy_start($old, $moves, queue => 1);
    my ($staying, $old_port) = proxy_start($old, $stays, queue => 1);
    my %directory = (
        address => "host=127.0.0.1 port=$port",
        hosts => sprintf('host=127.0.0.1,%s port=%d,%d target_session_attrs=read-write', $new->host, $old_port, $new->port));
    my @servers;
    for my $way ('address', 'hosts') {
        for my $n (1, 2) {
            my $server = fleet_server("${way}_${n}_$name", $old);
            $server->append_conf('postgresql.conf', "snowid.directory = '$directory{$way} dbname=postgres user=$user'");
            $server->start;
            $server->safe_psql('postgres', 'CREATE EXTENSION snowid');
            has_number($server);
            push @servers, $server;
        }
    }
    my @writers = map { writers_on($_, count => 1, pause => 0.02) } @servers;
    for my $server (@servers) {
        $server->poll_query_until('postgres', "SELECT until > now() + interval '46 s' FROM snowid_worker") or die 'not up';
    }
    sleep(rand(15));    # somewhere between two renewals
    my @queues = (drop_packets($port, $moves), drop_packets($old_port, $stays));
    my $gone = time();
    $old->stop('immediate');
    sleep($gone + $away - 2 - time());
    $new->promote;
    sleep($gone + $away - time()) if time() < $gone + $away;
    kill('TERM', $moving);
    waitpid($moving, 0);
    ($moving) = proxy_start($new, $moves, port => $port);
    sleep(75);
    writer_stop(@writers);
    my $end = time();
    my %found = map { my $server = $_; ($server->name => { gap => longest_gap($server, $end),
        refused => { refusals(files_of($server)) } }) } @servers;
    my $quiet = $new->safe_psql('postgres', 'SELECT round(extract(epoch FROM quiet_until - clock_timestamp()))
        FROM snowid_directory.fleet');
    kill('TERM', $moving, $staying);
    waitpid($_, 0) for $moving, $staying;
    $_->stop('immediate') for @servers;
    # what the old one noted is in its standby
    my $laws = fleet_laws($new, \@servers);
    $new->stop('immediate');
    return { servers => \%found, quiet => $quiet, laws => $laws };
}

my ($right, $fault) = side_by_side(2, sub { run('') }, sub { run('no tolerance') });
for my $server (sort keys %{ $right->{servers} }) {
    my $found = $right->{servers}{$server};
    is(join(', ', map { "$found->{refused}{$_} times $_" } keys %{ $found->{refused} }), '',
        sprintf('%s: no id is missing while the directory is away for %d s; the longest gap is %.1f s', $server, $away, $found->{gap}));
}
fleet_holds('a failover', $right->{laws});
cmp_ok($right->{quiet}, '>', -60, "quiet time was begun: it ends in $right->{quiet} s");
my @missing = grep { %{ $fault->{servers}{$_}{refused} } } sort keys %{ $fault->{servers} };
my ($longest) = sort { $b <=> $a } map { $_->{gap} } values %{ $fault->{servers} };
cmp_ok(scalar @missing, '>', 0, "the planted fault, no tolerance, is found: ids are missing on @missing, for up to $longest s");

done_testing();
