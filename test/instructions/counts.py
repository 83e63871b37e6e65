#!/usr/bin/env python3
"""Compares the instructions that a call of each of our SQL functions takes with the recorded counts, or records them.

counts.py compare|record FILE callgrind.out...

The count of a call is its own instructions plus those of the functions that (nearly) every call calls. A new tick, a new
buffer of random bytes or a new horizon comes too rarely to be the same in every run. libc's functions on memory are left
out: they choose their code by the machine and by the address. So is the clock, which every machine reads in its own way.
"""
import collections
import re
import sys

MOST_OVER = 1.03  # what an unrelated change of the code may cause
MOST_MORE = 2
CALLS = 500  # a function that is called less often is not counted
OURS = re.compile(r"snowid|^\(anonymous namespace\)")
LIBC = re.compile(r"_*(mem|str)[a-z]+_|_*clock_gettime\b")


class Function:
    def __init__(self):
        self.own = 0
        self.called = 0
        self.callees = collections.defaultdict(lambda: [0, 0])  # name -> calls, instructions


def a_call(functions, name):
    """Our own functions are looked into in turn. For others the total is enough."""
    function = functions[name]
    usual = 0
    for callee, (calls, cost) in function.callees.items():
        if calls < function.called / 2 or LIBC.match(callee) or callee == name:
            continue
        usual += calls * a_call(functions, callee) if OURS.search(callee) else cost
    return (function.own + usual) / function.called


def read(path, functions):
    """Adds the counts of one process, in callgrind's format without compressed names."""
    current = callee = None
    for line in open(path):
        if line.startswith("fn="):
            current = functions[line[3:].rstrip()]
        elif line.startswith("cfn="):
            callee = line[4:].rstrip()
        elif line.startswith("calls="):
            calls = int(line[6:].split()[0])
            functions[callee].called += calls
            edge = current.callees[callee]
            edge[0] += calls
        elif re.match(r"[+\-*\d]", line):
            cost = int(line.split()[1])
            if callee is None:
                current.own += cost
            else:
                edge[1] += cost
                callee = None


def measured(paths):
    functions = collections.defaultdict(Function)
    for path in paths:
        read(path, functions)
    counted = sorted(name for name, f in functions.items() if re.match(r"snowid_\w+$", name) and f.called >= CALLS)
    return {name: round(a_call(functions, name)) for name in counted}


def recorded(path):
    with open(path) as lines:
        return {name: int(count) for name, count in (line.split() for line in lines if not line.startswith("#"))}


def record(path, counts):
    with open(path, "w") as file:
        file.write("# Instructions of a call. Recorded by SNOWID_RECORD=1 script/test instructions.\n")
        for name, count in counts.items():
            file.write(f"{name}\t{count}\n")


def differs(count, other):
    return max(count, other) > min(count, other) * MOST_OVER + MOST_MORE


def compare(path, counts):
    for name, count in counts.items():
        print(f"{name}: {count}")
    known = recorded(path)
    if not known:
        return 0
    faults = [f"{name}: {count} instructions a call, and {known[name]} are recorded"
              for name, count in counts.items() if name in known and differs(count, known[name])]
    faults += [f"{name}: counted, and not recorded" for name in counts.keys() - known.keys()]
    faults += [f"{name}: recorded, and called no more" for name in known.keys() - counts.keys()]
    print("\n".join(sorted(faults)))
    if faults:
        print(f"If this is intended or an improvement, run SNOWID_RECORD=1 script/test instructions and commit {path}.")
    return 1 if faults else 0


def main():
    what, path, *outputs = sys.argv[1:]
    counts = measured(outputs)
    if not counts:
        sys.exit("no function of ours was counted")
    sys.exit(record(path, counts) if what == "record" else compare(path, counts))


if __name__ == "__main__":
    main()
