
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

-- What LIKE does not copy. Whoever may read a partition is not asked for the policies of the whole table, so with row
-- security no privileges are given.
CREATE FUNCTION _snowid.partition_grants(parent regclass) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL UNSAFE
BEGIN ATOMIC
    SELECT array_agg(format('GRANT %s ON %%s TO %s%s', what, replace(
            CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END, '%', '%%'),
            CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END))
        FROM pg_catalog.pg_class AS c, LATERAL (
            SELECT grantee, is_grantable, privilege_type AS what FROM aclexplode(relacl)
            UNION ALL
            SELECT grantee, is_grantable, format('%s (%s)', privilege_type, replace(quote_ident(attname), '%', '%%'))
                FROM pg_catalog.pg_attribute, aclexplode(attacl) WHERE attrelid = c.oid AND NOT attisdropped) AS given
        WHERE c.oid = parent AND grantee <> relowner AND NOT relrowsecurity;
END;
COMMENT ON FUNCTION _snowid.partition_grants(regclass) IS
    'the statements that give a partition the privileges of the whole table, with %s in place of its name';

-- Looked up once for all partitions that a call makes.
CREATE FUNCTION _snowid.partition_model(parent regclass, OUT rest regclass, OUT tail text, OUT after text[],
    OUT identity_index oid)
    LANGUAGE sql STABLE PARALLEL UNSAFE
BEGIN ATOMIC
    SELECT (SELECT nullif(partdefid, 0) FROM pg_catalog.pg_partitioned_table WHERE partrelid = parent),
            concat_ws(' ', (
                SELECT format('WITH (%s)', string_agg(format('%I = %L', option_name, option_value), ', '))
                FROM pg_options_to_table((SELECT reloptions FROM pg_catalog.pg_inherits
                    JOIN pg_catalog.pg_class AS sibling ON sibling.oid = inhrelid AND relkind = 'r'
                    WHERE inhparent = parent ORDER BY inhrelid DESC LIMIT 1)) HAVING count(*) > 0),
                'TABLESPACE ' || quote_ident(spcname)),
            coalesce(_snowid.partition_grants(parent), '{}')
                || CASE relreplident WHEN 'f' THEN ARRAY['ALTER TABLE %s REPLICA IDENTITY FULL']
                    WHEN 'n' THEN ARRAY['ALTER TABLE %s REPLICA IDENTITY NOTHING'] ELSE '{}' END,
            (SELECT indexrelid FROM pg_catalog.pg_index WHERE indrelid = parent AND indisreplident
                AND relreplident = 'i')
        FROM pg_catalog.pg_class AS c LEFT JOIN pg_catalog.pg_tablespace AS t ON t.oid = reltablespace
        WHERE c.oid = parent;
END;
COMMENT ON FUNCTION _snowid.partition_model(regclass) IS
    'the default partition of a table, and what a new partition has: its tablespace, the storage parameters of the '
    'newest one, the privileges and the replica identity of the table';

-- A function of the table's owner that runs meanwhile can have set another search_path.
CREATE FUNCTION _snowid.partition_pin() RETURNS void
    LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
    SELECT set_config('search_path', 'pg_catalog, pg_temp', true);
END;
COMMENT ON FUNCTION _snowid.partition_pin() IS
    'sets search_path again, after statements that can run a user''s function';

-- ATTACH lets readers and writers go on; PARTITION OF does not.
CREATE FUNCTION _snowid.partition_create(parent regclass, name text, first_id text, next_id text,
    tail text, after text[], identity_index oid) RETURNS regclass
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    whole text := replace(parent::text, '%', '%%');
    statement text;
BEGIN
    FOREACH statement IN ARRAY
        format('CREATE TABLE %%s (LIKE %s INCLUDING ALL EXCLUDING INDEXES EXCLUDING IDENTITY) %s', whole,
            replace(tail, '%', '%%')) || after
        || format('ALTER TABLE %s ATTACH PARTITION %%s FOR VALUES FROM (%L) TO (%s)', whole, first_id,
            CASE next_id WHEN 'MAXVALUE' THEN 'MAXVALUE' ELSE quote_literal(next_id) END)
    LOOP
        EXECUTE pg_catalog.format(statement, VARIADIC ARRAY[name]);
        PERFORM _snowid.partition_pin();
    END LOOP;
    IF identity_index IS NOT NULL THEN
        EXECUTE (SELECT format('ALTER TABLE %s REPLICA IDENTITY USING INDEX %I', name, relname)
            FROM pg_inherits JOIN pg_index ON indexrelid = inhrelid JOIN pg_class AS c ON c.oid = indexrelid
            WHERE inhparent = identity_index AND indrelid = name::regclass);
        PERFORM _snowid.partition_pin();
    END IF;
    RETURN name::regclass;
