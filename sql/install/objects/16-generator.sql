
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
    FOR EACH STATEMENT EXECUTE FUNCTION _snowid_record_changed();
ALTER TABLE snowid_generator ENABLE ALWAYS TRIGGER snowid_record_changed;
CREATE FUNCTION _snowid_generator_guard() RETURNS trigger
    AS 'MODULE_PATHNAME', 'snowid_generator_guard' LANGUAGE C PARALLEL SAFE;
COMMENT ON FUNCTION _snowid_generator_guard() IS 'refuses changes that do not come through the functions of generators';
REVOKE EXECUTE ON FUNCTION _snowid_generator_guard() FROM PUBLIC;
CREATE TRIGGER snowid_generator_guard
    BEFORE UPDATE OR DELETE OR TRUNCATE ON snowid_generator
    FOR EACH STATEMENT EXECUTE FUNCTION _snowid_generator_guard();
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
