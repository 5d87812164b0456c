/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_STORE_T_FACTS_H
#define PROV_STORE_T_FACTS_H
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "store/store.h"
/* For tests of stores: random facts about few things, so that many meet. */
struct facts facts_random(struct arena *a, uint64_t seed);
/* Puts each at least once, in random order, some again, in several puts. */
void facts_put_in_parts(struct store *s, const struct facts *all, uint64_t seed);
/* Every answer a store has about what is named in these facts, as text. Ends
 * the test when a question fails. */
void facts_dump(struct store *s, const struct facts *about, struct buf *out);

/* An open store, or the end of the test. */
struct store *opened(const char *where, enum store_mode mode);
/* Puts n accesses of one execution to as many files, numbered from first. */
int put_accesses(struct store *s, size_t first, size_t n);
size_t count_accesses(struct store *s);

/* In a child, where cmocka does not reach. */
#define CHILD_WANTS(what)                                                                          \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "%s: %s\n", #what, fail_text());                           \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

#endif
