\echo Use "ALTER EXTENSION snowid UPDATE" to load this file. \quit

-- A name without a schema is pg_catalog's: see the part of expressions in the extension's script.
SET LOCAL search_path = pg_catalog, pg_temp;

CREATE FUNCTION @extschema@.snowid_catalog_update(OUT added text) RETURNS SETOF text
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    id_type name;
BEGIN
    IF current_setting('server_version_num')::int4 < 180000 THEN RETURN; END IF;
    FOREACH id_type IN ARRAY ARRAY['ulid', 'ksuid', 'objectid', 'rsxid', 'sandflake', 'sno'] LOOP
        CONTINUE WHEN EXISTS (SELECT FROM pg_amproc WHERE amprocnum = 6
            AND amproc = pg_catalog.to_regprocedure('@extschema@.' || id_type || '_skipsupport(internal)'));
        EXECUTE format('ALTER OPERATOR FAMILY @extschema@.%1$I USING btree
            ADD FUNCTION 6 (@extschema@.%2$I, @extschema@.%2$I) @extschema@.%3$I(internal)',
            id_type || '_ops', id_type, id_type || '_skipsupport');
        added := 'skip support of ' || id_type;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.snowid_catalog_update() IS 'adds to the extension what this version of PostgreSQL offers; for a superuser to call after pg_upgrade';
REVOKE EXECUTE ON FUNCTION @extschema@.snowid_catalog_update() FROM PUBLIC;

DO $$ BEGIN PERFORM @extschema@.snowid_catalog_update(); END $$;

CREATE CAST (@extschema@.snowflake AS numeric) WITH FUNCTION pg_catalog.numeric(bigint) AS ASSIGNMENT;
COMMENT ON CAST (@extschema@.snowflake AS numeric) IS 'the same number';
ALTER TABLE @extschema@.snowid_generator ADD CHECK (id > 0);
GRANT INSERT, UPDATE, DELETE ON @extschema@.snowid_generator TO @extowner@ WITH GRANT OPTION;
REVOKE EXECUTE ON FUNCTION @extschema@.snowid_record_changed(), @extschema@.snowid_horizon_added(), @extschema@.snowid_generator_guard() FROM PUBLIC;

CREATE FUNCTION @extschema@.snowid_bound_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_bound_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.snowid_bound_support(internal) IS 'planner support: refuses an operator that compares no times';
DO $$
DECLARE
    scheme text;
BEGIN
    FOREACH scheme IN ARRAY ARRAY['snowflake', 'uuidv7', 'ulid', 'ksuid', 'objectid', 'rsxid', 'sandflake', 'sno'] LOOP
        EXECUTE format('ALTER FUNCTION @extschema@.%I(timestamptz, text) SUPPORT @extschema@.snowid_bound_support', scheme || '_first');
        EXECUTE format('ALTER FUNCTION @extschema@.%I(timestamptz, text) SUPPORT @extschema@.snowid_bound_support', scheme || '_last');
    END LOOP;
END $$;

-- What has a body follows, as it is in the script: see the Makefile.
CREATE OR REPLACE FUNCTION @extschema@.snowid_partition_key(parent regclass, OUT scheme text, OUT id_type regtype)
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
COMMENT ON FUNCTION @extschema@.snowid_partition_key(regclass) IS 'which ids a table is partitioned by the range of, and the type that their functions take';
CREATE OR REPLACE FUNCTION @extschema@.snowid_partitions(parent regclass,
    OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz) RETURNS SETOF record
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    scheme text;
    type regtype;
    bound text;
    ends_of text[];
BEGIN
    SELECT k.scheme, k.id_type INTO scheme, type FROM @extschema@.snowid_partition_key(parent) AS k;
    IF scheme IS NULL THEN
        RAISE EXCEPTION '% is not partitioned by the range of an id', parent USING ERRCODE = 'wrong_object_type',
            DETAIL = 'Its partition key must be one column of an id type, uuid or bigint.',
            HINT = 'Create it with PARTITION BY RANGE (id).';
    END IF;
    FOR partition, bound IN SELECT c.oid, pg_get_expr(relpartbound, c.oid) FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
        WHERE inhparent = parent ORDER BY relname LOOP
        ends_of := regexp_match(bound, '^FOR VALUES FROM \(''?([^'']*?)''?\) TO \(''?([^'']*?)''?\)$');
        starts := NULL;
        ends := NULL;
        IF ends_of[1] = 'MINVALUE' THEN starts := '-infinity';
        ELSIF ends_of IS NOT NULL THEN EXECUTE format('SELECT @extschema@.%I(%L::%s)', scheme || '_time', ends_of[1], type) INTO starts; END IF;
        IF ends_of[2] = 'MAXVALUE' THEN ends := 'infinity';
        ELSIF ends_of IS NOT NULL THEN EXECUTE format('SELECT @extschema@.%I(%L::%s)', scheme || '_time', ends_of[2], type) INTO ends; END IF;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.snowid_partitions(regclass) IS 'the partitions of a table by ranges of ids, with the times that they begin and end; NULL for the default one';
