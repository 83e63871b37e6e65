\echo Use "CREATE EXTENSION snowid_convert" to load this file. \quit

-- All names below have their schema, or are of pg_catalog: the owner of the extension's schema can have put functions
-- and operators there.
SET LOCAL search_path = pg_catalog, pg_temp;

CREATE SCHEMA _snowid_convert;
COMMENT ON SCHEMA _snowid_convert IS
    'what the extension snowid_convert calls; any version may rename or drop what is in it';
GRANT USAGE ON SCHEMA _snowid_convert TO PUBLIC;

-- All that this extension uses of snowid's schema _snowid. sql/install/rights.sql has the same list, and
-- tools/check_sql compares both with what is used.
DO $$
DECLARE
    missing text := (SELECT string_agg(name, ', ') FROM unnest('{
            default_is_ours, drop_replicated, generator, public_schema, recorded_layout, require_owner,
            snowflake_encode, snowflake_lower_bound, snowflake_sequence, snowflake_type, snowflake_worker
        }'::text[]) AS name
        WHERE to_regclass('_snowid.' || name) IS NULL
            AND NOT EXISTS (SELECT FROM pg_proc WHERE proname = name AND pronamespace = '_snowid'::regnamespace));
BEGIN
    IF missing IS NOT NULL THEN
        RAISE EXCEPTION 'the extension "snowid" of this database has another version than "snowid_convert"'
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = format('It lacks %s.', missing),
            HINT = 'Run: ALTER EXTENSION snowid UPDATE;';
    END IF;
END $$;

-- The schema of CREATE EXTENSION.
CREATE FUNCTION _snowid_convert.public_schema() RETURNS regnamespace
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'snowid_convert';
END;
