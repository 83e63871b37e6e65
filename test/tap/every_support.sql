-- A superuser can give our support functions to any function. Plans calls of functions with few and many arguments of any type, which are
-- columns or constants. Prints how many were planned.
\set QUIET on
\set ON_ERROR_STOP on
CREATE TABLE seen (t timestamptz, b bigint, u uuid, x text, l ulid);
CREATE INDEX ON seen (b);
CREATE FUNCTION plan_calls(support regproc, types text, sides text[]) RETURNS int LANGUAGE plpgsql AS $$
DECLARE side text; planned int := 0;
BEGIN
    EXECUTE format('CREATE FUNCTION with_support(%s) RETURNS boolean LANGUAGE plpgsql STABLE SUPPORT %s AS ''BEGIN RETURN NULL; END''', types, support);
    FOREACH side IN ARRAY sides LOOP
        BEGIN
            EXECUTE format('EXPLAIN SELECT FROM seen WHERE with_support(%s)', side);
            planned := planned + 1;
        EXCEPTION WHEN undefined_function OR invalid_parameter_value THEN  -- no bounds of such a type, no such operator
        END;
    END LOOP;
    EXECUTE format('DROP FUNCTION with_support(%s)', types);
    RETURN planned;
END $$;
WITH argument (name, type, constant) AS (VALUES ('t', 'timestamptz', 'timestamptz ''2025-01-01'''), ('b', 'bigint', '7::bigint'), ('x', 'text', 'text ''<'''),
        ('u', 'uuid', 'uuid ''01937000-0000-7000-8000-000000000000'''), ('l', 'ulid', 'ulid ''01JDTR0000000000000000000A''')),
    list AS (SELECT DISTINCT (ARRAY[a.name, b.name, c.name])[:n] AS names FROM argument AS a, argument AS b, argument AS c, generate_series(0, 3) AS n),
    call AS (SELECT names, (SELECT coalesce(string_agg(type, ',' ORDER BY i), '') FROM unnest(names) WITH ORDINALITY AS k (k, i) JOIN argument ON name = k) AS types,
            (SELECT coalesce(string_agg(constant, ',' ORDER BY i), '') FROM unnest(names) WITH ORDINALITY AS k (k, i) JOIN argument ON name = k) AS constants FROM list)
    SELECT sum(plan_calls(f.oid, types, ARRAY[array_to_string(names, ','), constants])) FROM call, pg_proc AS f
        WHERE pronamespace = '_snowid'::regnamespace AND prorettype = 'internal'::regtype AND proargtypes[0] = 'internal'::regtype AND pronargs = 1;
DROP FUNCTION plan_calls;
DROP TABLE seen;
