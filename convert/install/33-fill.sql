
-- conversion online: the fill -------------------------------------------------------------

-- The pairs of columns of a table that is being converted, which a fill has to see to, and what it sets them to. Where
-- the trigger would look that up for each row, through a foreign key, the statement does; what it does not find, the
-- trigger looks up again, and says why. PL/pgSQL keeps the plan, since planning costs more than all else.
CREATE FUNCTION _snowid_convert.pairs(tbl regclass, OUT touched text, OUT unfilled text, OUT key name,
    OUT key_twin name, OUT made text, OUT worker integer, OUT layout text)
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
    WITH pairs AS (
        SELECT one.attname AS name, twin, r.*, (
                SELECT min(format('(SELECT other.%I FROM %s AS other WHERE other.%I OPERATOR(pg_catalog.=) own.%I)',
                        t.attname, confrelid::regclass, k.attname, one.attname))
                    FROM pg_constraint JOIN pg_attribute AS k ON k.attrelid = confrelid AND k.attnum = confkey[1]
                        JOIN pg_attribute AS t ON t.attrelid = confrelid AND NOT t.attisdropped
                            AND t.attname = _snowid_convert.twin(k.attname)
                    WHERE contype = 'f' AND conrelid = tbl AND conparentid = 0 AND conkey = ARRAY[one.attnum]
                        AND t.atttypid = two.atttypid AND prosecdef
                        AND pg_get_userbyid((SELECT relowner FROM pg_class WHERE oid = confrelid)) = current_user
                        AND has_table_privilege(confrelid, 'SELECT') AND NOT row_security_active(confrelid)) AS value
            FROM pg_attribute AS one, _snowid_convert.twin(attname) AS twin
                JOIN pg_attribute AS two ON attrelid = tbl AND attname = twin AND NOT attisdropped
                JOIN pg_trigger ON tgrelid = tbl AND tgname = '~snowid_convert' AND tgenabled = 'A'
                JOIN pg_proc AS f ON f.oid = tgfoid
                LEFT JOIN _snowid_convert.rule(tbl, twin) AS r ON true
            WHERE one.attrelid = tbl AND NOT one.attisdropped)
    SELECT string_agg(format('%I = %s', twin, coalesce(value, quote_ident(twin))), ', ') FILTER (WHERE made IS NULL),
            string_agg(format('%I IS NULL AND %I IS NOT NULL', twin, name), ' OR ') FILTER (WHERE made IS NULL),
            min(name) FILTER (WHERE made IS NOT NULL), min(twin) FILTER (WHERE made IS NOT NULL),
            min(made), min(worker), min(layout)
        INTO touched, unfilled, key, key_twin, made, worker, layout
        FROM pairs;
END $$;

-- One batch: the rows of some pages that have no second columns yet. Their trigger writes these, or takes what was
-- found. Rows that others have locked are left for the next time, so that it never waits and cannot be part of a
-- deadlock. The table's own triggers are not fired if its owner may turn them off. If the caller's right counted, the
-- owner's code would run where no foreign key is checked.
CREATE FUNCTION _snowid_convert.rows_as_owner(tbl regclass, first bigint, pages bigint, batch integer, path text,
    OUT filled bigint, OUT remaining bigint)
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET row_security = off
    SET jit = off AS $$
#variable_conflict use_column
DECLARE
    p record;
    n record;
    range text := format('ctid OPERATOR(pg_catalog.>=) %L::pg_catalog.tid AND ctid OPERATOR(pg_catalog.<) '
        '%L::pg_catalog.tid', format('(%s,0)', first), format('(%s,0)', first + pages));
    found bigint := 0;
