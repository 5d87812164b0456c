/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_switch.c - what was open while nobody watched may have been used */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "aggregate/levels.h"
#include "build/interval.h"

/* What a guest keeps of one file, in a program that opens it at 100, reads at
 * 200, 300 and 400 and closes it at 500, when granularity was switched so. */
static struct prov_tally guest(const struct levels *l)
{
	static const int64_t reads[] = { 200, 300, 400 };
	struct prov_tally t = { .opened = 100, .closed = 500, .flags = PROV_TALLY_READABLE };

	for (size_t i = 0; i < 3; i++) {
		if (levels_reach(l, PROV_OPEN_CLOSE, reads[i], reads[i]))
			continue;
		t.reads++;
		t.last_read = (uint64_t)reads[i];
		if (!t.first_read)
			t.first_read = t.last_read;
	}
	return t;
}

/* The interval that comes of it. */
static struct interval seen(const struct levels *l, struct access *x)
{
	struct prov_tally t = guest(l);
	struct interval i = { 0 };

	*x = (struct access){ .opened = 100, .closed = 500, .reads = t.reads };
	if (t.reads) {
		x->flags = ACCESS_READ;
		x->first_read = (int64_t)t.first_read;
		x->last_read = (int64_t)t.last_read;
	}
	levels_infer(l, &t, /* directory= */ false, x);
	assert_true(interval_of_reads(x, GRANULARITY_FIRST_LAST, 900, &i));
	return i;
}

static void check(struct levels *l, struct arena *a, int64_t since, int32_t to, int64_t start,
		  int64_t end)
{
	struct access x;
	struct interval i;

	levels_add(l, a, since, to);
	i = seen(l, &x);
	assert_int_equal(i.start, start);
	assert_int_equal(i.end, end);
}

static void a_switch_while_a_file_is_open_gives_one_valid_interval(void **state)
{
	struct arena a = { 0 };
	struct levels l = { 0 };

	check(&l, &a, 350, PROV_OPEN_CLOSE, /* first */ 200, /* close */ 500);
	arena_release(&a);
	l = (struct levels){ 0 };
	check(&l, &a, 1, PROV_OPEN_CLOSE, /* open */ 100, /* close */ 500);
	check(&l, &a, 250, PROV_FIRST_LAST, /* open */ 100, /* last */ 400);
	arena_release(&a);
	l = (struct levels){ 0 };
	check(&l, &a, 600, PROV_OPEN_CLOSE, /* first */ 200, /* last */ 400);
	arena_release(&a);
}

static void whenever_it_is_switched_no_access_is_missed(void **state)
{
	for (int64_t from = 0; from <= 600; from += 50) {
		for (int64_t to = from; to <= 650; to += 50) {
			struct arena a = { 0 };
			struct levels l = { 0 };
			struct access x;
			struct interval i;

			levels_add(&l, &a, from, PROV_OPEN_CLOSE);
			levels_add(&l, &a, to, PROV_FIRST_LAST);
			i = seen(&l, &x);
			assert_true(i.start <= 200 && i.end >= 400);
			assert_true(i.start >= 100 && i.end <= 500);
			arena_release(&a);
		}
	}
}

static void an_access_that_was_not_counted_is_only_possible(void **state)
{
	struct arena a = { 0 };
	struct levels l = { 0 };
	struct access x;

	levels_add(&l, &a, 1, PROV_OPEN_CLOSE);
	(void)seen(&l, &x);
	assert_int_equal(x.flags, ACCESS_READ | ACCESS_UNSURE | ACCESS_READS_ON);
	levels_add(&l, &a, 350, PROV_FIRST_LAST);
	(void)seen(&l, &x);
	assert_int_equal(x.flags, ACCESS_READ);
	assert_int_equal(x.reads, 1);
	arena_release(&a);
}

static void a_file_is_not_read_that_was_only_open_for_writing(void **state)
{
	struct prov_tally t = { .opened = 100, .closed = 500, .flags = PROV_TALLY_WRITABLE };
	struct access x = { 0 };
	struct arena a = { 0 };
	struct levels l = { 0 };

	levels_add(&l, &a, 1, PROV_OPEN_CLOSE);
	levels_infer(&l, &t, /* directory= */ false, &x);
	assert_int_equal(x.flags, ACCESS_WRITE | ACCESS_UNSURE | ACCESS_WRITES_ON);
	x.flags = 0;
	levels_infer(&l, &t, /* directory= */ true, &x);
	assert_int_equal(x.flags, 0);
	arena_release(&a);
}

static void switches_are_told_in_order_and_repeats_are_none(void **state)
{
	struct arena a = { 0 };
	struct levels l = { 0 };
	struct buf text = { 0 };

	levels_add(&l, &a, 2000000000, PROV_FIRST_LAST);
	levels_add(&l, &a, 3000000000, PROV_OPEN_CLOSE);
	levels_add(&l, &a, 3000000000, PROV_OPEN_CLOSE);
	levels_add(&l, &a, 2500000000, PROV_OFF);	/* runs backwards */
	levels_add(&l, &a, 4000000000, 77);
	levels_add(&l, &a, 4500000000, PROV_OFF);
	levels_tell(&l, /* start= */ 1000000000, &text);
	assert_string_equal(text.data, "first-last, open-close after 2.000 s, off after 3.500 s");
	assert_true(levels_reach(&l, PROV_OFF, 5000000000, 0));
	assert_false(levels_reach(&l, PROV_OFF, 0, 4000000000));
	buf_release(&text);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_switch_while_a_file_is_open_gives_one_valid_interval),
		cmocka_unit_test(whenever_it_is_switched_no_access_is_missed),
		cmocka_unit_test(an_access_that_was_not_counted_is_only_possible),
		cmocka_unit_test(a_file_is_not_read_that_was_only_open_for_writing),
		cmocka_unit_test(switches_are_told_in_order_and_repeats_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
