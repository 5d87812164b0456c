# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""counting.py - tools/check counts what it is told, and is not talked round"""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import sys
import time

import tree
import tap

OK = "passed"
BAD = "failed"
SKIP = "skipped"

# fact, output, exit status, verdicts
FAKES = [
    ("passed cases are counted", "1..2\nok 1 - a\nok 2 - b\n", 0, [OK, OK]),
    ("a plan may come last", "ok 1 - a\nok 2 - b\n1..2\n", 0, [OK, OK]),
    ("a failed case is counted once", "1..2\nok 1 - a\nnot ok 2 - b\n", 1, [OK, BAD]),
    ("a failed case counts though the exit status is 0", "1..1\nnot ok 1 - a\n", 0, [BAD]),
    ("a skipped case is neither passed nor failed", "1..2\nok 1 - a # SKIP no tty\nok 2 - b\n", 0,
     [SKIP, OK]),
    ("cmocka's way to skip is understood", "1..2\nok 1 - a\nnot ok 2 # SKIP b\n", 0, [OK, SKIP]),
    ("a case cannot fail and be skipped", "1..1\nnot ok 1 - a # SKIP so\n", 1, [BAD]),
    ("a mark for later does not excuse a failure", "1..1\nnot ok 1 - a # TO" "DO later\n", 0, [BAD]),
    ("a program may skip as a whole", "1..0 # SKIP no cluster\n", 0, [SKIP]),
    ("a program that plans nothing passes nothing", "1..0\n", 0, [SKIP]),
    ("cases that never ran have failed", "1..4\nok 1 - a\nok 2 - b\n", 0, [OK, OK, BAD, BAD]),
    ("a death in the middle fails what is left", "1..3\nok 1 - a\n", -11, [OK, BAD, BAD]),
    ("a death after the last case is a failure", "1..1\nok 1 - a\n", -6, [OK, BAD]),
    ("a bad exit status after good cases is a failure", "1..1\nok 1 - a\n", 3, [OK, BAD]),
    ("a program that says nothing has failed", "", 0, [BAD]),
    ("a program that dies without a word has failed once", "", -9, [BAD]),
    ("cases without a plan have failed", "ok 1 - a\n", 0, [OK, BAD]),
    ("more cases than planned are a failure", "1..1\nok 1 - a\nok 2 - b\n", 0, [OK, OK, BAD]),
    ("two plans are a failure", "1..1\nok 1 - a\n1..1\nok 1 - b\n", 0, [OK, OK, BAD]),
    ("cases out of order are a failure", "1..2\nok 2 - b\nok 1 - a\n", 0, [OK, OK, BAD]),
    ("giving up is a failure", "1..1\nok 1 - a\nBail out! no memory\n", 0, [OK, BAD]),
    ("other words and nested cases are not counted",
     "TAP version 13\n1..1\n# ok 5\n    ok 1 - inner\nokay\nok 1 - a\n", 0, [OK]),
]


def check_module():
    path = os.path.join(tree.TOP, "tools", "check")
    loader = importlib.machinery.SourceFileLoader("check", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def quietly(tally, *arguments):
    with contextlib.redirect_stdout(io.StringIO()) as said:
        result = tally(*arguments)
    return result, said.getvalue()


report = tap.Report()
for fact, output, status, want in FAKES:
    got = [case.verdict for case in tap.cases_of(output, status)]
    report.ok(got == want, fact, f"wanted {want}, got {got}")
late = tap.cases_of("1..2\nok 1 - a\n", -9, timed_out=True)
report.ok("time" in late[1].why, "a program that ran out of time says so", late[1].why)

check = check_module()
for ci, permits, want, fact in [
        (True, [], BAD, "in CI a skip that nobody permits is a failure"),
        (True, [["t/*", "a*", "because"]], SKIP, "in CI a permitted skip is a skip"),
        (True, [["u/*", "a*", "because"]], BAD, "a permit is for the test it names"),
        (False, [], SKIP, "on a desk every skip is a skip")]:
    check.CI = ci
    tally = check.Tally(permits)
    quietly(tally.add, "t/x", tap.cases_of("1..1\nok 1 - a # SKIP no\n", 0), "", 0.0)
    report.ok(tally.counts[want] == 1, fact, tally.counts)

tally = check.Tally([])
quietly(tally.add, "t/x", tap.cases_of("1..2\nok 1 - a\nnot ok 2 - b\n", 1), "the reason", 0.0)
status, said = quietly(tally.summary)
report.ok(status == 1, "a failure makes tools/check fail", status)
report.ok(said.splitlines()[-1] == "1 passed, 1 failed, 0 skipped", "the last line is the count", said)
report.ok("the reason" in said, "the summary shows what a failed test printed", said)
status, _ = quietly(check.Tally([]).summary)
report.ok(status == 1, "nothing run is not success", status)

started = time.monotonic()
_, _, _, timed_out, _ = check.run(["sh", "-c", "sleep 600 & wait"], {}, "/", 0.2)
report.ok(timed_out and time.monotonic() - started < 60, "a test that hangs is ended with its children")
_, said, status, _, _ = check.run(["/nowhere/program"], {}, "/", 5)
report.ok(status == 127 and "/nowhere/program" in said, "a test that cannot start says so", said)
sys.exit(report.end())
