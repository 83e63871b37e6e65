-- Generators of snos: the server's own and named ones.
SELECT current_setting('shared_preload_libraries') <> 'snowid' AS not_preloaded \gset
\if :not_preloaded
\quit
\endif
SET timezone = 'UTC';

-- the server's own
SET client_min_messages = error;  -- wal_level
CREATE PUBLICATION of_none;
SELECT snowid_stat_reset();
SET jit = off;    -- of a long question of the catalogue
SELECT subject FROM snowid_check() WHERE subject = 'partition';
SELECT count(sno_next());
SELECT * FROM snowid_check() WHERE subject = 'partition';
RESET jit;
DROP PUBLICATION of_none;
RESET client_min_messages;
SELECT metabyte, partition, abs(extract(epoch FROM "time" - clock_timestamp())) < 5 AS of_now FROM sno_decode(sno_next());
SELECT DISTINCT sno_metabyte(id), sno_partition(id), sno_tick_tock(id) = sno_tick_tock(sno_next()) AS same_bit FROM (SELECT sno_next(200) AS id FROM generate_series(1, 10)) AS made;
SELECT count(DISTINCT id), bool_and(id > before) AS ascending FROM (SELECT id, lag(id, 1, sno_lower_bound('2010-01-01Z')) OVER () AS before FROM (SELECT sno_next() AS id FROM generate_series(1, 200000)) AS made) AS ids;
SELECT count(DISTINCT id), bool_and(id > before) AS ascending FROM (SELECT id, lag(id, 1, sno_lower_bound('2010-01-01Z')) OVER () AS before FROM sno_next_batch(200000) AS made (id)) AS ids;
SELECT count(DISTINCT sno_with(id, metabyte => 0)) FROM (SELECT sno_next(n % 256) AS id FROM generate_series(1, 1000) AS n) AS made;
SELECT DISTINCT sno_metabyte(id) FROM sno_next_batch(3, 9) AS id;
CREATE TABLE event (id sno PRIMARY KEY DEFAULT sno_next(3), what text);
INSERT INTO event (what) SELECT 'event ' || n FROM generate_series(1, 100) AS n;
SELECT count(*), count(*) FILTER (WHERE id > now() - interval '1 min') AS of_this_minute FROM event;
BEGIN READ ONLY;
SELECT sno_next() IS NOT NULL AS made;
COMMIT;
SELECT sno_next(NULL);
SELECT sno_next(NULL, 'events');
SELECT sno_next(7, NULL);
SELECT sno_next(256);
SELECT sno_next(-1);
SELECT sno_next_batch(0);
SELECT sno_next_batch(1, 256);

-- named ones
SELECT snowid_generator_create('events', scheme => 'sno', partition => 300);
SELECT snowid_generator_create('low', scheme => 'sno', partition => 301, sequence_max => 99);
SELECT snowid_generator_create('high', scheme => 'sno', partition => 301, sequence_min => 100, sequence_max => 103);
SELECT partition, metabyte FROM sno_decode(sno_next(7, 'events'));
SELECT count(DISTINCT id), min(sno_sequence(id)), max(sno_sequence(id)), min(sno_metabyte(id)), min(sno_partition(id)) FROM (SELECT sno_next(5, 'low') AS id FROM generate_series(1, 1000)) AS made;
SELECT count(DISTINCT id), min(sno_sequence(id)), max(sno_sequence(id)) FROM sno_next_batch(100, 5, 'high') AS made (id);
SELECT generator, worker, layout, issued, overlapping FROM snowid_stat WHERE scheme = 'sno' AND database = current_database() ORDER BY generator;
SELECT snowid_generator_create('s', scheme => 'sno');
SELECT snowid_generator_create('s', scheme => 'sno', partition => 301, sequence_min => 90, sequence_max => 200);
SELECT snowid_generator_create('s', scheme => 'sno', partition => 302, sequence_min => 65533);
SELECT snowid_generator_create('s', scheme => 'sno', partition => 302, sequence_min => 9, sequence_max => 5);
SELECT snowid_generator_create('s', scheme => 'sno', partition => 302, sequence_max => 65536);
SELECT snowid_generator_create('s', scheme => 'sno', overlap => true);
SELECT sno_partition(sno_next(0, 's')) = sno_partition(sno_next()) AS the_servers_partition;
SELECT generator, overlapping FROM snowid_stat WHERE scheme = 'sno' AND coalesce(database, current_database()) = current_database() ORDER BY generator;
SELECT sno_next(0, 'event');
SELECT sno_next(256, 'events');
SELECT sno_next_batch(1, 0, 'nothing like it');
SELECT snowflake_next('events');
SELECT snowflake_next_batch(1, 'events');
SELECT snowid_generator_create('flakes', worker => 9);
SELECT sno_next(0, 'flakes');
SELECT sno_at('2024-01-01', 'flakes');

