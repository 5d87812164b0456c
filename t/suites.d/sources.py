# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""sources - Debian's source packages, from wherever this machine has its packages from

Configuration, lists and archives of its own: what is set up on the machine is read, and
nothing of it is changed.
"""
import glob
import os
import re
import subprocess

import suite


def apt(folder, *words, check=True):
    env = {**os.environ, "APT_CONFIG": os.path.join(folder, "apt", "conf"), "LC_ALL": "C"}
    return subprocess.run([*words], cwd=folder, env=env, check=check, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def set_up(folder):
    """The machine's own list of origins, asked for sources."""
    top = os.path.join(folder, "apt")
    for name in ("parts", "lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(top, name), exist_ok=True)
    for path in ["/etc/apt/sources.list", *glob.glob("/etc/apt/sources.list.d/*")]:
        if not path.endswith((".list", ".sources")) or not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as f:
            text = f.read()
        text = re.sub(r"(?m)^Types:.*$", "Types: deb-src", re.sub(r"(?m)^deb(-src)?(?=\s)", "deb-src", text))
        with open(os.path.join(top, "parts", os.path.basename(path)), "w", encoding="utf-8") as f:
            f.write(text)
    with open(os.path.join(top, "conf"), "w", encoding="utf-8") as f:
        f.write(f'Dir::Etc::sourcelist "/dev/null";\nDir::Etc::sourceparts "{top}/parts";\n'
                f'Dir::State::lists "{top}/lists";\nDir::Cache "{top}/cache";\n'
                'APT::Sandbox::User "root";\nAcquire::Retries "3";\n')
    apt(folder, "apt-get", "-qq", "update")


def unpacked(package, folder):
    """The unpacked source of the installed package, or the nearest there is."""
    there = sorted(glob.glob(os.path.join(folder, package + "-[0-9]*/")))
    if there:
        return there[0].rstrip("/")
    fetch(package, folder)
    dsc, = glob.glob(os.path.join(folder, package + "_*.dsc"))
    apt(folder, "dpkg-source", "--no-check", "-x", dsc)
    return unpacked(package, folder)


def fetch(package, folder):
    """Its archives; their names. An update that has left the archive is passed over."""
    names = glob.glob(os.path.join(folder, package + "_*"))
    if names:
        return names
    os.makedirs(folder, exist_ok=True)
    try:
        if not os.path.exists(os.path.join(folder, "apt", "conf")):
            set_up(folder)
        shown = apt(folder, "apt-cache", "showsrc", package).stdout.decode()
    except (OSError, subprocess.CalledProcessError) as e:
        raise suite.Skip(f"no source packages can be had here: {e}") from e
    said = b""
    for version in sorted(set(re.findall(r"(?m)^Version: (\S+)", shown)), reverse=True):
        done = apt(folder, "apt-get", "-qq", "source", "--download-only", f"{package}={version}", check=False)
        if done.returncode == 0:
            return glob.glob(os.path.join(folder, package + "_*"))
        said = done.stdout
        for name in glob.glob(os.path.join(folder, package + "_*")):
            os.unlink(name)
    raise suite.Skip(f"the source of {package} cannot be had here: {said.decode()[-300:]}")
