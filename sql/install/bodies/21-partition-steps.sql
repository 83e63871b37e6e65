
-- time partitions: what is done to a table, as its owner -----------------------

-- Refuses a table with a partition whose owner lacks the rights of the table's owner.
-- PostgreSQL evaluates what is immutable in the constraints and indexes of partitions: as the owner of the table, who
-- need not be the one who wrote it. OFFSET 0 lets no plan read all of pg_inherits for one table.
CREATE FUNCTION _snowid.partition_require_own(parent regclass) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    others record;
BEGIN
    WITH RECURSIVE tree AS (
        SELECT oid, relowner, relkind, relowner AS whole_owner FROM pg_class WHERE oid = parent
        UNION ALL
        SELECT part.*, whole_owner
            FROM tree, LATERAL (SELECT oid, c.relowner, c.relkind FROM pg_inherits JOIN pg_class AS c ON oid = inhrelid
                WHERE inhparent = tree.oid AND tree.relkind = 'p' OFFSET 0) AS part)
    SELECT oid::regclass AS name, relowner::regrole AS owner, whole_owner::regrole INTO others
        FROM tree WHERE relowner <> whole_owner AND NOT pg_has_role(relowner, whole_owner, 'MEMBER')
        ORDER BY oid::regclass::text LIMIT 1;
    IF others IS NOT NULL THEN
        RAISE EXCEPTION '% is maintained as %, but % belongs to %',
            parent, others.whole_owner, others.name, others.owner USING ERRCODE = 'insufficient_privilege',
            DETAIL = 'What is in the constraints and indexes of a partition is evaluated with the rights of the owner '
                'of the whole table.',
            HINT = format('If these are harmless, run ALTER TABLE %s OWNER TO %s; else detach it.', others.name,
                others.whole_owner);
    END IF;
END $$;

-- The bounds of a partition for a time; the first is NULL if no id is of this time.
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

-- The periods around a time, and what other partitions leave of them, for which a table has no partition.
-- Partitions that were made by hand can begin and end within a tick. What is between them begins and ends there, too.
CREATE FUNCTION _snowid.partition_gaps(parent regclass, scheme text, every interval, zone text, ahead integer,
    behind integer, as_of timestamptz, OUT starts timestamptz, OUT ends timestamptz, OUT first_id text,
    OUT next_id text) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL UNSAFE
BEGIN ATOMIC
    WITH there AS MATERIALIZED (
        SELECT c.starts, c.ends, bounds[1] AS first_id, bounds[2] AS next_id
            FROM _snowid.partition_children(parent, scheme) AS c WHERE state = 'attached'),
    gaps AS (
        SELECT lower(gap) AS since, upper(gap) AS until
            FROM (SELECT coalesce(range_agg(tstzrange(t.starts, t.ends)) FILTER (WHERE t.starts < t.ends), '{}')
                    AS times FROM there AS t) AS covered,
                generate_series(-behind, ahead) AS i, unnest(tstzmultirange(tstzrange(
                    _snowid.partition_edge(as_of, every, zone, i), _snowid.partition_edge(as_of, every, zone, i + 1)))
                    - times) AS gap),
    bounded AS (
        SELECT since, b.ends, coalesce((SELECT t.next_id FROM there AS t WHERE t.ends = since
                    ORDER BY length(t.next_id) DESC, t.next_id COLLATE "C" DESC LIMIT 1), b.first_id) AS first_id,
                coalesce((SELECT t.first_id FROM there AS t WHERE t.starts = until
                    ORDER BY length(t.first_id), t.first_id COLLATE "C" LIMIT 1), b.next_id) AS next_id
            FROM gaps, _snowid.partition_bounds(scheme, since, until) AS b WHERE b.first_id IS NOT NULL)
    SELECT * FROM bounded AS b WHERE b.first_id <> b.next_id ORDER BY since;
END;

