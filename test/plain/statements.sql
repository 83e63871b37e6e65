-- The statements that the extension and plain/snowid.sql answer alike. They name no schema: search_path says whose functions they call. The variable
-- `vectors` is the folder of the vectors.
\set SHOW_CONTEXT never
\pset format unaligned
SET timezone = 'UTC';
-- Shows the error of a statement that fails.
CREATE FUNCTION pg_temp.error_of(statement text) RETURNS TABLE (state text, message text, detail text, hint text)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    message := 'no error';
    RETURN NEXT;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
        hint = PG_EXCEPTION_HINT;
    RETURN NEXT;
END $$;

-- layouts; test/plain/differential.sql compares all of them
SELECT name, layout, workers, tick, capacity, ids_per_second FROM snowid_layouts WHERE name IN ('default', 'sonyflake', 'baidu');
SELECT name, ends_at FROM snowid_layouts WHERE name IN ('default', 'sonyflake', 'baidu');

-- canonical texts
SELECT snowid_layout_canonical('default');
SELECT snowid_layout_canonical(' tick = 1000us , time=41, epoch=2024-01-01 00:00Z ,region=3,dc=3,node=4, sequence=12');
SELECT snowid_layout_canonical('epoch=2010-11-04T01:42:54.6571Z,tick=60s,time=20,sequence=8,machine=16');

-- ids from other systems
SELECT * FROM snowflake_decode(1593572310593806338, 'twitter');
SELECT * FROM snowflake_decode(175928847299117063, 'discord');
SELECT * FROM snowflake_decode(1671372309237077023, layout => 'instagram');
SELECT * FROM snowflake_decode(9223372036854775807, 'sonyflake');
SELECT * FROM snowflake_decode(-1, 'discord');  -- all 64 bits are used: read as unsigned
SELECT * FROM snowflake_decode(9007199254740991, 'js'), snowflake_time(9007199254740992, 'js') AS outside;
SELECT snowflake_encode('2022-11-18 11:50:20.644Z', 382, 2, 'twitter'),
       snowflake_encode('2154-05-15 07:35:11.103Z', 1023, 4095, 'discord') AS the_last_of_discord;
SELECT snowflake_lower_bound('2022-11-18 11:50:20.644Z', 'twitter'),
       snowflake_lower_bound('2100-01-01Z', 'discord') AS negative_as_a_bigint;
SELECT count(DISTINCT snowflake_time(0, layout)) FROM snowid_layouts;
SELECT snowflake_encode('infinity', 0, 0, 'epoch=1900-01-01,tick=1us,time=19,sequence=9');

-- errors in a layout, with hints
SELECT state, message, detail FROM unnest(ARRAY['', 'twiter', 'TWITTER', 'epoch=2024-01-01', 'epoch', 'epoch=2024-01-01,',
        'epoch=2024-01-01,tick=1ms,time=41,,sequence=12',
        'tick=1ms,time=41,worker=10,sequence=12', 'epoch=2024-01-01,time=41,worker=10,sequence=12',
        'epoch=2024-01-01,tick=1ms,worker=10,sequence=12', 'epoch=2024-01-01,tick=1ms,time=41,worker=10',
        'epoch=2024-01-01,tick=1ms,time=41,worker=10,worker=5,sequence=12',
        'epoch=2024-01-01,epoch=2024-01-01,tick=1ms,time=41,sequence=12',
        'epoch=2024-01-01,tick=1ms,tick=1ms,time=41,sequence=12',
        'epoch=2024-01-01,tick=1ms,time=41,Worker=10,sequence=12',
        'epoch=2024-01-01,tick=1ms,time=41,a_name_that_is_too_long=10,sequence=12',
        'epoch=2024-01-01,tick=1ms,time=41,w o=10,sequence=12',
        'epoch=2024-01-01,tick=1ms,time=41,worker=0,sequence=12', 'epoch=2024-01-01,tick=1ms,time=41,worker=-1,sequence=12',
        'epoch=2024-01-01,tick=1ms,time=41,worker=ten,sequence=12', 'epoch=2024-01-01,tick=1ms,time=64,sequence=12',
        'epoch=2024-01-01,tick=1ms,time=41,worker=12,sequence=12', 'epoch=2024-01-01,tick=1ms,time=20,worker=5,sequence=32',
        'epoch=2024-01-01,tick=1ms,time=20,worker=32,sequence=5',
        'epoch=2024-01-01,tick=1ms,time=9,a=1,b=1,c=1,d=1,e=1,f=1,g=1,sequence=5',
        'epoch=2024-01-01,tick=1ms,worker=10,time=41,sequence=12', 'epoch=2024-01-01,tick=1ms,time=54,sequence=2',
        'epoch=2024-02-30,tick=1ms,time=41,sequence=12', 'epoch=yesterday,tick=1ms,time=41,sequence=12',
        'epoch=2024-01-01T25:00,tick=1ms,time=41,sequence=12', 'epoch=2024-01-01T00:00+02,tick=1ms,time=41,sequence=12',
        'epoch=1899-12-31,tick=1ms,time=41,sequence=12',
        'epoch=2024-01-01,tick=0ms,time=41,sequence=12', 'epoch=2024-01-01,tick=1,time=41,sequence=12',
        'epoch=2024-01-01,tick=1h,time=41,sequence=12', 'epoch=2024-01-01,tick=9999s,time=41,sequence=12',
        repeat('x', 300), 'epoch=2024-01-01,' || repeat('y', 300) || '=1']) AS bad,
    LATERAL pg_temp.error_of(format('SELECT snowflake_time(5, %L)', bad));
