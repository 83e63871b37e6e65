
-- conversion online: steps that need a lock -----------------------------------------------

-- Tells who is in the way, and for how many seconds to wait: longer each time, so that those who queue behind the lock
-- get on, and not the same for two that wait for each other.
CREATE FUNCTION _snowid_convert.backs_off(tables regclass[], tries integer) RETURNS float8
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    seconds float8 := least(0.5 * 2 ^ least(tries, 10), 10) * (0.5 + random() / 2);
BEGIN
    RAISE NOTICE 'could not lock %, trying again in % s', array_to_string(tables, ', '), round(seconds::numeric, 1)
        USING DETAIL = coalesce(_snowid_convert.holders(tables), 'The session that held it has released it.');
    RETURN seconds;
END $$;

-- Runs a step until it gets its locks, unless it is part of somebody's transaction. A procedure that commits cannot
-- have a search_path of its own.
CREATE PROCEDURE _snowid_convert.step_as_caller(tables regclass[], statement text)
    LANGUAGE plpgsql AS $$
DECLARE
    can_commit boolean := _snowid_convert.can_commit();
    tries integer := 0;
BEGIN
    PERFORM _snowid_convert.require_fresh();
    LOOP
        BEGIN
            EXECUTE statement;
            RETURN;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            IF NOT can_commit THEN
                RAISE;
            END IF;
        END;
        COMMIT;
        PERFORM pg_catalog.pg_sleep(_snowid_convert.backs_off(tables, tries));
        COMMIT;
        tries := tries OPERATOR(pg_catalog.+) 1;
    END LOOP;
END $$;
-- Runs a step.
CREATE PROCEDURE _snowid_convert.step(tables regclass[], statement text)
    LANGUAGE C
    AS 'MODULE_PATHNAME', 'snowid_as_caller';

-- The statement that runs a step.
CREATE FUNCTION _snowid_convert.stepped(tables regclass[], statement text) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('CALL _snowid_convert.step(%L::regclass[], %s)', tables,
        CASE WHEN strpos(statement, '$step$') > 0 THEN quote_literal(statement) || '::text'
            ELSE E'$step$\n' || statement || E'\n$step$::text' END);
END;

-- conversion online: the steps before the swap -----------------------------------------

-- The tables of a stage, which is that of the key or that of all other columns: what to add to each, the condition that
-- holds for both columns, and how far it has come.
CREATE FUNCTION _snowid_convert.stage(scope _snowid_convert.scope, of_key boolean, OUT rel regclass, OUT columns text,
    OUT same text, OUT is_begun boolean, OUT is_same boolean, OUT is_filled boolean, OUT rows bigint,
    OUT keyed boolean) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH twins AS (
        SELECT t.*, k.is_same, k.is_same AND convalidated AS is_filled,
                format('ADD %I %s', twin, coalesce(CASE WHEN keyed
                    THEN scope.kept_type::text END, 'bigint')) AS added,
                format(CASE WHEN keyed AND attnotnull THEN '%1$I IS NOT NULL AND %2$I IS NOT NULL'
                    WHEN keyed THEN '(%1$I IS NULL) OPERATOR(pg_catalog.=) (%2$I IS NULL)'
                    WHEN attnotnull THEN '%1$I IS NOT NULL AND %1$I OPERATOR(pg_catalog.=) %2$I'
                    ELSE 'coalesce(%1$I OPERATOR(pg_catalog.=) %2$I, %1$I IS NULL AND %2$I IS NULL)' END,
                    twin, name) AS same
            FROM _snowid_convert.twins(scope) AS t JOIN pg_attribute ON attrelid = rel AND attnum = num
                LEFT JOIN pg_constraint ON conrelid = rel AND conname = 'snowid_same' AND contype = 'c'
                    AND conkey @> ARRAY[num, twin_num]
                CROSS JOIN LATERAL (  -- without NOT NULL in it, the swap would read the table to set that
                    SELECT coalesce((strpos(pg_get_expr(conbin, conrelid), format('(%I IS NOT NULL)', twin)) > 0)
                        = attnotnull, false) AS is_same) AS k
            WHERE NOT is_kept AND (is_key OR NOT of_key))
    SELECT rel, string_agg(added, ', ' ORDER BY num) FILTER (WHERE twin_num IS NULL AND is_key = of_key),
            string_agg(same, ' AND ' ORDER BY num),
            bool_and(twin_num IS NOT NULL AND (is_same OR of_key)) AND EXISTS (
                SELECT FROM pg_trigger WHERE tgrelid = rel AND tgname = '~snowid_convert' AND tgenabled = 'A'),
            bool_and(is_same), bool_and(is_filled), greatest(reltuples, 0)::bigint, bool_or(keyed)
        FROM twins JOIN pg_class AS c ON c.oid = rel
        GROUP BY rel, reltuples HAVING bool_or(is_key = of_key) ORDER BY rel::text;
