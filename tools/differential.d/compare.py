# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""compare - differences between the truth and a record, and declared gaps"""
import dataclasses
import fnmatch
import os
import re

from record import FLAGS
from truth import carries_data

UNNAMED = re.compile(rb"/#\d+$|^/proc/self/fd/")


def text(path):
    return os.fsdecode(path).encode("utf-8", "backslashreplace").decode().replace("\n", "\\n")


@dataclasses.dataclass(frozen=True)
class Difference:
    direction: str           # missing, extra, differs
    kind: str
    exe: str
    what: str                # a path, mostly
    detail: str = ""

    def __str__(self):
        return f"{self.direction:<8} {self.kind:<14} {self.exe}  {self.what}" + \
            (f"  ({self.detail})" if self.detail else "")


class Comparison:
    def __init__(self, truth, record, ignore):
        self.truth, self.record = truth, record
        self.ignore = ignore     # path globs that belong to the recorder itself
        self.found = []
        self.paired = {}         # execution id: image
        self.stand_in = {}       # image without an execution: the image that has its rows
        self.unrecorded = set()  # images that the record lacks
        self.pair()
        self.executions()
        self.files()
        self.byte_counts()
        self.name_events()

    def say(self, direction, kind, image, what, detail=""):
        exe = os.fsdecode(image.exe) if hasattr(image, "argv") and hasattr(image, "n") else image
        self.found.append(Difference(direction, kind, exe or "-", what, detail))

    # executions

    def pair(self):
        recorded = self.record.of_traced()
        images = {}
        for process in self.truth.processes:
            images.setdefault(process.pid, []).append(process.images)
        for pid, lives in images.items():
            have = list(recorded.pop(pid, []))
            for number, life in enumerate(lives):
                want = life
                # Where pids were used again, later lives take what is left over.
                mine = have if number == len(lives) - 1 else have[:len(life)]
                if life and life[0].n == 0 and (
                        len(mine) < len(life) or life[0].vfork and len(mine) == len(life) - 1):
                    want = life[1:]
                    self.without_execution(life)
                have = have[len(mine):]
                for image, execution in zip(want, mine):
                    self.paired[execution.id] = image
                for image in want[len(mine):]:
                    self.unrecorded.add(image)
                    self.say("missing", "execution", image, self.command(image.argv))
                for execution in mine[len(want):]:
                    self.say("extra", "execution", execution.exe, " ".join(execution.argv))
        for executions in recorded.values():
            for execution in executions:
                self.say("extra", "execution", execution.exe, " ".join(execution.argv))

    def without_execution(self, life):
        """A child between vfork and exec is its parent's code in its parent's
        memory: what it opened, the image after it uses. A forked one that
        execs at once is an execution of its own, and must be there."""
        first = life[0]
        if first.vfork:
            self.stand_in[first] = life[1] if len(life) > 1 else first.parent
        else:
            self.unrecorded.add(first)
            self.say("missing", "fork", first, self.command(first.argv))

    @staticmethod
    def command(argv):
        return " ".join(text(a[0]) if a else "..." for a in argv)

    def settled(self, image):
        while image in self.stand_in:
            image = self.stand_in[image]
        return image

    def parent_of(self, image):
        parent = image.parent
        while parent in self.stand_in:
            parent = parent.parent
        return parent

    def executions(self):
        for id_, image in self.paired.items():
            execution = self.record.executions[id_]
            if image.n > 0:
                self.same_argv(image, execution)
            told = self.paired.get(execution.parent)
            true = self.parent_of(image)
            if told is not true and true not in self.unrecorded:
                self.say("differs", "parent", image, self.command(image.argv),
                         f"truth {true.label() if true else 'none'}, "
                         f"record {told.label() if told else 'none'}")
            if not image.ended or not image.last:
                continue
            if execution.status in (None, -1):
                told = ("signal", execution.signal)
            else:
                told = ("exit", execution.status)
            true = ("signal", image.signal) if image.signal else ("exit", image.status)
            if told != true:
                self.say("differs", "status", image, self.command(image.argv),
                         f"truth {true[0]} {true[1]}, record {told[0]} {told[1]}")

    def same_argv(self, image, execution):
        told = [os.fsencode(a) for a in execution.argv]

        def equal(true, told):
            return len(true) == len(told) and all(
                t is None or t[0] == r or (not t[1] and r.startswith(t[0]))
                for t, r in zip(true, told))
        if None in image.argv:
            same = equal(image.argv[:image.argv.index(None)], told[:image.argv.index(None)])
        else:
            same = equal(image.argv, told)
            # For a script the kernel puts its interpreter in front.
            rest = len(image.argv) - 1
            same = same or len(told) > rest + 1 and equal(image.argv[1:], told[len(told) - rest:])
        if not same:
            self.say("differs", "argv", image, self.command(image.argv),
                     "record " + " ".join(execution.argv))

    # files

    def ignored(self, path):
        name = os.fsdecode(path)
        return any(fnmatch.fnmatchcase(name, glob) for glob in self.ignore)

    def recorded_rows(self):
        """(image, kind, path) the record has, and its byte counts."""
        rows, seen, sums = set(), set(), {}
        for id_, image in self.paired.items():
            for f in self.record.executions[id_].files:
                path = os.fsencode(f["path"])
                if self.ignored(path) or not carries_data(path):
                    continue
                seen.add((image, path))
                for kind, flag in FLAGS.items():
                    if f[flag]:
                        rows.add((image, kind, path))
                key = (image, self.truth.names.family(path))
                total = sums.setdefault(key, [0, 0])
                total[0] += f["bytes_read"]
                total[1] += f["bytes_written"]
        return rows, seen, sums

    def true_rows(self, rows):
        return {(self.settled(r.image), r.kind, r.path) for r in rows
                if r.kind in FLAGS and not self.ignored(r.path)}

    def files(self):
        self.rows, seen, self.sums = self.recorded_rows()
        hard, soft = self.true_rows(self.truth.hard), self.true_rows(self.truth.soft)
        # What a vforked child opened on behalf of the next image may show
        # only as the descriptor that image inherits.
        early = {r for r in self.truth.hard if r.image in self.stand_in and r.kind in FLAGS}
        soft |= self.true_rows(early)
        hard -= self.true_rows(early)
        self.loads = {(self.settled(image), path) for image, path in self.truth.loads}
        family = self.truth.names.family
        told = {(image, kind, family(path)) for image, kind, path in self.rows}
        must = {(self.settled(image), path) for image, path in self.truth.loaded()}
        for image, path in sorted(must, key=lambda k: (k[0].pid, k[0].n, k[1])):
            if image not in self.unrecorded and (image, path) not in seen and \
                    not self.ignored(path):
                self.say("missing", "load", image, text(path))
        for image, kind, path in sorted(hard, key=lambda r: (r[0].pid, r[0].n, r[2], r[1])):
            if (image, path) in self.loads and kind == "read":
                continue
            row = (image, kind, family(path))
            if image not in self.unrecorded and row not in told:
                told.add(row)  # once is enough for a file of several names
                self.say("missing", kind, image, text(path))
        known = {(image, kind, family(path)) for image, kind, path in hard | soft}
        for image, kind, path in sorted(self.rows, key=lambda r: (r[0].pid, r[0].n, r[2], r[1])):
            if (image, kind, family(path)) in known or self.is_load(image, kind, path):
                continue
            self.say("extra", kind, image, text(path))

    def is_load(self, image, kind, path):
        """The kernel itself reads the program, its interpreter and the loader."""
        if kind != "read":
            return False
        if (image, path) in self.loads or path == image.exe:
            return True
        return os.access(path, os.X_OK) and not os.path.isdir(path)

    def byte_counts(self):
        """Of files that are mapped as well, reads and writes are still counted;
        of libraries the loader's are not."""
        family = self.truth.names.family
        true, uncounted = {}, set()
        for (image, path), (n_read, n_written) in self.truth.bytes.items():
            if image in self.stand_in:
                uncounted.add((self.settled(image), family(path)))
            elif not self.ignored(path):
                total = true.setdefault((image, family(path)), [0, 0])
                total[0] += n_read
                total[1] += n_written
        for image, path in self.truth.uncounted | self.truth.loads.keys():
            uncounted.add((self.settled(image), family(path)))
        keys = (true.keys() & self.sums.keys()) - uncounted
        for key in sorted(keys, key=lambda k: (k[0].pid, k[0].n, k[1])):
            for what, side in (("read", 0), ("write", 1)):
                if true[key][side] != self.sums[key][side]:
                    self.say("differs", what + "-bytes", key[0], text(key[1]),
                             f"truth {true[key][side]}, record {self.sums[key][side]}")

    # names

    def name_events(self):
        true = set()
        for row in self.truth.hard:
            if row.kind in FLAGS or row.image in self.unrecorded:
                continue
            source = b"*" if row.kind == "link" and UNNAMED.search(row.path) else row.path
            image = row.image
            while image in self.stand_in:
                image = self.stand_in[image]
            true.add((image, row.kind, source, row.to))
        told, may = set(), set()
        for name in self.record.names:
            image = self.paired.get(name.execution)
            if image is None or self.ignored(name.source):
                continue
            source = name.source
            if name.event == "link" and (image, "link", b"*", name.target) in true:
                source = b"*"
            row = (image, name.event, source, name.target)
            told.add(row)
            if self.record.replaced(name):
                may.add(row)
        may |= {(r.image, r.kind, r.path, r.to) for r in self.truth.soft}
        for direction, rows in (("missing", true - told), ("extra", told - true - may)):
            for image, kind, source, target in sorted(rows, key=lambda r: (r[0].pid, r[0].n, r[2])):
                self.say(direction, kind, image,
                         text(source) + (" -> " + text(target) if target else ""))


