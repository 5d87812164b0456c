# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""Journals that were cut or changed, disks that are full or broken, limits on files."""
import json
import os
import re
import shutil
import subprocess

from lib import PROV, Skip, build, build_static, case, equal, files_of, graph_of

FOLDER = re.compile(rb"/dev/shm/[^\0]*?/prov-[0-9]+-r[0-9a-f]{16}")


def waiting_journal(p, *command):
    """A journal whose store was a folder, and whose session is gone."""
    os.makedirs(p.store)
    r = p.run(*command)
    assert b"waits in" in r.stderr, r.stderr
    os.rmdir(p.store)
    journal, = p.spool()
    return journal


def take_in(p, journal, variants, prov):
    """Puts variants of a journal into the spool; what prov says, by number."""
    kept = open(journal, "rb").read()
    os.unlink(journal)
    for n, data in variants:
        with open(journal.replace(".journal", "-%05d.journal" % n), "wb") as f:
            f.write(data)
    r = subprocess.run([prov, "log"], env=p.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    equal(r.returncode, 0, r.stderr[-2000:])
    said = {}
    for line in r.stderr.decode().splitlines():
        for n in re.findall(r"-(\d{5})\.journal", line):
            said.setdefault(int(n), []).append(line)
    for left in p.spool():
        os.unlink(left)
    with open(journal, "wb") as f:
        f.write(kept)
    return said, r.stderr.decode()


def blocks_of(data):
    at = [8]
    while at[-1] < len(data):
        at.append(at[-1] + 16 + int.from_bytes(data[at[-1] + 4:at[-1] + 8], "little"))
    return at


@case
def a_journal_cut_or_changed_at_any_byte_is_taken_in_up_to_there_and_it_is_said(p):
    journal = waiting_journal(p, build("steady"), "1", "0", build_static())
    data = open(journal, "rb").read()
    ends = blocks_of(data)
    equal(ends[-1], len(data))
    other = os.path.join(os.environ["SOURCE"], "build-asan", "src", "prov", "prov")
    for prov in [PROV] + ([other] if os.path.exists(other) else []):
        said, _ = take_in(p, journal, [(n, data[:n]) for n in range(len(data))], prov)
        for n in range(len(data)):
            text = " ".join(said.get(n, []))
            if n < 8:
                assert "not a journal of prov" in text, (n, text)
            elif n < ends[1]:
                assert "nothing in it can be read" in text, (n, text)
            elif n not in ends:
                assert "damaged after byte %d of %d" % (max(e for e in ends if e <= n), n) in text, (n, text)
        said, _ = take_in(p, journal, [(n, data[:n] + bytes([data[n] ^ (1 << n % 8)]) + data[n + 1:])
                                       for n in range(len(data))], prov)
        for n in range(len(data)):
            text = " ".join(said.get(n, []))
            assert re.search("not a journal|nothing in it can be read|damaged after byte", text), (n, text)


@case
def what_lies_before_the_damage_is_answered(p):
    journal = waiting_journal(p, build("steady"), "30", "0", "")
    data = open(journal, "rb").read()
    ends = blocks_of(data)
    at = (ends[-2] + ends[-1]) // 2
    for wrong in (data[:at], data[:at] + bytes([data[at] ^ 255]) + data[at + 1:]):
        with open(journal, "wb") as f:
            f.write(wrong)
        r = p.prov("log")
        assert b"damaged after byte %d" % ends[-2] in r.stderr, r.stderr
        show = p.show()
        assert show["run"]["recovered"] and len(files_of(show, p.work)) > 0
        equal(p.prov("log").stderr, b"")
        os.unlink(p.store)


def inside(p, script, *args, **env):
    """A shell in a mount namespace of its own; $D is an empty folder to mount on."""
    if os.getuid() != 0:
        raise Skip("mounting a small file system needs root")
    mount = os.path.join(p.dir, "mnt")
    os.makedirs(mount, exist_ok=True)
    p.fresh()
    return subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", *args], cwd=p.work, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=170, check=False,
                          env=dict(p.env, D=mount, PROV=PROV, STEADY=build("steady"), **env))


# The program's output and status go to the test; then there is room again, and
# the next command says what is on record.
STORE_IS_FULL = """
mount -t tmpfs -o $1 none "$D" || exit 90
"$PROV" run -- "$STEADY" 20 0 ""; s=$?
mount -o remount,size=64m,nr_inodes=1k "$D" || exit 91
echo --; "$PROV" show @ --json >"$D/show" 2>"$D/said"; cat "$D/said" >&2
cat "$D/show"; ls "$D/spool" >&2
exit $s
"""


