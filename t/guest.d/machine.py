# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""machine.py - a script, run by a kernel of our choice on an emulated machine"""
import os
import platform
import re
import shutil
import subprocess
import tempfile
import time

from initramfs import Initramfs

HERE = os.path.dirname(os.path.abspath(__file__))
QEMU = "qemu-system-x86_64"
# No KVM: where the tests run, there often is none, or one that only carries
# kernels made for it. No cx16: after cmpxchg16b QEMU 7.2 leaves an address in the
# flags, and an interrupt at that moment is the end of Linux 6.12, now and then.
MACHINE = ["-accel", "tcg,thread=multi", "-cpu", "max,cx16=off", "-machine", "q35", "-m", "1024", "-smp", "2",
           "-nodefaults", "-display", "none", "-no-reboot"]
# LSM programs attach only where bpf is in the list.
KERNEL = "console=ttyS0 quiet panic=-1 random.trust_cpu=on lsm=landlock,lockdown,yama,integrity,apparmor,bpf"
BEGUN = re.compile(rb"begun after ([\d.]+)\n")
ENDED = re.compile(rb"\nended with (\d+) after ([\d.]+)\n\Z")


class Failed(Exception):
    """The guest did not come to the end of its script; says where it was."""


class Result:
    """What a script printed, its exit status, when it began and ended in
    seconds since the kernel did, and what the kernel said."""

    def __init__(self, output, status, begun, ended, console):
        self.output = output
        self.status = status
        self.begun = begun
        self.ended = ended
        self.console = console


def missing():
    """What this machine lacks, or None."""
    if platform.machine() != "x86_64":
        return f"its programs are for {platform.machine()}, the guests are x86_64"
    for name, package in ((QEMU, "qemu-system-x86"), ("busybox", "busybox-static"), ("ldd", "libc-bin")):
        if not shutil.which(name):
            return f"{name} is not installed (package {package})"
    return None


def image(programs, files, script):
    """A root folder with programs (and their libraries) and files of this
    machine at their own paths; script is what init runs."""
    root = Initramfs()
    busybox = os.path.realpath(shutil.which("busybox"))
    root.file(busybox)
    for path in programs:
        root.program(path)
    for path in files:
        root.file(path)
    with open(os.path.join(HERE, "init.sh"), "rb") as f:
        root.put("/init", b"#!%s sh\n" % os.fsencode(busybox) + f.read(), 0o755)
    root.link("/busybox", busybox)
    root.put("/etc/passwd", b"root:x:0:0:root:/root:/bin/sh\n")
    root.put("/etc/group", b"root:x:0:\n")
    root.put("/script", script)
    return root


def last(console, n=25):
    lines = console.decode("utf-8", "replace").replace("\r", "").rstrip().splitlines()
    return "\n".join(["the last it said:", *lines[-n:]] if lines else ["it said nothing"])


def read(path):
    if not os.path.exists(path):
        return b""
    with open(path, "rb") as f:
        return f.read()


def boot(kernel, root, seconds=300):
    """Runs the script of root under kernel; the guest is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="prov-t-guest-") as folder:
        console, output, initrd = (os.path.join(folder, n) for n in ("console", "output", "initrd"))
        root.write(initrd)
        begun = time.monotonic()
        try:
            p = subprocess.run([QEMU, *MACHINE, "-kernel", kernel, "-initrd", initrd, "-append", KERNEL,
                                "-serial", "file:" + console, "-serial", "file:" + output],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               timeout=seconds, check=False)
            how = f"ended with status {p.returncode} after {time.monotonic() - begun:.1f} s: " + \
                p.stdout.decode("utf-8", "replace").strip()
        except subprocess.TimeoutExpired:
            how = f"was stopped after {seconds} s"
        said, printed = read(console), read(output)
    begin, end = BEGUN.match(printed), ENDED.search(printed)
    if not begin or not end:
        raise Failed(f"the guest {how}\nand its script had not ended; {last(said)}\n"
                     f"of the script's output {last(printed)}")
    return Result(printed[begin.end():end.start()], int(end.group(1)), float(begin.group(1)),
                  float(end.group(2)), said)
