/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_subject.c - what people type finds what they mean */
#include "base/err.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "model/key.h"
#include "query/scene.h"

static struct arena arena;

static int find(struct scene *c, const char *text, const char *kinds, struct subject *out)
{
	return subject_find(c->s, text, kinds, &arena, out);
}

static struct id id_ending(uint8_t first, uint8_t last)
{
	struct id id = { .b = { first } };

	id.b[15] = last;
	return id;
}

static void begin(struct scene *c)
{
	struct run runs[] = {
		{ .id = id_ending(0xab, 1), .name = "first", .start = 100 },
		{ .id = id_ending(0xab, 2), .name = "second", .start = 200 },
		{ .id = id_ending(0xcd, 3), .name = "first", .start = 300 },
	};

	scene_open(c);
	assert_int_equal(store_put(c->s, &(struct facts){ .runs = runs, .n_runs = 3 }), 0);
}

static int end(struct scene *c)
{
	scene_close(c);
	arena_release(&arena);
	return 0;
}

static void check_run(struct scene *c, const char *text, uint8_t last)
{
	struct subject s;

	assert_int_equal(find(c, text, "ro", &s), 0);
	assert_int_equal(s.kind, ID_RUN);
	assert_int_equal(s.id.b[15], last);
	assert_null(s.path);
}

static void runs_are_found_by_recency_name_and_beginning(void **state)
{
	struct scene c;

	begin(&c);
	check_run(&c, "last", 3);
	check_run(&c, "@", 3);
	check_run(&c, "@0", 3);
	check_run(&c, "@2", 1);
	check_run(&c, "second", 2);
	check_run(&c, "first", 3); /* the newest of that name */
	check_run(&c, "rcd00", 3);
	check_run(&c, "rab000000000000000000000000000001", 1);
	end(&c);
}

static void an_ambiguous_beginning_lists_candidates(void **state)
{
	struct scene c;
	struct subject s;

	begin(&c);
	assert_int_equal(find(&c, "rab00", "r", &s), -EINVAL);
	assert_non_null(strstr(fail_text(), "rab000000000000000000000000000001"));
	assert_non_null(strstr(fail_text(), "rab000000000000000000000000000002"));
	end(&c);
}

static void what_does_not_exist_is_said_with_what_to_do(void **state)
{
	struct scene c;
	struct subject s;

	begin(&c);
	assert_int_equal(find(&c, "ref.fa", "ro", &s), -ENOENT);
	assert_non_null(strstr(fail_text(), "ref.fa: no recorded run touched this file (store: "));
	assert_non_null(strstr(fail_text(), "prov run -- COMMAND"));
	assert_int_equal(find(&c, "nothing", "r", &s), -ENOENT);
	assert_non_null(strstr(fail_text(), "nothing: no such run"));
	assert_int_equal(find(&c, "x1234", "x", &s), -ENOENT);
	assert_int_equal(find(&c, "@3", "r", &s), -ENOENT);
	assert_int_equal(find(&c, "@x", "r", &s), -ENOENT);
	assert_int_equal(find(&c, "", "ro", &s), -ENOENT);
	end(&c);
}

static void a_kind_that_is_not_welcome_is_not_found(void **state)
{
	struct scene c;
	struct subject s;

	begin(&c);
	assert_int_equal(find(&c, "rcd00", "o", &s), -ENOENT);
	assert_int_equal(find(&c, "last", "o", &s), -ENOENT);
	end(&c);
}

static void a_path_means_the_object_it_is_now(void **state)
{
	char path[] = "/tmp/prov-t-subject-XXXXXX", link[64];
	int fd = mkstemp(path);
	struct object now;
	struct scene c;
	struct subject s;

	assert_true(fd >= 0);
	close(fd);
	begin(&c);
	assert_int_equal(object_of_path(path, &now), 0);
	/* another object had the name more recently than this one was touched */
	scene_access(&c, scene_write(1, 50, path, 900, 910));
	assert_int_equal(find(&c, path, "o", &s), 0);
	assert_int_equal(s.id.b[15], 50);
	assert_int_equal(store_put(c.s, &(struct facts){ .objects = &now, .n_objects = 1 }), 0);
	assert_int_equal(find(&c, path, "o", &s), 0);
	assert_true(id_equal(&s.id, &now.id));
	assert_string_equal(s.path, path);
	snprintf(link, sizeof(link), "%s.link", path);
	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(find(&c, link, "o", &s), 0);
	assert_true(id_equal(&s.id, &now.id));
	unlink(link);
	unlink(path);
	/* gone: whoever had the name last */
	assert_int_equal(find(&c, path, "o", &s), 0);
	assert_int_equal(s.id.b[15], 50);
	end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_found_by_recency_name_and_beginning),
		cmocka_unit_test(an_ambiguous_beginning_lists_candidates),
		cmocka_unit_test(what_does_not_exist_is_said_with_what_to_do),
		cmocka_unit_test(a_kind_that_is_not_welcome_is_not_found),
		cmocka_unit_test(a_path_means_the_object_it_is_now),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
