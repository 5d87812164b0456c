/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_version.c - versions of one object, and what readers see of them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "build/version.h"

static struct id who(int n)
{
	struct id id = { 0 };

	memcpy(id.b, &n, sizeof(n));
	return id;
}

static struct touch reads(int n, int64_t start, int64_t end)
{
	return (struct touch){ .exec = who(n), .has_reads = true, .reads = { start, end, end } };
}

static struct touch writes(int n, int64_t start, int64_t end)
{
	return (struct touch){ .exec = who(n), .has_writes = true, .writes = { start, end, end } };
}

static struct touch cuts(int n, int64_t at)
{
	return (struct touch){ .exec = who(n), .cut = at };
}

struct history {
	struct arena arena;
	struct versions v;
};

#define HISTORY(h, ...)                                                                            \
	struct touch touches_[] = { __VA_ARGS__ };                                                 \
	struct history h = { 0 };                                                                  \
	versions_build(&(h).arena, touches_, sizeof(touches_) / sizeof(touches_[0]), &(h).v)

static void check_bounds(const struct history *h, const int64_t *bound, size_t n)
{
	assert_int_equal(h->v.n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(h->v.bound[i], bound[i]);
}

static void check_use(struct history *h, int reader, int64_t lo, int64_t hi,
		      const struct version_use *want, size_t n)
{
	struct id id = who(reader);
	struct version_use *got;

	assert_int_equal(versions_used(&h->arena, &h->v, &id, lo, hi, &got), n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(got[i].version, want[i].version);
		assert_int_equal(got[i].certain, want[i].certain);
	}
}

#define BOUNDS(h, ...)                                                                             \
	check_bounds(&(h), (const int64_t[]){ __VA_ARGS__ },                                       \
		     sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))
#define USES(h, reader, lo, hi, ...)                                                               \
	check_use(&(h), reader, lo, hi, (const struct version_use[]){ __VA_ARGS__ },               \
		  sizeof((const struct version_use[]){ __VA_ARGS__ }) /                            \
			  sizeof(struct version_use))

static void check_makers(struct history *h, uint32_t version, const int *want, size_t n)
{
	struct maker *m;
	size_t all = versions_makers(&h->arena, &h->v, NULL, &m), found = 0;

	for (size_t i = 0; i < all; i++) {
		struct id id;

		if (m[i].version != version)
			continue;
		assert_true(found < n);
		id = who(want[found++]);
		assert_true(id_equal(&h->v.makings[m[i].making].exec, &id));
	}
	assert_int_equal(found, n);
}

#define MAKERS(h, version, ...)                                                                    \
	check_makers(&(h), version, (const int[]){ __VA_ARGS__ },                                  \
		     sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int))

static void an_object_nobody_wrote_has_one_version(void **state)
{
	HISTORY(h, reads(1, 5, 6));
	BOUNDS(h, 0);
	USES(h, 1, 5, 6, { 0, true });
	arena_release(&h.arena);
}

static void a_read_uses_the_newest_finished_write(void **state)
{
	HISTORY(h, writes(1, 10, 20), reads(2, 25, 26), writes(3, 30, 40), reads(4, 45, 46),
		reads(5, 1, 2));
	BOUNDS(h, 0, 20, 40);
	USES(h, 5, 1, 2, { 0, true });
	USES(h, 2, 25, 26, { 1, true });
	USES(h, 4, 45, 46, { 2, true });
	MAKERS(h, 1, 1);
	MAKERS(h, 2, 3);
	arena_release(&h.arena);
}

/* T1 = [10, 30] writes, T2 = [20, 40] reads: T2 depends on what T1 made at its
 * end, not on what was there at its start. */
static void figure_6_a_reader_that_starts_during_a_write_sees_its_end(void **state)
{
	struct id t2 = who(2);

	HISTORY(h, writes(1, 10, 30), reads(2, 20, 40));
	BOUNDS(h, 0, 30);
	assert_int_equal(versions_lps(&h.v, &t2, 20, 40), 1);
	USES(h, 2, 20, 40, { 0, false }, { 1, false });
	MAKERS(h, 1, 1);
	arena_release(&h.arena);
}

/* T1 = [10, 30] reads, T2 = [20, 40] writes: T1 depends on the version that T2
 * creates at 40; in the graph on the part of it that was there at 30. */
