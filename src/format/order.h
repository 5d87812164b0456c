/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_FORMAT_ORDER_H
#define PROV_FORMAT_ORDER_H
#include "model/graph.h"
/*
 * Which times and relations of a graph can be stated together without
 * breaking the event ordering of W3C PROV-CONSTRAINTS: an activity's start
 * before its end, generation before usage, an older entity's generation before
 * that of what derives from it, ... Clocks of several hosts and overlapping
 * accesses may contradict each other; then the structure is kept and the time
 * that does not fit is left out.
 */
struct order {
	struct arena arena;
	int64_t *start, *end;	/* per node: of activities, 0 = leave out */
	int64_t *generated;	/* per node: of entities */
	bool *vague;		/* per edge: state it as wasInfluencedBy */
	int64_t *time;		/* per edge: of usages and invalidations, 0 = leave out */
};

void order_init(struct order *o, const struct graph *g);
void order_release(struct order *o);
#endif
