
-- expressions -----------------------------------------------------------------
-- From here on a name without a schema is one of pg_catalog. The script's own search_path ends with the schema of
-- CREATE EXTENSION, whose owner can have put a function or an operator there that fits an expression better than the
-- one of pg_catalog. Callers of our functions would then run it. The parts above need no such care: what they name is
-- found by its exact arguments, in pg_catalog first.

SET LOCAL search_path = pg_catalog, pg_temp;
