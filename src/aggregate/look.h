/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_AGGREGATE_LOOK_H
#define PROV_AGGREGATE_LOOK_H
#include "aggregate/session.h"
/* A second look at a file of the run, when it is over. */
struct look {
	struct object_note *note;
	struct object now;	/* all but the id */
	int r;			/* 0, or why it could not be looked at */
};

/* Finds those of v that still are what they were, and notes how large they
 * are now; the others are left out. Returns how many stay. */
size_t looks_take(struct look *v, size_t n);
/* Hashes at most `most` bytes of them, smallest files first; 0: none. */
void looks_hash(struct look *v, size_t n, int64_t most);
#endif
