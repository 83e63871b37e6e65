"""What a server and a backend pay once: the first id, and memory."""
import pathlib
import re
import time

from measure import interleave, summary


def first_of(bench, sql):
    """Milliseconds from asking for a connection to the first answer."""
    began = time.perf_counter()
    with bench.session() as session:
        session.run(f"SELECT {sql}")
        return (time.perf_counter() - began) * 1e3


def start(bench):
    """The first id of a server's life, and of a connection's."""
    chosen = {"SELECT 1": "1", **{g.name: g.sql for g in bench.generators if not g.yardstick}}
    connection = interleave({name: lambda s=sql: first_of(bench, s) for name, sql in chosen.items()},
                            bench.scale(41, 11), bench.random)

    def after_start(sql):
        bench.server.stop()
        began = time.perf_counter()
        bench.server.start()
        started = (time.perf_counter() - began) * 1e3
        return started, first_of(bench, sql)
    server = interleave({name: lambda s=chosen[name]: after_start(s) for name in
                         ("SELECT 1", "snowflake_next()", "uuidv7_next()", "nextval()")}, bench.scale(7, 3), bench.random)
    return {"connection": {name: summary(values) for name, values in connection.items()},
            "server": {name: {"start_ms": summary([v[0] for v in values]), "first_ms": summary([v[1] for v in values])}
                       for name, values in server.items()}}


def memory(bench):
    """What a backend has more after a thousand ids than after a thousand calls of nothing."""
    chosen = {g.name: g.sql for g in bench.generators}

    def measure(sql):
        with bench.session() as session:
            session.run("SELECT count(bench_empty()) FROM generate_series(1, 1000)")
            session.run("SELECT sum(total_bytes) FROM pg_backend_memory_contexts")
            before = session.value("SELECT sum(total_bytes) FROM pg_backend_memory_contexts")
            private = private_kb(session)
            session.run(f"SELECT count({sql}) FROM generate_series(1, 1000)")
            after = session.value("SELECT sum(total_bytes) FROM pg_backend_memory_contexts")
            return float(after - before) / 1024, private_kb(session) - private
    found = interleave({name: lambda s=sql: measure(s) for name, sql in chosen.items()}, bench.scale(7, 3), bench.random)
    return {"table": {name: {"contexts_kb": summary([v[0] for v in values]), "private_kb": summary([v[1] for v in values])}
                      for name, values in found.items()},
            "shared_kb": shared_kb(bench)}


def private_kb(session):
    pid = session.connection.get_backend_pid()
    try:
        rollup = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0  # another user's process, and we are not root
    return int(re.search(r"^Anonymous:\s+(\d+) kB", rollup, re.M)[1])


def shared_kb(bench):
    with bench.session() as session:
        return float(session.value("SELECT coalesce(sum(allocated_size), 0) FROM pg_shmem_allocations WHERE name ~ 'snowid'")) / 1024
