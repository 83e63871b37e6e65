-- Changes that a later version might make. Each line by itself must show in the catalogue.
CREATE FUNCTION @extschema@.ulid_made_up(timestamptz) RETURNS @extschema@.ulid LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'snowid_ulid_lower_bound';
COMMENT ON FUNCTION @extschema@.ulid_made_up(timestamptz) IS 'made up';
ALTER FUNCTION @extschema@.ulid_lower_bound(timestamptz) COST 77;
ALTER FUNCTION @extschema@.ulid_lower_bound(timestamptz) PARALLEL RESTRICTED;
ALTER FUNCTION @extschema@.rsxid_lower_bound(timestamptz) SUPPORT _snowid.snowflake_lt_support;
REVOKE EXECUTE ON FUNCTION @extschema@.ksuid_next() FROM PUBLIC;
ALTER OPERATOR @extschema@.<(@extschema@.ulid, @extschema@.ulid) SET (RESTRICT = scalarltsel);
ALTER OPERATOR FAMILY @extschema@.ksuid_ops USING hash DROP FUNCTION 2 (@extschema@.ksuid, @extschema@.ksuid);
DO $$ BEGIN EXECUTE 'CREATE OR REPLACE VIEW @extschema@.snowid_layouts AS SELECT l.*, 1 AS made_up FROM (' || rtrim(pg_get_viewdef('@extschema@.snowid_layouts'::regclass::oid), ';') || ') AS l'; END $$;
ALTER TABLE @extschema@.snowid_granted ADD made_up integer;
CREATE TABLE @extschema@.made_up (id @extschema@.ulid PRIMARY KEY);
CREATE CAST (@extschema@.objectid AS text) WITH INOUT;
