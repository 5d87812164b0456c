/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROV_CHILD_H
#define PROV_PROV_CHILD_H
#include <signal.h>
#include <sys/types.h>

#include "base/buf.h"
/*
 * Running a program as if prov were not there: same terminal, process group,
 * descriptors, signal mask and dispositions. Meanwhile this process blocks all
 * signals and hands on those that were meant for the program.
 */
struct child {
	pid_t pid;
	sigset_t mask;			/* to go back to */
	struct sigaction chld, xfsz;
};

/* env: NAME=value strings, NUL-terminated one after another, that replace or
 * join the environment. 0; 126 or 127 as env(1) when the program cannot be
 * executed (a line is printed), 125 when no process can be made. */
int child_start(struct child *c, char *const argv[], const struct buf *env);

/* Waits for the end; returns the wait status. */
int child_wait(struct child *c);

/* Leaves as the program did: by the same signal, or returns its exit status. */
int child_leave_as(struct child *c, int status);
#endif
