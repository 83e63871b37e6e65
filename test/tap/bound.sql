-- Lists objects that depend on something in schema ids that does not belong to the extension. There should be none.
WITH member AS (SELECT classid, objid FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'),
    stranger AS (SELECT 'pg_proc'::regclass::oid AS classid, oid AS objid FROM pg_proc WHERE pronamespace = 'ids'::regnamespace
        UNION ALL SELECT 'pg_operator'::regclass, oid FROM pg_operator WHERE oprnamespace = 'ids'::regnamespace EXCEPT SELECT * FROM member)
SELECT DISTINCT format('%s needs %s', pg_describe_object(d.classid, d.objid, 0), pg_describe_object(refclassid, refobjid, 0))
    FROM pg_depend AS d JOIN stranger AS s ON refclassid = s.classid AND refobjid = s.objid WHERE (d.classid, d.objid) NOT IN (SELECT * FROM stranger);
