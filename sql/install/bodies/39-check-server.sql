
-- what is wrong with the server --------------------------------------------------

-- Whether this server loaded the library when it started.
CREATE FUNCTION _snowid.is_preloaded() RETURNS boolean
    LANGUAGE sql STABLE PARALLEL RESTRICTED
BEGIN ATOMIC
    SELECT EXISTS (SELECT FROM regexp_split_to_table(current_setting('shared_preload_libraries'), '\s*,\s*') AS library
        WHERE trim('"' FROM library) = 'snowid');
END;

CREATE FUNCTION _snowid.check_preload(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    SELECT 'preload',
            'snowflakes and snos cannot be made, because the library is not loaded when the server starts',
            format('Set shared_preload_libraries = %L in postgresql.conf and restart the server.',
                concat_ws(',', nullif(current_setting('shared_preload_libraries'), ''), 'snowid')),
            'error'
        WHERE NOT _snowid.is_preloaded() AND current_setting('server_version_num')::int < 170000
    UNION ALL
    SELECT 'preload',
            format('the default of %s spreads no ids, because the library is not loaded when the server starts', what),
            format('Set shared_preload_libraries = %L in postgresql.conf and restart the server.',
                concat_ws(',', nullif(current_setting('shared_preload_libraries'), ''), 'snowid')),
            'note'
        FROM _snowid.default_callers(ARRAY['@extschema@.uuidv7_spread()'::regprocedure::oid,
            '@extschema@.ulid_spread()'::regprocedure])
        WHERE NOT _snowid.is_preloaded();
END;

CREATE FUNCTION _snowid.check_start(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    SELECT 'start',
            'this server makes no snowflakes or snos, because no background worker has told it how far they had come '
                'before it started',
            'Raise max_worker_processes and restart the server. Snowid needs one. If there are enough, the log says '
                'why.',
            'error'
        WHERE _snowid.is_preloaded() AND NOT pg_is_in_recovery()
            AND (current_setting('max_worker_processes')::int
                    < 1 + (current_setting('max_logical_replication_workers')::int > 0)::int
                OR NOT EXISTS (SELECT FROM pg_catalog.pg_stat_activity WHERE backend_type = 'snowid'))
    UNION ALL
    SELECT 'start', found.finding, found.what_to_do, found.severity
        FROM _snowid.state() AS state JOIN LATERAL (VALUES
            ('failed', 'this server makes no snowflakes or snos, because how far they had come cannot be read'
                    || coalesce(format(' in database %s', state.database), ''),
                'The server''s log has the error. Repair or drop the database.',
                'error'),
            ('reading', 'this server is still reading how far ids had come before it started'
                    || coalesce(format(', and waits for database %s', state.database), ''),
                'If this goes on, the server''s log says why. '
                    'A session or a prepared transaction there may hold a lock on the extension''s tables.',
                'warning')) AS found (start, finding, what_to_do, severity) ON found.start = state.start;
END;

-- what is wrong with its numbers ---------------------------------------------------

-- The signs of other servers that may make ids, too.
-- What makes ids beside this server, if it does, so that they need a number that somebody chose.
CREATE FUNCTION _snowid.others_beside() RETURNS text[]
    LANGUAGE sql STABLE PARALLEL RESTRICTED
BEGIN ATOMIC
    SELECT array_remove(ARRAY[
        CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'citus') THEN 'Citus' END,
        CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_stat_subscription) THEN 'a subscription to another server' END,
        CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_publication) THEN 'a publication' END,
        CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_stat_replication)
            OR EXISTS (SELECT FROM pg_catalog.pg_replication_slots) THEN 'a server that follows this one' END,
        CASE WHEN pg_is_in_recovery() THEN 'a server that this one follows' END], NULL);
END;

