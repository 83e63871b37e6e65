-- What must be true of everything that the extension makes; a new object is picked up by itself.
CREATE TEMP VIEW members AS
    SELECT classid, objid, (pg_identify_object(classid, objid, 0)).* FROM pg_depend
    JOIN pg_extension e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
    WHERE extname = 'snowid' AND deptype = 'e';
CREATE TEMP VIEW functions AS SELECT p.* FROM pg_proc p JOIN members ON classid = 'pg_proc'::regclass AND objid = p.oid;

-- everything has a comment (array types and row types come with their owners, operator families with their classes)
SELECT type, identity FROM members
    WHERE obj_description(objid, classid::regclass::name) IS NULL AND type <> 'operator family'
        AND NOT EXISTS (SELECT FROM pg_type t WHERE classid = 'pg_type'::regclass AND t.oid = objid AND (typelem <> 0 OR typrelid <> 0));
SELECT c.oid::regclass, attname FROM pg_class c JOIN members ON classid = 'pg_class'::regclass AND objid = c.oid
    JOIN pg_attribute ON attrelid = c.oid AND attnum > 0 WHERE col_description(c.oid, attnum) IS NULL;

-- functions say what they are: which are volatile, which are not strict, and which are not parallel safe
SELECT oid::regprocedure FROM functions WHERE provolatile <> 'i' ORDER BY oid::regprocedure::text COLLATE "C";
SELECT oid::regprocedure FROM functions WHERE NOT proisstrict ORDER BY oid::regprocedure::text COLLATE "C";
SELECT oid::regprocedure FROM functions WHERE proparallel <> 's';
SELECT oid::regprocedure AS function_of_c_without_our_prefix FROM functions WHERE probin IS NOT NULL AND prosrc !~ '^snowid_';
SELECT oid::regprocedure AS nobody_may_call FROM functions WHERE NOT has_function_privilege('public', oid, 'execute');

-- operators have a commutator, a negator and estimators; what compares is leakproof
SELECT o.oid::regoperator FROM pg_operator o JOIN members ON classid = 'pg_operator'::regclass AND objid = o.oid
    WHERE oprcom = 0 OR oprnegate = 0 OR oprrest = 0 OR oprjoin = 0;
SELECT o.oid::regoperator FROM pg_operator o JOIN members ON classid = 'pg_operator'::regclass AND objid = o.oid
    JOIN pg_proc p ON p.oid = oprcode WHERE NOT proleakproof;
SELECT a.oid::regoperator AS commutes_badly FROM pg_operator a JOIN members ON classid = 'pg_operator'::regclass AND objid = a.oid
    JOIN pg_operator b ON b.oid = a.oprcom WHERE b.oprcom <> a.oid OR a.oprleft <> b.oprright OR a.oprright <> b.oprleft;
SELECT a.oid::regoperator AS negates_badly FROM pg_operator a JOIN members ON classid = 'pg_operator'::regclass AND objid = a.oid
    JOIN pg_operator b ON b.oid = a.oprnegate WHERE b.oprnegate <> a.oid OR a.oprleft <> b.oprleft OR a.oprright <> b.oprright;

-- operator classes are valid, and none holds an operator of ours in a family of a built-in type
SELECT opcname FROM pg_opclass o JOIN members ON classid = 'pg_opclass'::regclass AND objid = o.oid WHERE NOT amvalidate(o.oid);
SELECT amopfamily, amopopr::regoperator FROM pg_amop JOIN members ON classid = 'pg_operator'::regclass AND objid = amopopr
    WHERE amopfamily NOT IN (SELECT objid FROM members WHERE classid = 'pg_opfamily'::regclass);

-- types: binary I/O, and for those of fixed bytes every default operator class
SELECT t.oid::regtype FROM pg_type t JOIN members ON classid = 'pg_type'::regclass AND objid = t.oid
    WHERE typtype = 'b' AND typelem = 0 AND (typreceive = 0 OR typsend = 0 OR typarray = 0);
SELECT t.oid::regtype, amname AS has_no_default_class FROM pg_type t JOIN members ON classid = 'pg_type'::regclass AND objid = t.oid
    CROSS JOIN pg_am WHERE typtype = 'b' AND typelem = 0 AND NOT typbyval AND amname IN ('btree', 'hash', 'brin')
    AND NOT EXISTS (SELECT FROM pg_opclass WHERE opcmethod = pg_am.oid AND opcintype = t.oid AND opcdefault);
SELECT t.oid::regtype, castcontext AS not_only_explicit FROM pg_type t JOIN members ON classid = 'pg_type'::regclass AND objid = t.oid
    LEFT JOIN pg_cast ON castsource = t.oid AND casttarget = 'timestamptz'::regtype
    WHERE typtype = 'b' AND typelem = 0 AND castcontext IS DISTINCT FROM 'e';

-- nothing is found by search_path: no SQL body, and views name the schema
SELECT f.oid::regprocedure FROM functions f JOIN pg_language l ON l.oid = prolang WHERE lanname = 'sql' AND prosqlbody IS NULL;
