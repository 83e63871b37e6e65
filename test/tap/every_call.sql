-- Calls every function of the extensions with the values that somebody could hand to it: NULL, rows and arrays that hold NULL, arrays of odd
-- shapes, texts that are compressed, node trees of all catalogues, extremes. One argument is odd at a time, and then all are. Most calls are
-- errors. What must not happen is an internal error (XX000) or a crash: who runs this looks for both in what psql prints.
--     psql -v role=stranger -f every_call.sql                       all of them
--     psql -v role=stranger -v one_in=4 -v from=2 -f every_call.sql   the second of each four, the sixth, and so on
\if :{?one_in}
\else
\set one_in 1
\set from 0
\endif
\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = error;
CREATE SCHEMA calls;
GRANT ALL ON SCHEMA calls TO PUBLIC;
CREATE TABLE calls.things (id bigint PRIMARY KEY, made timestamptz, old int, name text CHECK (name <> 'x'));
INSERT INTO calls.things (id, name) VALUES (1, repeat('a', 100000)), (2, '');
ALTER TABLE calls.things DROP COLUMN old;
CREATE TABLE calls.parts (id bigint PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE calls.part PARTITION OF calls.parts FOR VALUES FROM (1) TO (5);
CREATE VIEW calls.seen AS SELECT * FROM calls.things;
CREATE SEQUENCE calls.numbers;
GRANT ALL ON ALL TABLES IN SCHEMA calls TO PUBLIC;
SELECT coalesce(to_regproc('snowid_seal_key_create') IS NOT NULL, false) AS seals \gset
\if :seals
-- without OpenSSL there are no keys
\set ON_ERROR_STOP off
SELECT snowid_seal_key_create() AS key \gset
\set ON_ERROR_STOP on
\endif

CREATE TABLE calls.functions AS
    SELECT row_number() OVER (ORDER BY p.oid) AS n, p.oid, p.oid::regproc::text AS name, prokind, proretset, ARRAY(SELECT t::oid::regtype FROM unnest(proargtypes) WITH ORDINALITY AS a (t, n) ORDER BY n) AS args,
        has_function_privilege('public', p.oid, 'EXECUTE') AS for_all, prorettype::regtype AS result, probin IS NOT NULL AS is_c
    FROM pg_depend JOIN pg_extension AS e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND objid = p.oid
    WHERE deptype = 'e' AND extname IN ('snowid', 'snowid_convert', 'snowid_directory');
CREATE TABLE calls.types AS SELECT DISTINCT t AS type FROM calls.functions, unnest(args) AS t;

-- The first value of a type is one that functions take.
CREATE TABLE calls.value (n serial, type regtype, expression text);
INSERT INTO calls.value (type, expression) SELECT type::regtype, format('%L::%s', value, type) FROM (VALUES
    ('smallint', '{0,1,-1,32767,-32768}'::text[]),
    ('integer', '{1,0,-1,1024,65536,2147483647,-2147483648}'),
    ('bigint', '{382458686519406592,0,1,-1,9223372036854775807,-9223372036854775808}'),
    ('boolean', '{true,false}'), ('double precision', '{0,NaN,-Infinity,1e308}'),
    ('text', ARRAY['default', '', 'twitter', 'named', 'sno', 'x', '<', 'UTC', '%s%n%', E'\u00e4\u00f6', '"', '''', repeat(E'\u20ac', 22), '1 = 1', 'epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12']),
    ('cstring', ARRAY['', '0', '18446744073709551616', repeat('z', 1000)]), ('name', ARRAY['id', '', 'no column', repeat('n', 63)]),
    ('timestamptz', '{2025-05-05Z,-infinity,infinity,4714-11-24 00:00:00Z BC,294276-12-31 23:59:59.999999Z,2262-04-12Z,1969-12-31Z}'),
    ('interval', ARRAY['1 month', '0', '-1 us', '178000000 years', '-178000000 years', '1 month 1 day', '1 hour']),
    ('tstzrange', ARRAY['[2024-01-01,2024-02-01)', 'empty', '(,)', '[-infinity,infinity]']),
    ('uuid', ARRAY['018cc251-f400-7000-8000-000000000000', repeat('0', 32), repeat('f', 32)]),
    ('jsonb', '{"{}",null,1,[],"{\"generator\": {\"a\": null}}"}'),
    ('regclass', '{calls.things,calls.parts,calls.part,calls.seen,calls.numbers,calls.things_pkey,pg_class,_snowid.generator,0,4294967295}'),
    ('oid', '{23,0,4294967295}'), ('xid', '{3,0,4294967295}')) AS v (type, "values"), unnest("values") AS value;
INSERT INTO calls.value (type, expression) SELECT 'bytea'::regtype, format('%L::bytea', '\x' || repeat('a7', n)) FROM unnest('{0,1,3,4,5,7,8,10,12,16,20,64,100000}'::int[]) AS n
    UNION ALL SELECT 'text', unnest(ARRAY['repeat(''y'', 100000)', '(SELECT name FROM calls.things WHERE id = 1)']);
-- what stands in the catalogues, one of each
INSERT INTO calls.value (type, expression) SELECT 'pg_node_tree'::regtype, format('(SELECT %I FROM pg_catalog.%I WHERE %1$I IS NOT NULL ORDER BY oid DESC OFFSET %s LIMIT 1)', attname, relname, o)
    FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid CROSS JOIN generate_series(0, 200, 50) AS o
    WHERE atttypid = 'pg_node_tree'::regtype AND relnamespace = 'pg_catalog'::regnamespace AND relkind = 'r' AND EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND attname = 'oid')
    ORDER BY relname <> 'pg_attrdef', relname, o;
INSERT INTO calls.value (type, expression) SELECT 'pg_node_tree'::regtype, format('(SELECT %s FROM pg_catalog.pg_index WHERE %1$s IS NOT NULL LIMIT 1)', c) FROM unnest('{indexprs,indpred}'::text[]) AS c;
-- ids
INSERT INTO calls.value (type, expression) SELECT t.oid, format('%s::bigint::%s', v, t.oid::regtype) FROM calls.types JOIN pg_type AS t ON t.oid = type, unnest('{382458686519406592,0,-1,9223372036854775807}'::bigint[]) AS v
    WHERE typtype = 'b' AND typname = 'snowflake';
INSERT INTO calls.value (type, expression) SELECT t.oid, format('%L::bytea::%s', '\x' || repeat(byte, typlen), t.oid::regtype) FROM calls.types JOIN pg_type AS t ON t.oid = type, unnest('{18,00,ff,7f}'::text[]) AS byte
    WHERE typtype = 'b' AND typlen > 8 AND NOT typbyval AND EXISTS (SELECT FROM pg_cast WHERE castsource = 'bytea'::regtype AND casttarget = t.oid);
-- rows: one that is whole, each field alone, each field NULL, none; through domains and typed tables
CREATE FUNCTION calls.whole(type regtype) RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_object_agg(attname, CASE WHEN attname = 'scheme' THEN '"snowflake"' WHEN atttypid = 'text'::regtype THEN '"named"' WHEN atttypid = 'boolean'::regtype THEN 'true'
            WHEN atttypid = 'timestamptz'::regtype THEN '"2025-01-01Z"' WHEN atttypid::regtype::text LIKE '%[]' THEN '["a", null]' ELSE '5' END::jsonb)
        FROM pg_type AS t JOIN pg_attribute ON attrelid = typrelid WHERE t.oid = $1 AND attnum > 0 AND NOT attisdropped AND attname <> 'layout' $$;
INSERT INTO calls.value (type, expression) SELECT type, format('jsonb_populate_record(NULL::%s, %L)', type, value) FROM calls.types JOIN pg_type AS t ON t.oid = type CROSS JOIN LATERAL (
        SELECT calls.whole(type) AS value UNION ALL SELECT '{}' UNION ALL SELECT calls.whole(type) || '{"layout": "", "name": null}'
        UNION ALL SELECT jsonb_build_object(key, v) FROM jsonb_each(calls.whole(type)) AS f (key, v) UNION ALL SELECT calls.whole(type) - key FROM jsonb_object_keys(calls.whole(type)) AS key) AS v
    WHERE typtype = 'c'
    UNION ALL SELECT type, format('jsonb_populate_record(NULL::%s, %L::jsonb || jsonb_build_object(''name'', repeat(''n'', 1000000), ''layout'', repeat(''l'', 1000000)))', type, calls.whole(type)) FROM calls.types JOIN pg_type AS t ON t.oid = type WHERE typtype = 'c';
INSERT INTO calls.value (type, expression) SELECT type, format('ROW(%s)::%s', (SELECT string_agg('NULL', ', ') FROM pg_attribute WHERE attrelid = typrelid AND attnum > 0 AND NOT attisdropped), type) FROM calls.types JOIN pg_type AS t ON t.oid = type WHERE typtype = 'c';
CREATE TABLE calls.typed OF snowid_snapshot;
INSERT INTO calls.typed VALUES (NULL);
CREATE DOMAIN calls.of_row AS snowid_snapshot;
CREATE DOMAIN calls.of_record AS _snowid.generator;
GRANT SELECT ON calls.typed TO PUBLIC;
INSERT INTO calls.value (type, expression) VALUES ('snowid_snapshot', '(SELECT t FROM calls.typed AS t)'), ('snowid_snapshot', '(NULL::snowid_snapshot)::calls.of_row'), ('snowid_snapshot', 'jsonb_populate_record(NULL::snowid_snapshot, ''{}'')::calls.of_row'),
    ('_snowid.generator', 'jsonb_populate_record(NULL::_snowid.generator, ''{"scheme": null}'')::calls.of_record'), ('_snowid.generator', '(SELECT g FROM _snowid.generator AS g WHERE name = ''named'')');
SELECT count(*) AS nobody FROM snowid_generator_create('named', worker => 77) \gset
INSERT INTO calls.value (type, expression) SELECT 'snowid_snapshot', format('%L::snowid_snapshot', s) FROM snowid_generator_snapshot('named') AS s;
-- arrays
INSERT INTO calls.value (type, expression)
    SELECT type, format(v, of, type) FROM (SELECT t.type, min(n) AS first FROM calls.types AS t JOIN pg_type AS p ON p.oid = t.type JOIN calls.value AS e ON e.type = typelem WHERE typlen = -1 GROUP BY t.type) AS t
        CROSS JOIN LATERAL (SELECT expression AS of FROM calls.value WHERE n = first) AS e,
        unnest(ARRAY['ARRAY[%1$s]::%2$s', '''{}''::%2$s', 'ARRAY[NULL]::%2$s', 'ARRAY[NULL,%1$s,NULL,%1$s]::%2$s', 'ARRAY[[%1$s,NULL],[NULL,%1$s]]::%2$s', 'ARRAY[[[%1$s]]]::%2$s',
            'array_fill(%1$s, ARRAY[3], ARRAY[-7])::%2$s', 'array_fill(%1$s, ARRAY[2,2], ARRAY[5,2147483000])::%2$s', 'array_fill(%1$s, ARRAY[100000])::%2$s', 'array_fill(NULL, ARRAY[1000])::%2$s']) WITH ORDINALITY AS s (v, o)
    ORDER BY type, o;
INSERT INTO calls.value (type, expression) SELECT type, format('NULL::%s', type) FROM calls.types WHERE type <> ALL ('{internal,cstring}'::regtype[]);
INSERT INTO calls.value (type, expression) VALUES ('internal', 'NULL'), ('internal', ''''''), ('cstring', 'NULL');
SELECT coalesce(string_agg(type::text, ', '), '') AS unknown FROM calls.types WHERE type NOT IN (SELECT type FROM calls.value) \gset
SELECT :'unknown' = '' AS known \gset
\if :known
\else
\echo XX000 there are no values of :unknown
\endif

-- All statements. One argument is odd at a time where C has to know; bodies in SQL are asked less. A set is asked for some rows in the list of results, where it is not read to its end, and in FROM.
CREATE TABLE calls.statement (n serial, for_all boolean, sql text);  -- NULL: for superusers only
GRANT SELECT ON calls.statement TO PUBLIC;
CREATE TABLE calls.numbered AS SELECT type::oid, expression, row_number() OVER (PARTITION BY type ORDER BY n)::int AS k, count(*) OVER (PARTITION BY type)::int AS count FROM calls.value;
ALTER TABLE calls.numbered ADD PRIMARY KEY (type, k);
ANALYZE calls.numbered;
WITH odd AS (  -- which value each argument has in a call
        SELECT f.n, 0 AS at, k FROM calls.functions AS f, generate_series(0, CASE WHEN is_c THEN 12 ELSE 6 END) AS k
        UNION ALL SELECT f.n, a.at, v.k FROM calls.functions AS f, unnest(args) WITH ORDINALITY AS a (type, at) JOIN calls.numbered AS v ON v.type = a.type WHERE is_c OR v.k > count - 2),
    call AS (SELECT f.*, odd.at, odd.k, format('%s(%s)', name, (SELECT string_agg(v.expression, ', ' ORDER BY a.at) FROM unnest(args) WITH ORDINALITY AS a (type, at) JOIN calls.numbered AS one ON one.type = a.type AND one.k = 1 JOIN calls.numbered AS v
                ON v.type = a.type AND v.k = CASE WHEN odd.at = a.at THEN odd.k WHEN odd.at = 0 THEN 1 + (one.count - 1 + odd.k * a.at) % one.count ELSE 1 END)) AS call
        FROM calls.functions AS f JOIN odd USING (n)),
    part AS (SELECT *, args[1] AS type FROM call)
INSERT INTO calls.statement (for_all, sql)
    SELECT for_all, s FROM (
        SELECT DISTINCT ON (call) n, at, k, for_all, CASE WHEN prokind = 'p' THEN ARRAY['CALL ' || call] WHEN proretset THEN ARRAY[format('SELECT %s LIMIT 3', call)] ELSE ARRAY['SELECT ' || call] END
                || CASE WHEN proretset AND at = 0 AND k < 3 AND call !~ '_batch\(' THEN ARRAY[format('SELECT count(*) FROM (SELECT * FROM %s WITH ORDINALITY LIMIT 3) AS s', call), format('SELECT s FROM generate_series(1, 2) AS g, LATERAL %s AS s LIMIT 5', call)] ELSE '{}' END AS statements
            FROM part WHERE prokind <> 'a'
        UNION ALL SELECT n, 0, 0, for_all, ARRAY[format('SELECT %s(v) FROM (VALUES %s) AS t (v)', name, of), format('SELECT %s(v) FROM (VALUES %s) AS t (v) WHERE false', name, of),
                format('SELECT %s(DISTINCT v ORDER BY v) FILTER (WHERE v IS NOT NULL) FROM (VALUES %s) AS t (v)', name, of),
                format('SELECT %s(v) OVER (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM (VALUES %s) AS t (v)', name, of)]
            FROM calls.functions, LATERAL (SELECT string_agg(format('(%s)', expression), ', ') AS of FROM calls.numbered WHERE type = args[1]) AS v WHERE prokind = 'a') AS c, unnest(statements) AS s
    ORDER BY NOT for_all, n, at, k;

-- Other ways to call: what a user makes of the functions (operators with our estimators, aggregates, ranges, triggers), sets that are not read to
-- their end, parallel workers, transactions that may not write.
CREATE TABLE calls.first AS SELECT f.*, format('%s(%s)', name, (SELECT string_agg(CASE WHEN type = 'internal'::regtype THEN 'NULL' ELSE (SELECT expression FROM calls.value AS v WHERE v.type = a.type ORDER BY n LIMIT 1) END, ', ' ORDER BY at)
        FROM unnest(args) WITH ORDINALITY AS a (type, at))) AS call FROM calls.functions AS f WHERE prokind = 'f' AND result <> 'trigger'::regtype;
CREATE TABLE calls.several AS SELECT type, string_agg(format('(%s)', expression), ', ' ORDER BY n) AS rows FROM calls.value WHERE type <> 'internal'::regtype GROUP BY type;
INSERT INTO calls.statement (for_all, sql)
    SELECT true, format('BEGIN; DECLARE c %s CURSOR FOR SELECT %s; FETCH 1 FROM c; %s', kind, call, rest) FROM calls.first, (VALUES ('NO SCROLL', 'ROLLBACK'), ('SCROLL', 'FETCH LAST FROM c; FETCH PRIOR FROM c; CLOSE c; COMMIT'), ('WITH HOLD', 'COMMIT; FETCH 1 FROM c; CLOSE c')) AS k (kind, rest)
        WHERE proretset AND (call !~ '_batch\(' OR kind = 'NO SCROLL')
    UNION ALL SELECT for_all, format('SELECT (%s).*, generate_series(1, 2) LIMIT 4', call) FROM calls.first WHERE proretset AND call !~ '_batch\('
    UNION ALL SELECT for_all, format('SELECT * FROM ROWS FROM (%s, generate_series(1, 2), %1$s) LIMIT 3', call) FROM calls.first WHERE proretset AND call !~ '_batch\('
    UNION ALL SELECT for_all, format('BEGIN READ ONLY; SELECT %s LIMIT 1; ROLLBACK', call) FROM calls.first
    UNION ALL SELECT for_all, format('BEGIN ISOLATION LEVEL SERIALIZABLE; SAVEPOINT s; SELECT %s LIMIT 1; ROLLBACK TO s; SELECT %1$s LIMIT 1; ROLLBACK', call) FROM calls.first WHERE is_c
    UNION ALL SELECT for_all, format('SELECT set_config(name, ''on'', true) FROM pg_settings WHERE name IN (''force_parallel_mode'', ''debug_parallel_query''); SELECT %s FROM calls.things LIMIT 3', call) FROM calls.first WHERE NOT proretset AND is_c AND (n % 8 = 0 OR name ~ '_(next|at|seal|unseal)$')
    UNION ALL SELECT for_all, format('SELECT %s OVER ()', call) FROM calls.first WHERE n % 10 = 0
    UNION ALL SELECT for_all, format('DO $do$ DECLARE r record; BEGIN FOR r IN SELECT %s LOOP EXIT; END LOOP; r := NULL; PERFORM %1$s LIMIT 1; END $do$', call) FROM calls.first WHERE proretset;
CREATE TABLE calls.many (n int, nothing text, words text, id bigint, at timestamptz, arrays int[], ulid ulid, sno sno, uuid uuid, snowflake snowflake, thing calls.things);
INSERT INTO calls.many SELECT g, NULL, format('%s abc', g), g * 1000000000000, now() - g * interval '1 hour', '{1,2}', ulid_next(), NULL, gen_random_uuid(), g FROM generate_series(1, 1000) AS g;
ANALYZE calls.many;
GRANT ALL ON calls.many TO PUBLIC;
-- PostgreSQL 15.20 lets nobody but superusers give an operator such an estimator, and no longer lets an operator claim another's commutator
INSERT INTO calls.statement (for_all, sql)
    SELECT true, format('CREATE FUNCTION calls.op(a %s, b %s) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS ''BEGIN RETURN true; END''; CREATE OPERATOR calls.@@@ (LEFTARG = %1$s, RIGHTARG = %2$s, FUNCTION = calls.op, RESTRICT = %s);'
            '%sANALYZE calls.many; EXPLAIN SELECT FROM calls.many AS m WHERE %s OPERATOR(calls.@@@) %s', l, r, e.name, CASE WHEN turned THEN format(
            'UPDATE pg_operator AS o SET oprcom = b.oid FROM pg_operator AS b WHERE o.oprname = ''@@@'' AND b.oprname = ''>'' AND b.oprnamespace <> o.oprnamespace AND b.oprleft = o.oprright AND b.oprright = o.oprleft;') ELSE '' END, left_side, right_side)
    FROM calls.functions AS e, (VALUES ('int', 'int', 'n', '5'), ('int', 'int', '5', 'n'), ('text', 'text', 'words', '''5'''), ('text', 'text', '''5''::text COLLATE "C"', 'words'), ('text', 'text', 'nothing', 'words'), ('bigint', 'timestamptz', 'id', 'now()'),
            ('timestamptz', 'bigint', 'now()', 'id'), ('ulid', 'ulid', 'm.ulid', 'NULL'), ('ulid', 'ulid', 'ulid_next()', 'm.ulid'), ('ulid', 'timestamptz', 'm.ulid', 'at'), ('sno', 'sno', 'sno_lower_bound(now())', 'm.sno'), ('uuid', 'uuid', 'gen_random_uuid()', 'm.uuid'),
            ('uuid', 'timestamptz', 'm.uuid', '''infinity'''), ('tstzrange', 'ulid', '''empty''', 'm.ulid'), ('int[]', 'int[]', '''{3}''', 'arrays'), ('snowflake', 'timestamptz', 'm.snowflake', 'at'), ('snowflake', 'snowflake', '7::bigint::snowflake', 'm.snowflake'),
            ('calls.things', 'calls.things', 'ROW(1, now(), NULL)::calls.things', 'thing'), ('timestamptz', 'timestamptz', 'now()', 'at'), ('text', 'int', '(SELECT max(words) FROM calls.many)', 'n')) AS v (l, r, left_side, right_side), unnest('{false,true}'::boolean[]) AS turned
    WHERE e.args = '{internal,oid,internal,integer}'::regtype[];
INSERT INTO calls.statement (for_all, sql)
    SELECT true, format('CREATE AGGREGATE calls.agg(%s) (SFUNC = %s, STYPE = %s%s); SELECT calls.agg(v) FROM (VALUES %s, (NULL)) AS t (v); SELECT calls.agg(v) OVER (ROWS 1 PRECEDING) FROM (VALUES %5$s) AS t (v)', f.args[2], f.name, f.args[1], coalesce(', FINALFUNC = ' || l.name, ''), rows)
        FROM calls.functions AS f JOIN calls.several AS s ON s.type = f.args[2] LEFT JOIN LATERAL (SELECT DISTINCT ON (result) name FROM calls.functions AS l WHERE l.args = ARRAY[f.args[1]] AND prokind = 'f') AS l ON true
        WHERE f.prokind = 'f' AND NOT f.proretset AND cardinality(f.args) = 2 AND f.result = f.args[1]
    UNION ALL SELECT true, format('CREATE TYPE calls.span AS RANGE (SUBTYPE = %s, SUBTYPE_DIFF = %s); CREATE TABLE calls.spans AS SELECT calls.span(a, b) AS s FROM (VALUES %s) AS one (a), (VALUES %3$s) AS two (b) WHERE a < b OR b IS NULL;'
            'CREATE INDEX ON calls.spans USING gist (s); ANALYZE calls.spans; SET LOCAL enable_seqscan = off; SELECT count(*) FROM calls.spans AS a JOIN calls.spans AS b ON a.s && b.s', args[1], name, rows)
        FROM calls.functions JOIN calls.several ON type = args[1] WHERE prokind = 'f' AND result = 'double precision'::regtype AND cardinality(args) = 2 AND args[1] = args[2];
CREATE TABLE calls.own AS SELECT c.oid::regclass AS tbl FROM pg_class AS c JOIN pg_depend ON classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e'
    WHERE relkind = 'r' AND deptype = 'e' AND relnamespace IN ('public'::regnamespace, '_snowid_convert'::regnamespace);
-- Triggers of others' making: each function, for each event, before and after, on a user's table and on the extension's own.
INSERT INTO calls.statement (for_all, sql)
    SELECT NULL, format('CREATE %sTRIGGER z %s %s ON %s %s FOR EACH %s EXECUTE FUNCTION %s(%s); %s', CASE WHEN w = 'CONSTRAINT' THEN 'CONSTRAINT ' ELSE '' END, CASE w WHEN 'CONSTRAINT' THEN 'AFTER' ELSE w END, event, tbl,
            CASE WHEN w = 'CONSTRAINT' THEN 'DEFERRABLE INITIALLY DEFERRED' ELSE '' END, CASE WHEN w = 'CONSTRAINT' THEN 'ROW' ELSE level END, f.name, given,
            CASE event WHEN 'INSERT' THEN format('INSERT INTO %s SELECT %s.* FROM %2$s; INSERT INTO %1$s SELECT', tbl, tbl) WHEN 'UPDATE' THEN format('UPDATE %s SET %I = %2$I', tbl, col) WHEN 'DELETE' THEN format('DELETE FROM %s', tbl) ELSE format('TRUNCATE %s', tbl) END || '; SET CONSTRAINTS ALL IMMEDIATE')
        FROM calls.functions AS f, unnest('{INSERT,UPDATE,DELETE,TRUNCATE}'::text[]) AS event, unnest('{BEFORE,AFTER,CONSTRAINT,INSTEAD OF}'::text[]) AS w, unnest('{ROW,STATEMENT}'::text[]) AS level, unnest(ARRAY['', '''parent'', ''x; y'', 3']) AS given,
            (SELECT tbl::text, (SELECT attname FROM pg_attribute WHERE attrelid = tbl AND attnum = 1) AS col FROM calls.own
                UNION ALL VALUES ('calls.things', 'id'), ('calls.many', 'n'), ('calls.seen', 'id'), ('calls.part', 'id')) AS t
        WHERE f.result = 'trigger'::regtype AND (w = 'INSTEAD OF') = (tbl = 'calls.seen') AND (w <> 'CONSTRAINT' OR level = 'ROW') AND (level = 'ROW' OR event <> 'TRUNCATE' OR w <> 'CONSTRAINT') AND NOT (event = 'TRUNCATE' AND level = 'ROW') AND (given = '' OR w = 'BEFORE' AND NOT is_c);
-- The extension's own tables with a column more, or less, or of another type. Rows are written anew, or stay as they were.
INSERT INTO calls.statement (for_all, sql)
    SELECT NULL, concat('SET LOCAL client_min_messages = error; ', change, '; ', call) FROM (SELECT format('ALTER TABLE %s %s', tbl, more) AS change FROM calls.own, (SELECT 'ADD more int DEFAULT 5, ADD again text' UNION ALL SELECT string_agg(format('ADD m%s text DEFAULT %L', n, 'x'), ', ') FROM generate_series(1, 100) AS n) AS m (more)
            UNION ALL SELECT format('ALTER TABLE %s %s', tbl, what) FROM calls.own JOIN pg_attribute ON attrelid = tbl AND attnum > 0,
                LATERAL unnest(ARRAY[format('ALTER %I DROP DEFAULT, ALTER %1$I TYPE text USING ''x''', attname), format('ALTER %I DROP NOT NULL, DISABLE TRIGGER USER; UPDATE %s SET %1$I = NULL', attname, tbl)]) AS what WHERE NOT attisdropped) AS c,
        unnest(ARRAY['SELECT snowflake_next(''named''), snowflake_next(), sno_next()', 'SELECT snowid_generator_create(''other'', worker => 78)', 'SELECT snowid_generator_alter(''named'', worker => 79)', 'SELECT snowid_generator_drop(''named'')',
            'SELECT snowid_generator_snapshot(''named'')', 'SELECT snowid_generator_grant(''named'', ''public'')', 'SELECT snowid_horizon_advance(now())', 'SELECT snowid_seal_key_create()', 'SELECT id_seal(1, ''x'')',
            'INSERT INTO _snowid.horizon SELECT 700, 5, 0, 0, 0, 0', 'INSERT INTO _snowid.generator SELECT * FROM _snowid.generator', 'SELECT snowid_generator_restore(snowid_generator_snapshot(''named''), ''another'')', 'SELECT snowid_layout_change(''wide'')']) AS call;

DELETE FROM calls.statement WHERE n % :one_in <> :from % :one_in;

SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = :'role' AND rolsuper) AS super \gset
SET statement_timeout = '500ms';
SET SESSION AUTHORIZATION :role;
\set ON_ERROR_STOP off
\set ECHO errors
\set VERBOSITY sqlstate
\o /dev/null
-- What a call did is taken back, so that the next one finds everything.
SELECT s FROM calls.statement, unnest(ARRAY['BEGIN', sql, 'ROLLBACK']) WITH ORDINALITY AS u (s, part) WHERE sql NOT LIKE 'CALL %' AND (for_all IS NOT NULL OR :'super') ORDER BY n, part \gexec
SELECT sql FROM calls.statement WHERE sql LIKE 'CALL %' ORDER BY n \gexec
\o
\echo all was called
