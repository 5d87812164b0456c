/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* jobs.c - the runs of this node, together */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/conf.h"
#include "base/err.h"
#include "base/mem.h"
#include "engine/granularity.h"
#include "provd/log.h"
#include "provd/table.h"

struct jobs *jobs_create(const struct engine_ops *engine)
{
	struct jobs *j = mem_alloc(sizeof(*j));

	j->engine = engine;
	(void)pthread_mutex_init(&j->deciding, NULL);
	(void)pthread_mutex_init(&j->lock, NULL);
	(void)pthread_cond_init(&j->wake, NULL);
	j->keeping = pthread_create(&j->keeper, NULL, keep, j) == 0;
	return j;
}

void jobs_destroy(struct jobs *j)
{
	struct job *job;

	(void)pthread_mutex_lock(&j->lock);
	j->stop = true;
	(void)pthread_cond_signal(&j->wake);
	(void)pthread_mutex_unlock(&j->lock);
	if (j->keeping)
		(void)pthread_join(j->keeper, NULL);
	while ((job = j->list)) {
		recorder_hole(job->recorder, "stopped",
			      "the service was stopped: what was done after that is not recorded");
		table_unlink(j, job);
		keep_end(j, job);
	}
	(void)pthread_cond_destroy(&j->wake);
	(void)pthread_mutex_destroy(&j->lock);
	(void)pthread_mutex_destroy(&j->deciding);
	free(j);
}

void jobs_set_policy(struct jobs *j, const struct policy *policy)
{
	(void)pthread_mutex_lock(&j->deciding);
	j->policy = policy;
	(void)granularity_find(conf_text("provd.granularity"), &j->granularity);
	j->budget = strtod(conf_text("provd.budget"), NULL) / 100;
	(void)pthread_mutex_unlock(&j->deciding);
}

bool jobs_cover(struct jobs *j, uint32_t uid)
{
	bool covers;

	(void)pthread_mutex_lock(&j->deciding);
	covers = policy_covers(j->policy, uid);
	(void)pthread_mutex_unlock(&j->deciding);
	return covers;
}

struct job_view *jobs_list(struct jobs *j, struct arena *a, size_t *n)
{
	struct job_view *list = NULL;
	size_t room = 0;

	*n = 0;
	(void)pthread_mutex_lock(&j->lock);
	for (struct job *job = j->list; job; job = job->next) {
		list = arena_grow(a, list, *n, &room, sizeof(*list));
		list[(*n)++] = (struct job_view){
			.run = job->run,
			.uid = job->uid,
			.user = arena_str(a, job->user),
			.job = arena_str(a, job->key),
			.since = job->since,
			.asked_for = job->asked_for,
			.rate = job->rate,
			.now = job_now(job),
		};
	}
	(void)pthread_mutex_unlock(&j->lock);
	return list;
}

static bool is_meant(const struct job *job, const char *run)
{
	char id[ID_TEXT_SIZE];
	size_t n = strlen(run);

	id_text(ID_RUN, &job->run, id);
	return n >= 5 && !strncmp(id, run, n);
}

static int ask_one(struct jobs *j, const char *run, uint32_t uid, bool all, int32_t granularity)
{
	struct job *meant = NULL;

	for (struct job *job = j->list; job; job = job->next) {
		if ((!all && job->uid != uid) || !is_meant(job, run))
			continue;
		if (meant)
			return fail(EINVAL, "%s could be several runs; give more digits", run);
		meant = job;
	}
	if (!meant)
		return fail(ENOENT, "no run '%s' of yours is being recorded", run);
	job_ask(meant, granularity);
	return 0;
}

int jobs_ask(struct jobs *j, const char *run, uint32_t uid, bool all, int32_t granularity)
{
	int r = 0;

	if (!strcmp(run, "node")) {
		(void)pthread_mutex_lock(&j->deciding);
		j->granularity = granularity;
		(void)pthread_mutex_unlock(&j->deciding);
	}
	(void)pthread_mutex_lock(&j->lock);
	if (strcmp(run, "node") != 0)
		r = ask_one(j, run, uid, all, granularity);
	else
		for (struct job *job = j->list; job; job = job->next)
			job_ask(job, granularity);
	(void)pthread_mutex_unlock(&j->lock);
	return r;
}

struct job_totals jobs_total(struct jobs *j)
{
	struct job_totals t;

	(void)pthread_mutex_lock(&j->lock);
	t = j->totals;
	for (struct job *job = j->list; job; job = job->next) {
		struct recorder_now now = job_now(job);

		t.events += now.events;
		t.processes += now.processes;
		t.executions += now.executions;
		t.representatives += now.representatives;
		t.lost += now.lost;
		t.living += now.living;
	}
	(void)pthread_mutex_unlock(&j->lock);
	return t;
}
