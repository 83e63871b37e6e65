-- Every generator that needs no argument makes ids, but for those of random texts, and a time filter on them becomes an index condition.
DO $$
DECLARE
    generator regprocedure;
    id_type regtype;
    line text;
    plan text;
    found boolean;
    tried int := 0;
BEGIN
    SET LOCAL enable_seqscan = off;
    FOR generator, id_type IN SELECT p.oid, prorettype FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND deptype = 'e'
        JOIN pg_extension e ON refobjid = e.oid WHERE extname = 'snowid' AND proname LIKE '%\_next' AND pronargs = pronargdefaults AND prorettype <> 'text'::regtype LOOP
        EXECUTE format('CREATE TEMP TABLE made (id %s PRIMARY KEY)', id_type);
        EXECUTE format('INSERT INTO made SELECT %s() FROM generate_series(1, 1000)', generator::regproc);
        SELECT count(*) FILTER (WHERE id > now() - interval '1 hour') = 1000
            AND count(*) FILTER (WHERE id <@ tstzrange(now() - interval '1 hour', now() + interval '1 hour')) = 1000
            AND count(*) FILTER (WHERE now() + interval '1 hour' <= id) = 0 INTO found FROM made;
        ASSERT found, generator::text;
        plan := '';
        FOR line IN EXPLAIN (COSTS OFF) SELECT FROM made WHERE id > now() - interval '1 hour' LOOP
            plan := plan || line;
        END LOOP;
        ASSERT plan ~ 'Index Cond', plan;
        DROP TABLE made;
        tried := tried + 1;
    END LOOP;
    ASSERT tried = 8, 'there are generators';
END $$
