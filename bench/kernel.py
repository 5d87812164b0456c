# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""kernel - what the engine in the kernel costs

While it is attached every process of the machine pays, so what is bare has to run
when it is not: the two of a pair run one after the other, each in a process of its
own, and of each the fastest of its turns counts.
"""
import os
import subprocess

import calls
import programs
from measure import Sample, Unavailable
from result import Row

TURNS = 12


def engine(bench, level):
    words = [bench.prov, "run", "--quiet", "--engine=ebpf", "--granularity=" + level, "--"]
    done = subprocess.run([*words, "true"], env=bench.env(), check=False, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode or done.stderr:
        raise Unavailable((done.stderr.strip() or "prov run failed").splitlines()[0][:100])
    bench.forget()
    return words


def fastest(bench, how, command):
    waiting = bench.turns(how, *command)
    return min(bench.take_turns([waiting], TURNS)[0])


def call(make, op, n, level):
    def sample(bench):
        how, command = engine(bench, level), calls.command(bench, op, n)
        return make(bench.pairs(lambda h: fastest(bench, h, command), how))
    return sample


def others(op, n, level):
    """What a process pays that is not recorded itself."""
    def sample(bench):
        how, command = engine(bench, level), calls.command(bench, op, n)

        def once(h):
            recorded = bench.turns(h, *command) if h else None
            try:
                if recorded:
                    recorded.once()     # it is attached from here on
                return fastest(bench, "", command)
            finally:
                if recorded:
                    recorded.end()
        return Sample.added(bench.pairs(once, how))
    return sample


def rate(jobs, level):
    def sample(bench):
        how = engine(bench, level)

        def once(way):
            return 1e9 / calls.fio_rate(bench, way, "--rw=randread", "--bs=4k",
                                        f"--numjobs={jobs}", "--filename=fio")
        once("")
        return Sample.ratio(bench.pairs(once, how, 3))
    return sample


def program(row, level):
    def sample(bench):
        return row.measure(bench, engine(bench, level))
    return sample


def named(rows, name):
    return next(row for row in rows if row.name == name)


FINE, COARSE = "first-last", "open-close"
# budgets of the coarse level where they differ
PROGRAMS = [("2000 x /bin/true", 1.06, 1.06), ("50 k small files", 1.25, 1.25),
            ("20 x python imports", 1.08, 1.08), ("make -j2, 34 C files", 1.10, 1.10),
            ("GROMACS mdrun", 1.01, 1.005), ("LAMMPS melt", 1.01, 1.005),
            ("HPL and the rest of hpcc", 1.01, 1.005)]


def rows_of(level, data, fio):
    fine = level == FINE
    return [
        Row(f"{level}: read 1 B", "added", data, call(Sample.added, "read", 40000, level)),
        Row(f"{level}: write 1 B", "added", data, call(Sample.added, "write", 40000, level)),
        Row(f"{level}: open+close, one file", "added", 450,
            call(Sample.added, "open", 5000, level)),
        Row(f"{level}: open+close, 1000 files in turn", "added", None,
            call(Sample.added, "names", 5000, level)),
        Row(f"{level}: getpid of others", "added", None, others("getpid", 100000, level)),
        Row(f"{level}: fio 4 KiB random, 1 job", "ratio", fio, rate(1, level)),
        Row(f"{level}: vfork+exec+wait", "ratio", 1.04, call(Sample.ratio, "spawn", 40, level)),
        *(Row(f"{level}: {name}", "ratio", a if fine else b,
              program(named(programs.ROWS, name), level)) for name, a, b in PROGRAMS)]


def bytes_of_dd(bench):
    """What a run of 2 M calls of one byte leaves in the store."""
    how = engine(bench, FINE)
    for n in range(2):
        bench.output(how, ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=1000000",
                           "status=none"])
        size = os.path.getsize(bench.store)
        if n == 0:
            first = size
    return Sample([size - first], note="2 M calls, second run into one store")


ROWS = [*rows_of(FINE, 90, 1.25), *rows_of(COARSE, 35, 1.08),
        Row("bytes kept of dd, 2 M calls", "bytes", 10000, bytes_of_dd)]
