
-- what servers call -----------------------------------------------------------
-- An answer counts when its transaction is over and brought no WARNING: a synchronous commit that is cancelled warns.

CREATE FUNCTION snowid_directory.take(protocol integer, layout text, clock_ns bigint, lease_ms integer,
    worker_max integer, holder text,
    OUT worker integer, OUT token uuid, OUT from_ns bigint, OUT until_ns bigint, OUT now_ns bigint,
    OUT first integer, OUT last integer, OUT free integer) RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    fleet snowid_directory.fleet;
    quiet timestamptz;
    taken timestamptz;
BEGIN
    PERFORM snowid_directory._require_request(protocol, clock_ns, lease_ms);
    PERFORM set_config('synchronous_commit', 'on', true), set_config('client_min_messages', 'warning', true);
    fleet := snowid_directory._fleet();
    PERFORM snowid_directory._require_member(fleet, layout), snowid_directory._require_clock(clock_ns, '1 min');
    IF fleet.incarnation <> snowid_directory._incarnation() THEN
        PERFORM snowid_directory._notice_incarnation(fleet);
        RETURN;
    END IF;
    quiet := greatest(fleet.quiet_until, fleet.settles_until);
    IF quiet > clock_timestamp() THEN
        RAISE EXCEPTION 'this server has no worker id' USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = format('The directory gives out none before %s: it has been restored or promoted.',
                snowid_directory._shown(snowid_directory._ns(quiet))),
            HINT = 'If it has lost no commit, its owner can end this: SELECT snowid_directory.trust().';
    END IF;

    SELECT w.worker, greatest(w.until_ns, fleet.floor_ns) INTO worker, from_ns FROM snowid_directory.worker w
        WHERE w.open AND w.worker <= worker_max
            AND w.expires <= clock_timestamp() AND greatest(w.until_ns, fleet.floor_ns) <= clock_ns
        ORDER BY w.until_ns, w.worker LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        IF NOT snowid_directory._pull_back() THEN
            PERFORM snowid_directory._refuse(fleet, clock_ns, worker_max);
        END IF;
        RETURN;
    END IF;
    taken := clock_timestamp();
    until_ns := clock_ns + lease_ms * 1000000::bigint;
    UPDATE snowid_directory.worker w SET
        from_ns = take.from_ns, until_ns = take.until_ns,
        token = snowid_directory._new_token(NULL, w.worker, take.from_ns, take.until_ns),
        expires = taken + take.lease_ms * interval '1.25 millisecond', lease_ms = take.lease_ms,
        ahead_ns = take.until_ns - snowid_directory._ns(taken),
        holder = take.holder, address = inet_client_addr(), since = taken, renewed = taken
        WHERE w.worker = take.worker RETURNING w.token INTO token;
    IF NOT FOUND THEN RETURN; END IF;
    free := snowid_directory._count_free(clock_ns);
    SELECT f.lowest, f.highest INTO first, last FROM snowid_directory.fleet f;
    now_ns := snowid_directory._ns(clock_timestamp());
    RETURN NEXT;
END $$;
COMMENT ON FUNCTION snowid_directory.take(integer, text, bigint, integer, integer, text) IS
    'gives a server a worker id and a piece of its time, from the end of what was given '
    'out to clock_ns + lease_ms. An error tells why there is none. If there is no row, the '
    'directory has put something right first; ask it again';

-- A call that waits for the directory's standby keeps its row's lock. The next one of that server does not hang, too.
-- Only the holder locks the row, because a caller may keep its transaction open for as long as it likes.
CREATE FUNCTION snowid_directory._lock(worker integer, token uuid) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM FROM snowid_directory.worker w WHERE w.worker = _lock.worker AND w.token = _lock.token
        FOR UPDATE SKIP LOCKED;
    IF FOUND OR NOT EXISTS (SELECT FROM snowid_directory.worker w WHERE w.worker = _lock.worker
        AND w.token = _lock.token) THEN RETURN; END IF;
    RAISE EXCEPTION 'an earlier renewal of worker id % has not ended', worker USING ERRCODE = 'lock_not_available',
        DETAIL = 'It may wait for the directory''s synchronous standby.';
END $$;
COMMENT ON FUNCTION snowid_directory._lock(integer, uuid) IS
    'locks the worker id of the token''s holder, or refuses to wait for it';

CREATE FUNCTION snowid_directory.renew(protocol integer, worker integer, INOUT token uuid, clock_ns bigint,
    held_until_ns bigint, lease_ms integer,
    OUT until_ns bigint, OUT now_ns bigint, OUT first integer, OUT last integer, OUT free integer) RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    fleet snowid_directory.fleet;
    held uuid := token;
    asked_ns bigint := clock_ns + lease_ms * 1000000::bigint;
    renewed_at timestamptz;
    alive_at timestamptz;
BEGIN
    PERFORM snowid_directory._require_request(protocol, clock_ns, lease_ms);
    PERFORM set_config('synchronous_commit', 'on', true), set_config('client_min_messages', 'warning', true);
    PERFORM snowid_directory._require_clock(clock_ns, snowid_directory._longest_lead());
    fleet := snowid_directory._fleet();
    IF fleet.incarnation <> snowid_directory._incarnation() THEN
        PERFORM snowid_directory._notice_incarnation(fleet);
        fleet := snowid_directory._fleet();
    END IF;
    IF fleet.incarnation <> snowid_directory._incarnation() THEN
        fleet.floor_ns := 9223372036854775807;
    END IF;
    PERFORM snowid_directory._lock(worker, token);
    renewed_at := clock_timestamp();
    -- Below the floor an equal token does not prove that nothing of the row was lost: its holder may have been late,
    -- and another one may have taken it in what is lost. Nobody took it while it had not expired, by any clock.
    IF held_until_ns < fleet.floor_ns THEN
        alive_at := renewed_at + snowid_directory._tolerance();
    END IF;
    UPDATE snowid_directory.worker w SET
        until_ns = greatest(w.until_ns, asked_ns),
        token = snowid_directory._new_token(snowid_directory._chain(w.token), w.worker, w.from_ns,
            greatest(w.until_ns, asked_ns)),
        expires = renewed_at + renew.lease_ms * interval '1.25 millisecond', lease_ms = renew.lease_ms,
        ahead_ns = asked_ns - snowid_directory._ns(renewed_at), renewed = renewed_at
        WHERE w.worker = renew.worker AND w.token = renew.token AND w.open AND (w.until_ns >= fleet.floor_ns
            OR w.expires > alive_at AND w.expires <= alive_at + w.lease_ms * interval '1.25 millisecond')
        RETURNING w.token, w.until_ns INTO token, until_ns;
    IF NOT FOUND THEN
        IF NOT snowid_directory._examine(worker, held, held_until_ns) THEN RETURN; END IF;
        token := NULL;
    END IF;
    IF snowid_directory._is_old(fleet) THEN
        PERFORM snowid_directory._look_again();
    END IF;
    SELECT f.lowest, f.highest, coalesce(f.free, 0) INTO first, last, free FROM snowid_directory.fleet f;
    now_ns := snowid_directory._ns(clock_timestamp());
    RETURN NEXT;
END $$;
COMMENT ON FUNCTION snowid_directory.renew(integer, integer, uuid, bigint, bigint, integer) IS
    'lets the holder of the token go on, to clock_ns + lease_ms or to held_until_ns, which it has already. If there '
    'is no row, the worker id is lost, and the holder uses its piece to the end. If there is a row without a token, '
    'another server has the worker id at the same time, and the holder ends at once. An error changes nothing';
