/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* draft.c - a graph in the making */
#include "query/draft.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/key.h"
#include "query/label.h"

void draft_release(struct draft *d)
{
	free(d->edges);
	map_release(&d->runs);
	map_release(&d->agents);
}

int draft_run(struct draft *d, const struct id *id)
{
	struct graph *g = d->graph;
	void **slot = map_at(&d->runs, id, sizeof(*id));
	struct run run;
	int r;

	if (*slot)
		return (int)((uintptr_t)*slot - 1);
	if (id_is_zero(id))
		return -ENOENT;
	r = store_run(d->known->store, id, &g->arena, &run);
	if (r < 0)
		return r;
	g->runs = arena_grow(&g->arena, g->runs, g->n_runs, &g->run_room, sizeof(*g->runs));
	g->runs[g->n_runs++] = run;
	*slot = (void *)(uintptr_t)g->n_runs;
	return (int)g->n_runs - 1;
}

static int64_t shift_of(struct draft *d, struct known_exec *x)
{
	if (!x || !x->found)
		return d->shift;
	if (!x->has_shift) {
		int run = draft_run(d, &x->x.run);

		x->shift = run >= 0 ? d->graph->runs[run].shift : d->shift;
		x->has_shift = true;
	}
	return x->shift;
}

int64_t draft_real(struct draft *d, struct known_exec *x, int64_t t)
{
	return t <= 0 || t >= INTERVAL_FOREVER ? 0 : t + shift_of(d, x);
}

uint32_t draft_activity(struct draft *d, struct known_exec *x)
{
	if (x->node == NO_NODE)
		x->node = graph_node(d->graph,
				     &(struct node){
					     .kind = NODE_ACTIVITY,
					     .flags = x->x.blind || !x->found ? NODE_BLIND : 0,
					     .id = x->x.id,
					     .label = label_execution(&d->graph->arena, &x->x),
					     .run = x->x.run,
					     .exe = x->x.exe ? x->x.exe : "",
					     .cwd = x->x.cwd ? x->x.cwd : "",
					     .argv = x->x.argv,
					     .how = x->x.how,
					     .pid = x->x.pid,
					     .start = draft_real(d, x, x->x.start),
					     .end = draft_real(d, x, x->x.end),
					     .status = x->found ? x->x.status : -1,
					     .signal = x->x.signal,
					     .size = -1,
				     });
	return x->node;
}

static void edge_add(struct graph *g, const struct edge *e)
{
	g->edges = arena_grow(&g->arena, g->edges, g->n_edges, &g->edge_room, sizeof(*g->edges));
	g->edges[g->n_edges++] = *e;
}

static uint32_t *edge_slot(const struct draft *d, uint32_t from, uint32_t to, enum edge_kind kind)
{
	uint64_t h = ((uint64_t)from << 32 | to) * 8 + kind;

	h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9ull;
	h = (h ^ h >> 32) * 0x94d049bb133111ebull;
	for (size_t i = h >> 32;; i++) {
		uint32_t *slot = &d->edges[i & (d->edge_slots - 1)];
		const struct edge *e;

		if (!*slot)
			return slot;
		e = &d->graph->edges[*slot - 1];
		if (e->from == from && e->to == to && e->kind == kind)
			return slot;
	}
}

/* Slots for that many, half of them empty. */
static void edges_make(struct draft *d, size_t n)
{
	const struct graph *g = d->graph;

	free(d->edges);
	d->edge_slots = 256;
	while (d->edge_slots < 2 * n)
		d->edge_slots *= 2;
	d->edges = mem_alloc(d->edge_slots * sizeof(*d->edges));
	for (uint32_t i = 0; i < g->n_edges; i++)
		*edge_slot(d, g->edges[i].from, g->edges[i].to, g->edges[i].kind) = i + 1;
}

void draft_reserve(struct draft *d, size_t nodes, size_t edges)
{
	struct graph *g = d->graph;

	if (!g->n_nodes && !g->n_edges) {
		g->nodes = arena_alloc(&g->arena, nodes * sizeof(*g->nodes));
		g->node_room = nodes;
		g->edges = arena_alloc(&g->arena, edges * sizeof(*g->edges));
		g->edge_room = edges;
		edges_make(d, edges / 2);
	}
}

