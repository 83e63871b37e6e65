
-- what is wrong around the ids: what refers to them, what calls their generators, and who may ----------------------

-- The columns whose default makes ids: whether it may be a whole id, not a part of one, and is nothing else.
-- An expression is read as it is stored: pg_get_expr() locks its table, and a lock on anybody's table would stop
-- everybody's check.
CREATE FUNCTION _snowid.columns_of_checks(OUT relation regclass, OUT attnum smallint, OUT attname name, OUT type oid,
        OUT typmod integer, OUT base oid, OUT function oid, OUT is_whole boolean, OUT is_bare boolean)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 20
BEGIN ATOMIC
    SELECT value.adrelid::regclass, col.attnum, col.attname, col.atttypid,
            CASE WHEN type.typbasetype = 0 THEN col.atttypmod ELSE type.typtypmod END,
            coalesce(nullif(type.typbasetype, 0), type.oid), caller.refobjid,
            NOT EXISTS (SELECT FROM regexp_matches(value.adbin::text, ':opno (\d+)', 'g') AS called (number)
                    JOIN pg_catalog.pg_operator AS operator ON operator.oid = called.number[1]::oid
                WHERE operator.oprname IN ('%', '&', '/', '>>')),
            value.adbin::text !~ ':opno ' AND NOT EXISTS (
                SELECT FROM regexp_matches(value.adbin::text, ':funcid (\d+)', 'g') AS called (number)
                WHERE called.number[1]::oid <> caller.refobjid
                    AND called.number[1]::oid NOT IN (SELECT castfunc FROM pg_catalog.pg_cast))
        FROM _snowid.members_of_checks('pg_proc') AS own
            JOIN pg_catalog.pg_proc AS function ON function.oid = own AND function.provolatile = 'v'
            JOIN pg_catalog.pg_depend AS caller
                ON caller.refclassid = 'pg_proc'::regclass AND caller.refobjid = function.oid
                AND caller.classid = 'pg_attrdef'::regclass
            JOIN pg_catalog.pg_attrdef AS value ON value.oid = caller.objid
            JOIN pg_catalog.pg_attribute AS col ON col.attrelid = value.adrelid AND col.attnum = value.adnum
            JOIN pg_catalog.pg_class AS relation ON relation.oid = value.adrelid
            JOIN pg_catalog.pg_type AS type ON type.oid = col.atttypid
        WHERE col.attgenerated = '' AND NOT relation.relispartition;
END;

-- The columns that refer to columns whose default makes ids.
CREATE FUNCTION _snowid.references_of_checks(OUT relation regclass, OUT attname name, OUT type oid, OUT typmod integer,
        OUT base oid, OUT referenced regclass, OUT function oid, OUT is_whole boolean, OUT is_bare boolean)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 20
BEGIN ATOMIC
    SELECT own.attrelid::regclass, own.attname, own.atttypid,
            CASE WHEN type.typbasetype = 0 THEN own.atttypmod ELSE type.typtypmod END,
            coalesce(nullif(type.typbasetype, 0), type.oid), other.relation, other.function, other.is_whole,
            other.is_bare
        FROM _snowid.columns_of_checks() AS other
            JOIN pg_catalog.pg_constraint AS foreign_key ON foreign_key.contype = 'f'
                AND foreign_key.confrelid = other.relation AND foreign_key.conparentid = 0
            CROSS JOIN LATERAL unnest(foreign_key.conkey, foreign_key.confkey) AS pair (here, there)
            JOIN pg_catalog.pg_attribute AS own ON own.attrelid = foreign_key.conrelid AND own.attnum = pair.here
            JOIN pg_catalog.pg_type AS type ON type.oid = own.atttypid
        WHERE pair.there = other.attnum AND other.base NOT IN ('int2'::regtype, 'int4'::regtype);
END;

