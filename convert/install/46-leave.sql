
-- leaving: types and defaults that PostgreSQL has itself, and what still depends on the extensions ----------

-- What PostgreSQL has for our types and arrays of them. The text is what programs see of an id, and in this collation
-- it has the same order.
CREATE FUNCTION _snowid_convert.plain_types(OUT ours oid, OUT plain oid, OUT written text, OUT is_number boolean)
    RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH types AS (
            SELECT t.oid, typarray, t.oid = _snowid.snowflake_type() AS is_number
                FROM pg_extension AS x JOIN pg_depend ON refclassid = 'pg_extension'::regclass AND refobjid = x.oid
                        AND deptype = 'e' AND classid = 'pg_type'::regclass
                    JOIN pg_type AS t ON t.oid = objid
                WHERE extname = 'snowid' AND typtype = 'b' AND typelem = 0
                    AND typnamespace::regnamespace::text <> '_snowid'),
        plain (is_number, one, many, written) AS (VALUES
            (true, 'bigint'::regtype, 'bigint[]'::regtype, 'bigint%s'),
            (false, 'text', 'text[]', 'text%s COLLATE pg_catalog."C"'))
    SELECT oid, one, format(written, ''), is_number FROM types JOIN plain USING (is_number)
    UNION ALL
    SELECT typarray, many, format(written, '[]'), is_number FROM types JOIN plain USING (is_number);
END;

-- The type that a column of this type gets.
CREATE FUNCTION _snowid_convert.plain(type oid) RETURNS oid
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT coalesce((SELECT plain FROM _snowid_convert.plain_types() WHERE ours = type), type);
END;

-- How definitions name what is ours: the schema, and the types that become texts.
CREATE FUNCTION _snowid_convert.our_names(OUT schema text, OUT texts text)
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT regexp_replace(_snowid.public_schema()::text, '(\W)', '\\\1', 'g') || '\.',
            format('(%s)\M', string_agg(typname, '|'))
        FROM _snowid_convert.plain_types() JOIN pg_type ON oid = ours WHERE plain = 'text'::regtype;
END;

