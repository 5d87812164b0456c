/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROVD_PROC_H
#define PROV_PROVD_PROC_H
#include "base/arena.h"
#include "provd/policy.h"
/*
 * What /proc tells of a process. It may be gone at any moment, or be another by then;
 * what cannot be read is empty.
 */
struct proc {
	struct policy_process known;
	uint32_t ppid;
	const char *exe, *cwd;
	struct strings argv;
};

/* 0, or -ESRCH. known.of_recorded is not told. */
int proc_read(uint32_t pid, struct arena *a, struct proc *out);
/* 0 when it is gone. */
uint32_t proc_parent(uint32_t pid);
/* Every process there is, oldest first. */
uint32_t *proc_list(struct arena *a, size_t *n);
/* Bytes that this process keeps in memory. */
uint64_t proc_resident(void);
#endif