END $$;
COMMENT ON FUNCTION _snowid.partition_create(regclass, text, text, text, text, text[], oid) IS
    'makes one partition of a table';

-- The operators of a type of ours are in the type's schema.
CREATE FUNCTION _snowid.partition_range(parent regclass, first_id text, next_id text) RETURNS text
    LANGUAGE sql STABLE PARALLEL UNSAFE
BEGIN ATOMIC
    SELECT format('%1$I OPERATOR(%2$I.>=) %3$L::%4$s', attname, nspname, first_id, format_type(k.id_type, NULL))
            || CASE WHEN next_id <> 'MAXVALUE' THEN
                format(' AND %1$I OPERATOR(%2$I.<) %3$L::%4$s', attname, nspname, next_id,
                    format_type(k.id_type, NULL))
                ELSE '' END
        FROM _snowid.partition_key(parent) AS k JOIN pg_catalog.pg_type AS y ON y.oid = k.id_type
            JOIN pg_catalog.pg_namespace AS n ON n.oid = typnamespace
            JOIN pg_catalog.pg_partitioned_table AS p ON partrelid = parent
            JOIN pg_catalog.pg_attribute ON attrelid = partrelid AND attnum = partattrs[0];
END;
COMMENT ON FUNCTION _snowid.partition_range(regclass, text, text) IS 'the condition that an id is in a range';

-- The default partition can belong to a role that lets the owner of the table read it through the table only. Citus
-- cannot select nothing from its tables.
CREATE FUNCTION _snowid.partition_in_rest(parent regclass, first_id text, next_id text) RETURNS boolean
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %s WHERE %s)', parent,
        _snowid.partition_range(parent, first_id, next_id)) INTO found;
    PERFORM _snowid.partition_pin();
    RETURN found;
END $$;
COMMENT ON FUNCTION _snowid.partition_in_rest(regclass, text, text) IS
    'whether a table has rows of a period for which it has no partition: they are in the default one';

-- Old ids can be of the layout of the record, and new ones of the layout in force. So the later time counts.
CREATE FUNCTION _snowid.partition_reread_all(parent regclass, scheme text, layout text) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM _snowid.partition_reread(t.partition, t.parent, CASE t.bounds[2] WHEN 'MAXVALUE' THEN 'infinity'
            ELSE _snowid.partition_bound_time(scheme, t.bounds[2]) END, partition_reread_all.layout)
        FROM _snowid.partition_times() AS t
        WHERE t.parent = partition_reread_all.parent AND t.layout <> partition_reread_all.layout;
END $$;
COMMENT ON FUNCTION _snowid.partition_reread_all(regclass, text, text) IS
    'adds to the times of a table''s partitions what they are by the layout in force';

CREATE FUNCTION _snowid.partition_missing(parent regclass, scheme text, every interval, ahead integer, behind integer,
    retain interval, as_of timestamptz,
    OUT starts timestamptz, OUT ends timestamptz, OUT first_id text, OUT next_id text) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL UNSAFE
BEGIN ATOMIC
    SELECT gap.starts, bounds.ends, bounds.first_id, bounds.next_id
        FROM _snowid.partition_gaps(parent, every, ahead, behind, as_of) AS gap,
            _snowid.partition_bounds(scheme, gap.starts, gap.ends) AS bounds
        WHERE bounds.first_id IS NOT NULL
            AND coalesce(gap.ends > _snowid.partition_period(as_of - retain, every), true)
        ORDER BY gap.starts;
END;
COMMENT ON FUNCTION _snowid.partition_missing(regclass, text, interval, integer, integer, interval, timestamptz) IS
    'the times and bounds of the partitions that a table lacks';

-- The times of all that a call makes are recorded in one statement.
CREATE FUNCTION _snowid.partition_make(parent regclass, every interval, ahead integer, behind integer, retain interval,
    as_of timestamptz, most integer,
    OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz, OUT name text)
    RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    scheme text := (SELECT key.scheme FROM _snowid.partition_key(parent) AS key);
    layout text := CASE scheme WHEN 'snowflake' THEN _snowid.partition_layout() END;
    model record;
    told timestamptz := clock_timestamp();
    due record;
    parts regclass[] := '{}';
    all_starts timestamptz[] := '{}';
    all_ends timestamptz[] := '{}';
    firsts text[] := '{}';
    nexts text[] := '{}';
