/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* map.c - counting what is mapped, which no call tells of later */
#include "tally.h"

#include <sys/mman.h>

static void span(uint64_t *first, uint64_t *last, uint64_t now)
{
	if (!__atomic_load_n(first, __ATOMIC_RELAXED))
		__atomic_store_n(first, now, __ATOMIC_RELAXED);
	__atomic_store_n(last, now, __ATOMIC_RELAXED);
}

static void map_remember(uintptr_t at, size_t size, struct prov_tally *t)
{
	/* the mapping holds on to the tally, also when the descriptor is closed */
	tally_hold(t);
	for (unsigned i = 0; i < MAPS_MAX; i++) {
		struct shared_map *m = &image.maps[i];
		struct prov_tally *none = NULL;

		/* until the range stands there, the place is taken for nobody */
		if (__atomic_load_n(&m->tally, __ATOMIC_RELAXED) ||
		    !__atomic_compare_exchange_n(&m->tally, &none, &tally_mute, 0,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		__atomic_store_n(&m->from, at, __ATOMIC_RELAXED);
		__atomic_store_n(&m->to, at + size, __ATOMIC_RELAXED);
		__atomic_store_n(&m->tally, t, __ATOMIC_RELEASE);
		return;
	}
	tally_release(t);
	/* no place to remember that it may become writable: assume it did */
	(void)__atomic_fetch_or(&t->flags, PROV_TALLY_MAP_WRITE, __ATOMIC_RELAXED);
}

void tally_map(int fd, int prot, int flags, uintptr_t at, size_t size)
{
	struct prov_tally *t = tally_of(fd);
	uint64_t now;

	if (t == &tally_mute)
		return;
	now = now_exact();
	(void)__atomic_fetch_or(&t->flags, PROV_TALLY_MAP_READ, __ATOMIC_RELAXED);
	span(&t->first_read, &t->last_read, now);
	if ((flags & MAP_TYPE) == MAP_PRIVATE)
		return;
	if (prot & PROT_WRITE) {
		(void)__atomic_fetch_or(&t->flags, PROV_TALLY_MAP_WRITE, __ATOMIC_RELAXED);
		span(&t->first_write, &t->last_write, now);
	} else if (__atomic_load_n(&t->flags, __ATOMIC_RELAXED) &
		   (PROV_TALLY_WRITABLE | PROV_TALLY_INHERITED)) {
		map_remember(at, size, t);
	}
}

void tally_protect(uintptr_t at, size_t size)
{
	for (unsigned i = 0; i < MAPS_MAX; i++) {
		struct shared_map *m = &image.maps[i];
		struct prov_tally *t = __atomic_load_n(&m->tally, __ATOMIC_ACQUIRE);

		if (!t || t == &tally_mute || at >= __atomic_load_n(&m->to, __ATOMIC_RELAXED) ||
		    at + size <= __atomic_load_n(&m->from, __ATOMIC_RELAXED) ||
		    !__atomic_compare_exchange_n(&m->tally, &t, NULL, 0, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		(void)__atomic_fetch_or(&t->flags, PROV_TALLY_MAP_WRITE, __ATOMIC_RELAXED);
		span(&t->first_write, &t->last_write, now_exact());
		tally_release(t);
	}
}

/* What is remembered of a mapping goes where it went. */
void tally_remap(uintptr_t at, size_t size, uintptr_t to, size_t new_size)
{
	for (unsigned i = 0; i < MAPS_MAX; i++) {
		struct shared_map *m = &image.maps[i];
		struct prov_tally *t = __atomic_load_n(&m->tally, __ATOMIC_ACQUIRE);
		uintptr_t m_from = __atomic_load_n(&m->from, __ATOMIC_RELAXED);
		uintptr_t m_to = __atomic_load_n(&m->to, __ATOMIC_RELAXED);

		if (!t || t == &tally_mute || at >= m_to || at + size <= m_from)
			continue;
		/* a part of it: there is no place for two, so both count as written */
		if (m_from < at || m_to > at + size + 4096) {
			tally_protect(at, size);
			continue;
		}
		__atomic_store_n(&m->from, to, __ATOMIC_RELAXED);
		__atomic_store_n(&m->to, to + new_size, __ATOMIC_RELAXED);
	}
}
