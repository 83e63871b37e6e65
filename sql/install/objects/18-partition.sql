
-- what runs as the owner of a table ---------------------------------------------

-- Refuses those who are not the owner of a table, superusers too.
CREATE FUNCTION _snowid.require_owner(tbl regclass) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_require_owner' LANGUAGE C STABLE STRICT PARALLEL SAFE;

-- A table in a row. A row of another server names tables that may not be here. It is dropped, and must be no error.
CREATE TYPE _snowid.relation;
-- regclassin, but for rows of another server.
CREATE FUNCTION _snowid.relation_in(cstring) RETURNS _snowid.relation
    AS 'MODULE_PATHNAME', 'snowid_relation_in' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _snowid.relation_out(_snowid.relation) RETURNS cstring
    AS 'regclassout' LANGUAGE internal STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _snowid.relation_receive(internal) RETURNS _snowid.relation
    AS 'regclassrecv' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION _snowid.relation_send(_snowid.relation) RETURNS bytea
    AS 'regclasssend' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE _snowid.relation (INPUT = _snowid.relation_in, OUTPUT = _snowid.relation_out,
    RECEIVE = _snowid.relation_receive, SEND = _snowid.relation_send, LIKE = pg_catalog.regclass, CATEGORY = 'N');
COMMENT ON TYPE _snowid.relation IS 'regclass, but what another server sends names no table here';
CREATE CAST (_snowid.relation AS regclass) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (_snowid.relation AS regclass) IS 'the same';
CREATE CAST (_snowid.relation AS oid) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (_snowid.relation AS oid) IS 'as that of a regclass';
CREATE CAST (regclass AS _snowid.relation) WITHOUT FUNCTION AS ASSIGNMENT;
COMMENT ON CAST (regclass AS _snowid.relation) IS 'the same';

-- tables that are partitioned by time -----------------------------------------
-- Only functions write these. A row follows its table through renames, and into a dump as its name.

CREATE TABLE _snowid.partitioned (
    parent _snowid.relation PRIMARY KEY,
    every interval NOT NULL CHECK (every BETWEEN interval '1 second' AND interval '1000 years'),
    ahead integer NOT NULL CHECK (ahead BETWEEN 0 AND 10000),
    behind integer NOT NULL CHECK (behind BETWEEN 0 AND 10000),
    retain interval CHECK (retain BETWEEN interval '0' AND interval '1000 years'),
    expired text NOT NULL CHECK (expired IN ('detach', 'drop')),
    layout text,
    zone text
) USING heap;
COMMENT ON TABLE _snowid.partitioned IS
    'what snowid_partition was told and snowid_maintain does';
COMMENT ON COLUMN _snowid.partitioned.parent IS 'the partitioned table';
COMMENT ON COLUMN _snowid.partitioned.every IS 'the period that a partition covers';
COMMENT ON COLUMN _snowid.partitioned.ahead IS 'how many periods after the present one have partitions';
COMMENT ON COLUMN _snowid.partitioned.behind IS 'how many periods before the present one have partitions';
COMMENT ON COLUMN _snowid.partitioned.retain IS 'the age at which a partition expires; NULL for never';
COMMENT ON COLUMN _snowid.partitioned.expired IS 'what becomes of a partition that expires: detach or drop';
COMMENT ON COLUMN _snowid.partitioned.layout IS
    'the layout of its ids when this was recorded; NULL if they need none. Under another one nothing expires';
COMMENT ON COLUMN _snowid.partitioned.zone IS 'the time zone in which its periods begin; NULL for UTC';

CREATE TABLE _snowid.partition_times (
    partition _snowid.relation NOT NULL,
    parent _snowid.relation NOT NULL,
    starts timestamptz NOT NULL,
    ends timestamptz NOT NULL,
    bounds text[] NOT NULL,
    layout text,
    every interval,
    made timestamptz,
    made_by name,
    detached timestamptz,
    PRIMARY KEY (parent, partition)
) USING heap;
COMMENT ON TABLE _snowid.partition_times IS
    'the times of the partitions that snowid has made or detached; by these they expire';
COMMENT ON COLUMN _snowid.partition_times.partition IS 'the partition; a table of its own once it is detached';
COMMENT ON COLUMN _snowid.partition_times.parent IS 'the table that it is or was a partition of';
COMMENT ON COLUMN _snowid.partition_times.starts IS 'the time of its first ids';
COMMENT ON COLUMN _snowid.partition_times.ends IS
    'the time at which its ids end; the latest, if layouts differ';
COMMENT ON COLUMN _snowid.partition_times.bounds IS
    'its first id and the first one after it; with other bounds the record does not count';
COMMENT ON COLUMN _snowid.partition_times.layout IS
    'the layout of its ids when it was last seen; NULL if they need none';
COMMENT ON COLUMN _snowid.partition_times.every IS 'the period for which it was made; NULL if snowid did not make it';
COMMENT ON COLUMN _snowid.partition_times.made IS 'when snowid made it; NULL if it did not';
COMMENT ON COLUMN _snowid.partition_times.made_by IS 'the role whose session made it';
COMMENT ON COLUMN _snowid.partition_times.detached IS 'when snowid detached it; NULL while it is attached';

CREATE TABLE _snowid.maintenance (
    parent _snowid.relation PRIMARY KEY,
    started timestamptz NOT NULL,
    ended timestamptz,
    made integer NOT NULL DEFAULT 0,
    detached text[] NOT NULL DEFAULT '{}',
    dropped text[] NOT NULL DEFAULT '{}',
    kept text[] NOT NULL DEFAULT '{}',
    covered_until timestamptz,
    sqlstate text,
    error text,
    detail text,
    hint text
) USING heap;
COMMENT ON TABLE _snowid.maintenance IS
    'what the last run of snowid_maintain did for each table; others see it while the run goes on';