END;

-- What the triggers of the tables are to do.
CREATE FUNCTION _snowid_convert.writers(scope _snowid_convert.scope, of_key boolean, next_id text, time_col name,
    OUT rel regclass, OUT writes text, OUT as_owner boolean, OUT looks_up boolean, OUT key_twin name, OUT function text,
    OUT is_there boolean) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH twins AS MATERIALIZED (SELECT * FROM _snowid_convert.twins(scope)),
        written AS (
            SELECT t.*, c.relnamespace, _snowid_convert.twin('convert_' || c.relname) AS function,
                    CASE WHEN NOT t.keyed THEN format('NEW.%I := NEW.%I; ', t.twin, t.name)
                        WHEN t.is_key THEN _snowid_convert.key_written(t.name, t.twin, next_id,
                            coalesce(col_description(t.rel, t.twin_num) = _snowid_convert.numbers_stay(),
                                t.base <> 'uuid'::regtype AND time_col IS NULL))
                        ELSE _snowid_convert.looked_up(scope.tbl, key.name, key.twin, t.rel, t.name, t.twin)
                        END AS one
                FROM twins AS t JOIN pg_class AS c ON c.oid = t.rel
                    LEFT JOIN twins AS key ON key.rel = scope.tbl AND key.name = scope.col
                WHERE NOT t.is_kept AND (t.is_key OR NOT of_key))
    SELECT w.rel, string_agg(one, '' ORDER BY is_key DESC, num), keyed, keyed AND NOT bool_and(is_key),
            min(twin) FILTER (WHERE is_key),
            format('%s.%I', relnamespace::regnamespace, w.function),
            EXISTS (SELECT FROM pg_trigger JOIN pg_proc AS f ON f.oid = tgfoid
                WHERE tgrelid = w.rel AND tgname = '~snowid_convert' AND pronamespace = relnamespace
                    AND proname = w.function)
        FROM written AS w GROUP BY w.rel, relnamespace, w.function, keyed;
END;

-- The function of the trigger and the trigger. Where it makes or looks up ids it has the rights of the table's owner,
-- who also drops it, and nobody else can make triggers of it. It has no settings: they cost more than all else that it
-- does.
CREATE FUNCTION _snowid_convert.trigger(rel regclass, writes text, as_owner boolean, function text,
    is_replaced boolean) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT concat_ws(E';\n',
        -- another's function of that name is an error
        format('CREATE %sFUNCTION %s() RETURNS trigger LANGUAGE plpgsql%s AS %L',
            CASE WHEN is_replaced THEN 'OR REPLACE ' END, function, CASE WHEN as_owner THEN ' SECURITY DEFINER' END,
            'BEGIN ' || writes || 'RETURN NEW; END'),
        CASE WHEN as_owner THEN format('REVOKE ALL ON FUNCTION %s() FROM PUBLIC', function) END,
        (SELECT format('ALTER FUNCTION %s() OWNER TO %s', function, relowner::regrole)
            FROM pg_class AS c, pg_roles AS r
            WHERE c.oid = rel AND rolname = current_user AND rolsuper AND relowner <> r.oid),
        format('CREATE OR REPLACE TRIGGER "~snowid_convert" BEFORE INSERT OR UPDATE ON %s FOR EACH ROW '
            'EXECUTE FUNCTION %s()', rel, function),
        format('ALTER TABLE %s ENABLE ALWAYS TRIGGER "~snowid_convert"', rel));
