
-- what is wrong with a set-up ---------------------------------------------------
-- A check is a function of findings, _snowid.check_..., and a line here. Findings come in this order.
-- What costs much and is looked at by many checks is read once, and passed to them.

-- The extension's own tables and records.
CREATE FUNCTION _snowid.check_own(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    SELECT * FROM _snowid.check_tables()
    UNION ALL SELECT * FROM _snowid.check_triggers()
    UNION ALL SELECT * FROM _snowid.check_foreign_triggers()
    UNION ALL SELECT * FROM _snowid.check_indexes()
    UNION ALL SELECT * FROM _snowid.check_layout_record()
    UNION ALL SELECT * FROM _snowid.check_layout_rebuild()
    UNION ALL SELECT * FROM _snowid.check_horizon_records()
    UNION ALL SELECT * FROM _snowid.check_horizons_ahead()
    UNION ALL SELECT * FROM _snowid.check_generators()
    UNION ALL SELECT * FROM _snowid.check_lost_ids()
    UNION ALL SELECT * FROM _snowid.check_grants()
    UNION ALL SELECT * FROM _snowid.check_template()
    UNION ALL SELECT * FROM _snowid.check_version()
    UNION ALL SELECT * FROM _snowid.check_volatility();
END;
COMMENT ON FUNCTION _snowid.check_own()
    IS 'a part of snowid_check(): what is in the extension''s tables, and the extension itself';

-- What users have made around ids.
CREATE FUNCTION _snowid.check_uses(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    SELECT * FROM _snowid.check_wrappers()
    UNION ALL SELECT * FROM _snowid.check_search_paths()
    UNION ALL SELECT * FROM _snowid.check_rights()
    UNION ALL SELECT * FROM _snowid.check_defaults()
    UNION ALL SELECT * FROM _snowid.check_default_columns()
    UNION ALL SELECT * FROM _snowid.check_converted()
    UNION ALL SELECT * FROM _snowid.check_lengths()
    UNION ALL SELECT * FROM _snowid.check_limits()
    UNION ALL SELECT * FROM _snowid.check_default_grants()
    UNION ALL SELECT * FROM _snowid.check_references();
END;
COMMENT ON FUNCTION _snowid.check_uses()
    IS 'a part of snowid_check(): users'' tables, functions and rights';

CREATE FUNCTION _snowid.checks(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 8
BEGIN ATOMIC
    WITH read AS MATERIALIZED (SELECT _snowid.stat_of_checks() AS stat, files,
            _snowid.settings_of_checks(files) AS settings FROM _snowid.files_of_checks() AS files)
    SELECT * FROM _snowid.check_preload()
    UNION ALL SELECT * FROM _snowid.check_start()
    UNION ALL SELECT * FROM _snowid.check_number_waits()
    UNION ALL SELECT found.* FROM read, _snowid.check_number_unset(stat, settings) AS found
    UNION ALL SELECT * FROM _snowid.check_number_held()
    UNION ALL SELECT * FROM _snowid.check_copy()
    UNION ALL SELECT * FROM _snowid.check_directory_lease()
    UNION ALL SELECT * FROM _snowid.check_directory_clock()
    UNION ALL SELECT * FROM _snowid.check_directory_numbers()
    UNION ALL SELECT found.* FROM read, _snowid.check_directory_settings(settings) AS found
    UNION ALL SELECT * FROM _snowid.check_directory_here()
    UNION ALL SELECT * FROM _snowid.check_nodes()
    UNION ALL SELECT found.* FROM read, _snowid.check_layout_of_server(stat) AS found
    UNION ALL SELECT found.* FROM read, _snowid.check_end_of_time(stat) AS found
    UNION ALL SELECT found.* FROM read, _snowid.check_clock_steps(stat) AS found
    UNION ALL SELECT found.* FROM read, _snowid.check_ahead_of_clock(stat) AS found
    UNION ALL SELECT * FROM _snowid.check_time_service()
    UNION ALL SELECT found.* FROM read, _snowid.check_refusals(stat) AS found
    UNION ALL SELECT found.* FROM read, _snowid.check_room(stat) AS found
    UNION ALL SELECT found.* FROM read, _snowid.check_overflow(stat) AS found
    UNION ALL SELECT found.* FROM read, _snowid.check_overlap(stat) AS found
    UNION ALL SELECT * FROM _snowid.check_safe_horizon()
    UNION ALL SELECT * FROM _snowid.check_publications()
    UNION ALL SELECT * FROM _snowid.check_seal_publications()
    UNION ALL SELECT * FROM _snowid.check_subscriptions()
    UNION ALL SELECT * FROM _snowid.check_seal_key()
    UNION ALL SELECT found.* FROM read, _snowid.check_setting_files(files, settings) AS found
    UNION ALL SELECT found.* FROM read, _snowid.check_setting_values(files, settings) AS found
    UNION ALL SELECT found.* FROM read, _snowid.check_next_layout(files, settings) AS found
    UNION ALL SELECT found.* FROM read, _snowid.check_next_preload(files, settings) AS found
    UNION ALL SELECT found.* FROM read, _snowid.check_setting_conflicts(files, settings) AS found
    UNION ALL SELECT * FROM _snowid.check_unsafe_settings()
    UNION ALL SELECT * FROM _snowid.check_reserve()
    UNION ALL SELECT * FROM _snowid.check_own()
    UNION ALL SELECT * FROM _snowid.check_uses()
    UNION ALL SELECT * FROM _snowid.check_partitions_ahead()
    UNION ALL SELECT * FROM _snowid.check_partitions_layout()
    UNION ALL SELECT * FROM _snowid.check_partitions_maintained()
    UNION ALL SELECT * FROM _snowid.check_partitions_neglected()
    UNION ALL SELECT * FROM _snowid.check_partitions_rest()
    UNION ALL SELECT * FROM _snowid.check_uuidv7();
END;
COMMENT ON FUNCTION _snowid.checks() IS 'what snowid_check() shows while nobody holds a lock that it would wait for';

CREATE FUNCTION @extschema@.snowid_check(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 8
    SET jit = off  -- it would compile for seconds what runs for milliseconds
AS $$
BEGIN
    RETURN QUERY SELECT 'schema', 'the schema _snowid has been renamed, so most functions of the extension are errors',
            pg_catalog.format('As a superuser, run: ALTER SCHEMA %I RENAME TO _snowid;',
                VARIADIC ARRAY[namespace.nspname::pg_catalog.text]),
            'error'
        FROM pg_catalog.pg_namespace AS namespace
            JOIN pg_catalog.pg_depend AS member ON member.objid OPERATOR(pg_catalog.=) namespace.oid
                AND member.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_namespace'::pg_catalog.regclass
                AND member.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass
                AND member.deptype OPERATOR(pg_catalog.=) 'e'::pg_catalog."char"
            JOIN pg_catalog.pg_extension AS extension ON extension.oid OPERATOR(pg_catalog.=) member.refobjid
        WHERE extension.extname OPERATOR(pg_catalog.=) 'snowid'::pg_catalog.name
            AND namespace.nspname OPERATOR(pg_catalog.<>) '_snowid'::pg_catalog.name;
    IF FOUND THEN
        RETURN;
    END IF;
    PERFORM _snowid.require_monitor('snowid_check()');
    RETURN QUERY SELECT * FROM _snowid.check_names() UNION ALL SELECT * FROM _snowid.check_locks();
    IF NOT FOUND THEN
        RETURN QUERY SELECT * FROM _snowid.checks();
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.snowid_check()
    IS 'what is wrong with this set-up and what to do about it; for members of pg_monitor';

-- On a worker, which asks no others. What is of tables the coordinator finds, too, and once for all shards.
CREATE FUNCTION _snowid.check_of_node() RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL RESTRICTED
BEGIN ATOMIC
    SELECT _snowid.check_node() || jsonb_build_object('errors', ARRAY(
        SELECT to_jsonb(found) FROM @extschema@.snowid_check() AS found
            WHERE severity = 'error' AND subject NOT IN ('default', 'partitions')));
END;
COMMENT ON FUNCTION _snowid.check_of_node() IS 'what a coordinator of Citus asks of each of its nodes';
