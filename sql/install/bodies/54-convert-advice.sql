
-- conversion: what somebody should look at ------------------------------------------
-- No statement can change it, or nobody can tell whether it needs to be changed.

-- The types that are too small for the new ids, or other ones: what they are called, and how SQL writes them.
CREATE FUNCTION _snowid.convert_old_types(tbls regclass[], cols name[], OUT told text, OUT words text, OUT types oid[])
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH kinds (kind, told, words, types) AS (VALUES
            ('uuid', 'type uuid', '\muuid\M', '{uuid,_uuid}'::regtype[]::oid[]),
            ('bigint', 'type bigint', '\m(bigint|int8|bigserial)\M', '{bigint,_int8}'::regtype[]::oid[]),
            ('small', '32 bits', '\m(int|integer|int4|int2|smallint|serial)\M',
                '{integer,smallint,_int4}'::regtype[]::oid[]))
    SELECT told, words, types || ARRAY(SELECT oid FROM pg_type WHERE typtype = 'd' AND typbasetype = ANY (types))
        FROM kinds WHERE kind = (
        SELECT CASE WHEN bool_or(changes AND base = 'uuid'::regtype) THEN 'uuid'
            WHEN bool_or(changes AND base = 'bigint'::regtype) THEN 'bigint' ELSE 'small' END
            FROM _snowid.convert_columns(tbls, cols));
END;
COMMENT ON FUNCTION _snowid.convert_old_types(regclass[], name[]) IS 'the types that cannot hold the new ids';

CREATE FUNCTION _snowid.convert_words(tbls regclass[], cols name[]) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('\m(%s)\M', string_agg(DISTINCT regexp_replace(word, '(\W)', '\\\1', 'g'), '|'))
        FROM _snowid.convert_columns(tbls, cols) JOIN pg_class ON oid = rel,
            unnest(ARRAY[name, relname]::text[]) AS word;
END;
COMMENT ON FUNCTION _snowid.convert_words(regclass[], name[]) IS
    'a pattern for the names of the columns and their tables';

-- The functions of users. A body that is parsed is searched as it is stored, because to write it locks what it names.
CREATE FUNCTION _snowid.convert_sources(OUT id oid, OUT types oid[], OUT source text, OUT is_parsed boolean)
    RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
