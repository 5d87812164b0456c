# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""perl - the tests of Debian's perl, run by the installed perl"""
import glob
import os
import re
import shutil
import subprocess

import sources
import tests

FOLDERS = ("base", "cmd", "comp", "io", "re", "uni", "mro", "lib", "op", "run", "class", "opbasic")
POINT = re.compile(rb"(not )?ok (\d+)\b(?:.*(# *(?:skip|todo)))?", re.IGNORECASE)


def points(outcome):
    """The verdict of each case: the number of a point that comes twice is told apart."""
    found = {}
    for line in outcome.text("stdout").splitlines():
        match = POINT.match(line)
        if match:
            found.setdefault(f"case {match.group(2).decode()}", []).append(line[:match.end()].split(b" - ")[0])
    return {name: ("verdict", tuple(said)) for name, said in found.items()}


def lay_out(top, folder):
    """t/ as in a built tree: beside it a lib/ with what is installed, and the tests of lib/."""
    made = os.path.join(folder, "perl-build")
    if os.path.exists(os.path.join(made, "lib", "Config.pm")):
        return made
    where = subprocess.run(["perl", "-e", 'print join "\\n", grep { m{^/usr/(share|lib)} && !/site/ } @INC'],
                           check=True, stdout=subprocess.PIPE).stdout.decode().split("\n")
    shutil.copytree(os.path.join(top, "lib"), os.path.join(made, "lib"), symlinks=True)
    for path in reversed(where):
        if os.path.isdir(path) and ("perl/5" in path or "perl-base" in path):
            shutil.copytree(path, os.path.join(made, "lib"), symlinks=False, dirs_exist_ok=True)
    shutil.copytree(os.path.join(top, "t"), os.path.join(made, "t"), symlinks=True)
    os.symlink("/usr/bin/perl", os.path.join(made, "t", "perl"))
    return made


def cases(folder, few):
    top = sources.unpacked("perl", folder)
    made = lay_out(top, folder)

    def prepare(work):
        os.mkdir(os.path.join(work, "t"))
        for name in os.listdir(os.path.join(made, "t")):
            os.symlink(os.path.join(made, "t", name), os.path.join(work, "t", name))
        os.symlink(os.path.join(made, "lib"), os.path.join(work, "lib"))
    names = [os.path.relpath(p, os.path.join(top, "t")) for d in FOLDERS
             for p in sorted(glob.glob(os.path.join(top, "t", d, "*.t")))]
    names += ["../lib/" + os.path.basename(p) for p in sorted(glob.glob(os.path.join(top, "lib", "*.t")))]
    for name in names[::few]:
        yield tests.Test("t/" + name, ["sh", "-c", 'cd t && exec perl "$@"', "sh", "-I../lib", name],
                         {"PERL_CORE": "1", "PERL_HASH_SEED": "0"}, prepare, more=points)
