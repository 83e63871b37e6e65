# Pollers that read below the safe horizon miss no row, whatever writers do and whatever happens to the server. A poller
# that reads what is above its last id runs beside them, and must miss some, or the test proves nothing. The longer run of this is
# test/long/safe_horizon.pl.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Pollers;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep time);

my $seed = seed();
my $folder = PostgreSQL::Test::Utils::tempdir();
my %clock = faked_clock("$folder/clock");
my ($safe, $of_orders, $into) = ($Pollers::safe, $Pollers::of_orders, $Pollers::into);
use_rig($folder, $seed);

my $node = new_server('primary', 'fsync = on', 'max_prepared_transactions = 40', 'max_worker_processes = 24', 'max_parallel_workers = 16',
    'max_connections = 60', 'wal_level = logical', 'restart_after_crash = on', 'max_wal_size = 1GB', 'snowid.clock_drift = 5s');
start_again($node, %clock);
make_rig($node);
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', 'CREATE EXTENSION snowid');

begin_polling();
begin_writing();
my $until = time() + usual_or_long(3, 5);
my $worker = 0;
while (time() < $until) {    # the worker changes four times a second, and the clock steps
    $node->append_conf('postgresql.conf', 'snowid.worker_id = ' . (1 + $worker++ % 7));
    $node->reload;
    sleep(0.25);
    set_clock("$folder/clock", $worker % 8 < 4 ? 0 : rand() - 0.5) if $worker % 4 == 0;
}
stop_all('writers');
set_clock("$folder/clock", 0);
none_lost($node, 'workers and clock');

# Sessions are ended by force, and the server crashes.
begin_writing();
for (1 .. 2) {
    sleep(0.7);
    $node->safe_psql('postgres', q(SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM snowid_holders WHERE pid IS NOT NULL
        ORDER BY random() LIMIT 3) s));
    $node->safe_psql('postgres', q(SELECT count(pg_terminate_backend(leader_pid)) FROM pg_stat_activity WHERE leader_pid IS NOT NULL));
    sleep(0.7);
    kill_backend($node);
    accepts_connections($node);
}
sleep(0.5);
kill_postmaster($node);
start_again($node, %clock);
sleep(1);
stop_all('writers');
none_lost($node, 'sessions killed, crashes');

# What was prepared before a start: nothing is promised until it is committed, and then everything again.
my $id = $node->safe_psql('postgres', "BEGIN; INSERT INTO o VALUES (DEFAULT, 'kept') RETURNING id; PREPARE TRANSACTION 'kept'");
is($node->safe_psql('postgres', "SELECT generator, gid, first_id <= $id, pid IS NULL FROM snowid_holders"), 'default|kept|t|t',
    'a prepared transaction holds the horizon');
