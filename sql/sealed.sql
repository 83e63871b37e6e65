-- Sealed ids: what they are, who may, what is refused. The vectors are in the unit tests, the life of the keys in a TAP test.
\set SHOW_CONTEXT never
CREATE FUNCTION pg_temp.told(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    state text; message text; detail text; hint text;
BEGIN
    EXECUTE statement;
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' | ', state, message, nullif(detail, ''), nullif(hint, ''));
END $$;
CREATE FUNCTION pg_temp.plan(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP
        RETURN NEXT regexp_replace(line, 'ord_\w+', 'TOKEN');
    END LOOP;
END $$;
CREATE ROLE snowid_sealer;
CREATE ROLE snowid_key_owner;
CREATE ROLE snowid_reader IN ROLE pg_read_all_data, pg_write_all_data;

-- without a key, which is how a database begins
SELECT * FROM snowid_seal_keys;
SELECT id_seal(1, 'ord');
SELECT id_unseal('ord_3OpFVydIs36JyzKjcbwurq', 'ord');
SELECT id_seal(NULL, 'ord'), id_seal(1, NULL), id_unseal(NULL, 'ord'), id_unseal('ord', NULL);
GRANT EXECUTE ON FUNCTION id_seal(bigint, text, int), id_unseal(text, text) TO snowid_sealer;
SET jit = off;    -- of a long question of the catalogue
SELECT finding, what_to_do, severity FROM snowid_check() WHERE subject = 'seal';

-- keys, from a file of the server or made here
SELECT current_setting('data_directory') || '/snowid_test_key' AS file \gset
COPY (VALUES ('8e6f717d879dbd56c7e229aea1eb9863a8cfc4b7c58668963091747db4c1af20')) TO :'file';
SELECT snowid_seal_key_create(from_file => 'snowid_test_key');
SELECT finding FROM snowid_check() WHERE subject = 'seal';
RESET jit;
COPY (VALUES ('31765B761C66651CAB5CA642404A4E7DA137C9C96D3FC825FEC4923E67F37144')) TO :'file';
SELECT snowid_seal_key_create(6, 'snowid_test_key'), snowid_seal_key_create();
SELECT number, current, created > now() - interval '1 day' AS of_today, CASE WHEN number <> 1 THEN fingerprint END AS fingerprint FROM snowid_seal_keys;
SELECT id_seal(0, 'ord'), id_seal(-1, 'ord'), id_seal('-9223372036854775808', 'ord'), id_seal(9223372036854775807, 'cus'), id_seal(1593572310593806338, 'cus');
SELECT id_unseal('ord_3OpFVydIs36JyzKjcbwurq', 'ord'), id_unseal('ord_76glBXYBvTGRflAUEPQJhH', 'ord'), id_unseal('cus_7AdW1soSEkoAXMWOwGWQH2', 'cus');
SELECT count(*), count(DISTINCT sealed), bool_and(id_unseal(sealed, 'a_b') = id) AS open, bool_and(sealed ~ '^a_b_[0-9A-Za-z]{22}$') AS of_the_form
    FROM (SELECT id, id_seal(id, 'a_b', key) AS sealed FROM (SELECT (random() * 9e18)::bigint - 4500000000000000000 AS id, (ARRAY[0, 1, 6, NULL])[1 + n % 4] AS key FROM generate_series(1, 4000) AS n) AS r) AS s;
SELECT id_seal(7, 'ord', NULL) = id_seal(7, 'ord', 0) AS current, id_seal(7, 'ord', 1) <> id_seal(7, 'ord', 0) AS another;
-- more prefixes than a session keeps ready
SELECT count(*) FROM generate_series(1, 3) AS round, (SELECT chr(97 + n / 26) || chr(97 + n % 26) AS prefix FROM generate_series(0, 99) AS n) AS p WHERE id_unseal(id_seal(round, prefix), prefix) = round;

-- what is no sealed id: one SQLSTATE
SELECT told FROM (VALUES (1, 'ord_2hF3wBauAgmpm8rN57WLUa', 'cus'), (2, 'ord_2hF3wBauAgmpm8rN57WLU', 'ord'), (3, 'ord_0hF3wBauAgmpm8rN57WLUa', 'ord'), (4, 'ord_2hF3wBauAgmpm8rN57WLU-', 'ord'), (5, 'ord_zzzzzzzzzzzzzzzzzzzzzz', 'ord'),
    (6, 'ORD_2hF3wBauAgmpm8rN57WLUa', 'ord'), (7, 'ord2hF3wBauAgmpm8rN57WLUa', 'ord'), (8, '', 'ord'), (9, E'ord_2hF3wBauAgmpm8rN57WLUa\n', 'ord'), (10, 'ord_fjsfa9ToPDsVnDEdpcvbhk', 'ord'), (11, 'a_ord_3OpFVydIs36JyzKjcbwurq', 'ord'),
    (12, 'cus_3OpFVydIs36JyzKjcbwurq', 'cus'), (13, E'\u0001\u007f\\"é<script>', 'ord'), (14, repeat('é', 1000000), 'ord'), (15, '42', 'ord'),
    (16, 'ord_2hF3wBauAgmpm8rN57WLUa', ''), (17, 'ord_2hF3wBauAgmpm8rN57WLUa', 'ord_'), (18, 'Ord_2hF3wBauAgmpm8rN57WLUa', 'Ord'), (19, 'ord_2hF3wBauAgmpm8rN57WLUa', repeat('x', 64))) AS t (n, sealed, prefix),
    LATERAL pg_temp.told(format('SELECT id_unseal(%L, %L)', sealed, prefix)) AS told ORDER BY n;
SELECT pg_temp.told(format('SELECT id_seal(1, %L)', prefix)) FROM unnest(ARRAY['', 'a', 'A', 'a_', '_a', 'a b', 'ä', repeat('x', 63), repeat('x', 64)]) AS prefix;
SELECT pg_temp.told(format('SELECT id_seal(1, ''ord'', %s)', key)) FROM unnest(ARRAY[-2147483648, -1, 3, 7, 2147483647]) AS key;

-- the life of a key, and what is refused
SELECT told FROM unnest(ARRAY['snowid_seal_key_create(6)', 'snowid_seal_key_create(7)', 'snowid_seal_key_create(-1)', 'snowid_seal_key_create(3, ''snowid_test_key'')', 'snowid_seal_key_drop(0)', 'snowid_seal_key_drop(3)', 'snowid_seal_key_use(3)', 'snowid_seal_key_use(NULL)', 'snowid_seal_key_drop(NULL)',
        'snowid_seal_key_use(70000)', 'snowid_seal_key_reveal(3)', 'snowid_seal_key_create(3, ''no_such_file'')', 'snowid_seal_key_create(3, ''base'')', 'snowid_seal_key_create(3, ''PG_VERSION'')', 'snowid_seal_key_create(3, repeat(''x'', 300))']) AS call, LATERAL pg_temp.told('SELECT ' || call) AS told;
COPY (VALUES ('31765B761C66651CAB5CA642404A4E7DA137C9C96D3FC825FEC4923E67F3714')) TO :'file';
SELECT pg_temp.told('SELECT snowid_seal_key_create(3, ''snowid_test_key'')');
COPY (VALUES ('31765B761C66651CAB5CA642404A4E7DA137C9C96D3FC825FEC4923E67F371440')) TO :'file';
SELECT pg_temp.told('SELECT snowid_seal_key_create(3, ''snowid_test_key'')');
COPY (VALUES ('no')) TO :'file';
SELECT snowid_seal_key_reveal(0), snowid_seal_key_reveal(6), snowid_seal_key_reveal(1) ~ '^[0-9a-f]{64}$' AS made_here;
SELECT snowid_seal_key_use(6), snowid_seal_key_reveal(NULL);
SELECT left(id_seal(0, 'ord'), 9) AS by_the_sixth, id_unseal('ord_3OpFVydIs36JyzKjcbwurq', 'ord') AS still_open;
BEGIN;
SELECT snowid_seal_key_drop(0);
SELECT id_unseal('ord_3OpFVydIs36JyzKjcbwurq', 'ord');
ROLLBACK;
SELECT id_unseal('ord_3OpFVydIs36JyzKjcbwurq', 'ord') AS open_again;
BEGIN;
SAVEPOINT s;
SELECT snowid_seal_key_create(), id_unseal(id_seal(5, 'ord', 2), 'ord');
ROLLBACK TO s;
SELECT pg_temp.told('SELECT id_seal(5, ''ord'', 2)');
ROLLBACK;
SELECT snowid_seal_key_drop(0);
SELECT pg_temp.told('SELECT id_unseal(''ord_3OpFVydIs36JyzKjcbwurq'', ''ord'')');
SELECT snowid_seal_key_drop(1);
SELECT snowid_seal_key_create() FROM generate_series(1, 6);
SELECT pg_temp.told('SELECT snowid_seal_key_create()');
SELECT pg_temp.told('SELECT snowid_seal_key_create(0)');
BEGIN READ ONLY;
SELECT id_unseal(id_seal(5, 'ord'), 'ord');
SELECT pg_temp.told(call) FROM unnest(ARRAY['SELECT snowid_seal_key_create()', 'SELECT snowid_seal_key_use(0)', 'SELECT snowid_seal_key_drop(0)']) AS call;
COMMIT;

-- who may what
GRANT SELECT, INSERT ON _snowid.seal_key TO snowid_sealer;
SET ROLE snowid_reader;
SELECT * FROM _snowid.seal_key;
SELECT * FROM _snowid.seal_current;
INSERT INTO _snowid.seal_key VALUES (0, decode(repeat('00', 32), 'hex'), now());
UPDATE _snowid.seal_current SET number = 0 RETURNING number;
DELETE FROM _snowid.seal_key RETURNING number;
SELECT * FROM snowid_seal_keys;
SELECT id_seal(1, 'ord');
SELECT id_unseal('ord_3OpFVydIs36JyzKjcbwurq', 'ord');
SET ROLE snowid_sealer;
SELECT * FROM _snowid.seal_key;
INSERT INTO _snowid.seal_key VALUES (0, decode(repeat('00', 32), 'hex'), now());
SELECT id_unseal(id_seal(5, 'ord'), 'ord');
SELECT snowid_seal_key_create();
RESET ROLE;
REVOKE ALL ON _snowid.seal_key FROM snowid_sealer;
-- a grant makes no key
GRANT EXECUTE ON FUNCTION snowid_seal_key_create(int, text), snowid_seal_key_use(int), snowid_seal_key_drop(int), snowid_seal_key_reveal(int) TO snowid_sealer;
SET ROLE snowid_sealer;
SELECT pg_temp.told('SELECT ' || call) FROM unnest(ARRAY['snowid_seal_key_create()', 'snowid_seal_key_create(from_file => ''snowid_test_key'')', 'snowid_seal_key_use(6)', 'snowid_seal_key_drop(5)', 'snowid_seal_key_reveal(6)']) AS call;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION snowid_seal_key_create(int, text), snowid_seal_key_use(int), snowid_seal_key_drop(int), snowid_seal_key_reveal(int) FROM snowid_sealer;
-- the database's owner
SELECT current_database() AS db, pg_get_userbyid(datdba) AS db_owner FROM pg_database WHERE datname = current_database() \gset
ALTER DATABASE :"db" OWNER TO snowid_key_owner;
SET ROLE snowid_key_owner;
SELECT count(*) FROM snowid_seal_keys;
SELECT snowid_seal_key_use(5), snowid_seal_key_drop(4), length(snowid_seal_key_reveal(5)), snowid_seal_key_create(4), snowid_seal_key_drop(3);
SELECT pg_temp.told('SELECT snowid_seal_key_create(3, ''snowid_test_key'')');
SELECT pg_temp.told('SELECT key FROM _snowid.seal_key');
SELECT pg_temp.told('DELETE FROM _snowid.seal_current');
GRANT EXECUTE ON FUNCTION id_unseal(text, text) TO snowid_reader;
SET ROLE snowid_reader;
SELECT pg_temp.told('SELECT id_unseal(''x'', ''ord'')') ~ '^22P02' AS may_unseal, pg_temp.told('SELECT id_seal(1, ''ord'')') ~ '^42501' AS and_not_seal;
SET ROLE snowid_key_owner;
REVOKE EXECUTE ON FUNCTION id_unseal(text, text) FROM snowid_reader;
RESET ROLE;
ALTER DATABASE :"db" OWNER TO :"db_owner";

-- a row is found by an index, in each kind of plan, also where row-level security is in force
CREATE TABLE sealed_orders (id bigint PRIMARY KEY, of text NOT NULL DEFAULT 'snowid_sealer');
INSERT INTO sealed_orders SELECT generate_series(1, 10000);
ANALYZE sealed_orders;
ALTER TABLE sealed_orders ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON sealed_orders USING (of = current_user);
GRANT SELECT ON sealed_orders TO snowid_sealer;
SET ROLE snowid_sealer;
SELECT id_seal(4711, 'ord') AS token \gset
PREPARE found(text) AS SELECT id FROM sealed_orders WHERE id = id_unseal($1, 'ord');
SET plan_cache_mode = force_custom_plan;
SELECT pg_temp.plan(format('EXECUTE found(%L)', :'token'));
EXECUTE found(:'token');
SET plan_cache_mode = force_generic_plan;
SELECT pg_temp.plan(format('EXECUTE found(%L)', :'token'));
EXECUTE found(:'token');
SELECT pg_temp.told('EXPLAIN EXECUTE found(''ord_3OpFVydIs36JyzKjcbwurr'')') ~ '^22P02|no error' AS at_planning_or_not_at_all;
RESET plan_cache_mode;
SELECT pg_temp.told('EXPLAIN SELECT id FROM sealed_orders WHERE id = id_unseal(''ord_3OpFVydIs36JyzKjcbwurr'', ''ord'')');
RESET ROLE;
\set VERBOSITY sqlstate
CREATE INDEX ON sealed_orders (id_seal(id, 'ord'));
\set VERBOSITY default
ALTER TABLE sealed_orders ADD shown text GENERATED ALWAYS AS (id_seal(id, 'ord')) STORED;
DROP TABLE sealed_orders;

-- in parallel workers
CREATE TABLE sealed_many AS SELECT generate_series(1, 20000)::bigint AS id;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
ANALYZE sealed_many;
SELECT pg_temp.plan('SELECT count(*) FROM sealed_many WHERE id_unseal(id_seal(id, ''ord''), ''ord'') = id');
SELECT count(*) FROM sealed_many WHERE id_unseal(id_seal(id, 'ord'), 'ord') = id;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
DROP TABLE sealed_many;

-- what a superuser changes by hand is seen as well
BEGIN;
DELETE FROM _snowid.seal_key WHERE number = 6;
SELECT pg_temp.told('SELECT id_seal(1, ''ord'', 6)');
ROLLBACK;
SELECT length(id_seal(1, 'ord', 6));
-- whoever has been granted too much cannot truncate them
GRANT ALL ON _snowid.seal_key, _snowid.seal_current TO snowid_reader;
SET ROLE snowid_reader;
TRUNCATE _snowid.seal_key;
TRUNCATE _snowid.seal_current;
RESET ROLE;
REVOKE ALL ON _snowid.seal_key, _snowid.seal_current FROM snowid_reader;
-- what somebody has forced in is no key
BEGIN;
ALTER TABLE _snowid.seal_key DROP CONSTRAINT seal_key_key_check, ALTER key DROP NOT NULL;
UPDATE _snowid.seal_key SET key = '\x01' WHERE number = 6;
SELECT pg_temp.told('SELECT id_seal(1, ''ord'', 6)');
UPDATE _snowid.seal_key SET key = NULL WHERE number = 6;
SELECT pg_temp.told('SELECT id_seal(1, ''ord'', 6)');
ROLLBACK;
-- nothing of a key is in the statistics
ANALYZE _snowid.seal_key;
SELECT attname FROM pg_stats WHERE tablename = 'seal_key' AND attname = 'key';
-- as it was before
DELETE FROM _snowid.seal_key;
DELETE FROM _snowid.seal_current;
REVOKE EXECUTE ON FUNCTION id_seal(bigint, text, int), id_unseal(text, text) FROM snowid_sealer;
SELECT pg_temp.told('SELECT id_seal(1, ''ord'')') ~ '^55000' AS no_key;
DROP ROLE snowid_sealer, snowid_key_owner, snowid_reader;
