/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROVD_POLICY_H
#define PROV_PROVD_POLICY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "engine/watch.h"
#include "model/model.h"
/*
 * What the node records, and what belongs to one run: the settings of [provd] as a
 * value, and decisions as pure functions of it and of what is known of a process.
 */
enum policy_scope { POLICY_NONE, POLICY_JOBS, POLICY_ALL };

/* A scheduler, and the variable by which it tells a job its number. */
struct policy_job {
	const char *scheduler, *variable;
};

struct policy {
	struct arena memory;
	struct watch_filter *uids;	/* ranges */
	size_t n_uids;
	struct policy_job *jobs;
	size_t n_jobs;
	const char **cgroups;		/* patterns of fnmatch(3) */
	size_t n_cgroups;
	enum policy_scope scope;
};

/* From the settings in force. 0, or -EINVAL with fail_text(); out is released either way
 * by policy_release(). */
int policy_read(struct policy *out);
void policy_release(struct policy *p);

/* What is known of a process that nobody records yet. */
struct policy_process {
	uint32_t pid, uid;
	const char *cgroup;	/* path within its hierarchy, "" unknown */
	struct strings environ;
	bool own;		/* runs prov or provd themselves */
	bool of_service;	/* provd, or started by it */
	bool of_recorded;	/* has been taken into a run with an ancestor */
};

struct policy_verdict {
	bool record;
	const char *why;	/* not, for a log; a constant */
	/* What the run is: processes of one user with the same key share it. "" when it
	 * is this process and what descends from it. */
	const char *key;
	const char *scheduler, *job;	/* "" when it is none */
};

bool policy_covers(const struct policy *p, uint32_t uid);
struct policy_verdict policy_decide(const struct policy *p, const struct policy_process *process,
				    struct arena *a);

/* The value of a variable; NULL when there is none. */
const char *policy_variable(const struct strings *environ, const char *name);
#endif
