
-- time partitions: what is told, and what is called ----------------------------

-- Refuses arguments of snowid_partition that make no sense, a table of Citus that is maintained on another node or
-- through another table, and thousands of partitions unless they are meant.
-- The limits are those of the columns of _snowid.partitioned.
CREATE FUNCTION _snowid.partition_require_told(parent regclass, every interval, ahead integer, behind integer,
    retain interval, expired text, many boolean, zone text) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    months interval := date_trunc('month', every);
    recorded record;
    number bigint;
BEGIN
    IF parent IS NULL THEN
        RAISE EXCEPTION 'the table to partition must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF every IS NULL THEN
        RAISE EXCEPTION 'no period is recorded for %', parent USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Say how long one is, such as every => ''1 month''.';
    END IF;
    IF every NOT BETWEEN '1 second' AND '1000 years'
            OR months > interval '0' AND extract(epoch FROM every - months) <> 0 THEN
        RAISE EXCEPTION 'a partition cannot cover %', every USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'The period must be from a second to 1000 years, and whole months or no months.';
    END IF;
    IF zone IS NOT NULL AND NOT EXISTS (SELECT FROM pg_timezone_names AS known WHERE known.name = zone) THEN
        RAISE EXCEPTION 'time zone % is not known', quote_literal(zone) USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Use a name from pg_timezone_names.';
    END IF;
    IF zone <> 'UTC' AND date_trunc('day', every) <> every THEN
        RAISE EXCEPTION 'a period of % cannot be in a time zone', every USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'Only periods of months and days depend on a time zone.', HINT = 'Use UTC, or a period of days.';
    END IF;
    IF ahead NOT BETWEEN 0 AND 10000 OR behind NOT BETWEEN 0 AND 10000 THEN
        RAISE EXCEPTION 'ahead and behind must be from 0 to 10000' USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'PostgreSQL plans slowly for a table of thousands of partitions.',
            HINT = 'For more, use a longer period.';
    END IF;
    IF retain IS NOT NULL AND expired = 'keep' THEN
        RAISE EXCEPTION 'retain cannot be combined with expired => ''keep'''
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF retain NOT BETWEEN '0' AND '1000 years' THEN
        RAISE EXCEPTION 'retain must be from 0 to 1000 years' USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Without retain nothing expires.';
    END IF;
    IF expired NOT IN ('detach', 'drop', 'keep') THEN
        RAISE EXCEPTION 'invalid action for an expired partition: %', quote_literal(expired)
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Use detach, drop, or keep, which clears retain.';
    END IF;
    -- raises the error for a table that is not partitioned by ids; no other is listed here
    PERFORM FROM _snowid.partition_tables(parent) AS t, _snowid.partition_list(t)
        WHERE (SELECT key.scheme FROM _snowid.partition_key(t) AS key) IS NULL;
    IF parent IN (SELECT _snowid.partition_elsewhere()) THEN
        RAISE EXCEPTION '% is a table of Citus, and this node does not maintain it', parent
            USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Call it for the distributed table, on the coordinator.';
    END IF;
    SELECT r.ahead, r.behind INTO recorded FROM _snowid.partitioned AS r
        WHERE r.parent = partition_require_told.parent;
    SELECT (1 + coalesce(ahead, recorded.ahead, 3) + coalesce(behind, recorded.behind, 0))::bigint * count(*)
        INTO number FROM _snowid.partition_tables(parent);
    IF number > 1000 AND (ahead IS NOT NULL OR behind IS NOT NULL) AND many IS NOT TRUE THEN
        RAISE EXCEPTION '% would have % partitions', parent, number USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'PostgreSQL plans slowly for a table of thousands of partitions.',
            HINT = 'Use a longer period, or fewer ahead and behind. If it is meant, add many => true.';
    END IF;
END $$;

