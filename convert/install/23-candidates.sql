
-- conversion: columns that no key names ----------------------------------------------

-- A name of several rows, and what one of them may be called.
CREATE FUNCTION _snowid_convert.singulars(plural text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT ARRAY[plural, regexp_replace(plural, 's$', ''), regexp_replace(plural, 'es$', ''),
        regexp_replace(plural, 'ies$', 'y')];
END;

-- How the columns that refer to a key are called: users.id is user_id, userId, author_user_id, and the like; of
-- wiki_pages it is page_id too, unless there is a table pages. A key with a name of its own is at the end of theirs:
-- page.page_id of rev_page and old_page_id, job.jobid of basejobid.
CREATE FUNCTION _snowid_convert.names(tbl regclass, col name) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH parts AS (
            SELECT string_to_array(ltrim(lower(relname), '_'), '_') AS words, relnamespace
                FROM pg_class WHERE oid = tbl),
        tails AS (
            SELECT array_to_string(words[i:], '_') AS tail FROM parts, generate_subscripts(words, 1) AS i
                WHERE i = 1 OR NOT EXISTS (SELECT FROM pg_class AS o WHERE o.relnamespace = parts.relnamespace
                    AND relkind IN ('r', 'p') AND o.oid <> tbl AND lower(relname) = array_to_string(words[i:], '_'))),
        stems AS (
            SELECT DISTINCT regexp_replace(stem, '(\W)', '\\\1', 'g') AS stem
                FROM tails, unnest(_snowid_convert.singulars(tail)) AS stem WHERE stem <> ''),
        key AS (SELECT regexp_replace(lower(col), '(\W)', '\\\1', 'g') AS name)
    SELECT format('(^|_)(%s)(_from|_to)?_?%s(s|_?\d)?$', string_agg(stem, '|'), name)
            || CASE WHEN name ~ '._id$' THEN format('|(^|_)%s(_?ids?)?$', regexp_replace(name, '_id$', ''))
                WHEN name ~ '..id$' THEN format('|%s(_?\d|_(up|down|from|to|old|new|source|target))?$', name)
                WHEN bool_or(starts_with(name, stem)) THEN format('|^%s$', name) ELSE '' END
        FROM stems, key GROUP BY name;
END;

-- Which keys columns are named after: by the pattern above; by the table alone, where no column of the schema has the
-- name of the key behind it; by the end of a table's name that is not split into words (memberid of groupmembers); as
-- another row of its own table; or as frameworks name those who wrote a row, if the key is of a table of users in the
-- same schema. There are many columns of few names.
CREATE FUNCTION _snowid_convert.named_after(tbls regclass[], cols name[], rels regclass[], names name[],
    OUT rel regclass, OUT name name, OUT key regclass) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 100
BEGIN ATOMIC
    WITH keys AS MATERIALIZED (
            SELECT tbl, _snowid_convert.names(tbl, col) AS pattern, relnamespace AS schema, lower(col) = 'id' AS is_id,
                    (SELECT array_agg(DISTINCT one) FROM unnest(_snowid_convert.singulars(lower(relname))) AS one
                        WHERE length(one) > 2) AS stems,
                    relname ~* '(^|_)(users?|accounts?|persons?|people|principals?)$' AS is_users
                FROM unnest(tbls, cols) AS k (tbl, col) JOIN pg_class ON oid = tbl),
        columns AS MATERIALIZED (
            SELECT c.rel, c.name, lower(c.name) AS called, relnamespace AS schema
                FROM unnest(rels, names) AS c (rel, name) JOIN pg_class ON oid = c.rel),
        words AS MATERIALIZED (
            SELECT called, regexp_replace(called, '_?id$', '') AS stem, called ~ '^[a-z]{4,}id$' AS is_joined,
                    called ~ ('((ed|en|done|sent|made)_?(by|to|uid|user)|^(create|write|update)_?(by|uid|user))(_?id)?$'
                        '|^(author|owner|creator|editor|assignee|reporter|reviewer)(_?id)?$') AS is_of_user
                FROM (SELECT DISTINCT called FROM columns) AS c),
        ids AS MATERIALIZED (
            SELECT DISTINCT relnamespace AS schema, regexp_replace(lower(attname), '_?id$', '') AS stem
                FROM pg_attribute JOIN pg_class AS t ON t.oid = attrelid
                WHERE relnamespace IN (SELECT schema FROM keys) AND relkind IN ('r', 'p') AND attnum > 0
                    AND attname ~* '.id$'),
        called AS MATERIALIZED (  -- pattern by pattern, because PostgreSQL keeps only some of them ready
            SELECT k.tbl, k.schema, w.*
                FROM keys AS k CROSS JOIN LATERAL (
                    SELECT words.*, called ~ pattern AS is_after_table FROM words OFFSET 0) AS w
                WHERE is_after_table OR is_users AND is_of_user
                    OR is_id AND w.called = ANY (stems) AND NOT EXISTS (
                        SELECT FROM ids
                            WHERE ids.schema = k.schema AND right(ids.stem, length(w.called)) = w.called)
                    OR is_joined AND EXISTS (
                        SELECT FROM unnest(stems) AS one WHERE right(one, length(stem)) = stem))
    SELECT c.rel, c.name, k.tbl FROM columns AS c JOIN called AS k USING (called)
        WHERE is_after_table OR c.schema = k.schema
    UNION
    SELECT c.rel, c.name, c.rel FROM columns AS c
        WHERE c.rel = ANY (tbls) AND called ~ ('(^|_)(root|ancestor|original|predecessor|successor)(_?id)?$'
            '|parent(_?id)?$|(based|depends)_?on(_?id)?$|ed_from(_?id)?$|(copy|part|duplicate|variant)_of(_?id)?$');
END;

-- Columns that could hold numbers of another table: what their type is below arrays and domains, and whether it has
-- room for 19 digits.
CREATE FUNCTION _snowid_convert.number_columns(OUT rel regclass, OUT num smallint, OUT name name, OUT type text,
    OUT base oid, OUT is_wide boolean) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (
        SELECT attrelid, attnum, attname, atttypid, atttypmod,
                CASE WHEN typelem = 0 AND typtype = 'b' THEN atttypid
                    ELSE _snowid_convert.base(CASE WHEN typelem <> 0 AND typlen = -1 THEN typelem ELSE atttypid END) END
                    AS base
            FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid JOIN pg_type AS t ON t.oid = atttypid
            WHERE relkind IN ('r', 'p', 'f') AND relpersistence <> 't' AND attnum > 0 AND NOT attisdropped
                AND attislocal AND typtype IN ('b', 'd') AND typcategory IN ('N', 'S', 'A', 'U')
                AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
                AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid
                    AND objsubid = 0 AND deptype = 'e'))
    SELECT attrelid::regclass, attnum, attname, format_type(atttypid, atttypmod), base,
            CASE base WHEN 'bigint'::regtype THEN true WHEN 'text'::regtype THEN true
                WHEN 'varchar'::regtype THEN atttypmod = -1 OR atttypmod >= 4 + 19
                WHEN 'numeric'::regtype THEN atttypmod = -1 OR ((atttypmod - 4) >> 16) - ((atttypmod - 4) & 2047) >= 19
                ELSE false END
        FROM columns
        WHERE base IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype, 'numeric'::regtype,
            'varchar'::regtype, 'text'::regtype, 'uuid'::regtype);
