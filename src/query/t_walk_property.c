/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_walk_property.c - what holds for every history, shown on random ones */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/buf.h"
#include "query/query.h"
#include "query/world.h"
#include "store/t_kinds.h"
#include "store/t_place.h"

/* PROV_TEST_SEED=N runs that one history only. */
struct seeds {
	uint64_t first, n;
};

static struct seeds seeds(uint64_t n)
{
	const char *one = getenv("PROV_TEST_SEED");

	return one ? (struct seeds){ strtoull(one, NULL, 10), 1 } : (struct seeds){ 1, n };
}

static int steps_of(uint64_t seed)
{
	return 20 + (int)(seed % 8) * 40;
}

static struct store *store_new(void)
{
	struct store *s;

	assert_int_equal(store_open("memory:", STORE_WRITE, &s), 0);
	return s;
}

static void walk(struct store *s, const struct id *object, enum walk_direction direction,
		 int64_t at, struct graph *g)
{
	struct walk w = { .direction = direction, .at = at };

	assert_int_equal(query_walk(s, object, &w, g), 0);
}

static bool wrote(const struct world *w, const struct id *exec, const struct id *object)
{
	for (size_t i = 0; i < w->n_accesses; i++) {
		const struct access *a = &w->accesses[i].fact;

		if (id_equal(&a->exec, exec) && id_equal(&a->object, object) &&
		    a->flags & ACCESS_WRITE)
			return true;
	}
	return false;
}

/* Nodes that edges lead to from what was asked about, along data: cutting and
 * creating make a version but carry nothing. Being started by somebody
 * leads on only where a fork shares memory. */
static unsigned char *connected(const struct world *w, const struct graph *g, bool forward)
{
	unsigned char *in = test_calloc(g->n_nodes + 1, 1);
	bool more = true;

	for (size_t i = 0; i < g->n_nodes; i++)
		in[i] = g->nodes[i].kind == NODE_ENTITY &&
			id_equal(&g->nodes[i].id, &g->nodes[g->root].id) &&
			(forward || i == g->root);
	while (more) {
		more = false;
		for (size_t i = 0; i < g->n_edges; i++) {
			const struct edge *e = &g->edges[i];
			uint32_t from = forward ? e->to : e->from, to = forward ? e->from : e->to;

			if (!in[from] || in[to] || e->kind == EDGE_INVALIDATED ||
			    (e->kind == EDGE_INFORMED && g->nodes[e->from].how != HOW_FORK))
				continue;
			if (e->kind == EDGE_GENERATED &&
			    !wrote(w, &g->nodes[e->to].id, &g->nodes[e->from].id))
				continue;
			in[to] = 1;
			more = true;
		}
	}
	return in;
}

/* What a graph says, in the terms of the truth. */
static struct mask said(const struct world *w, const struct graph *g, bool forward)
{
	unsigned char *in = connected(w, g, forward);
	struct mask m = { 0 };

	for (size_t i = 0; i < g->n_nodes; i++) {
		const struct node *n = &g->nodes[i];

		if (!in[i])
			continue;
		for (int o = 0; n->kind == NODE_ENTITY && o < w->n_objects; o++)
			if (id_equal(&n->id, &w->objects[o].fact.id)) {
				m.object |= 1ull << o;
				if (n->version == 0)
					m.initial |= 1ull << o;
			}
		for (int e = 0; n->kind == NODE_ACTIVITY && e < w->n_execs; e++)
			if (id_equal(&n->id, &w->execs[e].fact.id))
				m.exec |= 1ull << e;
	}
	test_free(in);
	return m;
}

static void check_superset(uint64_t seed, const char *what, int object, struct mask all,
			   struct mask some)
{
	if (some.object & ~all.object || some.initial & ~all.initial || some.exec & ~all.exec)
		fail_msg("seed %llu: %s of object %d misses objects %llx, initial content %llx, "
			 "executions %llx",
			 (unsigned long long)seed, what, object,
			 (unsigned long long)(some.object & ~all.object),
			 (unsigned long long)(some.initial & ~all.initial),
			 (unsigned long long)(some.exec & ~all.exec));
}

