# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""files.py - licence, size and letters of every file"""
import re

import tree

# Cannot carry a comment, or are compared byte by byte.
BARE = {"LICENSE", "VERSION", "NEWS", "NOTICE"}
BARE_ENDS = (".json", ".svg", ".png", ".bin", ".golden", ".expected", ".dot", ".txt")
BARE_FOLDERS = ("fuzz/corpus/",)

LICENCE = "SPDX-License-Identifier: Apache-2.0"
LICENCE_BPF = "SPDX-License-Identifier: GPL-2.0-only"
OWNER = "Copyright the prov authors"

# Past this a second noun has crept in; see HACKING.md.
LINES_MAX = 500
COLUMNS_MAX = 100

# Put together here so that this file does not hold them itself.
MARKS = re.compile(r"\b(" + "|".join(["TO" "DO", "FIX" "ME", "HA" "CK", "X" "XX:"]) +
                   r")(?!\w)|[*/#] *X" r"XX\b")
PLACES = re.compile("|".join([
    r"/wor" r"k/(main|shared)", r"/tm" r"p/b-", r"fresh-" r"machine", r"deb\.deb" r"ian\.org",
    r"snapshot\.deb" r"ian", r"pypi\." r"org", r"docker\." r"io", r"ghcr\." r"io",
    r"npmjs\." r"(com|org)", r"crates\." r"io", r"conda\.ana" r"conda"]))


def exempt(path):
    return path in BARE or path.startswith(BARE_FOLDERS) or path.endswith(BARE_ENDS)


def source(path):
    return path.endswith((".c", ".h"))


def texts(root):
    for path in tree.paths(root):
        content = tree.text(root, path)
        if content is not None and not path.startswith(BARE_FOLDERS):
            yield path, content


def licensed(root):
    found = []
    for path, content in texts(root):
        if exempt(path):
            continue
        head = "\n".join(content.split("\n")[:5])
        want = LICENCE_BPF if path.endswith(".bpf.c") else LICENCE
        if want not in head:
            found.append(f"{path}: no line {want}")
        if OWNER not in head:
            found.append(f"{path}: no line {OWNER}")
    return found


def short(root):
    found = []
    for path, content in texts(root):
        n = content.count("\n")
        if n > LINES_MAX and path.endswith((".c", ".h", ".py", ".sh")):
            found.append(f"{path}: {n} lines; at most {LINES_MAX}")
    return found


def narrow(root):
    found = []
    for path, content in texts(root):
        if not source(path):
            continue
        for number, line in enumerate(content.split("\n"), 1):
            if len(line.expandtabs(8)) > COLUMNS_MAX:
                found.append(f"{path}:{number}: wider than {COLUMNS_MAX} columns")
    return found


def unmarked(root):
    found = []
    for path, content in texts(root):
        for number, line in enumerate(content.split("\n"), 1):
            for pattern in (MARKS, PLACES):
                word = pattern.search(line)
                if word and path != "LICENSE":
                    found.append(f"{path}:{number}: says {word.group(0)}")
    return found


def clean(root):
    found = []
    for path, content in texts(root):
        if path == "LICENSE" or path.endswith((".golden", ".expected", ".svg")):
            continue
        if content and not content.endswith("\n"):
            found.append(f"{path}: no newline at its end")
        for number, line in enumerate(content.split("\n"), 1):
            if line.endswith("\r"):
                found.append(f"{path}:{number}: carriage return")
            elif line != line.rstrip():
                found.append(f"{path}:{number}: blanks at the end of the line")
            if source(path) and re.match(r"\t* {8}", line):
                found.append(f"{path}:{number}: indented by blanks; use tabs")
            if source(path) and re.match(r"\t* +\t", line):
                found.append(f"{path}:{number}: blank before a tab")
            if path.endswith(".py") and re.match(r" *\t", line):
                found.append(f"{path}:{number}: tab in Python")
    return found


HEAD = f"/* {LICENCE} */\n/* {OWNER} */\n"
lint = tree.Lint()
lint.holds("every file names its licence and its owner", licensed)
lint.finds("a file without licence is found", licensed, "src/base/planted.c", "int a;\n")
lint.finds("a script without licence is found", licensed, "tools/planted", "#!/bin/sh\n")
lint.finds("another licence is found", licensed, "src/base/planted.h",
           HEAD.replace("Apache-2.0", "MIT"))
lint.finds("a kernel program under the wrong licence is found", licensed,
           "capture/bpf/planted.bpf.c", HEAD)
lint.holds(f"no source file is longer than {LINES_MAX} lines", short)
lint.finds("a file that is too long is found", short, "src/base/planted.c", "\n" * 501)
lint.holds(f"no line of C is wider than {COLUMNS_MAX} columns", narrow)
lint.finds("a line that is too wide is found", narrow, "src/base/planted.c", "\t" * 13 + "\n")
lint.holds("no file has unfinished marks or names places outside the project", unmarked)
lint.finds("an unfinished mark is found", unmarked, "src/base/planted.c", "/* TO" "DO */\n")
lint.finds("a host of packages is found", unmarked, "tools/planted", "curl pypi." "org\n")
lint.finds("a path of one machine is found", unmarked, "doc/planted.md", "/work/" "main/x\n")
lint.holds("every file ends with a newline and indents one way", clean)
lint.finds("a missing newline is found", clean, "src/base/planted.c", "int a;")
lint.finds("blanks at the end of a line are found", clean, "doc/planted.md", "a \n")
lint.finds("a carriage return is found", clean, "tools/planted", "a\r\n")
lint.finds("C that indents by blanks is found", clean, "src/base/planted.c", " " * 8 + "int a;\n")
lint.finds("a tab in Python is found", clean, "t/planted.py", "if 1:\n\tpass\n")
lint.end()
