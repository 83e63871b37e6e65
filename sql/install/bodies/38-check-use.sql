
-- what is wrong with the tables that use ids ---------------------------------------------

-- How far the partitions of a table go on from now without a gap, where its key is an id of ours.
CREATE FUNCTION _snowid.partitioned(OUT parent regclass, OUT ends timestamptz, OUT period interval, OUT has_default boolean) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    SELECT p.partrelid::regclass, (SELECT upper(r) FROM unnest(of_table.covered) AS r WHERE r @> now()), least(coalesce(of_table.period, interval '1 month'), interval '1 year'), coalesce(partdefid <> 0, false)
        FROM pg_catalog.pg_partitioned_table AS p JOIN pg_catalog.pg_attribute AS a ON attrelid = partrelid AND attnum = partattrs[0], LATERAL @extschema@.snowid_partition_key(partrelid) AS k,
            -- without a record of the layout no snowflake has a time
            LATERAL (SELECT CASE WHEN k.scheme <> 'snowflake' OR k.scheme = 'snowflake' AND EXISTS (SELECT FROM @extschema@.snowid_layout) THEN partrelid END AS oid) AS readable,
            LATERAL (SELECT range_agg(tstzrange(starts, ends)) FILTER (WHERE starts < ends) AS covered,
                    (array_agg(CASE WHEN (first, next) = (date_trunc('month', first), date_trunc('month', next)) THEN age(next, first) ELSE ends - starts END ORDER BY starts DESC) FILTER (WHERE isfinite(starts) AND isfinite(ends)))[1] AS period,
                    bool_or(starts > '2010-01-01Z' AND starts < now() + interval '10 years' AND isfinite(starts)) AS of_our_time
                FROM @extschema@.snowid_partitions(readable.oid), LATERAL (SELECT starts AT TIME ZONE 'UTC' AS first, ends AT TIME ZONE 'UTC' AS next) AS utc WHERE state <> 'detached') AS of_table
        WHERE readable.oid IS NOT NULL AND (a.atttypid NOT IN ('bigint'::regtype, 'uuid'::regtype) OR a.atttypid = 'uuid'::regtype AND of_our_time
            OR EXISTS (SELECT FROM @extschema@.snowid_partitioned AS r WHERE r.parent = partrelid)
            OR _snowid.default_is_ours(partrelid, attname));
END;
COMMENT ON FUNCTION _snowid.partitioned() IS 'the tables that are partitioned by ranges of ids: until when there are partitions without a gap, NULL if there is none for now, and how long the newest one is';

