\set ECHO none
-- What the tests of types begin with.
SET timezone = 'UTC';
-- Shows the error of a statement that fails.
CREATE FUNCTION pg_temp.error_of(statement text) RETURNS TABLE (state text, message text, detail text, hint text)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    message := 'no error';
    RETURN NEXT;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
        hint = PG_EXCEPTION_HINT;
    RETURN NEXT;
END $$;

-- the vectors; SNOWID_VECTORS names another folder for them
\getenv vectors SNOWID_VECTORS
\if :{?vectors}
\else
\getenv source PG_ABS_SRCDIR
\set vectors :source '/test/vectors'
\endif
\set as_it_is ' WITH (FORMAT csv, HEADER, DELIMITER E''\\t'', QUOTE E''\\x01'')'
\set ECHO all
