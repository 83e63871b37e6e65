
-- uuidv7 ----------------------------------------------------------------------
-- Functions for the built-in type uuid. PostgreSQL 18 has its own uuidv7() in pg_catalog, which hides the one here.

-- generator

CREATE FUNCTION uuidv7() RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_uuidv7' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
CREATE FUNCTION uuidv7(shift interval) RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_shifted' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuidv7() IS 'the next UUIDv7; ids ascend while the clock does';
COMMENT ON FUNCTION @extschema@.uuidv7(interval) IS 'a new UUIDv7 whose time is shifted';
CREATE FUNCTION uuidv7_next() RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_next' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
CREATE FUNCTION uuidv7_next(shift interval) RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_next_shifted' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_next() IS 'the next UUIDv7; ids ascend while the clock does';
COMMENT ON FUNCTION uuidv7_next(interval) IS
    'a new UUIDv7 whose time is shifted; ascending for one shift of fixed length';
CREATE FUNCTION uuidv7_spread() RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_spread' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION uuidv7_spread() IS 'an id of the last 64 ms; those of busy sessions stand apart';
CREATE FUNCTION uuidv7_next_batch(n bigint) RETURNS SETOF uuid
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_next_batch' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_next_batch(bigint) IS 'the next n UUIDv7, in ascending order';
CREATE FUNCTION uuidv7_at("time" timestamptz) RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_at' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_at(timestamptz) IS 'a new UUIDv7 of the given time';

-- the parts of an id: NULL for versions other than 7

CREATE FUNCTION uuidv7_time(id uuid) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_time' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
    SUPPORT _snowid.implied_time_support;
COMMENT ON FUNCTION uuidv7_time(uuid) IS 'the time in a UUIDv7';
CREATE CAST (uuid AS timestamptz) WITH FUNCTION uuidv7_time(uuid);
COMMENT ON CAST (uuid AS timestamptz) IS 'the time in a UUIDv7';
CREATE FUNCTION uuidv7_rand_a(id uuid) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_rand_a' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_rand_a(uuid) IS 'the 12 bits behind the time';
CREATE FUNCTION uuidv7_rand_b(id uuid) RETURNS bigint
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_rand_b' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_rand_b(uuid) IS 'the last 62 bits';
CREATE FUNCTION uuidv7_version(id uuid) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_version' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_version(uuid) IS 'the version of a UUID of RFC 9562';
CREATE FUNCTION uuidv7_decode(id uuid,
    OUT "time" timestamptz, OUT rand_a integer, OUT rand_b bigint, OUT version integer)
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_decode(uuid) IS 'all parts of a UUIDv7';
CREATE FUNCTION uuidv7_encode("time" timestamptz, rand_a integer, rand_b bigint) RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_encode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_encode(timestamptz, integer, bigint) IS 'the UUIDv7 that has these parts';
CREATE FUNCTION uuidv7_lower_bound("time" timestamptz) RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_lower_bound' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_lower_bound(timestamptz) IS 'the smallest UUIDv7 whose time is not before the given one';
