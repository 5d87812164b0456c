# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""programs - how much longer whole programs take, and what prov does after them"""
import os
import shutil
import statistics
import subprocess

from measure import TOP, Sample, Unavailable
from result import Row

IMPORTS = "import json, email, http.client, unittest, sqlite3, xml.dom.minidom, asyncio"
C_FILES = 34
SMALL = 50000
# One rank, one thread: what is measured is the program, not the scheduler.
ONE_RANK = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

MELT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 16 0 16 0 16
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 4711
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
thermo 100
run 200
"""


def times(count, command):
    return f"i=0; while [ $i -lt {count} ]; do {command}; i=$((i+1)); done"


def c_files(folder):
    names = [f"unit{n}" for n in range(C_FILES)]
    for name in names:
        with open(os.path.join(folder, name + ".c"), "w", encoding="ascii") as f:
            f.write(f"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
                    f"int {name}(int n) {{ return printf(\"%d\\n\", n); }}\n")
    with open(os.path.join(folder, "Makefile"), "w", encoding="ascii") as f:
        f.write("all: " + " ".join(n + ".o" for n in names) +
                "\n%.o: %.c\n\tgcc -O1 -c -o $@ $<\n")


def small(bench):
    return [bench.micro, "small", str(SMALL), "."]


WALL, CPU = 0, 2    # of what Bench.program() gives


def ratio(command, prepare=None, of=WALL):
    """command: words, or bench -> words."""
    def sample(bench, how="prov"):
        words = command(bench) if callable(command) else command
        once = bench.in_folder(words, prepare, of)
        once("")    # pays for cold caches
        return Sample.ratio(bench.pairs(once, how))
    return sample


def end(command):
    """From the end of the program to the return of prov run. Bare, there is
    nothing to wait for but the process that took the time."""
    def sample(bench):
        words = command(bench) if callable(command) else command
        pairs = bench.pairs(bench.in_folder(words, index=1))
        return Sample([m - b for b, m in pairs], statistics.median(m for _, m in pairs),
                      statistics.median(b for b, _ in pairs))
    return sample


def need(program, package):
    if not shutil.which(program):
        raise Unavailable(f"{program} is not installed (Debian: {package})")


def compute(program, package, arguments, prepare):
    def sample(bench, how="prov"):
        need(program, package)
        made = ratio(["env", *[f"{k}={v}" for k, v in ONE_RANK.items()], program, *arguments],
                     prepare, CPU)(bench, how)
        made.note = "processor time"
        return made
    return sample


def water(folder):
    subprocess.run([os.path.join(TOP, "t", "workloads", "water.sh"), folder], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def melt(folder):
    with open(os.path.join(folder, "in.melt"), "w", encoding="ascii") as f:
        f.write(MELT)


def linpack(folder):
    """hpcc's own example input, for one rank and a larger matrix."""
    with open("/usr/share/doc/hpcc/examples/_hpccinf.txt", encoding="ascii") as f:
        lines = f.read().split("\n")
    for at, value in ((5, "2000"), (10, "1"), (11, "1")):
        lines[at] = value + " " + lines[at].split(None, 1)[1]
    with open(os.path.join(folder, "hpccinf.txt"), "w", encoding="ascii") as f:
        f.write("\n".join(lines))


ROWS = [
    Row("2000 x /bin/true", "ratio", 1.10, ratio(["sh", "-c", times(2000, "/bin/true")])),
    Row("50 k small files", "ratio", 1.25, ratio(small)),
    Row("20 x python imports", "ratio", 1.08,
        ratio(["sh", "-c", times(20, f"/usr/bin/python3 -c '{IMPORTS}'")])),
    Row("make -j2, 34 C files", "ratio", 1.12, ratio(["make", "-s", "-j2"], c_files)),
    Row("GROMACS mdrun", "ratio", 1.01, compute(
        "gmx", "gromacs", ["-quiet", "mdrun", "-s", "water.tpr", "-nt", "1", "-nsteps", "6000"],
        water)),
    Row("LAMMPS melt", "ratio", 1.01, compute("lmp", "lammps", ["-in", "in.melt"], melt)),
    Row("HPL and the rest of hpcc", "ratio", 1.01, compute("hpcc", "hpcc", [], linpack)),
]

ENDS = [
    Row("end of prov run, 1 program", "ns", 50e6 + 10 * 10e3, end(["/bin/true"])),
    Row("end of prov run, 50 k files", "ns", 50e6 + SMALL * 10e3, end(small)),
]
