
-- time partitions: rows in the default partition --------------------------------

-- The publications that send what happens in the default partition, and whether they send all that a move does: as what
-- happens in a table that its subscribers have. They do not have a new partition yet.
CREATE FUNCTION _snowid.partition_publications(parent regclass, OUT name name, OUT sends_moves boolean)
    RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    WITH sent AS (
        SELECT c.oid AS id, relnamespace, c.oid IN (SELECT pg_partition_ancestors(parent)) AS is_whole
            FROM pg_catalog.pg_partitioned_table, pg_partition_tree(partdefid) AS t,
                pg_partition_ancestors(t.relid) AS above (id) JOIN pg_catalog.pg_class AS c ON c.oid = above.id
            WHERE partrelid = parent)
    SELECT p.pubname, pubviaroot AND pubinsert AND pubdelete AND (puballtables OR bool_or(is_whole))
        FROM pg_catalog.pg_publication AS p CROSS JOIN sent
        WHERE (pubinsert OR pubdelete) AND (puballtables
            OR EXISTS (SELECT FROM pg_catalog.pg_publication_rel WHERE prpubid = p.oid AND prrelid = id)
            OR EXISTS (SELECT FROM pg_catalog.pg_publication_namespace
                WHERE pnpubid = p.oid AND pnnspid = relnamespace))
        GROUP BY p.oid;
END;

-- Refuses a table whose rows cannot be deleted and inserted again without side effects; whether a publication sends
-- them.
-- Another table's foreign key would delete the rows that refer to those that move, or forbid it; a trigger would take
-- the move for a deletion. Keys can refer to the default partition alone, and the table's own triggers of statements
-- fire for the table alone. What another server has deleted is gone when this one fails to commit.
CREATE FUNCTION _snowid.partition_require_movable(parent regclass) RETURNS boolean
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    is_sent boolean := EXISTS (SELECT FROM _snowid.partition_publications(parent));
    tables oid[] := ARRAY(SELECT parent::oid UNION ALL
        SELECT relid FROM pg_partitioned_table, pg_partition_tree(partdefid) WHERE partrelid = parent);
    way text := (
        SELECT format('the foreign key %s of %s refers to it', quote_ident(conname), conrelid::regclass)
        FROM pg_constraint WHERE confrelid = ANY (tables) AND contype = 'f' ORDER BY oid LIMIT 1);
BEGIN
    way := coalesce(way, (
        SELECT format('the trigger %s of %s fires when a row is %s', quote_ident(tgname), tgrelid::regclass,
            CASE WHEN tgtype & 8 <> 0 THEN 'deleted' ELSE 'inserted' END)
        FROM pg_trigger WHERE tgrelid = ANY (tables) AND NOT tgisinternal AND tgenabled <> 'D'
            AND (tgtype & 8 <> 0 OR is_sent AND tgtype & 5 = 5)
        ORDER BY tgname, tgrelid LIMIT 1), (
        SELECT format('%s is a foreign table', oid::regclass) FROM pg_class
        WHERE oid = ANY (tables) AND relkind = 'f' ORDER BY oid LIMIT 1));
    IF way IS NOT NULL THEN
        RAISE EXCEPTION 'the rows in the default partition of % cannot be moved: %', parent, way
            USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = 'A row moves by DELETE and INSERT, which foreign keys and triggers take for a deletion.',
            HINT = 'Drop the foreign key or disable the trigger meanwhile; or move the rows by hand.';
    END IF;
    way := (SELECT min(name) FROM _snowid.partition_publications(parent) WHERE NOT sends_moves);
    IF way IS NOT NULL THEN
        RAISE EXCEPTION 'the rows in the default partition of % cannot be moved: publication % sends only a part of '
            'it', parent, quote_ident(way) USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = 'A row moves by DELETE and INSERT. Subscribers would lose it, or have it twice.',
            HINT = 'Let the publication send the whole table, publish_via_partition_root, and both INSERT and DELETE; '
                'or take the table out of it, move the rows, and let the subscribers copy the table again.';
    END IF;
    RETURN is_sent;
END $$;

-- The time of the first row, from a time on, that is in the default partition; if there is none, tells which stay.
-- A row whose id has no time belongs to no period: a negative snowflake, or a uuid of another version. An index leads
-- to the lowest and the highest id.
CREATE FUNCTION _snowid.partition_unsettled(parent regclass, scheme text, since timestamptz) RETURNS timestamptz
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    rest record;
    first timestamptz;
    lowest text;
    highest text;
