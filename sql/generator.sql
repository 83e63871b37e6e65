-- Named generators: what they claim, what is refused, and what a transaction undoes.
SELECT current_setting('shared_preload_libraries') <> 'snowid' AS not_preloaded \gset
\if :not_preloaded
\quit
\endif
SET timezone = 'UTC';
SET client_min_messages = warning;
CREATE VIEW generators AS SELECT id, name, scheme, layout, worker, sequence_min, sequence_max, overlap, backfill FROM _snowid.generator ORDER BY id, name, worker, sequence_min;

-- creating one
SELECT snowid_generator_create('orders', worker => 3);
SELECT count(DISTINCT id), min(snowflake_worker(id)), max(snowflake_worker(id)) FROM (SELECT snowflake_next('orders') AS id FROM generate_series(1, 10000)) AS made;
SELECT count(DISTINCT id), bool_and(id > before) FROM (SELECT id, lag(id, 1, 0::bigint) OVER () AS before FROM snowflake_next_batch(10000, 'orders') AS made (id)) AS ids;
SELECT abs(extract(epoch FROM snowflake_time(snowflake_next('orders')) - clock_timestamp())) < 5 AS of_now;
CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT snowflake_next('orders'), item text);
INSERT INTO orders (item) SELECT 'item ' || n FROM generate_series(1, 100) AS n;
SELECT count(*), min(snowflake_worker(id)) FROM orders;
-- a name that is not a literal
SELECT snowid_generator_create('invoices', worker => 4);
SELECT array_agg(DISTINCT snowflake_worker(snowflake_next(name))) FROM (SELECT CASE n % 2 WHEN 0 THEN 'orders' ELSE 'invoices' END AS name FROM generate_series(1, 100) AS n) AS names;
SELECT snowflake_next(NULL);
SELECT snowflake_spread(NULL);
SELECT snowflake_worker(snowflake_spread('orders'));

-- its range of the sequence
SELECT snowid_generator_create('low', worker => 5, sequence_max => 99);
SELECT snowid_generator_create('high', worker => 5, sequence_min => 100);
SELECT min(snowflake_sequence(id)) >= 0 AND max(snowflake_sequence(id)) <= 99 AS within, count(DISTINCT id) FROM (SELECT snowflake_next('low') AS id FROM generate_series(1, 20000)) AS made;
SELECT min(snowflake_sequence(id)) AS first, count(DISTINCT id) FROM (SELECT snowflake_next_batch(20000, 'high') AS id) AS made;

-- other fields below the time
SELECT snowid_generator_create('deep', layout => 'epoch=2024-01-01,tick=1ms,time=41,worker=4,sequence=18', worker => 9);
SELECT DISTINCT fields ->> 'worker' AS worker, abs(extract(epoch FROM "time" - clock_timestamp())) < 5 AS of_now
    FROM snowflake_decode(snowflake_next('deep'), 'epoch=2024-01-01,tick=1ms,time=41,worker=4,sequence=18');
SELECT snowid_generator_create('upside_down', layout => 'epoch=2024-01-01,tick=1ms,time=41,sequence=12,worker=10', worker => 9, sequence_min => 64, sequence_max => 71);
SELECT snowid_generator_create('upside_down', layout => 'epoch=2024-01-01,tick=1ms,time=41,sequence=12,worker=10', worker => 9, sequence_min => 4, sequence_max => 7);
SELECT snowid_generator_create('upside_down', layout => 'epoch=2024-01-01,tick=1ms,time=41,sequence=12,worker=10', worker => 9, sequence_min => 4032, sequence_max => 4063);
SELECT snowflake_time(snowflake_next('upside_down')) > now() - interval '5 s' AS of_now;
TABLE generators;

