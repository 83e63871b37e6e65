
-- conversion of UUIDs -----------------------------------------------------------
-- The ids of old rows are computed from their times, under a worker that no server has. New rows get new ones.
-- The columns that reference the key are filled after it, by lookup. The UUIDs stay in a column of their own.

-- The column that says when the rows were made, if exactly one column may be it.
CREATE FUNCTION _snowid_convert.time_column(tbl regclass, col name) RETURNS name
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH columns AS (
            SELECT attname, atttypid = 'uuid'::regtype AS is_uuid, pg_get_expr(adbin, adrelid) AS value
                FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
                WHERE attrelid = tbl AND attnum > 0 AND NOT attisdropped
                    AND atttypid IN ('timestamptz'::regtype, 'timestamp'::regtype, 'uuid'::regtype)),
        guessed AS (
            SELECT attname, CASE
                    WHEN NOT is_uuid AND attname ~* ('^(created|inserted|added)(_?(at|on|time|date))?$|'
                        '^(date|time)_?(created|inserted|added)$|^(create|creation|insert)_?(date|time)$') THEN 1
                    WHEN NOT is_uuid AND attname !~* 'updat|modif|chang' AND value ~* ('\m(now|current_timestamp|'
                        'localtimestamp|(clock|statement|transaction)_timestamp)\M') THEN 2
                    WHEN attname = col AND value ~* 'uuid(_generate_)?_?v7' THEN 3 END AS rank
                FROM columns)
    SELECT min(attname::text)::name FROM guessed
        WHERE rank = (SELECT min(rank) FROM guessed) HAVING count(*) = 1;
END;

