-- Each thing that snowid_check() finds in one database, broken and said. Settings, clocks and starts: test/tap/034_check.pl.
SELECT current_setting('shared_preload_libraries') <> 'snowid' AS not_preloaded \gset
\if :not_preloaded
\quit
\endif
SET timezone = 'UTC';
SET client_min_messages = error;
\pset format unaligned
\pset footer off
CREATE TABLE known AS SELECT severity, subject, finding, what_to_do FROM snowid_check();
CREATE VIEW said AS SELECT severity, subject, finding, what_to_do FROM snowid_check() EXCEPT SELECT * FROM known ORDER BY 1, 2, 3;

-- the extension's own tables
BEGIN;
ALTER TABLE _snowid.layout SET UNLOGGED;
ALTER TABLE _snowid.generator ADD remark text;
ALTER TABLE _snowid.generator ENABLE ROW LEVEL SECURITY;
ALTER TABLE _snowid.partition_times DISABLE TRIGGER snowid_drop_replicated;
ALTER TABLE _snowid.generator DISABLE TRIGGER snowid_generator_guard;
ALTER TABLE _snowid.horizon ENABLE REPLICA TRIGGER snowid_horizon_incoming;
ALTER TABLE _snowid.seal_key DISABLE TRIGGER snowid_seal_guard;
DROP INDEX _snowid.horizon_generator;
TABLE said;
ROLLBACK;
BEGIN;
ALTER TABLE _snowid.horizon RENAME TO "Horizon of ids";
TABLE said;
ALTER TABLE _snowid."Horizon of ids" RENAME TO horizon;
ALTER TABLE _snowid.partitioned SET SCHEMA public;
TABLE said;
ALTER TABLE partitioned RENAME TO parts;
TABLE said;
ALTER TABLE _snowid.rebuild RENAME TO rebuilt;
TABLE said;
ROLLBACK;
BEGIN;
CREATE FUNCTION deaf() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER deaf BEFORE UPDATE ON _snowid.horizon FOR EACH ROW EXECUTE FUNCTION deaf();
CREATE RULE nothing AS ON DELETE TO _snowid.generator DO INSTEAD NOTHING;
TABLE said;
ROLLBACK;
BEGIN;
INSERT INTO _snowid.layout VALUES (snowid_layout_canonical('twitter'), '2030-05-05Z');
TABLE said;
ROLLBACK;
BEGIN;
SELECT snowid_generator_create('late', worker => 900), snowid_generator_create('given', worker => 901, backfill => true);
UPDATE _snowid.horizon SET horizon = extract(epoch FROM now() + interval '40 days') * 1e9 WHERE generator >= (SELECT min(id) FROM _snowid.generator WHERE name IN ('late', 'given'));
SELECT severity, subject, regexp_replace(finding, '39 days.*clock', '... clock') AS finding, what_to_do FROM said;
ROLLBACK;
-- generators
BEGIN;
ALTER TABLE _snowid.generator DISABLE TRIGGER ALL;
INSERT INTO _snowid.generator (id, name, scheme, worker, sequence_max, overlap, backfill) VALUES (9001, 'far', 'snowflake', 5000, NULL, false, false), (9002, 'odd', 'ulid', NULL, NULL, false, false);
INSERT INTO _snowid.horizon SELECT g, 0, 0, 0, 0, 0 FROM generate_series(9001, 9002) AS g;
SELECT * FROM said WHERE subject <> 'tables';
ROLLBACK;
BEGIN;
SELECT snowid_generator_create('lost', worker => 907, backfill => true), snowid_generator_create('of now', worker => 908);
UPDATE _snowid.horizon SET timeline = -1;
TABLE said;
ROLLBACK;
BEGIN;
CREATE ROLE snowid_gone;
SELECT snowid_generator_create('kept', worker => 903, backfill => true);
SELECT snowid_generator_grant('kept', 'snowid_gone'), snowid_generator_revoke('kept', current_user::name);
DROP ROLE snowid_gone;
TABLE said;
UPDATE pg_database SET datistemplate = true WHERE datname = current_database();
SELECT severity, subject, regexp_replace(finding, '\d+ named', 'N named') AS finding, what_to_do FROM said WHERE finding ~ 'template';
ROLLBACK;
BEGIN;
UPDATE pg_extension SET extversion = '0.9' WHERE extname = 'snowid';
ALTER FUNCTION snowflake_next() STABLE;
ALTER FUNCTION ulid_next_batch(bigint) IMMUTABLE;
TABLE said;
ROLLBACK;

