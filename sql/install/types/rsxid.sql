
-- rsxid -----------------------------------------------------------------------

CREATE TYPE rsxid;
CREATE FUNCTION rsxid_in(cstring) RETURNS rsxid
    AS 'MODULE_PATHNAME', 'snowid_rsxid_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION rsxid_out(rsxid) RETURNS cstring
    AS 'MODULE_PATHNAME', 'snowid_rsxid_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION rsxid_recv(internal) RETURNS rsxid
    AS 'MODULE_PATHNAME', 'snowid_rsxid_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION rsxid_send(rsxid) RETURNS bytea
    AS 'MODULE_PATHNAME', 'snowid_rsxid_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE rsxid (
    INPUT = rsxid_in, OUTPUT = rsxid_out, RECEIVE = rsxid_recv, SEND = rsxid_send,
    INTERNALLENGTH = 12, ALIGNMENT = char, STORAGE = plain
);
COMMENT ON TYPE rsxid IS 'id of rs/xid: seconds, machine, process and a counter';
COMMENT ON FUNCTION rsxid_in(cstring) IS 'I/O';
COMMENT ON FUNCTION rsxid_out(rsxid) IS 'I/O';
COMMENT ON FUNCTION rsxid_recv(internal) IS 'I/O';
COMMENT ON FUNCTION rsxid_send(rsxid) IS 'I/O';

-- casts

CREATE FUNCTION rsxid_from_bytea(bytea) RETURNS rsxid
    AS 'MODULE_PATHNAME', 'snowid_rsxid_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION rsxid_from_bytea(bytea) IS 'cast of 12 bytes';
CREATE CAST (bytea AS rsxid) WITH FUNCTION rsxid_from_bytea(bytea);
COMMENT ON CAST (bytea AS rsxid) IS 'the same 12 bytes';
CREATE CAST (rsxid AS bytea) WITH FUNCTION rsxid_send(rsxid);
COMMENT ON CAST (rsxid AS bytea) IS 'its 12 bytes';

-- comparisons

