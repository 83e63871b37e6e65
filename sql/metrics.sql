-- What the server does as numbers.
SELECT current_setting('shared_preload_libraries') <> 'snowid' AS not_preloaded \gset
\if :not_preloaded
\quit
\endif
SET timezone = 'UTC';
SELECT snowid_stat_reset();
SELECT snowid_generator_create('metered', worker => 920), snowid_generator_create('metered too', scheme => 'sno', partition => 920);
SELECT count(*) FROM snowflake_next_batch(500, 'metered');
SELECT count(*) FROM sno_next_batch(7, 0, 'metered too');
-- every name, with its labels
SELECT name, string_agg(DISTINCT (SELECT string_agg(k, ' ' ORDER BY k) FROM jsonb_object_keys(labels) AS k), ', ') AS labels FROM snowid_metrics() GROUP BY name ORDER BY name COLLATE "C";
-- what a row of snowid_stat has
SELECT m.name, m.value FROM snowid_metrics() AS m WHERE labels = jsonb_build_object('generator', 'metered', 'scheme', 'snowflake', 'database', current_database())
    AND name IN ('snowid_issued_total', 'snowid_refusals_total', 'snowid_worker', 'snowid_overlapping') ORDER BY name COLLATE "C";
SELECT name, to_timestamp(value) = ends_at AS same FROM snowid_metrics() JOIN snowid_stat AS s ON labels ->> 'generator' = generator AND labels ->> 'scheme' = scheme
    WHERE name = 'snowid_ends_timestamp_seconds' AND generator LIKE 'metered%';
SELECT count(*) FROM snowid_metrics() GROUP BY name, labels HAVING count(*) > 1;
-- findings by severity
CREATE TABLE misspelled (id bigint DEFAULT snowflake_next('meterred'));
SELECT sum(value) = (SELECT count(*) FROM snowid_check()) AS all, sum(value) FILTER (WHERE labels ->> 'severity' = 'error') = (SELECT count(*) FROM snowid_check() WHERE severity = 'error') AS errors,
        sum(value) FILTER (WHERE labels ->> 'severity' = 'error') > 0 AS any, count(*) FROM snowid_metrics() WHERE name = 'snowid_check_findings';
DROP TABLE misspelled;
-- partitions
CREATE TABLE parted (id ulid) PARTITION BY RANGE (id);
SELECT value FROM snowid_metrics() WHERE labels ->> 'relation' = 'parted';
SELECT max(ends) AS ends FROM snowid_partition('parted', '1 day', ahead => 2) \gset
SELECT name, CASE WHEN name ~ 'end' THEN to_timestamp(value) = :'ends' ELSE value = 86400 END AS same FROM snowid_metrics() WHERE labels ->> 'relation' = 'parted' ORDER BY name;
DROP TABLE parted;
-- a column of a view is a metric by its type
CREATE VIEW of_tomorrow AS SELECT 'a'::text AS name, interval '1 day 1.5 s' AS safe_horizon_lag, 5::bigint AS turns, timestamptz '2026-05-05Z' AS seen_at, NULL::bigint AS unknown, 7 AS number,
    interval '2 s' AS wait_time, timestamptz 'infinity' AS never_time, '{a,b}'::text[] AS others;
SELECT metric, value FROM of_tomorrow AS t, LATERAL _snowid.metrics_of(t, 'snowid_') AS m (metric, value);
SET intervalstyle = 'sql_standard';
SELECT metric, value FROM of_tomorrow AS t, LATERAL _snowid.metrics_of(t, 'snowid_') AS m (metric, value) WHERE metric ~ 'lag|wait';
RESET intervalstyle;
DROP VIEW of_tomorrow;
-- the same as one value
SELECT jsonb_object_keys(snowid_metrics_json());
SELECT count(*) AS differing FROM (SELECT name, labels, value FROM snowid_metrics()
    EXCEPT SELECT m ->> 'name', m -> 'labels', (m ->> 'value')::float8 FROM jsonb_array_elements(snowid_metrics_json() -> 'metrics') AS m) AS d WHERE name !~ 'ahead|horizon';
-- for pg_monitor
CREATE ROLE snowid_watcher;
SET ROLE snowid_watcher;
SELECT count(*) FROM snowid_metrics();
SELECT snowid_metrics_json();
RESET ROLE;
GRANT pg_monitor TO snowid_watcher;
SET ROLE snowid_watcher;
SELECT count(*) > 30 AS some FROM snowid_metrics();
SELECT jsonb_array_length(snowid_metrics_json() -> 'metrics') > 30 AS some;
RESET ROLE;
DROP ROLE snowid_watcher;
SELECT snowid_generator_drop('metered'), snowid_generator_drop('metered too');
-- a scrape runs the check once
BEGIN;
SET LOCAL track_functions = 'pl';
SELECT count(*) > 30 AS some FROM snowid_metrics();
SELECT pg_stat_get_xact_function_calls('snowid_check()'::regprocedure) AS checks;
COMMIT;
