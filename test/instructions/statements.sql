-- `script/test instructions` counts every function of ours that is called here at least 500 times. First the clock is
-- compared with the processor's counter. That takes time, not instructions.
SELECT count(snowflake_next()) FROM (VALUES (1)) v, pg_sleep(0.1);
SELECT count(snowflake_next()) FROM (VALUES (1)) v, pg_sleep(0.1);
SELECT count(snowflake_next()) FROM (VALUES (1)) v, pg_sleep(0.1);

SELECT count(snowflake_next()) FROM generate_series(1, 2000);
SELECT count(snowflake_next('counted')) FROM generate_series(1, 2000);
SELECT count(*) FROM (SELECT snowflake_next_batch(2000)) s;
SELECT count(snowflake_spread()) FROM generate_series(1, 4000);
SELECT count(sno_next()) FROM generate_series(1, 2000);
SELECT count(*) FROM (SELECT sno_next_batch(2000)) s;
SELECT count(uuidv7_next()) FROM generate_series(1, 2000);
SELECT count(*) FROM (SELECT uuidv7_next_batch(2000)) s;
SELECT count(uuidv7_spread()) FROM generate_series(1, 4000);
SELECT count(objectid_next()) FROM generate_series(1, 2000);
SELECT count(rsxid_next()) FROM generate_series(1, 2000);
SELECT count(ksuid_next()) FROM generate_series(1, 2000);
SELECT count(sandflake_next()) FROM generate_series(1, 2000);
SELECT count(ulid_next()) FROM generate_series(1, 2000);

-- Text in and out, and times. The ids are constants, so they are the same in every run.
CREATE TEMP TABLE texts AS SELECT
    '01J' || to_char(i, 'FM00000000000000000000000') AS ulid, lpad(i::text, 27, '1') AS ksuid,
    lpad(to_hex(i), 24, 'a') AS objectid, lpad(i::text, 19, '9') || '0' AS rsxid,
    '01J' || to_char(i, 'FM0000000000000000000000') || '0' AS sandflake, translate(lpad(i::text, 16, '2'), '01', 'ab') AS sno, (382458686519406592 + i)::text AS snowflake
    FROM generate_series(1, 1000) i;
SELECT count(ulid::ulid::text), count(ksuid::ksuid::text), count(objectid::objectid::text), count(rsxid::rsxid::text),
    count(sandflake::sandflake::text), count(sno::sno::text), count(snowflake::snowflake::text) FROM texts;
SELECT count(ulid_time(ulid::ulid)), count(ksuid_time(ksuid::ksuid)), count(snowflake_time(snowflake::bigint)) FROM texts;
SELECT count(*) FROM texts WHERE ulid::ulid < '7ZZZZZZZZZZZZZZZZZZZZZZZZZ' AND ksuid::ksuid < 'aWgEPTl1tmebfsQzFP4bxwgy80V';

-- Other texts of an id. nanoid_next() draws as many words as it needs of an alphabet of 64; cuid2_next() draws more or less.
SELECT count(id_number(id_text(i))), count(typeid_uuid(typeid_text(lpad(to_hex(i), 32, 'a')::uuid, 'user'), 'user')), count(nanoid_next()) FROM generate_series(1, 1000) AS i;
SELECT count(id_unseal(id_seal(i, 'ord'), 'ord')) FROM generate_series(1, 1000) AS i;
