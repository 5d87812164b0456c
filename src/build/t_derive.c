/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_derive.c - derivations run from later to earlier versions */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "build/derive.h"

enum { X = 0, Y = 1, Z = 2, CHILD = 3 };

static const struct derive_version versions[] = {
	{ { { 1 } }, 0, 0 },   /* 0: an input */
	{ { { 2 } }, 1, 100 }, /* 1 */
	{ { { 3 } }, 1, 100 }, /* 2: the same moment as 1, larger id */
	{ { { 4 } }, 1, 200 }, /* 3 */
};

struct result {
	struct arena arena;
	struct derivation *at;
	size_t n, skipped;
};

static struct result run(struct derive d)
{
	struct result r = { 0 };

	d.versions = versions;
	r.n = derive(&r.arena, &d, &r.at, &r.skipped);
	return r;
}

static void a_version_derives_from_what_was_read_before_its_last_write(void **state)
{
	struct derive_use uses[] = { { X, 0, 50, true }, { X, 1, 201, true } };
	struct derive_make makes[] = { { X, 3, 200, true } };
	struct result r =
		run((struct derive){ .uses = uses, .n_uses = 2, .makes = makes, .n_makes = 1 });

	assert_int_equal(r.n, 1);
	assert_int_equal(r.at[0].from, 3);
	assert_int_equal(r.at[0].to, 0);
	assert_true(r.at[0].certain);
	arena_release(&r.arena);
}

static void of_two_versions_of_one_moment_only_one_derives_from_the_other(void **state)
{
	struct derive_use uses[] = { { X, 1, 50, true }, { Y, 2, 50, true } };
	struct derive_make makes[] = { { X, 2, 100, true }, { Y, 1, 100, true } };
	struct result r =
		run((struct derive){ .uses = uses, .n_uses = 2, .makes = makes, .n_makes = 2 });

	assert_int_equal(r.n, 1);
	assert_int_equal(r.at[0].from, 2);
	assert_int_equal(r.at[0].to, 1);
	arena_release(&r.arena);
}

static void what_either_side_is_unsure_of_is_possible(void **state)
{
	struct derive_use uses[] = { { X, 0, 50, false }, { Y, 0, 50, true }, { Z, 0, 50, true } };
	struct derive_make makes[] = {
		{ X, 1, 100, true }, { Y, 2, 100, false }, { Y, 3, 200, true }, { Z, 2, 100, true }
	};
	struct result r =
		run((struct derive){ .uses = uses, .n_uses = 3, .makes = makes, .n_makes = 4 });

	assert_int_equal(r.n, 3);
	assert_false(r.at[0].certain); /* 1 from 0 */
	assert_true(r.at[1].certain);  /* 2 from 0: by Z, although by Y only possibly */
	assert_true(r.at[2].certain);  /* 3 from 0 */
	arena_release(&r.arena);
}

static void a_fork_derives_from_what_its_parents_had_read_by_then(void **state)
{
	struct derive_use uses[] = { { X, 0, 50, true }, { Y, 1, 60, true }, { Y, 2, 90, true } };
	struct derive_make makes[] = { { CHILD, 3, 200, true } };
	struct derive_fork forks[] = { { CHILD, Y, 80 }, { Y, X, 55 } };
	struct result r = run((struct derive){ .uses = uses,
					       .n_uses = 3,
					       .makes = makes,
					       .n_makes = 1,
					       .forks = forks,
					       .n_forks = 2 });

	assert_int_equal(r.n, 2);
	assert_int_equal(r.at[0].to, 0);
	assert_int_equal(r.at[1].to, 1);
	arena_release(&r.arena);
}

static void forks_in_a_circle_end(void **state)
{
	struct derive_use uses[] = { { X, 0, 50, true } };
	struct derive_make makes[] = { { X, 3, 200, true } };
	struct derive_fork forks[] = { { X, Y, 80 }, { Y, X, 80 } };
	struct result r = run((struct derive){ .uses = uses,
					       .n_uses = 1,
					       .makes = makes,
					       .n_makes = 1,
					       .forks = forks,
					       .n_forks = 2 });

	assert_int_equal(r.n, 1);
	arena_release(&r.arena);
}

static void an_execution_with_too_many_pairs_is_left_out_and_counted(void **state)
{
	struct derive_use uses[] = { { X, 0, 50, true }, { X, 1, 50, true }, { Y, 0, 50, true } };
	struct derive_make makes[] = { { X, 2, 100, true },
				       { X, 3, 200, true },
				       { Y, 3, 200, true } };
	struct result r = run((struct derive){
		.uses = uses, .n_uses = 3, .makes = makes, .n_makes = 3, .most_pairs = 3 });

	assert_int_equal(r.skipped, 1);
	assert_int_equal(r.n, 1);
	arena_release(&r.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_version_derives_from_what_was_read_before_its_last_write),
		cmocka_unit_test(of_two_versions_of_one_moment_only_one_derives_from_the_other),
		cmocka_unit_test(what_either_side_is_unsure_of_is_possible),
		cmocka_unit_test(a_fork_derives_from_what_its_parents_had_read_by_then),
		cmocka_unit_test(forks_in_a_circle_end),
		cmocka_unit_test(an_execution_with_too_many_pairs_is_left_out_and_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
