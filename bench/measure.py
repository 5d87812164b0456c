# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""measure - running things bare, recorded and otherwise wrapped, and taking the time"""
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time

GUEST = "libprov-preload.so"
TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
BUILD = os.path.realpath(os.environ.get("BUILD", os.path.join(TOP, "build")))
# A system call that does nothing; slower means the kernel checks each one,
# as it does for good once auditing was on, and no figure can be trusted.
GETPID_TRUSTED_NS = 200
CORES = len(os.sched_getaffinity(0))


class Unavailable(Exception):
    """A row this machine cannot measure."""


class Broken(Exception):
    """What was measured did not do its work; a figure would be a lie."""


class Sample:
    """What one row came to. values: one per pair; low and high are their range."""

    def __init__(self, values, measured=None, baseline=None, note=""):
        self.values, self.note = values, note
        self.measured, self.baseline = measured, baseline

    @staticmethod
    def added(pairs):
        return Sample([m - b for b, m in pairs], statistics.median(m for _, m in pairs),
                      statistics.median(b for b, _ in pairs))

    @staticmethod
    def alone(pairs):
        """Of what has no bare counterpart."""
        return Sample([m for _, m in pairs])

    @staticmethod
    def ratio(pairs):
        return Sample([m / b for b, m in pairs], statistics.median(m for _, m in pairs),
                      statistics.median(b for b, _ in pairs))


class Together:
    """Several rows that are measured at once, when the first of them asks.
    measure(bench): one figure bare, then one for each of them, or why there is none."""

    def __init__(self, measure, rounds=None):
        self.measure, self.rounds, self.found = measure, rounds, None

    def sample(self, of, n):
        def take(bench):
            if self.found is None:
                self.found = [self.measure(bench) for _ in range(self.rounds or bench.rounds)]
            pairs = [(r[0], r[n + 1]) for r in self.found]
            good = [p for p in pairs if not isinstance(p[1], Exception)]
            if not good:
                raise pairs[0][1]
            sample = of(good)
            if len(good) < len(pairs):
                sample.note = f"failed in {len(pairs) - len(good)} of {len(pairs)} runs"
            return sample
        return take


class Turns:
    """bench/micro, waiting for its turns."""

    def __init__(self, command, env):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=env, bufsize=0)

    def once(self):
        try:
            self.process.stdin.write(b"\n")
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = b""
        if not line:
            self.end()
            raise Broken(f"it ended with {self.process.returncode} before its turns were over")
        return float(line)

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


