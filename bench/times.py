"""Questions of time: our filter, the range that one writes by hand, and a second index on created_at."""
from measure import interleave, table_of

MB = 1024 * 1024
WIDTHS = {"a minute": "1 minute", "an hour": "1 hour", "a day": "1 day"}
START = "2025-06-01 00:00:00+00"
DAYS = 30


def fill(session, rows):
    """Rows spread evenly over a month, by the time of both their ids."""
    session.run("DROP TABLE IF EXISTS events")
    session.run("CREATE TABLE events (id bigint NOT NULL, uid uuid NOT NULL, created_at timestamptz NOT NULL, item int)")
    session.run(f"""INSERT INTO events SELECT snowflake_encode(t, 1, i % 4096), uuidv7_at(t), t, i
                    FROM (SELECT i, timestamptz '{START}' + i * interval '{DAYS} days' / {rows} AS t
                          FROM generate_series(0, {rows} - 1) i) s""")
    sizes = {}
    for column in ("id", "uid", "created_at"):
        seconds = session.seconds(f"CREATE INDEX events_{column} ON events ({column})")
        sizes[column] = {"seconds": seconds, "mb": session.value(f"SELECT pg_relation_size('events_{column}')") / MB}
    session.run("VACUUM ANALYZE events")
    return sizes


def questions(session, begin, end):
    """name -> SQL. The range by hand is of literals, as a client would have computed them."""
    def literal(sql):
        return session.value(f"SELECT {sql}")
    low, high = (literal(f"snowflake_lower_bound('{t}')::bigint") for t in (begin, end))
    ulow, uhigh = (literal(f"uuidv7_lower_bound('{t}')") for t in (begin, end))
    return {
        "snowflake: id::snowflake >= t": f"id::snowflake >= timestamptz '{begin}' AND id::snowflake < timestamptz '{end}'",
        "snowflake: range by hand": f"id >= {low} AND id < {high}",
        "uuid v7: uid >= t": f"uid >= timestamptz '{begin}' AND uid < timestamptz '{end}'",
        "uuid v7: range by hand": f"uid >= '{ulow}' AND uid < '{uhigh}'",
        "second index on created_at": f"created_at >= timestamptz '{begin}' AND created_at < timestamptz '{end}'",
    }


def ranges(bench):
    """Rows of a minute, an hour and a day of a month."""
    rows = bench.scale(10_000_000, 500_000)
    with bench.session() as session:
        result = {"rows": rows, "days": DAYS, "indexes": fill(session, rows), "widths": {}}
        for label, width in WIDTHS.items():
            end = session.value(f"SELECT timestamptz '{START}' + interval '10 days' + interval '{width}'")
            asked = questions(session, f"{START}".replace("06-01", "06-11"), end)
            statements = {name: f"SELECT count(*), sum(item) FROM events WHERE {where}" for name, where in asked.items()}
            counts = {session.value(sql) for sql in statements.values()}
            if len(counts) != 1:
                raise SystemExit(f"snowid: the ways to ask for {label} disagree: {counts}")
            found = interleave({name: lambda s=sql: session.seconds(s) * 1e3 for name, sql in statements.items()},
                               bench.scale(31, 11), bench.random)
            result["widths"][label] = {"rows": counts.pop(), "table": table_of(found, {
                "snowflake by hand": "snowflake: range by hand", "uuid by hand": "uuid v7: range by hand",
                "created_at": "second index on created_at"})}
            checked = "uuid v7 with a constraint: uid >= t"
            statements = {checked: statements["uuid v7: uid >= t"], "by hand": statements["uuid v7: range by hand"]}
            session.run("ALTER TABLE events ADD CONSTRAINT of_version_7 CHECK (uuidv7_valid(uid))")
            found = interleave({name: lambda s=sql: session.seconds(s) * 1e3 for name, sql in statements.items()},
                               bench.scale(31, 11), bench.random)
            session.run("ALTER TABLE events DROP CONSTRAINT of_version_7")
            result["widths"][label]["table"][checked] = table_of(found, {"uuid by hand": "by hand"})[checked]
        session.run("DROP TABLE events")
    return result
