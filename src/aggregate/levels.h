/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_AGGREGATE_LEVELS_H
#define PROV_AGGREGATE_LEVELS_H
#include "base/arena.h"
#include "base/buf.h"
#include "model/model.h"
#include "prov/event.h"
#include "prov/segment.h"
/*
 * Which granularity was in force when. A file that was open while reads and
 * writes were not watched may have been used in any way that it was open for:
 * LPS (section III.B) pairs the first access with the close, or the open with
 * the last access, whichever was seen.
 */
struct level {
	int64_t since;
	int32_t granularity;	/* enum prov_granularity */
};

struct levels {
	struct level *list;	/* oldest first; before it: PROV_FIRST_LAST */
	size_t n, room;
};

/* Not newer than what is in force already: ignored. Memory is the arena's. */
void levels_add(struct levels *l, struct arena *a, int64_t since, int32_t granularity);

/* Was a granularity as coarse as this, or coarser, in force at any time in
 * [from, to]? to = 0 is for ever. */
bool levels_reach(const struct levels *l, int32_t granularity, int64_t from, int64_t to);

/* Adds to x, which holds what t counted, what it may not have counted. */
void levels_infer(const struct levels *l, const struct prov_tally *t, bool directory,
		  struct access *x);

/* "first-last, open-close after 1.204 s"; start is the run's. */
void levels_tell(const struct levels *l, int64_t start, struct buf *out);
#endif
