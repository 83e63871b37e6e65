# What the owner of a database writes there moves no other database, whatever a start or a reload reads; and locks there are in
# nobody's way but a reload's.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

my $folder = PostgreSQL::Test::Utils::tempdir();
my $clock = "$folder/clock";
my %clock = faked_clock($clock);
$node = new_server('start', 'max_prepared_transactions = 5', 'snowid.sno_partition = 7');
start_again($node, %clock);
sub sessions { return sql("SELECT count(*) FROM pg_stat_activity WHERE pid = $_[0]{pid}"); }
my @ids;
sub take { push @ids, split(/\n/, sql("SELECT snowflake_next() FROM generate_series(1, $_[0])", $_[1])); }

sql('CREATE ROLE tenant LOGIN');
sql("CREATE DATABASE $_ OWNER tenant") for 'first', 'second';
$node->safe_psql($_, 'CREATE EXTENSION snowid', user => 'tenant') for 'first', 'second';
sql('CREATE EXTENSION snowid');

# transactions are prepared as anywhere
for my $what ('TRUNCATE _snowid.horizon', 'LOCK TABLE _snowid.layout', 'DROP EXTENSION snowid CASCADE', 'SELECT snowflake_next()',
    'DROP OWNED BY tenant CASCADE') {
    sql("BEGIN; $what; PREPARE TRANSACTION 'p'", 'first');
    sql("ROLLBACK PREPARED 'p'", 'first');
    pass("prepared: $what");
}
sql('CREATE DATABASE prepared');
sql("BEGIN; CREATE EXTENSION snowid; CREATE TABLE made AS SELECT snowflake_next() AS id FROM generate_series(1, 100);
    PREPARE TRANSACTION 'p'", 'prepared');
$node->stop('immediate');
set_clock($clock, -1.5);
start_again($node, %clock);
take(100);
sql("COMMIT PREPARED 'p'", 'prepared');
push @ids, split(/\n/, sql('SELECT id FROM made', 'prepared'));
set_clock($clock, 0);
take(100, $_) for 'first', 'second';

# a reload waits for locks, and ends nobody
my $blocker = client($node->host, $node->port, 'second');
client_query($blocker, 'BEGIN; DROP EXTENSION snowid CASCADE');
my $log = -s $node->logfile;
$node->append_conf('postgresql.conf', 'snowid.worker_id = 9');
$node->reload;
ok($node->wait_for_log(qr/canceling statement due to lock timeout/, $log), 'a reload says what it waits for');
is(sql('SELECT snowflake_worker(snowflake_next())'), 1, 'ids go on with the old number');
is(sessions($blocker), 1, 'and nobody is ended');
client_query($blocker, 'ROLLBACK');
ok($node->poll_query_until('postgres', 'SELECT snowflake_worker(snowflake_next()) = 9'), 'then the number is read and taken');

# what an owner writes moves no other database
sub as_tenant { return $node->safe_psql('first', $_[0], user => 'tenant'); }
my @tenant = (dbname => 'first', user => 'tenant');
my $now = '(extract(epoch FROM clock_timestamp()) * 1e9)::bigint';
my $bit = sub { return sql('SELECT concat(min(sno_tick_tock(sno_next(1))::int), max(sno_tick_tock(sno_next(1))::int))
    FROM generate_series(1, 9)'); };
my $tick_tock = $bit->();
as_tenant("INSERT INTO _snowid.horizon SELECT -1, $now, 0, 0, 0, 999999999");
is($bit->(), $tick_tock, 'a tick-tock bit that an owner has written is not the server\'s');
as_tenant("INSERT INTO _snowid.horizon SELECT g, $now, 0, 0, 0, 999999999 FROM generate_series(-1, 0) AS g, generate_series(1, 500)");
is(as_tenant('SELECT count(*) FROM _snowid.horizon WHERE generator <= 0'), 2, 'a row for each generator is enough, however many are added');
$node->stop('immediate');
start_again($node, %clock);
is($bit->(), $tick_tock, 'nor after a crash');
sleep(4);
sql('SELECT sno_next(1)', 'first');
set_clock($clock, -3);
sql('SELECT sno_next(1)', 'first');
isnt($bit->(), $tick_tock, 'the bit flips when the clock steps back');
set_clock($clock, 0);
sql('CREATE DATABASE restored OWNER tenant');
command_ok([ 'sh', '-c', sprintf("sleep 2; pg_dump '%s' | psql -qX -U tenant -v ON_ERROR_STOP=1 '%s'", $node->connstr('first'),
    $node->connstr('restored')) ], 'and what the server wrote can be dumped and restored');

# a forged snapshot
as_tenant(q{CREATE FUNCTION forged(horizon bigint) RETURNS snowid_snapshot LANGUAGE plpgsql AS $$
DECLARE
    s snowid_snapshot := (NULL, 'forged', 'snowflake', 'epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12', 500, NULL, NULL, NULL,
        false, false, horizon, 0, 0, '2026-01-01Z', 0);
    part numeric;
    parts text := concat(s.name, ',', s.scheme, ',', s.layout, ',');
BEGIN
    FOREACH part IN ARRAY ARRAY[s.worker, s.partition, s.sequence_min, s.sequence_max, s.overlap::int, s.backfill::int, s.horizon, s.safe,
        s.drifts,
        extract(epoch FROM s.taken - '2000-01-01 00:00:00Z') * 1000000] LOOP
        parts := parts || (part IS NULL)::int || coalesce(trunc(part), 0) || ',';
    END LOOP;
    s.checksum := 0;
    FOR i IN 1 .. length(parts) LOOP s.checksum := hashcharextended(substr(parts, i, 1)::"char", s.checksum); END LOOP;
    RETURN s;
END $$});
fails_with($node, "SELECT snowid_generator_restore(forged(3471292800000000000))", '42501',
    qr/only a superuser can restore a horizon that is ahead of the clock/, 'a forged snapshot of 2080', @tenant);
as_tenant("SELECT snowid_generator_restore(forged($now)); SELECT snowflake_next('forged'); SELECT snowid_generator_drop('forged')");
sql("SELECT snowid_generator_create('other', worker => 500)");
is(sql("SELECT abs(extract(epoch FROM snowflake_time(snowflake_next('other')) - clock_timestamp())) < 3"), 't',
    'a number that was forged and dropped begins at the clock elsewhere');

# nor a generator of a coarse layout, whose tick ends tomorrow
sql("ALTER TABLE _snowid.layout DISABLE TRIGGER USER;
    UPDATE _snowid.layout SET layout = 'epoch=2024-01-01,tick=10s,time=30,worker=10,sequence=12', recorded = '2024-01-01';
    ALTER TABLE _snowid.layout ENABLE ALWAYS TRIGGER snowid_record_changed", 'second');
fails_with($node, "BEGIN; SELECT snowid_generator_create('coarse', worker => 501); SELECT snowflake_next('coarse')", '55000',
    qr/makes no ids in a transaction that creates/, 'a generator of another layout before its commit', dbname => 'second');
sql("SELECT snowid_generator_create('coarse', worker => 501)", 'second');
sql("SELECT snowflake_next('coarse') FROM generate_series(1, 3)", 'second');
sql("SELECT snowid_generator_drop('coarse')", 'second');
sql("SELECT snowid_generator_create('fine', worker => 501)");
is(sql("SELECT abs(extract(epoch FROM snowflake_time(snowflake_next('fine')) - clock_timestamp())) < 2.5"), 't',
    'a coarse tick that was given up elsewhere moves nobody');

# nor what an ordinary generator has inherited from one of given times, at a reload neither
as_tenant(q{SELECT snowid_generator_create('far', worker => 502, backfill => true, future => true);
    SELECT snowflake_at('2080-01-01', 'far');
    SELECT snowid_generator_drop('far'); SELECT snowid_generator_create('heir', worker => 502)});
fails_with($node, q{SELECT snowflake_next('heir')}, '58000', qr/the clock is .* behind/, 'an heir of 2080', @tenant);
my $is_now = sub { return sql("SELECT abs(extract(epoch FROM snowflake_time(snowflake_next($_[0])) - clock_timestamp())) < 2.5"); };
sql("SELECT snowid_generator_create('after_far', worker => 503)");
is($is_now->("'after_far'"), 't', 'while it is there, others begin at the clock');
$node->append_conf('postgresql.conf', 'snowid.worker_id = 10');
$node->reload;
ok($node->poll_query_until('postgres', 'SELECT snowflake_worker(snowflake_next()) = 10'), 'a reload beside it');
is($is_now->(''), 't', 'begins at the clock');
as_tenant("SELECT snowid_generator_drop('heir')");
sql("SELECT snowid_generator_create('after_heir', worker => 504)");
is($is_now->("'after_heir'"), 't', 'when it is dropped, others begin at the clock');

my %seen;
is(scalar(grep { $seen{$_}++ } @ids), 0, 'no id twice');
$node->stop;

run_log([ 'postgres', '--single', '-D', $node->data_dir, 'postgres' ], '<', \'SELECT snowflake_next();', '>', \my $out, '2>', \my $err);
like($err, qr/does not know yet.*HINT:  Single-user mode has no background workers/s, 'single-user mode makes no ids, and says why');
done_testing();
