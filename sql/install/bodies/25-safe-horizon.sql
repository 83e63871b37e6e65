
-- the safe horizon -----------------------------------------------------------------

CREATE FUNCTION @extschema@.snowid_safe_horizon() RETURNS @extschema@.snowflake
    AS 'MODULE_PATHNAME', 'snowid_safe_horizon' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 10;
COMMENT ON FUNCTION @extschema@.snowid_safe_horizon()
    IS 'an id; every row with a lower one of this server that will ever be committed is visible to the calling '
        'statement';
CREATE FUNCTION @extschema@.snowid_safe_horizon(generator text) RETURNS @extschema@.snowflake
    AS 'MODULE_PATHNAME', 'snowid_safe_horizon_of' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 10;
COMMENT ON FUNCTION @extschema@.snowid_safe_horizon(text)
    IS 'the same for the ids of a generator made by snowid_generator_create';

-- What the view snowid_holders shows, by the numbers of generators and transactions; for members of pg_monitor.
CREATE FUNCTION _snowid.holders(
    OUT generator bigint, OUT pid integer, OUT xid xid, OUT first_id bigint, OUT "time" timestamptz)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'snowid_holders' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 8;
-- Whether this server knows who holds the safe horizon: it does if snowid is preloaded.
CREATE FUNCTION _snowid.has_holders() RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_has_holders' LANGUAGE C STABLE STRICT PARALLEL SAFE;

CREATE VIEW @extschema@.snowid_holders AS
    SELECT CASE holder.generator WHEN 0 THEN 'default' ELSE named.name END AS generator, holder.pid, prepared.gid,
            holder.first_id, coalesce(holder."time", prepared.prepared) AS "time"
        FROM _snowid.holders() AS holder
            LEFT JOIN _snowid.generator AS named ON named.id = holder.generator
            LEFT JOIN pg_catalog.pg_prepared_xacts AS prepared ON prepared.transaction = holder.xid
        ORDER BY "time";
COMMENT ON VIEW @extschema@.snowid_holders
    IS 'the transactions of this database that hold the safe horizon, the oldest first';
COMMENT ON COLUMN @extschema@.snowid_holders.generator
    IS 'the generator whose ids it may have; NULL if that may be any';
COMMENT ON COLUMN @extschema@.snowid_holders.pid IS 'its session; NULL if it is prepared';
COMMENT ON COLUMN @extschema@.snowid_holders.gid IS 'the name of the prepared transaction';
COMMENT ON COLUMN @extschema@.snowid_holders.first_id
    IS 'the lowest id that it may have; the safe horizon is no higher';
COMMENT ON COLUMN @extschema@.snowid_holders."time"
    IS 'the time of that id, or when it was prepared before the last start';
GRANT SELECT ON @extschema@.snowid_holders TO PUBLIC;
