
-- conversion of a whole schema --------------------------------------------------------------
-- All keys of a schema are one list of columns, so each table is altered or filled once for all of them. What cannot go
-- is told, and the others go without it.

-- The keys of a schema: the columns of primary keys that have the whole key for themselves, or numbers of their own.
-- What refers to another table goes with that.
CREATE FUNCTION _snowid_convert.schema_keys(schema regnamespace, OUT rel regclass, OUT name name, OUT base regtype,
    OUT is_ours boolean, OUT has_default boolean) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 100
BEGIN ATOMIC
    WITH ours AS MATERIALIZED (SELECT o.rel, o.num FROM _snowid_convert.our_defaults() AS o)
    SELECT t.oid, attname, _snowid_convert.base(atttypid), (t.oid, attnum) IN (SELECT * FROM ours),
            _snowid_convert.makes_ids(t.oid, attnum)
        FROM pg_class AS t JOIN pg_constraint AS k ON conrelid = t.oid AND contype = 'p'
            JOIN pg_attribute ON attrelid = t.oid AND attnum = ANY (conkey)
        WHERE relnamespace = schema AND relkind IN ('r', 'p') AND NOT relispartition AND attinhcount = 0
            AND CASE WHEN cardinality(conkey) = 1 OR (t.oid, attnum) IN (SELECT * FROM ours) THEN true
                ELSE (SELECT seq FROM _snowid_convert.sequence(t.oid, attnum)) IS NOT NULL END
            AND NOT EXISTS (SELECT FROM pg_constraint AS f
                WHERE f.contype = 'f' AND f.conrelid = t.oid AND attnum = ANY (f.conkey) AND f.confrelid <> t.oid)
            AND NOT EXISTS (SELECT FROM pg_depend
                WHERE classid = 'pg_class'::regclass AND objid = t.oid AND deptype = 'e');
END;

-- Which of them are asked for. On the way back they are those that were moved or begun, and if none was moved, int
-- keys, which become wider. What has its old ids beside it is left to plans of its own.
CREATE FUNCTION _snowid_convert.schema_asked(schema regnamespace, target text, OUT rel regclass, OUT name name,
    OUT has_default boolean) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 100
BEGIN ATOMIC
    WITH keys AS MATERIALIZED (SELECT * FROM _snowid_convert.schema_keys(schema)),
        lists AS (SELECT array_agg(rel) AS tbls, array_agg(name) AS cols FROM keys WHERE target = 'bigserial'),
        begun AS MATERIALIZED (
            SELECT tbls[place] AS rel, cols[place] AS name
                FROM lists, _snowid_convert.members(tbls, cols) AS m
                    JOIN pg_trigger ON tgrelid = m.rel AND tgname = '~snowid_convert'
                    JOIN pg_attribute AS a ON a.attrelid = m.rel AND a.attnum = m.num
                    JOIN pg_attribute AS b ON b.attrelid = m.rel AND b.attname = _snowid_convert.twin(a.attname)
                        AND NOT b.attisdropped)
    SELECT rel, name, has_default FROM keys
        WHERE CASE target WHEN 'uuidv7' THEN base = 'uuid'::regtype AND NOT is_ours
            WHEN 'snowflake' THEN base <> 'uuid'::regtype AND base = ANY (_snowid_convert.types(target))
            ELSE CASE WHEN EXISTS (SELECT FROM keys WHERE is_ours)
                    THEN (is_ours OR (rel, name) IN (SELECT b.rel, b.name FROM begun AS b)) AND base <> 'uuid'::regtype
                ELSE base = ANY (_snowid_convert.small_types()) END END
            AND _snowid_convert.kept(rel, name) IS NULL;
END;

-- A key comes after those that its table refers to, and of a circle in the order of names.
CREATE FUNCTION _snowid_convert.in_order(INOUT tbls regclass[], INOUT cols name[])
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    below bigint[];
    above bigint[];
    rest bigint[] := ARRAY(SELECT n FROM unnest(tbls, cols) WITH ORDINALITY AS k (t, c, n) ORDER BY t::text, c);
    sorted bigint[] := '{}';
    free bigint[];
