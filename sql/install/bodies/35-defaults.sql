
-- generators in defaults ----------------------------------------------------------

CREATE FUNCTION _snowid.generators_named(classid oid, objid oid, functions oid[]) RETURNS text[]
    AS 'MODULE_PATHNAME', 'snowid_generators_named' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _snowid.generators_named(oid, oid, oid[]) IS 'the constant texts that these functions get in a default';

CREATE FUNCTION _snowid.default_renamed(classid oid, objid oid, functions oid[], name text, new_name text) RETURNS text
    AS 'MODULE_PATHNAME', 'snowid_default_renamed' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION _snowid.default_renamed(oid, oid, oid[], text, text) IS 'the SQL of a default, with another text as argument of these functions';

CREATE FUNCTION _snowid.default_uses(OUT classid oid, OUT objid oid, OUT relation oid, OUT what text, OUT statement text, OUT owner oid,
    OUT function oid, OUT scheme text, OUT given_time boolean, OUT generator text, OUT functions oid[]) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
BEGIN ATOMIC
    WITH named AS (SELECT * FROM (VALUES ('@extschema@.snowflake_next(text)'::regprocedure::oid, 'snowflake', false),
            ('@extschema@.snowflake_at(timestamptz,text)'::regprocedure, 'snowflake', true),
            ('@extschema@.sno_next(integer,text)'::regprocedure, 'sno', false),
            ('@extschema@.sno_at(timestamptz,text,integer)'::regprocedure, 'sno', true)) AS f (function, scheme, given_time)),
        held AS (
            SELECT d.classid, d.objid, named.*, c.oid AS relation, c.relowner AS owner,
                    format('column %I of %s', attname, c.oid::regclass) AS what, format('ALTER TABLE ONLY %s ALTER %I SET DEFAULT', c.oid::regclass, attname) AS statement
                FROM named JOIN pg_catalog.pg_depend AS d ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = named.function AND d.classid = 'pg_attrdef'::regclass
                    JOIN pg_catalog.pg_attrdef AS a ON a.oid = d.objid JOIN pg_catalog.pg_class AS c ON c.oid = adrelid
                    JOIN pg_catalog.pg_attribute ON attrelid = adrelid AND attnum = adnum
            UNION ALL
            SELECT d.classid, d.objid, named.*, 0, t.typowner, format('domain %s', t.oid::regtype), format('ALTER DOMAIN %s SET DEFAULT', t.oid::regtype)
                FROM named JOIN pg_catalog.pg_depend AS d ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = named.function AND d.classid = 'pg_type'::regclass
                    JOIN pg_catalog.pg_type AS t ON t.oid = d.objid)
    SELECT classid, objid, relation, what, statement, owner, function, scheme, given_time, generator, (SELECT array_agg(function) FROM named)
        FROM held, unnest(_snowid.generators_named(classid, objid, ARRAY[function])) AS generator;
END;
COMMENT ON FUNCTION _snowid.default_uses() IS 'the defaults of columns and domains that name a generator';

CREATE FUNCTION _snowid.default_is_ours(tbl regclass, col name) RETURNS boolean
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT EXISTS (SELECT FROM pg_attribute AS a JOIN pg_attrdef AS e ON adrelid = attrelid AND adnum = attnum JOIN pg_depend AS d ON d.classid = 'pg_attrdef'::regclass AND d.objid = e.oid
            JOIN pg_depend AS m ON m.classid = 'pg_proc'::regclass AND m.objid = d.refobjid AND m.deptype = 'e' AND m.refclassid = 'pg_extension'::regclass
            JOIN pg_extension AS x ON x.oid = m.refobjid AND extname = 'snowid'
        WHERE attrelid = tbl AND attname = col AND attgenerated = '' AND d.refclassid = 'pg_proc'::regclass);
END;
COMMENT ON FUNCTION _snowid.default_is_ours(regclass, name) IS 'whether the default of a column calls a function of this extension';
