-- snowid 1.0.0 where no extension can be installed: its snowflakes, layouts, UUIDv7, sealed ids and time partitions as SQL functions.
--
-- Run this file as the owner of the database, in any client: it has no commands of psql. PostgreSQL 13 and later. To update, run a later file.
-- doc/plain.md says what it promises, what is missing, and how to move to the extension and back.
--
-- A function that has no search_path of its own runs under its caller's, so each name in it has its schema, and each operator too.
-- A caller may have set standard_conforming_strings = off, so a backslash is in E'' only.

DO $$
DECLARE
    owner pg_catalog.name;
BEGIN
    PERFORM pg_catalog.pg_advisory_xact_lock(1936617335, 4);  -- two runs would change the same rows of the catalogues
    IF EXISTS (SELECT FROM pg_catalog.pg_extension JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) extnamespace
            WHERE extname OPERATOR(pg_catalog.=) 'snowid' AND nspname OPERATOR(pg_catalog.=) 'snowid') THEN
        RAISE EXCEPTION 'the extension snowid is in the schema snowid' USING ERRCODE = 'duplicate_schema',
            HINT = 'The extension has all that this file has. To use both side by side, the extension must be in another schema.';
    END IF;
    -- not even a superuser: its functions, which run with its rights, would call those of the owner
    owner := (SELECT pg_catalog.pg_get_userbyid(nspowner) FROM pg_catalog.pg_namespace WHERE nspname OPERATOR(pg_catalog.=) 'snowid');
    IF owner OPERATOR(pg_catalog.<>) current_user THEN
        RAISE EXCEPTION 'the schema snowid belongs to another role' USING ERRCODE = 'insufficient_privilege', HINT = pg_catalog.format('Run this file as the role %I.', owner);
    END IF;
END $$;

CREATE SCHEMA IF NOT EXISTS snowid;
GRANT USAGE ON SCHEMA snowid TO PUBLIC;

-- what is recorded ------------------------------------------------------------

CREATE TABLE IF NOT EXISTS snowid.snowid_layout (layout text NOT NULL, recorded timestamptz NOT NULL);
COMMENT ON TABLE snowid.snowid_layout IS 'the snowflake layout of this database''s ids; the functions are built for it';
GRANT SELECT ON snowid.snowid_layout TO PUBLIC;
CREATE TABLE IF NOT EXISTS snowid.snowid_setting (name text PRIMARY KEY CHECK (name IN ('worker_id', 'clock_wait', 'clock_drift')), value text NOT NULL);
COMMENT ON TABLE snowid.snowid_setting IS 'settings of this database, changed by snowid_set()';
GRANT SELECT ON snowid.snowid_setting TO PUBLIC;
-- A publication FOR ALL TABLES brings what the publisher has in these two, and with its worker id a subscriber would make its ids again.
CREATE OR REPLACE FUNCTION snowid._snowid_keep_own() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- pg_restore --disable-triggers leaves it firing for everybody
    RETURN CASE WHEN current_setting('session_replication_role') <> 'replica' THEN coalesce(NEW, OLD) END;
END $$;
COMMENT ON FUNCTION snowid._snowid_keep_own() IS 'leaves a row as it is when logical replication would change it';
-- A restore of the data alone changes them, too, and the functions must follow.
CREATE OR REPLACE FUNCTION snowid._snowid_follow() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM snowid._snowid_alone(), snowid._snowid_build();
    RETURN NULL;
END $$;
COMMENT ON FUNCTION snowid._snowid_follow() IS 'builds the functions anew when the layout or a setting has changed';
DO $$
DECLARE
    own pg_catalog.regclass;
BEGIN
    FOREACH own IN ARRAY ARRAY['snowid.snowid_layout', 'snowid.snowid_setting']::pg_catalog.regclass[] LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_trigger WHERE tgrelid OPERATOR(pg_catalog.=) own AND tgname OPERATOR(pg_catalog.=) 'keep_own') THEN
            EXECUTE pg_catalog.format('CREATE TRIGGER keep_own BEFORE INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION snowid._snowid_keep_own()', own);
        END IF;
        IF EXISTS (SELECT FROM pg_catalog.pg_trigger WHERE tgrelid OPERATOR(pg_catalog.=) own AND tgname OPERATOR(pg_catalog.=) 'keep_own' AND tgenabled OPERATOR(pg_catalog.<>) 'R') THEN
            EXECUTE pg_catalog.format('ALTER TABLE %s ENABLE REPLICA TRIGGER keep_own', own);
        END IF;
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_trigger WHERE tgrelid OPERATOR(pg_catalog.=) own AND tgname OPERATOR(pg_catalog.=) 'follow') THEN
            EXECUTE pg_catalog.format('CREATE TRIGGER follow AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION snowid._snowid_follow()', own);
        END IF;
    END LOOP;
END $$;

-- How far ids have come. A value is the last id with all bits of its worker set, so that the next position is the one after it.
CREATE SEQUENCE IF NOT EXISTS snowid.snowid_position MINVALUE 0;
COMMENT ON SEQUENCE snowid.snowid_position IS 'how far snowflakes have come; the greatest bigint: they come from the extension';
CREATE SEQUENCE IF NOT EXISTS snowid.snowid_uuidv7_position MINVALUE 0;
COMMENT ON SEQUENCE snowid.snowid_uuidv7_position IS 'how far UUIDv7 have come, in 1/4096 ms';

CREATE OR REPLACE FUNCTION snowid.snowid_plain_version() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT '1.0.0'::pg_catalog.text $$;
COMMENT ON FUNCTION snowid.snowid_plain_version() IS 'the version of the file that made these functions';

