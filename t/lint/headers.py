# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""headers.py - every header compiles alone, with every compiler"""
import concurrent.futures
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


def compile_alone(root, compiler, header):
    with tempfile.NamedTemporaryFile("w", suffix=".c") as f:
        f.write(f'#include "{os.path.join(root, header)}"\n'
                f'#include "{os.path.join(root, header)}"\nextern int not_empty;\n')
        f.flush()
        p = subprocess.run([compiler, *FLAGS, *(f"-I{os.path.join(root, d)}" for d in
                                                ("include", "src", "capture")), f"-I{BUILD}", f.name],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return f"{header}: {compiler}: {p.stdout}" if p.returncode else ""


def check(root, only=None):
    headers = [p for p in tree.paths(root) if p.endswith(".h") and p not in NOT_ALONE]
    headers = [p for p in headers if only in (None, p)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(compile_alone, root, c, h) for h in headers for c in COMPILERS]
        return [job.result() for job in jobs if job.result()]


lint = tree.Lint()
for compiler in ("gcc", "clang"):
    lint.report.ok(compiler in COMPILERS, f"{compiler} is here to try the headers",
                   "apt-get install " + compiler)
lint.holds("every header compiles alone and twice", check)
PLANTED = "src/base/planted.h"
lint.finds("a header that needs another first is found", lambda root: check(root, PLANTED), PLANTED,
           "static inline size_t f(void) { return 0; }\n")
lint.finds("a header without a guard is found", lambda root: check(root, PLANTED), PLANTED,
           "struct a { int b; };\n")
lint.end()
