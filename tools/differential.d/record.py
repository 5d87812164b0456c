# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""record - what prov says of a run, in the shape of truth.Truth"""
import dataclasses
import json
import os
import subprocess

# Kinds of object that strace's side tells of too.
COMPARED = {"file", "pipe", "memory"}
FLAGS = {"read": "read", "write": "written", "create": "created", "truncate": "truncated"}


@dataclasses.dataclass(eq=False)
class Execution:
    id: str
    parent: str
    pid: int
    exe: str
    argv: list
    start: str
    status: int | None
    signal: int
    files: list
    folders: list
    how: str
    blind: bool


@dataclasses.dataclass
class Name:
    event: str
    execution: str
    source: bytes
    target: bytes


class Record:
    def __init__(self, shown):
        self.run = shown["run"]
        self.holes = shown["holes"]
        kinds = {o["id"]: o["kind"] for o in shown["objects"]}
        self.executions = {}
        for e in shown["executions"]:
            # what is inferred (a mapping that a fork has inherited) no call shows
            sure = [f for f in e["files"] if not f.get("unsure")]
            files = [f for f in sure if kinds[f["object"]] in COMPARED]
            folders = [f for f in sure if kinds[f["object"]] == "directory"]
            self.executions[e["id"]] = Execution(
                e["id"], e["parent"], e["pid"], e["exe"] or "", e["argv"], e["start"] or "",
                e["status"], e["signal"] or 0, files, folders,
                e["how"], e["blind"])
        # Folders that go away are none of strace's rows.
        names = [n for n in shown["names"]
                 if n["event"] != "unlink" or kinds.get(n["object"]) != "directory"]
        self.names = [Name(n["event"], n["execution"], os.fsencode(n["from"] or ""),
                           os.fsencode(n["to"] or "")) for n in names]

    def replaced(self, name):
        """Is it the end of a file whose name another took over by a rename?"""
        return name.event == "unlink" and any(
            n.event == "rename" and n.execution == name.execution and n.target == name.source
            for n in self.names)

    def of_traced(self):
        """By process id, in order of start: all but strace's own."""
        result = {}
        for e in sorted(self.executions.values(), key=lambda e: e.start):
            if os.path.basename(e.exe) != "strace":
                result.setdefault(e.pid, []).append(e)
        return result


def ask(prov, env, *words):
    done = subprocess.run([prov, *words], env=env, stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise SystemExit(f"differential: {' '.join([prov, *words])} failed: {done.returncode}")
    return json.loads(done.stdout)


def load(prov, env):
    """The only run of the store that env names."""
    runs = ask(prov, env, "log", "--json")
    if isinstance(runs, dict):
        runs = runs["runs"]
    if len(runs) != 1:
        raise SystemExit(f"differential: the store holds {len(runs)} runs instead of one")
    return Record(ask(prov, env, "show", runs[0]["id"], "--json", "--all"))
