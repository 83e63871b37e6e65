#!/usr/bin/env python3
"""How costs grow: compares the instructions of sessions with those of other sessions, on a server under callgrind.

laws.py SERVER BARE PSQL...: callgrind's output is in the folders of the servers, and PSQL with its options connects to them. laws.sql
has made the databases of SERVER, and queries.sql the one of BARE, which has not loaded the library.
"""
import itertools
import json
import pathlib
import re
import subprocess
import sys
import time

N = 15
MORE = 4 * N
FEW = 30  # generators of each scheme
MANY = 4 * FEW
FEW_INSTRUCTIONS = 30  # at the end of a transaction, in the callbacks
FIRST_INSTRUCTIONS = 150
MOST_OF_FURTHER_USE = 65000
CHECK_OF_A_GENERATOR = 150000  # and a twentieth of a partitioned table
LOOK_AT_A_TABLE = 2600000  # with four partitions
GIVEN = 12000  # times
COPIED = 2000  # rows


class Sessions:
    """Of one database."""

    def __init__(self, folder, psql, database):
        self.folder, self.psql = pathlib.Path(folder), [*psql, "-h", folder, "-d", database]
        self.known = {}
        self.session("")  # after a start a database's first one writes the file of its catalogues, for all that follow

    def session(self, sql):
        """What it says, and its instructions."""
        said, counts = self.run(sql)
        return said, int(re.search(r"^totals: (\d+)", counts, re.M)[1])

    def run(self, sql):
        """What it says, and what callgrind has written."""
        told = subprocess.run(self.psql, input=f"SELECT pg_backend_pid();\n{sql}\n", text=True, check=True, capture_output=True).stdout
        process, said = told.split("\n", 1)
        return said, self.counts(self.folder / f"counts.{process}")

    def instructions(self, sql):
        """Of a session that does this and nothing else; a session is there for its start alone, too."""
        if sql not in self.known:
            self.known[sql] = self.session(sql)[1]
        return self.known[sql]

    def counts(self, path):
        """The file goes, since counts.py is about other sessions."""
        for _ in range(600):  # a session is still writing when its client has gone
            if path.exists() and "\ntotals: " in (counts := path.read_text()):
                path.unlink()
                return counts
            time.sleep(0.1)
        sys.exit(f"callgrind has not written {path}")

    def ours(self, sql):
        """The instructions of our library in such a session, without what it calls. How often the clock is read is a matter of time."""
        total, is_ours, is_clock, is_call = 0, False, False, False
        for line in self.run(sql)[1].splitlines():
            if line.startswith("ob="):
                is_ours = line.endswith("/snowid.so")
            elif line.startswith("fn="):
                is_clock = "NearClock<" in line or "__udivti3" in line
            elif line[:1].isdigit():
                total += int(line.split()[1]) if is_ours and not is_clock and not is_call else 0
            is_call = line.startswith("calls=")
        return total

    def once(self, sql):
        return self.instructions(sql) - self.instructions("")

    def again(self, sql):
        """Where all is known that the first time finds out, and a session before has left its marks on the tables."""
        self.instructions(sql)
        return (self.instructions(sql * 6) - self.instructions(sql * 2)) / 4

    def rows_and_wal(self, sql):
        """How many rows of tables a statement reads, and how many records of WAL it writes."""
        said = self.session(f"""BEGIN;
EXPLAIN (ANALYZE, WAL, FORMAT JSON) {sql}
\\echo rows
SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables;
ROLLBACK;""")[0].split("rows\n")
        return int(said[1]), json.loads(said[0])[0]["Plan"]["WAL Records"]


def plan(table):
    return f"EXPLAIN SELECT FROM {table} WHERE id >= now() - interval '1 hour';\n"


def read(table, condition):
    return f"SELECT count(*) FROM {table} WHERE {condition};\n"


def laws_of_partitions(sessions):
    """What is counted, its instructions, the others', and how many times those it may take."""
    def growth(sql):
        sessions.instructions(sql.format(n=1))  # the first one marks rows of the catalogues as committed
        return (sessions.once(sql.format(n=MORE)) - sessions.once(sql.format(n=N))) / (MORE - N)

    yield ("snowid_partition, a partition more, beside LIKE and ATTACH by hand", growth("SELECT count(*) FROM snowid_partition('made_{n}', '1 day', {n} - 1);"),
           growth("SELECT by_hand('made_by_hand_{n}', {n});"), 1.35)  # and its times are recorded
    again = [sessions.again(f"SELECT count(*) FROM snowid_partition('made_{n}', '1 day', {n - 1});\n") for n in (MORE, N)]
    yield (f"snowid_partition where all are there, {MORE} beside {N}", *again, 0.75 * MORE / N)
    for kind, most in ("snowflake", 1.05), ("ulid", 1.05), ("uuid", 1.2):  # the version of a uuid is one condition more
        yield (f"planning a filter of {kind} beside now() over {MORE} partitions, beside timestamptz", sessions.again(plan(f"of_{kind}_{MORE}")),
               sessions.again(plan(f"of_timestamptz_{MORE}")), most)
    begin, end = "now() - interval '2 days'", "now() - interval '1 day'"
    ranges = f"id <@ tstzrange({begin}, {end})", f"id >= {begin} AND id < {end}"
    yield (f"planning a range of yesterday over {MORE} partitions, beside its two ends",
           *[sessions.again("EXPLAIN " + read(f"of_snowflake_{MORE}", where)) for where in ranges], 1.1)
    yield ("filter of uuid where a constraint checks the version, beside a range by hand", sessions.again(read("of_version_7", "id >= timestamptz '2025-01-01Z'")),
           sessions.again(read("of_version_7", "id >= '01941f29-7c00-7000-8000-000000000000'")), 1.02)


