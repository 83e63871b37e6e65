
-- what is wrong with the extension's own objects ---------------------------------------

-- The extension's own objects of a class.
CREATE FUNCTION _snowid.members_of_checks(class regclass) RETURNS SETOF oid
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 200
BEGIN ATOMIC
    SELECT objid FROM pg_catalog.pg_depend
        WHERE refclassid = 'pg_extension'::regclass AND classid = class AND deptype = 'e'
            AND refobjid = (SELECT oid FROM pg_catalog.pg_extension WHERE extname = 'snowid');
END;

-- The part of snowid_check() about locks on the extension's tables, for which everything else would wait.
-- It reads none of the tables itself.
CREATE FUNCTION _snowid.check_locks(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    SELECT 'tables',
            format('%s holds a lock on %s, so %s',
                CASE WHEN held.pid IS NULL THEN 'a prepared transaction' ELSE format('process %s', held.pid) END,
                held.relation::regclass, CASE WHEN held.relation IN ('_snowid.layout'::regclass,
                    '_snowid.horizon'::regclass, '_snowid.generator'::regclass) THEN 'ids wait'
                    ELSE 'this check cannot look at the rest' END),
            CASE WHEN held.pid IS NULL THEN format('In this database, run: ROLLBACK PREPARED %L;', prepared.gid)
                ELSE format('If it does not end soon, run: SELECT pg_terminate_backend(%s);', held.pid) END,
            'error'
        FROM pg_catalog.pg_locks AS held
            LEFT JOIN pg_catalog.pg_stat_activity AS session ON session.pid = held.pid
            LEFT JOIN pg_catalog.pg_locks AS own ON held.pid IS NULL AND own.pid IS NULL
                AND own.virtualtransaction = held.virtualtransaction AND own.locktype = 'transactionid'
            LEFT JOIN pg_catalog.pg_prepared_xacts AS prepared ON prepared.transaction = own.transactionid
        WHERE held.granted AND held.pid IS DISTINCT FROM pg_backend_pid()
            AND held.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
            AND (held.pid IS NULL OR session.xact_start < clock_timestamp() - interval '1 s')
            AND (held.mode = 'AccessExclusiveLock' AND held.relation IN (
                    SELECT oid FROM pg_catalog.pg_class WHERE relnamespace = '_snowid'::regnamespace)
                OR held.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock')
                    AND held.relation = '_snowid.horizon'::regclass);
END;

-- The part of snowid_check() about the names of the extension's tables, without which the rest is an error.
-- A table is known by its name. Of one that has another name, only that it is part of the extension is left.
CREATE FUNCTION _snowid.check_names(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    WITH tables AS (
            SELECT relname, relnamespace::regnamespace AS schema, relnamespace = snowid.oid AS is_inside
                FROM _snowid.members_of_checks('pg_class') AS own JOIN pg_class AS c ON c.oid = own
                    JOIN pg_namespace AS snowid ON nspname = '_snowid'
                WHERE relkind = 'r'),
        own AS (
            SELECT name FROM unnest('{layout,horizon,generator,granted,partitioned,maintenance,partition_times,
                seal_key,seal_current,rebuild}'::name[]) AS name)
    SELECT 'tables', format('the table _snowid.%s has been renamed or moved', own.name),
            coalesce('As a superuser, run:' || renamed.statements, 'Restore the database from a backup.'), 'error'
        FROM own LEFT JOIN LATERAL (
            SELECT string_agg(concat(
                    CASE WHEN relname <> own.name THEN format(' ALTER TABLE %s.%I RENAME TO %s;', schema, relname,
                        own.name) END,
                    CASE WHEN NOT is_inside THEN format(' ALTER TABLE %s.%s SET SCHEMA _snowid;', schema,
                        own.name) END),
                    ' or:' ORDER BY relname) AS statements
                FROM tables WHERE NOT (is_inside AND relname IN (SELECT name FROM own))) AS renamed ON true
        WHERE to_regclass('_snowid.' || own.name) IS NULL;
END;

-- The tables that ids are made by, and what they are like now.
CREATE FUNCTION _snowid.tables_of_checks(OUT relation regclass, OUT columns integer, OUT is_secret boolean,
        OUT persistence "char", OUT has_row_security boolean, OUT access_method name, OUT schema name)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    SELECT own.relation, own.columns, own.is_secret, known.relpersistence, known.relrowsecurity, method.amname,
            namespace.nspname
        FROM (VALUES ('_snowid.layout'::regclass, 2, false), ('_snowid.horizon', 6, false),
                ('_snowid.generator', 12, false), ('_snowid.seal_key', 3, true),
                ('_snowid.seal_current', 1, true)) AS own (relation, columns, is_secret)
            JOIN pg_catalog.pg_class AS known ON known.oid = own.relation
            JOIN pg_catalog.pg_am AS method ON method.oid = known.relam
            JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = known.relnamespace;
END;

-- The triggers of the extension's tables; whether they fire in a session that replicates, too.
CREATE FUNCTION _snowid.triggers_of_checks(OUT relation regclass, OUT name name, OUT is_always boolean)
    RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 24
BEGIN ATOMIC
    SELECT made.relation, name, name <> 'snowid_seal_guard'
        FROM (VALUES ('_snowid.layout'::regclass, '{snowid_record_changed,snowid_drop_replicated}'::name[]),
            ('_snowid.horizon', '{snowid_horizon_incoming,snowid_horizon_added,snowid_record_changed}'),
            ('_snowid.generator', '{snowid_record_changed,snowid_generator_guard}'),
            ('_snowid.generator', '{snowid_drop_replicated,snowid_generator_added}'),
            ('_snowid.layout', '{snowid_layout_incoming}'),
            ('_snowid.granted', '{snowid_record_changed,snowid_drop_replicated,snowid_granted_added}'),
            ('_snowid.seal_key', '{snowid_record_changed,snowid_drop_replicated,snowid_seal_guard}'),
            ('_snowid.seal_current', '{snowid_record_changed,snowid_drop_replicated,snowid_seal_guard}'),
            ('_snowid.partitioned', '{snowid_drop_replicated,snowid_partition_added}'),
            ('_snowid.partition_times', '{snowid_drop_replicated,snowid_partition_added}'),
            ('_snowid.maintenance', '{snowid_drop_replicated}'),
            ('_snowid.rebuild', '{snowid_drop_replicated}'))
                AS made (relation, names), unnest(names) AS name;
END;

CREATE FUNCTION _snowid.check_tables(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    -- The extension's tables are not as they were made.
    SELECT found.subject, found.finding, format('As a superuser, %s', found.what_to_do), 'error'
        FROM _snowid.tables_of_checks() AS own CROSS JOIN LATERAL (VALUES
            (persistence <> 'p', 'horizon', format('the table %s does not survive a crash', relation),
                format('run: ALTER TABLE %s SET LOGGED;', relation)),
            (has_row_security AND NOT is_secret, 'tables',
                format('the table %s has row security, so it is empty for those who are not superusers', relation),
                format('run: ALTER TABLE %s DISABLE ROW LEVEL SECURITY;', relation)),
            (columns <> (SELECT count(*) FROM pg_catalog.pg_attribute
                    WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped), 'tables',
                format('the table %s does not have its own %s columns', relation, columns),
                'take the change back. If that cannot be done, restore the database from a backup.'),
            (access_method <> 'heap', 'tables',
                format('the table %s does not have the access method heap, so no start finds it', relation),
                format('run: ALTER TABLE %s SET ACCESS METHOD heap;', relation)))
            AS found (is_so, subject, finding, what_to_do)
        WHERE found.is_so
    UNION ALL
    -- A trigger of the extension is gone.
    SELECT 'tables',
            format('the trigger %s of %s is %s', made.name, made.relation,
                CASE WHEN known.oid IS NULL THEN 'missing' ELSE 'disabled' END),
            CASE WHEN known.oid IS NULL
                    THEN 'As a superuser, create it again, as in another database that has the extension.'
                ELSE format('As a superuser, run: ALTER TABLE %s ENABLE %sTRIGGER %I;', made.relation,
                    CASE WHEN made.is_always THEN 'ALWAYS ' END, made.name) END,
            'error'
        FROM _snowid.triggers_of_checks() AS made
            LEFT JOIN pg_catalog.pg_trigger AS known ON known.tgrelid = made.relation AND known.tgname = made.name
        WHERE known.tgenabled IS DISTINCT FROM 'A' AND (made.is_always OR known.tgenabled IS DISTINCT FROM 'O')
    UNION ALL
    -- A trigger or a rule that is not the extension's.
    (WITH intruder AS (
            SELECT 'trigger ' || quote_ident(tgname) AS what, own.relation
                FROM pg_catalog.pg_trigger JOIN _snowid.tables_of_checks() AS own ON own.relation = tgrelid
                WHERE NOT tgisinternal AND tgfoid NOT IN (SELECT _snowid.members_of_checks('pg_proc'))
            UNION ALL
            SELECT 'rule ' || quote_ident(rulename), own.relation
                FROM pg_catalog.pg_rewrite JOIN _snowid.tables_of_checks() AS own ON own.relation = ev_class)
    SELECT 'tables',
            format('the %s of %s does not belong to the extension', what, relation),
            'As a superuser, drop it.',
            'error'
        FROM intruder)
    UNION ALL
    -- An index of the extension is gone.
    SELECT 'tables',
            format('the index %s is missing or not valid, so with many generators a lookup is slow', made.name),
            format('As a superuser, run: DROP INDEX IF EXISTS %1$s.%2$s; CREATE INDEX %2$s ON %3$s %4$s;', own.schema,
                made.name, made.relation, made.columns),
            'note'
        FROM (VALUES ('_snowid.horizon'::regclass, 'horizon_generator', '(generator)'),
                ('_snowid.generator', 'generator_id', '(id)'),
                ('_snowid.generator', 'generator_number', '(scheme, worker, partition, name)'),
                ('_snowid.generator', 'generator_layout', '(layout)'))
                AS made (relation, name, columns)
            JOIN _snowid.tables_of_checks() AS own ON own.relation = made.relation
        WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_index JOIN pg_catalog.pg_class AS known ON known.oid = indexrelid
            WHERE indrelid = made.relation AND known.relname = made.name AND indisvalid);
END;

-- what is wrong with the records of horizons and generators ---------------------------------------

CREATE FUNCTION _snowid.check_records(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    -- No layout, or several, are recorded.
    SELECT 'layout',
            'this database has no record of its layout, so it cannot make or read snowflakes',
            format('As a superuser, insert the layout of its ids: INSERT INTO %s VALUES (%s(''default''), now());',
                '_snowid.layout'::regclass,
                '@extschema@.snowid_layout_canonical(text)'::regprocedure::regproc),
            'error'
        WHERE NOT EXISTS (SELECT FROM _snowid.layout)
    UNION ALL
    SELECT 'layout',
            format('this database has %s layouts on record, and the oldest counts: %s', count(DISTINCT layout),
                (array_agg(layout ORDER BY recorded))[1]),
            format('If that is the layout of its ids, delete the others from %s as a superuser.',
                '_snowid.layout'::regclass),
            'warning'
        FROM _snowid.layout HAVING count(DISTINCT layout) > 1
    UNION ALL
    -- What was built for another layout.
    SELECT 'layout',
            format('%s was built before the layout of this database changed at %s', rebuild.object, rebuild.changed),
            CASE relation.relkind
                WHEN 'i' THEN format('REINDEX INDEX %s%s;',
                    CASE WHEN NOT index.indisexclusion THEN 'CONCURRENTLY ' END, relation.oid::regclass)
                WHEN 'm' THEN format('REFRESH MATERIALIZED VIEW %s;', relation.oid::regclass)
                ELSE format('%s Then run as a superuser: DELETE FROM %s WHERE objid = %s;',
                    CASE WHEN rebuild.object LIKE 'generated %'
                            THEN 'Update each row of the table, which computes it again.'
                        ELSE 'Recreate it, or make sure that it is right.' END,
                    '_snowid.rebuild'::regclass, rebuild.objid) END,
            'warning'
        FROM _snowid.rebuild AS rebuild
            LEFT JOIN pg_catalog.pg_class AS relation
                ON rebuild.classid = 'pg_class'::regclass AND relation.oid = rebuild.objid
            LEFT JOIN pg_catalog.pg_index AS index ON index.indexrelid = relation.oid
        WHERE pg_describe_object(rebuild.classid, rebuild.objid, 0) IS NOT NULL
            AND coalesce(relation.relfilenode, 0) = rebuild.filenode AND relation.relkind IS DISTINCT FROM 'I'
    UNION ALL
    -- A horizon is missing.
    (WITH expected AS (
        SELECT generator AS id, ' in this database' AS place,
                CASE scheme WHEN 'snowflake' THEN 'default' ELSE format('default of %ss', scheme) END AS name
            FROM _snowid.numbers_of_server()
        UNION ALL
        SELECT id, NULL, name FROM _snowid.generator WHERE name IS NOT NULL)
    SELECT 'horizon',
            format('the record of how far generator %s has come is missing%s', name, place),
            format('As a superuser, run: SELECT %s(now());',
                '@extschema@.snowid_horizon_advance(timestamptz, boolean)'::regprocedure::regproc),
            'error'
        FROM expected WHERE NOT EXISTS (SELECT FROM _snowid.horizon WHERE generator = expected.id))
    UNION ALL
    -- A horizon is ahead of the clock.
    (WITH limited AS (
        SELECT id, name FROM _snowid.generator WHERE name IS NOT NULL AND NOT backfill
        UNION ALL
        SELECT generator, CASE scheme WHEN 'snowflake' THEN 'default' ELSE format('default of %ss', scheme) END
            FROM _snowid.numbers_of_server()),
        latest AS (
            SELECT clock_timestamp() + 2 * current_setting('snowid.clock_drift', true)::interval AS "time"),
        ahead AS (
            SELECT limited.name, max(own.horizon) AS horizon
                FROM _snowid.horizon AS own JOIN limited ON limited.id = own.generator
                WHERE own.horizon > (SELECT (extract(epoch FROM "time") * 1e9)::bigint FROM latest)
                GROUP BY limited.id, limited.name)
    SELECT 'horizon',
            format('the horizon of generator %s is %s ahead of the clock, so it makes no ids yet', name,
                date_trunc('second', to_timestamp(horizon / 1e9) - clock_timestamp())),
            'If the clock is wrong, correct it. If the horizon is wrong, because a clock was wrong or a row was '
                'changed by hand, see snowid_horizon_rewind, or for given times snowid_generator_rewind.',
            'error'
        FROM ahead)
    UNION ALL
    -- A generator that can make no id.
    SELECT 'generators',
            format('generator %s cannot make ids. %s', coalesce(generator.name, '?'), fault),
            'Change what is wrong with snowid_generator_alter, or drop it.',
            'error'
        FROM _snowid.generator AS generator,
            LATERAL (SELECT CASE WHEN EXISTS (SELECT FROM _snowid.layout)
                THEN _snowid.generator_fault(generator) END) AS found (fault)
        WHERE generator.name IS NOT NULL AND fault IS NOT NULL
    UNION ALL
    -- Ids of given times may be lost.
    SELECT 'generators',
            format('generator %s refuses times that it may have been given before a restore or a failover, because its '
                'last ids may be lost', name),
            format('For such times, make another generator with another number. If it is certain that nothing was '
                'lost, run: SELECT %s(%L);', '@extschema@.snowid_generator_accept(text)'::regprocedure::regproc, name),
            'warning'
        FROM _snowid.generator WHERE name IS NOT NULL AND backfill AND _snowid.may_have_lost(id)
    UNION ALL
    -- A generator that nobody may use.
    SELECT 'generators',
            format('only superusers can use generator %s, because the roles that it was granted to are gone', name),
            format('Drop it; or run: SELECT %s(%L, ''...'');',
                '@extschema@.snowid_generator_grant(text,name)'::regprocedure::regproc, name),
            'warning'
        FROM _snowid.generator
        WHERE name IS NOT NULL AND restricted AND NOT EXISTS (
            SELECT FROM _snowid.granted JOIN pg_catalog.pg_roles ON rolname = role WHERE generator = name);
END;

-- what is wrong with the extension -------------------------------------------------------------

CREATE FUNCTION _snowid.check_extension(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    -- A template with generators or keys.
    SELECT 'generators',
            format('this database is a template with %s, so databases made from it make the same ids',
                _snowid.counted(count(*), 'named generator')),
            'Drop them here, or run: ALTER DATABASE ... IS_TEMPLATE false.',
            'warning'
        FROM _snowid.generator
            JOIN pg_catalog.pg_database ON datname = current_database() AND datistemplate
        WHERE name IS NOT NULL HAVING count(*) > 0
    UNION ALL
    SELECT 'seal',
            'this database is a template with keys of sealed ids, and whoever makes a database from it can reveal them',
            'Run: ALTER DATABASE ... IS_TEMPLATE false. Or drop the keys here with snowid_seal_key_drop.',
            'warning'
        FROM pg_catalog.pg_database WHERE datname = current_database() AND datistemplate AND _snowid.has_seal_key()
    UNION ALL
    -- Library and extension differ.
    SELECT 'update',
            format('the extension has version %s in this database, but the library has version '
                '%s', extversion, version),
            'Restart the server if the library was installed after its last start; then run: ALTER EXTENSION snowid '
                'UPDATE;',
            'warning'
        FROM pg_catalog.pg_extension, _snowid.library_version() AS version
        WHERE extname = 'snowid' AND extversion <> version;
END;
