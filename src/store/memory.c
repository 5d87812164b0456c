/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* memory.c - a store that lives as long as it is open, for tests and tools */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/memory.h"
#include "store/merge.h"

extern const struct store_ops store_memory_ops;

static void list_add(struct memory *m, struct list *l, void *item)
{
	l->at = arena_grow(&m->arena, l->at, l->n, &l->room, sizeof(*l->at));
	l->at[l->n++] = item;
}

static void index_add(struct memory *m, struct map *index, const void *key, size_t size, void *item)
{
	void **slot = map_at(index, key, size);

	if (!*slot)
		*slot = arena_alloc(&m->arena, sizeof(struct list));
	list_add(m, *slot, item);
}

static void index_remove(struct map *index, const void *key, size_t size, const void *item)
{
	struct list *l = map_get(index, key, size);

	for (size_t i = 0; l && i < l->n; i++)
		if (l->at[i] == item)
			l->at[i] = l->at[--l->n];
}

/* The item whose key was collected in m->key; *is_new when it was copied in. */
static void *table_put(struct memory *m, struct table *t, const void *item, size_t size,
		       bool *is_new)
{
	void **slot = map_at(&t->by_key, m->key.data, m->key.size);

	*is_new = !*slot;
	if (*is_new) {
		*slot = arena_copy(&m->arena, item, size);
		list_add(m, &t->all, *slot);
	}
	return *slot;
}

static void key_begin(struct memory *m, const struct id *a, const struct id *b)
{
	buf_clear(&m->key);
	buf_append(&m->key, a, sizeof(*a));
	if (b)
		buf_append(&m->key, b, sizeof(*b));
}

static void key_text(struct memory *m, const char *s)
{
	buf_append(&m->key, s ? s : "", s ? strlen(s) + 1 : 1);
}

static void strings_own(struct strings *s, struct arena *a)
{
	s->p = s->size ? arena_copy(a, s->p, s->size) : NULL;
}

void memory_own_run(struct run *r, struct arena *a)
{
	r->name = arena_str(a, r->name);
	r->host = arena_str(a, r->host);
	r->boot = arena_str(a, r->boot);
	r->user = arena_str(a, r->user);
	r->cwd = arena_str(a, r->cwd);
	r->engine = arena_str(a, r->engine);
	strings_own(&r->argv, a);
}

void memory_own_execution(struct execution *e, struct arena *a)
{
	e->exe = arena_str(a, e->exe);
	e->cwd = arena_str(a, e->cwd);
	strings_own(&e->argv, a);
	strings_own(&e->env, a);
}

static void put_run(struct memory *m, const struct run *r)
{
	bool is_new;
	struct run empty = run_unknown(&r->id), more = *r;
	struct run *kept;

	key_begin(m, &r->id, /* second= */ NULL);
	kept = table_put(m, &m->runs, &empty, sizeof(empty), &is_new);
	memory_own_run(&more, &m->arena);
	run_merge(kept, &more);
}

static void put_execution(struct memory *m, const struct execution *e)
{
	bool is_new;
	struct execution empty = execution_unknown(&e->id), more = *e;
	struct execution *kept;
	struct id run, parent;

	key_begin(m, &e->id, /* second= */ NULL);
	kept = table_put(m, &m->executions, &empty, sizeof(empty), &is_new);
	run = kept->run;
	parent = kept->parent;
	memory_own_execution(&more, &m->arena);
	execution_merge(kept, &more);
	if (is_new || !id_equal(&run, &kept->run)) {
		index_remove(&m->run_executions, &run, sizeof(run), kept);
		index_add(m, &m->run_executions, &kept->run, sizeof(run), kept);
	}
	if (!id_equal(&parent, &kept->parent)) {
		index_remove(&m->parent_executions, &parent, sizeof(parent), kept);
		index_add(m, &m->parent_executions, &kept->parent, sizeof(parent), kept);
	}
}

static void put_object(struct memory *m, const struct object *o)
{
	bool is_new;
	struct object empty = object_unknown(&o->id);

	key_begin(m, &o->id, /* second= */ NULL);
	object_merge(table_put(m, &m->objects, &empty, sizeof(empty), &is_new), o);
}

/* Merging may make a first time earlier: the last use is kept apart, so that
 * no fact is forgotten. */
static void name_used(struct memory *m, const char *path, const struct id *object, int64_t time)
{
	bool is_new;
	struct named first = { *object, time }, *kept;

	key_begin(m, object, /* second= */ NULL);
	key_text(m, path);
	kept = table_put(m, &m->named, &first, sizeof(first), &is_new);
	if (is_new)
		index_add(m, &m->path_named, path, strlen(path), kept);
	else if (time > kept->time)
		kept->time = time;
}

static void put_access(struct memory *m, const struct access *a)
{
	bool is_new;
	struct access *kept;

	name_used(m, a->path ? a->path : "", &a->object, access_last(a));
	key_begin(m, &a->exec, &a->object);
	key_text(m, a->path);
	kept = table_put(m, &m->accesses, a, sizeof(*a), &is_new);
	if (!is_new) {
		access_merge(kept, a);
		return;
	}
	kept->path = arena_str(&m->arena, a->path ? a->path : "");
	index_add(m, &m->exec_accesses, &a->exec, sizeof(a->exec), kept);
	index_add(m, &m->object_accesses, &a->object, sizeof(a->object), kept);
}

