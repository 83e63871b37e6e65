
-- conversion online -----------------------------------------------------------
-- Each column has a second one beside it, whose name begins with snowid_; so do the names of its indexes and foreign keys. A
-- trigger writes both, and a constraint says that they are the same, or that both are there where UUIDs become other ids. In
-- the end the second ones take the place of the first.

-- The name of what stands beside something of this name. Cut off, two of them could be one.
CREATE FUNCTION _snowid.convert_twin(name text) RETURNS name
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT ('snowid_' || CASE WHEN octet_length(name) > 56 THEN left(md5(name), 8) || '_' ELSE '' END || name)::name;
END;
COMMENT ON FUNCTION _snowid.convert_twin(text) IS 'the name of the second column, index or constraint beside one while a column is converted online';

-- The columns that need a second one, with its name, and its number if it is there. Where UUIDs become other ids or such ids become
-- UUIDs again (`keyed`), the second one of the key itself is filled by its own rule (`is_key`), or is the column with the UUIDs (`is_kept`).
CREATE FUNCTION _snowid.convert_twins(tbl regclass, col name, OUT rel regclass, OUT num smallint, OUT name name, OUT twin name, OUT twin_num smallint,
    OUT keyed boolean, OUT is_key boolean, OUT is_kept boolean) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    SELECT c.rel, c.num, c.name, t.name, a.attnum, NOT is_int, NOT is_int AND is_first AND c.base = 'uuid'::regtype, NOT is_int AND is_first AND c.base <> 'uuid'::regtype
    FROM _snowid.convert_columns(tbl, col) AS c CROSS JOIN LATERAL (SELECT c.base IN ('smallint'::regtype, 'integer'::regtype) AS is_int, c.rel = tbl AND c.name = col AS is_first) AS f
        CROSS JOIN LATERAL (SELECT CASE WHEN NOT is_int AND is_first AND c.base <> 'uuid'::regtype THEN _snowid.convert_kept(tbl, col) ELSE _snowid.convert_twin(c.name) END AS name) AS t
        LEFT JOIN pg_attribute AS a ON attrelid = c.rel AND attname = t.name AND NOT attisdropped
    WHERE changes;
END;
COMMENT ON FUNCTION _snowid.convert_twins(regclass, name) IS 'the columns that need a second one while they are converted online';

-- An expression in SQL, with another name for a column. Texts in it stay as they are.
CREATE FUNCTION _snowid.convert_renamed(expression text, name name, new_name name) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT coalesce(string_agg(CASE WHEN token[1] = quote_ident(name) THEN quote_ident(new_name) ELSE token[1] END, '' ORDER BY n), '')
        FROM regexp_matches(expression, '''(?:[^'']|'''')*''|"(?:[^"]|"")*"|[[:alpha:]_][\w$]*|\d[\w.]*|.', 'g') WITH ORDINALITY AS t (token, n);
END;
COMMENT ON FUNCTION _snowid.convert_renamed(text, name, name) IS 'an expression with another name for a column';

-- The indexes over such columns, and the same over the second ones.
CREATE FUNCTION _snowid.convert_indexes(tbl regclass, col name, OUT rel regclass, OUT index regclass, OUT twin text, OUT keys smallint[], OUT statement text,
    OUT is_there boolean, OUT is_valid boolean) RETURNS SETOF record
    LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    i record;
    c record;
    begun text;
    columns text;
    condition text;
BEGIN
    FOR i IN SELECT x.*, n.nspname, k.relname, k.relpersistence, spcname, _snowid.convert_twin(k.relname) AS twin FROM pg_index AS x
        JOIN pg_class AS k ON k.oid = indexrelid JOIN pg_namespace AS n ON n.oid = relnamespace LEFT JOIN pg_tablespace AS s ON s.oid = reltablespace
        JOIN pg_class AS t ON t.oid = indrelid
        WHERE indisvalid AND k.relname <> _snowid.convert_twin('uuid_' || t.relname) AND EXISTS (SELECT FROM _snowid.convert_twins(tbl, col) WHERE rel = indrelid
            AND (num = ANY (indkey) OR EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = indexrelid AND refclassid = 'pg_class'::regclass AND refobjid = rel AND refobjsubid = num)))
        ORDER BY indrelid::regclass::text, k.relname
    LOOP
        rel := i.indrelid;
        index := i.indexrelid;
        keys := ARRAY(SELECT k FROM unnest(i.indkey) WITH ORDINALITY AS u (k, n) ORDER BY n);
        -- names may hold any word, so it is cut by lengths
        begun := format('CREATE %sINDEX %I ON %s%s', CASE WHEN i.indisunique THEN 'UNIQUE ' END, i.relname, CASE i.relpersistence WHEN 't' THEN 'pg_temp.' END, rel);
        condition := coalesce(' WHERE ' || pg_get_expr(i.indpred, rel), '');
        columns := substr(pg_get_indexdef(index), length(begun) + 1);
        columns := left(columns, length(columns) - length(condition));
        FOR c IN SELECT * FROM _snowid.convert_twins(tbl, col) WHERE rel = convert_indexes.rel LOOP
            SELECT _snowid.convert_renamed(columns, c.name, c.twin), _snowid.convert_renamed(condition, c.name, c.twin) INTO columns, condition;
            keys := array_replace(keys, c.num, c.twin_num);
        END LOOP;
        statement := format('CREATE %sINDEX CONCURRENTLY %I ON %s%s%s%s', CASE WHEN i.indisunique THEN 'UNIQUE ' END, i.twin, rel, columns,
            coalesce(' TABLESPACE ' || quote_ident(i.spcname), ''), condition);
        twin := format('%I.%I', i.nspname, i.twin);
        is_there := to_regclass(twin) IS NOT NULL;
        is_valid := EXISTS (SELECT FROM pg_index AS x WHERE indexrelid = to_regclass(twin) AND indisvalid AND indrelid = rel AND indisunique = i.indisunique
            AND ARRAY(SELECT k FROM unnest(x.indkey) WITH ORDINALITY AS u (k, n) ORDER BY n) = keys);
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION _snowid.convert_indexes(regclass, name) IS 'the indexes that need a second one while their columns are converted online';

