/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* arena.c - memory for values that die together */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct arena_block {
	struct arena_block *next;
	size_t size;
	_Alignas(16) unsigned char data[];
};

#define BLOCK_FIRST (2u << 10)
#define BLOCK_FULL  (64u << 10)
#define FIRST_BYTES 64u	/* of an array that grows: most hold one or two */

void arena_release(struct arena *a)
{
	struct arena_block *b = a->blocks;

	while (b) {
		struct arena_block *next = b->next;

		free(b);
		b = next;
	}
	*a = (struct arena){ 0 };
}

/* Each as large as all before it: a service has an arena for each program that runs,
 * and most of those hold a few hundred bytes. */
static size_t block_size(const struct arena *a)
{
	return a->total < BLOCK_FIRST  ? BLOCK_FIRST
	       : a->total < BLOCK_FULL ? a->total
				       : BLOCK_FULL;
}

void *arena_alloc(struct arena *a, size_t size)
{
	size_t need = (size + 15) & ~(size_t)15;
	void *p;

	if (need < size)
		mem_exhausted();
	if (!a->blocks || a->blocks->size - a->used < need) {
		size_t usual = block_size(a);
		size_t room = need > usual ? need : usual;
		struct arena_block *b = mem_alloc(sizeof(*b) + room);

		b->size = room;
		b->next = a->blocks;
		a->blocks = b;
		a->used = 0;
		a->total += room;
	}
	p = a->blocks->data + a->used;
	a->used += need;
	return p;
}

void *arena_copy(struct arena *a, const void *src, size_t size)
{
	void *p = arena_alloc(a, size);

	if (size)
		memcpy(p, src, size);
	return p;
}

char *arena_strn(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);

	if (n)
		memcpy(p, s, n);
	return p;
}

char *arena_str(struct arena *a, const char *s)
{
	return s ? arena_strn(a, s, strlen(s)) : NULL;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	int n;
	char *p;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		mem_exhausted();
	p = arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	(void)vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}

void *arena_grow(struct arena *a, void *array, size_t n, size_t *cap, size_t item)
{
	void *bigger;

	if (n < *cap)
		return array;
	*cap = *cap ? *cap * 2 : item < FIRST_BYTES / 2 ? FIRST_BYTES / item : 2;
	if (*cap > SIZE_MAX / 2 / item)
		mem_exhausted();
	bigger = arena_alloc(a, *cap * item);
	if (n)
		memcpy(bigger, array, n * item);
	return bigger;
}
