
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

CREATE FUNCTION _snowid.partition_key(parent regclass, OUT scheme text, OUT id_type regtype)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT scheme, id_type FROM @extschema@.snowid_partition_key(parent);
END;
COMMENT ON FUNCTION _snowid.partition_key(regclass) IS 'snowid_partition_key';

CREATE FUNCTION @extschema@.snowid_partitions(parent regclass,
    OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz, OUT state text, OUT detached timestamptz) RETURNS SETOF record
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
        WITH child AS MATERIALIZED (
            SELECT c.oid, relname, CASE WHEN inhdetachpending THEN 'detaching' ELSE 'attached' END AS state,
                -- a uuid of another version stands for one of version 7 with the same time
                regexp_match(regexp_replace(pg_get_expr(relpartbound, c.oid), '([0-9a-f]{8}-[0-9a-f]{4}-).([0-9a-f]{3}-).', '\17\28', 'g'),
                    '^FOR VALUES FROM \(''?([^'']*?)''?\) TO \(''?([^'']*?)''?\)$') AS bounds
            FROM pg_inherits JOIN pg_class AS c ON c.oid = inhrelid WHERE inhparent = snowid_partitions.parent),
        known (oid, relname, starts, ends, state, detached) AS (
            SELECT oid, relname,
                CASE WHEN bounds[1] = 'MINVALUE' THEN '-infinity' ELSE _snowid.partition_bound_time(scheme, bounds[1]) END,
                CASE WHEN bounds[2] = 'MAXVALUE' THEN 'infinity' ELSE _snowid.partition_bound_time(scheme, bounds[2]) END,
                state, NULL::timestamptz
            FROM child
            UNION ALL SELECT c.oid, relname, d.starts, d.ends, 'detached', d.detached
            FROM _snowid.partition_remains() AS d JOIN pg_class AS c ON c.oid = d.partition
            WHERE d.parent = snowid_partitions.parent AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = c.oid))
        SELECT oid::regclass, starts, ends, state, detached FROM known ORDER BY relname;
END $$;
COMMENT ON FUNCTION @extschema@.snowid_partitions(regclass) IS 'the partitions of a table that is partitioned by ranges of ids, and those that snowid detached from it, with the times at which they start and end; NULL for the default partition';

CREATE FUNCTION _snowid.partition_list(parent regclass,
    OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz, OUT state text, OUT detached timestamptz) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT * FROM @extschema@.snowid_partitions(parent);
END;
COMMENT ON FUNCTION _snowid.partition_list(regclass) IS 'snowid_partitions';

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

CREATE FUNCTION _snowid.partition_period(t timestamptz, every interval) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT @extschema@.snowid_period(t, every);
END;
COMMENT ON FUNCTION _snowid.partition_period(timestamptz, interval) IS 'snowid_period';

-- A table by list or hash stands for those of its partitions that are partitioned.
CREATE FUNCTION _snowid.partition_tables(parent regclass) RETURNS SETOF regclass
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE t (oid, stands_for_others) AS (
        SELECT parent::oid, NOT (partstrat = 'r' AND partnatts = 1) FROM (SELECT) s LEFT JOIN pg_catalog.pg_partitioned_table ON partrelid = parent
        UNION ALL SELECT inhrelid, NOT (partstrat = 'r' AND partnatts = 1)
            FROM t JOIN pg_catalog.pg_inherits ON inhparent = t.oid JOIN pg_catalog.pg_partitioned_table ON partrelid = inhrelid WHERE stands_for_others)
    SELECT oid::regclass FROM t WHERE stands_for_others IS NOT TRUE
        OR NOT EXISTS (SELECT FROM pg_catalog.pg_inherits JOIN pg_catalog.pg_partitioned_table ON partrelid = inhrelid WHERE inhparent = t.oid)
        ORDER BY oid::regclass::text;
END;
COMMENT ON FUNCTION _snowid.partition_tables(regclass) IS 'the table itself, or those below it that are partitioned by ranges';

-- The layout in force, if it says what times the ids of the table have; else NULL.
CREATE FUNCTION _snowid.partition_layout_of(parent regclass) RETURNS text
    LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
BEGIN ATOMIC
    SELECT _snowid.partition_layout() WHERE EXISTS (
        SELECT FROM _snowid.partition_tables(parent) AS t, LATERAL @extschema@.snowid_partition_key(t) AS k WHERE k.scheme = 'snowflake');
END;
COMMENT ON FUNCTION _snowid.partition_layout_of(regclass) IS 'the layout by which the ids of a table have their times; NULL if they have them without one';

