
-- what is wrong with partitions by time ---------------------------------------------

CREATE FUNCTION _snowid.check_partitions(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    -- There are no partitions for the time to come, or nobody makes them.
    (WITH governed AS MATERIALIZED (
        SELECT "table", min(record::oid)::regclass AS record FROM @extschema@.snowid_governed GROUP BY "table"),
    found AS MATERIALIZED (
        SELECT p.*, r.every, r.ahead, r.parent IS NOT NULL AS is_recorded, governed.record,
                m.parent IS NOT NULL AS is_misread
            FROM _snowid.partitioned() AS p LEFT JOIN _snowid.partitioned AS r ON r.parent = p.parent
                LEFT JOIN governed ON governed."table" = p.parent
                LEFT JOIN _snowid.partition_misread() AS m ON m.parent = p.parent)
    SELECT 'partitions',
            CASE WHEN ends IS NOT NULL
                THEN format('the partitions of %s end at %s, within one period of %s', parent, ends, period)
                ELSE format('no partition of %s takes current ids', parent) || CASE WHEN has_default
                    THEN ': they go to the default partition' ELSE ', so they are refused' END END,
            CASE WHEN is_misread THEN 'First do what the finding about its layout says.'
                WHEN record IS NOT NULL AND NOT is_recorded THEN format('As the owner of the table run CALL %s(%L); '
                    'and let a job do that.', '@extschema@.snowid_maintain(regclass,interval)'::regprocedure::regproc,
                    record)
                ELSE format('As the owner of the table run SELECT * FROM %s(%L, %L, ahead => %s); and let a job CALL '
                    '%s().', '@extschema@.snowid_partition(regclass,interval,integer,integer,interval,'
                    'text,boolean,text,boolean)'::regprocedure::regproc, parent, coalesce(every, period),
                    greatest(coalesce(ahead, 3), 1),
                    '@extschema@.snowid_maintain(regclass,interval)'::regprocedure::regproc) END,
            CASE WHEN ends IS NULL AND NOT has_default THEN 'error' ELSE 'warning' END
        FROM found WHERE ends IS NULL OR ends < now() + period
    UNION ALL
    SELECT 'partitions', format('%s is partitioned by time, and snowid_maintain knows nothing of it', parent),
            format('As the owner of the table run SELECT * FROM %s(%L, %L, ahead => 3); with retain and expired, if '
                'old partitions are to go.', '@extschema@.snowid_partition(regclass,interval,integer,integer,interval,'
                'text,boolean,text,boolean)'::regprocedure::regproc, parent, period), 'warning'
        FROM found WHERE record IS NULL AND NOT is_recorded AND ends >= now() + period AND isfinite(ends))
    UNION ALL
    -- The layout is not the one by which partitions expire.
    SELECT 'partitions', format('nothing of %s expires, because the layout of this database is not the one that was '
                'recorded for it', parent),
            format('As its owner see in %s(%L) which partitions are older than %s by this layout. Then run SELECT * '
                'FROM %s(%2$L, %L, retain => ..., expired => ...); or, so that nothing expires, SELECT %s(%2$L);',
                '@extschema@.snowid_partitions(regclass)'::regprocedure::regproc, parent, retain,
                '@extschema@.snowid_partition(regclass,interval,integer,integer,interval,text,boolean,text,boolean)'
                    ::regprocedure::regproc, every,
                '@extschema@.snowid_partition_forget(regclass)'::regprocedure::regproc), 'warning'
        FROM _snowid.partition_misread()
    UNION ALL
    -- The last run of snowid_maintain left something.
    (WITH run AS (
        SELECT run.* FROM _snowid.maintenance AS run JOIN _snowid.partitioned USING (parent)
            WHERE EXISTS (SELECT FROM pg_catalog.pg_class WHERE oid = parent))
    SELECT 'partitions', format('the last snowid_maintain did not maintain %s: %s', parent, error),
            coalesce(hint, detail, 'See snowid_maintenance.'), 'warning'
        FROM run WHERE sqlstate IS NOT NULL AND sqlstate <> '55000'
    UNION ALL
    SELECT 'partitions', format('a partition of %s is old enough to expire, and does not: %s', parent, reason),
            'If its rows are to go, detach it by hand.', 'note'
        FROM run, unnest(kept) AS reason WHERE reason !~ ' has a record of its own$')
    UNION ALL
    -- No job maintains what is recorded. A table that nothing expires from may have none.
    SELECT 'partitions', format('snowid_maintain has not maintained %s %s', parent,
            coalesce('since ' || date_trunc('second', run.last), 'yet, and so nothing of it expires')),
            format('Let a job run CALL %s(); at least daily, as %s or a role that may act as it.',
                '@extschema@.snowid_maintain(regclass,interval)'::regprocedure::regproc, relowner::regrole),
            'warning'
        FROM _snowid.partitioned AS record
            JOIN pg_catalog.pg_class AS relation ON relation.oid = record.parent
            LEFT JOIN _snowid.maintenance AS own USING (parent),
            LATERAL (SELECT coalesce(own.ended, own.started) AS last) AS run,
            LATERAL (SELECT min(made) AS made FROM _snowid.partition_times AS times
                WHERE times.parent = record.parent) AS first
        WHERE own.sqlstate IS NULL AND coalesce(run.last, CASE WHEN retain IS NOT NULL THEN first.made END)
            < now() - interval '1 day'
    UNION ALL
    -- Default partitions have rows that are in no partition's way. It reads no table: PostgreSQL has counted the rows.
    SELECT 'partitions', format('the default partition of %s has about %s', "table",
            _snowid.counted(rows, 'row')),
            format('As the owner of the table run CALL %s(%L); which leaves rows that are older than retain.',
                '@extschema@.snowid_partition_settle(regclass,interval)'::regprocedure::regproc, "table"), 'note'
        FROM @extschema@.snowid_governed JOIN pg_catalog.pg_partitioned_table ON partrelid = "table" AND partdefid <> 0,
            LATERAL pg_stat_get_live_tuples(partdefid) AS rows
        WHERE rows > 0 AND NOT EXISTS (SELECT FROM _snowid.maintenance AS run
            WHERE run.parent = record AND run.sqlstate = '23514');
END;