END;

-- The statements for the constraint that compares columns with their second ones.
CREATE FUNCTION _snowid_convert.is_same(rel regclass, same text, is_there boolean) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN is_there THEN format(E'ALTER TABLE %s DROP CONSTRAINT snowid_same;\n', rel) ELSE '' END
        || format('ALTER TABLE %s ADD CONSTRAINT snowid_same CHECK (%s) NOT VALID', rel, same);
END;

-- The statements that begin a stage of an online conversion. How old rows get other ids is in the comment of the second
-- key, where later plans see it; without a column of times only new rows get them.
CREATE FUNCTION _snowid_convert.begin(scope _snowid_convert.scope, of_key boolean, next_id text, time_col name,
    layout text, OUT statement text, OUT locks text, OUT rows bigint, OUT note text) RETURNS SETOF record
    LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
    WITH tables AS MATERIALIZED (
        SELECT *, of_key AND columns IS NOT NULL AS is_key, key_twin IS NOT NULL OR EXISTS (
                    SELECT FROM pg_constraint WHERE conrelid = rel AND conname = 'snowid_same') AS had_same, (
                    SELECT string_agg(format('COMMENT ON COLUMN %s.%I IS %L', k.rel, k.twin,
                            _snowid_convert.taken_mark(scope.tbl, scope.col)), E';\n' ORDER BY num)
                        FROM _snowid_convert.taken_twins(scope) AS k WHERE k.rel = s.rel AND twin_num IS NULL) AS marks
            FROM _snowid_convert.stage(scope, of_key) AS s
                JOIN _snowid_convert.writers(scope, of_key, next_id, time_col) USING (rel)
            WHERE NOT is_begun)
    SELECT p.statement, p.locks, p.rows, p.note
        FROM tables AS t CROSS JOIN _snowid_convert.times(scope.tbl, time_col, layout) CROSS JOIN LATERAL (
            SELECT 1 AS place, checked AS statement, 'ACCESS SHARE on ' || rel AS locks, t.rows AS rows,
                    rule || ', which no server may have had' AS note
                WHERE is_key AND checked IS NOT NULL
            UNION ALL
            SELECT 2, _snowid_convert.stepped(ARRAY[rel], concat_ws(E';\n', 'SET LOCAL lock_timeout = ''500 ms''',
                        format('ALTER TABLE %s ', rel) || columns,
                        CASE WHEN is_key THEN format('COMMENT ON COLUMN %s.%I IS %L', rel, key_twin,
                            coalesce(rule_kept, _snowid_convert.numbers_stay())) END,
                        CASE WHEN NOT of_key THEN marks END,
                        _snowid_convert.trigger(rel, writes, as_owner, function,
                            is_there OR key_twin IS NOT NULL AND NOT of_key),
                        CASE WHEN NOT of_key THEN _snowid_convert.is_same(rel, same, had_same) END)),
                    'ACCESS EXCLUSIVE on ' || rel, NULL,
                    CASE WHEN of_key THEN 'the second column, where new rows have an id of now'
                        WHEN looks_up THEN 'second columns, which a trigger looks up'
                        ELSE 'second columns, which a trigger writes along with the first' END) AS p
        ORDER BY rel::text, place;
END;

-- Which triggers the fill of a table fires.
CREATE FUNCTION _snowid_convert.fires(tbl regclass) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH fired AS (
        SELECT tgenabled FROM pg_trigger
            WHERE tgrelid = tbl AND NOT tgisinternal AND tgname <> '~snowid_convert' AND tgtype & 17 = 17)
    SELECT CASE WHEN NOT has_parameter_privilege('session_replication_role', 'SET') AND EXISTS (SELECT FROM fired)
            THEN '; fires the triggers of the table'
        WHEN EXISTS (SELECT FROM fired WHERE tgenabled = 'A')
            THEN '; fires the triggers of the table that are ENABLE ALWAYS'
        ELSE '' END;
