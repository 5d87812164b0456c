# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""coreutils - the tests of Debian's coreutils, held to the installed programs"""
import os
import re
import subprocess

import sources
import tests

# What the tests ask of a configured build: the features of Debian's programs.
FEATURES = ("HAVE_INOTIFY", "HAVE_PTHREAD_T", "USE_ACL", "HAVE_UTIMENSAT", "HAVE_MNTENT_H", "HAVE_LUTIMES",
            "HAVE_GETMNTENT", "HAVE_LINKAT", "USE_XATTR", "HAVE_SETGROUPS", "HAVE_OPENAT")
SIZES = {"CHAR": (8, True), "SCHAR": (8, True), "UCHAR": (8, False), "SHRT": (16, True), "INT": (32, True),
         "UINT": (32, False), "LONG": (64, True), "ULONG": (64, False), "SIZE": (64, False), "SSIZE": (64, True),
         "TIME_T": (64, True), "UID_T": (32, False), "GID_T": (32, False), "PID_T": (32, True),
         "OFF_T": (64, True), "INTMAX": (64, True), "UINTMAX": (64, False)}
# They need hours, or a clock that nothing else runs on.
LEFT_OUT = ("tests/rm/ext3-perf.sh", "tests/misc/help-version.sh")


def limits():
    """What the build's program of that name prints: each type's ends, and what is just past them."""
    for name, (bits, signed) in SIZES.items():
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        yield f"{name}_MAX={high}\n{name}_OFLOW={high + 1}\n"
        if low:
            yield f"{name}_MIN={low}\n{name}_UFLOW={low - 1}\n"
    yield "SIGRTMIN=34\nSIGRTMAX=64\nIO_BUFSIZE=131072\n"
    yield "FLT_MIN=1.175494e-38\nFLT_MAX=3.402823e+38\nDBL_MIN=2.225074e-308\nDBL_MAX=1.797693e+308\n"
    yield "LDBL_MIN=3.362103e-4932\nLDBL_MAX=1.189731e+4932\n"


def lay_out(folder):
    """A folder that stands in for a build, for the programs that are installed."""
    os.makedirs(os.path.join(folder, "src"), exist_ok=True)
    with open(os.path.join(folder, "config.h"), "w", encoding="ascii") as f:
        f.writelines(f"#define {name} 1\n" for name in FEATURES)
    path = os.path.join(folder, "src", "getlimits")
    with open(path, "w", encoding="ascii") as f:
        f.write("#!/bin/sh\ncat <<'END'\n" + "".join(limits()) + "END\n")
    os.chmod(path, 0o755)


def listed(top):
    with open(os.path.join(top, "tests", "local.mk"), encoding="utf-8") as f:
        text = f.read()
    found = []
    for name in ("all_root_tests", "all_tests"):
        block = re.search(rf"^{name} *=(.*?[^\\])$", text.replace("\\\n", " "), re.MULTILINE)
        found += [word for word in block.group(1).split() if word.startswith("tests/") and "$" not in word]
    return [name for name in dict.fromkeys(found) if name not in LEFT_OUT]


def cases(folder, few):
    top = sources.unpacked("coreutils", folder)
    stand_in = os.path.join(folder, "coreutils-build")
    lay_out(stand_in)
    files = subprocess.run(["dpkg", "-L", "coreutils"], check=True, stdout=subprocess.PIPE).stdout.decode().split()
    programs = [os.path.basename(p) for p in files if "bin/" in p]
    version = subprocess.run(["/bin/cat", "--version"], check=True, stdout=subprocess.PIPE).stdout.split()[3].decode()
    names = listed(top)
    if few > 1:
        # these wait for events within fixed times, which a busy machine misses
        names = [n for n in names if "tail-2" not in n and "timeout" not in n][::few]
    for name in names:
        at = os.path.join(top, "tests")
        env = {"PATH": os.path.join(stand_in, "src") + ":/usr/bin:/bin:/usr/sbin:/sbin",
               "abs_top_builddir": stand_in, "abs_top_srcdir": top, "abs_srcdir": top, "srcdir": top,
               "top_srcdir": top, "built_programs": " ".join(programs), "fail": "0", "host_os": "linux-gnu",
               "host_triplet": "x86_64-pc-linux-gnu", "CONFIG_HEADER": os.path.join(stand_in, "config.h"),
               "CU_TEST_NAME": "coreutils," + name.replace("/", "-"), "CC": "cc", "AWK": "awk", "EGREP": "grep -E",
               "EXEEXT": "", "MAKE": "make", "PACKAGE_VERSION": version, "VERSION": version, "PERL": "perl",
               "LOCALE_FR": "none", "LOCALE_FR_UTF8": "none", "DISPLAY": None}
        path = os.path.join(top, name)
        if name.endswith(".pl"):
            command = ["sh", "-c", 'exec "$@" 9>&2', "sh", "perl", "-w", "-I" + at, "-MCuSkip", "-MCoreutils",
                       f"-MCuTmpdir qw({os.path.basename(name)})", path]
        else:
            command = ["sh", "-c", 'exec "$@" 9>&2', "sh", "sh", path]
        yield tests.Test(name, command, env)