-- times -----------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snowid._snowid_time(us bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT pg_catalog.timezone('0'::interval, '1970-01-01 00:00:00'::timestamp OPERATOR(pg_catalog.+) pg_catalog.make_interval(0, 0, 0,
        (us OPERATOR(pg_catalog./) 86400000000)::integer, 0, 0, (us OPERATOR(pg_catalog.%) 86400000000)::double precision OPERATOR(pg_catalog./) 1000000::double precision))
$$;
COMMENT ON FUNCTION snowid._snowid_time(bigint) IS 'the time that is so many microseconds after 1970';

CREATE OR REPLACE FUNCTION snowid._snowid_us(i interval) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (pg_catalog.date_part('day', i)::bigint OPERATOR(pg_catalog.*) 86400000000) OPERATOR(pg_catalog.+) (pg_catalog.date_part('hour', i)::bigint OPERATOR(pg_catalog.*) 3600000000)
        OPERATOR(pg_catalog.+) (pg_catalog.date_part('minute', i)::bigint OPERATOR(pg_catalog.*) 60000000::bigint) OPERATOR(pg_catalog.+) pg_catalog.date_part('microseconds', i)::bigint
$$;
COMMENT ON FUNCTION snowid._snowid_us(interval) IS 'the exact microseconds of a difference of times';

-- The last microsecond of a bigint is in the year 294247, and timestamps go on for 29 years.
CREATE OR REPLACE FUNCTION snowid._snowid_us(t timestamptz) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN t = 'infinity' THEN 9223372036854775807 WHEN t = '-infinity' THEN -9223372036854775808
        WHEN t >= '294247-01-10 04:00:54.775807Z' THEN 9223372036854775806 ELSE snowid._snowid_us(t - '1970-01-01 00:00:00Z'::timestamp with time zone) END;
END $$;
COMMENT ON FUNCTION snowid._snowid_us(timestamptz) IS 'how many microseconds after 1970 a time is';

CREATE OR REPLACE FUNCTION snowid._snowid_shown(us bigint) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN us < 10000000 THEN us / 1000 || ' ms' WHEN us < 120000000 THEN us / 1000000 || ' s'
        WHEN us < 3570000000 THEN (us / 1000000 + 30) / 60 || ' min'
        WHEN us < 171000000000 THEN trim_scale((us / 1000000 + 180) / 360 / 10.0) || ' h'
        ELSE trim_scale((us / 1000000 + 4320) / 8640 / 10.0) || ' days' END;
END $$;
COMMENT ON FUNCTION snowid._snowid_shown(bigint) IS 'a duration in an error';

CREATE OR REPLACE FUNCTION snowid._snowid_time_error(scheme text, t timestamptz, first timestamptz, last timestamptz) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' AS $$
BEGIN
    RAISE EXCEPTION 'time % is out of range for %', t, scheme USING ERRCODE = 'datetime_field_overflow',
        DETAIL = CASE WHEN first IS NULL THEN format('It must not be after %s.', last) ELSE format('It must be from %s to %s.', first, last) END;
END $$;
COMMENT ON FUNCTION snowid._snowid_time_error(text, timestamptz, timestamptz, timestamptz) IS 'raises the error of a time that an id cannot have';

CREATE OR REPLACE FUNCTION snowid._snowid_part(part text, value bigint, most bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF value < 0 OR value > most THEN
        RAISE EXCEPTION '% % is out of range', part, value USING ERRCODE = 'numeric_value_out_of_range', DETAIL = format('It must be from 0 to %s.', most);
    END IF;
    RETURN value;
END $$;
COMMENT ON FUNCTION snowid._snowid_part(text, bigint, bigint) IS 'checks a part of an id';

CREATE OR REPLACE FUNCTION snowid._snowid_side_error(operator text) RETURNS bigint LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '"%" is not an operator that compares times', operator USING ERRCODE = 'invalid_parameter_value', DETAIL = 'It must be <, <=, >= or >.';
END $$;
COMMENT ON FUNCTION snowid._snowid_side_error(text) IS 'raises the error of another operator';

-- layouts ---------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snowid._snowid_layout_error(layout text, detail text) RETURNS void LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'invalid snowflake layout "%"', snowid._snowid_clipped(layout) USING ERRCODE = 'invalid_parameter_value', DETAIL = detail,
        HINT = 'A layout reads "epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12", or is a name that snowid_layouts lists.';
END $$;
COMMENT ON FUNCTION snowid._snowid_layout_error(text, text) IS 'raises the error of a wrong layout';

CREATE OR REPLACE FUNCTION snowid._snowid_clipped(word text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    shown text := left(word, 64);
BEGIN
    IF octet_length(word) <= 64 THEN RETURN word; END IF;
    WHILE octet_length(shown) > 64 LOOP shown := left(shown, -1); END LOOP;
    RETURN shown || '...';
END $$;
COMMENT ON FUNCTION snowid._snowid_clipped(text) IS 'a word as errors show it';

-- shared: presets
CREATE OR REPLACE FUNCTION snowid._snowid_presets(OUT name text, OUT layout text) RETURNS SETOF record
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp
AS $$
    VALUES ('default', 'epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12'),
        ('twitter', 'epoch=2010-11-04T01:42:54.657Z,tick=1ms,time=41,datacenter=5,worker=5,sequence=12'),
        ('discord', 'epoch=2015-01-01,tick=1ms,time=42,worker=5,process=5,sequence=12'),
        ('instagram', 'epoch=2011-08-24T21:07:01.721Z,tick=1ms,time=41,shard=13,sequence=10'),
        ('mastodon', 'epoch=1970-01-01,tick=1ms,time=48,sequence=16'),
        ('sonyflake', 'epoch=2014-09-01,tick=10ms,time=39,sequence=8,machine=16'),
        ('sonyflake2', 'epoch=2025-01-01,tick=10ms,time=39,sequence=8,machine=16'),
        ('baidu', 'epoch=2016-05-19T16:00:00Z,tick=1s,time=28,worker=22,sequence=13'),
        ('wide', 'epoch=2024-01-01,tick=1ms,time=41,worker=8,sequence=14'),
        ('js', 'epoch=2024-01-01,tick=1ms,time=41,worker=5,sequence=7')
$$;
COMMENT ON FUNCTION snowid._snowid_presets() IS 'the named layouts';
-- end of what is shared

-- NULL for what is no number of 64 bits.
CREATE OR REPLACE FUNCTION snowid._snowid_number(word text) RETURNS numeric LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF word !~ '^[0-9]+$' OR length(ltrim(word, '0')) > 20 OR word::numeric > 18446744073709551615 THEN RETURN NULL; END IF;
    RETURN word::numeric;
END $$;
COMMENT ON FUNCTION snowid._snowid_number(text) IS 'reads a number in a layout';

-- NULL for what is no such date. Before 1900 any value will do.
CREATE OR REPLACE FUNCTION snowid._snowid_epoch(word text) RETURNS bigint LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    -- a regular expression that captures seven groups costs milliseconds
    p text[] := CASE WHEN word ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?Z?)?$'
        THEN string_to_array(translate(rtrim(word, 'Z'), 'T :.', '----'), '-') END;
    like_year integer := 2000 + p[1]::integer % 400;  -- years repeat after 400
BEGIN
    IF p IS NULL OR p[2]::integer NOT BETWEEN 1 AND 12 OR p[4]::integer > 23 OR p[5]::integer > 59 OR p[6]::integer > 59
        OR p[3]::integer NOT BETWEEN 1 AND extract(day FROM make_date(like_year, p[2]::integer, 1) + interval '1 month -1 day') THEN
        RETURN NULL;
    END IF;
    RETURN (make_date(like_year, p[2]::integer, p[3]::integer) - date '1970-01-01' + (p[1]::integer - like_year) / 400 * 146097) * 86400000000
        + (coalesce(p[4], '0')::bigint * 3600 + coalesce(p[5], '0')::bigint * 60 + coalesce(p[6], '0')::bigint) * 1000000 + rpad(coalesce(p[7], ''), 6, '0')::bigint;
END $$;
COMMENT ON FUNCTION snowid._snowid_epoch(text) IS 'reads the epoch of a layout, in microseconds after 1970';

CREATE OR REPLACE FUNCTION snowid._snowid_tick(word text) RETURNS bigint LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    p text[] := regexp_match(word, '^(.*?)(us|ms|s)$');
    unit bigint := CASE p[2] WHEN 'us' THEN 1 WHEN 'ms' THEN 1000 ELSE 1000000 END;
    n numeric := snowid._snowid_number(p[1]);
BEGIN
    IF n < 1 OR n > 3600000000 / unit THEN RETURN NULL; END IF;
    RETURN n::bigint * unit;
END $$;
COMMENT ON FUNCTION snowid._snowid_tick(text) IS 'reads the tick of a layout, in microseconds';

-- Fields are numbered from 1, from the high bit to the low one. `below` is how many bits the time has below it.
CREATE OR REPLACE FUNCTION snowid._snowid_layout_of(layout text, now bigint DEFAULT NULL,
    OUT epoch bigint, OUT tick bigint, OUT names text[], OUT bits integer[], OUT shifts integer[], OUT sequence integer, OUT below integer,
    OUT all_bits integer, OUT worker_bits integer, OUT last_tick bigint, OUT last_generated bigint, OUT canonical text)
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    trimmed text := trim(layout);
    given text := trimmed;
    item text;
    key text;
    word text;
    n numeric;
    micros bigint;
BEGIN
    IF position('=' IN trimmed) = 0 THEN
        trimmed := (SELECT p.layout FROM snowid._snowid_presets() AS p WHERE p.name = given);
        IF trimmed IS NULL THEN PERFORM snowid._snowid_layout_error(layout, format('There is no layout named "%s".', snowid._snowid_clipped(given))); END IF;
    END IF;
    names := '{}';
    bits := '{}';
    shifts := '{}';
    FOREACH item IN ARRAY string_to_array(trimmed, ',') LOOP
        IF position('=' IN item) = 0 THEN PERFORM snowid._snowid_layout_error(layout, format('"%s" is not of the form name=value.', snowid._snowid_clipped(item))); END IF;
        key := trim(left(item, position('=' IN item) - 1));
        word := trim(substr(item, position('=' IN item) + 1));
        IF key = 'epoch' AND epoch IS NOT NULL OR key = 'tick' AND tick IS NOT NULL OR key = ANY (names) THEN
            PERFORM snowid._snowid_layout_error(layout, format('"%s" is there twice.', key));
        ELSIF key = 'epoch' THEN
            epoch := snowid._snowid_epoch(word);
            IF epoch IS NULL THEN
                PERFORM snowid._snowid_layout_error(layout, format('"%s" is not a UTC date such as 2024-01-01 or 2010-11-04T01:42:54.657Z.', snowid._snowid_clipped(word)));
            ELSIF epoch < -2208988800000000 THEN
                PERFORM snowid._snowid_layout_error(layout, format('The epoch %s is before 1900.', word));
            ELSIF epoch > now THEN
                PERFORM snowid._snowid_layout_error(layout, format('The epoch %s is in the future by this server''s clock.', word));
            END IF;
        ELSIF key = 'tick' THEN
            tick := snowid._snowid_tick(word);
            IF tick IS NULL THEN
                PERFORM snowid._snowid_layout_error(layout, format('"%s" is not a tick: a count of us, ms or s, from 1us to 3600s.', snowid._snowid_clipped(word)));
            END IF;
        ELSE
            IF key COLLATE "C" !~ '^[a-z_][a-z0-9_]{0,14}$' THEN
                PERFORM snowid._snowid_layout_error(layout, format('"%s" is not a field''s name: lower-case letters, digits and _, at most 15 of them.', snowid._snowid_clipped(key)));
            ELSIF cardinality(names) = 8 THEN
                PERFORM snowid._snowid_layout_error(layout, 'It has more than 8 fields.');
            END IF;
            n := snowid._snowid_number(word);
            IF n IS NULL OR n < 1 OR n > 63 THEN
                PERFORM snowid._snowid_layout_error(layout, format('"%s" is not a number of bits from 1 to 63.', snowid._snowid_clipped(word)));
            END IF;
            names := names || key;
            bits := bits || n::integer;
        END IF;
    END LOOP;
    FOR key IN SELECT k FROM unnest(ARRAY['epoch', 'tick', 'time', 'sequence'], ARRAY[epoch IS NULL, tick IS NULL, 'time' <> ALL (names), 'sequence' <> ALL (names)]) AS missing (k, lacks) WHERE lacks LOOP
        PERFORM snowid._snowid_layout_error(layout, format('"%s" is missing.', key));
    END LOOP;
    IF names[1] <> 'time' THEN
        PERFORM snowid._snowid_layout_error(layout, format('"time" must be the first field, not "%s": ids sort by what is in their high bits.', names[1]));
    END IF;
    sequence := array_position(names, 'sequence');
    all_bits := 0;
    FOR i IN REVERSE cardinality(bits)..1 LOOP
        shifts := all_bits || shifts;
        all_bits := all_bits + bits[i];
    END LOOP;
    below := shifts[1];
    worker_bits := below - bits[sequence];
    IF all_bits > 64 THEN PERFORM snowid._snowid_layout_error(layout, 'Its fields have more than 64 bits together.'); END IF;
    IF bits[sequence] > 31 THEN PERFORM snowid._snowid_layout_error(layout, 'Its sequence has more than 31 bits.'); END IF;
    IF worker_bits > 31 THEN PERFORM snowid._snowid_layout_error(layout, 'Its worker''s fields have more than 31 bits together.'); END IF;
    last_tick := snowid._snowid_ones(bits[1]);
    last_generated := CASE WHEN all_bits = 64 THEN last_tick / 2 ELSE last_tick END;
    IF last_tick::numeric * tick + epoch >= 9223372036854775807 THEN PERFORM snowid._snowid_layout_error(layout, 'Its time reaches past the year 294246.'); END IF;
    micros := (epoch % 1000000 + 1000000) % 1000000;
    canonical := 'epoch=' || to_char(timestamp '1970-01-01' + make_interval(secs => floor(epoch / 1000000.0)::double precision), CASE WHEN epoch % 86400000000 = 0 THEN 'YYYY-MM-DD' ELSE 'YYYY-MM-DD"T"HH24:MI:SS' END)
        || CASE WHEN micros = 0 THEN '' WHEN micros % 1000 = 0 THEN '.' || lpad((micros / 1000)::text, 3, '0') ELSE '.' || lpad(micros::text, 6, '0') END
        || CASE WHEN epoch % 86400000000 = 0 THEN '' ELSE 'Z' END
        || ',tick=' || CASE WHEN tick % 1000000 = 0 THEN tick / 1000000 || 's' WHEN tick % 1000 = 0 THEN tick / 1000 || 'ms' ELSE tick || 'us' END
        || (SELECT string_agg(',' || f.name || '=' || f.bits, '' ORDER BY i) FROM unnest(names, bits) WITH ORDINALITY AS f (name, bits, i));
END $$;
COMMENT ON FUNCTION snowid._snowid_layout_of(text, bigint) IS 'reads a layout; with a time, one that is being chosen';

CREATE OR REPLACE FUNCTION snowid._snowid_ones(bits integer) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT OPERATOR(pg_catalog.~) ((-1)::bigint OPERATOR(pg_catalog.<<) bits)
$$;
COMMENT ON FUNCTION snowid._snowid_ones(integer) IS 'so many bits, all set';

CREATE OR REPLACE FUNCTION snowid.snowid_layout_canonical(layout text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT canonical FROM snowid._snowid_layout_of(layout, snowid._snowid_us(clock_timestamp())));
END $$;
COMMENT ON FUNCTION snowid.snowid_layout_canonical(text) IS 'the canonical text of a snowflake layout; an error says what is wrong with a bad one';

CREATE OR REPLACE FUNCTION snowid.snowid_layouts(OUT name text, OUT layout text, OUT workers bigint, OUT tick interval, OUT capacity bigint, OUT ids_per_second bigint, OUT ends_at timestamptz)
    RETURNS SETOF record LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 9 SET search_path = pg_catalog, pg_temp AS $$
    SELECT p.name, l.canonical, 1::bigint << l.worker_bits, l.tick * interval '1 us', 1::bigint << l.bits[l.sequence],
        (1::bigint << l.bits[l.sequence]) * 1000000 / l.tick, snowid._snowid_time(l.epoch + l.last_generated * l.tick)
    FROM snowid._snowid_presets() AS p, snowid._snowid_layout_of(p.layout) AS l
$$;
COMMENT ON FUNCTION snowid.snowid_layouts() IS 'what the view snowid_layouts shows';

CREATE OR REPLACE VIEW snowid.snowid_layouts AS SELECT * FROM snowid.snowid_layouts();
COMMENT ON VIEW snowid.snowid_layouts IS 'the named snowflake layouts';
GRANT SELECT ON snowid.snowid_layouts TO PUBLIC;

-- The worker in the setting worker_id, as a number.
CREATE OR REPLACE FUNCTION snowid._snowid_worker(setting text, layout text) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    l record;
    given text := trim(setting);
    named jsonb := '{}';
    number numeric := snowid._snowid_number(given);
    key text;
    wrong text;
BEGIN
    SELECT * INTO l FROM snowid._snowid_layout_of(layout);
    IF position('=' IN given) > 0 THEN
        FOR key, wrong IN SELECT trim(split_part(item, '=', 1)), trim(split_part(item, '=', 2)) FROM unnest(string_to_array(given, ',')) AS item LOOP
            IF key <> ALL (l.names) OR key IN ('time', 'sequence') OR named ? key OR snowid._snowid_number(wrong) IS NULL THEN EXIT; END IF;
            named := named || jsonb_build_object(key, wrong::numeric);
            wrong := NULL;
        END LOOP;
        IF wrong IS NULL AND cardinality(l.names) - 2 = (SELECT count(*) FROM jsonb_object_keys(named)) THEN
            number := 0;
            FOR i IN 1..cardinality(l.names) LOOP
                CONTINUE WHEN l.names[i] IN ('time', 'sequence');
                IF (named ->> l.names[i])::numeric > snowid._snowid_ones(l.bits[i]) THEN number := NULL; END IF;
                number := number * (1::bigint << l.bits[i]) + (named ->> l.names[i])::numeric;
            END LOOP;
        END IF;
    END IF;
    IF number IS NULL OR number > snowid._snowid_ones(l.worker_bits) THEN
        RAISE EXCEPTION 'invalid value for parameter "snowid.worker_id": "%"', setting USING ERRCODE = 'invalid_parameter_value',
            DETAIL = format(CASE l.worker_bits WHEN 0 THEN 'The layout is %s: it has no worker.' ELSE 'The layout is %s: its worker is a number from 0 to %s, or each of its fields by name.' END,
                l.canonical, snowid._snowid_ones(l.worker_bits));
    END IF;
    RETURN number;
END $$;
COMMENT ON FUNCTION snowid._snowid_worker(text, text) IS 'reads the setting worker_id';

-- Its fields' places in an id.
CREATE OR REPLACE FUNCTION snowid._snowid_place(worker bigint, layout text) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    l record;
    rest bigint := worker;
    placed bigint := 0;
BEGIN
    SELECT * INTO l FROM snowid._snowid_layout_of(layout);
    FOR i IN REVERSE cardinality(l.names)..2 LOOP
        CONTINUE WHEN i = l.sequence;
        placed := placed | ((rest & snowid._snowid_ones(l.bits[i])) << l.shifts[i]);
        rest := rest >> l.bits[i];
    END LOOP;
    RETURN placed;
END $$;
COMMENT ON FUNCTION snowid._snowid_place(bigint, text) IS 'the bits that every id of a worker has';

-- snowflakes of a given layout --------------------------------------------------

CREATE OR REPLACE FUNCTION snowid.snowflake_decode(id bigint, layout text, OUT "time" timestamptz, OUT worker integer, OUT sequence integer, OUT fields jsonb)
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    l record;
    value bigint;
    number bigint := 0;
BEGIN
    SELECT * INTO l FROM snowid._snowid_layout_of(layout);
    IF l.all_bits < 64 AND id >> l.all_bits <> 0 THEN
        "time" := CASE WHEN id < 0 THEN '-infinity' ELSE 'infinity' END;
        RETURN;
    END IF;
    fields := '{}';
    FOR i IN 1..cardinality(l.names) LOOP
        value := (id >> l.shifts[i]) & snowid._snowid_ones(l.bits[i]);
        fields := fields || jsonb_build_object(l.names[i], value);
        IF i = 1 THEN "time" := snowid._snowid_time(l.epoch + value * l.tick);
        ELSIF i = l.sequence THEN sequence := value;
        ELSE number := number << l.bits[i] | value;
        END IF;
    END LOOP;
    worker := number;
END $$;
COMMENT ON FUNCTION snowid.snowflake_decode(bigint, text) IS 'all parts of an id of the given layout';

CREATE OR REPLACE FUNCTION snowid.snowflake_time(id bigint, layout text) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT d.time FROM snowid.snowflake_decode(id, layout) AS d);
END $$;
COMMENT ON FUNCTION snowid.snowflake_time(bigint, text) IS 'the time in an id of the given layout';
CREATE OR REPLACE FUNCTION snowid.snowflake_worker(id bigint, layout text) RETURNS integer LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT worker FROM snowid.snowflake_decode(id, layout));
END $$;
COMMENT ON FUNCTION snowid.snowflake_worker(bigint, text) IS 'the worker in an id of the given layout';
CREATE OR REPLACE FUNCTION snowid.snowflake_sequence(id bigint, layout text) RETURNS integer LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT sequence FROM snowid.snowflake_decode(id, layout));
END $$;
COMMENT ON FUNCTION snowid.snowflake_sequence(bigint, text) IS 'the sequence number in an id of the given layout';

CREATE OR REPLACE FUNCTION snowid.snowflake_encode("time" timestamptz, worker integer, sequence integer, layout text) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    l record;
    us bigint := snowid._snowid_us("time");
BEGIN
    SELECT * INTO l FROM snowid._snowid_layout_of(layout);
    IF us < l.epoch OR us >= 9223372036854775806 OR (us::numeric - l.epoch) >= (l.last_tick::numeric + 1) * l.tick THEN
        PERFORM snowid._snowid_time_error('snowflake', "time", snowid._snowid_time(l.epoch), snowid._snowid_time(l.epoch + l.last_tick * l.tick));
    END IF;
    RETURN (div(us::numeric - l.epoch, l.tick)::bigint << l.below) | snowid._snowid_place(snowid._snowid_part('worker', worker, snowid._snowid_ones(l.worker_bits)), layout)
        | (snowid._snowid_part('sequence', sequence, snowid._snowid_ones(l.bits[l.sequence])) << l.shifts[l.sequence]);
END $$;
COMMENT ON FUNCTION snowid.snowflake_encode(timestamptz, integer, integer, text) IS 'the id of the given layout that has these parts';

CREATE OR REPLACE FUNCTION snowid.snowflake_lower_bound("time" timestamptz, layout text) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    l record;
    ticks numeric;
BEGIN
    SELECT * INTO l FROM snowid._snowid_layout_of(layout);
    ticks := ceil(greatest(snowid._snowid_us("time")::numeric - l.epoch, 0) / l.tick);
    IF "time" = 'infinity' OR ticks > l.last_tick THEN
        PERFORM snowid._snowid_time_error('snowflake', "time", NULL, snowid._snowid_time(l.epoch + l.last_tick * l.tick));
    END IF;
    RETURN ticks::bigint << l.below;
END $$;
COMMENT ON FUNCTION snowid.snowflake_lower_bound(timestamptz, text) IS 'the smallest id of the given layout whose time is not before the given one';

-- UUIDv7 ------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION snowid.uuidv7_valid(id uuid) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT pg_catalog.int4eq(pg_catalog.get_byte(pg_catalog.uuid_send(id), 6) OPERATOR(pg_catalog.>>) 4, 7)
        AND pg_catalog.int4eq(pg_catalog.get_byte(pg_catalog.uuid_send(id), 8) OPERATOR(pg_catalog.>>) 6, 2)
$$;
COMMENT ON FUNCTION snowid.uuidv7_valid(uuid) IS 'whether a UUID is of version 7 and so has a time';
CREATE OR REPLACE FUNCTION snowid.uuidv7_version(id uuid) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN pg_catalog.int4eq(pg_catalog.get_byte(pg_catalog.uuid_send(id), 8) OPERATOR(pg_catalog.>>) 6, 2)
        THEN pg_catalog.get_byte(pg_catalog.uuid_send(id), 6) OPERATOR(pg_catalog.>>) 4 END
