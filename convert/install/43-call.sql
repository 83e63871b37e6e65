
-- conversion in one transaction -------------------------------------------------------------------

-- Relations with those below them, each once and after what it is below.
CREATE FUNCTION _snowid_convert.with_children(relations regclass[]) RETURNS regclass[]
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE below (id, place, depth) AS (
        SELECT r::oid, n, 0 FROM unnest(relations) WITH ORDINALITY AS u (r, n)
        UNION SELECT inhrelid, place, depth + 1 FROM below JOIN pg_inherits ON inhparent = id)
    SELECT ARRAY(SELECT id::regclass FROM below GROUP BY id ORDER BY max(place), max(depth), id);
END;

CREATE FUNCTION _snowid_convert.holders(tables regclass[]) RETURNS text
    LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT string_agg(DISTINCT format('%s holds %s on %s.', coalesce('Process ' || l.pid || coalesce(format(' (%s)',
            concat_ws(', ', usename, nullif(application_name, ''), state)), ''), (
                SELECT format('Prepared transaction %L', gid) FROM pg_locks AS x JOIN pg_prepared_xacts
                    ON transaction = transactionid
                    WHERE x.pid IS NULL AND x.virtualtransaction = l.virtualtransaction)),
            mode, relation::regclass), ' ')
        FROM pg_locks AS l LEFT JOIN pg_stat_activity AS a ON a.pid = l.pid
        WHERE granted AND l.pid IS DISTINCT FROM pg_backend_pid() AND relation IN (
                SELECT unnest(_snowid_convert.with_children(tables)))
            AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database());
END;

-- Locks relations within a time, each by itself, and those below them. While it holds some, it lets them go rather than
-- wait so long for another that who waits for it is ended by a deadlock. Then it begins with another one, because
-- writers that hold the first of theirs get on. Who was in the way is told, because nobody sees it afterwards. What is
-- gone makes a plan out of date.
CREATE FUNCTION _snowid_convert.lock(relations regclass[], within interval) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    before text := current_setting('lock_timeout');
    patience interval := least(current_setting('deadlock_timeout')::interval / 10, within / 4);
    until timestamptz := clock_timestamp() + within;
    let_go timestamptz;
    tries integer := 0;
    rel regclass;
