/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* credit.c - what helpers did, as done by their representatives */
#include "format/credit.h"

#include <string.h>

#include "base/map.h"

/* What was asked about stands for the other versions, else the last one. */
static bool later_pipe(const struct node *n, const struct node *than)
{
	if ((n->flags ^ than->flags) & NODE_ROOT)
		return n->flags & NODE_ROOT;
	return n->version > than->version;
}

/* Per node: which one stands for it, itself or another. */
static uint32_t *find_stands(struct arena *a, const struct graph *g)
{
	uint32_t *stands = arena_alloc(a, (g->n_nodes + 1) * sizeof(*stands));
	struct map pipes = { 0 };

	for (uint32_t i = 0; i < g->n_nodes; i++) {
		struct node *n = &g->nodes[i];
		void **at;

		stands[i] = n->credited ? n->credited - 1 : i;
		if (n->kind != NODE_ENTITY || n->object != OBJECT_PIPE)
			continue;
		at = map_at(&pipes, &n->id, sizeof(n->id));
		if (!*at || later_pipe(n, *at))
			*at = n;
	}
	for (uint32_t i = 0; i < g->n_nodes && pipes.n; i++)
		if (g->nodes[i].kind == NODE_ENTITY && g->nodes[i].object == OBJECT_PIPE)
			stands[i] = (uint32_t)((struct node *)map_get(&pipes, &g->nodes[i].id,
								      sizeof(struct id)) -
					       g->nodes);
	map_release(&pipes);
	return stands;
}

/* Those who stand for others too; NULL if all stand for themselves. */
static bool *find_crowds(struct arena *a, const uint32_t *stands, size_t n)
{
	bool *crowd = NULL;

	for (uint32_t i = 0; i < n; i++) {
		if (stands[i] == i)
			continue;
		if (!crowd)
			crowd = arena_alloc(a, n);
		crowd[stands[i]] = true;
	}
	return crowd;
}

/* Helpers that talk to helpers stand in a row of a few */
#define ROUNDS_MAX 16

/* Per entity: does somebody surely get it who is not in doubt himself? What nobody
 * in the graph reads counts too, it is what was asked for or there to stay. */
static bool *find_heard(struct arena *a, const struct graph *g, const bool *doubtful)
{
	bool *heard = arena_alloc(a, g->n_nodes + 1), *read = arena_alloc(a, g->n_nodes + 1);

	for (size_t i = 0; i < g->n_edges; i++) {
		const struct edge *e = &g->edges[i];

		if (e->kind != EDGE_USED)
			continue;
		read[e->to] = true;
		heard[e->to] |= e->certain && !doubtful[e->from];
	}
	for (size_t i = 0; i < g->n_nodes; i++)
		heard[i] |= !read[i] || g->nodes[i].flags & NODE_ROOT;
	return heard;
}

/*
 * Helpers of which nothing that they made surely went on: that their representative
 * built on what they had read is only possible then, though they surely read it.
 */
static bool *find_doubtful(struct arena *a, const struct graph *g)
{
	bool *doubtful = arena_alloc(a, g->n_nodes + 1);

	for (unsigned round = 0; round < ROUNDS_MAX; round++) {
		bool *heard = find_heard(a, g, doubtful);
		bool *made = arena_alloc(a, g->n_nodes + 1), *sure = arena_alloc(a, g->n_nodes + 1);
		bool more = false;

		for (size_t i = 0; i < g->n_edges; i++) {
			const struct edge *e = &g->edges[i];

			if (e->kind != EDGE_GENERATED)
				continue;
			made[e->to] = true;
			sure[e->to] |= e->certain && heard[e->from];
		}
		for (size_t i = 0; i < g->n_nodes; i++) {
			bool now = g->nodes[i].credited && made[i] && !sure[i];

			more |= now && !doubtful[i];
			doubtful[i] |= now;
		}
		if (!more)
			break;
	}
	return doubtful;
}

struct ends {
	uint32_t from, to, kind;
};

const struct graph *credit_graph(struct arena *a, const struct graph *g)
{
	uint32_t *stands = find_stands(a, g);
	bool *crowd = find_crowds(a, stands, g->n_nodes);
	struct map seen = { 0 };
	struct graph *out;
	bool *doubtful;

	if (!crowd)
		return g;
	doubtful = find_doubtful(a, g);
	out = arena_copy(a, g, sizeof(*g));
	out->edges = arena_alloc(a, (g->n_edges + 1) * sizeof(*out->edges));
	out->n_edges = 0;
	for (size_t i = 0; i < g->n_edges; i++) {
		struct edge e = g->edges[i];
		void **at = NULL;

		e.certain &= e.kind != EDGE_USED || !doubtful[e.from];
		e.from = stands[e.from];
		e.to = stands[e.to];
		if (e.from == e.to && g->edges[i].from != g->edges[i].to)
			continue;
		/* the others have each edge once already */
		if (crowd[e.from] || crowd[e.to])
			at = map_at(&seen, &(struct ends){ e.from, e.to, e.kind },
				    sizeof(struct ends));
		if (at && *at) {
			((struct edge *)*at)->certain |= e.certain;
			continue;
		}
		out->edges[out->n_edges] = e;
		if (at)
			*at = &out->edges[out->n_edges];
		out->n_edges++;
	}
	map_release(&seen);
	return out;
}

uint32_t *credit_makers(struct arena *a, const struct graph *g)
{
	uint32_t *maker = arena_alloc(a, (g->n_nodes + 1) * sizeof(*maker));

	memset(maker, 0xff, g->n_nodes * sizeof(*maker)); /* CREDIT_NONE */
	for (size_t i = 0; i < g->n_edges; i++) {
		const struct edge *e = &g->edges[i];

		if (e->kind != EDGE_GENERATED)
			continue;
		if (maker[e->from] == CREDIT_NONE)
			maker[e->from] = e->to;
		else if (maker[e->from] != e->to)
			maker[e->from] = CREDIT_MANY;
	}
	return maker;
}

/* Where data passes, and does not stay; and nobody asks about it. */
static bool is_channel(const struct node *n)
{
	return !(n->flags & NODE_ROOT) &&
	       (n->object == OBJECT_PIPE || n->object == OBJECT_SOCKET ||
		(n->flags & NODE_DELETED) || (n->path && !strncmp(n->path, "/dev/shm/", 9)));
}

bool *credit_passed(struct arena *a, const struct graph *g)
{
	bool *passed = arena_alloc(a, g->n_nodes + 1);
	uint32_t *maker = credit_makers(a, g);

	for (size_t i = 0; i < g->n_edges; i++) {
		const struct edge *e = &g->edges[i];
		/* a fork has in memory what its parent had read */
		uint32_t by = e->kind == EDGE_USED      ? e->from
			      : e->kind == EDGE_DERIVED ? maker[e->from]
							: CREDIT_NONE;

		if (by != CREDIT_NONE && maker[e->to] != CREDIT_NONE &&
		    (maker[e->to] != by || by == CREDIT_MANY) && !is_channel(&g->nodes[e->to]))
			passed[e->to] = true;
	}
	return passed;
}
