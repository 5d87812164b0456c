/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* pipeline.c - executions that are one step: a shell joined them by pipes */
#include "format/pipeline.h"

#include <stdlib.h>
#include <string.h>

/* More programs on one end of a pipe than a person typed between two "|" */
#define ENDS_MAX 6
/* Between a pipeline's program and its shell lie at most a few images */
#define ANCESTORS_MAX 64

struct ends {
	uint32_t writers[ENDS_MAX], readers[ENDS_MAX];
	unsigned n_writers, n_readers;
	bool crowded;
};

struct joiner {
	struct view *v;
	uint32_t *parent;   /* per node: who started it */
	uint32_t *set;      /* per node: union-find */
	struct ends **ends; /* per node that is a pipe */
	unsigned *stage;    /* per node */
};

static uint32_t set_of(struct joiner *j, uint32_t i)
{
	while (j->set[i] != i)
		i = j->set[i] = j->set[j->set[i]];
	return i;
}

static bool started_by(const struct joiner *j, uint32_t child, uint32_t ancestor)
{
	for (unsigned n = 0; n < ANCESTORS_MAX && child != VIEW_NONE; n++) {
		child = j->parent[child];
		if (child == ancestor)
			return true;
	}
	return false;
}

static void add_end(uint32_t *ends, unsigned *n, bool *crowded, uint32_t act)
{
	for (unsigned i = 0; i < *n; i++)
		if (ends[i] == act)
			return;
	if (*n < ENDS_MAX)
		ends[(*n)++] = act;
	else
		*crowded = true;
}

static void collect(struct joiner *j)
{
	const struct graph *g = j->v->g;

	for (size_t i = 0; i < g->n_edges; i++)
		if (g->edges[i].kind == EDGE_INFORMED)
			j->parent[g->edges[i].from] = g->edges[i].to;
	for (size_t i = 0; i < g->n_edges; i++) {
		const struct edge *e = &g->edges[i];
		bool made = e->kind == EDGE_GENERATED;
		uint32_t pipe = made ? e->from : e->to, act = made ? e->to : e->from;
		struct ends *p;

		if (!made && e->kind != EDGE_USED)
			continue;
		if (g->nodes[pipe].object != OBJECT_PIPE || !j->v->shown[pipe] || !j->v->shown[act])
			continue;
		if (!j->ends[pipe])
			j->ends[pipe] = arena_alloc(&j->v->arena, sizeof(*j->ends[pipe]));
		p = j->ends[pipe];
		if (made)
			add_end(p->writers, &p->n_writers, &p->crowded, act);
		else
			add_end(p->readers, &p->n_readers, &p->crowded, act);
	}
}

/* A pipe between a program and what it started itself is a conversation, not
 * something typed. */
static bool joins(const struct joiner *j, const struct ends *p)
{
	if (!p || p->crowded || !p->n_writers || !p->n_readers)
		return false;
	for (unsigned w = 0; w < p->n_writers; w++) {
		for (unsigned r = 0; r < p->n_readers; r++) {
			uint32_t a = p->writers[w], b = p->readers[r];

			if (a == b || started_by(j, a, b) || started_by(j, b, a))
				return false;
		}
	}
	return true;
}

static bool raise_readers(struct joiner *j, const struct ends *p)
{
	bool changed = false;

	for (unsigned w = 0; w < p->n_writers; w++) {
		for (unsigned r = 0; r < p->n_readers; r++) {
			unsigned next = j->stage[p->writers[w]] + 1;

			if (j->stage[p->readers[r]] < next) {
				j->stage[p->readers[r]] = next;
				changed = true;
			}
		}
	}
	return changed;
}

/* Longest way from a first writer. Programs that write in a circle never
 * settle: their sets fall apart again. */
static void find_stages(struct joiner *j)
{
	const struct graph *g = j->v->g;
	bool changed = true;

	for (unsigned round = 0; changed && round < ANCESTORS_MAX; round++) {
		changed = false;
		for (uint32_t i = 0; i < g->n_nodes; i++)
			if (j->ends[i])
				changed |= raise_readers(j, j->ends[i]);
	}
	if (!changed)
		return;
	for (uint32_t i = 0; i < g->n_nodes; i++) {
		uint32_t set = set_of(j, i);

		if (j->stage[i] >= ANCESTORS_MAX)
			j->stage[set] = ANCESTORS_MAX;
	}
	for (uint32_t i = 0; i < g->n_nodes; i++) {
		if (!j->ends[i] || j->stage[set_of(j, j->ends[i]->writers[0])] < ANCESTORS_MAX)
			continue;
		j->ends[i] = NULL;
	}
}

