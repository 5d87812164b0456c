/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/guard.h"
#include "prov/segment.h"

#define SECOND INT64_C(1000000000)

/* Lets so many calls a second pass for a while; returns how long until the level
 * was `until`, or -1. */
static int64_t pass(struct guard *g, int64_t *now, int64_t length, uint64_t rate, uint32_t threads,
		    int32_t until)
{
	int64_t begun = *now, met = -1;

	while (*now - begun < length) {
		struct guard_sample s = { .now = *now += GUARD_MOMENT, .threads = threads };

		s.calls = g->level < PROV_OPEN_CLOSE ? rate * GUARD_MOMENT / SECOND : 0;
		if (guard_step(g, &s) == until && met < 0)
			met = *now - begun;
	}
	return met;
}

static void coarsens_within_a_second(void **state)
{
	int64_t now = SECOND;
	struct guard g;

	guard_begin(&g, 0.01, PROV_FIRST_LAST, now);
	assert_in_range(pass(&g, &now, SECOND, 5000000, 1, PROV_OPEN_CLOSE), 1, SECOND);
	assert_true(g.share >= 0);
}

static void leaves_what_is_cheap(void **state)
{
	int64_t now = SECOND;
	struct guard g;

	guard_begin(&g, 0.01, PROV_FIRST_LAST, now);
	assert_int_equal(pass(&g, &now, 100 * SECOND, 50000, 1, PROV_OPEN_CLOSE), -1);
	/* many threads share the cost */
	assert_int_equal(pass(&g, &now, 100 * SECOND, 800000, 16, PROV_OPEN_CLOSE), -1);
	assert_in_range(pass(&g, &now, SECOND, 800000, 4, PROV_OPEN_CLOSE), 1, SECOND);
}

static void refines_when_calm(void **state)
{
	int64_t now = SECOND;
	struct guard g;

	guard_begin(&g, 0.01, PROV_FIRST_LAST, now);
	(void)pass(&g, &now, SECOND, 5000000, 1, PROV_OPEN_CLOSE);
	assert_int_equal(g.level, PROV_OPEN_CLOSE);
	assert_in_range(pass(&g, &now, 10 * SECOND, 100, 1, PROV_FIRST_LAST), 1, 3 * SECOND);
	assert_int_equal(g.level, PROV_FIRST_LAST);
}

/* A storm without end: what trials cost stays below the budget in the long run. */
static void tries_ever_more_rarely(void **state)
{
	int64_t now = SECOND;
	struct guard g;
	double before;

	guard_begin(&g, 0.01, PROV_FIRST_LAST, now);
	(void)pass(&g, &now, 300 * SECOND, 3000000, 1, PROV_OPEN_CLOSE);
	before = g.spent;
	(void)pass(&g, &now, 1000 * SECOND, 3000000, 1, PROV_OPEN_CLOSE);
	assert_true((g.spent - before) / (1000.0 * SECOND) < 0.001);
	assert_int_equal(g.level, PROV_OPEN_CLOSE);
}

static void steps_from_all_to_first_last(void **state)
{
	int64_t now = SECOND;
	struct guard g;

	guard_begin(&g, 0.01, PROV_EVERY_ONE, now);
	/* 50 000 a second are dear one by one, and cheap when counted */
	assert_in_range(pass(&g, &now, SECOND, 50000, 1, PROV_FIRST_LAST), 1, SECOND);
	assert_int_equal(pass(&g, &now, SECOND, 50000, 1, PROV_OPEN_CLOSE), -1);
	guard_ask(&g, PROV_OPEN_CLOSE, now);
	assert_int_equal(pass(&g, &now, 100 * SECOND, 0, 1, PROV_FIRST_LAST), -1);
}

static void keeps_out_without_a_budget(void **state)
{
	int64_t now = SECOND;
	struct guard g;

	guard_begin(&g, 0, PROV_FIRST_LAST, now);
	assert_int_equal(pass(&g, &now, 10 * SECOND, 9000000, 1, PROV_OPEN_CLOSE), -1);
	assert_true(g.spent > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(coarsens_within_a_second),
		cmocka_unit_test(leaves_what_is_cheap),
		cmocka_unit_test(refines_when_calm),
		cmocka_unit_test(tries_ever_more_rarely),
		cmocka_unit_test(steps_from_all_to_first_last),
		cmocka_unit_test(keeps_out_without_a_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
