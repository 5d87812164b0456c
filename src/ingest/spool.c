/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* spool.c - finishing what a killed prov has left behind */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aggregate/aggregate.h"
#include "base/arena.h"
#include "base/conf.h"
#include "base/err.h"
#include "base/path.h"
#include "ingest/ingest.h"
#include "journal/journal.h"

/* One journal whose writer is gone. */
struct orphan {
	struct arena memory;
	const char *path, *folder;
	struct run run;
	bool has_run;
	int64_t newest;		/* time of anything in it */
	struct store *store;
	struct aggregate *aggregate;
	uint64_t transfers;	/* left in shared memory: their trace has ended */
	int error;
};

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

	o->folder = arena_str(&o->memory, folder);
}

static int resume(void *ctx, const struct facts *f)
{
	struct orphan *o = ctx;

	for (size_t i = 0; i < f->n_accesses; i++)
		aggregate_resume(o->aggregate, &f->accesses[i]);
	return 0;
}

static void take(void *ctx, const struct facts *f)
{
	struct orphan *o = ctx;
	int r;

	o->transfers += f->n_transfers;
	look(o, &(struct facts){ .executions = f->executions, .n_executions = f->n_executions,
				 .accesses = f->accesses, .n_accesses = f->n_accesses });
	r = ingest_facts(o->store, &o->run, f);
	if (r < 0)
		o->error = r;
}

static void nothing_to_commit(void *ctx)
{
	(void)ctx;
}

/* Reads what the session's shared memory still holds; 1 when a program of it
 * still runs. */
static int drain_session(struct orphan *o, struct engine *e)
{
	const struct journal_sink sink = { .ctx = o, .facts = resume };
	const struct aggregate_out out = { .ctx = o, .facts = take, .commit = nothing_to_commit };
	struct journal_end end;
	bool alive = e->ops->alive(e);

	o->aggregate = aggregate_create(&o->run, &out);
	(void)journal_read(o->path, &sink, &end);
	(void)e->ops->poll(e, aggregate_sink(o->aggregate), true);
	aggregate_finish(o->aggregate, !alive && conf_bool("hash") ? conf_size("hash.max") : 0);
	o->run.lost = e->ops->lost(e);
	if (id_is_zero(&o->run.root))
		o->run.root = aggregate_count(o->aggregate).root;
	aggregate_destroy(o->aggregate);
	o->aggregate = NULL;
	return alive;
}

static int finish_run(struct orphan *o, bool alive)
{
	struct hole holes[] = {
		{ .run = o->run.id,
		  .kind = "killed",
		  .why = "prov was killed during the run; "
			 "what was in shared memory and in the journal was kept",
		  .count = 1 },
		{ .run = o->run.id,
		  .kind = "trace",
		  .why = "reads and writes that were still in shared memory then are counted, "
			 "but missing in the trace",
		  .count = o->transfers },
	};
	struct facts f = { .runs = &o->run, .n_runs = 1, .holes = holes };

	f.n_holes = o->transfers ? 2 : 1;

	if (o->run.end)
		return 0;	/* had ended; only the store was not reached */
	o->run.recovered = true;
	if (!alive)
		o->run.end = o->newest;
	return ingest_facts(o->store, &o->run, &f);
}

static int adopt(struct orphan *o, struct buf *messages)
{
	const struct engine_ops *ops = engine_find(o->run.engine);
	struct engine *e = NULL;
	char id[ID_TEXT_SIZE];
	int r, alive = 0;
	bool was_over = o->run.end != 0;

	r = ingest_journal(o->store, o->path, messages);
	if (r < 0)
		return r;
	if (ops && o->folder && o->folder[0] && ops->reopen(o->folder, &e) == 0)
		alive = drain_session(o, e);
	r = finish_run(o, alive);
	if (r == 0)
		r = o->error;
	if (e)
		e->ops->close(e, r == 0 && !alive);
	if (r < 0)
		return r;
	id_short(ID_RUN, &o->run.id, id);
	if (alive) {
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
	if (unlink(o->path) < 0)
		return fail(errno, "%s: cannot remove: %s", o->path, strerror(errno));
	return 0;
}

static int recover_one(struct store **store, const char *path, struct buf *messages)
{
	struct orphan o = { .path = path };
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
	if (r == 0 && !o.has_run) {
		buf_printf(messages, "%s: nothing in it can be read; remove it\n", path);
	} else if (r == 0) {
		if (!*store)
			r = store_open(path_store(&o.memory), STORE_WRITE, store);
		o.store = *store;
		if (r == 0)
			r = adopt(&o, messages);
	}
	(void)close(lock);
	arena_release(&o.memory);
	return r;
}

int spool_recover(struct buf *messages)
{
	struct arena a = { 0 };
	const char *dir = path_spool(&a);
	struct store *store = NULL;
	struct dirent *entry;
	DIR *d = dir ? opendir(dir) : NULL;
	int ret = 0;

	while (d && (entry = readdir(d))) {
		size_t n = strlen(entry->d_name);
		int r;

		if (n < 9 || strcmp(entry->d_name + n - 8, ".journal"))
			continue;
		r = recover_one(&store, arena_printf(&a, "%s/%s", dir, entry->d_name), messages);
		if (r < 0)
			ret = r;
	}
	if (d)
		(void)closedir(d);
	store_close(store);
	arena_release(&a);
	return ret;
}
