-- What `script/test instructions` asks in databases with the extension and without, and on a server without the library.
CREATE TABLE plain (id bigint PRIMARY KEY, body text);
INSERT INTO plain SELECT g, 'hello' FROM generate_series(1, 1000) AS g;
VACUUM ANALYZE plain;
