# Servers and their directory behind names: HAProxy leads to the primary, and PgBouncer pools transactions before it. Both
# the servers' primary and the directory's fail over behind their names, and the old primary of the servers goes on beside the
# new one. No id is made twice; with one number by hand some are.
use strict;
use warnings;
use lib 'test/tap';
use IO::Socket::INET;
use IO::Socket::UNIX;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Fleet;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep);

# what a writer asks of a node
package Name {
    sub host { return $_[0]{host}; }
    sub port { return $_[0]{port}; }
    sub name { return $_[0]{name}; }
}

my %program = map { $_ => scalar(first_of("/usr/sbin/$_", "/usr/local/sbin/$_", "/usr/bin/$_")) } 'pgbouncer', 'haproxy';
my @missing = grep { !$program{$_} } sort keys %program;
plan skip_all => 'there is no ' . join(' and no ', @missing) if @missing;

my $folder = PostgreSQL::Test::Utils::tempdir_short();
my $user = getpwuid($>);
my (@names, @processes);

sub first_of { return (grep { -x } @_)[0]; }
sub free_port { return IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1')->sockport; }
sub write_file { my ($file, $text) = @_; open(my $to, '>', "$folder/$file") or die $!; print $to $text; close $to; return "$folder/$file"; }

sub begin {
    my ($name, @command) = @_;
    my $pid = fork() // die $!;
    if (!$pid) {
        open(STDOUT, '>', "$folder/$name.log");
        open(STDERR, '>&', \*STDOUT);
        exec(@command) or POSIX::_exit(127);
    }
    push @processes, $pid;
}

# A name for two nodes: the first one has it. PgBouncer is what clients reach, over TCP and a socket.
sub name_for {
    my ($name, @nodes) = @_;
    my ($behind, $port) = (free_port(), free_port());
    my $servers = join('', map { sprintf("    server n%d unix@%s/.s.PGSQL.%d%s\n", $_, $nodes[$_]->host, $nodes[$_]->port,
        $_ ? ' disabled' : '') } 0 .. $#nodes);
    my $haproxy = write_file("$name.cfg", <<"CFG");
global
    stats socket $folder/$name.admin level admin
defaults
    mode tcp
    timeout connect 2s
    timeout client 1h
    timeout server 1h
listen primary
    bind 127.0.0.1:$behind
$servers
CFG
    my $pgbouncer = write_file("$name.ini", <<"INI");
[databases]
* = host=127.0.0.1 port=$behind user=$user
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $port
unix_socket_dir = $folder
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
INI
    begin("$name.haproxy", $program{haproxy}, '-db', '-f', $haproxy);
    begin("$name.pgbouncer", $program{pgbouncer}, $pgbouncer);
    return bless({ name => $name, host => $folder, port => $port }, 'Name');
}

# What an operator's script does at a failover: the name leads to the second node, and connections to the first one end.
sub moves {
    my ($name) = @_;
    my $admin = IO::Socket::UNIX->new(Peer => "$folder/" . $name->name . '.admin') or die $!;
    print $admin "disable server primary/n0; shutdown sessions server primary/n0; enable server primary/n1\n";
    1 while <$admin>;
}

my $directory = new_server('directory', "shared_preload_libraries = ''", 'max_connections = 60');
$directory->start;
make_directory($directory, 1, 8);
$directory->safe_psql('postgres', 'UPDATE snowid_directory.fleet SET lead_ns = 2000000000');    # no lease is longer here
$directory->backup('backup');
my $heir = Server->new('heir');
$heir->init_from_backup($directory, 'backup', has_streaming => 1);
$heir->start;
$directory->append_conf('postgresql.conf', "synchronous_standby_names = '*'");
$directory->reload;
my $fleet = name_for('fleet', $directory, $heir);

my $primary = new_server('primary', 'max_connections = 60', 'snowid.directory_lease = 2s', 'snowid.worker_id = directory',
    "snowid.directory = 'host=127.0.0.1 port=$fleet->{port} dbname=postgres user=$user target_session_attrs=read-write'");
$primary->start;
$primary->safe_psql('postgres', 'CREATE EXTENSION snowid');
ok(has_number($primary), 'a number comes through both');
$primary->backup('backup');
my $standby = Server->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;
my $client = name_for('servers', $primary, $standby);

my @writers = (writers_on($client, count => 12), writers_on($primary));
cmp_ok(ids_together(10_000, $client, $primary), '>', 0, 'twelve clients share four connections');
$standby->promote;
moves($client);
push @writers, writers_on($standby);
cmp_ok(ids_together(10_000, $client, $primary, $standby), '>', 0, 'the name leads to the new primary, and the old one goes on');
isnt(worker_of($primary), worker_of($standby), 'they have two numbers');

$directory->stop('immediate');
$heir->promote;
moves($fleet);
my $moved = $heir->safe_psql('postgres', 'SELECT now()');
ok($_->poll_query_until('postgres', "SELECT renewed > '$moved' FROM snowid_worker"),
    $_->name . ' renews at the new directory') for $primary, $standby;
my $third = Server->new('third');
$third->init_from_backup($primary, 'backup');
$third->start;
ok(has_number($third), 'a server that starts gets a number when quiet time is over');
push @writers, writers_on($third);
cmp_ok(ids_together(10_000, $client, $primary, $standby, $third), '>', 0, 'all go on');
writer_stop(@writers);
fleet_holds('servers behind names', $heir, [ $primary, $standby, $third ], names => [$client]);

for my $node ($primary, $standby) {
    $node->append_conf('postgresql.conf', 'snowid.worker_id = 5');
    $node->reload;
}
@writers = map { writers_on($_) } $client, $primary;
ids_together(10_000, $client, $primary);
sleep(3);
writer_stop(@writers, @processes);
fleet_breaks('one number by hand', $heir, [ $primary, $standby, $third ], names => [$client]);
$_->stop('immediate') for $primary, $standby, $third, $heir;
done_testing();