-- functions of users that make ids and say that they do not; of the others nothing is said
BEGIN;
CREATE FUNCTION by_text() RETURNS bigint IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN snowflake_next(); END';
CREATE FUNCTION by_body() RETURNS uuid IMMUTABLE LANGUAGE sql RETURN uuidv7_next();
CREATE FUNCTION is_volatile() RETURNS uuid LANGUAGE sql RETURN uuidv7_next();
CREATE FUNCTION makes_none() RETURNS timestamptz IMMUTABLE LANGUAGE sql AS 'SELECT ulid_time(''01ARZ3NDEKTSV4RRFFQ69G5FAV'')';
TABLE said;
ROLLBACK;
-- what hardening takes away, and what it may
BEGIN;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;
TABLE said;
REVOKE USAGE ON SCHEMA _snowid FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION _snowid.ulid_in(cstring), _snowid.ulid_lt(ulid, ulid) FROM PUBLIC;
TABLE said;
ROLLBACK;
-- what refers to ids
BEGIN;
CREATE TABLE bills (id bigint PRIMARY KEY DEFAULT snowflake_next(), number int UNIQUE);
CREATE DOMAIN bill_no AS int;
CREATE TABLE notes (id varchar(26) PRIMARY KEY DEFAULT ulid_next());
CREATE TABLE lines (bill int REFERENCES bills, number int REFERENCES bills (number), other bigint REFERENCES bills, third bill_no REFERENCES bills, note varchar(20) REFERENCES notes, other_note text REFERENCES notes);
TABLE said;
ROLLBACK;

-- too small for ids: types with a length, and constraints
BEGIN;
CREATE TABLE short (a varchar(10) DEFAULT snowflake_next()::text, b numeric(10) DEFAULT snowflake_next(), c char(20) DEFAULT ulid_next(), d numeric(21, 4) DEFAULT snowflake_next(),
    e varchar(35) DEFAULT uuidv7_next(), f varchar(18) DEFAULT snowflake_next('orders'), g oid DEFAULT snowflake_next()::bigint);