BEGIN ATOMIC
    SELECT p.oid, proargtypes::oid[] || prorettype, coalesce(prosqlbody::text, prosrc), prosqlbody IS NOT NULL
        FROM pg_proc AS p JOIN pg_language AS l ON l.oid = prolang
        WHERE lanname NOT IN ('c', 'internal') AND prokind <> 'a'
            AND pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
            AND NOT EXISTS (SELECT FROM pg_depend
                WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e');
END;
COMMENT ON FUNCTION _snowid.convert_sources() IS 'the functions of users, and what they run';

-- The casts and operators of users that take the old type, and not the new one.
CREATE FUNCTION _snowid.convert_advice_on_operators(tbls regclass[], cols name[]) RETURNS SETOF text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    WITH old AS MATERIALIZED (SELECT types FROM _snowid.convert_old_types(tbls, cols)),
        users AS (
            SELECT 'pg_cast'::regclass AS class, c.oid AS id, format('the cast from %s to %s', castsource::regtype,
                    casttarget::regtype) AS what
                FROM pg_cast AS c, old WHERE c.oid >= 16384 AND castsource = ANY (types)
            UNION ALL
            SELECT 'pg_operator'::regclass, o.oid, 'operator ' || o.oid::regoperator
                FROM pg_operator AS o, old WHERE o.oid >= 16384 AND (oprleft = ANY (types) OR oprright = ANY (types)))
    SELECT what || ' does not take the new ids: where it is used for them, make one that does'
        FROM users WHERE NOT EXISTS (SELECT FROM pg_depend WHERE classid = class AND objid = id AND deptype = 'e');
END;
COMMENT ON FUNCTION _snowid.convert_advice_on_operators(regclass[], name[]) IS
    'the casts and operators that take the old type of a key';

CREATE FUNCTION _snowid.convert_sequences(tbls regclass[], cols name[], OUT id oid, OUT name name) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (SELECT rel, num FROM _snowid.convert_columns(tbls, cols)),
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
COMMENT ON FUNCTION _snowid.convert_sequences(regclass[], name[]) IS 'the sequences of the columns';

CREATE FUNCTION _snowid.convert_advice_on_functions(tbls regclass[], cols name[]) RETURNS SETOF text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (SELECT * FROM _snowid.convert_columns(tbls, cols)),
        old AS MATERIALIZED (SELECT *, format(' :\w*type(id)? (%s)\M', array_to_string(types, '|')) AS in_tree
            FROM _snowid.convert_old_types(tbls, cols)),
        patterns AS MATERIALIZED (SELECT _snowid.convert_words(tbls, cols) AS words)
    SELECT format('function %s has variables, parameters or a result of %s and may put an id into one',
            id::regprocedure, told)
        FROM _snowid.convert_sources() AS s, old, patterns
        WHERE (s.types && old.types OR source ~* CASE WHEN is_parsed THEN in_tree ELSE old.words END)
            AND (source ~* patterns.words
                OR EXISTS (SELECT FROM pg_trigger, columns WHERE tgrelid = rel AND tgfoid = id));
END;
COMMENT ON FUNCTION _snowid.convert_advice_on_functions(regclass[], name[]) IS
    'the functions that somebody should look at before a conversion';

-- Who takes numbers from a sequence whose numbers are to be ids no longer.
CREATE FUNCTION _snowid.convert_advice_on_sequences(tbls regclass[], cols name[]) RETURNS SETOF text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    WITH patterns AS MATERIALIZED (SELECT _snowid.convert_words(tbls, cols) AS words),
        sequences AS MATERIALIZED (SELECT * FROM _snowid.convert_sequences(tbls, cols))
    SELECT format('sessions that have used sequence %s keep its currval() and lastval(): let pools of connections '
            'connect again', string_agg(id::regclass::text, ', ' ORDER BY id::regclass::text))
        FROM sequences HAVING count(*) > 0
    UNION ALL
    SELECT format('function %s asks a sequence for its ids: leave the id to the default, and take it from '
            'INSERT ... RETURNING', id::regprocedure)
        FROM _snowid.convert_sources(), patterns
        WHERE source ~* '\mlastval\s*\(' AND EXISTS (SELECT FROM sequences)
            OR source ~* '\m(currval|nextval|setval)\M'
                AND EXISTS (SELECT FROM sequences WHERE strpos(source, name) > 0)
            OR source ~* '\mpg_get_serial_sequence\M' AND source ~* patterns.words;
END;
COMMENT ON FUNCTION _snowid.convert_advice_on_sequences(regclass[], name[]) IS
    'who takes numbers from sequences that end with a conversion';

-- A trigger of such a table may write its ids to another table.
CREATE FUNCTION _snowid.convert_advice_on_triggers(tbls regclass[], cols name[]) RETURNS SETOF text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (SELECT * FROM _snowid.convert_columns(tbls, cols)),
        triggers AS MATERIALIZED (
            SELECT DISTINCT id, source, tgrelid
                FROM columns JOIN pg_trigger ON tgrelid = rel AND tgname <> '~snowid_convert'
                    JOIN _snowid.convert_sources() ON id = tgfoid),
        written AS (
            SELECT id, tgrelid, c.oid AS other
                FROM triggers JOIN pg_class AS c
                    ON source ~* ('\m' || regexp_replace(relname, '(\W)', '\\\1', 'g') || '\M')
                WHERE relkind IN ('r', 'p') AND relpersistence <> 't' AND c.oid NOT IN (SELECT rel FROM columns)
                    AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace))
    SELECT format('function %s, a trigger of %s, names %s, where %s of %s: if it is to take ids, change its type first',
            id::regprocedure, tgrelid::regclass, other::regclass,
            string_agg(quote_ident(attname), ', ' ORDER BY attnum)
                || CASE WHEN count(*) > 1 THEN ' are' ELSE ' is' END, told)
        FROM _snowid.convert_old_types(tbls, cols), written JOIN pg_attribute ON attrelid = other AND attnum > 0
        WHERE NOT attisdropped AND atttypid = ANY (types) GROUP BY id, tgrelid, other, told;
END;
COMMENT ON FUNCTION _snowid.convert_advice_on_triggers(regclass[], name[]) IS
    'the tables that triggers may write new ids to';

-- The publications of a table: of it or the tables that it is a partition of, of its schema, or of all tables.
-- PostgreSQL's view of them locks every table that is published.
CREATE FUNCTION _snowid.convert_publications(tbl regclass) RETURNS SETOF name
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
COMMENT ON FUNCTION _snowid.convert_publications(regclass) IS 'the publications that send a table';

-- What somebody should look at, because no statement can change it, or because nobody can tell whether it needs to be
-- changed.
CREATE FUNCTION _snowid.convert_advice(tbls regclass[], cols name[], sequence_ends boolean, OUT note text)
    RETURNS SETOF text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (SELECT * FROM _snowid.convert_columns(tbls, cols))
    SELECT _snowid.convert_advice_on_functions(tbls, cols)
    UNION ALL
    SELECT _snowid.convert_advice_on_operators(tbls, cols)
    UNION ALL
    SELECT _snowid.convert_advice_on_triggers(tbls, cols)
    UNION ALL
    SELECT _snowid.convert_left(tbls, cols)
    UNION ALL
    SELECT _snowid.convert_advice_on_sequences(tbls, cols) WHERE sequence_ends
    UNION ALL
    SELECT format('publication %I sends %s.%I: all subscribers'' columns must be able to hold the new ids first',
            publication, rel, name)
        FROM columns, _snowid.convert_publications(rel) AS publication
    UNION ALL
    SELECT DISTINCT format('a subscription writes %s: its rows bring their ids from the publisher', rel)
        FROM columns JOIN pg_subscription_rel ON srrelid = rel
    UNION ALL
    SELECT format('%s casts %s.%I to 32 bits', what, rel, c.name)
        FROM _snowid.convert_users(tbls, cols) JOIN columns AS c USING (rel, num)
        WHERE definition ~ '::(integer|smallint)'
            AND (NOT fixed OR (SELECT bool_and(base <> ALL (_snowid.convert_small_types())) FROM columns));
END;
COMMENT ON FUNCTION _snowid.convert_advice(regclass[], name[], boolean) IS 'what a conversion cannot change by itself';