/* Follows derivations down; a node met again on the way there is a cycle. */
struct climb {
	const struct graph *g;
	uint32_t *first, *next; /* edges by their later end */
	unsigned char *color;
};

static bool has_cycle(const struct climb *c, uint32_t node)
{
	if (c->color[node])
		return c->color[node] == 1;
	c->color[node] = 1;
	for (uint32_t e = c->first[node]; e != UINT32_MAX; e = c->next[e])
		if (has_cycle(c, c->g->edges[e].to))
			return true;
	c->color[node] = 2;
	return false;
}

static void check_no_cycle(uint64_t seed, const struct graph *g)
{
	struct climb c = { .g = g,
			   .first = test_malloc((g->n_nodes + 1) * sizeof(uint32_t)),
			   .next = test_malloc((g->n_edges + 1) * sizeof(uint32_t)),
			   .color = test_calloc(g->n_nodes + 1, 1) };

	memset(c.first, 0xff, g->n_nodes * sizeof(uint32_t));
	for (uint32_t e = 0; e < g->n_edges; e++) {
		if (g->edges[e].kind != EDGE_DERIVED)
			continue;
		c.next[e] = c.first[g->edges[e].from];
		c.first[g->edges[e].from] = e;
	}
	for (uint32_t i = 0; i < g->n_nodes; i++)
		if (has_cycle(&c, i))
			fail_msg("seed %llu: wasDerivedFrom has a cycle", (unsigned long long)seed);
	test_free(c.first);
	test_free(c.next);
	test_free(c.color);
}

static int line_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void graph_text(const struct graph *g, struct buf *out)
{
	struct arena a = { 0 };
	char **lines = arena_alloc(&a, (g->n_nodes + g->n_edges + 1) * sizeof(*lines));
	char from[NODE_TEXT_SIZE], to[NODE_TEXT_SIZE];
	size_t n = 0;

	for (size_t i = 0; i < g->n_nodes; i++) {
		const struct node *x = &g->nodes[i];

		lines[n++] = arena_printf(&a, "%s %x %s %lld\n", node_text(x, from), x->flags,
					  x->label, (long long)x->generated);
	}
	for (size_t i = 0; i < g->n_edges; i++) {
		const struct edge *e = &g->edges[i];

		lines[n++] =
			arena_printf(&a, "%s %s %s %d %lld\n", node_text(&g->nodes[e->from], from),
				     edge_kind_name(e->kind), node_text(&g->nodes[e->to], to),
				     e->certain, (long long)e->time);
	}
	qsort(lines, n, sizeof(*lines), line_order);
	buf_clear(out);
	for (size_t i = 0; i < n; i++)
		buf_str(out, lines[i]);
	arena_release(&a);
}

static void lineage_never_misses(void **state)
{
	struct seeds t = seeds(4000);

	for (uint64_t seed = t.first; seed < t.first + t.n; seed++) {
		struct store *s = store_new();
		struct world w;

		world_run(&w, seed, steps_of(seed));
		world_tell(&w, s);
		for (int o = 0; o < w.n_objects; o++) {
			struct graph g;

			walk(s, &w.objects[o].fact.id, WALK_BACKWARD, /* at= */ 0, &g);
			check_superset(seed, "lineage", o, said(&w, &g, false),
				       world_content(&w.objects[o]));
			check_no_cycle(seed, &g);
			graph_release(&g);
			if (seed % 4)
				continue;
			walk(s, &w.objects[o].fact.id, WALK_BACKWARD, w.moment, &g);
			check_superset(seed, "lineage at a moment", o, said(&w, &g, false),
				       w.then[o]);
			graph_release(&g);
		}
		store_close(s);
		world_release(&w);
	}
}

