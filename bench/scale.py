"""What grows with what is there, beside the same without us. Each part is a row of the report's section."""
import pathlib
import statistics
import time

from measure import interleave, table_of


def growth(bench):
    """What grows: databases, generators, and partitions made and planned for."""
    return {name: part(bench) for name, part in PARTS.items()}


PARTITIONS_BY_HAND = """CREATE FUNCTION by_hand(parent regclass, days int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    today timestamptz := snowid_period(now(), '1 day');
    made bigint := 0;
BEGIN
    FOR i IN 0..days - 1 LOOP
        CONTINUE WHEN to_regclass(format('%s_%s', parent, i)) IS NOT NULL;
        EXECUTE format('CREATE TABLE %s_%s (LIKE %1$s INCLUDING ALL EXCLUDING INDEXES)', parent, i);
        EXECUTE format('ALTER TABLE %s ATTACH PARTITION %1$s_%2$s FOR VALUES FROM (%3$s) TO (%4$s)', parent, i,
            snowflake_lower_bound(today + i * interval '1 day'), snowflake_lower_bound(today + (i + 1) * interval '1 day'));
        made := made + 1;
    END LOOP;
    RETURN made;
END $$"""


def partitions(bench):
    """Seconds that the backend is busy with n partitions, and with n more, in one transaction that is rolled back."""
    bench.server.restart(max_locks_per_transaction=1000)
    bench.create_database("scale")
    ways = {"snowid_partition": "SELECT count(*) FROM snowid_partition('grown', '1 day', ahead => {} - 1)",
            "LIKE and ATTACH by hand": "SELECT by_hand('grown', {})"}
    sizes = bench.scale([100, 500, 2500], [100, 300])
    with bench.session("scale") as session:
        session.run(PARTITIONS_BY_HAND)
        session.run("CREATE TABLE grown (id bigint PRIMARY KEY, item int) PARTITION BY RANGE (id)")

        def made(sql, n):
            session.run("BEGIN")
            seconds = [session.cpu_seconds(sql.format(n)), session.cpu_seconds(sql.format(2 * n))]
            session.run("ROLLBACK")
            return seconds
        found = {n: interleave({name: lambda s=sql, n=n: made(s, n) for name, sql in ways.items()},
                                3 if n > 500 else 9, bench.random) for n in sizes}
    return {"title": "Partitions, made in one transaction", "unit": "s", "of": "partitions", "found": {
        label: table_of({name: [v[i] for v in values] for name, values in by_way.items()}, {"by hand": "LIKE and ATTACH by hand"})
        for n, by_way in found.items() for i, label in enumerate((f"{n:,}", f"{n:,} more"))}}


def planning(bench):
    """Milliseconds that the backend is busy with planning a filter beside now() over n partitions of an hour, of which three are not over."""
    sizes = bench.scale([100, 1000, 2500], [100, 300])
    found = {}
    for n in sizes:
        bench.create_database("scale")
        with bench.session("scale") as session:
            session.run("CREATE TABLE of_timestamptz (id timestamptz PRIMARY KEY, item int) PARTITION BY RANGE (id)")
            session.run(f"""DO $$ BEGIN FOR i IN 3 - {n}..2 LOOP
                EXECUTE format('CREATE TABLE of_timestamptz_%s PARTITION OF of_timestamptz FOR VALUES FROM (%L) TO (%L)', i + {n},
                    snowid_period(now(), '1 hour') + i * interval '1 hour', snowid_period(now(), '1 hour') + (i + 1) * interval '1 hour');
                END LOOP; END $$""")
            for kind in ("snowflake", "uuid", "ulid"):
                session.run(f"CREATE TABLE of_{kind} (id {kind} PRIMARY KEY, item int) PARTITION BY RANGE (id)")
                session.run(f"SELECT count(*) FROM snowid_partition('of_{kind}', '1 hour', ahead => 2, behind => {n} - 3)")
            session.run("VACUUM ANALYZE")

        def planned(kind):
            """In a session of its own, where the tables of others are not in the way; the first time is for the caches."""
            with bench.session("scale") as session:
                sql = f"EXPLAIN SELECT * FROM of_{kind} WHERE id >= now() - interval '1 hour'"
                session.run(sql)
                return statistics.median(session.cpu_seconds(sql) * 1e3 for _ in range(10))
        kinds = ("timestamptz", "snowflake", "uuid", "ulid")
        found[f"{n:,}"] = table_of(interleave({kind: lambda k=kind: planned(k) for kind in kinds}, bench.scale(9, 5), bench.random),
                                   {"timestamptz": "timestamptz"})
    return {"title": "Planning `id >= now() - interval '1 hour'`", "unit": "ms", "of": "partitions", "found": found}


