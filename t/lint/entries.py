# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""entries.py - every entry point has a case that shows it, or a reason why not

t/workloads/ENTRY_POINTS lists them. Each hook that the guest library exports
must stand there with a case; each case must exist, in a program that makes the
call; what is knowingly not recorded must stand in doc/coverage.md as well.
That hooks are called by just these names t/hooks itself makes sure of.
"""
import re
import subprocess
import sys

import tree

TABLE = "t/workloads/ENTRY_POINTS"
COVERAGE = "doc/coverage.md"
LIBRARY = sys.argv[1] + "/capture/preload/libprov-preload.so"
# Not called by anybody as an entry point: a question of another library.
NO_ENTRY = {"__asan_default_options"}


def rows(root):
    """(line number, names, what follows) of the table."""
    for number, line in enumerate((tree.text(root, TABLE) or "").split("\n"), 1):
        if line.strip() and not line.startswith("#"):
            names, _, rest = line.partition(":")
            yield number, names.split(), rest.split()


def exported():
    listed = subprocess.run(["readelf", "-W", "--dyn-syms", LIBRARY], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    fields = [line.split() for line in listed.splitlines()]
    return {f[7].split("@")[0] for f in fields
            if len(f) >= 8 and f[4] == "GLOBAL" and f[6] not in ("UND", "ABS")} - NO_ENTRY


def listed(root):
    shown = {name for _, names, rest in rows(root) if rest[:1] != ["-"] for name in names}
    return [f"{TABLE}: no case shows {name}, which is hooked" for name in sorted(exported() - shown)]


def modes(root, program):
    source = tree.text(root, f"t/workloads/{program}.c") \
        if f"t/workloads/{program}.c" in tree.paths(root) else None
    if source is None:
        return None, ""
    return set(re.findall(r'\{ "([^"]+)", \w+ \}', source)), source


def existing(root):
    found = []
    for number, names, rest in rows(root):
        if not rest:
            found.append(f"{TABLE}:{number}: {names[0]} has neither a case nor a reason")
        if not rest or ":" not in rest[0]:
            continue
        sources = ""
        for case in rest:
            *variant, program, mode = case.split(":")
            have, source = modes(root, program)
            if not have or mode not in have:
                found.append(f"{TABLE}:{number}: there is no case {case}")
            sources += source
        for name in names:
            if not name.startswith("__") and not variant and not re.search(
                    r"(\b|SYS_)" + re.escape(name) + r"\b", sources):
                found.append(f"{TABLE}:{number}: no case of {name} calls it")
    return found


def told(root):
    text = tree.text(root, COVERAGE) or ""
    return [f"{TABLE}:{number}: {name} is not recorded, and {COVERAGE} does not say so"
            for number, names, rest in rows(root) if rest[:1] == ["-"]
            for name in names if not re.search(r"\b" + re.escape(name) + r"\b", text)]


def once(root):
    seen, found = set(), []
    for number, names, _ in rows(root):
        found += [f"{TABLE}:{number}: {name} is listed before" for name in names if name in seen]
        seen.update(names)
    return found


lint = tree.Lint()
lint.holds("every hook has a case", listed)
lint.finds("a hook without a case is found", listed, TABLE,
           lambda old: old.replace("\nrename:", "\nother:"))
lint.holds("every case exists and makes the call", existing)
lint.finds("a case that does not exist is found", existing, TABLE,
           lambda old: old + "planted: io:planted\n")
lint.finds("a case that does not make the call is found", existing, TABLE,
           lambda old: old + "planted: io:read\n")
lint.finds("an entry point without a case is found", existing, TABLE, lambda old: old + "planted:\n")
lint.holds("what is not recorded is told", told)
lint.finds("what is not recorded and not told is found", told, TABLE,
           lambda old: old + "planted_call: - for no reason\n")
lint.holds("every entry point is listed once", once)
lint.finds("an entry point that is listed twice is found", once, TABLE,
           lambda old: old + "rename: names:rename\n")
lint.end()
