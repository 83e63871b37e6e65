-- The type sandflake: the vectors, what is refused, its parts, and its generator.
\getenv source PG_ABS_SRCDIR
\set common :source '/sql/common/begin.sql'
\i :common
CREATE TEMP TABLE valid (hex text, text text, unix_ms numeric, worker_hex text, sequence int, random_hex text, kind text);
\set copy '\\copy valid FROM ''' :vectors '/sandflake.valid.tsv''' :as_it_is
:copy
SELECT count(*) > 50 AS read, bool_and(text::sandflake::text = text) AS text, bool_and(decode(hex, 'hex')::sandflake = text::sandflake) AS bytes,
    bool_and(_snowid.sandflake_send(text::sandflake) = decode(hex, 'hex')) AS binary, bool_and(extract(epoch FROM time) * 1000 = unix_ms) AS time, bool_and(worker = decode(worker_hex, 'hex')) AS worker,
    bool_and(d.sequence = valid.sequence) AS sequence, bool_and(random = decode(random_hex, 'hex')) AS random,
    bool_and(sandflake_encode(time, worker, d.sequence, random) = text::sandflake) AS encoded
    FROM valid, LATERAL sandflake_decode(text::sandflake) AS d;

-- bad input
SELECT bad, e.* FROM unnest(ARRAY['', '06GZV7MZ0HCWC89V00059DGPB', '06GZV7MZ0HCWC89V00059DGPB5', '06GZV7MZ0HCWC89V00059DGPU4', '06gzv7mz0hcwc89v00059dgpb4', repeat('é', 26), '2026-11-20 12:00', 'Fri Nov 20 2026 05:23:02 GMT+0000']) AS bad,
    LATERAL pg_temp.error_of(format('SELECT %L::sandflake', bad)) AS e;
SELECT bad, e.* FROM unnest(ARRAY['\x', '\x00', '\x0000000000000000000000000000000000']::bytea[]) AS bad, LATERAL pg_temp.error_of(format('SELECT %L::bytea::sandflake', bad)) AS e;

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

-- what holds for all such types
\set type sandflake
\set sample '06GZV7MZ0HCWC89V00059DGPB4'
\set part sequence
\set file sandflake
\set columns 'input_json_string text, reason text, reference_accepts text'
\set common :source '/sql/common/wide_type.sql'
\i :common
SELECT count(DISTINCT sandflake_worker(id)) AS workers FROM made;
DROP TABLE made, derived;
