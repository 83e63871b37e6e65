
-- the server ------------------------------------------------------------------

CREATE FUNCTION @extschema@.snowid_stat(
    OUT generator text, OUT scheme text, OUT layout text, OUT worker integer, OUT issued bigint, OUT skipped bigint,
    OUT waits bigint, OUT wait_time interval, OUT overflows bigint, OUT clock_regressions bigint,
    OUT max_regression interval, OUT refusals bigint, OUT ahead interval, OUT last_time timestamptz,
    OUT horizon timestamptz, OUT horizon_advances bigint, OUT ends_at timestamptz, OUT stats_reset timestamptz,
    OUT database text, OUT overlapping text[]) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'snowid_stat' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 8;
COMMENT ON FUNCTION @extschema@.snowid_stat() IS 'what the view snowid_stat shows; for members of pg_monitor';

-- The same, and of how many others each could make the ids.
CREATE FUNCTION _snowid.stat(
    OUT generator text, OUT scheme text, OUT layout text, OUT worker integer, OUT issued bigint, OUT skipped bigint,
    OUT waits bigint, OUT wait_time interval, OUT overflows bigint, OUT clock_regressions bigint,
    OUT max_regression interval, OUT refusals bigint, OUT ahead interval, OUT last_time timestamptz,
    OUT horizon timestamptz, OUT horizon_advances bigint, OUT ends_at timestamptz, OUT stats_reset timestamptz,
    OUT database text, OUT overlapping text[], OUT overlap_count integer) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'snowid_stat' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 8;

CREATE VIEW @extschema@.snowid_stat AS
    WITH held AS (SELECT generator, min("time") AS "time" FROM @extschema@.snowid_holders GROUP BY generator)
    SELECT stat.*,
            CASE WHEN stat.scheme = 'snowflake' AND coalesce(stat.database, current_database()) = current_database()
                    AND _snowid.has_holders()
                THEN greatest(clock_timestamp() - least(own."time", anyone."time"), interval '0') END
                AS safe_horizon_lag
        FROM _snowid.stat() AS stat
            LEFT JOIN held AS own ON own.generator = stat.generator
            LEFT JOIN held AS anyone ON anyone.generator IS NULL;
COMMENT ON VIEW @extschema@.snowid_stat
    IS 'statistics of each generator of this server; a named one appears with its first id, until another one needs '
        'its place';
COMMENT ON COLUMN @extschema@.snowid_stat.generator
    IS 'its name; default for the generators of snowflake_next(), snowflake_spread() and sno_next()';
COMMENT ON COLUMN @extschema@.snowid_stat.scheme IS 'the scheme of its ids';
COMMENT ON COLUMN @extschema@.snowid_stat.layout IS 'the layout of its snowflakes';
COMMENT ON COLUMN @extschema@.snowid_stat.worker IS 'the worker in its snowflakes, or the partition in its snos';
COMMENT ON COLUMN @extschema@.snowid_stat.issued
    IS 'how many ids it has made; a session''s are counted when its transaction ends';
COMMENT ON COLUMN @extschema@.snowid_stat.skipped
    IS 'how many positions no id has used of those that sessions had put by for T_spread()';
COMMENT ON COLUMN @extschema@.snowid_stat.waits IS 'how often a caller has waited';
COMMENT ON COLUMN @extschema@.snowid_stat.wait_time IS 'how long callers have waited in total';
COMMENT ON COLUMN @extschema@.snowid_stat.overflows IS 'how often a caller has waited because the tick had no id left';
COMMENT ON COLUMN @extschema@.snowid_stat.clock_regressions IS 'how often the clock was seen to step back';
COMMENT ON COLUMN @extschema@.snowid_stat.max_regression IS 'the longest of these steps';
COMMENT ON COLUMN @extschema@.snowid_stat.refusals
    IS 'how often an id was refused; refusals for lack of room count for the default generator';
