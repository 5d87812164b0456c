# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""layers.py - every #include points downward

The permissions are those of doc/design.md, "Layers". A header is found the way
the compiler finds it: beside the includer, then under src/ and include/.
"""
import os
import re

import tree

# Each may include itself and what stands before it.
ORDER = ["base", "model", "event", "journal", "engine", "aggregate", "build", "store", "ingest",
         "record", "format", "query", "prov", "provd"]
# A format takes graphs, a query makes them; neither knows the other.
STRANGERS = {("format", "query"), ("query", "format"), ("prov", "provd"), ("provd", "prov")}
# Who may know the wire: behind the engine there are only facts.
WIRE = {"event", "journal", "engine", "aggregate", "record", "prov", "provd"}

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
GENERATED = {"config.h"}


def resolve(root, path, name):
    """Where an include leads inside the project, or None."""
    for folder in (os.path.dirname(path), "src", "include", "capture"):
        candidate = os.path.normpath(os.path.join(folder, name))
        if os.path.isfile(os.path.join(root, candidate)):
            return candidate
    return None


def zone(path):
    """("src", layer), ("capture", part) or (folder, "")."""
    parts = path.split("/")
    if parts[0] in ("src", "capture") and len(parts) > 2:
        return parts[0], parts[1]
    return parts[0], ""


def forbidden(source, target):
    """Why a file may not include another; "" where it may."""
    (top, layer), (to, to_layer) = zone(source), zone(target)
    if to == "include":
        if top == "src" and layer not in WIRE:
            return "only " + ", ".join(sorted(WIRE)) + " know the wire"
        return ""
    if top == "include":
        return "the contract includes nothing of ours"
    if top == "capture":
        if to == "capture" and to_layer in (layer, "shim"):
            return ""
        return "the guest includes only include/prov and capture/shim"
    if top == "src":
        if to != "src" or layer not in ORDER or to_layer not in ORDER:
            return "no layer"
        if (layer, to_layer) in STRANGERS:
            return "neither may know the other"
        if ORDER.index(to_layer) > ORDER.index(layer):
            return "the arrow points up"
        return ""
    if top in ("fuzz", "bench", "t"):
        # t/ runs the guest's shim under sanitizers, bench/ builds variants of it
        return "" if to in ("src", top) or target.startswith("capture/shim/") \
            else "only the layers of src"
    return "" if to == top else "a program of its own includes only include/prov"


def check(root):
    found = []
    for path in tree.paths(root):
        if not path.endswith((".c", ".h")):
            continue
        for form, name in INCLUDE.findall(tree.text(root, path) or ""):
            target = resolve(root, path, name)
            if target is None:
                if form == '"' and name not in GENERATED:
                    found.append(f'{path}: includes "{name}", which does not exist')
                continue
            if target.startswith("/") or target.startswith(".."):
                found.append(f'{path}: includes "{name}", outside of the project')
                continue
            why = forbidden(path, target)
            if why:
                found.append(f"{path}: includes {target}: {why}")
    return found


def folders(root):
    """A folder that is no layer has no place in the order."""
    return [f"{path}: lies in no layer of doc/design.md" for path in tree.paths(root)
            if zone(path)[0] == "src" and zone(path)[1] not in ORDER + [""]]


lint = tree.Lint()
lint.holds("every include points downward", check)
lint.holds("every folder of src is a layer", folders)
for fact, path, line in [
        ("an upward include is found", "src/base/planted.c", '"store/store.h"'),
        ("an upward include in angle brackets is found", "src/model/planted.h", "<query/query.h>"),
        ("an upward include by a relative path is found", "src/base/planted.c",
         '"../model/model.h"'),
        ("a sideways include of format by query is found", "src/query/planted.c",
         '"format/format.h"'),
        ("a sideways include of query by format is found", "src/format/planted.c",
         '"query/query.h"'),
        ("a guest that includes a layer is found", "capture/preload/planted.c", '"base/buf.h"'),
        ("a contract that includes a layer is found", "include/prov/planted.h", '"model/id.h"'),
        ("an include that leads nowhere is found", "src/base/planted.c", '"base/nowhere.h"')]:
    lint.finds(fact, check, path, f"#include {line}\n")
lint.finds("a folder that is no layer is found", folders, "src/misc/planted.c", "")
lint.end()
