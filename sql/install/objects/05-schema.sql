
-- what is internal ----------------------------------------------------------------
-- What only PostgreSQL and the extension itself call. A schema of this name that is there already is somebody's, and an
-- error.

CREATE SCHEMA _snowid;
COMMENT ON SCHEMA _snowid IS 'what the extension snowid calls; any version may rename or drop what is in it';
GRANT USAGE ON SCHEMA _snowid TO PUBLIC;