static void put_name(struct memory *m, const struct name_event *e)
{
	bool is_new;
	struct name_event *kept;

	key_begin(m, &e->exec, &e->object);
	buf_append(&m->key, &e->kind, sizeof(e->kind));
	buf_append(&m->key, &e->time, sizeof(e->time));
	key_text(m, e->from);
	key_text(m, e->to);
	kept = table_put(m, &m->names, e, sizeof(*e), &is_new);
	if (!is_new)
		return;
	kept->from = arena_str(&m->arena, e->from ? e->from : "");
	kept->to = arena_str(&m->arena, e->to ? e->to : "");
	index_add(m, &m->exec_names, &e->exec, sizeof(e->exec), kept);
	index_add(m, &m->object_names, &e->object, sizeof(e->object), kept);
	if (name_has_from(kept))
		name_used(m, kept->from, &kept->object, kept->time);
	if (name_has_to(kept))
		name_used(m, kept->to, &kept->object, kept->time);
}

static void put_hole(struct memory *m, const struct hole *h)
{
	bool is_new;
	struct hole *kept;

	key_begin(m, &h->run, &h->exec);
	key_text(m, h->kind);
	key_text(m, h->why);
	kept = table_put(m, &m->holes, h, sizeof(*h), &is_new);
	if (is_new) {
		kept->kind = arena_str(&m->arena, h->kind ? h->kind : "");
		kept->why = arena_str(&m->arena, h->why ? h->why : "");
	} else if (h->count > kept->count) {
		kept->count = h->count;
	}
}

static void put_note(struct memory *m, const struct note *n)
{
	bool is_new;
	struct note *kept;

	key_begin(m, &n->run, /* second= */ NULL);
	key_text(m, n->key);
	key_text(m, n->value);
	kept = table_put(m, &m->notes, n, sizeof(*n), &is_new);
	if (is_new) {
		kept->key = arena_str(&m->arena, n->key ? n->key : "");
		kept->value = arena_str(&m->arena, n->value ? n->value : "");
	}
}

static int memory_put(struct store *s, const struct facts *f)
{
	struct memory *m = (struct memory *)s;

	for (size_t i = 0; i < f->n_runs; i++)
		put_run(m, &f->runs[i]);
	for (size_t i = 0; i < f->n_executions; i++)
		put_execution(m, &f->executions[i]);
	for (size_t i = 0; i < f->n_objects; i++)
		put_object(m, &f->objects[i]);
	for (size_t i = 0; i < f->n_accesses; i++)
		put_access(m, &f->accesses[i]);
	for (size_t i = 0; i < f->n_names; i++)
		put_name(m, &f->names[i]);
	for (size_t i = 0; i < f->n_holes; i++)
		put_hole(m, &f->holes[i]);
	for (size_t i = 0; i < f->n_notes; i++)
		put_note(m, &f->notes[i]);
	return 0;
}

static int memory_offset(struct store *s, const char *host, const char *boot, int64_t proposed,
			 int64_t *kept)
{
	struct memory *m = (struct memory *)s;
	struct boot_offset fresh = { .offset = proposed }, *b;
	bool is_new;

	buf_clear(&m->key);
	key_text(m, host);
	key_text(m, boot);
	b = table_put(m, &m->offsets, &fresh, sizeof(fresh), &is_new);
	if (is_new) {
		b->host = arena_str(&m->arena, host);
		b->boot = arena_str(&m->arena, boot);
	}
	*kept = b->offset;
	return 0;
}

static int memory_open(const char *where, enum store_mode mode, struct store **out)
{
	struct memory *m = mem_alloc(sizeof(*m));

	m->store.ops = &store_memory_ops;
	*out = &m->store;
	return 0;
}

static void memory_close(struct store *s)
{
	struct memory *m = (struct memory *)s;
	struct map *maps[] = {
		&m->runs.by_key,    &m->executions.by_key, &m->objects.by_key, &m->accesses.by_key,
		&m->names.by_key,   &m->holes.by_key,      &m->notes.by_key,   &m->offsets.by_key,
		&m->run_executions, &m->parent_executions, &m->exec_accesses,  &m->object_accesses,
		&m->exec_names,     &m->object_names,      &m->path_named,     &m->named.by_key,
	};

	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		map_release(maps[i]);
	buf_release(&m->key);
	arena_release(&m->arena);
	free(m);
}

const struct store_ops store_memory_ops = {
	.scheme = "memory",
	.open = memory_open,
	.close = memory_close,
	.put = memory_put,
	.boot_offset = memory_offset,
	.boot_offsets = memory_boot_offsets,
	.runs = memory_runs,
	.executions = memory_executions,
	.accesses = memory_accesses,
	.names = memory_names,
	.objects = memory_objects,
	.holes = memory_holes,
	.notes = memory_notes,
	.run = memory_run,
	.by_path = memory_by_path,
	.ids = memory_ids,
	.info = memory_info,
};
