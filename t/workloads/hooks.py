#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""hooks.py - the calls of t/workloads/*.c that python can make, from python"""
import fcntl
import mmap
import os
import subprocess


def writes():
    fd = os.open("write", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.write(fd, b"hello\n")
    os.writev(fd, [b"vec", b"tor\n"])
    os.pwrite(fd, b"PWRITE\n", 0)
    os.pwritev(fd, [b"pwr", b"itev\n"], 30)
    os.close(fd)
    with open("lines", "w", buffering=1) as f:
        f.write("one\n")
        print("two", file=f)
    with open("write", "ab") as f:
        f.write(b"appended\n")


def reads():
    with open("source", "wb") as f:
        f.write(b"0123456789abcdef\n" * 100)
    fd = os.open("source", os.O_RDONLY)
    os.read(fd, 8)
    os.pread(fd, 8, 3)
    os.readv(fd, [bytearray(4), bytearray(4)])
    os.preadv(fd, [bytearray(4)], 100)
    os.close(fd)
    with open("source") as f:
        f.readline()
        f.seek(0)
        f.read(16)
    with open("source", "rb", buffering=0) as f:
        f.readinto(bytearray(50))


def transfers():
    with open("source", "rb") as source, open("sent", "wb") as out:
        os.sendfile(out.fileno(), source.fileno(), 0, 500)
    with open("source", "rb") as source, open("copied", "wb") as out:
        os.copy_file_range(source.fileno(), out.fileno(), 300)
    with open("source", "rb") as source, open("spliced", "wb") as out:
        r, w = os.pipe()
        n = os.splice(source.fileno(), w, 200)
        os.splice(r, out.fileno(), n)
    with open("source", "r+b") as f, mmap.mmap(f.fileno(), 0) as m:
        m[0:4] = b"MMAP"
    with open("source", "rb") as f, mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ) as m:
        assert m[0:4] == b"MMAP"


def descriptors():
    fd = os.open("descriptor", os.O_RDWR | os.O_CREAT, 0o600)
    other = os.dup(fd)
    os.dup2(other, 40)
    far = fcntl.fcntl(40, fcntl.F_DUPFD, 60)
    os.close(fd)
    os.write(far, b"far")
    os.closerange(30, 70)
    os.write(other, b"other")
    os.ftruncate(other, 4)
    os.posix_fallocate(other, 0, 100)


def names():
    with open("rename", "w") as f:
        f.write("rename\n")
    os.rename("rename", "renamed")
    os.link("renamed", "linked")
    os.symlink("renamed", "symlinked")
    os.unlink("renamed")
    here = os.open(".", os.O_RDONLY)
    os.rename("linked", "again", src_dir_fd=here, dst_dir_fd=here)
    os.unlink("again", dir_fd=here)
    os.truncate("lines", 3)
    os.mkdir("folder")
    os.rmdir("folder")
    fd = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600)
    os.write(fd, b"nameless")
    os.link(f"/proc/self/fd/{fd}", "named", follow_symlinks=True, src_dir_fd=fd)


def programs():
    with open("child", "w") as f:
        f.write("#!/bin/sh\necho child >>children\n")
    os.chmod("child", 0o755)
    for _ in range(2):
        subprocess.run(["./child"], check=True)
    subprocess.run(["sh", "-c", "exit 5"], env={}, check=False)
    pid = os.fork()
    if pid == 0:
        os.execvp("sh", ["sh", "-c", "cat source >/dev/null"])
    os.waitpid(pid, 0)
    pid = os.fork()
    if pid == 0:
        try:
            os.execv("/absent/program", ["program"])
        except FileNotFoundError:
            with open("failed", "w") as f:
                f.write("exec failed")
            os._exit(1 if f.closed else 2)
    os.waitpid(pid, 0)


for step in (writes, reads, transfers, descriptors, names, programs):
    step()
