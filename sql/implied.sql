-- A filter on what is computed from an id finds the id by its index, and the same rows as without.
SET timezone = 'UTC';
SET datestyle = 'ISO';
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
SELECT snowid_seal_key_create() IS NOT NULL AS has_key;
CREATE TEMP TABLE timed AS
    SELECT typname::text AS type, typname::text AS scheme FROM pg_type
    JOIN pg_depend ON classid = 'pg_type'::regclass AND objid = pg_type.oid AND deptype = 'e'
    JOIN pg_extension e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
    WHERE extname = 'snowid' AND typtype = 'b' AND typelem = 0 AND typnamespace <> '_snowid'::regnamespace
    UNION ALL VALUES ('uuid', 'uuidv7'), ('bigint', 'snowflake') ORDER BY scheme, type;

-- How a query finds its rows, and whether they are those that it finds without.
CREATE FUNCTION pg_temp.way(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    line text;
    way text := 'reads all';
    rows text[];
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
        IF line ~ '(Index|Recheck) Cond' THEN way := 'by index'; END IF;
    END LOOP;
    FOREACH line IN ARRAY ARRAY['on', 'off'] LOOP
        PERFORM set_config('snowid.infer', line, true);
        EXECUTE format('SELECT array_append($1, count(*) || coalesce(md5(string_agg(r::text, chr(10) ORDER BY r::text)), '''')) FROM (%s) AS r', query)
            INTO rows USING rows;
    END LOOP;
    PERFORM set_config('snowid.infer', 'on', true);
    RETURN way || CASE WHEN rows[1] <> rows[2] THEN ', but other rows' WHEN rows[1] LIKE '0%' THEN ', no rows' ELSE '' END;
END $$;
CREATE FUNCTION pg_temp.lines(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
        RETURN NEXT regexp_replace(line, 'ord_\w+', 'ord_…', 'g');
    END LOOP;
END $$;

-- every type, as a column and through a view
DO $$
DECLARE
    t timed;
BEGIN
    FOR t IN TABLE timed LOOP
        EXECUTE format($sql$
            CREATE TABLE of_%1$s (id %1$s PRIMARY KEY, n int);
            INSERT INTO of_%1$s SELECT %2$s_lower_bound('2025-01-01'::timestamptz + g * interval '1 hour'), g FROM generate_series(0, 8759) AS g;
            ANALYZE of_%1$s;
            CREATE VIEW seen_%1$s AS SELECT %2$s_time(id) AS made, id::text AS shown, n FROM of_%1$s;
        $sql$, t.type, t.scheme);
    END LOOP;
END $$;
WITH f (filter) AS (VALUES ('made > ''2025-12-30'''), ('made >= ''2025-12-30'' AND made < ''2025-12-31'''), ('made = ''2025-06-01'''),
    ('''2025-01-02'' > made'), ('made BETWEEN ''2025-06-01'' AND ''2025-06-02'''), ('made >= date ''2025-12-30'''),
    ('made < timestamp ''2025-01-02'''), ('made <@ tstzrange(''2025-06-01'', ''2025-06-02'')'),
    ('tstzrange(''2025-06-01'', ''2025-06-02'') @> made'), ('date_trunc(''day'', made) = ''2025-06-01'''),
    ('date_trunc(''month'', made) > ''2025-11-15'''), ('date_trunc(''week'', made, ''Europe/Berlin'') = ''2025-06-01 22:00'''),
    ('date_bin(''15 min'', made, ''2001-01-01'') = ''2025-06-01'''), ('made::date = ''2025-06-01'''),
    ('made AT TIME ZONE ''America/New_York'' < ''2025-01-03'''), ('date_trunc(''month'', made AT TIME ZONE ''America/Juneau'') = ''2025-10-01'''),
    ('(made AT TIME ZONE ''Asia/Tokyo'')::date = ''2025-06-01'''),
    ('made::timestamp >= ''2025-12-30'''), ('date_trunc(''hour'', made::timestamp) = ''2025-06-01 05:00'''))
SELECT filter, way, string_agg(type, ' ' ORDER BY type) AS types
    FROM f, timed, pg_temp.way(format('SELECT n FROM seen_%s WHERE %s', type, filter)) AS way GROUP BY filter, way ORDER BY filter, way;