-- bad input
SELECT snowid_generator_create(NULL);
SELECT snowid_generator_create('');
SELECT snowid_generator_create(repeat('x', 64));
SELECT snowid_generator_create('default', worker => 99);
SELECT snowid_generator_create('orders', worker => 99);
SELECT snowid_generator_create('x', scheme => 'ulid');
SELECT snowid_generator_create('x', scheme => NULL);
SELECT snowid_generator_create('x', worker => 1024);
SELECT snowid_generator_create('x', worker => -1);
SELECT snowid_generator_create('x', partition => 1);
SELECT snowid_generator_create('x', worker => 99, sequence_max => 4096);
SELECT snowid_generator_create('x', worker => 99, sequence_min => -1);
SELECT snowid_generator_create('x', worker => 99, sequence_min => 10, sequence_max => 5);
SELECT snowid_generator_create('x', worker => 99, sequence_min => 10, sequence_max => 12);
SELECT snowid_generator_create('x', worker => 99, sequence_min => 4093);
SELECT snowid_generator_create('x', layout => 'no such layout', worker => 1);
SELECT snowid_generator_create('x', layout => 'twitter', worker => 1);
SELECT snowid_generator_create('x', layout => 'epoch=2024-01-01,tick=10ms,time=41,worker=10,sequence=12', worker => 1);
SELECT snowid_generator_create('x', layout => 'epoch=2024-01-01,tick=1ms,time=42,worker=9,sequence=12', worker => 1);
SELECT snowid_generator_create('x', layout => 'epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=11', worker => 1);
SELECT snowid_generator_create('x', layout => 'epoch=2024-01-01,tick=1ms,time=41,worker=9,sequence=13');
SELECT snowid_generator_create('s', scheme => 'sno', worker => 1);
SELECT snowid_generator_create('s', scheme => 'sno', partition => 65536);
SELECT snowid_generator_create('s', scheme => 'sno', partition => 7, sequence_min => 3, sequence_max => 5);
-- an overlap names the other generator
SELECT snowid_generator_create('x');
SELECT snowid_generator_create('x', worker => 3);
SELECT snowid_generator_create('x', worker => 5, sequence_min => 99, sequence_max => 120);
SELECT snowid_generator_create('x', layout => 'epoch=2024-01-01,tick=1ms,time=41,worker=9,sequence=13', worker => 2);
SELECT snowid_generator_create('x', overlap => true);
SELECT snowflake_worker(snowflake_next('x')) = snowflake_worker(snowflake_next()) AS the_servers_worker;
SELECT snowflake_next('orders') > 0, snowflake_next() > 0;
SELECT generator, worker, overlapping FROM snowid_stat WHERE scheme = 'snowflake' AND coalesce(database, current_database()) = current_database() ORDER BY generator;
-- names that do not exist
SELECT snowflake_next('ordres');
SELECT snowflake_next('something else');
SELECT snowflake_next('');
SELECT snowflake_next(repeat('x', 1000));
SELECT snowflake_next_batch(1, 'lwo');
SELECT snowflake_next_batch(0, 'low');
SELECT snowid_generator_alter('ordres', worker => 99);
SELECT snowid_generator_drop('ordres');
SELECT snowid_generator_drop(NULL);
-- the name that views show for the server's own generator
SELECT snowflake_next('default');
SELECT snowflake_spread('default');
SELECT snowflake_next_batch(1, 'default');
SELECT snowflake_at(now(), 'default');
SELECT snowid_safe_horizon('default');
SELECT sno_next(0, 'default');
SELECT sno_next_batch(1, 0, 'default');
SELECT sno_at(now(), 'default');
SELECT snowid_generator_alter('default', worker => 99);
SELECT snowid_generator_drop('default');
-- the wrong scheme
SELECT snowid_generator_create('s', scheme => 'sno', partition => 7);
SELECT snowflake_next('s');
SELECT snowid_generator_create('s2', scheme => 'sno', partition => 7, sequence_max => 10);
SELECT snowid_generator_create('s2', scheme => 'sno', partition => 8, sequence_max => 10);
SELECT snowid_generator_drop('s'), snowid_generator_drop('s2');

