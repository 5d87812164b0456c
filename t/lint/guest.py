# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""guest.py - what the library that runs in other people's programs is made of

It may not call into libc (whose state is not ours to touch), may not drag a
library in, and may show only the names it hooks. Each check reads the finished
library, and is tried on one built to break it.
"""
import os
import re
import subprocess
import sys
import tempfile

import tree

# Every traced process maps it; 2000 short ones start in a second.
TEXT_MAX = 96 << 10


def readelf(option, library):
    return subprocess.run(["readelf", "-W", option, library], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def symbols(library):
    """(name, bind, section) of the dynamic symbols; versions cut off."""
    rows = []
    for line in readelf("--dyn-syms", library).splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[0].rstrip(":").isdigit():
            rows.append((fields[7].split("@")[0], fields[4], fields[6]))
    return rows


def allowed():
    lines = tree.text(tree.TOP, "t/lint/guest_undefined.list").splitlines()
    return {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}


HOOK = re.compile(r"^EXPORT\b[^(;{]*?\b(\w+)\(|^[^\n;{]*?\b(\w+)\([^;{]*\)\s*ALIAS\(\w+\);", re.MULTILINE)


def hooks():
    """What the sources mark as a hook (EXPORT, ALIAS), and what capture/preload/real.h
    says can be hooked; libc's internal names are reached by detours only."""
    names = set()
    for path in tree.paths(tree.TOP):
        if path.startswith("capture/preload/") and path.endswith(".c"):
            for pair in HOOK.findall(tree.text(tree.TOP, path) or ""):
                names.update(filter(None, pair))
    table = re.search(r"#define FUNCTIONS\(X\)(.*?[^\\])\n", tree.text(tree.TOP, "capture/preload/real.h"),
                      re.DOTALL)
    names |= set(re.findall(r"X\((\w+)\)", table.group(1)))
    return {name for name in names if not name.endswith("_nocancel")}


def undefined(library):
    permit = allowed()
    return [f"leaves {name} undefined ({bind.lower()})" for name, bind, section in symbols(library)
            if section == "UND" and not (bind == "WEAK" and name in permit)]


def exported(library):
    shown = {name for name, _, section in symbols(library) if section not in ("UND", "ABS")}
    want = hooks()
    return [f"exports {name}, which is no hook" for name in sorted(shown - want)] + \
           [f"does not export {name}" for name in sorted(want - shown)]


def foreign(library):
    return [f"exports {name}, which is no hook" for name, _, section in symbols(library)
            if section not in ("UND", "ABS") and name not in hooks()]


def needed(library):
    return [f"needs {name}" for name in re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d", library))]


def segments(library):
    found = []
    for line in readelf("-l", library).splitlines():
        fields = line.split()
        if not fields:
            continue
        if fields[0] == "TLS":
            found.append("has thread-local storage")
        if fields[0] in ("GNU_STACK", "LOAD") and "RWE" in fields:
            found.append(f"{fields[0]} is writable and executable")
    if "(TEXTREL)" in readelf("-d", library):
        found.append("has relocations in its text")
    return found


def heavy(library):
    size = 0
    for line in readelf("-S", library).splitlines():
        section = re.match(r"\s*\[ *\d+\] (\S+)\s+\S+\s+\S+\s+\S+\s+(\S+)", line)
        if section and section.group(1) in (".text", ".rodata"):
            size += int(section.group(2), 16)
    return [f"text and constants are {size} bytes, at most {TEXT_MAX}"] if size > TEXT_MAX else []


def planted(report, folder, fact, check, code, *flags):
    source = os.path.join(folder, "planted.c")
    library = os.path.join(folder, "planted.so")
    with open(source, "w", encoding="utf-8") as f:
        f.write(code + "\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, source, *flags], check=True)
    found = check(library)
    report.ok(found, fact, "found nothing")


report = tree.Lint().report
LIBRARY = os.path.join(sys.argv[1], "capture", "preload", "libprov-preload.so")
for fact, check in [
        ("it leaves nothing undefined but what is permitted", undefined),
        ("it exports its hooks and nothing else", exported),
        ("it needs no library", needed),
        ("it has no thread-local storage and no writable code", segments),
        (f"text and constants fit into {TEXT_MAX} bytes", heavy)]:
    found = check(LIBRARY)
    report.ok(not found, fact, *found)
report.ok(len(hooks()) > 50, "the hooks of the sources are found", sorted(hooks()))
BARE = ("-nostdlib",)
with tempfile.TemporaryDirectory(prefix="prov-lint-") as folder:
    for case in [
            ("a call into libc is found", undefined,
             "void *malloc(unsigned long); void *f(void); void *f(void) { return malloc(1); }", *BARE),
            ("a weak call into libc is found", undefined, "__attribute__((weak)) int puts(const char *);"
             " int f(void); int f(void) { return puts ? puts(\"\") : 0; }", *BARE),
            ("an export that is no hook is found", foreign, "int stray(void) { return 1; }", *BARE),
            ("a hook that is not exported is found", exported, "int stray(void) { return 1; }", *BARE),
            ("a needed library is found", needed, "int a;", "-Wl,--no-as-needed", "-lc"),
            ("thread-local storage is found", segments,
             "__thread int a = 1; int *f(void) { return &a; }"),
            ("an executable stack is found", segments, "int a;", "-Wl,-z,execstack"),
            ("text that is too large is found", heavy,
             "const char a[" + str(TEXT_MAX + 1) + "] = {1};", *BARE)]:
        planted(report, folder, *case)
sys.exit(report.end())
