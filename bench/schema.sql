-- Makes a schema of the size of MusicBrainz': tables of which each refers to some others, some of them to the same one,
-- with CHECKs, indexes and a few rows.
CREATE FUNCTION make_schema(tables int, referring int, checks int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..tables LOOP
        EXECUTE format('CREATE TABLE t%s (id serial PRIMARY KEY, name text NOT NULL, a int, b int, edits int NOT NULL DEFAULT 0,
            last_updated timestamptz DEFAULT now())', i);
        EXECUTE format('CREATE INDEX ON t%s (a); CREATE INDEX ON t%1$s (b); CREATE INDEX ON t%1$s (name)', i);
        FOR k IN 1..checks / tables + (i <= checks % tables)::int LOOP
            EXECUTE format('ALTER TABLE t%s ADD CONSTRAINT c%s CHECK (edits >= -%2$s AND name <> ''%2$s'')', i, k);
        END LOOP;
        EXECUTE format('INSERT INTO t%s (name, a, b) SELECT ''row '' || n, n, n FROM generate_series(1, 10) AS n', i);
    END LOOP;
    FOR i IN 2..tables LOOP
        EXECUTE format('ALTER TABLE t%s ADD FOREIGN KEY (a) REFERENCES t%s', i, CASE WHEN i <= referring + 1 THEN 1 ELSE i / 7 + 2 END);
        EXECUTE format('ALTER TABLE t%s ADD FOREIGN KEY (b) REFERENCES t%s', i, (i * 13) % tables + 2 - ((i * 13) % tables > tables - 2)::int);
    END LOOP;
    FOR i IN 1..10 LOOP
        EXECUTE format('CREATE VIEW v%s AS SELECT id, name FROM t%1$s', i);
    END LOOP;
END $$;