-- Refuses a period that the partitions of a table do not have: the last one has another length, or a gap beside one
-- does not start or end at a period's end. There would be partitions of odd length, or gaps that are never filled.
CREATE FUNCTION _snowid.partition_fits(parent regclass, every interval, zone text, behind integer) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    present timestamptz := _snowid.partition_edge(clock_timestamp(), every, zone, 0);
    first timestamptz := _snowid.partition_edge(clock_timestamp(), every, zone, -behind);
    misfit record;
BEGIN
    WITH neighbours AS MATERIALIZED (
        SELECT partition, starts, ends, lag(ends) OVER in_time AS before, lead(starts) OVER in_time AS after,
            _snowid.partition_edge(starts, every, zone, 0) AS period_of_start,
            _snowid.partition_edge(ends, every, zone, 0) AS period_of_end
        FROM _snowid.partition_list(parent) WHERE starts < ends AND detached IS NULL
        WINDOW in_time AS (ORDER BY starts)),
    is_last_and_odd AS (
        SELECT partition, starts, ends, period_of_start AS period FROM neighbours
        WHERE starts > present AND ends = (SELECT max(ends) FROM neighbours WHERE isfinite(ends))
            AND ends <> _snowid.partition_edge(starts, every, zone, 1)),
    ends_before_odd_gap AS (
        SELECT partition, starts, ends, period_of_end FROM neighbours
        WHERE ends >= first AND isfinite(ends) AND ends IS DISTINCT FROM after AND period_of_end <> ends),
    starts_after_odd_gap AS (
        SELECT partition, starts, ends, period_of_start FROM neighbours
        WHERE starts > first AND isfinite(starts) AND starts IS DISTINCT FROM before AND period_of_start <> starts)
    SELECT * INTO misfit FROM (
        TABLE is_last_and_odd UNION ALL TABLE ends_before_odd_gap UNION ALL TABLE starts_after_odd_gap) AS one LIMIT 1;
    IF misfit.partition IS NOT NULL THEN
        RAISE EXCEPTION 'the partitions of % do not fit periods of %', parent, concat_ws(' in ', every, zone)
            USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('%s is from %s to %s, but a period is from %s to %s.', misfit.partition,
                misfit.starts, misfit.ends, misfit.period,
                _snowid.partition_edge(misfit.period, every, zone, 1)),
            HINT = 'Use the period that the partitions have. Or drop the empty ones ahead, and make one by hand '
                'that ends where a period starts.';
    END IF;
END $$;

-- Refuses a period that is not the recorded one.
CREATE FUNCTION _snowid.partition_require_period(parent regclass, known interval, known_zone text, every interval,
    zone text) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    had text := concat_ws(' in ', known, known_zone);
BEGIN
    IF known <> every OR date_trunc('month', known) <> date_trunc('month', every)
            OR known IS NOT NULL AND zone <> coalesce(known_zone, 'UTC') THEN
        RAISE EXCEPTION '% has partitions of %, not of %', parent, had,
            concat_ws(' in ', every, coalesce(zone, known_zone))
            USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('The first call of snowid_partition recorded %s as its period.', had),
            HINT = format('To change the period, drop the empty partitions ahead, run SELECT '
                'snowid_partition_forget(%L), and call snowid_partition again.', parent);
    END IF;
END $$;

-- Tells whoever records a table of the records above it, and of those below it that have their own.
CREATE FUNCTION _snowid.partition_tell_others(parent regclass) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found record;
BEGIN
    FOR found IN SELECT r.parent::regclass AS other, r.parent IN (
                SELECT pg_partition_ancestors(partition_tell_others.parent)) AS is_above
        FROM _snowid.partitioned AS r
        WHERE r.parent <> partition_tell_others.parent AND r.parent IN (
            SELECT pg_partition_ancestors(partition_tell_others.parent)
            UNION ALL SELECT relid FROM pg_partition_tree(partition_tell_others.parent))
        ORDER BY r.parent::regclass::text
    LOOP
        IF found.is_above THEN
            RAISE NOTICE '% is maintained by its own record from now on, and no longer by that of %', parent,
                found.other;
        ELSE
            RAISE NOTICE '% keeps its own record: that of % does not count for it', found.other, parent;
        END IF;
    END LOOP;
