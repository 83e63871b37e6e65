-- The type snowflake: text and binary forms, casts, and everything else that a bigint can do.
\getenv source PG_ABS_SRCDIR
\set common :source '/sql/common/begin.sql'
\i :common

-- text
SELECT '0'::snowflake, '382458686519406592'::snowflake, '-9223372036854775808'::snowflake, '9223372036854775807'::snowflake;
SELECT state, message, detail, hint FROM unnest(ARRAY['', ' ', ' 5', '5 ', '+5', '5x', '0x10', '1_000', '1.5', '1e3', '5,6', 'NaN',
        '9223372036854775808', '-9223372036854775809', '99999999999999999999999999999999',
        repeat('7', 200), repeat('é', 200),
        '2026-11-20', '2026-11-20T05:21:48.647+00:00', '2026-11-20 05:23:01.679+00',
        'Fri Nov 20 2026 05:23:02 GMT+0000', 'Fri Nov 20 2026 05:23:02 GMT+0000 (Coordinated Universal Time)',
        'now', 'infinity', '20.11.2026 06:00']) AS bad,
    LATERAL pg_temp.error_of(format('SELECT %L::snowflake', bad));

-- casts: implicit to bigint, on assignment to numeric and from integers, explicit to a time
SELECT castsource::regtype, casttarget::regtype, castcontext, castmethod FROM pg_cast
    WHERE 'snowflake'::regtype IN (castsource, casttarget) ORDER BY 1, 2;
SELECT 5::snowflake, 5::smallint::snowflake, 5::bigint::snowflake, '5'::snowflake::bigint + 1 AS six,
    snowflake_encode('2026-11-20 12:00:00Z', 3, 4)::timestamptz, snowflake '9223372036854775807'::numeric + 1 AS beyond, ARRAY[snowflake '5']::numeric[];
CREATE FUNCTION pg_temp.takes_snowflake(snowflake) RETURNS text LANGUAGE sql AS 'SELECT $1::text';
SELECT state, message FROM pg_temp.error_of('SELECT pg_temp.takes_snowflake(5::bigint)');  -- not implicitly

-- a key, foreign keys in both directions, and every kind of literal
CREATE TABLE flakes (id snowflake PRIMARY KEY, n int);
CREATE TABLE integers (id bigint PRIMARY KEY REFERENCES flakes ON UPDATE CASCADE ON DELETE CASCADE);
CREATE TABLE children (id snowflake PRIMARY KEY REFERENCES integers ON UPDATE CASCADE ON DELETE CASCADE);
INSERT INTO flakes VALUES (5, 1), ('6', 2), (7::smallint, 3), (382458686519406592, 4);
INSERT INTO flakes SELECT g * 1000000000::bigint, g FROM generate_series(1, 100) AS g;
INSERT INTO flakes VALUES (5, 9);
INSERT INTO integers SELECT id FROM flakes;
INSERT INTO children SELECT id FROM integers;
INSERT INTO children VALUES (8);
UPDATE flakes SET id = 4 WHERE id = 5;
SELECT (SELECT min(id) FROM integers) AS bigint_child, (SELECT min(id) FROM children) AS snowflake_child;
DELETE FROM flakes WHERE id = 4;
SELECT (SELECT min(id) FROM integers) AS bigint_child, (SELECT min(id) FROM children) AS snowflake_child;

SELECT id FROM flakes WHERE id = 6;
SELECT id FROM flakes WHERE id = '6';
SELECT id FROM flakes WHERE id BETWEEN '5' AND '7' ORDER BY id;
SELECT id FROM flakes WHERE id IN (6, 7, 382458686519406592) ORDER BY id DESC;
SELECT id FROM flakes WHERE id = ANY ('{6,7}') ORDER BY id;
PREPARE untyped AS SELECT count(*) FROM flakes WHERE id < $1;
EXECUTE untyped('7');
PREPARE typed(bigint) AS SELECT count(*) FROM flakes WHERE id < $1;
EXECUTE typed(7);
SELECT count(*) FROM flakes WHERE id < '2026-11-20';
SELECT id % 4 AS rest, pg_typeof(id % 4) FROM flakes WHERE id = 7;
SELECT min(id), max(id), pg_typeof(max(id)) FROM flakes;
SELECT count(*), pg_typeof(min(id)) FROM (SELECT id FROM flakes UNION SELECT id FROM integers) AS u;
SELECT count(*) FROM flakes JOIN integers USING (id) JOIN children USING (id);
SELECT id, to_json(id), jsonb_build_object('id', id) FROM flakes WHERE id = 382458686519406592;
SELECT array_agg(id ORDER BY id DESC) FROM flakes WHERE id < '8';
SELECT snowflake_time(NULL) IS NULL AS null_in, snowflake_time('5');

