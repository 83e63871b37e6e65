-- Who may use a named generator.
SELECT current_setting('shared_preload_libraries') <> 'snowid' AS not_preloaded \gset
\if :not_preloaded
\quit
\endif
SET timezone = 'UTC';
CREATE ROLE snowid_owner;
CREATE ROLE snowid_team;
CREATE ROLE snowid_member IN ROLE snowid_team;
CREATE ROLE snowid_stranger;
GRANT INSERT, UPDATE, DELETE ON _snowid.generator TO snowid_owner;
GRANT CREATE ON SCHEMA public TO snowid_owner;

CREATE VIEW grants AS SELECT *, CASE WHEN restricted THEN array(SELECT role FROM _snowid.granted WHERE generator = name ORDER BY role COLLATE "C") END AS granted_to FROM _snowid.generator;
GRANT SELECT ON grants TO PUBLIC;

-- everybody may use one, but a backfill generator is its creator's
SET ROLE snowid_owner;
SELECT snowid_generator_create('open', worker => 501), snowid_generator_create('history', worker => 502, backfill => true),
    snowid_generator_create('events', scheme => 'sno', partition => 501), snowid_generator_create('sno history', scheme => 'sno', partition => 502, backfill => true);
SELECT name, granted_to FROM grants WHERE name IS NOT NULL ORDER BY name COLLATE "C";
SELECT snowflake_time(snowflake_at('2024-05-01', 'history')), sno_time(sno_at('2024-05-01', 'sno history'));
SET ROLE snowid_stranger;
SELECT snowflake_worker(snowflake_next('open')), sno_partition(sno_next(0, 'events'));
SELECT snowflake_at('2024-05-02', 'history');
SELECT sno_at('2024-05-02', 'sno history');
RESET ROLE;
SELECT snowflake_time(snowflake_at('2024-05-02', 'history')) AS of_a_superuser;

-- grants, to a role and to its members
SET ROLE snowid_owner;
SELECT snowid_generator_grant('history', 'snowid_team'), snowid_generator_grant('history', 'snowid_team');
SELECT granted_to FROM grants WHERE name = 'history';
SET ROLE snowid_member;
SELECT snowflake_time(snowflake_at('2024-05-03', 'history'));
SELECT sno_at('2024-05-03', 'sno history');
SET ROLE snowid_stranger;
SELECT snowflake_at('2024-05-03', 'history');
SET ROLE snowid_owner;
SELECT snowid_generator_revoke('history', 'snowid_team');
SET ROLE snowid_member;
SELECT snowflake_at('2024-05-04', 'history');
RESET ROLE;
SELECT snowid_generator_grant('history', 'snowid_team');
REVOKE snowid_team FROM snowid_member;
SET ROLE snowid_member;
SELECT snowflake_at('2024-05-04', 'history');
RESET ROLE;
GRANT snowid_team TO snowid_member;
SET ROLE snowid_member;
SELECT snowflake_time(snowflake_at('2024-05-04', 'history'));

-- public, and what changes nothing
SET ROLE snowid_owner;
SELECT snowid_generator_grant('open', 'snowid_team');
SELECT snowid_generator_revoke('open', 'snowid_team');
SELECT snowid_generator_revoke('open', 'public'), snowid_generator_revoke('events', 'public');
SELECT snowid_generator_revoke('open', 'snowid_stranger');
SELECT name, granted_to FROM grants WHERE name IN ('open', 'events') ORDER BY name COLLATE "C";
SELECT snowflake_worker(snowflake_next('open')), sno_partition(sno_next(0, 'events'));
SELECT count(DISTINCT id), bool_and(id > before) AS ascending FROM (SELECT id, lag(id, 1, 0::bigint) OVER () AS before FROM (SELECT snowflake_spread('open') AS id FROM generate_series(1, 20000)) AS made) AS pairs;
SELECT count(DISTINCT id), bool_and(id > before) AS ascending FROM (SELECT id, lag(id, 1, 0::bigint) OVER () AS before FROM (SELECT snowflake_next('open') AS id FROM generate_series(1, 20000)) AS made) AS ids;
SELECT count(DISTINCT id) FROM snowflake_next_batch(20000, 'open') AS id;
SELECT count(DISTINCT id) FROM (SELECT sno_next(0, 'events') AS id FROM generate_series(1, 20000)) AS made;
-- each way to make ids, in a session that has used it as another role
SET ROLE snowid_stranger;
SELECT snowflake_next('open');
SELECT snowflake_spread('open');
SELECT snowflake_next_batch(2, 'open');
SELECT sno_next(0, 'events');
SELECT sno_next_batch(2, 0, 'events');
SELECT snowid_generator_grant('open', 'snowid_stranger');
SELECT snowid_generator_revoke('open', 'snowid_owner');
-- a function makes them with the rights of whom it belongs to
SET ROLE snowid_owner;
CREATE FUNCTION snowid_of_owner() RETURNS int LANGUAGE sql SECURITY DEFINER RETURN snowflake_worker(snowflake_next('open'));
CREATE FUNCTION snowid_of_caller() RETURNS int LANGUAGE sql RETURN snowflake_worker(snowflake_next('open'));
SET ROLE snowid_stranger;
SELECT snowid_of_owner();
SELECT snowid_of_caller();
SELECT snowid_of_owner();
SET ROLE snowid_owner;
SELECT snowid_of_caller();
SELECT snowid_generator_grant('open', 'public');
SET ROLE snowid_stranger;
SELECT snowid_of_caller();

