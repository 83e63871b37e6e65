
-- time partitions: what is done to a table, as its owner -----------------------

-- PostgreSQL evaluates what is immutable in the constraints and indexes of partitions: as the owner of the table, who
-- need not be the one who wrote it.
CREATE FUNCTION _snowid.partition_require_own(parent regclass) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    others record;
BEGIN
    SELECT part.oid::regclass AS name, part.relowner::regrole AS owner, whole.relowner::regrole AS whole_owner
        INTO others
        FROM pg_class AS whole, pg_partition_tree(parent) AS tree JOIN pg_class AS part ON part.oid = tree.relid
        WHERE whole.oid = parent AND part.relowner <> whole.relowner
            AND NOT pg_has_role(part.relowner, whole.relowner, 'MEMBER')
        ORDER BY part.relname LIMIT 1;
    IF others IS NOT NULL THEN
        RAISE EXCEPTION '% is maintained as %, but % belongs to %',
            parent, others.whole_owner, others.name, others.owner USING ERRCODE = 'insufficient_privilege',
            DETAIL = 'What is in the constraints and indexes of a partition is evaluated with the rights of the owner '
                'of the whole table.',
            HINT = format('If these are harmless, run ALTER TABLE %s OWNER TO %s; else detach it.', others.name,
                others.whole_owner);
    END IF;
END $$;
COMMENT ON FUNCTION _snowid.partition_require_own(regclass) IS
    'refuses a table of which a partition belongs to a role that has not the rights of the table''s owner';

CREATE FUNCTION _snowid.partition_gaps(parent regclass, every interval, ahead integer, behind integer,
    as_of timestamptz, OUT starts timestamptz, OUT ends timestamptz) RETURNS SETOF record
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
BEGIN
    RETURN QUERY
        WITH present AS (
            SELECT _snowid.partition_period(as_of, every) AS began, _snowid.partition_covered(parent) AS covered),
        period AS (
            SELECT tstzrange(began + i * every, began + (i + 1) * every) AS range
            FROM present, generate_series(-behind, ahead) AS i)
        SELECT lower(gap), upper(gap)
            FROM period, present, unnest(tstzmultirange(period.range) - covered) AS gap ORDER BY 1;
END $$;
COMMENT ON FUNCTION _snowid.partition_gaps(regclass, interval, integer, integer, timestamptz) IS
    'the periods around a time, and what other partitions leave of them, for which a table has no partition';

-- The last partition of a scheme ends with its last id.
CREATE FUNCTION _snowid.partition_bounds(scheme text, starts timestamptz, INOUT ends timestamptz,
    OUT first_id text, OUT next_id text)
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    next_id := _snowid.partition_bound(scheme, ends);
    first_id := nullif(_snowid.partition_bound(scheme, starts), next_id);
    IF next_id = _snowid.partition_bound(scheme, 'infinity') THEN ends := 'infinity'; END IF;
    IF next_id = _snowid.partition_last_bound(scheme) THEN next_id := 'MAXVALUE'; END IF;
END $$;
COMMENT ON FUNCTION _snowid.partition_bounds(text, timestamptz, timestamptz) IS
    'the bounds of a partition for a time; the first is NULL if no id is of this time';

CREATE FUNCTION _snowid.partition_name(parent regclass, every interval, starts timestamptz) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    name text;
    suffix text;
    dated text := to_char(starts, CASE
        WHEN date_trunc('month', every) > interval '0' THEN '_YYYYMM'
        WHEN date_trunc('day', every) = every THEN '_YYYYMMDD'
        ELSE '_YYYYMMDD_HH24MISS' END);
    is_of record;
BEGIN
    SELECT relnamespace::regnamespace AS schema, relname INTO is_of FROM pg_class WHERE oid = parent;
    FOR other IN 0..100000 LOOP
        name := is_of.relname;
        suffix := dated || coalesce('_' || nullif(other, 0), '');
        WHILE octet_length(name || suffix) > current_setting('max_identifier_length')::int LOOP
            name := left(name, -1);
        END LOOP;
        name := format('%s.%I', is_of.schema, name || suffix);
        EXIT WHEN to_regclass(name) IS NULL;
    END LOOP;
    RETURN name;
END $$;
COMMENT ON FUNCTION _snowid.partition_name(regclass, interval, timestamptz) IS
    'a name that no table has: of the parent and the first day';

-- ATTACH lets readers and writers go on; PARTITION OF does not.
CREATE FUNCTION _snowid.partition_create(parent regclass, name text, first_id text, next_id text) RETURNS regclass
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    whole record;
BEGIN
    SELECT relowner::regrole AS owner, 'TABLESPACE ' || quote_ident(spcname) AS tablespace INTO whole
        FROM pg_class AS c LEFT JOIN pg_tablespace AS t ON t.oid = reltablespace WHERE c.oid = parent;
    EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING ALL EXCLUDING INDEXES EXCLUDING IDENTITY) %s',
        name, parent, whole.tablespace);
    EXECUTE format('ALTER TABLE %s OWNER TO %s', name, whole.owner);
    EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%s)', parent, name, first_id,
        CASE next_id WHEN 'MAXVALUE' THEN 'MAXVALUE' ELSE quote_literal(next_id) END);
    RETURN name::regclass;
