
-- ksuid -----------------------------------------------------------------------

COMMENT ON TYPE ksuid IS 'KSUID: seconds since 2014 and a random payload';

-- generator

CREATE FUNCTION ksuid_next() RETURNS ksuid
    AS 'MODULE_PATHNAME', 'snowid_ksuid_next' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ksuid_next() IS 'the next id; ids ascend while the clock does';
CREATE FUNCTION ksuid_next_batch(n bigint) RETURNS SETOF ksuid
    AS 'MODULE_PATHNAME', 'snowid_ksuid_next_batch' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ksuid_next_batch(bigint) IS 'the next n ids, in ascending order';
CREATE FUNCTION ksuid_at("time" timestamptz) RETURNS ksuid
    AS 'MODULE_PATHNAME', 'snowid_ksuid_at' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ksuid_at(timestamptz) IS 'a new id of the given time';

-- the parts of an id

CREATE FUNCTION ksuid_payload(id ksuid) RETURNS bytea
    AS 'MODULE_PATHNAME', 'snowid_ksuid_payload' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ksuid_payload(ksuid) IS 'the 16 bytes behind the time';
CREATE FUNCTION ksuid_decode(id ksuid,
    OUT "time" timestamptz, OUT payload bytea)
    AS 'MODULE_PATHNAME', 'snowid_ksuid_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ksuid_decode(ksuid) IS 'all parts of an id';
CREATE FUNCTION ksuid_encode("time" timestamptz, payload bytea) RETURNS ksuid
    AS 'MODULE_PATHNAME', 'snowid_ksuid_encode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ksuid_encode(timestamptz, bytea) IS 'the id that has these parts';
