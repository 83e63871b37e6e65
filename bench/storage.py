"""Keys in tables: inserts, indexes, WAL, COPY, sorts and texts."""
import io
import os
import statistics
import time

from measure import interleave, ratio, summary

MB = 1024 * 1024


def columns_of(table, found):
    """name -> each figure's median, minimum and maximum, and ratios to bigserial's and v4's seconds by round."""
    result = {}
    for name, rounds in found.items():
        result[name] = {figure: summary([r[figure] for r in rounds]) for figure in rounds[0]}
        seconds = [r["seconds"] for r in rounds]
        result[name]["ratio"] = {base: ratio(seconds, [r["seconds"] for r in found[base]])
                                 for base in ("bigserial", "uuid v4", "bigint") if base in found}
    return {**table, "table": result}


def insert_rows(session, table, rows):
    """One statement; its seconds and the WAL that it wrote."""
    session.run("CHECKPOINT")
    before = session.value("SELECT pg_current_wal_insert_lsn()")
    seconds = session.seconds(f"INSERT INTO {table} (item) SELECT i FROM generate_series(1, {rows}) i")
    wal = float(session.value(f"SELECT pg_current_wal_insert_lsn() - '{before}'"))
    return {"seconds": seconds, "wal_mb": wal / MB}


def create_keyed(session, table, key):
    session.run(f"DROP TABLE IF EXISTS {table}")
    session.run(f"CREATE TABLE {table} (id {key.type} PRIMARY KEY DEFAULT {key.default}, item int)")


def index_mb(session, table):
    return session.value(f"SELECT pg_relation_size('{table}_pkey')") / MB


def inserts(bench):
    """Inserts into an empty table with a primary key."""
    rows = bench.scale(1_000_000, 200_000)

    def measure(session, key):
        create_keyed(session, "inserted", key)
        return {**insert_rows(session, "inserted", rows), "index_mb": index_mb(session, "inserted")}
    with bench.session() as session:
        found = interleave({key.name: lambda k=key: measure(session, k) for key in bench.keys},
                           bench.scale(5, 3), bench.random)
        session.run("DROP TABLE inserted")
    return columns_of({"rows": rows}, found)


def copy(bench):
    """COPY of rows whose key is the default, and of keys out and in again."""
    rows = bench.scale(1_000_000, 100_000)
    lines = "".join(f"{i}\n" for i in range(rows))

    def measure(session, key):
        create_keyed(session, "copied", key)
        session.run("CHECKPOINT")
        began = time.perf_counter()
        session.cursor.copy_expert("COPY copied (item) FROM STDIN", io.StringIO(lines))
        figures = {"seconds": time.perf_counter() - began}
        out = io.BytesIO()
        began = time.perf_counter()
        session.cursor.copy_expert("COPY copied (id) TO STDOUT", out)
        figures["out_seconds"] = time.perf_counter() - began
        session.run(f"DROP TABLE IF EXISTS copied_in; CREATE UNLOGGED TABLE copied_in (id {key.type})")
        out.seek(0)
        began = time.perf_counter()
        session.cursor.copy_expert("COPY copied_in FROM STDIN", out)
        figures["in_seconds"] = time.perf_counter() - began
        return figures
    with bench.session() as session:
        found = interleave({key.name: lambda k=key: measure(session, k) for key in bench.keys},
                           bench.scale(5, 2), bench.random)
        session.run("DROP TABLE copied, copied_in")
    return columns_of({"rows": rows}, found)


# Types by how an id of them is made here. `text` is what is stored where there is no type.
TYPES = {
    "bigint": "snowflake_next()::bigint", "uuid v4": "gen_random_uuid()", "uuid v7": "uuidv7_next()",
    "ulid": "ulid_next()", "ulid as text": "ulid_next()::text COLLATE \"C\"", "ksuid": "ksuid_next()",
    "objectid": "objectid_next()", "rsxid": "rsxid_next()", "sandflake": "sandflake_next()", "sno": "sno_next(0)",
}


def type_tables(bench, session, rows):
    """A table of shuffled ids for every type that this server has."""
    there = []
    for i, (name, sql) in enumerate(TYPES.items()):
        if "sno_next" in sql and not any(key.name == "sno" for key in bench.keys):
            continue
        session.run(f"DROP TABLE IF EXISTS typed_{i}")
        session.run(f"""CREATE UNLOGGED TABLE typed_{i} AS SELECT id FROM
                        (SELECT {sql} AS id FROM generate_series(1, {rows}) OFFSET 0) made ORDER BY random()""")
        session.run(f"VACUUM ANALYZE typed_{i}")
        there.append((name, f"typed_{i}"))
    return there


