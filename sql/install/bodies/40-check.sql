
-- what is wrong with a set-up ---------------------------------------------------
-- A check is a function of findings, _snowid.check_..., and a line here. Findings come in this order.
-- What costs much and is looked at by many checks is read once, and passed to them.

CREATE FUNCTION _snowid.checks(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 8
BEGIN ATOMIC
    WITH read AS MATERIALIZED (SELECT _snowid.stat_of_checks() AS stat)
    SELECT * FROM _snowid.check_preload()
    UNION ALL SELECT * FROM _snowid.check_start()
    UNION ALL SELECT * FROM _snowid.check_number_waits()
    UNION ALL SELECT found.* FROM read, _snowid.check_number_unset(stat) AS found
    UNION ALL SELECT * FROM _snowid.check_number_held()
    UNION ALL SELECT * FROM _snowid.check_copy()
    UNION ALL SELECT * FROM _snowid.check_directory_lease()
    UNION ALL SELECT * FROM _snowid.check_directory_clock()
    UNION ALL SELECT * FROM _snowid.check_directory_numbers()
    UNION ALL SELECT * FROM _snowid.check_directory_settings()
    UNION ALL SELECT found.* FROM read, _snowid.check_layout_of_server(stat) AS found
    UNION ALL SELECT found.* FROM read, _snowid.check_end_of_time(stat) AS found
    UNION ALL SELECT found.* FROM read, _snowid.check_clock_steps(stat) AS found
    UNION ALL SELECT found.* FROM read, _snowid.check_ahead_of_clock(stat) AS found
    UNION ALL SELECT * FROM _snowid.check_time_service()
    UNION ALL SELECT found.* FROM read, _snowid.check_refusals(stat) AS found
    UNION ALL SELECT found.* FROM read, _snowid.check_room(stat) AS found
    UNION ALL SELECT found.* FROM read, _snowid.check_overflow(stat) AS found
    UNION ALL SELECT found.* FROM read, _snowid.check_overlap(stat) AS found
    UNION ALL SELECT * FROM _snowid.check_publications()
    UNION ALL SELECT * FROM _snowid.check_seal_publications()
    UNION ALL SELECT * FROM _snowid.check_subscriptions()
    UNION ALL SELECT * FROM _snowid.check_seal_key()
    UNION ALL SELECT * FROM _snowid.check_settings()
    UNION ALL SELECT * FROM _snowid.check_tables()
    UNION ALL SELECT * FROM _snowid.check_use()
    UNION ALL SELECT * FROM _snowid.check_partitions_ahead()
    UNION ALL SELECT * FROM _snowid.check_partitions_layout()
    UNION ALL SELECT * FROM _snowid.check_partitions_maintained()
    UNION ALL SELECT * FROM _snowid.check_partitions_rest();
END;
COMMENT ON FUNCTION _snowid.checks() IS 'what snowid_check() shows while nobody holds a lock that it would wait for';

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
        RETURN QUERY SELECT * FROM _snowid.checks();
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.snowid_check() IS 'what is wrong with this set-up and what to do about it; no rows if nothing is wrong; for members of pg_monitor';
