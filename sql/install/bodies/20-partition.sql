
-- time partitions -------------------------------------------------------------

-- The types that can be a partition key. The list is fixed, because anybody can make a type and functions named after it.
CREATE FUNCTION @extschema@.snowid_partition_key(parent regclass, OUT scheme text, OUT id_type regtype)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT k.scheme, k.id_type FROM pg_catalog.pg_partitioned_table JOIN pg_catalog.pg_attribute ON attrelid = partrelid AND attnum = partattrs[0]
        JOIN (VALUES ('bigint'::regtype, 'snowflake', 'bigint'::regtype), ('@extschema@.snowflake', 'snowflake', 'bigint'), ('uuid', 'uuidv7', 'uuid'),
            ('@extschema@.ulid', 'ulid', '@extschema@.ulid'), ('@extschema@.ksuid', 'ksuid', '@extschema@.ksuid'),
            ('@extschema@.objectid', 'objectid', '@extschema@.objectid'), ('@extschema@.rsxid', 'rsxid', '@extschema@.rsxid'),
            ('@extschema@.sandflake', 'sandflake', '@extschema@.sandflake'), ('@extschema@.sno', 'sno', '@extschema@.sno')) AS k (key, scheme, id_type)
        ON k.key = atttypid
        WHERE partrelid = parent AND partstrat = 'r' AND partnatts = 1;
END;
COMMENT ON FUNCTION @extschema@.snowid_partition_key(regclass) IS 'the scheme of the ids by which a table is partitioned, and the type that the scheme''s functions take';

-- The bodies below are texts. They name no schema but ask for the present one, so that it can be renamed.
CREATE FUNCTION @extschema@.snowid_partitions(parent regclass,
    OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz) RETURNS SETOF record
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    ids regnamespace := (SELECT extnamespace FROM pg_extension WHERE extname = 'snowid');
    scheme text;
    type regtype;
BEGIN
    EXECUTE format('SELECT * FROM %s.snowid_partition_key($1)', ids) INTO scheme, type USING parent;
    IF scheme IS NULL THEN
        RAISE EXCEPTION '% is not partitioned by the range of an id', parent USING ERRCODE = 'wrong_object_type',
            DETAIL = 'Its partition key must be one column of an id type, uuid or bigint.',
            HINT = 'Create it with PARTITION BY RANGE (id).';
    END IF;
    RETURN QUERY EXECUTE format($query$
        WITH child AS MATERIALIZED (
            SELECT c.oid, relname, regexp_match(pg_get_expr(relpartbound, c.oid), '^FOR VALUES FROM \(''?([^'']*?)''?\) TO \(''?([^'']*?)''?\)$') AS bounds
            FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = $1)
        SELECT oid::regclass,
            CASE WHEN bounds[1] = 'MINVALUE' THEN '-infinity' ELSE %1$s.%2$I(bounds[1]::%3$s) END,
            CASE WHEN bounds[2] = 'MAXVALUE' THEN 'infinity' ELSE %1$s.%2$I(bounds[2]::%3$s) END
        FROM child ORDER BY relname$query$, ids, scheme || '_time', type) USING parent;
END $$;
COMMENT ON FUNCTION @extschema@.snowid_partitions(regclass) IS 'the partitions of a table that is partitioned by ranges of ids, with the times at which they start and end; NULL for the default partition';

-- The period that contains t, in UTC: whole months counted from January 2000, or whole periods from Monday, 3 January 2000.
CREATE FUNCTION @extschema@.snowid_period(t timestamptz, every interval) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN months > 0 THEN (timestamp '2000-01-01' + floor(since / months) * months * interval '1 month') AT TIME ZONE 'UTC'
        ELSE date_bin(every, t, '2000-01-03 00:00:00Z') END
    FROM (SELECT (extract(year FROM every) * 12 + extract(month FROM every))::int AS months,
        (extract(year FROM t AT TIME ZONE 'UTC') - 2000) * 12 + extract(month FROM t AT TIME ZONE 'UTC') - 1 AS since) s;
END;
COMMENT ON FUNCTION @extschema@.snowid_period(timestamptz, interval) IS 'the start of the period that contains a time, in UTC; months count from January 2000, days and hours from Monday, 3 January 2000';

CREATE FUNCTION @extschema@.snowid_partition(parent regclass, every interval, ahead integer DEFAULT 3, behind integer DEFAULT 0, retain interval DEFAULT NULL,
    OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz) RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    ids regnamespace := (SELECT extnamespace FROM pg_extension WHERE extname = 'snowid');
    child regclass;
    schema name;
    base name;
    scheme text;
    first timestamptz;
    covered tstzmultirange;
    retained timestamptz;
    bounds text[];
    name text;
    dated text;
    suffix text;
    tablespace text;
    owner regrole;
    in_months boolean := extract(epoch FROM every - date_trunc('month', every)) = 0 AND date_trunc('month', every) > interval '0';
