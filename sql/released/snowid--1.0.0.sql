\echo Use "CREATE EXTENSION snowid" to load this file. \quit

-- layouts ---------------------------------------------------------------------

CREATE FUNCTION snowid_layout_canonical(layout text) RETURNS text
    AS 'MODULE_PATHNAME', 'snowid_layout_canonical' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowid_layout_canonical(text) IS 'the canonical text of a snowflake layout; an error says what is wrong with it';

CREATE FUNCTION snowid_layouts(
    OUT name text, OUT layout text, OUT workers bigint, OUT tick interval,
    OUT capacity bigint, OUT ids_per_second bigint, OUT ends_at timestamptz) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'snowid_layouts' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 9;
COMMENT ON FUNCTION snowid_layouts() IS 'what the view snowid_layouts shows';

CREATE VIEW snowid_layouts AS SELECT * FROM @extschema@.snowid_layouts();
COMMENT ON VIEW snowid_layouts IS 'the snowflake layouts that have a name';
COMMENT ON COLUMN snowid_layouts.name IS 'what stands for the layout wherever one is asked for';
COMMENT ON COLUMN snowid_layouts.layout IS 'its text: epoch, tick, and the fields from the high bit to the low one';
COMMENT ON COLUMN snowid_layouts.workers IS 'how many servers or shards can generate side by side';
COMMENT ON COLUMN snowid_layouts.tick IS 'the unit of its time';
COMMENT ON COLUMN snowid_layouts.capacity IS 'how many ids one worker can generate in a tick';
COMMENT ON COLUMN snowid_layouts.ids_per_second IS 'how many ids one worker can generate in a second';
COMMENT ON COLUMN snowid_layouts.ends_at IS 'the last time for which it can generate ids';
GRANT SELECT ON snowid_layouts TO PUBLIC;

-- The layout that this database's ids have. The oldest row counts: a restored dump adds its row to the one made here.
CREATE TABLE snowid_layout (
    layout text NOT NULL CHECK (layout = @extschema@.snowid_layout_canonical(layout)),
    recorded timestamptz NOT NULL
);
COMMENT ON TABLE snowid_layout IS 'the snowflake layout of this database''s ids; the oldest row counts';
COMMENT ON COLUMN snowid_layout.layout IS 'its canonical text';
COMMENT ON COLUMN snowid_layout.recorded IS 'when it was recorded';
GRANT SELECT ON snowid_layout TO PUBLIC;
GRANT INSERT ON snowid_layout TO @extowner@;

CREATE FUNCTION snowid_record_changed() RETURNS trigger
    AS 'MODULE_PATHNAME', 'snowid_record_changed' LANGUAGE C PARALLEL SAFE;
COMMENT ON FUNCTION snowid_record_changed() IS 'lets every session read the changed table again';
REVOKE EXECUTE ON FUNCTION snowid_record_changed() FROM PUBLIC;
CREATE TRIGGER snowid_record_changed
    AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON snowid_layout
    FOR EACH STATEMENT EXECUTE FUNCTION snowid_record_changed();
ALTER TABLE snowid_layout ENABLE ALWAYS TRIGGER snowid_record_changed;

INSERT INTO snowid_layout
    SELECT @extschema@.snowid_layout_canonical(pg_catalog.current_setting('snowid.layout')), pg_catalog.clock_timestamp();
SELECT pg_catalog.pg_extension_config_dump('@extschema@.snowid_layout', '');

-- the durable horizon ---------------------------------------------------------
-- A row per generator, overwritten in place by the library. No key: a restored dump may add rows, and the highest counts.

CREATE FUNCTION snowid_horizon_of_server(generator bigint, OUT horizon bigint, OUT safe bigint, OUT drifts bigint)
    AS 'MODULE_PATHNAME', 'snowid_horizon_of_server' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowid_horizon_of_server(bigint) IS 'how far one of the server''s own generators can have come in any database';

CREATE TABLE snowid_horizon (
    generator bigint NOT NULL,
    horizon bigint NOT NULL,
    clock_offset bigint NOT NULL,
    boot bigint NOT NULL,
    server bigint NOT NULL,
    timeline bigint NOT NULL,
    safe bigint NOT NULL,
    drifts bigint NOT NULL
) USING heap;
COMMENT ON TABLE snowid_horizon IS 'how far each generator''s ids can have come; written by the library only';
COMMENT ON COLUMN snowid_horizon.generator IS 'number of the generator; 0 and -1 are the server''s own ones, of snowflakes and of snos';
COMMENT ON COLUMN snowid_horizon.horizon IS 'no id has been issued that is of this time or later, in Unix nanoseconds';
COMMENT ON COLUMN snowid_horizon.clock_offset IS 'wall time less elapsed time when that was written, in nanoseconds';
COMMENT ON COLUMN snowid_horizon.boot IS 'hash of the machine''s boot in which that was';
COMMENT ON COLUMN snowid_horizon.server IS 'hash of the machine and data directory where that was';
COMMENT ON COLUMN snowid_horizon.timeline IS 'WAL timeline on which that was';
COMMENT ON COLUMN snowid_horizon.safe IS 'of a sno generator: its last unit of time with the other tick-tock bit; 0 for snowflakes';
COMMENT ON COLUMN snowid_horizon.drifts IS 'of a sno generator: how often its tick-tock bit has changed; 0 for snowflakes';
GRANT SELECT ON snowid_horizon TO PUBLIC;
GRANT INSERT ON snowid_horizon TO @extowner@;
INSERT INTO snowid_horizon
    SELECT g, s.horizon, 0, 0, 0, 0, s.safe, s.drifts
    FROM pg_catalog.unnest('{0, -1}'::bigint[]) AS g, LATERAL @extschema@.snowid_horizon_of_server(g) AS s;
SELECT pg_catalog.pg_extension_config_dump('@extschema@.snowid_horizon', '');

CREATE FUNCTION snowid_horizon_added() RETURNS trigger
    AS 'MODULE_PATHNAME', 'snowid_horizon_added' LANGUAGE C PARALLEL SAFE;
COMMENT ON FUNCTION snowid_horizon_added() IS 'lets ids go on above a horizon that a dump has brought';
REVOKE EXECUTE ON FUNCTION snowid_horizon_added() FROM PUBLIC;
CREATE TRIGGER snowid_horizon_added AFTER INSERT ON snowid_horizon
    FOR EACH ROW EXECUTE FUNCTION snowid_horizon_added();
ALTER TABLE snowid_horizon ENABLE ALWAYS TRIGGER snowid_horizon_added;
CREATE TRIGGER snowid_record_changed
    AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON snowid_horizon
    FOR EACH STATEMENT EXECUTE FUNCTION snowid_record_changed();
ALTER TABLE snowid_horizon ENABLE ALWAYS TRIGGER snowid_record_changed;

-- what could endanger uniqueness is the superuser's

CREATE FUNCTION snowid_horizon_advance("time" timestamptz) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_horizon_advance' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_horizon_advance(timestamptz) IS 'lets no snowflake and no sno be dated before the given time; after a restore with a clock that is behind';
REVOKE EXECUTE ON FUNCTION snowid_horizon_advance(timestamptz) FROM PUBLIC;

CREATE FUNCTION snowid_horizon_rewind("time" timestamptz) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_horizon_rewind' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_horizon_rewind(timestamptz) IS 'lets snowflakes and snos be dated from the given time on again, at the risk of making ids that exist; after a clock''s leap that was wrongly believed';
REVOKE EXECUTE ON FUNCTION snowid_horizon_rewind(timestamptz) FROM PUBLIC;

CREATE FUNCTION snowid_clock_accept() RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_clock_accept' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_clock_accept() IS 'believes the clock as it is now, after a leap of more than snowid.clock_jump';
REVOKE EXECUTE ON FUNCTION snowid_clock_accept() FROM PUBLIC;

-- named generators ------------------------------------------------------------
-- Written by the functions below only. A row without a name is a claim of the past.

CREATE TABLE snowid_generator (
    id bigint NOT NULL CHECK (id > 0),  -- the others are the server's own
    name text UNIQUE,
    scheme text NOT NULL,
    layout text,
    worker integer,
    partition integer,
    sequence_min integer,
    sequence_max integer,
    overlap boolean NOT NULL,
    backfill boolean NOT NULL
) USING heap;
COMMENT ON TABLE snowid_generator IS 'the named generators of this database, and the claims that they gave up';
COMMENT ON COLUMN snowid_generator.id IS 'number of the generator, of its horizon in snowid_horizon too; never used again';
COMMENT ON COLUMN snowid_generator.name IS 'its name; none: a claim of the past, and who has it next starts above its horizon';
COMMENT ON COLUMN snowid_generator.scheme IS 'what its ids are: snowflake or sno';
COMMENT ON COLUMN snowid_generator.layout IS 'the layout of its ids; none: the database''s';
COMMENT ON COLUMN snowid_generator.worker IS 'the worker in its ids; none: the server''s';
COMMENT ON COLUMN snowid_generator.partition IS 'the partition in its snos; none: the server''s';
COMMENT ON COLUMN snowid_generator.sequence_min IS 'its first sequence number; none: 0';
COMMENT ON COLUMN snowid_generator.sequence_max IS 'its last sequence number; none: the last there is';
COMMENT ON COLUMN snowid_generator.overlap IS 'whether others may make the same ids';
COMMENT ON COLUMN snowid_generator.backfill IS 'whether its ids are of given times';
GRANT SELECT ON snowid_generator TO PUBLIC;
GRANT INSERT, UPDATE, DELETE ON snowid_generator TO @extowner@ WITH GRANT OPTION;
SELECT pg_catalog.pg_extension_config_dump('@extschema@.snowid_generator', '');

CREATE TRIGGER snowid_record_changed
    AFTER INSERT ON snowid_generator
    FOR EACH STATEMENT EXECUTE FUNCTION snowid_record_changed();
ALTER TABLE snowid_generator ENABLE ALWAYS TRIGGER snowid_record_changed;
CREATE FUNCTION snowid_generator_guard() RETURNS trigger
    AS 'MODULE_PATHNAME', 'snowid_generator_guard' LANGUAGE C PARALLEL SAFE;
COMMENT ON FUNCTION snowid_generator_guard() IS 'refuses changes that do not come through the functions of generators';
REVOKE EXECUTE ON FUNCTION snowid_generator_guard() FROM PUBLIC;
CREATE TRIGGER snowid_generator_guard
    BEFORE UPDATE OR DELETE OR TRUNCATE ON snowid_generator
    FOR EACH STATEMENT EXECUTE FUNCTION snowid_generator_guard();
ALTER TABLE snowid_generator ENABLE ALWAYS TRIGGER snowid_generator_guard;

CREATE FUNCTION snowid_generator_create(name text, scheme text DEFAULT 'snowflake', layout text DEFAULT NULL,
    worker integer DEFAULT NULL, partition integer DEFAULT NULL, sequence_min integer DEFAULT NULL,
    sequence_max integer DEFAULT NULL, overlap boolean DEFAULT false, backfill boolean DEFAULT false) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_generator_create' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_generator_create(text, text, text, integer, integer, integer, integer, boolean, boolean) IS 'makes a generator; for who may INSERT INTO snowid_generator';
CREATE FUNCTION snowid_generator_alter(name text, new_name text DEFAULT NULL, layout text DEFAULT NULL,
    worker integer DEFAULT NULL, partition integer DEFAULT NULL, sequence_min integer DEFAULT NULL,
    sequence_max integer DEFAULT NULL, overlap boolean DEFAULT NULL) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_generator_alter' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_generator_alter(text, text, text, integer, integer, integer, integer, boolean) IS 'changes what is given of a generator; for who may UPDATE snowid_generator';
CREATE FUNCTION snowid_generator_drop(name text) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_generator_drop' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_generator_drop(text) IS 'ends a generator; for who may DELETE FROM snowid_generator';

-- a generator's state, with which it goes on elsewhere

CREATE TYPE snowid_snapshot AS (
    id bigint, name text, scheme text, layout text, worker integer, partition integer, sequence_min integer,
    sequence_max integer, overlap boolean, backfill boolean, horizon bigint, safe bigint, drifts bigint, taken timestamptz,
    seal bigint);
