/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_interval.c - granularities become intervals */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "build/interval.h"

static void only_four_of_sixteen_pairs_of_events_say_something(void **state)
{
	static const int slides[4][4] = {
		/* Open First Last Close */
		{ 0, 0, 2, 1 }, /* Open */
		{ 0, 0, 3, 2 }, /* First */
		{ 0, 0, 0, 0 }, /* Last */
		{ 0, 0, 0, 0 }, /* Close */
	};

	for (int s = 0; s < 4; s++)
		for (int e = 0; e < 4; e++)
			assert_int_equal(interval_rank((enum access_event)s, (enum access_event)e),
					 slides[s][e]);
}

static const struct access whole = {
	.flags = ACCESS_READ | ACCESS_WRITE,
	.opened = 10,
	.first_read = 20,
	.last_read = 30,
	.first_write = 25,
	.last_write = 40,
	.fuzz = 4,
	.closed = 50,
};

static void check(const struct access *a, enum granularity g, int64_t start, int64_t last,
		  int64_t end)
{
	struct interval t;

	assert_true(interval_of_reads(a, g, /* exec_end= */ 90, &t));
	assert_int_equal(t.start, start);
	assert_int_equal(t.last, last);
	assert_int_equal(t.end, end);
}

static void each_granularity_is_inside_the_coarser_ones(void **state)
{
	struct interval t;

	check(&whole, GRANULARITY_OPEN_CLOSE, 10, 50, 50);
	check(&whole, GRANULARITY_OPEN_LAST, 10, 30, 34);
	check(&whole, GRANULARITY_FIRST_CLOSE, 20, 50, 50);
	check(&whole, GRANULARITY_FIRST_LAST, 20, 30, 34);
	assert_true(interval_of_writes(&whole, GRANULARITY_FIRST_LAST, 90, &t));
	assert_int_equal(t.start, 25);
	assert_int_equal(t.end, 44);
}

static void what_the_recorder_did_not_see_is_replaced_by_the_next_coarser_event(void **state)
{
	struct access a = whole;

	a.first_read = 0; /* switched to first-last while open */
	check(&a, GRANULARITY_FIRST_LAST, 10, 30, 34);
	a = whole;
	a.last_read = 0; /* switched to open-close while open */
	check(&a, GRANULARITY_FIRST_LAST, 20, 50, 50);
	a.closed = 0; /* killed */
	check(&a, GRANULARITY_FIRST_LAST, 20, 90, 90);
}

static void an_end_is_never_later_than_the_close(void **state)
{
	struct access a = whole;

	a.closed = 32;
	check(&a, GRANULARITY_FIRST_LAST, 20, 30, 32);
	a.closed = 29; /* of an earlier descriptor */
	check(&a, GRANULARITY_FIRST_LAST, 20, 30, 34);
	a.closed = 30; /* by a coarse clock that is not before the read */
	check(&a, GRANULARITY_FIRST_LAST, 20, 30, 34);
}

static void a_mapping_lasts_until_its_execution_ends(void **state)
{
	struct access a = whole;
	struct interval t;

	a.flags |= ACCESS_MAP_READ;
	check(&a, GRANULARITY_FIRST_LAST, 20, 90, 90);
	assert_true(interval_of_reads(&a, GRANULARITY_FIRST_LAST, /* exec_end= */ 0, &t));
	assert_int_equal(t.end, INTERVAL_FOREVER);
	assert_true(interval_of_writes(&a, GRANULARITY_FIRST_LAST, 90, &t));
	assert_int_equal(t.end, 44);
}

static void an_inherited_descriptor_was_in_use_before_it_was_opened_again(void **state)
{
	struct access a = { .flags = ACCESS_READ | ACCESS_INHERIT, .opened = 60, .closed = 70 };

	check(&a, GRANULARITY_OPEN_CLOSE, 0, 70, 70);
}

static void no_access_has_no_interval(void **state)
{
	struct access a = { .flags = ACCESS_CREATE, .opened = 10, .closed = 20 };
	struct interval t;

	assert_false(interval_of_reads(&a, GRANULARITY_OPEN_CLOSE, 0, &t));
	assert_false(interval_of_writes(&a, GRANULARITY_OPEN_CLOSE, 0, &t));
}

static void absurd_times_neither_overflow_nor_run_backwards(void **state)
{
	struct access a = { .flags = ACCESS_READ,
			    .first_read = INT64_MAX,
			    .last_read = -5,
			    .fuzz = INT64_MAX,
			    .closed = INT64_MIN };
	struct interval t;

	assert_true(interval_of_reads(&a, GRANULARITY_FIRST_LAST, INT64_MIN, &t));
	assert_true(t.start <= t.last && t.last <= t.end && t.end <= INTERVAL_FOREVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_four_of_sixteen_pairs_of_events_say_something),
		cmocka_unit_test(each_granularity_is_inside_the_coarser_ones),
		cmocka_unit_test(
			what_the_recorder_did_not_see_is_replaced_by_the_next_coarser_event),
		cmocka_unit_test(an_end_is_never_later_than_the_close),
		cmocka_unit_test(a_mapping_lasts_until_its_execution_ends),
		cmocka_unit_test(an_inherited_descriptor_was_in_use_before_it_was_opened_again),
		cmocka_unit_test(no_access_has_no_interval),
		cmocka_unit_test(absurd_times_neither_overflow_nor_run_backwards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
