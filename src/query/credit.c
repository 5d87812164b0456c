/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* credit.c - whom a graph's helpers belong to */
#include "query/credit.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "build/representative.h"

/* More writers times readers of a pipe than this are no "$(...)" of a script, and
 * are not looked at one by one */
#define TALKERS_MAX 4096
/* Between a utility and the shell that takes its output lie a few forks */
#define ANCESTORS_MAX 64

struct end { /* of a pipe */
	uint32_t pipe, activity;
};

struct ends {
	struct end *at;
	size_t n;
};

struct creditor {
	struct graph *g;
	struct arena tmp;
	struct kin *kin;         /* per node; only activities count */
	struct ends makes, uses; /* by pipe; makes: of helpers only */
	bool *answers, *talks;   /* per node */
};

/* Thousands of executions are of a few programs. */
static enum role role_known(struct map *roles, struct buf *key, const struct node *n)
{
	const char *argv0 = strings_next(&n->argv, NULL), *exe = n->exe ? n->exe : "";
	void **at;

	buf_clear(key);
	buf_append(key, exe, strlen(exe) + 1);
	buf_str(key, argv0 ? argv0 : "");
	at = map_at(roles, key->data, key->size);
	if (!*at)
		*at = (void *)(uintptr_t)(1 + role_of(exe, argv0));
	return (enum role)((uintptr_t)*at - 1);
}

static void find_kin(struct creditor *c)
{
	const struct graph *g = c->g;
	struct map roles = { 0 };
	struct buf key = { 0 };

	c->kin = arena_alloc(&c->tmp, (g->n_nodes + 1) * sizeof(*c->kin));
	for (uint32_t i = 0; i < g->n_nodes; i++) {
		const struct node *n = &g->nodes[i];

		c->kin[i].parent = KIN_NONE;
		if (n->kind != NODE_ACTIVITY)
			continue;
		c->kin[i].how = n->how;
		c->kin[i].role = role_known(&roles, &key, n);
		c->kin[i].argv = n->argv;
	}
	for (size_t i = 0; i < g->n_edges; i++)
		if (g->edges[i].kind == EDGE_INFORMED &&
		    !(g->nodes[g->edges[i].from].flags & NODE_ROOT))
			c->kin[g->edges[i].from].parent = g->edges[i].to;
	map_release(&roles);
	buf_release(&key);
}

static bool is_pipe(const struct node *n)
{
	return n->kind == NODE_ENTITY && n->object == OBJECT_PIPE;
}

/* Whoever it is a fork of. */
static uint32_t image_of(const struct creditor *c, uint32_t act)
{
	for (unsigned n = 0; n < ANCESTORS_MAX; n++) {
		if (c->kin[act].how != HOW_FORK || c->kin[act].parent == KIN_NONE)
			break;
		act = c->kin[act].parent;
	}
	return act;
}

static bool descends(const struct creditor *c, uint32_t act, uint32_t ancestor)
{
	for (unsigned n = 0; n < ANCESTORS_MAX && act != KIN_NONE; n++) {
		act = c->kin[act].parent;
		if (act == ancestor)
			return true;
	}
	return false;
}

static int end_order(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	if (x->pipe != y->pipe)
		return x->pipe < y->pipe ? -1 : 1;
	return x->activity < y->activity ? -1 : x->activity > y->activity;
}

static void ends_add(struct ends *l, uint32_t pipe, uint32_t activity)
{
	l->at[l->n++] = (struct end){ pipe, activity };
}

static size_t same_pipe(const struct ends *l, size_t i)
{
	size_t end = i;

	while (end < l->n && l->at[end].pipe == l->at[i].pipe)
		end++;
	return end;
}

/* All versions of a pipe are one: what is in it is read in other pieces than it
 * was written. */
static uint32_t pipe_of(struct map *first, const struct graph *g, uint32_t version)
{
	void **at = map_at(first, &g->nodes[version].id, sizeof(struct id));

	if (!*at)
		*at = &g->nodes[version];
	return (uint32_t)((struct node *)*at - g->nodes);
}

/* Does nobody but the activity itself use the entity, and is it gone again? */
static bool *find_private(struct creditor *c)
{
	const struct graph *g = c->g;
	bool *private = arena_alloc(&c->tmp, g->n_nodes + 1);
	uint32_t *maker = arena_alloc(&c->tmp, (g->n_nodes + 1) * sizeof(*maker));

	for (size_t i = 0; i < g->n_edges; i++)
		if (g->edges[i].kind == EDGE_GENERATED) {
			maker[g->edges[i].from] = g->edges[i].to;
			private[g->edges[i].from] = g->nodes[g->edges[i].from].flags & NODE_DELETED;
		}
	for (size_t i = 0; i < g->n_edges; i++)
		if (g->edges[i].kind == EDGE_USED && maker[g->edges[i].to] != g->edges[i].from)
	private[g->edges[i].to] = false;
	return private;
}