CREATE DOMAIN small AS bigint CHECK (VALUE < 1000000000);
CREATE TABLE limited (a bigint DEFAULT snowflake_next() CHECK (a > 0 AND a < 2147483648), b snowflake DEFAULT snowflake_next() CHECK (b <= 2147483647::bigint), c bigint DEFAULT snowflake_next() CONSTRAINT between CHECK (c BETWEEN 1 AND 2147483647), d bigint DEFAULT snowflake_next() CHECK (2147483648 > d), e small DEFAULT snowflake_next());
TABLE said;
SELECT what_to_do FROM said WHERE what_to_do LIKE 'ALTER TABLE short %' \gexec
SELECT count(*) FROM said WHERE finding LIKE 'column % of short %';
ROLLBACK;
-- a function of the same name that comes first
BEGIN;
CREATE SCHEMA "Shop";
CREATE SCHEMA snowid_clerk;
CREATE ROLE snowid_clerk;
CREATE ROLE snowid_till;
CREATE FUNCTION "Shop".snowflake_next() RETURNS bigint LANGUAGE sql RETURN 1;
CREATE FUNCTION snowid_clerk.ulid_next() RETURNS text LANGUAGE sql RETURN 'x';
CREATE FUNCTION snowid_clerk.snowflake_next(int) RETURNS bigint LANGUAGE sql RETURN 1;
ALTER ROLE snowid_till SET search_path = "Shop", public;
ALTER ROLE snowid_till SET work_mem = '5MB';
TABLE said;
ALTER ROLE snowid_till SET search_path = public, "Shop";
SELECT format('ALTER DATABASE %I SET search_path = "Shop", public', current_database()) AS of_database \gset
:of_database;
ALTER FUNCTION snowid_clerk.ulid_next() RENAME TO other;
SELECT severity, subject, finding FROM said;
ROLLBACK;
-- a template whose keys others can read
BEGIN;
SELECT snowid_seal_key_create(1);
UPDATE pg_database SET datistemplate = true WHERE datname = current_database();
TABLE said;
ROLLBACK;
-- no job has maintained this for a day
BEGIN;
CREATE TABLE kept (id bigint DEFAULT snowflake_next()) PARTITION BY RANGE (id);
CREATE TABLE grows (LIKE kept) PARTITION BY RANGE (id);
SELECT count(*) > 0 AS made FROM snowid_partition('kept', '1 month', ahead => 5, retain => '1 year'), LATERAL (SELECT FROM snowid_partition('grows', '1 month', ahead => 5)) AS other;
SELECT count(*) AS of_new_ones FROM said;
UPDATE _snowid.partition_times SET made = made - interval '25 hours';
TABLE said;
INSERT INTO _snowid.maintenance (parent, started, ended) SELECT parent, now() - interval '30 hours', '2026-02-02 03:04:05.6Z' FROM _snowid.partitioned;
TABLE said;
UPDATE _snowid.maintenance SET ended = now() - interval '23 hours';
SELECT count(*) AS maintained FROM said;
ROLLBACK;

-- defaults
BEGIN;
SELECT snowid_generator_create('orders', worker => 904), snowid_generator_create('snos', scheme => 'sno', partition => 904), snowid_generator_create('old', worker => 905, backfill => true);
CREATE SCHEMA shop;
CREATE DOMAIN shop.order_id AS bigint DEFAULT snowflake_next('misspelled');
CREATE TABLE shop.fine (id bigint DEFAULT snowflake_next('orders'), other sno DEFAULT sno_next(0, 'snos'), third snowflake DEFAULT snowflake_at(now(), 'old'), of_server numeric DEFAULT snowflake_next());
CREATE TABLE shop.wrong (a bigint DEFAULT snowflake_spread('order'), b sno DEFAULT sno_next(1, 'orders'), c bigint DEFAULT greatest(5, snowflake_next('snos')::bigint),
    d snowflake DEFAULT snowflake_spread('default'), e bigint DEFAULT snowflake_next('old'), f bigint DEFAULT snowflake_at(now(), 'orders'), g sno DEFAULT sno_next(0, 'default'));
CREATE VIEW shop.through AS SELECT id FROM shop.fine;
ALTER VIEW shop.through ALTER id SET DEFAULT snowflake_next('none');
CREATE DOMAIN shop.narrow AS int;
CREATE TABLE shop.small (part int DEFAULT (snowflake_next()::bigint % 64)::int, d shop.narrow DEFAULT snowflake_next()::bigint, a int DEFAULT snowflake_next()::bigint, b float8 DEFAULT snowflake_next('orders')::bigint, c smallint DEFAULT 5 + snowflake_next()::bigint);
TABLE said;
ROLLBACK;
BEGIN;
CREATE ROLE snowid_clerk;
CREATE ROLE snowid_team;
SELECT snowid_generator_create('guarded', worker => 906, backfill => true);
SELECT snowid_generator_grant('guarded', 'snowid_team');
CREATE TABLE bill (id bigint DEFAULT snowflake_at(now(), 'guarded'), other uuid DEFAULT uuidv7_next());
GRANT INSERT ON bill TO snowid_clerk;
CREATE ROLE "snowid Till";
GRANT INSERT (id) ON bill TO "snowid Till";
REVOKE EXECUTE ON FUNCTION uuidv7_next() FROM PUBLIC;
TABLE said;
GRANT snowid_team TO snowid_clerk, "snowid Till";
GRANT EXECUTE ON FUNCTION uuidv7_next() TO snowid_team;
SELECT count(*) AS left FROM said;
ROLLBACK;

