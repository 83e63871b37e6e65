-- Makes the tables of reference*.md from a database that has the extension: a row for each table, with its name and its text.
-- tools/reference writes them into the page; test/tap/011_docs.pl fails when the page differs.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS snowid_convert;
SET search_path = public, pg_catalog;
SET timezone = 'UTC';
CREATE TEMP VIEW members AS
    SELECT classid, objid FROM pg_depend JOIN pg_extension e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
    WHERE extname IN ('snowid', 'snowid_convert') AND deptype = 'e';
CREATE TEMP VIEW schemes (number, scheme, type) AS
    VALUES (1, 'snowflake', 'snowflake'), (2, 'sno', 'sno'), (3, 'uuidv7', 'uuid')
    UNION ALL
    SELECT 3 + row_number() OVER (ORDER BY oid), typname, typname FROM pg_type JOIN members ON classid = 'pg_type'::regclass AND objid = oid
    WHERE typlen > 0 AND typname NOT IN ('snowflake', 'sno');

CREATE FUNCTION pg_temp.short(text) RETURNS text IMMUTABLE LANGUAGE sql AS $$
    SELECT replace(replace(replace(regexp_replace($1, '::(text|integer|boolean|interval|name)\M(\[\])?', '', 'g'), 'timestamp with time zone', 'timestamptz'),
        '"time"', 'time'), 'SETOF ', 'setof ') $$;
CREATE FUNCTION pg_temp.cell(text) RETURNS text IMMUTABLE LANGUAGE sql AS $$
    SELECT replace(replace(replace($1, '|', '\|'), '<', '&lt;'), '>', '&gt;') $$;
CREATE FUNCTION pg_temp.code(text) RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT '`' || replace($1, '|', '\|') || '`' $$;

CREATE FUNCTION pg_temp.told(comment text, labels text) RETURNS text IMMUTABLE LANGUAGE sql AS $$
    SELECT pg_temp.cell(comment) || coalesce('; ' || nullif(labels, ''), '') $$;

-- Public functions.
CREATE TEMP VIEW functions AS
    SELECT p.oid, proname::text AS name, coalesce(scheme, 'snowid') AS scheme, coalesce(number, 0) AS number, suffix,
        pg_temp.short(pg_get_function_identity_arguments(p.oid)) AS identity,
        (SELECT string_agg(pg_temp.short(format_type(t, NULL)), ', ' ORDER BY n)
            FROM unnest(proargtypes) WITH ORDINALITY AS u (t, n)) AS takes,
        coalesce((SELECT string_agg(a, ', ' ORDER BY n)
            FROM regexp_split_to_table(regexp_replace(pg_temp.short(pg_get_function_arguments(p.oid)), '\mIN ', '', 'g'), ', ') WITH ORDINALITY AS s (a, n)
            WHERE a NOT LIKE 'OUT %'), '') AS arguments,
        CASE WHEN 'o' = ANY (proargmodes) THEN CASE WHEN proretset THEN 'setof ' ELSE '' END || '(' || (SELECT
                string_agg(format('%s %s', proargnames[n], pg_temp.short(format_type(proallargtypes[n], NULL))), ', ' ORDER BY n)
                FROM generate_subscripts(proallargtypes, 1) AS n WHERE proargmodes[n] = 'o') || ')'
            ELSE pg_temp.short(pg_get_function_result(p.oid)) END AS result,
        obj_description(p.oid, 'pg_proc') AS comment,
        -- The head of the page says what holds for all others.
        concat_ws(', ', CASE provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' END,
            CASE WHEN proparallel <> CASE WHEN provolatile <> 'v' OR proname ~ '_next|_at$|^uuidv7$' THEN 's' ELSE 'u' END
                THEN CASE proparallel WHEN 'u' THEN 'parallel unsafe' WHEN 'r' THEN 'parallel restricted' ELSE 'parallel safe' END END,
            CASE WHEN has_function_privilege('public', p.oid, 'execute') THEN NULL
                WHEN has_function_privilege('pg_database_owner', p.oid, 'execute') THEN 'for the database''s owner'
                WHEN has_function_privilege('pg_monitor', p.oid, 'execute') THEN 'for `pg_monitor`' ELSE 'for superusers' END) AS labels,
        prokind = 'a' OR EXISTS (SELECT FROM pg_views WHERE viewname = proname) AS is_behind
    FROM members JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid AND pronamespace::regnamespace::text !~ '^_snowid'
    LEFT JOIN schemes s ON proname = scheme OR starts_with(proname, scheme || '_')
    CROSS JOIN LATERAL (SELECT coalesce(nullif(substr(proname, length(scheme) + 1), ''), '()') AS suffix) AS x;