BEGIN
    SELECT partdefid::regclass AS name, attname AS key INTO rest
        FROM pg_partitioned_table JOIN pg_attribute ON attrelid = partrelid AND attnum = partattrs[0]
        WHERE partrelid = parent AND partdefid <> 0;
    IF rest.name IS NULL THEN RETURN NULL; END IF;
    EXECUTE format('SELECT _snowid.partition_bound_time(%1$L, %2$I::text) FROM %3$s WHERE %4$s '
        'AND isfinite(_snowid.partition_bound_time(%1$L, %2$I::text)) ORDER BY %2$I LIMIT 1', scheme, rest.key,
        rest.name, _snowid.partition_range(parent, _snowid.partition_bound(scheme, since), 'MAXVALUE')) INTO first;
    PERFORM _snowid.partition_pin();
    IF first IS NULL THEN
        EXECUTE format('SELECT (SELECT %1$I FROM %2$s ORDER BY %1$I LIMIT 1), '
            '(SELECT %1$I FROM %2$s WHERE %1$I IS NOT NULL ORDER BY %1$I DESC LIMIT 1)', rest.key, rest.name)
            INTO lowest, highest;
        PERFORM _snowid.partition_pin();
    END IF;
    IF lowest IS NOT NULL THEN
        RAISE NOTICE 'rows with ids from % to % stay in the default partition %', lowest, highest, rest.name
            USING DETAIL = 'Rows that are older than retain stay, and those for which there is no period: negative '
                'snowflakes have no time.';
    END IF;
    RETURN first;
END $$;

-- Makes one partition, and moves the rows of its period from the default partition to it.
-- Writers wait: the change of a row while it moves would be lost. Readers wait from when the partition is attached.
-- That comes last, unless a publication sends the table: it does not send what is inserted into a table that is not a
-- partition yet. As PostgreSQL attaches nothing for which rows are in the default partition, they wait elsewhere.
CREATE FUNCTION _snowid.partition_move(parent regclass, name text, first_id text, next_id text, is_sent boolean)
    RETURNS regclass
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    model record;
    partition regclass;
    columns text := (  -- that INSERT may name
        SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
            WHERE attrelid = parent AND attnum > 0 AND NOT attisdropped AND attgenerated = '');
    move text := format('WITH moved AS (DELETE FROM %s WHERE %s RETURNING %s) ', parent,
        _snowid.partition_range(parent, first_id, next_id), columns);
    place text := (SELECT format('%s.%I', relnamespace::regnamespace, 'snowid_moved_' || parent::oid)
        FROM pg_class WHERE oid = parent);
BEGIN
    PERFORM _snowid.require_owner(parent);
    SELECT * INTO model FROM _snowid.partition_model(parent);
    IF NOT is_sent THEN
        RETURN _snowid.partition_create(parent, name, first_id, next_id, model.tail,
            model.after || (replace(move, '%', '%%') || 'INSERT INTO %s '
                || replace(format('(%s) SELECT %1$s FROM moved', columns), '%', '%%')), model.identity_index);
    END IF;
    EXECUTE format('CREATE UNLOGGED TABLE %s AS SELECT %s FROM %s WITH NO DATA', place, columns, parent);
    PERFORM _snowid.partition_pin();
    EXECUTE move || format('INSERT INTO %s (%s) SELECT %2$s FROM moved', place, columns);
    PERFORM _snowid.partition_pin();
    partition := _snowid.partition_create(parent, name, first_id, next_id, model.tail, model.after,
        model.identity_index);
    EXECUTE format('INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM %s', partition, columns, place);
    PERFORM _snowid.partition_pin();
    EXECUTE format('DROP TABLE %s', place);
    PERFORM _snowid.partition_pin();
    RETURN partition;
END $$;

-- Moves the rows of the first period from a time on that are in the default partition into a partition.
-- Rows that are older than retain stay where they are: in a partition they would expire at once.
CREATE FUNCTION _snowid.partition_settle_one_as_owner(tbl regclass, parent regclass, since timestamptz,
    patience integer, OUT partition regclass, OUT until timestamptz)
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    scheme text := (SELECT key.scheme FROM _snowid.partition_key(tbl) AS key);
    told record;
    as_of timestamptz := _snowid.partition_now('make');
    is_sent boolean;
    first timestamptz;
    gap record;
