-- Plans of time filters are those of comparisons written by hand.
SET timezone = 'UTC';
SET datestyle = 'ISO';
SET intervalstyle = 'postgres';
SET max_parallel_workers_per_gather = 0;
SET enable_bitmapscan = off;
CREATE TEMP TABLE timed AS
    SELECT typname::text AS type, typname::text AS scheme FROM pg_type
    JOIN pg_depend ON classid = 'pg_type'::regclass AND objid = pg_type.oid AND deptype = 'e'
    JOIN pg_extension e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
    WHERE extname = 'snowid' AND typtype = 'b' AND typelem = 0 AND typnamespace <> '_snowid'::regnamespace
    UNION ALL VALUES ('uuid', 'uuidv7'), ('bigint', 'snowflake') ORDER BY scheme, type;

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
CREATE FUNCTION pg_temp.fill(t timed, query text) RETURNS text LANGUAGE sql AS $$
    SELECT replace(replace(replace(query, 'TYPE', t.type), 'SCHEME', t.scheme), 'ID', CASE t.type WHEN 'bigint' THEN 'id::snowflake' ELSE 'id' END);
$$;

-- the lower bound of a time, as text
CREATE FUNCTION pg_temp.bound(scheme text, t timestamptz) RETURNS text LANGUAGE plpgsql AS $$
DECLARE bound text;
BEGIN
    EXECUTE format('SELECT %s_lower_bound($1)', scheme) INTO bound USING t;
    RETURN bound;
END $$;

-- a year of ids, one an hour, in a plain table and in a table partitioned by quarter
DO $$
DECLARE
    t timed;
BEGIN
    FOR t IN TABLE timed LOOP
        EXECUTE pg_temp.fill(t, $sql$
            CREATE TABLE of_TYPE (id TYPE PRIMARY KEY, n int);
            INSERT INTO of_TYPE SELECT SCHEME_lower_bound('2025-01-01'::timestamptz + g * interval '1 hour'), g FROM generate_series(0, 8759) AS g;
            CREATE TABLE parts_of_TYPE (id TYPE) PARTITION BY RANGE (id);
            CREATE TABLE TYPE_q1 PARTITION OF parts_of_TYPE FOR VALUES FROM (SCHEME_lower_bound('2025-01-01')) TO (SCHEME_lower_bound('2025-04-01'));
            CREATE TABLE TYPE_q2 PARTITION OF parts_of_TYPE FOR VALUES FROM (SCHEME_lower_bound('2025-04-01')) TO (SCHEME_lower_bound('2025-07-01'));
            CREATE TABLE TYPE_q3 PARTITION OF parts_of_TYPE FOR VALUES FROM (SCHEME_lower_bound('2025-07-01')) TO (SCHEME_lower_bound('2025-10-01'));
            CREATE TABLE TYPE_q4 PARTITION OF parts_of_TYPE FOR VALUES FROM (SCHEME_lower_bound('2025-10-01')) TO (MAXVALUE);
            INSERT INTO parts_of_TYPE SELECT id FROM of_TYPE;
            ANALYZE of_TYPE;
        $sql$);
    END LOOP;
END $$;
SET enable_seqscan = off;

-- every operator in both directions: the index condition has a constant, and only a uuid's version is left to filter
CREATE TEMP TABLE plans AS
    SELECT t.type, t.scheme, f.condition, replace(pg_temp.plan(pg_temp.fill(t, 'SELECT * FROM of_TYPE WHERE ' || f.filter)), '(id)::bigint', 'id') AS plan
    FROM timed t, (VALUES
        ('ID < timestamptz ''2025-05-05''', '(id < ''BOUND''::TYPE)'),
        ('ID <= timestamptz ''2025-05-05''', '(id < ''NEXT''::TYPE)'),
        ('ID >= timestamptz ''2025-05-05''', '(id >= ''BOUND''::TYPE)'),
        ('ID > timestamptz ''2025-05-05''', '(id >= ''NEXT''::TYPE)'),
        ('timestamptz ''2025-05-05'' > ID', '(id < ''BOUND''::TYPE)'),
        ('timestamptz ''2025-05-05'' >= ID', '(id < ''NEXT''::TYPE)'),
        ('timestamptz ''2025-05-05'' <= ID', '(id >= ''BOUND''::TYPE)'),
        ('timestamptz ''2025-05-05'' < ID', '(id >= ''NEXT''::TYPE)'),
        ('ID BETWEEN ''2025-05-05''::timestamptz AND ''infinity''::timestamptz', '(id >= ''BOUND''::TYPE)'),
        ('ID <@ tstzrange(''2025-05-05'', NULL)', '(id >= ''BOUND''::TYPE)'),
        ('tstzrange(''2025-05-05'', ''infinity'', ''()'') @> ID', '(id >= ''NEXT''::TYPE)')) AS f (filter, condition);
