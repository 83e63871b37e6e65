
-- Who may execute the functions that this update has made anew, if somebody has changed that before, or if default
-- privileges would. It is not the extension's choice, so pg_init_privs stays without it, and pg_dump writes it.
DO $$
DECLARE
    kept record;
    given record;
BEGIN
    FOR kept IN SELECT p.oid, p.oid::regprocedure AS signature, proowner, initprivs, saved.rights,
            coalesce(proacl, acldefault('f', proowner)) AS acl
        FROM jsonb_to_recordset(current_setting('snowid_update.rights')::jsonb)
                AS saved (name name, is_changed boolean, rights jsonb)
            JOIN pg_proc AS p ON proname = saved.name
            JOIN pg_depend AS d ON classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e'
            JOIN pg_extension AS e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid AND extname = 'snowid'
                AND pronamespace = extnamespace
            LEFT JOIN pg_init_privs AS i ON i.classoid = 'pg_proc'::regclass AND i.objoid = p.oid
        WHERE is_changed OR EXISTS (SELECT FROM pg_default_acl WHERE defaclrole = proowner AND defaclobjtype = 'f')
    LOOP
        FOR given IN SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS role
            FROM aclexplode(kept.acl)
        LOOP
            EXECUTE format('REVOKE ALL ON FUNCTION %s FROM %s', kept.signature, given.role);
        END LOOP;
        FOR given IN SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS role,
                CASE WHEN bool_or(is_grantable) AND grantee <> kept.proowner THEN ' WITH GRANT OPTION' END AS option
            FROM jsonb_to_recordset(kept.rights) AS r (grantee oid, is_grantable boolean) GROUP BY grantee
        LOOP
            EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s%s', kept.signature, given.role, given.option);
        END LOOP;
        DELETE FROM pg_init_privs WHERE classoid = 'pg_proc'::regclass AND objoid = kept.oid AND kept.initprivs IS NULL;
        UPDATE pg_init_privs SET initprivs = kept.initprivs WHERE classoid = 'pg_proc'::regclass AND objoid = kept.oid;
        -- from PostgreSQL 17 on
        DELETE FROM pg_shdepend WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND classid = 'pg_proc'::regclass AND objid = kept.oid AND deptype = 'i'
            AND NOT EXISTS (SELECT FROM aclexplode(kept.initprivs) WHERE grantee = refobjid);
    END LOOP;
END $$;
