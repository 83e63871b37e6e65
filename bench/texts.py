"""What other texts of an id cost above a function of the same type that does nothing, and what it costs to find a row by a
sealed id. Nothing is compared with a time that another round has measured."""
import statistics

from measure import interleave, summary

SETUP = """
    CREATE FUNCTION bench_text(bigint, text, integer) RETURNS text AS 'snowid_bench' LANGUAGE C STABLE PARALLEL SAFE;
    CREATE FUNCTION bench_text(uuid, text) RETURNS text AS 'snowid_bench' LANGUAGE C STABLE STRICT PARALLEL SAFE;
    CREATE FUNCTION bench_text(bigint, text) RETURNS text AS 'snowid_bench' LANGUAGE C STABLE STRICT PARALLEL SAFE;
    CREATE FUNCTION bench_text(integer, text) RETURNS text AS 'snowid_bench' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
    CREATE FUNCTION bench_text(integer) RETURNS text AS 'snowid_bench' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
    CREATE FUNCTION bench_uuid(text, text) RETURNS uuid AS 'snowid_bench' LANGUAGE C STABLE STRICT PARALLEL SAFE;
    CREATE FUNCTION bench_empty(text, text) RETURNS bigint AS 'snowid_bench' LANGUAGE C STABLE STRICT PARALLEL SAFE;
    SELECT snowid_seal_key_create();
    CREATE TABLE bench_ids AS SELECT id, uuid, id_seal(id, 'ord') AS sealed, id_text(id) AS number, typeid_text(uuid, 'user') AS typeid
        FROM (SELECT snowflake_next() AS id, uuidv7_next() AS uuid FROM generate_series(1, 100000)) AS made;
    CREATE TABLE bench_orders (id bigint PRIMARY KEY, amount integer);
    INSERT INTO bench_orders SELECT id, 1 FROM bench_ids;
"""

# function -> the same that does nothing
CALLS = {
    "id_seal(id, 'ord')": "bench_text(id, 'ord', NULL)",
    "id_unseal(sealed, 'ord')": "bench_empty(sealed, 'ord')",
    "typeid_text(uuid, 'user')": "bench_text(uuid, 'user')",
    "typeid_uuid(typeid, 'user')": "bench_uuid(typeid, 'user')",
    "id_text(id)": "bench_text(id, 'base62')",
    "id_text(id, 'crockford32')": "bench_text(id, 'crockford32')",
    "id_number(number)": "bench_empty(number, 'base62')",
    "nanoid_next()": "bench_text(21, 'base62')",
    "cuid2_next()": "bench_text(24)",
}


def texts(bench):
    """Nanoseconds a row of SELECT count(f(…)) FROM a table of 100,000 rows, above those of the function that does nothing."""
    bench.create_database("bench_texts")
    with bench.session("bench_texts") as session:
        session.run(SETUP)
        for table in ("bench_ids", "bench_orders"):
            session.run(f"VACUUM (FREEZE, ANALYZE) {table}")
        result = {"above": above(bench, session), "lookup": lookup(bench, session), "first_us": first_call(bench)}
    return result


def above(bench, session):
    def measure(call):
        sql = f"SELECT count({call}) FROM bench_ids"
        session.run(sql)
        return lambda: session.cpu_seconds(sql) / 100_000 * 1e9
    found = interleave({call: measure(call) for pair in CALLS.items() for call in pair}, bench.scale(61, 21), bench.random)
    return {call: {**summary([a - b for a, b in zip(found[call], found[empty])]), "empty": statistics.median(found[empty])}
            for call, empty in CALLS.items()}


def lookup(bench, session):
    """Microseconds of a prepared statement that finds a row, by its bigint and by its sealed id, one client asking."""
    session.run("SELECT id, sealed FROM bench_ids ORDER BY random() LIMIT 1")
    id, sealed = session.cursor.fetchone()

    def measure(condition, *variables):
        script = f"SELECT amount FROM bench_orders WHERE id = {condition};\n"
        return lambda: 1e6 / bench.server.pgbench(script, 1, 1, *variables, database="bench_texts")
    found = interleave({"bigint": measure(":id", "-D", f"id={id}"), "sealed": measure("id_unseal(:sealed, 'ord')", "-D", f"sealed={sealed}")},
                       bench.scale(31, 11), bench.random)
    return {name: summary(values) for name, values in found.items()} | {
        "ratio": statistics.median(s / b for s, b in zip(found["sealed"], found["bigint"]))}


def first_call(bench):
    """Microseconds of the first id_seal of a session, above those of the first id_text, which looks its function up too."""
    taken = []
    for _ in range(bench.scale(41, 15)):
        with bench.session("bench_texts") as session:
            session.run("SELECT bench_text(1::bigint, 'ord', NULL), id_number('1')")
            other, first = (session.cpu_seconds(sql) for sql in ("SELECT id_text(1)", "SELECT id_seal(1, 'ord')"))
            taken.append((first - other) * 1e6)
    return statistics.median(taken)