def databases(bench):
    """Milliseconds from the start of a server with n databases to the first id."""
    sizes = bench.scale([100, 500], [20, 80])
    calls = {"snowflake_next()": "snowflake_next()", "nextval()": "nextval('bench_seq_1')"}

    def first(sql):
        bench.server.stop()
        began = time.perf_counter()
        bench.server.start()
        with bench.session() as session:
            session.run(f"SELECT {sql}")
            return (time.perf_counter() - began) * 1e3
    found, made = {}, 0
    for n in sizes:
        with bench.session("postgres") as session:
            for i in range(made, n):
                session.run(f"CREATE DATABASE tenant_{i} TEMPLATE bench STRATEGY file_copy")
        made = n
        found[f"{n:,}"] = table_of(interleave({name: lambda s=sql: first(s) for name, sql in calls.items()}, bench.scale(7, 3), bench.random),
                                   {"nextval()": "nextval()"})
    with bench.session("postgres") as session:
        for i in range(made):
            session.run(f"DROP DATABASE tenant_{i}")
    return {"title": "From a start to the first id", "unit": "ms", "of": "databases", "found": found}


# For so many generators, whose horizons are raised once and not while something else is measured.
ROOM = {"snowid.layout": "epoch=2024-01-01,tick=1ms,time=41,worker=14,sequence=8", "snowid.max_generators": 16384,
        "snowid.reserve": "60s", "snowid.clock_drift": "60s"}


def beside_sequences(bench, title, unit, sizes, measure):
    """`measure` returns what one of n generators, or of n sequences, takes."""
    found = {}
    bench.server.restart(**ROOM)
    for n in sizes:
        bench.create_database("scale")
        with bench.session("scale") as session:
            session.run("CREATE TABLE made (name text, sequence regclass)")
        found[f"{n:,}"] = table_of(interleave({kind: lambda k=kind, n=n: measure(k, n) for kind in ("a generator", "a sequence")},
                                              bench.scale(7, 3), bench.random), {"a sequence": "a sequence"})
    return {"title": title, "unit": unit, "of": "generators, or sequences", "found": found}


def create(bench):
    """Microseconds that the backend is busy to create one of n, all in one transaction that is rolled back."""
    ways = {"a generator": "SELECT count(snowid_generator_create('g' || i, worker => 100 + i)) FROM generate_series(1, {}) AS i",
            "a sequence": "DO $$ BEGIN FOR i IN 1..{} LOOP EXECUTE 'CREATE SEQUENCE s' || i; END LOOP; END $$"}

    def measure(kind, n):
        with bench.session("scale") as session:
            session.run("BEGIN")
            seconds = session.cpu_seconds(ways[kind].format(n))
            session.run("ROLLBACK")
            return seconds / n * 1e6
    return beside_sequences(bench, "Creating one", "µs", bench.scale([1000, 5000], [250, 1000]), measure)


def create_again(bench):
    """Microseconds that the backend is busy to create one name and drop it, n times."""
    ways = {"a generator": ("SELECT snowid_generator_create('again', worker => 100)", "SELECT snowid_generator_drop('again')"),
            "a sequence": ("CREATE SEQUENCE again", "DROP SEQUENCE again")}

    def measure(kind, n):
        with bench.session("scale") as session:
            return sum(session.cpu_seconds(sql) for _ in range(n) for sql in ways[kind]) / n * 1e6
    return beside_sequences(bench, "Creating one name and dropping it, so many times", "µs", bench.scale([250, 1000], [100, 400]), measure)


USE = {"a generator": "snowflake_next(name)", "a sequence": "nextval(sequence)"}


def make_many(session, n):
    """Once a database."""
    if session.value("SELECT count(*) FROM made") == 0:
        session.run(f"SELECT count(snowid_generator_create('g' || i, worker => 100 + i)) FROM generate_series(1, {n}) AS i")
        session.run(f"DO $$ BEGIN FOR i IN 1..{n} LOOP EXECUTE 'CREATE SEQUENCE s' || i; END LOOP; END $$")
        session.run(f"INSERT INTO made SELECT 'g' || i, 's' || i FROM generate_series(1, {n}) AS i")
        session.run("VACUUM ANALYZE")


def first_call(bench):
    """Microseconds that a backend is busy with its first call, of one of n."""
    calls = {"a generator": "SELECT snowflake_next('g{}')", "a sequence": "SELECT nextval('s{}')"}

    def measure(kind, n):
        with bench.session("scale") as session:
            make_many(session, n)
        with bench.session("scale") as session:
            session.run("SELECT 1")
            return session.cpu_seconds(calls[kind].format(bench.random.randrange(n) + 1)) * 1e6
    return beside_sequences(bench, "First call in a session, of one of so many", "µs", bench.scale([1000, 10000], [250, 1000]), measure)