COMMENT ON TYPE snowid_snapshot IS 'state of a generator, with which it goes on elsewhere';
CREATE FUNCTION snowid_generator_snapshot(name text) RETURNS snowid_snapshot
    AS 'MODULE_PATHNAME', 'snowid_generator_snapshot' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_generator_snapshot(text) IS 'the state of a generator; for who may UPDATE snowid_generator';
CREATE FUNCTION snowid_generator_restore(snapshot snowid_snapshot, name text DEFAULT NULL) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_generator_restore' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_generator_restore(snowid_snapshot, text) IS 'makes or continues a generator from a snapshot; for who may INSERT INTO snowid_generator';

-- snowflake -------------------------------------------------------------------
-- To bigint what varchar is to text: bigint's operator classes, statistics and equality serve it through its cast.

CREATE TYPE snowflake;
CREATE FUNCTION snowflake_in(cstring) RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_out(snowflake) RETURNS cstring
    AS 'int8out' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_recv(internal) RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_send(snowflake) RETURNS bytea
    AS 'int8send' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE snowflake (
    INPUT = snowflake_in, OUTPUT = snowflake_out, RECEIVE = snowflake_recv, SEND = snowflake_send,
    LIKE = bigint, CATEGORY = 'N'
);
COMMENT ON TYPE snowflake IS 'time-ordered 64-bit id, stored and compared as a bigint';
COMMENT ON FUNCTION snowflake_in(cstring) IS 'I/O';
COMMENT ON FUNCTION snowflake_out(snowflake) IS 'I/O';
COMMENT ON FUNCTION snowflake_recv(internal) IS 'I/O';
COMMENT ON FUNCTION snowflake_send(snowflake) IS 'I/O';

-- casts

CREATE CAST (snowflake AS bigint) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (snowflake AS bigint) IS 'the same 64 bits';
CREATE CAST (snowflake AS numeric) WITH FUNCTION pg_catalog.numeric(bigint) AS ASSIGNMENT;
COMMENT ON CAST (snowflake AS numeric) IS 'the same number';
CREATE CAST (bigint AS snowflake) WITHOUT FUNCTION AS ASSIGNMENT;
COMMENT ON CAST (bigint AS snowflake) IS 'the same 64 bits';
CREATE FUNCTION snowflake(integer) RETURNS snowflake
    AS 'int48' LANGUAGE internal IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION snowflake(integer) IS 'cast of an integer';
CREATE FUNCTION snowflake(smallint) RETURNS snowflake
    AS 'int28' LANGUAGE internal IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION snowflake(smallint) IS 'cast of a smallint';
CREATE CAST (integer AS snowflake) WITH FUNCTION snowflake(integer) AS ASSIGNMENT;
COMMENT ON CAST (integer AS snowflake) IS 'the same number';
CREATE CAST (smallint AS snowflake) WITH FUNCTION snowflake(smallint) AS ASSIGNMENT;
COMMENT ON CAST (smallint AS snowflake) IS 'the same number';

-- comparisons: only those beside which an untyped literal must be an id

CREATE FUNCTION snowflake_lt_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_snowflake_lt_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_le_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_snowflake_le_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_gt_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_snowflake_gt_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_ge_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_snowflake_ge_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_lt_support(internal) IS 'planner support: becomes the comparison of bigints';
COMMENT ON FUNCTION snowflake_le_support(internal) IS 'planner support: becomes the comparison of bigints';
COMMENT ON FUNCTION snowflake_gt_support(internal) IS 'planner support: becomes the comparison of bigints';
COMMENT ON FUNCTION snowflake_ge_support(internal) IS 'planner support: becomes the comparison of bigints';

CREATE FUNCTION snowflake_lt(snowflake, snowflake) RETURNS boolean
    AS 'int8lt' LANGUAGE internal IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowflake_lt_support;
CREATE FUNCTION snowflake_le(snowflake, snowflake) RETURNS boolean
    AS 'int8le' LANGUAGE internal IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowflake_le_support;
CREATE FUNCTION snowflake_gt(snowflake, snowflake) RETURNS boolean
    AS 'int8gt' LANGUAGE internal IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowflake_gt_support;
CREATE FUNCTION snowflake_ge(snowflake, snowflake) RETURNS boolean
    AS 'int8ge' LANGUAGE internal IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowflake_ge_support;
COMMENT ON FUNCTION snowflake_lt(snowflake, snowflake) IS 'implementation of < operator';
COMMENT ON FUNCTION snowflake_le(snowflake, snowflake) IS 'implementation of <= operator';
COMMENT ON FUNCTION snowflake_gt(snowflake, snowflake) IS 'implementation of > operator';
COMMENT ON FUNCTION snowflake_ge(snowflake, snowflake) IS 'implementation of >= operator';

