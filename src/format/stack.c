/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* stack.c - files that can be drawn as one */
#include "format/stack.h"

#include <stdlib.h>
#include <string.h>

struct card {
	uint64_t key; /* of its neighbours; equal for files of one stack */
	uint32_t node;
	const struct node *n;
};

/* Spreads bits (the finaliser of a 64-bit linear congruence), so that sums of
 * several are as good as unique. */
static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x ^= x >> 29;
	x *= UINT64_C(0xd6e8feb86659fd93);
	return x ^ x >> 32;
}

static int card_order(const void *a, const void *b)
{
	const struct card *x = a, *y = b;
	int r;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	r = strcmp(x->n->path ? x->n->path : "", y->n->path ? y->n->path : "");
	return r ? r : id_compare(&x->n->id, &y->n->id);
}

struct stacks stacks_find(struct view *v)
{
	const struct graph *g = v->g;
	uint64_t *key = arena_alloc(&v->arena, (g->n_nodes + 1) * sizeof(*key));
	struct card *cards = arena_alloc(&v->arena, (g->n_nodes + 1) * sizeof(*cards));
	struct stacks s = {
		.front = arena_alloc(&v->arena, (g->n_nodes + 1) * sizeof(*s.front)),
		.n = arena_alloc(&v->arena, (g->n_nodes + 1) * sizeof(*s.n)),
		.next = arena_alloc(&v->arena, (g->n_nodes + 1) * sizeof(*s.next)),
	};
	size_t n = 0;

	for (size_t i = 0; i < g->n_edges; i++) {
		const struct edge *e = &g->edges[i];
		uint64_t other = (uint64_t)e->kind << 33 | (uint64_t)e->certain << 32;

		if (!v->shown[e->from] || !v->shown[e->to] || e->kind == EDGE_INFORMED)
			continue;
		key[e->from] += mix(other | (UINT64_C(1) << 40) | e->to);
		key[e->to] += mix(other | e->from);
	}
	for (uint32_t i = 0; i < g->n_nodes; i++) {
		s.front[i] = i;
		s.n[i] = 1;
		s.next[i] = VIEW_NONE;
		if (v->shown[i] && !v->all && g->nodes[i].kind == NODE_ENTITY &&
		    g->nodes[i].object == OBJECT_FILE && !(g->nodes[i].flags & NODE_ROOT))
			cards[n++] = (struct card){ key[i], i, &g->nodes[i] };
	}
	if (n)
		qsort(cards, n, sizeof(*cards), card_order);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && cards[end].key == cards[i].key; end++)
			;
		if (end - i < STACK_MIN)
			continue;
		s.n[cards[i].node] = (uint32_t)(end - i);
		for (size_t k = i; k < end; k++) {
			s.front[cards[k].node] = cards[i].node;
			s.next[cards[k].node] = k + 1 < end ? cards[k + 1].node : VIEW_NONE;
		}
	}
	return s;
}
