/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_QUERY_REACH_H
#define PROV_QUERY_REACH_H
#include "query/known.h"
#include "query/query.h"
/*
 * Which executions an object depends on (backward) or that depend on it
 * (forward), and how far in time each matters.
 *
 * Backward, an execution's reads matter that began at or before .in, by the
 * order of its own times, and what they saw by .up, by the clock of all.
 * Forward, its writes matter whose last was at or after .in and that ended at
 * or after .up. Both only ever widen while the walk goes on.
 */
struct reach_walk {
	struct known *known;
	struct arena *tmp;
	bool forward;
	unsigned depth; /* 0 = no limit */
	int64_t until;  /* nothing later exists */
	/* filled in */
	struct execs reached; /* nearest first */
	struct objects visited;
	bool truncated; /* depth ended the walk */
	/* private */
	unsigned round;
	struct execs next;
	struct objects round_objects;
};

int reach(struct reach_walk *w, struct known_object *root);

#endif
