-- Plans and runs a condition with every operator of pg_operator that gives a boolean, over function calls on a table with an index and
-- statistics on expressions. Where the database has the extension, functions of ids are on either side, and the rows must be those without
-- snowid.infer. Prints how many conditions ran, and those that found other rows or met an internal error.
\set QUIET on
\set ON_ERROR_STOP on
SET client_min_messages = error;
CREATE TABLE rows_of (n int, id bigint, u uuid, other bigint);
INSERT INTO rows_of SELECT g, g * (1::bigint << 55) + g, ('01937000-0000-7000-8000-' || lpad(g::text, 12, '0'))::uuid, g * (1::bigint << 56) FROM generate_series(1, 60) AS g;
CREATE INDEX ON rows_of (id);
CREATE INDEX ON rows_of (u);
CREATE INDEX ON rows_of (abs(n));
CREATE STATISTICS of_rows ON (abs(n)), (n + 1) FROM rows_of;
ANALYZE rows_of;

-- What a condition can be made of: for each type a call that is not simplified, and what functions of ids make.
CREATE TEMP TABLE side (type regtype, expression text UNIQUE, is_ours boolean);
DO $$
DECLARE
    type regtype;
BEGIN
    FOR type IN SELECT DISTINCT unnest(ARRAY[oprleft, oprright]) FROM pg_operator WHERE oprresult = 'boolean'::regtype LOOP
        type := CASE type WHEN 'anyelement'::regtype THEN 'timestamptz' WHEN 'anyarray'::regtype THEN 'text[]' WHEN 'anyrange'::regtype THEN 'tstzrange'
            WHEN 'anymultirange'::regtype THEN 'tstzmultirange' ELSE type END;
        CONTINUE WHEN NOT EXISTS (SELECT FROM pg_type WHERE oid = type AND typtype <> 'p');
        EXECUTE format('CREATE OR REPLACE FUNCTION pg_temp.made(n int, of %s) RETURNS %1$s LANGUAGE plpgsql STABLE AS ''BEGIN RETURN NULL; END''', type);
        INSERT INTO side VALUES (type, format('pg_temp.made(n, NULL::%s)', type), false) ON CONFLICT DO NOTHING;
    END LOOP;
END $$;
SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'snowid') AS has_ids \gset
\if :has_ids
SET timezone = 'Asia/Tokyo';
INSERT INTO side VALUES ('timestamptz', 'snowflake_time(id)', true), ('timestamptz', 'date_trunc(''week'', uuidv7_time(u))', true), ('timestamp', 'snowflake_time(id) AT TIME ZONE ''Etc/GMT-14''', true),
    ('timestamp', 'snowflake_time(id, ''twitter'') AT TIME ZONE ''a/b-100''', true), ('date', 'snowflake_time(id)::date', true), ('text', 'typeid_text(u, ''user'')', true),
    ('text', 'id_text(id)', true), ('varchar', 'id_text(id)::varchar', true), ('bigint', 'id', true), ('uuid', 'u', true);
CREATE FUNCTION pg_temp.found(condition text, with_implied text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE found text;
BEGIN
    PERFORM set_config('snowid.infer', with_implied, true), set_config('enable_seqscan', 'off', true);
    EXECUTE 'SELECT string_agg(n::text, '' '' ORDER BY n) FROM rows_of WHERE ' || condition INTO found;
    RETURN found;
END $$;
\else
CREATE FUNCTION pg_temp.found(condition text, with_implied text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'EXPLAIN SELECT FROM rows_of WHERE ' || condition;
    RETURN NULL;
END $$;
\endif

-- The other side is another call, or the value that the call has in one row.
CREATE TEMP TABLE condition AS WITH
    operator AS (SELECT oid, oprkind, format('OPERATOR(%s.%s)', oprnamespace::regnamespace, oprname) AS name, oprleft, oprright FROM pg_operator WHERE oprresult = 'boolean'::regtype),
    operand AS (SELECT s.*, t.oid AS as_type FROM side AS s JOIN pg_type AS t ON t.oid = s.type OR (t.typname = 'anyelement' AND s.type IN ('timestamptz'::regtype, 'date'::regtype, 'timestamp'::regtype))
        OR (t.typname = 'anyrange' AND s.type = 'tstzrange'::regtype) OR (t.typname = 'anymultirange' AND s.type = 'tstzmultirange'::regtype) OR (t.typname = 'anyarray' AND s.type = 'text[]'::regtype)
        OR (t.typname = 'text' AND s.type = 'varchar'::regtype)),
    value AS (SELECT as_type, type, expression, is_ours, CASE WHEN is_ours THEN format('(SELECT %s FROM rows_of WHERE n = 30)', expression) ELSE expression END AS value FROM operand)
    SELECT format('%s %s', name, r.expression) AS condition FROM operator JOIN value AS r ON r.as_type = oprright WHERE oprkind = 'l'
    UNION ALL SELECT format(form, l.expression, name, r.value) FROM operator JOIN value AS l ON l.as_type = oprleft JOIN value AS r ON r.as_type = oprright
        CROSS JOIN unnest('{%s %s %s,%1$s %2$s ANY (ARRAY[%3$s]),%1$s %2$s ALL (ARRAY[%3$s])}'::text[]) AS form WHERE oprkind = 'b' AND (l.is_ours >= r.is_ours)
    UNION ALL SELECT format('%s %s %s', l.value, name, r.expression) FROM operator JOIN value AS l ON l.as_type = oprleft JOIN value AS r ON r.as_type = oprright
        WHERE oprkind = 'b' AND r.is_ours
    UNION ALL SELECT format('(%s, n) %s (%s, 7)', l.expression, name, r.value) FROM operator JOIN value AS l ON l.as_type = oprleft JOIN value AS r ON r.as_type = oprright
        WHERE oprkind = 'b' AND l.is_ours AND r.is_ours;
CREATE TEMP TABLE result (condition text, ran boolean, is_same boolean);
DO $$
DECLARE
    c text;
    found text;
BEGIN
    FOR c IN SELECT condition FROM condition LOOP
        BEGIN
            found := pg_temp.found(c, 'on');
            INSERT INTO result VALUES (c, true, found IS NOT DISTINCT FROM pg_temp.found(c, 'off'));
        EXCEPTION WHEN OTHERS THEN  -- not all types have what the operator needs
            INSERT INTO result VALUES (c, false, SQLSTATE <> 'XX000');
        END;
    END LOOP;
END $$;
SELECT count(*) FILTER (WHERE ran) FROM result;
SELECT 'differs: ' || condition FROM result WHERE NOT is_same;