kill_postmaster($node);
start_again($node, %clock);
is($node->safe_psql('postgres', "SELECT $safe, $of_orders"), '0|0', 'after a restart nobody knows what it has');
is($node->safe_psql('postgres', 'SELECT generator IS NULL, gid, first_id FROM snowid_holders'), 't|kept|0', 'snowid_holders says so');
is($node->safe_psql('postgres', "SELECT safe_horizon_lag > interval '0' FROM snowid_stat WHERE scheme = 'snowflake'
    AND generator = 'default'"), 't', 'and snowid_stat');
$node->safe_psql('postgres', "BEGIN; SELECT 1; INSERT INTO d SELECT 1 WHERE false; CREATE TABLE e (); PREPARE TRANSACTION 'without ids'");
$node->safe_psql('postgres', "COMMIT PREPARED 'kept'; SELECT pg_sleep(0.01)");
is($node->safe_psql('postgres', "SELECT $safe > $id, (SELECT count(*) FROM snowid_holders)"), 't|0',
    'it is committed: the horizon goes on; one without ids holds nothing');
$node->safe_psql('postgres', "ROLLBACK PREPARED 'without ids'");
none_lost($node, 'prepared over a crash');

# Another database holds nothing here; a generator holds nothing of another, beside the ninth of a transaction.
sub session { my $c = client($node->host, $node->port, $_[0]); ask($c, $_) for @_[ 1 .. $#_ ]; return $c }
sub passes {    # whether the horizon passes what is taken now
    my ($horizon, $take) = @_;
    my $new = $node->safe_psql('postgres', "SELECT $take");
    return $node->poll_query_until('postgres', "SELECT pg_sleep(0.003) IS NOT NULL AND $horizon > $new", 't') if @_ < 3;
    sleep(0.05);
    return $node->safe_psql('postgres', "SELECT $horizon > $new") eq 't';
}
my $elsewhere = session('other', 'BEGIN', 'SELECT snowflake_next()');
ok(passes($safe, 'snowflake_next()'), 'a transaction of another database holds nothing here');
my $orders = session('postgres', 'BEGIN', "SELECT snowflake_next('orders')");
ok(passes($safe, 'snowflake_next()'), 'one that uses another generator holds nothing of the server\'s');
ok(!passes($of_orders, "snowflake_next('orders')", 1), 'but its own');
ask($orders, 'COMMIT');
ok(passes($of_orders, "snowflake_next('orders')"), 'until it ends');
$node->safe_psql('postgres', "SELECT snowid_generator_create('g' || i, worker => 910 + i) FROM generate_series(1, 9) AS i");
my $many = session('postgres', 'BEGIN', map { "SELECT snowflake_next('g$_')" } 1 .. 9);
ok(!passes("snowid_safe_horizon('g9')", "snowflake_next('g9')", 1), 'the ninth generator of a transaction is held');
ok(!passes($safe, 'snowflake_next()', 1), 'and with it all others');
is($node->safe_psql('postgres', 'SELECT count(*), count(generator) FROM snowid_holders'), '9|8', 'snowid_holders shows it without a name');
ask($many, 'ROLLBACK');
ok(passes($safe, 'snowflake_next()'), 'until the end');

# A generator that is dropped, renamed or made anew while ids of it wait for their commit. A default would keep it as it is.
$node->safe_psql('postgres', 'ALTER TABLE n ALTER id DROP DEFAULT');
my $waiting = session('postgres', 'BEGIN');
my ($old) = ask($waiting, "SELECT snowflake_next('orders')");
ask($waiting, "INSERT INTO n VALUES ($old)");
$node->safe_psql('postgres', "SELECT snowid_generator_alter('orders', new_name => 'renamed')");
cmp_ok($node->safe_psql('postgres', "SELECT snowid_safe_horizon('renamed')"), '<=', $old, 'a generator with another name is held');
$node->safe_psql('postgres', "SELECT snowid_generator_alter('renamed', new_name => 'orders'); SELECT snowid_generator_drop('orders');
    SELECT snowid_generator_create('orders', worker => 900)");
cmp_ok($node->safe_psql('postgres', "SELECT $of_orders"), '<=', $old, 'and one that was dropped and made anew');
ok(passes("snowid_safe_horizon('g1')", "snowflake_next('g1')", 1) == 0, 'what is dropped holds every named generator');
ok(passes($safe, 'snowflake_next()'), 'and not the server\'s own');
ask($waiting, 'COMMIT');
$node->safe_psql('postgres', "ALTER TABLE n ALTER id SET DEFAULT snowflake_next('orders')");
ok(passes($of_orders, "snowflake_next('orders')"), 'until it is committed');

# Workers alone have ids, and the leader's row is cleared.
is($node->safe_psql('postgres', 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
    SET parallel_leader_participation = off; SELECT count(*) FROM (SELECT snowflake_next() FROM p) s'), 300, 'ids of workers alone');
is($node->safe_psql('postgres', 'SELECT count(*) FROM snowid_holders'), 0, 'nobody holds them');
ask($elsewhere, 'COMMIT');

# A cursor has one answer, whatever is asked between its fetches, or an error.
my $cursor = session('postgres', 'BEGIN', "DECLARE c CURSOR FOR SELECT $safe FROM generate_series(1, 40)");
my ($first) = ask($cursor, 'FETCH c');
my %said = ($first => 1);
for (1 .. 9) {
    $node->safe_psql('postgres', 'INSERT INTO o DEFAULT VALUES') if $_ % 3 == 0;
    ask($cursor, "SELECT $safe");
    my ($again) = ask($cursor, 'FETCH c');
    $said{$again} = 1;
}
is(join(' ', keys %said), $first, 'one snapshot has one answer');
for (1 .. 20) {
    $node->safe_psql('postgres', 'INSERT INTO o DEFAULT VALUES');
    ask($cursor, "SELECT $safe");
}
like(client_query($cursor, 'FETCH c')->{error}, qr/^55000 the safe horizon of an older snapshot is no longer known/,
    'or an error, when it is forgotten');
ask($cursor, 'ROLLBACK');
my $long = session('postgres', 'BEGIN');
my $answers = 0;
for (1 .. 40) {
    $node->safe_psql('postgres', 'INSERT INTO o DEFAULT VALUES');
    $answers += () = ask($long, "SELECT $safe");
}
is($answers, 40, 'a long transaction that asks with its newest snapshot only is never told that');
ask($long, 'COMMIT');
$node->safe_psql('postgres', 'CREATE FUNCTION in_a_worker() RETURNS bigint STABLE PARALLEL SAFE LANGUAGE sql
    AS $$SELECT snowid_safe_horizon()::bigint$$');
fails_with($node, 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
    SET parallel_leader_participation = off; SELECT count(*) FROM p WHERE i < in_a_worker()', '25000', qr/a parallel worker cannot ask/,
    'a function that says it is PARALLEL SAFE');

# After a rewind what a transaction takes is below what it has said before.
set_clock("$folder/clock", 20);
my $rewound = session('postgres', 'BEGIN');
my ($far) = ask($rewound, 'SELECT snowflake_next()');
set_clock("$folder/clock", 0);
$node->psql('postgres', 'SELECT snowid_horizon_rewind(now())');
my ($near) = ask($rewound, 'SELECT snowflake_next()');
cmp_ok($near, '<', $far, 'a rewind: an id is below one that the transaction has');
cmp_ok($node->safe_psql('postgres', "SELECT pg_sleep(0.01); SELECT $safe") =~ s/\s//r, '<=', $near, 'and holds the horizon');
ask($rewound, 'COMMIT');

fails_with($node, "SELECT snowid_safe_horizon('none')", '42704', qr/there is no generator "none"/, 'an unknown generator');
$node->safe_psql('postgres', "SELECT snowid_generator_create('snos', 'sno', partition => 77), snowid_generator_create('past', worker => 950,
    backfill => true)");
fails_with($node, "SELECT snowid_safe_horizon('snos')", '42809', qr/sno/, 'a generator of snos');
fails_with($node, "SELECT snowid_safe_horizon('past')", '55000', qr/a backfill generator has no safe horizon/, 'a backfill generator');
$node->safe_psql('postgres', "CREATE ROLE poller LOGIN; GRANT SELECT ON o TO poller; SELECT snowid_generator_revoke('orders', 'public')");
is($node->safe_psql('postgres', "SET ROLE poller; SELECT $of_orders > 0"), 't', 'who may not use a generator may ask for its horizon');
fails_with($node, "SET ROLE poller; SELECT $of_orders; SELECT snowflake_next('orders')", '42501', qr/orders/, 'and gets no id by that');
fails_with($node, 'SET ROLE poller; SELECT * FROM snowid_holders', '42501', qr/snowid_holders/, 'nor sees who holds it');

# A standby that is waited for: rows are not visible yet, and the horizon stays below them. Then it is promoted.
stop_all('pollers');
$node->backup('base');
my $standby = Server->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
start_again($standby, %clock);
$node->wait_for_catchup($standby, 'replay');
begin_polling();
catch_up($node);
begin_writing();
fails_with($standby, "SELECT $safe", '25006', qr/standby/, 'a standby');
$node->append_conf('postgresql.conf', "synchronous_standby_names = 'standby'");
$node->reload;
sleep(1.5);
$standby->stop;
sleep(1);
my $before = $node->safe_psql('postgres', "SELECT pg_sleep(0.05); SELECT $safe");
sleep(1);
my ($after, $seen) = split /\|/, $node->safe_psql('postgres', "SELECT pg_sleep(0.05); SELECT $safe, (SELECT max(id) FROM o)") =~ s/^\n//r;
cmp_ok($node->safe_psql('postgres', q(SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep')), '>', 0,
    'commits wait for the standby');
is($after =~ s/^\s+//r, $before =~ s/^\s+//r, 'the horizon waits with them');
start_again($standby, %clock);
sleep(1);
stop_all('writers');
none_lost($node, 'a synchronous standby');

begin_writing();
sleep(1.5);
kill_postmaster($node);
stop_all('writers');
stop_all('pollers');
$standby->promote;
accepts_connections($standby);
work_at($standby);
is($standby->safe_psql('postgres', "SELECT $safe"), '0',
    'after a promotion prepared transactions are held') if $standby->safe_psql('postgres', 'SELECT count(*) FROM pg_prepared_xacts') > 0;
begin_polling();
catch_up($standby);
begin_writing();
sleep(usual_or_long(1.5, 3));
stop_all('writers');
none_lost($standby, 'a promotion');
stop_all('pollers');

# What arrives by logical replication and gets its id here.
my $source = new_server('source', 'wal_level = logical', 'snowid.worker_id = 9');
$source->start;
$source->safe_psql('postgres', 'CREATE TABLE o (note text); CREATE PUBLICATION s FOR TABLE o');
$standby->safe_psql('postgres', 'TRUNCATE o; ALTER TABLE o REPLICA IDENTITY FULL');
$standby->safe_psql('postgres', sprintf("CREATE SUBSCRIPTION s CONNECTION '%s dbname=postgres' PUBLICATION s", $source->connstr));
$standby->wait_for_subscription_sync($source, 's');
begin_polling();
begin_writing((sub { ask($_[0], 'BEGIN', $into); pause(); ask($_[0], $into, 'COMMIT') }) x 3);
work_at($source);
begin_writing((sub { ask($_[0], 'BEGIN', "INSERT INTO o SELECT 'far' FROM generate_series(1, 30)"); pause(); ask($_[0], 'COMMIT') }) x 2);
sleep(usual_or_long(2, 4));
stop_all('writers');
$source->wait_for_catchup('s');
cmp_ok($standby->safe_psql('postgres', q(SELECT count(*) FROM o WHERE note = 'far')), '>', 0, 'rows have arrived from the other server');
none_lost($standby, 'logical replication');
stop_all('pollers');

# A worker id that the directory gives out, changed again and again, with ticks of 100 ms.
my $coarse = 'epoch=2024-01-01,tick=100ms,time=35,worker=10,sequence=18';
my $directory = new_server('directory');
$directory->start;
$directory->safe_psql('postgres', "CREATE EXTENSION snowid_directory; SELECT snowid_directory.add('$coarse', 1, 6, now())");
my $held = new_server('held', 'cluster_name = held', 'snowid.worker_id = directory', 'snowid.directory_lease = 2s',
    "snowid.layout = '$coarse'", 'max_prepared_transactions = 40', 'max_connections = 60', 'max_worker_processes = 24',
    sprintf("snowid.directory = 'host=%s port=%d dbname=postgres'", $directory->host, $directory->port));
$held->start;
make_rig($held, 'tick=100ms,time=35,worker=6,sequence=22');
$held->poll_query_until('postgres', 'SELECT worker IS NOT NULL FROM snowid_worker');
begin_polling();
begin_writing();
my $changes = 0;
my $times = usual_or_long(2, 4);
for (1 .. $times) {
    my $number = $held->safe_psql('postgres', 'SELECT worker FROM snowid_worker');
    $directory->safe_psql('postgres', "SELECT snowid_directory.close($number, $number)");
    $changes += $held->poll_query_until('postgres', "SELECT worker <> $number FROM snowid_worker");
    $directory->safe_psql('postgres', "SELECT snowid_directory.add('$coarse', $number, $number, now())");
}
stop_all('writers');
is($changes, $times, 'the directory has given other numbers');
none_lost($held, 'numbers of a directory');
stop_all('pollers');

is_deeply(other_errors(), {}, 'no other errors');
done_testing();
