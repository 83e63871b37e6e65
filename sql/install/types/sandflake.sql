
-- sandflake -------------------------------------------------------------------

CREATE TYPE sandflake;
CREATE FUNCTION sandflake_in(cstring) RETURNS sandflake
    AS 'MODULE_PATHNAME', 'snowid_sandflake_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION sandflake_out(sandflake) RETURNS cstring
    AS 'MODULE_PATHNAME', 'snowid_sandflake_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION sandflake_recv(internal) RETURNS sandflake
    AS 'MODULE_PATHNAME', 'snowid_sandflake_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION sandflake_send(sandflake) RETURNS bytea
    AS 'MODULE_PATHNAME', 'snowid_sandflake_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE sandflake (
    INPUT = sandflake_in, OUTPUT = sandflake_out, RECEIVE = sandflake_recv, SEND = sandflake_send,
    INTERNALLENGTH = 16, ALIGNMENT = char, STORAGE = plain
);
COMMENT ON TYPE sandflake IS 'sandflake: milliseconds, worker, sequence and random bits';
COMMENT ON FUNCTION sandflake_in(cstring) IS 'I/O';
COMMENT ON FUNCTION sandflake_out(sandflake) IS 'I/O';
COMMENT ON FUNCTION sandflake_recv(internal) IS 'I/O';
COMMENT ON FUNCTION sandflake_send(sandflake) IS 'I/O';

-- casts

CREATE FUNCTION sandflake_from_bytea(bytea) RETURNS sandflake
    AS 'MODULE_PATHNAME', 'snowid_sandflake_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sandflake_from_bytea(bytea) IS 'cast of 16 bytes';
CREATE CAST (bytea AS sandflake) WITH FUNCTION sandflake_from_bytea(bytea);
COMMENT ON CAST (bytea AS sandflake) IS 'the same 16 bytes';
CREATE CAST (sandflake AS bytea) WITH FUNCTION sandflake_send(sandflake);
COMMENT ON CAST (sandflake AS bytea) IS 'its 16 bytes';

-- comparisons

CREATE FUNCTION sandflake_lt(sandflake, sandflake) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sandflake_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION sandflake_le(sandflake, sandflake) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sandflake_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION sandflake_eq(sandflake, sandflake) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sandflake_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION sandflake_ne(sandflake, sandflake) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sandflake_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION sandflake_ge(sandflake, sandflake) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sandflake_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION sandflake_gt(sandflake, sandflake) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sandflake_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION sandflake_lt(sandflake, sandflake) IS 'implementation of < operator';
COMMENT ON FUNCTION sandflake_le(sandflake, sandflake) IS 'implementation of <= operator';
COMMENT ON FUNCTION sandflake_eq(sandflake, sandflake) IS 'implementation of = operator';
COMMENT ON FUNCTION sandflake_ne(sandflake, sandflake) IS 'implementation of <> operator';
COMMENT ON FUNCTION sandflake_ge(sandflake, sandflake) IS 'implementation of >= operator';
COMMENT ON FUNCTION sandflake_gt(sandflake, sandflake) IS 'implementation of > operator';