CREATE FUNCTION _snowid.check_numbers(stat @extschema@.snowid_stat[], settings pg_catalog.pg_settings[],
        OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    -- A new number cannot take effect.
    SELECT number.name,
            format('the %s stays %s until all databases are read for %s', number.name, number.in_force, number.next)
                || coalesce(format(', and database %s cannot be', state.database), ''),
            'The server''s log has the error. Repair or drop the database.',
            'warning'
        FROM _snowid.numbers_of_server() AS number, _snowid.state() AS state
        WHERE number.holders IS NULL AND number.in_force <> number.next AND state.start = 'ready'
    UNION ALL
    -- Nobody has chosen a number.
    SELECT own.name,
            format('the %s is 0 because none is set', own.title)
                || coalesce(', beside ' || nullif(array_to_string(beside, ' and '), ''), ''),
            format('Set %s in postgresql.conf to a number that no other server has, and reload.', own.setting)
                || CASE beside WHEN '{}' THEN ' If this is to stay the only server, set it to 0 there.' ELSE '' END,
            CASE WHEN 'Citus' = ANY (beside) THEN 'error' WHEN beside <> '{}' THEN 'warning' ELSE 'note' END
        FROM _snowid.numbers_of_server() AS own
            JOIN unnest(settings) AS known ON known.name = own.setting AND known.source = 'default',
            LATERAL _snowid.others_beside() AS beside
        WHERE NOT EXISTS (SELECT FROM _snowid.worker() AS worker WHERE worker.source = 'directory')
            AND (own.scheme = 'snowflake'
                OR EXISTS (SELECT FROM unnest(stat) AS s
                    WHERE s.generator = 'default' AND s.scheme = own.scheme AND s.issued > 0))
    UNION ALL
    -- A generator has the server's number.
    (WITH held AS (
        SELECT number.*, number.in_force = number.next AS is_own, number.holder_count = 1 AS is_one
            FROM _snowid.numbers_of_server() AS number WHERE number.holders IS NOT NULL)
    SELECT name,
            CASE WHEN is_own AND is_one
                    THEN format('%s makes no ids, because it has the server''s own %s, %s', holders, name, next)
                WHEN is_own
                    THEN format('%s make no ids, because they have the server''s own %s, %s', holders, name, next)
                ELSE format('the %s stays %s, because %s %s %s', name, in_force, holders,
                    CASE WHEN is_one THEN 'has' ELSE 'have' END, next) END,
            CASE WHEN is_own
                    THEN format('Give the generator another %s with snowid_generator_alter, or change %s and reload.',
                        name, setting)
                ELSE format('Give the generator another %s with snowid_generator_alter, or drop it with '
                    'snowid_generator_drop, or change %s. Then reload. Or restart the server: at a start it takes its '
                    'number, and a generator that has the same one makes no ids.', name, setting) END,
            'error'
        FROM held)
    UNION ALL
    -- Another server may go on with the same data.
    SELECT 'copy',
            'this server''s data were copied or moved, and a server may still run on the original',
            format('If one does, give this server another snowid.worker_id and snowid.sno_partition, and its named '
                'generators other numbers. When they can no longer make the same ids, run as a superuser: SELECT '
                    '%s(now());',
                '@extschema@.snowid_horizon_advance(timestamptz, boolean)'::regprocedure::regproc),
            'warning'
        WHERE _snowid.is_copy()
            AND NOT EXISTS (SELECT FROM _snowid.worker() AS worker WHERE worker.source = 'directory');
END;

-- what is wrong between it and the directory --------------------------------------------

CREATE FUNCTION _snowid.check_directory(settings pg_catalog.pg_settings[],
        OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    SELECT 'directory', found.finding, found.what_to_do, found.severity
        FROM _snowid.worker() AS worker CROSS JOIN LATERAL (VALUES
            -- The directory gives this server no time.
            (state = 'none',
                'this server has no worker id, and makes no ids that need one' || coalesce('. ' || last_error, ''),
                'See the view snowid_worker, and snowid_directory.workers in the directory.',
                'error'),
            (state = 'held' AND renewed < clock_timestamp() - current_setting('snowid.directory_lease')::interval / 2,
                format('the directory has given this server no more time since %s', renewed),
                coalesce(last_error || '. ', '') || format('Without that, it makes no ids from %s on.', until),
                'error'),
            (twice IS NOT NULL,
                format('another server had the worker id %s of this server at the same time, until %s', twice,
                    twice_at),
                'Both may have made the same ids. Find them with script/fleet-report, and find out why the directory '
                    'has lost what it gave out. Then SELECT snowid_stat_reset(); ends this message.',
                'error'),
            -- Two clocks differ.
            (abs(extract(epoch FROM clock_difference)) > 1,
                format('this server''s clock is %s %s its directory''s', _snowid.in_words(clock_difference),
                    CASE WHEN clock_difference < interval '0' THEN 'behind' ELSE 'ahead of' END),
                'Correct the clock that is wrong. A server whose clock is far off gets no worker id at its next start.',
                'warning'),
            -- The directory has few numbers left.
            (4 * free_numbers < last - first + 1,
                format('the directory has only %s of %s worker ids left', free_numbers, last - first + 1),
                'Add some with snowid_directory.add(). Each start takes another one, and the old one is free again '
                    'after a lease. If the directory was just promoted or restored, it gives none out for some '
                    'minutes.',
                'warning'),
            -- Settings that do not fit a directory.
            (directory ~ '^(/|localhost:|127\.|::1:)',
                format('the directory is reached by %s, so a copy of this machine would be its own directory',
                    directory),
                'In snowid.directory, name its host as other machines know it.',
                'note'),
            (EXISTS (SELECT FROM unnest(settings) AS known
                    WHERE known.name = 'snowid.sno_partition' AND known.source <> 'default'),
                'snowid.sno_partition is set beside snowid.worker_id = directory, so the next start fails',
                'Remove it. The partition of snos is the directory''s number.',
                'error'),
            (current_setting('max_worker_processes')::int < 3,
                'there may be no room for the worker that asks the directory',
                'Raise max_worker_processes and restart the server. Snowid needs three.',
                'warning')) AS found (is_so, finding, what_to_do, severity)
        WHERE worker.source = 'directory' AND found.is_so
    UNION ALL
    SELECT 'directory',
            format('generator %s makes no ids, because only the directory can give out its number', generator.name),
            format('Give it a number outside %s to %s with snowid_generator_alter.', first, last),
            'error'
        FROM _snowid.worker() AS worker
            JOIN _snowid.generator AS generator
                ON coalesce(generator.worker, generator.partition) BETWEEN first AND last
        WHERE worker.source = 'directory' AND generator.name IS NOT NULL;
END;

-- Whoever checks must not run what somebody else has put in its place.
CREATE FUNCTION _snowid.check_directory_here(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE plpgsql VOLATILE PARALLEL RESTRICTED ROWS 1
    SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_namespace AS n
            JOIN pg_roles AS of_schema ON of_schema.oid = n.nspowner AND of_schema.rolsuper
            JOIN pg_proc AS p ON p.pronamespace = n.oid AND p.proname = 'check' AND p.pronargs = 0
            JOIN pg_roles AS of_function ON of_function.oid = p.proowner AND of_function.rolsuper
        WHERE n.nspname = 'snowid_directory') THEN
        RETURN QUERY SELECT found.* FROM snowid_directory.check() AS found;
    END IF;
END $$;

-- what is wrong with its generators, by the statistics -------------------------------------

CREATE FUNCTION _snowid.check_stat(stat @extschema@.snowid_stat[],
        OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    WITH own AS (  -- of this server and database
        SELECT s.*, concat(database || '.', generator, CASE WHEN generator = 'default' AND scheme = 'sno'
                    THEN ' of snos' END) AS called,
                generator = 'default' AND scheme = 'snowflake' AS is_first,
                current_setting('snowid.clock_drift', true)::interval AS drift,
                current_setting('snowid.reserve', true)::interval AS reserve
            FROM unnest(stat) AS s WHERE coalesce(database, current_database()) = current_database())
    -- This database has another layout than the server, or one that is about to end.
    SELECT 'layout',
            format('this database''s layout %s is not the server''s, %s, so it makes no snowflakes here',
                recorded, layout),
            'Set snowid.layout to the database''s layout and restart the server, or change the record with '
                'snowid_layout_change.',
            'error'
        FROM own, _snowid.recorded_layout() AS recorded WHERE is_first AND layout <> recorded
    UNION ALL
    SELECT 'layout',
            format('the time of generator %s runs out at %s', called, ends_at),
            'Plan the move to another kind of key in good time: CREATE EXTENSION snowid_convert. Where this '
                'layout fills the bigint, ids of another layout cannot come after its last one.',
            CASE WHEN ends_at < now() THEN 'error' WHEN ends_at < now() + interval '2 years' THEN 'warning'
                ELSE 'note' END
        FROM own WHERE ends_at < now() + interval '5 years'
    UNION ALL
    -- The clock steps back, or ids are ahead of it.
    SELECT 'clock',
            format('the clock has stepped back %s, by %s at most', _snowid.counted(clock_regressions, 'time'),
                _snowid.in_words(max_regression)),
            'Let the time service slew the clock instead of stepping it. snowid_stat_reset() sets the counters '
                'to zero.',
            'warning'
        FROM own WHERE is_first AND clock_regressions > 0
    UNION ALL
    SELECT 'clock',
            format('ids of generator %s are dated %s ahead of the clock', called, _snowid.in_words(ahead))
                || CASE WHEN ahead > drift THEN ', and refused until the clock gets there' ELSE '' END,
            'If the clock is wrong, correct it. Ids go on above the last one. If the clock was once ahead and '
                'was believed, see snowid_horizon_rewind, or for given times snowid_generator_rewind.',
            CASE WHEN ahead > drift THEN 'error' ELSE 'warning' END
        FROM own
        WHERE ahead > drift OR ahead > greatest(reserve, drift / 2) AND (clock_regressions > 0 OR overflows > 0)
    UNION ALL
    -- Ids were refused.
    SELECT 'refusals',
            format('generator %s has refused %s', called, _snowid.counted(refusals, 'id')),
            'The server''s log says why. Once that is fixed, SELECT snowid_stat_reset(); sets the counters to '
                'zero.',
            'error'
        FROM own WHERE refusals > 0
    UNION ALL
    -- Callers wait for the next tick.
    SELECT 'overflow',
            format('callers of generator %s have waited %s in total since %s, because a tick had no id left',
                called, wait_time, stats_reset),
            'Give the busiest table its own generator, or use a layout with more sequence bits. '
                'snowid_stat_reset() sets the counters to zero.',
            'note'
        FROM own WHERE overflows > 0 AND wait_time > greatest(interval '1 s', (now() - stats_reset) / 100)
    UNION ALL
    -- Two generators could make the same ids.
    SELECT 'overlap',
            format('generator %s of %s could make the same ids as %s', called, scheme,
                array_to_string(overlapping, ', ') || CASE WHEN overlap_count > cardinality(overlapping)
                    THEN format(' and %s more', overlap_count - cardinality(overlapping)) ELSE '' END),
            'This is fine if their ids never meet in one table. If they may, give it its own worker, partition '
                'or sequence numbers.',
            'warning'
        FROM own WHERE generator <> 'default' AND overlap_count > 0
    UNION ALL
    -- The clock leaps, or nothing keeps it right.
    SELECT 'clock',
            format('the clock has leapt forward by %s and nobody has accepted that, so ids are refused',
                _snowid.in_words(leap)),
            'If the clock is right, run as a superuser: SELECT snowid_clock_accept(); if not, correct it.',
            'error'
        FROM _snowid.state() WHERE leap IS NOT NULL
    UNION ALL
    SELECT 'clock',
            'the kernel knows no time service that keeps this machine''s clock right',
            'Run chrony, ntpd or systemd-timesyncd. If something else keeps the clock right, as on some virtual '
                'machines, there is nothing to do.',
            'note'
        FROM _snowid.state() WHERE NOT synchronised;
END;

-- How many named generators of one database can be in use.
CREATE FUNCTION _snowid.room_of_database() RETURNS integer
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN own >= 0 THEN least(own, server) ELSE greatest(server - 16, (server + 1) / 2) END
        FROM current_setting('snowid.max_generators', true) AS of_server,
            current_setting('snowid.max_generators_per_database', true) AS of_database,
            LATERAL (SELECT of_server::int AS server, of_database::int AS own) AS number;
END;

-- Without a record of the layout no snowflake has a time.
CREATE FUNCTION _snowid.check_safe_horizon(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    SELECT 'safe horizon',
            format('%s has held the safe horizon of %s for %s, so pollers get no new rows',
                CASE WHEN holder.pid IS NULL THEN format('the prepared transaction %L', holder.gid)
                    ELSE format('process %s, which is %s,', holder.pid, coalesce(session.state, 'active')) END,
                coalesce('generator ' || holder.generator, 'all generators'),
                _snowid.in_words(clock_timestamp() - holder."time")),
            CASE WHEN holder.pid IS NULL THEN format('In this database, run COMMIT PREPARED %L; or ROLLBACK PREPARED '
                    '%1$L; as its coordinator says.', holder.gid)
                ELSE format('If it does not end soon, run: SELECT pg_terminate_backend(%s);', holder.pid) END,
            CASE WHEN holder.pid IS NOT NULL AND session.state = 'active' THEN 'note' ELSE 'warning' END
        FROM (SELECT DISTINCT ON (generator) * FROM @extschema@.snowid_holders ORDER BY generator, "time") AS holder
            LEFT JOIN pg_catalog.pg_stat_activity AS session ON session.pid = holder.pid
        WHERE EXISTS (SELECT FROM _snowid.layout)
            AND holder."time" < clock_timestamp() - interval '1 min';
END;

CREATE FUNCTION _snowid.check_generators_in_use(stat @extschema@.snowid_stat[],
        OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    -- There is little room for named generators.
    SELECT 'generators',
            format('%s of %s named generators that this server has room for are in use', count(*), room),
            'If all are in use, the next one makes no ids. Raise snowid.max_generators and restart the server, or drop '
                'some that are not needed.',
            'warning'
        FROM current_setting('snowid.max_generators', true) AS room, unnest(stat)
        WHERE database IS NOT NULL GROUP BY room HAVING count(*) >= 0.5 * room::int
    UNION ALL
    SELECT 'generators',
            format('%s of %s named generators that database %s has room for are in use', count(*), room, database),
            'If all are in use, the next one makes no ids. Raise snowid.max_generators_per_database and reload, or '
                'drop some that are not needed.',
            'warning'
        FROM _snowid.room_of_database() AS room, unnest(stat)
        WHERE database IS NOT NULL GROUP BY room, database HAVING count(*) >= 0.5 * room
    UNION ALL
    SELECT 'generators',
            format('this database has %s on record, and room for %s', _snowid.counted(count(*), 'named generator'),
                room),
            'If all the room is in use, the next one makes no ids. Raise snowid.max_generators, or '
                'snowid.max_generators_per_database.',
            CASE room WHEN 0 THEN 'error' ELSE 'note' END
        FROM _snowid.room_of_database() AS room, _snowid.generator
        WHERE name IS NOT NULL GROUP BY room HAVING count(*) > room;
END;

-- what others may receive, or have lost ----------------------------------------------

-- The tables of the extension that publications send.
CREATE FUNCTION _snowid.published(OUT publication name, OUT for_all_tables boolean, OUT relation regclass)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
    SELECT publication.pubname, publication.puballtables, relation.oid::regclass
        FROM pg_catalog.pg_publication_tables AS published
            JOIN pg_catalog.pg_namespace AS namespace ON namespace.nspname = published.schemaname
            JOIN pg_catalog.pg_class AS relation
                ON relation.relnamespace = namespace.oid AND relation.relname = published.tablename
            JOIN pg_catalog.pg_publication AS publication ON publication.pubname = published.pubname
        WHERE relation.oid IN ('_snowid.generator'::regclass, '_snowid.horizon'::regclass,
            '_snowid.layout'::regclass, '_snowid.seal_key'::regclass);
END;

CREATE FUNCTION _snowid.check_replication(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    -- Others receive this server's generators.
    SELECT 'replication',
            format('publication %s sends tables that belong to this server''s generators: %s', publication,
                string_agg(relation::text, ', ' ORDER BY relation::text COLLATE "C")),
            CASE WHEN for_all_tables
                    THEN 'In one transaction, drop it and create it again FOR TABLE or FOR TABLES IN SCHEMA with your '
                        'own tables. Then run ALTER SUBSCRIPTION ... REFRESH PUBLICATION on the subscriber.'
                ELSE 'Let it publish only your own tables or schemas.' END
                || ' A subscriber with the extension drops these rows.',
            'note'
        FROM _snowid.published() WHERE relation <> '_snowid.seal_key'::regclass
        GROUP BY publication, for_all_tables
    UNION ALL
    -- Others receive the keys of sealed ids.
    SELECT 'seal',
            format('publication %s sends the keys of sealed ids to a subscriber that copies all tables', publication),
            'Let it publish only your own tables or schemas. Replace keys that a subscriber may have got with '
                'snowid_seal_key_create and snowid_seal_key_use.',
            'warning'
        FROM _snowid.published() WHERE relation = '_snowid.seal_key'::regclass AND _snowid.has_seal_key()
    UNION ALL
    -- This server receives others' generators.
    SELECT 'replication',
            format('subscription %s receives tables that belong to another server''s generators', subscription.subname),
            'Their rows are dropped. Take them out of the publication as snowid_check() says there, and run ALTER '
                'SUBSCRIPTION ... REFRESH PUBLICATION here.',
            'note'
        FROM pg_catalog.pg_subscription_rel AS received
            JOIN pg_catalog.pg_subscription AS subscription ON subscription.oid = received.srsubid
        WHERE received.srrelid = '_snowid.generator'::regclass
    UNION ALL
    -- Ids cannot be sealed.
    SELECT 'seal',
            format('roles may use %s, but this database has no key for sealed ids',
                string_agg(DISTINCT function.oid::regprocedure::text, ' and ')),
            format('If it was restored from a dump, run SELECT %s(number, file) with the key that its links were made '
                'with. If not, make one.', '@extschema@.snowid_seal_key_create(integer,text)'::regprocedure::regproc),
            'warning'
        FROM pg_catalog.pg_proc AS function, aclexplode(function.proacl) AS granted
        WHERE function.oid IN ('@extschema@.id_seal(bigint,text,integer)'::regprocedure,
                '@extschema@.id_unseal(text,text)'::regprocedure)
            AND granted.grantee <> function.proowner AND NOT granted.is_grantable AND NOT _snowid.has_seal_key()
        HAVING count(*) > 0;
END;
