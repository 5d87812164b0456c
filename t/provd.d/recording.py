# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""recording.py - cases: what the node records, and for whom"""
import json
import os
import re
import signal
import subprocess
import time

import node as nodes
from node import ADA, BOB, EVE, case, until


@case(needs=("user", "bpf"))
def other_users_are_recorded_after_settings_were_read_again(n):
    n.configure(uids=str(BOB))
    n.start()
    p = n.begin(ADA, "sh", "-c", "sleep 8.125 & read x; echo out >out; kill $!; read x",
                LANG="C.UTF-8")
    q = n.begin(BOB, "sh", "-c", "read x")
    assert until(lambda: n.recorded(BOB))
    assert not n.recorded(ADA)
    n.configure(uids=str(ADA))
    n.process.send_signal(signal.SIGHUP)
    # who ran already is taken in, who was recorded stays so
    assert until(lambda: n.recorded(ADA)) and n.recorded(BOB)
    p.stdin.write(b"1\n2\n")
    p.stdin.close()
    q.stdin.close()
    assert n.whole(ADA) and n.whole(BOB)
    show = n.show(ADA, "@")
    found = [x for x in show["executions"] if x["argv"][:2] == ["sh", "-c"]]
    assert len(found) == 1 and found[0]["uid"] == ADA, show["executions"]
    assert n.work + "/out" in [f["path"] for f in found[0]["files"]], found
    # its child, which ran already as well
    child = [x for x in show["executions"] if x["argv"] == ["sleep", "8.125"]]
    assert len(child) == 1 and child[0]["parent"] == found[0]["id"], show["executions"]


@case(needs=("user", "bpf"))
def a_job_is_recorded_without_anybody_asking(n):
    n.start()
    with open(os.path.join(n.work, "in"), "w", encoding="ascii") as f:
        f.write("a\n" * 1000)
    p = n.begin(ADA, "sh", "-c", "read x; sort in >out; read x; wc -l <out >count; read x",
                SLURM_JOB_ID="77", SLURM_JOB_NAME="test")
    assert until(lambda: n.recorded(ADA))
    # another step of the job, and one of somebody else's with its number
    q = n.begin(ADA, "sh", "-c", "read x; cp count result", SLURM_JOB_ID="77")
    r = n.begin(BOB, "sh", "-c", "read x", SLURM_JOB_ID="77")
    assert until(lambda: len(n.status()["runs"]) == 2)
    runs = n.status()["runs"]
    assert {(x["uid"], x["job"]) for x in runs} == {(ADA, "slurm:77"), (BOB, "slurm:77")}, runs
    assert [x["uid"] for x in n.status(BOB)["runs"]] == [BOB]
    for line in (b"1\n2\n3\n",):
        p.stdin.write(line)
        p.stdin.close()
    p.wait()
    q.stdin.write(b"1\n")
    q.stdin.close()
    q.wait()
    r.stdin.close()
    ended = n.whole(ADA)
    assert len(ended) == 1 and n.whole(BOB), (ended, n.said())
    lineage = n.ask(ADA, "lineage", "result")
    for name in ("cp count result", "wc -l", "sort in"):
        assert name in lineage, lineage
    assert n.show(ADA, "@")["run"]["notes"]["job"] == "slurm:77"
    totals = n.status()["totals"]
    assert 3 <= totals["representatives"] <= totals["executions"], totals
    # the users ask, who have no store of their own
    theirs = n.prov(ADA, "lineage", "result").stdout.decode()
    assert "cp count result" in theirs and "sort in" in theirs, theirs
    assert len(json.loads(n.prov(ADA, "log", "--json").stdout)["runs"]) == 1
    for uid in (BOB, EVE):
        assert n.prov(uid, "lineage", "result").returncode == 1, uid
    assert not json.loads(n.prov(EVE, "log", "--json").stdout)["runs"]
    assert len(json.loads(n.prov(0, "log", "--json").stdout)["runs"]) == 2
    assert n.said().count("refused") == 0


