
-- layouts ---------------------------------------------------------------------

CREATE FUNCTION snowid_layout_canonical(layout text) RETURNS text
    AS 'MODULE_PATHNAME', 'snowid_layout_canonical' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowid_layout_canonical(text) IS
    'the canonical text of a snowflake layout; an error says what is wrong with a bad one';

CREATE FUNCTION snowid_layouts(
    OUT name text, OUT layout text, OUT workers bigint, OUT tick interval,
    OUT capacity bigint, OUT ids_per_second bigint, OUT ends_at timestamptz) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'snowid_layouts' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 9;
COMMENT ON FUNCTION snowid_layouts() IS 'what the view snowid_layouts shows';

CREATE VIEW snowid_layouts AS SELECT * FROM @extschema@.snowid_layouts();
COMMENT ON VIEW snowid_layouts IS 'the named snowflake layouts';
COMMENT ON COLUMN snowid_layouts.name IS 'its name, which can be given wherever a layout is asked for';
COMMENT ON COLUMN snowid_layouts.layout IS 'its text: epoch, tick, and the fields from the high bit to the low one';
COMMENT ON COLUMN snowid_layouts.workers IS 'how many servers or shards can make ids side by side';
COMMENT ON COLUMN snowid_layouts.tick IS 'the unit of its time';
COMMENT ON COLUMN snowid_layouts.capacity IS 'how many ids one worker can make in a tick';
COMMENT ON COLUMN snowid_layouts.ids_per_second IS 'how many ids one worker can make in a second';
COMMENT ON COLUMN snowid_layouts.ends_at IS 'the last time for which it can make ids';
GRANT SELECT ON snowid_layouts TO PUBLIC;

-- The layout of this database's ids. The oldest row counts: a restored dump adds its row to the one made here.
CREATE TABLE _snowid.layout (
    layout text NOT NULL CHECK (layout = @extschema@.snowid_layout_canonical(layout)),
    recorded timestamptz NOT NULL
) USING heap;
COMMENT ON TABLE _snowid.layout IS 'the snowflake layout of this database''s ids; the oldest row counts';
COMMENT ON COLUMN _snowid.layout.layout IS 'its canonical text';
COMMENT ON COLUMN _snowid.layout.recorded IS 'when it was recorded';
GRANT SELECT ON _snowid.layout TO PUBLIC;
GRANT INSERT ON _snowid.layout TO @extowner@;

-- Makes every session read the changed table again.
CREATE FUNCTION _snowid.record_changed() RETURNS trigger
    AS 'MODULE_PATHNAME', 'snowid_record_changed' LANGUAGE C PARALLEL SAFE;
CREATE TRIGGER snowid_record_changed
    AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON _snowid.layout
    FOR EACH STATEMENT EXECUTE FUNCTION _snowid.record_changed();
ALTER TABLE _snowid.layout ENABLE ALWAYS TRIGGER snowid_record_changed;

-- Drops what logical replication brings from another server's table.
-- FOR ALL TABLES publishes the extension's tables as well. What comes of them from another server is dropped, and a
-- change there must send its old row, or the subscription would stop at it.
CREATE FUNCTION _snowid.drop_replicated() RETURNS trigger
    AS 'MODULE_PATHNAME', 'snowid_drop_replicated' LANGUAGE C PARALLEL SAFE;
CREATE TRIGGER snowid_drop_replicated
    BEFORE INSERT OR UPDATE OR DELETE ON _snowid.layout
    FOR EACH ROW EXECUTE FUNCTION _snowid.drop_replicated();
ALTER TABLE _snowid.layout ENABLE ALWAYS TRIGGER snowid_drop_replicated;
ALTER TABLE _snowid.layout REPLICA IDENTITY FULL;
-- Refuses more rows than a start should read.
CREATE FUNCTION _snowid.layout_incoming() RETURNS trigger
    AS 'MODULE_PATHNAME', 'snowid_layout_incoming' LANGUAGE C PARALLEL SAFE;
CREATE TRIGGER snowid_layout_incoming BEFORE INSERT ON _snowid.layout
    FOR EACH ROW EXECUTE FUNCTION _snowid.layout_incoming();
ALTER TABLE _snowid.layout ENABLE ALWAYS TRIGGER snowid_layout_incoming;

-- What a change of the layout has left to rebuild. It is not dumped: a restore builds all of it.
CREATE TABLE _snowid.rebuild (
    classid oid,
    objid oid,
    filenode oid NOT NULL,
    object text NOT NULL,
    changed timestamptz NOT NULL,
    PRIMARY KEY (classid, objid)
) USING heap;
COMMENT ON TABLE _snowid.rebuild IS
    'what must be rebuilt after snowid_layout_change; snowid_check() shows what still must be';
COMMENT ON COLUMN _snowid.rebuild.classid IS 'the catalogue that holds the object';
COMMENT ON COLUMN _snowid.rebuild.objid IS 'the OID of the object in that catalogue';
COMMENT ON COLUMN _snowid.rebuild.filenode IS
    'the file that held it; a rebuilt index or materialized view has another one';
COMMENT ON COLUMN _snowid.rebuild.object IS 'what it is';
COMMENT ON COLUMN _snowid.rebuild.changed IS 'when the layout changed';
GRANT SELECT ON _snowid.rebuild TO PUBLIC;
CREATE TRIGGER snowid_drop_replicated
    BEFORE INSERT OR UPDATE OR DELETE ON _snowid.rebuild
    FOR EACH ROW EXECUTE FUNCTION _snowid.drop_replicated();
ALTER TABLE _snowid.rebuild ENABLE ALWAYS TRIGGER snowid_drop_replicated;

INSERT INTO _snowid.layout
    SELECT @extschema@.snowid_layout_canonical(pg_catalog.current_setting('snowid.layout')),
        pg_catalog.clock_timestamp();
SELECT pg_catalog.pg_extension_config_dump('_snowid.layout', '');
