-- What a plan names because no statement can change it: functions, views, casts, operators and indexes for the old type. And how batches adapt.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE FUNCTION notes(tbl regclass, VARIADIC more text[] DEFAULT '{}') RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT note FROM snowid_convert_plan(%L%s) WHERE statement IS NULL ORDER BY note COLLATE "C"', tbl, (SELECT string_agg(', ' || m, '') FROM unnest(more) AS m));
END $$;
\pset format unaligned
\pset tuples_only on

-- what takes the old type: directly, in a body, through another function, and in a view
CREATE TABLE tag (id serial PRIMARY KEY, name text);
CREATE FUNCTION of_int(int) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION of_bigint(bigint) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION delete_tag(tag_id int) RETURNS void LANGUAGE sql AS 'DELETE FROM tag WHERE id = tag_id';
CREATE FUNCTION calls() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM delete_tag(OLD.id); RETURN NULL; END';
CREATE FUNCTION harmless() RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT name FROM tag LIMIT 1); END';
CREATE TRIGGER calls AFTER UPDATE ON tag FOR EACH ROW EXECUTE FUNCTION calls();
CREATE VIEW calling AS SELECT name FROM tag WHERE of_int(id) = 1;
CREATE VIEW fine AS SELECT of_bigint(id) FROM tag;
CREATE VIEW elsewhere AS SELECT of_int(length(name)) FROM tag;
SELECT notes('tag');
SELECT notes('tag', 'online => true');
-- none of them stops anybody who has looked, and a view that cannot be made again undoes all
\set VERBOSITY sqlstate
CALL snowid_convert('tag', rewrite => true);
\set VERBOSITY default
SELECT atttypid::regtype FROM pg_attribute WHERE attrelid = 'tag'::regclass AND attname = 'id';
CREATE FUNCTION of_int(bigint) RETURNS int LANGUAGE sql AS 'SELECT 1';
CALL snowid_convert('tag', rewrite => true);
SELECT atttypid::regtype FROM pg_attribute WHERE attrelid = 'tag'::regclass AND attname = 'id';
DROP TABLE tag CASCADE;
DROP FUNCTION of_int(int), of_int(bigint), of_bigint, delete_tag, calls, harmless;

