-- Columns that no foreign key names are taken along where somebody names them.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
\pset null '~'
SET client_min_messages = warning;
CREATE FUNCTION types(VARIADIC regclass[]) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT concat_ws(' ', attrelid::regclass || '.' || quote_ident(attname), format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'NOT NULL' END, quote_literal(col_description(attrelid, attnum)))
        FROM pg_attribute WHERE attrelid = ANY ($1) AND attnum > 0 AND NOT attisdropped ORDER BY attrelid::regclass::text COLLATE "C", attname $$;
CREATE FUNCTION plan(tbl regclass, also text[], OUT text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT regexp_replace(concat_ws(' -- ', statement, note), 'CREATE (OR REPLACE )?FUNCTION.*|SET LOCAL search_path.*', '...') FROM snowid_convert_plan(tbl, online => true, also => also) ORDER BY step $$;

-- int: in one call, with what refers to such a column in turn; a pair that tells its table
CREATE SCHEMA elsewhere;
CREATE TABLE users (id serial PRIMARY KEY);
CREATE TABLE observation (id serial PRIMARY KEY, user_id int UNIQUE, commentable_id int, commentable_type text);
CREATE TABLE elsewhere."of user" (observer int REFERENCES observation (user_id), "user ""id" smallint);
CREATE VIEW seen AS SELECT user_id FROM observation;
INSERT INTO users DEFAULT VALUES;
INSERT INTO observation (user_id, commentable_id) VALUES (1, 7);
SELECT reasons FROM snowid_convert_candidates('users') WHERE name = 'commentable_id';
CALL snowid_convert('users', rewrite => true, also => '{observation.user}');
CALL snowid_convert('users', rewrite => true, also => '{NULL}');
CALL snowid_convert('users', rewrite => true, also => '{"of user.observer"}');
CALL snowid_convert('users', rewrite => true, also => '{observation.commentable_type}');
CALL snowid_convert('users', also => '{observation.user_id}');
CALL snowid_convert('users', rewrite => true, also => '{observation.user_id, observation.commentable_id, users.id, "elsewhere.\"of user\".\"user \"\"id\""}');
SELECT types('users', 'observation', 'elsewhere."of user"');
INSERT INTO users DEFAULT VALUES RETURNING id AS new \gset
INSERT INTO observation (user_id, commentable_id) VALUES (:new, :new);
DROP TABLE users, observation, elsewhere."of user" CASCADE;

-- int: online; what has been begun is known by its mark, also to who gives it up
CREATE TABLE users (id serial PRIMARY KEY);
CREATE TABLE observation (user_id int);
COMMENT ON COLUMN observation.user_id IS 'who saw it';
INSERT INTO users DEFAULT VALUES;
INSERT INTO observation VALUES (1), (77), (NULL);
SELECT plan('users', '{observation.user_id}');
\set ECHO none
\o /dev/null
SELECT statement FROM snowid_convert_plan('users', online => true, also => '{observation.user_id}') WHERE statement ~ 'ADD snowid_' \gexec
\o
\set ECHO all
SELECT types('users', 'observation');
CALL snowid_convert('users', target => 'bigserial');
SELECT types('users', 'observation');
\set ECHO none
\o /dev/null
SELECT statement FROM snowid_convert_plan('users', online => true, also => '{observation.user_id}') WHERE statement ~ 'ADD snowid_' \gexec
SELECT statement FROM snowid_convert_plan('users', online => true) WHERE statement IS NOT NULL ORDER BY step \gexec
\o
\set ECHO all
SELECT types('users', 'observation');
SELECT user_id FROM observation ORDER BY 1;
DROP TABLE users, observation;

-- UUIDs: filled by lookup, there and back; what is no id of the key is told before anything changes
CREATE TABLE users (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), created_at timestamptz NOT NULL DEFAULT '2025-01-01');
CREATE TABLE observation (n int, user_id uuid NOT NULL, reviewer uuid, commentable_id uuid, commentable_type text);
CREATE INDEX ON observation (user_id);
COMMENT ON COLUMN observation.reviewer IS 'who said so';
INSERT INTO users SELECT md5(n::text)::uuid FROM generate_series(1, 10) AS n;
INSERT INTO observation SELECT n, md5(n::text)::uuid, CASE WHEN n < 5 THEN md5((n + 1)::text)::uuid END FROM generate_series(1, 10) AS n;
SELECT note FROM snowid_convert_plan('users', online => true, also => '{observation.commentable_id}');
SELECT note FROM snowid_convert_plan('users', online => true, also => '{observation.n}');
UPDATE observation SET reviewer = md5('none')::uuid WHERE n = 5;
\set also '{observation.user_id,observation.reviewer}'
SELECT statement AS check FROM snowid_convert_plan('users', online => true, also => :'also') WHERE statement ~ 'check_taken' AND statement ~ 'reviewer' \gset
:check;
UPDATE observation SET reviewer = NULL WHERE n = 5;
\set ECHO none
\o /dev/null
SELECT statement FROM snowid_convert_plan('users', online => true, also => :'also') WHERE statement ~ 'check_t[ai][km]' \gexec
SELECT statement FROM snowid_convert_plan('users', online => true, also => :'also') WHERE statement !~ 'LOCK TABLE|ANALYZE|check_t' ORDER BY step \gexec
\o
\set ECHO all
INSERT INTO observation VALUES (11, md5('none')::uuid);
INSERT INTO observation VALUES (11, md5('3')::uuid);
SELECT plan('users', NULL);
\set ECHO none
\o /dev/null
SELECT statement FROM snowid_convert_plan('users', online => true) WHERE statement IS NOT NULL ORDER BY step \gexec
\o
\set ECHO all
SELECT types('users', 'observation');
SELECT count(*), count(reviewer), bool_and(u.uuid = md5(CASE n WHEN 11 THEN 3 ELSE n END::text)::uuid) AS user, bool_and(r.uuid = md5((n + 1)::text)::uuid) AS reviewer FROM observation JOIN users AS u ON u.id = user_id LEFT JOIN users AS r ON r.id = reviewer;
INSERT INTO observation (n, user_id) VALUES (12, 5);
SELECT statement AS check FROM snowid_convert_plan('users', target => 'uuidv7', online => true) WHERE statement ~ 'check_taken' AND statement ~ 'user_id' \gset
:check;
DELETE FROM observation WHERE n = 12;
\set ECHO none
\o /dev/null
SELECT statement FROM snowid_convert_plan('users', target => 'uuidv7', online => true) WHERE statement IS NOT NULL ORDER BY step \gexec
\o
\set ECHO all
SELECT types('users', 'observation');
SELECT count(*), bool_and(user_id = md5(CASE n WHEN 11 THEN 3 ELSE n END::text)::uuid) AS user, count(reviewer), bool_and(reviewer = md5((n + 1)::text)::uuid) AS reviewer FROM observation;
-- a mark that another role has written takes nothing along
CREATE ROLE also_user;
CREATE TABLE hers (user_id int);
ALTER TABLE hers OWNER TO also_user;
COMMENT ON COLUMN hers.user_id IS 'snowid: taken along with public.own.id';
CREATE TABLE own (id serial PRIMARY KEY);
CALL snowid_convert('own', rewrite => true);
SELECT types('hers');
DROP TABLE users, observation, own, hers;
DROP SCHEMA elsewhere CASCADE;
DROP ROLE also_user;
DROP FUNCTION types, plan;
