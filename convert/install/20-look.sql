
-- conversion: what depends on a column -------------------------------------------
-- A plan is made from the catalogue alone, and its statements are all that a conversion runs. So what has been done is
-- never done again, and a conversion that was cut off goes on by a new plan.
--
-- The functions of PostgreSQL that write expressions and definitions lock tables for a moment. So they are asked only
-- about what depends on the columns, in lists of results, never in conditions, which may be evaluated for other tables.

CREATE FUNCTION _snowid_convert.types(target text) RETURNS oid[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE target WHEN 'uuidv7' THEN ARRAY['uuid'::regtype]
        ELSE ARRAY['smallint'::regtype, 'integer'::regtype, 'bigint'::regtype, _snowid.snowflake_type(),
            'uuid'::regtype] END::oid[];
END;

-- The types that are too small for ids.
CREATE FUNCTION _snowid_convert.small_types() RETURNS oid[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT ARRAY['smallint'::regtype, 'integer'::regtype]::oid[];
END;

-- The name of what stands beside something of this name. Cut off, two of them could be one.
CREATE FUNCTION _snowid_convert.twin(name text) RETURNS name
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT ('snowid_' || CASE WHEN octet_length(name) > 56 THEN left(md5(name), 8) || '_' ELSE '' END || name)::name;
END;

-- A column whose ids became others leaves the old ones in another column, which the last line of its comment names.
CREATE FUNCTION _snowid_convert.kept_line(name name, type oid) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('snowid: before, %s, now in %I', CASE type WHEN 'uuid'::regtype THEN 'a uuid' ELSE 'a number' END,
        name);
END;

-- The column with the ids that a converted column had.
CREATE FUNCTION _snowid_convert.kept(tbl regclass, col name) RETURNS name
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT k.attname FROM pg_attribute AS a JOIN pg_attribute AS k USING (attrelid)
        WHERE attrelid = tbl AND a.attname = col AND k.atttypid = ANY (_snowid_convert.types('snowflake'))
            AND k.attnum > 0 AND NOT k.attisdropped AND substring(col_description(tbl, a.attnum) FROM '[^\n]*$')
                = _snowid_convert.kept_line(k.attname, k.atttypid);
END;

-- A comment without this line, and the one before it that says of a key that it had no default.
CREATE FUNCTION _snowid_convert.without_kept(comment text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT nullif(regexp_replace(comment, '(^|\n)(snowid: before, no default\n)?[^\n]*$', ''), '');
END;

-- In the comment of the second column of a key.
CREATE FUNCTION _snowid_convert.numbers_stay() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'snowid: old rows keep their numbers';
END;

-- The type below a domain.
CREATE FUNCTION _snowid_convert.below(domain oid) RETURNS oid
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE below AS (
        SELECT domain AS id
        UNION ALL SELECT typbasetype FROM below JOIN pg_type ON oid = id WHERE typtype = 'd')
    SELECT id FROM below JOIN pg_type ON oid = id WHERE typtype <> 'd';
END;

-- It is asked about every column of a database.
CREATE FUNCTION _snowid_convert.base(type oid) RETURNS regtype
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN (SELECT typtype FROM pg_type WHERE oid = type) = 'd' THEN _snowid_convert.below(type)
        ELSE type END::regtype;
END;

-- From a column to one that holds the same ids: to what refers to it, and to the same column of parents and children.
CREATE FUNCTION _snowid_convert.edges(OUT rel oid, OUT num smallint, OUT other oid, OUT other_num smallint)
    RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
BEGIN ATOMIC
    WITH inherited AS (
        SELECT inhparent, p.attnum AS parent_num, inhrelid, c.attnum AS child_num
            FROM pg_inherits JOIN pg_class ON oid = inhparent AND relkind IN ('r', 'p', 'f')
                JOIN pg_attribute AS p ON p.attrelid = inhparent
                JOIN pg_attribute AS c ON c.attrelid = inhrelid AND c.attname = p.attname
            WHERE p.attnum > 0 AND NOT p.attisdropped AND c.attinhcount > 0)
    SELECT confrelid, confkey[i], conrelid, conkey[i]
        FROM pg_constraint, generate_subscripts(confkey, 1) AS i WHERE contype = 'f'
    UNION ALL SELECT inhparent, parent_num, inhrelid, child_num FROM inherited
    UNION ALL SELECT inhrelid, child_num, inhparent, parent_num FROM inherited;
END;

-- The columns that hold the ids of each of some columns. Each comes once, so cycles end.
CREATE FUNCTION _snowid_convert.members(tbls regclass[], cols name[], OUT place bigint, OUT rel oid, OUT num smallint)
    RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 1000
BEGIN ATOMIC
    WITH RECURSIVE edges AS MATERIALIZED (SELECT * FROM _snowid_convert.edges()),
        members AS (
            SELECT n AS place, attrelid AS rel, attnum AS num
                FROM unnest(tbls, cols) WITH ORDINALITY AS c (tbl, col, n)
                    JOIN pg_attribute ON attrelid = tbl AND attname = col
                WHERE attnum > 0 AND NOT attisdropped
            UNION
            SELECT place, other, other_num FROM members JOIN edges USING (rel, num))
    SELECT place, rel, num FROM members;
END;

-- The columns whose defaults call our functions. A cast of another value is none of ours.
CREATE FUNCTION _snowid_convert.our_defaults(OUT rel regclass, OUT num smallint) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
BEGIN ATOMIC
    SELECT DISTINCT adrelid::regclass, adnum
        FROM pg_extension AS x JOIN pg_depend AS member ON member.refclassid = 'pg_extension'::regclass
                AND member.refobjid = x.oid AND member.deptype = 'e' AND member.classid = 'pg_proc'::regclass
            JOIN pg_depend AS called ON called.refclassid = 'pg_proc'::regclass AND called.refobjid = member.objid
                AND called.classid = 'pg_attrdef'::regclass
            JOIN pg_attrdef AS e ON e.oid = called.objid
            JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
        WHERE extname = 'snowid' AND attgenerated = '' AND member.objid NOT IN (SELECT castfunc FROM pg_cast);
END;

-- Whether new rows get a value of a column by themselves.
CREATE FUNCTION _snowid_convert.has_default(tbl regclass, col name) RETURNS boolean
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT atthasdef OR attidentity <> '' OR typdefault IS NOT NULL
        FROM pg_attribute JOIN pg_type AS t ON t.oid = atttypid WHERE attrelid = tbl AND attname = col;
END;

-- Whether new rows get ids of their own. A constant is none, cast or not; to write it out would wait for the table.
CREATE FUNCTION _snowid_convert.makes_ids(rel regclass, num smallint) RETURNS boolean
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT attidentity <> '' OR attgenerated <> '' OR typdefault IS NOT NULL
            OR atthasdef AND EXISTS (
                SELECT FROM pg_attrdef WHERE adrelid = rel AND adnum = num
                    AND adbin::text !~ '^(\{FUNCEXPR [^{}]* :funcformat [12] [^{}]*\()?\{CONST ')
        FROM pg_attribute JOIN pg_type AS t ON t.oid = atttypid WHERE attrelid = rel AND attnum = num;
END;

-- Of a list of columns, those whose ids are made for them: the first, primary keys with a default, and others that have
-- a sequence or a default of ours. What is taken along with a key has none.
CREATE FUNCTION _snowid_convert.keys_of_list(tbls regclass[], cols name[], OUT rel regclass, OUT name name,
    OUT place bigint) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    SELECT t, c, n FROM unnest(tbls, cols) WITH ORDINALITY AS k (t, c, n)
            JOIN pg_attribute ON attrelid = t AND attname = c
        WHERE n = 1 OR attidentity <> ''
            OR _snowid_convert.makes_ids(t, attnum) AND EXISTS (
                SELECT FROM pg_constraint WHERE contype = 'p' AND conrelid = t AND conkey = ARRAY[attnum])
            OR (t, attnum) IN (SELECT o.rel, o.num FROM _snowid_convert.our_defaults() AS o)
            OR EXISTS (SELECT FROM pg_attrdef AS e JOIN pg_depend ON classid = 'pg_attrdef'::regclass AND objid = e.oid
                    AND refclassid = 'pg_class'::regclass JOIN pg_class AS s ON s.oid = refobjid
                WHERE adrelid = t AND adnum = attnum AND relkind = 'S');
END;

-- What a conversion is about, which is found once and handed on: the key, the list of it and what goes with it, and the
-- columns that have to hold their ids. Those of 32 bits change to bigint; where there are none, those of UUIDs do, or
-- the others back to UUIDs. Online each has a second one. Where UUIDs become other ids or such ids become UUIDs again
-- (`keyed`), the second one of the key itself is filled by its own rule (`is_key`), or is the column with the UUIDs
-- (`is_kept`). Where numbers get ids of their times, or new rows both, or where such ids become numbers again, all
-- columns change (`renumbers`).
CREATE FUNCTION _snowid_convert.scope(tbls regclass[], cols name[], to_renumber boolean DEFAULT false)
    RETURNS _snowid_convert.scope
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH key AS MATERIALIZED (
            SELECT kept, atttypid::regtype AS kept_type, coalesce(atttypid <> 'uuid'::regtype, to_renumber OR EXISTS (
                    SELECT FROM pg_attribute AS a JOIN pg_attribute AS twin USING (attrelid)
                        WHERE attrelid = tbls[1] AND a.attname = cols[1] AND a.atttypid <> 'uuid'::regtype
                            AND twin.attname = _snowid_convert.twin(cols[1]) AND NOT twin.attisdropped
                            AND starts_with(col_description(tbls[1], twin.attnum), 'snowid: old rows ')))
                    AS renumbers
                FROM _snowid_convert.kept(tbls[1], cols[1])
                    LEFT JOIN pg_attribute ON attrelid = tbls[1] AND attname = kept AND NOT attisdropped),
        columns AS (
            SELECT c.rel::regclass AS rel, c.num, attname AS name, atttypid::regtype AS type, base,
                    attinhcount = 0 AS is_root, base = ANY (_snowid_convert.small_types()) AS is_small,
                    c.rel = tbls[1] AND attname = cols[1] AS is_first
                FROM (SELECT DISTINCT m.rel, m.num FROM _snowid_convert.members(tbls, cols) AS m) AS c
                    JOIN pg_attribute ON attrelid = c.rel AND attnum = c.num
                    CROSS JOIN LATERAL (SELECT _snowid_convert.base(atttypid) AS base) AS t),
        changing AS (
            SELECT c.*, CASE WHEN renumbers THEN true WHEN bool_or(is_small) OVER () THEN is_small
                        WHEN kept IS NULL THEN base = 'uuid'::regtype ELSE base <> 'uuid'::regtype END AS changes,
                    renumbers OR NOT bool_or(is_small) OVER () AS keyed
                FROM columns AS c, key),
        named AS (
            SELECT c.*, k.*, CASE WHEN k.is_kept THEN kept ELSE _snowid_convert.twin(name) END AS twin
                FROM changing AS c, key CROSS JOIN LATERAL (
                    SELECT keyed AND is_first AND kept IS NULL AS is_key,
                        keyed AND is_first AND kept IS NOT NULL AS is_kept) AS k),
        ours AS MATERIALIZED (SELECT o.rel, o.num FROM _snowid_convert.our_defaults() AS o),
        places AS (
            SELECT rel, name, min(place) AS place FROM _snowid_convert.keys_of_list(tbls, cols) GROUP BY rel, name)
    SELECT ROW (tbls[1], cols[1], tbls, cols, kept, kept_type, renumbers, EXISTS (
                SELECT FROM columns AS c JOIN ours USING (rel, num) WHERE is_first), ARRAY(
            SELECT ROW (n.rel, num, n.name, type, base, is_root, changes, keyed, twin, attnum, is_key, is_kept, place,
                    (n.rel, num) IN (SELECT * FROM ours))::_snowid_convert.id_column
                FROM named AS n LEFT JOIN pg_attribute ON attrelid = n.rel AND attname = twin AND NOT attisdropped
                    LEFT JOIN places AS p ON p.rel = n.rel AND p.name = n.name
                ORDER BY n.rel::oid, num))::_snowid_convert.scope
        FROM key;
END;

-- The columns that have to hold the ids of a conversion.
CREATE FUNCTION _snowid_convert.columns(scope _snowid_convert.scope) RETURNS SETOF _snowid_convert.id_column
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    SELECT c.* FROM unnest(scope.columns) AS c;
END;

-- The columns whose ids are made for them.
CREATE FUNCTION _snowid_convert.own_ids(scope _snowid_convert.scope) RETURNS SETOF _snowid_convert.id_column
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    SELECT c.* FROM unnest(scope.columns) AS c WHERE place IS NOT NULL ORDER BY place;
END;

-- The objects of a class that depend on a column.
CREATE FUNCTION _snowid_convert.dependents(class regclass, rel regclass, num smallint) RETURNS SETOF oid
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    SELECT DISTINCT objid FROM pg_depend
        WHERE classid = class AND refclassid = 'pg_class'::regclass AND refobjid = rel AND refobjsubid = num;
END;

-- Of UUIDs, conditions and expressions that name the column are bound, too, but for IS NULL.
CREATE FUNCTION _snowid_convert.index_is_bound(index oid, rel regclass, num smallint) RETURNS boolean
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (WITH asked AS (
        SELECT i.*, _snowid_convert.base(atttypid) AS base,
                '\m' || regexp_replace(attname, '(\W)', '\\\1', 'g') || '\M"?' AS word,
                concat_ws(' ', pg_get_expr(indexprs, indrelid), pg_get_expr(indpred, indrelid)) AS expressions
            FROM pg_index AS i JOIN pg_attribute ON attrelid = rel AND attnum = num WHERE indexrelid = index)
    SELECT coalesce(bool_or(indisexclusion
            OR EXISTS (SELECT FROM pg_depend
                WHERE classid = 'pg_class'::regclass AND objid = indexrelid AND refclassid = 'pg_proc'::regclass)
            OR EXISTS (SELECT FROM unnest(indclass) AS class JOIN pg_opclass AS o ON o.oid = class
                WHERE opcintype = base AND NOT opcdefault)
            OR base = 'uuid'::regtype
                AND regexp_replace(expressions, word || ' IS (NOT )?NULL|''[^'']*''', '', 'g') ~ word), false)
        FROM asked);
END $$;

-- What uses these columns and is compiled for their types: what PostgreSQL refuses to change them under (`fixed`), and
-- the constraints and indexes that a change of their types may break.
CREATE FUNCTION _snowid_convert.users(scope _snowid_convert.scope, OUT rel regclass, OUT num smallint,
    OUT changes boolean, OUT what text, OUT definition text, OUT fixed boolean) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH used AS MATERIALIZED (
            SELECT DISTINCT c.rel, c.num, c.changes, classid, objid
                FROM _snowid_convert.columns(scope) AS c
                    JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = c.rel AND refobjsubid = c.num),
        users AS (
            SELECT u.*, CASE relkind WHEN 'v' THEN 'view ' WHEN 'm' THEN 'materialized view '
                        ELSE format('rule %I on ', rulename) END || ev_class::regclass AS what,
                    CASE relkind WHEN 'v' THEN format('CREATE VIEW %s AS%s', ev_class::regclass,
                            pg_get_viewdef(ev_class))
                        WHEN 'm' THEN format('CREATE MATERIALIZED VIEW %s AS%s', ev_class::regclass,
                            pg_get_viewdef(ev_class))
                        ELSE pg_get_ruledef(r.oid) END AS definition, true AS fixed
                FROM used AS u JOIN pg_rewrite AS r ON classid = 'pg_rewrite'::regclass AND r.oid = objid
                    JOIN pg_class AS c ON c.oid = ev_class
            UNION ALL
            SELECT u.*, format('function %s', objid::regprocedure), pg_get_functiondef(objid), true
                FROM used AS u WHERE classid = 'pg_proc'::regclass
            UNION ALL
            SELECT u.*, format('policy %I on %s', polname, polrelid::regclass),
                    concat_ws(' ', pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)), true
                FROM used AS u JOIN pg_policy ON classid = 'pg_policy'::regclass AND oid = objid
            UNION ALL
            SELECT u.*, format('generated column %I of %s', attname, adrelid::regclass),
                    format('(%s)::%s', pg_get_expr(adbin, adrelid), format_type(atttypid, atttypmod)), true
                FROM used AS u JOIN pg_attrdef AS e ON classid = 'pg_attrdef'::regclass AND e.oid = objid
                    JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
                WHERE attgenerated <> ''
            UNION ALL
            SELECT u.*, format('trigger %I on %s', tgname, tgrelid::regclass), pg_get_triggerdef(t.oid), true
                FROM used AS u JOIN pg_trigger AS t ON classid = 'pg_trigger'::regclass AND t.oid = objid
                WHERE NOT tgisinternal AND tgparentid = 0
            UNION ALL
            SELECT u.*, format('publication %I, which has conditions or a list of columns for %s', pubname,
                    prrelid::regclass), pg_get_expr(prqual, prrelid), true
                FROM used AS u JOIN pg_publication_rel AS r
                        ON classid = 'pg_publication_rel'::regclass AND r.oid = objid
                    JOIN pg_publication AS p ON p.oid = prpubid
            UNION ALL
            SELECT u.*, CASE contype WHEN 'c' THEN format('constraint %I of %s', conname, conrelid::regclass)
                    -- it depends on the constraint, and that on the column
                    ELSE format('index %s of an exclusion constraint', conindid::regclass) END,
                    pg_get_constraintdef(k.oid), false
                FROM used AS u JOIN pg_constraint AS k ON classid = 'pg_constraint'::regclass AND k.oid = objid
                    LEFT JOIN pg_index ON indexrelid = conindid
                WHERE contype = 'c' AND conrelid <> 0 AND conname <> 'snowid_same' OR indisexclusion AND contype <> 'f'
            UNION ALL
            SELECT u.*, format('index %s%s', objid::regclass, CASE WHEN k.oid IS NOT NULL
                        THEN ' of an exclusion constraint' END),
                    coalesce(pg_get_constraintdef(k.oid), pg_get_indexdef(objid)), false
                FROM used AS u JOIN pg_index ON classid = 'pg_class'::regclass AND indexrelid = objid
                    LEFT JOIN pg_constraint AS k ON conindid = objid AND contype = 'x'
                WHERE _snowid_convert.index_is_bound(indexrelid, u.rel, u.num))
    SELECT DISTINCT u.rel, u.num, u.changes, u.what, u.definition, u.fixed FROM users AS u;
END;

-- Whether a conversion as `owner` must not touch tables of `other`: it may not change them, or would evaluate what is
-- written there with rights that `other` lacks.
CREATE FUNCTION _snowid_convert.are_apart(owner oid, other oid) RETURNS boolean
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT NOT (pg_has_role(owner, other, 'USAGE') AND pg_has_role(other, owner, 'MEMBER'));
END;

-- A role or PUBLIC, as GRANT names it.
CREATE FUNCTION _snowid_convert.grantee(role oid) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE role WHEN 0 THEN 'PUBLIC' ELSE role::regrole::text END;
END;

-- The statements that give a column, view or sequence its security labels.
CREATE FUNCTION _snowid_convert.labelled(kind text, rel regclass, num integer) RETURNS SETOF text
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
    SELECT format('SECURITY LABEL FOR %I ON %s %s%s IS %L', provider, kind, rel, (
                SELECT format('.%I', attname) FROM pg_attribute WHERE attrelid = rel AND attnum = objsubid), label)
        FROM pg_seclabel WHERE classoid = 'pg_class'::regclass AND objoid = rel AND objsubid = num;
END;

-- The statements that grant the privileges of a column.
CREATE FUNCTION _snowid_convert.granted(rel regclass, num smallint) RETURNS SETOF text
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    SELECT format('GRANT %s (%I) ON %s TO %s%s', privilege_type, attname, rel, _snowid_convert.grantee(grantee),
            CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
        FROM pg_attribute, aclexplode(attacl) WHERE attrelid = rel AND attnum = num;
END;

-- What is granted on a view or sequence now, the comments, and the labels. By default its owner has all rights, and
-- others what default privileges say, so these are revoked first.
CREATE FUNCTION _snowid_convert.rights(rel regclass) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH own AS (
            SELECT *, CASE relkind WHEN 'S' THEN 'S'::"char" ELSE 'r' END AS kind,
                    CASE relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'VIEW' END AS word
                FROM pg_class WHERE oid = rel),
        had AS (
            SELECT relowner::regrole::text AS role FROM own WHERE relacl IS NOT NULL
            UNION SELECT _snowid_convert.grantee(grantee) FROM own, pg_default_acl, aclexplode(defaclacl)
                WHERE defaclobjtype = kind AND grantee <> relowner),
        has AS (
            SELECT format('GRANT %s ON %s TO %s%s', privilege_type, rel, _snowid_convert.grantee(grantee),
                    CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END) AS statement
                FROM own, aclexplode(relacl)
            UNION ALL
            SELECT granted FROM pg_attribute, _snowid_convert.granted(rel, attnum) AS granted WHERE attrelid = rel
            UNION ALL
            SELECT format('COMMENT ON %s %s IS %L', word, rel, obj_description(rel, 'pg_class'))
                FROM own WHERE obj_description(rel, 'pg_class') IS NOT NULL
            UNION ALL
            SELECT format('COMMENT ON COLUMN %s.%I IS %L', rel, attname, col_description(rel, attnum))
                FROM pg_attribute WHERE attrelid = rel AND col_description(rel, attnum) IS NOT NULL
            UNION ALL
            SELECT labelled FROM own, _snowid_convert.labelled(word, rel, 0) AS labelled)
    SELECT coalesce((SELECT string_agg(format(E';\nREVOKE ALL ON %s FROM %s', rel, role), '' ORDER BY role) FROM had),
            '') || coalesce(E';\n' || (SELECT string_agg(statement, E';\n' ORDER BY statement) FROM has), '');
END;

-- The views of a role that the caller acts for, over columns that change.
CREATE FUNCTION _snowid_convert.views(scope _snowid_convert.scope) RETURNS SETOF regclass
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    SELECT DISTINCT v.oid::regclass
        FROM _snowid_convert.columns(scope) AS c, _snowid_convert.dependents('pg_rewrite', c.rel, c.num) AS rule
            JOIN pg_rewrite AS r ON r.oid = rule JOIN pg_class AS v ON v.oid = ev_class AND relkind = 'v'
        WHERE changes AND pg_has_role(relowner, 'USAGE') AND NOT pg_is_other_temp_schema(relnamespace);
END;

-- The statement that locks a relation and none below it. LOCK TABLE would lock the tables of a view too, and locks no
-- foreign table or sequence; an owner that is the same changes nothing.
CREATE FUNCTION _snowid_convert.locking(rel regclass) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN relkind IN ('v', 'f', 'S') THEN format('ALTER TABLE %s OWNER TO %s', rel, relowner::regrole)
            ELSE format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', rel) END
        FROM pg_class WHERE oid = rel;
END;

-- Lines for the detail of a message. No name makes a line of its own.
CREATE FUNCTION _snowid_convert.lines(told text[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT string_agg(regexp_replace(line, '\s*[\n\r]\s*', ' ', 'g'), E'\n' ORDER BY n)
        FROM unnest(told) WITH ORDINALITY AS t (line, n);
END;

-- Views and triggers that hold the type of a column, with how to drop them and how to create them again as they were.
-- A view that others depend on, and what belongs to another role, is not among them.
CREATE FUNCTION _snowid_convert.rebuilt(scope _snowid_convert.scope, OUT what text, OUT dropped text, OUT created text)
    RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH users AS MATERIALIZED (
        SELECT DISTINCT u.what FROM _snowid_convert.users(scope) AS u
            WHERE fixed AND changes AND strpos(definition, '::uuid') = 0),
        views AS MATERIALIZED (
            SELECT u.what, to_regclass(substr(u.what, 6)) AS v FROM users AS u WHERE starts_with(u.what, 'view ')),
        used AS MATERIALIZED (  -- by others, or with more rules than one
            SELECT v FROM views JOIN pg_class AS c ON c.oid = v JOIN pg_type AS t ON t.oid = reltype
                JOIN pg_depend AS d ON refclassid = 'pg_class'::regclass AND refobjid = v
                    OR refclassid = 'pg_type'::regclass AND refobjid IN (reltype, typarray) AND deptype <> 'i'
                LEFT JOIN pg_rewrite AS r ON classid = 'pg_rewrite'::regclass AND r.oid = objid
            WHERE refclassid = 'pg_type'::regclass OR r.ev_class = v AND r.rulename <> '_RETURN'
                OR r.ev_class IS DISTINCT FROM v AND (classid, objid) <> ('pg_type'::regclass, reltype))
    SELECT u.what, format('DROP VIEW %s', v),
            format('CREATE %sVIEW %s%s AS %s', CASE relpersistence WHEN 't' THEN 'TEMP ' END, v,
                    ' WITH (' || array_to_string(reloptions, ', ') || ')', rtrim(pg_get_viewdef(c.oid), ';'))
                || format(E';\nALTER VIEW %s OWNER TO %s', v, relowner::regrole)
                || _snowid_convert.rights(v)
        FROM views AS u JOIN pg_class AS c ON c.oid = v
        WHERE pg_has_role(relowner, 'USAGE') AND has_schema_privilege(relnamespace, 'CREATE')
            AND v NOT IN (SELECT v FROM used) AND NOT pg_is_other_temp_schema(relnamespace)
    UNION ALL
    SELECT u.what, format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass), pg_get_triggerdef(t.oid)
            || CASE tgenabled WHEN 'O' THEN '' ELSE format(E';\nALTER TABLE %s %s TRIGGER %I', tgrelid::regclass,
                CASE tgenabled WHEN 'D' THEN 'DISABLE' WHEN 'A' THEN 'ENABLE ALWAYS' ELSE 'ENABLE REPLICA' END, tgname)
                END
            || coalesce(format(E';\nCOMMENT ON TRIGGER %I ON %s IS ', tgname, tgrelid::regclass)
                || quote_literal(obj_description(t.oid, 'pg_trigger')), '')
        FROM users AS u JOIN pg_trigger AS t ON NOT tgisinternal AND tgparentid = 0
            AND u.what = format('trigger %I on %s', tgname, tgrelid::regclass);
END;

-- Sessions keep what PL/pgSQL has compiled, with the types that columns had. A function that has been altered is
-- compiled again.
CREATE FUNCTION _snowid_convert.recompiled(scope _snowid_convert.scope) RETURNS SETOF text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH tables AS MATERIALIZED (
        SELECT DISTINCT rel, relname FROM _snowid_convert.columns(scope) JOIN pg_class ON oid = rel WHERE changes)
    SELECT format('ALTER ROUTINE %s SECURITY %s', p.oid::regprocedure,
            CASE WHEN prosecdef THEN 'DEFINER' ELSE 'INVOKER' END)
        FROM pg_proc AS p JOIN pg_language AS l ON l.oid = prolang
        WHERE lanname = 'plpgsql' AND pg_has_role(proowner, 'USAGE')
            AND NOT EXISTS (SELECT FROM pg_depend
                WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')
            AND EXISTS (SELECT FROM tables WHERE strpos(prosrc, relname) > 0
                OR EXISTS (SELECT FROM pg_trigger WHERE tgrelid = rel AND tgfoid = p.oid))
            AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgfoid = p.oid AND tgname = '~snowid_convert')
        ORDER BY p.oid::regprocedure::text;
END;