END $$;

-- The record of a table with what snowid_partition is told.
-- Each call adds to the record what it names.
CREATE FUNCTION _snowid.partition_told(parent regclass, every interval, ahead integer, behind integer, retain interval,
    expired text, zone text) RETURNS _snowid.partitioned
    LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
    SELECT meant.parent, coalesce(known.every, meant.every), coalesce(meant.ahead, known.ahead, 3),
            coalesce(meant.behind, known.behind, 0),
            CASE WHEN meant.expired IS DISTINCT FROM 'keep' THEN coalesce(meant.retain, known.retain) END,
            coalesce(nullif(meant.expired, 'keep'), known.expired, 'detach'),
            _snowid.partition_layout_of(meant.parent), coalesce(known.zone, nullif(meant.zone, 'UTC'))
        FROM (SELECT parent, every, ahead, behind, retain, expired, zone) AS meant
            LEFT JOIN _snowid.partitioned AS known ON known.parent = meant.parent;
END;

-- Records what snowid_partition is told, unless that is to be tried only.
CREATE FUNCTION _snowid.partition_tell(parent regclass, every interval, ahead integer, behind integer, retain interval,
    expired text, zone text, dry_run boolean) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known record;
    told record;
    stay bigint;
BEGIN
    SELECT * INTO known FROM _snowid.partitioned AS r WHERE r.parent = partition_tell.parent;
    PERFORM _snowid.partition_require_period(parent, known.every, known.zone, every, zone);
    IF known.retain IS NOT NULL AND expired IS DISTINCT FROM 'keep' AND (retain IS NULL OR expired IS NULL) THEN
        PERFORM _snowid.partition_require_layout(parent, known.layout);
    END IF;
    SELECT * INTO told FROM _snowid.partition_told(parent, every, ahead, behind, retain, expired, zone);
    IF known.every IS NULL THEN
        PERFORM _snowid.partition_tell_others(parent);
        PERFORM _snowid.partition_fits(t, every, told.zone, told.behind) FROM _snowid.partition_tables(parent) AS t;
    END IF;
    IF known.expired = 'detach' AND told.expired = 'drop' THEN
        SELECT count(*) INTO stay FROM _snowid.partition_tables(parent) AS t, _snowid.partition_list(t)
            WHERE state = 'detached';
        IF stay > 0 THEN
            RAISE NOTICE 'what was detached from % stays: %', parent, _snowid.counted(stay, 'partition')
                USING HINT = format('To drop that too, run in psql: SELECT format(''DROP TABLE %%s'', partition) '
                    'FROM %s.snowid_partitions(%L) WHERE state = ''detached'' \gexec', _snowid.public_schema(), parent);
        END IF;
    END IF;
    IF told::text IS DISTINCT FROM known::text AND NOT dry_run THEN
        PERFORM _snowid.partition_record(parent, told.every, told.ahead, told.behind, told.retain, told.expired,
            told.layout, told.zone);
    END IF;
END $$;

-- What snowid_partition does.
CREATE FUNCTION _snowid.partition_as_owner(parent regclass, every interval, ahead integer, behind integer,
    retain interval, expired text, many boolean, zone text, dry_run boolean,
    OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz, OUT name text)
    RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    period interval := coalesce(every, (SELECT r.every FROM _snowid.partitioned AS r
        WHERE r.parent = partition_as_owner.parent));
