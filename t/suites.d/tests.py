# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""tests - many test programs, each judged by twice.py, and what came of all of them"""
import collections
import concurrent.futures
import os
import queue
import shutil

import twice

WORKERS = 2


class Test:
    """One program of a suite. keep(item) says what is compared, more(outcome) tells further
    things to compare, such as the verdicts that an output tells: {item: (kind, value)}."""

    def __init__(self, name, command, env=None, prepare=None, limit=60, keep=lambda key: True, more=None):
        self.name, self.command, self.env, self.prepare = name, command, env, prepare
        self.limit, self.keep, self.more = limit, keep, more


class Sum:
    """What came of a suite."""

    def __init__(self):
        self.wrong, self.once, self.late, self.unsteady = [], [], [], []
        self.statuses = collections.Counter()
        self.steady = self.verdicts = self.whole = self.parts = self.left = 0

    def add(self, test, verdict):
        if not verdict.recorded:
            self.late.append(test.name)
            return
        statuses = {o.status for o in verdict.bare}
        if len(statuses) > 1:
            self.unsteady.append(test.name)
        else:
            self.steady += 1
            self.statuses[verdict.bare[0].status] += 1
        self.verdicts += len(verdict.bare[0].more)
        self.whole += verdict.tally.whole
        self.parts += verdict.tally.parts
        self.left += verdict.tally.left
        self.wrong += [f"{test.name}: {text}" for text in verdict.wrong]
        self.once += [f"{test.name}: {text}" for text in verdict.once]

    def lines(self):
        ended = ", ".join(f"{n} with {status}" for status, n in self.statuses.most_common())
        yield f"{self.steady} tests end alike bare and recorded: {ended}"
        if self.verdicts:
            yield f"they say how {self.verdicts} cases ended"
        yield (f"of their outputs and files {self.whole} agreed whole between bare runs and were compared, "
               f"{self.parts} in part, {self.left} not")
        if self.unsteady:
            yield f"end differently by themselves, not compared: {' '.join(sorted(self.unsteady))}"
        if self.late:
            yield f"took too long by themselves, not compared: {' '.join(sorted(self.late))}"
        for text in self.once:
            yield f"differed once and then not again: {text}"


def run(prov, base, tests, workers=WORKERS):
    places = queue.SimpleQueue()
    for n in range(workers):
        places.put(twice.Place(prov, os.path.join(base, str(n))))

    def one(test):
        place = places.get()
        try:
            verdict = twice.judge(place, test.command, test.env, test.prepare, test.limit, test.keep,
                                  test.more)
        finally:
            for name in os.listdir(place.base):
                if name.startswith("run"):
                    twice.remove(os.path.join(place.base, name))
            places.put(place)
        return verdict

    total = Sum()
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for test, verdict in zip(tests, pool.map(one, tests)):
            total.add(test, verdict)
    shutil.rmtree(base, ignore_errors=True)
    return total