-- renaming, and other changes
CREATE TABLE before AS SELECT snowflake_next('orders')::bigint AS id;
SELECT snowid_generator_alter('orders', new_name => 'sales');
SELECT snowflake_next('orders');
SELECT snowflake_next('sales') > max(id) AS goes_on FROM before;
SELECT snowid_generator_alter('sales', new_name => 'invoices');
SELECT snowid_generator_alter('sales', new_name => 'default');
SELECT snowid_generator_alter('sales', worker => 4);
SELECT snowid_generator_alter('sales', worker => 6);
SELECT snowflake_worker(snowflake_next('sales')), snowflake_next('sales') > max(id) AS goes_on FROM before GROUP BY 1;
SELECT snowid_generator_alter('sales', sequence_min => 5000);
SELECT snowid_generator_alter('sales', sequence_min => 4000);
SELECT min(snowflake_sequence(id)), max(snowflake_sequence(id)) <= 4095 AS within FROM (SELECT snowflake_next('sales') AS id FROM generate_series(1, 1000)) AS made;
SELECT snowid_generator_alter('sales', layout => 'epoch=2024-01-01,tick=1ms,time=41,worker=9,sequence=13', sequence_min => 0, sequence_max => 8191);
SELECT snowflake_worker(made, 'epoch=2024-01-01,tick=1ms,time=41,worker=9,sequence=13'), made > id AS goes_on FROM before, snowflake_next('sales') AS made;
SELECT snowid_generator_alter('x', overlap => false);

-- a generator that takes over a claim starts above the ids made with it
SELECT snowid_generator_drop('invoices');
SELECT snowflake_next('invoices');
CREATE TABLE given_up AS SELECT generator AS id, horizon FROM _snowid.horizon;
SELECT snowid_generator_create('invoices', worker => 4);
SELECT h.horizon >= g.horizon AS above FROM given_up g, _snowid.horizon h, _snowid.generator old, _snowid.generator new
    WHERE old.name IS NULL AND old.worker = 4 AND g.id = old.id AND new.name = 'invoices' AND h.generator = new.id;
SELECT snowid_generator_create('third', worker => 3);
SELECT snowflake_next('third') > max(id) AS above FROM before;
TABLE generators;

-- transactions
BEGIN;
SELECT snowid_generator_create('passing', worker => 20);
SELECT snowflake_worker(snowflake_next('passing'));
SAVEPOINT s;
SELECT snowid_generator_create('passing_too', worker => 21);
SELECT snowflake_worker(snowflake_next('passing_too'));
SELECT generator FROM snowid_stat WHERE generator LIKE 'passing%' ORDER BY 1;
SELECT snowid_generator_alter('passing', worker => 22);
SELECT snowflake_worker(snowflake_next('passing'));
ROLLBACK TO s;
SELECT snowflake_worker(snowflake_next('passing'));
SELECT generator FROM snowid_stat WHERE generator LIKE 'passing%' ORDER BY 1;
ROLLBACK;
SELECT snowflake_next('passing');
SELECT generator FROM snowid_stat WHERE generator LIKE 'passing%' ORDER BY 1;
BEGIN;
SELECT snowid_generator_drop('low');
SAVEPOINT s;
SELECT snowflake_next('low');
ROLLBACK TO s;
ROLLBACK;
SELECT snowflake_worker(snowflake_next('low'));
BEGIN;
SELECT snowid_generator_alter('low', new_name => 'lower');
PREPARE TRANSACTION 'generators';
BEGIN READ ONLY;
SELECT snowflake_next('low') > 0;
COMMIT;

