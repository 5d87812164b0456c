# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""truth - what a run did, from its system calls

Works out images (a process between two execs), what each did to which file,
and every change of a name. What strace cannot decide is soft: the record may
have it or not. A read that returned nothing is soft, as is "create" of a file
that lay where nobody looked before the run, and the last call of a thread that
was killed in it: the program never learned that it was done.
"""
import dataclasses
import os
import re

import trace

READS = {"read", "pread64", "readv", "preadv", "preadv2"}
WRITES = {"write", "pwrite64", "writev", "pwritev", "pwritev2", "vmsplice"}
# call: (argument that is read, argument that is written)
TRANSFERS = {"sendfile": (1, 0), "sendfile64": (1, 0), "copy_file_range": (0, 2),
             "splice": (0, 2), "tee": (0, 1)}
# What strace is asked for: all that changes the state below, and no more.
CALLS = sorted(READS | WRITES | set(TRANSFERS) - {"sendfile64"}) + [
    "open", "openat", "openat2", "creat", "mmap", "truncate", "ftruncate", "fallocate", "ioctl",
    "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat", "unlink",
    "unlinkat", "rmdir", "chdir", "fchdir", "clone", "clone3", "fork", "vfork", "execve",
    "execveat", "exit", "exit_group",
    # They change nothing here, but after one of them the call before had returned.
    "close", "kill", "tgkill", "tkill", "pause", "wait4"]


@dataclasses.dataclass(eq=False)
class Image:
    pid: int
    n: int                   # 0: before the first exec
    parent: "Image | None"
    vfork: bool = False      # shares its parent's memory, until it execs if it does
    exe: bytes = b""
    argv: list = dataclasses.field(default_factory=list)
    last: bool = True        # false once an exec replaced it
    status: int | None = None
    signal: int = 0
    ended: bool = False

    def label(self):
        return f"{os.fsdecode(self.exe)}[{self.pid}.{self.n}]"


@dataclasses.dataclass(eq=False)
class Process:
    pid: int
    cwd: bytes
    images: list


@dataclasses.dataclass(frozen=True)
class Row:
    image: Image
    kind: str
    path: bytes
    to: bytes = b""


def carries_data(path):
    if path.startswith(b"pipe:["):
        return True
    if not path.startswith(b"/") or path.startswith((b"/proc/", b"/sys/", b"/memfd:", b"/SYSV",
                                                   b"/secretmem")):
        return False
    return not path.startswith(b"/dev/") or path.startswith((b"/dev/shm/", b"/dev/mqueue/"))


class Names:
    """Which names belonged to one file, for what is known under several."""

    def __init__(self):
        self.leader = {}

    def family(self, path):
        while path in self.leader:
            path = self.leader[path]
        return path

    def join(self, a, b):
        a, b = self.family(a), self.family(b)
        if a != b:
            self.leader[max(a, b)] = min(a, b)


class Truth:
    def __init__(self, cwd, existed):
        """existed(path): True, False, or None where nobody looked."""
        self.cwd = cwd
        self.existed = existed
        self.present = {}        # path: what became of it since
        self.links = {}          # path: file, for what has or had several names
        self.leaders = {}        # thread: process
        self.live = {}           # pid: Process
        self.processes = []
        self.hard, self.soft = set(), set()
        self.loads = {}          # (image, path): when it was first mapped as code
        self.last_use = {}       # (image, path): when data moved last
        self.now = 0             # number of the event
        self.looks = set()
        self.last_opened = {}    # (pid, descriptor): path
        self.uncounted = set()   # (image, path): bytes that nobody can compare
        self.doubtful = False    # of the event at hand
        self.bytes = {}          # (image, path): [read, written]
        self.names = Names()
        self.births = {}         # pid: [(parent image, vfork)], before the child is seen
        self.root = None

    # processes

    def process(self, tid):
        pid = self.leaders.get(tid, tid)
        process = self.live.get(pid)
        if process:
            return process
        births = self.births.get(pid)
        if births:
            parent, vfork, cwd = births.pop(0)
            first = Image(pid, 0, parent, vfork, parent.exe, parent.argv)
            process = Process(pid, cwd, [first])
        else:
            process = Process(pid, self.cwd, [])
            self.root = self.root or process
        self.live[pid] = process
        self.processes.append(process)
        return process

    def born(self, call, flags):
        maker = self.process(call.tid)
        if "CLONE_THREAD" in flags:
            self.leaders[call.ret] = maker.pid
            return
        self.leaders.pop(call.ret, None)
        vfork = call.name == "vfork" or "CLONE_VM" in flags
        self.births.setdefault(call.ret, []).append((maker.images[-1], vfork, maker.cwd))

    def executed(self, call):
        process = self.process(call.tid)
        if call.name == "execve":
            path, arg = self.resolve(process, call.args[0]), call.args[1]
        else:
            path, arg = self.resolve_at(process, call.args[0], call.args[1]), call.args[2]
        before = process.images[-1] if process.images else None
        if before:
            before.last = False
        image = Image(process.pid, before.n + 1 if before else 1, before, False,
                      os.path.realpath(path), trace.strings(arg))
        process.images.append(image)

    def over(self, event):
        process = self.live.get(event.tid)
        if not process:
            # A thread, or a child that made no call we asked for.
            if event.tid in self.leaders:
                del self.leaders[event.tid]
                return
            process = self.process(event.tid)
        if process.images:
            image = process.images[-1]
            image.status, image.signal, image.ended = event.status, event.signal, True
        del self.live[event.tid]

    # paths

    def absolute(self, base, path):
        return os.path.join(base, path)

    def resolve(self, process, arg):
        return self.absolute(process.cwd, trace.string(arg)[0])

    def resolve_at(self, process, fd, arg):
        _, base, _ = trace.descriptor(fd)
        path = trace.string(arg)[0]
        if not path:
            return base
        return self.absolute(base or process.cwd, path)

    @staticmethod
    def entry(path):
        """The real path of a directory entry, which may itself be a symlink."""
        head, tail = os.path.split(path)
        return os.path.join(os.path.realpath(head), tail)

    # files

    def row(self, image, kind, path, hard=True, to=b""):
        if carries_data(path) or carries_data(to):
            rows = self.hard if hard and not self.doubtful else self.soft
            rows.add(Row(image, kind, path, to))

    def data(self, image, kind, path, n):
        if not path or not carries_data(path):
            return
        self.row(image, kind, path, n > 0)
        self.last_use[image, path] = self.now
        if self.doubtful:
            self.uncounted.add((image, path))
        self.bytes.setdefault((image, path), [0, 0])[kind == "write"] += n

    def is_there(self, path):
        there = self.present.get(path)
        return self.existed(path) if there is None else there

    def opened(self, image, path, flags):
        if not path or not carries_data(path) or "O_PATH" in flags:
            return
        there = self.is_there(path)
        if "O_TMPFILE" in flags:
            self.row(image, "create", path, False)
        elif "O_CREAT" in flags and ("O_EXCL" in flags or there is not True):
            self.row(image, "create", path, "O_EXCL" in flags or there is False)
            there = False
        if "O_TRUNC" in flags:
            self.row(image, "truncate", path, there is True)
            self.row(image, "write", path, False)
        self.present[path] = True

    def renamed(self, image, old, new, exchange):
        if old in self.links and self.links[old] is self.links.get(new):
            # Two names of one file: rename(2) does nothing, successfully.
            self.row(image, "rename", old, False, new)
            return
        self.row(image, "rename", old, True, new)
        first, second = self.links.pop(old, object()), self.links.pop(new, object())
        self.links[new] = first
        if exchange:
            self.links[old] = second
        if exchange:
            self.row(image, "rename", new, True, old)
        else:
            self.present[old] = False
        self.present[new] = True
        self.names.join(old, new)
        for path, there in list(self.present.items()):
            if there and path.startswith(old + b"/"):
                self.present[path] = False
                self.present[new + path[len(old):]] = True
                self.names.join(path, new + path[len(old):])

    # one event

    def take(self, event):
        self.now += 1
        if isinstance(event, trace.Exit):
            self.over(event)
        elif isinstance(event, trace.Superseded):
            self.leaders.pop(event.by, None)
        elif event.ok:
            handler = HANDLERS.get(event.name)
            if handler:
                handler(self, event)

    def loaded(self):
        """Libraries that must be listed: not the last ones of an image that was
        killed, perhaps while it loaded them."""
        busy = {}
        for (image, path), at in self.last_use.items():
            if (image, path) not in self.loads:
                busy[image] = max(at, busy.get(image, 0))
        return {(image, path) for (image, path), at in self.loads.items()
                if not image.signal or at < busy.get(image, 0)}

    def image_of(self, call):
        process = self.process(call.tid)
        if not process.images:
            process.images.append(Image(process.pid, 0, None))
        return process, process.images[-1]


def on_clone(truth, call):
    flags = b",".join(call.args).decode("ascii", "replace")
    if call.ret:
        truth.born(call, flags)


def on_open(truth, call):
    process, image = truth.image_of(call)
    truth.last_opened[process.pid, call.ret] = call.path
    if call.name == "creat":
        flags = "O_CREAT|O_TRUNC"
    else:
        flags = call.args[1 if call.name == "open" else 2].decode("ascii", "replace")
    # the recorder's own look at a program that is about to be executed
    if set(flags.split("|")) == {"O_RDONLY", "O_NOCTTY", "O_NONBLOCK", "O_CLOEXEC"}:
        truth.looks.add((image, call.path))
    truth.opened(image, call.path, flags)


def on_read(truth, call):
    _, image = truth.image_of(call)
    if call.name == "pread64" and call.args[2:4] == [b"5", b"0"] and \
            (image, trace.descriptor(call.args[0])[1]) in truth.looks:
        return
    truth.data(image, "read", trace.descriptor(call.args[0])[1], call.ret)


def on_write(truth, call):
    _, image = truth.image_of(call)
    truth.data(image, "write", trace.descriptor(call.args[0])[1], call.ret)


def on_transfer(truth, call):
    _, image = truth.image_of(call)
    source, target = TRANSFERS[call.name]
    truth.data(image, "read", trace.descriptor(call.args[source])[1], call.ret)
    truth.data(image, "write", trace.descriptor(call.args[target])[1], call.ret)


def on_ioctl(truth, call):
    process, image = truth.image_of(call)
    request = call.args[1]
    if request.startswith((b"FICLONE", b"BTRFS_IOC_CLONE")):
        source = re.search(rb"\d+<[^<>]*>(\(deleted\))?", call.args[2])
        target = trace.descriptor(call.args[0])[1]
        truth.row(image, "write", target)
        truth.uncounted.add((image, target))
        path = trace.descriptor(source.group(0))[1] if source else None
        if not path and call.args[2].isdigit():
            # of FICLONE strace tells only the number
            path = truth.last_opened.get((process.pid, int(call.args[2])))
        if path:
            truth.row(image, "read", path)
            truth.uncounted.add((image, path))


def on_mmap(truth, call):
    _, image = truth.image_of(call)
    path = trace.descriptor(call.args[4])[1]
    if not path or not carries_data(path):
        return
    prot, flags = call.args[2], call.args[3]
    if b"PROT_EXEC" in prot:
        truth.loads.setdefault((image, path), truth.now)
    truth.row(image, "read", path, b"PROT_READ" in prot)
    if b"MAP_SHARED" in flags:
        truth.row(image, "write", path, b"PROT_WRITE" in prot)


def on_truncate(truth, call):
    process, image = truth.image_of(call)
    if call.name == "ftruncate":
        path = trace.descriptor(call.args[0])[1]
    else:
        path = os.path.realpath(truth.resolve(process, call.args[0]))
    if not path:
        return
    if call.args[1] == b"0":
        truth.row(image, "truncate", path)
    truth.row(image, "write", path, call.args[1] != b"0")


def on_fallocate(truth, call):
    _, image = truth.image_of(call)
    truth.row(image, "write", trace.descriptor(call.args[0])[1] or b"")


def on_rename(truth, call):
    process, image = truth.image_of(call)
    a = call.args
    if call.name == "rename":
        old, new = truth.resolve(process, a[0]), truth.resolve(process, a[1])
    else:
        old, new = truth.resolve_at(process, *a[0:2]), truth.resolve_at(process, *a[2:4])
    exchange = len(a) > 4 and b"RENAME_EXCHANGE" in a[4]
    truth.renamed(image, truth.entry(old), truth.entry(new), exchange)


def on_link(truth, call):
    process, image = truth.image_of(call)
    a = call.args
    if call.name == "link":
        old, new = truth.resolve(process, a[0]), truth.resolve(process, a[1])
    else:
        old, new = truth.resolve_at(process, *a[0:2]), truth.resolve_at(process, *a[2:4])
        if old.startswith(b"/proc/self/fd/"):
            # Only here does strace tell the descriptor's name.
            number, path, _ = trace.descriptor(a[0])
            old = path if number is not None else old
    new = truth.entry(new)
    if not old.startswith(b"/proc/"):
        old = truth.entry(old)
        truth.names.join(old, new)
        truth.links[new] = truth.links.setdefault(old, object())
    truth.row(image, "link", old, True, new)
    truth.present[new] = True


def on_symlink(truth, call):
    process, image = truth.image_of(call)
    if call.name == "symlink":
        new = truth.resolve(process, call.args[1])
    else:
        new = truth.resolve_at(process, *call.args[1:3])
    truth.row(image, "symlink", trace.string(call.args[0])[0], True, truth.entry(new))
    truth.present[truth.entry(new)] = True


def on_unlink(truth, call):
    process, image = truth.image_of(call)
    if call.name == "unlink":
        path = truth.resolve(process, call.args[0])
    elif b"AT_REMOVEDIR" in call.args[2]:
        return
    else:
        path = truth.resolve_at(process, *call.args[0:2])
    path = truth.entry(path)
    truth.row(image, "unlink", path)
    truth.present[path] = False
    truth.links.pop(path, None)


def on_chdir(truth, call):
    process, _ = truth.image_of(call)
    if call.name == "chdir":
        process.cwd = os.path.realpath(truth.resolve(process, call.args[0]))
    else:
        process.cwd = trace.descriptor(call.args[0])[1] or process.cwd


def on_exec(truth, call):
    truth.executed(call)


HANDLERS = {
    **{name: on_clone for name in ("clone", "clone3", "fork", "vfork")},
    **{name: on_open for name in ("open", "openat", "openat2", "creat")},
    **{name: on_read for name in READS},
    **{name: on_write for name in WRITES},
    **{name: on_transfer for name in TRANSFERS},
    **{name: on_truncate for name in ("truncate", "ftruncate")},
    **{name: on_rename for name in ("rename", "renameat", "renameat2")},
    **{name: on_link for name in ("link", "linkat")},
    **{name: on_symlink for name in ("symlink", "symlinkat")},
    **{name: on_unlink for name in ("unlink", "unlinkat")},
    **{name: on_chdir for name in ("chdir", "fchdir")},
    **{name: on_exec for name in ("execve", "execveat")},
    "ioctl": on_ioctl, "mmap": on_mmap, "fallocate": on_fallocate,
}


def unreturned(events):
    """The calls that threads were killed in."""
    last, killed = {}, set()
    for event in events:
        if isinstance(event, trace.Call):
            last[event.tid] = event
        elif isinstance(event, trace.Exit):
            call = last.pop(event.tid, None)
            if call and call.name not in ("exit", "exit_group"):
                killed.add(id(call))
    return killed


def births_first(events):
    """A child may speak before its parent hears of it: moves each birth to
    just before the first event of the child."""
    makers = {}
    for at, event in enumerate(events):
        if isinstance(event, trace.Call) and event.ok and event.ret and \
                event.name in ("clone", "clone3", "fork", "vfork"):
            makers.setdefault(event.ret, []).append(at)
    alive, early, done = set(), {}, set()
    for at, event in enumerate(events):
        if at in done:
            continue
        tid = event.tid
        if tid not in alive:
            alive.add(tid)
            waiting = [m for m in makers.get(tid, []) if m not in done]
            if waiting and waiting[0] > at:
                early.setdefault(at, []).append(events[waiting[0]])
                done.add(waiting[0])
            elif waiting:
                done.add(waiting[0])
        if isinstance(event, trace.Exit):
            alive.discard(tid)
    moved = {id(call) for calls in early.values() for call in calls}
    for at, event in enumerate(events):
        yield from early.get(at, [])
        if id(event) not in moved:
            yield event


def build(lines, cwd, existed):
    truth = Truth(cwd, existed)
    events = list(trace.events(lines))
    killed = unreturned(events)
    for event in births_first(events):
        truth.doubtful = id(event) in killed
        truth.take(event)
    return truth
