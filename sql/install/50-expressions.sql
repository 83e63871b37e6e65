
-- expressions -----------------------------------------------------------------
-- From here on a name without a schema is pg_catalog's. The script's own search_path ends with the schema of CREATE
-- EXTENSION, where others can have put a function or an operator that fits better than pg_catalog's of the same name: it
-- would be run by whoever calls ours. What stands above is found by its exact arguments, pg_catalog's first.

SET LOCAL search_path = pg_catalog, pg_temp;
