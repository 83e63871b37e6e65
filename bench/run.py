"""Runs the workloads on a server of its own and writes what came out; started by script/bench."""
import argparse
import datetime
import json
import os
import pathlib
import platform
import random
import shutil
import signal
import sys
import time

import calls
import cores
import generators
import report
import scale
import series
import storage
import system
import texts
import times
from generators import Generator
from server import SETTINGS, Server

HERE = pathlib.Path(__file__).resolve().parent
SECTIONS = {
    "calls": calls.per_call,
    "batch": calls.batch,
    "contended": calls.contended,
    "latency": calls.latency,
    "inserts": storage.inserts,
    "copy": storage.copy,
    "sort": storage.sort,
    "text": storage.text,
    "large": storage.large,
    "times": times.ranges,
    "start": system.start,
    "memory": system.memory,
    "texts": texts.texts,
    "series": series.series,
    "scale": scale.growth,
    "cores": cores.cores,
}


class Bench:
    """What every workload needs: the server, how large it may be, and what it compares."""

    def __init__(self, server, options):
        self.server, self.quick, self.clients = server, options.quick, options.clients
        self.random = random.Random(options.seed)
        self.began = time.monotonic()
        self.notes = []
        self.setup = (HERE / "setup.sql").read_text() + (options.setup.read_text() if options.setup else "")
        self.extra = [Generator(sql, sql) for sql in options.expression]
        self.create_database("bench")
        with self.session() as session:
            self.generators = generators.available(session, generators.GENERATORS, self.note) + self.extra
            self.keys = generators.columns(session, self.note)
            for generator in self.extra:
                session.run(f"SELECT {generator.sql}")

    def scale(self, full, quick):
        return quick if self.quick else full

    def session(self, database="bench"):
        return self.server.connect(database)

    def create_database(self, name):
        self.server.create_database(name, self.setup)

    def note(self, line):
        self.notes.append(line)
        self.say(line)

    def say(self, line):
        print(f"   {time.monotonic() - self.began:5.0f} s  {line}", flush=True)


def cpu_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def describe(bench, options):
    with bench.session() as session:
        version = session.value("SELECT version()")
        extension = session.value("SELECT extversion FROM pg_extension WHERE extname = 'snowid'")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
            "cpu": cpu_name(), "cpus": os.cpu_count(), "memory_gb": round(memory / 2**30), "kernel": platform.release(),
            "postgresql": version, "snowid": extension, "commit": options.commit, "quick": options.quick,
            "seed": options.seed,
            "settings": {k: v for k, v in SETTINGS.items() if k != "listen_addresses"}, "notes": bench.notes}


def arguments():
    parser = argparse.ArgumentParser(prog="script/bench", description="What ids cost, ours and others, on this machine.",
                                     epilog="The environment: PG_CONFIG names another PostgreSQL, SNOWID_STATE the folder of the server.")
    parser.add_argument("expression", nargs="*", help="SQL that makes an id of yours, to be measured beside the others; or sections, as --only")
    parser.add_argument("--quick", action="store_true", help="three minutes instead of thirty")
    parser.add_argument("--only", metavar="SECTION,...", help=f"some sections, and print the report: {', '.join(SECTIONS)}")
    parser.add_argument("--setup", type=pathlib.Path, metavar="FILE", help="SQL that your expressions need")
    parser.add_argument("--out", type=pathlib.Path, metavar="FOLDER",
                        help="where report.md goes: bench/, or with --only the folder bench-report beside the server's")
    parser.add_argument("--seed", type=int, default=random.randrange(2**31), help="of the order of measurements")
    options = parser.parse_args()
    options.clients = sorted(int(count) for count in options.expression[1:] if count.isdigit())
    if options.expression[:1] == ["cores"] and len(options.clients) == len(options.expression) - 1:  # script/bench cores 1 8 16
        options.expression = ["cores"]
    if options.expression and set(options.expression) <= set(SECTIONS):  # script/bench scale
        options.only, options.expression = ",".join(options.expression), []
    options.print = bool(options.only)
    options.out = options.out or pathlib.Path(os.environ["BENCH_FOLDER"] + "-report" if options.only else os.environ["BENCH_OUT"])
    options.only = options.only.split(",") if options.only else [name for name in SECTIONS if name != "cores"]
    if unknown := set(options.only) - set(SECTIONS):
        parser.error(f"there is no section {', '.join(sorted(unknown))}; the sections are {', '.join(SECTIONS)}")
    options.commit = os.environ.get("BENCH_COMMIT", "")
    return options


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("snowid: ended"))  # and the server with it
    folder = pathlib.Path(os.environ["BENCH_FOLDER"])
    server = Server(os.environ["BENCH_BIN"], folder)
    if folder.exists():
        server.stop()
        shutil.rmtree(folder)
    server.create()
    server.start()
    try:
        bench = Bench(server, options)
        results = {"about": describe(bench, options), "sections": {}}
        for name in SECTIONS:
            if name in options.only:
                bench.say(SECTIONS[name].__doc__.split("\n")[0])
                results["sections"][name] = SECTIONS[name](bench)
                write(results, options.out)
    finally:
        server.stop()
    shutil.rmtree(folder)
    if options.print:
        print((options.out / "report.md").read_text())
    print(f"== {options.out / 'report.md'}")


def write(results, folder):
    """After every section: what ends early leaves what it has found."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    report.write(folder)


if __name__ == "__main__":
    main()