def laws_of_others(sessions, without, bare):
    """Queries in which nothing is ours, beside a server that has not loaded the library."""
    for what, sql, most in ("SELECT 1", "SELECT 1;\n" * 25, 1.01), ("a lookup by primary key", "SELECT body FROM plain WHERE id = 42;\n" * 10, 1.015):
        others = bare.again(sql)
        yield f"{what} in a database with the extension", sessions.again(sql), others, most
        yield f"{what} in a database without", without.again(sql), others, most


def laws_of_transactions(sessions):
    """Of our own instructions. Under callgrind some of the later ids enter a tick, too."""
    def each(ids):
        few, many = (sessions.ours(f"CALL transactions({n}, {ids});") for n in (100, 1100))
        return (many - few) / 1000
    none, one, five = each(0), each(1), each(5)
    yield "a transaction without ids", none, FEW_INSTRUCTIONS, 1
    yield "the first id of a transaction, beside a later one", one - none - (five - one) / 4, FIRST_INSTRUCTIONS, 1


def made_again(times):
    return f"SELECT snowid_generator_create('made_{times}', worker => 200 + {times});\nSELECT snowid_generator_drop('made_{times}');\n" * times


def call_that_alternates(sessions, n):
    def instructions(rounds):
        names = ",".join([f"s{i}" for i in range(1, n + 1)] * rounds)
        return sessions.instructions(f"SELECT count(sno_next(0, name)) FROM unnest('{{{names}}}'::text[]) AS name;")
    instructions(1)  # the first one raises their horizons
    return (instructions(10) - instructions(2)) / (8 * n)


def asked(sessions, function):
    def instructions(times):
        return sessions.instructions(f"PREPARE asked AS SELECT count(*) FROM {function};\n" + "EXECUTE asked;\n" * times)
    return instructions(2) - instructions(1)


CHECK = "SELECT count(*) FROM snowid_check();"


