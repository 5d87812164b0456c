# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""A folder, a store and programs for each case; how cases are run."""
import argparse
import glob
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROV = os.environ["PROV"]
PYTHON = os.path.realpath(sys.executable)
TOP = os.path.realpath(tempfile.mkdtemp(prefix="prov-t-lost-"))
CASES = []


class Skip(Exception):
    pass


class Options:
    """As given on the command line."""


def case(f):
    CASES.append(f)
    return f


def equal(a, b, what=""):
    assert a == b, "%s %r is not %r" % (what, a, b)


def wait_for(what, seconds=60):
    """Until what() is true; a test waits for facts and never for time."""
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.002)


def build(name, *flags):
    out = os.path.join(TOP, name)
    if not os.path.exists(out):
        subprocess.run(["cc", "-O1", "-pthread", "-o", out, os.path.join(HERE, name + ".c"), *flags], check=True)
    return out


def build_static():
    out = os.path.join(TOP, "static")
    if not os.path.exists(out):
        with open(out + ".c", "w", encoding="ascii") as f:
            f.write("int main(void){return 5;}\n")
        subprocess.run(["cc", "-static", "-o", out, out + ".c"], check=True)
    return out


class Place:
    """For one case: a folder to work in, a store and a folder of sessions of its own."""

    def __init__(self, name):
        self.dir = tempfile.mkdtemp(prefix=name[:20] + "-", dir=TOP)
        self.store = os.path.join(self.dir, "store", "p.db")
        self.sessions = tempfile.mkdtemp(prefix="prov-t-lost-", dir="/dev/shm")
        self.env = dict(os.environ, PROV_STORE=self.store, PROV_SESSION_DIR=self.sessions, LC_ALL="C")
        self.env.pop("LD_PRELOAD", None)
        self.random = random.Random("%s %s" % (Options.seed, name))
        self.n = 0
        self.fresh()

    def fresh(self):
        """An empty folder to work in."""
        self.n += 1
        self.work = os.path.join(self.dir, "work%d" % self.n)
        os.mkdir(self.work)
        return self.work

    def prov(self, *args, **kw):
        kw.setdefault("cwd", self.work)
        kw.setdefault("timeout", 170)
        env = dict(self.env, **kw.pop("env", {}))
        return subprocess.run([PROV, *args], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, **kw)

    def run(self, *cmd, **kw):
        return self.prov("run", "--", *cmd, **kw)

    def start(self, *cmd, **kw):
        return subprocess.Popen([PROV, "run", "--quiet", "--", *cmd], env=dict(self.env, **kw.pop("env", {})),
                                cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **kw)

    def show(self, what="@", **kw):
        r = self.prov("show", what, "--json", **kw)
        assert r.returncode == 0, r.stderr
        return json.loads(r.stdout)

    def spool(self):
        return glob.glob(os.path.join(self.dir, "store", "spool", "*"))

    def left(self):
        """What of sessions still lies in shared memory."""
        return os.listdir(self.sessions)

    def close(self):
        subprocess.run(["chmod", "-R", "u+rwX", self.dir], check=False)
        shutil.rmtree(self.sessions, ignore_errors=True)
        shutil.rmtree(self.dir, ignore_errors=True)


def files_of(show, folder):
    """Totals per path of what lies under a folder."""
    out = {}
    for e in show["executions"]:
        for f in e["files"]:
            if not f["path"].startswith(folder + "/"):
                continue
            got = out.setdefault(f["path"][len(folder) + 1:], [0, 0, 0, 0])
            for i, key in enumerate(("reads", "bytes_read", "writes", "bytes_written")):
                got[i] += f[key]
    return out


def graph_of(show, folder):
    """A record without what differs from run to run."""
    steps = sorted((e["how"], tuple(os.path.basename(a) for a in e["argv"]), str(e["status"]), str(e["signal"]), e["blind"],
                    e["replaced"], tuple(sorted(f["path"][len(folder):] for f in e["files"]
                                                if f["path"].startswith(folder + "/"))))
                   for e in show["executions"])
    holes = sorted((h["kind"], h["count"]) for h in show["holes"] if h["kind"] != "killed")
    return steps, files_of(show, folder), holes


def main(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--repeat", type=int, default=1, help="so many times as much of what is random")
    parser.add_argument("--seed", default=str(time.time_ns()), help="of what is random")
    parser.add_argument("cases", nargs="*")
    parser.parse_args(namespace=Options)
    chosen = [f for f in CASES if not Options.cases or f.__name__ in Options.cases]
    print("1..%d" % len(chosen), flush=True)
    print("# --seed %s" % Options.seed, flush=True)
    for n, f in enumerate(chosen, 1):
        name, began = f.__name__.replace("_", " "), time.monotonic()
        p = Place(f.__name__)
        try:
            f(p)
            print("ok %d - %s" % (n, name))
        except Skip as why:
            print("ok %d - %s # SKIP %s" % (n, name, why))
        except Exception as why:  # a case that fails in any way has failed
            print("not ok %d - %s" % (n, name))
            for line in ("%s: %s" % (type(why).__name__, why)).splitlines()[:20]:
                print("# " + line[:600])
        finally:
            p.close()
        print("# %.1f s" % (time.monotonic() - began), flush=True)
    shutil.rmtree(TOP, ignore_errors=True)
