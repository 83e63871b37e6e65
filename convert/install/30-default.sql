
-- conversion: defaults, sequences and identities ---------------------------------------

-- The sequence that a column has: of its identity, its own, or the one that its default asks. And why it must stay as
-- it is, if it must.
CREATE FUNCTION _snowid_convert.sequence(tbl regclass, num smallint, OUT seq regclass, OUT kept text)
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    WITH found AS (
            SELECT objid AS seq, true AS is_own, deptype = 'i' AS is_asked FROM pg_depend
                WHERE classid = 'pg_class'::regclass AND refclassid = 'pg_class'::regclass AND refobjid = tbl
                    AND refobjsubid = num AND deptype IN ('a', 'i')
            UNION ALL
            SELECT refobjid, false, true FROM pg_attrdef AS e
                JOIN pg_depend ON classid = 'pg_attrdef'::regclass AND objid = e.oid
                    AND refclassid = 'pg_class'::regclass
                WHERE adrelid = tbl AND adnum = num),
        one AS (
            SELECT s.oid, relowner, seqincrement, bool_or(is_own) AS is_own
                FROM found JOIN pg_class AS s ON s.oid = seq AND relkind = 'S' JOIN pg_sequence ON seqrelid = s.oid
                GROUP BY s.oid, relowner, seqincrement
                ORDER BY bool_or(is_asked) DESC, bool_or(is_own), s.oid LIMIT 1),
        family AS (
            SELECT relid FROM pg_partition_tree(tbl)
            UNION ALL SELECT inhrelid FROM pg_inherits WHERE inhparent = tbl)
    SELECT oid::regclass, CASE WHEN NOT is_own THEN 'it is not the column''s own'
            WHEN seqincrement < 0 THEN 'it descends'
            WHEN NOT pg_has_role(relowner, 'USAGE') THEN 'it is another role''s'
            WHEN EXISTS (SELECT FROM pg_depend
                JOIN pg_attrdef AS e ON e.oid = objid AND (adrelid <> tbl OR adnum <> num)
                    AND adrelid NOT IN (SELECT relid FROM family)
                WHERE classid = 'pg_attrdef'::regclass AND refclassid = 'pg_class'::regclass AND refobjid = one.oid)
            THEN 'other columns use it' END
        INTO seq, kept FROM one;
END $$;

