/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* recorder.c - recording one run */
#include "record/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/path.h"
#include "ingest/ingest.h"
#include "journal/journal.h"
#include "journal/trace.h"
#include "model/key.h"
#include "record/census.h"
#include "record/place.h"

#define POLL_SOONEST INT64_C(5000000)	/* while images come and go */
#define POLL_LATEST  INT64_C(100000000)	/* when nothing happens */

struct recorder {
	struct arena memory;
	struct run run;
	const struct note *notes;
	size_t n_notes;
	struct recorder_place place;
	const char *folder, *journal_path;
	struct engine *engine;
	struct journal *journal;
	struct trace trace;
	struct aggregate *aggregate;
	struct engine_sink sink;	/* what the engine calls: counts, and passes on */
	const struct engine_sink *also;
	struct recorder_now now;	/* of these, what the sink counts */
	struct census census;
	struct ingest_ahead *ahead;	/* once recorder_take_in() was called */
	struct buf trouble;
	pthread_t thread;
	uint32_t root;		/* pid of the program */
	bool collecting;
	pthread_mutex_t busy;	/* of the engine, the aggregate and the journal */
	pthread_mutex_t lock;	/* of stop, and for waking the thread early */
	pthread_cond_t wake;
	bool stop;
};

static void on_facts(void *ctx, const struct facts *f)
{
	struct recorder *r = ctx;

	if (f->n_transfers)
		(void)trace_note(&r->trace, f);
	else
		(void)journal_append(r->journal, f);
}

static void on_keep(void *ctx, const char *p, size_t n)
{
	struct recorder *r = ctx;

	(void)journal_append_state(r->journal, p, n);
}

static void on_commit(void *ctx)
{
	struct recorder *r = ctx;

	(void)journal_flush(r->journal);
	(void)trace_flush(&r->trace);
}

/* What the engine says goes to whoever else listens, then into the aggregate. */
#define TELL(r, call, ...)                                                                       \
	do {                                                                                     \
		const struct engine_sink *first_ = (r)->also;                                    \
		const struct engine_sink *then_ = aggregate_sink((r)->aggregate);                \
		if (first_)                                                                      \
			first_->call(first_->ctx __VA_OPT__(, ) __VA_ARGS__);                    \
		then_->call(then_->ctx __VA_OPT__(, ) __VA_ARGS__);                              \
	} while (0)

static void sink_event(void *ctx, uint32_t pid, int64_t start, const struct event *e)
{
	struct recorder *r = ctx;

	r->now.events++;
	if (event_head(e)->type == PROV_START) {
		r->now.executions++;
		r->now.processes++;
		r->now.living++;
		census_start(&r->census, pid, start, EVENT_AS(prov_start, e));
		r->now.representatives = r->census.representatives;
	}
	TELL(r, event, pid, start, e);
}

static void sink_ended(void *ctx, uint32_t pid, int64_t start, int64_t when, bool replaced)
{
	struct recorder *r = ctx;

	/* what an exec replaced was no further process */
	r->now.processes -= replaced && r->now.processes > 0;
	r->now.living -= r->now.living > 0;
	TELL(r, ended, pid, start, when, replaced);
}

static void sink_settled(void *ctx, uint32_t pid, int64_t start)
{
	TELL((struct recorder *)ctx, settled, pid, start);
}

static void sink_handed(void *ctx, uint32_t pid, int64_t start, uint32_t seq)
{
	TELL((struct recorder *)ctx, handed, pid, start, seq);
}

static void sink_commit(void *ctx)
{
	TELL((struct recorder *)ctx, commit);
}

static void sink_switched(void *ctx, int64_t since, int32_t granularity)
{
	TELL((struct recorder *)ctx, switched, since, granularity);
}

static void sink_running(void *ctx, uint32_t pid, int64_t start)
{
	TELL((struct recorder *)ctx, running, pid, start);
}

static void sink_hole(void *ctx, uint32_t pid, int64_t start, const char *kind, const char *why,
		      uint64_t count)
{
	TELL((struct recorder *)ctx, hole, pid, start, kind, why, count);
}

static struct engine_sink sink_of(struct recorder *r)
{
	return (struct engine_sink){
		.ctx = r,
		.event = sink_event,
		.ended = sink_ended,
		.settled = sink_settled,
		.handed = sink_handed,
		.commit = sink_commit,
		.switched = sink_switched,
		.running = sink_running,
		.hole = sink_hole,
	};
}

static size_t poll_engine(struct recorder *r, bool final)
{
	size_t n;

	(void)pthread_mutex_lock(&r->busy);
	n = r->engine->ops->poll(r->engine, &r->sink, final);
	(void)pthread_mutex_unlock(&r->busy);
	return n;
}

static int open_journal(struct recorder *r)
{
	char id[ID_TEXT_SIZE];
	int ret = path_make(r->place.spool);

	if (ret < 0)
		return ret;
	r->journal_path = arena_printf(&r->memory, "%s/%s.journal", r->place.spool,
				       id_text(ID_RUN, &r->run.id, id));
	return journal_create(r->journal_path, &r->run, r->folder, &r->journal);
}