@case(needs=("user", "bpf"))
def a_user_cannot_escape(n):
    n.start()
    script = ("read x; env -i /bin/sh -c '/bin/cat in >a'; "
              "setsid sh -c '(sleep 0.2; cat a >b) & exit' ; "
              "(unset LD_PRELOAD SLURM_JOB_ID; exec 3<b 4>c; cat <&3 >&4); read x; "
              f"kill -9 {n.process.pid}; pkill -9 -x provd; sleep 0.3; cat b >d; read x")
    with open(os.path.join(n.work, "in"), "w", encoding="ascii") as f:
        f.write("in\n")
    for name in "abcd":
        with open(os.path.join(n.work, name), "w", encoding="ascii"):
            pass
        os.chmod(os.path.join(n.work, name), 0o666)
    p = n.begin(ADA, "sh", "-c", script)
    assert until(lambda: n.recorded(ADA))
    p.stdin.write(b"1\n2\n3\n")
    p.stdin.close()
    p.wait()
    assert n.process.poll() is None
    assert n.whole(ADA), n.said()
    assert "/in  (input)" in n.ask(ADA, "lineage", "d").replace("─ in  ", "─ /in  "), \
        n.ask(ADA, "lineage", "d")


@case(needs=("user", "bpf"))
def a_user_gets_what_he_asks_to_be_recorded(n):
    n.start()
    with open(os.path.join(n.work, "in"), "w", encoding="ascii") as f:
        f.write("in\n")
    for uid in (ADA, EVE):
        r = n.prov(uid, "run", "--engine=ebpf", "--", "sh", "-c", f"cat in >out-{uid}; exit 7")
        assert r.returncode == 7 and b" 0 lost" in r.stderr, r
        own = json.loads(n.prov(uid, "show", "@", "--json").stdout)
        names = {os.path.basename(f["path"]) for x in own["executions"] for f in x["files"]}
        assert own["run"]["engine"] == "ebpf" and {"in", f"out-{uid}"} <= names, own
        assert own["run"]["status"] == 7, own["run"]
        if uid == ADA:
            assert n.whole(ADA)[0]["id"] == own["run"]["id"], (n.runs(ADA), own["run"])
    # who is in no range is recorded for himself alone
    assert not os.path.exists(n.store(EVE))
    assert n.prov(ADA, "run", "--quiet", "--", "true").returncode == 0
    assert json.loads(n.prov(ADA, "show", "@", "--json").stdout)["run"]["engine"] == "ebpf"


@case(needs=("user", "bpf"))
def what_is_recorded_already_can_ask_too(n):
    n.start()
    with open(os.path.join(n.work, "in"), "w", encoding="ascii") as f:
        f.write("in\n")
    p = n.begin(ADA, "sh", "-c", f"read x; {nodes.PROV} run --engine=ebpf -- cat in >one; "
                "cat one >two; read x")
    assert until(lambda: n.recorded(ADA))
    p.stdin.write(b"1\n2\n")
    p.stdin.close()
    said = p.stdout.read()
    assert p.wait() == 0 and b"1 process, " in said, said
    own = json.loads(n.prov(ADA, "show", "@", "--json").stdout)
    assert [x["argv"] for x in own["executions"]] == [["cat", "in"]], own
    assert len(n.whole(ADA, 2)) == 2, n.runs(ADA)
    lineage = n.ask(ADA, "lineage", "two")
    assert "cat one" in lineage and "cat in" in lineage, lineage


@case(needs=("user", "bpf"))
def a_user_is_not_told_what_others_programs_do(n):
    n.start()
    secret = os.path.join(n.work, "secret-of-root")
    with open(secret, "w", encoding="ascii") as f:
        f.write("x\n")
    os.chmod(secret, 0o600)
    helper = os.path.join(n.work, "helper")
    subprocess.run(["cp", "/bin/cat", helper], check=True)
    os.chmod(helper, 0o4755)
    r = n.prov(ADA, "run", "--engine=ebpf", "--", "sh", "-c", f"{helper} {secret} >out; true")
    assert r.returncode == 0, r
    if not os.path.getsize(os.path.join(n.work, "out")):
        return "set-user-id programs do not work in this folder"
    own = n.prov(ADA, "show", "@", "--all", "--json").stdout
    accesses = [f["path"] for x in json.loads(own)["executions"] for f in x["files"]]
    assert secret not in accesses, accesses
    assert b"other-user" in own, own
    assert n.whole(ADA) and secret in n.ask(ADA, "show", "@", "--all", "--json")
    # nor when he asks the node: his own store is put away
    run = json.loads(own)["run"]["id"]
    os.rename(os.path.join(n.work, f"of-{ADA}"), os.path.join(n.work, "away"))
    asked = n.prov(ADA, "show", run, "--all", "--json").stdout.decode()
    assert f'"path":"{n.work}/out"' in asked and f'"path":"{secret}"' not in asked, asked
    assert n.prov(ADA, "show", secret).returncode == 1
    assert n.prov(0, "show", secret).returncode == 0


