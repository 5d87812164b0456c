/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* union_rows.c - rows that several stores gave, each once */
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "store/merge.h"
#include "store/union_parts.h"

static void key_id(const void *row, struct buf *key)
{
	buf_append(key, row, sizeof(struct id)); /* its first member */
}

static void key_text(struct buf *key, const char *s)
{
	buf_append(key, s, strlen(s) + 1);
}

static void key_access(const void *row, struct buf *key)
{
	const struct access *x = row;

	buf_append(key, &x->exec, sizeof(x->exec));
	buf_append(key, &x->object, sizeof(x->object));
	key_text(key, x->path);
}

static void key_name(const void *row, struct buf *key)
{
	const struct name_event *e = row;

	buf_append(key, &e->exec, sizeof(e->exec));
	buf_append(key, &e->object, sizeof(e->object));
	buf_append(key, &e->kind, sizeof(e->kind));
	buf_append(key, &e->time, sizeof(e->time));
	key_text(key, e->from);
	key_text(key, e->to);
}

static void key_hole(const void *row, struct buf *key)
{
	const struct hole *h = row;

	buf_append(key, &h->exec, sizeof(h->exec));
	key_text(key, h->kind);
	key_text(key, h->why);
}

static void key_note(const void *row, struct buf *key)
{
	const struct note *n = row;

	key_text(key, n->key);
	key_text(key, n->value);
}

static void key_boot(const void *row, struct buf *key)
{
	const struct boot_offset *b = row;

	key_text(key, b->host);
	key_text(key, b->boot);
}

static void merge_run(void *into, const void *more)
{
	run_merge(into, more);
}

static void merge_execution(void *into, const void *more)
{
	execution_merge(into, more);
}

static void merge_object(void *into, const void *more)
{
	object_merge(into, more);
}

static void merge_access(void *into, const void *more)
{
	access_merge(into, more);
}

static void merge_hole(void *into, const void *more)
{
	struct hole *h = into;
	const struct hole *m = more;

	if (m->count > h->count)
		h->count = m->count;
}

static void merge_named(void *into, const void *more)
{
	struct named *n = into;
	const struct named *m = more;

	if (m->time > n->time)
		n->time = m->time;
}

const struct shape shape_run = { sizeof(struct run), key_id, merge_run };
const struct shape shape_execution = { sizeof(struct execution), key_id, merge_execution };
const struct shape shape_object = { sizeof(struct object), key_id, merge_object };
const struct shape shape_access = { sizeof(struct access), key_access, merge_access };
const struct shape shape_name = { sizeof(struct name_event), key_name, NULL };
const struct shape shape_hole = { sizeof(struct hole), key_hole, merge_hole };
const struct shape shape_note = { sizeof(struct note), key_note, NULL };
const struct shape shape_named = { sizeof(struct named), key_id, merge_named };
const struct shape shape_boot_offset = { sizeof(struct boot_offset), key_boot, NULL };
const struct shape shape_id = { sizeof(struct id), key_id, NULL };

/* Where only one store has anything, its rows are not moved. */
void rows_add(struct rows *r, const void *v, size_t n)
{
	size_t size = r->shape->size;

	if (!n)
		return;
	r->parts++;
	if (!r->n) {
		r->at = (char *)(uintptr_t)v;
		r->n = r->room = n;
		return;
	}
	if (n > r->room - r->n) {
		char *more;

		r->room = r->n + n > 2 * r->room ? r->n + n : 2 * r->room;
		more = arena_alloc(r->a, r->room * size);
		memcpy(more, r->at, r->n * size);
		r->at = more;
	}
	memcpy(r->at + r->n * size, v, n * size);
	r->n += n;
}

void rows_merge(struct rows *r, size_t only)
{
	size_t size = r->shape->size, kept = 0;
	struct buf key = { 0 };
	struct map met = { 0 };

	for (size_t i = 0; i < r->n && r->parts > 1; i++) {
		char *row = r->at + i * size;
		void **slot;

		buf_clear(&key);
		r->shape->key(row, &key);
		if (i >= only) {
			char *same = map_get(&met, key.data, key.size);

			if (same && r->shape->merge)
				r->shape->merge(same, row);
			continue;
		}
		slot = map_at(&met, key.data, key.size);
		if (*slot) {
			if (r->shape->merge)
				r->shape->merge(*slot, row);
			continue;
		}
		*slot = r->at + kept * size;
		if (kept != i)
			memcpy(*slot, row, size);
		kept++;
	}
	if (r->parts > 1)
		r->n = kept;
	map_release(&met);
	buf_release(&key);
}
