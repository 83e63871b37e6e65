
-- ulid ------------------------------------------------------------------------

CREATE TYPE ulid;
CREATE FUNCTION ulid_in(cstring) RETURNS ulid
    AS 'MODULE_PATHNAME', 'snowid_ulid_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_out(ulid) RETURNS cstring
    AS 'MODULE_PATHNAME', 'snowid_ulid_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_recv(internal) RETURNS ulid
    AS 'MODULE_PATHNAME', 'snowid_ulid_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_send(ulid) RETURNS bytea
    AS 'MODULE_PATHNAME', 'snowid_ulid_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE ulid (
    INPUT = ulid_in, OUTPUT = ulid_out, RECEIVE = ulid_recv, SEND = ulid_send,
    INTERNALLENGTH = 16, ALIGNMENT = char, STORAGE = plain
);
COMMENT ON TYPE ulid IS 'ULID: milliseconds and random bits';
COMMENT ON FUNCTION ulid_in(cstring) IS 'I/O';
COMMENT ON FUNCTION ulid_out(ulid) IS 'I/O';
COMMENT ON FUNCTION ulid_recv(internal) IS 'I/O';
COMMENT ON FUNCTION ulid_send(ulid) IS 'I/O';

-- casts

CREATE FUNCTION ulid_from_bytea(bytea) RETURNS ulid
    AS 'MODULE_PATHNAME', 'snowid_ulid_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ulid_from_bytea(bytea) IS 'cast of 16 bytes';
CREATE CAST (bytea AS ulid) WITH FUNCTION ulid_from_bytea(bytea);
COMMENT ON CAST (bytea AS ulid) IS 'the same 16 bytes';
CREATE CAST (ulid AS bytea) WITH FUNCTION ulid_send(ulid);
COMMENT ON CAST (ulid AS bytea) IS 'its 16 bytes';
CREATE CAST (ulid AS uuid) WITHOUT FUNCTION AS ASSIGNMENT;
COMMENT ON CAST (ulid AS uuid) IS 'the same 16 bytes';
CREATE CAST (uuid AS ulid) WITHOUT FUNCTION AS ASSIGNMENT;
COMMENT ON CAST (uuid AS ulid) IS 'the same 16 bytes';

-- comparisons

