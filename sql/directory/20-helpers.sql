
-- helpers ---------------------------------------------------------------------

CREATE FUNCTION snowid_directory._ns(t timestamptz) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
    AS $$ SELECT (extract(epoch FROM t) * 1000000)::bigint * 1000 $$;
COMMENT ON FUNCTION snowid_directory._ns(timestamptz) IS 'a time as nanoseconds of Unix time';

CREATE FUNCTION snowid_directory._shown(ns bigint) RETURNS text
    LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
    AS $$ SELECT to_char(timestamptz 'epoch' + ns / 1000 * interval '1 microsecond', 'YYYY-MM-DD HH24:MI:SSOF') $$;
COMMENT ON FUNCTION snowid_directory._shown(bigint) IS 'the time for a message';

-- Not pg_control_checkpoint(): until the first checkpoint after a promotion that one says the old timeline. A dump that
-- is restored makes another table, and a copy by CREATE DATABASE another database.
CREATE FUNCTION snowid_directory._incarnation() RETURNS text
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
    AS $$
        SELECT concat_ws('/', system_identifier, substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8),
            d.oid || '.' || 'snowid_directory.fleet'::regclass::oid)
        FROM pg_control_system(), pg_database AS d
        WHERE d.datname = current_database()
    $$;
COMMENT ON FUNCTION snowid_directory._incarnation() IS
    'which cluster this is, on which timeline, and which table of which of its databases';

CREATE FUNCTION snowid_directory._require_request(protocol integer, clock_ns bigint, lease_ms integer) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF protocol IS DISTINCT FROM 1 THEN
        RAISE EXCEPTION 'the directory does not speak protocol %', coalesce(protocol::text, 'NULL')
            USING ERRCODE = 'feature_not_supported',
            DETAIL = 'It speaks protocol 1.', HINT = 'Install the newer version of both snowid and snowid_directory.';
    END IF;
    IF clock_ns IS NULL OR lease_ms IS NULL OR lease_ms NOT BETWEEN 1 AND 86400000 THEN
        RAISE EXCEPTION 'the directory cannot give out a piece of % ms', coalesce(lease_ms::text, 'NULL')
            USING ERRCODE = 'invalid_parameter_value',
            DETAIL = 'A server must send its clock and ask for 1 ms to one day.';
    END IF;
    IF pg_is_in_recovery() THEN
        RAISE EXCEPTION 'the directory is a standby' USING ERRCODE = 'read_only_sql_transaction',
            HINT = 'Name its primary, or all of its hosts with target_session_attrs=read-write.';
    END IF;
    -- An older snapshot would not show quiet time that has begun.
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'the directory must be called in a READ COMMITTED transaction'
            USING ERRCODE = 'invalid_transaction_state';
    END IF;
END $$;
COMMENT ON FUNCTION snowid_directory._require_request(integer, bigint, integer) IS
    'refuses what no directory could answer';

CREATE FUNCTION snowid_directory._fleet() RETURNS snowid_directory.fleet
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    fleet snowid_directory.fleet;
BEGIN
    SELECT f.* INTO fleet FROM snowid_directory.fleet f;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'this server has no worker id' USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = 'The directory has none to give out.',
            HINT = 'In the directory, run: SELECT snowid_directory.add(...);';
    END IF;
    RETURN fleet;
END $$;
COMMENT ON FUNCTION snowid_directory._fleet() IS 'what all worker ids have in common';

CREATE FUNCTION snowid_directory._require_member(fleet snowid_directory.fleet, layout text, clock_ns bigint)
    RETURNS void LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    ahead_ns bigint := clock_ns - snowid_directory._ns(clock_timestamp());
BEGIN
    IF layout IS DISTINCT FROM fleet.layout THEN
        RAISE EXCEPTION 'this server''s layout is not its fleet''s' USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('The server has "%s", the fleet has "%s".', layout, fleet.layout),
            HINT = 'Give the server the layout of the fleet, or another directory.';
    END IF;
    IF ahead_ns > 60000000000 THEN
        RAISE EXCEPTION 'this server''s clock is % ahead of its directory''s', CASE WHEN ahead_ns < 7200000000000
                THEN ahead_ns / 60000000000 || ' min' ELSE ahead_ns / 3600000000000 || ' h' END
            USING ERRCODE = 'system_error',
            DETAIL = format('The server''s clock says %s.', snowid_directory._shown(clock_ns)),
            HINT = 'Correct the clock that is wrong. It may be the directory''s.';
    END IF;
END $$;
COMMENT ON FUNCTION snowid_directory._require_member(snowid_directory.fleet, text, bigint) IS
    'refuses a server that has another layout than the fleet, or a clock far ahead';

-- One half of a token is drawn. The other half proves that the directory gave out this piece of this worker id,
-- whatever it has lost since.
CREATE FUNCTION snowid_directory._token(drawn text, worker integer, until_ns bigint) RETURNS uuid
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    SELECT (drawn || left(encode(sha256(f.secret || convert_to(concat_ws(' ', drawn, worker, until_ns), 'UTF8')),
        'hex'), 16))::uuid
    FROM snowid_directory.fleet f
$$;
COMMENT ON FUNCTION snowid_directory._token(text, integer, bigint) IS
    'the token of a piece, of which one half has been drawn';

CREATE FUNCTION snowid_directory._first_half(token uuid) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
    AS $$ SELECT left(replace(token::text, '-', ''), 16) $$;
