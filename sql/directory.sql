-- The directory of a fleet: what it gives out, what it refuses and says then, and who may ask.
CREATE EXTENSION snowid_directory;
CREATE SCHEMA directory_test;
SET search_path = directory_test;

-- What a statement is refused with. Times and tokens differ each time.
CREATE FUNCTION refusal(statement text, OUT state text, OUT message text, OUT detail text, OUT hint text)
    LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    detail := regexp_replace(detail, '\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d(:\d\d)?', 'TIME', 'g');
END $$;
CREATE FUNCTION ns(at timestamptz DEFAULT clock_timestamp()) RETURNS bigint LANGUAGE sql VOLATILE
    AS $$ SELECT (extract(epoch FROM at) * 1000000)::bigint * 1000 $$;
CREATE FUNCTION layout() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12'::text $$;
-- A server that asks for ten minutes.
CREATE FUNCTION take(name text, clock interval DEFAULT '0', worker_max integer DEFAULT 1023,
    OUT worker integer, OUT token uuid, OUT from_ns bigint, OUT until_ns bigint, OUT now_ns bigint, OUT first integer, OUT last integer, OUT free integer) RETURNS SETOF record
    LANGUAGE sql VOLATILE AS $$ SELECT * FROM snowid_directory.take(1, directory_test.layout(), directory_test.ns(clock_timestamp() + clock), 600000, worker_max, name) $$;
