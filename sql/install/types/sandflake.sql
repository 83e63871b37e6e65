
-- sandflake -------------------------------------------------------------------

COMMENT ON TYPE sandflake IS 'sandflake: milliseconds, worker, sequence and random bits';

-- generator

COMMENT ON FUNCTION sandflake_next() IS 'the next id; ids ascend while the clock does';

-- the parts of an id

CREATE FUNCTION sandflake_worker(id sandflake) RETURNS bytea
    AS 'MODULE_PATHNAME', 'snowid_sandflake_worker' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sandflake_worker(sandflake) IS 'the 4 bytes of the worker that made it';
CREATE FUNCTION sandflake_sequence(id sandflake) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_sandflake_sequence' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sandflake_sequence(sandflake) IS 'its sequence number';
CREATE FUNCTION sandflake_random(id sandflake) RETURNS bytea
    AS 'MODULE_PATHNAME', 'snowid_sandflake_random' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sandflake_random(sandflake) IS 'its 3 random bytes';
CREATE FUNCTION sandflake_decode(id sandflake,
    OUT "time" timestamptz, OUT worker bytea, OUT sequence integer, OUT random bytea)
    AS 'MODULE_PATHNAME', 'snowid_sandflake_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sandflake_decode(sandflake) IS 'all parts of an id';
CREATE FUNCTION sandflake_encode("time" timestamptz, worker bytea, sequence integer, random bytea) RETURNS sandflake
    AS 'MODULE_PATHNAME', 'snowid_sandflake_encode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sandflake_encode(timestamptz, bytea, integer, bytea) IS 'the id that has these parts';
