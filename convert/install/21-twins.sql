
-- conversion online: second columns -----------------------------------------------------
-- Each column has a second one beside it, whose name begins with snowid_; so do the names of its indexes and foreign
-- keys. A trigger writes both, and a constraint says that they are the same, or that both are there where UUIDs become
-- other ids. In the end the second ones take the place of the first.

CREATE FUNCTION _snowid_convert.twins(scope _snowid_convert.scope) RETURNS SETOF _snowid_convert.id_column
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    SELECT c.* FROM unnest(scope.columns) AS c WHERE changes;
END;

-- An expression in SQL, with another name for a column. Texts in it stay as they are, and so do the names of functions,
-- schemas, types, collations and access methods.
CREATE FUNCTION _snowid_convert.renamed(expression text, name name, new_name name) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT coalesce(string_agg(
            CASE WHEN token[1] = quote_ident(name) THEN quote_ident(new_name) ELSE token[1] END, '' ORDER BY n), '')
        FROM regexp_matches(expression,
            '''(?:[^'']|'''')*''|(?:::|\.|USING |COLLATE )?(?:"(?:[^"]|"")*"|[[:alpha:]_][\w$]*)[(.]?|\d[\w.]*|.', 'g')
            WITH ORDINALITY AS t (token, n);
END;

-- The valid indexes over such columns, but for the one that the UUIDs keep, and the same over the second ones. With the
-- types of the columns, casts and parentheses change.
CREATE FUNCTION _snowid_convert.indexes(scope _snowid_convert.scope, OUT rel regclass, OUT index regclass,
    OUT twin text, OUT statement text, OUT is_there boolean, OUT is_valid boolean) RETURNS SETOF record
    LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    i record;
    c record;
    stands text;
    begun text;
    columns text;
    condition text;
    changing CONSTANT text := '::(smallint|integer|bigint|uuid)|[() ]';
    twins _snowid_convert.id_column[] := ARRAY(SELECT t FROM _snowid_convert.twins(scope) AS t);
BEGIN
    FOR i IN SELECT x.*, k.relnamespace::regnamespace AS schema, k.relname, k.relpersistence, spcname,
            _snowid_convert.twin(k.relname) AS twin, CASE WHEN indisunique THEN 'UNIQUE ' END AS uniquely
        FROM pg_index AS x JOIN pg_class AS k ON k.oid = indexrelid JOIN pg_class AS t ON t.oid = indrelid
            LEFT JOIN pg_tablespace AS s ON s.oid = k.reltablespace
        WHERE indisvalid AND indrelid IN (SELECT w.rel FROM unnest(twins) AS w)
            AND k.relname <> _snowid_convert.twin('uuid_' || t.relname)
            AND EXISTS (SELECT FROM unnest(twins) AS w WHERE w.rel = indrelid AND (w.num = ANY (indkey)
                OR indexrelid IN (SELECT _snowid_convert.dependents('pg_class', w.rel, w.num))))
        ORDER BY indrelid::regclass::text, k.relname
    LOOP
        rel := i.indrelid;
        index := i.indexrelid;
        -- names may hold any word, so it is cut by lengths
        stands := concat(CASE i.relpersistence WHEN 't' THEN 'pg_temp.' END, rel);
        begun := format('CREATE %sINDEX %I ON %s', i.uniquely, i.relname, stands);
        condition := coalesce(' WHERE ' || pg_get_expr(i.indpred, rel), '');
        columns := substr(pg_get_indexdef(index), length(begun) + 1);
        columns := left(columns, length(columns) - length(condition));
        FOR c IN SELECT w.name, w.twin FROM unnest(twins) AS w WHERE w.rel = i.indrelid LOOP
            columns := _snowid_convert.renamed(columns, c.name, c.twin);
            condition := _snowid_convert.renamed(condition, c.name, c.twin);
        END LOOP;
        statement := format('CREATE %sINDEX CONCURRENTLY %I ON %s%s%s%s', i.uniquely, i.twin, rel, columns,
            coalesce(' TABLESPACE ' || quote_ident(i.spcname), ''), condition);
        begun := format('CREATE %sINDEX %I ON %s%s%s', i.uniquely, i.twin, stands, columns, condition);
        twin := format('%s.%I', i.schema, i.twin);
        -- not another table's, which a plan would drop
        SELECT count(*) > 0, coalesce(bool_or(indisvalid
                AND regexp_replace(pg_get_indexdef(indexrelid), changing, '', 'g')
                    = regexp_replace(begun, changing, '', 'g')), false)
            INTO is_there, is_valid FROM pg_index WHERE indexrelid = to_regclass(twin) AND indrelid = rel;
        RETURN NEXT;
    END LOOP;
END $$;

-- What a foreign key does, as a clause.
CREATE FUNCTION _snowid_convert.action(clause text, action "char") RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format(' %s %s', clause, told) FROM (VALUES ('r'::"char", 'RESTRICT'), ('c', 'CASCADE'), ('n', 'SET NULL'),
        ('d', 'SET DEFAULT')) AS actions (letter, told) WHERE letter = action;
