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

N = 10
MORE = 4 * N
FEW = 30  # generators of each scheme
MANY = 4 * FEW
FEW_INSTRUCTIONS = 30  # at the end of a transaction, in the callbacks
FIRST_INSTRUCTIONS = 157  # 155 where no later id enters a tick
MORE_FOR_SPREAD = 60
MOST_OF_FURTHER_USE = 65000
ROW_OF_STAT = 19000
CHECK_OF_A_GENERATOR = 150000  # and a twentieth of a partitioned table
LOOK_AT_A_TABLE = 2600000  # with four partitions
GIVEN = 12000  # times
FILLED = 12  # pages
COPIED = 4000  # rows; the first thousand make what the others are buffered in


class Sessions:
    """Of one database."""

    def __init__(self, folder, psql, database):
        self.folder, self.psql = pathlib.Path(folder), [*psql, "-h", folder, "-d", database]
        self.session("")  # after a start a database's first one writes the file of its catalogues, for all that follow

    def session(self, sql):
        """What a session says that does this and nothing else."""
        told = subprocess.run(self.psql, input=f"SELECT pg_backend_pid();\n{sql}\n", text=True, check=True, capture_output=True).stdout
        self.process, said = told.split("\n", 1)
        self.written("")
        return said

    def written(self, number):
        """What callgrind has written of the last session. The file goes, since counts.py is about other sessions."""
        path = self.folder / f"counts.{self.process}{number}"
        for _ in range(600):  # a session is still writing when its client has gone
            if path.exists() and "\ntotals: " in (counts := path.read_text()):
                path.unlink()
                return counts
            time.sleep(0.1)
        sys.exit(f"callgrind has not written {path}")

    def counts(self, *steps):
        """What callgrind counts of each step in one session, and of the counting."""
        count = "SELECT count_from_here() \\g /dev/null\n"
        self.session(count + count + "".join(f"{step}\n{count}" for step in steps))
        _, *counts = [self.written(f".{number}") for number in range(1, len(steps) + 3)]
        return counts

    def instructions(self, *steps):
        """Of each step in one session. Planning and parsing are counted, too."""
        counting, *each = [int(re.search(r"^totals: (\d+)", counts, re.M)[1]) for counts in self.counts(*steps)]
        return [count - counting for count in each]

    def ours(self, *steps):
        """The instructions of our library alone, without what it calls. How often the clock is read is a matter of time."""
        return [self.of_library(counts) for counts in self.counts(*steps)[1:]]

    @staticmethod
    def of_library(counts):
        total, is_ours, is_clock, is_call = 0, False, False, False
        for line in counts.splitlines():
            if line.startswith("ob="):
                is_ours = line.endswith("/snowid.so")
            elif line.startswith("fn="):
                is_clock = "NearClock<" in line or "__udivti3" in line
            elif line[:1].isdigit():
                total += int(line.split()[1]) if is_ours and not is_clock and not is_call else 0
            is_call = line.startswith("calls=")
        return total

    def once(self, sql):
        """Of what a session does first."""
        return self.instructions(sql)[0]

    def again(self, *each):
        """Of each of these, where all is known that the first time finds out."""
        return [count / 4 for count in self.instructions(*[sql * times for sql in each for times in (2, 4)])[1::2]]

    def rows_and_wal(self, sql):
        """How many rows of tables a statement reads, and how many records of WAL it writes."""
        said = self.session(f"""BEGIN;
EXPLAIN (ANALYZE, WAL, FORMAT JSON) {sql}
\\echo rows
SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables;
ROLLBACK;""").split("rows\n")
        return int(said[1]), json.loads(said[0])[0]["Plan"]["WAL Records"]


def plan(table):
    return f"EXPLAIN SELECT FROM {table} WHERE id >= now() - interval '1 hour';\n"


def read(table, condition):
    return f"SELECT count(*) FROM {table} WHERE {condition};\n"


