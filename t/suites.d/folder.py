# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""folder - any folder of test programs, already built: each file that can be executed is one

With a list, a line "NAME COMMAND [ARGUMENT...]" is one instead; what it names is looked
for in the folder first. A program says how its test ended by its exit status.
"""
import fnmatch
import os
import re

import tests

# What test programs of many kinds say of a single check.
VERDICT = re.compile(rb"\b(TPASS|TFAIL|TCONF|TBROK|TWARN|PASS|FAIL|SKIP)\b")


def verdicts(outcome):
    text = outcome.text("stdout") + outcome.text("stderr")
    count = {}
    for match in VERDICT.finditer(text):
        count[match.group(1)] = count.get(match.group(1), 0) + 1
    return {name.decode(): ("verdicts", n) for name, n in count.items()}


def commands(folder, listed):
    if not listed:
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                yield name, "exec " + name
        return
    with open(listed, encoding="utf-8") as f:
        for line in f:
            words = line.split(None, 1)
            if len(words) == 2 and not line.startswith("#"):
                yield words[0], words[1].strip()


def cases(folder, listed, skip, env, limit):
    path = f"{folder}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
    for name, line in commands(os.path.realpath(folder), listed):
        if any(fnmatch.fnmatchcase(name, glob) for glob in skip):
            continue
        # Room for signals to all processes, and for what is left running.
        command = ["unshare", "--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc",
                   "sh", "-c", line + "\nexit $?"]
        yield tests.Test(name, command if os.getuid() == 0 else command[-3:], {"PATH": path, **env}, None, limit,
                         keep=lambda key: not key.startswith("in/"), more=verdicts)
