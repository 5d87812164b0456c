# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""cli.py - runs prov as a user does, in a home of its own"""
import atexit
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile

SOURCE = os.environ.get("SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
BUILD = os.environ["BUILD"]
PROV = os.environ.get("PROV", os.path.join(BUILD, "src", "prov", "prov"))
PUT_FACTS = os.path.join(BUILD, "src", "prov", "put_facts")
FOLDER = "/data/project"  # where put_facts says it ran

sys.path.insert(0, os.path.join(SOURCE, "tools"))
import tap  # noqa: E402

report = tap.Report()
top = tempfile.mkdtemp(prefix="prov-cli-")
atexit.register(shutil.rmtree, top, ignore_errors=True)


class Home:
    """An empty home folder, and an environment in which prov uses it."""

    made = 0

    def __init__(self):
        Home.made += 1
        self.path = os.path.join(top, str(Home.made))
        os.mkdir(self.path)
        self.store = os.path.join(self.path, "state", "prov", "prov.db")
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith(("PROV_", "XDG_", "LC_", "COLUMNS", "NO_COLOR"))}
        self.env.update(HOME=self.path, XDG_STATE_HOME=os.path.join(self.path, "state"),
                        XDG_CONFIG_HOME=os.path.join(self.path, "config"),
                        PROV_ETC=os.path.join(self.path, "etc"), LANG="C.UTF-8", TERM="xterm",
                        TZ="UTC0", PROV_NODE="off")

    def with_runs(self, *names, further=0):
        for name in names:
            subprocess.run([PUT_FACTS, self.store, name, str(further)], check=True, env=self.env)
        return self

    def run(self, *args, env=None, prov=PROV, **how):
        how.setdefault("stdin", subprocess.DEVNULL)
        how.setdefault("stdout", subprocess.PIPE)
        how.setdefault("cwd", self.path)
        return subprocess.run([prov, *args], env={**self.env, **(env or {})}, check=False,
                              stderr=subprocess.PIPE, timeout=120, **how)

    def tree(self):
        """Every file with its mode and content; not what SQLite keeps beside a
        store while it is open."""
        found = {}
        for folder, _, names in os.walk(self.path):
            for name in names:
                path = os.path.join(folder, name)
                if path.endswith(("-wal", "-shm")):
                    continue
                with open(path, "rb") as f:
                    found[path] = (stat.S_IMODE(os.stat(path).st_mode),
                                   hashlib.sha256(f.read()).hexdigest())
            found[folder] = stat.S_IMODE(os.stat(folder).st_mode)
        return found


def said(done):
    """For the report of a failure: all that a command did."""
    out = b"" if done.stdout is None else done.stdout
    return (f"exit {done.returncode}", "stdout: " + out.decode("utf-8", "replace")[:2000],
            "stderr: " + done.stderr.decode("utf-8", "replace")[:2000])


def fails(home, fact, args, status, *words, **how):
    """One line on stderr that holds the words, that status, nothing on stdout,
    and all files as they were."""
    before = home.tree()
    done = home.run(*args, **how)
    line = done.stderr.decode("utf-8", "replace")
    problems = []
    if done.returncode != status:
        problems.append(f"exit status is not {status}")
    if done.stdout:
        problems.append("something is on stdout")
    if line.count("\n") != 1 or not line.endswith("\n") or not line.startswith("prov: "):
        problems.append("stderr is not one line that begins with prov:")
    problems += [f"stderr does not say {word!r}" for word in words if word not in line]
    if home.tree() != before:
        problems.append("files were made, changed or lost")
    report.ok(not problems, fact, *problems, *(said(done) if problems else ()))


def holds(fact, good, *details):
    report.ok(bool(good), fact, *details)
