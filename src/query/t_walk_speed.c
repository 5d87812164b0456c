/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_walk_speed.c - a walk takes as long as what it finds, not as what there is */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "query/query.h"

/*
 * A layered history: execution e reads two objects of the layer before and
 * writes object e. The last one has all of them as ancestors.
 */
enum { WIDE = 1000 };

static struct id id_at(char kind, int n)
{
	struct id id = { 0 };

	id.b[0] = (uint8_t)kind;
	memcpy(id.b + 1, &n, sizeof(n));
	return id;
}

static struct access touch_at(struct arena *a, int exec, int object, bool write, int64_t at)
{
	struct access t = { .exec = id_at('x', exec),
			    .object = id_at('o', object),
			    .path = arena_printf(a, "/data/%d", object),
			    .flags = write ? ACCESS_WRITE | ACCESS_CREATE : ACCESS_READ,
			    .opened = at,
			    .closed = at + 5 };

	if (write)
		t.first_write = t.last_write = at + 1;
	else
		t.first_read = t.last_read = at + 1;
	return t;
}

static struct store *history(int n)
{
	const char *uri = getenv("PROV_TEST_STORE");
	struct arena a = { 0 };
	struct run run = { .id = id_at('r', 0), .host = "h", .user = "u", .start = 1 };
	struct facts f = { .runs = &run, .n_runs = 1 };
	struct store *s;

	f.executions = arena_alloc(&a, (size_t)n * sizeof(*f.executions));
	f.accesses = arena_alloc(&a, 3 * (size_t)n * sizeof(*f.accesses));
	for (int e = 0; e < n; e++) {
		int64_t at = 1000 + 100 * (int64_t)e;
		int layer = e / WIDE;

		f.executions[f.n_executions++] = (struct execution){ .id = id_at('x', e),
								     .run = run.id,
								     .how = HOW_ROOT,
								     .start = at - 1,
								     .argv = { "step", 5 },
								     .exe = "/usr/bin/step",
								     .status = 0 };
		for (int i = 0; layer && i < 2; i++)
			f.accesses[f.n_accesses++] =
				touch_at(&a, e, (layer - 1) * WIDE + (2 * e + i) % WIDE, false, at);
		f.accesses[f.n_accesses++] = touch_at(&a, e, e, true, at + 10);
	}
	assert_int_equal(store_open(uri ? uri : "memory:", STORE_WRITE, &s), 0);
	assert_int_equal(store_put(s, &f), 0);
	arena_release(&a);
	return s;
}

static int64_t timed(struct store *s, int object, unsigned depth, size_t *n_nodes)
{
	struct walk w = { .direction = WALK_BACKWARD, .depth = depth };
	struct id id = id_at('o', object);
	int64_t best = INT64_MAX;

	for (int i = 0; i < 3; i++) {
		int64_t began = clock_mono(), took;
		struct graph g;

		assert_int_equal(query_walk(s, &id, &w, &g), 0);
		took = clock_mono() - began;
		best = took < best ? took : best;
		*n_nodes = g.n_nodes;
		graph_release(&g);
	}
	return best;
}

static void a_walk_takes_as_long_as_what_it_finds(void **state)
{
	enum { N = 112000 };
	struct store *s = history(N);
	size_t nodes;
	int64_t took = timed(s, N - 1, 0, &nodes);

	print_message("closure of %zu nodes: %lld ms\n", nodes, (long long)took / 1000000);
	assert_true(nodes > 190000);
	assert_true(took < 30000000000); /* the budget of 500 ms is for bench, on an idle machine */
	took = timed(s, N - 1, 10, &nodes);
	print_message("depth 10, %zu nodes of 200000: %lld us\n", nodes, (long long)took / 1000);
	assert_true(took < 5000000000);
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_walk_takes_as_long_as_what_it_finds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
