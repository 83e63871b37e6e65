-- References without a foreign key are found by the names that applications give them, and a whole schema takes them along.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA app;
-- as Rails, Tryton, MediaWiki and graphile-worker have them, and Request Tracker and Bacula, whose names are not split into words
CREATE TABLE app.users (id serial PRIMARY KEY, login text, parent_id int);
CREATE TABLE app.wiki_pages (id serial PRIMARY KEY, wiki_id int, parent_id int, created_by int, author_id int, position int, page_views int);
CREATE TABLE app.wikis (id serial PRIMARY KEY, project_id int, start_page text);
CREATE TABLE app._private_tasks (id serial PRIMARY KEY, queue_id int, attempts int, write_uid int);
CREATE TABLE app._private_known_tasks (task_id int, tasks int);
CREATE TABLE app.issue_statuses (id serial PRIMARY KEY);
CREATE TABLE app.issue_categories (id serial PRIMARY KEY, assigned_to_id int, sequence int);
CREATE TABLE app.issues (id serial PRIMARY KEY, status_id int, category_id int, page_id int, reporter_id int, closed_by int, closed_on int, sequence int);
CREATE TABLE app.issue_relations (id serial PRIMARY KEY, issue_from_id int, issue_to_id int, delay int, sequence int REFERENCES app.issues);
CREATE TABLE app.revision (rev_id serial PRIMARY KEY, rev_page int, rev_len int, rev_parent_id int);
CREATE TABLE app.page (page_id serial PRIMARY KEY, page_latest int, page_len int);
CREATE TABLE app.change_tag (ct_id serial PRIMARY KEY, ct_rev_id int, ct_pages int);
SELECT t.name, string_agg(f.rel::text || '.' || f.name, ', ' ORDER BY f.rel::text, f.name) FROM pg_class AS c JOIN pg_constraint AS k ON conrelid = c.oid AND contype = 'p',
        LATERAL (SELECT c.oid::regclass::text AS name) AS t, snowid_convert_candidates(c.oid::regclass) AS f
    WHERE relnamespace = 'app'::regnamespace GROUP BY t.name ORDER BY t.name COLLATE "C";

-- a table whose columns are taken along does not stay
CREATE TABLE app.issue_pages (issue_id int, page_id int, PRIMARY KEY (issue_id, page_id));
SELECT count(*) FROM snowid_convert_plan(schema => 'app', strict => false) WHERE note ~ 'Stays as it is: app.issue_pages has';
SELECT count(*) FROM snowid_convert_plan(schema => 'app', also => '{*.issue_id, *.page_id}', strict => false) WHERE note ~ 'Stays as it is: app.issue_pages has';
DROP TABLE app.issue_pages;
-- a schema with such columns is not moved before somebody has looked at them
SELECT note FROM snowid_convert_plan(schema => 'app', online => true);
CALL snowid_convert(schema => 'app', rewrite => true);
SELECT count(*) FILTER (WHERE note ~ '^In the way'), count(*) FILTER (WHERE note ~ '^Stays'), count(statement) > 0 FROM snowid_convert_plan(schema => 'app', strict => false);
CALL snowid_convert(schema => 'app', also => '{*.none}');
CALL snowid_convert(schema => 'app', also => '{wikis.start_page}');
\set also '{*.status_id, *.category_id, *.page_id, *.reporter_id, *.closed_by, *.issue_from_id, *.issue_to_id, *.rev_page, *.rev_parent_id, *.ct_rev_id, *.task_id, *.write_uid, *.assigned_to_id, *.parent_id, *.wiki_id, *.created_by, *.author_id}'
SELECT note FROM snowid_convert_plan(schema => 'app', also => :'also') WHERE note ~ 'In the way';
\set also '{*.page_latest, *.project_id, *.queue_id, *.status_id, *.category_id, *.page_id, *.reporter_id, *.closed_by, *.issue_from_id, *.issue_to_id, *.rev_page, *.rev_parent_id, *.ct_rev_id, *.task_id, *.write_uid, *.assigned_to_id, *.parent_id, *.wiki_id, *.created_by, *.author_id}'
CREATE VIEW small AS SELECT attrelid::regclass || '.' || attname AS col FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid
    WHERE relnamespace = 'app'::regnamespace AND relkind = 'r' AND atttypid = 'int'::regtype AND attnum > 0 ORDER BY 1;
