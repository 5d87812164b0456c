# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""trees - thousands of files at once: unpacked, committed, checked out

The trees are the same with and without prov, and the record has every file of them,
with as many bytes as it has.
"""
import json
import os
import shutil

import sources
import suite
import twice

SCRIPT = """
tar -xf "$1"
cd *
git init -q -b main .
git add -A
git commit -q -m first
cd ..
git clone -q -s */. copy
rm -rf copy/.git
"""
ENV = {"GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000", "GIT_CONFIG_GLOBAL": "/dev/null",
       "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}


def written(place):
    """Bytes written to each path of the last run."""
    record = json.loads(twice.ask(place, "show", "@", "--json"))
    found = {}
    for execution in record["executions"]:
        for file in execution["files"]:
            found[file["path"]] = found.get(file["path"], 0) + file["bytes_written"]
    return found, record["holes"]


def missing(tree, at, found):
    """Files of tree, which was made at another name, that are not on record as they are."""
    n = 0
    for folder, folders, names in os.walk(tree):
        folders[:] = [d for d in folders if d != ".git"]
        for name in names:
            path = os.path.join(folder, name)
            told = found.get(at + path[len(tree):])
            n += 1
            if not os.path.islink(path) and told != os.path.getsize(path):
                yield f"{path[len(tree):]}: {os.path.getsize(path)} bytes, on record {told}"
    if n < 500:
        yield f"only {n} files: no big tree"
    suite.note(f"{n} files")


def case(prov, work, kept, package):
    if not shutil.which("git"):
        raise suite.Skip("not installed: git")
    archive, = [p for p in sources.fetch(package, kept) if ".orig.tar." in p or p.endswith(".orig.tar")][:1]
    place = twice.Place(prov, os.path.join(work, "tree-" + package))
    verdict = twice.judge(place, ["sh", "-e", "-c", SCRIPT, "sh", archive], ENV)
    suite.note(verdict.tally)
    wrong = list(verdict.wrong)
    if verdict.bare[0].status:
        wrong.append(verdict.bare[0].text("stderr").decode())
    found, holes = written(place)
    wrong += [f"hole: {hole}" for hole in holes]
    wrong += list(missing(os.path.join(verdict.recorded[-1].base, "in"), os.path.join(place.base, "in"), found))[:20]
    shutil.rmtree(place.base, ignore_errors=True)
    if wrong:
        raise suite.Failed("\n".join(wrong))


def cases(prov, work, kept, everything):
    package = "perl" if everything else "coreutils"
    return [("tree: the source of a package, unpacked, committed and cloned", lambda: case(prov, work, kept, package))]
