
-- time filters: what all types share -------------------------------------------

-- Planner support: rewrites the filter into comparisons of the id.
CREATE FUNCTION _snowid.time_lt_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_time_lt_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _snowid.time_le_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_time_le_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _snowid.time_ge_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_time_ge_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _snowid.time_gt_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_time_gt_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _snowid.time_in_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_time_in_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
-- Restriction selectivity of time filters.
CREATE FUNCTION _snowid.time_selectivity(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME', 'snowid_time_selectivity' LANGUAGE C STABLE STRICT PARALLEL SAFE;

-- Planner support: rejects an operator that does not compare times.
CREATE FUNCTION _snowid.bound_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_bound_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
-- Planner support: estimates that nearly all rows pass.
CREATE FUNCTION _snowid.certain_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_certain_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION uuidv7_valid(id uuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_valid'
    LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT _snowid.certain_support;
COMMENT ON FUNCTION uuidv7_valid(uuid) IS 'whether a UUID is of version 7 and so has a time';