-- A definition with what PostgreSQL has in the place of these types, operators, min and max.
CREATE FUNCTION _snowid_convert.plainly(definition text, schema text, texts text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT regexp_replace(regexp_replace(regexp_replace(regexp_replace(definition,
            '(OPERATOR\()' || schema, '\1pg_catalog.', 'g'), '::' || schema || 'snowflake\M', '::bigint', 'g'),
            '::' || schema || texts, '::text', 'g'),
            '(?<![\w"$])' || schema || '(min|max)\(', 'pg_catalog.\1(', 'g');
END;

-- The statements that give a column's children their own defaults back, which a change of the parent's overwrites:
-- those that are constant, and on a way back all that are not ours.
CREATE FUNCTION _snowid_convert.set_again(tbl regclass, col name, is_back boolean) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT string_agg(format(E';\nALTER TABLE ONLY %s ALTER %I SET DEFAULT %s', child, col,
                _snowid_convert.plainly(pg_get_expr(adbin, adrelid), schema, texts)), '' ORDER BY n)
        FROM _snowid_convert.our_names(),
            unnest(_snowid_convert.with_children(ARRAY[tbl])) WITH ORDINALITY AS c (child, n)
            JOIN pg_attribute ON attrelid = child AND attname = col
            JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE child <> tbl AND (NOT _snowid_convert.makes_ids(child, attnum) OR is_back
            AND (child, attnum) NOT IN (SELECT o.rel, o.num FROM _snowid_convert.our_defaults() AS o));
END;

-- Whether the text of a definition tells all that is to be replaced in it. It does not if that is in a literal or in a
-- name, or where a value is read as an id, which a text takes as it is.
CREATE FUNCTION _snowid_convert.is_telling(definition text, schema text, texts text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT NOT EXISTS (
            SELECT FROM regexp_matches(definition, '''(?:[^'']|'''')*''|"(?:[^"]|"")*"', 'g') AS piece
                WHERE piece[1] ~ ('(OPERATOR\(|::)' || schema || '|' || schema || '(min|max)\('))
        AND regexp_replace(definition, '''(?:[^'']|'''')*''|("(?:[^"]|"")*")', '\1', 'g')
            !~ ('[\w")\]]::' || schema || texts);
END;

-- What goes when the extensions are dropped.
CREATE FUNCTION _snowid_convert.going(OUT class oid, OUT id oid) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 2000
BEGIN ATOMIC
    WITH RECURSIVE going AS (
        SELECT classid AS class, objid AS id FROM pg_extension AS x JOIN pg_depend
                ON refclassid = 'pg_extension'::regclass AND refobjid = x.oid AND deptype = 'e'
            WHERE extname IN ('snowid', 'snowid_convert')
        UNION
        SELECT classid, objid FROM going JOIN pg_depend ON refclassid = class AND refobjid = id
            WHERE deptype IN ('i', 'a'))
    SELECT class, id FROM going;
END;

-- The roles that the caller acts for, or all others.
CREATE FUNCTION _snowid_convert.roles(are_own boolean) RETURNS oid[]
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT ARRAY(SELECT oid FROM pg_roles WHERE pg_has_role(oid, 'USAGE') = are_own);
END;

-- The columns of these owners, or of all, that have our types or defaults: those that change, and those with a place
-- get another default. Children get that of their parent.
CREATE FUNCTION _snowid_convert.leaving(owners oid[]) RETURNS _snowid_convert.scope
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH called AS MATERIALIZED (
            SELECT o.rel, o.num, proname ~ '_(next|spread|at)$|^uuidv7$' AS makes
                FROM _snowid_convert.our_defaults() AS o
                    JOIN pg_attrdef AS e ON adrelid = o.rel AND adnum = o.num
                    JOIN pg_depend AS d ON classid = 'pg_attrdef'::regclass AND objid = e.oid
                        AND refclassid = 'pg_proc'::regclass
                    JOIN pg_proc AS p ON p.oid = refobjid
                WHERE (refclassid, refobjid) IN (SELECT g.class, g.id FROM _snowid_convert.going() AS g)
                    AND refobjid NOT IN (SELECT castfunc FROM pg_cast)),
        ours AS MATERIALIZED (  -- that make ids, and do not only have one or compute something from one
            SELECT rel, num FROM called JOIN pg_attribute ON attrelid = rel AND attnum = num
                GROUP BY rel, num, atttypid HAVING bool_and(makes) AND (
                    _snowid_convert.plain(_snowid_convert.base(atttypid)) IN ('bigint'::regtype, 'text'::regtype)
                    OR atttypid = 'uuid'::regtype)),
        below AS MATERIALIZED (
            SELECT DISTINCT c.attrelid AS rel, c.attnum AS num
                FROM ours JOIN pg_attribute AS a ON a.attrelid = rel AND a.attnum = num
                    CROSS JOIN LATERAL unnest(_snowid_convert.with_children(ARRAY[rel])) AS child
                    JOIN pg_attribute AS c ON c.attrelid = child AND c.attname = a.attname
                WHERE child <> rel),
        plain AS MATERIALIZED (SELECT p.ours AS base FROM _snowid_convert.plain_types() AS p),
        types AS MATERIALIZED (
            SELECT base AS type FROM plain
            UNION ALL SELECT oid FROM pg_type
                WHERE typtype = 'd' AND _snowid_convert.below(oid) IN (SELECT base FROM plain)),
        columns AS MATERIALIZED (
            SELECT attrelid::regclass AS rel, attnum AS num, attname AS name, atttypid::regtype AS type,
                    _snowid_convert.base(atttypid) AS base, attinhcount = 0 AS is_root,
                    atttypid IN (SELECT type FROM types) AS changes,
                    (attrelid, attnum) IN (SELECT o.rel, o.num FROM ours AS o) AS is_ours
                FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = attrelid
                WHERE relkind IN ('r', 'p', 'f') AND attnum > 0 AND NOT attisdropped
                    AND coalesce(relowner = ANY (owners), true) AND NOT pg_is_other_temp_schema(relnamespace)
                    AND (atttypid IN (SELECT type FROM types)
                        OR (attrelid, attnum) IN (SELECT o.rel, o.num FROM ours AS o))
                    AND NOT EXISTS (SELECT FROM pg_depend
                        WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e'))
    SELECT ROW (min(rel::oid), NULL, NULL, NULL, NULL, NULL, false, false, array_agg(
            ROW (rel, num, name, type, base, is_root, changes, false, NULL, NULL, false, false,
                CASE WHEN is_ours AND (rel, num) NOT IN (SELECT b.rel, b.num FROM below AS b) THEN num END,
                is_ours)::_snowid_convert.id_column ORDER BY rel::text, num))::_snowid_convert.scope
        FROM columns;
END;

-- Whether PostgreSQL has the same for the types that columns get. Then it takes the place of ours by itself.
CREATE FUNCTION _snowid_convert.has_plain(class oid, id oid) RETURNS boolean
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE class
        WHEN 'pg_type'::regclass THEN _snowid_convert.plain(id) <> id
        WHEN 'pg_opclass'::regclass THEN (SELECT opcdefault FROM pg_opclass WHERE oid = id)
        WHEN 'pg_operator'::regclass THEN EXISTS (
            SELECT FROM pg_operator AS o JOIN pg_operator AS p ON p.oprname = o.oprname
                    AND p.oprnamespace = 'pg_catalog'::regnamespace
                    AND p.oprleft = _snowid_convert.plain(o.oprleft)
                    AND p.oprright = _snowid_convert.plain(o.oprright)
                WHERE o.oid = id)
        WHEN 'pg_proc'::regclass THEN EXISTS (
            SELECT FROM pg_proc AS o JOIN pg_proc AS p ON p.proname = o.proname
                    AND p.pronamespace = 'pg_catalog'::regnamespace
                    AND ARRAY(SELECT unnest(p.proargtypes)) = ARRAY(
                        SELECT _snowid_convert.plain(t) FROM unnest(o.proargtypes) WITH ORDINALITY AS a (t, n)
                            ORDER BY n)
                WHERE o.oid = id
            UNION ALL SELECT FROM pg_cast WHERE castfunc = id AND casttarget = _snowid.snowflake_type())
        ELSE false END;
END;

-- What depends on that and is not changed with the columns of any owner, but for what goes with the parent's. What uses
-- a column of these that changes is in the way of that.
CREATE FUNCTION _snowid_convert.staying(scope _snowid_convert.scope, OUT class oid, OUT id oid, OUT num integer,
    OUT in_the_way boolean) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH going AS MATERIALIZED (SELECT g.class, g.id FROM _snowid_convert.going() AS g),
        columns AS MATERIALIZED (SELECT * FROM _snowid_convert.columns(_snowid_convert.leaving(NULL))),
        found AS MATERIALIZED (
            SELECT DISTINCT classid, objid, objsubid, refclassid, refobjid
                FROM going AS g JOIN pg_depend ON refclassid = g.class AND refobjid = g.id
                WHERE deptype = 'n' AND (classid, objid) NOT IN (SELECT g.class, g.id FROM going AS g)
                    -- with these types a hash serves
                    AND (classid, objid, objsubid) NOT IN (
                        SELECT 'pg_class'::regclass::oid, rel::oid, c.num::integer FROM columns AS c)),
        plain AS MATERIALIZED (
            SELECT refclassid, refobjid, _snowid_convert.has_plain(refclassid, refobjid) AS has_plain
                FROM (SELECT DISTINCT refclassid, refobjid FROM found) AS f),
        kept AS (
            SELECT CASE WHEN rulename = '_RETURN' THEN 'pg_class'::regclass::oid ELSE classid END AS class,
                    CASE WHEN rulename = '_RETURN' THEN ev_class ELSE objid END AS id,
                    CASE WHEN relkind IN ('v', 'm') THEN 0 ELSE objsubid END AS num,
                    relkind IN ('i', 'I', 'p') AS is_made_again, has_plain AND (refclassid = 'pg_opclass'::regclass
                        OR relkind IN ('i', 'I') IS NOT TRUE AND classid <> 'pg_statistic_ext'::regclass) AS has_plain
                FROM found JOIN plain USING (refclassid, refobjid)
                    LEFT JOIN pg_class AS r ON classid = 'pg_class'::regclass AND r.oid = objid
                    LEFT JOIN pg_rewrite AS w ON classid = 'pg_rewrite'::regclass AND w.oid = objid
                    LEFT JOIN pg_attrdef AS e ON classid = 'pg_attrdef'::regclass AND e.oid = objid
                    LEFT JOIN pg_attribute AS a ON attrelid = adrelid AND attnum = adnum
                    LEFT JOIN pg_constraint AS k ON classid = 'pg_constraint'::regclass AND k.oid = objid
                WHERE (e.oid IS NULL OR (adrelid, adnum) NOT IN (SELECT c.rel, c.num FROM columns AS c WHERE is_ours))
                    AND coalesce(coninhcount, 0) = 0 AND (attgenerated = '' OR attinhcount = 0) IS NOT FALSE
                    AND NOT EXISTS (SELECT FROM pg_depend AS p
                        WHERE p.classid = found.classid AND p.objid = found.objid AND p.deptype = 'P')),
        users AS MATERIALIZED (
            SELECT CASE WHEN rulename = '_RETURN' THEN 'pg_class'::regclass::oid ELSE classid END AS class,
                    CASE WHEN rulename = '_RETURN' THEN ev_class ELSE objid END AS id,
                    bool_or((c.rel, c.num) IN (SELECT a.rel, a.num FROM _snowid_convert.columns(scope) AS a)) AS asked
                FROM columns AS c JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = c.rel
                        AND refobjsubid = c.num
                    LEFT JOIN pg_rewrite AS w ON classid = 'pg_rewrite'::regclass AND w.oid = objid
                WHERE changes GROUP BY 1, 2)
    SELECT k.class, k.id, k.num, coalesce(asked, false)
        FROM kept AS k LEFT JOIN users AS u ON u.class = k.class AND u.id = k.id GROUP BY k.class, k.id, k.num, asked
        HAVING NOT ((asked IS NOT NULL OR bool_or(is_made_again IS TRUE)) AND bool_and(has_plain));
END;

-- How an object is called, and the statement that ends its dependence.
CREATE FUNCTION _snowid_convert.ended(class oid, id oid, num integer, OUT what text, OUT statement text)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH own (what, statement) AS (
        SELECT format('%s %s', kind, oid::regclass), format('DROP %s %s', upper(kind), oid::regclass)
            FROM pg_class, (VALUES ('v'::"char", 'view'), ('m', 'materialized view')) AS k (letter, kind)
            WHERE class = 'pg_class'::regclass AND oid = id AND relkind = letter
        UNION ALL
        SELECT format('the partitions of %s', id::regclass), 'make another table and copy the rows'
            FROM pg_class WHERE class = 'pg_class'::regclass AND oid = id AND relkind = 'p' AND num = 0
        UNION ALL
        SELECT format('column %I of %s', attname, id::regclass), format(CASE relkind
                WHEN 'c' THEN 'ALTER TYPE %s ALTER ATTRIBUTE %I TYPE %s CASCADE'
                ELSE 'ALTER TABLE %s ALTER %I TYPE %s USING %2$I::%3$s' END, id::regclass, attname, written)
            FROM pg_class AS c JOIN pg_attribute ON attrelid = c.oid AND attnum = num
                JOIN _snowid_convert.plain_types() ON ours = atttypid
            WHERE class = 'pg_class'::regclass AND c.oid = id AND relkind IN ('c', 'r', 'p', 'f')
        UNION ALL
        SELECT format(CASE attgenerated WHEN '' THEN 'the default of %I of %s' ELSE 'generated column %I of %s' END,
                attname, adrelid::regclass), format('ALTER TABLE %s ' || CASE attgenerated WHEN '' THEN
                'ALTER %I DROP DEFAULT' WHEN 's' THEN 'ALTER %I DROP EXPRESSION' ELSE 'DROP %I' END,
                adrelid::regclass, attname)
            FROM pg_attrdef AS e JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
            WHERE class = 'pg_attrdef'::regclass AND e.oid = id
        UNION ALL
        SELECT format('the default of %s', id::regtype), format('ALTER DOMAIN %s DROP DEFAULT', id::regtype)
            FROM pg_type WHERE class = 'pg_type'::regclass AND oid = id AND typtype = 'd'
                AND _snowid_convert.plain(_snowid_convert.base(id)) = _snowid_convert.base(id)
        UNION ALL
        SELECT format('constraint %I of %s', conname, of), format('ALTER %s %s DROP CONSTRAINT %I', kind, of, conname)
            FROM pg_constraint, LATERAL (SELECT CASE contypid WHEN 0 THEN 'TABLE' ELSE 'DOMAIN' END AS kind,
                CASE contypid WHEN 0 THEN conrelid::regclass::text ELSE contypid::regtype::text END AS of) AS o
            WHERE class = 'pg_constraint'::regclass AND oid = id
                OR class = 'pg_class'::regclass AND conindid = id AND contype = 'x'
        UNION ALL
        SELECT format('publication %I of %s', pubname, prrelid::regclass),
                format('ALTER PUBLICATION %I DROP TABLE %s', pubname, prrelid::regclass)
            FROM pg_publication_rel AS r JOIN pg_publication AS p ON p.oid = prpubid
            WHERE class = 'pg_publication_rel'::regclass AND r.oid = id)
    SELECT coalesce(own.what, kind || ' ' || identity),
            coalesce(own.statement, format('DROP %s %s', upper(kind), identity))
        FROM pg_identify_object(class, id, 0), replace(type, ' object', '') AS kind LEFT JOIN own ON true
        WHERE EXISTS (SELECT FROM pg_depend WHERE classid = class AND objid = id);
END;

-- What changes with the columns, but not by its text alone: see is_telling(). Nor does the text tell whose an operator,
-- min or max in our schema is, nor what becomes of a text.
CREATE FUNCTION _snowid_convert.untold(scope _snowid_convert.scope) RETURNS SETOF text
    LANGUAGE sql STABLE STRICT PARALLEL UNSAFE ROWS 1
BEGIN ATOMIC
    WITH names AS MATERIALIZED (SELECT * FROM _snowid_convert.our_names()),
        columns AS MATERIALIZED (
            SELECT c.*, is_number FROM _snowid_convert.columns(scope) AS c
                LEFT JOIN _snowid_convert.plain_types() ON ours = base WHERE changes),
        rebuilt AS MATERIALIZED (SELECT r.what, r.created FROM _snowid_convert.rebuilt(scope) AS r),
        changed (what, class, id, definition) AS (
            SELECT what, 'pg_rewrite'::regclass::oid, w.oid, created
                FROM rebuilt JOIN pg_rewrite AS w ON starts_with(what, 'view ') AND rulename = '_RETURN'
                    AND ev_class = to_regclass(substr(what, 6))
            UNION ALL
            SELECT what, 'pg_trigger'::regclass, t.oid, created
                FROM rebuilt JOIN pg_trigger AS t ON what = format('trigger %I on %s', tgname, tgrelid::regclass)
            UNION ALL
            SELECT DISTINCT format('constraint %I of %s', conname, rel), 'pg_constraint'::regclass::oid, k.oid,
                    pg_get_constraintdef(k.oid)
                FROM columns JOIN pg_constraint AS k ON conrelid = rel AND num = ANY (conkey)
                WHERE contype = 'c' AND coninhcount = 0
            UNION ALL
            SELECT format('the default of %I of %s', name, rel), 'pg_attrdef'::regclass, e.oid,
                    pg_get_expr(adbin, adrelid)
                FROM columns JOIN pg_attrdef AS e ON adrelid = rel AND adnum = num WHERE NOT is_ours),
        following AS (
            SELECT * FROM changed
            UNION ALL
            SELECT 'index ' || indexrelid::regclass, 'pg_class'::regclass, indexrelid,
                    concat_ws(' ', pg_get_expr(indexprs, indrelid), pg_get_expr(indpred, indrelid))
                FROM pg_index WHERE indrelid IN (SELECT rel FROM columns)
            UNION ALL
            SELECT format('statistics %s.%I', stxnamespace::regnamespace, stxname), 'pg_statistic_ext'::regclass, oid,
                    pg_get_expr(stxexprs, stxrelid)
                FROM pg_statistic_ext WHERE stxrelid IN (SELECT rel FROM columns))
    SELECT DISTINCT what || ': drop it, and create it again as it is to be then'
        FROM following, LATERAL (  -- a text is no uuid, and beside one of another collation it may have none
            SELECT bool_or((attrelid, attnum) IN (SELECT rel, num FROM columns WHERE NOT is_number)) AS is_text,
                    bool_or(attcollation NOT IN (0, 'pg_catalog.default'::regcollation, 'pg_catalog."C"'::regcollation))
                        OR definition ~ '::uuid\M|\mCOLLATE\M' AS is_other
                FROM pg_depend JOIN pg_attribute ON attrelid = refobjid AND attnum = refobjsubid
                WHERE classid = class AND objid = id AND refclassid = 'pg_class'::regclass) AS uses
        WHERE is_text AND is_other AND definition <> ''
    UNION
    SELECT DISTINCT what || ': drop it, and create it again as it is to be then'
        FROM changed, names
        WHERE definition <> _snowid_convert.plainly(definition, schema, texts)
            AND (NOT _snowid_convert.is_telling(definition, schema, texts) OR EXISTS (
                SELECT FROM pg_depend AS d LEFT JOIN pg_operator AS o ON refclassid = 'pg_operator'::regclass
                        AND o.oid = refobjid
                    LEFT JOIN pg_proc AS p ON refclassid = 'pg_proc'::regclass AND p.oid = refobjid
                        AND proname IN ('min', 'max')
                WHERE classid = class AND objid = id
                    AND coalesce(oprnamespace, pronamespace) = (
                        SELECT extnamespace FROM pg_extension WHERE extname = 'snowid')
                    AND (refclassid, refobjid) NOT IN (SELECT g.class, g.id FROM _snowid_convert.going() AS g)))
    UNION ALL  -- PostgreSQL records no dependence on its operators
    SELECT DISTINCT format('constraint %I of %s: ALTER TABLE %2$s DROP CONSTRAINT %1$I', conname, rel)
        FROM columns JOIN pg_constraint ON conrelid = rel
            JOIN _snowid_convert.going() AS g ON g.class = 'pg_operator'::regclass AND g.id = ANY (conexclop)
    UNION ALL
    SELECT DISTINCT format('triggers of %s are disabled: ALTER TABLE %1$s ENABLE TRIGGER ALL', tgrelid::regclass)
        FROM columns LEFT JOIN pg_constraint ON contype = 'f' AND (conrelid = rel OR confrelid = rel),
            LATERAL (SELECT conrelid AS id UNION SELECT confrelid
                UNION SELECT relid FROM pg_partition_tree(rel)) AS t
            JOIN pg_trigger ON tgrelid = t.id
        WHERE tgenabled <> 'O' AND (tgisinternal OR tgparentid <> 0);
END;

-- The tables of other roles, which leave when these call.
CREATE FUNCTION _snowid_convert.of_others() RETURNS SETOF text
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
    SELECT DISTINCT format('%s belongs to %s, who must call snowid_convert(target => ''builtin'') too', rel,
            relowner::regrole)
        FROM _snowid_convert.columns(_snowid_convert.leaving(_snowid_convert.roles(false))) JOIN pg_class ON oid = rel
        ORDER BY 1;
END;

-- The tables that are locked, also because constraints are evaluated.
CREATE FUNCTION _snowid_convert.leaving_tables(scope _snowid_convert.scope) RETURNS regclass[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (SELECT * FROM _snowid_convert.columns(scope)),
        changing AS MATERIALIZED (SELECT rel::oid AS id FROM columns WHERE changes)
    SELECT ARRAY(
        SELECT unnest(_snowid_convert.with_children(ARRAY(SELECT rel FROM columns)))
        UNION SELECT relation FROM pg_constraint, unnest(ARRAY[conrelid, confrelid]) AS relation
            WHERE contype = 'f' AND (conrelid IN (SELECT id FROM changing) OR confrelid IN (SELECT id FROM changing))
        ORDER BY 1);
END;

-- The tables of moves that have not ended.
CREATE FUNCTION _snowid_convert.unfinished() RETURNS SETOF text
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
    SELECT format('%s is being moved, or still has its old ids: complete the move, give it up, or call '
            'snowid_convert_finish for the table of the key', tgrelid::regclass)
        FROM pg_trigger WHERE tgname = '~snowid_convert' ORDER BY 1;
END;

-- What the plan of leaving says before its statements.
CREATE FUNCTION _snowid_convert.leaving_notes(scope _snowid_convert.scope) RETURNS SETOF text
    LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
    WITH staying AS MATERIALIZED (
            SELECT DISTINCT in_the_way, what, statement
                FROM _snowid_convert.staying(scope) AS s, _snowid_convert.ended(s.class, s.id, s.num)),
        numbered AS MATERIALIZED (
            SELECT rel, num FROM _snowid_convert.own_ids(scope)
                WHERE base::oid = ANY (_snowid_convert.types('snowflake')) AND base <> 'uuid'::regtype),
        apart AS (  -- if each changes with the other, one of them goes to the other's owner
            SELECT rel, t.relowner AS owner, o.relowner AS other, min(o.relowner) OVER (
                    PARTITION BY least(o.relowner, t.relowner), greatest(o.relowner, t.relowner)) AS first
                FROM (SELECT DISTINCT relowner FROM _snowid_convert.columns(scope) JOIN pg_class ON oid = rel) AS o
                    CROSS JOIN LATERAL unnest(_snowid_convert.leaving_tables(
                        _snowid_convert.leaving(ARRAY[o.relowner]))) AS rel
                    JOIN pg_class AS t ON t.oid = rel
                WHERE _snowid_convert.are_apart(o.relowner, t.relowner)),
        told (is_first, note) AS (
            SELECT in_the_way, what || ': ' || statement FROM staying
            UNION ALL SELECT false, note FROM _snowid_convert.of_others() AS note
            UNION ALL SELECT true, untold FROM _snowid_convert.untold(scope) AS untold
            UNION ALL SELECT true, note FROM _snowid_convert.type_obstacles(scope)
            UNION ALL SELECT true, note FROM _snowid_convert.user_obstacles(scope, false, false)
                WHERE NOT EXISTS (SELECT FROM staying WHERE starts_with(note, what || ' '))
            UNION ALL SELECT true, note FROM _snowid_convert.hiding(ARRAY(SELECT rel FROM numbered))
            UNION ALL SELECT true, format('%s gets a sequence in schema %s: GRANT CREATE ON SCHEMA %2$s TO %s', rel,
                    relnamespace::regnamespace, relowner::regrole)
                FROM numbered JOIN pg_class ON oid = rel
                WHERE NOT has_schema_privilege(relowner, relnamespace, 'CREATE') AND NOT EXISTS (
                    SELECT FROM _snowid_convert.before(rel, num) WHERE kind IN ('DEFAULT nextval', 'no default'))
            UNION ALL SELECT true, note FROM _snowid_convert.unfinished() AS note
            UNION ALL SELECT true, format('%s belongs to %s, and changes with tables of %s: ALTER TABLE %1$s OWNER TO '
                    '%3$s', rel, owner::regrole, other::regrole)
                FROM apart WHERE other = first)
    SELECT CASE WHEN is_first THEN 'In the way: ' ELSE 'Still depends: ' END || note AS note FROM told
    UNION  -- functions of whose bodies only the text tells
    SELECT format('function %s calls %s, which goes with the extension', s.id::regprocedure,
            string_agg(DISTINCT proname, ', '))
        FROM _snowid_convert.sources() AS s JOIN pg_proc AS p ON proname = ANY (words)
            JOIN _snowid_convert.going() AS g ON g.class = 'pg_proc'::regclass AND g.id = p.oid
        WHERE s.id NOT IN (SELECT tgfoid FROM pg_trigger WHERE tgname = '~snowid_convert')
            AND pronamespace::regnamespace::text !~ '^_snowid'
        GROUP BY s.id
    ORDER BY note;
END;

-- The statements that change the types. What is dropped for that must be there again when it ends, so they are one row
-- unless all rows are run together.
CREATE FUNCTION _snowid_convert.plainly_typed(scope _snowid_convert.scope, together boolean, OUT statement text,
    OUT locks text, OUT rewrites boolean, OUT rows bigint, OUT note text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL UNSAFE ROWS 1
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (
            SELECT c.*, written, is_number FROM _snowid_convert.columns(scope) AS c
                JOIN _snowid_convert.plain_types() ON ours = base WHERE changes),
        names AS MATERIALIZED (SELECT * FROM _snowid_convert.our_names()),
        constraints AS MATERIALIZED (  -- a snowflake can refer to a bigint
            SELECT k.oid FROM columns JOIN pg_constraint AS k ON conrelid = rel AND num = ANY (conkey)
                WHERE coninhcount = 0 AND (contype = 'c' OR contype = 'f' AND NOT is_number)
            UNION SELECT k.oid FROM columns JOIN pg_constraint AS k ON confrelid = rel AND num = ANY (confkey)
                WHERE coninhcount = 0 AND contype = 'f' AND NOT is_number),
        again AS MATERIALIZED (
            SELECT k.*, pg_get_constraintdef(k.oid) AS had, _snowid_convert.plainly(pg_get_constraintdef(k.oid), schema,
                    texts) AS definition
                FROM names, constraints JOIN pg_constraint AS k USING (oid)),
        keys AS MATERIALIZED (
            SELECT conrelid::regclass AS rel, nullif(confrelid, 0)::regclass AS other, conname, definition,
                    obj_description(oid, 'pg_constraint') AS comment
                FROM again WHERE contype = 'f' OR definition <> had),
        tables AS MATERIALIZED (
            SELECT rel, string_agg(format('ALTER %I TYPE %s USING %1$I::%2$s', name, written), ', ' ORDER BY num)
                        AS changed, bool_or(NOT is_number) AS rewrites,
                    (SELECT sum(greatest(reltuples, 0)) FROM pg_class
                        WHERE oid = rel OR oid IN (SELECT relid FROM pg_partition_tree(rel))) AS rows
                FROM columns WHERE is_root GROUP BY rel),
        defaults AS MATERIALIZED (  -- a child has its own
            SELECT format('ALTER TABLE ONLY %s ALTER %I ', rel, name) AS altered, CASE WHEN NOT is_ours
                    THEN _snowid_convert.plainly(pg_get_expr(adbin, adrelid), schema, texts) END AS value
                FROM names, columns JOIN pg_attrdef ON adrelid = rel AND adnum = num),
        rebuilt AS MATERIALIZED (SELECT * FROM _snowid_convert.rebuilt(scope)),
        parts (place, part, rel, rewrites, rows) AS (
            SELECT 1, dropped, NULL::regclass, false, NULL::bigint FROM rebuilt
            UNION ALL SELECT 2, format('ALTER TABLE %s DROP CONSTRAINT %I', rel, conname), NULL, false, NULL
                FROM keys
            UNION ALL SELECT 3, altered || 'DROP DEFAULT', NULL, false, NULL FROM defaults
            UNION ALL SELECT 4, format('ALTER TABLE %s %s', rel, changed), rel, rewrites, rows::bigint FROM tables
            UNION ALL SELECT 5, altered || 'SET DEFAULT ' || value, NULL, false, NULL
                FROM defaults WHERE value IS NOT NULL
            UNION ALL SELECT 6, concat_ws(E';\n', format('ALTER TABLE %s ADD CONSTRAINT %I %s', rel, conname,
                    definition), format('COMMENT ON CONSTRAINT %I ON %s IS ', conname, rel) || quote_literal(comment)),
                    NULL, false, NULL
                FROM keys
            UNION ALL SELECT 7, _snowid_convert.plainly(created, schema, texts), NULL, false, NULL
                FROM rebuilt, names
            UNION ALL SELECT 8, compiled, NULL, false, NULL FROM _snowid_convert.recompiled(scope) AS compiled)
    SELECT part, 'ACCESS EXCLUSIVE on ' || rel, rewrites, rows, NULL
        FROM (SELECT * FROM parts WHERE together ORDER BY place, part) AS p
    UNION ALL
    SELECT string_agg(part, E';\n' ORDER BY place, part), 'ACCESS EXCLUSIVE on ' || (
                SELECT string_agg(t::text, ', ' ORDER BY t::text)
                    FROM (SELECT rel FROM tables UNION SELECT rel FROM keys UNION SELECT other FROM keys
                        WHERE other IS NOT NULL) AS u (t)),
            bool_or(rewrites), sum(rows)::bigint, 'ids become what PostgreSQL has: bigint, or their text'
        FROM parts WHERE NOT together HAVING count(*) > 0;
END;

-- The statements that set other defaults.
CREATE FUNCTION _snowid_convert.plainly_made(scope _snowid_convert.scope, OUT statement text, OUT locks text,
    OUT note text) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
    SELECT * FROM _snowid_convert.all_back(scope)
    UNION ALL
    SELECT concat(format('ALTER TABLE %s ALTER %I %s', rel, name, action), _snowid_convert.set_again(rel, name, true)),
            'ACCESS EXCLUSIVE on ' || rel, note
        FROM _snowid_convert.own_ids(scope), LATERAL (
            SELECT 'SET DEFAULT pg_catalog.' || coalesce((SELECT 'uuidv7()'
                        WHERE to_regprocedure('pg_catalog.uuidv7()') IS NOT NULL), 'gen_random_uuid()'),
                    'UUIDs that PostgreSQL makes'
                WHERE base = 'uuid'::regtype
            UNION ALL
            SELECT 'DROP DEFAULT', 'PostgreSQL makes no such ids: programs must give them'
                WHERE _snowid_convert.plain(base) = 'text'::regtype) AS a (action, note);
END;

-- The plan of leaving, for the tables of one owner or of all.
CREATE FUNCTION _snowid_convert.leaving_plan(scope _snowid_convert.scope, together boolean, OUT statement text,
    OUT locks text, OUT rewrites boolean, OUT rows bigint, OUT note text) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
    SELECT NULL, NULL, NULL::boolean, NULL::bigint, note FROM _snowid_convert.leaving_notes(scope) AS note
    UNION ALL SELECT * FROM _snowid_convert.plainly_typed(scope, together)
    UNION ALL SELECT statement, locks, false, NULL, note FROM _snowid_convert.plainly_made(scope);
END;

-- Raises an error unless all of the database is to leave, at once.
CREATE FUNCTION _snowid_convert.check_leaving(VARIADIC given boolean[]) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF true = ANY (given) THEN
        RAISE EXCEPTION 'the target builtin cannot be combined with other arguments'
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'It is for a whole database, at once.';
    END IF;
END $$;