struct recorder *recorder_open(const struct recorder_setup *setup)
{
	struct recorder *r = mem_alloc(sizeof(*r));
	const struct aggregate_out out = { .ctx = r, .facts = on_facts, .keep = on_keep,
					   .commit = on_commit };
	struct engine_setup es = { .run = setup->run.id, .granularity = setup->granularity,
				   .budget = setup->budget,
				     .launcher = setup->launcher };
	int ret = -ENOENT;

	r->run = setup->run;
	r->run.engine = setup->engine->name;
	r->run.shift = clock_offset();
	r->run.start = clock_mono();
	r->run.status = -1;
	r->notes = setup->notes;
	r->n_notes = setup->n_notes;
	r->also = setup->also;
	r->sink = sink_of(r);
	r->place = setup->place;
	es.library = place_library(&r->memory);
	es.room = (uint64_t)conf_size("arena.max");
	es.env_allow = place_env(&r->memory, &r->trouble);
	r->folder = place_folder(&r->memory, r->place.session, &r->run.id, &r->trouble);
	/* the journal comes first: it tells whoever cleans up of the folder */
	if (r->folder)
		ret = open_journal(r);
	if (ret == 0)
		ret = setup->engine->open(r->folder, &es, &r->engine);
	if (r->folder && ret < 0)
		(void)rmdir(r->folder);
	if (ret < 0) {
		recorder_cancel(r);
		recorder_close(r);
		return NULL;
	}
	r->trace.run = &r->run;
	r->trace.folder = r->place.traces;
	r->aggregate = aggregate_create(&r->run, &out);
	(void)pthread_mutex_init(&r->busy, NULL);
	(void)pthread_mutex_init(&r->lock, NULL);
	(void)pthread_cond_init(&r->wake, NULL);
	return r;
}

void recorder_environment(struct recorder *r, struct buf *env)
{
	(void)r->engine->ops->environment(r->engine, getenv("LD_PRELOAD"), env);
}

static bool nap(struct recorder *r, int64_t ns)
{
	struct timespec until;
	bool stop;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += ns;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	(void)pthread_mutex_lock(&r->lock);
	if (!r->stop)
		(void)pthread_cond_timedwait(&r->wake, &r->lock, &until);
	stop = r->stop;
	(void)pthread_mutex_unlock(&r->lock);
	return !stop;
}

static void *collect(void *arg)
{
	struct recorder *r = arg;
	int64_t pause = POLL_SOONEST;

	/* who it was must be known even if nothing is ever heard of it */
	(void)pthread_mutex_lock(&r->busy);
	if (r->root)
		aggregate_root(r->aggregate, r->root);
	on_commit(r);
	(void)pthread_mutex_unlock(&r->busy);
	while (nap(r, pause)) {
		size_t n = poll_engine(r, /* final= */ false);

		pause = n ? POLL_SOONEST : 2 * pause < POLL_LATEST ? 2 * pause : POLL_LATEST;
	}
	return NULL;
}

int recorder_begin(struct recorder *r, uint32_t pid)
{
	int err;

	r->root = pid;
	err = pthread_create(&r->thread, NULL, collect, r);

	/* without the thread everything is collected at the end */
	r->collecting = err == 0;
	return -err;
}

static void stop_collecting(struct recorder *r)
{
	if (!r->collecting)
		return;
	(void)pthread_mutex_lock(&r->lock);
	r->stop = true;
	(void)pthread_cond_signal(&r->wake);
	(void)pthread_mutex_unlock(&r->lock);
	(void)pthread_join(r->thread, NULL);
	r->collecting = false;
}

static void note_cost(struct recorder *r)
{
	struct note n = { .run = r->run.id, .key = "overhead" };
	struct facts f = { .notes = &n, .n_notes = 1 };
	struct buf text = { 0 };

	if (!r->engine->ops->cost)
		return;
	r->engine->ops->cost(r->engine, &text);
	n.value = text.data;
	if (text.size)
		on_facts(r, &f);
	buf_release(&text);
}

static void finish_run(struct recorder *r, int status)
{
	struct facts f = { .runs = &r->run, .n_runs = 1 };
	struct aggregate_counts counts = aggregate_count(r->aggregate);

	/* who is not our child ends unseen by us, but not by the engine */
	if (status < 0)
		status = counts.root_status;
	r->run.end = clock_mono();
	r->run.status = status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	r->run.signal = status >= 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	r->run.lost = r->engine->ops->lost(r->engine);
	r->run.root = counts.root;
	f.notes = (struct note *)(uintptr_t)r->notes;
	f.n_notes = r->n_notes;
	on_facts(r, &f);
	note_cost(r);
}

static void end_trace(struct recorder *r)
{
	bool kept = trace_flush(&r->trace) == 0;

	if (r->trace.lost || !kept)
		buf_printf(&r->trouble, "single reads and writes were not kept: %s\n", fail_text());
	trace_close(&r->trace);
}