-- Functions that many types have, with T for the type.
CREATE TEMP TABLE alike AS
    SELECT f.*, format('T%s(%s)', suffix, regexp_replace(arguments, '\m' || a || '\M', 'T')) AS shape,
        replace(replace(replace(comment, 'a UUIDv7', 'an id'), 'n UUIDv7', 'n ids'), 'UUIDv7', 'id') AS told
    FROM functions f JOIN schemes s USING (number, scheme)
    CROSS JOIN LATERAL (SELECT CASE type WHEN 'snowflake' THEN 'bigint' ELSE type END AS a) x WHERE NOT is_behind;
CREATE TEMP TABLE shapes AS
    SELECT shape, min(labels) AS labels, (array_agg(told ORDER BY scheme = 'ulid' DESC))[1] AS told,
        (array_agg(regexp_replace(result, '\mulid\M', 'T') ORDER BY scheme = 'ulid' DESC))[1] AS result, count(*) AS types
    FROM alike WHERE suffix <> '_decode' GROUP BY shape HAVING count(*) >= 6;
CREATE FUNCTION pg_temp.names(text[]) RETURNS text LANGUAGE sql AS $$
    SELECT CASE cardinality($1) WHEN (SELECT max(types) FROM shapes) THEN 'every type' ELSE '`' || array_to_string($1, '`, `') || '`' END $$;
CREATE FUNCTION pg_temp.task(verb text) RETURNS text IMMUTABLE LANGUAGE sql AS $$
    SELECT CASE WHEN verb ~ '^(_next|_at$|_spread|\(\))' THEN 'make' WHEN verb ~ '_(lower_bound|first|last)$' THEN 'time' ELSE 'read' END $$;
CREATE FUNCTION pg_temp.line(verb text) RETURNS integer IMMUTABLE LANGUAGE sql AS $$
    SELECT array_position(ARRAY['_next', '_next_batch', '_at', '_time', '_decode', '_encode', '_lower_bound', '_first', '_last'], verb) $$;
CREATE TEMP TABLE rows AS
    SELECT pg_temp.task(verb) AS block, 1::numeric AS part, pg_temp.line(verb) AS line, shape AS key,
        format('| %s | %s | %s |', pg_temp.code(shape || ' → ' || result), pg_temp.told(told, labels),
            (SELECT string_agg('`' || name || '`', ', ' ORDER BY number) FROM alike a WHERE a.shape = s.shape)) AS text
    FROM shapes s CROSS JOIN LATERAL regexp_replace(substr(shape, 2), '(?<=[a-z])\(.*', '') AS verb;

INSERT INTO rows SELECT 'types', 1, coalesce(number, 9), typname::text, format('| `%s` | %s | %s |', typname, CASE WHEN typlen > 0 THEN typlen END, pg_temp.cell(obj_description(t.oid, 'pg_type')))
    FROM members JOIN pg_type t ON classid = 'pg_type'::regclass AND objid = t.oid AND typnamespace::regnamespace::text !~ '^_snowid' LEFT JOIN schemes ON type = typname
    -- From PostgreSQL 18 on array and row types are members too.
    WHERE typcategory <> 'A' AND NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = typrelid AND relkind <> 'c');

-- Functions that only one type has.
INSERT INTO rows SELECT 'own ' || pg_temp.task(suffix), number, pg_temp.line(suffix), name || identity,
        format('| %s | %s |', pg_temp.code(format('%s(%s) → %s', name, arguments, result)), pg_temp.told(comment, labels))
    FROM alike a WHERE NOT EXISTS (SELECT FROM shapes s WHERE s.shape = a.shape AND s.told = a.told);

INSERT INTO rows SELECT CASE WHEN name ~ 'generator' THEN 'generators' WHEN name ~ 'partition|period|maintain' THEN 'partitions' WHEN name ~ 'convert' THEN 'conversion'
            WHEN name ~ 'seal' THEN 'seal' WHEN name ~ 'layout' THEN 'layout functions' WHEN name ~ 'safe_horizon' THEN 'horizon'
            WHEN name ~ '_next$' THEN 'own make' WHEN name = 'snowid_inspect' THEN 'own read' WHEN name ~ '^snowid' THEN 'server' ELSE 'texts' END, 99, 0, name,
        format('| %s | %s |', pg_temp.code(coalesce(format('%s(%s) → ', name, arguments) || result, format('CALL %s(%s)', name, arguments))), pg_temp.told(comment, labels))
    FROM functions WHERE scheme = 'snowid' AND NOT is_behind;

