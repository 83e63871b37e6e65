-- A server with something of everything that monitoring/ shows. It is the directory of its fleet, too.
SET client_min_messages = error;
CREATE EXTENSION snowid_directory;
CREATE EXTENSION snowid;
SELECT snowid_directory.add(layout, 1, 8, now() - interval '1 min') FROM _snowid.layout;
CREATE ROLE watcher LOGIN;
GRANT pg_monitor TO watcher;
CREATE FUNCTION has_number() RETURNS boolean LANGUAGE sql RETURN (SELECT state = 'held' FROM snowid_worker);
DO $$ BEGIN FOR i IN 1..600 LOOP EXIT WHEN has_number(); PERFORM pg_sleep(0.05); END LOOP; END $$;
SELECT snowid_generator_create('orders', worker => 20);
CREATE TABLE events (id bigint DEFAULT snowflake_next()) PARTITION BY RANGE (id);
SELECT FROM snowid_partition('events', '1 day', ahead => 0);
SELECT snowflake_next(), snowflake_next('orders'), sno_next();
