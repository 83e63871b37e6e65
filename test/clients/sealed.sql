-- What psql says of a client that seals ids itself, by the key of this database: its tokens are the database's, it opens those of
-- the database, and it has refused each vector that is none.
SELECT 'sealed', id_seal(id, 'msg') FROM message WHERE body = 'r05';
SELECT 'opened', id FROM message WHERE body = 'r05';
