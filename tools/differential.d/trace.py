# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""trace - what strace -f -y -o wrote, as calls and exits

Text is bytes throughout: paths need not be UTF-8. A call that another thread
interrupted ("unfinished ...", "resumed") is one call, placed where it ended.
"""
import dataclasses
import re
import signal

LINE = re.compile(rb"(\d+) +(.*)", re.S)
NAME = re.compile(rb"([a-z0-9_]+)\(")
RESUMED = re.compile(rb"<\.\.\. ([a-z0-9_]+|\?\?\?) resumed>(.*)", re.S)
UNFINISHED = re.compile(rb" ?<unfinished \.\.\.>$")
PID_CHANGED = re.compile(rb" ?<pid changed to (\d+) \.\.\.>$")
EXITED = re.compile(rb"\+\+\+ exited with (\d+) \+\+\+$")
KILLED = re.compile(rb"\+\+\+ killed by (SIG\S+|[A-Z0-9_]+).*\+\+\+$")
SUPERSEDED = re.compile(rb"\+\+\+ superseded by execve in pid (\d+) \+\+\+$")
RESULT = re.compile(rb"\s*= (-?(?:0x)?[0-9a-f]+|\?)(.*)$", re.S)
ANNOTATION = re.compile(rb"<((?:/|[a-zA-Z_]+:)[^<>]*)>(\(deleted\))?")
ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{2}|[0-7]{1,3}|.)", re.S)
LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"v": b"\v", b"f": b"\f", b"a": b"\a",
           b"b": b"\b", b"e": b"\x1b"}
OPENING = {ord("("): ord(")"), ord("["): ord("]"), ord("{"): ord("}")}


class Unreadable(Exception):
    """A line this module does not understand: the truth would have a hole."""


@dataclasses.dataclass
class Call:
    tid: int
    name: str
    args: list
    ret: int | None          # None: did not return, or will be restarted
    path: bytes | None       # of the descriptor it returned

    @property
    def ok(self):
        return self.ret is not None and self.ret >= 0


@dataclasses.dataclass
class Exit:
    tid: int
    status: int | None
    signal: int


@dataclasses.dataclass
class Superseded:
    """Thread `by` of process `tid` called execve; from here on it is `tid`."""
    tid: int
    by: int


def unescape(text):
    def one(match):
        code = match.group(1)
        if code[:1] == b"x" and len(code) == 3:
            return bytes([int(code[1:], 16)])
        if code[:1].isdigit():
            return bytes([int(code, 8) & 255])
        return LETTERS.get(code, code)
    return ESCAPE.sub(one, text)


def skip_string(text, at):
    """The place after the string that begins at text[at]."""
    at += 1
    while at < len(text):
        if text[at] == ord("\\"):
            at += 2
            continue
        if text[at] == ord('"'):
            return at + 1
        at += 1
    raise Unreadable("a string does not end")


def split(text, at):
    """Arguments from text[at] to the bracket that closes them, and the place
    after it."""
    args, start, depth = [], at, []
    while at < len(text):
        c = text[at]
        if c == ord('"'):
            at = skip_string(text, at)
            continue
        if c == ord("<"):
            annotation = ANNOTATION.match(text, at)
            if annotation:
                at = annotation.end()
                continue
        elif text.startswith(b"/*", at):
            at = text.index(b"*/", at) + 2
            continue
        elif c in OPENING:
            depth.append(OPENING[c])
        elif depth and c == depth[-1]:
            depth.pop()
        elif c == ord(")"):
            if text[start:at].strip() or args:
                args.append(text[start:at].strip())
            return args, at + 1
        elif c == ord(",") and not depth:
            args.append(text[start:at].strip())
            start = at + 1
        at += 1
    raise Unreadable("the arguments do not end")


def call(tid, text):
    head = NAME.match(text)
    if not head:
        raise Unreadable("not a call")
    args, at = split(text, head.end())
    result = RESULT.match(text, at)
    if not result:
        raise Unreadable("no result")
    value, rest = result.groups()
    ret = None if value == b"?" else int(value, 0 if value.startswith(b"0x") else 10)
    path = ANNOTATION.match(rest)
    return Call(tid, head.group(1).decode(), args, ret,
                unescape(path.group(1)) if path else None)


def events(lines):
    """Yields Call, Exit and Superseded in the order in which they were over."""
    pending = {}
    superseded = set()
    for number, line in enumerate(lines, 1):
        line = line.rstrip(b"\n")
        match = LINE.match(line)
        if not match:
            raise Unreadable(f"line {number}: no process id: {line[:200]!r}")
        tid, text = int(match.group(1)), match.group(2)
        try:
            if text.startswith(b"---"):
                continue
            if text.startswith(b"+++"):
                yield from ending(tid, text, pending, superseded)
                continue
            resumed = RESUMED.match(text)
            if resumed:
                name, rest = resumed.groups()
                if name == b"???":  # killed before it came back
                    pending.pop(tid, None)
                    continue
                if tid not in pending or not pending[tid].startswith(name + b"("):
                    # Begun before we looked, as a thread's first return is.
                    continue
                text = pending.pop(tid) + rest
                done = call(tid, text)
                if tid in superseded and done.name.startswith("execve"):
                    # strace prints the number of the call as its result here.
                    superseded.discard(tid)
                    done.ret = 0
                yield done
                continue
            cut = UNFINISHED.search(text) or PID_CHANGED.search(text)
            if cut:
                pending[tid] = text[:cut.start()]
                continue
            yield call(tid, text)
        except Unreadable as e:
            raise Unreadable(f"line {number}: {e}: {line[:200]!r}") from None
        except ValueError as e:
            raise Unreadable(f"line {number}: {e}: {line[:200]!r}") from None


def ending(tid, text, pending, superseded):
    exited, killed, other = EXITED.match(text), KILLED.match(text), SUPERSEDED.match(text)
    if other:
        by = int(other.group(1))
        pending[tid] = pending.pop(by)
        superseded.add(tid)
        yield Superseded(tid, by)
        return
    pending.pop(tid, None)
    if exited:
        yield Exit(tid, int(exited.group(1)), 0)
    elif killed:
        yield Exit(tid, None, signal_number(killed.group(1).decode()))
    else:
        raise Unreadable("not an end")


def signal_number(name):
    if name.startswith("SIGRT_"):
        return int(signal.SIGRTMIN) + int(name[6:]) - 2
    return int(getattr(signal, name))


def descriptor(arg):
    """(number or None for AT_FDCWD, path, deleted) of an annotated descriptor."""
    at = arg.find(b"<")
    if at < 0:
        return None, None, False
    annotation = ANNOTATION.match(arg, at)
    if not annotation:
        return None, None, False
    number = int(arg[:at]) if arg[:at].isdigit() else None
    return number, unescape(annotation.group(1)), bool(annotation.group(2))


def string(arg):
    """(bytes, whole) of a quoted argument; whole is false where strace cut it."""
    if not arg.startswith(b'"'):
        return b"", arg == b"NULL"
    end = skip_string(arg, 0)
    return unescape(arg[1:end - 1]), not arg[end:].startswith(b"...")


def strings(arg):
    """A list of strings as execve has it: [(bytes, whole)...]; None in place
    of what strace left out."""
    if not arg.startswith(b"["):
        return []
    items, _ = split(arg[:-1] + b")", 1)
    return [None if item == b"..." else string(item) for item in items]