-- By another layout old ids seem to be years older. So only somebody who has seen that can say what expires.
CREATE FUNCTION _snowid.partition_require_layout(parent regclass, recorded text) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    in_force text := _snowid.partition_layout_of(parent);
BEGIN
    IF in_force <> recorded OR in_force IS NOT NULL AND recorded IS NULL THEN
        RAISE EXCEPTION 'nothing of % expires, because the layout of this database is not the one that was recorded for it', parent
            USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = CASE WHEN recorded IS NULL THEN format('The layout is %s, and none was recorded.', in_force)
                ELSE format('The layout is %s, and %s was recorded. By another layout ids are read as of other times.', in_force, recorded) END,
            HINT = format('See in %s.snowid_partitions(%L) what would expire now. Then name retain and expired in a call of snowid_partition; or call snowid_partition_forget, and nothing expires.', _snowid.public_schema(), parent);
    END IF;
END $$;
COMMENT ON FUNCTION _snowid.partition_require_layout(regclass, text) IS 'refuses a table whose ids had their times by another layout when it was recorded';

CREATE FUNCTION _snowid.partition_misread(OUT parent regclass, OUT every interval, OUT retain interval, OUT expired text) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    SELECT r.parent, r.every, r.retain, r.expired FROM @extschema@.snowid_partitioned AS r
        WHERE r.retain IS NOT NULL AND r.layout IS DISTINCT FROM (SELECT l.layout FROM @extschema@.snowid_layout AS l ORDER BY recorded LIMIT 1)
            AND EXISTS (SELECT FROM _snowid.partition_tables(r.parent) AS t, LATERAL @extschema@.snowid_partition_key(t) AS k WHERE k.scheme = 'snowflake');
END;
COMMENT ON FUNCTION _snowid.partition_misread() IS 'the tables of which nothing expires, because their ids had their times by another layout when they were recorded';

CREATE FUNCTION _snowid.partition_make(parent regclass, every interval, ahead integer, behind integer, retain interval, as_of timestamptz,
    OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz) RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
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
    in_months boolean := date_trunc('month', every) > interval '0';
BEGIN
    PERFORM _snowid.require_owner(parent);
    covered := (SELECT range_agg(tstzrange(p.starts, p.ends)) FROM _snowid.partition_list(parent) AS p WHERE p.starts < p.ends AND p.detached IS NULL);
    scheme := (SELECT key.scheme FROM _snowid.partition_key(parent) AS key);
    SELECT nspname, relname INTO schema, base FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = parent;
    SELECT relowner, coalesce('TABLESPACE ' || quote_ident(spcname), '') INTO owner, tablespace
        FROM pg_class c LEFT JOIN pg_tablespace t ON t.oid = reltablespace WHERE c.oid = parent;
    first := _snowid.partition_period(as_of, every);
    retained := _snowid.partition_period(as_of - retain, every);
    BEGIN
        -- From one end of a period or a partition to the next there is a gap where as many partitions have ended as have begun.
        FOR starts, ends, bounds IN
            SELECT t, next, ARRAY[_snowid.partition_bound(scheme, t), _snowid.partition_bound(scheme, next),
                _snowid.partition_bound(scheme, 'infinity'), _snowid.partition_last_bound(scheme)]
            FROM (SELECT t, lead(t) OVER (ORDER BY t) AS next, sum(sum(begun)) OVER (ORDER BY t) AS begun FROM (
                SELECT first + i * every, 0 FROM generate_series(-behind, ahead + 1) AS i
                UNION ALL SELECT unnest(ARRAY[lower(c), upper(c)]), unnest(ARRAY[1, -1]) FROM unnest(covered) AS c) AS s (t, begun)
                GROUP BY t) AS s
            WHERE begun = 0 AND t >= first - behind * every AND next <= first + (ahead + 1) * every AND coalesce(next > retained, true)
            ORDER BY t
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
            HINT = 'In one transaction, detach it, make the partitions, insert its rows into the table and attach it again.';
    END;
END $$;
COMMENT ON FUNCTION _snowid.partition_make(regclass, interval, integer, integer, interval, timestamptz) IS 'makes the partitions that a table lacks';

CREATE FUNCTION _snowid.partition_expire(parent regclass, every interval, retain interval, expired text, as_of timestamptz,
    OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz) RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    state text;
