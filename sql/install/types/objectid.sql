
-- objectid --------------------------------------------------------------------

COMMENT ON TYPE objectid IS 'ObjectId of MongoDB: seconds, a random value of the process, and a counter';

-- generator

COMMENT ON FUNCTION objectid_next() IS 'the next id; ids of one session ascend while the clock does';

-- the parts of an id

CREATE FUNCTION objectid_random(id objectid) RETURNS bytea
    AS 'MODULE_PATHNAME', 'snowid_objectid_random' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_random(objectid) IS 'the 5 random bytes of the process that made it';
CREATE FUNCTION objectid_counter(id objectid) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_objectid_counter' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_counter(objectid) IS 'its counter';
CREATE FUNCTION objectid_decode(id objectid,
    OUT "time" timestamptz, OUT random bytea, OUT counter integer)
    AS 'MODULE_PATHNAME', 'snowid_objectid_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_decode(objectid) IS 'all parts of an id';
CREATE FUNCTION objectid_encode("time" timestamptz, random bytea, counter integer) RETURNS objectid
    AS 'MODULE_PATHNAME', 'snowid_objectid_encode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_encode(timestamptz, bytea, integer) IS 'the id that has these parts';
