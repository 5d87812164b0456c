/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROVD_TABLE_H
#define PROV_PROVD_TABLE_H
#include <pthread.h>

#include "base/arena.h"
#include "provd/job.h"
/* The table behind job.h, private to job.c, jobs.c and keep.c. */
struct job {
	struct arena memory;
	struct job *next;
	struct recorder *recorder;	/* NULL: there is another source */
	struct job_source source;
	struct id run;
	uint32_t uid;
	const char *user, *key;
	struct note note;
	int64_t since;		/* real */
	int64_t idle_since, taken_in, counted;	/* monotonic */
	uint64_t events, rate;
	bool asked_for;		/* by prov run: its connection alone ends it */
};

struct jobs {
	const struct engine_ops *engine;
	const struct policy *policy;
	int32_t granularity;
	double budget;
	pthread_mutex_t deciding;	/* of policy, and that a process is one run's */
	pthread_mutex_t lock;		/* of all below; taken after deciding */
	pthread_cond_t wake;
	pthread_t keeper;
	bool keeping, stop;
	struct job *list;
	struct job_totals totals;
	uint64_t trimmed;		/* runs by then */
};

/* Takes it out of the list; under the lock. */
void table_unlink(struct jobs *j, const struct job *job);
void table_free(struct job *job);
/* What an unlinked job did counts from now on among all; under the lock. */
void table_count(struct jobs *j, const struct recorder_now *now);
/* What an unlinked job recorded goes into the store, and the job goes. */
void keep_end(struct jobs *j, struct job *job);
/* The thread that ends runs and takes in what there is of others. */
void *keep(void *jobs);
#endif
