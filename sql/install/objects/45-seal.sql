
-- sealed ids --------------------------------------------------------------------
-- A key can make any token. So nobody has privileges on the tables of keys; row-level security without a policy
-- holds back those who may read or write all data; and no dump takes a key along. Only the library writes these tables.
-- It never updates a row with a key, and logical decoding does not see its inserts; a deletion sends the number alone.

CREATE TABLE _snowid.seal_key (
    number smallint PRIMARY KEY CHECK (number >= 0 AND number <= 6),
    key bytea NOT NULL CHECK (octet_length(key) = 32),
    created timestamptz NOT NULL
) USING heap;
ALTER TABLE _snowid.seal_key ALTER key SET STORAGE PLAIN, ALTER key SET STATISTICS 0;
COMMENT ON TABLE _snowid.seal_key IS 'the keys of this database''s sealed ids; no dump has them';
COMMENT ON COLUMN _snowid.seal_key.number IS 'its number, part of each token';
COMMENT ON COLUMN _snowid.seal_key.key IS 'the key itself';
COMMENT ON COLUMN _snowid.seal_key.created IS 'when it was made or read from a file';
CREATE TABLE _snowid.seal_current (number smallint NOT NULL) USING heap;
COMMENT ON TABLE _snowid.seal_current IS 'the key that seals ids for which no key is named';
COMMENT ON COLUMN _snowid.seal_current.number IS 'its number';
REVOKE ALL ON _snowid.seal_key, _snowid.seal_current FROM PUBLIC;
ALTER TABLE _snowid.seal_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE _snowid.seal_current ENABLE ROW LEVEL SECURITY;

CREATE TRIGGER snowid_record_changed
    AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON _snowid.seal_key
    FOR EACH STATEMENT EXECUTE FUNCTION _snowid.record_changed();
ALTER TABLE _snowid.seal_key ENABLE ALWAYS TRIGGER snowid_record_changed;
CREATE TRIGGER snowid_record_changed
    AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON _snowid.seal_current
    FOR EACH STATEMENT EXECUTE FUNCTION _snowid.record_changed();
ALTER TABLE _snowid.seal_current ENABLE ALWAYS TRIGGER snowid_record_changed;
CREATE TRIGGER snowid_drop_replicated
    BEFORE INSERT OR UPDATE OR DELETE ON _snowid.seal_key
    FOR EACH ROW EXECUTE FUNCTION _snowid.drop_replicated();
ALTER TABLE _snowid.seal_key ENABLE ALWAYS TRIGGER snowid_drop_replicated;
CREATE TRIGGER snowid_drop_replicated
    BEFORE INSERT OR UPDATE OR DELETE ON _snowid.seal_current
    FOR EACH ROW EXECUTE FUNCTION _snowid.drop_replicated();
ALTER TABLE _snowid.seal_current ENABLE ALWAYS TRIGGER snowid_drop_replicated;
ALTER TABLE _snowid.seal_current REPLICA IDENTITY FULL;
-- Keeps the keys of sealed ids from being truncated away.
-- Row-level security does not hold TRUNCATE back, and GRANT ALL ON ALL TABLES reaches these tables too.
CREATE FUNCTION _snowid.seal_guard() RETURNS trigger
    AS 'MODULE_PATHNAME', 'snowid_seal_guard' LANGUAGE C PARALLEL SAFE;
CREATE TRIGGER snowid_seal_guard BEFORE TRUNCATE ON _snowid.seal_key
    FOR EACH STATEMENT EXECUTE FUNCTION _snowid.seal_guard();
CREATE TRIGGER snowid_seal_guard BEFORE TRUNCATE ON _snowid.seal_current
    FOR EACH STATEMENT EXECUTE FUNCTION _snowid.seal_guard();

CREATE FUNCTION id_seal(id bigint, prefix text, key integer DEFAULT NULL) RETURNS text
    AS 'MODULE_PATHNAME', 'snowid_id_seal' LANGUAGE C STABLE PARALLEL SAFE SUPPORT _snowid.implied_seal_support;
