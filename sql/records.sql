-- A restored record of a generator: its id is its own in the database.
\set db :DBNAME
CREATE DATABASE snowid_records;
\c snowid_records
SET client_min_messages = error;
CREATE EXTENSION snowid;
RESET client_min_messages;
INSERT INTO _snowid.generator (id, name, scheme, worker, overlap, backfill)
    VALUES (1, 'here', 'snowflake', 703, false, false), (1, NULL, 'snowflake', 701, false, false), (2, NULL, 'snowflake', 702, false, false);
CREATE TABLE dump AS SELECT * FROM _snowid.generator;
-- the same dump once more: nothing is added, past claims neither
INSERT INTO _snowid.generator SELECT * FROM dump;
INSERT INTO _snowid.generator SELECT d.* FROM dump AS d, generate_series(1, 2);
SELECT id, name, worker FROM _snowid.generator ORDER BY worker;
-- another generator of that id, from another database
\set VERBOSITY sqlstate
UPDATE dump SET name = 'there', worker = 704 WHERE name = 'here';
INSERT INTO _snowid.generator SELECT * FROM dump WHERE name = 'there';
\set VERBOSITY default
INSERT INTO _snowid.generator SELECT * FROM dump WHERE name = 'there';
-- the same generator with other numbers
INSERT INTO _snowid.generator (id, name, scheme, worker, overlap, backfill) VALUES (1, 'here', 'snowflake', 705, false, false);
-- two of one command
\set VERBOSITY terse
INSERT INTO _snowid.generator (id, name, scheme, worker, overlap, backfill)
    VALUES (3, 'first', 'snowflake', 706, false, false), (3, 'second', 'snowflake', 707, false, false);
COPY _snowid.generator (id, name, scheme, worker, overlap, backfill) FROM stdin;
3	first	snowflake	706	f	f
3	second	snowflake	707	f	f
\.
-- another generator of the same number, and others that cannot meet it
INSERT INTO _snowid.generator (id, name, scheme, worker, overlap, backfill) VALUES (20, 'same', 'snowflake', 703, false, false);
BEGIN;
INSERT INTO _snowid.generator (id, name, scheme, worker, overlap, backfill) VALUES (20, 'overlaps', 'snowflake', 703, true, false);
ROLLBACK;
BEGIN;
INSERT INTO _snowid.generator (id, name, scheme, worker, sequence_max, overlap, backfill) VALUES (21, 'low', 'snowflake', 710, 99, false, false);
INSERT INTO _snowid.generator (id, name, scheme, worker, sequence_min, overlap, backfill) VALUES (22, 'high', 'snowflake', 710, 100, false, false);
INSERT INTO _snowid.generator (id, name, scheme, worker, sequence_min, overlap, backfill) VALUES (23, 'both', 'snowflake', 710, 99, false, false);
ROLLBACK;
-- a number that was given up here: the restored generator goes on above it
BEGIN;
INSERT INTO _snowid.horizon (generator, horizon, safe, drifts, server, timeline) VALUES (2, 1700000000000000000, 0, 0, 0, 0);
INSERT INTO _snowid.generator (id, name, scheme, worker, overlap, backfill) VALUES (24, 'anew', 'snowflake', 702, false, false);
SELECT generator, horizon FROM _snowid.horizon WHERE generator IN (2, 24);
ROLLBACK;
-- so it is with another layout, where another number is the same bits: 50 of 8 bits begins as 200 to 203 of 10 do
BEGIN;
INSERT INTO _snowid.horizon (generator, horizon, safe, drifts, server, timeline) VALUES (3, 1700000000000000001, 0, 0, 0, 0);
INSERT INTO _snowid.generator (id, scheme, layout, worker, sequence_min, sequence_max, overlap, backfill)
    VALUES (3, 'snowflake', 'epoch=2024-01-01,tick=1ms,time=41,worker=8,sequence=14', 50, 0, 16383, false, false);
INSERT INTO _snowid.generator (id, name, scheme, worker, overlap, backfill)
    VALUES (25, 'same_bits', 'snowflake', 201, false, false), (26, 'other_bits', 'snowflake', 204, false, false);
SELECT generator, horizon FROM _snowid.horizon WHERE generator IN (3, 25, 26);
ROLLBACK;
-- and beside a generator that is in use here nothing may be of the same bits
INSERT INTO _snowid.generator (id, name, scheme, worker, overlap, backfill) VALUES (27, 'in_use', 'snowflake', 201, false, false);
BEGIN;
INSERT INTO _snowid.generator (id, name, scheme, layout, worker, overlap, backfill)
    VALUES (29, 'other_bits', 'snowflake', 'epoch=2024-01-01,tick=1ms,time=41,worker=8,sequence=14', 51, false, false);
ROLLBACK;
INSERT INTO _snowid.generator (id, name, scheme, layout, worker, overlap, backfill)
    VALUES (28, 'same_bits', 'snowflake', 'epoch=2024-01-01,tick=1ms,time=41,worker=8,sequence=14', 50, false, false);
