"""bench/report.md from results.json: tables and plots, and how far what was promised is kept. By itself, with a folder as
its argument, it renders again."""
import json
import pathlib
import sys

import plots


def num(value, digits=3):
    if value == 0:
        return "0"
    if abs(value) >= 10 ** digits:
        return f"{value:,.0f}"
    text = f"{value:.{digits}g}"
    return text if "e" not in text else f"{value:.2f}"


def span(row):
    return f"{num(row['median'])} | {num(row['min'])} – {num(row['max'])}"


def times_of(row, base):
    return f"{row['ratio'][base]:.2f}" if base in row.get("ratio", {}) else ""


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1),
                      *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def code(name):
    return f"`{name}`" if "(" in name else name


def by_median(found, key="median"):
    return sorted(found, key=lambda name: found[name][key])


# The promises: text, section, figure, and whether it is kept ---------------------------------------------------------

def goals(sections):
    """(promise, what it is allowed to be, what it is) for what was measured."""
    def find(*path):
        at = sections
        for step in path:
            if not isinstance(at, dict) or step not in at:
                return None
            at = at[step]
        return at
    sequence, empty = ("ratio", "nextval"), ("ratio", "empty")
    eight = find("contended", "burst", "8", "table") or find("contended", "burst", "8")
    rows = [
        ("`snowflake_next()`, in empty C functions", "≤", 1.2, find("calls", "table", "snowflake_next()", *empty)),
        ("`snowflake_next()`, in `nextval()`s", "≤", 0.37, find("calls", "table", "snowflake_next()", *sequence)),
        ("`uuidv7_next()` in bursts, in empty C functions that return 16 bytes", "≤", 1.25,
         find("calls", "table", "uuidv7_next()", "ratio", "empty16")),
        ("`uuidv7_next()` in bursts, in PostgreSQL's own `uuidv7()`s", "≤", 0.2,
         find("calls", "table", "uuidv7_next()", "ratio", "builtin")),
        ("`uuidv7_next()` for seconds, in the format's 4.096 million ids a second", "≤", 1.03,
         find("batch", "ceilings", "uuidv7_next() for seconds", "ratio", "ceiling")),
        ("a batch's id above its row, ns", "≤", 10,
         find("batch", "above", "snowflake_next_batch(n), 18 bits of sequence")),
        *((f"`{name}` at the format's ceiling", "≤", 1.03, row["ratio"]["ceiling"])
          for name, row in (find("batch", "ceilings") or {}).items() if "batch" in name),
        ("ids of 8 clients by `snowflake_next()`, in `nextval()`'s", "≥", 4,
         eight and eight["snowflake_next()"]["ratio"]["nextval"]),
        ("time of 1 million inserts with snowflakes, in bigserial's", "≤", 0.95,
         find("inserts", "table", "snowflake", "ratio", "bigserial")),
        ("time of 1 million inserts with uuid v7, in v4's", "≤", 0.65,
         find("inserts", "table", "uuid v7", "ratio", "uuid v4")),
        ("index of 1 million uuid v7, MB", "≤", 31.6,
         find("inserts", "rows") == 1_000_000 and find("inserts", "table", "uuid v7", "index_mb", "median") or None),
    ]
    return [row for row in rows if row[3] is not None]


def goals_part(sections):
    rows = []
    for what, sign, allowed, is_ in goals(sections):
        kept = is_ <= allowed if sign == "≤" else is_ >= allowed
        rows.append([what, f"{sign} {allowed}", f"**{num(is_)}**" if kept else num(is_), "yes" if kept else "no"])
    return "## What is promised\n\n" + table(["", "promised", "here", "kept"], rows)


# The sections --------------------------------------------------------------------------------------------------------

def calls_part(section, plot):
    plots.calls(section, plot("calls"))
    found = section["table"]
    has_builtin = "uuidv7() of PostgreSQL" in found
    rows = [[code(name), *span(found[name]).split(" | "), times_of(found[name], "empty"), times_of(found[name], "empty16"),
             times_of(found[name], "nextval")] for name in by_median(found)]
    after = "" if not has_builtin else (
        f"\n`uuidv7_next()` takes {found['uuidv7_next()']['ratio']['builtin']:.2f} of the time of PostgreSQL's own `uuidv7()`.\n")
    return f"""## One call

`SELECT count(f()) FROM generate_series(1, {section['rows']})`, divided by its rows: nanoseconds that the backend is busy with
a call and the row around it.

![Cost of a call](plots/calls.svg)

{table(["", "ns", "least – most", "÷ empty", "÷ empty, 16 bytes", "÷ nextval"], rows)}{after}"""