BEGIN
    PERFORM _snowid.require_owner(parent);
    PERFORM _snowid.partition_reread_all(parent, scheme, layout);
    SELECT * INTO model FROM _snowid.partition_model(parent);
    FOR due IN SELECT * FROM _snowid.partition_missing(parent, scheme, every, ahead, behind, retain, as_of) LOOP
        EXIT WHEN cardinality(parts) >= most;
        starts := due.starts;
        ends := due.ends;
        IF model.rest IS NOT NULL AND _snowid.partition_in_rest(parent, due.first_id, due.next_id) THEN
            action := 'blocked';
            partition := model.rest;
        ELSE
            action := 'created';
            partition := _snowid.partition_create(parent, _snowid.partition_name(parent, every, starts),
                due.first_id, due.next_id, model.tail, model.after, model.identity_index);
            PERFORM _snowid.partition_pin();
            parts := parts || partition;
            all_starts := all_starts || starts;
            all_ends := all_ends || ends;
            firsts := firsts || due.first_id;
            nexts := nexts || due.next_id;
        END IF;
        name := partition::text;
        RETURN NEXT;
        IF clock_timestamp() > told + interval '5 s' THEN
            told := clock_timestamp();
            RAISE NOTICE '%: % partitions are made, until %', parent, cardinality(parts), ends;
        END IF;
    END LOOP;
    IF parts <> '{}' THEN
        PERFORM _snowid.partition_made(parent, parts, all_starts, all_ends, firsts, nexts, layout, every);
    END IF;
END $$;
COMMENT ON FUNCTION _snowid.partition_make(regclass, interval, integer, integer, interval, timestamptz, integer) IS
    'makes the partitions that a table lacks, but for periods of which its default partition has rows';

-- By the record of a partition, or by its bounds if they are those of one period.
CREATE FUNCTION _snowid.partition_expiring(parent regclass, every interval, horizon timestamptz,
    OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz, OUT state text, OUT bounds text[],
    OUT keeps text) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL UNSAFE
BEGIN ATOMIC
    WITH attached AS MATERIALIZED (SELECT * FROM _snowid.partition_children(parent)),
    known AS (
        SELECT a.partition, a.state, a.bounds, t.made IS NOT NULL AS is_ours,
            CASE WHEN t.made IS NOT NULL THEN t.starts WHEN a.bounds[1] = 'MINVALUE' THEN '-infinity'
                ELSE _snowid.partition_bound_time(k.scheme, a.bounds[1]) END AS starts,
            CASE WHEN t.made IS NOT NULL THEN t.ends WHEN a.bounds[2] = 'MAXVALUE' THEN 'infinity'
                ELSE _snowid.partition_bound_time(k.scheme, a.bounds[2]) END AS ends
        FROM _snowid.partition_key(parent) AS k, attached AS a LEFT JOIN @extschema@.snowid_partition_times AS t
            ON t.parent = partition_expiring.parent AND t.partition = a.partition AND t.bounds = a.bounds
                AND t.made IS NOT NULL)
    SELECT partition::regclass, starts, ends, state, bounds, CASE
            WHEN recorded.other IS NOT NULL THEN format('%s has a record of its own', recorded.other)
            WHEN NOT is_ours AND (starts <> _snowid.partition_period(starts, every)
                    OR (ends AT TIME ZONE 'UTC') <> (starts AT TIME ZONE 'UTC') + every)
                THEN 'snowid did not make it, and it is not one period' END
        FROM known LEFT JOIN LATERAL (
            SELECT r.parent AS other FROM @extschema@.snowid_partitioned AS r
                JOIN pg_catalog.pg_partition_tree(partition) AS t ON t.relid = r.parent LIMIT 1) AS recorded ON true
        WHERE ends <= horizon ORDER BY starts;
END;
COMMENT ON FUNCTION _snowid.partition_expiring(regclass, interval, timestamptz) IS
    'the partitions of a table that end before a time, and why one does not expire all the same';

CREATE FUNCTION _snowid.partition_drop(parent regclass, partition regclass, starts timestamptz, ends timestamptz,
    bounds text[]) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    line text := (SELECT format('snowid dropped %s of %s: ids from %s to %s, times from %s to %s, about %s rows',
            partition, parent, bounds[1], bounds[2], starts, ends, greatest(reltuples, 0)::bigint)
        FROM pg_class WHERE oid = partition);
BEGIN
    EXECUTE format('DROP TABLE %s', partition);
    PERFORM _snowid.partition_log(line);
    PERFORM _snowid.partition_pin();
END $$;
COMMENT ON FUNCTION _snowid.partition_drop(regclass, regclass, timestamptz, timestamptz, text[]) IS
    'drops a partition that was detached, which the log says when the transaction commits';