-- The expression for the times of rows.
CREATE FUNCTION _snowid_convert.made(tbl regclass, time_col name, zone text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE atttypid WHEN 'timestamptz'::regtype THEN format('%I', attname)
            WHEN 'timestamp'::regtype THEN format('pg_catalog.timezone(%L, %I)', zone, attname)
            WHEN 'uuid'::regtype THEN format('%s.uuidv7_time(%I)', _snowid.public_schema(), attname) END
        FROM pg_attribute WHERE attrelid = tbl AND attname = time_col AND NOT attisdropped;
END;

-- How the old rows of a table get their ids, from the comment of the second column. It is data of the table's owner, so
-- only names and numbers are taken from it.
CREATE FUNCTION _snowid_convert.rule(tbl regclass, twin name, OUT made text, OUT worker integer, OUT layout text)
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
    SELECT _snowid_convert.made(tbl, (parse_ident(found[1]))[1]::name, found[2]), found[3]::integer, found[4]
        INTO made, worker, layout
        FROM pg_attribute, regexp_match(col_description(tbl, attnum),
            '^snowid: old rows get ids of the time in ("(?:[^"]|"")+"|[^" ]+)(?:, read in time zone (\S+),)? '
            'and of worker (\d{1,9})(?: in layout (\S+))?$') AS found
        WHERE attrelid = tbl AND attname = twin AND NOT attisdropped AND found IS NOT NULL;
END $$;

-- The highest numbers that a layout holds. The last id before now has them.
CREATE FUNCTION _snowid_convert.highest(layout text, OUT worker integer, OUT sequence integer)
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT _snowid.snowflake_worker(id, layout), _snowid.snowflake_sequence(id, layout)
        FROM (SELECT _snowid.snowflake_lower_bound(now(), layout) - 1) AS last (id);
END;

-- The highest number of a worker that this server does not have.
CREATE FUNCTION _snowid_convert.worker(layout text) RETURNS integer
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT max(w) FROM _snowid_convert.highest(layout) AS h,
            generate_series(greatest(1, h.worker - 100), h.worker) AS w
        WHERE w::text <> current_setting('snowid.worker_id')
            AND w NOT IN (SELECT g.worker FROM _snowid.generator AS g
                WHERE scheme = 'snowflake' AND g.worker IS NOT NULL);
END;

-- The statement that checks the times of a table, and the rule for the ids of its rows, as it is told and as the
-- comment of the second column keeps it. NULL without a column of times.
CREATE FUNCTION _snowid_convert.times(tbl regclass, time_col name, layout text, OUT checked text, OUT rule text,
    OUT rule_kept text)
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH known AS (
            SELECT _snowid_convert.worker(layout) AS worker,
                (SELECT current_setting('TimeZone') FROM pg_attribute
                    WHERE attrelid = tbl AND attname = time_col AND atttypid = 'timestamp'::regtype) AS zone
                WHERE time_col IS NOT NULL),
        told AS (
            SELECT *, format('old rows get ids of the time in %I%s and of worker %s', time_col,
                    ', read in time zone ' || zone || ',', worker) AS rule
                FROM known)
    SELECT format('SELECT _snowid_convert.check_times(%L::regclass, %L::name, %L::text, %s, %L::text)', tbl, time_col,
            zone, worker, layout), rule, 'snowid: ' || rule || coalesce(' in layout ' || layout, '')
        FROM told;
END;

-- Raises an error where more rows have a time than a tick has ids.
CREATE FUNCTION _snowid_convert.check_crowd(tbl regclass, time_col name, made text, worker integer, layout text)
    RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET row_security = off AS $$
#variable_conflict use_column
DECLARE
    capacity bigint;
    t record;
BEGIN
    PERFORM _snowid.require_owner(tbl);
    SELECT sequence + 1 INTO capacity FROM _snowid_convert.highest(layout);
    EXECUTE format('SELECT min(%1$s) AS made, count(*) AS n FROM ONLY %2$s
        GROUP BY _snowid.snowflake_encode(%1$s, $1, 0, $2) HAVING count(*) > $3 ORDER BY n DESC LIMIT 1', made, tbl)
        INTO t USING worker, layout, capacity;
    IF t.n IS NOT NULL THEN
        RAISE EXCEPTION 'too many rows of % have the same time', tbl USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('It is %s in %s rows, and a tick of the layout has %s ids.', t.made, t.n, capacity),
            HINT = format('Set %I a little later in some of these rows, as the page on moving from UUIDs shows.',
                time_col);
    END IF;
END $$;

CREATE FUNCTION _snowid_convert.check_times_as_owner(tbl regclass, time_col name, zone text, worker integer,
    layout text) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET row_security = off AS $$
#variable_conflict use_column
DECLARE
    made text;
    t record;
    range text;
BEGIN
    PERFORM _snowid.require_owner(tbl);
    made := _snowid_convert.made(tbl, time_col, zone);
    EXECUTE format('SELECT min(%1$s) AS first, max(%1$s) AS last, count(*) FILTER (WHERE %1$s IS NULL) AS missing,
        count(*) FILTER (WHERE %1$s > now() + interval ''10 min'') AS future FROM ONLY %2$s', made, tbl) INTO t;
    IF t.missing > 0 THEN
        RAISE EXCEPTION 'some rows of % have no time', tbl USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('%I does not tell when %s of them were made.', time_col, t.missing),
            HINT = 'Give them times, or name another column with time_col.';
    END IF;
    IF t.future > 0 THEN
        RAISE EXCEPTION 'some rows of % have times in the future', tbl
            USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('%I is later than now in %s of them%s.', time_col, t.future,
                ', read in time zone ' || zone),
            HINT = 'Set TimeZone to the zone of these times, or name another column with time_col.';
    END IF;
    BEGIN
        PERFORM _snowid.snowflake_encode(t.first, worker, 0, layout),
            _snowid.snowflake_encode(t.last, worker, 0, layout);
    EXCEPTION WHEN datetime_field_overflow THEN
        GET STACKED DIAGNOSTICS range = PG_EXCEPTION_DETAIL;
        RAISE EXCEPTION 'some rows of % have times that no id can have', tbl
            USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('%I is from %s to %s. %s', time_col, t.first, t.last, range),
            HINT = 'Give the database a layout with an earlier epoch, or name another column with time_col.';
    END;
    PERFORM _snowid_convert.check_crowd(tbl, time_col, made, worker, layout);
END $$;
-- Raises an error unless each row of a table has a time that an id can have.
CREATE FUNCTION _snowid_convert.check_times(tbl regclass, time_col name, zone text, worker integer, layout text)
    RETURNS void
    LANGUAGE C STABLE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'snowid_as_owner';

-- What must be out of the way before UUIDs become other ids, or back.
CREATE FUNCTION _snowid_convert.uuid_obstacles(scope _snowid_convert.scope, layout text, time_col name, OUT note text)
    RETURNS SETOF text
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    WITH twins AS MATERIALIZED (
        SELECT t.*, attname, attnotnull, attnum, relowner
            FROM _snowid_convert.twins(scope) AS t JOIN pg_class AS c ON c.oid = rel
                JOIN pg_attribute ON attrelid = rel AND attnum = CASE WHEN is_kept THEN twin_num ELSE num END)
    SELECT format('%s.%I must be NOT NULL and have a unique index of its own, by which rows are found',
            scope.tbl, attname)
        FROM twins
        WHERE (is_key OR is_kept) AND (NOT attnotnull OR NOT EXISTS (
            SELECT FROM pg_index WHERE indrelid = scope.tbl AND indisunique AND indimmediate AND indisvalid
                AND indpred IS NULL AND indnkeyatts = 1 AND indkey[0] = attnum))
    UNION ALL
    SELECT format('%s.%I has a default, which has no new id yet: drop it, and set it again afterwards', rel, name)
        FROM twins JOIN pg_attrdef ON adrelid = rel AND adnum = num WHERE NOT is_key AND NOT is_kept
    UNION ALL
    SELECT format('a trigger of %s looks up ids in %s, whose owner could then run code as %s: give both tables to one '
            'role', rel, scope.tbl, t.relowner::regrole)
        FROM twins AS t JOIN pg_class AS c ON c.oid = scope.tbl WHERE t.relowner <> c.relowner
    UNION ALL
    SELECT format('%s.%I stands beside %I, so other rows of it refer to other tables, whose ids stay as they are: '
            'leave it out of also, and give the rows that refer to %s a column of their own', tbl, col, type_column,
            scope.tbl)
        FROM unnest(scope.tbls[2:], scope.cols[2:]) AS t (tbl, col),
            _snowid_convert.type_column(tbl, col) AS type_column
        WHERE type_column IS NOT NULL
    UNION ALL
    SELECT format('foreign key %I of %s is NOT VALID: validate it', name, rel)
        FROM _snowid_convert.keys(scope) WHERE NOT had_valid
    UNION ALL
    SELECT format('%s.%I refers to %s too, whose ids stay as they are: drop that foreign key', rel, name,
            confrelid::regclass)
        FROM twins JOIN pg_constraint ON contype = 'f' AND conrelid = rel, generate_subscripts(conkey, 1) AS i
        WHERE conkey[i] = num AND (confrelid, confkey[i]) NOT IN (SELECT t.rel, t.num FROM twins AS t)
    UNION ALL
    SELECT format('statistics %s.%I compute something from the column: drop them', stxnamespace::regnamespace, stxname)
        FROM twins, _snowid_convert.dependents('pg_statistic_ext', rel, num) AS id
            JOIN pg_statistic_ext AS e ON e.oid = id
        WHERE stxrelid = rel AND stxexprs IS NOT NULL
    UNION ALL
    SELECT format('nothing tells when the rows of %s were made: name a column with time_col, or add one of type '
            'timestamptz and fill it, for example from the table that it refers to', scope.tbl)
        FROM twins WHERE is_key AND twin_num IS NULL AND time_col IS NULL
    UNION ALL
    SELECT 'the layout has no number of a worker that is free for the ids of old rows'
        FROM twins WHERE is_key AND twin_num IS NULL AND _snowid_convert.worker(layout) IS NULL;
END;

-- The ids for some rows, in the order of their times. A tick may already have ids from another batch; where none lies
-- among these times, no tick is asked. More than a tick holds are an error. Because of the unique index, an update of
-- the column counts as one of a key and would wait for the locks of foreign keys, so rows with such locks are left too.
CREATE FUNCTION _snowid_convert.numbered(tbl regclass, range text, batch integer, key name, twin name, made text,
    worker integer, layout text, OUT places tid[], OUT new_ids bigint[])
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM _snowid.require_owner(tbl);
    EXECUTE format($query$
        WITH free AS MATERIALIZED (
                SELECT ctid AS at, coalesce(%1$s, now()) AS made, %2$I AS old,
                        _snowid.snowflake_encode(coalesce(%1$s, now()), $2, 0, $1) AS first
                    FROM ONLY %3$s WHERE %4$s AND %5$I IS NULL LIMIT %6$s FOR UPDATE SKIP LOCKED),
            ends AS (SELECT min(first) AS low, max(first) + $3 * $4 AS high FROM free),
            numbered AS (
                SELECT at, first, made, row_number() OVER (PARTITION BY first ORDER BY made, old)
                        + CASE WHEN EXISTS (SELECT FROM ONLY %3$s WHERE %5$I BETWEEN (SELECT low FROM ends)
                            AND (SELECT high FROM ends) AND _snowid.snowflake_worker(%5$I, $1) = $2)
                        THEN coalesce((SELECT _snowid.snowflake_sequence(%5$I, $1) FROM ONLY %3$s AS own
                            WHERE %5$I BETWEEN free.first AND free.first + $3 * $4
                                AND _snowid.snowflake_worker(%5$I, $1) = $2 ORDER BY %5$I DESC LIMIT 1), -1)
                        ELSE -1 END AS number
                    FROM free)
        SELECT array_agg(at), array_agg(CASE WHEN number <= $3 THEN first + number * $4
            ELSE _snowid.snowflake_encode(made, $2, number::integer, $1) END) FROM numbered$query$,
        made, key, tbl, range, twin, batch)
        INTO places, new_ids USING layout, worker, (SELECT sequence FROM _snowid_convert.highest(layout)),
            _snowid.snowflake_encode(now(), worker, 1, layout) - _snowid.snowflake_encode(now(), worker, 0, layout);
END $$;

-- Runs the UPDATE of rows that are locked. That they are still there is asked only if none was filled. The table's own
-- triggers find what the caller's search_path names.
CREATE FUNCTION _snowid_convert.written(tbl regclass, places tid[], new_ids bigint[], statement text, path text,
    OUT filled bigint, OUT free bigint)
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM _snowid.require_owner(tbl);
    PERFORM set_config('search_path', path, true);
    EXECUTE statement USING places, new_ids;
    GET DIAGNOSTICS filled = ROW_COUNT;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    free := filled;
    IF filled = 0 THEN
        EXECUTE format('SELECT count(*) FROM ONLY %s WHERE ctid = ANY (ARRAY(SELECT unnest($1)))', tbl)
            INTO free USING places;
    END IF;
END $$;

-- The statements of PL/pgSQL that give a row its second key. Old rows have theirs from a fill, or the number that they
-- have.
CREATE FUNCTION _snowid_convert.key_written(name name, twin name, next_id text, numbers_stay boolean) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('IF TG_OP OPERATOR(pg_catalog.=) ''INSERT'' THEN NEW.%1$I := %2$s; '
        'ELSIF OLD.%1$I IS NOT NULL THEN NEW.%1$I := OLD.%1$I; %3$sEND IF; ', twin, next_id,
        CASE WHEN numbers_stay THEN format('ELSE NEW.%I := NEW.%I; ', twin, name) END);
END;

-- The statements of PL/pgSQL that look up the second column of a row. What a fill has found they accept, in a row that
-- had nothing there. A row that is filled never has that again.
CREATE FUNCTION _snowid_convert.looked_up(tbl regclass, key name, key_twin name, rel regclass, name name, twin name)
    RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT concat(format('IF OLD.%2$I IS NULL AND NEW.%2$I IS NOT NULL AND OLD.%1$I OPERATOR(pg_catalog.=) NEW.%1$I '
            'THEN NULL; ELSIF NEW.%1$I IS NULL THEN NEW.%2$I := NULL; ', name, twin),
        CASE WHEN rel = tbl THEN format('ELSIF NEW.%I OPERATOR(pg_catalog.=) NEW.%I THEN NEW.%I := NEW.%I; ',
            name, key, twin, key_twin) END,
        format('ELSE SELECT other.%1$I INTO NEW.%2$I FROM %3$s AS other WHERE other.%4$I OPERATOR(pg_catalog.=) '
            'NEW.%5$I; ', key_twin, twin, tbl, key, name),
        -- the row is gone, and its foreign keys come one by one to the columns that refer to it
        format('IF NEW.%2$I IS NULL AND OLD.%1$I OPERATOR(pg_catalog.=) NEW.%1$I THEN NEW.%2$I := OLD.%2$I; END IF; ',
            name, twin),
        format('IF NEW.%1$I IS NULL THEN RAISE ''no row of %2$s has this %3$s yet'' USING '
            'ERRCODE = CASE WHEN FOUND THEN ''serialization_failure'' ELSE ''foreign_key_violation'' END, '
            'TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA, COLUMN = %4$L, '
            'DETAIL = pg_catalog.concat(''The new row has '', NEW.%5$I, ''.''), '
            'HINT = ''While the ids are converted, a row must come after the one that it refers to.''; '
            'END IF; END IF; ',
            twin, replace(replace(tbl::text, '%', '%%'), '''', ''''''), replace(replace(key, '%', '%%'), '''', ''''''),
            name, name));
END;

-- Whether the rows of a table refer to the same rows by both columns.
CREATE FUNCTION _snowid_convert.check_twin_as_owner(rel regclass, tbl regclass, name name, twin name, key name,
    key_twin name) RETURNS void
    LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET row_security = off AS $$
#variable_conflict use_column
DECLARE
    wrong bigint;
BEGIN
    PERFORM _snowid.require_owner(rel);
    EXECUTE format('SELECT count(*) FROM ONLY %s AS one LEFT JOIN ONLY %s AS other ON other.%I = one.%I
        WHERE one.%4$I IS NOT NULL AND one.%I IS DISTINCT FROM other.%I', rel, tbl, key, name, twin, key_twin)
        INTO wrong;
    IF wrong > 0 THEN
        RAISE EXCEPTION 'some rows of % refer to another row by %', rel, quote_ident(twin)
            USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('Number of these rows: %s. Something other than the trigger has written %I, or %I of %s.',
                wrong, twin, key_twin, tbl),
            HINT = format('Set %I to itself in these rows, and the trigger writes it again.', name);
    END IF;
END $$;
-- Raises an error unless the rows of a table refer to the same rows by both columns.
CREATE FUNCTION _snowid_convert.check_twin(rel regclass, tbl regclass, name name, twin name, key name, key_twin name)
    RETURNS void
    LANGUAGE C STABLE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'snowid_as_owner';

-- Raises an error unless each row refers to the same row by both columns.
CREATE FUNCTION _snowid_convert.check_twins(tbls regclass[], cols name[]) RETURNS void
    LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    scope _snowid_convert.scope := _snowid_convert.scope(tbls, cols);
BEGIN
    PERFORM _snowid_convert.check_twin(t.rel, k.rel, t.name, t.twin, k.name, k.twin)
        FROM _snowid_convert.twins(scope) AS t
            JOIN _snowid_convert.twins(scope) AS k ON k.rel = scope.tbl AND k.name = scope.col
        WHERE NOT t.is_key AND NOT t.is_kept;
END $$;

-- The unique index that the UUIDs keep when their column leaves the primary key.
CREATE FUNCTION _snowid_convert.kept_index(tbl regclass, num smallint) RETURNS regclass
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT indexrelid::regclass
        FROM pg_index JOIN pg_class AS i ON i.oid = indexrelid JOIN pg_class AS t ON t.oid = tbl
        WHERE indrelid = tbl AND indisunique AND indisvalid AND indnatts = 1 AND indkey[0] = num
            AND i.relname = _snowid_convert.twin('uuid_' || t.relname);
END;

-- The statements that make it; and, where the UUIDs become the key again, those that drop it, because foreign keys
-- would hold it.
CREATE FUNCTION _snowid_convert.uuid_indexed(scope _snowid_convert.scope, OUT statement text, OUT note text)
    RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL UNSAFE ROWS 2
BEGIN ATOMIC
    WITH key AS MATERIALIZED (
            SELECT t.*, relnamespace, _snowid_convert.twin('uuid_' || relname) AS index,
                    _snowid_convert.kept_index(rel, num) IS NOT NULL AS has_index
                FROM _snowid_convert.twins(scope) AS t JOIN pg_class ON oid = rel WHERE is_key OR is_kept),
        parts AS (
            SELECT 'incomplete' AS step,
                    format('DROP INDEX CONCURRENTLY %s.%I', relnamespace::regnamespace, index) AS statement,
                    'it was not completed' AS note
                FROM key
                WHERE is_key AND NOT has_index AND EXISTS (
                    SELECT FROM pg_class AS i WHERE i.relname = index AND i.relnamespace = key.relnamespace)
            UNION ALL
            SELECT 'made', format('CREATE UNIQUE INDEX CONCURRENTLY %I ON %s (%I)', index, rel, name),
                    'the old ids stay in a column of their own'
                FROM key WHERE is_key AND NOT has_index
            UNION ALL
            SELECT 'replaced', format('DROP INDEX CONCURRENTLY %s', indexrelid::regclass),
                    'the second index over the old ids takes its place'
                FROM key JOIN pg_index ON indrelid = rel AND indisunique AND indnatts = 1 AND indkey[0] = twin_num
                    AND indpred IS NULL
                WHERE is_kept AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
                    AND indexrelid::regclass::text NOT IN (SELECT i.twin FROM _snowid_convert.indexes(scope) AS i))
    SELECT statement, note
        FROM parts JOIN unnest('{incomplete,made,replaced}'::text[]) WITH ORDINALITY AS s (step, place) USING (step)
        ORDER BY place, statement;
END;

-- This name if it is free, or else this name with a number.
CREATE FUNCTION _snowid_convert.free_name(name text, taken name[]) RETURNS name
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT free FROM generate_series(1, cardinality(taken) + 1) AS n,
            LATERAL (SELECT (left(name, 50) || coalesce('_' || nullif(n, 1), ''))::name AS free) AS f
        WHERE free <> ALL (taken) ORDER BY n LIMIT 1;
END;

-- The name for a column of ids that are no longer the key.
CREATE FUNCTION _snowid_convert.new_name(tbl regclass, col name) RETURNS name
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT _snowid_convert.free_name(CASE atttypid WHEN 'uuid'::regtype THEN 'uuid' ELSE 'old_' || col END,
            ARRAY(SELECT attname FROM pg_attribute WHERE attrelid = tbl))
        FROM pg_attribute WHERE attrelid = tbl AND attname = col AND NOT attisdropped;
END;

-- What the swap does where UUIDs become other ids, or UUIDs again, and with what is taken along. The UUIDs are moved
-- out of the way.
CREATE FUNCTION _snowid_convert.swap_uuid(scope _snowid_convert.scope, OUT step text, OUT statement text)
    RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
    WITH keys AS MATERIALIZED (
            SELECT t.*, relname, relnamespace::regnamespace AS schema, atttypid, new_name,
                    col_description(rel, num) AS told, _snowid_convert.has_default(rel, name) AS has_default,
                    concat_ws('_', left(relname, 30), left(new_name, 10), '') AS stem
                FROM _snowid_convert.twins(scope) AS t JOIN pg_class AS c ON c.oid = rel
                    JOIN pg_attribute ON attrelid = rel AND attnum = num
                    CROSS JOIN _snowid_convert.new_name(rel, name)
                WHERE is_key OR is_kept),
        key AS MATERIALIZED (SELECT * FROM keys WHERE is_key)
    SELECT 'set aside', coalesce(format('ALTER TABLE %s DROP CONSTRAINT ', i.rel) || quote_ident(conname),
            format('DROP INDEX %s', index))
        FROM key JOIN _snowid_convert.indexes(scope) AS i ON i.rel = key.rel
            LEFT JOIN pg_constraint ON conindid = index AND contype IN ('p', 'u')
    UNION ALL
    SELECT 'set aside', format('DROP STATISTICS %s.%I', stxnamespace::regnamespace, stxname)
        FROM key JOIN pg_statistic_ext ON stxrelid = rel AND num = ANY (stxkeys)
    UNION ALL
    SELECT 'set aside', format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', rel, conname,
            _snowid_convert.free_name(stem || 'not_null', ARRAY(
                SELECT conname FROM pg_constraint WHERE conrelid = rel)))
        FROM key JOIN pg_constraint ON conrelid = rel AND contype = 'n' AND conkey = ARRAY[num]
    UNION ALL
    SELECT 'set aside', format('ALTER TABLE %s ALTER %I SET DEFAULT pg_catalog.gen_random_uuid()', rel, name)
        FROM key WHERE atttypid = 'uuid'::regtype AND NOT EXISTS (
            SELECT FROM pg_attrdef WHERE adrelid = rel AND adnum = num)
    UNION ALL
    SELECT 'set aside', format('ALTER TABLE %s RENAME %I TO %I', rel, name, new_name) FROM key
    UNION ALL
    SELECT 'set aside', format('ALTER INDEX %s.%I RENAME TO %I', schema, _snowid_convert.twin('uuid_' || relname),
            _snowid_convert.free_name(stem || 'key', ARRAY(
                SELECT c.relname FROM pg_class AS c WHERE c.relnamespace = key.schema)))
        FROM key
    UNION ALL  -- new rows have no number where nothing gives them one
    SELECT 'drop columns', format('ALTER TABLE %s ALTER %I DROP NOT NULL', rel, new_name)
        FROM key WHERE atttypid <> 'uuid'::regtype AND NOT has_default
    UNION ALL
    SELECT 'comment the key', format('COMMENT ON COLUMN %s.%I IS %L', rel, name, CASE WHEN is_key
            THEN concat_ws(E'\n', told, CASE WHEN NOT has_default THEN 'snowid: before, no default' END,
                _snowid_convert.kept_line(new_name, atttypid))
            ELSE _snowid_convert.without_kept(told) END)
        FROM keys
    UNION ALL  -- the way back of other ids needs the mark
    SELECT 'comment the key', format('COMMENT ON COLUMN %s.%I IS %L', rel, name, nullif(concat_ws(E'\n',
            _snowid_convert.unmarked(col_description(rel, num)),
            CASE WHEN keyed AND scope.kept IS NULL
                THEN _snowid_convert.taken_mark(scope.tbl, scope.col) END), ''))
        FROM _snowid_convert.taken_twins(scope);
END;
