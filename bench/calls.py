"""One caller, and many callers at once."""
import statistics

from measure import interleave, ratio, summary, table_of

EMPTY, EMPTY16, NEXTVAL = "empty C function", "empty C function, 16 bytes", "nextval()"
BASES = {"empty": EMPTY, "empty16": EMPTY16, "nextval": NEXTVAL}


def per_call(bench):
    """Nanoseconds that a backend is busy with a row of SELECT count(f()) FROM generate_series(1, n)."""
    rows = bench.scale(100_000, 50_000)
    with bench.session() as session:
        def measure(generator):
            sql = f"SELECT count({generator.sql}) FROM generate_series(1, {rows})"
            session.run(sql)
            return lambda: session.cpu_seconds(sql) / rows * 1e9
        found = interleave({g.name: measure(g) for g in bench.generators}, bench.scale(61, 21), bench.random)
    table = table_of(found, BASES)
    if "uuidv7() of PostgreSQL" in found:
        table["uuidv7_next()"]["ratio"]["builtin"] = ratio(found["uuidv7_next()"], found["uuidv7() of PostgreSQL"])
    return {"rows": rows, "table": table, "share": session.worked / session.waited, "ours": [g.name for g in bench.generators if g.ours],
            "yardsticks": [g.name for g in bench.generators if g.yardstick]}


ROOMY = "epoch=2024-01-01,tick=1ms,time=41,worker=4,sequence=18"


def batch(bench):
    """Nanoseconds an id of SELECT f(n) in a select list, beside generate_series there; and at the format's ceiling."""
    rows = bench.scale(500_000, 200_000)
    series = f"SELECT count(*) FROM (SELECT generate_series(1, {rows}::bigint)) s"

    def measured(session, sql, rows):
        return lambda: session.cpu_seconds(sql) / rows * 1e9

    def of(name, count=rows):
        return f"SELECT count(*) FROM (SELECT {name}({count})) s"

    bench.server.restart(**{"snowid.layout": ROOMY})
    bench.create_database("bench_batch")
    with bench.session("bench_batch") as session:
        candidates = {"row alone": measured(session, series, rows),
                      "snowflake_next_batch(n), 18 bits of sequence": measured(session, of("snowflake_next_batch"), rows)}
        found = interleave(candidates, bench.scale(21, 9), bench.random)
    result = {"rows": rows, "table": table_of(found, {"row": "row alone"}), "above": {}, "ceilings": {}}
    for name, values in found.items():
        result["above"][name] = statistics.median(v - base for v, base in zip(values, found["row alone"]))

    for layout, ceiling in (("wide", 1e6 / 16384), ("default", 1e6 / 4096)):
        bench.server.restart(**{"snowid.layout": layout})
        bench.create_database("bench_batch")
        with bench.session("bench_batch") as session:
            result["ceilings"][f"snowflake_next_batch(n), {layout}"] = at_ceiling(
                bench, session, "snowflake_next_batch", ceiling)
            if layout == "wide" and any(g.name == "sno_next()" for g in bench.generators):
                result["ceilings"]["sno_next_batch(n)"] = at_ceiling(bench, session, "sno_next_batch", ceiling)
            if layout == "default":
                result["ceilings"]["uuidv7_next_batch(n)"] = at_ceiling(bench, session, "uuidv7_next_batch", ceiling)
                session.run(f"SELECT count(uuidv7_next()) FROM generate_series(1, {20_000_000})")
                one = "SELECT count(uuidv7_next()) FROM generate_series(1, 2000000)"
                result["ceilings"]["uuidv7_next() for seconds"] = of_ceiling(
                    [session.seconds(one) / 2e6 * 1e9 for _ in range(bench.scale(5, 2))], ceiling)
    bench.server.restart()
    return result


def at_ceiling(bench, session, function, ceiling):
    rows = bench.scale(10_000_000, 3_000_000)
    sql = f"SELECT count(*) FROM (SELECT {function}({rows})) s"
    session.run(sql)  # what may be taken ahead of the clock is taken
    return of_ceiling([session.seconds(sql) / rows * 1e9 for _ in range(bench.scale(5, 3))], ceiling)


def of_ceiling(values, ceiling):
    return {**summary(values), "ceiling": ceiling, "ratio": {"ceiling": statistics.median(values) / ceiling}}


def contended_generators(bench):
    wanted = (EMPTY, "snowflake_next()", "sno_next()", "uuidv7_next()", NEXTVAL, "nextval(), cache 32",
              "gen_random_uuid()", "uuidv7() of PostgreSQL")
    chosen = {g.name: g.sql for g in bench.generators if g.name in wanted or g in bench.extra}
    if any(g.name == "snowflake_next('g0')" for g in bench.generators):
        chosen["snowflake_next(name), a generator each"] = "snowflake_next('g' || :client_id % 7)"
    return chosen


def contended(bench):
    """Ids a second by clients: a thousand calls in a statement, and one call in a statement."""
    clients = [1, 2, 4, 8, 16, 32]
    chosen = contended_generators(bench)
    seconds = bench.scale(2, 1)
    result = {"clients": clients, "burst": {}, "single": {}}
    for count in clients:
        scripts = {name: f"SELECT count({sql}) FROM generate_series(1, 1000);\n" for name, sql in chosen.items()}
        rounds = bench.scale(3, 1)
        if bench.quick and count not in (1, 8, 32):
            continue
        found = interleave({name: lambda s=script: 1000 * bench.server.pgbench(s, count, seconds)
                            for name, script in scripts.items()}, rounds, bench.random)
        result["burst"][count] = table_of(found, {"nextval": NEXTVAL, "empty": EMPTY})
        if bench.quick and count != 8:
            continue
        found = interleave({name: lambda s=sql: bench.server.pgbench(f"SELECT {s};\n", count, 1)
                            for name, sql in chosen.items()}, rounds, bench.random)
        result["single"][count] = table_of(found, {"nextval": NEXTVAL, "empty": EMPTY})
        bench.say(f"{count} clients")
    return result


PERCENTILES = [50, 75, 90, 95, 99, 99.9]


def latency(bench):
    """Percentiles of a statement that makes a thousand ids, and of one that inserts a row, at eight clients."""
    rounds, seconds = bench.scale(3, 1), bench.scale(3, 1)
    calls = {name: f"SELECT count({sql}) FROM generate_series(1, 1000);\n" for name, sql in contended_generators(bench).items()}
    with bench.session() as session:
        for i, key in enumerate(bench.keys):
            session.run(f"DROP TABLE IF EXISTS latency_{i}")
            session.run(f"CREATE TABLE latency_{i} (id {key.type} PRIMARY KEY DEFAULT {key.default}, item int)")
    inserts = {key.name: f"INSERT INTO latency_{i} (item) VALUES (1);\n" for i, key in enumerate(bench.keys)}
    return {"percentiles": PERCENTILES,
            "call": latencies(bench, calls, rounds, seconds), "insert": latencies(bench, inserts, rounds, seconds)}


def latencies(bench, scripts, rounds, seconds):
    def measure(script):
        bench.server.pgbench(script, 8, seconds, "-l", f"--log-prefix={bench.server.folder / 'latency'}")
        values = []
        for log in bench.server.folder.glob("latency.*"):
            values += [int(line.split()[2]) for line in log.read_text().splitlines()]
            log.unlink()
        values.sort()
        return [values[min(len(values) - 1, int(len(values) * p / 100))] for p in PERCENTILES]
    found = interleave({name: lambda s=script: measure(s) for name, script in scripts.items()}, rounds, bench.random)
    return {name: [statistics.median(column) for column in zip(*values)] for name, values in found.items()}
