
-- sno -------------------------------------------------------------------------

CREATE TYPE sno;
CREATE FUNCTION sno_in(cstring) RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION sno_out(sno) RETURNS cstring
    AS 'MODULE_PATHNAME', 'snowid_sno_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION sno_recv(internal) RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION sno_send(sno) RETURNS bytea
    AS 'MODULE_PATHNAME', 'snowid_sno_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE sno (
    INPUT = sno_in, OUTPUT = sno_out, RECEIVE = sno_recv, SEND = sno_send,
    INTERNALLENGTH = 10, ALIGNMENT = char, STORAGE = plain
);
COMMENT ON TYPE sno IS 'sno: units of 4 ms, tick-tock, metabyte, partition and sequence';
COMMENT ON FUNCTION sno_in(cstring) IS 'I/O';
COMMENT ON FUNCTION sno_out(sno) IS 'I/O';
COMMENT ON FUNCTION sno_recv(internal) IS 'I/O';
COMMENT ON FUNCTION sno_send(sno) IS 'I/O';

-- casts

CREATE FUNCTION sno_from_bytea(bytea) RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sno_from_bytea(bytea) IS 'cast of 10 bytes';
CREATE CAST (bytea AS sno) WITH FUNCTION sno_from_bytea(bytea);
COMMENT ON CAST (bytea AS sno) IS 'the same 10 bytes';
CREATE CAST (sno AS bytea) WITH FUNCTION sno_send(sno);
COMMENT ON CAST (sno AS bytea) IS 'its 10 bytes';
CREATE FUNCTION sno_to_uuid(sno) RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_sno_to_uuid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION sno_from_uuid(uuid) RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_from_uuid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sno_to_uuid(sno) IS 'cast: the uuid whose 16 bytes are the text of the id';
COMMENT ON FUNCTION sno_from_uuid(uuid) IS 'cast of a uuid whose 16 bytes are the text of an id';
CREATE CAST (sno AS uuid) WITH FUNCTION sno_to_uuid(sno) AS ASSIGNMENT;
COMMENT ON CAST (sno AS uuid) IS 'its 16 characters as bytes';
CREATE CAST (uuid AS sno) WITH FUNCTION sno_from_uuid(uuid) AS ASSIGNMENT;
COMMENT ON CAST (uuid AS sno) IS 'the id that its 16 bytes are the characters of';

-- comparisons

CREATE FUNCTION sno_lt(sno, sno) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sno_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION sno_le(sno, sno) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sno_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION sno_eq(sno, sno) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sno_eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION sno_ne(sno, sno) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sno_ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION sno_ge(sno, sno) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sno_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION sno_gt(sno, sno) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sno_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION sno_lt(sno, sno) IS 'implementation of < operator';
COMMENT ON FUNCTION sno_le(sno, sno) IS 'implementation of <= operator';
COMMENT ON FUNCTION sno_eq(sno, sno) IS 'implementation of = operator';
COMMENT ON FUNCTION sno_ne(sno, sno) IS 'implementation of <> operator';
COMMENT ON FUNCTION sno_ge(sno, sno) IS 'implementation of >= operator';
COMMENT ON FUNCTION sno_gt(sno, sno) IS 'implementation of > operator';

