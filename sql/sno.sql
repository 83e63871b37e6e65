-- The type sno: the vectors, what is refused, its parts, and its bounds.
\getenv source PG_ABS_SRCDIR
\set common :source '/sql/common/begin.sql'
\i :common
CREATE TEMP TABLE valid (hex text, text text, ts_units_4ms bigint, unix_ns numeric, utc text, tick int, meta int, partition int, sequence int, json text, kind text);
\set copy '\\copy valid FROM ''' :vectors '/sno.valid.tsv''' :as_it_is
:copy
SELECT count(*) > 50 AS read, bool_and(text::sno::text = text) AS text, bool_and(decode(hex, 'hex')::sno = text::sno) AS bytes,
    bool_and(_snowid.sno_send(text::sno) = decode(hex, 'hex')) AS binary, bool_and(extract(epoch FROM time) * 1000000000 = unix_ns) AS time,
    bool_and(tick_tock = (tick = 1)) AS tick_tock, bool_and(metabyte = meta) AS metabyte, bool_and(d.partition = valid.partition) AS partition,
    bool_and(d.sequence = valid.sequence) AS sequence, bool_and(sno_encode(time, metabyte, d.partition, d.sequence, tick_tock) = text::sno) AS encoded,
    bool_and(sno_metabyte(text::sno) = metabyte AND sno_partition(text::sno) = d.partition AND sno_sequence(text::sno) = d.sequence
        AND sno_tick_tock(text::sno) = tick_tock AND sno_time(text::sno) = time) AS each_part
    FROM valid, LATERAL sno_decode(text::sno) AS d;