BEGIN
    SELECT array_agg(n), array_agg(m.place) INTO below, above
        FROM unnest(tbls) WITH ORDINALITY AS k (t, n) JOIN _snowid_convert.members(tbls, cols) AS m
            ON m.rel = t AND m.place <> n;
    WHILE cardinality(rest) > 0 LOOP
        free := ARRAY(SELECT p FROM unnest(rest) WITH ORDINALITY AS r (p, n) WHERE p NOT IN (
            SELECT b FROM unnest(below, above) AS e (b, a) WHERE a = ANY (rest)) ORDER BY n);
        IF free = '{}' THEN
            free := rest[1:1];
        END IF;
        sorted := sorted || free;
        rest := ARRAY(SELECT p FROM unnest(rest) WITH ORDINALITY AS r (p, n) WHERE p <> ALL (free) ORDER BY n);
    END LOOP;
    SELECT array_agg(tbls[p] ORDER BY n), array_agg(cols[p] ORDER BY n) INTO tbls, cols
        FROM unnest(sorted) WITH ORDINALITY AS s (p, n);
END $$;

-- What of a schema is not asked for, and why: tables that do not hold ids of keys that are, and keys without a default.
CREATE FUNCTION _snowid_convert.schema_stays(schema regnamespace, target text, set_default boolean, also text[])
    RETURNS SETOF text
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH keys AS (  -- those that have been moved, too
            SELECT array_agg(rel) AS tbls, array_agg(name) AS cols FROM _snowid_convert.schema_keys(schema)
                WHERE base = ANY (_snowid_convert.types(target)) AND (base = 'uuid'::regtype) = (target = 'uuidv7')),
        held AS (SELECT m.rel FROM keys CROSS JOIN LATERAL _snowid_convert.members(tbls, cols) AS m),
        others AS (
            SELECT t.oid::regclass AS tbl, relkind, conkey, cardinality(conkey) AS n, (
                        SELECT bool_or(_snowid_convert.base(atttypid) = 'uuid'::regtype) FROM pg_attribute
                            WHERE attrelid = t.oid AND attnum = ANY (conkey)) AS is_uuid, (
                        SELECT bool_or(_snowid_convert.base(atttypid) IN ('smallint'::regtype, 'integer'::regtype,
                                'bigint'::regtype))
                            FROM pg_attribute WHERE attrelid = t.oid AND attnum = ANY (conkey)) AS is_number, (
                        SELECT min(confrelid::regclass::text) FROM pg_constraint AS f
                            WHERE f.contype = 'f' AND f.conrelid = t.oid AND f.confrelid <> t.oid
                                AND f.conkey && k.conkey) AS other
                FROM pg_class AS t LEFT JOIN pg_constraint AS k ON conrelid = t.oid AND contype = 'p'
                WHERE relnamespace = schema AND relkind IN ('r', 'p', 'f') AND NOT relispartition
                    AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = t.oid)
                    AND t.oid NOT IN (SELECT rel FROM held)
                    AND t.oid NOT IN (SELECT n.rel FROM _snowid_convert.named(schema, also) AS n)
                    AND NOT EXISTS (SELECT FROM pg_depend
                        WHERE classid = 'pg_class'::regclass AND objid = t.oid AND deptype = 'e'))
    SELECT why FROM others, format(CASE WHEN relkind = 'f' THEN '%s is a foreign table: its ids come from elsewhere'
            WHEN conkey IS NULL THEN '%s has no primary key: name its column in a plan of its own'
            WHEN other IS NOT NULL THEN '%s has its key from %s, which stays as it is'
            WHEN n > 1 THEN '%s has a primary key of several columns, none with numbers of its own: name the column in '
                'a plan of its own'
            WHEN is_uuid AND target = 'snowflake'
            THEN '%s has UUIDs, and all rows would get other ids: it needs a plan of its own'
            WHEN NOT is_uuid AND target = 'uuidv7' THEN '%s has a primary key that is no uuid'
            WHEN NOT is_uuid AND NOT is_number THEN '%s has a primary key that is not a number' END, tbl, other) AS why
        WHERE why IS NOT NULL  -- it goes with another one, or has what is asked for
    UNION ALL
    SELECT format('%s.%I has no default, so its ids may come from elsewhere: it needs a plan of its own', rel, name)
        FROM _snowid_convert.schema_asked(schema, target)
        WHERE NOT has_default AND set_default IS NOT FALSE AND target <> 'bigserial'
    UNION ALL
    SELECT format('%s.%I has its old ids in %I, so it has a plan of its own', rel, name, kept)
        FROM _snowid_convert.schema_keys(schema), _snowid_convert.kept(rel, name) AS kept
        WHERE target <> 'uuidv7' AND kept IS NOT NULL
    ORDER BY 1;
