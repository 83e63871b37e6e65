# Logical replication of all tables between two servers: the extension's own tables stay what each server made of them, and
# nothing that is done to a generator of the one stops the other's subscription.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

my @lines = ('wal_level = logical', 'max_worker_processes = 16', 'wal_retrieve_retry_interval = 100ms');
my $publisher = new_server('publisher', @lines);
my $subscriber = new_server('subscriber', @lines, 'snowid.worker_id = 2');
$_->start for $publisher, $subscriber;
$_->safe_psql('postgres', 'CREATE EXTENSION snowid; CREATE TABLE t (id bigint PRIMARY KEY DEFAULT snowflake_next(),
    note text)') for $publisher, $subscriber;
$publisher->safe_psql('postgres', 'CREATE TABLE notes (note text); INSERT INTO notes SELECT generate_series(1, 100)');
$subscriber->safe_psql('postgres', 'CREATE TABLE notes (note text, id bigint DEFAULT snowflake_next())');
$publisher->safe_psql('postgres', <<'SQL');
SELECT snowid_generator_create('theirs', worker => 50), snowid_generator_create('dropped', worker => 51), snowid_generator_create('both',
    worker => 60);
SELECT snowid_generator_drop('dropped');
INSERT INTO t (note) VALUES ('copied');
CREATE PUBLICATION everything FOR ALL TABLES;
SQL
# a generator that is the same row on both, as after a dump of one into the other
my $both = $publisher->safe_psql('postgres',
    "SELECT format('INSERT INTO _snowid.generator VALUES (%L, %L, %L, NULL, %L, NULL, NULL, NULL, false, false)', id, name, scheme, worker)
    FROM _snowid.generator WHERE name = 'both'");
$subscriber->safe_psql('postgres', "$both; SELECT snowid_horizon_advance(now()); SELECT snowid_generator_create('ours', worker => 70)");
my $records = 'SELECT id, name, worker FROM _snowid.generator ORDER BY 1, 2, 3';
my $layouts = 'SELECT * FROM _snowid.layout ORDER BY 1, 2';
my ($own_records, $own_layouts) = map { $subscriber->safe_psql('postgres', $_) } $records, $layouts;

$subscriber->safe_psql('postgres', sprintf("CREATE SUBSCRIPTION s CONNECTION '%s dbname=postgres' PUBLICATION everything",
    $publisher->connstr));
$subscriber->wait_for_subscription_sync($publisher, 's');
is($subscriber->safe_psql('postgres', 'SELECT note FROM t'), 'copied', 'a table is copied');
is($subscriber->safe_psql('postgres', $records), $own_records, 'the first copy brings no generator');
is($subscriber->safe_psql('postgres', $layouts), $own_layouts, 'and no layout');
$publisher->safe_psql('postgres', 'INSERT INTO notes SELECT generate_series(101, 200)');
ok($subscriber->poll_query_until('postgres', 'SELECT count(DISTINCT id) = 200 FROM notes'),
    'rows that are copied and rows that arrive get ids of their own');

# what is done there arrives as INSERT, UPDATE and DELETE, of rows that are here and that are not
my @changes = (
    'a new generator' => "SELECT snowid_generator_create('later', worker => 52)",
    'another number of a generator that only the publisher has' => "SELECT snowid_generator_alter('theirs', worker => 53)",
    'another number of a generator that both have' => "SELECT snowid_generator_alter('both', worker => 61)",
    'another name' => "SELECT snowid_generator_alter('both', new_name => 'renamed')",
    'a drop' => "SELECT snowid_generator_drop('theirs')",
    'another layout' => "SELECT snowid_layout_change('epoch=2024-01-01,tick=1ms,time=41,worker=9,sequence=13')",
    'a row of a layout' => "INSERT INTO _snowid.layout VALUES (snowid_layout_canonical('js'), '-infinity');
        DELETE FROM _snowid.layout WHERE recorded = '-infinity'",
);
while (my ($what, $change) = splice(@changes, 0, 2)) {
    $publisher->safe_psql('postgres', "$change; INSERT INTO t VALUES (length('$what'), '$what')");
    ok($subscriber->poll_query_until('postgres', "SELECT count(*) = 1 FROM t WHERE note = '$what'"), "$what: the subscription goes on");
    is($subscriber->safe_psql('postgres', $records), $own_records, "$what: no generator changes");
    is($subscriber->safe_psql('postgres', $layouts), $own_layouts, "$what: no layout changes");
}
unlike(slurp_file($subscriber->logfile), qr/ERROR: /, 'no worker of the subscription has failed');

# Only monitors see how far others are. A fill that anybody runs waits for those that are 10 s behind.
$publisher->safe_psql('postgres', <<'SQL');
CREATE EXTENSION snowid_convert;
CREATE ROLE plain;
CREATE FUNCTION sees() RETURNS boolean LANGUAGE sql SECURITY DEFINER
    RETURN EXISTS (SELECT FROM pg_stat_replication WHERE replay_lag > '-1 d');
CREATE FUNCTION waits(lag interval) RETURNS boolean LANGUAGE sql SECURITY DEFINER RETURN _snowid_convert.must_wait(lag);
ALTER FUNCTION sees OWNER TO plain;
ALTER FUNCTION waits OWNER TO plain;
SQL
my $behind = "WITH written AS (INSERT INTO notes VALUES ('lag')) SELECT";
ok($publisher->poll_query_until('postgres', "$behind _snowid_convert.must_wait('-1 d')"), 'one is behind');
is($publisher->safe_psql('postgres', "$behind sees() OR waits('-1 d')"), 'f', 'but not everybody learns how far');
ok($publisher->poll_query_until('postgres', "GRANT pg_read_all_stats TO plain; $behind waits('-1 d')"), 'those who may see it do');
is($publisher->safe_psql('postgres', "SELECT waits('10 d'), waits(NULL)"), 'f|', 'and wait for what they are told');
$publisher->safe_psql('postgres', 'DROP FUNCTION sees, waits; DROP ROLE plain');
is($subscriber->safe_psql('postgres', "SELECT snowflake_worker(snowflake_next('both')), snowflake_worker(snowflake_next('ours'))"), '60|70',
    'the generators make ids with their own numbers');
fails_with($subscriber, "SELECT snowflake_next('theirs')", '42704', qr/there is no generator "theirs"/,
    'the publisher\'s generators make none here');
is($subscriber->safe_psql('postgres', q(SELECT severity, what_to_do ~ '^Their rows are dropped' FROM snowid_check()
    WHERE subject = 'replication')), 'note|t', 'snowid_check() tells of it');

# a session that says that it speaks for another server, and the extension's functions in it
my $session = <<'SQL';
SET client_min_messages = error;
SELECT pg_replication_origin_session_setup('of_another');
SQL
$subscriber->safe_psql('postgres', "SELECT pg_replication_origin_create('of_another')");
$subscriber->safe_psql('postgres', "$session $_") for "UPDATE _snowid.generator SET worker = 99", 'DELETE FROM _snowid.generator',
    'DELETE FROM _snowid.layout',
    "INSERT INTO _snowid.generator VALUES (1000, 'foreign', 'snowflake', NULL, 98, NULL, NULL, NULL, false, false)";
is($subscriber->safe_psql('postgres', $records), $own_records, 'an origin: what it sends of generators is dropped');
is($subscriber->safe_psql('postgres', $layouts), $own_layouts, 'and of layouts');
$subscriber->safe_psql('postgres', "$session SELECT snowid_generator_alter('ours', worker => 71);
    SELECT snowid_layout_change('epoch=2024-01-01,tick=1ms,time=41,worker=9,sequence=13')");
is($subscriber->safe_psql('postgres', "SELECT worker, (SELECT layout FROM _snowid.layout) FROM _snowid.generator WHERE name = 'ours'"),
    '71|epoch=2024-01-01,tick=1ms,time=41,worker=9,sequence=13', 'the functions work in it');
$subscriber->safe_psql('postgres', 'CREATE DATABASE new');
$subscriber->safe_psql('new', "SELECT pg_replication_origin_session_setup('of_another'); CREATE EXTENSION snowid; SELECT snowflake_next()");
is($subscriber->safe_psql('new', 'SELECT count(*) FROM _snowid.layout'), 1, 'and CREATE EXTENSION too');

# a restore gets through, however it is done
my $dump = PostgreSQL::Test::Utils::tempdir() . '/dump';
my @to = ('-h', $subscriber->host, '-p', $subscriber->port);
command_ok([ 'pg_dump', '-h', $publisher->host, '-p', $publisher->port, '-Fd', '-f', $dump, 'postgres' ], 'a dump of the publisher');
for my $way ([ 'plain' ], [ 'jobs', '-j', '3' ], [ 'replica' ]) {
    my ($name, @options) = @$way;
    $subscriber->safe_psql('postgres', "CREATE DATABASE restored_$name");
    local $ENV{PGOPTIONS} = $name eq 'replica' ? '-c session_replication_role=replica' : '';
    command_ok([ 'pg_restore', @to, '--no-publications', '-e', @options, '-d', "restored_$name", $dump ], "$name: it is restored");
    is($subscriber->safe_psql("restored_$name", $records), $publisher->safe_psql('postgres', $records), "$name: with its generators");
}
command_ok([ 'pg_restore', @to, '--data-only', '-e', '-n', '_snowid', '-t', 'generator', '-d', 'restored_plain', $dump ],
    'the same generators once more');
is($subscriber->safe_psql('restored_plain', $records), $publisher->safe_psql('postgres', $records), 'are skipped');

# two databases with one generator each, of one id
$subscriber->safe_psql('postgres', "CREATE DATABASE d$_") for 1, 2;
$subscriber->safe_psql('d1', "CREATE EXTENSION snowid; SELECT snowid_generator_create('a', worker => 20)");
$subscriber->safe_psql('d2', "CREATE EXTENSION snowid; SELECT snowid_generator_create('b', worker => 21)");
command_ok([ 'pg_dump', @to, '--data-only', '-f', "$dump.sql", 'd2' ], 'a dump of the data of one');
my ($out, $err) = run_command([ 'psql', '-X', '-v', 'ON_ERROR_STOP=1', '-v', 'VERBOSITY=verbose', @to, '-d', 'd1', '-f', "$dump.sql" ]);
like($err, qr/ERROR:  23505: generator "b" has the id of another generator.*DETAIL:  Generator "a" .*HINT:  Take a snapshot/s,
    'is refused by the other');
is($subscriber->safe_psql('d1', 'SELECT id, name, worker FROM _snowid.generator'), '1|a|20', 'which stays what it was');

# two sessions that insert at a time do not both pass
my $first = $subscriber->background_psql('d1', on_error_stop => 0);
$first->query_safe("BEGIN; INSERT INTO _snowid.generator VALUES (5, 'e', 'snowflake', NULL, 22, NULL, NULL, NULL, false, false)");
my $second = $subscriber->background_psql('d1', on_error_stop => 0);
$second->query_until(qr/go/,
    "\\echo go\nINSERT INTO _snowid.generator VALUES (5, 'f', 'snowflake', NULL, 23, NULL, NULL, NULL, false, false);\n");
$subscriber->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = 'd1'") or
    die;
cmp_ok($subscriber->safe_psql('d1', "SELECT snowflake_next('a')"), '>', 0, 'ids are made meanwhile');
$first->query_safe('COMMIT');
$_->quit for $first, $second;
is($subscriber->safe_psql('d1', 'SELECT id, name FROM _snowid.generator ORDER BY 1'), "1|a\n5|e",
    'one of two sessions that bring one id passes');
# Rows that move to another partition are deleted and inserted, and a subscriber receives both, or the call is refused.
$_->safe_psql('postgres', 'CREATE DATABASE parts') for $publisher, $subscriber;
$_->safe_psql('parts', q{CREATE EXTENSION snowid; CREATE SCHEMA app; CREATE TABLE app.log (id bigint PRIMARY KEY, line text,
    number int GENERATED ALWAYS AS IDENTITY, size int NOT NULL GENERATED ALWAYS AS (length(line)) STORED) PARTITION BY RANGE (id);
    CREATE TABLE app.log_rest PARTITION OF app.log DEFAULT})
    for $publisher, $subscriber;
$publisher->safe_psql('parts', "SELECT snowid_partition('app.log', '1 day')");
$subscriber->safe_psql('parts', sprintf("CREATE SUBSCRIPTION parts CONNECTION '%s dbname=parts' PUBLICATION parts WITH (enabled = false,
    connect = false, slot_name = parts, synchronous_commit = on)", $publisher->connstr));
sub published {
    my ($objects) = @_;
    $subscriber->safe_psql('parts', 'ALTER SUBSCRIPTION parts DISABLE; TRUNCATE app.log');
    $publisher->safe_psql('parts', "DROP PUBLICATION IF EXISTS parts; TRUNCATE app.log;
        SELECT format('DROP TABLE %s', partition) FROM snowid_partitions('app.log') WHERE ends < now() \\gexec
        CREATE PUBLICATION parts FOR $objects;
        INSERT INTO app.log (id, line) SELECT snowflake_lower_bound(now() - d * interval '1 day') + n, 'late'
            FROM generate_series(7, 9) AS d, generate_series(1, 100) AS n");
}
my $settle = "CALL snowid_partition_settle('app.log')";
my $rows = "SELECT count(*), count(DISTINCT id), sum(number) FROM app.log WHERE line = 'late'";
for ('TABLE app.log', 'TABLES IN SCHEMA app', 'ALL TABLES') {
    published("$_ WITH (publish_via_partition_root)");
    $publisher->safe_psql('parts', "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = 'parts'");
    $publisher->safe_psql('parts', "SELECT pg_create_logical_replication_slot('parts', 'pgoutput')");
    $subscriber->safe_psql('parts', 'ALTER SUBSCRIPTION parts ENABLE');
    $subscriber->safe_psql('parts', 'ALTER SUBSCRIPTION parts REFRESH PUBLICATION');
    $subscriber->wait_for_subscription_sync($publisher, 'parts', 'parts');
    $publisher->safe_psql('parts', $settle);
    is($publisher->safe_psql('parts', 'SELECT (SELECT count(*) FROM app.log_rest), count(DISTINCT tableoid) FROM app.log'), '0|3',
        "$_: rows move");
    $publisher->safe_psql('parts', "INSERT INTO app.log (id, line) VALUES (1, 'last')");
    $publisher->wait_for_catchup('parts');
    is($subscriber->safe_psql('parts', $rows), $publisher->safe_psql('parts', $rows), "$_: a subscriber has all of them once");
}
for ('TABLE app.log', "TABLE app.log WITH (publish = 'insert', publish_via_partition_root)",
    'TABLE app.log_rest WITH (publish_via_partition_root)') {
    published($_);
    fails_with($publisher, $settle, 55000, qr/cannot be moved: publication parts sends only a part/, $_, dbname => 'parts');
    is($publisher->safe_psql('parts', 'SELECT count(*) FROM app.log_rest'), 300, "$_: no row moves");
}
$_->stop for $publisher, $subscriber;
done_testing();