-- bad input; the reference implementation accepts some of it and returns garbage
CREATE TEMP TABLE invalid (input_json_string text, reason text);
\set copy '\\copy invalid FROM ''' :vectors '/sno.invalid.tsv''' :as_it_is
:copy
SELECT count(*) > 30 AS read FROM invalid;
SELECT input_json_string, e.* FROM invalid, LATERAL pg_temp.error_of(format('SELECT %L::sno', replace(input_json_string, '\u0000', '?')::jsonb #>> '{}')) AS e
    WHERE (state = '22P02' AND message LIKE 'invalid input syntax for type sno: "%' AND detail <> '') IS NOT TRUE;
DO $$
DECLARE
    wrong text;
BEGIN
    IF current_setting('server_version_num')::int >= 160000 THEN
        EXECUTE 'SELECT string_agg(input_json_string, '' '') FROM invalid
            WHERE pg_input_is_valid(replace(input_json_string, ''\u0000'', ''?'')::jsonb #>> ''{}'', ''sno'')' INTO wrong;
        IF wrong IS NOT NULL THEN RAISE '% are valid', wrong; END IF;
    END IF;
END $$;
SELECT bad, e.* FROM unnest(ARRAY['', 'brpk4q72xwf2m63', 'brpk4q72xwf2m63l2', 'brpk4q72xwf2m63y', 'BRPK4Q72XWF2M63L', repeat('é', 16), '2026-11-20 12:00']) AS bad,
    LATERAL pg_temp.error_of(format('SELECT %L::sno', bad)) AS e;
SELECT bad, e.* FROM unnest(ARRAY['\x', '\x00', '\x0000000000000000000000']::bytea[]) AS bad, LATERAL pg_temp.error_of(format('SELECT %L::bytea::sno', bad)) AS e;

-- casts: the 16 bytes of the uuid are the text of the sno
SELECT castsource::regtype, casttarget::regtype, castcontext, castmethod FROM pg_cast
    WHERE 'sno'::regtype IN (castsource, casttarget) ORDER BY 1, 2;
SELECT to_json(id), id::bytea, id::timestamptz, id::uuid, id::uuid::sno = id AS back, uuid_send(id::uuid) = id::text::bytea AS is_text
    FROM (SELECT 'brpk4q72xwf2m63l'::sno AS id) s;
SELECT bool_and(text::sno::uuid::sno = text::sno) AS back, bool_and((text::sno < b) = (text::sno::uuid < b::uuid)) AS same_order
    FROM valid, unnest('{i222222222222222,brpk4q72xwf2m63l}'::sno[]) AS b;
CREATE TABLE uuids (id uuid);
INSERT INTO uuids SELECT 'brpk4q72xwf2m63l'::sno;
SELECT id, id::sno FROM uuids;
DROP TABLE uuids;
SELECT bad, e.* FROM unnest(ARRAY['00000000-0000-0000-0000-000000000000', '6272706b-3471-3732-7877-66326d36334c']) AS bad,
    LATERAL pg_temp.error_of(format('SELECT %L::uuid::sno', bad)) AS e;

-- the parts of an id, and the same id with other parts
SELECT * FROM sno_decode('brpk4q72xwf2m63l');
SELECT sno_time(id), id FROM unnest(ARRAY['2026-11-20 12:00:00.1239Z', '2010-01-01Z', '2079-09-07 15:47:35.548Z']::timestamptz[]) AS t,
    LATERAL (SELECT sno_encode(t, 7, 4711, 77, true) AS id) s;
SELECT call, e.* FROM unnest(ARRAY['''2026-11-20Z'', 256, 0, 0, false', '''2026-11-20Z'', -1, 0, 0, false', '''2026-11-20Z'', 0, 65536, 0, false',
        '''2026-11-20Z'', 0, 0, 65536, false', '''2009-12-31Z'', 0, 0, 0, false', '''2079-09-07 15:47:35.549Z'', 0, 0, 0, false']) AS call,
    LATERAL pg_temp.error_of('SELECT sno_encode(' || call || ')') AS e;
SELECT w.*, d.* FROM (SELECT 'brpk4q72xwf2m63l'::sno AS id) s,
    LATERAL (VALUES (1, 'as it is', sno_with(id)), (2, 'metabyte', sno_with(id, 7)), (3, 'partition', sno_with(id, partition => 500)),
        (4, 'both', sno_with(id, 0, 65535)), (5, 'none', sno_with(NULL, 1, 1))) AS w (n, what, id) LEFT JOIN LATERAL sno_decode(w.id) AS d ON true ORDER BY n;
SELECT call, e.* FROM unnest(ARRAY['metabyte => 256', 'metabyte => -1', 'partition => 65536', 'partition => -1']) AS call,
    LATERAL pg_temp.error_of(format('SELECT sno_with(''brpk4q72xwf2m63l'', %s)', call)) AS e;

-- bounds: a unit has ids of every metabyte, and ids with the tick-tock bit follow all others
SELECT t, sno_lower_bound(t), sno_time(sno_lower_bound(t)), sno_lower_bound(t, 255)
    FROM unnest(ARRAY['-infinity', '2009-12-31Z', '2010-01-01Z', '2010-01-01Z'::timestamptz + interval '1 us', '2079-09-07 15:47:35.548Z']::timestamptz[]) AS t;
SELECT call, e.* FROM unnest(ARRAY['lower_bound(''2079-09-07 15:47:35.549Z'')', 'lower_bound(''infinity'')', 'lower_bound(''2026-11-20Z'', 256)', 'lower_bound(''2026-11-20Z'', -1)']) AS call,
    LATERAL pg_temp.error_of('SELECT sno_' || call) AS e;
SELECT bool_and(sno_time(b) >= t AND sno_time(b) < t + interval '4 ms' AND b >= sno_lower_bound(t - interval '1 us')) AS bounds_are_exact,
    bool_and(sno_lower_bound(t, m) = sno_with(b, metabyte => m)) AS and_of_a_metabyte
    FROM (SELECT t, sno_lower_bound(t) AS b, (random() * 255)::int AS m FROM (SELECT timestamptz '2020-01-01Z' + random() * interval '50 years' AS t FROM generate_series(1, 1000)) r) s;

-- sorting by the first word and by the rest: ids of one partition and unit, and of many
SELECT count(*) AS sorted, bool_and(previous <= bytes) AS in_order FROM (SELECT id::bytea AS bytes, lag(id::bytea) OVER (ORDER BY id) AS previous FROM (
    SELECT sno_encode('2026-11-20Z', n % 3, 4711, n % 65536, n % 2 = 0) AS id FROM generate_series(1, 100000) AS n
    UNION ALL SELECT sno_encode('2026-11-20Z', 0, n, n, false) FROM generate_series(0, 65535) AS n) a) s WHERE previous IS NOT NULL;

-- a generated column, an index and a check on the parts of an id
CREATE TABLE derived (
    id sno PRIMARY KEY CHECK (sno_time(id) > '2010-01-01Z'),
    made timestamptz GENERATED ALWAYS AS (sno_time(id)) STORED
);
CREATE INDEX ON derived (sno_metabyte(id));
INSERT INTO derived VALUES ('brpk4q72xwf2m63l');
SELECT * FROM derived;
DROP TABLE derived;