CREATE FUNCTION is_near(a bigint, b bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT abs(a - b) < 60000000000 $$;

-- nothing is added
SELECT * FROM refusal('SELECT take(''a'')');
SELECT count(*) FROM snowid_directory.workers;

-- what cannot be added
SELECT l.layout, r.* FROM unnest(ARRAY[NULL, '', 'js', 'EPOCH=2024-01-01,tick=1ms,time=41,worker=10,sequence=12', 'epoch=2024-01-01, tick=1ms,time=41,worker=10,sequence=12']) l (layout),
    refusal(format('SELECT snowid_directory.add(%L, 1, 3)', l.layout)) r;
SELECT a.range, a.layout, r.detail, r.state FROM (VALUES ('0, 3', layout()), ('3, 2', layout()), ('-1, 1', layout()), ('1, 1024', layout()), ('NULL, 1', layout()), ('1, NULL', layout()),
        ('1, 1', 'epoch=1970-01-01,tick=1ms,time=48,sequence=16'), ('1, 65536', 'epoch=2016-05-19T16:00:00Z,tick=1s,time=28,worker=22,sequence=13'),
        ('1, 1024', 'epoch=2010-11-04T01:42:54.657Z,tick=1ms,time=41,datacenter=5,worker=5,sequence=12')) a (range, layout),
    refusal(format('SELECT snowid_directory.add(%L, %s)', a.layout, a.range)) r;
SELECT t.at, r.* FROM unnest(ARRAY['NULL', '''infinity''', '''-infinity''']) t (at), refusal(format('SELECT snowid_directory.add(layout(), 1, 3, %s)', t.at)) r;

-- what nobody who asks may say
SELECT snowid_directory.add(layout(), 1, 3, clock_timestamp() - interval '1 hour');
SELECT q.question, r.* FROM unnest(ARRAY[
        'take(2, layout(), ns(), 5000, 1023, ''a'')', 'take(NULL, layout(), ns(), 5000, 1023, ''a'')', 'renew(0, 1, NULL, ns(), ns(), 5000)',
        'take(1, layout(), ns(), 0, 1023, ''a'')', 'take(1, layout(), ns(), 86400001, 1023, ''a'')', 'take(1, layout(), ns(), NULL, 1023, ''a'')', 'take(1, layout(), NULL, 5000, 1023, ''a'')',
        'take(1, ''epoch=2024-01-01,tick=1ms,time=41,worker=8,sequence=14'', ns(), 5000, 1023, ''a'')', 'take(1, NULL, ns(), 5000, 1023, ''a'')']) q (question),
    refusal('SELECT snowid_directory.' || q.question) r;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT r.* FROM refusal('SELECT take(''a'')') r;
ROLLBACK;
SELECT c.clock, r.* FROM unnest(ARRAY['61 s', '9 min 10 s', '3 hours', '-61 min']) c (clock), refusal(format('SELECT take(''a'', %L)', c.clock)) r;
SELECT 'no bigger than 0' AS worker, r.* FROM refusal('SELECT take(''a'', worker_max => 0)') r;
SELECT worker, token, holder, lease_ms FROM snowid_directory.worker ORDER BY 1;

-- a life
SELECT worker, first, last, free, is_near(now_ns, ns()) AS now, from_ns < now_ns AS "from", until_ns - now_ns BETWEEN 500000000000 AND 600000000000 AS until, token IS NOT NULL AS token FROM take('first');
SELECT worker, free FROM take('second', '59 s');
SELECT worker, free FROM take('third', '-59 min', 3);
SELECT * FROM refusal('SELECT take(''fourth'')');
SELECT * FROM refusal('SELECT take(''fourth'', worker_max => 2)');
SELECT worker, state, holder, address IS NOT DISTINCT FROM inet_client_addr() AS address, since IS NOT NULL AS since, renewed = since AS renewed, expires > since AS expires, abs(extract(epoch FROM until - since)) < 700 AS until FROM snowid_directory.workers ORDER BY 1;
SELECT token AS was, until_ns AS had FROM snowid_directory.worker WHERE worker = 1 \gset
SELECT token <> :'was' AS token, until_ns - now_ns BETWEEN 1100000000000 AND 1200000000000 AS until, is_near(now_ns, ns()) AS now, first, last, free FROM snowid_directory.renew(1, 1, :'was', ns(), :had, 1200000);
SELECT * FROM snowid_directory.renew(1, 1, :'was', ns(), :had, 10000);
SELECT * FROM snowid_directory.renew(1, 1, NULL, ns(), :had, 10000);
SELECT token AS was, until_ns AS had FROM snowid_directory.worker WHERE worker = 1 \gset
SELECT until_ns = :had AS "a clock that went back takes nothing back" FROM snowid_directory.renew(1, 1, :'was', ns() - 3600000000000, :had, 10000);
SELECT quiet_until FROM snowid_directory.fleet;
-- nor does one that is far ahead use a number up
SELECT token AS was, until_ns AS had FROM snowid_directory.worker WHERE worker = 1 \gset
SELECT c.clock, r.state, s.message FROM (VALUES ('11 min', ns() + 11 * 60000000000), ('294 years', 9223372000000000000 - 86400000000000)) c (clock, ns),
    refusal(format('SELECT * FROM snowid_directory.renew(1, 1, %L, %s, %s, 86400000)', :'was', c.ns, :had)) r (state, said, detail, hint),
    regexp_replace(r.said, '\d+ h', 'N h') s (message);
SELECT until_ns = :had AS "its end is where it was" FROM snowid_directory.worker WHERE worker = 1;

-- who is free for longest is taken first, and what it had before is not given again
UPDATE snowid_directory.worker SET expires = clock_timestamp(), until_ns = ns() - (10 - worker % 2) * 1000000000::bigint;
SELECT t.worker, t.from_ns = w.until_ns AS "from", w.holder FROM snowid_directory.worker w, take('again') t WHERE t.worker = w.worker;
SELECT worker FROM take('again');
UPDATE snowid_directory.worker SET until_ns = ns() + 3600000000000 WHERE worker = 3;
SELECT worker, state FROM snowid_directory.workers ORDER BY 1;
SELECT * FROM refusal('SELECT take(''again'')');

-- the directory's clock was set back by an hour
UPDATE snowid_directory.worker SET expires = clock_timestamp() + interval '1 hour', until_ns = ns() - 1000000000, lease_ms = 100;
SELECT * FROM take('set back');
SELECT bool_and(expires < clock_timestamp() + interval '1 s') FROM snowid_directory.worker;
SELECT pg_sleep(0.2);
SELECT worker FROM take('set back');

-- close, and open again
SELECT * FROM refusal('SELECT snowid_directory.add(layout(), 3, 4)');
SELECT * FROM refusal('SELECT snowid_directory.add(''epoch=2024-01-01,tick=1ms,time=41,worker=8,sequence=14'', 4, 5)');
SELECT * FROM refusal('SELECT snowid_directory.close(4, 5)');
SELECT * FROM refusal('SELECT snowid_directory.close(NULL, 5)');
UPDATE snowid_directory.worker SET token = gen_random_uuid(), expires = clock_timestamp() + interval '1 min', until_ns = ns() + 60000000000;
SELECT token AS was, until_ns AS had FROM snowid_directory.worker WHERE worker = 3 \gset
SELECT ns(snowid_directory.close(3, 900)) > :had AS "free for people";
SELECT worker, state FROM snowid_directory.workers ORDER BY 1;
SELECT token AS of_2, until_ns AS had_2 FROM snowid_directory.worker WHERE worker = 2 \gset
SELECT first, last FROM snowid_directory.renew(1, 2, :'of_2', ns(), :had_2, 60000);
SELECT snowid_directory.add(layout(), 3, 3, clock_timestamp() + interval '1 day');
SELECT until_ns > :had + 3600000000000 AS "above what people used" FROM snowid_directory.worker WHERE worker = 3;
SELECT * FROM snowid_directory.renew(1, 3, :'was', ns(), :had, 60000);
SELECT snowid_directory.close(3, 3) IS NOT NULL AS closed, snowid_directory.add(layout(), 3, 3) IS NOT NULL AS added;
SELECT until_ns > :had + 3600000000000 AS "it only grows" FROM snowid_directory.worker WHERE worker = 3;
SELECT snowid_directory.close(3, 3) IS NOT NULL AS closed;
UPDATE snowid_directory.worker SET until_ns = ns() - 1 WHERE worker = 3;
UPDATE snowid_directory.fleet SET narrows_at = clock_timestamp();
SELECT token AS of_2, until_ns AS had_2 FROM snowid_directory.worker WHERE worker = 2 \gset
SELECT first, last FROM snowid_directory.renew(1, 2, :'of_2', ns(), :had_2, 60000);
-- what is free is not counted by each renewal, and yet does not grow old
SELECT token AS of_2, until_ns AS had_2 FROM snowid_directory.worker WHERE worker = 2 \gset
UPDATE snowid_directory.fleet SET free = -1;
SELECT free FROM snowid_directory.renew(1, 2, :'of_2', ns(), :had_2, 60000);
UPDATE snowid_directory.fleet SET counted_at = clock_timestamp() - interval '1 min';
SELECT token AS of_2, until_ns AS had_2 FROM snowid_directory.worker WHERE worker = 2 \gset
SELECT free >= 0 AS counted FROM snowid_directory.renew(1, 2, :'of_2', ns(), :had_2, 60000);

-- the owner takes back what a holder took for a day and will not use
SELECT * FROM refusal('SELECT snowid_directory.take_back(4, 5, now())');
SELECT a.range, r.detail, r.state FROM unnest(ARRAY['2, 2, NULL', '2, 2, ''infinity''', 'NULL, 2, now()']) a (range), refusal(format('SELECT snowid_directory.take_back(%s)', a.range)) r;
SELECT token AS of_2, until_ns AS had_2 FROM snowid_directory.worker WHERE worker = 2 \gset
SELECT count(token) AS renewed FROM snowid_directory.renew(1, 2, :'of_2', ns() + 590000000000, :had_2, 86400000);
SELECT token AS of_2, until_ns AS had_2 FROM snowid_directory.worker WHERE worker = 2 \gset
SELECT count(*) AS "no other number" FROM snowid_directory.worker WHERE open AND expires <= clock_timestamp();
SELECT ns() - 1000000000 AS used \gset
SELECT snowid_directory.take_back(2, 2, timestamptz 'epoch' + :used / 1000 * interval '1 microsecond');
SELECT worker, state FROM snowid_directory.workers ORDER BY 1;
SELECT worker, from_ns = :used / 1000 * 1000 AS "from" FROM take('after it was taken back');
SELECT snowid_directory.take_back(2, 2, now() + interval '1 year');
SELECT until_ns < ns() + 700000000000 AS "nothing is added" FROM snowid_directory.worker WHERE worker = 2;
UPDATE snowid_directory.worker SET token = gen_random_uuid(), expires = clock_timestamp() + interval '1 min', until_ns = ns() + 60000000000 WHERE worker = 2;

-- quiet time: another incarnation, noticed by a take
SELECT snowid_directory.add(layout(), 10, 19, clock_timestamp() - interval '1 hour');
UPDATE snowid_directory.fleet SET lead_ns = 60000000000;
SELECT incarnation AS here FROM snowid_directory.fleet \gset
UPDATE snowid_directory.worker SET lease_ms = 30000, ahead_ns = 0;
UPDATE snowid_directory.fleet SET incarnation = regexp_replace(incarnation, '/[^/]*/', '/00000099/');
-- what the directory gave out, and has lost
CREATE FUNCTION proved(worker integer, until_ns bigint) RETURNS uuid LANGUAGE sql AS $$ SELECT snowid_directory._token('0123456789abcd' || lpad(to_hex((until_ns / 1000000000 - 1) & 16777215), 6, '0'), worker, until_ns) $$;
CREATE VIEW quiet AS SELECT round(extract(epoch FROM quiet_until - clock_timestamp()) / 10) * 10 AS lasts, floor_ns = ns(quiet_until) AS floor, incarnation, lead_ns FROM snowid_directory.fleet;
SELECT * FROM take('notices');
SELECT lasts, floor, incarnation = :'here' AS here FROM quiet;
SELECT * FROM refusal('SELECT take(''hears'')');
SELECT snowid_directory.trust();
SELECT floor_ns <= ns() AS floor, isfinite(quiet_until) AS quiet FROM snowid_directory.fleet;
SELECT worker FROM take('trusts');
-- by a renewal, in another cluster; its row has enough left of its lease, and goes on
UPDATE snowid_directory.fleet SET incarnation = '1/00000001', lead_ns = 10000000000;
SELECT token AS was, until_ns AS had FROM snowid_directory.worker WHERE worker = 10 \gset
SELECT worker FROM snowid_directory.worker WHERE token = :'was';
SELECT count(token) AS renewed FROM snowid_directory.renew(1, 10, :'was', ns(), :had, 60000);
SELECT lasts, floor, incarnation = :'here' AS here FROM quiet;
-- less than the clocks of two directories may differ by
SELECT token AS was, until_ns AS had FROM snowid_directory.worker WHERE worker = 10 \gset
UPDATE snowid_directory.worker SET expires = clock_timestamp() + interval '4 s' WHERE worker = 10;
SELECT count(token) AS renewed FROM snowid_directory.renew(1, 10, :'was', ns(), :had, 60000);
-- more than a renewal gives, so by another clock
UPDATE snowid_directory.worker SET expires = clock_timestamp() + interval '1 hour' WHERE worker = 10;
SELECT count(token) AS renewed FROM snowid_directory.renew(1, 10, :'was', ns(), :had, 60000);
UPDATE snowid_directory.fleet SET floor_ns = :had;
SELECT count(*) AS "renewed above the floor" FROM snowid_directory.renew(1, 10, :'was', ns(), :had, 60000);
-- by a holder of more than the row has
SELECT snowid_directory.trust();
SELECT ns() AS now \gset
SELECT count(token) AS renewed FROM snowid_directory.renew(1, 11, proved(11, :now), :now, :now, 5000);
SELECT lasts > 0 AS quiet FROM quiet;
SELECT snowid_directory.trust();
-- not by one that invents what it holds
SELECT count(token) AS renewed FROM snowid_directory.renew(1, 11, gen_random_uuid(), ns(), 9223372036854775807, 86400000);
SELECT count(token) AS renewed FROM snowid_directory.renew(1, 11, proved(12, 9223372036854775807), ns(), 9223372036854775807, 86400000);
SELECT count(token) AS renewed FROM snowid_directory.renew(1, 11, NULL, ns(), 9223372036854775807, 86400000);
SELECT isfinite(quiet_until) AS quiet FROM snowid_directory.fleet;
-- by one that lies of its lease: for as long as the directory has given out, and no renewal extends that
SELECT extract(epoch FROM snowid_directory._lead() + snowid_directory._longest_lease()) AS longest \gset
SELECT count(token) AS renewed FROM snowid_directory.renew(1, 999, proved(999, 9223372036854775807), ns(), 9223372036854775807, 86400000);
SELECT lasts BETWEEN 10 AND :longest + 5 AS quiet, floor FROM quiet;
SELECT quiet_until AS before, floor_ns AS floor_before FROM snowid_directory.fleet \gset
SELECT count(token) AS renewed FROM snowid_directory.renew(1, 11, proved(11, 9223372036854775807), ns(), 9223372036854775807, 86400000);
SELECT quiet_until = :'before' AS "as long as before", floor_ns = :floor_before AS floor FROM snowid_directory.fleet;
-- but another loss does
UPDATE snowid_directory.fleet SET incarnation = regexp_replace(incarnation, '/[^/]*/', '/00000099/');
SELECT count(token) AS renewed FROM snowid_directory.renew(1, 11, proved(11, 9223372036854775807), ns(), 9223372036854775807, 86400000);
SELECT quiet_until > :'before' AS longer, lasts <= :longest + 5 AS quiet, floor FROM quiet, snowid_directory.fleet;
SELECT snowid_directory.trust();
UPDATE snowid_directory.worker SET token = '01234567-ffff-ffff-0000-000000000000' WHERE worker = 10;
SELECT until_ns AS had FROM snowid_directory.worker WHERE worker = 10 \gset
SELECT count(token) AS renewed FROM snowid_directory.renew(1, 10, proved(10, :had), ns(), :had, 5000);
SELECT quiet_until AS "it has no more than the row" FROM snowid_directory.fleet;
-- the floor is where a piece begins
UPDATE snowid_directory.fleet SET floor_ns = ns() - 1000000;
SELECT t.from_ns = f.floor_ns AS floor FROM snowid_directory.fleet f, take('floor') t;
UPDATE snowid_directory.fleet SET floor_ns = ns() + 60000000000;
UPDATE snowid_directory.worker SET expires = now() + interval '1 h' WHERE holder = 'floor';
SELECT * FROM take('pulls back what is too far');
SELECT detail FROM refusal('SELECT take(''floor'')');
UPDATE snowid_directory.fleet SET floor_ns = 0;

-- a lead is that of the row's last renewal
UPDATE snowid_directory.worker SET until_ns = ns() - 1000000000, ahead_ns = 0, expires = '-infinity', lease_ms = 0, token = NULL;
SELECT worker FROM snowid_directory.take(1, layout(), ns() + 55000000000, 5000, 1023, 'ahead');
UPDATE snowid_directory.fleet SET lead_ns = 60000000000;
SELECT snowid_directory._lead() AS "at least";
SELECT worker, token AS was, until_ns AS had FROM snowid_directory.worker WHERE holder = 'ahead' AND token IS NOT NULL \gset
SELECT count(token) FROM snowid_directory.renew(1, :worker, :'was', ns() + 590000000000, :had, 60000);
SELECT snowid_directory._lead() AS "at most";
SELECT token AS was FROM snowid_directory.worker WHERE worker = :worker \gset
SELECT count(token) FROM snowid_directory.renew(1, :worker, :'was', ns() + 90000000000, ns(), 60000);
SELECT date_trunc('minute', snowid_directory._lead()) AS "as renewed";
UPDATE snowid_directory.worker SET until_ns = ns() - 1000000000, ahead_ns = 0, expires = '-infinity', lease_ms = 0, token = NULL;

-- a number that is out twice: the holder is told, and all others
CREATE VIEW findings AS SELECT regexp_replace(finding, '(at|until) [^,]*', '\1 TIME') AS finding, severity FROM snowid_directory.check() WHERE severity <> 'note';
SELECT * FROM findings;
UPDATE snowid_directory.fleet SET floor_ns = 0;
SELECT worker, from_ns AS "from" FROM take('second of two') \gset
SELECT :from + 2000000000 AS half \gset
SELECT count(*), count(token) AS renewed FROM snowid_directory.renew(1, :worker, proved(:worker, :half), ns(), :half, 5000);
SELECT lasts > 0 AS quiet FROM quiet;
SELECT * FROM findings;
SELECT snowid_directory.trust();
SELECT * FROM findings;
-- a holder of another time is not
SELECT count(*) FROM snowid_directory.renew(1, :worker, proved(:worker, :from), ns(), :from, 5000);
SELECT count(*) FROM snowid_directory.renew(1, :worker, gen_random_uuid(), ns(), :half, 5000);
SELECT * FROM findings;

-- what is put back is noticed
BEGIN;
CREATE TEMP TABLE kept AS SELECT * FROM snowid_directory.worker WHERE worker = 1;
DELETE FROM snowid_directory.worker WHERE worker = 1;
SELECT incarnation = :'here' AS same FROM snowid_directory.fleet;
INSERT INTO snowid_directory.worker SELECT * FROM kept;
SELECT incarnation = '' AS noticed FROM snowid_directory.fleet;
ROLLBACK;
BEGIN;
CREATE TEMP TABLE kept AS SELECT * FROM snowid_directory.worker;
TRUNCATE snowid_directory.worker;
SELECT incarnation = snowid_directory._incarnation() AS same FROM snowid_directory.fleet;
ROLLBACK;

-- nothing is ever lost, its owner says
SELECT * FROM refusal('SELECT snowid_directory.lossless(NULL)');
SELECT snowid_directory.lossless(true);
UPDATE snowid_directory.worker SET lease_ms = least(lease_ms, 60000);
CREATE VIEW settling AS SELECT CASE WHEN isfinite(settles_until) THEN round(extract(epoch FROM settles_until - clock_timestamp())) END AS settles, isfinite(quiet_until) AS quiet, lost_at IS NOT NULL AS lost FROM snowid_directory.fleet;
UPDATE snowid_directory.fleet SET incarnation = regexp_replace(incarnation, '/[^/]*/', '/00000099/'), floor_ns = 0;
SELECT * FROM take('notices');
SELECT * FROM settling;
SELECT * FROM findings;
SELECT detail FROM refusal('SELECT take(''hears'')');
SELECT worker, token AS was, until_ns AS had FROM snowid_directory.worker WHERE holder = 'second of two' \gset
SELECT count(token) AS renewed FROM snowid_directory.renew(1, :worker, :'was', ns(), :had, 60000);
SELECT ns() + 10000000000 AS more \gset
SELECT count(token) AS renewed FROM snowid_directory.renew(1, 19, proved(19, :more), ns(), :more, 60000);
SELECT quiet, lost FROM settling;
SELECT * FROM findings;
SELECT snowid_directory.trust();
UPDATE snowid_directory.fleet SET incarnation = regexp_replace(incarnation, '/[^/]*$', '/another table');
SELECT * FROM take('notices');
SELECT quiet, lost FROM settling;
SELECT snowid_directory.trust(), snowid_directory.lossless(false);

-- whatever the session says
SET synchronous_commit = off;
BEGIN;
SELECT worker IS NOT NULL AS taken FROM take('careless');
SHOW synchronous_commit;
ROLLBACK;
RESET synchronous_commit;

-- a server's role asks, and can do nothing else
CREATE ROLE regress_fleet;
GRANT USAGE ON SCHEMA directory_test, snowid_directory TO regress_fleet;
SET ROLE regress_fleet;
SELECT state, message FROM refusal('SELECT take(''unknown'')');
RESET ROLE;
GRANT EXECUTE ON FUNCTION snowid_directory.take, snowid_directory.renew TO regress_fleet;
SET ROLE regress_fleet;
SELECT worker IS NOT NULL AS taken FROM take('known');
SELECT s.statement, r.state, r.message FROM unnest(ARRAY['SELECT snowid_directory.add(layout(), 1, 9)', 'SELECT snowid_directory.close(1, 9)', 'SELECT snowid_directory.take_back(1, 9, now())', 'SELECT snowid_directory.trust()', 'SELECT snowid_directory.lossless(true)', 'SELECT FROM snowid_directory.check()',
        'SELECT FROM snowid_directory.worker', 'SELECT FROM snowid_directory.workers', 'SELECT FROM snowid_directory.fleet', 'SELECT snowid_directory._begin_quiet(1)']) s (statement),
    refusal(s.statement) r;
RESET ROLE;

-- what the schema holds
SELECT p.proname, p.prosecdef, p.proconfig FROM pg_catalog.pg_proc p WHERE p.pronamespace = 'snowid_directory'::regnamespace
    AND (p.prosecdef OR p.proconfig IS DISTINCT FROM '{"search_path=pg_catalog, pg_temp"}') ORDER BY 1;
SELECT 'public may execute' AS fault, p.oid::regprocedure FROM pg_catalog.pg_proc p WHERE p.pronamespace = 'snowid_directory'::regnamespace AND has_function_privilege('public', p.oid, 'EXECUTE')
UNION ALL SELECT 'no comment', p.oid::regprocedure FROM pg_catalog.pg_proc p WHERE p.pronamespace = 'snowid_directory'::regnamespace AND obj_description(p.oid, 'pg_proc') IS NULL;
SELECT 'no comment' AS fault, c.relname, a.attname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON attrelid = c.oid
    WHERE c.relnamespace = 'snowid_directory'::regnamespace AND relkind IN ('r', 'v') AND attnum >= 0 AND NOT attisdropped AND coalesce(col_description(c.oid, attnum), '') = '';
SELECT relname, condition FROM pg_catalog.pg_extension e, unnest(extconfig, e.extcondition) AS c (relation, condition) JOIN pg_catalog.pg_class ON oid = relation WHERE extname = 'snowid_directory' ORDER BY 1;

SET client_min_messages = warning;
DROP SCHEMA directory_test CASCADE;
DROP EXTENSION snowid_directory;
DROP SCHEMA IF EXISTS snowid_directory;
DROP OWNED BY regress_fleet;
DROP ROLE regress_fleet;
