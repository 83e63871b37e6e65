-- Plants what the owner of the extension's schema could plant: in schema ids, overloads of each function and operator of pg_catalog
-- that the scripts of the extensions name, for all plausible arguments. PostgreSQL prefers them wherever its own needs a cast. Names that
-- these scripts themselves create are left out, because CREATE EXTENSION would fail.
\set script `cat $SNOWID_SCRIPT`
SELECT set_config('planted.script', :'script', false) IS NULL AS set \gset
DO $$
DECLARE
    types text[] := '{text,name,oid,regclass,integer,bigint,numeric,timestamptz,interval,text[],bigint[]}';
    script text := current_setting('planted.script');
    names text[] := ARRAY(SELECT DISTINCT m[1] FROM regexp_matches(script, '([a-z_0-9]+)\(', 'g') AS m
        EXCEPT SELECT m[1] FROM regexp_matches(script, 'CREATE FUNCTION (?:@extschema@\.)?([a-z_0-9]+)\(', 'g') AS m);
    plant text := $plant$CREATE OR REPLACE FUNCTION ids.%I(%s) RETURNS %s LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''planted''; END'$plant$;
    f record;
BEGIN
    FOR f IN
        WITH given AS (SELECT 1 AS n, a AS args FROM unnest(types) AS a
            UNION ALL SELECT 2, concat_ws(',', a, b) FROM unnest(types) AS a, unnest(types) AS b
            UNION ALL SELECT 3, concat_ws(',', a, b, c) FROM unnest('{text,timestamptz,interval,bigint}'::text[]) AS a,
                unnest('{text,timestamptz,interval,bigint}'::text[]) AS b, unnest('{text,timestamptz,interval,bigint}'::text[]) AS c
            UNION ALL SELECT n, rtrim(repeat('text,', n), ',') FROM generate_series(4, 8) AS n)
        SELECT DISTINCT ON (proname, args) proname, args, CASE WHEN proretset THEN 'SETOF ' ELSE '' END || CASE typtype WHEN 'p' THEN 'bigint' ELSE typname END AS returns
            FROM pg_proc JOIN pg_type t ON t.oid = prorettype JOIN given ON n = pronargs OR provariadic <> 0 AND n >= pronargs
            WHERE pronamespace = 'pg_catalog'::regnamespace AND proname = ANY (names) ORDER BY proname, args, typname = 'timestamptz' DESC
    LOOP
        EXECUTE format(plant, f.proname, f.args, f.returns);
    END LOOP;
    FOR f IN SELECT a, b FROM unnest(types) AS a, unnest(types) AS b LOOP
        EXECUTE format(plant, 'planted', concat_ws(',', f.a, f.b), 'boolean');
    END LOOP;
    FOR f IN SELECT DISTINCT oprname, a, b FROM pg_operator, unnest(types) AS a, unnest(types) AS b
        WHERE oprkind = 'b' AND oprnamespace = 'pg_catalog'::regnamespace AND script ~ ('\s' || regexp_replace(oprname, '(\W)', '\\\1', 'g') || '\s')
    LOOP
        EXECUTE format('CREATE OPERATOR ids.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = ids.planted)', f.oprname, f.a, f.b);
    END LOOP;
END $$;
