
-- who may execute what is internal ----------------------------------------------
-- Everybody, because it runs as its caller. What runs as the owner of a table is called by nobody but the function
-- in front of it.

DO $$
DECLARE
    f record;
BEGIN
    FOR f IN SELECT p.oid::regprocedure AS signature
        FROM pg_depend AS d JOIN pg_extension AS e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
            JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND objid = p.oid
        WHERE extname = 'snowid_convert' AND deptype = 'e' AND proname LIKE '%\_as\_owner'
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f.signature);
    END LOOP;
END $$;
