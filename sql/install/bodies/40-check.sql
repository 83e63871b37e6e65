
-- what is wrong with a set-up ---------------------------------------------------
-- A check is a SELECT in a function of findings, _snowid.check_.... Findings come in this order.
-- What costs much and is looked at by many checks is read once, and passed to them.

-- What snowid_check() shows while nobody holds a lock that it would wait for. The view of the statistics would say how
-- far the safe horizon lags behind, which is an error without a record of the layout.
CREATE FUNCTION _snowid.checks(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 8
BEGIN ATOMIC
    WITH read AS MATERIALIZED (
        SELECT files, (
                SELECT array_agg(ROW(own.*, NULL)::@extschema@.snowid_stat) FROM _snowid.stat() AS own) AS stat, (
                SELECT array_agg(known) FROM pg_catalog.pg_settings AS known
                    WHERE name LIKE 'snowid.%' OR name IN (SELECT entry.name FROM unnest(files) AS entry)) AS settings
            FROM _snowid.files_of_checks() AS files)
    SELECT * FROM _snowid.check_preload()
    UNION ALL SELECT * FROM _snowid.check_start()
    UNION ALL SELECT found.* FROM read, _snowid.check_numbers(stat, settings) AS found
    UNION ALL SELECT found.* FROM read, _snowid.check_directory(settings) AS found
    UNION ALL SELECT * FROM _snowid.check_directory_here()
    UNION ALL SELECT * FROM _snowid.check_nodes()
    UNION ALL SELECT found.* FROM read, _snowid.check_stat(stat) AS found
    UNION ALL SELECT found.* FROM read, _snowid.check_generators_in_use(stat) AS found
    UNION ALL SELECT * FROM _snowid.check_safe_horizon()
    UNION ALL SELECT * FROM _snowid.check_replication()
    UNION ALL SELECT found.* FROM read, _snowid.check_settings(files, settings) AS found
    UNION ALL SELECT * FROM _snowid.check_tables()
    UNION ALL SELECT * FROM _snowid.check_records()
    UNION ALL SELECT * FROM _snowid.check_extension()
    UNION ALL SELECT * FROM _snowid.check_functions()
    UNION ALL SELECT * FROM _snowid.check_defaults()
    UNION ALL SELECT * FROM _snowid.check_columns()
    UNION ALL SELECT * FROM _snowid.check_default_grants()
    UNION ALL SELECT * FROM _snowid.check_partitions()
    UNION ALL SELECT * FROM _snowid.check_uuidv7();
END;

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

-- What a coordinator of Citus asks of each of its nodes.
-- On a worker, which asks no others. What is of tables the coordinator finds, too, and once for all shards.
CREATE FUNCTION _snowid.check_of_node() RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL RESTRICTED
BEGIN ATOMIC
    SELECT _snowid.check_node() || jsonb_build_object('errors', ARRAY(
        SELECT to_jsonb(found) FROM @extschema@.snowid_check() AS found
            WHERE severity = 'error' AND subject NOT IN ('default', 'partitions')));
END;
