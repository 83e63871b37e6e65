
-- conversion: what somebody should look at ------------------------------------------
-- No statement can change it, or nobody can tell whether it needs to be changed.

-- The sequences of the columns.
CREATE FUNCTION _snowid_convert.sequences(scope _snowid_convert.scope, OUT id oid, OUT name name) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (SELECT rel, num FROM _snowid_convert.columns(scope)),
        found AS (
            SELECT objid AS id FROM columns JOIN pg_depend
                ON refclassid = 'pg_class'::regclass AND refobjid = rel AND refobjsubid = num
                    AND deptype IN ('a', 'i') AND classid = 'pg_class'::regclass
            UNION
            SELECT refobjid FROM columns JOIN pg_attrdef AS e ON adrelid = rel AND adnum = num
                JOIN pg_depend ON classid = 'pg_attrdef'::regclass AND objid = e.oid
                    AND refclassid = 'pg_class'::regclass)
    SELECT id, relname FROM found JOIN pg_class ON oid = id WHERE relkind = 'S';
END;

-- The publications of a table: of it or the tables that it is a partition of, of its schema, or of all tables.
-- PostgreSQL's view of them locks every table that is published.
CREATE FUNCTION _snowid_convert.publications(tbl regclass) RETURNS SETOF name
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    WITH RECURSIVE above (id) AS (
            SELECT tbl::oid UNION SELECT inhparent FROM above JOIN pg_inherits ON inhrelid = id
                JOIN pg_class ON oid = inhrelid WHERE relispartition)
    SELECT pubname FROM pg_publication AS p, pg_class AS c
        WHERE c.oid = tbl AND relpersistence = 'p' AND relkind IN ('r', 'p') AND (puballtables
            OR EXISTS (SELECT FROM pg_publication_rel WHERE prpubid = p.oid AND prrelid IN (SELECT id FROM above))
            OR EXISTS (SELECT FROM pg_publication_namespace, above JOIN pg_class AS a ON a.oid = id
                WHERE pnpubid = p.oid AND pnnspid = a.relnamespace))
            AND (relkind = 'r' AND NOT (pubviaroot AND relispartition) OR relkind = 'p' AND pubviaroot);
END;

