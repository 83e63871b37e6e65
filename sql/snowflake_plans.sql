-- Plans of snowflake columns are those of bigint columns, and the extension does not change plans of bigint columns.
SET enable_bitmapscan = off;
SET enable_seqscan = off;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE f (id snowflake PRIMARY KEY, n int);
CREATE TABLE b (id bigint PRIMARY KEY, n int);
INSERT INTO f SELECT g, g FROM generate_series(1, 10000) AS g;
INSERT INTO b SELECT g, g FROM generate_series(1, 10500) AS g;  -- more, so that a join does not depend on what VACUUM could do
CREATE TABLE r (id snowflake PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE r1 PARTITION OF r FOR VALUES FROM (0) TO (5000);
CREATE TABLE r2 PARTITION OF r FOR VALUES FROM (5000) TO (20000);
CREATE TABLE h (id snowflake PRIMARY KEY) PARTITION BY HASH (id);
CREATE TABLE h1 PARTITION OF h FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE h2 PARTITION OF h FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE INDEX f_brin ON f USING brin (id);
CREATE INDEX f_hash ON f USING hash (id);
VACUUM ANALYZE f;
VACUUM ANALYZE b;
VACUUM ANALYZE r;
-- A plan as text, without differences between versions of PostgreSQL.
CREATE FUNCTION pg_temp.plan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    line text;
    plan text := '';
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
        plan := plan || line || E'\n';
    END LOOP;
    RETURN plan;
END $$;

EXPLAIN (COSTS off) SELECT * FROM f WHERE id = 5;
EXPLAIN (COSTS off) SELECT * FROM f WHERE id = '5';
EXPLAIN (COSTS off) SELECT * FROM f WHERE id < '5';
EXPLAIN (COSTS off) SELECT * FROM f WHERE id BETWEEN '5' AND '7';
EXPLAIN (COSTS off) SELECT * FROM f WHERE '5' >= id;
EXPLAIN (COSTS off) SELECT * FROM f WHERE id > 5::bigint AND id <= 9::smallint;
EXPLAIN (COSTS off) SELECT * FROM f WHERE id IN (4194304000000, 4194304000001, 3);
PREPARE untyped AS SELECT * FROM f WHERE id >= $1 AND id = $2;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS off) EXECUTE untyped('5', '5');
RESET plan_cache_mode;
SELECT pg_temp.plan('SELECT max(id) FROM f') ~ 'Limit\n *->  Index Only Scan Backward using f_pkey on f' AS max_by_index;
EXPLAIN (COSTS off) SELECT id FROM f ORDER BY id DESC LIMIT 3;
EXPLAIN (COSTS off) SELECT * FROM f JOIN b USING (id) WHERE b.n < 3;
EXPLAIN (COSTS off) SELECT * FROM f JOIN b ON f.id = b.id WHERE f.id < '3';
SET enable_nestloop = off;
SET enable_hashjoin = off;
EXPLAIN (COSTS off) SELECT count(*) FROM f JOIN b USING (id);
SET enable_hashjoin = on;
SET enable_mergejoin = off;
EXPLAIN (COSTS off) SELECT count(*) FROM f JOIN b USING (id);
RESET enable_nestloop;
RESET enable_mergejoin;
EXPLAIN (COSTS off) SELECT * FROM r WHERE id < '100';
EXPLAIN (COSTS off) SELECT * FROM r WHERE id = 6000;
EXPLAIN (COSTS off) SELECT * FROM h WHERE id = '5';
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
SET enable_bitmapscan = on;
DROP INDEX f_hash;
ALTER TABLE f DROP CONSTRAINT f_pkey;
EXPLAIN (COSTS off) SELECT * FROM f WHERE id < '5';
RESET enable_indexscan;
RESET enable_indexonlyscan;
RESET enable_seqscan;

-- thousands of 8-byte literals become one = ANY
SELECT plan LIKE '%= ANY%' AS any, plan LIKE '% OR %' AS or
    FROM (SELECT string_agg((g + 4194304000000)::text, ',') AS ids FROM generate_series(1, 3000) AS g) AS i,
        pg_temp.plan(format('SELECT * FROM f WHERE id IN (%s)', ids)) AS plan;

-- estimates come from the column's own statistics
CREATE FUNCTION pg_temp.estimate(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN (plan -> 0 -> 'Plan' ->> 'Plan Rows')::bigint;
END $$;
SELECT pg_temp.estimate('SELECT * FROM f WHERE id < ''2000''') BETWEEN 1800 AND 2200 AS range,
    pg_temp.estimate('SELECT * FROM f WHERE id = 5') = 1 AS one;

-- bigint columns have the same plans with and without the extension
CREATE FUNCTION pg_temp.plans() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    query text;
    line text;
    plans text := '';
BEGIN
    FOREACH query IN ARRAY ARRAY['id = 5', 'id = ''5''', 'id < 5', 'id < ''5''', 'id >= 5::bigint', 'id BETWEEN 3 AND ''7''',
        'id IN (1, 2, 3)', 'id = ANY (''{1,2}'')', 'id + 1 = 3', 'id <> 3', 'id IS NULL', 'id > n', 'id < 5.0', 'id = 5::smallint']
    LOOP
        FOR line IN EXECUTE 'EXPLAIN (VERBOSE) SELECT * FROM b WHERE ' || query || ' ORDER BY id' LOOP
            plans := plans || line || E'\n';
        END LOOP;
    END LOOP;
    FOR line IN EXECUTE 'EXPLAIN (VERBOSE) SELECT max(x.id), count(DISTINCT y.n) FROM b x JOIN b y USING (id) WHERE x.id < y.n GROUP BY x.n' LOOP
        plans := plans || line || E'\n';
    END LOOP;
    RETURN plans;
END $$;
SELECT pg_temp.plans() AS with_extension \gset
BEGIN;
SET LOCAL client_min_messages = warning;
DROP EXTENSION snowid CASCADE;
SELECT pg_temp.plans() AS without_extension \gset
ROLLBACK;
SELECT :'with_extension' = :'without_extension' AS the_same, length(:'with_extension') > 1000 AS not_empty;
DROP TABLE f, b, r, h;
