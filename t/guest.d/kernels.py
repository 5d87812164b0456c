# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""kernels.py - kernels that Debian packages, fetched once and kept

They come from the archive that this machine's own apt is set up for, and
through apt, so signatures are checked; but with lists, caches and settings of
our own, so that nothing of the machine's is changed.
"""
import contextlib
import fcntl
import glob
import os
import platform
import re
import shutil
import subprocess
import tarfile
import tempfile
import time

# The small kernels for virtual machines: 8250 console and BTF built in. Some
# suites keep the image itself in a package of another name.
PACKAGE = re.compile(r"linux-(image|binary)-\d\S*-cloud-amd64")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
# After so long a suite is asked for a newer one.
OLD = 30 * 24 * 3600

# What the machine does after its own updates must not be done after ours.
CONF = """
Dir::State "{0}/state";
Dir::State::status "{0}/status";
Dir::Cache "{0}/cache";
Dir::Log "{0}";
Dir::Etc::sourcelist "{0}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
#clear APT::Architectures;
APT::Architecture "amd64";
APT::Sandbox::User "root";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::http::Timeout "30";
"""


class Unavailable(Exception):
    """This machine cannot have that kernel; says why."""


def cache():
    base = os.environ.get("XDG_CACHE_HOME")
    if not base:
        base = "/var/cache" if os.getuid() == 0 else os.path.expanduser("~/.cache")
    return os.path.join(base, "prov-guest")


def output(*command, **kw):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True,
                          stderr=subprocess.PIPE, timeout=300, **kw).stdout


def mirror():
    """Where this machine's own release comes from."""
    names = {platform.freedesktop_os_release().get("VERSION_CODENAME"), "stable", "testing", "unstable"}
    for uri, suite in re.findall(r"'(\S+?)/?/dists/(\S+?)/InRelease'", output("apt-get", "--print-uris", "update")):
        if suite in names:
            return uri
    raise Unavailable("apt is set up for no archive that has this machine's release")


class Apt:
    """One suite, seen through an apt that has nothing but a folder."""

    def __init__(self, folder, suite):
        self.folder = folder
        for name in ("state/lists/partial", "cache/archives/partial"):
            os.makedirs(os.path.join(folder, name))
        keyring = f"[signed-by={KEYRING}] " if os.path.exists(KEYRING) else ""
        for name, text in (("status", ""), ("apt.conf", CONF.format(folder)),
                           ("sources.list", f"deb {keyring}{mirror()} {suite} main\n")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)

    def __call__(self, tool, *words):
        return output(tool, "-c", os.path.join(self.folder, "apt.conf"), *words, cwd=self.folder)

    def version(self, package):
        return re.search(r"^Version: (\S+)", self("apt-cache", "show", "--no-all-versions", package), re.M).group(1)

    def newest(self):
        """Packages that may hold the image, the likeliest first."""
        found = filter(PACKAGE.fullmatch, self("apt-cache", "pkgnames", "linux-").split())
        numbers = {p: [int(n) for n in re.findall(r"\d+", p + " " + self.version(p))] for p in found}
        return sorted(numbers, key=lambda p: (numbers[p], PACKAGE.fullmatch(p).group(1) == "binary"), reverse=True)


def unpack(package, target):
    """The image out of a package file; False where it holds none."""
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as deb, \
            tarfile.open(fileobj=deb.stdout, mode="r|") as tar:
        for member in tar:
            if os.path.basename(member.name).startswith("vmlinuz") and member.isfile():
                with open(target, "wb") as f:
                    shutil.copyfileobj(tar.extractfile(member), f)
                deb.kill()
                return True
    return False


def download(suite, folder):
    with tempfile.TemporaryDirectory(dir=folder, prefix="tmp") as work:
        apt = Apt(work, suite)
        apt("apt-get", "-qq", "--error-on=any", "update")
        packages = apt.newest()
        for package in packages:
            apt("apt-get", "-qq", "download", package)
            file, = glob.glob(os.path.join(work, "*.deb"))
            image = os.path.join(work, "vmlinuz")
            if unpack(file, image):
                path = os.path.join(folder, f"{suite}.{package}_{apt.version(package)}")
                os.replace(image, path)
                return path
            os.remove(file)
    raise LookupError(f"no package of {suite} holds an image: {packages}")


@contextlib.contextmanager
def locked(folder):
    """One at a time; what a killed one left is removed."""
    with open(os.path.join(folder, "lock"), "w", encoding="ascii") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        for left in glob.glob(os.path.join(glob.escape(folder), "tmp*", "")):
            shutil.rmtree(left, ignore_errors=True)
        yield


def fetch(suite):
    """Path of the newest kernel of a suite; its name ends in package and version."""
    folder = cache()
    os.makedirs(folder, exist_ok=True)
    with locked(folder):
        kept = glob.glob(os.path.join(glob.escape(folder), f"{suite}.*"))
        if kept and time.time() - os.path.getmtime(kept[0]) < OLD:
            return kept[0]
        try:
            path = download(suite, folder)
            os.utime(path)
        except FileNotFoundError as e:
            raise Unavailable(f"{e.filename} is not installed") from e
        except (subprocess.SubprocessError, Unavailable) as e:
            if kept:
                return kept[0]
            said = re.findall(r"^(?:E|W|Err): ?(.*)", getattr(e, "stderr", None) or "", re.M)
            raise Unavailable(f"apt got no kernel of {suite}: {said[0] if said else e}") from e
        for other in kept:
            if other != path:
                os.remove(other)
        return path
