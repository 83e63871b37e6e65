
-- conversion ------------------------------------------------------------------
-- A plan is made from the catalogue alone, and its statements are all that a conversion runs. So what has been done is
-- never done again, and a conversion that was cut off goes on by a new plan.

CREATE FUNCTION _snowid.convert_types(target text) RETURNS oid[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE target WHEN 'uuidv7' THEN ARRAY['uuid'::regtype]
        ELSE ARRAY['smallint'::regtype, 'integer'::regtype, 'bigint'::regtype, '@extschema@.snowflake'::regtype, 'uuid'::regtype] END::oid[];
END;
COMMENT ON FUNCTION _snowid.convert_types(text) IS 'the types that can be converted';

-- The column that is meant, the type below its domains, the default that it is to get, and the first id to come.
CREATE FUNCTION _snowid.convert_start(tbl regclass, col name, target text, generator text, OUT column_name name, OUT base regtype, OUT next_id text, OUT next text, OUT layout text)
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    kept name;
BEGIN
    IF tbl IS NULL THEN
        RAISE EXCEPTION 'the table to convert must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF target IS NULL OR target NOT IN ('snowflake', 'uuidv7', 'bigserial') THEN
        RAISE EXCEPTION 'a column cannot be converted to %', coalesce(quote_literal(target), 'NULL') USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Use snowflake or uuidv7, or bigserial to go back.';
    END IF;
    IF EXISTS (SELECT FROM pg_class WHERE oid = tbl AND (relkind NOT IN ('r', 'p') OR relnamespace IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace))) THEN
        RAISE EXCEPTION '% is not a table that can be converted', tbl USING ERRCODE = 'wrong_object_type',
            DETAIL = 'It must be an ordinary or partitioned table, and none of PostgreSQL''s own.';
    END IF;
    column_name := coalesce(col, (SELECT attname FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
        WHERE contype = 'p' AND conrelid = tbl AND cardinality(conkey) = 1));
    IF column_name IS NULL THEN
        RAISE EXCEPTION '% has no primary key of one column', tbl USING ERRCODE = 'undefined_column', HINT = 'Name the column to convert.';
    END IF;
    SELECT base, _snowid.convert_kept(tbl, column_name) INTO base, kept FROM _snowid.convert_columns(tbl, column_name) WHERE rel = tbl AND name = column_name;
    IF base IS NULL THEN
        RAISE EXCEPTION 'column "%" of % does not exist', column_name, tbl USING ERRCODE = 'undefined_column';
    END IF;
    IF base::oid <> ALL (_snowid.convert_types(target)) AND (target <> 'uuidv7' OR kept IS NULL) THEN
        RAISE EXCEPTION '%.% cannot be converted to %', tbl, quote_ident(column_name), target USING ERRCODE = 'datatype_mismatch',
            DETAIL = format('It is of type %s.', base),
            HINT = CASE target WHEN 'uuidv7' THEN 'Only a uuid can, or a bigint that was a uuid and whose table still has a column with the UUIDs.' ELSE 'Only a smallint, integer, bigint or uuid can.' END;
    END IF;
    IF target = 'bigserial' THEN
        RETURN;
    END IF;
    next_id := format('%s.%s_next(%s)', _snowid.public_schema(), target, coalesce(quote_literal(generator) || '::text', ''));
    IF generator IS NOT NULL THEN
        layout := (SELECT coalesce(g.layout, _snowid.recorded_layout()) FROM _snowid.generators() AS g
            WHERE g.name = generator AND g.scheme = target AND NOT g.backfill);
        IF layout IS NULL THEN
            RAISE EXCEPTION 'there is no generator % that makes ids of now for the scheme %', quote_ident(generator), target USING ERRCODE = 'undefined_object',
                HINT = CASE generator WHEN 'default' THEN 'The default generator is used without a name: leave out the argument.' ELSE 'SELECT * FROM snowid_generator shows those that there are.' END;
        END IF;
    END IF;
    IF target = 'snowflake' THEN
        next := _snowid.snowflake_lower_bound(now(), layout)::text;
    END IF;
END $$;
COMMENT ON FUNCTION _snowid.convert_start(regclass, name, text, text) IS 'the column, type, default and first id of a conversion';

-- A column that was a uuid leaves its UUIDs in another column, which the last line of its comment names.
CREATE FUNCTION _snowid.convert_kept(tbl regclass, col name) RETURNS name
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT k.attname FROM pg_attribute AS a JOIN pg_attribute AS k USING (attrelid) WHERE attrelid = tbl AND a.attname = col AND k.atttypid = 'uuid'::regtype AND NOT k.attisdropped
        AND substring(col_description(tbl, a.attnum) FROM '[^\n]*$') = 'snowid: before, a uuid, now in ' || quote_ident(k.attname);
END;
COMMENT ON FUNCTION _snowid.convert_kept(regclass, name) IS 'the column with the UUIDs that a converted column had';

-- The columns that have to hold the ids of a column: itself, those that refer to it, those that refer to them, and the same
-- column of parents, children and partitions. Each comes once, so cycles end. Those of 32 bits change to bigint; where there are
-- none, those of UUIDs do, or the others back to UUIDs.
CREATE FUNCTION _snowid.convert_columns(tbl regclass, col name,
    OUT rel regclass, OUT num smallint, OUT name name, OUT type regtype, OUT base regtype, OUT is_root boolean, OUT changes boolean) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH RECURSIVE closure AS (
        SELECT attrelid AS rel, attnum AS num FROM pg_attribute WHERE attrelid = tbl AND attname = col AND attnum > 0 AND NOT attisdropped
        UNION
        SELECT n.rel, n.num FROM closure AS c JOIN pg_attribute AS own ON attrelid = c.rel AND attnum = c.num CROSS JOIN LATERAL (
            SELECT conrelid AS rel, conkey[i] AS num FROM pg_constraint, generate_subscripts(confkey, 1) AS i
                WHERE contype = 'f' AND confrelid = c.rel AND confkey[i] = c.num
            UNION ALL SELECT inhrelid, a.attnum FROM pg_inherits JOIN pg_attribute AS a ON a.attrelid = inhrelid AND a.attname = own.attname WHERE inhparent = c.rel
            UNION ALL SELECT inhparent, a.attnum FROM pg_inherits JOIN pg_attribute AS a ON a.attrelid = inhparent AND a.attname = own.attname
                WHERE inhrelid = c.rel AND own.attinhcount > 0) AS n)
    SELECT c.rel::regclass, c.num, a.attname, a.atttypid::regtype, t.base,
        a.attinhcount = 0, CASE WHEN bool_or(t.base IN ('smallint'::regtype, 'integer'::regtype)) OVER () THEN t.base IN ('smallint'::regtype, 'integer'::regtype)
            WHEN _snowid.convert_kept(tbl, col) IS NULL THEN t.base = 'uuid'::regtype ELSE t.base <> 'uuid'::regtype END
    FROM closure AS c JOIN pg_attribute AS a ON a.attrelid = c.rel AND a.attnum = c.num CROSS JOIN LATERAL (
        WITH RECURSIVE below AS (SELECT a.atttypid AS id UNION ALL SELECT typbasetype FROM below JOIN pg_type ON oid = id WHERE typtype = 'd')
        SELECT id::regtype AS base FROM below JOIN pg_type ON oid = id WHERE typtype <> 'd') AS t;
END;
COMMENT ON FUNCTION _snowid.convert_columns(regclass, name) IS 'the columns that have to hold the ids of a column';

