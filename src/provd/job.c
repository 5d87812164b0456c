/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* job.c - how a run of this node begins */
#include "provd/job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/redact.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/err.h"
#include "base/mem.h"
#include "engine/wire.h"
#include "model/key.h"
#include "provd/log.h"
#include "provd/proc.h"
#include "provd/table.h"
#include "provd/user.h"

static struct strings redacted(struct arena *a, struct strings argv)
{
	struct buf clean = { 0 };
	struct strings s;

	redact_argv(&argv, conf_text("redact"), &clean);
	s = (struct strings){ arena_copy(a, clean.data, clean.size), clean.size };
	buf_release(&clean);
	return s;
}

/* All steps of a job on this node are one run, also after the service was started anew. */
static struct id run_of(uint32_t uid, const char *key)
{
	struct buf b = { 0 };
	struct id id;

	if (!key[0])
		return run_id_new();
	buf_printf(&b, "job|%s|%s|%u|%s", key_machine(), key_boot(), uid, key);
	id = id_of(b.data, b.size);
	buf_release(&b);
	return id;
}

static struct job *new_job(uint32_t uid, const char *key, const struct id *run)
{
	struct job *job = mem_alloc(sizeof(*job));

	job->uid = uid;
	job->user = user_name(&job->memory, uid);
	job->key = arena_str(&job->memory, key);
	job->run = *run;
	job->since = clock_real();
	job->counted = job->taken_in = clock_mono();
	job->note = (struct note){ .run = *run, .key = "job", .value = job->key };
	return job;
}

static int open_recorder(struct jobs *j, struct job *job, const struct proc *p,
			 struct recorder_setup *setup)
{
	int r = user_place(&job->memory, job->uid, &setup->place);

	if (r < 0)
		return r;
	setup->engine = j->engine;
	setup->notes = &job->note;
	setup->n_notes = job->key[0] ? 1 : 0;
	setup->run = (struct run){
		.id = job->run,
		.name = job->key,
		.host = key_host(),
		.boot = key_clock(),
		.user = job->user,
		.uid = job->uid,
		.cwd = arena_str(&job->memory, p->cwd),
		.argv = redacted(&job->memory, p->argv),
	};
	job->recorder = recorder_open(setup);
	return job->recorder ? 0 : -EIO;
}

static void insert_job(struct jobs *j, struct job *job)
{
	(void)pthread_mutex_lock(&j->lock);
	job->next = j->list;
	j->list = job;
	j->totals.runs++;
	j->totals.sessions++;
	(void)pthread_mutex_unlock(&j->lock);
}

static void drop_job(struct job *job)
{
	if (job->recorder) {
		recorder_cancel(job->recorder);
		recorder_close(job->recorder);
	}
	table_free(job);
}

/* -ESRCH: it was gone; -EEXIST: another run has it. */
static int begin_run(struct jobs *j, const struct proc *p, const char *key)
{
	struct id run = run_of(p->known.uid, key);
	struct job *job = new_job(p->known.uid, key, &run);
	struct recorder_setup setup = { .granularity = j->granularity, .budget = j->budget };
	int r = open_recorder(j, job, p, &setup);

	if (r == 0)
		r = recorder_begin(job->recorder, p->known.pid);
	if (r == 0)
		r = recorder_adopt(job->recorder, p->known.pid);
	if (r < 0) {
		drop_job(job);
		return r;
	}
	insert_job(j, job);
	return 0;
}

/* Into the run of its job, if that is being recorded. */
static bool join_run(struct jobs *j, const struct proc *p, const char *key)
{
	bool joined = false;

	(void)pthread_mutex_lock(&j->lock);
	for (struct job *job = key[0] ? j->list : NULL; job && !joined; job = job->next) {
		if (job->asked_for || job->uid != p->known.uid || strcmp(job->key, key) != 0)
			continue;
		joined = recorder_adopt(job->recorder, p->known.pid) != -ENOSYS;
		job->idle_since = 0;
	}
	(void)pthread_mutex_unlock(&j->lock);
	return joined;
}

static void count_failure(struct jobs *j, int r, const struct proc *p)
{
	char why[512];

	if (r == -EEXIST)
		return;
	snprintf(why, sizeof(why), "%s", fail_text());
	(void)pthread_mutex_lock(&j->lock);
	if (r == -ESRCH)
		j->totals.missed++;
	else
		j->totals.failed++;
	(void)pthread_mutex_unlock(&j->lock);
	if (r != -ESRCH)
		log_line("process %u of user %u is not recorded: %s", p->known.pid, p->known.uid,
			 why);
}

