
-- ulid ------------------------------------------------------------------------

COMMENT ON TYPE ulid IS 'ULID: milliseconds and random bits';

-- casts

CREATE CAST (ulid AS uuid) WITHOUT FUNCTION AS ASSIGNMENT;
COMMENT ON CAST (ulid AS uuid) IS 'the same 16 bytes';
CREATE CAST (uuid AS ulid) WITHOUT FUNCTION AS ASSIGNMENT;
COMMENT ON CAST (uuid AS ulid) IS 'the same 16 bytes';

-- generator

COMMENT ON FUNCTION ulid_next() IS 'the next id; ids ascend while the clock does';
CREATE FUNCTION ulid_spread() RETURNS ulid
    AS 'MODULE_PATHNAME', 'snowid_ulid_spread' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION ulid_spread() IS 'an id of the last 64 ms; those of busy sessions stand apart';

-- the parts of an id

CREATE FUNCTION ulid_entropy(id ulid) RETURNS bytea
    AS 'MODULE_PATHNAME', 'snowid_ulid_entropy' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ulid_entropy(ulid) IS 'the 10 bytes behind the time';
CREATE FUNCTION ulid_decode(id ulid,
    OUT "time" timestamptz, OUT entropy bytea)
    AS 'MODULE_PATHNAME', 'snowid_ulid_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ulid_decode(ulid) IS 'all parts of an id';
CREATE FUNCTION ulid_encode("time" timestamptz, entropy bytea) RETURNS ulid
    AS 'MODULE_PATHNAME', 'snowid_ulid_encode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ulid_encode(timestamptz, bytea) IS 'the id that has these parts';
