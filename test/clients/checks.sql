-- What psql says a client must have said: the client prints the same lines from what it did and read itself.
-- The variable: time, the function that reads the time of an id.

-- One row was inserted with the column's default, within this run.
SELECT 'inserted', coalesce((SELECT id::text FROM message
    WHERE body = 'hello' AND :time(id) >= now() - interval '10 minutes'), 'no such row');
-- The row was found by its id.
SELECT 'found', 'hello';
-- The rows from a native date on.
SELECT 'since', string_agg(body, ' ' ORDER BY id) FROM message WHERE :time(id) >= '2025-06-15 03:00:00.25Z';
-- The page before the new row, newest first.
SELECT 'older', string_agg(id::text, ' ' ORDER BY id DESC) FROM (SELECT id FROM message WHERE body <> 'hello' ORDER BY id DESC LIMIT 5) AS page;
