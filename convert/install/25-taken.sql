
-- conversion: columns to take along ----------------------------------------------------
-- They hold the ids of a key, but no foreign key says so. In lists of columns they follow the key, which is the first.

-- The columns that are named. A table without a schema is one of the key's schema, whatever the search_path, and * is
-- each table there that has such a column and no foreign key of it. Behind an arrow is the table of the key.
CREATE FUNCTION _snowid_convert.named(schema regnamespace, also text[], OUT told text, OUT rel regclass, OUT name name,
    OUT base regtype, OUT key_told text, OUT key regclass) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH parts AS (
            SELECT one, n, key, starts_with(one, '*.') AS of_all,
                    parse_ident(regexp_replace(halves[1], '^\*\.', '')) AS path
                FROM unnest(also) WITH ORDINALITY AS a (one, n),
                    LATERAL regexp_split_to_array(one, '\s*->\s*') AS halves, LATERAL (SELECT halves[2]) AS k (key)),
        columns AS (
            SELECT one, n, key, path[cardinality(path)]::name AS col, CASE WHEN of_all THEN ARRAY(
                        SELECT t.oid FROM pg_attribute AS c JOIN pg_class AS t ON t.oid = attrelid
                            WHERE attname = path[1]::name AND NOT attisdropped AND attinhcount = 0
                                AND NOT relispartition
                                AND relnamespace = schema AND relkind IN ('r', 'p') AND cardinality(path) = 1
                                AND _snowid_convert.base(atttypid)::oid = ANY (_snowid_convert.types('snowflake'))
                                AND NOT EXISTS (SELECT FROM pg_constraint
                                    WHERE contype = 'f' AND conrelid = t.oid AND attnum = ANY (conkey)))
                    ELSE ARRAY[to_regclass(CASE cardinality(path) WHEN 2 THEN format('%s.%I', schema, path[1])
                        WHEN 3 THEN format('%I.%I', path[1], path[2]) END)::oid] END AS rels
                FROM parts)
    SELECT one, rel::regclass, attname, _snowid_convert.base(atttypid), key, to_regclass(
            CASE cardinality(parse_ident(key)) WHEN 1 THEN format('%s.%I', schema, (parse_ident(key))[1]) ELSE key END)
        FROM columns LEFT JOIN LATERAL unnest(rels) AS rel ON true
            LEFT JOIN pg_attribute ON attrelid = rel AND attname = col AND attnum > 0 AND NOT attisdropped
        ORDER BY n, rel::regclass::text;
END;

-- Raises an error unless the columns that are named can be taken along.
CREATE FUNCTION _snowid_convert.check_named(schema regnamespace, base regtype, also text[]) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT * FROM _snowid_convert.named(schema, also) LOOP
        IF one.name IS NULL THEN
            RAISE EXCEPTION 'there is no column % to take along', coalesce(quote_literal(one.told), 'NULL')
                USING ERRCODE = 'undefined_column', HINT = format('Write table.column, or schema.table.column for '
                    'a table that is not in schema %s, or *.column for all tables of it.', schema);
        END IF;
        IF one.key_told IS NOT NULL AND one.key IS NULL THEN
            RAISE EXCEPTION 'there is no table % with a key for %', one.key_told, one.told
                USING ERRCODE = 'invalid_parameter_value';
        END IF;
        IF (one.base = 'uuid'::regtype) <> (base = 'uuid'::regtype)
            OR one.base NOT IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype, 'uuid'::regtype)
        THEN
            RAISE EXCEPTION '%.% cannot be taken along', one.rel, quote_ident(one.name)
                USING ERRCODE = 'datatype_mismatch', DETAIL = format('It is of type %s, and the key of type %s.',
                    one.base, base);
        END IF;
    END LOOP;
END $$;

-- The last line of the comment of a second column that is taken along, and, where ids became others, of the column
-- afterwards. So no plan forgets it.
CREATE FUNCTION _snowid_convert.taken_mark(tbl regclass, col name) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('snowid: taken along with %s.%I.%I', relnamespace::regnamespace, relname, col)
        FROM pg_class WHERE oid = tbl;
END;