CREATE FUNCTION rsxid_lt(rsxid, rsxid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_rsxid_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION rsxid_le(rsxid, rsxid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_rsxid_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION rsxid_eq(rsxid, rsxid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_rsxid_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION rsxid_ne(rsxid, rsxid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_rsxid_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION rsxid_ge(rsxid, rsxid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_rsxid_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION rsxid_gt(rsxid, rsxid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_rsxid_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION rsxid_lt(rsxid, rsxid) IS 'implementation of < operator';
COMMENT ON FUNCTION rsxid_le(rsxid, rsxid) IS 'implementation of <= operator';
COMMENT ON FUNCTION rsxid_eq(rsxid, rsxid) IS 'implementation of = operator';
COMMENT ON FUNCTION rsxid_ne(rsxid, rsxid) IS 'implementation of <> operator';
COMMENT ON FUNCTION rsxid_ge(rsxid, rsxid) IS 'implementation of >= operator';
COMMENT ON FUNCTION rsxid_gt(rsxid, rsxid) IS 'implementation of > operator';

CREATE OPERATOR < (LEFTARG = rsxid, RIGHTARG = rsxid, FUNCTION = rsxid_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_range_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = rsxid, RIGHTARG = rsxid, FUNCTION = rsxid_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_range_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR = (LEFTARG = rsxid, RIGHTARG = rsxid, FUNCTION = rsxid_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
CREATE OPERATOR <> (LEFTARG = rsxid, RIGHTARG = rsxid, FUNCTION = rsxid_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel);
CREATE OPERATOR >= (LEFTARG = rsxid, RIGHTARG = rsxid, FUNCTION = rsxid_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_range_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR > (LEFTARG = rsxid, RIGHTARG = rsxid, FUNCTION = rsxid_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_range_selectivity, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR < (rsxid, rsxid) IS 'less than';
COMMENT ON OPERATOR <= (rsxid, rsxid) IS 'less than or equal';
COMMENT ON OPERATOR = (rsxid, rsxid) IS 'equal';
COMMENT ON OPERATOR <> (rsxid, rsxid) IS 'not equal';
COMMENT ON OPERATOR >= (rsxid, rsxid) IS 'greater than or equal';
COMMENT ON OPERATOR > (rsxid, rsxid) IS 'greater than';

-- operator classes

CREATE FUNCTION rsxid_cmp(rsxid, rsxid) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_rsxid_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION rsxid_sortsupport(internal) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_rsxid_sortsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION rsxid_skipsupport(internal) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_rsxid_skipsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION rsxid_hash(rsxid) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_rsxid_hash' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION rsxid_hash_extended(rsxid, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'snowid_rsxid_hash_extended' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION rsxid_distance(rsxid, rsxid) RETURNS double precision
    AS 'MODULE_PATHNAME', 'snowid_rsxid_distance' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION rsxid_cmp(rsxid, rsxid) IS 'less-equal-greater';
COMMENT ON FUNCTION rsxid_sortsupport(internal) IS 'sort support';
COMMENT ON FUNCTION rsxid_skipsupport(internal) IS 'skip support';
COMMENT ON FUNCTION rsxid_hash(rsxid) IS 'hash';
COMMENT ON FUNCTION rsxid_hash_extended(rsxid, bigint) IS 'hash';
COMMENT ON FUNCTION rsxid_distance(rsxid, rsxid) IS 'BRIN: how far the second is above the first';

CREATE OPERATOR CLASS rsxid_ops DEFAULT FOR TYPE rsxid USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 rsxid_cmp(rsxid, rsxid), FUNCTION 2 rsxid_sortsupport(internal), FUNCTION 4 btequalimage(oid);
CREATE OPERATOR CLASS rsxid_ops DEFAULT FOR TYPE rsxid USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 rsxid_hash(rsxid), FUNCTION 2 rsxid_hash_extended(rsxid, bigint);
CREATE OPERATOR CLASS rsxid_minmax_ops DEFAULT FOR TYPE rsxid USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 brin_minmax_union(internal, internal, internal);
CREATE OPERATOR CLASS rsxid_minmax_multi_ops FOR TYPE rsxid USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_multi_opcinfo(internal),
    FUNCTION 2 brin_minmax_multi_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_multi_consistent(internal, internal, internal, integer),
    FUNCTION 4 brin_minmax_multi_union(internal, internal, internal),
    FUNCTION 5 brin_minmax_multi_options(internal),
    FUNCTION 11 rsxid_distance(rsxid, rsxid);
COMMENT ON OPERATOR CLASS rsxid_ops USING btree IS 'order of the bytes, which is that of the time';
COMMENT ON OPERATOR CLASS rsxid_ops USING hash IS 'hash of the bytes';
COMMENT ON OPERATOR CLASS rsxid_minmax_ops USING brin IS 'least and greatest of a range of blocks';
COMMENT ON OPERATOR CLASS rsxid_minmax_multi_ops USING brin IS 'a few intervals for a range of blocks';

-- aggregates

CREATE FUNCTION rsxid_smaller(rsxid, rsxid) RETURNS rsxid
    AS 'MODULE_PATHNAME', 'snowid_rsxid_smaller' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION rsxid_larger(rsxid, rsxid) RETURNS rsxid
    AS 'MODULE_PATHNAME', 'snowid_rsxid_larger' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION rsxid_smaller(rsxid, rsxid) IS 'smaller of two';
COMMENT ON FUNCTION rsxid_larger(rsxid, rsxid) IS 'larger of two';
CREATE AGGREGATE min(rsxid) (SFUNC = rsxid_smaller, STYPE = rsxid, COMBINEFUNC = rsxid_smaller, SORTOP = <, PARALLEL = SAFE);
CREATE AGGREGATE max(rsxid) (SFUNC = rsxid_larger, STYPE = rsxid, COMBINEFUNC = rsxid_larger, SORTOP = >, PARALLEL = SAFE);
COMMENT ON AGGREGATE min(rsxid) IS 'minimum of all ids';
COMMENT ON AGGREGATE max(rsxid) IS 'maximum of all ids';

-- generator

CREATE FUNCTION rsxid_next() RETURNS rsxid
    AS 'MODULE_PATHNAME', 'snowid_rsxid_next' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION rsxid_next() IS 'the next id: greater than all that the session made before';
CREATE FUNCTION rsxid_next_batch(n bigint) RETURNS SETOF rsxid
    AS 'MODULE_PATHNAME', 'snowid_rsxid_next_batch' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION rsxid_next_batch(bigint) IS 'the next n ids, in ascending order';
CREATE FUNCTION rsxid_at("time" timestamptz) RETURNS rsxid
    AS 'MODULE_PATHNAME', 'snowid_rsxid_at' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION rsxid_at(timestamptz) IS 'a new id of the given time';

-- what an id holds

CREATE FUNCTION rsxid_time(id rsxid) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'snowid_rsxid_time' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION rsxid_time(rsxid) IS 'the time in an id';
CREATE CAST (rsxid AS timestamptz) WITH FUNCTION rsxid_time(rsxid);
COMMENT ON CAST (rsxid AS timestamptz) IS 'the time in the id';
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
CREATE FUNCTION rsxid_lower_bound("time" timestamptz) RETURNS rsxid
    AS 'MODULE_PATHNAME', 'snowid_rsxid_lower_bound' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION rsxid_lower_bound(timestamptz) IS 'the smallest id whose time is not before the given one';
