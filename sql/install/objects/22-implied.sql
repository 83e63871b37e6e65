
-- what a filter implies ----------------------------------------------------------
-- A filter on what is computed from an id finds the id: see src/planner/implied. The planner knows such functions by
-- these support functions. With a last argument of type internal, nobody can call the inverse functions.

-- Planner support: a filter on the time of an id finds the id.
CREATE FUNCTION _snowid.implied_time_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_implied_time_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
-- Planner support: a filter on the sealed id finds the id.
CREATE FUNCTION _snowid.implied_seal_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_implied_seal_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
-- Planner support: a filter on the TypeID finds the id.
CREATE FUNCTION _snowid.implied_typeid_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_implied_typeid_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
-- Planner support: a filter on the number in another base finds the id.
CREATE FUNCTION _snowid.implied_number_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_implied_number_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
-- Planner support: a filter on the text of an id finds the id.
CREATE FUNCTION _snowid.implied_text_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_implied_text_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

-- Filters: the same of several, without NULLs.
-- Filters: the bigint of a sealed id, or NULL.
CREATE FUNCTION _snowid.id_unseal_or_null(sealed text, prefix text, internal) RETURNS bigint
    AS 'MODULE_PATHNAME', 'snowid_id_unseal_or_null' LANGUAGE C STABLE PARALLEL SAFE COST 0.1;
CREATE FUNCTION _snowid.id_unseal_or_null(sealed text[], prefix text, internal) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'snowid_id_unseal_or_null' LANGUAGE C STABLE PARALLEL SAFE COST 0.1;
-- Filters: the uuid of a TypeID, or NULL.
CREATE FUNCTION _snowid.typeid_uuid_or_null(typeid text, prefix text, internal) RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_typeid_uuid_or_null' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 0.1;
CREATE FUNCTION _snowid.typeid_uuid_or_null(typeid text[], prefix text, internal) RETURNS uuid[]
    AS 'MODULE_PATHNAME', 'snowid_typeid_uuid_or_null' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 0.1;
-- Filters: the bigint that id_text wrote, or NULL.
CREATE FUNCTION _snowid.id_number_or_null(text text, alphabet text, internal) RETURNS bigint
    AS 'MODULE_PATHNAME', 'snowid_id_number_or_null' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 0.1;
CREATE FUNCTION _snowid.id_number_or_null(text text[], alphabet text, internal) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'snowid_id_number_or_null' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 0.1;

-- Filters: the earliest time that can have given this value, within the margin.
CREATE FUNCTION _snowid.time_earliest(timestamptz, margin bigint, as_utc boolean) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'snowid_time_earliest' LANGUAGE C STABLE STRICT PARALLEL SAFE;
-- Filters: the latest time that can have given this value, within the margin.
CREATE FUNCTION _snowid.time_latest(timestamptz, margin bigint, as_utc boolean) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'snowid_time_latest' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _snowid.time_earliest(timestamp, margin bigint, as_utc boolean) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'snowid_time_earliest_local' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _snowid.time_latest(timestamp, margin bigint, as_utc boolean) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'snowid_time_latest_local' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _snowid.time_earliest(date, margin bigint, as_utc boolean) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'snowid_time_earliest_date' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _snowid.time_latest(date, margin bigint, as_utc boolean) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'snowid_time_latest_date' LANGUAGE C STABLE STRICT PARALLEL SAFE;