@case(needs=("user", "bpf"))
def only_jobs_are_recorded_where_that_is_asked_for(n):
    n.configure(scope="jobs")
    n.start()
    p = n.begin(ADA, "sh", "-c", "read x")
    q = n.begin(ADA, "sh", "-c", "read x", PBS_JOBID="5.head")
    assert until(lambda: n.recorded(ADA))
    assert [r["job"] for r in n.recorded(ADA)] == ["pbs:5.head"]
    p.stdin.close()
    q.stdin.close()


@case(needs=("user", "bpf"))
def a_service_that_is_stopped_says_so_in_its_runs(n):
    n.start()
    p = n.begin(ADA, "sh", "-c", "read x; echo on", SLURM_JOB_ID="1")
    q = n.begin(EVE, nodes.PROV, "run", "--engine=ebpf", "--", "sh", "-c", "read x; exit 4")
    assert until(lambda: len(n.status()["runs"]) == 2), n.status()
    assert n.stop() == 0
    holes = {h["kind"] for h in n.show(ADA, n.whole(ADA)[0]["id"])["holes"]}
    assert "stopped" in holes and "running" in holes, holes
    p.stdin.write(b"1\n")
    p.stdin.close()
    assert p.stdout.read() == b"on\n"
    q.stdin.write(b"1\n")
    q.stdin.close()
    assert q.wait() == 4
    own = json.loads(n.prov(EVE, "show", "@", "--json").stdout)
    assert "stopped" in {h["kind"] for h in own["holes"]}, own["holes"]


@case(needs=("user", "bpf"))
def a_service_that_was_killed_leaves_nothing_undone(n):
    n.start()
    with open(os.path.join(n.work, "in"), "w", encoding="ascii") as f:
        f.write("in\n")
    p = n.begin(ADA, "sh", "-c", "read x; cat in >first; echo done; read x; cat in >second; "
                "read x", SLURM_JOB_ID="3")
    assert until(lambda: n.recorded(ADA))
    p.stdin.write(b"1\n")
    p.stdin.flush()
    assert p.stdout.readline() == b"done\n"
    assert until(lambda: n.recorded(ADA)[0]["living"] == 1 and n.recorded(ADA)[0]["executions"] > 1)
    n.stop(signal.SIGKILL)
    assert os.listdir(os.path.join(n.spool, str(ADA)))
    n.start()
    assert "left by an earlier service" in n.said(), n.said()
    assert until(lambda: n.recorded(ADA))
    p.stdin.write(b"2\n3\n")
    p.stdin.close()
    p.wait()
    assert until(lambda: not n.recorded(ADA))
    assert until(lambda: not os.listdir(os.path.join(n.spool, str(ADA))))
    runs = n.runs(ADA)
    assert len(runs) == 1, runs
    assert "killed" in {h["kind"] for h in n.show(ADA, "@")["holes"]}
    for name in ("first", "second"):
        assert "cat in" in n.ask(ADA, "lineage", name), name


@case(needs=("user", "bpf"))
def programs_stay_attached_where_that_is_asked_for(n):
    n.configure(attach="always")
    n.start()
    p = n.begin(ADA, "sh", "-c", "read x")
    assert until(lambda: n.recorded(ADA))
    p.stdin.close()
    assert n.whole(ADA)
    n.configure(attach="auto")
    n.process.send_signal(signal.SIGHUP)
    assert until(lambda: "settings read again" in n.said())
    assert n.stop() == 0