BEGIN
    PERFORM _snowid.require_owner(parent);
    FOR partition, starts, ends, state IN SELECT p.partition, p.starts, p.ends, p.state FROM _snowid.partition_list(parent) AS p
        WHERE p.ends <= _snowid.partition_period(as_of - retain, every) AND p.detached IS NULL ORDER BY p.starts
    LOOP
        EXECUTE format('ALTER TABLE %s DETACH PARTITION %s %s', parent, partition, CASE state WHEN 'detaching' THEN 'FINALIZE' END);
        IF expired = 'drop' THEN
            EXECUTE format('DROP TABLE %s', partition);
            action := 'dropped';
        ELSE
            PERFORM _snowid.partition_detached(partition, parent, starts, ends, as_of);
            action := 'detached';
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION _snowid.partition_expire(regclass, interval, interval, text, timestamptz) IS 'detaches or drops the partitions of a table that are older than retain';

-- What is due for a table by its record: 'make', then 'expire'.
CREATE FUNCTION _snowid.partition_due(parent regclass, step text,
    OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz) RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    told record;
    as_of timestamptz;
BEGIN
    PERFORM _snowid.require_owner(parent);
    -- one call at a time; readers and writers go on
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
    SELECT * INTO told FROM _snowid.partition_records() AS r WHERE r.parent = partition_due.parent;
    IF step <> 'make' AND told.retain IS NULL THEN RETURN; END IF;
    -- the clock is read once, and judged as for ids: what is done by a wrong one cannot be taken back
    as_of := _snowid.partition_now(step);
    IF step = 'make' THEN
        RETURN QUERY SELECT made.* FROM _snowid.partition_tables(parent) AS t,
            _snowid.partition_make(t, told.every, told.ahead, told.behind, told.retain, as_of) AS made;
    ELSE
        PERFORM _snowid.partition_require_layout(parent, told.layout);
        RETURN QUERY SELECT gone.* FROM _snowid.partition_tables(parent) AS t,
            _snowid.partition_expire(t, told.every, told.retain, told.expired, as_of) AS gone;
    END IF;
END $$;
COMMENT ON FUNCTION _snowid.partition_due(regclass, text) IS 'what is due for a table by its record';

-- The same for snowid_maintain, as one row.
CREATE FUNCTION _snowid.partition_step(parent regclass, step text,
    OUT created integer, OUT detached integer, OUT dropped integer, OUT covered_until timestamptz)
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    SELECT count(*) FILTER (WHERE action = 'created'), count(*) FILTER (WHERE action = 'detached'), count(*) FILTER (WHERE action = 'dropped')
        INTO created, detached, dropped FROM _snowid.partition_due(parent, step);
    covered_until := (
        WITH covered AS (
            SELECT t, (SELECT range_agg(tstzrange(p.starts, p.ends)) FROM _snowid.partition_list(t) AS p WHERE p.starts < p.ends AND p.detached IS NULL) AS ranges
            FROM _snowid.partition_tables(parent) AS t)
        SELECT min(coalesce((SELECT upper(r) FROM unnest(ranges) AS r WHERE r @> clock_timestamp()), '-infinity')) FROM covered);
END $$;
COMMENT ON FUNCTION _snowid.partition_step(regclass, text) IS 'does what is due for a table by its record, and says what it was';

-- Refuses a period that the existing partitions do not fit: the last one has another length, or a gap does not start and end at a period's ends.
-- It would leave partitions of odd length, or gaps that are never filled.
CREATE FUNCTION _snowid.partition_fits(parent regclass, every interval, behind integer) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    present timestamptz := _snowid.partition_period(clock_timestamp(), every);
    first timestamptz := present - behind * every;
    misfit record;
BEGIN
    WITH p AS MATERIALIZED (
            SELECT partition, starts, ends, lag(ends) OVER w AS before, lead(starts) OVER w AS after
            FROM _snowid.partition_list(parent) WHERE starts < ends AND detached IS NULL WINDOW w AS (ORDER BY starts)),
        last AS (SELECT max(ends) AS ends FROM p WHERE isfinite(ends))
    SELECT partition, starts, p.ends, _snowid.partition_period(starts, every) AS period INTO misfit FROM p JOIN last ON last.ends = p.ends
        WHERE starts > present AND p.ends <> _snowid.partition_period(starts, every) + every
    UNION ALL SELECT partition, starts, ends, _snowid.partition_period(ends, every) FROM p
        WHERE ends >= first AND isfinite(ends) AND ends IS DISTINCT FROM after AND _snowid.partition_period(ends, every) <> ends
    UNION ALL SELECT partition, starts, ends, _snowid.partition_period(starts, every) FROM p
        WHERE starts > first AND isfinite(starts) AND starts IS DISTINCT FROM before AND _snowid.partition_period(starts, every) <> starts
    LIMIT 1;
    IF misfit IS NOT NULL THEN
        RAISE EXCEPTION 'the partitions of % do not fit periods of %', parent, every USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('%s is from %s to %s, but a period is from %s to %s.', misfit.partition, misfit.starts, misfit.ends, misfit.period, misfit.period + every),
            HINT = 'Use the period that the partitions have. Or drop the empty ones ahead, and make one by hand that ends where a period starts.';
    END IF;
