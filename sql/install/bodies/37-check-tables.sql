
-- what is wrong with the extension's own objects ---------------------------------------

-- It reads none of the tables itself.
CREATE FUNCTION _snowid.check_locks(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 8
BEGIN ATOMIC
    SELECT 'tables', format('%s holds a lock on %s, so ids wait', CASE WHEN l.pid IS NULL THEN 'a prepared transaction' ELSE format('process %s', l.pid) END, l.relation::regclass),
            CASE WHEN l.pid IS NULL THEN format('In this database, run: ROLLBACK PREPARED %L;', x.gid) ELSE format('If it does not end soon, run: SELECT pg_terminate_backend(%s);', l.pid) END, 'error'
        FROM pg_catalog.pg_locks AS l LEFT JOIN pg_catalog.pg_stat_activity AS a USING (pid)
            LEFT JOIN pg_catalog.pg_locks AS t ON l.pid IS NULL AND t.pid IS NULL AND t.virtualtransaction = l.virtualtransaction AND t.locktype = 'transactionid'
            LEFT JOIN pg_catalog.pg_prepared_xacts AS x ON x.transaction = t.transactionid
        WHERE l.granted AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()) AND l.pid IS DISTINCT FROM pg_backend_pid()
            AND (l.mode = 'AccessExclusiveLock' AND l.relation IN ('@extschema@.snowid_layout'::regclass, '@extschema@.snowid_horizon'::regclass, '@extschema@.snowid_generator'::regclass)
                OR l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock') AND l.relation = '@extschema@.snowid_horizon'::regclass)
            AND (l.pid IS NULL OR a.xact_start < clock_timestamp() - interval '1 s');
END;
COMMENT ON FUNCTION _snowid.check_locks() IS 'the part of snowid_check() about locks on the extension''s tables, for which everything else would wait';

CREATE FUNCTION _snowid.check_tables(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 8
BEGIN ATOMIC
    WITH own AS (SELECT c.*, t.columns FROM (VALUES ('@extschema@.snowid_layout'::regclass, 2), ('@extschema@.snowid_horizon'::regclass, 8), ('@extschema@.snowid_generator'::regclass, 12),
            ('@extschema@.snowid_seal_key'::regclass, 3), ('@extschema@.snowid_seal_current'::regclass, 1)) AS t (oid, columns) JOIN pg_catalog.pg_class AS c USING (oid)),
        drift AS (SELECT setting::int * interval '1 ms' AS drift FROM pg_catalog.pg_settings WHERE name = 'snowid.clock_drift')
    SELECT 'horizon', format('the table %s does not survive a crash', oid::regclass), format('As a superuser, run: ALTER TABLE %s SET LOGGED;', oid::regclass), 'error'
        FROM own WHERE relpersistence <> 'p'
    UNION ALL
    SELECT 'tables', format('the table %s has row security, so it is empty for those who are not superusers', oid::regclass), format('As a superuser, run: ALTER TABLE %s DISABLE ROW LEVEL SECURITY;', oid::regclass), 'error'
        FROM own WHERE relrowsecurity AND oid NOT IN ('@extschema@.snowid_seal_key'::regclass, '@extschema@.snowid_seal_current'::regclass)
    UNION ALL
    SELECT 'tables', format('the table %s does not have its own %s columns', oid::regclass, columns), 'As a superuser, take the change back. If that cannot be done, restore the database from a backup.', 'error'
        FROM own WHERE columns <> (SELECT count(*) FROM pg_catalog.pg_attribute WHERE attrelid = own.oid AND attnum > 0 AND NOT attisdropped)
    UNION ALL
    SELECT 'tables', format('the table %s does not have the access method heap, so no start finds it', oid::regclass), format('As a superuser, run: ALTER TABLE %s SET ACCESS METHOD heap;', oid::regclass), 'error'
        FROM own WHERE relam <> (SELECT oid FROM pg_catalog.pg_am WHERE amname = 'heap')
    UNION ALL
    SELECT 'tables', format('the trigger %s of %s is %s', t.name, t.table, CASE WHEN g.oid IS NULL THEN 'missing' ELSE 'disabled' END),
            CASE WHEN g.oid IS NULL THEN 'As a superuser, create it again, as in another database that has the extension.'
                ELSE format('As a superuser, run: ALTER TABLE %s ENABLE %sTRIGGER %I;', t.table, CASE t.enabled WHEN 'A' THEN 'ALWAYS ' ELSE '' END, t.name) END, 'error'
        FROM (VALUES ('@extschema@.snowid_layout'::regclass, 'snowid_record_changed', 'A'), ('@extschema@.snowid_layout', 'snowid_drop_replicated', 'A'),
            ('@extschema@.snowid_horizon', 'snowid_horizon_incoming', 'A'), ('@extschema@.snowid_horizon', 'snowid_horizon_added', 'A'), ('@extschema@.snowid_horizon', 'snowid_record_changed', 'A'),
            ('@extschema@.snowid_generator', 'snowid_record_changed', 'A'), ('@extschema@.snowid_generator', 'snowid_generator_guard', 'A'),
            ('@extschema@.snowid_generator', 'snowid_drop_replicated', 'A'), ('@extschema@.snowid_generator', 'snowid_generator_added', 'A'),
            ('@extschema@.snowid_layout', 'snowid_layout_incoming', 'A'),
            ('@extschema@.snowid_granted', 'snowid_record_changed', 'A'), ('@extschema@.snowid_granted', 'snowid_drop_replicated', 'A'), ('@extschema@.snowid_granted', 'snowid_granted_added', 'A'),
            ('@extschema@.snowid_seal_key', 'snowid_record_changed', 'A'), ('@extschema@.snowid_seal_key', 'snowid_drop_replicated', 'A'), ('@extschema@.snowid_seal_key', 'snowid_seal_guard', 'O'),
            ('@extschema@.snowid_seal_current', 'snowid_record_changed', 'A'), ('@extschema@.snowid_seal_current', 'snowid_drop_replicated', 'A'), ('@extschema@.snowid_seal_current', 'snowid_seal_guard', 'O'),
            ('@extschema@.snowid_partitioned', 'snowid_drop_replicated', 'A'), ('@extschema@.snowid_partitioned', 'snowid_partition_added', 'A'),
            ('@extschema@.snowid_partition_times', 'snowid_drop_replicated', 'A'), ('@extschema@.snowid_maintenance', 'snowid_drop_replicated', 'A'), ('@extschema@.snowid_partition_times', 'snowid_partition_added', 'A'), ('@extschema@.snowid_rebuild', 'snowid_drop_replicated', 'A'))
            AS t ("table", name, enabled) LEFT JOIN pg_catalog.pg_trigger AS g ON tgrelid = t.table AND tgname = t.name
        WHERE tgenabled IS DISTINCT FROM t.enabled AND tgenabled IS DISTINCT FROM 'A'
    UNION ALL
    SELECT 'tables', format('the %s of %s does not belong to the extension', o.what, o.on_table), 'As a superuser, drop it.', 'error'
        FROM (SELECT 'trigger ' || quote_ident(tgname), tgrelid::regclass FROM pg_catalog.pg_trigger JOIN own ON own.oid = tgrelid
                WHERE NOT tgisinternal AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend WHERE classid = 'pg_proc'::regclass AND objid = tgfoid AND deptype = 'e'
                    AND refobjid = (SELECT oid FROM pg_catalog.pg_extension WHERE extname = 'snowid'))
            UNION ALL SELECT 'rule ' || quote_ident(rulename), ev_class::regclass FROM pg_catalog.pg_rewrite JOIN own ON own.oid = ev_class) AS o (what, on_table)
    UNION ALL
    SELECT 'tables', format('the index %s is missing or not valid, so with many generators a lookup is slow', i.name), format('As a superuser, run: DROP INDEX IF EXISTS %1$s.%2$s; CREATE INDEX %2$s ON %3$s %4$s;', n.nspname, i.name, i.table, i.columns), 'note'
        FROM (VALUES ('@extschema@.snowid_horizon'::regclass, 'snowid_horizon_generator', '(generator)'), ('@extschema@.snowid_generator', 'snowid_generator_id', '(id)'),
            ('@extschema@.snowid_generator', 'snowid_generator_number', '(scheme, worker, partition)'), ('@extschema@.snowid_generator', 'snowid_generator_layout', '(layout)')) AS i ("table", name, columns)
            JOIN own ON own.oid = i.table JOIN pg_catalog.pg_namespace AS n ON n.oid = own.relnamespace
        WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_index JOIN pg_catalog.pg_class AS c ON c.oid = indexrelid WHERE indrelid = i.table AND relname = i.name AND indisvalid)
    UNION ALL
    SELECT 'layout', 'this database has no record of its layout, so it cannot make or read snowflakes',
            format('As a superuser, insert the layout of its ids: INSERT INTO %s VALUES (%s(''default''), now());',
                '@extschema@.snowid_layout'::regclass, '@extschema@.snowid_layout_canonical(text)'::regprocedure::regproc), 'error'
        WHERE NOT EXISTS (SELECT FROM @extschema@.snowid_layout)
    UNION ALL
    SELECT 'layout', format('this database has %s layouts on record, and the oldest counts: %s', count(DISTINCT layout), (array_agg(layout ORDER BY recorded))[1]),
            format('If that is the layout of its ids, delete the others from %s as a superuser.', '@extschema@.snowid_layout'::regclass), 'warning'
        FROM @extschema@.snowid_layout HAVING count(DISTINCT layout) > 1
    UNION ALL
    SELECT 'layout', format('%s was built before the layout of this database changed at %s', object, changed),
            CASE WHEN relkind = 'i' THEN format('REINDEX INDEX %s%s;', CASE WHEN indisexclusion THEN '' ELSE 'CONCURRENTLY ' END, c.oid::regclass) WHEN relkind = 'm' THEN format('REFRESH MATERIALIZED VIEW %s;', c.oid::regclass)
                ELSE format('%s Then run as a superuser: DELETE FROM %s WHERE objid = %s;', CASE WHEN object LIKE 'generated %' THEN 'Update each row of the table, which computes it again.' ELSE 'Recreate it, or make sure that it is right.' END,
                    '@extschema@.snowid_rebuild'::regclass, objid) END, 'warning'
        FROM @extschema@.snowid_rebuild LEFT JOIN pg_catalog.pg_class AS c ON classid = 'pg_class'::regclass AND c.oid = objid LEFT JOIN pg_catalog.pg_index ON indexrelid = c.oid
        WHERE pg_describe_object(classid, objid, 0) IS NOT NULL AND coalesce(relfilenode, 0) = filenode AND relkind IS DISTINCT FROM 'I'
    UNION ALL
    SELECT 'horizon', format('the record of how far generator %s has come is missing in this database', name),
            format('As a superuser, run: SELECT %s(now());', '@extschema@.snowid_horizon_advance(timestamptz, boolean)'::regprocedure::regproc), 'error'
        FROM (VALUES (0::bigint, 'default'), (-1, 'default of snos')) AS own (id, name)
        WHERE NOT EXISTS (SELECT FROM @extschema@.snowid_horizon AS h WHERE h.generator = own.id)
    UNION ALL
    SELECT 'horizon', format('the record of how far generator %s has come is missing', name), format('As a superuser, run: SELECT %s(now());', '@extschema@.snowid_horizon_advance(timestamptz, boolean)'::regprocedure::regproc), 'error'
        FROM @extschema@.snowid_generator AS g WHERE name IS NOT NULL AND NOT EXISTS (SELECT FROM @extschema@.snowid_horizon AS h WHERE h.generator = g.id)
    UNION ALL
    SELECT 'horizon', format('the horizon of generator %s is %s ahead of the clock, so it makes no ids yet', n.name, date_trunc('second', to_timestamp(max(h.horizon / 1e9)) - clock_timestamp())),
            'If the clock is wrong, correct it. If the horizon is wrong, because a clock was wrong or a row was changed by hand, see snowid_horizon_rewind.', 'error'
        FROM @extschema@.snowid_horizon AS h
            JOIN (SELECT id, name FROM @extschema@.snowid_generator WHERE name IS NOT NULL AND NOT backfill UNION ALL VALUES (0::bigint, 'default'), (-1, 'default of snos')) AS n ON n.id = h.generator
        WHERE h.horizon > (SELECT (extract(epoch FROM clock_timestamp() + 2 * drift) * 1e9)::bigint FROM drift) GROUP BY n.id, n.name
    UNION ALL
    SELECT 'generators', format('generator %s cannot make ids. %s', coalesce(g.name, '?'), f.fault), 'Change what is wrong with snowid_generator_alter, or drop it.', 'error'
        FROM @extschema@.snowid_generator AS g, LATERAL (SELECT CASE WHEN EXISTS (SELECT FROM @extschema@.snowid_layout) THEN _snowid.generator_fault(g) END AS fault) AS f
        WHERE g.name IS NOT NULL AND f.fault IS NOT NULL
    UNION ALL
    SELECT 'generators', format('generator %s refuses times that it may have been given before a restore or a failover, because its last ids may be lost', name),
            format('For such times, make another generator with another number. If it is certain that nothing was lost, run: SELECT %s(%L);', '@extschema@.snowid_generator_accept(text)'::regprocedure::regproc, name), 'warning'
        FROM @extschema@.snowid_generator WHERE name IS NOT NULL AND backfill AND _snowid.may_have_lost(id)
    UNION ALL
    SELECT 'generators', format('only superusers can use generator %s, because the roles that it was granted to are gone', name), format('Drop it; or run: SELECT %s(%L, ''...'');', '@extschema@.snowid_generator_grant(text,name)'::regprocedure::regproc, name), 'warning'
        FROM @extschema@.snowid_generator WHERE name IS NOT NULL AND restricted
            AND NOT EXISTS (SELECT FROM @extschema@.snowid_granted JOIN pg_catalog.pg_roles ON rolname = role WHERE generator = name)
    UNION ALL
    SELECT 'generators', format('this database is a template with %s named generators, so databases made from it make the same ids', count(*)), 'Drop them here, or run: ALTER DATABASE ... IS_TEMPLATE false.', 'warning'
        FROM @extschema@.snowid_generator JOIN pg_catalog.pg_database ON datname = current_database() AND datistemplate WHERE name IS NOT NULL HAVING count(*) > 0
    UNION ALL
    SELECT 'update', format('the extension has version %s in this database, but the library has version %s', extversion, v.version), 'Restart the server if the library was installed after its last start; then run: ALTER EXTENSION snowid UPDATE;', 'warning'
        FROM pg_catalog.pg_extension, _snowid.library_version() AS v (version) WHERE extname = 'snowid' AND extversion <> v.version
    UNION ALL
    SELECT 'functions', format('the function %s is %s, so a query may use one id for many rows', p.oid::regprocedure, CASE provolatile WHEN 's' THEN 'stable' ELSE 'immutable' END), format('As a superuser, run: ALTER FUNCTION %s VOLATILE;', p.oid::regprocedure), 'error'
        FROM pg_catalog.pg_extension AS e JOIN pg_catalog.pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e' AND d.classid = 'pg_proc'::regclass
            JOIN pg_catalog.pg_proc AS p ON p.oid = d.objid
        WHERE extname = 'snowid' AND proname ~ '^[a-z0-9]+_(next|next_batch|at)$' AND provolatile <> 'v';
END;
COMMENT ON FUNCTION _snowid.check_tables() IS 'the part of snowid_check() about the extension''s tables, functions and version';
