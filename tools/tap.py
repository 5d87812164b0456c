# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""tap.py - what a TAP program said, counted in cases

A case that was announced and never came is a failed case, and so is a death
that no case admits to: a program that stops early must not look better than
one that runs to its end.
"""
import re

LINE = re.compile(r"(not )?ok\b(?:\s+(\d+))?\s*(?:-\s*)?(.*)$")
PLAN = re.compile(r"1\.\.(\d+)\s*(?:#\s*(.*))?$")
SKIP = re.compile(r"#\s*skip\b:?\s*(.*)$", re.IGNORECASE)


class Case:
    """One case: name, verdict ("passed", "failed" or "skipped") and why."""

    def __init__(self, name, verdict, why=""):
        self.name = name
        self.verdict = verdict
        self.why = why


def case_of(match):
    refused, _, text = match.groups()
    skip = SKIP.search(text)
    if not skip:
        return Case(text.strip(), "failed" if refused else "passed")
    name = text[:skip.start()].strip(" -")
    if not name:
        # cmocka: "not ok 2 # SKIP name", with no word on the reason.
        return Case(skip.group(1).strip(), "skipped", "skip() in the test")
    if refused:
        return Case(name, "failed", "skipped and failed at once")
    return Case(name, "skipped", skip.group(1).strip())


def death_of(status, timed_out):
    if timed_out:
        return "ran out of time"
    if status is not None and status < 0:
        return f"was killed by signal {-status}"
    if status:
        return f"exited with status {status}"
    return ""


def cases_of(output, status, timed_out=False):
    """The cases of one program from its standard output and exit status
    (negative: a signal), in order. Never empty."""
    cases = []
    planned = None
    wrong = []
    for line in output.splitlines():
        plan = PLAN.match(line)
        if plan:
            if planned is not None:
                wrong.append("announced its plan twice")
                planned += int(plan.group(1))
                continue
            planned = int(plan.group(1))
            if planned == 0:
                reason = re.sub(r"(?i)^skip\b:?\s*", "", plan.group(2) or "")
                cases.append(Case("everything", "skipped", reason))
                planned = 1
            continue
        if line.startswith("Bail out!"):
            wrong.append(line)
            continue
        match = LINE.match(line)
        if not match:
            continue
        cases.append(case_of(match))
        number = match.group(2)
        if number and int(number) != len(cases) and not wrong:
            wrong.append(f"numbered case {len(cases)} as {number}")

    death = death_of(status, timed_out)
    if planned is None:
        wrong.append("announced no plan" + (" and " + death if death else ""))
        death = ""
    elif len(cases) > planned:
        wrong.append(f"ran {len(cases)} cases of {planned}")
    else:
        for n in range(len(cases) + 1, planned + 1):
            cases.append(Case(f"case {n} of {planned}", "failed",
                              "never ran: the program " + (death or "stopped early")))
            death = ""
    if death and not any(case.verdict == "failed" for case in cases):
        wrong.append(death)
    cases += [Case("the program as a whole", "failed", why) for why in wrong]
    return cases


class Report:
    """A test program in the making: says ok and not ok, then the plan."""

    def __init__(self):
        self.n = 0
        self.failed = 0

    def ok(self, good, name, *details):
        self.n += 1
        if not good:
            self.failed += 1
        print(f"{'' if good else 'not '}ok {self.n} - {name}", flush=True)
        for detail in () if good else details:
            for line in str(detail).splitlines():
                print("# " + line, flush=True)

    def skip(self, name, why):
        self.n += 1
        print(f"ok {self.n} - {name} # SKIP {why}", flush=True)

    def end(self):
        print(f"1..{self.n}")
        return 1 if self.failed else 0