END $$;
COMMENT ON FUNCTION _snowid.partition_fits(regclass, interval, integer) IS 'refuses a period that the partitions of a table do not have';

CREATE FUNCTION _snowid.partition_as_owner(parent regclass, every interval, ahead integer, behind integer, retain interval, expired text,
    OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz) RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    known record;
    told record;
    in_force text;
BEGIN
    PERFORM _snowid.require_owner(parent);
    IF every IS NULL OR every <= interval '0' OR date_trunc('month', every) > interval '0' AND extract(epoch FROM every - date_trunc('month', every)) <> 0 THEN
        RAISE EXCEPTION 'a partition cannot cover %', coalesce(every::text, 'NULL') USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'The period must be whole months, or days and hours, and longer than zero.';
    END IF;
    IF ahead < 0 OR behind < 0 OR retain < interval '0' THEN
        RAISE EXCEPTION 'ahead, behind and retain must not be negative' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF expired NOT IN ('detach', 'drop') THEN
        RAISE EXCEPTION 'invalid action for an expired partition: %', quote_literal(expired) USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Use detach or drop.';
    END IF;
    IF parent IS NULL THEN
        RAISE EXCEPTION 'the table to partition must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
    PERFORM _snowid.partition_prune();
    SELECT r.every, r.ahead, r.behind, r.retain, r.expired, r.layout INTO known FROM _snowid.partition_records() AS r WHERE r.parent = partition_as_owner.parent;
    IF known.every <> every OR date_trunc('month', known.every) <> date_trunc('month', every) THEN
        RAISE EXCEPTION '% has partitions of %, not of %', parent, known.every, every USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('The first call of snowid_partition recorded %s as its period.', known.every),
            HINT = format('To change the period run SELECT snowid_partition_forget(%L), and then call snowid_partition.', parent);
    END IF;
    IF known.retain IS NOT NULL AND (retain IS NULL OR expired IS NULL) THEN
        PERFORM _snowid.partition_require_layout(parent, known.layout);
    END IF;
    in_force := _snowid.partition_layout_of(parent);
    SELECT coalesce(known.every, every) AS every, coalesce(ahead, known.ahead, 3) AS ahead, coalesce(behind, known.behind, 0) AS behind,
        coalesce(retain, known.retain) AS retain, coalesce(expired, known.expired, 'detach') AS expired, in_force AS layout INTO told;
    IF known.every IS NULL THEN
        PERFORM _snowid.partition_fits(t, every, told.behind) FROM _snowid.partition_tables(parent) AS t;
    END IF;
    IF told::text IS DISTINCT FROM known::text THEN
        PERFORM _snowid.partition_record(parent, told.every, told.ahead, told.behind, told.retain, told.expired, told.layout);
    END IF;
    RETURN QUERY SELECT * FROM _snowid.partition_due(parent, 'make');
    RETURN QUERY SELECT * FROM _snowid.partition_due(parent, 'expire');
END $$;
COMMENT ON FUNCTION _snowid.partition_as_owner(regclass, interval, integer, integer, interval, text) IS 'what snowid_partition does';
CREATE FUNCTION @extschema@.snowid_partition(parent regclass, every interval, ahead integer DEFAULT NULL, behind integer DEFAULT NULL, retain interval DEFAULT NULL,
    expired text DEFAULT NULL,
    OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz) RETURNS SETOF record
    LANGUAGE C VOLATILE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'snowid_as_owner';
COMMENT ON FUNCTION @extschema@.snowid_partition(regclass, interval, integer, integer, interval, text) IS 'makes the missing time partitions of a table that is partitioned by ranges of ids: the current one, those ahead and those behind; detaches or drops those that are older than retain; and records all this for snowid_maintain';