class Bench:
    """work is on disk and holds the store, memory is where programs work: what
    a disk costs would hide what we cost."""

    def __init__(self, rounds, work, memory):
        self.rounds, self.work, self.memory = rounds, work, memory
        self.prov = os.path.realpath(os.environ.get("PROV") or
                                     os.path.join(BUILD, "src", "prov", "prov"))
        self.micro = self.built("micro")
        if not os.access(self.prov, os.X_OK):
            sys.exit(f"bench: {self.prov} is not a program: run \"make\" first")
        self.guest = os.path.join(BUILD, "capture", "preload", GUEST)
        self.store = os.path.join(work, "store", "prov.db")
        self.n = 0
        self.shadow = os.path.join(self.configured("PROV_SHIM_DIR"), GUEST)
        self.copies = []

    @staticmethod
    def configured(name):
        with open(os.path.join(BUILD, "config.h"), encoding="utf-8") as f:
            return re.search(rf'#define {name} "(.*)"', f.read()).group(1)

    def installed(self, library=None):
        """A prov that takes library for its guest, as one that was moved as a whole
        takes the one that moved with it. A new copy for each measurement: how a
        file lies in memory decides about some 10 ns per call, and what the
        linker has just written lies worst."""
        if os.path.exists(self.shadow):
            if library:
                raise Unavailable(f"prov would use {self.shadow}; configure with another prefix")
            return self.prov
        self.n += 1
        top = os.path.join(self.work, f"installed{self.n}")
        folder = os.path.join(top, self.configured("PROV_LIBDIR"), "prov")
        os.makedirs(folder)
        self.copies.append(top)
        os.mkdir(os.path.join(top, "bin"))
        shutil.copy(self.prov, os.path.join(top, "bin", "prov"))
        shutil.copy(library or self.guest, os.path.join(folder, GUEST))
        return os.path.join(top, "bin", "prov")

    def built(self, name):
        path = os.path.join(BUILD, "bench", name)
        if not os.access(path, os.R_OK):
            sys.exit(f"bench: {path} is not there: run \"make\" first")
        return path

    def env(self, **more):
        return {**os.environ, "PROV_STORE": self.store, **more}

    def forget(self):
        """A store that grows from row to row would make later rows pay."""
        shutil.rmtree(os.path.dirname(self.store), ignore_errors=True)

    def wrapped(self, how):
        """how: "" bare, "prov" recorded, or the words of another wrapper."""
        if how == "prov":
            self.forget()
            for old in self.copies:
                shutil.rmtree(old)
            self.copies = []
            return [self.installed(), "run", "--quiet", "--"]
        return list(how)

    def folder(self):
        self.n += 1
        path = os.path.join(self.memory, str(self.n))
        os.makedirs(path)
        return path

    def output(self, how, command, cwd=None, env=None):
        done = subprocess.run([*self.wrapped(how), *command], cwd=cwd, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=env or self.env())
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines() or ["no word"]
            raise Broken(f"{command[0]} ended with {done.returncode}: {said[-1][:100]}")
        return done.stdout.decode()

    def asked(self, *words):
        """What another command of prov says of the store."""
        return self.output("", [self.prov, *words])

    def program(self, how, command, cwd):
        """(own, end, cpu, more) in ns: from the program's start to its end; from its end
        to the return of what wrapped it; processor time of the program and all it
        started; and of what wrapped it."""
        result = os.path.join(self.work, "time")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.output(how, [self.micro, "time", result, *command], cwd)
        returned = time.monotonic_ns()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = 1e9 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
        with open(result, encoding="ascii") as f:
            start, end, cpu = map(int, f.read().split())
        return end - start, returned - end, cpu, used - cpu

    def turns(self, how, *command, env=None):
        return Turns([*self.wrapped(how), self.micro, *command], env or self.env())

    def take_turns(self, waiting, turns):
        """Lists of what each of them came to, one entry per turn. The first turn
        pays for cold caches; then the order is turned round each time, since who
        comes second finds in the caches what the first has left."""
        columns = [[] for _ in waiting]
        both = list(zip(waiting, columns))
        try:
            for w in waiting:
                w.once()
            for turn in range(turns):
                for w, column in both if turn % 2 else reversed(both):
                    column.append(w.once())
            return columns
        finally:
            for w in waiting:
                w.end()

    def call_pairs(self, command, turns=16, how="prov"):
        """(bare, recorded) of each pair of processes: the middle of its turns."""
        pairs = []
        for _ in range(self.rounds):
            bare = self.turns("", *command)
            other = self.turns(how, *command)
            base, measured = self.take_turns([bare, other], turns)
            middle = statistics.median(m - b for b, m in zip(base, measured))
            pairs.append((statistics.median(base), statistics.median(base) + middle))
        return pairs

    def pairs(self, measure, how="prov", times=1):
        """(bare, recorded) of one run each, right after the other; each of them is the
        first in every other pair."""
        found = []
        for n in range(times * self.rounds):
            second = measure(how) if n % 2 else None
            bare = measure("")
            found.append((bare, second or measure(how)))
        return found

    def in_folder(self, command, prepare=None, index=0):
        """measure(how) of a program that starts in a new folder; prepare fills it."""
        def measure(how):
            folder = self.folder()
            if prepare:
                prepare(folder)
            try:
                return self.program(how, command, folder)[index]
            finally:
                shutil.rmtree(folder)
        return measure

    def getpid_ns(self):
        waiting = self.turns("", "getpid", "200000")
        return min(self.take_turns([waiting], 10)[0])