$$;
COMMENT ON FUNCTION snowid.uuidv7_version(uuid) IS 'the version of a UUID of RFC 9562';
CREATE OR REPLACE FUNCTION snowid._uuidv7_bits(id uuid, first integer, n integer) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT pg_catalog.bit(('x' OPERATOR(pg_catalog.||) pg_catalog.lpad(pg_catalog.encode(pg_catalog.substring(pg_catalog.uuid_send(id), first, n), 'hex'), 16, '0'))::bit(64), 64, true)::bigint
$$;
COMMENT ON FUNCTION snowid._uuidv7_bits(uuid, integer, integer) IS 'the number in n bytes of a uuid';
CREATE OR REPLACE FUNCTION snowid.uuidv7_time(id uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN snowid.uuidv7_valid(id) THEN snowid._snowid_time(snowid._uuidv7_bits(id, 1, 6) OPERATOR(pg_catalog.*) 1000::bigint) END
$$;
COMMENT ON FUNCTION snowid.uuidv7_time(uuid) IS 'the time in a UUIDv7';
CREATE OR REPLACE FUNCTION snowid.uuidv7_rand_a(id uuid) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN snowid.uuidv7_valid(id) THEN (snowid._uuidv7_bits(id, 7, 2) OPERATOR(pg_catalog.&) 4095::bigint)::integer END
$$;
COMMENT ON FUNCTION snowid.uuidv7_rand_a(uuid) IS 'the 12 bits behind the time';
CREATE OR REPLACE FUNCTION snowid.uuidv7_rand_b(id uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN snowid.uuidv7_valid(id) THEN snowid._uuidv7_bits(id, 9, 8) OPERATOR(pg_catalog.&) 4611686018427387903 END
$$;
COMMENT ON FUNCTION snowid.uuidv7_rand_b(uuid) IS 'the last 62 bits';
CREATE OR REPLACE FUNCTION snowid.uuidv7_decode(id uuid, OUT "time" timestamptz, OUT rand_a integer, OUT rand_b bigint, OUT version integer) LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT snowid.uuidv7_time(id), snowid.uuidv7_rand_a(id), snowid.uuidv7_rand_b(id), snowid.uuidv7_version(id)
$$;
COMMENT ON FUNCTION snowid.uuidv7_decode(uuid) IS 'all parts of a UUIDv7';

CREATE OR REPLACE FUNCTION snowid._uuidv7_of(ms bigint, rand_a bigint, rand_b bigint) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (pg_catalog.lpad(pg_catalog.to_hex(ms), 12, '0') OPERATOR(pg_catalog.||) pg_catalog.to_hex(rand_a OPERATOR(pg_catalog.+) 28672::bigint)
        OPERATOR(pg_catalog.||) pg_catalog.to_hex(rand_b OPERATOR(pg_catalog.|) (-9223372036854775808)))::pg_catalog.uuid
$$;
COMMENT ON FUNCTION snowid._uuidv7_of(bigint, bigint, bigint) IS 'the UUIDv7 that has these bits';

CREATE OR REPLACE FUNCTION snowid.uuidv7_encode("time" timestamptz, rand_a integer, rand_b bigint) RETURNS uuid LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    b bigint := snowid._snowid_part('rand_b', rand_b, 4611686018427387903);
    a bigint := snowid._snowid_part('rand_a', rand_a, 4095);
    us bigint := snowid._snowid_us("time");
BEGIN
    IF us NOT BETWEEN 0 AND 281474976710655000 THEN
        PERFORM snowid._snowid_time_error('uuidv7', "time", snowid._snowid_time(0), snowid._snowid_time(281474976710655000));
    END IF;
    RETURN snowid._uuidv7_of(us / 1000, a, b);
END $$;
COMMENT ON FUNCTION snowid.uuidv7_encode(timestamptz, integer, bigint) IS 'the UUIDv7 that has these parts';

-- How many milliseconds since 1970 have begun before a time, or at it as well; one more than there are at most.
CREATE OR REPLACE FUNCTION snowid._uuidv7_below("time" timestamptz, instant boolean) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN "time" OPERATOR(pg_catalog.<) '1970-01-01 00:00:00Z'::timestamp with time zone OR "time" OPERATOR(pg_catalog.<=) '1970-01-01 00:00:00Z'::timestamp with time zone AND NOT instant THEN 0
        WHEN "time" OPERATOR(pg_catalog.>) '10889-08-02 05:31:50.655Z'::timestamp with time zone OR "time" OPERATOR(pg_catalog.>=) '10889-08-02 05:31:50.655Z'::timestamp with time zone AND instant THEN 281474976710656
        ELSE (snowid._snowid_us("time" OPERATOR(pg_catalog.-) '1970-01-01 00:00:00Z'::timestamp with time zone) OPERATOR(pg_catalog.-) CASE WHEN instant THEN 0::bigint ELSE 1::bigint END)
            OPERATOR(pg_catalog./) 1000::bigint OPERATOR(pg_catalog.+) 1::bigint END
$$;
COMMENT ON FUNCTION snowid._uuidv7_below(timestamptz, boolean) IS 'the milliseconds before a time';

CREATE OR REPLACE FUNCTION snowid.uuidv7_lower_bound("time" timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT snowid._uuidv7_of(CASE WHEN "time" OPERATOR(pg_catalog.>) '10889-08-02 05:31:50.655Z'::timestamp with time zone
        THEN snowid._snowid_time_error('uuidv7', "time", NULL, '10889-08-02 05:31:50.655Z') ELSE snowid._uuidv7_below("time", false) END, 0, 0)
$$;
COMMENT ON FUNCTION snowid.uuidv7_lower_bound(timestamptz) IS 'the smallest UUIDv7 whose time is not before the given one';

CREATE OR REPLACE FUNCTION snowid.uuidv7_first("time" timestamptz, operator text) RETURNS uuid LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    below bigint := snowid._uuidv7_below("time", operator IN ('<=', '>'));
BEGIN
    IF operator NOT IN ('<', '<=', '>=', '>') THEN PERFORM snowid._snowid_side_error(operator); END IF;
    IF operator LIKE '<%' THEN RETURN CASE below WHEN 0 THEN 'ffffffffffffffffffffffffffffffff'::uuid ELSE '00000000000000000000000000000000'::uuid END; END IF;
    RETURN CASE WHEN below > 281474976710655 THEN 'ffffffffffffffffffffffffffffffff' ELSE snowid._uuidv7_of(below, 0, 0) END;
END $$;
COMMENT ON FUNCTION snowid.uuidv7_first(timestamptz, text) IS 'the first id whose time is <, <=, >= or > the given one; greater than the last one if there is none';
CREATE OR REPLACE FUNCTION snowid.uuidv7_last("time" timestamptz, operator text) RETURNS uuid LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    below bigint := snowid._uuidv7_below("time", operator IN ('<=', '>'));
BEGIN
    IF operator NOT IN ('<', '<=', '>=', '>') THEN PERFORM snowid._snowid_side_error(operator); END IF;
    IF operator LIKE '>%' THEN RETURN CASE WHEN below > 281474976710655 THEN '00000000000000000000000000000000'::uuid ELSE 'ffffffffffffffffffffffffffffffff'::uuid END; END IF;
    RETURN CASE below WHEN 0 THEN '00000000000000000000000000000000' ELSE snowid._uuidv7_of(below - 1, 4095, 4611686018427387903) END;
END $$;
COMMENT ON FUNCTION snowid.uuidv7_last(timestamptz, text) IS 'the last id whose time is <, <=, >= or > the given one; less than the first one if there is none';
CREATE OR REPLACE FUNCTION snowid.uuidv7_first(times tstzrange) RETURNS uuid LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF isempty(times) THEN RETURN 'ffffffffffffffffffffffffffffffff'; END IF;
    RETURN greatest(CASE WHEN lower_inf(times) THEN '00000000000000000000000000000000' ELSE snowid.uuidv7_first(lower(times), CASE WHEN lower_inc(times) THEN '>=' ELSE '>' END) END::uuid,
        CASE WHEN NOT upper_inf(times) THEN snowid.uuidv7_first(upper(times), CASE WHEN upper_inc(times) THEN '<=' ELSE '<' END) END);
END $$;
COMMENT ON FUNCTION snowid.uuidv7_first(tstzrange) IS 'the first id whose time is in the range; greater than the last one if there is none';
CREATE OR REPLACE FUNCTION snowid.uuidv7_last(times tstzrange) RETURNS uuid LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF isempty(times) THEN RETURN '00000000000000000000000000000000'; END IF;
    RETURN least(CASE WHEN upper_inf(times) THEN 'ffffffffffffffffffffffffffffffff' ELSE snowid.uuidv7_last(upper(times), CASE WHEN upper_inc(times) THEN '<=' ELSE '<' END) END::uuid,
        CASE WHEN NOT lower_inf(times) THEN snowid.uuidv7_last(lower(times), CASE WHEN lower_inc(times) THEN '>=' ELSE '>' END) END);
END $$;
COMMENT ON FUNCTION snowid.uuidv7_last(tstzrange) IS 'the last id whose time is in the range; less than the first one if there is none';

-- making ids --------------------------------------------------------------------
-- One id at a time: what a session does between the lock and its release is one expression, within which nothing can be cancelled. Should it fail
-- all the same, _snowid_release() lets go of the lock. The class of the locks is 1936617335; their numbers are 1 for snowflakes, 2 for UUIDv7, and
-- 3 for those that come from the extension.

CREATE OR REPLACE FUNCTION snowid._snowid_release(lock integer, state text, message text) RETURNS void LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND classid = 1936617335 AND objid = lock::oid AND objsubid = 2 AND granted) THEN
        PERFORM pg_advisory_unlock(1936617335, lock);
    END IF;
    IF state = '25006' THEN
        RAISE EXCEPTION '%', replace(message, 'setval()', CASE lock WHEN 2 THEN 'uuidv7_next()' ELSE 'snowflake_next()' END) USING ERRCODE = state,
            DETAIL = 'How far ids have come is written in the database.';
    END IF;
END $$;
COMMENT ON FUNCTION snowid._snowid_release(integer, text, text) IS 'lets go of a lock after an error';

-- A copy of the schema alone, with which a subscriber begins, has the functions of its original, but no row.
CREATE OR REPLACE FUNCTION snowid._snowid_recorded() RETURNS text LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    layout text := (SELECT r.layout FROM snowid.snowid_layout AS r ORDER BY recorded LIMIT 1);
BEGIN
    IF layout IS NULL THEN
        RAISE EXCEPTION 'this database has no record of its layout' USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = 'It is a copy of another one''s schema, without the data.', HINT = 'Run plain/snowid.sql, and give the database a worker id of its own with snowid.snowid_set().';
    END IF;
    RETURN layout;
END $$;
COMMENT ON FUNCTION snowid._snowid_recorded() IS 'the layout of this database';

-- Each statement after it sees what others have recorded.
CREATE OR REPLACE FUNCTION snowid._snowid_alone() RETURNS void LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
        RAISE EXCEPTION 'the functions cannot be built in a transaction that is %', current_setting('transaction_isolation') USING ERRCODE = 'active_sql_transaction',
            DETAIL = 'It does not see what others have set meanwhile.', HINT = 'Use the isolation level READ COMMITTED.';
    END IF;
    LOCK TABLE snowid.snowid_setting IN SHARE ROW EXCLUSIVE MODE;
END $$;
COMMENT ON FUNCTION snowid._snowid_alone() IS 'lets one session at a time build the functions';

-- A setting of the database or the role. What a session sets for itself counts for nothing, and neither does what a server sets for all its databases.
CREATE OR REPLACE FUNCTION snowid._snowid_setting_of(name text) RETURNS text LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    setting text := nullif(current_setting('snowid.' || name, true), '');
BEGIN
    IF EXISTS (SELECT FROM pg_db_role_setting WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
            AND setrole IN (0, (SELECT oid FROM pg_roles WHERE rolname = session_user)) AND 'snowid.' || name || '=' || setting = ANY (setconfig)) THEN
        RETURN setting;
    END IF;
    RETURN (SELECT value FROM snowid.snowid_setting AS s WHERE s.name = _snowid_setting_of.name);
END $$;
COMMENT ON FUNCTION snowid._snowid_setting_of(text) IS 'what a setting is for this session';

CREATE OR REPLACE FUNCTION snowid._snowid_duration(name text, value text) RETURNS bigint LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    p text[] := regexp_match(value, '^ *(-?[0-9]+(?:[.][0-9]*)?) *(us|ms|s|min|h|d)? *$');
    ms numeric := p[1]::numeric * CASE coalesce(p[2], 'ms') WHEN 'us' THEN 0.001 WHEN 'ms' THEN 1 WHEN 's' THEN 1000 WHEN 'min' THEN 60000 WHEN 'h' THEN 3600000 ELSE 86400000 END;
    most bigint := CASE name WHEN 'clock_wait' THEN 60000 ELSE 3600000 END;
BEGIN
    IF ms IS NULL THEN
        RAISE EXCEPTION 'invalid value for parameter "snowid.%": "%"', name, value USING ERRCODE = 'invalid_parameter_value', HINT = 'Valid units for this parameter are "us", "ms", "s", "min", "h", and "d".';
    ELSIF ms NOT BETWEEN 0 AND most THEN
        RAISE EXCEPTION '% ms is outside the valid range for parameter "snowid.%" (0 ms .. % ms)', trim_scale(ms), name, most USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN ms * 1000;
END $$;
COMMENT ON FUNCTION snowid._snowid_duration(text, text) IS 'the microseconds of a setting';

CREATE OR REPLACE FUNCTION snowid._uuidv7_place(now timestamptz) RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT (((pg_catalog.date_part('epoch', now) OPERATOR(pg_catalog.*) 1000000::double precision)::bigint OPERATOR(pg_catalog.*) 512::bigint) OPERATOR(pg_catalog./) 125::bigint)
$$;
COMMENT ON FUNCTION snowid._uuidv7_place(timestamptz) IS 'a time in 1/4096 ms';

CREATE OR REPLACE FUNCTION snowid.uuidv7_next() RETURNS uuid LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER AS $$
DECLARE
    place bigint;
BEGIN
    BEGIN
        -- A clock that is more than 2 s behind is followed: random bits make these ids unique.
        place := CASE WHEN pg_catalog.pg_advisory_lock(1936617335, 2) IS NOT NULL THEN
            pg_catalog.setval('snowid.snowid_uuidv7_position'::pg_catalog.regclass,
                CASE WHEN pg_catalog.pg_sequence_last_value('snowid.snowid_uuidv7_position'::pg_catalog.regclass) OPERATOR(pg_catalog.<) (snowid._uuidv7_place(pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.+) 8192000::bigint)
                    THEN GREATEST(pg_catalog.pg_sequence_last_value('snowid.snowid_uuidv7_position'::pg_catalog.regclass) OPERATOR(pg_catalog.+) 1::bigint, snowid._uuidv7_place(pg_catalog.clock_timestamp()))
                    ELSE snowid._uuidv7_place(pg_catalog.clock_timestamp()) END)
            OPERATOR(pg_catalog.+) CASE WHEN pg_catalog.pg_advisory_unlock(1936617335, 2) THEN 0::bigint ELSE 0::bigint END END;
    EXCEPTION WHEN OTHERS OR query_canceled THEN
        PERFORM snowid._snowid_release(2, SQLSTATE, SQLERRM);
        RAISE;
    END;
    RETURN (pg_catalog.lpad(pg_catalog.to_hex(place OPERATOR(pg_catalog.>>) 12), 12, '0') OPERATOR(pg_catalog.||) pg_catalog.to_hex((place OPERATOR(pg_catalog.&) 4095::bigint) OPERATOR(pg_catalog.+) 28672::bigint)
        OPERATOR(pg_catalog.||) pg_catalog.substr(pg_catalog.gen_random_uuid()::pg_catalog.text, 20))::pg_catalog.uuid;
END $$;
COMMENT ON FUNCTION snowid.uuidv7_next() IS 'the next UUIDv7; ids ascend while the clock does';

CREATE OR REPLACE FUNCTION snowid.uuidv7_spread() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL UNSAFE AS $$
    SELECT snowid.uuidv7_next()
$$;
COMMENT ON FUNCTION snowid.uuidv7_spread() IS 'the next UUIDv7; the extension spreads them';

-- how far ids have come, and where they come from -------------------------------

CREATE OR REPLACE FUNCTION snowid._snowid_is_handed_over() RETURNS boolean LANGUAGE sql VOLATILE PARALLEL UNSAFE AS $$
    SELECT coalesce(pg_catalog.pg_sequence_last_value('snowid.snowid_position'::pg_catalog.regclass) OPERATOR(pg_catalog.=) 9223372036854775807, false)
$$;
COMMENT ON FUNCTION snowid._snowid_is_handed_over() IS 'whether snowflakes come from the extension';

CREATE OR REPLACE FUNCTION snowid.snowid_horizon_advance("time" timestamptz, force boolean DEFAULT false) RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    l record;
    ahead bigint;
BEGIN
    IF "time" IS NULL THEN
        RAISE EXCEPTION 'the time of the horizon must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    SELECT * INTO l FROM snowid._snowid_layout_of(snowid._snowid_recorded());
    IF snowid._snowid_us("time") < l.epoch OR snowid._snowid_us("time") > l.epoch + l.last_generated * l.tick THEN
        PERFORM snowid._snowid_time_error('snowid_horizon', "time", snowid._snowid_time(l.epoch), snowid._snowid_time(l.epoch + l.last_generated * l.tick));
    END IF;
    ahead := snowid._snowid_us("time") - snowid._snowid_us(clock_timestamp());
    IF ahead > 600000000 AND force IS NOT TRUE THEN
        RAISE EXCEPTION 'the horizon would be % ahead of the clock', snowid._snowid_shown(ahead) USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'No id would be made until the clock has come that far. A time that is more than ten minutes ahead is most likely an error.',
            HINT = 'If the clock is behind, correct it first. If ids must wait for so long, call the function with force => true.';
    END IF;
    PERFORM pg_advisory_xact_lock(1936617335, 1);
    IF snowid._snowid_is_handed_over() THEN
        RAISE EXCEPTION 'snowflakes of this database come from the extension' USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call the extension''s snowid_horizon_advance.';
    END IF;
    PERFORM setval('snowid.snowid_position', (snowid.snowflake_lower_bound("time") - 1) | snowid._snowid_place(snowid._snowid_ones(l.worker_bits), l.canonical))
        WHERE snowid.snowflake_lower_bound("time") - 1 > coalesce(pg_sequence_last_value('snowid.snowid_position'), 0);
END $$;
COMMENT ON FUNCTION snowid.snowid_horizon_advance(timestamptz, boolean) IS 'dates all further snowflakes at the given time or later; for use after a restore when the clock is behind; more than ten minutes ahead of the clock only with force';
REVOKE EXECUTE ON FUNCTION snowid.snowid_horizon_advance(timestamptz, boolean) FROM PUBLIC;

-- Whoever takes an id from the extension holds the third lock, so that snowid_take_back() knows when all of them have it.
CREATE OR REPLACE FUNCTION snowid._snowflake_of_extension() RETURNS bigint LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    ids regnamespace := (SELECT extnamespace FROM pg_extension WHERE extname = 'snowid');
    id bigint;
BEGIN
    IF ids IS NULL THEN
        RAISE EXCEPTION 'snowflakes of this database come from the extension snowid, which is not here' USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Create the extension, and call snowid.snowid_hand_over(); or call snowid.snowid_take_back().';
    END IF;
    BEGIN
        PERFORM pg_advisory_lock_shared(1936617335, 3);
        IF snowid._snowid_is_handed_over() THEN
            EXECUTE format('SELECT %s.snowflake_next()', ids) INTO id;
        END IF;
        PERFORM pg_advisory_unlock_shared(1936617335, 3);
    EXCEPTION WHEN OTHERS OR query_canceled THEN
        WHILE EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND classid = 1936617335 AND objid = 3 AND objsubid = 2 AND granted) LOOP
            PERFORM pg_advisory_unlock_shared(1936617335, 3);
        END LOOP;
        RAISE;
    END;
    RETURN id;
END $$;
COMMENT ON FUNCTION snowid._snowflake_of_extension() IS 'the next id of the extension; NULL where ids do not come from it any more';

CREATE OR REPLACE FUNCTION snowid.snowid_hand_over() RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    ids regnamespace := (SELECT extnamespace FROM pg_extension WHERE extname = 'snowid');
    layout text := snowid._snowid_recorded();
    its_layout text;
    last bigint;
BEGIN
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        RAISE EXCEPTION 'snowid_hand_over() needs a superuser' USING ERRCODE = 'insufficient_privilege', HINT = 'Let a superuser call it. The function belongs to the owner of the schema: read it first.';
    END IF;
    IF ids IS NULL THEN
        RAISE EXCEPTION 'the extension snowid is not in this database' USING ERRCODE = 'undefined_object', HINT = 'CREATE EXTENSION snowid';
    END IF;
    EXECUTE 'SELECT layout FROM _snowid.layout ORDER BY recorded LIMIT 1' INTO its_layout;
    IF its_layout IS DISTINCT FROM layout THEN
        RAISE EXCEPTION 'the extension has another layout in this database' USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = format('It has %s, and the ids here have %s.', its_layout, layout),
            HINT = 'Drop the extension here, set snowid.layout in postgresql.conf, restart, and create it again.';
    END IF;
    PERFORM pg_advisory_xact_lock(1936617335, 1);
    last := pg_sequence_last_value('snowid.snowid_position');
    IF snowid._snowid_is_handed_over() THEN RETURN; END IF;
    -- the tick after the last one, for the extension may have another worker
    IF last IS NOT NULL THEN
        EXECUTE format('SELECT %s.snowid_horizon_advance($1)', ids) USING (SELECT snowid._snowid_time(l.epoch + ((last >> l.below) + 1) * l.tick) FROM snowid._snowid_layout_of(layout) AS l);
    END IF;
    EXECUTE format('SELECT %s.snowflake_next()', ids);  -- it must be able to
    PERFORM setval('snowid.snowid_position', 9223372036854775807);
END $$;
COMMENT ON FUNCTION snowid.snowid_hand_over() IS 'lets snowflakes come from the extension from here on; its superuser calls it';
REVOKE EXECUTE ON FUNCTION snowid.snowid_hand_over() FROM PUBLIC;

CREATE OR REPLACE FUNCTION snowid.snowid_take_back() RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    ids regnamespace := (SELECT extnamespace FROM pg_extension WHERE extname = 'snowid');
    horizon timestamptz := clock_timestamp();
BEGIN
    IF NOT snowid._snowid_is_handed_over() THEN
        RAISE EXCEPTION 'snowflakes of this database do not come from the extension' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    PERFORM pg_advisory_xact_lock(1936617335, 1);
    PERFORM pg_advisory_xact_lock(1936617335, 3);  -- no id is under way
    IF ids IS NOT NULL THEN
        EXECUTE 'SELECT greatest($1, snowid._snowid_time(horizon / 1000 + 1)) FROM _snowid.horizon WHERE generator = 0' INTO horizon USING horizon;
    ELSE
        RAISE WARNING 'without the extension nothing says how far its ids have come' USING
            HINT = 'If the last one may be ahead of the clock, run: SELECT snowid.snowid_horizon_advance(snowid.snowflake_time(max(id)) + interval ''1 s'') FROM …';
    END IF;
    PERFORM setval('snowid.snowid_position', 0);
    PERFORM snowid.snowid_horizon_advance(horizon, true);
END $$;
COMMENT ON FUNCTION snowid.snowid_take_back() IS 'lets snowflakes come from this schema again; what calls the extension''s functions must have stopped';
REVOKE EXECUTE ON FUNCTION snowid.snowid_take_back() FROM PUBLIC;

CREATE OR REPLACE FUNCTION snowid.snowid_set(name text, value text) RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    its_database text := format('DATABASE %I', current_database());
    others text;
BEGIN
    IF (name IN ('worker_id', 'clock_wait', 'clock_drift')) IS NOT TRUE THEN
        RAISE EXCEPTION 'there is no setting "%"', name USING ERRCODE = 'undefined_object', HINT = 'Use worker_id, clock_wait or clock_drift, without "snowid.".';
    END IF;
    PERFORM snowid._snowid_alone(), snowid._snowid_recorded();
    PERFORM CASE name WHEN 'worker_id' THEN snowid._snowid_worker(value, snowid._snowid_recorded()) ELSE snowid._snowid_duration(name, value) END WHERE value IS NOT NULL;
    IF value IS NULL THEN
        DELETE FROM snowid.snowid_setting AS s WHERE s.name = snowid_set.name;
    ELSE
        INSERT INTO snowid.snowid_setting VALUES (name, value) ON CONFLICT ON CONSTRAINT snowid_setting_pkey DO UPDATE SET value = excluded.value;
    END IF;
    IF snowid._snowid_is_handed_over() THEN
        RAISE WARNING 'snowflakes of this database come from the extension, which does not have this setting' USING HINT = format('Set snowid.%s in postgresql.conf.', name);
    END IF;
    SELECT string_agg(format('ALTER %s RESET snowid.%s;', CASE WHEN setrole = 0 AND setdatabase <> 0 THEN its_database
            ELSE concat_ws(' IN ', 'ROLE ' || coalesce(quote_ident(rolname), 'ALL'), CASE WHEN setdatabase <> 0 THEN its_database END) END, name), ' ') INTO others
        FROM pg_db_role_setting LEFT JOIN pg_roles AS r ON r.oid = setrole, unnest(setconfig) AS setting
        WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
            AND starts_with(setting, 'snowid.' || name || '=') AND setting IS DISTINCT FROM 'snowid.' || name || '=' || value;
    IF others IS NOT NULL THEN
        RAISE WARNING 'snowid.% has another value by ALTER DATABASE or ALTER ROLE, which takes precedence', name USING HINT = format('To have the value that you gave, run as a superuser: %s', others);
    END IF;
END $$;
COMMENT ON FUNCTION snowid.snowid_set(text, text) IS 'changes a setting of this database: worker_id, clock_wait or clock_drift; NULL for the default';
REVOKE EXECUTE ON FUNCTION snowid.snowid_set(text, text) FROM PUBLIC;

-- what has the layout and the worker as constants --------------------------------

CREATE OR REPLACE FUNCTION snowid._snowid_build() RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' SET timezone = 'UTC' AS $build$
DECLARE
    layout text := snowid._snowid_recorded();
    worker text := coalesce((SELECT value FROM snowid.snowid_setting WHERE name = 'worker_id'), '');
    l record;
    c jsonb;
    part record;
    body text;
BEGIN
    SELECT * INTO l FROM snowid._snowid_layout_of(layout);
    c := jsonb_build_object('LAYOUT', quote_literal(layout), 'NAME', quote_literal(coalesce((SELECT p.name FROM snowid.snowid_layouts() AS p WHERE p.layout = l.canonical), l.canonical)), 'WORKER', quote_literal(worker), 'EPOCH', l.epoch, 'TICK', l.tick, 'BELOW', l.below, 'BITS', l.all_bits,
        'LOW', snowid._snowid_ones(l.below), 'ALL_WORKERS', snowid._snowid_place(snowid._snowid_ones(l.worker_bits), layout),
        'THIS_WORKER', snowid._snowid_place(snowid._snowid_worker(coalesce(nullif(worker, ''), '0'), layout), layout),
        'LAST_TICK', l.last_generated, 'TICKS', snowid._snowid_ones(l.bits[1]), 'FIRST_TIME', quote_literal(snowid._snowid_time(l.epoch)), 'SEQUENCE_SHIFT', l.shifts[l.sequence],
        'SEQUENCES', snowid._snowid_ones(l.bits[l.sequence]), 'LAST_TIME', quote_literal(snowid._snowid_time(l.epoch + l.last_tick * l.tick)),
        'LAST_GENERATED', quote_literal(snowid._snowid_time(l.epoch + l.last_generated * l.tick)),
        'LAST_ID', CASE WHEN l.all_bits >= 63 THEN 9223372036854775807 ELSE snowid._snowid_ones(l.all_bits) END,
        'IS_OUTSIDE', CASE l.all_bits WHEN 64 THEN 'false' ELSE format('pg_catalog.int8ne(id OPERATOR(pg_catalog.>>) %s, 0::bigint)', l.all_bits) END,
        'PLACED_WORKER', coalesce((SELECT string_agg(format('(((id OPERATOR(pg_catalog.>>) %s) OPERATOR(pg_catalog.&) %s::bigint) OPERATOR(pg_catalog.<<) %s)', l.shifts[f.i], snowid._snowid_ones(f.bits), f.place),
                ' OPERATOR(pg_catalog.|) ')
            FROM (SELECT i, l.bits[i] AS bits, coalesce(sum(l.bits[i]) OVER (ORDER BY i DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS place
                FROM generate_series(2, cardinality(l.names)) AS i WHERE i <> l.sequence) AS f), '0::bigint'));
    FOR body IN SELECT unnest(ARRAY[
$f$CREATE OR REPLACE FUNCTION snowid._snowid_built() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT <LAYOUT>::pg_catalog.text $$$f$,
$f$CREATE OR REPLACE FUNCTION snowid.snowflake_time(id bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN <IS_OUTSIDE> THEN CASE WHEN id OPERATOR(pg_catalog.<) 0::bigint THEN '-infinity'::timestamp with time zone ELSE 'infinity'::timestamp with time zone END
        ELSE snowid._snowid_time(((id OPERATOR(pg_catalog.>>) <BELOW>) OPERATOR(pg_catalog.&) <TICKS>::bigint) OPERATOR(pg_catalog.*) <TICK>::bigint OPERATOR(pg_catalog.+) (<EPOCH>)::bigint) END
$$$f$,
$f$CREATE OR REPLACE FUNCTION snowid.snowflake_worker(id bigint) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN <IS_OUTSIDE> OR id IS NULL THEN NULL ELSE (<PLACED_WORKER>)::integer END
$$$f$,
$f$CREATE OR REPLACE FUNCTION snowid.snowflake_sequence(id bigint) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN NOT <IS_OUTSIDE> THEN ((id OPERATOR(pg_catalog.>>) <SEQUENCE_SHIFT>) OPERATOR(pg_catalog.&) <SEQUENCES>::bigint)::integer END
$$$f$,
$f$CREATE OR REPLACE FUNCTION snowid.snowflake_decode(id bigint, OUT "time" timestamptz, OUT worker integer, OUT sequence integer, OUT fields jsonb) LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT * FROM snowid.snowflake_decode(id, <LAYOUT>)
$$$f$,
$f$CREATE OR REPLACE FUNCTION snowid.snowflake_encode("time" timestamptz, worker integer, sequence integer) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT snowid.snowflake_encode("time", worker, sequence, <LAYOUT>)
$$$f$,
$f$CREATE OR REPLACE FUNCTION snowid.snowflake_lower_bound("time" timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN "time" OPERATOR(pg_catalog.<=) <FIRST_TIME>::timestamp with time zone THEN 0::bigint
        WHEN "time" OPERATOR(pg_catalog.>) <LAST_TIME>::timestamp with time zone THEN snowid._snowid_time_error('snowflake', "time", NULL, <LAST_TIME>)
        ELSE ((snowid._snowid_us("time" OPERATOR(pg_catalog.-) <FIRST_TIME>::timestamp with time zone) OPERATOR(pg_catalog.-) 1::bigint) OPERATOR(pg_catalog./) <TICK>::bigint OPERATOR(pg_catalog.+) 1::bigint)
            OPERATOR(pg_catalog.<<) <BELOW> END
$$$f$,
-- one less than how many ids there are below
$f$CREATE OR REPLACE FUNCTION snowid._snowflake_below("time" timestamptz, instant boolean) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN "time" OPERATOR(pg_catalog.<) <FIRST_TIME>::timestamp with time zone OR "time" OPERATOR(pg_catalog.<=) <FIRST_TIME>::timestamp with time zone AND NOT instant THEN (-1)::bigint
        WHEN "time" OPERATOR(pg_catalog.>) <LAST_GENERATED>::timestamp with time zone OR "time" OPERATOR(pg_catalog.>=) <LAST_GENERATED>::timestamp with time zone AND instant THEN <LAST_ID>::bigint
        ELSE (((snowid._snowid_us("time" OPERATOR(pg_catalog.-) <FIRST_TIME>::timestamp with time zone) OPERATOR(pg_catalog.-) CASE WHEN instant THEN 0::bigint ELSE 1::bigint END)
            OPERATOR(pg_catalog./) <TICK>::bigint OPERATOR(pg_catalog.+) 1::bigint) OPERATOR(pg_catalog.<<) <BELOW>) OPERATOR(pg_catalog.-) 1::bigint END
$$$f$,
$f$CREATE OR REPLACE FUNCTION snowid.snowflake_next() RETURNS bigint LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER AS $$
DECLARE
    id bigint;
BEGIN
    BEGIN
        id := CASE WHEN pg_catalog.texteq(coalesce(pg_catalog.current_setting('snowid.worker_id', true), <WORKER>), <WORKER>)
                AND (pg_catalog.texteq(coalesce(pg_catalog.current_setting('snowid.layout', true), <LAYOUT>), <LAYOUT>) OR pg_catalog.texteq(pg_catalog.current_setting('snowid.layout', true), <NAME>))
                AND pg_catalog.clock_timestamp() OPERATOR(pg_catalog.<) <LAST_GENERATED>::timestamp with time zone AND pg_catalog.pg_advisory_lock(1936617335, 1) IS NOT NULL
            THEN CASE WHEN pg_catalog.pg_sequence_last_value('snowid.snowid_position'::pg_catalog.regclass)
                    OPERATOR(pg_catalog.<) (((((pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.*) 1000000::double precision)::bigint OPERATOR(pg_catalog.-) (<EPOCH>)::bigint)
                        OPERATOR(pg_catalog./) <TICK>::bigint) OPERATOR(pg_catalog.<<) <BELOW>) OPERATOR(pg_catalog.|) <LOW>::bigint)
                THEN pg_catalog.setval('snowid.snowid_position'::pg_catalog.regclass,
                    GREATEST(pg_catalog.pg_sequence_last_value('snowid.snowid_position'::pg_catalog.regclass) OPERATOR(pg_catalog.+) 1::bigint,
                        (((pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.*) 1000000::double precision)::bigint OPERATOR(pg_catalog.-) (<EPOCH>)::bigint)
                        OPERATOR(pg_catalog./) <TICK>::bigint) OPERATOR(pg_catalog.<<) <BELOW>) OPERATOR(pg_catalog.|) <ALL_WORKERS>::bigint) END
                OPERATOR(pg_catalog.+) CASE WHEN pg_catalog.pg_advisory_unlock(1936617335, 1) THEN (<THIS_WORKER> OPERATOR(pg_catalog.-) <ALL_WORKERS>)::bigint ELSE 0::bigint END END;
    EXCEPTION WHEN OTHERS OR query_canceled THEN
        PERFORM snowid._snowid_release(1, SQLSTATE, SQLERRM);
        RAISE;
    END;
    IF id IS NULL THEN RETURN snowid._snowflake_next_slowly(); END IF;
    RETURN id;
END $$$f$,
$f$CREATE OR REPLACE FUNCTION snowid._snowflake_worker() RETURNS bigint LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    layout text;
    worker text;
BEGIN
    IF coalesce(current_setting('snowid.worker_id', true), <WORKER>) = <WORKER> AND coalesce(current_setting('snowid.layout', true), <LAYOUT>) IN (<LAYOUT>, <NAME>) THEN
        RETURN <THIS_WORKER>;
    END IF;
    layout := snowid._snowid_setting_of('layout');
    IF layout NOT IN (<LAYOUT>, <NAME>) AND snowid.snowid_layout_canonical(layout) <> <LAYOUT> THEN
        RAISE EXCEPTION 'this server does not make snowflakes of this database''s layout' USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('The database has the layout %s, but the server has %s.', <LAYOUT>, snowid.snowid_layout_canonical(layout)), HINT = 'Set snowid.layout to the database''s layout.';
    END IF;
    worker := coalesce(snowid._snowid_setting_of('worker_id'), '');
    RETURN CASE worker WHEN <WORKER> THEN <THIS_WORKER> ELSE snowid._snowid_place(snowid._snowid_worker(worker, <LAYOUT>), <LAYOUT>) END;
END $$$f$,
-- what the first call of an id ran into: a clock that is behind, a setting that has changed, the first id of all, or ids that come from the extension
$f$CREATE OR REPLACE FUNCTION snowid._snowflake_next_slowly() RETURNS bigint LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    worker bigint := snowid._snowflake_worker();
    wait bigint;
    drift bigint;
    last bigint;
    now_us bigint;
    tick bigint;
    due bigint;
    ahead bigint;
    id bigint;
BEGIN
    LOOP
        last := coalesce(pg_sequence_last_value('snowid.snowid_position'), -1);
        IF last = -1 THEN PERFORM snowid._snowid_recorded(); END IF;
        IF last = 9223372036854775807 THEN
            id := snowid._snowflake_of_extension();
            IF id IS NULL THEN CONTINUE; END IF;
            RETURN id;
        END IF;
        now_us := (date_part('epoch', clock_timestamp()) * 1000000)::bigint;
        IF now_us < <EPOCH> THEN
            RAISE EXCEPTION 'the clock is before the epoch of the snowflake layout' USING ERRCODE = 'system_error',
                DETAIL = format('It says %s, but layout %s has no times before its epoch.', clock_timestamp(), <LAYOUT>), HINT = 'Correct the server''s clock.';
        END IF;
        tick := (now_us - (<EPOCH>)) / <TICK>;
        due := (last >> <BELOW>) + CASE WHEN last & <LOW> = <LOW> THEN 1 ELSE 0 END;
        IF greatest(tick, due) > <LAST_TICK> THEN
            RAISE EXCEPTION 'the time of the snowflake layout has run out' USING ERRCODE = 'datetime_field_overflow',
                DETAIL = format('Layout %s ended at %s.', <LAYOUT>, <LAST_GENERATED>::timestamptz);
        END IF;
        ahead := due - tick;
        IF ahead > 0 THEN
            wait := greatest(snowid._snowid_duration('clock_wait', coalesce(snowid._snowid_setting_of('clock_wait'), '5ms')) / <TICK>, 1);
            drift := snowid._snowid_duration('clock_drift', coalesce(snowid._snowid_setting_of('clock_drift'), '2s')) / <TICK>;
            IF ahead > drift + wait + 1 THEN
                RAISE EXCEPTION 'the clock is % behind the snowflakes that have been made', snowid._snowid_shown(ahead * <TICK>) USING ERRCODE = 'system_error',
                    DETAIL = format('The next one is due at %s, but snowid.clock_drift lets ids be only %s ahead of the clock.', snowid._snowid_time((<EPOCH>) + due * <TICK>), snowid._snowid_shown(drift * <TICK>)),
                    HINT = 'Check the server''s time source, and whether snowid.snowid_horizon_advance() was called with a wrong time. Ids are made again when the clock has caught up.';
            ELSIF ahead <= wait OR ahead > drift THEN
                PERFORM pg_sleep(least((CASE WHEN ahead <= wait THEN due ELSE due - drift END * <TICK> - (now_us - (<EPOCH>))) / 1e6, 0.1));
                CONTINUE;
            END IF;
        END IF;
        due := greatest(due, tick);
        BEGIN
            id := CASE WHEN pg_advisory_lock(1936617335, 1) IS NOT NULL
                THEN CASE WHEN coalesce(pg_sequence_last_value('snowid.snowid_position'), -1) < (due << <BELOW> | <LOW>)
                    THEN setval('snowid.snowid_position', greatest(coalesce(pg_sequence_last_value('snowid.snowid_position'), -1) + 1, tick << <BELOW>) | <ALL_WORKERS>) END
                    + CASE WHEN pg_advisory_unlock(1936617335, 1) THEN 0 ELSE 0 END END;
        EXCEPTION WHEN OTHERS OR query_canceled THEN
            PERFORM snowid._snowid_release(1, SQLSTATE, SQLERRM);
            RAISE;
        END;
        EXIT WHEN id IS NOT NULL;
    END LOOP;
    IF last = -1 AND <ALL_WORKERS> > 0 AND snowid._snowid_setting_of('worker_id') IS NULL THEN
        RAISE WARNING 'the worker id is 0 because none is set' USING HINT = 'If other databases make ids of the same kind, give each its own: SELECT snowid.snowid_set(''worker_id'', ''7'').';
    END IF;
    RETURN id - <ALL_WORKERS> + worker;
END $$$f$,
-- what is left of the tick, or one id of another
$f$CREATE OR REPLACE FUNCTION snowid._snowflake_run(want bigint, OUT first bigint, OUT step bigint, OUT n bigint, OUT rest bigint)
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    tick bigint := ((date_part('epoch', clock_timestamp()) * 1000000)::bigint - (<EPOCH>)) / <TICK>;
    begun bigint := tick << <BELOW>;
    worker bigint := snowid._snowflake_worker();
    taken bigint[];
BEGIN
    IF want <= 0 THEN
        RAISE EXCEPTION 'cannot make a batch of % ids', want USING ERRCODE = 'invalid_parameter_value', DETAIL = 'The number of ids must be at least 1.';
    END IF;
    step := 1::bigint << <SEQUENCE_SHIFT>;
    IF tick BETWEEN 0 AND <LAST_TICK> THEN
        BEGIN
            taken := ARRAY[CASE WHEN pg_advisory_lock(1936617335, 1) IS NOT NULL THEN pg_sequence_last_value('snowid.snowid_position') END,
                CASE WHEN pg_sequence_last_value('snowid.snowid_position') < (begun | <LOW>)
                    THEN setval('snowid.snowid_position', least((greatest(pg_sequence_last_value('snowid.snowid_position') + 1, begun) | <ALL_WORKERS>) + (least(want, <SEQUENCES>::bigint + 1) - 1) * step, begun | <LOW>)) END,
                CASE WHEN pg_advisory_unlock(1936617335, 1) THEN 0 ELSE 0 END];
        EXCEPTION WHEN OTHERS OR query_canceled THEN
            PERFORM snowid._snowid_release(1, SQLSTATE, SQLERRM);
            RAISE;
        END;
    END IF;
    IF taken[2] IS NULL THEN
        first := snowid._snowflake_next_slowly();
        n := 1;
    ELSE
        first := greatest(taken[1] + 1, begun) | <ALL_WORKERS>;
        n := (taken[2] - first) / step + 1;
        first := first - <ALL_WORKERS> + worker;
    END IF;
    rest := want - n;
END $$$f$]) LOOP
        FOR part IN SELECT key, value FROM jsonb_each_text(c) LOOP
            body := replace(body, '<' || part.key || '>', part.value);
        END LOOP;
        EXECUTE body;
    END LOOP;
END $build$;
COMMENT ON FUNCTION snowid._snowid_build() IS 'makes the functions that have the layout and the worker as constants';
REVOKE EXECUTE ON FUNCTION snowid._snowid_build() FROM PUBLIC;

-- The first run records the layout. Each takes in the worker id that this database has by ALTER DATABASE.
CREATE OR REPLACE FUNCTION snowid._snowid_install() RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    setting text := nullif(current_setting('snowid.layout', true), '');
    set_elsewhere text := nullif(current_setting('snowid.worker_id', true), '');
    is_copy boolean := to_regprocedure('snowid._snowid_built()') IS NOT NULL;
    has_extension boolean := EXISTS (SELECT FROM pg_extension WHERE extname = 'snowid');
    layout text;
    worker text;
BEGIN
    PERFORM snowid._snowid_alone();
    layout := (SELECT r.layout FROM snowid.snowid_layout AS r ORDER BY recorded LIMIT 1);
    worker := (SELECT substr(s, 18) FROM pg_db_role_setting, unnest(setconfig) AS s
        WHERE setrole = 0 AND setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database()) AND s ~ '^snowid[.]worker_id=.' AND NOT has_extension);
    IF layout IS NULL THEN
        IF is_copy THEN layout := snowid._snowid_built(); END IF;
        layout := coalesce(layout, snowid.snowid_layout_canonical(coalesce(setting, 'default')));
        INSERT INTO snowid.snowid_layout VALUES (layout, clock_timestamp());
        IF worker IS NULL AND (SELECT worker_bits FROM snowid._snowid_layout_of(layout)) > 0 AND (is_copy OR set_elsewhere IS NOT NULL AND NOT has_extension) THEN
            RAISE WARNING 'this database has no worker id' USING
                DETAIL = CASE WHEN is_copy THEN 'It is a copy of another one''s schema, whose worker id it must not have.' ELSE 'A snowid.worker_id that is not set by ALTER DATABASE does not count.' END,
                HINT = 'Give it one that no other database with such ids has: SELECT snowid.snowid_set(''worker_id'', ''7'').';
        END IF;
    END IF;
    IF snowid.snowid_layout_canonical(setting) <> layout THEN
        RAISE EXCEPTION 'this server does not make snowflakes of this database''s layout' USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('The database has the layout %s, but the server has %s.', layout, snowid.snowid_layout_canonical(setting)), HINT = 'Set snowid.layout to the database''s layout.';
    END IF;
    IF worker IS NULL THEN PERFORM snowid._snowid_build(); ELSE PERFORM snowid.snowid_set('worker_id', worker); END IF;
END $$;
COMMENT ON FUNCTION snowid._snowid_install() IS 'what remains to be done at each run of the file';
REVOKE EXECUTE ON FUNCTION snowid._snowid_install() FROM PUBLIC;
DO $$ BEGIN PERFORM snowid._snowid_install(); END $$;

COMMENT ON FUNCTION snowid._snowid_built() IS 'the layout that the functions have';
COMMENT ON FUNCTION snowid.snowflake_next() IS 'the next id of this server';
COMMENT ON FUNCTION snowid._snowflake_worker() IS 'the bits of the worker in this session''s ids';
COMMENT ON FUNCTION snowid._snowflake_next_slowly() IS 'the next id where snowflake_next() cannot just take it';
COMMENT ON FUNCTION snowid._snowflake_run(bigint) IS 'takes the next ids of a batch, those of one tick';
COMMENT ON FUNCTION snowid.snowflake_time(bigint) IS 'the time in an id';
COMMENT ON FUNCTION snowid.snowflake_worker(bigint) IS 'the worker in an id';
COMMENT ON FUNCTION snowid.snowflake_sequence(bigint) IS 'the sequence number in an id';
COMMENT ON FUNCTION snowid.snowflake_decode(bigint) IS 'all parts of an id';
COMMENT ON FUNCTION snowid.snowflake_encode(timestamptz, integer, integer) IS 'the id that has these parts';
COMMENT ON FUNCTION snowid.snowflake_lower_bound(timestamptz) IS 'the smallest id whose time is not before the given one';
COMMENT ON FUNCTION snowid._snowflake_below(timestamptz, boolean) IS 'the last value below a time';

CREATE OR REPLACE FUNCTION snowid.snowflake_spread() RETURNS bigint LANGUAGE sql VOLATILE PARALLEL UNSAFE AS $$
    SELECT snowid.snowflake_next()
$$;
COMMENT ON FUNCTION snowid.snowflake_spread() IS 'the next id of this server; the extension spreads them';

CREATE OR REPLACE FUNCTION snowid.snowflake_next_batch(n bigint) RETURNS SETOF bigint LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE AS $$
    WITH RECURSIVE run AS (
        SELECT r.first, r.step, r.n, r.rest FROM snowid._snowflake_run($1) AS r
        UNION ALL
        SELECT r.first, r.step, r.n, r.rest FROM run, LATERAL snowid._snowflake_run(run.rest) AS r WHERE run.rest OPERATOR(pg_catalog.>) 0::bigint)
    SELECT pg_catalog.generate_series(first, first OPERATOR(pg_catalog.+) ((n OPERATOR(pg_catalog.-) 1::bigint) OPERATOR(pg_catalog.*) step), step) FROM run
$$;
COMMENT ON FUNCTION snowid.snowflake_next_batch(bigint) IS 'the next n ids of this server, in ascending order';

CREATE OR REPLACE FUNCTION snowid.snowflake_first("time" timestamptz, operator text) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    below bigint := snowid._snowflake_below("time", operator IN ('<=', '>'));
BEGIN
    IF operator NOT IN ('<', '<=', '>=', '>') THEN PERFORM snowid._snowid_side_error(operator); END IF;
    IF "time" = 'infinity' AND operator = '>' THEN RETURN 9223372036854775807; END IF;
    IF "time" = '-infinity' AND operator IN ('<', '>=') THEN RETURN CASE operator WHEN '<' THEN 9223372036854775807 ELSE -9223372036854775808 END; END IF;
    RETURN CASE WHEN operator LIKE '<%' THEN -9223372036854775808 WHEN below = 9223372036854775807 THEN below ELSE below + 1 END;
END $$;
COMMENT ON FUNCTION snowid.snowflake_first(timestamptz, text) IS 'the first id whose time is <, <=, >= or > the given one; greater than the last one if there is none';
CREATE OR REPLACE FUNCTION snowid.snowflake_last("time" timestamptz, operator text) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    below bigint := snowid._snowflake_below("time", operator IN ('<=', '>'));
BEGIN
    IF operator NOT IN ('<', '<=', '>=', '>') THEN PERFORM snowid._snowid_side_error(operator); END IF;
    IF "time" = 'infinity' AND operator IN ('<=', '>') THEN RETURN CASE operator WHEN '<=' THEN 9223372036854775807 ELSE -9223372036854775808 END; END IF;
    IF "time" = '-infinity' AND operator IN ('<', '>=') THEN RETURN CASE operator WHEN '<' THEN -9223372036854775808 ELSE 9223372036854775807 END; END IF;
    RETURN CASE WHEN operator LIKE '<%' THEN below WHEN below = 9223372036854775807 THEN -9223372036854775808 ELSE 9223372036854775807 END;
END $$;
COMMENT ON FUNCTION snowid.snowflake_last(timestamptz, text) IS 'the last id whose time is <, <=, >= or > the given one; less than the first one if there is none';
CREATE OR REPLACE FUNCTION snowid.snowflake_first(times tstzrange) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF isempty(times) THEN RETURN 9223372036854775807; END IF;
    RETURN greatest(CASE WHEN lower_inf(times) THEN -9223372036854775808 ELSE snowid.snowflake_first(lower(times), CASE WHEN lower_inc(times) THEN '>=' ELSE '>' END) END,
        CASE WHEN NOT upper_inf(times) THEN snowid.snowflake_first(upper(times), CASE WHEN upper_inc(times) THEN '<=' ELSE '<' END) END);
END $$;
COMMENT ON FUNCTION snowid.snowflake_first(tstzrange) IS 'the first id whose time is in the range; greater than the last one if there is none';
CREATE OR REPLACE FUNCTION snowid.snowflake_last(times tstzrange) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF isempty(times) THEN RETURN -9223372036854775808; END IF;
    RETURN least(CASE WHEN upper_inf(times) THEN 9223372036854775807 ELSE snowid.snowflake_last(upper(times), CASE WHEN upper_inc(times) THEN '<=' ELSE '<' END) END,
        CASE WHEN NOT lower_inf(times) THEN snowid.snowflake_last(lower(times), CASE WHEN lower_inc(times) THEN '>=' ELSE '>' END) END);
END $$;
COMMENT ON FUNCTION snowid.snowflake_last(tstzrange) IS 'the last id whose time is in the range; less than the first one if there is none';

-- sealed ids --------------------------------------------------------------------

-- One row is the current one. Without a policy, nobody but the owner of the schema reads a key, not even pg_read_all_data.
CREATE TABLE IF NOT EXISTS snowid.snowid_seal_key (number integer PRIMARY KEY CHECK (number BETWEEN 0 AND 6), key bytea NOT NULL, current boolean UNIQUE CHECK (current), created timestamptz NOT NULL);
COMMENT ON TABLE snowid.snowid_seal_key IS 'the keys of sealed ids; who reads them opens and forges all ids that are sealed by them';

CREATE OR REPLACE FUNCTION snowid._snowid_crypt(how text, data bytea, key bytea) RETURNS bytea LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    crypto regnamespace := (SELECT extnamespace FROM pg_extension WHERE extname = 'pgcrypto');
    done bytea;
BEGIN
    IF crypto IS NULL THEN
        RAISE EXCEPTION 'sealed ids need the extension pgcrypto' USING ERRCODE = 'feature_not_supported', HINT = 'Run CREATE EXTENSION pgcrypto.';
    END IF;
    EXECUTE format('SELECT %s.%s($1, $2, %L::text)', crypto, how, CASE how WHEN 'hmac' THEN 'sha256' ELSE 'aes-ecb/pad:none' END) INTO done USING data, key;
    RETURN done;
END $$;
COMMENT ON FUNCTION snowid._snowid_crypt(text, bytea, bytea) IS 'hmac, encrypt or decrypt of pgcrypto';

CREATE OR REPLACE FUNCTION snowid._snowid_hkdf(key bytea, info bytea) RETURNS bytea LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT snowid._snowid_crypt('hmac', info || E'\\x01'::bytea, snowid._snowid_crypt('hmac', key, decode(repeat('00', 32), 'hex')))
$$;
COMMENT ON FUNCTION snowid._snowid_hkdf(bytea, bytea) IS '32 bytes of HKDF-SHA-256';

CREATE OR REPLACE FUNCTION snowid._snowid_seal_digits() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'::text
$$;
COMMENT ON FUNCTION snowid._snowid_seal_digits() IS 'the digits of sealed ids';

CREATE OR REPLACE FUNCTION snowid._snowid_require_seal(prefix text) RETURNS void LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM snowid.snowid_seal_key) THEN
        RAISE EXCEPTION 'this database has no key for sealed ids' USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'As the owner of the schema, run: SELECT snowid.snowid_seal_key_create();';
    END IF;
    IF prefix COLLATE "C" !~ '^[a-z]([a-z_]{0,61}[a-z])?$' THEN
        RAISE EXCEPTION '"%" cannot be the prefix of a sealed id', prefix USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'A prefix has 1 to 63 of the characters a to z and _, with a letter at each end.',
            HINT = 'A prefix names the kind of thing that has the id, such as ord or line_item.';
    END IF;
END $$;
COMMENT ON FUNCTION snowid._snowid_require_seal(text) IS 'refuses what cannot be sealed or opened';

CREATE OR REPLACE FUNCTION snowid.id_seal(id bigint, prefix text, key integer DEFAULT NULL) RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    digits text := snowid._snowid_seal_digits();
    sealing record;
    block bytea;
    n numeric;
    sealed text := '';
BEGIN
    IF id IS NULL OR prefix IS NULL THEN RETURN NULL; END IF;
    PERFORM snowid._snowid_require_seal(prefix);
    SELECT s.number, s.key INTO sealing FROM snowid.snowid_seal_key AS s WHERE CASE WHEN id_seal.key IS NULL THEN s.current ELSE s.number = id_seal.key END;
    IF sealing IS NULL THEN
        RAISE EXCEPTION 'there is no key % to seal with', key USING ERRCODE = 'invalid_parameter_value', HINT = 'The view snowid_seal_keys lists the keys of this database.';
    END IF;
    block := snowid._snowid_crypt('encrypt', E'\\xa65959a600000008'::bytea || int8send(id), snowid._snowid_hkdf(sealing.key, E'\\x736e6f776964207365616c65642069642031'::bytea || E'\\x0008'::bytea || convert_to(prefix, 'UTF8')));
    n := sealing.number;
    FOR i IN 0..15 LOOP n := n * 256 + get_byte(block, i); END LOOP;
    FOR i IN 1..22 LOOP
        sealed := substr(digits, mod(n, 62)::integer + 1, 1) || sealed;
        n := div(n, 62);
    END LOOP;
    RETURN prefix || '_' || sealed;
END $$;
COMMENT ON FUNCTION snowid.id_seal(bigint, text, integer) IS 'a text that shows nothing of an id but the prefix; by the current key, or by the key of that number';

CREATE OR REPLACE FUNCTION snowid._snowid_open(sealed text, prefix text, OUT id bigint, OUT fault text) LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    two_to_128 CONSTANT numeric := 340282366920938463463374607431768211456;
    digits text := snowid._snowid_seal_digits();
    n numeric := 0;
    sealed_by integer;
    hex text := '';
    opening bytea;
    opened bytea;
BEGIN
    PERFORM snowid._snowid_require_seal(prefix);
    IF sealed COLLATE "C" !~ '^[a-z]([a-z_]{0,61}[a-z])?_[0-9A-Za-z]{22}$' THEN
        fault := format('It must be "%s_" followed by 22 of the characters 0-9, A-Z and a-z.', prefix);
        RETURN;
    ELSIF left(sealed, -23) <> prefix THEN
        fault := format('It has the prefix "%s", where "%s" is expected.', left(sealed, -23), prefix);
        RETURN;
    END IF;
    FOR i IN 1..22 LOOP n := n * 62 + strpos(digits, substr(right(sealed, 22), i, 1)) - 1; END LOOP;
    sealed_by := div(n, two_to_128);
    FOR i IN 1..4 LOOP
        hex := lpad(to_hex(mod(n, 4294967296)::bigint), 8, '0') || hex;
        n := div(n, 4294967296);
    END LOOP;
    SELECT s.key INTO opening FROM snowid.snowid_seal_key AS s WHERE s.number = sealed_by;
    IF opening IS NOT NULL THEN
        opened := snowid._snowid_crypt('decrypt', decode(hex, 'hex'), snowid._snowid_hkdf(opening, E'\\x736e6f776964207365616c65642069642031'::bytea || E'\\x0008'::bytea || convert_to(prefix, 'UTF8')));
    END IF;
    IF sealed_by <= 6 AND opening IS NULL THEN
        fault := format('It has key number %s, which this database does not have.', sealed_by);
    ELSIF opened IS NULL OR substr(opened, 1, 8) <> E'\\xa65959a600000008'::bytea THEN
        fault := 'It was not made by this database''s keys, or was changed.';
    ELSE
        id := ('x' || encode(substr(opened, 9), 'hex'))::bit(64)::bigint;
    END IF;
END $$;
COMMENT ON FUNCTION snowid._snowid_open(text, text) IS 'the id in a sealed id, or what is wrong';

CREATE OR REPLACE FUNCTION snowid.id_unseal(sealed text, prefix text) RETURNS bigint LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    opened record;
BEGIN
    SELECT * INTO opened FROM snowid._snowid_open(sealed, prefix);
    IF opened.fault IS NOT NULL THEN
        RAISE EXCEPTION 'invalid sealed id: "%"', left(regexp_replace(sealed, '[^ -~]', '?', 'g'), 80) USING ERRCODE = 'invalid_text_representation', DETAIL = opened.fault;
    END IF;
    RETURN opened.id;
END $$;
COMMENT ON FUNCTION snowid.id_unseal(text, text) IS 'the id in a sealed id of this prefix';
CREATE OR REPLACE FUNCTION snowid.id_try_unseal(sealed text, prefix text) RETURNS bigint LANGUAGE sql STABLE STRICT PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT id FROM snowid._snowid_open(sealed, prefix)
$$;
COMMENT ON FUNCTION snowid.id_try_unseal(text, text) IS 'the id in a sealed id of this prefix; NULL for a text that does not open';

CREATE OR REPLACE FUNCTION snowid._snowid_require_key(number integer) RETURNS void LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF number IS NULL THEN
        RAISE EXCEPTION 'the number of a seal key must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF NOT EXISTS (SELECT FROM snowid.snowid_seal_key AS s WHERE s.number = _snowid_require_key.number) THEN
        RAISE EXCEPTION 'this database has no key % for sealed ids', number USING ERRCODE = 'invalid_parameter_value', HINT = 'The view snowid_seal_keys lists its keys.';
    END IF;
END $$;
COMMENT ON FUNCTION snowid._snowid_require_key(integer) IS 'an error if there is no key of this number';

CREATE OR REPLACE FUNCTION snowid.snowid_seal_key_create(number integer DEFAULT NULL, from_hex text DEFAULT NULL) RETURNS integer LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    made bytea;
    same text;
    crypto regnamespace := (SELECT extnamespace FROM pg_extension WHERE extname = 'pgcrypto');
BEGIN
    LOCK TABLE snowid.snowid_seal_key IN SHARE ROW EXCLUSIVE MODE;
    IF from_hex COLLATE "C" !~ '^[0-9a-fA-F]{64}$' THEN
        RAISE EXCEPTION 'a key is 64 hexadecimal digits' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF number IS NULL THEN
        number := (SELECT n FROM generate_series(0, 6) AS n WHERE NOT EXISTS (SELECT FROM snowid.snowid_seal_key AS s WHERE s.number = n)
            ORDER BY n < (SELECT max(s.number) FROM snowid.snowid_seal_key AS s), n LIMIT 1);
    END IF;
    IF number IS NULL THEN
        RAISE EXCEPTION 'this database has the maximum number of keys for sealed ids' USING ERRCODE = 'program_limit_exceeded',
            DETAIL = 'Their numbers are 0 to 6.', HINT = 'Drop one that no token needs any more: SELECT snowid.snowid_seal_key_drop(number);';
    END IF;
    IF number NOT BETWEEN 0 AND 6 THEN
        RAISE EXCEPTION 'a key for sealed ids cannot have the number %', number USING ERRCODE = 'program_limit_exceeded',
            DETAIL = 'It must be from 0 to 6.', HINT = 'Drop a key that no token needs any more, and use its number.';
    END IF;
    PERFORM snowid._snowid_crypt('hmac', E'\\x00', E'\\x00');  -- an error without pgcrypto
    IF from_hex IS NULL THEN
        EXECUTE format('SELECT %s.gen_random_bytes(32)', crypto) INTO made;
    ELSE
        made := decode(from_hex, 'hex');
    END IF;
    IF EXISTS (SELECT FROM snowid.snowid_seal_key AS s WHERE s.number = snowid_seal_key_create.number) THEN
        RAISE EXCEPTION 'this database already has a key % for sealed ids', number USING ERRCODE = 'duplicate_object', HINT = 'Leave out the number to get the next free one.';
    END IF;
    SELECT 'It has the number ' || s.number || '.' INTO same FROM snowid.snowid_seal_key AS s WHERE s.key = made;
    IF same IS NOT NULL THEN
        RAISE EXCEPTION 'this database already has this key for sealed ids' USING ERRCODE = 'duplicate_object', DETAIL = same;
    END IF;
    INSERT INTO snowid.snowid_seal_key SELECT snowid_seal_key_create.number, made, CASE WHEN NOT EXISTS (SELECT FROM snowid.snowid_seal_key AS s WHERE s.current) THEN true END, now();
    RETURN number;
END $$;
COMMENT ON FUNCTION snowid.snowid_seal_key_create(integer, text) IS 'makes a key for sealed ids, or takes that of 64 hexadecimal digits, and gives its number; the first one becomes current';
REVOKE EXECUTE ON FUNCTION snowid.snowid_seal_key_create(integer, text) FROM PUBLIC;

CREATE OR REPLACE FUNCTION snowid.snowid_seal_key_use(number integer) RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM snowid._snowid_require_key(number);
    UPDATE snowid.snowid_seal_key AS s SET current = NULL WHERE s.current;
    UPDATE snowid.snowid_seal_key AS s SET current = true WHERE s.number = snowid_seal_key_use.number;
END $$;
COMMENT ON FUNCTION snowid.snowid_seal_key_use(integer) IS 'makes a key the one to seal with';
REVOKE EXECUTE ON FUNCTION snowid.snowid_seal_key_use(integer) FROM PUBLIC;

CREATE OR REPLACE FUNCTION snowid.snowid_seal_key_drop(number integer) RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF (SELECT current FROM snowid.snowid_seal_key AS s WHERE s.number = snowid_seal_key_drop.number) THEN
        RAISE EXCEPTION 'cannot drop key %, because it is the current key for sealed ids', number USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Use another one first: SELECT snowid.snowid_seal_key_create(), then snowid.snowid_seal_key_use(number).';
    END IF;
    PERFORM snowid._snowid_require_key(number);
    DELETE FROM snowid.snowid_seal_key AS s WHERE s.number = snowid_seal_key_drop.number;
END $$;
COMMENT ON FUNCTION snowid.snowid_seal_key_drop(integer) IS 'drops a key; what it sealed opens no more';
REVOKE EXECUTE ON FUNCTION snowid.snowid_seal_key_drop(integer) FROM PUBLIC;

CREATE OR REPLACE FUNCTION snowid.snowid_seal_key_reveal(number integer) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT snowid._snowid_require_key(number);
    SELECT encode(key, 'hex') FROM snowid.snowid_seal_key AS s WHERE s.number = snowid_seal_key_reveal.number
$$;
COMMENT ON FUNCTION snowid.snowid_seal_key_reveal(integer) IS 'a key as 64 hexadecimal digits, for a password store, an application or another database';
REVOKE EXECUTE ON FUNCTION snowid.snowid_seal_key_reveal(integer) FROM PUBLIC;

CREATE OR REPLACE VIEW snowid.snowid_seal_keys AS
    SELECT number, coalesce(current, false) AS current, created, encode(substr(snowid._snowid_hkdf(key, E'\\x736e6f7769642066696e6765727072696e74'::bytea), 1, 4), 'hex') AS fingerprint FROM snowid.snowid_seal_key ORDER BY number;
COMMENT ON VIEW snowid.snowid_seal_keys IS 'the keys of sealed ids, without what is secret';
REVOKE EXECUTE ON FUNCTION snowid.id_seal(bigint, text, integer), snowid.id_unseal(text, text), snowid.id_try_unseal(text, text) FROM PUBLIC;

-- time partitions -----------------------------------------------------------------

CREATE OR REPLACE FUNCTION snowid.snowid_partition_key(parent regclass, OUT scheme text, OUT id_type regtype) LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE atttypid WHEN 'bigint'::regtype THEN 'snowflake' ELSE 'uuidv7' END, atttypid::regtype
    FROM pg_partitioned_table JOIN pg_attribute ON attrelid = partrelid AND attnum = partattrs[0]
    WHERE partrelid = parent AND partstrat = 'r' AND partnatts = 1 AND atttypid IN ('bigint'::regtype, 'uuid'::regtype)
$$;
COMMENT ON FUNCTION snowid.snowid_partition_key(regclass) IS 'the scheme of the ids by which a table is partitioned, and the type that the scheme''s functions take';

-- Everybody writes the rows of their own tables, and removes those of tables that are gone.
CREATE TABLE IF NOT EXISTS snowid.snowid_partitioned (parent regclass PRIMARY KEY, every interval NOT NULL, ahead integer NOT NULL, behind integer NOT NULL, retain interval, expired text NOT NULL);
COMMENT ON TABLE snowid.snowid_partitioned IS 'what snowid_partition was told and snowid_maintain does; the next call removes rows of tables that are gone';
CREATE TABLE IF NOT EXISTS snowid.snowid_detached (partition regclass, parent regclass NOT NULL, starts timestamptz NOT NULL, ends timestamptz NOT NULL, detached timestamptz NOT NULL, PRIMARY KEY (parent, partition));
COMMENT ON TABLE snowid.snowid_detached IS 'the partitions that snowid has detached';
GRANT SELECT, INSERT, UPDATE, DELETE ON snowid.snowid_partitioned, snowid.snowid_detached TO PUBLIC;
CREATE OR REPLACE FUNCTION snowid._snowid_owns(parent regclass) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN coalesce((SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = parent), true);
END $$;
COMMENT ON FUNCTION snowid._snowid_owns(regclass) IS 'whether the caller has the rights of a table''s owner, or it is gone';
DO $$
DECLARE
    own pg_catalog.regclass;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_policy WHERE polname OPERATOR(pg_catalog.=) 'snowid_owner' AND polrelid OPERATOR(pg_catalog.=) 'snowid.snowid_partitioned'::pg_catalog.regclass) THEN
        -- A table that is not there yet will be somebody else's.
        CREATE POLICY snowid_owner ON snowid.snowid_partitioned USING (snowid._snowid_owns(parent))
            WITH CHECK (snowid._snowid_owns(parent) AND EXISTS (SELECT FROM pg_catalog.pg_class WHERE oid OPERATOR(pg_catalog.=) parent));
        CREATE POLICY snowid_owner ON snowid.snowid_detached USING (snowid._snowid_owns(parent))
            WITH CHECK (snowid._snowid_owns(parent) AND EXISTS (SELECT FROM pg_catalog.pg_class WHERE oid OPERATOR(pg_catalog.=) parent));
        CREATE POLICY snowid_read ON snowid.snowid_partitioned FOR SELECT USING (true);
        CREATE POLICY snowid_read ON snowid.snowid_detached FOR SELECT USING (true);
    END IF;
    -- ALTER TABLE would wait for readers
    FOR own IN SELECT oid::pg_catalog.regclass FROM pg_catalog.pg_class WHERE NOT relrowsecurity
            AND oid OPERATOR(pg_catalog.=) ANY ('{snowid.snowid_seal_key,snowid.snowid_partitioned,snowid.snowid_detached}'::pg_catalog.regclass[]) LOOP
        EXECUTE pg_catalog.format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', own);
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION snowid._snowid_require_owner(parent regclass) RETURNS void LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF parent IS NULL THEN
        RAISE EXCEPTION 'the table must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF NOT snowid._snowid_owns(parent) THEN
        RAISE EXCEPTION 'must be owner of table %', (SELECT relname FROM pg_class WHERE oid = parent) USING ERRCODE = 'insufficient_privilege';
    END IF;