def laws_of_generators(few, many):
    """The same. What one session has used counts in snowid_stat of all."""
    create = "SELECT snowid_generator_create('more', worker => 250);"
    for counted, ours, others in zip(("rows read", "WAL records"), many.rows_and_wal(create), few.rows_and_wal(create)):
        yield f"{counted} to create a generator among {2 * MANY}, among {2 * FEW}", ours, others, 1
    created = [s.again(f"BEGIN;\n{create}\nROLLBACK;\n") for s in (many, few)]
    yield f"creating a generator among {2 * MANY}, among {2 * FEW}", *created, 1.2
    shared = "SELECT snowid_generator_create('more', worker => 5, overlap => true);"
    yield f"creating one that shares its number with {MANY}, with {FEW}", *[s.again(f"BEGIN;\n{shared}\nROLLBACK;\n") for s in (many, few)], 1.2
    few.instructions(made_again(1))
    few.session(use_of_shared(FEW))
    yield "creating and dropping one name 20 times, beside 5 times", few.once(made_again(20)), few.once(made_again(5)), 4.0
    calls, stats, checks = zip(*[(call_that_alternates(s, n), asked(s, "snowid_stat"), s.once(CHECK)) for s, n in ((few, FEW), (many, MANY))])
    yield f"call that alternates among {MANY}, among {FEW}", calls[1], calls[0], 1.1
    yield f"snowid_stat of {3 * MANY}, of {2 * FEW} and the others'", stats[1], stats[0], 4  # it sorts them
    yield "snowid_check(), for each further generator", (checks[1] - checks[0]) / (3 * (MANY - FEW)), CHECK_OF_A_GENERATOR, 1
    yield "snowid_metrics(), beside snowid_check()", many.once("SELECT count(*) FROM snowid_metrics();"), checks[1], 2
    looks = [s.instructions("CALL snowid_maintain();") for s in (many, few)]
    yield "snowid_maintain with nothing due, for each further table", (looks[0] - looks[1]) / ((MANY - FEW) // 6), LOOK_AT_A_TABLE, 1
    partitions = [asked(s, "_snowid.check_partitions_ahead()") for s in (many, few)]
    yield f"the check of {MANY // 6} partitioned tables, of {FEW // 6}", *partitions, 4
    yield f"first call in a session among {2 * MANY}, among {2 * FEW}", *[s.once("SELECT snowflake_next('g10');") for s in (many, few)], 1.1


def laws_of_copy(sessions):
    """Of a table whose ids are the default. A page that is changed for the first time after a checkpoint is in the WAL as a whole."""
    rows = "".join(f"{n}\n" for n in range(COPIED))
    copies = [f"COPY {table} (n) FROM STDIN;\n{rows}\\.\n" for table in ("copied", "copied_bigserial")]

    def wal(copy):
        return int(sessions.session(f"CHECKPOINT;\nSELECT pg_current_wal_insert_lsn() AS before \\gset\n{copy}SELECT pg_current_wal_insert_lsn() - :'before';")[0])
    yield f"COPY of {COPIED} rows, beside bigserial", *[sessions.again(copy) for copy in copies], 0.9
    yield f"WAL of a COPY of {COPIED} rows, beside bigserial", *[wal(copy) for copy in copies], 1.0


def law_of_safe_horizon(sessions):
    """Of a generator beside a transaction that holds seven others. What these are is looked up once in a session."""
    ask = "SELECT snowid_safe_horizon('g10');\n"
    alone = sessions.again(ask)
    others = "".join(f"SELECT snowflake_next('g{i}');\n" for i in range(11, 18))
    sessions.session(f"BEGIN;\n{others}PREPARE TRANSACTION 'holds';")
    beside = sessions.again(f"/* beside them */ {ask}")
    sessions.session("ROLLBACK PREPARED 'holds';")
    yield "snowid_safe_horizon of a generator beside seven others, alone", beside, alone, 1.1


def law_of_used_generators(sessions):
    """The end of a transaction looks after what the transaction has used."""
    def idle(before):
        few, many = (sessions.instructions(before + "SELECT 1;\n" * times) for times in (5, 45))
        return (many - few) / 40
    use = f"SELECT count(sno_next(0, 's' || i)) FROM generate_series(1, {MANY}) AS i;\n"
    idle(use)
    yield f"SELECT 1 in a session that has used {MANY} generators, in a fresh one", idle("/* again */ " + use), idle(""), 1.02


def laws_of_first_calls(sessions):
    """A session's first call, beside nextval(). An empty database has one page of generators."""
    first = sessions.once("SELECT nextval('counted_by');")
    yield "the first id of a session, beside nextval()", sessions.once("SELECT snowflake_next();"), first, 1.8
    yield "the first id of a named generator, beside nextval()", sessions.once("SELECT snowflake_next('counted');"), first, 2.8
    yield "the first seal of a session, beside nextval()", sessions.once("SELECT id_seal(5, 'ord');"), first, 1.6


def use_of_shared(n):
    return f"SELECT count(snowflake_next('o' || i)) FROM generate_series(1, {n}) AS i;"


def law_of_further_use(sessions):
    def each(n):
        return sessions.session(use_of_shared(n))[1]
    each(MANY)  # raises their horizons
    yield "a session's first use of each further generator", (each(MANY) - each(FEW)) / (MANY - FEW), MOST_OF_FURTHER_USE, 1


def law_of_given_times(sessions):
    """Each raise of the horizon is one record of WAL, and one flush. The first ids of a session are reserved for in doubling steps."""
    at = "snowflake_at(timestamptz '2024-03-01Z' + n * interval '1 min', 'given')"
    said = sessions.session(f"""SELECT count({at}) FROM generate_series(1, 1000) n;
SELECT horizon_advances FROM snowid_stat WHERE generator = 'given';
EXPLAIN (ANALYZE, WAL, FORMAT JSON) SELECT count({at}) FROM generate_series(1001, {1000 + GIVEN}) n;
\\echo raises
SELECT horizon_advances FROM snowid_stat WHERE generator = 'given';""")[0]
    before, plan, after = re.fullmatch(r"1000\n(\d+)\n(.*)raises\n(\d+)\n", said, re.S).groups()
    yield f"raises of the horizon for {GIVEN} given times a minute apart", int(after) - int(before), GIVEN, 1 / 55
    yield "WAL records for them, beside raises", json.loads(plan)[0]["Plan"]["WAL Records"], int(after) - int(before), 1.05


def main():
    faults = 0
    server, bare, *psql = sys.argv[1:]
    partitions, without, few, many = [Sessions(server, psql, database) for database in ("laws", "without", "few", "many")]
    laws = itertools.chain(
        laws_of_others(partitions, without, Sessions(bare, psql, "without")), laws_of_partitions(partitions), laws_of_transactions(partitions),
        law_of_given_times(partitions), laws_of_copy(partitions), laws_of_first_calls(Sessions(server, psql, "postgres")),
        law_of_safe_horizon(few), law_of_used_generators(many), law_of_further_use(many), laws_of_generators(few, many))
    for law, ours, others, most in laws:
        broken = ours > others * most
        print(f"{law}: {ours / others:.3f} times {others:.0f}, at most {most:.2f}{'  BROKEN' if broken else ''}", flush=True)
        faults += broken
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
