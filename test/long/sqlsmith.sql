-- Tables for queries that sqlsmith makes up: of PostgreSQL's types, with an index on an expression, and of ids where the database has the
-- extension, with and without indexes on what is computed from them, in partitions, and behind views.
CREATE TABLE plain AS SELECT g AS a, g::text AS b, now() - g * interval '1 h' AS c, current_date - g AS d, point(g, g) AS p, lseg(point(g, g), point(g, 1)) AS l, array[g] AS arr
    FROM generate_series(1, 30) AS g;
CREATE INDEX ON plain (abs(a));
CREATE INDEX ON plain (upper(b));
DO $$
DECLARE
    t record;
BEGIN
    FOR t IN SELECT typname AS type, typname AS scheme FROM pg_type JOIN pg_depend ON classid = 'pg_type'::regclass AND objid = pg_type.oid AND deptype = 'e'
            JOIN pg_extension AS e ON refobjid = e.oid WHERE extname = 'snowid' AND typtype = 'b' AND typelem = 0
        UNION ALL SELECT * FROM (VALUES ('uuid', 'uuidv7'), ('bigint', 'snowflake')) AS v WHERE to_regproc('snowflake_next') IS NOT NULL LOOP
        EXECUTE format($sql$
            CREATE TABLE of_%1$s (id %1$s PRIMARY KEY, n int);
            INSERT INTO of_%1$s SELECT %2$s_lower_bound('2025-01-01'::timestamptz + g * interval '1 hour')::%1$s, g FROM generate_series(0, 40) AS g;
            CREATE TABLE covered_%1$s AS TABLE of_%1$s;
            CREATE INDEX ON covered_%1$s (%2$s_time(id));
            CREATE INDEX ON covered_%1$s (id);
            CREATE TABLE parts_%1$s (LIKE of_%1$s) PARTITION BY RANGE (id);
            CREATE TABLE part_%1$s PARTITION OF parts_%1$s DEFAULT;
            INSERT INTO parts_%1$s TABLE of_%1$s;
            CREATE VIEW seen_%1$s AS SELECT %2$s_time(id) AS made, id::text AS shown, n FROM of_%1$s;
            CREATE VIEW day_%1$s AS SELECT %2$s_time(id)::date AS d, date_trunc('day', %2$s_time(id)) AS day, %2$s_time(id) AT TIME ZONE 'Etc/GMT-40' AS z FROM of_%1$s;
            CREATE VIEW united_%1$s WITH (security_barrier) AS SELECT %2$s_time(id) AS made, n FROM parts_%1$s UNION ALL SELECT %2$s_time(id), -n FROM of_%1$s;
        $sql$, t.type, t.scheme);
    END LOOP;
END $$;
GRANT ALL ON ALL TABLES IN SCHEMA public TO smith;
