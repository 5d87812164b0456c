/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* recorder.c - tells a store what happened in a test world, well or badly */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "query/world.h"

static bool is_worth_a_fact(const struct world_access *a)
{
	return a->fact.flags || a->fact.opened;
}

static void put(struct store *s, const struct facts *f)
{
	assert_int_equal(store_put(s, f), 0);
}

void world_tell(struct world *w, struct store *s)
{
	for (size_t i = 0; i < w->n_runs; i++)
		put(s, &(struct facts){ .runs = &w->runs[i], .n_runs = 1 });
	for (int i = 0; i < w->n_execs; i++)
		put(s, &(struct facts){ .executions = &w->execs[i].fact, .n_executions = 1 });
	for (int i = 0; i < w->n_objects; i++)
		put(s, &(struct facts){ .objects = &w->objects[i].fact, .n_objects = 1 });
	for (size_t i = 0; i < w->n_accesses; i++)
		if (is_worth_a_fact(&w->accesses[i]))
			put(s,
			    &(struct facts){ .accesses = &w->accesses[i].fact, .n_accesses = 1 });
	put(s, &(struct facts){ .names = w->events, .n_names = w->n_events });
}

/* Piece n of the whole, in the order of world_tell() with early facts last. */
static void tell_piece(struct world *w, struct store *s, size_t n)
{
	if (n < w->n_runs)
		return put(s, &(struct facts){ .runs = &w->runs[n], .n_runs = 1 });
	n -= w->n_runs;
	if (n < (size_t)w->n_execs)
		return put(s,
			   &(struct facts){ .executions = &w->execs[n].fact, .n_executions = 1 });
	n -= (size_t)w->n_execs;
	if (n < (size_t)w->n_objects)
		return put(s, &(struct facts){ .objects = &w->objects[n].fact, .n_objects = 1 });
	n -= (size_t)w->n_objects;
	if (n < w->n_accesses) {
		if (is_worth_a_fact(&w->accesses[n]))
			put(s,
			    &(struct facts){ .accesses = &w->accesses[n].fact, .n_accesses = 1 });
		return;
	}
	n -= w->n_accesses;
	if (n < w->n_events)
		return put(s, &(struct facts){ .names = &w->events[n], .n_names = 1 });
	n -= w->n_events;
	if (w->early[n].flags || w->early[n].opened)
		put(s, &(struct facts){ .accesses = &w->early[n], .n_accesses = 1 });
}

void world_tell_badly(struct world *w, struct store *s)
{
	size_t n = w->n_runs + (size_t)w->n_execs + (size_t)w->n_objects + w->n_accesses +
		   w->n_events + w->n_early;
	size_t *order = arena_alloc(&w->arena, (n + 1) * sizeof(*order));

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n; i > 1; i--) {
		size_t j = (size_t)world_below(w, (int)i), t = order[i - 1];

		order[i - 1] = order[j];
		order[j] = t;
	}
	for (size_t i = 0; i < n; i++) {
		tell_piece(w, s, order[i]);
		if (!world_below(w, 5))
			tell_piece(w, s, order[world_below(w, (int)n)]);
	}
}

void world_coarsen(struct world *w)
{
	for (size_t i = 0; i < w->n_accesses; i++) {
		struct access *a = &w->accesses[i].fact;

		if (w->accesses[i].open)
			a->closed = 0; /* closed once, but open again */
		a->first_read = a->last_read = a->first_write = a->last_write = 0;
	}
}
