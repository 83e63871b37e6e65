-- The type ksuid: the vectors, what is refused, its parts, and its generator.
\getenv source PG_ABS_SRCDIR
\set common :source '/sql/common/begin.sql'
\i :common
CREATE TEMP TABLE valid (hex text, text text, raw_ts bigint, unix_s numeric, payload_hex text, kind text);
\set copy '\\copy valid FROM ''' :vectors '/ksuid.valid.tsv''' :as_it_is
:copy
SELECT count(*) > 50 AS read, bool_and(text::ksuid::text = text) AS text, bool_and(decode(hex, 'hex')::ksuid = text::ksuid) AS bytes,
    bool_and(_snowid.ksuid_send(text::ksuid) = decode(hex, 'hex')) AS binary, bool_and(extract(epoch FROM time) = unix_s) AS time, bool_and(payload = decode(payload_hex, 'hex')) AS payload,
    bool_and(ksuid_encode(time, payload) = text::ksuid) AS encoded
    FROM valid, LATERAL ksuid_decode(text::ksuid) AS d;

-- bad input
SELECT bad, e.* FROM unnest(ARRAY['', '0ujtsYcgvSTl8PAuAdqWYSMnLO', '0ujtsYcgvSTl8PAuAdqWYSMnLO-', 'aWgEPTl1tmebfsQzFP4bxwgy80W', repeat('é', 27), '2026-11-20 12:00', 'Fri Nov 20 2026 05:23:02 GMT+0000']) AS bad,
    LATERAL pg_temp.error_of(format('SELECT %L::ksuid', bad)) AS e;
SELECT bad, e.* FROM unnest(ARRAY['\x', '\x00', '\x000000000000000000000000000000000000000000']::bytea[]) AS bad, LATERAL pg_temp.error_of(format('SELECT %L::bytea::ksuid', bad)) AS e;

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

-- what holds for all such types
\set type ksuid
\set sample '0ujtsYcgvSTl8PAuAdqWYSMnLOv'
\set part payload
\set file ksuid
\set columns 'input_json_string text, reason text, reference_accepts text'
\set common :source '/sql/common/wide_type.sql'
\i :common
DROP TABLE made, derived;
