
-- sno -------------------------------------------------------------------------

COMMENT ON TYPE sno IS 'sno: units of 4 ms, tick-tock, metabyte, partition and sequence';

-- casts

-- Cast: the uuid whose 16 bytes are the text of the id.
CREATE FUNCTION _snowid.sno_to_uuid(sno) RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_sno_to_uuid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
-- Cast of a uuid whose 16 bytes are the text of an id.
CREATE FUNCTION _snowid.sno_from_uuid(uuid) RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_from_uuid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (sno AS uuid) WITH FUNCTION _snowid.sno_to_uuid(sno) AS ASSIGNMENT;
COMMENT ON CAST (sno AS uuid) IS 'its 16 characters as bytes';
CREATE CAST (uuid AS sno) WITH FUNCTION _snowid.sno_from_uuid(uuid) AS ASSIGNMENT;
COMMENT ON CAST (uuid AS sno) IS 'the id whose 16 characters are its bytes';

-- the parts of an id

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
COMMENT ON FUNCTION sno_tick_tock(sno) IS 'its tick-tock bit, which flips when the clock steps back';
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
CREATE FUNCTION sno_lower_bound("time" timestamptz, metabyte integer) RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_lower_bound_of_metabyte' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sno_lower_bound(timestamptz, integer) IS
    'the smallest id with that metabyte whose time is not before the given one';

-- generator

CREATE FUNCTION sno_next(metabyte integer DEFAULT 0) RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_next' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION sno_next(integer) IS 'the next id of this server, with the given metabyte';
CREATE FUNCTION sno_next(metabyte integer, generator text) RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_next_of' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION sno_next(integer, text) IS 'the next id of a generator made by snowid_generator_create';
CREATE FUNCTION sno_next_batch(n bigint, metabyte integer DEFAULT 0) RETURNS SETOF sno
    AS 'MODULE_PATHNAME', 'snowid_sno_next_batch' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sno_next_batch(bigint, integer) IS
    'the next n ids of this server, in ascending order while its clock does not go back';
CREATE FUNCTION sno_next_batch(n bigint, metabyte integer, generator text) RETURNS SETOF sno
    AS 'MODULE_PATHNAME', 'snowid_sno_next_batch' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sno_next_batch(bigint, integer, text) IS 'the next n ids of a generator';
CREATE FUNCTION sno_at("time" timestamptz, generator text, metabyte integer DEFAULT 0) RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_at' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sno_at(timestamptz, text, integer) IS
    'an id of the given time, of a generator made with backfill; times must not go back';