-- The foreign keys from or to such columns, and the same of the second ones.
CREATE FUNCTION _snowid.convert_keys(tbl regclass, col name, OUT rel regclass, OUT name name, OUT twin name, OUT other regclass, OUT definition text, OUT had_valid boolean,
    OUT is_there boolean, OUT is_valid boolean, OUT comment text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH twins AS MATERIALIZED (SELECT * FROM _snowid.convert_twins(tbl, col)), actions (action, told) AS (VALUES ('r', 'RESTRICT'), ('c', 'CASCADE'), ('n', 'SET NULL'), ('d', 'SET DEFAULT'))
    SELECT k.conrelid::regclass, k.conname, t.twin, k.confrelid::regclass,
        format('FOREIGN KEY (%s) REFERENCES %s (%s)%s%s%s%s%s', here.columns, k.confrelid::regclass, there.columns, CASE k.confmatchtype WHEN 'f' THEN ' MATCH FULL' ELSE '' END,
            (SELECT ' ON UPDATE ' || told FROM actions WHERE action = k.confupdtype), (SELECT ' ON DELETE ' || told FROM actions WHERE action = k.confdeltype),
            (SELECT format(' (%s)', string_agg(format('%I', coalesce(w.twin, attname)), ', ')) FROM unnest(k.confdelsetcols) AS n JOIN pg_attribute ON attrelid = k.conrelid AND attnum = n
                LEFT JOIN twins AS w ON w.rel = k.conrelid AND w.num = n HAVING count(*) > 0),
            CASE WHEN k.condeferrable THEN ' DEFERRABLE' ELSE '' END || CASE WHEN k.condeferred THEN ' INITIALLY DEFERRED' ELSE '' END),
        k.convalidated, o.oid IS NOT NULL, o.oid IS NOT NULL AND (o.convalidated OR NOT k.convalidated), obj_description(k.oid, 'pg_constraint')
    FROM pg_constraint AS k CROSS JOIN LATERAL (SELECT _snowid.convert_twin(k.conname) AS twin) AS t
        CROSS JOIN LATERAL (SELECT string_agg(format('%I', coalesce(w.twin, attname)), ', ' ORDER BY n) AS columns, bool_or(w.num IS NOT NULL) AS has_twins FROM unnest(k.conkey) WITH ORDINALITY AS u (num, n)
            JOIN pg_attribute ON attrelid = k.conrelid AND attnum = u.num LEFT JOIN twins AS w ON w.rel = k.conrelid AND w.num = u.num) AS here
        CROSS JOIN LATERAL (SELECT string_agg(format('%I', coalesce(w.twin, attname)), ', ' ORDER BY n) AS columns, bool_or(w.num IS NOT NULL) AS has_twins FROM unnest(k.confkey) WITH ORDINALITY AS u (num, n)
            JOIN pg_attribute ON attrelid = k.confrelid AND attnum = u.num LEFT JOIN twins AS w ON w.rel = k.confrelid AND w.num = u.num) AS there
        LEFT JOIN pg_constraint AS o ON o.conrelid = k.conrelid AND o.conname = t.twin AND o.contype = 'f' AND o.confrelid = k.confrelid
    WHERE k.contype = 'f' AND k.conparentid = 0 AND (here.has_twins OR there.has_twins);
END;
COMMENT ON FUNCTION _snowid.convert_keys(regclass, name) IS 'the foreign keys that need a second one while their columns are converted online';

-- What goes with a column when it is dropped, as statements for its successor, in their order.
CREATE FUNCTION _snowid.convert_carried(rel regclass, num smallint, OUT part integer, OUT statement text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    SELECT 1, format('ALTER TABLE %s ALTER %I SET DEFAULT %s', rel, attname, pg_get_expr(adbin, adrelid)) FROM pg_attribute JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE attrelid = rel AND attnum = num
    UNION ALL SELECT 2, format('ALTER TABLE %s ALTER %I SET STATISTICS %s', rel, attname, attstattarget) FROM pg_attribute WHERE attrelid = rel AND attnum = num AND attstattarget >= 0
    UNION ALL SELECT 2, format('ALTER TABLE %s ALTER %I SET (%s)', rel, attname, o) FROM pg_attribute, unnest(attoptions) AS o WHERE attrelid = rel AND attnum = num AND starts_with(o, 'n_distinct')
    UNION ALL SELECT 3, format('COMMENT ON COLUMN %s.%I IS %L', rel, attname, col_description(rel, num)) FROM pg_attribute WHERE attrelid = rel AND attnum = num AND col_description(rel, num) IS NOT NULL
    UNION ALL SELECT 4, granted FROM _snowid.convert_granted(rel, num) AS granted
    UNION ALL SELECT 5, format('ALTER TABLE %s ADD CONSTRAINT %I %s NOT VALID', rel, conname, regexp_replace(pg_get_constraintdef(oid), ' NOT VALID$', ''))
        FROM pg_constraint WHERE conrelid = rel AND contype = 'c' AND num = ANY (conkey) AND conname <> 'snowid_same'
    UNION ALL SELECT 6, format('COMMENT ON CONSTRAINT %I ON %s IS %L', conname, rel, obj_description(oid, 'pg_constraint'))
        FROM pg_constraint WHERE conrelid = rel AND contype IN ('c', 'p', 'u') AND num = ANY (conkey) AND conname <> 'snowid_same' AND obj_description(oid, 'pg_constraint') IS NOT NULL
    UNION ALL SELECT 7, pg_get_statisticsobjdef(e.oid) || format(E';\nALTER STATISTICS %s.%I OWNER TO %s', stxnamespace::regnamespace, stxname, stxowner::regrole)
                || coalesce(format(E';\nALTER STATISTICS %s.%I SET STATISTICS %s', stxnamespace::regnamespace, stxname, CASE WHEN stxstattarget >= 0 THEN stxstattarget ELSE -1 END), '')
                || coalesce(format(E';\nCOMMENT ON STATISTICS %s.%I IS ', stxnamespace::regnamespace, stxname) || quote_literal(obj_description(e.oid, 'pg_statistic_ext')), '')
        FROM pg_statistic_ext AS e WHERE stxrelid = rel
            AND EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_statistic_ext'::regclass AND objid = e.oid AND refclassid = 'pg_class'::regclass AND refobjid = rel AND refobjsubid = num);
END;
COMMENT ON FUNCTION _snowid.convert_carried(regclass, smallint) IS 'the statements that give a column what its predecessor had';

-- The swap may be run whatever became of the steps before it, and of the tables since it was planned. So it asks here first.
CREATE FUNCTION _snowid.convert_ready(tbl regclass, col name, next_id text, planned text) RETURNS void
    LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    missing text;
    is_planned boolean;
BEGIN
    SELECT string_agg(DISTINCT what, ', ') INTO missing FROM (
            SELECT format('the valid constraint snowid_same of %s', rel) AS what FROM _snowid.convert_twins(tbl, col)
                WHERE NOT is_kept AND NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = rel AND conname = 'snowid_same' AND contype = 'c' AND convalidated AND conkey @> ARRAY[num, twin_num])
            UNION ALL SELECT format('the trigger of %s', rel) FROM _snowid.convert_twins(tbl, col) WHERE NOT is_kept AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = rel AND tgname = '~snowid_convert' AND tgenabled = 'A')
            UNION ALL SELECT format('the valid unique index of %s over %I', rel, name) FROM _snowid.convert_twins(tbl, col) JOIN pg_class ON oid = rel WHERE is_key AND _snowid.convert_kept_index(rel, num) IS NULL
            UNION ALL SELECT format('the valid index %s', twin) FROM _snowid.convert_indexes(tbl, col) WHERE NOT is_valid
            UNION ALL SELECT format('the valid foreign key %I of %s', twin, rel) FROM _snowid.convert_keys(tbl, col) WHERE NOT is_valid) AS m;
    IF missing IS NOT NULL THEN
        RAISE EXCEPTION 'the conversion of %.% is not ready for its swap', tbl, quote_ident(col) USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('It lacks %s.', missing), HINT = 'Ask for the plan again: it shows what is left to do.';
    END IF;
    is_planned := strpos(_snowid.convert_swap(tbl, col, next_id), planned) > 0;
    IF NOT is_planned THEN
        RAISE EXCEPTION 'what the swap of %.% was planned for has changed', tbl, quote_ident(col) USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = 'It would lose privileges, constraints, comments or something else of these tables that is newer than the plan.', HINT = 'Ask for the plan again.';
    END IF;
