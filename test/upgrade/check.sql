-- Everything that data.sql made is there and sound, and its generators go on.
SET timezone = 'UTC';
CREATE EXTENSION amcheck;
DO $$
DECLARE
    what text;
    goes_on boolean;
BEGIN
    ASSERT (SELECT every || log FROM witness) = (SELECT every || log FROM seen), 'the rows are other ones';
    -- Records may have got further columns.
    ASSERT NOT EXISTS (SELECT FROM witness, regexp_split_to_table(trim('()' FROM generators), '\),\(') AS was
        WHERE NOT EXISTS (SELECT FROM _snowid.generator AS g WHERE starts_with(trim('()' FROM g::text), was))), 'the generators are other ones';
    FOR what IN SELECT indexrelid::regclass FROM pg_index JOIN pg_class c ON c.oid = indexrelid JOIN pg_am am ON am.oid = relam
        WHERE amname = 'btree' AND indrelid IN (SELECT 'every'::regclass UNION ALL SELECT relid FROM pg_partition_tree('log') WHERE isleaf) LOOP
        PERFORM bt_index_parent_check(what::regclass, true, true);
    END LOOP;
    ASSERT what IS NOT NULL, 'there are indexes';
    ASSERT NOT EXISTS (SELECT FROM witness_horizon w WHERE NOT EXISTS
        (SELECT FROM _snowid.horizon h WHERE h.generator = w.generator AND h.horizon >= w.horizon)), 'a horizon has gone back';
    INSERT INTO every (n) VALUES (0);
    FOR what IN SELECT attname FROM pg_attribute JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE attrelid = 'every'::regclass AND attgenerated = '' LOOP
        EXECUTE format('SELECT %1$I > ALL (SELECT %1$I FROM every WHERE n BETWEEN 1 AND 200) FROM every WHERE n = 0', what) INTO goes_on;
        ASSERT goes_on, what || ' does not go on above what there was';
    END LOOP;
    ASSERT what IS NOT NULL, 'there are generators';
    INSERT INTO log (line) VALUES ('another');
    PERFORM snowflake_at('2026-01-01 00:00Z', 'past');
END $$;
SELECT 'goes on';
