# Two schemas: the one that CREATE EXTENSION names has what a user may call, and _snowid has the rest. Nobody names _snowid, nobody can
# plant anything there, and the first one can have any name, before and after.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

my $node = new_server('schemas');
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE stranger LOGIN; CREATE ROLE planter LOGIN');
my @stranger = (user => 'stranger');
my @planter = (user => 'planter');

$node->safe_psql('postgres', 'CREATE DATABASE planted OWNER planter');
$node->safe_psql('planted', 'CREATE SCHEMA _snowid', @planter);
fails_with($node, 'CREATE EXTENSION snowid', '42P06', qr/schema "_snowid" already exists/, 'a schema _snowid that is there already',
    dbname => 'planted');
is($node->safe_psql('planted', "SELECT count(*) FROM pg_extension WHERE extname = 'snowid'"), 0, 'leaves nothing');

# a schema of its own
$node->safe_psql('postgres', 'CREATE DATABASE app OWNER planter');
$node->safe_psql('app', 'CREATE SCHEMA ids; GRANT USAGE ON SCHEMA ids TO PUBLIC; GRANT CREATE ON SCHEMA public TO PUBLIC', @planter);
$node->safe_psql('app', 'CREATE EXTENSION snowid SCHEMA ids', @planter);
$node->safe_psql('app', 'CREATE SCHEMA moves; GRANT USAGE ON SCHEMA moves TO PUBLIC; CREATE EXTENSION snowid_convert SCHEMA moves', @planter);
is($node->safe_psql('app', q(SELECT string_agg(DISTINCT proname, ' ') FROM pg_proc WHERE pronamespace = 'ids'::regnamespace
    AND proname ~ '^_|_(in|out|lt|support|as_owner)$')),
    '', 'no internal function is there');
is($node->safe_psql('app', q(SELECT string_agg(DISTINCT classid::regclass::text, ' ') FROM pg_depend JOIN pg_namespace AS n
    ON n.oid = refobjid
    WHERE refclassid = 'pg_namespace'::regclass AND nspname = '_snowid')), 'pg_class pg_proc pg_type',
    '_snowid has functions, tables and the type of their columns');
for my $who ([ 'the owner of the extension', @planter ], [ 'a stranger', @stranger ]) {
    my ($name, @as) = @$who;
    fails_with($node, 'CREATE FUNCTION _snowid.trap() RETURNS int LANGUAGE sql RETURN 1', '42501', qr/permission denied for schema _snowid/,
        "$name plants nothing", dbname => 'app', @as);
    fails_with($node, 'ALTER SCHEMA _snowid RENAME TO mine', '42501', qr/must be owner of schema _snowid/, "$name does not rename it",
        dbname => 'app', @as);
}
my $shown = $node->safe_psql('app', '\df', @stranger);
is($shown, '', '\df shows nothing without the schema in the search_path');
$shown = $node->safe_psql('app', "SET search_path = ids;\n\\df", @stranger);
cmp_ok(scalar(my @lines = split /\n/, $shown), '>', 100, '\df shows what a user may call');
unlike($shown, qr/_snowid\b|\|_/, '\df shows no internal function');

# what a stranger does with it
$node->safe_psql('app', <<'SQL', @stranger);
CREATE TABLE message (id bigint PRIMARY KEY DEFAULT ids.snowflake_next(), at timestamptz GENERATED ALWAYS
    AS (ids.snowflake_time(id)) STORED);
CREATE TABLE of_ulid (id ids.ulid PRIMARY KEY DEFAULT ids.ulid_next(), other ids.ulid DEFAULT ids.ulid_next(),
    CHECK (id OPERATOR(ids.<>) other));
CREATE INDEX ON of_ulid USING brin (id ids.ulid_minmax_multi_ops);
CREATE INDEX ON of_ulid USING hash (id);
CREATE VIEW seen AS SELECT ids.max(id) AS last, id::timestamptz AS at FROM of_ulid WHERE id OPERATOR(ids.<@) tstzrange('2010-01-01Z', NULL)
    GROUP BY id;
INSERT INTO message SELECT FROM generate_series(1, 10);
INSERT INTO of_ulid SELECT FROM generate_series(1, 10);
SQL
fails_with($node, "SELECT count(*) FROM of_ulid WHERE id >= now() - interval '1 day'", '42883',
    qr/operator does not exist: ids\.ulid >= timestamp/, 'time operators without the schema in the search_path',
    dbname => 'app', @stranger);