END $$;
COMMENT ON FUNCTION snowid._snowid_require_owner(regclass) IS 'an error for anybody but the owner of a table';
CREATE OR REPLACE FUNCTION snowid._snowid_partition_record(parent regclass, every interval, ahead integer, behind integer, retain interval, expired text) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM snowid._snowid_require_owner(parent);
    INSERT INTO snowid.snowid_partitioned VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT ON CONSTRAINT snowid_partitioned_pkey DO UPDATE SET every = excluded.every, ahead = excluded.ahead, behind = excluded.behind, retain = excluded.retain, expired = excluded.expired;
END $$;
COMMENT ON FUNCTION snowid._snowid_partition_record(regclass, interval, integer, integer, interval, text) IS 'records the periods of a table for its owner';
CREATE OR REPLACE FUNCTION snowid._snowid_partition_detached(partition regclass, parent regclass, starts timestamptz, ends timestamptz, detached timestamptz) RETURNS void
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM snowid._snowid_require_owner(parent);
    INSERT INTO snowid.snowid_detached VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT ON CONSTRAINT snowid_detached_pkey DO UPDATE SET starts = excluded.starts, ends = excluded.ends, detached = excluded.detached;
END $$;
COMMENT ON FUNCTION snowid._snowid_partition_detached(regclass, regclass, timestamptz, timestamptz, timestamptz) IS 'records a partition that was detached, for the owner of its table';
CREATE OR REPLACE FUNCTION snowid.snowid_partition_forget(parent regclass) RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM snowid._snowid_require_owner(parent);
    DELETE FROM snowid.snowid_partitioned AS r WHERE r.parent = $1;
