
-- what is wrong with the tables that use ids ---------------------------------------------

-- The roles that may insert into a table, or into columns of it; its owner only if that can log in.
CREATE FUNCTION _snowid.inserters(tbl oid, OUT role oid, OUT name text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 3
BEGIN ATOMIC
    WITH relation AS (SELECT relowner, relacl FROM pg_catalog.pg_class WHERE oid = tbl),
        inserter AS (
            SELECT relowner AS role FROM relation
            UNION SELECT grantee FROM relation, aclexplode(relacl) WHERE privilege_type = 'INSERT'
            UNION SELECT grantee FROM pg_catalog.pg_attribute, aclexplode(attacl)
                WHERE attrelid = tbl AND NOT attisdropped AND privilege_type = 'INSERT')
    SELECT inserter.role, CASE inserter.role WHEN 0 THEN 'PUBLIC' ELSE inserter.role::regrole::text END
        FROM inserter, relation
        WHERE inserter.role <> relowner OR (SELECT rolcanlogin FROM pg_catalog.pg_roles WHERE oid = relowner);
END;

CREATE FUNCTION _snowid.check_defaults(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    -- Defaults that name no fitting generator.
    (WITH named AS (
        SELECT used.*, made.name, made.scheme AS made_scheme, made.backfill
            FROM _snowid.default_uses() AS used
                LEFT JOIN _snowid.generator AS made ON made.name = used.generator)
    SELECT 'default',
            format('the default of %s names the generator %s, which does not exist, so it makes no '
                'ids', what, generator),
            format('SELECT %s(%L, %s => ...%s); makes it, with a number that no other generator has; or give %s '
                'another default: %s ...;',
                '@extschema@.snowid_generator_create(text,text,text,integer,integer,integer,integer,boolean,boolean,'
                    'boolean)'::regprocedure::regproc, generator,
                (SELECT CASE scheme WHEN 'snowflake' THEN own.name ELSE format('scheme => %L, %s', scheme, own.name) END
                    FROM _snowid.numbers_of_server() AS own WHERE own.scheme = named.scheme),
                CASE WHEN given_time THEN ', backfill => true' END, what, statement),
            'error'
        FROM named WHERE name IS NULL AND generator <> 'default'
    UNION ALL
    SELECT 'default',
            format('the default of %s names the generator default, which has no name, so it makes no ids', what),
            format('Leave the name out: %s %s();', statement,
                CASE WHEN scheme = 'sno' THEN '@extschema@.sno_next(integer)'::regprocedure::regproc
                    WHEN function = '@extschema@.snowflake_spread(text)'::regprocedure
                        THEN '@extschema@.snowflake_spread()'::regprocedure::regproc
                    ELSE '@extschema@.snowflake_next()'::regprocedure::regproc END),
            'error'
        FROM named WHERE name IS NULL AND generator = 'default'
    UNION ALL
    SELECT 'default',
            format('the default of %s asks for a %s of generator %s, which makes %s, so it makes no ids', what, scheme,
                generator, CASE WHEN scheme <> made_scheme THEN 'ids of the scheme ' || made_scheme
                    WHEN backfill THEN 'ids for given times only' ELSE 'ids for the current time only' END),
            format('Give %s another default: %s ...;', what, statement),
            'error'
        FROM named WHERE scheme <> made_scheme OR given_time <> backfill)
    UNION ALL
    -- Columns whose default is too wide, or may not be called.
    SELECT 'default',
            format('column %I of %s is of type %s, which does not hold the ids that its default '
                'makes', attname, relation, format_type(type, NULL)),
            format('ALTER TABLE %s ALTER %I TYPE bigint;', relation, attname),
            'error'
        FROM _snowid.columns_of_checks()
        WHERE is_whole AND base IN ('int2'::regtype, 'int4'::regtype, 'float4'::regtype, 'float8'::regtype,
            'oid'::regtype)
    UNION ALL
    SELECT 'default',
            format('role %s may insert into %s but not execute %s, which is its default', inserter.name, relation,
                function::regprocedure),
            format('GRANT EXECUTE ON FUNCTION %s TO %s;', function::regprocedure, inserter.name),
            'error'
        FROM _snowid.columns_of_checks() JOIN pg_catalog.pg_proc ON pg_proc.oid = function,
            _snowid.inserters(relation) AS inserter
        WHERE proacl IS NOT NULL AND NOT has_function_privilege(inserter.role, function, 'EXECUTE')
    UNION ALL
    -- A migration of an application has set the default again that a column had before it was converted. The comment
    -- of the column says what that was.
    (WITH converted AS (
        SELECT attrelid::regclass AS relation, attname, attidentity <> '' AS is_identity
            FROM pg_catalog.pg_description
                JOIN pg_catalog.pg_attribute ON attrelid = objoid AND attnum = objsubid AND NOT attisdropped
            WHERE classoid = 'pg_class'::regclass AND description ~ '(^|\n)snowid: before, '
                AND (atthasdef OR attidentity <> '' OR description ~ '(^|\n)snowid: before, (DEFAULT|GENERATED)'))
    SELECT 'default',
            format('column %I of %s was converted, but its default no longer makes ids of this extension', attname,
                relation),
            format('ALTER TABLE %s %sALTER %I SET DEFAULT %s(); -- the way back: CREATE EXTENSION snowid_convert',
                relation, CASE WHEN is_identity THEN format('ALTER %I DROP IDENTITY, ', attname) ELSE '' END, attname,
                '@extschema@.snowflake_next()'::regprocedure::regproc),
            'error'
        FROM converted WHERE NOT _snowid.default_is_ours(relation, attname));
END;

-- Where no generator is restricted, the defaults are not looked up a second time.
CREATE FUNCTION _snowid.check_default_grants(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    SELECT 'default',
            format('role %s may insert into %s but not use generator %s, which its default names', inserter.name,
                used.relation::regclass, used.generator),
            format('SELECT %s(%L, %L);', '@extschema@.snowid_generator_grant(text,name)'::regprocedure::regproc,
                used.generator, inserting.rolname),
            'error'
        FROM _snowid.default_uses() AS used
            JOIN _snowid.generator AS made ON made.name = used.generator AND made.restricted,
            LATERAL _snowid.inserters(used.relation) AS inserter
            JOIN pg_catalog.pg_roles AS inserting ON inserting.oid = inserter.role AND NOT inserting.rolsuper
        WHERE EXISTS (SELECT FROM _snowid.generator WHERE restricted AND name IS NOT NULL)
            AND NOT EXISTS (SELECT FROM _snowid.granted AS granted
                    JOIN pg_catalog.pg_roles AS grantee ON grantee.rolname = granted.role
                WHERE granted.generator = used.generator AND pg_has_role(inserter.role, grantee.oid, 'USAGE'));
END;

-- The tables that are partitioned by ranges of ids: until when there are partitions without a gap, NULL if there is
-- none for now, and how long the newest one is.
-- How far the partitions of a table go on from now without a gap, where its key is an id of ours. A period of months is
-- told in months. Times of other bits are hardly those of our time.
CREATE FUNCTION _snowid.partitioned(
        OUT parent regclass, OUT ends timestamptz, OUT period interval, OUT has_default boolean)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH readable AS MATERIALIZED (
        SELECT partrelid::regclass AS parent, coalesce(partdefid <> 0, false) AS has_default, attname, atttypid,
                key.scheme
            FROM pg_catalog.pg_partitioned_table AS partitioned
                JOIN pg_catalog.pg_attribute AS col ON col.attrelid = partrelid AND col.attnum = partattrs[0],
                LATERAL @extschema@.snowid_partition_key(partrelid) AS key
            -- without a record of the layout no snowflake has a time
            WHERE (key.scheme <> 'snowflake'
                    OR key.scheme = 'snowflake' AND EXISTS (SELECT FROM _snowid.layout))
                AND partrelid NOT IN (SELECT _snowid.partition_elsewhere())),
    part AS (
        SELECT readable.parent, child.starts, child.ends, child.starts AT TIME ZONE 'UTC' AS first,
                child.ends AT TIME ZONE 'UTC' AS next
            FROM readable, LATERAL _snowid.partition_children(readable.parent, scheme) AS child),
    times AS MATERIALIZED (
        SELECT part.parent, range_agg(tstzrange(starts, part.ends)) FILTER (WHERE starts < part.ends) AS covered,
                (array_agg(CASE WHEN (first, next) = (date_trunc('month', first), date_trunc('month', next))
                    THEN age(next, first) ELSE part.ends - starts END ORDER BY starts DESC)
                    FILTER (WHERE isfinite(starts) AND isfinite(part.ends)))[1] AS period,
                bool_or(starts > '2010-01-01Z' AND starts < now() + interval '10 years' AND isfinite(starts))
                    AS are_of_our_time
            FROM part GROUP BY part.parent)
    SELECT readable.parent, (SELECT upper(span) FROM unnest(covered) AS span WHERE span @> now()),
            least(coalesce(times.period, interval '1 month'), interval '1 year'), readable.has_default
        FROM readable LEFT JOIN times ON times.parent = readable.parent
        WHERE atttypid NOT IN ('bigint'::regtype, 'uuid'::regtype) OR atttypid = 'uuid'::regtype AND are_of_our_time
            OR EXISTS (SELECT FROM _snowid.partitioned AS record WHERE record.parent = readable.parent)
            OR _snowid.default_is_ours(readable.parent, attname);
END;

CREATE FUNCTION _snowid.check_uuidv7(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    -- only PostgreSQL 18 and later have it
    WITH call AS MATERIALIZED (
        SELECT format('^(\{COERCETODOMAIN :arg )?\{FUNCEXPR :funcid %s ', function::oid) AS stored
            FROM to_regprocedure('pg_catalog.uuidv7()') AS function WHERE function IS NOT NULL)
    SELECT 'uuidv7',
            format('the default of %s.%s is PostgreSQL''s uuidv7(), which ascends within one session only',
                adrelid::regclass, attname),
            format('ALTER TABLE %s ALTER %I SET DEFAULT %s;', adrelid::regclass, attname,
                '@extschema@.uuidv7_next()'::regprocedure),
            'note'
        FROM call JOIN pg_catalog.pg_attrdef ON adbin::text ~ stored
            JOIN pg_catalog.pg_attribute ON attrelid = adrelid AND attnum = adnum;
END;
