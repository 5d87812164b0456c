/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* derive.c - derivations between the versions a set of executions handled */
#include "build/derive.h"

#include <stdlib.h>

/* Longer chains of forks than this are cut: each link is a live process. */
#define FORKS_MOST 4096

static int number_order(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int use_order(const void *pa, const void *pb)
{
	const struct derive_use *a = pa, *b = pb;
	int r = number_order(a->activity, b->activity);

	return r ? r : number_order(a->entity, b->entity);
}

static int make_order(const void *pa, const void *pb)
{
	const struct derive_make *a = pa, *b = pb;
	int r = number_order(a->activity, b->activity);

	return r ? r : number_order(a->entity, b->entity);
}

static int fork_order(const void *pa, const void *pb)
{
	const struct derive_fork *a = pa, *b = pb;

	return number_order(a->child, b->child);
}

static int derivation_order(const void *pa, const void *pb)
{
	const struct derivation *a = pa, *b = pb;
	int r = number_order(a->from, b->from);

	if (!r)
		r = number_order(a->to, b->to);
	return r ? r : b->certain - a->certain;
}

static bool is_earlier(const struct derive_version *a, const struct derive_version *b)
{
	int r;

	if (a->bound != b->bound)
		return a->bound < b->bound;
	r = id_compare(&a->object, &b->object);
	return r ? r < 0 : a->version < b->version;
}

/* The first use of an activity, or where it would be. */
static size_t use_find(const struct derive *d, uint32_t activity)
{
	size_t lo = 0, hi = d->n_uses;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (d->uses[mid].activity < activity)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const struct derive_fork *fork_find(const struct derive *d, uint32_t child)
{
	struct derive_fork key = { .child = child };

	if (!d->n_forks)
		return NULL;
	return bsearch(&key, d->forks, d->n_forks, sizeof(key), fork_order);
}

struct inputs {
	struct derive_use *at;
	size_t n, room;
};

/* What the activity had read, and what those it was forked from had read when
 * they forked. */
static void inputs_collect(struct arena *a, const struct derive *d, uint32_t activity,
			   struct inputs *in)
{
	int64_t until = INT64_MAX;

	in->n = 0;
	for (int i = 0; i < FORKS_MOST; i++) {
		const struct derive_fork *f = fork_find(d, activity);

		for (size_t u = use_find(d, activity);
		     u < d->n_uses && d->uses[u].activity == activity; u++) {
			if (d->uses[u].first > until)
				continue;
			in->at = arena_grow(a, in->at, in->n, &in->room, sizeof(*in->at));
			in->at[in->n++] = d->uses[u];
		}
		if (!f)
			return;
		until = f->time < until ? f->time : until;
		activity = f->parent;
	}
}

struct found {
	struct derivation *at;
	size_t n, room;
};

static void derive_one(struct arena *a, const struct derive *d, const struct derive_make *m,
		       const struct inputs *in, struct found *out)
{
	for (size_t i = 0; i < in->n; i++) {
		const struct derive_use *u = &in->at[i];

		if (u->first > m->last ||
		    !is_earlier(&d->versions[u->entity], &d->versions[m->entity]))
			continue;
		out->at = arena_grow(a, out->at, out->n, &out->room, sizeof(*out->at));
		out->at[out->n++] =
			(struct derivation){ m->entity, u->entity, u->certain && m->certain };
	}
}

static size_t derivations_distinct(struct derivation *v, size_t n)
{
	size_t kept = 0;

	if (n > 1)
		qsort(v, n, sizeof(*v), derivation_order);
	for (size_t i = 0; i < n; i++) /* the certain one of equals comes first */
		if (!kept || v[kept - 1].from != v[i].from || v[kept - 1].to != v[i].to)
			v[kept++] = v[i];
	return kept;
}

static void sort(void *v, size_t n, size_t item, int (*order)(const void *, const void *))
{
	if (n > 1)
		qsort(v, n, item, order);
}

size_t derive(struct arena *a, struct derive *d, struct derivation **out, size_t *skipped)
{
	struct arena tmp = { 0 };
	struct inputs in = { 0 };
	struct found found = { 0 };

	*skipped = 0;
	sort(d->uses, d->n_uses, sizeof(*d->uses), use_order);
	sort(d->makes, d->n_makes, sizeof(*d->makes), make_order);
	sort(d->forks, d->n_forks, sizeof(*d->forks), fork_order);
	for (size_t i = 0, next; i < d->n_makes; i = next) {
		for (next = i;
		     next < d->n_makes && d->makes[next].activity == d->makes[i].activity;)
			next++;
		inputs_collect(&tmp, d, d->makes[i].activity, &in);
		if (d->most_pairs && in.n > d->most_pairs / (next - i)) {
			++*skipped;
			continue;
		}
		for (size_t m = i; m < next; m++)
			derive_one(a, d, &d->makes[m], &in, &found);
	}
	arena_release(&tmp);
	*out = found.at;
	return derivations_distinct(found.at, found.n);
}