END;

-- The keys that go, in their order, and what is taken along with them; and why others stay.
CREATE FUNCTION _snowid_convert.schema_scope(schema regnamespace, target text, generator text, online boolean,
    set_default boolean, also text[], owner oid, OUT going _snowid_convert.scope, OUT change text, OUT kept text[])
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    s record;
    places bigint[];
    tbls regclass[];
    cols name[];
    keys bigint;
    taken record;
BEGIN
    SELECT array_agg(rel), array_agg(name) INTO tbls, cols
        FROM _snowid_convert.schema_asked(schema, target) JOIN pg_class ON oid = rel
        WHERE (has_default OR set_default IS FALSE OR target = 'bigserial') AND relowner = coalesce(owner, relowner);
    kept := '{}';
    IF tbls IS NULL THEN
        RETURN;
    END IF;
    SELECT * INTO s FROM _snowid_convert.start(tbls[1], cols[1], target, generator);
    keys := cardinality(tbls);
    taken := _snowid_convert.also_taken(schema, also, owner, tbls, cols);
    tbls := tbls || taken.tbls;
    cols := cols || taken.cols;
    going := _snowid_convert.scope(tbls, cols);
    change := _snowid_convert.change(going, target, s.base, online, false);
    IF target = 'bigserial' AND change = 'default' THEN  -- the way back, where nothing can be in the way
        going := (SELECT _snowid_convert.scope(o.tbls || taken.tbls, o.cols || taken.cols)
            FROM _snowid_convert.in_order(tbls[:keys], cols[:keys]) AS o);
        RETURN;
    END IF;
    WITH members AS MATERIALIZED (SELECT * FROM _snowid_convert.members(tbls, cols)),
        reasons AS (
            SELECT place, regexp_replace(note, '^of the swap: ', '') AS reason
                FROM _snowid_convert.obstacles(going, change, s.next, NULL) AS o
                    JOIN members AS m ON m.rel = o.rel AND m.num = coalesce(o.num, m.num)
            UNION
            SELECT place, format('%s has another owner, with whose rights its constraints and indexes would not be '
                    'evaluated', rel::regclass)
                FROM members JOIN pg_class AS t ON t.oid = rel JOIN pg_class AS k ON k.oid = tbls[place]
                WHERE NOT online AND t.relowner <> k.relowner
            UNION
            SELECT place, h.note FROM members AS m, _snowid_convert.hiding(ARRAY[m.rel]) AS h)
    SELECT array_agg(DISTINCT place), kept || array_agg(format('%s.%I: %s', tbls[place], cols[place], reason)
            ORDER BY place, reason) INTO places, kept
        FROM reasons;
    going := (SELECT _snowid_convert.scope(o.tbls || k.taken_tbls, o.cols || k.taken_cols)
        FROM (SELECT array_agg(t) FILTER (WHERE n <= keys) AS tbls, array_agg(c) FILTER (WHERE n <= keys) AS cols,
                    array_agg(t) FILTER (WHERE n > keys) AS taken_tbls,
                    array_agg(c) FILTER (WHERE n > keys) AS taken_cols
                FROM unnest(tbls, cols) WITH ORDINALITY AS k (t, c, n)
                WHERE n <> ALL (coalesce(places, '{}'))) AS k, _snowid_convert.in_order(k.tbls, k.cols) AS o
        WHERE k.tbls IS NOT NULL);
    IF going.tbls IS NOT NULL THEN  -- what is left may all be wide
        change := _snowid_convert.change(going, target, s.base, online, false);
    END IF;
END $$;

