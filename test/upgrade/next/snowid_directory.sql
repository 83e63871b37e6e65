-- Changes that a later version might make. Each line by itself must show in the catalogue.
ALTER TABLE snowid_directory.worker ADD made_up integer;
COMMENT ON COLUMN snowid_directory.worker.made_up IS 'made up';
CREATE FUNCTION snowid_directory.made_up() RETURNS integer LANGUAGE sql IMMUTABLE RETURN 1;
CREATE OR REPLACE VIEW snowid_directory.made_up AS SELECT worker, snowid_directory.made_up() FROM snowid_directory.worker;
GRANT SELECT ON snowid_directory.made_up TO PUBLIC;