-- A comment without that line.
CREATE FUNCTION _snowid_convert.unmarked(comment text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT nullif(regexp_replace(comment, '(^|\n)snowid: taken along with [^\n]*$', ''), '');
END;

-- What has been taken along. Anybody may write such a comment, so only of tables of the same owner.
CREATE FUNCTION _snowid_convert.taken_before(tbl regclass, col name, OUT rel regclass, OUT name name)
    RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    WITH marked AS MATERIALIZED (
        SELECT objoid, objsubid
            FROM pg_description, (SELECT E'\n' || _snowid_convert.taken_mark(tbl, col) AS line OFFSET 0) AS mark
            WHERE classoid = 'pg_class'::regclass AND objsubid > 0
                AND right(E'\n' || description, length(line)) = line)
    SELECT t.oid::regclass, coalesce(one.attname, m.attname)
        FROM marked JOIN pg_class AS t ON t.oid = objoid JOIN pg_class AS k ON k.oid = tbl AND k.relowner = t.relowner
            JOIN pg_attribute AS m ON m.attrelid = objoid AND m.attnum = objsubid AND NOT m.attisdropped
            LEFT JOIN pg_attribute AS one ON one.attrelid = objoid AND one.attnum > 0 AND NOT one.attisdropped
                AND _snowid_convert.twin(one.attname) = m.attname;
END;

-- The columns that are taken along with keys of a schema, of one owner or of all.
CREATE FUNCTION _snowid_convert.also_taken(schema regnamespace, also text[], owner oid, INOUT tbls regclass[],
    INOUT cols name[])
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH found AS (
        SELECT rel, name FROM _snowid_convert.named(schema, also)
        UNION SELECT b.rel, b.name FROM unnest(tbls, cols) AS k (t, c), _snowid_convert.taken_before(t, c) AS b)
    SELECT array_agg(rel ORDER BY rel::text, name), array_agg(name ORDER BY rel::text, name)
        FROM found JOIN pg_class ON oid = rel
        WHERE relowner = coalesce(owner, relowner)
            AND (rel, name) NOT IN (SELECT * FROM unnest(tbls, cols) AS k (t, c));
END;

-- The key, and what is taken along with it.
CREATE FUNCTION _snowid_convert.taken(tbl regclass, col name, also text[], OUT tbls regclass[], OUT cols name[])
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT tbl || t.tbls, col || t.cols
        FROM pg_class, _snowid_convert.also_taken(relnamespace, also, NULL, ARRAY[tbl], ARRAY[col]) AS t
        WHERE oid = tbl;
END;

-- The columns with second ones that are taken along.
CREATE FUNCTION _snowid_convert.taken_twins(scope _snowid_convert.scope) RETURNS SETOF _snowid_convert.id_column
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    SELECT t.*
        FROM _snowid_convert.twins(scope) AS t JOIN unnest(scope.tbls[2:], scope.cols[2:]) AS taken (tbl, col)
            ON tbl = t.rel AND col = t.name
        WHERE place IS NULL;
END;

-- No foreign key has kept such columns from values that are no ids of the key.
CREATE FUNCTION _snowid_convert.check_taken_as_owner(rel regclass, name name, tbl regclass, col name) RETURNS void
    LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET row_security = off AS $$
#variable_conflict use_column
DECLARE
    found record;
BEGIN
    PERFORM _snowid.require_owner(rel);
    EXECUTE format('SELECT count(*) AS n, min(one.%1$I::text) AS example FROM ONLY %2$s AS one
        WHERE one.%1$I IS NOT NULL AND NOT EXISTS (SELECT FROM ONLY %3$s AS other WHERE other.%4$I = one.%1$I)',
        name, rel, tbl, col) INTO found;
    IF found.n > 0 THEN
        RAISE EXCEPTION 'some values of %.% are not in %.%', rel, quote_ident(name), tbl, quote_ident(col)
            USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('Number of these rows: %s. One of them has %s. They would have no new id.',
                found.n, found.example),
            HINT = 'Delete these rows, or set the column to NULL there, or leave it out of also.';
    END IF;
END $$;
-- Raises an error unless all values of a column are ids of a key.
CREATE FUNCTION _snowid_convert.check_taken(rel regclass, name name, tbl regclass, col name) RETURNS void
    LANGUAGE C STABLE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'snowid_as_owner';
