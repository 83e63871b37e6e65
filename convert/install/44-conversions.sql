
-- conversion online: which are under way -------------------------------------------------------

-- The tables that have second columns, and what they still lack. Definitions are not asked for, because that locks.
CREATE FUNCTION _snowid_convert.lacking(OUT rel regclass, OUT trigger oid, OUT columns name[], OUT is_compared boolean,
    OUT indexes bigint, OUT keys bigint) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH pairs AS MATERIALIZED (
        SELECT tgrelid AS rel, t.oid AS trigger, array_agg(a.attname ORDER BY a.attnum) AS columns,
                array_agg(a.attnum) AS nums
            FROM pg_trigger AS t JOIN pg_attribute AS a ON a.attrelid = tgrelid AND a.attnum > 0 AND NOT a.attisdropped
                JOIN pg_attribute AS b ON b.attrelid = tgrelid AND b.attname = _snowid_convert.twin(a.attname)
                    AND NOT b.attisdropped
            WHERE tgname = '~snowid_convert' GROUP BY tgrelid, t.oid)
    SELECT p.rel::regclass, p.trigger, p.columns,
            EXISTS (SELECT FROM pg_constraint WHERE conrelid = p.rel AND conname = 'snowid_same' AND convalidated),
            (SELECT count(*) FROM pg_index JOIN pg_class AS i ON i.oid = indexrelid
                WHERE indrelid = p.rel AND indisvalid AND p.nums && indkey::smallint[] AND NOT EXISTS (
                    SELECT FROM pg_index AS o JOIN pg_class AS c ON c.oid = o.indexrelid
                        WHERE o.indrelid = p.rel AND o.indisvalid AND c.relname = _snowid_convert.twin(i.relname))),
            (SELECT count(*) FROM pg_constraint AS k
                WHERE contype = 'f' AND conrelid = p.rel AND p.nums && conkey AND NOT EXISTS (
                    SELECT FROM pg_constraint AS o WHERE o.conrelid = p.rel AND (o.convalidated OR NOT k.convalidated)
                        AND o.conname = _snowid_convert.twin(k.conname)))
        FROM pairs AS p;
END;

-- The keys that have their old ids beside them.
CREATE FUNCTION _snowid_convert.with_old_ids(OUT tbl regclass, OUT col name) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH told AS MATERIALIZED (
        SELECT attrelid, attname FROM pg_description JOIN pg_attribute ON attrelid = objoid AND attnum = objsubid
            WHERE classoid = 'pg_class'::regclass AND description ~ '(^|\n)snowid: before, [^\n]*, now in [^\n]*$')
    SELECT attrelid::regclass, attname FROM told WHERE _snowid_convert.kept(attrelid, attname) IS NOT NULL;
END;

-- The tables that refer to these keys. While they keep old ids in step, nothing more is to come.
CREATE FUNCTION _snowid_convert.in_step() RETURNS SETOF regclass
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    SELECT c.rel::regclass FROM _snowid_convert.with_old_ids() AS k
        CROSS JOIN LATERAL _snowid_convert.taken(k.tbl, k.col, NULL) AS t
        CROSS JOIN LATERAL _snowid_convert.members(t.tbls, t.cols) AS c;
END;

-- For an error and a notice of DROP EXTENSION.
CREATE FUNCTION _snowid_convert.tables_under_way() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT string_agg(rel::text, ', ' ORDER BY rel::text) FROM _snowid_convert.lacking()
        WHERE rel NOT IN (SELECT _snowid_convert.in_step());
END;
CREATE FUNCTION _snowid_convert.tables_with_old_ids() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT string_agg(tbl::text, ', ' ORDER BY tbl::text) FROM _snowid_convert.with_old_ids();
END;

-- Who waits for a lock on a table that only a conversion or other DDL takes, and for whom. What they run is not told.
CREATE FUNCTION _snowid_convert.waiting(tbl regclass) RETURNS text
    LANGUAGE sql VOLATILE STRICT PARALLEL RESTRICTED