def batch_part(section, _):
    rows = [[code(name), *span(row).split(" | "), num(section["above"][name])] for name, row in section["table"].items()]
    ceilings = [[code(name), *span(row).split(" | "), num(row["ceiling"]), f"{row['ratio']['ceiling']:.3f}"]
                for name, row in section["ceilings"].items()]
    return f"""## Batches, and the formats' ceilings

`SELECT f({section['rows']})` in a select list. A layout with room shows what an id costs above its row:

{table(["", "ns a row", "least – most", "above the row"], rows)}
Asked for more than a format holds, ids come at the format's pace:

{table(["", "ns an id", "least – most", "the format's", "ratio"], ceilings)}"""


def contended_part(section, plot):
    clients = [str(c) for c in section["clients"] if str(c) in section["burst"]]
    single = [str(c) for c in section["clients"] if str(c) in section["single"]]
    names = list(section["burst"][clients[0]])
    panels = {"a thousand calls in a statement": {n: [section["burst"][c][n]["median"] / 1e6 for c in clients] for n in names}}
    plots.lines(panels, plot("clients"), "million ids a second", "clients", clients)
    rows = [[code(n), *(f"{section['burst'][c][n]['median'] / 1e6:.2f} ({times_of(section['burst'][c][n], 'nextval')})" for c in clients)]
            for n in names]
    one = [[code(n), *(f"{section['single'][c][n]['median'] / 1e3:.1f} ({times_of(section['single'][c][n], 'nextval')})" for c in single)]
           for n in names]
    return f"""## Many clients

pgbench, prepared statements. A thousand calls in a statement, in millions of ids a second (and by how much more than `nextval()`):

![Ids a second by clients](plots/clients.svg)

{table(["clients", *clients], rows)}
One call in a statement, in thousands a second: here the statement is what costs.

{table(["clients", *single], one)}"""


def latency_part(section, plot):
    names = [f"{p:g} %" for p in section["percentiles"]]
    panels = {"a thousand ids in a statement": section["call"], "INSERT of a row, committed": section["insert"]}
    plots.lines(panels, plot("latency"), "microseconds", "percentile", names, log=True)
    parts = [table(["microseconds", *names], [[code(n), *(num(v) for v in values)] for n, values in found.items()])
             for found in panels.values()]
    return f"""## Latency

Eight clients, a statement each at a time.

![Latency percentiles](plots/latency.svg)

A thousand ids:

{parts[0]}
One row, with its commit:

{parts[1]}"""


def figure_rows(found, figures, bases):
    return [[name, *(cell for f in figures for cell in span(found[name][f]).split(" | ")),
             *(times_of(found[name], base) for base in bases)] for name in found]


def panels_of(found, titles):
    order = by_order(found)
    return {title: {name: found[name][figure] for name in order} for figure, title in titles.items()}


def by_order(found):
    order = ["bigint", "bigserial", "snowflake", "uuid v4", "uuid v7", "ulid", "sno"]
    return [n for n in order if n in found] + [n for n in found if n not in order]


def keyed(found):
    return {name: found[name] for name in by_order(found)}


INSERT_HEAD = ["key", "seconds", "least – most", "WAL, MB", "least – most", "index, MB", "least – most", "÷ bigserial", "÷ v4"]


def inserts_part(section, plot):
    found = keyed(section["table"])
    plots.bars(panels_of(found, {"seconds": "seconds", "index_mb": "index, MB", "wal_mb": "WAL, MB"}), plot("inserts"))
    return f"""## {section['rows']:,} inserts

Into an empty table `(id … PRIMARY KEY DEFAULT …, item int)`, in one statement, after a checkpoint.

![Time, index and WAL of inserts](plots/inserts.svg)

{table(INSERT_HEAD, figure_rows(found, ["seconds", "wal_mb", "index_mb"], ["bigserial", "uuid v4"]))}"""


def large_part(section, plot):
    filled, small, rows = keyed(section["filled"]["table"]), keyed(section["small"]["table"]), section["filled"]["rows"]
    cold, warm = keyed(section["join"]["cold"]["table"]), keyed(section["join"]["warm"]["table"])
    plots.bars({"insert, s": {n: small[n]["seconds"] for n in small}, "WAL, MB": {n: small[n]["wal_mb"] for n in small},
                "join, cold, s": {n: cold[n]["seconds"] for n in cold}, "join, warm, s": {n: warm[n]["seconds"] for n in warm}},
               plot("large"))
    heads = ["key", "seconds", "least – most", "WAL, MB", "least – most", "÷ bigserial", "÷ v4"]
    joins = [[n, *span(cold[n]["seconds"]).split(" | "), times_of(cold[n], "bigserial"), *span(warm[n]["seconds"]).split(" | "),
              times_of(warm[n], "bigserial")] for n in cold]
    return f"""## {rows:,} rows, and an index larger than shared_buffers

{rows:,} rows in one statement:

{table(INSERT_HEAD, figure_rows(filled, ["seconds", "wal_mb", "index_mb"], ["bigserial", "uuid v4"]))}
Then, with `shared_buffers` of {section['small']['shared_buffers']}, {section['small']['rows']:,} rows more, each time after a checkpoint; and {section['join']['rows']:,} child rows
that find their parents, which are among the last twentieth of the rows, by the parents' key. Cold is after a restart, with the files out of the system's cache.

![Inserts into a large index, and joins](plots/large.svg)

{table(heads, figure_rows(small, ["seconds", "wal_mb"], ["bigserial", "uuid v4"]))}
{table(["key", "join, cold, s", "least – most", "÷ bigserial", "warm, s", "least – most", "÷ bigserial"], joins)}"""


