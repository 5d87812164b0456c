# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""tree.py - the files of the project, and a copy of them to plant errors in

A check is a function from the root of a tree to a list of sentences, each
beginning with the path it is about. It is shown to work before it is believed:
an error planted in a copy of the whole tree must be found, and by name.
"""
import atexit
import os
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tools"))
import tap  # noqa: E402


def paths(root):
    """Every file that is or may become part of the project, sorted."""
    if os.path.exists(os.path.join(root, ".git")):
        listed = subprocess.run(
            ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z", "--cached", "--others",
             "--exclude-standard"], check=True, stdout=subprocess.PIPE).stdout
        found = [os.fsdecode(path) for path in listed.split(b"\0") if path]
    else:
        found = []
        for folder, folders, names in os.walk(root):
            folders[:] = [d for d in folders if d != "__pycache__" and not (
                folder == root and d.startswith("build"))]
            found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return sorted({p for p in found if os.path.isfile(os.path.join(root, p))})


def text(root, path):
    """The file as text, or None where it is none."""
    with open(os.path.join(root, path), "rb") as f:
        raw = f.read()
    if b"\0" in raw:
        return None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None


class Lint:
    """One lint program: checks of the tree, then proofs that they can fail."""

    def __init__(self):
        self.report = tap.Report()
        self.copy = None

    def holds(self, fact, check):
        found = check(TOP)
        self.report.ok(not found, fact, *found)

    def finds(self, fact, check, path, content):
        """Content (text, bytes, or a function of the present text) at path in
        a copy of the tree makes the check name that path."""
        if self.copy is None:
            self.copy = tempfile.mkdtemp(prefix="prov-lint-")
            atexit.register(shutil.rmtree, self.copy, ignore_errors=True)
            for p in paths(TOP):
                os.makedirs(os.path.dirname(os.path.join(self.copy, p)), exist_ok=True)
                shutil.copy(os.path.join(TOP, p), os.path.join(self.copy, p))
        target = os.path.join(self.copy, path)
        before = None
        if os.path.exists(target):
            with open(target, "rb") as f:
                before = f.read()
        if callable(content):
            content = content((before or b"").decode())
        if isinstance(content, str):
            content = content.encode()
        known = set(check(self.copy))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as f:
            f.write(content)
        found = [line for line in check(self.copy) if line not in known]
        self.report.ok(any(line.startswith(path) for line in found), fact,
                       f"planted in {path}, found: {found}")
        if before is None:
            os.remove(target)
        else:
            with open(target, "wb") as f:
                f.write(before)

    def end(self):
        sys.exit(self.report.end())
