# CREATE, UPDATE and DROP of the extension in a prepared transaction, as a cluster of several servers runs them. No start
# waits for such a transaction, and an id is above all ids made before, whether a server crashes and its clock goes back
# while it is prepared, or it is committed or rolled back.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use POSIX ();
use Test::More;
use Time::HiRes qw(time);

seed();
seed();
my $clock = PostgreSQL::Test::Utils::tempdir() . '/clock';
my %clock = faked_clock($clock);
$node = new_server('prepared', 'max_prepared_transactions = 5', 'snowid.reserve = 2s', 'snowid.clock_drift = 5s');
start_again($node, %clock);
sub as_tenant { return $node->safe_psql($_[1] // 'tenant', $_[0], user => 'tenant'); }
sub prepare { as_tenant("BEGIN; $_[0]; PREPARE TRANSACTION 'it''s ours'", $_[1]); }
sub finish { as_tenant("$_[0] PREPARED 'it''s ours'", $_[1]); }

my $last = 0;

# Every id is above all before, in any database.
sub ids_ascend {
    my ($what, @databases) = @_;
    for my $db (@databases) {
        my ($first, $end) = split /\|/, sql('SELECT min(id), max(id) FROM (SELECT snowflake_next() AS id FROM generate_series(1, 500)) s',
            $db);
        cmp_ok($first, '>', $last, "$what: ids of $db go on above all others");
        $last = $end if $end > $last;
    }
}

# The server crashes, and its clock is a little behind afterwards.
sub crash {
    my ($what, @databases) = @_;
    $node->stop('immediate');
    set_clock($clock, -1.5);
    start_again($node, %clock);
    accepts_connections($node);
    my $asked = time();
    ids_ascend("$what, after a crash", @databases);
    cmp_ok(time() - $asked, '<', 60, "$what: nobody waits for the prepared transaction");
    set_clock($clock, 0);
}

sql('CREATE ROLE tenant LOGIN');
sql("CREATE DATABASE $_ OWNER tenant") for 'tenant', 'other';
sql('CREATE EXTENSION snowid');
ids_ascend('at first', 'postgres');

# CREATE
for my $finish ('ROLLBACK', 'COMMIT') {
    prepare('CREATE EXTENSION snowid; CREATE TABLE t (id bigint DEFAULT snowflake_next())');
    ids_ascend("CREATE, then $finish", 'postgres');
    crash("CREATE, then $finish", 'postgres');
    finish($finish);
}
ids_ascend('CREATE', 'tenant', 'postgres', 'tenant');
crash('CREATE', 'postgres', 'tenant');
# what a row of another database covers, a start would see
$node->poll_query_until('postgres', 'SELECT max(horizon) < 1e9 * extract(epoch FROM clock_timestamp()) FROM snowid_horizon') or die;
fails_with($node, "BEGIN; CREATE EXTENSION snowid; SELECT snowflake_next(); PREPARE TRANSACTION 'p'", '0A000',
    qr/cannot prepare a transaction that has created the extension "snowid" and made ids.*HINT:.*Commit CREATE EXTENSION first/s,
        'ids that a start would not see', dbname => 'other');

# DROP, with generators in use: one has the number that the server gets while it is prepared
as_tenant("SELECT snowid_generator_create('shard', worker => 7), snowid_generator_create('given', worker => 8, backfill => true)");
my $shard = as_tenant("SELECT snowflake_next('shard')");
as_tenant("SELECT snowflake_at(now(), 'given')");
my $session = client($node->host, $node->port, 'tenant');
cmp_ok(client_query($session, "SELECT snowflake_next('shard')")->{rows}[0], '>', $shard, 'a session uses a generator');
ids_ascend('before DROP', 'tenant');
prepare('DROP EXTENSION snowid CASCADE');
ids_ascend('DROP', 'postgres');
like(client_query($session, "SET statement_timeout = '300ms'; SELECT snowflake_next('shard')")->{error}, qr/^57014/, 'the session waits');
$node->append_conf('postgresql.conf', 'snowid.worker_id = 7');
$node->reload;
ok($node->wait_for_log(qr/the worker stays 1, because generator "shard" of database "tenant" has 7/),
    'a reload sees the generators of a database where DROP EXTENSION is prepared');
$node->append_conf('postgresql.conf', 'snowid.worker_id = 1');
finish('ROLLBACK');
cmp_ok(client_query($session, "SELECT snowflake_next('shard')")->{rows}[0], '>', $shard, 'it is rolled back, and the session goes on');
$shard = as_tenant("SELECT snowflake_next('shard')");
ids_ascend('DROP, rolled back', 'tenant', 'postgres', 'tenant');

prepare('DROP EXTENSION snowid CASCADE');
$node->append_conf('postgresql.conf', 'snowid.worker_id = 7');
my $log = -s $node->logfile;
crash('DROP', 'postgres');
ok($node->wait_for_log(qr/generator "shard" of database "tenant" makes no ids, because it has the server's own worker, 7/, $log),
    'DROP: a start sees the generators');
$node->append_conf('postgresql.conf', 'snowid.worker_id = 1');
crash('DROP, once more', 'postgres');
finish('ROLLBACK');
cmp_ok(as_tenant("SELECT snowflake_next('shard')"), '>', $shard, 'DROP, rolled back after crashes: a generator goes on');
ids_ascend('DROP, rolled back after crashes', 'tenant', 'postgres');
cmp_ok(as_tenant("SELECT snowflake_next('shard')"), '>', $shard, 'and is in use');
prepare('DROP EXTENSION snowid CASCADE');
finish('COMMIT');
ids_ascend('DROP, committed', 'postgres');
$node->append_conf('postgresql.conf', 'snowid.worker_id = 7');
$node->reload;
ok($node->poll_query_until('postgres', 'SELECT snowflake_worker(snowflake_next()) = 7'),
    'its generators are gone: a reload takes the number');
$node->append_conf('postgresql.conf', 'snowid.worker_id = 1');
$node->reload;
ok($node->poll_query_until('postgres', 'SELECT snowflake_worker(snowflake_next()) = 1'), 'and another');
$last = sql('SELECT snowflake_next()');
as_tenant('CREATE EXTENSION snowid');
ids_ascend('created again', 'tenant');

# UPDATE
prepare('DROP EXTENSION snowid CASCADE');
crash('DROP, to be committed', 'postgres');
finish('COMMIT');
ids_ascend('DROP, committed after a crash', 'postgres');
as_tenant('CREATE EXTENSION snowid');
as_tenant("SELECT snowid_generator_create('shard', worker => 7); SELECT snowflake_next('shard')");

# the tables of one who prepares and finishes all the time, while starts read them: the file of a table that is dropped
# is neither written again nor missed by a checkpoint
my $tenant = fork() // die $!;
if ($tenant == 0) {
    my $test = getppid();
    $SIG{TERM} = sub { POSIX::_exit(0) };  # that of the test would stop its servers
    while (getppid() == $test) {
        my $client = client($node->host, $node->port, 'other') or next;
        my $finish = (qw(COMMIT ROLLBACK))[ rand(2) ];
        for my $sql ("$finish PREPARED 'mine'", 'CREATE EXTENSION IF NOT EXISTS snowid',
            "BEGIN; DROP EXTENSION snowid; PREPARE TRANSACTION 'mine'", 'SELECT pg_sleep(random() * 0.3)') {
            client_query($client, $sql) or last;
        }
    }
    POSIX::_exit(0);
}
for (1 .. 6) {
    $node->stop('immediate');
    start_again($node, %clock);
    accepts_connections($node);
    ids_ascend('a tenant who prepares and finishes', 'postgres');
    sql('CHECKPOINT');
}
kill('TERM', $tenant);
waitpid($tenant, 0);
sql("ROLLBACK PREPARED 'mine'", 'other') if sql("SELECT count(*) FROM pg_prepared_xacts") > 0;
sql('DROP EXTENSION IF EXISTS snowid', 'other');
unlike(slurp_file($node->logfile), qr/PANIC|checkpoint.*fail|could not open file|XX\d\d\d/i, 'the log has no internal error');

# the directory
for my $what ('CREATE EXTENSION snowid_directory', 'DROP EXTENSION snowid_directory') {
    for my $finish ('ROLLBACK', 'COMMIT') {
        sql("BEGIN; $what; PREPARE TRANSACTION 'directory'", 'other');
        sql("$finish PREPARED 'directory'", 'other');
    }
    pass("$what is prepared");
}

# what could keep a start waiting is refused, whatever else the transaction does
for my $what ('LOCK TABLE snowid_generator', 'TRUNCATE snowid_horizon', 'ALTER TABLE snowid_layout ADD COLUMN mine int',
    'ALTER EXTENSION snowid UPDATE; LOCK TABLE pg_extension',
    'DROP EXTENSION snowid; LOCK TABLE pg_class', 'DROP EXTENSION snowid; ALTER DATABASE other RENAME TO another',
    'CREATE FUNCTION mine() RETURNS int RETURN 1; SAVEPOINT a; ALTER EXTENSION snowid ADD FUNCTION mine(); ROLLBACK TO a;
        LOCK TABLE snowid_generator') {
    fails_with($node, "BEGIN; $what; PREPARE TRANSACTION 'p'", '0A000', qr/cannot prepare a transaction that has locked/, $what,
        dbname => 'tenant');
}
fails_with($node, "BEGIN; $_; PREPARE TRANSACTION 'p'", '0A000', qr/cannot prepare a transaction that has changed generators/, $_,
    dbname => 'tenant')
    for "SELECT snowid_layout_change('default')", "SELECT snowid_generator_drop('shard')";
is(sql('SELECT count(*) FROM pg_prepared_xacts'), 0, 'nothing stays prepared');
$node->stop;
done_testing();
