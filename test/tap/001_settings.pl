# Settings: what is refused, when, and what it says; and which worker's ids are made.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use POSIX qw(strftime);
use Snowid;
use Test::More;

my $node = new_server('settings');

sub start_fails {
    my ($line, $like, $what) = @_;
    my $conf = $node->data_dir . '/postgresql.conf';
    my $before = slurp_file($conf);
    $node->append_conf('postgresql.conf', $line);
    my $log = -s $node->logfile // 0;
    ok(!$node->start(fail_ok => 1), "$what: the server does not start");
    like(slurp_file($node->logfile, $log), $like, "$what: the log says why");
    open(my $handle, '>', $conf) or die;
    print $handle $before;
    close $handle;
}

start_fails("snowid.worker_id = 1024",
    qr/FATAL:  invalid value for parameter "snowid.worker_id": "1024".*DETAIL:  "worker" must be from 0 to 1023/s, 'worker out of range');
start_fails("snowid.worker_id = 'one'", qr/"one" is not a whole number/, 'worker that is no number');
start_fails("snowid.worker_id = 'region=1'", qr/no field "region"/, 'worker of another layout');
start_fails("snowid.layout = 'twiter'",
    qr/FATAL:  invalid value for parameter "snowid.layout": "twiter".*There is no layout named "twiter"/s, 'unknown layout');
start_fails("snowid.layout = 'epoch=2024-01-01,tick=0ms,time=41,sequence=12'", qr/"0ms" is not a tick/, 'tick of nothing');

# reload: a good value is everybody's at once, a bad one changes nothing
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION snowid');
my $session = $node->background_psql('postgres');
is($session->query_safe('SELECT snowflake_worker(snowflake_next())'), '1', 'the configured worker');
$node->append_conf('postgresql.conf', 'snowid.worker_id = 77');
$node->reload;
$node->poll_query_until('postgres', 'SELECT snowflake_worker(snowflake_next()) = 77') or die;
is($session->query_safe('SELECT snowflake_worker(snowflake_next())'), '77', 'a session that was there before makes ids of the new worker');
my $log = -s $node->logfile;
$node->append_conf('postgresql.conf', 'snowid.worker_id = 4096');
$node->reload;
$node->wait_for_log(qr/invalid value for parameter "snowid.worker_id": "4096"/, $log);
like(slurp_file($node->logfile, $log), qr/"worker" must be from 0 to 1023/, 'a bad value on reload: the log says why');
is($session->query_safe('SELECT snowflake_worker(snowflake_next())'), '77', 'a bad value on reload: the old one stays');
$session->quit;
is($node->safe_psql('postgres', 'SELECT snowflake_worker(snowflake_next())'), '77', 'for new sessions too');
fails_with($node, "ALTER SYSTEM SET snowid.worker_id = 5000", '22023', qr/"worker" must be from 0 to 1023.*HINT:  .*directory/s,
    'ALTER SYSTEM');
fails_with($node, "ALTER SYSTEM SET snowid.layout = 'twiter'", '22023', qr/HINT:  A layout reads ".*snowid_layouts lists/,
    'ALTER SYSTEM of a layout');

# a reserve of more than the drift is as much as the drift, on reload and at start
my $warning = qr/WARNING:  snowid.reserve is more than snowid.clock_drift, so the latter, 300 ms, is used instead/;
$node->append_conf('postgresql.conf', "snowid.worker_id = 77\nsnowid.clock_drift = '300ms'");
$log = -s $node->logfile;
$node->reload;
$node->wait_for_log($warning, $log);
$log = -s $node->logfile;
$node->restart;
$node->wait_for_log($warning, $log);
my $makes_ids = 'SELECT count(DISTINCT id) = 10000 FROM (SELECT snowflake_next() AS id FROM generate_series(1, 10000)) AS ids';
ok($node->poll_query_until('postgres', $makes_ids),
    'a server starts so and makes ids, when the clock has come up to those of the longer drift');
is($node->safe_psql('postgres', "SELECT count(*) FROM snowid_check() WHERE subject = 'reserve'"), '1', 'snowid_check() knows');
$node->append_conf('postgresql.conf', 'snowid.clock_drift = 0');
$node->restart;
ok($node->poll_query_until('postgres', $makes_ids), 'without any drift too');
$node->append_conf('postgresql.conf', "snowid.clock_drift = '2s'");

# a worker by the names of the layout's fields, and a database of another layout
$node->stop;
$node->append_conf('postgresql.conf',
    "snowid.layout = 'epoch=2024-01-01,tick=1ms,time=41,region=3,dc=3,node=4,sequence=12'\nsnowid.worker_id = 'dc=2,region=1,node=4'");
$node->start;
fails_with($node, 'SELECT snowflake_next()', '55000',
    qr/DETAIL:  The database has the layout epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12, but the server has epoch=2024-01-01,tick=1ms,time=41,region=3.*HINT:/s,
        'a database of another layout');
is($node->safe_psql('postgres', 'SELECT snowflake_worker(77::bigint << 12)'), '77', 'decoding goes on by the recorded layout');
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', 'CREATE EXTENSION snowid');
is($node->safe_psql('other', "SELECT fields - 'time' - 'sequence', worker FROM snowflake_decode(snowflake_next())"),
    '{"dc": 2, "node": 4, "region": 1}|164', 'a worker by names');

# a layout that ends: each start says so two years before, and snowid_check() five; 37 bits of milliseconds last 1590 days
for ([ 700, 1, 'warning' ], [ 760, 0, 'note' ]) {
    my ($days, $told, $severity) = @$_;
    my $epoch = strftime('%Y-%m-%d', gmtime(time + ($days - 1590) * 86400));
    $node->stop;
    $node->append_conf('postgresql.conf', "snowid.layout = 'epoch=$epoch,tick=1ms,time=37,worker=10,sequence=12'\nsnowid.worker_id = 7");
    my $from = -s $node->logfile;
    $node->start;
    $node->safe_psql('other', 'SELECT snowid_stat_reset()');    # waits for the start
    my $said = () = slurp_file($node->logfile,
        $from) =~ /WARNING:  snowid: the time of this server's layout runs out at .*\n.*DETAIL:  Its layout is epoch=$epoch,/g;
    is($said, $told, "$days days before the layout's end: the log");
    is($node->safe_psql('other', "SELECT severity FROM snowid_check() WHERE finding LIKE 'the time of generator default runs out at %'"),
        $severity, "$days days before: snowid_check()");
}

# and one that has ended
$node->stop;
$node->append_conf('postgresql.conf', "snowid.layout = 'baidu'");
$node->start;
$node->safe_psql('postgres', 'CREATE DATABASE ended');
$node->safe_psql('ended', 'CREATE EXTENSION snowid');
fails_with($node, $_, '22008', qr/the time of the snowflake layout has run out/, 'after the end',
    dbname => 'ended') for 'SELECT snowflake_next()', 'SELECT snowflake_next_batch(2)';

# without preload
$node->stop;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'auto_explain'");
$node->start;
if ($node->pg_version < 17) {    # later ones go without: 017_without_preload.pl
    fails_with($node, 'SELECT snowflake_next()', '55000', qr/HINT:  Set shared_preload_libraries = 'auto_explain,snowid'/, 'not preloaded',
        dbname => 'other');
    fails_with($node, 'SELECT snowflake_next_batch(1)', '55000', qr/HINT:  Set shared_preload_libraries/, 'not preloaded, batch',
        dbname => 'other');
}
is($node->safe_psql('other', 'SELECT extract(epoch FROM snowflake_time(0))'), '1704067200.000000', 'the type works without preload');

done_testing();
