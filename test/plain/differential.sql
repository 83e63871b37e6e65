-- Random ids, times and layouts, asked of the extension in public and of the functions in the schema snowid. Both must say the same, errors included.
-- SET snowid_test.seed = ... before this repeats a run.
SELECT set_config('snowid_test.seed', coalesce(nullif(current_setting('snowid_test.seed', true), ''), random()::text), false) IS NOT NULL AS seeded;
CREATE FUNCTION pg_temp.answer(schema text, call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text; detail text; hint text;
BEGIN
    PERFORM set_config('search_path', schema, true);
    EXECUTE 'SELECT ' || call INTO answer;
    RETURN answer;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' / ', SQLSTATE, SQLERRM, detail, hint);
END $$;
CREATE FUNCTION pg_temp.random_id() RETURNS bigint LANGUAGE sql AS $$
    SELECT ((random() * 4294967296)::bigint << 32 | (random() * 4294967295)::bigint) >> (random() * 40)::int
$$;
CREATE FUNCTION pg_temp.random_time() RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN random() < 0.05 THEN (ARRAY['infinity', '-infinity', '294276-12-31 23:59:59.999999Z', '4714-11-24 00:00:00Z BC', '1970-01-01Z', '10889-08-02 05:31:50.655Z', '10889-08-02 05:31:50.656Z'])[1 + floor(random() * 7)::int]
        WHEN random() < 0.3 THEN (timestamp '2024-01-01' + floor(random() * 2e12)::bigint * interval '1 ms')::text || 'Z'
        ELSE (timestamp '1900-01-01' + random() * 9000 * interval '1 year' * (random() ^ 4))::text || 'Z' END
$$;
CREATE FUNCTION pg_temp.random_layout() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    text text := format('epoch=%s,tick=%s,time=%s', (ARRAY['1900-01-01', '1969-12-31T23:59:59.999999Z', '2024-02-29T01:02:03.4Z', '2000-01-01', '2030-01-01 10:00'])[1 + floor(random() * 5)::int],
        (ARRAY['1us', '7us', '1ms', '10ms', '4000us', '1s', '60s', '3600s'])[1 + floor(random() * 8)::int], 1 + floor(random() * 50)::int);
    fields text[];
BEGIN
    IF random() < 0.2 THEN RETURN (SELECT name FROM public.snowid_layouts ORDER BY random() LIMIT 1); END IF;
    SELECT array_agg(f || '=' || 1 + floor(random() * 12)::int ORDER BY random()) INTO fields FROM unnest('{sequence,a,b_2,_c}'::text[]) AS f WHERE f = 'sequence' OR random() < 0.5;
    text := concat_ws(',', text, array_to_string(fields, ','));
    IF random() < 0.2 THEN text := overlay(text PLACING chr(32 + floor(random() * 95)::int) FROM 1 + floor(random() * length(text))::int); END IF;  -- spoilt
    RETURN text;
END $$;
CREATE FUNCTION pg_temp.random_uuid() RETURNS uuid LANGUAGE sql AS $$
    SELECT (CASE WHEN random() < 0.3 THEN gen_random_uuid()::text ELSE overlay(gen_random_uuid()::text PLACING '7' FROM 15) END)::uuid
$$;
DO $do$
DECLARE
    calls int := 0;
    call text;
    expected text;
    answer text;