-- texts: of wide types, sealed ids, TypeIDs and other alphabets
SELECT type, pg_temp.way(format('SELECT n FROM seen_%s WHERE shown = (SELECT shown FROM seen_%1$s WHERE n = 7)', type)) AS one,
    pg_temp.way(format('SELECT n FROM seen_%s WHERE shown IN (%s, ''nothing'')', type, quote_literal(shown))) AS several
    FROM timed, LATERAL (SELECT query_to_xml(format('SELECT shown FROM seen_%s WHERE n = 7', type), false, true, '')) AS q (x),
    LATERAL (SELECT (xpath('//*[local-name() = "shown"]/text()', x))[1]::text) AS s (shown) WHERE type NOT IN ('uuid', 'bigint', 'snowflake');
CREATE VIEW orders AS SELECT id_seal(id, 'ord') AS token, id_text(id, 'base58') AS short, snowflake_time(id) AS made, n FROM of_bigint;
CREATE VIEW users AS SELECT typeid_text(id, 'user') AS token, n FROM of_uuid;
SELECT token, short FROM orders WHERE n = 7 \gset
SELECT token AS typeid FROM users WHERE n = 7 \gset
SELECT pg_temp.way(format('SELECT n FROM orders WHERE token = %L', :'token')) AS sealed,
    pg_temp.way(format('SELECT n FROM orders WHERE token IN (%L, %L, NULL)', :'token', :'typeid')) AS of_several,
    pg_temp.way(format('SELECT n FROM orders WHERE token = %L', :'typeid')) AS not_sealed,
    pg_temp.way(format('SELECT n FROM orders WHERE %L = short', :'short')) AS short,
    pg_temp.way(format('SELECT n FROM users WHERE token = %L', :'typeid')) AS typeid,
    pg_temp.way(format('SELECT n FROM users WHERE token = ANY (%L::varchar[])', array[:'typeid'])) AS typeids;
