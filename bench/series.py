"""Numbers that are not ids: sequences, ranges and series without gaps, beside snowflake_next()."""
from measure import interleave, table_of

SETUP = """CREATE SEQUENCE one_by_one;
CREATE TABLE segment (name text PRIMARY KEY, next bigint NOT NULL);
INSERT INTO segment VALUES ('import', 1);
CREATE TABLE series (name text PRIMARY KEY, last bigint NOT NULL);"""
SERIES = "INSERT INTO series VALUES ('2026', 1) ON CONFLICT (name) DO UPDATE SET last = series.last + 1 RETURNING last"
# A statement, and how many numbers it gives.
WAYS = {"snowflake_next()": ("SELECT snowflake_next();", 1), "nextval()": ("SELECT nextval('one_by_one');", 1),
        "a range of 1,000": ("UPDATE segment SET next = next + 1000 WHERE name = 'import' RETURNING next;", 1000),
        "a series without gaps": (f"{SERIES};", 1)}


def series(bench):
    """Microseconds a number where each statement is a transaction of its own, for one client and for eight at once."""
    bench.create_database("numbers")
    with bench.session("numbers") as session:
        session.run(SETUP)

    def measure(script, count, clients):
        return lambda: 1e6 / bench.server.pgbench(script + "\n", clients, 1, database="numbers") / count
    found = {clients: interleave({name: measure(*way, clients) for name, way in WAYS.items()}, bench.scale(11, 5), bench.random)
             for clients in (1, 8)}
    return {str(clients): table_of(by, {"nextval()": "nextval()"}) for clients, by in found.items()}
