/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* reach.c - the time-respecting walk, one question to the store per level */
#include "query/reach.h"

#include <stdlib.h>

#include "build/interval.h"

static bool wider(const struct reach_walk *w, int64_t a, int64_t b)
{
	return w->forward ? a < b : a > b;
}

/* x matters within these bounds from the next level on. */
static void exec_queue(struct reach_walk *w, struct known_exec *x, int64_t in, int64_t up)
{
	if (x->reached && !wider(w, in, x->in) && !wider(w, up, x->up))
		return;
	if (!x->queued) {
		x->queued = true;
		x->next_in = in;
		x->next_up = up;
		execs_add(w->tmp, &w->next, x);
		return;
	}
	if (wider(w, in, x->next_in))
		x->next_in = in;
	if (wider(w, up, x->next_up))
		x->next_up = up;
}

static void object_visit(struct reach_walk *w, struct known_object *o, int64_t lo, int64_t hi)
{
	if (!o->visited) {
		o->visited = true;
		o->round = w->round;
		objects_add(w->known->arena, &w->visited, o);
	}
	if (!o->in_round) {
		o->in_round = true;
		o->n_visits = 0;
		objects_add(w->tmp, &w->round_objects, o);
	}
	o->visits = arena_grow(w->tmp, o->visits, o->n_visits, &o->visits_room, sizeof(*o->visits));
	o->visits[o->n_visits++] = (struct visit){ lo, hi };
}

static int visit_by_lo(const void *pa, const void *pb)
{
	const struct visit *a = pa, *b = pb;

	return (a->lo > b->lo) - (a->lo < b->lo);
}

static int visit_by_hi_down(const void *pa, const void *pb)
{
	const struct visit *a = pa, *b = pb;

	return (a->hi < b->hi) - (a->hi > b->hi);
}

/*
 * Visits are reads in [lo, hi]. A write matters to those that began before the
 * first cut after its end, up to the latest hi of them: with the visits in
 * order of lo and hi made the maximum so far, that is one search.
 */
static void writers_queue(struct reach_walk *w, struct known_object *o)
{
	struct visit *v = o->visits;

	qsort(v, o->n_visits, sizeof(*v), visit_by_lo);
	for (size_t i = 1; i < o->n_visits; i++)
		if (v[i].hi < v[i - 1].hi)
			v[i].hi = v[i - 1].hi;
	for (size_t i = 0; i < o->n_touches; i++) {
		const struct touch *t = &o->touches[i];
		size_t cut, lo = 0, n = o->n_visits;
		int64_t hi;

		if (!t->has_writes)
			continue;
		cut = times_upto(o->cuts, o->n_cuts, t->writes.end);
		while (cut < o->n_cuts && lo < n) {
			size_t mid = lo + (n - lo) / 2;

			if (v[mid].lo < o->cuts[cut])
				lo = mid + 1;
			else
				n = mid;
		}
		if (n == 0)
			continue;
		hi = v[n - 1].hi;
		if (t->writes.start <= hi)
			exec_queue(w, o->owners[i], hi < t->writes.last ? hi : t->writes.last,
				   hi < t->writes.end ? hi : t->writes.end);
	}
}

/* The mirror image: visits are writes in [lo, hi]; a read sees those that
 * ended no earlier than the last cut before it. */
static void readers_queue(struct reach_walk *w, struct known_object *o)
{
	struct visit *v = o->visits;

	qsort(v, o->n_visits, sizeof(*v), visit_by_hi_down);
	for (size_t i = 1; i < o->n_visits; i++)
		if (v[i].lo > v[i - 1].lo)
			v[i].lo = v[i - 1].lo;
	for (size_t i = 0; i < o->n_touches; i++) {
		const struct touch *t = &o->touches[i];
		size_t cut, lo = 0, n = o->n_visits;
		int64_t from;

		if (!t->has_reads || t->reads.start > w->until)
			continue;
		cut = times_upto(o->cuts, o->n_cuts, t->reads.start);
		while (cut && lo < n) {
			size_t mid = lo + (n - lo) / 2;

			if (v[mid].hi >= o->cuts[cut - 1])
				lo = mid + 1;
			else
				n = mid;
		}
		if (n == 0)
			continue;
		from = v[n - 1].lo;
		if (t->reads.end >= from)
			exec_queue(w, known_exec(w->known, &t->exec), t->reads.start,
				   from > t->reads.start ? from : t->reads.start);
	}
}

