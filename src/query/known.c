/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* known.c - the facts one query has met so far */
#include "query/known.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/merge.h"

void known_release(struct known *k)
{
	map_release(&k->execs);
	map_release(&k->objects);
}

struct known_exec *known_exec(struct known *k, const struct id *id)
{
	void **slot;

	if (k->newest_exec && id_equal(&k->newest_exec->x.id, id))
		return k->newest_exec;
	slot = map_at(&k->execs, id, sizeof(*id));
	if (!*slot) {
		struct known_exec *x = *slot = arena_alloc(k->arena, sizeof(*x));

		x->x.id = *id;
		x->x.how = HOW_UNKNOWN;
		x->node = NO_NODE;
	}
	k->newest_exec = *slot;
	return *slot;
}

struct known_object *known_object(struct known *k, const struct id *id)
{
	void **slot = map_at(&k->objects, id, sizeof(*id));

	if (!*slot) {
		struct known_object *o = *slot = arena_alloc(k->arena, sizeof(*o));

		o->o = (struct object){ .id = *id, .kind = OBJECT_OTHER, .size = -1 };
	}
	return *slot;
}

void execs_add(struct arena *a, struct execs *l, struct known_exec *x)
{
	l->at = arena_grow(a, l->at, l->n, &l->room, sizeof(*l->at));
	l->at[l->n++] = x;
}

void objects_add(struct arena *a, struct objects *l, struct known_object *o)
{
	l->at = arena_grow(a, l->at, l->n, &l->room, sizeof(*l->at));
	l->at[l->n++] = o;
}

static void deed_add(struct known *k, struct deeds *l, const struct access *a,
		     struct known_object *o, struct known_exec *x)
{
	l->at = arena_grow(k->arena, l->at, l->n, &l->room, sizeof(*l->at));
	l->at[l->n++] = (struct deed){ a, o, x };
}

static void object_deed_add(struct known *k, const struct access *a, struct known_exec *x)
{
	struct known_object *o = known_object(k, &a->object);

	deed_add(k, &o->deeds, a, o, x);
}

/* Those of l not asked about yet, which they are from now on; free() them. */
static struct id *unasked_execs(const struct execs *l, unsigned what, size_t *n)
{
	struct id *ids = mem_alloc((l->n + 1) * sizeof(*ids));

	*n = 0;
	for (size_t i = 0; i < l->n; i++) {
		if ((l->at[i]->asked & what) == what)
			continue;
		l->at[i]->asked |= what;
		ids[(*n)++] = l->at[i]->x.id;
	}
	return ids;
}

static struct id *unasked_objects(const struct objects *l, unsigned what, size_t *n)
{
	struct id *ids = mem_alloc((l->n + 1) * sizeof(*ids));

	*n = 0;
	for (size_t i = 0; i < l->n; i++) {
		if ((l->at[i]->asked & what) == what)
			continue;
		l->at[i]->asked |= what;
		ids[(*n)++] = l->at[i]->o.id;
	}
	return ids;
}

int known_load_execs(struct known *k, const struct execs *l)
{
	struct execution *found = NULL;
	size_t n, n_found = 0;
	struct id *ids = unasked_execs(l, ASKED_ITSELF, &n);
	int r = 0;

	if (n)
		r = store_executions(k->store, ids, n, k->arena, &found, &n_found);
	free(ids);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n_found; i++) {
		struct known_exec *x = known_exec(k, &found[i].id);

		x->x = found[i];
		x->found = true;
	}
	return 0;
}

void known_add_deeds(struct known *k, const struct access *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct known_exec *x = known_exec(k, &v[i].exec);

		deed_add(k, &x->deeds, &v[i], known_object(k, &v[i].object), x);
	}
}

int known_load_exec_accesses(struct known *k, const struct execs *l)
{
	struct access *found = NULL;
	size_t n, n_found = 0;
	struct id *ids = unasked_execs(l, ASKED_ACCESSES, &n);
	int r = 0;

	if (n)
		r = store_accesses_by_execution(k->store, ids, n, k->arena, &found, &n_found);
	free(ids);
	if (r < 0)
		return r;
	known_add_deeds(k, found, n_found);
	return 0;
}

int known_load_children(struct known *k, const struct execs *l, struct execs *children)
{
	struct id *ids = mem_alloc((l->n + 1) * sizeof(*ids));
	struct execution *found = NULL;
	size_t n_found = 0;
	int r = 0;

	for (size_t i = 0; i < l->n; i++)
		ids[i] = l->at[i]->x.id;
	if (l->n)
		r = store_children(k->store, ids, l->n, k->arena, &found, &n_found);
	free(ids);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n_found; i++) {
		struct known_exec *x = known_exec(k, &found[i].id);

		x->x = found[i];
		x->asked |= ASKED_ITSELF;
		x->found = true;
		execs_add(k->arena, children, x);
	}
	return 0;
}

int known_load_objects(struct known *k, const struct objects *l)
{
	struct object *found = NULL;
	size_t n, n_found = 0;
	struct id *ids = unasked_objects(l, ASKED_ITSELF, &n);
	int r = 0;

	if (n)
		r = store_objects(k->store, ids, n, k->arena, &found, &n_found);
	free(ids);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n_found; i++) {
		struct known_object *o = known_object(k, &found[i].id);

		o->o = found[i];
		o->found = true;
	}
	return 0;
}

int known_load_names(struct known *k, const struct objects *l)
{
	struct name_event *found = NULL;
	size_t n, n_found = 0;
	struct id *ids = unasked_objects(l, ASKED_NAMES, &n);
	int r = 0;

	if (n)
		r = store_names_by_object(k->store, ids, n, k->arena, &found, &n_found);
	free(ids);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n_found; i++) {
		struct known_object *o = known_object(k, &found[i].object);

		o->names = arena_grow(k->arena, o->names, o->n_names, &o->names_room,
				      sizeof(struct name_event *));
		o->names[o->n_names++] = &found[i];
	}
	return 0;
}

