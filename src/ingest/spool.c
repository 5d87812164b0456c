/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* spool.c - finishing what a killed prov has left behind */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "aggregate/aggregate.h"
#include "base/arena.h"
#include "base/conf.h"
#include "base/err.h"
#include "ingest/ingest.h"
#include "journal/journal.h"
#include "model/key.h"

/* One journal whose writer is gone. */
struct orphan {
	struct arena memory;
	const char *path, *folder;
	const char *rest;	/* of the journal, in the folder; NULL: there is none */
	struct run run;
	bool has_run;
	int64_t newest;		/* time of anything in it */
	struct store *store;
	struct aggregate *aggregate;
	uint64_t transfers;	/* left in shared memory: their trace has ended */
	struct engine *engine;
	bool alive;		/* something of it still runs */
	bool only_over;		/* not if something of it still runs */
	size_t blocks, committed;	/* blocks of the journal: seen; up to the last commit */
	struct buf facts;	/* of the session, not in the store yet */
	int error;
};

/* Facts that go into the store together, bytes: with one transaction each, a
 * thousand images would take minutes. */
#define BATCH (4u << 20)

static void note_time(struct orphan *o, int64_t t)
{
	if (t > o->newest)
		o->newest = t;
}

static void keep_run(struct orphan *o, const struct run *r)
{
	o->run = *r;
	o->run.name = arena_str(&o->memory, r->name);
	o->run.host = arena_str(&o->memory, r->host);
	o->run.boot = arena_str(&o->memory, r->boot);
	o->run.user = arena_str(&o->memory, r->user);
	o->run.cwd = arena_str(&o->memory, r->cwd);
	o->run.engine = arena_str(&o->memory, r->engine);
	o->run.argv.p = arena_copy(&o->memory, r->argv.p, r->argv.size);
	o->has_run = true;
}

static int look(void *ctx, const struct facts *f)
{
	struct orphan *o = ctx;

	/* the last statement about the run is the fullest */
	for (size_t i = 0; i < f->n_runs; i++)
		keep_run(o, &f->runs[i]);
	for (size_t i = 0; i < f->n_executions; i++)
		note_time(o, f->executions[i].end ? f->executions[i].end : f->executions[i].start);
	for (size_t i = 0; i < f->n_accesses; i++) {
		note_time(o, f->accesses[i].closed);
		note_time(o, f->accesses[i].last_write);
	}
	return 0;
}

static void look_folder(void *ctx, const char *folder)
{
	struct orphan *o = ctx;

	/* the rest of a journal names none */
	if (folder[0])
		o->folder = arena_str(&o->memory, folder);
}

static int count_block(void *ctx, const struct facts *f)
{
	struct orphan *o = ctx;

	(void)f;
	o->blocks++;
	return 0;
}

static void look_for_commit(void *ctx, const char *p, size_t n)
{
	struct orphan *o = ctx;

	if (aggregate_state_is_commit(p, n))
		o->committed = o->blocks;
}

static int resume(void *ctx, const struct facts *f)
{
	struct orphan *o = ctx;

	if (o->blocks++ < o->committed)
		aggregate_resume(o->aggregate, f);
	return 0;
}

static void resume_state(void *ctx, const char *p, size_t n)
{
	struct orphan *o = ctx;

	if (o->blocks <= o->committed)
		aggregate_resume_state(o->aggregate, p, n, o->engine);
}

/* What the collector that died knew, and what of the session it had given up. */
static void resume_journal(struct orphan *o)
{
	const struct journal_sink first = {
		.ctx = o, .facts = count_block, .state = look_for_commit,
	};
	const struct journal_sink second = { .ctx = o, .facts = resume, .state = resume_state };
	struct journal_end end;

	(void)journal_read(o->path, &first, &end);
	if (o->rest)
		(void)journal_read(o->rest, &first, &end);
	o->blocks = 0;
	(void)journal_read(o->path, &second, &end);
	if (o->rest)
		(void)journal_read(o->rest, &second, &end);
}

static void put(struct orphan *o)
{
	struct arena a = { 0 };
	struct facts f;
	const char *folder;
	int r = journal_decode(o->facts.data, o->facts.size, &a, &f, &folder);

	if (r == 0)
		r = ingest_facts(o->store, &o->run, &f);
	if (r < 0)
		o->error = r;
	arena_release(&a);
	buf_clear(&o->facts);
}

static void take(void *ctx, const struct facts *f)
{
	struct orphan *o = ctx;

	if (f->n_transfers) {
		o->transfers += f->n_transfers;
		return;
	}
	look(o, &(struct facts){ .executions = f->executions, .n_executions = f->n_executions,
				 .accesses = f->accesses, .n_accesses = f->n_accesses });
	journal_encode(f, &o->facts);
	if (o->facts.size >= BATCH)
		put(o);
}

static void nothing_to_commit(void *ctx)
{
	(void)ctx;
}

/* Reads what the session's shared memory still holds. */
static void drain_session(struct orphan *o)
{
	const struct aggregate_out out = { .ctx = o, .facts = take, .commit = nothing_to_commit };
	const struct engine_ops *ops = o->engine->ops;

	o->aggregate = aggregate_create(&o->run, &out);
	resume_journal(o);
	if (o->alive)
		aggregate_still_runs(o->aggregate);
	(void)ops->poll(o->engine, aggregate_sink(o->aggregate), true);
	if (o->alive)
		aggregate_so_far(o->aggregate);
	else
		aggregate_finish(o->aggregate, conf_bool("hash") ? conf_size("hash.max") : 0);
	put(o);
	o->run.lost = ops->lost(o->engine);
	if (id_is_zero(&o->run.root))
		o->run.root = aggregate_count(o->aggregate).root;
	aggregate_destroy(o->aggregate);
	o->aggregate = NULL;
	buf_release(&o->facts);
}

