"""The benchmark's own server: a folder, restarts with other settings, connections, pgbench."""
import os
import pathlib
import subprocess
import sys
import time

import psycopg2

SETTINGS = {
    "listen_addresses": "",
    "shared_preload_libraries": "snowid",
    "snowid.worker_id": "7",
    "snowid.layout": "wide",
    "shared_buffers": f"{min(os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') // 2**22, 4096)}MB",  # a quarter
    "work_mem": "64MB",
    "maintenance_work_mem": "256MB",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "30min",
    "autovacuum": "off",
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
    "max_parallel_maintenance_workers": "0",
    "max_connections": "100",
}


class ClockBehind(Exception):
    """The machine's clock has stepped back, so ids were refused."""


class Server:
    def __init__(self, bin_folder, folder):
        self.bin = pathlib.Path(bin_folder)
        self.folder = pathlib.Path(folder)
        self.data = self.folder / "data"
        # Servers refuse to run as root; as root we run them as the user that Debian's package makes.
        self.as_user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}
        self.settings = dict(SETTINGS, unix_socket_directories=str(self.folder))

    def run(self, program, *arguments, **options):
        done = subprocess.run([self.bin / program, *arguments], capture_output=True, text=True, cwd=self.folder,
                              **self.as_user, **options)
        if "ERROR:  the clock is" in done.stderr:
            raise ClockBehind
        if done.returncode != 0:
            sys.exit(f"snowid: {program} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def create(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.as_user:
            subprocess.run(["chown", "postgres:postgres", self.folder], check=True)
        self.run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")

    def start(self, **settings):
        options = " ".join(f"-c {name}='{value}'" for name, value in {**self.settings, **settings}.items())
        # The server must not hold our pipes.
        subprocess.run([self.bin / "pg_ctl", "-D", self.data, "-l", self.folder / "log", "-o", options, "-w", "start"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder, check=True, **self.as_user)

    def stop(self):
        if (self.data / "postmaster.pid").exists():
            self.run("pg_ctl", "-D", self.data, "-m", "fast", "-w", "stop")

    def restart(self, **settings):
        self.stop()
        self.start(**settings)

    def connect(self, database="bench"):
        connection = psycopg2.connect(host=str(self.folder), user="postgres", dbname=database)
        connection.autocommit = True
        return Session(connection)

    def create_database(self, name, script):
        with self.connect("postgres") as session:
            session.run(f'DROP DATABASE IF EXISTS "{name}"')
            session.run(f'CREATE DATABASE "{name}"')
        with self.connect(name) as session:
            session.run(script)

    def pgbench(self, script, clients, seconds, *options, database="bench"):
        """Runs a script by so many clients; returns transactions a second and pgbench's output."""
        file = self.folder / "script.sql"
        file.write_text(script)
        file.chmod(0o644)
        out = self.run("pgbench", "-n", "-M", "prepared", "-f", file, "-c", str(clients),
                       "-j", str(min(clients, os.cpu_count() or 1)), "-T", str(seconds), *options,
                       "-h", str(self.folder), "-U", "postgres", database)
        line = next(line for line in out.splitlines() if line.startswith("tps = "))
        return float(line.split()[2])

    def pgbench_latencies(self, script, clients, seconds):
        """The same, and the microseconds of one transaction in ten."""
        a_second = self.pgbench(script, clients, seconds, "-l", "--sampling-rate=0.1")
        micros = []
        for log in self.folder.glob("pgbench_log.*"):
            micros += [int(line.split()[2]) for line in log.read_text().splitlines()]
            log.unlink()
        return a_second, micros


class Session:
    """A connection without transactions around statements."""

    def __init__(self, connection):
        self.connection = connection
        self.cursor = connection.cursor()
        self.worked = self.waited = 0.0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def run(self, sql):
        self.cursor.execute(sql)

    def value(self, sql):
        self.cursor.execute(sql)
        return self.cursor.fetchone()[0]

    def seconds(self, sql):
        began = time.perf_counter()
        self.cursor.execute(sql)
        return time.perf_counter() - began

    def cpu_seconds(self, sql):
        """What the backend was busy with a statement, whoever else was: wall time where the system does not tell."""
        busy = self.busy()
        seconds = self.seconds(sql)
        worked = seconds if busy is None else (self.busy() - busy) / 1e9
        self.worked += worked
        self.waited += seconds
        return worked

    def busy(self):
        try:
            return int(pathlib.Path(f"/proc/{self.connection.get_backend_pid()}/schedstat").read_text().split()[0])
        except OSError:
            return None