-- The tables of other owners into which a conversion would look as the owner of the table: those of its children, which a reader of
-- all ids plans too, and where types change (`changes`) all that PostgreSQL reads when it makes the foreign keys again. Planning
-- is enough to run what an owner has put into a table, such as the condition of an index.
CREATE FUNCTION _snowid.convert_others(tbl regclass, col name, changes boolean, OUT rel regclass, OUT told text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 1
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (SELECT * FROM _snowid.convert_columns(tbl, col))
    SELECT o.oid::regclass, format('%s belongs to %s, but %s to %s', tbl, t.relowner::regrole, o.oid::regclass, o.relowner::regrole)
        FROM pg_class AS t JOIN pg_class AS o ON o.relowner <> t.relowner
        WHERE t.oid = tbl AND o.oid IN (SELECT rel FROM columns AS c WHERE convert_others.changes OR NOT c.is_root
            UNION ALL SELECT r FROM columns AS c JOIN pg_constraint ON contype = 'f' AND conrelid = c.rel AND c.num = ANY (conkey),
                LATERAL (SELECT confrelid AS r UNION ALL SELECT relid FROM pg_partition_tree(confrelid)) AS f WHERE convert_others.changes);
END;
COMMENT ON FUNCTION _snowid.convert_others(regclass, name, boolean) IS 'the tables of other owners that are in the way of a conversion';

-- What uses these columns and is compiled for their types. A change of type is refused by PostgreSQL where it is `fixed`.
CREATE FUNCTION _snowid.convert_users(tbl regclass, col name,
    OUT rel regclass, OUT num smallint, OUT changes boolean, OUT what text, OUT definition text, OUT fixed boolean) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    SELECT DISTINCT c.rel, c.num, c.changes, u.what, u.definition, u.fixed FROM _snowid.convert_columns(tbl, col) AS c CROSS JOIN LATERAL (SELECT '\m' || regexp_replace(c.name, '(\W)', '\\\1', 'g') || '\M"?' AS word) AS w
    JOIN pg_depend AS d ON refclassid = 'pg_class'::regclass AND refobjid = c.rel AND refobjsubid = c.num CROSS JOIN LATERAL (
        SELECT CASE relkind WHEN 'v' THEN 'view ' WHEN 'm' THEN 'materialized view ' ELSE format('rule %I on ', rulename) END || ev_class::regclass AS what,
                CASE WHEN relkind IN ('v', 'm') THEN format('CREATE %s %s AS%s', CASE relkind WHEN 'v' THEN 'VIEW' ELSE 'MATERIALIZED VIEW' END, ev_class::regclass, pg_get_viewdef(ev_class)) ELSE pg_get_ruledef(r.oid) END AS definition, true AS fixed
            FROM pg_rewrite AS r JOIN pg_class ON pg_class.oid = ev_class WHERE classid = 'pg_rewrite'::regclass AND r.oid = objid
        UNION ALL SELECT format('policy %I on %s', polname, polrelid::regclass), concat_ws(' ', pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)), true
            FROM pg_policy WHERE classid = 'pg_policy'::regclass AND oid = objid
        UNION ALL SELECT format('generated column %I of %s', attname, adrelid::regclass),
                format('(%s)::%s', pg_get_expr(adbin, adrelid), format_type(atttypid, atttypmod)), true
            FROM pg_attrdef AS e JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum WHERE classid = 'pg_attrdef'::regclass AND e.oid = objid AND attgenerated <> ''
        UNION ALL SELECT format('trigger %I on %s', tgname, tgrelid::regclass), pg_get_triggerdef(oid), true
            FROM pg_trigger WHERE classid = 'pg_trigger'::regclass AND oid = objid AND NOT tgisinternal AND tgparentid = 0
        UNION ALL SELECT format('function %s', objid::regprocedure), pg_get_functiondef(objid), true WHERE classid = 'pg_proc'::regclass
        UNION ALL SELECT format('publication %I, which has conditions or a list of columns for %s', pubname, prrelid::regclass), pg_get_expr(prqual, prrelid), true
            FROM pg_publication_rel AS p JOIN pg_publication ON pg_publication.oid = prpubid WHERE classid = 'pg_publication_rel'::regclass AND p.oid = objid
        UNION ALL SELECT format('constraint %I of %s', conname, conrelid::regclass), pg_get_constraintdef(oid), false
            FROM pg_constraint WHERE classid = 'pg_constraint'::regclass AND oid = objid AND contype = 'c' AND conrelid <> 0 AND conname <> 'snowid_same'
        UNION ALL SELECT 'index ' || objid::regclass, pg_get_indexdef(objid), false FROM pg_index WHERE classid = 'pg_class'::regclass AND indexrelid = objid
            AND (indisexclusion OR EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND pg_depend.objid = indexrelid AND refclassid = 'pg_proc'::regclass)
                OR EXISTS (SELECT FROM unnest(indclass) AS class JOIN pg_opclass AS o ON o.oid = class WHERE opcintype = c.base AND NOT opcdefault)
                OR c.base = 'uuid'::regtype AND regexp_replace(concat_ws(' ', pg_get_expr(indexprs, indrelid), pg_get_expr(indpred, indrelid)), w.word || ' IS (NOT )?NULL|''[^'']*''', '', 'g') ~ w.word)) AS u;
END;
COMMENT ON FUNCTION _snowid.convert_users(regclass, name) IS 'what uses the columns that have to hold the ids of a column';

