-- The type rsxid: the vectors, what is refused, its parts, and its generator.
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
CREATE TEMP TABLE valid (hex text, text text, unix_s numeric, machine_hex text, pid int, counter int, kind text);
\set copy '\\copy valid FROM ''' :vectors '/xid.valid.tsv''' :as_it_is
:copy
SELECT count(*) > 50 AS read, bool_and(text::rsxid::text = text) AS text, bool_and(decode(hex, 'hex')::rsxid = text::rsxid) AS bytes,
    bool_and(_snowid.rsxid_send(text::rsxid) = decode(hex, 'hex')) AS binary, bool_and(extract(epoch FROM time) = unix_s) AS time, bool_and(machine = decode(machine_hex, 'hex')) AS machine,
    bool_and(d.pid = valid.pid) AS pid, bool_and(d.counter = valid.counter) AS counter,
    bool_and(rsxid_encode(time, machine, d.pid, d.counter) = text::rsxid) AS encoded
    FROM valid, LATERAL rsxid_decode(text::rsxid) AS d;

-- bad input
CREATE TEMP TABLE invalid (input_json_string text, reason text);
\set copy '\\copy invalid FROM ''' :vectors '/xid.invalid.tsv''' :as_it_is
:copy
SELECT count(*) > 30 AS read FROM invalid;
SELECT input_json_string, e.* FROM invalid, LATERAL pg_temp.error_of(format('SELECT %L::rsxid', input_json_string::jsonb #>> '{}')) AS e
    WHERE (state = '22P02' AND message LIKE 'invalid input syntax for type rsxid: "%' AND detail <> '') IS NOT TRUE;
DO $$
DECLARE
    wrong text;
BEGIN
    IF current_setting('server_version_num')::int >= 160000 THEN
        EXECUTE 'SELECT string_agg(input_json_string, '' '') FROM invalid
            WHERE pg_input_is_valid(input_json_string::jsonb #>> ''{}'', ''rsxid'')' INTO wrong;
        IF wrong IS NOT NULL THEN RAISE '% are valid', wrong; END IF;
    END IF;
END $$;
SELECT bad, e.* FROM unnest(ARRAY['', '9m4e2mr0ui3e8a215n4', '9m4e2mr0ui3e8a215n4h', '9m4e2mr0ui3e8a215n4w', '9M4E2MR0UI3E8A215N4G', repeat('é', 20), '2026-11-20 12:00', 'Fri Nov 20 2026 05:23:02 GMT+0000']) AS bad,
    LATERAL pg_temp.error_of(format('SELECT %L::rsxid', bad)) AS e;
SELECT bad, e.* FROM unnest(ARRAY['\x', '\x00', '\x00000000000000000000000000']::bytea[]) AS bad, LATERAL pg_temp.error_of(format('SELECT %L::bytea::rsxid', bad)) AS e;

-- casts
SELECT castsource::regtype, casttarget::regtype, castcontext, castmethod FROM pg_cast
    WHERE 'rsxid'::regtype IN (castsource, casttarget) ORDER BY 1, 2;
SELECT to_json(id), id::bytea, id::timestamptz FROM (SELECT '9m4e2mr0ui3e8a215n4g'::rsxid AS id) s;

-- the parts of an id
SELECT * FROM rsxid_decode('9m4e2mr0ui3e8a215n4g');
SELECT rsxid_time(rsxid_encode(t, '\x001122', 5, 77)), rsxid_encode(t, '\x001122', 5, 77) FROM unnest(ARRAY['2026-11-20 12:00:00.1239Z', '1970-01-01Z', '2106-02-07 06:28:15Z']::timestamptz[]) AS t;
SELECT call, e.* FROM unnest(ARRAY['''2026-11-20Z'', ''\x00'', 1, 1', '''2026-11-20Z'', ''\x001122'', -1, 1', '''2026-11-20Z'', ''\x001122'', 65536, 1', '''2026-11-20Z'', ''\x001122'', 1, 16777216', '''1969-12-31Z'', ''\x001122'', 1, 1']) AS call,
    LATERAL pg_temp.error_of('SELECT rsxid_encode(' || call || ')') AS e;

-- bounds
SELECT t, rsxid_lower_bound(t), rsxid_time(rsxid_lower_bound(t))
    FROM unnest(ARRAY['-infinity', '1969-12-31Z', '1970-01-01Z', '1970-01-01Z'::timestamptz + interval '1 us', '2106-02-07 06:28:15Z']::timestamptz[]) AS t;
SELECT call, e.* FROM unnest(ARRAY['lower_bound(''2106-02-08Z'')', 'lower_bound(''infinity'')', 'at(''2106-02-08Z'')', 'at(''1969-12-31Z'')', 'at(''-infinity'')']) AS call,
    LATERAL pg_temp.error_of('SELECT rsxid_' || call) AS e;
SELECT bool_and(rsxid_time(b) >= t AND rsxid_time(b) < t + interval '1 s' AND b >= rsxid_lower_bound(t - interval '1 us')) AS bounds_are_exact
    FROM (SELECT t, rsxid_lower_bound(t) AS b FROM (SELECT timestamptz '2020-01-01Z' + random() * interval '60 years' AS t FROM generate_series(1, 1000)) r) s;

-- the generator: ids and batches have the current time and ascend; ids made for a given time have that time
CREATE TABLE made (id rsxid PRIMARY KEY DEFAULT rsxid_next(), n int GENERATED ALWAYS AS IDENTITY);
INSERT INTO made SELECT FROM generate_series(1, 10000);
INSERT INTO made SELECT rsxid_next_batch(10000);
INSERT INTO made SELECT id FROM rsxid_next_batch(10000) AS id;
SELECT count(*), count(DISTINCT id), bool_and(id > previous) AS ascending,
    bool_and(rsxid_time(id) BETWEEN now() - interval '1 hour' AND clock_timestamp() + interval '2 s') AS of_now
    FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM made) s;
SELECT count(DISTINCT rsxid_at('2026-11-20 12:00Z')), count(DISTINCT rsxid_time(rsxid_at('2026-11-20 12:00Z'))) FROM generate_series(1, 10000);
SELECT count(*) FROM (SELECT rsxid_next_batch(2000000000) LIMIT 3) s;
SELECT n, e.* FROM unnest(ARRAY['0', '-1']) AS n, LATERAL pg_temp.error_of(format('SELECT rsxid_next_batch(%s)', n)) AS e;
SELECT count(*) FROM rsxid_next_batch(NULL);
SELECT count(DISTINCT rsxid_machine(id)) AS machines, bool_and(rsxid_pid(id) = pg_backend_pid() % 65536) AS of_this_process,
    count(DISTINCT (rsxid_time(id), rsxid_counter(id))) = count(*) AS counted FROM made;
BEGIN READ ONLY;
SELECT rsxid_next() > max(id) AS greater FROM made;
ROLLBACK;

-- a generated column, an index and a check on the parts of an id
CREATE TABLE derived (
    id rsxid PRIMARY KEY CHECK (rsxid_time(id) > '1970-01-01Z'),
    made timestamptz GENERATED ALWAYS AS (rsxid_time(id)) STORED
);
CREATE INDEX ON derived (rsxid_counter(id));
INSERT INTO derived VALUES ('9m4e2mr0ui3e8a215n4g');
SELECT * FROM derived;
DROP TABLE made, derived;
