/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_credit.c - folding helpers away loses no file, on random histories */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "format/view.h"
#include "query/query.h"
#include "query/world.h"

static const char *const programs[] = {
	"/bin/sh",          "/usr/bin/cat",   "/usr/bin/sed",   "/usr/bin/python3.11",
	"/usr/bin/mpiexec", "/usr/bin/orted", "/home/ada/tool", "/home/ada/other",
};

static const struct execution *find(const struct world *w, const struct id *id)
{
	for (int i = 0; i < w->n_execs; i++)
		if (id_equal(&w->execs[i].fact.id, id))
			return &w->execs[i].fact;
	return NULL;
}

/* The world's programs have no names; a fork has that of its parent, who is older. */
static void name_programs(struct world *w)
{
	for (int i = 0; i < w->n_execs; i++) {
		struct execution *x = &w->execs[i].fact;
		const struct execution *parent = find(w, &x->parent);

		x->exe = programs[world_below(w, sizeof(programs) / sizeof(programs[0]))];
		if (x->how == HOW_FORK && parent)
			x->exe = parent->exe;
	}
}

/* Entities that somebody who looks at the view gets to, from what he asked about. */
static unsigned char *told(struct view *v, bool forward)
{
	const struct links *steps = forward ? &v->users : &v->makers;
	const struct links *files = forward ? &v->out : &v->in;
	const struct links *direct = forward ? &v->into : &v->from;
	unsigned char *in = test_calloc(v->g->n_nodes + 1, 1);
	bool more = true;

	for (uint32_t i = 0; i < v->g->n_nodes; i++)
		in[i] = v->shown[i] && v->g->nodes[i].kind == NODE_ENTITY &&
			id_equal(&v->g->nodes[i].id, &v->g->nodes[v->g->root].id);
	while (more) {
		more = false;
		for (uint32_t i = 0; i < v->g->n_nodes; i++) {
			if (!in[i])
				continue;
			for (uint32_t k = direct->at[i]; k < direct->at[i + 1]; k++) {
				more |= !in[direct->link[k].to];
				in[direct->link[k].to] = 1;
			}
			for (uint32_t s = steps->at[i]; s < steps->at[i + 1]; s++) {
				uint32_t step = steps->link[s].to;

				for (uint32_t k = files->at[step]; k < files->at[step + 1]; k++) {
					more |= !in[files->link[k].to];
					in[files->link[k].to] = 1;
				}
			}
		}
	}
	return in;
}

static bool stays(const struct node *n)
{
	return n->kind == NODE_ENTITY && n->object == OBJECT_FILE && !(n->flags & NODE_DELETED);
}

struct counts {
	size_t helpers, files;
};

static void compare(uint64_t seed, struct graph *g, bool forward, struct counts *c)
{
	struct view folded, raw;
	unsigned char *a, *b;

	view_init(&folded, g, /* all= */ false);
	a = told(&folded, forward);
	view_release(&folded);
	for (size_t i = 0; i < g->n_nodes; i++) {
		c->helpers += g->nodes[i].credited != 0;
		g->nodes[i].credited = 0;
		if (g->nodes[i].kind == NODE_ACTIVITY)
			g->nodes[i].flags &= ~(uint32_t)NODE_FOLDED;
	}
	view_init(&raw, g, /* all= */ false);
	b = told(&raw, forward);
	view_release(&raw);
	for (size_t i = 0; i < g->n_nodes; i++) {
		if (!stays(&g->nodes[i]))
			continue;
		c->files += b[i];
		if (b[i] && !a[i])
			fail_msg("seed %llu: %s of %s misses %s @%u", (unsigned long long)seed,
				 forward ? "impact" : "lineage", g->nodes[g->root].path,
				 g->nodes[i].path, g->nodes[i].version);
	}
	test_free(a);
	test_free(b);
}

static void check_history(uint64_t seed, struct counts *c)
{
	struct world w = { 0 };
	struct store *s;

	world_run(&w, seed, 60 + (int)(seed % 6) * 40);
	name_programs(&w);
	assert_int_equal(store_open("memory:", STORE_WRITE, &s), 0);
	world_tell(&w, s);
	for (int o = 0; o < w.n_objects; o++)
		for (int forward = 0; forward < 2 && !w.objects[o].pipe; forward++) {
			struct walk walk = { .direction = forward ? WALK_FORWARD : WALK_BACKWARD };
			struct graph g;

			assert_int_equal(query_walk(s, &w.objects[o].fact.id, &walk, &g), 0);
			if (g.n_nodes)
				compare(seed, &g, forward, c);
			graph_release(&g);
		}
	store_close(s);
	world_release(&w);
}

static void folding_helpers_loses_no_file(void **state)
{
	const char *one = getenv("PROV_TEST_SEED");
	uint64_t first = one ? strtoull(one, NULL, 10) : 1, n = one ? 1 : 150;
	struct counts c = { 0 };

	for (uint64_t seed = first; seed < first + n; seed++)
		check_history(seed, &c);
	printf("# %zu times helpers, %zu times files\n", c.helpers, c.files);
	assert_true(one || (c.helpers > 1000 && c.files > 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folding_helpers_loses_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
