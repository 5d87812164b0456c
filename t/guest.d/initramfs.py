# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""initramfs.py - a root folder in memory: programs of this machine and what they need"""
import os
import re
import stat
import subprocess

# Folders that programs expect.
EMPTY = ("dev", "proc", "sys", "tmp", "mnt", "run", "root", "etc", "var/tmp")


def libraries(program):
    """Shared libraries and loader; none of a program that is linked statically."""
    said = subprocess.run(["ldd", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, env=dict(os.environ, LC_ALL="C")).stdout
    lacking = re.findall(r"(\S+) => not found", said)
    if lacking:
        raise FileNotFoundError(f"{program} needs {lacking}")
    return re.findall(r"(?:=>\s+|^\s+)(/\S+) \(0x", said, re.M)


class Initramfs:
    """Files by path; of this machine they keep their paths, links included."""

    def __init__(self):
        self.entries = {}
        for name in EMPTY:
            self._folders("/" + name + "/")

    def _folders(self, path):
        for i in range(1, len(path)):
            if path[i] == "/":
                self.entries.setdefault(path[:i], (stat.S_IFDIR | 0o755, b""))

    def put(self, path, data, mode=0o644):
        self._folders(path)
        self.entries[path] = (stat.S_IFREG | mode, data)

    def link(self, path, target):
        self._folders(path)
        self.entries[path] = (stat.S_IFLNK | 0o777, os.fsencode(target))

    def file(self, path):
        """A file, folder or link, with what leads to it."""
        folder, name = os.path.split(os.path.abspath(path))
        if folder != "/":
            self.file(folder)
        path = os.path.join(os.path.realpath(folder), name)
        if os.path.islink(path):
            target = os.readlink(path)
            self.link(path, target)
            self.file(os.path.normpath(os.path.join(os.path.dirname(path), target)))
        elif os.path.isdir(path):
            self.entries.setdefault(path, (stat.S_IFDIR | 0o755, b""))
        elif path not in self.entries:
            with open(path, "rb") as f:
                self.put(path, f.read(), stat.S_IMODE(os.stat(path).st_mode))

    def program(self, path):
        for needed in [path, *libraries(path)]:
            self.file(needed)

    def write(self, path):
        """As cpio's "newc", which the kernel unpacks; uncompressed, because an
        emulated processor takes longer to inflate than to copy."""
        with open(path, "wb") as out:
            for ino, name in enumerate(sorted(self.entries), 1):
                _member(out, ino, name.lstrip("/"), *self.entries[name])
            _member(out, 0, "TRAILER!!!", 0, b"")


def _member(out, ino, name, mode, data):
    raw = os.fsencode(name) + b"\0"
    # inode, mode, uid, gid, links, mtime, size, device of the file and of what it stands for, name, sum
    fields = (ino, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(raw), 0)
    out.write(b"070701" + b"".join(b"%08x" % n for n in fields) + raw)
    _pad(out)
    out.write(data)
    _pad(out)


def _pad(out):
    out.write(bytes(-out.tell() % 4))
