/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_QUERY_DRAFT_H
#define PROV_QUERY_DRAFT_H
#include "model/graph.h"
#include "query/known.h"
/*
 * A graph in the making: what executions are called and when they ran by the
 * wall clock, each edge once.
 */
struct draft {
	struct graph *graph;
	struct known *known;
	uint32_t *edges; /* hash table of index + 1 in graph->edges, 0 empty */
	size_t edge_slots;
	struct map runs;   /* id to index + 1 in graph->runs */
	struct map agents; /* id to node + 1 */
	int64_t shift;     /* real - order where no run says better */
};

void draft_release(struct draft *d);
/* Room for that many, so that large graphs are not moved while they grow. */
void draft_reserve(struct draft *d, size_t nodes, size_t edges);

/* The run's index in graph->runs, fetched when it is new; -ENOENT when the
 * store does not have it. */
int draft_run(struct draft *d, const struct id *run);
/* t of an execution as real time; 0 stays 0, what never ends becomes 0. */
int64_t draft_real(struct draft *d, struct known_exec *x, int64_t t);
/* The node of an execution, made when it is new. */
uint32_t draft_activity(struct draft *d, struct known_exec *x);
void draft_edge(struct draft *d, uint32_t from, uint32_t to, enum edge_kind kind, bool certain,
		int64_t time);

/* Adds who started whom, up to the first execution of each run, then the
 * people, then what is missing in the runs. */
int draft_finish(struct draft *d, const struct execs *activities);

#endif