CREATE FUNCTION _snowid.inserters(tbl oid, OUT role oid, OUT name text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 3
BEGIN ATOMIC
    SELECT s.role, CASE s.role WHEN 0 THEN 'PUBLIC' ELSE s.role::regrole::text END
        FROM pg_catalog.pg_class AS c, LATERAL (SELECT relowner UNION SELECT grantee FROM aclexplode(relacl) WHERE privilege_type = 'INSERT'
            UNION SELECT grantee FROM pg_catalog.pg_attribute, aclexplode(attacl) WHERE attrelid = c.oid AND NOT attisdropped AND privilege_type = 'INSERT') AS s (role)
        WHERE c.oid = tbl AND (s.role <> relowner OR (SELECT rolcanlogin FROM pg_catalog.pg_roles WHERE oid = relowner));
END;
COMMENT ON FUNCTION _snowid.inserters(oid) IS 'the roles that may insert into a table, or into columns of it; its owner only if that can log in';

CREATE FUNCTION _snowid.check_use(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 8
BEGIN ATOMIC
    WITH named AS (SELECT u.*, g.name, g.scheme AS scheme_of_generator, g.backfill, g.restricted FROM _snowid.default_uses() AS u
            LEFT JOIN @extschema@.snowid_generator AS g ON g.name = u.generator),
        made AS (SELECT a.adrelid, attname, atttypid, coalesce(nullif(typbasetype, 0), atttypid) AS base, pg_get_expr(adbin, adrelid) AS expression, p.oid AS function, p.proacl
            FROM pg_catalog.pg_extension AS e JOIN pg_catalog.pg_depend AS m ON m.refclassid = 'pg_extension'::regclass AND m.refobjid = e.oid AND m.deptype = 'e' AND m.classid = 'pg_proc'::regclass
                JOIN pg_catalog.pg_proc AS p ON p.oid = m.objid JOIN pg_catalog.pg_depend AS d ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid AND d.classid = 'pg_attrdef'::regclass
                JOIN pg_catalog.pg_attrdef AS a ON a.oid = d.objid JOIN pg_catalog.pg_attribute ON attrelid = adrelid AND attnum = adnum
                JOIN pg_catalog.pg_class AS c ON c.oid = adrelid AND NOT relispartition JOIN pg_catalog.pg_type AS y ON y.oid = atttypid
            WHERE extname = 'snowid' AND provolatile = 'v' AND attgenerated = '')
    SELECT 'default', format('the default of %s names the generator %s, which does not exist, so it makes no ids', what, generator), format('SELECT %s(%L, %s => ...%s); makes it, with a number that no other generator has; or give %s another default: %s ...;',
            '@extschema@.snowid_generator_create(text,text,text,integer,integer,integer,integer,boolean,boolean,boolean)'::regprocedure::regproc, generator,
            CASE scheme WHEN 'sno' THEN 'scheme => ''sno'', partition' ELSE 'worker' END, CASE WHEN given_time THEN ', backfill => true' ELSE '' END, what, statement), 'error'
        FROM named WHERE name IS NULL AND generator <> 'default'
    UNION ALL
    SELECT 'default', format('the default of %s names the generator default, which has no name, so it makes no ids', what), format('Leave the name out: %s %s;', statement, CASE scheme WHEN 'sno' THEN '@extschema@.sno_next(integer)'::regprocedure::regproc ELSE '@extschema@.snowflake_next()'::regprocedure::regproc END || '()'), 'error'
        FROM named WHERE name IS NULL AND generator = 'default'
    UNION ALL
    SELECT 'default', format('the default of %s asks for a %s of generator %s, which makes %s, so it makes no ids', what, scheme, generator,
            CASE WHEN scheme <> scheme_of_generator THEN 'ids of the scheme ' || scheme_of_generator WHEN backfill THEN 'ids of given times only' ELSE 'ids of the current time only' END),
            format('Give %s another default: %s ...;', what, statement), 'error'
        FROM named WHERE scheme <> scheme_of_generator OR given_time <> backfill
    UNION ALL
    SELECT 'default', format('column %I of %s is of type %s, which does not hold the ids that its default makes', attname, adrelid::regclass, format_type(atttypid, NULL)),
            format('ALTER TABLE %s ALTER %I TYPE bigint;', adrelid::regclass, attname), 'error'
        -- a part of an id may fit
        FROM made WHERE base IN ('int2'::regtype, 'int4'::regtype, 'float4'::regtype, 'float8'::regtype) AND expression !~ '[%&/]|>>'
    UNION ALL
    SELECT 'default', format('role %s may insert into %s but not execute %s, which is its default', x.name, adrelid::regclass, function::regprocedure),
            format('GRANT EXECUTE ON FUNCTION %s TO %s;', function::regprocedure, x.name), 'error'
        FROM made, _snowid.inserters(adrelid) AS x WHERE proacl IS NOT NULL AND NOT has_function_privilege(x.role, function, 'EXECUTE')
    UNION ALL
    SELECT 'default', format('role %s may insert into %s but not use generator %s, which its default names', x.name, relation::regclass, generator),
            format('SELECT %s(%L, %L);', '@extschema@.snowid_generator_grant(text,name)'::regprocedure::regproc, generator, rolname), 'error'
        FROM named, _snowid.inserters(relation) AS x JOIN pg_catalog.pg_roles AS i ON i.oid = x.role AND NOT rolsuper
        WHERE restricted AND NOT EXISTS (SELECT FROM @extschema@.snowid_granted AS t JOIN pg_catalog.pg_roles AS r ON r.rolname = t.role
            WHERE t.generator = named.generator AND pg_has_role(x.role, r.oid, 'USAGE'))
    UNION ALL
    SELECT 'uuidv7', format('the default of %s.%s is PostgreSQL''s uuidv7(), which ascends within one session only', adrelid::regclass, attname),
            format('ALTER TABLE %s ALTER %I SET DEFAULT %s;', adrelid::regclass, attname, '@extschema@.uuidv7_next()'::regprocedure), 'note'
        FROM pg_catalog.pg_attrdef JOIN pg_catalog.pg_attribute ON attrelid = adrelid AND attnum = adnum
        WHERE pg_get_expr(adbin, adrelid) = 'uuidv7()' AND current_setting('server_version_num')::int >= 180000;
END;
COMMENT ON FUNCTION _snowid.check_use() IS 'the part of snowid_check() about defaults';