/* The disk is full: shared memory may have room for what is not written yet. */
static void spill(struct recorder *r)
{
	const char *rest = arena_printf(&r->memory, "%s/" JOURNAL_REST, r->folder);

	buf_printf(&r->trouble, "%s\n", fail_text());
	if (journal_spill(r->journal, rest, &r->run) == 0)
		buf_printf(&r->trouble,
			   "the record waits in %s and %s; free some room, the next prov command "
			   "takes it in\n", r->journal_path, rest);
	else
		buf_printf(&r->trouble,
			   "%s\nthe end of this run is lost; what was written before is kept\n",
			   fail_text());
}

int recorder_adopt(struct recorder *r, uint32_t pid)
{
	int ret = -ENOSYS;

	(void)pthread_mutex_lock(&r->busy);
	if (r->engine->ops->adopt)
		ret = r->engine->ops->adopt(r->engine, pid);
	else
		(void)fail(ENOSYS, "engine %s cannot record what runs already",
			   r->engine->ops->name);
	(void)pthread_mutex_unlock(&r->busy);
	return ret;
}

void recorder_ask(struct recorder *r, int32_t granularity)
{
	(void)pthread_mutex_lock(&r->busy);
	r->engine->ops->ask(r->engine, granularity);
	(void)pthread_mutex_unlock(&r->busy);
}

void recorder_hole(struct recorder *r, const char *kind, const char *why)
{
	struct hole h = { .run = r->run.id, .kind = kind, .why = why, .count = 1 };
	const struct facts f = { .holes = &h, .n_holes = 1 };

	(void)pthread_mutex_lock(&r->busy);
	(void)journal_append(r->journal, &f);
	(void)pthread_mutex_unlock(&r->busy);
}

void recorder_cost(struct recorder *r, struct buf *out)
{
	(void)pthread_mutex_lock(&r->busy);
	if (r->engine->ops->cost)
		r->engine->ops->cost(r->engine, out);
	(void)pthread_mutex_unlock(&r->busy);
}

struct recorder_now recorder_now(struct recorder *r)
{
	struct recorder_now now;

	(void)pthread_mutex_lock(&r->busy);
	now = r->now;
	now.lost = r->run.lost;
	if (r->engine) {
		now.alive = r->engine->ops->alive(r->engine);
		now.lost = r->engine->ops->lost(r->engine);
		now.granularity = r->engine->ops->granularity(r->engine);
	}
	(void)pthread_mutex_unlock(&r->busy);
	return now;
}

int recorder_take_in(struct recorder *r)
{
	if (!r->ahead)
		r->ahead = ingest_follow(r->place.store, r->journal_path);
	return ingest_more(r->ahead);
}

void recorder_end(struct recorder *r, uint32_t pid, int status, struct recorder_result *out)
{
	struct ingest_ahead *ahead = r->ahead;
	int ret, put;

	stop_collecting(r);
	(void)journal_flush(r->journal);
	if (!ahead)
		ahead = ingest_begin(r->place.store, r->journal_path);
	r->ahead = NULL;
	if (pid)
		aggregate_root_ended(r->aggregate, pid, status, clock_mono());
	(void)poll_engine(r, /* final= */ true);
	aggregate_finish(r->aggregate, conf_bool("hash") ? conf_size("hash.max") : 0);
	finish_run(r, status);
	end_trace(r);
	ret = journal_flush(r->journal);
	if (ret < 0)
		spill(r);
	put = ingest_end(ahead, ret == 0, &r->trouble);
	if (ret == 0 && put == 0)
		(void)unlink(r->journal_path);
	else if (ret == 0)
		buf_printf(&r->trouble,
			   "%s\nthe record waits in %s; the next prov command takes it in\n",
			   fail_text(), r->journal_path);
	/* with the journal whole, the session holds nothing that is still needed */
	r->engine->ops->close(r->engine, true);
	r->engine = NULL;
	*out = (struct recorder_result){
		.counts = aggregate_count(r->aggregate),
		.lost = r->run.lost,
		.trouble = r->trouble,
	};
	r->trouble = (struct buf){ 0 };
}

void recorder_cancel(struct recorder *r)
{
	stop_collecting(r);
	if (r->journal) {
		journal_close(r->journal);
		(void)unlink(r->journal_path);
		r->journal = NULL;
	}
	if (r->engine) {
		r->engine->ops->close(r->engine, true);
		r->engine = NULL;
	}
}

void recorder_close(struct recorder *r)
{
	if (!r)
		return;
	journal_close(r->journal);
	trace_close(&r->trace);
	if (r->engine)
		r->engine->ops->close(r->engine, false);
	aggregate_destroy(r->aggregate);
	census_release(&r->census);
	if (r->ahead)
		(void)ingest_end(r->ahead, /* rest= */ false, NULL);
	buf_release(&r->trouble);
	arena_release(&r->memory);
	free(r);
}
