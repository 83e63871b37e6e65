-- Records as only SQL of the owner's could write them before 1.1.0: values that are compressed, too long, or mean nothing.
CREATE TABLE wide (id bigint, name text, scheme text, layout text, pad text);
ALTER TABLE wide ALTER name SET STORAGE MAIN, ALTER layout SET STORAGE MAIN, ALTER pad SET STORAGE PLAIN;
INSERT INTO wide SELECT id, name, scheme, layout, repeat('x', 3000) FROM (VALUES
    (9001, repeat('n', 60), 'snowflake', 'epoch=2024-01-01,tick=1ms,time=41,aaaaaaaaaaaaaaa=2,aaaaaaaaaaaaaab=2,aaaaaaaaaaaaaac=2,aaaaaaaaaaaaaad=2,aaaaaaaaaaaaaae=2,sequence=12'),
    (9002, repeat('long', 40), 'odd', NULL), (9003, NULL, 'sno', repeat('layout ', 100))) AS v (id, name, scheme, layout);
INSERT INTO snowid_generator (id, name, scheme, layout, worker, overlap, backfill) SELECT id, name, scheme, layout, 903, true, false FROM wide;
DO $$
BEGIN
    BEGIN
        INSERT INTO snowid_generator (id, scheme, worker, overlap, backfill) SELECT n, 'snowflake', 5, true, false FROM generate_series(1, 70000) AS n;
        RAISE 'the old version has no limit';
    EXCEPTION WHEN program_limit_exceeded THEN
    END;
    ASSERT (SELECT count(*) FROM snowid_generator WHERE pg_column_compression(name) IS NOT NULL OR pg_column_compression(layout) IS NOT NULL) = 3, 'compressed';
END $$;
