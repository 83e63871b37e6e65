-- After a swap the old ids stay in step, until somebody finishes the conversion or undoes it.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
\pset null '~'
SET client_min_messages = warning;
CREATE FUNCTION columns(VARIADIC regclass[]) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT concat_ws(' ', attrelid::regclass || '.' || quote_ident(attname), format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'NOT NULL' END, pg_get_expr(adbin, adrelid), 'identity ' || nullif(attidentity, '')::text, quote_literal(col_description(attrelid, attnum)))
        FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE attrelid = ANY ($1) AND attnum > 0 AND NOT attisdropped ORDER BY attrelid::regclass::text COLLATE "C", attname $$;
CREATE TABLE owner (id serial PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT '2025-01-01');
CREATE TABLE pet (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, owner_id int NOT NULL REFERENCES owner ON DELETE CASCADE, seen_by int, name text);
CREATE INDEX pet_owner ON pet (owner_id);
CREATE TABLE guest (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), host uuid REFERENCES guest ON DELETE SET NULL, created_at timestamptz NOT NULL DEFAULT '2025-01-01');
CREATE TABLE stay (guest uuid UNIQUE REFERENCES guest);
INSERT INTO owner SELECT FROM generate_series(1, 10);
INSERT INTO pet (owner_id, seen_by, name) SELECT n, 11 - n, n FROM generate_series(1, 10) AS n;
INSERT INTO guest (id, host) SELECT md5(n::text)::uuid, CASE WHEN n > 1 THEN md5((n / 2)::text)::uuid END FROM generate_series(1, 10) AS n;
INSERT INTO stay SELECT id FROM guest;
SELECT snowid_convert_plan('owner', keep => true);
SELECT snowid_convert_plan('owner', target => 'bigserial', online => true, keep => true);
CALL snowid_convert_undo('owner');
CALL snowid_convert_finish('owner');
CALL snowid_convert_finish(NULL);
CALL snowid_convert_undo(NULL);
\set owner 'SELECT statement FROM snowid_convert_plan(''owner'', online => true, keep => true, also => ''{pet.seen_by}'') WHERE statement IS NOT NULL ORDER BY step'
\set pet 'SELECT statement FROM snowid_convert_plan(''pet'', online => true, keep => true) WHERE statement IS NOT NULL ORDER BY step'
\set guest 'SELECT statement FROM snowid_convert_plan(''guest'', online => true, keep => true) WHERE statement IS NOT NULL ORDER BY step'
\set ECHO none
\o /dev/null
:owner \gexec
-- subscribers cannot follow a swap, nor the way back
SET client_min_messages = error;
CREATE PUBLICATION of_pet FOR TABLE pet;
SET client_min_messages = warning;
:owner \gexec
DROP PUBLICATION of_pet;
:owner \gexec
:guest \gexec
\o
\set ECHO all
-- not ready yet
SELECT columns('owner', 'pet');
CALL snowid_convert_undo('owner');
SELECT regexp_replace(statement, 'FUNCTION.*', '...') AS statement, note FROM snowid_convert_plan('guest', online => true, keep => true);
\set ECHO none
\o /dev/null
:owner \gexec
:guest \gexec
\o
\set ECHO all
:owner;
:guest;
SET client_min_messages = error;
CREATE PUBLICATION of_pet FOR TABLE pet;
SET client_min_messages = warning;
CALL snowid_convert_undo('owner');
DROP PUBLICATION of_pet;
SELECT columns('owner', 'pet', 'guest', 'stay');
-- new rows take the old sequence, or a fresh uuid, and what refers to them follows
INSERT INTO owner DEFAULT VALUES RETURNING id > 1000000 AS is_new, old_id, id AS new \gset
SELECT :'is_new', :old_id;
INSERT INTO pet (owner_id, seen_by, name) VALUES (:new, 3, 'new') RETURNING snowid_owner_id, snowid_seen_by;
UPDATE pet SET owner_id = 4, seen_by = NULL WHERE name = '5' RETURNING snowid_owner_id, snowid_seen_by;
INSERT INTO guest (host) SELECT id FROM guest WHERE uuid = md5('7')::uuid RETURNING snowid_host = md5('7')::uuid AS host, id AS new \gset
INSERT INTO stay VALUES (:new) RETURNING snowid_guest = (SELECT uuid FROM guest WHERE id = :new) AS follows;
-- a constraint that somebody has made meanwhile stays, and that it is to be validated is told
ALTER TABLE pet ADD CONSTRAINT owned CHECK (owner_id > 0);
SET client_min_messages = notice;
CALL snowid_convert_undo('owner');
SET client_min_messages = warning;
SET quote_all_identifiers = on;
CALL snowid_convert_undo('guest');
RESET quote_all_identifiers;
SELECT columns('owner', 'pet', 'guest', 'stay');
SELECT conrelid::regclass, conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype IN ('p', 'u', 'f') AND conrelid IN ('owner'::regclass, 'pet'::regclass, 'guest'::regclass, 'stay'::regclass) ORDER BY conrelid::regclass::text, conname;
SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid IN ('owner'::regclass, 'pet'::regclass, 'guest'::regclass, 'stay'::regclass) ORDER BY 1;
SELECT owner_id, seen_by, name FROM pet ORDER BY id;
SELECT count(*), bool_and(CASE WHEN n > 1 THEN host = md5((n / 2)::text)::uuid ELSE host IS NULL END) AS host FROM generate_series(1, 10) AS n JOIN guest ON id = md5(n::text)::uuid JOIN stay ON guest = id;
INSERT INTO owner DEFAULT VALUES RETURNING id;
INSERT INTO guest DEFAULT VALUES RETURNING host;
-- finished, nothing is left of the old ones
\set ECHO none
\o /dev/null
:pet \gexec
:pet \gexec
:pet \gexec
:guest \gexec
:guest \gexec
\o
\set ECHO all
CALL snowid_convert_finish('pet');
CALL snowid_convert_finish('guest');
SELECT columns('pet', 'guest', 'stay');
INSERT INTO pet (owner_id) VALUES (1) RETURNING id > 1000000 AS is_new;
SELECT tgname FROM pg_trigger WHERE tgname = '~snowid_convert' UNION ALL SELECT proname FROM pg_proc WHERE proname ~ '^snowid_convert_(pet|guest|stay|owner)' UNION ALL SELECT conname FROM pg_constraint WHERE conname = 'snowid_same';
CALL snowid_convert_undo('pet');
-- a key that had no default has none on the way back
CREATE TABLE bare (id uuid PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT '2025-01-01');
COMMENT ON COLUMN bare.id IS 'from elsewhere';
INSERT INTO bare VALUES (md5('1')::uuid);
\set bare 'SELECT statement FROM snowid_convert_plan(''bare'', online => true, keep => true, set_default => true) WHERE statement IS NOT NULL ORDER BY step'
\set ECHO none
\o /dev/null
:bare \gexec
:bare \gexec
\o
\set ECHO all
SELECT columns('bare');
INSERT INTO bare DEFAULT VALUES;
CALL snowid_convert_undo('bare');
SELECT columns('bare');
\set ECHO none
\o /dev/null
:bare \gexec
SELECT statement FROM snowid_convert_plan('bare', target => 'uuidv7', online => true) WHERE statement IS NOT NULL ORDER BY step \gexec
\o
\set ECHO all
SELECT columns('bare');
DROP TABLE owner, pet, guest, stay, bare;
DROP FUNCTION columns;
