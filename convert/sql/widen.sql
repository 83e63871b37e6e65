-- Keys of 32 bits become wider with all that refers to them, keep their numbers, and need no snowflakes.
\set SHOW_CONTEXT never
\pset null '~'
SET client_min_messages = warning;
CREATE FUNCTION columns(VARIADIC regclass[], OUT tbl regclass, OUT col name, OUT type text, OUT "default" text, OUT seq text) RETURNS SETOF record LANGUAGE sql AS $$
    SELECT attrelid::regclass, attname, format_type(atttypid, atttypmod), coalesce(pg_get_expr(adbin, adrelid), nullif(attidentity, '')::text),
            (SELECT concat_ws(' ', seqrelid::regclass, seqtypid::regtype, seqstart, seqincrement, seqmin, seqmax, seqcache, seqcycle, obj_description(seqrelid, 'pg_class'), relacl IS NOT NULL)
                FROM pg_sequence JOIN pg_class AS s ON s.oid = seqrelid WHERE seqrelid = pg_get_serial_sequence(attrelid::regclass::text, attname)::regclass)
        FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE attrelid = ANY ($1) AND attnum > 0 AND NOT attisdropped AND attname <> 'note' ORDER BY attrelid::regclass::text COLLATE "C", attname $$;
\set plan 'SELECT statement FROM snowid_convert_plan(:''tbl'', target => ''bigserial'', online => true) WHERE statement IS NOT NULL ORDER BY step'

-- in one call: a serial, an identity of each kind that refer to it, a sequence of nobody, one that others use
CREATE SEQUENCE of_nobody AS int;
CREATE SEQUENCE of_many AS int;
CREATE TABLE customer (id serial PRIMARY KEY, note text);
CREATE TABLE address (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer_id int REFERENCES customer, note text);
CREATE TABLE visit (id int DEFAULT nextval('of_nobody') PRIMARY KEY, address smallint REFERENCES address, note text);
CREATE TABLE many (id int DEFAULT nextval('of_many') PRIMARY KEY, other int DEFAULT nextval('of_many'));
CREATE VIEW shown AS SELECT c.id FROM customer AS c JOIN customer AS d ON d.id = c.id;
CREATE FUNCTION last_customer() RETURNS bigint LANGUAGE sql AS $$ SELECT currval('customer_id_seq') $$;
INSERT INTO customer (note) VALUES ('Ada'), ('Grace');
INSERT INTO address (customer_id) VALUES (1), (2);
INSERT INTO visit (address) VALUES (1);
SELECT setval('customer_id_seq', 2147483646), setval('address_id_seq', 2147483646), setval('of_nobody', 2147483647);
INSERT INTO customer DEFAULT VALUES;
INSERT INTO customer DEFAULT VALUES;
SELECT statement, locks, rewrites, note FROM snowid_convert_plan('customer', target => 'bigserial');
CALL snowid_convert('customer', target => 'bigserial');
CALL snowid_convert('customer', target => 'bigserial', rewrite => true);
CALL snowid_convert('address', target => 'bigserial', rewrite => true);
CALL snowid_convert('visit', target => 'bigserial', rewrite => true);
SELECT statement, note FROM snowid_convert_plan('many', target => 'bigserial');
CALL snowid_convert('many', target => 'bigserial', rewrite => true);
SELECT * FROM columns('customer', 'address', 'visit', 'many');
INSERT INTO customer DEFAULT VALUES RETURNING id;
INSERT INTO address (customer_id) SELECT max(id) FROM customer RETURNING id, customer_id;
INSERT INTO address (customer_id) SELECT max(id) FROM customer RETURNING id, customer_id;
INSERT INTO visit (address) SELECT max(id) FROM address RETURNING id, address;
SELECT seqtypid::regtype FROM pg_sequence WHERE seqrelid = 'of_nobody'::regclass;
SELECT p.* FROM unnest('{customer,address,visit}'::regclass[]) AS t, snowid_convert_plan(t, target => 'bigserial', online => true) AS p WHERE note !~ 'no statistics';
CALL snowid_convert('customer', target => 'bigserial');
DROP TABLE customer, address, visit, many CASCADE;
DROP SEQUENCE of_nobody, of_many;
DROP FUNCTION last_customer;

