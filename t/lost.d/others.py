# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""Inodes that are used again, clocks that jump, daemons, runs in runs and beside each other."""
import ctypes
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

from lib import PROV, PYTHON, Options, Skip, build, case, equal, files_of, wait_for
from limits import holes_of, many

FILES = 4000    # a million: --repeat 250


def inodes_used_again(p, folder):
    """Objects of files that were made and removed one after another."""
    n = FILES * Options.repeat
    _, (most, _) = many(p, "creates", str(n))
    show = p.show()
    mine = [f for e in show["executions"] for f in e["files"] if f["path"].startswith(folder + "/c")]
    equal(len(mine), n)
    equal({(f["writes"], f["bytes_written"], f["created"], f["deleted"]) for f in mine}, {(1, 5, True, True)})
    equal(len({f["object"] for f in mine}), n, "objects")
    equal(sum(1 for e in show["names"] if e["event"] == "unlink"), n)
    equal((show["run"]["lost"], show["holes"]), (0, []))
    return n, most


@case
def files_whose_inode_is_used_again_are_not_merged(p):
    n, most = inodes_used_again(p, p.work)
    with tempfile.TemporaryDirectory(prefix="prov-t-lost-", dir="/dev/shm") as memory:
        p.work = memory
        inodes_used_again(p, memory)
    assert most < (64 << 10) + n, "%d KiB" % most
    print("# %d files each: %d KiB" % (n, most))


@case
def a_tree_that_is_unpacked_is_on_record_file_by_file(p):
    # a hundred thousand files: --repeat 34
    n = 3000 * Options.repeat
    subprocess.run([build("many"), "files", str(n)], cwd=p.work, check=True)
    archive = os.path.join(p.dir, "tree.tar")
    subprocess.run(["tar", "-cf", archive, "."], cwd=p.work, check=True)
    p.fresh()
    r = p.run("tar", "-xf", archive)
    equal(r.returncode, 0, r.stderr)
    show = p.show()
    got = [f for path, f in files_of(show, p.work).items() if "/f" in path]
    equal((len(got), all(f[3] == 1 for f in got), show["run"]["lost"]), (n, True, 0))


class Timespec(ctypes.Structure):
    _fields_ = [("sec", ctypes.c_long), ("nsec", ctypes.c_long)]


def ordered(show, folder):
    """Every execution began before it ended, what it did lies between."""
    for e in show["executions"]:
        assert e["start"] <= (e["end"] or e["start"]), e
        for f in e["files"]:
            if f["path"].startswith(folder):
                assert e["start"] <= (f["first_write"] or f["opened"]) <= (e["end"] or "9"), (e["start"], f)