CREATE FUNCTION _snowid.convert_granted(rel regclass, num smallint) RETURNS SETOF text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    SELECT format('GRANT %s (%I) ON %s TO %s%s', privilege_type, attname, rel, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END, CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
        FROM pg_attribute, aclexplode(attacl) WHERE attrelid = rel AND attnum = num;
END;
COMMENT ON FUNCTION _snowid.convert_granted(regclass, smallint) IS 'the statements that grant the privileges of a column';

-- Views and triggers that hold the type of a column, with how to drop them and how to create them again as they were. A view that others
-- depend on, and what belongs to another role, is not among them.
CREATE FUNCTION _snowid.convert_rebuilt(tbl regclass, col name, OUT what text, OUT dropped text, OUT created text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH users AS MATERIALIZED (SELECT DISTINCT u.what FROM _snowid.convert_users(tbl, col) AS u WHERE fixed AND changes AND strpos(definition, '::uuid') = 0)
    SELECT u.what, format('DROP VIEW %s', v), format('CREATE VIEW %s%s AS %s', v, ' WITH (' || array_to_string(reloptions, ', ') || ')', rtrim(pg_get_viewdef(c.oid), ';'))
            || format(E';\nALTER VIEW %s OWNER TO %s', v, relowner::regrole)
            || (SELECT string_agg(format(E';\nREVOKE ALL ON %s FROM %s', v, role), '' ORDER BY role) FROM (SELECT 'PUBLIC'
                UNION SELECT relowner::regrole::text WHERE relacl IS NOT NULL UNION SELECT grantee::regrole::text FROM pg_default_acl, aclexplode(defaclacl) WHERE defaclobjtype = 'r' AND grantee <> 0 AND grantee <> relowner) AS granted (role))
            || coalesce(E';\n' || (SELECT string_agg(statement, E';\n' ORDER BY statement) FROM (
                SELECT format('GRANT %s ON %s TO %s%s', privilege_type, v, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END, CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END) AS statement
                    FROM aclexplode(relacl)
                UNION ALL SELECT statement FROM pg_attribute, _snowid.convert_granted(attrelid::regclass, attnum) AS statement WHERE attrelid = c.oid
                UNION ALL SELECT format('COMMENT ON VIEW %s IS %L', v, obj_description(c.oid, 'pg_class')) WHERE obj_description(c.oid, 'pg_class') IS NOT NULL
                UNION ALL SELECT format('COMMENT ON COLUMN %s.%I IS %L', v, attname, col_description(attrelid, attnum)) FROM pg_attribute WHERE attrelid = c.oid AND col_description(attrelid, attnum) IS NOT NULL) AS s), '')
        FROM users AS u JOIN pg_class AS c ON relkind = 'v' AND u.what = 'view ' || c.oid::regclass CROSS JOIN LATERAL (SELECT c.oid::regclass AS v) AS n
        WHERE pg_has_role(relowner, 'USAGE') AND NOT EXISTS (SELECT FROM pg_depend AS d LEFT JOIN pg_rewrite AS r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
            WHERE (refclassid = 'pg_class'::regclass AND refobjid = c.oid AND r.ev_class IS DISTINCT FROM c.oid AND NOT (d.classid = 'pg_type'::regclass AND d.objid = reltype)
                OR refclassid = 'pg_type'::regclass AND refobjid IN (reltype, (SELECT typarray FROM pg_type WHERE oid = reltype)) AND d.deptype <> 'i')
                OR r.ev_class = c.oid AND r.rulename <> '_RETURN' AND refobjid = c.oid)
    UNION ALL
    SELECT u.what, format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass), pg_get_triggerdef(t.oid)
            || CASE tgenabled WHEN 'O' THEN '' ELSE format(E';\nALTER TABLE %s %s TRIGGER %I', tgrelid::regclass, CASE tgenabled WHEN 'D' THEN 'DISABLE' WHEN 'A' THEN 'ENABLE ALWAYS' ELSE 'ENABLE REPLICA' END, tgname) END
            || coalesce(format(E';\nCOMMENT ON TRIGGER %I ON %s IS ', tgname, tgrelid::regclass) || quote_literal(obj_description(t.oid, 'pg_trigger')), '')
        FROM users AS u JOIN pg_trigger AS t ON NOT tgisinternal AND tgparentid = 0 AND u.what = format('trigger %I on %s', tgname, tgrelid::regclass);
END;
COMMENT ON FUNCTION _snowid.convert_rebuilt(regclass, name) IS 'the views and triggers that a change of a column''s type drops and creates again';

-- What somebody should look at, because no statement can change it, or because nobody can tell whether it needs to be changed.
CREATE FUNCTION _snowid.convert_advice(tbl regclass, col name, OUT note text) RETURNS SETOF text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (SELECT * FROM _snowid.convert_columns(tbl, col)),
    -- the types that are too small for the new ids, or other ones
    before AS MATERIALIZED (SELECT * FROM (VALUES ('type uuid', '\muuid\M', '{uuid,_uuid}'::regtype[]), ('type bigint', '\m(bigint|int8|bigserial)\M', '{bigint,_int8}'), ('32 bits', '\m(int|integer|int4|int2|smallint|serial)\M', '{integer,smallint,_int4}')) AS b (told, words, types)
        WHERE told = (SELECT CASE WHEN bool_or(changes AND base = 'uuid'::regtype) THEN 'type uuid' WHEN bool_or(changes AND base = 'bigint'::regtype) THEN 'type bigint' ELSE '32 bits' END FROM columns)),
    words AS (SELECT DISTINCT regexp_replace(w, '(\W)', '\\\1', 'g') AS word FROM columns, unnest(ARRAY[name::text, (SELECT relname FROM pg_class WHERE oid = rel)::text]) AS w),
    sequences AS MATERIALIZED (SELECT DISTINCT s.oid, relname FROM columns JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = rel AND d.refobjsubid = num
            AND d.deptype IN ('a', 'i') AND d.classid IN ('pg_class'::regclass, 'pg_attrdef'::regclass)
        LEFT JOIN pg_depend AS e ON d.classid = 'pg_attrdef'::regclass AND e.classid = d.classid AND e.objid = d.objid AND e.refclassid = 'pg_class'::regclass
        JOIN pg_class AS s ON s.oid = CASE WHEN d.classid = 'pg_class'::regclass THEN d.objid ELSE e.refobjid END AND relkind = 'S'),
    sources AS MATERIALIZED (SELECT p.oid, prorettype, proargtypes, coalesce(pg_get_function_sqlbody(p.oid), prosrc) AS source FROM pg_proc AS p JOIN pg_language AS l ON l.oid = prolang
        WHERE lanname NOT IN ('c', 'internal') AND prokind <> 'a' AND pronamespace <> ALL (ARRAY['pg_catalog'::regnamespace, 'information_schema'::regnamespace])
            AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e'))
    SELECT format('function %s has variables, parameters or a result of %s and may put an id into one', oid::regprocedure, told) FROM sources, before
        WHERE (source ~* words OR proargtypes::oid[] && types::oid[] OR prorettype = ANY (types::oid[]))
            AND (EXISTS (SELECT FROM words WHERE source ~* ('\m' || word || '\M')) OR EXISTS (SELECT FROM pg_trigger, columns WHERE tgrelid = rel AND tgfoid = sources.oid))
    UNION ALL
    SELECT DISTINCT format('function %s, a trigger of %s, names %s, where %s of %s: if it is to take ids, change its type first', p.oid::regprocedure, g.tgrelid::regclass, c.oid::regclass,
            (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) || CASE WHEN count(*) > 1 THEN ' are' ELSE ' is' END FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND atttypid = ANY (types::oid[])), told)
        FROM before, sources AS p JOIN pg_trigger AS g ON tgfoid = p.oid AND tgrelid IN (SELECT rel FROM columns) AND tgname <> '~snowid_convert' JOIN pg_class AS c ON c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND c.oid NOT IN (SELECT rel FROM columns)
        WHERE source ~* ('\m' || regexp_replace(c.relname, '(\W)', '\\\1', 'g') || '\M') AND c.relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
            AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND atttypid = ANY (types::oid[]))
    UNION ALL
    SELECT format('function %s asks a sequence for its ids: leave the id to the default, and take it from INSERT ... RETURNING', oid::regprocedure) FROM sources
        WHERE EXISTS (SELECT FROM sequences) AND source ~* '\mlastval\s*\(' OR source ~* '\m(currval|nextval|setval)\M' AND EXISTS (SELECT FROM sequences WHERE strpos(source, relname) > 0)
            OR source ~* '\mpg_get_serial_sequence\M' AND EXISTS (SELECT FROM words WHERE source ~* ('\m' || word || '\M'))
    UNION ALL
    SELECT format('sessions that have used sequence %s keep its currval() and lastval(): let pools of connections connect again', oid::regclass) FROM sequences
    UNION ALL
    SELECT format('%s.%I is %s and has the name of a column that refers to %s, but no foreign key', a.attrelid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), tbl)
        FROM before, pg_attribute AS a JOIN pg_class AS r ON r.oid = attrelid JOIN pg_class AS t ON t.oid = tbl
        WHERE r.relkind IN ('r', 'p', 'f') AND attnum > 0 AND NOT attisdropped AND atttypid = ANY (types::oid[])
            AND r.relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) AND r.relpersistence <> 't'
            AND (attrelid, attnum) NOT IN (SELECT rel, num FROM columns) AND attislocal
            AND (attname IN (SELECT name FROM columns WHERE name <> col)
                OR attname::text = ANY (ARRAY[t.relname || '_' || col, regexp_replace(t.relname, 's$', '') || '_' || col, t.relname || '_' || col || 's', regexp_replace(t.relname, 's$', '') || '_' || col || 's']))
    UNION ALL
    SELECT format('publication %I sends %s.%I: all subscribers'' columns must be able to hold the new ids first', pubname, rel, name)
        FROM columns JOIN pg_class AS c ON c.oid = rel JOIN pg_namespace AS n ON n.oid = relnamespace JOIN pg_publication_tables ON schemaname = nspname AND tablename = relname
    UNION ALL
    SELECT DISTINCT format('a subscription writes %s: its rows bring their ids from the publisher', rel) FROM columns JOIN pg_subscription_rel ON srrelid = rel
    UNION ALL
    SELECT format('%s casts %s.%I to 32 bits', what, rel, c.name) FROM _snowid.convert_users(tbl, col) JOIN columns AS c USING (rel, num)
        WHERE definition ~ '::(integer|smallint)' AND (NOT fixed OR (SELECT bool_and(base NOT IN ('integer'::regtype, 'smallint'::regtype)) FROM columns));
END;
COMMENT ON FUNCTION _snowid.convert_advice(regclass, name) IS 'what a conversion cannot change by itself';

