# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""pair.py - one command run twice, bare and recorded, and what may not differ; TAP

same() compares what the command printed and how it ended, then lets the caller
look at the record. PROV_REPEAT=N, or --repeat N, runs each case N times.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROV = os.environ["PROV"]
# What preload must tell that it cannot see, the others see.
ENGINE = os.environ.get("PROV_ENGINE", "preload")
CI = os.environ.get("CI") == "true"
TOP = os.path.realpath(tempfile.mkdtemp(prefix="prov-t-pair-"))
ENV = dict(os.environ, PROV_STORE=os.path.join(TOP, "store", "p.db"), LC_ALL="C", TZ="UTC")
ENV.pop("LD_PRELOAD", None)
RESULTS = []
REPEAT = int(os.environ.get("PROV_REPEAT", "0"))
# A hang is an answer like any other, and the wrong one.
HUNG = 240


def execute(command, folder, env, limits=None):
    """Status, stdout, stderr; a status of None is a program that did not end."""
    os.makedirs(folder, exist_ok=True)
    p = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, preexec_fn=limits, start_new_session=True)
    try:
        out, err = p.communicate(timeout=HUNG)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        return None, b"", b"hung for %d s" % HUNG
    return p.returncode, out, err


def report(name, problems, skip=None):
    n = len(RESULTS) + 1
    RESULTS.append(not problems)
    if skip:
        print("ok %d - %s # SKIP %s" % (n, name, skip))
    else:
        print("%s %d - %s" % ("not ok" if problems else "ok", n, name))
        for p in problems:
            print("# " + str(p)[:600].replace("\n", "\n# "))
    sys.stdout.flush()


def record_of(env):
    r = subprocess.run([PROV, "show", "@", "--json"], env=env, stdout=subprocess.PIPE, check=True)
    return json.loads(r.stdout)


def whole(record):
    """Nothing was lost, and no hole tells that something could have been."""
    assert record["run"]["lost"] == 0, "%d records were lost" % record["run"]["lost"]
    bad = [h for h in record["holes"] if h["kind"] in ("lost", "damaged", "closed", "unseen")]
    assert not bad, bad


def same(name, command, env=None, limits=None, times=1, check=None, shell_prov=None, prepare=None,
         lossy=False, unrecorded=False):
    """One case: bare and recorded must agree; then check(record, folder). With
    lossy, prov may say at the end what it could not record; unrecorded, it must say that
    it records nothing."""
    problems = []
    env = dict(ENV, **(env or {}))
    times = max(times, REPEAT)
    for i in range(times):
        work = os.path.join(TOP, "w%d.%d" % (len(RESULTS), i))
        results = []
        for under in ([], shell_prov or [PROV, "run", "--quiet", "--"]):
            os.makedirs(os.path.join(work, "work"))
            if prepare:
                prepare(os.path.join(work, "work"))
            whom = under if under and shell_prov else under + command
            results.append(execute(whom, os.path.join(work, "work"), env, limits))
            if not under:
                os.rename(os.path.join(work, "work"), os.path.join(work, "bare"))
        if lossy:
            status, out, err = results[1]
            results[1] = status, out, re.sub(rb"(\A|\n)prov: run r[^\n]* lost[^\n]*\n\Z", rb"\1", err)
        if unrecorded:
            status, out, err = results[1]
            rest = re.sub(rb"(prov: run: [^\n]*\n)*prov: run: [^\n]* runs without being recorded\n\Z", b"", err)
            if rest == err:
                problems.append("prov does not say that it records nothing: %r" % err)
            results[1] = status, out, rest
        for what, a, b in zip(("status", "stdout", "stderr"), *results):
            if a != b:
                problems.append("%s: %r is %r under prov" % (what, a, b))
        if not problems and check:
            try:
                check(record_of(env), os.path.join(work, "work"))
            except AssertionError as why:
                problems.append("record: %s" % why)
        shutil.rmtree(work, ignore_errors=True)
        if problems:
            problems.append("in repetition %d of %d" % (i + 1, times))
            break
    report(name + (" (%d times)" % times if times > 1 else ""), problems)


def build(source, out, *flags, compiler="cc"):
    path = os.path.join(TOP, out)
    subprocess.run([compiler, "-O1", "-o", path, os.path.join(HERE, "harmless.d", source), *flags], check=True)
    return path


def files(record):
    return {f["path"]: f for e in record["executions"] for f in e["files"]}


def total(record, path, what):
    return sum(f[what] for e in record["executions"] for f in e["files"] if f["path"] == path)


def written(record, path):
    return total(record, path, "bytes_written")


def sizes(record, work, names):
    """Every byte in these files is on record as written."""
    for name in names:
        path = os.path.join(work, name)
        assert written(record, path) == os.path.getsize(path), \
            "%s has %d bytes, %d are recorded" % (name, os.path.getsize(path), written(record, path))


def has(program):
    return shutil.which(program) is not None


def library(name):
    """The path of a shared library that is preloaded, or None."""
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"):
        if os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    return None


def missing(name, what):
    """A missing program is a failure where it must be there, else a visible skip."""
    report(name, ["%s is not installed" % what] if CI else [], None if CI else what + " is not installed")


def main(*parts):
    """Runs the parts that the command line names, or all."""
    global REPEAT
    wanted = sys.argv[1:]
    if wanted[:1] == ["--repeat"]:
        REPEAT = int(wanted[1])
        wanted = wanted[2:]
    try:
        for part in parts:
            if not wanted or part.__name__ in wanted:
                part()
        print("1..%d" % len(RESULTS))
    finally:
        shutil.rmtree(TOP, ignore_errors=True)