END $$;
COMMENT ON FUNCTION snowid.snowid_partition_forget(regclass) IS 'forgets the periods of a table, so that snowid_maintain leaves it alone and snowid_partition can be given others';
CREATE OR REPLACE FUNCTION snowid._snowid_partition_prune() RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM snowid.snowid_partitioned WHERE ctid = ANY (ARRAY(SELECT r.ctid FROM snowid.snowid_partitioned AS r
        WHERE NOT EXISTS (SELECT FROM pg_class WHERE oid = r.parent) FOR UPDATE SKIP LOCKED));
    DELETE FROM snowid.snowid_detached WHERE ctid = ANY (ARRAY(SELECT r.ctid FROM snowid.snowid_detached AS r
        WHERE NOT EXISTS (SELECT FROM pg_class WHERE oid = r.partition) OR NOT EXISTS (SELECT FROM pg_class WHERE oid = r.parent)
            OR EXISTS (SELECT FROM pg_inherits WHERE inhrelid = r.partition) FOR UPDATE SKIP LOCKED));
END $$;
COMMENT ON FUNCTION snowid._snowid_partition_prune() IS 'removes what is recorded about tables that are gone';
CREATE OR REPLACE FUNCTION snowid._snowid_maintain_table(parent regclass, step text, lock_timeout integer, OUT error text, OUT hint text)
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = parent) THEN RETURN; END IF;
    PERFORM snowid._snowid_require_owner(parent);
    PERFORM set_config('lock_timeout', lock_timeout::text, true);
    EXECUTE 'SELECT count(*) FROM snowid._snowid_partition_due($1, $2)' USING parent, step;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS error = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
    hint := nullif(hint, '');
    RAISE WARNING '% is not maintained: %', parent, error;