END;

-- A column that says which table another one refers to, as Rails (owner_type and owner_id) and Django (content_type_id
-- and object_id) have them.
CREATE FUNCTION _snowid_convert.type_column(rel regclass, name name) RETURNS name
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT attname FROM pg_attribute
        WHERE attrelid = rel AND attnum > 0 AND NOT attisdropped
            AND (name ~* '.id$' AND lower(attname) = regexp_replace(lower(name), 'id$', 'type')
                    AND _snowid_convert.base(atttypid) IN ('text'::regtype, 'varchar'::regtype, 'char'::regtype)
                OR name ~ '^object_(id|pk)$' AND attname = 'content_type_id');
END;

-- The columns that look like references to a key, but no foreign key says so.
CREATE FUNCTION _snowid_convert.found(scope _snowid_convert.scope, OUT rel regclass, OUT name name, OUT type text,
    OUT has_room boolean, OUT reasons text[]) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH closure AS MATERIALIZED (SELECT * FROM _snowid_convert.columns(scope)),
        keyed AS (SELECT bool_or(changes AND keyed) AS others FROM closure),
        old AS MATERIALIZED (SELECT base FROM closure WHERE rel = scope.tbl AND name = scope.col),
        keys AS MATERIALIZED (SELECT c.rel, c.name FROM closure AS c WHERE place IS NOT NULL),
        known AS MATERIALIZED (  -- one odd foreign key says nothing of other columns of its name
            SELECT c.name, count(*) AS n FROM closure AS c
                WHERE c.name NOT IN (SELECT k.name FROM keys AS k) GROUP BY c.name),
        any_key AS MATERIALIZED (SELECT min(k.rel::text) AS one, count(*) > 1 AS several FROM keys AS k),
        numbers AS MATERIALIZED (
            SELECT n.*, count(*) OVER (PARTITION BY n.name) AS alike FROM _snowid_convert.number_columns() AS n, old
                WHERE (n.base = 'uuid'::regtype) = (old.base = 'uuid'::regtype)
                    AND (n.rel, n.num) NOT IN (SELECT c.rel, c.num FROM closure AS c)
                    AND NOT EXISTS (SELECT FROM pg_constraint
                        WHERE conrelid = n.rel AND (contype = 'f' AND n.num = ANY (conkey)
                            OR contype = 'p' AND conkey = ARRAY[n.num]
                                AND _snowid_convert.makes_ids(n.rel, n.num)))),
        named AS MATERIALIZED (
            SELECT a.rel, a.name, string_agg(key::text, ', ' ORDER BY key::text) AS named_keys
                FROM (SELECT array_agg(k.rel) AS tbls, array_agg(k.name) AS cols FROM keys AS k) AS k,
                    (SELECT array_agg(n.rel) AS rels, array_agg(n.name) AS names FROM numbers AS n) AS n
                    CROSS JOIN LATERAL _snowid_convert.named_after(tbls, cols, rels, names) AS a
                GROUP BY a.rel, a.name),
        asked AS MATERIALIZED (
            SELECT n.*, named_keys,
                    EXISTS (SELECT FROM known AS c WHERE c.name = n.name AND c.n >= alike) AS is_known,
                    _snowid_convert.type_column(n.rel, n.name) AS type_column
                FROM numbers AS n LEFT JOIN named AS a ON a.rel = n.rel AND a.name = n.name)
    SELECT a.rel, a.name, type, is_wide AND NOT others,
            array_remove(ARRAY['has the name of a column that refers to '
                    || coalesce(named_keys, CASE WHEN NOT is_known THEN NULL WHEN several THEN 'one of the keys'
                        ELSE one END),
                'stands beside ' || quote_ident(type_column) || ', which may say that it refers to '
                    || CASE WHEN several THEN 'one of the keys' ELSE one END], NULL)
        FROM asked AS a, any_key, keyed WHERE named_keys IS NOT NULL OR is_known OR type_column IS NOT NULL;
