-- The type ulid: the vectors, what is refused, its parts, and its generator.
\getenv source PG_ABS_SRCDIR
\set common :source '/sql/common/begin.sql'
\i :common
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
SELECT bad, e.* FROM unnest(ARRAY['', '01ARZ3NDEKTSV4RRFFQ69G5FA', '01ARZ3NDEKTSV4RRFFQ69G5FAU', '81ARZ3NDEKTSV4RRFFQ69G5FAV', repeat('é', 26), repeat('é', 13),
        '01a1fd9e-9f04-7057-a643-4b34080bf439', '384823767370592256', '2026-11-20 12:00', '20261120', 'Fri Nov 20 2026 05:23:02 GMT+0000']) AS bad,
    LATERAL pg_temp.error_of(format('SELECT %L::ulid', bad)) AS e;
SELECT bad, e.* FROM unnest(ARRAY['\x', '\x00', '\x0000000000000000000000000000000000']::bytea[]) AS bad, LATERAL pg_temp.error_of(format('SELECT %L::bytea::ulid', bad)) AS e;

-- casts
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

-- what holds for all such types
SELECT now() - interval '1 ms' AS began \gset
\set type ulid
\set sample '01ARZ3NDEKTSV4RRFFQ69G5FAV'
\set part entropy
\set file ulid
\set columns 'input_json_string text, reason text, strict_error text'
\set common :source '/sql/common/wide_type.sql'
\i :common
SELECT bool_and(ulid_time(id) >= :'began') AS of_now FROM made;
SELECT count(DISTINCT id), bool_and(id > before) AS ascending FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM (SELECT n, ulid_spread() AS id FROM generate_series(1, 20000) AS n) g) s;
DROP TABLE made, derived;