COMMENT ON FUNCTION id_seal(bigint, text, integer) IS
    'the sealed id of a bigint, made with the current key or the one with this number';
REVOKE EXECUTE ON FUNCTION id_seal(bigint, text, integer) FROM PUBLIC;
CREATE FUNCTION id_unseal(sealed text, prefix text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'snowid_id_unseal' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION id_unseal(text, text) IS 'the bigint of a sealed id, which must have this prefix';
REVOKE EXECUTE ON FUNCTION id_unseal(text, text) FROM PUBLIC;
CREATE FUNCTION id_try_unseal(sealed text, prefix text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'snowid_id_try_unseal' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION id_try_unseal(text, text) IS
    'the bigint of a sealed id with this prefix, or NULL if the text is none of this database''s';
REVOKE EXECUTE ON FUNCTION id_try_unseal(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION id_seal(bigint, text, integer), id_unseal(text, text), id_try_unseal(text, text)
    TO pg_database_owner WITH GRANT OPTION;

CREATE FUNCTION snowid_seal_key_create(number integer DEFAULT NULL, from_file text DEFAULT NULL) RETURNS integer
    AS 'MODULE_PATHNAME', 'snowid_seal_key_create' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_seal_key_create(integer, text) IS
    'makes a key for sealed ids, or reads it from a file of the server; the first becomes current';
REVOKE EXECUTE ON FUNCTION snowid_seal_key_create(integer, text) FROM PUBLIC;
CREATE FUNCTION snowid_seal_key_use(number integer) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_seal_key_use' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_seal_key_use(integer) IS 'makes a key the current one';
REVOKE EXECUTE ON FUNCTION snowid_seal_key_use(integer) FROM PUBLIC;
CREATE FUNCTION snowid_seal_key_drop(number integer) RETURNS void
    AS 'MODULE_PATHNAME', 'snowid_seal_key_drop' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_seal_key_drop(integer) IS 'drops a key, so that what it sealed can no longer be opened';
REVOKE EXECUTE ON FUNCTION snowid_seal_key_drop(integer) FROM PUBLIC;
CREATE FUNCTION snowid_seal_key_reveal(number integer) RETURNS text
    AS 'MODULE_PATHNAME', 'snowid_seal_key_reveal' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION snowid_seal_key_reveal(integer) IS
    'a key as 64 hexadecimal digits, for a password store, an application or another server';
REVOKE EXECUTE ON FUNCTION snowid_seal_key_reveal(integer) FROM PUBLIC;
CREATE FUNCTION snowid_seal_keys(OUT number integer, OUT current boolean, OUT created timestamptz,
    OUT fingerprint text) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'snowid_seal_keys' LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 2;
COMMENT ON FUNCTION snowid_seal_keys() IS 'what the view snowid_seal_keys shows';
REVOKE EXECUTE ON FUNCTION snowid_seal_keys() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION snowid_seal_key_create(integer, text), snowid_seal_key_use(integer),
    snowid_seal_key_drop(integer), snowid_seal_key_reveal(integer), snowid_seal_keys() TO pg_database_owner;
-- Whether this database has a key for sealed ids.
CREATE FUNCTION _snowid.has_seal_key() RETURNS boolean
    AS 'MODULE_PATHNAME', 'snowid_has_seal_key' LANGUAGE C STABLE STRICT PARALLEL SAFE;

CREATE VIEW snowid_seal_keys AS SELECT * FROM @extschema@.snowid_seal_keys();
COMMENT ON VIEW snowid_seal_keys IS 'the keys of this database''s sealed ids, without what is secret';
COMMENT ON COLUMN snowid_seal_keys.number IS 'its number, part of each token';
COMMENT ON COLUMN snowid_seal_keys.current IS 'whether it seals ids for which no key is named';
COMMENT ON COLUMN snowid_seal_keys.created IS 'when it was made or read from a file';
COMMENT ON COLUMN snowid_seal_keys.fingerprint IS 'eight digits by which keys can be told apart';
REVOKE ALL ON snowid_seal_keys FROM PUBLIC;
GRANT SELECT ON snowid_seal_keys TO pg_database_owner;
