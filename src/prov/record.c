/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* record.c - one run, put together */
#include "prov/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "query/query.h"

int64_t run_real(const struct run *run, int64_t order)
{
	return order ? order + run->shift : 0;
}

int64_t access_moment(const struct access *a)
{
	int64_t first = a->opened;

	if (a->first_read && (!first || a->first_read < first))
		first = a->first_read;
	if (a->first_write && (!first || a->first_write < first))
		first = a->first_write;
	if (!first)
		first = a->truncated ? a->truncated : a->closed;
	return first;
}

static int by_id(const void *a, const void *b)
{
	return id_compare(a, b);
}

void ids_unique(struct id *ids, size_t *n)
{
	size_t out = 0;

	if (*n)
		qsort(ids, *n, sizeof(*ids), by_id);
	for (size_t i = 0; i < *n; i++)
		if (!id_is_zero(&ids[i]) && (out == 0 || !id_equal(&ids[out - 1], &ids[i])))
			ids[out++] = ids[i];
	*n = out;
}

void thing_name(struct arena *arena, struct thing *t, const char *path)
{
	if (!path || !path[0])
		return;
	for (size_t i = 0; i < t->n_paths; i++)
		if (!strcmp(t->paths[i], path))
			return;
	t->paths = arena_grow(arena, t->paths, t->n_paths, &t->paths_room, sizeof(*t->paths));
	t->paths[t->n_paths++] = path;
}

struct step *record_step(const struct record *r, const struct id *execution)
{
	return map_get(&r->step_of, execution, sizeof(*execution));
}

struct thing *record_thing(const struct record *r, const struct id *object)
{
	return map_get(&r->thing_of, object, sizeof(*object));
}

static int earlier_access(const void *a, const void *b)
{
	const struct access *x = *(const struct access *const *)a,
			    *y = *(const struct access *const *)b;
	int64_t s = access_moment(x), t = access_moment(y);

	if (s != t)
		return s < t ? -1 : 1;
	return strcmp(x->path, y->path);
}

void record_sort_accesses(const struct access **at, size_t n)
{
	if (n)
		qsort(at, n, sizeof(const struct access *), earlier_access);
}

static int earlier_step(const void *a, const void *b)
{
	const struct execution *x = (*(struct step *const *)a)->e,
			       *y = (*(struct step *const *)b)->e;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return id_compare(&x->id, &y->id);
}

/* A damaged record could call a step its own forebear: such a circle is opened. */
static void open_circles(struct record *r)
{
	enum { NEW, HERE, DONE };
	unsigned char *seen = mem_alloc(r->n_executions + 1);

	for (size_t i = 0; i < r->n_executions; i++) {
		struct step *s = &r->steps[i];

		for (; s && seen[s - r->steps] == NEW; s = s->parent) {
			seen[s - r->steps] = HERE;
			if (s->parent && seen[s->parent - r->steps] == HERE)
				s->parent = NULL;
		}
		for (s = &r->steps[i]; s && seen[s - r->steps] == HERE; s = s->parent)
			seen[s - r->steps] = DONE;
	}
	free(seen);
}

static void link_steps(struct arena *a, struct record *r)
{
	r->steps = arena_alloc(a, (r->n_executions + 1) * sizeof(*r->steps));
	for (size_t i = 0; i < r->n_executions; i++) {
		r->steps[i].e = &r->executions[i];
		*map_at(&r->step_of, &r->executions[i].id, sizeof(struct id)) = &r->steps[i];
	}
	for (size_t i = 0; i < r->n_executions; i++)
		r->steps[i].parent = record_step(r, &r->executions[i].parent);
	open_circles(r);
	for (size_t i = 0; i < r->n_executions; i++) {
		struct step *s = &r->steps[i], *p = s->parent;

		if (!p)
			continue;
		p->children =
			arena_grow(a, p->children, p->n_children, &p->children_room, sizeof(s));
		p->children[p->n_children++] = s;
	}
	for (size_t i = 0; i < r->n_accesses; i++) {
		struct step *s = record_step(r, &r->accesses[i].exec);

		if (!s)
			continue;
		s->files = arena_grow(a, s->files, s->n_files, &s->files_room, sizeof(*s->files));
		s->files[s->n_files++] = &r->accesses[i];
	}
	for (size_t i = 0; i < r->n_names; i++) {
		struct step *s = record_step(r, &r->names[i].exec);

		if (!s)
			continue;
		s->names = arena_grow(a, s->names, s->n_names, &s->names_room, sizeof(*s->names));
		s->names[s->n_names++] = &r->names[i];
	}
	for (size_t i = 0; i < r->n_executions; i++) {
		struct step *s = &r->steps[i];

		if (s->n_children)
			qsort(s->children, s->n_children, sizeof(*s->children), earlier_step);
		record_sort_accesses(s->files, s->n_files);
	}
}

