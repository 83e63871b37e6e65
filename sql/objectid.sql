-- The type objectid: the vectors, what is refused, its parts, and its generator.
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
CREATE TEMP TABLE valid (hex text, unix_s numeric, utc text, random_hex text, counter int, kind text, text text GENERATED ALWAYS AS (hex) STORED);
\set copy '\\copy valid FROM ''' :vectors '/objectid.valid.tsv''' :as_it_is
:copy
SELECT count(*) > 50 AS read, bool_and(text::objectid::text = text) AS text, bool_and(decode(hex, 'hex')::objectid = text::objectid) AS bytes,
    bool_and(_snowid.objectid_send(text::objectid) = decode(hex, 'hex')) AS binary, bool_and(extract(epoch FROM time) = unix_s) AS time, bool_and(random = decode(random_hex, 'hex')) AS random,
    bool_and(d.counter = valid.counter) AS counter,
    bool_and(objectid_encode(time, random, d.counter) = text::objectid) AS encoded
    FROM valid, LATERAL objectid_decode(text::objectid) AS d;
CREATE TEMP TABLE lenient (input text, canonical text, rule text);
\set copy '\\copy lenient FROM ''' :vectors '/objectid.lenient.tsv''' :as_it_is
:copy
SELECT count(*) > 5 AS read, bool_and(input::objectid::text = canonical) AS text FROM lenient;

-- bad input
CREATE TEMP TABLE invalid (input_json_string text, reason text);
\set copy '\\copy invalid FROM ''' :vectors '/objectid.invalid.tsv''' :as_it_is
:copy
SELECT count(*) > 30 AS read FROM invalid;
SELECT input_json_string, e.* FROM invalid, LATERAL pg_temp.error_of(format('SELECT %L::objectid', input_json_string::jsonb #>> '{}')) AS e
    WHERE (state = '22P02' AND message LIKE 'invalid input syntax for type objectid: "%' AND detail <> '') IS NOT TRUE;
DO $$
DECLARE
    wrong text;
BEGIN
    IF current_setting('server_version_num')::int >= 160000 THEN
        EXECUTE 'SELECT string_agg(input_json_string, '' '') FROM invalid
            WHERE pg_input_is_valid(input_json_string::jsonb #>> ''{}'', ''objectid'')' INTO wrong;
        IF wrong IS NOT NULL THEN RAISE '% are valid', wrong; END IF;
    END IF;
END $$;
SELECT bad, e.* FROM unnest(ARRAY['', '507f1f77bcf86cd79943901', '507f1f77bcf86cd79943901g', 'ObjectId("507f1f77bcf86cd799439011")', repeat('é', 24), '2026-11-20 12:00', 'Fri Nov 20 2026 05:23:02 GMT+0000']) AS bad,
    LATERAL pg_temp.error_of(format('SELECT %L::objectid', bad)) AS e;
SELECT bad, e.* FROM unnest(ARRAY['\x', '\x00', '\x00000000000000000000000000']::bytea[]) AS bad, LATERAL pg_temp.error_of(format('SELECT %L::bytea::objectid', bad)) AS e;

-- casts
SELECT castsource::regtype, casttarget::regtype, castcontext, castmethod FROM pg_cast
    WHERE 'objectid'::regtype IN (castsource, casttarget) ORDER BY 1, 2;
SELECT to_json(id), id::bytea, id::timestamptz FROM (SELECT '507f1f77bcf86cd799439011'::objectid AS id) s;

-- the parts of an id
SELECT * FROM objectid_decode('507f1f77bcf86cd799439011');
SELECT objectid_time(objectid_encode(t, '\x0011223344', 77)), objectid_encode(t, '\x0011223344', 77) FROM unnest(ARRAY['2026-11-20 12:00:00.1239Z', '1970-01-01Z', '2106-02-07 06:28:15Z']::timestamptz[]) AS t;
SELECT call, e.* FROM unnest(ARRAY['''2026-11-20Z'', ''\x00'', 1', '''2026-11-20Z'', ''\x0011223344'', -1', '''2026-11-20Z'', ''\x0011223344'', 16777216', '''1969-12-31Z'', ''\x0011223344'', 1']) AS call,
    LATERAL pg_temp.error_of('SELECT objectid_encode(' || call || ')') AS e;

-- bounds
SELECT t, objectid_lower_bound(t), objectid_time(objectid_lower_bound(t))
    FROM unnest(ARRAY['-infinity', '1969-12-31Z', '1970-01-01Z', '1970-01-01Z'::timestamptz + interval '1 us', '2106-02-07 06:28:15Z']::timestamptz[]) AS t;
SELECT call, e.* FROM unnest(ARRAY['lower_bound(''2106-02-08Z'')', 'lower_bound(''infinity'')', 'at(''2106-02-08Z'')', 'at(''1969-12-31Z'')', 'at(''-infinity'')']) AS call,
    LATERAL pg_temp.error_of('SELECT objectid_' || call) AS e;
SELECT bool_and(objectid_time(b) >= t AND objectid_time(b) < t + interval '1 s' AND b >= objectid_lower_bound(t - interval '1 us')) AS bounds_are_exact
    FROM (SELECT t, objectid_lower_bound(t) AS b FROM (SELECT timestamptz '2020-01-01Z' + random() * interval '60 years' AS t FROM generate_series(1, 1000)) r) s;

-- the generator: ids and batches have the current time and ascend; ids made for a given time have that time
CREATE TABLE made (id objectid PRIMARY KEY DEFAULT objectid_next(), n int GENERATED ALWAYS AS IDENTITY);
INSERT INTO made SELECT FROM generate_series(1, 10000);
INSERT INTO made SELECT objectid_next_batch(10000);
INSERT INTO made SELECT id FROM objectid_next_batch(10000) AS id;
SELECT count(*), count(DISTINCT id), bool_and(id > previous) AS ascending,
    bool_and(objectid_time(id) BETWEEN now() - interval '1 hour' AND clock_timestamp() + interval '2 s') AS of_now
    FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM made) s;
SELECT count(DISTINCT objectid_at('2026-11-20 12:00Z')), count(DISTINCT objectid_time(objectid_at('2026-11-20 12:00Z'))) FROM generate_series(1, 10000);
SELECT count(*) FROM (SELECT objectid_next_batch(2000000000) LIMIT 3) s;
SELECT n, e.* FROM unnest(ARRAY['0', '-1']) AS n, LATERAL pg_temp.error_of(format('SELECT objectid_next_batch(%s)', n)) AS e;
SELECT count(*) FROM objectid_next_batch(NULL);
-- each process has a random value, and each second a counter
SELECT count(DISTINCT objectid_random(id)) AS processes, count(DISTINCT (objectid_time(id), objectid_counter(id))) = count(*) AS counted FROM made;
BEGIN READ ONLY;
SELECT objectid_next() > max(id) AS greater FROM made;
ROLLBACK;

-- a generated column, an index and a check on the parts of an id
CREATE TABLE derived (
    id objectid PRIMARY KEY CHECK (objectid_time(id) > '1970-01-01Z'),
    made timestamptz GENERATED ALWAYS AS (objectid_time(id)) STORED
);
CREATE INDEX ON derived (objectid_counter(id));
INSERT INTO derived VALUES ('507f1f77bcf86cd799439011');
SELECT * FROM derived;
DROP TABLE made, derived;
