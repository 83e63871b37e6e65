-- A default that names a generator depends on it.
SELECT current_setting('shared_preload_libraries') <> 'snowid' AS not_preloaded \gset
\if :not_preloaded
\quit
\endif
SET client_min_messages = warning;
CREATE ROLE snowid_maker;
CREATE ROLE snowid_other;
GRANT INSERT, UPDATE, DELETE ON _snowid.generator TO snowid_maker;
CREATE SCHEMA "Used ids" AUTHORIZATION snowid_maker;
GRANT CREATE ON SCHEMA "Used ids" TO snowid_other;
SET ROLE snowid_maker;
SET search_path = "Used ids", public;
SELECT snowid_generator_create('used', worker => 910), snowid_generator_create('used too', worker => 911), snowid_generator_create('given', worker => 912, backfill => true),
    snowid_generator_create('snos', scheme => 'sno', partition => 910);
CREATE DOMAIN "Order" AS bigint DEFAULT snowflake_next('used');
CREATE TABLE orders (id bigint DEFAULT snowflake_next('used'), other snowflake DEFAULT coalesce(snowflake_next('used'), snowflake_next('used too')), "of Domain" "Order",
    given bigint DEFAULT snowflake_at(now(), 'given'), sno sno DEFAULT sno_next(3, 'snos'));
CREATE TABLE parted (id bigint DEFAULT snowflake_next('used'), n int) PARTITION BY LIST (n);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
CREATE TABLE parted_2 PARTITION OF parted (id DEFAULT 5) FOR VALUES IN (2);
CREATE TABLE parent (id bigint DEFAULT snowflake_next('used'));
CREATE TABLE child (id bigint DEFAULT snowflake_next('used too')) INHERITS (parent);
CREATE VIEW through AS SELECT id FROM orders;
ALTER VIEW through ALTER id SET DEFAULT snowflake_next('used'::varchar);
CREATE TEMP TABLE for_now (id bigint DEFAULT snowflake_next('used'));
-- not dropped while it is used
SELECT snowid_generator_drop('used');
SELECT snowid_generator_drop('used too');
SELECT snowid_generator_drop('given');
SELECT snowid_generator_drop('snos');
-- a new name goes into the defaults
CREATE VIEW defaults AS SELECT format('%s.%s', relname, attname) AS what, pg_get_expr(adbin, adrelid) AS "default" FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
        JOIN pg_class AS c ON c.oid = adrelid WHERE pg_get_userbyid(relowner) LIKE 'snowid_%' UNION ALL SELECT typname, typdefault FROM pg_type WHERE typname = 'Order' ORDER BY 1;
SELECT * FROM defaults;
SELECT snowid_generator_alter('used', new_name => 'it''s "other" \ one');
SELECT snowid_generator_alter('given', new_name => 'used', worker => 913);
SELECT * FROM defaults;
INSERT INTO orders DEFAULT VALUES RETURNING snowflake_worker(id) = 910, snowflake_worker(other) = 910, snowflake_worker("of Domain") = 910, snowflake_worker(given) = 913;
INSERT INTO parted (n) VALUES (1), (2) RETURNING snowflake_worker(id) = 910;
-- not without the tables of others
RESET ROLE;
ALTER TABLE child OWNER TO snowid_other;
ALTER TABLE for_now OWNER TO snowid_other;
SET ROLE snowid_maker;
SELECT snowid_generator_alter('used too', new_name => 'never');
SELECT count(*) FROM _snowid.generator WHERE name = 'used too';
SELECT snowid_generator_alter('it''s "other" \ one', new_name => 'never');
SELECT snowid_generator_drop('used too');
RESET ROLE;
-- a superuser owns all, and each default is changed as its owner
BEGIN;
GRANT USAGE ON SCHEMA "Used ids" TO snowid_other;
SELECT snowid_generator_alter('used too', new_name => 'now');
SELECT * FROM defaults WHERE "default" ~ 'now''';
ROLLBACK;
SELECT count(*) FROM _snowid.generator WHERE name = 'used too';
-- nobody's function stands in for one of the catalogue's
CREATE FUNCTION pg_has_role(oid, text) RETURNS bool LANGUAGE sql RETURN true;
CREATE FUNCTION row_number() RETURNS bigint LANGUAGE sql RETURN 1;
SET search_path = "Used ids", public, pg_catalog;
SET ROLE snowid_maker;
SELECT snowid_generator_alter('used too', new_name => 'never');
RESET ROLE;
SET search_path = "Used ids", public;
-- many
CREATE TABLE many (a bigint DEFAULT snowflake_spread('used too'), b bigint DEFAULT snowflake_next('used too'), c bigint DEFAULT snowflake_next('used too'), d bigint DEFAULT snowflake_next('used too'),
    e bigint DEFAULT snowflake_next('used too'));
SELECT snowid_generator_drop('used too');
-- without its uses it can be dropped
DROP TABLE many, child, for_now;
ALTER TABLE orders ALTER other SET DEFAULT 7;
SELECT snowid_generator_drop('used too');
DROP SCHEMA "Used ids" CASCADE;
SELECT snowid_generator_drop('it''s "other" \ one'), snowid_generator_drop('used'), snowid_generator_drop('snos');
RESET search_path;
DROP OWNED BY snowid_maker, snowid_other;
DROP ROLE snowid_maker, snowid_other;
-- a name that is given by its argument's name, with a collation, or as a domain
CREATE DOMAIN generator_name AS text;
SELECT snowid_generator_create('noted', worker => 900);
CREATE TABLE noted (a bigint DEFAULT snowflake_next(generator => 'noted'), b bigint DEFAULT snowflake_next('noted' COLLATE "C"), c bigint DEFAULT snowflake_next('noted'::generator_name));
SELECT snowid_generator_drop('noted');
SELECT snowid_generator_alter('noted', new_name => 'renoted');
SELECT attname, pg_get_expr(adbin, adrelid) FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum WHERE adrelid = 'noted'::regclass ORDER BY attnum;
DROP TABLE noted;
SELECT snowid_generator_drop('renoted');
DROP DOMAIN generator_name;
-- ids that are spread
SELECT snowid_generator_create('spread', worker => 77) IS NOT NULL AS created;
CREATE TABLE of_spread (id bigint DEFAULT snowflake_spread('spread'));
SELECT snowid_generator_drop('spread');
SELECT snowid_generator_alter('spread', new_name => 'spread again');
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'of_spread'::regclass;
DROP TABLE of_spread;
SELECT snowid_generator_drop('spread again');