/* From the objects of this level to the executions of the next. */
static int level_objects(struct reach_walk *w)
{
	struct objects *l = &w->round_objects;
	int r = known_load_objects(w->known, l);
	size_t kept = 0;

	if (r < 0)
		return r;
	for (size_t i = 0; i < l->n; i++) {
		struct known_object *o = l->at[i];

		o->in_round = false;
		if (!o->found || object_kind_carries_data(o->o.kind))
			l->at[kept++] = o;
	}
	l->n = kept;
	r = w->forward ? known_load_all(w->known, l) : known_load_changes(w->known, l);
	if (r < 0)
		return r;
	r = known_prepare(w->known, l);
	if (r < 0)
		return r;
	for (size_t i = 0; i < l->n; i++) {
		if (w->forward)
			readers_queue(w, l->at[i]);
		else
			writers_queue(w, l->at[i]);
	}
	l->n = 0;
	return 0;
}

static bool shares_memory(const struct known_exec *x)
{
	return x->x.how == HOW_FORK || x->x.how == HOW_UNKNOWN;
}

static void exec_reads(struct reach_walk *w, struct known_exec *x)
{
	struct interval t;

	for (size_t i = 0; i < x->deeds.n; i++) {
		const struct access *a = x->deeds.at[i].access;

		if (!interval_of_reads(a, GRANULARITY_FIRST_LAST, x->x.end, &t) || t.start > x->in)
			continue;
		object_visit(w, x->deeds.at[i].object, t.start,
			     t.end < x->up ? t.end : x->up);
	}
	if (shares_memory(x) && !id_is_zero(&x->x.parent)) {
		int64_t forked = x->x.start ? x->x.start : INTERVAL_FOREVER;

		exec_queue(w, known_exec(w->known, &x->x.parent), forked < x->in ? forked : x->in,
			   forked < x->up ? forked : x->up);
	}
}

static void exec_writes(struct reach_walk *w, struct known_exec *x)
{
	struct interval t;

	for (size_t i = 0; i < x->deeds.n; i++) {
		const struct access *a = x->deeds.at[i].access;

		if (!interval_of_writes(a, GRANULARITY_FIRST_LAST, x->x.end, &t) ||
		    t.last < x->in || t.end < x->up || t.start > w->until)
			continue;
		object_visit(w, x->deeds.at[i].object,
			     t.start > x->up ? t.start : x->up, t.end);
	}
}

static int children_queue(struct reach_walk *w, const struct execs *frontier)
{
	struct execs children = { 0 };
	int r = known_load_children(w->known, frontier, &children);

	if (r < 0)
		return r;
	for (size_t i = 0; i < children.n; i++) {
		struct known_exec *c = children.at[i];
		const struct known_exec *x = known_exec(w->known, &c->x.parent);

		if (!shares_memory(c) || c->x.start < x->in || c->x.start > w->until)
			continue;
		exec_queue(w, c, c->x.start, c->x.start > x->up ? c->x.start : x->up);
	}
	return 0;
}

/* From the executions of this level to the objects of the next. */
static int level_execs(struct reach_walk *w, const struct execs *frontier)
{
	int r = known_load_execs(w->known, frontier);

	if (r < 0)
		return r;
	r = known_load_exec_accesses(w->known, frontier);
	if (r < 0)
		return r;
	for (size_t i = 0; i < frontier->n; i++) {
		if (w->forward)
			exec_writes(w, frontier->at[i]);
		else
			exec_reads(w, frontier->at[i]);
	}
	return w->forward ? children_queue(w, frontier) : 0;
}

/* Makes what was queued the frontier, with its bounds in force. */
static struct execs frontier_begin(struct reach_walk *w)
{
	struct execs frontier = w->next;

	w->next = (struct execs){ 0 };
	for (size_t i = 0; i < frontier.n; i++) {
		struct known_exec *x = frontier.at[i];

		x->queued = false;
		if (!x->reached || wider(w, x->next_in, x->in))
			x->in = x->next_in;
		if (!x->reached || wider(w, x->next_up, x->up))
			x->up = x->next_up;
		if (!x->reached)
			execs_add(w->known->arena, &w->reached, x);
		x->reached = true;
	}
	return frontier;
}

int reach(struct reach_walk *w, struct known_object *root)
{
	if (w->forward)
		object_visit(w, root, 0, INTERVAL_FOREVER);
	else
		object_visit(w, root, w->until, w->until);
	for (;;) {
		struct execs frontier;
		int r = level_objects(w);

		if (r < 0)
			return r;
		if (!w->next.n)
			return 0;
		if (w->depth && w->round >= w->depth) {
			w->truncated = true;
			return 0;
		}
		w->round++;
		frontier = frontier_begin(w);
		r = level_execs(w, &frontier);
		if (r < 0)
			return r;
	}
}
