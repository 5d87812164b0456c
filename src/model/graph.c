/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* graph.c - a provenance graph as a value */
#include "model/graph.h"

#include <stdio.h>
#include <string.h>

void graph_release(struct graph *g)
{
	struct arena a = g->arena;

	arena_release(&a);
	*g = (struct graph){ 0 };
}

uint32_t graph_node(struct graph *g, const struct node *n)
{
	g->nodes = arena_grow(&g->arena, g->nodes, g->n_nodes, &g->node_room, sizeof(*n));
	g->nodes[g->n_nodes] = *n;
	return (uint32_t)g->n_nodes++;
}

void graph_edge(struct graph *g, const struct edge *e)
{
	/* equal edges come from neighbouring steps, so looking back a little
	 * finds nearly all of them without an index */
	size_t back = g->n_edges > 64 ? g->n_edges - 64 : 0;

	for (size_t i = g->n_edges; i > back; i--) {
		struct edge *old = &g->edges[i - 1];

		if (old->from == e->from && old->to == e->to && old->kind == e->kind) {
			old->certain |= e->certain;
			return;
		}
	}
	g->edges = arena_grow(&g->arena, g->edges, g->n_edges, &g->edge_room, sizeof(*e));
	g->edges[g->n_edges++] = *e;
}

const struct run *graph_run(const struct graph *g, const struct id *run)
{
	for (size_t i = 0; i < g->n_runs; i++)
		if (id_equal(&g->runs[i].id, run))
			return &g->runs[i];
	return NULL;
}

const char *edge_kind_name(enum edge_kind kind)
{
	static const char *const names[] = {
		[EDGE_USED] = "used",
		[EDGE_GENERATED] = "wasGeneratedBy",
		[EDGE_DERIVED] = "wasDerivedFrom",
		[EDGE_INFORMED] = "wasInformedBy",
		[EDGE_ASSOCIATED] = "wasAssociatedWith",
		[EDGE_ATTRIBUTED] = "wasAttributedTo",
		[EDGE_INVALIDATED] = "wasInvalidatedBy",
	};

	return names[kind];
}

char *node_text(const struct node *n, char out[NODE_TEXT_SIZE])
{
	char id[ID_TEXT_SIZE];

	switch (n->kind) {
	case NODE_ENTITY:
		id_text(ID_OBJECT, &n->id, id);
		snprintf(out, NODE_TEXT_SIZE, "%s@%u", id, n->version);
		break;
	case NODE_ACTIVITY:
		id_text(ID_EXECUTION, &n->id, out);
		break;
	case NODE_AGENT:
		id_text(ID_USER, &n->id, out);
		break;
	}
	return out;
}