def copy_part(section, _):
    found = keyed(section["table"])
    heads = ["key", "rows in, key by default, s", "least – most", "keys out, s", "least – most", "keys in, s", "least – most"]
    return f"""## COPY of {section['rows']:,} rows

{table(heads, figure_rows(found, ["seconds", "out_seconds", "in_seconds"], []))}"""


def sort_part(section, plot):
    found = section["table"]
    plots.bars(panels_of(found, {"seconds": "sort, s", "index_seconds": "index build, s", "index_mb": "index, MB"}), plot("sort"))
    heads = ["type", "sort, s", "least – most", "index build, s", "least – most", "index, MB", "least – most", "÷ bigint"]
    return f"""## Sorting {section['rows']:,} shuffled ids

Seconds that the backend is busy.

![Sort and index build by type](plots/sort.svg)

{table(heads, figure_rows(found, ["seconds", "index_seconds", "index_mb"], ["bigint"]))}"""


def text_part(section, _):
    return f"""## To text and back

Nanoseconds that the backend is busy with a conversion, less what reading the row costs.

{table(["type", "to text, ns", "least – most", "from text, ns", "least – most"], figure_rows(section["table"], ["out_ns", "in_ns"], []))}"""


def times_part(section, plot):
    plots.bars({f"{width}, ms": part["table"] for width, part in section["widths"].items()}, plot("times"))
    parts = []
    for width, part in section["widths"].items():
        rows = [[f"`{n}`" if ">=" in n else n, *span(row).split(" | "),
                 times_of(row, "uuid by hand" if "uuid" in n else "snowflake by hand"), times_of(row, "created_at")]
                for n, row in part["table"].items()]
        parts.append(f"{width.capitalize()}, {part['rows']:,} rows:\n\n" + table(["", "ms", "least – most", "÷ by hand", "÷ second index"], rows))
    indexes = [[name, num(i["seconds"]), num(i["mb"])] for name, i in section["indexes"].items()]
    return f"""## Questions of time

{section['rows']:,} rows over {section['days']} days: by our filter, by a range of literals that one works out by hand, and by a second index on
`created_at`, which is to be kept as well:

{table(["index on", "build, s", "MB"], indexes)}
![Questions of time](plots/times.svg)

""" + "\n".join(parts)


def start_part(section, _):
    connections = [[code(n), *span(row).split(" | ")] for n, row in section["connection"].items()]
    server = [[code(n), *span(row["start_ms"]).split(" | "), *span(row["first_ms"]).split(" | ")] for n, row in section["server"].items()]
    return f"""## The first id

Milliseconds for a new connection and its first id:

{table(["", "ms", "least – most"], connections)}
Milliseconds for a server to start, and then for the first connection with its first id:

{table(["", "start, ms", "least – most", "first id, ms", "least – most"], server)}"""


def memory_part(section, _):
    rows = [[code(n), *span(row["contexts_kb"]).split(" | "), *span(row["private_kb"]).split(" | ")] for n, row in section["table"].items()]
    return f"""## Memory

What a backend has more after a thousand ids, in kB: in its memory contexts, and in all of its anonymous memory (what the system's tables that it
looked up need is in it). The server's shared memory for snowid: {num(section['shared_kb'])} kB.

{table(["", "contexts, kB", "least – most", "anonymous, kB", "least – most"], rows)}"""


def texts_part(section, _):
    rows = [[code(n), *span(row).split(" | "), num(row["empty"])] for n, row in section["above"].items()]
    found = section["lookup"]
    return f"""## Other texts of an id

Nanoseconds that a call takes above a C function of the same arguments and result that does nothing, and what a row with that one takes.

{table(["", "ns above", "least – most", "ns a row with the empty one"], rows)}
One client's prepared statement finds a row by its `bigint` in {num(found['bigint']['median'])} µs, and by its sealed id in {num(found['sealed']['median'])} µs ({found['ratio']:.3f}). The first
`id_seal` of a session takes {num(section['first_us'])} µs more than another first call, of `id_text`."""