@case
def a_wall_clock_that_jumps_in_the_middle_turns_nothing_around(p):
    # only those who ask through this library see the step: nobody else's clock is touched
    source = os.path.join(p.dir, "clock.c")
    with open(source, "w", encoding="ascii") as f:
        f.write("#define _GNU_SOURCE\n#include <time.h>\n#include <unistd.h>\n#include <sys/syscall.h>\n"
                "int clock_gettime(clockid_t id, struct timespec *t)\n{\n"
                " int r = syscall(SYS_clock_gettime, id, t);\n"
                " if (id == CLOCK_REALTIME && access(\"%s/stepped\", F_OK) == 0) t->tv_sec -= 3600;\n"
                " return r;\n}\n" % p.dir)
    library = os.path.join(p.dir, "clock.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    env = {"LD_PRELOAD": library}
    script = "echo a > a; cat a > b; touch %s/stepped; date +%%s > now; cat b > c; %s 5 20000 ''; cat c > d" % (
        p.dir, build("steady"))
    began = time.time()
    r = p.run("sh", "-c", script, env=env)
    equal(r.returncode, 0, r.stderr)
    with open(os.path.join(p.work, "now"), encoding="ascii") as f:
        assert int(f.read()) < began - 3000, "the step was not seen"
    show = p.show()
    ordered(show, p.work)
    paths = {n.get("path") for n in json.loads(p.prov("lineage", "d", "--json", env=env).stdout)["nodes"]}
    assert {os.path.join(p.work, x) for x in "abcd"} <= paths, paths
    os.unlink(os.path.join(p.dir, "stepped"))
    r = p.run("sh", "-c", "cat d > e")
    paths = {n.get("path") for n in json.loads(p.prov("lineage", "e", "--json").stdout)["nodes"]}
    assert os.path.join(p.work, "a") in paths, paths


@case
def another_monotonic_clock_is_one_of_its_own(p):
    if os.getuid() != 0 or not os.path.exists("/proc/self/ns/time"):
        raise Skip("time namespaces need root and a kernel that has them")
    r = subprocess.run(["unshare", "--time", "--monotonic", "100000", "--fork", PROV, "run", "--", "sh", "-c",
                        "echo a > a; cat a > b"], cwd=p.work, env=p.env, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, check=False)
    equal(r.returncode, 0, r.stderr)
    show = p.show()
    ordered(show, p.work)
    began = time.time()
    assert abs(time.mktime(time.strptime(show["run"]["start"][:19], "%Y-%m-%dT%H:%M:%S")) - began) < 60, show["run"]
    r = p.run("sh", "-c", "cat b > c")
    paths = {n.get("path") for n in json.loads(p.prov("lineage", "c", "--json").stdout)["nodes"]}
    assert os.path.join(p.work, "a") in paths, paths


@case
def a_collector_that_is_stopped_for_a_while_loses_nothing(p):
    proc = p.start("sh", "-c", "echo ready; %s 60 0 ''; %s forks 400; exit 4" % (build("steady"), build("many")))
    equal(proc.stdout.readline(), b"ready\n")
    os.kill(proc.pid, signal.SIGSTOP)
    while proc.stdout.readline().split()[:1] != [b"59"]:
        pass
    time.sleep(0.2)     # for some of the forks
    os.kill(proc.pid, signal.SIGCONT)
    equal((proc.wait(60), proc.stderr.read()), (4, b""))
    show = p.show()
    equal((show["run"]["lost"], show["holes"]), (0, []))
    equal(len(files_of(show, p.work)), 60 * 41)
    forks = [e for e in show["executions"] if e["how"] == "fork" and e["argv"][1:2] == ["forks"]]
    equal((len(forks), sum(e["status"] for e in forks)), (400, sum(i % 7 for i in range(400))))


def is_stopped(pid):
    with open("/proc/%d/status" % pid, encoding="utf-8") as f:
        return "State:\tT" in f.read()


@case
def a_program_that_is_stopped_for_a_while_loses_nothing(p):
    proc = p.start(build("steady"), "50", "30000", "")
    line = proc.stdout.readline()
    equal(line, b"0 0 0\n")
    with open("/proc/%d/task/%d/children" % (proc.pid, proc.pid), encoding="ascii") as f:
        pid = int(f.read().split()[0])
    for _ in range(3):
        os.kill(pid, signal.SIGSTOP)
        wait_for(lambda: is_stopped(proc.pid))
        time.sleep(0.25)    # longer than anything in prov waits
        # prov hands it on, as it stopped with its program
        os.kill(proc.pid, signal.SIGCONT)
        wait_for(lambda: not is_stopped(pid) and not is_stopped(proc.pid))
    proc.stdout.read()
    equal(proc.wait(60), 11)
    show = p.show()
    equal((len(files_of(show, p.work)), show["run"]["lost"], show["holes"]), (50 * 41, 0, []))


DAEMON = """
import os, sys, time
fd = os.open("daemon.out", os.O_CREAT | os.O_WRONLY)
os.write(fd, b"before")
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(fd, b"-daemon-")
        open("daemon.pid", "w").write(str(os.getpid()))
        os.close(0); os.close(1); os.close(2)
        while not os.path.exists("stop"):
            time.sleep(0.01)
        for i in range(3000):
            os.close(os.open("after%d" % i, os.O_CREAT | os.O_WRONLY))
        open("done", "w").write("x")
    os._exit(0)
os.wait()
while not os.path.exists("daemon.pid"):
    time.sleep(0.01)
"""


@case
def a_daemon_that_outlives_its_run_is_a_hole_and_unharmed(p):
    r = p.run(PYTHON, "-S", "-c", DAEMON)
    equal(r.returncode, 0, r.stderr)
    assert b" 1 blind spot" in r.stderr, r.stderr
    show = p.show()
    running = holes_of(show, "running")
    equal(len(running), 1)
    daemon, = [e for e in show["executions"] if e["id"] == running[0]["execution"]]
    equal((daemon["end"], daemon["status"], daemon["how"]), (None, None, "fork"))
    equal(files_of(show, p.work)["daemon.out"][3], len("before-daemon-"))
    with open(os.path.join(p.work, "daemon.pid"), encoding="ascii") as f:
        equal(int(f.read()), daemon["pid"])
    assert "it still ran when the run ended" in p.prov("show", "@").stdout.decode()
    equal((p.spool(), p.left()), ([], []))
    # what it holds of the session's memory is little: the rest was given back
    with open("/proc/%d/maps" % daemon["pid"], encoding="utf-8") as f:
        assert "(deleted)" in f.read()
    with open(os.path.join(p.work, "stop"), "w", encoding="ascii"):
        pass
    wait_for(lambda: os.path.exists(os.path.join(p.work, "done")))
    equal(len([f for f in os.listdir(p.work) if f.startswith("after")]), 3000)
    equal(p.left(), [])


@case
def memory_of_a_run_is_given_back_though_a_daemon_lives_on(p):
    script = DAEMON.replace("os.wait()", "os.wait()\nkeep = [os.open('k%d' % i, os.O_CREAT | os.O_WRONLY) "
                            "for i in range(900)]\n[os.close(os.open('z%d' % i, os.O_CREAT | os.O_WRONLY)) "
                            "for i in range(20000)]")
    r = p.run(PYTHON, "-S", "-c", script)
    equal(r.returncode, 0, r.stderr)
    with open(os.path.join(p.work, "daemon.pid"), encoding="ascii") as f:
        pid = f.read()
    # the file is removed; who maps it still tells how much memory it has
    held = 0
    for entry in os.scandir("/proc/%s/map_files" % pid):
        if "/arena" in os.readlink(entry.path):
            held = os.stat(entry.path).st_blocks * 512
    assert 0 < held <= 1 << 20, held
    with open(os.path.join(p.work, "stop"), "w", encoding="ascii"):
        pass
    wait_for(lambda: os.path.exists(os.path.join(p.work, "done")))


@case
def two_runs_into_one_store_and_a_run_in_a_run_are_all_there(p):
    procs = [p.start("sh", "-c", "mkdir r%d; cd r%d; %s 6 2000 ''; cd ..; \"$0\" run --quiet -- %s processes 3" %
                     (i, i, build("steady"), build("many")), PROV) for i in range(2)]
    for proc in procs:
        proc.stdout.read()
        equal((proc.wait(60), proc.stderr.read()), (0, b""))
    runs = json.loads(p.prov("log", "--json").stdout)["runs"]
    equal(len(runs), 4)
    outer = [p.show(r["id"]) for r in runs if r["argv"][0] == "sh"]
    inner = [p.show(r["id"]) for r in runs if r["argv"][0] != "sh"]
    equal(sorted(len(files_of(s, p.work)) for s in outer + inner), [3, 3, 246, 246])
    for show in outer + inner:
        equal((show["run"]["lost"], show["holes"], show["run"]["status"]), (0, [], 0))
    # one is killed while the other goes on
    first, second = [p.start(build("steady"), "30", "5000", "") for _ in range(2)]
    equal((first.stdout.readline(), second.stdout.readline()), (b"0 0 0\n", b"0 0 0\n"))
    first.kill()
    first.stdout.read()
    second.stdout.read()
    equal((first.wait(60), second.wait(60)), (-9, 11))
    p.prov("log")
    runs = json.loads(p.prov("log", "--json").stdout)["runs"][:2]
    equal(sorted(r["recovered"] for r in runs), [False, True])


@case
def a_run_begins_while_somebody_looks_at_its_journal(p):
    if not shutil.which("strace"):
        raise Skip("strace is not installed")
    # each step of the making takes long enough to be looked at
    proc = subprocess.Popen(["strace", "-qq", "-o", "/dev/null", "-e", "trace=flock,write,link,unlink", "-e",
                             "inject=flock,link,unlink:delay_enter=200000", PROV, "run", "--quiet", "--", "true"],
                            env=p.env, cwd=p.work, stderr=subprocess.PIPE)
    wait_for(p.spool)
    while proc.poll() is None:
        r = p.prov("log")
        equal((r.stderr, r.returncode), (b"", 0))
    equal((proc.communicate(timeout=60)[1], proc.returncode), (b"", 0))
    equal((p.show()["run"]["status"], p.spool()), (0, []))


@case
def a_journal_whose_making_was_killed_is_swept_after_an_hour(p):
    p.run("true")
    left = [os.path.join(p.dir, "store", "spool", name + ".journal.new") for name in ("r1", "r2")]
    for name in left:
        with open(name, "wb") as f:
            f.write(b"half")
    os.utime(left[0], (1, 1))
    p.prov("log")
    equal(p.spool(), left[1:])
