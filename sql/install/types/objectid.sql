
-- objectid --------------------------------------------------------------------

CREATE TYPE objectid;
CREATE FUNCTION objectid_in(cstring) RETURNS objectid
    AS 'MODULE_PATHNAME', 'snowid_objectid_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION objectid_out(objectid) RETURNS cstring
    AS 'MODULE_PATHNAME', 'snowid_objectid_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION objectid_recv(internal) RETURNS objectid
    AS 'MODULE_PATHNAME', 'snowid_objectid_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION objectid_send(objectid) RETURNS bytea
    AS 'MODULE_PATHNAME', 'snowid_objectid_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE objectid (
    INPUT = objectid_in, OUTPUT = objectid_out, RECEIVE = objectid_recv, SEND = objectid_send,
    INTERNALLENGTH = 12, ALIGNMENT = char, STORAGE = plain
);
COMMENT ON TYPE objectid IS 'ObjectId of MongoDB: seconds, a random value of the process, and a counter';
COMMENT ON FUNCTION objectid_in(cstring) IS 'I/O';
COMMENT ON FUNCTION objectid_out(objectid) IS 'I/O';
COMMENT ON FUNCTION objectid_recv(internal) IS 'I/O';
COMMENT ON FUNCTION objectid_send(objectid) IS 'I/O';

-- casts

CREATE FUNCTION objectid_from_bytea(bytea) RETURNS objectid
    AS 'MODULE_PATHNAME', 'snowid_objectid_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_from_bytea(bytea) IS 'cast of 12 bytes';
CREATE CAST (bytea AS objectid) WITH FUNCTION objectid_from_bytea(bytea);
COMMENT ON CAST (bytea AS objectid) IS 'the same 12 bytes';
CREATE CAST (objectid AS bytea) WITH FUNCTION objectid_send(objectid);
COMMENT ON CAST (objectid AS bytea) IS 'its 12 bytes';

-- comparisons

