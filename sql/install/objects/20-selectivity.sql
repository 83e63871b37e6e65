
-- estimates -------------------------------------------------------------------

-- Restriction selectivity of <, <=, > and >= of ids.
CREATE FUNCTION _snowid.range_selectivity(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME', 'snowid_range_selectivity' LANGUAGE C STABLE STRICT PARALLEL SAFE;
