# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""programs - applications as people run them: programs/NAME.sh, each with tiny inputs

A script says at its top which "needs" and "imports" it has, and which file "derives
RESULT from INPUT...". A result must be the same byte for byte in all runs, and the
record must lead from it to its inputs, on a screen.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import tempfile

import suite
import twice

HERE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "programs")
# Open MPI refuses to run as root, or on fewer cores than ranks, unless told.
ENV = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
       "OPENBLAS_NUM_THREADS": "1", "SOURCE": twice.TOP, "PYTHONHASHSEED": "0"}
SCREEN = 48


class Script:
    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as f:
            head = re.match(r"(?:#.*\n)*", f.read()).group(0)
        lines = [line[2:] for line in head.splitlines()[3:]]
        self.title = lines[0]
        words = [line.split() for line in lines[1:]]
        self.needs = [w for line in words if line[0] == "needs" for w in line[1:]]
        self.imports = [w for line in words if line[0] == "imports" for w in line[1:]]
        self.derives = [(line[1], line[3:]) for line in words if line[0] == "derives"]

    def want(self):
        missing = [p for p in self.needs if not shutil.which(p)]
        missing += [f"python3 module {m}" for m in self.imports if subprocess.run(
            ["/usr/bin/python3", "-c", "import importlib.util as u, sys; sys.exit(u.find_spec(sys.argv[1]) is None)", m],
            check=False).returncode]
        if missing:
            raise suite.Cannot("not installed: " + " ".join(missing))


def lineage(place, result, inputs):
    """What is wrong with the answer to where result came from."""
    path = os.path.join(place.base, "in", result)
    shown = twice.ask(place, "lineage", path)
    nodes = json.loads(twice.ask(place, "lineage", path, "--json"))["nodes"]
    paths = {n.get("path") for n in nodes}
    wrong = [f"{result} does not derive from {name}" for name in inputs
             if os.path.join(place.base, "in", name) not in paths]
    if shown.count("\n") > SCREEN:
        wrong.append(f"{result}: the lineage takes {shown.count(chr(10))} lines, {SCREEN} are a screen\n{shown}")
    suite.note(f"lineage of {result}: {shown.count(chr(10))} lines, {sum(not n.get('folded') for n in nodes)} nodes "
               f"shown of {len(nodes)}")
    return wrong


def run(prov, work, path):
    script = Script(path)
    script.want()
    place = twice.Place(prov, os.path.join(tempfile.mkdtemp(dir=work), "p"))
    verdict = twice.judge(place, ["sh", "-e", path], ENV)
    suite.note(verdict.tally)
    for text in verdict.once:
        suite.note("differed once and then not again: " + text)
    wrong = list(verdict.wrong)
    if verdict.bare[0].status != 0:
        wrong.append(f"bare it ends with {verdict.bare[0].status}: {verdict.bare[0].text('stderr')[-800:].decode()}")
    for result, inputs in script.derives:
        if len({o.items().get("in/" + result) for o in verdict.bare}) != 1:
            suite.note(f"{result}: bare runs do not agree with each other")
        wrong += lineage(place, result, inputs)
    shutil.rmtree(place.base, ignore_errors=True)
    if wrong:
        raise suite.Failed("\n".join(wrong))


def threads(prov, work, times):
    """Threads by far outnumber cores, again and again: no crash, and the same bytes."""
    if not shutil.which("gmx"):
        raise suite.Cannot("not installed: gmx")
    place = twice.Place(prov, os.path.join(tempfile.mkdtemp(dir=work), "p"))
    made = place.run(["sh", "-e", os.path.join(HERE, "gromacs.sh")], False, ENV)
    tpr = os.path.join(made.base, "in", "md.tpr")
    env = {**ENV, "OMP_NUM_THREADS": "32", "OMP_WAIT_POLICY": "passive"}
    command = ["gmx", "-quiet", "mdrun", "-s", tpr, "-ntmpi", "1", "-ntomp", "32", "-nsteps", "10", "-reprod",
               "-o", "traj.trr"]
    ends = {}
    for n in range(2 + times):
        done = place.run(command, n >= 2, env)
        end = (done.status, done.items().get("in/traj.trr"))
        ends.setdefault(end, []).append("bare" if n < 2 else f"recorded {n - 1}")
        twice.remove(done.base)
    shutil.rmtree(place.base, ignore_errors=True)
    suite.note(f"{times} recorded runs: {ends if len(ends) > 1 else next(iter(ends))}")
    if len(ends) > 1 or next(iter(ends))[0] != 0 or not next(iter(ends))[1]:
        raise suite.Failed(f"not always the same: {ends}")


def imports(prov, work):
    """Thousands of files are read by an import: nearly none are shown, all are kept."""
    place = twice.Place(prov, os.path.join(tempfile.mkdtemp(dir=work), "p"))
    module = next(m for m in ("sklearn", "numpy", "unittest, asyncio, sqlite3, json, email, http.server")
                  if subprocess.run(["/usr/bin/python3", "-c", "import " + m], check=False,
                                    stderr=subprocess.DEVNULL).returncode == 0)
    place.run(["/usr/bin/python3", "-c", f"import {module}, sys; open('names', 'w').writelines("
               "m.__file__ + '\\n' for m in list(sys.modules.values()) if getattr(m, '__file__', None)"
               " and getattr(m.__spec__, 'origin', None) == m.__file__)"], True)
    with open(os.path.join(place.base, f"run{place.n}", "in", "names"), encoding="utf-8") as f:
        loaded = {os.path.realpath(line.strip()) for line in f}
    nodes = json.loads(twice.ask(place, "lineage", os.path.join(place.base, "in", "names"), "--json"))["nodes"]
    shown = [n for n in nodes if not n["folded"]]
    kept = {os.path.realpath(n["path"]) for n in nodes if n.get("path")}
    # A module comes from its source or from the cache beside it.
    lost = [p for p in loaded if p not in kept and not any(
        os.path.basename(k).startswith(os.path.basename(p)[:-2]) for k in kept)]
    suite.note(f"import {module}: {len(loaded)} modules from files, {len(nodes)} nodes kept, {len(shown)} shown")
    if len(shown) > 20 or lost:
        raise suite.Failed(f"{len(shown)} nodes are shown; not kept: {lost[:5]}")


def cases(prov, work, everything):
    found = []
    for path in sorted(glob.glob(os.path.join(HERE, "*.sh"))):
        found.append((f"program: {Script(path).title}", lambda path=path: run(prov, work, path)))
    times = 100 if everything else 3
    found.append(("program: GROMACS with 32 threads, many times", lambda: threads(prov, work, times)))
    found.append(("program: what python imports is kept and not shown", lambda: imports(prov, work)))
    return found