-- What somebody should look at, because no statement can change it, or because nobody can tell whether it needs to be
-- changed: where the default alone goes back, which functions still get ids of both kinds; and where there is a next
-- id, what programs may make of it.
CREATE FUNCTION _snowid_convert.advice(scope _snowid_convert.scope, is_all boolean, sequence_ends boolean, next text,
    OUT note text) RETURNS SETOF text
    LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (SELECT * FROM _snowid_convert.columns(scope) WHERE is_all),
        tables AS MATERIALIZED (SELECT DISTINCT rel FROM columns),
        old AS MATERIALIZED (SELECT o.told, o.types FROM _snowid_convert.old_types(scope) AS o WHERE is_all),
        sources AS MATERIALIZED (SELECT s.* FROM _snowid_convert.sources() AS s WHERE is_all),
        sequences AS MATERIALIZED (SELECT s.id, s.name FROM _snowid_convert.sequences(scope) AS s
            WHERE is_all AND sequence_ends),
        of_users AS (  -- that take the old type, and not the new one
            SELECT 'pg_cast'::regclass AS class, c.oid AS id, format('the cast from %s to %s', castsource::regtype,
                    casttarget::regtype) AS what
                FROM pg_cast AS c, old WHERE c.oid >= 16384 AND castsource = ANY (types)
            UNION ALL
            SELECT 'pg_operator'::regclass, o.oid, 'operator ' || o.oid::regoperator
                FROM pg_operator AS o, old WHERE o.oid >= 16384 AND (oprleft = ANY (types) OR oprright = ANY (types))),
        written AS (  -- a trigger of such a table may write its ids to another table
            SELECT DISTINCT id, tgrelid, c.oid AS other
                FROM tables JOIN pg_trigger ON tgrelid = rel AND tgname <> '~snowid_convert'
                    JOIN sources ON id = tgfoid JOIN pg_class AS c ON _snowid_convert.word(relname) = ANY (words)
                WHERE relkind IN ('r', 'p') AND relpersistence <> 't' AND c.oid NOT IN (SELECT rel FROM tables)
                    AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace))
    SELECT _snowid_convert.advice_on_functions(scope)
    UNION ALL
    SELECT what || ' does not take the new ids: where it is used for them, make one that does'
        FROM of_users WHERE NOT EXISTS (SELECT FROM pg_depend WHERE classid = class AND objid = id AND deptype = 'e')
    UNION ALL
    SELECT format('function %s, a trigger of %s, names %s, where %s of %s: if it is to take ids, change its type first',
            id::regprocedure, tgrelid::regclass, other::regclass,
            string_agg(quote_ident(attname), ', ' ORDER BY attnum)
                || CASE WHEN count(*) > 1 THEN ' are' ELSE ' is' END, told)
        FROM old, written JOIN pg_attribute ON attrelid = other AND attnum > 0
        WHERE NOT attisdropped AND atttypid = ANY (types) GROUP BY id, tgrelid, other, told
    UNION ALL  -- a view is made again, and then what it calls must take the new ids
    SELECT DISTINCT format('%s calls function %s: if it gives it new ids, they need one that takes them, or the view '
            'cannot be made again', CASE relkind WHEN 'm' THEN 'materialized view ' ELSE 'view ' END || v.oid::regclass,
            p.oid::regprocedure)
        FROM old, columns AS c CROSS JOIN LATERAL _snowid_convert.dependents('pg_rewrite', c.rel, c.num) AS rule
            JOIN pg_rewrite AS r ON r.oid = rule JOIN pg_class AS v ON v.oid = ev_class AND relkind IN ('v', 'm')
            JOIN pg_depend AS d ON classid = 'pg_rewrite'::regclass AND objid = r.oid
                AND refclassid = 'pg_proc'::regclass
            JOIN pg_proc AS p ON p.oid = refobjid
        WHERE changes AND proargtypes::oid[] && types
    UNION ALL
    SELECT format('sessions that have used %s keep old values of currval() and lastval(): let connection pools '
            'reconnect', string_agg(id::regclass::text, ', ' ORDER BY id::regclass::text))
        FROM sequences HAVING count(*) > 0
    UNION ALL
    SELECT format('function %s asks a sequence for its ids: leave the id to the default, and take it from '
            'INSERT ... RETURNING', id::regprocedure)
        FROM sources
        WHERE sequence_ends AND (source ~* '\mlastval\s*\(' AND EXISTS (SELECT FROM sequences)
            OR source ~* '\m(currval|nextval|setval)\M'
                AND EXISTS (SELECT FROM sequences WHERE strpos(source, name) > 0)
            OR source ~* '\mpg_get_serial_sequence\M' AND words && (SELECT _snowid_convert.words(scope)))  -- once
    UNION ALL
    SELECT format('publication %I sends %s.%I: all subscribers'' columns must be able to hold the new ids first',
            publication, rel, name)
        FROM columns, _snowid_convert.publications(rel) AS publication
    UNION ALL
    SELECT format('a subscription writes %s: its rows bring their ids from the publisher', rel)
        FROM tables JOIN pg_subscription_rel ON srrelid = rel
    UNION ALL
    SELECT format('%s casts %s.%I to 32 bits', what, rel, c.name)
        FROM _snowid_convert.users(scope) JOIN columns AS c USING (rel, num)
        WHERE definition ~ '[^'']::(integer|smallint)'  -- not a constant of that type
            AND (NOT fixed OR (SELECT bool_and(base <> ALL (_snowid_convert.small_types())) FROM columns))
    UNION ALL
    SELECT 'the ids to come are above 2^53: programs that read numbers as doubles, as JavaScript does, round them; '
            'those of the layout js stay below'
        WHERE sequence_ends AND next::bigint > 9007199254740991 AND NOT scope.is_ours
    UNION ALL
    SELECT 'programs that keep the types of columns fail until they are restarted: first widen with target => '
            '''bigserial'', then restart them, then move'
        WHERE sequence_ends AND EXISTS (
            SELECT FROM _snowid_convert.columns(scope) WHERE base = ANY (_snowid_convert.small_types()));
END;