CREATE OPERATOR < (LEFTARG = snowflake, RIGHTARG = snowflake, FUNCTION = snowflake_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = snowflake, RIGHTARG = snowflake, FUNCTION = snowflake_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR > (LEFTARG = snowflake, RIGHTARG = snowflake, FUNCTION = snowflake_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (LEFTARG = snowflake, RIGHTARG = snowflake, FUNCTION = snowflake_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
COMMENT ON OPERATOR < (snowflake, snowflake) IS 'less than';
COMMENT ON OPERATOR <= (snowflake, snowflake) IS 'less than or equal';
COMMENT ON OPERATOR > (snowflake, snowflake) IS 'greater than';
COMMENT ON OPERATOR >= (snowflake, snowflake) IS 'greater than or equal';

-- generator

CREATE FUNCTION snowflake_next() RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_next' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_next() IS 'the next id of this server';
CREATE FUNCTION snowflake_next(generator text) RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_next_of' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_next(text) IS 'the next id of a generator that snowid_generator_create has made';
CREATE FUNCTION snowflake_next_batch(n bigint) RETURNS SETOF snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_next_batch' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_next_batch(bigint) IS 'the next n ids of this server, in ascending order';
CREATE FUNCTION snowflake_next_batch(n bigint, generator text) RETURNS SETOF snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_next_batch' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_next_batch(bigint, text) IS 'the next n ids of a generator, in ascending order';

CREATE FUNCTION snowflake_at("time" timestamptz, generator text) RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_at' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_at(timestamptz, text) IS 'a new id of the given time, of a generator made with backfill => true';

-- what an id holds: by the recorded layout, or by one that is given

CREATE FUNCTION snowflake_time(id bigint) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'snowid_snowflake_time' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_time(id bigint, layout text) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'snowid_snowflake_time' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
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
COMMENT ON FUNCTION snowflake_encode(timestamptz, integer, integer, text) IS 'the id of the given layout that has these parts';

CREATE FUNCTION snowflake_lower_bound("time" timestamptz) RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_lower_bound' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowflake_lower_bound("time" timestamptz, layout text) RETURNS snowflake
    AS 'MODULE_PATHNAME', 'snowid_snowflake_lower_bound' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_lower_bound(timestamptz) IS 'the smallest id whose time is not before the given one';
COMMENT ON FUNCTION snowflake_lower_bound(timestamptz, text) IS 'the smallest id of the given layout whose time is not before the given one';

-- estimates -------------------------------------------------------------------

CREATE FUNCTION snowid_range_selectivity(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME', 'snowid_range_selectivity' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowid_range_selectivity(internal, oid, internal, integer) IS 'restriction selectivity of <, <=, > and >= of ids';

-- time filters: what those of all types share ---------------------------------

CREATE FUNCTION snowid_time_lt_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_time_lt_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowid_time_le_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_time_le_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowid_time_ge_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_time_ge_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowid_time_gt_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_time_gt_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION snowid_time_in_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_time_in_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowid_time_lt_support(internal) IS 'planner support: becomes comparisons of the id';
COMMENT ON FUNCTION snowid_time_le_support(internal) IS 'planner support: becomes comparisons of the id';
COMMENT ON FUNCTION snowid_time_ge_support(internal) IS 'planner support: becomes comparisons of the id';
COMMENT ON FUNCTION snowid_time_gt_support(internal) IS 'planner support: becomes comparisons of the id';
COMMENT ON FUNCTION snowid_time_in_support(internal) IS 'planner support: becomes comparisons of the id';
CREATE FUNCTION snowid_time_selectivity(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME', 'snowid_time_selectivity' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowid_time_selectivity(internal, oid, internal, integer) IS 'restriction selectivity of time filters';

CREATE FUNCTION snowid_bound_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_bound_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowid_bound_support(internal) IS 'planner support: refuses an operator that compares no times';
CREATE FUNCTION snowid_certain_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'snowid_certain_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowid_certain_support(internal) IS 'planner support: true for nearly all rows';
CREATE FUNCTION uuidv7_valid(id uuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_valid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_certain_support;
COMMENT ON FUNCTION uuidv7_valid(uuid) IS 'whether it is a UUIDv7, and so has a time';

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

-- uuidv7 ----------------------------------------------------------------------
-- Functions beside the built-in type uuid. PostgreSQL 18 has an uuidv7() of its own in pg_catalog, which goes before the
-- one here.

-- generator

CREATE FUNCTION uuidv7() RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_uuidv7' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
CREATE FUNCTION uuidv7(shift interval) RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_shifted' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION @extschema@.uuidv7() IS 'the next UUIDv7: greater than all that the server made before';
COMMENT ON FUNCTION @extschema@.uuidv7(interval) IS 'a new UUIDv7 whose time is shifted';
CREATE FUNCTION uuidv7_next() RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_next' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
CREATE FUNCTION uuidv7_next(shift interval) RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_next_shifted' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_next() IS 'the next UUIDv7: greater than all that the server made before';
COMMENT ON FUNCTION uuidv7_next(interval) IS 'a new UUIDv7 whose time is shifted; ascending for one shift of fixed length';
CREATE FUNCTION uuidv7_next_batch(n bigint) RETURNS SETOF uuid
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_next_batch' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_next_batch(bigint) IS 'the next n UUIDv7, in ascending order';
CREATE FUNCTION uuidv7_at("time" timestamptz) RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_at' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_at(timestamptz) IS 'a new UUIDv7 of the given time';

-- what an id holds: NULL where it is not of version 7

CREATE FUNCTION uuidv7_time(id uuid) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_time' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_time(uuid) IS 'the time in a UUIDv7';
CREATE CAST (uuid AS timestamptz) WITH FUNCTION uuidv7_time(uuid);
COMMENT ON CAST (uuid AS timestamptz) IS 'the time in a UUIDv7';
CREATE FUNCTION uuidv7_rand_a(id uuid) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_rand_a' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_rand_a(uuid) IS 'the 12 bits behind the time';
CREATE FUNCTION uuidv7_rand_b(id uuid) RETURNS bigint
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_rand_b' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_rand_b(uuid) IS 'the last 62 bits';
CREATE FUNCTION uuidv7_version(id uuid) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_version' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_version(uuid) IS 'the version of a UUID of RFC 9562';
CREATE FUNCTION uuidv7_decode(id uuid,
    OUT "time" timestamptz, OUT rand_a integer, OUT rand_b bigint, OUT version integer)
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_decode(uuid) IS 'all parts of a UUIDv7';
CREATE FUNCTION uuidv7_encode("time" timestamptz, rand_a integer, rand_b bigint) RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_encode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_encode(timestamptz, integer, bigint) IS 'the UUIDv7 that has these parts';
CREATE FUNCTION uuidv7_lower_bound("time" timestamptz) RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_lower_bound' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_lower_bound(timestamptz) IS 'the smallest UUIDv7 whose time is not before the given one';

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

-- what only some versions of PostgreSQL have ----------------------------------
-- 18 and later can ask a btree class for the neighbours of a value (skip support); earlier ones refuse to hear of it.

CREATE FUNCTION snowid_catalog_update(OUT added text) RETURNS SETOF text
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    id_type name;
BEGIN
    IF current_setting('server_version_num')::int4 < 180000 THEN RETURN; END IF;
    FOREACH id_type IN ARRAY ARRAY['ulid', 'ksuid', 'objectid', 'rsxid', 'sandflake', 'sno'] LOOP
        CONTINUE WHEN EXISTS (SELECT FROM pg_amproc WHERE amprocnum = 6
            AND amproc = pg_catalog.to_regprocedure('@extschema@.' || id_type || '_skipsupport(internal)'));
        EXECUTE format('ALTER OPERATOR FAMILY @extschema@.%1$I USING btree
            ADD FUNCTION 6 (@extschema@.%2$I, @extschema@.%2$I) @extschema@.%3$I(internal)',
            id_type || '_ops', id_type, id_type || '_skipsupport');
        added := 'skip support of ' || id_type;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION snowid_catalog_update() IS 'adds to the extension what this version of PostgreSQL offers; for a superuser to call after pg_upgrade';
REVOKE EXECUTE ON FUNCTION snowid_catalog_update() FROM PUBLIC;

DO $$ BEGIN PERFORM @extschema@.snowid_catalog_update(); END $$;

-- time filters of snowflake ---------------------------------------------------------
-- The comparisons mean the time of the id. This part is written once for all types: see the Makefile.

CREATE FUNCTION snowflake_first("time" timestamptz, operator text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'snowid_snowflake_first' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10 SUPPORT snowid_bound_support;
CREATE FUNCTION snowflake_last("time" timestamptz, operator text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'snowid_snowflake_last' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10 SUPPORT snowid_bound_support;
CREATE FUNCTION snowflake_first(times tstzrange) RETURNS bigint
    AS 'MODULE_PATHNAME', 'snowid_snowflake_first_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
CREATE FUNCTION snowflake_last(times tstzrange) RETURNS bigint
    AS 'MODULE_PATHNAME', 'snowid_snowflake_last_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION snowflake_first(timestamptz, text) IS 'the first id whose time is <, <=, >= or > the given one; greater than the last where there is none';
COMMENT ON FUNCTION snowflake_last(timestamptz, text) IS 'the last id whose time is <, <=, >= or > the given one; less than the first where there is none';
COMMENT ON FUNCTION snowflake_first(tstzrange) IS 'the first id whose time is in the range; greater than the last where there is none';
COMMENT ON FUNCTION snowflake_last(tstzrange) IS 'the last id whose time is in the range; less than the first where there is none';

CREATE FUNCTION snowflake_time_lt(snowflake, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_snowflake_time_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_lt_support;
CREATE FUNCTION snowflake_time_lt(timestamptz, snowflake) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_lt_snowflake' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_lt_support;
CREATE FUNCTION snowflake_time_le(snowflake, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_snowflake_time_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_le_support;
CREATE FUNCTION snowflake_time_le(timestamptz, snowflake) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_le_snowflake' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_le_support;
CREATE FUNCTION snowflake_time_gt(snowflake, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_snowflake_time_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_gt_support;
CREATE FUNCTION snowflake_time_gt(timestamptz, snowflake) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_gt_snowflake' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_gt_support;
CREATE FUNCTION snowflake_time_ge(snowflake, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_snowflake_time_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_ge_support;
CREATE FUNCTION snowflake_time_ge(timestamptz, snowflake) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_ge_snowflake' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_ge_support;
CREATE FUNCTION snowflake_time_in(snowflake, tstzrange) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_snowflake_time_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_in_support;
CREATE FUNCTION snowflake_time_in(tstzrange, snowflake) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_contains_snowflake' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_in_support;
COMMENT ON FUNCTION snowflake_time_lt(snowflake, timestamptz) IS 'implementation of < operator';
COMMENT ON FUNCTION snowflake_time_lt(timestamptz, snowflake) IS 'implementation of < operator';
COMMENT ON FUNCTION snowflake_time_le(snowflake, timestamptz) IS 'implementation of <= operator';
COMMENT ON FUNCTION snowflake_time_le(timestamptz, snowflake) IS 'implementation of <= operator';
COMMENT ON FUNCTION snowflake_time_gt(snowflake, timestamptz) IS 'implementation of > operator';
COMMENT ON FUNCTION snowflake_time_gt(timestamptz, snowflake) IS 'implementation of > operator';
COMMENT ON FUNCTION snowflake_time_ge(snowflake, timestamptz) IS 'implementation of >= operator';
COMMENT ON FUNCTION snowflake_time_ge(timestamptz, snowflake) IS 'implementation of >= operator';
COMMENT ON FUNCTION snowflake_time_in(snowflake, tstzrange) IS 'implementation of <@ operator';
COMMENT ON FUNCTION snowflake_time_in(tstzrange, snowflake) IS 'implementation of @> operator';

CREATE OPERATOR < (LEFTARG = snowflake, RIGHTARG = timestamptz, FUNCTION = snowflake_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_time_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = snowflake, RIGHTARG = timestamptz, FUNCTION = snowflake_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_time_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR > (LEFTARG = snowflake, RIGHTARG = timestamptz, FUNCTION = snowflake_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_time_selectivity, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (LEFTARG = snowflake, RIGHTARG = timestamptz, FUNCTION = snowflake_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_time_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR < (LEFTARG = timestamptz, RIGHTARG = snowflake, FUNCTION = snowflake_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_time_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = timestamptz, RIGHTARG = snowflake, FUNCTION = snowflake_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_time_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR > (LEFTARG = timestamptz, RIGHTARG = snowflake, FUNCTION = snowflake_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_time_selectivity, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (LEFTARG = timestamptz, RIGHTARG = snowflake, FUNCTION = snowflake_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_time_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR <@ (LEFTARG = snowflake, RIGHTARG = tstzrange, FUNCTION = snowflake_time_in,
    COMMUTATOR = @>, RESTRICT = snowid_time_selectivity, JOIN = contjoinsel);
CREATE OPERATOR @> (LEFTARG = tstzrange, RIGHTARG = snowflake, FUNCTION = snowflake_time_in,
    COMMUTATOR = <@, RESTRICT = snowid_time_selectivity, JOIN = contjoinsel);
COMMENT ON OPERATOR < (snowflake, timestamptz) IS 'the time of the id is before the given one';
COMMENT ON OPERATOR <= (snowflake, timestamptz) IS 'the time of the id is not after the given one';
COMMENT ON OPERATOR > (snowflake, timestamptz) IS 'the time of the id is after the given one';
COMMENT ON OPERATOR >= (snowflake, timestamptz) IS 'the time of the id is not before the given one';
COMMENT ON OPERATOR < (timestamptz, snowflake) IS 'the given time is before that of the id';
COMMENT ON OPERATOR <= (timestamptz, snowflake) IS 'the given time is not after that of the id';
COMMENT ON OPERATOR > (timestamptz, snowflake) IS 'the given time is after that of the id';
COMMENT ON OPERATOR >= (timestamptz, snowflake) IS 'the given time is not before that of the id';
COMMENT ON OPERATOR <@ (snowflake, tstzrange) IS 'the time of the id is in the range';
COMMENT ON OPERATOR @> (tstzrange, snowflake) IS 'the time of the id is in the range';

-- time filters of uuid ---------------------------------------------------------
-- The comparisons mean the time of the id. This part is written once for all types: see the Makefile.

CREATE FUNCTION uuidv7_first("time" timestamptz, operator text) RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_first' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10 SUPPORT snowid_bound_support;
CREATE FUNCTION uuidv7_last("time" timestamptz, operator text) RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_last' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10 SUPPORT snowid_bound_support;
CREATE FUNCTION uuidv7_first(times tstzrange) RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_first_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
CREATE FUNCTION uuidv7_last(times tstzrange) RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_last_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION uuidv7_first(timestamptz, text) IS 'the first id whose time is <, <=, >= or > the given one; greater than the last where there is none';
COMMENT ON FUNCTION uuidv7_last(timestamptz, text) IS 'the last id whose time is <, <=, >= or > the given one; less than the first where there is none';
COMMENT ON FUNCTION uuidv7_first(tstzrange) IS 'the first id whose time is in the range; greater than the last where there is none';
COMMENT ON FUNCTION uuidv7_last(tstzrange) IS 'the last id whose time is in the range; less than the first where there is none';

CREATE FUNCTION uuidv7_time_lt(uuid, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_time_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_lt_support;
CREATE FUNCTION uuidv7_time_lt(timestamptz, uuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_lt_uuidv7' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_lt_support;
CREATE FUNCTION uuidv7_time_le(uuid, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_time_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_le_support;
CREATE FUNCTION uuidv7_time_le(timestamptz, uuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_le_uuidv7' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_le_support;
CREATE FUNCTION uuidv7_time_gt(uuid, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_time_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_gt_support;
CREATE FUNCTION uuidv7_time_gt(timestamptz, uuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_gt_uuidv7' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_gt_support;
CREATE FUNCTION uuidv7_time_ge(uuid, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_time_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_ge_support;
CREATE FUNCTION uuidv7_time_ge(timestamptz, uuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_ge_uuidv7' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_ge_support;
CREATE FUNCTION uuidv7_time_in(uuid, tstzrange) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_uuidv7_time_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_in_support;
CREATE FUNCTION uuidv7_time_in(tstzrange, uuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_contains_uuidv7' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_in_support;
COMMENT ON FUNCTION uuidv7_time_lt(uuid, timestamptz) IS 'implementation of < operator';
COMMENT ON FUNCTION uuidv7_time_lt(timestamptz, uuid) IS 'implementation of < operator';
COMMENT ON FUNCTION uuidv7_time_le(uuid, timestamptz) IS 'implementation of <= operator';
COMMENT ON FUNCTION uuidv7_time_le(timestamptz, uuid) IS 'implementation of <= operator';
COMMENT ON FUNCTION uuidv7_time_gt(uuid, timestamptz) IS 'implementation of > operator';
COMMENT ON FUNCTION uuidv7_time_gt(timestamptz, uuid) IS 'implementation of > operator';
COMMENT ON FUNCTION uuidv7_time_ge(uuid, timestamptz) IS 'implementation of >= operator';
COMMENT ON FUNCTION uuidv7_time_ge(timestamptz, uuid) IS 'implementation of >= operator';
COMMENT ON FUNCTION uuidv7_time_in(uuid, tstzrange) IS 'implementation of <@ operator';
COMMENT ON FUNCTION uuidv7_time_in(tstzrange, uuid) IS 'implementation of @> operator';

CREATE OPERATOR < (LEFTARG = uuid, RIGHTARG = timestamptz, FUNCTION = uuidv7_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_time_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = uuid, RIGHTARG = timestamptz, FUNCTION = uuidv7_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_time_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR > (LEFTARG = uuid, RIGHTARG = timestamptz, FUNCTION = uuidv7_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_time_selectivity, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (LEFTARG = uuid, RIGHTARG = timestamptz, FUNCTION = uuidv7_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_time_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR < (LEFTARG = timestamptz, RIGHTARG = uuid, FUNCTION = uuidv7_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_time_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = timestamptz, RIGHTARG = uuid, FUNCTION = uuidv7_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_time_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR > (LEFTARG = timestamptz, RIGHTARG = uuid, FUNCTION = uuidv7_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_time_selectivity, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (LEFTARG = timestamptz, RIGHTARG = uuid, FUNCTION = uuidv7_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_time_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR <@ (LEFTARG = uuid, RIGHTARG = tstzrange, FUNCTION = uuidv7_time_in,
    COMMUTATOR = @>, RESTRICT = snowid_time_selectivity, JOIN = contjoinsel);
CREATE OPERATOR @> (LEFTARG = tstzrange, RIGHTARG = uuid, FUNCTION = uuidv7_time_in,
    COMMUTATOR = <@, RESTRICT = snowid_time_selectivity, JOIN = contjoinsel);
COMMENT ON OPERATOR < (uuid, timestamptz) IS 'the time of the id is before the given one';
COMMENT ON OPERATOR <= (uuid, timestamptz) IS 'the time of the id is not after the given one';
COMMENT ON OPERATOR > (uuid, timestamptz) IS 'the time of the id is after the given one';
COMMENT ON OPERATOR >= (uuid, timestamptz) IS 'the time of the id is not before the given one';
COMMENT ON OPERATOR < (timestamptz, uuid) IS 'the given time is before that of the id';
COMMENT ON OPERATOR <= (timestamptz, uuid) IS 'the given time is not after that of the id';
COMMENT ON OPERATOR > (timestamptz, uuid) IS 'the given time is after that of the id';
COMMENT ON OPERATOR >= (timestamptz, uuid) IS 'the given time is not before that of the id';
COMMENT ON OPERATOR <@ (uuid, tstzrange) IS 'the time of the id is in the range';
COMMENT ON OPERATOR @> (tstzrange, uuid) IS 'the time of the id is in the range';

-- time filters of ulid ---------------------------------------------------------
-- The comparisons mean the time of the id. This part is written once for all types: see the Makefile.

CREATE FUNCTION ulid_first("time" timestamptz, operator text) RETURNS ulid
    AS 'MODULE_PATHNAME', 'snowid_ulid_first' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10 SUPPORT snowid_bound_support;
CREATE FUNCTION ulid_last("time" timestamptz, operator text) RETURNS ulid
    AS 'MODULE_PATHNAME', 'snowid_ulid_last' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10 SUPPORT snowid_bound_support;
CREATE FUNCTION ulid_first(times tstzrange) RETURNS ulid
    AS 'MODULE_PATHNAME', 'snowid_ulid_first_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
CREATE FUNCTION ulid_last(times tstzrange) RETURNS ulid
    AS 'MODULE_PATHNAME', 'snowid_ulid_last_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION ulid_first(timestamptz, text) IS 'the first id whose time is <, <=, >= or > the given one; greater than the last where there is none';
COMMENT ON FUNCTION ulid_last(timestamptz, text) IS 'the last id whose time is <, <=, >= or > the given one; less than the first where there is none';
COMMENT ON FUNCTION ulid_first(tstzrange) IS 'the first id whose time is in the range; greater than the last where there is none';
COMMENT ON FUNCTION ulid_last(tstzrange) IS 'the last id whose time is in the range; less than the first where there is none';

CREATE FUNCTION ulid_time_lt(ulid, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ulid_time_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_lt_support;
CREATE FUNCTION ulid_time_lt(timestamptz, ulid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_lt_ulid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_lt_support;
CREATE FUNCTION ulid_time_le(ulid, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ulid_time_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_le_support;
CREATE FUNCTION ulid_time_le(timestamptz, ulid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_le_ulid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_le_support;
CREATE FUNCTION ulid_time_gt(ulid, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ulid_time_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_gt_support;
CREATE FUNCTION ulid_time_gt(timestamptz, ulid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_gt_ulid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_gt_support;
CREATE FUNCTION ulid_time_ge(ulid, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ulid_time_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_ge_support;
CREATE FUNCTION ulid_time_ge(timestamptz, ulid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_ge_ulid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_ge_support;
CREATE FUNCTION ulid_time_in(ulid, tstzrange) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ulid_time_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_in_support;
CREATE FUNCTION ulid_time_in(tstzrange, ulid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_contains_ulid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_in_support;
COMMENT ON FUNCTION ulid_time_lt(ulid, timestamptz) IS 'implementation of < operator';
COMMENT ON FUNCTION ulid_time_lt(timestamptz, ulid) IS 'implementation of < operator';
COMMENT ON FUNCTION ulid_time_le(ulid, timestamptz) IS 'implementation of <= operator';
COMMENT ON FUNCTION ulid_time_le(timestamptz, ulid) IS 'implementation of <= operator';
COMMENT ON FUNCTION ulid_time_gt(ulid, timestamptz) IS 'implementation of > operator';
COMMENT ON FUNCTION ulid_time_gt(timestamptz, ulid) IS 'implementation of > operator';
COMMENT ON FUNCTION ulid_time_ge(ulid, timestamptz) IS 'implementation of >= operator';
COMMENT ON FUNCTION ulid_time_ge(timestamptz, ulid) IS 'implementation of >= operator';
COMMENT ON FUNCTION ulid_time_in(ulid, tstzrange) IS 'implementation of <@ operator';
COMMENT ON FUNCTION ulid_time_in(tstzrange, ulid) IS 'implementation of @> operator';

CREATE OPERATOR < (LEFTARG = ulid, RIGHTARG = timestamptz, FUNCTION = ulid_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_time_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = ulid, RIGHTARG = timestamptz, FUNCTION = ulid_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_time_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR > (LEFTARG = ulid, RIGHTARG = timestamptz, FUNCTION = ulid_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_time_selectivity, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (LEFTARG = ulid, RIGHTARG = timestamptz, FUNCTION = ulid_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_time_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR < (LEFTARG = timestamptz, RIGHTARG = ulid, FUNCTION = ulid_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_time_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = timestamptz, RIGHTARG = ulid, FUNCTION = ulid_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_time_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR > (LEFTARG = timestamptz, RIGHTARG = ulid, FUNCTION = ulid_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_time_selectivity, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (LEFTARG = timestamptz, RIGHTARG = ulid, FUNCTION = ulid_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_time_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR <@ (LEFTARG = ulid, RIGHTARG = tstzrange, FUNCTION = ulid_time_in,
    COMMUTATOR = @>, RESTRICT = snowid_time_selectivity, JOIN = contjoinsel);
CREATE OPERATOR @> (LEFTARG = tstzrange, RIGHTARG = ulid, FUNCTION = ulid_time_in,
    COMMUTATOR = <@, RESTRICT = snowid_time_selectivity, JOIN = contjoinsel);
COMMENT ON OPERATOR < (ulid, timestamptz) IS 'the time of the id is before the given one';
COMMENT ON OPERATOR <= (ulid, timestamptz) IS 'the time of the id is not after the given one';
COMMENT ON OPERATOR > (ulid, timestamptz) IS 'the time of the id is after the given one';
COMMENT ON OPERATOR >= (ulid, timestamptz) IS 'the time of the id is not before the given one';
COMMENT ON OPERATOR < (timestamptz, ulid) IS 'the given time is before that of the id';
COMMENT ON OPERATOR <= (timestamptz, ulid) IS 'the given time is not after that of the id';
COMMENT ON OPERATOR > (timestamptz, ulid) IS 'the given time is after that of the id';
COMMENT ON OPERATOR >= (timestamptz, ulid) IS 'the given time is not before that of the id';
COMMENT ON OPERATOR <@ (ulid, tstzrange) IS 'the time of the id is in the range';
COMMENT ON OPERATOR @> (tstzrange, ulid) IS 'the time of the id is in the range';

-- time filters of ksuid ---------------------------------------------------------
-- The comparisons mean the time of the id. This part is written once for all types: see the Makefile.

CREATE FUNCTION ksuid_first("time" timestamptz, operator text) RETURNS ksuid
    AS 'MODULE_PATHNAME', 'snowid_ksuid_first' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10 SUPPORT snowid_bound_support;
CREATE FUNCTION ksuid_last("time" timestamptz, operator text) RETURNS ksuid
    AS 'MODULE_PATHNAME', 'snowid_ksuid_last' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10 SUPPORT snowid_bound_support;
CREATE FUNCTION ksuid_first(times tstzrange) RETURNS ksuid
    AS 'MODULE_PATHNAME', 'snowid_ksuid_first_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
CREATE FUNCTION ksuid_last(times tstzrange) RETURNS ksuid
    AS 'MODULE_PATHNAME', 'snowid_ksuid_last_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION ksuid_first(timestamptz, text) IS 'the first id whose time is <, <=, >= or > the given one; greater than the last where there is none';
COMMENT ON FUNCTION ksuid_last(timestamptz, text) IS 'the last id whose time is <, <=, >= or > the given one; less than the first where there is none';
COMMENT ON FUNCTION ksuid_first(tstzrange) IS 'the first id whose time is in the range; greater than the last where there is none';
COMMENT ON FUNCTION ksuid_last(tstzrange) IS 'the last id whose time is in the range; less than the first where there is none';

CREATE FUNCTION ksuid_time_lt(ksuid, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ksuid_time_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_lt_support;
CREATE FUNCTION ksuid_time_lt(timestamptz, ksuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_lt_ksuid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_lt_support;
CREATE FUNCTION ksuid_time_le(ksuid, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ksuid_time_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_le_support;
CREATE FUNCTION ksuid_time_le(timestamptz, ksuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_le_ksuid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_le_support;
CREATE FUNCTION ksuid_time_gt(ksuid, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ksuid_time_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_gt_support;
CREATE FUNCTION ksuid_time_gt(timestamptz, ksuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_gt_ksuid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_gt_support;
CREATE FUNCTION ksuid_time_ge(ksuid, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ksuid_time_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_ge_support;
CREATE FUNCTION ksuid_time_ge(timestamptz, ksuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_ge_ksuid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_ge_support;
CREATE FUNCTION ksuid_time_in(ksuid, tstzrange) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_ksuid_time_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_in_support;
CREATE FUNCTION ksuid_time_in(tstzrange, ksuid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_contains_ksuid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_in_support;
COMMENT ON FUNCTION ksuid_time_lt(ksuid, timestamptz) IS 'implementation of < operator';
COMMENT ON FUNCTION ksuid_time_lt(timestamptz, ksuid) IS 'implementation of < operator';
COMMENT ON FUNCTION ksuid_time_le(ksuid, timestamptz) IS 'implementation of <= operator';
COMMENT ON FUNCTION ksuid_time_le(timestamptz, ksuid) IS 'implementation of <= operator';
COMMENT ON FUNCTION ksuid_time_gt(ksuid, timestamptz) IS 'implementation of > operator';
COMMENT ON FUNCTION ksuid_time_gt(timestamptz, ksuid) IS 'implementation of > operator';
COMMENT ON FUNCTION ksuid_time_ge(ksuid, timestamptz) IS 'implementation of >= operator';
COMMENT ON FUNCTION ksuid_time_ge(timestamptz, ksuid) IS 'implementation of >= operator';
COMMENT ON FUNCTION ksuid_time_in(ksuid, tstzrange) IS 'implementation of <@ operator';
COMMENT ON FUNCTION ksuid_time_in(tstzrange, ksuid) IS 'implementation of @> operator';

CREATE OPERATOR < (LEFTARG = ksuid, RIGHTARG = timestamptz, FUNCTION = ksuid_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_time_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = ksuid, RIGHTARG = timestamptz, FUNCTION = ksuid_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_time_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR > (LEFTARG = ksuid, RIGHTARG = timestamptz, FUNCTION = ksuid_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_time_selectivity, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (LEFTARG = ksuid, RIGHTARG = timestamptz, FUNCTION = ksuid_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_time_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR < (LEFTARG = timestamptz, RIGHTARG = ksuid, FUNCTION = ksuid_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_time_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = timestamptz, RIGHTARG = ksuid, FUNCTION = ksuid_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_time_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR > (LEFTARG = timestamptz, RIGHTARG = ksuid, FUNCTION = ksuid_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_time_selectivity, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (LEFTARG = timestamptz, RIGHTARG = ksuid, FUNCTION = ksuid_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_time_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR <@ (LEFTARG = ksuid, RIGHTARG = tstzrange, FUNCTION = ksuid_time_in,
    COMMUTATOR = @>, RESTRICT = snowid_time_selectivity, JOIN = contjoinsel);
CREATE OPERATOR @> (LEFTARG = tstzrange, RIGHTARG = ksuid, FUNCTION = ksuid_time_in,
    COMMUTATOR = <@, RESTRICT = snowid_time_selectivity, JOIN = contjoinsel);
COMMENT ON OPERATOR < (ksuid, timestamptz) IS 'the time of the id is before the given one';
COMMENT ON OPERATOR <= (ksuid, timestamptz) IS 'the time of the id is not after the given one';
COMMENT ON OPERATOR > (ksuid, timestamptz) IS 'the time of the id is after the given one';
COMMENT ON OPERATOR >= (ksuid, timestamptz) IS 'the time of the id is not before the given one';
COMMENT ON OPERATOR < (timestamptz, ksuid) IS 'the given time is before that of the id';
COMMENT ON OPERATOR <= (timestamptz, ksuid) IS 'the given time is not after that of the id';
COMMENT ON OPERATOR > (timestamptz, ksuid) IS 'the given time is after that of the id';
COMMENT ON OPERATOR >= (timestamptz, ksuid) IS 'the given time is not before that of the id';
COMMENT ON OPERATOR <@ (ksuid, tstzrange) IS 'the time of the id is in the range';
COMMENT ON OPERATOR @> (tstzrange, ksuid) IS 'the time of the id is in the range';

-- time filters of objectid ---------------------------------------------------------
-- The comparisons mean the time of the id. This part is written once for all types: see the Makefile.

CREATE FUNCTION objectid_first("time" timestamptz, operator text) RETURNS objectid
    AS 'MODULE_PATHNAME', 'snowid_objectid_first' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10 SUPPORT snowid_bound_support;
CREATE FUNCTION objectid_last("time" timestamptz, operator text) RETURNS objectid
    AS 'MODULE_PATHNAME', 'snowid_objectid_last' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10 SUPPORT snowid_bound_support;
CREATE FUNCTION objectid_first(times tstzrange) RETURNS objectid
    AS 'MODULE_PATHNAME', 'snowid_objectid_first_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
CREATE FUNCTION objectid_last(times tstzrange) RETURNS objectid
    AS 'MODULE_PATHNAME', 'snowid_objectid_last_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION objectid_first(timestamptz, text) IS 'the first id whose time is <, <=, >= or > the given one; greater than the last where there is none';
COMMENT ON FUNCTION objectid_last(timestamptz, text) IS 'the last id whose time is <, <=, >= or > the given one; less than the first where there is none';
COMMENT ON FUNCTION objectid_first(tstzrange) IS 'the first id whose time is in the range; greater than the last where there is none';
COMMENT ON FUNCTION objectid_last(tstzrange) IS 'the last id whose time is in the range; less than the first where there is none';

CREATE FUNCTION objectid_time_lt(objectid, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_objectid_time_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_lt_support;
CREATE FUNCTION objectid_time_lt(timestamptz, objectid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_lt_objectid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_lt_support;
CREATE FUNCTION objectid_time_le(objectid, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_objectid_time_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_le_support;
CREATE FUNCTION objectid_time_le(timestamptz, objectid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_le_objectid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_le_support;
CREATE FUNCTION objectid_time_gt(objectid, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_objectid_time_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_gt_support;
CREATE FUNCTION objectid_time_gt(timestamptz, objectid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_gt_objectid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_gt_support;
CREATE FUNCTION objectid_time_ge(objectid, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_objectid_time_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_ge_support;
CREATE FUNCTION objectid_time_ge(timestamptz, objectid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_ge_objectid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_ge_support;
CREATE FUNCTION objectid_time_in(objectid, tstzrange) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_objectid_time_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_in_support;
CREATE FUNCTION objectid_time_in(tstzrange, objectid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_contains_objectid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_in_support;
COMMENT ON FUNCTION objectid_time_lt(objectid, timestamptz) IS 'implementation of < operator';
COMMENT ON FUNCTION objectid_time_lt(timestamptz, objectid) IS 'implementation of < operator';
COMMENT ON FUNCTION objectid_time_le(objectid, timestamptz) IS 'implementation of <= operator';
COMMENT ON FUNCTION objectid_time_le(timestamptz, objectid) IS 'implementation of <= operator';
COMMENT ON FUNCTION objectid_time_gt(objectid, timestamptz) IS 'implementation of > operator';
COMMENT ON FUNCTION objectid_time_gt(timestamptz, objectid) IS 'implementation of > operator';
COMMENT ON FUNCTION objectid_time_ge(objectid, timestamptz) IS 'implementation of >= operator';
COMMENT ON FUNCTION objectid_time_ge(timestamptz, objectid) IS 'implementation of >= operator';
COMMENT ON FUNCTION objectid_time_in(objectid, tstzrange) IS 'implementation of <@ operator';
COMMENT ON FUNCTION objectid_time_in(tstzrange, objectid) IS 'implementation of @> operator';

CREATE OPERATOR < (LEFTARG = objectid, RIGHTARG = timestamptz, FUNCTION = objectid_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_time_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = objectid, RIGHTARG = timestamptz, FUNCTION = objectid_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_time_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR > (LEFTARG = objectid, RIGHTARG = timestamptz, FUNCTION = objectid_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_time_selectivity, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (LEFTARG = objectid, RIGHTARG = timestamptz, FUNCTION = objectid_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_time_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR < (LEFTARG = timestamptz, RIGHTARG = objectid, FUNCTION = objectid_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_time_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = timestamptz, RIGHTARG = objectid, FUNCTION = objectid_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_time_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR > (LEFTARG = timestamptz, RIGHTARG = objectid, FUNCTION = objectid_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_time_selectivity, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (LEFTARG = timestamptz, RIGHTARG = objectid, FUNCTION = objectid_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_time_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR <@ (LEFTARG = objectid, RIGHTARG = tstzrange, FUNCTION = objectid_time_in,
    COMMUTATOR = @>, RESTRICT = snowid_time_selectivity, JOIN = contjoinsel);
CREATE OPERATOR @> (LEFTARG = tstzrange, RIGHTARG = objectid, FUNCTION = objectid_time_in,
    COMMUTATOR = <@, RESTRICT = snowid_time_selectivity, JOIN = contjoinsel);
COMMENT ON OPERATOR < (objectid, timestamptz) IS 'the time of the id is before the given one';
COMMENT ON OPERATOR <= (objectid, timestamptz) IS 'the time of the id is not after the given one';
COMMENT ON OPERATOR > (objectid, timestamptz) IS 'the time of the id is after the given one';
COMMENT ON OPERATOR >= (objectid, timestamptz) IS 'the time of the id is not before the given one';
COMMENT ON OPERATOR < (timestamptz, objectid) IS 'the given time is before that of the id';
COMMENT ON OPERATOR <= (timestamptz, objectid) IS 'the given time is not after that of the id';
COMMENT ON OPERATOR > (timestamptz, objectid) IS 'the given time is after that of the id';
COMMENT ON OPERATOR >= (timestamptz, objectid) IS 'the given time is not before that of the id';
COMMENT ON OPERATOR <@ (objectid, tstzrange) IS 'the time of the id is in the range';
COMMENT ON OPERATOR @> (tstzrange, objectid) IS 'the time of the id is in the range';

-- time filters of rsxid ---------------------------------------------------------
-- The comparisons mean the time of the id. This part is written once for all types: see the Makefile.

CREATE FUNCTION rsxid_first("time" timestamptz, operator text) RETURNS rsxid
    AS 'MODULE_PATHNAME', 'snowid_rsxid_first' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10 SUPPORT snowid_bound_support;
CREATE FUNCTION rsxid_last("time" timestamptz, operator text) RETURNS rsxid
    AS 'MODULE_PATHNAME', 'snowid_rsxid_last' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10 SUPPORT snowid_bound_support;
CREATE FUNCTION rsxid_first(times tstzrange) RETURNS rsxid
    AS 'MODULE_PATHNAME', 'snowid_rsxid_first_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
CREATE FUNCTION rsxid_last(times tstzrange) RETURNS rsxid
    AS 'MODULE_PATHNAME', 'snowid_rsxid_last_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION rsxid_first(timestamptz, text) IS 'the first id whose time is <, <=, >= or > the given one; greater than the last where there is none';
COMMENT ON FUNCTION rsxid_last(timestamptz, text) IS 'the last id whose time is <, <=, >= or > the given one; less than the first where there is none';
COMMENT ON FUNCTION rsxid_first(tstzrange) IS 'the first id whose time is in the range; greater than the last where there is none';
COMMENT ON FUNCTION rsxid_last(tstzrange) IS 'the last id whose time is in the range; less than the first where there is none';

CREATE FUNCTION rsxid_time_lt(rsxid, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_rsxid_time_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_lt_support;
CREATE FUNCTION rsxid_time_lt(timestamptz, rsxid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_lt_rsxid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_lt_support;
CREATE FUNCTION rsxid_time_le(rsxid, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_rsxid_time_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_le_support;
CREATE FUNCTION rsxid_time_le(timestamptz, rsxid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_le_rsxid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_le_support;
CREATE FUNCTION rsxid_time_gt(rsxid, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_rsxid_time_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_gt_support;
CREATE FUNCTION rsxid_time_gt(timestamptz, rsxid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_gt_rsxid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_gt_support;
CREATE FUNCTION rsxid_time_ge(rsxid, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_rsxid_time_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_ge_support;
CREATE FUNCTION rsxid_time_ge(timestamptz, rsxid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_ge_rsxid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_ge_support;
CREATE FUNCTION rsxid_time_in(rsxid, tstzrange) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_rsxid_time_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_in_support;
CREATE FUNCTION rsxid_time_in(tstzrange, rsxid) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_contains_rsxid' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_in_support;
COMMENT ON FUNCTION rsxid_time_lt(rsxid, timestamptz) IS 'implementation of < operator';
COMMENT ON FUNCTION rsxid_time_lt(timestamptz, rsxid) IS 'implementation of < operator';
COMMENT ON FUNCTION rsxid_time_le(rsxid, timestamptz) IS 'implementation of <= operator';
COMMENT ON FUNCTION rsxid_time_le(timestamptz, rsxid) IS 'implementation of <= operator';
COMMENT ON FUNCTION rsxid_time_gt(rsxid, timestamptz) IS 'implementation of > operator';
COMMENT ON FUNCTION rsxid_time_gt(timestamptz, rsxid) IS 'implementation of > operator';
COMMENT ON FUNCTION rsxid_time_ge(rsxid, timestamptz) IS 'implementation of >= operator';
COMMENT ON FUNCTION rsxid_time_ge(timestamptz, rsxid) IS 'implementation of >= operator';
COMMENT ON FUNCTION rsxid_time_in(rsxid, tstzrange) IS 'implementation of <@ operator';
COMMENT ON FUNCTION rsxid_time_in(tstzrange, rsxid) IS 'implementation of @> operator';

CREATE OPERATOR < (LEFTARG = rsxid, RIGHTARG = timestamptz, FUNCTION = rsxid_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_time_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = rsxid, RIGHTARG = timestamptz, FUNCTION = rsxid_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_time_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR > (LEFTARG = rsxid, RIGHTARG = timestamptz, FUNCTION = rsxid_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_time_selectivity, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (LEFTARG = rsxid, RIGHTARG = timestamptz, FUNCTION = rsxid_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_time_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR < (LEFTARG = timestamptz, RIGHTARG = rsxid, FUNCTION = rsxid_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_time_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = timestamptz, RIGHTARG = rsxid, FUNCTION = rsxid_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_time_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR > (LEFTARG = timestamptz, RIGHTARG = rsxid, FUNCTION = rsxid_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_time_selectivity, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (LEFTARG = timestamptz, RIGHTARG = rsxid, FUNCTION = rsxid_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_time_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR <@ (LEFTARG = rsxid, RIGHTARG = tstzrange, FUNCTION = rsxid_time_in,
    COMMUTATOR = @>, RESTRICT = snowid_time_selectivity, JOIN = contjoinsel);
CREATE OPERATOR @> (LEFTARG = tstzrange, RIGHTARG = rsxid, FUNCTION = rsxid_time_in,
    COMMUTATOR = <@, RESTRICT = snowid_time_selectivity, JOIN = contjoinsel);
COMMENT ON OPERATOR < (rsxid, timestamptz) IS 'the time of the id is before the given one';
COMMENT ON OPERATOR <= (rsxid, timestamptz) IS 'the time of the id is not after the given one';
COMMENT ON OPERATOR > (rsxid, timestamptz) IS 'the time of the id is after the given one';
COMMENT ON OPERATOR >= (rsxid, timestamptz) IS 'the time of the id is not before the given one';
COMMENT ON OPERATOR < (timestamptz, rsxid) IS 'the given time is before that of the id';
COMMENT ON OPERATOR <= (timestamptz, rsxid) IS 'the given time is not after that of the id';
COMMENT ON OPERATOR > (timestamptz, rsxid) IS 'the given time is after that of the id';
COMMENT ON OPERATOR >= (timestamptz, rsxid) IS 'the given time is not before that of the id';
COMMENT ON OPERATOR <@ (rsxid, tstzrange) IS 'the time of the id is in the range';
COMMENT ON OPERATOR @> (tstzrange, rsxid) IS 'the time of the id is in the range';

-- time filters of sandflake ---------------------------------------------------------
-- The comparisons mean the time of the id. This part is written once for all types: see the Makefile.

CREATE FUNCTION sandflake_first("time" timestamptz, operator text) RETURNS sandflake
    AS 'MODULE_PATHNAME', 'snowid_sandflake_first' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10 SUPPORT snowid_bound_support;
CREATE FUNCTION sandflake_last("time" timestamptz, operator text) RETURNS sandflake
    AS 'MODULE_PATHNAME', 'snowid_sandflake_last' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10 SUPPORT snowid_bound_support;
CREATE FUNCTION sandflake_first(times tstzrange) RETURNS sandflake
    AS 'MODULE_PATHNAME', 'snowid_sandflake_first_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
CREATE FUNCTION sandflake_last(times tstzrange) RETURNS sandflake
    AS 'MODULE_PATHNAME', 'snowid_sandflake_last_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sandflake_first(timestamptz, text) IS 'the first id whose time is <, <=, >= or > the given one; greater than the last where there is none';
COMMENT ON FUNCTION sandflake_last(timestamptz, text) IS 'the last id whose time is <, <=, >= or > the given one; less than the first where there is none';
COMMENT ON FUNCTION sandflake_first(tstzrange) IS 'the first id whose time is in the range; greater than the last where there is none';
COMMENT ON FUNCTION sandflake_last(tstzrange) IS 'the last id whose time is in the range; less than the first where there is none';

CREATE FUNCTION sandflake_time_lt(sandflake, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sandflake_time_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_lt_support;
CREATE FUNCTION sandflake_time_lt(timestamptz, sandflake) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_lt_sandflake' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_lt_support;
CREATE FUNCTION sandflake_time_le(sandflake, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sandflake_time_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_le_support;
CREATE FUNCTION sandflake_time_le(timestamptz, sandflake) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_le_sandflake' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_le_support;
CREATE FUNCTION sandflake_time_gt(sandflake, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sandflake_time_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_gt_support;
CREATE FUNCTION sandflake_time_gt(timestamptz, sandflake) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_gt_sandflake' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_gt_support;
CREATE FUNCTION sandflake_time_ge(sandflake, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sandflake_time_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_ge_support;
CREATE FUNCTION sandflake_time_ge(timestamptz, sandflake) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_ge_sandflake' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_ge_support;
CREATE FUNCTION sandflake_time_in(sandflake, tstzrange) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sandflake_time_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_in_support;
CREATE FUNCTION sandflake_time_in(tstzrange, sandflake) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_contains_sandflake' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_in_support;
COMMENT ON FUNCTION sandflake_time_lt(sandflake, timestamptz) IS 'implementation of < operator';
COMMENT ON FUNCTION sandflake_time_lt(timestamptz, sandflake) IS 'implementation of < operator';
COMMENT ON FUNCTION sandflake_time_le(sandflake, timestamptz) IS 'implementation of <= operator';
COMMENT ON FUNCTION sandflake_time_le(timestamptz, sandflake) IS 'implementation of <= operator';
COMMENT ON FUNCTION sandflake_time_gt(sandflake, timestamptz) IS 'implementation of > operator';
COMMENT ON FUNCTION sandflake_time_gt(timestamptz, sandflake) IS 'implementation of > operator';
COMMENT ON FUNCTION sandflake_time_ge(sandflake, timestamptz) IS 'implementation of >= operator';
COMMENT ON FUNCTION sandflake_time_ge(timestamptz, sandflake) IS 'implementation of >= operator';
COMMENT ON FUNCTION sandflake_time_in(sandflake, tstzrange) IS 'implementation of <@ operator';
COMMENT ON FUNCTION sandflake_time_in(tstzrange, sandflake) IS 'implementation of @> operator';

CREATE OPERATOR < (LEFTARG = sandflake, RIGHTARG = timestamptz, FUNCTION = sandflake_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_time_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = sandflake, RIGHTARG = timestamptz, FUNCTION = sandflake_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_time_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR > (LEFTARG = sandflake, RIGHTARG = timestamptz, FUNCTION = sandflake_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_time_selectivity, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (LEFTARG = sandflake, RIGHTARG = timestamptz, FUNCTION = sandflake_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_time_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR < (LEFTARG = timestamptz, RIGHTARG = sandflake, FUNCTION = sandflake_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_time_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = timestamptz, RIGHTARG = sandflake, FUNCTION = sandflake_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_time_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR > (LEFTARG = timestamptz, RIGHTARG = sandflake, FUNCTION = sandflake_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_time_selectivity, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (LEFTARG = timestamptz, RIGHTARG = sandflake, FUNCTION = sandflake_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_time_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR <@ (LEFTARG = sandflake, RIGHTARG = tstzrange, FUNCTION = sandflake_time_in,
    COMMUTATOR = @>, RESTRICT = snowid_time_selectivity, JOIN = contjoinsel);
CREATE OPERATOR @> (LEFTARG = tstzrange, RIGHTARG = sandflake, FUNCTION = sandflake_time_in,
    COMMUTATOR = <@, RESTRICT = snowid_time_selectivity, JOIN = contjoinsel);
COMMENT ON OPERATOR < (sandflake, timestamptz) IS 'the time of the id is before the given one';
COMMENT ON OPERATOR <= (sandflake, timestamptz) IS 'the time of the id is not after the given one';
COMMENT ON OPERATOR > (sandflake, timestamptz) IS 'the time of the id is after the given one';
COMMENT ON OPERATOR >= (sandflake, timestamptz) IS 'the time of the id is not before the given one';
COMMENT ON OPERATOR < (timestamptz, sandflake) IS 'the given time is before that of the id';
COMMENT ON OPERATOR <= (timestamptz, sandflake) IS 'the given time is not after that of the id';
COMMENT ON OPERATOR > (timestamptz, sandflake) IS 'the given time is after that of the id';
COMMENT ON OPERATOR >= (timestamptz, sandflake) IS 'the given time is not before that of the id';
COMMENT ON OPERATOR <@ (sandflake, tstzrange) IS 'the time of the id is in the range';
COMMENT ON OPERATOR @> (tstzrange, sandflake) IS 'the time of the id is in the range';

-- time filters of sno ---------------------------------------------------------
-- The comparisons mean the time of the id. This part is written once for all types: see the Makefile.

CREATE FUNCTION sno_first("time" timestamptz, operator text) RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_first' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10 SUPPORT snowid_bound_support;
CREATE FUNCTION sno_last("time" timestamptz, operator text) RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_last' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10 SUPPORT snowid_bound_support;
CREATE FUNCTION sno_first(times tstzrange) RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_first_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
CREATE FUNCTION sno_last(times tstzrange) RETURNS sno
    AS 'MODULE_PATHNAME', 'snowid_sno_last_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sno_first(timestamptz, text) IS 'the first id whose time is <, <=, >= or > the given one; greater than the last where there is none';
COMMENT ON FUNCTION sno_last(timestamptz, text) IS 'the last id whose time is <, <=, >= or > the given one; less than the first where there is none';
COMMENT ON FUNCTION sno_first(tstzrange) IS 'the first id whose time is in the range; greater than the last where there is none';
COMMENT ON FUNCTION sno_last(tstzrange) IS 'the last id whose time is in the range; less than the first where there is none';

CREATE FUNCTION sno_time_lt(sno, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sno_time_lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_lt_support;
CREATE FUNCTION sno_time_lt(timestamptz, sno) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_lt_sno' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_lt_support;
CREATE FUNCTION sno_time_le(sno, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sno_time_le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_le_support;
CREATE FUNCTION sno_time_le(timestamptz, sno) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_le_sno' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_le_support;
CREATE FUNCTION sno_time_gt(sno, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sno_time_gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_gt_support;
CREATE FUNCTION sno_time_gt(timestamptz, sno) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_gt_sno' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_gt_support;
CREATE FUNCTION sno_time_ge(sno, timestamptz) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sno_time_ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_ge_support;
CREATE FUNCTION sno_time_ge(timestamptz, sno) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_ge_sno' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_ge_support;
CREATE FUNCTION sno_time_in(sno, tstzrange) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_sno_time_in' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_in_support;
CREATE FUNCTION sno_time_in(tstzrange, sno) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_time_contains_sno' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT snowid_time_in_support;
COMMENT ON FUNCTION sno_time_lt(sno, timestamptz) IS 'implementation of < operator';
COMMENT ON FUNCTION sno_time_lt(timestamptz, sno) IS 'implementation of < operator';
COMMENT ON FUNCTION sno_time_le(sno, timestamptz) IS 'implementation of <= operator';
COMMENT ON FUNCTION sno_time_le(timestamptz, sno) IS 'implementation of <= operator';
COMMENT ON FUNCTION sno_time_gt(sno, timestamptz) IS 'implementation of > operator';
COMMENT ON FUNCTION sno_time_gt(timestamptz, sno) IS 'implementation of > operator';
COMMENT ON FUNCTION sno_time_ge(sno, timestamptz) IS 'implementation of >= operator';
COMMENT ON FUNCTION sno_time_ge(timestamptz, sno) IS 'implementation of >= operator';
COMMENT ON FUNCTION sno_time_in(sno, tstzrange) IS 'implementation of <@ operator';
COMMENT ON FUNCTION sno_time_in(tstzrange, sno) IS 'implementation of @> operator';

CREATE OPERATOR < (LEFTARG = sno, RIGHTARG = timestamptz, FUNCTION = sno_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_time_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = sno, RIGHTARG = timestamptz, FUNCTION = sno_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_time_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR > (LEFTARG = sno, RIGHTARG = timestamptz, FUNCTION = sno_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_time_selectivity, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (LEFTARG = sno, RIGHTARG = timestamptz, FUNCTION = sno_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_time_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR < (LEFTARG = timestamptz, RIGHTARG = sno, FUNCTION = sno_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = snowid_time_selectivity, JOIN = scalarltjoinsel);
CREATE OPERATOR <= (LEFTARG = timestamptz, RIGHTARG = sno, FUNCTION = sno_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = snowid_time_selectivity, JOIN = scalarlejoinsel);
CREATE OPERATOR > (LEFTARG = timestamptz, RIGHTARG = sno, FUNCTION = sno_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = snowid_time_selectivity, JOIN = scalargtjoinsel);
CREATE OPERATOR >= (LEFTARG = timestamptz, RIGHTARG = sno, FUNCTION = sno_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = snowid_time_selectivity, JOIN = scalargejoinsel);
CREATE OPERATOR <@ (LEFTARG = sno, RIGHTARG = tstzrange, FUNCTION = sno_time_in,
    COMMUTATOR = @>, RESTRICT = snowid_time_selectivity, JOIN = contjoinsel);
CREATE OPERATOR @> (LEFTARG = tstzrange, RIGHTARG = sno, FUNCTION = sno_time_in,
    COMMUTATOR = <@, RESTRICT = snowid_time_selectivity, JOIN = contjoinsel);
COMMENT ON OPERATOR < (sno, timestamptz) IS 'the time of the id is before the given one';
COMMENT ON OPERATOR <= (sno, timestamptz) IS 'the time of the id is not after the given one';
COMMENT ON OPERATOR > (sno, timestamptz) IS 'the time of the id is after the given one';
COMMENT ON OPERATOR >= (sno, timestamptz) IS 'the time of the id is not before the given one';
COMMENT ON OPERATOR < (timestamptz, sno) IS 'the given time is before that of the id';
COMMENT ON OPERATOR <= (timestamptz, sno) IS 'the given time is not after that of the id';
COMMENT ON OPERATOR > (timestamptz, sno) IS 'the given time is after that of the id';
COMMENT ON OPERATOR >= (timestamptz, sno) IS 'the given time is not before that of the id';
COMMENT ON OPERATOR <@ (sno, tstzrange) IS 'the time of the id is in the range';
COMMENT ON OPERATOR @> (tstzrange, sno) IS 'the time of the id is in the range';

-- expressions -----------------------------------------------------------------
-- From here on a name without a schema is pg_catalog's. The script's own search_path ends with the schema of CREATE
-- EXTENSION, where others can have put a function or an operator that fits better than pg_catalog's of the same name: it
-- would be run by whoever calls ours. What stands above is found by its exact arguments, pg_catalog's first.

SET LOCAL search_path = pg_catalog, pg_temp;

-- time partitions -------------------------------------------------------------

-- The types by which a table can be partitioned. Anybody can make another, and functions of its name.
CREATE FUNCTION @extschema@.snowid_partition_key(parent regclass, OUT scheme text, OUT id_type regtype)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT k.scheme, k.id_type FROM pg_catalog.pg_partitioned_table JOIN pg_catalog.pg_attribute ON attrelid = partrelid AND attnum = partattrs[0]
        JOIN (VALUES ('bigint'::regtype, 'snowflake', 'bigint'::regtype), ('@extschema@.snowflake', 'snowflake', 'bigint'), ('uuid', 'uuidv7', 'uuid'),
            ('@extschema@.ulid', 'ulid', '@extschema@.ulid'), ('@extschema@.ksuid', 'ksuid', '@extschema@.ksuid'),
            ('@extschema@.objectid', 'objectid', '@extschema@.objectid'), ('@extschema@.rsxid', 'rsxid', '@extschema@.rsxid'),
            ('@extschema@.sandflake', 'sandflake', '@extschema@.sandflake'), ('@extschema@.sno', 'sno', '@extschema@.sno')) AS k (key, scheme, id_type)
        ON k.key = atttypid
        WHERE partrelid = parent AND partstrat = 'r' AND partnatts = 1;
END;
COMMENT ON FUNCTION @extschema@.snowid_partition_key(regclass) IS 'which ids a table is partitioned by the range of, and the type that their functions take';

CREATE FUNCTION @extschema@.snowid_partitions(parent regclass,
    OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz) RETURNS SETOF record
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    scheme text;
    type regtype;
    bound text;
    ends_of text[];
BEGIN
    SELECT k.scheme, k.id_type INTO scheme, type FROM @extschema@.snowid_partition_key(parent) AS k;
    IF scheme IS NULL THEN
        RAISE EXCEPTION '% is not partitioned by the range of an id', parent USING ERRCODE = 'wrong_object_type',
            DETAIL = 'Its partition key must be one column of an id type, uuid or bigint.',
            HINT = 'Create it with PARTITION BY RANGE (id).';
    END IF;
    FOR partition, bound IN SELECT c.oid, pg_get_expr(relpartbound, c.oid) FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
        WHERE inhparent = parent ORDER BY relname LOOP
        ends_of := regexp_match(bound, '^FOR VALUES FROM \(''?([^'']*?)''?\) TO \(''?([^'']*?)''?\)$');
        starts := NULL;
        ends := NULL;
        IF ends_of[1] = 'MINVALUE' THEN starts := '-infinity';
        ELSIF ends_of IS NOT NULL THEN EXECUTE format('SELECT @extschema@.%I(%L::%s)', scheme || '_time', ends_of[1], type) INTO starts; END IF;
        IF ends_of[2] = 'MAXVALUE' THEN ends := 'infinity';
        ELSIF ends_of IS NOT NULL THEN EXECUTE format('SELECT @extschema@.%I(%L::%s)', scheme || '_time', ends_of[2], type) INTO ends; END IF;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.snowid_partitions(regclass) IS 'the partitions of a table by ranges of ids, with the times that they begin and end; NULL for the default one';

-- The period that holds t: whole months from January 2000 on, or whole periods from Monday, 3 January 2000, in UTC.
CREATE FUNCTION @extschema@.snowid_period(t timestamptz, every interval) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN months > 0 THEN (timestamp '2000-01-01' + floor(since / months) * months * interval '1 month') AT TIME ZONE 'UTC'
        ELSE date_bin(every, t, '2000-01-03 00:00:00Z') END
    FROM (SELECT (extract(year FROM every) * 12 + extract(month FROM every))::int AS months,
        (extract(year FROM t AT TIME ZONE 'UTC') - 2000) * 12 + extract(month FROM t AT TIME ZONE 'UTC') - 1 AS since) s;
END;
COMMENT ON FUNCTION @extschema@.snowid_period(timestamptz, interval) IS 'the start of the period that holds a time: of months from January 2000 on, of days and hours from Monday, 3 January 2000 on, in UTC';

CREATE FUNCTION @extschema@.snowid_partition(parent regclass, every interval, ahead integer DEFAULT 3, behind integer DEFAULT 0, retain interval DEFAULT NULL,
    OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz) RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    child regclass;
    schema name;
    base name;
    scheme text;
    first timestamptz;
    gap tstzrange;
    covered tstzmultirange;
    retained timestamptz;
    bounds text[];
    name text;
    dated text;
    suffix text;
    tablespace text;
    owner regrole;
    in_months boolean := extract(epoch FROM every - date_trunc('month', every)) = 0 AND date_trunc('month', every) > interval '0';
BEGIN
    IF every IS NULL OR every <= interval '0' OR date_trunc('month', every) > interval '0' AND NOT in_months THEN
        RAISE EXCEPTION 'a partition cannot cover %', coalesce(every::text, 'NULL') USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'It must cover whole months, or days and hours, and more than nothing.';
    END IF;
    IF ahead IS NULL OR behind IS NULL OR ahead < 0 OR behind < 0 OR retain < interval '0' THEN
        RAISE EXCEPTION 'ahead, behind and retain must not be negative' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF parent IS NULL THEN
        RAISE EXCEPTION 'the table to partition must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    -- one of us at a time; readers and writers go on
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
    IF EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = parent AND (partstrat <> 'r' OR partnatts <> 1))
        AND EXISTS (SELECT FROM pg_inherits JOIN pg_partitioned_table ON partrelid = inhrelid WHERE inhparent = parent) THEN
        FOR child IN SELECT inhrelid FROM pg_inherits JOIN pg_partitioned_table ON partrelid = inhrelid WHERE inhparent = parent ORDER BY inhrelid::regclass::text LOOP
            RETURN QUERY SELECT * FROM @extschema@.snowid_partition(child, every, ahead, behind, retain);
        END LOOP;
        RETURN;
    END IF;

    SELECT coalesce(range_agg(tstzrange(p.starts, p.ends)), '{}') INTO covered FROM @extschema@.snowid_partitions(parent) p WHERE p.starts < p.ends;
    SELECT nspname, relname, k.scheme INTO schema, base, scheme
        FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace, @extschema@.snowid_partition_key(parent) AS k WHERE c.oid = parent;
    SELECT relowner, coalesce('TABLESPACE ' || quote_ident(spcname), '') INTO owner, tablespace
        FROM pg_class c LEFT JOIN pg_tablespace t ON t.oid = reltablespace WHERE c.oid = parent;
    first := @extschema@.snowid_period(clock_timestamp(), every);
    retained := @extschema@.snowid_period(clock_timestamp() - retain, every);
    FOR gap IN SELECT unnest(tstzmultirange(tstzrange(first + i * every, first + (i + 1) * every)) - covered) FROM generate_series(-behind, ahead) AS i LOOP
        starts := lower(gap);
        ends := upper(gap);
        CONTINUE WHEN ends <= retained;
        EXECUTE format('SELECT ARRAY[@extschema@.%1$I($1)::text, @extschema@.%1$I($2)::text]', scheme || '_lower_bound') INTO bounds USING starts, ends;
        CONTINUE WHEN bounds[1] = bounds[2];  -- before the first id
        dated := to_char(starts, CASE WHEN in_months THEN '_YYYYMM' WHEN date_trunc('day', every) = every THEN '_YYYYMMDD' ELSE '_YYYYMMDD_HH24MISS' END);
        FOR other IN 0..100000 LOOP
            name := base;
            suffix := dated || coalesce('_' || nullif(other, 0), '');
            WHILE octet_length(name || suffix) > current_setting('max_identifier_length')::int LOOP name := left(name, -1); END LOOP;
            name := name || suffix;
            EXIT WHEN to_regclass(format('%I.%I', schema, name)) IS NULL;
        END LOOP;
        -- attached, because that lets readers and writers go on, which PARTITION OF does not
        EXECUTE format('CREATE TABLE %I.%I (LIKE %s INCLUDING ALL EXCLUDING INDEXES EXCLUDING IDENTITY) %s', schema, name, parent, tablespace);
        EXECUTE format('ALTER TABLE %I.%I OWNER TO %s', schema, name, owner);
        BEGIN
            EXECUTE format('ALTER TABLE %s ATTACH PARTITION %I.%I FOR VALUES FROM (%L) TO (%L)', parent, schema, name, bounds[1], bounds[2]);
        EXCEPTION WHEN check_violation THEN
            RAISE EXCEPTION 'the default partition of % holds rows from % to %', parent, starts, ends USING ERRCODE = 'check_violation',
                HINT = 'In one transaction detach it, make the partitions, insert its rows into the table and attach it again.';
        END;
        action := 'created';
        partition := format('%I.%I', schema, name)::regclass;
        RETURN NEXT;
    END LOOP;
    FOR partition, starts, ends IN SELECT p.partition, p.starts, p.ends FROM @extschema@.snowid_partitions(parent) p
        WHERE p.ends <= retained ORDER BY p.starts LOOP
        EXECUTE format('ALTER TABLE %s DETACH PARTITION %s', parent, partition);
        action := 'detached';
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.snowid_partition(regclass, interval, integer, integer, interval) IS 'makes the partitions by time that a table by ranges of ids lacks, now, ahead and behind; detaches those that are older than is to be retained';

-- the server ------------------------------------------------------------------

CREATE FUNCTION @extschema@.snowid_stat(
    OUT generator text, OUT scheme text, OUT layout text, OUT worker integer, OUT issued bigint, OUT waits bigint,
    OUT wait_time interval, OUT overflows bigint, OUT clock_regressions bigint, OUT max_regression interval,
    OUT refusals bigint, OUT ahead interval, OUT last_time timestamptz, OUT horizon timestamptz,
    OUT horizon_advances bigint, OUT ends_at timestamptz, OUT stats_reset timestamptz,
    OUT database text, OUT overlapping text[]) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'snowid_stat' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 8;
COMMENT ON FUNCTION @extschema@.snowid_stat() IS 'what the view snowid_stat shows';
REVOKE EXECUTE ON FUNCTION @extschema@.snowid_stat() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION @extschema@.snowid_stat() TO pg_monitor;

CREATE VIEW @extschema@.snowid_stat AS SELECT * FROM @extschema@.snowid_stat();
COMMENT ON VIEW @extschema@.snowid_stat IS 'what each generator of this server does; a named one is shown from its first id after a start on';
COMMENT ON COLUMN @extschema@.snowid_stat.generator IS 'its name; default are those of snowflake_next() and sno_next()';
COMMENT ON COLUMN @extschema@.snowid_stat.scheme IS 'what its ids are';
COMMENT ON COLUMN @extschema@.snowid_stat.layout IS 'the layout of its snowflakes';
COMMENT ON COLUMN @extschema@.snowid_stat.worker IS 'the worker in its snowflakes, or the partition in its snos';
COMMENT ON COLUMN @extschema@.snowid_stat.issued IS 'how many ids it has issued; a session is counted when its transaction ends';
COMMENT ON COLUMN @extschema@.snowid_stat.waits IS 'how often a caller has waited';
COMMENT ON COLUMN @extschema@.snowid_stat.wait_time IS 'how long callers have waited, all together';
COMMENT ON COLUMN @extschema@.snowid_stat.overflows IS 'how often a caller has waited because the tick had no id left';
COMMENT ON COLUMN @extschema@.snowid_stat.clock_regressions IS 'how often the clock was seen to step back';
COMMENT ON COLUMN @extschema@.snowid_stat.max_regression IS 'the longest of these steps';
COMMENT ON COLUMN @extschema@.snowid_stat.refusals IS 'how often an id was refused';
COMMENT ON COLUMN @extschema@.snowid_stat.ahead IS 'how far its last id is ahead of the clock';
COMMENT ON COLUMN @extschema@.snowid_stat.last_time IS 'the time of its last id';
COMMENT ON COLUMN @extschema@.snowid_stat.horizon IS 'no id of this or a later time has been issued in this database';
COMMENT ON COLUMN @extschema@.snowid_stat.horizon_advances IS 'how often the horizon was raised';
COMMENT ON COLUMN @extschema@.snowid_stat.ends_at IS 'the last time for which it can make ids';
COMMENT ON COLUMN @extschema@.snowid_stat.stats_reset IS 'since when it has counted';
COMMENT ON COLUMN @extschema@.snowid_stat.database IS 'the database of a named generator';
COMMENT ON COLUMN @extschema@.snowid_stat.overlapping IS 'the generators that could make the same ids, of other databases too';
GRANT SELECT ON @extschema@.snowid_stat TO pg_monitor;

CREATE FUNCTION @extschema@.snowid_stat_reset() RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_stat_reset' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.snowid_stat_reset() IS 'lets the counters of snowid_stat begin at zero';
REVOKE EXECUTE ON FUNCTION @extschema@.snowid_stat_reset() FROM PUBLIC;

CREATE FUNCTION @extschema@.snowid_layout_replace(layout text) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_layout_replace' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.snowid_layout_replace(text) IS 'the part of snowid_layout_change that changes the record';
REVOKE EXECUTE ON FUNCTION @extschema@.snowid_layout_replace(text) FROM PUBLIC;

CREATE FUNCTION @extschema@.snowid_layout_change(layout text, OUT to_rebuild text) RETURNS SETOF text
    LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
BEGIN ATOMIC
    SELECT @extschema@.snowid_layout_replace(layout);
    SELECT DISTINCT pg_describe_object(d.classid, d.objid, d.objsubid)
        FROM pg_catalog.pg_depend AS d JOIN pg_catalog.pg_proc AS f ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = f.oid
        WHERE d.classid IN ('pg_class'::regclass, 'pg_attrdef'::regclass, 'pg_constraint'::regclass)
            AND f.prosrc IN ('snowid_snowflake_time', 'snowid_snowflake_worker', 'snowid_snowflake_sequence',
                             'snowid_snowflake_decode', 'snowid_snowflake_encode', 'snowid_snowflake_lower_bound')
            AND NOT 'text'::regtype = ANY (f.proargtypes);
END;
COMMENT ON FUNCTION @extschema@.snowid_layout_change(text) IS 'records another layout for this database''s ids, and tells what must be rebuilt for it';
REVOKE EXECUTE ON FUNCTION @extschema@.snowid_layout_change(text) FROM PUBLIC;

-- what is wrong with a set-up ---------------------------------------------------

CREATE FUNCTION @extschema@.snowid_check(OUT subject text, OUT finding text, OUT what_to_do text) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 8
BEGIN ATOMIC
    WITH setting AS (SELECT name, setting, source, pending_restart FROM pg_catalog.pg_settings),
        preloaded AS (SELECT nullif(setting, '') AS libraries FROM setting WHERE name = 'shared_preload_libraries'),
        loaded AS (SELECT EXISTS (SELECT FROM preloaded, regexp_split_to_table(libraries, '\s*,\s*') AS l WHERE trim('"' FROM l) = 'snowid') AS is),
        generators AS (SELECT *, coalesce(database || '.', '') || generator AS known_as FROM @extschema@.snowid_stat() WHERE database IS NULL OR database = current_database())
    SELECT 'preload', 'snowflakes and snos cannot be generated: the library is not loaded when the server starts',
            format('Set shared_preload_libraries = %L in postgresql.conf and restart the server.', concat_ws(',', libraries, 'snowid'))
        FROM preloaded, loaded WHERE NOT loaded.is AND current_setting('server_version_num')::int < 170000
    UNION ALL
    SELECT 'start', 'this server makes no snowflakes and no snos: no background worker has told it how far they had come before it started',
            'Raise max_worker_processes, of which snowid needs two, and restart the server. If there are enough, its log says why.'
        FROM loaded WHERE loaded.is AND NOT pg_is_in_recovery()
            AND (current_setting('max_worker_processes')::int < 2 + (current_setting('max_logical_replication_workers')::int > 0)::int
                OR NOT EXISTS (SELECT FROM pg_catalog.pg_stat_activity WHERE backend_type = 'snowid'))
    UNION ALL
    SELECT own.subject, format('the %s is 0 because none is set, beside %s', own.what, string_agg(beside, ' and ')),
            format('Set %s in postgresql.conf to a number that no other server has, and reload.', name)
        FROM setting JOIN (VALUES ('snowid.worker_id', 'worker', 'worker id'), ('snowid.sno_partition', 'partition', 'partition of snos')) AS own (setting, subject, what)
            ON name = own.setting, (SELECT 'a subscription to another server' AS beside WHERE EXISTS (SELECT FROM pg_catalog.pg_stat_subscription)
            UNION ALL SELECT 'a publication' WHERE EXISTS (SELECT FROM pg_catalog.pg_publication)
            UNION ALL SELECT 'Citus' WHERE EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'citus')) AS others
        WHERE source = 'default' AND (own.subject = 'worker' OR EXISTS (SELECT FROM generators WHERE generator = 'default' AND scheme = 'sno' AND issued > 0))
        GROUP BY name, own.subject, own.what
    UNION ALL
    SELECT 'reserve', 'snowid.reserve is more than snowid.clock_drift, which is used instead', 'Set snowid.reserve to no more than snowid.clock_drift.'
        FROM setting AS r, setting AS d WHERE r.name = 'snowid.reserve' AND d.name = 'snowid.clock_drift' AND r.setting::bigint > d.setting::bigint
    UNION ALL
    SELECT 'layout', format('this database''s layout %s is not the server''s, %s: it generates no snowflakes here', l.layout, g.layout),
            'Set snowid.layout to the database''s layout and restart the server; or change the record with snowid_layout_change.'
        FROM (SELECT layout FROM @extschema@.snowid_layout ORDER BY recorded LIMIT 1) AS l, generators AS g
        WHERE g.generator = 'default' AND g.scheme = 'snowflake' AND g.layout <> l.layout
    UNION ALL
    SELECT 'layout', 'this database has no record of its layout: it makes no snowflakes and cannot read any',
            'As a superuser insert the one that its ids have: INSERT INTO @extschema@.snowid_layout VALUES (@extschema@.snowid_layout_canonical(''default''), now());'
        WHERE NOT EXISTS (SELECT FROM @extschema@.snowid_layout)
    UNION ALL
    SELECT 'layout', format('the time of generator %s runs out at %s', known_as, ends_at), 'Plan which key follows: no id of another layout comes above the last one of a layout that fills the bigint.'
        FROM generators WHERE ends_at < now() + interval '1 year'
    UNION ALL
    SELECT 'clock', format('the clock has stepped back %s times, by %s at most', clock_regressions, max_regression),
            'Let the time service slew the clock and not step it. snowid_stat_reset() begins to count anew.'
        FROM generators WHERE generator = 'default' AND scheme = 'snowflake' AND clock_regressions > 0
    UNION ALL
    SELECT 'clock', format('ids of generator %s are dated %s ahead of the clock', known_as, ahead),
            'If the clock is wrong, set it right: ids go on above. If it once was ahead and that was believed, see snowid_horizon_rewind.'
        FROM generators, setting WHERE name = 'snowid.clock_drift' AND ahead > setting::int * interval '1 ms'
    UNION ALL
    SELECT 'refusals', format('generator %s has refused %s ids', known_as, refusals), 'The server''s log says why.'
        FROM generators WHERE refusals > 0
    UNION ALL
    SELECT 'generators', format('%s of %s named generators that this server has room for are in use', count(*), setting),
            'Where there is no room the next one makes no ids. Raise snowid.max_generators and restart the server, or drop some that are not needed.'
        FROM setting, @extschema@.snowid_stat() AS g WHERE name = 'snowid.max_generators' AND g.database IS NOT NULL GROUP BY setting HAVING count(*) >= 0.9 * setting::int
    UNION ALL
    SELECT 'horizon', format('the record of how far generator %s has come is missing in this database', name),
            'As a superuser run: SELECT snowid_horizon_advance(now());'
        FROM (VALUES (0::bigint, 'default'), (-1, 'default of snos')) AS own (id, name)
        WHERE NOT EXISTS (SELECT FROM @extschema@.snowid_horizon AS h WHERE h.generator = own.id)
    UNION ALL
    SELECT 'horizon', format('the record of how far generator %s has come is missing', name), 'As a superuser run: SELECT snowid_horizon_advance(now());'
        FROM @extschema@.snowid_generator AS g WHERE name IS NOT NULL AND NOT EXISTS (SELECT FROM @extschema@.snowid_horizon AS h WHERE h.generator = g.id)
    UNION ALL
    SELECT 'horizon', 'the table snowid_horizon does not survive a crash', format('As a superuser run: ALTER TABLE %s SET LOGGED;', oid::regclass)
        FROM pg_catalog.pg_class WHERE oid = '@extschema@.snowid_horizon'::regclass AND relpersistence <> 'p'
    UNION ALL
    SELECT 'overlap', format('generator %s of %s could make the same ids as %s', known_as, scheme, array_to_string(overlapping, ', ')),
            'Fine where their ids never meet in one table; else give it a worker, a partition or sequence numbers of its own.'
        FROM generators WHERE generator <> 'default' AND overlapping <> '{}'
    UNION ALL
    SELECT 'replication', format('publication %s sends tables that belong to this server''s generators: %s', pubname, string_agg(tablename, ', ' ORDER BY tablename)),
            CASE WHEN puballtables THEN 'In one transaction drop it and create it again FOR TABLE or FOR TABLES IN SCHEMA with your own; then on the subscriber ALTER SUBSCRIPTION ... REFRESH PUBLICATION.'
                ELSE 'Let it publish your own tables or schemas only.' END || ' With these a subscriber makes ids with the same workers.'
        FROM pg_catalog.pg_publication_tables JOIN pg_catalog.pg_namespace ON nspname = schemaname JOIN pg_catalog.pg_class AS c ON relnamespace = pg_namespace.oid AND relname = tablename
            JOIN pg_catalog.pg_publication USING (pubname)
        WHERE c.oid IN ('@extschema@.snowid_generator'::regclass, '@extschema@.snowid_horizon'::regclass, '@extschema@.snowid_layout'::regclass) GROUP BY pubname, puballtables
    UNION ALL
    SELECT 'replication', format('subscription %s has copied the generators of another server', subname),
            'Give each another worker or partition here, with snowid_generator_alter, let the publication leave out snowid_generator as snowid_check() says there, and here run ALTER SUBSCRIPTION ... REFRESH PUBLICATION.'
        FROM pg_catalog.pg_subscription_rel JOIN pg_catalog.pg_subscription AS s ON s.oid = srsubid WHERE srrelid = '@extschema@.snowid_generator'::regclass
    UNION ALL
    SELECT 'uuidv7', format('the default of %s.%s is PostgreSQL''s uuidv7(), which ascends within one session only', adrelid::regclass, attname),
            format('ALTER TABLE %s ALTER %I SET DEFAULT uuidv7_next();', adrelid::regclass, attname)
        FROM pg_catalog.pg_attrdef JOIN pg_catalog.pg_attribute ON attrelid = adrelid AND attnum = adnum
        WHERE pg_get_expr(adbin, adrelid) = 'uuidv7()' AND current_setting('server_version_num')::int >= 180000;
END;
COMMENT ON FUNCTION @extschema@.snowid_check() IS 'what is wrong with this set-up and what to do about it; no row: nothing';
REVOKE EXECUTE ON FUNCTION @extschema@.snowid_check() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION @extschema@.snowid_check() TO pg_monitor;
