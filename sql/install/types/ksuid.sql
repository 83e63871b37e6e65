
-- ksuid -----------------------------------------------------------------------

CREATE TYPE ksuid;
CREATE FUNCTION ksuid_in(cstring) RETURNS ksuid
    AS 'MODULE_PATHNAME', 'snowid_ksuid_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ksuid_out(ksuid) RETURNS cstring
    AS 'MODULE_PATHNAME', 'snowid_ksuid_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ksuid_recv(internal) RETURNS ksuid
    AS 'MODULE_PATHNAME', 'snowid_ksuid_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ksuid_send(ksuid) RETURNS bytea
    AS 'MODULE_PATHNAME', 'snowid_ksuid_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE ksuid (
    INPUT = ksuid_in, OUTPUT = ksuid_out, RECEIVE = ksuid_recv, SEND = ksuid_send,
    INTERNALLENGTH = 20, ALIGNMENT = char, STORAGE = plain
);
COMMENT ON TYPE ksuid IS 'KSUID: seconds since 2014 and a random payload';
COMMENT ON FUNCTION ksuid_in(cstring) IS 'I/O';
COMMENT ON FUNCTION ksuid_out(ksuid) IS 'I/O';
COMMENT ON FUNCTION ksuid_recv(internal) IS 'I/O';
COMMENT ON FUNCTION ksuid_send(ksuid) IS 'I/O';

-- casts

CREATE FUNCTION ksuid_from_bytea(bytea) RETURNS ksuid
    AS 'MODULE_PATHNAME', 'snowid_ksuid_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ksuid_from_bytea(bytea) IS 'cast of 20 bytes';
CREATE CAST (bytea AS ksuid) WITH FUNCTION ksuid_from_bytea(bytea);
COMMENT ON CAST (bytea AS ksuid) IS 'the same 20 bytes';
CREATE CAST (ksuid AS bytea) WITH FUNCTION ksuid_send(ksuid);
COMMENT ON CAST (ksuid AS bytea) IS 'its 20 bytes';

-- comparisons