@case(needs=("user", "bpf"))
def an_idle_service_lets_the_node_alone(n):
    n.start()
    assert until(lambda: not n.status()["runs"])
    with open(f"/proc/{n.process.pid}/stat", encoding="ascii") as f:
        before = f.read().rsplit(")", 1)[1].split()
    n.prov(0, "status")
    with open(f"/proc/{n.process.pid}/stat", encoding="ascii") as f:
        after = f.read().rsplit(")", 1)[1].split()
    # ticks of the clock, user and system
    assert int(after[11]) + int(after[12]) - int(before[11]) - int(before[12]) <= 20
    return None


def file_of(show, path):
    found = [f for e in show["executions"] for f in e["files"] if f["path"] == path]
    assert len(found) == 1, (path, found)
    return found[0]


@case(needs=("user", "bpf"))
def touching_a_file_switches_the_node(n):
    n.start()
    for name in ("a", "b", "c"):
        with open(os.path.join(n.work, name), "w", encoding="ascii") as f:
            f.write("x\n" * 10)
    p = n.begin(ADA, "sh", "-c", "read x; cat a; read x; cat b; read x; cat c")
    assert until(lambda: n.recorded(ADA))
    for line, touch in ((b"1\n", "open-close"), (b"2\n", "first-last"), (b"3\n", None)):
        p.stdin.write(line)
        p.stdin.flush()
        time.sleep(0.7)
        if touch:
            os.close(os.open(os.path.join(n.dir, "touch", touch), os.O_CREAT | os.O_WRONLY))
            os.utime(os.path.join(n.dir, "touch", touch))
            assert until(lambda t=touch: n.status()["runs"][0]["granularity"] == t, 1.5), n.status()
    p.stdin.close()
    assert n.whole(ADA)
    show = n.show(ADA, "@")
    seen = [file_of(show, os.path.join(n.work, name)) for name in ("a", "b", "c")]
    assert [f["bytes_read"] for f in seen] == [20, 0, 20], seen
    assert [bool(f.get("unsure")) for f in seen] == [False, True, False], seen
    notes = show["run"]["notes"]
    assert re.fullmatch(r"first-last, open-close after .*, first-last after .*",
                        notes["granularity"]), notes


def levels(n):
    said = n.show(ADA, "@")["run"]["notes"].get("granularity", "")
    return [(name, float(after or 0)) for name, after in
            re.findall(r"(all|first-last|open-close|off)(?: after ([0-9.]+) s)?", said)]


@case(needs=("user", "bpf"))
def a_storm_is_noted_more_coarsely_and_calm_finely_again(n):
    n.start()
    p = n.begin(ADA, "sh", "-c", "read x; dd if=/dev/zero of=/dev/null bs=1 count=2500000 2>/dev/null;"
                " sleep 6; cat calm; read x")
    with open(os.path.join(n.work, "calm"), "w", encoding="ascii") as f:
        f.write("x\n")
    assert until(lambda: n.recorded(ADA))
    time.sleep(1)
    p.stdin.write(b"1\n")
    p.stdin.flush()
    assert until(lambda: n.status()["runs"][0]["granularity"] == "open-close", 3), n.status()
    p.stdin.write(b"2\n")
    p.stdin.close()
    assert n.whole(ADA)
    show = n.show(ADA, "@")
    # coarser soon after the storm began, finer again when it was over
    steps = levels(n)
    assert [s[0] for s in steps[:2]] == ["first-last", "open-close"], steps
    assert steps[-1][0] == "first-last", steps
    began = [h for h in show["holes"] if h["kind"] == "overhead"]
    assert began and "/dev/zero" in began[0]["why"] and "dd" in began[0]["why"], show["holes"]
    assert file_of(show, os.path.join(n.work, "calm"))["bytes_read"] == 2
    assert show["run"]["notes"]["overhead"]


@case(needs=("user", "bpf"))
def short_bursts_within_the_budget_change_nothing(n):
    n.start()
    burst = ("for i in 1 2 3 4 5; do dd if=/dev/zero of=/dev/null bs=1 count=2000 2>/dev/null;"
             " sleep 0.2; done")
    p = n.begin(ADA, "sh", "-c", "read x; " + burst)
    assert until(lambda: n.recorded(ADA))
    p.stdin.close()
    assert n.whole(ADA)
    assert [s[0] for s in levels(n)] in ([], ["first-last"]), levels(n)
