/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* keep.c - how a run goes on, and ends */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "provd/log.h"
#include "provd/table.h"

#define KEEP_EVERY INT64_C(500000000)	/* looks of the keeper */
#define LINGER	   INT64_C(5000000000)	/* a scheduler starts one step of a job after another */
#define SETTLE	   INT64_C(1000000000)	/* what was adopted is not told at once */
#define TAKE_IN	   INT64_C(10000000000)	/* a run that goes on for days can be asked about */

void table_unlink(struct jobs *j, const struct job *job)
{
	struct job **at = &j->list;

	while (*at && *at != job)
		at = &(*at)->next;
	if (*at)
		*at = job->next;
	j->totals.sessions--;
	j->totals.finishing++;
}

void table_free(struct job *job)
{
	arena_release(&job->memory);
	free(job);
}

void table_count(struct jobs *j, const struct recorder_now *now)
{
	j->totals.events += now->events;
	j->totals.processes += now->processes;
	j->totals.executions += now->executions;
	j->totals.representatives += now->representatives;
	j->totals.lost += now->lost;
	j->totals.finishing--;
}

void keep_end(struct jobs *j, struct job *job)
{
	struct recorder_now now;
	struct recorder_result result = { 0 };
	char id[ID_TEXT_SIZE], about[128];

	id_short(ID_RUN, &job->run, id);
	recorder_end(job->recorder, /* pid= */ 0, /* status= */ -1, &result);
	snprintf(about, sizeof(about), "run %s of %s", id, job->user);
	log_lines(about, &result.trouble);
	buf_release(&result.trouble);
	now = recorder_now(job->recorder);
	recorder_close(job->recorder);
	(void)pthread_mutex_lock(&j->lock);
	table_count(j, &now);
	(void)pthread_mutex_unlock(&j->lock);
	table_free(job);
}

static void count_job(struct job *job, const struct recorder_now *now, int64_t when)
{
	int64_t span = when - job->counted;

	if (span < INT64_C(900000000))
		return;
	job->rate = (now->events - job->events) * 1000000 / (uint64_t)(span / 1000);
	job->events = now->events;
	job->counted = when;
}

static bool is_over(struct job *job, int64_t when)
{
	struct recorder_now now = job_now(job);

	count_job(job, &now, when);
	if (job->asked_for || now.alive) {
		job->idle_since = 0;
		return false;
	}
	if (!job->idle_since)
		job->idle_since = when;
	return when - job->idle_since >= (job->key[0] ? LINGER : SETTLE);
}

static struct job *next_over(struct jobs *j)
{
	int64_t now = clock_mono();

	for (struct job *job = j->list; job; job = job->next) {
		if (!is_over(job, now))
			continue;
		table_unlink(j, job);
		return job;
	}
	return NULL;
}

static struct job *next_to_take_in(struct jobs *j)
{
	int64_t now = clock_mono();

	for (struct job *job = j->list; job; job = job->next)
		if (!job->asked_for && now - job->taken_in >= TAKE_IN)
			return job;
	return NULL;
}

/* Loading programs into the kernel, and putting a run into its store, take megabytes
 * for a moment: a service that runs for months does not keep them. */
static void give_back(struct jobs *j)
{
	j->trimmed = j->totals.runs;
	(void)pthread_mutex_unlock(&j->lock);
	(void)malloc_trim(0);
	(void)pthread_mutex_lock(&j->lock);
}

/* Only the keeper removes jobs that nobody asked for, so it may look at one of them
 * without the lock. */
static void keep_once(struct jobs *j)
{
	struct job *job;
	bool ended = false;

	while ((job = next_over(j))) {
		(void)pthread_mutex_unlock(&j->lock);
		keep_end(j, job);
		ended = true;
		(void)pthread_mutex_lock(&j->lock);
	}
	if (ended || j->totals.runs != j->trimmed)
		give_back(j);
	while (!j->stop && (job = next_to_take_in(j))) {
		job->taken_in = clock_mono();
		(void)pthread_mutex_unlock(&j->lock);
		if (recorder_take_in(job->recorder) < 0)
			log_line("%s", fail_text());
		(void)pthread_mutex_lock(&j->lock);
	}
}

void *keep(void *arg)
{
	struct jobs *j = arg;

	(void)pthread_mutex_lock(&j->lock);
	while (!j->stop) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += KEEP_EVERY;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		(void)pthread_cond_timedwait(&j->wake, &j->lock, &until);
		keep_once(j);
	}
	(void)pthread_mutex_unlock(&j->lock);
	return NULL;
}
