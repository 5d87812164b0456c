# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""twice - a command bare, bare once more, and recorded: does prov change what it does?

Each run begins in an empty folder of the same name, with the same environment and no
terminal. Compared are exit status or signal, both outputs, and every file left behind:
kind, mode, bytes. What two bare runs do differently is not held against prov: of a
text that differs, the lines that agree are compared, and how much was left out is
said. Times of files are not compared.
"""
import ctypes
import hashlib
import os
import resource
import shutil
import signal
import stat
import subprocess

import suite

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
PR_SET_CHILD_SUBREAPER = 36
TEXT_MAX = 64 << 20
libc = ctypes.CDLL(None, use_errno=True)


class Outcome:
    """How one run ended and what it left, in a folder of its own."""

    def __init__(self, base, status, late, more=None):
        self.base, self.status, self.late = base, status, late
        self.more = more(self) if more and not late else {}

    def text(self, name):
        with open(os.path.join(self.base, name), "rb") as f:
            return f.read()

    def items(self):
        """What can be compared: name -> (kind, digest), read from disk once."""
        found = {**self.more, "status": ("status", self.status), "stdout": entry(os.path.join(self.base, "stdout")),
                 "stderr": entry(os.path.join(self.base, "stderr"))}
        top = os.path.join(self.base, "in")
        for folder, folders, names in os.walk(top):
            for name in folders + names:
                path = os.path.join(folder, name)
                found["in/" + os.path.relpath(path, top)] = entry(path)
        return found


def entry(path):
    """Kind, mode and content of one name; a folder's content are its own names."""
    try:
        st = os.lstat(path)
        if stat.S_ISLNK(st.st_mode):
            return "link", os.readlink(path)
        mode = oct(st.st_mode)
        if stat.S_ISREG(st.st_mode):
            digest = hashlib.sha256()
            with open(path, "rb") as f:
                while piece := f.read(1 << 20):
                    digest.update(piece)
            return mode, digest.hexdigest()
        return mode, st.st_rdev
    except OSError as e:
        return "error", e.errno


class Tally:
    """How much was compared, in items and in bytes of those that are files."""

    def __init__(self):
        self.whole = self.parts = self.left = 0
        self.omitted = []

    def __str__(self):
        text = f"{self.whole} of {self.whole + self.parts + self.left} items whole"
        if self.parts:
            text += f", {self.parts} by the lines that agree bare"
        if self.left:
            text += f", {self.left} not ({', '.join(sorted(self.omitted)[:4])})"
        return text


def lines_of(outcome, key):
    path = os.path.join(outcome.base, key)
    if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > TEXT_MAX:
        return None
    text = outcome.text(key)
    return None if b"\0" in text else text.split(b"\n")


def compare_lines(key, bare, recorded):
    """The lines on which all bare runs agree: None if there are none to speak of."""
    texts = [lines_of(o, key) for o in bare]
    if None in texts or len({len(t) for t in texts}) != 1:
        return None
    steady = [(n, same[0]) for n, same in enumerate(zip(*texts)) if len(set(same)) == 1]
    if not steady:
        return None
    have = lines_of(recorded, key)
    if have is None or len(have) != len(texts[0]):
        return [f"{key}: {len(texts[0])} lines bare, {'no text' if have is None else len(have)} recorded"]
    wrong = [(n, line) for n, line in steady if have[n] != line]
    return [f"{key}:{n + 1}: {line[:200]!r} is {have[n][:200]!r} under prov" for n, line in wrong[:3]]


def is_file(outcome, key):
    return os.path.isfile(os.path.join(outcome.base, key))


def first_difference(key, bare, recorded):
    a, b = lines_of(bare, key), lines_of(recorded, key)
    if a is None or b is None:
        return f"{key}: another content under prov"
    for n, (x, y) in enumerate(zip(a, b), 1):
        if x != y:
            return f"{key}:{n}: {x[:200]!r} is {y[:200]!r} under prov"
    return f"{key}: {len(a)} lines bare, {len(b)} under prov: {(a + b)[min(len(a), len(b))][:200]!r}"


def compare(bare, recorded, tally, keep=lambda key: True):
    """What differs, as {item: sentence}."""
    known, have = [o.items() for o in bare], recorded.items()
    steady_names = len({frozenset(k for k in items if keep(k)) for items in known}) == 1
    wrong = {}
    for key in sorted(set().union(have, *known)):
        values = [items.get(key) for items in known]
        if not keep(key):
            continue
        if len(set(values)) == 1 and values[0] is not None:
            tally.whole += 1
            if have.get(key) == values[0]:
                continue
            if key not in have or have[key][0] != values[0][0] or not is_file(bare[0], key):
                wrong[key] = f"{key}: {values[0]!r} is {have.get(key)!r} under prov"
            else:
                wrong[key] = first_difference(key, bare[0], recorded)
        elif not any(values) and steady_names:
            wrong[key] = f"{key}: only under prov: {have[key]!r}"
        else:
            said = None if None in values or key not in have else compare_lines(key, bare, recorded)
            if said is None:
                tally.left += 1
                tally.omitted.append(key)
            else:
                tally.parts += 1
                if said:
                    wrong[key] = "\n".join(said)
    return wrong