BEGIN;
CALL snowid_convert(schema => 'app', also => :'also', rewrite => true);
SELECT * FROM small;
CALL snowid_convert(schema => 'app', target => 'bigserial');
ROLLBACK;
-- online a column goes with the key that it is named after, or with all
SELECT substring(statement FROM '{([^}]*)}') AS swapped FROM snowid_convert_plan(schema => 'app', online => true, also => '{*.status_id, *.wiki_id}', strict => false) WHERE note ~ '^the swap' ORDER BY step;
SELECT substring(statement FROM '{([^}]*)}') AS swapped FROM snowid_convert_plan(schema => 'app', online => true, also => :'also') WHERE note ~ '^the swap' ORDER BY step;
\set ECHO none
\o /dev/null
SELECT statement FROM snowid_convert_plan(schema => 'app', online => true, also => :'also') WHERE statement IS NOT NULL AND note !~ '^(the|after the) swap' ORDER BY step \gexec
\o
\set ECHO all
-- what was begun is not forgotten
SELECT count(*) FROM snowid_convert_plan(schema => 'app', online => true) WHERE note ~ '^In the way';
\set ECHO none
\o /dev/null
SELECT statement FROM snowid_convert_plan(schema => 'app', online => true) WHERE statement IS NOT NULL ORDER BY step \gexec
\o
\set ECHO all
SELECT * FROM small;
SELECT count(statement) FROM snowid_convert_plan(schema => 'app', online => true, also => :'also');
INSERT INTO app.users (login) VALUES ('Ada');
INSERT INTO app.issues (reporter_id) SELECT id FROM app.users;
SELECT count(*) FROM app.issues JOIN app.users AS u ON u.id = reporter_id;
DROP VIEW small;
DROP SCHEMA app CASCADE;

-- Names in one word, keys with names of their own, tables alone, and pairs that tell the table. And names that are none of these: an order beside
-- a table sequence, a version where others say version_id, a key whose default is a constant.
CREATE SCHEMA app;
CREATE TABLE app.principals (id serial PRIMARY KEY, lastupdatedby int, disabled int);
CREATE TABLE app.queues (id serial PRIMARY KEY, creator int, sortorder int, immediateparentid int);
CREATE TABLE app.groupmembers (id serial PRIMARY KEY, principalid int, memberid int, rank int);
CREATE TABLE app.tickets (id serial PRIMARY KEY, queue int, priority int, basedon int, objectid int, objecttype text, newreference int, inherited_from int, sequence int, left_id int, right_id int);
CREATE TABLE app.ir_sequence (id serial PRIMARY KEY, number_next int);
CREATE TABLE app.versions (id serial PRIMARY KEY, fixed_version_id int);
CREATE TABLE app.contents (id int, version int, size int, page_latest int);
CREATE TABLE app.job (jobid serial PRIMARY KEY, priorjobid int, basejobid2 int, jobid_old int, volsessionid int, jobfiles int);
CREATE TABLE app.changes (ch_jobid int PRIMARY KEY DEFAULT 0, ch_len int);
CREATE TABLE app.link_a (a_from int, a_title text, a_space int, PRIMARY KEY (a_from, a_title));
CREATE TABLE app.link_b (b_from int, b_title text, b_space int, PRIMARY KEY (b_from, b_title));
CREATE TABLE app.link_c (c_from int PRIMARY KEY, c_space int);
CREATE TABLE app.link_d (d_from int, d_space int);
SELECT note FROM snowid_convert_plan(schema => 'app') WHERE note ~ '^(In the way|also)|^Stays as it is: [a-z_0-9]+ of ' ORDER BY note COLLATE "C";
-- so is a version after the others have been named
SELECT note FROM snowid_convert_plan(schema => 'app', also => '{*.fixed_version_id}') WHERE note ~ '^[ISa].*version of';
-- such a key of a pair goes with what it refers to
SELECT substring(statement FROM '{([^}]*)}') AS swapped FROM snowid_convert_plan(schema => 'app', online => true, strict => false, also => '{*.priorjobid, *.ch_jobid}') WHERE note ~ '^the swap' ORDER BY step;
-- and a column with any name goes with the key that is told
SELECT substring(statement FROM '{([^}]*)}') AS swapped FROM snowid_convert_plan(schema => 'app', online => true, strict => false, also => '{*.priorjobid -> ir_sequence, changes.ch_len -> app.versions}') WHERE note ~ '^the swap' ORDER BY step;
CALL snowid_convert(schema => 'app', also => '{*.ch_len -> none}');
DROP SCHEMA app CASCADE;
