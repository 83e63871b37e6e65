"""Ways to read what is new in a table, each beside four writers: rows a second, how late a row arrives, and how many are missing.

    BENCH_BIN=/usr/lib/postgresql/15/bin BENCH_FOLDER=/var/tmp/outbox bench/outbox.py [SECONDS]

snowid must be installed in that PostgreSQL. The last two columns are those of a second run, in which a transaction of another
database stays open and has an xid.
"""
import os
import re
import select
import statistics
import sys
import threading
import time

from server import Server

SECONDS = int(sys.argv[1]) if len(sys.argv) > 1 else 10
CLIENTS = 4
NOW = "(extract(epoch FROM clock_timestamp()) * 1e6)::bigint"
TABLE = f"CREATE TABLE outbox (id snowflake PRIMARY KEY DEFAULT snowflake_next(), made bigint NOT NULL DEFAULT {NOW}, body text NOT NULL"
PLAIN = f"{TABLE});"


class Poller:
    setup = PLAIN
    pause = 0.01
    tail = 2  # seconds after which everything has arrived

    def __init__(self, session):
        self.session, self.last = session, 0

    def poll(self):
        """The rows that are new: id, when it was made."""
        self.session.cursor.execute(self.sql, [self.last])
        rows = self.session.cursor.fetchall()
        if rows:
            self.last = rows[-1][0]
        return rows


class Naive(Poller):
    name = "`id > last`"
    sql = "SELECT id, made FROM outbox WHERE id > %s ORDER BY id LIMIT 10000"


class Behind(Poller):
    name = "10 s behind"
    tail = 12
    sql = "SELECT id, made FROM outbox WHERE id > %s AND id < snowflake_lower_bound(now() - interval '10 s') ORDER BY id LIMIT 10000"


class Safe(Poller):
    name = "`snowid_safe_horizon()`"
    sql = "SELECT id, made FROM outbox WHERE id > %s AND id < snowid_safe_horizon() ORDER BY id LIMIT 10000"


class Xid8(Poller):
    name = "a column `xid8`"
    setup = f"{TABLE}, xid xid8 NOT NULL DEFAULT pg_current_xact_id()); CREATE INDEX ON outbox (xid, id);"
    place = ("0", 0)

    def poll(self):
        self.session.cursor.execute(
            "SELECT id, made, xid::text FROM outbox WHERE (xid, id) > (%s::xid8, %s::bigint) AND xid < pg_snapshot_xmin(pg_current_snapshot()) "
            "ORDER BY xid, id LIMIT 10000", self.place)
        rows = self.session.cursor.fetchall()
        if rows:
            self.place = (rows[-1][2], rows[-1][0])
        return [row[:2] for row in rows]


class Notify(Poller):
    name = "`NOTIFY` for each row"
    setup = PLAIN + """
        CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_notify('outbox', NEW.id || ' ' || NEW.made); RETURN NULL; END$$;
        CREATE TRIGGER tell AFTER INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION tell();"""
    pause = 0

    def __init__(self, session):
        super().__init__(session)
        session.run("LISTEN outbox")

    def poll(self):
        connection = self.session.connection
        select.select([connection], [], [], 0.1)
        connection.poll()
        told = [tuple(map(int, n.payload.split())) for n in connection.notifies]
        connection.notifies.clear()
        return told


class Decoding(Poller):
    name = "logical decoding"
    row = re.compile(r"id\[\w+\]:'?(\d+)'? made\[\w+\]:(\d+)")

    def __init__(self, session):
        super().__init__(session)
        session.run("SELECT pg_create_logical_replication_slot('outbox', 'test_decoding')")

    def poll(self):
        self.session.run("SELECT data FROM pg_logical_slot_get_changes('outbox', NULL, 10000)")
        found = (self.row.search(data) for [data] in self.session.cursor.fetchall() if data.startswith("table"))
        return [tuple(map(int, match.groups())) for match in found if match]


def run(server, way, hold):
    """Rows a second, lags in seconds, and how many rows are missing."""
    server.create_database("bench", f"CREATE EXTENSION snowid; {way.setup}")
    with server.connect() as session, server.connect("postgres") as other, server.connect() as counter:
        poller, got, lags, until = way(session), set(), [], [None]
        if hold:
            other.run("BEGIN; SELECT pg_current_xact_id()")

        def poll():
            while until[0] is None or time.time() < until[0]:
                rows = poller.poll()
                now = time.time()
                got.update(int(id) for id, _ in rows)
                lags.extend(now - made / 1e6 for _, made in rows)
                time.sleep(poller.pause)

        thread = threading.Thread(target=poll)
        thread.start()
        tps = server.pgbench("BEGIN;\nINSERT INTO outbox (body) VALUES ('x');\nINSERT INTO outbox (body) VALUES ('y');\nCOMMIT;\n", CLIENTS, SECONDS)
        in_time = len(got)
        if hold:
            other.run("COMMIT")
        until[0] = time.time() + way.tail
        thread.join()
        counter.run("SELECT id FROM outbox")
        all_ids = {int(id) for [id] in counter.cursor.fetchall()}
        if way is Decoding:
            session.run("SELECT pg_drop_replication_slot('outbox')")
        return 2 * tps, lags, len(all_ids - got) / len(all_ids), in_time / len(all_ids)


def main():
    server = Server(os.environ["BENCH_BIN"], os.environ["BENCH_FOLDER"])
    if not server.data.exists():
        server.create()
    server.start(wal_level="logical", max_replication_slots=4)
    try:
        print("| way | rows/s | delay: median, 99 % | missing | arrived meanwhile | missing |\n| --- | ---: | ---: | ---: | ---: | ---: |")
        for way in (Naive, Safe, Xid8, Notify, Decoding, Behind):
            rate, lags, missing, _ = run(server, way, False)
            _, _, missing_held, in_time = run(server, way, True)
            lags = [1000 * lag for lag in lags] or [0, 0]
            print(f"| {way.name} | {rate:.0f} | {statistics.median(lags):.0f} ms, {statistics.quantiles(lags, n=100)[98]:.0f} ms | "
                  f"{missing:.1%} | {in_time:.0%} | {missing_held:.1%} |", flush=True)
    finally:
        server.stop()


main()
