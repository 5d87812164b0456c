# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""peers - the same rows under other recorders, where they are installed

They do not record the same. strace, as called here, keeps the names of files and
the starts and ends of processes and leaves reads and writes alone; perf trace
keeps reads and writes as well; ReproZip keeps names of files, by ptrace.
"""
import ctypes.util
import os
import shutil

import calls
import programs
from measure import Unavailable
from result import Row

NAMES = ("open,openat,creat,execve,rename,renameat,renameat2,unlink,unlinkat,link,symlink,close,"
         "dup,dup2,dup3")
DATA = "read,write,pread64,pwrite64,readv,writev"


def strace(*kinds):
    def words(bench):
        return ["strace", "-f", "-y", "--seccomp-bpf", "-e", "trace=%process," + ",".join(kinds),
                "-o", os.path.join(bench.work, "strace.log")]
    return words


def perf_trace(bench):
    return ["perf", "trace", "-e", NAMES + "," + DATA, "-o", os.path.join(bench.work, "perf.log"),
            "--"]


def reprozip(bench):
    return ["reprozip", "trace", "--overwrite", "--dont-identify-packages",
            "--dont-find-inputs-outputs", "-d", os.path.join(bench.work, "reprozip")]


def darshan(bench):
    return ["env", "DARSHAN_ENABLE_NONMPI=1", "LD_PRELOAD=" + ctypes.util.find_library("darshan")]


def recorder(bench):
    return ["env", "RECORDER_NON_MPI=1", "LD_PRELOAD=" + ctypes.util.find_library("recorder")]


# Name, what must be there, words in front of a command.
PEERS = [
    ("strace, names", "strace", strace(NAMES)),
    ("strace, reads and writes too", "strace", strace(NAMES, DATA)),
    ("perf trace", "perf", perf_trace),
    ("ReproZip", "reprozip", reprozip),
    ("Darshan", None, darshan),
    ("Recorder", None, recorder),
]
SHOWN = ("read 1 B", "open+close, one file", "fio 4 KiB random, 1 job", "vfork+exec+wait",
         "2000 x /bin/true", "50 k small files", "20 x python imports", "make -j2, 34 C files",
         "GROMACS mdrun")


def under(name, program, words, row):
    def sample(bench):
        there = shutil.which(program) if program else ctypes.util.find_library(name.lower())
        if not there:
            raise Unavailable("not installed")
        kept, bench.rounds = bench.rounds, 1
        try:
            return row.measure(bench, words(bench))
        finally:
            bench.rounds = kept
    return sample


ROWS = [Row(f"{row.name}: {name}", row.unit, None, under(name, program, words, row))
        for name, program, words in PEERS
        for row in calls.ROWS + programs.ROWS if row.name in SHOWN]
