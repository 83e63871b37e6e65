
-- conversion: what is in the way ---------------------------------------------------

-- Whether an expression can be tried whoever wrote it: it calls nothing but functions of PostgreSQL that only compute.
-- The object that it belongs to depends on all others; PostgreSQL's own are not recorded there, and some of them run
-- any SQL.
CREATE FUNCTION _snowid_convert.is_pure(class regclass, id oid, tree text) RETURNS boolean
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT NOT EXISTS (
            SELECT FROM pg_depend AS d
                LEFT JOIN pg_constraint AS k ON d.classid = 'pg_constraint'::regclass AND k.oid = objid
                WHERE d.classid = class AND objid = id AND refclassid <> 'pg_class'::regclass
                    AND (refclassid, refobjid) IS DISTINCT FROM ('pg_type'::regclass::oid, k.contypid))
        AND NOT EXISTS (
            SELECT FROM regexp_matches(tree, ':(func|opfunc|op)(?:id|no) (\d+)', 'g') AS m
                LEFT JOIN pg_operator AS o ON m[1] = 'op' AND o.oid = m[2]::oid
                LEFT JOIN pg_proc AS p ON p.oid = CASE m[1] WHEN 'op' THEN oprcode ELSE m[2]::oid END
                WHERE m[2] <> '0' AND provolatile IS DISTINCT FROM 'i');
END;

-- Whether the constraints of a domain call only functions of PostgreSQL that only compute.
CREATE FUNCTION _snowid_convert.domain_is_pure(type oid) RETURNS boolean
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE chain AS (
            SELECT type AS id
            UNION ALL SELECT typbasetype FROM chain JOIN pg_type ON oid = id WHERE typtype = 'd'),
        -- not of all tables, which have constraints of no type
        checks AS MATERIALIZED (
            SELECT k.oid, conbin FROM chain JOIN pg_constraint AS k ON contypid = id
                WHERE contypid <> 0 AND conbin IS NOT NULL)
    SELECT NOT EXISTS (SELECT FROM checks WHERE NOT _snowid_convert.is_pure('pg_constraint', oid, conbin::text));
END;

-- Whether an expression over one column takes a value. Only pure ones are tried, because the plan may be asked for by
-- a superuser.
CREATE FUNCTION _snowid_convert.takes(expression text, name name, value text) RETURNS boolean
    LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    taken boolean;
BEGIN
    EXECUTE format('SELECT coalesce((%s)::text, ''true'') <> ''false'' FROM (SELECT %s AS %I) AS tried',
        expression, value, name) INTO taken;
    RETURN taken;
EXCEPTION WHEN data_exception OR integrity_constraint_violation THEN
    RETURN false;
WHEN undefined_function OR ambiguous_function OR datatype_mismatch OR cannot_coerce THEN
    RETURN true;  -- of the types that it does not take convert_call_obstacles tells
END $$;

-- The highest id of a column; NULL where row-level security hides rows from the owner of the table.
CREATE FUNCTION _snowid_convert.last_as_owner(tbl regclass, col name) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    last text;
BEGIN
    PERFORM _snowid.require_owner(tbl);
    IF NOT row_security_active(tbl) THEN
        EXECUTE format('SELECT max(%I)::bigint::text FROM %s', col, tbl) INTO last;
    END IF;
    RETURN last;
END $$;
-- The highest id of a column.
CREATE FUNCTION _snowid_convert.last(tbl regclass, col name) RETURNS text
    LANGUAGE C STABLE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'snowid_as_owner';

-- What refuses an id of the new kind: constraints of a column, generated columns, and its domain.
CREATE FUNCTION _snowid_convert.refusing(rel regclass, num smallint, name name, type regtype, next text)
    RETURNS SETOF text
    LANGUAGE sql STABLE STRICT PARALLEL UNSAFE ROWS 1
