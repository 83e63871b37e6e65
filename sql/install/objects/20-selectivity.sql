
-- estimates -------------------------------------------------------------------

CREATE FUNCTION _snowid.range_selectivity(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME', 'snowid_range_selectivity' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _snowid.range_selectivity(internal, oid, internal, integer) IS
    'restriction selectivity of <, <=, > and >= of ids';