static void impact_never_misses(void **state)
{
	struct seeds t = seeds(2000);

	for (uint64_t seed = t.first; seed < t.first + t.n; seed++) {
		struct store *s = store_new();
		struct world w;

		world_run(&w, seed, steps_of(seed));
		world_tell(&w, s);
		for (int o = 0; o < w.n_objects; o++) {
			struct mask truth = { 0 };
			struct graph g;

			for (int i = 0; i < w.n_objects; i++)
				if (w.objects[i].ever.object & 1ull << o)
					truth.object |= 1ull << i;
			for (int i = 0; i < w.n_execs; i++)
				if (w.execs[i].carry.object & 1ull << o)
					truth.exec |= 1ull << i;
			walk(s, &w.objects[o].fact.id, WALK_FORWARD, /* at= */ 0, &g);
			check_superset(seed, "impact", o, said(&w, &g, true), truth);
			check_no_cycle(seed, &g);
			graph_release(&g);
		}
		store_close(s);
		world_release(&w);
	}
}

static void compare(uint64_t seed, struct world *w, struct store *s, struct store *r)
{
	struct buf good = { 0 }, bad = { 0 };

	for (int i = 0; i < 2 * w->n_objects; i++) {
		enum walk_direction d = i % 2 ? WALK_FORWARD : WALK_BACKWARD;
		struct graph g, h;

		walk(s, &w->objects[i / 2].fact.id, d, /* at= */ 0, &g);
		walk(r, &w->objects[i / 2].fact.id, d, /* at= */ 0, &h);
		graph_text(&g, &good);
		graph_text(&h, &bad);
		if (good.size != bad.size || (good.size && strcmp(good.data, bad.data)))
			fail_msg("seed %llu: object %d has two graphs:\n%s\n%s",
				 (unsigned long long)seed, i / 2, good.data, bad.data);
		graph_release(&g);
		graph_release(&h);
	}
	buf_release(&good);
	buf_release(&bad);
}

static void the_order_of_arrival_does_not_matter(void **state)
{
	struct seeds t = seeds(600);

	for (uint64_t seed = t.first; seed < t.first + t.n; seed++) {
		struct store *s = store_new(), *r = store_new();
		struct world w;

		world_run(&w, seed, steps_of(seed));
		world_tell(&w, s);
		world_tell_badly(&w, r);
		compare(seed, &w, s, r);
		store_close(s);
		store_close(r);
		world_release(&w);
	}
}

/* Also those of which several are asked as one, each of them told a part. */
static void every_store_gives_the_same_graph(void **state)
{
	struct seeds t = seeds(3);

	for (uint64_t seed = t.first; seed < t.first + t.n; seed++) {
		struct store *s = store_new();
		struct world w;

		world_run(&w, seed, steps_of(seed));
		world_tell(&w, s);
		for (size_t k = 0; kind_at(k); k++) {
			struct store *r = kind_fresh(kind_at(k));

			world_tell_badly(&w, r);
			compare(seed, &w, s, r);
			store_close(r);
		}
		store_close(s);
		world_release(&w);
	}
}

static struct store *union_new(void)
{
	for (size_t k = 0; kind_at(k); k++)
		if (!strcmp(kind_at(k)->name, "union of memory"))
			return kind_fresh(kind_at(k));
	fail_msg("there is no such kind");
	return NULL;
}

static void parts_in_several_stores_give_the_same_graph(void **state)
{
	struct seeds t = seeds(300);

	for (uint64_t seed = t.first; seed < t.first + t.n; seed++) {
		struct store *s = store_new(), *r = union_new();
		struct world w;

		world_run(&w, seed, steps_of(seed));
		world_tell(&w, s);
		world_tell_badly(&w, r);
		compare(seed, &w, s, r);
		store_close(s);
		store_close(r);
		world_release(&w);
	}
}

/* Executions that data went through: those who only cut or created, and those
 * who only started others, are company. */
static uint64_t carriers(const struct world *w, const struct graph *g)
{
	uint64_t execs = 0;

	for (size_t i = 0; i < g->n_edges; i++) {
		const struct edge *x = &g->edges[i];
		const struct node *n = NULL;

		if (x->kind == EDGE_USED)
			n = &g->nodes[x->from];
		else if (x->kind == EDGE_GENERATED &&
			 wrote(w, &g->nodes[x->to].id, &g->nodes[x->from].id))
			n = &g->nodes[x->to];
		for (int e = 0; n && e < w->n_execs; e++)
			if (id_equal(&n->id, &w->execs[e].fact.id))
				execs |= 1ull << e;
	}
	return execs;
}

