# Functions of PL/pgSQL that do not work with the new ids are found by plpgsql_check where it is installed, on copies that nobody sees,
# and as the owner of the table; else they are suspects. What is found is what fails: each is called after the conversion.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

$node = new_server('convert_functions', 'autovacuum = off', 'fsync = off', 'client_min_messages = warning');
$node->start;
sql('CREATE ROLE owner; CREATE ROLE small; GRANT ALL ON SCHEMA public TO PUBLIC; GRANT CREATE ON DATABASE postgres TO owner');
sql('CREATE EXTENSION snowid; CREATE EXTENSION snowid_convert');

# Name, result, and body. Whether it fails with a new id, and whether a trial can tell.
my @functions = (
    [ 'variable', 'text', 'DECLARE v int; BEGIN SELECT id INTO v FROM tag WHERE name = \'new\'; RETURN v; END', 1, 1 ],
    [ 'wide', 'text', 'DECLARE v bigint; n int := 5; BEGIN SELECT id INTO v FROM tag WHERE name = \'new\'; RETURN v; END', 0, 1 ],
    [ 'of_type', 'text', 'DECLARE v tag.id%TYPE; n int; BEGIN SELECT id INTO v FROM tag WHERE name = \'new\'; RETURN v; END', 0, 1 ],
    [ 'of_row', 'text', 'DECLARE r tag; n int; BEGIN SELECT * INTO r FROM tag WHERE name = \'new\'; RETURN r.id; END', 0, 1 ],
    [ 'call', 'text', 'BEGIN PERFORM takes_int(id) FROM tag WHERE name = \'new\'; RETURN 1; END', 1, 1 ],
    [ 'result', 'int', 'BEGIN RETURN (SELECT id FROM tag WHERE name = \'new\'); END', 1, 1 ],
    [ 'rows', 'TABLE (x int)', 'BEGIN RETURN QUERY SELECT id FROM tag; END', 1, 1 ],
    [ 'looped', 'text', 'DECLARE i int; BEGIN FOR i IN SELECT id FROM tag LOOP NULL; END LOOP; RETURN 1; END', 1, 1 ],
    [ 'arrays', 'text', 'DECLARE i int[]; BEGIN i := ARRAY(SELECT id FROM tag); RETURN 1; END', 1, 0 ],
    [ 'passed_on', 'int', 'DECLARE v bigint; BEGIN SELECT id INTO v FROM tag WHERE name = \'new\'; RETURN v; END', 1, 0 ],
    [ 'counts', 'int', 'DECLARE n int; BEGIN SELECT count(*) INTO n FROM tag; RETURN n; END', 0, 0 ],
    [ 'qualified', 'text', 'DECLARE v int; BEGIN SELECT id INTO v FROM public.tag WHERE name = \'new\'; RETURN v; END', 1, 0 ],
    [ 'dynamic', 'text', 'DECLARE v int; w text := \'id\'; BEGIN EXECUTE format(\'SELECT %I FROM tag WHERE name = $1\', w) INTO v
        USING \'new\'; RETURN v; END', 1, 0 ],
    [ 'of_view', 'text', 'DECLARE v int; BEGIN SELECT id INTO v FROM tags WHERE name = \'new\'; RETURN v; END', 1, 0 ],
    [ 'broken', 'text', 'DECLARE v int; BEGIN SELECT id INTO v FROM tag JOIN nothing USING (id); RETURN v; END', 1, 0 ],
    [ 'elsewhere', 'text', 'DECLARE v int; BEGIN SELECT 1 INTO v; RETURN v; END', 0, undef ]);
sql(q{SET ROLE owner; CREATE TABLE tag (id serial PRIMARY KEY, name text); CREATE VIEW tags AS SELECT * FROM tag;
    CREATE TABLE log (id int, tag int);
    CREATE FUNCTION takes_int(int) RETURNS int LANGUAGE sql AS 'SELECT 1';
    CREATE FUNCTION fine() RETURNS trigger LANGUAGE plpgsql AS 'DECLARE n int; BEGIN NEW.name := NEW.id; RETURN NEW; END';
    CREATE FUNCTION logs() RETURNS trigger LANGUAGE plpgsql AS 'DECLARE v int; BEGIN v := NEW.id; RETURN NULL; END';
    CREATE TRIGGER fine BEFORE INSERT ON log FOR EACH ROW EXECUTE FUNCTION fine();
    CREATE TRIGGER logs AFTER UPDATE ON tag FOR EACH ROW EXECUTE FUNCTION logs();
    DROP TRIGGER fine ON log; CREATE TRIGGER fine BEFORE UPDATE ON tag FOR EACH ROW EXECUTE FUNCTION fine()});
sql("SET ROLE owner; CREATE FUNCTION $_->[0]() RETURNS $_->[1] LANGUAGE plpgsql AS \$body\$ $_->[2] \$body\$") for @functions;
sql(q{SET ROLE owner; CREATE FUNCTION of_path() RETURNS text LANGUAGE plpgsql SET search_path = public AS
    $$ DECLARE v int; BEGIN SELECT id INTO v FROM tag WHERE name = 'new'; RETURN v; END $$});