-- partitions
CREATE FUNCTION dated(text) RETURNS text LANGUAGE sql RETURN regexp_replace($1, 'end at .*, within', 'end at (time), within');
BEGIN;
CREATE TABLE none (id bigint DEFAULT snowflake_next()) PARTITION BY RANGE (id);
CREATE TABLE not_ours (id bigint) PARTITION BY RANGE (id);
CREATE TABLE soon (id ulid DEFAULT ulid_next()) PARTITION BY RANGE (id);
CREATE TABLE past (id uuid) PARTITION BY RANGE (id);
CREATE TABLE caught (LIKE past) PARTITION BY RANGE (id);
CREATE TABLE caught_by PARTITION OF caught DEFAULT;
CREATE TABLE later (id bigint DEFAULT snowflake_next()) PARTITION BY RANGE (id);
CREATE TABLE tenants (tenant int, id snowflake DEFAULT snowflake_next()) PARTITION BY LIST (tenant);
CREATE TABLE tenant_1 PARTITION OF tenants FOR VALUES IN (1) PARTITION BY RANGE (id);
CREATE TABLE monthly (id bigint DEFAULT snowflake_next()) PARTITION BY RANGE (id);
SELECT count(*) FROM snowid_partition('monthly', '1 month', ahead => 0);
SELECT count(*) FROM snowid_partition('soon', '1 day', ahead => 0), LATERAL (SELECT FROM snowid_partition('later', '1 day', ahead => 3)) AS l;
CREATE TABLE past_1 PARTITION OF past FOR VALUES FROM (uuidv7_lower_bound('2025-05-05Z')) TO (uuidv7_lower_bound('2025-05-12Z'));
CREATE TABLE caught_1 PARTITION OF caught FOR VALUES FROM (uuidv7_lower_bound('2025-05-05Z')) TO (uuidv7_lower_bound('2025-05-12Z'));
-- bounds of other versions
CREATE TABLE halves (id uuid DEFAULT uuidv7_next()) PARTITION BY RANGE (id);
CREATE TABLE halves_1 PARTITION OF halves FOR VALUES FROM (MINVALUE) TO ('80000000-0000-4000-8000-000000000000');
CREATE TABLE halves_2 PARTITION OF halves FOR VALUES FROM ('80000000-0000-4000-8000-000000000000') TO (MAXVALUE);
SELECT severity, subject, dated(finding) AS finding, what_to_do FROM said;
DELETE FROM _snowid.layout;  -- then no snowflake has a time
SELECT subject, dated(finding) AS finding FROM said;
ROLLBACK;
-- a gap after the present period
BEGIN;
CREATE TABLE gap (id uuid) PARTITION BY RANGE (id);
SELECT count(*) FROM snowid_partition('gap', '1 day', ahead => 3);
-- its name has the date
\set ECHO none
SELECT format('DROP TABLE %s', partition) FROM snowid_partitions('gap') WHERE starts = date_bin('1 day', now(), '2000-01-03Z') + interval '1 day' \gexec
\set ECHO all
SELECT dated(finding) AS finding FROM said;
ROLLBACK;
-- rows that no partition is for
CREATE TABLE rest (id bigint) PARTITION BY RANGE (id);
CREATE TABLE rest_of_it PARTITION OF rest DEFAULT;
SELECT count(*) > 0 AS made FROM snowid_partition('rest', '1 day', ahead => 3);
INSERT INTO rest VALUES (snowflake_lower_bound(now() + interval '40 days'));
SELECT pg_stat_force_next_flush();
TABLE said;
DROP TABLE rest;
TABLE said;
-- good set-ups, of which nothing is said
BEGIN;
CREATE SCHEMA good;
CREATE ROLE snowid_writer;
SELECT snowid_generator_create('orders', worker => 910), snowid_generator_create('history', worker => 911, backfill => true), snowid_generator_grant('history', 'snowid_writer');
-- 1, 2: keys and what refers to them, of several types
CREATE TABLE good.orders (id bigint PRIMARY KEY DEFAULT snowflake_next('orders') CHECK (id > 0), number int UNIQUE CHECK (number < 1000000), note varchar(10));
CREATE TABLE good.lines (id uuid PRIMARY KEY DEFAULT uuidv7_next(), "order" bigint REFERENCES good.orders, number int REFERENCES good.orders (number), first snowflake);
-- 3: texts and numerics that are wide enough, and parts of ids in narrow columns
CREATE TABLE good.texts (a varchar(26) DEFAULT ulid_next(), b varchar(19) DEFAULT snowflake_next(), c numeric(20) DEFAULT snowflake_next(), d numeric(25, 6) DEFAULT snowflake_next('orders'), e varchar(8) DEFAULT right(ulid_next()::text, 8), f int DEFAULT (snowflake_next()::bigint % 64) CHECK (f < 64));
-- 4: ids of before, which are small, beside new ones
CREATE TABLE good.moved (id bigint DEFAULT snowflake_next() CHECK (id < 100000 OR id > 1000000000000000));
-- 5, 6: partitions with and without a job that lets them expire
CREATE TABLE good.events (id bigint DEFAULT snowflake_next()) PARTITION BY RANGE (id);
CREATE TABLE good.logs (id ulid DEFAULT ulid_next()) PARTITION BY RANGE (id);
SELECT count(*) > 0 AS made FROM snowid_partition('good.events', '1 day', ahead => 3, retain => '1 year', expired => 'drop'), LATERAL (SELECT FROM snowid_partition('good.logs', '1 month', ahead => 12)) AS other;
INSERT INTO _snowid.maintenance (parent, started, ended) VALUES ('good.events', now() - interval '1 hour', now() - interval '1 hour');
UPDATE _snowid.partition_times SET made = made - interval '2 days';
-- 7: times that were given, by a role that may
CREATE TABLE good.imported (id bigint DEFAULT snowflake_at(now(), 'history'));
GRANT INSERT ON good.imported, good.orders TO snowid_writer;
-- 8: wrappers that say what they are, and a function of the same name that is asked for by its schema
CREATE FUNCTION good.snowflake_next() RETURNS bigint LANGUAGE sql RETURN public.snowflake_next();
ALTER ROLE snowid_writer SET search_path = "$user", public, good;
-- 9: hardening that leaves what statements need
REVOKE EXECUTE ON FUNCTION snowflake_next(), ksuid_next() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION snowflake_next() TO snowid_writer;
-- 10: a key for sealed ids, and roles that may use it
SELECT snowid_seal_key_create(1);
GRANT EXECUTE ON FUNCTION id_seal(bigint, text, integer) TO snowid_writer;
TABLE said;
ROLLBACK;
-- somebody with pg_monitor and nothing else sees the same
CREATE ROLE snowid_watcher;
GRANT pg_monitor TO snowid_watcher;
GRANT SELECT ON known, said TO snowid_watcher;
BEGIN;
CREATE TABLE wrong (a bigint DEFAULT snowflake_next('order'));
SET LOCAL ROLE snowid_watcher;
SELECT severity, subject, finding FROM snowid_check() EXCEPT SELECT severity, subject, finding FROM known;
ROLLBACK;
DROP VIEW said;
DROP TABLE known;
DROP FUNCTION dated(text);
DROP ROLE snowid_watcher;
