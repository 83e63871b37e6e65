-- A directory gives each worker id's time out in pieces, and each piece once. All that lies before a worker's until_ns
-- has been given out; until_ns only grows, unless the owner takes time back. Every name is written with its schema, and
-- functions fix their search_path. Nothing here is newer than PostgreSQL 13.

SET LOCAL search_path = pg_catalog, pg_temp;

COMMENT ON SCHEMA snowid_directory IS 'gives worker ids of snowid out to the servers of a fleet';

-- Room for the next version of every row on its page.
CREATE TABLE snowid_directory.worker (
    worker integer PRIMARY KEY CHECK (worker > 0),  -- a server that nobody set up is worker 0
    open boolean NOT NULL,
    from_ns bigint NOT NULL DEFAULT 0,
    until_ns bigint NOT NULL,
    token uuid,
    expires timestamptz NOT NULL DEFAULT '-infinity',
    lease_ms integer NOT NULL DEFAULT 0,
    ahead_ns bigint NOT NULL DEFAULT 0,
    holder text,
    address inet,
    since timestamptz,
    renewed timestamptz
) WITH (fillfactor = 40);
COMMENT ON TABLE snowid_directory.worker IS 'the worker ids that the directory gives out';
COMMENT ON COLUMN snowid_directory.worker.worker IS 'the worker id';
COMMENT ON COLUMN snowid_directory.worker.open IS 'whether it may be given out and renewed';
COMMENT ON COLUMN snowid_directory.worker.from_ns IS 'where the holder''s time begins, as until_ns';
COMMENT ON COLUMN snowid_directory.worker.until_ns IS
    'all of its time before this has been given out; Unix time in '
    'nanoseconds, by the clocks of the servers that make ids';
COMMENT ON COLUMN snowid_directory.worker.token IS
    'what the holder renews with. Every answer has a new one, which begins with the same eight digits as long as one '
    'server has the worker id';
COMMENT ON COLUMN snowid_directory.worker.expires IS
    'until then the holder counts as alive, by the directory''s clock: its lease and a quarter of it';
COMMENT ON COLUMN snowid_directory.worker.lease_ms IS 'how much time was asked for last';
COMMENT ON COLUMN snowid_directory.worker.ahead_ns IS
    'how far ahead of the directory''s clock the time ended that was asked for last';
COMMENT ON COLUMN snowid_directory.worker.holder IS 'what the holder calls itself; nothing depends on it';
COMMENT ON COLUMN snowid_directory.worker.address IS
    'where the holder took it from, or the address of a pooler between them';
COMMENT ON COLUMN snowid_directory.worker.since IS 'when the holder took it';
COMMENT ON COLUMN snowid_directory.worker.renewed IS 'when the holder asked last';

CREATE TABLE snowid_directory.fleet (
    layout text NOT NULL,
    incarnation text NOT NULL,
    floor_ns bigint NOT NULL,
    quiet_until timestamptz NOT NULL,
    lead_ns bigint NOT NULL DEFAULT 60000000000,
    tolerance interval NOT NULL DEFAULT '5 s' CHECK (tolerance >= '0'),
    lossless boolean NOT NULL DEFAULT false,
    settles_until timestamptz NOT NULL DEFAULT '-infinity',
    lowest integer,
    highest integer,
    narrows_at timestamptz,
    free integer,
    counted_at timestamptz NOT NULL DEFAULT '-infinity',
    lost_at timestamptz,
    twice integer,
    twice_at timestamptz,
    secret bytea NOT NULL
);
CREATE UNIQUE INDEX fleet_is_one ON snowid_directory.fleet ((true));
COMMENT ON TABLE snowid_directory.fleet IS 'what all worker ids of the directory have in common; one row';
COMMENT ON COLUMN snowid_directory.fleet.layout IS 'the layout that every server of the fleet has';
COMMENT ON COLUMN snowid_directory.fleet.incarnation IS
    'the cluster, the timeline, the database and the tables that answered last';
COMMENT ON COLUMN snowid_directory.fleet.floor_ns IS
    'no piece that is taken begins before this: what is lost may have been given out';
COMMENT ON COLUMN snowid_directory.fleet.quiet_until IS
    'until then no worker id is given out, because commits may have been lost';
COMMENT ON COLUMN snowid_directory.fleet.lead_ns IS
    'how far ahead of the directory''s clock the end of a piece may at least have been';
COMMENT ON COLUMN snowid_directory.fleet.tolerance IS
    'after a loss, the clocks of the old and of the new directory differ by less than this, and by less than an '
    'eighth of the longest lease';
COMMENT ON COLUMN snowid_directory.fleet.lossless IS 'whether the owner says that a failover loses no commit';
COMMENT ON COLUMN snowid_directory.fleet.settles_until IS
    'until then no worker id is given out after a failover that is said to have lost nothing';