CREATE FUNCTION ksuid_lt(ksuid, ksuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ksuid_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ksuid_le(ksuid, ksuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ksuid_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ksuid_eq(ksuid, ksuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ksuid_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ksuid_ne(ksuid, ksuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ksuid_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ksuid_ge(ksuid, ksuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ksuid_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ksuid_gt(ksuid, ksuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ksuid_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION ksuid_lt(ksuid, ksuid) IS 'implementation of < operator';
COMMENT ON FUNCTION ksuid_le(ksuid, ksuid) IS 'implementation of <= operator';
COMMENT ON FUNCTION ksuid_eq(ksuid, ksuid) IS 'implementation of = operator';
COMMENT ON FUNCTION ksuid_ne(ksuid, ksuid) IS 'implementation of <> operator';
COMMENT ON FUNCTION ksuid_ge(ksuid, ksuid) IS 'implementation of >= operator';
COMMENT ON FUNCTION ksuid_gt(ksuid, ksuid) IS 'implementation of > operator';

CREATE OPERATOR < (LEFTARG = ksuid, RIGHTARG = ksuid, FUNCTION = ksuid_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_range_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = ksuid, RIGHTARG = ksuid, FUNCTION = ksuid_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_range_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR = (LEFTARG = ksuid, RIGHTARG = ksuid, FUNCTION = ksuid_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
CREATE OPERATOR <> (LEFTARG = ksuid, RIGHTARG = ksuid, FUNCTION = ksuid_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel);
CREATE OPERATOR >= (LEFTARG = ksuid, RIGHTARG = ksuid, FUNCTION = ksuid_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_range_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR > (LEFTARG = ksuid, RIGHTARG = ksuid, FUNCTION = ksuid_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_range_selectivity, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR < (ksuid, ksuid) IS 'less than';
COMMENT ON OPERATOR <= (ksuid, ksuid) IS 'less than or equal';
COMMENT ON OPERATOR = (ksuid, ksuid) IS 'equal';
COMMENT ON OPERATOR <> (ksuid, ksuid) IS 'not equal';
COMMENT ON OPERATOR >= (ksuid, ksuid) IS 'greater than or equal';
COMMENT ON OPERATOR > (ksuid, ksuid) IS 'greater than';

-- operator classes

CREATE FUNCTION ksuid_cmp(ksuid, ksuid) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_ksuid_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ksuid_sortsupport(internal) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_ksuid_sortsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ksuid_skipsupport(internal) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_ksuid_skipsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ksuid_hash(ksuid) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_ksuid_hash' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ksuid_hash_extended(ksuid, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'snowid_ksuid_hash_extended' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ksuid_distance(ksuid, ksuid) RETURNS double precision
    AS 'MODULE_PATHNAME', 'snowid_ksuid_distance' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION ksuid_cmp(ksuid, ksuid) IS 'less-equal-greater';
COMMENT ON FUNCTION ksuid_sortsupport(internal) IS 'sort support';
COMMENT ON FUNCTION ksuid_skipsupport(internal) IS 'skip support';
COMMENT ON FUNCTION ksuid_hash(ksuid) IS 'hash';
COMMENT ON FUNCTION ksuid_hash_extended(ksuid, bigint) IS 'hash';
COMMENT ON FUNCTION ksuid_distance(ksuid, ksuid) IS 'BRIN: how far the second is above the first';

CREATE OPERATOR CLASS ksuid_ops DEFAULT FOR TYPE ksuid USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 ksuid_cmp(ksuid, ksuid), FUNCTION 2 ksuid_sortsupport(internal), FUNCTION 4 btequalimage(oid);
CREATE OPERATOR CLASS ksuid_ops DEFAULT FOR TYPE ksuid USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 ksuid_hash(ksuid), FUNCTION 2 ksuid_hash_extended(ksuid, bigint);
CREATE OPERATOR CLASS ksuid_minmax_ops DEFAULT FOR TYPE ksuid USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 brin_minmax_union(internal, internal, internal);
CREATE OPERATOR CLASS ksuid_minmax_multi_ops FOR TYPE ksuid USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_multi_opcinfo(internal),
    FUNCTION 2 brin_minmax_multi_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_multi_consistent(internal, internal, internal, integer),
    FUNCTION 4 brin_minmax_multi_union(internal, internal, internal),
    FUNCTION 5 brin_minmax_multi_options(internal),
    FUNCTION 11 ksuid_distance(ksuid, ksuid);
COMMENT ON OPERATOR CLASS ksuid_ops USING btree IS 'order of the bytes, which is that of the time';
COMMENT ON OPERATOR CLASS ksuid_ops USING hash IS 'hash of the bytes';
COMMENT ON OPERATOR CLASS ksuid_minmax_ops USING brin IS 'least and greatest of a range of blocks';
COMMENT ON OPERATOR CLASS ksuid_minmax_multi_ops USING brin IS 'a few intervals for a range of blocks';

-- aggregates

CREATE FUNCTION ksuid_smaller(ksuid, ksuid) RETURNS ksuid
    AS 'MODULE_PATHNAME', 'snowid_ksuid_smaller' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ksuid_larger(ksuid, ksuid) RETURNS ksuid
    AS 'MODULE_PATHNAME', 'snowid_ksuid_larger' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION ksuid_smaller(ksuid, ksuid) IS 'smaller of two';
COMMENT ON FUNCTION ksuid_larger(ksuid, ksuid) IS 'larger of two';
CREATE AGGREGATE min(ksuid) (SFUNC = ksuid_smaller, STYPE = ksuid, COMBINEFUNC = ksuid_smaller, SORTOP = <, PARALLEL = SAFE);
CREATE AGGREGATE max(ksuid) (SFUNC = ksuid_larger, STYPE = ksuid, COMBINEFUNC = ksuid_larger, SORTOP = >, PARALLEL = SAFE);
COMMENT ON AGGREGATE min(ksuid) IS 'minimum of all ids';
COMMENT ON AGGREGATE max(ksuid) IS 'maximum of all ids';

-- generator

CREATE FUNCTION ksuid_next() RETURNS ksuid
    AS 'MODULE_PATHNAME', 'snowid_ksuid_next' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ksuid_next() IS 'the next id: greater than all that the server made before';
CREATE FUNCTION ksuid_next_batch(n bigint) RETURNS SETOF ksuid
    AS 'MODULE_PATHNAME', 'snowid_ksuid_next_batch' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ksuid_next_batch(bigint) IS 'the next n ids, in ascending order';
CREATE FUNCTION ksuid_at("time" timestamptz) RETURNS ksuid
    AS 'MODULE_PATHNAME', 'snowid_ksuid_at' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ksuid_at(timestamptz) IS 'a new id of the given time';

-- what an id holds

CREATE FUNCTION ksuid_time(id ksuid) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'snowid_ksuid_time' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION ksuid_time(ksuid) IS 'the time in an id';
CREATE CAST (ksuid AS timestamptz) WITH FUNCTION ksuid_time(ksuid);
COMMENT ON CAST (ksuid AS timestamptz) IS 'the time in the id';
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
CREATE FUNCTION ksuid_lower_bound("time" timestamptz) RETURNS ksuid
    AS 'MODULE_PATHNAME', 'snowid_ksuid_lower_bound' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ksuid_lower_bound(timestamptz) IS 'the smallest id whose time is not before the given one';
