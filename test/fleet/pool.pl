# Pools of connections and a server without a number. Where the directory does not answer, a pool waits once in an outage,
# and then every call fails at once. Where the directory is in the cluster itself and the pool has all connections, a role
# for which some are reserved gets in; one for which none are does not. Where the directory waits for its standby, one call
# hangs there and no more.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Fleet;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep time);

seed();
my $silent = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 1) or die $!;    # takes connections, and says nothing

# Every session of the pool asks at the same moment. Returns what was answered, and after how many seconds.
sub ask_all {
    my (@pool) = @_;
    my $asked = time();
    for my $session (@pool) {
        my $sql = 'SELECT snowflake_next()';
        syswrite($session->{socket}, 'Q' . pack('N', 5 + length $sql) . "$sql\0") or die $!;
    }
    my @answers = map { client_answer($_) } @pool;
    return (time() - $asked, @answers);
}

my $server = new_server('server', 'max_connections = 60');
$server->append_conf('postgresql.conf',
    sprintf("snowid.worker_id = directory\nsnowid.directory = 'host=127.0.0.1 port=%d dbname=postgres user=nobody'", $silent->sockport));
$server->start;
$server->safe_psql('postgres', 'CREATE EXTENSION snowid');
my @pool = map { client($server->host, $server->port, 'postgres') or die $! } 1 .. 50;
my ($first, @answers) = ask_all(@pool);
is(scalar(grep { ($_->{error} // '') =~ /^55000 this server has no worker id/ } @answers), 50,
    sprintf('a pool of 50 is refused in %.1f s', $first));
my $calls = 0;
my @took;
client_query($_, "SET statement_timeout = '4s'") for @pool;    # less than a wait
for my $round (1 .. 40) {
    for my $session (@pool[ 0, $round ]) {
        my $asked = time();
        my $answer = client_query($session, 'SELECT snowflake_next()');
        push @took, 1000 * (time() - $asked);
        $calls++ if ($answer->{error} // '') =~ /^55000 this server has no worker id/;
    }
    sleep(0.4);    # over several tries of the worker, each of which fails
}
@took = sort { $a <=> $b } @took;
is($calls, 80, sprintf('and so is each of the next 80 calls, without a wait: %.1f ms, %.1f ms at most', @took[ 40, 79 ]));
($first, @answers) = ask_all(@pool);
is(scalar(grep { ($_->{error} // '') =~ /^55000/ } @answers), 50, sprintf('all of them at once: %.0f ms', 1000 * $first));

# The directory is there again: nobody has to reload.
client_query($_, 'RESET statement_timeout') for @pool;
make_directory($server, 1, 8);
$server->append_conf('postgresql.conf', directory_of($server));
$server->reload;
ok(has_number($server), 'when the directory answers');
($first, @answers) = ask_all(@pool);
is(scalar(grep { !$_->{error} } @answers), 50, 'all of them have ids');
undef @pool;
$server->stop('fast');

# The role of the servers, and the roles of a pool that takes what it can get.
my $reserved = $server->pg_version >= 16;
my $one = new_server('one', 'max_connections = 20', 'snowid.directory_lease = 2s', $reserved ? 'reserved_connections = 2' : ());
$one->append_conf('postgresql.conf',
    sprintf("snowid.worker_id = directory\nsnowid.directory = 'host=%s port=%d dbname=postgres user=servers'", $one->host, $one->port));
$one->start;
$one->safe_psql('postgres', 'CREATE EXTENSION snowid');
make_directory($one, 1, 8);
# Before 16, only a superuser has a connection to itself.
$one->safe_psql('postgres', 'CREATE ROLE app LOGIN; CREATE ROLE servers LOGIN' . ($reserved ? '' : ' SUPERUSER'));
$one->safe_psql('postgres', 'REVOKE ALL ON ALL FUNCTIONS IN SCHEMA snowid_directory FROM PUBLIC;
    GRANT USAGE ON SCHEMA snowid_directory, itself TO servers; GRANT ALL ON ALL FUNCTIONS IN SCHEMA snowid_directory, itself TO servers;
    GRANT ALL ON piece, snowid_directory.worker TO servers; GRANT ALL ON SEQUENCE piece_n_seq TO servers');
my $found = "SELECT count(*) FROM snowid_check() WHERE finding ~ 'while max_connections are in use, servers cannot reach the directory'";
my $owner = client($one->host, $one->port, 'postgres');
sub ask { my $answer = client_query($owner, $_[0]); return $answer->{error} // $answer->{rows}[0]; }
sub comes { my ($sql) = @_; for (1 .. 1800) { return 1 if ask($sql) eq 't'; sleep(0.1) } return 0; }
if ($reserved) {
    is(ask($found), 1, 'the check says that no connection is reserved for the role');
    ask('GRANT pg_use_reserved_connections TO servers');
}
is(ask($found), 0, 'it says nothing where one is');
ok(comes("SELECT state = 'held' FROM snowid_worker"), 'the directory is in the cluster itself');

# Ends the connection to the directory while the pool has all that it can get. Returns after how long the directory has
# given time again, or nothing.
sub fill { my @all; while (my $session = client($one->host, $one->port, 'postgres', 'app')) { push @all, $session } return @all; }
sub ended {
    my $at = ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'snowid'") eq 't' ?
        ask('SELECT clock_timestamp()') : die;
    return $at;
}
@pool = fill();
cmp_ok(scalar @pool, '>', 10, 'a pool has all connections: ' . scalar @pool);
my $at = ended();
ok(comes("SELECT renewed > '$at' AND state = 'held' FROM snowid_worker"), 'its connection ends: the server gets in again');
diag(sprintf('a full pool: time again after %s s', ask("SELECT extract(epoch FROM renewed - '$at') FROM snowid_worker")));
is((client_query($pool[0], 'SELECT snowflake_next()'))->{error}, undef, 'and makes ids');

# the same with nothing reserved
ask($reserved ? 'REVOKE pg_use_reserved_connections FROM servers' : 'ALTER ROLE servers NOSUPERUSER');
my $is_out = "SELECT state = 'none' AND last_error ~ 'does not answer' FROM snowid_worker";
for (1 .. 600) {    # until the pool is faster
    ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'snowid'");
    push @pool, fill();
    last if ask($is_out) eq 't';
    sleep(0.1);
}
is(ask($is_out), 't', 'with nothing reserved, its piece ends');
like((client_query($pool[0], 'SELECT snowflake_next()'))->{error}, qr/^55000 this server could use its worker id only until/,
    'and ids are refused');
pop @pool for 1 .. 3;
ok(comes("SELECT state = 'held' FROM snowid_worker"), 'until a connection is free');
is((client_query($pool[0], 'SELECT snowflake_next()'))->{error}, undef, 'and then ids go on');
$one->stop('fast');

# A directory whose only synchronous standby is away: a server without a number does not fill it with calls that hang.
my $waiting = new_server('waiting', "shared_preload_libraries = ''", 'max_connections = 20');
$waiting->start;
make_directory($waiting, 1, 8);
$waiting->append_conf('postgresql.conf', "synchronous_standby_names = 'nobody'");
$waiting->reload;
my $late = fleet_server('late', $waiting);
$late->start;
$late->psql('postgres', 'CREATE EXTENSION snowid');
ok($late->poll_query_until('postgres', "SELECT last_error ~ 'waits for its synchronous standby' FROM snowid_worker"),
    'the directory waits for its standby, and the server says so');
sleep(12);    # more than two tries, if it tried
is($waiting->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"), 1, 'one of its calls hangs');
$waiting->append_conf('postgresql.conf', "synchronous_standby_names = ''");
$waiting->reload;
ok(has_number($late), 'when nobody waits any more, it has a number');
$_->stop('fast') for $late, $waiting;

done_testing();
