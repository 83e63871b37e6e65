"""Lets Prometheus scrape a server through postgres_exporter while it overflows, steps its clock and refuses ids: every metric of
snowid_metrics() arrives by its name, every panel of the dashboard has data, and the alerts are raised, and not before.

Arguments: the folder monitoring/ of the project, a folder with programs/, server/ and clock, and psql.
"""
import json
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import time
import urllib.parse
import urllib.request

PROJECT, HERE, PSQL = (pathlib.Path(a) for a in sys.argv[1:])
PROGRAMS = HERE / "programs/usr/bin"
USUAL = {"SnowidPartitionsEnd", "SnowidWarnings"}  # the partitions of test/monitoring/server.sql end within a day
failures = []
children = []


def check(what, is_so):
    print("ok  " if is_so else "FAIL", what, flush=True)
    if not is_so:
        failures.append(what)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def sql(statement, may_fail=False):
    run = subprocess.run([PSQL, "-h", HERE / "server", "-U", "postgres", "-d", "postgres", "-XAtq", "-c", statement],
                         capture_output=True, text=True)
    if run.returncode and not may_fail:
        raise SystemExit(run.stderr)
    return run.stdout.strip()


def set_clock(seconds):
    with open(HERE / "clock", "r+b", buffering=0) as clock:  # in place, for processes that have opened it
        clock.write(struct.pack("q", round(seconds * 1e9)))


def start(name, *arguments, **environment):
    log = open(HERE / f"{name}.log", "w")
    children.append(subprocess.Popen([PROGRAMS / name, *arguments], stdout=log, stderr=log, env=environment, cwd=HERE))


def get(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


def until(what, seconds, ask):
    """Asks until the answer is true; returns it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if answer := ask():
                return answer
        except OSError:
            pass
        time.sleep(0.2)
    check(f"{what} within {seconds} s", False)


def api(path, **query):
    return json.loads(get(f"http://127.0.0.1:{prometheus}/api/v1/{path}?{urllib.parse.urlencode(query)}"))["data"]


def alerts():
    """Pending ones, too: those that have to last half a minute would take this test that long."""
    return {a["labels"]["alertname"] for a in api("alerts")["alerts"]}


def samples(expression):
    return api("query", query=expression)["result"]


def in_prometheus(expression):
    return expression.replace("$instance", ".*").replace("$__rate_interval", "20s")


exporter, prometheus = free_port(), free_port()
config = f"""
global: {{scrape_interval: 3s, evaluation_interval: 3s}}
rule_files: [{PROJECT}/rules.yaml]
scrape_configs: [{{job_name: snowid, static_configs: [{{targets: ['127.0.0.1:{exporter}']}}]}}]
"""
(HERE / "prometheus.yml").write_text(config)
shutil.rmtree(HERE / "data", ignore_errors=True)
try:
    start("prometheus-postgres-exporter", f"--web.listen-address=127.0.0.1:{exporter}", f"--extend.query-path={PROJECT}/postgres_exporter.yaml",
          "--disable-default-metrics", "--disable-settings-metrics", "--no-collector.database", "--no-collector.bgwriter",
          DATA_SOURCE_NAME=f"postgresql:///postgres?host={HERE}/server&user=watcher&sslmode=disable")
    text = until("the exporter answers", 60, lambda: get(f"http://127.0.0.1:{exporter}/metrics"))
    check("no query of the exporter fails", "pg_exporter_last_scrape_error 0" in text)
    have = set(re.findall(r"^(snowid_\w+)", text, re.M))
    want = set(sql("SELECT DISTINCT name FROM snowid_metrics()").split())
    check(f"every metric is exported by its name; missing: {sorted(want - have)}", want <= have)
    check(f"and no other; too many: {sorted(have - want)}", have - want <= {"snowid_worker_last_error_timestamp_seconds"})
    issued = float(re.search(r'^snowid_issued_total\{database="postgres",generator="orders",.*\} (\S+)', text, re.M)[1])
    check("with its value", issued == 1)

    start("prometheus", f"--config.file={HERE}/prometheus.yml", f"--storage.tsdb.path={HERE}/data", f"--web.listen-address=127.0.0.1:{prometheus}",
          "--web.enable-lifecycle")
    until("Prometheus has scraped it", 80, lambda: samples("count_over_time(snowid_start_ready[1m]) > 3"))
    check(f"nothing is raised but what is so: {sorted(alerts())}", alerts() == USUAL)

    # overflows, a step that ids are ahead of, a step that refuses them, and a default that cannot work
    sql("SELECT count(*) FROM (SELECT snowflake_next('orders') FROM generate_series(1, 200000)) AS s")
    sql("SELECT count(snowflake_next()) FROM generate_series(1, 20000)")
    until("SnowidOverflow", 60, lambda: "SnowidOverflow" in alerts())
    set_clock(-1.8)
    sql("SELECT snowflake_next()")
    until("SnowidClockStepped", 60, lambda: "SnowidClockStepped" in alerts())
    set_clock(-120)
    sql("SELECT snowflake_next()", may_fail=True)
    sql("CREATE TABLE wrong (id bigint DEFAULT snowflake_next('order'))")
    raised = USUAL | {"SnowidOverflow", "SnowidClockStepped", "SnowidIdsRefused", "SnowidAheadOfClock", "SnowidFindings"}
    until("all alerts of what was done", 80, lambda: raised <= alerts())
    check(f"the alerts are those of what was done: {sorted(alerts())}", alerts() == raised)

    # the dashboard
    for panel in json.loads((PROJECT / "dashboard.json").read_text())["panels"]:
        for target in panel["targets"]:
            found = samples(in_prometheus(target["expr"]))
            check(f"panel \"{panel['title']}\": {len(found)} series", len(found) > 0)
    servers = api("label/instance/values", **{"match[]": "snowid_start_ready"})
    check("its choice of servers", servers == [f"127.0.0.1:{exporter}"])

    # a server that is gone
    children[0].terminate()
    until("SnowidNotScraped", 60, lambda: "SnowidNotScraped" in alerts())
finally:
    for child in children:
        child.terminate()
        child.wait()
sys.exit(f"{len(failures)} failed" if failures else 0)