-- An unused name for a table, from the parent's name and the first day.
CREATE FUNCTION _snowid.partition_name(parent regclass, every interval, zone text, starts timestamptz) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name text;
    suffix text;
    dated text := to_char(starts AT TIME ZONE coalesce(zone, 'UTC'), CASE
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

-- The statements that give a partition the privileges of the whole table, with %s in place of its name.
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

-- The default partition of a table, and what a new partition has: its tablespace, the storage parameters of the
-- newest one, the privileges and the replica identity of the table.
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

-- Sets search_path again, after statements that can run a user's function.
-- A function of the table's owner that runs meanwhile can have set another search_path.
CREATE FUNCTION _snowid.partition_pin() RETURNS void
    LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
    SELECT set_config('search_path', 'pg_catalog, pg_temp', true);
END;

-- Makes one partition of a table.
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

-- The condition that an id is in a range.
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

-- Whether a table has rows of a period for which it has no partition: they are in the default one.
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

-- Makes the partitions that a table lacks, but for periods of which its default partition has rows; or only says
-- which.
-- The times of all that a call makes are recorded in one statement.
CREATE FUNCTION _snowid.partition_make(parent regclass, told _snowid.partitioned, as_of timestamptz,
    most integer, dry_run boolean,
    OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz, OUT name text)
    RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    scheme text := (SELECT key.scheme FROM _snowid.partition_key(parent) AS key);
    in_force text := CASE scheme WHEN 'snowflake' THEN _snowid.partition_layout() END;
    model record;
    heard timestamptz := clock_timestamp();
    due record;
    parts regclass[] := '{}';
    all_starts timestamptz[] := '{}';
    all_ends timestamptz[] := '{}';
    firsts text[] := '{}';
    nexts text[] := '{}';
BEGIN
    PERFORM _snowid.require_owner(parent);
    -- old ids can be of the layout of the record, and new ones of the layout in force, so the later time counts
    PERFORM _snowid.partition_reread(t.partition, t.parent, CASE t.bounds[2] WHEN 'MAXVALUE' THEN 'infinity'
            ELSE _snowid.partition_bound_time(scheme, t.bounds[2]) END, in_force)
        FROM _snowid.partition_times AS t
        WHERE NOT dry_run AND t.parent = partition_make.parent AND t.layout <> in_force;
    SELECT * INTO model FROM _snowid.partition_model(parent);
    FOR due IN SELECT *
        FROM _snowid.partition_gaps(parent, scheme, told.every, told.zone, told.ahead, told.behind, as_of) AS gap
        WHERE coalesce(gap.ends > _snowid.partition_horizon(as_of, told.retain, told.every, told.zone), true)
    LOOP
        EXIT WHEN cardinality(parts) >= most;
        starts := due.starts;
        ends := due.ends;
        IF model.rest IS NOT NULL AND _snowid.partition_in_rest(parent, due.first_id, due.next_id) THEN
            action := 'blocked';
            partition := model.rest;
            name := partition::text;
        ELSIF dry_run THEN
            action := 'created';
            name := _snowid.partition_name(parent, told.every, told.zone, starts);
        ELSE
            action := 'created';
            partition := _snowid.partition_create(parent, _snowid.partition_name(parent, told.every, told.zone, starts),
                due.first_id, due.next_id, model.tail, model.after, model.identity_index);
            name := partition::text;
            PERFORM _snowid.partition_pin();
            parts := parts || partition;
            all_starts := all_starts || starts;
            all_ends := all_ends || ends;
            firsts := firsts || due.first_id;
            nexts := nexts || due.next_id;
        END IF;
        RETURN NEXT;
        IF clock_timestamp() > heard + interval '5 s' THEN
            heard := clock_timestamp();
            RAISE NOTICE '%: % made, until %', parent, _snowid.counted(cardinality(parts), 'partition'), ends;
        END IF;
    END LOOP;
    IF parts <> '{}' THEN
        PERFORM _snowid.partition_made(parent, parts, all_starts, all_ends, firsts, nexts, in_force, told.every);
    END IF;
END $$;

-- The partitions of a table that end before a time, and why one does not expire all the same.
-- By the record of a partition, or by its bounds if they are those of one period.
CREATE FUNCTION _snowid.partition_expiring(parent regclass, every interval, zone text, horizon timestamptz,
    OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz, OUT state text, OUT bounds text[],
    OUT keeps text) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL UNSAFE
BEGIN ATOMIC
    WITH known AS (
        SELECT partition, state, bounds, made IS NOT NULL AS is_ours,
            CASE WHEN made IS NOT NULL THEN made_from ELSE starts END AS starts,
            CASE WHEN made IS NOT NULL THEN made_to ELSE ends END AS ends
        FROM _snowid.partition_known(parent))
    SELECT partition::regclass, starts, ends, state, bounds, CASE
            WHEN recorded.other IS NOT NULL THEN format('%s has a record of its own', recorded.other)
            WHEN NOT is_ours AND (starts <> _snowid.partition_edge(starts, every, zone, 0)
                    OR ends <> _snowid.partition_edge(starts, every, zone, 1)) IS NOT FALSE
                THEN 'snowid did not make it, and it is not one period' END
        FROM known LEFT JOIN LATERAL (
            SELECT r.parent AS other FROM _snowid.partitioned AS r
                JOIN pg_catalog.pg_partition_tree(partition) AS t ON t.relid = r.parent LIMIT 1) AS recorded ON true
        WHERE ends <= horizon ORDER BY starts;
END;

-- Detaches a partition, and drops it if that is asked for.
-- A name can change between two statements, and a table below the partition can get a record of its own until all are
-- locked. So what was done is compared with what was meant, and an error takes it back.
CREATE FUNCTION _snowid.partition_remove(parent regclass, partition regclass, state text, and_drop boolean)
    RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    tree oid[] := ARRAY(SELECT relid FROM pg_partition_tree(partition));
    is_other boolean;
BEGIN
    EXECUTE format('ALTER TABLE %s DETACH PARTITION %s %s', parent, partition,
        CASE state WHEN 'detaching' THEN 'FINALIZE' END);
    PERFORM _snowid.partition_pin();
    is_other := EXISTS (SELECT FROM pg_inherits WHERE inhrelid = partition);
    IF and_drop AND NOT is_other THEN
        EXECUTE format('DROP %s %s', (SELECT CASE relkind WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END
            FROM pg_class WHERE oid = partition), partition);
        PERFORM _snowid.partition_pin();
    END IF;
    IF is_other OR and_drop AND EXISTS (SELECT FROM pg_class WHERE oid = partition)
            OR EXISTS (SELECT FROM _snowid.partitioned AS r WHERE r.parent = ANY (tree)) THEN
        RAISE EXCEPTION 'somebody changed the partitions of % meanwhile', parent USING ERRCODE = 'object_in_use',
            DETAIL = 'A partition that is old enough was renamed, or has a record of its own now.',
            HINT = 'Run it again.';
    END IF;
END $$;

-- Detaches or drops the partitions of a table that are older than retain, or only says which; what is dropped is in
-- the log.
CREATE FUNCTION _snowid.partition_expire(parent regclass, told _snowid.partitioned, as_of timestamptz,
    most integer, dry_run boolean,
    OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz, OUT name text)
    RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    horizon timestamptz := _snowid.partition_horizon(as_of, told.retain, told.every, told.zone);
    old record;
    line text;
    gone integer := 0;
BEGIN
    PERFORM _snowid.require_owner(parent);
    FOR old IN SELECT * FROM _snowid.partition_expiring(parent, told.every, told.zone, horizon) LOOP
        CONTINUE WHEN old.keeps IS NULL AND gone >= most;
        partition := old.partition;
        starts := old.starts;
        ends := old.ends;
        name := concat_ws(': ', partition, old.keeps);
        action := 'kept';
        IF old.keeps IS NULL THEN
            gone := gone + 1;
            -- who detaches a partition by hand wants to keep it
            action := CASE WHEN told.expired = 'drop' AND old.state = 'attached' THEN 'dropped' ELSE 'detached' END;
        END IF;
        IF old.keeps IS NULL AND NOT dry_run THEN
            SELECT format('snowid dropped %s of %s: ids from %s to %s, times from %s to %s, about %s rows', partition,
                    parent, old.bounds[1], old.bounds[2], starts, ends, sum(greatest(reltuples, 0))::bigint)
                INTO line FROM pg_partition_tree(partition) JOIN pg_class ON oid = relid AND isleaf;
            PERFORM _snowid.partition_remove(parent, partition, old.state, action = 'dropped');
            IF action = 'dropped' THEN
                PERFORM _snowid.partition_log(line);
            ELSE
                PERFORM _snowid.partition_detached(partition, parent, starts, ends, old.bounds, as_of);
            END IF;
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;

-- Lets one call at a time work on a table, while readers and writers go on.
CREATE FUNCTION _snowid.partition_lock(parent regclass) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
END $$;

-- Refuses a transaction whose snapshot may be old.
-- By an old snapshot a partition could have bounds that it had once, and a table a record that it had once.
CREATE FUNCTION _snowid.partition_require_fresh(parent regclass) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
        RAISE EXCEPTION 'nothing of % expires in a transaction that is %', parent,
            current_setting('transaction_isolation') USING ERRCODE = 'active_sql_transaction',
            DETAIL = 'It does not see what others have changed since it began.',
            HINT = 'Use the isolation level READ COMMITTED.';
    END IF;
END $$;

-- What is due for a table by its record: make, then expire; no more partitions at once than that, of each table. If
-- a record is given, only says what would be done by that.
CREATE FUNCTION _snowid.partition_due(parent regclass, step text, most integer,
    meant _snowid.partitioned,
    OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz, OUT name text)
    RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    dry_run boolean := meant.parent IS NOT NULL;
    told record;
    as_of timestamptz;
    tbl regclass;
BEGIN
    PERFORM _snowid.require_owner(parent);
    PERFORM _snowid.partition_lock(parent);
    PERFORM _snowid.partition_require_own(parent);
    SELECT c.record, (c.record).retain, (c.record).layout INTO told FROM (
        SELECT CASE WHEN dry_run THEN meant ELSE (SELECT r FROM _snowid.partitioned AS r
            WHERE r.parent = partition_due.parent) END AS record) AS c;
    IF told.record IS NULL OR step <> 'make' AND told.retain IS NULL THEN RETURN; END IF;
    -- the clock is read once, and judged as for ids: what is done by a wrong one cannot be taken back
    as_of := _snowid.partition_now(step);
    IF step <> 'make' THEN
        PERFORM _snowid.partition_require_fresh(parent);
        PERFORM _snowid.partition_require_layout(parent, told.layout);
    END IF;
    FOR tbl IN SELECT _snowid.partition_tables(parent) LOOP
        PERFORM _snowid.partition_lock(tbl);
        CONTINUE WHEN NOT dry_run AND parent IS DISTINCT FROM (  -- the nearest record counts
            SELECT r.parent::regclass FROM pg_partition_ancestors(tbl) WITH ORDINALITY AS a (relid, level)
                JOIN _snowid.partitioned AS r ON r.parent = a.relid ORDER BY level LIMIT 1);
        IF step = 'make' THEN
            RETURN QUERY SELECT * FROM _snowid.partition_make(tbl, told.record, as_of, most, dry_run);
        ELSE
            RETURN QUERY SELECT * FROM _snowid.partition_expire(tbl, told.record, as_of, most, dry_run);
        END IF;
    END LOOP;
END $$;

-- Until when a table has partitions without a gap; -infinity if there is none for now.
CREATE FUNCTION _snowid.partition_covered_until(parent regclass) RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL UNSAFE
BEGIN ATOMIC
    SELECT min(coalesce((SELECT upper(r) FROM unnest(_snowid.partition_covered(t)) AS r WHERE r @> clock_timestamp()),
            '-infinity'))
        FROM _snowid.partition_tables(parent) AS t;
END;

-- Whether nothing is due for a table, and then what _snowid.maintenance says of it.
-- A job mostly comes to tables of which nothing is due, so this takes no lock on them.
CREATE FUNCTION _snowid.partition_look(parent regclass, OUT idle boolean, OUT kept text[],
    OUT covered_until timestamptz)
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    told record;
    as_of timestamptz;
    horizon timestamptz;
    in_force text := _snowid.partition_layout();
    tables regclass[] := ARRAY[parent];
    tbl regclass;
    known record;
    is_due boolean;
BEGIN
    SELECT * INTO told FROM _snowid.partitioned AS r WHERE r.parent = partition_look.parent;
    PERFORM _snowid.partition_require_own(parent);
    as_of := _snowid.partition_now(CASE WHEN told.retain IS NULL THEN 'make' ELSE 'expire' END);
    horizon := _snowid.partition_horizon(as_of, told.retain, told.every, told.zone);
    IF EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = parent AND (partstrat <> 'r' OR partnatts > 1)) THEN
        tables := ARRAY(SELECT _snowid.partition_tables(parent));
    END IF;
    FOREACH tbl IN ARRAY tables LOOP
        SELECT min(scheme) AS scheme, min(coalesce(made_to, ends)) <= horizon AS is_old,
                range_agg(tstzrange(starts, ends)) FILTER (WHERE starts < ends AND state = 'attached') AS covered,
                (SELECT true FROM _snowid.partition_times AS t WHERE t.parent = tbl AND t.layout <> in_force LIMIT 1)
                    AS is_mixed
            INTO known FROM _snowid.partition_known(tbl);
        IF known.is_old THEN
            SELECT kept || array_agg(concat_ws(': ', partition, keeps)), bool_or(keeps IS NULL)
                INTO kept, is_due FROM _snowid.partition_expiring(tbl, told.every, told.zone, horizon);
        END IF;
        IF is_due
                OR known.scheme = 'snowflake' AND (known.is_mixed
                    OR told.retain IS NOT NULL AND told.layout IS DISTINCT FROM in_force)
                OR tstzrange(greatest(horizon, _snowid.partition_edge(as_of, told.every, told.zone, -told.behind)),
                    _snowid.partition_edge(as_of, told.every, told.zone, told.ahead + 1)) <@ known.covered
                    IS NOT TRUE THEN
            RETURN;
        END IF;
        covered_until := least(covered_until, lower(tstzmultirange(tstzrange(as_of, NULL)) - known.covered));
    END LOOP;
    idle := covered_until IS NOT NULL;
END $$;

-- Does what is due for a table by its record, and says what it was, as one row.
CREATE FUNCTION _snowid.partition_step(parent regclass, step text, most integer,
    OUT made integer, OUT gone integer, OUT detached text[], OUT dropped text[], OUT kept text[],
    OUT covered_until timestamptz, OUT sqlstate text, OUT error text, OUT detail text, OUT hint text)
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    blocked regclass;
    first timestamptz;
BEGIN
    IF step = 'look' THEN
        SELECT look.kept, look.covered_until INTO kept, covered_until
            FROM _snowid.partition_look(parent) AS look WHERE idle;
        RETURN;
    END IF;
    SELECT count(*) FILTER (WHERE action = 'created'), count(*) FILTER (WHERE action IN ('detached', 'dropped')),
            array_agg(name) FILTER (WHERE action = 'detached'), array_agg(name) FILTER (WHERE action = 'dropped'),
            array_agg(name) FILTER (WHERE action = 'kept'),
            min(partition::oid) FILTER (WHERE action = 'blocked'), min(starts) FILTER (WHERE action = 'blocked')
        INTO made, gone, detached, dropped, kept, blocked, first FROM _snowid.partition_due(parent, step, most, NULL);
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