is($node->safe_psql('app', <<'SQL', @stranger), "10\n10\n10\n10", 'with it they are found');
SET search_path = "$user", public, ids;
SELECT count(*) FROM of_ulid WHERE id >= now() - interval '1 day';
SELECT count(*) FROM of_ulid WHERE id <@ tstzrange(now() - interval '1 day', NULL);
SELECT count(*) FROM message WHERE id::snowflake >= now() - interval '1 day';
SELECT count(*) FROM of_ulid AS a JOIN of_ulid AS b USING (id);
SQL
for my $path ('public', 'public, ids') {
    my $told = $node->safe_psql('app', <<"SQL", @stranger);
SET search_path = $path;
\\d message
\\d of_ulid
\\d seen
\\d+ seen
EXPLAIN (VERBOSE, COSTS OFF) SELECT * FROM of_ulid WHERE id OPERATOR(ids.>) other AND id OPERATOR(ids.>=) timestamptz '2024-01-01Z'
    ORDER BY id;
EXPLAIN (VERBOSE, COSTS OFF) SELECT ids.min(id), count(DISTINCT other) FROM of_ulid;
EXPLAIN (VERBOSE, COSTS OFF) SELECT * FROM message WHERE id::ids.snowflake OPERATOR(ids.<) '2024-01-01Z'::timestamptz;
EXPLAIN (VERBOSE, COSTS OFF) SELECT ids.snowflake_next(), id::timestamptz, id::bytea FROM of_ulid;
SQL
    unlike($told, qr/_snowid/, "\\d and EXPLAIN show no internal name, by search_path $path");
}
command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-h', $node->host, '-p', $node->port, '-f', 'test/tap/shown.sql', 'app' ],
    'nor does any function, operator or cast, in EXPLAIN or in a view');
like($node->safe_psql('app', "EXPLAIN SELECT * FROM message WHERE id::ids.snowflake OPERATOR(ids.<) (now() - interval '1 day')"),
    qr/_snowid\.snowflake_last_now/, 'but in a bound that the planner makes');
is($node->safe_psql('app', <<'SQL', @stranger), "created\n1\nbigint", 'a stranger partitions and converts');
SET client_min_messages = error;
CREATE TABLE parts (id bigint DEFAULT ids.snowflake_next()) PARTITION BY RANGE (id);
SELECT action FROM ids.snowid_partition('parts', '1 day', ahead => 0);
CALL ids.snowid_maintain('parts');
SELECT count(*) FROM ids.snowid_maintenance WHERE error IS NULL;
CREATE TABLE old (id serial PRIMARY KEY);
INSERT INTO old DEFAULT VALUES;
CALL moves.snowid_convert('old', rewrite => true);
SELECT atttypid::regtype FROM pg_attribute WHERE attrelid = 'old'::regclass AND attname = 'id';
SQL

