-- What every benchmark database has: the extension, the yardsticks, and what people use without snowid.
CREATE EXTENSION snowid;
CREATE EXTENSION snowid_convert;

CREATE FUNCTION bench_empty() RETURNS bigint AS 'snowid_bench' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
CREATE FUNCTION bench_empty16() RETURNS uuid AS 'snowid_bench' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
CREATE FUNCTION bench_clock() RETURNS bigint AS 'snowid_bench' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
CREATE FUNCTION bench_swap() RETURNS bigint AS 'snowid_bench' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

CREATE SEQUENCE bench_seq_1;
CREATE SEQUENCE bench_seq_32 CACHE 32;
CREATE SEQUENCE bench_seq_1000 CACHE 1000;

-- As Instagram has published it (instagram-engineering, "Sharding & IDs at Instagram", 2012).
CREATE SCHEMA insta5;
CREATE SEQUENCE insta5.table_id_seq;
CREATE OR REPLACE FUNCTION insta5.next_id(OUT result bigint) AS $$
DECLARE
    our_epoch bigint := 1314220021721;
    seq_id bigint;
    now_millis bigint;
    shard_id int := 5;
BEGIN
    SELECT nextval('insta5.table_id_seq') % 1024 INTO seq_id;

    SELECT FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) INTO now_millis;
    result := (now_millis - our_epoch) << 23;
    result := result | (shard_id << 10);
    result := result | (seq_id);
END;
$$ LANGUAGE PLPGSQL;