COMMENT ON COLUMN @extschema@.snowid_stat.ahead IS 'how far its last id is ahead of the clock';
COMMENT ON COLUMN @extschema@.snowid_stat.last_time IS 'the time of its last id';
COMMENT ON COLUMN @extschema@.snowid_stat.horizon IS 'no id of this or a later time has been made in this database';
COMMENT ON COLUMN @extschema@.snowid_stat.horizon_advances IS 'how often the horizon was raised';
COMMENT ON COLUMN @extschema@.snowid_stat.ends_at IS 'the last time for which it can make ids';
COMMENT ON COLUMN @extschema@.snowid_stat.stats_reset IS 'when the counters began at zero';
COMMENT ON COLUMN @extschema@.snowid_stat.database IS 'the database of a named generator';
COMMENT ON COLUMN @extschema@.snowid_stat.overlapping
    IS 'generators that could make the same ids, also of other databases; the first three';
COMMENT ON COLUMN @extschema@.snowid_stat.overlap_count IS 'how many generators could make the same ids';
COMMENT ON COLUMN @extschema@.snowid_stat.safe_horizon_lag
    IS 'how far a transaction of this database holds back the safe horizon; NULL if that is not known';
GRANT SELECT ON @extschema@.snowid_stat TO PUBLIC;

CREATE FUNCTION @extschema@.snowid_stat_reset() RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_stat_reset' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.snowid_stat_reset() IS 'resets the counters of snowid_stat to zero';
REVOKE EXECUTE ON FUNCTION @extschema@.snowid_stat_reset() FROM PUBLIC;

-- The part of snowid_layout_change that changes the record.
CREATE FUNCTION _snowid.layout_replace(layout text) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_layout_replace' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