END $$;
COMMENT ON FUNCTION _snowid.convert_ready(regclass, name, text, text) IS 'raises an error unless an online conversion is ready for its swap';

CREATE FUNCTION _snowid.convert_swap(tbl regclass, col name, next_id text) RETURNS text
    LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    statements text[];
    locking integer;
    planned text;
BEGIN
    WITH twins AS MATERIALIZED (SELECT * FROM _snowid.convert_twins(tbl, col)), tables AS MATERIALIZED (SELECT rel, relnamespace, relname, count(*) OVER () AS n, rel IN (SELECT rel FROM twins WHERE NOT is_kept) AS is_written
                FROM pg_class, LATERAL (SELECT oid::regclass AS rel) AS r WHERE oid IN (SELECT rel FROM twins)),
            indexes AS MATERIALIZED (SELECT * FROM _snowid.convert_indexes(tbl, col)), keys AS MATERIALIZED (SELECT * FROM _snowid.convert_keys(tbl, col)),
            sequences AS MATERIALIZED (SELECT seq, rel, name FROM twins CROSS JOIN _snowid.convert_sequence(rel, num) JOIN pg_depend ON objid = seq AND deptype = 'a' AND refobjid = rel AND refobjsubid = num)
        SELECT array_agg(statement ORDER BY part, statement COLLATE "C"), count(*) FILTER (WHERE part < 5) INTO statements, locking FROM (
            SELECT 1 AS part, format('SET LOCAL lock_timeout = ''%s ms''', greatest(500 / max(n), 20)) AS statement FROM tables
            -- texts from the catalogue were made with this search_path; what follows in the same transaction was not
            UNION ALL SELECT 0, 'DO $swap$ BEGIN PERFORM pg_catalog.set_config(''snowid_convert.search_path'', pg_catalog.current_setting(''search_path''), true); END $swap$'
            UNION ALL SELECT 1, 'SET LOCAL search_path = pg_catalog, pg_temp'
            UNION ALL SELECT 99, 'DO $swap$ BEGIN PERFORM set_config(''search_path'', current_setting(''snowid_convert.search_path''), true); END $swap$'
            UNION ALL SELECT CASE WHEN rel = tbl THEN 3 ELSE 2 END, format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', rel) FROM tables
            UNION ALL SELECT 5, format('DROP TRIGGER "~snowid_convert" ON %s', rel) FROM tables WHERE is_written
            UNION ALL SELECT 6, format('DROP FUNCTION %s()', coalesce((SELECT tgfoid::regproc::text FROM pg_trigger JOIN pg_proc AS f ON f.oid = tgfoid
                    WHERE tgrelid = rel AND tgname = '~snowid_convert' AND starts_with(proname, 'snowid_')),
                format('%s.%I', relnamespace::regnamespace, _snowid.convert_twin('convert_' || relname)))) FROM tables WHERE is_written
            UNION ALL SELECT 7, CASE WHEN conname IS NULL THEN format('ALTER TABLE %s ALTER %I SET NOT NULL', rel, twin)
                    ELSE format('ALTER TABLE %s ADD CONSTRAINT %I NOT NULL %I', rel, _snowid.convert_twin(conname), twin) END
                FROM twins JOIN pg_attribute ON attrelid = rel AND attnum = num AND attnotnull LEFT JOIN pg_constraint ON conrelid = rel AND contype = 'n' AND conkey = ARRAY[num] WHERE NOT is_kept
            UNION ALL SELECT 10, format('ALTER TABLE %s DROP CONSTRAINT snowid_same', rel) FROM tables WHERE is_written
            UNION ALL SELECT 20, format('ALTER TABLE %s DROP CONSTRAINT %I', rel, name) FROM keys
            UNION ALL SELECT 30, format('ALTER SEQUENCE %s OWNED BY NONE', seq) FROM sequences
            UNION ALL SELECT 35, dropped FROM _snowid.convert_rebuilt(tbl, col)
            UNION ALL SELECT 38, statement FROM twins CROSS JOIN _snowid.convert_set_aside(rel, name) AS statement WHERE is_key
            UNION ALL SELECT 40, format('ALTER TABLE %s %s', rel, string_agg(format('DROP %I', name), ', ' ORDER BY num)) FROM twins WHERE NOT is_key GROUP BY rel
            UNION ALL SELECT 41, format('ALTER TABLE %s RENAME %I TO %I', rel, twin, name) FROM twins
            UNION ALL SELECT 42, format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', rel, _snowid.convert_twin(conname), conname) FROM twins JOIN pg_constraint ON conrelid = rel AND contype = 'n' AND conkey = ARRAY[num] WHERE NOT is_kept
            UNION ALL SELECT 42, format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', rel, k.conname, o.conname) FROM twins JOIN pg_constraint AS o ON o.conrelid = rel AND o.contype = 'n' AND o.conkey = ARRAY[num]
                JOIN pg_constraint AS k ON k.conrelid = rel AND k.contype = 'n' AND k.conkey = ARRAY[twin_num] WHERE is_kept
            UNION ALL SELECT 50, CASE WHEN contype IS NULL THEN format('ALTER INDEX %s RENAME TO %I', twin, relname)
                    ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s USING INDEX %I%s%s', rel, conname, CASE contype WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END, _snowid.convert_twin(relname),
                        CASE WHEN condeferrable THEN ' DEFERRABLE' ELSE '' END, CASE WHEN condeferred THEN ' INITIALLY DEFERRED' ELSE '' END) END
                FROM indexes JOIN pg_class ON oid = index LEFT JOIN pg_constraint ON conindid = index AND contype IN ('p', 'u')
            UNION ALL SELECT 51, format('COMMENT ON INDEX %s IS %L', index, obj_description(index, 'pg_class')) FROM indexes WHERE obj_description(index, 'pg_class') IS NOT NULL
            UNION ALL SELECT 52, format('ALTER TABLE %s REPLICA IDENTITY USING INDEX %I', rel, relname) FROM indexes JOIN pg_class ON oid = index JOIN pg_index ON indexrelid = index WHERE indisreplident
            UNION ALL SELECT 52, format('ALTER TABLE %s CLUSTER ON %I', rel, relname) FROM indexes JOIN pg_class ON oid = index JOIN pg_index ON indexrelid = index WHERE indisclustered
            UNION ALL SELECT 60, format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', rel, twin, name) FROM keys
            UNION ALL SELECT 61, format('COMMENT ON CONSTRAINT %I ON %s IS %L', name, rel, comment) FROM keys WHERE comment IS NOT NULL
            UNION ALL SELECT 70, format('ALTER SEQUENCE %s OWNED BY %s.%I', seq, rel, name) FROM sequences
            UNION SELECT 80 + part, statement FROM twins, _snowid.convert_carried(rel, num) WHERE NOT (part = 1 AND rel = tbl AND name = col)
            UNION ALL SELECT 91, format('COMMENT ON COLUMN %s.%I IS %L', rel, name, CASE WHEN is_key THEN concat_ws(E'\n', told, 'snowid: before, a uuid, now in ' || quote_ident(_snowid.convert_new_name(rel)))
                    ELSE nullif(regexp_replace(told, '\n?[^\n]*$', ''), '') END)
                FROM twins CROSS JOIN LATERAL (SELECT col_description(rel, num) AS told) AS d WHERE is_key OR is_kept
            UNION ALL SELECT 96, s FROM _snowid.convert_recompiled(tbl, col) AS s
            UNION ALL SELECT 95, created FROM _snowid.convert_rebuilt(tbl, col)
            UNION ALL SELECT 90, statement FROM _snowid.convert_default(tbl, col, next_id, true)) AS parts;
    -- the old sequence goes on until the swap
    planned := md5(regexp_replace(array_to_string(statements, ';'), ', last value -?\d+', '', 'g'));
    RETURN array_to_string(statements[:locking] || format('SELECT _snowid.convert_ready(%L::regclass, %L, %L, %L)', tbl, col, next_id, planned) || statements[locking + 1:], E';\n');