COMMENT ON FUNCTION snowid_directory._first_half(uuid) IS 'the half of a token that is drawn';

CREATE FUNCTION snowid_directory._new_token(worker integer, until_ns bigint) RETURNS uuid
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    SELECT snowid_directory._token(snowid_directory._first_half(gen_random_uuid()), worker, until_ns)
$$;
COMMENT ON FUNCTION snowid_directory._new_token(integer, bigint) IS 'draws the token of a piece';

-- Commits may have been lost: what they gave out is over when the quiet time is. A fleet that was restored from a dump
-- may be so old that it does not know the leads of its servers. What a server held can show that there was a loss. How
-- long quiet time lasts is only for what the directory has recorded to say, and no server extends it.
CREATE FUNCTION snowid_directory._begin_quiet(held_until_ns bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    fleet snowid_directory.fleet := snowid_directory._fleet();
    here text := snowid_directory._incarnation();
    now timestamptz := clock_timestamp();
    longest_ms bigint := (SELECT coalesce(max(w.lease_ms), 0) FROM snowid_directory.worker w);
    is_restored boolean := split_part(here, '/', 1) <> split_part(fleet.incarnation, '/', 1)
        OR split_part(here, '/', 3) <> split_part(fleet.incarnation, '/', 3);
    longest_ns bigint := greatest(fleet.lead_ns, CASE WHEN is_restored THEN 120000000000 END);
    quiet timestamptz := now + longest_ns / 1000 * interval '1 microsecond' + longest_ms * interval '1 millisecond';
BEGIN
    -- Only one of those that notice at once has to.
    UPDATE snowid_directory.fleet f SET incarnation = here, lead_ns = longest_ns,
        quiet_until = greatest(f.quiet_until, quiet), floor_ns = greatest(f.floor_ns, snowid_directory._ns(quiet))
        WHERE f.incarnation <> here OR f.quiet_until <= now AND f.floor_ns < held_until_ns;
END $$;
COMMENT ON FUNCTION snowid_directory._begin_quiet(bigint) IS
    'makes the directory give nothing out for a while, because it may have lost commits';

CREATE FUNCTION snowid_directory._keep_lead(until_ns bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    ahead_ns bigint := least(until_ns - snowid_directory._ns(clock_timestamp()), 600000000000);
BEGIN
    -- In whole seconds, so that it is written a few times and not always.
    UPDATE snowid_directory.fleet f SET lead_ns = (ahead_ns / 1000000000 + 1) * 1000000000 WHERE f.lead_ns < ahead_ns;
END $$;
COMMENT ON FUNCTION snowid_directory._keep_lead(bigint) IS 'remembers how far ahead pieces end';

-- A closed number counts until its last piece is over.
CREATE FUNCTION snowid_directory._range(clock_ns bigint, OUT first integer, OUT last integer, OUT free integer)
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    SELECT min(w.worker), max(w.worker), (count(*) FILTER (WHERE w.open AND w.expires <= clock_timestamp()
        AND greatest(w.until_ns, f.floor_ns) <= clock_ns))::integer
    FROM snowid_directory.worker w, snowid_directory.fleet f
    WHERE w.open OR w.until_ns > snowid_directory._ns(clock_timestamp())
$$;
COMMENT ON FUNCTION snowid_directory._range(bigint) IS
    'the first and the last worker id that the directory gives out, and '
    'how many a server with this clock could take';

-- The directory's clock was set back. Without this nothing would be free for as long as that.
CREATE FUNCTION snowid_directory._pull_back() RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE snowid_directory.worker w SET expires = clock_timestamp() + w.lease_ms * interval '1 millisecond'
        WHERE w.worker IN (SELECT l.worker FROM snowid_directory.worker l
            WHERE l.expires > clock_timestamp() + l.lease_ms * interval '1 millisecond' FOR UPDATE SKIP LOCKED);
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION snowid_directory._pull_back() IS
    'lets no holder count as alive for longer than its lease; returns whether one did';

CREATE FUNCTION snowid_directory._refuse(fleet snowid_directory.fleet, clock_ns bigint, worker_max integer) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    numbers bigint;
    next_ns bigint;
    detail text;
BEGIN
    SELECT count(*), min(greatest(w.until_ns, fleet.floor_ns)) FILTER (WHERE w.expires <= clock_timestamp())
        INTO numbers, next_ns
        FROM snowid_directory.worker w WHERE w.open AND w.worker <= worker_max;
    detail := CASE
        WHEN numbers = 0 THEN format('The directory has none that is open and at most %s, '
            'which is the largest that this server can have.', worker_max)
        WHEN next_ns > clock_ns THEN format('The free worker ids are used up to %s, and this server''s clock says %s.',
            snowid_directory._shown(next_ns), snowid_directory._shown(clock_ns))
        ELSE format('All %s worker ids are held.', numbers) END;
    RAISE EXCEPTION 'this server has no worker id' USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = detail,
        HINT = CASE WHEN next_ns > clock_ns THEN 'Wait until then. ' ELSE '' END
            || 'In the directory, snowid_directory.workers shows who has them, and snowid_directory.add() adds more.';
END $$;
COMMENT ON FUNCTION snowid_directory._refuse(snowid_directory.fleet, bigint, integer) IS
    'tells why a server gets no worker id';
