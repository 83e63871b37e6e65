-- Generating ids. snowflake_next_1.out is the output without the library in shared_preload_libraries.
SELECT current_setting('shared_preload_libraries') ~ '\msnowid\M' AS preloaded \gset
\if :preloaded
\else
\quit
\endif
SET timezone = 'UTC';

-- ids ascend and have the current time
SELECT count(*), count(DISTINCT id), bool_and(id > previous) AS ascending
    FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM (SELECT n, snowflake_next() AS id FROM generate_series(1, 100000) AS n) g) s;
SELECT snowflake_time(id) BETWEEN clock_timestamp() - interval '1 s' AND clock_timestamp() + interval '1 ms' AS of_now,
    snowflake_worker(id)::text = current_setting('snowid.worker_id') AS of_this_worker, pg_typeof(id)
    FROM snowflake_next() AS id;

-- so do batches, and later single ids are above them
WITH batch AS (SELECT id, row_number() OVER () AS n FROM snowflake_next_batch(50000) AS id)
SELECT count(*), count(DISTINCT id), bool_and(id > previous) AS ascending, max(id) < snowflake_next() AS below_the_next
    FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM batch) s;
SELECT count(*), count(DISTINCT id) FROM (SELECT snowflake_next_batch(1000) AS id FROM generate_series(1, 3)) s;
SELECT count(*) FROM (SELECT snowflake_next_batch(2000000000) LIMIT 3) s;
SELECT snowflake_next_batch(0);
SELECT * FROM snowflake_next_batch(-1);
SELECT count(*) FROM snowflake_next_batch(NULL);

-- a batch that is far too large can be cancelled
SET statement_timeout = '200ms';
SELECT count(*) FROM (SELECT snowflake_next_batch(2000000000)) s;
RESET statement_timeout;

-- as a column default
CREATE TABLE plain (id bigint PRIMARY KEY DEFAULT snowflake_next(), n int);
CREATE TABLE typed (id snowflake PRIMARY KEY DEFAULT snowflake_next(), n int);
INSERT INTO plain (n) SELECT generate_series(1, 1000);
INSERT INTO typed (n) SELECT generate_series(1, 1000);
SELECT count(*), bool_and(ordered) FROM (SELECT n > lag(n) OVER (ORDER BY id) AS ordered FROM plain) s;
SELECT count(*), bool_and(ordered) FROM (SELECT n > lag(n) OVER (ORDER BY id) AS ordered FROM typed) s;

-- in a read-only transaction, after a rollback, and in parallel workers
BEGIN READ ONLY;
SELECT snowflake_next() > max(id) AS greater FROM plain;
ROLLBACK;
SELECT snowflake_next() AS before \gset
BEGIN;
SELECT snowflake_next() AS inside \gset
ROLLBACK;
SELECT :inside > :before AND snowflake_next() > :inside AS never_again;
CREATE TABLE many AS SELECT g FROM generate_series(1, 50000) AS g;
ANALYZE many;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS off) CREATE TABLE made AS SELECT snowflake_next() AS id FROM many;
CREATE TABLE made AS SELECT snowflake_next() AS id FROM many;
SELECT count(DISTINCT id) FROM made;

-- sessions cannot change the settings
SELECT name, context, unit FROM pg_settings WHERE name LIKE 'snowid.%' ORDER BY name;
SET snowid.worker_id = 3;
ALTER ROLE CURRENT_USER SET snowid.worker_id = 3;
SET snowid.unknown = 1;
DROP TABLE plain, typed, made;

-- ids that are spread ascend within a transaction, in workers too, where they are those of snowflake_next()
SELECT count(*), count(DISTINCT id), bool_and(id > previous) AS ascending
    FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM (SELECT n, snowflake_spread() AS id FROM generate_series(1, 100000) AS n) g) s;
SELECT clock_timestamp() AS before \gset
SELECT snowflake_time(id) > :'before'::timestamptz - interval '66 ms' AND snowflake_time(id) < clock_timestamp() + interval '1 ms' AS of_the_last_64_ms,
    snowflake_worker(id)::text = current_setting('snowid.worker_id') AS of_this_worker, pg_typeof(id)
    FROM (SELECT max(id) AS id FROM (SELECT snowflake_spread() AS id FROM generate_series(1, 1000) OFFSET 0) s) s;
ALTER FUNCTION snowflake_spread() PARALLEL SAFE;
CREATE TABLE spread AS SELECT snowflake_spread() AS id FROM many;
SELECT count(*) = (SELECT count(*) FROM many) AS same, count(*) = count(DISTINCT id) AS distinct FROM spread;
ALTER FUNCTION snowflake_spread() PARALLEL RESTRICTED;
SELECT issued > 0 AS issued, skipped >= 0 AS skipped, skipped < issued AS fewer FROM snowid_stat WHERE generator = 'default' AND scheme = 'snowflake';
DROP TABLE many, spread;
