/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_order.c - tests of the times that are stated together */
#include <stdlib.h>

#include "format/order.h"
#include "format/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void check_ordering(const struct graph *g, const struct order *o)
{
	for (size_t i = 0; i < g->n_nodes; i++)
		assert_true(!o->end[i] || o->start[i] <= o->end[i]);
	for (size_t i = 0; i < g->n_edges; i++) {
		const struct edge *e = &g->edges[i];

		if (o->vague[i])
			continue;
		switch (e->kind) {
		case EDGE_GENERATED:
			if (o->generated[e->from]) {
				assert_true(o->generated[e->from] >= o->start[e->to]);
				assert_true(!o->end[e->to] ||
					    o->generated[e->from] <= o->end[e->to]);
			}
			break;
		case EDGE_USED:
			assert_true(!o->end[e->from] || o->generated[e->to] <= o->end[e->from]);
			assert_true(!o->time[i] || o->time[i] >= o->generated[e->to]);
			assert_true(!o->time[i] || o->time[i] >= o->start[e->from]);
			break;
		case EDGE_DERIVED:
			assert_true(!o->generated[e->from] ||
				    o->generated[e->from] > o->generated[e->to]);
			break;
		case EDGE_INFORMED:
			assert_true(!o->end[e->from] || o->start[e->to] <= o->end[e->from]);
			break;
		default:
			break;
		}
	}
}

static void every_sample_is_ordered(void **state)
{
	const struct sample *s;

	for (size_t i = 0; (s = sample_at(i)); i++) {
		struct graph g = { 0 };
		struct order o;

		s->build(&g);
		order_init(&o, &g);
		check_ordering(&g, &o);
		order_release(&o);
		graph_release(&g);
	}
}

static void times_that_fit_are_kept(void **state)
{
	struct graph g = { 0 };
	struct order o;
	uint32_t in, act, out;

	in = sample_file(&g, "in", 1, 0, 2);
	out = sample_file(&g, "out", 1, 0, 8);
	act = sample_exec(&g, "x", 0, 1, 9);
	sample_used(&g, act, in);
	sample_made(&g, act, out);
	sample_edge(&g, EDGE_DERIVED, out, in, true);
	g.edges[0].time = g.nodes[in].generated + 1;
	order_init(&o, &g);
	assert_true(o.generated[in] == g.nodes[in].generated);
	assert_true(o.generated[out] == g.nodes[out].generated);
	assert_true(o.time[0] == g.edges[0].time);
	assert_true(o.start[act] == g.nodes[act].start && o.end[act] == g.nodes[act].end);
	order_release(&o);
	graph_release(&g);
}

static void usage_before_generation_loses_its_time(void **state)
{
	struct graph g = { 0 };
	struct order o;
	uint32_t in, act;

	in = sample_file(&g, "in", 1, NODE_PARTIAL, 5);
	act = sample_exec(&g, "x", 0, 1, 9);
	sample_used(&g, act, in);
	g.edges[0].time = g.nodes[in].generated - 1;
	order_init(&o, &g);
	assert_true(o.generated[in] == g.nodes[in].generated);
	assert_int_equal(o.time[0], 0);
	order_release(&o);
	graph_release(&g);
}

static void older_version_cannot_be_generated_after_a_newer_one(void **state)
{
	struct graph g = { 0 };
	struct order o;
	uint32_t a, b;

	a = sample_file(&g, "a", 1, 0, 7);
	b = sample_file(&g, "b", 1, 0, 6);
	sample_edge(&g, EDGE_DERIVED, b, a, false);
	order_init(&o, &g);
	assert_true(o.generated[a] != 0);
	assert_int_equal(o.generated[b], 0);
	order_release(&o);
	graph_release(&g);
}

/* A host whose clock is late reads what another host made. */
static void end_before_the_start_of_the_maker_is_left_out(void **state)
{
	struct graph g = { 0 };
	struct order o;
	uint32_t f, maker, reader;

	f = sample_file(&g, "f", 1, 0, 120);
	maker = sample_exec(&g, "x", 0, 100, 130);
	reader = sample_exec(&g, "y", 0, 20, 40);
	sample_made(&g, maker, f);
	sample_used(&g, reader, f);
	order_init(&o, &g);
	assert_true(o.start[reader] != 0);
	assert_int_equal(o.end[reader], 0);
	assert_true(o.generated[f] != 0);
	order_release(&o);
	graph_release(&g);
}

static void one_derivation_of_each_circle_becomes_vague(void **state)
{
	struct graph g = { 0 };
	struct order o;
	uint32_t n[3];
	int vague = 0;

	for (int i = 0; i < 3; i++)
		n[i] = sample_file(&g, i ? i == 1 ? "b" : "c" : "a", 1, 0, 5);
	for (int i = 0; i < 3; i++)
		sample_edge(&g, EDGE_DERIVED, n[i], n[(i + 1) % 3], true);
	order_init(&o, &g);
	for (int i = 0; i < 3; i++)
		vague += o.vague[i];
	assert_int_equal(vague, 1);
	order_release(&o);
	graph_release(&g);
}

/* Random graphs with random times: whatever is stated never contradicts. */
static void random_graphs_are_ordered(void **state)
{
	srand(7);
	for (int round = 0; round < 300; round++) {
		struct graph g = { 0 };
		struct order o;

		for (int i = 0; i < 12; i++) {
			int t = rand() % 50;

			if (i % 2)
				sample_exec(&g, "x", 0, t + 1, t + 1 + rand() % 20);
			else
				sample_file(&g, "f", (uint32_t)i, 0, rand() % 50);
		}
		for (int i = 0; i < 30; i++) {
			uint32_t e = 2 * (uint32_t)(rand() % 6), f = 2 * (uint32_t)(rand() % 6);
			uint32_t a = 1 + 2 * (uint32_t)(rand() % 6),
				 b = 1 + 2 * (uint32_t)(rand() % 6);

			sample_used(&g, a, e);
			sample_made(&g, b, f);
			sample_edge(&g, EDGE_DERIVED, f, e, true);
			sample_edge(&g, EDGE_INFORMED, a, b, true);
			sample_edge(&g, EDGE_INVALIDATED, e, b, true);
			g.edges[g.n_edges - 1].time = g.nodes[e].generated + rand() % 3;
		}
		for (size_t i = 0; i < g.n_edges; i++)
			if (g.edges[i].kind == EDGE_USED)
				g.edges[i].time = g.nodes[0].start + rand();
		order_init(&o, &g);
		check_ordering(&g, &o);
		order_release(&o);
		graph_release(&g);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_sample_is_ordered),
		cmocka_unit_test(times_that_fit_are_kept),
		cmocka_unit_test(usage_before_generation_loses_its_time),
		cmocka_unit_test(older_version_cannot_be_generated_after_a_newer_one),
		cmocka_unit_test(end_before_the_start_of_the_maker_is_left_out),
		cmocka_unit_test(one_derivation_of_each_circle_becomes_vague),
		cmocka_unit_test(random_graphs_are_ordered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
