"""Measuring on a machine that is never quiet: candidates run in turn, in a new order every round, and are compared
within their round."""
import statistics
import time

import psycopg2

from server import ClockBehind


def interleave(candidates, rounds, random, between=None):
    """Runs every candidate once a round; returns name -> what it returned, by round."""
    found = {name: [] for name in candidates}
    for _ in range(rounds):
        for name in random.sample(list(candidates), len(candidates)):
            if between:
                between()
            found[name].append(patiently(candidates[name]))
    return found


def patiently(candidate):
    """Runs it again when the clock has caught up, if it had stepped back so far that ids were refused."""
    for _ in range(60):
        try:
            return candidate()
        except (ClockBehind, psycopg2.errors.SystemError):
            time.sleep(5)
    return candidate()


def summary(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def ratio(values, base):
    """The median of what each round says: what slows the machine slows both."""
    return statistics.median(value / other for value, other in zip(values, base))


def table_of(found, bases):
    """name -> summary, with a ratio to each base that was measured."""
    return {name: {**summary(values), "ratio": {label: ratio(values, found[base])
                                                for label, base in bases.items() if base in found}}
            for name, values in found.items()}