-- One table after another, in the order of their OIDs, so that two calls do not deadlock. A detached partition stays locked until the transaction
-- ends, so that step comes last, and for all tables together it waits no longer than for one.
CREATE FUNCTION @extschema@.snowid_maintain(parent regclass DEFAULT NULL, lock_timeout interval DEFAULT '2 seconds',
    OUT maintained regclass, OUT created integer, OUT detached integer, OUT dropped integer, OUT covered_until timestamptz,
    OUT sqlstate text, OUT error text, OUT detail text, OUT hint text) RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    patience integer := extract(epoch FROM lock_timeout) * 1000;
    until timestamptz;
    tables regclass[];
    made jsonb[];
    rest interval;
    done jsonb;
    failed jsonb;
BEGIN
    IF patience IS NULL OR patience < 1 THEN
        RAISE EXCEPTION 'lock_timeout must be at least a millisecond' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM _snowid.partition_prune();
    tables := ARRAY(SELECT r.parent FROM _snowid.partition_records() AS r JOIN pg_class AS c ON c.oid = r.parent
        WHERE coalesce(r.parent = snowid_maintain.parent, pg_has_role(relowner, 'USAGE')) AND (relpersistence <> 't' OR relnamespace = pg_my_temp_schema())
        ORDER BY r.parent::oid);
    IF parent IS NOT NULL AND tables = '{}' THEN
        RAISE EXCEPTION 'no period is recorded for %', parent USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call snowid_partition first.';
    END IF;
    FOR i IN 1..cardinality(tables) LOOP
        made[i] := (SELECT to_jsonb(t) FROM _snowid.maintain_table(tables[i], 'make', patience) AS t);
    END LOOP;
    until := clock_timestamp() + lock_timeout;
    FOR i IN 1..cardinality(tables) LOOP
        rest := until - clock_timestamp();
        done := (SELECT to_jsonb(t) FROM _snowid.maintain_table(tables[i], 'expire', greatest(1, extract(epoch FROM rest) * 1000)::integer) AS t);
        maintained := tables[i];
        created := coalesce(made[i]->>'created', '0');
        detached := coalesce(done->>'detached', '0');
        dropped := coalesce(done->>'dropped', '0');
        covered_until := coalesce(done->>'covered_until', made[i]->>'covered_until');
        failed := CASE WHEN made[i]->>'sqlstate' IS NULL THEN done ELSE made[i] END;
        sqlstate := failed->>'sqlstate';
        error := failed->>'error';
        detail := failed->>'detail';
        hint := failed->>'hint';
        CONTINUE WHEN sqlstate IS NULL AND done->>'detached' IS NULL;  -- it is gone
        IF sqlstate IS NOT NULL THEN
            RAISE WARNING '% is not maintained: %', maintained, error;
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.snowid_maintain(regclass, interval) IS 'does what is due now for each table that was given to snowid_partition, as the table''s owner; a table that fails gives a row with its error and does not stop the others';

-- Rows are inserted directly by a restore only, as the owner of the table.
CREATE FUNCTION _snowid.partition_added() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    is_there boolean;
BEGIN
    IF (SELECT pg_has_role(relowner, 'MEMBER') FROM pg_class WHERE oid = NEW.parent) IS NOT TRUE THEN
        RAISE EXCEPTION 'must be owner of table %', NEW.parent USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF TG_ARGV[0] = 'parent' THEN
        is_there := EXISTS (SELECT FROM _snowid.partition_records() AS r WHERE r.parent = NEW.parent);
    ELSE
        is_there := EXISTS (SELECT FROM _snowid.partition_remains() AS r WHERE r.parent = NEW.parent AND r.partition = NEW.partition);
    END IF;
    RETURN CASE WHEN is_there THEN NULL ELSE NEW END;
END $$;
COMMENT ON FUNCTION _snowid.partition_added() IS 'lets a restore add rows about the tables of its role, and skips those that are there';
REVOKE EXECUTE ON FUNCTION _snowid.partition_added() FROM PUBLIC;
CREATE TRIGGER snowid_partition_added BEFORE INSERT ON @extschema@.snowid_partitioned
    FOR EACH ROW EXECUTE FUNCTION _snowid.partition_added('parent');
ALTER TABLE @extschema@.snowid_partitioned ENABLE ALWAYS TRIGGER snowid_partition_added;
CREATE TRIGGER snowid_partition_added BEFORE INSERT ON @extschema@.snowid_detached
    FOR EACH ROW EXECUTE FUNCTION _snowid.partition_added('partition');
ALTER TABLE @extschema@.snowid_detached ENABLE ALWAYS TRIGGER snowid_partition_added;
