# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""headers.py - every header compiles alone, with every compiler

Those of the kernel's programs are compiled for the kernel, each way that the build
compiles the programs, with the flags that Meson keeps of it.
"""
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile

import tree

BUILD = sys.argv[1]
COMPILERS = [c for c in ("gcc", "clang") if shutil.which(c)]
FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64", "-Wall", "-Wextra", "-Werror",
         "-Wno-unused-parameter", "-Wno-unused-function", "-fsyntax-only", "-x", "c"]
# Meant to come last in a .c, after the declarations of what it bans.
NOT_ALONE = {"src/base/ban.h"}
KERNEL = "capture/bpf/"


def kernel_commands():
    """{way of building: compiler and flags} of the kernel's programs."""
    with open(os.path.join(BUILD, "meson-info", "intro-targets.json"), encoding="utf-8") as f:
        targets = json.load(f)
    found = {}
    for target in targets:
        if target["name"] in ("bpf-cast", "bpf-probe"):
            words = target["target_sources"][0]["compiler"]
            found[target["name"]] = words[:words.index("-MD")]
    return found


KERNEL_COMMANDS = kernel_commands()


def ways(root, header):
    """(name, command without the file) for each way in which the header is compiled."""
    if header.startswith(KERNEL):
        for name, words in KERNEL_COMMANDS.items():
            yield name, [w.replace(tree.TOP, root, 1) if w.startswith(tree.TOP) else w
                         for w in words] + ["-fsyntax-only", "-x", "c"]
        return
    folders = [f"-I{os.path.join(root, d)}" for d in ("include", "src", "capture")]
    for compiler in COMPILERS:
        yield compiler, [compiler, *FLAGS, *folders, f"-I{BUILD}"]


def compile_alone(root, name, command, header):
    with tempfile.NamedTemporaryFile("w", suffix=".c") as f:
        f.write(f'#include "{os.path.join(root, header)}"\n'
                f'#include "{os.path.join(root, header)}"\nextern int not_empty;\n')
        f.flush()
        p = subprocess.run([*command, f.name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True, check=False)
    return f"{header}: {name}: {p.stdout}" if p.returncode else ""


def check(root, only=None):
    headers = [p for p in tree.paths(root) if p.endswith(".h") and p not in NOT_ALONE]
    headers = [p for p in headers if only in (None, p)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(compile_alone, root, *way, h) for h in headers for way in ways(root, h)]
        return [job.result() for job in jobs if job.result()]


lint = tree.Lint()
for compiler in ("gcc", "clang"):
    lint.report.ok(compiler in COMPILERS, f"{compiler} is here to try the headers",
                   "apt-get install " + compiler)
lint.report.ok(len(KERNEL_COMMANDS) == 2, "the kernel's programs are built, in two ways",
               "apt-get install clang libbpf-dev; meson configure -Debpf=auto")
lint.holds("every header compiles alone and twice", check)
PLANTED = "src/base/planted.h"
lint.finds("a header that needs another first is found", lambda root: check(root, PLANTED), PLANTED,
           "static inline size_t f(void) { return 0; }\n")
lint.finds("a header without a guard is found", lambda root: check(root, PLANTED), PLANTED,
           "struct a { int b; };\n")
PLANTED_KERNEL = KERNEL + "planted.h"
lint.finds("a header for the kernel that needs another first is found",
           lambda root: check(root, PLANTED_KERNEL), PLANTED_KERNEL,
           "static inline uint32_t f(void) { return 0; }\n")
lint.end()
