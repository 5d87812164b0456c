# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""docs.py - what the documents and build files name exists, and is all there is"""
import fnmatch
import os
import re

import tree

# `src/LAYER/t_NAME.c` stands for any; a folder may end in a slash.
PATH = re.compile(r"`(?:\./)?((?:src|capture|include|t|tools|man|doc|fuzz|bench|demo|contrib|\.ci)"
                  r"/[\w./*+-]*|[A-Z]+\.md|Makefile|LICENSE|NEWS|VERSION|meson\.build)`")
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)")


def exists(files, path):
    pattern = re.sub(r"[A-Z]{3,}(?!\w*\.md)", "*", path.rstrip("/"))
    if path in files or any(p.startswith(path.rstrip("/") + "/") for p in files):
        return True
    return "*" in pattern and any(fnmatch.fnmatchcase(p, pattern) or
                                  fnmatch.fnmatchcase(p, pattern + "/*") for p in files)


def named(root):
    files = set(tree.paths(root))
    found = []
    for path in sorted(p for p in files if p.endswith(".md")):
        for number, line in enumerate((tree.text(root, path) or "").split("\n"), 1):
            for name in PATH.findall(line):
                if not exists(files, name):
                    found.append(f"{path}:{number}: names {name}, which does not exist")
            for name in LINK.findall(line):
                target = os.path.normpath(os.path.join(os.path.dirname(path), name))
                if not exists(files, target):
                    found.append(f"{path}:{number}: links to {name}, which does not exist")
    return found


def indexed(root):
    index = tree.text(root, "doc/README.md") or ""
    return [f"{path}: not in the index, doc/README.md" for path in tree.paths(root)
            if path.startswith("doc/") and path.endswith(".md") and path != "doc/README.md"
            and os.path.basename(path) not in index]


def built(root):
    """A source, unit test or fuzz target that no meson.build names is dead."""
    found = []
    for path in tree.paths(root):
        folder, name = os.path.split(path)
        if not path.startswith(("src/", "fuzz/fuzz_")) or not name.endswith(".c"):
            continue
        build = os.path.join(folder, "meson.build")
        content = tree.text(root, build) if os.path.exists(os.path.join(root, build)) else ""
        word = name[len("fuzz_"):-len(".c")] if folder == "fuzz" else name
        if not re.search(r"\b" + re.escape(word) + r"\b", content):
            found.append(f"{path}: not built by {build}")
    return found


def listed(root):
    """A program of t/ that no meson.build lists would never run."""
    lists = "".join(tree.text(root, p) for p in tree.paths(root) if p.endswith("meson.build"))
    found = []
    for path in tree.paths(root):
        lint = re.fullmatch(r"t/lint/(\w+)\.py", path)
        if path.startswith(("t/workloads/", "t/lint/")) and not lint or path == "t/lint/tree.py":
            continue
        if lint:
            name = lint.group(1)
        elif path.startswith("t/") and os.access(os.path.join(root, path), os.X_OK):
            name = path[len("t/"):]
        else:
            continue
        if f"'{name}'" not in lists:
            found.append(f"{path}: no test of any meson.build")
    return found


lint = tree.Lint()
lint.holds("every path that a document names exists", named)
lint.finds("a path that does not exist is found", named, "HACKING.md",
           lambda old: old + "\n`src/base/nowhere.c`\n")
lint.finds("a link that leads nowhere is found", named, "doc/planted.md", "[x](nowhere.md)\n")
lint.holds("the index of doc/ is complete", indexed)
lint.finds("a document outside of the index is found", indexed, "doc/planted.md", "\n")
lint.holds("every source file is built", built)
lint.finds("a source file that is not built is found", built, "src/base/planted.c", "\n")
lint.finds("a fuzz target that is not built is found", built, "fuzz/fuzz_planted.c", "\n")
lint.holds("every test program is listed", listed)
lint.finds("a test program that is not listed is found", listed, "t/lint/planted.py", "\n")
lint.end()
