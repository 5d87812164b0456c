/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_walk_lps.c - without overlap the rule of LPS leaves no choice */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "query/scene.h"

enum { NONE = 0, POSSIBLE = 1, CERTAIN = 2 };
enum { RUN = 1 };

/*
 * Histories without overlap, where the rule of LPS leaves no choice: each step
 * is an execution that reads some objects, then writes some.
 */
static uint32_t next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return (uint32_t)(*x >> 32);
}

enum { STEPS = 12, FILES = 5, FILE0 = 200, STEP0 = 300 };

struct lps {
	int read[STEPS][FILES]; /* the version, -1 none */
	int made[STEPS][FILES];
	int latest[FILES];
	bool in_steps[STEPS], in_versions[FILES][STEPS + 1];
};

static void lps_make(struct lps *t, struct scene *c, uint64_t seed)
{
	uint64_t x = seed * 2654435761u + 1;
	int64_t now = 1000;
	char path[FILES][16];

	scene_open(c);
	scene_run(c, RUN, STEP0, 900);
	*t = (struct lps){ 0 };
	for (int f = 0; f < FILES; f++)
		snprintf(path[f], sizeof(path[f]), "/d/%d", f);
	for (int s = 0; s < STEPS; s++) {
		scene_exec(c, RUN, STEP0 + s, 0, HOW_ROOT, now, "step");
		for (int f = 0; f < FILES; f++) {
			bool reads = next(&x) % 3 == 0;

			t->read[s][f] = reads ? t->latest[f] : -1;
			if (reads)
				scene_access(c, scene_read(STEP0 + s, FILE0 + f, path[f], now + 2,
							   now + 5));
			now += reads ? 10 : 0;
		}
		for (int f = 0; f < FILES; f++) {
			bool writes = next(&x) % 4 == 0;

			t->made[s][f] = writes ? ++t->latest[f] : -1;
			if (writes)
				scene_access(c, scene_write(STEP0 + s, FILE0 + f, path[f], now + 2,
							    now + 5));
			now += writes ? 10 : 0;
		}
	}
}

static void lps_check_run(const struct lps *t, struct scene *c)
{
	size_t used = 0, made = 0;

	scene_show(c, RUN);
	for (int s = 0; s < STEPS; s++)
		for (int f = 0; f < FILES; f++) {
			if (t->read[s][f] >= 0) {
				used++;
				assert_int_equal(scene_used(c, STEP0 + s, FILE0 + f,
							    (uint32_t)t->read[s][f]),
						 CERTAIN);
			}
			if (t->made[s][f] < 0)
				continue;
			made++;
			assert_int_equal(
				scene_made(c, FILE0 + f, (uint32_t)t->made[s][f], STEP0 + s),
				CERTAIN);
			for (int g = 0; g < FILES; g++)
				if (t->read[s][g] >= 0)
					assert_int_equal(
						scene_derived(c, FILE0 + f, (uint32_t)t->made[s][f],
							      FILE0 + g, (uint32_t)t->read[s][g]),
						CERTAIN);
		}
	assert_int_equal(scene_edges(c, EDGE_USED), used);
	assert_int_equal(scene_edges(c, EDGE_GENERATED), made);
	for (size_t i = 0; i < c->g.n_edges; i++)
		assert_true(c->g.edges[i].certain);
}

static void lps_close(struct lps *t, int f, int version)
{
	if (version < 0 || t->in_versions[f][version])
		return;
	t->in_versions[f][version] = true;
	lps_close(t, f, version - 1);
	for (int s = 0; s < STEPS; s++) {
		if (t->made[s][f] != version || version == 0)
			continue;
		t->in_steps[s] = true;
		for (int g = 0; g < FILES; g++)
			lps_close(t, g, t->read[s][g]);
	}
}

static void lps_check_lineage(struct lps *t, struct scene *c)
{
	for (int root = 0; root < FILES; root++) {
		memset(t->in_steps, 0, sizeof(t->in_steps));
		memset(t->in_versions, 0, sizeof(t->in_versions));
		lps_close(t, root, t->latest[root]);
		scene_lineage(c, FILE0 + root);
		for (int s = 0; s < STEPS; s++)
			assert_int_equal(scene_activity(c, STEP0 + s) != NULL, t->in_steps[s]);
		for (int f = 0; f < FILES; f++)
			for (int v = 0; v <= t->latest[f]; v++)
				assert_int_equal(scene_entity(c, FILE0 + f, (uint32_t)v) != NULL,
						 t->in_versions[f][v]);
	}
}

static void without_overlap_the_graph_is_exactly_that_of_lps(void **state)
{
	for (uint64_t seed = 1; seed <= 500; seed++) {
		struct scene c;
		struct lps t;

		lps_make(&t, &c, seed);
		lps_check_run(&t, &c);
		lps_check_lineage(&t, &c);
		scene_close(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_overlap_the_graph_is_exactly_that_of_lps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