-- ids for given times
SELECT snowid_generator_create('history', worker => 30, backfill => true);
SELECT snowflake_decode(snowflake_at('2024-05-01 12:00:00', 'history'));
SELECT snowflake_decode(snowflake_at('2024-05-01 12:00:00', 'history'));
SELECT snowflake_decode(snowflake_at('2024-05-01 12:00:00.0005', 'history'));
SELECT snowflake_at('2024-05-01 12:00:00', 'history');
SELECT min(snowflake_time(id)), max(snowflake_time(id)), count(DISTINCT id) FROM (SELECT snowflake_at('2024-05-02', 'history') AS id FROM generate_series(1, 10000)) AS made;
SELECT snowflake_time(snowflake_at('2024-05-02', 'history'));
SELECT count(DISTINCT id), bool_and(snowflake_time(id) = t) FROM (SELECT t, snowflake_at(t, 'history') AS id FROM generate_series('2024-06-01'::timestamptz, '2024-07-01', '1 h') AS t) AS made;
SELECT to_timestamp(horizon / 1e9) FROM _snowid.horizon JOIN _snowid.generator ON id = generator WHERE name = 'history';
SELECT snowflake_at('2023-12-31', 'history');
SELECT snowflake_at('infinity', 'history');
SELECT snowflake_at('-infinity', 'history');
SELECT snowflake_at('2024-08-01', 'low');
SELECT snowflake_next('history');
SELECT snowflake_spread('history');
SELECT snowflake_next_batch(1, 'history');
SELECT snowflake_at(NULL, 'history') IS NULL AS strict;
-- the next owner of the claim starts above it
SELECT snowid_generator_drop('history');
SELECT snowid_generator_create('history', worker => 30, backfill => true);
SELECT snowflake_at('2024-06-30', 'history');
SELECT snowflake_time(snowflake_at('2024-07-02', 'history'));
-- times of the future, and how a generator begins anew that they have used up
\set VERBOSITY terse
SELECT snowflake_at('2090-01-01', 'history');
SELECT snowflake_at(clock_timestamp() + interval '10 s', 'history');
\set VERBOSITY default
SELECT snowid_generator_create('future', worker => 31, future => true);
SELECT snowid_generator_create('future', worker => 31, backfill => true, future => true);
SELECT name, backfill, future FROM _snowid.generator WHERE name IN ('history', 'future') ORDER BY name;
SELECT snowflake_time(snowflake_at('2090-01-01', 'future'));
SELECT snowflake_at('2024-05-01', 'future');
SELECT snowid_generator_rewind('future', '2024-05-01');
SELECT snowflake_decode(snowflake_at('2024-05-01', 'future'));
SELECT snowflake_decode(snowflake_at('2024-05-01', 'future'));
SELECT snowflake_at('2024-04-30', 'future');
SELECT to_timestamp(horizon / 1e9) FROM _snowid.horizon JOIN _snowid.generator ON id = generator WHERE name = 'future';
SELECT snowid_generator_rewind('future', '2024-06-01');
SELECT snowid_generator_rewind('future', '-infinity');
SELECT snowid_generator_rewind('future', NULL);
SELECT snowid_generator_rewind('low', '2024-05-01');
SELECT snowid_generator_rewind('none', '2024-05-01');
SELECT snowid_generator_drop('future');
SELECT name, future FROM _snowid.generator WHERE worker = 31;

