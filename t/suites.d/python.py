# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""python - the tests of Debian's Python that deal with files, processes and signals"""
import os
import re

import suite
import tests

FEW = ("file fileio bufio popen fork1 wait3 wait4 poll epoll select fcntl pwd grp glob fnmatch filecmp posixpath "
       "genericpath dup pipes tempfile mmap thread threadedtempfile fileinput shelve dbm_dumb gzip userdict "
       "openpty stat eintr")
ALL = FEW + (" os io subprocess posix multiprocessing_fork multiprocessing_spawn multiprocessing_forkserver "
             "multiprocessing_main_handling signal threadsignals socket threading shutil pathlib sqlite3 selectors "
             "pty tty zipfile tarfile bz2 lzma zlib dbm dbm_gnu dbm_ndbm concurrent_futures socketserver "
             "httpservers ftplib faulthandler ctypes import importlib compileall py_compile runpy cmd_line "
             "cmd_line_script zipimport logging mailbox resource uuid asyncio netrc queue asyncore asynchat "
             "largefile support posix sys sysconfig site venv distutils bdb trace pickle array winconsoleio "
             "hashlib ssl urllib2_localserver xmlrpc wsgiref robotparser tracemalloc gc weakref locale codecs "
             "repl doctest pydoc unittest script_helper regrtest memoryio univnewlines print iter exceptions "
             "kqueue devpoll ioctl crypt spwd syslog nntplib telnetlib smtplib poplib imaplib atexit audit")
VERDICT = re.compile(rb"(?m)^(test\w* \(\S+\)).*?\.\.\. (ok|FAIL|ERROR|skipped .*|expected failure)?")


def verdicts(outcome):
    found = {}
    for match in VERDICT.finditer(outcome.text("stdout") + outcome.text("stderr")):
        found.setdefault(match.group(1).decode(), []).append(match.group(2))
    return {name: ("verdict", tuple(said)) for name, said in found.items()}


def told_by_verdicts(item):
    """What is printed tells how long each test took: a thousandth more or less in any run."""
    return item not in ("stdout", "stderr")


def cases(_, few):
    home = "/usr/lib/python3.11/test"
    if not os.path.exists(os.path.join(home, "test_subprocess.py")):
        raise suite.Skip("not installed: libpython3.11-testsuite")
    for name in dict.fromkeys((FEW if few > 1 else ALL).split()):
        if os.path.exists(os.path.join(home, f"test_{name}.py")) or os.path.isdir(os.path.join(home, f"test_{name}")):
            yield tests.Test("test_" + name, ["/usr/bin/python3", "-m", "test", "-v", "--timeout", "300", "test_" + name],
                             limit=300, more=verdicts, keep=told_by_verdicts)
