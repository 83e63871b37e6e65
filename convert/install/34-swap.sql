
-- conversion online: the swap ----------------------------------------------------------------

-- What the swap does, in its order. Some functions return their statements with the name of the step.
CREATE FUNCTION _snowid_convert.swap_steps(OUT step text, OUT place bigint) RETURNS SETOF record
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 30
BEGIN ATOMIC
    SELECT * FROM unnest(ARRAY['remember the search_path', 'settings', 'the check', 'lock views', 'lock the others',
        'lock the key', 'the check again', 'drop triggers', 'drop functions', 'not null', 'drop the comparison',
        'drop foreign keys', 'free sequences', 'remember numbers', 'drop views and triggers', 'set aside',
        'drop columns', 'rename columns', 'rename constraints', 'rename indexes', 'comment indexes', 'use indexes',
        'rename foreign keys', 'comment foreign keys', 'give sequences', 'let sequences grow', 'defaults',
        'settings of columns', 'comments', 'rights', 'checks', 'comment constraints', 'statistics',
        'the new default', 'comment the key', 'create views and triggers', 'compile again',
        'restore the search_path']) WITH ORDINALITY;
END;

-- The statements that give a column what its predecessor had.
CREATE FUNCTION _snowid_convert.carried(rel regclass, num smallint, OUT step text, OUT statement text)
    RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH own AS MATERIALIZED (SELECT * FROM pg_attribute WHERE attrelid = rel AND attnum = num),
        constraints AS MATERIALIZED (
            SELECT * FROM pg_constraint WHERE conrelid = rel AND num = ANY (conkey) AND conname <> 'snowid_same'),
        statistics AS MATERIALIZED (
            SELECT e.*, format('%s.%I', stxnamespace::regnamespace, stxname) AS name
                FROM _snowid_convert.dependents('pg_statistic_ext', rel, num) AS id
                    JOIN pg_statistic_ext AS e ON e.oid = id
                WHERE stxrelid = rel)
    SELECT 'defaults', format('ALTER TABLE %s ALTER %I SET DEFAULT %s', rel, attname, pg_get_expr(adbin, adrelid))
        FROM own JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    UNION ALL
    SELECT 'settings of columns', format('ALTER TABLE %s ALTER %I SET STATISTICS %s', rel, attname, attstattarget)
        FROM own WHERE attstattarget >= 0
    UNION ALL
    SELECT 'settings of columns', format('ALTER TABLE %s ALTER %I SET (%s)', rel, attname, o)
        FROM own, unnest(attoptions) AS o WHERE starts_with(o, 'n_distinct')
    UNION ALL
    SELECT 'comments', format('COMMENT ON COLUMN %s.%I IS %L', rel, attname, col_description(rel, num))
        FROM own WHERE col_description(rel, num) IS NOT NULL
    UNION ALL
    SELECT 'comments', labelled FROM _snowid_convert.labelled('COLUMN', rel, num) AS labelled
    UNION ALL
    SELECT 'rights', granted FROM _snowid_convert.granted(rel, num) AS granted
    UNION ALL
    SELECT 'checks', format('ALTER TABLE %s ADD CONSTRAINT %I %s NOT VALID', rel, conname,
            regexp_replace(pg_get_constraintdef(oid), ' NOT VALID$', ''))
        FROM constraints WHERE contype = 'c'
    UNION ALL
    SELECT 'comment constraints', format('COMMENT ON CONSTRAINT %I ON %s IS %L', conname, rel,
            obj_description(oid, 'pg_constraint'))
        FROM constraints WHERE contype IN ('c', 'p', 'u') AND obj_description(oid, 'pg_constraint') IS NOT NULL
    UNION ALL
    SELECT 'statistics', concat_ws(E';\n', pg_get_statisticsobjdef(oid),
            format('ALTER STATISTICS %s OWNER TO %s', name, stxowner::regrole),
            format('ALTER STATISTICS %s SET STATISTICS %s', name,
                CASE WHEN stxstattarget >= 0 THEN stxstattarget ELSE -1 END),
            format('COMMENT ON STATISTICS %s IS ', name) || quote_literal(obj_description(oid, 'pg_statistic_ext')))
        FROM statistics;
END;