-- How many digits a snowflake of this database can have.
CREATE FUNCTION _snowid.digits_of_checks() RETURNS integer LANGUAGE sql STABLE PARALLEL RESTRICTED
BEGIN ATOMIC
    SELECT min(length((2::numeric ^ least(63, bits) - 1)::numeric(20)::text))
        FROM _snowid.layout, LATERAL (SELECT sum(field[1]::int) AS bits
            FROM regexp_matches(layout, '[a-z_]+=(\d+)(?=,|$)', 'g') AS field) AS own;
END;

-- A pattern for stored expressions: the beginning of a constant that is below all ids.
-- An int, or a bigint whose high half is 0. Bytes are stored in the order of the machine, which a 6 of our own shows.
CREATE FUNCTION _snowid.limit_of_checks() RETURNS text LANGUAGE sql STABLE PARALLEL RESTRICTED
BEGIN ATOMIC
    SELECT format('(?:\{FUNCEXPR [^{]*)?\{CONST :consttype (?:21 |23 |20 [^}]*:constvalue 8 \[(?: %s) \])',
            CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_constraint
                    WHERE conrelid = '_snowid.seal_key'::regclass AND conbin::text ~ '\[(?: 0){7} 6 \]')
                THEN '0 0 0 0(?: -?\d+){4}' ELSE '-?\d+(?: -?\d+){3} 0 0 0 0' END);
END;