BEGIN
    PERFORM setseed(current_setting('snowid_test.seed')::float8);
    FOR i IN 1..coalesce(nullif(current_setting('snowid_test.rounds', true), '')::int, 400) LOOP
        FOREACH call IN ARRAY ARRAY[
            format('snowflake_time(%L::bigint)', pg_temp.random_id()), format('snowflake_worker(%L::bigint)', pg_temp.random_id()), format('snowflake_sequence(%L::bigint)', pg_temp.random_id()),
            format('snowflake_decode(%L::bigint)::text', pg_temp.random_id()), format('snowflake_decode(%L::bigint, %L)::text', pg_temp.random_id(), pg_temp.random_layout()),
            format('snowflake_time(%L::bigint, %L)', pg_temp.random_id(), pg_temp.random_layout()), format('snowid_layout_canonical(%L)', pg_temp.random_layout()),
            format('snowflake_lower_bound(%L::timestamptz)', pg_temp.random_time()), format('snowflake_lower_bound(%L::timestamptz, %L)', pg_temp.random_time(), pg_temp.random_layout()),
            format('snowflake_encode(%L, %s, %s)', pg_temp.random_time(), floor(random() * 1100), floor(random() * 4400)),
            format('snowflake_encode(%L, %s, %s, %L)', pg_temp.random_time(), floor(random() * 20), floor(random() * 20), pg_temp.random_layout()),
            format('snowflake_first(%L::timestamptz, %L)', pg_temp.random_time(), (ARRAY['<', '<=', '>=', '>', '='])[1 + floor(random() * 5)::int]),
            format('snowflake_last(%L::timestamptz, %L)', pg_temp.random_time(), (ARRAY['<', '<=', '>=', '>', ''])[1 + floor(random() * 5)::int]),
            format('snowflake_first(tstzrange(least(a, b), greatest(a, b), %L)) FROM (VALUES (%L::timestamptz, %L::timestamptz)) v (a, b)', (ARRAY['[]', '()', '[)', '(]'])[1 + floor(random() * 4)::int], pg_temp.random_time(), pg_temp.random_time()),
            format('snowflake_last(tstzrange(least(a, b), greatest(a, b), %L)) FROM (VALUES (%L::timestamptz, %L::timestamptz)) v (a, b)', (ARRAY['[]', '()', '[)', '(]'])[1 + floor(random() * 4)::int], pg_temp.random_time(), pg_temp.random_time()),
            format('uuidv7_decode(%L::uuid)::text', pg_temp.random_uuid()), format('uuidv7_time(%L::uuid)', pg_temp.random_uuid()), format('uuidv7_valid(%L::uuid)', pg_temp.random_uuid()),
            format('uuidv7_rand_a(%L::uuid) || uuidv7_rand_b(id)::text || uuidv7_version(id) FROM (VALUES (%1$L::uuid)) v (id)', pg_temp.random_uuid()),
            format('uuidv7_lower_bound(%L::timestamptz)', pg_temp.random_time()), format('uuidv7_encode(%L, %s, %s)', pg_temp.random_time(), floor(random() * 4400), pg_temp.random_id()),
            format('uuidv7_first(%L::timestamptz, %L)', pg_temp.random_time(), (ARRAY['<', '<=', '>=', '>'])[1 + floor(random() * 4)::int]),
            format('uuidv7_last(%L::timestamptz, %L)', pg_temp.random_time(), (ARRAY['<', '<=', '>=', '>'])[1 + floor(random() * 4)::int]),
            format('uuidv7_first(tstzrange(least(a, b), greatest(a, b), %L)) FROM (VALUES (%L::timestamptz, %L::timestamptz)) v (a, b)', (ARRAY['[]', '()', '[)', '(]'])[1 + floor(random() * 4)::int], pg_temp.random_time(), pg_temp.random_time()),
            format('snowid_period(%L, %L)', (timestamp '1900-01-01' + random() * interval '300 years')::text || 'Z', (ARRAY['1 month', '5 months', '2 years', '1 week', '1 day', '7 hours', '00:00:10', '1 day 01:00'])[1 + floor(random() * 8)::int])
        ] LOOP
            CONTINUE WHEN call ~ '[ "](infinity|294276)' AND call LIKE 'snowid_period%';
            expected := pg_temp.answer('public', call);
            answer := pg_temp.answer('snowid', call);
            calls := calls + 1;
            IF answer IS DISTINCT FROM expected THEN
                RAISE EXCEPTION 'they differ (seed %)', current_setting('snowid_test.seed') USING DETAIL = format(E'%s\nextension: %s\nplain:     %s', call, expected, answer);
            END IF;
        END LOOP;
    END LOOP;
    RAISE NOTICE '% calls', calls;
END $do$;
DO $$
BEGIN
    IF EXISTS ((TABLE public.snowid_layouts EXCEPT ALL TABLE snowid.snowid_layouts) UNION ALL (TABLE snowid.snowid_layouts EXCEPT ALL TABLE public.snowid_layouts)) THEN
        RAISE EXCEPTION 'the named layouts are not the same';
    END IF;
END $$;
