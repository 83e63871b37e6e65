# Who leaves calls once, and runs the statements that it tells. Then both extensions are dropped without CASCADE, and no row is
# another: by its text, in what PostgreSQL has for each type.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

$node = new_server('leave', 'autovacuum = off', 'fsync = off', 'client_min_messages = warning', "timezone = 'UTC'");
$node->start;
sql('CREATE ROLE "One-1" LOGIN; CREATE ROLE two LOGIN; CREATE ROLE guest; GRANT CREATE ON DATABASE postgres TO "One-1", two;
    CREATE ROLE "Super-1" SUPERUSER LOGIN;
    CREATE SCHEMA ids; GRANT USAGE ON SCHEMA ids TO PUBLIC; CREATE EXTENSION snowid SCHEMA ids; CREATE EXTENSION snowid_convert SCHEMA ids;
    ALTER DATABASE postgres SET search_path = public, ids');
my @types = qw(snowflake ulid ksuid objectid rsxid sandflake sno);
my $call = "CALL snowid_convert(target => 'builtin', rewrite => true)";
sub as { my ($role, $sql) = @_; return $node->safe_psql('postgres', "SET client_min_messages = error; $sql", user => $role); }

# every type, as a key with a reference, in arrays, constraints, indexes and a view; and defaults of all kinds
as('One-1' => 'CREATE SCHEMA app; GRANT USAGE ON SCHEMA app TO two');
as('One-1' => <<"SQL") for @types;
CREATE TABLE app.$_ (id $_ PRIMARY KEY DEFAULT ${_}_next(), up $_ REFERENCES app.$_ DEFERRABLE, many ${_}[], "a b" $_ UNIQUE, n int,
    CONSTRAINT other CHECK (id <> up));
CREATE TABLE app.of_$_ (id bigserial PRIMARY KEY, $_ $_ NOT NULL REFERENCES app.$_ ON DELETE CASCADE, n int, EXCLUDE (n WITH =));
COMMENT ON CONSTRAINT of_${_}_${_}_fkey ON app.of_$_ IS 'it''s a key';
CREATE INDEX ON app.of_$_ ($_, n) WHERE $_ IS NOT NULL;
CREATE VIEW app.all_$_ AS SELECT a.id, a.many, o.n FROM app.$_ AS a JOIN app.of_$_ AS o ON o.$_ = a.id;
GRANT SELECT ON app.all_$_ TO two;
INSERT INTO app.$_ (n) SELECT generate_series(1, 5);
UPDATE app.$_ SET up = (SELECT min(id) FROM app.$_) WHERE n > 3;
UPDATE app.$_ SET many = ARRAY[id, up], "a b" = id;
INSERT INTO app.of_$_ ($_, n) SELECT id, n FROM app.$_;
SQL
as('One-1' => <<'SQL');
CREATE TABLE app.orders (id bigserial PRIMARY KEY);
CREATE TABLE app.invoice (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, order_id bigint REFERENCES app.orders);
CREATE TABLE app.plain (id bigint PRIMARY KEY DEFAULT snowflake_next());
CREATE TABLE app.visit (id uuid PRIMARY KEY DEFAULT uuidv7_next(), token text DEFAULT ulid_next()::text,
    number int GENERATED ALWAYS AS IDENTITY);
CREATE TABLE app.log (id bigint DEFAULT snowflake_next(), line text, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE app.parent (id snowflake DEFAULT snowflake_next(), line text, five snowflake DEFAULT 5,
    same ulid DEFAULT '01ARZ3NDEKTSV4RRFFQ69G5FAV' CHECK (same >= '01ARZ3NDEKTSV4RRFFQ69G5FAV'));
CREATE TABLE app.child (more ulid DEFAULT ulid_next()) INHERITS (app.parent);
CREATE VIEW app.latest AS SELECT max(more) AS last, min(id) AS first FROM app.child WHERE same >= '01ARZ3NDEKTSV4RRFFQ69G5FAV' AND id > 7;
INSERT INTO app.orders SELECT FROM generate_series(1, 5);
INSERT INTO app.invoice (order_id) SELECT id FROM app.orders;
INSERT INTO app.plain SELECT FROM generate_series(1, 5);
INSERT INTO app.visit SELECT FROM generate_series(1, 5);
INSERT INTO app.child (line) VALUES ('a');
SELECT snowid_partition('app.log', every => '1 day');
INSERT INTO app.log (line) VALUES ('a');
CALL snowid_convert('app.orders');
CALL snowid_convert('app.invoice');
INSERT INTO app.orders DEFAULT VALUES;
INSERT INTO app.invoice (order_id) SELECT max(id) FROM app.orders;
SQL
# what stays: some of it in the way of the types
sql('SELECT snowid_seal_key_create()');
as('One-1' => <<'SQL');
CREATE VIEW app.recent AS SELECT id FROM app.snowflake WHERE id >= now() - interval '1 hour';
CREATE VIEW app.recent_plain AS SELECT id FROM app.plain WHERE id >= snowflake_lower_bound(now() - interval '1 hour');
CREATE MATERIALIZED VIEW app.ulids AS SELECT id FROM app.ulid;
CREATE TABLE app.made (id bigint, made timestamptz GENERATED ALWAYS AS (snowflake_time(id)) STORED, CHECK (snowflake_worker(id) >= 0));
INSERT INTO app.made SELECT id FROM app.plain;
CREATE INDEX made_at ON app.made (snowflake_time(id));
CREATE INDEX ON app.ksuid USING brin (id ksuid_minmax_multi_ops);
CREATE FUNCTION app.of_ulid(ulid) RETURNS text LANGUAGE sql AS 'SELECT $1::text';
CREATE FUNCTION app.of_plain() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN snowflake_next(); END';
CREATE FUNCTION app.sees() RETURNS bigint LANGUAGE sql BEGIN ATOMIC
    SELECT count(*) FROM app.snowflake WHERE id >= now() - interval '1 hour'; END;
CREATE TYPE app.pair AS (a ulid, b snowflake, c text);
CREATE DOMAIN app.number AS snowflake CHECK (VALUE > 0);
CREATE POLICY few ON app.sno USING (sno_time(id) < now());
CREATE TRIGGER fresh BEFORE UPDATE ON app.plain FOR EACH ROW WHEN (new.id >= snowflake_lower_bound('2025-01-01Z'))
    EXECUTE FUNCTION suppress_redundant_updates_trigger();
CREATE TABLE app.numbered (id app.number);
INSERT INTO app.numbered VALUES (5);
CREATE TABLE app.cut (id ulid) PARTITION BY RANGE (id);
SQL
as(two => 'CREATE SCHEMA other; CREATE TABLE other.t (id ulid PRIMARY KEY DEFAULT ulid_next()); INSERT INTO other.t SELECT FROM generate_series(1, 3)');

my $rows = "SELECT string_agg(format('%s %s', c.oid::regclass, (xpath('/row/h/text()', query_to_xml(format(
        'SELECT md5(string_agg(t::text, '','' ORDER BY t::text COLLATE \"C\")) AS h FROM %s AS t', c.oid::regclass),
        false, true, '')))[1]), E'\\n' ORDER BY c.oid::regclass::text)
    FROM pg_class AS c WHERE relnamespace IN ('app'::regnamespace, 'other'::regnamespace) AND relkind = 'r'";
