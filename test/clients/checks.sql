-- What psql says a client must have said: the client prints the same lines from what it did and read itself.
-- The variable: bound, the function that makes the first id of a time.

-- One row was inserted with the column's default, within this run.
SELECT 'inserted', coalesce((SELECT id::text FROM message
    WHERE body = 'from the client' AND id >= :bound(now() - interval '10 minutes')), 'no such row');
-- The id of a row that was there.
SELECT 'read', id FROM message WHERE body = 'r05';
-- The row that has this id.
SELECT 'found', body FROM message WHERE id = (SELECT id FROM message WHERE body = 'r05');
-- The rows from 03:00:00.25 to 06:00:00.25 UTC, by two native dates: with bounds, and with a cast to timestamptz.
SELECT filter, string_agg(body, ' ' ORDER BY id) FROM message, (VALUES ('lower_bound'), ('timestamptz')) AS f (filter)
    WHERE id >= :bound('2025-06-15 03:00:00.25Z') AND id < :bound('2025-06-15 06:00:00.25Z') GROUP BY filter ORDER BY filter;
-- All ids, newest first, five a page: each page begins below the last id of the one before.
SELECT 'page', string_agg(id::text, ' ' ORDER BY id DESC)
    FROM (SELECT id, (row_number() OVER (ORDER BY id DESC) - 1) / 5 AS page FROM message) AS paged GROUP BY page ORDER BY page;