def laws_of_partitions(sessions):
    """What is counted, its instructions, the others', and how many times those it may take."""
    def growth(sql):
        _, few, many = sessions.instructions(*[sql.format(n=n) for n in (1, N, MORE)])
        return (many - few) / (MORE - N)

    yield ("snowid_partition, a partition more, beside LIKE and ATTACH by hand", growth("SELECT count(*) FROM snowid_partition('made_{n}', '1 day', {n} - 1);"),
           growth("SELECT by_hand('made_by_hand_{n}', {n});"), 1.35)  # and its times are recorded
    again = sessions.again(*[f"SELECT count(*) FROM snowid_partition('made_{n}', '1 day', {n - 1});\n" for n in (MORE, N)])
    yield (f"snowid_partition where all are there, {MORE} beside {N}", *again, 0.4 * MORE / N)
    begin, end = "now() - interval '2 days'", "now() - interval '1 day'"
    ranges = f"id <@ tstzrange({begin}, {end})", f"id >= {begin} AND id < {end}"
    *plans, of_times, of_range, of_ends = sessions.again(
        *[plan(f"of_{kind}_{MORE}") for kind in ("snowflake", "ulid", "uuid", "timestamptz")], *["EXPLAIN " + read(f"of_snowflake_{MORE}", where) for where in ranges])
    for kind, ours, most in zip(("snowflake", "ulid", "uuid"), plans, (0.98, 1.03, 1.17)):  # the version of a uuid is one condition more
        yield f"planning a filter of {kind} beside now() over {MORE} partitions, beside timestamptz", ours, of_times, most
    yield f"planning a range of yesterday over {MORE} partitions, beside its two ends", of_range, of_ends, 1.05
    constants = "timestamptz '2025-01-01Z'", "'01941f29-7c00-7000-8000-000000000000'"
    yield ("filter of uuid where a constraint checks the version, beside a range by hand",
           *sessions.again(*[read("of_version_7", f"id >= {constant}") for constant in constants]), 1.02)


def laws_of_others(sessions, without, bare):
    """Queries in which nothing is ours, beside a server that has not loaded the library."""
    queries = ("SELECT 1", "SELECT 1;\n" * 25, 1.01), ("a lookup by primary key", "SELECT body FROM plain WHERE id = 42;\n" * 10, 1.015)
    counts = [of.again(*[sql for _, sql, _ in queries]) for of in (sessions, without, bare)]
    for (what, _, most), ours, none, others in zip(queries, *counts):
        yield f"{what} in a database with the extension", ours, others, most
        yield f"{what} in a database without", none, others, most


def laws_of_transactions(sessions):
    """Of our own instructions. Under callgrind some of the later ids enter a tick, too."""
    _, none, _, one, five = [count / 1000 for count in sessions.ours(
        *[f"CALL transactions({n}, {ids});" for n, ids in ((100, 0), (1000, 0), (100, 1), (1000, 1), (1000, 5))])]
    yield "a transaction without ids", none, FEW_INSTRUCTIONS, 1
    first = one - none - (five - one) / 4
    yield "the first id of a transaction, beside a later one", first, FIRST_INSTRUCTIONS, 1
    _, one, five = [count / 1000 for count in sessions.ours(*[f"CALL spread_transactions({n}, {ids});" for n, ids in ((1000, 1), (1000, 1), (1000, 5))])]
    yield "the same of one that is spread", one - none - (five - one) / 4, first + MORE_FOR_SPREAD, 1


def made_again(times):
    return f"SELECT snowid_generator_create('made_{times}', worker => 200 + {times});\nSELECT snowid_generator_drop('made_{times}');\n" * times


def call_that_alternates(sessions, n):
    names = [f"s{i}" for i in range(1, n + 1)]
    calls = [f"SELECT count(sno_next(0, name)) FROM unnest('{{{','.join(names * rounds)}}}'::text[]) AS name;" for rounds in (1, 2, 10)]
    _, few, many = sessions.instructions(*calls)  # the first one raises their horizons
    return (many - few) / (8 * n)


def asked(sessions, function):
    return sessions.instructions(f"PREPARE asked AS SELECT count(*) FROM {function};\nEXECUTE asked;", "EXECUTE asked;")[1]


CHECK = "SELECT count(*) FROM snowid_check();"
METRICS = "SELECT count(*) FROM snowid_metrics();"


