-- The type sandflake: the vectors, what is refused, its parts, and its generator.
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
CREATE TEMP TABLE valid (hex text, text text, unix_ms numeric, worker_hex text, sequence int, random_hex text, kind text);
\set copy '\\copy valid FROM ''' :vectors '/sandflake.valid.tsv''' :as_it_is
:copy
SELECT count(*) > 50 AS read, bool_and(text::sandflake::text = text) AS text, bool_and(decode(hex, 'hex')::sandflake = text::sandflake) AS bytes,
    bool_and(_snowid.sandflake_send(text::sandflake) = decode(hex, 'hex')) AS binary, bool_and(extract(epoch FROM time) * 1000 = unix_ms) AS time, bool_and(worker = decode(worker_hex, 'hex')) AS worker,
    bool_and(d.sequence = valid.sequence) AS sequence, bool_and(random = decode(random_hex, 'hex')) AS random,
    bool_and(sandflake_encode(time, worker, d.sequence, random) = text::sandflake) AS encoded
    FROM valid, LATERAL sandflake_decode(text::sandflake) AS d;

-- bad input
CREATE TEMP TABLE invalid (input_json_string text, reason text, reference_accepts text);
\set copy '\\copy invalid FROM ''' :vectors '/sandflake.invalid.tsv''' :as_it_is
:copy
SELECT count(*) > 30 AS read FROM invalid;
SELECT input_json_string, e.* FROM invalid, LATERAL pg_temp.error_of(format('SELECT %L::sandflake', input_json_string::jsonb #>> '{}')) AS e
    WHERE (state = '22P02' AND message LIKE 'invalid input syntax for type sandflake: "%' AND detail <> '') IS NOT TRUE;
DO $$
DECLARE
    wrong text;
BEGIN
    IF current_setting('server_version_num')::int >= 160000 THEN
        EXECUTE 'SELECT string_agg(input_json_string, '' '') FROM invalid
            WHERE pg_input_is_valid(input_json_string::jsonb #>> ''{}'', ''sandflake'')' INTO wrong;
        IF wrong IS NOT NULL THEN RAISE '% are valid', wrong; END IF;
    END IF;
END $$;
SELECT bad, e.* FROM unnest(ARRAY['', '06GZV7MZ0HCWC89V00059DGPB', '06GZV7MZ0HCWC89V00059DGPB5', '06GZV7MZ0HCWC89V00059DGPU4', '06gzv7mz0hcwc89v00059dgpb4', repeat('é', 26), '2026-11-20 12:00', 'Fri Nov 20 2026 05:23:02 GMT+0000']) AS bad,
    LATERAL pg_temp.error_of(format('SELECT %L::sandflake', bad)) AS e;
SELECT bad, e.* FROM unnest(ARRAY['\x', '\x00', '\x0000000000000000000000000000000000']::bytea[]) AS bad, LATERAL pg_temp.error_of(format('SELECT %L::bytea::sandflake', bad)) AS e;

-- casts
SELECT castsource::regtype, casttarget::regtype, castcontext, castmethod FROM pg_cast
    WHERE 'sandflake'::regtype IN (castsource, casttarget) ORDER BY 1, 2;
SELECT to_json(id), id::bytea, id::timestamptz FROM (SELECT '06GZV7MZ0HCWC89V00059DGPB4'::sandflake AS id) s;

-- the parts of an id
SELECT * FROM sandflake_decode('06GZV7MZ0HCWC89V00059DGPB4');
SELECT sandflake_time(sandflake_encode(t, '\x00112233', 77, '\x445566')), sandflake_encode(t, '\x00112233', 77, '\x445566') FROM unnest(ARRAY['2026-11-20 12:00:00.1239Z', '1970-01-01Z', '10889-08-02 05:31:50.655Z']::timestamptz[]) AS t;
SELECT call, e.* FROM unnest(ARRAY['''2026-11-20Z'', ''\x00'', 1, ''\x445566''', '''2026-11-20Z'', ''\x00112233'', -1, ''\x445566''', '''2026-11-20Z'', ''\x00112233'', 16777216, ''\x445566''', '''2026-11-20Z'', ''\x00112233'', 1, ''\x44''', '''1969-12-31Z'', ''\x00112233'', 1, ''\x445566''']) AS call,
    LATERAL pg_temp.error_of('SELECT sandflake_encode(' || call || ')') AS e;

-- bounds
SELECT t, sandflake_lower_bound(t), sandflake_time(sandflake_lower_bound(t))
    FROM unnest(ARRAY['-infinity', '1969-12-31Z', '1970-01-01Z', '1970-01-01Z'::timestamptz + interval '1 us', '10889-08-02 05:31:50.655Z']::timestamptz[]) AS t;
SELECT call, e.* FROM unnest(ARRAY['lower_bound(''10889-08-02 05:31:50.656Z'')', 'lower_bound(''infinity'')', 'at(''10889-08-02 05:31:50.656Z'')', 'at(''1969-12-31Z'')', 'at(''-infinity'')']) AS call,
    LATERAL pg_temp.error_of('SELECT sandflake_' || call) AS e;
SELECT bool_and(sandflake_time(b) >= t AND sandflake_time(b) < t + interval '1 ms' AND b >= sandflake_lower_bound(t - interval '1 us')) AS bounds_are_exact
    FROM (SELECT t, sandflake_lower_bound(t) AS b FROM (SELECT timestamptz '2020-01-01Z' + random() * interval '60 years' AS t FROM generate_series(1, 1000)) r) s;

-- the generator: ids and batches have the current time and ascend; ids made for a given time have that time
CREATE TABLE made (id sandflake PRIMARY KEY DEFAULT sandflake_next(), n int GENERATED ALWAYS AS IDENTITY);
INSERT INTO made SELECT FROM generate_series(1, 10000);
INSERT INTO made SELECT sandflake_next_batch(10000);
INSERT INTO made SELECT id FROM sandflake_next_batch(10000) AS id;
SELECT count(*), count(DISTINCT id), bool_and(id > previous) AS ascending,
    bool_and(sandflake_time(id) BETWEEN now() - interval '1 hour' AND clock_timestamp() + interval '2 s') AS of_now
    FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM made) s;
SELECT count(DISTINCT sandflake_at('2026-11-20 12:00Z')), count(DISTINCT sandflake_time(sandflake_at('2026-11-20 12:00Z'))) FROM generate_series(1, 10000);
SELECT count(*) FROM (SELECT sandflake_next_batch(2000000000) LIMIT 3) s;
SELECT n, e.* FROM unnest(ARRAY['0', '-1']) AS n, LATERAL pg_temp.error_of(format('SELECT sandflake_next_batch(%s)', n)) AS e;
SELECT count(*) FROM sandflake_next_batch(NULL);
SELECT count(DISTINCT sandflake_worker(id)) AS workers FROM made;
BEGIN READ ONLY;
SELECT sandflake_next() > max(id) AS greater FROM made;
ROLLBACK;

-- a generated column, an index and a check on the parts of an id
CREATE TABLE derived (
    id sandflake PRIMARY KEY CHECK (sandflake_time(id) > '1970-01-01Z'),
    made timestamptz GENERATED ALWAYS AS (sandflake_time(id)) STORED
);
CREATE INDEX ON derived (sandflake_sequence(id));
INSERT INTO derived VALUES ('06GZV7MZ0HCWC89V00059DGPB4');
SELECT * FROM derived;
DROP TABLE made, derived;
