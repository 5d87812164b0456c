/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* known.c - the objects that were opened lately */
#include "known.h"

/* The right to look at or change one place; 0 when another thread has it, or
 * this one in what a signal handler has interrupted. */
static int known_take(struct known *k)
{
	uint32_t no = 0;

	return __atomic_compare_exchange_n(&k->busy, &no, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void known_give(struct known *k)
{
	__atomic_store_n(&k->busy, 0, __ATOMIC_RELEASE);
}

/* Does its tally lie in that chunk? */
static int known_in(const struct known *k, const struct prov_chunk *c)
{
	return k->tally && (uintptr_t)k->tally - (uintptr_t)c < PROV_CHUNK_SIZE;
}

static struct known *known_slot(const struct prov_object *o)
{
	uint64_t h = (o->ino * UINT64_C(0x9e3779b97f4a7c15)) ^ (uint64_t)o->btime;

	return &image.known[(h ^ h >> 32) & (KNOWN_SIZE - 1)];
}

static int known_is(const struct known *k, const struct prov_object *o, uint64_t name)
{
	return known_in(k, __atomic_load_n(&image.chunk, __ATOMIC_ACQUIRE)) && k->ino == o->ino &&
	       k->btime == o->btime && k->name == name &&
	       k->dev == ((uint64_t)o->dev_major << 32 | o->dev_minor);
}

/* Only in the chunk being filled: others may be settled already, and this one
 * cannot be while it has a tally that is held. */
struct prov_tally *known_again(const struct prov_object *o, uint64_t name)
{
	struct known *k = known_slot(o);
	struct prov_tally *t = NULL;

	if (!known_take(k))
		return NULL;
	if (known_is(k, o, name)) {
		t = k->tally;
		tally_hold(t);
		if (!known_in(k, __atomic_load_n(&image.chunk, __ATOMIC_ACQUIRE))) {
			tally_release(t);
			t = NULL;
		}
	}
	known_give(k);
	return t;
}

void known_keep(const struct prov_object *o, uint64_t name, struct prov_tally *t)
{
	struct known *k = known_slot(o);

	if (!known_take(k))
		return;
	k->ino = o->ino;
	k->dev = (uint64_t)o->dev_major << 32 | o->dev_minor;
	k->name = name;
	k->btime = o->btime;
	k->tally = t;
	known_give(k);
}

int known_forget(const struct prov_chunk *c)
{
	for (uint32_t i = 0; i < KNOWN_SIZE; i++) {
		struct known *k = &image.known[i];

		if (!known_take(k))
			return -1;
		if (known_in(k, c))
			k->tally = NULL;
		known_give(k);
	}
	return 0;
}
