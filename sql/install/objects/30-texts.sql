
-- texts of ids -----------------------------------------------------------------

CREATE FUNCTION typeid_text(id uuid, prefix text DEFAULT '') RETURNS text
    AS 'MODULE_PATHNAME', 'snowid_typeid_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT _snowid.implied_typeid_support;
COMMENT ON FUNCTION typeid_text(uuid, text) IS 'a uuid as a TypeID';
CREATE FUNCTION typeid_uuid(typeid text, prefix text) RETURNS uuid
    AS 'MODULE_PATHNAME', 'snowid_typeid_uuid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION typeid_uuid(text, text) IS 'the uuid of a TypeID, which must have this prefix';
CREATE FUNCTION typeid_prefix(typeid text) RETURNS text
    AS 'MODULE_PATHNAME', 'snowid_typeid_prefix' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION typeid_prefix(text) IS 'the prefix of a TypeID; an error if the text is not a TypeID';

CREATE FUNCTION id_text(id bigint, alphabet text DEFAULT 'base62') RETURNS text
    AS 'MODULE_PATHNAME', 'snowid_id_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT _snowid.implied_number_support;
COMMENT ON FUNCTION id_text(bigint, text) IS
    'the 64 bits of a bigint as an unsigned number in base36, base58, base62, crockford32, flickr58 or zbase32';
CREATE FUNCTION id_number(text text, alphabet text DEFAULT 'base62') RETURNS bigint
    AS 'MODULE_PATHNAME', 'snowid_id_number' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION id_number(text, text) IS 'the bigint that id_text wrote as this text';

CREATE FUNCTION nanoid_next(size integer DEFAULT 21,
    alphabet text DEFAULT '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz') RETURNS text
    AS 'MODULE_PATHNAME', 'snowid_nanoid_next' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION nanoid_next(integer, text) IS 'a new Nano ID: this many random characters of the alphabet';
CREATE FUNCTION cuid2_next(length integer DEFAULT 24) RETURNS text
    AS 'MODULE_PATHNAME', 'snowid_cuid2_next' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuid2_next(integer) IS 'a new Cuid2: a random letter, then random letters and digits';

CREATE FUNCTION snowid_inspect(id text,
    OUT format text, OUT confidence text, OUT "time" timestamptz, OUT canonical text, OUT fields jsonb)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'snowid_inspect' LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 3;
COMMENT ON FUNCTION snowid_inspect(text) IS
    'the kinds of id that a text may be, the most likely first';
CREATE FUNCTION snowid_inspect(id bigint,
    OUT format text, OUT confidence text, OUT "time" timestamptz, OUT canonical text, OUT fields jsonb)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'snowid_inspect_number' LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 3;
COMMENT ON FUNCTION snowid_inspect(bigint) IS
    'the kinds of id that a number may be, the most likely first';
CREATE FUNCTION snowid_inspect(ids text[],
    OUT format text, OUT confidence text, OUT fits bigint, OUT "first" timestamptz, OUT "last" timestamptz)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'snowid_inspect_column' LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 3;
COMMENT ON FUNCTION snowid_inspect(text[]) IS
    'the kinds of id that the texts of a column may be together, the most likely first';
