-- UUIDv7: functions beside the built-in type uuid.
\getenv source PG_ABS_SRCDIR
\set common :source '/sql/common/begin.sql'
\i :common
CREATE TEMP TABLE valid (hex text, text uuid, unix_ms numeric, rand_a int, rand_b_hex text, kind text);
\set copy '\\copy valid FROM ''' :vectors '/uuidv7.valid.tsv''' :as_it_is
:copy
SELECT count(*) > 50 AS read, bool_and(extract(epoch FROM time) * 1000 = unix_ms) AS time, bool_and(d.rand_a = valid.rand_a) AS rand_a,
    bool_and(rand_b = ('x' || rand_b_hex)::bit(64)::bigint) AS rand_b, bool_and(version = 7) AS version,
    bool_and(uuidv7_encode(time, d.rand_a, rand_b) = text) AS encoded, bool_and(uuidv7_rand_a(text) = d.rand_a) AS part_a,
    bool_and(uuidv7_rand_b(text) = rand_b) AS part_b, bool_and(text::timestamptz = time) AS cast_to_time
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
SELECT castcontext, castmethod FROM pg_cast WHERE castsource = 'uuid'::regtype AND casttarget = 'timestamptz'::regtype;

-- parts that are out of range
SELECT call, e.* FROM unnest(ARRAY['''2026-11-20Z'', 4096, 0', '''2026-11-20Z'', -1, 0', '''2026-11-20Z'', 0, -1',
        '''2026-11-20Z'', 0, 4611686018427387904', '''1969-12-31Z'', 0, 0', '''infinity'', 0, 0']) AS call,
    LATERAL pg_temp.error_of('SELECT uuidv7_encode(' || call || ')') AS e;
SELECT uuidv7_encode('2026-11-20 12:00:00.1239Z', 4095, 4611686018427387903), uuidv7_encode('1970-01-01Z', 0, 0);

-- bounds
SELECT t, uuidv7_lower_bound(t), uuidv7_time(uuidv7_lower_bound(t))
    FROM unnest(ARRAY['-infinity', '1969-12-31Z', '1970-01-01Z', '1970-01-01 00:00:00.000001Z', '10889-08-02 05:31:50.655Z']::timestamptz[]) AS t;
SELECT call, e.* FROM unnest(ARRAY['lower_bound(''10889-08-02 05:31:50.656Z'')', 'lower_bound(''infinity'')', 'at(''10889-08-02 05:31:50.656Z'')',
        'at(''1969-12-31Z'')', 'at(''-infinity'')']) AS call,
    LATERAL pg_temp.error_of('SELECT uuidv7_' || call) AS e;

-- the generator: ids and batches have the current time and ascend; ids made for a given time have that time
SELECT now() - interval '1 ms' AS began \gset
CREATE TABLE made (id uuid PRIMARY KEY DEFAULT uuidv7_next(), n int GENERATED ALWAYS AS IDENTITY);
INSERT INTO made SELECT FROM generate_series(1, 10000);
INSERT INTO made SELECT uuidv7_next_batch(10000);
INSERT INTO made SELECT id FROM uuidv7_next_batch(10000) AS id;
SELECT count(*), count(DISTINCT id), bool_and(id > previous) AS ascending, bool_and(uuidv7_version(id) = 7) AS version,
    bool_and(uuidv7_time(id) BETWEEN :'began' AND clock_timestamp() + interval '2 s') AS of_now
    FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM made) s;
SELECT count(DISTINCT uuidv7_at('2026-11-20 12:00Z')), count(DISTINCT uuidv7_time(uuidv7_at('2026-11-20 12:00Z'))) FROM generate_series(1, 10000);
SELECT substr(uuidv7_at('2026-11-20 12:00:00.0005Z')::text, 1, 18);
SELECT count(*) FROM (SELECT uuidv7_next_batch(2000000000) LIMIT 3) s;
SELECT n, e.* FROM unnest(ARRAY['0', '-1']) AS n, LATERAL pg_temp.error_of(format('SELECT uuidv7_next_batch(%s)', n)) AS e;

-- with a shift: a fixed length keeps the order, days and months follow the calendar
CREATE TEMP TABLE shifted AS SELECT n, uuidv7_next('-1 hour 0.000001 s') AS id, uuidv7_next('1 day') AS next_day FROM generate_series(1, 10000) AS n;
SELECT count(DISTINCT id), bool_and(id > previous) AS ascending,
    bool_and(uuidv7_time(id) BETWEEN now() - interval '1 hour 3 s' AND clock_timestamp() - interval '59 min') AS an_hour_ago,
    bool_and(uuidv7_time(next_day) BETWEEN now() + interval '1 day' - interval '3 s' AND clock_timestamp() + interval '1 day 2 s') AS tomorrow
    FROM (SELECT *, lag(id) OVER (ORDER BY n) AS previous FROM shifted) s;
SELECT uuidv7_time(uuidv7_next('-1 month')) BETWEEN clock_timestamp() - interval '1 month 3 s' AND clock_timestamp() - interval '1 month' + interval '2 s' AS a_month_ago,
    uuidv7_version(uuidv7_next('8000 years')) AS version, uuidv7_next(NULL) IS NULL AS null_in;
SELECT call, state, regexp_replace(message, 'time .* is', 'time ... is') AS message, detail
    FROM unnest(ARRAY['-60 years', '9000 years', '200000 years', '100000000 hours', '-100000000 hours', '2562047788 hours', '-2562047788 hours']) AS call,
    LATERAL pg_temp.error_of(format('SELECT uuidv7_next(%L)', call)) AS e;
SELECT uuidv7_version(public.uuidv7()) AS version, uuidv7_version(public.uuidv7('1 day')) AS shifted;
BEGIN READ ONLY;
SELECT count(DISTINCT id), bool_and(id > before) AS ascending, bool_and(uuidv7_valid(id)) AS valid FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM (SELECT n, uuidv7_spread() AS id FROM generate_series(1, 20000) AS n) g) s;
SELECT count(DISTINCT uuidv7_next()) FROM generate_series(1, 100);
ROLLBACK;
DROP TABLE made;
-- PostgreSQL's own uuidv7() has the same format where it exists, and each side reads the other's
DO $$
DECLARE
    own uuid;
BEGIN
    IF current_setting('server_version_num')::int < 180000 THEN RETURN; END IF;
    FOR i IN 1..1000 LOOP
        own := pg_catalog.uuidv7(i * interval '-1 day' + interval '40 years');
        ASSERT uuidv7_valid(own) AND uuidv7_time(own) = uuid_extract_timestamp(own), own;
        ASSERT (SELECT uuidv7_encode(d.time, rand_a, rand_b) = own FROM uuidv7_decode(own) d), own;
        ASSERT uuidv7_lower_bound(uuidv7_time(own)) <= own AND uuidv7_lower_bound(uuidv7_time(own) + interval '1 ms') > own, own;
        own := uuidv7_next(i * interval '1 hour');
        ASSERT uuid_extract_version(own) = 7 AND uuid_extract_timestamp(own) = uuidv7_time(own), own;
    END LOOP;
END $$;