-- The columns of 32 bits that stay, a line for each name. The last word of a name that leads the primary keys of
-- several tables, without a foreign key, says as much as one.
CREATE FUNCTION _snowid_convert.schema_columns(scope _snowid_convert.scope, schema regnamespace, OUT also text[],
    OUT told text, OUT is_suspect boolean, OUT columns bigint) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
    WITH found AS MATERIALIZED (
            SELECT f.rel, f.name, array_to_string(reasons, ' and ') AS why
                FROM _snowid_convert.found_by_all(scope) AS f WHERE NOT has_room),
        named AS MATERIALIZED (
            SELECT n.rel, n.num, n.name, relname, relnamespace, why, substring(lower(n.name) FROM '_([a-z]+)$') AS word,
                    p.conkey[1] = n.num AS leads, p.conkey = ARRAY[n.num] AS is_key
                FROM _snowid_convert.number_columns() AS n JOIN pg_class AS t ON t.oid = n.rel
                    LEFT JOIN found AS f ON f.rel = n.rel AND f.name = n.name
                    LEFT JOIN pg_constraint AS p ON conrelid = n.rel AND contype = 'p'
                WHERE n.base = ANY (_snowid_convert.small_types()) AND relkind <> 'f'
                    AND (relnamespace = schema OR starts_with(why, 'has the name'))
                    AND (n.rel, n.num) NOT IN (SELECT c.rel, c.num FROM _snowid_convert.columns(scope) AS c)
                    AND (p.conkey = ARRAY[n.num] AND _snowid_convert.makes_ids(n.rel, n.num)) IS NOT TRUE
                    AND NOT EXISTS (SELECT FROM pg_constraint AS f
                        WHERE f.conrelid = n.rel AND f.contype = 'f' AND n.num = ANY (f.conkey))
                    AND (SELECT seq FROM _snowid_convert.sequence(n.rel, n.num)) IS NULL),
        stay AS (
            SELECT n.rel, n.name, is_key, CASE WHEN relnamespace = schema
                        THEN format('%s.%I', CASE n.name WHEN 'id' THEN quote_ident(relname) ELSE '*' END, n.name)
                        ELSE format('%s.%I.%I', relnamespace::regnamespace, relname, n.name) END AS also,
                    coalesce(why, CASE WHEN led > 2 AND word <> 'id'
                        THEN format('names that end with %L lead the primary keys of %s tables', word, led)
                        WHEN NOT coalesce(is_key, false) AND n.name ~ '(^id|_u?ids?|[a-z]Ids?|reference|_latest)$'
                        THEN 'is named like a reference' END) AS why
                FROM (SELECT *, count(*) FILTER (WHERE leads) OVER (PARTITION BY word) AS led
                    FROM named) AS n)
    SELECT array_agg(DISTINCT also), format('%I of %s: %s%s', name, CASE count(*) WHEN 1 THEN min(rel::text)
                ELSE format('%s tables (%s%s)', count(*),
                    array_to_string((array_agg(rel::text ORDER BY rel::text))[:3], ', '),
                CASE WHEN count(*) > 3 THEN ', ...' ELSE '' END) END,
                coalesce(min(why), 'nothing says that it refers to a key'),
                CASE WHEN count(DISTINCT why) > 1 THEN ', or the like' ELSE '' END),
            count(why) > 0, count(*)
        FROM stay WHERE why IS NOT NULL OR is_key IS NOT TRUE GROUP BY name;
END;

-- What to say of the columns that may refer to keys of a schema.
CREATE FUNCTION _snowid_convert.schema_also(scope _snowid_convert.scope, schema regnamespace) RETURNS text
    LANGUAGE sql STABLE PARALLEL UNSAFE
BEGIN ATOMIC
    SELECT format('also => %L takes all of these along; with strict => false they stay as they are',
            array_agg(one ORDER BY one))
        FROM _snowid_convert.schema_columns(scope, schema) AS c, unnest(c.also) AS one WHERE is_suspect;
END;

-- Lists of keys that have a table in common, of which each can be swapped by itself. A column that is taken along goes
-- with the key that is named for it, or with those that it is named after, or else with all of them.
CREATE FUNCTION _snowid_convert.parts(schema regnamespace, also text[], INOUT tbls regclass[], INOUT cols name[])
    RETURNS SETOF record
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    places bigint[];
    rels oid[];
    rest bigint[];
    part bigint[];
    found bigint[];
    all_tbls regclass[] := tbls;
    all_cols name[] := cols;