CREATE VIEW snowid_maintenance AS SELECT * FROM _snowid.maintenance;
COMMENT ON VIEW snowid_maintenance IS
    'what the last run of snowid_maintain did for each table; others see it while the run goes on';
COMMENT ON COLUMN snowid_maintenance.parent IS 'the table';
COMMENT ON COLUMN snowid_maintenance.started IS 'when the run came to this table';
COMMENT ON COLUMN snowid_maintenance.ended IS 'when it was done; NULL while it works, or if it was ended';
COMMENT ON COLUMN snowid_maintenance.made IS 'how many partitions it made';
COMMENT ON COLUMN snowid_maintenance.detached IS 'the partitions that it detached';
COMMENT ON COLUMN snowid_maintenance.dropped IS 'the names of the partitions that it dropped';
COMMENT ON COLUMN snowid_maintenance.kept IS
    'the partitions that are old enough and did not expire, each with the reason';
COMMENT ON COLUMN snowid_maintenance.covered_until IS
    'until when there are partitions without a gap; -infinity if there is none for now';
COMMENT ON COLUMN snowid_maintenance.sqlstate IS 'the code of the error; NULL if the table is maintained';
COMMENT ON COLUMN snowid_maintenance.error IS 'why it is not maintained';
COMMENT ON COLUMN snowid_maintenance.detail IS 'the detail of the error';
COMMENT ON COLUMN snowid_maintenance.hint IS 'what to do about it';

GRANT SELECT ON _snowid.partitioned, _snowid.partition_times, _snowid.maintenance, snowid_maintenance TO PUBLIC;
GRANT INSERT ON _snowid.partitioned, _snowid.partition_times TO @extowner@ WITH GRANT OPTION;
SELECT pg_catalog.pg_extension_config_dump('_snowid.partitioned',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class WHERE oid = parent AND relpersistence <> ''t'')');
SELECT pg_catalog.pg_extension_config_dump('_snowid.partition_times',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class WHERE oid = partition AND relpersistence <> ''t'') '
    'AND EXISTS (SELECT FROM pg_catalog.pg_class WHERE oid = parent)');
CREATE TRIGGER snowid_drop_replicated
    BEFORE INSERT OR UPDATE OR DELETE ON _snowid.partitioned
    FOR EACH ROW EXECUTE FUNCTION _snowid.drop_replicated();
ALTER TABLE _snowid.partitioned ENABLE ALWAYS TRIGGER snowid_drop_replicated;
CREATE TRIGGER snowid_drop_replicated
    BEFORE INSERT OR UPDATE OR DELETE ON _snowid.partition_times
    FOR EACH ROW EXECUTE FUNCTION _snowid.drop_replicated();
ALTER TABLE _snowid.partition_times ENABLE ALWAYS TRIGGER snowid_drop_replicated;
CREATE TRIGGER snowid_drop_replicated
    BEFORE INSERT OR UPDATE OR DELETE ON _snowid.maintenance
    FOR EACH ROW EXECUTE FUNCTION _snowid.drop_replicated();
ALTER TABLE _snowid.maintenance ENABLE ALWAYS TRIGGER snowid_drop_replicated;

-- Records the periods of a table for its owner.
CREATE FUNCTION _snowid.partition_record(parent regclass, every interval, ahead integer, behind integer,
    retain interval, expired text, layout text, zone text) RETURNS void
    LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'snowid_partition_record';
-- Records the times of new partitions, for the owner of their table.
CREATE FUNCTION _snowid.partition_made(parent regclass, partitions regclass[], starts timestamptz[], ends timestamptz[],
    first_ids text[], next_ids text[], layout text, every interval) RETURNS void
    LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'snowid_partition_made';
-- Records until when the ids of a partition can be by one more layout, for the owner of its table.
CREATE FUNCTION _snowid.partition_reread(partition regclass, parent regclass, ends timestamptz, layout text)
    RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'snowid_partition_reread';
-- Records a partition that was detached, for the owner of its table.
CREATE FUNCTION _snowid.partition_detached(partition regclass, parent regclass, starts timestamptz, ends timestamptz,
    bounds text[], detached timestamptz) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'snowid_partition_detached';
-- Writes a line to the server's log when the transaction commits, and none if it does not.
CREATE FUNCTION _snowid.partition_log(line text) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'snowid_partition_log';
-- Refuses a procedure that commits, where it cannot: in a transaction block or a function.
CREATE FUNCTION _snowid.partition_require_top() RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'snowid_partition_require_top';
CREATE FUNCTION snowid_partition_forget(parent regclass) RETURNS void
    LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'snowid_partition_forget';
COMMENT ON FUNCTION snowid_partition_forget(regclass) IS
    'forgets the record of a table, so that snowid_maintain leaves it alone';
-- The time by which a step is due for a table; an error where ids are refused because of the clock, and for expire
-- also where nobody watches it.
CREATE FUNCTION _snowid.partition_now(step text) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'snowid_partition_now' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
-- The layout in force; it stays in force until the transaction ends.
CREATE FUNCTION _snowid.partition_layout() RETURNS text
    AS 'MODULE_PATHNAME', 'snowid_partition_layout' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
-- Removes what is recorded about tables that are gone.
CREATE FUNCTION _snowid.partition_prune() RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'snowid_partition_prune';
-- One step of snowid_maintain for one table, as its owner in a subtransaction. Nothing is left to do if `look` finds
-- nothing due, or if the table is gone.
CREATE FUNCTION _snowid.maintain_table(parent regclass, step text, lock_timeout integer, most integer,
    OUT made integer, OUT gone integer, OUT error text, OUT has_more boolean, OUT is_done boolean)
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'snowid_maintain_table';
