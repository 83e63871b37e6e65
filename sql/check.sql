-- What snowid_check() finds.
SET timezone = 'UTC';
SELECT subject, what_to_do FROM snowid_check() WHERE subject = 'preload'
    AND current_setting('shared_preload_libraries') = 'snowid';
SELECT subject, what_to_do FROM snowid_check() WHERE subject IN ('start', 'layout', 'horizon', 'overlap', 'uuidv7', 'reserve', 'generators');
BEGIN;
DELETE FROM _snowid.horizon WHERE generator = -1;
SELECT * FROM snowid_check() WHERE subject = 'horizon';
DELETE FROM _snowid.horizon;
ALTER TABLE _snowid.horizon SET UNLOGGED;
SELECT * FROM snowid_check() WHERE subject = 'horizon';
ROLLBACK;
BEGIN;
DELETE FROM _snowid.layout;
SELECT * FROM snowid_check() WHERE subject = 'layout';
ROLLBACK;
-- tables that say which ids this server makes must not be replicated
SET client_min_messages = error;  -- wal_level
CREATE PUBLICATION of_generators FOR TABLE _snowid.generator, _snowid.horizon;
RESET client_min_messages;
SELECT * FROM snowid_check() WHERE subject = 'replication';
-- as a monitoring role
CREATE ROLE snowid_monitor;
GRANT pg_monitor TO snowid_monitor;
SET ROLE snowid_monitor;
SELECT subject FROM snowid_check() WHERE subject = 'replication';
RESET ROLE;
DROP PUBLICATION of_generators;
SET client_min_messages = error;
CREATE PUBLICATION of_all FOR ALL TABLES;
RESET client_min_messages;
SELECT * FROM snowid_check() WHERE subject = 'replication';
DROP PUBLICATION of_all;
-- PostgreSQL's own uuidv7() as a default, where it exists
CREATE TABLE of_uuid (id uuid DEFAULT uuidv7_next());
SELECT current_setting('server_version_num')::int >= 180000 AS has_own_uuidv7 \gset
DO $$
BEGIN
    IF current_setting('server_version_num')::int >= 180000 THEN ALTER TABLE of_uuid ADD other uuid DEFAULT pg_catalog.uuidv7(); END IF;
END $$;
SELECT count(*) = :'has_own_uuidv7'::boolean::int AS found FROM snowid_check() WHERE subject = 'uuidv7';
SELECT what_to_do = 'ALTER TABLE of_uuid ALTER other SET DEFAULT uuidv7_next();' AS has_a_way_out FROM snowid_check() WHERE subject = 'uuidv7' AND :'has_own_uuidv7'
    UNION ALL SELECT true WHERE NOT :'has_own_uuidv7';
DROP TABLE of_uuid;
CREATE ROLE snowid_nobody;
SET ROLE snowid_nobody;
SELECT count(*) FROM snowid_check();
SELECT * FROM snowid_stat;
SELECT * FROM snowid_holders;
RESET ROLE;
DROP ROLE snowid_monitor, snowid_nobody;

-- durations in words
SELECT l.length, _snowid.in_words(l.length::interval) FROM unnest(ARRAY['-00:59:59', '1.5 s', '90 s', '-00:09:20', '01:30:00', '47:00', '-3 days']) l (length);
