
-- the number of this server ------------------------------------------------------

-- What the view snowid_worker shows, and the numbers that the directory gives out.
CREATE FUNCTION _snowid.worker(
    OUT source text, OUT worker integer, OUT state text, OUT since timestamptz, OUT until timestamptz,
    OUT renewed timestamptz, OUT losses bigint, OUT clock_difference interval, OUT free_numbers integer,
    OUT directory text, OUT last_error text, OUT last_error_at timestamptz, OUT first integer, OUT last integer,
    OUT twice integer, OUT twice_at timestamptz)
    RETURNS record
    AS 'MODULE_PATHNAME', 'snowid_worker' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

CREATE VIEW @extschema@.snowid_worker AS
    SELECT source, worker, state, since, until, renewed, losses, clock_difference, free_numbers, directory,
        last_error, last_error_at
    FROM _snowid.worker();
COMMENT ON VIEW @extschema@.snowid_worker IS
    'the worker id of this server, and where it comes from; empty if the library is not loaded';
COMMENT ON COLUMN @extschema@.snowid_worker.source IS
    'setting, or directory';
COMMENT ON COLUMN @extschema@.snowid_worker.worker IS 'the worker id; NULL if there is none yet';
COMMENT ON COLUMN @extschema@.snowid_worker.state IS 'held; or none, if no id can be made with it now';
COMMENT ON COLUMN @extschema@.snowid_worker.since IS 'when the directory gave it to this server';
COMMENT ON COLUMN @extschema@.snowid_worker.until IS
    'the end of the time that the directory has given';
COMMENT ON COLUMN @extschema@.snowid_worker.renewed IS 'when the directory last gave time';
COMMENT ON COLUMN @extschema@.snowid_worker.losses IS
    'how often the directory refused to renew this server''s number, since the start';
COMMENT ON COLUMN @extschema@.snowid_worker.clock_difference IS
    'how far this server''s clock is ahead of the directory''s';
COMMENT ON COLUMN @extschema@.snowid_worker.free_numbers IS 'how many worker ids the directory had left for others';
COMMENT ON COLUMN @extschema@.snowid_worker.directory IS 'the host and port of the directory that answered';
COMMENT ON COLUMN @extschema@.snowid_worker.last_error IS 'what went wrong since the directory last gave time';
COMMENT ON COLUMN @extschema@.snowid_worker.last_error_at IS 'when that went wrong';
GRANT SELECT ON @extschema@.snowid_worker TO pg_monitor;