BEGIN
    IF every IS NULL OR every <= interval '0' OR date_trunc('month', every) > interval '0' AND NOT in_months THEN
        RAISE EXCEPTION 'a partition cannot cover %', coalesce(every::text, 'NULL') USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'It must cover whole months, or days and hours, and more than nothing.';
    END IF;
    IF ahead IS NULL OR behind IS NULL OR ahead < 0 OR behind < 0 OR retain < interval '0' THEN
        RAISE EXCEPTION 'ahead, behind and retain must not be negative' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF parent IS NULL THEN
        RAISE EXCEPTION 'the table to partition must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    -- one call at a time; readers and writers go on
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
    IF EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = parent AND (partstrat <> 'r' OR partnatts <> 1))
        AND EXISTS (SELECT FROM pg_inherits JOIN pg_partitioned_table ON partrelid = inhrelid WHERE inhparent = parent) THEN
        FOR child IN SELECT inhrelid FROM pg_inherits JOIN pg_partitioned_table ON partrelid = inhrelid WHERE inhparent = parent ORDER BY inhrelid::regclass::text LOOP
            RETURN QUERY EXECUTE format('SELECT * FROM %s.snowid_partition($1, $2, $3, $4, $5)', ids) USING child, every, ahead, behind, retain;
        END LOOP;
        RETURN;
    END IF;

    EXECUTE format('SELECT range_agg(tstzrange(starts, ends)) FROM %s.snowid_partitions($1) WHERE starts < ends', ids) INTO covered USING parent;
    EXECUTE format('SELECT scheme FROM %s.snowid_partition_key($1)', ids) INTO scheme USING parent;
    SELECT nspname, relname INTO schema, base FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = parent;
    SELECT relowner, coalesce('TABLESPACE ' || quote_ident(spcname), '') INTO owner, tablespace
        FROM pg_class c LEFT JOIN pg_tablespace t ON t.oid = reltablespace WHERE c.oid = parent;
    EXECUTE format('SELECT %1$s.snowid_period(clock_timestamp(), $1), %1$s.snowid_period(clock_timestamp() - $2, $1)', ids)
        INTO first, retained USING every, retain;
    BEGIN
        -- From one end of a period or a partition to the next there is a gap where as many partitions have ended as have begun.
        FOR starts, ends, bounds IN EXECUTE format($query$
            SELECT t, next, ARRAY[%1$s.%2$I(t, '>='::text), %1$s.%2$I(next, '>='::text), %1$s.%2$I('infinity'::timestamptz, '>='::text),
                %1$s.%3$I('(,)'::tstzrange)]::text[]
            FROM (SELECT t, lead(t) OVER (ORDER BY t) AS next, sum(sum(begun)) OVER (ORDER BY t) AS begun FROM (
                SELECT $1 + i * $2, 0 FROM generate_series(-$4, $3 + 1) AS i
                UNION ALL SELECT unnest(ARRAY[lower(c), upper(c)]), unnest(ARRAY[1, -1]) FROM unnest($5) AS c) s (t, begun)
                GROUP BY t) s
            WHERE begun = 0 AND t >= $1 - $4 * $2 AND next <= $1 + ($3 + 1) * $2 AND coalesce(next > $6, true)
            ORDER BY t$query$, ids, scheme || '_first', scheme || '_last') USING first, every, ahead, behind, covered, retained
        LOOP
            CONTINUE WHEN bounds[1] = bounds[2];  -- before the first id, or after the last
            IF bounds[2] = bounds[3] THEN ends := 'infinity'; END IF;  -- no id is of its end or later
            dated := to_char(starts, CASE WHEN in_months THEN '_YYYYMM' WHEN date_trunc('day', every) = every THEN '_YYYYMMDD' ELSE '_YYYYMMDD_HH24MISS' END);
            FOR other IN 0..100000 LOOP
                name := base;
                suffix := dated || coalesce('_' || nullif(other, 0), '');
                WHILE octet_length(name || suffix) > current_setting('max_identifier_length')::int LOOP name := left(name, -1); END LOOP;
                name := name || suffix;
                EXIT WHEN to_regclass(format('%I.%I', schema, name)) IS NULL;
            END LOOP;
            -- ATTACH lets readers and writers go on; PARTITION OF does not
            EXECUTE format('CREATE TABLE %I.%I (LIKE %s INCLUDING ALL EXCLUDING INDEXES EXCLUDING IDENTITY) %s', schema, name, parent, tablespace);
            EXECUTE format('ALTER TABLE %I.%I OWNER TO %s', schema, name, owner);
            EXECUTE format('ALTER TABLE %s ATTACH PARTITION %I.%I FOR VALUES FROM (%L) TO (%s)', parent, schema, name, bounds[1],
                CASE bounds[2] WHEN bounds[4] THEN 'MAXVALUE' ELSE quote_literal(bounds[2]) END);
            action := 'created';
            partition := format('%I.%I', schema, name)::regclass;
            RETURN NEXT;
        END LOOP;
    EXCEPTION WHEN check_violation THEN
        RAISE EXCEPTION 'the default partition of % holds rows from % to %', parent, starts, ends USING ERRCODE = 'check_violation',
            HINT = 'In one transaction detach it, make the partitions, insert its rows into the table and attach it again.';
    END;
    IF retained IS NULL THEN RETURN; END IF;
    FOR partition, starts, ends IN EXECUTE format('SELECT * FROM %s.snowid_partitions($1) WHERE ends <= $2 ORDER BY starts', ids) USING parent, retained LOOP
        EXECUTE format('ALTER TABLE %s DETACH PARTITION %s', parent, partition);
        action := 'detached';
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.snowid_partition(regclass, interval, integer, integer, interval) IS 'makes the missing time partitions of a table that is partitioned by ranges of ids: the present one, those ahead and those behind; detaches those that are older than retain';