-- Sessions keep what PL/pgSQL has compiled, with the types that columns had. A function that has been altered is compiled again.
CREATE FUNCTION _snowid.convert_recompiled(tbl regclass, col name) RETURNS SETOF text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    SELECT format('ALTER ROUTINE %s SECURITY %s', p.oid::regprocedure, CASE WHEN prosecdef THEN 'DEFINER' ELSE 'INVOKER' END) FROM pg_proc AS p JOIN pg_language AS l ON l.oid = prolang
        WHERE lanname = 'plpgsql' AND pg_has_role(proowner, 'USAGE') AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')
            AND EXISTS (SELECT FROM _snowid.convert_columns(tbl, col) JOIN pg_class AS c ON c.oid = rel WHERE changes
                AND (EXISTS (SELECT FROM pg_trigger WHERE tgrelid = rel AND tgfoid = p.oid) OR strpos(prosrc, relname) > 0))
            AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgfoid = p.oid AND tgname = '~snowid_convert')
        ORDER BY p.oid::regprocedure::text;
END;
COMMENT ON FUNCTION _snowid.convert_recompiled(regclass, name) IS 'the statements that let sessions compile functions of PL/pgSQL again';

-- Whether an expression can be tried whoever wrote it: it calls nothing but functions of PostgreSQL that only compute. The object that it belongs
-- to depends on all others; PostgreSQL's own are not recorded there, and some of them run any SQL.
CREATE FUNCTION _snowid.convert_is_pure(class regclass, id oid, tree text) RETURNS boolean
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT NOT EXISTS (SELECT FROM pg_depend AS d LEFT JOIN pg_constraint AS k ON d.classid = 'pg_constraint'::regclass AND k.oid = objid
            WHERE d.classid = class AND objid = id AND refclassid <> 'pg_class'::regclass AND (refclassid, refobjid) IS DISTINCT FROM ('pg_type'::regclass::oid, k.contypid))
        AND NOT EXISTS (SELECT FROM regexp_matches(tree, ':(func|opfunc|op)(?:id|no) (\d+)', 'g') AS m LEFT JOIN pg_operator AS o ON m[1] = 'op' AND o.oid = m[2]::oid
            LEFT JOIN pg_proc AS p ON p.oid = CASE m[1] WHEN 'op' THEN oprcode ELSE m[2]::oid END WHERE m[2] <> '0' AND provolatile IS DISTINCT FROM 'i');
END;
COMMENT ON FUNCTION _snowid.convert_is_pure(regclass, oid, text) IS 'whether an expression calls only functions of PostgreSQL that only compute';

-- Whether an expression over one column takes a value. Only pure ones are tried, because the plan may be asked for by a superuser.
CREATE FUNCTION _snowid.convert_takes(expression text, name name, value text) RETURNS boolean
    LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    taken boolean;
BEGIN
    EXECUTE format('SELECT coalesce((%s)::text, ''true'') <> ''false'' FROM (SELECT %s AS %I) AS tried', expression, value, name) INTO taken;
    RETURN taken;
EXCEPTION WHEN data_exception OR integrity_constraint_violation THEN
    RETURN false;
END $$;
COMMENT ON FUNCTION _snowid.convert_takes(text, name, text) IS 'whether an expression over one column takes a value';

-- The highest id of a column; NULL where row-level security hides rows from the owner of the table, or another role owns some of its children.
CREATE FUNCTION _snowid.convert_last_as_owner(tbl regclass, col name) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    last text;
BEGIN
    PERFORM _snowid.require_owner(tbl);
    IF NOT row_security_active(tbl) AND NOT EXISTS (SELECT FROM _snowid.convert_others(tbl, col, false)) THEN
        EXECUTE format('SELECT max(%I)::bigint::text FROM %s', col, tbl) INTO last;
    END IF;
    RETURN last;
END $$;
COMMENT ON FUNCTION _snowid.convert_last_as_owner(regclass, name) IS 'the highest id of a column, read by its owner';
CREATE FUNCTION _snowid.convert_last(tbl regclass, col name) RETURNS text
    LANGUAGE C STABLE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'snowid_as_owner';
COMMENT ON FUNCTION _snowid.convert_last(regclass, name) IS 'the highest id of a column';

-- What must be out of the way before a conversion. The change is default, type, online, or uuid, where the ids become others.
CREATE FUNCTION _snowid.convert_obstacles(tbl regclass, col name, change text, next text, OUT note text) RETURNS SETOF text
    LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    c record;
    highest text;
    is_ours boolean;
    keyed boolean := change = 'uuid';
    online boolean := change IN ('online', 'uuid');