CREATE OPERATOR < (LEFTARG = sno, RIGHTARG = sno, FUNCTION = sno_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_range_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = sno, RIGHTARG = sno, FUNCTION = sno_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_range_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR = (LEFTARG = sno, RIGHTARG = sno, FUNCTION = sno_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
CREATE OPERATOR <> (LEFTARG = sno, RIGHTARG = sno, FUNCTION = sno_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel);
CREATE OPERATOR >= (LEFTARG = sno, RIGHTARG = sno, FUNCTION = sno_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_range_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR > (LEFTARG = sno, RIGHTARG = sno, FUNCTION = sno_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_range_selectivity, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR < (sno, sno) IS 'less than';
COMMENT ON OPERATOR <= (sno, sno) IS 'less than or equal';
COMMENT ON OPERATOR = (sno, sno) IS 'equal';
COMMENT ON OPERATOR <> (sno, sno) IS 'not equal';
COMMENT ON OPERATOR >= (sno, sno) IS 'greater than or equal';
COMMENT ON OPERATOR > (sno, sno) IS 'greater than';

-- operator classes

CREATE FUNCTION sno_cmp(sno, sno) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_sno_cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION sno_sortsupport(internal) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_sno_sortsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION sno_skipsupport(internal) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_sno_skipsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION sno_hash(sno) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_sno_hash' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION sno_hash_extended(sno, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'snowid_sno_hash_extended' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION sno_distance(sno, sno) RETURNS double precision
    AS 'MODULE_PATHNAME', 'snowid_sno_distance' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION sno_cmp(sno, sno) IS 'less-equal-greater';
COMMENT ON FUNCTION sno_sortsupport(internal) IS 'sort support';
COMMENT ON FUNCTION sno_skipsupport(internal) IS 'skip support';
COMMENT ON FUNCTION sno_hash(sno) IS 'hash';
COMMENT ON FUNCTION sno_hash_extended(sno, bigint) IS 'hash';
COMMENT ON FUNCTION sno_distance(sno, sno) IS 'BRIN: how far the second is above the first';

CREATE OPERATOR CLASS sno_ops DEFAULT FOR TYPE sno USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 sno_cmp(sno, sno), FUNCTION 2 sno_sortsupport(internal), FUNCTION 4 btequalimage(oid);
CREATE OPERATOR CLASS sno_ops DEFAULT FOR TYPE sno USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 sno_hash(sno), FUNCTION 2 sno_hash_extended(sno, bigint);
CREATE OPERATOR CLASS sno_minmax_ops DEFAULT FOR TYPE sno USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 brin_minmax_union(internal, internal, internal);
CREATE OPERATOR CLASS sno_minmax_multi_ops FOR TYPE sno USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_multi_opcinfo(internal),
    FUNCTION 2 brin_minmax_multi_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_multi_consistent(internal, internal, internal, integer),
    FUNCTION 4 brin_minmax_multi_union(internal, internal, internal),
    FUNCTION 5 brin_minmax_multi_options(internal),
    FUNCTION 11 sno_distance(sno, sno);
COMMENT ON OPERATOR CLASS sno_ops USING btree IS 'order of the bytes, which is that of the time';
COMMENT ON OPERATOR CLASS sno_ops USING hash IS 'hash of the bytes';
COMMENT ON OPERATOR CLASS sno_minmax_ops USING brin IS 'least and greatest of a range of blocks';
COMMENT ON OPERATOR CLASS sno_minmax_multi_ops USING brin IS 'a few intervals for a range of blocks';

-- aggregates

CREATE FUNCTION sno_smaller(sno, sno) RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_smaller' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION sno_larger(sno, sno) RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_larger' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION sno_smaller(sno, sno) IS 'smaller of two';
COMMENT ON FUNCTION sno_larger(sno, sno) IS 'larger of two';
CREATE AGGREGATE min(sno) (SFUNC = sno_smaller, STYPE = sno, COMBINEFUNC = sno_smaller, SORTOP = <, PARALLEL = SAFE);
CREATE AGGREGATE max(sno) (SFUNC = sno_larger, STYPE = sno, COMBINEFUNC = sno_larger, SORTOP = >, PARALLEL = SAFE);
COMMENT ON AGGREGATE min(sno) IS 'minimum of all ids';
COMMENT ON AGGREGATE max(sno) IS 'maximum of all ids';

-- what an id holds

CREATE FUNCTION sno_time(id sno) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'snowid_sno_time' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION sno_time(sno) IS 'the time in an id';
CREATE CAST (sno AS timestamptz) WITH FUNCTION sno_time(sno);
COMMENT ON CAST (sno AS timestamptz) IS 'the time in the id';
CREATE FUNCTION sno_metabyte(id sno) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_sno_metabyte' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sno_metabyte(sno) IS 'its metabyte, which is free for the user';
CREATE FUNCTION sno_partition(id sno) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_sno_partition' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sno_partition(sno) IS 'the partition of the generator that made it';
CREATE FUNCTION sno_sequence(id sno) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_sno_sequence' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sno_sequence(sno) IS 'its sequence number within the unit of 4 ms';
CREATE FUNCTION sno_tick_tock(id sno) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sno_tick_tock' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sno_tick_tock(sno) IS 'whether it has the tick-tock bit, which flips when the clock steps back';
CREATE FUNCTION sno_decode(id sno,
    OUT "time" timestamptz, OUT metabyte integer, OUT partition integer, OUT sequence integer, OUT tick_tock boolean)
    AS 'MODULE_PATHNAME', 'snowid_sno_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sno_decode(sno) IS 'all parts of an id';
CREATE FUNCTION sno_encode("time" timestamptz, metabyte integer, partition integer, sequence integer, tick_tock boolean)
    RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_encode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sno_encode(timestamptz, integer, integer, integer, boolean) IS 'the id that has these parts';
CREATE FUNCTION sno_with(id sno, metabyte integer DEFAULT NULL, partition integer DEFAULT NULL) RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_with' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sno_with(sno, integer, integer) IS 'the same id with another metabyte or partition';
CREATE FUNCTION sno_lower_bound("time" timestamptz) RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_lower_bound' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sno_lower_bound(timestamptz) IS 'the smallest id whose time is not before the given one';
CREATE FUNCTION sno_lower_bound("time" timestamptz, metabyte integer) RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_lower_bound_of_metabyte' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sno_lower_bound(timestamptz, integer) IS 'the smallest id with that metabyte whose time is not before the given one';

-- making them

CREATE FUNCTION sno_next(metabyte integer DEFAULT 0) RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_next' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sno_next(integer) IS 'the next id of this server, with the byte of your own';
CREATE FUNCTION sno_next(metabyte integer, generator text) RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_next_of' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sno_next(integer, text) IS 'the next id of a generator that snowid_generator_create has made';
CREATE FUNCTION sno_next_batch(n bigint, metabyte integer DEFAULT 0) RETURNS SETOF sno
    AS 'MODULE_PATHNAME', 'snowid_sno_next_batch' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sno_next_batch(bigint, integer) IS 'the next n ids of this server, in ascending order while its clock does not go back';
CREATE FUNCTION sno_next_batch(n bigint, metabyte integer, generator text) RETURNS SETOF sno
    AS 'MODULE_PATHNAME', 'snowid_sno_next_batch' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sno_next_batch(bigint, integer, text) IS 'the next n ids of a generator';
CREATE FUNCTION sno_at("time" timestamptz, generator text, metabyte integer DEFAULT 0) RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_at' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sno_at(timestamptz, text, integer) IS 'an id of the given time, of a generator made with backfill; times must not go back';
