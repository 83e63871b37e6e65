-- What the programs that poll an outbox find: the tables of doc/outbox.md, and a second poller.
SELECT snowid_generator_create('outbox', worker => 12);
CREATE TABLE outbox (id bigint PRIMARY KEY DEFAULT snowflake_next('outbox'), body text NOT NULL);
CREATE TABLE place (poller text PRIMARY KEY, last bigint NOT NULL);
INSERT INTO place VALUES ('mail', 0);
GRANT SELECT, INSERT ON outbox TO app;
GRANT SELECT, UPDATE ON place TO app;