BEGIN
    is_ours := _snowid.default_is_ours(tbl, col);
    RETURN QUERY SELECT told FROM _snowid.convert_others(tbl, col, change <> 'default');
    FOR c IN SELECT c.*, relkind, relowner, reltype, relname FROM _snowid.convert_columns(tbl, col) AS c JOIN pg_class AS t ON t.oid = rel ORDER BY rel::text, num LOOP
        IF c.rel = tbl AND c.name = col AND NOT c.is_root THEN
            RETURN QUERY SELECT format('%s.%I is inherited: convert %s', tbl, col, string_agg(inhparent::regclass::text, ', ')) FROM pg_inherits WHERE inhrelid = tbl;
        END IF;
        IF c.rel = tbl AND c.name = col THEN
            RETURN QUERY SELECT format('%s.%I refers to %s: convert that, its ids come from there', tbl, col, confrelid::regclass)
                FROM pg_constraint, generate_subscripts(conkey, 1) AS i WHERE contype = 'f' AND conparentid = 0 AND conrelid = tbl AND conkey[i] = c.num
                    AND (confrelid, confkey[i]) NOT IN (SELECT rel, num FROM _snowid.convert_columns(tbl, col));
            IF pg_has_role(c.relowner, 'USAGE') AND NOT is_ours AND NOT keyed
                AND EXISTS (SELECT FROM pg_index WHERE indrelid = tbl AND indkey[0] = c.num AND indisvalid AND indpred IS NULL) THEN
                highest := _snowid.convert_last(tbl, col);
                IF highest::bigint >= next::bigint THEN
                    RETURN QUERY SELECT format('%s.%I has ids up to %s, and those to come begin at %s', tbl, col, highest, next);
                END IF;
            END IF;
        END IF;
        IF c.rel = tbl AND NOT pg_has_role(c.relowner, 'USAGE') THEN
            RETURN QUERY SELECT format('%s belongs to %s', c.rel, c.relowner::regrole);
        END IF;
        IF NOT keyed THEN
            RETURN QUERY SELECT format('constraint %I of %s refuses an id like %s: %s', conname, conrelid::regclass, next, pg_get_constraintdef(oid)) FROM pg_constraint
                WHERE contype = 'c' AND conrelid = c.rel AND conkey = ARRAY[c.num] AND conparentid = 0
                    AND CASE WHEN _snowid.convert_is_pure('pg_constraint', pg_constraint.oid, conbin::text) THEN NOT _snowid.convert_takes(pg_get_expr(conbin, conrelid), c.name, next || '::bigint') END
            UNION ALL SELECT format('generated column %I of %s cannot be computed from an id like %s', attname, adrelid::regclass, next)
                FROM pg_attrdef AS e JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum WHERE adrelid = c.rel AND attgenerated <> ''
                    AND (SELECT array_agg(refobjsubid) FROM pg_depend WHERE classid = 'pg_attrdef'::regclass AND objid = e.oid AND refclassid = 'pg_class'::regclass AND refobjid = c.rel AND refobjsubid <> adnum) = ARRAY[c.num::integer]
                    AND CASE WHEN _snowid.convert_is_pure('pg_attrdef', e.oid, adbin::text) AND atttypid IN (SELECT oid FROM pg_type WHERE typtype = 'b')
                        THEN NOT _snowid.convert_takes(format('(%s)::%s', pg_get_expr(adbin, adrelid), format_type(atttypid, atttypmod)), c.name, next || '::bigint') END
            UNION ALL SELECT format('the type of %s.%I, %s, refuses an id like %s', c.rel, c.name, c.type, next)
                FROM pg_type WHERE oid = c.type AND typtype = 'd'
                    AND CASE WHEN NOT EXISTS (WITH RECURSIVE chain (id) AS (SELECT c.type::oid UNION ALL SELECT typbasetype FROM chain JOIN pg_type ON oid = id WHERE typtype = 'd')
                        SELECT FROM chain JOIN pg_constraint AS k ON contypid = chain.id WHERE conbin IS NOT NULL AND NOT _snowid.convert_is_pure('pg_constraint', k.oid, conbin::text))
                    THEN NOT _snowid.convert_takes(format('%I::%s', c.name, c.type), c.name, next || '::bigint') END;
        END IF;
        CONTINUE WHEN change = 'default' OR NOT c.changes;
        IF c.type <> c.base THEN
            RETURN QUERY SELECT format('%s.%I is of the domain %s over %s, which cannot become another type', c.rel, c.name, c.type, c.base);
        END IF;
        IF EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = c.rel AND c.num = ANY (partattrs)) THEN
            RETURN QUERY SELECT format('%s is partitioned by %I, whose type cannot change: make another table and copy the rows', c.rel, c.name);
        END IF;
        IF online AND (c.rel, c.name) <> (tbl, col) AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.rel AND attnum = c.num AND attidentity <> '') THEN
            RETURN QUERY SELECT format('%s.%I is an identity, which does not go with it: drop the identity, or convert with rewrite => true', c.rel, c.name);
        END IF;
        IF c.relkind = 'f' THEN
            RETURN QUERY SELECT format('%s is a foreign table: change its column %I by hand', c.rel, c.name);
        END IF;
    END LOOP;
    IF online THEN
        RETURN QUERY SELECT format('%s.%I is being converted too, and a table has one trigger for it: complete that first, or give it up', attrelid::regclass, attname) FROM (SELECT DISTINCT rel FROM _snowid.convert_twins(tbl, col) WHERE NOT is_kept) AS t
                JOIN pg_trigger ON tgrelid = rel AND tgname = '~snowid_convert' JOIN pg_attribute AS a ON attrelid = rel AND attnum > 0 AND NOT attisdropped
                WHERE EXISTS (SELECT FROM pg_attribute AS b WHERE b.attrelid = rel AND b.attname = _snowid.convert_twin(a.attname) AND NOT b.attisdropped)
                    AND (rel, attnum) NOT IN (SELECT rel, num FROM _snowid.convert_twins(tbl, col))
            UNION ALL SELECT format('%s has a column %I, which is the name for a second column: rename it', rel, twin) FROM _snowid.convert_twins(tbl, col)
                WHERE NOT is_kept AND twin_num IS NOT NULL AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = rel AND tgname = '~snowid_convert');
        RETURN QUERY SELECT DISTINCT format('%s has partitions or children, or is one: CREATE INDEX CONCURRENTLY does not work there; ' || CASE WHEN keyed THEN 'make another table and copy the rows' ELSE 'convert it with rewrite => true' END, rel)
            FROM _snowid.convert_columns(tbl, col) JOIN pg_class ON oid = rel WHERE changes
                AND (relkind = 'p' OR EXISTS (SELECT FROM pg_inherits WHERE rel IN (inhrelid, inhparent)))
            UNION SELECT format('foreign key %I of %s, which has partitions, would block its writers: drop it, and add it again after the conversion', name, rel)
            FROM _snowid.convert_keys(tbl, col) JOIN pg_class ON oid = rel WHERE relkind = 'p'
            UNION SELECT format('trigger %I of %s fires after the one that writes the second columns: rename it so that its name sorts before ~', tgname, rel)
            FROM _snowid.convert_columns(tbl, col) JOIN pg_trigger ON tgrelid = rel WHERE changes
                AND tgname::text COLLATE "C" > '~snowid_convert' AND tgtype & 3 = 3 AND tgtype & 20 <> 0;
    END IF;
    IF change <> 'default' THEN
        RETURN QUERY SELECT DISTINCT CASE WHEN online AND what !~ '^(rule|index) ' THEN 'of the swap: ' ELSE '' END || what || ' uses the column: drop it' || coalesce(' (with ' || dependents || ')', '')
                || CASE WHEN online AND what !~ '^(rule|index) ' THEN ' in the transaction of the swap, and create it again there' ELSE ', and create it again after the conversion' END || coalesce(': ' || definition, '')
            FROM _snowid.convert_users(tbl, col) CROSS JOIN LATERAL (SELECT string_agg(DISTINCT CASE relkind WHEN 'm' THEN 'materialized view ' ELSE 'view ' END || v.oid::regclass, ', ') AS dependents
                    FROM pg_depend JOIN pg_rewrite AS r ON r.oid = objid JOIN pg_class AS v ON v.oid = ev_class AND relkind IN ('v', 'm')
                    WHERE classid = 'pg_rewrite'::regclass AND refclassid = 'pg_class'::regclass AND what IN ('view ' || refobjid::regclass, 'materialized view ' || refobjid::regclass) AND ev_class <> refobjid) AS d
            WHERE changes AND (fixed OR online AND what ~ CASE WHEN keyed THEN '^(publication|index|constraint) ' ELSE '^(publication|index) ' END) AND what NOT IN (SELECT what FROM _snowid.convert_rebuilt(tbl, col));
    END IF;
END $$;
COMMENT ON FUNCTION _snowid.convert_obstacles(regclass, name, text, text) IS 'what stands in the way of a conversion';

-- The sequence that a column has: of its identity, its own, or the one that its default asks. And why it must stay as it is, if it must.
CREATE FUNCTION _snowid.convert_sequence(tbl regclass, num smallint, OUT seq regclass, OUT kept text)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s.oid::regclass, CASE WHEN NOT bool_or(is_own) THEN 'it is not the column''s own' WHEN seqincrement < 0 THEN 'it descends' WHEN NOT pg_has_role(relowner, 'USAGE') THEN 'it is another role''s'
        WHEN EXISTS (SELECT FROM pg_depend JOIN pg_attrdef AS e ON e.oid = objid AND (adrelid <> tbl OR adnum <> num)
            AND adrelid NOT IN (SELECT relid FROM pg_partition_tree(tbl) UNION ALL SELECT inhrelid FROM pg_inherits WHERE inhparent = tbl)
            WHERE classid = 'pg_attrdef'::regclass AND refclassid = 'pg_class'::regclass AND refobjid = s.oid) THEN 'other columns use it' END
    FROM (SELECT objid AS seq, true AS is_own FROM pg_depend WHERE classid = 'pg_class'::regclass AND refclassid = 'pg_class'::regclass AND refobjid = tbl AND refobjsubid = num AND deptype IN ('a', 'i')
        UNION ALL SELECT refobjid, false FROM pg_attrdef AS e JOIN pg_depend ON classid = 'pg_attrdef'::regclass AND objid = e.oid AND refclassid = 'pg_class'::regclass WHERE adrelid = tbl AND adnum = num) AS f
    JOIN pg_class AS s ON s.oid = f.seq AND relkind = 'S' JOIN pg_sequence ON seqrelid = s.oid GROUP BY s.oid, relowner, seqincrement ORDER BY bool_or(is_own), s.oid LIMIT 1;
END;
COMMENT ON FUNCTION _snowid.convert_sequence(regclass, smallint) IS 'the sequence that gives a column its numbers';

-- What a column had before, as the last line of its comment. It is data of the table's owner: only names and numbers are taken from it.
CREATE FUNCTION _snowid.convert_before(tbl regclass, num smallint, OUT line text, OUT kind text, OUT seq text, OUT options text, OUT max bigint, OUT last bigint)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT found[1], found[2], (SELECT string_agg(quote_ident(part), '.') FROM unnest(parse_ident(found[3])) AS part), found[4], found[5]::bigint, found[6]::bigint
    FROM (SELECT regexp_match(col_description(tbl, num),
        '((?:^|\n)snowid: before, (GENERATED ALWAYS AS IDENTITY|GENERATED BY DEFAULT AS IDENTITY|DEFAULT nextval) of ((?:"(?:[^"\n]|"")+"|[^". \n;]+)(?:\.(?:"(?:[^"\n]|"")+"|[^". \n;]+))?) '
            || '(START WITH -?\d{1,19} INCREMENT BY -?\d{1,19} MINVALUE -?\d{1,19} CACHE \d{1,19} (?:NO )?CYCLE) MAXVALUE (-?\d{1,19}), last value (-?\d{1,19}))') AS found) AS m
    WHERE found IS NOT NULL;
