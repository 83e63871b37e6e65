#!/usr/bin/env python3
"""How costs grow: compares the instructions of sessions with those of other sessions, on a server under callgrind.

laws.py SERVER PSQL...: callgrind's output is in the folder SERVER, and PSQL with its options connects to the server. laws.sql has
made the tables.
"""
import pathlib
import re
import subprocess
import sys
import time

N = 30
MORE = 4 * N


class Sessions:
    def __init__(self, folder, psql):
        self.folder, self.psql = pathlib.Path(folder), psql
        self.known = {}

    def instructions(self, sql):
        """Of a session that does this and nothing else; a session is there for its start alone, too."""
        if sql not in self.known:
            told = subprocess.run(self.psql, input=f"SELECT pg_backend_pid();\n{sql}\n", text=True, check=True, capture_output=True).stdout
            self.known[sql] = self.total(self.folder / f"counts.{told.split()[0]}")
        return self.known[sql]

    def total(self, path):
        """It goes, since counts.py is about other sessions."""
        for _ in range(600):  # a session is still writing when its client has gone
            if path.exists() and (found := re.search(r"^totals: (\d+)", path.read_text(), re.M)):
                path.unlink()
                return int(found[1])
            time.sleep(0.1)
        sys.exit(f"callgrind has not written {path}")

    def once(self, sql):
        return self.instructions(sql) - self.instructions("")

    def again(self, sql):
        """Where all is known that the first time finds out, and a session before has left its marks on the tables."""
        self.instructions(sql)
        return (self.instructions(sql * 6) - self.instructions(sql * 2)) / 4


def plan(table):
    return f"EXPLAIN SELECT FROM {table} WHERE id >= now() - interval '1 hour';\n"


def read(table, condition):
    return f"SELECT count(*) FROM {table} WHERE {condition};\n"


def laws(sessions):
    """What is counted, its instructions, the others', and how many times those it may take."""
    def growth(sql):
        sessions.instructions(sql.format(n=1))  # a database's first session writes the file of its catalogues, and marks their rows
        return (sessions.once(sql.format(n=MORE)) - sessions.once(sql.format(n=N))) / (MORE - N)

    yield ("snowid_partition, a partition more, beside LIKE and ATTACH by hand", growth("SELECT count(*) FROM snowid_partition('made_{n}', '1 day', {n} - 1);"),
           growth("SELECT by_hand('made_by_hand_{n}', {n});"), 1.05)
    again = [sessions.again(f"SELECT count(*) FROM snowid_partition('made_{n}', '1 day', {n - 1});\n") for n in (MORE, N)]
    yield (f"snowid_partition where all are there, {MORE} beside {N}", *again, 0.75 * MORE / N)
    for kind, most in ("snowflake", 1.05), ("ulid", 1.05), ("uuid", 1.2):  # the version of a uuid is one condition more
        yield (f"planning a filter of {kind} beside now() over {MORE} partitions, beside timestamptz", sessions.again(plan(f"of_{kind}_{MORE}")),
               sessions.again(plan(f"of_timestamptz_{MORE}")), most)
    yield ("filter of uuid where a constraint checks the version, beside a range by hand", sessions.again(read("of_version_7", "id >= timestamptz '2025-01-01Z'")),
           sessions.again(read("of_version_7", "id >= '01941f29-7c00-7000-8000-000000000000'")), 1.01)


def main():
    faults = 0
    for law, ours, others, most in laws(Sessions(sys.argv[1], sys.argv[2:])):
        broken = ours > others * most
        print(f"{law}: {ours / others:.3f} times {others:.0f} instructions, at most {most:.2f}{'  BROKEN' if broken else ''}", flush=True)
        faults += broken
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
