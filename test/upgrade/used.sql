-- The objects of uses.sql still work, and their definitions show the functions' present names.
DO $$
DECLARE
    definition text;
BEGIN
    ASSERT (SELECT above = 1461 AND last::timestamptz = '2022-12-31 00:00Z' FROM used), 'the view';
    ASSERT (SELECT count(*) FROM uses WHERE early) = 365, 'a generated column';
    ASSERT (SELECT later(id, other) = other FROM uses LIMIT 1), 'a function';
    INSERT INTO uses (id, other) VALUES (ulid_at('2023-06-01 00:00Z'), ulid_at('2023-06-02 00:00Z'));
    ASSERT (SELECT at = '2023-06-01 00:00Z' AND uuid = id::uuid AND number = 5 AND small = 6 FROM uses ORDER BY id DESC LIMIT 1), 'a new row';
    BEGIN
        INSERT INTO uses (id, other) VALUES (ulid_at('2024-01-02 00:00Z'), ulid_at('2024-01-01 00:00Z'));
        RAISE 'a constraint by a function lets everything through';
    EXCEPTION WHEN check_violation THEN
        ASSERT SQLERRM LIKE '%uses_lt%', SQLERRM;
    END;
    BEGIN
        INSERT INTO uses (id) VALUES (ulid_at('2000-06-01 00:00Z'));
        RAISE 'a constraint by an operator lets everything through';
    EXCEPTION WHEN check_violation THEN
    END;
    BEGIN
        INSERT INTO uses (id, other) SELECT ulid_at('2018-06-01 00:00Z'), other FROM uses LIMIT 1;
        RAISE 'an exclusion constraint lets everything through';
    EXCEPTION WHEN exclusion_violation THEN
    END;
    REINDEX TABLE uses;
    FOR definition IN SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'uses_lt' UNION ALL SELECT pg_get_indexdef('uses_hash'::regclass) LOOP
        ASSERT definition ~ '\m_snowid\.ulid_(lt|hash)\(', definition;
    END LOOP;
END $$;