BEGIN
    PERFORM _snowid.require_owner(parent);
    PERFORM _snowid.partition_require_told(parent, period, ahead, behind, retain, expired, many, zone);
    PERFORM _snowid.partition_lock(parent);
    IF dry_run IS NOT TRUE THEN PERFORM _snowid.partition_prune(); END IF;
    PERFORM _snowid.partition_tell(parent, period, ahead, behind, retain, expired, zone, dry_run IS TRUE);
    FOR action, partition, starts, ends, name IN SELECT due.*
        FROM _snowid.partition_told(parent, period, ahead, behind, retain, expired, zone) AS told,
            _snowid.partition_due(partition_as_owner.parent, 'make', NULL, CASE WHEN dry_run THEN told END) AS due
    LOOP
        IF action = 'blocked' THEN
            RAISE WARNING 'the default partition % has rows from % to %', partition, starts, ends
                USING HINT = pg_catalog.format('Run CALL %s.snowid_partition_settle(%L).'::text, VARIADIC
                    ARRAY[_snowid.public_schema()::text, parent::text]);
        END IF;
        RETURN NEXT;
    END LOOP;
    PERFORM _snowid.partition_pin();
    RETURN QUERY SELECT due.*
        FROM _snowid.partition_told(parent, period, ahead, behind, retain, expired, zone) AS told,
            _snowid.partition_due(partition_as_owner.parent, 'expire', NULL, CASE WHEN dry_run THEN told END) AS due;
END $$;
CREATE FUNCTION @extschema@.snowid_partition(parent regclass, every interval DEFAULT NULL, ahead integer DEFAULT NULL,
    behind integer DEFAULT NULL, retain interval DEFAULT NULL, expired text DEFAULT NULL, many boolean DEFAULT false,
    zone text DEFAULT NULL, dry_run boolean DEFAULT false,
    OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz, OUT name text)
    RETURNS SETOF record
    LANGUAGE C VOLATILE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'snowid_as_owner';
COMMENT ON FUNCTION @extschema@.snowid_partition(regclass, interval, integer, integer, interval, text, boolean, text,
    boolean) IS
    'makes the missing time partitions of a table that is partitioned by ranges of ids, detaches or drops those that '
    'are older than retain, and records all this for snowid_maintain; with dry_run it only says what it would do';

-- Which tables snowid_maintain maintains: the recorded one, or all that the caller may maintain; and for how many
-- milliseconds it waits for a lock. If the code of a table's owner runs until a timeout ends the call, that owner's
-- tables come last in the next one.
CREATE FUNCTION _snowid.partition_begin(parent regclass, lock_timeout interval, OUT patience integer,
    OUT tables regclass[])
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    patience := extract(epoch FROM lock_timeout) * 1000;
    IF patience IS NULL OR patience < 1 THEN
        RAISE EXCEPTION 'lock_timeout must be at least a millisecond' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF NOT (SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = parent) THEN
        RAISE EXCEPTION 'must be owner of table %', parent USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM _snowid.partition_prune();
    tables := ARRAY(SELECT oid::regclass
        FROM (SELECT oid, started,
                bool_or(started IS NOT NULL AND ended IS NULL) OVER (PARTITION BY relowner) AS was_stopped
            FROM _snowid.partitioned AS told JOIN pg_class ON oid = told.parent
                LEFT JOIN _snowid.maintenance AS run ON run.parent = oid
            WHERE coalesce(told.parent = partition_begin.parent, pg_has_role(relowner, 'USAGE'))
                AND (relpersistence <> 't' OR relnamespace = pg_my_temp_schema())) AS maintained
        ORDER BY was_stopped, started NULLS FIRST, oid);
    IF parent IS NOT NULL AND tables = '{}' THEN
        RAISE EXCEPTION 'no period is recorded for %', parent USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Call snowid_partition first.';
    END IF;
END $$;

-- An error if a table could not be maintained.
CREATE FUNCTION _snowid.partition_verdict(tables regclass[]) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    failed record;
BEGIN
    SELECT count(*) AS number, string_agg(regexp_replace(format('%s: %s', tbl,
                CASE WHEN is_own THEN error ELSE 'another role owns it' END),
                '\s*[\n\r]\s*', ' ', 'g'), E'\n' ORDER BY tbl::text) AS which,
            string_agg(DISTINCT hint, E'\n') FILTER (WHERE is_own) AS hint
        INTO failed
        FROM unnest(tables) AS tbl JOIN pg_class ON oid = tbl LEFT JOIN _snowid.maintenance ON parent = tbl,
            pg_has_role(relowner, 'USAGE') AS is_own
        WHERE NOT is_own OR sqlstate IS NOT NULL;
    IF failed.number > 0 THEN
        RAISE EXCEPTION '% of % tables could not be maintained', failed.number, cardinality(tables)
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = failed.which,
            HINT = concat_ws(E'\n', failed.hint, 'See snowid_maintenance. What was done for other tables stays.');
    END IF;
