/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_BUILD_INTERVAL_H
#define PROV_BUILD_INTERVAL_H
#include "model/model.h"
/*
 * When an execution may have touched an object, at one of the granularities
 * that LPS can pair: from an open or a first access to a last access or a
 * close. All pairs a recorder can deliver become one shape, so that
 * granularities mix freely.
 */
enum access_event { EVENT_OPEN, EVENT_FIRST, EVENT_LAST, EVENT_CLOSE };

/* 1 to 3, finer is larger; 0 for a pair that says nothing about accesses. */
int interval_rank(enum access_event start, enum access_event end);

enum granularity {
	GRANULARITY_OPEN_CLOSE,
	GRANULARITY_OPEN_LAST,
	GRANULARITY_FIRST_CLOSE,
	GRANULARITY_FIRST_LAST,
};

#define INTERVAL_FOREVER (INT64_MAX / 4) /* later than all times, and safe to add to */

struct interval {
	int64_t start; /* nothing happened before */
	int64_t last;  /* of the last access, in the order of its own execution's times */
	int64_t end;   /* nothing happened after, by the clock of all */
};

/*
 * The finest interval that the access knows, but no finer than g. exec_end is
 * when the execution ended, 0 unknown; it matters only where
 * interval_needs_end(). False when there was no such access.
 *
 * A mapping outlives the descriptor it was made from, so a mapped object may
 * be touched until its execution ends.
 */
bool interval_of_reads(const struct access *a, enum granularity g, int64_t exec_end,
		       struct interval *out);
bool interval_of_writes(const struct access *a, enum granularity g, int64_t exec_end,
			struct interval *out);
bool interval_needs_end(const struct access *a);

#endif