END $$;
COMMENT ON FUNCTION snowid._snowid_maintain_table(regclass, text, integer) IS 'one step of snowid_maintain for one table, in a subtransaction';

-- shared: partition_bound_time partition_bound partition_last_bound partition_bounds
CREATE OR REPLACE FUNCTION snowid._snowid_partition_bound_time(scheme text, bound text) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE CASE bound WHEN 'MINVALUE' THEN bound WHEN 'MAXVALUE' THEN bound ELSE scheme END
        WHEN 'MINVALUE' THEN '-infinity' WHEN 'MAXVALUE' THEN 'infinity'
        WHEN 'snowflake' THEN snowid.snowflake_time(bound::bigint)
        WHEN 'uuidv7' THEN snowid.uuidv7_time(bound::uuid)
    END;
$$;

CREATE OR REPLACE FUNCTION snowid._snowid_partition_bound(scheme text, "time" timestamptz) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE scheme
        WHEN 'snowflake' THEN snowid.snowflake_first("time", '>=')::text
        WHEN 'uuidv7' THEN snowid.uuidv7_first("time", '>=')::text
    END;
$$;

CREATE OR REPLACE FUNCTION snowid._snowid_partition_last_bound(scheme text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE scheme
        WHEN 'snowflake' THEN snowid.snowflake_last('(,)'::tstzrange)::text
        WHEN 'uuidv7' THEN snowid.uuidv7_last('(,)'::tstzrange)::text
    END;
$$;

CREATE OR REPLACE FUNCTION snowid._snowid_partition_bounds(scheme text, starts timestamptz, INOUT ends timestamptz,
    OUT first_id text, OUT next_id text)
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    next_id := snowid._snowid_partition_bound(scheme, ends);
    first_id := nullif(snowid._snowid_partition_bound(scheme, starts), next_id);
    IF next_id = snowid._snowid_partition_bound(scheme, 'infinity') THEN ends := 'infinity'; END IF;
    IF next_id = snowid._snowid_partition_last_bound(scheme) THEN next_id := 'MAXVALUE'; END IF;
END $$;
-- end of what is shared

CREATE OR REPLACE FUNCTION snowid.snowid_partitions(parent regclass,
    OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz, OUT state text, OUT detached timestamptz) RETURNS SETOF record
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    scheme text := (SELECT key.scheme FROM snowid.snowid_partition_key(parent) AS key);
BEGIN
    IF scheme IS NULL THEN
        RAISE EXCEPTION '% is not partitioned by the range of an id', parent USING ERRCODE = 'wrong_object_type',
            DETAIL = 'Its partition key must be one column of an id type, uuid or bigint.',
            HINT = 'Create it with PARTITION BY RANGE (id).';
    END IF;
    RETURN QUERY
        WITH child AS MATERIALIZED (
            SELECT c.oid, CASE WHEN (to_jsonb(pg_inherits) ->> 'inhdetachpending')::boolean THEN 'detaching' ELSE 'attached' END AS state,
                -- a uuid of another version stands for one of version 7 with the same time
                regexp_match(regexp_replace(pg_get_expr(relpartbound, 0), '([0-9a-f]{8}-[0-9a-f]{4}-).([0-9a-f]{3}-).', E'\\17\\28', 'g'),
                    '^FOR VALUES FROM [(]''?([^'']*?)''?[)] TO [(]''?([^'']*?)''?[)]$') AS bounds
            FROM pg_inherits JOIN pg_class AS c ON c.oid = inhrelid WHERE inhparent = snowid_partitions.parent),
        known (oid, starts, ends, state, detached) AS (
            SELECT oid,
                CASE bounds[1] WHEN 'MINVALUE' THEN '-infinity' ELSE snowid._snowid_partition_bound_time(scheme, bounds[1]) END,
                CASE bounds[2] WHEN 'MAXVALUE' THEN 'infinity' ELSE snowid._snowid_partition_bound_time(scheme, bounds[2]) END,
                state, NULL::timestamptz
            FROM child
            UNION ALL
            SELECT partition, starts, ends, 'detached', detached FROM snowid.snowid_detached AS remains
            WHERE remains.parent = snowid_partitions.parent AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = partition))
        SELECT oid::regclass, starts, ends, state, detached FROM known JOIN pg_class USING (oid) ORDER BY relname;
