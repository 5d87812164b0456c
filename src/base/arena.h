/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_BASE_ARENA_H
#define PROV_BASE_ARENA_H
#include <stddef.h>
/*
 * Memory for values that die together. Everything handed out lives until
 * arena_release(); single pieces are never freed. Out of memory ends the
 * process (prov's own, never a traced one).
 */
struct arena_block;

struct arena {
	struct arena_block *blocks;
	size_t used;	/* bytes handed out of the newest block */
	size_t total;	/* bytes held, for reports */
};

/* A zeroed struct arena is a valid empty one. */
void arena_release(struct arena *a);
void *arena_alloc(struct arena *a, size_t size);  /* zeroed, 16-byte aligned */
void *arena_copy(struct arena *a, const void *src, size_t size);
char *arena_str(struct arena *a, const char *s);  /* NULL stays NULL */
char *arena_strn(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Grows array (old of n items, room for *cap) to hold one more; returns the
 * array, moved or not. Old storage stays in the arena until release. */
void *arena_grow(struct arena *a, void *array, size_t n, size_t *cap, size_t item);

#endif
