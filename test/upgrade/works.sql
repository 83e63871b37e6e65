DO $$
DECLARE
    generator regprocedure;
    found boolean;
    tried int := 0;
BEGIN
    FOR generator IN SELECT p.oid FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND deptype = 'e'
        JOIN pg_extension e ON refobjid = e.oid WHERE extname = 'snowid' AND proname LIKE '%\_next' AND pronargs = pronargdefaults LOOP
        EXECUTE format('SELECT count(DISTINCT %1$s()) = 1000 FROM generate_series(1, 1000)', generator::regproc) INTO found;
        ASSERT found, generator::text;
        tried := tried + 1;
    END LOOP;
    ASSERT tried >= 5, 'there are generators';
END $$
