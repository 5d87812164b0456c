/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* map.c - open-addressing hash table with byte-string keys */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct map_slot {
	uint64_t hash;		/* 0 = empty */
	size_t size;
	void *value;
	unsigned char *key;	/* the bytes themselves when they fit in inl */
	unsigned char inl[24];
};

static uint64_t key_hash(const void *key, size_t size)
{
	const unsigned char *p = key;
	uint64_t h = 0x9e3779b97f4a7c15ull ^ size;

	while (size >= 8) {
		uint64_t w;

		memcpy(&w, p, 8);
		h = (h ^ w) * 0xff51afd7ed558ccdull;
		h ^= h >> 32;
		p += 8;
		size -= 8;
	}
	while (size--)
		h = (h ^ *p++) * 0x100000001b3ull;
	h ^= h >> 29;
	h *= 0xc4ceb9fe1a85ec53ull;
	h ^= h >> 32;
	return h ? h : 1;
}

static const unsigned char *slot_key(const struct map_slot *s)
{
	return s->key ? s->key : s->inl;
}

static struct map_slot *slot_find(const struct map *m, uint64_t h, const void *key, size_t size)
{
	for (size_t i = h & (m->room - 1);; i = (i + 1) & (m->room - 1)) {
		struct map_slot *s = &m->slots[i];

		if (!s->hash)
			return s;
		if (s->hash == h && s->size == size && !memcmp(slot_key(s), key, size))
			return s;
	}
}

static void map_grow(struct map *m)
{
	struct map old = *m;

	m->room = old.room ? 2 * old.room : 64;
	m->slots = mem_alloc(m->room * sizeof(*m->slots));
	for (size_t i = 0; i < old.room; i++) {
		struct map_slot *s = &old.slots[i];

		if (s->hash)
			*slot_find(m, s->hash, slot_key(s), s->size) = *s;
	}
	free(old.slots);
}

void map_release(struct map *m)
{
	for (size_t i = 0; i < m->room; i++)
		free(m->slots[i].key);
	free(m->slots);
	*m = (struct map){ 0 };
}

void *map_get(const struct map *m, const void *key, size_t size)
{
	return m->room ? slot_find(m, key_hash(key, size), key, size)->value : NULL;
}

void **map_at(struct map *m, const void *key, size_t size)
{
	uint64_t h = key_hash(key, size);
	struct map_slot *s;

	if (4 * (m->n + 1) > 3 * m->room)
		map_grow(m);
	s = slot_find(m, h, key, size);
	if (!s->hash) {
		s->hash = h;
		s->size = size;
		if (size > sizeof(s->inl)) {
			s->key = mem_alloc(size);
			memcpy(s->key, key, size);
		} else if (size) {
			memcpy(s->inl, key, size);
		}
		m->n++;
	}
	return &s->value;
}

int map_next(const struct map *m, size_t *i, const void **key, size_t *size, void **value)
{
	for (; *i < m->room; ++*i) {
		const struct map_slot *s = &m->slots[*i];

		if (!s->hash)
			continue;
		if (key)
			*key = slot_key(s);
		if (size)
			*size = s->size;
		if (value)
			*value = s->value;
		++*i;
		return 1;
	}
	return 0;
}
