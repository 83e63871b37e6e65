
-- what only some versions of PostgreSQL have ----------------------------------
-- PostgreSQL 18 and later can ask a btree class for the neighbours of a value (skip support). Earlier versions reject such
-- a support function.

CREATE FUNCTION @extschema@.snowid_catalog_update(OUT added text) RETURNS SETOF text
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ids regnamespace := (SELECT extnamespace FROM pg_extension WHERE extname = 'snowid');
    id_type name;
BEGIN
    IF current_setting('server_version_num')::int4 < 180000 THEN RETURN; END IF;
    FOREACH id_type IN ARRAY ARRAY['ulid', 'ksuid', 'objectid', 'rsxid', 'sandflake', 'sno'] LOOP
        CONTINUE WHEN EXISTS (SELECT FROM pg_amproc WHERE amprocnum = 6
            AND amproc = to_regprocedure(format('%s.%I(internal)', ids, '_' || id_type || '_skipsupport')));
        EXECUTE format('ALTER OPERATOR FAMILY %1$s.%2$I USING btree ADD FUNCTION 6 (%1$s.%3$I, %1$s.%3$I) %1$s.%4$I(internal)',
            ids, id_type || '_ops', id_type, '_' || id_type || '_skipsupport');
        added := 'skip support of ' || id_type;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.snowid_catalog_update() IS 'adds to the extension what this version of PostgreSQL offers; a superuser calls it after pg_upgrade';
REVOKE EXECUTE ON FUNCTION @extschema@.snowid_catalog_update() FROM PUBLIC;

DO $$ BEGIN PERFORM @extschema@.snowid_catalog_update(); END $$;