-- a bigint whose sequence ends, and one to which an int refers
CREATE TABLE wide (id bigserial PRIMARY KEY);
ALTER SEQUENCE wide_id_seq AS int;
SELECT statement, rewrites FROM snowid_convert_plan('wide', target => 'bigserial');
CREATE TABLE of_wide (wide_id int REFERENCES wide);
CALL snowid_convert('wide', target => 'bigserial', rewrite => true);
SELECT * FROM columns('wide', 'of_wide');
DROP TABLE wide, of_wide;

-- a key without a default gets none, and a constraint that refuses larger numbers is in the way
CREATE TABLE build (id int PRIMARY KEY);
CREATE TABLE source (build_id int PRIMARY KEY REFERENCES build CHECK (build_id < 1000000000));
SELECT note FROM snowid_convert_plan('build', target => 'bigserial', online => true);
ALTER TABLE source DROP CONSTRAINT source_build_id_check;
CALL snowid_convert('build', target => 'bigserial', rewrite => true);
SELECT * FROM columns('build', 'source');
CALL snowid_convert('source', target => 'bigserial', rewrite => true);
DROP TABLE build, source;

-- online: identities go with their columns, with the numbers, rights and comments of their sequences
CREATE ROLE widen_user;
CREATE TABLE shelf (id int GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME "My shelves" START WITH 5 INCREMENT BY 2 CACHE 3) PRIMARY KEY, of int REFERENCES shelf);
CREATE TABLE book (id serial PRIMARY KEY, shelf_id int GENERATED BY DEFAULT AS IDENTITY (MAXVALUE 1000 CYCLE) REFERENCES shelf, number smallint GENERATED ALWAYS AS IDENTITY (INCREMENT BY -1), note text);
COMMENT ON SEQUENCE "My shelves" IS 'it''s of shelves';
GRANT USAGE ON SEQUENCE "My shelves" TO widen_user;
GRANT SELECT ON SEQUENCE book_shelf_id_seq TO PUBLIC;
INSERT INTO shelf DEFAULT VALUES;
INSERT INTO shelf (of) SELECT id FROM shelf;
INSERT INTO book (shelf_id) SELECT id FROM shelf;
SELECT * FROM columns('shelf', 'book');
\set ECHO none
\o /dev/null
\set tbl shelf
:plan \gexec
\set tbl book
:plan \gexec
\o
\set ECHO all
SELECT * FROM columns('shelf', 'book');
SELECT relname, relacl::text ~ 'widen_user=U/' AS user, relacl::text ~ '[{,"]=r/' AS public FROM pg_class WHERE relname IN ('My shelves', 'book_shelf_id_seq') ORDER BY 1;
INSERT INTO shelf (of) SELECT max(id) FROM shelf RETURNING id % 2 AS odd, id > of AS is_greater, of;
INSERT INTO book (shelf_id) SELECT max(id) FROM shelf RETURNING id, number;
SELECT nextval('book_shelf_id_seq');
SELECT count(*) FROM snowid_convert_plan('shelf', target => 'bigserial', online => true) WHERE statement IS NOT NULL;
-- what goes with an identity, but others use it
CREATE TABLE asks (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, other bigint DEFAULT nextval('asks_id_seq'));
SELECT note FROM snowid_convert_plan('asks', target => 'bigserial', online => true) WHERE note LIKE 'In the way%';
DROP TABLE shelf, book, asks;

-- a rewrite leaves columns without statistics, and says so
CREATE TABLE counted (id serial PRIMARY KEY) WITH (autovacuum_enabled = off);
CREATE TABLE of_counted (id bigserial PRIMARY KEY, counted_id int REFERENCES counted) WITH (autovacuum_enabled = off);
INSERT INTO counted SELECT FROM generate_series(1, 10);
INSERT INTO of_counted (counted_id) SELECT id FROM counted;
ANALYZE counted, of_counted;
SET client_min_messages = notice;
CALL snowid_convert('counted', target => 'bigserial', rewrite => true);
SET client_min_messages = warning;
DROP TABLE counted, of_counted;

-- an index of another table stays, whatever its name
CREATE TABLE named (id serial PRIMARY KEY);
CREATE TABLE other (n int);
CREATE INDEX snowid_named_pkey ON other (n);
SELECT statement FROM snowid_convert_plan('named', target => 'bigserial', online => true) WHERE statement ~ '^(DROP|CREATE).* INDEX';
DROP TABLE named, other;

