-- What must be true of every object of the extensions snowid and snowid_convert. New objects are found automatically.
CREATE EXTENSION snowid_convert;
CREATE TEMP VIEW members AS
    SELECT classid, objid, (pg_identify_object(classid, objid, 0)).* FROM pg_depend
    JOIN pg_extension e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
    WHERE extname IN ('snowid', 'snowid_convert') AND deptype = 'e';
CREATE TEMP VIEW functions AS
    SELECT p.*, format('%s%s(%s)', CASE WHEN is_internal THEN nspname || '.' END, proname, oidvectortypes(proargtypes)) AS signature, is_internal
    FROM pg_proc p JOIN members ON classid = 'pg_proc'::regclass AND objid = p.oid JOIN pg_namespace n ON n.oid = pronamespace
    CROSS JOIN LATERAL (SELECT nspname ~ '^_snowid' AS is_internal) AS i;

-- every object has a comment, except array types, row types and operator families, which PostgreSQL makes for others, and internal functions,
-- whose source says what they are
SELECT type, identity FROM members
    WHERE obj_description(objid, classid::regclass::name) IS NULL AND type <> 'operator family' AND NOT (schema ~ '^_snowid' AND type IN ('function', 'procedure'))
        AND NOT EXISTS (SELECT FROM pg_type t WHERE classid = 'pg_type'::regclass AND t.oid = objid AND (typelem <> 0 OR typrelid <> 0));
SELECT c.oid::regclass, attname FROM pg_class c JOIN members ON classid = 'pg_class'::regclass AND objid = c.oid
    JOIN pg_attribute ON attrelid = c.oid AND attnum > 0 WHERE col_description(c.oid, attnum) IS NULL AND relnamespace <> '_snowid'::regnamespace;

-- the functions that are not immutable, not strict, or not parallel safe, among those that users call or that are in C
CREATE TEMP VIEW seen AS SELECT * FROM functions WHERE NOT is_internal OR probin IS NOT NULL;
SELECT signature FROM seen WHERE provolatile <> 'i' ORDER BY signature COLLATE "C";
SELECT signature FROM seen WHERE NOT proisstrict AND prokind <> 'a' ORDER BY signature COLLATE "C";
SELECT signature FROM seen WHERE proparallel <> 's' ORDER BY signature COLLATE "C";
SELECT signature AS function_of_c_without_our_prefix FROM functions WHERE probin IS NOT NULL AND prosrc !~ '^snowid_';
SELECT signature AS not_for_everybody FROM functions WHERE NOT is_internal AND NOT has_function_privilege('public', oid, 'execute')
    ORDER BY signature COLLATE "C";

-- NULL is an error to what changes something. A STRICT function would change nothing and say nothing.
SELECT signature AS silent_on_null FROM functions WHERE NOT is_internal AND prorettype = 'void'::regtype AND pronargs > 0 AND proisstrict;

-- What everybody may execute of what is internal. A new one is here on purpose: because a type, an operator or a cast needs it, or a body that
-- runs as its caller calls it. It must be safe against everybody (tap/041_any_call), and sql/install/rights.sql must let it through.
SELECT signature AS internal_and_for_everybody FROM functions f WHERE is_internal AND has_function_privilege('public', oid, 'execute')
    AND NOT EXISTS (SELECT FROM pg_operator WHERE oprcode = f.oid) AND NOT EXISTS (SELECT FROM pg_type WHERE f.oid IN (typinput, typoutput, typsend)) AND NOT EXISTS (SELECT FROM pg_amproc WHERE amproc = f.oid)
    AND NOT EXISTS (SELECT FROM pg_cast WHERE castfunc = f.oid) AND NOT EXISTS (SELECT FROM pg_aggregate WHERE aggtransfn = f.oid) ORDER BY signature COLLATE "C";
