# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""ablation - what each part of the guest library costs

The variants are built from the guest's own sources (bench/meson.build), each
with one part less, and are put to work by prov itself. All variants of an
operation run at once and take turns of some milliseconds.
"""
import os
import statistics

import calls
from measure import Sample, Together
from result import Row

# Name in the table, library of bench/ (None: the guest), environment.
VARIANTS = [
    ("an empty library", "libempty.so", {}),
    ("hooks that pass on", "libablate-forward.so", {}),
    ("+ counters", "libablate-timeless.so", {}),
    ("+ clock", "libablate-unnamed.so", {}),
    ("+ path: the guest", None, {}),
    ("the guest without detours", None, {"PROV_DETOUR": "0"}),
]
OPERATIONS = [
    ("read 1 B", "read", 40000), ("open+close, one file", "open", 4000),
    ("open+close, 1000 files in turn", "names", 2000), ("vfork+exec+wait", "spawn", 10),
]
FIO = "fio 4 KiB random, 1 job"
TURNS = 16


def started(bench, n):
    """(words in front of a command, environment) of variant n; -1: nothing."""
    if n < 0:
        return [], bench.env()
    _, library, more = VARIANTS[n]
    # each has a store of its own: several run at once
    env = bench.env(PROV_STORE=os.path.join(bench.work, f"store{n}", "prov.db"), **more)
    if library == "libempty.so":
        return [], {**env, "LD_PRELOAD": bench.built(library)}
    prov = bench.installed(bench.built(library) if library else bench.guest)
    return [prov, "run", "--quiet", "--"], env


def in_turns(op, count):
    def measure(bench):
        waiting = []
        for n in range(-1, len(VARIANTS)):
            words, env = started(bench, n)
            waiting.append(bench.turns(words, *calls.command(bench, op, count), env=env))
        columns = bench.take_turns(waiting, TURNS)
        base = statistics.median(columns[0])
        return [base + statistics.median(v - b for b, v in zip(columns[0], column))
                for column in columns]
    return measure


def by_fio(bench):
    rates = []
    for n in range(-1, len(VARIANTS)):
        words, env = started(bench, n)
        rates.append(1e9 / calls.fio_rate(bench, words, "--rw=randread", "--bs=4k",
                                          "--filename=fio", "--cpus_allowed=0", env=env))
    return rates


def rows():
    found = []
    for what, measure in [(name, in_turns(op, count)) for name, op, count in OPERATIONS] + \
            [(FIO, by_fio)]:
        together = Together(measure)
        for n, (variant, _, _) in enumerate(VARIANTS):
            found.append(Row(f"{what}: {variant}", "added", None, together.sample(Sample.added, n)))
    return found


ROWS = rows()