CREATE FUNCTION _snowid.partition_expire(parent regclass, every interval, retain interval, expired text,
    as_of timestamptz, most integer,
    OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz, OUT name text)
    RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    old record;
    gone integer := 0;
BEGIN
    PERFORM _snowid.require_owner(parent);
    FOR old IN SELECT * FROM _snowid.partition_expiring(parent, every,
        _snowid.partition_period(as_of - retain, every)) LOOP
        CONTINUE WHEN old.keeps IS NULL AND gone >= most;
        partition := old.partition;
        starts := old.starts;
        ends := old.ends;
        name := concat_ws(': ', partition, old.keeps);
        IF old.keeps IS NOT NULL THEN
            action := 'kept';
        ELSE
            gone := gone + 1;
            EXECUTE format('ALTER TABLE %s DETACH PARTITION %s %s', parent, partition,
                CASE old.state WHEN 'detaching' THEN 'FINALIZE' END);
            PERFORM _snowid.partition_pin();
            IF expired = 'drop' THEN
                action := 'dropped';
                PERFORM _snowid.partition_drop(parent, partition, starts, ends, old.bounds);
                PERFORM _snowid.partition_pin();
            ELSE
                action := 'detached';
                PERFORM _snowid.partition_detached(partition, parent, starts, ends, old.bounds, as_of);
            END IF;
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION _snowid.partition_expire(regclass, interval, interval, text, timestamptz, integer) IS
    'detaches or drops the partitions of a table that are older than retain';

CREATE FUNCTION _snowid.partition_lock(parent regclass) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
END $$;
COMMENT ON FUNCTION _snowid.partition_lock(regclass) IS
    'lets one call at a time work on a table, while readers and writers go on';

CREATE FUNCTION _snowid.partition_due(parent regclass, step text, most integer,
    OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz, OUT name text)
    RETURNS SETOF record
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
            _snowid.partition_make(t, told.every, told.ahead, told.behind, told.retain, as_of, most) AS made;
    ELSE
        PERFORM _snowid.partition_require_layout(parent, told.layout);
        RETURN QUERY SELECT gone.* FROM _snowid.partition_tables(parent) AS t,
            _snowid.partition_expire(t, told.every, told.retain, told.expired, as_of, most) AS gone;
    END IF;
END $$;
COMMENT ON FUNCTION _snowid.partition_due(regclass, text, integer) IS
    'what is due for a table by its record: make, then expire; no more partitions at once than that, of each table';

CREATE FUNCTION _snowid.partition_covered_until(parent regclass) RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL UNSAFE
BEGIN ATOMIC
    SELECT min(coalesce((SELECT upper(r) FROM unnest(_snowid.partition_covered(t)) AS r WHERE r @> clock_timestamp()),
            '-infinity'))
        FROM _snowid.partition_tables(parent) AS t;
END;
COMMENT ON FUNCTION _snowid.partition_covered_until(regclass) IS
    'until when a table has partitions without a gap; -infinity if there is none for now';

CREATE FUNCTION _snowid.partition_step(parent regclass, step text, most integer,
    OUT made integer, OUT gone integer, OUT detached text[], OUT dropped text[], OUT kept text[],
    OUT covered_until timestamptz, OUT sqlstate text, OUT error text, OUT detail text, OUT hint text)
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    blocked regclass;
    first timestamptz;
BEGIN
    SELECT count(*) FILTER (WHERE action = 'created'), count(*) FILTER (WHERE action IN ('detached', 'dropped')),
            array_agg(name) FILTER (WHERE action = 'detached'), array_agg(name) FILTER (WHERE action = 'dropped'),
            array_agg(name) FILTER (WHERE action = 'kept'),
            min(partition::oid) FILTER (WHERE action = 'blocked'), min(starts) FILTER (WHERE action = 'blocked')
        INTO made, gone, detached, dropped, kept, blocked, first FROM _snowid.partition_due(parent, step, most);
    PERFORM _snowid.partition_pin();
    covered_until := _snowid.partition_covered_until(parent);
    IF blocked IS NOT NULL THEN
        sqlstate := '23514';
        error := format('the default partition %s has rows of periods that need partitions, the first from %s', blocked,
            first);
        detail := 'The partitions of other periods are made.';
        hint := format('Run CALL %s.snowid_partition_settle(%L).', _snowid.public_schema(), parent);
    END IF;
END $$;
COMMENT ON FUNCTION _snowid.partition_step(regclass, text, integer) IS
    'does what is due for a table by its record, and says what it was, as one row';
