
-- time partitions: what a table has -------------------------------------------

-- The tables that are partitioned by ranges of ids. The list of types is fixed: anybody can make a type and functions
-- named after it.
CREATE FUNCTION _snowid.partition_keys(OUT parent oid, OUT scheme text, OUT id_type regtype) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    SELECT partrelid, k.scheme, k.id_type
        FROM pg_catalog.pg_partitioned_table
            JOIN pg_catalog.pg_attribute ON attrelid = partrelid AND attnum = partattrs[0]
            JOIN (VALUES
                ('@extschema@.WIDE'::regtype, 'WIDE', '@extschema@.WIDE'::regtype),
                ('bigint', 'snowflake', 'bigint'),
                ('@extschema@.snowflake', 'snowflake', 'bigint'),
                ('uuid', 'uuidv7', 'uuid')) AS k (key, scheme, id_type) ON k.key = atttypid
        WHERE partstrat = 'r' AND partnatts = 1;
END;

CREATE FUNCTION @extschema@.snowid_partition_key(parent regclass, OUT scheme text, OUT id_type regtype)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT k.scheme, k.id_type FROM _snowid.partition_keys() AS k WHERE k.parent = snowid_partition_key.parent;
END;
COMMENT ON FUNCTION @extschema@.snowid_partition_key(regclass) IS
    'the scheme of the ids by which a table is partitioned, and the type that the scheme''s functions take';

CREATE FUNCTION _snowid.partition_key(parent regclass, OUT scheme text, OUT id_type regtype)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT scheme, id_type FROM @extschema@.snowid_partition_key(parent);
END;

