
-- what is wrong around the ids: what refers to them, what calls their generators, and who may ----------------------

-- PostgreSQL makes a foreign key from int to bigint without a word. Its rows are what fails.
CREATE FUNCTION _snowid.check_references(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    SELECT DISTINCT 'references',
            format('column %I of %s is of type %s, which does not hold the ids of %s that it refers to', own.attname,
                own.attrelid::regclass, format_type(own.atttypid, NULL), other.attrelid::regclass),
            format('ALTER TABLE %s ALTER %I TYPE bigint;', own.attrelid::regclass, own.attname),
            'error'
        FROM pg_catalog.pg_extension AS extension
            JOIN pg_catalog.pg_depend AS member
                ON member.refclassid = 'pg_extension'::regclass AND member.refobjid = extension.oid
                AND member.classid = 'pg_proc'::regclass AND member.deptype = 'e'
            JOIN pg_catalog.pg_proc AS function ON function.oid = member.objid AND function.provolatile = 'v'
            JOIN pg_catalog.pg_depend AS caller
                ON caller.refclassid = 'pg_proc'::regclass AND caller.refobjid = function.oid
                AND caller.classid = 'pg_attrdef'::regclass
            JOIN pg_catalog.pg_attrdef AS value ON value.oid = caller.objid
            JOIN pg_catalog.pg_attribute AS other ON other.attrelid = value.adrelid AND other.attnum = value.adnum
            JOIN pg_catalog.pg_constraint AS foreign_key
                ON foreign_key.contype = 'f' AND foreign_key.confrelid = other.attrelid AND foreign_key.conparentid = 0
            CROSS JOIN LATERAL unnest(foreign_key.conkey, foreign_key.confkey) AS pair (here, there)
            JOIN pg_catalog.pg_attribute AS own ON own.attrelid = foreign_key.conrelid AND own.attnum = pair.here
        WHERE extension.extname = 'snowid' AND pair.there = other.attnum
            AND own.atttypid IN ('int2'::regtype, 'int4'::regtype)
            AND other.atttypid NOT IN ('int2'::regtype, 'int4'::regtype);
END;
COMMENT ON FUNCTION _snowid.check_references()
    IS 'a part of snowid_check(): columns that refer to ids and are too narrow for them';

-- A body is read as it is stored. One that only names a generator in a comment is seen as well.
CREATE FUNCTION _snowid.check_wrappers(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    WITH own AS MATERIALIZED (
        SELECT function.oid, proname ~ '^[a-z0-9]+_(next|next_batch|at)$' AS is_generating
            FROM pg_catalog.pg_extension AS extension
                JOIN pg_catalog.pg_depend AS member ON member.refclassid = 'pg_extension'::regclass
                    AND member.refobjid = extension.oid AND member.deptype = 'e'
                    AND member.classid = 'pg_proc'::regclass
                JOIN pg_catalog.pg_proc AS function ON function.oid = member.objid
            WHERE extension.extname = 'snowid')
    SELECT 'functions',
            format('the function %s is immutable but makes ids, so a query may use one id for many rows',
                wrapper.oid::regprocedure),
            format('ALTER FUNCTION %s VOLATILE;', wrapper.oid::regprocedure),
            'error'
        FROM pg_catalog.pg_proc AS wrapper
        WHERE wrapper.provolatile = 'i' AND wrapper.oid NOT IN (SELECT oid FROM own)
            AND wrapper.pronamespace <> 'pg_catalog'::regnamespace
            AND (wrapper.prosrc ~
                    '\m(snowflake|sno|uuidv7|ulid|ksuid|objectid|rsxid|sandflake)_(next|next_batch)[[:space:]]*\('
                OR EXISTS (SELECT FROM own JOIN pg_catalog.pg_depend AS calls
                        ON calls.refclassid = 'pg_proc'::regclass AND calls.refobjid = own.oid AND is_generating
                            AND calls.classid = 'pg_proc'::regclass AND calls.objid = wrapper.oid));
END;
COMMENT ON FUNCTION _snowid.check_wrappers()
    IS 'a part of snowid_check(): functions of users that make ids and say that they do not';

-- Types, operators and the planner call what is in this schema as whoever runs a statement.
CREATE FUNCTION _snowid.check_rights(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    WITH taken AS (
        SELECT function.oid::regprocedure AS function
            FROM pg_catalog.pg_proc AS function
                LEFT JOIN pg_catalog.pg_init_privs AS initial
                    ON initial.classoid = 'pg_proc'::regclass AND initial.objoid = function.oid
            WHERE function.pronamespace = '_snowid'::regnamespace AND function.proacl IS NOT NULL
                AND NOT EXISTS (SELECT FROM aclexplode(function.proacl) WHERE grantee = 0)
                AND EXISTS (SELECT
                    FROM aclexplode(coalesce(initial.initprivs, acldefault('f', function.proowner))) WHERE grantee = 0))
    SELECT 'rights',
            'PUBLIC may not use the schema _snowid, so types and functions of the extension are errors for most roles',
            'As a superuser, run: GRANT USAGE ON SCHEMA _snowid TO PUBLIC;',
            'error'
        FROM pg_catalog.pg_namespace AS namespace
        WHERE nspname = '_snowid' AND NOT EXISTS (
            SELECT FROM aclexplode(nspacl) WHERE grantee = 0 AND privilege_type = 'USAGE')
    UNION ALL
    SELECT 'rights',
            format('%s functions of the schema _snowid may not be called by PUBLIC, so statements with ids are errors '
                'for most roles', count(*)),
            format('As a superuser, run: GRANT EXECUTE ON FUNCTION %s TO PUBLIC;', string_agg(function::text, ', '
                ORDER BY function::text COLLATE "C")),
            'error'
        FROM taken HAVING count(*) > 0;
END;
COMMENT ON FUNCTION _snowid.check_rights()
    IS 'a part of snowid_check(): rights of everybody that were taken away';