static int decide(struct jobs *j, const struct proc *p, struct arena *a)
{
	struct policy_verdict v = policy_decide(j->policy, &p->known, a);

	if (!v.record) {
		watch_refuse(p->known.pid);
		return 0;
	}
	return join_run(j, p, v.key) ? 0 : begin_run(j, p, v.key);
}

/* One that has ended before it could be looked at: its environment tells whether it
 * belongs to a run that goes on. */
static int decide_late(struct jobs *j, struct proc *p, struct arena *a)
{
	struct policy_verdict v;
	struct buf text = { 0 };
	bool joined;

	watch_environ(p->known.pid, &text);
	p->known.environ = (struct strings){ arena_copy(a, text.data, text.size), text.size };
	p->known.cgroup = "";
	buf_release(&text);
	v = policy_decide(j->policy, &p->known, a);
	joined = p->known.environ.size && v.record && join_run(j, p, v.key);
	if (!joined)
		watch_refuse(p->known.pid);
	return joined ? 0 : fail(ESRCH, "process %u has ended", p->known.pid);
}

void jobs_seen(struct jobs *j, const struct watch *w)
{
	struct arena a = { 0 };
	struct proc p;
	int r;

	(void)pthread_mutex_lock(&j->deciding);
	r = proc_read(w->pid, &a, &p);
	if (r < 0)
		p.known = (struct policy_process){ .pid = w->pid, .uid = w->uid };
	p.known.of_recorded = watch_has(w->pid);
	if (r == 0)
		r = decide(j, &p, &a);
	else if (r == -ESRCH)
		r = decide_late(j, &p, &a);
	if (r < 0)
		count_failure(j, r, &p);
	(void)pthread_mutex_unlock(&j->deciding);
	arena_release(&a);
}

void jobs_scan(struct jobs *j)
{
	struct arena a = { 0 };
	size_t n;
	uint32_t *pids = proc_list(&a, &n);

	/* parents first: adoption brings the children along */
	for (size_t i = 0; i < n; i++)
		jobs_seen(j, &(struct watch){ .pid = pids[i] });
	arena_release(&a);
}

/* Of "prov run --name x -- sort in": "sort in". */
static struct strings behind_dashes(struct strings argv)
{
	for (const char *s = NULL; (s = strings_next(&argv, s));)
		if (!strcmp(s, "--"))
			return (struct strings){ s + 3, argv.size - (size_t)(s + 3 - argv.p) };
	return argv;
}

int job_track(struct jobs *j, uint32_t uid, uint32_t pid, const struct track_wish *w,
	      const struct engine_sink *also, struct job **out)
{
	struct recorder_setup setup = { .granularity = w->granularity, .budget = w->budget,
					.launcher = pid, .also = also };
	struct arena a = { 0 };
	struct proc p = { .exe = "", .cwd = "" };
	struct job *job = new_job(uid, "", &w->run);
	int r;

	job->asked_for = true;
	(void)proc_read(pid, &a, &p);
	p.argv = behind_dashes(p.argv);
	r = open_recorder(j, job, &p, &setup);
	if (r == 0)
		r = recorder_begin(job->recorder, 0);
	arena_release(&a);
	if (r < 0) {
		drop_job(job);
		return r;
	}
	insert_job(j, job);
	*out = job;
	return 0;
}

void job_leave(struct jobs *j, struct job *job)
{
	(void)pthread_mutex_lock(&j->lock);
	table_unlink(j, job);
	(void)pthread_mutex_unlock(&j->lock);
	keep_end(j, job);
}

struct job *job_list(struct jobs *j, uint32_t uid, const struct id *run,
		     const struct job_source *source)
{
	struct job *job = new_job(uid, "", run);

	job->asked_for = true;
	job->source = *source;
	insert_job(j, job);
	return job;
}

void job_forget(struct jobs *j, struct job *job)
{
	struct recorder_now now = job_now(job);

	(void)pthread_mutex_lock(&j->lock);
	table_unlink(j, job);
	table_count(j, &now);
	(void)pthread_mutex_unlock(&j->lock);
	table_free(job);
}

struct recorder_now job_now(struct job *job)
{
	return job->recorder ? recorder_now(job->recorder) : job->source.look(job->source.ctx);
}

void job_cost(struct job *job, struct buf *out)
{
	if (job->recorder)
		recorder_cost(job->recorder, out);
	else
		job->source.cost(job->source.ctx, out);
}

void job_ask(struct job *job, int32_t granularity)
{
	if (job->recorder)
		recorder_ask(job->recorder, granularity);
	else
		job->source.ask(job->source.ctx, granularity);
}
