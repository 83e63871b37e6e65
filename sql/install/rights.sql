
-- who may execute what is internal ----------------------------------------------
-- PUBLIC executes what a statement of a user executes: what stands behind types, operators and casts, what is called by
-- bodies that run as their caller, and what the planner adds to a query. PostgreSQL asks no rights for what it calls
-- itself, in a plan, an index or a trigger. Updates end with this as well.

DO $$
DECLARE
    f record;
    -- All that the extension snowid_convert uses of what is internal. convert/install/00-header.sql has the same list.
    of_conversions name[] := '{
            default_is_ours, drop_replicated, generator, public_schema, recorded_layout, require_owner,
            snowflake_encode, snowflake_lower_bound, snowflake_sequence, snowflake_type, snowflake_worker
        }';
BEGIN
    FOR f IN SELECT p.oid::regprocedure AS signature,
            proname ~ '^check|_of_checks$' OR proname IN ('configured', 'generator_fault', 'has_seal_key', 'in_words',
                'inserters', 'is_copy', 'is_preloaded', 'library_version', 'may_have_lost', 'metrics_of',
                'numbers_of_server', 'others_beside', 'partitioned', 'published', 'room_of_database', 'setting_fault',
                'stat_rows', 'state', 'worker') AS is_of_monitor
        FROM pg_depend AS d JOIN pg_extension AS e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
            JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND objid = p.oid
        WHERE extname = 'snowid' AND deptype = 'e' AND pronamespace = '_snowid'::regnamespace
            AND proname NOT LIKE '%\_or\_null' AND proname !~ '^time_(earliest|latest)$'
            AND ('internal'::regtype = ANY (proargtypes) OR prorettype IN ('internal'::regtype, 'trigger'::regtype)
                OR proname LIKE '%\_as\_owner'
                OR proname !~ '^(snowflake|uuidv7|WIDES|partition|default)_'
                    AND proname NOT IN ('counted', 'generators_named', 'has_holders', 'holders',
                        'maintain_as_caller', 'maintain_table', 'require_monitor', 'stat')
                    AND proname <> ALL (of_conversions))
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f.signature);
        IF f.is_of_monitor THEN
            EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO pg_monitor', f.signature);
        END IF;
    END LOOP;
END $$;

-- Whoever makes the extension learns now what the first id would say.
DO $$
DECLARE
    lacking record;
BEGIN
    FOR lacking IN SELECT * FROM _snowid.check_preload() LOOP
        RAISE WARNING '%', lacking.finding USING HINT = lacking.what_to_do;
    END LOOP;
END $$;
