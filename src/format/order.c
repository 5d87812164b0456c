/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* order.c - times that can be stated without contradiction */
#include "format/order.h"

#include <string.h>

#define NEVER INT64_MAX

/* Derivations by their newer entity, for the depth-first search. */
struct older {
	uint32_t *at, *edge;
};

struct sorter {
	struct order *o;
	const struct graph *g;
	struct older older;
	uint32_t *sorted; /* entities, older ones first */
	size_t n_sorted;
	int64_t *low, *high; /* per entity: bounds of its generation */
};

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void *table(struct sorter *s, size_t n, size_t item)
{
	return arena_alloc(&s->o->arena, (n + 1) * item);
}

static void index_derivations(struct sorter *s)
{
	const struct graph *g = s->g;
	uint32_t *at = table(s, g->n_nodes + 1, sizeof(*at));

	for (size_t i = 0; i < g->n_edges; i++)
		if (g->edges[i].kind == EDGE_DERIVED)
			at[g->edges[i].from + 1]++;
	for (size_t i = 0; i < g->n_nodes; i++)
		at[i + 1] += at[i];
	s->older.at = arena_copy(&s->o->arena, at, (g->n_nodes + 1) * sizeof(*at));
	s->older.edge = table(s, g->n_edges, sizeof(*s->older.edge));
	for (uint32_t i = 0; i < g->n_edges; i++)
		if (g->edges[i].kind == EDGE_DERIVED)
			s->older.edge[at[g->edges[i].from]++] = i;
}

/* Sorts entities so that derivations point back; a derivation that closes a
 * circle becomes vague. */
static void sort_entities(struct sorter *s)
{
	enum { NEW, OPEN, DONE };
	const struct graph *g = s->g;
	uint8_t *state = table(s, g->n_nodes, 1);
	uint32_t *stack = table(s, g->n_nodes, sizeof(*stack));
	uint32_t *next = arena_copy(&s->o->arena, s->older.at, (g->n_nodes + 1) * sizeof(*next));

	s->sorted = table(s, g->n_nodes, sizeof(*s->sorted));
	for (uint32_t first = 0; first < g->n_nodes; first++) {
		size_t depth = 0;

		if (state[first] == NEW && g->nodes[first].kind == NODE_ENTITY) {
			state[first] = OPEN;
			stack[depth++] = first;
		}
		while (depth) {
			uint32_t e = stack[depth - 1], edge, to;

			if (next[e] == s->older.at[e + 1]) {
				state[e] = DONE;
				s->sorted[s->n_sorted++] = e;
				depth--;
				continue;
			}
			edge = s->older.edge[next[e]++];
			to = g->edges[edge].to;
			if (state[to] == OPEN) {
				s->o->vague[edge] = true;
			} else if (state[to] == NEW) {
				state[to] = OPEN;
				stack[depth++] = to;
			}
		}
	}
}

/* The latest start that must lie before each generation. */
static void find_low(struct sorter *s)
{
	const struct graph *g = s->g;
	const struct order *o = s->o;

	for (size_t i = 0; i < g->n_edges; i++)
		if (g->edges[i].kind == EDGE_GENERATED)
			s->low[g->edges[i].from] =
				later(s->low[g->edges[i].from], o->start[g->edges[i].to]);
	for (size_t i = 0; i < s->n_sorted; i++) {
		uint32_t e = s->sorted[i];

		for (uint32_t k = s->older.at[e]; k < s->older.at[e + 1]; k++)
			if (!o->vague[s->older.edge[k]])
				s->low[e] = later(s->low[e], s->low[g->edges[s->older.edge[k]].to]);
	}
}

/* An end that lies before the start of what made its input cannot be right. */
static void drop_ends(struct sorter *s)
{
	const struct graph *g = s->g;

	for (size_t i = 0; i < g->n_edges; i++) {
		const struct edge *e = &g->edges[i];

		if (e->kind == EDGE_USED && s->low[e->to] > s->o->end[e->from])
			s->o->end[e->from] = 0;
		else if (e->kind == EDGE_GENERATED && s->low[e->from] > s->o->end[e->to])
			s->o->end[e->to] = 0;
	}
}

