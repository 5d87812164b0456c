# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""gate - whether something has become grossly dearer: within a minute, in TAP

Not the budgets: those want a quiet machine. The limits are about twice what is
usual, and what is compared does not depend on what else runs: the best of many
turns that are shorter than a time slice, and processor time instead of time.
"""
import sys

import calls
import programs
import resources
from measure import TOP, Broken, Sample

sys.path.insert(0, TOP + "/tools")
import tap  # noqa: E402

TURNS = 200
SMALL = 10000


def best(of, op, n):
    """n operations take well below a millisecond."""
    def measure(bench):
        command = calls.command(bench, op, n)
        base, measured = bench.take_turns([bench.turns("", *command), bench.turns("prov", *command)],
                                          TURNS)
        return of([(min(base), min(measured))]).values[0]
    return measure


def small(bench):
    return [bench.micro, "small", str(SMALL), "."]


def cpu(command):
    return lambda bench: min(programs.ratio(command, of=programs.CPU)(bench).values)


def own_cpu(bench):
    """Of prov itself: collecting, and filling the store."""
    return bench.in_folder(small(bench), index=3)("prov") / SMALL


def least(measure):
    return lambda bench: min(measure(bench).values)


# Name, unit, limit, measure.
ROWS = [
    ("a read of 1 byte costs less than 50 ns more", "ns", 50, best(Sample.added, "read", 1000)),
    ("a write of 1 byte costs less than 60 ns more", "ns", 60, best(Sample.added, "write", 1000)),
    ("opening a file again costs less than 1.3 us more", "ns", 1300,
     best(Sample.added, "open", 200)),
    ("opening other files costs less than 8 us more each", "ns", 8000,
     best(Sample.added, "names", 100)),
    ("reads of 4 KiB take less than 1.1 times as long", "times", 1.1,
     best(Sample.ratio, "pread", 500)),
    ("vfork+exec+wait takes less than 1.6 times as long", "times", 1.6,
     best(Sample.ratio, "spawn", 1)),
    ("300 programs from a shell use less than 1.8 times the processor", "times", 1.8,
     cpu(["sh", "-c", programs.times(300, "/bin/true")])),
    ("10 000 small files use less than 2.2 times the processor", "times", 2.2, cpu(small)),
    ("prov itself uses less than 40 us of processor per file", "ns", 40000, own_cpu),
    ("memory of prov run stays below 8 MiB", "bytes", 8 << 20, least(resources.collector(1))),
    ("memory added to a program stays below 512 KiB", "bytes", 512 << 10,
     least(resources.guest)),
]


def run(bench):
    report = tap.Report()
    bench.rounds = 3
    for name, unit, limit, measure in ROWS:
        try:
            value = measure(bench)
        except (Broken, OSError) as why:
            report.ok(False, name, why)
            continue
        report.ok(value < limit, name)
        print(f"# {value:.2f} {unit}, limit {limit:.2f}", flush=True)
    return report.end()