END $$;
COMMENT ON FUNCTION _snowid.partition_create(regclass, text, text, text) IS 'makes one partition of a table';

CREATE FUNCTION _snowid.partition_make(parent regclass, every interval, ahead integer, behind integer, retain interval,
    as_of timestamptz, OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz)
    RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    scheme text := (SELECT key.scheme FROM _snowid.partition_key(parent) AS key);
    first_id text;
    next_id text;
BEGIN
    PERFORM _snowid.require_owner(parent);
    action := 'created';
    FOR starts, ends, first_id, next_id IN
        SELECT gap.starts, bounds.ends, bounds.first_id, bounds.next_id
        FROM _snowid.partition_gaps(parent, every, ahead, behind, as_of) AS gap,
            _snowid.partition_bounds(scheme, gap.starts, gap.ends) AS bounds
        WHERE bounds.first_id IS NOT NULL
            AND coalesce(gap.ends > _snowid.partition_period(as_of - retain, every), true)
        ORDER BY gap.starts
    LOOP
        partition := _snowid.partition_create(parent, _snowid.partition_name(parent, every, starts),
            first_id, next_id);
        RETURN NEXT;
    END LOOP;
EXCEPTION WHEN check_violation THEN
    RAISE EXCEPTION 'the default partition of % holds rows from % to %', parent, starts, ends
        USING ERRCODE = 'check_violation',
        HINT = 'In one transaction, detach it, make the partitions, insert its rows into the table and attach it '
            'again.';
END $$;
COMMENT ON FUNCTION _snowid.partition_make(regclass, interval, integer, integer, interval, timestamptz) IS
    'makes the partitions that a table lacks';

CREATE FUNCTION _snowid.partition_expire(parent regclass, every interval, retain interval, expired text,
    as_of timestamptz, OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz)
    RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    state text;
BEGIN
    PERFORM _snowid.require_owner(parent);
    FOR partition, starts, ends, state IN
        SELECT p.partition, p.starts, p.ends, p.state FROM _snowid.partition_list(parent) AS p
        WHERE p.ends <= _snowid.partition_period(as_of - retain, every) AND p.detached IS NULL ORDER BY p.starts
    LOOP
        EXECUTE format('ALTER TABLE %s DETACH PARTITION %s %s', parent, partition,
            CASE state WHEN 'detaching' THEN 'FINALIZE' END);
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
COMMENT ON FUNCTION _snowid.partition_expire(regclass, interval, interval, text, timestamptz) IS
    'detaches or drops the partitions of a table that are older than retain';

CREATE FUNCTION _snowid.partition_lock(parent regclass) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
END $$;
COMMENT ON FUNCTION _snowid.partition_lock(regclass) IS
    'lets one call at a time work on a table, while readers and writers go on';

CREATE FUNCTION _snowid.partition_due(parent regclass, step text,
    OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz) RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    told record;
    as_of timestamptz;
BEGIN
    PERFORM _snowid.require_owner(parent);
    PERFORM _snowid.partition_lock(parent);
    PERFORM _snowid.partition_require_own(parent);
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
COMMENT ON FUNCTION _snowid.partition_due(regclass, text) IS
    'what is due for a table by its record: make, then expire';

CREATE FUNCTION _snowid.partition_covered_until(parent regclass) RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL UNSAFE
BEGIN ATOMIC
    SELECT min(coalesce((SELECT upper(r) FROM unnest(_snowid.partition_covered(t)) AS r WHERE r @> clock_timestamp()),
            '-infinity'))
        FROM _snowid.partition_tables(parent) AS t;
END;
COMMENT ON FUNCTION _snowid.partition_covered_until(regclass) IS
    'until when a table has partitions without a gap; -infinity if there is none for now';

CREATE FUNCTION _snowid.partition_step(parent regclass, step text,
    OUT created integer, OUT detached integer, OUT dropped integer, OUT covered_until timestamptz)
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    SELECT count(*) FILTER (WHERE action = 'created'), count(*) FILTER (WHERE action = 'detached'),
            count(*) FILTER (WHERE action = 'dropped')
        INTO created, detached, dropped FROM _snowid.partition_due(parent, step);
    covered_until := _snowid.partition_covered_until(parent);
END $$;
COMMENT ON FUNCTION _snowid.partition_step(regclass, text) IS
    'does what is due for a table by its record, and says what it was, as one row';
