-- :n generators of each scheme, as many that share a number, and a sixth as many partitioned tables.
CREATE EXTENSION snowid;
CREATE EXTENSION snowid_convert;
SELECT count(snowid_generator_create('g' || i, worker => i)) FROM generate_series(10, 9 + :n) AS i;
SELECT count(snowid_generator_create('s' || i, 'sno', partition => i)) FROM generate_series(1, :n) AS i;
SELECT count(snowid_generator_create('o' || i, worker => 5, overlap => true)) FROM generate_series(1, :n) AS i;
SELECT format('CREATE TABLE p%s (id snowflake PRIMARY KEY) PARTITION BY RANGE (id)', i) FROM generate_series(1, :n / 6) AS i \gexec
SELECT count(partition) FROM generate_series(1, :n / 6) AS i, snowid_partition(format('p%s', i)::regclass, '1 day');
VACUUM ANALYZE;