CREATE FUNCTION ulid_lt(ulid, ulid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ulid_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_le(ulid, ulid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ulid_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_eq(ulid, ulid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ulid_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_ne(ulid, ulid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ulid_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_ge(ulid, ulid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ulid_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_gt(ulid, ulid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ulid_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION ulid_lt(ulid, ulid) IS 'implementation of < operator';
COMMENT ON FUNCTION ulid_le(ulid, ulid) IS 'implementation of <= operator';
COMMENT ON FUNCTION ulid_eq(ulid, ulid) IS 'implementation of = operator';
COMMENT ON FUNCTION ulid_ne(ulid, ulid) IS 'implementation of <> operator';
COMMENT ON FUNCTION ulid_ge(ulid, ulid) IS 'implementation of >= operator';
COMMENT ON FUNCTION ulid_gt(ulid, ulid) IS 'implementation of > operator';

CREATE OPERATOR < (LEFTARG = ulid, RIGHTARG = ulid, FUNCTION = ulid_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_range_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = ulid, RIGHTARG = ulid, FUNCTION = ulid_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_range_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR = (LEFTARG = ulid, RIGHTARG = ulid, FUNCTION = ulid_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
CREATE OPERATOR <> (LEFTARG = ulid, RIGHTARG = ulid, FUNCTION = ulid_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel);
CREATE OPERATOR >= (LEFTARG = ulid, RIGHTARG = ulid, FUNCTION = ulid_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_range_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR > (LEFTARG = ulid, RIGHTARG = ulid, FUNCTION = ulid_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_range_selectivity, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR < (ulid, ulid) IS 'less than';
COMMENT ON OPERATOR <= (ulid, ulid) IS 'less than or equal';
COMMENT ON OPERATOR = (ulid, ulid) IS 'equal';
COMMENT ON OPERATOR <> (ulid, ulid) IS 'not equal';
COMMENT ON OPERATOR >= (ulid, ulid) IS 'greater than or equal';
COMMENT ON OPERATOR > (ulid, ulid) IS 'greater than';

-- operator classes

CREATE FUNCTION ulid_cmp(ulid, ulid) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_ulid_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_sortsupport(internal) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_ulid_sortsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_skipsupport(internal) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_ulid_skipsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION ulid_hash(ulid) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_ulid_hash' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_hash_extended(ulid, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'snowid_ulid_hash_extended' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_distance(ulid, ulid) RETURNS double precision
    AS 'MODULE_PATHNAME', 'snowid_ulid_distance' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION ulid_cmp(ulid, ulid) IS 'less-equal-greater';
COMMENT ON FUNCTION ulid_sortsupport(internal) IS 'sort support';
COMMENT ON FUNCTION ulid_skipsupport(internal) IS 'skip support';
COMMENT ON FUNCTION ulid_hash(ulid) IS 'hash';
COMMENT ON FUNCTION ulid_hash_extended(ulid, bigint) IS 'hash';
COMMENT ON FUNCTION ulid_distance(ulid, ulid) IS 'BRIN: how far the second is above the first';

CREATE OPERATOR CLASS ulid_ops DEFAULT FOR TYPE ulid USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 ulid_cmp(ulid, ulid), FUNCTION 2 ulid_sortsupport(internal), FUNCTION 4 btequalimage(oid);
CREATE OPERATOR CLASS ulid_ops DEFAULT FOR TYPE ulid USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 ulid_hash(ulid), FUNCTION 2 ulid_hash_extended(ulid, bigint);
CREATE OPERATOR CLASS ulid_minmax_ops DEFAULT FOR TYPE ulid USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 brin_minmax_union(internal, internal, internal);
CREATE OPERATOR CLASS ulid_minmax_multi_ops FOR TYPE ulid USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_multi_opcinfo(internal),
    FUNCTION 2 brin_minmax_multi_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_multi_consistent(internal, internal, internal, integer),
    FUNCTION 4 brin_minmax_multi_union(internal, internal, internal),
    FUNCTION 5 brin_minmax_multi_options(internal),
    FUNCTION 11 ulid_distance(ulid, ulid);
COMMENT ON OPERATOR CLASS ulid_ops USING btree IS 'order of the bytes, which is that of the time';
COMMENT ON OPERATOR CLASS ulid_ops USING hash IS 'hash of the bytes';
COMMENT ON OPERATOR CLASS ulid_minmax_ops USING brin IS 'least and greatest of a range of blocks';
COMMENT ON OPERATOR CLASS ulid_minmax_multi_ops USING brin IS 'a few intervals for a range of blocks';

-- aggregates

CREATE FUNCTION ulid_smaller(ulid, ulid) RETURNS ulid
    AS 'MODULE_PATHNAME', 'snowid_ulid_smaller' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION ulid_larger(ulid, ulid) RETURNS ulid
    AS 'MODULE_PATHNAME', 'snowid_ulid_larger' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION ulid_smaller(ulid, ulid) IS 'smaller of two';
COMMENT ON FUNCTION ulid_larger(ulid, ulid) IS 'larger of two';
CREATE AGGREGATE min(ulid) (SFUNC = ulid_smaller, STYPE = ulid, COMBINEFUNC = ulid_smaller, SORTOP = <, PARALLEL = SAFE);
CREATE AGGREGATE max(ulid) (SFUNC = ulid_larger, STYPE = ulid, COMBINEFUNC = ulid_larger, SORTOP = >, PARALLEL = SAFE);
COMMENT ON AGGREGATE min(ulid) IS 'minimum of all ids';
COMMENT ON AGGREGATE max(ulid) IS 'maximum of all ids';

-- generator

CREATE FUNCTION ulid_next() RETURNS ulid
    AS 'MODULE_PATHNAME', 'snowid_ulid_next' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ulid_next() IS 'the next id: greater than all that the server made before';
CREATE FUNCTION ulid_next_batch(n bigint) RETURNS SETOF ulid
    AS 'MODULE_PATHNAME', 'snowid_ulid_next_batch' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ulid_next_batch(bigint) IS 'the next n ids, in ascending order';
CREATE FUNCTION ulid_at("time" timestamptz) RETURNS ulid
    AS 'MODULE_PATHNAME', 'snowid_ulid_at' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ulid_at(timestamptz) IS 'a new id of the given time';

-- what an id holds

CREATE FUNCTION ulid_time(id ulid) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'snowid_ulid_time' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION ulid_time(ulid) IS 'the time in an id';
CREATE CAST (ulid AS timestamptz) WITH FUNCTION ulid_time(ulid);
COMMENT ON CAST (ulid AS timestamptz) IS 'the time in the id';
CREATE FUNCTION ulid_entropy(id ulid) RETURNS bytea
    AS 'MODULE_PATHNAME', 'snowid_ulid_entropy' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ulid_entropy(ulid) IS 'the 10 bytes behind the time';
CREATE FUNCTION ulid_decode(id ulid,
    OUT "time" timestamptz, OUT entropy bytea)
    AS 'MODULE_PATHNAME', 'snowid_ulid_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ulid_decode(ulid) IS 'all parts of an id';
CREATE FUNCTION ulid_encode("time" timestamptz, entropy bytea) RETURNS ulid
    AS 'MODULE_PATHNAME', 'snowid_ulid_encode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ulid_encode(timestamptz, bytea) IS 'the id that has these parts';
CREATE FUNCTION ulid_lower_bound("time" timestamptz) RETURNS ulid
    AS 'MODULE_PATHNAME', 'snowid_ulid_lower_bound' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ulid_lower_bound(timestamptz) IS 'the smallest id whose time is not before the given one';
