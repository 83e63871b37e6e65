-- A database that uses everything the extension has. check.sql tells whether it is unchanged and goes on.
SET timezone = 'UTC';
CREATE EXTENSION snowid;
SELECT snowid_generator_create('orders', worker => 5), snowid_generator_create('events', scheme => 'sno', partition => 9),
    snowid_generator_create('past', worker => 6, backfill => true);
CREATE TABLE every (
    n int,
    id bigint PRIMARY KEY DEFAULT snowflake_next(),
    made timestamptz GENERATED ALWAYS AS (snowflake_time(id)) STORED,
    a_snowflake snowflake UNIQUE DEFAULT snowflake_next(),
    of_orders snowflake UNIQUE DEFAULT snowflake_next('orders'),
    a_sno sno UNIQUE DEFAULT sno_next(7),
    of_events sno UNIQUE DEFAULT sno_next(7, 'events'),
    a_uuid uuid UNIQUE DEFAULT uuidv7_next(),
    a_ulid ulid UNIQUE DEFAULT ulid_next(),
    a_ksuid ksuid UNIQUE DEFAULT ksuid_next(),
    an_objectid objectid UNIQUE DEFAULT objectid_next(),
    an_rsxid rsxid UNIQUE DEFAULT rsxid_next(),
    a_sandflake sandflake UNIQUE DEFAULT sandflake_next()
);
CREATE INDEX ON every USING hash (a_ulid);
CREATE INDEX ON every USING brin (a_ksuid);
CREATE INDEX ON every (((snowflake_time(id) AT TIME ZONE 'UTC')::date));
INSERT INTO every (n) SELECT generate_series(1, 200);
INSERT INTO every (n, of_orders) SELECT 200 + n, snowflake_at('2024-05-01 12:00Z'::timestamptz + n * interval '1 s', 'past') FROM generate_series(1, 20) AS n;

CREATE TABLE log (id ulid DEFAULT ulid_next(), line text, PRIMARY KEY (id)) PARTITION BY RANGE (id);
SELECT count(*) FROM snowid_partition('log', every => '1 month', ahead => 2);
INSERT INTO log (line) SELECT 'line ' || n FROM generate_series(1, 20) AS n;

CREATE VIEW seen AS SELECT (SELECT md5(string_agg(every::text, ',' ORDER BY n)) FROM every) AS every,
    (SELECT md5(string_agg(log::text, ',' ORDER BY id)) FROM log) AS log,
    (SELECT string_agg(g::text, ',' ORDER BY id) FROM _snowid.generator g) AS generators;
CREATE TABLE witness AS SELECT * FROM seen;
CREATE TABLE witness_horizon AS SELECT generator, max(horizon) AS horizon FROM _snowid.horizon GROUP BY generator;
