# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""limits.py - doc/limits.md names every limit of the sources, with its number"""
import os
import re

import tree

DOCUMENT = "doc/limits.md"
LIMIT = re.compile(r"^\s*(?:#\s*define\s+|enum \{ )(\w+_(?:MAX|MOST|KEPT|MORE|ROOM|ROOMS|TABLE|TABLES|"
                   r"NEAR|LIMIT)|SCRATCHES|DEEPEST|SHOWN)\s+(?:=\s*)?([^/\n}]+)", re.M)
ROW = re.compile(r"^\| ((?:`\w+`(?:, )?)+) \| `([\w./]+)` \| ([\d, ]+) \|", re.M)


def sources(root):
    """File and name of each limit, and the text of its value."""
    found = {}
    for path in tree.paths(root):
        name = os.path.basename(path)
        if not path.startswith(("src/", "capture/", "include/")) or not path.endswith((".c", ".h")):
            continue
        if name.startswith(("t_", "world")):
            continue
        for limit, value in LIMIT.findall(tree.text(root, path) or ""):
            found[path, limit] = value
    return found


def number(found, text):
    """What a constant expression of the sources is, names included."""
    named = {limit: value for (_, limit), value in found.items()}
    for _ in range(3):
        text = re.sub(r"[A-Z]\w+", lambda m: "(%s)" % named.get(m.group(0), "0"), text)
    text = re.sub(r"(?<=\d)u\b", "", text).strip()
    return eval(text, {"__builtins__": {}}) if re.fullmatch(r"[\d\s()<*+-]+", text) else None


def wrong(root):
    document = tree.text(root, DOCUMENT) or ""
    found, out = sources(root), []
    for names, path, values in ROW.findall(document):
        names, values = re.findall(r"\w+", names), [int(v) for v in values.split(",")]
        for name, value in zip(names, values):
            if (path, name) not in found:
                out.append(f"{DOCUMENT}: {path} has no {name}")
            elif number(found, found[path, name]) != value:
                out.append(f"{DOCUMENT}: {name} is not {value} in {path}")
        if len(names) != len(values):
            out.append(f"{DOCUMENT}: {', '.join(names)}: not one number each")
    return out


def missing(root):
    document = tree.text(root, DOCUMENT) or ""
    return [f"{path}: {name} is not in {DOCUMENT}" for path, name in sorted(sources(root))
            if f"`{name}`" not in document]


lint = tree.Lint()
lint.holds("every limit in the sources is in the document", missing)
lint.finds("a limit that is missing is found", missing, "src/base/planted.h", "#define PLANTED_MAX 7\n")
lint.holds("the numbers of the document are those of the sources", wrong)
lint.finds("a number that is wrong is found", wrong, DOCUMENT,
           lambda old: old.replace("| 3072 |", "| 3071 |"))
lint.finds("a limit that is gone is found", wrong, DOCUMENT,
           lambda old: old.replace("`ARGV_MOST`", "`ARGV_GONE`"))
lint.end()