CREATE OR REPLACE FUNCTION @extschema@.snowid_period(t timestamptz, every interval) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN months > 0 THEN (timestamp '2000-01-01' + floor(since / months) * months * interval '1 month') AT TIME ZONE 'UTC'
        ELSE date_bin(every, t, '2000-01-03 00:00:00Z') END
    FROM (SELECT (extract(year FROM every) * 12 + extract(month FROM every))::int AS months,
        (extract(year FROM t AT TIME ZONE 'UTC') - 2000) * 12 + extract(month FROM t AT TIME ZONE 'UTC') - 1 AS since) s;
END;
COMMENT ON FUNCTION @extschema@.snowid_period(timestamptz, interval) IS 'the start of the period that holds a time: of months from January 2000 on, of days and hours from Monday, 3 January 2000 on, in UTC';
CREATE OR REPLACE FUNCTION @extschema@.snowid_partition(parent regclass, every interval, ahead integer DEFAULT 3, behind integer DEFAULT 0, retain interval DEFAULT NULL,
    OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz) RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    child regclass;
    schema name;
    base name;
    scheme text;
    first timestamptz;
    gap tstzrange;
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
    -- one of us at a time; readers and writers go on
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
    IF EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = parent AND (partstrat <> 'r' OR partnatts <> 1))
        AND EXISTS (SELECT FROM pg_inherits JOIN pg_partitioned_table ON partrelid = inhrelid WHERE inhparent = parent) THEN
        FOR child IN SELECT inhrelid FROM pg_inherits JOIN pg_partitioned_table ON partrelid = inhrelid WHERE inhparent = parent ORDER BY inhrelid::regclass::text LOOP
            RETURN QUERY SELECT * FROM @extschema@.snowid_partition(child, every, ahead, behind, retain);
        END LOOP;
        RETURN;
    END IF;

    SELECT coalesce(range_agg(tstzrange(p.starts, p.ends)), '{}') INTO covered FROM @extschema@.snowid_partitions(parent) p WHERE p.starts < p.ends;
    SELECT nspname, relname, k.scheme INTO schema, base, scheme
        FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace, @extschema@.snowid_partition_key(parent) AS k WHERE c.oid = parent;
    SELECT relowner, coalesce('TABLESPACE ' || quote_ident(spcname), '') INTO owner, tablespace
        FROM pg_class c LEFT JOIN pg_tablespace t ON t.oid = reltablespace WHERE c.oid = parent;
    first := @extschema@.snowid_period(clock_timestamp(), every);
    retained := @extschema@.snowid_period(clock_timestamp() - retain, every);
    FOR gap IN SELECT unnest(tstzmultirange(tstzrange(first + i * every, first + (i + 1) * every)) - covered) FROM generate_series(-behind, ahead) AS i LOOP
        starts := lower(gap);
        ends := upper(gap);
        CONTINUE WHEN ends <= retained;
        EXECUTE format('SELECT ARRAY[@extschema@.%1$I($1)::text, @extschema@.%1$I($2)::text]', scheme || '_lower_bound') INTO bounds USING starts, ends;
        CONTINUE WHEN bounds[1] = bounds[2];  -- before the first id
        dated := to_char(starts, CASE WHEN in_months THEN '_YYYYMM' WHEN date_trunc('day', every) = every THEN '_YYYYMMDD' ELSE '_YYYYMMDD_HH24MISS' END);
        FOR other IN 0..100000 LOOP
            name := base;
            suffix := dated || coalesce('_' || nullif(other, 0), '');
            WHILE octet_length(name || suffix) > current_setting('max_identifier_length')::int LOOP name := left(name, -1); END LOOP;
            name := name || suffix;
            EXIT WHEN to_regclass(format('%I.%I', schema, name)) IS NULL;
        END LOOP;
        -- attached, because that lets readers and writers go on, which PARTITION OF does not
        EXECUTE format('CREATE TABLE %I.%I (LIKE %s INCLUDING ALL EXCLUDING INDEXES EXCLUDING IDENTITY) %s', schema, name, parent, tablespace);
        EXECUTE format('ALTER TABLE %I.%I OWNER TO %s', schema, name, owner);
        BEGIN
            EXECUTE format('ALTER TABLE %s ATTACH PARTITION %I.%I FOR VALUES FROM (%L) TO (%L)', parent, schema, name, bounds[1], bounds[2]);
        EXCEPTION WHEN check_violation THEN
            RAISE EXCEPTION 'the default partition of % holds rows from % to %', parent, starts, ends USING ERRCODE = 'check_violation',
                HINT = 'In one transaction detach it, make the partitions, insert its rows into the table and attach it again.';
        END;
        action := 'created';
        partition := format('%I.%I', schema, name)::regclass;
        RETURN NEXT;
    END LOOP;
    FOR partition, starts, ends IN SELECT p.partition, p.starts, p.ends FROM @extschema@.snowid_partitions(parent) p
        WHERE p.ends <= retained ORDER BY p.starts LOOP
        EXECUTE format('ALTER TABLE %s DETACH PARTITION %s', parent, partition);
        action := 'detached';
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.snowid_partition(regclass, interval, integer, integer, interval) IS 'makes the partitions by time that a table by ranges of ids lacks, now, ahead and behind; detaches those that are older than is to be retained';
CREATE OR REPLACE FUNCTION @extschema@.snowid_stat(
    OUT generator text, OUT scheme text, OUT layout text, OUT worker integer, OUT issued bigint, OUT waits bigint,
    OUT wait_time interval, OUT overflows bigint, OUT clock_regressions bigint, OUT max_regression interval,
    OUT refusals bigint, OUT ahead interval, OUT last_time timestamptz, OUT horizon timestamptz,
    OUT horizon_advances bigint, OUT ends_at timestamptz, OUT stats_reset timestamptz,
    OUT database text, OUT overlapping text[]) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'snowid_stat' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 8;
