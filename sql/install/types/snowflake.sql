
-- snowflake -------------------------------------------------------------------
-- A snowflake is to bigint what varchar is to text: it uses bigint's operator classes, statistics and equality through
-- its cast.

CREATE TYPE snowflake;
CREATE FUNCTION _snowid.snowflake_in(cstring) RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _snowid.snowflake_out(snowflake) RETURNS cstring
    AS 'int8out' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _snowid.snowflake_recv(internal) RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _snowid.snowflake_send(snowflake) RETURNS bytea
    AS 'int8send' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE snowflake (
    INPUT = _snowid.snowflake_in, OUTPUT = _snowid.snowflake_out,
    RECEIVE = _snowid.snowflake_recv, SEND = _snowid.snowflake_send,
    LIKE = bigint, CATEGORY = 'N'
);
COMMENT ON TYPE snowflake IS 'time-ordered 64-bit id, stored and compared as a bigint';

-- casts

CREATE CAST (snowflake AS bigint) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (snowflake AS bigint) IS 'the same 64 bits';
CREATE CAST (snowflake AS numeric) WITH FUNCTION pg_catalog.numeric(bigint) AS ASSIGNMENT;
COMMENT ON CAST (snowflake AS numeric) IS 'the same number';
CREATE CAST (bigint AS snowflake) WITHOUT FUNCTION AS ASSIGNMENT;
COMMENT ON CAST (bigint AS snowflake) IS 'the same 64 bits';
CREATE FUNCTION _snowid.snowflake_from_integer(integer) RETURNS snowflake
    AS 'int48' LANGUAGE internal IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION _snowid.snowflake_from_smallint(smallint) RETURNS snowflake
    AS 'int28' LANGUAGE internal IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE CAST (integer AS snowflake) WITH FUNCTION _snowid.snowflake_from_integer(integer) AS ASSIGNMENT;
COMMENT ON CAST (integer AS snowflake) IS 'the same number';
CREATE CAST (smallint AS snowflake) WITH FUNCTION _snowid.snowflake_from_smallint(smallint) AS ASSIGNMENT;
COMMENT ON CAST (smallint AS snowflake) IS 'the same number';

-- comparisons: only those that must read an untyped literal as an id

-- Planner support: rewrites the comparison into one of bigints.
CREATE FUNCTION _snowid.snowflake_lt_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_snowflake_lt_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _snowid.snowflake_le_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_snowflake_le_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _snowid.snowflake_gt_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_snowflake_gt_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _snowid.snowflake_ge_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_snowflake_ge_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION _snowid.snowflake_lt(snowflake, snowflake) RETURNS boolean
    AS 'int8lt' LANGUAGE internal IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT _snowid.snowflake_lt_support;
CREATE FUNCTION _snowid.snowflake_le(snowflake, snowflake) RETURNS boolean
    AS 'int8le' LANGUAGE internal IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT _snowid.snowflake_le_support;
CREATE FUNCTION _snowid.snowflake_gt(snowflake, snowflake) RETURNS boolean
    AS 'int8gt' LANGUAGE internal IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT _snowid.snowflake_gt_support;
CREATE FUNCTION _snowid.snowflake_ge(snowflake, snowflake) RETURNS boolean
    AS 'int8ge' LANGUAGE internal IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT _snowid.snowflake_ge_support;

