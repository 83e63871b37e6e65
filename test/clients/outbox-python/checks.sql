-- What psql says of a poller: it has delivered each row once, in the order of ids, and its place is at the last one.
SELECT 'delivered', string_agg(body, ' ' ORDER BY id) FROM outbox;
SELECT 'place', max(id) = (SELECT last FROM place) FROM outbox;
