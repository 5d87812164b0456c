/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* levels.c - which granularity was in force when */
#include "aggregate/levels.h"

#include "engine/granularity.h"

void levels_add(struct levels *l, struct arena *a, int64_t since, int32_t granularity)
{
	int32_t now = l->n ? l->list[l->n - 1].granularity : PROV_FIRST_LAST;

	if (granularity == now || !granularity_ok(granularity) ||
	    (l->n && since < l->list[l->n - 1].since))
		return;
	l->list = arena_grow(a, l->list, l->n, &l->room, sizeof(*l->list));
	l->list[l->n++] = (struct level){ since, granularity };
}

bool levels_reach(const struct levels *l, int32_t granularity, int64_t from, int64_t to)
{
	for (size_t i = 0; i < l->n; i++) {
		bool begun = !to || l->list[i].since <= to;
		bool over = i + 1 < l->n && l->list[i + 1].since < from;

		if (begun && !over && l->list[i].granularity >= granularity)
			return true;
	}
	return false;
}

/* 0 while it is open. */
static int64_t closed_of(const struct prov_tally *t)
{
	return t->refs ? 0 : (int64_t)t->closed;
}

/* One direction of what an open file may have been used for: flag, and the one
 * that says "on". */
static void infer(const struct levels *l, const struct prov_tally *t, uint32_t flag, uint32_t on,
		  int64_t *first, int64_t last, struct access *x)
{
	int64_t opened = (int64_t)t->opened, closed = closed_of(t);

	if (!(x->flags & flag))
		x->flags |= flag | ACCESS_UNSURE;
	if (!*first || levels_reach(l, PROV_OPEN_CLOSE, opened, *first))
		*first = opened;
	if (!last || levels_reach(l, PROV_OPEN_CLOSE, last, closed))
		x->flags |= on;
}

void levels_infer(const struct levels *l, const struct prov_tally *t, bool directory,
		  struct access *x)
{
	/* how folders are read is seen at every granularity */
	if (directory || !levels_reach(l, PROV_OPEN_CLOSE, (int64_t)t->opened, closed_of(t)))
		return;
	if (t->flags & PROV_TALLY_READABLE)
		infer(l, t, ACCESS_READ, ACCESS_READS_ON, &x->first_read, x->last_read, x);
	if (t->flags & PROV_TALLY_WRITABLE)
		infer(l, t, ACCESS_WRITE, ACCESS_WRITES_ON, &x->first_write, x->last_write, x);
}

void levels_tell(const struct levels *l, int64_t start, struct buf *out)
{
	bool from_start = l->n && l->list[0].since <= start;

	if (!from_start)
		buf_str(out, granularity_name(PROV_FIRST_LAST));
	for (size_t i = 0; i < l->n; i++) {
		const char *name = granularity_name(l->list[i].granularity);

		if (i == 0 && from_start)
			buf_str(out, name);
		else
			buf_printf(out, ", %s after %.3f s", name,
				   (double)(l->list[i].since - start) / 1e9);
	}
}
