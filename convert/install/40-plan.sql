
-- conversion: the plan -----------------------------------------------------------------------

CREATE FUNCTION _snowid_convert.check_table(tbl regclass, target text) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF tbl IS NULL THEN
        RAISE EXCEPTION 'the table to convert must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF target IS NULL OR target NOT IN ('snowflake', 'uuidv7', 'bigserial') THEN
        RAISE EXCEPTION 'a column cannot be converted to %', coalesce(quote_literal(target), 'NULL')
            USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Use snowflake or uuidv7, bigserial to go back or to widen an int, or builtin without a table to '
                'leave.';
    END IF;
    IF EXISTS (SELECT FROM pg_class WHERE oid = tbl AND (relkind NOT IN ('r', 'p')
        OR relnamespace IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)))
    THEN
        RAISE EXCEPTION '% is not a table that can be converted', tbl USING ERRCODE = 'wrong_object_type',
            DETAIL = 'It must be an ordinary or partitioned table, and none of PostgreSQL''s own.';
    END IF;
END $$;

-- The column that is meant, and the type below its domains.
CREATE FUNCTION _snowid_convert.key_column(tbl regclass, col name, target text, OUT name name, OUT base regtype)
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    name := coalesce(col, (SELECT attname FROM pg_constraint
        JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
        WHERE contype = 'p' AND conrelid = tbl AND cardinality(conkey) = 1));
    IF name IS NULL THEN
        RAISE EXCEPTION '% has no primary key of one column', tbl USING ERRCODE = 'undefined_column',
            HINT = 'Name the column to convert.';
    END IF;
    base := (SELECT _snowid_convert.base(atttypid) FROM pg_attribute
        WHERE attrelid = tbl AND attname = key_column.name AND attnum > 0 AND NOT attisdropped);
    IF base IS NULL THEN
        RAISE EXCEPTION 'column "%" of % does not exist', name, tbl USING ERRCODE = 'undefined_column';
    END IF;
    IF base::oid <> ALL (_snowid_convert.types(target))
        AND (target <> 'uuidv7' OR _snowid_convert.kept(tbl, name) IS NULL)
    THEN
        RAISE EXCEPTION '%.% cannot be converted to %', tbl, quote_ident(name), target
            USING ERRCODE = 'datatype_mismatch', DETAIL = format('It is of type %s.', base),
            HINT = CASE target WHEN 'uuidv7' THEN 'Only a uuid can, or a bigint that was a uuid and whose table still '
                'has a column with the UUIDs.' ELSE 'Only a smallint, integer, bigint or uuid can.' END;
    END IF;
END $$;

-- The column that is meant, and those that are taken along.
CREATE FUNCTION _snowid_convert.meant(tbl regclass, col name, target text, also text[])
    RETURNS _snowid_convert.scope
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    key record;
    taken record;
BEGIN
    IF tbl IS NULL THEN
        RAISE EXCEPTION 'no table is named' USING ERRCODE = 'null_value_not_allowed',
            HINT = 'Name a table, or convert all tables of a schema with schema => ''public''.';
    END IF;
    PERFORM _snowid_convert.check_table(tbl, target);
    key := _snowid_convert.key_column(tbl, col, target);
    PERFORM _snowid_convert.check_named(relnamespace, key.base, also) FROM pg_class WHERE oid = tbl;
    taken := _snowid_convert.taken(tbl, key.name, also);
    RETURN _snowid_convert.scope(taken.tbls, taken.cols);
END $$;