-- The sequences of the columns that are to go beyond 32 bits. One stays as it is if it is another role's, or if small
-- columns use it that are not of this conversion.
CREATE FUNCTION _snowid_convert.growing(scope _snowid_convert.scope, OUT rel regclass, OUT name name, OUT seq regclass,
    OUT by_column boolean, OUT statement text, OUT kept text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (SELECT * FROM _snowid_convert.columns(scope)),
        found AS (
            SELECT c.rel, c.name, s.seq, c.changes AND attidentity <> '' AS by_column
                FROM columns AS c JOIN pg_attribute ON attrelid = c.rel AND attnum = c.num
                    CROSS JOIN LATERAL _snowid_convert.sequence(c.rel, c.num) AS s
                WHERE c.is_root AND (c.changes OR c.place IS NOT NULL))
    SELECT DISTINCT ON (seq) rel, name, seq, by_column,
            format('ALTER SEQUENCE %s AS bigint%s', seq,
                CASE WHEN seqmax IN (32767, 2147483647) THEN ' NO MAXVALUE' ELSE '' END),
            CASE WHEN NOT pg_has_role(relowner, 'USAGE') THEN 'it belongs to ' || relowner::regrole
                WHEN EXISTS (
                    SELECT FROM pg_depend JOIN pg_attrdef AS e ON e.oid = objid
                        JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
                    WHERE classid = 'pg_attrdef'::regclass AND refclassid = 'pg_class'::regclass AND refobjid = seq
                        AND _snowid_convert.base(atttypid) = ANY (_snowid_convert.small_types())
                        AND (adrelid, adnum) NOT IN (SELECT c.rel, c.num FROM columns AS c))
                THEN 'other columns use it' END
        FROM found JOIN pg_sequence ON seqrelid = seq JOIN pg_class ON oid = seq
        WHERE seqtypid <> 'bigint'::regtype OR seqmax IN (32767, 2147483647)
        ORDER BY seq, by_column;
END;

-- The statements for them. An identity's goes with the type of its column.
CREATE FUNCTION _snowid_convert.grown(scope _snowid_convert.scope, OUT statement text, OUT locks text, OUT note text)
    RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    SELECT CASE WHEN kept IS NULL THEN statement END,
            CASE WHEN kept IS NULL THEN 'SHARE ROW EXCLUSIVE on ' || seq END,
            CASE WHEN kept IS NULL THEN 'the sequence goes on beyond 32 bits'
                ELSE format('sequence %s stays as it is, because %s: it ends where it did', seq, kept) END
        FROM _snowid_convert.growing(scope) WHERE NOT by_column ORDER BY seq::text;
END;

-- How an identity is taken from a column in the swap of an online conversion, and given to its successor, with the
-- sequence's name, numbers, rights and comment. From the lock on, nobody else takes a number.
CREATE FUNCTION _snowid_convert.carried_identity(rel regclass, num smallint, OUT step text, OUT statement text)
    RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 3
BEGIN ATOMIC
    WITH own AS MATERIALIZED (
        SELECT attname, s.*, seq, 'snowid_convert.sequence_' || seq::oid AS setting,
                CASE attidentity WHEN 'a' THEN 'ALWAYS' ELSE 'BY DEFAULT' END AS kind
            FROM pg_attribute CROSS JOIN LATERAL _snowid_convert.sequence(rel, num)
                JOIN pg_sequence AS s ON seqrelid = seq
            WHERE attrelid = rel AND attnum = num AND attidentity <> '')
    SELECT 'free sequences', format('ALTER SEQUENCE %s AS bigint', seq) FROM own
    UNION ALL
    SELECT 'remember numbers', format('DO %L', format('BEGIN PERFORM set_config(%L, (SELECT concat_ws('' '', '
            'last_value, is_called) FROM %s), true); END', setting, seq))
        FROM own
    UNION ALL
    SELECT 'give sequences', format('ALTER TABLE %s ALTER %I ADD GENERATED %s AS IDENTITY (SEQUENCE NAME %s '
                'START WITH %s INCREMENT BY %s %s %s CACHE %s %s)', rel, attname, kind, seq, seqstart, seqincrement,
                CASE WHEN seqmin IN (-32768, -2147483648) THEN 'NO MINVALUE' ELSE 'MINVALUE ' || seqmin END,
                CASE WHEN seqmax IN (32767, 2147483647) THEN 'NO MAXVALUE' ELSE 'MAXVALUE ' || seqmax END,
                seqcache, CASE WHEN seqcycle THEN 'CYCLE' ELSE 'NO CYCLE' END)
            || format(E';\nDO %L', format('DECLARE had text[] := string_to_array(current_setting(%L), '' ''); '
                'BEGIN PERFORM setval(%L::regclass, had[1]::bigint, had[2]::boolean); END', setting, seq))
            || _snowid_convert.rights(seq)
        FROM own;
END;

-- What a column had before, as a line of its comment. It is data of the table's owner: only names and numbers
-- are taken from it.
CREATE FUNCTION _snowid_convert.before(tbl regclass, num smallint, OUT line text, OUT kind text, OUT seq text,
    OUT options text, OUT max bigint, OUT last bigint)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH commented AS (
            SELECT comment, substring(comment FROM '(?:^|\n)(snowid: before, (?:no default$|DEFAULT|GENERATED)[^\n]*)')
                    AS told
                FROM col_description(tbl, num) AS comment),
        patterns AS (
            SELECT '(?:"(?:[^"\n]|"")+"|[^". \n;]+)' AS word, '-?\d{1,19}' AS number,
                'GENERATED ALWAYS AS IDENTITY|GENERATED BY DEFAULT AS IDENTITY|DEFAULT nextval' AS kinds),
        matched AS MATERIALIZED (  -- once, and of one line: that is most of the time of a way back
            SELECT comment, told, regexp_match(told, format('^snowid: before, (?:(no default)$|'
                    '(%1$s) of (%2$s(?:\.%2$s)?) '
                    '(START WITH %3$s INCREMENT BY %3$s MINVALUE %3$s CACHE \d{1,19} (?:NO )?CYCLE) '
                    'MAXVALUE (%3$s), last value (%3$s))$', kinds, word, number)) AS found FROM commented, patterns)
    SELECT CASE WHEN starts_with(comment, told) THEN '' ELSE E'\n' END || told, coalesce(found[1], found[2]),
            (SELECT string_agg(quote_ident(part), '.') FROM unnest(parse_ident(found[3])) AS part),
            found[4], found[5]::bigint, found[6]::bigint
        FROM matched WHERE found IS NOT NULL;
END;

-- What keeps in a comment what the column had.
CREATE FUNCTION _snowid_convert.remembered(tbl regclass, num smallint) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH had AS (
        SELECT attname, CASE attidentity WHEN 'a' THEN 'GENERATED ALWAYS AS IDENTITY'
                WHEN 'd' THEN 'GENERATED BY DEFAULT AS IDENTITY' ELSE 'DEFAULT nextval' END AS kind
            FROM pg_attribute WHERE attrelid = tbl AND attnum = num)
    SELECT CASE WHEN NOT _snowid_convert.has_default(tbl, attname) THEN 'snowid: before, no default'
            ELSE (SELECT format('snowid: before, %s of %s START WITH %s INCREMENT BY %s MINVALUE %s CACHE %s %s '
                    'MAXVALUE %s, last value %s', kind, seq, seqstart, seqincrement, seqmin, seqcache,
                    CASE WHEN seqcycle THEN 'CYCLE' ELSE 'NO CYCLE' END, seqmax,
                    coalesce(CASE WHEN has_sequence_privilege(seq, 'USAGE, SELECT')
                        THEN pg_sequence_last_value(seq) END, seqstart))
                FROM _snowid_convert.sequence(tbl, num) JOIN pg_sequence ON seqrelid = seq) END
        FROM had;
END;

-- From here on nextval() of a sequence is an error. It must have a value below its end.
CREATE FUNCTION _snowid_convert.stopped(seq regclass) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('DO %L', format(
            'DECLARE last bigint := (SELECT greatest(last_value, %s) FROM %s); '
            'BEGIN EXECUTE pg_catalog.format(''ALTER SEQUENCE %%s MAXVALUE %%s NO CYCLE'', %L::text, last); '
            'PERFORM pg_catalog.setval(%3$L::regclass, last); END', greatest(seqstart, seqmin + 1), seq, seq::text))
        FROM pg_sequence WHERE seqrelid = seq;
END;

-- The statements that give a column its new default, and those that take it back. They are one row, because half of
-- them are worse than none. Where an online conversion has put a second column in the place of the first, the identity
-- has gone with the first.
CREATE FUNCTION _snowid_convert.new_default(key _snowid_convert.id_column, next_id text, is_second boolean,
    OUT statement text, OUT locks text, OUT note text) RETURNS SETOF record
    LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    tbl regclass := key.rel;
    col name := key.name;
    a record;
    s record;
    line text;
BEGIN
    SELECT attnum, attidentity, pg_get_expr(adbin, adrelid) AS had INTO a
        FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE attrelid = tbl AND attname = col;
    IF key.is_ours AND a.had = next_id THEN
        RETURN;
    END IF;
    SELECT * INTO s FROM _snowid_convert.sequence(tbl, a.attnum);
    locks := 'ACCESS EXCLUSIVE on ' || tbl;
    statement := format('ALTER TABLE %s %sALTER %I SET DEFAULT %s', tbl,
        CASE WHEN a.attidentity <> '' AND NOT is_second THEN format('ALTER %I DROP IDENTITY, ', col) ELSE '' END,
        col, next_id) || coalesce(_snowid_convert.set_again(tbl, col, false), '');
    -- as PostgreSQL writes it, which quotes no backslashes
    IF key.is_ours
        OR a.had <> coalesce(format('nextval(''%s''::regclass)', replace(s.seq::text, '''', '''''')), '')
    THEN
        note := 'the default was ' || a.had;
        RETURN NEXT;
        RETURN;
    END IF;
    line := (SELECT line FROM _snowid_convert.before(tbl, a.attnum));
    statement := statement || format(E';\nCOMMENT ON COLUMN %s.%I IS %L', tbl, col, concat_ws(E'\n',
        nullif(replace(col_description(tbl, a.attnum), coalesce(line, ''), ''), ''),
        _snowid_convert.remembered(tbl, a.attnum)));
    IF s.seq IS NULL THEN
        note := 'the column had no default; the comment keeps that, for the way back';
    ELSIF a.attidentity <> '' THEN
        note := format('drops sequence %s and its privileges; the comment keeps what the column had, for the way back',
            s.seq);
    ELSIF s.kept IS NOT NULL THEN
        note := format('sequence %s stays as it is, because %s: nextval() of it goes on', s.seq, s.kept);
    ELSE
        statement := statement || E';\n' || _snowid_convert.stopped(s.seq);
        locks := locks || ', SHARE ROW EXCLUSIVE on ' || s.seq;
        note := 'from here on nextval() of the sequence is an error, and not an id of the old kind; '
            'the comment keeps what the column had, for the way back';
    END IF;
    RETURN NEXT;
END $$;

-- How the name of the sequence of a column begins. Names are cut off after 63 bytes.
CREATE FUNCTION _snowid_convert.stem(tbl regclass, col name) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT max(stem) FROM pg_class, generate_series(1, 50) AS n, left(relname || '_' || col, n) AS stem
        WHERE oid = tbl AND octet_length(stem) <= 50;
END;

-- A name for that sequence, where the first ones that are free are for others.
CREATE FUNCTION _snowid_convert.new_sequence(tbl regclass, col name, others bigint) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT name FROM pg_class, generate_series(0, 1000 + others) AS i, format('%s.%I', relnamespace::regnamespace,
            _snowid_convert.stem(tbl, col) || '_seq' || coalesce(nullif(i, 0)::text, '')) AS name
        WHERE oid = tbl AND to_regclass(name) IS NULL LIMIT 1 OFFSET others;  -- a sort would look all of them up
END;

-- The greatest int was the end because the column was an int, which it is no longer.
CREATE FUNCTION _snowid_convert.sequence_end(tbl regclass, col name, seq text, max bigint) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF max IN (32767, 2147483647) AND NOT EXISTS (
            SELECT FROM pg_sequence WHERE seqrelid = to_regclass(seq) AND seqtypid = 'bigint'::regtype)
        OR (SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = tbl)
            AND _snowid_convert.last(tbl, col)::bigint >= max
    THEN
        RETURN 'NO MAXVALUE';
    END IF;
    RETURN 'MAXVALUE ' || max;
END $$;

-- Where each server takes every second number, say, it goes on with its own.
CREATE FUNCTION _snowid_convert.goes_on(tbl regclass, col name, seq text, start bigint, step bigint, last bigint)
    RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN step < 0 THEN format('SELECT pg_catalog.setval(%L::regclass, %s)', seq, last)
        WHEN step > 0 THEN format(E'SET LOCAL row_security = off;\nSELECT pg_catalog.setval(%L::regclass, %s) '
                'FROM (SELECT greatest(pg_catalog.max(%I), %s) AS last FROM %s) AS rows', seq,
            CASE step WHEN 1 THEN 'last' ELSE format('last OPERATOR(pg_catalog.+) pg_catalog.mod(%s '
                'OPERATOR(pg_catalog.-) pg_catalog.mod(last OPERATOR(pg_catalog.-) %s, %1$s), %1$s)', step, start) END,
            col, coalesce(last, 1), tbl) END;
END;

-- The statements that give a column its sequence or identity back.
CREATE FUNCTION _snowid_convert.back(key _snowid_convert.id_column, others bigint, OUT statement text, OUT locks text,
    OUT note text) RETURNS SETOF record
    LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    tbl regclass := key.rel;
    num smallint := key.num;
    col name := key.name;
    b record;
    s record;
    seq text;
    step bigint;
    has_end text;
    default_is_set text := format(E';\nALTER TABLE %s ALTER %I SET DEFAULT pg_catalog.nextval(', tbl, col);
BEGIN
    IF key.base::oid <> ALL (_snowid_convert.types('snowflake')) OR key.base = 'uuid'::regtype OR NOT key.is_ours THEN
        RETURN;
    END IF;
    SELECT * INTO b FROM _snowid_convert.before(tbl, num);
    SELECT * INTO s FROM _snowid_convert.sequence(tbl, num);
    locks := 'ACCESS EXCLUSIVE on ' || tbl;
    note := 'the next ids come after the last snowflake';
    step := coalesce(substring(b.options FROM 'INCREMENT BY (-?\d+)')::bigint, 1);
    has_end := _snowid_convert.sequence_end(tbl, col, b.seq, b.max);
    seq := b.seq;
    IF b.kind = 'no default' THEN
        statement := format('ALTER TABLE %s ALTER %I DROP DEFAULT', tbl, col);
        step := NULL;
        note := 'the column had no default';
    ELSIF b.kind = 'DEFAULT nextval' AND EXISTS (SELECT FROM pg_class AS o JOIN pg_class AS t USING (relowner)
        WHERE o.oid = to_regclass(seq) AND o.relkind = 'S' AND t.oid = tbl)
    THEN
        IF s.seq = to_regclass(seq) AND s.kept IS NULL THEN
            statement := format('ALTER SEQUENCE %s AS bigint %s %s', seq, has_end,
                substring(b.options FROM '(?:NO )?CYCLE$'));
            locks := locks || ', SHARE ROW EXCLUSIVE on ' || seq;
        ELSE
            note := 'the sequence goes on where it was';
            step := NULL;
        END IF;
        statement := ltrim(concat(statement, default_is_set, format('%L::regclass)', seq)), E';\n');
    ELSIF b.kind ~ 'IDENTITY' THEN
        statement := format('ALTER TABLE %s ALTER %I DROP DEFAULT, ALTER %2$I ADD %s (SEQUENCE NAME %s %s %s)',
            tbl, col, b.kind, seq, b.options, has_end);
    ELSE
        note := concat_ws('; ', coalesce('sequence ' || seq || ' is gone',
            'nothing tells what the column had before'), note);
        seq := _snowid_convert.new_sequence(tbl, col, others);
        statement := format('CREATE SEQUENCE %s', seq) || coalesce((
                SELECT format(E';\nALTER SEQUENCE %s OWNER TO %s;\nALTER SEQUENCE %1$s', seq, relowner::regrole)
                    FROM pg_class WHERE oid = tbl AND pg_get_userbyid(relowner) <> current_user), '')
            || format(' OWNED BY %s.%I%s%L::regclass)', tbl, col, default_is_set, seq);
        step := 1;
    END IF;
    statement := concat_ws(E';\n', concat(statement, _snowid_convert.set_again(tbl, col, true)),
        _snowid_convert.goes_on(tbl, col, seq,
            coalesce(substring(b.options FROM 'START WITH (-?\d+)')::bigint, 1), step, b.last),
        format('COMMENT ON COLUMN %s.%I IS %L', tbl, col,
            nullif(replace(col_description(tbl, num), coalesce(b.line, ''), ''), '')));
    RETURN NEXT;
END $$;

-- Those of all keys.
CREATE FUNCTION _snowid_convert.all_back(scope _snowid_convert.scope, OUT statement text, OUT locks text,
    OUT note text) RETURNS SETOF record
    LANGUAGE sql STABLE STRICT PARALLEL UNSAFE ROWS 10
BEGIN ATOMIC
    WITH keys AS (
        SELECT k, row_number() OVER (PARTITION BY relnamespace, _snowid_convert.stem(k.rel, k.name)
                ORDER BY k.rel::text, k.num) - 1 AS others
            FROM _snowid_convert.own_ids(scope) AS k JOIN pg_class ON oid = k.rel)
    SELECT b.* FROM keys, _snowid_convert.back(k, others) AS b ORDER BY (k).place, b.statement;
END;
