/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_BASE_MAP_H
#define PROV_BASE_MAP_H
#include <stddef.h>
#include <stdint.h>
/*
 * From byte-string keys to pointers. A zeroed struct map is a valid empty one.
 * Keys are copied; values belong to the caller. Order of map_next() is not
 * defined.
 */
struct map_slot;
struct map_block;

struct map {
	struct map_slot *slots;
	size_t n, room;
	struct map_block *keys;		/* bytes of those too long for a slot */
};

void map_release(struct map *m);
void *map_get(const struct map *m, const void *key, size_t size);	/* NULL = absent */
/* Where the value of key lives; a new key starts with NULL. Valid until the
 * next map_at(). */
void **map_at(struct map *m, const void *key, size_t size);
/* Values of other keys stay; the bytes of a key longer than an id are kept until the
 * map is released. */
void map_remove(struct map *m, const void *key, size_t size);
/* Makes room for that many more at once, instead of step by step. */
void map_reserve(struct map *m, size_t more);
/* Steps through all pairs: start with *i = 0; returns 0 at the end. key and
 * size may be NULL. */
int map_next(const struct map *m, size_t *i, const void **key, size_t *size, void **value);
#endif
