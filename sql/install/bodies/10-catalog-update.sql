
-- what only some versions of PostgreSQL have ----------------------------------
-- PostgreSQL 18 and later can ask a btree class for the neighbours of a value (skip support). Earlier versions reject
-- such a support function.

CREATE FUNCTION @extschema@.snowid_catalog_update(OUT added text) RETURNS SETOF text
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    missing record;
BEGIN
    IF current_setting('server_version_num')::int4 < 180000 THEN RETURN; END IF;
    FOR missing IN SELECT family.opfnamespace::regnamespace AS schema, family.opfname AS family,
            class.opcintype::regtype AS id_type, type.typname, support.oid::regproc AS support
        FROM pg_proc AS support
            JOIN pg_amproc AS sort
                ON sort.amproc = to_regproc('_snowid.' || replace(support.proname, 'skipsupport', 'sortsupport'))
            JOIN pg_opclass AS class ON class.opcfamily = sort.amprocfamily AND class.opcdefault
            JOIN pg_opfamily AS family ON family.oid = class.opcfamily
            JOIN pg_type AS type ON type.oid = class.opcintype
        WHERE support.pronamespace = '_snowid'::regnamespace AND support.proname LIKE '%\_skipsupport'
            AND NOT EXISTS (SELECT FROM pg_amproc WHERE amprocfamily = family.oid AND amprocnum = 6)
        ORDER BY support.oid
    LOOP
        EXECUTE format('ALTER OPERATOR FAMILY %s.%I USING btree ADD FUNCTION 6 (%3$s, %3$s) %4$s(internal)',
            missing.schema, missing.family, missing.id_type, missing.support);
        added := 'skip support of ' || missing.typname;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.snowid_catalog_update()
    IS 'adds to the extension what this version of PostgreSQL offers; for use after pg_upgrade';
REVOKE EXECUTE ON FUNCTION @extschema@.snowid_catalog_update() FROM PUBLIC;

DO $$ BEGIN PERFORM @extschema@.snowid_catalog_update(); END $$;