END;
COMMENT ON FUNCTION _snowid.convert_before(regclass, smallint) IS 'what a converted column had before, from its comment';

-- The statements that give a column its new default, and those that take it back. They are one row, because half of them are worse than none.
-- In the swap of an online conversion the column is another one, and the identity has gone with the first.
CREATE FUNCTION _snowid.convert_default(tbl regclass, col name, next_id text, in_swap boolean, OUT statement text, OUT locks text, OUT note text) RETURNS SETOF record
    LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    is_ours boolean;
    a record;
    s record;
    told text;
BEGIN
    SELECT attnum, attidentity, pg_get_expr(adbin, adrelid) AS had INTO a FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE attrelid = tbl AND attname = col;
    is_ours := _snowid.default_is_ours(tbl, col);
    IF is_ours AND a.had = next_id THEN
        RETURN;
    END IF;
    SELECT q.*, seqstart, seqincrement, seqmin, seqmax, seqcache, seqcycle, CASE WHEN has_sequence_privilege(seq, 'USAGE, SELECT') THEN pg_sequence_last_value(seq) END AS last INTO s
        FROM _snowid.convert_sequence(tbl, a.attnum) AS q JOIN pg_sequence ON seqrelid = seq;
    told := replace(col_description(tbl, a.attnum), coalesce((SELECT line FROM _snowid.convert_before(tbl, a.attnum)), ''), '');
    locks := 'ACCESS EXCLUSIVE on ' || tbl;
    statement := format('ALTER TABLE %s %sALTER %I SET DEFAULT %s', tbl, CASE WHEN a.attidentity <> '' AND NOT in_swap THEN format('ALTER %I DROP IDENTITY, ', col) ELSE '' END, col, next_id);
    IF s.seq IS NULL OR is_ours OR a.had <> format('nextval(%L::regclass)', s.seq) THEN
        note := 'the default was ' || a.had;
        RETURN NEXT;
        RETURN;
    END IF;
    statement := statement || format(E';\nCOMMENT ON COLUMN %s.%I IS %L', tbl, col, concat_ws(E'\n', nullif(told, ''),
        format('snowid: before, %s of %s START WITH %s INCREMENT BY %s MINVALUE %s CACHE %s %s MAXVALUE %s, last value %s',
            CASE a.attidentity WHEN 'a' THEN 'GENERATED ALWAYS AS IDENTITY' WHEN 'd' THEN 'GENERATED BY DEFAULT AS IDENTITY' ELSE 'DEFAULT nextval' END,
            s.seq, s.seqstart, s.seqincrement, s.seqmin, s.seqcache, CASE WHEN s.seqcycle THEN 'CYCLE' ELSE 'NO CYCLE' END, s.seqmax, coalesce(s.last, s.seqstart))));
    IF a.attidentity <> '' THEN
        note := format('drops sequence %s and its privileges; the comment keeps what the column had, for the way back', s.seq);
    ELSIF s.kept IS NOT NULL THEN
        note := format('sequence %s stays as it is, because %s: nextval() of it goes on', s.seq, s.kept);
    ELSE
        statement := statement || E';\n' || format('DO %L', format('DECLARE last bigint := (SELECT greatest(last_value, %s) FROM %s); BEGIN EXECUTE pg_catalog.format(''ALTER SEQUENCE %%s MAXVALUE %%s NO CYCLE'', %L::text, last); '
            'PERFORM pg_catalog.setval(%3$L::regclass, last); END', greatest(s.seqstart, s.seqmin + 1), s.seq, s.seq::text));
        locks := locks || ', SHARE ROW EXCLUSIVE on ' || s.seq;
        note := 'from here on nextval() of the sequence is an error, and not an id of the old kind; the comment keeps what the column had, for the way back';
    END IF;
    RETURN NEXT;
END $$;
COMMENT ON FUNCTION _snowid.convert_default(regclass, name, text, boolean) IS 'the statements that give a column its new default';

CREATE FUNCTION _snowid.convert_back(tbl regclass, col name, OUT statement text, OUT locks text, OUT note text) RETURNS SETOF record
    LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    num smallint := (SELECT attnum FROM pg_attribute WHERE attrelid = tbl AND attname = col);
    is_ours boolean;
    b record;
    s record;
    seq text;
    options text;
    start bigint;
    step bigint;
BEGIN
    is_ours := _snowid.default_is_ours(tbl, col);
    IF NOT is_ours OR EXISTS (SELECT FROM pg_attribute WHERE attrelid = tbl AND attname = col AND atttypid = 'uuid'::regtype) THEN
        RETURN;
    END IF;
    SELECT * INTO b FROM _snowid.convert_before(tbl, num);
    -- the greatest int was the end because the column was an int, which it is no longer
    options := CASE WHEN b.max IN (32767, 2147483647)
                AND NOT EXISTS (SELECT FROM pg_sequence WHERE seqrelid = to_regclass(b.seq) AND seqtypid = 'bigint'::regtype)
            OR _snowid.convert_last(tbl, col)::bigint >= b.max THEN 'NO MAXVALUE'
        ELSE 'MAXVALUE ' || b.max END;
    locks := 'ACCESS EXCLUSIVE on ' || tbl;
    note := 'the next ids come after the last snowflake';
    start := coalesce(substring(b.options FROM 'START WITH (-?\d+)')::bigint, 1);
    step := coalesce(substring(b.options FROM 'INCREMENT BY (-?\d+)')::bigint, 1);
    IF b.kind = 'DEFAULT nextval' AND EXISTS (SELECT FROM pg_class WHERE oid = to_regclass(b.seq) AND relkind = 'S' AND relowner = (SELECT relowner FROM pg_class WHERE oid = tbl)) THEN
        seq := b.seq;
        SELECT * INTO s FROM _snowid.convert_sequence(tbl, num);
        IF s.seq = to_regclass(seq) AND s.kept IS NULL THEN
            statement := format('ALTER SEQUENCE %s AS bigint %s %s', seq, options, substring(b.options FROM '(?:NO )?CYCLE$'));
            locks := locks || ', SHARE ROW EXCLUSIVE on ' || seq;
        ELSE
            note := 'the sequence goes on where it was';
            step := NULL;
        END IF;
    ELSIF b.kind ~ 'IDENTITY' THEN
        seq := b.seq;
        statement := format('ALTER TABLE %s ALTER %I DROP DEFAULT, ALTER %2$I ADD %s (SEQUENCE NAME %s %s %s)', tbl, col, b.kind, seq, b.options, options);
    ELSE
        FOR i IN 0..1000 LOOP
            seq := (SELECT format('%s.%I', relnamespace::regnamespace, left(relname || '_' || col, 50) || '_seq' || coalesce(nullif(i, 0)::text, '')) FROM pg_class WHERE oid = tbl);
            EXIT WHEN to_regclass(seq) IS NULL;
        END LOOP;
        note := concat_ws('; ', CASE WHEN b.kind IS NULL THEN 'nothing tells what the column had before' ELSE format('sequence %s is gone', b.seq) END, note);
        statement := format('CREATE SEQUENCE %s OWNED BY %s.%I', seq, tbl, col);
        start := 1;
        step := 1;
    END IF;
    IF b.kind IS NULL OR b.kind !~ 'IDENTITY' THEN
        statement := concat_ws(E';\n', statement, format('ALTER TABLE %s ALTER %I SET DEFAULT pg_catalog.nextval(%L::regclass)', tbl, col, seq));
    END IF;
    -- where each server takes every second number, say, it goes on with its own
    statement := concat_ws(E';\n', statement, CASE WHEN step < 0 THEN format('SELECT pg_catalog.setval(%L::regclass, %s)', seq, b.last)
        WHEN step > 0 THEN format('SET LOCAL row_security = off;' || E'\nSELECT pg_catalog.setval(%L::regclass, %s) FROM (SELECT greatest(pg_catalog.max(%I), %s) AS last FROM %s) AS rows', seq,
            CASE step WHEN 1 THEN 'last' ELSE format('last + pg_catalog.mod(%s - pg_catalog.mod(last - %s, %1$s), %1$s)', step, start) END, col, coalesce(b.last, 1), tbl) END,
        format('COMMENT ON COLUMN %s.%I IS %L', tbl, col, nullif(replace(col_description(tbl, num), b.line, ''), '')));
    RETURN NEXT;
