-- pg_input_is_valid() tells of bad input without an error. PostgreSQL 15 does not have it: soft_errors_1.out.
SELECT current_setting('server_version_num')::int >= 160000 AS soft \gset
\if :soft
\else
\quit
\endif
SET timezone = 'UTC';
SELECT pg_input_is_valid('382458686519406592', 'snowflake') AS valid, pg_input_is_valid('x', 'snowflake') AS x;
SELECT i.* FROM unnest(ARRAY['-1', '', 'x', '5 ', '9223372036854775808', repeat('é', 200), '2026-11-20', '2026-11-20 06:00 Nowhere/City']) AS input,
    pg_input_error_info(input, 'snowflake') AS i;

-- for every type of the extension: no input raises an error, and none of these inputs is an id
SELECT typname, input FROM pg_type t
    JOIN pg_depend ON classid = 'pg_type'::regclass AND objid = t.oid AND deptype = 'e'
    JOIN pg_extension e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid,
    unnest(ARRAY['', ' ', '!', 'é', repeat('!', 2000), '2026-11-20', 'now', 'infinity', '0x', repeat('9', 25)]) AS input
    WHERE extname = 'snowid' AND typtype = 'b' AND typelem = 0 AND typnamespace <> '_snowid'::regnamespace AND pg_input_is_valid(input, t.oid::regtype::text);