my $order = 'SELECT ' . join(' || ', map { "(SELECT string_agg(n::text, ' ' ORDER BY id) FROM app.$_)" } @types);
my ($before, $ordered) = (sql($rows), sql($order));

# the plan changes nothing, and the call does not before its way is free
my $notes = sql("SELECT string_agg(note, E'\\n') FROM snowid_convert_plan(target => 'builtin') WHERE statement IS NULL");
for my $told ('In the way: view app.recent: DROP VIEW app.recent', 'In the way: materialized view app.ulids uses the column: drop it',
    'In the way: app.numbered.id is of the domain app.number', 'In the way: app.cut is partitioned by id',
    'In the way: function app.sees\(\): DROP FUNCTION app.sees\(\)', 'In the way: policy few on app.sno: DROP POLICY few on app.sno',
    'In the way: index app.ksuid_id_idx: DROP INDEX app.ksuid_id_idx', 'Still depends: view app.recent_plain: DROP VIEW app.recent_plain',
    'Still depends: index app.made_at: DROP INDEX app.made_at', 'Still depends: type app.number: DROP TYPE app.number',
    'Still depends: generated column made of app.made: ALTER TABLE app.made ALTER made DROP EXPRESSION',
    'Still depends: function app.of_ulid\(ids.ulid\): DROP FUNCTION app.of_ulid\(ids.ulid\)',
    'Still depends: constraint made_id_check of app.made: ALTER TABLE app.made DROP CONSTRAINT made_id_check',
    'Still depends: column b of app.pair: ALTER TYPE app.pair ALTER ATTRIBUTE b TYPE bigint CASCADE',
    'Still depends: trigger fresh on app.plain: DROP TRIGGER fresh on app.plain',
    'function app.of_plain\(\) calls snowflake_next, which goes with the extension') {
    like($notes, qr/^$told/m, $told);
}
unlike($notes, qr{all_|other of app|app\.log|invoice}, 'what goes along is not told');
fails_with($node, $call, '55000', qr/this database cannot be converted\nDETAIL:  (.*\n)*In the way: view app.recent: DROP VIEW/,
    'the call says what is in the way');