BEGIN ATOMIC
    SELECT string_agg(format('process %s waits for %s, and process %s is in the way', pid, mode,
            array_to_string(pg_blocking_pids(pid), ', ')), '; ' ORDER BY pid)
        FROM pg_locks
        WHERE NOT granted AND relation = tbl
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND mode IN ('ShareUpdateExclusiveLock', 'ShareRowExclusiveLock', 'AccessExclusiveLock');
END;

-- What snowid_conversions shows.
CREATE FUNCTION _snowid_convert.under_way(OUT "table" regclass, OUT columns name[], OUT phase text,
    OUT rows_done bigint, OUT rows_to_do bigint, OUT rows_per_second numeric, OUT percent numeric,
    OUT time_left interval, OUT waits_for text) RETURNS SETOF record
    LANGUAGE sql VOLATILE PARALLEL RESTRICTED ROWS 10
BEGIN ATOMIC
    WITH tables AS (
        SELECT l.*, greatest(reltuples, 0) AS rows, p.filled, p.begun, p.told,
                p.page::float8 / nullif(p.pages, 0) AS part, p.pages = 0 AS is_filled,
                p.pages > 0 AND EXISTS (
                    SELECT FROM pg_stat_activity AS a WHERE a.pid = p.pid AND backend_start < p.begun) AS is_filling,
                EXISTS (SELECT FROM pg_stat_progress_create_index AS i WHERE i.relid = l.rel) AS is_indexing,
                l.rel IN (SELECT _snowid_convert.in_step()) AS is_in_step
            FROM _snowid_convert.lacking() AS l JOIN pg_class ON oid = l.rel
                LEFT JOIN _snowid_convert.progress AS p ON p.rel = l.rel AND p.trigger = l.trigger)
    SELECT rel, columns, CASE WHEN is_compared AND indexes + keys = 0
                THEN CASE WHEN is_in_step THEN 'old ids are in step' ELSE 'ready for the swap' END
                WHEN is_indexing THEN 'an index is built'
                WHEN is_compared AND indexes > 0 THEN format('lacks %s indexes', indexes)
                WHEN is_compared THEN format('lacks %s foreign keys', keys)
                WHEN is_filling THEN 'is filled' WHEN is_filled THEN 'is to be validated' ELSE 'is to be filled' END,
            CASE WHEN is_compared OR is_filled THEN rows ELSE coalesce(rows * part, 0) END::bigint,
            CASE WHEN is_compared OR is_filled THEN 0 ELSE rows - coalesce(rows * part, 0) END::bigint,
            CASE WHEN is_filling THEN round((filled / nullif(extract(epoch FROM told - begun), 0))::numeric) END,
            CASE WHEN is_compared OR is_filled THEN 100 ELSE round(100 * coalesce(part, 0)::numeric) END,
            CASE WHEN is_filling THEN date_trunc('second', (told - begun) * ((1 - part) / nullif(part, 0))) END,
            _snowid_convert.waiting(rel)
        FROM tables ORDER BY rel::text;
END;

CREATE VIEW @extschema@.snowid_conversions AS SELECT * FROM _snowid_convert.under_way();
COMMENT ON VIEW @extschema@.snowid_conversions IS 'the tables whose columns are being converted online';
COMMENT ON COLUMN @extschema@.snowid_conversions."table" IS 'the table';
COMMENT ON COLUMN @extschema@.snowid_conversions.columns IS 'the columns that have second ones';
COMMENT ON COLUMN @extschema@.snowid_conversions.phase IS 'what is done, or comes next';
COMMENT ON COLUMN @extschema@.snowid_conversions.rows_done IS 'about how many rows have been filled';
COMMENT ON COLUMN @extschema@.snowid_conversions.rows_to_do IS 'about how many are not';
COMMENT ON COLUMN @extschema@.snowid_conversions.rows_per_second IS 'how many this fill has filled in a second';
COMMENT ON COLUMN @extschema@.snowid_conversions.percent IS 'how much of the table that is';
COMMENT ON COLUMN @extschema@.snowid_conversions.time_left IS 'about how long the fill will still take';
COMMENT ON COLUMN @extschema@.snowid_conversions.waits_for IS
    'which process waits for a lock on the table, and which process holds it';
GRANT SELECT ON @extschema@.snowid_conversions TO PUBLIC;
