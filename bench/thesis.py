# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""thesis - four fio cases under which an injector was published to lose 69 %

The cases and the published figures are those of the thesis that doc/overhead.md
names; what its text does not say (size of the files, number of threads) is ours.
The injector is bench/injector.cc: written anew, it does per call what the text
says that one does. Blocks of the two "big" cases are 1 MiB, as follows from the
published rates, not the 4 MB of the text.
"""
import os
import shutil
import subprocess

import calls
import peers
from measure import CORES, TOP, Broken, Sample, Together, Unavailable
from result import Row

CASES = [("seq_big", "", "1m", 1), ("seq_big_mt", "", "1m", CORES),
         ("rnd_small", "rand", "4k", 1), ("rnd_small_mt", "rand", "4k", CORES)]
SIZE = "256m"   # of the file that each thread has for itself
# Name, macros of bench/injector.cc; None is no injector.
VARIANTS = [
    ("prov", None),
    ("strace, names", None),
    ("injector", []),
    ("injector, no lock", ["-DNO_LOCK"]),
    ("injector, no path", ["-DNO_PATH"]),
    ("injector that only forwards", ["-DNO_RECORD"]),
]
# What the thesis prints for its own injector, in per cent of what there was bare.
PUBLISHED = {
    "injector": (-10.6, -12.3, -3.8, 3.0, -69.1, -65.2, -65.6, -20.5),
    "injector, no lock": (-8.8, -8.7, None, None, -69.2, -64.8, None, None),
    "injector, no path": (-1.3, 0.3, -1.2, -2.6, -12.0, -7.9, -14.2, -1.1),
    "injector that only forwards": (-1.4, 0.7, 1.5, -4.2, -0.2, 3.6, 0.8, -0.5),
}


def compiled(bench, macros):
    path = os.path.join(bench.work, "injector" + "".join(macros) + ".so")
    if not shutil.which("g++"):
        raise Unavailable("g++ is not installed")
    if not os.path.exists(path):
        subprocess.run(["g++", "-O2", "-fPIC", "-shared", *macros, "-o", path,
                        os.path.join(TOP, "bench", "injector.cc")], check=True)
    return path


def started(bench, name, macros):
    """How to run it, and in which environment."""
    if name == "prov":
        return "prov", None
    if macros is None:
        if not shutil.which("strace"):
            raise Unavailable("strace is not installed")
        return peers.strace(peers.NAMES)(bench), None
    return "", bench.env(LD_PRELOAD=compiled(bench, macros),
                         INJECTOR_OUT=os.path.join(bench.memory, "records"))


def fio(direction, kind, block, jobs, variants):
    def rate(bench, how, env=None):
        return calls.fio_rate(bench, how, f"--rw={kind}{direction}", f"--bs={block}",
                              f"--numjobs={jobs}", f"--size={SIZE}",
                              *(["--cpus_allowed=0"] if jobs == 1 else []), env=env)

    def attempt(bench, variant):
        try:
            return rate(bench, *started(bench, *variant))
        except (Broken, Unavailable) as why:
            return why

    def measure(bench):
        rate(bench, "")    # makes the files
        return [rate(bench, "")] + [attempt(bench, variant) for variant in variants]
    return measure


def rows():
    found = []
    for case, kind, block, jobs in CASES:
        # a lock left out with several threads is a crash, not a figure
        variants = [v for v in VARIANTS if jobs == 1 or "-DNO_LOCK" not in (v[1] or ())]
        for direction in ("read", "write"):
            together = Together(fio(direction, kind, block, jobs, variants))
            for n, (name, _) in enumerate(variants):
                found.append(Row(f"{case} {direction}: {name}", "speed", None,
                                 together.sample(Sample.ratio, n)))
    return found


ROWS = rows()
