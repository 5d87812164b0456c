# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""prov's own limits: what happens there is counted and said (doc/limits.md)."""
import os
import re
import resource
import subprocess
import threading
import time

from lib import PROV, PYTHON, Options, build, build_static, case, equal, files_of

# How much of everything; --repeat makes it more.
BURST, EVENTS, FORKS, ALIVE = 60000, 80000, 3000, 700


def many(p, *args, env=None, limits=None):
    """Runs t/lost.d/many; also the most memory that prov itself took, in KiB."""
    proc = subprocess.Popen([PROV, "run", "--", build("many"), *args], env=dict(p.env, **(env or {})), cwd=p.work,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limits)
    most = [0, 0]

    def watch():
        while proc.poll() is None:
            try:
                with open("/proc/%d/status" % proc.pid, encoding="ascii") as f:
                    got = dict(re.findall(r"^(Rss\w+|VmHWM):\s+(\d+) kB", f.read(), re.M))
            except (FileNotFoundError, ProcessLookupError):
                return
            most[0] = max(most[0], int(got.get("VmHWM", 0)))
            most[1] = max(most[1], int(got.get("RssAnon", 0)))
            time.sleep(0.01)
    watcher = threading.Thread(target=watch)
    watcher.start()
    _, err = proc.communicate()
    watcher.join()
    equal(proc.returncode, 0, err)
    return err.decode(), most


def holes_of(show, kind):
    return [h for h in show["holes"] if h["kind"] == kind]


def said_everywhere(p, show, err, count):
    """A loss is in the summary, in show, in stat and, as a hole, in lineage."""
    equal(show["run"]["lost"], count)
    equal(sum(h["count"] for h in holes_of(show, "lost")), count)
    assert " %d lost" % count in err, err
    for command in (["show", "@"], ["stat", "@"]):
        text = p.prov(*command).stdout.decode()
        assert re.search("^lost +%d events" % count, text, re.M) and "not recorded:" in text, (command, text[-500:])


@case
def a_burst_larger_than_shared_memory_is_recorded_or_counted_to_the_last_event(p):
    n = BURST * Options.repeat
    err, _ = many(p, "reads", str(n), env={"PROV_ARENA_MAX": "2M"})
    show = p.show()
    got = files_of(show, p.work)
    lost = show["run"]["lost"]
    equal(sum(f[0] for f in got.values()) + lost, n)
    if lost:
        said_everywhere(p, show, err, lost)
        r = p.prov("lineage", "r1", "--json")
        assert b"found no room" in r.stdout, r.stdout[-500:]