-- The layout of a generator's ids.
CREATE FUNCTION _snowid_convert.layout(target text, generator text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    layout text := (SELECT coalesce(g.layout, _snowid.recorded_layout()) FROM _snowid.generator AS g
        WHERE g.name = generator AND g.scheme = target AND NOT g.backfill);
BEGIN
    IF generator IS NOT NULL AND layout IS NULL THEN
        RAISE EXCEPTION 'there is no generator % that makes current ids of the scheme %', quote_ident(generator), target
            USING ERRCODE = 'undefined_object', HINT = CASE generator
                WHEN 'default' THEN 'The default generator is used without a name: leave out the argument.'
                ELSE 'The view snowid_generators shows those that there are.' END;
    END IF;
    RETURN layout;
END $$;

-- The column that is meant, the type below its domains, the default that it is to get, and the first id to come.
CREATE FUNCTION _snowid_convert.start(tbl regclass, col name, target text, generator text, OUT column_name name,
    OUT base regtype, OUT next_id text, OUT next text, OUT layout text)
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM _snowid_convert.check_table(tbl, target);
    SELECT c.name, c.base INTO column_name, base FROM _snowid_convert.key_column(tbl, col, target) AS c;
    IF target = 'bigserial' THEN
        next_id := '';
        RETURN;
    END IF;
    next_id := format('%s.%s_next(%s)', _snowid.public_schema(), target,
        coalesce(quote_literal(generator) || '::text', ''));
    layout := _snowid_convert.layout(target, generator);
    IF target = 'snowflake' THEN
        next := _snowid.snowflake_lower_bound(now(), layout)::text;
    END IF;
END $$;

-- The statement that asks for an online plan.
CREATE FUNCTION _snowid_convert.asked(scope _snowid_convert.scope, target text, schema regnamespace) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('SELECT * FROM %s.snowid_convert_plan(%s, target => %L, online => true%s)',
        _snowid_convert.public_schema(),
        CASE WHEN schema IS NULL THEN format('%L, col => %L', scope.tbl, scope.col)
            ELSE format('schema => %L', schema) END, target,
        coalesce(', also => ' || quote_literal((
                SELECT array_agg(format('%s.%I.%I', relnamespace::regnamespace, relname, col) ORDER BY n)
                    FROM unnest(scope.tbls, scope.cols) WITH ORDINALITY AS t (tbl, col, n) JOIN pg_class ON oid = tbl
                    WHERE (tbl, col) NOT IN (SELECT k.rel, k.name FROM _snowid_convert.own_ids(scope) AS k))::text), '')
            || CASE WHEN schema IS NULL THEN '' ELSE ', strict => false' END);
END;

-- What snowid_convert_candidates returns.
CREATE FUNCTION _snowid_convert.convert_candidates_as_caller(tbl regclass, col name,
    OUT rel regclass, OUT name name, OUT type text, OUT has_room boolean, OUT reasons text[]) RETURNS SETOF record
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    scope _snowid_convert.scope;
BEGIN
    PERFORM _snowid_convert.check_table(tbl, 'snowflake');
    scope := _snowid_convert.scope(ARRAY[tbl], ARRAY(
        SELECT k.name FROM _snowid_convert.key_column(tbl, col, 'snowflake') AS k));
    RETURN QUERY SELECT f.* FROM _snowid_convert.found_by_all(scope) AS f ORDER BY f.has_room, f.rel::text, f.name;
END $$;
CREATE FUNCTION @extschema@.snowid_convert_candidates(tbl regclass, col name DEFAULT NULL,
    OUT rel regclass, OUT name name, OUT type text, OUT has_room boolean, OUT reasons text[]) RETURNS SETOF record
    LANGUAGE C STABLE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'snowid_as_caller';
COMMENT ON FUNCTION @extschema@.snowid_convert_candidates(regclass, name) IS
    'the columns that look like references to a key without a foreign key, and whether they have room for new ids';

-- Whether the numbers of a key are to go on, beyond 32 bits. A conversion that has been begun is given up first, unless
-- it is to go on online.
CREATE FUNCTION _snowid_convert.widens(scope _snowid_convert.scope, target text, online boolean) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT target = 'bigserial' AND NOT scope.is_ours
        AND NOT scope.renumbers
        AND EXISTS (SELECT FROM _snowid_convert.columns(scope) WHERE base = ANY (_snowid_convert.small_types()))
        AND (online IS TRUE OR NOT EXISTS (SELECT FROM _snowid_convert.dropped(scope)));
END;

-- What changes: the default alone, the type, or where second columns are needed (online) all ids (uuid).
CREATE FUNCTION _snowid_convert.change(scope _snowid_convert.scope, target text, base regtype, online boolean,
    anew boolean) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF target <> 'bigserial' AND (base = 'uuid'::regtype) <> (target = 'uuidv7')
        OR target = 'snowflake' AND NOT scope.is_ours
            AND (anew OR online AND scope.renumbers)
        OR target = 'bigserial' AND scope.kept_type <> 'uuid'::regtype
    THEN
        IF online IS NOT TRUE THEN
            RAISE EXCEPTION '%.% is converted to % only online', scope.tbl, quote_ident(scope.col), target
                USING ERRCODE = 'feature_not_supported', DETAIL = 'All rows get new ids.',
                HINT = format('Run the statements of %s, with the other arguments of this call.',
                    _snowid_convert.asked(scope, target, NULL));
        END IF;
        RETURN 'uuid';
    ELSIF NOT _snowid_convert.widens(scope, target, online) AND (target <> 'snowflake' OR NOT EXISTS (
        SELECT FROM _snowid_convert.columns(scope) AS c WHERE c.base = ANY (_snowid_convert.small_types())))
    THEN
        RETURN 'default';
    END IF;
    RETURN CASE WHEN online THEN 'online' ELSE 'type' END;
END $$;

-- Raises an error unless a column has the times of rows.
CREATE FUNCTION _snowid_convert.check_time(tbl regclass, col name, time_col name, change text) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF time_col IS NOT NULL AND change <> 'uuid' AND _snowid_convert.kept(tbl, col) IS NULL THEN
        RAISE EXCEPTION 'time_col is only for old rows that get snowflakes' USING ERRCODE = 'invalid_parameter_value',
            DETAIL = format('The rows of %s keep their ids.', tbl), HINT = 'Leave it out.';
    END IF;
    IF time_col IS NOT NULL AND _snowid_convert.made(tbl, time_col, 'UTC') IS NULL THEN
        RAISE EXCEPTION 'column "%" of % has no times', time_col, tbl USING ERRCODE = 'datatype_mismatch',
            DETAIL = 'There must be such a column, of type timestamptz, timestamp or uuid.';
    END IF;
END $$;

-- What is dropped for a change of types must be there again when it ends, so then it is one row, unless all rows are
-- run together.
CREATE FUNCTION _snowid_convert.retyped(scope _snowid_convert.scope, together boolean, OUT statement text,
    OUT locks text, OUT rewrites boolean, OUT rows bigint, OUT note text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
    WITH tables AS (
            SELECT rel, format('ALTER TABLE %s %s', rel,
                    string_agg(format('ALTER %I TYPE bigint', name), ', ' ORDER BY num)) AS statement,
                    row_number() OVER (ORDER BY array_position(scope.tbls, rel), rel::text) AS place,
                    (SELECT sum(greatest(reltuples, 0)) FROM pg_class
                        WHERE oid = rel OR oid IN (SELECT relid FROM pg_partition_tree(rel))) AS rows
                FROM _snowid_convert.columns(scope)
                WHERE is_root AND base = ANY (_snowid_convert.small_types()) GROUP BY rel),
        rebuilt AS MATERIALIZED (
            SELECT string_agg(dropped, E';\n' ORDER BY what) AS dropped,
                    string_agg(created, E';\n' ORDER BY what) AS created
                FROM _snowid_convert.rebuilt(scope)),
        one AS (
            SELECT string_agg(statement, E';\n' ORDER BY place) AS statement,
                    string_agg(rel::text, ', ' ORDER BY place) AS tables, sum(rows) AS rows
                FROM tables),
        parts AS (
            SELECT place, statement, 'ACCESS EXCLUSIVE on ' || rel AS locks, true AS rewrites, rows, NULL AS note
                FROM tables, rebuilt WHERE created IS NULL OR together
            UNION ALL
            SELECT p.place, s, NULL, false, NULL, NULL
                FROM rebuilt, LATERAL (VALUES (0, dropped), (99999, created)) AS p (place, s) WHERE together
            UNION ALL
            SELECT 1, concat_ws(E';\n', dropped, statement, created), 'ACCESS EXCLUSIVE on ' || tables, true, rows,
                    'drops views and triggers, and creates them again'
                FROM one, rebuilt WHERE created IS NOT NULL AND NOT together
            UNION ALL
            SELECT 100000, string_agg(s, E';\n'), NULL, false, NULL,
                    'makes sessions compile these functions again, with the new types'
                FROM _snowid_convert.recompiled(scope) AS s HAVING count(*) > 0)
    SELECT statement, locks, rewrites, rows::bigint, note FROM parts WHERE statement <> '' ORDER BY place;
END;

-- It may have been stopped after the swap.
CREATE FUNCTION _snowid_convert.left_over(scope _snowid_convert.scope, OUT statement text, OUT locks text,
    OUT note text)
    RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (SELECT * FROM _snowid_convert.columns(scope)),
        validated AS (
            SELECT DISTINCT rel, format('ALTER TABLE %s VALIDATE CONSTRAINT %I', rel, conname) AS statement
                FROM columns JOIN pg_constraint AS k ON conrelid = rel AND contype = 'c' AND num = ANY (conkey)
                WHERE NOT convalidated AND pg_get_constraintdef(k.oid) !~ ' NOT ENFORCED$' ORDER BY 2),
        analyzed AS (
            SELECT rel FROM columns JOIN pg_class AS c ON c.oid = rel JOIN pg_namespace AS n ON n.oid = relnamespace
                JOIN pg_attribute AS a ON a.attrelid = rel AND a.attnum = num
                JOIN pg_stats AS s ON schemaname = nspname AND tablename = relname
                WHERE attstattarget IS DISTINCT FROM 0 GROUP BY rel, num HAVING NOT bool_or(s.attname = name))
    SELECT statement, 'SHARE UPDATE EXCLUSIVE on ' || rel, 'the swap has left it NOT VALID' FROM validated
    UNION ALL
    SELECT DISTINCT 'ANALYZE ' || rel, 'SHARE UPDATE EXCLUSIVE on ' || rel, 'the column has no statistics yet'
        FROM analyzed;
END;

-- The last steps of an online conversion.
CREATE FUNCTION _snowid_convert.swapped(scope _snowid_convert.scope, next_id text, OUT statement text, OUT locks text,
    OUT rows bigint, OUT note text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
    WITH twins AS MATERIALIZED (SELECT * FROM _snowid_convert.twins(scope)),
        tables AS (
            SELECT array_agg(DISTINCT rel) AS all_of_them, string_agg(DISTINCT rel::text, ', ') AS told FROM twins),
        checks AS (
            SELECT DISTINCT rel::text AS rel, conname
                FROM twins JOIN pg_constraint ON conrelid = rel AND contype = 'c' AND num = ANY (conkey)
                WHERE conname <> 'snowid_same' AND convalidated ORDER BY 1, 2)
    SELECT format('SELECT _snowid_convert.check_twins(%L::regclass[], %L::name[])', scope.tbls, scope.cols),
            'ACCESS SHARE on each table', NULL::bigint,
            'is an error unless each row refers to the same row by both columns'
        FROM twins WHERE keyed HAVING count(*) > 0
    UNION ALL
    SELECT _snowid_convert.stepped(all_of_them, _snowid_convert.swap(scope, next_id)),
            'ACCESS EXCLUSIVE on ' || told, NULL, 'the swap, which is tried again until it gets its locks'
        FROM tables
    UNION ALL
    SELECT format('ALTER TABLE %s VALIDATE CONSTRAINT %I', rel, conname), 'SHARE UPDATE EXCLUSIVE on ' || rel, NULL,
            'after the swap'
        FROM checks
    UNION ALL
    SELECT 'ANALYZE ' || told, 'SHARE UPDATE EXCLUSIVE on one table at a time', NULL,
            'after the swap: the new columns have no statistics yet'
        FROM tables;
END;

-- The statements that are left of an online conversion.
CREATE FUNCTION _snowid_convert.online(scope _snowid_convert.scope, next_id text, new_default text, time_col name,
    layout text, OUT statement text, OUT locks text, OUT rows bigint, OUT note text) RETURNS SETOF record
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    of_key boolean;
BEGIN
    RETURN QUERY SELECT NULL, NULL, NULL::bigint, note FROM _snowid_convert.notes(scope) AS note;
    RETURN QUERY SELECT NULL, NULL, NULL::bigint, note FROM _snowid_convert.grown(scope)
        WHERE statement IS NULL AND new_default = '';
    RETURN QUERY SELECT E'SET statement_timeout = 0;\nSET lock_timeout = 0', NULL, NULL::bigint,
            'in this session, because a timeout would end a long fill or index each time'
        WHERE EXISTS (SELECT FROM _snowid_convert.stage(scope, true) WHERE NOT is_filled
            UNION ALL SELECT FROM _snowid_convert.stage(scope, false) WHERE NOT is_filled
            UNION ALL SELECT FROM _snowid_convert.indexes(scope) WHERE NOT is_valid
            UNION ALL SELECT FROM _snowid_convert.keys(scope) WHERE NOT is_valid);
    RETURN QUERY SELECT format('SELECT _snowid_convert.check_taken(%L::regclass, %L::name, %L::regclass, %L::name)',
                rel, name, scope.tbl, scope.col),
            format('ACCESS SHARE on %s, %s', rel, scope.tbl), greatest(reltuples, 0)::bigint,
            'fails if a value is not the id of a row; after the next statements nobody can add such a value'
        FROM _snowid_convert.taken_twins(scope) JOIN pg_class ON oid = rel
        WHERE keyed AND twin_num IS NULL ORDER BY rel::text, name;
    -- other columns are looked up in those of the key
    FOR of_key IN SELECT DISTINCT is_key FROM _snowid_convert.twins(scope) ORDER BY is_key DESC LOOP
        RETURN QUERY SELECT * FROM _snowid_convert.begin(scope, of_key, next_id, time_col, layout);
        IF of_key THEN  -- the fill asks it which ids there are
            RETURN QUERY SELECT * FROM _snowid_convert.indexed(scope, true);
        END IF;
        RETURN QUERY SELECT * FROM _snowid_convert.filled(scope, of_key);
    END LOOP;
    RETURN QUERY SELECT * FROM _snowid_convert.indexed(scope, false);
    RETURN QUERY SELECT statement, 'SHARE UPDATE EXCLUSIVE on ' || scope.tbl, NULL::bigint, note
        FROM _snowid_convert.uuid_indexed(scope);
    RETURN QUERY SELECT * FROM _snowid_convert.referred(scope);
    RETURN QUERY SELECT * FROM _snowid_convert.swapped(scope, new_default);
END $$;

-- The statements of a conversion that is not online.
CREATE FUNCTION _snowid_convert.at_once(scope _snowid_convert.scope, target text, change text, new_default text,
    online boolean, together boolean, OUT statement text, OUT locks text, OUT rewrites boolean, OUT rows bigint,
    OUT note text)
    RETURNS SETOF record
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT statement, locks, false, NULL::bigint,
            'drops what an abandoned online conversion has left'
        FROM _snowid_convert.dropped(scope);
    IF change = 'type' THEN
        RETURN QUERY SELECT * FROM _snowid_convert.retyped(scope, together);
    END IF;
    IF new_default <> '' THEN
        RETURN QUERY SELECT d.statement, d.locks, false, NULL::bigint, d.note
            FROM _snowid_convert.own_ids(scope) AS k,
                _snowid_convert.new_default(k, new_default, false) AS d;
    ELSIF EXISTS (SELECT FROM _snowid_convert.own_ids(scope) AS k WHERE k.is_ours) THEN
        RETURN QUERY SELECT statement, locks, false, NULL::bigint, note FROM _snowid_convert.all_back(scope)
            WHERE target = 'bigserial';
    ELSE
        RETURN QUERY SELECT statement, locks, false, NULL::bigint, note FROM _snowid_convert.grown(scope)
            WHERE change = 'type' OR NOT EXISTS (SELECT FROM _snowid_convert.dropped(scope));
    END IF;
    IF online THEN
        RETURN QUERY SELECT statement, locks, false, NULL::bigint, note FROM _snowid_convert.left_over(scope);
    END IF;
END $$;

-- After the swap, what lets it be undone: the steps of the way back but for its swap.
CREATE FUNCTION _snowid_convert.in_step(scope _snowid_convert.scope, OUT statement text, OUT locks text,
    OUT rewrites boolean, OUT rows bigint, OUT note text) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
    SELECT statement, locks, false, NULL::bigint, note FROM _snowid_convert.left_over(scope)
    UNION ALL
    SELECT statement, locks, false, rows, concat_ws(': ', 'so that the swap can be undone', note)
        FROM _snowid_convert.online(scope, '', '', NULL, NULL)
        WHERE statement IS NOT NULL AND coalesce(note, '') !~ '^(the swap|after the swap|is an error unless each)';
END;

-- The statements of snowid_convert_plan.
CREATE FUNCTION _snowid_convert.plan(scope _snowid_convert.scope, target text, generator text, online boolean,
    time_col name, set_default boolean, keep boolean, advised boolean,
    OUT statement text, OUT locks text, OUT rewrites boolean, OUT rows bigint, OUT note text) RETURNS SETOF record
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    s record;
    change text;
    new_default text;
    is_told boolean;
    in_the_way boolean := false;
    in_the_way_of_swap boolean := false;
BEGIN
    IF target = 'builtin' THEN
        RETURN QUERY SELECT * FROM _snowid_convert.leaving_plan(scope, NOT advised);
        RETURN;
    END IF;
    SELECT * INTO s FROM _snowid_convert.start(scope.tbl, scope.col, target, generator);
    change := _snowid_convert.change(scope, target, s.base, online, keep OR time_col IS NOT NULL);
    PERFORM _snowid_convert.check_time(scope.tbl, scope.col, time_col, change);
    IF keep AND (target <> 'snowflake' OR online IS NOT TRUE) THEN
        RAISE EXCEPTION 'keep is for snowflakes, and needs online' USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'Old ids can be kept only where rows get ids of another kind.';
    END IF;
    IF keep AND scope.kept IS NOT NULL THEN
        RETURN QUERY SELECT * FROM _snowid_convert.in_step(scope);
        RETURN;
    END IF;
    IF change = 'uuid' AND s.base = 'uuid'::regtype THEN
        time_col := coalesce(time_col, _snowid_convert.time_column(scope.tbl, scope.col));
    END IF;
    new_default := CASE WHEN set_default IS FALSE AND generator IS NULL THEN '' ELSE s.next_id END;
    is_told := s.next IS NOT NULL OR change <> 'default';
    -- a key that had no default has ids from elsewhere; what is in the way comes first, and then what to look at
    FOR note IN SELECT format('In the way: %s.%I has no default, so its ids may come from elsewhere: set_default => '
                'false changes only its type, set_default => true or a generator gives it a default', scope.tbl,
                scope.col)
            WHERE set_default IS NULL AND generator IS NULL AND target <> 'bigserial'
                AND NOT _snowid_convert.has_default(scope.tbl, scope.col)
        UNION ALL (SELECT format(CASE WHEN starts_with(o.note, 'of the swap: ') THEN 'In the way %s'
                    ELSE 'In the way: %s' END, o.note) AS told
            FROM (SELECT note FROM _snowid_convert.obstacles(scope, change, s.next, (
                        SELECT relowner FROM pg_class WHERE oid = scope.tbl)) WHERE is_told
                UNION SELECT _snowid_convert.uuid_obstacles(scope, s.layout, time_col)
                    WHERE change = 'uuid' AND EXISTS (SELECT FROM _snowid_convert.twins(scope) WHERE keyed)) AS o (note)
            ORDER BY told)
        UNION ALL (SELECT DISTINCT a.note
            FROM (SELECT _snowid_convert.advice(scope, target <> 'bigserial' OR change <> 'default', new_default <> '',
                        s.next)
                    WHERE is_told OR target = 'bigserial' AND scope.is_ours  -- the last ids are still snowflakes
                UNION ALL SELECT _snowid_convert.without_room(scope) WHERE is_told) AS a (note)
            WHERE advised ORDER BY a.note)
        UNION ALL SELECT 'In the way: ' || o.note FROM _snowid_convert.key_obstacles(scope, s.next) AS o
            WHERE keep AND time_col IS NULL AND change = 'uuid' AND s.base <> 'uuid'::regtype
    LOOP
        in_the_way := in_the_way OR note LIKE 'In the way: %';
        in_the_way_of_swap := in_the_way_of_swap OR note LIKE 'In the way of%';
        RETURN NEXT;
    END LOOP;
    IF change NOT IN ('online', 'uuid') THEN
        RETURN QUERY SELECT * FROM _snowid_convert.at_once(scope, target, change, new_default, online,
            NOT advised);
    ELSIF NOT in_the_way AND change = 'uuid' AND target = 'snowflake' AND s.base <> 'uuid'::regtype
        AND NOT scope.renumbers
    THEN
        RETURN QUERY SELECT b.statement, b.locks, false, b.rows, concat(b.note,
                CASE WHEN b.locks ~ '^ACCESS EXCLUSIVE' THEN '; then ask for the plan again, which shows the rest' END)
            FROM _snowid_convert.begin(_snowid_convert.scope(scope.tbls, scope.cols, true), true, s.next_id, time_col,
                s.layout) AS b;
    ELSIF NOT in_the_way THEN  -- its statements are run one by one, and only the last would fail
        RETURN QUERY SELECT statement, locks, false, rows, note
            FROM _snowid_convert.online(scope, s.next_id, new_default, time_col, s.layout)
            WHERE NOT in_the_way_of_swap OR coalesce(note, '') !~ '^(the|after the) swap';
    END IF;
END $$;
