/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* map.c - open-addressing hash table with byte-string keys */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define INLINE 16u	/* an id */

/* 32 bytes: two to a cache line, and looking one up should cost one line. */
struct map_slot {
	uint32_t hash;		/* 0 = empty */
	uint32_t size;
	void *value;
	union {
		unsigned char here[INLINE];	/* the key, when it fits */
		unsigned char *there;
	} key;
};

/* Keys are never taken out, so they die together. */
struct map_block {
	struct map_block *next;
	size_t used, size;
	unsigned char bytes[];
};

#define ROOM_LEAST  64u
#define BLOCK_LEAST 1024u
#define BLOCK_MOST  (256u << 10)

static unsigned char *key_keep(struct map *m, const void *key, size_t size)
{
	struct map_block *b = m->keys;
	unsigned char *p;

	if (!b || b->size - b->used < size) {
		size_t room = b ? 2 * b->size : BLOCK_LEAST;

		room = room > BLOCK_MOST ? BLOCK_MOST : room;
		room = room < size ? size : room;
		b = mem_resize(NULL, sizeof(*b) + room);
		*b = (struct map_block){ .next = m->keys, .size = room };
		m->keys = b;
	}
	p = b->bytes + b->used;
	memcpy(p, key, size);
	b->used += size;
	return p;
}

static uint32_t key_hash(const void *key, size_t size)
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
	return (uint32_t)h ? (uint32_t)h : 1;
}

static const unsigned char *slot_key(const struct map_slot *s)
{
	return s->size > INLINE ? s->key.there : s->key.here;
}

static struct map_slot *slot_find(const struct map *m, uint32_t h, const void *key, size_t size)
{
	for (size_t i = h & (m->room - 1);; i = (i + 1) & (m->room - 1)) {
		struct map_slot *s = &m->slots[i];

		if (!s->hash)
			return s;
		if (s->hash == h && s->size == size && !memcmp(slot_key(s), key, size))
			return s;
	}
}

static void map_resize(struct map *m, size_t room)
{
	struct map old = *m;

	m->room = room;
	m->slots = mem_alloc(m->room * sizeof(*m->slots));
	for (size_t i = 0; i < old.room; i++) {
		struct map_slot *s = &old.slots[i];

		if (s->hash)
			*slot_find(m, s->hash, slot_key(s), s->size) = *s;
	}
	free(old.slots);
}

/* Full at three quarters. */
static int map_holds(size_t room, size_t n)
{
	return 4 * n <= 3 * room;
}

void map_reserve(struct map *m, size_t more)
{
	size_t room = m->room ? m->room : ROOM_LEAST;

	if (more > UINT32_MAX / 2 || m->n > UINT32_MAX / 2)
		mem_exhausted();
	while (!map_holds(room, m->n + more))
		room *= 2;
	if (room > m->room)
		map_resize(m, room);
}

void map_release(struct map *m)
{
	for (struct map_block *b = m->keys, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	free(m->slots);
	*m = (struct map){ 0 };
}

void *map_get(const struct map *m, const void *key, size_t size)
{
	return m->room ? slot_find(m, key_hash(key, size), key, size)->value : NULL;
}

void **map_at(struct map *m, const void *key, size_t size)
{
	uint32_t h = key_hash(key, size);
	struct map_slot *s;

	if (size > UINT32_MAX)
		mem_exhausted();
	if (!map_holds(m->room, m->n + 1))
		map_reserve(m, 1);
	s = slot_find(m, h, key, size);
	if (!s->hash) {
		s->hash = h;
		s->size = (uint32_t)size;
		if (size > INLINE)
			s->key.there = key_keep(m, key, size);
		else if (size)
			memcpy(s->key.here, key, size);
		m->n++;
	}
	return &s->value;
}

/* Who was placed behind the one that goes, for want of its own place, moves up. */
void map_remove(struct map *m, const void *key, size_t size)
{
	size_t mask = m->room - 1, hole, i;
	struct map_slot *s = m->room ? slot_find(m, key_hash(key, size), key, size) : NULL;

	if (!s || !s->hash)
		return;
	hole = (size_t)(s - m->slots);
	for (i = (hole + 1) & mask; m->slots[i].hash; i = (i + 1) & mask) {
		size_t home = m->slots[i].hash & mask;

		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		m->slots[hole] = m->slots[i];
		hole = i;
	}
	m->slots[hole] = (struct map_slot){ 0 };
	m->n--;
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