def sort(bench):
    """Sorting shuffled ids, and building an index on them."""
    rows = bench.scale(1_000_000, 100_000)

    def measure(session, table):
        figures = {"seconds": session.cpu_seconds(f"SELECT count(*) FROM (SELECT id FROM {table} ORDER BY id OFFSET 0) s")}
        figures["index_seconds"] = session.cpu_seconds(f"CREATE INDEX built ON {table} (id)")
        figures["index_mb"] = session.value("SELECT pg_relation_size('built')") / MB
        session.run("DROP INDEX built")
        return figures
    with bench.session() as session:
        session.run("SET work_mem = '512MB'")
        tables = type_tables(bench, session, rows)
        found = interleave({name: lambda t=table: measure(session, t) for name, table in tables},
                           bench.scale(5, 3), bench.random)
        for _, table in tables:
            session.run(f"DROP TABLE {table}")
    return columns_of({"rows": rows}, found)


def text(bench):
    """Ids to text and back, less what reading the rows costs."""
    rows = bench.scale(500_000, 100_000)
    with bench.session() as session:
        tables = [t for t in type_tables(bench, session, rows) if t[0] != "ulid as text"]
        for _, table in tables:
            session.run(f"ALTER TABLE {table} ADD t text; UPDATE {table} SET t = id::text")
            session.run(f"VACUUM FULL {table}")
        found = interleave({name: lambda t=table: text_figures(session, t, rows) for name, table in tables},
                           bench.scale(11, 5), bench.random)
        for _, table in tables:
            session.run(f"DROP TABLE {table}")
    return columns_of({"rows": rows}, found)


def text_figures(session, table, rows):
    kind = session.value(f"SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = '{table}'::regclass AND attname = 'id'")
    scan = session.cpu_seconds(f"SELECT count(t) FROM {table}")
    out = session.cpu_seconds(f"SELECT count(id::text) FROM {table}") - scan
    back = session.cpu_seconds(f"SELECT count(t::{kind}) FROM {table}") - scan
    return {"seconds": (out + back), "out_ns": out / rows * 1e9, "in_ns": back / rows * 1e9}


SMALL_BUFFERS = "64MB"


def large(bench):
    """Tables whose index is larger than shared_buffers: filling them, inserting more, and joining them."""
    rows, more = bench.scale(10_000_000, 1_000_000), bench.scale(300_000, 30_000)
    small = bench.scale(SMALL_BUFFERS, "8MB")
    tables = {key.name: f"large_{i}" for i, key in enumerate(bench.keys)}
    with bench.session() as session:
        filled = {}
        for key in bench.random.sample(bench.keys, len(bench.keys)):
            create_keyed(session, tables[key.name], key)
            filled[key.name] = [{**insert_rows(session, tables[key.name], rows), "index_mb": index_mb(session, tables[key.name])}]
            bench.say(f"{rows} rows by {key.name}: {filled[key.name][0]['seconds']:.1f} s")
        for table in tables.values():
            session.run(f"VACUUM ANALYZE {table}")
            session.run(f"""CREATE TABLE {table}_child AS SELECT id AS parent FROM
                            (SELECT id FROM {table} ORDER BY item DESC LIMIT {rows // 20}) s ORDER BY random() LIMIT {rows // 200}""")
            session.run(f"VACUUM ANALYZE {table}_child")
    bench.server.restart(shared_buffers=small)
    with bench.session() as session:
        found = interleave({name: lambda t=table: insert_rows(session, t, more) for name, table in tables.items()},
                           bench.scale(3, 2), bench.random)
    result = {"filled": columns_of({"rows": rows}, filled),
              "small": columns_of({"rows": more, "shared_buffers": small}, found),
              "join": join(bench, tables, rows // 200)}
    with bench.session() as session:
        for table in tables.values():
            session.run(f"DROP TABLE {table}, {table}_child")
    return result


def join(bench, tables, rows):
    """Every child row finds its parent by the parent's key: recent parents, as they are asked for in practice. Cold: after
    a restart, with the files of both tables out of the system's cache."""
    warm, cold = {name: [] for name in tables}, {name: [] for name in tables}
    for _ in range(bench.scale(3, 1)):
        for name in bench.random.sample(list(tables), len(tables)):
            forget_files(bench, tables[name])
            with bench.session() as session:
                session.run("SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_memoize = off")
                sql = f"SELECT count(item) FROM {tables[name]}_child JOIN {tables[name]} ON id = parent"
                cold[name].append({"seconds": session.seconds(sql)})
                warm[name].append({"seconds": statistics.median(session.seconds(sql) for _ in range(3))})
    bench.server.restart()
    return {"rows": rows, "cold": columns_of({}, cold), "warm": columns_of({}, warm)}


def forget_files(bench, table):
    with bench.session() as session:
        session.run("CHECKPOINT")
        files = [session.value(f"SELECT pg_relation_filepath('{r}')") for r in (table, f"{table}_pkey", f"{table}_child")]
    bench.server.stop()
    for name in files:
        for path in bench.server.data.glob(f"{name}*"):
            forget(path)
    bench.server.start()


def forget(path):
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(handle)
