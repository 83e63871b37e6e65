-- Time partitions of tables that are partitioned by ranges of ids.
SET timezone = 'America/New_York';
SET datestyle = 'ISO';
\set SHOW_CONTEXT never
SELECT snowid_period('2025-05-15 12:34:56Z', p) AT TIME ZONE 'UTC' AS period FROM unnest('{1 month,3 months,1 year,1 week,1 day,6 hours,00:00:10}'::interval[]) AS p;
CREATE TABLE log (id bigint, line text, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE log_u (id uuid) PARTITION BY RANGE (id);
CREATE TABLE log_l (id ulid) PARTITION BY RANGE (id);
CREATE TABLE log_s (id snowflake) PARTITION BY RANGE (id);
SELECT count(*), bool_and(action = 'created'), min(starts) <= now() AND max(ends) > now() + interval '1 month' AS around_now,
    count(DISTINCT starts) = count(*) AND bool_and(extract(day FROM starts AT TIME ZONE 'UTC') = 1) AS aligned FROM snowid_partition('log', '1 month', behind => 12);
SELECT * FROM snowid_partition('log', '1 month', behind => 12);
SELECT t, (SELECT count(*) FROM snowid_partition(t, '1 day', ahead => 2)) FROM unnest('{log_u,log_l,log_s}'::regclass[]) AS t;
INSERT INTO log SELECT snowflake_lower_bound(now() - g * interval '30 days') FROM generate_series(0, 10) AS g;
INSERT INTO log VALUES (snowflake_encode(now(), 0, 1));
INSERT INTO log_u VALUES (uuidv7_next());
INSERT INTO log_l VALUES (ulid_next());
SELECT count(*) = 2 AS now_is_in_one FROM log l JOIN snowid_partitions('log') p ON l.tableoid = p.partition WHERE now() >= starts AND now() < ends;
SELECT bool_and(snowflake_time(id) >= starts AND snowflake_time(id) < ends) AS each_in_its_time FROM log l JOIN snowid_partitions('log') p ON l.tableoid = p.partition;
SELECT min(partition::text) = 'log_' || to_char((now() AT TIME ZONE 'UTC') - interval '12 months', 'YYYYMM') AS name FROM snowid_partitions('log');
SELECT count(*) FROM pg_indexes WHERE tablename LIKE 'log\_2%';
-- older partitions are detached, never dropped
SELECT count(*), bool_and(action = 'detached') FROM snowid_partition('log', '1 month', retain => '6 months');
SELECT state, count(*), count(detached), min(ends) <= now() - interval '6 months' AS old FROM snowid_partitions('log') GROUP BY state ORDER BY state;
SELECT count(*) FROM pg_class WHERE relname ~ '^log_2' AND relkind = 'r';
CREATE TABLE tenant (tenant int, id bigint) PARTITION BY LIST (tenant);
CREATE TABLE tenant_1 PARTITION OF tenant FOR VALUES IN (1) PARTITION BY RANGE (id);
CREATE TABLE tenant_2 PARTITION OF tenant FOR VALUES IN (2) PARTITION BY RANGE (id);
CREATE TABLE tenant_2_rest PARTITION OF tenant_2 DEFAULT;
SELECT count(*), count(DISTINCT split_part(partition::text, '_', 2)) FROM snowid_partition('tenant', '1 day', ahead => 1);
SELECT starts, ends FROM snowid_partitions('tenant_2') WHERE partition = 'tenant_2_rest'::regclass;
SELECT count(*) FROM snowid_partition('tenant', '1 day', ahead => 1);
-- rows in the default partition
CREATE TABLE late (id bigint DEFAULT snowflake_lower_bound(now()), line text) PARTITION BY RANGE (id);
CREATE TABLE late_rest PARTITION OF late DEFAULT;
INSERT INTO late (line) VALUES ('before its partition');
SET client_min_messages = error;
SELECT action, count(*), count(*) FILTER (WHERE partition = 'late_rest'::regclass AND now() >= starts AND now() < ends) AS of_now FROM snowid_partition('late', '1 day') GROUP BY action ORDER BY action;
RESET client_min_messages;
-- each name has the whole date, and names that are taken are passed over
CREATE TABLE of_tenants (tenant text, id bigint) PARTITION BY LIST (tenant);
CREATE TABLE the_log_of_all_events_in_the_content_management_system_eu PARTITION OF of_tenants FOR VALUES IN ('eu') PARTITION BY RANGE (id);
CREATE TABLE the_log_of_all_events_in_the_content_management_system_us PARTITION OF of_tenants FOR VALUES IN ('us') PARTITION BY RANGE (id);
CREATE TABLE äääääääääääääääääääääääääääääää (id bigint) PARTITION BY RANGE (id);
SELECT count(*), bool_and(partition::text ~ '_\d{6}(_1)?$') AS dated, count(DISTINCT partition) FROM snowid_partition('of_tenants', '1 month');
SELECT count(*), bool_and(partition::text ~ '_\d{6}"$') AS dated, max(octet_length(trim('"' FROM partition::text))) AS bytes FROM snowid_partition('äääääääääääääääääääääääääääääää', '1 month');
-- what is made by hand later is left as it is, and the gaps around it are filled
CREATE TABLE mixed (id bigint) PARTITION BY RANGE (id);
SELECT count(*) FROM snowid_partition('mixed', '1 month', ahead => 0);
DO $$ BEGIN
    EXECUTE format('CREATE TABLE mixed_day PARTITION OF mixed FOR VALUES FROM (%L) TO (%L)',
        snowflake_lower_bound(snowid_period(now(), '1 month') + interval '1 month 10 days'), snowflake_lower_bound(snowid_period(now(), '1 month') + interval '1 month 11 days'));
END $$;
SELECT regexp_replace(partition::text, '\d{6}', 'MONTH') AS partition FROM snowid_partition('mixed', '1 month', ahead => 1);
SELECT count(*) FROM snowid_partition('mixed', '1 month');
-- no partition is made that would be detached, or that ends before the first id
SELECT count(*), min(action) FROM snowid_partition('mixed', '1 month', ahead => 0, behind => 5, retain => '2 months');
SELECT count(*) FROM snowid_partition('mixed', '1 month', ahead => 0, behind => 5, retain => '2 months');
CREATE TABLE old (id bigint) PARTITION BY RANGE (id);
SELECT count(*) BETWEEN 1 AND 149 AS from_the_first_id_on FROM snowid_partition('old', '10 years', ahead => 0, behind => 10);
SELECT count(*) FROM snowid_partition('old', '10 years', ahead => 0, behind => 10);
-- a partition has the table's owner and tablespace, whoever makes it
SET allow_in_place_tablespaces = on;
CREATE TABLESPACE snowid_space LOCATION '';
CREATE ROLE snowid_owner;
GRANT CREATE ON SCHEMA public TO snowid_owner;
GRANT CREATE ON TABLESPACE snowid_space TO snowid_owner;
CREATE TABLE owned (id bigint PRIMARY KEY) PARTITION BY RANGE (id) TABLESPACE snowid_space;
ALTER TABLE owned OWNER TO snowid_owner;
SELECT count(*) FROM snowid_partition('owned', '1 month', ahead => 1);
SELECT DISTINCT relowner::regrole, spcname FROM pg_class LEFT JOIN pg_tablespace t ON t.oid = reltablespace WHERE relname LIKE 'owned\_%' AND relkind = 'r';
SET ROLE snowid_owner;
ALTER TABLE owned ADD COLUMN line text;
RESET ROLE;
DROP TABLE owned;
DROP TABLESPACE snowid_space;
REVOKE CREATE ON SCHEMA public FROM snowid_owner;
DROP ROLE snowid_owner;
-- at the end of a layout the last period ends with the last id, and there is none behind it
BEGIN;
CREATE FUNCTION near_the_end_of(fields text, last_id bigint, OUT made text, OUT again bigint, OUT last_is_in_last boolean, OUT next text) LANGUAGE plpgsql AS $$
DECLARE month timestamptz := snowid_period(now(), '1 month');
BEGIN
    UPDATE _snowid.layout SET layout = snowid_layout_canonical(  -- 49.7 days, which end in the next month
        to_char((month + interval '1 month' - interval '39 days') AT TIME ZONE 'UTC', '"epoch="YYYY-MM-DD",tick=1ms,"') || fields);
    CREATE TABLE ending (id bigint) PARTITION BY RANGE (id);
    SELECT string_agg(CASE ends WHEN month + interval '1 month' THEN 'month' ELSE ends::text END, ', ' ORDER BY starts) INTO made FROM snowid_partition('ending', '1 month');
    again := count(*) FROM snowid_partition('ending', '1 month', ahead => 20);
    INSERT INTO ending VALUES (last_id);
    last_is_in_last := (SELECT tableoid FROM ending) = (SELECT partition FROM snowid_partitions('ending') WHERE ends = 'infinity');
    INSERT INTO ending VALUES (last_id + 1);
EXCEPTION WHEN OTHERS THEN next := SQLERRM;
END $$;
SET LOCAL timezone = 'UTC';
SELECT near_the_end_of.* FROM (VALUES ('time=32,worker=6,sequence=16', (1::bigint << 54) - 1), ('time=32,worker=15,sequence=16', 9223372036854775807), ('time=33,worker=15,sequence=16', 9223372036854775807)) l (fields, id), near_the_end_of(fields, id);
ROLLBACK;
CREATE TABLE far_o (id objectid) PARTITION BY RANGE (id);
CREATE TABLE far_u (id uuid) PARTITION BY RANGE (id);
CREATE TABLE far_l (id ulid) PARTITION BY RANGE (id);
SELECT t, count(*), max(ends) FROM unnest('{far_u,far_l,far_o}'::regclass[]) AS t, snowid_partition(t, '200 years', ahead => 50) GROUP BY t ORDER BY t::text;
INSERT INTO far_o VALUES (objectid_last('(,)'::tstzrange));
-- a call is one subtransaction, not one for each partition: the end of each looks at all relations that the transaction has made
CREATE TABLE log_of_days (id bigint) PARTITION BY RANGE (id);
SELECT count(*) FROM snowid_partition('log_of_days', '1 day', ahead => 39);
SELECT count(*), count(DISTINCT xmin::text) AS subtransactions FROM pg_inherits WHERE inhparent = 'log_of_days'::regclass;
-- errors
SELECT * FROM snowid_partition(NULL, '1 day');
CREATE TABLE unparted (id bigint);
CREATE TABLE by_text (id text) PARTITION BY RANGE (id);
SELECT * FROM snowid_partition('unparted', '1 day');
SELECT * FROM snowid_partition('by_text', '1 day');
SELECT * FROM snowid_partition('log', '1 month 1 day');
\set SHOW_CONTEXT errors
SELECT * FROM snowid_partition('log', '0');
\set SHOW_CONTEXT never
SELECT * FROM snowid_partition('log', '1 day', ahead => -1);
SELECT * FROM snowid_partition('log', '1 month', ahead => 10001);
SELECT * FROM snowid_partition('log', '1 month', retain => '-1 day');
SELECT * FROM snowid_partition('log', '1 us');
SELECT * FROM snowid_partition('log', '1 day', expired => 'shred');
SELECT * FROM snowid_partitions(NULL);
DROP TABLE old;