-- Whoever may write a table may lock it, and so stop everybody.
SELECT c.oid::regclass AS everybody_may_write FROM pg_class c JOIN members ON classid = 'pg_class'::regclass AND objid = c.oid
    WHERE has_table_privilege('public', c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER');
-- The planner adds calls of some to the queries of everybody, who cannot call them.
SELECT signature AS internal_arguments_and_for_everybody FROM functions WHERE proname !~ '_or_null$' AND 'internal'::regtype = ANY (proargtypes::oid[] || prorettype) AND has_function_privilege('public', oid, 'execute');

-- What PostgreSQL calls for a type, operator, operator class, cast, aggregate, trigger or plan is in _snowid, and so is what a time filter stands
-- for or implies. T_time is the function of a cast and public.
SELECT signature AS in_another_schema FROM functions f WHERE prokind <> 'a' AND NOT is_internal AND (proname ~ '_(first|last)_(now|by_layout)$|^time_(earliest|latest)$' OR
    '{internal,cstring,trigger}'::regtype[] && (proargtypes::oid[]::regtype[] || prorettype::regtype)
    OR EXISTS (SELECT FROM pg_depend d LEFT JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
        WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid = f.oid AND (d.classid IN ('pg_type'::regclass, 'pg_operator'::regclass, 'pg_opclass'::regclass,
                'pg_opfamily'::regclass, 'pg_amproc'::regclass, 'pg_trigger'::regclass)
            OR p.prokind = 'a' OR p.prosupport = f.oid))
    OR EXISTS (SELECT FROM pg_cast WHERE castfunc = f.oid AND casttarget <> 'timestamptz'::regtype));

-- operators have a commutator, a negator and estimators; their functions are leakproof
SELECT o.oid::regoperator FROM pg_operator o JOIN members ON classid = 'pg_operator'::regclass AND objid = o.oid
    WHERE oprcom = 0 OR oprnegate = 0 AND oprname NOT IN ('<@', '@>') OR oprrest = 0 OR oprjoin = 0;
SELECT o.oid::regoperator FROM pg_operator o JOIN members ON classid = 'pg_operator'::regclass AND objid = o.oid
    JOIN pg_proc p ON p.oid = oprcode WHERE NOT proleakproof;
SELECT a.oid::regoperator AS commutes_badly FROM pg_operator a JOIN members ON classid = 'pg_operator'::regclass AND objid = a.oid
    JOIN pg_operator b ON b.oid = a.oprcom WHERE b.oprcom <> a.oid OR a.oprleft <> b.oprright OR a.oprright <> b.oprleft;
SELECT a.oid::regoperator AS negates_badly FROM pg_operator a JOIN members ON classid = 'pg_operator'::regclass AND objid = a.oid
    JOIN pg_operator b ON b.oid = a.oprnegate WHERE b.oprnegate <> a.oid OR a.oprleft <> b.oprleft OR a.oprright <> b.oprright;

-- a leakproof function never raises an error: its text would show a row that a view or policy hides
CREATE TEMP TABLE extremes AS
    SELECT type::regtype, quote_literal(unnest(examples)) AS value FROM (VALUES
        ('timestamptz', ARRAY['-infinity', '4714-11-24 00:00:00+00 BC', '1899-12-31Z', '1970-01-01Z', '2026-05-05Z', '294276-12-31 23:59:59.999999Z', 'infinity']),
        ('tstzrange', ARRAY['empty', '(,)', '[-infinity,infinity]', '(-infinity,infinity)', '[2026-05-05,2026-05-05]', '(4714-11-24 00:00:00+00 BC,294276-12-31 23:59:59.999999+00)']),
        ('text', ARRAY['<', '<=', '>=', '>', '', '!=', 'the launch code is 0000', repeat('x', 10000)]),
        ('smallint', ARRAY['-32768', '0', '32767']),
        ('integer', ARRAY['-2147483648', '0', '2147483647']),
        ('bigint', ARRAY['-9223372036854775808', '-1', '0', '1', '9223372036854775807']),
        ('snowflake', ARRAY['-9223372036854775808', '-1', '0', '1', '9223372036854775807']),
        ('uuid', ARRAY[repeat('0', 32), repeat('f', 32), repeat('7', 32), repeat('8f', 16), 'ffffffff-ffff-4fff-bfff-ffffffffffff'])) AS e (type, examples)
    UNION ALL SELECT oid, format('bytea %L', '\x' || repeat(byte, typlen)) FROM pg_type JOIN members ON classid = 'pg_type'::regclass AND objid = oid,
        unnest(ARRAY['00', 'ff', '77', '8f']) AS byte WHERE typtype = 'b' AND typelem = 0 AND typnamespace <> '_snowid'::regnamespace AND NOT typbyval;
DO $$
DECLARE
    f record;
    arguments text;
    tables text;
BEGIN
    FOR f IN SELECT * FROM functions WHERE proleakproof LOOP
        SELECT string_agg('v' || n, ', '), string_agg(format('(VALUES %s) AS a%s (v%2$s)',
                (SELECT string_agg(format('(%s::%s)', value, type), ', ') FROM extremes WHERE type = argument), n), ', ')
            INTO arguments, tables FROM unnest(f.proargtypes) WITH ORDINALITY AS a (argument, n);
        EXECUTE format('SELECT count(%s(%s)) FROM %s', f.oid::regproc, arguments, tables);
    END LOOP;
EXCEPTION WHEN OTHERS THEN
    RAISE 'leakproof, and yet % says: %', f.signature, left(SQLERRM, 80);
END $$;
SELECT count(*) > 100 AS are_leakproof FROM functions WHERE proleakproof;

-- operator classes are valid, and no family of a built-in type has an operator of ours
SELECT opcname FROM pg_opclass o JOIN members ON classid = 'pg_opclass'::regclass AND objid = o.oid WHERE NOT amvalidate(o.oid);
SELECT amopfamily, amopopr::regoperator FROM pg_amop JOIN members ON classid = 'pg_operator'::regclass AND objid = amopopr
    WHERE amopfamily NOT IN (SELECT objid FROM members WHERE classid = 'pg_opfamily'::regclass);

-- every type has binary I/O, and types of fixed bytes have every default operator class
SELECT t.oid::regtype FROM pg_type t JOIN members ON classid = 'pg_type'::regclass AND objid = t.oid
    WHERE typtype = 'b' AND typelem = 0 AND typnamespace <> '_snowid'::regnamespace AND (typreceive = 0 OR typsend = 0 OR typarray = 0);
SELECT t.oid::regtype, amname AS has_no_default_class FROM pg_type t JOIN members ON classid = 'pg_type'::regclass AND objid = t.oid
    CROSS JOIN pg_am WHERE typtype = 'b' AND typelem = 0 AND typnamespace <> '_snowid'::regnamespace AND NOT typbyval AND amname IN ('btree', 'hash', 'brin')
    AND NOT EXISTS (SELECT FROM pg_opclass WHERE opcmethod = pg_am.oid AND opcintype = t.oid AND opcdefault);
CREATE TEMP VIEW id_types AS SELECT t.* FROM pg_type t JOIN members ON classid = 'pg_type'::regclass AND objid = t.oid
    WHERE typtype = 'b' AND typelem = 0 AND typnamespace <> '_snowid'::regnamespace;
CREATE TEMP VIEW wide_types AS SELECT * FROM id_types WHERE NOT typbyval;
SELECT t.oid::regtype AS has_no_minmax_multi FROM wide_types t WHERE NOT EXISTS (SELECT FROM pg_opclass JOIN pg_am am ON am.oid = opcmethod
    WHERE amname = 'brin' AND opcintype = t.oid AND NOT opcdefault AND opcname LIKE '%_minmax_multi_ops');
SELECT t.oid::regtype, amname, number AS has_no_support FROM wide_types t
    CROSS JOIN (VALUES ('btree', 1), ('btree', 2), ('btree', 4), ('btree', 6), ('hash', 1), ('hash', 2)) AS s (amname, number)
    WHERE (number < 6 OR current_setting('server_version_num')::int >= 180000)
    AND NOT EXISTS (SELECT FROM pg_opclass JOIN pg_am am ON am.oid = opcmethod JOIN pg_amproc ON amprocfamily = opcfamily
        WHERE opcintype = t.oid AND opcdefault AND am.amname = s.amname AND amprocnum = number);
SELECT t.oid::regtype, o.oid::regoperator AS has_a_foreign_estimator FROM wide_types t JOIN pg_operator o ON oprleft = t.oid AND oprright = t.oid
    WHERE oprname IN ('<', '<=', '>', '>=') AND oprrest <> '_snowid.range_selectivity(internal,oid,internal,integer)'::regprocedure;
SELECT t.oid::regtype, name AS has_no_aggregate FROM wide_types t CROSS JOIN (VALUES ('min'), ('max')) AS a (name)
    WHERE NOT EXISTS (SELECT FROM functions WHERE prokind = 'a' AND proname = name AND proargtypes[0] = t.oid AND prorettype = t.oid);
SELECT t.oid::regtype, other AS no_explicit_cast FROM id_types t CROSS JOIN (VALUES ('timestamptz'::regtype), ('bytea')) AS o (other)
    LEFT JOIN pg_cast ON castsource = t.oid AND casttarget = other
    WHERE (other = 'timestamptz'::regtype OR NOT typbyval) AND castcontext IS DISTINCT FROM 'e';
SELECT t.oid::regtype AS no_explicit_cast_from_bytea FROM wide_types t
    LEFT JOIN pg_cast ON casttarget = t.oid AND castsource = 'bytea'::regtype WHERE castcontext IS DISTINCT FROM 'e';

-- every type has the same functions; the first columns of decode are the arguments of encode
CREATE TEMP VIEW schemes AS SELECT typname::text AS name, oid::regtype AS type FROM wide_types UNION ALL SELECT 'uuidv7', 'uuid';
SELECT s.name || f.suffix AS missing FROM schemes s CROSS JOIN (VALUES
    ('_next', NULL, false), ('_next_batch', 'int8', true), ('_at', 'timestamptz', false),
    ('_lower_bound', 'timestamptz', false)) AS f (suffix, takes, is_set)
    WHERE NOT EXISTS (SELECT FROM functions p WHERE p.proname = s.name || f.suffix AND prorettype = s.type AND proretset = is_set
        AND coalesce(proargtypes[0] = to_regtype(takes), pronargs = pronargdefaults));
SELECT s.name || '_time' AS missing FROM schemes s WHERE NOT EXISTS (SELECT FROM functions p
    WHERE p.proname = s.name || '_time' AND proargtypes[0] = s.type AND prorettype = 'timestamptz'::regtype);
SELECT s.name, d.parts AS decode, e.parts AS encode FROM schemes s
    LEFT JOIN LATERAL (SELECT string_agg(format('%s %s', proargnames[n], format_type(proallargtypes[n], NULL)), ', ' ORDER BY n) AS parts
        FROM functions, generate_subscripts(proallargtypes, 1) AS n WHERE proname = s.name || '_decode' AND proargmodes[n] = 'o') d ON true
    LEFT JOIN LATERAL (SELECT string_agg(format('%s %s', proargnames[n + 1], format_type(proargtypes[n], NULL)), ', ' ORDER BY n) AS parts
        FROM functions, generate_subscripts(proargtypes, 1) AS n WHERE proname = s.name || '_encode') e ON true
    ORDER BY s.name;
SELECT s.name || '_' || part AS missing FROM schemes s, functions d, generate_subscripts(proallargtypes, 1) AS n, LATERAL (SELECT proargnames[n] AS part) AS p
    WHERE d.proname = s.name || '_decode' AND proargmodes[n] = 'o'
    AND NOT EXISTS (SELECT FROM functions f WHERE f.proname = s.name || '_' || part AND f.proargtypes[0] = s.type AND f.prorettype = d.proallargtypes[n]);
SELECT s.name AS no_key_of_partitions FROM schemes s WHERE pg_get_functiondef('_snowid.partition_keys()'::regprocedure) NOT LIKE format('%%%L%%', s.name);

-- nothing depends on search_path: no function has an SQL string as its body; and all objects are in the extension's schema, but for internal
-- functions and types, and for tables, none of which are there
SELECT signature FROM functions f JOIN pg_language l ON l.oid = prolang WHERE lanname = 'sql' AND prosqlbody IS NULL;
SELECT type, identity FROM members WHERE schema <> (SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'snowid')
    AND NOT (schema ~ '^_snowid' AND type IN ('function', 'procedure', 'type', 'composite type', 'table'))
    OR schema !~ '^_snowid' AND type = 'table';
SELECT signature AS has_an_old_name FROM functions WHERE starts_with(proname, '_') OR is_internal AND starts_with(proname, 'snowid');

-- what snowid_convert uses of snowid; tools/check_sql looks into the bodies that are texts
SELECT DISTINCT pg_describe_object(d.refclassid, d.refobjid, 0) COLLATE "C" AS used_by_conversions
    FROM pg_depend d JOIN pg_depend u ON u.classid = d.classid AND u.objid = d.objid AND u.deptype = 'e' JOIN pg_extension c ON c.oid = u.refobjid AND c.extname = 'snowid_convert'
    JOIN pg_depend o ON o.classid = d.refclassid AND o.objid = d.refobjid AND o.deptype = 'e' JOIN pg_extension s ON s.oid = o.refobjid AND s.extname = 'snowid' ORDER BY 1;