static void unite(struct joiner *j)
{
	for (uint32_t i = 0; i < j->v->g->n_nodes; i++)
		j->set[i] = i;
	for (uint32_t i = 0; i < j->v->g->n_nodes; i++) {
		const struct ends *p = j->ends[i];

		for (unsigned k = 0; p && k < p->n_writers; k++)
			j->set[set_of(j, p->writers[k])] = set_of(j, p->readers[0]);
		for (unsigned k = 0; p && k < p->n_readers; k++)
			j->set[set_of(j, p->readers[k])] = set_of(j, p->readers[0]);
	}
}

struct member {
	uint32_t set, act;
	unsigned stage;
	const struct node *node;
};

static int member_order(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->set != y->set)
		return x->set < y->set ? -1 : 1;
	if (x->stage != y->stage)
		return x->stage < y->stage ? -1 : 1;
	if (x->node->start != y->node->start)
		return x->node->start < y->node->start ? -1 : 1;
	return id_compare(&x->node->id, &y->node->id);
}

struct numbered {
	const struct node *first;
	uint32_t step;
};

static int numbered_order(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	if (x->first->start != y->first->start)
		return x->first->start < y->first->start ? -1 : 1;
	return id_compare(&x->first->id, &y->first->id);
}

/* By time, so that pictures do not depend on the order of nodes in a graph. */
static void number_steps(struct view *v)
{
	struct numbered *s = arena_alloc(&v->arena, (v->n_steps + 1) * sizeof(*s));
	struct step *sorted = arena_alloc(&v->arena, (v->n_steps + 1) * sizeof(*sorted));

	for (uint32_t i = 0; i < v->n_steps; i++)
		s[i] = (struct numbered){ &v->g->nodes[v->steps[i].acts[0]], i };
	if (v->n_steps)
		qsort(s, v->n_steps, sizeof(*s), numbered_order);
	for (uint32_t i = 0; i < v->n_steps; i++) {
		sorted[i] = v->steps[s[i].step];
		for (uint32_t k = 0; k < sorted[i].n_acts; k++)
			v->step_of[sorted[i].acts[k]] = i;
	}
	v->steps = sorted;
}

static void make_steps(struct joiner *j)
{
	struct view *v = j->v;
	struct member *m = arena_alloc(&v->arena, (v->g->n_nodes + 1) * sizeof(*m));
	uint32_t *acts = arena_alloc(&v->arena, (v->g->n_nodes + 1) * sizeof(*acts));
	unsigned *stages = arena_alloc(&v->arena, (v->g->n_nodes + 1) * sizeof(*stages));
	size_t n = 0;

	for (uint32_t i = 0; i < v->g->n_nodes; i++) {
		const struct node *node = &v->g->nodes[i];

		v->step_of[i] = VIEW_NONE;
		if (node->kind == NODE_ACTIVITY && v->shown[i])
			m[n++] = (struct member){ set_of(j, i), i, j->stage[i], node };
	}
	if (n)
		qsort(m, n, sizeof(*m), member_order);
	v->steps = arena_alloc(&v->arena, (n + 1) * sizeof(*v->steps));
	for (size_t i = 0; i < n; i++) {
		if (!i || m[i].set != m[i - 1].set)
			v->steps[v->n_steps++] = (struct step){ &acts[i], &stages[i], 0 };
		acts[i] = m[i].act;
		stages[i] = m[i].stage;
		v->steps[v->n_steps - 1].n_acts++;
	}
}

void pipeline_join(struct view *v)
{
	size_t n = v->g->n_nodes + 1;
	struct joiner j = {
		.v = v,
		.parent = arena_alloc(&v->arena, n * sizeof(*j.parent)),
		.set = arena_alloc(&v->arena, n * sizeof(*j.set)),
		.ends = arena_alloc(&v->arena, n * sizeof(*j.ends)),
		.stage = arena_alloc(&v->arena, n * sizeof(*j.stage)),
	};

	memset(j.parent, 0xff, n * sizeof(*j.parent)); /* VIEW_NONE */
	if (!v->all)
		collect(&j);
	for (size_t i = 0; i < v->g->n_nodes; i++)
		if (!joins(&j, j.ends[i]) || (v->g->nodes[i].flags & NODE_ROOT))
			j.ends[i] = NULL;
	unite(&j);
	find_stages(&j);
	unite(&j);
	memset(j.stage, 0, n * sizeof(*j.stage));
	find_stages(&j);
	for (size_t i = 0; i < v->g->n_nodes; i++)
		if (j.ends[i])
			v->shown[i] = false;
	make_steps(&j);
	number_steps(v);
}
