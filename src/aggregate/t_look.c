/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_look.c - the second look at the files of a run, by many at once */
#include "aggregate/look.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aggregate/crew.h"
#include "base/hash.h"
#include "model/key.h"

#include <cmocka.h>

#define N 300

static char dir[] = "/tmp/t_look.XXXXXX";
static char names[N][64];
static struct object_note notes[N];
static struct look looks[N];

static void write_file(const char *name, size_t size)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(write(fd, "x", 1), 1);
	(void)close(fd);
}

/* N files of 0, 1, 2, ... bytes, known to the run. */
static int setup(void **state)
{
	(void)state;
	memcpy(dir, "/tmp/t_look.XXXXXX", sizeof(dir));
	if (!mkdtemp(dir))
		return -1;
	memset(notes, 0, sizeof(notes));
	memset(looks, 0, sizeof(looks));
	for (size_t i = 0; i < N; i++) {
		snprintf(names[i], sizeof(names[i]), "%s/%zu", dir, i);
		write_file(names[i], i);
		if (object_of_path(names[i], &notes[i].object) < 0)
			return -1;
		notes[i].object.size = -1;
		notes[i].path = names[i];
		looks[i].note = &notes[i];
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (size_t i = 0; i < N; i++)
		(void)unlink(names[i]);
	return rmdir(dir);
}

static void every_file_gets_its_size_and_digest(void **state)
{
	char content[N];

	(void)state;
	memset(content, 'x', sizeof(content));
	assert_int_equal(looks_take(looks, N), N);
	looks_hash(looks, N, 1 << 20);
	for (size_t i = 0; i < N; i++) {
		uint8_t digest[SHA256_SIZE];

		sha256_once(content, i, digest);
		assert_int_equal(notes[i].object.size, i);
		assert_true(notes[i].object.hashed);
		assert_memory_equal(notes[i].object.sha256, digest, sizeof(digest));
	}
}

static void with_little_to_spend_the_smallest_are_hashed(void **state)
{
	(void)state;
	assert_int_equal(looks_take(looks, N), N);
	looks_hash(looks, N, 0 + 1 + 2 + 3 + 4 + 4);
	for (size_t i = 0; i < N; i++)
		assert_int_equal(notes[i].object.hashed, i <= 4);
}

static void with_nothing_to_spend_not_even_an_empty_file_is_opened(void **state)
{
	(void)state;
	assert_int_equal(looks_take(looks, N), N);
	looks_hash(looks, N, 0);
	for (size_t i = 0; i < N; i++)
		assert_false(notes[i].object.hashed);
}

static void sizes_that_add_up_to_more_than_a_number_holds_are_too_many(void **state)
{
	(void)state;
	assert_int_equal(looks_take(looks, 3), 3);
	for (size_t i = 0; i < 3; i++)
		looks[i].now.size = INT64_MAX;
	looks_hash(looks, 3, 1000);
	for (size_t i = 0; i < 3; i++)
		assert_false(notes[i].object.hashed);
}

static void another_file_of_that_name_is_left_alone(void **state)
{
	char spare[80];

	(void)state;
	/* the old one stays, so that its inode is not given to the new one */
	snprintf(spare, sizeof(spare), "%s.old", names[1]);
	assert_int_equal(rename(names[1], spare), 0);
	write_file(names[1], 9);
	assert_int_equal(unlink(names[2]), 0);
	assert_int_equal(looks_take(looks, N), N - 2);
	assert_int_equal(notes[1].object.size, -1);
	assert_int_equal(notes[2].object.size, -1);
	looks_hash(looks, N - 2, 1 << 20);
	assert_false(notes[1].object.hashed);
	assert_true(notes[3].object.hashed);
	assert_int_equal(unlink(spare), 0);
}

static void a_file_that_changes_meanwhile_gets_no_digest(void **state)
{
	(void)state;
	assert_int_equal(looks_take(looks, N), N);
	write_file(names[7], 70);
	looks_hash(looks, N, 1 << 20);
	assert_false(notes[7].object.hashed);
	assert_true(notes[8].object.hashed);
}

static void count(void *ctx, size_t i)
{
	(void)__atomic_add_fetch((unsigned *)ctx + i, 1, __ATOMIC_RELAXED);
}

static void a_crew_does_everything_once(void **state)
{
	static const size_t sizes[] = { 0, 1, 31, 32, 33, 64, 65, 5000 };

	(void)state;
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		unsigned *done = calloc(sizes[k] + 1, sizeof(*done));

		assert_non_null(done);
		crew_do(sizes[k], count, done);
		for (size_t i = 0; i <= sizes[k]; i++)
			assert_int_equal(done[i], i < sizes[k]);
		free(done);
	}
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(every_file_gets_its_size_and_digest),
		T(with_little_to_spend_the_smallest_are_hashed),
		T(with_nothing_to_spend_not_even_an_empty_file_is_opened),
		T(sizes_that_add_up_to_more_than_a_number_holds_are_too_many),
		T(another_file_of_that_name_is_left_alone),
		T(a_file_that_changes_meanwhile_gets_no_digest),
		cmocka_unit_test(a_crew_does_everything_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
