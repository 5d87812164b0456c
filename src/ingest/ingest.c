/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* ingest.c - from a journal to a store */
#include "ingest/ingest.h"

#include <errno.h>
#include <inttypes.h>

#include "base/err.h"
#include "journal/journal.h"

/* Bytes of journal that become one transaction: the store puts many facts at
 * once in better order than few at a time. */
#define BATCH (8u << 20)

static void shift(int64_t *t, int64_t offset)
{
	if (*t)
		*t += offset;
}

void facts_shift(struct facts *f, int64_t offset)
{
	for (size_t i = 0; i < f->n_runs; i++) {
		shift(&f->runs[i].start, offset);
		shift(&f->runs[i].end, offset);
		f->runs[i].shift -= offset;
	}
	for (size_t i = 0; i < f->n_executions; i++) {
		shift(&f->executions[i].start, offset);
		shift(&f->executions[i].end, offset);
	}
	for (size_t i = 0; i < f->n_objects; i++)
		shift(&f->objects[i].seen, offset);
	for (size_t i = 0; i < f->n_accesses; i++) {
		struct access *a = &f->accesses[i];

		shift(&a->first_read, offset);
		shift(&a->last_read, offset);
		shift(&a->first_write, offset);
		shift(&a->last_write, offset);
		shift(&a->opened, offset);
		shift(&a->closed, offset);
		shift(&a->truncated, offset);
	}
	for (size_t i = 0; i < f->n_names; i++)
		shift(&f->names[i].time, offset);
}

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

int ingest_journal(struct store *s, const char *path, struct buf *damage)
{
	struct ingest in = { .store = s };
	const struct journal_sink sink = { .ctx = &in, .batch = BATCH, .facts = take };
	struct journal_end end;
	int r = journal_read(path, &sink, &end);

	if (r == 0 && end.damaged)
		buf_printf(damage,
			   "%s: damaged after byte %" PRIu64 " of %" PRIu64
			   "; all before it was taken in\n",
			   path, end.at, end.size);
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