-- What reads ids by the layout on record, and keeps what it read.
CREATE FUNCTION _snowid.layout_readers(OUT classid oid, OUT objid oid, OUT filenode oid, OUT object text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL UNSAFE
BEGIN ATOMIC
    -- These functions, what is made of them, and what holds or asks what they said.
    WITH RECURSIVE reads (classid, objid) AS (
        SELECT 'pg_proc'::regclass::oid, oid FROM (VALUES
            ('@extschema@.snowflake_time(bigint)'::regprocedure::oid),
            ('@extschema@.snowflake_worker(bigint)'::regprocedure),
            ('@extschema@.snowflake_sequence(bigint)'::regprocedure),
            ('@extschema@.snowflake_decode(bigint)'::regprocedure),
            ('@extschema@.snowflake_encode(timestamptz,integer,integer)'::regprocedure),
            ('@extschema@.snowflake_lower_bound(timestamptz)'::regprocedure),
            ('@extschema@.snowflake_first(timestamptz,text)'::regprocedure),
            ('@extschema@.snowflake_last(timestamptz,text)'::regprocedure),
            ('@extschema@.snowflake_first(tstzrange)'::regprocedure),
            ('@extschema@.snowflake_last(tstzrange)'::regprocedure),
            ('_snowid.snowflake_time_lt(@extschema@.snowflake,timestamptz)'::regprocedure),
            ('_snowid.snowflake_time_lt(timestamptz,@extschema@.snowflake)'::regprocedure),
            ('_snowid.snowflake_time_le(@extschema@.snowflake,timestamptz)'::regprocedure),
            ('_snowid.snowflake_time_le(timestamptz,@extschema@.snowflake)'::regprocedure),
            ('_snowid.snowflake_time_gt(@extschema@.snowflake,timestamptz)'::regprocedure),
            ('_snowid.snowflake_time_gt(timestamptz,@extschema@.snowflake)'::regprocedure),
            ('_snowid.snowflake_time_ge(@extschema@.snowflake,timestamptz)'::regprocedure),
            ('_snowid.snowflake_time_ge(timestamptz,@extschema@.snowflake)'::regprocedure),
            ('_snowid.snowflake_time_in(@extschema@.snowflake,tstzrange)'::regprocedure),
            ('_snowid.snowflake_time_in(tstzrange,@extschema@.snowflake)'::regprocedure)) AS function (oid)
        UNION
        SELECT CASE WHEN of_view.oid IS NULL THEN user_of.classid ELSE 'pg_class'::regclass END,
                coalesce(of_view.ev_class, user_of.objid)
            FROM reads
                JOIN pg_catalog.pg_depend AS user_of
                    ON user_of.refclassid = reads.classid AND user_of.refobjid = reads.objid
                LEFT JOIN pg_catalog.pg_rewrite AS of_view ON user_of.classid = 'pg_rewrite'::regclass
                    AND of_view.oid = user_of.objid AND of_view.rulename = '_RETURN'
            WHERE reads.classid IN ('pg_proc'::regclass, 'pg_operator'::regclass)
                OR reads.classid = 'pg_class'::regclass
                    AND (SELECT relkind FROM pg_catalog.pg_class WHERE oid = reads.objid) IN ('v', 'm')),
        described AS (
            SELECT reads.*, relation.relkind, relation.relfilenode, value.adrelid, col.attgenerated,
                    CASE WHEN value.oid IS NULL THEN pg_describe_object(reads.classid, reads.objid, 0)
                        ELSE pg_describe_object('pg_class'::regclass, value.adrelid, value.adnum) END AS description,
                    (SELECT format(' on domain %s', contypid::regtype) FROM pg_catalog.pg_constraint
                        WHERE reads.classid = 'pg_constraint'::regclass AND oid = reads.objid AND contypid <> 0)
                        AS place
                FROM reads
                    LEFT JOIN pg_catalog.pg_class AS relation
                        ON reads.classid = 'pg_class'::regclass AND relation.oid = reads.objid
                    LEFT JOIN pg_catalog.pg_attrdef AS value
                        ON reads.classid = 'pg_attrdef'::regclass AND value.oid = reads.objid
                    LEFT JOIN pg_catalog.pg_attribute AS col
                        ON col.attrelid = value.adrelid AND col.attnum = value.adnum)
    SELECT classid, objid, coalesce(relfilenode, 0),
            concat(CASE WHEN relkind = 'p' THEN 'partition key of ' WHEN adrelid IS NOT NULL THEN 'generated ' END,
                description, place) AS found
        FROM described
        WHERE relkind <> 'v' OR attgenerated = 's' OR classid IN ('pg_constraint'::regclass,
            'pg_statistic_ext'::regclass, 'pg_policy'::regclass, 'pg_trigger'::regclass, 'pg_rewrite'::regclass)
        ORDER BY found;
END;

-- Whether this server makes ids of another layout.
CREATE FUNCTION _snowid.is_other_layout(layout text) RETURNS boolean
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT @extschema@.snowid_layout_canonical(current_setting('snowid.layout'))
        <> @extschema@.snowid_layout_canonical(layout);
END;

-- The part of snowid_layout_change that records what must be rebuilt.
CREATE FUNCTION _snowid.layout_rebuild() RETURNS SETOF text
    LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
    INSERT INTO _snowid.rebuild AS r
        SELECT classid, objid, filenode, object, now() FROM _snowid.layout_readers()
        ON CONFLICT ON CONSTRAINT rebuild_pkey
            DO UPDATE SET filenode = excluded.filenode, object = excluded.object, changed = excluded.changed
        RETURNING r.object;
END;

CREATE FUNCTION @extschema@.snowid_layout_change(layout text, OUT to_rebuild text) RETURNS SETOF text
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE AS $$
BEGIN
    PERFORM _snowid.layout_replace(layout);
    IF _snowid.is_other_layout(layout) THEN
        RAISE WARNING 'this server makes ids of another layout, so it makes none for this database' USING
            DETAIL = pg_catalog.format('Its snowid.layout is %s.',
                VARIADIC ARRAY[pg_catalog.current_setting('snowid.layout')]),
            HINT = pg_catalog.format('Set snowid.layout to %s and restart it.', VARIADIC ARRAY[layout]);
    END IF;
    RETURN QUERY SELECT * FROM _snowid.layout_rebuild();
    RETURN QUERY SELECT pg_catalog.concat('what expires of table ', parent) FROM _snowid.partition_misread();
END $$;
COMMENT ON FUNCTION @extschema@.snowid_layout_change(text)
    IS 'records another layout for this database''s ids and lists what must be rebuilt for it';
REVOKE EXECUTE ON FUNCTION @extschema@.snowid_layout_change(text) FROM PUBLIC;
