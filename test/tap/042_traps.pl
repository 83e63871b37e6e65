# Traps in a tenant's tables. Wherever PostgreSQL runs what the owner of a table wrote (in indexes, constraints, defaults, columns,
# statistics, policies, domains, triggers, rules and views), there is a function that says in the server's log who runs it, and tries to
# become more. A superuser calls every function of ours over these tables, and nothing runs as the superuser.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

$node = new_server('traps', 'autovacuum = off');
$node->start;
sub as_owner { return $node->safe_psql('postgres', "SET client_min_messages = error; SET search_path = mallory, public; $_[0]",
    user => 'mallory'); }

sql(<<'SQL');
CREATE EXTENSION snowid;
CREATE EXTENSION snowid_convert;
CREATE ROLE mallory LOGIN;
CREATE SCHEMA mallory AUTHORIZATION mallory;
GRANT INSERT, UPDATE, DELETE ON _snowid.generator TO mallory;
SQL

# The log has what the trap says even if it is undone. It refuses nothing, so that all of a call is run.
as_owner(<<'SQL');
CREATE FUNCTION attack(place text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE command text;
BEGIN
    RAISE LOG 'trap: %, % as %', place, pg_catalog.current_setting('session_replication_role'), current_user;
    FOREACH command IN ARRAY ARRAY['RESET ROLE', 'SET ROLE NONE', 'RESET SESSION AUTHORIZATION', 'SET SESSION AUTHORIZATION DEFAULT',
        'ALTER ROLE mallory SUPERUSER', 'ALTER DATABASE postgres SET search_path = mallory'] LOOP
        BEGIN
            EXECUTE command;
            IF current_user <> 'mallory' THEN ALTER ROLE mallory SUPERUSER; END IF;
        EXCEPTION WHEN OTHERS THEN NULL;
        END;
    END LOOP;
    IF session_user <> 'mallory' THEN
        PERFORM pg_catalog.set_config('search_path', 'pg_catalog, mallory', false), pg_catalog.set_config('row_security', 'off', false);
    END IF;
END $$;
CREATE FUNCTION grab(place text, value anyelement) RETURNS boolean LANGUAGE plpgsql IMMUTABLE
    AS $$ BEGIN EXECUTE pg_catalog.format('SELECT mallory.attack(%L)', place); RETURN true; END $$;
CREATE FUNCTION grab(place text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT mallory.grab(place, 1) $$;
CREATE FUNCTION grab() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM mallory.attack('trigger ' || TG_NAME); RETURN NEW; END $$;
CREATE FUNCTION bait(anyelement) RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT (mallory.grab('default'))::int::bigint $$;
-- what a name without a schema would find
CREATE FUNCTION max(bigint) RETURNS text LANGUAGE sql AS $$ SELECT mallory.grab('max')::text $$;
CREATE FUNCTION format(text, regclass) RETURNS text LANGUAGE sql AS $$ SELECT mallory.grab('format')::text $$;
CREATE FUNCTION is_more(bigint, bigint) RETURNS boolean LANGUAGE sql AS $$ SELECT mallory.grab('operator') $$;
CREATE OPERATOR >= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = is_more);
CREATE DOMAIN trapped AS int CHECK (grab('domain', VALUE));
CREATE TYPE two AS (a trapped, b text);
SQL
my $traps = <<'SQL';
ALTER TABLE %1$s ADD line text, ADD many trapped DEFAULT 1, ADD twice boolean GENERATED ALWAYS AS (grab('generated column', line)) STORED,
    ADD CHECK (grab('check', line)), ADD CHECK (grab('check of a constant')), ADD filled bigint DEFAULT bait('{1}'::trapped[]),
        ADD pair two;
INSERT INTO %1$s (line) VALUES ('a'), ('b');
CREATE INDEX ON %1$s (%2$s) WHERE grab('predicate');
CREATE INDEX ON %1$s (grab('index', line)) WHERE grab('predicate of a value', line);
CREATE UNIQUE INDEX ON %1$s (%2$s) WHERE grab('unique predicate');
CREATE STATISTICS %1$s_line ON (grab('statistics', line)), line FROM %1$s;
CREATE TRIGGER always BEFORE INSERT OR UPDATE ON %1$s FOR EACH ROW WHEN (grab('condition of a trigger', NEW.line)) EXECUTE FUNCTION grab();
CREATE TRIGGER origin BEFORE INSERT OR UPDATE ON %1$s FOR EACH ROW EXECUTE FUNCTION grab();
CREATE CONSTRAINT TRIGGER later AFTER INSERT OR UPDATE ON %1$s FOR EACH ROW EXECUTE FUNCTION grab();
CREATE TRIGGER statement AFTER INSERT OR UPDATE OR TRUNCATE ON %1$s FOR EACH STATEMENT EXECUTE FUNCTION grab();
ALTER TABLE %1$s ENABLE ALWAYS TRIGGER always, ENABLE ALWAYS TRIGGER later, ENABLE ALWAYS TRIGGER statement;
CREATE POLICY trap ON %1$s USING (grab('policy', line));
ALTER TABLE %1$s ENABLE ROW LEVEL SECURITY;
ANALYZE %1$s;
SQL
sub trapped { my ($table, $column) = @_; as_owner(sprintf($traps, $table, $column)); }
as_owner(<<'SQL');
CREATE TABLE big (id bigserial PRIMARY KEY);
CREATE TABLE small (id serial PRIMARY KEY);
CREATE TABLE of_small (id serial PRIMARY KEY, small int REFERENCES small);
CREATE TABLE forced (id serial PRIMARY KEY);
CREATE TABLE keyed (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), created_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE of_keyed (keyed uuid REFERENCES keyed);
CREATE TABLE half (id serial PRIMARY KEY);
CREATE TABLE half_keyed (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), created_at timestamptz NOT NULL DEFAULT now());
SQL
# an index over the column itself is in the way of a change of its type
trapped(@$_) for [ 'big', 'id' ], [ 'forced', 'id' ], map { [ $_, 'line' ] } 'small', 'of_small', 'keyed', 'of_keyed', 'half', 'half_keyed';
# conversions that she has begun and left
for my $half ('half', 'half_keyed') {
    my $begun = $node->safe_psql('postgres', "SET search_path = mallory, public; SELECT string_agg(statement, E';\\n' ORDER BY step)
        FROM snowid_convert_plan('$half', online => true) WHERE statement ~ 'CREATE OR REPLACE TRIGGER'",
        user => 'mallory');
    as_owner($begun || die "the conversion of $half does not begin: " .
        as_owner("SELECT string_agg(note, '; ') FROM snowid_convert_plan('$half', online => true)"));
}
as_owner(<<'SQL');
ALTER TABLE forced FORCE ROW LEVEL SECURITY;
CREATE VIEW seen AS SELECT id, grab('view', id) FROM big WHERE grab('view');
CREATE VIEW of_seen AS SELECT id, '{5}'::trapped[] AS set FROM small;
CREATE RULE trap AS ON UPDATE TO seen DO INSTEAD SELECT grab('rule');
CREATE MATERIALIZED VIEW kept AS SELECT id, grab('materialized view', id) FROM big;
CREATE INDEX ON kept (id) WHERE grab('predicate of a materialized view');
CREATE TABLE parts (id ulid, line text DEFAULT bait(0), many trapped, CHECK (grab('check of partitions', line)),
    CHECK (grab('check of partitions and constants'))) PARTITION BY RANGE (id);
