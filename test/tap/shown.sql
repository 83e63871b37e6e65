-- Where EXPLAIN or a stored view of a statement with a function, operator, cast or aggregate of the extension shows an internal name.
BEGIN;
CREATE TABLE of_types (a text, b bigint, c int, d interval, e timestamptz, f tstzrange, g uuid, h bytea, i name, j regclass, k boolean, l text[], m smallint,
    n ids.snowid_snapshot, o ids.snowflake, p ids.sno, q ids.ulid, r ids.ksuid, s ids.objectid, t ids.rsxid, u ids.sandflake, v json, w jsonb, x ids.ulid[]);
CREATE FUNCTION of_type(type oid) RETURNS text LANGUAGE sql RETURN
    (SELECT format('of_types.%I', attname) FROM pg_attribute WHERE attrelid = 'of_types'::regclass AND atttypid = type);
CREATE VIEW expressions AS
    WITH members AS (SELECT classid, objid FROM pg_depend JOIN pg_extension AS e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid WHERE extname = 'snowid' AND deptype = 'e')
    SELECT format('%s(%s)', oid::regproc, (SELECT string_agg(coalesce(of_type(type), 'NULL'), ', ' ORDER BY place) FROM unnest(proargtypes) WITH ORDINALITY AS a (type, place))) AS expression
        FROM pg_proc JOIN members ON classid = 'pg_proc'::regclass AND objid = oid WHERE pronamespace = 'ids'::regnamespace AND prokind IN ('f', 'a')
    UNION ALL SELECT format('%s OPERATOR(ids.%s) %s', of_type(oprleft), oprname, of_type(oprright)) FROM pg_operator JOIN members ON classid = 'pg_operator'::regclass AND objid = oid
    UNION ALL SELECT format('%s::%s', of_type(castsource), casttarget::regtype) FROM pg_cast JOIN members ON classid = 'pg_cast'::regclass AND objid = oid
        WHERE NOT EXISTS (SELECT FROM pg_type WHERE oid IN (castsource, casttarget) AND typnamespace = '_snowid'::regnamespace);
DO $$
DECLARE
    one text;
    line text;
    statements bigint := 0;
BEGIN
    FOR one IN SELECT expression FROM expressions LOOP
        FOR line IN EXECUTE format('EXPLAIN (VERBOSE, COSTS OFF) SELECT %s FROM of_types', one) LOOP
            IF line ~ '_snowid' THEN RAISE EXCEPTION '%: %', one, line; END IF;
        END LOOP;
        EXECUTE format('CREATE OR REPLACE TEMP VIEW %I AS SELECT (%s) IS NULL AS shown FROM of_types', 'shown ' || statements, one);
        IF pg_get_viewdef(format('%I', 'shown ' || statements)::regclass) ~ '_snowid' THEN RAISE EXCEPTION '% in a view', one; END IF;
        statements := statements + 1;
    END LOOP;
    ASSERT statements > 300, statements;
END $$;
ROLLBACK;
