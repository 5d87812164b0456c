# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""document - results as tables of doc/overhead.md, between marks that name them"""
import os
import platform
import re
import shutil
import subprocess

import ablation
import peers
import tables
import thesis
from measure import TOP
from result import bare_figure, budget, figure, spread

PATH = os.path.join(TOP, "doc", "overhead.md")
TABLE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end of table -->)", re.DOTALL)


def first_line(*command):
    if not shutil.which(command[0]):
        return ""
    said = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return (said.stdout.decode(errors="replace").strip().splitlines() or [""])[0]


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        found = re.search(r"^model name\s*: (.*)$", f.read(), re.MULTILINE)
    return found.group(1) if found else platform.machine()


def machine():
    return {"kernel": platform.release(), "processor": processor(),
            "libc": " ".join(platform.libc_ver()), "compiler": first_line("cc", "--version"),
            "fio": first_line("fio", "--version"),
            "virtual": first_line("systemd-detect-virt", "--vm") or "unknown"}


def budget_text(row):
    return budget({"budget": row.budget, "unit": row.unit})


def table(head, lines):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in
                     [head, ["---"] * len(head), *lines])


def machine_text(results):
    m = results.machine
    if not m:
        return "Not measured."
    return (f"{m['cores']} cores of {m['processor']}, virtualisation: {m['virtual']}, Linux "
            f"{m['kernel']}, {m['libc']}, {m['compiler']}, {m['fio']}; `getpid` costs "
            f"{m['getpid_ns']:.0f} ns.")


def rows_text(name, results):
    found, lines = results.of(name), []
    for row in tables.ROWS[name]:
        r = found.get(row.name)
        if r is None or "value" not in r:
            why = r["note"] if r else "not measured"
            lines.append([row.name, "", "", why, "", budget_text(row), ""])
            continue
        verdict = {"ok": "met", "OVER": "**missed**", "-": ""}[r["verdict"]]
        said = figure(r["unit"], r["value"]) + (f" ({r['note']})" if r["note"] else "")
        lines.append([row.name, bare_figure(r["unit"], r["baseline"]),
                      bare_figure(r["unit"], r["measured"]), said, spread(r), budget(r), verdict])
    return table(["what", "bare", "recorded", "result", "range", "budget", ""], lines)


def cell(found, name, text):
    r = found.get(name)
    if r is None:
        return "not measured"
    if "value" in r:
        return text(r)
    return "fails" if "ended with" in r["note"] else r["note"]


def matrix(found, down, across, text, name="{down}: {across}"):
    """across: columns; the cells are rows of the table."""
    return table([""] + list(across), [[d] + [cell(found, name.format(down=d, across=a), text)
                                              for a in across] for d in down])


def middle(r):
    return figure(r["unit"], r["value"])


def with_range(r):
    return f"{figure(r['unit'], r['value'])} ({spread(r)})"


def ablation_text(results):
    across = [name for name, _, _ in ablation.OPERATIONS] + [ablation.FIO]
    return matrix(results.of("ablation"), [name for name, _, _ in ablation.VARIANTS], across,
                  with_range, name="{across}: {down}")


def peers_text(results):
    found = dict(results.of("peers"))
    for name in ("calls", "programs"):
        for row, r in results.of(name).items():
            found[f"{row}: prov"] = r
    return matrix(found, peers.SHOWN, ["prov"] + [name for name, _, _ in peers.PEERS], middle)


def per_cent(r):
    low, value, high = (100 * (r[k] - 1) for k in ("low", "value", "high"))
    return f"{value:+.1f} ({low:+.0f} .. {high:+.0f})" + (f", {r['note']}" if r["note"] else "")


def thesis_text(results):
    found, lines = results.of("thesis"), []
    across = [f"{case} {way}" for case, _, _, _ in thesis.CASES for way in ("read", "write")]
    for name, _ in thesis.VARIANTS:
        lines.append([name] + ["" if f"{a}: {name}" not in known_of("thesis") else
                               cell(found, f"{a}: {name}", per_cent) for a in across])
        published = thesis.PUBLISHED.get(name)
        if published:
            lines.append([f"*{name}, published*"] +
                         ["" if v is None else f"*{v:+.1f}*" for v in published])
    return table([""] + across, lines)


def known_of(name):
    return {row.name for row in tables.ROWS[name]}


def missed_text(results):
    """What a reader wants to know first."""
    asked = [(row.name, results.of(name).get(row.name)) for name in tables.USUAL
             for row in tables.ROWS[name] if row.budget is not None]
    over = [f"- {name}: {figure(r['unit'], r['value'])} ({spread(r)}), budget {budget(r)}"
            for name, r in asked if r and r["verdict"] == "OVER"]
    unknown = [name for name, r in asked if not r or "value" not in r]
    lines = [f"Of {len(asked)} budgets, {len(over)} were missed" + (":" if over else "."), *over]
    if unknown:
        lines += ["", "Not measured: " + ", ".join(unknown) + "."]
    return "\n".join(lines[:1] + ([""] if over else []) + lines[1:])


TEXTS = {"machine": machine_text, "missed": missed_text, "ablation": ablation_text, "peers": peers_text,
         "thesis": thesis_text}


def text_of(name, results):
    return TEXTS[name](results) if name in TEXTS else rows_text(name, results)


def write(results):
    """Fills every table of the document that it has a mark for."""
    with open(PATH, encoding="utf-8") as f:
        old = f.read()
    new = TABLE.sub(lambda m: m.group(1) + text_of(m.group(2), results) + "\n" + m.group(3), old)
    with open(PATH, "w", encoding="utf-8") as f:
        f.write(new)
    return 0
