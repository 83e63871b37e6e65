-- Plans and estimates of every type wider than a bigint. New types are found automatically.
SET timezone = 'UTC';
SET max_parallel_workers_per_gather = 0;
CREATE TEMP TABLE wide_types AS
    SELECT typname::text AS name FROM pg_type JOIN pg_depend ON classid = 'pg_type'::regclass AND objid = pg_type.oid AND deptype = 'e'
    JOIN pg_extension ON refclassid = 'pg_extension'::regclass AND refobjid = pg_extension.oid
    WHERE extname = 'snowid' AND typtype = 'b' AND typelem = 0 AND typnamespace <> '_snowid'::regnamespace AND NOT typbyval;

CREATE FUNCTION pg_temp.plan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    line text;
    lines text := '';
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
        lines := lines || line || E'\n';
    END LOOP;
    RETURN lines;
END $$;
CREATE FUNCTION pg_temp.estimate(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END $$;
CREATE FUNCTION pg_temp.counted(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE rows numeric;
BEGIN
    EXECUTE 'SELECT count(*) FROM (' || query || ') s' INTO rows;
    RETURN rows;
END $$;

-- a year of ids that get rarer, one id that half of the rows have, and some NULLs
CREATE FUNCTION pg_temp.dated_sno("time" timestamptz) RETURNS sno LANGUAGE sql
    AS 'SELECT sno_encode("time", (random() * 255)::int, (random() * 65535)::int, (random() * 65535)::int, random() < 0.1)';
DO $$
DECLARE
    t text;
BEGIN
    FOR t IN SELECT name FROM wide_types LOOP
        EXECUTE replace(replace($sql$
            CREATE TABLE year_of_TYPE (id TYPE, n int);
            INSERT INTO year_of_TYPE SELECT DATED('2026-01-01Z'::timestamptz + (1 - sqrt(1 - g / 100000.0)) * interval '365 days'), g FROM generate_series(0, 99999) AS g;
            CREATE TABLE skewed_TYPE (id TYPE);
            INSERT INTO skewed_TYPE SELECT CASE WHEN n % 2 = 0 THEN TYPE_lower_bound('2026-03-01Z') WHEN n % 20 = 1 THEN NULL ELSE id END FROM year_of_TYPE;
            CREATE INDEX ON year_of_TYPE (id);
            ANALYZE year_of_TYPE;
            ANALYZE skewed_TYPE;
        $sql$, 'DATED', CASE t WHEN 'sno' THEN 'pg_temp.dated_sno' ELSE t || '_at' END), 'TYPE', t);
    END LOOP;
END $$;

-- estimates of ranges are within a factor of 2, from an hour to the whole year, with one bound or several
CREATE TEMP TABLE estimates AS
    SELECT t.name, q.query, pg_temp.estimate(q.query) AS estimate, pg_temp.counted(q.query) AS rows
    FROM wide_types t, (VALUES
        ('SELECT FROM year_of_TYPE WHERE id < TYPE_lower_bound(''2026-02-01Z'')'),
        ('SELECT FROM year_of_TYPE WHERE id <= TYPE_lower_bound(''2026-06-01Z'')'),
        ('SELECT FROM year_of_TYPE WHERE id > TYPE_lower_bound(''2026-11-01Z'')'),
        ('SELECT FROM year_of_TYPE WHERE id >= TYPE_lower_bound(''2026-02-01Z'')'),
        ('SELECT FROM year_of_TYPE WHERE TYPE_lower_bound(''2026-11-01Z'') < id'),
        ('SELECT FROM year_of_TYPE WHERE id >= TYPE_lower_bound(''2026-03-01Z'') AND id < TYPE_lower_bound(''2026-04-01Z'')'),
        ('SELECT FROM year_of_TYPE WHERE id < TYPE_lower_bound(''2026-03-02Z'') AND id >= TYPE_lower_bound(''2026-03-01Z'')'),
        ('SELECT FROM year_of_TYPE WHERE id BETWEEN TYPE_lower_bound(''2026-03-01 05:00Z'') AND TYPE_lower_bound(''2026-03-01 08:00Z'')'),
        ('SELECT FROM year_of_TYPE WHERE TYPE_lower_bound(''2026-03-01 05:00Z'') <= id AND TYPE_lower_bound(''2026-03-01 08:00Z'') > id'),
        ('SELECT FROM year_of_TYPE WHERE id >= TYPE_lower_bound(''2026-03-01Z'') AND id >= TYPE_lower_bound(''2026-02-01Z'') AND id < TYPE_lower_bound(''2026-04-01Z'')'),
        ('SELECT FROM year_of_TYPE WHERE (id >= TYPE_lower_bound(''2026-03-01Z'') AND id < TYPE_lower_bound(''2026-03-02Z'')) OR (id >= TYPE_lower_bound(''2026-05-01Z'') AND id < TYPE_lower_bound(''2026-05-02Z''))'),
        ('SELECT FROM year_of_TYPE WHERE NOT (id < TYPE_lower_bound(''2026-11-01Z''))'),
        ('SELECT FROM year_of_TYPE a WHERE id >= TYPE_lower_bound(''2026-03-01Z'') AND id < TYPE_lower_bound(''2026-03-02Z'') AND n >= 0'),
        ('SELECT FROM skewed_TYPE WHERE id < TYPE_lower_bound(''2026-03-01Z'')'),
        ('SELECT FROM skewed_TYPE WHERE id <= TYPE_lower_bound(''2026-03-01Z'')'),
        ('SELECT FROM skewed_TYPE WHERE id > TYPE_lower_bound(''2026-03-01Z'')'),
        ('SELECT FROM skewed_TYPE WHERE id >= TYPE_lower_bound(''2026-03-01Z'')'),
        ('SELECT FROM skewed_TYPE WHERE id >= TYPE_lower_bound(''2026-02-28Z'') AND id < TYPE_lower_bound(''2026-03-02Z'')'),
        ('SELECT FROM skewed_TYPE WHERE id = TYPE_lower_bound(''2026-03-01Z'')')) AS f (form),
    LATERAL (SELECT replace(form, 'TYPE', name) AS query) AS q;
SELECT count(*) AS estimates, count(*) FILTER (WHERE rows > 10) AS of_more_than_ten FROM estimates;
SELECT * FROM estimates WHERE estimate NOT BETWEEN rows / 2 - 1 AND rows * 2 + 1;
SELECT query, pg_temp.estimate(query) AS estimate FROM (VALUES ('SELECT FROM year_of_ulid WHERE id < NULL'), ('SELECT FROM year_of_ulid WHERE id < ulid_lower_bound(''2025-01-01Z'')'),
    ('SELECT FROM year_of_ulid WHERE id >= ulid_lower_bound(''2030-01-01Z'')'),
    ('SELECT FROM year_of_ulid WHERE id >= ulid_lower_bound(''2026-05-01Z'') AND id < ulid_lower_bound(''2026-04-01Z'')')) AS q (query);
-- for parameters that are unknown when planning, PostgreSQL's defaults hold: a third, and a two-hundredth for a range
SET plan_cache_mode = force_generic_plan;
PREPARE one(ulid) AS SELECT FROM year_of_ulid WHERE id > $1;
PREPARE range(ulid, ulid) AS SELECT FROM year_of_ulid WHERE id >= $1 AND id < $2;
SELECT pg_temp.estimate('EXECUTE one(NULL)') AS one, pg_temp.estimate('EXECUTE range(NULL, NULL)') AS range;
RESET plan_cache_mode;

-- an index serves ranges, min and max, order, joins and partitions
CREATE TEMP TABLE plans AS
    SELECT t.name, f.what, pg_temp.plan(replace(f.query, 'TYPE', t.name)) AS plan, f.expected FROM wide_types t, (VALUES
        ('range', 'SELECT * FROM year_of_TYPE WHERE id >= TYPE_lower_bound(''2026-05-01Z'') AND id < TYPE_lower_bound(''2026-05-02Z'')', '%Index%Cond: ((id >= %'),
        ('equality', 'SELECT * FROM year_of_TYPE WHERE id = TYPE_lower_bound(''2026-05-01Z'')', '%Index%Cond: (id = %'),
        ('any', 'SELECT * FROM year_of_TYPE WHERE id = ANY (ARRAY[TYPE_lower_bound(''2026-05-01Z''), TYPE_lower_bound(''2026-05-02Z'')])', '%Index%Cond: (id = ANY%'),
        ('minimum', 'SELECT min(id) FROM year_of_TYPE', '%Index%Scan using%'),
        ('maximum', 'SELECT max(id) FROM year_of_TYPE', '%Index%Scan Backward using%'),
        ('order', 'SELECT id FROM year_of_TYPE ORDER BY id DESC LIMIT 3', '%Index%Scan Backward using%'),
        ('join', 'SELECT count(*) FROM year_of_TYPE a JOIN year_of_TYPE b USING (id) WHERE b.n < 3', '%Index%Cond: (id = b.id)%')) AS f (what, query, expected);
SELECT * FROM plans WHERE plan NOT LIKE expected;
SELECT count(*) FROM plans;
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT name FROM wide_types WHERE pg_temp.plan(replace('SELECT count(*) FROM year_of_TYPE a JOIN year_of_TYPE b USING (id)', 'TYPE', name)) NOT LIKE '%Merge Join%'
    OR pg_temp.counted(replace('SELECT id FROM year_of_TYPE a JOIN year_of_TYPE b USING (id)', 'TYPE', name)) <> 100000;
RESET enable_hashjoin;
RESET enable_nestloop;

DO $$
DECLARE
    t text;
BEGIN
    FOR t IN SELECT name FROM wide_types LOOP
        EXECUTE replace($sql$
            CREATE TABLE parts_TYPE (id TYPE PRIMARY KEY) PARTITION BY RANGE (id);
            CREATE TABLE early_TYPE PARTITION OF parts_TYPE DEFAULT;
            CREATE TABLE hashed_TYPE (id TYPE PRIMARY KEY) PARTITION BY HASH (id);
            CREATE TABLE hashed_TYPE_0 PARTITION OF hashed_TYPE FOR VALUES WITH (MODULUS 2, REMAINDER 0);
            CREATE TABLE hashed_TYPE_1 PARTITION OF hashed_TYPE FOR VALUES WITH (MODULUS 2, REMAINDER 1);
        $sql$, 'TYPE', t);
        EXECUTE replace('CREATE TABLE late_TYPE PARTITION OF parts_TYPE FOR VALUES FROM (TYPE_lower_bound(''2026-07-02Z'')) TO (MAXVALUE)', 'TYPE', t);
        EXECUTE replace('INSERT INTO parts_TYPE SELECT id FROM year_of_TYPE', 'TYPE', t);
        EXECUTE replace('INSERT INTO hashed_TYPE SELECT id FROM year_of_TYPE', 'TYPE', t);
        IF pg_temp.counted('SELECT FROM late_' || t) NOT BETWEEN 20000 AND 30000 THEN RAISE '% is in the wrong partitions', t; END IF;
        IF pg_temp.plan(replace('SELECT * FROM parts_TYPE WHERE id >= TYPE_lower_bound(''2026-07-02Z'')', 'TYPE', t)) LIKE '%early_%' THEN
            RAISE '% looks into partitions for nothing', t;
        END IF;
        IF pg_temp.plan(replace('SELECT * FROM hashed_TYPE WHERE id = TYPE_lower_bound(''2026-07-02Z'')', 'TYPE', t)) ~ (t || '_0.*' || t || '_1') THEN
            RAISE '% looks into hash partitions for nothing', t;
        END IF;
    END LOOP;
END $$;

-- BRIN suits a table in the order of its ids
SET enable_seqscan = off;
DO $$
DECLARE
    t text;
    class text;
BEGIN
    FOR t IN SELECT name FROM wide_types LOOP
        EXECUTE replace('DROP INDEX year_of_TYPE_id_idx', 'TYPE', t);
        FOREACH class IN ARRAY ARRAY['', '_multi'] LOOP
            EXECUTE format('CREATE INDEX brin_of_%1$s ON year_of_%1$s USING brin (id %1$s_minmax%2$s_ops) WITH (pages_per_range = 4)', t, class);
            IF pg_temp.plan(replace('SELECT * FROM year_of_TYPE WHERE id < TYPE_lower_bound(''2026-01-05Z'')', 'TYPE', t)) NOT LIKE '%Bitmap Index Scan on brin_of_%'
                OR pg_temp.counted(replace('SELECT FROM year_of_TYPE WHERE id < TYPE_lower_bound(''2026-01-05Z'')', 'TYPE', t)) NOT BETWEEN 2000 AND 2500 THEN
                RAISE 'BRIN does not serve %', t;
            END IF;
            EXECUTE format('DROP INDEX brin_of_%s', t);
        END LOOP;
        EXECUTE replace('DROP TABLE year_of_TYPE, skewed_TYPE, parts_TYPE, hashed_TYPE', 'TYPE', t);
        RAISE NOTICE '% is planned well', t;
    END LOOP;
END $$;