-- casts and operators of users; those of extensions and for other types are nobody's business
CREATE TABLE part (id serial PRIMARY KEY);
CREATE TYPE label AS (l text);
CREATE FUNCTION to_label(int) RETURNS label LANGUAGE sql IMMUTABLE AS $$ SELECT ROW ($1::text)::label $$;
CREATE CAST (int AS label) WITH FUNCTION to_label(int);
CREATE FUNCTION same_part(int, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1::text = $2';
CREATE OPERATOR === (LEFTARG = int, RIGHTARG = text, FUNCTION = same_part);
CREATE FUNCTION same_text(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 = $2';
CREATE OPERATOR === (LEFTARG = text, RIGHTARG = text, FUNCTION = same_text);
SELECT notes('part');
-- of UUIDs
CREATE TABLE uuid_part (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), created_at timestamptz);
CREATE FUNCTION to_label(uuid) RETURNS label LANGUAGE sql IMMUTABLE AS $$ SELECT ROW ($1::text)::label $$;
CREATE CAST (uuid AS label) WITH FUNCTION to_label(uuid);
SELECT notes('uuid_part', 'online => true');
DROP TABLE part, uuid_part;
DROP TYPE label CASCADE;
DROP OPERATOR === (int, text);
DROP OPERATOR === (text, text);
DROP FUNCTION same_part, same_text;

-- constraints and indexes that call what takes only the old type are in the way, others are not
CREATE FUNCTION even(int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 % 2 = 0';
CREATE TABLE stop (id serial PRIMARY KEY, CONSTRAINT odd CHECK (NOT even(id)), CONSTRAINT positive CHECK (id > 0));
CREATE INDEX stop_even ON stop (even(id));
CREATE INDEX stop_abs ON stop (abs(id)) WHERE id > 5;
CREATE INDEX stop_where ON stop (id) WHERE even(id);
SELECT notes('stop');
CALL snowid_convert('stop', rewrite => true);
CREATE FUNCTION even(bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 % 2 = 0';
CALL snowid_convert('stop', rewrite => true);
SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = 'stop'::regclass ORDER BY 1;
DROP TABLE stop;
DROP FUNCTION even(int), even(bigint);

-- so are statistics and triggers that call one, and what only PostgreSQL's own functions and operators do not take
CREATE FUNCTION even(int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 % 2 = 0';
CREATE TABLE stop (id serial PRIMARY KEY, path int[], up int REFERENCES stop CHECK (up <@ int4range(1, 100)), CONSTRAINT own CHECK (path @> ARRAY[id]));
CREATE STATISTICS stop_stat ON even(id), path FROM stop;
CREATE TRIGGER "WHEN (odd)" BEFORE UPDATE ON stop FOR EACH ROW WHEN (NOT even(new.up) OR old.id IS NULL) EXECUTE FUNCTION suppress_redundant_updates_trigger();
CREATE TRIGGER other BEFORE UPDATE OF id ON stop FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.* AND CASE WHEN old.id > 5 THEN new.id <> 7 END) EXECUTE FUNCTION suppress_redundant_updates_trigger();
SELECT notes('stop', 'online => true');
DROP TABLE stop;
CREATE FUNCTION even(uuid) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT false';
CREATE TABLE uuid_stop (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), created_at timestamptz);
CREATE TRIGGER even BEFORE UPDATE ON uuid_stop FOR EACH ROW WHEN (even(new.id)) EXECUTE FUNCTION suppress_redundant_updates_trigger();
SELECT notes('uuid_stop', 'online => true');
DROP TABLE uuid_stop;
DROP FUNCTION even(int), even(uuid);

-- rows of a table that are stored elsewhere would lose what a second column has
CREATE TABLE stored (id serial PRIMARY KEY, n int);
CREATE DOMAIN some_stored AS stored[];
CREATE TYPE with_stored AS (n int, s some_stored);
CREATE TABLE log (old stored, new with_stored[], gone stored);
ALTER TABLE log DROP gone;
CREATE VIEW stored_rows AS SELECT stored AS r FROM stored;
CREATE MATERIALIZED VIEW stored_once AS SELECT stored AS r FROM stored;
SELECT notes('stored', 'online => true');
SELECT notes('stored');
DROP TABLE log, stored CASCADE;
DROP TYPE with_stored;

-- what cannot have a second column: a table of a type, a generated column, one whose rows its owner does not see. And what no fill can change.
CREATE ROLE notes_owner;
CREATE TYPE form AS (id int, n int);
CREATE TABLE formed OF form (PRIMARY KEY (id));
CREATE TABLE of_formed (n int, formed int GENERATED ALWAYS AS (n) STORED REFERENCES formed);
ALTER TABLE formed OWNER TO notes_owner;
ALTER TABLE formed ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SELECT notes('formed', 'set_default => false');
SELECT notes('formed', 'online => true', 'set_default => false');
DROP TABLE formed, of_formed;
DROP TYPE form;
DROP ROLE notes_owner;
CREATE TABLE excluded (id serial PRIMARY KEY, n int, CONSTRAINT one EXCLUDE (id WITH =, n WITH =), CONSTRAINT two EXCLUDE (abs(id) WITH =));
SELECT notes('excluded', 'online => true');
SELECT notes('excluded');
DROP TABLE excluded;
CREATE TABLE checked (id serial PRIMARY KEY, n int);
ALTER TABLE checked ADD CHECK (n > 0) NOT VALID;
SELECT notes('checked', 'online => true');
DROP TABLE checked;

-- Columns that only their values tell: those that ANALYZE has kept must all be ids, and go all through them or have met gaps enough, as small numbers
-- do not.
CREATE TABLE person (id serial PRIMARY KEY, n int);
INSERT INTO person (n) SELECT n FROM generate_series(1, 1000) AS n;
DELETE FROM person WHERE id = 500;
CREATE TABLE sparse (id bigint PRIMARY KEY DEFAULT snowflake_next(), n int, value text, number text);
INSERT INTO sparse SELECT n * 7, n * 5 - 1 FROM generate_series(1, 1000) AS n;
CREATE TABLE seen (id serial PRIMARY KEY, author int, parts bigint, "of whom" text, not_all int, beyond int, few int, word text, later int, person_id int, rank int, skewed int, hint int);
INSERT INTO seen (author, parts, "of whom", not_all, beyond, few, word, person_id, rank, skewed, hint)
    SELECT n * 5 - 1, n * 5 - 1, n * 5 - 1, n * 5, n * 10, n % 9 + 1, 'w' || n, n, n % 60 + 1, CASE WHEN n < 160 THEN n ELSE n * 5 - 1 END, n * 7 FROM generate_series(1, 200) AS n;
ALTER TABLE seen ALTER not_all SET STATISTICS 200;
ANALYZE seen, person, sparse;
UPDATE seen SET later = id;
SELECT name, type, has_room, reasons FROM snowid_convert_candidates('person');
SELECT name, type, has_room, reasons FROM snowid_convert_candidates('sparse');
CREATE TABLE uuid_person (id uuid PRIMARY KEY DEFAULT gen_random_uuid());
INSERT INTO uuid_person SELECT md5(n::text)::uuid FROM generate_series(1, 50) AS n;
CREATE TABLE uuid_seen AS SELECT id AS subject, gen_random_uuid() AS other FROM uuid_person;
ANALYZE uuid_seen;
SELECT name, type, has_room, reasons FROM snowid_convert_candidates('uuid_person');
-- Of the tables of others nothing is told.
CREATE ROLE notes_other;
ALTER TABLE uuid_seen OWNER TO notes_other;
SELECT count(*) FROM snowid_convert_candidates('uuid_person');
SET ROLE notes_other;
SELECT count(*) FROM snowid_convert_candidates('person');
RESET ROLE;
DROP TABLE person, sparse, seen, uuid_person, uuid_seen;
DROP ROLE notes_other;

-- A batch that takes longer than half a second is halved down to 100, one that takes less than an eighth and was full is doubled up to what was
-- asked for. One that is full reads fewer pages next time, one that is less than half full more.
SELECT took, filled, batch, a.* FROM (VALUES ('1 s'::interval, 5000, 5000), ('1 s', 150, 150), ('1 s', 50, 50), ('0.3 s', 5000, 5000), ('0.1 s', 625, 625),
        ('0.1 s', 4000, 4000), ('0.1 s', 10, 625)) AS b (took, filled, batch), _snowid_convert.adapted(took, filled, batch, 5000, 64) AS a;
-- Whatever the time of a row and the rows of a page are, a batch comes to take between an eighth and a half, or to a bound, and pages to hold about a batch.
CREATE FUNCTION settles(row_takes float8, rows_of_page float8, OUT took interval, OUT batch int, OUT pages bigint) LANGUAGE plpgsql AS $$
DECLARE
    filled bigint;
BEGIN
    batch := 5000;
    pages := 1;
    FOR i IN 1..40 LOOP
        filled := least(ceil(rows_of_page * pages), batch);
        took := filled * row_takes * interval '1 s';
        SELECT a.pages, next_batch INTO pages, batch FROM _snowid_convert.adapted(took, filled, batch, 5000, pages) AS a;
    END LOOP;
END $$;
SELECT bool_and(took <= interval '0.5 s' OR batch = 100) AS short, bool_and(took >= interval '0.06 s' OR batch = 5000 OR pages IN (1, 4096)) AS not_too_short,
        bool_and(batch BETWEEN 100 AND 5000 AND pages BETWEEN 1 AND 4096)
    FROM generate_series(0, 20) AS i, generate_series(0, 9) AS j, settles(1e-6 * 2 ^ i, 0.25 * 2 ^ j);
DROP FUNCTION settles, notes;

-- columns with the names of functions, access methods, types and collations
CREATE TABLE abs (abs serial PRIMARY KEY, btree int REFERENCES abs, text int REFERENCES abs, "C" int REFERENCES abs, name varchar);
CREATE INDEX by_call ON abs (abs(abs), abs(btree)) WHERE abs(text) > abs;
CREATE INDEX by_method ON abs USING btree (btree, ("C" + btree), (name::text) COLLATE "C") WHERE name::text <> 'btree abs(';
INSERT INTO abs (btree, text, "C", name) VALUES (1, 1, 1, 'x');
SELECT regexp_replace(statement, '^CREATE INDEX CONCURRENTLY ', '') AS made FROM snowid_convert_plan('abs', online => true) WHERE statement ~ '^CREATE INDEX';
-- unique indexes come last, because an upsert may not get on with two
SELECT regexp_replace(statement, ' CONCURRENTLY.* ON.*', '') AS made, note FROM snowid_convert_plan('abs', online => true) WHERE statement ~ '^CREATE.*INDEX' ORDER BY step;
\set ECHO none
\o /dev/null
SELECT statement FROM snowid_convert_plan('abs', online => true) WHERE statement IS NOT NULL ORDER BY step \gexec
\o
\set ECHO all
SELECT indexrelid::regclass, pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = 'abs'::regclass ORDER BY 1;

-- a label goes along, of a column and of a view that is made again
CREATE TABLE labelled (id serial PRIMARY KEY);
CREATE VIEW of_labelled AS SELECT id FROM labelled;
SET allow_system_table_mods = on;
INSERT INTO pg_seclabel SELECT oid, 'pg_class'::regclass, n, 'a provider', relname || '''s' FROM pg_class, generate_series(0, 1) AS n WHERE oid = 'labelled'::regclass OR oid = 'of_labelled'::regclass AND n = 0;
RESET allow_system_table_mods;
SELECT m[1] AS labelled FROM snowid_convert_plan('labelled', online => true), regexp_matches(statement, 'SECURITY LABEL [^\n]*', 'g') AS m;
SELECT m[1] AS labelled FROM snowid_convert_plan('labelled'), regexp_matches(statement, 'SECURITY LABEL [^\n]*', 'g') AS m;
DELETE FROM pg_seclabel WHERE provider = 'a provider';

-- an application sets the default again that a key had
CREATE TABLE serial_again (id bigserial PRIMARY KEY);
CREATE TABLE identity_again (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY);
CREATE TABLE none_again (id bigserial PRIMARY KEY);
CREATE TABLE still_ours (LIKE none_again INCLUDING DEFAULTS, PRIMARY KEY (id));
CALL snowid_convert('serial_again');
CALL snowid_convert('identity_again');
CALL snowid_convert('none_again');
CALL snowid_convert('still_ours', set_default => false);
SELECT count(*) FROM snowid_check() WHERE finding ~ 'was converted';
ALTER TABLE serial_again ALTER id SET DEFAULT nextval('serial_again_id_seq');
ALTER TABLE identity_again ALTER id DROP DEFAULT, ALTER id ADD GENERATED ALWAYS AS IDENTITY;
ALTER TABLE none_again ALTER id DROP DEFAULT;
SELECT severity, finding, what_to_do FROM snowid_check() WHERE finding ~ 'was converted' ORDER BY finding;
SELECT what_to_do FROM snowid_check() WHERE finding ~ 'was converted' ORDER BY what_to_do \gexec
SELECT count(*) FROM snowid_check() WHERE finding ~ 'was converted';
DROP TABLE serial_again, identity_again, none_again, still_ours;

-- a cast of a constant is none of the column, and the names of columns of times
CREATE TABLE tree (id serial PRIMARY KEY, parent int REFERENCES tree, day int, date_created timestamptz NOT NULL DEFAULT '2025-01-01');
CREATE UNIQUE INDEX ON tree (COALESCE(parent, '-1'::integer), day);
ALTER TABLE tree ADD CHECK (COALESCE(parent, '-1'::integer) <> id), ADD CHECK ((parent + 1.5)::integer > 0);
SELECT note FROM snowid_convert_plan('tree') WHERE note ~ 'casts';
SELECT name, _snowid_convert.time_column(name::regclass, 'id') FROM (VALUES ('tree')) AS t (name);
ALTER TABLE tree RENAME date_created TO create_date;
SELECT name, _snowid_convert.time_column(name::regclass, 'id') FROM (VALUES ('tree')) AS t (name);
ALTER TABLE tree DROP CONSTRAINT tree_parent_check;
-- the swap tells nothing of indexes
SET client_min_messages = notice;
\set ECHO none
\o /dev/null
SELECT statement FROM snowid_convert_plan('tree', online => true) WHERE statement IS NOT NULL ORDER BY step \gexec
\o
\set ECHO all
SET client_min_messages = warning;
SELECT note FROM snowid_convert_plan('tree') UNION ALL SELECT note FROM snowid_convert_plan('tree', target => 'bigserial') WHERE note ~ '2.53';
DROP TABLE tree;

-- an error of a call tells nothing of what is internal, but what its statements met
\set SHOW_CONTEXT always
CREATE TABLE told (id int PRIMARY KEY);
CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''no''; END';
CREATE EVENT TRIGGER refuse ON ddl_command_start WHEN TAG IN ('ALTER TABLE') EXECUTE FUNCTION refuse();
CALL snowid_convert('told', set_default => true);
CALL snowid_convert('told', set_default => true, rewrite => true);
DO $$ BEGIN CALL snowid_convert('told', target => 'other'); END $$;
SELECT * FROM snowid_convert_plan('told', keep => true);
SELECT * FROM snowid_convert_candidates('pg_class');
CALL snowid_convert_fill('told');
CALL _snowid_convert.step('{told}', 'ALTER TABLE told DROP id');
CALL snowid_convert_undo('told');
DROP EVENT TRIGGER refuse;
DROP FUNCTION refuse;
-- a statement that takes long is told before it begins
\set SHOW_CONTEXT never
SET client_min_messages = notice;
UPDATE pg_class SET reltuples = 1e7 WHERE oid = 'told'::regclass;
CREATE VIEW of_told AS SELECT id FROM told;
CALL snowid_convert('told', set_default => true, rewrite => true);
SET client_min_messages = warning;
DROP TABLE told CASCADE;
