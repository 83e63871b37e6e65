-- What `script/test instructions` counts its laws on. Tables with n and 4n partitions of a day each, by ids and by times.
CREATE FUNCTION by_hand(parent regclass, days int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    today timestamptz := snowid_period(now(), '1 day');
BEGIN
    FOR i IN 0..days - 1 LOOP
        EXECUTE format('CREATE TABLE %s_%s (LIKE %1$s INCLUDING ALL EXCLUDING INDEXES)', parent, i);
        EXECUTE format('ALTER TABLE %s ATTACH PARTITION %1$s_%2$s FOR VALUES FROM (%3$s) TO (%4$s)', parent, i,
            snowflake_lower_bound(today + i * interval '1 day'), snowflake_lower_bound(today + (i + 1) * interval '1 day'));
    END LOOP;
END $$;
CREATE PROCEDURE make_tables(n int) LANGUAGE plpgsql AS $$
DECLARE
    today timestamptz := snowid_period(now(), '1 day');
BEGIN
    EXECUTE format('CREATE TABLE of_timestamptz_%s (id timestamptz PRIMARY KEY) PARTITION BY RANGE (id)', n);
    EXECUTE format('CREATE TABLE of_snowflake_%s (id snowflake PRIMARY KEY) PARTITION BY RANGE (id)', n);
    EXECUTE format('CREATE TABLE of_uuid_%s (id uuid PRIMARY KEY) PARTITION BY RANGE (id)', n);
    EXECUTE format('CREATE TABLE of_ulid_%s (id ulid PRIMARY KEY) PARTITION BY RANGE (id)', n);
    EXECUTE format('CREATE TABLE made_by_hand_%s (id bigint PRIMARY KEY) PARTITION BY RANGE (id)', n);
    EXECUTE format('CREATE TABLE made_%s (id bigint PRIMARY KEY) PARTITION BY RANGE (id)', n);
    FOR i IN 1..n LOOP
        EXECUTE format('CREATE TABLE of_timestamptz_%s_%s PARTITION OF of_timestamptz_%1$s FOR VALUES FROM (%3$L) TO (%4$L)', n, i,
            today - (i - 1) * interval '1 day', today - (i - 2) * interval '1 day');
    END LOOP;
    PERFORM snowid_partition(format('of_%s_%s', type, n)::regclass, '1 day', ahead => 0, behind => n - 1) FROM unnest('{snowflake,uuid,ulid}'::text[]) AS type;
END $$;
CALL make_tables(1);
CALL make_tables(10);
CALL make_tables(40);
CREATE PROCEDURE transactions(n int, ids int) LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..n LOOP
        FOR j IN 1..ids LOOP PERFORM snowflake_next(); END LOOP;
        COMMIT;
    END LOOP;
END $$;
CREATE PROCEDURE spread_transactions(n int, ids int) LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..n LOOP
        FOR j IN 1..ids LOOP PERFORM snowflake_spread(); END LOOP;
        COMMIT;
    END LOOP;
END $$;
CREATE TABLE of_any (id uuid);
CREATE TABLE of_version_7 (id uuid CHECK (uuidv7_valid(id)));
INSERT INTO of_any SELECT uuidv7_at('2025-01-01Z') FROM generate_series(1, 10000);
INSERT INTO of_version_7 TABLE of_any;
CREATE TABLE copied (id bigint PRIMARY KEY DEFAULT snowflake_next(), n int);
CREATE TABLE copied_spread (id bigint PRIMARY KEY DEFAULT snowflake_spread(), n int);
CREATE TABLE copied_bigserial (id bigserial PRIMARY KEY, n int);
SELECT snowid_generator_create('given', worker => 9, backfill => true);
CREATE TABLE keyed (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), created_at timestamptz NOT NULL);
CREATE TABLE refers (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), keyed_id uuid NOT NULL REFERENCES keyed, body text NOT NULL);
INSERT INTO keyed (created_at) SELECT '2025-01-01Z'::timestamptz + n * interval '1 min' FROM generate_series(1, 10000) AS n;
INSERT INTO refers (keyed_id, body) SELECT id, 'of some length' FROM keyed ORDER BY id;
CREATE TABLE keyed_by_hand (LIKE keyed INCLUDING ALL, snowid_id bigint UNIQUE);
CREATE TABLE refers_by_hand (LIKE refers INCLUDING ALL, snowid_keyed_id bigint);
INSERT INTO keyed_by_hand TABLE keyed;
INSERT INTO refers_by_hand TABLE refers;
ALTER TABLE refers_by_hand ADD FOREIGN KEY (keyed_id) REFERENCES keyed_by_hand;
\ir queries.sql
VACUUM ANALYZE;

-- A database without the extension.
CREATE DATABASE without;
\c without
\ir queries.sql

-- Databases with generators, and with a partitioned table for each six of a scheme.
CREATE DATABASE few;
CREATE DATABASE many;
\set n 30
\c few
\ir generators.sql
\set n 120
\c many
\ir generators.sql