void draft_edge(struct draft *d, uint32_t from, uint32_t to, enum edge_kind kind, bool certain,
		int64_t time)
{
	struct graph *g = d->graph;
	uint32_t *slot;

	if (2 * g->n_edges >= d->edge_slots)
		edges_make(d, d->edge_slots);
	slot = edge_slot(d, from, to, kind);
	if (*slot) {
		struct edge *old = &g->edges[*slot - 1];

		old->certain |= certain;
		if (time && (!old->time || time < old->time))
			old->time = time;
		return;
	}
	edge_add(g, &(struct edge){ from, to, kind, certain, time });
	*slot = (uint32_t)g->n_edges;
}

static int draft_starters(struct draft *d, const struct execs *activities)
{
	struct execs level = { 0 };

	for (size_t i = 0; i < activities->n; i++)
		execs_add(&d->graph->arena, &level, activities->at[i]);
	while (level.n) {
		struct execs parents = { 0 }, fresh = { 0 };
		int r;

		for (size_t i = 0; i < level.n; i++)
			if (!id_is_zero(&level.at[i]->x.parent))
				execs_add(&d->graph->arena, &parents,
					  known_exec(d->known, &level.at[i]->x.parent));
		r = known_load_execs(d->known, &parents);
		if (r < 0)
			return r;
		for (size_t i = 0; i < level.n; i++) {
			struct known_exec *x = level.at[i], *p;

			if (id_is_zero(&x->x.parent))
				continue;
			p = known_exec(d->known, &x->x.parent);
			if (!p->found && p->node == NO_NODE)
				continue;
			if (p->node == NO_NODE)
				execs_add(&d->graph->arena, &fresh, p);
			draft_edge(d, x->node, draft_activity(d, p), EDGE_INFORMED, true,
				   draft_real(d, x, x->x.start));
		}
		level = fresh;
	}
	return 0;
}

static uint32_t draft_agent(struct draft *d, const struct run *run)
{
	struct id id = user_id_of(run->user, run->host);
	void **slot = map_at(&d->agents, &id, sizeof(id));

	if (!*slot)
		*slot = (void *)(uintptr_t)(1 +
					    graph_node(d->graph,
						       &(struct node){
							       .kind = NODE_AGENT,
							       .id = id,
							       .label = arena_printf(
								       &d->graph->arena, "%s@%s",
								       run->user, run->host),
							       .user = run->user,
							       .host = run->host,
							       .size = -1,
							       .status = -1,
						       }));
	return (uint32_t)((uintptr_t)*slot - 1);
}

static int draft_agents(struct draft *d)
{
	size_t n = d->graph->n_nodes;

	for (uint32_t i = 0; i < n; i++) {
		int run;

		if (d->graph->nodes[i].kind != NODE_ACTIVITY)
			continue;
		run = draft_run(d, &d->graph->nodes[i].run);
		if (run == -ENOENT)
			continue;
		if (run < 0)
			return run;
		/* each activity once, so there can be no other like it */
		edge_add(d->graph, &(struct edge){ i, draft_agent(d, &d->graph->runs[run]),
						   EDGE_ASSOCIATED, true, /* time= */ 0 });
	}
	return 0;
}

static int draft_holes(struct draft *d)
{
	struct graph *g = d->graph;

	for (size_t i = 0; i < g->n_runs; i++) {
		struct hole *found;
		size_t n;
		int r = store_run_holes(d->known->store, &g->runs[i].id, &g->arena, &found, &n);

		if (r < 0)
			return r;
		for (size_t j = 0; j < n; j++) {
			g->holes = arena_grow(&g->arena, g->holes, g->n_holes, &g->hole_room,
					      sizeof(*g->holes));
			g->holes[g->n_holes++] = found[j];
		}
	}
	return 0;
}

int draft_finish(struct draft *d, const struct execs *activities)
{
	int r = draft_starters(d, activities);

	if (r < 0)
		return r;
	r = draft_agents(d);
	return r < 0 ? r : draft_holes(d);
}