END $$;

-- What snowid_maintain does. It commits, so it has no search_path of its own, and names everything with its schema. By
-- an old snapshot nothing would expire.
CREATE PROCEDURE _snowid.maintain_as_caller(parent regclass, lock_timeout interval)
    LANGUAGE plpgsql AS $$
DECLARE
    most CONSTANT integer := 50;
    run pg_catalog.record;
    tbl pg_catalog.regclass;
    step pg_catalog.text;
    done pg_catalog.record;
    warned pg_catalog.text;
    told pg_catalog.timestamptz := pg_catalog.clock_timestamp();
BEGIN
    PERFORM _snowid.partition_require_top();
    SELECT * INTO run FROM _snowid.partition_begin(parent, lock_timeout);
    FOREACH tbl IN ARRAY run.tables LOOP
        warned := '';
        FOREACH step IN ARRAY ARRAY['look', 'begin', 'make', 'expire', 'end'] LOOP
            LOOP
                COMMIT;
                SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
                SELECT * INTO done FROM _snowid.maintain_table(tbl, step, run.patience, most);
                IF done.error OPERATOR(pg_catalog.<>) warned THEN
                    RAISE WARNING '% is not maintained: %', tbl, done.error;
                    warned := done.error;
                END IF;
                IF done.made IS NOT NULL AND pg_catalog.clock_timestamp() OPERATOR(pg_catalog.>)
                    (told OPERATOR(pg_catalog.+) '5 s'::pg_catalog.interval) THEN
                    told := pg_catalog.clock_timestamp();
                    RAISE NOTICE '%: % made, % detached or dropped', tbl, _snowid.counted(done.made, 'partition'),
                        done.gone;
                END IF;
                EXIT WHEN NOT done.has_more;
            END LOOP;
            EXIT WHEN done.is_done;
        END LOOP;
    END LOOP;
    COMMIT;
    PERFORM _snowid.partition_verdict(run.tables);
END $$;
CREATE PROCEDURE @extschema@.snowid_maintain(parent regclass DEFAULT NULL, lock_timeout interval DEFAULT '2 seconds')
    LANGUAGE C
    AS 'MODULE_PATHNAME', 'snowid_as_caller';
COMMENT ON PROCEDURE @extschema@.snowid_maintain(regclass, interval) IS
    'makes and expires partitions of each table that was given to snowid_partition, as its owner, and commits after '
    'each; what it did is in snowid_maintenance';

-- Lets a restore add rows about the tables of its role, and skips those that are there.
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
        is_there := EXISTS (SELECT FROM _snowid.partitioned AS r WHERE r.parent = NEW.parent);
    ELSE
        is_there := EXISTS (SELECT FROM _snowid.partition_times AS r
            WHERE r.parent = NEW.parent AND r.partition = NEW.partition);
    END IF;
    RETURN CASE WHEN is_there THEN NULL ELSE NEW END;
END $$;
CREATE TRIGGER snowid_partition_added BEFORE INSERT ON _snowid.partitioned
    FOR EACH ROW EXECUTE FUNCTION _snowid.partition_added('parent');
ALTER TABLE _snowid.partitioned ENABLE ALWAYS TRIGGER snowid_partition_added;
CREATE TRIGGER snowid_partition_added BEFORE INSERT ON _snowid.partition_times
    FOR EACH ROW EXECUTE FUNCTION _snowid.partition_added('partition');
ALTER TABLE _snowid.partition_times ENABLE ALWAYS TRIGGER snowid_partition_added;
