#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""processes.py - python that starts processes in every way it has"""
import multiprocessing
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile
import threading


def square(n):
    pathlib.Path(f"square{n}").write_text(str(n * n))
    return pathlib.Path("table").read_text()[n]


def in_process(name):
    with open(name, "w") as f:
        f.write("from another process")
    os._exit(3)


def main():
    pathlib.Path("table").write_text("0123456789")
    for method in ("fork", "spawn"):
        context = multiprocessing.get_context(method)
        with context.Pool(2) as pool:
            assert pool.map(square, range(4)) == list("0123")
        p = context.Process(target=in_process, args=(f"process-{method}",))
        p.start()
        p.join()
        assert p.exitcode == 3
    subprocess.run(["sort", "table"], stdout=open("sorted", "w"), check=True)
    subprocess.run("cat sorted | tr 0 x > piped", shell=True, check=True)
    subprocess.run(["cat"], input=b"through a pipe", stdout=subprocess.DEVNULL, check=True)
    subprocess.run(["sh", "-c", "kill -TERM $$"], check=False)
    try:
        subprocess.run(["no-such-program"], check=False)
    except FileNotFoundError:
        pass
    os.system("wc -c < piped > count")
    child = os.posix_spawn("/bin/cat", ["cat", "count"], os.environ,
                           file_actions=[(os.POSIX_SPAWN_OPEN, 1, "spawned", os.O_WRONLY | os.O_CREAT, 0o600)])
    os.waitpid(child, 0)
    shutil.copyfile("table", "copied")
    shutil.move("copied", "moved")
    os.link("moved", "linked")
    os.symlink("moved", "symlinked")
    os.replace("linked", "moved")
    with tempfile.NamedTemporaryFile(dir=".") as f:
        f.write(b"temporary")
    with tempfile.TemporaryFile(dir=".") as f:
        f.write(b"nameless")
    threads = [threading.Thread(target=lambda n=n: pathlib.Path(f"thread{n}").write_text("x" * n))
               for n in range(1, 5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    with sqlite3.connect("data.db") as db:
        db.execute("create table t (n)")
        db.executemany("insert into t values (?)", [(n,) for n in range(100)])


if __name__ == "__main__":
    main()
