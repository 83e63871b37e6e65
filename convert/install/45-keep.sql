
-- conversion: back in a second, or never ------------------------------------------------------------
-- After a swap the old ids are still there, in a column that the comment of the key names. A plan with keep => true has
-- brought what refers to the key in step with them, as the way back does, so only its swap is left.

CREATE FUNCTION _snowid_convert.has_kept(tbl regclass, col name) RETURNS _snowid_convert.scope
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    key name;
    taken record;
    scope _snowid_convert.scope;
BEGIN
    PERFORM _snowid.require_owner(tbl);
    PERFORM _snowid_convert.check_table(tbl, 'snowflake');
    key := (SELECT name FROM _snowid_convert.key_column(tbl, col, 'snowflake'));
    IF _snowid_convert.kept(tbl, key) IS NULL THEN
        RAISE EXCEPTION '%.% has no old ids', tbl, quote_ident(key) USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = 'No comment of the column names another one with the ids that it had before.',
            HINT = 'A conversion keeps them if it has keep => true, or gives the rows new ids. '
                'Others go back with target => ''bigserial''.';
    END IF;
    taken := _snowid_convert.taken(tbl, key, NULL);
    scope := _snowid_convert.scope(taken.tbls, taken.cols);
    PERFORM _snowid_convert.check_owners(tbl, ARRAY(SELECT DISTINCT rel FROM _snowid_convert.twins(scope)));
    RETURN scope;
END $$;

-- What snowid_convert_undo does.
CREATE FUNCTION _snowid_convert.convert_undo_as_owner(tbl regclass, col name) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off
    SET quote_all_identifiers = off SET datestyle = 'ISO' SET intervalstyle = 'postgres'
    SET extra_float_digits = 1 AS $$
DECLARE
    scope _snowid_convert.scope := _snowid_convert.has_kept(tbl, col);
    left_over text;
BEGIN
    EXECUTE _snowid_convert.swap(scope, '');
    left_over := (SELECT string_agg(statement, E';\n')
        FROM _snowid_convert.left_over(_snowid_convert.scope(scope.tbls, scope.cols)));
    IF left_over IS NOT NULL THEN
        RAISE NOTICE 'constraints that are NOT VALID or columns without statistics are left'
            USING DETAIL = left_over, HINT = 'Run these statements, which block nobody.';
    END IF;
END $$;
CREATE PROCEDURE @extschema@.snowid_convert_undo(tbl regclass, col name DEFAULT NULL)
    LANGUAGE C
    AS 'MODULE_PATHNAME', 'snowid_as_owner';
COMMENT ON PROCEDURE @extschema@.snowid_convert_undo(regclass, name) IS
    'gives a converted column its old ids back, which keep => true has kept in step';

-- What snowid_convert_finish does.
CREATE FUNCTION _snowid_convert.convert_finish_as_owner(tbl regclass, col name) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off
    SET quote_all_identifiers = off AS $$
DECLARE
    scope _snowid_convert.scope := _snowid_convert.has_kept(tbl, col);
    t record;
    dropped text;
BEGIN
    PERFORM _snowid_convert.lock(ARRAY(SELECT DISTINCT rel FROM _snowid_convert.twins(scope)), '500 ms');
    dropped := (SELECT statement FROM _snowid_convert.dropped(scope));
    FOR t IN SELECT rel, num, name FROM _snowid_convert.taken_twins(scope) LOOP
        EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', t.rel, t.name,
            _snowid_convert.unmarked(col_description(t.rel, t.num)));
    END LOOP;
    IF dropped IS NOT NULL THEN
        EXECUTE dropped;
    END IF;
    EXECUTE (SELECT format('COMMENT ON COLUMN %s.%I IS %L', rel, name,
            _snowid_convert.without_kept(col_description(rel, num)))
        FROM _snowid_convert.columns(scope) WHERE rel = tbl AND name = scope.col);
    EXECUTE format('ALTER TABLE %s DROP %I', tbl, scope.kept);
END $$;
CREATE PROCEDURE @extschema@.snowid_convert_finish(tbl regclass, col name DEFAULT NULL)
    LANGUAGE C
    AS 'MODULE_PATHNAME', 'snowid_as_owner';
COMMENT ON PROCEDURE @extschema@.snowid_convert_finish(regclass, name) IS
    'drops the old ids of a converted column, and all that has kept them in step';
