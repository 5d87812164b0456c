# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""expect.py - what must be on record of functional.sh, whatever the kernel

A fact is a function of a record that returns sentences on what is wrong.
"""
import os
import re

SCRIPT = "sh functional.sh"


class Record:
    """What prov says of one run. Programs go by their arguments, without
    folders, files by their names in the folder of the run."""

    def __init__(self, kernel, way, status, show, lineages):
        self.kernel = tuple(int(n) for n in re.findall(r"\d+", kernel)[:2])
        self.engine, self.level = re.fullmatch(r"(\w+)(?::\w+)?/(\S+)", way).groups()
        self.status = status
        self.show = show
        self.lineages = lineages
        self.folder = show["run"]["cwd"]

    def of(self, program):
        return [e for e in self.show["executions"] if called(e["argv"]) == program]

    def accesses(self, program, name):
        path = os.path.join(self.folder, name)
        return [f for e in self.of(program) for f in e["files"] if f["path"] == path]

    def names(self):
        """Files of the folder that somebody is said to have touched."""
        return {os.path.relpath(f["path"], self.folder) for e in self.show["executions"] for f in e["files"]
                if f["path"].startswith(self.folder + "/")}


def called(argv):
    return " ".join(os.path.basename(word) for word in argv)


def moved(program, name, read=0, written=0):
    """All of a program together moved so many bytes; 0: it is said to have moved none."""
    def fact(record):
        got = record.accesses(program, name)
        sums = tuple(sum(f[what] for f in got) for what in ("bytes_read", "bytes_written"))
        said = any(f["read"] for f in got), any(f["written"] for f in got)
        if sums == (read, written) and said == (read > 0, written > 0):
            return []
        return [f"'{program}' read {read} B of {name} and wrote {written} B; on record are {sums}, {said}"]
    return fact


def opened(program, name, *flags):
    """Where reads and writes are not noted, what the file was opened for stands for them."""
    def fact(record):
        got = {flag for f in record.accesses(program, name) for flag in ("read", "written", "unsure") if f[flag]}
        return [] if got == {"unsure", *flags} else \
            [f"'{program}' opened {name} to have it {list(flags)}; on record is {sorted(got)}"]
    return fact


def flagged(program, name, flag):
    def fact(record):
        return [] if any(f[flag] for f in record.accesses(program, name)) else \
            [f"'{program}' has not {flag} {name} on record"]
    return fact


def named(program, event, before, after=None):
    def fact(record):
        want = (event, os.path.join(record.folder, before), after and os.path.join(record.folder, after))
        ids = {e["id"] for e in record.of(program)}
        got = [(n["event"], n["from"], n["to"]) for n in record.show["names"] if n["execution"] in ids]
        return [] if got.count(want) == 1 else [f"of '{program}' {want} is not once in {got}"]
    return fact


def ended(program, *ends):
    """Its processes ended with these statuses, or "signal N"."""
    def fact(record):
        got = [f"signal {e['signal']}" if e["signal"] else e["status"]
               for e in record.of(program) if not e["replaced"]]
        return [] if sorted(map(str, got)) == sorted(map(str, ends)) else \
            [f"'{program}' ended with {list(ends)}, on record is {got}"]
    return fact


def derived(name, sources, programs):
    """The lineage of name leads through the programs to the sources."""
    def fact(record):
        nodes = record.lineages[name]["nodes"]
        paths = {n.get("path") for n in nodes}
        steps = {called(n["argv"]) for n in nodes if n["kind"] == "activity"}
        lacking = [s for s in sources if os.path.join(record.folder, s) not in paths]
        lacking += [p for p in programs if p not in steps]
        return [f"the lineage of {name} has no {word}; its steps are {sorted(steps)}" for word in lacking]
    return fact


def through_pipe(record):
    nodes = record.lineages["piped"]["nodes"]
    pipes = [n["id"] for n in nodes if n.get("object_kind") == "pipe"]
    ends = {(e["kind"], e["certain"]) for e in record.lineages["piped"]["edges"]
            if {e["from"], e["to"]} & set(pipes) and e["kind"] in ("used", "wasGeneratedBy")}
    if len(pipes) == 1 and ends == {("used", True), ("wasGeneratedBy", True)}:
        return []
    return [f"the lineage of piped has the pipes {pipes}, connected by {ends}"]


def raw(name):
    """What raw.c does."""
    program = f"{name} {name}"
    return [
        moved(program, name + ".first", 240 + 200 + 200, 200),
        moved(program, name + ".sent", 0, 200),
        moved(program, name + ".copied", 0, 200),
        moved(program, name + ".child", 0, 6),
        moved(program, name + ".gone", 0, 10),
        flagged(program, name + ".sent", "created"),
        flagged(program, name + ".gone", "deleted"),
        named(program, "rename", name + ".first", name + ".moved"),
        named(program, "unlink", name + ".gone"),
        ended(program, 9, 4),
    ]


def raw_names(name):
    """What is left of it where reads and writes are not noted."""
    program = f"{name} {name}"
    return [
        opened(program, name + ".first", "read", "written"),
        opened(program, name + ".sent", "read", "written"),
        flagged(program, name + ".sent", "created"),
        flagged(program, name + ".gone", "deleted"),
        named(program, "rename", name + ".first", name + ".moved"),
        named(program, "unlink", name + ".gone"),
        ended(program, 9, 4),
    ]


class Topic:
    """A case. static: done by programs that take no library, so that an engine
    which is one can only say that they were. tool: needs it to run here. since:
    older kernels do not tell of it, and then a hole of that kind must. blind: a
    program of which a hole may say that it is not seen at all."""

    def __init__(self, name, facts, static="", tool="", since=(0,), hole="", blind=""):
        self.name = name
        self.blind = blind
        self.facts = facts
        self.static = static
        self.tool = tool
        self.since = since
        self.hole = hole


ENDS = Topic("how each program ended", [
    ended(SCRIPT, 5),
    ended("cat input", 0),
    ended("tr a-z A-Z", 0),
    ended("cat", 0),
    ended("mv copy moved", 0),
    ended("sh -c exit 3", 3),
    ended("sh -c kill -TERM $$", "signal 15"),
])
NAMES = Topic("a rename and an unlink", [
    named("mv copy moved", "rename", "copy", "moved"),
    named("rm doomed", "unlink", "doomed"),
    flagged("rm doomed", "doomed", "deleted"),
])

FINE = [
    Topic("files that programs read and wrote, with their bytes", [
        moved(SCRIPT, "input", 0, 14),
        moved("cat input", "input", 14, 0),
        moved("cat input", "copy", 0, 14),
        moved(SCRIPT, "doomed", 0, 4),
        flagged(SCRIPT, "input", "created"),
        flagged(SCRIPT, "copy", "created"),
    ]),
    NAMES,
    Topic("a pipe leads from what was read to what was written", [
        moved("tr a-z A-Z", "input", 14, 0),
        moved("cat", "piped", 0, 14),
        derived("piped", ["input"], ["tr a-z A-Z", "cat", SCRIPT]),
        through_pipe,
    ]),
    ENDS,
    Topic("named pipes to somebody who is not recorded", [
        moved(SCRIPT, "ask", 0, 3),
        moved(SCRIPT, "answer", 5, 0),
    ]),
    Topic("a static program", [
        moved("busybox cat input", "input", 14, 0),
        moved("busybox cat input", "static", 0, 14),
        ended("busybox cat input", 0),
        derived("static", ["input"], ["busybox cat input"]),
    ], static="busybox"),
    Topic("calls that pass by every library", raw("raw"), static="raw", tool="raw"),
    Topic("calls of a 32-bit program", raw("raw32"), static="raw32", tool="raw32", blind="raw32 raw32"),
    Topic("io_uring", [
        moved("ring input ring.out", "input", 14, 0),
        moved("ring input ring.out", "ring.out", 0, 28),
        ended("ring input ring.out", 0),
    ], static="ring", tool="ring", since=(5, 19), hole="io_uring"),
]

COARSE = [
    Topic("files that programs opened", [
        opened(SCRIPT, "input", "read", "written"),
        opened(SCRIPT, "copy", "written"),
        opened(SCRIPT, "piped", "written"),
        opened(SCRIPT, "answer", "read"),
        opened("cat input", "input", "read"),
        flagged(SCRIPT, "input", "created"),
        flagged(SCRIPT, "piped", "created"),
    ]),
    NAMES,
    ENDS,
    Topic("a static program", [
        opened("busybox cat input", "input", "read"),
        ended("busybox cat input", 0),
    ], static="busybox"),
    Topic("calls that pass by every library", raw_names("raw"), static="raw", tool="raw"),
    Topic("calls of a 32-bit program", raw_names("raw32"), static="raw32", tool="raw32", blind="raw32 raw32"),
]
TOPICS = {"first-last": FINE, "open-close": COARSE}

MADE = {"", "input", "copy", "doomed", "moved", "piped", "static", "ask", "answer", "ring.out"} | {
    name + end for name in ("raw", "raw32")
    for end in (".first", ".moved", ".sent", ".copied", ".child", ".gone")}


def blind_to(record, program):
    """Holes that say that nothing of a program is seen."""
    ids = {e["id"] for e in record.of(program)}
    return [h for h in record.show["holes"] if h["kind"] == "blind" and h["execution"] in ids]


def whole(record):
    """Nothing lost, nothing invented, and no doubt beyond what the engine declares."""
    run = record.show["run"]
    declared = {"blind"} if record.engine == "preload" else \
        {topic.hole for topic in FINE if record.kernel < topic.since}
    excused = [h for topic in FINE for h in blind_to(record, topic.blind)]
    holes = [h for h in record.show["holes"] if h["kind"] not in declared and h not in excused]
    out = [f"{run['lost']} records are lost"] if run["lost"] else []
    out += [f"hole: {h}" for h in holes]
    out += [f"nobody touched {name}" for name in sorted(record.names() - MADE)]
    if (record.status, run["status"]) != (5, 5):
        out.append(f"prov run ended with {record.status}, on record is {run['status']}")
    if run["engine"] != record.engine:
        out.append(f"on record is the engine {run['engine']}")
    return out


def static_is_told(record, program):
    told = [h["why"] for h in record.show["holes"] if h["kind"] == "blind"]
    return [] if any(why.startswith(program + " is ") for why in told) else \
        [f"no hole tells that {program} was not seen: {told}"]


def problems(topic, record):
    if topic.static and record.engine == "preload":
        return static_is_told(record, topic.static)
    if topic.blind and blind_to(record, topic.blind):
        return []
    if record.kernel < topic.since:
        kinds = [h["kind"] for h in record.show["holes"]]
        return [] if topic.hole in kinds else [f"no hole {topic.hole} tells of what is not seen: {kinds}"]
    return [sentence for fact in topic.facts for sentence in fact(record)]
