# Several databases make the ids of one server, and the table that holds the horizon is dropped, emptied and rewritten, in
# transactions that end either way.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep time);

seed();
my $folder = PostgreSQL::Test::Utils::tempdir();
my $clock = "$folder/clock";
my %clock = faked_clock($clock);
my $node = new_server('databases', 'restart_after_crash = on', 'autovacuum = off');
start_again($node, %clock);

# The ids that statements of this file have returned, of every incarnation; a statement that fails here fails the test.
my $ids = "$folder/ids";
sub ids_of {
    my ($sql, %options) = @_;
    my ($status, $out, $err) = $node->psql($options{dbname} // 'postgres', $sql);
    is($err, '', "no error: $options{what}") if $options{what};
    diag($err) if $err && !$options{what};
    append_to_file($ids, join('', map { "$_\n" } grep { /^\d{15,}$/ } split /\n/, $out));
    return $out;
}

sub crash_with_clock {
    my ($offset) = @_;
    $node->stop('immediate');
    set_clock($clock, $offset);
    start_again($node, %clock);
}

sub distinct {
    my ($what) = @_;
    chomp(my $all = `wc -l < $ids`);
    chomp(my $distinct = `LC_ALL=C sort -n -u $ids | wc -l`);
    is($distinct, $all, "$what: none of $all ids is there twice");
}

# two and five databases: crash, the clock back, and another database first
my @db = ('postgres', map { "db$_" } 1 .. 4);
$node->safe_psql('postgres', 'CREATE EXTENSION snowid');
for my $n (2, 5) {
    for my $db (@db[1 .. $n - 1]) {
        next if $node->safe_psql('postgres', "SELECT count(*) FROM pg_database WHERE datname = '$db'");
        $node->safe_psql('postgres', "CREATE DATABASE $db");
        $node->safe_psql($db, 'CREATE EXTENSION snowid');
    }
    my $back = 0;
    for my $round (1 .. 2 * $n) {
        my $first = $db[$round % $n];
        ids_of('SELECT snowflake_next() FROM generate_series(1, 3000)', dbname => $first);
        ids_of('SELECT snowflake_next()', dbname => $db[int(rand($n))]) if rand() < 0.5;
        $back += 3 if $round == $n;    # the whole of it is too much for the policy: ids are refused, and then go on
        crash_with_clock(-$back);
        my $other = $db[($round + 1) % $n];
        my ($status) = $node->psql($other, 'SELECT snowflake_next()', timeout => 30);
        set_clock($clock, 0) if $status;
        $back = 0;
        ids_of('SELECT snowflake_next() FROM generate_series(1, 3000)', dbname => $other);
    }
    distinct("$n databases");
}

# a database made from another, one dropped, one that takes no connections
$node->safe_psql('postgres', 'CREATE DATABASE copy TEMPLATE db1');
$node->safe_psql('postgres', 'ALTER DATABASE db2 ALLOW_CONNECTIONS false; DROP DATABASE db3');
ids_of('SELECT snowflake_next() FROM generate_series(1, 3000)', dbname => 'copy', what => 'a copied database');
crash_with_clock(-1);
ids_of('SELECT snowflake_next() FROM generate_series(1, 3000)', dbname => 'db1', what => 'the original after a crash');
distinct('a copy');
set_clock($clock, 0);
sleep(1.1);

# the table in transactions that are rolled back
my $next = 'SELECT snowflake_next() FROM generate_series(1, 500);';
fails_with($node, "BEGIN; TRUNCATE _snowid.horizon; SELECT snowflake_next(); ROLLBACK", '55000', qr/HINT:.*snowid_horizon_advance/,
    'truncated in the transaction');
ids_of($next, what => 'TRUNCATE was rolled back');
my %cases = (
    'a savepoint with TRUNCATE' => "BEGIN; $next SAVEPOINT s; TRUNCATE _snowid.horizon; ROLLBACK TO s; $next COMMIT",
    'a savepoint with TRUNCATE and advance' => "BEGIN; $next SAVEPOINT s; TRUNCATE _snowid.horizon; SELECT snowid_horizon_advance(now());
        ROLLBACK TO s; $next COMMIT",
    'TRUNCATE and advance' => "BEGIN; TRUNCATE _snowid.horizon; SELECT snowid_horizon_advance(now()); COMMIT; $next",
    'an added row, rolled back' => "SELECT pg_sleep(1.2); BEGIN; INSERT INTO _snowid.horizon SELECT 0, max(horizon) + 100000000, 0, 0, 0, 0
        FROM _snowid.horizon; $next ROLLBACK",
    'an added row, rolled back to a savepoint' => "SELECT pg_sleep(1.2); BEGIN; SAVEPOINT s;
        INSERT INTO _snowid.horizon SELECT 0, max(horizon) + 100000000, 0, 0, 0, 0 FROM _snowid.horizon; $next ROLLBACK TO s",
    'an added row that stays' => "INSERT INTO _snowid.horizon SELECT 0, max(horizon) + 100000000, 0, 0, 0, 0 FROM _snowid.horizon;
        $next",
    'an added row that no trigger saw' => "ALTER TABLE _snowid.horizon DISABLE TRIGGER USER;
        INSERT INTO _snowid.horizon SELECT 0, max(horizon) + 100000000, 0, 0, 0, 0 FROM _snowid.horizon;
        ALTER TABLE _snowid.horizon ENABLE ALWAYS TRIGGER snowid_horizon_added;
        ALTER TABLE _snowid.horizon ENABLE ALWAYS TRIGGER snowid_record_changed;
        SELECT CASE WHEN (extract(epoch FROM snowflake_time(snowflake_next())) * 1e9 >= max(horizon) - 1) THEN 'above' ELSE 'below' END
        FROM _snowid.horizon WHERE server = 0; $next",
    'DROP and CREATE EXTENSION' => "BEGIN; DROP EXTENSION snowid; CREATE EXTENSION snowid; $next COMMIT; $next",
    'DROP and CREATE EXTENSION, rolled back' => "BEGIN; DROP EXTENSION snowid; CREATE EXTENSION snowid; $next ROLLBACK; $next",
    'DROP and CREATE EXTENSION, each by itself' => "DROP EXTENSION snowid; CREATE EXTENSION snowid; $next",
    'a savepoint with DROP EXTENSION' => "BEGIN; $next SAVEPOINT s; DROP EXTENSION snowid; ROLLBACK TO s; $next COMMIT",
    'VACUUM FULL' => "$next VACUUM FULL _snowid.horizon; $next",
    'a row that is deleted, rolled back' => "BEGIN; DELETE FROM _snowid.horizon; ROLLBACK; $next",
);
for my $what (sort keys %cases) {
    my $out = ids_of($cases{$what}, what => $what);
    ok($out !~ /below/, 'ids go on above a row that no trigger saw') if $what =~ /no trigger/;
    crash_with_clock(-1);
    ids_of($next, what => "$what, after a crash with the clock 1 s back");
    distinct($what);
    set_clock($clock, 0);
    sleep(0.3);
}
for my $rewrite ('ALTER TABLE _snowid.horizon ALTER timeline TYPE numeric; ALTER TABLE _snowid.horizon ALTER timeline TYPE bigint',
    'TRUNCATE _snowid.horizon; SELECT snowid_horizon_advance(now())') {
    my ($status, $out, $err) = $node->psql('postgres', "SELECT pg_sleep(1.2); BEGIN; $rewrite; $next ROLLBACK", on_error_stop => 0);
    like($err, qr/rewritten/, 'a transaction that has rewritten the table gets no ids that only its horizon would guard');
    append_to_file($ids, join('', map { "$_\n" } grep { /^\d{15,}$/ } split /\n/, $out));
    crash_with_clock(-1);
    ids_of($next, what => 'after a crash');
    distinct('rewritten and rolled back');
    set_clock($clock, 0);
}

# other sessions notice what happens to the table
my $session = $node->background_psql('postgres');
my $session_next = sub { append_to_file($ids, $session->query_safe('SELECT snowflake_next()') . "\n") };
$session_next->();
for my $what ('DROP EXTENSION snowid; CREATE EXTENSION snowid', 'VACUUM FULL _snowid.horizon',
    'TRUNCATE _snowid.horizon; SELECT snowid_horizon_advance(now())') {
    $node->safe_psql('postgres', $what);
    $session_next->();
    sleep(0.6);
    $session_next->();
}
$session->quit;
distinct('a session that was there before');

# a row that is lost, and a table that does not last
for my $loss ('TRUNCATE _snowid.horizon', 'DELETE FROM _snowid.horizon') {
    $node->safe_psql('postgres', $loss);
    fails_with($node, 'SELECT snowflake_next()', '55000', qr/has lost the record.*HINT:.*snowid_horizon_advance/s, $loss);
    $node->safe_psql('postgres', 'SELECT snowid_horizon_advance(now())');
    ids_of($next, what => "$loss: repaired");
}
$node->safe_psql('postgres', 'ALTER TABLE _snowid.horizon SET UNLOGGED');
fails_with($node, 'SELECT snowflake_next()', '55000', qr/does not survive a crash.*HINT:.*SET LOGGED/s, 'unlogged');
$node->safe_psql('postgres', 'ALTER TABLE _snowid.horizon SET LOGGED');
ids_of($next, what => 'logged again');
distinct('lost and repaired');

# who may do what
$node->safe_psql('postgres', 'CREATE ROLE plain LOGIN; CREATE ROLE watcher LOGIN IN ROLE pg_monitor');
my $as = sub { (user => $_[0]) };
like($node->safe_psql('postgres', 'SELECT snowflake_next() > 0 AND horizon > 0 FROM _snowid.horizon LIMIT 1', $as->('plain')), qr/^t/,
    'anybody generates, and reads the horizon');
for my $call ('snowid_horizon_advance(now())', 'snowid_horizon_rewind(now())', 'snowid_clock_accept()', 'snowid_stat_reset()',
    'snowid_layout_change(\'wide\')', '_snowid.layout_replace(\'wide\')', 'snowid_stat()') {
    fails_with($node, "SELECT $call", '42501', qr/permission denied/, "$call as a plain role", $as->('plain'));
}
for my $change ('INSERT INTO _snowid.horizon SELECT * FROM _snowid.horizon', 'DELETE FROM _snowid.horizon', 'TRUNCATE _snowid.horizon',
    'UPDATE _snowid.horizon SET horizon = 0', 'UPDATE _snowid.layout SET recorded = now()') {
    fails_with($node, $change, '42501', qr/permission denied/, "$change as a plain role", $as->('plain'));
}
is($node->safe_psql('postgres', 'SELECT count(*) FROM snowid_stat', $as->('watcher')), 2, 'a monitor reads the statistics');

# another layout
my ($to_rebuild) = $node->safe_psql('postgres', "CREATE TABLE t (id bigint, at timestamptz GENERATED ALWAYS AS (snowflake_time(id)) STORED);
    SELECT * FROM snowid_layout_change('epoch=2024-01-01,tick=1ms,time=41,worker=8,sequence=14')");
like($to_rebuild, qr/column at of table t/, 'what must be rebuilt is told');
fails_with($node, 'SELECT snowflake_next()', '55000', qr/HINT:.*snowid\.layout/, 'the server has another layout');
chomp(my $highest = `LC_ALL=C sort -n $ids | tail -1`);
$node->append_conf('postgresql.conf', "snowid.layout = 'epoch=2024-01-01,tick=1ms,time=41,worker=8,sequence=14'");
$node->stop;
set_clock($clock, -1);
start_again($node, %clock);
cmp_ok(ids_of('SELECT snowflake_next()', what => 'the new layout'), '>', $highest,
    'ids of the new layout are greater, though the clock went back');
distinct('layouts');
fails_with($node, 'SELECT snowflake_next()', '55000', qr/layout/, 'a database of the old layout', dbname => 'db1');
$node->stop;

# wal_level = minimal
# Nor does it have room for many locks: DROP EXTENSION locks each object, and this server is for ten sessions.
my $minimal = new_server('minimal', 'wal_level = minimal', 'max_wal_senders = 0', 'archive_mode = off', 'max_replication_slots = 0',
    'max_locks_per_transaction = 128');
$node = $minimal;
start_again($node, %clock);
set_clock($clock, 0);
ids_of("BEGIN; CREATE EXTENSION snowid; $next COMMIT; $next", what => 'wal_level = minimal: ids in the transaction of CREATE EXTENSION');
crash_with_clock(-1);
ids_of($next, what => 'after a crash');
set_clock($clock, 0);
ids_of("BEGIN; TRUNCATE _snowid.horizon; SELECT snowid_horizon_advance(now()); COMMIT; $next", what => 'TRUNCATE and advance');
crash_with_clock(-1);
ids_of($next, what => 'after a crash');
set_clock($clock, 0);
ids_of("$next VACUUM FULL _snowid.horizon; $next", what => 'VACUUM FULL');
crash_with_clock(-1);
ids_of($next, what => 'after a crash');
set_clock($clock, 0);
ids_of("BEGIN; DROP EXTENSION snowid; CREATE EXTENSION snowid; $next COMMIT", what => 'DROP and CREATE EXTENSION');
crash_with_clock(-1);
ids_of($next, what => 'after a crash');
distinct('wal_level = minimal');
$node->stop;
set_clock($clock, 0);

# a database that cannot be read
start_again($node, %clock);
$node->safe_psql('postgres', 'CREATE DATABASE broken');
my $files = $node->data_dir . '/base/' . $node->safe_psql('postgres', "SELECT oid FROM pg_database WHERE datname = 'broken'");
$node->stop;
rename($files, "$files.away") or die $!;
start_again($node, %clock);
ids_of($next, what => 'beside a broken database');
$node->safe_psql('postgres', 'DROP DATABASE broken');
ids_of($next, what => 'without it');
$node->stop;
unlike(slurp_file($node->logfile), qr/terminating background worker/, 'the worker goes with the server without a word of FATAL');

# no worker can be started
for my $workers (0, 1) {
    $node->append_conf('postgresql.conf', "max_worker_processes = $workers");
    start_again($node, %clock);
    my $asked = time();
    fails_with($node, 'SELECT snowflake_next()', '55000', qr/HINT:.*max_worker_processes/s, "max_worker_processes = $workers");
    like($node->safe_psql('postgres', "SELECT what_to_do FROM snowid_check() WHERE subject = 'start'"), qr/^Raise max_worker_processes/,
        'snowid_check() says so');
    cmp_ok(time() - $asked, '<', 60, 'and nobody waits without end');
    $node->stop;
}
$node->append_conf('postgresql.conf', 'max_worker_processes = 2');
start_again($node, %clock);
ids_of($next, what => 'enough of them again');
distinct('workers');
$node->stop;
done_testing();