-- ids may have an epoch in the future, but nobody may choose it for new ids
SELECT snowflake_time(0, 'epoch=2999-01-01,tick=1ms,time=41,sequence=12') AT TIME ZONE 'UTC' AS time;
SELECT snowid_layout_canonical('epoch=2999-01-01,tick=1ms,time=41,sequence=12');
SELECT snowflake_time(5, 'twiter');
SELECT snowflake_time(5, NULL) IS NULL AS null_in;

SELECT layout FROM snowid_layout;

-- snowflakes
\set as_it_is ' WITH (FORMAT csv, HEADER, DELIMITER E''\\t'', QUOTE E''\\x01'')'
CREATE TEMP TABLE published (layout text, id bigint, unix_ms numeric, fields text, kind text);
\set copy '\\copy published FROM ''' :vectors '/snowflake.valid.tsv''' :as_it_is
:copy
SELECT count(*) > 50 AS read, bool_and(extract(epoch FROM d.time)::numeric * 1000 = unix_ms) AS time,
    bool_and(snowflake_encode(d.time, d.worker, d.sequence, layout) = published.id) AS encoded,
    bool_and((SELECT bool_and((d.fields ->> split_part(f, '=', 1)) = split_part(f, '=', 2)) FROM unnest(string_to_array(published.fields, ';')) AS f WHERE d.fields ? split_part(f, '=', 1))) AS fields,
    bool_and(snowflake_worker(id, layout) = d.worker AND snowflake_sequence(id, layout) = d.sequence AND snowflake_time(id, layout) = d.time) AS parts
    FROM published, LATERAL snowflake_decode(id, layout) AS d;
-- the parts of an id
SELECT * FROM snowflake_decode(382458686519406592);
SELECT snowflake_time(382458686519406592), snowflake_worker(382458686519406592), snowflake_sequence(382458686519406595);
SELECT * FROM snowflake_decode(-1);  -- bits outside of the layout: no id of it
SELECT snowflake_encode('2026-11-20 12:00:00.1239Z', 1023, 4095), snowflake_encode('2024-01-01Z', 0, 0);
SELECT * FROM snowflake_decode(snowflake_encode('2026-11-20 12:00:00.1239Z', 1023, 4095));
SELECT state, message, detail FROM unnest(ARRAY['2026-11-20Z, 1024, 0', '2026-11-20Z, -1, 0', '2026-11-20Z, 0, 4096',
        '2023-12-31 23:59:59.999999Z, 0, 0', '2093-09-07Z, 0, 0', 'infinity, 0, 0', '-infinity, 0, 0']) AS parts,
    LATERAL pg_temp.error_of(format('SELECT snowflake_encode(%L, %s)', split_part(parts, ',', 1), substr(parts, position(',' in parts) + 1)));

-- bounds
SELECT state, message, detail FROM unnest(ARRAY['2093-09-07Z', 'infinity']) AS t,
    LATERAL pg_temp.error_of(format('SELECT snowflake_lower_bound(%L)', t));