-- what is refused
RESET ROLE;
SELECT snowid_generator_grant('open', 'snowid_no_role');
SELECT snowid_generator_grant('history', 'snowid_no_role');
SELECT snowid_generator_revoke('history', 'snowid_no_role');
SELECT snowid_generator_grant('no generator', 'public');
SELECT snowid_generator_grant(NULL, 'public');
SELECT snowid_generator_grant('history', NULL);
BEGIN READ ONLY;
SELECT snowid_generator_grant('history', 'public');
ROLLBACK;
-- a role that is no more
CREATE ROLE snowid_passing;
SELECT snowid_generator_grant('history', 'snowid_passing');
DROP ROLE snowid_passing;
SET ROLE snowid_stranger;
SELECT snowflake_at('2024-05-05', 'history');
RESET ROLE;
SELECT snowid_generator_revoke('history', 'snowid_passing');
SELECT granted_to FROM grants WHERE name = 'history';

-- a transaction, a snapshot, and a claim that was given up
BEGIN;
SELECT snowid_generator_grant('history', 'public');
ROLLBACK;
SET ROLE snowid_stranger;
SELECT snowflake_at('2024-05-05', 'history');
RESET ROLE;
SELECT snowid_generator_snapshot('history') AS history \gset
SET ROLE snowid_owner;
SELECT snowid_generator_drop('history');
SELECT name, granted_to FROM grants WHERE worker = 502;
SET client_min_messages = warning;  -- the snapshot may be old on a slow machine
SELECT snowid_generator_restore(:'history', 'restored');
RESET client_min_messages;
SELECT granted_to FROM grants WHERE name = 'restored';
-- a row of an older dump, and one that somebody has made
RESET ROLE;
COPY _snowid.generator (id, name, scheme, layout, worker, partition, sequence_min, sequence_max, overlap, backfill) FROM stdin;
5001	old	snowflake	\N	503	\N	\N	\N	f	f
\.
INSERT INTO _snowid.generator VALUES (5002, 'strange', 'snowflake', NULL, 504, NULL, NULL, NULL, false, false, true);
INSERT INTO _snowid.granted VALUES ('strange', 'snowid_nowhere');
INSERT INTO _snowid.horizon SELECT g, 1700000000000000000, 0, 0, 0, 0 FROM unnest('{5001,5002}'::bigint[]) AS g;
SET ROLE snowid_stranger;
SELECT snowflake_worker(snowflake_next('old'));
SELECT snowflake_next('strange');
RESET ROLE;
SELECT snowflake_worker(snowflake_next('strange'));
SELECT snowid_generator_grant('strange', 'snowid_stranger');
SELECT granted_to FROM grants WHERE name = 'strange';
-- the same generator with other grants is known
INSERT INTO _snowid.generator VALUES (5002, 'strange', 'snowflake', NULL, 504, NULL, NULL, NULL, false, false, false);
SELECT count(*) FROM _snowid.generator WHERE id = 5002;
-- and so is a grant
INSERT INTO _snowid.granted VALUES ('strange', 'snowid_nowhere'), ('strange', 'snowid_other');
INSERT INTO _snowid.granted VALUES ('strange', NULL);
SELECT granted_to FROM grants WHERE name = 'strange';
-- a session notices one that is restored
SET ROLE snowid_member;
SELECT snowflake_next('strange');
RESET ROLE;
INSERT INTO _snowid.granted VALUES ('strange', 'snowid_team');
SET ROLE snowid_member;
SELECT snowflake_worker(snowflake_next('strange'));
RESET ROLE;
-- grants follow the generator's name, and leave with it
SELECT snowid_generator_alter('strange', new_name => 'renamed');
SELECT * FROM _snowid.granted ORDER BY generator COLLATE "C", role COLLATE "C";
SET ROLE snowid_member;
SELECT snowflake_worker(snowflake_next('renamed'));
RESET ROLE;
SELECT snowid_generator_drop('renamed');
SELECT * FROM _snowid.granted WHERE generator = 'renamed';
-- what was restored for a name counts for a generator that a restore brings, not for one that is made here
INSERT INTO _snowid.granted VALUES ('later', 'snowid_team');
SELECT snowid_generator_create('later', worker => 505, backfill => true);
SELECT granted_to FROM grants WHERE name = 'later';
-- who may change generators need not be able to write either table
SET ROLE snowid_owner;
INSERT INTO _snowid.granted VALUES ('later', 'snowid_owner');
SELECT snowid_generator_grant('later', 'snowid_team');
RESET ROLE;

DROP FUNCTION snowid_of_owner, snowid_of_caller;
DROP VIEW grants;
SELECT snowid_generator_drop(name) FROM _snowid.generator WHERE name IS NOT NULL;
REVOKE ALL ON _snowid.generator FROM snowid_owner;
REVOKE ALL ON SCHEMA public FROM snowid_owner;
DROP ROLE snowid_owner, snowid_team, snowid_member, snowid_stranger;