END $$;
COMMENT ON FUNCTION _snowid.convert_swap(regclass, name, text) IS 'the statements of the swap at the end of an online conversion, which are one transaction';

-- What an online conversion that was given up has left beside columns, as statements that drop it.
CREATE FUNCTION _snowid.convert_dropped(tbl regclass, col name, OUT statement text, OUT locks text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 1
BEGIN ATOMIC
    WITH twins AS MATERIALIZED (SELECT rel, attnum, attname, tgfoid FROM _snowid.convert_columns(tbl, col) AS c JOIN pg_trigger ON tgrelid = rel AND tgname = '~snowid_convert'
        JOIN pg_attribute ON attrelid = rel AND attname = _snowid.convert_twin(c.name) AND NOT attisdropped)
    SELECT string_agg(s, E';\n' ORDER BY part, s COLLATE "C"), (SELECT 'ACCESS EXCLUSIVE on ' || string_agg(DISTINCT rel::text, ', ') FROM twins) FROM (
        SELECT 1 AS part, format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS s FROM twins JOIN pg_constraint ON contype = 'f' AND confrelid = rel AND attnum = ANY (confkey)
        UNION SELECT 2, format('DROP TRIGGER "~snowid_convert" ON %s', rel) FROM twins
        UNION SELECT 3, format('DROP FUNCTION %s()', tgfoid::regproc) FROM twins JOIN pg_proc AS f ON f.oid = tgfoid WHERE starts_with(proname, 'snowid_')  -- the trigger is the owner's, who may name any
        UNION SELECT 4, format('DROP INDEX %s.%I', relnamespace::regnamespace, i.relname) FROM (SELECT DISTINCT rel FROM twins) AS t JOIN pg_class AS c ON c.oid = rel JOIN pg_index ON indrelid = rel JOIN pg_class AS i USING (relnamespace)
            WHERE i.oid = indexrelid AND i.relname = _snowid.convert_twin('uuid_' || c.relname)
        UNION ALL SELECT 5, format('ALTER TABLE %s %s', rel, string_agg(format('DROP %I', attname), ', ' ORDER BY attnum)) FROM twins GROUP BY rel) AS parts
    HAVING count(*) > 0;
END;
COMMENT ON FUNCTION _snowid.convert_dropped(regclass, name) IS 'the statements that drop what an online conversion that was given up has left';

-- The tables of a stage, which is that of the key or that of all other columns: what to add to each, the condition that holds for both columns, and how far
-- it has come.
CREATE FUNCTION _snowid.convert_stage(tbl regclass, col name, of_key boolean, OUT rel regclass, OUT columns text, OUT same text, OUT is_begun boolean, OUT is_same boolean, OUT is_filled boolean, OUT rows bigint, OUT keyed boolean) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    SELECT rel, string_agg(format('ADD %I %s', twin, CASE WHEN keyed AND _snowid.convert_kept(tbl, col) IS NOT NULL THEN 'uuid' ELSE 'bigint' END), ', ' ORDER BY num) FILTER (WHERE twin_num IS NULL AND is_key = of_key),
        string_agg(format(CASE WHEN attnotnull AND keyed THEN '%1$I IS NOT NULL AND %2$I IS NOT NULL' WHEN keyed THEN '(%1$I IS NULL) OPERATOR(pg_catalog.=) (%2$I IS NULL)'
            WHEN attnotnull THEN '%1$I IS NOT NULL AND %1$I OPERATOR(pg_catalog.=) %2$I' ELSE 'coalesce(%1$I OPERATOR(pg_catalog.=) %2$I, %1$I IS NULL AND %2$I IS NULL)' END, twin, t.name), ' AND ' ORDER BY num),
        bool_and(twin_num IS NOT NULL AND (k.oid IS NOT NULL OR of_key)) AND EXISTS (SELECT FROM pg_trigger WHERE tgrelid = rel AND tgname = '~snowid_convert' AND tgenabled = 'A'),
        bool_and(k.oid IS NOT NULL), bool_and(k.oid IS NOT NULL AND k.convalidated), greatest(reltuples, 0)::bigint, bool_or(keyed)
    FROM _snowid.convert_twins(tbl, col) AS t JOIN pg_class AS c ON c.oid = rel JOIN pg_attribute ON attrelid = rel AND attnum = num
        LEFT JOIN pg_constraint AS k ON conrelid = rel AND conname = 'snowid_same' AND contype = 'c' AND conkey @> ARRAY[num, twin_num]
    WHERE NOT is_kept AND (is_key OR NOT of_key) GROUP BY rel, reltuples HAVING bool_or(is_key = of_key) ORDER BY rel::text;
END;
COMMENT ON FUNCTION _snowid.convert_stage(regclass, name, boolean) IS 'the tables of a stage of an online conversion';

CREATE FUNCTION _snowid.convert_begin(tbl regclass, col name, of_key boolean, next_id text, time_col name, layout text, OUT statement text, OUT locks text, OUT rows bigint, OUT note text) RETURNS SETOF record
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    t record;
    w record;
    rule text;
    zone text;
BEGIN
    FOR t IN SELECT * FROM _snowid.convert_stage(tbl, col, of_key) WHERE NOT is_begun LOOP
        rule := NULL;
        IF of_key AND t.columns IS NOT NULL THEN
            SELECT _snowid.convert_worker(layout) AS worker INTO w;
            zone := (SELECT current_setting('TimeZone') FROM pg_attribute WHERE attrelid = tbl AND attname = time_col AND atttypid = 'timestamp'::regtype);
            statement := format('SELECT _snowid.convert_check_times(%L::regclass, %L, %L, %s, %L)', tbl, time_col, zone, w.worker, layout);
            locks := 'ACCESS SHARE on ' || tbl;
            rows := t.rows;
            rule := format('old rows get ids of the time in %I%s and of worker %s', time_col, ', read in time zone ' || zone || ',', w.worker);
            note := rule || ', which no server may have had';
            rule := rule || coalesce(' in layout ' || layout, '');
            RETURN NEXT;
        END IF;
        SELECT string_agg(_snowid.convert_written(tbl, col, rel, name, next_id), '' ORDER BY is_key DESC, num) AS writes, keyed AS looks_up, min(twin) FILTER (WHERE is_key) AS key_twin,
                format('%s.%I', relnamespace::regnamespace, _snowid.convert_twin('convert_' || relname)) AS function, EXISTS (SELECT FROM pg_trigger JOIN pg_proc AS f ON f.oid = tgfoid
                    WHERE tgrelid = rel AND tgname = '~snowid_convert' AND pronamespace = relnamespace AND proname = _snowid.convert_twin('convert_' || relname)) AS is_there INTO w
            FROM _snowid.convert_twins(tbl, col) JOIN pg_class ON oid = rel WHERE rel = t.rel AND NOT is_kept AND (is_key OR NOT of_key) GROUP BY rel, relnamespace, relname, keyed;
        statement := concat_ws(E';\n', 'SET LOCAL lock_timeout = ''500 ms''', format('ALTER TABLE %s ', t.rel) || t.columns, format('COMMENT ON COLUMN %s.', t.rel) || quote_ident(w.key_twin) || ' IS ' || quote_literal('snowid: ' || rule),
            -- another's function of that name is an error
            format('CREATE %sFUNCTION %s() RETURNS trigger LANGUAGE plpgsql%s AS %L', CASE WHEN w.is_there OR w.key_twin IS NOT NULL AND NOT of_key THEN 'OR REPLACE ' END, w.function,
                CASE WHEN w.looks_up THEN ' SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET row_security = off' END, 'BEGIN ' || w.writes || 'RETURN NEW; END'),
            -- it has the rights of the table's owner, who also drops it, and nobody else can make triggers of it
            CASE WHEN w.looks_up THEN format('REVOKE ALL ON FUNCTION %s() FROM PUBLIC', w.function) END,
            (SELECT format('ALTER FUNCTION %s() OWNER TO %s', w.function, relowner::regrole) FROM pg_class AS c, pg_roles AS r WHERE c.oid = t.rel AND rolname = current_user AND rolsuper AND relowner <> r.oid),
            format('CREATE OR REPLACE TRIGGER "~snowid_convert" BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION %s()', t.rel, w.function),
            format('ALTER TABLE %s ENABLE ALWAYS TRIGGER "~snowid_convert"', t.rel),
            CASE WHEN NOT of_key THEN concat_ws(E';\n', CASE WHEN w.key_twin IS NOT NULL OR EXISTS (SELECT FROM pg_constraint WHERE conrelid = t.rel AND conname = 'snowid_same') THEN format('ALTER TABLE %s DROP CONSTRAINT snowid_same', t.rel) END,
                format('ALTER TABLE %s ADD CONSTRAINT snowid_same CHECK (%s) NOT VALID', t.rel, t.same)) END);
        locks := 'ACCESS EXCLUSIVE on ' || t.rel;
        rows := NULL;
        note := CASE WHEN of_key THEN 'the second column, where new rows have an id of now' WHEN w.looks_up THEN 'second columns, which a trigger looks up' ELSE 'second columns, which a trigger writes along with the first' END;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION _snowid.convert_begin(regclass, name, boolean, text, name, text) IS 'the statements that begin a stage of an online conversion';

CREATE FUNCTION _snowid.convert_filled(tbl regclass, col name, of_key boolean, OUT statement text, OUT locks text, OUT rows bigint, OUT note text) RETURNS SETOF record
    LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    t record;
BEGIN
    FOR t IN SELECT * FROM _snowid.convert_stage(tbl, col, of_key) WHERE NOT is_filled LOOP
        statement := format('CALL %s.snowid_convert_fill(%L::regclass)', _snowid.public_schema(), t.rel);
        locks := 'ROW EXCLUSIVE on ' || t.rel;
        rows := t.rows;
        note := 'in batches; goes on where it was stopped'
            || CASE WHEN NOT has_parameter_privilege('session_replication_role', 'SET') AND EXISTS (SELECT FROM pg_trigger WHERE tgrelid = t.rel AND NOT tgisinternal AND tgname <> '~snowid_convert' AND tgtype & 17 = 17)
                THEN '; fires the triggers of the table'
                WHEN EXISTS (SELECT FROM pg_trigger WHERE tgrelid = t.rel AND tgenabled = 'A' AND tgname <> '~snowid_convert' AND tgtype & 17 = 17) THEN '; fires the triggers of the table that are ENABLE ALWAYS' ELSE '' END;
        RETURN NEXT;
        IF NOT t.is_same AND of_key THEN
            statement := format(E'SET LOCAL lock_timeout = ''500 ms'';\nALTER TABLE %s ADD CONSTRAINT snowid_same CHECK (%s) NOT VALID', t.rel, t.same);
            locks := 'ACCESS EXCLUSIVE on ' || t.rel;
            rows := NULL;
            note := NULL;
            RETURN NEXT;
        END IF;
        statement := format('ALTER TABLE %s VALIDATE CONSTRAINT snowid_same', t.rel);
        locks := 'SHARE UPDATE EXCLUSIVE on ' || t.rel;
        rows := t.rows;
        note := 'is an error if a second column is not ' || CASE WHEN t.keyed THEN 'filled' ELSE 'the same as the first' END;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION _snowid.convert_filled(regclass, name, boolean) IS 'the statements that fill the second columns of a stage';

CREATE FUNCTION _snowid.convert_indexed(tbl regclass, col name, of_key boolean, OUT statement text, OUT locks text, OUT rows bigint, OUT note text) RETURNS SETOF record
    LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    t record;
BEGIN
    FOR t IN SELECT i.*, greatest(reltuples, 0)::bigint AS n FROM _snowid.convert_indexes(tbl, col) AS i JOIN pg_class AS c ON c.oid = i.rel JOIN pg_index ON indexrelid = index WHERE NOT is_valid
        AND of_key = EXISTS (SELECT FROM _snowid.convert_twins(tbl, col) AS k WHERE k.rel = i.rel AND is_key AND indisunique AND indnkeyatts = 1 AND indkey[0] = num) LOOP
        locks := 'SHARE UPDATE EXCLUSIVE on ' || t.rel;
        IF t.is_there THEN
            statement := 'DROP INDEX CONCURRENTLY ' || t.twin;
            rows := NULL;
            note := 'it was not completed';
            RETURN NEXT;
        END IF;
        statement := t.statement;
        rows := t.n;
        note := NULL;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION _snowid.convert_indexed(regclass, name, boolean) IS 'the statements that make the indexes of a stage';

CREATE FUNCTION _snowid.convert_referred(tbl regclass, col name, OUT statement text, OUT locks text, OUT rows bigint, OUT note text) RETURNS SETOF record
    LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    t record;
BEGIN
    FOR t IN SELECT k.*, greatest(reltuples, 0)::bigint AS n FROM _snowid.convert_keys(tbl, col) AS k JOIN pg_class ON oid = rel
        WHERE NOT is_valid ORDER BY rel::text, name
    LOOP
        IF NOT t.is_there THEN
            statement := format(E'SET LOCAL lock_timeout = ''250 ms'';\nALTER TABLE %s ADD CONSTRAINT %I %s NOT VALID', t.rel, t.twin, t.definition);
            locks := format('SHARE ROW EXCLUSIVE on %s', t.rel) || CASE WHEN t.other <> t.rel THEN format(', %s', t.other) ELSE '' END;
            rows := NULL;
            RETURN NEXT;
        END IF;
        CONTINUE WHEN NOT t.had_valid;
        statement := format('ALTER TABLE %s VALIDATE CONSTRAINT %I', t.rel, t.twin);
        locks := format('SHARE UPDATE EXCLUSIVE on %s, ROW SHARE on %s', t.rel, t.other);
        rows := t.n;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION _snowid.convert_referred(regclass, name) IS 'the statements that make the foreign keys of second columns';

CREATE FUNCTION _snowid.convert_notes(tbl regclass, col name, OUT note text) RETURNS SETOF text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH twins AS MATERIALIZED (SELECT * FROM _snowid.convert_twins(tbl, col))
    SELECT format(CASE WHEN bool_or(keyed) THEN 'publication %I sends %s: take the table out of it first, because its subscribers cannot follow, and let them copy it again afterwards'
            ELSE 'publication %I sends %s: give its subscribers %s bigint first, because a column that they lack stops replication at once' END, pubname, rel, string_agg(quote_ident(twin), ', ' ORDER BY num))
        FROM twins JOIN pg_class AS c ON c.oid = rel JOIN pg_namespace AS n ON n.oid = relnamespace JOIN pg_publication_tables ON schemaname = nspname AND tablename = relname
        WHERE twin_num IS NULL GROUP BY pubname, rel
    UNION ALL SELECT format('%s of %s will stand at the end: INSERT, COPY and SELECT * without a list of columns take others for them', string_agg(quote_ident(name), ', ' ORDER BY num), rel)
        FROM twins GROUP BY rel HAVING min(num) < (SELECT max(attnum) FROM pg_attribute WHERE attrelid = rel AND NOT attisdropped AND NOT starts_with(attname, 'snowid_')) - count(*) + 1
    UNION ALL SELECT format('foreign key %I of %s is deferrable: until the swap, a row must come after the one that it refers to', conname, conrelid::regclass)
        FROM _snowid.convert_keys(tbl, col) AS k JOIN pg_constraint ON conrelid = rel AND conname = k.name WHERE condeferrable AND EXISTS (SELECT FROM twins WHERE keyed)
    UNION ALL SELECT format('%s has triggers (%s), which the fill fires for every row, because %3$I may not turn them off: GRANT SET ON PARAMETER session_replication_role TO %3$I', tgrelid::regclass, string_agg(quote_ident(tgname), ', ' ORDER BY tgname), current_user)
        FROM pg_trigger WHERE tgrelid IN (SELECT rel FROM twins) AND NOT tgisinternal AND tgname <> '~snowid_convert' AND tgtype & 17 = 17 AND tgenabled <> 'D' AND NOT has_parameter_privilege('session_replication_role', 'SET') GROUP BY tgrelid
    ORDER BY 1;
END;
COMMENT ON FUNCTION _snowid.convert_notes(regclass, name) IS 'what to know before an online conversion';

CREATE FUNCTION _snowid.convert_online(tbl regclass, col name, next_id text, time_col name, layout text, OUT statement text, OUT locks text, OUT rows bigint, OUT note text) RETURNS SETOF record
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    keyed boolean;
    of_key boolean;
    t record;
BEGIN
    RETURN QUERY SELECT NULL, NULL, NULL::bigint, note FROM _snowid.convert_notes(tbl, col) AS note;
    -- other columns are looked up in those of the key
    FOR of_key IN SELECT DISTINCT is_key FROM _snowid.convert_twins(tbl, col) ORDER BY is_key DESC LOOP
        RETURN QUERY SELECT * FROM _snowid.convert_begin(tbl, col, of_key, next_id, time_col, layout);
        IF of_key THEN  -- the fill asks it which ids there are
            RETURN QUERY SELECT * FROM _snowid.convert_indexed(tbl, col, true);
        END IF;
        RETURN QUERY SELECT * FROM _snowid.convert_filled(tbl, col, of_key);
    END LOOP;
    RETURN QUERY SELECT * FROM _snowid.convert_indexed(tbl, col, false);
    RETURN QUERY SELECT statement, 'SHARE UPDATE EXCLUSIVE on ' || tbl, NULL::bigint, note FROM _snowid.convert_uuid_indexed(tbl, col);
    RETURN QUERY SELECT * FROM _snowid.convert_referred(tbl, col);
    SELECT bool_or(keyed) INTO keyed FROM _snowid.convert_twins(tbl, col);
    IF keyed THEN
        statement := format('SELECT _snowid.convert_check_twins(%L::regclass, %L)', tbl, col);
        locks := 'ACCESS SHARE on each table';
        note := 'is an error unless each row refers to the same row by both columns';
        RETURN NEXT;
    END IF;
    SELECT _snowid.convert_swap(tbl, col, next_id), 'ACCESS EXCLUSIVE on ' || string_agg(DISTINCT rel::text, ', ') INTO statement, locks FROM _snowid.convert_twins(tbl, col);
    note := 'the swap: if it does not get its locks, nothing has happened, and it can be tried again';
    RETURN NEXT;
    FOR t IN SELECT DISTINCT rel::text, conname FROM _snowid.convert_twins(tbl, col) JOIN pg_constraint ON conrelid = rel AND contype = 'c' AND num = ANY (conkey) AND conname <> 'snowid_same' AND convalidated ORDER BY 1, 2 LOOP
        statement := format('ALTER TABLE %s VALIDATE CONSTRAINT %I', t.rel, t.conname);
        locks := 'SHARE UPDATE EXCLUSIVE on ' || t.rel;
        note := 'after the swap';
        RETURN NEXT;
    END LOOP;
    SELECT 'ANALYZE ' || string_agg(DISTINCT rel::text, ', ') INTO statement FROM _snowid.convert_twins(tbl, col);
    locks := 'SHARE UPDATE EXCLUSIVE on one table at a time';
    note := 'after the swap: the new columns have no statistics yet';
    RETURN NEXT;
END $$;
COMMENT ON FUNCTION _snowid.convert_online(regclass, name, text, name, text) IS 'the statements that are left of an online conversion';

-- One batch: the rows of some pages that have no second columns yet. Rows that others have locked are left for the next time, so that
-- it never waits and cannot be part of a deadlock. A row that was updated while it was being locked is not found where the statement's
-- snapshot has it, and is left too. The table's own triggers find what the caller's search_path names.
CREATE FUNCTION _snowid.convert_rows_as_owner(tbl regclass, first bigint, pages bigint, batch integer, path text, OUT filled bigint, OUT remaining bigint)
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET row_security = off AS $$
#variable_conflict use_column
DECLARE
    pairs record;
    range text := format('ctid OPERATOR(pg_catalog.>=) %L::pg_catalog.tid AND ctid OPERATOR(pg_catalog.<) %L::pg_catalog.tid', format('(%s,0)', first), format('(%s,0)', first + pages));
    statement text;
    found bigint := 0;
BEGIN
    PERFORM _snowid.require_owner(tbl);
    SELECT string_agg(format('%1$I = %1$I', twin), ', ') FILTER (WHERE made IS NULL) AS touched, string_agg(format('%I IS NULL AND %I IS NOT NULL', twin, one.attname), ' OR ') FILTER (WHERE made IS NULL) AS unfilled,
            min(twin) FILTER (WHERE made IS NOT NULL) AS key_twin, min(one.attname) FILTER (WHERE made IS NOT NULL) AS key, min(made) AS made, min(worker) AS worker, min(layout) AS layout INTO pairs
        FROM pg_attribute AS one, _snowid.convert_twin(attname) AS twin JOIN pg_attribute AS two ON attrelid = tbl AND attname = twin LEFT JOIN _snowid.convert_rule(tbl, twin) ON true
        WHERE one.attrelid = tbl AND NOT one.attisdropped AND NOT two.attisdropped AND EXISTS (SELECT FROM pg_trigger WHERE tgrelid = tbl AND tgname = '~snowid_convert' AND tgenabled = 'A');
    IF pairs.touched IS NULL AND pairs.key IS NULL THEN
        RAISE EXCEPTION '% has no columns to fill', tbl USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Begin with the statements of snowid_convert_plan(..., online => true).';
    END IF;
    IF pairs.key IS NOT NULL THEN
        SELECT * INTO filled, found FROM _snowid.convert_key_batch(tbl, range, batch, pairs.key, pairs.key_twin, pairs.made, pairs.worker, pairs.layout, path);
    END IF;
    IF found = 0 AND pairs.touched IS NOT NULL THEN  -- the trigger writes them
        statement := format('WITH free AS MATERIALIZED (SELECT ctid FROM ONLY %1$s WHERE %3$s AND (%4$s) LIMIT %5$s FOR NO KEY UPDATE SKIP LOCKED),
                filled AS (UPDATE ONLY %1$s SET %2$s WHERE ctid OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT ctid FROM free)) RETURNING 1)
            SELECT (SELECT pg_catalog.count(*) FROM filled), (SELECT pg_catalog.count(*) FROM ONLY %1$s WHERE ctid OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT ctid FROM free)))', tbl, pairs.touched, range, pairs.unfilled, batch);
        PERFORM set_config('search_path', path, true);
        EXECUTE statement INTO filled, found;
        PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    END IF;
    IF filled = 0 AND found > 0 THEN
        RAISE EXCEPTION '% rows of % cannot be filled', found, tbl USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = 'A BEFORE UPDATE trigger of the table keeps them as they are.', HINT = 'Disable that trigger until the table is filled.';
    END IF;
    EXECUTE format('SELECT count(*) FROM ONLY %s WHERE %s AND (%s)', tbl, range, concat_ws(' OR ', pairs.unfilled, quote_ident(pairs.key_twin) || ' IS NULL')) INTO remaining;