def laws_of_generators(few, many):
    """The same. What one session has used counts in snowid_stat of all."""
    create = "SELECT snowid_generator_create('more', worker => 250);"
    for counted, ours, others in zip(("rows read", "WAL records"), many.rows_and_wal(create), few.rows_and_wal(create)):
        yield f"{counted} to create a generator among {2 * MANY}, among {2 * FEW}", ours, others, 1
    shared = "SELECT snowid_generator_create('more', worker => 5, overlap => true);"
    created = zip(*[s.again(f"BEGIN;\n{create}\nROLLBACK;\n", f"BEGIN;\n{shared}\nROLLBACK;\n") for s in (many, few)])
    yield f"creating a generator among {2 * MANY}, among {2 * FEW}", *next(created), 1.2
    yield f"creating one that shares its number with {MANY}, with {FEW}", *next(created), 1.2
    few.session(use_of_shared(1, FEW))
    _, five_times, twenty_times = few.instructions(*[made_again(times) for times in (1, 5, 20)])
    yield "creating and dropping one name 20 times, beside 5 times", twenty_times, five_times, 4.2
    calls = [call_that_alternates(s, n) for s, n in ((few, FEW), (many, MANY))]
    yield f"call that alternates among {MANY}, among {FEW}", calls[1], calls[0], 1.1
    yield f"snowid_stat of {3 * MANY}, for each", asked(many, "snowid_stat") / (3 * MANY), ROW_OF_STAT, 1
    maintain = "CALL snowid_maintain();"
    first_look, first_check, check = few.instructions(maintain, CHECK, CHECK)
    look, _, later, _, metrics = many.instructions(maintain, CHECK, CHECK, METRICS, METRICS)
    yield "snowid_check(), for each further generator", (later - check) / (3 * (MANY - FEW)), CHECK_OF_A_GENERATOR, 1
    yield "snowid_metrics(), beside snowid_check()", metrics, later, 2
    yield "snowid_maintain with nothing due, for each further table", (look - first_look) / ((MANY - FEW) // 6), LOOK_AT_A_TABLE, 1
    partitions = [asked(s, "_snowid.check_partitions()") for s in (many, few)]
    yield f"the check of {MANY // 6} partitioned tables, of {FEW // 6}", *partitions, 4
    call = "SELECT snowflake_next('g10');"
    for of in (many, few):
        of.session(call)  # raises the horizons
    yield f"first call in a session among {2 * MANY}, among {2 * FEW}", many.once(call), few.once(call), 1.2


def laws_of_copy(sessions):
    """Of a table whose ids are the default. A page that is changed for the first time after a checkpoint is in the WAL as a whole."""
    def copy(table, count):
        rows = "".join(f"{n}\n" for n in range(count))
        return f"COPY {table} (n) FROM STDIN;\n{rows}\\.\n"
    first, copies = [[copy(table, count) for table in ("copied", "copied_spread", "copied_bigserial")] for count in (100, COPIED)]

    def wal(copied):
        return int(sessions.session(f"CHECKPOINT;\nSELECT pg_current_wal_insert_lsn() AS before \\gset\n{copied}SELECT pg_current_wal_insert_lsn() - :'before';"))
    _, _, _, ours, spread, bigserial = sessions.instructions(*first, *copies)
    yield f"COPY of {COPIED} rows, beside bigserial", ours, bigserial, 0.845
    yield "the same of ids that are spread", spread, bigserial, 0.86
    ours, spread, bigserial = [wal(copied) for copied in copies]
    yield f"WAL of a COPY of {COPIED} rows, beside bigserial", ours, bigserial, 1.0
    yield "the same of ids that are spread", spread, bigserial, 1.05


def laws_of_fill(sessions):
    """Batches of an online conversion of UUIDs, beside an UPDATE of one column of as many rows by hand. Each is its session's second."""
    def begin(table):
        sessions.session(f"""WITH plan AS MATERIALIZED (SELECT * FROM snowid_convert_plan('keyed', online => true) WHERE statement IS NOT NULL)
SELECT statement FROM plan WHERE step < (SELECT step FROM plan WHERE statement LIKE '%snowid_convert_fill(''public.{table}''%') ORDER BY step \\gexec""")

    def batch(table, first, pages):
        return f"SELECT FROM _snowid_convert.rows('{table}', {first}, {pages}, 100000, 'public');"

    def second(table, column, value):
        by_hand = [f"UPDATE {table}_by_hand SET {column} = {value} WHERE ctid >= '({first},0)' AND ctid < '({first + FILLED},0)';"
                   for first in (0, FILLED)]
        ours = sessions.instructions(*[batch(table, first, FILLED) for first in (0, FILLED)])
        return ours[1], sessions.instructions(*by_hand)[1]
    begin("keyed")
    yield "a batch of a fill of UUIDs, beside by hand", *second("keyed", "snowid_id", "(extract(epoch FROM created_at) * 1000)::bigint << 22"), 1.85
    sessions.session(batch("keyed", 0, 10000))
    begin("refers")
    yield "a batch of a fill of references to UUIDs, beside by hand", *second("refers", "snowid_keyed_id", "42"), 2.5


def law_of_safe_horizon(sessions):
    """Of a generator beside a transaction that holds seven others. What these are is looked up once in a session."""
    ask = "SELECT snowid_safe_horizon('g10');\n"
    [alone] = sessions.again(ask)
    others = "".join(f"SELECT snowflake_next('g{i}');\n" for i in range(11, 18))
    sessions.session(f"BEGIN;\n{others}PREPARE TRANSACTION 'holds';")
    [beside] = sessions.again(ask)
    sessions.session("ROLLBACK PREPARED 'holds';")
    yield "snowid_safe_horizon of a generator beside seven others, alone", beside, alone, 1.1


def law_of_used_generators(sessions):
    """The end of a transaction looks after what the transaction has used."""
    use = f"SELECT count(sno_next(0, 's' || i)) FROM generate_series(1, {MANY}) AS i;\n"
    sessions.session(use)
    none, used = [sessions.instructions(before + "SELECT 1;\n" * 5, "SELECT 1;\n" * 40)[1] for before in ("", use)]
    yield f"SELECT 1 in a session that has used {MANY} generators, in a fresh one", used, none, 1.02


def laws_of_first_calls(sessions):
    """A session's first call, beside nextval(). An empty database has one page of generators."""
    first = sessions.once("SELECT nextval('counted_by');")
    yield "the first id of a session, beside nextval()", sessions.once("SELECT snowflake_next();"), first, 2.3
    yield "the first id of a named generator, beside nextval()", sessions.once("SELECT snowflake_next('counted');"), first, 4.3
    yield "the first seal of a session, beside nextval()", sessions.once("SELECT id_seal(5, 'ord');"), first, 2.8


def use_of_shared(first, last):
    return f"SELECT count(snowflake_next('o' || i)) FROM generate_series({first}, {last}) AS i;"


def law_of_further_use(sessions):
    sessions.session(use_of_shared(1, MANY))  # raises their horizons
    further = sessions.instructions(use_of_shared(1, FEW), use_of_shared(FEW + 1, MANY))[1]
    yield "a session's first use of each further generator", further / (MANY - FEW), MOST_OF_FURTHER_USE, 1


def law_of_given_times(sessions):
    """Each raise of the horizon is one record of WAL, and one flush. The first ids of a session are reserved for in doubling steps."""
    at = "snowflake_at(timestamptz '2024-03-01Z' + n * interval '1 min', 'given')"
    said = sessions.session(f"""SELECT count({at}) FROM generate_series(1, 1000) n;
SELECT horizon_advances FROM snowid_stat WHERE generator = 'given';
EXPLAIN (ANALYZE, WAL, FORMAT JSON) SELECT count({at}) FROM generate_series(1001, {1000 + GIVEN}) n;
\\echo raises
SELECT horizon_advances FROM snowid_stat WHERE generator = 'given';""")
    before, plan, after = re.fullmatch(r"1000\n(\d+)\n(.*)raises\n(\d+)\n", said, re.S).groups()
    yield f"raises of the horizon for {GIVEN} given times a minute apart", int(after) - int(before), GIVEN, 1 / 55
    yield "WAL records for them, beside raises", json.loads(plan)[0]["Plan"]["WAL Records"], int(after) - int(before), 1.05


def main():
    faults = 0
    server, bare, *psql = sys.argv[1:]
    partitions, without, few, many = [Sessions(server, psql, database) for database in ("laws", "without", "few", "many")]
    laws = itertools.chain(
        laws_of_others(partitions, without, Sessions(bare, psql, "without")), laws_of_partitions(partitions), laws_of_transactions(partitions),
        law_of_given_times(partitions), laws_of_copy(partitions), laws_of_fill(partitions), laws_of_first_calls(Sessions(server, psql, "postgres")),
        law_of_safe_horizon(few), law_of_used_generators(many), law_of_further_use(many), laws_of_generators(few, many))
    for law, ours, others, most in laws:
        broken = ours > others * most
        print(f"{law}: {ours / others:.3f} times {others:.0f}, at most {most:.2f}{'  BROKEN' if broken else ''}", flush=True)
        faults += broken
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