@case
def a_disk_that_fills_up_at_any_point_costs_nothing_for_good(p):
    r = p.run(build("steady"), "20", "0", "")
    expected, graph = r.stdout, graph_of(p.show(), p.work)
    stages = set()
    sizes = [4, 8, 12, 16, 20, 28, 36, 44, 60, 80, 120, 180, 240, 300, 360, 420, 500, 800, 1500]
    for size in ["size=4k,nr_inodes=2"] + ["size=%dk" % n for n in sizes]:
        r = inside(p, STORE_IS_FULL, size, PROV_STORE=os.path.join(p.dir, "mnt", "p.db"))
        err = r.stderr.decode()
        out, _, show = r.stdout.partition(b"--\n")
        equal((r.returncode, out == expected), (11, True), "%s: %s" % (size, err))
        if "without being recorded" in err:
            stages.add("nothing")
            assert "No space left" in err, err
            continue
        stages.add("rest" if "/rest" in err else "journal" if "waits in" in err else "whole")
        if "waits in" in err:
            assert re.search("[Nn]o space left", err), err
            assert "taken in from its journal" in err, err
        assert "end of this run is lost" not in err, err
        got = graph_of(json.loads(show), p.work)
        assert got == graph, "%s: %s" % (size, err)
        equal(p.left(), [], "%s: %s" % (size, err))
    equal(stages, {"nothing", "rest", "journal", "whole"})


SESSION_IS_FULL = """
mount -t tmpfs -o size=$1 none "$D" || exit 90
"$PROV" run -- "$STEADY" 20 0 ""; s=$?
echo --; "$PROV" show @ --json; ls "$D" >&2
exit $s
"""


@case
def shared_memory_that_fills_up_at_any_point_is_counted(p):
    r = p.run(build("steady"), "20", "0", "")
    expected, seen = r.stdout, set()
    for size in (4, 100, 300, 330, 400, 500, 700, 1300, 3000):
        shutil.rmtree(os.path.dirname(p.store), ignore_errors=True)
        r = inside(p, SESSION_IS_FULL, "%dk" % size, PROV_SESSION_DIR=os.path.join(p.dir, "mnt"))
        err = r.stderr.decode()
        out, _, show = r.stdout.partition(b"--\n")
        equal((r.returncode, out == expected), (11, True), "%d KiB: %s" % (size, err))
        if "without being recorded" in err:
            seen.add("nothing")
            assert "free some or set session.dir" in err, err
            continue
        show = json.loads(show)
        lost = show["run"]["lost"]
        counted = sum(h["count"] for h in show["holes"] if h["kind"] == "lost")
        equal(counted, lost, "%d KiB" % size)
        equal(re.search("([0-9]+) lost", err).group(1), str(lost))
        seen.add("part" if lost else "whole")
        if not lost:
            equal(len(files_of(show, p.work)), 820)
    equal(seen, {"nothing", "part", "whole"})


OUTPUT_IS_FULL = """
mount -t tmpfs -o size=256k none "$D" || exit 90
echo before >"$D/$2"; head -c 1m /dev/zero >"$D/z" 2>/dev/null
"$PROV" $1 -o "$D/$2"; s=$?
echo "$s"; cat "$D/$2"; ls -A "$D"
"""


@case
def an_answer_that_does_not_fit_leaves_what_was_there(p):
    p.run(build("steady"), "20", "0", "")
    p.n -= 1
    shutil.rmtree(p.work)
    for command, name in (("export @ --format=prov-json", "out"), ("graph @", "out.dot"), ("graph @", "out.svg")):
        r = inside(p, OUTPUT_IS_FULL, command, name)
        p.n -= 1
        shutil.rmtree(p.work)
        equal(r.stdout.decode(), "3\nbefore\n%s\nz\n" % name, r.stderr)
        assert b"No space left on device" in r.stderr, r.stderr
    for command in (["export", "@", "--format=prov-json"], ["show", "@", "--json"], ["log"]):
        with open("/dev/full", "wb") as full:
            r = subprocess.run([PROV, *command], env=p.env, stdout=full, stderr=subprocess.PIPE, check=False)
        equal((r.returncode, b"No space left on device" in r.stderr), (3, True), command)


