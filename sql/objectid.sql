-- The type objectid: the vectors, what is refused, its parts, and its generator.
\getenv source PG_ABS_SRCDIR
\set common :source '/sql/common/begin.sql'
\i :common
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
SELECT bad, e.* FROM unnest(ARRAY['', '507f1f77bcf86cd79943901', '507f1f77bcf86cd79943901g', 'ObjectId("507f1f77bcf86cd799439011")', repeat('é', 24), '2026-11-20 12:00', 'Fri Nov 20 2026 05:23:02 GMT+0000']) AS bad,
    LATERAL pg_temp.error_of(format('SELECT %L::objectid', bad)) AS e;
SELECT bad, e.* FROM unnest(ARRAY['\x', '\x00', '\x00000000000000000000000000']::bytea[]) AS bad, LATERAL pg_temp.error_of(format('SELECT %L::bytea::objectid', bad)) AS e;

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

-- what holds for all such types
\set type objectid
\set sample '507f1f77bcf86cd799439011'
\set part counter
\set file objectid
\set columns 'input_json_string text, reason text'
\set common :source '/sql/common/wide_type.sql'
\i :common
-- each process has a random value, and each second a counter
SELECT count(DISTINCT objectid_random(id)) AS processes, count(DISTINCT (objectid_time(id), objectid_counter(id))) = count(*) AS counted FROM made;
DROP TABLE made, derived;