-- snapshots
SELECT (s).name, (s).scheme, (s).layout, (s).worker, (s).sequence_min, (s).sequence_max, (s).horizon > 0 AS has_horizon FROM snowid_generator_snapshot('low') AS s;
CREATE TABLE snapshots AS SELECT snowid_generator_snapshot('low')::text AS low, snowid_generator_snapshot('third')::text AS third;
CREATE TABLE low_before AS SELECT max(id) AS id FROM snowflake_next_batch(100, 'low') AS made (id);
SELECT snowid_generator_restore(low::snowid_snapshot, 'other_name') FROM snapshots;
SELECT snowid_generator_drop('low');
SELECT snowid_generator_restore(low::snowid_snapshot) FROM snapshots;
SELECT snowflake_next('low') > id AS goes_on FROM low_before;
SELECT pg_sleep(1.1);
\set VERBOSITY terse
SELECT snowflake_next('third') > 0;
SELECT snowid_generator_restore(third::snowid_snapshot) FROM snapshots;
\set VERBOSITY default
SELECT snowid_generator_restore(low::snowid_snapshot, 'third') FROM snapshots;
SELECT snowid_generator_restore(replace(low, '99', '98')::snowid_snapshot) FROM snapshots;
SELECT snowid_generator_restore(regexp_replace(low, '\d{19}', '1700000000000000000')::snowid_snapshot) FROM snapshots;
-- every processor computes the same checksum
SELECT snowid_generator_restore('(0,carried,snowflake,"epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12",76,,,,f,f,1767225600000000000,0,0,"2026-01-01 00:00:00Z",8962249669438754886)');
SELECT snowid_generator_drop('carried');
-- anybody can compute one, so the values are checked as well
CREATE FUNCTION pg_temp.forged(change jsonb) RETURNS snowid_snapshot LANGUAGE plpgsql AS $$
DECLARE
    s snowid_snapshot := jsonb_populate_record((SELECT low::snowid_snapshot FROM snapshots), change);
    part numeric;
    parts text := concat(s.name, ',', s.scheme, ',', s.layout, ',');
BEGIN
    FOREACH part IN ARRAY ARRAY[s.worker, s.partition, s.sequence_min, s.sequence_max, s.overlap::int, s.backfill::int, s.horizon, s.safe, s.drifts,
        extract(epoch FROM s.taken - '2000-01-01 00:00:00Z') * 1000000] LOOP
        parts := parts || (part IS NULL)::int || coalesce(trunc(CASE WHEN part < 0 THEN part + 18446744073709551616 ELSE part END), 0) || ',';
    END LOOP;
    s.checksum := 0;
    FOR i IN 1 .. length(parts) LOOP
        s.checksum := hashcharextended(substr(parts, i, 1)::"char", s.checksum);
    END LOOP;
    RETURN s;
END $$;
SELECT snowid_generator_restore(pg_temp.forged('{"name": "forged", "worker": 77, "overlap": true}'));
SELECT snowid_generator_restore(pg_temp.forged('{"name": "of_snos", "worker": null, "sequence_min": null, "sequence_max": null, "scheme": "sno", "layout": null, "partition": 77, "drifts": 3, "safe": 9}'));
CREATE FUNCTION pg_temp.refusal(change jsonb) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM snowid_generator_restore(pg_temp.forged('{"name": "forged_too", "worker": 78}' || change));
    RETURN 'none';
EXCEPTION WHEN OTHERS THEN
    RETURN concat(SQLSTATE, ' ', SQLERRM);
END $$;
SELECT left(change::text, 60) AS change, pg_temp.refusal(change) FROM unnest(ARRAY['{"name": null}', '{"name": ""}', jsonb_build_object('name', repeat('x', 64)),
    '{"scheme": null}', '{"scheme": "other"}', '{"layout": null}', '{"layout": "other"}', '{"worker": -1}', '{"overlap": null}', '{"backfill": null}',
    '{"horizon": null}', '{"horizon": -9223372036854775808}', '{"safe": null}', '{"safe": -1}', '{"drifts": null}', '{"drifts": -1}',
    '{"drifts": 9223372036854775807}', '{"taken": null}', '{"taken": "4713-01-01 BC"}']::jsonb[]) AS change;
