/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sqlite_cache.c - keys, ids and texts that were looked up before */
#include "store/sqlite.h"

/* Bytes after which it begins anew, and of an entry in a map, about. */
#define CACHE_MOST (128u << 20)
#define ENTRY	   64u

/*
 * Keys are dense, so neighbours share a leaf: one look into a small map, and
 * often none.
 */
#define LEAF_BITS 9

struct leaf {
	void *at[1 << LEAF_BITS];
};

static struct leaf **leaf_slot(struct sqlite_keys *k, int64_t key, bool make)
{
	uint64_t number = (uint64_t)key >> LEAF_BITS;

	if (k->newest && k->number == number)
		return &k->newest;
	if (!make && !map_get(&k->leaves, &number, sizeof(number)))
		return NULL;
	k->number = number;
	k->newest = *map_at(&k->leaves, &number, sizeof(number));
	return &k->newest;
}

static void *key_get(struct sqlite_keys *k, int64_t key)
{
	struct leaf **leaf = leaf_slot(k, key, false);

	return leaf ? (*leaf)->at[key & ((1 << LEAF_BITS) - 1)] : NULL;
}

static void key_set(struct sqlite_cache *c, struct sqlite_keys *k, int64_t key, void *value)
{
	struct leaf **leaf = leaf_slot(k, key, true);

	if (!*leaf) {
		*leaf = arena_alloc(&c->a, sizeof(**leaf));
		*map_at(&k->leaves, &k->number, sizeof(k->number)) = *leaf;
	}
	(*leaf)->at[key & ((1 << LEAF_BITS) - 1)] = value;
}

void sqlite_cache_release(struct sqlite_cache *c)
{
	for (int i = 0; i < KIND_LAST; i++) {
		map_release(&c->ids[i]);
		map_release(&c->keys[i].leaves);
	}
	for (int i = 0; i < TEXT_LAST; i++) {
		map_release(&c->contents[i]);
		map_release(&c->texts[i].leaves);
	}
	arena_release(&c->a);
	*c = (struct sqlite_cache){ .question = c->question };
}

void sqlite_cache_trim(struct sqlite_cache *c)
{
	size_t size = c->a.total;

	for (int i = 0; i < KIND_LAST; i++)
		size += ENTRY * c->ids[i].n;
	for (int i = 0; i < TEXT_LAST; i++)
		size += 2 * ENTRY * c->contents[i].n;
	if (size > CACHE_MOST)
		sqlite_cache_release(c);
}

struct sqlite_known *sqlite_cache_id(const struct sqlite_cache *c, enum sqlite_kind kind,
				     const struct id *id)
{
	return map_get(&c->ids[kind], id->b, sizeof(id->b));
}

struct sqlite_known *sqlite_cache_key(struct sqlite_cache *c, enum sqlite_kind kind, int64_t key)
{
	return key_get(&c->keys[kind], key);
}

struct sqlite_known *sqlite_cache_add(struct sqlite_cache *c, enum sqlite_kind kind,
				      const struct id *id, int64_t key, int64_t base)
{
	void **slot = map_at(&c->ids[kind], id->b, sizeof(id->b));
	struct sqlite_known *k = *slot;

	if (k)
		return k;
	*slot = k = arena_alloc(&c->a, sizeof(*k));
	*k = (struct sqlite_known){ .id = *id, .key = key, .base = base };
	key_set(c, &c->keys[kind], key, k);
	return k;
}

struct sqlite_text *sqlite_cache_text(struct sqlite_cache *c, enum sqlite_text_kind kind,
				      int64_t key)
{
	return key_get(&c->texts[kind], key);
}

struct sqlite_text *sqlite_cache_text_add(struct sqlite_cache *c, enum sqlite_text_kind kind,
					  int64_t key, const void *p, size_t size)
{
	struct sqlite_text *t = arena_alloc(&c->a, sizeof(*t));

	/* with a NUL behind it, whatever a damaged file holds */
	*t = (struct sqlite_text){ .text = { arena_strn(&c->a, p, size), size } };
	key_set(c, &c->texts[kind], key, t);
	return t;
}
