"""Inserts by several clients at once into one table: what the key costs where writers meet in one page of its index."""
import os
import statistics
import threading

import generators
from generators import Key
from measure import interleave

KEYS = [
    Key("bigserial", "bigint", "nextval('bench_seq_1')"),
    Key("sequence, cache 32", "bigint", "nextval('bench_seq_32')"),
    Key("snowflake_next()", "bigint", "snowflake_next()"),
    Key("snowflake_spread()", "bigint", "snowflake_spread()"),
    Key("snowflake_next(), 16 hash partitions", "bigint", "snowflake_next()"),
    Key("uuidv7_next()", "uuid", "uuidv7_next()"),
    Key("uuidv7_spread()", "uuid", "uuidv7_spread()"),
    Key("uuidv7() of PostgreSQL", "uuid", "pg_catalog.uuidv7()"),
    Key("uuid v4", "uuid", "gen_random_uuid()"),
]
ROWS = 1, 10, 100
WAITS = """SELECT coalesce(wait_event, 'processor'), count(*) FROM pg_stat_activity
           WHERE state = 'active' AND query LIKE 'INSERT%' GROUP BY 1"""


def clients_of(cpus):
    """1, 2, 4 and so on, and as many as there are processors."""
    return sorted({1 << i for i in range(cpus.bit_length()) if 1 << i < cpus} | {cpus})


class Sampler(threading.Thread):
    """What inserting sessions wait for, until it is told to stop."""

    def __init__(self, bench):
        super().__init__()
        self.session, self.ended, self.waits = bench.session(), threading.Event(), {}

    def run(self):
        with self.session as session:
            while not self.ended.wait(0.05):
                session.run(WAITS)
                for event, count in session.cursor.fetchall():
                    self.waits[event] = self.waits.get(event, 0) + count


def create(session, number, key):
    session.run(f"CREATE TABLE wide_{number} (id {key.type} PRIMARY KEY DEFAULT {key.default}, item int)"
                + (" PARTITION BY HASH (id)" if "hash" in key.name else ""))
    if "hash" in key.name:
        for i in range(16):
            session.run(f"CREATE TABLE wide_{number}_{i} PARTITION OF wide_{number} FOR VALUES WITH (MODULUS 16, REMAINDER {i})")


def measure(bench, number, clients, rows):
    with bench.session() as session:
        session.run(f"TRUNCATE wide_{number}")
    sampler = Sampler(bench)
    sampler.start()
    try:
        a_second, micros = bench.server.pgbench_latencies(
            f"INSERT INTO wide_{number} (item) SELECT i FROM generate_series(1, {rows}) i;\n", clients, bench.scale(2, 1))
    finally:
        sampler.ended.set()
        sampler.join()
    with bench.session() as session:
        size = session.value(f"""SELECT sum(pg_relation_size(indexrelid)) FROM pg_index
                                 WHERE indrelid IN (SELECT 'wide_{number}'::regclass UNION SELECT relid FROM pg_partition_tree('wide_{number}'))""")
        count = session.value(f"SELECT count(*) FROM wide_{number}")
    return {"rows": a_second * rows, "p50_us": statistics.quantiles(micros, n=100)[49], "p99_us": statistics.quantiles(micros, n=100)[98],
            "bytes": float(size) / count, "waits": sampler.waits}


def merged(rounds):
    samples = {}
    for waits in (found["waits"] for found in rounds):
        for event, count in waits.items():
            samples[event] = samples.get(event, 0) + count
    return {**{figure: statistics.median(found[figure] for found in rounds) for figure in rounds[0] if figure != "waits"},
            "waits": {event: count / sum(samples.values()) for event, count in sorted(samples.items(), key=lambda one: -one[1])}}


def cores(bench):
    """Inserts of 1, 10 and 100 rows a statement by several clients at once."""
    clients = bench.clients or clients_of(os.cpu_count() or 1)
    bench.server.restart(synchronous_commit="off", max_connections=max(clients) + 20)
    with bench.session() as session:
        keys = generators.available(session, KEYS, bench.note, lambda key: f"SELECT {key.default}")
        for number, key in enumerate(keys):
            create(session, number, key)
    found = {rows: {count: interleave({key.name: lambda i=i, c=count, r=rows: measure(bench, i, c, r) for i, key in enumerate(keys)},
                                      bench.scale(3, 1), bench.random)
                    for count in clients} for rows in ROWS}
    bench.server.restart()
    return {"cpus": os.cpu_count(), "clients": clients,
            "found": {str(rows): {str(count): {name: merged(rounds) for name, rounds in by.items()} for count, by in of.items()}
                      for rows, of in found.items()}}