BEGIN
    WITH list AS (
            SELECT tbl, col, n, (tbl, col) IN (SELECT k.rel, k.name
                        FROM _snowid_convert.keys_of_list(all_tbls, all_cols) AS k) AS is_key
                FROM unnest(all_tbls, all_cols) WITH ORDINALITY AS k (tbl, col, n)),
        told AS MATERIALIZED (
            SELECT n.rel, n.name, n.key FROM _snowid_convert.named(schema, also) AS n WHERE n.key IS NOT NULL),
        named AS MATERIALIZED (
            SELECT t.* FROM told AS t
            UNION ALL
            SELECT a.*
                FROM (SELECT array_agg(tbl) AS tbls, array_agg(col) AS cols FROM list WHERE is_key) AS k,
                    (SELECT array_agg(tbl) AS tbls, array_agg(col) AS cols FROM list WHERE NOT is_key) AS t
                    CROSS JOIN LATERAL _snowid_convert.named_after(k.tbls, k.cols, t.tbls, t.cols) AS a
                WHERE (a.rel, a.name) NOT IN (SELECT t.rel, t.name FROM told AS t)),
        linked AS (
            SELECT place, rel FROM _snowid_convert.members(tbls, cols)
            UNION ALL
            SELECT n, key FROM list JOIN named AS a ON a.rel = tbl AND a.name = col WHERE NOT is_key
            UNION ALL
            SELECT t.n, k.tbl FROM list AS t, list AS k
                WHERE NOT t.is_key AND k.is_key AND (t.tbl, t.col) NOT IN (SELECT a.rel, a.name FROM named AS a))
    SELECT array_agg(place), array_agg(rel), array_agg(DISTINCT place) INTO places, rels, rest FROM linked;
    WHILE cardinality(rest) > 0 LOOP
        found := rest[1:1];
        LOOP
            part := found;
            found := ARRAY(SELECT DISTINCT p FROM unnest(places, rels) AS m (p, r) WHERE r IN (
                SELECT r FROM unnest(places, rels) AS m (p, r) WHERE p = ANY (part)) ORDER BY p);
            EXIT WHEN found = part;
        END LOOP;
        SELECT array_agg(all_tbls[p] ORDER BY p), array_agg(all_cols[p] ORDER BY p) INTO tbls, cols
            FROM unnest(part) AS p;
        RETURN NEXT;
        rest := ARRAY(SELECT p FROM unnest(rest) AS p WHERE p <> ALL (part) ORDER BY p);
    END LOOP;
END $$;

-- Raises an error unless a schema can be converted.
CREATE FUNCTION _snowid_convert.check_schema(schema regnamespace, target text, tbl regclass, col name, also text[],
    time_col name, keep boolean) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF num_nonnulls(tbl, col, time_col) > 0 OR keep THEN
        RAISE EXCEPTION 'schema cannot be combined with tbl, col, time_col or keep'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF target IS NULL OR target NOT IN ('snowflake', 'uuidv7', 'bigserial') THEN
        RAISE EXCEPTION 'a column cannot be converted to %', coalesce(quote_literal(target), 'NULL')
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Use snowflake or uuidv7, or bigserial to go back.';
    END IF;
    IF schema IN ('pg_catalog', 'information_schema', 'pg_toast') THEN
        RAISE EXCEPTION '% is not a schema that can be converted', schema USING ERRCODE = 'wrong_object_type';
    END IF;
    PERFORM _snowid_convert.check_named(schema, CASE target WHEN 'uuidv7' THEN 'uuid' ELSE 'bigint' END::regtype, also);
END $$;

-- The statements that convert a schema.
CREATE FUNCTION _snowid_convert.schema_plan(schema regnamespace, target text, generator text, online boolean,
    set_default boolean, also text[], strict boolean,
    OUT statement text, OUT locks text, OUT rewrites boolean, OUT rows bigint, OUT note text) RETURNS SETOF record
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    found record;
    scope _snowid_convert.scope;
    s record;
    new_default text;
    blocks boolean;
    is_refused boolean := false;