is(sql($rows), $before, 'and changes nothing');
# each role changes its own tables
fails_with($node, "SET ROLE guest; $call", '42501', qr/must be owner of table/,
    'who owns none is refused');
my $of_two = sql("SET ROLE two; SELECT string_agg(coalesce(note, statement), E'\\n') FROM snowid_convert_plan(target => 'builtin')");
like($of_two, qr/^Still depends: app\.plain belongs to "One-1", who must call snowid_convert\(target => 'builtin'\) too\n/m,
    'a plan tells whose tables stay');
unlike($of_two, qr/(TABLE|of) app\.(plain|visit|log|orders)/, 'and nothing that its owner\'s call changes');
is(sql("SET client_min_messages = error; SET ROLE two; BEGIN; $call; SELECT format_type(atttypid, -1) FROM pg_attribute
    WHERE attrelid = 'other.t'::regclass AND attname = 'id'; ROLLBACK"), 'text', 'and the call changes its own');
fails_with($node, "CALL snowid_convert('app.plain', target => 'builtin')", '22023', qr/It is for a whole database/, 'it is for all tables');

# nor while a move is under way
as('One-1' => 'CREATE TABLE app.begun (id serial PRIMARY KEY)');
as('One-1' => sql("SELECT statement FROM snowid_convert_plan('app.begun', target => 'bigserial', online => true) WHERE note ~ '^second columns'"));
like(sql("SELECT string_agg(note, E'\\n') FROM snowid_convert_plan(target => 'builtin')"), qr/^In the way: app\.begun is being moved/m,
    'a move that is under way is in the way');
as('One-1' => "CALL snowid_convert('app.begun', target => 'bigserial'); DROP TABLE app.begun");

# what it tells is run: here as it stands, but for the tables that need a person
sql('ALTER TABLE app.numbered ALTER id TYPE bigint; DROP TABLE app.cut; DROP MATERIALIZED VIEW app.ulids');
my @in_the_way = $notes =~ /^In the way: .*?: ((?:DROP|ALTER) .*)$/mg;
sql(join(';', grep { !/numbered|ulids|cut/ } @in_the_way));
$before = sql($rows);
fails_with($node, "CALL snowid_convert(target => 'builtin')", '55000',
    qr/the conversion of this database rewrites tables\nDETAIL:.*\nHINT:  Pass rewrite/, 'it says that it rewrites');
# run one by one, the statements of the plan do the same
sql('CREATE DATABASE like_it TEMPLATE postgres', 'template1');
my ($status, undef, $stderr) = $node->psql('like_it', "SET search_path = public, ids;
    SELECT statement FROM snowid_convert_plan(target => 'builtin')
    WHERE statement IS NOT NULL ORDER BY step \\gexec", on_error_stop => 1);
is("$status $stderr", '0 ', 'each statement of the plan runs');
is($node->safe_psql('like_it', $rows), $before, 'and none changes a row');
is($node->safe_psql('like_it', "SET search_path = public, ids; SELECT count(statement) FROM snowid_convert_plan(target => 'builtin')"), 0,
    'nothing is left to run');
my (undef, undef, $told) = $node->psql('postgres', "SET client_min_messages = notice; $call");
like($told, qr/NOTICE:  more depends on the extensions\nDETAIL:  /, 'it tells what is left') or diag $told;
like($told, qr/NOTICE:  columns of app\.child, .*\nHINT:  Run ANALYZE app\.child, .* which blocks nobody/, 'and what to analyze');
sql(join(';', $told =~ /^(?:DETAIL:  )?[^\n]*?: ((?:DROP|ALTER) .*)$/mg));
is(sql('DROP EXTENSION snowid_convert, snowid; SELECT count(*) FROM pg_extension'), 1, 'both extensions go without CASCADE');
is(sql($rows), $before, 'no row has changed');
is(sql($order), $ordered, 'nor their order');
is(sql("SELECT string_agg(DISTINCT concat_ws(' ', atttypid::regtype, nullif(attcollation, 0)::regcollation), ',')
    FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid WHERE relnamespace = 'app'::regnamespace AND relkind IN ('r', 'v')
        AND attname IN ('id', 'up', 'many', 'more')"),
    'bigint,bigint[],text "C",text[] "C",uuid', 'ids are what PostgreSQL has');
is(sql("SELECT count(*) FROM pg_constraint WHERE conname LIKE 'of%fkey' AND obj_description(oid) = 'it''s a key' AND convalidated"), 7,
    'foreign keys are as they were');
is(sql('SET ROLE two; SELECT count(*) FROM app.all_sno'), 5, 'and views, with what others may do');
for my $into ('orders DEFAULT VALUES', 'invoice (order_id) SELECT max(id) FROM app.orders', 'plain DEFAULT VALUES',
    'snowflake DEFAULT VALUES',
    'visit (token) VALUES (1)', "log (line) VALUES ('b')", 'parent DEFAULT VALUES', "child (more) VALUES ('x')") {
    my ($table) = $into =~ /(\w+)/;
    is(sql("INSERT INTO app.$into; SELECT count(*) - count(DISTINCT id) FROM app.$table"), 0, "a new row of $table has an id of its own");
}
is(sql("SELECT max(id) - (SELECT max(id) FROM app.log WHERE line = 'a') FROM app.log"), 1, 'numbers go on');
fails_with($node, 'INSERT INTO app.ulid DEFAULT VALUES', '23502', qr/null value in column "id"/,
    'ids that PostgreSQL does not make are asked for');
is(sql("INSERT INTO app.parent (id) VALUES (0) RETURNING five, same"), '5|01ARZ3NDEKTSV4RRFFQ69G5FAV', 'a default that is an id stays one');
is(sql('SELECT last = (SELECT max(more) FROM app.child) FROM app.latest'), 't', 'what is rebuilt says the same');
is(sql("SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'app.visit'::regclass AND adnum = 1"),
    sql('SHOW server_version_num') < 180000 ? 'gen_random_uuid()' : 'uuidv7()', 'PostgreSQL makes UUIDs');
# what a text does not tell is in the way, and what others have put below a table has no rights of its owner
sql('CREATE DATABASE odd');
sub odd { return $node->safe_psql('odd', "SET client_min_messages = error; $_[0]", user => 'Super-1'); }
odd(<<'SQL');
CREATE EXTENSION snowid;
CREATE EXTENSION snowid_convert;
CREATE FUNCTION public.same_start(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT left($1, 1) = left($2, 1)';
CREATE OPERATOR public.^^ (LEFTARG = text, RIGHTARG = text, FUNCTION = public.same_start);
CREATE TABLE parted (id ulid, k int, PRIMARY KEY (id, k)) PARTITION BY LIST (k);
CREATE TABLE part PARTITION OF parted FOR VALUES IN (1);
CREATE TABLE s (id ulid PRIMARY KEY, w int DEFAULT snowflake_worker(snowflake_next()), "x::public.ulid" int,
    CHECK (id > '01ARZ3NDEKTSV4RRFFQ69G5FAV'), CONSTRAINT literal CHECK (id > '01ARZ3NDEKTSV4RRFFQ69G5FAV' AND '::public.ulid' <> ''));
CREATE VIEW fine AS SELECT min(id) AS first FROM s WHERE id > '01ARZ3NDEKTSV4RRFFQ69G5FAV';
CREATE VIEW literal AS SELECT id, 'OPERATOR(public.=)' AS said FROM s WHERE id > '01ARZ3NDEKTSV4RRFFQ69G5FAV';
CREATE VIEW named AS SELECT id, "x::public.ulid" FROM s WHERE id > '01ARZ3NDEKTSV4RRFFQ69G5FAV';
CREATE VIEW foreign_operator AS SELECT id FROM s WHERE id > '01ARZ3NDEKTSV4RRFFQ69G5FAV' AND 'a' ^^ 'ab';
CREATE VIEW read AS SELECT id FROM s WHERE id = lower('01ARZ3NDEKTSV4RRFFQ69G5FAV')::ulid;
-- a text is no uuid, and has a collation
CREATE TABLE as_uuid (id ulid, n int, CHECK (id::uuid <> '00000000-0000-0000-0000-000000000000'));
CREATE INDEX as_uuid_n ON as_uuid (n) WHERE id::uuid IS NOT NULL;
CREATE STATISTICS as_uuid_s ON (id::uuid), n FROM as_uuid;
-- what PostgreSQL does not make again with other operators
CREATE TABLE excluded (id ulid, other ulid, n int, EXCLUDE (id WITH =), EXCLUDE (greatest(id, other) WITH =));
CREATE STATISTICS excluded_s ON (id < other), (id > other) FROM excluded;
CREATE TABLE collated (id ulid, other text COLLATE "POSIX", CHECK (id::text <> other));
CREATE INDEX collated_id ON collated (id, other);
CREATE VIEW compared AS SELECT id FROM collated WHERE id::text < other;
CREATE VIEW nested AS SELECT max(t) FROM (SELECT id::text AS t FROM s UNION ALL SELECT 'a' COLLATE "POSIX") AS u;
CREATE TRIGGER compared BEFORE INSERT ON collated FOR EACH ROW WHEN (new.id::text < new.other)
    EXECUTE FUNCTION suppress_redundant_updates_trigger();
-- a name makes no line of its own
CREATE TABLE "t
In the way: view pg_class: DROP VIEW pg_class" (id ulid) PARTITION BY RANGE (left(id::text, 5));
CREATE TABLE made (m snowflake DEFAULT snowflake_next());
CREATE TABLE made_below () INHERITS (made);
ALTER TABLE made_below ALTER m SET DEFAULT 8;
CREATE TABLE made_between () INHERITS (made);
ALTER TABLE made_between ALTER m DROP DEFAULT;
CREATE TABLE made_far () INHERITS (made_between);
ALTER TABLE made_far ALTER m SET DEFAULT 9;
CREATE TABLE made_otherwise () INHERITS (made);
ALTER TABLE made_otherwise ALTER m SET DEFAULT abs(-10);
CREATE TABLE inherited (id ulid, n bigint CHECK (snowflake_worker(n) >= 0), g int GENERATED ALWAYS AS (snowflake_worker(n)) STORED,
    CHECK (id::uuid <> '00000000-0000-0000-0000-000000000000'));
CREATE TABLE inheriting () INHERITS (inherited);
CREATE TABLE cut (n bigint) PARTITION BY RANGE (n); CREATE TABLE cut_1 PARTITION OF cut DEFAULT;
CREATE INDEX cut_n ON cut (snowflake_time(n));
CREATE TRIGGER cut_t BEFORE UPDATE ON cut FOR EACH ROW WHEN (snowflake_worker(new.n) > 5)
    EXECUTE FUNCTION suppress_redundant_updates_trigger();
CREATE DOMAIN numbered AS bigint DEFAULT snowflake_next();
CREATE TABLE computed (a numeric DEFAULT snowflake_next(), b timestamptz DEFAULT uuidv7_time(uuidv7_next()),
    c varchar DEFAULT 'C-' || ulid_next(), d numbered);
CREATE TABLE left_of (id ulid); CREATE TABLE right_of (id ulid); CREATE TABLE of_both () INHERITS (left_of, right_of);
-- a role that may not create
CREATE SCHEMA narrow; GRANT USAGE ON SCHEMA narrow TO two;
CREATE TABLE narrow.t (id snowflake DEFAULT snowflake_next(), b snowflake); ALTER TABLE narrow.t OWNER TO two;
CREATE VIEW narrow.v AS SELECT id FROM narrow.t; ALTER VIEW narrow.v OWNER TO two;
ALTER TABLE narrow.t ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE EXTENSION file_fdw;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE of_file (id ulid) SERVER files OPTIONS (filename '/dev/null');
SQL
is(odd("SELECT string_agg(note, '; ' ORDER BY note COLLATE \"C\") FROM snowid_convert_plan(target => 'builtin') WHERE note ~ '^In the way'
    AND note !~ 'narrow'"),
    join('; ', map { "In the way: $_" } sort { $a cmp $b } map({ "constraint $_ of public.excluded: ALTER TABLE public.excluded DROP CONSTRAINT $_" }
            'excluded_greatest_excl', 'excluded_id_excl'), map({ "$_: drop it, and create it again as it is to be then" }
            'constraint as_uuid_id_check of public.as_uuid', 'constraint collated_check of public.collated',
            'constraint inherited_id_check of public.inherited',
            'constraint literal of public.s', 'index public.as_uuid_n'),
        "public.\"t\nIn the way: view pg_class: DROP VIEW pg_class\" is partitioned by id, whose type cannot change: make another table "
            . 'and copy the rows', 'public.of_file is a foreign table: change its column id by hand',
        map({ "$_: drop it, and create it again as it is to be then" } 'statistics public.as_uuid_s'),
        'statistics public.excluded_s: DROP STATISTICS public.excluded_s',
        'public.of_both.id is inherited from public.left_of and public.right_of, of which PostgreSQL changes none alone: let it inherit '
            . 'from one',
        map { "$_: drop it, and create it again as it is to be then" } 'trigger compared on public.collated',
        map { "view public.$_" } qw(compared foreign_operator literal named nested read)),
    'what the text does not tell is in the way');
fails_with($node, $call, '55000', qr/cannot be converted\nDETAIL:  (In the way: (?!view pg_class).*\n)+HINT/,
    'a name makes no line of its own', dbname => 'odd');
is(odd("SELECT string_agg(note, '; ' ORDER BY note COLLATE \"C\") FROM snowid_convert_plan(target => 'builtin')
    WHERE note ~ 'inherit|cut|computed|numbered' AND note !~ '^In'"),
    join('; ', map { "Still depends: $_" } 'constraint inherited_n_check of public.inherited: ALTER TABLE public.inherited DROP CONSTRAINT '
            . 'inherited_n_check', 'generated column g of public.inherited: ALTER TABLE public.inherited ALTER g DROP EXPRESSION',
        'index public.cut_n: DROP INDEX public.cut_n', map({ "the default of $_ of public.computed: ALTER TABLE public.computed ALTER $_ DROP "
            . 'DEFAULT' } 'a' .. 'c'), 'the default of public.numbered: ALTER DOMAIN public.numbered DROP DEFAULT',
        'trigger cut_t on public.cut: DROP TRIGGER cut_t on public.cut'),
    'what goes with the parent\'s is not told, but what is computed from ids');
my $narrow = $node->safe_psql('odd', "SELECT string_agg(note, E'\\n') FROM snowid_convert_plan(target => 'builtin')", user => 'two');
like($narrow, qr/^In the way: $_/m, "what the role may not do: $_") for 'view narrow.v uses the column: drop it',
    'narrow.t gets a sequence in schema narrow: GRANT CREATE ON SCHEMA narrow TO two', 'narrow.t has FORCE ROW LEVEL SECURITY';
odd('ALTER TABLE narrow.t NO FORCE ROW LEVEL SECURITY; GRANT CREATE ON SCHEMA narrow TO two;
    DROP TABLE of_both; DROP TABLE as_uuid, excluded, inherited CASCADE; DROP TABLE collated CASCADE; DROP VIEW nested;
    DROP FOREIGN TABLE of_file;
    DROP TABLE "t' . "\n" . 'In the way: view pg_class: DROP VIEW pg_class"');
fails_with($node, "BEGIN ISOLATION LEVEL REPEATABLE READ; $call", '25001',
    qr/nothing is converted in a transaction that is repeatable read/,
    'an old snapshot does not see the last ids', dbname => 'odd');
like(odd("SELECT string_agg(note, '; ') FROM snowid_convert_plan(target => 'builtin')"), qr/Still depends: the default of w of public.s: /,
    'a default that computes something from an id is left');
# two owners
odd('CREATE TABLE of_one (id snowflake PRIMARY KEY); CREATE TABLE of_two (id snowflake REFERENCES of_one);
    ALTER TABLE of_one OWNER TO "One-1"; ALTER TABLE of_two OWNER TO two');
$told = odd("SELECT note FROM snowid_convert_plan(target => 'builtin') WHERE note ~ 'OWNER'");
like($told, qr/^In the way: public\.of_(?:one|two) belongs to ["\w-]+, and changes with tables of ["\w-]+: [^\n]*$/, 'tables of two owners that change together are in the way of both');
odd($told =~ s/.*: //r);
odd('DROP VIEW foreign_operator, literal, named, read; ALTER TABLE s DROP CONSTRAINT literal; ALTER TABLE part OWNER TO two');
fails_with($node, $call, '42501', qr/to convert public.parted changes public.part, which has another owner/,
    'a partition of another owner is refused', dbname => 'odd');
# a child has defaults of its own; texts of the catalogue say the same whatever the settings
odd(<<'SQL');
ALTER TABLE part OWNER TO "Super-1";
ALTER TABLE part ALTER id SET DEFAULT '01ARZ3NDEKTSV4RRFFQ69G5FAV';
CREATE TABLE above (id snowflake DEFAULT 5, x ulid DEFAULT '01ARZ3NDEKTSV4RRFFQ69G5FAV');
CREATE TABLE below (CHECK (id < 9 AND now_at > '2020-02-01 06:30:00Z'), now_at timestamptz) INHERITS (above);
ALTER TABLE below ALTER id SET DEFAULT 7, ALTER x DROP DEFAULT;
CREATE TABLE a_b (c bigint DEFAULT snowflake_next());
CREATE TABLE a (b_c bigint DEFAULT snowflake_next());
CREATE VIEW since AS SELECT id, now_at > '2020-02-01 06:30:00Z' AS after, 0.5 < '1.2345678901234567'::float8 AS less FROM below;
SQL
my $constants = "SELECT pg_get_viewdef('since') || pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'below_check'";
my @constants = odd($constants) =~ /('(?:2020|1\.2)[^']*')/g;
odd("SET datestyle = 'SQL, DMY'; SET timezone = 'Asia/Kolkata'; SET extra_float_digits = 0; $call");
is_deeply([ odd($constants) =~ /('(?:2020|1\.2)[^']*')/g ], \@constants, 'constants stay as they are');
is(odd("INSERT INTO s VALUES ('02'); SELECT first FROM fine"), '02', 'the rest goes on');
is(odd('INSERT INTO below DEFAULT VALUES RETURNING id, x IS NULL'), '7|t', 'a child keeps its own defaults');
is(odd('INSERT INTO a DEFAULT VALUES RETURNING b_c') . odd('INSERT INTO a_b DEFAULT VALUES RETURNING c'), '22',
    'sequences have their own names');
is(odd('INSERT INTO made DEFAULT VALUES; INSERT INTO made_below DEFAULT VALUES; INSERT INTO made_between DEFAULT VALUES;
    INSERT INTO made_far DEFAULT VALUES; INSERT INTO made_otherwise DEFAULT VALUES;
    SELECT string_agg(m::text, $$,$$ ORDER BY m) FROM made'), '2,3,8,9,10',
    'also where that of its parent changes');
is(odd('INSERT INTO part (k) VALUES (1) RETURNING id'), '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'and a partition');
is(odd('DROP TABLE cut, computed; DROP DOMAIN numbered; ALTER TABLE s ALTER w DROP DEFAULT; DROP EXTENSION snowid_convert, snowid; SELECT count(*) FROM pg_extension'), 2, 'nothing needs the extensions');
done_testing();
