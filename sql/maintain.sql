-- What snowid_partition is told is recorded, and snowid_maintain does it for all tables.
SET timezone = 'UTC';
SET datestyle = 'ISO';
\set SHOW_CONTEXT never
CREATE VIEW shown AS SELECT parent, every, ahead, behind, retain, expired FROM _snowid.partitioned ORDER BY parent::text;
CREATE FUNCTION refusal(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE message text; detail text; hint text; state text;
BEGIN
    EXECUTE call;
    RETURN 'is not refused';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT, state = RETURNED_SQLSTATE;
    RETURN regexp_replace(regexp_replace(concat_ws(' | ', state, message, nullif(detail, ''), nullif(hint, '')), '\d{4}-\d\d-\d\d[ \d:+]*\d', 'TIME', 'g'), '_\d{6,8}', '_DATE', 'g');
END $$;
-- each call adds to the record what it names
CREATE TABLE log (id bigint, PRIMARY KEY (id)) PARTITION BY RANGE (id);
SELECT count(*) FROM snowid_partition('log', '1 month', ahead => 2);
SELECT count(*) FROM snowid_partition('log', '1 month', behind => 1);
SELECT count(*) FROM snowid_partition('log', '1 month', retain => '1 year', expired => 'drop');
SELECT count(*) FROM snowid_partition('log', '1 month');
TABLE shown;
-- without a period, the recorded one counts; a dry run does nothing, and tells what a call would do
CREATE TABLE dry (id bigint) PARTITION BY RANGE (id);
SELECT refusal($$SELECT snowid_partition('dry', dry_run => true)$$), refusal($$SELECT snowid_partition(NULL, dry_run => true)$$);
CREATE FUNCTION pg_temp.tried(told text) RETURNS TABLE (is_same boolean, number bigint, actions text[]) LANGUAGE plpgsql AS $$
DECLARE tried text[]; done text[];
BEGIN
    EXECUTE format('SELECT array_agg(concat_ws(''|'', action, starts, ends, name)) FROM snowid_partition(%s, dry_run => true)', told) INTO tried;
    EXECUTE format('SELECT array_agg(concat_ws(''|'', action, starts, ends, name)), count(*), array_agg(DISTINCT action) FROM snowid_partition(%s)', told) INTO done, number, actions;
    is_same := tried IS NOT DISTINCT FROM done;
    RETURN NEXT;
END $$;
SELECT count(*) FROM snowid_partition('dry', '1 day', behind => 5, dry_run => true);
SELECT (SELECT count(*) FROM shown WHERE parent = 'dry'::regclass) AS records, (SELECT count(*) FROM snowid_partitions('dry')) AS partitions;
SELECT * FROM pg_temp.tried($$'dry', '1 day', behind => 5$$);
SELECT * FROM pg_temp.tried($$'dry', ahead => 4$$);
SELECT * FROM pg_temp.tried($$'dry', retain => '3 days'$$);
SELECT * FROM pg_temp.tried($$'dry', retain => '1 day', expired => 'drop'$$);
SELECT * FROM snowid_partition('dry', dry_run => true);
TABLE shown;
DO $$ DECLARE made text; BEGIN
    FOR made IN SELECT partition FROM snowid_partitions('dry') WHERE state = 'detached' LOOP EXECUTE 'DROP TABLE ' || made; END LOOP;
END $$;
DROP TABLE dry;
-- another period is refused with both, and so is one that the partitions do not have where nothing is recorded
SELECT every, refusal(format('SELECT snowid_partition(%L, %L)', 'log', every)) FROM unnest('{10 days,1 week,30 days,1 day,2 months}'::interval[]) AS every;
SELECT snowid_partition_forget('log');
SELECT snowid_partition_forget(NULL);
SELECT every, refusal(format('SELECT snowid_partition(%L, %L)', 'log', every)) FROM unnest('{10 days,1 week,1 day}'::interval[]) AS every;
SELECT count(*) FROM snowid_partition('log', '1 month');
SELECT count(*) AS are_as_they_were FROM snowid_partitions('log');
TABLE shown;
-- 7 days are a week
CREATE TABLE by_week (id uuid) PARTITION BY RANGE (id);
SELECT count(*), bool_and(extract(isodow FROM starts) = 1 AND ends - starts = '7 days') AS weeks FROM snowid_partition('by_week', '1 week');
SELECT count(*) FROM snowid_partition('by_week', '7 days');
SELECT count(*) FROM snowid_partition('by_week', '168 hours');
-- renamed, moved, dropped, made again
CREATE SCHEMA "An attic";
ALTER TABLE by_week RENAME TO "By ""week""";
ALTER TABLE "By ""week""" SET SCHEMA "An attic";
SELECT parent, every FROM shown;
DROP TABLE log;
CREATE TABLE log (id ulid) PARTITION BY RANGE (id);
CALL snowid_maintain();
SELECT parent, made FROM snowid_maintenance;
SELECT parent, every FROM shown;
SELECT count(*) FROM snowid_partition('log', '1 day');
-- tables of all types, periods shorter than a day, tables by list
CREATE FUNCTION pg_temp.types_of_keys() RETURNS SETOF text LANGUAGE sql AS $$
    SELECT 'bigint' UNION ALL SELECT 'uuid' UNION ALL SELECT typname FROM pg_type
        JOIN pg_depend ON classid = 'pg_type'::regclass AND objid = pg_type.oid AND deptype = 'e'
        WHERE typlen > 0 AND typnamespace <> '_snowid'::regnamespace $$;
DROP TABLE log, "An attic"."By ""week""";
DO $$
DECLARE type text;
BEGIN
    FOR type IN SELECT * FROM pg_temp.types_of_keys() LOOP
        EXECUTE format('CREATE TABLE of_%1$s (id %1$s) PARTITION BY RANGE (id)', type);
        PERFORM snowid_partition(('of_' || type)::regclass, '6 hours', ahead => 1, behind => 2);
    END LOOP;
END $$;
CREATE TABLE of_tenants (tenant int, id bigint) PARTITION BY LIST (tenant);
CREATE TABLE of_tenants_1 PARTITION OF of_tenants FOR VALUES IN (1) PARTITION BY RANGE (id);
SELECT count(*) FROM snowid_partition('of_tenants', '15 minutes', ahead => 96);
CREATE TABLE of_tenants_2 PARTITION OF of_tenants FOR VALUES IN (2) PARTITION BY RANGE (id);
DO $$
DECLARE of_type regclass;
BEGIN
    FOR of_type IN SELECT parent FROM _snowid.partitioned WHERE every = '6 hours' LOOP
        EXECUTE format('DROP TABLE %s', (SELECT max(partition::text) FROM snowid_partitions(of_type)));
    END LOOP;
END $$;
CALL snowid_maintain();
SELECT parent, made, detached, dropped, covered_until > now() + interval '6 hours' AS covered, ended >= started AS ended, error FROM snowid_maintenance ORDER BY parent::text;
SELECT parent, count(*), count(DISTINCT ends - starts) FROM _snowid.partitioned, snowid_partitions(parent) WHERE every = '6 hours' GROUP BY parent ORDER BY parent::text;
CALL snowid_maintain('of_bigint');
SELECT parent, made FROM snowid_maintenance WHERE parent = 'of_bigint'::regclass;
-- what is older goes, by DETACH or DROP; a detached partition is found under another name, and shown again when it is attached again
SELECT count(*), min(action) FROM snowid_partition('of_bigint', '6 hours', behind => 0, retain => '0');
SELECT count(*), min(action) FROM snowid_partition('of_uuid', '6 hours', behind => 0, retain => '0', expired => 'drop');
ALTER TABLE of_tenants SET SCHEMA "An attic";
DO $$
DECLARE found record;
BEGIN
    SELECT * FROM snowid_partitions('of_bigint') WHERE state = 'detached' ORDER BY starts LIMIT 1 INTO found;
    EXECUTE format('ALTER TABLE %s RENAME TO old', found.partition);
    ALTER TABLE old SET SCHEMA "An attic";
    RAISE NOTICE '%', (SELECT array_agg(partition) FROM snowid_partitions('of_bigint') p WHERE starts = found.starts);
    EXECUTE format('ALTER TABLE of_bigint ATTACH PARTITION "An attic".old FOR VALUES FROM (%s) TO (%s)', snowflake_lower_bound(found.starts), snowflake_lower_bound(found.ends));
    RAISE NOTICE '%', (SELECT state FROM snowid_partitions('of_bigint') p WHERE starts = found.starts);
END $$;
CALL snowid_maintain('of_bigint');
SELECT parent, detached, dropped FROM snowid_maintenance WHERE parent = 'of_bigint'::regclass;
SELECT t, state, count(*) FROM unnest('{of_bigint,of_uuid}'::regclass[]) AS t, snowid_partitions(t) GROUP BY t, state ORDER BY 1, 2;
SELECT parent, count(*), count(made) AS made, count(detached) AS detached, bool_and(every = '6 hours') AS of_period FROM _snowid.partition_times GROUP BY parent ORDER BY parent::text;
-- what a table's failure is does not stop the others
CREATE TABLE refers (id bigint PRIMARY KEY) PARTITION BY RANGE (id);
SELECT count(*) FROM snowid_partition('refers', '1 day', ahead => 0, behind => 1);
INSERT INTO refers VALUES (snowflake_lower_bound(now() - interval '1 day'));
CREATE TABLE refers_to (id bigint REFERENCES refers);
INSERT INTO refers_to TABLE refers;
SELECT refusal('SELECT snowid_partition(''refers'', ''1 day'', behind => 0, retain => ''0'')') ~ '^23503' AS refused;
SELECT snowid_partition_forget('refers');
CREATE TABLE full_rest (id bigint) PARTITION BY RANGE (id);
SELECT count(*) FROM snowid_partition('full_rest', '1 day', ahead => 0);
CREATE TABLE rest PARTITION OF full_rest DEFAULT;
DO $$ BEGIN EXECUTE format('DROP TABLE %s', (SELECT partition FROM snowid_partitions('full_rest') WHERE starts IS NOT NULL)); END $$;
INSERT INTO full_rest VALUES (snowflake_lower_bound(now()));
SET client_min_messages = error;
SELECT count(*) AS runs FROM snowid_maintenance;
\set VERBOSITY terse
CALL snowid_maintain();
\set VERBOSITY default
SELECT parent, made, covered_until, sqlstate, regexp_replace(error, '\d{4}-\d\d-\d\d[ \d:+]*\d', 'TIME', 'g') AS error, detail, hint FROM snowid_maintenance WHERE sqlstate IS NOT NULL;
RESET client_min_messages;
DROP TABLE full_rest;
-- what is moved: not ids that have no time, but what is beside a bound within a tick
CREATE TABLE odd (id bigint PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE odd_rest PARTITION OF odd DEFAULT;
CREATE TABLE odd_hour PARTITION OF odd FOR VALUES FROM (snowflake_lower_bound('2026-01-05 12:00Z') + 5)
    TO (snowflake_lower_bound('2026-01-05 13:00Z') + 7);
CREATE TABLE odd_tick PARTITION OF odd FOR VALUES FROM (snowflake_lower_bound('2026-01-05 13:00Z') + 17)
    TO (snowflake_lower_bound('2026-01-05 13:00Z') + 100);
CREATE TABLE odd_day PARTITION OF odd FOR VALUES FROM (snowflake_lower_bound('2026-01-08Z') + 5)
    TO (snowflake_lower_bound('2026-01-09Z') + 3);
INSERT INTO odd VALUES (-5), (-1), (snowflake_lower_bound('2026-01-03Z')), (snowflake_lower_bound('2026-01-05 12:00Z') + 4),
    (snowflake_lower_bound('2026-01-05 13:00Z') + 7), (snowflake_lower_bound('2026-01-05 13:00Z') + 100),
    (snowflake_lower_bound('2026-01-05 14:00Z')), (snowflake_lower_bound('2026-01-07Z')), (snowflake_lower_bound('2026-01-07Z') - 1),
    (snowflake_lower_bound('2026-01-09Z') + 3), (snowflake_lower_bound('2026-01-08Z') + 4);
SELECT count(*) FROM snowid_partition('odd', '1 day', ahead => 0);
CALL snowid_partition_settle('odd');
SELECT tableoid::regclass, count(*) FROM odd GROUP BY tableoid ORDER BY tableoid::regclass::text;
CREATE TABLE odd_uuid (id uuid) PARTITION BY RANGE (id);
CREATE TABLE odd_uuid_rest PARTITION OF odd_uuid DEFAULT;
CREATE TABLE odd_uuid_day PARTITION OF odd_uuid FOR VALUES FROM ('019b8ba6-f000-0000-0000-000000000000') TO ('019b90cd-4c00-ffff-ffff-ffffffffffff');
INSERT INTO odd_uuid VALUES ('00000000-0000-4000-8000-000000000000'), (uuidv7_lower_bound('2026-01-04 23:00Z')), (uuidv7_lower_bound('2026-01-06 01:00Z'));
SELECT bounds, starts, ends FROM _snowid.partition_known('odd_uuid') WHERE bounds IS NOT NULL;
SELECT count(*) FROM snowid_partition('odd_uuid', '1 day', ahead => 0);
CALL snowid_partition_settle('odd_uuid');
SELECT count(*) FROM odd_uuid_rest;
DROP TABLE odd, odd_uuid;
-- who may what
CREATE ROLE snowid_one;
CREATE ROLE snowid_two;
GRANT CREATE, USAGE ON SCHEMA public TO snowid_one, snowid_two;
SET ROLE snowid_one;
CREATE TABLE of_one (id bigint) PARTITION BY RANGE (id);
SELECT count(*) FROM snowid_partition('of_one', '1 day', ahead => 0);
CALL snowid_maintain();
SELECT parent FROM snowid_maintenance WHERE started > now() - interval '1 hour' AND parent = 'of_one'::regclass;
\set SHOW_CONTEXT errors
SET ROLE snowid_two;
CALL snowid_maintain();
CALL snowid_maintain('of_one');
SELECT snowid_partition_forget('of_one');
SELECT _snowid.partition_record('of_one', '1 s', 100, 0, '0', 'drop', NULL, NULL);
SELECT refusal($$SELECT snowid_partition('of_one', '1 day')$$);
SELECT refusal($$INSERT INTO _snowid.partitioned VALUES ('of_one', '1 day', 1, 1, '0', 'drop')$$);
SELECT refusal($$UPDATE _snowid.partitioned SET expired = 'drop'$$);
SELECT refusal($$DELETE FROM _snowid.partitioned$$);
SELECT refusal($$INSERT INTO _snowid.partition_times SELECT 'of_one', 'of_one', now(), now(), '{}'$$);
SELECT refusal($$UPDATE _snowid.partition_times SET ends = '-infinity'$$);
SELECT refusal($$SELECT _snowid.partition_reread('of_one', 'of_one', now(), '')$$);
SELECT refusal($$SELECT _snowid.partition_made('of_one', '{of_one}', '{-infinity}', '{-infinity}', '{0}', '{1}', NULL, '1 day')$$);
RESET ROLE;
GRANT INSERT ON _snowid.partitioned TO snowid_two;
SET ROLE snowid_two;
SELECT refusal($$INSERT INTO _snowid.partitioned VALUES ('of_uuid', '1 day', 1, 1, '0', 'drop')$$);
RESET ROLE;

SELECT DISTINCT relowner::regrole FROM pg_class JOIN pg_inherits ON oid = inhrelid WHERE inhparent = 'of_one'::regclass;
DO $$ BEGIN EXECUTE format('DROP TABLE %s', (SELECT partition FROM snowid_partitions('of_one'))); END $$;
CALL snowid_maintain('of_one');
SELECT made, error FROM snowid_maintenance WHERE parent = 'of_one'::regclass;
SELECT DISTINCT relowner::regrole FROM pg_class JOIN pg_inherits ON oid = inhrelid WHERE inhparent = 'of_one'::regclass;
-- what one owner says of another's partition is in nobody's way
SET ROLE snowid_one;
SELECT action FROM snowid_partition('of_one', '1 day', behind => 1);
SET ROLE snowid_two;
CREATE TABLE of_two (id bigint) PARTITION BY RANGE (id);
SELECT count(_snowid.partition_detached(partition, 'of_two', starts, ends, '{}', now())) FROM snowid_partitions('of_one');
SET ROLE snowid_one;
SELECT action FROM snowid_partition('of_one', '1 day', behind => 0, retain => '0 s');
SELECT state, count(*) FROM snowid_partitions('of_one') GROUP BY state ORDER BY state;
RESET ROLE;
-- a policy that makes no sense cannot be restored either
SELECT refusal(format('INSERT INTO _snowid.partitioned VALUES (%L, %s)', 'shown', policy)) FROM unnest(ARRAY['''1 us'', 1, 0, NULL, ''drop''',
    '''1 day'', 10001, 0, NULL, ''drop''', '''1 day'', 1, -1, NULL, ''drop''', '''1 day'', 1, 0, ''-1 month'', ''drop''', '''1 day'', 1, 0, ''0'', ''shred''']) AS policy;
-- what a role has put into its partition does not run as the owner of the whole table
CREATE TABLE shared (id bigint, line text) PARTITION BY RANGE (id);
CREATE TABLE of_both PARTITION OF shared DEFAULT;
ALTER TABLE of_both OWNER TO snowid_two;
SET ROLE snowid_two;
CREATE FUNCTION runs_as() RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE WARNING 'runs as a superuser: %', (SELECT rolsuper FROM pg_roles WHERE rolname = current_user); RETURN true; END $$;
ALTER TABLE of_both ADD CHECK (runs_as() OR line = '');
RESET ROLE;
SELECT regexp_replace(refusal($$SELECT snowid_partition('shared', '1 day', ahead => 0)$$), session_user, 'OWNER', 'g');
ALTER TABLE shared OWNER TO snowid_one;
SELECT refusal($$SELECT snowid_partition('shared', '1 day', ahead => 0)$$);
GRANT snowid_one TO snowid_two;
SELECT count(*) FROM snowid_partition('shared', '1 day', ahead => 0);
DROP TABLE shared;
REVOKE snowid_one FROM snowid_two;
-- what a new partition has of the whole table, and of the newest one
CREATE TABLE granted (id bigint PRIMARY KEY, line text, secret text) PARTITION BY RANGE (id);
SELECT count(*) FROM snowid_partition('granted', '1 day', ahead => 0);
DO $$ BEGIN EXECUTE format('ALTER TABLE %s SET (fillfactor = 71, autovacuum_enabled = off)', (SELECT partition FROM snowid_partitions('granted'))); END $$;
GRANT SELECT, INSERT ON granted TO snowid_one WITH GRANT OPTION;
GRANT UPDATE (line) ON granted TO PUBLIC;
ALTER TABLE granted REPLICA IDENTITY USING INDEX granted_pkey;
CREATE VIEW newest AS SELECT c.* FROM pg_class AS c JOIN pg_inherits ON c.oid = inhrelid WHERE inhparent = 'granted'::regclass ORDER BY c.oid DESC LIMIT 1;
SELECT count(*) FROM snowid_partition('granted', '1 day', ahead => 1);
SELECT reloptions, relreplident, has_table_privilege('snowid_one', newest.oid, 'INSERT WITH GRANT OPTION') AS granted, has_table_privilege('snowid_two', newest.oid, 'SELECT') AS of_others,
    has_column_privilege('snowid_two', newest.oid, 'line', 'UPDATE') AS of_column, (SELECT indisreplident FROM pg_index WHERE indrelid = newest.oid) AS by_index FROM newest;
ALTER TABLE granted REPLICA IDENTITY FULL;
ALTER TABLE granted ENABLE ROW LEVEL SECURITY;
SELECT count(*) FROM snowid_partition('granted', '1 day', ahead => 2);
SELECT reloptions, relreplident, has_table_privilege('snowid_one', newest.oid, 'INSERT') AS past_policies FROM newest;
DROP TABLE granted CASCADE;
-- what snowid did not make expires only if it is one period; and nothing that has a record of its own
CREATE TABLE by_hand (id bigint, line text) PARTITION BY RANGE (id);
CREATE FUNCTION day(n int) RETURNS bigint LANGUAGE sql AS $$ SELECT snowflake_lower_bound(snowid_period(now(), '1 day') + n * interval '1 day') $$;
DO $$ BEGIN
    EXECUTE format('CREATE TABLE one_day PARTITION OF by_hand FOR VALUES FROM (%s) TO (%s)', day(-10), day(-9));
    EXECUTE format('CREATE TABLE two_days PARTITION OF by_hand FOR VALUES FROM (%s) TO (%s)', day(-9), day(-7));
    EXECUTE format('CREATE TABLE half_a_day PARTITION OF by_hand FOR VALUES FROM (%s) TO (%s)', day(-7), day(-7) + (day(1) - day(0)) / 2);
    EXECUTE format('CREATE TABLE from_ever PARTITION OF by_hand FOR VALUES FROM (MINVALUE) TO (%s)', day(-10));
    EXECUTE format('CREATE TABLE own_record PARTITION OF by_hand FOR VALUES FROM (%s) TO (%s) PARTITION BY LIST (line)', day(-6), day(-5));
    EXECUTE 'CREATE TABLE below PARTITION OF own_record FOR VALUES IN (''x'') PARTITION BY RANGE (id)';
END $$;
SELECT count(*) FROM snowid_partition('below', '1 day', ahead => 0);
SELECT action, count(*), string_agg(name, ', ' ORDER BY name) FILTER (WHERE action <> 'created') AS names
    FROM snowid_partition('by_hand', '1 day', retain => '2 days', expired => 'drop') GROUP BY action ORDER BY action;
SELECT to_regclass('one_day'), to_regclass('two_days'), to_regclass('half_a_day'), to_regclass('from_ever'), to_regclass('below');
CALL snowid_maintain('by_hand');
SELECT dropped, kept FROM snowid_maintenance WHERE parent = 'by_hand'::regclass;
SELECT count(*) FROM snowid_partition('by_hand', '1 day', expired => 'keep');
SELECT retain, expired FROM _snowid.partitioned WHERE parent = 'by_hand'::regclass;
DROP TABLE by_hand;
DROP FUNCTION day(int);
-- the nearest record counts
CREATE TABLE tenants (tenant int, id bigint) PARTITION BY LIST (tenant);
CREATE TABLE tenants_1 PARTITION OF tenants FOR VALUES IN (1) PARTITION BY RANGE (id);
CREATE TABLE tenants_2 PARTITION OF tenants FOR VALUES IN (2) PARTITION BY RANGE (id);
SELECT count(*) FROM snowid_partition('tenants_2', '1 day', ahead => 0, behind => 40, retain => '10 years');
SELECT count(*) FROM snowid_partition('tenants', '1 day', ahead => 0, behind => 40);
SELECT * FROM snowid_governed WHERE record::text ~ '^tenants' ORDER BY 1;
SELECT action, count(*) FROM snowid_partition('tenants', '1 day', behind => 0, retain => '5 days', expired => 'drop') GROUP BY action;
SELECT parent, count(*) FROM unnest('{tenants_1,tenants_2}'::regclass[]) AS parent, snowid_partitions(parent) GROUP BY parent ORDER BY 1;
SELECT count(*) FROM snowid_partition('tenants_1', '1 day', retain => '10 years');
SELECT snowid_partition_forget('tenants_1'), snowid_partition_forget('tenants_1');
DROP TABLE tenants;
-- thousands must be meant
CREATE TABLE many (id bigint) PARTITION BY RANGE (id);
SELECT refusal($$SELECT snowid_partition('many', '1 hour', ahead => 3000)$$);
SELECT count(*) < 10 AS few FROM snowid_partition('many', '1 minute', ahead => 0, behind => 3000, retain => '2 minutes', many => true);
DROP TABLE many;
-- errors
BEGIN;
CALL snowid_maintain();
ROLLBACK;
CREATE FUNCTION calls() RETURNS void LANGUAGE plpgsql AS 'BEGIN CALL snowid_maintain(); END';
SELECT calls();
DROP FUNCTION calls();
CALL snowid_maintain('unknown');
CALL snowid_maintain('shown');
CALL snowid_maintain(lock_timeout => '0');
SELECT snowid_partition_forget(1::regclass);
DROP TABLE of_one;
DROP OWNED BY snowid_one, snowid_two;
DROP ROLE snowid_one, snowid_two;
SET client_min_messages = warning;
DO $$
DECLARE type text; made text;
BEGIN
    FOR type IN SELECT * FROM pg_temp.types_of_keys() LOOP
        FOR made IN SELECT partition FROM snowid_partitions(('of_' || type)::regclass) WHERE state = 'detached' LOOP EXECUTE 'DROP TABLE ' || made; END LOOP;
        EXECUTE 'DROP TABLE of_' || type;
    END LOOP;
END $$;
DROP TABLE refers, refers_to CASCADE;
DROP SCHEMA "An attic" CASCADE;
DROP VIEW shown;
DROP FUNCTION refusal(text);
