-- The type ulid: the vectors, what is refused, its parts, and its generator.
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
CREATE TEMP TABLE valid (hex text, text text, unix_ms numeric, entropy_hex text, kind text);
\set copy '\\copy valid FROM ''' :vectors '/ulid.valid.tsv''' :as_it_is
:copy
SELECT count(*) > 50 AS read, bool_and(text::ulid::text = text) AS text, bool_and(decode(hex, 'hex')::ulid = text::ulid) AS bytes,
    bool_and(_snowid.ulid_send(text::ulid) = decode(hex, 'hex')) AS binary, bool_and(extract(epoch FROM time) * 1000 = unix_ms) AS time, bool_and(entropy = decode(entropy_hex, 'hex')) AS entropy,
    bool_and(ulid_encode(time, entropy) = text::ulid) AS encoded
    FROM valid, LATERAL ulid_decode(text::ulid) AS d;
CREATE TEMP TABLE lenient (input text, canonical text, hex text, rule text);
\set copy '\\copy lenient FROM ''' :vectors '/ulid.lenient.tsv''' :as_it_is
:copy
SELECT count(*) > 5 AS read, bool_and(input::ulid::text = canonical) AS text FROM lenient;
CREATE TEMP TABLE pairs (uuid uuid, ulid ulid);
\set copy '\\copy pairs FROM ''' :vectors '/ulid_uuid.tsv''' :as_it_is
:copy
SELECT count(*) > 5 AS read, bool_and(uuid::ulid = ulid AND ulid::uuid = uuid) AS uuid FROM pairs;

