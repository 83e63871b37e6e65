
-- what is wrong with the settings ----------------------------------------------------

-- The view is for superusers. It has what the files say, and not what the server has taken from them.
CREATE FUNCTION _snowid.file_settings(OUT name text, OUT setting text, OUT place text, OUT file text, OUT seqno integer, OUT error text) RETURNS SETOF record
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL RESTRICTED ROWS 20 SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT f.name, f.setting, format('%s, line %s', sourcefile, sourceline), sourcefile, f.seqno, f.error
        FROM pg_catalog.pg_file_settings AS f
        WHERE f.name LIKE 'snowid.%' OR f.name = 'shared_preload_libraries' OR f.error IS NOT NULL AND (f.name IS NULL OR f.name NOT LIKE '%.%');
END;
COMMENT ON FUNCTION _snowid.file_settings() IS 'what the configuration files say of snowid, and what in them stops a start';
REVOKE EXECUTE ON FUNCTION _snowid.file_settings() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION _snowid.file_settings() TO pg_monitor;

CREATE FUNCTION _snowid.check_settings(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 8
BEGIN ATOMIC
    WITH known AS (SELECT name, setting, source, pending_restart FROM pg_catalog.pg_settings),
        entry AS (SELECT f.*, row_number() OVER (PARTITION BY name ORDER BY seqno DESC) AS nth FROM _snowid.file_settings() AS f),
        last AS (SELECT * FROM entry WHERE nth = 1 AND name IS NOT NULL),
        state AS (SELECT layout FROM _snowid.state()),
        -- the layout of the next start
        next_layout AS (SELECT k.source, coalesce(l.setting, 'default') AS setting, l.place, _snowid.setting_fault(k.name, coalesce(l.setting, 'default'), '') AS fault
            FROM known AS k LEFT JOIN last AS l ON l.name = k.name WHERE k.name = 'snowid.layout' AND k.source <> 'command line'),
        looked_at AS (SELECT l.*, k.setting AS in_force, k.pending_restart, k.name IS NOT NULL AS is_known, _snowid.setting_fault(l.name, l.setting, n.setting) AS fault
            FROM last AS l LEFT JOIN known AS k ON k.name = l.name CROSS JOIN (SELECT coalesce(min(setting), 'default') AS setting FROM next_layout) AS n)
    SELECT 'settings', format('the configuration has an error: %s (%s)', error, place), 'Correct it. Until then no reload takes effect, and the next start fails.', 'error'
        FROM entry WHERE error IS NOT NULL AND name IS NULL
    UNION ALL
    SELECT 'settings', format('there is no setting %s (%s)', name, place),
            CASE WHEN name LIKE 'snowid.%' THEN 'Correct its name. The setting is not in force.' ELSE 'Correct its name. Until then no reload takes effect, and the next start fails.' END, 'error'
        FROM looked_at WHERE error IS NOT NULL AND NOT is_known
    UNION ALL
    SELECT 'settings', CASE WHEN error IS NULL THEN format('%s = %L does not fit the layout of the next start (%s)', name, setting, place) ELSE format('%s = %L cannot be used, so %L stays in force (%s)', name, setting, in_force, place) END || coalesce('. ' || fault, ''),
            CASE WHEN name IN ('snowid.worker_id', 'snowid.layout', 'snowid.sno_partition', 'snowid.directory') THEN 'Correct it and reload, or the next start fails.' ELSE 'Correct it and reload, or the next start takes the default.' END, 'error'
        FROM looked_at WHERE is_known AND name LIKE 'snowid.%'
            AND CASE WHEN name IN ('snowid.worker_id', 'snowid.layout') THEN fault IS NOT NULL ELSE error IS NOT NULL AND NOT pending_restart END
    UNION ALL
    SELECT 'settings', format('%s = %s takes effect only at the next start (%s)', name, setting, place), 'Restart the server, or take the change back.', 'note'
        FROM looked_at WHERE error IS NOT NULL AND name LIKE 'snowid.%' AND pending_restart AND name <> 'snowid.layout'
    UNION ALL
    SELECT 'layout', format('from its next start on, the server has the layout %s, not %s', n.setting, s.layout) || coalesce(format(' (%s)', place), ''),
            CASE WHEN c.layout = r.layout THEN 'Databases with another recorded layout then make no snowflakes.' ELSE format('This database then makes no snowflakes. Set snowid.layout to %L again.', r.layout) END,
            CASE WHEN c.layout = r.layout THEN 'warning' ELSE 'error' END
        FROM next_layout AS n CROSS JOIN state AS s CROSS JOIN LATERAL (SELECT CASE WHEN n.fault IS NULL THEN @extschema@.snowid_layout_canonical(n.setting) END AS layout) AS c
            LEFT JOIN (SELECT layout FROM @extschema@.snowid_layout ORDER BY recorded LIMIT 1) AS r ON true
        WHERE c.layout <> s.layout
    UNION ALL
    SELECT 'preload', format('from its next start on, the server does not load the library: shared_preload_libraries = %L (%s)', l.setting, l.place),
            CASE WHEN l.file LIKE '%postgresql.auto.conf' THEN format('ALTER SYSTEM SET shared_preload_libraries = %s;', (SELECT string_agg(quote_literal(name), ', ') FROM unnest(libraries || 'snowid'::text) AS name))
                ELSE format('Set shared_preload_libraries = %L.', array_to_string(libraries || 'snowid'::text, ',')) END, CASE WHEN current_setting('server_version_num')::int < 170000 THEN 'error' ELSE 'note' END
        -- a comma between double quotes belongs to a name
        FROM last AS l JOIN known AS k USING (name), LATERAL (SELECT array(SELECT trim('"' FROM m[1]) FROM regexp_matches(l.setting, '("[^"]*"|[^",[:space:]]+)', 'g') AS m) AS libraries) AS s
        WHERE name = 'shared_preload_libraries' AND k.source <> 'command line' AND k.setting ~ '\msnowid\M' AND NOT 'snowid' = ANY (libraries)
    UNION ALL
    SELECT 'settings', format('%s is %L in the file, but %L in the server (%s)', k.name, coalesce(l.setting, k.reset), k.setting, coalesce(l.place, 'it was removed')), 'Reload the configuration: SELECT pg_reload_conf();', 'warning'
        FROM (SELECT name, setting, source, CASE name WHEN 'snowid.directory' THEN '' ELSE '0' END AS reset FROM known) AS k LEFT JOIN last AS l USING (name)
        WHERE name IN ('snowid.worker_id', 'snowid.sno_partition', 'snowid.directory') AND k.source IN ('default', 'configuration file') AND l.error IS NULL
            AND (k.setting <> coalesce(l.setting, k.reset) OR (k.source = 'default') <> (l.name IS NULL))
    UNION ALL
    SELECT 'settings', format('%s = %L has no effect (%s): the command line says %L', name, l.setting, l.place, k.setting), 'Remove one of the two.', 'warning'
        FROM known AS k JOIN last AS l USING (name) WHERE name LIKE 'snowid.%' AND k.source = 'command line' AND l.setting <> k.setting
    UNION ALL
    SELECT 'settings', format('%s = %L has no effect (%s): %L does (%s)', name, e.setting, e.place, l.setting, l.place),
            CASE WHEN l.file LIKE '%postgresql.auto.conf' THEN format('Remove one of the two. ALTER SYSTEM RESET %s removes the second.', name) ELSE 'Remove one of the two.' END, 'warning'
        FROM entry AS e JOIN last AS l USING (name) WHERE name LIKE 'snowid.%' AND e.nth > 1 AND e.setting <> l.setting
    UNION ALL
    SELECT 'settings', format('%s is %s, so a crash of the machine can lose what keeps ids unique', name, setting), format('Set %s = %s, and reload.', name, CASE setting WHEN 'on' THEN 'off' ELSE 'on' END), 'warning'
        FROM known WHERE (name, setting) IN (('fsync', 'off'), ('full_page_writes', 'off'), ('zero_damaged_pages', 'on'), ('ignore_checksum_failure', 'on'))
    UNION ALL
    SELECT 'reserve', 'snowid.reserve is more than snowid.clock_drift, so the latter is used', 'Set snowid.reserve to no more than snowid.clock_drift.', 'note'
        FROM known AS r, known AS d WHERE r.name = 'snowid.reserve' AND d.name = 'snowid.clock_drift' AND r.setting::bigint > d.setting::bigint;
END;
COMMENT ON FUNCTION _snowid.check_settings() IS 'the part of snowid_check() about settings and the files that hold them';