SELECT snowflake_lower_bound('2024-01-01Z'), snowflake_lower_bound('2000-01-01Z'), snowflake_lower_bound('-infinity'),
    snowflake_lower_bound('2024-01-01 00:00:00.001Z'), snowflake_lower_bound('2024-01-01 00:00:00.000001Z');
SELECT bool_and(snowflake_time(b) >= t AND snowflake_time(b - 1) < t) AS bounds_are_exact
    FROM (SELECT timestamptz '2024-01-01Z' + random() * interval '60 years' + interval '1 s' AS t FROM generate_series(1, 1000)) AS r,
    LATERAL (SELECT snowflake_lower_bound(t) AS b) AS l;

SELECT op, t, snowflake_first(t, op), snowflake_last(t, op) FROM unnest('{<,<=,>=,>}'::text[]) AS op, unnest(ARRAY['-infinity', '1999-01-01Z', '2024-01-01Z', '2024-01-01 00:00:00.000001Z',
    '2026-11-20 12:00:00.1239Z', '2093-09-06 15:47:35.551Z', '2093-09-06 15:47:35.551001Z', '2100-01-01Z', '294276-12-31Z', 'infinity']::timestamptz[]) AS t;
SELECT r, snowflake_first(r), snowflake_last(r) FROM unnest(ARRAY['empty', '(,)', '[2026-11-20,2026-11-21)', '(2026-11-20,2026-11-21]', '[,2026-11-21)', '(2026-11-21,]', '(-infinity,infinity)', '[-infinity,infinity]']::tstzrange[]) AS r;
SELECT message, detail FROM pg_temp.error_of($$SELECT snowflake_first(now(), '=')$$);
SELECT snowflake_time(NULL), snowflake_worker(NULL), snowflake_sequence(NULL), snowflake_lower_bound(NULL), snowflake_first(NULL, '<'), snowflake_last(NULL::tstzrange), snowflake_encode(NULL, 1, 1), snowflake_decode(NULL);
CREATE TEMP TABLE derived (id bigint PRIMARY KEY CHECK (snowflake_worker(id) = 7), made timestamptz GENERATED ALWAYS AS (snowflake_time(id)) STORED);
CREATE INDEX ON derived (snowflake_sequence(id));
INSERT INTO derived VALUES (382458686519406592 | 7 << 12);
SELECT * FROM derived;

-- making them
SELECT count(*), count(DISTINCT id), bool_and(id > previous) AS ascending
    FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM (SELECT n, snowflake_next() AS id FROM generate_series(1, 20000) AS n) g) s;
SELECT snowflake_time(id) BETWEEN clock_timestamp() - interval '1 s' AND clock_timestamp() + interval '5 ms' AS of_now, snowflake_worker(id) FROM snowflake_next() AS id;
WITH batch AS (SELECT id, row_number() OVER () AS n FROM snowflake_next_batch(50000) AS id)
SELECT count(*), count(DISTINCT id), bool_and(id > previous) AS ascending, max(id) < snowflake_next() AS below_the_next, bool_and(snowflake_worker(id) = 7) AS of_this_worker
    FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM batch) s;
SELECT count(*), count(DISTINCT id) FROM (SELECT snowflake_next_batch(1000) AS id FROM generate_series(1, 3)) s;
SELECT count(*) FROM (SELECT snowflake_next_batch(2000000000) LIMIT 3) s;
SELECT n, state, message, detail FROM unnest('{0,-1}'::int[]) AS n, LATERAL pg_temp.error_of(format('SELECT snowflake_next_batch(%s)', n));
SELECT count(*) FROM snowflake_next_batch(NULL);
SET statement_timeout = '200ms';
SELECT state, message FROM pg_temp.error_of('SELECT count(*) FROM (SELECT snowflake_next_batch(2000000000)) s');  -- the block that shows errors does not catch this one
RESET statement_timeout;
CREATE TEMP TABLE made (id bigint PRIMARY KEY DEFAULT snowflake_next(), n int);
INSERT INTO made (n) SELECT generate_series(1, 1000);
SELECT count(*), bool_and(ordered) FROM (SELECT n > lag(n) OVER (ORDER BY id) AS ordered FROM made) s;
SELECT snowflake_spread() > 0 AS spread, uuidv7_valid(uuidv7_spread()) AS valid;
SELECT snowflake_next() AS before \gset
BEGIN;
SELECT snowflake_next() AS inside \gset
ROLLBACK;
SELECT :inside > :before AND snowflake_next() > :inside AS never_again;

