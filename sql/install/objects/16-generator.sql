
-- named generators ------------------------------------------------------------
-- Only the functions below write this table. A row without a name is a past claim.

CREATE TABLE _snowid.generator (
    id bigint NOT NULL CHECK (id > 0),  -- the others are the server's own
    name text UNIQUE,
    scheme text NOT NULL,
    layout text,
    worker integer,
    partition integer,
    sequence_min integer,
    sequence_max integer,
    overlap boolean NOT NULL,
    backfill boolean NOT NULL,
    restricted boolean NOT NULL DEFAULT false,
    future boolean NOT NULL DEFAULT false
) USING heap;
CREATE INDEX generator_id ON _snowid.generator (id);
CREATE INDEX generator_number ON _snowid.generator (scheme, worker, partition, name);
CREATE INDEX generator_layout ON _snowid.generator (layout);
COMMENT ON TABLE _snowid.generator IS 'the named generators of this database, and the claims that were given up';
GRANT SELECT ON _snowid.generator TO PUBLIC;
GRANT INSERT, UPDATE, DELETE ON _snowid.generator TO @extowner@ WITH GRANT OPTION;
SELECT pg_catalog.pg_extension_config_dump('_snowid.generator', '');
CREATE VIEW snowid_generators AS SELECT * FROM _snowid.generator;
COMMENT ON VIEW snowid_generators IS 'the named generators of this database, and the claims that were given up';
COMMENT ON COLUMN snowid_generators.id IS 'number of the generator, also in _snowid.horizon; never reused';
COMMENT ON COLUMN snowid_generators.name IS
    'its name; NULL for a past claim, whose next owner starts above its horizon';
COMMENT ON COLUMN snowid_generators.scheme IS 'the scheme of its ids: snowflake or sno';
COMMENT ON COLUMN snowid_generators.layout IS 'the layout of its ids; NULL for the database''s';
COMMENT ON COLUMN snowid_generators.worker IS 'the worker in its ids; NULL for the server''s';
COMMENT ON COLUMN snowid_generators.partition IS 'the partition in its snos; NULL for the server''s';
COMMENT ON COLUMN snowid_generators.sequence_min IS 'its first sequence number; NULL for 0';
COMMENT ON COLUMN snowid_generators.sequence_max IS 'its last sequence number; NULL for the largest possible one';
COMMENT ON COLUMN snowid_generators.overlap IS 'whether other generators may make the same ids';
COMMENT ON COLUMN snowid_generators.backfill IS 'whether it makes ids for given times';
COMMENT ON COLUMN snowid_generators.restricted IS 'whether only the roles in _snowid.granted may use it';
COMMENT ON COLUMN snowid_generators.future IS 'whether given times may be in the future';
GRANT SELECT ON snowid_generators TO PUBLIC;

CREATE TRIGGER snowid_record_changed
    AFTER INSERT ON _snowid.generator
    FOR EACH STATEMENT EXECUTE FUNCTION _snowid.record_changed();
ALTER TABLE _snowid.generator ENABLE ALWAYS TRIGGER snowid_record_changed;
-- Refuses changes that bypass the functions for generators.
CREATE FUNCTION _snowid.generator_guard() RETURNS trigger
    AS 'MODULE_PATHNAME', 'snowid_generator_guard' LANGUAGE C PARALLEL SAFE;
CREATE TRIGGER snowid_generator_guard
    BEFORE UPDATE OR DELETE OR TRUNCATE ON _snowid.generator
    FOR EACH STATEMENT EXECUTE FUNCTION _snowid.generator_guard();
ALTER TABLE _snowid.generator ENABLE ALWAYS TRIGGER snowid_generator_guard;
CREATE TRIGGER snowid_drop_replicated
    BEFORE INSERT OR UPDATE OR DELETE ON _snowid.generator
    FOR EACH ROW EXECUTE FUNCTION _snowid.drop_replicated();
ALTER TABLE _snowid.generator ENABLE ALWAYS TRIGGER snowid_drop_replicated;
ALTER TABLE _snowid.generator REPLICA IDENTITY FULL;
-- Skips a restored generator that is here already, and refuses another one of the same id.
CREATE FUNCTION _snowid.generator_added() RETURNS trigger
    AS 'MODULE_PATHNAME', 'snowid_generator_added' LANGUAGE C PARALLEL SAFE;
CREATE TRIGGER snowid_generator_added
    BEFORE INSERT ON _snowid.generator
    FOR EACH ROW EXECUTE FUNCTION _snowid.generator_added();
ALTER TABLE _snowid.generator ENABLE ALWAYS TRIGGER snowid_generator_added;

-- who may use a generator that is restricted

