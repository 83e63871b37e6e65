
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
-- is restored makes another table, a copy by CREATE DATABASE another database, and TRUNCATE, which a restore of the
-- data alone begins with, other files.
CREATE FUNCTION snowid_directory._incarnation() RETURNS text
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
    AS $$
        SELECT concat_ws('/', system_identifier, substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8),
            concat_ws(' ', d.oid, 'snowid_directory.fleet'::regclass::oid,
                pg_relation_filenode('snowid_directory.fleet'), pg_relation_filenode('snowid_directory.worker')))
        FROM pg_control_system(), pg_database AS d
        WHERE d.datname = current_database()
    $$;
CREATE FUNCTION snowid_directory._without_timeline(incarnation text) RETURNS text
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT split_part(incarnation, '/', 1) || '/' || split_part(incarnation, '/', 3) $$;
COMMENT ON FUNCTION snowid_directory._without_timeline(text) IS 'what a failover leaves as it was';

COMMENT ON FUNCTION snowid_directory._incarnation() IS
    'which cluster this is, on which timeline, and which tables of which of its databases';

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

CREATE FUNCTION snowid_directory._require_member(fleet snowid_directory.fleet, layout text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF layout IS DISTINCT FROM fleet.layout THEN
        RAISE EXCEPTION 'this server''s layout is not its fleet''s' USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('The server has "%s", the fleet has "%s".', layout, fleet.layout),
            HINT = 'Give the server the layout of the fleet, or another directory.';
    END IF;
END $$;
COMMENT ON FUNCTION snowid_directory._require_member(snowid_directory.fleet, text) IS
    'refuses a server that has another layout than the fleet';

-- So the end of a piece is bounded by the directory's own clock. Who has a number goes on where either clock was set.
CREATE FUNCTION snowid_directory._require_clock(clock_ns bigint, furthest interval) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    ahead_ns bigint := clock_ns - snowid_directory._ns(clock_timestamp());
BEGIN
    IF ahead_ns > extract(epoch FROM furthest) * 1000000000 THEN
        RAISE EXCEPTION 'this server''s clock is % ahead of its directory''s', CASE WHEN ahead_ns < 7200000000000
                THEN ahead_ns / 60000000000 || ' min' ELSE ahead_ns / 3600000000000 || ' h' END
            USING ERRCODE = 'system_error',
            DETAIL = format('The server''s clock says %s.', snowid_directory._shown(clock_ns)),
            HINT = 'Correct the clock that is wrong. It may be the directory''s.';
    END IF;
END $$;
COMMENT ON FUNCTION snowid_directory._require_clock(bigint, interval) IS
    'refuses a server whose clock is further ahead than this';

-- A token is, in hexadecimal digits: 8 of the chain, which a take draws and renewals keep; 6 that are drawn for each
-- piece; 6 of the second at which the chain's time begins; and 12 that prove that the directory gave out this piece of
-- this worker id, whatever it has lost since.
CREATE FUNCTION snowid_directory._token(said text, worker integer, until_ns bigint) RETURNS uuid
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    SELECT (said || left(encode(sha256(f.secret || convert_to(concat_ws(' ', said, worker, until_ns), 'UTF8')),
        'hex'), 12))::uuid
    FROM snowid_directory.fleet f
$$;
COMMENT ON FUNCTION snowid_directory._token(text, integer, bigint) IS 'the token of a piece, with its proof';

CREATE FUNCTION snowid_directory._said(token uuid) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
    AS $$ SELECT left(replace(token::text, '-', ''), 20) $$;
COMMENT ON FUNCTION snowid_directory._said(uuid) IS 'what a token says besides its proof';

CREATE FUNCTION snowid_directory._chain(token uuid) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
    AS $$ SELECT left(token::text, 8) $$;
COMMENT ON FUNCTION snowid_directory._chain(uuid) IS 'what all tokens of one holder have in common';

-- Not before it, so that what ends where this begins does not look as if it did not.
CREATE FUNCTION snowid_directory._from_ns(token uuid, until_ns bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
    SELECT (t.until - ((t.until - ('x' || substr(snowid_directory._said(token), 15))::bit(24)::integer) & 16777215))
        * 1000000000
    FROM (SELECT until_ns / 1000000000 AS until) t
$$;
COMMENT ON FUNCTION snowid_directory._from_ns(uuid, bigint) IS
    'the second at which the time of the token''s holder begins';

-- Without a chain it draws that, too.
CREATE FUNCTION snowid_directory._new_token(chain text, worker integer, from_ns bigint, until_ns bigint) RETURNS uuid
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    SELECT snowid_directory._token(coalesce(chain, left(drawn.digits, 8)) || right(drawn.digits, 6)
        || lpad(to_hex(least(from_ns / 1000000000 + 1, until_ns / 1000000000) & 16777215), 6, '0'), worker, until_ns)
    FROM (SELECT gen_random_uuid()::text AS digits) drawn
$$;
COMMENT ON FUNCTION snowid_directory._new_token(text, integer, bigint, bigint) IS 'draws the token of a piece';

CREATE FUNCTION snowid_directory._longest_lease() RETURNS interval
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(max(w.lease_ms), 0) * interval '1 millisecond' FROM snowid_directory.worker w
$$;
COMMENT ON FUNCTION snowid_directory._longest_lease() IS 'the longest lease that a server asked for last';

CREATE FUNCTION snowid_directory._longest_lead() RETURNS interval
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$ SELECT interval '10 min' $$;
COMMENT ON FUNCTION snowid_directory._longest_lead() IS
    'how far ahead of the directory''s the clock of a server may be that has a worker id';

-- A lead is as old as its row's last renewal, which replaces it, also where the row's time ends later. Clocks say
-- nothing of its age: after a recovery to an earlier time all of them look old.
CREATE FUNCTION snowid_directory._lead() RETURNS interval
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    SELECT least(greatest(f.lead_ns, (SELECT max(w.ahead_ns) FROM snowid_directory.worker w)) / 1000
        * interval '1 microsecond', snowid_directory._longest_lead())
    FROM snowid_directory.fleet f
$$;
COMMENT ON FUNCTION snowid_directory._lead() IS
    'how far ahead of the directory''s clock pieces end, of which it may have lost the record';

-- Of the longest lease, because a row's own may be what is lost.
CREATE FUNCTION snowid_directory._tolerance() RETURNS interval
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    SELECT least(f.tolerance, snowid_directory._longest_lease() / 8) FROM snowid_directory.fleet f
$$;
COMMENT ON FUNCTION snowid_directory._tolerance() IS 'how far the clocks of an old and a new directory may differ';

-- Commits may have been lost: what they gave out is over when the quiet time is. How long that lasts is only for what
-- the directory has recorded to say, and no server extends it. A fleet that was restored from a dump may be so old that
-- it does not know the leads of its servers.
CREATE FUNCTION snowid_directory._begin_quiet(held_until_ns bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    here text := snowid_directory._incarnation();
    now timestamptz := clock_timestamp();
    is_restored boolean := snowid_directory._without_timeline(here)
        <> snowid_directory._without_timeline((snowid_directory._fleet()).incarnation);
    lead interval := greatest(snowid_directory._lead(), CASE WHEN is_restored THEN interval '2 min' END);
    quiet timestamptz := now + lead + snowid_directory._longest_lease();
BEGIN
    -- Only one of those that notice at once has to.
    UPDATE snowid_directory.fleet f SET incarnation = here,
        quiet_until = greatest(f.quiet_until, quiet), floor_ns = greatest(f.floor_ns, snowid_directory._ns(quiet)),
        lost_at = CASE WHEN f.lossless AND f.incarnation = here THEN now ELSE f.lost_at END
        WHERE f.incarnation <> here OR f.quiet_until <= now AND f.floor_ns < held_until_ns;
END $$;
COMMENT ON FUNCTION snowid_directory._begin_quiet(bigint) IS
    'makes the directory give nothing out for a while, because it may have lost commits';

-- Where the owner says that a failover loses nothing, every holder that is there has renewed once when it has settled.
-- One session notices it, and may not have committed yet. Nobody waits for that.
CREATE FUNCTION snowid_directory._notice_incarnation(fleet snowid_directory.fleet) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    here text := snowid_directory._incarnation();
BEGIN
    PERFORM FROM snowid_directory.fleet f WHERE f.incarnation <> here FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN; END IF;
    IF fleet.lossless AND snowid_directory._without_timeline(here)
        = snowid_directory._without_timeline(fleet.incarnation) THEN
        UPDATE snowid_directory.fleet f SET incarnation = here,
            settles_until = clock_timestamp() + snowid_directory._longest_lease() / 4 + interval '10 s'
            WHERE f.incarnation = fleet.incarnation;
    ELSE
        PERFORM snowid_directory._begin_quiet(NULL);
    END IF;
END $$;
COMMENT ON FUNCTION snowid_directory._notice_incarnation(snowid_directory.fleet) IS
    'begins what must pass after a failover or a restore';

-- A server whose renewal is refused may prove that something was lost, or that another one has its time. Whoever may
-- renew can invent a token, but not its proof. Returns whether the number is out twice. The warning is for the log
-- alone: the server would take it for one about the commit.
CREATE FUNCTION snowid_directory._examine(worker integer, held uuid, held_until_ns bigint) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known snowid_directory.worker;
    fleet snowid_directory.fleet := snowid_directory._fleet();
    is_twice boolean;
BEGIN
    IF (held = snowid_directory._token(snowid_directory._said(held), worker, held_until_ns)) IS NOT TRUE THEN
        RETURN false;
    END IF;
    SELECT w.* INTO known FROM snowid_directory.worker w WHERE w.worker = _examine.worker;
    is_twice := coalesce(snowid_directory._chain(known.token) <> snowid_directory._chain(held)
        AND known.from_ns < held_until_ns
        AND snowid_directory._from_ns(held, held_until_ns) < known.until_ns, false);
    IF NOT is_twice AND known.until_ns >= held_until_ns THEN RETURN false; END IF;
    PERFORM set_config('client_min_messages', 'error', true);
    IF is_twice THEN
        UPDATE snowid_directory.fleet SET twice = _examine.worker, twice_at = clock_timestamp();
        RAISE WARNING 'snowid: worker id % is out twice', worker
            USING DETAIL = format('Another server has it until %s.', snowid_directory._shown(known.until_ns)),
            HINT = 'Both may have made the same ids. script/fleet-report of snowid finds them.';
    ELSIF fleet.lossless AND fleet.quiet_until <= clock_timestamp() AND fleet.floor_ns < held_until_ns THEN
        RAISE WARNING 'snowid: the directory has lost a record of what it gave out, although it is said to lose nothing'
            USING DETAIL = format('A server has worker id %s until %s, and the directory does not know that.',
                worker, snowid_directory._shown(held_until_ns)),
            HINT = 'Until this is understood, run: SELECT snowid_directory.lossless(false);';
    END IF;
    PERFORM snowid_directory._begin_quiet(held_until_ns);
    RETURN is_twice;
END $$;
COMMENT ON FUNCTION snowid_directory._examine(integer, uuid, bigint) IS
    'looks for a proof that commits were lost in a renewal that is refused';

-- A closed number counts until its last piece is over.
CREATE FUNCTION snowid_directory._keep_range() RETURNS void
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
    UPDATE snowid_directory.fleet f SET lowest = r.lowest, highest = r.highest,
        narrows_at = timestamptz 'epoch' + (r.narrows_ns / 1000 + 1) * interval '1 microsecond'
    FROM (SELECT min(w.worker) AS lowest, max(w.worker) AS highest,
            min(w.until_ns) FILTER (WHERE NOT w.open) AS narrows_ns
        FROM snowid_directory.worker w
        WHERE w.open OR w.until_ns > snowid_directory._ns(clock_timestamp())) r
$$;
COMMENT ON FUNCTION snowid_directory._keep_range() IS
    'remembers the first and the last worker id that the directory gives out';

CREATE FUNCTION snowid_directory._count_free(clock_ns bigint) RETURNS integer
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    counted integer;
BEGIN
    SELECT count(*) INTO counted FROM snowid_directory.worker w, snowid_directory.fleet f
        WHERE w.open AND w.expires <= clock_timestamp() AND greatest(w.until_ns, f.floor_ns) <= clock_ns;
    PERFORM FROM snowid_directory.fleet FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
        UPDATE snowid_directory.fleet SET free = counted, counted_at = clock_timestamp();
    END IF;
    RETURN counted;
END $$;
COMMENT ON FUNCTION snowid_directory._count_free(bigint) IS
    'how many worker ids a server with this clock could take, which is remembered';

-- Each renewal asks for this, and one of them does it. Nobody waits for another one that does the same.
CREATE FUNCTION snowid_directory._is_old(fleet snowid_directory.fleet) RETURNS boolean
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT least(fleet.narrows_at, fleet.counted_at + interval '1 min') <= clock_timestamp() $$;
COMMENT ON FUNCTION snowid_directory._is_old(snowid_directory.fleet) IS
    'whether the range may be narrower by now, or more worker ids free';

CREATE FUNCTION snowid_directory._look_again() RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM FROM snowid_directory.fleet f WHERE snowid_directory._is_old(f) FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
        PERFORM snowid_directory._keep_range(), snowid_directory._count_free(snowid_directory._ns(clock_timestamp()));
    END IF;
END $$;
COMMENT ON FUNCTION snowid_directory._look_again() IS
    'takes a closed worker id whose time is over out of the range, and counts those that are free';

-- The directory's clock was set back. Without this nothing would be free for as long as that. What a renewal gives is
-- left: who has it may renew after a failover that loses this.
CREATE FUNCTION snowid_directory._pull_back() RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    latest timestamptz := clock_timestamp() + snowid_directory._tolerance();
BEGIN
    UPDATE snowid_directory.worker w SET expires = latest + w.lease_ms * interval '1.25 millisecond'
        WHERE w.worker IN (SELECT l.worker FROM snowid_directory.worker l
            WHERE l.expires > latest + l.lease_ms * interval '1.25 millisecond' FOR UPDATE SKIP LOCKED);
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION snowid_directory._pull_back() IS
    'lets no holder count as alive for longer than its lease allows; returns whether one did';

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