CREATE FUNCTION objectid_lt(objectid, objectid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_objectid_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION objectid_le(objectid, objectid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_objectid_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION objectid_eq(objectid, objectid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_objectid_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION objectid_ne(objectid, objectid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_objectid_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION objectid_ge(objectid, objectid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_objectid_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION objectid_gt(objectid, objectid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_objectid_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_lt(objectid, objectid) IS 'implementation of < operator';
COMMENT ON FUNCTION objectid_le(objectid, objectid) IS 'implementation of <= operator';
COMMENT ON FUNCTION objectid_eq(objectid, objectid) IS 'implementation of = operator';
COMMENT ON FUNCTION objectid_ne(objectid, objectid) IS 'implementation of <> operator';
COMMENT ON FUNCTION objectid_ge(objectid, objectid) IS 'implementation of >= operator';
COMMENT ON FUNCTION objectid_gt(objectid, objectid) IS 'implementation of > operator';

CREATE OPERATOR < (LEFTARG = objectid, RIGHTARG = objectid, FUNCTION = objectid_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_range_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = objectid, RIGHTARG = objectid, FUNCTION = objectid_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_range_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR = (LEFTARG = objectid, RIGHTARG = objectid, FUNCTION = objectid_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
CREATE OPERATOR <> (LEFTARG = objectid, RIGHTARG = objectid, FUNCTION = objectid_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel);
CREATE OPERATOR >= (LEFTARG = objectid, RIGHTARG = objectid, FUNCTION = objectid_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_range_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR > (LEFTARG = objectid, RIGHTARG = objectid, FUNCTION = objectid_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_range_selectivity, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR < (objectid, objectid) IS 'less than';
COMMENT ON OPERATOR <= (objectid, objectid) IS 'less than or equal';
COMMENT ON OPERATOR = (objectid, objectid) IS 'equal';
COMMENT ON OPERATOR <> (objectid, objectid) IS 'not equal';
COMMENT ON OPERATOR >= (objectid, objectid) IS 'greater than or equal';
COMMENT ON OPERATOR > (objectid, objectid) IS 'greater than';

-- operator classes

CREATE FUNCTION objectid_cmp(objectid, objectid) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_objectid_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION objectid_sortsupport(internal) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_objectid_sortsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION objectid_skipsupport(internal) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_objectid_skipsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION objectid_hash(objectid) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_objectid_hash' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION objectid_hash_extended(objectid, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'snowid_objectid_hash_extended' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION objectid_distance(objectid, objectid) RETURNS double precision
    AS 'MODULE_PATHNAME', 'snowid_objectid_distance' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_cmp(objectid, objectid) IS 'less-equal-greater';
COMMENT ON FUNCTION objectid_sortsupport(internal) IS 'sort support';
COMMENT ON FUNCTION objectid_skipsupport(internal) IS 'skip support';
COMMENT ON FUNCTION objectid_hash(objectid) IS 'hash';
COMMENT ON FUNCTION objectid_hash_extended(objectid, bigint) IS 'hash';
COMMENT ON FUNCTION objectid_distance(objectid, objectid) IS 'BRIN: how far the second is above the first';

CREATE OPERATOR CLASS objectid_ops DEFAULT FOR TYPE objectid USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 objectid_cmp(objectid, objectid), FUNCTION 2 objectid_sortsupport(internal), FUNCTION 4 btequalimage(oid);
CREATE OPERATOR CLASS objectid_ops DEFAULT FOR TYPE objectid USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 objectid_hash(objectid), FUNCTION 2 objectid_hash_extended(objectid, bigint);
CREATE OPERATOR CLASS objectid_minmax_ops DEFAULT FOR TYPE objectid USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 brin_minmax_union(internal, internal, internal);
CREATE OPERATOR CLASS objectid_minmax_multi_ops FOR TYPE objectid USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_multi_opcinfo(internal),
    FUNCTION 2 brin_minmax_multi_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_multi_consistent(internal, internal, internal, integer),
    FUNCTION 4 brin_minmax_multi_union(internal, internal, internal),
    FUNCTION 5 brin_minmax_multi_options(internal),
    FUNCTION 11 objectid_distance(objectid, objectid);
COMMENT ON OPERATOR CLASS objectid_ops USING btree IS 'order of the bytes, which is that of the time';
COMMENT ON OPERATOR CLASS objectid_ops USING hash IS 'hash of the bytes';
COMMENT ON OPERATOR CLASS objectid_minmax_ops USING brin IS 'least and greatest of a range of blocks';
COMMENT ON OPERATOR CLASS objectid_minmax_multi_ops USING brin IS 'a few intervals for a range of blocks';

-- aggregates

CREATE FUNCTION objectid_smaller(objectid, objectid) RETURNS objectid
    AS 'MODULE_PATHNAME', 'snowid_objectid_smaller' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION objectid_larger(objectid, objectid) RETURNS objectid
    AS 'MODULE_PATHNAME', 'snowid_objectid_larger' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_smaller(objectid, objectid) IS 'smaller of two';
COMMENT ON FUNCTION objectid_larger(objectid, objectid) IS 'larger of two';
CREATE AGGREGATE min(objectid) (SFUNC = objectid_smaller, STYPE = objectid, COMBINEFUNC = objectid_smaller, SORTOP = <, PARALLEL = SAFE);
CREATE AGGREGATE max(objectid) (SFUNC = objectid_larger, STYPE = objectid, COMBINEFUNC = objectid_larger, SORTOP = >, PARALLEL = SAFE);
COMMENT ON AGGREGATE min(objectid) IS 'minimum of all ids';
COMMENT ON AGGREGATE max(objectid) IS 'maximum of all ids';

-- generator

CREATE FUNCTION objectid_next() RETURNS objectid
    AS 'MODULE_PATHNAME', 'snowid_objectid_next' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_next() IS 'the next id: greater than all that the session made before';
CREATE FUNCTION objectid_next_batch(n bigint) RETURNS SETOF objectid
    AS 'MODULE_PATHNAME', 'snowid_objectid_next_batch' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_next_batch(bigint) IS 'the next n ids, in ascending order';
CREATE FUNCTION objectid_at("time" timestamptz) RETURNS objectid
    AS 'MODULE_PATHNAME', 'snowid_objectid_at' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_at(timestamptz) IS 'a new id of the given time';

-- what an id holds

CREATE FUNCTION objectid_time(id objectid) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'snowid_objectid_time' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_time(objectid) IS 'the time in an id';
CREATE CAST (objectid AS timestamptz) WITH FUNCTION objectid_time(objectid);
COMMENT ON CAST (objectid AS timestamptz) IS 'the time in the id';
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
CREATE FUNCTION objectid_lower_bound("time" timestamptz) RETURNS objectid
    AS 'MODULE_PATHNAME', 'snowid_objectid_lower_bound' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_lower_bound(timestamptz) IS 'the smallest id whose time is not before the given one';
