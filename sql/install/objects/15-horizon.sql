
-- the durable horizon ---------------------------------------------------------
-- The library overwrites each generator's row in place. There is no key: a restored dump may add rows, and the highest
-- one counts.

-- How far one of the server's own generators can have come in any database.
CREATE FUNCTION _snowid.horizon_of_server(generator bigint, OUT horizon bigint, OUT safe bigint, OUT drifts bigint)
    AS 'MODULE_PATHNAME', 'snowid_horizon_of_server' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

CREATE TABLE _snowid.horizon (
    generator bigint NOT NULL,
    horizon bigint NOT NULL,
    server bigint NOT NULL,
    timeline bigint NOT NULL,
    safe bigint NOT NULL,
    drifts bigint NOT NULL
) USING heap;
CREATE INDEX horizon_generator ON _snowid.horizon (generator);
COMMENT ON TABLE _snowid.horizon IS 'how far each generator''s ids can have come; written by the library only';
COMMENT ON COLUMN _snowid.horizon.generator IS
    'number of the generator; 0 and -1 are the server''s own, for snowflakes and for snos';
COMMENT ON COLUMN _snowid.horizon.horizon IS 'no id of this time or later has been made, in Unix nanoseconds';
COMMENT ON COLUMN _snowid.horizon.server IS 'hash of the machine and data directory where the row was written';
COMMENT ON COLUMN _snowid.horizon.timeline IS
    'WAL timeline when the generator was last advanced, and above its 32 '
    'bits the cluster; -1 if the row comes from a dump';
COMMENT ON COLUMN _snowid.horizon.safe IS 'the last unit of time with the other tick-tock bit; 0 for snowflakes';
COMMENT ON COLUMN _snowid.horizon.drifts IS 'how often the tick-tock bit has changed; 0 for snowflakes';
GRANT SELECT ON _snowid.horizon TO PUBLIC;
GRANT INSERT ON _snowid.horizon TO @extowner@;
INSERT INTO _snowid.horizon
    SELECT g, s.horizon, 0, 0, s.safe, s.drifts
    FROM pg_catalog.unnest('{0, -1}'::bigint[]) AS g, LATERAL _snowid.horizon_of_server(g) AS s;
SELECT pg_catalog.pg_extension_config_dump('_snowid.horizon', '');

-- Forgets which server wrote a row that a dump or a subscription brings.
CREATE FUNCTION _snowid.horizon_incoming() RETURNS trigger
    AS 'MODULE_PATHNAME', 'snowid_horizon_incoming' LANGUAGE C PARALLEL SAFE;
CREATE TRIGGER snowid_horizon_incoming BEFORE INSERT ON _snowid.horizon
    FOR EACH ROW EXECUTE FUNCTION _snowid.horizon_incoming();
ALTER TABLE _snowid.horizon ENABLE ALWAYS TRIGGER snowid_horizon_incoming;
-- Makes ids go on above a horizon that was restored from a dump.
CREATE FUNCTION _snowid.horizon_added() RETURNS trigger
    AS 'MODULE_PATHNAME', 'snowid_horizon_added' LANGUAGE C PARALLEL SAFE;
CREATE TRIGGER snowid_horizon_added AFTER INSERT ON _snowid.horizon
    FOR EACH ROW EXECUTE FUNCTION _snowid.horizon_added();
ALTER TABLE _snowid.horizon ENABLE ALWAYS TRIGGER snowid_horizon_added;
CREATE TRIGGER snowid_record_changed
    AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON _snowid.horizon
    FOR EACH STATEMENT EXECUTE FUNCTION _snowid.record_changed();
ALTER TABLE _snowid.horizon ENABLE ALWAYS TRIGGER snowid_record_changed;

-- Whether this server's data were copied or moved.
CREATE FUNCTION _snowid.is_copy() RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_is_copy' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
-- For each scheme the number of this server, the one it is configured to have, and named generators that have that.
CREATE FUNCTION _snowid.numbers_of_server(OUT scheme text, OUT generator bigint, OUT name text, OUT title text,
        OUT setting text, OUT in_force integer, OUT next integer, OUT holders text, OUT holder_count integer)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'snowid_numbers_of_server' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 2;

-- Whether ids of a generator may be lost, because a restore or a failover came after its row of _snowid.horizon was
-- raised.
CREATE FUNCTION _snowid.may_have_lost(generator bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_may_have_lost' LANGUAGE C STABLE STRICT PARALLEL SAFE;

-- only a superuser may call what could endanger uniqueness

CREATE FUNCTION snowid_horizon_advance("time" timestamptz, force boolean DEFAULT false) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_horizon_advance' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_horizon_advance(timestamptz, boolean) IS
    'dates all further snowflakes and snos at the given time or later; for use after a restore when the clock is '
    'behind; more than snowid.clock_jump ahead of the clock only with force';
REVOKE EXECUTE ON FUNCTION snowid_horizon_advance(timestamptz, boolean) FROM PUBLIC;

CREATE FUNCTION snowid_horizon_rewind("time" timestamptz) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_horizon_rewind' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_horizon_rewind(timestamptz) IS
    'dates snowflakes and snos from the given time on again, at the risk of making ids that exist; for use after a '
    'wrong leap of the clock was believed';
REVOKE EXECUTE ON FUNCTION snowid_horizon_rewind(timestamptz) FROM PUBLIC;

CREATE FUNCTION snowid_clock_accept() RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_clock_accept' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_clock_accept() IS
    'accepts the clock as it is now, after a leap of more than snowid.clock_jump';
REVOKE EXECUTE ON FUNCTION snowid_clock_accept() FROM PUBLIC;