END;

-- The foreign keys from or to such columns, and the same of the second ones.
CREATE FUNCTION _snowid_convert.keys(scope _snowid_convert.scope, OUT rel regclass, OUT name name, OUT twin name,
    OUT other regclass, OUT definition text, OUT had_valid boolean, OUT is_there boolean, OUT is_valid boolean,
    OUT comment text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH twins AS MATERIALIZED (SELECT t.rel, num, t.twin FROM _snowid_convert.twins(scope) AS t),
        known AS MATERIALIZED (
            SELECT * FROM pg_constraint
                WHERE contype = 'f' AND conparentid = 0 AND (conrelid IN (SELECT t.rel FROM twins AS t)
                    OR confrelid IN (SELECT t.rel FROM twins AS t))),
        sides AS (
            SELECT s.oid, string_agg(one, ', ' ORDER BY n) FILTER (WHERE side = 'from') AS own_columns,
                    string_agg(one, ', ' ORDER BY n) FILTER (WHERE side = 'to') AS there_columns,
                    ' (' || string_agg(one, ', ' ORDER BY n) FILTER (WHERE side = 'set') || ')' AS set_columns
                FROM known AS s CROSS JOIN LATERAL (VALUES ('from', conrelid, conkey), ('to', confrelid, confkey),
                            ('set', conrelid, confdelsetcols)) AS v (side, id, nums)
                    CROSS JOIN unnest(nums) WITH ORDINALITY AS u (num, n)
                    JOIN pg_attribute ON attrelid = id AND attnum = u.num
                    LEFT JOIN twins AS w ON w.rel = id AND w.num = u.num
                    CROSS JOIN quote_ident(coalesce(w.twin, attname)) AS one
                GROUP BY s.oid HAVING bool_or(w.twin IS NOT NULL)),
        keys AS (
            SELECT k.*, _snowid_convert.twin(conname) AS twin, own_columns, there_columns, set_columns
                FROM known AS k JOIN sides USING (oid))
    SELECT k.conrelid::regclass, k.conname, k.twin, k.confrelid::regclass,
            concat('FOREIGN KEY (', own_columns, ') REFERENCES ', k.confrelid::regclass, ' (', there_columns, ')',
                CASE k.confmatchtype WHEN 'f' THEN ' MATCH FULL' END,
                _snowid_convert.action('ON UPDATE', k.confupdtype), _snowid_convert.action('ON DELETE', k.confdeltype),
                set_columns, CASE WHEN k.condeferrable THEN ' DEFERRABLE' END,
                CASE WHEN k.condeferred THEN ' INITIALLY DEFERRED' END,
                substring(pg_get_constraintdef(k.oid) FROM ' NOT ENFORCED$')),  -- from PostgreSQL 18 on
            k.convalidated, o.oid IS NOT NULL, o.oid IS NOT NULL AND (o.convalidated OR NOT k.convalidated),
            obj_description(k.oid, 'pg_constraint')
        FROM keys AS k LEFT JOIN pg_constraint AS o
            ON o.conrelid = k.conrelid AND o.conname = k.twin AND o.contype = 'f' AND o.confrelid = k.confrelid
                AND (o.confmatchtype, o.confupdtype, o.confdeltype, o.condeferrable, o.condeferred)
                    = (k.confmatchtype, k.confupdtype, k.confdeltype, k.condeferrable, k.condeferred)
                AND (pg_get_constraintdef(o.oid) ~ ' NOT ENFORCED$') = (pg_get_constraintdef(k.oid) ~ ' NOT ENFORCED$')
                AND cardinality(o.confdelsetcols) IS NOT DISTINCT FROM cardinality(k.confdelsetcols);
END;

-- The second columns that refer to one, while the first do not any more. Nothing would take them along, and their
-- trigger would look for what is gone. Anybody may name a column and a trigger so, so only of tables of the same owner.
CREATE FUNCTION _snowid_convert.orphans(scope _snowid_convert.scope, OUT rel regclass, OUT name name,
    OUT other regclass) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 1
BEGIN ATOMIC
    WITH twins AS MATERIALIZED (
        SELECT t.rel, t.twin_num FROM _snowid_convert.twins(scope) AS t WHERE twin_num IS NOT NULL)
    SELECT DISTINCT conrelid, attname, confrelid
        FROM pg_constraint CROSS JOIN unnest(conkey, confkey) AS k (num, other_num)
            JOIN pg_attribute ON attrelid = conrelid AND attnum = k.num AND starts_with(attname, 'snowid_')
            JOIN pg_trigger ON tgrelid = conrelid AND tgname = '~snowid_convert'
            JOIN pg_class AS r ON r.oid = conrelid JOIN pg_class AS o ON o.oid = confrelid AND o.relowner = r.relowner
        WHERE contype = 'f' AND (confrelid, k.other_num) IN (SELECT * FROM twins)
            AND (conrelid, k.num) NOT IN (SELECT * FROM twins);
END;
