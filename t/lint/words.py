# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""words.py - functions that may not be called, by folder

In src the list is src/base/ban.h itself. Guest code runs inside other people's
programs, perhaps in a signal handler: no heap, no stdio, no locks, no exit.
"""
import re

import tree

GUEST = ["malloc", "calloc", "realloc", "free", "strdup", "strndup", "asprintf", "vasprintf",
         "printf", "fprintf", "dprintf", "vprintf", "vfprintf", "sprintf", "snprintf", "vsprintf",
         "vsnprintf", "puts", "fputs", "putchar", "perror", "setlocale", "getenv", "setenv",
         "exit", "_exit", "_Exit", "quick_exit", "abort", "assert", "atexit", "signal",
         "sigaction", "alloca", "strcpy", "strcat", "strtok", "gmtime", "localtime", "sleep",
         "usleep", "nanosleep"]
GUEST_WORD = re.compile(r"\b(" + "|".join(GUEST) + r"|pthread_\w+|mtx_\w+)\s*\(|\b(__thread|"
                        r"_Thread_local|thread_local)\b")
ALWAYS = ["alloca"]

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def code_of(content):
    """The program without comments and strings; lines keep their numbers."""
    return TOKEN.sub(lambda m: "\n" * m.group(0).count("\n") + " ", content)


def calls(root, folder, pattern):
    found = []
    for path in tree.paths(root):
        if not path.startswith(folder) or not path.endswith((".c", ".h")):
            continue
        if path == "src/base/ban.h":
            continue
        for number, line in enumerate(code_of(tree.text(root, path) or "").split("\n"), 1):
            word = pattern.search(line)
            if word:
                found.append(f"{path}:{number}: {word.group(0).strip()}")
    return found


def banned(root):
    names = re.findall(r"^#define (\w+)\(", tree.text(root, "src/base/ban.h"), re.MULTILINE)
    if not names:
        return ["src/base/ban.h: bans nothing"]
    return calls(root, "src/", re.compile(r"\b(" + "|".join(names + ALWAYS) + r")\s*\("))


def guest(root):
    return calls(root, "capture/", GUEST_WORD)


lint = tree.Lint()
lint.holds("nothing in src calls a banned function", banned)
lint.finds("a banned call is found", banned, "src/base/planted.c", "int f(void) { strcpy (a, b); }\n")
lint.finds("alloca is found", banned, "src/store/planted.c", "\n\tchar *p = alloca(n);\n")
lint.finds("a ban list that went empty is found", banned, "src/base/ban.h", "\n")
lint.holds("nothing in capture calls what a guest must not", guest)
for call in ["malloc(1)", "printf(1)", "getenv(1)", "abort()", "pthread_self()"]:
    lint.finds(f"{call} in a guest is found", guest, "capture/preload/planted.c",
               f"\tx = {call};\n")
lint.finds("a thread-local variable in a guest is found", guest, "capture/shim/planted.h",
           "static __thread int depth;\n")
lint.end()