-- binary form; type_laws tests reading it
SELECT _snowid.snowflake_send('382458686519406592');

-- all access methods and partitioning
CREATE INDEX flakes_hash ON flakes USING hash (id);
CREATE INDEX flakes_brin ON flakes USING brin (id);
CREATE INDEX flakes_brin_multi ON flakes USING brin (id int8_minmax_multi_ops);
CREATE TABLE by_range (id snowflake PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE by_range_1 PARTITION OF by_range FOR VALUES FROM (0) TO ('382458686519406592');
CREATE TABLE by_range_2 PARTITION OF by_range FOR VALUES FROM (382458686519406592) TO (MAXVALUE);
INSERT INTO by_range SELECT id FROM flakes;
SELECT tableoid::regclass, count(*) FROM by_range GROUP BY 1 ORDER BY 1;
CREATE TABLE by_hash (id snowflake PRIMARY KEY) PARTITION BY HASH (id);
CREATE TABLE by_hash_1 PARTITION OF by_hash FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE by_hash_2 PARTITION OF by_hash FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO by_hash SELECT id FROM flakes;
SELECT count(DISTINCT tableoid) AS partitions, count(*) FROM by_hash;

-- the parts of an id
SELECT * FROM snowflake_decode(382458686519406592);
SELECT snowflake_time(382458686519406592), snowflake_worker(382458686519406592), snowflake_sequence(382458686519406595);
SELECT * FROM snowflake_decode(-1);  -- bits outside of the layout: no id of it
SELECT snowflake_encode('2026-11-20 12:00:00.1239Z', 1023, 4095), snowflake_encode('2024-01-01Z', 0, 0);
SELECT * FROM snowflake_decode(snowflake_encode('2026-11-20 12:00:00.1239Z', 1023, 4095));
SELECT state, message, detail FROM unnest(ARRAY['2026-11-20Z, 1024, 0', '2026-11-20Z, -1, 0', '2026-11-20Z, 0, 4096',
        '2023-12-31 23:59:59.999999Z, 0, 0', '2093-09-07Z, 0, 0', 'infinity, 0, 0', '-infinity, 0, 0']) AS parts,
    LATERAL pg_temp.error_of(format('SELECT snowflake_encode(%L, %s)', split_part(parts, ',', 1), substr(parts, position(',' in parts) + 1)));

-- bounds
SELECT state, message, detail FROM unnest(ARRAY['2093-09-07Z', 'infinity']) AS t,
    LATERAL pg_temp.error_of(format('SELECT snowflake_lower_bound(%L)', t));
SELECT snowflake_lower_bound('2024-01-01Z'), snowflake_lower_bound('2000-01-01Z'), snowflake_lower_bound('-infinity'),
    snowflake_lower_bound('2024-01-01 00:00:00.001Z'), snowflake_lower_bound('2024-01-01 00:00:00.000001Z');
SELECT bool_and(snowflake_time(b) >= t AND snowflake_time(b - 1) < t) AS bounds_are_exact
    FROM (SELECT timestamptz '2024-01-01Z' + random() * interval '60 years' + interval '1 s' AS t FROM generate_series(1, 1000)) AS r,
    LATERAL (SELECT snowflake_lower_bound(t) AS b) AS l;

-- a generated column, an index and a check on the parts of an id
CREATE TABLE derived (
    id bigint PRIMARY KEY CHECK (snowflake_worker(id) = 7),
    made timestamptz GENERATED ALWAYS AS (snowflake_time(id)) STORED
);
CREATE INDEX ON derived (snowflake_sequence(id));
INSERT INTO derived VALUES (382458686519406592);
SELECT * FROM derived;
DROP TABLE flakes, integers, children, by_range, by_hash, derived;