SELECT type, count(*), bool_and(plan ~ 'Index (Only )?Scan using') AS by_index,
    bool_and(strpos(plan, replace(replace(replace(condition, 'BOUND', bound), 'NEXT', next),
        'TYPE', CASE scheme WHEN 'snowflake' THEN 'bigint' ELSE type END)) > 0) AS condition,
    bool_and(plan !~ 'Filter' OR type = 'uuid' AND plan ~ 'Filter: uuidv7_valid\(id\)\n$') AS nothing_to_filter
FROM plans, LATERAL (SELECT pg_temp.bound(scheme, '2025-05-05'), pg_temp.bound(scheme, '2025-05-05 00:00:00.000001')) AS b (bound, next)
GROUP BY type ORDER BY type;

-- partitions are pruned at planning time and at run time
CREATE FUNCTION pg_temp.scanned(plan text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(DISTINCT q[1], ' ' ORDER BY q[1]) FROM regexp_matches(plan, ' on \w*(q\d)', 'g') AS q
$$;
SELECT type, pg_temp.scanned(pg_temp.plan(pg_temp.fill(t, 'SELECT * FROM parts_of_TYPE WHERE ID < timestamptz ''2025-04-01'''))) AS lt,
    pg_temp.scanned(pg_temp.plan(pg_temp.fill(t, 'SELECT * FROM parts_of_TYPE WHERE ID <= timestamptz ''2025-04-01'''))) AS le,
    pg_temp.scanned(pg_temp.plan(pg_temp.fill(t, 'SELECT * FROM parts_of_TYPE WHERE timestamptz ''2025-10-01'' <= ID'))) AS ge,
    pg_temp.scanned(pg_temp.plan(pg_temp.fill(t, 'SELECT * FROM parts_of_TYPE WHERE timestamptz ''2025-08-01'' < ID'))) AS gt,
    pg_temp.scanned(pg_temp.plan(pg_temp.fill(t, 'SELECT * FROM parts_of_TYPE WHERE ID BETWEEN timestamptz ''2025-05-01'' AND timestamptz ''2025-08-01'''))) AS "between",
    pg_temp.scanned(pg_temp.plan(pg_temp.fill(t, 'SELECT * FROM parts_of_TYPE WHERE ID <@ tstzrange(''2025-04-01'', ''2025-07-01'')'))) AS "in",
    pg_temp.scanned(pg_temp.plan(pg_temp.fill(t, 'SELECT * FROM parts_of_TYPE WHERE ID > timestamptz ''2025-11-01'' AND ID < timestamptz ''2025-02-01'''))) AS none
FROM timed t ORDER BY type;
CREATE FUNCTION pg_temp.executed(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    line text;
    lines text := '';
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) ' || query LOOP
        IF line !~ 'never executed' THEN lines := lines || line || E'\n'; END IF;
    END LOOP;
    RETURN lines;
END $$;
SET plan_cache_mode = force_generic_plan;
DO $$
DECLARE
    t timed;
BEGIN
    FOR t IN TABLE timed LOOP
        EXECUTE pg_temp.fill(t, 'PREPARE q_TYPE AS SELECT * FROM parts_of_TYPE WHERE ID >= $1::timestamptz AND ID < $2::timestamptz');
    END LOOP;
END $$;
SELECT type, pg_temp.scanned(pg_temp.executed(pg_temp.fill(t, 'EXECUTE q_TYPE(''2025-05-01'', ''2025-06-01'')'))) AS parameters,
    pg_temp.scanned(pg_temp.executed(pg_temp.fill(t, 'SELECT * FROM parts_of_TYPE WHERE ID < now() - now() + ''2025-02-01''::timestamptz'))) AS stable,
    pg_temp.scanned(pg_temp.executed(pg_temp.fill(t, 'SELECT * FROM parts_of_TYPE WHERE ID >= (SELECT max(''2025-12-01''::timestamptz))'))) AS subquery
FROM timed t ORDER BY type;
RESET plan_cache_mode;

-- one backward index scan without a sort, with a composite key too
CREATE TABLE message (channel int, id bigint, PRIMARY KEY (channel, id));
INSERT INTO message SELECT g % 10, snowflake_lower_bound('2025-01-01'::timestamptz + g * interval '1 minute') FROM generate_series(0, 9999) AS g;
CREATE INDEX of_message ON message (id);
VACUUM ANALYZE message;
EXPLAIN (COSTS off) SELECT * FROM message WHERE channel = 3 AND id::snowflake < timestamptz '2025-01-03' ORDER BY id DESC LIMIT 50;
EXPLAIN (COSTS off) SELECT * FROM message WHERE id::snowflake >= now() - interval '1 hour' ORDER BY id DESC LIMIT 50;
PREPARE by_bound AS SELECT * FROM message WHERE id >= snowflake_lower_bound($1) AND id < snowflake_lower_bound($2) ORDER BY id;
EXPLAIN (COSTS off) EXECUTE by_bound('2025-01-02', '2025-01-03');
SET enable_hashjoin = off;
SET enable_mergejoin = off;
EXPLAIN (COSTS off) SELECT * FROM of_bigint o JOIN message m ON m.id::snowflake > o.id::snowflake::timestamptz WHERE o.id = 5;
RESET enable_hashjoin;
RESET enable_mergejoin;
SET enable_bitmapscan = on;
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
EXPLAIN (COSTS off) SELECT count(*) FROM message WHERE id::snowflake < timestamptz '2025-01-01 00:10' OR id::snowflake > timestamptz '2025-01-07 22:00';
EXPLAIN (COSTS off) SELECT count(*) FROM of_uuid WHERE id < timestamptz '2025-01-01 10:00' OR id > timestamptz '2025-12-31';
SET enable_bitmapscan = off;
RESET enable_indexscan;
RESET enable_indexonlyscan;

-- a uuid of another version is neither before nor after a time
INSERT INTO of_uuid VALUES ('ffffffff-ffff-4fff-bfff-ffffffffffff', -4), ('00000000-0000-4000-8000-000000000000', -4);
SELECT count(*) FROM of_uuid WHERE id >= timestamptz '2025-12-31 23:00';
SELECT count(*) FROM of_uuid WHERE NOT id >= timestamptz '2025-01-01';
SELECT n, id >= timestamptz '2025-01-01' AS later FROM of_uuid WHERE n = -4;
-- that holds beside a foreign operator whose function is named like ours
CREATE FUNCTION uuidv7_time_other(uuid, timestamptz) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN true; END';
CREATE OPERATOR @@@@ (LEFTARG = uuid, RIGHTARG = timestamptz, FUNCTION = uuidv7_time_other);
SELECT count(*) FROM of_uuid WHERE n = -4 AND id @@@@ now() AND id < timestamptz '2025-01-01';
DROP FUNCTION uuidv7_time_other CASCADE;
CREATE TABLE checked (id uuid CHECK (id >= timestamptz '2025-01-01'));
INSERT INTO checked VALUES ('00000000-0000-4000-8000-000000000000');
SET constraint_exclusion = on;
SELECT count(*) FROM checked WHERE id < '00000000-0000-8000-0000-000000000000';
SELECT count(*) FROM checked WHERE id < timestamptz '2024-01-01';

-- constraint exclusion, partial indexes, expression indexes and generated columns work
CREATE TABLE old (id bigint CHECK (id::snowflake < timestamptz '2025-01-01'));
SELECT pg_temp.plan('SELECT * FROM old WHERE id::snowflake >= timestamptz ''2025-06-01''') LIKE '%One-Time Filter: false%' AS excluded;
RESET constraint_exclusion;
CREATE TABLE event (id bigint, made timestamptz GENERATED ALWAYS AS (snowflake_time(id)) STORED);
INSERT INTO event SELECT id FROM of_bigint;
CREATE INDEX recent ON event (id) WHERE id::snowflake >= timestamptz '2025-12-01';
CREATE INDEX by_day ON event (((snowflake_time(id) AT TIME ZONE 'UTC')::date));
ANALYZE event;
EXPLAIN (COSTS off) SELECT * FROM event WHERE id::snowflake >= timestamptz '2025-12-05';
EXPLAIN (COSTS off) SELECT * FROM event WHERE (snowflake_time(id) AT TIME ZONE 'UTC')::date = '2025-05-05';
SELECT count(*), bool_and(made = snowflake_time(id)) FROM event WHERE made >= '2025-12-31';

-- row level security evaluates its policy first, and the index is used all the same
CREATE FUNCTION may_see(n int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN n < 8000; END $$;
CREATE ROLE snowid_reader;
DO $$
DECLARE
    t timed;
BEGIN
    FOR t IN TABLE timed LOOP
        EXECUTE pg_temp.fill(t, 'CREATE POLICY seen ON of_TYPE USING (may_see(n)); ALTER TABLE of_TYPE ENABLE ROW LEVEL SECURITY; GRANT SELECT ON of_TYPE, timed TO snowid_reader');
    END LOOP;
END $$;
SET ROLE snowid_reader;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT filter, count(*), bool_and(plan ~ ('Index (Only )?Scan using of_' || type || '_pkey on of_' || type || '( of)?\n *Index Cond: [^\n]*\n *Filter: [^\n]*may_see')) AS by_index
    FROM timed t, (VALUES ('ID < timestamptz ''2025-05-05'''), ('ID >= now() - interval ''1 day'''), ('ID <@ tstzrange(now() - interval ''1 day'', NULL)'),
        ('ID < o.at')) AS f (filter),
    LATERAL (SELECT pg_temp.plan(replace(pg_temp.fill(t, 'SELECT of.id FROM unnest(ARRAY[now()]) AS o (at), of_TYPE of WHERE ' || filter), 'WHERE id', 'WHERE of.id')) AS plan) AS p
    GROUP BY filter ORDER BY filter COLLATE "C";
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET ROLE;
-- no error shows what a security barrier hides
CREATE TEMP VIEW seen WITH (security_barrier) AS SELECT *, 'the launch code is ' || n AS secret FROM of_ulid WHERE may_see(n);
SELECT count(*) FROM seen WHERE ulid_first(now(), secret) IS NOT NULL OR ulid_last('2025-01-01', secret) IS NOT NULL;
DO $$
DECLARE
    t timed;
BEGIN
    FOR t IN TABLE timed LOOP
        EXECUTE pg_temp.fill(t, 'ALTER TABLE of_TYPE DISABLE ROW LEVEL SECURITY');
    END LOOP;
END $$;
-- a condition on the old row says nothing about the new row
CREATE TABLE changed (id int PRIMARY KEY, u uuid, b boolean);
CREATE FUNCTION pg_temp.v4() RETURNS uuid LANGUAGE sql IMMUTABLE AS $$ SELECT '018f0000-0000-4000-8000-000000000000'::uuid $$;
INSERT INTO changed SELECT g, uuidv7_lower_bound('2024-05-01'::timestamptz) FROM generate_series(1, 5) AS g;
UPDATE changed SET u = pg_temp.v4(), b = u < timestamptz '2024-06-01' WHERE id = 1 AND u > timestamptz '2024-04-01' AND u < timestamptz '2024-06-01'
    RETURNING u > timestamptz '2024-04-01' AS after, u < timestamptz '2024-06-01' AS before, b;
WITH i AS (INSERT INTO changed VALUES (2) ON CONFLICT (id) DO UPDATE SET u = pg_temp.v4() WHERE changed.u > timestamptz '2024-04-01' AND changed.u < timestamptz '2024-06-01'
    RETURNING u > timestamptz '2024-04-01' AS after, u < timestamptz '2024-06-01' AS before) SELECT * FROM i;
DO $$
BEGIN
    IF current_setting('server_version_num')::int < 170000 THEN RETURN; END IF;
    EXECUTE $merge$
        CREATE TEMP TABLE merged AS WITH m AS (MERGE INTO changed AS c USING (VALUES (3)) AS s (id) ON c.id = s.id AND c.u > timestamptz '2024-04-01' AND c.u < timestamptz '2024-06-01'
            WHEN MATCHED AND u < timestamptz '2024-06-01' THEN UPDATE SET u = pg_temp.v4()
            RETURNING c.u > timestamptz '2024-04-01' AS after, c.u < timestamptz '2024-06-01' AS before) SELECT * FROM m $merge$;
    IF (SELECT count(*) <> 1 OR count(after) + count(before) > 0 FROM merged) THEN RAISE 'MERGE has decided for the new row'; END IF;
END $$;
CREATE VIEW lately AS SELECT * FROM changed WHERE u > timestamptz '2024-04-01';
CREATE VIEW lately_early AS SELECT * FROM lately WHERE u < timestamptz '2024-06-01' WITH LOCAL CHECK OPTION;
CREATE VIEW early AS SELECT * FROM changed WHERE u < timestamptz '2024-06-01';
CREATE VIEW early_lately AS SELECT * FROM early WHERE u > timestamptz '2024-04-01' WITH LOCAL CHECK OPTION;
UPDATE lately_early SET u = pg_temp.v4() WHERE id = 4;
UPDATE early_lately SET u = pg_temp.v4() WHERE id = 5;
CREATE POLICY seen ON changed USING (true) WITH CHECK (u < timestamptz '2024-06-01');
ALTER TABLE changed ENABLE ROW LEVEL SECURITY;
GRANT ALL ON changed TO snowid_reader;
SET ROLE snowid_reader;
UPDATE changed SET u = pg_temp.v4() WHERE id = 4 AND u > timestamptz '2024-04-01' AND u < timestamptz '2024-06-01';
MERGE INTO changed AS c USING (VALUES (4)) AS s (id) ON c.id = s.id AND u > timestamptz '2024-04-01' AND u < timestamptz '2024-06-01'
    WHEN MATCHED THEN UPDATE SET u = pg_temp.v4();
RESET ROLE;
SET enable_seqscan = on;
EXPLAIN (COSTS off) UPDATE changed SET b = true WHERE u < timestamptz '2024-06-01' RETURNING u;
EXPLAIN (COSTS off) DELETE FROM changed WHERE u < timestamptz '2024-06-01' RETURNING u < timestamptz '2024-06-01';
SET enable_seqscan = off;
DROP OWNED BY snowid_reader;
DROP ROLE snowid_reader;

-- estimates are within a factor of 2, also at the ends; for uuid they are as good as PostgreSQL's own
CREATE TEMP TABLE estimates AS SELECT t.type, f.filter, f.rows, pg_temp.estimate(pg_temp.fill(t, 'SELECT FROM of_TYPE WHERE ' || filter)) AS estimate
    FROM timed t, (VALUES
        ('ID >= timestamptz ''2025-12-01''', 744), ('ID < timestamptz ''2025-01-08''', 168), ('ID <= timestamptz ''2025-07-01''', 4345),
        ('ID >= timestamptz ''2025-03-01'' AND ID < timestamptz ''2025-03-08''', 168), ('ID <@ tstzrange(''2025-03-01'', ''2025-04-01'')', 744),
        ('ID < timestamptz ''infinity''', 8760), ('ID >= timestamptz ''-infinity''', 8760), ('ID > timestamptz ''1900-01-01''', 8760),
        ('ID <= timestamptz ''20000-01-01''', 8760), ('ID <@ tstzrange ''(,)''', 8760), ('NOT ID < timestamptz ''2025-12-01''', 744),
        ('ID > timestamptz ''infinity''', 1), ('ID > timestamptz ''20000-01-01''', 1), ('ID < timestamptz ''1900-01-01''', 1),
        ('ID <@ tstzrange ''empty''', 1)) AS f (filter, rows);
SELECT * FROM estimates WHERE type <> 'uuid' AND (estimate < rows / 2.0 OR estimate > greatest(rows * 2.0, 50));
SELECT pg_temp.estimate('SELECT FROM of_uuid WHERE id >= timestamptz ''2025-06-01'' AND id < timestamptz ''2025-06-10''')
    = pg_temp.estimate(format('SELECT FROM of_uuid WHERE id >= %L AND id < %L', pg_temp.bound('uuidv7', '2025-06-01'), pg_temp.bound('uuidv7', '2025-06-10')))
    AS as_good_as_its_own;

-- with a NULL on either side, known when planning or only when estimating, no operator finds a row, whatever other conditions there are
CREATE FUNCTION pg_temp.operand(type regtype, of regtype, id text, kind text) RETURNS text LANGUAGE sql AS $$
    SELECT CASE kind WHEN 'null' THEN 'NULL::' || type WHEN 'later null' THEN format('current_setting(''no.such'', true)::%s', type)
        ELSE CASE type WHEN of THEN id WHEN 'timestamptz'::regtype THEN 'timestamptz ''2025-05-05''' ELSE 'tstzrange ''[2025-05-05,2025-06-01)''' END END;
$$;
SET jit = off;    -- of ten thousand queries the plans matter
DO $$
DECLARE
    t timed;
    of_type regtype;
    comparison text;
    query text;
    found text;
    operators bigint;
BEGIN
    FOR t IN TABLE timed LOOP
        of_type := CASE t.scheme WHEN 'snowflake' THEN 'snowflake' ELSE t.type END;
        CREATE TEMP TABLE operators AS SELECT o.* FROM pg_operator o WHERE of_type IN (oprleft, oprright) AND oprresult = 'bool'::regtype
            AND ARRAY[oprleft, oprright] <@ ARRAY[of_type, 'timestamptz'::regtype, 'tstzrange'::regtype]::oid[];
        FOR comparison IN SELECT format('%s OPERATOR(%I.%s) %s', pg_temp.operand(oprleft, of_type, id, l), oprnamespace::regnamespace, oprname,
                pg_temp.operand(oprright, of_type, id, r))
            FROM operators, (VALUES ('null', ''), ('later null', ''), ('', 'null'), ('', 'later null'), ('later null', 'later null')) AS n (l, r),
                (VALUES ('ID'), (pg_temp.fill(t, 'SCHEME_lower_bound(''2025-05-05'')::') || of_type)) AS i (id)
        LOOP
            FOR query IN SELECT 'SELECT FROM of_TYPE WHERE ' || replace(beside, 'IT', comparison) FROM (VALUES ('IT'), ('NOT IT'),
                ('IT AND ID < timestamptz ''2025-03-01'''), ('ID >= timestamptz ''2025-03-01'' AND IT'), ('IT AND ID <@ tstzrange(''2025-03-01'', ''2025-04-01'')'),
                ('IT AND id < SCHEME_lower_bound(''2025-03-01'')'), ('id > SCHEME_lower_bound(''2025-03-01'') AND IT AND id <= SCHEME_lower_bound(''2025-04-01'')')) AS b (beside)
            LOOP
                query := pg_temp.fill(t, query);
                EXECUTE 'SELECT count(*) FROM (' || query || ') s HAVING count(*) > 0' INTO found;
                IF found IS NOT NULL THEN RAISE '% rows of %', found, query; END IF;
            END LOOP;
        END LOOP;
        SELECT count(*) INTO operators FROM operators;
        RAISE NOTICE '%: % operators find nothing by NULL', t.type, operators;
        DROP TABLE operators;
    END LOOP;
END $$;
RESET jit;
SELECT DISTINCT pg_temp.estimate(pg_temp.fill(t, 'SELECT FROM of_TYPE WHERE ' || filter)) AS estimate FROM timed t, (VALUES
    ('id >= current_setting(''no.such'', true)::TYPE AND id < SCHEME_lower_bound(''2025-03-01'')'),
    ('ID < timestamptz ''2025-03-01'' AND id >= current_setting(''no.such'', true)::TYPE AND id < SCHEME_lower_bound(''2025-02-01'')'),
    ('ID < current_setting(''no.such'', true)::timestamptz AND ID >= timestamptz ''2025-03-01''')) AS f (filter) WHERE type NOT IN ('uuid', 'bigint', 'snowflake');

-- a cached plan is not used after the layout has changed
SET plan_cache_mode = force_generic_plan;
PREPARE by_layout AS SELECT count(*) FROM message WHERE id::snowflake >= timestamptz '2025-01-07';
EXECUTE by_layout;
BEGIN;
INSERT INTO _snowid.layout VALUES (snowid_layout_canonical('twitter'), '2000-01-01');
EXECUTE by_layout;
ROLLBACK;
EXECUTE by_layout;
RESET plan_cache_mode;

-- a literal without a type is an id, and a volatile time is not rewritten
SELECT id FROM of_ulid WHERE id >= '2025-01-01';
SELECT pg_temp.plan('SELECT FROM of_ulid WHERE id > random() * interval ''1 day'' + now()') ~ 'Filter: \(id > ' AS volatile_stays;
-- a volatile id or a subquery is evaluated once
CREATE FUNCTION pg_temp.counted(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE rows bigint;
BEGIN
    EXECUTE 'SELECT count(*) FROM ' || query INTO rows;
    RETURN rows;
END $$;
SELECT type, sum(pg_temp.counted('generate_series(1, 300) WHERE ' || replace(filter, 'ID', pg_temp.fill(t,
        CASE scheme WHEN 'snowflake' THEN '(CASE WHEN random() < 0.5 THEN SCHEME_lower_bound(''2024-06-01'') ELSE SCHEME_lower_bound(''2030-01-01'') END)::snowflake'
        ELSE '(CASE WHEN random() < 0.5 THEN SCHEME_lower_bound(''2020-01-01'') ELSE SCHEME_lower_bound(''2030-01-01'') END)' END)))) AS rows
    FROM timed t, (VALUES ('ID <@ tstzrange(''2025-01-01'', ''2028-01-01'')'), ('tstzrange(now() - now() + ''2025-01-01''::timestamptz, ''2028-01-01'') @> ID')) AS f (filter)
    GROUP BY type ORDER BY type;
-- a range between times such as now() keeps the ids whose times it has, whichever of its ends belong to it; and its ends must be in order
CREATE TEMP TABLE recent AS SELECT snowflake_lower_bound(at)::snowflake AS s, uuidv7_lower_bound(at) AS u
    FROM generate_series(-90, 90) AS n, LATERAL (SELECT date_trunc('milliseconds', now()) + n * interval '1 minute') AS t (at);
SELECT count(*) AS ranges, count(*) FILTER (WHERE pg_temp.counted(format('recent WHERE %s <@ %s', id, range))
        <> pg_temp.counted(format('recent WHERE %s_time(%s) <@ %s', kind, id, range))) AS wrong
    FROM (VALUES ('snowflake', 's'), ('uuidv7', 'u')) AS k (kind, id), unnest('{[),[],(],()}'::text[]) AS ends,
        (VALUES ('now() - interval ''1 hour''', 'now()'), ('now() - interval ''70 min''', 'now() - interval ''20 min'''),
            ('now()', 'now() + interval ''1 day 1 hour'''), ('now()', 'now()'), ('now()', 'NULL'), ('NULL', 'now() - interval ''1 minute'''),
            ('now() - interval ''1 month''', 'now() - interval ''1 hour'''), ('now() - interval ''1 day 1 hour''', 'now() - interval ''1 hour''')) AS r ("from", "to"),
        format('tstzrange(%s, %s, %L)', "from", "to", ends) AS range;
SELECT count(*) FROM recent WHERE s <@ tstzrange(now(), now() - interval '1 hour');
SELECT pg_temp.plan('SELECT FROM recent WHERE s <@ tstzrange(now() - interval ''2 days'', now() - interval ''1 day'')') !~ 'range' AS yesterday;
CREATE FUNCTION pg_temp.drawn(VARIADIC uuid[]) RETURNS uuid LANGUAGE sql VOLATILE AS 'SELECT $1[1 + floor(random() * cardinality($1))::int]';
SELECT pg_temp.counted($$generate_series(1, 300) WHERE pg_temp.drawn(uuidv7_lower_bound('2026-01-01'), '00000000-0000-4000-8000-000000000000') < timestamptz '2025-01-01'$$) AS once,
    pg_temp.counted($$generate_series(1, 300) WHERE pg_temp.drawn(uuidv7_lower_bound('2026-01-01'), '00000000-0000-4000-8000-000000000000') < timestamptz '2026-02-01'
        AND pg_temp.drawn(uuidv7_lower_bound('2026-01-01'), '00000000-0000-4000-8000-000000000000') < timestamptz '2025-01-01'$$) AS again;
SELECT type, count(*), bool_and((SELECT count(*) FROM regexp_matches(pg_temp.plan(pg_temp.fill(t, 'SELECT FROM of_TYPE o WHERE ' || replace(filter, 'ID',
        '(SELECT max(ID) FROM of_TYPE WHERE n < o.n)' || CASE scheme WHEN 'snowflake' THEN '::snowflake' ELSE '' END))), '\n *SubPlan', 'g')) = 1) AS one_subplan
    FROM timed t, (VALUES ('ID <@ tstzrange(''2025-02-01'', ''2025-03-01'')'), ('ID < now()'), ('ID >= timestamptz ''2025-05-05''')) AS f (filter)
    WHERE type NOT IN ('uuid', 'snowflake') GROUP BY type ORDER BY type;
SELECT ulid_first('2025-01-01', '!=');
SELECT * FROM of_ulid WHERE id < ulid_last(now(), '=<');
PREPARE by_operator(text) AS SELECT uuidv7_first(now(), $1);
EXECUTE by_operator('=>');
SELECT snowflake_first('2025-01-01', '>='), snowflake_last('2025-01-01', '<'), snowflake_first('empty'), snowflake_last('empty'),
    snowflake_first('[2025-01-01,2025-01-02)'), snowflake_last('[2025-01-01,2025-01-02)');
-- a constraint of the table makes the check of a uuid's version unnecessary, as long as it holds for every row and every child
CREATE TABLE by_version (n int, id uuid, other uuid, CONSTRAINT of_version_7 CHECK (n > 0 AND uuidv7_valid(id)));
CREATE FUNCTION checks_version(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
        IF line ~ 'uuidv7_valid' THEN RETURN true; END IF;
    END LOOP;
    RETURN false;
END $$;
PREPARE of_time AS SELECT * FROM by_version WHERE id >= now();
SELECT checks_version('SELECT * FROM by_version WHERE id >= now()') AS checked, checks_version('EXECUTE of_time') AS prepared,
    checks_version('SELECT * FROM by_version WHERE other >= now()') AS other, checks_version('SELECT * FROM (TABLE by_version OFFSET 0) s WHERE id >= now()') AS subquery;
ALTER TABLE by_version DROP CONSTRAINT of_version_7;
SELECT checks_version('EXECUTE of_time');
ALTER TABLE by_version ADD CONSTRAINT of_version_7 CHECK (uuidv7_valid(id)) NOT VALID;
SELECT checks_version('EXECUTE of_time');
ALTER TABLE by_version VALIDATE CONSTRAINT of_version_7;
SELECT checks_version('EXECUTE of_time');
ALTER TABLE by_version DROP CONSTRAINT of_version_7, ADD CONSTRAINT of_version_7 CHECK (uuidv7_valid(id)) NO INHERIT;
SELECT checks_version('EXECUTE of_time');
ALTER TABLE by_version DROP CONSTRAINT of_version_7, ADD CHECK (uuidv7_valid(id) OR n > 0), ADD CHECK (NOT uuidv7_valid(id));
SELECT checks_version('EXECUTE of_time');
DEALLOCATE of_time;
DROP FUNCTION checks_version;
DROP TABLE by_version;