SELECT snowid_generator_restore(ROW(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
SELECT snowid_generator_restore(NULL::snowid_snapshot);
SELECT snowid_generator_restore(NULL);
SELECT snowid_generator_snapshot('nothing');
-- a name that is too long is cut at a character
SELECT snowflake_next('x' || repeat(U&'\00E9', 40));

-- nobody puts ids off for years by a slip
\set VERBOSITY sqlstate
SELECT snowid_horizon_advance('2080-01-01');
SELECT snowid_horizon_advance('2080-01-01', force => NULL);
SELECT snowid_horizon_advance(NULL);
SELECT snowid_horizon_rewind(NULL);
SELECT snowid_generator_rewind(NULL, '2024-05-01');
SELECT snowid_generator_accept(NULL);
\set VERBOSITY default

-- a read-only transaction makes ids and changes nothing else
BEGIN READ ONLY;
SELECT snowflake_next('low') > 0;
SAVEPOINT s;
SELECT snowid_generator_create('written', worker => 90);
ROLLBACK TO s;
SELECT snowid_generator_alter('low', new_name => 'written');
ROLLBACK TO s;
SELECT snowid_generator_drop('low');
ROLLBACK TO s;
SELECT snowid_generator_restore(low::snowid_snapshot) FROM snapshots;
ROLLBACK TO s;
SELECT snowid_horizon_advance(now());
ROLLBACK TO s;
SELECT snowid_horizon_rewind(now());
ROLLBACK TO s;
SELECT * FROM snowid_layout_change('epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12');
ROLLBACK;

-- privileges
CREATE ROLE snowid_nobody;
CREATE ROLE snowid_maker;
GRANT INSERT ON _snowid.generator TO snowid_maker;
GRANT CREATE ON SCHEMA public TO snowid_nobody;
SET ROLE snowid_nobody;
SELECT snowflake_worker(snowflake_next('low'));
SELECT count(*) > 0 FROM _snowid.generator;
SELECT snowid_generator_create('mine', worker => 40);
SELECT snowid_generator_alter('low', worker => 40);
SELECT snowid_generator_drop('low');
SELECT snowid_generator_snapshot('low');
SELECT snowid_generator_restore(NULL);
SELECT snowid_generator_rewind('low', '2024-05-01');
-- nothing depends on search_path
CREATE TABLE generator (LIKE _snowid.generator);
CREATE TEMP TABLE generator (LIKE _snowid.generator);
SELECT snowflake_worker(snowflake_next('low'));
SELECT snowid_generator_create('mine', worker => 40);
DROP TABLE pg_temp.generator, public.generator;
SET ROLE snowid_maker;
SELECT snowid_generator_create('mine', worker => 40);
SELECT snowid_generator_drop('mine');
INSERT INTO _snowid.generator VALUES (0, 'as_the_server', 'snowflake', NULL, 9, NULL, NULL, NULL, true, true);
RESET ROLE;
-- the trigger functions serve the extension's own triggers only
CREATE TEMP TABLE like_horizon (LIKE _snowid.horizon);
CREATE TEMP TABLE unlike (line text);
SET ROLE snowid_nobody;
CREATE TEMP TABLE own (line text);
CREATE TRIGGER own AFTER INSERT ON own EXECUTE FUNCTION _snowid.horizon_added();
CREATE TRIGGER own AFTER INSERT ON own EXECUTE FUNCTION _snowid.record_changed();
CREATE TRIGGER own AFTER INSERT ON own EXECUTE FUNCTION _snowid.generator_guard();
DROP TABLE own;
RESET ROLE;
CREATE TRIGGER t AFTER INSERT ON unlike EXECUTE FUNCTION _snowid.horizon_added();
INSERT INTO unlike VALUES ('a statement has no row');
CREATE OR REPLACE TRIGGER t AFTER INSERT ON unlike FOR EACH ROW EXECUTE FUNCTION _snowid.horizon_added();
INSERT INTO unlike VALUES ('a row of another shape');
CREATE TRIGGER t AFTER INSERT ON like_horizon FOR EACH ROW EXECUTE FUNCTION _snowid.horizon_added();
INSERT INTO like_horizon SELECT * FROM _snowid.horizon;
CREATE OR REPLACE TRIGGER t AFTER INSERT ON like_horizon EXECUTE FUNCTION _snowid.record_changed();
INSERT INTO like_horizon SELECT * FROM _snowid.horizon;
CREATE OR REPLACE TRIGGER t AFTER INSERT ON like_horizon EXECUTE FUNCTION _snowid.generator_guard();
INSERT INTO like_horizon SELECT * FROM _snowid.horizon;
DROP TABLE unlike, like_horizon;
UPDATE _snowid.generator SET worker = 1;
DELETE FROM _snowid.generator;
TRUNCATE _snowid.generator;
REVOKE ALL ON SCHEMA public FROM snowid_nobody;
DROP VIEW generators;
DROP TABLE orders, before, given_up, snapshots, low_before;
SELECT snowid_generator_drop(name) FROM _snowid.generator WHERE name IS NOT NULL;
REVOKE ALL ON _snowid.generator FROM snowid_maker;
DROP ROLE snowid_nobody, snowid_maker;
-- a generator of snowflakes whose id was that of one of snos, the bit of which was toggled: its horizon is raised like that of others
\set db :DBNAME
CREATE DATABASE snowid_toggled;
\c snowid_toggled
CREATE EXTENSION snowid;
INSERT INTO _snowid.horizon (generator, horizon, safe, drifts, server, timeline) VALUES (30, 10, 5, 1, 0, 0), (31, 20, 0, 0, 0, 0);
INSERT INTO _snowid.generator (id, name, scheme, worker, partition, overlap, backfill) VALUES (30, NULL, 'sno', NULL, 77, false, false), (30, 'flake', 'snowflake', 711, NULL, false, false);
INSERT INTO _snowid.generator (id, scheme, layout, worker, sequence_min, sequence_max, overlap, backfill)
    SELECT 31, 'snowflake', layout, 712, 0, 4095, false, false FROM _snowid.layout;
CREATE FUNCTION reach(generator bigint) RETURNS bigint LANGUAGE sql RETURN (SELECT horizon FROM _snowid.horizon h WHERE h.generator = reach.generator);
CREATE FUNCTION hours_ahead(n int) RETURNS bigint LANGUAGE sql RETURN (extract(epoch FROM now() + n * interval '1 hour') * 1e9)::bigint;
-- by a layout that changes
SELECT count(*) FROM snowid_layout_change('epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12');
SELECT reach(30) >= reach(0) AS raised;
-- by a past claim that it takes
INSERT INTO _snowid.horizon VALUES (31, hours_ahead(1), 0, 0, 0, 0);
SELECT snowid_generator_alter('flake', worker => 712);
SELECT reach(30) >= reach(31) AS raised;
-- by one that is folded into its own
INSERT INTO _snowid.horizon VALUES (29, hours_ahead(2), 0, 0, 0, 0);
INSERT INTO _snowid.generator (id, scheme, layout, worker, sequence_min, sequence_max, overlap, backfill)
    SELECT 29, 'snowflake', layout, 712, 0, 4095, false, false FROM _snowid.layout;
CREATE TABLE folded AS SELECT reach(29) AS horizon;
SELECT snowid_generator_alter('flake', worker => 713);
SELECT reach(30) >= horizon AS raised, reach(29) IS NULL AS gone FROM folded;
-- a generator that is gone keeps its id, although another one has given up the same number since
SELECT snowid_generator_create('gone', worker => 714), snowid_generator_drop('gone');
SELECT snowid_generator_alter('flake', worker => 714), snowid_generator_alter('flake', worker => 715);
SELECT snowid_generator_create('new', worker => 716);
SELECT id FROM _snowid.generator WHERE name = 'new' OR worker = 714 ORDER BY id;
\c :db
DROP DATABASE snowid_toggled;
-- What was restored here lies ahead of the clock, and generators that are new begin above it: the next test has to find that past.
SELECT snowid_generator_create('after', worker => 717), snowid_generator_create('snos_after', scheme => 'sno', partition => 717);
DO $$
BEGIN
    FOR i IN 1..3000 LOOP
        BEGIN
            PERFORM snowflake_next('after'), sno_next(0, 'snos_after');
            RETURN;
        EXCEPTION WHEN system_error THEN
            PERFORM pg_sleep(0.01);
        END;
    END LOOP;
    RAISE 'no id is made';
END $$;
SELECT snowid_generator_drop('after'), snowid_generator_drop('snos_after');