# a dump names the tables and nothing else that is internal, and can be restored
my $dump = PostgreSQL::Test::Utils::tempdir() . '/app.sql';
command_ok([ 'pg_dump', '-h', $node->host, '-p', $node->port, '-f', $dump, 'app' ], 'a dump');
unlike(slurp_file($dump), qr/^(?!--|COPY _snowid\.\w+ \().*_snowid/m, 'names nothing internal but tables');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
command_ok([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-h', $node->host, '-p', $node->port, '-d', 'restored', '-f', $dump ],
    'is restored');
is($node->safe_psql('restored', 'SELECT (SELECT count(*) FROM message), (SELECT count(*) FROM of_ulid
    WHERE id OPERATOR(ids.>=) now() - interval \'1 hour\')'), '10|10', 'with all that it has');

# the schema gets another name: what is open and what is new goes on
my $session = $node->background_psql('app', on_error_stop => 0);
$session->query_safe("SELECT count(*) FROM ids.snowid_partition('parts', '1 day'); SELECT count(*) FROM ids.snowid_partitions('parts');
    SELECT count(*) FROM moves.snowid_convert_plan('message', online => true)");
$node->safe_psql('app', 'ALTER SCHEMA ids RENAME TO "Other ids"', @planter);
is($session->query_safe(q(SELECT count(*) > 0 FROM "Other ids".snowid_partitions('parts'); CALL "Other ids".snowid_maintain('parts');
    SELECT count(*) FROM "Other ids".snowid_maintenance WHERE error IS NULL;
    SELECT count(*) FROM "Other ids".snowid_check() WHERE subject = 'tables'; SELECT count(*) FROM "Other ids".snowid_metrics()
        WHERE name = 'none')), "t\n1\n0\n0", 'in a session that has called them by the old name');
$session->quit;
my $fill = q{CALL moves.snowid_convert_fill('public.posts'::regclass, 5000, '0'::interval, '10 s'::interval)};
is($node->safe_psql('app', <<'SQL'), "t\nt\n$fill\nbigint|\"Other ids\".snowflake_next()\nt", 'and in others');
SET client_min_messages = error;
SELECT count(*) > 0 FROM "Other ids".snowid_layout_change('default') AS rebuilt;
SELECT count(*) > 3 FROM "Other ids".snowid_partition('parts', '1 day', ahead => 9);
CREATE TABLE posts (id serial PRIMARY KEY, up int REFERENCES posts);
INSERT INTO posts DEFAULT VALUES;
SELECT statement FROM moves.snowid_convert_plan('posts', online => true) WHERE statement ~ '^CALL.*snowid_convert_fill';
\o /dev/null
SELECT statement FROM moves.snowid_convert_plan('posts', online => true) WHERE statement IS NOT NULL ORDER BY step \gexec
\o
SELECT atttypid::regtype, pg_get_expr(adbin, adrelid) FROM pg_attribute JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE attrelid = 'posts'::regclass AND attname = 'id';
INSERT INTO posts DEFAULT VALUES;
DO $$ BEGIN PERFORM "Other ids".snowid_generator_create('named', worker => 44); END $$;
ALTER TABLE posts ALTER id SET DEFAULT "Other ids".snowflake_next('named');
DO $$ BEGIN PERFORM "Other ids".snowid_generator_alter('named', new_name => 'another'); END $$;
SELECT pg_get_expr(adbin, adrelid) ~ 'another' FROM pg_attrdef WHERE adrelid = 'posts'::regclass;
SQL

# whoever owns _snowid can rename it, and is told what that does
$node->safe_psql('app', 'ALTER SCHEMA _snowid RENAME TO internals');
is($node->safe_psql('app', 'SELECT severity, what_to_do FROM "Other ids".snowid_check()'),
    'error|As a superuser, run: ALTER SCHEMA internals RENAME TO _snowid;', 'snowid_check() says that _snowid has another name');
$node->safe_psql('app', 'ALTER SCHEMA internals RENAME TO _snowid');
is($node->safe_psql('app', q(SELECT count(*) FROM "Other ids".snowid_check() WHERE what_to_do ~ 'RENAME')), 0,
    'and that all is well again');

# functions of ours that a superuser has made where the extension is not
$node->safe_psql('postgres', 'CREATE DATABASE bare');
$node->safe_psql('bare', <<'SQL');
CREATE FUNCTION support(internal) RETURNS internal AS '$libdir/snowid', 'snowid_time_lt_support' LANGUAGE C IMMUTABLE STRICT;
CREATE FUNCTION lt(uuid, timestamptz) RETURNS boolean AS '$libdir/snowid',
    'snowid_uuidv7_time_lt' LANGUAGE C IMMUTABLE STRICT SUPPORT support;
CREATE TABLE t (id uuid PRIMARY KEY);
SQL
fails_with($node, 'SELECT * FROM t WHERE lt(id, now())', '42883', qr/function public\.uuidv7_\w+\(.*\) does not exist/,
    'a time filter without the extension', dbname => 'bare');

# it goes with the extension
$node->safe_psql('app', 'DROP EXTENSION snowid CASCADE', @planter);
is($node->safe_psql('app', "SELECT count(*) FROM pg_namespace WHERE nspname ~ '^_snowid'"), 0, 'DROP EXTENSION drops the schemas');
$node->safe_psql('app', 'CREATE EXTENSION snowid SCHEMA "Other ids"', @planter);
cmp_ok($node->safe_psql('app', 'SELECT "Other ids".snowflake_next()', @stranger), '>', 0, 'and it can be created again');

done_testing();