/* Utilities that made something besides bytes in pipes have their yield here,
 * the others' pipes are gathered. */
static void gather(struct creditor *c)
{
	const struct graph *g = c->g;
	bool *private = find_private(c);
	struct map first = { 0 };

	c->makes.at = arena_alloc(&c->tmp, (g->n_edges + 1) * sizeof(*c->makes.at));
	c->uses.at = arena_alloc(&c->tmp, (g->n_edges + 1) * sizeof(*c->uses.at));
	for (size_t i = 0; i < g->n_edges; i++) {
		const struct edge *e = &g->edges[i];
		bool made = e->kind == EDGE_GENERATED;
		uint32_t act = made ? e->to : e->from, thing = made ? e->from : e->to;

		if ((!made && e->kind != EDGE_USED) || (!is_pipe(&g->nodes[thing]) && !made))
			continue;
		if (!made)
			ends_add(&c->uses, pipe_of(&first, g, thing), act);
		else if (c->kin[act].role != ROLE_HELPER || c->kin[act].how == HOW_FORK)
			continue;
		else if (is_pipe(&g->nodes[thing]))
			ends_add(&c->makes, pipe_of(&first, g, thing), act);
		else if (!(g->nodes[thing].flags & NODE_FOLDED) && !private[thing])
			c->kin[act].yield = YIELD_OWN;
	}
	map_release(&first);
	if (c->makes.n)
		qsort(c->makes.at, c->makes.n, sizeof(*c->makes.at), end_order);
	if (c->uses.n)
		qsort(c->uses.at, c->uses.n, sizeof(*c->uses.at), end_order);
}

static bool hears(const struct creditor *c, uint32_t reader, uint32_t writer)
{
	return reader == writer || c->answers[reader] || descends(c, writer, image_of(c, reader));
}

/* Takes .talks from the writers of a pipe that somebody else reads, or nobody. */
static void listen(struct creditor *c, size_t make, size_t make_end, size_t use, size_t use_end)
{
	size_t n = (make_end - make) * (use_end - use);

	for (; make < make_end; make++) {
		uint32_t writer = c->makes.at[make].activity;

		c->talks[writer] &= n && n <= TALKERS_MAX;
		for (size_t u = use; u < use_end && c->talks[writer]; u++)
			c->talks[writer] = hears(c, c->uses.at[u].activity, writer);
	}
}

static bool answer_round(struct creditor *c)
{
	bool more = false;
	size_t use = 0;

	for (size_t i = 0; i < c->makes.n; i++) {
		uint32_t writer = c->makes.at[i].activity;

		c->talks[writer] = c->kin[writer].yield != YIELD_OWN;
	}
	for (size_t i = 0, end; i < c->makes.n; i = end) {
		size_t first;

		end = same_pipe(&c->makes, i);
		while (use < c->uses.n && c->uses.at[use].pipe < c->makes.at[i].pipe)
			use++;
		first = use;
		if (use < c->uses.n && c->uses.at[use].pipe == c->makes.at[i].pipe)
			use = same_pipe(&c->uses, use);
		listen(c, i, end, first, use);
	}
	for (size_t i = 0; i < c->makes.n; i++) {
		uint32_t writer = c->makes.at[i].activity;

		more |= c->talks[writer] && !c->answers[writer];
		c->answers[writer] = c->talks[writer];
	}
	return more;
}

/* From the one that the shell hears back to the first of "$(a | b | c)". */
static void find_yields(struct creditor *c)
{
	c->answers = arena_alloc(&c->tmp, c->g->n_nodes + 1);
	c->talks = arena_alloc(&c->tmp, c->g->n_nodes + 1);
	gather(c);
	for (unsigned round = 0; round < ANCESTORS_MAX && answer_round(c); round++)
		;
	for (size_t i = 0; i < c->makes.n; i++) {
		uint32_t writer = c->makes.at[i].activity;

		c->kin[writer].yield = c->answers[writer] ? YIELD_ANSWER : YIELD_OWN;
	}
}

void query_credit(struct graph *g)
{
	struct creditor c = { .g = g };
	uint32_t *by = arena_alloc(&c.tmp, (g->n_nodes + 1) * sizeof(*by));

	find_kin(&c);
	find_yields(&c);
	representatives(&c.tmp, c.kin, g->n_nodes, by);
	for (uint32_t i = 0; i < g->n_nodes; i++) {
		g->nodes[i].credited = by[i] == i ? 0 : by[i] + 1;
		if (by[i] != i)
			g->nodes[i].flags |= NODE_FOLDED;
	}
	arena_release(&c.tmp);
}
