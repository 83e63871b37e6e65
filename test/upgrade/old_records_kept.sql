-- The records of old_generators.sql and odd_rows.sql as 1.1.0 and later read them.
DO $$
BEGIN
    ASSERT (SELECT count(*) FROM snowid_generator WHERE NOT restricted AND NOT future) = 5, 'generators of an older version';
    ASSERT (SELECT count(*) FROM snowid_generator WHERE num_nonnulls(pg_column_compression(name), pg_column_compression(scheme), pg_column_compression(layout)) > 0) = 0, 'compressed';
    ASSERT (SELECT (g.name, g.layout) = (w.name, w.layout) FROM snowid_generator AS g JOIN wide AS w USING (id) WHERE id = 9001), 'a record that was compressed';
    ASSERT (SELECT octet_length(name) < 64 AND scheme = 'snowflake' FROM snowid_generator WHERE id = 9002), 'a name that was too long';
    ASSERT (SELECT name IS NULL AND scheme = 'sno' AND layout = '' FROM snowid_generator WHERE id = 9003), 'a layout that was none';
    SET LOCAL ROLE pg_monitor;
    PERFORM snowflake_at('2024-05-02 00:00Z', 'given');
    BEGIN
        PERFORM snowflake_at('2060-01-02 00:00Z', 'far');
        RAISE 'a time in the future';
    EXCEPTION WHEN invalid_parameter_value THEN
    END;
END $$;
