/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* memory_find.c - answers from facts in memory */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "store/memory.h"
#include "store/merge.h"

/* The ids once each, so that no result comes twice. */
static struct id *ids_distinct(struct arena *tmp, const struct id *ids, size_t *n)
{
	struct id *copy = arena_copy(tmp, ids, *n * sizeof(*copy));

	*n = ids_sort(copy, *n);
	return copy;
}

/* All items that an index has for some ids, in lists of a throw-away arena. */
static struct list gather(struct arena *tmp, const struct map *index, const struct id *ids,
			  size_t n)
{
	struct list out = { 0 };
	struct id *each = ids_distinct(tmp, ids, &n);

	for (size_t i = 0; i < n; i++) {
		const struct list *l = map_get(index, &each[i], sizeof(each[i]));

		for (size_t j = 0; l && j < l->n; j++) {
			out.at = arena_grow(tmp, out.at, out.n, &out.room, sizeof(*out.at));
			out.at[out.n++] = l->at[j];
		}
	}
	return out;
}

/* Facts that belong to a run through their execution. */
static struct list gather_run(struct memory *m, struct arena *tmp, const struct map *index,
			      const struct id *runs, size_t n)
{
	struct list execs = gather(tmp, &m->run_executions, runs, n);
	struct id *ids = arena_alloc(tmp, (execs.n + 1) * sizeof(*ids));

	for (size_t i = 0; i < execs.n; i++)
		ids[i] = ((struct execution *)execs.at[i])->id;
	return gather(tmp, index, ids, execs.n);
}

static struct list gather_keyed(struct arena *tmp, const struct table *t, const struct id *ids,
				size_t n)
{
	struct list out = { 0 };
	struct id *each = ids_distinct(tmp, ids, &n);

	out.at = arena_alloc(tmp, (n + 1) * sizeof(*out.at));
	for (size_t i = 0; i < n; i++) {
		void *item = map_get(&t->by_key, &each[i], sizeof(each[i]));

		if (item)
			out.at[out.n++] = item;
	}
	return out;
}

/* What the list points to, side by side in the caller's arena. */
static void *copy_out(struct arena *a, const struct list *l, size_t size)
{
	char *out = arena_alloc(a, (l->n + 1) * size);

	for (size_t i = 0; i < l->n; i++)
		memcpy(out + i * size, l->at[i], size);
	return out;
}

static bool run_passes(const struct run *r, const struct run_filter *f)
{
	int64_t began = run_began(r);

	if ((f->since && began < f->since) || (f->until && began > f->until))
		return false;
	return (!f->user || !strcmp(f->user, r->user)) && (!f->grep || run_matches(r, f->grep));
}

int memory_runs(struct store *s, const struct run_filter *f, struct arena *a, struct run **out,
		size_t *n)
{
	struct memory *m = (struct memory *)s;
	const struct list *all = &m->runs.all;
	struct run *v = arena_alloc(a, (all->n + 1) * sizeof(*v));

	*n = 0;
	for (size_t i = 0; i < all->n; i++)
		if (run_passes(all->at[i], f))
			v[(*n)++] = *(struct run *)all->at[i];
	runs_sort(v, *n);
	if (f->most && f->most < *n)
		*n = f->most;
	for (size_t i = 0; i < *n; i++)
		memory_own_run(&v[i], a);
	*out = v;
	return 0;
}

int memory_run(struct store *s, const struct id *id, struct arena *a, struct run *out)
{
	struct memory *m = (struct memory *)s;
	const struct run *r = map_get(&m->runs.by_key, id, sizeof(*id));

	if (!r)
		return fail(ENOENT, "this run is not in the store");
	*out = *r;
	memory_own_run(out, a);
	return 0;
}

int memory_executions(struct store *s, int by, const struct id *ids, size_t n_ids, struct arena *a,
		      struct execution **out, size_t *n)
{
	struct memory *m = (struct memory *)s;
	struct arena tmp = { 0 };
	struct list l = { 0 };

	if (by == BY_ID)
		l = gather_keyed(&tmp, &m->executions, ids, n_ids);
	else
		l = gather(&tmp, by == BY_RUN ? &m->run_executions : &m->parent_executions, ids,
			   n_ids);
	*out = copy_out(a, &l, sizeof(**out));
	*n = l.n;
	executions_sort(*out, *n);
	for (size_t i = 0; i < *n; i++)
		memory_own_execution(&(*out)[i], a);
	arena_release(&tmp);
	return 0;
}

static struct list only_changes(const struct list *l)
{
	struct list out = { .at = l->at };

	for (size_t i = 0; i < l->n; i++)
		if (((struct access *)l->at[i])->flags & ACCESS_CHANGES)
			out.at[out.n++] = l->at[i];
	return out;
}

static struct list only_others(const struct list *l, const struct store_except *but)
{
	struct list out = { .at = l->at };

	for (size_t i = 0; i < l->n; i++)
		if (!but->has(but->ctx, &((struct access *)l->at[i])->exec))
			out.at[out.n++] = l->at[i];
	return out;
}