int known_load_changes(struct known *k, const struct objects *l)
{
	struct access *found = NULL;
	size_t n, n_found = 0;
	struct id *ids = unasked_objects(l, ASKED_CHANGES, &n);
	int r = 0;

	if (n)
		r = store_changes_by_object(k->store, ids, n, k->arena, &found, &n_found);
	free(ids);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n_found; i++)
		if (found[i].flags & ACCESS_CHANGES)
			object_deed_add(k, &found[i], NULL);
	return 0;
}

int known_load_all(struct known *k, const struct objects *l)
{
	struct access *found = NULL;
	struct id *ids;
	size_t n, n_found = 0;
	int r = 0;

	/* the changes among them come again */
	for (size_t i = 0; i < l->n; i++) {
		if ((l->at[i]->asked & ASKED_ALL) == ASKED_ALL)
			continue;
		l->at[i]->deeds.n = 0;
		l->at[i]->touches = NULL;
	}
	ids = unasked_objects(l, ASKED_ALL, &n);
	if (n)
		r = store_accesses_by_object(k->store, ids, n, k->arena, &found, &n_found);
	free(ids);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n_found; i++)
		object_deed_add(k, &found[i], NULL);
	return 0;
}

/* In the order of accesses_sort(). */
static int deed_order(const void *pa, const void *pb)
{
	const struct access *a = ((const struct deed *)pa)->access;
	const struct access *b = ((const struct deed *)pb)->access;
	int64_t ta = access_first(a), tb = access_first(b);
	int r = (ta > tb) - (ta < tb);

	r = r ? r : id_compare(&a->exec, &b->exec);
	return r ? r : strcmp(a->path, b->path);
}

static bool has_accesses(void *ctx, const struct id *exec)
{
	const struct known *k = ctx;
	const struct known_exec *x = map_get(&k->execs, exec, sizeof(*exec));

	return x && x->asked & ASKED_ACCESSES && x->reached;
}

int known_load_rest(struct known *k, const struct objects *l, const struct execs *loaded)
{
	const struct store_except but = { has_accesses, k };
	struct access *found = NULL;
	struct id *ids;
	size_t n, n_found = 0;
	int r = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct known_object *o = l->at[i];

		o->incomplete = (o->asked & ASKED_ALL) != ASKED_ALL;
		if (!o->incomplete)
			continue;
		o->deeds.n = 0;
		o->touches = NULL;
	}
	ids = unasked_objects(l, ASKED_ALL, &n);
	if (n)
		r = store_accesses_by_others(k->store, ids, n, &but, k->arena, &found, &n_found);
	free(ids);
	if (r < 0)
		return r;
	for (size_t i = 0; n && i < loaded->n; i++) {
		const struct deeds *own = &loaded->at[i]->deeds;

		for (size_t j = 0; j < own->n; j++) {
			const struct deed *d = &own->at[j];

			if (d->object->incomplete)
				deed_add(k, &d->object->deeds, d->access, d->object, d->exec);
		}
	}
	for (size_t i = 0; i < n_found; i++)
		object_deed_add(k, &found[i], NULL);
	for (size_t i = 0; i < l->n; i++) {
		struct known_object *o = l->at[i];

		if (o->incomplete && o->deeds.n > 1)
			qsort(o->deeds.at, o->deeds.n, sizeof(*o->deeds.at), deed_order);
		o->incomplete = false;
	}
	return 0;
}

static void object_prepare(struct known *k, struct known_object *o)
{
	size_t n_cuts = 0;

	o->n_touches = o->deeds.n;
	o->touches = arena_alloc(k->arena, o->n_touches * sizeof(*o->touches));
	o->owners = arena_alloc(k->arena, o->n_touches * sizeof(*o->owners));
	for (size_t i = 0; i < o->n_touches; i++)
		n_cuts += o->deeds.at[i].access->truncated != 0;
	o->cuts = arena_alloc(k->arena, n_cuts * sizeof(*o->cuts));
	o->n_cuts = 0;
	for (size_t i = 0; i < o->n_touches; i++) {
		const struct access *a = o->deeds.at[i].access;
		struct known_exec *x = o->deeds.at[i].exec;
		int64_t end;

		if (!x && (a->flags & ACCESS_CHANGES || a->truncated || interval_needs_end(a)))
			x = known_exec(k, &a->exec);
		end = x && interval_needs_end(a) ? x->x.end : 0;
		o->owners[i] = x;
		o->touches[i] = touch_of(a, GRANULARITY_FIRST_LAST, end);
		o->touches[i].access = i;
		if (o->touches[i].cut)
			o->cuts[o->n_cuts++] = o->touches[i].cut;
	}
	o->n_cuts = times_sort(o->cuts, o->n_cuts);
}

int known_prepare(struct known *k, const struct objects *l)
{
	struct execs ends = { 0 };
	int r;

	for (size_t i = 0; i < l->n; i++) {
		const struct known_object *o = l->at[i];

		for (size_t j = 0; !o->touches && j < o->deeds.n; j++)
			if (interval_needs_end(o->deeds.at[j].access))
				execs_add(k->arena, &ends,
					  known_exec(k, &o->deeds.at[j].access->exec));
	}
	r = known_load_execs(k, &ends);
	if (r < 0)
		return r;
	for (size_t i = 0; i < l->n; i++)
		if (!l->at[i]->touches)
			object_prepare(k, l->at[i]);
	return 0;
}