BEGIN
    PERFORM _snowid.require_owner(tbl);
    PERFORM set_config('lock_timeout', patience::text, true);
    EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', tbl);
    PERFORM _snowid.partition_require_own(tbl);
    is_sent := _snowid.partition_require_movable(tbl);
    SELECT * INTO told FROM _snowid.partitioned AS r WHERE r.parent = partition_settle_one_as_owner.parent;
    first := _snowid.partition_unsettled(tbl, scheme,
        greatest(since, _snowid.partition_horizon(as_of, told.retain, told.every, told.zone)));
    IF first IS NULL THEN RETURN; END IF;
    -- a gap may go on within the tick at its end, to where the next partition begins
    SELECT * INTO gap FROM _snowid.partition_gaps(tbl, scheme, told.every, told.zone, 0, 1, first) AS g
        WHERE g.starts <= first
            AND (g.ends > first OR g.ends = first AND g.next_id <> _snowid.partition_bound(scheme, first))
        ORDER BY g.starts LIMIT 1;
    until := coalesce(gap.ends, first + interval '1 microsecond');
    IF gap.ends IS NULL THEN RETURN; END IF;
    partition := _snowid.partition_move(tbl, _snowid.partition_name(tbl, told.every, told.zone, gap.starts),
        gap.first_id, gap.next_id, is_sent);
    PERFORM _snowid.partition_pin();
    PERFORM _snowid.partition_made(tbl, ARRAY[partition], ARRAY[gap.starts], ARRAY[gap.ends], ARRAY[gap.first_id],
        ARRAY[gap.next_id], CASE scheme WHEN 'snowflake' THEN _snowid.partition_layout() END, told.every);
END $$;
-- Moves the rows of the first period from a time on that are in the default partition, as the table's owner.
CREATE FUNCTION _snowid.partition_settle_one(tbl regclass, parent regclass, since timestamptz, patience integer,
    OUT partition regclass, OUT until timestamptz)
    LANGUAGE C VOLATILE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'snowid_as_owner';

-- Whose rows snowid_partition_settle moves, and by which record.
CREATE FUNCTION _snowid.partition_settle_begin(parent regclass, lock_timeout interval, OUT patience integer,
    OUT record regclass, OUT tables regclass[])
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    patience := extract(epoch FROM lock_timeout) * 1000;
    IF patience IS NULL OR patience < 1 THEN
        RAISE EXCEPTION 'lock_timeout must be at least a millisecond' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT r.parent INTO record FROM _snowid.partitioned AS r, _snowid.partition_tables(r.parent) AS t
        WHERE r.parent = partition_settle_begin.parent OR t = partition_settle_begin.parent LIMIT 1;
    IF record IS NULL THEN
        RAISE EXCEPTION 'no period is recorded for %', parent USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Call snowid_partition first.';
    END IF;
    tables := ARRAY(SELECT _snowid.partition_tables(parent));
END $$;

-- What snowid_partition_settle does. It commits, so it has no search_path of its own, and names everything with its
-- schema.
CREATE PROCEDURE _snowid.partition_settle_as_caller(parent regclass, lock_timeout interval)
    LANGUAGE plpgsql AS $$
DECLARE
    run pg_catalog.record;
    tbl pg_catalog.regclass;
    moved pg_catalog.record;
    since pg_catalog.timestamptz;
BEGIN
    PERFORM _snowid.partition_require_top();
    SELECT * INTO run FROM _snowid.partition_settle_begin(parent, lock_timeout);
    COMMIT;
    FOREACH tbl IN ARRAY run.tables LOOP
        since := '4714-11-24 00:00:00+00 BC'::pg_catalog.timestamptz;  -- the first finite one
        LOOP
            SELECT * INTO moved FROM _snowid.partition_settle_one(tbl, run.record, since, run.patience);
            COMMIT;
            EXIT WHEN moved.until IS NULL;
            since := moved.until;
            IF moved.partition IS NOT NULL THEN
                RAISE NOTICE 'rows of the default partition of % are in % now', tbl, moved.partition;
            END IF;
        END LOOP;
    END LOOP;
END $$;
CREATE PROCEDURE @extschema@.snowid_partition_settle(parent regclass, lock_timeout interval DEFAULT '2 seconds')
    LANGUAGE C
    AS 'MODULE_PATHNAME', 'snowid_as_caller';
COMMENT ON PROCEDURE @extschema@.snowid_partition_settle(regclass, interval) IS
    'moves rows from the default partition of a table into partitions of their periods, as the table''s owner; '
    'commits after each period';
