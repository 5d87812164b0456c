# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""The program is killed, prov is killed, the next command is killed."""
import json
import os
import re
import signal
import sqlite3
import struct
import subprocess
import time

from lib import PROV, PYTHON, Options, Place, build, build_static, case, equal, files_of, graph_of, wait_for

NOTES = struct.Struct("<4Q32x")


def start_steps(p, processes, threads, ending):
    p.fresh()
    notes = os.path.join(p.dir, "notes%d" % p.n)
    # not in the same process group as this test: one case kills a whole group
    proc = p.start(build("steps"), notes, str(processes), str(threads), ending, start_new_session=True)
    wait_for(lambda: os.path.exists(notes) and os.path.getsize(notes) and
             all(n[0] for n in NOTES.iter_unpack(open(notes, "rb").read())) or proc.poll() is not None)
    return proc, notes


def children_of(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as f:
        return [int(x) for x in f.read().split()]


def is_dead(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8", errors="replace") as f:
            return f.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except FileNotFoundError:
        return True


def group_is_gone(pgid):
    try:
        os.killpg(pgid, 0)
    except ProcessLookupError:
        return True
    return False


def check_notes(p, notes, show, context):
    """The record holds all that was noted, and per thread at most one call more."""
    got = {}
    for path, n in files_of(show, p.work).items():
        thread = path.split("/")[0]
        if thread != path:
            t = got.setdefault(thread, [set(), 0, 0, 0])
            # a file is found under each of its names
            t[0].add(re.sub("/[ab]", "/", path))
            t[1] += n[3]
    for name in show["names"]:
        thread = name["from"][len(p.work) + 1:].split("/")[0]
        if thread in got:
            got[thread][2 if name["event"] == "rename" else 3] += 1
    for i, said in enumerate(NOTES.iter_unpack(open(notes, "rb").read())):
        files, size, renamed, unlinked = got.get("t%d" % i, [(), 0, 0, 0])
        recorded = (len(files), size // 7, renamed, unlinked)
        said = (said[0], said[1] // 7, said[2], said[3])
        more = [r - s for r, s in zip(recorded, said)]
        assert min(more) >= 0 and sum(more) <= 1, "%s: thread %d noted %r, on record %r" % (context, i, said, recorded)


@case
def a_program_killed_at_any_moment_leaves_all_it_had_done(p):
    for i in range(200 * Options.repeat):
        processes, threads = p.random.choice([(1, 1), (1, 3), (2, 2), (3, 1)])
        proc, notes = start_steps(p, processes, threads, "kill")
        time.sleep(p.random.uniform(0, 0.01))
        root, = children_of(proc.pid)
        for pid in children_of(root) + [root]:
            if not is_dead(pid):
                os.kill(pid, signal.SIGKILL)
            wait_for(lambda: is_dead(pid))
        equal(proc.wait(60), -signal.SIGKILL)
        show = p.show()
        equal((show["run"]["signal"], show["run"]["lost"], show["holes"]), (9, 0, []))
        check_notes(p, notes, show, "kill %d" % i)
        subprocess.run(["rm", "-r", p.work], check=True)


@case
def a_program_that_ends_itself_in_any_way_leaves_all_it_had_done(p):
    endings = {"abort": -signal.SIGABRT, "exit": 7, "segv": -signal.SIGSEGV, "cpu": -signal.SIGKILL}
    for ending, status in endings.items():
        for threads in (1, 4) if ending != "cpu" else (2,):
            proc, notes = start_steps(p, 1, threads, ending)
            equal(proc.wait(60), status, ending)
            check_notes(p, notes, p.show(), ending)


@case
def a_process_group_killed_with_prov_in_it_leaves_all_it_had_done(p):
    for i in range(12 * Options.repeat):
        proc, notes = start_steps(p, 2, 2, "kill")
        time.sleep(p.random.uniform(0, 0.02))
        os.killpg(proc.pid, signal.SIGKILL)
        equal(proc.wait(60), -signal.SIGKILL)
        wait_for(lambda: group_is_gone(proc.pid))
        r = p.prov("log")
        assert b"was killed during it" in r.stderr, r.stderr
        show = p.show()
        equal((show["run"]["recovered"], show["run"]["status"], show["run"]["lost"]), (True, None, 0))
        check_notes(p, notes, show, "group %d" % i)
        equal((p.spool(), p.left()), ([], []))


def steady(p, rounds, pause, **kw):
    p.fresh()
    return p.start(build("steady"), str(rounds), str(pause), build_static(), **kw)


def undisturbed(p, rounds, pause):
    proc = steady(p, rounds, pause)
    out, err = proc.communicate(timeout=60)
    equal((proc.returncode, err), (11, b""))
    return out, graph_of(p.show(), p.work)


def without_root_status(graph):
    steps, files, holes = graph
    return [s for s in steps if s[0] != "root"], [s[:2] + s[4:] for s in steps if s[0] == "root"], files, holes


@case
def prov_killed_at_any_moment_harms_nobody_and_loses_nothing(p):
    began = time.monotonic()
    expected, graph = undisturbed(p, 25, 5000)
    length = time.monotonic() - began
    took = []
    for i in range(20 * Options.repeat):
        proc = steady(p, 25, 5000)
        # anywhere, from before the program's first line to its end
        time.sleep(p.random.uniform(0.01, length))
        proc.kill()
        out = proc.stdout.read()    # until the program, too, has closed it
        status = proc.wait(60)
        equal((out == expected, proc.stderr.read()), (True, b""), "kill %d" % i)
        if status == 11:
            continue    # it was too late
        equal(status, -signal.SIGKILL)
        wait_for(lambda: b"still runs" not in p.prov("log").stderr)
        show = p.show()
        # the last of its life is spent with everything in the store already
        assert (show["run"]["recovered"], show["run"]["status"]) in ((True, None), (False, 11)), show["run"]
        got = graph_of(show, p.work)
        for part, a, b in zip(("steps", "root", "files", "holes"), without_root_status(got), without_root_status(graph)):
            if isinstance(a, dict):
                a, b = sorted(a.items()), sorted(b.items())
            assert a == b, "kill %d: %s: only now %r, only undisturbed %r" % (
                i, part, [x for x in a if x not in b][:3], [x for x in b if x not in a][:3])
        took.append(len(got[0]))
        equal((p.spool(), p.left()), ([], []))
    assert took


@case
def what_prov_had_settled_when_it_was_killed_counts_once(p):
    # 1000 files fill chunks that are settled while the program lives
    script = ("import os,sys\n"
              "for i in range(1000):\n"
              " fd=os.open('s%d' % i, os.O_CREAT|os.O_WRONLY); os.write(fd, b'12345'); os.close(fd)\n"
              "print('ready', flush=True); sys.stdin.readline() or os.read(3, 1)\n"
              "fd=os.open('s7', os.O_WRONLY|os.O_APPEND); os.write(fd, b'678'); os.close(fd)\n")
    go = os.pipe()
    proc = p.start(PYTHON, "-S", "-c", "import os; os.dup2(%d, 3)\n" % go[0] + script, pass_fds=[go[0]])
    equal(proc.stdout.readline(), b"ready\n")
    journal, = p.spool()
    size = os.path.getsize(journal)
    wait_for(lambda: os.path.getsize(journal) > size or size > 20000)
    time.sleep(0.5)     # so that some are settled and some are not
    proc.kill()
    proc.wait(60)
    r = p.prov("log")
    assert b"still runs" in r.stderr, r.stderr
    # as long as it runs nothing is final
    show = p.show()
    equal((show["run"]["end"], show["holes"]), (None, []))
    os.write(go[1], b"x")
    proc.stdout.read()
    wait_for(lambda: b"still runs" not in p.prov("log").stderr)
    got = files_of(p.show(), p.work)
    wrong = {f: n for f, n in got.items() if n[2:] != ([2, 8] if f == "s7" else [1, 5])}
    equal((len(got), wrong), (1000, {}))
    os.close(go[0])
    os.close(go[1])


@case
def a_recovered_run_says_plainly_what_is_not_known(p):
    proc = p.start("sh", "-c", "echo a > x; echo ready; read y < wait; exit 3")
    os.mkfifo(os.path.join(p.work, "wait"))
    equal(proc.stdout.readline(), b"ready\n")
    proc.kill()
    proc.wait(60)
    with open(os.path.join(p.work, "wait"), "w", encoding="ascii") as f:
        f.write("go\n")
    proc.stdout.read()
    wait_for(lambda: b"still runs" not in p.prov("log").stderr)
    text = p.prov("show", "@").stdout.decode()
    assert re.search("^status +not known, put together after prov was killed", text, re.M), text
    assert "not how its first program ended" in text, text
    equal(p.prov("log").stderr, b"")


@case
def prov_run_too_takes_in_what_a_killed_one_left(p):
    proc = p.start("sh", "-c", "echo a > x; kill -9 $PPID; echo b > y")
    proc.stdout.read()
    equal(proc.wait(60), -signal.SIGKILL)
    wait_for(lambda: p.prov("run", "--quiet", "--", "true").stderr.endswith(b"finished from what was kept\n"))
    equal((p.spool(), p.left()), ([], []))
    runs = json.loads(p.prov("log", "--json").stdout)["runs"]
    equal([r["recovered"] for r in runs if r["argv"][0] == "sh"], [True])


@case
def a_program_without_its_collector_takes_no_more_memory_than_it_may(p):
    script = ("import os,sys\nprint('ready', flush=True); sys.stdin.readline()\n"
              "for i in range(12000):\n fd=os.open('m%d' % i, os.O_CREAT|os.O_WRONLY); os.close(fd)\nprint('done')")
    proc = subprocess.Popen([PROV, "run", "--quiet", "--", PYTHON, "-S", "-c", script], cwd=p.work,
                            env=dict(p.env, PROV_ARENA_MAX="1M"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    equal(proc.stdout.readline(), b"ready\n")
    proc.kill()
    proc.wait(60)
    proc.stdin.write(b"go\n")
    proc.stdin.close()
    equal(proc.stdout.read(), b"done\n")
    arena, = p.left()
    used = os.stat(os.path.join(p.sessions, arena, "arena")).st_blocks * 512
    assert used <= (1 << 20) + (1 << 19), used
    wait_for(lambda: b"still runs" not in p.prov("log").stderr)
    show = p.show()
    recorded = len(files_of(show, p.work))
    equal(recorded + show["run"]["lost"] >= 12000, True, "recorded and lost")
    equal([h["count"] for h in show["holes"] if h["kind"] == "lost"], [show["run"]["lost"]])
    equal(p.left(), [])


@case
def the_next_command_killed_at_any_moment_leaves_a_store_that_is_whole(p):
    expected, graph = undisturbed(p, 60, 0)
    waiting = os.path.join(p.dir, "store", "spool")
    work = p.work
    # a journal that waits, and a store of other runs
    os.rename(p.store, p.store + ".kept")
    for f in os.listdir(os.path.dirname(p.store)):
        if f not in ("spool", "p.db.kept"):
            os.unlink(os.path.join(os.path.dirname(p.store), f))
    os.mkdir(p.store)
    p.work = work
    subprocess.run("rm -r %s/*" % work, shell=True, check=True)
    r = p.run(build("steady"), "60", "0", build_static())
    equal((r.returncode, r.stdout == expected), (11, True))
    journal, = p.spool()
    os.rmdir(p.store)
    began = time.monotonic()
    kept = open(journal, "rb").read()
    p.prov("log")
    length = time.monotonic() - began
    for i in range(50 * Options.repeat):
        if p.random.random() < 0.5:
            for f in ("p.db", "p.db-wal", "p.db-shm"):
                path = os.path.join(os.path.dirname(p.store), f)
                if os.path.exists(path):
                    os.unlink(path)
        if not os.path.exists(journal):
            os.makedirs(waiting, exist_ok=True)
            with open(journal, "wb") as f:
                f.write(kept)
        proc = subprocess.Popen([PROV, "log"], env=p.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(p.random.uniform(0, length))
        proc.kill()
        proc.communicate()
        if os.path.exists(p.store) and os.path.getsize(p.store):
            db = sqlite3.connect(p.store)
            equal(db.execute("PRAGMA integrity_check").fetchall(), [("ok",)], "kill %d" % i)
            db.close()
        r = p.prov("log")
        assert r.returncode == 0 and b"waits" not in r.stderr, r.stderr
        got = graph_of(p.show(), work)
        assert got == graph, "kill %d: %r" % (i, [x for x in got[0] if x not in graph[0]][:3])
        equal(p.spool(), [])
