# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""calls - what recording adds to one system call"""
import os
import shutil

from measure import Sample, Unavailable
from result import Row

FILE_MIB = 64
NAMES = 1000    # as in bench/micro.c


def file_of(bench):
    path = os.path.join(bench.memory, "file")
    if not os.path.exists(path):
        with open(path, "wb") as f:
            f.write(bytes(FILE_MIB << 20))
    return path


def names_of(bench):
    folder = os.path.join(bench.memory, "names")
    if not os.path.exists(folder):
        os.mkdir(folder)
        for n in range(NAMES):
            with open(os.path.join(folder, str(n)), "wb"):
                pass
    return folder


def command(bench, op, n):
    """op: of bench/micro; "read" to "pread" work on a file, "names" on a folder."""
    where = {"names": names_of, "read": file_of, "write": file_of, "open": file_of,
             "pread": file_of}.get(op)
    return [op, str(n)] + ([where(bench)] if where else [])


def in_turns(make, op, n):
    """make: Sample.added or Sample.ratio. Another recorder may take 1000 times as
    long for a call: it has shorter turns, and fewer."""
    def sample(bench, how="prov"):
        count, turns = (n, 16) if how == "prov" else (max(10, n // 20), 3)
        return make(bench.call_pairs(command(bench, op, count), turns, how))
    return sample


def fio_rate(bench, how, *options, env=None):
    """Operations per second as fio itself says."""
    if not shutil.which("fio"):
        raise Unavailable("fio is not installed")
    said = bench.output(how, ["fio", "--name=b", "--directory=" + bench.memory, "--size=64m",
                              "--ioengine=psync", "--runtime=500ms", "--time_based",
                              "--output-format=terse", "--randrepeat=1", "--norandommap",
                              "--thread", "--group_reporting", *options], env=env)
    fields = [line for line in said.splitlines() if line.count(";") > 20][0].split(";")
    return float(fields[7]) or float(fields[48])


def fio(jobs, *options):
    def measure(bench, how="prov"):
        def once(way):
            return 1e9 / fio_rate(bench, way, "--rw=randread", "--bs=4k", f"--numjobs={jobs}",
                                  "--filename=fio", *options)
        once("")
        return Sample.ratio(bench.pairs(once, how, 3))
    return measure


ROWS = [
    Row("read 1 B", "added", 12, in_turns(Sample.added, "read", 40000)),
    Row("write 1 B", "added", 12, in_turns(Sample.added, "write", 40000)),
    Row("open+close, one file", "added", 700, in_turns(Sample.added, "open", 5000)),
    Row("open+close, 1000 files in turn", "added", None, in_turns(Sample.added, "names", 5000)),
    Row("own loop, 4 KiB random", "ratio", 1.03, in_turns(Sample.ratio, "pread", 20000)),
    Row("fio 4 KiB random, 1 job", "ratio", 1.03, fio(1, "--cpus_allowed=0")),
    Row("fio 4 KiB random, 2 threads", "ratio", 1.03, fio(2)),
    Row("fork+exit+wait", "ratio", None, in_turns(Sample.ratio, "fork", 100)),
    Row("vfork+exec+wait", "ratio", 1.06, in_turns(Sample.ratio, "spawn", 40)),
]