int memory_accesses(struct store *s, int by, const struct id *ids, size_t n_ids,
		    const struct store_except *but, struct arena *a, struct access **out, size_t *n)
{
	struct memory *m = (struct memory *)s;
	struct arena tmp = { 0 };
	struct list l = { 0 };

	if (by == BY_RUN)
		l = gather_run(m, &tmp, &m->exec_accesses, ids, n_ids);
	else
		l = gather(&tmp, by == BY_EXECUTION ? &m->exec_accesses : &m->object_accesses, ids,
			   n_ids);
	if (by == BY_OBJECT_CHANGES)
		l = only_changes(&l);
	if (but)
		l = only_others(&l, but);
	*out = copy_out(a, &l, sizeof(**out));
	*n = l.n;
	accesses_sort(*out, *n);
	for (size_t i = 0; i < *n; i++)
		(*out)[i].path = arena_str(a, (*out)[i].path);
	arena_release(&tmp);
	return 0;
}

int memory_names(struct store *s, int by, const struct id *ids, size_t n_ids, struct arena *a,
		 struct name_event **out, size_t *n)
{
	struct memory *m = (struct memory *)s;
	struct arena tmp = { 0 };
	struct list l = { 0 };

	if (by == BY_RUN)
		l = gather_run(m, &tmp, &m->exec_names, ids, n_ids);
	else
		l = gather(&tmp, by == BY_EXECUTION ? &m->exec_names : &m->object_names, ids,
			   n_ids);
	*out = copy_out(a, &l, sizeof(**out));
	*n = l.n;
	names_sort(*out, *n);
	for (size_t i = 0; i < *n; i++) {
		(*out)[i].from = arena_str(a, (*out)[i].from);
		(*out)[i].to = arena_str(a, (*out)[i].to);
	}
	arena_release(&tmp);
	return 0;
}

int memory_objects(struct store *s, const struct id *ids, size_t n_ids, struct arena *a,
		   struct object **out, size_t *n)
{
	struct memory *m = (struct memory *)s;
	struct arena tmp = { 0 };
	struct list l = gather_keyed(&tmp, &m->objects, ids, n_ids);

	*out = copy_out(a, &l, sizeof(**out));
	*n = l.n;
	objects_sort(*out, *n);
	arena_release(&tmp);
	return 0;
}

int memory_holes(struct store *s, const struct id *run, struct arena *a, struct hole **out,
		 size_t *n)
{
	struct memory *m = (struct memory *)s;
	const struct list *all = &m->holes.all;
	struct hole *v = arena_alloc(a, (all->n + 1) * sizeof(*v));

	*n = 0;
	for (size_t i = 0; i < all->n; i++) {
		const struct hole *h = all->at[i];

		if (!id_equal(&h->run, run))
			continue;
		v[*n] = *h;
		v[*n].kind = arena_str(a, h->kind);
		v[(*n)++].why = arena_str(a, h->why);
	}
	holes_sort(v, *n);
	*out = v;
	return 0;
}

int memory_notes(struct store *s, const struct id *run, struct arena *a, struct note **out,
		 size_t *n)
{
	struct memory *m = (struct memory *)s;
	const struct list *all = &m->notes.all;
	struct note *v = arena_alloc(a, (all->n + 1) * sizeof(*v));

	*n = 0;
	for (size_t i = 0; i < all->n; i++) {
		const struct note *t = all->at[i];

		if (!id_equal(&t->run, run))
			continue;
		v[(*n)++] = (struct note){ t->run, arena_str(a, t->key), arena_str(a, t->value) };
	}
	notes_sort(v, *n);
	*out = v;
	return 0;
}

int memory_by_path(struct store *s, const char *path, struct arena *a, struct named **out,
		   size_t *n)
{
	struct memory *m = (struct memory *)s;
	const struct list *l = map_get(&m->path_named, path, strlen(path));
	static const struct list none;

	l = l ? l : &none;
	*out = copy_out(a, l, sizeof(**out));
	*n = l->n;
	named_sort(*out, *n);
	return 0;
}

int memory_ids(struct store *s, const struct id_prefix *p, size_t most, struct arena *a,
	       struct id **out, size_t *n)
{
	struct memory *m = (struct memory *)s;
	const struct list *all;

	switch (p->kind) {
	case ID_RUN:
		all = &m->runs.all;
		break;
	case ID_EXECUTION:
		all = &m->executions.all;
		break;
	case ID_OBJECT:
		all = &m->objects.all;
		break;
	default:
		return fail(EINVAL, "the store keeps no ids that begin with \"%c\"", p->kind);
	}
	*out = arena_alloc(a, (all->n + 1) * sizeof(**out));
	*n = 0;
	for (size_t i = 0; i < all->n; i++) {
		const struct id *id = all->at[i]; /* first member of all three */

		if (id_compare(id, &p->lowest) >= 0 && id_compare(id, &p->highest) <= 0)
			(*out)[(*n)++] = *id;
	}
	*n = ids_sort(*out, *n);
	if (*n > most)
		*n = most;
	return 0;
}

int memory_boot_offsets(struct store *s, struct arena *a, struct boot_offset **out, size_t *n)
{
	const struct list *all = &((struct memory *)s)->offsets.all;

	*out = copy_out(a, all, sizeof(**out));
	*n = all->n;
	for (size_t i = 0; i < *n; i++) {
		(*out)[i].host = arena_str(a, (*out)[i].host);
		(*out)[i].boot = arena_str(a, (*out)[i].boot);
	}
	boot_offsets_sort(*out, *n);
	return 0;
}

int memory_info(struct store *s, struct arena *a, struct store_info *out)
{
	struct memory *m = (struct memory *)s;

	*out = (struct store_info){ .where = "memory:",
				    .runs = m->runs.all.n,
				    .executions = m->executions.all.n,
				    .objects = m->objects.all.n,
				    .accesses = m->accesses.all.n,
				    .bytes = (int64_t)m->arena.total };
	return 0;
}
