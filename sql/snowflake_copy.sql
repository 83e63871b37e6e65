-- COPY FROM writes rows in batches where ids are the default, and nothing else takes snowflake_next() for stable.
-- snowflake_copy_1.out is the output without the library in shared_preload_libraries.
SELECT current_setting('shared_preload_libraries') ~ '\msnowid\M' AS preloaded \gset
\if :preloaded
\else
\quit
\endif
SELECT snowid_generator_create('copied', worker => 61) IS NOT NULL AS created;

-- while a batch is read, the table is still empty
CREATE TABLE copied (id bigint DEFAULT snowflake_next(), other snowflake DEFAULT snowflake_next('copied'),
    n int CHECK (pg_relation_size('copied') = 0));
COPY copied (n) FROM STDIN;
1
2
3
\.
SELECT count(*), count(DISTINCT id), count(DISTINCT other) FROM copied;
SELECT bool_and(id > before) AS ascending FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM copied) s;

CREATE TABLE copied_spread (id bigint DEFAULT snowflake_spread(), other snowflake DEFAULT snowflake_spread('copied'),
    n int CHECK (pg_relation_size('copied_spread') = 0));
COPY copied_spread (n) FROM STDIN;
1
2
3
\.
SELECT count(*), count(DISTINCT id), count(DISTINCT other) FROM copied_spread;
SELECT _snowid.snowflake_spread_in_copy();
SELECT _snowid.snowflake_spread_in_copy('copied');

-- another volatile default, a volatile name, or a volatile WHERE, and rows are written one by one
\set VERBOSITY terse
TRUNCATE copied;
ALTER TABLE copied ADD at timestamptz DEFAULT clock_timestamp();
COPY copied (n) FROM STDIN;
1
2
\.
TRUNCATE copied;
ALTER TABLE copied DROP at, ALTER other SET DEFAULT snowflake_next(left('copied', 6 + (0 * random())::int));
COPY copied (n) FROM STDIN;
1
2
\.
TRUNCATE copied;
ALTER TABLE copied ALTER other DROP DEFAULT;
COPY copied (n) FROM STDIN WHERE snowflake_next() > 0;
1
2
\.
\set VERBOSITY default

-- a default inside of other expressions, and a domain whose check is read for it
CREATE DOMAIN past AS bigint CHECK (VALUE < snowflake_next());
CREATE TABLE nested (id past DEFAULT snowflake_next() - 1,
    n int CHECK (pg_relation_size('nested') = 0));
COPY nested (n) FROM STDIN;
1
2
3
\.
SELECT count(*), count(DISTINCT id) FROM nested;
SELECT count(id::past) FROM snowflake_next_batch(3) AS id;
SELECT (snowflake_next() + (1::bigint << 40))::past;

-- what runs during a COPY
CREATE TABLE altered AS SELECT n FROM generate_series(1, 3) AS n;
CREATE TABLE inserted (id bigint DEFAULT snowflake_next(), n int);
CREATE FUNCTION work() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    ALTER TABLE altered ADD id bigint DEFAULT snowflake_next();
    INSERT INTO inserted (n) SELECT n FROM generate_series(1, 3) AS n;
    RETURN NULL;
END $$;
CREATE TABLE worked (id bigint DEFAULT snowflake_next(), n int);
CREATE TRIGGER before BEFORE INSERT ON worked EXECUTE FUNCTION work();
COPY worked (n) FROM STDIN;
1
2
\.
SELECT count(DISTINCT id) FROM altered;
SELECT count(DISTINCT id) FROM inserted;
SELECT count(DISTINCT id) FROM worked;

-- everything else
ALTER TABLE nested ADD again bigint DEFAULT snowflake_next();
SELECT count(DISTINCT again) FROM nested;
CREATE TABLE generated (n int, id bigint GENERATED ALWAYS AS (snowflake_next()) STORED);
\set VERBOSITY sqlstate
CREATE INDEX ON nested ((n + snowflake_next()));
\set VERBOSITY default
CREATE TABLE checked (id bigint DEFAULT snowflake_next() CHECK (id < snowflake_next()), n int);
COPY checked (n) FROM STDIN;
1
2
\.
SELECT count(DISTINCT id) FROM checked;
PREPARE ids AS INSERT INTO inserted (n) SELECT n FROM generate_series(1, 3) AS n RETURNING n;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (VERBOSE, COSTS OFF) EXECUTE ids;
RESET plan_cache_mode;
EXECUTE ids;
SELECT count(DISTINCT id) FROM inserted;
EXPLAIN (VERBOSE, COSTS OFF) INSERT INTO inserted (n) VALUES (1), (2);
COPY (SELECT count(DISTINCT id) FROM (SELECT snowflake_next() AS id FROM generate_series(1, 3)) s) TO STDOUT;

-- nobody else calls what stands in for it, and rights are those of the function itself
SELECT _snowid.snowflake_next_in_copy();
SELECT _snowid.snowflake_next_in_copy('copied');
ALTER TABLE nested ADD stable bigint DEFAULT _snowid.snowflake_next_in_copy();
BEGIN;
REVOKE EXECUTE ON FUNCTION snowflake_next() FROM PUBLIC;
CREATE ROLE snowid_copies;
GRANT INSERT ON worked, inserted TO snowid_copies;
SET ROLE snowid_copies;
\copy inserted (n) FROM /dev/null
ROLLBACK;

DROP TABLE copied, copied_spread, nested, altered, inserted, worked, checked;
DROP DOMAIN past;
DROP FUNCTION work;
SELECT snowid_generator_drop('copied');
