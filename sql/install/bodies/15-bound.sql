
-- what text bodies refer to -----------------------------------------------------------
-- A body that is a text would break when the schema of CREATE EXTENSION is renamed. So it refers to what is public
-- through these functions, which are bound when they are made. PostgreSQL inlines them, so an index is still used.
-- Those for functions with a body stand behind them.

-- The schema of CREATE EXTENSION.
CREATE FUNCTION _snowid.public_schema() RETURNS regnamespace
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'snowid';
END;

-- The type snowflake.
CREATE FUNCTION _snowid.snowflake_type() RETURNS regtype
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT '@extschema@.snowflake'::regtype;
END;

-- The layout of this database's ids.
CREATE FUNCTION _snowid.recorded_layout() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT layout FROM _snowid.layout ORDER BY recorded LIMIT 1;
END;

-- The time in the bound of a partition.
-- Bounds of partitions are texts, as PostgreSQL shows them.
CREATE FUNCTION _snowid.partition_bound_time(scheme text, bound text) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE CASE bound WHEN 'MINVALUE' THEN bound WHEN 'MAXVALUE' THEN bound ELSE scheme END
        WHEN 'MINVALUE' THEN '-infinity' WHEN 'MAXVALUE' THEN 'infinity'
        WHEN 'snowflake' THEN @extschema@.snowflake_time(bound::bigint)
        WHEN 'uuidv7' THEN @extschema@.uuidv7_time(bound::uuid)
        WHEN 'WIDE' THEN @extschema@.WIDE_time(bound::@extschema@.WIDE)
    END;
END;

-- The first id of a time or later, as the bound of a partition.
CREATE FUNCTION _snowid.partition_bound(scheme text, "time" timestamptz) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE scheme
        WHEN 'snowflake' THEN @extschema@.snowflake_first("time", '>=')::text
        WHEN 'uuidv7' THEN @extschema@.uuidv7_first("time", '>=')::text
        WHEN 'WIDE' THEN @extschema@.WIDE_first("time", '>=')::text
    END;
END;

-- The last id of a scheme, as the bound of a partition.
CREATE FUNCTION _snowid.partition_last_bound(scheme text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE scheme
        WHEN 'snowflake' THEN @extschema@.snowflake_last('(,)'::tstzrange)::text
        WHEN 'uuidv7' THEN @extschema@.uuidv7_last('(,)'::tstzrange)::text
        WHEN 'WIDE' THEN @extschema@.WIDE_last('(,)'::tstzrange)::text
    END;
END;

-- The id that has these parts, by a layout, or by the recorded one if it is NULL.
CREATE FUNCTION _snowid.snowflake_encode("time" timestamptz, worker integer, sequence integer, layout text)
    RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN layout IS NULL THEN @extschema@.snowflake_encode("time", worker, sequence)
        ELSE @extschema@.snowflake_encode("time", worker, sequence, layout) END::bigint;
END;
-- The smallest id of a time or later, by a layout or the recorded one.
CREATE FUNCTION _snowid.snowflake_lower_bound("time" timestamptz, layout text) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN layout IS NULL THEN @extschema@.snowflake_lower_bound("time")
        ELSE @extschema@.snowflake_lower_bound("time", layout) END::bigint;
END;
-- The worker in an id, by a layout or the recorded one.
CREATE FUNCTION _snowid.snowflake_worker(id bigint, layout text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN layout IS NULL THEN @extschema@.snowflake_worker(id)
        ELSE @extschema@.snowflake_worker(id, layout) END;
END;
-- The sequence number in an id, by a layout or the recorded one.
CREATE FUNCTION _snowid.snowflake_sequence(id bigint, layout text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN layout IS NULL THEN @extschema@.snowflake_sequence(id)
        ELSE @extschema@.snowflake_sequence(id, layout) END;
END;