-- a time bound is an index condition, and prunes
CREATE TABLE parted (id bigint PRIMARY KEY) PARTITION BY RANGE (id);
SELECT format('CREATE TABLE parted_%s PARTITION OF parted FOR VALUES FROM (%s) TO (%s)', n, snowflake_lower_bound(timestamptz '2025-01-01Z' + n * interval '1 month'),
    snowflake_lower_bound(timestamptz '2025-01-01Z' + (n + 1) * interval '1 month')) FROM generate_series(0, 2) AS n \gexec
SET enable_seqscan = off;
SET enable_bitmapscan = off;
CREATE FUNCTION pg_temp.plan_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
        line := substring(line FROM '(Index (?:Only )?Scan.*|Subplans Removed: .*|Index Cond: \((?:parted_\d\.)?id >= )');
        IF line IS NOT NULL THEN RETURN NEXT line; END IF;
    END LOOP;
END $$;
SELECT * FROM pg_temp.plan_of($$SELECT id FROM parted WHERE id >= snowflake_lower_bound('2025-03-05')$$) AS line;
SELECT * FROM pg_temp.plan_of($$SELECT id FROM parted WHERE id >= snowflake_lower_bound(now() - (now() - '2025-03-05Z'))$$) AS line;
SELECT * FROM pg_temp.plan_of($$SELECT id FROM parted WHERE id >= snowflake_first(now() - (now() - '2025-03-05Z'), '>=')$$) AS line;
DROP TABLE parted;
RESET enable_seqscan;
RESET enable_bitmapscan;

-- UUIDv7
CREATE TEMP TABLE valid (hex text, text uuid, unix_ms numeric, rand_a int, rand_b_hex text, kind text);
\set copy '\\copy valid FROM ''' :vectors '/uuidv7.valid.tsv''' :as_it_is
:copy
SELECT count(*) > 50 AS read, bool_and(round((extract(epoch FROM time) * 1000)::numeric) = unix_ms) AS time, bool_and(d.rand_a = valid.rand_a) AS rand_a,
    bool_and(rand_b = ('x' || rand_b_hex)::bit(64)::bigint) AS rand_b, bool_and(version = 7) AS version,
    bool_and(uuidv7_encode(time, d.rand_a, rand_b) = text) AS encoded, bool_and(uuidv7_rand_a(text) = d.rand_a) AS part_a,
    bool_and(uuidv7_rand_b(text) = rand_b) AS part_b
    FROM valid, LATERAL uuidv7_decode(text) AS d;
CREATE TEMP TABLE versions (id uuid, variant text, version text, unix_ms text);
\set copy '\\copy versions FROM ''' :vectors '/uuid_version.tsv''' :as_it_is
:copy
SELECT count(*) > 50 AS read, bool_and(uuidv7_version(id)::text IS NOT DISTINCT FROM nullif(version, '-')) AS version,
    bool_and((uuidv7_time(id) IS NULL) = (uuidv7_version(id) IS DISTINCT FROM 7)) AS time_of_7_only,
    bool_and(extract(epoch FROM uuidv7_time(id)) * 1000 = unix_ms::numeric) FILTER (WHERE version = '7') AS time
    FROM versions;
-- one microsecond in 4096ths of a millisecond
CREATE TEMP TABLE fractions (unix_ns numeric, unix_ms numeric, fraction int, head text);
\set copy '\\copy fractions FROM ''' :vectors '/uuidv7_method3.tsv''' :as_it_is
:copy
SELECT count(*) > 10 AS read, bool_and(substr(uuid_send(uuidv7_encode(timestamptz 'epoch' + (unix_ms * 1000)::bigint * interval '1 us', fraction, 0)), 1, 8)
    = decode(head, 'hex')) AS heads FROM fractions WHERE unix_ms < 4e12;

-- the example of RFC 9562, and uuids of another version or none
SELECT * FROM unnest(ARRAY['017f22e2-79b0-7cc3-98c4-dc0c0c07398f', '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff', '919108f7-52d1-4320-9bac-f847db4148a8', '017f22e2-79b0-7cc3-18c4-dc0c0c07398f']::uuid[]) AS id,
    LATERAL uuidv7_decode(id);

