-- With the generators of old_generators.sql, which must be committed before.
SET ROLE pg_monitor;
SELECT snowflake_at('2024-05-01 00:00Z', 'given'), snowflake_at('2060-01-01 00:00Z', 'far');