BEGIN
    PERFORM _snowid.require_owner(tbl);
    IF has_parameter_privilege('session_replication_role', 'SET') THEN
        PERFORM set_config('session_replication_role', 'replica', true);
    END IF;
    SELECT * INTO p FROM _snowid_convert.pairs(tbl);
    IF p.touched IS NULL AND p.key IS NULL THEN
        RAISE EXCEPTION '% has no columns to fill', tbl USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Begin with the statements of snowid_convert_plan(..., online => true).';
    END IF;
    IF p.key IS NOT NULL THEN
        -- two sessions would give the same ids
        IF NOT pg_try_advisory_xact_lock(hashtextextended('snowid_convert_fill', tbl::oid::bigint)) THEN
            RAISE EXCEPTION 'another session is filling %', tbl USING ERRCODE = 'object_in_use',
                HINT = 'Wait until it has ended, and ask for the plan again.';
        END IF;
        SELECT * INTO n
            FROM _snowid_convert.numbered(tbl, range, batch, p.key, p.key_twin, p.made, p.worker, p.layout);
        SELECT w.filled, w.free INTO filled, found
            FROM _snowid_convert.written(tbl, n.places, n.new_ids, format('UPDATE ONLY %s AS own SET %I = numbered.id
                FROM (SELECT pg_catalog.unnest($1) AS at, pg_catalog.unnest($2) AS id) AS numbered
                WHERE own.ctid OPERATOR(pg_catalog.=) numbered.at AND %s', tbl, p.key_twin, range), path) AS w;
    END IF;
    IF found = 0 AND p.touched IS NOT NULL THEN
        EXECUTE format('SELECT array_agg(ctid) AS places FROM (
            SELECT ctid FROM ONLY %s WHERE %s AND (%s) LIMIT %s FOR NO KEY UPDATE SKIP LOCKED) AS free',
            tbl, range, p.unfilled, batch) INTO n;
        SELECT w.filled, w.free INTO filled, found
            FROM _snowid_convert.written(tbl, n.places, NULL, format('UPDATE ONLY %s AS own SET %s
                WHERE ctid OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT pg_catalog.unnest($1)))', tbl, p.touched), path)
                AS w;
    END IF;
    IF filled = 0 AND found > 0 THEN
        RAISE EXCEPTION '% rows of % cannot be filled', found, tbl USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = 'A BEFORE UPDATE trigger of the table keeps them as they are.',
            HINT = 'Disable that trigger until the table is filled.';
    END IF;
    EXECUTE format('SELECT count(*) FROM ONLY %s WHERE %s AND (%s)', tbl, range,
        concat_ws(' OR ', p.unfilled, quote_ident(p.key_twin) || ' IS NULL')) INTO remaining;
END $$;
-- Fills the second columns of some pages of a table.
CREATE FUNCTION _snowid_convert.rows(tbl regclass, first bigint, pages bigint, batch integer, path text,
    OUT filled bigint, OUT remaining bigint)
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'snowid_as_owner';

-- A batch is to take about a quarter of a second, so that nobody waits longer for one of its rows. It reads as many
-- pages as have about so many rows.
CREATE FUNCTION _snowid_convert.adapted(took interval, filled bigint, batch integer, highest integer,
    INOUT pages bigint, OUT next_batch integer)
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN filled >= batch THEN greatest(pages / 2, 1)
            WHEN filled < batch / 2 THEN least(pages * 2, 4096) ELSE pages END,
        CASE WHEN took > interval '0.5 s' THEN greatest(batch / 2, least(highest, 100))
            WHEN took < interval '0.125 s' AND filled > batch / 2 THEN least(batch::bigint * 2, highest)::integer
            ELSE batch END;
END;

-- Every ten seconds; returns when it last told.
CREATE FUNCTION _snowid_convert.told(tbl regclass, first bigint, last bigint, done bigint, begun timestamptz,
    told timestamptz) RETURNS timestamptz
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF clock_timestamp() > told + interval '10 s' THEN
        told := clock_timestamp();
        RAISE NOTICE '%: % percent, % rows filled, % a second, about % left', tbl, 100 * first / last, done,
            round(done / extract(epoch FROM told - begun)),
            date_trunc('second', (told - begun) * (last - first) / greatest(first, 1));
    END IF;
    RETURN told;
END $$;

-- How far standbys are is for those to know who may see the statistics. Others wait too, and learn this alone.
CREATE FUNCTION _snowid_convert.is_far_behind() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT EXISTS (SELECT FROM pg_stat_replication WHERE replay_lag > interval '10 s');
END;

-- Whether a fill waits for a standby.
CREATE FUNCTION _snowid_convert.must_wait(max_lag interval) RETURNS boolean
    LANGUAGE sql STABLE STRICT PARALLEL RESTRICTED
BEGIN ATOMIC
    SELECT CASE WHEN pg_has_role('pg_read_all_stats', 'USAGE')
        THEN EXISTS (SELECT FROM pg_stat_replication WHERE replay_lag > max_lag)
        ELSE _snowid_convert.is_far_behind() END;
END;

-- What snowid_convert_fill does. A procedure that commits cannot have a search_path of its own, so each name has its
-- schema here.
CREATE PROCEDURE _snowid_convert.convert_fill_as_caller(tbl regclass, batch integer, pause interval, max_lag interval)
    LANGUAGE plpgsql AS $$
DECLARE
    last bigint;
    first bigint;
    pages bigint := 1;
    rows integer := batch;
    filled bigint;
    remaining bigint;
    left_over bigint;
    done bigint := 0;
    begun pg_catalog.timestamptz := pg_catalog.clock_timestamp();
    told pg_catalog.timestamptz := begun;
    started pg_catalog.timestamptz;
    path pg_catalog.text := pg_catalog.current_setting('search_path'::pg_catalog.text);
BEGIN
    IF tbl IS NULL THEN
        RAISE EXCEPTION 'the table to convert must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF batch IS NULL OR batch OPERATOR(pg_catalog.<) 1
        OR pause IS NULL OR pause OPERATOR(pg_catalog.<) '0'::pg_catalog.interval THEN
        RAISE EXCEPTION 'batch must be at least 1, and pause not negative' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    LOOP
        last := pg_catalog.pg_relation_size(tbl)
            OPERATOR(pg_catalog./) pg_catalog.current_setting('block_size')::pg_catalog.int8;
        first := 0::bigint;
        left_over := 0::bigint;
        WHILE first OPERATOR(pg_catalog.<) last LOOP
            started := pg_catalog.clock_timestamp();
            SELECT * INTO filled, remaining FROM _snowid_convert.rows(tbl, first, pages, rows, path);
            COMMIT;
            done := done OPERATOR(pg_catalog.+) filled;
            IF filled OPERATOR(pg_catalog.<) rows::bigint THEN
                first := first OPERATOR(pg_catalog.+) pages;
                left_over := left_over OPERATOR(pg_catalog.+) remaining;
            END IF;
            SELECT * INTO pages, rows FROM _snowid_convert.adapted(
                pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) started, filled, rows, batch, pages);
            told := _snowid_convert.told(tbl, first, last, done, begun, told);
            PERFORM _snowid_convert.progressed(tbl, done, first, last, begun);
            WHILE _snowid_convert.must_wait(max_lag) LOOP
                PERFORM pg_catalog.pg_sleep(0.1::pg_catalog.float8);
                COMMIT;
            END LOOP;
            PERFORM pg_catalog.pg_sleep(EXTRACT(epoch FROM pause)::pg_catalog.float8);
        END LOOP;
        -- an update may have moved a row behind the page that was read, so all pages are asked at once
        IF left_over OPERATOR(pg_catalog.=) 0::bigint THEN
            SELECT * INTO filled, left_over FROM _snowid_convert.rows(tbl, 0::bigint, 4294967295::bigint, rows, path);
            COMMIT;
            done := done OPERATOR(pg_catalog.+) filled;
        END IF;
        EXIT WHEN left_over OPERATOR(pg_catalog.=) 0::bigint;
        PERFORM pg_catalog.pg_sleep(0.1::pg_catalog.float8);
    END LOOP;
    PERFORM _snowid_convert.progressed(tbl, done, 0::bigint, 0::bigint, begun);
END $$;
CREATE PROCEDURE @extschema@.snowid_convert_fill(tbl regclass, batch integer DEFAULT 5000, pause interval DEFAULT '0',
    max_lag interval DEFAULT '10 s')
    LANGUAGE C
    AS 'MODULE_PATHNAME', 'snowid_as_caller';
COMMENT ON PROCEDURE @extschema@.snowid_convert_fill(regclass, integer, interval, interval) IS
    'fills the second columns of an online conversion in batches that it commits; goes on where it was stopped';