CREATE FUNCTION _snowid.check_columns(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    -- PostgreSQL makes a foreign key from int to bigint without a word. Its rows are what fails.
    SELECT DISTINCT 'references',
            format('column %I of %s is of type %s, which does not hold the ids of %s that it refers to', attname,
                relation, format_type(type, NULL), referenced),
            format('ALTER TABLE %s ALTER %I TYPE bigint; -- while others write: see CREATE EXTENSION snowid_convert',
                relation, attname),
            'error'
        FROM _snowid.references_of_checks() WHERE is_whole AND base IN ('int2'::regtype, 'int4'::regtype)
    UNION ALL
    -- Columns too short for the ids of their default.
    (WITH length_of (prefix, needed, type) AS (
        VALUES
            ('WIDE', length(@extschema@.WIDE_last('(,)'::tstzrange)::text), 'WIDE'),
            ('snowflake', _snowid.digits_of_checks(), 'bigint'), ('uuidv7', 36, 'uuid')),
        col AS (
            SELECT relation, attname, type, typmod, base, function, NULL AS referenced FROM _snowid.columns_of_checks()
                WHERE is_bare
            UNION SELECT relation, attname, type, typmod, base, function, referenced
                FROM _snowid.references_of_checks() WHERE is_bare),
        made AS (
            -- of a numeric the precision without the scale, which is a signed number of 11 bits
            SELECT col.*, CASE WHEN base = 'numeric'::regtype
                    THEN ((typmod - 4) >> 16) - ((((typmod - 4) & 2047) # 1024) - 1024) ELSE typmod - 4 END AS room,
                    length_of.needed, length_of.type AS better
                FROM col JOIN pg_catalog.pg_proc AS made ON made.oid = function
                    JOIN length_of ON length_of.prefix = split_part(made.proname, '_', 1)
                WHERE typmod > 0 AND base IN ('varchar'::regtype, 'bpchar'::regtype, 'numeric'::regtype))
    SELECT 'default',
            format('column %I of %s is of type %s, but the ids %s have up to %s %s', attname, relation,
                format_type(type, CASE type WHEN base THEN typmod END), coalesce('of ' || referenced
                    || ' that it refers to', 'that its default makes'), needed, CASE better WHEN 'bigint' THEN 'digits'
                    ELSE 'characters' END),
            format('ALTER TABLE %s ALTER %I TYPE %s;', relation, attname,
                CASE WHEN base <> 'numeric'::regtype THEN 'text' WHEN referenced IS NULL THEN better
                    ELSE 'numeric' END),
            'error'
        FROM made WHERE room < needed)
    UNION ALL
    -- Constraints that ids are too great for.
    (WITH col AS (
        SELECT *, format('(?:\{RELABELTYPE [^{]*)?\{%s[^}]*\}(?:[^{}]*\})?', CASE WHEN of_domain
                THEN 'COERCETODOMAINVALUE ' ELSE format('VAR :varno 1 :varattno %s ', attnum) END) AS value
            FROM _snowid.columns_of_checks() CROSS JOIN (VALUES (true), (false)) AS place (of_domain)
            WHERE is_whole)
    SELECT DISTINCT 'default',
            format('the constraint %I of %s refuses the ids that the default of column %I makes, because they are '
                'greater', limiting.conname, CASE WHEN of_domain THEN format('the domain %s', type::regtype)
                    ELSE col.relation::text END, col.attname),
            format('ALTER %s DROP CONSTRAINT %I;', CASE WHEN of_domain THEN format('DOMAIN %s', type::regtype)
                ELSE format('TABLE %s', col.relation) END, limiting.conname),
            'error'
        FROM col JOIN pg_catalog.pg_constraint AS limiting ON limiting.contype = 'c' AND CASE WHEN of_domain
                THEN limiting.contypid = col.type ELSE limiting.conrelid = col.relation END,
            _snowid.limit_of_checks() AS limit_,
            LATERAL (
                SELECT number, ARRAY['<', '<='] AS names FROM regexp_matches(limiting.conbin::text,
                    concat('\{OPEXPR :opno (\d+) [^{]*', value, ' ', limit_), 'g') AS compared (number)
                UNION ALL
                SELECT number, ARRAY['>', '>='] FROM regexp_matches(limiting.conbin::text,
                    concat('\{OPEXPR :opno (\d+) [^{]*', limit_, '[^}]*\}(?:[^{}]*\})? ', value), 'g')
                        AS compared (number)) AS compared
            JOIN pg_catalog.pg_operator AS operator ON operator.oid = compared.number[1]::oid
        WHERE operator.oprname = ANY (compared.names)
            AND limiting.conbin::text !~ '\{BOOLEXPR :boolop (or|not)|\{CASE|\{SUBLINK');
END;

CREATE FUNCTION _snowid.check_functions(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    WITH own AS MATERIALIZED (
        SELECT p.oid, proname, proargtypes, provolatile, nspname AS schema,
                proname ~ '^[a-z0-9]+_(next|next_batch|at)$' AS is_generating
            FROM _snowid.members_of_checks('pg_proc') AS member JOIN pg_catalog.pg_proc AS p ON p.oid = member
                JOIN pg_catalog.pg_namespace AS n ON n.oid = pronamespace)
    -- A function that would be called once for many rows.
    SELECT 'functions',
            format('the function %s is %s, so a query may use one id for many rows', oid::regprocedure,
                CASE provolatile WHEN 's' THEN 'stable' ELSE 'immutable' END),
            format('As a superuser, run: ALTER FUNCTION %s VOLATILE;', oid::regprocedure),
            'error'
        FROM own WHERE is_generating AND provolatile <> 'v'
    UNION ALL
    -- Functions of users that make ids and say that they do not.
    -- A body is read as it is stored. One that only names a generator in a comment is seen as well.
    SELECT 'functions',
            format('the function %s is immutable but makes ids, so a query may use one id for many rows',
                wrapper.oid::regprocedure),
            format('ALTER FUNCTION %s VOLATILE;', wrapper.oid::regprocedure),
            'error'
        FROM pg_catalog.pg_proc AS wrapper
        WHERE wrapper.provolatile = 'i' AND wrapper.oid NOT IN (SELECT oid FROM own)
            AND wrapper.pronamespace <> 'pg_catalog'::regnamespace
            AND (wrapper.prosrc ~
                    '\m(snowflake|uuidv7|WIDES)_(next|next_batch)[[:space:]]*\('
                OR EXISTS (SELECT FROM own JOIN pg_catalog.pg_depend AS calls
                        ON calls.refclassid = 'pg_proc'::regclass AND calls.refobjid = own.oid AND is_generating
                            AND calls.classid = 'pg_proc'::regclass AND calls.objid = wrapper.oid))
    UNION ALL
    -- Functions that come before the extension's in a search_path.
    -- With other arguments it is another function.
    (WITH known AS (
        SELECT setrole AS role, substr(entry, length('search_path=') + 1) AS path
            FROM pg_catalog.pg_db_role_setting, unnest(setconfig) AS entry
            WHERE starts_with(entry, 'search_path=')
                AND setdatabase IN (0, (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()))
        UNION SELECT 0, reset_val FROM pg_catalog.pg_settings WHERE name = 'search_path'),
        step AS (
            SELECT role, path, replace(trim('"' FROM word[1]), '""', '"') AS schema, place
                FROM known, regexp_matches(path, '("(?:[^"]|"")*"|[^",[:space:]]+)', 'g')
                    WITH ORDINALITY AS word (word, place))
    SELECT DISTINCT 'functions',
            format('%s calls %I.%I by the name %3$I, and not the extension''s', CASE WHEN step.role <> 0
                THEN 'role ' || step.role::regrole WHEN step.schema = '$user' THEN format('role %I', nspname)
                ELSE 'whoever has the search_path ' || step.path END, nspname, own.proname),
            format('Drop or rename it, or name the schema %I first in that search_path.', own.schema),
            'warning'
        FROM own JOIN pg_catalog.pg_proc AS other USING (proname, proargtypes)
            JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = other.pronamespace
            JOIN step ON step.schema = nspname OR step.schema = '$user' AND EXISTS (
                SELECT FROM pg_catalog.pg_roles WHERE rolname = nspname AND step.role IN (0, oid))
        WHERE own.schema <> '_snowid' AND other.oid <> own.oid AND NOT EXISTS (SELECT FROM step AS earlier
            WHERE (earlier.role, earlier.path, earlier.schema) = (step.role, step.path, own.schema)
                AND earlier.place < step.place))
    UNION ALL
    -- Rights that PUBLIC has lost.
    -- Types, operators and the planner call what is in this schema as whoever runs a statement.
    (WITH taken AS (
        SELECT function.oid::regprocedure AS function
            FROM pg_catalog.pg_proc AS function
                LEFT JOIN pg_catalog.pg_init_privs AS initial
                    ON initial.classoid = 'pg_proc'::regclass AND initial.objoid = function.oid
            WHERE function.pronamespace = '_snowid'::regnamespace AND function.proacl IS NOT NULL
                AND NOT EXISTS (SELECT FROM aclexplode(function.proacl) WHERE grantee = 0)
                AND EXISTS (SELECT
                    FROM aclexplode(coalesce(initial.initprivs, acldefault('f', function.proowner))) WHERE grantee = 0))
    SELECT 'rights',
            'PUBLIC may not use the schema _snowid, so types and functions of the extension fail for most roles',
            'As a superuser, run: GRANT USAGE ON SCHEMA _snowid TO PUBLIC;',
            'error'
        FROM pg_catalog.pg_namespace AS namespace
        WHERE nspname = '_snowid' AND NOT EXISTS (
            SELECT FROM aclexplode(nspacl) WHERE grantee = 0 AND privilege_type = 'USAGE')
    UNION ALL
    SELECT 'rights',
            format('%s functions of the schema _snowid may not be called by PUBLIC, so statements with ids fail '
                'for most roles', count(*)),
            format('As a superuser, run: GRANT EXECUTE ON FUNCTION %s TO PUBLIC;', string_agg(function::text, ', '
                ORDER BY function::text COLLATE "C")),
            'error'
        FROM taken HAVING count(*) > 0);
END;