static void coarser_granularity_never_loses_anything(void **state)
{
	struct seeds t = seeds(1000);

	for (uint64_t seed = t.first; seed < t.first + t.n; seed++) {
		struct store *s = store_new(), *r = store_new();
		struct world w;

		world_run(&w, seed, steps_of(seed));
		world_tell(&w, s);
		world_coarsen(&w);
		world_tell(&w, r);
		for (int o = 0; o < w.n_objects; o++) {
			struct graph fine, coarse;
			struct mask m;

			walk(s, &w.objects[o].fact.id, WALK_BACKWARD, /* at= */ 0, &fine);
			walk(r, &w.objects[o].fact.id, WALK_BACKWARD, /* at= */ 0, &coarse);
			m = said(&w, &fine, false);
			m.initial = 0; /* which version is a matter of granularity */
			m.exec = carriers(&w, &fine);
			check_superset(seed, "coarse lineage", o, said(&w, &coarse, false), m);
			graph_release(&fine);
			graph_release(&coarse);
		}
		store_close(s);
		store_close(r);
		world_release(&w);
	}
}

static const struct node *node_at(const struct graph *g, uint32_t i)
{
	return &g->nodes[i];
}

/* The truth: did anybody else write while this execution read? */
static bool truly_overlapped(const struct world *w, const struct id *exec, const struct id *object)
{
	for (size_t i = 0; i < w->n_accesses; i++) {
		const struct world_access *r = &w->accesses[i];

		if (!id_equal(&r->fact.exec, exec) || !id_equal(&r->fact.object, object) ||
		    !r->first_read)
			continue;
		for (size_t j = 0; j < w->n_accesses; j++) {
			const struct world_access *x = &w->accesses[j];

			if (x->object == r->object && x->exec != r->exec && x->first_write &&
			    x->first_write <= r->last_read && x->last_write >= r->first_read)
				return true;
		}
	}
	return false;
}

static size_t accesses_between(const struct world *w, const struct id *exec,
			       const struct id *object)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_accesses; i++)
		n += id_equal(&w->accesses[i].fact.exec, exec) &&
		     id_equal(&w->accesses[i].fact.object, object);
	return n;
}

static void what_rests_on_overlap_is_only_possible(void **state)
{
	struct seeds t = seeds(1000);
	size_t n_certain = 0, n_possible = 0;

	for (uint64_t seed = t.first; seed < t.first + t.n; seed++) {
		struct store *s = store_new();
		struct world w;

		world_run(&w, seed, steps_of(seed));
		world_tell(&w, s);
		for (size_t i = 0; i < w.n_runs; i++) {
			struct graph g;

			assert_int_equal(query_run(s, &w.runs[i].id, &g), 0);
			for (size_t e = 0; e < g.n_edges; e++) {
				const struct edge *x = &g.edges[e];
				const struct node *a = node_at(&g, x->from),
						  *o = node_at(&g, x->to);

				if (x->kind != EDGE_USED)
					continue;
				n_certain += x->certain;
				n_possible += !x->certain;
				/* two names, two accesses: either may be the certain one */
				if (!x->certain || accesses_between(&w, &a->id, &o->id) > 1)
					continue;
				if (truly_overlapped(&w, &a->id, &o->id))
					fail_msg("seed %llu: an overlapped read is called certain",
						 (unsigned long long)seed);
			}
			check_no_cycle(seed, &g);
			graph_release(&g);
		}
		store_close(s);
		world_release(&w);
	}
	print_message("%zu used edges certain, %zu possible\n", n_certain, n_possible);
	assert_true(getenv("PROV_TEST_SEED") || (n_certain && n_possible));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lineage_never_misses),
		cmocka_unit_test(impact_never_misses),
		cmocka_unit_test(the_order_of_arrival_does_not_matter),
		cmocka_unit_test(every_store_gives_the_same_graph),
		cmocka_unit_test(parts_in_several_stores_give_the_same_graph),
		cmocka_unit_test(coarser_granularity_never_loses_anything),
		cmocka_unit_test(what_rests_on_overlap_is_only_possible),
	};

	return cmocka_run_group_tests(tests, place_make, place_remove);
}