END $$;
COMMENT ON FUNCTION snowid.snowid_partitions(regclass) IS 'the partitions of a table that is partitioned by ranges of ids, and those that snowid detached from it, with the times at which they start and end; NULL for the default partition';

-- PostgreSQL 14 and later have it. In UTC, because days are not always as long elsewhere.
CREATE OR REPLACE FUNCTION snowid._snowid_date_bin(every interval, t timestamptz, origin timestamptz) RETURNS timestamptz
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (origin AT TIME ZONE 'UTC' + floor(date_part('epoch', t - origin) / date_part('epoch', every)) * every) AT TIME ZONE 'UTC';
END $$;
COMMENT ON FUNCTION snowid._snowid_date_bin(interval, timestamptz, timestamptz) IS 'the start of the period that contains a time, if the origin starts one';

-- shared: snowid_period partition_tables partition_grants
CREATE OR REPLACE FUNCTION snowid.snowid_period(t timestamptz, every interval) RETURNS timestamptz
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    months integer := extract(year FROM every) * 12 + extract(month FROM every);
    utc timestamp := t AT TIME ZONE 'UTC';
    since numeric := (extract(year FROM utc) - 2000) * 12 + extract(month FROM utc) - 1;
BEGIN
    RETURN CASE WHEN months > 0
        THEN (timestamp '2000-01-01' + floor(since / months) * months * interval '1 month') AT TIME ZONE 'UTC'
        ELSE snowid._snowid_date_bin(every, t, '2000-01-03 00:00:00Z') END;
END $$;
COMMENT ON FUNCTION snowid.snowid_period(timestamptz, interval) IS
    'the start of the period that contains a time, in UTC; '
    'months count from January 2000, days and hours from Monday, 3 January 2000';

CREATE OR REPLACE FUNCTION snowid._snowid_partition_tables(parent regclass) RETURNS SETOF regclass
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE found AS (
        SELECT parent::oid AS oid
        UNION ALL
        SELECT below.partrelid
            FROM found JOIN pg_catalog.pg_partitioned_table AS above ON above.partrelid = found.oid
                JOIN pg_catalog.pg_inherits ON inhparent = found.oid
                JOIN pg_catalog.pg_partitioned_table AS below ON below.partrelid = inhrelid
            WHERE NOT (above.partstrat = 'r' AND above.partnatts = 1)
                AND NOT EXISTS (SELECT FROM snowid.snowid_partitioned AS r WHERE r.parent = below.partrelid))
    SELECT found.oid::regclass FROM found LEFT JOIN pg_catalog.pg_partitioned_table AS p ON p.partrelid = found.oid
        WHERE p.partrelid IS NULL OR p.partstrat = 'r' AND p.partnatts = 1
            OR 0 = (SELECT count(*) FROM pg_catalog.pg_inherits JOIN pg_catalog.pg_partitioned_table AS below
                ON below.partrelid = inhrelid WHERE inhparent = found.oid)
        ORDER BY found.oid::regclass::text;
$$;

CREATE OR REPLACE FUNCTION snowid._snowid_partition_grants(parent regclass) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT array_agg(format('GRANT %s ON %%s TO %s%s', what, replace(
            CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END, '%', '%%'),
            CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END))
        FROM pg_catalog.pg_class AS c, LATERAL (
            SELECT grantee, is_grantable, privilege_type AS what FROM aclexplode(relacl)
            UNION ALL
            SELECT grantee, is_grantable, format('%s (%s)', privilege_type, replace(quote_ident(attname), '%', '%%'))
                FROM pg_catalog.pg_attribute, aclexplode(attacl) WHERE attrelid = c.oid AND NOT attisdropped) AS given
        WHERE c.oid = parent AND grantee <> relowner AND NOT relrowsecurity;
$$;
-- end of what is shared

CREATE OR REPLACE FUNCTION snowid._snowid_partition_make(parent regclass, every interval, ahead integer, behind integer, retain interval,
    OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz, OUT name text) RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    schema name;
    base name;
    scheme text;
    first timestamptz;
    retained timestamptz;
    bounds text[];
    made text;
    dated text;
    suffix text;
    tablespace text;
    owner regrole;
    grants text;
    in_months boolean := date_trunc('month', every) > interval '0';
