-- What is this id? The core's answers are tested by test/unit and test/tap; here it is what SQL makes of them.
\set SHOW_CONTEXT never
SET timezone = 'UTC';
SELECT i.* FROM unnest(ARRAY['017F22E2-79B0-7CC3-98C4-DC0C0C07398F', '{c232ab00941411ecb3c89f6bdeced846}', 'user_01h455vb4pex5vsknk084sn02q', '9m4e2mr0ui3e8a215n4g',
        '507f1f77bcf86cd799439011', 'ord_3Re6FG5hAB7zBGySnmkJsG', 'tz4a98xxat96iws9zmbrgj3a', 'cmhsgrh440000t57dawk8bufx', '919108f7-52d1-f320-9bac-f847db4148a8',
        '01arz3ndektsv4rrffq69g5fav', '0ujtsYcgvSTl8PAuAdqWYSMnLOv']) WITH ORDINALITY AS given(id, n), snowid_inspect(id) AS i ORDER BY n;
-- a number of several systems
SELECT * FROM snowid_inspect('175928847299117063') LIMIT 2;
SELECT format, confidence, "time" FROM snowid_inspect(175928847299117063) WHERE format IN ('snowflake/discord', 'snowflake/default');
SELECT count(*) AS likely_or_certain FROM snowid_inspect(snowflake_encode(now(), 1, 2)::text) WHERE confidence <> 'possible';
-- a column is of the layout in which all of it is plausible; NULLs count for nothing
SELECT * FROM snowid_inspect(ARRAY['1541815603606036480', NULL, '1593572310593806338', '1050118621198921728', '']) LIMIT 2;
SELECT * FROM snowid_inspect(ARRAY['42', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '01BX5ZZKBKACTAV9WEVGEMMVRZ']);
SELECT count(*) FROM snowid_inspect('{}'::text[]);
SELECT count(*) FROM snowid_inspect(NULL::text[]);
-- what is pasted
SELECT id, format, canonical FROM unnest(ARRAY[' ''9m4e2mr0ui3e8a215n4g'',', 'urn:uuid:017F22E2-79B0-7CC3-98C4-DC0C0C07398F', E'\\x017f22e279b07cc398c4dc0c0c07398f', '0x054ec2a3', 'AX8i4nmwfMOYxNwMDAc5jw==',
        'ObjectId("507f1f77bcf86cd799439011")', 'usr_0ujtsYcgvSTl8PAuAdqWYSMnLOv', '“01ARZ3NDEKTSV4RRFFQ69G5FAV”', '[1541815603606036480],']) WITH ORDINALITY AS given(id, n),
    LATERAL (SELECT * FROM snowid_inspect(id) LIMIT 1) AS first ORDER BY n;
-- nothing known, and no id
SELECT count(*) FROM unnest(ARRAY['86Rf07', 'hello', ' é9m4e2mr0ui3e8a215n4g', '8ZZZZZZZZZZZZZZZZZZZZZZZZZ', '018446744073709551616', 'user_', 'é', repeat('x', 200)]) AS id, snowid_inspect(id);
SELECT count(*) FROM snowid_inspect(NULL);
SELECT * FROM snowid_inspect('');
SELECT * FROM snowid_inspect(repeat('1', 201));
SELECT * FROM snowid_inspect(repeat('é', 101));
-- every new id is what it is, now, in its canonical text
SELECT made, format, confidence, "time" BETWEEN now() - interval '1 minute' AND now() + interval '1 minute' AS now, canonical = id AS canonical
    FROM (VALUES ('snowflake', snowflake_encode(now(), 1, 2)::text), ('uuidv7', uuidv7_next()::text), ('ulid', ulid_next()::text), ('ulid', lower(ulid_next()::text)), ('ksuid', ksuid_next()::text),
        ('objectid', objectid_next()::text), ('rsxid', rsxid_next()::text), ('sandflake', sandflake_next()::text), ('sno', sno_encode(now(), 7, 8, 9, true)::text),
        ('typeid', typeid_text(uuidv7_next(), 'user')), ('sno in a uuid', sno_encode(now(), 7, 8, 9, true)::uuid::text)) AS ids(made, id),
        LATERAL (SELECT * FROM snowid_inspect(id) LIMIT 1) AS first;
-- the parts have the names and the values that the types' own functions give
CREATE FUNCTION pg_temp.parts(decoded jsonb) RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_object_agg(key, CASE WHEN value #>> '{}' LIKE '\\x%' THEN to_jsonb(substr(value #>> '{}', 3)) ELSE value END) FROM jsonb_each(decoded) WHERE key <> 'time'
$$;
CREATE FUNCTION pg_temp.fields(id text, of text) RETURNS jsonb LANGUAGE sql AS $$ SELECT fields FROM snowid_inspect(id) WHERE format = of $$;
SELECT bool_and(pg_temp.fields(a::text, 'ulid') = pg_temp.parts(to_jsonb(ulid_decode(a)))) AS ulid, bool_and(pg_temp.fields(b::text, 'ksuid') = pg_temp.parts(to_jsonb(ksuid_decode(b)))) AS ksuid,
        bool_and(pg_temp.fields(c::text, 'objectid') = pg_temp.parts(to_jsonb(objectid_decode(c)))) AS objectid, bool_and(pg_temp.fields(d::text, 'rsxid') = pg_temp.parts(to_jsonb(rsxid_decode(d)))) AS rsxid,
        bool_and(pg_temp.fields(e::text, 'sandflake') = pg_temp.parts(to_jsonb(sandflake_decode(e)))) AS sandflake, bool_and(pg_temp.fields(f::text, 'sno') = pg_temp.parts(to_jsonb(sno_decode(f)))) AS sno,
        bool_and(pg_temp.fields(g::text, 'snowflake') = (snowflake_decode(g)).fields) AS snowflake,
        bool_and(pg_temp.fields(h::text, 'uuid v7') = jsonb_build_object('version', 7, 'rand_a', (uuidv7_decode(h)).rand_a, 'rand_b', lpad(to_hex((uuidv7_decode(h)).rand_b), 16, '0'))) AS uuidv7
    FROM (SELECT ulid_next(), ksuid_next(), objectid_next(), rsxid_next(), sandflake_next(), sno_encode(now(), 7, 8, 9, true), snowflake_encode(now(), 1, 2), uuidv7_next() FROM generate_series(1, 100)) AS ids(a, b, c, d, e, f, g, h);