END $$;
COMMENT ON FUNCTION _snowid.convert_back(regclass, name) IS 'the statements that give a column its sequence or identity back';

CREATE FUNCTION @extschema@.snowid_convert_plan(tbl regclass, col name DEFAULT NULL, target text DEFAULT 'snowflake', generator text DEFAULT NULL, online boolean DEFAULT false, time_col name DEFAULT NULL,
    OUT step integer, OUT statement text, OUT locks text, OUT rewrites boolean, OUT rows bigint, OUT note text) RETURNS SETOF record
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    base regtype;
    next_id text;
    next text;
    layout text;
    made text;
    change text := 'default';
    in_the_way boolean := false;
    in_the_way_of_swap boolean := false;
    dropped text;
    created text;
    t record;
BEGIN
    SELECT * INTO col, base, next_id, next, layout FROM _snowid.convert_start(tbl, col, target, generator);
    IF target <> 'bigserial' AND (base = 'uuid'::regtype) <> (target = 'uuidv7') THEN
        change := 'uuid';
        IF online IS NOT TRUE THEN
            RAISE EXCEPTION '%.% is converted to % only online', tbl, quote_ident(col), target USING ERRCODE = 'feature_not_supported', DETAIL = 'All rows get other ids.',
                HINT = format('Run the statements of SELECT * FROM %s.snowid_convert_plan(%L, %L, %L, online => true).', _snowid.public_schema(), tbl, col, target);
        END IF;
        time_col := coalesce(time_col, _snowid.convert_time_column(tbl, col));
    ELSIF time_col IS NOT NULL THEN
        RAISE EXCEPTION 'time_col is only for a uuid that becomes a snowflake' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    made := _snowid.convert_made(tbl, time_col, 'UTC');
    IF time_col IS NOT NULL AND made IS NULL THEN
        RAISE EXCEPTION 'column "%" of % has no times', time_col, tbl USING ERRCODE = 'datatype_mismatch', DETAIL = 'There must be such a column, of type timestamptz, timestamp or uuid.';
    END IF;
    step := 0;
    IF next IS NOT NULL OR change = 'uuid' THEN
        IF change <> 'uuid' THEN
            SELECT CASE WHEN NOT bool_or(base IN ('integer'::regtype, 'smallint'::regtype)) THEN 'default' WHEN online THEN 'online' ELSE 'type' END INTO change FROM _snowid.convert_columns(tbl, col);
        END IF;
        FOR note IN SELECT DISTINCT CASE WHEN starts_with(note, 'of the swap: ') THEN 'In the way ' ELSE 'In the way: ' END || note AS note FROM (SELECT note FROM _snowid.convert_obstacles(tbl, col, change, coalesce(next, '0'))
            UNION ALL SELECT note FROM _snowid.convert_uuid_obstacles(tbl, col, layout, time_col) WHERE change = 'uuid') AS o ORDER BY note LOOP
            step := step + 1;
            in_the_way := in_the_way OR note LIKE 'In the way: %';
            in_the_way_of_swap := in_the_way_of_swap OR note LIKE 'In the way of%';
            RETURN NEXT;
        END LOOP;
        FOR note IN SELECT DISTINCT note FROM _snowid.convert_advice(tbl, col) ORDER BY note LOOP
            step := step + 1;
            RETURN NEXT;
        END LOOP;
    END IF;
    IF change IN ('online', 'uuid') AND in_the_way THEN  -- its statements are run one by one, and only the last would fail
        RETURN;
    END IF;
    note := NULL;
    IF change NOT IN ('online', 'uuid') THEN
        rewrites := false;
        FOR statement, locks IN SELECT * FROM _snowid.convert_dropped(tbl, col) LOOP
            step := step + 1;
            note := 'drops what an online conversion that was given up has left';
            RETURN NEXT;
        END LOOP;
        statement := NULL;
        locks := NULL;
        note := NULL;
    END IF;
    IF change = 'type' THEN
        rewrites := true;
        rows := 0;
        -- what is dropped for it must be there again when it ends, so then it is one row
        SELECT string_agg(dropped, E';\n' ORDER BY what), string_agg(created, E';\n' ORDER BY what) INTO dropped, created FROM _snowid.convert_rebuilt(tbl, col);
        FOR t IN SELECT rel, string_agg(format('ALTER %I TYPE bigint', name), ', ' ORDER BY num) AS changes
            FROM _snowid.convert_columns(tbl, col) WHERE is_root AND base IN ('integer'::regtype, 'smallint'::regtype) GROUP BY rel ORDER BY rel <> tbl, rel::text LOOP
            dropped := concat_ws(E';\n', dropped, format('ALTER TABLE %s %s', t.rel, t.changes));
            locks := coalesce(locks || ', ', 'ACCESS EXCLUSIVE on ') || t.rel;
            rows := rows + (SELECT sum(greatest(reltuples, 0)) FROM pg_class WHERE oid = t.rel OR oid IN (SELECT relid FROM pg_partition_tree(t.rel)));
            CONTINUE WHEN created IS NOT NULL;
            step := step + 1;
            statement := dropped;
            RETURN NEXT;
            dropped := NULL;
            locks := NULL;
            rows := 0;
        END LOOP;
        IF created IS NOT NULL THEN
            step := step + 1;
            statement := concat_ws(E';\n', dropped, created);
            note := 'drops views and triggers, and creates them again';
            RETURN NEXT;
        END IF;
        rewrites := false;
        rows := NULL;
        SELECT string_agg(s, E';\n') INTO statement FROM _snowid.convert_recompiled(tbl, col) AS s;
        IF statement IS NOT NULL THEN
            step := step + 1;
            locks := NULL;
            note := 'lets sessions compile these functions again, with the new types';
            RETURN NEXT;
        END IF;
    END IF;
    rewrites := false;
    rows := NULL;
    IF change IN ('online', 'uuid') THEN
        FOR statement, locks, rows, note IN SELECT * FROM _snowid.convert_online(tbl, col, next_id, time_col, layout) LOOP
            CONTINUE WHEN in_the_way_of_swap AND note ~ '^(the|after the) swap';
            step := step + 1;
            RETURN NEXT;
        END LOOP;
        RETURN;
    END IF;
    FOR statement, locks, note IN
        SELECT * FROM _snowid.convert_back(tbl, col) WHERE target = 'bigserial'
        UNION ALL SELECT * FROM _snowid.convert_default(tbl, col, next_id, false) WHERE target <> 'bigserial'
    LOOP
        step := step + 1;
        RETURN NEXT;
    END LOOP;
    -- it may have been stopped after the swap
    note := 'the swap has left it NOT VALID';
    FOR statement, locks IN SELECT DISTINCT format('ALTER TABLE %s VALIDATE CONSTRAINT %I', rel, conname), 'SHARE UPDATE EXCLUSIVE on ' || rel
        FROM _snowid.convert_columns(tbl, col) JOIN pg_constraint ON conrelid = rel AND contype = 'c' AND num = ANY (conkey) AND NOT convalidated WHERE online ORDER BY 1 LOOP
        step := step + 1;
        RETURN NEXT;
    END LOOP;
    note := 'the column has no statistics yet';
    FOR statement, locks IN SELECT DISTINCT 'ANALYZE ' || rel, 'SHARE UPDATE EXCLUSIVE on ' || rel
        FROM _snowid.convert_columns(tbl, col) JOIN pg_class AS c ON c.oid = rel JOIN pg_namespace AS n ON n.oid = relnamespace JOIN pg_stats ON schemaname = nspname AND tablename = relname
        WHERE online GROUP BY rel HAVING NOT bool_or(attname = name) ORDER BY 1 LOOP
        step := step + 1;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.snowid_convert_plan(regclass, name, text, text, boolean, name) IS 'the statements that move a column to ids of this extension, or back to a sequence, and what stands in the way; changes nothing';

