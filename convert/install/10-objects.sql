-- conversion -------------------------------------------------------------------

-- A column that has to hold the ids of a conversion, and what the functions of conversion hand on to each other.
CREATE TYPE _snowid_convert.id_column AS (rel regclass, num smallint, name name, type regtype, base regtype,
    is_root boolean, changes boolean, keyed boolean, twin name, twin_num smallint, is_key boolean, is_kept boolean,
    place bigint, is_ours boolean);
CREATE TYPE _snowid_convert.scope AS (tbl regclass, col name, tbls regclass[], cols name[], kept name,
    kept_type regtype, renumbers boolean, is_ours boolean, columns _snowid_convert.id_column[]);
COMMENT ON TYPE _snowid_convert.id_column IS 'a column that has to hold the ids of a conversion';
COMMENT ON TYPE _snowid_convert.scope IS 'what a conversion is about';

-- How far the fill of a table has come.
CREATE TABLE _snowid_convert.progress (
    rel oid PRIMARY KEY,
    trigger oid NOT NULL,
    pid integer NOT NULL,
    filled bigint NOT NULL,
    page bigint NOT NULL,
    pages bigint NOT NULL,
    begun timestamptz NOT NULL,
    told timestamptz NOT NULL
) USING heap;
COMMENT ON TABLE _snowid_convert.progress IS
    'how far the fills of tables have come, for snowid_conversions';
COMMENT ON COLUMN _snowid_convert.progress.rel IS 'the table';
COMMENT ON COLUMN _snowid_convert.progress.trigger IS
    'the trigger of the conversion';
COMMENT ON COLUMN _snowid_convert.progress.pid IS 'the process that fills';
COMMENT ON COLUMN _snowid_convert.progress.filled IS 'how many rows it has filled';
COMMENT ON COLUMN _snowid_convert.progress.page IS 'the page that it has come to';
COMMENT ON COLUMN _snowid_convert.progress.pages IS 'how many there are; 0 when all are filled';
COMMENT ON COLUMN _snowid_convert.progress.begun IS 'when it began';
COMMENT ON COLUMN _snowid_convert.progress.told IS 'when this was last recorded';
CREATE TRIGGER snowid_drop_replicated
    BEFORE INSERT OR UPDATE OR DELETE ON _snowid_convert.progress
    FOR EACH ROW EXECUTE FUNCTION _snowid.drop_replicated();
ALTER TABLE _snowid_convert.progress ENABLE ALWAYS TRIGGER snowid_drop_replicated;
GRANT SELECT ON _snowid_convert.progress TO PUBLIC;

-- The session that fills ends with page 0 of 0.
CREATE FUNCTION _snowid_convert.progressed(tbl regclass, filled bigint, page bigint, pages bigint, begun timestamptz)
    RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
    AS 'MODULE_PATHNAME', 'snowid_convert_progressed';

-- Whether a procedure that calls this can commit: not in a transaction block or a function.
CREATE FUNCTION _snowid_convert.can_commit() RETURNS boolean
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'snowid_convert_can_commit';
