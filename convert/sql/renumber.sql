-- Numbers become snowflakes of their rows' times, and numbers again.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
\pset null '~'
SET client_min_messages = warning;
CREATE FUNCTION columns(VARIADIC regclass[]) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT concat_ws(' ', attrelid::regclass || '.' || quote_ident(attname), format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'NOT NULL' END, pg_get_expr(adbin, adrelid), 'identity ' || nullif(attidentity, '')::text, quote_literal(col_description(attrelid, attnum)),
            pg_get_serial_sequence(attrelid::regclass::text, attname))
        FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE attrelid = ANY ($1) AND attnum > 0 AND NOT attisdropped ORDER BY attrelid::regclass::text COLLATE "C", attname $$;
CREATE TABLE shop (id serial PRIMARY KEY, created_at timestamptz NOT NULL, of int REFERENCES shop);
CREATE TABLE sale (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, shop_id int NOT NULL REFERENCES shop ON DELETE CASCADE, made timestamptz NOT NULL DEFAULT '2025-06-01', seen_by int);
CREATE TABLE part (sale_id bigint REFERENCES sale);
CREATE TABLE bare (id int PRIMARY KEY, made timestamptz NOT NULL);
COMMENT ON COLUMN shop.id IS 'the shop';
INSERT INTO shop (created_at, of) SELECT '2025-01-01'::timestamptz + n * interval '1 hour', nullif(n / 2, 0) FROM generate_series(1, 100) AS n;
INSERT INTO sale (shop_id, seen_by) SELECT n % 100 + 1, n % 7 + 1 FROM generate_series(1, 300) AS n;
INSERT INTO part SELECT id FROM sale WHERE id % 3 = 0;
INSERT INTO bare VALUES (1, '2025-02-02');
CREATE TABLE was AS SELECT s.id, shop_id, seen_by, of, (SELECT count(*) FROM part WHERE sale_id = s.id) AS parts FROM sale AS s JOIN shop ON shop.id = shop_id;
SELECT statement FROM snowid_convert_plan('shop', time_col => 'created_at');
SELECT statement FROM snowid_convert_plan('shop', online => true, time_col => 'of');
SELECT regexp_replace(statement, 'CREATE FUNCTION.*', '...') AS statement, note FROM snowid_convert_plan('shop', online => true, time_col => 'created_at', also => '{sale.seen_by}');
\set shop 'SELECT statement FROM snowid_convert_plan(''shop'', online => true, time_col => ''created_at'', also => ''{sale.seen_by}'') WHERE statement IS NOT NULL ORDER BY step'
\set ECHO none
\o /dev/null
:shop \gexec
\o
\set ECHO all
-- begun, it goes on as what it is; a call gives it up
SELECT count(statement) FROM snowid_convert_plan('shop', online => true, also => '{sale.seen_by}') WHERE note ~ 'looks up';
SELECT note FROM snowid_convert_plan('shop', online => true, target => 'bigserial') WHERE statement IS NOT NULL;
CALL snowid_convert('shop', target => 'bigserial');
SELECT columns('shop');
\set ECHO none
\o /dev/null
:shop \gexec
INSERT INTO shop (created_at) VALUES (now());
:shop \gexec
SELECT statement FROM snowid_convert_plan('sale', online => true, time_col => 'made') WHERE statement IS NOT NULL ORDER BY step \gexec
SELECT statement FROM snowid_convert_plan('sale', online => true, time_col => 'made') WHERE statement IS NOT NULL ORDER BY step \gexec
SELECT statement FROM snowid_convert_plan('bare', online => true, time_col => 'made', set_default => true) WHERE statement IS NOT NULL ORDER BY step \gexec
SELECT statement FROM snowid_convert_plan('bare', online => true, time_col => 'made', set_default => true) WHERE statement IS NOT NULL ORDER BY step \gexec
\o
\set ECHO all
:shop;
SELECT columns('shop', 'sale', 'part', 'bare');
SELECT count(*), bool_and(snowflake_time(s.id) = s.made) AS of_its_time, bool_and(snowflake_time(shop.id) = shop.created_at) AS shop_too, bool_and(shop.old_id = was.shop_id AND w.old_id = was.seen_by AND o.old_id IS NOT DISTINCT FROM was.of) AS refers,
        bool_and(was.parts = (SELECT count(*) FROM part WHERE sale_id = s.id)) AS parts
    FROM was JOIN sale AS s ON s.old_id = was.id JOIN shop ON shop.id = s.shop_id JOIN shop AS w ON w.id = s.seen_by LEFT JOIN shop AS o ON o.id = shop.of;
INSERT INTO shop (created_at) VALUES (now()) RETURNING old_id, abs(extract(epoch FROM snowflake_time(id) - now())) < 60 AS is_new, id AS new \gset
SELECT :old_id, :'is_new';
INSERT INTO sale (shop_id, seen_by) VALUES (:new, :new);
INSERT INTO bare (made) VALUES (now()) RETURNING old_id;
CALL snowid_convert('shop', target => 'bigserial');
-- and back
\set ECHO none
\o /dev/null
SELECT statement FROM snowid_convert_plan('shop', target => 'bigserial', online => true) WHERE statement IS NOT NULL ORDER BY step \gexec
SELECT statement FROM snowid_convert_plan('sale', target => 'bigserial', online => true) WHERE statement IS NOT NULL ORDER BY step \gexec
\o
\set ECHO all
SELECT columns('shop', 'sale', 'part');
SELECT count(*) FROM was JOIN sale AS s USING (id, shop_id, seen_by) JOIN shop ON shop.id = shop_id WHERE was.of IS NOT DISTINCT FROM shop.of AND was.parts = (SELECT count(*) FROM part WHERE sale_id = s.id);
SELECT shop_id, seen_by FROM sale ORDER BY id DESC LIMIT 1;
INSERT INTO shop (created_at) VALUES (now()) RETURNING id;
SELECT count(*) > 0 AS widens FROM snowid_convert_plan('shop', target => 'bigserial', online => true) WHERE note ~ 'writes along';
SELECT note FROM snowid_convert_plan('bare', target => 'bigserial', online => true);
DROP TABLE shop, sale, part, bare, was;
DROP FUNCTION columns;