CREATE TABLE _snowid.granted (
    generator text,
    role text,
    PRIMARY KEY (generator, role)
) USING heap;
COMMENT ON TABLE _snowid.granted IS 'which roles may use the generators that are restricted';
COMMENT ON COLUMN _snowid.granted.generator IS 'the name of the generator';
COMMENT ON COLUMN _snowid.granted.role IS 'the name of the role, which need not exist';
GRANT SELECT ON _snowid.granted TO PUBLIC;
GRANT INSERT ON _snowid.granted TO @extowner@ WITH GRANT OPTION;
SELECT pg_catalog.pg_extension_config_dump('_snowid.granted', '');
CREATE TRIGGER snowid_record_changed
    AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON _snowid.granted
    FOR EACH STATEMENT EXECUTE FUNCTION _snowid.record_changed();
ALTER TABLE _snowid.granted ENABLE ALWAYS TRIGGER snowid_record_changed;
CREATE TRIGGER snowid_drop_replicated
    BEFORE INSERT OR UPDATE OR DELETE ON _snowid.granted
    FOR EACH ROW EXECUTE FUNCTION _snowid.drop_replicated();
ALTER TABLE _snowid.granted ENABLE ALWAYS TRIGGER snowid_drop_replicated;
-- Skips a restored grant that is here already.
CREATE FUNCTION _snowid.granted_added() RETURNS trigger
    AS 'MODULE_PATHNAME', 'snowid_granted_added' LANGUAGE C PARALLEL SAFE;
CREATE TRIGGER snowid_granted_added
    BEFORE INSERT ON _snowid.granted
    FOR EACH ROW EXECUTE FUNCTION _snowid.granted_added();
ALTER TABLE _snowid.granted ENABLE ALWAYS TRIGGER snowid_granted_added;

CREATE FUNCTION snowid_generator_create(name text, scheme text DEFAULT 'snowflake', layout text DEFAULT NULL,
    worker integer DEFAULT NULL, partition integer DEFAULT NULL, sequence_min integer DEFAULT NULL,
    sequence_max integer DEFAULT NULL, overlap boolean DEFAULT false, backfill boolean DEFAULT false,
    future boolean DEFAULT false) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_generator_create' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_generator_create(text, text, text, integer, integer, integer, integer,
    boolean, boolean, boolean) IS
    'makes a generator; requires INSERT on _snowid.generator';
CREATE FUNCTION snowid_generator_alter(name text, new_name text DEFAULT NULL, layout text DEFAULT NULL,
    worker integer DEFAULT NULL, partition integer DEFAULT NULL, sequence_min integer DEFAULT NULL,
    sequence_max integer DEFAULT NULL, overlap boolean DEFAULT NULL) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_generator_alter' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_generator_alter(text, text, text, integer, integer, integer, integer, boolean) IS
    'changes the given properties of a generator; requires UPDATE on _snowid.generator';
CREATE FUNCTION snowid_generator_drop(name text) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_generator_drop' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_generator_drop(text) IS 'drops a generator; requires DELETE on _snowid.generator';
CREATE FUNCTION snowid_generator_grant(name text, role name) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_generator_grant' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_generator_grant(text, name) IS
    'lets a role, or public, use a generator; requires UPDATE on _snowid.generator';
CREATE FUNCTION snowid_generator_revoke(name text, role name) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_generator_revoke' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_generator_revoke(text, name) IS
    'takes the use of a generator from a role, or from public; requires UPDATE on _snowid.generator';
CREATE FUNCTION snowid_generator_rewind(name text, "time" timestamptz) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_generator_rewind' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_generator_rewind(text, timestamptz) IS
    'lets a generator that was given a time of the far future start over at an earlier time, at the risk of making '
    'ids that exist';
REVOKE EXECUTE ON FUNCTION snowid_generator_rewind(text, timestamptz) FROM PUBLIC;
CREATE FUNCTION snowid_generator_accept(name text) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_generator_accept' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_generator_accept(text) IS
    'lets a backfill generator go on after a restore or a failover that lost none of its ids; if it lost some, '
    'ids are made twice; requires UPDATE on _snowid.generator';

-- a generator's state, from which another server can continue it

CREATE TYPE snowid_snapshot AS (
    id bigint, name text, scheme text, layout text, worker integer, partition integer, sequence_min integer,
    sequence_max integer, overlap boolean, backfill boolean, horizon bigint, safe bigint, drifts bigint,
    taken timestamptz, checksum bigint);
COMMENT ON TYPE snowid_snapshot IS 'state of a generator, from which another server can continue it';
CREATE FUNCTION snowid_generator_snapshot(name text) RETURNS snowid_snapshot
    AS 'MODULE_PATHNAME', 'snowid_generator_snapshot' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_generator_snapshot(text) IS 'the state of a generator; requires UPDATE on _snowid.generator';
CREATE FUNCTION snowid_generator_restore(snapshot snowid_snapshot, name text DEFAULT NULL) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_generator_restore' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_generator_restore(snowid_snapshot, text) IS
    'makes or continues a generator from a snapshot; requires INSERT on _snowid.generator';