BEGIN ATOMIC
    WITH tried AS MATERIALIZED (
        SELECT _snowid_convert.is_pure('pg_constraint', oid, conbin::text) AS is_pure,
                pg_get_expr(conbin, conrelid) AS expression, format('constraint %I of %s refuses an id like %s: %s',
                    conname, rel, next, pg_get_constraintdef(oid)) AS note
            FROM pg_constraint
            WHERE contype = 'c' AND conrelid = rel AND conkey = ARRAY[num] AND conparentid = 0
        UNION ALL
        SELECT _snowid_convert.is_pure('pg_attrdef', e.oid, adbin::text), format('(%s)::%s',
                    pg_get_expr(adbin, adrelid), format_type(atttypid, atttypmod)),
                format('generated column %I of %s cannot be computed from an id like %s', attname, rel, next)
            FROM pg_attrdef AS e JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
                JOIN pg_type AS t ON t.oid = atttypid
            WHERE adrelid = rel AND attgenerated <> '' AND typtype = 'b' AND ARRAY(
                SELECT refobjsubid FROM pg_depend
                    WHERE classid = 'pg_attrdef'::regclass AND objid = e.oid AND refclassid = 'pg_class'::regclass
                        AND refobjid = adrelid AND refobjsubid <> adnum) = ARRAY[num::integer]
        UNION ALL
        SELECT _snowid_convert.domain_is_pure(type), format('%I::%s', name, type),
                format('the type of %s.%I, %s, refuses an id like %s', rel, name, type, next)
            WHERE type <> _snowid_convert.base(type))
    SELECT note FROM tried
        WHERE CASE WHEN is_pure THEN NOT _snowid_convert.takes(expression, name, next || '::bigint') END;
END;

-- What is in the way at the keys themselves. Where there is a next id, it must be above those that there are.
CREATE FUNCTION _snowid_convert.key_obstacles(scope _snowid_convert.scope, next text, OUT rel regclass,
    OUT num smallint, OUT note text) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 2
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (SELECT * FROM _snowid_convert.columns(scope)),
        keys AS MATERIALIZED (SELECT * FROM _snowid_convert.own_ids(scope)),
        last AS (
            SELECT k.*, CASE WHEN pg_has_role(relowner, 'USAGE') AND NOT is_ours
                    AND EXISTS (SELECT FROM pg_index
                        WHERE indrelid = k.rel AND indkey[0] = k.num AND indisvalid AND indpred IS NULL)
                    THEN _snowid_convert.last(k.rel, name)::bigint END AS id
                FROM keys AS k JOIN pg_class ON oid = k.rel WHERE next IS NOT NULL)
    SELECT k.rel, k.num, format('%s.%I is inherited: convert %s', k.rel, name,
            string_agg(inhparent::regclass::text, ', '))
        FROM keys AS k JOIN pg_inherits ON inhrelid = k.rel WHERE NOT is_root GROUP BY k.rel, k.num, name
    UNION ALL
    SELECT k.rel, k.num, format('%s.%I is generated, so no default can give it ids', k.rel, name)
        FROM keys AS k JOIN pg_attribute ON attrelid = k.rel AND attnum = k.num WHERE attgenerated <> ''
    UNION ALL
    SELECT k.rel, k.num, format('%s.%I refers to %s: convert that, its ids come from there', k.rel, name,
            confrelid::regclass)
        FROM keys AS k JOIN pg_constraint ON conrelid = k.rel AND contype = 'f' AND conparentid = 0,
            generate_subscripts(conkey, 1) AS i
        WHERE conkey[i] = k.num AND (confrelid, confkey[i]) NOT IN (SELECT c.rel, c.num FROM columns AS c)
    UNION ALL
    SELECT l.rel, l.num, format('%s.%I has ids up to %s, and those to come begin at %s', l.rel, name, id, next)
        FROM last AS l WHERE id >= next::bigint
    UNION ALL
    SELECT k.rel, k.num, format('no partition of %s takes an id like %s: create one', k.rel, next)
        FROM keys AS k JOIN pg_partitioned_table ON partrelid = k.rel AND partstrat <> 'h'
                AND partattrs::text = k.num::text
            JOIN pg_inherits ON inhparent = k.rel
        WHERE next IS NOT NULL AND is_root AND base = 'bigint'::regtype
            AND _snowid_convert.domain_is_pure(k.type)  -- bounds are of that type, too
        GROUP BY k.rel, k.num
        HAVING NOT bool_or(coalesce(_snowid_convert.takes(pg_get_partition_constraintdef(inhrelid), k.name, next
            || '::bigint'), true));
END;