-- a second index or foreign key is made again if the first one is another now
CREATE TABLE remade (id serial PRIMARY KEY, n int);
CREATE TABLE of_remade (remade_id int CONSTRAINT refers REFERENCES remade);
CREATE UNIQUE INDEX few ON remade (id) WHERE n > 0 AND id <> 3;
CREATE INDEX computed ON remade (greatest(id, 5), ((id + 1)::numeric)) INCLUDE (n) WHERE id IN (1, 2);
\set tbl remade
\set before 'SELECT statement FROM snowid_convert_plan(:''tbl'', target => ''bigserial'', online => true) WHERE statement !~ ''^SET'' AND coalesce(note, '''') !~ ''the swap'' ORDER BY step'
\set swap 'SELECT statement FROM snowid_convert_plan(:''tbl'', target => ''bigserial'', online => true) WHERE note LIKE ''the swap%'''
\set ECHO none
\o /dev/null
:before \gexec
\o
\set ECHO all
:before;
DROP INDEX few;
CREATE UNIQUE INDEX few ON remade (id);
ALTER TABLE of_remade DROP CONSTRAINT refers, ADD CONSTRAINT refers FOREIGN KEY (remade_id) REFERENCES remade ON DELETE CASCADE;
:before;
\set ECHO none
\o /dev/null
:swap \gexec
:plan \gexec
\o
\set ECHO all
SELECT indexdef FROM pg_indexes WHERE tablename = 'remade' ORDER BY indexname;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'refers';
DROP TABLE remade, of_remade;

-- all sequences of a column go with it, and the one that gives it its numbers is known
CREATE SEQUENCE spare;
CREATE SEQUENCE spare_too;
CREATE TABLE has_two (id serial PRIMARY KEY, number int GENERATED ALWAYS AS IDENTITY UNIQUE, other int REFERENCES has_two);
ALTER SEQUENCE spare OWNED BY has_two.id;
ALTER SEQUENCE spare_too OWNED BY has_two.number;
SELECT _snowid_convert.sequence('has_two', attnum) FROM pg_attribute WHERE attrelid = 'has_two'::regclass AND attname IN ('id', 'number') ORDER BY attnum;
\set ECHO none
\o /dev/null
SELECT statement FROM snowid_convert_plan('has_two', target => 'bigserial', online => true) WHERE statement IS NOT NULL ORDER BY step \gexec
SELECT statement FROM snowid_convert_plan('has_two', 'number', target => 'bigserial', online => true) WHERE statement IS NOT NULL ORDER BY step \gexec
\o
\set ECHO all
SELECT objid::regclass, attname, deptype FROM pg_depend JOIN pg_attribute ON attrelid = refobjid AND attnum = refobjsubid
    WHERE refobjid = 'has_two'::regclass AND classid = 'pg_class'::regclass AND deptype IN ('a', 'i') AND objid IN (SELECT seqrelid FROM pg_sequence) ORDER BY 1;
INSERT INTO has_two DEFAULT VALUES RETURNING *;
DROP TABLE has_two;

-- an index keeps the statistics target of its expression
CREATE TABLE aimed (id serial PRIMARY KEY, n int);
CREATE INDEX aimed_at ON aimed (id, (n + 1));
ALTER INDEX aimed_at ALTER 2 SET STATISTICS 500;
-- a column that is NOT NULL only since the conversion has begun: the swap does not read its table
CREATE TABLE of_aimed (aimed_id int REFERENCES aimed);
\set tbl aimed
\set ECHO none
\o /dev/null
:before \gexec
\o
\set ECHO all
ALTER TABLE of_aimed ALTER aimed_id SET NOT NULL;
:before;
\set ECHO none
\o /dev/null
:before \gexec
\o
SELECT convalidated FROM pg_constraint WHERE conrelid = 'of_aimed'::regclass AND conname = 'snowid_same';
:swap \gexec
\set ECHO all
SELECT attnum, attstattarget FROM pg_attribute WHERE attrelid = 'aimed_at'::regclass AND attstattarget >= 0;
SELECT attname, attnotnull FROM pg_attribute WHERE attrelid = 'of_aimed'::regclass AND attnum > 0 AND NOT attisdropped;
DROP TABLE aimed, of_aimed;

