# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""bash - the tests of Debian's bash, held to the installed shell"""
import os
import subprocess

import sources
import tests

HELPERS = ("recho", "zecho", "printenv", "xcase")


def cases(folder, few):
    top = sources.unpacked("bash", folder)
    at = os.path.join(top, "tests")
    # What of a configuration its helpers need.
    with open(os.path.join(top, "config.h"), "w", encoding="ascii") as f:
        f.writelines(f"#define {word} 1\n" for word in ("HAVE_STRING_H", "HAVE_STDLIB_H", "HAVE_UNISTD_H", "PROTOTYPES"))
    for name in HELPERS:
        path = os.path.join(at, name)
        if not os.path.exists(path):
            subprocess.run(["cc", "-w", "-O1", "-DHAVE_CONFIG_H", "-I" + top, "-I" + os.path.join(top, "include"),
                            "-o", path, os.path.join(top, "support", name + ".c")], check=True)

    def prepare(work):
        subprocess.run(["cp", "-a", at, os.path.join(work, "tests")], check=True)
    names = sorted(n for n in os.listdir(at) if n.startswith("run-") and n not in ("run-all", "run-minimal"))
    for name in names[::few]:
        # Each writes what the shell said into $BASH_TSTOUT, compares, and removes it if it is right.
        yield tests.Test(name, ["sh", "-c", 'cd tests && PATH=.:$PATH BASH_TSTOUT=$PWD/said exec sh "$1"', "sh", name],
                         {"THIS_SH": "/bin/bash", "BUILD_DIR": top}, prepare)
