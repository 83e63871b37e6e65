-- Periods of days and longer in a time zone.
SET timezone = 'UTC';
SET datestyle = 'ISO';
\set SHOW_CONTEXT never
\set VERBOSITY terse
SET client_min_messages = warning;  -- no news of the work, which comes every five seconds
-- each time is in its period, and one period ends where the next starts: also where midnight is skipped, or comes twice, or a day is missing
CREATE TABLE moment AS
    SELECT zone, t FROM unnest('{America/Havana,Africa/Cairo,Asia/Beirut,America/Sao_Paulo,Pacific/Apia,Europe/Dublin,Australia/Lord_Howe,Asia/Tehran,America/Asuncion,Europe/Moscow}'::text[]) AS zone,
        generate_series('2009-01-01'::timestamptz, '2013-01-01', '1 hour') AS t
        WHERE (t + interval '26 hours') AT TIME ZONE zone - (t - interval '26 hours') AT TIME ZONE zone <> interval '52 hours';
SELECT count(*) > 1000 AS many FROM moment;
SELECT count(*) AS wrong FROM moment, unnest('{1 day,1 week,1 month}'::interval[]) AS every, snowid_period(t, every, zone) AS starts, _snowid.partition_edge(t, every, zone, 1) AS ends
    WHERE (starts <= t AND t < ends AND snowid_period(ends, every, zone) = ends AND _snowid.partition_edge(starts, every, zone, 1) = ends
        AND snowid_period(starts, every, zone) = starts) IS NOT TRUE;
SELECT count(*) AS wrong FROM moment, unnest('{1 day,1 week,1 month,6 hours}'::interval[]) AS every WHERE snowid_period(t, every, 'UTC') <> snowid_period(t, every);
SELECT zone, ends - starts AS length FROM (VALUES ('Europe/Berlin', '2025-03-30 12:00Z'::timestamptz, '1 day'::interval), ('Europe/Berlin', '2025-10-26 12:00Z', '1 day'), ('Europe/Berlin', '2025-10-26 12:00Z', '1 month'),
        ('America/Havana', '2025-11-02 12:00Z', '1 day'), ('Asia/Kathmandu', '2025-11-02 12:00Z', '7 days')) AS of (zone, t, every), snowid_period(t, every, zone) AS starts, _snowid.partition_edge(t, every, zone, 1) AS ends;
-- a table has all days of a year, those of 23 and 25 hours too
CREATE TABLE day (id uuid) PARTITION BY RANGE (id);
SELECT count(*) FROM snowid_partition('day', '1 day', ahead => 199, behind => 199, zone => 'Europe/Berlin');
SELECT count(DISTINCT hours) AS lengths, bool_and(hours IN (23, 24, 25)) AS all_days, bool_and(starts AT TIME ZONE 'Europe/Berlin' = date_trunc('day', starts AT TIME ZONE 'Europe/Berlin')) AS at_midnight,
    bool_and(to_char(starts AT TIME ZONE 'Europe/Berlin', '"day_"YYYYMMDD') = partition::text) AS named, bool_and(starts = before) AS without_gaps
    FROM (SELECT *, extract(epoch FROM ends - starts) / 3600 AS hours, lag(ends, 1, starts) OVER (ORDER BY starts) AS before FROM snowid_partitions('day')) AS p;
SELECT count(*) FROM snowid_partition('day', '1 day');
SELECT count(*) FROM snowid_partition('day', '1 day', zone => 'Europe/Berlin');
SELECT zone FROM _snowid.partitioned WHERE parent = 'day'::regclass;
SELECT snowid_partition('day', '1 day', zone => 'UTC');
SELECT snowid_partition('day', '1 week');
CREATE TABLE hour (id bigint) PARTITION BY RANGE (id);
SELECT snowid_partition('hour', '1 hour', zone => 'Europe/Berlin');
SELECT snowid_partition('hour', '24 hours', zone => 'Europe/Berlin');
SELECT snowid_partition('hour', '1 day', zone => 'Europe/Nowhere');
SELECT snowid_partition('hour', '1 day', zone => 'CEST');
SELECT count(*) FROM snowid_partition('hour', '1 hour', zone => 'UTC');
SELECT zone IS NULL AS is_utc FROM _snowid.partitioned WHERE parent = 'hour'::regclass;
SELECT count(*) FROM snowid_partition('hour', '1 hour', zone => 'UTC');
SELECT snowid_partition('hour', '1 hour', zone => 'Europe/Berlin');
-- days before now are those of the zone, and hours are hours
SELECT _snowid.partition_horizon('2025-03-30 22:30Z', retain, '1 day', 'Europe/Berlin') FROM unnest('{1 day,24 hours,0,1 month}'::interval[]) AS retain;
-- an interval can be positive and lead to the future
SELECT timestamptz '2025-03-15 12:00Z' - interval '1 mon -29 days' AS future, _snowid.partition_horizon('2025-03-15 12:00Z', '1 mon -29 days', '1 day', zone) FROM unnest('{UTC,Europe/Berlin}'::text[]) AS zone;
-- what was made in UTC is not in periods of the zone, and in the zone it is
CREATE TABLE by_hand (id bigint) PARTITION BY RANGE (id);
SELECT count(*) FROM snowid_partition('by_hand', '1 month', behind => 3);
SELECT snowid_partition_forget('by_hand');
SELECT snowid_partition('by_hand', '1 month', zone => 'America/New_York');
-- the rule of a zone changes when partitions are there: as if it were another zone. What was made keeps its times, and there is neither gap nor overlap
CREATE TABLE moved (id bigint, line text) PARTITION BY RANGE (id);
SELECT count(*) FROM snowid_partition('moved', '1 day', ahead => 2, behind => 9, zone => 'Asia/Tokyo');
INSERT INTO moved SELECT snowflake_lower_bound(now() - n * interval '1 hour') FROM generate_series(0, 200) AS n;
CREATE TABLE made AS SELECT * FROM _snowid.partition_times WHERE parent = 'moved'::regclass;
DO $$ DECLARE place text; BEGIN
    FOREACH place IN ARRAY '{Asia/Kathmandu,Pacific/Kiritimati,America/Los_Angeles,Asia/Tokyo}'::text[] LOOP
        UPDATE _snowid.partitioned SET zone = place, ahead = ahead + 2 WHERE parent = 'moved'::regclass;
        PERFORM snowid_partition('moved', '1 day');
    END LOOP;
END $$;
SELECT count(*) AS ranges FROM (SELECT unnest(_snowid.partition_covered('moved'))) AS covered;
SELECT sum(ends - starts) = max(ends) - min(starts) AS no_overlap, max(ends) > now() + interval '9 days' AS as_far FROM snowid_partitions('moved');
SELECT count(*) AS changed FROM made LEFT JOIN _snowid.partition_times AS t USING (parent, partition) WHERE (made.starts, made.ends, made.bounds) IS DISTINCT FROM (t.starts, t.ends, t.bounds);
SELECT count(*) FROM moved;
-- a zone that is gone from the server
UPDATE _snowid.partitioned SET zone = 'Europe/Nowhere' WHERE parent = 'moved'::regclass;
CALL snowid_maintain('moved');
SELECT sqlstate, error, cardinality(dropped) FROM snowid_maintenance WHERE parent = 'moved'::regclass;
DROP TABLE moment, day, hour, by_hand, moved, made;