-- The tables that a plan is made from.
CREATE FUNCTION _snowid_convert.asked_tables(scope _snowid_convert.scope) RETURNS regclass[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT array_agg(DISTINCT rel) FROM _snowid_convert.columns(scope);
END;

-- How second columns take the place of the first.
CREATE FUNCTION _snowid_convert.swap_columns(scope _snowid_convert.scope, has_default boolean,
    OUT step text, OUT statement text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH twins AS MATERIALIZED (SELECT * FROM _snowid_convert.twins(scope)),
        not_null AS MATERIALIZED (
            SELECT t.*, k.conname, o.conname AS twin_conname
                FROM twins AS t JOIN pg_attribute ON attrelid = rel AND attnum = num
                    LEFT JOIN pg_constraint AS k ON k.conrelid = rel AND k.contype = 'n' AND k.conkey = ARRAY[num]
                    LEFT JOIN pg_constraint AS o ON o.conrelid = rel AND o.contype = 'n' AND o.conkey = ARRAY[twin_num]
                WHERE attnotnull)
    SELECT 'not null', CASE WHEN conname IS NULL THEN format('ALTER TABLE %s ALTER %I SET NOT NULL', rel, twin)
            ELSE format('ALTER TABLE %s ADD CONSTRAINT %I NOT NULL %I', rel, _snowid_convert.twin(conname), twin) END
        FROM not_null WHERE NOT is_kept
    UNION ALL
    SELECT 'drop columns', format('ALTER TABLE %s %s', rel, string_agg(format('DROP %I', name), ', ' ORDER BY num))
        FROM twins WHERE NOT is_key GROUP BY rel
    UNION ALL
    SELECT 'rename columns', format('ALTER TABLE %s RENAME %I TO %I', rel, twin, name) FROM twins
    UNION ALL
    SELECT 'rename constraints', format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', rel,
            CASE WHEN is_kept THEN twin_conname ELSE _snowid_convert.twin(conname) END, conname)
        FROM not_null WHERE conname IS NOT NULL AND (NOT is_kept OR twin_conname IS NOT NULL)
    UNION  -- a part of several columns once
    SELECT c.step, c.statement FROM twins, _snowid_convert.carried(rel, num) AS c
        WHERE NOT (c.step = 'defaults' AND place IS NOT NULL AND (has_default OR keyed))
    UNION ALL
    SELECT c.step, c.statement FROM twins, _snowid_convert.carried_identity(rel, num) AS c
        WHERE NOT (place IS NOT NULL AND (has_default OR keyed))
    UNION ALL
    SELECT 'let sequences grow', statement FROM _snowid_convert.growing(scope)
        WHERE kept IS NULL AND NOT by_column AND NOT has_default AND NOT EXISTS (SELECT FROM twins WHERE keyed);
END;

-- How second indexes take the place of the first.
CREATE FUNCTION _snowid_convert.swap_indexes(scope _snowid_convert.scope, OUT step text, OUT statement text)
    RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
    WITH indexes AS MATERIALIZED (
        SELECT i.rel, i.index, i.twin, relname, indisreplident, indisclustered, conname,
                CASE contype WHEN 'p' THEN 'PRIMARY KEY' WHEN 'u' THEN 'UNIQUE' END AS kind,
                concat(CASE WHEN condeferrable THEN ' DEFERRABLE' END,
                    CASE WHEN condeferred THEN ' INITIALLY DEFERRED' END) AS deferred,
                obj_description(i.index, 'pg_class') AS comment
            FROM _snowid_convert.indexes(scope) AS i JOIN pg_class ON oid = i.index
                JOIN pg_index AS x ON indexrelid = i.index
                LEFT JOIN pg_constraint ON conindid = i.index AND contype IN ('p', 'u'))
    SELECT 'rename indexes', coalesce(
            format(E'ALTER INDEX %s RENAME TO %I;\nALTER TABLE %s ADD CONSTRAINT ', twin, relname, rel)
                || quote_ident(conname) || format(' %s USING INDEX %I%s', kind, relname, deferred),
            format('ALTER INDEX %s RENAME TO %I', twin, relname))
        FROM indexes
    UNION ALL
    SELECT 'comment indexes', format('COMMENT ON INDEX %s IS %L', index, comment)
        FROM indexes WHERE comment IS NOT NULL
    UNION ALL
    SELECT 'use indexes', format('ALTER TABLE %s REPLICA IDENTITY USING INDEX %I', rel, relname)
        FROM indexes WHERE indisreplident
    UNION ALL
    SELECT 'use indexes', format('ALTER TABLE %s CLUSTER ON %I', rel, relname) FROM indexes WHERE indisclustered
    UNION ALL
    SELECT 'use indexes', format('ALTER INDEX %s ALTER %s SET STATISTICS %s', index, attnum, attstattarget)
        FROM indexes JOIN pg_attribute ON attrelid = index WHERE attstattarget >= 0;
END;

-- Foreign keys, sequences, and views.
CREATE FUNCTION _snowid_convert.swap_others(scope _snowid_convert.scope, OUT step text, OUT statement text)
    RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH keys AS MATERIALIZED (SELECT * FROM _snowid_convert.keys(scope)),
        sequences AS MATERIALIZED (
            SELECT s.oid::regclass AS seq, t.rel, t.name FROM _snowid_convert.twins(scope) AS t
                JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = t.rel AND refobjsubid = t.num
                    AND classid = 'pg_class'::regclass AND deptype = 'a'
                JOIN pg_class AS s ON s.oid = objid AND relkind = 'S'
            WHERE NOT is_key),
        rebuilt AS MATERIALIZED (SELECT * FROM _snowid_convert.rebuilt(scope))
    SELECT 'drop foreign keys', format('ALTER TABLE %s DROP CONSTRAINT %I', rel, name) FROM keys
    UNION ALL
    SELECT 'rename foreign keys', format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', rel, twin, name) FROM keys
    UNION ALL
    SELECT 'comment foreign keys', format('COMMENT ON CONSTRAINT %I ON %s IS %L', name, rel, comment)
        FROM keys WHERE comment IS NOT NULL
    UNION ALL
    SELECT 'free sequences', format('ALTER SEQUENCE %s OWNED BY NONE', seq) FROM sequences
    UNION ALL
    SELECT 'give sequences', format('ALTER SEQUENCE %s OWNED BY %s.%I', seq, rel, name) FROM sequences
    UNION ALL
    SELECT 'lock views', _snowid_convert.locking(v) FROM _snowid_convert.views(scope) AS v
    UNION ALL
    SELECT 'drop views and triggers', dropped FROM rebuilt
    UNION ALL
    SELECT 'create views and triggers', created FROM rebuilt
    UNION ALL
    SELECT 'compile again', compiled FROM _snowid_convert.recompiled(scope) AS compiled;
END;

-- The statements of the swap, with their steps. Texts from the catalogue were made with its search_path; what follows
-- in the same transaction was not.
CREATE FUNCTION _snowid_convert.swap_parts(scope _snowid_convert.scope, next_id text, OUT step text,
    OUT statement text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL UNSAFE ROWS 100
BEGIN ATOMIC
    WITH tables AS MATERIALIZED (
            SELECT rel, bool_or(NOT is_kept) AS is_written FROM _snowid_convert.twins(scope) GROUP BY rel),
        key AS (
            SELECT scope.kept IS NOT NULL AND coalesce(col_description(attrelid, attnum)
                    ~ '(^|\n)snowid: before, no default\n[^\n]*$', false) AS had_none
                FROM pg_attribute WHERE attrelid = scope.tbl AND attname = scope.col)
    SELECT 'remember the search_path', 'DO $swap$ BEGIN PERFORM pg_catalog.set_config(''snowid_convert.search_path'', '
        'pg_catalog.current_setting(''search_path''), true); END $swap$'
    UNION ALL
    SELECT 'settings', format('SET LOCAL lock_timeout = ''%s ms''', greatest(500 / count(*), 20)) FROM tables
    UNION ALL
    SELECT 'settings', 'SET LOCAL search_path = pg_catalog, pg_temp'
    UNION ALL
    SELECT 'the check again', format('SELECT _snowid_convert.still_ready(%L::regclass[])',
        _snowid_convert.asked_tables(scope))
    UNION ALL
    SELECT CASE WHEN rel = ANY (scope.tbls) THEN 'lock the key' ELSE 'lock the others' END,
            _snowid_convert.locking(rel)
        FROM tables
    UNION ALL
    SELECT 'restore the search_path', 'DO $swap$ BEGIN PERFORM set_config(''search_path'', '
        'current_setting(''snowid_convert.search_path''), true); END $swap$'
    UNION ALL  -- what the tables no longer need
    SELECT p.step, p.statement FROM tables JOIN pg_class AS c ON c.oid = rel CROSS JOIN LATERAL (VALUES
            ('drop triggers', format('DROP TRIGGER "~snowid_convert" ON %s', rel)),
            ('drop functions', format('DROP FUNCTION %s()', coalesce((
                    SELECT tgfoid::regproc::text FROM pg_trigger JOIN pg_proc AS f ON f.oid = tgfoid
                        WHERE tgrelid = rel AND tgname = '~snowid_convert' AND starts_with(proname, 'snowid_')),
                format('%s.%I', relnamespace::regnamespace, _snowid_convert.twin('convert_' || relname))))),
            ('drop the comparison', format('ALTER TABLE %s DROP CONSTRAINT snowid_same', rel))) AS p (step, statement)
        WHERE is_written
    UNION ALL SELECT * FROM _snowid_convert.swap_columns(scope, next_id <> '')
    UNION ALL SELECT * FROM _snowid_convert.swap_indexes(scope)
    UNION ALL SELECT * FROM _snowid_convert.swap_others(scope)
    UNION ALL SELECT * FROM _snowid_convert.swap_uuid(scope)
    UNION ALL  -- as before, or where the sequence stays with the old numbers
    SELECT 'the new default', format('ALTER TABLE %s ALTER %I %s', scope.tbl, scope.col,
            CASE WHEN had_none THEN 'DROP DEFAULT' ELSE 'SET DEFAULT ' || next_id END)
        FROM key WHERE had_none OR next_id <> '' AND scope.renumbers
    UNION ALL
    SELECT 'the new default', d.statement
        FROM key, _snowid_convert.own_ids(scope) AS k, _snowid_convert.new_default(k, next_id, k.changes) AS d
        WHERE NOT had_none AND next_id <> '' AND NOT scope.renumbers;
END;

-- The statements of the swap at the end of an online conversion, which are one transaction.
CREATE FUNCTION _snowid_convert.swap(scope _snowid_convert.scope, next_id text) RETURNS text
    LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    locking text[];
    following text[];
    planned text;
BEGIN
    SELECT array_agg(statement ORDER BY s.place, statement COLLATE "C") FILTER (WHERE s.place < checked.place),
            array_agg(statement ORDER BY s.place, statement COLLATE "C") FILTER (WHERE s.place > checked.place)
        INTO locking, following
        FROM _snowid_convert.swap_parts(scope, next_id) JOIN _snowid_convert.swap_steps() AS s USING (step),
            _snowid_convert.swap_steps() AS checked
        WHERE checked.step = 'the check';
    -- the old sequence goes on until the swap
    planned := md5(regexp_replace(array_to_string(locking || following, ';'), ', last value -?\d+', '', 'g'));
    RETURN array_to_string(locking || format('SELECT _snowid_convert.ready(%L::regclass[], %L::name[], %L::text, '
        '%L::text)', scope.tbls, scope.cols, next_id, planned) || following, E';\n');
END $$;

-- What the steps before the swap have not made yet, or not completed.
CREATE FUNCTION _snowid_convert.missing(scope _snowid_convert.scope) RETURNS SETOF text
    LANGUAGE sql STABLE STRICT PARALLEL UNSAFE ROWS 2
BEGIN ATOMIC
    WITH twins AS MATERIALIZED (SELECT * FROM _snowid_convert.twins(scope))
    SELECT format('the valid constraint snowid_same of %s', rel) FROM twins
        WHERE NOT is_kept AND NOT EXISTS (
            SELECT FROM pg_constraint WHERE conrelid = rel AND conname = 'snowid_same' AND contype = 'c'
                AND convalidated AND conkey @> ARRAY[num, twin_num])
    UNION ALL
    SELECT format('the trigger of %s', rel) FROM twins
        WHERE NOT is_kept AND NOT EXISTS (
            SELECT FROM pg_trigger WHERE tgrelid = rel AND tgname = '~snowid_convert' AND tgenabled = 'A')
    UNION ALL
    SELECT format('the valid unique index of %s over %I', rel, name) FROM twins
        WHERE is_key AND _snowid_convert.kept_index(rel, num) IS NULL
    UNION ALL
    SELECT format('the valid index %s', twin) FROM _snowid_convert.indexes(scope) WHERE NOT is_valid
    UNION ALL
    SELECT format('the valid foreign key %I of %s', twin, rel) FROM _snowid_convert.keys(scope) WHERE NOT is_valid
    UNION ALL
    SELECT format('the foreign key of %s to %s that the second column %I still has', rel, other, name)
        FROM _snowid_convert.orphans(scope);
END;

-- The swap may be run whatever became of the steps before it, and of the tables since it was planned. So it asks here
-- first, without locks: those that asking takes, an error of its own lets go.
CREATE FUNCTION _snowid_convert.ready(tbls regclass[], cols name[], next_id text, planned text) RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off
    SET quote_all_identifiers = off SET datestyle = 'ISO' SET intervalstyle = 'postgres'
    SET extra_float_digits = 1 AS $$
DECLARE
    fingerprint text := _snowid_convert.fingerprint(_snowid_convert.asked_tables(
        _snowid_convert.scope(tbls, cols))::oid[]);
    scope _snowid_convert.scope := _snowid_convert.scope(tbls, cols);
    missing text;
    sent text;
    is_as_planned boolean;
BEGIN
    sent := (SELECT string_agg(DISTINCT format('publication %I sends %s', publication, rel), ', ')
        FROM _snowid_convert.twins(scope), _snowid_convert.publications(rel) AS publication WHERE keyed);
    IF sent IS NOT NULL THEN
        RAISE EXCEPTION 'subscribers could not follow the swap of %.%: %', tbls[1], quote_ident(cols[1]), sent
            USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = 'Rows get other ids, by which no subscriber would find those that change later.',
            HINT = 'Take the tables out of the publication. After the swap, let the subscribers copy them again.';
    END IF;
    BEGIN
        missing := (SELECT string_agg(DISTINCT what, ', ') FROM _snowid_convert.missing(scope) AS what);
        is_as_planned := missing IS NOT NULL OR strpos(_snowid_convert.swap(scope, next_id), planned) > 0;
        RAISE SQLSTATE 'SNPLN';
    EXCEPTION WHEN SQLSTATE 'SNPLN' THEN
        NULL;
    END;
    IF missing IS NOT NULL THEN
        RAISE EXCEPTION 'the conversion of %.% is not ready for its swap', tbls[1], quote_ident(cols[1])
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = format('It lacks %s.', missing),
            HINT = 'Ask for the plan again: it shows what is left to do.';
    END IF;
    IF NOT is_as_planned THEN
        RAISE EXCEPTION 'the tables of the swap of %.% have changed since it was planned', tbls[1], quote_ident(cols[1])
            USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = 'It would lose privileges, constraints, comments or something else of these tables that is newer '
                'than the plan.', HINT = 'Ask for the plan again.';
    END IF;
    PERFORM set_config('snowid_convert.fingerprint', fingerprint, true);
END $$;

-- Under the locks nothing is read but whether that still holds.
CREATE FUNCTION _snowid_convert.still_ready(tables regclass[]) RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF _snowid_convert.fingerprint(tables::oid[]) <> current_setting('snowid_convert.fingerprint') THEN
        RAISE EXCEPTION 'the tables of the swap have changed while it waited for its locks'
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Ask for the plan again.';
    END IF;
END $$;

-- What an online conversion that was given up has left beside columns, as statements that drop it.
CREATE FUNCTION _snowid_convert.dropped(scope _snowid_convert.scope, OUT statement text, OUT locks text)
    RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 1
BEGIN ATOMIC
    WITH begun AS (
            SELECT rel, _snowid_convert.twin(name) AS twin FROM _snowid_convert.columns(scope)
            UNION SELECT rel, name FROM _snowid_convert.orphans(scope)),
        twins AS MATERIALIZED (
            SELECT rel, attnum, attname, tgfoid, relnamespace, relname
                FROM begun
                    JOIN pg_class ON oid = rel AND NOT relispartition  -- those of partitions go with the table's own
                    JOIN pg_trigger ON tgrelid = rel AND tgname = '~snowid_convert'
                    JOIN pg_attribute ON attrelid = rel AND attname = twin AND NOT attisdropped),
        parts AS (
            SELECT 'foreign keys' AS step, format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS s
                FROM twins JOIN pg_constraint ON contype = 'f' AND confrelid = rel AND attnum = ANY (confkey)
            UNION
            SELECT 'triggers', format('DROP TRIGGER "~snowid_convert" ON %s', rel) FROM twins
            UNION  -- the trigger is the owner's, who may name any function
            SELECT 'functions', format('DROP FUNCTION %s()', tgfoid::regproc)
                FROM twins JOIN pg_proc AS f ON f.oid = tgfoid WHERE starts_with(proname, 'snowid_')
            UNION
            SELECT 'indexes', format('DROP INDEX %s.%I', t.relnamespace::regnamespace, i.relname)
                FROM twins AS t JOIN pg_index ON indrelid = rel JOIN pg_class AS i ON i.oid = indexrelid
                WHERE i.relname = _snowid_convert.twin('uuid_' || t.relname)
            UNION
            SELECT 'columns', format('ALTER TABLE %s %s', rel,
                    string_agg(format('DROP %I', attname), ', ' ORDER BY attnum))
                FROM twins GROUP BY rel)
    SELECT string_agg(s, E';\n' ORDER BY place, s COLLATE "C"),
            (SELECT 'ACCESS EXCLUSIVE on ' || string_agg(DISTINCT rel::text, ', ') FROM twins)
        FROM parts JOIN unnest('{foreign keys,triggers,functions,indexes,columns}'::text[])
            WITH ORDINALITY AS steps (step, place) USING (step)
        HAVING count(*) > 0;
END;
