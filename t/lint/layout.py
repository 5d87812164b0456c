# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""layout.py - the offsets in prov-segment(5) are those of the headers

A line of a literal block such as "  12  u32  chunk_size, chunks" is a claim
about the struct that the heading above it stands for; the compiler judges it.
"""
import os
import re
import subprocess
import tempfile

import tree

PAGE = "man/prov-segment.5.scd"
HEADERS = ["include/prov/segment.h", "include/prov/event.h"]
STRUCTS = {
    "struct prov_arena": "prov_arena", "struct prov_switch": "prov_switch",
    "struct prov_chunk": "prov_chunk", "object": "prov_object",
    "PROV_START": "prov_start", "PROV_ARGV, PROV_ENVIRON, PROV_LOADED": "prov_strings",
    "PROV_OPEN": "prov_open", "PROV_NAME": "prov_name", "PROV_EXEC": "prov_exec",
    "PROV_FORK, PROV_WAIT": "prov_wait", "PROV_HOLE": "prov_hole",
    "PROV_TRANSFER": "prov_transfer",
}
SIZES = {"u16": 2, "u32": 4, "u64": 8, "i32": 4, "i64": 8, "char": 1, "switch": 16}
CLAIM = re.compile(r" *(\d+)  ?(\w+)  ?(\w+(?:\[\w+\])?(?:, \w+)*)(?:  |$)")
UNNAMED = {"head", "object", "other", "tally", "text", "pad", "reserved", "reserved0"}


def claims(content):
    """(line, struct, offset, size of one, field) of every claim of the page."""
    struct = None
    for number, line in enumerate(content.split("\n"), 1):
        if line.startswith("#"):
            struct = STRUCTS.get(line.lstrip("# ")) if line.startswith("## ") else None
        found = CLAIM.match(line)
        if not struct or not found or found.group(2) not in SIZES:
            continue
        offset = int(found.group(1))
        for field in found.group(3).split(", "):
            yield number, struct, offset, SIZES[found.group(2)], field.split("[")[0]
            offset += SIZES[found.group(2)]


def fields(root):
    """struct: names of its fields; those of the tally count as prov_open's."""
    found = {}
    for header in HEADERS:
        code = re.sub(r"/\*.*?\*/", "", tree.text(root, header), flags=re.DOTALL)
        for name, body in re.findall(r"^struct (\w+) \{(.*?)^\}", code, re.DOTALL | re.MULTILINE):
            names = re.findall(r"(\w+)(?:\[\w*\])?\s*[,;]", body)
            found[name] = [n for n in names if n not in UNNAMED]
    found["prov_open"] += found["prov_tally"]
    return found


def page_holds(root):
    known = fields(root)
    told = list(claims(tree.text(root, PAGE)))
    bad = [f"{PAGE}:{number}: {struct} has no {field}" for number, struct, _, _, field in told
           if field not in known[struct]]
    bad += [f"{PAGE}: does not tell of {field} of {struct}" for struct in STRUCTS.values()
            for field in known[struct] if field not in [t[4] for t in told if t[1] == struct]]
    if bad:
        return bad
    with tempfile.NamedTemporaryFile("w", suffix=".c") as f:
        f.write("#include <stddef.h>\n#include <prov/segment.h>\n#include <prov/event.h>\n")
        for number, struct, offset, size, field in told:
            place = f"tally.{field}" if struct == "prov_open" and field in known["prov_tally"] else field
            f.write(f'#line {number} "{PAGE}"\n_Static_assert(offsetof(struct {struct}, {place}) == '
                    f'{offset} && sizeof(((struct {struct} *)0)->{place}) % {size} == 0, "{field}");\n')
        f.flush()
        p = subprocess.run(["gcc", "-std=gnu11", "-fsyntax-only", "-I" + os.path.join(root, "include"),
                            f.name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           check=False)
    return [line for line in p.stdout.split("\n") if ": error: " in line]


lint = tree.Lint()
lint.holds("prov-segment(5) tells where each field is", page_holds)
lint.finds("an offset that is wrong is found", page_holds, PAGE,
           lambda old: old.replace("  12  u32  chunk_size", "  16  u32  chunk_size"))
lint.finds("a size that is wrong is found", page_holds, PAGE,
           lambda old: old.replace("  20  i32  status", "  20  i64  status"))
lint.finds("a field that is not told of is found", page_holds, PAGE,
           lambda old: re.sub(r"\n.*u32  closed .*", "", old))
lint.finds("a field that does not exist is found", page_holds, PAGE,
           lambda old: old.replace("u64  fuzz ", "u64  fuzzy"))
lint.end()
