\set QUIET on
\pset footer off
\pset border 1
SET timezone = 'UTC';
\echo
\echo '-- Create the extension, and a table whose key makes itself. A plain bigint does.'
\set ECHO queries
CREATE EXTENSION snowid;
CREATE TABLE orders (
    id bigint PRIMARY KEY DEFAULT snowflake_next(),
    item text
);
INSERT INTO orders (item) VALUES ('tea'), ('coffee'), ('cake') RETURNING id, item;
\set ECHO none

\echo
\echo '-- An id tells when and where it was made. This server is worker 7.'
\set ECHO queries
SELECT id, d.* FROM orders, snowflake_decode(id) AS d;
\set ECHO none

\echo
\echo '-- Ids are in the order of time, so the primary key answers questions about time.'
\set ECHO queries
INSERT INTO orders (item)
    SELECT 'item ' || n FROM generate_series(1, 100000) AS n;
EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off)
    SELECT * FROM orders WHERE id >= snowflake_lower_bound(now() - interval '1 second') ORDER BY id DESC LIMIT 3;
\set ECHO none

\echo
\echo '-- What the generator has done so far.'
\set ECHO queries
SELECT generator, worker, issued, waits, refusals, horizon > now() AS reserved, ends_at::date FROM snowid_stat WHERE issued > 0;
\set ECHO none

\echo
\echo '-- What the bits mean is a layout. These have names; an id from elsewhere is read with one.'
\set ECHO queries
SELECT name, workers, ids_per_second, ends_at::date FROM snowid_layouts;
SELECT snowflake_time(1593572310593806338, 'twitter'), snowflake_time(175928847299117063, 'discord');
\set ECHO none

\echo
\echo '-- The settings.'
\set ECHO queries
SELECT name, setting, unit, context FROM pg_settings WHERE name LIKE 'snowid.%';
\set ECHO none
\echo