static void figure_6_a_writer_that_starts_during_a_read_feeds_it(void **state)
{
	struct id t1 = who(1);

	HISTORY(h, reads(1, 10, 30), writes(2, 20, 40));
	BOUNDS(h, 0, 30, 40);
	assert_int_equal(h.v.bound[versions_lps(&h.v, &t1, 10, 30)], 40);
	USES(h, 1, 10, 30, { 0, false }, { 1, false });
	MAKERS(h, 1, 2);
	MAKERS(h, 2, 2);
	arena_release(&h.arena);
}

static void figure_6_two_reads_do_not_depend_on_each_other(void **state)
{
	HISTORY(h, reads(1, 10, 30), reads(2, 20, 40));
	BOUNDS(h, 0);
	USES(h, 1, 10, 30, { 0, true });
	USES(h, 2, 20, 40, { 0, true });
	arena_release(&h.arena);
}

static void figure_6_two_writes_make_two_versions(void **state)
{
	HISTORY(h, writes(1, 10, 30), writes(2, 20, 40));
	BOUNDS(h, 0, 30, 40);
	MAKERS(h, 1, 1, 2);
	MAKERS(h, 2, 2);
	arena_release(&h.arena);
}

/* Every order of the six ends in which r0 overlaps w0 and w1. */
static void figure_7_gives_version_4_for_every_interleaving(void **state)
{
	struct id r0 = who(9);
	int legal = 0;

	for (int code = 0; code < 46656; code++) {
		int64_t at[6]; /* w0 start, end, w1 start, end, r0 start, end */
		bool ok = true;

		for (int i = 0, c = code; i < 6; i++, c /= 6)
			at[i] = 1 + c % 6;
		for (int i = 0; i < 6; i++)
			for (int j = 0; j < i; j++)
				ok &= at[i] != at[j];
		ok &= at[0] < at[1] && at[2] < at[3] && at[4] < at[5];
		ok &= at[4] < at[1] && at[5] > at[0] && at[4] < at[3] && at[5] > at[2];
		if (!ok)
			continue;
		legal++;
		HISTORY(h, writes(1, at[0], at[1]), writes(2, at[2], at[3]),
			reads(9, at[4], at[5]));
		assert_int_equal(versions_lps_number(&h.v, &r0, at[4], at[5]), 4);
		arena_release(&h.arena);
	}
	assert_true(legal >= 24);
}

static void the_order_of_figure_7_numbers_as_the_figure_does(void **state)
{
	struct id r0 = who(9), nobody = who(8);

	HISTORY(h, writes(1, 1, 6), writes(2, 2, 4), reads(9, 3, 5));
	assert_int_equal(versions_lps_number(&h.v, &nobody, 1, 1), 4);
	assert_int_equal(versions_lps_number(&h.v, &r0, 3, 5), 4);
	BOUNDS(h, 0, 4, 5, 6);
	USES(h, 9, 3, 5, { 0, false }, { 2, false });
	arena_release(&h.arena);
}

static void a_reader_that_ends_inside_a_write_cuts_a_version(void **state)
{
	HISTORY(h, writes(1, 10, 50), reads(2, 20, 25), reads(3, 30, 35));
	BOUNDS(h, 0, 25, 35, 50);
	USES(h, 2, 20, 25, { 0, false }, { 1, false });
	USES(h, 3, 30, 35, { 1, false }, { 2, false });
	MAKERS(h, 3, 1);
	arena_release(&h.arena);
}

static void reading_back_what_one_writes_oneself_cuts_nothing(void **state)
{
	HISTORY(h, writes(1, 10, 50), reads(1, 20, 30));
	BOUNDS(h, 0, 50);
	USES(h, 1, 20, 30, { 0, true });
	arena_release(&h.arena);
}

static void a_reader_after_a_cut_sees_nothing_older(void **state)
{
	struct touch w = writes(2, 31, 40);

	w.cut = 30;
	HISTORY(h, writes(1, 10, 20), w, reads(3, 35, 50));
	BOUNDS(h, 0, 20, 40);
	USES(h, 3, 35, 50, { 2, false });
	assert_int_equal(version_cut(&h.v, 20, 40), 30);
	assert_int_equal(version_cut(&h.v, 30, 40), 0);
	arena_release(&h.arena);
}

