-- What holds for every type of fixed bytes, by the variables type, sample (an id), part (of an id), file (of vectors), and columns (of the vectors
-- that are refused).

\set next :type '_next'
\set next_batch :type '_next_batch'
\set time :type '_time'
\set at :type '_at'
\set part_of :type '_' :part

-- bad input
CREATE TEMP TABLE invalid (:columns);
\set copy '\\copy invalid FROM ''' :vectors '/' :file '.invalid.tsv''' :as_it_is
:copy
SELECT count(*) > 30 AS read FROM invalid;
SELECT input_json_string, e.* FROM invalid, LATERAL pg_temp.error_of(format('SELECT %L::%s', input_json_string::jsonb #>> '{}', :'type')) AS e
    WHERE (state = '22P02' AND message LIKE format('invalid input syntax for type %s: "%%', :'type') AND detail <> '') IS NOT TRUE;
SELECT current_setting('server_version_num')::int >= 160000 AS is_soft \gset
\if :is_soft
SELECT string_agg(input_json_string, ' ') AS softly FROM invalid WHERE pg_input_is_valid(input_json_string::jsonb #>> '{}', :'type') \gset
\endif
\if :{?softly}
\echo :softly is valid
\endif

-- casts
SELECT castsource::regtype, casttarget::regtype, castcontext, castmethod FROM pg_cast
    WHERE :'type'::regtype IN (castsource, casttarget) ORDER BY 1, 2;
SELECT to_json(id), id::bytea, id::timestamptz FROM (SELECT CAST(:'sample' AS :type) AS id) s;

-- the generator: ids and batches have the current time and ascend; ids made for a given time have that time
CREATE TABLE made (id :type PRIMARY KEY DEFAULT :next(), n int GENERATED ALWAYS AS IDENTITY);
INSERT INTO made SELECT FROM generate_series(1, 10000);
INSERT INTO made SELECT :next_batch(10000);
INSERT INTO made SELECT id FROM :next_batch(10000) AS id;
SELECT count(*), count(DISTINCT id), bool_and(id > previous) AS ascending,
    bool_and(:time(id) BETWEEN now() - interval '1 hour' AND clock_timestamp() + interval '2 s') AS of_now
    FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM made) s;
SELECT count(DISTINCT :at('2026-11-20 12:00Z')), count(DISTINCT :time(:at('2026-11-20 12:00Z'))) FROM generate_series(1, 10000);
SELECT count(*) FROM (SELECT :next_batch(2000000000) LIMIT 3) s;
SELECT n, e.* FROM unnest(ARRAY['0', '-1']) AS n, LATERAL pg_temp.error_of(format('SELECT %s_next_batch(%s)', :'type', n)) AS e;
SELECT count(*) FROM :next_batch(NULL);
BEGIN READ ONLY;
SELECT :next() > max(id) AS greater FROM made;
ROLLBACK;

-- a generated column, an index and a check on the parts of an id
CREATE TABLE derived (
    id :type PRIMARY KEY CHECK (:time(id) > '1970-01-01Z'),
    made timestamptz GENERATED ALWAYS AS (:time(id)) STORED
);
CREATE INDEX ON derived (:part_of(id));
INSERT INTO derived VALUES (:'sample');
SELECT * FROM derived;
