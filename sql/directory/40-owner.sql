
-- what the owner calls --------------------------------------------------------

CREATE FUNCTION snowid_directory._require_layout(layout text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF layout ~ '^epoch=[-0-9T:.Z]+,tick=[1-9][0-9]*(us|ms|s),time=[1-9][0-9]?(,[a-z_][a-z0-9_]*=[1-9][0-9]?)+$' THEN
        RETURN;
    END IF;
    RAISE EXCEPTION 'this layout is not in its canonical form: %', coalesce(layout, 'NULL')
        USING ERRCODE = 'invalid_parameter_value',
        HINT = 'On a server of the fleet, SELECT snowid_layout_canonical(...) shows it.';
END $$;
COMMENT ON FUNCTION snowid_directory._require_layout(text) IS 'refuses a text that no server would send as its layout';

-- A server's snos have the same number as partition, which has 16 bits.
CREATE FUNCTION snowid_directory._worker_max(layout text) RETURNS integer
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT least((1::bigint << coalesce(sum(f.part[2]::integer), 0)::integer) - 1, 65535)::integer
    FROM regexp_matches(layout, ',([a-z_][a-z0-9_]*)=([0-9]+)', 'g') f (part)
    WHERE f.part[1] NOT IN ('tick', 'time', 'sequence')
$$;
COMMENT ON FUNCTION snowid_directory._worker_max(text) IS
    'the largest worker id that a server with the layout can have';

CREATE FUNCTION snowid_directory._require_range(first integer, last integer, worker_max integer) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF first BETWEEN 1 AND last AND last <= worker_max THEN RETURN; END IF;
    RAISE EXCEPTION 'there are no worker ids from % to %', coalesce(first::text, 'NULL'), coalesce(last::text, 'NULL')
        USING ERRCODE = 'invalid_parameter_value',
        DETAIL = CASE
            WHEN first IS NULL OR last IS NULL THEN 'Both ends must be given.'
            WHEN first > last THEN 'The first is greater than the last.'
            ELSE format('They are from 1 to %s. 0 is what a server has that nobody set up.', worker_max) END;
END $$;
COMMENT ON FUNCTION snowid_directory._require_range(integer, integer, integer) IS
    'refuses numbers that the fleet''s layout does not have';

CREATE FUNCTION snowid_directory._require_used_until(used_until timestamptz) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF isfinite(used_until) THEN RETURN; END IF;
    RAISE EXCEPTION 'used_until must be a time' USING ERRCODE = 'invalid_parameter_value',
        DETAIL = 'It says that nobody has made or makes an id of that time or later with the worker ids.';
END $$;
COMMENT ON FUNCTION snowid_directory._require_used_until(timestamptz) IS 'refuses what is no time';

CREATE FUNCTION snowid_directory._require_known(first integer, last integer) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM snowid_directory.worker w WHERE w.worker BETWEEN first AND last) THEN RETURN; END IF;
    RAISE EXCEPTION 'the directory has no worker ids from % to %',
        coalesce(first::text, 'NULL'), coalesce(last::text, 'NULL') USING ERRCODE = 'undefined_object';
END $$;
COMMENT ON FUNCTION snowid_directory._require_known(integer, integer) IS 'refuses numbers that were never added';

CREATE FUNCTION snowid_directory.add(layout text, first integer, last integer,
    used_until timestamptz DEFAULT now() + interval '10 s') RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known text;
    worker integer;
BEGIN
    LOCK TABLE snowid_directory.fleet IN SHARE ROW EXCLUSIVE MODE;
    PERFORM snowid_directory._require_layout(layout);
    SELECT f.layout INTO known FROM snowid_directory.fleet f;
    IF known <> layout THEN
        RAISE EXCEPTION 'the fleet has another layout' USING ERRCODE = 'invalid_parameter_value',
            DETAIL = format('It is "%s".', known);
    END IF;
    PERFORM snowid_directory._require_range(first, last, snowid_directory._worker_max(layout));
    PERFORM snowid_directory._require_used_until(used_until);
    SELECT min(w.worker) INTO worker FROM snowid_directory.worker w WHERE w.open AND w.worker BETWEEN first AND last;
    IF worker IS NOT NULL THEN
        RAISE EXCEPTION 'worker id % is already given out', worker USING ERRCODE = 'duplicate_object',
            HINT = 'Add only those that are not. If one is also used by hand, close it at once.';
    END IF;
    PERFORM set_config('snowid_directory.is_adding', 'yes', true);
    INSERT INTO snowid_directory.fleet (layout, incarnation, floor_ns, quiet_until, secret)
        SELECT layout, snowid_directory._incarnation(), 0, '-infinity',
            sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) WHERE known IS NULL;
    INSERT INTO snowid_directory.worker AS w (worker, open, until_ns)
        SELECT n, true, snowid_directory._ns(used_until) FROM generate_series(first, last) n
        ON CONFLICT ON CONSTRAINT worker_pkey
            DO UPDATE SET open = true, until_ns = greatest(w.until_ns, excluded.until_ns);
    PERFORM set_config('snowid_directory.is_adding', '', true);
    PERFORM snowid_directory._keep_range(), snowid_directory._count_free(snowid_directory._ns(clock_timestamp()));
END $$;
COMMENT ON FUNCTION snowid_directory.add(text, integer, integer, timestamptz) IS
    'lets the directory give these worker ids out, including closed ones. Nobody who had them by hand may have made '
    'an id of used_until or later, or make one again. The first call fixes the fleet''s layout';

