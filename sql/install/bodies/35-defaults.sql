
-- generators in defaults ----------------------------------------------------------

-- The constant texts that these functions get in a default.
CREATE FUNCTION _snowid.generators_named(classid oid, objid oid, functions oid[]) RETURNS text[]
    AS 'MODULE_PATHNAME', 'snowid_generators_named' LANGUAGE C STABLE STRICT PARALLEL SAFE;

-- The SQL of a default, with another text as argument of these functions.
CREATE FUNCTION _snowid.default_renamed(classid oid, objid oid, functions oid[], name text, new_name text) RETURNS text
    AS 'MODULE_PATHNAME', 'snowid_default_renamed' LANGUAGE C STABLE STRICT PARALLEL SAFE;

-- The defaults of columns and domains that call one of these functions.
CREATE FUNCTION _snowid.default_callers(functions oid[], OUT function oid, OUT classid oid, OUT objid oid,
        OUT relation oid, OUT owner oid, OUT what text, OUT statement text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
BEGIN ATOMIC
    WITH caller AS (
        SELECT refobjid AS function, classid, objid FROM pg_catalog.pg_depend
            WHERE refclassid = 'pg_proc'::regclass AND refobjid = ANY (functions)
                AND classid IN ('pg_attrdef'::regclass, 'pg_type'::regclass))
    SELECT caller.*, relation.oid, relation.relowner, format('column %I of %s', col.attname, relation.oid::regclass),
            format('ALTER TABLE ONLY %s ALTER %I SET DEFAULT', relation.oid::regclass, col.attname)
        FROM caller
            JOIN pg_catalog.pg_attrdef AS value ON value.oid = caller.objid
            JOIN pg_catalog.pg_class AS relation ON relation.oid = value.adrelid
            JOIN pg_catalog.pg_attribute AS col ON col.attrelid = value.adrelid AND col.attnum = value.adnum
        WHERE caller.classid = 'pg_attrdef'::regclass
    UNION ALL
    SELECT caller.*, 0, domain.typowner, format('domain %s', domain.oid::regtype),
            format('ALTER DOMAIN %s SET DEFAULT', domain.oid::regtype)
        FROM caller JOIN pg_catalog.pg_type AS domain ON domain.oid = caller.objid
        WHERE caller.classid = 'pg_type'::regclass;
END;

-- The defaults of columns and domains that name a generator.
CREATE FUNCTION _snowid.default_uses(OUT classid oid, OUT objid oid, OUT relation oid, OUT what text,
        OUT statement text, OUT owner oid, OUT function oid, OUT scheme text, OUT given_time boolean,
        OUT generator text, OUT functions oid[])
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
BEGIN ATOMIC
    WITH taking_name (function, scheme, given_time) AS (
        VALUES ('@extschema@.snowflake_next(text)'::regprocedure::oid, 'snowflake', false),
            ('@extschema@.snowflake_spread(text)'::regprocedure, 'snowflake', false),
            ('@extschema@.snowflake_at(timestamptz,text)'::regprocedure, 'snowflake', true),
            ('@extschema@.sno_next(integer,text)'::regprocedure, 'sno', false),
            ('@extschema@.sno_at(timestamptz,text,integer)'::regprocedure, 'sno', true)),
        every AS (SELECT array_agg(function) AS functions FROM taking_name)
    SELECT caller.classid, caller.objid, caller.relation, caller.what, caller.statement, caller.owner, function, scheme,
            given_time, generator, every.functions
        FROM every, LATERAL _snowid.default_callers(every.functions) AS caller JOIN taking_name USING (function),
            LATERAL unnest(_snowid.generators_named(caller.classid, caller.objid, ARRAY[function])) AS generator;
END;

-- Whether the default of a column calls a function of this extension.
CREATE FUNCTION _snowid.default_is_ours(tbl regclass, col name) RETURNS boolean
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT EXISTS (
        SELECT FROM pg_attribute AS attribute
            JOIN pg_attrdef AS value ON value.adrelid = attribute.attrelid AND value.adnum = attribute.attnum
            JOIN pg_depend AS called ON called.classid = 'pg_attrdef'::regclass AND called.objid = value.oid
                AND called.refclassid = 'pg_proc'::regclass
            JOIN pg_depend AS member ON member.classid = 'pg_proc'::regclass AND member.objid = called.refobjid
                AND member.deptype = 'e' AND member.refclassid = 'pg_extension'::regclass
            JOIN pg_extension AS extension ON extension.oid = member.refobjid AND extension.extname = 'snowid'
        WHERE attribute.attrelid = tbl AND attribute.attname = col AND attribute.attgenerated = '');
END;