-- The columns that store rows of a table, also as parts of arrays, domains and rows of other types. In what is stored,
-- no column can take the place of another.
CREATE FUNCTION _snowid_convert.stored_rows(tbl regclass, OUT rel regclass, OUT name name) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    WITH RECURSIVE types (id) AS (
            SELECT reltype FROM pg_class WHERE oid = tbl
            UNION
            SELECT coalesce(reltype, objid)
                FROM types JOIN pg_depend ON refclassid = 'pg_type'::regclass AND refobjid = id
                    LEFT JOIN pg_class ON classid = 'pg_class'::regclass AND oid = objid AND relkind = 'c'
                WHERE classid = 'pg_type'::regclass OR reltype IS NOT NULL)
    SELECT attrelid, attname
        FROM types JOIN pg_depend ON refclassid = 'pg_type'::regclass AND refobjid = id
            JOIN pg_class ON classid = 'pg_class'::regclass AND oid = objid AND relkind IN ('r', 'p', 'm')
            JOIN pg_attribute ON attrelid = objid AND attnum = objsubid AND NOT attisdropped;
END;

-- What is in the way of a change of the type of columns. PostgreSQL changes a column with all that inherit it, unless
-- one of these also inherits it from elsewhere.
CREATE FUNCTION _snowid_convert.type_obstacles(scope _snowid_convert.scope, OUT rel regclass, OUT num smallint,
    OUT note text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    WITH RECURSIVE columns AS MATERIALIZED (
            SELECT c.*, relkind, reloftype
                FROM _snowid_convert.columns(scope) AS c JOIN pg_class ON oid = rel WHERE changes),
        tables AS MATERIALIZED (SELECT DISTINCT c.rel, reloftype FROM columns AS c),
        inheriting AS (
            SELECT c.rel AS root, c.rel, c.num, c.name FROM columns AS c WHERE is_root
            UNION SELECT root, c.rel, c.num, c.name
                FROM inheriting AS i JOIN pg_inherits ON inhparent = i.rel
                    JOIN columns AS c ON c.rel = inhrelid AND c.name = i.name)
    SELECT i.rel, i.num, format('%s.%I is inherited from %s, of which PostgreSQL changes none alone: let it inherit '
            'from one', i.rel, i.name, string_agg(root::text, ' and ' ORDER BY root::text))
        FROM inheriting AS i JOIN pg_attribute ON attrelid = i.rel AND attnum = i.num AND attinhcount > 1
        GROUP BY i.rel, i.num, i.name HAVING count(*) > 1
    UNION ALL
    SELECT c.rel, c.num, format('%s.%I is of the domain %s over %s, which cannot become another type', c.rel, name,
            type, base)
        FROM columns AS c WHERE type <> base
    UNION ALL
    SELECT c.rel, c.num, format('%s is partitioned by %I, whose type cannot change: make another table and copy the '
            'rows', c.rel, name)
        FROM columns AS c JOIN pg_depend ON classid = 'pg_class'::regclass AND objid = c.rel AND objsubid = c.num
            AND refclassid = classid AND refobjid = c.rel AND refobjsubid = 0 AND deptype = 'i'
    UNION ALL
    SELECT c.rel, c.num, format('%s is a foreign table: change its column %I by hand', c.rel, name)
        FROM columns AS c WHERE relkind = 'f'
    UNION ALL
    SELECT t.rel, NULL, format('%s is a table of type %s, which has the types of its columns: ALTER TABLE %1$s NOT OF',
            t.rel, reloftype::regtype)
        FROM tables AS t WHERE reloftype <> 0
    UNION ALL
    SELECT t.rel, NULL, format('%s.%I stores rows of %s, which would lose their ids: make it jsonb, or drop it', s.rel,
            s.name, t.rel)
        FROM tables AS t CROSS JOIN LATERAL _snowid_convert.stored_rows(t.rel) AS s;
END;

-- Row-level security may hide rows from what is done as the owner.
CREATE FUNCTION _snowid_convert.hiding(tables regclass[], OUT rel regclass, OUT note text) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
    SELECT c.oid, format('%s has FORCE ROW LEVEL SECURITY, which hides rows from its owner: turn it off until the '
            'conversion ends', c.oid::regclass)
        FROM pg_class AS c JOIN pg_roles AS r ON r.oid = relowner
        WHERE c.oid = ANY (tables) AND relrowsecurity AND relforcerowsecurity AND NOT (rolsuper OR rolbypassrls);
END;

-- What is in the way of second columns, and of what goes with them.
CREATE FUNCTION _snowid_convert.online_obstacles(scope _snowid_convert.scope, keyed boolean, OUT rel regclass,
    OUT num smallint, OUT note text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    WITH twins AS MATERIALIZED (SELECT * FROM _snowid_convert.twins(scope)),
        tables AS MATERIALIZED (
            SELECT DISTINCT t.rel, relkind FROM _snowid_convert.columns(scope) AS t JOIN pg_class ON oid = t.rel
                WHERE changes),
        begun AS MATERIALIZED (
            SELECT DISTINCT rel FROM twins JOIN pg_trigger ON tgrelid = rel AND tgname = '~snowid_convert'
                WHERE NOT is_kept)
    SELECT rel, NULL::smallint, format('%s.%I is being converted too, and a table has one trigger for it: complete '
            'that first, or give it up', rel, a.attname)
        FROM begun JOIN pg_attribute AS a ON attrelid = rel AND attnum > 0 AND NOT attisdropped
            JOIN pg_attribute AS b ON b.attrelid = rel AND b.attname = _snowid_convert.twin(a.attname)
                AND NOT b.attisdropped
        WHERE (rel, a.attnum) NOT IN (SELECT rel, num FROM twins)
    UNION ALL
    SELECT rel, num, format('%s has a column %I, which is the name for a second column: rename it', rel, twin)
        FROM twins WHERE NOT is_kept AND twin_num IS NOT NULL AND rel NOT IN (SELECT rel FROM begun)
    UNION ALL
    SELECT rel, NULL, format('%s has partitions or children, or is one: CREATE INDEX CONCURRENTLY does not work '
            'there; %s', rel, CASE WHEN keyed THEN 'make another table and copy the rows'
                ELSE 'convert it with rewrite => true' END)
        FROM tables WHERE relkind = 'p' OR EXISTS (SELECT FROM pg_inherits WHERE rel IN (inhrelid, inhparent))
    UNION ALL
    SELECT other, NULL, format('of the swap: %s.%I refers to %s, but the column beside it no longer does: add that '
            'foreign key again, or drop this column and the trigger ~snowid_convert of %1$s', rel, name, other)
        FROM _snowid_convert.orphans(scope)
    UNION ALL
    SELECT rel, num, format('%s.%I is generated, so no trigger can copy it: drop it, and create it again after the '
            'conversion', rel, name)
        FROM twins JOIN pg_attribute ON attrelid = rel AND attnum = num WHERE attgenerated <> ''
    UNION ALL
    SELECT h.rel, NULL, h.note FROM _snowid_convert.hiding(ARRAY(SELECT rel FROM tables)) AS h
    UNION ALL
    SELECT rel, NULL, format('foreign key %I of %s, which has partitions, would block its writers: drop it, and add '
            'it again after the conversion', name, rel)
        FROM _snowid_convert.keys(scope) JOIN pg_class ON oid = rel WHERE relkind = 'p'
    UNION ALL
    SELECT rel, num, format('%s belongs to the identity %s.%I and goes with it, but something else uses it too: give '
            'that another sequence', s.objid::regclass, rel, name)
        FROM twins JOIN pg_depend AS s ON refclassid = 'pg_class'::regclass AND refobjid = rel AND refobjsubid = num
                AND classid = 'pg_class'::regclass AND deptype = 'i'
        WHERE EXISTS (SELECT FROM pg_depend AS u WHERE u.refclassid = 'pg_class'::regclass AND u.refobjid = s.objid)
    UNION ALL
    SELECT rel, NULL, format('trigger %I of %s fires after the one that writes the second columns: rename it so that '
            'its name sorts before ~', tgname, rel)
        FROM tables JOIN pg_trigger ON tgrelid = rel
        WHERE tgname::text COLLATE "C" > '~snowid_convert' AND tgtype & 3 = 3 AND tgtype & 20 <> 0;
END;

-- The views that use a view.
CREATE FUNCTION _snowid_convert.views_over(view text) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT string_agg(DISTINCT CASE relkind WHEN 'm' THEN 'materialized view ' ELSE 'view ' END || v.oid::regclass,
            ', ')
        FROM pg_depend JOIN pg_rewrite AS r ON r.oid = objid
            JOIN pg_class AS v ON v.oid = ev_class AND relkind IN ('v', 'm')
        WHERE classid = 'pg_rewrite'::regclass AND refclassid = 'pg_class'::regclass
            AND refobjid = to_regclass(substring(view FROM '^(?:materialized )?view (.*)')) AND ev_class <> refobjid;
END;

-- What uses the columns and has to be dropped for a while. Where the swap of an online conversion can do that, it is in
-- the way of the swap only.
CREATE FUNCTION _snowid_convert.user_obstacles(scope _snowid_convert.scope, online boolean, keyed boolean,
    OUT rel regclass, OUT num smallint, OUT note text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    WITH rebuilt AS MATERIALIZED (SELECT what FROM _snowid_convert.rebuilt(scope)),
        users AS (
            SELECT rel, num, what, definition, online AND what !~ '^(rule|index) ' AS in_swap
                FROM _snowid_convert.users(scope)
                WHERE changes AND what NOT IN (SELECT what FROM rebuilt)
                    AND (fixed OR online AND (what ~ '^(publication|index) ' OR keyed AND what ~ '^constraint ')))
    SELECT rel, num, CASE WHEN in_swap THEN 'of the swap: ' ELSE '' END || what || ' uses the column: drop it'
            || coalesce(' (with ' || _snowid_convert.views_over(what) || ')', '')
            || CASE WHEN in_swap THEN ' in the transaction of the swap, and create it again there'
                ELSE ', and create it again after the conversion' END
            || coalesce(': ' || definition, '')
        FROM users;
END;

-- Whether an expression over rows of these names is understood where some columns are bigints. It is only parsed: to
-- plan it would run what its owner wrote.
CREATE FUNCTION _snowid_convert.parses(expression text, rel regclass, nums smallint[], names text[]) RETURNS boolean
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    columns text := (SELECT string_agg(format('NULL::%s AS %I', CASE WHEN attnum = ANY (nums) THEN 'bigint'
            ELSE format_type(atttypid, atttypmod) END, attname), ', ' ORDER BY attnum)
        FROM pg_attribute WHERE attrelid = rel AND attnum > 0 AND NOT attisdropped);
BEGIN
    EXECUTE format('PREPARE _snowid_convert_parses AS SELECT %s FROM %s', expression,
        (SELECT string_agg(format('(SELECT %s) AS %I', columns, name), ', ') FROM unnest(names) AS name));
    DEALLOCATE _snowid_convert_parses;
    RETURN true;
EXCEPTION WHEN undefined_function OR ambiguous_function OR datatype_mismatch OR cannot_coerce THEN
    RETURN false;
WHEN insufficient_privilege OR undefined_table THEN
    -- Nothing can be prepared where a superuser acts as the owner, and whole rows are of the table's type. What does
    -- not fit stops the conversion.
    RETURN true;
END $$;

-- Constraints, indexes, statistics and triggers are made again with the new types. What they call must take these. Of
-- UUIDs this asks about triggers only, since whatever else has expressions with them is in the way.
CREATE FUNCTION _snowid_convert.call_obstacles(scope _snowid_convert.scope, OUT rel regclass, OUT num smallint,
    OUT note text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL UNSAFE ROWS 2
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (
            SELECT c.rel, c.num, array_agg(c.num) OVER (PARTITION BY c.rel) AS nums,
                    c.base = ANY (_snowid_convert.small_types()) AND NOT c.keyed AS is_widened
                FROM _snowid_convert.columns(scope) AS c WHERE c.changes AND scope.kept IS NULL),
        calling AS (
            SELECT c.*, d.classid, d.objid FROM columns AS c JOIN pg_depend AS d
                    ON d.refclassid = 'pg_class'::regclass AND d.refobjid = c.rel AND d.refobjsubid = c.num
                        AND (d.classid = 'pg_trigger'::regclass OR is_widened
                            AND d.classid IN ('pg_constraint'::regclass, 'pg_class'::regclass,
                                'pg_statistic_ext'::regclass))
                WHERE NOT EXISTS (  -- to read a constant of a type of the owner's would run what is in a domain
                    SELECT FROM pg_depend AS u WHERE u.classid = d.classid AND u.objid = d.objid
                        AND u.refclassid = 'pg_type'::regclass)),
        expressions AS MATERIALIZED (
            SELECT c.*, '{row}'::text[] AS names, format('constraint %I of %s', conname, c.rel) AS what,
                    pg_get_expr(conbin, conrelid) AS expression, pg_get_constraintdef(k.oid) AS definition
                FROM calling AS c JOIN pg_constraint AS k ON c.classid = 'pg_constraint'::regclass AND k.oid = objid
                WHERE contype = 'c'
            UNION ALL
            SELECT c.*, '{row}', 'index ' || indexrelid::regclass,
                    concat_ws(', ', pg_get_expr(indexprs, indrelid), pg_get_expr(indpred, indrelid)),
                    pg_get_indexdef(indexrelid)
                FROM calling AS c JOIN pg_index ON c.classid = 'pg_class'::regclass AND indexrelid = objid
            UNION ALL
            SELECT c.*, '{row}', format('statistics %s.%I', stxnamespace::regnamespace, stxname),
                    pg_get_expr(stxexprs, stxrelid), pg_get_statisticsobjdef(s.oid)
                FROM calling AS c JOIN pg_statistic_ext AS s ON c.classid = 'pg_statistic_ext'::regclass
                    AND s.oid = objid AND stxrelid = c.rel
            UNION ALL
            SELECT c.*, '{old,new}', format('trigger %I on %s', tgname, c.rel),
                    substring(pg_get_triggerdef(t.oid) FROM ' FOR EACH ROW WHEN \((.*)\) EXECUTE FUNCTION '),
                    pg_get_triggerdef(t.oid)
                FROM calling AS c JOIN pg_trigger AS t ON c.classid = 'pg_trigger'::regclass AND t.oid = objid
                WHERE tgqual IS NOT NULL AND tgrelid = c.rel)
    SELECT e.rel, e.num, format('%s calls a function or operator that does not take bigint: create one that does, or '
            'drop it: %s', what, definition)
        FROM expressions AS e WHERE expression <> '' AND NOT _snowid_convert.parses(expression, e.rel, nums, names);
END;

-- What must be out of the way before a conversion. The change is default, type, online, or uuid, where the ids become
-- others. Without a next id the column's own numbers go on, and are to go beyond 32 bits. If an owner is given, all
-- tables are changed with his rights.
CREATE FUNCTION _snowid_convert.obstacles(scope _snowid_convert.scope, change text, next text, owner oid,
    OUT rel regclass, OUT num smallint, OUT note text) RETURNS SETOF record
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    keyed boolean := change = 'uuid';
    online boolean := change IN ('online', 'uuid');
BEGIN
    RETURN QUERY SELECT * FROM _snowid_convert.key_obstacles(scope, CASE WHEN NOT keyed THEN next END);
    RETURN QUERY SELECT c.rel, c.num, format('%s belongs to %s', c.rel, relowner::regrole) || CASE
                WHEN NOT online AND _snowid_convert.are_apart(owner, relowner)
                THEN format(': ALTER TABLE %s OWNER TO %s', c.rel, owner::regrole) ELSE '' END
        FROM _snowid_convert.columns(scope) AS c JOIN pg_class AS t ON t.oid = c.rel
        WHERE (NOT pg_has_role(relowner, 'USAGE') OR NOT online AND _snowid_convert.are_apart(owner, relowner))
            AND (change <> 'default' AND c.changes OR c.place IS NOT NULL);
    IF NOT keyed THEN
        RETURN QUERY SELECT c.rel, c.num, refusing
            FROM _snowid_convert.columns(scope) AS c,
                _snowid_convert.refusing(c.rel, c.num, c.name, c.type, coalesce(next, '2147483648')) AS refusing
            WHERE c.type <> c.base OR EXISTS (SELECT FROM pg_constraint
                    WHERE conrelid = c.rel AND contype = 'c' AND conkey = ARRAY[c.num])
                OR EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.rel AND attgenerated <> '');
    END IF;
    IF change <> 'default' THEN
        RETURN QUERY SELECT * FROM _snowid_convert.type_obstacles(scope);
        RETURN QUERY SELECT * FROM _snowid_convert.call_obstacles(scope);
        RETURN QUERY SELECT * FROM _snowid_convert.user_obstacles(scope, online, keyed);
    END IF;
    IF online THEN
        RETURN QUERY SELECT * FROM _snowid_convert.online_obstacles(scope, keyed);
    END IF;
END $$;