-- bad input
CREATE TEMP TABLE invalid (input_json_string text, reason text, strict_error text);
\set copy '\\copy invalid FROM ''' :vectors '/ulid.invalid.tsv''' :as_it_is
:copy
SELECT count(*) > 30 AS read FROM invalid;
SELECT input_json_string, e.* FROM invalid, LATERAL pg_temp.error_of(format('SELECT %L::ulid', input_json_string::jsonb #>> '{}')) AS e
    WHERE (state = '22P02' AND message LIKE 'invalid input syntax for type ulid: "%' AND detail <> '') IS NOT TRUE;
DO $$
DECLARE
    wrong text;
BEGIN
    IF current_setting('server_version_num')::int >= 160000 THEN
        EXECUTE 'SELECT string_agg(input_json_string, '' '') FROM invalid
            WHERE pg_input_is_valid(input_json_string::jsonb #>> ''{}'', ''ulid'')' INTO wrong;
        IF wrong IS NOT NULL THEN RAISE '% are valid', wrong; END IF;
    END IF;
END $$;
SELECT bad, e.* FROM unnest(ARRAY['', '01ARZ3NDEKTSV4RRFFQ69G5FA', '01ARZ3NDEKTSV4RRFFQ69G5FAU', '81ARZ3NDEKTSV4RRFFQ69G5FAV', repeat('é', 26), repeat('é', 13),
        '01a1fd9e-9f04-7057-a643-4b34080bf439', '384823767370592256', '2026-11-20 12:00', '20261120', 'Fri Nov 20 2026 05:23:02 GMT+0000']) AS bad,
    LATERAL pg_temp.error_of(format('SELECT %L::ulid', bad)) AS e;
SELECT bad, e.* FROM unnest(ARRAY['\x', '\x00', '\x0000000000000000000000000000000000']::bytea[]) AS bad, LATERAL pg_temp.error_of(format('SELECT %L::bytea::ulid', bad)) AS e;

-- casts
SELECT castsource::regtype, casttarget::regtype, castcontext, castmethod FROM pg_cast
    WHERE 'ulid'::regtype IN (castsource, casttarget) ORDER BY 1, 2;
SELECT to_json(id), id::bytea, id::timestamptz FROM (SELECT '01ARZ3NDEKTSV4RRFFQ69G5FAV'::ulid AS id) s;
SELECT '01ARZ3NDEKTSV4RRFFQ69G5FAV'::ulid::uuid, '01563e3a-b5d3-d676-4c61-efb99302bd5b'::uuid::ulid;
CREATE TABLE uuids (id uuid);
INSERT INTO uuids SELECT '01ARZ3NDEKTSV4RRFFQ69G5FAV'::ulid;
EXPLAIN (COSTS off, VERBOSE) SELECT id::ulid FROM uuids;
DROP TABLE uuids;

-- the parts of an id
SELECT * FROM ulid_decode('01ARZ3NDEKTSV4RRFFQ69G5FAV');
SELECT ulid_time(ulid_encode(t, '\x00112233445566778899')), ulid_encode(t, '\x00112233445566778899') FROM unnest(ARRAY['2026-11-20 12:00:00.1239Z', '1970-01-01Z', '10889-08-02 05:31:50.655Z']::timestamptz[]) AS t;
SELECT call, e.* FROM unnest(ARRAY['''2026-11-20Z'', ''\x00''', '''2026-11-20Z'', ''''', '''1969-12-31Z'', ''\x00112233445566778899''', '''infinity'', ''\x00112233445566778899''']) AS call,
    LATERAL pg_temp.error_of('SELECT ulid_encode(' || call || ')') AS e;

-- bounds
SELECT t, ulid_lower_bound(t), ulid_time(ulid_lower_bound(t))
    FROM unnest(ARRAY['-infinity', '1969-12-31Z', '1970-01-01Z', '1970-01-01Z'::timestamptz + interval '1 us', '10889-08-02 05:31:50.655Z']::timestamptz[]) AS t;
SELECT call, e.* FROM unnest(ARRAY['lower_bound(''10889-08-02 05:31:50.656Z'')', 'lower_bound(''infinity'')', 'at(''10889-08-02 05:31:50.656Z'')', 'at(''1969-12-31Z'')', 'at(''-infinity'')']) AS call,
    LATERAL pg_temp.error_of('SELECT ulid_' || call) AS e;
SELECT bool_and(ulid_time(b) >= t AND ulid_time(b) < t + interval '1 ms' AND b >= ulid_lower_bound(t - interval '1 us')) AS bounds_are_exact
    FROM (SELECT t, ulid_lower_bound(t) AS b FROM (SELECT timestamptz '2020-01-01Z' + random() * interval '60 years' AS t FROM generate_series(1, 1000)) r) s;

-- the generator: ids and batches have the current time and ascend; ids made for a given time have that time
SELECT now() - interval '1 ms' AS began \gset
CREATE TABLE made (id ulid PRIMARY KEY DEFAULT ulid_next(), n int GENERATED ALWAYS AS IDENTITY);
INSERT INTO made SELECT FROM generate_series(1, 10000);
INSERT INTO made SELECT ulid_next_batch(10000);
INSERT INTO made SELECT id FROM ulid_next_batch(10000) AS id;
SELECT count(*), count(DISTINCT id), bool_and(id > previous) AS ascending,
    bool_and(ulid_time(id) BETWEEN :'began' AND clock_timestamp() + interval '2 s') AS of_now
    FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM made) s;
SELECT count(DISTINCT ulid_at('2026-11-20 12:00Z')), count(DISTINCT ulid_time(ulid_at('2026-11-20 12:00Z'))) FROM generate_series(1, 10000);
SELECT count(*) FROM (SELECT ulid_next_batch(2000000000) LIMIT 3) s;
SELECT n, e.* FROM unnest(ARRAY['0', '-1']) AS n, LATERAL pg_temp.error_of(format('SELECT ulid_next_batch(%s)', n)) AS e;
SELECT count(*) FROM ulid_next_batch(NULL);
BEGIN READ ONLY;
SELECT ulid_next() > max(id) AS greater FROM made;
SELECT count(DISTINCT id), bool_and(id > before) AS ascending FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM (SELECT n, ulid_spread() AS id FROM generate_series(1, 20000) AS n) g) s;
ROLLBACK;

-- a generated column, an index and a check on the parts of an id
CREATE TABLE derived (
    id ulid PRIMARY KEY CHECK (ulid_time(id) > '1970-01-01Z'),
    made timestamptz GENERATED ALWAYS AS (ulid_time(id)) STORED
);
CREATE INDEX ON derived (ulid_entropy(id));
INSERT INTO derived VALUES ('01ARZ3NDEKTSV4RRFFQ69G5FAV');
SELECT * FROM derived;
DROP TABLE made, derived;
