"""The plots of the report: SVG that is readable on light and dark pages, because it follows what the reader prefers."""
import re

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.patches import Patch  # noqa: E402
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator  # noqa: E402

INK, PALE, PAPER = "#1f2328", "#d1d9e0", "#ffffff"
DARK = {INK: "#e6edf3", PALE: "#3d444d", PAPER: "#0d1117"}
COLOURS = {
    "snowflake": "#2f81f7", "uuid v7": "#a371f7", "uuidv7": "#a371f7", "ulid": "#2da44e", "sno": "#d4a72c",
    "bigserial": "#8c959f", "nextval": "#8c959f", "uuid v4": "#e5534b", "gen_random": "#e5534b", "Instagram": "#db6d28",
    "empty": "#bf8700", "second index": "#8c959f", "bigint": "#8c959f", "ksuid": "#12a594", "objectid": "#d6409f",
    "rsxid": "#86b300", "sandflake": "#e0823d",
}
OWN, OTHER, YARDSTICK, BASE = "#2f81f7", "#8c959f", "#bf8700", "#c4ccd4"
EXTRA = ["#d6409f", "#12a594", "#86b300"]

plt.rcParams.update({
    "font.family": "DejaVu Sans", "font.size": 10, "svg.hashsalt": "snowid", "text.color": INK, "axes.labelcolor": INK,
    "xtick.color": INK, "ytick.color": INK, "axes.edgecolor": PALE, "grid.color": PALE, "figure.facecolor": PAPER,
    "axes.facecolor": PAPER, "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 11,
    "axes.titleweight": "bold", "axes.titlelocation": "left", "legend.frameon": False, "axes.axisbelow": True,
})


def colour_of(name):
    for key in sorted(COLOURS, key=len, reverse=True):  # sno is part of longer names
        if key in name:
            return COLOURS[key]
    return EXTRA[sum(map(ord, name)) % len(EXTRA)]


def save(figure, path):
    figure.savefig(path, format="svg", bbox_inches="tight", pad_inches=0.15, metadata={"Date": None})
    plt.close(figure)
    # Colours that are part of the page change with it.
    rules = "".join(f'[style*="{kind}: {light}"]{{{kind}:{dark} !important}}'
                    for light, dark in DARK.items() for kind in ("fill", "stroke"))
    svg = path.read_text()
    svg = re.sub(r"(<svg [^>]*>)", lambda m: f"{m[1]}\n <style>@media (prefers-color-scheme: dark){{{rules}}}</style>", svg, 1)
    path.write_text(re.sub(r"[ \t]+$", "", svg, flags=re.M))


def number(value):
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def whisker(axes, row, y, limit):
    if row["max"] - row["min"] > 0.01 * limit:
        axes.plot([row["min"], min(row["max"], limit)], [y, y], color=INK, linewidth=1)


def kind_of(name, section):
    return OWN if name in section["ours"] else YARDSTICK if name in section["yardsticks"] else OTHER


def calls(section, path):
    """Cost of a call; the pale part is that of a row with an empty function."""
    table = section["table"]
    names = sorted(table, key=lambda n: table[n]["median"], reverse=True)
    empty = table["empty C function"]["median"]
    limit = 1.35 * max(table[n]["median"] for n in names if table[n]["median"] < 6 * empty)
    figure, axes = plt.subplots(figsize=(8.6, 0.34 * len(names) + 1))
    for y, name in enumerate(names):
        row = table[name]
        shown, cut = min(row["median"], limit), row["median"] > limit
        axes.barh(y, min(shown, empty), color=BASE, height=0.66)
        axes.barh(y, max(shown - empty, 0), left=empty, height=0.66, color=kind_of(name, section))
        if not cut:
            whisker(axes, row, y, 1.25 * row["median"])
        axes.text(limit * 0.01 + (shown if cut else min(row["max"], 1.25 * row["median"])), y,
                  number(row["median"]) + ("  →" if cut else ""), va="center", fontsize=9)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, limit * 1.1)
    axes.set_xlabel("nanoseconds a call, the row around it included")
    axes.grid(axis="x", linewidth=0.6)
    axes.legend(handles=[Patch(color=BASE, label="row and empty function"), Patch(color=OWN, label="snowid"),
                         Patch(color=OTHER, label="others"), Patch(color=YARDSTICK, label="yardsticks")],
                loc="upper right", fontsize=9)
    save(figure, path)


def lines(panels, path, y_label, x_label, x_names, log=False):
    """Panels of lines: title -> name -> values, one for each of x_names."""
    figure, all_axes = plt.subplots(1, len(panels), figsize=(4.9 * len(panels) + 1, 4.2), squeeze=False)
    for axes, (title, series) in zip(all_axes[0], panels.items()):
        for name, values in series.items():
            dashed = name in ("nextval(), cache 32",) or "generator each" in name
            axes.plot(range(len(values)), values, marker="o", markersize=4, linewidth=1.8, label=name,
                      color=colour_of(name), linestyle="--" if dashed else "-")
        axes.set_title(title, pad=10)
        axes.set_xticks(range(len(x_names)), x_names)
        axes.set_xlabel(x_label)
        if log:
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:,.10g}"))
            axes.yaxis.set_minor_locator(NullLocator())
        else:
            axes.set_ylim(0)
        axes.grid(axis="y", linewidth=0.6)
    all_axes[0][0].set_ylabel(y_label)
    handles = {label: handle for axes in all_axes[0] for handle, label in zip(*axes.get_legend_handles_labels())}
    figure.tight_layout()
    figure.legend(handles.values(), handles.keys(), loc="upper center", bbox_to_anchor=(0.5, 0.02),
                  ncol=3 if len(panels) > 1 else 2, fontsize=9, handlelength=3.2)
    save(figure, path)


def bars(panels, path):
    """Panels of bars: title -> name -> a summary."""
    count = max(len(table) for table in panels.values())
    figure, all_axes = plt.subplots(1, len(panels), figsize=(3.3 * len(panels) + 1.2, 0.36 * count + 0.9),
                                    sharey=True, squeeze=False)
    names = list(next(iter(panels.values())))[::-1]
    for axes, (title, table) in zip(all_axes[0], panels.items()):
        most = 1.25 * max(row["median"] for row in table.values())
        for y, name in enumerate(names):
            row = table[name]
            axes.barh(y, row["median"], color=colour_of(name), height=0.66)
            whisker(axes, row, y, most)
            axes.text(min(row["max"], most) + most * 0.02, y, number(row["median"]), va="center", fontsize=9)
        axes.set_title(title, pad=8)
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(axis="y", length=0)
        axes.set_xlim(0, most * 1.18)
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.grid(axis="x", linewidth=0.6)
    figure.tight_layout(w_pad=1.5)
    save(figure, path)