sub told {
    my ($tbl, $role) = @_;
    my %told = map { /^function public\.(\w+)\(.*?\) (does not work|has variables|calls)/ ? ($1, $2) : () } split /\n/,
        sql(($role ? "SET ROLE $role; " : '') . "SELECT note FROM snowid_convert_plan('$tbl', online => true) WHERE statement IS NULL");
    return \%told;
}
my $catalogue = "SELECT md5(string_agg(oid || ' ' || xmin, ',' ORDER BY oid)) FROM pg_class";

my $without = told('tag');
for (grep { defined $_->[4] } @functions) {
    my ($name, undef, undef, $fails) = @$_;
    like($without->{$name} // '', qr/^(has variables|calls)/, "without plpgsql_check: $name is a suspect") if $fails && $name ne 'passed_on';
}
is($without->{logs}, 'has variables', 'so is a trigger');
ok(!$without->{elsewhere}, 'what has nothing to do with the table is not');

SKIP: {
    skip 'plpgsql_check is not there', 1 if !sql("SELECT count(*) FROM pg_available_extensions WHERE name = 'plpgsql_check'");
    sql('CREATE SCHEMA checks; GRANT USAGE ON SCHEMA checks TO PUBLIC; CREATE EXTENSION plpgsql_check SCHEMA checks');
    my $before = sql($catalogue);
    my $with = told('tag');
    for (@functions) {
        my ($name, undef, undef, $fails, $is_tried) = @$_;
        is($with->{$name} // 'nothing', !defined $is_tried ? 'nothing' : !$is_tried ? 'has variables' :
            $fails ? 'does not work' : 'nothing', "with it: $name");
    }
    is($with->{logs}, 'does not work', 'a trigger has the new types in NEW and OLD');
    ok(!$with->{fine}, 'and so has one that works with them');
    is($with->{of_path}, 'has variables', 'a function with a search_path of its own would not find the copies');
    is_deeply(told('tag', 'owner'), $with, 'the owner is told the same');
    is(sql($catalogue), $before, 'nothing has changed in the catalogue');
    is(sql("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'snowid\\_copies%'"), '0', 'and nothing stays');
    is(sql("BEGIN READ ONLY; SELECT count(*) > 5 FROM snowid_convert_plan('tag') WHERE note LIKE 'function %'; COMMIT"), 't',
        'a transaction that cannot write has suspects');
    sql('REVOKE CREATE ON DATABASE postgres FROM owner');
    is_deeply(told('tag'), $without, 'so has an owner who may not make a schema');
    sql('GRANT CREATE ON DATABASE postgres TO owner');
    sql(q{CREATE FUNCTION refuses() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no DDL here'; END $$;
        CREATE EVENT TRIGGER refuses ON ddl_command_start WHEN TAG IN ('CREATE SCHEMA') EXECUTE FUNCTION refuses()});
    is_deeply(told('tag'), $without, 'and a database that refuses it');
    sql('DROP EVENT TRIGGER refuses; DROP FUNCTION refuses');

    # What owners write runs with their rights only, also where a superuser asks; and nobody stands in for the checker.
    sql(q{CREATE TABLE ran (who text, what text); GRANT INSERT ON ran TO PUBLIC; GRANT CREATE ON SCHEMA checks TO small;
        SET ROLE small;
        CREATE FUNCTION checks.plpgsql_check_function_tb(funcoid oid, relid oid)
            RETURNS TABLE (level text, lineno int, message text, detail text) LANGUAGE plpgsql
            AS $$ BEGIN INSERT INTO public.ran VALUES (current_user, 'stand-in'); RETURN; END $$;
        RESET ROLE; SET ROLE owner;
        CREATE FUNCTION spy() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
            IF pg_has_role('pg_read_all_data', 'USAGE') THEN RAISE EXCEPTION 'ran as superuser'; END IF; RETURN 1; END $$;
        CREATE FUNCTION folded() RETURNS text LANGUAGE plpgsql AS
            $$ DECLARE v int; BEGIN SELECT id INTO v FROM tag WHERE id = spy(); RETURN v; END $$});
    is(told('tag')->{folded}, 'does not work', 'what is folded runs as the owner');
    is(sql('SELECT count(*) FROM ran'), '0', 'and nothing of others runs');
    sql('DROP FUNCTION folded');

    # each that is told fails, and no other
    sql("CALL snowid_convert('tag', rewrite => true); INSERT INTO tag (name) VALUES ('new')");
    for (@functions) {
        my ($name, undef, undef, $fails) = @$_;
        my ($status) = $node->psql('postgres', "SELECT * FROM $name()");
        is($status != 0 ? 1 : 0, $fails, "$name " . ($fails ? 'fails' : 'works') . ' with a new id');
    }
}
done_testing();