BEGIN
    found := _snowid_convert.schema_scope(schema, target, generator, online, set_default, also, NULL);
    scope := found.going;
    RETURN QUERY SELECT NULL, NULL, NULL::boolean, NULL::bigint, 'Stays as it is: ' || kept
        FROM unnest(ARRAY(SELECT _snowid_convert.schema_stays(schema, target, set_default, also)) || found.kept)
            WITH ORDINALITY AS k (kept, n) ORDER BY n;
    IF scope.tbls IS NULL THEN
        RETURN;
    END IF;
    SELECT * INTO s FROM _snowid_convert.start(scope.tbl, scope.col, target, generator);
    new_default := CASE WHEN set_default IS FALSE AND generator IS NULL THEN '' ELSE s.next_id END;
    FOR note, blocks IN SELECT CASE WHEN b THEN 'In the way: ' ELSE 'Stays as it is: ' END || told, b
        FROM _snowid_convert.schema_columns(scope, schema), LATERAL (SELECT is_suspect AND strict IS NOT FALSE) AS s (b)
        WHERE target = 'snowflake' OR target = 'bigserial' AND found.change <> 'default'
        ORDER BY NOT b, NOT is_suspect, told
    LOOP
        is_refused := is_refused OR blocks;
        RETURN NEXT;
    END LOOP;
    RETURN QUERY SELECT DISTINCT NULL, NULL, NULL::boolean, NULL::bigint, note
        FROM _snowid_convert.advice(scope, target <> 'bigserial' OR found.change <> 'default', new_default <> '',
            s.next) ORDER BY note;
    IF is_refused THEN
        note := _snowid_convert.schema_also(scope, schema);
        RETURN NEXT;
        RETURN;
    ELSIF found.change <> 'online' THEN
        RETURN QUERY SELECT * FROM _snowid_convert.at_once(scope, target, found.change, new_default, online,
            false);
        RETURN;
    END IF;
    FOR scope IN SELECT s.* FROM _snowid_convert.parts(schema, also, scope.tbls, scope.cols) AS p,
            _snowid_convert.scope(p.tbls, p.cols) AS s
    LOOP
        IF _snowid_convert.change(scope, target, s.base, true, false) = 'online' THEN
            RETURN QUERY SELECT o.statement, o.locks, false, o.rows, o.note
                FROM _snowid_convert.online(scope, s.next_id, new_default, NULL, s.layout) AS o;
        ELSE  -- its swap is done
            RETURN QUERY SELECT * FROM _snowid_convert.at_once(scope, target, 'default', new_default, true,
                false);
        END IF;
    END LOOP;
END $$;

-- What snowid_convert_plan returns. Definitions must mean the same in a session with other settings.
CREATE FUNCTION _snowid_convert.convert_plan_as_caller(tbl regclass, col name, target text, generator text,
    online boolean, time_col name, set_default boolean, also text[], keep boolean, schema regnamespace, strict boolean,
    OUT step integer, OUT statement text, OUT locks text, OUT rewrites boolean, OUT rows bigint, OUT note text)
    RETURNS SETOF record
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off
    SET quote_all_identifiers = off SET datestyle = 'ISO' SET intervalstyle = 'postgres'
    SET extra_float_digits = 1 AS $$
BEGIN
    IF target = 'builtin' THEN
        PERFORM _snowid_convert.check_leaving(num_nonnulls(tbl, col, generator, also, schema, time_col) > 0, online,
            keep);
    ELSIF schema IS NOT NULL THEN
        PERFORM _snowid_convert.check_schema(schema, target, tbl, col, also, time_col, keep);
        RETURN QUERY SELECT row_number() OVER ()::integer, p.*
            FROM _snowid_convert.schema_plan(schema, target, generator, online, set_default, also, strict) AS p;
        RETURN;
    END IF;
    RETURN QUERY SELECT row_number() OVER ()::integer, p.*
        FROM _snowid_convert.plan(CASE target WHEN 'builtin' THEN _snowid_convert.leaving(_snowid_convert.roles(true))
                ELSE _snowid_convert.meant(tbl, col, target, also) END, target, generator, online, time_col,
            set_default, keep, true) AS p;
END $$;
CREATE FUNCTION @extschema@.snowid_convert_plan(tbl regclass DEFAULT NULL, col name DEFAULT NULL,
    target text DEFAULT 'snowflake', generator text DEFAULT NULL, online boolean DEFAULT false,
    time_col name DEFAULT NULL, set_default boolean DEFAULT NULL, also text[] DEFAULT NULL,
    keep boolean DEFAULT false, schema regnamespace DEFAULT NULL, strict boolean DEFAULT NULL,
    OUT step integer, OUT statement text, OUT locks text, OUT rewrites boolean, OUT rows bigint, OUT note text)
    RETURNS SETOF record
    LANGUAGE C STABLE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'snowid_as_caller';
COMMENT ON FUNCTION @extschema@.snowid_convert_plan(regclass, name, text, text, boolean, name, boolean, text[],
    boolean, regnamespace, boolean) IS
    'the statements of snowid_convert, or of an online conversion, and what stands in the way; changes nothing';
