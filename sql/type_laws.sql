-- Laws that hold for every id type of the extension. New types are found automatically. Values are random: the message of a
-- broken law has the seed, and SET snowid_test.seed = ... before this script repeats the run.
CREATE FUNCTION pg_temp.law(type regtype, law text, query text, VARIADIC args text[] DEFAULT '{}') RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    holds boolean;
BEGIN
    EXECUTE replace(query, 'TYPE', type::text) INTO holds;
    IF holds IS NOT TRUE THEN
        RAISE EXCEPTION '% breaks the law "%" (seed %)', type, law, current_setting('snowid_test.seed');
    END IF;
END $$;

SELECT set_config('snowid_test.seed', coalesce(nullif(current_setting('snowid_test.seed', true), ''), random()::text), false)
    IS NOT NULL AS seeded;

DO $$
DECLARE
    t pg_type;
    operator text;
    plan text;
    file text := current_setting('data_directory') || '/snowid_type_laws.copy';
BEGIN
    PERFORM setseed(current_setting('snowid_test.seed')::float8);
    FOR t IN
        SELECT pg_type.* FROM pg_type
        JOIN pg_depend ON classid = 'pg_type'::regclass AND objid = pg_type.oid AND deptype = 'e'
        JOIN pg_extension ON refclassid = 'pg_extension'::regclass AND refobjid = pg_extension.oid
        WHERE extname = 'snowid' AND typtype = 'b' AND typelem = 0 AND typnamespace <> '_snowid'::regnamespace ORDER BY typname
    LOOP
        -- random values of the whole range, some of them in clusters, some twice, and the extremes
        CREATE TEMP TABLE bits AS
            SELECT sha256(random()::text::bytea) AS b FROM generate_series(1, 1000);
        INSERT INTO bits SELECT set_byte(b, t.typlen - 1, get_byte(b, t.typlen - 1) # 1) FROM bits LIMIT 200;
        INSERT INTO bits SELECT b FROM bits LIMIT 200;
        INSERT INTO bits VALUES (decode(repeat('00', 32), 'hex')), (decode(repeat('ff', 32), 'hex')),
            (decode('80' || repeat('00', 31), 'hex')), (decode('7f' || repeat('ff', 31), 'hex'));
        EXECUTE format('CREATE TEMP TABLE v (id %s)', t.typname);
        IF t.typbyval THEN
            INSERT INTO v SELECT ('x' || encode(substr(b, 1, 8), 'hex'))::bit(64)::bigint FROM bits;
        ELSE
            EXECUTE format('INSERT INTO v SELECT substr(b, 1, %s)::%s FROM bits', t.typlen, t.typname);
        END IF;
        CREATE TEMP TABLE few AS SELECT id FROM v ORDER BY random() LIMIT 60;

        PERFORM pg_temp.law(t.oid, 'exactly one of <, =, > holds, and the others follow',
            'SELECT bool_and((a.id < b.id)::int + (a.id = b.id)::int + (a.id > b.id)::int = 1
                AND (a.id <= b.id) = NOT (a.id > b.id) AND (a.id >= b.id) = NOT (a.id < b.id)
                AND (a.id <> b.id) = NOT (a.id = b.id) AND (a.id < b.id) = (b.id > a.id)) FROM few a, few b');
        PERFORM pg_temp.law(t.oid, 'order is transitive',
            'SELECT bool_and(a.id < c.id) FROM few a JOIN few b ON a.id < b.id JOIN few c ON b.id < c.id');
        PERFORM pg_temp.law(t.oid, 'sorting agrees with <',
            'SELECT bool_and(previous <= id) FROM (SELECT id, lag(id) OVER (ORDER BY id) AS previous FROM v) s WHERE previous IS NOT NULL');
        PERFORM pg_temp.law(t.oid, 'min and max are the ends of the order',
            'SELECT min(id) = (SELECT id FROM v ORDER BY id LIMIT 1) AND max(id) = (SELECT id FROM v ORDER BY id DESC LIMIT 1) FROM v');
        PERFORM pg_temp.law(t.oid, 'text goes out and in', 'SELECT bool_and(id::text::TYPE = id) FROM v');
        IF NOT t.typbyval THEN
            PERFORM pg_temp.law(t.oid, 'the order of the text is the order of the ids',
                'SELECT bool_and((a.id < b.id) = (a.id::text COLLATE "C" < b.id::text)) FROM few a, few b');
        END IF;

        IF NOT t.typbyval THEN
            PERFORM pg_temp.law(t.oid, 'the order of the bytes is the order of the ids',
                'SELECT bool_and((a.id < b.id) = (a.id::bytea < b.id::bytea)) FROM few a, few b');
            PERFORM pg_temp.law(t.oid, 'bytes go out and in', 'SELECT bool_and(id::bytea::TYPE = id) FROM v');
            PERFORM pg_temp.law(t.oid, 'the order of the ids is the order of their times',
                'SELECT bool_and(a.id::timestamptz <= b.id::timestamptz) FROM few a JOIN few b ON a.id <= b.id');
            PERFORM pg_temp.law(t.oid, 'the bound of its time is not above an id, and has its time',
                'SELECT bool_and(TYPE_lower_bound(t) <= id AND TYPE_time(TYPE_lower_bound(t)) = t
                    AND TYPE_lower_bound(t - interval ''1 us'') <= TYPE_lower_bound(t)) FROM (SELECT id, TYPE_time(id) AS t FROM v) s');
            PERFORM pg_temp.law(t.oid, 'decoding and encoding are the reverse of each other',
                'SELECT bool_and(TYPE_encode' || (SELECT format('(%s)', string_agg('(d).' || quote_ident(name), ', ' ORDER BY n))
                    FROM pg_proc, unnest(proargnames) WITH ORDINALITY AS a (name, n)
                    WHERE proname = t.typname || '_encode') || ' = id) FROM (SELECT id, TYPE_decode(id) AS d FROM few) s');
            -- generators with a state of their own have tests of their own
            IF to_regprocedure(t.typname || '_next()') IS NOT NULL THEN
                PERFORM pg_temp.law(t.oid, 'a fresh id of a time has that time, and no other id is the same',
                    'SELECT bool_and(TYPE_time(TYPE_at(id::timestamptz)) = id::timestamptz AND TYPE_at(id::timestamptz) <> id) FROM few');
                PERFORM pg_temp.law(t.oid, 'each next one is greater, in a batch too',
                    'SELECT bool_and(id > previous) FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM (
                        SELECT 0 AS n, TYPE_next() AS id UNION ALL SELECT g, id FROM TYPE_next_batch(5000) WITH ORDINALITY AS b (id, g)
                        UNION ALL SELECT 6000, TYPE_next()) u) s WHERE previous IS NOT NULL');
            END IF;
        END IF;

        EXECUTE format('COPY v TO %L (FORMAT binary)', file);
        EXECUTE format('CREATE TEMP TABLE back (id %s)', t.typname);
        EXECUTE format('COPY back FROM %L (FORMAT binary)', file);
        PERFORM pg_temp.law(t.oid, 'binary goes out and in',
            'SELECT (SELECT array_agg(id ORDER BY id) FROM v) = (SELECT array_agg(id ORDER BY id) FROM back)');

        -- all methods of joining and grouping agree
        CREATE TEMP TABLE expected AS SELECT count(*) AS pairs FROM v a JOIN v b ON a.id <= b.id AND a.id >= b.id;
        FOREACH plan IN ARRAY ARRAY['hashjoin', 'mergejoin', 'nestloop'] LOOP
            PERFORM set_config('enable_hashjoin', (plan = 'hashjoin')::text, true),
                set_config('enable_mergejoin', (plan = 'mergejoin')::text, true),
                set_config('enable_nestloop', (plan = 'nestloop')::text, true);
            PERFORM pg_temp.law(t.oid, plan || ' finds the equal ones',
                'SELECT count(*) = (SELECT pairs FROM expected) FROM v a JOIN v b ON a.id = b.id');
        END LOOP;
        PERFORM set_config('enable_hashjoin', 'on', true), set_config('enable_mergejoin', 'on', true),
            set_config('enable_nestloop', 'on', true);
        PERFORM pg_temp.law(t.oid, 'grouping by hash and by sort agree',
            'SELECT (SELECT count(*) FROM (SELECT id FROM v GROUP BY id) g) = (SELECT count(DISTINCT id) FROM v)');

        -- every index finds the same rows as a sequential scan
        EXECUTE format('CREATE TABLE pg_temp.parts (id %s) PARTITION BY HASH (id)', t.typname);
        CREATE TEMP TABLE part_0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
        CREATE TEMP TABLE part_1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
        INSERT INTO parts SELECT id FROM v;
        PERFORM pg_temp.law(t.oid, 'hash partitions hold about half each',
            'SELECT count(*) BETWEEN 550 AND 850 FROM part_0');
        CREATE TEMP TABLE found (operator text, bound text, rows bigint);
        FOREACH plan IN ARRAY ARRAY['none', 'btree', 'hash', 'brin', 'brin_multi'] LOOP
            PERFORM set_config('enable_seqscan', (plan = 'none')::text, true);
            IF plan = 'brin_multi' THEN
                EXECUTE format('CREATE INDEX by_brin_multi ON v USING brin (id %s) WITH (pages_per_range = 1)',
                    CASE WHEN t.typbyval THEN 'int8' ELSE t.typname END || '_minmax_multi_ops');
            ELSIF plan <> 'none' THEN
                EXECUTE format('CREATE INDEX by_%s ON v USING %1$s (id)', plan);
            END IF;
            FOREACH operator IN ARRAY CASE plan WHEN 'hash' THEN '{=}' ELSE '{=,<,>=}' END::text[] LOOP
                EXECUTE format('INSERT INTO found SELECT %1$L, id::text, (SELECT count(*) FROM v WHERE v.id %1$s few.id) FROM few', operator);
            END LOOP;
            IF plan <> 'none' THEN EXECUTE 'DROP INDEX by_' || plan; END IF;
        END LOOP;
        PERFORM set_config('enable_seqscan', 'on', true);
        PERFORM pg_temp.law(t.oid, 'all access methods find the same',
            'SELECT count(*) > 0 AND bool_and(alike) FROM (SELECT min(rows) = max(rows) AS alike FROM found GROUP BY operator, bound) q');

        RAISE NOTICE '% keeps the laws', t.typname;
        DROP TABLE bits, v, few, back, expected, parts, found;
    END LOOP;
END $$;