def lead():
    """In the child: a session of its own, whose leader waits and ends as the command does.
    The command itself is a group leader and nothing more, bare as recorded."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        return
    os.closerange(0, 64)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        if os.WTERMSIG(status) != signal.SIGKILL:
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.waitstatus_to_exitcode(status))


class Place:
    """A folder in which one command at a time runs, and the prov it runs under."""

    def __init__(self, prov, base):
        self.prov, self.base, self.n = prov, base, 0
        os.makedirs(base)
        # What a daemon leaves behind comes to us, and is waited for.
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1)

    def environment(self, extra):
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": os.path.join(self.base, "home"),
               "TMPDIR": os.path.join(self.base, "tmp"), "PROV_STORE": os.path.join(self.base, "store", "p.db"),
               "LC_ALL": "C", "TZ": "UTC", "USER": "root", "LOGNAME": "root", "SHELL": "/bin/sh"}
        env.update(extra or {})
        return {name: value for name, value in env.items() if value is not None}

    def run(self, command, recorded, env=None, prepare=None, limit=600, more=None):
        """One run from nothing; its outcome lies in a new folder below base."""
        work = os.path.join(self.base, "in")
        for name in ("in", "home", "tmp", "store"):
            remove(os.path.join(self.base, name))
            os.makedirs(os.path.join(self.base, name), 0o700)
        if prepare:
            prepare(work)
        self.n += 1
        kept = os.path.join(self.base, f"run{self.n}")
        os.makedirs(kept)
        if recorded:
            command = [self.prov, "run", "--quiet", "--", *command]
        with open(os.path.join(kept, "stdout"), "wb") as out, open(os.path.join(kept, "stderr"), "wb") as err:
            p = subprocess.Popen(command, cwd=work, env=self.environment(env), stdin=subprocess.DEVNULL,
                                 stdout=out, stderr=err, preexec_fn=lead)
            late = False
            try:
                status = p.wait(limit)
            except subprocess.TimeoutExpired:
                late, status = True, None
                p.kill()
                p.wait()
            end_session(p.pid)
        os.rename(work, os.path.join(kept, "in"))
        return Outcome(kept, status, late, more)


def end_session(leader):
    """Whatever is left of a session, also what has a process group of its own."""
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == leader:
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as f:
                session = int(f.read().rsplit(b")", 1)[1].split()[3])
            if session == leader:
                os.kill(int(name), signal.SIGKILL)
                os.waitpid(int(name), 0)
        except OSError:
            continue


def remove(path):
    """A tree that a test may have made unreadable."""
    def again(function, name, _):
        try:
            os.chmod(os.path.dirname(name), 0o700)
            os.chmod(name, 0o700)
            function(name)
        except OSError:
            pass
    if os.path.lexists(path):
        shutil.rmtree(path, onerror=again)


def ask(place, *words):
    """What prov says of the last recorded run of that place."""
    env = {**place.environment(None), "COLUMNS": "100"}
    done = subprocess.run([place.prov, *words], env=env, cwd="/", check=False, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise suite.Failed(f"prov {' '.join(words)}: {done.stdout.decode()}")
    return done.stdout.decode()


class Verdict:
    """wrong: what differs and came back; once: what differed and did not."""

    def __init__(self, wrong, once, tally, bare, recorded):
        self.wrong, self.once, self.tally, self.bare, self.recorded = wrong, once, tally, bare, recorded


def judge(place, command, env=None, prepare=None, limit=600, keep=lambda key: True, more=None, rounds=3):
    """Bare, bare and recorded. What then differs gets more rounds: it is prov's doing if no
    bare run ever does it, and it comes back."""
    first = place.run(command, False, env, prepare, limit, more)
    if first.late:
        return Verdict([], [], Tally(), [first], [])

    def one(recorded):
        return place.run(command, recorded, env, prepare, 3 * limit, more)
    bare, recorded = [first, one(False)], [one(True)]
    tally = Tally()
    if compare(bare, recorded[0], tally, keep):
        for _ in range(rounds):
            bare.append(one(False))
            recorded.append(one(True))
    seen, text = {}, {}
    for outcome in recorded:
        tally = Tally()
        for key, sentence in compare(bare, outcome, tally, keep).items():
            seen[key] = seen.get(key, 0) + 1
            text[key] = sentence
    often = 1 if rounds == 0 else 2
    return Verdict([text[k] for k in text if seen[k] >= often], [text[k] for k in text if seen[k] < often],
                   tally, bare, recorded)