@case
def events_without_end_take_memory_with_an_end(p):
    # 10 million of them: --repeat 125
    n = EVENTS * Options.repeat
    _, (most, anonymous) = many(p, "reads", str(n), "400", env={"PROV_ARENA_MAX": "16M"})
    show = p.show()
    equal(sum(f[0] for f in files_of(show, p.work).values()) + show["run"]["lost"], n)
    assert most < 64 << 10, "%d KiB" % most
    more, (_, again) = many(p, "renames", str(n // 4), env={"PROV_ARENA_MAX": "16M"})
    lost = p.show()["run"]["lost"]
    assert again < 64 << 10, "%d KiB" % again
    assert lost == 0 or " %d lost" % lost in more
    print("# %d events: %d KiB in all, %d of its own; renames: %d" % (n, most, anonymous, again))


@case
def images_that_find_no_room_are_counted(p):
    n = ALIVE * Options.repeat
    err, _ = many(p, "processes", str(n), env={"PROV_ARENA_MAX": "8M"})
    show = p.show()
    recorded = len(files_of(show, p.work))
    assert recorded < n, "the limit was not reached"
    # their parent may lack room for what it tells of them, too
    said_everywhere(p, show, err, show["run"]["lost"])
    equal([h["count"] for h in holes_of(show, "lost") if "nothing of them is recorded" in h["why"]], [n - recorded])
    # and with room for all, all of them
    err, _ = many(p, "processes", str(n))
    show = p.show()
    equal((len(files_of(show, p.work)), show["run"]["lost"], len(show["executions"])), (n, 0, n + 1))


@case
def children_without_end_are_all_on_record(p):
    # a hundred thousand: --repeat 34
    n = FORKS * Options.repeat
    _, (most, _) = many(p, "forks", str(n))
    r = p.prov("stat", "@")
    assert re.search("%d in %d processes" % (n + 1, n + 1), r.stdout.decode()), r.stdout
    show = p.show()
    equal((show["run"]["lost"], show["holes"]), (0, []))
    equal(sum(e["status"] for e in show["executions"] if e["how"] == "fork"), sum(i % 7 for i in range(n)))
    assert most < (96 << 10) + n, "%d KiB" % most


@case
def a_thousand_threads_and_descriptors_and_maps_are_on_record(p):
    many(p, "threads", "1000")
    equal({f: n[2:] for f, n in files_of(p.show(), p.work).items()}, {"t%d" % i: [1, 6] for i in range(1000)})
    p.fresh()
    many(p, "maps", "1000")
    show = p.show()
    got = {f["path"]: f for e in show["executions"] for f in e["files"] if f["path"].startswith(p.work)}
    equal((len(got), all(f["mapped"] for f in got.values()), show["holes"]), (1000, True, []))
    p.fresh()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    for fd in (255, 256, 1279, 1280, min(hard, 1 << 20) - 1):
        many(p, "descriptors", str(fd))
        equal(files_of(p.show(), p.work)["high"][3], 5, "descriptor %d" % fd)


@case
def descriptors_beyond_the_tables_are_a_hole(p):
    # too high a one needs fs.nr_open raised; no memory for a table is the same to prov
    err, _ = many(p, "starved", "300")
    equal([h["count"] for h in holes_of(p.show(), "descriptor")], [1])
    assert " 1 blind spot" in err, err


@case
def arguments_and_environment_that_are_cut_are_holes(p):
    long = ["x" * 100000] * 6
    r = p.run("sh", "-c", 'exec true "$@"', "sh", *long)
    equal(r.returncode, 0, r.stderr)
    show = p.show()
    equal([h["count"] for h in holes_of(show, "argv")], [1, 1])
    assert " 2 blind spots" in r.stderr.decode(), r.stderr
    r = p.run("sh", "-c", '%s "$@"; exit 0' % build_static(), "sh", "y" * 4000)
    equal((len(holes_of(p.show(), "argv")), len(holes_of(p.show(), "blind"))), (1, 1))
    equal(p.run("true", env={"OMP_%d" % i: "z" * 1000 for i in range(9)}).returncode, 0)
    equal([h["count"] for h in holes_of(p.show(), "environ")], [1])
    assert "environment is longer" in p.prov("show", "@").stdout.decode()


@case
def names_that_cannot_be_told_are_counted_each(p):
    script = ("import os\nfor i in range(40):\n os.mkdir('d'*200); os.chdir('d'*200)\n"
              "for i in range(5):\n fd=os.open('deep%d' % i, os.O_CREAT|os.O_WRONLY); os.write(fd, b'xyz'); os.close(fd)")
    p.run(PYTHON, "-S", "-c", script)
    show = p.show()
    equal([h["count"] for h in holes_of(show, "path")], [5])
    equal(len([f for e in show["executions"] for f in e["files"] if f["bytes_written"] == 3]), 5)


@case
def settings_that_do_not_fit_are_said(p):
    r = p.run("true", env={"PROV_ENV_ALLOW": ",".join("NAME_%d_%s" % (i, "X" * 60) for i in range(60)) + ",lower"})
    assert r.returncode == 0 and b"lower is not recorded" in r.stderr and b"NAME_59_" in r.stderr, r.stderr
    r = p.run("true", env={"PROV_SESSION_DIR": "/tmp/" + "x" * 500})
    assert r.returncode == 0 and b"session.dir" in r.stderr, r.stderr
    big = os.path.join(p.dir, "big")
    with open(big, "wb") as f:
        f.truncate((16 << 20) + 1)
    r = p.prov("run", "--note-file", "k=" + big, "--", "true")
    equal((r.returncode, b"larger than 16 MiB" in r.stderr), (125, True), r.stderr)
