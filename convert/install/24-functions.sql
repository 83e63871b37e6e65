
-- conversion: functions that may not work with the new ids --------------------------------
-- Those of PL/pgSQL are tried where plpgsql_check is installed: on empty copies of the tables that have the new types.
-- The others are searched for words.

-- The types that are too small for the new ids, or other ones: what they are called, and how SQL writes them.
CREATE FUNCTION _snowid_convert.old_types(scope _snowid_convert.scope, OUT told text, OUT words text, OUT types oid[])
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
            FROM _snowid_convert.columns(scope));
END;

-- A name in a list of words. Of one with spaces and the like, the longest word in it.
CREATE FUNCTION _snowid_convert.word(name text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT word FROM regexp_split_to_table(lower(name), '\W+') AS word ORDER BY length(word) DESC, word LIMIT 1;
END;

-- The words for which a function is searched: the names of the columns and their tables.
CREATE FUNCTION _snowid_convert.words(scope _snowid_convert.scope) RETURNS text[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT array_agg(DISTINCT _snowid_convert.word(one))
        FROM _snowid_convert.columns(scope) AS c JOIN pg_class ON oid = rel,
            unnest(ARRAY[c.name, relname]) AS one;
END;

-- The functions of users. A body that is parsed is searched as it is stored, because to write it locks what it names.
CREATE FUNCTION _snowid_convert.sources(OUT id oid, OUT types oid[], OUT source text, OUT words text[],
    OUT is_parsed boolean)
    RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
BEGIN ATOMIC
    WITH own AS MATERIALIZED (  -- first, because there are more of extensions
        SELECT p.oid, proargtypes::oid[] || prorettype AS types, coalesce(prosqlbody::text, prosrc) AS source,
                prosqlbody IS NOT NULL AS is_parsed
            FROM pg_proc AS p JOIN pg_language AS l ON l.oid = prolang
            WHERE lanname NOT IN ('c', 'internal') AND prokind <> 'a'
                AND pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
                AND NOT EXISTS (SELECT FROM pg_depend
                    WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e'))
    SELECT oid, types, source, regexp_split_to_array(lower(source), '\W+'), is_parsed FROM own;
END;

-- The call of plpgsql_check, for the function named $1 and the table of a trigger $2. All arguments are there with
-- their types, so that nobody else's function fits as well.
CREATE FUNCTION _snowid_convert.checker() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('SELECT pg_catalog.array_agg(pg_catalog.concat_ws(E''\x01'', level, coalesce(lineno, 0), message, '
                'detail)) FROM %s.%I(%s)',
            pronamespace::regnamespace, proname, string_agg(format('(%s)::%s',
                CASE a.name WHEN 'funcoid' THEN 'pg_catalog.to_regproc($1)' WHEN 'relid' THEN '$2'
                    WHEN 'fatal_errors' THEN 'false' WHEN 'performance_warnings' THEN 'true'
                    ELSE coalesce(pg_get_function_arg_default(p.oid, n::integer), 'NULL') END,
                a.type::regtype), ', ' ORDER BY n))
        FROM pg_extension AS x JOIN pg_depend ON refclassid = 'pg_extension'::regclass AND refobjid = x.oid
                AND deptype = 'e' AND classid = 'pg_proc'::regclass
            JOIN pg_proc AS p ON p.oid = objid
            CROSS JOIN unnest(proargnames[1:pronargs], proargtypes::oid[]) WITH ORDINALITY AS a (name, type, n)
        WHERE extname = 'plpgsql_check' AND proname = 'plpgsql_check_function_tb'
            AND proargtypes[0] = 'regprocedure'::regtype
        GROUP BY p.oid, pronamespace, proname;
END;

-- The functions of PL/pgSQL that name a table that changes or are a trigger of one, with the table to try them on.
-- One with a search_path of its own would not find the copies.
CREATE FUNCTION _snowid_convert.to_try(scope _snowid_convert.scope, OUT id oid, OUT rel regclass) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH tables AS MATERIALIZED (
        SELECT DISTINCT t.rel, _snowid_convert.word(relname) AS word
            FROM _snowid_convert.twins(scope) AS t JOIN pg_class ON oid = t.rel)
    SELECT DISTINCT s.id, coalesce(tgrelid, 0)::regclass
        FROM _snowid_convert.sources() AS s JOIN pg_proc AS p ON p.oid = s.id JOIN pg_language AS l ON l.oid = prolang
            LEFT JOIN pg_trigger ON tgfoid = p.oid AND NOT tgisinternal
        WHERE lanname = 'plpgsql' AND (prorettype <> 'trigger'::regtype OR tgrelid IS NOT NULL)
            AND NOT EXISTS (SELECT FROM unnest(proconfig) AS setting WHERE starts_with(setting, 'search_path='))
            AND (tgrelid IN (SELECT t.rel FROM tables AS t) OR words && ARRAY(SELECT word FROM tables));
END;

-- What could be hidden from a trial: SQL that is made when it runs, arrays, names with a schema, views, and rows of the
-- tables as parameters or results.
CREATE FUNCTION _snowid_convert.hides(scope _snowid_convert.scope, id oid) RETURNS boolean
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH tables AS MATERIALIZED (
            SELECT DISTINCT c.oid, nspname, reltype
                FROM _snowid_convert.twins(scope) JOIN pg_class AS c ON c.oid = rel
                    JOIN pg_namespace AS n ON n.oid = relnamespace),
        views AS (
            SELECT _snowid_convert.word(relname) AS word
                FROM tables AS t JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = t.oid
                        AND classid = 'pg_rewrite'::regclass
                    JOIN pg_rewrite AS r ON r.oid = objid JOIN pg_class ON pg_class.oid = ev_class)
    SELECT source ~* '\mexecute\M|\marray\M|\[\]' OR words && ARRAY(SELECT word FROM views)
            OR types && ARRAY(SELECT reltype FROM tables)
            OR EXISTS (SELECT FROM tables, unnest(ARRAY['.', '".']) AS dot WHERE strpos(source, nspname || dot) > 0)
        FROM _snowid_convert.sources() AS s WHERE s.id = hides.id;
END;

-- The statements that make empty copies of tables, with the new types.
CREATE FUNCTION _snowid_convert.copied(scope _snowid_convert.scope, copies name) RETURNS SETOF text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    SELECT DISTINCT ON (relname) format('CREATE TABLE %I.%I (%s)', copies, relname,
            string_agg(format('%I %s', attname, CASE WHEN t.changes
                THEN coalesce(CASE WHEN t.keyed THEN scope.kept_type END, 'bigint'::regtype)::text
                ELSE format_type(atttypid, atttypmod) END), ', ' ORDER BY attnum))
        FROM pg_class AS c JOIN pg_attribute ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped
            LEFT JOIN _snowid_convert.twins(scope) AS t ON t.rel = c.oid AND t.num = attnum
        WHERE c.oid IN (SELECT o.rel FROM _snowid_convert.twins(scope) AS o)
        GROUP BY c.oid, relname ORDER BY relname, c.oid <> scope.tbl, c.oid;
END;

-- What is wrong with a function where tables are found in these schemas; NULL if it cannot be told. A function of this
-- name is compiled for it, because sessions keep what they have compiled, with the types that tables had.
CREATE FUNCTION _snowid_convert.faults(checker text, id oid, name text, rel regclass, path text) RETURNS text[]
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    faults text[];
    definition text := (SELECT overlay(def PLACING name FROM strpos(def, written) FOR length(written))
        FROM pg_proc, pg_get_functiondef(oid) AS def, format('%s.%I', pronamespace::regnamespace, proname) AS written
        WHERE oid = id);
BEGIN
    PERFORM set_config('search_path', path, true);
    EXECUTE definition;
    EXECUTE checker INTO faults USING name, rel;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    RETURN ARRAY(SELECT format('line %s: ', part[2])
            || CASE WHEN is_cast THEN part[4] ELSE concat_ws(': ', part[3], part[4]) END
        FROM unnest(faults) AS fault, string_to_array(fault, E'\x01') AS part,
            LATERAL (
                SELECT part[4] ~ '^cast "(bigint|uuid)" value to "(smallint|integer|bigint|uuid)"' AS is_cast) AS c
        WHERE part[1] = 'error' OR is_cast);
EXCEPTION WHEN OTHERS THEN
    RETURN NULL;
END $$;

-- Tries functions on the tables as they are, and on the copies. A function whose tables or functions are not found
-- cannot be tried, nor can any where the owner may not make a schema. The copies go with an error of its own, and
-- nobody else sees them.
CREATE FUNCTION _snowid_convert.tried_as_owner(tbl regclass, scope _snowid_convert.scope, OUT id oid, OUT faults text,
    OUT is_clear boolean) RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET row_security = off AS $$
#variable_conflict use_column
DECLARE
    checker text := _snowid_convert.checker();
    copies name := 'snowid_copies_' || pg_backend_pid();
    path text := (SELECT string_agg(DISTINCT relnamespace::regnamespace::text, ', ')
        FROM _snowid_convert.columns(scope) JOIN pg_class ON oid = rel) || ', public';
    one record;
    statement text;
    copy regclass;
    before text[];
    after text[];
    found oid[];
    found_clear boolean[];
    found_faults text[];
BEGIN
    PERFORM _snowid.require_owner(tbl);
    BEGIN
        EXECUTE format('CREATE SCHEMA %I', copies);
        FOR statement IN SELECT * FROM _snowid_convert.copied(scope, copies) LOOP
            EXECUTE statement;
        END LOOP;
        FOR one IN SELECT * FROM _snowid_convert.to_try(scope) ORDER BY id, rel LOOP
            copy := (SELECT to_regclass(format('%I.%I', copies, relname)) FROM pg_class WHERE oid = one.rel);
            before := _snowid_convert.faults(checker, one.id, format('%I.before_%s', copies, one.id), one.rel, path);
            CONTINUE WHEN before IS NULL OR before::text ~ 'does not exist';
            after := _snowid_convert.faults(checker, one.id, format('%I.after_%s', copies, one.id),
                coalesce(copy, one.rel), format('%I, %s', copies, path));
            CONTINUE WHEN after IS NULL;
            found := found || one.id;
            found_clear := found_clear || (after = '{}');
            found_faults := found_faults || (SELECT coalesce(string_agg(fault, '; ' ORDER BY n), '')
                FROM unnest(after) WITH ORDINALITY AS a (fault, n) WHERE fault <> ALL (before));
        END LOOP;
        RAISE SQLSTATE 'SNPLN';
    EXCEPTION
        WHEN SQLSTATE 'SNPLN' THEN NULL;
        WHEN OTHERS THEN RETURN;
    END;
    RETURN QUERY SELECT f.id, string_agg(DISTINCT nullif(f.fault, ''), '; '), bool_and(f.clear)
        FROM unnest(found, found_faults, found_clear) AS f (id, fault, clear) GROUP BY f.id;
END $$;
-- The functions that were tried with the new types, and what is wrong with them.
CREATE FUNCTION _snowid_convert.tried(tbl regclass, scope _snowid_convert.scope, OUT id oid, OUT faults text,
    OUT is_clear boolean) RETURNS SETOF record
    LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10
    AS 'MODULE_PATHNAME', 'snowid_as_owner';

-- The functions whose text says that they may put an id into something of the old type, or hand it to a function that
-- takes the old type.
CREATE FUNCTION _snowid_convert.suspects(scope _snowid_convert.scope, OUT id oid, OUT why text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (SELECT * FROM _snowid_convert.columns(scope)),
        old AS MATERIALIZED (SELECT *, format(' :\w*type(id)? (%s)\M', array_to_string(types, '|')) AS in_tree
            FROM _snowid_convert.old_types(scope)),
        sources AS MATERIALIZED (SELECT * FROM _snowid_convert.sources()),
        taking AS MATERIALIZED (
            SELECT array_agg(DISTINCT lower(proname)) AS names
                FROM sources AS s JOIN pg_proc AS p ON p.oid = s.id, old WHERE proargtypes::oid[] && old.types),
        about AS (
            SELECT s.* FROM sources AS s
                WHERE words && _snowid_convert.words(scope)
                    OR EXISTS (SELECT FROM pg_trigger, columns WHERE tgrelid = rel AND tgfoid = s.id))
    SELECT a.id, format(CASE WHEN a.types && old.types OR source ~* CASE WHEN is_parsed THEN in_tree ELSE old.words END
                THEN 'has variables, parameters or a result of %s and may put an id into one'
                ELSE 'calls a function with parameters of %s and may give it an id' END, told)
        FROM about AS a, old, taking
        WHERE a.types && old.types OR source ~* CASE WHEN is_parsed THEN in_tree ELSE old.words END
            OR a.words && taking.names;
END;

-- The functions that somebody should look at before a conversion.
CREATE FUNCTION _snowid_convert.advice_on_functions(scope _snowid_convert.scope) RETURNS SETOF text
    LANGUAGE sql STABLE STRICT PARALLEL UNSAFE ROWS 2
BEGIN ATOMIC
    WITH tried AS MATERIALIZED (
        SELECT t.* FROM pg_class AS c CROSS JOIN LATERAL _snowid_convert.tried(c.oid, scope) AS t
            WHERE c.oid = scope.tbl AND pg_has_role(relowner, 'USAGE') AND _snowid_convert.checker() IS NOT NULL
                AND EXISTS (SELECT FROM _snowid_convert.to_try(scope)))
    SELECT format('function %s does not work with the new ids: %s', id::regprocedure, faults)
        FROM tried WHERE faults IS NOT NULL
    UNION ALL
    SELECT format('function %s %s', id::regprocedure, why)
        FROM _snowid_convert.suspects(scope)
        WHERE id NOT IN (SELECT id FROM tried
            WHERE faults IS NOT NULL OR is_clear AND NOT _snowid_convert.hides(scope, id));
END;
