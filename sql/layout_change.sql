-- What depends on the layout of a database, by a function or by an operator, is listed when the layout changes.
SELECT current_setting('shared_preload_libraries') <> 'snowid' AS not_preloaded \gset
\if :not_preloaded
\quit
\endif
CREATE TABLE event (
    id snowflake,
    number bigint,
    made timestamptz GENERATED ALWAYS AS (snowflake_time(id)) STORED,
    is_early boolean GENERATED ALWAYS AS (id < timestamptz '2025-01-01 00:00Z') STORED,
    seen timestamptz DEFAULT snowflake_time(1),
    CONSTRAINT event_known CHECK (id <@ tstzrange('2024-01-01 00:00Z', NULL)),
    CONSTRAINT event_of_us CHECK (snowflake_worker(number) < 1000)
);
CREATE INDEX event_lt ON event (number) WHERE id < timestamptz '2025-01-01 00:00Z';
CREATE INDEX event_le ON event (number) WHERE id <= timestamptz '2025-01-01 00:00Z';
CREATE INDEX event_gt ON event (number) WHERE id > timestamptz '2025-01-01 00:00Z';
CREATE INDEX event_ge ON event (number) WHERE id >= timestamptz '2025-01-01 00:00Z';
CREATE INDEX event_lt_of_time ON event (number) WHERE timestamptz '2025-01-01 00:00Z' < id;
CREATE INDEX event_le_of_time ON event (number) WHERE timestamptz '2025-01-01 00:00Z' <= id;
CREATE INDEX event_gt_of_time ON event (number) WHERE timestamptz '2025-01-01 00:00Z' > id;
CREATE INDEX event_ge_of_time ON event (number) WHERE timestamptz '2025-01-01 00:00Z' >= id;
CREATE INDEX event_in ON event ((id <@ tstzrange('2024-01-01 00:00Z', NULL)));
CREATE INDEX event_contains ON event ((tstzrange('2024-01-01 00:00Z', NULL) @> id));
CREATE INDEX event_first ON event (number) WHERE number >= snowflake_first('2025-01-01 00:00Z', '>=');
CREATE STATISTICS event_stat ON (id < timestamptz '2025-01-01 00:00Z'), number FROM event;
CREATE POLICY event_late ON event USING (id >= timestamptz '2025-01-01 00:00Z');
CREATE FUNCTION is_late(id snowflake) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN id > timestamptz '2025-01-01 00:00Z';
CREATE INDEX event_is_late ON event (is_late(id));
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER event_if_late AFTER INSERT ON event FOR EACH ROW WHEN (new.id > timestamptz '2025-01-01 00:00Z') EXECUTE FUNCTION nothing();
CREATE RULE event_of_old AS ON DELETE TO event WHERE old.id < timestamptz '2025-01-01 00:00Z' DO INSTEAD NOTHING;
CREATE VIEW late AS SELECT * FROM event WHERE id > timestamptz '2025-01-01 00:00Z';
CREATE MATERIALIZED VIEW kept AS SELECT count(*) FROM event WHERE id > timestamptz '2025-01-01 00:00Z';
CREATE MATERIALIZED VIEW kept_of_view AS SELECT count(*) FROM late;
CREATE MATERIALIZED VIEW kept_of_kept AS SELECT * FROM kept_of_view;
CREATE TABLE by_time (id bigint) PARTITION BY RANGE (snowflake_time(id));
CREATE DOMAIN late_id AS snowflake CONSTRAINT late_id_is_late CHECK (VALUE > timestamptz '2025-01-01 00:00Z');
-- neither the ids themselves nor a layout that is given depend on the record
CREATE INDEX event_id ON event (id) WHERE id > 5;
CREATE INDEX event_other ON event (snowflake_time(number, 'twitter'));
BEGIN;
SELECT * FROM snowid_layout_change('epoch=2024-01-01,tick=1ms,time=41,worker=8,sequence=14') ORDER BY to_rebuild COLLATE "C";
-- what is rebuilt, dropped or taken off the list is not shown any more
REINDEX INDEX event_lt;
REFRESH MATERIALIZED VIEW kept;
DROP INDEX event_le;
ALTER TABLE event DROP CONSTRAINT event_known;
DELETE FROM _snowid.rebuild WHERE object LIKE 'policy%';
SET jit = off;    -- of a long question of the catalogue
SELECT regexp_replace(finding, ' at .*', ' at (time)') AS finding, regexp_replace(what_to_do, '\d+', '(oid)') AS what_to_do FROM snowid_check() WHERE finding LIKE '% was built before %' ORDER BY finding COLLATE "C";
RESET jit;
ROLLBACK;
DROP MATERIALIZED VIEW kept, kept_of_kept, kept_of_view;
DROP VIEW late;
DROP TABLE event, by_time;
DROP DOMAIN late_id;
DROP FUNCTION is_late, nothing;