CREATE TABLE parts_default PARTITION OF parts (CHECK (grab('check of the default partition'))) DEFAULT;
CREATE INDEX ON parts (id) WHERE grab('predicate of partitions');
CREATE INDEX ON parts (grab('index of partitions', line));
CREATE STATISTICS parts_line ON (grab('statistics of partitions', line)), line FROM parts;
INSERT INTO parts (id) VALUES (ulid_at('2001-01-01'));
CREATE TABLE listed (id bigint, line text, CHECK (grab('check of a list'))) PARTITION BY LIST (grab('partition key', line));
CREATE TABLE listed_true PARTITION OF listed FOR VALUES IN (true) PARTITION BY RANGE (id);
CREATE DOMAIN bounded AS bigint CHECK (grab('domain of bounds', VALUE));
CREATE TABLE ranged (id bounded PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE ranged_few PARTITION OF ranged FOR VALUES FROM (1) TO (9);
SELECT snowid_generator_create('hers', worker => 9);
CREATE DOMAIN of_default AS bigint DEFAULT coalesce(snowflake_next('hers'), bait('{2}'::trapped[])) CHECK (grab('domain of ids', VALUE));
CREATE TABLE named (id bigint DEFAULT coalesce(snowflake_next('hers'), bait('{1}'::trapped[]), bait('(1,x)'::two)), other of_default,
    CHECK (grab('check of a default')));
GRANT USAGE ON SCHEMA mallory TO PUBLIC;
GRANT ALL ON ALL TABLES IN SCHEMA mallory TO PUBLIC;
SQL

# What a superuser calls, each with what her code would like to find: a search_path that names her schema.
my @tables =
    map { "mallory.$_" } qw(big small of_small forced keyed of_keyed half half_keyed seen of_seen kept parts
    parts_default listed listed_true ranged named);
my @calls = ('SELECT count(*) FROM snowid_check()', 'SELECT count(*) FROM snowid_metrics()', 'SELECT snowid_metrics_json()',
    'SELECT count(*) FROM snowid_stat', 'SELECT count(*) FROM snowid_holders',
    "SELECT snowid_generator_alter('hers', new_name => 'his'); SELECT snowid_generator_alter('his', new_name => 'hers')",
        "SELECT snowid_generator_drop('hers')", "SELECT snowid_generator_snapshot('hers')",
    "BEGIN; SELECT snowid_layout_change('wide'); ROLLBACK", 'SELECT snowid_horizon_advance(now())', 'SELECT snowid_catalog_update()',
        "CALL snowid_maintain()");
for my $target ('snowflake', 'bigserial') {
    push @calls, map { "SELECT count(statement) FROM snowid_convert_plan(schema => 'mallory', target => '$target'$_)" } '',
        ', online => true', ', set_default => false';
}
for my $table (@tables) {
    for my $target ('snowflake', 'uuidv7', 'bigserial') {
        push @calls, map { "SELECT count(statement) FROM snowid_convert_plan('$table', target => '$target'$_)" } '', ", col => 'id'",
            ', online => true';
        push @calls, "CALL snowid_convert('$table', target => '$target')",
            "CALL snowid_convert('$table', target => '$target', rewrite => true)";
    }
    unshift @calls, "CALL snowid_convert_fill('$table', batch => 1)", "CALL snowid_convert_fill('$table')";
         # before a conversion that drops what was begun
    push @calls, "SELECT count(*) FROM snowid_partition('$table', '1 month', behind => 1)", "CALL snowid_maintain('$table')",
        "SELECT count(*) FROM snowid_partitions('$table')", "SELECT snowid_partition_key('$table')",
            "SELECT count(*) FROM snowid_partition('$table', '1 month', retain => '1 day', expired => 'drop')",
            "SELECT snowid_partition_forget('$table')";
}
# and all that has a table for its first argument, the internal ones too
my %argument = ('oid[]' => "'{1}'", name => "'id'", text => "'snowflake'", integer => 1, bigint => 1, smallint => '1',
    interval => "'1 month'", boolean => 'true', 'timestamp with time zone' => 'now()', jsonb => "'{}'",
    'name[]' => "'{id}'", regnamespace => "'mallory'");
for (split /\n/,
    sql(q{SELECT p.oid::regproc, prokind, (SELECT string_agg(format_type(t, NULL), ';' ORDER BY n) FROM unnest(proargtypes) WITH ORDINALITY
    AS a (t, n)) FROM pg_proc p JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e'
    JOIN pg_extension e ON refobjid = e.oid WHERE extname = 'snowid' AND proargtypes[0] IN ('regclass'::regtype, 'oid'::regtype,
        'regclass[]'::regtype, 'regnamespace'::regtype)})) {
    my ($name, $kind, $types) = split /\|/;
    for my $table (map { "mallory.$_" } 'big', 'half', 'keyed', 'parts') {
        my @arguments = map { ($argument{$_} // ($_ eq 'regclass[]' ? "'{$table}'" : "'$table'::regclass")) . "::$_" } split /;/, $types;
        push @calls, ($kind eq 'p' ? 'CALL' : 'SELECT') . " $name(" . join(', ', @arguments) . ')';
    }
}
push @calls, map { "CALL snowid_convert(schema => 'mallory', target => '$_', rewrite => true)" } 'snowflake', 'bigserial';
my $log_start = -s $node->logfile;
my $path = "SELECT 'path', current_setting('search_path'), current_setting('row_security')";
my ($status, $out, $err) = $node->psql('postgres', join("\n", '\set VERBOSITY sqlstate', 'SET client_min_messages = error;',
    'SET search_path = public, mallory;', map { "$_;\n$path;" } @calls), on_error_stop => 0);
my %state;
$state{$_}++ for $err =~ /ERROR:  (\w{5})/g;
is(scalar(() = $out =~ /^path\|public, mallory\|on$/mg), scalar @calls, 'no call leaves a setting changed');
note(scalar(@calls), ' calls; errors: ', join(', ', map { "$_ $state{$_}" } sort keys %state));
is($state{XX000} // 0, 0, 'no internal error');
my $log = slurp_file($node->logfile, $log_start);
my (%as_her, %as_other);
my $without_keys = 0;
while ($log =~ /trap: (.+), (\w+) as (\w+)$/mg) {
    $3 eq 'mallory' ? $as_her{$1}++ : push @{ $as_other{$1} }, $3;
    $without_keys++ if $2 ne 'origin';
}
is($without_keys, 0, 'nothing of hers ran where foreign keys and the triggers of others are off');
is(join(', ', sort keys %as_other), '', 'nothing of hers ran as the superuser');
diag((split /\n/, $log)[$_]) for grep { (split /\n/, $log)[$_] =~ /trap: .* as (?!mallory)/ } 0 .. (%as_other ? 20 : -1);
is(sql('SELECT string_agg(rolname, \',\') FROM pg_roles WHERE rolsuper'), sql('SELECT rolname FROM pg_roles WHERE oid = 10'),
    'nobody has become a superuser');
note('ran as her: ', join(', ', map { "$_ $as_her{$_}" } sort keys %as_her));
ok($as_her{$_}, "$_: a trap that was stepped into") for 'predicate', 'unique predicate', 'check', 'check of a constant', 'generated column',
    'index', 'domain', 'trigger always',
    'predicate of partitions', 'check of the default partition';

is(sql("SELECT count(*) > 3, string_agg(DISTINCT relowner::regrole::text, ', ') FROM snowid_partitions('mallory.parts') JOIN pg_class
    ON oid = partition"), 't|mallory', 'partitions are made, and they are hers');
is(sql("SELECT string_agg(format_type(atttypid, atttypmod), ', ' ORDER BY attrelid::regclass::text) FROM pg_attribute
    WHERE attrelid = ANY ('{mallory.half,mallory.of_small,mallory.small}'::regclass[]) AND attname IN ('id', 'small')"),
    'bigint, bigint, bigint, bigint', 'and columns are converted');

# A procedure that commits has no search_path of its own. One that names her schema before pg_catalog finds her types first.
as_owner(<<'SQL');
CREATE TABLE rest (id bigint) PARTITION BY RANGE (id);
CREATE TABLE rest_default PARTITION OF rest DEFAULT;
SELECT snowid_partition('rest', '1 month');
CREATE FUNCTION tell(place text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE LOG 'trap: % as %', place, current_user; RETURN true;
    END $$;
CREATE DOMAIN told AS int CHECK (tell('record'));
CREATE TYPE record AS (patience told, until told, filled told, error told);
SELECT pg_catalog.format('CREATE DOMAIN mallory.%I AS pg_catalog.%1$I CHECK (tell(%1$L))', name)
    FROM unnest('{text,regclass,timestamptz,interval,bool,int4,int8,name,oid,jsonb}'::text[]) AS name \gexec
SQL
$log_start = -s $node->logfile;
$node->psql('postgres', "SET search_path = mallory, pg_catalog, public;\n$_;") for 'CALL public.snowid_maintain()',
    "CALL public.snowid_partition_settle('mallory.rest')", "CALL public.snowid_convert_fill('mallory.big')";
is(join(', ', slurp_file($node->logfile, $log_start) =~ /trap: (.* as (?!mallory)\w+)/g), '', 'a superuser uses none of her types');

# What is not hers is refused to her, and a member of her role has her rights.
fails_with($node, "CALL snowid_convert('_snowid.partitioned', 'ahead')", 42501, qr/must be owner of table partitioned/,
    'the table of another role', user => 'mallory');
fails_with($node, "SELECT _snowid_convert.last_as_owner('mallory.big', 'id')", 42501, qr/called as another role than the owner/,
    'a superuser gets around nothing');

# A table of the superuser's to which one of mallory's refers: it is not converted along, and nothing of hers runs.
sql('CREATE SCHEMA app; GRANT USAGE ON SCHEMA app TO mallory; CREATE TABLE app.s (id int PRIMARY KEY);
    INSERT INTO app.s SELECT generate_series(1, 5); GRANT REFERENCES, SELECT ON app.s TO mallory');
as_owner("CREATE TABLE refers (s int REFERENCES app.s CHECK (grab('check', s)), line text);
    INSERT INTO refers SELECT i, i FROM generate_series(1, 5) i; CREATE INDEX ON refers (line) WHERE grab('predicate')");
$log_start = -s $node->logfile;
fails_with($node, "CALL snowid_convert('app.s', rewrite => true)", '42501',
    qr/to convert app\.s changes mallory\.refers, which has another owner.*HINT:.*ALTER TABLE mallory\.refers OWNER TO/s,
    'a table of another owner refers to it');
unlike(slurp_file($node->logfile, $log_start), qr/trap: .* as (?!mallory)/, 'and nothing of that table runs as the superuser');

# Who leaves rewrites her tables.
sql('SET client_min_messages = error; DROP TABLE ' . sql("SELECT string_agg(oid::regclass::text, ', ') FROM pg_class
    WHERE relnamespace = 'mallory'::regnamespace AND relkind IN ('r', 'p')") . ' CASCADE');
as_owner('CREATE TABLE leaves (id ulid PRIMARY KEY DEFAULT ulid_next(), up ulid REFERENCES leaves, number bigint DEFAULT snowflake_next())');
trapped('leaves', 'line');
$log_start = -s $node->logfile;
($status, $out, $err) = $node->psql('postgres', "SET client_min_messages = error; SET search_path = public, mallory;
    SELECT count(*) FROM snowid_convert_plan(target => 'builtin'); CALL snowid_convert(target => 'builtin', rewrite => true)");
is("$status $err", '0 ', 'who leaves changes her tables');
$log = slurp_file($node->logfile, $log_start);
like($log, qr/trap: index, \w+ as mallory/, 'and what she has put there runs');
unlike($log, qr/trap: .* as (?!mallory)/, 'but not as the superuser');

done_testing();
