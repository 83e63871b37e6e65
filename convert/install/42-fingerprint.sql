
-- conversion: whether a plan still holds --------------------------------------------------------

-- What a plan for these tables was made from: they, and all that depends on them, of views also what depends on those.
CREATE FUNCTION _snowid_convert.objects(tables oid[], OUT class oid, OUT id oid) RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
    SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY WITH RECURSIVE objects (class, id) AS (
            SELECT 'pg_class'::regclass::oid, t FROM unnest(tables) AS t
            UNION
            SELECT 'pg_type'::regclass, atttypid
                FROM unnest(tables) AS t JOIN pg_attribute ON attrelid = t JOIN pg_type AS y ON y.oid = atttypid
                WHERE typtype = 'd'
            UNION
            SELECT d.class, d.id FROM objects AS o CROSS JOIN LATERAL (
                SELECT classid AS class, objid AS id FROM pg_depend
                    WHERE refclassid = o.class AND refobjid = o.id AND (
                        o.class IN ('pg_class'::regclass, 'pg_constraint'::regclass)  -- which has the index of a key
                        OR o.class = 'pg_type'::regclass AND classid <> 'pg_class'::regclass)
                UNION ALL
                SELECT 'pg_class'::regclass, ev_class FROM pg_rewrite
                    WHERE o.class = 'pg_rewrite'::regclass AND oid = o.id
                UNION ALL
                SELECT 'pg_proc'::regclass, tgfoid FROM pg_trigger
                    WHERE o.class = 'pg_trigger'::regclass AND oid = o.id) AS d)
    SELECT o.class, o.id FROM objects AS o;
END $$;

-- By an old snapshot nothing would have changed.
CREATE FUNCTION _snowid_convert.require_fresh() RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
        RAISE EXCEPTION 'nothing is converted in a transaction that is %', current_setting('transaction_isolation')
            USING ERRCODE = 'active_sql_transaction',
            DETAIL = 'It does not see what others have changed since it began.',
            HINT = 'Use the isolation level READ COMMITTED.';
    END IF;
END $$;

-- Each version of a row in the catalogue has the transaction that made it. What VACUUM and ANALYZE count is changed in
-- place. Indexes are used, each for what is of its class, so that what is read grows with these tables and not with the
-- database; and the session has a plan for it before it locks them.
CREATE FUNCTION _snowid_convert.fingerprint(tables oid[]) RETURNS text
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
    SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    PERFORM _snowid_convert.require_fresh();
    RETURN (WITH objects AS MATERIALIZED (SELECT * FROM _snowid_convert.objects(tables)),
        relations AS MATERIALIZED (SELECT id FROM objects WHERE class = 'pg_class'::regclass),
        rows (part, id, version) AS (
            SELECT 'class', oid, c.xmin FROM relations JOIN pg_class AS c ON oid = id
            UNION ALL SELECT 'schema', n.oid, n.xmin FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace
                WHERE c.oid = ANY (tables)
            UNION ALL SELECT 'attribute', attnum, a.xmin FROM relations JOIN pg_attribute AS a ON attrelid = id
            UNION ALL SELECT 'index', indexrelid, i.xmin FROM relations JOIN pg_index AS i ON indexrelid = id
            UNION ALL SELECT 'sequence', seqrelid, s.xmin FROM relations JOIN pg_sequence AS s ON seqrelid = id
            UNION ALL SELECT 'child', inhparent, i.xmin FROM relations JOIN pg_inherits AS i ON inhrelid = id
            UNION ALL SELECT 'parent', inhrelid, i.xmin FROM relations JOIN pg_inherits AS i ON inhparent = id
            UNION ALL SELECT 'partitions', partrelid, p.xmin
                FROM relations JOIN pg_partitioned_table AS p ON partrelid = id
            UNION ALL SELECT 'subscription', srsubid, s.xmin
                FROM relations JOIN pg_subscription_rel AS s ON srrelid = id
            UNION ALL SELECT 'default', oid, e.xmin FROM objects JOIN pg_attrdef AS e
                ON class = 'pg_attrdef'::regclass AND oid = id
            UNION ALL SELECT 'constraint', oid, k.xmin FROM objects JOIN pg_constraint AS k
                ON class = 'pg_constraint'::regclass AND oid = id
            UNION ALL SELECT 'trigger', oid, t.xmin FROM objects JOIN pg_trigger AS t
                ON class = 'pg_trigger'::regclass AND oid = id
            UNION ALL SELECT 'rule', oid, r.xmin FROM objects JOIN pg_rewrite AS r
                ON class = 'pg_rewrite'::regclass AND oid = id
            UNION ALL SELECT 'policy', oid, p.xmin FROM objects JOIN pg_policy AS p
                ON class = 'pg_policy'::regclass AND oid = id
            UNION ALL SELECT 'statistics', oid, s.xmin FROM objects JOIN pg_statistic_ext AS s
                ON class = 'pg_statistic_ext'::regclass AND oid = id
            UNION ALL SELECT 'type', oid, t.xmin FROM objects JOIN pg_type AS t
                ON class = 'pg_type'::regclass AND oid = id
            UNION ALL SELECT 'function', oid, f.xmin FROM objects JOIN pg_proc AS f
                ON class = 'pg_proc'::regclass AND oid = id
            UNION ALL SELECT 'sent', oid, p.xmin FROM objects JOIN pg_publication_rel AS p
                ON class = 'pg_publication_rel'::regclass AND oid = id
            UNION ALL SELECT 'comment', objsubid, d.xmin
                FROM objects JOIN pg_description AS d ON objoid = id AND classoid = class
            UNION ALL SELECT 'label', objsubid, l.xmin
                FROM objects JOIN pg_seclabel AS l ON objoid = id AND classoid = class
            UNION ALL SELECT 'publication', oid, p.xmin FROM pg_publication AS p
            UNION ALL SELECT 'schemas', oid, p.xmin FROM pg_publication_namespace AS p
            UNION ALL SELECT 'rights', oid, a.xmin FROM pg_default_acl AS a)
    SELECT md5((SELECT string_agg(concat_ws(' ', class, id), ',' ORDER BY class, id) FROM objects)
        || (SELECT string_agg(concat_ws(' ', part, id, version), ',' ORDER BY part, id, version::text) FROM rows)));
END $$;
