# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
"""tables - every row there is, by table"""
import ablation
import calls
import downstream
import kernel
import peers
import programs
import resources
import thesis

TITLES = {
    "calls": "One system call",
    "programs": "Whole programs",
    "resources": "Losses, memory and bytes",
    "downstream": "After the program",
    "kernel": "The engine in the kernel",
    "ablation": "What each part of the guest library adds",
    "peers": "Other recorders found here",
    "thesis": "Four fio cases, speed in parts of what it is bare",
}
ROWS = {
    "calls": calls.ROWS,
    "programs": programs.ROWS,
    "resources": resources.ROWS,
    "downstream": downstream.ROWS,
    "kernel": kernel.ROWS,
    "ablation": ablation.ROWS,
    "peers": peers.ROWS,
    "thesis": thesis.ROWS,
}
USUAL = ["calls", "programs", "resources", "downstream", "kernel"]
ALL = list(ROWS)


def rows(names):
    return [(name, row) for name in names for row in ROWS[name]]
