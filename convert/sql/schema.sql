-- All keys of a schema are moved by one plan, in one transaction and online, and back.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
CREATE SCHEMA app;
CREATE TABLE app.person (id serial PRIMARY KEY, boss int REFERENCES app.person, name text, CHECK (id > 0));
CREATE TABLE app.team (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, lead int REFERENCES app.person, latest int);
CREATE TABLE app.task (id bigserial PRIMARY KEY, person int REFERENCES app.person, team int NOT NULL REFERENCES app.team, part_of bigint REFERENCES app.task);
ALTER TABLE app.team ADD FOREIGN KEY (latest) REFERENCES app.person DEFERRABLE;
CREATE TABLE app.member (person int REFERENCES app.person ON DELETE CASCADE, team int REFERENCES app.team, since date, PRIMARY KEY (person, team));
CREATE TABLE app.member_note (id serial PRIMARY KEY, person int, team int, FOREIGN KEY (person, team) REFERENCES app.member MATCH FULL);
CREATE TABLE app.detail (id int PRIMARY KEY REFERENCES app.person, more text);
CREATE TABLE app.event (id serial, day date NOT NULL, person int REFERENCES app.person, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE app.event_1 PARTITION OF app.event FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE TABLE app.animal (id serial PRIMARY KEY);
CREATE TABLE app.cat (lives int, UNIQUE (id)) INHERITS (app.animal);
CREATE INDEX ON app.task (person, team) WHERE part_of > 0;
CREATE VIEW app.tasks AS SELECT t.id, p.name FROM app.task AS t JOIN app.person AS p ON p.id = person;
-- what cannot go
CREATE TABLE app.visit (id uuid PRIMARY KEY DEFAULT gen_random_uuid());
CREATE TABLE app.code (id int PRIMARY KEY);
CREATE TABLE app.pair (a int, b int, PRIMARY KEY (a, b));
CREATE TABLE app.word (word text PRIMARY KEY);
CREATE TABLE app.loose (id serial);
CREATE TABLE app.seen (id serial PRIMARY KEY);
CREATE VIEW app.seen_1 AS SELECT s.id FROM app.seen AS s JOIN app.seen AS t ON t.id = s.id;
CREATE VIEW app.seen_2 AS SELECT id FROM app.seen_1;
CREATE TABLE app.of_seen (id serial PRIMARY KEY, seen int REFERENCES app.seen, person int REFERENCES app.person);
INSERT INTO app.person (boss, name) VALUES (NULL, 'Ada'), (1, 'Bob');
INSERT INTO app.team (lead, latest) VALUES (1, 2);
INSERT INTO app.task (person, team, part_of) VALUES (1, 1, NULL), (2, 1, 1);
INSERT INTO app.member VALUES (1, 1), (2, 1);
INSERT INTO app.member_note (person, team) VALUES (2, 1);
INSERT INTO app.detail VALUES (2, 'x');
INSERT INTO app.event (day, person) VALUES ('2025-05-05', 2);
INSERT INTO app.cat DEFAULT VALUES;
INSERT INTO app.seen DEFAULT VALUES;
INSERT INTO app.of_seen (seen, person) VALUES (1, 2);
CREATE FUNCTION types(OUT text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT format('%s %s %s', attrelid::regclass, string_agg(attname || ' ' || atttypid::regtype, ', ' ORDER BY attname),
            string_agg(regexp_replace(coalesce(pg_get_expr(adbin, adrelid), nullif(attidentity, '')::text), '^nextval.*', 'nextval'), ', ' ORDER BY attname))
        FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE relnamespace = 'app'::regnamespace AND relkind IN ('r', 'p', 'v') AND attnum > 0 AND atttypid IN ('int'::regtype, 'bigint'::regtype)
        GROUP BY attrelid ORDER BY 1 $$;
CREATE FUNCTION rows_of(OUT text) LANGUAGE sql AS $$
    SELECT (SELECT count(*) FROM app.tasks) || ' ' || (SELECT string_agg(b.name, ',') FROM app.person AS p JOIN app.person AS b ON b.id = p.boss)
        || ' ' || (SELECT count(*) FROM app.member JOIN app.team ON team.id = team JOIN app.member_note USING (person, team))
        || ' ' || (SELECT count(*) FROM app.event JOIN app.person AS p ON p.id = person JOIN app.detail AS d ON d.id = p.id)
        || ' ' || (SELECT count(*) FROM app.of_seen JOIN app.seen ON seen.id = seen JOIN app.person AS p ON p.id = person) $$;
-- Each table is rewritten once.
CREATE TABLE rewritten (tbl regclass);
CREATE FUNCTION count_rewrites() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.rewritten VALUES (pg_event_trigger_table_rewrite_oid()); END';
CREATE EVENT TRIGGER count_rewrites ON table_rewrite EXECUTE FUNCTION count_rewrites();

SELECT rows_of();
SELECT types();
\pset format unaligned
SELECT note FROM snowid_convert_plan(schema => 'app') WHERE statement IS NULL;
SELECT count(statement), count(*) FILTER (WHERE rewrites) FROM snowid_convert_plan(schema => 'app');
CALL snowid_convert(schema => 'app');
CALL snowid_convert(schema => 'app', rewrite => true);
SELECT count(*) = count(DISTINCT tbl), count(*) FROM rewritten;
SELECT rows_of();
SELECT types();
INSERT INTO app.person (boss) SELECT max(id) FROM app.person RETURNING abs(extract(epoch FROM snowflake_time(id) - now())) < 60 AS is_new;
INSERT INTO app.member SELECT max(p.id), max(t.id) FROM app.person AS p, app.team AS t;
INSERT INTO app.event (day, person) SELECT '2025-06-06', max(id) FROM app.person RETURNING abs(extract(epoch FROM snowflake_time(id) - now())) < 60 AS is_new;
-- nothing is left to do
SELECT count(statement) FROM snowid_convert_plan(schema => 'app');
-- and back
CALL snowid_convert(schema => 'app', target => 'bigserial');
SELECT types();
SELECT rows_of();
SELECT note FROM snowid_convert_plan(schema => 'app', target => 'bigserial') WHERE note LIKE 'Stays%';
DELETE FROM app.event WHERE id > 1000000;
DELETE FROM app.member WHERE person > 1000000;
DELETE FROM app.person WHERE id > 1000000;

-- Nothing is left unsaid: every table of the schema is converted, or goes with a key, or is named. Whatever the target is.
CREATE SCHEMA abroad;
CREATE TABLE abroad.parent (id serial PRIMARY KEY);
CREATE TABLE app.detail_of (id int PRIMARY KEY REFERENCES abroad.parent);
CREATE TABLE app.moved (id uuid PRIMARY KEY DEFAULT uuidv7_next());
CREATE TABLE app.no_default (id uuid PRIMARY KEY);
CREATE FOREIGN DATA WRAPPER nothing;
CREATE SERVER nowhere FOREIGN DATA WRAPPER nothing;
CREATE FOREIGN TABLE app.far (id int) SERVER nowhere;
SELECT note FROM snowid_convert_plan(schema => 'app', online => true) WHERE note LIKE 'Stays%' AND note ~ 'detail_of|moved|no_default|far';
SELECT note FROM snowid_convert_plan(schema => 'app', target => 'uuidv7') WHERE note LIKE 'Stays%';
SET client_min_messages = warning;
CREATE ROLE schema_tester;
GRANT USAGE ON SCHEMA app TO schema_tester;
RESET client_min_messages;
SET ROLE schema_tester;
CALL snowid_convert(schema => 'app', target => 'uuidv7');
RESET ROLE;
DROP OWNED BY schema_tester;
DROP ROLE schema_tester;
DROP SERVER nowhere CASCADE;
DROP FOREIGN DATA WRAPPER nothing;
DROP SCHEMA abroad CASCADE;

-- the arguments
SELECT * FROM snowid_convert_plan('app.person', schema => 'app');
SELECT * FROM snowid_convert_plan(schema => 'app', target => 'text');
CALL snowid_convert(schema => 'pg_catalog');
CALL snowid_convert(schema => 'nothing');
SELECT * FROM snowid_convert_plan();
\set VERBOSITY terse
DROP SCHEMA app CASCADE;

-- online: each table is filled once for all its columns
CREATE SCHEMA app;
CREATE TABLE app.person (id serial PRIMARY KEY, boss int REFERENCES app.person, name text);
CREATE TABLE app.team (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, lead int REFERENCES app.person);
CREATE TABLE app.member (person int REFERENCES app.person ON DELETE CASCADE, team int REFERENCES app.team, PRIMARY KEY (person, team));
-- this key is wide already, so it keeps its column
CREATE TABLE app.visit (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, person int REFERENCES app.person);
CREATE TABLE app.alone (id serial PRIMARY KEY, n int);
CREATE TABLE app.split (id serial PRIMARY KEY) PARTITION BY HASH (id);
CREATE VIEW app.leads AS SELECT t.id, p.name FROM app.team AS t JOIN app.person AS p ON p.id = lead;
INSERT INTO app.person (boss, name) VALUES (NULL, 'Ada'), (1, 'Bob');
INSERT INTO app.team (lead) VALUES (1);
INSERT INTO app.member VALUES (1, 1), (2, 1);
INSERT INTO app.alone (n) VALUES (1);
INSERT INTO app.visit (person) VALUES (2);
SELECT note FROM snowid_convert_plan(schema => 'app', online => true) WHERE note LIKE 'Stays%';
SELECT count(*) FILTER (WHERE statement LIKE '%snowid_convert_fill%') AS fills, count(*) FILTER (WHERE note LIKE 'the swap%') AS swaps FROM snowid_convert_plan(schema => 'app', online => true);
\set ECHO none
\o /dev/null
SELECT statement FROM snowid_convert_plan(schema => 'app', online => true) WHERE statement IS NOT NULL AND step <= (
    SELECT min(step) FROM snowid_convert_plan(schema => 'app', online => true) WHERE note LIKE 'the swap%') ORDER BY step \gexec
\o
-- after the first swap
SELECT count(*) FILTER (WHERE statement LIKE '%snowid_convert_fill%') AS fills, count(*) FILTER (WHERE note LIKE 'the swap%') AS swaps FROM snowid_convert_plan(schema => 'app', online => true);
\o /dev/null
SELECT statement FROM snowid_convert_plan(schema => 'app', online => true) WHERE statement IS NOT NULL ORDER BY step \gexec
\o
\set ECHO all
SELECT types();
SELECT count(statement) FROM snowid_convert_plan(schema => 'app', online => true);
SELECT (SELECT count(*) FROM app.leads), (SELECT count(*) FROM app.member JOIN app.person AS p ON p.id = person JOIN app.team AS t ON t.id = team);
WITH p AS (INSERT INTO app.person (boss) SELECT max(id) FROM app.person RETURNING id) INSERT INTO app.team (lead) SELECT id FROM p RETURNING abs(extract(epoch FROM snowflake_time(id) - now())) < 60 AS is_new;
CALL snowid_convert(schema => 'app', target => 'bigserial');
SELECT types();
DROP SCHEMA app CASCADE;
-- the tables of each owner are converted by themselves
CREATE ROLE schema_tester;
CREATE SCHEMA app;
CREATE TABLE app.own (id bigserial PRIMARY KEY);
CREATE TABLE app.others (id bigserial PRIMARY KEY);
CREATE TABLE app.shared (id bigserial PRIMARY KEY);
CREATE TABLE app.others_too (id bigserial PRIMARY KEY, shared bigint REFERENCES app.shared);
GRANT USAGE ON SCHEMA app TO schema_tester;
ALTER TABLE app.others OWNER TO schema_tester;
ALTER TABLE app.others_too OWNER TO schema_tester;
SELECT coalesce(substring(statement FROM '^ALTER TABLE \S+'), note) AS told FROM snowid_convert_plan(schema => 'app') WHERE note ~ '^Stays' OR statement IS NOT NULL;
CALL snowid_convert(schema => 'app');
SELECT types();
DROP SCHEMA app CASCADE;
DROP ROLE schema_tester;
-- given up after the first swap: what was moved goes back, and what was begun is dropped. A generated key cannot go.
CREATE SCHEMA app;
CREATE TABLE app.first (id serial PRIMARY KEY);
CREATE TABLE app.second (id serial PRIMARY KEY, other int REFERENCES app.second);
CREATE TABLE app.third (n int, id bigint GENERATED ALWAYS AS (n) STORED PRIMARY KEY);
CREATE TABLE app.fourth (id bigint DEFAULT 2 * 21 PRIMARY KEY);
SELECT note FROM snowid_convert_plan(schema => 'app') WHERE note ~ '^(Stays|the default)';
\set ECHO none
\o /dev/null
SELECT statement FROM snowid_convert_plan(schema => 'app', online => true) WHERE statement IS NOT NULL AND step <= (
    SELECT min(step) FROM snowid_convert_plan(schema => 'app', online => true) WHERE note LIKE 'the swap%') ORDER BY step \gexec
SELECT statement FROM snowid_convert_plan(schema => 'app', online => true) WHERE statement ~ 'ADD snowid_' \gexec
\o
\set ECHO all
SELECT "table", phase FROM snowid_conversions;
CALL snowid_convert(schema => 'app', target => 'bigserial');
SELECT types();
SELECT "table", phase FROM snowid_conversions;
DROP SCHEMA app CASCADE;
-- a key with its old ids beside it is left to plans of its own, and can still be undone
CREATE SCHEMA app;
CREATE TABLE app.kept (id serial PRIMARY KEY);
CREATE TABLE app.other (id bigserial PRIMARY KEY);
\set kept 'SELECT statement FROM snowid_convert_plan(''app.kept'', online => true, keep => true) WHERE statement IS NOT NULL ORDER BY step'
\set ECHO none
\o /dev/null
:kept \gexec
:kept \gexec
:kept \gexec
\o
\set ECHO all
CALL snowid_convert(schema => 'app');
SELECT types();
CALL snowid_convert(schema => 'app', target => 'bigserial');
CALL snowid_convert_undo('app.kept');
SELECT types();
DROP SCHEMA app CASCADE;
DROP EVENT TRIGGER count_rewrites;
DROP FUNCTION types, rows_of, count_rewrites;
DROP TABLE rewritten;
