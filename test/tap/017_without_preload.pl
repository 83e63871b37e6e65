# From PostgreSQL 17 on ids are generated without shared_preload_libraries: whoever comes first makes what all share.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

$node = new_server('without_preload', "shared_preload_libraries = ''", 'restart_after_crash = on', 'max_connections = 40',
    'snowid.max_generators = 3');
$node->start;
my $folder = PostgreSQL::Test::Utils::tempdir();

my ($made, undef, $told) = $node->psql('postgres', 'CREATE EXTENSION snowid');
is($made, 0, 'the extension is made');
if (sql('SHOW server_version_num') < 170000) {
    like($told, qr/WARNING:  snowflakes and snos cannot be made.*\n.*HINT:  Set shared_preload_libraries = 'snowid' in postgresql.conf and restart/,
        'and says at once what it lacks');
    done_testing();
    exit;
}
is($told, '', 'without a word');
is(sql('SELECT snowflake_worker(snowflake_next())'), 1, 'with the worker of the configuration');
my @files = map { "$folder/session_$_" } 1 .. 8;
my @runs = map { IPC::Run::start([ 'psql', '-XqAt', '-d', $node->connstr('postgres'), '-c',
    'COPY (SELECT snowflake_next() FROM generate_series(1, 200000)) TO STDOUT' ], '>', $_) } @files;
$_->finish for @runs;
is(check_ids('eight sessions', @files), 1_600_000, 'every session got what it asked for');
is(sql('SELECT sno_partition(sno_next())'), 0, 'snos as well');
is(sql(q(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'snowid')), 1, 'one worker stays');
is(sql('SELECT count(DISTINCT snowflake_spread()) FROM generate_series(1, 20000)'), 20000, 'ids that are spread');
sql('CREATE TABLE spread (id uuid DEFAULT uuidv7_spread())');
is(sql(q(SELECT severity FROM snowid_check() WHERE finding ~ 'column id of spread spreads no ids')), 'note',
    'those of uuidv7_spread() are not spread without preload');

# a changed configuration reaches all sessions that generate, old and new
my $old = $node->background_psql('postgres');
$old->query_safe('SELECT snowflake_next()');
$node->append_conf('postgresql.conf', "snowid.worker_id = 9\nsnowid.sno_partition = 77");
$node->reload;
ok($node->poll_query_until('postgres', 'SELECT snowflake_worker(snowflake_next()) = 9'), 'a new worker id');
is($old->query_safe('SELECT snowflake_worker(snowflake_next())'), 9, 'in an old session');
is($old->query_safe('SELECT sno_partition(sno_next())'), 77, 'and a new partition');
# what the server has begun with stays until it is started again
$node->append_conf('postgresql.conf', "snowid.layout = 'wide'\nsnowid.max_generators = 1000");
$node->reload;
$node->poll_query_until('postgres', q(SELECT current_setting('snowid.layout') = 'wide' FROM snowflake_next())) or die;
is(sql('SELECT snowflake_worker(snowflake_next()), layout FROM snowid_stat WHERE generator = \'default\' AND scheme = \'snowflake\''),
    '9|epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12', 'the layout stays');
$node->append_conf('postgresql.conf', "snowid.layout = 'default'");
$node->reload;

# slots are freed with databases and extensions, by whomever
my @users;
for my $n (1 .. 3) {
    sql("CREATE DATABASE d$n");
    $node->safe_psql("d$n", "CREATE EXTENSION snowid; SELECT snowid_generator_create('g', worker => @{[ 20 + $n ]})");
    push @users, $node->background_psql("d$n");
    # an idle session that catches up on changes of the catalogue gives its slot up
    $users[-1]->query_safe("BEGIN; SELECT snowflake_next('g')");
}
sql(q(SELECT snowid_generator_create('g', worker => 30)));
fails_with($node, q(SELECT snowflake_next('g')), '53400', qr/too many generators are in use/, 'a fourth generator');
$_->quit for @users;
sql("DROP DATABASE d2");
is(sql(q(SELECT snowflake_worker(snowflake_next('g')))), 30, 'there is room when a database is dropped');

# after a crash, and after a restart
my $last = sql('SELECT snowflake_next()');
$old->quit;
my @writers = map { writer_start($node, "$folder/crash_$_") } 1 .. 4;
@files = map { "$folder/crash_$_" } 1 .. 4;
ok(ids_go_on(\@files), 'writers');
for (1 .. 5) {
    kill_backend($node);
    accepts_connections($node);
    ok(ids_go_on(\@files, more => 2), 'go on after a crash');
}
writer_stop(@writers);
check_ids('crashes', @files);
is_deeply({ refusals(@files) }, {}, 'and nobody was refused an id');
cmp_ok(sql('SELECT snowflake_next()'), '>', $last, 'above');
ok($node->poll_query_until('postgres', q(SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'snowid')), 'one worker is left');

# settings that cannot be are no reason to go by the defaults
for my $bad ("snowid.worker_id = '4711'", 'snowid.sno_partition = 70000', "snowid.layout = 'no such'") {
    my ($name) = $bad =~ /^(\S+)/;
    $node->append_conf('postgresql.conf', $bad);
    $node->restart;
    fails_with($node, 'SELECT snowflake_next()', '22023', qr/invalid value for parameter "\Q$name\E".*DETAIL:.*HINT:/s, $bad);
    is(sql('SELECT count(uuidv7_next()) FROM generate_series(1, 10)'), 10, 'which hinders no other function');
    $node->append_conf('postgresql.conf', $name eq 'snowid.layout' ? "$name = 'default'" : "$name = 5");
    $node->reload;
    ok($node->poll_query_until('postgres', 'SELECT snowflake_next() > 0'), 'until it is mended');
}
$node->stop;
done_testing();
