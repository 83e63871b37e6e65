
-- what runs as the owner of a table ---------------------------------------------

CREATE FUNCTION _snowid.require_owner(tbl regclass) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_require_owner' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _snowid.require_owner(regclass) IS 'refuses those who are not the owner of a table, superusers too';

-- tables that are partitioned by time -----------------------------------------
-- Only functions write these. A row follows its table through renames, and into a dump as its name.

CREATE TABLE snowid_partitioned (
    parent regclass PRIMARY KEY,
    every interval NOT NULL CHECK (every BETWEEN interval '1 second' AND interval '1000 years'),
    ahead integer NOT NULL CHECK (ahead BETWEEN 0 AND 10000),
    behind integer NOT NULL CHECK (behind BETWEEN 0 AND 10000),
    retain interval CHECK (retain BETWEEN interval '0' AND interval '1000 years'),
    expired text NOT NULL CHECK (expired IN ('detach', 'drop')),
    layout text
) USING heap;
COMMENT ON TABLE snowid_partitioned IS
    'what snowid_partition was told and snowid_maintain does; the next call removes rows of tables that are gone';
COMMENT ON COLUMN snowid_partitioned.parent IS 'the partitioned table';
COMMENT ON COLUMN snowid_partitioned.every IS 'the period that a partition covers';
COMMENT ON COLUMN snowid_partitioned.ahead IS 'how many periods after the present one have partitions';
COMMENT ON COLUMN snowid_partitioned.behind IS 'how many periods before the present one have partitions';
COMMENT ON COLUMN snowid_partitioned.retain IS 'the age at which a partition expires; NULL for never';
COMMENT ON COLUMN snowid_partitioned.expired IS 'what becomes of a partition that expires: detach or drop';
COMMENT ON COLUMN snowid_partitioned.layout IS
    'the layout by which its ids had their times when this was recorded; NULL if they need none. Under another one '
    'nothing expires';

CREATE TABLE snowid_detached (
    partition regclass NOT NULL,
    parent regclass NOT NULL,
    starts timestamptz NOT NULL,
    ends timestamptz NOT NULL,
    detached timestamptz NOT NULL,
    PRIMARY KEY (parent, partition)
) USING heap;
COMMENT ON TABLE snowid_detached IS 'the partitions that snowid has detached';
COMMENT ON COLUMN snowid_detached.partition IS 'the partition, now a table of its own';
COMMENT ON COLUMN snowid_detached.parent IS 'the table that it was a partition of';
COMMENT ON COLUMN snowid_detached.starts IS 'the time of its first ids';
COMMENT ON COLUMN snowid_detached.ends IS 'the time at which its ids ended';
COMMENT ON COLUMN snowid_detached.detached IS 'when it was detached';

GRANT SELECT ON snowid_partitioned, snowid_detached TO PUBLIC;
GRANT INSERT ON snowid_partitioned, snowid_detached TO @extowner@ WITH GRANT OPTION;
SELECT pg_catalog.pg_extension_config_dump('@extschema@.snowid_partitioned',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class WHERE oid = parent AND relpersistence <> ''t'')');
SELECT pg_catalog.pg_extension_config_dump('@extschema@.snowid_detached',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class WHERE oid = partition AND relpersistence <> ''t'') '
    'AND EXISTS (SELECT FROM pg_catalog.pg_class WHERE oid = parent)');
CREATE TRIGGER snowid_drop_replicated
    BEFORE INSERT OR UPDATE OR DELETE ON snowid_partitioned
    FOR EACH ROW EXECUTE FUNCTION _snowid.drop_replicated();
ALTER TABLE snowid_partitioned ENABLE ALWAYS TRIGGER snowid_drop_replicated;
CREATE TRIGGER snowid_drop_replicated
    BEFORE INSERT OR UPDATE OR DELETE ON snowid_detached
    FOR EACH ROW EXECUTE FUNCTION _snowid.drop_replicated();
ALTER TABLE snowid_detached ENABLE ALWAYS TRIGGER snowid_drop_replicated;

CREATE FUNCTION _snowid.partition_record(parent regclass, every interval, ahead integer, behind integer,
    retain interval, expired text, layout text) RETURNS void
    LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'snowid_partition_record';
COMMENT ON FUNCTION _snowid.partition_record(regclass, interval, integer, integer, interval, text, text) IS
    'records the periods of a table for its owner';
CREATE FUNCTION _snowid.partition_detached(partition regclass, parent regclass, starts timestamptz, ends timestamptz,
    detached timestamptz) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'snowid_partition_detached';
COMMENT ON FUNCTION _snowid.partition_detached(regclass, regclass, timestamptz, timestamptz, timestamptz) IS
    'records a partition that was detached, for the owner of its table';
CREATE FUNCTION snowid_partition_forget(parent regclass) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'snowid_partition_forget';
COMMENT ON FUNCTION snowid_partition_forget(regclass) IS
    'forgets the periods of a table, so that snowid_maintain leaves it alone and snowid_partition can be given others';
CREATE FUNCTION _snowid.partition_now(step text) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'snowid_partition_now' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION _snowid.partition_now(text) IS
    'the time by which a step is due for a table; an error where ids are refused because of the clock, and for expire '
    'also where nobody watches it';
CREATE FUNCTION _snowid.partition_layout() RETURNS text
    AS 'MODULE_PATHNAME', 'snowid_partition_layout' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION _snowid.partition_layout() IS 'the layout in force; it stays in force until the transaction ends';
CREATE FUNCTION _snowid.partition_prune() RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'snowid_partition_prune';
COMMENT ON FUNCTION _snowid.partition_prune() IS 'removes what is recorded about tables that are gone';
CREATE FUNCTION _snowid.maintain_table(parent regclass, step text, lock_timeout integer,
    OUT created integer, OUT detached integer, OUT dropped integer, OUT covered_until timestamptz,
    OUT sqlstate text, OUT error text, OUT detail text, OUT hint text)
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'snowid_maintain_table';
COMMENT ON FUNCTION _snowid.maintain_table(regclass, text, integer) IS
    'one step of snowid_maintain for one table: as its owner, in a subtransaction';