CREATE OPERATOR < (LEFTARG = snowflake, RIGHTARG = snowflake, FUNCTION = _snowid.snowflake_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = snowflake, RIGHTARG = snowflake, FUNCTION = _snowid.snowflake_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR > (LEFTARG = snowflake, RIGHTARG = snowflake, FUNCTION = _snowid.snowflake_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (LEFTARG = snowflake, RIGHTARG = snowflake, FUNCTION = _snowid.snowflake_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
COMMENT ON OPERATOR < (snowflake, snowflake) IS 'less than';
COMMENT ON OPERATOR <= (snowflake, snowflake) IS 'less than or equal';
COMMENT ON OPERATOR > (snowflake, snowflake) IS 'greater than';
COMMENT ON OPERATOR >= (snowflake, snowflake) IS 'greater than or equal';

-- generator; what stands in for a default in COPY FROM is said to be stable, so that COPY writes its rows in batches

-- Planner support: lets COPY FROM write rows in batches.
CREATE FUNCTION _snowid.next_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_next_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
-- Stands in for snowflake_next(text) as a default in COPY FROM.
-- Stands in for snowflake_next() as a default in COPY FROM.
CREATE FUNCTION _snowid.snowflake_next_in_copy() RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_next_in_copy' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _snowid.snowflake_next_in_copy(generator text) RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_next_in_copy_of' LANGUAGE C STABLE PARALLEL SAFE;

-- Stands in for snowflake_spread(text) as a default in COPY FROM.
-- Stands in for snowflake_spread() as a default in COPY FROM.
CREATE FUNCTION _snowid.snowflake_spread_in_copy() RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_spread_in_copy' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;
CREATE FUNCTION _snowid.snowflake_spread_in_copy(generator text) RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_spread_in_copy_of' LANGUAGE C STABLE PARALLEL RESTRICTED;

CREATE FUNCTION snowflake_next() RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_next' LANGUAGE C VOLATILE STRICT PARALLEL SAFE
    SUPPORT _snowid.next_support;
COMMENT ON FUNCTION snowflake_next() IS 'the next id of this server';
CREATE FUNCTION snowflake_next(generator text) RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_next_of' LANGUAGE C VOLATILE PARALLEL SAFE
    SUPPORT _snowid.next_support;
COMMENT ON FUNCTION snowflake_next(text) IS 'the next id of a generator made by snowid_generator_create';
CREATE FUNCTION snowflake_spread() RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_spread' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED
    SUPPORT _snowid.next_support;
COMMENT ON FUNCTION snowflake_spread() IS 'an id of the last 64 ms; those of busy sessions stand apart';
CREATE FUNCTION snowflake_spread(generator text) RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_spread_of' LANGUAGE C VOLATILE PARALLEL RESTRICTED
    SUPPORT _snowid.next_support;
COMMENT ON FUNCTION snowflake_spread(text) IS
    'an id of a generator, of the last 64 ms; those of busy sessions stand apart';
CREATE FUNCTION snowflake_next_batch(n bigint) RETURNS SETOF snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_next_batch' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_next_batch(bigint) IS 'the next n ids of this server, in ascending order';
CREATE FUNCTION snowflake_next_batch(n bigint, generator text) RETURNS SETOF snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_next_batch' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_next_batch(bigint, text) IS 'the next n ids of a generator, in ascending order';

CREATE FUNCTION snowflake_at("time" timestamptz, generator text) RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_at' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_at(timestamptz, text) IS
    'a new id of the given time, of a generator made with backfill => true';

-- the parts of an id: by the recorded layout or by a given one

CREATE FUNCTION snowflake_time(id bigint) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'snowid_snowflake_time' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT _snowid.implied_time_support;
CREATE FUNCTION snowflake_time(id bigint, layout text) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'snowid_snowflake_time' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT _snowid.implied_time_support;
COMMENT ON FUNCTION snowflake_time(bigint) IS 'the time in an id';
COMMENT ON FUNCTION snowflake_time(bigint, text) IS 'the time in an id of the given layout';
CREATE CAST (snowflake AS timestamptz) WITH FUNCTION snowflake_time(bigint);
COMMENT ON CAST (snowflake AS timestamptz) IS 'the time in the id';

CREATE FUNCTION snowflake_worker(id bigint) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_snowflake_worker' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_worker(id bigint, layout text) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_snowflake_worker' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_worker(bigint) IS 'the worker in an id';
COMMENT ON FUNCTION snowflake_worker(bigint, text) IS 'the worker in an id of the given layout';

CREATE FUNCTION snowflake_sequence(id bigint) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_snowflake_sequence' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_sequence(id bigint, layout text) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_snowflake_sequence' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_sequence(bigint) IS 'the sequence number in an id';
COMMENT ON FUNCTION snowflake_sequence(bigint, text) IS 'the sequence number in an id of the given layout';

CREATE FUNCTION snowflake_decode(id bigint,
    OUT "time" timestamptz, OUT worker integer, OUT sequence integer, OUT fields jsonb)
    AS 'MODULE_PATHNAME', 'snowid_snowflake_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_decode(id bigint, layout text,
    OUT "time" timestamptz, OUT worker integer, OUT sequence integer, OUT fields jsonb)
    AS 'MODULE_PATHNAME', 'snowid_snowflake_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_decode(bigint) IS 'all parts of an id';
COMMENT ON FUNCTION snowflake_decode(bigint, text) IS 'all parts of an id of the given layout';

CREATE FUNCTION snowflake_encode("time" timestamptz, worker integer, sequence integer) RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_encode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_encode("time" timestamptz, worker integer, sequence integer, layout text) RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_encode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_encode(timestamptz, integer, integer) IS 'the id that has these parts';
COMMENT ON FUNCTION snowflake_encode(timestamptz, integer, integer, text) IS
    'the id of the given layout that has these parts';

CREATE FUNCTION snowflake_lower_bound("time" timestamptz) RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_lower_bound' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_lower_bound("time" timestamptz, layout text) RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_lower_bound' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_lower_bound(timestamptz) IS 'the smallest id whose time is not before the given one';
COMMENT ON FUNCTION snowflake_lower_bound(timestamptz, text) IS
    'the smallest id of the given layout whose time is not before the given one';

-- the bounds of filters on ids of a given layout

-- Filters: the first id of the given layout whose time is in the range.
-- Filters: the first id of the given layout whose time is <, <=, >= or > the given one.
CREATE FUNCTION _snowid.snowflake_first_by_layout("time" timestamptz, operator text, layout text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'snowid_snowflake_first_by_layout' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION _snowid.snowflake_first_by_layout(times tstzrange, layout text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'snowid_snowflake_first_by_layout_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
-- Filters: the last id of the given layout whose time is in the range.
-- Filters: the last id of the given layout whose time is <, <=, >= or > the given one.
CREATE FUNCTION _snowid.snowflake_last_by_layout("time" timestamptz, operator text, layout text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'snowid_snowflake_last_by_layout' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION _snowid.snowflake_last_by_layout(times tstzrange, layout text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'snowid_snowflake_last_by_layout_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