CREATE FUNCTION _snowid.convert_steps(tbl regclass, col name, target text, generator text,
    OUT step integer, OUT statement text, OUT locks text, OUT rewrites boolean, OUT rows bigint, OUT note text) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL UNSAFE
BEGIN ATOMIC
    SELECT * FROM @extschema@.snowid_convert_plan(tbl, col, target, generator);
END;
COMMENT ON FUNCTION _snowid.convert_steps(regclass, name, text, text) IS 'snowid_convert_plan';

-- Locks tables, the first ones first, within a time for all of them. Who was in the way is told, because nobody sees it afterwards.
CREATE FUNCTION _snowid.convert_lock(tables regclass[], within interval) RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    before text := current_setting('lock_timeout');
    until timestamptz := clock_timestamp() + within;
    tbl regclass;
    holders text;
BEGIN
    FOREACH tbl IN ARRAY tables LOOP
        PERFORM set_config('lock_timeout', greatest(1, ceil(extract(epoch FROM until - clock_timestamp()) * 1000))::bigint || 'ms', true);
        EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', tbl);
    END LOOP;
    PERFORM set_config('lock_timeout', before, true);
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
    SELECT string_agg(DISTINCT format('Process %s%s holds %s on %s.', l.pid, coalesce(format(' (%s)', concat_ws(', ', usename, nullif(application_name, ''), state)), ''), mode, relation::regclass), ' ')
        INTO holders FROM pg_locks AS l LEFT JOIN pg_stat_activity AS a ON a.pid = l.pid
        WHERE granted AND l.pid <> pg_backend_pid() AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND relation IN (SELECT oid FROM unnest(tables) AS t (oid) UNION SELECT relid FROM unnest(tables) AS t (oid), pg_partition_tree(t.oid));
    RAISE EXCEPTION 'could not lock % within %', tbl, within USING ERRCODE = 'lock_not_available',
        DETAIL = coalesce(holders, 'The session that held it has let it go.'), HINT = 'Nothing has been changed. Try again, or give it another lock_timeout.';
END $$;
COMMENT ON FUNCTION _snowid.convert_lock(regclass[], interval) IS 'locks the tables of a conversion, or says who holds them';

CREATE FUNCTION _snowid.convert_as_owner(tbl regclass, col name, target text, generator text, lock_timeout interval, rewrite boolean) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
    next text;
    tables regclass[];
    other regclass;
    told text;
    statements text[];
    seconds numeric;
    is_ours boolean;
BEGIN
    PERFORM _snowid.require_owner(tbl);
    SELECT column_name, next INTO col, next FROM _snowid.convert_start(tbl, col, target, generator);
    IF lock_timeout IS NULL OR lock_timeout <= interval '0' OR lock_timeout > interval '1 day' THEN
        RAISE EXCEPTION 'lock_timeout must be more than 0 and up to a day' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- a table before the one that it refers to, as INSERT locks them
    SELECT array_agg(rel ORDER BY rel = tbl, rel::text) INTO tables FROM (SELECT DISTINCT rel FROM _snowid.convert_columns(tbl, col)
        WHERE rel = tbl AND name = col OR next IS NOT NULL AND base IN ('integer'::regtype, 'smallint'::regtype)
            OR EXISTS (SELECT FROM pg_trigger WHERE tgrelid = rel AND tgname = '~snowid_convert')) AS t;
    SELECT string_agg(o.told, '; ' ORDER BY o.told) INTO told FROM _snowid.convert_others(tbl, col, next IS NOT NULL
        AND EXISTS (SELECT FROM _snowid.convert_columns(tbl, col) WHERE base IN ('integer'::regtype, 'smallint'::regtype))) AS o;
    IF told IS NOT NULL THEN
        RAISE EXCEPTION 'the conversion of %.% would look into tables of other owners', tbl, quote_ident(col) USING ERRCODE = 'insufficient_privilege',
            DETAIL = told || '.', HINT = 'Give these tables one owner, or drop the foreign keys between them until each is converted.';
    END IF;
    SELECT t INTO other FROM unnest(tables) AS t JOIN pg_class ON oid = t WHERE NOT pg_has_role(relowner, 'USAGE') ORDER BY t::text LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'must be owner of table %', other USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT ceil(greatest(sum(rows) * 1.2e-6, 0) + sum(pg_total_relation_size(t)) / 2e8) INTO seconds FROM _snowid.convert_steps(tbl, col, target, generator), unnest(tables) AS t WHERE rewrites;
    IF seconds IS NOT NULL AND rewrite IS NOT TRUE THEN
        RAISE EXCEPTION 'the conversion of %.% rewrites tables', tbl, quote_ident(col) USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('Nobody can read or write %s meanwhile, for about %s s.', array_to_string(tables, ', '), seconds),
            HINT = format('Pass rewrite => true, or run the statements of SELECT * FROM %s.snowid_convert_plan(%L, %L, online => true) while others work.', _snowid.public_schema(), tbl, col);
    END IF;
    PERFORM _snowid.convert_lock(tables, lock_timeout);
    SELECT string_agg(note, E'\n') FILTER (WHERE note LIKE 'In the way: %'), array_agg(statement ORDER BY step) FILTER (WHERE statement IS NOT NULL) INTO told, statements
        FROM _snowid.convert_steps(tbl, col, target, generator);
    IF told IS NOT NULL THEN
        RAISE EXCEPTION 'something stands in the way of converting %.%', tbl, quote_ident(col) USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = told;
    END IF;
    is_ours := _snowid.default_is_ours(tbl, col);
    FOR i IN 1..coalesce(cardinality(statements), 0) LOOP
        EXECUTE statements[i];
    END LOOP;
    IF next IS NULL OR is_ours THEN
        RETURN;
    END IF;
    EXECUTE format('SELECT max(%I)::bigint::text FROM %s', col, tbl) INTO told;
    SELECT next INTO next FROM _snowid.convert_start(tbl, col, target, generator);
    IF told::bigint >= next::bigint THEN
        RAISE EXCEPTION 'the ids of %.% are not below those to come', tbl, quote_ident(col) USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('The last one is %s, and the next ones begin at %s.', told, next), HINT = 'Give the database the layout that its ids have.';
    END IF;
    SELECT string_agg(format('%s.%I is %s.', rel, name, type), ' ') INTO told FROM _snowid.convert_columns(tbl, col) WHERE base IN ('integer'::regtype, 'smallint'::regtype);
    IF told IS NOT NULL THEN
        RAISE EXCEPTION 'a column that refers to %.% has been added meanwhile', tbl, quote_ident(col) USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = told;
    END IF;
END $$;
COMMENT ON FUNCTION _snowid.convert_as_owner(regclass, name, text, text, interval, boolean) IS 'what snowid_convert does';
CREATE PROCEDURE @extschema@.snowid_convert(tbl regclass, col name DEFAULT NULL, target text DEFAULT 'snowflake', generator text DEFAULT NULL,
    lock_timeout interval DEFAULT '500 ms', rewrite boolean DEFAULT false)
    LANGUAGE C
    AS 'MODULE_PATHNAME', 'snowid_as_owner';
COMMENT ON PROCEDURE @extschema@.snowid_convert(regclass, name, text, text, interval, boolean) IS 'moves a column to ids of this extension, or back to a sequence, in one transaction';
