# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""downstream - the end of a run, the store, and how long a question takes"""
import os
import re

import programs
from measure import BUILD, Broken, Sample, Together, Unavailable
from result import Row

RECORDS = 10000000


def lineage(bench):
    """A process of its own each time; what is asked for was compiled by make."""
    folder = bench.folder()
    programs.c_files(folder)
    bench.output("prov", ["make", "-s", "-j2"], folder)
    command = [bench.prov, "lineage", "unit0.o"]
    if "unit0.c" not in bench.output("", command, folder):
        raise Broken("the lineage of unit0.o does not name unit0.c")
    times = [bench.program("", command, folder)[0] for _ in range(5 * bench.rounds)]
    return Sample(times)


def said_by(name, size, *patterns):
    """Runs a program of bench/ on a new store; the numbers that it prints."""
    def measure(bench):
        program = os.path.join(BUILD, "bench", name)
        if not os.path.exists(program):
            raise Unavailable(f"bench/{name} is not built")
        bench.forget()
        os.makedirs(os.path.dirname(bench.store))
        said = bench.output("", [program, bench.store, str(size)])
        bench.forget()
        found = [re.search(pattern, said) for pattern in patterns]
        if not all(found):
            raise Broken(f"bench/{name} does not say what is asked for: {said[:100]!r}")
        return [0.0, *[float(m.group(1)) for m in found]]
    return measure


INGEST = Together(said_by("ingest", RECORDS, r"([\d.]+) accesses/s", r"([\d.]+) bytes per access"),
                  rounds=1)
EVENTS = Together(said_by("events", 2000000, r"([\d.]+) events/s"), rounds=1)
# three accesses to an execution
LINEAGE = Together(said_by("lineage", RECORDS // 3, r"depth 10[^\n]*?: ([\d.]+) ms",
                           r"whole lineage[^\n]*?: ([\d.]+) ms"), rounds=1)


def milliseconds(pairs):
    return Sample([m * 1e6 for _, m in pairs])


ROWS = [
    *programs.ENDS,
    Row("prov lineage FILE, a new process", "ns", 30e6, lineage),
    Row("events into a journal", "rate", 1e6, EVENTS.sample(Sample.alone, 0)),
    Row("accesses put into the store, of 10 M", "rate", 300e3, INGEST.sample(Sample.alone, 0)),
    Row("stored bytes per access, of 10 M", "bytes", 64, INGEST.sample(Sample.alone, 1)),
    Row("lineage to depth 10, of 10 M accesses", "ns", 50e6, LINEAGE.sample(milliseconds, 0)),
    Row("whole lineage, 200 000 ancestors", "ns", 500e6, LINEAGE.sample(milliseconds, 1)),
]