static int finish_run(struct orphan *o)
{
	struct hole holes[] = {
		{ .run = o->run.id,
		  .kind = "killed",
		  .why = o->engine
				 ? "prov was killed during the run: all that was done is on "
				   "record, but not how its first program ended"
				 : "prov was killed during the run and its shared memory is gone: "
				   "what was not in the journal yet is lost",
		  .count = 1 },
		{ .run = o->run.id,
		  .kind = "trace",
		  .why = "reads and writes that were still in shared memory then are counted, "
			 "but missing in the trace",
		  .count = o->transfers },
	};
	struct facts f = { .runs = &o->run, .n_runs = 1 };

	if (o->run.end)
		return 0;	/* had ended; only the store was not reached */
	/* while it runs nothing is lost yet */
	f.holes = holes;
	f.n_holes = o->alive ? 0 : o->transfers ? 2 : 1;
	o->run.recovered = true;
	if (!o->alive)
		o->run.end = o->newest;
	return ingest_facts(o->store, &o->run, &f);
}

/* The session, if it is still there; false: it is not wanted as it is now. */
static bool open_session(struct orphan *o)
{
	const struct engine_ops *ops = engine_find(o->run.engine);

	if (!ops || !o->folder || ops->reopen(o->folder, &o->engine) < 0)
		return true;
	/* after a restart of the machine its numbers are those of others */
	o->alive = !o->run.end && !strncmp(o->run.boot, key_boot(), strlen(key_boot())) &&
		   ops->alive(o->engine);
	if (!o->alive || !o->only_over)
		return true;
	ops->close(o->engine, false);
	return false;
}

static int adopt(struct orphan *o, struct buf *messages)
{
	char id[ID_TEXT_SIZE];
	int r;
	bool was_over = o->run.end != 0;

	r = ingest_journal(o->store, o->path, messages);
	if (r == 0 && o->rest)
		r = ingest_journal(o->store, o->rest, messages);
	if (r == 0 && o->engine && !was_over)
		drain_session(o);
	if (r == 0)
		r = finish_run(o);
	if (r == 0)
		r = o->error;
	if (o->engine)
		o->engine->ops->close(o->engine, r == 0 && !o->alive);
	if (r < 0)
		return r;
	id_short(ID_RUN, &o->run.id, id);
	if (o->alive) {
		buf_printf(messages,
			   "run %s: prov was killed, its program still runs; "
			   "what it did so far was taken in\n", id);
		return 0;
	}
	if (was_over)
		buf_printf(messages, "run %s: taken in from its journal\n", id);
	else
		buf_printf(messages,
			   "run %s: prov was killed during it; finished from what was kept\n", id);
	if (o->rest)
		(void)unlink(o->rest);
	if (o->folder)
		(void)rmdir(o->folder);
	if (unlink(o->path) < 0)
		return fail(errno, "%s: cannot remove: %s", o->path, strerror(errno));
	return 0;
}

/* What the disk had no room for when the run ended. */
static void look_for_rest(struct orphan *o, const struct journal_sink *sink)
{
	struct journal_end end;
	const char *path;

	if (!o->folder)
		return;
	path = arena_printf(&o->memory, "%s/" JOURNAL_REST, o->folder);
	if (access(path, R_OK) == 0 && journal_read(path, sink, &end) == 0)
		o->rest = path;
}

static int recover_one(const char *where, struct store **store, const char *path, bool only_over,
		       struct buf *messages)
{
	struct orphan o = { .path = path, .only_over = only_over };
	const struct journal_sink sink = { .ctx = &o, .facts = look, .folder = look_folder };
	struct journal_end end;
	struct stat st;
	int lock, r = journal_lock(path, &lock);

	if (r < 0)
		return r == -EAGAIN || r == -ENOENT ? 0 : r;
	/* whoever held the lock may have finished and removed it */
	if (fstat(lock, &st) < 0 || st.st_nlink == 0) {
		(void)close(lock);
		return 0;
	}
	r = journal_read(path, &sink, &end);
	if (r == 0)
		look_for_rest(&o, &sink);
	if (r == 0 && !o.has_run) {
		buf_printf(messages, "%s: nothing in it can be read; remove it\n", path);
	} else if (r == 0 && open_session(&o)) {
		if (!*store)
			r = store_open(where, STORE_WRITE, store);
		o.store = *store;
		if (r == 0)
			r = adopt(&o, messages);
		else if (o.engine)
			o.engine->ops->close(o.engine, false);
	}
	(void)close(lock);
	arena_release(&o.memory);
	return r;
}

static bool ends(const char *name, const char *end)
{
	size_t n = strlen(name), k = strlen(end);

	return n > k && !strcmp(name + n - k, end);
}

/* Nobody needs an hour to begin a journal: its maker was killed. */
static void sweep_unfinished(const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && st.st_mtime + 3600 < time(NULL))
		(void)unlink(path);
}

int spool_recover(const char *spool, const char *store, bool only_over, struct buf *messages)
{
	struct arena a = { 0 };
	struct store *opened = NULL;
	struct dirent *entry;
	DIR *d = opendir(spool);
	int ret = 0;

	while (d && (entry = readdir(d))) {
		const char *path = arena_printf(&a, "%s/%s", spool, entry->d_name);
		int r = 0;

		if (ends(path, ".journal" JOURNAL_MADE))
			sweep_unfinished(path);
		else if (ends(path, ".journal"))
			r = recover_one(store, &opened, path, only_over, messages);
		if (r < 0) {
			buf_printf(messages, "a journal still waits: %s\n", fail_text());
			ret = r;
		}
	}
	if (d)
		(void)closedir(d);
	store_close(opened);
	arena_release(&a);
	return ret;
}
