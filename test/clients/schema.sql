-- What a client finds: a table of messages with twelve rows, made a little after a quarter second past each hour and one a little
-- before, at the beginnings of two ticks of each type. The variables: kind, the type of the id; next, what its default calls; make, an id of the time `made`.
CREATE EXTENSION snowid;
CREATE TABLE message (id :kind PRIMARY KEY DEFAULT :next(), body text NOT NULL);
ALTER TABLE message OWNER TO app;

INSERT INTO message
    SELECT :make, body FROM (
        SELECT timestamptz '2025-06-15 00:00:00.252Z' + h * interval '1 hour', to_char(h, '"r"FM00') FROM generate_series(0, 10) AS h
        UNION ALL SELECT '2025-06-15 03:00:00.248Z', 'r02b') AS fixture (made, body)
    ORDER BY made;
