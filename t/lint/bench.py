# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""bench.py - doc/overhead.md has the rows that bench/run measures, with their budgets"""
import os
import re
import subprocess
import sys

import tree

DOCUMENT = "doc/overhead.md"
TABLE = re.compile(r"<!-- table: (\w+) -->\n(.*?)<!-- end of table -->", re.DOTALL)
PLAIN = {"calls", "programs", "resources", "downstream", "kernel"}


def known(root):
    """{table: {row: budget}}, as bench/run says itself."""
    said = subprocess.run([sys.executable, os.path.join(root, "bench", "run"), "--list"],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    tables = {}
    for line in said.splitlines():
        table, row, budget = line.split("\t")
        tables.setdefault(table, {})[row] = budget
    return tables


def shown(root):
    return dict(TABLE.findall(tree.text(root, DOCUMENT)))


def cells(text):
    return [[c.strip() for c in line.strip("|").split("|")] for line in text.splitlines()[2:]]


def agree(root):
    tables, found = known(root), []
    for name, text in shown(root).items():
        if name not in PLAIN:
            continue
        rows = {row[0]: row[5] for row in cells(text)}
        for row in tables[name].keys() | rows.keys():
            if rows.get(row) != tables[name].get(row):
                found.append(f"{DOCUMENT}: row \"{row}\" of table {name}: budget {rows.get(row)!r} "
                             f"there, {tables[name].get(row)!r} in bench/run")
    return found


def complete(root):
    missing = (set(known(root)) | {"machine", "missed"}) - set(shown(root))
    return [f"{DOCUMENT}: has no table {name}" for name in sorted(missing)] + \
        [f"{DOCUMENT}: table {name} is empty; run bench/run --markdown"
         for name, text in shown(root).items() if not text.strip()]


lint = tree.Lint()
lint.holds("every table of bench/run is in the document, and filled", complete)
lint.finds("a table that is missing is found", complete, DOCUMENT,
           lambda old: old.replace("<!-- table: calls -->", ""))
lint.holds("the document has every row that is measured, with its budget", agree)
lint.finds("a row that is not measured is found", agree, DOCUMENT,
           lambda old: old.replace("| read 1 B |", "| read 2 B |"))
lint.finds("another budget than that of bench/run is found", agree, DOCUMENT,
           lambda old: old.replace("| +12.0 ns |", "| +13.0 ns |"))
lint.end()