static void a_reader_that_began_before_a_cut_may_have_seen_both_sides(void **state)
{
	struct touch w = writes(2, 30, 40);

	w.cut = 30;
	HISTORY(h, writes(1, 15, 20), w, reads(3, 10, 50));
	BOUNDS(h, 0, 20, 40);
	USES(h, 3, 10, 50, { 0, false }, { 1, false }, { 2, false });
	arena_release(&h.arena);
}

static void a_redirection_is_made_by_the_command_that_writes(void **state)
{
	HISTORY(h, cuts(1, 10), writes(2, 20, 30));
	BOUNDS(h, 0, 30);
	MAKERS(h, 1, 2);
	arena_release(&h.arena);
}

static void a_redirection_that_nobody_writes_to_has_a_maker(void **state)
{
	HISTORY(h, writes(2, 1, 5), cuts(1, 10));
	BOUNDS(h, 0, 5, 10);
	MAKERS(h, 2, 1);
	assert_false(h.v.makings[1].data);
	arena_release(&h.arena);
}

static void a_file_that_was_only_created_has_a_maker(void **state)
{
	struct touch t = { .exec = who(1), .made = 10 };

	HISTORY(h, t);
	BOUNDS(h, 0, 10);
	MAKERS(h, 1, 1);
	arena_release(&h.arena);
}

static void a_reader_between_the_cut_and_the_first_write_sees_an_empty_version(void **state)
{
	HISTORY(h, writes(5, 1, 3), cuts(1, 10), reads(3, 12, 13), writes(2, 20, 30));
	BOUNDS(h, 0, 3, 10, 30);
	USES(h, 3, 12, 13, { 2, true });
	arena_release(&h.arena);
}

static void a_million_accesses_are_sorted_not_searched(void **state)
{
	enum { N = 1000000 };
	struct touch *t = calloc(N, sizeof(*t));
	struct arena a = { 0 };
	struct versions v;
	struct maker *m;
	int64_t began = clock_mono(), took;
	uint64_t x = 88172645463325252ull;
	size_t makers;

	assert_non_null(t);
	for (int i = 0; i < N; i++) {
		int64_t start;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		start = 1 + (int64_t)(x % (100 * (uint64_t)N));
		t[i] = i % 2 ? reads(i, start, start + 150) : writes(i, start, start + 150);
	}
	versions_build(&a, t, N, &v);
	makers = versions_makers(&a, &v, NULL, &m);
	took = clock_mono() - began;
	print_message("1000000 accesses, %zu versions, %zu makers: %lld ms\n", v.n, makers,
		      (long long)took / 1000000);
	assert_true(v.n > N / 2 && v.n <= N + 1);
	assert_true(took < 30000000000); /* pair by pair it would be an hour */
	arena_release(&a);
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_object_nobody_wrote_has_one_version),
		cmocka_unit_test(a_read_uses_the_newest_finished_write),
		cmocka_unit_test(figure_6_a_reader_that_starts_during_a_write_sees_its_end),
		cmocka_unit_test(figure_6_a_writer_that_starts_during_a_read_feeds_it),
		cmocka_unit_test(figure_6_two_reads_do_not_depend_on_each_other),
		cmocka_unit_test(figure_6_two_writes_make_two_versions),
		cmocka_unit_test(figure_7_gives_version_4_for_every_interleaving),
		cmocka_unit_test(the_order_of_figure_7_numbers_as_the_figure_does),
		cmocka_unit_test(a_reader_that_ends_inside_a_write_cuts_a_version),
		cmocka_unit_test(reading_back_what_one_writes_oneself_cuts_nothing),
		cmocka_unit_test(a_reader_after_a_cut_sees_nothing_older),
		cmocka_unit_test(a_reader_that_began_before_a_cut_may_have_seen_both_sides),
		cmocka_unit_test(a_redirection_is_made_by_the_command_that_writes),
		cmocka_unit_test(a_redirection_that_nobody_writes_to_has_a_maker),
		cmocka_unit_test(a_file_that_was_only_created_has_a_maker),
		cmocka_unit_test(
			a_reader_between_the_cut_and_the_first_write_sees_an_empty_version),
		cmocka_unit_test(a_million_accesses_are_sorted_not_searched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
