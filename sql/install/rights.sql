
-- who may execute what is internal ----------------------------------------------
-- PUBLIC executes what a statement of a user executes: what stands behind types, operators and casts, what is called by
-- bodies that run as their caller, and what the planner adds to a query. PostgreSQL asks no rights for what it calls
-- itself, in a plan, an index or a trigger. Updates end with this as well.

DO $$
DECLARE
    f record;
BEGIN
    FOR f IN SELECT p.oid::regprocedure AS signature,
            proname ~ '^check|_of_checks$' OR proname IN ('configured', 'generator_fault', 'in_words', 'inserters',
                'is_preloaded', 'library_version', 'metrics_of', 'others_beside', 'partitioned', 'published',
                'room_of_database', 'setting_fault', 'stat_rows') AS is_of_monitor
        FROM pg_depend AS d JOIN pg_extension AS e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
            JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND objid = p.oid
        WHERE extname = 'snowid' AND deptype = 'e' AND pronamespace = '_snowid'::regnamespace
            AND proname NOT LIKE '%\_or\_null' AND proname !~ '^time_(earliest|latest)$'
            AND ('internal'::regtype = ANY (proargtypes) OR prorettype IN ('internal'::regtype, 'trigger'::regtype)
                OR proname LIKE '%\_as\_owner'
                OR proname !~ '^(snowflake|uuidv7|WIDES|convert|partition|default)_'
                    AND proname NOT IN ('counted', 'generators', 'generators_named', 'has_holders', 'holders',
                        'maintain_table', 'public_schema', 'recorded_layout', 'require_monitor', 'require_owner',
                        'stat'))
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f.signature);
        IF f.is_of_monitor THEN
            EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO pg_monitor', f.signature);
        END IF;
    END LOOP;
END $$;

-- The owner of the extension can have given it functions of their own, though they own no other part of it. One that an
-- update replaced would stay theirs, and run as whoever calls it.
DO $$
DECLARE
    f record;
BEGIN
    FOR f IN SELECT p.oid::regprocedure AS signature, proowner::regrole AS owner
        FROM pg_depend AS d JOIN pg_extension AS e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
            JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND objid = p.oid
            JOIN pg_class AS own ON own.oid = '@extschema@.snowid_generator'::regclass
        WHERE extname = 'snowid' AND deptype = 'e' AND p.xmin = pg_current_xact_id()::xid
            AND proowner NOT IN (relowner, current_user::regrole)
    LOOP
        RAISE EXCEPTION 'function % would be replaced by the extension''s own', f.signature
            USING ERRCODE = 'duplicate_object', DETAIL = format('It belongs to %s.', f.owner),
            HINT = format('Run ALTER EXTENSION snowid DROP FUNCTION %s; and give it another name.', f.signature);
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
