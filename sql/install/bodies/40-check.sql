
-- what is wrong with a set-up ---------------------------------------------------

CREATE FUNCTION _snowid.check_all(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 8
BEGIN ATOMIC
    WITH setting AS (SELECT name, setting, source, pending_restart FROM pg_catalog.pg_settings),
        preloaded AS (SELECT nullif(setting, '') AS libraries FROM setting WHERE name = 'shared_preload_libraries'),
        loaded AS (SELECT EXISTS (SELECT FROM preloaded, regexp_split_to_table(libraries, '\s*,\s*') AS l WHERE trim('"' FROM l) = 'snowid') AS is),
        fleet AS (SELECT w.* FROM _snowid.worker() AS w WHERE w.source = 'directory'),
        lease AS (SELECT setting::int * interval '1 ms' AS lease FROM setting WHERE name = 'snowid.directory_lease'),
        room_of_database AS (SELECT CASE WHEN own.setting::int >= 0 THEN least(own.setting::int, m.n) ELSE greatest(m.n - 16, (m.n + 1) / 2) END AS room
            FROM setting AS own, (SELECT setting::int AS n FROM setting WHERE name = 'snowid.max_generators') AS m WHERE own.name = 'snowid.max_generators_per_database'),
        room_of_time AS (SELECT max(setting::int) FILTER (WHERE name = 'snowid.clock_drift') * interval '1 ms' AS drift, max(setting::int) FILTER (WHERE name = 'snowid.reserve') * interval '1 ms' AS reserve
            FROM setting WHERE name IN ('snowid.clock_drift', 'snowid.reserve')),
        state AS (SELECT * FROM _snowid.state()),
        of_server AS (SELECT * FROM @extschema@.snowid_stat()),
        generators AS (SELECT *, coalesce(database || '.', '') || generator AS known_as FROM of_server WHERE database IS NULL OR database = current_database())
    SELECT 'preload', 'snowflakes and snos cannot be generated, because the library is not loaded when the server starts',
            format('Set shared_preload_libraries = %L in postgresql.conf and restart the server.', concat_ws(',', libraries, 'snowid')), 'error'
        FROM preloaded, loaded WHERE NOT loaded.is AND current_setting('server_version_num')::int < 170000
    UNION ALL
    SELECT 'start', 'this server makes no snowflakes or snos, because no background worker has told it how far they had come before it started',
            'Raise max_worker_processes and restart the server. Snowid needs one. If there are enough, the log says why.', 'error'
        FROM loaded WHERE loaded.is AND NOT pg_is_in_recovery()
            AND (current_setting('max_worker_processes')::int < 1 + (current_setting('max_logical_replication_workers')::int > 0)::int
                OR NOT EXISTS (SELECT FROM pg_catalog.pg_stat_activity WHERE backend_type = 'snowid'))
    UNION ALL
    SELECT 'start', 'this server makes no snowflakes or snos, because how far they had come cannot be read' || coalesce(format(' in database %s', s.database), ''),
            CASE WHEN x.gid IS NULL THEN 'The server''s log has the error. Repair or drop the database.' ELSE format('A prepared transaction holds a lock. In the database %s, run: ROLLBACK PREPARED %L;', x.database, x.gid) END, 'error'
        FROM state AS s LEFT JOIN pg_catalog.pg_prepared_xacts AS x ON x.transaction = s.blocker WHERE s.start = 'failed'
    UNION ALL
    SELECT 'start', 'this server is still reading how far ids had come before it started' || coalesce(format(', and waits for database %s', database), ''),
            'If this goes on, the server''s log says why. Sessions that hold a lock on the extension''s tables there are ended after five seconds.', 'warning'
        FROM state WHERE start = 'reading'
    UNION ALL
    SELECT n.name, format('the %s stays %s until all databases are read for %s', n.name, n.in_force, n.next) || coalesce(format(', and database %s cannot be', state.database), ''),
            'The server''s log has the error. Repair or drop the database.', 'warning'
        FROM (SELECT own.name, s.* FROM (VALUES ('snowflake', 'worker'), ('sno', 'partition')) AS own (scheme, name), LATERAL _snowid.number_of_server(own.scheme) AS s) AS n, state
        WHERE n.holders IS NULL AND n.in_force <> n.next AND state.start = 'ready'
    UNION ALL
    SELECT own.subject, format('the %s is 0 because none is set', own.what) || coalesce(', beside ' || string_agg(beside, ' and ' ORDER BY n), ''),
            format('Set %s in postgresql.conf to a number that no other server has, and reload.', name)
                || CASE WHEN count(beside) = 0 THEN ' If this is to stay the only server, set it to 0 there.' ELSE '' END,
            CASE WHEN count(*) FILTER (WHERE beside = 'Citus') > 0 THEN 'error' WHEN count(beside) > 0 THEN 'warning' ELSE 'note' END
        FROM setting JOIN (VALUES ('snowid.worker_id', 'worker', 'worker id'), ('snowid.sno_partition', 'partition', 'partition of snos')) AS own (setting, subject, what)
            ON name = own.setting LEFT JOIN (SELECT 1 AS n, 'Citus' AS beside WHERE EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'citus')
            UNION ALL SELECT 2, 'a subscription to another server' WHERE EXISTS (SELECT FROM pg_catalog.pg_stat_subscription)
            UNION ALL SELECT 3, 'a publication' WHERE EXISTS (SELECT FROM pg_catalog.pg_publication)
            UNION ALL SELECT 4, 'a server that follows this one' WHERE EXISTS (SELECT FROM pg_catalog.pg_stat_replication) OR EXISTS (SELECT FROM pg_catalog.pg_replication_slots)
            UNION ALL SELECT 5, 'a server that this one follows' WHERE pg_is_in_recovery()) AS others ON true
        WHERE source = 'default' AND NOT EXISTS (SELECT FROM fleet) AND (own.subject = 'worker' OR EXISTS (SELECT FROM generators WHERE generator = 'default' AND scheme = 'sno' AND issued > 0))
        GROUP BY name, own.subject, own.what
    UNION ALL
    SELECT n.name, CASE WHEN n.in_force = n.next THEN format(CASE n.holder_count WHEN 1 THEN '%s makes no ids, because it has the server''s own %s, %s' ELSE '%s make no ids, because they have the server''s own %s, %s' END, n.holders, n.name, n.next)
                ELSE format(CASE n.holder_count WHEN 1 THEN 'the %s stays %s, because %s has %s' ELSE 'the %s stays %s, because %s have %s' END, n.name, n.in_force, n.holders, n.next) END,
            format(CASE WHEN n.in_force = n.next THEN 'Give the generator another %s with snowid_generator_alter, or change %s and reload.'
                ELSE 'Give the generator another %s with snowid_generator_alter, or drop it with snowid_generator_drop, or change %s. Then reload. Or restart the server: at a start it takes its number, and a generator that has the same one makes no ids.' END, n.name, n.setting), 'error'
        FROM (SELECT own.*, s.* FROM (VALUES ('snowflake', 'worker', 'snowid.worker_id'), ('sno', 'partition', 'snowid.sno_partition')) AS own (scheme, name, setting),
            LATERAL _snowid.number_of_server(own.scheme) AS s) AS n
        WHERE n.holders IS NOT NULL
    UNION ALL
    SELECT 'copy', 'this server''s data are a copy of another server''s, which may go on',
            'If it does, give this server another snowid.worker_id and snowid.sno_partition, and its named generators other numbers. '
                || format('When they can no longer make the same ids, run as a superuser: SELECT %s(now());', '@extschema@.snowid_horizon_advance(timestamptz, boolean)'::regprocedure::regproc), 'warning'
        WHERE _snowid.is_copy() AND NOT EXISTS (SELECT FROM fleet)
    UNION ALL
    SELECT 'directory', 'this server has no worker id, and makes no ids that need one' || coalesce('. ' || last_error, ''), 'See the view snowid_worker, and snowid_directory.workers in the directory.', 'error'
        FROM fleet WHERE state = 'none'
    UNION ALL
    SELECT 'directory', format('the directory has given this server no more time since %s', renewed), coalesce(last_error || '. ', '') || format('Without more, it makes no ids from %s on.', until), 'error'
        FROM fleet, lease WHERE state = 'held' AND renewed < clock_timestamp() - lease / 2
    UNION ALL
    SELECT 'directory', format('this server''s clock is %s ahead of its directory''s', clock_difference), 'Correct the clock that is wrong. A server whose clock is far off gets no worker id at its next start.', 'warning'
        FROM fleet WHERE abs(extract(epoch FROM clock_difference)) > 1
    UNION ALL
    SELECT 'directory', format('the directory has only %s of %s worker ids left', free_numbers, last - first + 1), 'Add some with snowid_directory.add(). Each start takes another one, and the old one is free again after a lease. If the directory was just promoted or restored, it gives none out for some minutes.', 'warning'
        FROM fleet WHERE 4 * free_numbers < last - first + 1
    UNION ALL
    SELECT 'directory', format('generator %s makes no ids, because only the directory can give out its number', g.name), format('Give it a number outside %s to %s with snowid_generator_alter.', first, last), 'error'
        FROM fleet JOIN @extschema@.snowid_generator AS g ON coalesce(g.worker, g.partition) BETWEEN first AND last WHERE g.name IS NOT NULL
    UNION ALL
    SELECT 'directory', format('the directory is reached by %s, so a copy of this machine would be its own directory', directory), 'In snowid.directory, name its host as other machines know it.', 'note'
        FROM fleet WHERE directory ~ '^(/|localhost:|127\.|::1:)'
    UNION ALL
    SELECT 'directory', 'snowid.sno_partition is set beside snowid.worker_id = directory, so the next start fails', 'Remove it. The partition of snos is the directory''s number.', 'error'
        FROM setting, fleet WHERE name = 'snowid.sno_partition' AND setting.source <> 'default'
    UNION ALL
    SELECT 'directory', 'there may be no room for the worker that asks the directory', 'Raise max_worker_processes and restart the server. Snowid needs three.', 'warning'
        FROM fleet WHERE current_setting('max_worker_processes')::int < 3
    UNION ALL
    SELECT 'layout', format('this database''s layout %s is not the server''s, %s, so it generates no snowflakes here', l.layout, g.layout),
            'Set snowid.layout to the database''s layout and restart the server, or change the record with snowid_layout_change.', 'error'
        FROM (SELECT layout FROM @extschema@.snowid_layout ORDER BY recorded LIMIT 1) AS l, generators AS g
        WHERE g.generator = 'default' AND g.scheme = 'snowflake' AND g.layout <> l.layout
    UNION ALL
    SELECT 'layout', format('the time of generator %s runs out at %s', known_as, ends_at), 'Plan the move to another kind of key in good time. Where this layout fills the bigint, ids of another layout cannot come after its last one.',
            CASE WHEN ends_at < now() THEN 'error' WHEN ends_at < now() + interval '2 years' THEN 'warning' ELSE 'note' END
        FROM generators WHERE ends_at < now() + interval '5 years'
    UNION ALL
    SELECT 'clock', format('the clock has stepped back %s times, by %s at most', clock_regressions, max_regression),
            'Let the time service slew the clock instead of stepping it. snowid_stat_reset() sets the counters to zero.', 'warning'
        FROM generators WHERE generator = 'default' AND scheme = 'snowflake' AND clock_regressions > 0
    UNION ALL
    SELECT 'clock', format('ids of generator %s are dated %s ahead of the clock', known_as, ahead) || CASE WHEN ahead > (SELECT drift FROM room_of_time) THEN ', and refused until the clock has come there' ELSE '' END,
            'If the clock is wrong, correct it. Ids go on above the last one. If the clock was once ahead and was believed, see snowid_horizon_rewind.',
            CASE WHEN ahead > (SELECT drift FROM room_of_time) THEN 'error' ELSE 'warning' END
        FROM generators
        WHERE ahead > (SELECT drift FROM room_of_time) OR ahead > (SELECT greatest(reserve, drift / 2) FROM room_of_time) AND (clock_regressions > 0 OR overflows > 0)
    UNION ALL
    SELECT 'clock', format('the clock has leapt forward by %s and nobody has accepted that, so ids are refused', leap), 'If the clock is right, run as a superuser: SELECT snowid_clock_accept(); if not, correct it.', 'error'
        FROM state WHERE leap IS NOT NULL
    UNION ALL
    SELECT 'clock', 'the kernel knows no time service that keeps this machine''s clock right', 'Run chrony, ntpd or systemd-timesyncd. If something else keeps the clock right, as on some virtual machines, there is nothing to do.', 'note'
        FROM state WHERE NOT synchronised
    UNION ALL
    SELECT 'refusals', format('generator %s has refused %s ids', known_as, refusals), 'The server''s log says why. When it is mended, SELECT snowid_stat_reset(); sets the counters to zero.', 'error'
        FROM generators WHERE refusals > 0
    UNION ALL
    SELECT 'generators', format('%s of %s named generators that this server has room for are in use', count(*), setting),
            'If all are in use, the next one makes no ids. Raise snowid.max_generators and restart the server, or drop some that are not needed.', 'warning'
        FROM setting, of_server AS g WHERE name = 'snowid.max_generators' AND g.database IS NOT NULL GROUP BY setting HAVING count(*) >= 0.5 * setting::int
    UNION ALL
    SELECT 'generators', format('%s of %s named generators that database %s has room for are in use', count(*), room, g.database),
            'If all are in use, the next one makes no ids. Raise snowid.max_generators_per_database and reload, or drop some that are not needed.', 'warning'
        FROM room_of_database, of_server AS g WHERE g.database IS NOT NULL GROUP BY room, g.database HAVING count(*) >= 0.5 * room
    UNION ALL
    SELECT 'generators', format('this database has %s named generators on record, and room for %s', count(*), room), 'If all the room is in use, the next one makes no ids. Raise snowid.max_generators, or snowid.max_generators_per_database.',
            CASE WHEN room = 0 THEN 'error' ELSE 'note' END
        FROM room_of_database, @extschema@.snowid_generator WHERE name IS NOT NULL GROUP BY room HAVING count(*) > room
    UNION ALL
    SELECT 'overflow', format('callers of generator %s have waited %s in total since %s, because a tick had no id left', known_as, wait_time, stats_reset),
            'Give the busiest table its own generator, or use a layout with more sequence bits. snowid_stat_reset() sets the counters to zero.', 'note'
        FROM generators WHERE overflows > 0 AND wait_time > greatest(interval '1 s', (now() - stats_reset) / 100)
    UNION ALL
    SELECT 'overlap', format('generator %s of %s could make the same ids as %s', known_as, scheme, array_to_string(overlapping, ', ')),
            'This is fine if their ids never meet in one table. If they may, give it its own worker, partition or sequence numbers.', 'warning'
        FROM generators WHERE generator <> 'default' AND overlapping <> '{}'
    UNION ALL
    SELECT 'replication', format('publication %s sends tables that belong to this server''s generators: %s', pubname, string_agg(tablename, ', ' ORDER BY tablename)),
            CASE WHEN puballtables THEN 'In one transaction, drop it and create it again FOR TABLE or FOR TABLES IN SCHEMA with your own tables. Then run ALTER SUBSCRIPTION ... REFRESH PUBLICATION on the subscriber.'
                ELSE 'Let it publish only your own tables or schemas.' END || ' From snowid 1.1.0 on, a subscriber drops these rows. An older one makes ids with the same workers.', 'note'
        FROM pg_catalog.pg_publication_tables JOIN pg_catalog.pg_namespace ON nspname = schemaname JOIN pg_catalog.pg_class AS c ON relnamespace = pg_namespace.oid AND relname = tablename
            JOIN pg_catalog.pg_publication USING (pubname)
        WHERE c.oid IN ('@extschema@.snowid_generator'::regclass, '@extschema@.snowid_horizon'::regclass, '@extschema@.snowid_layout'::regclass) GROUP BY pubname, puballtables
    UNION ALL
    SELECT 'seal', format('publication %s sends the keys of sealed ids to a subscriber that copies all tables', pubname),
            'Let it publish only your own tables or schemas. Replace keys that a subscriber may have got with snowid_seal_key_create and snowid_seal_key_use.', 'warning'
        FROM pg_catalog.pg_publication_tables JOIN pg_catalog.pg_namespace ON nspname = schemaname JOIN pg_catalog.pg_class AS c ON relnamespace = pg_namespace.oid AND relname = tablename
        WHERE c.oid = '@extschema@.snowid_seal_key'::regclass AND _snowid.has_seal_key()
    UNION ALL
    SELECT 'replication', format('subscription %s receives tables that belong to another server''s generators', subname),
            'Their rows are dropped, but were not before snowid 1.1.0. If a generator came that way, give it another worker or partition with snowid_generator_alter. Take snowid_generator out of the publication as snowid_check() says there, and run ALTER SUBSCRIPTION ... REFRESH PUBLICATION here.',
            CASE WHEN EXISTS (SELECT FROM @extschema@.snowid_generator WHERE name IS NOT NULL) THEN 'warning' ELSE 'note' END
        FROM pg_catalog.pg_subscription_rel JOIN pg_catalog.pg_subscription AS s ON s.oid = srsubid WHERE srrelid = '@extschema@.snowid_generator'::regclass
    UNION ALL
    SELECT 'seal', format('roles may use %s, but this database has no key for sealed ids', string_agg(DISTINCT p.oid::regprocedure::text, ' and ')),
            format('If it was restored from a dump, run SELECT %s(number, file) with the key that its links were made with. If not, make one.', '@extschema@.snowid_seal_key_create(integer,text)'::regprocedure::regproc), 'warning'
        FROM pg_catalog.pg_proc AS p, aclexplode(p.proacl) AS a
        WHERE p.oid IN ('@extschema@.id_seal(bigint,text,integer)'::regprocedure, '@extschema@.id_unseal(text,text)'::regprocedure) AND a.grantee <> p.proowner AND NOT a.is_grantable
            AND NOT _snowid.has_seal_key() HAVING count(*) > 0
    UNION ALL SELECT * FROM _snowid.check_settings()
    UNION ALL SELECT * FROM _snowid.check_tables()
    UNION ALL SELECT * FROM _snowid.check_use();