-- The partitions of a table with their bounds and times, which are NULL for the default partition.
-- A uuid of another version stands for one of version 7 with the same time. Bounds stay as PostgreSQL shows them.
CREATE FUNCTION _snowid.partition_children(parent regclass, scheme text, OUT partition oid, OUT state text,
    OUT bounds text[], OUT starts timestamptz, OUT ends timestamptz) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH children AS MATERIALIZED (
        SELECT c.oid, CASE WHEN inhdetachpending THEN 'detaching' ELSE 'attached' END AS state,
                substr(translate(nullif(pg_get_expr(relpartbound, 0), 'DEFAULT'), ''')', ''),
                    length('FOR VALUES FROM (') + 1) AS bound
            FROM pg_catalog.pg_inherits JOIN pg_catalog.pg_class AS c ON c.oid = inhrelid
            WHERE inhparent = partition_children.parent),
    split AS MATERIALIZED (
        SELECT oid, state, string_to_array(bound, ' TO (') AS bounds, string_to_array(CASE scheme WHEN 'uuidv7'
                THEN regexp_replace(bound, '([0-9a-f]{8}-[0-9a-f]{4}-).([0-9a-f]{3}-).', '\17\28', 'g')
                ELSE bound END, ' TO (') AS timed
            FROM children)
    SELECT oid, state, bounds, _snowid.partition_bound_time(scheme, timed[1]),
            _snowid.partition_bound_time(scheme, timed[2])
        FROM split;
END;

-- The partitions of a table with their times by their bounds, and as they were recorded when snowid made them.
CREATE FUNCTION _snowid.partition_known(parent regclass, OUT scheme text, OUT partition oid, OUT state text,
    OUT bounds text[], OUT starts timestamptz, OUT ends timestamptz, OUT made timestamptz, OUT made_from timestamptz,
    OUT made_to timestamptz) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT k.scheme, a.partition, a.state, a.bounds, a.starts, a.ends, t.made, t.starts, t.ends
        FROM _snowid.partition_keys() AS k CROSS JOIN LATERAL _snowid.partition_children(k.parent, k.scheme) AS a
            LEFT JOIN _snowid.partition_times AS t ON t.parent = partition_known.parent
                AND t.partition = a.partition AND t.bounds = a.bounds AND t.made IS NOT NULL
        WHERE k.parent = partition_known.parent;
END;

CREATE FUNCTION @extschema@.snowid_partitions(parent regclass,
    OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz, OUT state text, OUT detached timestamptz)
    RETURNS SETOF record
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    scheme text := (SELECT key.scheme FROM _snowid.partition_key(parent) AS key);
BEGIN
    IF scheme IS NULL THEN
        RAISE EXCEPTION '% is not partitioned by the range of an id', parent USING ERRCODE = 'wrong_object_type',
            DETAIL = 'Its partition key must be one column of an id type, uuid or bigint.',
            HINT = 'Create it with PARTITION BY RANGE (id).';
    END IF;
    RETURN QUERY
        WITH attached AS MATERIALIZED (
            SELECT * FROM _snowid.partition_children(snowid_partitions.parent, scheme)),
        known (oid, starts, ends, state, detached) AS (
            SELECT partition, starts, ends, state, NULL::timestamptz FROM attached
            UNION ALL
            SELECT partition, starts, ends, 'detached', detached FROM _snowid.partition_times AS remains
            WHERE remains.parent = snowid_partitions.parent AND detached IS NOT NULL
                AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = partition))
        SELECT oid::regclass, starts, ends, state, detached FROM known JOIN pg_class USING (oid) ORDER BY relname;
END $$;
COMMENT ON FUNCTION @extschema@.snowid_partitions(regclass) IS
    'the partitions of a table that is partitioned by ranges of ids, and those that snowid detached from it; the '
    'default partition has no times';

CREATE FUNCTION _snowid.partition_list(parent regclass,
    OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz, OUT state text, OUT detached timestamptz)
    RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT * FROM @extschema@.snowid_partitions(parent);
END;

-- The times for which a table has partitions.
CREATE FUNCTION _snowid.partition_covered(parent regclass) RETURNS tstzmultirange
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT coalesce(range_agg(tstzrange(starts, ends)), '{}') FROM @extschema@.snowid_partitions(parent)
        WHERE starts < ends AND state = 'attached';
END;

-- In UTC: whole months counted from January 2000, or whole periods from Monday, 3 January 2000.
CREATE FUNCTION @extschema@.snowid_period(t timestamptz, every interval) RETURNS timestamptz
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    months integer := extract(year FROM every) * 12 + extract(month FROM every);
    utc timestamp := t AT TIME ZONE 'UTC';
    since numeric := (extract(year FROM utc) - 2000) * 12 + extract(month FROM utc) - 1;
BEGIN
    RETURN CASE WHEN months > 0
        THEN (timestamp '2000-01-01' + floor(since / months) * months * interval '1 month') AT TIME ZONE 'UTC'
        ELSE date_bin(every, t, '2000-01-03 00:00:00Z') END;
END $$;
COMMENT ON FUNCTION @extschema@.snowid_period(timestamptz, interval) IS
    'the start of the period that contains a time, in UTC; '
    'months count from January 2000, days and hours from Monday, 3 January 2000';

CREATE FUNCTION _snowid.partition_period(t timestamptz, every interval) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT @extschema@.snowid_period(t, every);
END;

-- The start of the period that contains a time, or of one that many periods later, in a time zone or UTC.
-- Local times count, so a day can have 23 or 25 hours. Where a clock that goes back at midnight shows the start of a
-- period twice, the period starts at the later one, and what is between the two belongs to the period before.
CREATE FUNCTION _snowid.partition_edge(t timestamptz, every interval, zone text, i integer) RETURNS timestamptz
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place text := coalesce(zone, 'UTC');
    start timestamp := _snowid.partition_period(t AT TIME ZONE place AT TIME ZONE 'UTC', every) AT TIME ZONE 'UTC';
BEGIN
    RETURN (start + (i - (start AT TIME ZONE place > t)::int) * every) AT TIME ZONE place;
END $$;

CREATE FUNCTION @extschema@.snowid_period(t timestamptz, every interval, zone text) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT _snowid.partition_edge(t, every, zone, 0);
END;
COMMENT ON FUNCTION @extschema@.snowid_period(timestamptz, interval, text) IS
    'the start of the period that contains a time, in a time zone';

-- What ended before this time is older than retain; NULL without retain.
-- Days and months before now are those of the zone, hours are hours. An interval can be positive and still lead to the
-- future ('1 month -29 days'), where everything would expire.
CREATE FUNCTION _snowid.partition_horizon(as_of timestamptz, retain interval, every interval, zone text)
    RETURNS timestamptz
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place text := coalesce(zone, 'UTC');
    days interval := date_trunc('day', retain);
BEGIN
    RETURN CASE WHEN retain IS NOT NULL THEN _snowid.partition_edge(least(as_of,
        (as_of AT TIME ZONE place - days) AT TIME ZONE place - (retain - days)), every, zone, 0) END;
END $$;

-- The table itself, or those below it that are partitioned by ranges; the nearest record counts.
-- A table by list or hash stands for those of its partitions that are partitioned and have no record of their own.
CREATE FUNCTION _snowid.partition_tables(parent regclass) RETURNS SETOF regclass
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE found AS (
        SELECT parent::oid AS oid
        UNION ALL
        SELECT below.partrelid
            FROM found JOIN pg_catalog.pg_partitioned_table AS above ON above.partrelid = found.oid
                JOIN pg_catalog.pg_inherits ON inhparent = found.oid
                JOIN pg_catalog.pg_partitioned_table AS below ON below.partrelid = inhrelid
            WHERE NOT (above.partstrat = 'r' AND above.partnatts = 1)
                AND NOT EXISTS (SELECT FROM _snowid.partitioned AS r WHERE r.parent = below.partrelid))
    SELECT found.oid::regclass FROM found LEFT JOIN pg_catalog.pg_partitioned_table AS p ON p.partrelid = found.oid
        WHERE p.partrelid IS NULL OR p.partstrat = 'r' AND p.partnatts = 1
            OR 0 = (SELECT count(*) FROM pg_catalog.pg_inherits JOIN pg_catalog.pg_partitioned_table AS below
                ON below.partrelid = inhrelid WHERE inhparent = found.oid)
        ORDER BY found.oid::regclass::text;
END;

CREATE VIEW @extschema@.snowid_governed AS
    SELECT governed AS "table", parent::regclass AS record FROM _snowid.partitioned,
        LATERAL _snowid.partition_tables(parent) AS governed
        WHERE EXISTS (SELECT FROM pg_catalog.pg_class WHERE oid = parent);
COMMENT ON VIEW @extschema@.snowid_governed IS 'the record of _snowid.partitioned that counts for a table';
COMMENT ON COLUMN @extschema@.snowid_governed."table" IS 'a table that is partitioned by ranges of ids';
COMMENT ON COLUMN @extschema@.snowid_governed.record IS
    'the table that was given to snowid_partition: itself, or the nearest one above it';
GRANT SELECT ON @extschema@.snowid_governed TO PUBLIC;

-- The tables of Citus that are maintained on another node, or through another table.
-- A distributed table is maintained on its coordinator, and its shards through it. Most databases have no Citus.
CREATE FUNCTION _snowid.partition_elsewhere() RETURNS SETOF oid
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF to_regprocedure('pg_catalog.relation_is_a_known_shard(regclass)') IS NOT NULL THEN
        RETURN QUERY EXECUTE 'SELECT partrelid FROM pg_partitioned_table WHERE relation_is_a_known_shard(partrelid) '
            'OR 0 <> (SELECT groupid FROM pg_dist_local_group) '
                'AND partrelid IN (SELECT logicalrelid FROM pg_dist_partition)';
    END IF;
END $$;

-- time partitions: by which layout ---------------------------------------------

-- Whether the ids of a table have their times by a layout.
CREATE FUNCTION _snowid.partition_needs_layout(parent regclass) RETURNS boolean
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT EXISTS (SELECT FROM _snowid.partition_tables(parent) AS t, _snowid.partition_key(t) AS key
        WHERE key.scheme = 'snowflake');
END;

-- The layout by which the ids of a table have their times; NULL if they have them without one.
CREATE FUNCTION _snowid.partition_layout_of(parent regclass) RETURNS text
    LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
BEGIN ATOMIC
    SELECT _snowid.partition_layout() WHERE _snowid.partition_needs_layout(parent);
END;

-- Refuses a table that was recorded under another layout.
-- By another layout old ids seem to be years older. So only somebody who has seen that can say what expires.
CREATE FUNCTION _snowid.partition_require_layout(parent regclass, recorded text) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    in_force text := _snowid.partition_layout_of(parent);
BEGIN
    IF in_force <> recorded OR in_force IS NOT NULL AND recorded IS NULL THEN
        RAISE EXCEPTION 'nothing of % expires, because the layout of this database is not the one that was '
            'recorded for it', parent USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = CASE WHEN recorded IS NULL THEN format('The layout is %s, and none was recorded.', in_force)
                ELSE format('The layout is %s, and %s was recorded. By another layout ids are read as of other times.',
                    in_force, recorded) END,
            HINT = format('See in %s.snowid_partitions(%L) what would expire now. Then name retain and expired in a '
                'call of snowid_partition; or call snowid_partition_forget, and nothing expires.',
                _snowid.public_schema(), parent);
    END IF;
END $$;

-- The tables of which nothing expires, because their ids had their times by another layout when they were recorded.
CREATE FUNCTION _snowid.partition_misread(OUT parent regclass, OUT every interval, OUT retain interval,
    OUT expired text) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    SELECT parent, every, retain, expired FROM _snowid.partitioned
        WHERE retain IS NOT NULL AND layout IS DISTINCT FROM _snowid.recorded_layout()
            AND _snowid.partition_needs_layout(parent);
END;
