/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* order.c - the order of results, the same in every store */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/merge.h"
#include "store/store.h"

/* The first comparison that tells the two apart. */
#define FIRST_OF(a, b) ((a) ? (a) : (b))

static int by_number(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int run_order(const void *pa, const void *pb)
{
	const struct run *a = pa, *b = pb;

	return FIRST_OF(by_number(run_began(b), run_began(a)), id_compare(&a->id, &b->id));
}

static int execution_order(const void *pa, const void *pb)
{
	const struct execution *a = pa, *b = pb;

	return FIRST_OF(by_number(a->start, b->start), id_compare(&a->id, &b->id));
}

static int object_order(const void *pa, const void *pb)
{
	const struct object *a = pa, *b = pb;

	return FIRST_OF(by_number(a->seen, b->seen), id_compare(&a->id, &b->id));
}

/* Accesses come in hundred thousands and are large: their first time is worked
 * out once each, and they are moved once, when their places are known. */
struct timed {
	int64_t first;
	const struct access *access;
};

static int access_order(const void *pa, const void *pb)
{
	const struct timed *ta = pa, *tb = pb;
	const struct access *a = ta->access, *b = tb->access;
	int r = by_number(ta->first, tb->first);

	r = FIRST_OF(r, id_compare(&a->exec, &b->exec));
	r = FIRST_OF(r, id_compare(&a->object, &b->object));
	return FIRST_OF(r, strcmp(a->path, b->path));
}

static int name_order(const void *pa, const void *pb)
{
	const struct name_event *a = pa, *b = pb;
	int r = by_number(a->time, b->time);

	r = FIRST_OF(r, id_compare(&a->exec, &b->exec));
	r = FIRST_OF(r, id_compare(&a->object, &b->object));
	r = FIRST_OF(r, by_number(a->kind, b->kind));
	r = FIRST_OF(r, strcmp(a->from, b->from));
	return FIRST_OF(r, strcmp(a->to, b->to));
}

static int hole_order(const void *pa, const void *pb)
{
	const struct hole *a = pa, *b = pb;
	int r = id_compare(&a->exec, &b->exec);

	r = FIRST_OF(r, strcmp(a->kind, b->kind));
	return FIRST_OF(r, strcmp(a->why, b->why));
}

static int note_order(const void *pa, const void *pb)
{
	const struct note *a = pa, *b = pb;

	return FIRST_OF(strcmp(a->key, b->key), strcmp(a->value, b->value));
}

static int named_order(const void *pa, const void *pb)
{
	const struct named *a = pa, *b = pb;

	return FIRST_OF(by_number(b->time, a->time), id_compare(&a->object, &b->object));
}

static int boot_offset_order(const void *pa, const void *pb)
{
	const struct boot_offset *a = pa, *b = pb;

	return FIRST_OF(strcmp(a->host, b->host), strcmp(a->boot, b->boot));
}

static int id_order(const void *a, const void *b)
{
	return id_compare(a, b);
}

/* What comes from a store mostly is in order already. */
static void sort(void *v, size_t n, size_t item, int (*order)(const void *, const void *))
{
	const char *p = v;

	for (size_t i = 1; i < n; i++) {
		if (order(p + (i - 1) * item, p + i * item) <= 0)
			continue;
		qsort(v, n, item, order);
		return;
	}
}

void runs_sort(struct run *v, size_t n)
{
	sort(v, n, sizeof(*v), run_order);
}

void executions_sort(struct execution *v, size_t n)
{
	sort(v, n, sizeof(*v), execution_order);
}

void objects_sort(struct object *v, size_t n)
{
	sort(v, n, sizeof(*v), object_order);
}

/* Moves each to the place where timed names it, round by round. */
static void accesses_place(struct access *v, struct timed *timed, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct access moved = v[i];
		size_t at = i, from;

		while (timed[at].access && (from = (size_t)(timed[at].access - v)) != i) {
			v[at] = v[from];
			timed[at].access = NULL;
			at = from;
		}
		if (timed[at].access)
			v[at] = moved;
		timed[at].access = NULL;
	}
}

void accesses_sort(struct access *v, size_t n)
{
	struct timed *timed;

	if (n < 2)
		return;
	timed = mem_alloc(n * sizeof(*timed));
	for (size_t i = 0; i < n; i++)
		timed[i] = (struct timed){ .first = access_first(&v[i]), .access = &v[i] };
	sort(timed, n, sizeof(*timed), access_order);
	accesses_place(v, timed, n);
	free(timed);
}

void names_sort(struct name_event *v, size_t n)
{
	sort(v, n, sizeof(*v), name_order);
}

void holes_sort(struct hole *v, size_t n)
{
	sort(v, n, sizeof(*v), hole_order);
}

void notes_sort(struct note *v, size_t n)
{
	sort(v, n, sizeof(*v), note_order);
}

void named_sort(struct named *v, size_t n)
{
	sort(v, n, sizeof(*v), named_order);
}

void boot_offsets_sort(struct boot_offset *v, size_t n)
{
	sort(v, n, sizeof(*v), boot_offset_order);
}

size_t ids_sort(struct id *v, size_t n)
{
	size_t kept = 0;

	sort(v, n, sizeof(*v), id_order);
	for (size_t i = 0; i < n; i++)
		if (!kept || !id_equal(&v[kept - 1], &v[i]))
			v[kept++] = v[i];
	return kept;
}
