
-- rsxid -----------------------------------------------------------------------

COMMENT ON TYPE rsxid IS 'id of rs/xid: seconds, machine, process and a counter';

-- generator

COMMENT ON FUNCTION rsxid_next() IS 'the next id; ids of one session ascend while the clock does';

-- the parts of an id

CREATE FUNCTION rsxid_machine(id rsxid) RETURNS bytea
    AS 'MODULE_PATHNAME', 'snowid_rsxid_machine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION rsxid_machine(rsxid) IS 'the 3 bytes of the machine that made it';
CREATE FUNCTION rsxid_pid(id rsxid) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_rsxid_pid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION rsxid_pid(rsxid) IS 'the number of the process that made it';
CREATE FUNCTION rsxid_counter(id rsxid) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_rsxid_counter' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION rsxid_counter(rsxid) IS 'its counter';
CREATE FUNCTION rsxid_decode(id rsxid,
    OUT "time" timestamptz, OUT machine bytea, OUT pid integer, OUT counter integer)
    AS 'MODULE_PATHNAME', 'snowid_rsxid_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION rsxid_decode(rsxid) IS 'all parts of an id';
CREATE FUNCTION rsxid_encode("time" timestamptz, machine bytea, pid integer, counter integer) RETURNS rsxid
    AS 'MODULE_PATHNAME', 'snowid_rsxid_encode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION rsxid_encode(timestamptz, bytea, integer, integer) IS 'the id that has these parts';
