"""What grows with what is there, beside the same without us. Each part is a row of the report's section."""
import statistics

from measure import interleave, table_of


def growth(bench):
    """What grows: partitions made and planned for."""
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


PARTS = {"partitions": partitions, "planning": planning}