COMMENT ON FUNCTION @extschema@.snowid_stat() IS 'what the view snowid_stat shows';
CREATE OR REPLACE FUNCTION @extschema@.snowid_stat_reset() RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_stat_reset' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.snowid_stat_reset() IS 'lets the counters of snowid_stat begin at zero';
CREATE OR REPLACE FUNCTION @extschema@.snowid_layout_replace(layout text) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_layout_replace' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.snowid_layout_replace(text) IS 'the part of snowid_layout_change that changes the record';
CREATE OR REPLACE FUNCTION @extschema@.snowid_layout_change(layout text, OUT to_rebuild text) RETURNS SETOF text
    LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
BEGIN ATOMIC
    SELECT @extschema@.snowid_layout_replace(layout);
    SELECT DISTINCT pg_describe_object(d.classid, d.objid, d.objsubid)
        FROM pg_catalog.pg_depend AS d JOIN pg_catalog.pg_proc AS f ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = f.oid
        WHERE d.classid IN ('pg_class'::regclass, 'pg_attrdef'::regclass, 'pg_constraint'::regclass)
            AND f.prosrc IN ('snowid_snowflake_time', 'snowid_snowflake_worker', 'snowid_snowflake_sequence',
                             'snowid_snowflake_decode', 'snowid_snowflake_encode', 'snowid_snowflake_lower_bound')
            AND NOT 'text'::regtype = ANY (f.proargtypes);