@case
def a_limit_on_file_sizes_keeps_program_and_record(p):
    bare = subprocess.run(["sh", "-c", "ulimit -f 100; exec %s 5 0 ''" % build("steady")], cwd=p.work,
                          stdout=subprocess.PIPE, check=False)
    seen = set()
    for blocks in (0, 1, 8, 64, 512, 2600, 4000, 600000):
        p.fresh()
        shutil.rmtree(os.path.dirname(p.store), ignore_errors=True)
        r = subprocess.run(["sh", "-c", 'ulimit -f $1; exec "$0" run -- "$2" 5 0 ""', PROV, str(blocks), build("steady")],
                           cwd=p.work, env=p.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        err = r.stderr.decode()
        if blocks == 0:     # the program itself cannot write
            equal((r.returncode, "File too large" in err), (-25, True), err)
            continue
        equal((r.returncode, r.stdout == bare.stdout), (11, True), "%d: %s" % (blocks, err))
        if "without being recorded" in err:
            seen.add("nothing")
            assert "File too large" in err and ("ulimit -f" in err or "journal" in err), err
            continue
        if "waits in" in err:
            seen.add("waits")
            r = subprocess.run(["sh", "-c", 'ulimit -f 8; exec "$0" log', PROV], env=p.env, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, check=False)
            assert r.returncode >= 0 and b"still waits" in r.stderr, (r.returncode, r.stderr)
            assert b"taken in from its journal" in p.prov("log").stderr
        else:
            seen.add("whole")
        equal(len(files_of(p.show(), p.work)), 205)
    assert "nothing" in seen and "whole" in seen, seen


def strace(p, inject, *command):
    return subprocess.run(["strace", "-o", "/dev/null", "-e", "trace=" + inject.split(":")[0], "-e",
                           "inject=" + inject, *command],
                          cwd=p.work, env=p.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


@case
def a_disk_that_fails_any_write_of_the_store_costs_nothing_for_good(p):
    if not shutil.which("strace"):
        raise Skip("strace is not installed")
    r = p.run(build("steady"), "5", "0", "")
    expected, graph = r.stdout, graph_of(p.show(), p.work)
    seen = set()
    for call, error in (("pwrite64", "EIO"), ("fdatasync", "EIO"), ("pwrite64", "EDQUOT"), ("fsync", "EIO")):
        for when in (1, 2, 3, 5, 8, 13, 21, 34):
            p.fresh()
            shutil.rmtree(os.path.dirname(p.store), ignore_errors=True)
            r = strace(p, "%s:error=%s:when=%d+" % (call, error, when), PROV, "run", "--", build("steady"), "5", "0", "")
            context = "%s %s %d: %s" % (call, error, when, r.stderr.decode())
            equal((r.returncode, r.stdout == expected), (11, True), context)
            waits = b"waits in" in r.stderr
            seen.add(waits)
            if waits:
                r = strace(p, "%s:error=%s:when=%d+" % (call, error, when), PROV, "log")
                assert b"still waits" in r.stderr or r.returncode == 0, r.stderr
            r = p.prov("log")
            equal((r.returncode, p.spool()), (0, []), context)
            assert graph_of(p.show(), p.work) == graph, context
    equal(seen, {True, False})


@case
def a_journal_that_cannot_be_written_costs_nothing_for_good(p):
    if not shutil.which("strace"):
        raise Skip("strace is not installed")
    r = p.run(build("steady"), "5", "0", "")
    expected, graph = r.stdout, graph_of(p.show(), p.work)
    for when in range(1, 8):
        p.fresh()
        shutil.rmtree(os.path.dirname(p.store), ignore_errors=True)
        r = strace(p, "write:error=EIO:when=%d" % when, PROV, "run", "--", build("steady"), "5", "0", "")
        context = "write %d: %s" % (when, r.stderr.decode())
        equal((r.returncode, r.stdout == expected), (11, True), context)
        if b"without being recorded" in r.stderr:
            continue
        p.prov("log")
        equal((p.spool(), p.left()), ([], []), context)
        assert graph_of(p.show(), p.work) == graph, context


@case
def a_place_that_is_read_only_or_forbidden_keeps_the_program(p):
    for script, what in (('mount -t tmpfs -o ro none "$D"', "Read-only file system"),
                         ('mount -t tmpfs none "$D" && mkdir "$D/spool" && chmod 0 "$D/spool"', "Permission denied")):
        r = inside(p, script + ' && chmod 755 "%s" && exec setpriv $1 "$PROV" run -- "$STEADY" 1 0 ""' % p.dir,
                   "--inh-caps=-all" if "ro" in script else "--reuid=65534 --clear-groups",
                   PROV_STORE=os.path.join(p.dir, "mnt", "p.db"), PROV_SESSION_DIR="")
        if "Permission" in what and r.returncode == 127:
            raise Skip("the build folder is not open to other users")
        err = r.stderr.decode()
        assert what in err or "cannot make this folder" in err, err
        assert "without being recorded" in err, err