END;

-- The statements that fill the second columns of a stage. With all arguments and their types nobody else's procedure of
-- that name fits as well.
CREATE FUNCTION _snowid_convert.filled(scope _snowid_convert.scope, of_key boolean, OUT statement text, OUT locks text,
    OUT rows bigint, OUT note text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
    SELECT p.statement, p.lock || ' on ' || t.rel, p.rows, p.note
        FROM _snowid_convert.stage(scope, of_key) AS t CROSS JOIN LATERAL (VALUES
            (1, format('CALL %s.snowid_convert_fill(%L::regclass, 5000, ''0''::interval, ''10 s''::interval)',
                _snowid_convert.public_schema(), rel), 'ROW EXCLUSIVE', t.rows,
                'in batches; goes on where it was stopped' || _snowid_convert.fires(rel)),
            (2, CASE WHEN of_key AND NOT is_same THEN _snowid_convert.stepped(ARRAY[rel],
                    E'SET LOCAL lock_timeout = ''500 ms'';\n' || _snowid_convert.is_same(rel, same, false)) END,
                'ACCESS EXCLUSIVE', NULL, NULL),
            (3, format('ALTER TABLE %s VALIDATE CONSTRAINT snowid_same', rel), 'SHARE UPDATE EXCLUSIVE', t.rows,
                'fails if a second column is not ' || CASE WHEN keyed THEN 'filled' ELSE 'the same as the first' END))
            AS p (place, statement, lock, rows, note)
        WHERE NOT is_filled AND p.statement IS NOT NULL ORDER BY rel::text, place;
END;

-- The statements that make second indexes. Unique ones come last: an upsert waits for one index, and two that insert
-- the same meet in the other.
CREATE FUNCTION _snowid_convert.indexed(scope _snowid_convert.scope, of_key boolean, OUT statement text,
    OUT locks text, OUT rows bigint, OUT note text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
    SELECT p.statement, 'SHARE UPDATE EXCLUSIVE on ' || i.rel, p.rows, p.note
        FROM _snowid_convert.indexes(scope) WITH ORDINALITY AS i JOIN pg_class AS c ON c.oid = i.rel
            JOIN pg_index ON indexrelid = index CROSS JOIN LATERAL (VALUES
                (1, CASE WHEN is_there THEN 'DROP INDEX CONCURRENTLY ' || twin END, NULL,
                    'it was not completed, or the first one is another now'),
                (2, i.statement, greatest(reltuples, 0)::bigint, CASE WHEN indisunique AND NOT of_key
                    THEN 'from here to the end, INSERT ... ON CONFLICT may raise 23505: try that again' END))
                AS p (place, statement, rows, note)
        WHERE NOT is_valid AND p.statement IS NOT NULL AND of_key = EXISTS (
            SELECT FROM _snowid_convert.twins(scope) AS k
                WHERE k.rel = i.rel AND is_key AND indisunique AND indnkeyatts = 1 AND indkey[0] = num)
        ORDER BY indisunique, ordinality, place;
END;

-- The statements that make the foreign keys of second columns.
CREATE FUNCTION _snowid_convert.referred(scope _snowid_convert.scope, OUT statement text, OUT locks text,
    OUT rows bigint, OUT note text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
    SELECT p.statement, p.locks, p.rows, NULL
        FROM _snowid_convert.keys(scope) AS k JOIN pg_class ON oid = rel CROSS JOIN LATERAL (
                SELECT CASE WHEN rel <> other THEN other END AS referred,
                    EXISTS (SELECT FROM pg_constraint WHERE conrelid = rel AND conname = twin) AS is_other) AS o
            CROSS JOIN LATERAL (VALUES
                (1, NOT is_there, _snowid_convert.stepped(array_remove(ARRAY[rel, referred], NULL), concat(
                        E'SET LOCAL lock_timeout = ''250 ms'';\n', format('ALTER TABLE %s ', rel),
                        CASE WHEN is_other THEN format('DROP CONSTRAINT %I, ', twin) END,
                        format('ADD CONSTRAINT %I %s NOT VALID', twin, definition))),
                    concat(CASE WHEN is_other THEN 'ACCESS EXCLUSIVE' ELSE 'SHARE ROW EXCLUSIVE' END, ' on ', rel,
                        ', ' || referred), NULL),
                (2, had_valid, format('ALTER TABLE %s VALIDATE CONSTRAINT %I', rel, twin),
                    format('SHARE UPDATE EXCLUSIVE on %s, ROW SHARE on %s', rel, other),
                    greatest(reltuples, 0)::bigint)) AS p (place, is_needed, statement, locks, rows)
        WHERE NOT is_valid AND is_needed ORDER BY rel::text, name, place;
END;

-- What to know before an online conversion.
CREATE FUNCTION _snowid_convert.notes(scope _snowid_convert.scope, OUT note text) RETURNS SETOF text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    WITH twins AS MATERIALIZED (SELECT * FROM _snowid_convert.twins(scope)),
        last AS (
            SELECT attrelid, max(attnum) AS num FROM pg_attribute
                WHERE attrelid IN (SELECT rel FROM twins) AND NOT attisdropped AND NOT starts_with(attname, 'snowid_')
                GROUP BY attrelid)
    SELECT format(CASE WHEN bool_or(keyed)
                THEN 'publication %I sends %s: take the table out of it first, because its subscribers cannot follow, '
                    'and let them copy it again afterwards'
                ELSE 'publication %I sends %s: give its subscribers %s bigint first, because a column that they lack '
                    'stops replication at once' END,
            publication, rel, string_agg(quote_ident(twin), ', ' ORDER BY num))
        FROM twins, _snowid_convert.publications(rel) AS publication WHERE twin_num IS NULL GROUP BY publication, rel
    UNION ALL
    SELECT format('%s of %s will come last: INSERT and COPY need a list of columns, and programs must not read '
            'SELECT * by position', string_agg(quote_ident(name), ', ' ORDER BY twins.num), rel)
        FROM twins JOIN last ON attrelid = rel GROUP BY rel, last.num HAVING min(twins.num) < last.num - count(*) + 1
    UNION ALL
    SELECT format('foreign key %I of %s is deferrable: until the swap, a row must come after the one that it refers to',
            conname, conrelid::regclass)
        FROM _snowid_convert.keys(scope) AS k JOIN pg_constraint ON conrelid = rel AND conname = k.name
        WHERE condeferrable AND EXISTS (SELECT FROM twins WHERE keyed)
    UNION ALL
    SELECT format('constraint %I of %s is NOT VALID: rows that violate it cannot be filled', conname,
            conrelid::regclass)
        FROM pg_constraint
        WHERE conrelid IN (SELECT rel FROM twins WHERE NOT is_kept) AND contype = 'c' AND conname <> 'snowid_same'
            AND NOT convalidated AND pg_get_constraintdef(oid) !~ ' NOT ENFORCED$'
    UNION ALL
    SELECT format('%s has triggers (%s), which the fill fires for every row, because %3$I may not turn them off: '
            'GRANT SET ON PARAMETER session_replication_role TO %3$I', tgrelid::regclass,
            string_agg(quote_ident(tgname), ', ' ORDER BY tgname), current_user)
        FROM pg_trigger
        WHERE tgrelid IN (SELECT rel FROM twins) AND NOT tgisinternal AND tgname <> '~snowid_convert'
            AND tgtype & 17 = 17 AND tgenabled <> 'D' AND NOT has_parameter_privilege('session_replication_role', 'SET')
        GROUP BY tgrelid
    ORDER BY 1;
END;
