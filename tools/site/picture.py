#!/usr/bin/python3
"""Writes the picture of one id and its bits that the README shows: picture.py >doc/id.svg. It follows what the reader prefers, as
the plots do. script/docs checks that it is the one in the tree."""
from datetime import datetime, timedelta, timezone

ID = 382908692640591872
EPOCH = datetime(2024, 1, 1, tzinfo=timezone.utc)
# name, bits, colours on light and dark, what the part answers
FIELDS = (("time", 41, "#c5cdf7", "#343f85", "when it was made"), ("worker", 10, "#f7d9a8", "#6b4a15", "by which server"),
          ("sequence", 12, "#bfe6cf", "#1f5638", "which one of that ms"))
INK, DARK_INK, DIM, DARK_DIM = "#1b1f27", "#e6e8ee", "#59616e", "#a3abba"
CELL, GAP, LEFT, TOP, LINE = 12, 72, 8, 44, 96
WIDTH, HEIGHT = LEFT * 2 + CELL * FIELDS[0][1], TOP + 2 * LINE


def text(x, y, css, size, words, anchor="start"):
    return f'<text x="{x:g}" y="{y}" class="{css}" font-size="{size}" text-anchor="{anchor}">{words}</text>'


def value(name, number):
    return f"{EPOCH + timedelta(milliseconds=number):%Y-%m-%d %H:%M:%S.%f}"[:-3] if name == "time" else str(number)


# The time has a line of its own, so that the bits can be read on a phone.
drawn, x, y, shift = [text(LEFT, 26, "ink", 18, f"snowflake_next() → {ID}")], LEFT, TOP, 63
for name, bits, _, _, answers in FIELDS:
    shift -= bits
    number = ID >> shift & (1 << bits) - 1
    drawn.append(f'<rect x="{x}" y="{y}" width="{CELL * bits}" height="28" rx="3" class="{name}"/>')
    drawn += [text(x + CELL * (i + .5), y + 19, "ink", 13, bit, "middle") for i, bit in enumerate(f"{number:0{bits}b}")]
    drawn += [text(x, y + 48, "ink", 14, value(name, number)), text(x, y + 66, "dim", 12, f"{name}, {bits} bits:"),
              text(x, y + 82, "dim", 12, answers)]
    x, y = (LEFT, y + LINE) if name == "time" else (x + CELL * bits + GAP, y)
light = "".join(f".{name}{{fill:{colour}}}" for name, _, colour, _, _ in FIELDS)
dark = "".join(f".{name}{{fill:{colour}}}" for name, _, _, colour, _ in FIELDS)
print(f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">
<title>The 63 bits of an id: 41 of time, 10 of the worker, 12 of the sequence</title>
<style>text{{font-family:ui-monospace,monospace}}.ink{{fill:{INK}}}.dim{{fill:{DIM}}}{light}
@media (prefers-color-scheme: dark){{.ink{{fill:{DARK_INK}}}.dim{{fill:{DARK_DIM}}}{dark}}}</style>""", *drawn, "</svg>", sep="\n")
