-- Objects of a user that depend on the extension's functions. They do so by Oid, so a function's new name changes nothing:
-- used.sql tells whether all of them still work. Users should not call internal functions, but they can.
CREATE TABLE uses (
    id ulid PRIMARY KEY,
    other ulid,
    at timestamptz GENERATED ALWAYS AS (id::timestamptz) STORED,
    early boolean GENERATED ALWAYS AS (id < timestamptz '2020-01-01 00:00Z') STORED,
    number snowflake DEFAULT 5::int4,
    small snowflake DEFAULT 6::int2,
    uuid uuid GENERATED ALWAYS AS (id::uuid) STORED,
    CHECK (id <> other),
    CHECK (id >= timestamptz '2001-01-01 00:00Z'),
    EXCLUDE USING hash (other WITH =)
);
CREATE INDEX uses_late ON uses (other) WHERE id >= timestamptz '2021-01-01 00:00Z';
CREATE INDEX uses_brin ON uses USING brin (id ulid_minmax_multi_ops);
CREATE VIEW used AS SELECT max(id) AS last, count(*) FILTER (WHERE other > id) AS above FROM uses WHERE id <@ tstzrange('2010-01-01 00:00Z', NULL);
CREATE FUNCTION later(ulid, ulid) RETURNS ulid LANGUAGE sql RETURN CASE WHEN $1 < $2 THEN $2 ELSE $1 END;
CREATE INDEX uses_hash ON uses (_snowid.ulid_hash(other));
ALTER TABLE uses ADD CONSTRAINT uses_lt CHECK (_snowid.ulid_lt(id, other));
INSERT INTO uses (id, other) SELECT ulid_at(t), ulid_at(t + interval '1 day')
    FROM generate_series(timestamptz '2019-01-01 00:00Z', '2022-12-31 00:00Z', '1 day') AS t;