END;

-- Of some columns, those whose values are all ids of one of some keys of the same owner, and how many values that are.
-- They are those that ANALYZE has kept, some hundred of a column, so of no table more than an index is read. Small
-- numbers are among the ids of any key without gaps, so the values must have met gaps enough, or go all through the ids
-- of another table.
CREATE FUNCTION _snowid_convert.among_as_owner(tbl regclass, tbls regclass[], cols name[], rels regclass[],
    names name[], OUT rel regclass, OUT name name, OUT key bigint, OUT kept bigint) RETURNS SETOF record
    LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET row_security = off AS $$
#variable_conflict use_column
DECLARE
    type regtype := (SELECT CASE _snowid_convert.base(atttypid) WHEN 'uuid'::regtype THEN 'uuid' ELSE 'bigint' END
        FROM pg_attribute WHERE attrelid = tbls[1] AND attname = cols[1]);
    lows bigint[] := '{}';
    highs bigint[] := '{}';
    one record;
    low bigint;
    high bigint;
    middle bigint;
    is_missing boolean;
    share float8;
BEGIN
    PERFORM _snowid.require_owner(tbl);
    FOR key IN 1..cardinality(tbls) LOOP
        EXIT WHEN type = 'uuid'::regtype;
        EXECUTE format('SELECT min(%1$I)::bigint AS low, max(%1$I)::bigint AS high FROM %2$s', cols[key], tbls[key])
            INTO one;
        lows := lows || one.low;
        highs := highs || one.high;
    END LOOP;
    FOR one IN SELECT u.rel, u.name, ARRAY(
            SELECT DISTINCT value
                FROM pg_stats, unnest(most_common_vals::text::text[] || histogram_bounds::text::text[]) AS value
                WHERE schemaname = nspname AND tablename = relname AND attname = u.name) AS found
        FROM unnest(rels, names) AS u (rel, name) JOIN pg_class AS c ON c.oid = u.rel
            JOIN pg_namespace AS n ON n.oid = relnamespace
    LOOP
        kept := cardinality(one.found);
        CONTINUE WHEN kept < 10 OR type <> 'uuid'::regtype
            AND EXISTS (SELECT FROM unnest(one.found) AS value WHERE value !~ '^\d{1,18}$');
        SELECT min(value::bigint), max(value::bigint), percentile_disc(0.5) WITHIN GROUP (ORDER BY value::bigint)
            INTO low, high, middle FROM unnest(one.found) AS value WHERE type <> 'uuid'::regtype;
        FOR key IN SELECT n FROM generate_subscripts(tbls, 1) AS n
            WHERE type = 'uuid'::regtype OR low >= lows[n] AND high <= highs[n]
        LOOP
            EXECUTE format('SELECT EXISTS (SELECT FROM unnest($1::%s[]) AS value WHERE NOT EXISTS (
                SELECT FROM %s AS key WHERE key.%I = value.value))', type, tbls[key], cols[key])
                INTO is_missing USING one.found;
            CONTINUE WHEN is_missing;
            IF type <> 'uuid'::regtype AND (one.rel = tbls[key] OR kept < 50
                OR high - lows[key] < 0.95 * (highs[key] - lows[key]::float8)
                OR (middle - lows[key]) / (highs[key] - lows[key]::float8) NOT BETWEEN 0.25 AND 0.75)
            THEN  -- of the numbers between them, how many are ids
                EXECUTE format('SELECT avg(EXISTS (SELECT FROM %s AS key WHERE key.%I = n.number)::int) FROM (
                    SELECT DISTINCT trunc($1 + ($2 - $1) * (i / 100.0))::bigint AS number
                        FROM generate_series(0, 100) AS i) AS n', tbls[key], cols[key]) INTO share USING low, high;
                CONTINUE WHEN -ln(share) * kept < 5;
            END IF;
            rel := one.rel;
            name := one.name;
            RETURN NEXT;
            EXIT;
        END LOOP;
    END LOOP;
