# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""result - rows, what they came to, and how that is written

unit      the figure of a row is                            a budget is
added     nanoseconds more per operation than bare          at most
ratio     times as long as bare                             at most
ns        a time                                            at most
bytes     an amount                                         at most
count     a number                                          at most
rate      so many per second                                at least
speed     of the speed it has when bare, in parts of 1      at least
"""
import json
import os
import statistics

AT_LEAST = ("rate", "speed")


class Row:
    """One thing to measure. measure(bench) gives a Sample."""

    def __init__(self, name, unit, budget, measure):
        self.name, self.unit, self.budget, self.measure = name, unit, budget, measure


def short(v):
    """Three digits, or as many as stand before the point."""
    return f"{v:.0f}" if abs(v) >= 100 else f"{v:.{2 - (abs(v) >= 10)}f}"


def duration(ns):
    for size, unit in ((1e9, "s"), (1e6, "ms"), (1e4, "us")):
        if abs(ns) >= size:
            return f"{short(ns / {'s': 1e9, 'ms': 1e6, 'us': 1e3}[unit])} {unit}"
    return f"{ns:.0f} ns"


def amount(n, steps, base):
    for unit in steps:
        if abs(n) < base or unit == steps[-1]:
            return f"{n:.0f} {unit}".strip() if unit == steps[0] else f"{short(n)} {unit}"
        n /= base
    return ""


def figure(unit, v):
    if v is None:
        return ""
    return {"added": lambda: f"{v:+.1f} ns" if abs(v) < 100 else
            ("+" if v > 0 else "") + duration(v),
            "ratio": lambda: f"{v:.3f}" if v < 10 else short(v), "speed": lambda: f"{v:.3f}",
            "ns": lambda: duration(v), "count": lambda: f"{v:.0f}",
            "bytes": lambda: amount(v, ("B", "KiB", "MiB"), 1024),
            "rate": lambda: amount(v, ("", "k", "M"), 1000) + "/s"}[unit]()


def bare_figure(unit, v):
    """Measured and baseline: what the figure is made of."""
    if v is None:
        return ""
    return figure({"added": "ns", "ratio": "ns", "speed": "rate"}.get(unit, unit), v)


def made(table, row, sample):
    middle = statistics.median(sample.values)
    over = row.budget is not None and (middle < row.budget if row.unit in AT_LEAST
                                       else middle > row.budget)
    return {"table": table, "name": row.name, "unit": row.unit, "value": middle,
            "low": min(sample.values), "high": max(sample.values), "pairs": len(sample.values),
            "measured": sample.measured, "baseline": sample.baseline, "budget": row.budget,
            "verdict": "-" if row.budget is None else "OVER" if over else "ok",
            "note": sample.note}


def absent(table, row, why):
    return {"table": table, "name": row.name, "unit": row.unit, "budget": row.budget,
            "verdict": "skipped", "note": why}


def spread(r):
    return f"{figure(r['unit'], r['low'])} .. {figure(r['unit'], r['high'])}"


def budget(r):
    if r["budget"] is None:
        return ""
    return (">= " if r["unit"] in AT_LEAST else "") + figure(r["unit"], r["budget"])


HEAD = f"{'what':<34} {'measured':>10} {'baseline':>10} {'result':>10} {'budget':>10} {'':<7} range"


def line(r):
    if "value" not in r:
        return f"{r['name']:<34} {r['verdict']}: {r['note']}"
    return (f"{r['name']:<34} {bare_figure(r['unit'], r['measured']):>10} "
            f"{bare_figure(r['unit'], r['baseline']):>10} {figure(r['unit'], r['value']):>10} "
            f"{budget(r):>10} {r['verdict']:<7} {spread(r):<24} {r['note']}").rstrip()


class Results:
    """What was measured so far; rows measured again replace the old."""

    def __init__(self, path=None):
        self.path, self.machine, self.rows = path, {}, []
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                kept = json.load(f)
            self.machine, self.rows = kept["machine"], kept["rows"]

    def add(self, r):
        for i, old in enumerate(self.rows):
            if (old["table"], old["name"]) == (r["table"], r["name"]):
                self.rows[i] = r
                break
        else:
            self.rows.append(r)

    def save(self):
        if not self.path:
            return
        with open(self.path + ".new", "w", encoding="utf-8") as f:
            json.dump({"machine": self.machine, "rows": self.rows}, f, indent=1)
            f.write("\n")
        os.rename(self.path + ".new", self.path)

    def of(self, table):
        return {r["name"]: r for r in self.rows if r["table"] == table}
