-- conversion -------------------------------------------------------------------

-- How far the fill of a table has come. A row is its table's owner's to write, and everybody's to read.
CREATE TABLE snowid_convert_progress (
    rel oid PRIMARY KEY,
    trigger oid NOT NULL,
    pid integer NOT NULL,
    filled bigint NOT NULL,
    page bigint NOT NULL,
    pages bigint NOT NULL,
    begun timestamptz NOT NULL,
    told timestamptz NOT NULL
) USING heap;
COMMENT ON TABLE snowid_convert_progress IS
    'how far the fills of tables have come, for snowid_conversions';
COMMENT ON COLUMN snowid_convert_progress.rel IS 'the table';
COMMENT ON COLUMN snowid_convert_progress.trigger IS
    'the trigger of the conversion';
COMMENT ON COLUMN snowid_convert_progress.pid IS 'the process that fills';
COMMENT ON COLUMN snowid_convert_progress.filled IS 'how many rows it has filled';
COMMENT ON COLUMN snowid_convert_progress.page IS 'the page that it has come to';
COMMENT ON COLUMN snowid_convert_progress.pages IS 'how many there are; 0 when all are filled';
COMMENT ON COLUMN snowid_convert_progress.begun IS 'when it began';
COMMENT ON COLUMN snowid_convert_progress.told IS 'when this was last recorded';
CREATE FUNCTION _snowid.convert_progress_kept() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT pg_has_role((SELECT relowner FROM pg_class WHERE oid = NEW.rel), 'USAGE') THEN
        RAISE EXCEPTION 'must be owner of table %', NEW.rel::regclass USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION _snowid.convert_progress_kept() IS 'refuses rows about the tables of others';
CREATE TRIGGER snowid_drop_replicated
    BEFORE INSERT OR UPDATE OR DELETE ON snowid_convert_progress
    FOR EACH ROW EXECUTE FUNCTION _snowid.drop_replicated();
ALTER TABLE snowid_convert_progress ENABLE ALWAYS TRIGGER snowid_drop_replicated;
CREATE TRIGGER snowid_kept BEFORE INSERT OR UPDATE ON snowid_convert_progress
    FOR EACH ROW EXECUTE FUNCTION _snowid.convert_progress_kept();
ALTER TABLE snowid_convert_progress ENABLE ALWAYS TRIGGER snowid_kept;
COMMENT ON TRIGGER snowid_kept ON snowid_convert_progress IS 'refuses rows about the tables of others';
GRANT SELECT, INSERT, UPDATE ON snowid_convert_progress TO PUBLIC;
