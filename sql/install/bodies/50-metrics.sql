
-- metrics ---------------------------------------------------------------------------

-- A column of a view is a metric by its type: a bigint counts, an interval is in seconds, a time in seconds since 1970,
-- an array by its length. So a new column of the views is a new metric. Names are for ever.
CREATE FUNCTION _snowid.metrics_of(source regclass, prefix text, shown jsonb, labels jsonb, OUT name text,
        OUT labelled jsonb, OUT value float8)
    RETURNS SETOF record LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 15
BEGIN ATOMIC
    WITH metric AS (
        SELECT attname, atttypid, shown ->> attname AS shown_value,
                CASE atttypid WHEN 'int8'::regtype THEN '_total' WHEN 'interval'::regtype THEN '_seconds'
                    WHEN 'timestamptz'::regtype THEN '_timestamp_seconds' ELSE '' END AS unit
            FROM pg_catalog.pg_attribute
            WHERE attrelid = source AND attnum > 0 AND NOT attisdropped AND atttypid IN ('int4'::regtype,
                'int8'::regtype, 'interval'::regtype, 'timestamptz'::regtype, 'text[]'::regtype))
    SELECT prefix || CASE attname WHEN 'wait_time' THEN 'wait_seconds_total'
                ELSE regexp_replace(attname, '_(time|at)$', '') || unit END,
            labels,
            CASE atttypid WHEN 'interval'::regtype THEN extract(epoch FROM shown_value::interval)::float8
                WHEN 'timestamptz'::regtype THEN extract(epoch FROM shown_value::timestamptz)::float8
                WHEN 'text[]'::regtype THEN jsonb_array_length(shown -> attname)
                ELSE shown_value::float8 END
        FROM metric WHERE shown_value IS NOT NULL;
END;
COMMENT ON FUNCTION _snowid.metrics_of(regclass, text, jsonb, jsonb) IS 'the metrics in one row of a view';

-- The right to read the view is looked at when this runs, so snowid_metrics() can say first who may call it.
CREATE FUNCTION _snowid.stat_rows() RETURNS SETOF @extschema@.snowid_stat
    LANGUAGE sql VOLATILE PARALLEL RESTRICTED ROWS 8
BEGIN ATOMIC
    SELECT * FROM @extschema@.snowid_stat;
END;
COMMENT ON FUNCTION _snowid.stat_rows() IS 'the view snowid_stat';

CREATE FUNCTION @extschema@.snowid_metrics(OUT name text, OUT labels jsonb, OUT value double precision)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 50
BEGIN ATOMIC
    SELECT _snowid.require_monitor('snowid_metrics()');
    WITH stat AS (SELECT own.*, to_jsonb(own) AS shown FROM _snowid.stat_rows() AS own),
        clock AS (
            SELECT clock_regressions, max_regression FROM stat
                WHERE generator = 'default' AND scheme = 'snowflake'),
        found AS (SELECT severity FROM @extschema@.snowid_check()),
        worker AS (SELECT own.* FROM _snowid.worker() AS own WHERE own.source IS NOT NULL),
        state AS (SELECT start FROM _snowid.state() WHERE start IS NOT NULL AND NOT pg_is_in_recovery()),
        partitioned AS (SELECT * FROM _snowid.partitioned())
    SELECT metric.*
        FROM stat, LATERAL _snowid.metrics_of('@extschema@.snowid_stat'::regclass, 'snowid_',
            shown - '{clock_regressions,max_regression}'::text[],
            jsonb_build_object('generator', generator, 'scheme', scheme, 'database', coalesce(database, ''))) AS metric
    UNION ALL
    SELECT 'snowid_clock_regressions_total', '{}', clock_regressions FROM clock
    UNION ALL
    SELECT 'snowid_clock_max_regression_seconds', '{}', extract(epoch FROM max_regression) FROM clock
    UNION ALL
    SELECT metric.*
        FROM worker AS own, LATERAL _snowid.metrics_of('@extschema@.snowid_worker'::regclass, 'snowid_worker_',
            to_jsonb(own) - 'worker', '{}') AS metric
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
    IS 'what snowid_stat and snowid_worker show, the findings of snowid_check() by severity, and until when there are '
        'partitions, as numbers for a monitoring system; for members of pg_monitor';

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
    IS 'snowid_metrics() as one value, for a program that has no exporter; infinite values are null; for members of '
        'pg_monitor';
