/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_image.c - one image, in whatever order its chunks are read */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "aggregate/image.h"

/* A read that blocked has ended by "last" and fuzz: without the latter it would
 * have ended before there was anything to read. */
static void times_are_as_coarse_as_the_clock_even_if_that_is_told_later(void **state)
{
	const struct prov_tally t = {
		.reads = 1, .opened = 1000, .first_read = 1010, .last_read = 1010, .closed = 900000
	};
	const struct id object = { .b = { 1 } };
	struct levels levels = { 0 };
	uint64_t room[32] = { 0 }; /* its texts are empty */
	struct prov_start *start = (struct prov_start *)(void *)room;

	*start = (struct prov_start){ .fuzz = 32000000, .exe_size = 1, .cwd_size = 1 };
	for (int late = 0; late < 2; late++) {
		struct image_record *im = image_create("boot", 7, 100);
		struct access *a;

		if (!late)
			image_set_start(im, start);
		image_add_tally(im, image_access(im, &object, "pipe:[1]"), &levels, &t, false);
		im->n_news = 0;
		im->changed[0] = false;
		if (late)
			image_set_start(im, start);
		a = &im->accesses[0];
		assert_int_equal(a->last_read, 1010);
		assert_int_equal(a->fuzz, 32000000);
		assert_int_equal(im->n_news, late); /* to be told once more */
		image_destroy(im);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_as_coarse_as_the_clock_even_if_that_is_told_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
