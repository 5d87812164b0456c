# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""node.py - a provd in a place of its own, and users who meet it"""
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time

PROV = os.environ["PROV"]
PROVD = os.path.join(os.environ["BUILD"], "src", "provd", "provd")
MAGIC = 0x766F7270
ASK, STATUS, TRACK, GRANULARITY, METRICS, OK, REFUSED, PROBE = range(1, 9)
# Numbers that no account has; their ranges are the service's.
ADA, BOB, EVE = 60101, 60102, 60201	# Eve is in no range


CASES = []  # functions of a Node, and what they need


def case(needs=()):
    def add(f):
        CASES.append((f, needs))
        return f
    return add


def until(what, seconds=20):
    """What is waited for, once it is true."""
    end = time.monotonic() + seconds
    while True:
        got = what()
        if got or time.monotonic() > end:
            return got
        time.sleep(0.05)


def as_user(uid, *command, groups=()):
    extra = ["--groups", ",".join(map(str, groups))] if groups else ["--clear-groups"]
    return ["setpriv", "--reuid", str(uid), "--regid", str(uid), *extra, *command]


def can_become_user():
    """Others must be able to run what was built."""
    return os.geteuid() == 0 and shutil.which("setpriv") and subprocess.run(
        as_user(ADA, PROV, "version"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        check=False).returncode == 0


class Node:
    """A service of one test: its settings, folders and log."""

    def __init__(self, **settings):
        self.dir = os.path.realpath(tempfile.mkdtemp(prefix="prov-t-provd-"))
        os.chmod(self.dir, 0o755)
        for name, mode in (("etc", 0o755), ("work", 0o777)):
            os.mkdir(os.path.join(self.dir, name))
            os.chmod(os.path.join(self.dir, name), mode)
        self.work = os.path.join(self.dir, "work")
        self.socket = os.path.join(self.dir, "run", "provd.sock")
        self.stores = os.path.join(self.dir, "stores")
        self.spool = os.path.join(self.dir, "spool")
        self.log = os.path.join(self.dir, "log")
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith(("PROV_", "LD_PRELOAD", "SLURM_"))}
        self.env.update(PROV_ETC=os.path.join(self.dir, "etc"), HOME=self.work)
        self.settings = {"socket": self.socket, "stores": self.stores, "spool": self.spool,
                         "session": os.path.join(self.dir, "run"),
                         "touch": os.path.join(self.dir, "touch"), "uids": f"{ADA}-{BOB}"}
        self.configure(**settings)
        self.process = None
        self.others = []

    def configure(self, **settings):
        self.settings.update(settings)
        with open(os.path.join(self.dir, "etc", "prov.conf"), "w", encoding="ascii") as f:
            f.write("[provd]\n" + "".join(f"{k} = {v}\n" for k, v in self.settings.items()))

    def start(self, **env):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([PROVD], env=dict(self.env, **env), stderr=log,
                                            stdout=log, stdin=subprocess.DEVNULL)
        lines = self.said().count("listening at")
        until(lambda: self.said().count("listening at") > lines or
              self.process.poll() is not None)
        return self

    def said(self):
        try:
            with open(self.log, encoding="utf-8", errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def stop(self, how=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(60) if self.process else None

    def close(self):
        for p in self.others:
            if p.poll() is None:
                p.kill()
            p.wait()
        self.stop(signal.SIGTERM)
        shutil.rmtree(self.dir, ignore_errors=True)

    # ---- as a user ----
    def environ(self, uid, **env):
        return dict(self.env, PROV_STORE=os.path.join(self.work, f"of-{uid}", "prov.db"), **env)

    def prov(self, uid, *args, groups=(), **how):
        command = as_user(uid, PROV, *args, groups=groups) if uid else [PROV, *args]
        return subprocess.run(command, env=self.environ(uid), cwd=self.work, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60, **how)

    def begin(self, uid, *command, **env):
        """A command of a user, as a login or a scheduler starts it."""
        p = subprocess.Popen(as_user(uid, *command), env=self.environ(uid, **env), cwd=self.work,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, start_new_session=True)
        self.others.append(p)
        return p

    def status(self, uid=0, **how):
        return json.loads(self.prov(uid, "status", "--json", **how).stdout)

    def recorded(self, uid):
        """Runs of the user that the service records now."""
        return [r for r in self.status()["runs"] if r["uid"] == uid]

    # ---- what the node knows ----
    def store(self, uid):
        return os.path.join(self.stores, str(uid), "prov.db")

    def ask(self, uid, *args):
        """Of the node's own store, as root."""
        env = dict(self.env, PROV_STORE=self.store(uid), PROV_ETC="/nonexistent")
        r = subprocess.run([PROV, *args], env=env, stdin=subprocess.DEVNULL, check=False,
                           cwd=self.work, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return r.stdout.decode("utf-8", "replace")

    def runs(self, uid):
        if not os.path.exists(self.store(uid)):
            return []
        return json.loads(self.ask(uid, "log", "--json"))["runs"]

    def show(self, uid, run):
        return json.loads(self.ask(uid, "show", run, "--all", "--json"))

    def whole(self, uid, n=1):
        """The runs of a user in the node's store, once n have ended."""
        return until(lambda: [r for r in self.runs(uid) if r["end"]][:n] if
                     len([r for r in self.runs(uid) if r["end"]]) >= n else [])

    # ---- on the socket itself ----
    def connect(self):
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(30)
        s.connect(self.socket)
        return s

    def say(self, kind, payload=b""):
        with self.connect() as s:
            s.sendall(struct.pack("<III", MAGIC, kind, len(payload)) + payload)
            s.shutdown(socket.SHUT_WR)
            return hear(s)


def hear(s):
    """All messages until the other side hangs up."""
    got = b""
    try:
        while chunk := s.recv(65536):
            got += chunk
    except ConnectionResetError:
        pass
    out = []
    while len(got) >= 12:
        _, kind, size = struct.unpack("<III", got[:12])
        out.append((kind, got[12:12 + size]))
        got = got[12 + size:]
    return out