-- Without its token the holder cannot go on if the number is opened again: it may be used by hand in between.
CREATE FUNCTION snowid_directory.close(first integer, last integer) RETURNS timestamptz
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    until_ns bigint;
BEGIN
    PERFORM snowid_directory._require_known(first, last);
    LOCK TABLE snowid_directory.fleet IN SHARE ROW EXCLUSIVE MODE;
    UPDATE snowid_directory.worker w SET open = false, token = NULL WHERE w.worker BETWEEN first AND last;
    PERFORM snowid_directory._keep_range(), snowid_directory._count_free(snowid_directory._ns(clock_timestamp()));
    SELECT max(greatest(w.until_ns, f.floor_ns)) INTO until_ns
        FROM snowid_directory.worker w, snowid_directory.fleet f WHERE w.worker BETWEEN first AND last;
    RETURN timestamptz 'epoch' + (until_ns / 1000 + 1) * interval '1 microsecond';
END $$;
COMMENT ON FUNCTION snowid_directory.close(integer, integer) IS
    'stops giving these worker ids out; a server that has one takes another within its lease. Returns the '
    'time from which they can be used by hand: no id of theirs is of that time or later';

CREATE FUNCTION snowid_directory.take_back(first integer, last integer, used_until timestamptz) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM snowid_directory._require_known(first, last), snowid_directory._require_used_until(used_until);
    LOCK TABLE snowid_directory.fleet IN SHARE ROW EXCLUSIVE MODE;
    UPDATE snowid_directory.worker w SET until_ns = least(w.until_ns, snowid_directory._ns(used_until)),
        token = NULL, expires = '-infinity', lease_ms = 0, ahead_ns = 0 WHERE w.worker BETWEEN first AND last;
    PERFORM snowid_directory._keep_range(), snowid_directory._count_free(snowid_directory._ns(clock_timestamp()));
END $$;
COMMENT ON FUNCTION snowid_directory.take_back(integer, integer, timestamptz) IS
    'takes the time from used_until on back from whoever has these worker ids. The owner says that they made no id of '
    'that time or later and will never make one, for example because the server is gone for good';

-- The floor of an earlier loss stays: it is over by now.
CREATE FUNCTION snowid_directory.trust() RETURNS void
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    LOCK TABLE snowid_directory.fleet IN SHARE ROW EXCLUSIVE MODE;
    UPDATE snowid_directory.fleet SET incarnation = snowid_directory._incarnation(), quiet_until = '-infinity',
        settles_until = '-infinity', floor_ns = least(floor_ns, snowid_directory._ns(clock_timestamp())),
        lost_at = NULL, twice = NULL, twice_at = NULL;
$$;
COMMENT ON FUNCTION snowid_directory.trust() IS
    'ends quiet time, and takes findings away: the owner says that the directory has lost no commit. It can '
    'also be called after a planned switchover, before a server asks';

CREATE FUNCTION snowid_directory.lossless(is_so boolean) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF is_so IS NULL THEN
        RAISE EXCEPTION 'lossless must be true or false' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    LOCK TABLE snowid_directory.fleet IN SHARE ROW EXCLUSIVE MODE;
    PERFORM snowid_directory._fleet();
    UPDATE snowid_directory.fleet SET lossless = is_so;
END $$;
COMMENT ON FUNCTION snowid_directory.lossless(boolean) IS
    'says whether a failover never loses a commit, as with strict synchronous replication. If that is so, a new '
    'timeline begins no quiet time. If it is said and not so, worker ids are given out twice';

-- The checks of a server whose database has the directory show these, too.
CREATE FUNCTION snowid_directory.check(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record
    LANGUAGE sql VOLATILE SECURITY DEFINER ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
    SELECT 'directory', format('worker id %s is out twice, which was noticed at %s', f.twice, f.twice_at),
            'Two servers may have made the same ids. Find them with script/fleet-report. Once it is understood, and '
                || 'quiet time is over, run SELECT snowid_directory.trust() to end this message.', 'error'
        FROM snowid_directory.fleet f WHERE f.twice IS NOT NULL
    UNION ALL
    SELECT 'directory', format('the directory lost commits, which was noticed at %s, although it is said to lose none',
            f.lost_at),
            'Find out how. Until then run SELECT snowid_directory.lossless(false). Once quiet time is over, '
                || 'SELECT snowid_directory.trust() ends this message.', 'error'
        FROM snowid_directory.fleet f WHERE f.lost_at IS NOT NULL
    UNION ALL
    SELECT 'directory', format('the directory gives out no worker ids until %s, because it was promoted or restored',
            greatest(f.quiet_until, f.settles_until)),
            'Servers that have one renew it. Do not switch over again or restart servers before then. If no commit was '
                || 'lost, SELECT snowid_directory.trust() ends it.', 'warning'
        FROM snowid_directory.fleet f
        WHERE greatest(f.quiet_until, f.settles_until) > clock_timestamp() AND NOT pg_is_in_recovery()
    UNION ALL
    SELECT 'directory', format('while max_connections are in use, %s cannot reach the directory', string_agg(
                quote_ident(r.rolname), ' and ' ORDER BY r.rolname)),
            'Set reserved_connections above 0 and restart. GRANT pg_use_reserved_connections to the servers'' role.',
            'note'
        FROM pg_roles r
        WHERE r.rolcanlogin AND NOT r.rolsuper AND has_function_privilege(r.oid,
                'snowid_directory.renew(integer, integer, uuid, bigint, bigint, integer)', 'EXECUTE')
            AND (current_setting('reserved_connections', true)::integer = 0
                OR NOT pg_has_role(r.oid, to_regrole('pg_use_reserved_connections'), 'USAGE'))
        HAVING count(*) > 0
$$;
COMMENT ON FUNCTION snowid_directory.check() IS 'what a person should know about the directory now';

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA snowid_directory FROM PUBLIC;
GRANT USAGE ON SCHEMA snowid_directory TO pg_monitor;
GRANT EXECUTE ON FUNCTION snowid_directory.check() TO pg_monitor;
