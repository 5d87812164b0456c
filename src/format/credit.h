/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_FORMAT_CREDIT_H
#define PROV_FORMAT_CREDIT_H
#include "model/graph.h"
/*
 * A graph in which nobody acts but representatives: what others did they did.
 * And a pipe is one thing, whatever versions it had: what is in it is read in
 * other pieces than it was written, and all of it has come from its writers.
 * All results live in the arena, and point into g.
 */

/* The same nodes, each edge once, between those that stand for others. */
const struct graph *credit_graph(struct arena *a, const struct graph *g);

/* Per node: the one activity that made it, CREDIT_NONE or CREDIT_MANY. */
#define CREDIT_NONE UINT32_MAX
#define CREDIT_MANY (UINT32_MAX - 1)
uint32_t *credit_makers(struct arena *a, const struct graph *g);

/* Per node: did one activity read what another made, and is it there to stay?
 * Between helpers of the same representative that is more than a temporary file. */
bool *credit_passed(struct arena *a, const struct graph *g);

#endif
