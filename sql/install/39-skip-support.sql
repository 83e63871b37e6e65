
-- skip support ----------------------------------------------------------------
-- PostgreSQL 18 and later can ask a btree class for the neighbours of a value; earlier ones refuse to hear of it.

DO $$
DECLARE
    id_type name;
BEGIN
    IF pg_catalog.current_setting('server_version_num')::pg_catalog.int4 >= 180000 THEN
        FOREACH id_type IN ARRAY ARRAY['ulid', 'ksuid', 'objectid', 'rsxid', 'sandflake', 'sno'] LOOP
            EXECUTE pg_catalog.replace('ALTER OPERATOR FAMILY @extschema@.ID_ops USING btree
                ADD FUNCTION 6 (@extschema@.ID, @extschema@.ID) @extschema@.ID_skipsupport(internal)', 'ID', id_type);
        END LOOP;
    END IF;
END $$;