-- after a change ids are above all that were made before
CREATE TABLE before AS SELECT sno_next(255, 'events') AS id;
SELECT snowid_generator_alter('events', new_name => 'happenings', partition => 303);
SELECT sno_partition(id), id > (SELECT id FROM before) AS goes_on FROM (SELECT sno_next(0, 'happenings') AS id) AS made;
SELECT snowid_generator_alter('happenings', sequence_min => 1000, sequence_max => 2000);
SELECT sno_sequence(id) BETWEEN 1000 AND 2000 AS within, id > (SELECT id FROM before) AS goes_on FROM (SELECT sno_next(0, 'happenings') AS id) AS made;
SELECT snowid_generator_alter('happenings', worker => 1);
SELECT snowid_generator_drop('happenings');
SELECT sno_next(0, 'happenings');
SELECT snowid_generator_create('again', scheme => 'sno', partition => 303, sequence_min => 1500);
SELECT id > (SELECT id FROM before) AS above FROM (SELECT sno_next(0, 'again') AS id) AS made;
BEGIN;
SELECT snowid_generator_create('passing', scheme => 'sno', partition => 310);
UPDATE before SET id = sno_next(255, 'passing');
TABLE before \gset passing_
ROLLBACK;
SELECT sno_next(0, 'passing');
SELECT snowid_generator_create('passing', scheme => 'sno', partition => 310);
SELECT sno_next(0, 'passing') > :'passing_id'::sno AS above;

-- ids for given times
SELECT snowid_generator_create('history', scheme => 'sno', partition => 400, sequence_max => 9, backfill => true);
SELECT sno_decode(sno_at('2012-05-01 12:00:00', 'history', 7));
SELECT sno_decode(sno_at('2012-05-01 12:00:00', 'history'));
SELECT sno_at('2012-05-01 11:59:59', 'history');
SELECT count(DISTINCT id), min(sno_time(id)), max(sno_time(id)) FROM (SELECT sno_at('2012-05-02', 'history') AS id FROM generate_series(1, 25)) AS made;
SELECT count(DISTINCT id), bool_and(sno_time(id) = t) FROM (SELECT t, sno_at(t, 'history') AS id FROM generate_series('2013-06-01'::timestamptz, '2013-07-01', '1 h') AS t) AS made;
SELECT sno_at('2009-12-31', 'history');
SELECT sno_at('infinity', 'history');
SELECT sno_next(0, 'history');
SELECT sno_next_batch(1, 0, 'history');
SELECT sno_at('2024-01-01', 'low');
-- times of the future
\set VERBOSITY terse
SELECT sno_at('2070-01-01', 'history');
\set VERBOSITY default
SELECT snowid_generator_create('future', scheme => 'sno', partition => 401, backfill => true, future => true);
SELECT sno_time(sno_at('2070-01-01', 'future'));
SET client_min_messages = error;
SELECT snowid_generator_rewind('future', '2012-05-01');
RESET client_min_messages;
SELECT sno_decode(sno_at('2012-05-01', 'future'));
SELECT sno_decode(sno_at('2012-05-02', 'future'));

-- snapshots
CREATE TABLE snapshots AS SELECT snowid_generator_snapshot('low')::text AS low;
SELECT (s).scheme, (s).partition, (s).layout, (s).sequence_max, (s).drifts FROM (SELECT low::snowid_snapshot AS s FROM snapshots) AS stored;
UPDATE before SET id = sno_next(255, 'low');
SELECT snowid_generator_drop('low');
SET client_min_messages = warning;  -- the snapshot may be old on a slow machine
SELECT snowid_generator_restore(low::snowid_snapshot) FROM snapshots;
SELECT sno_next(0, 'low') > id AS goes_on FROM before;
SELECT snowid_generator_restore(low::snowid_snapshot, 'high') FROM snapshots;
RESET client_min_messages;

DROP TABLE event, before, snapshots;
SELECT snowid_generator_drop(name) FROM _snowid.generator WHERE name IS NOT NULL ORDER BY name;