END;
COMMENT ON FUNCTION @extschema@.snowid_layout_change(text) IS 'records another layout for this database''s ids, and tells what must be rebuilt for it';
CREATE OR REPLACE FUNCTION @extschema@.snowid_check(OUT subject text, OUT finding text, OUT what_to_do text) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 8
BEGIN ATOMIC
    WITH setting AS (SELECT name, setting, source, pending_restart FROM pg_catalog.pg_settings),
        preloaded AS (SELECT nullif(setting, '') AS libraries FROM setting WHERE name = 'shared_preload_libraries'),
        loaded AS (SELECT EXISTS (SELECT FROM preloaded, regexp_split_to_table(libraries, '\s*,\s*') AS l WHERE trim('"' FROM l) = 'snowid') AS is),
        generators AS (SELECT *, coalesce(database || '.', '') || generator AS known_as FROM @extschema@.snowid_stat() WHERE database IS NULL OR database = current_database())
    SELECT 'preload', 'snowflakes and snos cannot be generated: the library is not loaded when the server starts',
            format('Set shared_preload_libraries = %L in postgresql.conf and restart the server.', concat_ws(',', libraries, 'snowid'))
        FROM preloaded, loaded WHERE NOT loaded.is AND current_setting('server_version_num')::int < 170000
    UNION ALL
    SELECT 'start', 'this server makes no snowflakes and no snos: no background worker has told it how far they had come before it started',
            'Raise max_worker_processes, of which snowid needs two, and restart the server. If there are enough, its log says why.'
        FROM loaded WHERE loaded.is AND NOT pg_is_in_recovery()
            AND (current_setting('max_worker_processes')::int < 2 + (current_setting('max_logical_replication_workers')::int > 0)::int
                OR NOT EXISTS (SELECT FROM pg_catalog.pg_stat_activity WHERE backend_type = 'snowid'))
    UNION ALL
    SELECT own.subject, format('the %s is 0 because none is set, beside %s', own.what, string_agg(beside, ' and ')),
            format('Set %s in postgresql.conf to a number that no other server has, and reload.', name)
        FROM setting JOIN (VALUES ('snowid.worker_id', 'worker', 'worker id'), ('snowid.sno_partition', 'partition', 'partition of snos')) AS own (setting, subject, what)
            ON name = own.setting, (SELECT 'a subscription to another server' AS beside WHERE EXISTS (SELECT FROM pg_catalog.pg_stat_subscription)
            UNION ALL SELECT 'a publication' WHERE EXISTS (SELECT FROM pg_catalog.pg_publication)
            UNION ALL SELECT 'Citus' WHERE EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'citus')) AS others
        WHERE source = 'default' AND (own.subject = 'worker' OR EXISTS (SELECT FROM generators WHERE generator = 'default' AND scheme = 'sno' AND issued > 0))
        GROUP BY name, own.subject, own.what
    UNION ALL
    SELECT 'reserve', 'snowid.reserve is more than snowid.clock_drift, which is used instead', 'Set snowid.reserve to no more than snowid.clock_drift.'
        FROM setting AS r, setting AS d WHERE r.name = 'snowid.reserve' AND d.name = 'snowid.clock_drift' AND r.setting::bigint > d.setting::bigint
    UNION ALL
    SELECT 'layout', format('this database''s layout %s is not the server''s, %s: it generates no snowflakes here', l.layout, g.layout),
            'Set snowid.layout to the database''s layout and restart the server; or change the record with snowid_layout_change.'
        FROM (SELECT layout FROM @extschema@.snowid_layout ORDER BY recorded LIMIT 1) AS l, generators AS g
        WHERE g.generator = 'default' AND g.scheme = 'snowflake' AND g.layout <> l.layout
    UNION ALL
    SELECT 'layout', 'this database has no record of its layout: it makes no snowflakes and cannot read any',
            'As a superuser insert the one that its ids have: INSERT INTO @extschema@.snowid_layout VALUES (@extschema@.snowid_layout_canonical(''default''), now());'
        WHERE NOT EXISTS (SELECT FROM @extschema@.snowid_layout)
    UNION ALL
    SELECT 'layout', format('the time of generator %s runs out at %s', known_as, ends_at), 'Plan which key follows: no id of another layout comes above the last one of a layout that fills the bigint.'
        FROM generators WHERE ends_at < now() + interval '1 year'
    UNION ALL
    SELECT 'clock', format('the clock has stepped back %s times, by %s at most', clock_regressions, max_regression),
            'Let the time service slew the clock and not step it. snowid_stat_reset() begins to count anew.'
        FROM generators WHERE generator = 'default' AND scheme = 'snowflake' AND clock_regressions > 0
    UNION ALL
    SELECT 'clock', format('ids of generator %s are dated %s ahead of the clock', known_as, ahead),
            'If the clock is wrong, set it right: ids go on above. If it once was ahead and that was believed, see snowid_horizon_rewind.'
        FROM generators, setting WHERE name = 'snowid.clock_drift' AND ahead > setting::int * interval '1 ms'
    UNION ALL
    SELECT 'refusals', format('generator %s has refused %s ids', known_as, refusals), 'The server''s log says why.'
        FROM generators WHERE refusals > 0
    UNION ALL
    SELECT 'generators', format('%s of %s named generators that this server has room for are in use', count(*), setting),
            'Where there is no room the next one makes no ids. Raise snowid.max_generators and restart the server, or drop some that are not needed.'
        FROM setting, @extschema@.snowid_stat() AS g WHERE name = 'snowid.max_generators' AND g.database IS NOT NULL GROUP BY setting HAVING count(*) >= 0.9 * setting::int
    UNION ALL
    SELECT 'horizon', format('the record of how far generator %s has come is missing in this database', name),
            'As a superuser run: SELECT snowid_horizon_advance(now());'
        FROM (VALUES (0::bigint, 'default'), (-1, 'default of snos')) AS own (id, name)
        WHERE NOT EXISTS (SELECT FROM @extschema@.snowid_horizon AS h WHERE h.generator = own.id)
    UNION ALL
    SELECT 'horizon', format('the record of how far generator %s has come is missing', name), 'As a superuser run: SELECT snowid_horizon_advance(now());'
        FROM @extschema@.snowid_generator AS g WHERE name IS NOT NULL AND NOT EXISTS (SELECT FROM @extschema@.snowid_horizon AS h WHERE h.generator = g.id)
    UNION ALL
    SELECT 'horizon', 'the table snowid_horizon does not survive a crash', format('As a superuser run: ALTER TABLE %s SET LOGGED;', oid::regclass)
        FROM pg_catalog.pg_class WHERE oid = '@extschema@.snowid_horizon'::regclass AND relpersistence <> 'p'
    UNION ALL
    SELECT 'overlap', format('generator %s of %s could make the same ids as %s', known_as, scheme, array_to_string(overlapping, ', ')),
            'Fine where their ids never meet in one table; else give it a worker, a partition or sequence numbers of its own.'
        FROM generators WHERE generator <> 'default' AND overlapping <> '{}'
    UNION ALL
    SELECT 'replication', format('publication %s sends tables that belong to this server''s generators: %s', pubname, string_agg(tablename, ', ' ORDER BY tablename)),
            CASE WHEN puballtables THEN 'In one transaction drop it and create it again FOR TABLE or FOR TABLES IN SCHEMA with your own; then on the subscriber ALTER SUBSCRIPTION ... REFRESH PUBLICATION.'
                ELSE 'Let it publish your own tables or schemas only.' END || ' With these a subscriber makes ids with the same workers.'
        FROM pg_catalog.pg_publication_tables JOIN pg_catalog.pg_namespace ON nspname = schemaname JOIN pg_catalog.pg_class AS c ON relnamespace = pg_namespace.oid AND relname = tablename
            JOIN pg_catalog.pg_publication USING (pubname)
        WHERE c.oid IN ('@extschema@.snowid_generator'::regclass, '@extschema@.snowid_horizon'::regclass, '@extschema@.snowid_layout'::regclass) GROUP BY pubname, puballtables
    UNION ALL
    SELECT 'replication', format('subscription %s has copied the generators of another server', subname),
            'Give each another worker or partition here, with snowid_generator_alter, let the publication leave out snowid_generator as snowid_check() says there, and here run ALTER SUBSCRIPTION ... REFRESH PUBLICATION.'
        FROM pg_catalog.pg_subscription_rel JOIN pg_catalog.pg_subscription AS s ON s.oid = srsubid WHERE srrelid = '@extschema@.snowid_generator'::regclass
    UNION ALL
    SELECT 'uuidv7', format('the default of %s.%s is PostgreSQL''s uuidv7(), which ascends within one session only', adrelid::regclass, attname),
            format('ALTER TABLE %s ALTER %I SET DEFAULT uuidv7_next();', adrelid::regclass, attname)
        FROM pg_catalog.pg_attrdef JOIN pg_catalog.pg_attribute ON attrelid = adrelid AND attnum = adnum
        WHERE pg_get_expr(adbin, adrelid) = 'uuidv7()' AND current_setting('server_version_num')::int >= 180000;
END;
COMMENT ON FUNCTION @extschema@.snowid_check() IS 'what is wrong with this set-up and what to do about it; no row: nothing';