SELECT pg_temp.lines(format('SELECT n FROM orders WHERE token = %L AND made > ''2025-01-01 05:00''', :'token'));
-- what GET /orders?token=eq.ord_… is to PostgREST, and {orders(where: {token: {_eq: "ord_…"}})} to Hasura
SELECT pg_temp.way(format('WITH pgrst_source AS (SELECT "public"."orders".* FROM "public"."orders" WHERE "public"."orders"."token" = %L)
        SELECT null::bigint AS total_result_set, pg_catalog.count(_postgrest_t) AS page_total, coalesce(json_agg(_postgrest_t), ''[]'') AS body
            FROM (SELECT * FROM pgrst_source) AS _postgrest_t', :'token')) AS postgrest,
    pg_temp.way(format('SELECT coalesce(json_agg("root"), ''[]'') AS "root"
        FROM (SELECT row_to_json((SELECT "_1_e" FROM (SELECT "_0_root.base"."token" AS "token", "_0_root.base"."n" AS "n") AS "_1_e")) AS "root"
            FROM (SELECT * FROM "public"."orders" WHERE (("public"."orders"."token") = ((%L)::text))) AS "_0_root.base") AS "_2_root"', :'token')) AS hasura;

-- prepared, and in PL/pgSQL
SET plan_cache_mode = force_generic_plan;
PREPARE sealed(text) AS SELECT n FROM orders WHERE token = $1;
EXPLAIN (COSTS off) EXECUTE sealed(:'token');
EXECUTE sealed(:'token');
EXECUTE sealed('ord_of_nobody');
PREPARE several(text[]) AS SELECT n FROM orders WHERE token = ANY ($1);
EXPLAIN (COSTS off) EXECUTE several('{}');
EXECUTE several(ARRAY[:'token', 'x', NULL]);
PREPARE since(timestamptz) AS SELECT count(*) FROM orders WHERE made > $1;
EXPLAIN (COSTS off) EXECUTE since('2025-12-31');
EXECUTE since('2025-12-31');
EXECUTE since('infinity');
EXECUTE since(NULL);
RESET plan_cache_mode;
CREATE FUNCTION pg_temp.count_since(t timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) FROM orders WHERE made >= t); END $$;
SELECT pg_temp.count_since('2025-12-31'), pg_temp.count_since('-infinity'), pg_temp.count_since('infinity');
-- the longest zone that can be spelled out
SET timezone = '<-167>+167';
SELECT count(*) FILTER (WHERE made < 'infinity'::date) AS before FROM orders WHERE made >= '-infinity'::date;
SELECT count(*) FROM orders WHERE made >= 'infinity'::date;
SET timezone = 'UTC';

-- layouts by name
SELECT pg_temp.way('SELECT n FROM of_bigint WHERE snowflake_time(id, ''twitter'') > ''2012-11-01''') AS by_name,
    pg_temp.way('SELECT n FROM of_bigint WHERE snowflake_time(id, ''twitter'') <@ tstzrange(''2012-06-01'', ''2012-06-02'')') AS range,
    pg_temp.way('SELECT n FROM of_bigint WHERE snowflake_time(id, ''epoch=2024-01-01,tick=1ms,time=42,worker=10,sequence=12'') > ''2025-12-30''') AS sign_bit;

-- joins, UNION ALL, partitions, inheritance
SELECT pg_temp.way('SELECT a.n FROM of_ulid AS a JOIN orders AS o ON o.n = a.n AND o.made > ''2025-12-31''') AS joined,
    pg_temp.way('SELECT a.n, o.n FROM of_ulid AS a LEFT JOIN orders AS o ON o.n = a.n AND o.made > ''2025-12-31''') AS left_join,
    pg_temp.way('SELECT a.n FROM (SELECT n FROM of_ulid WHERE n < 40) AS a LEFT JOIN orders AS o USING (n) WHERE o.made < ''2025-01-01 05:00''') AS above_left_join,
    pg_temp.way('SELECT a.n, b.n FROM of_bigint AS a FULL JOIN of_ulid AS b ON a.n = b.n AND snowflake_time(a.id) = ''2025-06-01''') AS full_join,
    pg_temp.way('SELECT n FROM (SELECT id, n FROM of_bigint UNION ALL SELECT id, -n FROM of_bigint) AS u WHERE snowflake_time(id) > ''2025-12-31''') AS union_all,
    pg_temp.way('SELECT n FROM (SELECT n, made FROM orders UNION ALL SELECT n, made FROM seen_ulid) AS u WHERE made > ''2025-12-31''') AS union_of_views,
    pg_temp.way('WITH o AS (SELECT * FROM orders) SELECT n FROM o WHERE made > ''2025-12-31''') AS cte;
SELECT count(*) FILTER (WHERE line ~ '_first|_last') AS bounds_of_pairs
    FROM pg_temp.lines('SELECT * FROM orders AS a JOIN of_uuid AS b ON a.made = uuidv7_time(b.id)') AS line;
CREATE TABLE parted (id bigint, n int) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (MINVALUE) TO (snowflake_lower_bound('2025-07-01'));
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (snowflake_lower_bound('2025-07-01')) TO (MAXVALUE);
INSERT INTO parted SELECT id, n FROM of_bigint;
EXPLAIN (COSTS off) SELECT * FROM parted WHERE snowflake_time(id) >= '2025-10-01';
SELECT pg_temp.lines(format('SELECT n FROM parted WHERE id_seal(id, ''ord'') = %L', :'token'));
SET plan_cache_mode = force_generic_plan;
PREPARE of_parts(timestamptz) AS SELECT count(*) FROM parted WHERE snowflake_time(id) >= $1;
EXPLAIN (COSTS off) EXECUTE of_parts('2025-10-01');
RESET plan_cache_mode;

-- not for texts that are equal in other ways, conditions that are not ANDed, rows of the same table, or without use
CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
SELECT pg_temp.way('SELECT n FROM seen_ulid WHERE shown COLLATE any_case = lower((SELECT shown FROM seen_ulid WHERE n = 7))') AS any_case,
    pg_temp.way('SELECT n FROM orders WHERE made > ''2025-12-31'' OR n = 3') AS either,
    pg_temp.way('SELECT n FROM orders WHERE NOT made > ''2025-01-02''') AS negated,
    pg_temp.way('SELECT n FROM orders WHERE made > ''2025-01-01''::timestamptz + n * interval ''1 hour'' - interval ''1 s'' AND n < 9') AS of_each_row,
    pg_temp.way('SELECT n FROM orders WHERE made > clock_timestamp()') AS changing;
CREATE TABLE unindexed AS SELECT id, n FROM of_bigint;
EXPLAIN (COSTS off) SELECT * FROM unindexed WHERE snowflake_time(id) > '2025-12-31';

-- of very many, only the first ones: PostgreSQL compares each condition on an index with every other
SELECT regexp_count(line, 'id [<>]=') AS implied FROM
    (SELECT string_agg(format('made > ''2025-12-31 00:%s''', i), ' AND ') FROM generate_series(10, 59) AS i) AS s (filter),
    pg_temp.lines('SELECT n FROM orders WHERE ' || filter) AS line WHERE line ~ 'Cond';

-- an index on the expression itself is still used
CREATE INDEX ON of_ulid (ulid_time(id), n);
ANALYZE of_ulid;
EXPLAIN (COSTS off) SELECT n FROM of_ulid WHERE ulid_time(id) = '2025-06-01' ORDER BY n;

-- estimates are not multiplied
CREATE FUNCTION pg_temp.estimate(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END $$;
SELECT type, estimate BETWEEN 500 AND 1000 AS is_right FROM timed,
    pg_temp.estimate(format('SELECT n FROM seen_%s WHERE made BETWEEN ''2025-06-01'' AND ''2025-07-01''', type)) AS estimate;

-- Tokens are opened for those who may open them.
CREATE ROLE implied_clerk;
GRANT SELECT ON orders TO implied_clerk;
GRANT EXECUTE ON FUNCTION id_seal(bigint, text, integer) TO implied_clerk;
PREPARE of_clerk AS SELECT n FROM orders WHERE token = 'ord_2usKusanaRwbAHmOQPv3JS';
SELECT EXISTS (SELECT FROM pg_temp.lines('EXECUTE of_clerk') AS line WHERE line ~ 'Index Cond') AS may_open;
SET ROLE implied_clerk;
SELECT EXISTS (SELECT FROM pg_temp.lines('EXECUTE of_clerk') AS line WHERE line ~ 'Index Cond') AS may_not;
SELECT n FROM orders WHERE token = :'token';
RESET ROLE;
GRANT EXECUTE ON FUNCTION id_unseal(text, text) TO implied_clerk;
SET ROLE implied_clerk;
SELECT EXISTS (SELECT FROM pg_temp.lines('EXECUTE of_clerk') AS line WHERE line ~ 'Index Cond') AS is_granted;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION id_unseal(text, text) FROM implied_clerk;
SET ROLE implied_clerk;
SELECT EXISTS (SELECT FROM pg_temp.lines('EXECUTE of_clerk') AS line WHERE line ~ 'Index Cond') AS is_revoked;
DO $$
BEGIN
    PERFORM _snowid.id_unseal_or_null('x', 'ord', NULL);
    RAISE 'it could be called';
EXCEPTION WHEN undefined_function OR feature_not_supported THEN  -- which of them depends on the minor release
END
$$;
SELECT id_try_unseal('x', 'ord');
RESET ROLE;

-- No query fails for want of a right to what it does not name: neither to the functions of bounds nor to a schema.
CREATE TEMP VIEW named AS SELECT *, snowflake_time(id, 'twitter') AS of_twitter FROM of_bigint JOIN orders USING (n);
GRANT SELECT ON named TO implied_clerk;
BEGIN;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;
GRANT EXECUTE ON FUNCTION snowflake_time(bigint), snowflake_time(bigint, text), id_text(bigint, text) TO implied_clerk;
REVOKE USAGE ON SCHEMA public, _snowid FROM PUBLIC;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA _snowid FROM PUBLIC;
SET ROLE implied_clerk;
SELECT count(*) FROM named WHERE made > '2025-12-31';
SELECT count(*) FROM named WHERE made::date = '2025-12-31';
SELECT count(*) FROM named WHERE of_twitter > '2012-11-01';
SELECT n FROM named WHERE short = (SELECT short FROM named WHERE n = 7);
SELECT n FROM named WHERE token = 'ord_2usKusanaRwbAHmOQPv3JS';
PREPARE by_time AS SELECT made FROM named WHERE made > '2025-12-31';
SELECT line FROM pg_temp.lines('EXECUTE by_time') AS line WHERE line ~ 'Cond: .*>';
RESET ROLE;
GRANT EXECUTE ON FUNCTION snowflake_first(timestamptz, text) TO implied_clerk;
SET ROLE implied_clerk;
SELECT line FROM pg_temp.lines('EXECUTE by_time') AS line WHERE line ~ 'Cond: .*>';
ROLLBACK;
DEALLOCATE by_time;
DROP VIEW named;

-- row-level security: a policy's own condition, and a filter above it
CREATE TABLE secured (id bigint PRIMARY KEY, n int);
INSERT INTO secured SELECT id, n FROM of_bigint;
ANALYZE secured;
ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
CREATE POLICY recent ON secured USING (snowflake_time(id) >= '2025-12-01' AND n % 2 = 0);
GRANT SELECT ON secured TO implied_clerk;
SET ROLE implied_clerk;
EXPLAIN (COSTS off) SELECT * FROM secured;
EXPLAIN (COSTS off) SELECT * FROM secured WHERE snowflake_time(id) > '2025-12-30';
SELECT count(*) FROM secured WHERE snowflake_time(id) > '2025-12-30';
RESET ROLE;

-- a token that does not open, and the setting
SELECT id_try_unseal(:'token', 'ord') = id AS opens, id_try_unseal(:'token', 'cus') AS other, id_try_unseal('nonsense', 'ord') AS none,
    id_try_unseal(NULL, 'ord') AS of_null FROM of_bigint WHERE n = 7;
SELECT n FROM of_bigint WHERE id = ANY (ARRAY[id_try_unseal('ord_bad', 'ord'), id_try_unseal(:'token', 'ord')]);
SELECT id_try_unseal(:'token', 'Ord');
SET snowid.infer = off;
EXPLAIN (COSTS off) SELECT n FROM orders WHERE made > '2025-12-31';
RESET snowid.infer;

-- no margin takes an end beyond what holds it, nor grows beyond that itself
SET enable_seqscan = off;
SELECT depth, pg_temp.way(format('SELECT n FROM orders WHERE %s < %L', repeat('date_bin(''300000 days'', ', depth) || 'made' || repeat(', ''2001-01-01'')', depth), '2100-01-01'))
    FROM (VALUES (2), (360), (420)) AS v (depth);
RESET enable_seqscan;
SELECT _snowid.time_earliest(t, '-9223372036854775808', true), _snowid.time_earliest(t, 9223372036854775807, true),
    _snowid.time_latest(t, 9223372036854775807, true) FROM (VALUES (timestamptz '2024-01-01Z')) AS of (t);

DO $$
DECLARE
    t timed;
BEGIN
    FOR t IN TABLE timed LOOP
        EXECUTE format('DROP TABLE of_%s CASCADE', t.type);
    END LOOP;
END $$;
DROP TABLE parted, unindexed, secured;
DROP COLLATION any_case;
REVOKE ALL ON FUNCTION id_seal(bigint, text, integer) FROM implied_clerk;
DROP ROLE implied_clerk;
DELETE FROM _snowid.seal_key;
DELETE FROM _snowid.seal_current;
-- a join that asks for the texts of its rows keeps none of them
BEGIN;
CREATE TABLE one_uuid AS SELECT uuid '01920000-0000-7000-8000-000000000000' AS id;
CREATE INDEX ON one_uuid (id);
ANALYZE one_uuid;
CREATE FUNCTION pg_temp.held() RETURNS bigint LANGUAGE plpgsql VOLATILE
    AS 'BEGIN RETURN (SELECT sum(used_bytes) FROM pg_backend_memory_contexts); END';
SET LOCAL enable_seqscan = off;
SET LOCAL enable_hashjoin = off;
SET LOCAL enable_mergejoin = off;
SELECT max(held) - min(held) < 500000 AS keeps_little FROM (SELECT CASE WHEN i IN (2000, 20000) THEN pg_temp.held() END AS held
    FROM generate_series(1, 20000) AS i LEFT JOIN one_uuid ON typeid_text(id, 'user') = 'user_' || lpad(i::text, 26, '0') OFFSET 0) AS joined;
ROLLBACK;
