# Servers that come and go as pods do: about twice as many as there are worker ids, with volumes that are kept and volumes
# that come back as they were when the server was set up. They are stopped, killed and paused, and sometimes the network
# to the directory, over TCP, fails for all. No id is made twice. A directory that forgets its fence is found.
#
#     SNOWID_LONG_SECONDS=600     how long
use strict;
use warnings;
use lib 'test/tap';
use File::Path qw(remove_tree);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Fleet;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep time);

my ($pods, $numbers, $seconds) = (30, 16, $ENV{SNOWID_LONG_SECONDS} // 600);

seed();
my $link = PostgreSQL::Test::Utils::tempdir() . '/link';
my $directory = new_server('directory', "shared_preload_libraries = ''", 'max_connections = 100');
$directory->start;
make_directory($directory, 1, $numbers);
my ($proxy, $port) = proxy_start($directory, $link);
my $user = getpwuid($>);
my $image = new_server('image', 'snowid.directory_lease = 2s', 'snowid.worker_id = directory', 'shared_buffers = 4MB',
    'max_connections = 10', 'wal_recycle = off',
    "snowid.directory = 'host=127.0.0.1 port=$port dbname=postgres user=$user'", 'snowid.reserve = 1s');
$image->start;
$image->safe_psql('postgres', 'CREATE EXTENSION snowid');
$image->backup('volume');
$image->stop;

my (%up, %done);
my @nodes = map { Server->new("pod$_") } 1 .. $pods;

sub come {
    my ($node) = @_;
    my $is_new = !-e $node->data_dir . '/PG_VERSION';
    if ($is_new || rand() < 0.5) {
        remove_tree($node->data_dir);
        $node->init_from_backup($image, 'volume');
        $done{'came with an empty volume'}++;
    } else {
        $done{'came with its volume'}++;
    }
    start_again($node);
    $up{ $node->name } = 1;
}

my @ends = (
    [ 'stopped' => sub { $_[0]->stop('fast') } ],
    [ 'stopped at once' => sub { $_[0]->stop('immediate') } ],
    [ 'killed' => sub { kill_postmaster($_[0]) } ],
);
sub leave {
    my ($node) = @_;
    my ($what, $how) = @{ $ends[ rand @ends ] };
    $how->($node);
    $done{$what}++;
    $up{ $node->name } = 0;
}

sub stand_still {
    my ($node) = @_;
    pause($node);
    sleep(rand(3));
    resume($node);
    $done{paused}++;
}

sub network_fails {
    proxy_do($link, (qw(closed silent deaf))[ rand 3 ]);
    sleep(rand(2.5));
    proxy_do($link, 'open');
    $done{'network failed'}++;
}

sub come_and_go {
    my $end = time() + $_[0];
    while (time() < $end) {
        my $node = $nodes[ rand @nodes ];
        my $dice = rand();
        if (!$up{ $node->name }) { come($node) }
        elsif ($dice < 0.05) { network_fails() }
        elsif ($dice < 0.25) { stand_still($node) }
        else { leave($node) }
        sleep(rand(9 / $pods));
    }
}

my @writers = map { writers_on($_, count => 1, pause => $pods / 300) } @nodes;
come($_) for @nodes;
come_and_go($seconds);
diag(join(', ', map { "$_ $done{$_} times" } sort keys %done));
cmp_ok(all_ids(@nodes), '>', 10_000, "$pods servers on $numbers numbers");
cmp_ok(scalar(grep { all_ids($_) > 0 } @nodes), '>', $numbers, 'more of them than numbers have made ids');
fleet_holds('servers that come and go', $directory, \@nodes);

plant_no_fence($directory);
come($_) for grep { !$up{ $_->name } } @nodes;
sleep(5);
fleet_breaks('a directory without its fence', $directory, \@nodes);
writer_stop(@writers, $proxy);
$_->stop('immediate') for grep { $up{ $_->name } } @nodes;
done_testing();