@dataclasses.dataclass
class Gap:
    direction: str
    kind: str
    exe: str
    what: str
    may: bool                # may be absent: depends on the machine
    line: int
    matched: int = 0

    def matches(self, d):
        return all(fnmatch.fnmatchcase(value, glob) for value, glob in (
            (d.direction, self.direction), (d.kind, self.kind), (d.exe, self.exe),
            (d.what, self.what)))


class BadGaps(Exception):
    pass


def gaps_read(path):
    """Lines "[?]direction kind exe what # why"; the first four are globs."""
    gaps = []
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            body, _, why = line.partition("#")
            if not body.strip():
                continue
            fields = body.split(None, 3)
            if len(fields) != 4 or not why.strip():
                raise BadGaps(f"{path}:{number}: not \"direction kind exe what # why\"")
            may = fields[0].startswith("?")
            gaps.append(Gap(fields[0].lstrip("?"), fields[1], fields[2], fields[3].strip(), may,
                            number))
    return gaps


def judge(found, gaps):
    """Differences nobody declared, and declared gaps that were not there."""
    undeclared = []
    for gap in gaps:
        gap.matched = 0
    for difference in found:
        matching = [gap for gap in gaps if gap.matches(difference)]
        for gap in matching:
            gap.matched += 1
        if not matching:
            undeclared.append(difference)
    return undeclared, [gap for gap in gaps if not gap.matched and not gap.may]
