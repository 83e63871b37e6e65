-- Changes that a later version might make. Each line by itself must show in the catalogue.
ALTER TABLE _snowid_convert.progress ADD made_up integer;
CREATE FUNCTION _snowid_convert.made_up() RETURNS integer LANGUAGE sql IMMUTABLE RETURN 1;
CREATE OR REPLACE VIEW @extschema@.snowid_conversions AS SELECT c.*, _snowid_convert.made_up() FROM _snowid_convert.under_way() AS c;
ALTER FUNCTION _snowid_convert.can_commit() COST 77;
REVOKE EXECUTE ON PROCEDURE @extschema@.snowid_convert_finish(regclass, name) FROM PUBLIC;
CREATE TYPE _snowid_convert.of_made_up AS (made_up integer);
