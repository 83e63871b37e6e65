
-- who may execute what is internal ----------------------------------------------
-- PUBLIC executes what a statement of a user executes: what stands behind types, operators and casts, and what is called by bodies that run as
-- their caller. PostgreSQL asks no rights for what it calls itself, in a plan, an index or a trigger. Updates end with this as well.

DO $$
DECLARE
    f record;
BEGIN
    FOR f IN SELECT p.oid::regprocedure AS signature,
            proname ~ '^_snowid_(check_.*|generator_fault|inserters|library_version|metrics_of|partitioned|setting_fault|stat_rows)$' AS is_of_monitor
        FROM pg_depend AS d JOIN pg_extension AS e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
            JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND objid = p.oid JOIN pg_class AS t ON t.oid = '@extschema@.snowid_generator'::regclass
        -- the owner of the extension can have added functions of their own
        WHERE extname = 'snowid' AND deptype = 'e' AND pronamespace = extnamespace AND proowner = relowner AND starts_with(proname, '_')
            AND ('internal'::regtype = ANY (proargtypes) OR prorettype IN ('internal'::regtype, 'trigger'::regtype) OR starts_with(proname, '_snowid_')
                AND (proname !~ '^_snowid_(convert_|partition_|default_|generators_named$|maintain_table$|require_(monitor|owner)$)' OR proname LIKE '%\_as\_owner'))
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f.signature);
        IF f.is_of_monitor THEN
            EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO pg_monitor', f.signature);
        END IF;
    END LOOP;
END $$;
