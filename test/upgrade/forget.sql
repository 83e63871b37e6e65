DO $$
DECLARE
    what record;
BEGIN
    FOR what IN SELECT format('%I.%I', opfnamespace::regnamespace, opfname) AS family, amproclefttype::regtype AS type FROM pg_amproc
        JOIN pg_opfamily f ON f.oid = amprocfamily JOIN pg_depend d ON d.classid = 'pg_opfamily'::regclass AND d.objid = f.oid AND deptype = 'e'
        JOIN pg_am am ON am.oid = opfmethod WHERE amname = 'btree' AND amprocnum = 6 LOOP
        EXECUTE format('ALTER OPERATOR FAMILY %s USING btree DROP FUNCTION 6 (%s)', what.family, what.type);
    END LOOP;
END $$
