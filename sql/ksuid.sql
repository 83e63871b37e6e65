-- The type ksuid: the vectors, what is refused, its parts, and its generator.
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

-- the vectors; SNOWID_VECTORS names another folder for them
\getenv vectors SNOWID_VECTORS
\if :{?vectors}
\else
\getenv source PG_ABS_SRCDIR
\set vectors :source '/test/vectors'
\endif
\set as_it_is ' WITH (FORMAT csv, HEADER, DELIMITER E''\\t'', QUOTE E''\\x01'')'
CREATE TEMP TABLE valid (hex text, text text, raw_ts bigint, unix_s numeric, payload_hex text, kind text);
\set copy '\\copy valid FROM ''' :vectors '/ksuid.valid.tsv''' :as_it_is
:copy
SELECT count(*) > 50 AS read, bool_and(text::ksuid::text = text) AS text, bool_and(decode(hex, 'hex')::ksuid = text::ksuid) AS bytes,
    bool_and(_snowid.ksuid_send(text::ksuid) = decode(hex, 'hex')) AS binary, bool_and(extract(epoch FROM time) = unix_s) AS time, bool_and(payload = decode(payload_hex, 'hex')) AS payload,
    bool_and(ksuid_encode(time, payload) = text::ksuid) AS encoded
    FROM valid, LATERAL ksuid_decode(text::ksuid) AS d;

-- bad input
CREATE TEMP TABLE invalid (input_json_string text, reason text, reference_accepts text);
\set copy '\\copy invalid FROM ''' :vectors '/ksuid.invalid.tsv''' :as_it_is
:copy
SELECT count(*) > 30 AS read FROM invalid;
SELECT input_json_string, e.* FROM invalid, LATERAL pg_temp.error_of(format('SELECT %L::ksuid', input_json_string::jsonb #>> '{}')) AS e
    WHERE (state = '22P02' AND message LIKE 'invalid input syntax for type ksuid: "%' AND detail <> '') IS NOT TRUE;
DO $$
DECLARE
    wrong text;
BEGIN
    IF current_setting('server_version_num')::int >= 160000 THEN
        EXECUTE 'SELECT string_agg(input_json_string, '' '') FROM invalid
            WHERE pg_input_is_valid(input_json_string::jsonb #>> ''{}'', ''ksuid'')' INTO wrong;
        IF wrong IS NOT NULL THEN RAISE '% are valid', wrong; END IF;
    END IF;
END $$;
SELECT bad, e.* FROM unnest(ARRAY['', '0ujtsYcgvSTl8PAuAdqWYSMnLO', '0ujtsYcgvSTl8PAuAdqWYSMnLO-', 'aWgEPTl1tmebfsQzFP4bxwgy80W', repeat('é', 27), '2026-11-20 12:00', 'Fri Nov 20 2026 05:23:02 GMT+0000']) AS bad,
    LATERAL pg_temp.error_of(format('SELECT %L::ksuid', bad)) AS e;
SELECT bad, e.* FROM unnest(ARRAY['\x', '\x00', '\x000000000000000000000000000000000000000000']::bytea[]) AS bad, LATERAL pg_temp.error_of(format('SELECT %L::bytea::ksuid', bad)) AS e;

-- casts
SELECT castsource::regtype, casttarget::regtype, castcontext, castmethod FROM pg_cast
    WHERE 'ksuid'::regtype IN (castsource, casttarget) ORDER BY 1, 2;
SELECT to_json(id), id::bytea, id::timestamptz FROM (SELECT '0ujtsYcgvSTl8PAuAdqWYSMnLOv'::ksuid AS id) s;

-- the parts of an id
SELECT * FROM ksuid_decode('0ujtsYcgvSTl8PAuAdqWYSMnLOv');
SELECT ksuid_time(ksuid_encode(t, '\x00112233445566778899aabbccddeeff')), ksuid_encode(t, '\x00112233445566778899aabbccddeeff') FROM unnest(ARRAY['2026-11-20 12:00:00.1239Z', '2014-05-13 16:53:20Z', '2150-06-19 23:21:35Z']::timestamptz[]) AS t;
SELECT call, e.* FROM unnest(ARRAY['''2026-11-20Z'', ''\x00''', '''2014-05-13Z'', ''\x00112233445566778899aabbccddeeff''', '''infinity'', ''\x00112233445566778899aabbccddeeff''']) AS call,
    LATERAL pg_temp.error_of('SELECT ksuid_encode(' || call || ')') AS e;

-- bounds
SELECT t, ksuid_lower_bound(t), ksuid_time(ksuid_lower_bound(t))
    FROM unnest(ARRAY['-infinity', '2014-05-13Z', '2014-05-13 16:53:20Z', '2014-05-13 16:53:20Z'::timestamptz + interval '1 us', '2150-06-19 23:21:35Z']::timestamptz[]) AS t;
SELECT call, e.* FROM unnest(ARRAY['lower_bound(''2150-06-20Z'')', 'lower_bound(''infinity'')', 'at(''2150-06-20Z'')', 'at(''2014-05-13Z'')', 'at(''-infinity'')']) AS call,
    LATERAL pg_temp.error_of('SELECT ksuid_' || call) AS e;
SELECT bool_and(ksuid_time(b) >= t AND ksuid_time(b) < t + interval '1 s' AND b >= ksuid_lower_bound(t - interval '1 us')) AS bounds_are_exact
    FROM (SELECT t, ksuid_lower_bound(t) AS b FROM (SELECT timestamptz '2020-01-01Z' + random() * interval '60 years' AS t FROM generate_series(1, 1000)) r) s;

-- the generator: ids and batches have the current time and ascend; ids made for a given time have that time
CREATE TABLE made (id ksuid PRIMARY KEY DEFAULT ksuid_next(), n int GENERATED ALWAYS AS IDENTITY);
INSERT INTO made SELECT FROM generate_series(1, 10000);
INSERT INTO made SELECT ksuid_next_batch(10000);
INSERT INTO made SELECT id FROM ksuid_next_batch(10000) AS id;
SELECT count(*), count(DISTINCT id), bool_and(id > previous) AS ascending,
    bool_and(ksuid_time(id) BETWEEN now() - interval '1 hour' AND clock_timestamp() + interval '2 s') AS of_now
    FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM made) s;
SELECT count(DISTINCT ksuid_at('2026-11-20 12:00Z')), count(DISTINCT ksuid_time(ksuid_at('2026-11-20 12:00Z'))) FROM generate_series(1, 10000);
SELECT count(*) FROM (SELECT ksuid_next_batch(2000000000) LIMIT 3) s;
SELECT n, e.* FROM unnest(ARRAY['0', '-1']) AS n, LATERAL pg_temp.error_of(format('SELECT ksuid_next_batch(%s)', n)) AS e;
SELECT count(*) FROM ksuid_next_batch(NULL);
BEGIN READ ONLY;
SELECT ksuid_next() > max(id) AS greater FROM made;
ROLLBACK;

-- a generated column, an index and a check on the parts of an id
CREATE TABLE derived (
    id ksuid PRIMARY KEY CHECK (ksuid_time(id) > '1970-01-01Z'),
    made timestamptz GENERATED ALWAYS AS (ksuid_time(id)) STORED
);
CREATE INDEX ON derived (ksuid_payload(id));
INSERT INTO derived VALUES ('0ujtsYcgvSTl8PAuAdqWYSMnLOv');
SELECT * FROM derived;
DROP TABLE made, derived;