CREATE OPERATOR < (LEFTARG = sandflake, RIGHTARG = sandflake, FUNCTION = sandflake_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_range_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = sandflake, RIGHTARG = sandflake, FUNCTION = sandflake_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_range_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR = (LEFTARG = sandflake, RIGHTARG = sandflake, FUNCTION = sandflake_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
CREATE OPERATOR <> (LEFTARG = sandflake, RIGHTARG = sandflake, FUNCTION = sandflake_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel);
CREATE OPERATOR >= (LEFTARG = sandflake, RIGHTARG = sandflake, FUNCTION = sandflake_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_range_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR > (LEFTARG = sandflake, RIGHTARG = sandflake, FUNCTION = sandflake_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_range_selectivity, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR < (sandflake, sandflake) IS 'less than';
COMMENT ON OPERATOR <= (sandflake, sandflake) IS 'less than or equal';
COMMENT ON OPERATOR = (sandflake, sandflake) IS 'equal';
COMMENT ON OPERATOR <> (sandflake, sandflake) IS 'not equal';
COMMENT ON OPERATOR >= (sandflake, sandflake) IS 'greater than or equal';
COMMENT ON OPERATOR > (sandflake, sandflake) IS 'greater than';

-- operator classes

CREATE FUNCTION sandflake_cmp(sandflake, sandflake) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_sandflake_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION sandflake_sortsupport(internal) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_sandflake_sortsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION sandflake_skipsupport(internal) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_sandflake_skipsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION sandflake_hash(sandflake) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_sandflake_hash' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION sandflake_hash_extended(sandflake, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'snowid_sandflake_hash_extended' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION sandflake_distance(sandflake, sandflake) RETURNS double precision
    AS 'MODULE_PATHNAME', 'snowid_sandflake_distance' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION sandflake_cmp(sandflake, sandflake) IS 'less-equal-greater';
COMMENT ON FUNCTION sandflake_sortsupport(internal) IS 'sort support';
COMMENT ON FUNCTION sandflake_skipsupport(internal) IS 'skip support';
COMMENT ON FUNCTION sandflake_hash(sandflake) IS 'hash';
COMMENT ON FUNCTION sandflake_hash_extended(sandflake, bigint) IS 'hash';
COMMENT ON FUNCTION sandflake_distance(sandflake, sandflake) IS 'BRIN: how far the second is above the first';

CREATE OPERATOR CLASS sandflake_ops DEFAULT FOR TYPE sandflake USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 sandflake_cmp(sandflake, sandflake), FUNCTION 2 sandflake_sortsupport(internal), FUNCTION 4 btequalimage(oid);
CREATE OPERATOR CLASS sandflake_ops DEFAULT FOR TYPE sandflake USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 sandflake_hash(sandflake), FUNCTION 2 sandflake_hash_extended(sandflake, bigint);
CREATE OPERATOR CLASS sandflake_minmax_ops DEFAULT FOR TYPE sandflake USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 brin_minmax_union(internal, internal, internal);
CREATE OPERATOR CLASS sandflake_minmax_multi_ops FOR TYPE sandflake USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_multi_opcinfo(internal),
    FUNCTION 2 brin_minmax_multi_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_multi_consistent(internal, internal, internal, integer),
    FUNCTION 4 brin_minmax_multi_union(internal, internal, internal),
    FUNCTION 5 brin_minmax_multi_options(internal),
    FUNCTION 11 sandflake_distance(sandflake, sandflake);
COMMENT ON OPERATOR CLASS sandflake_ops USING btree IS 'order of the bytes, which is that of the time';
COMMENT ON OPERATOR CLASS sandflake_ops USING hash IS 'hash of the bytes';
COMMENT ON OPERATOR CLASS sandflake_minmax_ops USING brin IS 'least and greatest of a range of blocks';
COMMENT ON OPERATOR CLASS sandflake_minmax_multi_ops USING brin IS 'a few intervals for a range of blocks';

-- aggregates

CREATE FUNCTION sandflake_smaller(sandflake, sandflake) RETURNS sandflake
    AS 'MODULE_PATHNAME', 'snowid_sandflake_smaller' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION sandflake_larger(sandflake, sandflake) RETURNS sandflake
    AS 'MODULE_PATHNAME', 'snowid_sandflake_larger' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION sandflake_smaller(sandflake, sandflake) IS 'smaller of two';
COMMENT ON FUNCTION sandflake_larger(sandflake, sandflake) IS 'larger of two';
CREATE AGGREGATE min(sandflake) (SFUNC = sandflake_smaller, STYPE = sandflake, COMBINEFUNC = sandflake_smaller, SORTOP = <, PARALLEL = SAFE);
CREATE AGGREGATE max(sandflake) (SFUNC = sandflake_larger, STYPE = sandflake, COMBINEFUNC = sandflake_larger, SORTOP = >, PARALLEL = SAFE);
COMMENT ON AGGREGATE min(sandflake) IS 'minimum of all ids';
COMMENT ON AGGREGATE max(sandflake) IS 'maximum of all ids';

-- generator

CREATE FUNCTION sandflake_next() RETURNS sandflake
    AS 'MODULE_PATHNAME', 'snowid_sandflake_next' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sandflake_next() IS 'the next id: greater than all that the server made before';
CREATE FUNCTION sandflake_next_batch(n bigint) RETURNS SETOF sandflake
    AS 'MODULE_PATHNAME', 'snowid_sandflake_next_batch' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sandflake_next_batch(bigint) IS 'the next n ids, in ascending order';
CREATE FUNCTION sandflake_at("time" timestamptz) RETURNS sandflake
    AS 'MODULE_PATHNAME', 'snowid_sandflake_at' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sandflake_at(timestamptz) IS 'a new id of the given time';

-- what an id holds

CREATE FUNCTION sandflake_time(id sandflake) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'snowid_sandflake_time' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION sandflake_time(sandflake) IS 'the time in an id';
CREATE CAST (sandflake AS timestamptz) WITH FUNCTION sandflake_time(sandflake);
COMMENT ON CAST (sandflake AS timestamptz) IS 'the time in the id';
CREATE FUNCTION sandflake_worker(id sandflake) RETURNS bytea
    AS 'MODULE_PATHNAME', 'snowid_sandflake_worker' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sandflake_worker(sandflake) IS 'the 4 bytes of the worker that made it';
CREATE FUNCTION sandflake_sequence(id sandflake) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_sandflake_sequence' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sandflake_sequence(sandflake) IS 'its sequence number';
CREATE FUNCTION sandflake_random(id sandflake) RETURNS bytea
    AS 'MODULE_PATHNAME', 'snowid_sandflake_random' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sandflake_random(sandflake) IS 'its 3 random bytes';
CREATE FUNCTION sandflake_decode(id sandflake,
    OUT "time" timestamptz, OUT worker bytea, OUT sequence integer, OUT random bytea)
    AS 'MODULE_PATHNAME', 'snowid_sandflake_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sandflake_decode(sandflake) IS 'all parts of an id';
CREATE FUNCTION sandflake_encode("time" timestamptz, worker bytea, sequence integer, random bytea) RETURNS sandflake
    AS 'MODULE_PATHNAME', 'snowid_sandflake_encode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sandflake_encode(timestamptz, bytea, integer, bytea) IS 'the id that has these parts';
CREATE FUNCTION sandflake_lower_bound("time" timestamptz) RETURNS sandflake
    AS 'MODULE_PATHNAME', 'snowid_sandflake_lower_bound' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sandflake_lower_bound(timestamptz) IS 'the smallest id whose time is not before the given one';
