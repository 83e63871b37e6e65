
-- metrics ---------------------------------------------------------------------------

-- The metrics in one row of a view.
-- A column of a view is a metric by its type: an int counts what there is, a bigint what has happened, an interval is
-- in seconds, a time in seconds since 1970. So a new column of the views is a new metric. Names are for ever.
CREATE FUNCTION _snowid.metrics_of(shown record, prefix text, OUT name text, OUT value float8) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'snowid_metrics_of' LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 15;

-- The view snowid_stat.
-- The right to read the view is looked at when this runs, so snowid_metrics() can say first who may call it.
CREATE FUNCTION _snowid.stat_rows() RETURNS SETOF @extschema@.snowid_stat
    LANGUAGE sql VOLATILE PARALLEL RESTRICTED ROWS 8
BEGIN ATOMIC
    SELECT * FROM @extschema@.snowid_stat;
END;

CREATE FUNCTION @extschema@.snowid_metrics(OUT name text, OUT labels jsonb, OUT value double precision)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 50
BEGIN ATOMIC
    SELECT _snowid.require_monitor('snowid_metrics()');
    WITH stat AS (SELECT * FROM _snowid.stat_rows()),
        clock AS (
            SELECT clock_regressions, max_regression FROM stat
                WHERE generator = 'default' AND scheme = 'snowflake'),
        found AS (SELECT severity FROM @extschema@.snowid_check()),
        worker AS (SELECT own.* FROM _snowid.worker() AS own WHERE own.source IS NOT NULL),
        state AS (SELECT start FROM _snowid.state() WHERE start IS NOT NULL AND NOT pg_is_in_recovery()),
        partitioned AS (SELECT * FROM _snowid.partitioned())
    SELECT metric.name, labels, metric.value
        FROM stat AS own,
            jsonb_build_object('generator', generator, 'scheme', scheme, 'database', coalesce(database, '')) AS labels,
            _snowid.metrics_of(own, 'snowid_') AS metric
        WHERE metric.name NOT IN ('snowid_clock_regressions_total', 'snowid_max_regression_seconds')
    UNION ALL
    SELECT 'snowid_clock_regressions_total', '{}', clock_regressions FROM clock
    UNION ALL
    SELECT 'snowid_clock_max_regression_seconds', '{}', extract(epoch FROM max_regression) FROM clock
    UNION ALL
    SELECT metric.name, '{}', metric.value
        FROM worker AS own, _snowid.metrics_of(own, 'snowid_worker_') AS metric
        WHERE metric.name NOT IN ('snowid_worker_worker', 'snowid_worker_first', 'snowid_worker_last')
    UNION ALL
    SELECT 'snowid_worker_held', '{}', (state = 'held')::int FROM worker
    UNION ALL
    SELECT 'snowid_start_ready', '{}', (start = 'ready')::int FROM state
    UNION ALL
    SELECT 'snowid_generators_in_use', '{}', count(database) FROM stat HAVING count(*) > 0
    UNION ALL
    SELECT 'snowid_generators_room', '{}', setting::int FROM pg_catalog.pg_settings WHERE name = 'snowid.max_generators'
    UNION ALL
    SELECT 'snowid_check_findings', jsonb_build_object('severity', known.severity),
            (SELECT count(*) FROM found WHERE found.severity = known.severity)
        FROM (VALUES ('error'), ('warning'), ('note')) AS known (severity)
    UNION ALL
    SELECT 'snowid_partitions_end_timestamp_seconds', jsonb_build_object('relation', parent),
            coalesce(extract(epoch FROM ends), 0)
        FROM partitioned
    UNION ALL
    SELECT 'snowid_partitions_period_seconds', jsonb_build_object('relation', parent), extract(epoch FROM period)
        FROM partitioned WHERE period IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.snowid_metrics()
    IS 'the numbers of snowid_stat, snowid_worker, snowid_check() and the partitions for a monitoring system; for '
        'members of pg_monitor';

CREATE FUNCTION @extschema@.snowid_metrics_json() RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL RESTRICTED
BEGIN ATOMIC
    SELECT _snowid.require_monitor('snowid_metrics_json()');
    SELECT jsonb_build_object('time', extract(epoch FROM clock_timestamp()), 'version', _snowid.library_version(),
            'metrics', jsonb_agg(jsonb_build_object('name', name, 'labels', labels, 'value', nullif(value, 'Infinity'))
                ORDER BY name, labels))
        FROM @extschema@.snowid_metrics();
END;
COMMENT ON FUNCTION @extschema@.snowid_metrics_json()
    IS 'snowid_metrics() as one value; infinite values are null; for members of pg_monitor';