def alternate(bench):
    """Nanoseconds that a backend is busy with a call, of one of n in turn, with the row around it."""
    rounds = bench.scale(100, 20)

    def measure(kind, n):
        with bench.session("scale") as session:
            make_many(session, n)
            sql = f"SELECT count({USE[kind]}) FROM generate_series(1, {{}}) AS i, LATERAL (SELECT * FROM made OFFSET 0) AS m"
            session.run(sql.format(1))
            return session.cpu_seconds(sql.format(rounds)) / rounds / n * 1e9
    return beside_sequences(bench, "Call of one of so many in turn", "ns", bench.scale([10, 1000], [10, 500]), measure)


def asked(bench):
    """Milliseconds that a backend is busy to show n generators that are in use, of three times as many as far as there are workers."""
    sizes = bench.scale([300, 1000, 3000, 10000], [100, 300])
    views = "snowid_stat", "snowid_check()"
    found = {}
    for n in sizes:
        bench.server.restart(**ROOM)
        bench.create_database("scale")
        with bench.session("scale") as session:
            session.run(f"SELECT count(snowid_generator_create('g' || i, worker => 100 + i)) FROM generate_series(1, {min(3 * n, 16000)}) AS i")
            session.run(f"SELECT count(snowflake_next('g' || i)) FROM generate_series(1, {n}) AS i")
            session.run("VACUUM ANALYZE")
            found[f"{n:,}"] = table_of(interleave({view: lambda v=view: session.cpu_seconds(f"SELECT count(*) FROM {v}") * 1e3 for view in views},
                                                  bench.scale(9, 5), bench.random), {"snowid_stat": "snowid_stat"})
    return {"title": "Showing those in use, of three times as many", "unit": "ms", "of": "generators", "found": found}


TABLES, CHECKS = 371, 1006  # MusicBrainz has so many


def musicbrainz(bench, referring):
    """A database with a schema of that size, where so many tables refer to t1."""
    bench.server.restart(max_locks_per_transaction=1000)
    bench.create_database("scale")
    with bench.session("scale") as session:
        session.run((pathlib.Path(__file__).parent / "schema.sql").read_text())
        session.run(f"SELECT make_schema({bench.scale(TABLES, 60)}, {referring}, {bench.scale(CHECKS, 160)})")
        session.run("VACUUM ANALYZE")


DRAFT = "SELECT * FROM _snowid_convert.draft(_snowid_convert.scope('{t1}', '{id}'), 'snowflake', NULL, NULL, true, NULL)"


def held(bench, statements):
    """Milliseconds that the backend, which has made the plan, is busy with these, of which the first locks. It is rolled back."""
    with bench.session("scale") as session:
        session.run(f"SET client_min_messages = error; {DRAFT}; BEGIN")
        seconds = sum(session.cpu_seconds(statement) for statement in statements)
        session.run("ROLLBACK")
    return seconds * 1e3


def hold(bench):
    """What a conversion of an int key does while it keeps readers out, beside its statements alone behind the same locks."""
    found = {}
    for n in bench.scale([15, 45], [10]):
        musicbrainz(bench, n)
        with bench.session("scale") as session:
            session.run(f"CREATE TABLE draft AS {DRAFT}")
            tables, statements = (session.value(f"SELECT {c} FROM draft") for c in ("array_to_string(tables, ', ')", "statements"))
        ways = {"snowid_convert": ["SELECT _snowid_convert.locked(tables, '1 min', planned_for, planned) FROM draft", *statements,
                                   "SELECT _snowid_convert.check_last('t1', 'id', NULL)"],
                "its statements alone": [f"LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE", *statements]}
        found[f"{n + 1}"] = table_of(interleave({name: lambda s=steps: held(bench, s) for name, steps in ways.items()},
                                                bench.scale(31, 5), bench.random), {"alone": "its statements alone"})
    return {"title": "Keeping readers out while a key is converted", "unit": "ms", "of": "tables that change", "found": found}


def conversion_plans(bench):
    """Milliseconds that the backend is busy with plans in a schema of the size of MusicBrainz'."""
    musicbrainz(bench, bench.scale(45, 10))
    plans = {"of a key": "'t1'", "of it online": "'t1', online => true", "of the whole schema": "schema => 'public'"}
    with bench.session("scale") as session:
        found = interleave({name: lambda a=arguments: session.cpu_seconds(f"SELECT count(*) FROM snowid_convert_plan({a})") * 1e3
                            for name, arguments in plans.items()}, bench.scale(7, 3), bench.random)
    return {"title": "Plans of conversions", "unit": "ms", "of": "tables", "found": {f"{bench.scale(TABLES, 60)}": table_of(found, {"of a key": "of a key"})}}


PARTS = {"databases": databases, "create": create, "create_again": create_again, "first_call": first_call, "alternate": alternate, "asked": asked,
         "partitions": partitions, "planning": planning, "hold": hold,
         "conversion_plans": conversion_plans}
