# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""build - compiles workloads in the ways programs are compiled, and lays out
the folders they work in"""
import os
import shlex
import subprocess

import suite

HERE = os.path.dirname(os.path.realpath(__file__))
WARNINGS = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE"]
# Which functions of libc a source calls by name depends on these.
VARIANTS = {
    "plain": ["-D_FILE_OFFSET_BITS=32"],
    "64-bit": ["-D_FILE_OFFSET_BITS=64"],
    "fortified": ["-O2", "-D_FORTIFY_SOURCE=3"],
    "fortified-2": ["-O2", "-D_FILE_OFFSET_BITS=64", "-D_FORTIFY_SOURCE=2"],
    "32-bit": ["-m32"],
    "static": ["-static"],
}
# All workloads, and which of them call other functions when compiled otherwise.
PROGRAMS = ["io", "stdio", "wide", "path", "names", "folder", "temporary", "metadata", "flow", "map",
            "descriptor", "ipc", "async", "syscall", "library", "exec", "process", "ending", "parallel"]
OTHERWISE = {
    "64-bit": ["io", "stdio", "path", "names", "folder", "temporary", "flow", "map", "descriptor",
               "async"],
    "fortified": ["io", "stdio", "wide", "path", "flow", "ipc", "parallel"],
    "fortified-2": ["io", "stdio"],
}
LINE = b"0123456789abcde\n"
IN_SIZE = 1024


def program(name, variant, folder, compiler=None):
    """Compiles t/workloads/NAME.c and returns the program's path."""
    out = os.path.join(folder, f"{name}-{variant}")
    if os.path.exists(out):
        return out
    cc = shlex.split(compiler or os.environ.get("CC", "cc"))
    flags = [*VARIANTS[variant], "-pthread"] + (["-fopenmp"] if name == "parallel" else [])
    sources = [os.path.join(HERE, s) for s in (name + ".c", "workload.c")]
    done = subprocess.run([*cc, *WARNINGS, *flags, "-o", out, *sources], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise suite.Failed(f"{name} does not compile:\n{done.stdout.decode()}")
    return out


def modes(path):
    return subprocess.run([path], check=True, stdout=subprocess.PIPE).stdout.decode().split()


def lay_out(folder, names):
    """A folder for each mode with the files that workload.h promises, and one
    for expectations, which is returned."""
    for name in names:
        os.makedirs(os.path.join(folder, name))
        for file in ("in", "old"):
            with open(os.path.join(folder, name, file), "wb") as f:
                f.write(LINE * (IN_SIZE // len(LINE)))
    expected = folder + ".expected"
    os.makedirs(expected)
    return expected


def drive(path, folder, expected):
    return [os.path.join(HERE, "drive"), path, folder, expected]
