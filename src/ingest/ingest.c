/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* ingest.c - from a journal to a store */
#include "ingest/ingest.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/mem.h"
#include "journal/journal.h"

/* A journal that is smaller is better put in one transaction. */
#define AHEAD_LEAST (1 << 20)

/* Bytes of journal that become one transaction: the store puts many facts at
 * once in better order than few at a time. A journal unpacks to about four
 * times its size, and one that is small must not cost memory. */
#define BATCH_LEAST (4u << 20)
#define BATCH_MOST  (64u << 20)

struct ingest {
	struct store *store;
	int64_t offset;
	bool known;	/* offset is */
};

static int offset_of(struct ingest *in, const struct run *run)
{
	if (in->known)
		return 0;
	in->known = true;
	return store_boot_offset(in->store, run->host, run->boot, run->shift, &in->offset);
}

static int take(void *ctx, const struct facts *f)
{
	struct ingest *in = ctx;
	struct facts own = *f;
	int r;

	/* the first block begins with the run, which says what clock it is */
	if (!in->known && !f->n_runs)
		return fail(EBADMSG, "the journal does not begin with a run");
	r = f->n_runs ? offset_of(in, &f->runs[0]) : 0;
	if (r < 0)
		return r;
	facts_shift(&own, in->offset);
	return store_put(in->store, &own);
}

static size_t batch_of(const char *path)
{
	struct stat st;
	size_t size = stat(path, &st) == 0 ? (size_t)st.st_size * 4 : 0;

	return size < BATCH_LEAST ? BATCH_LEAST : size < BATCH_MOST ? size : BATCH_MOST;
}

/* From byte *at on, which then is where it ended. */
static int take_from(struct ingest *in, const char *path, uint64_t *at, struct buf *damage)
{
	const struct journal_sink sink = {
		.ctx = in, .from = *at, .batch = batch_of(path), .facts = take
	};
	struct journal_end end;
	int r = journal_read(path, &sink, &end);

	*at = r == 0 ? end.at : 0;
	if (r == 0 && end.damaged && damage)
		buf_printf(damage,
			   "%s: damaged after byte %" PRIu64 " of %" PRIu64
			   "; all before it was taken in\n",
			   path, end.at, end.size);
	return r;
}

int ingest_journal(struct store *s, const char *path, struct buf *damage)
{
	struct ingest in = { .store = s };
	uint64_t at = 0;

	return take_from(&in, path, &at, damage);
}

struct ingest_ahead {
	struct ingest in;
	const char *where, *path;
	uint64_t at;
	pthread_t thread;
	bool running;
};

/* What fails here is tried again at the end, from the beginning: that changes
 * nothing where it did not fail. */
static void *take_ahead(void *arg)
{
	struct ingest_ahead *a = arg;

	if (store_open(a->where, STORE_WRITE, &a->in.store) == 0)
		(void)take_from(&a->in, a->path, &a->at, NULL);
	return NULL;
}

struct ingest_ahead *ingest_begin(const char *store, const char *path)
{
	struct ingest_ahead *a = mem_alloc(sizeof(*a));
	struct stat st;

	a->where = store;
	a->path = path;
	if (stat(path, &st) == 0 && st.st_size >= AHEAD_LEAST)
		a->running = pthread_create(&a->thread, NULL, take_ahead, a) == 0;
	return a;
}

struct ingest_ahead *ingest_follow(const char *store, const char *path)
{
	struct ingest_ahead *a = mem_alloc(sizeof(*a));

	a->where = store;
	a->path = path;
	return a;
}

int ingest_more(struct ingest_ahead *a)
{
	struct stat st;
	int r;

	if (stat(a->path, &st) < 0 || (uint64_t)st.st_size == a->at)
		return 0;
	r = store_open(a->where, STORE_WRITE, &a->in.store);
	if (r == 0)
		r = take_from(&a->in, a->path, &a->at, NULL);
	/* an open store keeps memory, and days may pass */
	store_close(a->in.store);
	a->in.store = NULL;
	return r;
}

int ingest_end(struct ingest_ahead *a, bool rest, struct buf *damage)
{
	int r = 0;

	if (a->running)
		(void)pthread_join(a->thread, NULL);
	if (rest && !a->in.store)
		r = store_open(a->where, STORE_WRITE, &a->in.store);
	if (rest && r == 0)
		r = take_from(&a->in, a->path, &a->at, damage);
	store_close(a->in.store);
	free(a);
	return r;
}

int ingest_facts(struct store *s, const struct run *run, const struct facts *f)
{
	struct ingest in = { .store = s };
	struct facts own = *f;
	int r = offset_of(&in, run);

	if (r < 0)
		return r;
	facts_shift(&own, in.offset);
	return store_put(s, &own);
}
