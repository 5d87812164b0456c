# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""scripts.py - every script parses and can be started"""
import os
import re
import subprocess

import tree

SHELL = re.compile(r"#!\s*/(?:usr/)?bin/(?:env )?(sh|bash|dash)\b")
PYTHON = re.compile(r"#!.*\bpython3?\b")


def check(root):
    found = []
    for path in tree.paths(root):
        full = os.path.join(root, path)
        content = tree.text(root, path)
        if content is None or path.startswith("fuzz/corpus/"):
            continue
        shell = SHELL.match(content)
        if shell or path.endswith(".sh"):
            p = subprocess.run([shell.group(1) if shell else "sh", "-n", full],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               check=False)
            if p.returncode:
                found.append(f"{path}: {p.stdout.strip()}")
        if PYTHON.match(content) or path.endswith(".py"):
            try:
                compile(content, path, "exec")
            except SyntaxError as e:
                found.append(f"{path}: {e}")
        if content.startswith("#!") and not os.access(full, os.X_OK):
            found.append(f"{path}: begins with #! and is not executable")
    return found


lint = tree.Lint()
lint.holds("every script parses", check)
lint.finds("a shell script that does not parse is found", check, "tools/planted",
           "#!/bin/sh\nif true; then\n")
lint.finds("a bash script that does not parse is found", check, "tools/planted",
           "#!/usr/bin/env bash\ncase x in\n")
lint.finds("a Python file that does not parse is found", check, "t/planted.py", "def f(:\n")
lint.finds("a script that cannot be started is found", check, "tools/planted", "#!/bin/sh\ntrue\n")
lint.end()