COMMENT ON COLUMN snowid_directory.fleet.lowest IS 'the first worker id that the directory gives out';
COMMENT ON COLUMN snowid_directory.fleet.highest IS 'the last one';
COMMENT ON COLUMN snowid_directory.fleet.narrows_at IS 'when the time of a closed worker id is over';
COMMENT ON COLUMN snowid_directory.fleet.free IS 'how many were left when they were counted last';
COMMENT ON COLUMN snowid_directory.fleet.counted_at IS 'when that was: a minute ago at most where servers renew';
COMMENT ON COLUMN snowid_directory.fleet.lost_at IS
    'when a server proved a loss although the owner said that there is none';
COMMENT ON COLUMN snowid_directory.fleet.twice IS 'a worker id that two servers had at the same time';
COMMENT ON COLUMN snowid_directory.fleet.twice_at IS 'when that was noticed';
COMMENT ON COLUMN snowid_directory.fleet.secret IS 'what tokens are made with';

-- A subscriber must not become a second directory, so rows that come by replication are dropped. A restore is none,
-- even with session_replication_role = replica. Without a replica identity a publication would refuse our own changes.
CREATE FUNCTION snowid_directory._drop_replicated() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    is_replicated boolean := EXISTS (SELECT FROM pg_stat_get_subscription(NULL) s WHERE s.pid = pg_backend_pid());
BEGIN
    -- Who sets up an origin may ask for it; others may not even name the function.
    IF NOT is_replicated AND has_function_privilege('pg_replication_origin_session_is_setup()', 'EXECUTE') THEN
        is_replicated := pg_replication_origin_session_is_setup();
    END IF;
    IF is_replicated THEN RETURN NULL; END IF;
    IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION snowid_directory._drop_replicated() IS 'drops rows that logical replication brings';
CREATE TRIGGER drop_replicated BEFORE INSERT OR UPDATE OR DELETE ON snowid_directory.worker
    FOR EACH ROW EXECUTE FUNCTION snowid_directory._drop_replicated();
CREATE TRIGGER drop_replicated BEFORE INSERT OR UPDATE OR DELETE ON snowid_directory.fleet
    FOR EACH ROW EXECUTE FUNCTION snowid_directory._drop_replicated();

-- Rows that are put back are those of an earlier time. Only add() inserts any, and says so.
CREATE FUNCTION snowid_directory._note_restore() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('snowid_directory.is_adding', true) = 'yes' THEN RETURN NEW; END IF;
    IF TG_TABLE_NAME = 'fleet' THEN NEW.incarnation := ''; END IF;
    UPDATE snowid_directory.fleet f SET incarnation = '' WHERE f.incarnation <> '';
    RETURN NEW;
END $$;
COMMENT ON FUNCTION snowid_directory._note_restore() IS 'makes the directory notice that rows were put back';
CREATE TRIGGER note_restore BEFORE INSERT ON snowid_directory.worker
    FOR EACH ROW EXECUTE FUNCTION snowid_directory._note_restore();
CREATE TRIGGER note_restore BEFORE INSERT ON snowid_directory.fleet
    FOR EACH ROW EXECUTE FUNCTION snowid_directory._note_restore();
ALTER TABLE snowid_directory.worker ENABLE ALWAYS TRIGGER drop_replicated;
ALTER TABLE snowid_directory.fleet ENABLE ALWAYS TRIGGER drop_replicated;
ALTER TABLE snowid_directory.worker ENABLE ALWAYS TRIGGER note_restore;
ALTER TABLE snowid_directory.fleet ENABLE ALWAYS TRIGGER note_restore;
ALTER TABLE snowid_directory.worker REPLICA IDENTITY FULL;
ALTER TABLE snowid_directory.fleet REPLICA IDENTITY FULL;

CREATE VIEW snowid_directory.workers AS
    SELECT w.worker,
        CASE WHEN NOT w.open THEN 'closed'
            WHEN w.expires > now.at THEN 'held'
            WHEN w.until > now.at THEN 'expired'
            ELSE 'free' END AS state,
        w.holder, w.address, w.since, w.renewed, w.expires, w.until
    FROM (SELECT *, timestamptz 'epoch' + until_ns / 1000 * interval '1 microsecond' AS until
            FROM snowid_directory.worker) w,
        (SELECT pg_catalog.clock_timestamp() AS at) now;
COMMENT ON VIEW snowid_directory.workers IS 'who has which worker id';
COMMENT ON COLUMN snowid_directory.workers.worker IS 'the worker id';
COMMENT ON COLUMN snowid_directory.workers.state IS
    'held; expired: nobody renews it, and its time is not over; free; or closed';
COMMENT ON COLUMN snowid_directory.workers.holder IS 'what the server that took it last calls itself';
COMMENT ON COLUMN snowid_directory.workers.address IS 'the address it came from';
COMMENT ON COLUMN snowid_directory.workers.since IS 'when it took the worker id';
COMMENT ON COLUMN snowid_directory.workers.renewed IS 'when it asked last';
COMMENT ON COLUMN snowid_directory.workers.expires IS 'when it stops being held, unless it asks again';
COMMENT ON COLUMN snowid_directory.workers.until IS 'ids before this may exist already, by the clocks of the servers';
