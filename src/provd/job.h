/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROVD_JOB_H
#define PROV_PROVD_JOB_H
#include "engine/watch.h"
#include "provd/policy.h"
#include "record/recorder.h"
/*
 * The runs that this node records, one recorder each. Whose processes begin or have
 * begun is looked at here, and what comes of it is put into the store of their user:
 * <provd.stores>/UID/prov.db, with journals in <provd.spool>/UID.
 */
struct jobs;

/* engine: whose sessions are opened. A thread ends runs that are over, and puts what
 * there is of others into their stores. Call with all signals blocked. */
struct jobs *jobs_create(const struct engine_ops *engine);
/* Finishes all: each with a hole that says that the service was stopped. */
void jobs_destroy(struct jobs *j);

/* policy is the caller's, and in force until the next one is set. */
void jobs_set_policy(struct jobs *j, const struct policy *policy);
bool jobs_cover(struct jobs *j, uint32_t uid);

/* A program began that nobody records yet. */
void jobs_seen(struct jobs *j, const struct watch *w);
/* Likewise all that runs already. */
void jobs_scan(struct jobs *j);
/* A run that a user asked for, of what his process starts; also, which must live until
 * job_leave() is over, is told everything. 0 or a negative errno with fail_text(). */
struct job;
struct track_wish;
int job_track(struct jobs *j, uint32_t uid, uint32_t pid, const struct track_wish *w,
	      const struct engine_sink *also, struct job **out);
/* Likewise a session that is the user's alone: it is only listed and steered. look and
 * ask may be called by any thread until job_forget(). */
struct job_source {
	struct recorder_now (*look)(void *ctx);
	void (*ask)(void *ctx, int32_t granularity);
	void (*cost)(void *ctx, struct buf *out);
	void *ctx;
};
struct job *job_list(struct jobs *j, uint32_t uid, const struct id *run,
		     const struct job_source *source);
void job_forget(struct jobs *j, struct job *job);

/* The user's program has ended: also is told the rest. What of it still runs is
 * recorded on, in another run. */
void job_leave(struct jobs *j, struct job *job);
struct recorder_now job_now(struct job *job);
/* What recording it cost so far, a sentence. */
void job_cost(struct job *job, struct buf *out);
void job_ask(struct job *job, int32_t granularity);

/* What is told of a run. Strings live in the arena. */
struct job_view {
	struct id run;
	uint32_t uid;
	const char *user, *job;	/* job: "slurm:12", "" none */
	int64_t since;		/* real */
	bool asked_for;		/* by prov run */
	uint64_t rate;		/* events in the last second */
	struct recorder_now now;
};
struct job_view *jobs_list(struct jobs *j, struct arena *a, size_t *n);

/* Asks for a granularity: of the run whose id begins so and whose user is uid (all:
 * anybody's), or, with run "node", of all there are and will be. 0, -ENOENT, -EINVAL
 * (of several), with fail_text(). */
int jobs_ask(struct jobs *j, const char *run, uint32_t uid, bool all, int32_t granularity);

/* Since the service began. */
struct job_totals {
	uint64_t runs, events, processes, executions, representatives, lost;
	uint64_t missed;	/* programs that were gone before they could be looked at */
	uint64_t failed;	/* runs that could not be begun */
	uint64_t living;	/* executions now */
	uint64_t sessions, finishing;
};
struct job_totals jobs_total(struct jobs *j);
#endif