-- a foreign key that is dropped while its column has a second one: the swap would leave that behind
CREATE TABLE alone (id serial PRIMARY KEY);
CREATE TABLE of_alone (alone_id int CONSTRAINT refers REFERENCES alone);
\set tbl alone
\set ECHO none
\o /dev/null
:before \gexec
\o
\set ECHO all
SELECT count(*) FROM snowid_convert_plan('alone', target => 'bigserial', online => true) WHERE note LIKE 'the swap%';
ALTER TABLE of_alone DROP CONSTRAINT refers;
SELECT note FROM snowid_convert_plan('alone', target => 'bigserial', online => true) WHERE note LIKE 'the swap%' OR note LIKE 'In the way%';
SELECT _snowid_convert.ready('{alone}', '{id}', '', '');
CALL snowid_convert('alone', target => 'bigserial');
SELECT attrelid::regclass, attname FROM pg_attribute WHERE attrelid IN ('alone'::regclass, 'of_alone'::regclass) AND attnum > 0 AND NOT attisdropped;
SELECT count(*) FROM pg_trigger WHERE tgname = '~snowid_convert';
DROP TABLE alone, of_alone;

-- a constraint over whole rows goes along
CREATE TABLE whole (id serial PRIMARY KEY, n int, CHECK (id > 0 AND whole IS NOT NULL));
INSERT INTO whole (n) VALUES (1);
CALL snowid_convert('whole', target => 'bigserial', rewrite => true);
SELECT pg_get_constraintdef(k.oid), id FROM pg_constraint AS k, whole WHERE conrelid = 'whole'::regclass AND contype = 'c';
DROP TABLE whole;
CREATE TABLE whole (id serial PRIMARY KEY, n int, CHECK (id > 0 AND whole IS NOT NULL));
INSERT INTO whole (n) VALUES (1);
\set tbl whole
\set ECHO none
\o /dev/null
:plan \gexec
:plan \gexec
\o
\set ECHO all
SELECT pg_get_constraintdef(k.oid), id FROM pg_constraint AS k, whole WHERE conrelid = 'whole'::regclass AND contype = 'c';
DROP TABLE whole;

-- what is not enforced, from PostgreSQL 18 on, stays so
SELECT CASE WHEN current_setting('server_version_num')::int >= 180000 THEN 'NOT ENFORCED' ELSE '' END AS not_enforced \gset
CREATE TABLE free (id serial PRIMARY KEY);
CREATE TABLE of_free (free_id int CONSTRAINT refers REFERENCES free ON DELETE CASCADE :not_enforced, CONSTRAINT high CHECK (free_id > 0) :not_enforced);
\set constraints 'SELECT string_agg(pg_get_constraintdef(oid) || convalidated, '', '' ORDER BY conname) AS constraints FROM pg_constraint WHERE conrelid = ''of_free''::regclass'
:constraints \gset before_
\set tbl free
\set ECHO none
\o /dev/null
:plan \gexec
:plan \gexec
\o
\set ECHO all
:constraints \gset after_
SELECT :'after_constraints' = :'before_constraints' AS same;
DROP TABLE free, of_free;

-- a transaction with an old snapshot would not see that the plan no longer holds
CREATE TABLE stale (id serial PRIMARY KEY);
BEGIN ISOLATION LEVEL REPEATABLE READ;
CALL snowid_convert('stale', target => 'bigserial', rewrite => true);
ROLLBACK;
SET default_transaction_isolation = 'serializable';
SELECT statement FROM snowid_convert_plan('stale', target => 'bigserial', online => true) WHERE statement ~ 'ADD snowid_' \gexec
RESET default_transaction_isolation;
DROP TABLE stale;

-- what has been begun goes on online, and is given up by a call
CREATE TABLE crate (id serial PRIMARY KEY);
INSERT INTO crate SELECT FROM generate_series(1, 3);
SELECT statement FROM snowid_convert_plan('crate', target => 'bigserial', online => true) WHERE statement ~ 'ADD snowid_' \gexec
CALL snowid_convert('crate', target => 'bigserial');
SELECT * FROM columns('crate');
SELECT statement FROM snowid_convert_plan('crate', target => 'bigserial', online => true) WHERE statement ~ 'ADD snowid_' \gexec
\set ECHO none
\o /dev/null
\set tbl crate
:plan \gexec
\o
\set ECHO all
SELECT * FROM columns('crate');
-- a type that changes alone widens the sequence too, and an identity stays one
CREATE TABLE kept (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY);
\set ECHO none
\o /dev/null
SELECT statement FROM snowid_convert_plan('kept', online => true, set_default => false) WHERE statement IS NOT NULL ORDER BY step \gexec
\o
\set ECHO all
SELECT * FROM columns('kept');
DROP TABLE crate, kept;
DROP ROLE widen_user;
DROP FUNCTION columns;
