# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""suite - runs cases and says so in TAP"""
import os
import sys
import traceback

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
# Of the runs that a test makes, unless it says another.
ENGINE = os.environ.get("PROV_ENGINE", "preload")


class Skip(Exception):
    """A program is missing; in CI that is a failure."""


class Cannot(Exception):
    """This kernel or file system cannot do it; t/skips says which may be."""


class Failed(Exception):
    """What the case says went wrong, without a traceback."""


def prov():
    """The prov under test: $PROV, or the one in $BUILD."""
    build = os.environ.get("BUILD", os.path.join(TOP, "build"))
    path = os.path.realpath(os.environ.get("PROV") or os.path.join(build, "src", "prov", "prov"))
    if not os.access(path, os.X_OK):
        print(f"Bail out! {path} is not a program")
        sys.exit(1)
    return path


def note(text):
    for line in str(text).rstrip().splitlines():
        print("# " + line)


def run(cases, chosen=()):
    """cases: (name, function). Exits with 1 if one failed."""
    cases = [c for c in cases if not chosen or any(word in c[0] for word in chosen)]
    print(f"1..{len(cases)}", flush=True)
    failed = 0
    for number, (name, function) in enumerate(cases, 1):
        verdict, tail = "ok", ""
        try:
            function()
        except Skip as e:
            if os.environ.get("CI") == "true":
                verdict = "not ok"
                note(f"cannot run: {e}")
            else:
                tail = f" # SKIP {e}"
        except Cannot as e:
            tail = f" # SKIP {e}"
        except Failed as e:
            verdict = "not ok"
            note(e)
        except Exception:
            verdict = "not ok"
            note(traceback.format_exc())
        failed += verdict != "ok"
        print(f"{verdict} {number} - {name}{tail}", flush=True)
    sys.exit(1 if failed else 0)
