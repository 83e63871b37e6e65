-- References without a foreign key are found by the names that applications give them, and a whole schema takes them along.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA app;
-- as Rails, Tryton, MediaWiki and graphile-worker have them
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