-- Tables, views and the composite type, with their columns.
CREATE FUNCTION pg_temp.of_relation(regclass, as_block text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO rows SELECT as_block, 1, attnum, NULL, format('| `%s` | `%s` | %s |', attname, pg_temp.short(format_type(atttypid, atttypmod)),
            pg_temp.cell(coalesce(col_description(attrelid, attnum), '')))
        FROM pg_attribute WHERE attrelid = $1 AND attnum > 0 $$;
SELECT pg_temp.of_relation(c.oid::regclass, 'columns of ' || relname) FROM members JOIN pg_class c ON classid = 'pg_class'::regclass AND objid = c.oid
    WHERE relkind IN ('r', 'v') AND relnamespace::regnamespace::text !~ '^_snowid';

INSERT INTO rows SELECT 'layouts', 1, row_number() OVER (), NULL, format('| `%s` | `%s` | %s | %s | %s | %s |', name, layout, workers, capacity, ids_per_second, ends_at::date)
    FROM snowid_layouts;

-- Operators, casts and operator classes, with several types in one row.
CREATE FUNCTION pg_temp.as_t(oid) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN EXISTS (SELECT FROM schemes WHERE type = format_type($1, NULL)) THEN 'T' ELSE pg_temp.short(format_type($1, NULL)) END $$;
INSERT INTO rows SELECT 'operators', 1, CASE WHEN shape ~ '^T .* T$' THEN 2 WHEN shape ~ '^T' THEN 0 ELSE 1 END, shape,
        format('| %s | %s | %s |', pg_temp.code(shape), pg_temp.cell(comment), pg_temp.names(array_agg(type ORDER BY number)))
    FROM (SELECT format('%s %s %s', pg_temp.as_t(oprleft), oprname, pg_temp.as_t(oprright)) AS shape, obj_description(o.oid, 'pg_operator') AS comment, s.*
        FROM members JOIN pg_operator o ON classid = 'pg_operator'::regclass AND objid = o.oid
        JOIN schemes s ON s.type IN (format_type(oprleft, NULL), format_type(oprright, NULL))) AS u
    GROUP BY shape, comment;
INSERT INTO rows SELECT 'casts', 1, min(number), source || target,
        format('| `%s` | `%s` | %s%s | %s | %s |', source, target,
            CASE castcontext WHEN 'e' THEN 'explicit' WHEN 'a' THEN 'on assignment' ELSE 'implicit' END,
            CASE castmethod WHEN 'b' THEN ', costs nothing' ELSE '' END,
            (array_agg(comment ORDER BY number))[1], CASE WHEN 'T' IN (source, target) THEN pg_temp.names(array_agg(type ORDER BY number)) END)
    FROM (SELECT CASE WHEN is_alike THEN pg_temp.as_t(castsource) ELSE pg_temp.short(format_type(castsource, NULL)) END AS source,
            CASE WHEN is_alike THEN pg_temp.as_t(casttarget) ELSE pg_temp.short(format_type(casttarget, NULL)) END AS target,
            regexp_replace(obj_description(c.oid, 'pg_cast'), ' [0-9]+ bytes', ' bytes') AS comment, castcontext, castmethod,
            CASE WHEN is_alike THEN number ELSE number + 10 END AS number, type
        FROM members JOIN pg_cast c ON classid = 'pg_cast'::regclass AND objid = c.oid
        JOIN schemes s ON type = CASE WHEN format_type(castsource, NULL) IN (SELECT type FROM schemes)
            THEN format_type(castsource, NULL) ELSE format_type(casttarget, NULL) END
        CROSS JOIN LATERAL (SELECT casttarget IN ('bytea'::regtype, 'timestamptz'::regtype) OR castsource = 'bytea'::regtype AS is_alike) x) AS u
    GROUP BY source, target, castcontext, castmethod;
INSERT INTO rows SELECT 'classes', 1, CASE amname WHEN 'btree' THEN 1 WHEN 'hash' THEN 2 ELSE 3 END, min(opcname),
        format('| %s%s | %s | %s |', amname, CASE WHEN opcdefault THEN ', default' ELSE '' END, min(obj_description(o.oid, 'pg_opclass')),
            string_agg('`' || opcname || '`', ', ' ORDER BY opcname))
    FROM members JOIN pg_opclass o ON classid = 'pg_opclass'::regclass AND objid = o.oid JOIN pg_am a ON a.oid = opcmethod
    GROUP BY amname, opcdefault;

CREATE FUNCTION pg_temp.amount(value text, unit text) RETURNS text IMMUTABLE LANGUAGE sql AS $$
    SELECT coalesce((SELECT value::bigint / size || name
            FROM (VALUES (86400000, 'd'), (3600000, 'h'), (60000, 'min'), (1000, 's')) AS units (size, name)
            WHERE CASE WHEN unit = 'ms' AND value <> '0' THEN value::bigint % size = 0 END ORDER BY size DESC LIMIT 1),
        concat(value, unit)) $$;
INSERT INTO rows SELECT 'settings', 1, 0, name, format('| `%s` | %s | %s | %s |', name, '`' || nullif(pg_temp.amount(boot_val, unit), '') || '`',
        CASE WHEN unit IS NOT NULL OR min_val::bigint >= -1 THEN pg_temp.amount(min_val, unit) || ' to ' || pg_temp.amount(max_val, unit) END,
        CASE context WHEN 'sighup' THEN 'on reload' WHEN 'user' THEN 'at once, by any session' ELSE 'at start' END)
    FROM pg_settings WHERE name LIKE 'snowid.%';

SELECT block, string_agg(text, E'\n' ORDER BY part, line, key COLLATE "C", text COLLATE "C") FROM rows GROUP BY block ORDER BY block COLLATE "C";
