/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_union.c - several stores as one, when one fails or has another clock */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/frame.h"
#include "base/service.h"
#include "store/node.h"
#include "store/node_wire.h"
#include "store/union.h"

#include <cmocka.h>

#define SECOND INT64_C(1000000000)

static struct store *memory(void)
{
	struct store *s = NULL;

	assert_int_equal(store_open("memory:", STORE_WRITE, &s), 0);
	return s;
}

/* One that was let in and then lost its service. */
static struct store *broken(void)
{
	struct store *s = NULL;
	struct buf b = { 0 };
	int fd[2];

	buf_uint(&b, NODE_VERSION);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	assert_int_equal(frame_send(fd[1], SERVICE_OK, b.data, b.size), 0);
	assert_int_equal(node_attach(fd[0], "/run/nobody", &s), 0);
	close(fd[1]);
	buf_release(&b);
	return s;
}

struct lost {
	int times;
	char why[256];
};

static void tell(void *ctx, const char *why)
{
	struct lost *l = ctx;

	l->times++;
	(void)strncpy(l->why, why, sizeof(l->why) - 1);
}

static void one_that_fails_is_told_once_and_left_out(void **state)
{
	struct access x = { .exec = id_of("x", 1), .object = id_of("o", 1), .path = "/f" }, *v;
	struct store *own = memory(), *s;
	struct lost lost = { 0 };
	struct arena a = { 0 };
	struct run *runs;
	size_t n;

	assert_int_equal(store_put(own, &(struct facts){ .accesses = &x, .n_accesses = 1 }), 0);
	s = store_union((struct union_member[]){ { own, false }, { broken(), true } }, 2, tell,
			&lost);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(store_accesses_by_object(s, &x.object, 1, &a, &v, &n), 0);
		assert_int_equal(n, 1);
		assert_int_equal(store_runs(s, NULL, &a, &runs, &n), 0);
		assert_int_equal(store_run(s, &x.exec, &a, runs), -ENOENT);
	}
	assert_int_equal(lost.times, 1);
	assert_non_null(strstr(lost.why, "/run/nobody"));
	store_close(s);
	arena_release(&a);
}

static void one_that_must_not_fail_fails_the_question(void **state)
{
	struct store *s = store_union(
		(struct union_member[]){ { broken(), false }, { memory(), true } }, 2, NULL, NULL);
	struct arena a = { 0 };
	struct run *runs;
	size_t n;

	assert_int_equal(store_runs(s, NULL, &a, &runs, &n), -EPIPE);
	store_close(s);
	arena_release(&a);
}

static void of_none_there_is_nothing(void **state)
{
	struct store *s = store_union(NULL, 0, NULL, NULL);
	struct arena a = { 0 };
	struct run *runs;
	size_t n;

	assert_int_equal(store_runs(s, NULL, &a, &runs, &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(store_put(s, &(struct facts){ 0 }), -EROFS);
	store_close(s);
	arena_release(&a);
}

/* One program, as a store would have it that keeps this offset for the boot: it opened
 * a file `at` nanoseconds after the boot, at offset + at real time. */
static void put_program(struct store *s, const char *name, int64_t offset, int64_t at)
{
	struct id id = id_of(name, strlen(name)), object = id_of("file", 4);
	struct run r = { .id = id, .host = "h", .boot = "b", .start = at, .shift = 1000 * SECOND };
	struct execution x = { .id = id, .run = id, .start = at, .exe = "", .cwd = "" };
	struct access t = {
		.exec = id, .object = object, .path = "/f", .opened = at + 1, .flags = ACCESS_WRITE
	};
	struct name_event e = {
		.exec = id, .object = object, .from = "/f", .to = "/g", .time = at + 2
	};
	struct facts f = { .runs = &r,
			   .n_runs = 1,
			   .executions = &x,
			   .n_executions = 1,
			   .accesses = &t,
			   .n_accesses = 1,
			   .names = &e,
			   .n_names = 1 };
	int64_t kept;

	assert_int_equal(store_boot_offset(s, "h", "b", offset, &kept), 0);
	facts_shift(&f, kept);
	assert_int_equal(store_put(s, &f), 0);
}

static void check_order(struct store *s, struct arena *a, int64_t scale)
{
	struct id object = id_of("file", 4), late = id_of("late", 4), early = id_of("early", 5);
	struct name_event *e;
	struct execution *x;
	struct access *t;
	struct run r;
	size_t n;

	assert_int_equal(store_accesses_by_object(s, &object, 1, a, &t, &n), 0);
	assert_true(n == 2 && id_equal(&t[0].exec, &early) && id_equal(&t[1].exec, &late));
	assert_true(t[0].opened == scale + 5 * SECOND + 1 && t[0].closed == 0);
	assert_true(t[1].opened == scale + 6 * SECOND + 1);
	assert_int_equal(store_changes_by_object(s, &object, 1, a, &t, &n), 0);
	assert_true(n == 2 && t[1].opened == scale + 6 * SECOND + 1);
	assert_int_equal(store_run_accesses(s, &late, a, &t, &n), 0);
	assert_true(n == 1 && t[0].opened == scale + 6 * SECOND + 1);
	assert_int_equal(store_names_by_object(s, &object, 1, a, &e, &n), 0);
	assert_true(n == 2 && e[0].time == scale + 5 * SECOND + 2);
	assert_true(e[1].time == scale + 6 * SECOND + 2);
	assert_int_equal(store_executions(s, &late, 1, a, &x, &n), 0);
	assert_true(n == 1 && x->start == scale + 6 * SECOND);
	assert_int_equal(store_run(s, &late, a, &r), 0);
	assert_true(r.start == scale + 6 * SECOND);
	assert_true(r.start + r.shift == 1006 * SECOND); /* real time stays */
	assert_int_equal(store_run(s, &early, a, &r), 0);
	assert_true(r.start + r.shift == 1005 * SECOND);
}

/* The clock was set back by three seconds between the first runs of the two. */
static void a_clock_that_was_set_changes_no_order(void **state)
{
	for (int first = 0; first < 2; first++) {
		struct store *before = memory(), *after = memory(), *s;
		struct arena a = { 0 };

		put_program(before, "early", 1000 * SECOND, 5 * SECOND);
		put_program(after, "late", 997 * SECOND, 6 * SECOND);
		s = store_union((struct union_member[]){ { first ? after : before, false },
							 { first ? before : after, true } },
				2, NULL, NULL);
		check_order(s, &a, (first ? 997 : 1000) * SECOND);
		store_close(s);
		arena_release(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_that_fails_is_told_once_and_left_out),
		cmocka_unit_test(one_that_must_not_fail_fails_the_question),
		cmocka_unit_test(of_none_there_is_nothing),
		cmocka_unit_test(a_clock_that_was_set_changes_no_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
