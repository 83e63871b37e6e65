
-- what is wrong with the settings ----------------------------------------------------
-- Checks get what the files say, and what the server has taken from them.

-- An interval without its sign, for a message.
-- With a decimal where that says more.
CREATE FUNCTION _snowid.in_words(length interval) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN s < 120 THEN concat(trim_scale(round(s, 1)), ' s')
            WHEN s < 3570 THEN concat(round(s / 60), ' min')
            WHEN s < 171000 THEN concat(trim_scale(round(s / 3600, 1)), ' h')
            ELSE concat(trim_scale(round(s / 86400, 1)), ' days') END
        FROM (SELECT abs(extract(epoch FROM length))) AS in_seconds (s);
END;

-- A number of things, for a message.
CREATE FUNCTION _snowid.counted(number bigint, what text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('%s %s%s', number, what, CASE number WHEN 1 THEN '' ELSE 's' END);
END;

-- What the configuration files say of snowid, and what in them stops a start.
-- The view is for superusers.
CREATE FUNCTION _snowid.files_of_checks() RETURNS pg_catalog.pg_file_settings[]
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT array_agg(entry) FROM pg_catalog.pg_file_settings AS entry
        WHERE name LIKE 'snowid.%' OR name = 'shared_preload_libraries'
            OR error IS NOT NULL AND (name IS NULL OR name NOT LIKE '%.%');
END;

-- What the files say of each setting, or nothing, and what the server has taken.
-- Of several entries in the files the last one counts.
CREATE FUNCTION _snowid.configured(files pg_catalog.pg_file_settings[], settings pg_catalog.pg_settings[],
        OUT name text, OUT setting text, OUT place text, OUT file text, OUT seqno integer, OUT error text,
        OUT is_known boolean, OUT in_force text, OUT source text, OUT pending_restart boolean)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL SAFE ROWS 20
BEGIN ATOMIC
    WITH entry AS (
        SELECT DISTINCT ON (name) * FROM unnest(files) WHERE name IS NOT NULL ORDER BY name, seqno DESC)
    SELECT name, entry.setting,
            CASE WHEN entry.name IS NOT NULL THEN format('%s, line %s', entry.sourcefile, entry.sourceline) END,
            entry.sourcefile, entry.seqno, entry.error, known.name IS NOT NULL, known.setting, known.source,
            known.pending_restart
        FROM entry FULL JOIN unnest(settings) AS known USING (name) ORDER BY name;
END;

CREATE FUNCTION _snowid.check_settings(files pg_catalog.pg_file_settings[], settings pg_catalog.pg_settings[],
        OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    -- Files that cannot be read, and names of no setting.
    SELECT 'settings',
            format('the configuration has an error: %s (%s, line %s)', error, sourcefile, sourceline),
            'Correct it. Until then no reload takes effect, and the next start fails.',
            'error'
        FROM unnest(files) WHERE error IS NOT NULL AND name IS NULL
    UNION ALL
    SELECT 'settings',
            format('there is no setting %s (%s)', name, place),
            CASE WHEN name LIKE 'snowid.%' THEN 'Correct its name. The setting is not in force.'
                ELSE 'Correct its name. Until then no reload takes effect, and the next start fails.' END,
            'error'
        FROM _snowid.configured(files, settings) WHERE error IS NOT NULL AND NOT is_known
    UNION ALL
    -- Values that cannot be used, or not yet.
    (WITH configured AS (SELECT * FROM _snowid.configured(files, settings) WHERE name LIKE 'snowid.%' AND is_known),
        next_layout AS (
            SELECT coalesce(max(setting), 'default') AS setting FROM configured
                WHERE name = 'snowid.layout' AND source <> 'command line'),
        looked_at AS (
            SELECT configured.*, _snowid.setting_fault(name, configured.setting, next_layout.setting) AS fault
                FROM configured, next_layout WHERE configured.setting IS NOT NULL)
    SELECT 'settings',
            CASE WHEN error IS NULL
                    THEN format('%s = %L does not fit the layout of the next start (%s)', name, setting, place)
                ELSE format('%s = %L cannot be used, so %L stays in force (%s)', name, setting, in_force, place) END
                || coalesce('. ' || fault, ''),
            CASE WHEN name IN ('snowid.worker_id', 'snowid.layout', 'snowid.sno_partition', 'snowid.directory')
                    THEN 'Correct it and reload, or the next start fails.'
                ELSE 'Correct it and reload, or the next start takes the default.' END,
            'error'
        FROM looked_at
        WHERE CASE WHEN name IN ('snowid.worker_id', 'snowid.layout') THEN fault IS NOT NULL
            ELSE error IS NOT NULL AND NOT pending_restart END
    UNION ALL
    SELECT 'settings',
            format('%s = %s takes effect only at the next start (%s)', name, setting, place),
            'Restart the server, or take the change back.',
            'note'
        FROM looked_at WHERE error IS NOT NULL AND pending_restart AND name <> 'snowid.layout')
    UNION ALL
    -- The next start changes the layout.
    (WITH next AS (
        SELECT coalesce(setting, 'default') AS setting, coalesce(format(' (%s)', place), '') AS in_place
            FROM _snowid.configured(files, settings)
            WHERE name = 'snowid.layout' AND source <> 'command line'),
        canonical AS (
            SELECT next.*, _snowid.recorded_layout() AS recorded,
                    CASE WHEN _snowid.setting_fault('snowid.layout', setting, '') IS NULL
                        THEN @extschema@.snowid_layout_canonical(setting) END AS layout
                FROM next)
    SELECT 'layout',
            format('from its next start on, the server has the layout %s, not %s', next.setting, state.layout)
                || in_place,
            CASE WHEN next.layout = recorded THEN 'Databases with another recorded layout then make no snowflakes.'
                ELSE format('This database then makes no snowflakes. Set snowid.layout to %L again.', recorded) END,
            CASE WHEN next.layout = recorded THEN 'warning' ELSE 'error' END
        FROM canonical AS next, _snowid.state() AS state WHERE next.layout <> state.layout)
    UNION ALL
    -- The next start does not load the library.
    (WITH next AS (
        -- a comma between double quotes belongs to a name
        SELECT setting, place, file, array(SELECT trim('"' FROM library[1])
                    FROM regexp_matches(setting, '("[^"]*"|[^",[:space:]]+)', 'g') AS library) AS libraries
            FROM _snowid.configured(files, settings)
            WHERE name = 'shared_preload_libraries' AND source <> 'command line' AND in_force ~ '\msnowid\M'
                AND setting IS NOT NULL),
        mended AS (SELECT *, libraries || 'snowid'::text AS with_ours FROM next WHERE NOT 'snowid' = ANY (libraries))
    SELECT 'preload',
            format('from its next start on, the server does not load the library: shared_preload_libraries = %L (%s)',
                setting, place),
            CASE WHEN file LIKE '%postgresql.auto.conf'
                    THEN format('ALTER SYSTEM SET shared_preload_libraries = %s;',
                        (SELECT string_agg(quote_literal(library), ', ') FROM unnest(with_ours) AS library))
                ELSE format('Set shared_preload_libraries = %L.', array_to_string(with_ours, ',')) END,
            CASE WHEN current_setting('server_version_num')::int < 170000 THEN 'error' ELSE 'note' END
        FROM mended)
    UNION ALL
    -- A setting has several values.
    (WITH configured AS (SELECT * FROM _snowid.configured(files, settings) WHERE name LIKE 'snowid.%'),
        taken_at_reload AS (
            SELECT *, coalesce(setting, CASE name WHEN 'snowid.directory' THEN '' ELSE '0' END) AS next
                FROM configured
                WHERE name IN ('snowid.worker_id', 'snowid.sno_partition', 'snowid.directory') AND error IS NULL
                    AND source IN ('default', 'configuration file'))
    SELECT 'settings',
            format('%s is %L in the file, but %L in the server (%s)', name, next, in_force,
                coalesce(place, 'it was removed')),
            'Reload the configuration: SELECT pg_reload_conf();',
            'warning'
        FROM taken_at_reload WHERE in_force <> next OR (source = 'default') <> (place IS NULL)
    UNION ALL
    SELECT 'settings',
            format('%s = %L has no effect (%s): the command line says %L', name, setting, place, in_force),
            'Remove one of the two.',
            'warning'
        FROM configured WHERE source = 'command line' AND setting <> in_force
    UNION ALL
    SELECT 'settings',
            format('%s = %L has no effect (%s, line %s): %L does (%s)', entry.name, entry.setting, entry.sourcefile,
                entry.sourceline, counts.setting, counts.place),
            CASE WHEN counts.file LIKE '%postgresql.auto.conf'
                    THEN format('Remove one of the two. ALTER SYSTEM RESET %s removes the second.', entry.name)
                ELSE 'Remove one of the two.' END,
            'warning'
        FROM unnest(files) AS entry JOIN configured AS counts ON counts.name = entry.name
        WHERE entry.seqno < counts.seqno AND entry.setting <> counts.setting)
    UNION ALL
    -- Settings that lose what was flushed.
    SELECT 'settings',
            format('%s is %s, so a crash of the machine can lose what keeps ids unique', name, unsafe),
            format('Set %s = %s, and reload.', name, safe),
            'warning'
        FROM (VALUES ('fsync', 'off', 'on'), ('full_page_writes', 'off', 'on'),
                ('ignore_checksum_failure', 'on', 'off'), ('zero_damaged_pages', 'on', 'off'))
                AS setting (name, unsafe, safe)
        WHERE current_setting(name) = unsafe
    UNION ALL
    -- A reserve that is not used.
    SELECT 'reserve',
            'snowid.reserve is more than snowid.clock_drift, so the latter is used',
            'Set snowid.reserve to no more than snowid.clock_drift.',
            'note'
        WHERE current_setting('snowid.reserve', true)::interval > current_setting('snowid.clock_drift', true)::interval;
END;
