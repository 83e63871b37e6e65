-- The type rsxid: the vectors, what is refused, its parts, and its generator.
\getenv source PG_ABS_SRCDIR
\set common :source '/sql/common/begin.sql'
\i :common
CREATE TEMP TABLE valid (hex text, text text, unix_s numeric, machine_hex text, pid int, counter int, kind text);
\set copy '\\copy valid FROM ''' :vectors '/xid.valid.tsv''' :as_it_is
:copy
SELECT count(*) > 50 AS read, bool_and(text::rsxid::text = text) AS text, bool_and(decode(hex, 'hex')::rsxid = text::rsxid) AS bytes,
    bool_and(_snowid.rsxid_send(text::rsxid) = decode(hex, 'hex')) AS binary, bool_and(extract(epoch FROM time) = unix_s) AS time, bool_and(machine = decode(machine_hex, 'hex')) AS machine,
    bool_and(d.pid = valid.pid) AS pid, bool_and(d.counter = valid.counter) AS counter,
    bool_and(rsxid_encode(time, machine, d.pid, d.counter) = text::rsxid) AS encoded
    FROM valid, LATERAL rsxid_decode(text::rsxid) AS d;

-- bad input
SELECT bad, e.* FROM unnest(ARRAY['', '9m4e2mr0ui3e8a215n4', '9m4e2mr0ui3e8a215n4h', '9m4e2mr0ui3e8a215n4w', '9M4E2MR0UI3E8A215N4G', repeat('é', 20), '2026-11-20 12:00', 'Fri Nov 20 2026 05:23:02 GMT+0000']) AS bad,
    LATERAL pg_temp.error_of(format('SELECT %L::rsxid', bad)) AS e;
SELECT bad, e.* FROM unnest(ARRAY['\x', '\x00', '\x00000000000000000000000000']::bytea[]) AS bad, LATERAL pg_temp.error_of(format('SELECT %L::bytea::rsxid', bad)) AS e;

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

-- what holds for all such types
\set type rsxid
\set sample '9m4e2mr0ui3e8a215n4g'
\set part counter
\set file xid
\set columns 'input_json_string text, reason text'
\set common :source '/sql/common/wide_type.sql'
\i :common
SELECT count(DISTINCT rsxid_machine(id)) AS machines, bool_and(rsxid_pid(id) = pg_backend_pid() % 65536) AS of_this_process,
    count(DISTINCT (rsxid_time(id), rsxid_counter(id))) = count(*) AS counted FROM made;
DROP TABLE made, derived;
