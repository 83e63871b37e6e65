-- A restored record of a generator: its id is its own in the database.
\set db :DBNAME
CREATE DATABASE snowid_records;
\c snowid_records
CREATE EXTENSION snowid;
INSERT INTO snowid_generator (id, name, scheme, worker, overlap, backfill)
    VALUES (1, 'here', 'snowflake', 703, false, false), (1, NULL, 'snowflake', 701, false, false), (2, NULL, 'snowflake', 702, false, false);
CREATE TABLE dump AS SELECT * FROM snowid_generator;
-- the same dump once more: nothing is added, past claims neither
INSERT INTO snowid_generator SELECT * FROM dump;
INSERT INTO snowid_generator SELECT d.* FROM dump AS d, generate_series(1, 2);
SELECT id, name, worker FROM snowid_generator ORDER BY worker;
-- another generator of that id, from another database
\set VERBOSITY sqlstate
UPDATE dump SET name = 'there', worker = 704 WHERE name = 'here';
INSERT INTO snowid_generator SELECT * FROM dump WHERE name = 'there';
\set VERBOSITY default
INSERT INTO snowid_generator SELECT * FROM dump WHERE name = 'there';
-- the same generator with other numbers
INSERT INTO snowid_generator (id, name, scheme, worker, overlap, backfill) VALUES (1, 'here', 'snowflake', 705, false, false);
-- two of one command
\set VERBOSITY terse
INSERT INTO snowid_generator (id, name, scheme, worker, overlap, backfill)
    VALUES (3, 'first', 'snowflake', 706, false, false), (3, 'second', 'snowflake', 707, false, false);
COPY snowid_generator (id, name, scheme, worker, overlap, backfill) FROM stdin;
3	first	snowflake	706	f	f
3	second	snowflake	707	f	f
\.
-- another generator of the same number, and others that cannot meet it
INSERT INTO snowid_generator (id, name, scheme, worker, overlap, backfill) VALUES (20, 'same', 'snowflake', 703, false, false);
BEGIN;
INSERT INTO snowid_generator (id, name, scheme, worker, overlap, backfill) VALUES (20, 'overlaps', 'snowflake', 703, true, false);
ROLLBACK;
BEGIN;
INSERT INTO snowid_generator (id, name, scheme, worker, sequence_max, overlap, backfill) VALUES (21, 'low', 'snowflake', 710, 99, false, false);
INSERT INTO snowid_generator (id, name, scheme, worker, sequence_min, overlap, backfill) VALUES (22, 'high', 'snowflake', 710, 100, false, false);
INSERT INTO snowid_generator (id, name, scheme, worker, sequence_min, overlap, backfill) VALUES (23, 'both', 'snowflake', 710, 99, false, false);
ROLLBACK;
-- a number that was given up here: the restored generator goes on above it
BEGIN;
INSERT INTO snowid_horizon (generator, horizon, safe, drifts, clock_offset, boot, server, timeline) VALUES (2, 1700000000000000000, 0, 0, 0, 0, 0, 0);
INSERT INTO snowid_generator (id, name, scheme, worker, overlap, backfill) VALUES (24, 'anew', 'snowflake', 702, false, false);
SELECT generator, horizon FROM snowid_horizon WHERE generator IN (2, 24);
ROLLBACK;
-- past claims of another generator are accepted, and what is no record is as before
INSERT INTO snowid_generator (id, scheme, worker, overlap, backfill) VALUES (1, 'snowflake', 708, false, false);
BEGIN;
INSERT INTO snowid_generator (id, name, scheme, worker, overlap, backfill) VALUES (9, 'nonsense', 'nonsense', 1, true, true);
INSERT INTO snowid_generator (id, name, scheme, worker, overlap, backfill) VALUES (NULL, 'nonsense', 'nonsense', 1, true, true);
ROLLBACK;
-- numbers that nothing of snowid has written
\set VERBOSITY default
INSERT INTO snowid_generator (id, name, scheme, worker, overlap, backfill) VALUES (9, 'negative', 'snowflake', -5, false, false);
INSERT INTO snowid_generator (id, scheme, partition, sequence_max, overlap, backfill) VALUES (9, 'sno', 5, -1, false, false);
\set VERBOSITY terse
-- a replica role, as some restores take, changes nothing of that
SET session_replication_role = replica;
INSERT INTO snowid_generator SELECT * FROM dump WHERE name = 'there';
INSERT INTO snowid_generator (id, name, scheme, worker, overlap, backfill) VALUES (4, 'restored', 'snowflake', 709, false, false);
INSERT INTO snowid_layout VALUES (snowid_layout_canonical('default'), now());
RESET session_replication_role;
-- nobody can put these triggers on a table of their own
CREATE TABLE other AS SELECT * FROM snowid_generator;
CREATE TRIGGER t BEFORE INSERT ON other FOR EACH ROW EXECUTE FUNCTION _snowid_generator_added();
INSERT INTO other SELECT * FROM dump;
CREATE OR REPLACE TRIGGER t BEFORE INSERT ON other FOR EACH ROW EXECUTE FUNCTION _snowid_drop_replicated();
INSERT INTO other SELECT * FROM dump;
CREATE OR REPLACE TRIGGER t BEFORE INSERT ON other FOR EACH ROW EXECUTE FUNCTION _snowid_horizon_incoming();
INSERT INTO other SELECT * FROM dump;
SELECT id, name, worker FROM snowid_generator ORDER BY worker;
-- whoever adds a row to the horizon says nothing of the server that wrote it
INSERT INTO snowid_horizon VALUES (4, 5, 6, 7, 8, 9, 10, 11);
SELECT * FROM snowid_horizon WHERE generator = 4;
\c :db
DROP DATABASE snowid_records;