-- parts that are out of range
SELECT call, e.* FROM unnest(ARRAY['''2026-11-20Z'', 4096, 0', '''2026-11-20Z'', -1, 0', '''2026-11-20Z'', 0, -1',
        '''2026-11-20Z'', 0, 4611686018427387904', '''1969-12-31Z'', 0, 0', '''infinity'', 0, 0']) AS call,
    LATERAL pg_temp.error_of('SELECT uuidv7_encode(' || call || ')') AS e;
SELECT uuidv7_encode('2026-11-20 12:00:00.1239Z', 4095, 4611686018427387903), uuidv7_encode('1970-01-01Z', 0, 0);

-- bounds
SELECT t, uuidv7_lower_bound(t), uuidv7_time(uuidv7_lower_bound(t))
    FROM unnest(ARRAY['-infinity', '1969-12-31Z', '1970-01-01Z', '1970-01-01 00:00:00.000001Z', '10889-08-02 05:31:50.655Z']::timestamptz[]) AS t;
SELECT call, e.* FROM unnest(ARRAY['lower_bound(''10889-08-02 05:31:50.656Z'')', 'lower_bound(''infinity'')']) AS call,
    LATERAL pg_temp.error_of('SELECT uuidv7_' || call) AS e;

SELECT op, t, uuidv7_first(t, op), uuidv7_last(t, op) FROM unnest('{<,<=,>=,>}'::text[]) AS op, unnest(ARRAY['-infinity', '1969-12-31Z', '1970-01-01Z', '1970-01-01 00:00:00.000001Z',
    '2026-11-20 12:00:00.1239Z', '10889-08-02 05:31:50.655Z', '10889-08-02 05:31:50.655001Z', 'infinity']::timestamptz[]) AS t;
SELECT r, uuidv7_first(r), uuidv7_last(r) FROM unnest(ARRAY['empty', '(,)', '[2026-11-20,2026-11-21)', '(2026-11-20,2026-11-21]', '[,2026-11-21)', '(2026-11-21,]', '(-infinity,infinity)', '[-infinity,infinity]']::tstzrange[]) AS r;
SELECT message, detail FROM pg_temp.error_of($$SELECT uuidv7_last(now(), '=')$$);
SELECT uuidv7_time(NULL), uuidv7_rand_a(NULL), uuidv7_version(NULL), uuidv7_valid(NULL), uuidv7_lower_bound(NULL), uuidv7_encode(NULL, 1, 1);
CREATE TEMP TABLE made_u (id uuid PRIMARY KEY DEFAULT uuidv7_next(), n int GENERATED ALWAYS AS IDENTITY);
INSERT INTO made_u SELECT FROM generate_series(1, 10000);
SELECT count(*), count(DISTINCT id), bool_and(id > previous) AS ascending, bool_and(uuidv7_version(id) = 7) AS version,
    bool_and(uuidv7_time(id) BETWEEN now() - interval '3 s' AND clock_timestamp() + interval '2 s') AS of_now
    FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM made_u) s;

-- Time partitions of tables that are partitioned by ranges of ids.
SET timezone = 'America/New_York';
SET datestyle = 'ISO';
\set SHOW_CONTEXT never
SELECT snowid_period('2025-05-15 12:34:56Z', p) AT TIME ZONE 'UTC' AS period FROM unnest('{1 month,3 months,1 year,1 week,1 day,6 hours,00:00:10}'::interval[]) AS p;
CREATE TABLE log (id bigint, line text, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE log_u (id uuid) PARTITION BY RANGE (id);
SELECT count(*), bool_and(action = 'created'), min(starts) <= now() AND max(ends) > now() + interval '1 month' AS around_now,
    count(DISTINCT starts) = count(*) AND bool_and(extract(day FROM starts AT TIME ZONE 'UTC') = 1) AS aligned FROM snowid_partition('log', '1 month', behind => 12);
SELECT * FROM snowid_partition('log', '1 month', behind => 12);
SELECT t, (SELECT count(*) FROM snowid_partition(t, '1 day', ahead => 2)) FROM unnest('{log_u}'::regclass[]) AS t;
INSERT INTO log SELECT snowflake_lower_bound(now() - g * interval '30 days') FROM generate_series(0, 10) AS g;
INSERT INTO log VALUES (snowflake_encode(now(), 0, 1));
INSERT INTO log_u VALUES (uuidv7_next());
SELECT count(*) = 2 AS now_is_in_one FROM log l JOIN snowid_partitions('log') p ON l.tableoid = p.partition WHERE now() >= starts AND now() < ends;
SELECT bool_and(snowflake_time(id) >= starts AND snowflake_time(id) < ends) AS each_in_its_time FROM log l JOIN snowid_partitions('log') p ON l.tableoid = p.partition;
SELECT min(partition::text) = 'log_' || to_char((now() AT TIME ZONE 'UTC') - interval '12 months', 'YYYYMM') AS name FROM snowid_partitions('log');
SELECT count(*) FROM pg_indexes WHERE tablename LIKE 'log\_2%';
-- older partitions are detached, never dropped
SELECT count(*), bool_and(action = 'detached') FROM snowid_partition('log', '1 month', retain => '6 months');
SELECT state, count(*), count(detached), min(ends) <= now() - interval '6 months' AS old FROM snowid_partitions('log') GROUP BY state ORDER BY state;
SELECT count(*) FROM pg_class WHERE relname ~ '^log_2' AND relkind = 'r';
CREATE TABLE tenant (tenant int, id bigint) PARTITION BY LIST (tenant);
CREATE TABLE tenant_1 PARTITION OF tenant FOR VALUES IN (1) PARTITION BY RANGE (id);
CREATE TABLE tenant_2 PARTITION OF tenant FOR VALUES IN (2) PARTITION BY RANGE (id);
CREATE TABLE tenant_2_rest PARTITION OF tenant_2 DEFAULT;
SELECT count(*), count(DISTINCT split_part(partition::text, '_', 2)) FROM snowid_partition('tenant', '1 day', ahead => 1);
SELECT starts, ends FROM snowid_partitions('tenant_2') WHERE partition = 'tenant_2_rest'::regclass;
SELECT count(*) FROM snowid_partition('tenant', '1 day', ahead => 1);
-- each name has the whole date, and names that are taken are passed over
CREATE TABLE of_tenants (tenant text, id bigint) PARTITION BY LIST (tenant);
CREATE TABLE the_log_of_all_events_in_the_content_management_system_eu PARTITION OF of_tenants FOR VALUES IN ('eu') PARTITION BY RANGE (id);
CREATE TABLE the_log_of_all_events_in_the_content_management_system_us PARTITION OF of_tenants FOR VALUES IN ('us') PARTITION BY RANGE (id);
CREATE TABLE äääääääääääääääääääääääääääääää (id bigint) PARTITION BY RANGE (id);
SELECT count(*), bool_and(partition::text ~ '_\d{6}(_1)?$') AS dated, count(DISTINCT partition) FROM snowid_partition('of_tenants', '1 month');
SELECT count(*), bool_and(partition::text ~ '_\d{6}"$') AS dated, max(octet_length(trim('"' FROM partition::text))) AS bytes FROM snowid_partition('äääääääääääääääääääääääääääääää', '1 month');
-- what is made by hand later is left as it is, and the gaps around it are filled
CREATE TABLE mixed (id bigint) PARTITION BY RANGE (id);
SELECT count(*) FROM snowid_partition('mixed', '1 month', ahead => 0);
DO $$ BEGIN
    EXECUTE format('CREATE TABLE mixed_day PARTITION OF mixed FOR VALUES FROM (%L) TO (%L)',
        snowflake_lower_bound(snowid_period(now(), '1 month') + interval '1 month 10 days'), snowflake_lower_bound(snowid_period(now(), '1 month') + interval '1 month 11 days'));
END $$;
SELECT regexp_replace(partition::text, '\d{6}', 'MONTH') AS partition FROM snowid_partition('mixed', '1 month', ahead => 1);
SELECT count(*) FROM snowid_partition('mixed', '1 month');
-- no partition is made that would be detached, or that ends before the first id
SELECT count(*), min(action) FROM snowid_partition('mixed', '1 month', ahead => 0, behind => 5, retain => '2 months');
SELECT count(*) FROM snowid_partition('mixed', '1 month', ahead => 0, behind => 5, retain => '2 months');
-- a partition has the privileges of its table
CREATE TABLE granted (id bigint, "100%" text) PARTITION BY RANGE (id);
GRANT SELECT ON granted TO PUBLIC;
GRANT UPDATE ("100%") ON granted TO pg_monitor WITH GRANT OPTION;
SELECT count(*) FROM snowid_partition('granted', '1 day', ahead => 0);
SELECT has_table_privilege('pg_monitor', partition, 'SELECT') AS reads, has_table_privilege('pg_monitor', partition, 'UPDATE') AS writes,
    has_column_privilege('pg_monitor', partition, '100%', 'UPDATE WITH GRANT OPTION') AS writes_a_column FROM snowid_partitions('granted');
DROP TABLE granted;
CREATE TABLE old (id bigint) PARTITION BY RANGE (id);
SELECT count(*) BETWEEN 1 AND 149 AS from_the_first_id_on FROM snowid_partition('old', '10 years', ahead => 0, behind => 10);
SELECT count(*) FROM snowid_partition('old', '10 years', ahead => 0, behind => 10);
-- a call is one subtransaction, not one for each partition: the end of each looks at all relations that the transaction has made
CREATE TABLE log_of_days (id bigint) PARTITION BY RANGE (id);
SELECT count(*) FROM snowid_partition('log_of_days', '1 day', ahead => 39);
SELECT count(*), count(DISTINCT xmin::text) AS subtransactions FROM pg_inherits WHERE inhparent = 'log_of_days'::regclass;
-- errors
SELECT * FROM snowid_partition(NULL, '1 day');
CREATE TABLE unparted (id bigint);
CREATE TABLE by_text (id text) PARTITION BY RANGE (id);
SELECT * FROM snowid_partition('unparted', '1 day');
SELECT * FROM snowid_partition('by_text', '1 day');
SELECT * FROM snowid_partition('log', '1 month 1 day');
SELECT * FROM snowid_partition('log', '0');
SELECT * FROM snowid_partition('log', NULL);
SELECT * FROM snowid_partition('log', '1 day', ahead => -1);
SELECT * FROM snowid_partition('log', '1 day', expired => 'shred');
SELECT * FROM snowid_partitions(NULL);

-- what is recorded and maintained
SELECT every, ahead, behind, retain, expired FROM snowid_partitioned WHERE parent = 'log_of_days'::regclass;
SELECT * FROM snowid_partition('log_of_days', '2 days');
CALL snowid_maintain('log_of_days');
SELECT state, count(*), max(ends) > now() + interval '39 days' AS covered FROM snowid_partitions('log_of_days') GROUP BY state;
CALL snowid_maintain();
CREATE TABLE kept (id bigint) PARTITION BY RANGE (id);
SELECT count(*) FROM snowid_partition('kept', '1 day', behind => 5);
SELECT action, count(*) FROM snowid_partition('kept', '1 day', behind => 0, retain => '2 days', expired => 'drop') GROUP BY action;
SELECT retain FROM snowid_partitioned WHERE parent = 'kept'::regclass;
SELECT count(*) FROM snowid_partition('kept', '1 day', expired => 'keep');
SELECT retain, expired FROM snowid_partitioned WHERE parent = 'kept'::regclass;
SELECT * FROM snowid_partition('kept', '1 day', retain => '1 day', expired => 'keep');
SELECT state, count(*) FROM snowid_partitions('kept') GROUP BY state;
CALL snowid_maintain('by_text');
SELECT snowid_partition_forget('log_of_days');
CALL snowid_maintain('log_of_days');
-- a table that fails is named at the end, and what is done for others stays
CREATE SCHEMA closed;
CREATE TABLE closed.log (id bigint) PARTITION BY RANGE (id);
SELECT count(*) FROM snowid_partition('closed.log', '1 day', ahead => 1);
DO $$ BEGIN EXECUTE format('DROP TABLE %s', (SELECT partition FROM snowid_partitions('closed.log') ORDER BY ends DESC LIMIT 1)); END $$;
DO $$ BEGIN EXECUTE format('DROP TABLE %s', (SELECT partition FROM snowid_partitions('kept') ORDER BY ends DESC LIMIT 1)); END $$;
REVOKE CREATE ON SCHEMA closed FROM plain_owner;
\set VERBOSITY terse
CALL snowid_maintain();
\set VERBOSITY default
SELECT parent, count(*) FROM (VALUES ('closed.log'::regclass), ('kept')) t(parent), snowid_partitions(parent) GROUP BY parent ORDER BY parent::text;
BEGIN;
CALL snowid_maintain();
ROLLBACK;
CALL snowid_maintain(lock_timeout => '0');
