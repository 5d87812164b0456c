# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""resources - what is lost, what memory recording takes, what stays on disk"""
import json
import os
import subprocess

import programs
from measure import CORES, Broken, Sample
from result import Row

DD_CALLS = 1000000      # reads, and as many writes
RUNS = 10


def files_of(bench):
    """Of the newest run: what was read and written, by path, and what was lost."""
    record = json.loads(bench.asked("show", "@", "--json"))
    got = {}
    for x in record["executions"]:
        for f in x["files"]:
            old = got.setdefault(f["path"], [0, 0])
            old[0] += f["bytes_read"]
            old[1] += f["bytes_written"]
    return got, record["run"]["lost"]


def missing(bench):
    """Files of the row "50 k small files" that are not on record with every byte."""
    values = []
    for _ in range(2):
        folder = bench.folder()
        bench.output("prov", programs.small(bench), folder)
        got, lost = files_of(bench)
        bad = sum(got.get(f"{folder}/{n // 1000}/{n}") != [100, 100] for n in range(programs.SMALL))
        values.append(bad)
        subprocess.run(["rm", "-r", folder], check=True)
    return Sample(values, note=f"{lost} events lost")


def unaccounted(bench):
    """As many processes as cores do nothing but open, write and read."""
    folder = bench.folder()
    script = "".join(f"mkdir {n}; {bench.micro} small {programs.SMALL} {n} & "
                     for n in range(CORES)) + "wait"
    bench.output("prov", ["sh", "-c", script], folder)
    got, lost = files_of(bench)
    done = CORES * programs.SMALL
    seen = sum(v == [100, 100] for p, v in got.items() if p.startswith(folder + "/"))
    subprocess.run(["rm", "-r", folder], check=True)
    return Sample([max(0, done - seen - lost)],
                  note=f"{done} files by {CORES} processes at once, {lost} events lost")


def dd_calls(bench):
    """Calls of dd that the record does not count."""
    target = os.path.join(bench.memory, "dd")
    bench.output("prov", ["dd", "if=/dev/zero", "of=" + target, "bs=1", f"count={DD_CALLS}"])
    record = json.loads(bench.asked("show", "@", "--json"))
    calls = sum(f["reads"] + f["writes"] for x in record["executions"] for f in x["files"]
                if f["path"] in ("/dev/zero", target))
    return Sample([2 * DD_CALLS - calls])


def bytes_of_dd(bench):
    """What one more such run adds to the store."""
    command = [bench.prov, "run", "--quiet", "--", "dd", "if=/dev/zero",
               "of=" + os.path.join(bench.memory, "dd"), "bs=1", f"count={DD_CALLS}"]
    bench.forget()
    bench.output("", command)
    before = os.path.getsize(bench.store)
    for _ in range(RUNS):
        bench.output("", command)
    return Sample([(os.path.getsize(bench.store) - before) / RUNS],
                  note=f"{2 * DD_CALLS // 1000000} M calls; {RUNS} runs into one store")


def memory(pid):
    """(proportional, own) in bytes: with its part of the files and libraries that
    others have mapped as well; and what only it has and no file can give back,
    the session's shared memory included."""
    sums = {"Pss:": 0, "Private_Dirty:": 0}
    arena = 0
    with open(f"/proc/{pid}/smaps", encoding="utf-8", errors="replace") as f:
        for line in f:
            words = line.split()
            if words[0] in sums:
                sums[words[0]] += 1024 * int(words[1])
            elif words[-1].endswith("/arena"):
                arena = 512 * os.stat(words[-1]).st_blocks
    return sums["Pss:"], sums["Private_Dirty:"] + arena


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [int(word) for word in f.read().split()]


def collector(index):
    """prov run itself, while its program waits."""
    def sample(bench):
        values = []
        for _ in range(bench.rounds):
            waiting = bench.turns("prov", "getpid", "1")
            waiting.once()
            values.append(memory(waiting.process.pid)[index])
            waiting.end()
        return Sample(values)
    return sample


def guest(bench):
    """The same program, waiting, with and without: what all of its memory grew by."""
    values = []
    for _ in range(bench.rounds):
        bare, waiting = bench.turns("", "getpid", "1"), bench.turns("prov", "getpid", "1")
        bare.once()
        waiting.once()
        own = children(waiting.process.pid)
        if len(own) != 1:
            raise Broken(f"prov run has {len(own)} children")
        values.append(memory(own[0])[0] - memory(bare.process.pid)[0])
        bare.end()
        waiting.end()
    return Sample(values, note="its part of the shared memory included")


def table(bench):
    """prov run itself when 50 000 files were made, per file."""
    folder = bench.folder()
    bench.forget()
    script = f"{bench.micro} small {programs.SMALL} .; echo done; read wait"
    p = subprocess.Popen([bench.prov, "run", "--quiet", "--", "sh", "-c", script], cwd=folder,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=bench.env())
    p.stdout.readline()
    size = memory(p.pid)[1]
    p.communicate(b"\n")
    subprocess.run(["rm", "-r", folder], check=True)
    return Sample([size / programs.SMALL], note=f"{size / 1048576:.1f} MiB in all")


ROWS = [
    Row("small files not on record, of 50 k", "count", 0, missing),
    Row("events neither kept nor counted lost", "count", 0, unaccounted),
    Row("calls of dd not counted, of 2 M", "count", 0, dd_calls),
    Row("memory of prov run, its own", "bytes", CORES << 20, collector(1)),
    Row("memory of prov run, with libraries", "bytes", None, collector(0)),
    Row("memory added to a program", "bytes", 1 << 20, guest),
    Row("memory of prov run, per live file", "bytes", None, table),
    Row("bytes kept of dd, 2 M calls", "bytes", 10000, bytes_of_dd),
]