-- past claims of another generator are accepted, and what the table itself refuses is refused
INSERT INTO _snowid.generator (id, scheme, worker, overlap, backfill) VALUES (1, 'snowflake', 708, false, false);
INSERT INTO _snowid.generator (id, name, scheme, worker, overlap, backfill) VALUES (NULL, 'nonsense', 'nonsense', 1, true, true);
INSERT INTO _snowid.generator (id, name, scheme, worker, overlap, backfill) VALUES (9, 'nonsense', 'snowflake', 1, NULL, true);
-- names and numbers that nothing of snowid has written
\set VERBOSITY default
INSERT INTO _snowid.generator (id, name, scheme, worker, overlap, backfill) VALUES (9, 'nonsense', 'nonsense', 1, true, true);
INSERT INTO _snowid.generator (id, name, scheme, worker, overlap, backfill) VALUES (9, '', 'snowflake', 1, true, true);
INSERT INTO _snowid.generator (id, name, scheme, worker, overlap, backfill) VALUES (9, repeat('x', 64), 'snowflake', 1, true, true);
INSERT INTO _snowid.generator (id, name, scheme, worker, overlap, backfill) VALUES (9, 'default', 'snowflake', 1, true, true);
INSERT INTO _snowid.generator (id, scheme, layout, worker, overlap, backfill) VALUES (9, 'snowflake', repeat('x', 300), 1, true, true);
INSERT INTO _snowid.generator (id, name, scheme, worker, overlap, backfill) VALUES (9, 'negative', 'snowflake', -5, false, false);
INSERT INTO _snowid.generator (id, scheme, partition, sequence_max, overlap, backfill) VALUES (9, 'sno', 5, -1, false, false);
\set VERBOSITY terse
-- a replica role, as some restores take, changes nothing of that
SET session_replication_role = replica;
INSERT INTO _snowid.generator SELECT * FROM dump WHERE name = 'there';
INSERT INTO _snowid.generator (id, name, scheme, worker, overlap, backfill) VALUES (4, 'restored', 'snowflake', 709, false, false);
INSERT INTO _snowid.layout VALUES (snowid_layout_canonical('default'), now());
RESET session_replication_role;
-- nobody can put these triggers on a table of their own
CREATE TABLE other AS SELECT * FROM _snowid.generator;
CREATE TRIGGER t BEFORE INSERT ON other FOR EACH ROW EXECUTE FUNCTION _snowid.generator_added();
INSERT INTO other SELECT * FROM dump;
CREATE OR REPLACE TRIGGER t BEFORE INSERT ON other FOR EACH ROW EXECUTE FUNCTION _snowid.drop_replicated();
INSERT INTO other SELECT * FROM dump;
CREATE OR REPLACE TRIGGER t BEFORE INSERT ON other FOR EACH ROW EXECUTE FUNCTION _snowid.horizon_incoming();
INSERT INTO other SELECT * FROM dump;
CREATE OR REPLACE TRIGGER t BEFORE INSERT ON other FOR EACH ROW EXECUTE FUNCTION _snowid.layout_incoming();
INSERT INTO other SELECT * FROM dump;
CREATE OR REPLACE TRIGGER t BEFORE INSERT ON other FOR EACH ROW EXECUTE FUNCTION _snowid.granted_added();
INSERT INTO other SELECT * FROM dump;
SELECT id, name, worker FROM _snowid.generator ORDER BY worker;
-- whoever adds a row to the horizon says nothing of the server that wrote it
INSERT INTO _snowid.horizon VALUES (4, 5, 6, 7, 8, 9);
SELECT * FROM _snowid.horizon WHERE generator = 4;
-- a dump does not know what a backfill generator made after it, so it refuses what it may have been given
INSERT INTO _snowid.horizon VALUES (40, 1717200000000000000, 0, 1, 0, 0), (41, 0, 0, 1, 0, 0), (42, 1717200000000000000, 0, 1, 0, 0);
INSERT INTO _snowid.generator (id, name, scheme, worker, partition, overlap, backfill, future)
    VALUES (40, 'past', 'snowflake', 740, NULL, false, true, false), (41, 'far', 'snowflake', 741, NULL, false, true, true), (42, 'snos', 'sno', NULL, 740, false, true, false);
SELECT clock_timestamp() AS begun \gset
\set VERBOSITY terse
SELECT snowflake_at('2024-07-01', 'past');
SELECT sno_at('2024-07-01', 'snos');
SELECT snowid_generator_snapshot('past');
\set VERBOSITY default
SELECT snowflake_at('2024-07-01', 'far');
SELECT finding, what_to_do FROM snowid_check() WHERE finding ~ 'may be lost' ORDER BY finding;
-- but it goes on with times of now, above all that it can have made
BEGIN;
SELECT snowflake_time(snowflake_at(now(), 'past')) > :'begun' AS above;
\set VERBOSITY terse
SELECT snowflake_at('2024-07-01', 'past');
\set VERBOSITY default
ROLLBACK;
-- somebody who knows that there was nothing after the dump says so
CREATE ROLE snowid_restorer;
SET ROLE snowid_restorer;
SELECT snowid_generator_accept('far');
RESET ROLE;
DROP ROLE snowid_restorer;
SELECT snowid_generator_accept('far'), snowid_generator_accept('snos');
SELECT snowflake_time(snowflake_at('2024-07-01', 'far')) = '2024-07-01' AS exact, sno_time(sno_at('2024-07-01', 'snos')) = '2024-07-01' AS exact;
SELECT snowid_generator_accept('far');
SELECT snowid_generator_accept('none');
SELECT finding FROM snowid_check() WHERE finding ~ 'may be lost';

\c :db
DROP DATABASE snowid_records;