END;
COMMENT ON FUNCTION _snowid.check_all() IS 'what snowid_check() shows while nobody holds a lock that it would wait for';

CREATE FUNCTION @extschema@.snowid_check(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text) RETURNS SETOF record
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 8 AS $$
BEGIN
    RETURN QUERY SELECT 'schema', 'the schema _snowid has another name, so most functions of the extension are errors',
            pg_catalog.format('As a superuser, run: ALTER SCHEMA %I RENAME TO _snowid;', VARIADIC ARRAY[nspname::pg_catalog.text]), 'error'
        FROM pg_catalog.pg_namespace AS n JOIN pg_catalog.pg_depend AS d
            ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_namespace'::pg_catalog.regclass AND d.objid OPERATOR(pg_catalog.=) n.oid
            JOIN pg_catalog.pg_extension AS e
            ON d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.refobjid OPERATOR(pg_catalog.=) e.oid
        WHERE extname OPERATOR(pg_catalog.=) 'snowid'::pg_catalog.name AND d.deptype OPERATOR(pg_catalog.=) 'e'::pg_catalog."char"
            AND nspname OPERATOR(pg_catalog.<>) '_snowid'::pg_catalog.name;
    IF FOUND THEN
        RETURN;
    END IF;
    PERFORM _snowid.require_monitor('snowid_check()');
    RETURN QUERY SELECT * FROM _snowid.check_locks();
    IF NOT FOUND THEN
        RETURN QUERY SELECT * FROM _snowid.check_all();
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.snowid_check() IS 'what is wrong with this set-up and what to do about it; no rows if nothing is wrong; for members of pg_monitor';
