-- Changes that a later version might make. Each line by itself must show in the catalogue.
CREATE FUNCTION ulid_made_up(timestamptz) RETURNS ulid LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'snowid_ulid_lower_bound';
COMMENT ON FUNCTION ulid_made_up(timestamptz) IS 'made up';
ALTER FUNCTION ulid_lower_bound(timestamptz) COST 77;
ALTER FUNCTION ulid_lower_bound(timestamptz) PARALLEL RESTRICTED;
ALTER FUNCTION ulid_time(ulid) SUPPORT _snowid.snowflake_lt_support;
REVOKE EXECUTE ON FUNCTION ksuid_next() FROM PUBLIC;
ALTER OPERATOR <(ulid, ulid) SET (RESTRICT = scalarltsel);
ALTER OPERATOR FAMILY ksuid_ops USING hash DROP FUNCTION 2 (ksuid, ksuid);
COMMENT ON COLUMN snowid_stat.issued IS 'made up';
CREATE TABLE made_up (id ulid PRIMARY KEY);
CREATE CAST (objectid AS text) WITH INOUT;