BEGIN
    PERFORM FROM snowid.snowid_partitions(parent);  -- an error where it is not partitioned so
    SELECT key.scheme INTO scheme FROM snowid.snowid_partition_key(parent) AS key;
    SELECT nspname, relname INTO schema, base FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = parent;
    SELECT relowner, coalesce('TABLESPACE ' || quote_ident(spcname), '') INTO owner, tablespace
        FROM pg_class c LEFT JOIN pg_tablespace t ON t.oid = reltablespace WHERE c.oid = parent;
    first := snowid.snowid_period(clock_timestamp(), every);
    retained := snowid.snowid_period(clock_timestamp() - retain, every);
    BEGIN
        -- From one end of a period or a partition to the next there is a gap where as many partitions have ended as have begun.
        FOR starts, ends, bounds IN
            SELECT t, b.ends, ARRAY[b.first_id, b.next_id]
            FROM (SELECT t, lead(t) OVER (ORDER BY t) AS next, sum(sum(begun)) OVER (ORDER BY t) AS begun FROM (
                SELECT first + i * every, 0 FROM generate_series(-behind, ahead + 1) AS i
                UNION ALL SELECT unnest(ARRAY[p.starts, p.ends]), unnest(ARRAY[1, -1]) FROM snowid.snowid_partitions(parent) AS p WHERE p.starts < p.ends AND p.detached IS NULL) s (t, begun)
                GROUP BY t) s, snowid._snowid_partition_bounds(scheme, t, next) AS b
            WHERE begun = 0 AND t >= first - behind * every AND next <= first + (ahead + 1) * every AND coalesce(next > retained, true)
                AND b.first_id IS NOT NULL  -- it is not before the first id, or after the last
            ORDER BY t
        LOOP
            dated := to_char(starts, CASE WHEN in_months THEN '_YYYYMM' WHEN date_trunc('day', every) = every THEN '_YYYYMMDD' ELSE '_YYYYMMDD_HH24MISS' END);
            FOR other IN 0..100000 LOOP
                made := base;
                suffix := dated || coalesce('_' || nullif(other, 0), '');
                WHILE octet_length(made || suffix) > current_setting('max_identifier_length')::int LOOP made := left(made, -1); END LOOP;
                made := made || suffix;
                EXIT WHEN to_regclass(format('%I.%I', schema, made)) IS NULL;
            END LOOP;
            -- ATTACH lets readers and writers go on; PARTITION OF does not
            EXECUTE format('CREATE TABLE %I.%I (LIKE %s INCLUDING ALL EXCLUDING INDEXES EXCLUDING IDENTITY) %s', schema, made, parent, tablespace);
            EXECUTE format('ALTER TABLE %I.%I OWNER TO %s', schema, made, owner);
            FOR grants IN SELECT unnest(snowid._snowid_partition_grants(parent)) LOOP EXECUTE format(grants, format('%I.%I', schema, made)); END LOOP;
            EXECUTE format('ALTER TABLE %s ATTACH PARTITION %I.%I FOR VALUES FROM (%L) TO (%s)', parent, schema, made, bounds[1],
                CASE bounds[2] WHEN 'MAXVALUE' THEN bounds[2] ELSE quote_literal(bounds[2]) END);
            action := 'created';
            partition := format('%I.%I', schema, made)::regclass;
            name := partition;
            RETURN NEXT;
        END LOOP;
    EXCEPTION WHEN check_violation THEN
        RAISE EXCEPTION 'the default partition of % holds rows from % to %', parent, starts, ends USING ERRCODE = 'check_violation',
            HINT = 'In one transaction, detach it, make the partitions, insert its rows into the table and attach it again.';
    END;
END $$;
COMMENT ON FUNCTION snowid._snowid_partition_make(regclass, interval, integer, integer, interval) IS 'makes the partitions that a table lacks';

CREATE OR REPLACE FUNCTION snowid._snowid_partition_expire(parent regclass, every interval, retain interval, expired text,
    OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz, OUT name text) RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    ids regnamespace := 'snowid'::regnamespace;
    state text;
BEGIN
    FOR partition, starts, ends, state IN EXECUTE format('SELECT partition, starts, ends, state FROM %1$s.snowid_partitions($1)
        WHERE ends <= %1$s.snowid_period(clock_timestamp() - $2, $3) AND detached IS NULL ORDER BY starts', ids) USING parent, retain, every
    LOOP
        name := partition;
        EXECUTE format('ALTER TABLE %s DETACH PARTITION %s %s', parent, partition, CASE state WHEN 'detaching' THEN 'FINALIZE' END);
        IF expired = 'drop' THEN
            EXECUTE format('DROP TABLE %s', partition);
            action := 'dropped';
        ELSE
            EXECUTE format('SELECT %s._snowid_partition_detached($1, $2, $3, $4, clock_timestamp())', ids) USING partition, parent, starts, ends;
            action := 'detached';
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION snowid._snowid_partition_expire(regclass, interval, interval, text) IS 'detaches or drops the partitions of a table that are older than retain';

-- What is due for a table by its record: 'make', then 'expire'.
CREATE OR REPLACE FUNCTION snowid._snowid_partition_due(parent regclass, step text,
    OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz, OUT name text) RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    ids regnamespace := 'snowid'::regnamespace;
    period interval;
    ahead integer;
    behind integer;
    retain interval;
    expired text;
BEGIN
    -- one call at a time; readers and writers go on
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
    EXECUTE format('SELECT every, ahead, behind, retain, expired FROM %s.snowid_partitioned r WHERE r.parent = $1', ids)
        INTO period, ahead, behind, retain, expired USING parent;
    IF step = 'make' THEN
        RETURN QUERY EXECUTE format('SELECT m.* FROM %1$s._snowid_partition_tables($1) t, %1$s._snowid_partition_make(t, $2, $3, $4, $5) m', ids)
            USING parent, period, ahead, behind, retain;
    ELSIF retain IS NOT NULL THEN
        RETURN QUERY EXECUTE format('SELECT e.* FROM %1$s._snowid_partition_tables($1) t, %1$s._snowid_partition_expire(t, $2, $3, $4) e', ids)
            USING parent, period, retain, expired;
    END IF;
END $$;
COMMENT ON FUNCTION snowid._snowid_partition_due(regclass, text) IS 'what is due for a table by its record';

-- Refuses a period that the existing partitions do not fit: the last one has another length, or a gap does not start and end at a period's ends.
-- It would leave partitions of odd length, or gaps that are never filled.
CREATE OR REPLACE FUNCTION snowid._snowid_partition_fits(parent regclass, every interval, behind integer) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    ids regnamespace := 'snowid'::regnamespace;
    first timestamptz;
    misfit record;
BEGIN
    EXECUTE format('SELECT %s.snowid_period(clock_timestamp(), $1)', ids) INTO first USING every;
    EXECUTE format($query$
        WITH p AS MATERIALIZED (SELECT partition, starts, ends, lag(ends) OVER w AS before, lead(starts) OVER w AS after
            FROM %1$s.snowid_partitions($1) WHERE starts < ends AND detached IS NULL WINDOW w AS (ORDER BY starts))
        SELECT partition, starts, ends, %1$s.snowid_period(starts, $2) AS period FROM p
        WHERE starts > $3 AND isfinite(ends) AND ends = (SELECT max(ends) FROM p WHERE isfinite(ends)) AND ends <> %1$s.snowid_period(starts, $2) + $2
        UNION ALL SELECT partition, starts, ends, %1$s.snowid_period(ends, $2) FROM p
        WHERE ends >= $3 - $4 * $2 AND isfinite(ends) AND ends IS DISTINCT FROM after AND %1$s.snowid_period(ends, $2) <> ends
        UNION ALL SELECT partition, starts, ends, %1$s.snowid_period(starts, $2) FROM p
        WHERE starts > $3 - $4 * $2 AND isfinite(starts) AND starts IS DISTINCT FROM before AND %1$s.snowid_period(starts, $2) <> starts
        LIMIT 1$query$, ids) INTO misfit USING parent, every, first, behind;
    IF misfit IS NOT NULL THEN
        RAISE EXCEPTION 'the partitions of % do not fit periods of %', parent, every USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('%s is from %s to %s, but a period is from %s to %s.', misfit.partition, misfit.starts, misfit.ends, misfit.period, misfit.period + every),
            HINT = 'Use the period that the partitions have. Or drop the empty ones ahead, and make one by hand that ends where a period starts.';
    END IF;
END $$;
COMMENT ON FUNCTION snowid._snowid_partition_fits(regclass, interval, integer) IS 'refuses a period that the partitions of a table do not have';

CREATE OR REPLACE FUNCTION snowid.snowid_partition(parent regclass, every interval DEFAULT NULL, ahead integer DEFAULT NULL, behind integer DEFAULT NULL,
    retain interval DEFAULT NULL, expired text DEFAULT NULL,
    OUT action text, OUT partition regclass, OUT starts timestamptz, OUT ends timestamptz, OUT name text) RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    ids regnamespace := 'snowid'::regnamespace;
    known record;
    told record;
BEGIN
    IF parent IS NULL THEN
        RAISE EXCEPTION 'the table to partition must not be NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    EXECUTE format('SELECT coalesce($1, (SELECT r.every FROM %s.snowid_partitioned r WHERE r.parent = $2))', ids) INTO every USING every, parent;
    IF every IS NULL THEN
        RAISE EXCEPTION 'no period is recorded for %', parent USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Say how long one is, such as every => ''1 month''.';
    END IF;
    IF every NOT BETWEEN '1 second' AND '1000 years'
            OR date_trunc('month', every) > interval '0' AND extract(epoch FROM every - date_trunc('month', every)) <> 0 THEN
        RAISE EXCEPTION 'a partition cannot cover %', every USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'The period must be from a second to 1000 years, and whole months or no months.';
    END IF;
    IF ahead NOT BETWEEN 0 AND 10000 OR behind NOT BETWEEN 0 AND 10000 THEN
        RAISE EXCEPTION 'ahead and behind must be from 0 to 10000' USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'PostgreSQL plans slowly for a table of thousands of partitions.', HINT = 'For more, use a longer period.';
    END IF;
    IF retain NOT BETWEEN '0' AND '1000 years' THEN
        RAISE EXCEPTION 'retain must be from 0 to 1000 years' USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Without retain nothing expires.';
    END IF;
    IF retain IS NOT NULL AND expired = 'keep' THEN
        RAISE EXCEPTION 'retain cannot be combined with expired => ''keep''' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF expired NOT IN ('detach', 'drop', 'keep') THEN
        RAISE EXCEPTION 'invalid action for an expired partition: %', quote_literal(expired) USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Use detach, drop, or keep, which clears retain.';
    END IF;
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
    EXECUTE format('SELECT %s._snowid_partition_prune()', ids);
    EXECUTE format('SELECT r.every, r.ahead, r.behind, r.retain, r.expired FROM %s.snowid_partitioned r WHERE r.parent = $1', ids) INTO known USING parent;
    IF known.every <> every OR date_trunc('month', known.every) <> date_trunc('month', every) THEN
        RAISE EXCEPTION '% has partitions of %, not of %', parent, known.every, every USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('The first call of snowid_partition recorded %s as its period.', known.every),
            HINT = format('To change the period, drop the empty partitions ahead, run SELECT snowid.snowid_partition_forget(%L), and call snowid.snowid_partition again.', parent);
    END IF;
    SELECT coalesce(known.every, every) AS every, coalesce(ahead, known.ahead, 3) AS ahead, coalesce(behind, known.behind, 0) AS behind,
        CASE WHEN expired IS DISTINCT FROM 'keep' THEN coalesce(retain, known.retain) END AS retain,
        coalesce(nullif(expired, 'keep'), known.expired, 'detach') AS expired INTO told;
    IF known.every IS NULL THEN
        EXECUTE format('SELECT %1$s._snowid_partition_fits(t, $2, $3) FROM %1$s._snowid_partition_tables($1) t', ids) USING parent, every, told.behind;
    END IF;
    IF told::text IS DISTINCT FROM known::text THEN
        EXECUTE format('SELECT %s._snowid_partition_record($1, $2, $3, $4, $5, $6)', ids) USING parent, told.every, told.ahead, told.behind, told.retain, told.expired;
    END IF;
    RETURN QUERY EXECUTE format('SELECT * FROM %s._snowid_partition_due($1, ''make'')', ids) USING parent;
    RETURN QUERY EXECUTE format('SELECT * FROM %s._snowid_partition_due($1, ''expire'')', ids) USING parent;
END $$;
COMMENT ON FUNCTION snowid.snowid_partition(regclass, interval, integer, integer, interval, text) IS 'makes the missing time partitions of a table that is partitioned by ranges of ids: the current one, those ahead and those behind; detaches or drops those that are older than retain; and records all this for snowid_maintain';

CREATE OR REPLACE FUNCTION snowid._snowid_maintain_begin(parent regclass, lock_timeout interval, OUT tables regclass[], OUT patience integer)
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    patience := extract(epoch FROM lock_timeout) * 1000;
    IF patience IS NULL OR patience < 1 THEN
        RAISE EXCEPTION 'lock_timeout must be at least a millisecond' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM snowid._snowid_partition_prune();
    SELECT coalesce(array_agg(r.parent ORDER BY r.parent::oid), '{}') INTO tables FROM snowid.snowid_partitioned r JOIN pg_class c ON c.oid = r.parent
        WHERE coalesce(r.parent = _snowid_maintain_begin.parent, pg_has_role(relowner, 'USAGE'));
    IF parent IS NOT NULL AND tables = '{}' THEN
        RAISE EXCEPTION 'no period is recorded for %', parent USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call snowid.snowid_partition first.';
    END IF;
END $$;
COMMENT ON FUNCTION snowid._snowid_maintain_begin(regclass, interval) IS 'the tables that snowid_maintain works on, and how long it waits for locks in milliseconds';
CREATE OR REPLACE FUNCTION snowid._snowid_maintain_end(tables regclass[], errors jsonb) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF errors <> '{}' THEN
        RAISE EXCEPTION '% of % tables could not be maintained', (SELECT count(*) FROM jsonb_each(errors)), cardinality(tables)
            USING ERRCODE = 'object_not_in_prerequisite_state',
                DETAIL = (SELECT string_agg(format('%s: %s', key, value->>'error'), E'\n' ORDER BY key) FROM jsonb_each(errors)),
                HINT = concat_ws(E'\n', (SELECT string_agg(DISTINCT value->>'hint', E'\n') FROM jsonb_each(errors)), 'What was done for other tables stays.');
    END IF;
END $$;
COMMENT ON FUNCTION snowid._snowid_maintain_end(regclass[], jsonb) IS 'an error if a table could not be maintained';

-- It commits, so it has no search_path of its own, and names everything with its schema.
CREATE OR REPLACE PROCEDURE snowid.snowid_maintain(parent regclass DEFAULT NULL, lock_timeout interval DEFAULT '2 seconds')
    LANGUAGE plpgsql AS $$
DECLARE
    run pg_catalog.record;
    tbl pg_catalog.regclass;
    step pg_catalog.text;
    failed pg_catalog.record;
    errors pg_catalog.jsonb := '{}';
BEGIN
    BEGIN
        COMMIT;  -- fails here in any case, and where it could not commit either, with another message
    EXCEPTION WHEN invalid_transaction_termination THEN
        IF pg_catalog.texteq(SQLERRM, 'invalid transaction termination') THEN
            RAISE EXCEPTION 'this procedure commits, so it cannot run in a transaction block or a function' USING ERRCODE = 'invalid_transaction_termination',
                HINT = 'Call it as a statement of its own. In a transaction, snowid_partition does for one table what snowid_maintain does.';
        END IF;
    END;
    SELECT * INTO run FROM snowid._snowid_maintain_begin(parent, lock_timeout);
    COMMIT;
    FOREACH tbl IN ARRAY run.tables LOOP
        FOREACH step IN ARRAY ARRAY['make'::pg_catalog.text, 'expire'::pg_catalog.text] LOOP
            SELECT * INTO failed FROM snowid._snowid_maintain_table(tbl, step, run.patience);
            COMMIT;
            IF failed.error IS NOT NULL THEN
                errors := errors OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object(tbl, pg_catalog.to_jsonb(failed));
            END IF;
        END LOOP;
    END LOOP;
    PERFORM snowid._snowid_maintain_end(run.tables, errors);
END $$;
COMMENT ON PROCEDURE snowid.snowid_maintain(regclass, interval) IS 'does for each table of the caller that snowid_partition was told of what is due now, and commits after each; an error at its end says which tables failed';