BEGIN
    IF within IS NULL OR within <= interval '0' OR within > interval '1 day' THEN
        RAISE EXCEPTION 'lock_timeout must be more than 0 and up to a day' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    LOOP
        BEGIN
            let_go := until;
            FOR rel IN SELECT r FROM unnest(_snowid_convert.with_children(relations)) WITH ORDINALITY AS u (r, n)
                ORDER BY CASE WHEN tries > 0 THEN random() END, n
            LOOP
                PERFORM set_config('lock_timeout', greatest(1, ceil(extract(epoch FROM let_go - clock_timestamp())
                    * 1000))::bigint || 'ms', true);
                EXECUTE coalesce(_snowid_convert.locking(rel), '');
                let_go := least(let_go, clock_timestamp() + patience);
            END LOOP;
            PERFORM set_config('lock_timeout', before, true);
            RETURN;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            IF clock_timestamp() >= until THEN
                RAISE EXCEPTION 'could not lock % within % s', rel, trim_scale(extract(epoch FROM within))
                    USING ERRCODE = 'lock_not_available',
                    DETAIL = coalesce(_snowid_convert.holders(relations), 'The session that held it has released it.'),
                    HINT = 'Nothing has been changed. Try again; snowid_convert can wait longer, with lock_timeout => '
                        '''5 s''.';
            END IF;
        END;
        tries := tries + 1;
        PERFORM pg_sleep(extract(epoch FROM patience) * random());
    END LOOP;
END $$;

-- Locks the tables if a plan for them still holds then. If it does not, an error of its own lets the locks go.
CREATE FUNCTION _snowid_convert.locked(tables regclass[], within interval, planned_for oid[], planned text)
    RETURNS boolean
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM _snowid_convert.lock(tables, within);
    IF _snowid_convert.fingerprint(planned_for) <> planned THEN
        RAISE SQLSTATE 'SNPLN';
    END IF;
    RETURN true;
EXCEPTION WHEN SQLSTATE 'SNPLN' THEN
    RETURN false;
END $$;

-- The tables that a conversion changes, a table before the one that it refers to, as INSERT locks them.
CREATE FUNCTION _snowid_convert.tables(scope _snowid_convert.scope, types_change boolean) RETURNS regclass[]
    LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH tables AS (
        SELECT DISTINCT rel FROM _snowid_convert.columns(scope)
            WHERE place IS NOT NULL OR types_change AND base = ANY (_snowid_convert.small_types())
                OR EXISTS (SELECT FROM pg_trigger WHERE tgrelid = rel AND tgname = '~snowid_convert'))
    SELECT array_agg(rel ORDER BY array_position(scope.tbls, rel) DESC NULLS FIRST, rel::text) FROM tables;
END;

-- What its owner wrote into constraints and indexes is evaluated as the one who converts.
CREATE FUNCTION _snowid_convert.check_owners(tbl regclass, tables regclass[]) RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    other regclass := (SELECT t FROM unnest(tables) AS t JOIN pg_class ON oid = t
        WHERE _snowid_convert.are_apart(quote_ident(current_user)::regrole, relowner) ORDER BY t::text LIMIT 1);
BEGIN
    IF other IS NOT NULL THEN
        RAISE EXCEPTION 'to convert % changes %, which has another owner', tbl, other
            USING ERRCODE = 'insufficient_privilege',
            DETAIL = 'What is in the constraints and indexes of a table is evaluated with the rights of the owner '
                'of the table that is converted.',
            HINT = format('If these are harmless, give both tables to one role: ALTER TABLE %s OWNER TO %s;', other,
                quote_ident(current_user));
    END IF;
END $$;

-- How many seconds a statement takes that rewrites one table: copies of it and of its indexes, at the pace of a disk.
CREATE FUNCTION _snowid_convert.expected(rewrites boolean, locks text, rows bigint) RETURNS numeric
    LANGUAGE sql VOLATILE PARALLEL SAFE
BEGIN ATOMIC
    SELECT greatest(rows, 0) * 1.2e-6 + sum(pg_total_relation_size(id)) / 2e8
        FROM (SELECT to_regclass(substr(locks, 21)) AS tbl WHERE rewrites) AS t, LATERAL (
            SELECT tbl::oid AS id UNION SELECT relid FROM pg_partition_tree(tbl)) AS p
        HAVING count(*) > 0;
END;

-- Runs statements, and tells of each that takes more than two seconds, before and after.
CREATE FUNCTION _snowid_convert.run(statements text[], expected numeric[]) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one text;
    in_short text;
    about numeric;
    begun timestamptz;
    seconds numeric;
BEGIN
    FOR one, in_short, about IN SELECT s, split_part(s, E'\n', 1), ceil(e) FROM unnest(statements, expected) AS u (s, e)
    LOOP
        IF about OPERATOR(pg_catalog.>) 2::numeric THEN
            RAISE NOTICE '% takes about % s', in_short, about;
        END IF;
        begun := pg_catalog.clock_timestamp();
        EXECUTE one;  -- it may leave another search_path
        seconds := EXTRACT(epoch FROM pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-) begun);
        IF seconds OPERATOR(pg_catalog.>) 2::numeric THEN
            RAISE NOTICE '% took % s', in_short, pg_catalog.round(seconds, 1);
        END IF;
    END LOOP;
    IF NOT FOUND THEN
        RAISE NOTICE 'there is nothing to convert';
    END IF;
END $$;

-- What a conversion is about, which may be something else by now.
CREATE FUNCTION _snowid_convert.found_again(asked _snowid_convert.scope, target text) RETURNS _snowid_convert.scope
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE target WHEN 'builtin' THEN _snowid_convert.leaving(ARRAY[quote_ident(current_user)::regrole])
        ELSE _snowid_convert.scope(asked.tbls, asked.cols) END;
END $$;

-- Makes the plan. Asking takes locks, which an error of its own lets go: kept, they could meet another session's in a
-- deadlock when all is locked. The fingerprint is older than the plan.
CREATE FUNCTION _snowid_convert.draft(asked _snowid_convert.scope, target text, generator text, set_default boolean,
    rewrite boolean, schema regnamespace, OUT tables regclass[], OUT planned_for oid[], OUT planned text,
    OUT statements text[], OUT seconds numeric[])
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    what text := CASE target WHEN 'builtin' THEN 'this database'
        ELSE coalesce('schema ' || schema, format('%s.%I', asked.tbl, asked.col)) END;
    scope _snowid_convert.scope;
    types_change boolean;
    told text;
    in_all numeric;
BEGIN
    LOOP
        scope := _snowid_convert.found_again(asked, target);
        planned_for := _snowid_convert.asked_tables(scope)::oid[];
        planned := _snowid_convert.fingerprint(planned_for);
        EXIT WHEN _snowid_convert.found_again(asked, target) = scope;
    END LOOP;
    types_change := target IN ('snowflake', 'builtin') OR _snowid_convert.widens(scope, target, false);
    tables := CASE target WHEN 'builtin' THEN _snowid_convert.leaving_tables(scope)
        ELSE _snowid_convert.tables(scope, types_change) END;
    PERFORM _snowid_convert.check_owners(scope.tbl, tables);
    BEGIN
        SELECT _snowid_convert.lines(array_agg(note ORDER BY place) FILTER (WHERE note LIKE 'In the way: %')),
                array_agg(statement ORDER BY place) FILTER (WHERE statement IS NOT NULL),
                array_agg(expected ORDER BY place) FILTER (WHERE statement IS NOT NULL), ceil(sum(expected))
            INTO told, statements, seconds, in_all
            FROM _snowid_convert.plan(scope, target, generator, false, NULL, set_default, false, false)
                WITH ORDINALITY AS p (statement, locks, rewrites, rows, note, place),
                _snowid_convert.expected(rewrites, locks, rows) AS expected;
        RAISE SQLSTATE 'SNPLN';
    EXCEPTION WHEN SQLSTATE 'SNPLN' THEN
        NULL;
    END;
    IF told IS NOT NULL THEN
        RAISE EXCEPTION '% cannot be converted', what
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = told,
            HINT = 'Nothing has been changed. Remove these obstacles, and call it again.';
    END IF;
    IF in_all IS NOT NULL AND rewrite IS NOT TRUE THEN
        RAISE EXCEPTION 'the conversion of % rewrites tables', what
            USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('Nobody can read or write %s meanwhile, for about %s s.',
                array_to_string(tables, ', '), in_all),
            HINT = concat('Pass rewrite => true', ', or run the statements of ' || CASE WHEN target <> 'builtin'
                THEN _snowid_convert.asked(scope, target, schema) END || ' while others work', '.');
    END IF;
    -- before the tables views, as who reads these locks them, and after them sequences
    tables := ARRAY(SELECT v FROM _snowid_convert.views(scope) AS v WHERE types_change ORDER BY v) || tables || ARRAY(
        SELECT id::regclass FROM _snowid_convert.sequences(scope) JOIN pg_class ON oid = id
            WHERE pg_has_role(relowner, 'USAGE') ORDER BY id);
END $$;

-- The new ids must be above the old ones, which are read under the lock.
CREATE FUNCTION _snowid_convert.check_last(tbl regclass, col name, generator text) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET row_security = off AS $$
DECLARE
    last text;
    next text;
BEGIN
    PERFORM _snowid.require_owner(tbl);
    EXECUTE format('SELECT max(%I)::bigint::text FROM %s', col, tbl) INTO last;
    next := _snowid.snowflake_lower_bound(now(), _snowid_convert.layout('snowflake', generator));
    IF last::bigint >= next::bigint THEN
        RAISE EXCEPTION 'the ids of %.% are not below those to come', tbl, quote_ident(col)
            USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('The last one is %s, and the next ones begin at %s.', last, next),
            HINT = 'Give the database the layout that its ids have.';
    END IF;
END $$;

-- Plans again for as long as somebody changes what the plan was made for.
CREATE FUNCTION _snowid_convert.held(scope _snowid_convert.scope, target text, generator text, set_default boolean,
    lock_timeout interval, rewrite boolean, schema regnamespace, OUT statements text[], OUT seconds numeric[])
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    d record;
BEGIN
    FOR try IN 1..10 LOOP
        d := _snowid_convert.draft(scope, target, generator, set_default, rewrite, schema);
        IF _snowid_convert.locked(d.tables, lock_timeout, d.planned_for, d.planned) THEN
            statements := d.statements;
            seconds := d.seconds;
            RETURN;
        END IF;
        RAISE NOTICE 'the definition of % or of a table that changes with it has changed, planning again', scope.tbl;
        PERFORM pg_sleep(least(0.01 * 2 ^ try, 1) * random());
    END LOOP;
    RAISE EXCEPTION 'the definition of % keeps changing', scope.tbl USING ERRCODE = 'serialization_failure',
        DETAIL = 'Ten plans were out of date when their tables were locked.',
        HINT = 'Nothing has been changed. Try again when nobody changes these tables or what depends on them.';
END $$;

-- No foreign key says that they have the same ids, so they stay as they are. Of a schema nobody has looked at each
-- column, so those that may refer to a key have to be named.
CREATE FUNCTION _snowid_convert.check_left(scope _snowid_convert.scope, schema regnamespace, strict boolean)
    RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    n bigint;
    told text;
    shown text := format('SELECT * FROM %s.snowid_convert_candidates(%L, col => %L) shows them. To take any '
        'of them along, name it in also.', _snowid_convert.public_schema(), scope.tbl, scope.col);
BEGIN
    IF schema IS NOT NULL THEN
        SELECT _snowid_convert.lines(array_agg(c.told ORDER BY c.told)), sum(columns) INTO told, n
            FROM _snowid_convert.schema_columns(scope, schema) AS c WHERE is_suspect;
        IF n > 0 AND strict IS NOT FALSE THEN
            RAISE EXCEPTION 'keys of schema % may have more references, which cannot hold their new ids: %', schema, n
                USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = told,
                HINT = _snowid_convert.schema_also(scope, schema) || '.';
        END IF;
        RETURN;
    END IF;
    n := (SELECT count(*) FROM _snowid_convert.without_room(scope));
    told := n || CASE n WHEN 1 THEN ' column looks' ELSE ' columns look' END;
    IF n > 0 AND strict THEN
        RAISE EXCEPTION '% like a reference to %.% without a foreign key, and cannot hold its new ids', told, scope.tbl,
            quote_ident(scope.col) USING ERRCODE = 'object_not_in_prerequisite_state', HINT = shown;
    ELSIF n > 0 THEN
        RAISE NOTICE '% like a reference to %.% without a foreign key, and cannot hold its new ids', told, scope.tbl,
            quote_ident(scope.col) USING HINT = shown;
    END IF;
END $$;

-- Converts a list of columns, with the rights of the owner of all their tables.
CREATE FUNCTION _snowid_convert.list(scope _snowid_convert.scope, target text, generator text, lock_timeout interval,
    rewrite boolean, set_default boolean, strict boolean, schema regnamespace) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    new_keys _snowid_convert.id_column[] := ARRAY(
        SELECT k FROM _snowid_convert.own_ids(scope) AS k WHERE target = 'snowflake' AND NOT k.is_ours);
    retyped text := (SELECT string_agg(DISTINCT c.rel::text, ', ') FROM _snowid_convert.columns(scope) AS c
        WHERE CASE target WHEN 'builtin' THEN changes
            ELSE rewrite AND c.base = ANY (_snowid_convert.small_types()) END);
    advice text := format('Run ANALYZE %s, which blocks nobody.', retyped);
BEGIN
    PERFORM _snowid.require_owner(scope.tbl);
    IF new_keys <> '{}' OR _snowid_convert.widens(scope, target, false) THEN
        PERFORM _snowid_convert.check_owners(scope.tbl, _snowid_convert.tables(scope, true));
        PERFORM _snowid_convert.check_left(scope, schema, strict);
    END IF;
    PERFORM _snowid_convert.run(h.statements, h.seconds)
        FROM _snowid_convert.held(scope, target, generator, set_default, lock_timeout, rewrite, schema) AS h;
    PERFORM _snowid_convert.check_last(rel, name, generator) FROM pg_catalog.unnest(new_keys)
        WHERE _snowid.default_is_ours(rel, name);
    IF retyped IS NOT NULL THEN
        RAISE NOTICE 'columns of % have no statistics yet', retyped USING HINT = advice;
    END IF;
END $$;

-- The keys of one owner in a schema or, to leave, in the database; the table is one of them.
CREATE FUNCTION _snowid_convert.schema_as_owner(tbl regclass, schema regnamespace, target text, generator text,
    lock_timeout interval, rewrite boolean, set_default boolean, strict boolean, also text[]) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET row_security = off AS $$
DECLARE
    found record;
BEGIN
    PERFORM _snowid.require_owner(tbl);
    IF target = 'builtin' THEN
        PERFORM _snowid_convert.list(_snowid_convert.leaving(ARRAY[quote_ident(current_user)::regrole]), target, NULL,
            lock_timeout, rewrite, NULL, NULL, NULL);
        RETURN;
    END IF;
    found := _snowid_convert.schema_scope(schema, target, generator, false, set_default, also,
        quote_ident(current_user)::regrole);
    IF found.kept <> '{}' THEN
        RAISE NOTICE 'some keys of schema % stay as they are', schema
            USING DETAIL = _snowid_convert.lines(found.kept);
    END IF;
    IF (found.going).tbls IS NOT NULL THEN
        PERFORM _snowid_convert.list(found.going, target, generator, lock_timeout, rewrite, set_default, strict,
            schema);
    END IF;
END $$;
-- Converts the keys of one owner in a schema.
CREATE FUNCTION _snowid_convert.schema(tbl regclass, schema regnamespace, target text, generator text,
    lock_timeout interval, rewrite boolean, set_default boolean, strict boolean, also text[]) RETURNS void
    LANGUAGE C VOLATILE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'snowid_as_owner';

-- Without a table this runs as the caller, and only asks the catalogue who owns what.
CREATE FUNCTION _snowid_convert.convert_as_owner(tbl regclass, col name, target text, generator text,
    lock_timeout interval, rewrite boolean, set_default boolean, strict boolean, also text[], schema regnamespace)
    RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET row_security = off SET jit = off
    SET quote_all_identifiers = off SET datestyle = 'ISO' SET intervalstyle = 'postgres'
    SET extra_float_digits = 1 AS $$
DECLARE
    scope _snowid_convert.scope;
    one regclass;
    stays text[];
BEGIN
    IF target = 'builtin' THEN
        PERFORM _snowid_convert.check_leaving(num_nonnulls(tbl, col, generator, also, schema) > 0);
    ELSIF schema IS NOT NULL THEN
        PERFORM _snowid_convert.check_schema(schema, target, tbl, col, also, NULL, false);
        stays := ARRAY(SELECT _snowid_convert.schema_stays(schema, target, set_default, also)) || ARRAY(
            SELECT format('%s belongs to %s', rel, relowner::regrole)
                FROM _snowid_convert.schema_asked(schema, target) JOIN pg_class ON oid = rel
                WHERE NOT pg_has_role(relowner, 'USAGE') ORDER BY rel::text);
        IF stays <> '{}' THEN
            RAISE NOTICE 'parts of schema % stay as they are', schema USING DETAIL = _snowid_convert.lines(stays);
        END IF;
    ELSE
        PERFORM _snowid.require_owner(tbl);
        scope := _snowid_convert.meant(tbl, col, target, also);
        PERFORM _snowid_convert.start(tbl, col, target, generator);
        PERFORM _snowid_convert.list(scope, target, generator, lock_timeout, rewrite, set_default, strict, NULL);
        RETURN;
    END IF;
    FOR one IN SELECT DISTINCT ON (relowner) rel
        FROM (SELECT rel FROM _snowid_convert.schema_asked(schema, target)
                UNION ALL SELECT rel FROM _snowid_convert.columns(CASE target
                    WHEN 'builtin' THEN _snowid_convert.leaving(_snowid_convert.roles(true)) END)) AS a
            JOIN pg_class ON oid = rel
        WHERE pg_has_role(relowner, 'USAGE') ORDER BY relowner, rel::text
    LOOP
        PERFORM _snowid_convert.schema(one, schema, target, generator, lock_timeout, rewrite, set_default, strict,
            also);
    END LOOP;
    IF target = 'builtin' THEN
        IF one IS NULL THEN
            SELECT c.rel INTO one
                FROM _snowid_convert.columns(_snowid_convert.leaving(_snowid_convert.roles(false))) AS c;
            IF FOUND THEN
                RAISE EXCEPTION 'must be owner of table %', one USING ERRCODE = 'insufficient_privilege';
            END IF;
        END IF;
        stays := ARRAY(SELECT _snowid_convert.of_others()) || ARRAY(SELECT _snowid_convert.unfinished())
            || ARRAY(SELECT DISTINCT concat_ws(': ', what, statement)
            FROM _snowid_convert.staying(NULL) AS s, _snowid_convert.ended(s.class, s.id, s.num));
        IF stays <> '{}' THEN
            RAISE NOTICE 'more depends on the extensions' USING DETAIL = _snowid_convert.lines(stays),
                HINT = 'Run the statements, and then DROP EXTENSION snowid_convert, snowid;';
        END IF;
    END IF;
END $$;
CREATE PROCEDURE @extschema@.snowid_convert(tbl regclass DEFAULT NULL, col name DEFAULT NULL,
    target text DEFAULT 'snowflake', generator text DEFAULT NULL, lock_timeout interval DEFAULT '500 ms',
    rewrite boolean DEFAULT false, set_default boolean DEFAULT NULL, strict boolean DEFAULT NULL,
    also text[] DEFAULT NULL, schema regnamespace DEFAULT NULL)
    LANGUAGE C
    AS 'MODULE_PATHNAME', 'snowid_as_owner';
COMMENT ON PROCEDURE @extschema@.snowid_convert(regclass, name, text, text, interval, boolean, boolean, boolean,
    text[], regnamespace) IS
    'moves a column, or the keys of a whole schema, to ids of this extension, or back to a sequence, or a database to '
    'what PostgreSQL has, in one transaction';
