
-- ksuid -----------------------------------------------------------------------

COMMENT ON TYPE ksuid IS 'KSUID: seconds since 2014 and a random payload';

-- generator

COMMENT ON FUNCTION ksuid_next() IS 'the next id; ids ascend while the clock does';

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
