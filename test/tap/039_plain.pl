# plain/snowid.sql, installed by a role that owns nothing but its database: its settings, what a caller's search_path and a cancel can do to
# it, and that no committed id comes twice and all ascend, whatever happens to the server and its clock.
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
my $node = Server->new('plain');
$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', "restart_after_crash = on\nwal_writer_delay = 10s\nautovacuum = off\nmax_connections = 40\n");
start_again($node, %clock);
$node->safe_psql('postgres', 'CREATE ROLE plain_owner LOGIN; CREATE ROLE other LOGIN; CREATE DATABASE app OWNER plain_owner');

sub as_owner {
    my ($sql, %options) = @_;
    my ($status, $out, $err) = $node->psql($options{dbname} // 'app', $sql, user => $options{role} // 'plain_owner',
        on_error_stop => 1);
    return wantarray ? ($out, $err) : $out;
}
my $file = slurp_file('plain/snowid.sql');
sub install {
    my ($before, %options) = @_;
    my ($out, $err) = as_owner(($before // '') . "SET client_min_messages = warning;\n\\i plain/snowid.sql\n", %options);
    return $err;
}

# installing it, among operators that match better than those of pg_catalog
$node->safe_psql('app', 'GRANT CREATE ON SCHEMA public TO PUBLIC');
my @types = ('oid', 'regclass', 'regnamespace', 'regproc', 'name', 'text');
as_owner(join('', "CREATE FUNCTION op(anyelement, anynonarray) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''trap''; END';\n",
    map { my $left = $_; map { ("CREATE OPERATOR = (LEFTARG = $left, RIGHTARG = $_, FUNCTION = op);\n",
        "CREATE OPERATOR <> (LEFTARG = $left, RIGHTARG = $_, FUNCTION = op);\n") } @types } @types), role => 'other');
is(install(), '', 'the owner of a database installs it');
is(install(), '', 'and once more');
is($node->safe_psql('app', q{SET search_path = pg_catalog; SELECT count(*) FROM pg_depend
    WHERE refclassid = 'pg_operator'::regclass AND classid IN ('pg_policy'::regclass, 'pg_rewrite'::regclass)}), 0, 'nothing has a trap');
$node->safe_psql('app', 'DROP OWNED BY other CASCADE');
is(as_owner('\i plain/snowid.sql'), '', 'it prints nothing');
is(as_owner('SELECT snowid.snowid_plain_version()'), ($file =~ /snowid (\d\S+)/)[0], 'it knows its version');
my ($first, $warning) = as_owner('SELECT snowid.snowflake_worker(snowid.snowflake_next())', role => 'other');
like("$first $warning", qr/^0 .*WARNING:  the worker id is 0 because none is set.*HINT:.*snowid_set/s,
    'the first id says that no worker is set');
is((as_owner('SELECT snowid.snowflake_worker(snowid.snowflake_next())'))[1], '', 'the second does not');

# a publication FOR ALL TABLES
my $subscriber = new_server('subscriber', "shared_preload_libraries = ''");
$subscriber->start;
$subscriber->safe_psql('postgres', slurp_file('plain/snowid.sql') . "SELECT snowid.snowid_set('clock_wait', '7ms'),
    snowid.snowid_set('worker_id', '1')");
my $publisher = new_server('publisher', "shared_preload_libraries = ''", 'wal_level = logical');
$publisher->start;
my $before = "SELECT snowid.snowid_set('worker_id', '7'), snowid.snowid_set('clock_wait', '8ms')";
$publisher->safe_psql('postgres', slurp_file('plain/snowid.sql') . "$before; CREATE PUBLICATION everything FOR ALL TABLES");
$subscriber->safe_psql('postgres', sprintf("CREATE SUBSCRIPTION everything CONNECTION '%s dbname=postgres'
    PUBLICATION everything", $publisher->connstr));
$subscriber->wait_for_subscription_sync($publisher, 'everything');
$publisher->safe_psql('postgres', "SELECT snowid.snowid_set('worker_id', '9'), snowid.snowid_set('clock_wait', NULL)");
$publisher->wait_for_catchup('everything');
is($subscriber->safe_psql('postgres', 'SELECT count(*), count(snowid.snowflake_next()) FROM snowid.snowid_layout'), '1|1',
    'a subscriber keeps its layout');
is($subscriber->safe_psql('postgres', 'SELECT name, value FROM snowid.snowid_setting ORDER BY name'), "clock_wait|7ms\nworker_id|1",
    'and its settings, with its worker id');
$_->stop for $subscriber, $publisher;

# sealed ids, by the vectors of the extension
like((as_owner('SELECT snowid.snowid_seal_key_create()'))[1], qr/ERROR:  sealed ids need the extension pgcrypto\nHINT:/,
    'sealed ids without pgcrypto');
$node->safe_psql('app', 'CREATE SCHEMA crypto; GRANT USAGE ON SCHEMA crypto TO plain_owner; CREATE EXTENSION pgcrypto SCHEMA crypto');
like((as_owner("SELECT snowid.id_seal(1, 'ord')"))[1], qr/ERROR:  this database has no key for sealed ids\nHINT:/,
    'sealed ids without a key');
my @valid = map { [ split /\t/ ] } (split /\n/, slurp_file('test/vectors/sealed8.valid.tsv'))[1 .. 42];
my (%roots, @wrong);
push @{ $roots{"$_->[1] $_->[0]"} }, $_ for @valid;
for my $root (sort keys %roots) {
    my ($number, $key) = split / /, $root;
    as_owner("DELETE FROM snowid.snowid_seal_key; SELECT snowid.snowid_seal_key_create($number, '$key')");
    for (@{ $roots{$root} }) {
        my ($prefix, $id, $text) = @$_[2, 3, 6];
        my $got = as_owner("SELECT snowid.id_seal($id, '$prefix') || ' ' || snowid.id_unseal('$text',
            '$prefix') || ' ' || snowid.id_try_unseal('$text', '$prefix')");
        push @wrong, "$text $id: $got" if $got ne "$text $id $id";
    }
}
is("@wrong", '', scalar(@valid) . ' sealed ids of the vectors');
as_owner(q(DELETE FROM snowid.snowid_seal_key;
    SELECT snowid.snowid_seal_key_create(0, '8e6f717d879dbd56c7e229aea1eb9863a8cfc4b7c58668963091747db4c1af20')));
my @invalid = map { [ split /\t/ ] } grep { /22P02/ } split /\n/, slurp_file('test/vectors/sealed.invalid.tsv');
for (@invalid) {
    my ($json, $prefix, $why) = @$_;
    my $text = $json =~ s/^"(.*)"$/$1/r =~ s/\\u0000.*//r;
    $text = $node->safe_psql('app', "SELECT quote_literal('$json'::jsonb #>> '{}')") unless $json =~ /\\u0000/;
    $text = "'$text'" unless $text =~ /^E?'/;
    like((as_owner("\\set VERBOSITY sqlstate\nSELECT snowid.id_unseal($text, '$prefix')"))[1], qr/ERROR:  22P02/, "refused: $why");
    is(as_owner("SELECT snowid.id_try_unseal($text, '$prefix') IS NULL"), 't', "NULL: $why");
}
like((as_owner("SELECT snowid.id_unseal('ord_3OpFVydIs36JyzKjcbwurq', 'cus')"))[1],
    qr/"ord_3OpFVydIs36JyzKjcbwurq"\nDETAIL:  It has the prefix "ord", where "cus" is expected/, 'another prefix');
like((as_owner("SELECT snowid.id_seal(1, 'Ord')"))[1], qr/"Ord" cannot be the prefix of a sealed id/, 'what is no prefix');
like((as_owner("SELECT snowid.id_seal(1, 'ord', 3)"))[1], qr/there is no key 3 to seal with/, 'a key that is not there');
is(as_owner('SELECT snowid.snowid_seal_key_create(); SELECT snowid.snowid_seal_key_use(1); SELECT snowid.snowid_seal_key_drop(0);
    SELECT number, current, length(fingerprint) FROM snowid.snowid_seal_keys'), "1\n\n\n1|t|8", 'another key');
is(as_owner("SELECT snowid.id_unseal(snowid.id_seal(42, 'ord'), 'ord')"), 42, 'and an id by it');
my $escapes = "SET standard_conforming_strings = off; SET escape_string_warning = off;\n";
my $told = "CREATE TEMP TABLE of_uuids (id uuid) PARTITION BY RANGE (id);
    SELECT id, snowid.id_unseal(id, 'ord') FROM snowid.id_seal(42, 'ord') AS id; SELECT fingerprint FROM snowid.snowid_seal_keys;
    SELECT snowid.snowid_set('clock_wait', '5.5ms'); SELECT snowid.snowid_set('clock_wait', NULL);
    SELECT starts FROM snowid.snowid_partition('of_uuids', '1 month'); SELECT starts, state FROM snowid.snowid_partitions('of_uuids')";
my @told = as_owner($told);
is(install($escapes), '', 'once more, where a backslash escapes');
is_deeply([ as_owner("$escapes$told") ], \@told, 'there it says the same') or diag(@told);
is_deeply([ as_owner($told) ], \@told, 'and so it does elsewhere');
like((as_owner("\\set VERBOSITY verbose\nSELECT snowid.snowid_seal_key_$$_[0]"))[1], qr/ERROR:  $$_[1]/, "as the extension: $$_[0]")
    for map({ [ "$_(NULL)", '22004: the number of a seal key must not be NULL' ] } qw(use drop)),
    map({ [ "$_(5)", '22023: this database has no key 5 for sealed ids' ] } qw(use drop reveal)),
    [ 'create(7)', '54000: a key for sealed ids cannot have the number 7' ],
    [ 'create(1)', '42710: this database already has a key 1 for' ],
    [ 'create(5, snowid.snowid_seal_key_reveal(1))', '42710: this database already has this key' ];
like((as_owner('SELECT snowid.snowid_seal_key_drop(1)'))[1], qr/cannot drop key 1, because it is the current key/, 'the current key stays');
for my $sql ("SELECT snowid.id_seal(1, 'ord')", "SELECT snowid.id_unseal('ord_3OpFVydIs36JyzKjcbwurq', 'ord')",
    'SELECT snowid.snowid_seal_key_reveal(1)', 'SELECT * FROM snowid.snowid_seal_keys', 'TABLE snowid.snowid_seal_key') {
    like((as_owner($sql, role => 'other'))[1], qr/ERROR:  permission denied/, "not for all: $sql");
}
as_owner("GRANT EXECUTE ON FUNCTION snowid.id_seal(bigint, text, integer) TO other");
$node->safe_psql('postgres', 'CREATE ROLE reader LOGIN; GRANT pg_read_all_data TO reader');
is(as_owner("SELECT length(snowid.id_seal(1, 'ord'))", role => 'other'), 26, 'but for whom it is granted');
is(as_owner('SELECT count(*) FROM snowid.snowid_seal_key', role => 'reader'), 0, 'who reads all data reads no key');
my $reader = $node->background_psql('app');
$reader->query_safe('BEGIN; ' . join('; ', map { "SELECT count(*) FROM snowid.snowid_$_" } 'seal_key', 'partitioned', 'detached',
    'layout'));
is(install("SET lock_timeout = '10s';\n"), '', 'once more, with keys, while others read');
$reader->quit;
is(as_owner("SELECT length(snowid.id_seal(1, 'ord'))", role => 'other'), 26, 'what is granted stays');

# rows in the default partition
as_owner('CREATE TABLE late (id bigint) PARTITION BY RANGE (id); CREATE TABLE late_rest PARTITION OF late DEFAULT;
    INSERT INTO late SELECT snowid.snowflake_lower_bound(now())');
like((as_owner("SELECT * FROM snowid.snowid_partition('late', '1 day')"))[1],
    qr/ERROR:  the default partition of public.late holds rows from .* to .*\nHINT:  In one transaction, detach it/,
    'rows in the default partition are in the way');
as_owner('DROP TABLE late');
like(install("SET snowid.layout = 'js';\n"),
    qr/ERROR:  this server does not make snowflakes of this database's layout.*DETAIL:.*worker=10.*sequence=7/s,
    'another layout is refused');
like(install('', role => $_), qr/ERROR:  the schema snowid belongs to another role\nHINT:  Run this file as the role plain_owner\./, "and so is $_") for 'other', 'postgres';
my $worker = 'SELECT snowid.snowflake_worker(snowid.snowflake_next())';
is(as_owner("SELECT snowid.snowid_set('worker_id', '7'); $worker"), "\n7", 'a worker is set');
like((as_owner("SELECT snowid.snowid_set('worker_id', '1024')"))[1],
    qr/ERROR:  invalid value for parameter "snowid.worker_id": "1024"\nDETAIL:/, 'one that the layout does not have is refused');
like((as_owner("SELECT snowid.snowid_set('worker_id', '8')", role => 'other'))[1], qr/permission denied/, 'nobody else sets it');
like((as_owner('SELECT snowid.snowid_hand_over()'))[1], qr/ERROR:  snowid_hand_over\(\) needs a superuser\nHINT:/,
    'the owner cannot hand over');
for (["'worker', '7'", qr/there is no setting "worker"\nHINT:  Use worker_id/], ["NULL, '7'", qr/there is no setting "<NULL>"/],
    ["'clock_wait', '1min 1s'", qr/invalid value for parameter "snowid.clock_wait": "1min 1s"\nHINT:  Valid units/],
    ["'clock_wait', '60001'", qr/60001 ms is outside the valid range for parameter "snowid.clock_wait" \(0 ms .. 60000 ms\)/],
    ["'clock_drift', '-1s'", qr/-1000 ms is outside the valid range for parameter "snowid.clock_drift" \(0 ms .. 3600000 ms\)/],
    ["'clock_drift', '2h'", qr/7200000 ms is outside the valid range for parameter "snowid.clock_drift" \(0 ms .. 3600000 ms\)/]) {
    like((as_owner("SELECT snowid.snowid_set($_->[0])"))[1], qr/ERROR:  $_->[1]/, "refused: snowid_set($_->[0])");
}
is((as_owner("SELECT snowid.snowid_set('clock_wait', '1min'), snowid.snowid_set('clock_wait', NULL)"))[1], '', 'but not the greatest value');
is(as_owner("SET snowid.worker_id = 9; $worker; SELECT count(DISTINCT snowid.snowflake_worker(id)) FROM snowid.snowflake_next_batch(100)
    AS id"), "7\n1", 'nor does a session for itself');
$node->safe_psql('postgres', 'ALTER DATABASE app SET snowid.worker_id = 11');
is(as_owner("$worker; SELECT snowid.snowflake_worker(id) FROM snowid.snowflake_next_batch(1) AS id;
    SELECT count(DISTINCT id) FROM (SELECT snowid.snowflake_next() AS id FROM generate_series(1, 1000)) s"), "11\n11\n1000",
    'a setting of the database counts');
like((as_owner("SELECT snowid.snowid_set('worker_id', '7')"))[1],
    qr/WARNING:  snowid.worker_id has another value by ALTER DATABASE or ALTER ROLE.*\nHINT:.*: ALTER DATABASE app RESET snowid.worker_id;$/m,
    'snowid_set says that it does');
$node->safe_psql('postgres', 'ALTER DATABASE app RESET ALL; ALTER ROLE other IN DATABASE app SET snowid.worker_id = 7;
    ALTER ROLE other SET snowid.worker_id = 12; ALTER ROLE other IN DATABASE postgres SET snowid.worker_id = 13');
like((as_owner("SELECT snowid.snowid_set('worker_id', '7')"))[1], qr/: ALTER ROLE other RESET snowid.worker_id;$/m,
    'and that one of a role does');
$node->safe_psql('postgres', 'ALTER ROLE other RESET ALL; ALTER ROLE other IN DATABASE app RESET ALL');

# a later run of the file
$node->safe_psql('postgres', 'ALTER ROLE plain_owner SET snowid.worker_id = 8');
is(install("SET snowid.worker_id = 9;\n"), '', 'once more, where a session and a role have set a worker');
$node->safe_psql('postgres', 'ALTER ROLE plain_owner RESET ALL; ALTER DATABASE app SET snowid.worker_id = 11');
is(as_owner('TABLE snowid.snowid_setting'), 'worker_id|7', 'what snowid_set has set stays');
is(install(), '', 'once more, where the database has one');
is(as_owner('TABLE snowid.snowid_setting'), 'worker_id|11', 'it counts');
$node->safe_psql('postgres', 'ALTER DATABASE app RESET ALL');
as_owner("SELECT snowid.snowid_set('worker_id', '7')");

# two runs at once
my $runs = $node->background_psql('app');
my $waits = $node->background_psql('app');
$_->query_safe('SET ROLE plain_owner; SET client_min_messages = warning; BEGIN') for $runs, $waits;
$runs->query_safe('\\i plain/snowid.sql');
$waits->query_until(qr/go/, "\\echo go\n\\i plain/snowid.sql\n");
ok($node->poll_query_until('app', q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 4 AND NOT granted}),
    'one run waits for the other');
$runs->query_safe('COMMIT');
ok($waits->query_safe('SELECT snowid.snowflake_next()'), 'and comes after it');
$_->quit for $runs, $waits;

# a copy of a schema without its data
$node->safe_psql('postgres', 'CREATE DATABASE original OWNER plain_owner; CREATE DATABASE copy OWNER plain_owner');
my $no_worker = qr/WARNING:  this database has no worker id/;
like(install("SET snowid.worker_id = 9; SET snowid.layout = 'js';\n", dbname => 'original'),
    qr/$no_worker\nDETAIL:  A snowid.worker_id that is not set by ALTER DATABASE.*\nHINT:/, 'a worker of a session does not count');
as_owner("SELECT snowid.snowid_set('worker_id', '7')", dbname => 'original');
my $schema_alone = "$folder/schema.sql";
command_ok([ 'pg_dump', '-h', $node->host, '-p', $node->port, '-U', 'plain_owner', '-s', '-n', 'snowid', '-f', $schema_alone,
    'original' ], 'a dump of the schema alone');
as_owner(slurp_file($schema_alone), dbname => 'copy');
for my $call ('snowflake_next()', 'snowflake_next_batch(10)', "snowid_set('worker_id', '6')", "snowid_set('worker_id', NULL)",
    'snowid_horizon_advance(now())', 'snowid_hand_over()') {
    fails_with($node, "SELECT snowid.$call", '55000', qr/this database has no record of its layout.*HINT:  Run plain/s, "a copy: $call",
        dbname => 'copy');
}
like(install('', dbname => 'copy'), qr/$no_worker\nDETAIL:  It is a copy.*\nHINT:/, 'the file makes it whole');
is(as_owner('SET client_min_messages = error; SELECT layout, snowid.snowflake_worker(snowid.snowflake_next()) FROM snowid.snowid_layout',
    dbname => 'copy'), 'epoch=2024-01-01,tick=1ms,time=41,worker=5,sequence=7|0', 'with its layout, and without its worker');

# and of the data alone
for my $triggers (0, 1) {
    $node->safe_psql('postgres', 'CREATE DATABASE data OWNER plain_owner');
    install('', dbname => 'data');
    command_ok([ 'pg_dump', '-h', $node->host, '-p', $node->port, '-U', 'plain_owner', '-a', '-n', 'snowid', '-f', "$folder/data.sql",
        $triggers ? () : '--disable-triggers', 'original' ], 'a dump of the data alone');
    $node->safe_psql('data', slurp_file("$folder/data.sql"));
    install('', dbname => 'data') unless $triggers;
    is(as_owner("TABLE snowid.snowid_setting; SELECT snowid._snowid_built() ~ 'sequence=7'; $worker", dbname => 'data'), "worker_id|7\nt\n7",
        'it brings the layout and the worker');
    is(as_owner("SELECT snowid.snowid_set('worker_id', '9'); $worker", dbname => 'data'), "\n9", 'which can be changed');
    $node->safe_psql('postgres', 'DROP DATABASE data');
}
# by two sessions side by side, as pg_restore -j has them
$node->safe_psql('postgres', 'CREATE DATABASE data OWNER plain_owner');
install('', dbname => 'data');
my ($first_part, $second_part) = map { $node->background_psql('data', on_error_stop => 0) } 1, 2;
$_->query_safe('SET ROLE plain_owner') for $first_part, $second_part;
$first_part->query_safe("BEGIN; INSERT INTO snowid.snowid_layout VALUES (snowid.snowid_layout_canonical('js'), '2020-01-01')");
$second_part->query_until(qr/go/, "\\echo go\nINSERT INTO snowid.snowid_setting VALUES ('worker_id', '7');\n");
ok($node->poll_query_until('data', 'SELECT count(*) = 1 FROM pg_locks WHERE NOT granted'), 'one waits for the other');
$first_part->query_safe('COMMIT');
$second_part->query('SELECT 1');
is(as_owner("SELECT snowid._snowid_built() ~ 'sequence=7'; $worker", dbname => 'data'), "t\n7", 'both have come');
$_->quit for $first_part, $second_part;
$node->safe_psql('postgres', 'DROP DATABASE data');
$node->safe_psql('original', "ALTER TABLE snowid.snowid_setting DISABLE TRIGGER ALL; ALTER TABLE snowid.snowid_setting ENABLE TRIGGER ALL");
is(as_owner("SELECT snowid.snowid_set('worker_id', '8'); TABLE snowid.snowid_setting; $worker", dbname => 'original'), "\nworker_id|8\n8",
    'the trigger against replicated settings lets others through');

# two sessions at once
my $one = $node->background_psql('app');
my $two = $node->background_psql('app');
$one->query_safe("BEGIN; SELECT snowid.snowid_set('worker_id', '5')");
$two->query_until(qr/go/, "\\echo go\nSELECT snowid.snowid_set('worker_id', '6');\n");
ok($node->poll_query_until('app', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE query LIKE '%snowid_set%'
    AND wait_event_type = 'Lock'}), 'one waits for the other');
$one->query_safe('COMMIT');
like($two->query_safe('SELECT value, snowid.snowflake_worker(snowid.snowflake_next()) FROM snowid.snowid_setting'), qr/^6\|6$/m,
    'and comes after it');
$_->quit for $one, $two;
fails_with($node, "BEGIN ISOLATION LEVEL $_; SELECT snowid.snowid_set('worker_id', '5')", '25001',
    qr/cannot be built in a transaction that is \L$_\E.*HINT:  Use the isolation level READ COMMITTED/s, $_, dbname => 'app')
    for 'REPEATABLE READ', 'SERIALIZABLE';
as_owner("SELECT snowid.snowid_set('worker_id', '7')");

$node->safe_psql('postgres', 'ALTER DATABASE app SET snowid.layout = js');
like((as_owner('SELECT snowid.snowflake_next()'))[1], qr/ERROR:  this server does not make snowflakes of this database's layout/,
    'a later setting of the layout stops ids');
$node->safe_psql('postgres', 'ALTER DATABASE app RESET ALL');
for my $call ('snowid.snowflake_next()', 'snowid.snowflake_next_batch(10)', 'snowid.uuidv7_next()') {
    my $name = $call =~ /uuid/ ? 'uuidv7_next' : 'snowflake_next';
    like((as_owner("BEGIN READ ONLY; SELECT $call"))[1], qr/ERROR:  cannot execute $name\(\) in a read-only transaction/,
        "READ ONLY: $call");
}
like((as_owner("SELECT snowid.snowid_horizon_advance(now())", role => 'other'))[1], qr/permission denied/, 'the horizon is the owner\'s');
like((as_owner('SELECT setval(\'snowid.snowid_position\', 1)', role => 'other'))[1], qr/permission denied/, 'and so is the sequence');

# layouts in which the sequence is not in the lowest bits, or which are small, have the same order
for my $layout ('sonyflake', 'js', 'epoch=2026-01-01,tick=10ms,time=40,a=3,sequence=4,b=2', 'epoch=2000-01-01,tick=1s,time=31,sequence=3',
    'discord', 'mastodon') {
    $node->safe_psql('postgres', 'CREATE DATABASE layouts OWNER plain_owner');
    is(install("SET snowid.layout = '$layout';\n", dbname => 'layouts'), '', "$layout is installed");
    is(as_owner(q{SET client_min_messages = error; SELECT count(*), count(DISTINCT id), bool_and(id > before), bool_and(abs(extract(epoch
        FROM snowid.snowflake_time(id) - clock_timestamp())) < 5)
        FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM (SELECT n, snowid.snowflake_next() AS id FROM generate_series(1, 20)
            AS n) s) s;
        SELECT count(DISTINCT id) FROM snowid.snowflake_next_batch(20) AS id}, dbname => 'layouts'), "20|20|t|t\n20", 'and makes ids');
    like((as_owner("SELECT snowid.snowid_set('worker_id', '9999999')", dbname => 'layouts'))[1],
        $layout =~ /mastodon|=31/ ? qr/DETAIL:  The layout is .*: it has no worker\.$/m : qr/DETAIL:  .*: its worker is a number/, 'or says what worker it has');
    $node->safe_psql('postgres', 'DROP DATABASE layouts');
}

# names that a caller puts before pg_catalog's
@types = ('bigint', 'integer', 'double precision', 'text', 'timestamptz', 'interval', 'timestamp', 'boolean');
my $hostile = "CREATE SCHEMA evil; GRANT USAGE ON SCHEMA evil TO PUBLIC; CREATE FUNCTION evil.run() RETURNS void LANGUAGE plpgsql
    AS 'BEGIN RAISE EXCEPTION ''evil''; END';\n";
for my $left (@types) {
    for my $right (@types) {
        $hostile .= "CREATE FUNCTION evil.op(\"a\" $left, b $right) RETURNS $left LANGUAGE plpgsql
            AS 'BEGIN RAISE EXCEPTION ''evil operator''; END';\n"
            . join('', map { "CREATE OPERATOR evil.$_ (LEFTARG = $left, RIGHTARG = $right, FUNCTION = evil.op);\n" } '+', '-', '*', '/',
                '%', '<<', '>>', '&', '|', '||', '<', '>', '<=', '>=', '=');
    }
}
for my $function ('clock_timestamp()', 'setval(regclass, bigint)', 'nextval(regclass)', 'date_part(text, timestamptz)',
    'pg_advisory_lock(integer, integer)', 'to_hex(bigint)', 'lpad(text, integer, text)', 'timezone(interval, timestamp)',
    'get_byte(bytea, integer)', 'generate_series(bigint, bigint, bigint)') {
    $hostile .= "CREATE FUNCTION evil.$function RETURNS text LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''evil function''; END';\n";
}
$node->safe_psql('app', $hostile);
is((as_owner(<<'SQL'))[1], '', 'a search_path changes nothing');
CREATE TEMP TABLE text (a int); CREATE TEMP TABLE record (a int); CREATE TEMP TABLE uuid (a int); CREATE TEMP TABLE timestamptz (a int);
    CREATE TEMP TABLE regclass (a int); CREATE TEMP TABLE snowid_position (a int);
SET search_path = pg_temp, evil, pg_catalog, snowid;
SELECT snowflake_next(), snowflake_time(5), snowflake_worker(5), snowflake_sequence(5), snowflake_decode(5), snowflake_encode('2026-01-01',
    1, 1), snowflake_lower_bound('2026-01-01'), snowflake_first('2026-01-01', '<'),
    snowflake_last('2026-01-01', '>'), snowflake_first('[2026-01-01,)'::tstzrange), snowflake_last('[2026-01-01,)'::tstzrange),
        snowflake_time(5, 'js'), snowflake_decode(5, 'twitter'), snowflake_lower_bound('2026-01-01', 'js'),
    snowid_layout_canonical('js'), uuidv7_next(), snowid_period('2026-01-01', '1 day');
SELECT uuidv7_time(id), uuidv7_version(id), uuidv7_valid(id), uuidv7_rand_a(id), uuidv7_rand_b(id), uuidv7_decode(id),
    uuidv7_lower_bound('2026-01-01'), uuidv7_first('2026-01-01', '<'), uuidv7_encode('2026-01-01', 1, 1)
    FROM snowid.uuidv7_next() AS id;
SELECT * FROM snowflake_next_batch(3);
SELECT * FROM snowid_layouts;
CREATE TABLE public.parted (id bigint) PARTITION BY RANGE (id);
SELECT snowid_partition('public.parted', '1 day'), snowid_partitions('public.parted');
CALL snowid_maintain();
SQL

# the clock
my $last = 0;
my $session = $node->background_psql('app');
sub next_is_greater {
    my ($what) = @_;
    my ($id, $ahead) = split /\|/, $session->query_safe('SELECT id, round(1000 * extract(epoch
        FROM snowid.snowflake_time(id) - clock_timestamp())) FROM snowid.snowflake_next() AS id');
    cmp_ok($id, '>', $last, "$what: the id is greater");
    $last = $id;
    return $ahead;
}
sub refused {
    my ($sql, $like, $what) = @_;
    fails_with($node, $sql, '58000', $like, $what, dbname => 'app');
}
cmp_ok(abs(next_is_greater('at first')), '<', 5000, 'ids are of now');
my $asked_at = time();
set_clock($clock, -0.003);
cmp_ok(next_is_greater('3 ms back'), '<=', 0, '3 ms back: waits for the clock');
set_clock($clock, -1);
cmp_ok(next_is_greater('1 s back'), '>', 900 - 1000 * (time() - $asked_at), '1 s back: logical time goes on');
is(as_owner('SELECT count(DISTINCT id) FROM snowid.snowflake_next_batch(1000) AS id'), 1000, 'and so do batches');
set_clock($clock, -3600);
refused('SELECT snowid.snowflake_next()',
    qr/ERROR:  58000: the clock is (?:1 h|59 min) behind the snowflakes that have been made.*DETAIL:.*2000 ms ahead.*HINT:/s, '1 h back');
refused('SELECT count(*) FROM snowid.snowflake_next_batch(10)', qr/the clock is (?:1 h|59 min) behind/, '1 h back, batch');
as_owner("SELECT snowid.snowid_set('clock_drift', '60min')");
cmp_ok(next_is_greater('1 h back, allowed'), '>', 3500000, 'with a drift of 60 min ids go on');
as_owner("SELECT snowid.snowid_set('clock_drift', NULL)");
refused('SELECT snowid.snowflake_next()', qr/the clock is (?:1 h|59 min) behind/, 'and without');
set_clock($clock, 0);
cmp_ok(next_is_greater('back to the truth'), '<=', 0, 'the clock is right again: so are ids');
set_clock($clock, 1 - time);
refused('SELECT snowid.snowflake_next()', qr/the clock is before the epoch of the snowflake layout.*DETAIL:.*1970/s, '1970');
set_clock($clock, 2190000000);
fails_with($node, 'SELECT snowid.snowflake_next()', '22008', qr/the time of the snowflake layout has run out.*DETAIL:.*2093/s, 'after 2093',
    dbname => 'app');
$node->safe_psql('postgres', 'CREATE DATABASE js OWNER plain_owner');
install("SET snowid.layout = 'js';\n", dbname => 'js');
fails_with($node, 'SELECT snowid.snowflake_next()', '22008', qr/the time of the snowflake layout has run out/,
    'after 2093, where ids have bits left', dbname => 'js');
set_clock($clock, 0);
as_owner('SELECT snowid.snowflake_next()', dbname => 'js');
set_clock($clock, 2190000000);
fails_with($node, 'SELECT snowid.snowflake_next()', '22008', qr/the time of the snowflake layout has run out/,
    'after 2093, where ids were made before', dbname => 'js');
set_clock($clock, 0);
cmp_ok(next_is_greater('back from there'), '<=', 0, 'the clock is right again, and nothing was taken');

# a horizon in the far future would stop all ids
my $advance = "SELECT snowid.snowid_horizon_advance(clock_timestamp() + interval";
fails_with($node, "$advance '1 hour')", '22023', qr/the horizon would be \S+ \w+ ahead of the clock.*DETAIL:.*HINT:.*force => true/s,
    'a far horizon is refused', dbname => 'app');
cmp_ok(next_is_greater('a far horizon was refused'), '<=', 0, 'ids go on');
fails_with($node, 'SELECT snowid.snowid_horizon_advance(NULL)', '22004', qr/the time of the horizon must not be NULL/, 'no time',
    dbname => 'app');
is((as_owner("$advance '1 year', force => true)"))[1], '', 'unless it must be');
refused('SELECT snowid.snowflake_next()', qr/the clock is \S+ \w+ behind.*HINT:.*whether snowid.snowid_horizon_advance\(\) was called/s,
    'ids are put off to it, and the hint says so');
is((as_owner("SELECT setval('snowid.snowid_position', 0)"))[1], '', 'the owner takes a wrong one back');
cmp_ok(next_is_greater('taken back'), '<=', 0, 'and ids go on from the clock');
is((as_owner("$advance '500 ms')"))[1], '', 'a near one is not refused');
next_is_greater('a near horizon');
$session->quit;

# sessions that are cancelled or ended at any moment leave no lock behind
as_owner('CREATE TABLE made (id bigint NOT NULL DEFAULT snowid.snowflake_next(), n bigint GENERATED ALWAYS AS IDENTITY)');
my $insert = 'INSERT INTO made DEFAULT VALUES RETURNING id';
my @files = map { "$folder/ids$_" } 1 .. 4;
my @writers = map { writer_start($node, $_, dbname => 'app', query => $insert, pause => 0.0002, committed => 1) } @files;
my @cancelled = map { "$folder/cancelled$_" } 1 .. 2;
my @to_cancel = map { writer_start($node, $_, dbname => 'app',
    query => 'SELECT count(snowid.snowflake_next()) FROM generate_series(1, 300) /* to be cancelled */', pause => 0) } @cancelled;
my $witness = $node->background_psql('app');
my $cancels = 0;
my $until = time() + 60;
my $wanted = usual_or_long(30, 100);
while ($cancels < $wanted && time() < $until) {
    $cancels += $witness->query_safe(q{SELECT count(CASE WHEN random() < 0.9 THEN pg_cancel_backend(pid) ELSE pg_terminate_backend(pid) END)
        FROM pg_stat_activity
        WHERE query LIKE '%to be cancelled%' AND pid <> pg_backend_pid() AND state = 'active'});
    sleep(0.03);  # a session that is cancelled again while it lets go of the lock keeps it: doc/plain.md
}
$witness->quit;
cmp_ok($cancels, '>=', $wanted, "$cancels were cancelled");
ok(ids_go_on(\@files, more => 20), 'ids go on');
writer_stop(@to_cancel);
ok($node->poll_query_until('app', q{SELECT count(*) = 0 FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory'
    AND granted AND state <> 'active'}), 'no lock is left');

# kills at random moments
my %crash = (
    backend => sub { kill_backend($node) },
    postmaster => sub { kill_postmaster($node); start_again($node, %clock) },
    immediate => sub { $node->stop('immediate'); start_again($node, %clock) },
    checkpoint => sub { $node->safe_psql('postgres', 'CHECKPOINT'); $node->stop('immediate'); start_again($node, %clock) },
);
my @kinds = sort keys %crash;
my $stuck = 0;
my $rounds = usual_or_long(8, 20);
for my $round (1 .. $rounds) {
    set_clock($clock, (0, -0.01, -1, 0)[$round % 4]);
    sleep(rand(0.2));
    accepts_connections($node);
    $crash{ $kinds[$round % @kinds] }->();
    $stuck++ unless ids_go_on(\@files, more => 1);
}
is($stuck, 0, "ids go on after each of $rounds crashes");
is_deeply({ refusals(@files) }, {}, 'and nobody was refused one');
for my $kind ('immediate', 'backend') {
    set_clock($clock, -3600);
    $crash{$kind}->();
    accepts_connections($node);
    sleep(0.2);
    ok(ids_stand(\@files), "no ids after a crash ($kind), the clock set back by 1 h");
    set_clock($clock, 0);
    ok(ids_go_on(\@files), 'they go on when the clock is right again');
}
my %told = refusals(@files);
is(join(', ', grep { !/^58000 the clock is [#\d.]+ (?:s|min|h) behind the snowflakes that have been made$/ } keys %told), '',
    'clients are told why');

# a standby takes over, with a clock that is behind
$node->backup('base');
my $standby = Server->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
my $clock_there = "$folder/clock_there";
my %clock_there = faked_clock($clock_there);
set_clock($clock_there, -1);
start_again($standby, %clock_there);
fails_with($standby, 'SELECT snowid.snowflake_next()', '25006', qr/cannot execute snowflake_next\(\) in a read-only transaction/,
    'a standby makes no ids', dbname => 'app');
ok(ids_go_on(\@files, more => 20), 'ids go on');
sleep(0.3);
kill('STOP', @writers);
$node->wait_for_catchup($standby, 'replay');
kill_postmaster($node);
writer_stop(map { kill('CONT', $_); $_ } @writers);
$standby->promote;
my @there = map { "$folder/there$_" } 1 .. 4;
@writers = map { writer_start($standby, $_, dbname => 'app', query => $insert, committed => 1) } @there;
ok(ids_go_on(\@there, more => 20), 'they go on at the standby that was promoted');
is_deeply({ refusals(@there) }, {}, 'nobody is refused');
writer_stop(@writers);
check_ids('crashes and a takeover', @files, @there);
my ($latest) = sort { $b <=> $a } map { (split /\n/, slurp_file($_))[-1] } @files;
my ($after) = sort { $a <=> $b } map { (split /\n/, slurp_file($_))[0] } @there;
cmp_ok($after, '>', $latest, 'all ids of the new server are above those of the old one');
is($standby->safe_psql('app', 'SELECT count(*) - count(DISTINCT id) FROM made'), 0, 'no committed id is there twice');

# a dump, restored beside by the owner, with a clock that has gone back
my $dump = "$folder/dump.sql";
command_ok([ 'pg_dump', '-h', $standby->host, '-p', $standby->port, '-U', 'plain_owner', '-n', 'public', '-n', 'snowid', '-f', $dump,
    'app' ], 'a dump by the owner');
set_clock($clock_there, -2);
$standby->safe_psql('postgres', 'CREATE DATABASE restored OWNER plain_owner');
my (undef, $restored) = $standby->psql('restored', "DROP SCHEMA public;\n" . slurp_file($dump), user => 'plain_owner');
my $most = $standby->safe_psql('restored', 'SELECT max(id) FROM made');
cmp_ok($standby->safe_psql('restored', 'INSERT INTO made DEFAULT VALUES RETURNING id'), '>', $most, 'what is restored goes on above');
is($standby->safe_psql('restored', 'SELECT snowid.snowflake_worker(snowid.snowflake_next())'), 7, 'with its worker');

# its tables alone: only the horizon keeps ids from coming again
$standby->safe_psql('postgres', 'CREATE DATABASE tables_alone');
$standby->safe_psql('tables_alone', "$file SELECT snowid.snowid_set('worker_id', '7')");
$standby->safe_psql('tables_alone', "SELECT snowid.snowid_set('clock_drift', '60min')");
set_clock($clock_there, $standby->safe_psql('restored', "SELECT extract(epoch FROM snowid.snowflake_time($most))") - 60 - time());
my $next = 'SELECT snowid.snowflake_next()';
cmp_ok($standby->safe_psql('tables_alone', $next), '<', $most, 'without them ids would come again');
$standby->safe_psql('tables_alone', "SELECT snowid.snowid_horizon_advance(snowid.snowflake_time($most) + interval '1 ms')");
cmp_ok($standby->safe_psql('tables_alone', $next), '>', $most, 'with snowid_horizon_advance they go on above');
$standby->stop;

# the page's steps to the extension and back, while others write
my $own = new_server('own', 'snowid.worker_id = 7', 'client_min_messages = warning');
$own->start;
$own->safe_psql('postgres', 'CREATE DATABASE moving');
sub own { return $own->safe_psql('moving', $_[0]); }
own("\\i plain/snowid.sql\nSELECT snowid.snowid_set('worker_id', '7')");
own('CREATE TABLE moved_a (id bigint NOT NULL DEFAULT snowid.snowflake_next());
    CREATE TABLE moved_b (id bigint NOT NULL DEFAULT snowid.snowflake_next(), u uuid DEFAULT snowid.uuidv7_next())');
own("CREATE VIEW times AS SELECT snowid.snowflake_time(id) FROM moved_a;
    CREATE FUNCTION makes_id() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN snowid.snowflake_next(); END'");
own("CREATE EXTENSION pgcrypto; SELECT snowid.snowid_seal_key_create(0), snowid.snowid_seal_key_create(2); SELECT snowid.snowid_seal_key_use(2)");
my @sealed = map { own("SELECT snowid.id_seal(42, 'ord', $_)") } 0, 2;
own("CREATE TABLE moved_parts (id bigint) PARTITION BY RANGE (id); SELECT snowid.snowid_partition('moved_parts', '1 day', 2, 3)");
own("SELECT snowid.snowid_partition('moved_parts', '1 day', retain => '1 day')");
sub listed { return join("\n", sort split /\n/, own($_[0])); }
sub kept {
    my ($schema) = @_;
    my $records = $schema eq 'snowid' ? 'snowid.snowid_partitioned' : '_snowid.partitioned';
    return join("\n", own("SELECT * FROM (SELECT parent, every, ahead, behind, retain, expired FROM $records) s"),
        (map { own("SELECT $schema.id_unseal('$_', 'ord')") } @sealed), own("SELECT number FROM $schema.snowid_seal_keys WHERE current"));
}
my $kept = "moved_parts|1 day|2|3|1 day|detach\n42\n42\n2";
is(kept('snowid'), $kept, 'keys and records');
my %steps = slurp_file('doc/plain.md') =~ /^## (Moving to the extension|And back)\n(.*?)(?=^## )/msg;
@files = map { "$folder/moved$_" } 1 .. 4;
@writers = map { writer_start($own, $files[$_], dbname => 'moving', query => 'INSERT INTO moved_' . ('a', 'b')[$_ % 2] .
    ' DEFAULT VALUES RETURNING id', pause => 0.0005) } 0 .. 3;
ok(ids_go_on(\@files, more => 50), 'four clients write, by the plain functions');
my $of = q{SELECT string_agg(DISTINCT e, ' ' ORDER BY e) FROM (SELECT regexp_replace(pg_get_expr(adbin, adrelid), '^public\.', '') AS e
    FROM pg_attrdef WHERE adrelid::regclass::text LIKE 'moved%') s};
for my $way ('Moving to the extension', 'And back') {
    for my $block ($steps{$way} =~ /^```sql\n(.*?)^```$/msg) {
        my ($depends) = $steps{$way} =~ /^(SELECT DISTINCT.* AS depends .*?;)$/ms;
        like(listed($depends), qr/^partitions of moved_parts\n.*^seal key 0\nseal key 2$/ms, 'what would be lost is listed')
            if $block =~ /seal_key_use/;
        if ($block =~ /AS depends/) {
            is(listed($depends) =~ s/parts_\d+/parts_DAY/gr, "detached moved_parts_DAY\n" x 2 .
                "function makes_id()\nrule _RETURN on view times",
                'what names the schema is listed');
            is(own("DROP VIEW times; DROP FUNCTION makes_id(); DELETE FROM snowid.snowid_detached; $depends"), '', 'and then nothing does');
        }
        my ($status, $out, $err) = $own->psql('moving', $block, on_error_stop => 1);
        is("$status$err", 0, "$way: " . join(' ', map { /^\s*(\S+ \S+)/ ? $1 : () } split /\n/, $block));
        ok(ids_go_on(\@files, more => 20), 'ids go on');
        next unless $block =~ /snowid_hand_over/;
        fails_with($own, 'SELECT snowid.snowid_horizon_advance(now())', '55000', qr/come from the extension$/m,
            'the horizon is the extension\'s', dbname => 'moving');
        like(($own->psql('moving', "SELECT snowid.snowid_set('worker_id', '7')"))[2],
            qr/WARNING:  .* come from the extension.*\nHINT:  Set snowid.worker_id in/, 'and so is the worker');
    }
    is(kept($way =~ /back/ ? 'snowid' : 'public'), $kept, "$way: keys and records are there");
    is(own($of), $way =~ /back/ ? 'snowid.snowflake_next() snowid.uuidv7_next()' : 'snowflake_next() uuidv7_next()',
        "$way: the defaults are swapped");
    is(own("SELECT (SELECT count(*) FROM pg_extension WHERE extname = 'snowid') || ' ' || (SELECT count(*) FROM pg_namespace
        WHERE nspname = 'snowid')"), $way =~ /back/ ? '0 1' : '1 0', 'and one of the two is gone');
}
writer_stop(@writers);
is_deeply({ refusals(@files) }, {}, 'nobody is refused');
check_ids('there and back', @files);

# the extension goes before its ids were taken back
own('CREATE EXTENSION snowid; SELECT snowid.snowid_hand_over(); DROP EXTENSION snowid');
fails_with($own, 'SELECT snowid.snowflake_next()', '55000', qr/come from the extension snowid, which is not here/, 'the extension is gone',
    dbname => 'moving');
like(($own->psql('moving', 'SET client_min_messages = warning; SELECT snowid.snowid_take_back()'))[2],
    qr/WARNING:  without the extension nothing says how far its ids have come\nHINT:.*snowid_horizon_advance/, 'who takes them back is warned');
own('SELECT snowid.snowflake_next()');
$own->stop;

done_testing();