END $$;
COMMENT ON FUNCTION _snowid.convert_rows_as_owner(regclass, bigint, bigint, integer, text) IS 'fills the second columns of some pages of a table, as its owner';
CREATE FUNCTION _snowid.convert_rows(tbl regclass, first bigint, pages bigint, batch integer, path text, OUT filled bigint, OUT remaining bigint)
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'snowid_as_owner';
COMMENT ON FUNCTION _snowid.convert_rows(regclass, bigint, bigint, integer, text) IS 'fills the second columns of some pages of a table';

-- The table's own triggers are not fired if the caller may turn them off.
CREATE FUNCTION _snowid.convert_batch(tbl regclass, first bigint, pages bigint, batch integer, path text, OUT filled bigint, OUT remaining bigint)
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    role text := current_setting('session_replication_role');
BEGIN
    IF has_parameter_privilege('session_replication_role', 'SET') THEN
        PERFORM set_config('session_replication_role', 'replica', true);
    END IF;
    SELECT * INTO filled, remaining FROM _snowid.convert_rows(tbl, first, pages, batch, path);
    IF current_setting('session_replication_role') <> role THEN
        PERFORM set_config('session_replication_role', role, true);
    END IF;
END $$;
COMMENT ON FUNCTION _snowid.convert_batch(regclass, bigint, bigint, integer, text) IS 'fills the second columns of some pages of a table, without firing its triggers if that can be';