/* The earliest end that must lie after each generation. */
static void find_high(struct sorter *s)
{
	const struct graph *g = s->g;
	const struct order *o = s->o;

	for (size_t i = 0; i < g->n_nodes; i++)
		s->high[i] = NEVER;
	for (size_t i = 0; i < g->n_edges; i++) {
		const struct edge *e = &g->edges[i];

		if (e->kind == EDGE_USED && o->end[e->from])
			s->high[e->to] = earlier(s->high[e->to], o->end[e->from]);
		else if (e->kind == EDGE_GENERATED && o->end[e->to])
			s->high[e->from] = earlier(s->high[e->from], o->end[e->to]);
	}
	for (size_t i = s->n_sorted; i-- > 0;) {
		uint32_t e = s->sorted[i];

		for (uint32_t k = s->older.at[e]; k < s->older.at[e + 1]; k++) {
			uint32_t to = g->edges[s->older.edge[k]].to;

			if (!o->vague[s->older.edge[k]])
				s->high[to] = earlier(s->high[to], s->high[e]);
		}
	}
}

static void keep_generations(struct sorter *s)
{
	const struct graph *g = s->g;
	struct order *o = s->o;

	for (size_t i = 0; i < s->n_sorted; i++) {
		uint32_t e = s->sorted[i];
		int64_t t = g->nodes[e].generated, before = 0;

		for (uint32_t k = s->older.at[e]; k < s->older.at[e + 1]; k++)
			if (!o->vague[s->older.edge[k]])
				before = later(before, s->low[g->edges[s->older.edge[k]].to]);
		/* from here on low also carries the generations that are stated;
		 * a derivation is strictly later than what it derives from */
		s->low[e] = later(s->low[e], before);
		if (t && t >= s->low[e] && t > before && t <= s->high[e])
			o->generated[e] = s->low[e] = t;
	}
}

static void keep_usages(struct sorter *s)
{
	const struct graph *g = s->g;
	struct order *o = s->o;
	int64_t *used = table(s, g->n_nodes, sizeof(*used));

	for (size_t i = 0; i < g->n_edges; i++) {
		const struct edge *e = &g->edges[i];
		int64_t low;

		if (e->kind != EDGE_USED)
			continue;
		low = later(s->low[e->to], o->start[e->from]);
		if (e->time && e->time >= low && (!o->end[e->from] || e->time <= o->end[e->from]))
			o->time[i] = low = e->time;
		used[e->to] = later(used[e->to], low);
	}
	for (size_t i = 0; i < g->n_edges; i++) {
		const struct edge *e = &g->edges[i];
		int64_t t = g->nodes[e->from].invalidated, low;

		if (e->kind != EDGE_INVALIDATED)
			continue;
		low = later(later(used[e->from], s->low[e->from]), o->start[e->to]);
		if (o->end[e->to] && low > o->end[e->to])
			o->vague[i] = true;
		else if (t && t >= low && (!o->end[e->to] || t <= o->end[e->to]))
			o->time[i] = t;
	}
}

void order_init(struct order *o, const struct graph *g)
{
	struct sorter s = { .o = o, .g = g };

	*o = (struct order){ 0 };
	o->start = table(&s, g->n_nodes, sizeof(*o->start));
	o->end = table(&s, g->n_nodes, sizeof(*o->end));
	o->generated = table(&s, g->n_nodes, sizeof(*o->generated));
	o->vague = table(&s, g->n_edges, sizeof(*o->vague));
	o->time = table(&s, g->n_edges, sizeof(*o->time));
	s.low = table(&s, g->n_nodes, sizeof(*s.low));
	s.high = table(&s, g->n_nodes, sizeof(*s.high));
	for (size_t i = 0; i < g->n_nodes; i++) {
		const struct node *n = &g->nodes[i];

		o->start[i] = n->kind == NODE_ACTIVITY ? n->start : 0;
		o->end[i] = n->kind == NODE_ACTIVITY && n->end >= n->start ? n->end : 0;
	}
	index_derivations(&s);
	sort_entities(&s);
	find_low(&s);
	drop_ends(&s);
	find_high(&s);
	keep_generations(&s);
	keep_usages(&s);
	for (size_t i = 0; i < g->n_edges; i++) {
		const struct edge *e = &g->edges[i];

		if (e->kind == EDGE_INFORMED &&
		    (e->from == e->to || (o->end[e->from] && o->start[e->to] > o->end[e->from])))
			o->vague[i] = true;
	}
}

void order_release(struct order *o)
{
	struct arena a = o->arena;

	arena_release(&a);
	*o = (struct order){ 0 };
}