END $$;
-- The columns whose values are all ids of a key.
CREATE FUNCTION _snowid_convert.among(tbl regclass, tbls regclass[], cols name[], rels regclass[], names name[],
    OUT rel regclass, OUT name name, OUT key bigint, OUT kept bigint) RETURNS SETOF record
    LANGUAGE C STABLE STRICT PARALLEL UNSAFE ROWS 10
    AS 'MODULE_PATHNAME', 'snowid_as_owner';

-- The columns that look like references to a key, and those of its owner that nothing but their values tells. Those
-- that number their own rows are none.
CREATE FUNCTION _snowid_convert.found_by_all(scope _snowid_convert.scope, OUT rel regclass, OUT name name,
    OUT type text, OUT has_room boolean, OUT reasons text[]) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
    WITH found AS MATERIALIZED (SELECT f.* FROM _snowid_convert.found(scope) AS f),
        closure AS MATERIALIZED (SELECT c.rel, c.num, c.name, c.base, c.changes, c.keyed
            FROM _snowid_convert.columns(scope) AS c),
        keys AS MATERIALIZED (
            SELECT t.relowner, array_agg(k.rel ORDER BY place) AS tbls, array_agg(k.name ORDER BY place) AS cols
                FROM _snowid_convert.own_ids(scope) AS k JOIN pg_class AS t ON t.oid = k.rel
                    JOIN pg_class AS first ON first.oid = scope.tbl AND first.relowner = t.relowner
                WHERE pg_has_role(t.relowner, 'USAGE') AND EXISTS (
                    SELECT FROM pg_index
                        WHERE indrelid = k.rel AND indkey[0] = k.num AND indisvalid AND indpred IS NULL)
                GROUP BY t.relowner),
        asked AS MATERIALIZED (
            SELECT n.* FROM keys, _snowid_convert.number_columns() AS n JOIN pg_class AS t ON t.oid = n.rel
                WHERE t.relowner = keys.relowner AND (n.base = 'uuid'::regtype) = (
                        SELECT base = 'uuid'::regtype FROM closure WHERE rel = scope.tbl AND name = scope.col)
                    AND (n.rel, n.num) NOT IN (SELECT c.rel, c.num FROM closure AS c)
                    AND (n.rel, n.name) NOT IN (SELECT f.rel, f.name FROM found AS f)
                    AND NOT EXISTS (SELECT FROM pg_constraint
                        WHERE contype = 'f' AND conrelid = n.rel AND n.num = ANY (conkey))
                    AND NOT _snowid_convert.makes_ids(n.rel, n.num)),
        by_values AS (
            SELECT a.*, tbls[key] AS tbl, cols[key] AS col
                FROM keys, (SELECT array_agg(rel) AS rels, array_agg(name) AS names FROM asked) AS l
                    CROSS JOIN LATERAL _snowid_convert.among(scope.tbl, tbls, cols, l.rels, l.names) AS a)
    SELECT f.rel, f.name, f.type, f.has_room, f.reasons FROM found AS f
    UNION ALL
    SELECT rel, name, asked.type, is_wide AND NOT EXISTS (SELECT FROM closure WHERE changes AND keyed),
            ARRAY[format('has only values that are in %s.%I: all %s that ANALYZE has kept', tbl, col, kept)]
        FROM by_values JOIN asked USING (rel, name);
END;

-- Those that have no room for the new ids.
CREATE FUNCTION _snowid_convert.without_room(scope _snowid_convert.scope, OUT note text) RETURNS SETOF text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    SELECT format('%s.%I is %s and %s, but no foreign key', rel, name, type,
            array_to_string(reasons, ' and '))
        FROM _snowid_convert.found(scope) WHERE NOT has_room;
END;