static int load_objects(struct context *c, struct record *r)
{
	size_t n = 0;
	struct id *ids = arena_alloc(&c->arena, (r->n_accesses + r->n_names + 1) * sizeof(*ids));
	int ret;

	for (size_t i = 0; i < r->n_accesses; i++)
		ids[n++] = r->accesses[i].object;
	for (size_t i = 0; i < r->n_names; i++)
		ids[n++] = r->names[i].object;
	ids_unique(ids, &n);
	ret = store_objects(c->store, ids, n, &c->arena, &r->objects, &r->n_objects);
	if (ret < 0)
		return ret;
	r->things = arena_alloc(&c->arena, (r->n_objects + 1) * sizeof(*r->things));
	for (size_t i = 0; i < r->n_objects; i++) {
		r->things[i].o = &r->objects[i];
		*map_at(&r->thing_of, &r->objects[i].id, sizeof(struct id)) = &r->things[i];
	}
	for (size_t i = 0; i < r->n_accesses; i++) {
		struct thing *t = record_thing(r, &r->accesses[i].object);

		if (t)
			thing_name(&c->arena, t, r->accesses[i].path);
	}
	for (size_t i = 0; i < r->n_names; i++) {
		const struct name_event *e = &r->names[i];
		struct thing *t = record_thing(r, &e->object);

		if (!t)
			continue;
		if (e->kind != NAME_SYMLINK)
			thing_name(&c->arena, t, e->from);
		thing_name(&c->arena, t, e->to);
	}
	return 0;
}

/* One rule says what is hidden: the graph's. An object is when all its versions are. */
static int mark_folded(struct context *c, struct record *r)
{
	struct graph g = { 0 };
	int ret = query_run(c->store, &r->run.id, &g);

	for (int pass = 0; ret == 0 && pass < 2; pass++)
		for (size_t i = 0; i < g.n_nodes; i++) {
			const struct node *n = &g.nodes[i];
			bool folded = n->flags & NODE_FOLDED;
			struct thing *t = n->kind == NODE_ENTITY ? record_thing(r, &n->id) : NULL;
			struct step *s = n->kind == NODE_ACTIVITY ? record_step(r, &n->id) : NULL;

			if (t && folded == (pass == 0))
				t->folded = folded;
			if (s)
				s->folded = folded;
			if (s && n->credited)
				s->credited = record_step(r, &g.nodes[n->credited - 1].id);
		}
	graph_release(&g);
	record_credit(&c->arena, r);
	return ret;
}

int record_load(struct context *c, const struct id *run, bool fold, struct record *out)
{
	struct store *s = c->store;
	struct arena *a = &c->arena;
	int ret;

	*out = (struct record){ 0 };
	if ((ret = store_run(s, run, a, &out->run)) < 0 ||
	    (ret = store_run_executions(s, run, a, &out->executions, &out->n_executions)) < 0 ||
	    (ret = store_run_accesses(s, run, a, &out->accesses, &out->n_accesses)) < 0 ||
	    (ret = store_run_names(s, run, a, &out->names, &out->n_names)) < 0 ||
	    (ret = store_run_holes(s, run, a, &out->holes, &out->n_holes)) < 0 ||
	    (ret = store_run_notes(s, run, a, &out->notes, &out->n_notes)) < 0)
		return ret;
	link_steps(a, out);
	ret = load_objects(c, out);
	if (ret == 0 && fold)
		ret = mark_folded(c, out);
	if (ret < 0)
		record_release(out);
	return ret;
}

void record_release(struct record *r)
{
	map_release(&r->step_of);
	map_release(&r->thing_of);
}