-- A procedure that commits cannot have a search_path of its own, so each name has its schema here.
CREATE PROCEDURE @extschema@.snowid_convert_fill(tbl regclass, batch integer DEFAULT 5000, pause interval DEFAULT '0', max_lag interval DEFAULT '10 s')
    LANGUAGE plpgsql AS $$
DECLARE
    last bigint;
    first bigint;
    pages bigint := 1;
    filled bigint;
    remaining bigint;
    left_over bigint;
    done bigint := 0;
    begun timestamptz := pg_catalog.clock_timestamp();
    told timestamptz := begun;
    path text := pg_catalog.current_setting('search_path'::pg_catalog.text);
BEGIN
    IF tbl IS NULL THEN
        RAISE EXCEPTION 'the table to convert must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF batch IS NULL OR batch OPERATOR(pg_catalog.<) 1 OR pause IS NULL OR pause OPERATOR(pg_catalog.<) '0'::pg_catalog.interval THEN
        RAISE EXCEPTION 'batch must be at least 1, and pause not negative' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    LOOP
        last := pg_catalog.pg_relation_size(tbl) OPERATOR(pg_catalog./) pg_catalog.current_setting('block_size'::pg_catalog.text)::bigint;
        first := 0::bigint;
        left_over := 0::bigint;
        WHILE first OPERATOR(pg_catalog.<) last LOOP
            SELECT * INTO filled, remaining FROM _snowid.convert_batch(tbl, first, pages, batch, path);
            COMMIT;
            done := done OPERATOR(pg_catalog.+) filled;
            IF filled OPERATOR(pg_catalog.<) batch::bigint THEN
                first := first OPERATOR(pg_catalog.+) pages;
                left_over := left_over OPERATOR(pg_catalog.+) remaining;
            END IF;
            -- as many pages as have about one batch of rows
            pages := CASE WHEN filled OPERATOR(pg_catalog.=) batch::bigint THEN greatest(pages OPERATOR(pg_catalog./) 2::bigint, 1::bigint)
                WHEN filled OPERATOR(pg_catalog.<) (batch::bigint OPERATOR(pg_catalog./) 2::bigint) THEN least(pages OPERATOR(pg_catalog.*) 2::bigint, 4096::bigint) ELSE pages END;
            IF pg_catalog.clock_timestamp() OPERATOR(pg_catalog.>) (told OPERATOR(pg_catalog.+) '10 s'::pg_catalog.interval) THEN
                told := pg_catalog.clock_timestamp();
                RAISE NOTICE '%: page % of %, % rows filled, % a second', tbl, first, last, done,
                    pg_catalog.round(done::pg_catalog.numeric OPERATOR(pg_catalog./) EXTRACT(epoch FROM told OPERATOR(pg_catalog.-) begun));
            END IF;
            WHILE EXISTS (SELECT FROM pg_catalog.pg_stat_replication WHERE replay_lag OPERATOR(pg_catalog.>) max_lag) LOOP
                PERFORM pg_catalog.pg_sleep(0.1::pg_catalog.float8);
                COMMIT;
            END LOOP;
            PERFORM pg_catalog.pg_sleep(EXTRACT(epoch FROM pause)::pg_catalog.float8);
        END LOOP;
        -- an update may have moved a row behind the page that was read, so all pages are asked at once
        IF left_over OPERATOR(pg_catalog.=) 0::bigint THEN
            SELECT * INTO filled, left_over FROM _snowid.convert_batch(tbl, 0::bigint, 4294967295::bigint, batch, path);
            COMMIT;
            done := done OPERATOR(pg_catalog.+) filled;
        END IF;
        EXIT WHEN left_over OPERATOR(pg_catalog.=) 0::bigint;
        PERFORM pg_catalog.pg_sleep(0.1::pg_catalog.float8);
    END LOOP;
END $$;
COMMENT ON PROCEDURE @extschema@.snowid_convert_fill(regclass, integer, interval, interval) IS 'fills the second columns of an online conversion in batches that it commits; goes on where it was stopped';