def series_part(section, _):
    rows = [[code(name), *(f"{num(by[name]['median'])} ({times_of(by[name], 'nextval()')})" for by in section.values())] for name in next(iter(section.values()))]
    return f"""## Numbers that are not ids

Microseconds a number where each statement is a transaction of its own (÷ `nextval()`).

{table(["", *(f"{clients} client{'s' if clients != '1' else ''}" for clients in section)], rows)}"""


def scale_part(section, plot):
    parts = []
    for name, part in section.items():
        sizes, ways = list(part["found"]), list(next(iter(part["found"].values())))
        plots.lines({part["title"].replace("`", ""): {way: [part["found"][size][way]["median"] for size in sizes] for way in ways}},
                    plot(f"scale-{name}"), part["unit"], part["of"], sizes, log=True)
        base = next(iter(part["found"][sizes[0]][ways[0]]["ratio"]))
        rows = [[way, *(f"{num(part['found'][size][way]['median'])} ({times_of(part['found'][size][way], base)})" for size in sizes)] for way in ways]
        parts.append(f"{part['title']}: {part['unit']} for so many {part['of']} (÷ {base}):\n\n![{name}](plots/scale-{name}.svg)\n\n"
                     + table(["", *sizes], rows))
    return "## As it grows\n\n" + "\n".join(parts)


def cores_part(section, plot):
    clients, found = [str(count) for count in section["clients"]], section["found"]
    plots.lines({f"{rows} rows a statement": {name: [by[count][name]["rows"] / 1000 for count in clients] for name in by[clients[0]]}
                 for rows, by in found.items()}, plot("cores"), "thousand rows a second", "clients", clients)
    parts = [f"Measured on {section['cpus']} processors. "
             + ("Where writers are hardly ever inside at the same time, they do not queue: on this machine only the bytes and the waits show anything."
                if section["cpus"] < 8 else "")]
    for rows, by in found.items():
        most = by[clients[-1]]
        parts.append(f"{rows} rows a statement, thousand rows a second by so many clients; then of {clients[-1]} clients:\n\n" + table(
            ["", *clients, "p50, ms", "p99, ms", "index bytes a row", "waits"],
            [[name, *(num(by[count][name]["rows"] / 1000) for count in clients), num(row["p50_us"] / 1000), num(row["p99_us"] / 1000), num(row["bytes"]),
              ", ".join(f"{event} {share:.0%}" for event, share in list(row["waits"].items())[:3])] for name, row in most.items()]))
    return "## Inserts on many cores\n\n![cores](plots/cores.svg)\n\n" + "\n".join(parts)


PARTS = {"calls": calls_part, "batch": batch_part, "contended": contended_part, "latency": latency_part,
         "inserts": inserts_part, "large": large_part, "times": times_part, "copy": copy_part, "sort": sort_part,
         "text": text_part, "start": start_part, "memory": memory_part, "texts": texts_part, "series": series_part, "scale": scale_part,
         "cores": cores_part}


def others_line(sections):
    share = sections.get("calls", {}).get("share", 1)
    if share > 0.9:
        return ""
    return (f"\n**The machine was not quiet**: a backend that wanted one CPU had {share:.0%} of it. What waits for others, and what "
            "they cost by using the same memory, is in these figures. Run it again when nothing else runs.\n")


def head(about, others):
    settings = ", ".join(f"`{k} = {v}`" for k, v in about["settings"].items() if k != "snowid.worker_id")
    notes = "".join(f"- {line}\n" for line in about["notes"])
    quick = " This was a quick run: fewer rounds and smaller tables." if about["quick"] else ""
    return f"""# What ids cost

Written by `script/bench` on {about['date']}; run it to have yours.{quick}

| | |
| --- | --- |
| machine | {about['cpu']}, {about['cpus']} CPUs, {about['memory_gb']} GB, Linux {about['kernel']} |
| PostgreSQL | {about['postgresql'].split(' on ')[0]} |
| snowid | {about['snowid']}, commit {about['commit']} |

A server of its own, with fsync and WAL as they are by default, and {settings}. All that is compared takes turns, in a new order each
round (seed {about['seed']}); a figure is the median of the rounds, with the least and the most; a ratio is the median of the
rounds' ratios, because what slows the machine slows both. Times are this machine's, ratios travel. Layout `wide` holds 16384 ids a millisecond.
{others}{chr(10) + notes if notes else ''}"""


def write(folder):
    results = json.loads((folder / "results.json").read_text())
    (folder / "plots").mkdir(exist_ok=True)

    def plot(name):
        return folder / "plots" / f"{name}.svg"
    sections = results["sections"]
    parts = [head(results["about"], others_line(sections)), goals_part(sections),
             *(part(sections[name], plot) for name, part in PARTS.items() if name in sections)]
    (folder / "report.md").write_text("\n".join(part.rstrip() + "\n" for part in parts))


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]))
