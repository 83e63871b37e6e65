-- Everything the catalogues say about the extension's objects, without Oids and other numbers that differ between
-- installations. An update and a fresh installation must give the same.
\pset format unaligned
\pset tuples_only on
\pset null ''
SET search_path = pg_catalog;
CREATE TEMP VIEW member AS SELECT classid, objid, o.type, o.identity FROM pg_depend JOIN pg_extension e ON refobjid = e.oid
    CROSS JOIN pg_identify_object(classid, objid, 0) o
    WHERE refclassid = 'pg_extension'::regclass AND extname = :'extension' AND deptype = 'e';
-- A catalogue's row without its Oids; the queries below show those by name.
CREATE FUNCTION pg_temp.row_of(anyelement) RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_object_agg(key, value) FROM jsonb_each(to_jsonb($1)) c
    JOIN pg_attribute ON attrelid = pg_typeof($1)::text::regclass AND attname = key
    WHERE atttypid NOT IN ('oid'::regtype, 'oidvector'::regtype, 'oid[]'::regtype, 'pg_node_tree'::regtype) AND key NOT LIKE 'rel%pages'
        AND key NOT IN ('relallvisible', 'relallfrozen', 'reltuples', 'relfrozenxid', 'relminmxid')
$$;
CREATE FUNCTION pg_temp.name_of(catalog regclass, id oid) RETURNS text LANGUAGE sql AS
    'SELECT identity FROM pg_identify_object(catalog, id, 0)';

SELECT 'extension', extrelocatable, extnamespace::regnamespace, extowner::regrole, config.names, extcondition FROM pg_extension,
    LATERAL (SELECT array_agg(t::regclass ORDER BY n) AS names FROM unnest(extconfig) WITH ORDINALITY AS c (t, n)) AS config WHERE extname = :'extension';
SELECT type, identity, obj_description(objid, classid::regclass::name) FROM member ORDER BY type COLLATE "C", identity COLLATE "C";
SELECT m.type, identity, 'privileges at the start', initprivs FROM pg_init_privs i JOIN member m ON i.classoid = m.classid AND i.objoid = m.objid
    ORDER BY identity COLLATE "C", m.type, objsubid;
SELECT m.type, m.identity, 'needs', d.deptype, o.type, o.identity FROM member m JOIN pg_depend d USING (classid, objid)
    CROSS JOIN pg_identify_object(refclassid, refobjid, refobjsubid) o ORDER BY m.identity COLLATE "C", m.type, d.deptype, o.type, o.identity COLLATE "C";
SELECT identity, pg_temp.row_of(p), proowner::regrole, prolang, prorettype::regtype, oidvectortypes(proargtypes), provariadic::regtype,
    (SELECT array_agg(t::regtype ORDER BY n) FROM unnest(proallargtypes) WITH ORDINALITY AS a (t, n)), pg_get_function_arguments(p.oid),
    CASE prokind WHEN 'f' THEN pg_get_functiondef(p.oid) END
    FROM pg_proc p JOIN member ON classid = 'pg_proc'::regclass AND objid = p.oid ORDER BY identity COLLATE "C";
SELECT identity, pg_temp.row_of(a), aggsortop::regoperator, aggtranstype::regtype
    FROM pg_aggregate a JOIN member ON classid = 'pg_proc'::regclass AND objid = aggfnoid ORDER BY identity COLLATE "C";
SELECT identity, pg_temp.row_of(o), oprowner::regrole, oprcom::regoperator, oprnegate::regoperator
    FROM pg_operator o JOIN member ON classid = 'pg_operator'::regclass AND objid = o.oid ORDER BY identity COLLATE "C";
SELECT identity, pg_temp.row_of(t), typowner::regrole, typrelid::regclass, typelem::regtype, typarray::regtype, typbasetype::regtype
    FROM pg_type t JOIN member ON classid = 'pg_type'::regclass AND objid = t.oid ORDER BY identity COLLATE "C";
SELECT identity, castcontext, castmethod, castfunc::regprocedure
    FROM pg_cast c JOIN member ON classid = 'pg_cast'::regclass AND objid = c.oid ORDER BY identity COLLATE "C";
SELECT identity, pg_temp.row_of(c), opcowner::regrole, opcintype::regtype, opckeytype::regtype, pg_temp.name_of('pg_opfamily', opcfamily)
    FROM pg_opclass c JOIN member ON classid = 'pg_opclass'::regclass AND objid = c.oid ORDER BY identity COLLATE "C";
SELECT identity, amopstrategy, amoppurpose, amopopr::regoperator, pg_temp.name_of('pg_opfamily', nullif(amopsortfamily, 0))
    FROM pg_amop a JOIN member ON classid = 'pg_opfamily'::regclass AND objid = amopfamily ORDER BY identity COLLATE "C", 2, amopopr::regoperator::text COLLATE "C";
SELECT identity, amprocnum, amproclefttype::regtype, amprocrighttype::regtype, amproc::regprocedure
    FROM pg_amproc a JOIN member ON classid = 'pg_opfamily'::regclass AND objid = amprocfamily ORDER BY identity COLLATE "C", 2, 3, 4;
SELECT identity, pg_temp.row_of(c), relowner::regrole, CASE relkind WHEN 'v' THEN pg_get_viewdef(c.oid) END
    FROM pg_class c JOIN member ON classid = 'pg_class'::regclass AND objid = c.oid ORDER BY identity COLLATE "C";
-- PostgreSQL 15.20 adds a number to every column's options.
-- Rows from before a column was added read its default from atthasmissing and attmissingval.
SELECT identity, pg_temp.row_of(a) - '{attoptions,atthasmissing,attmissingval}'::text[], array(SELECT o FROM unnest(attoptions) o WHERE o NOT LIKE 'pg\_attver=%'), atttypid::regtype, pg_get_expr(adbin, adrelid), col_description(attrelid, attnum)
    FROM pg_attribute a JOIN member ON classid = 'pg_class'::regclass AND objid = attrelid
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum ORDER BY identity COLLATE "C", attnum;
SELECT identity, conname, pg_get_constraintdef(c.oid) FROM pg_constraint c JOIN member ON classid = 'pg_class'::regclass AND objid = conrelid ORDER BY 1, 2;
SELECT identity, pg_get_indexdef(indexrelid) FROM pg_index JOIN member ON classid = 'pg_class'::regclass AND objid = indrelid ORDER BY 1, 2;
SELECT identity, pg_get_triggerdef(t.oid), tgenabled FROM pg_trigger t JOIN member ON classid = 'pg_class'::regclass AND objid = tgrelid WHERE NOT tgisinternal ORDER BY 1, 2;
SELECT identity, evtname, evtevent, evttags FROM pg_event_trigger t JOIN member ON classid = 'pg_event_trigger'::regclass AND objid = t.oid ORDER BY 1, 2;
