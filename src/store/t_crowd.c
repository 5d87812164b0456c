/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_crowd.c - many programs at one SQLite file, and those that die in it */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "store/sqlite.h"
#include "store/t_facts.h"
#include "store/t_place.h"

#include <cmocka.h>

/* Each child opens, which may make the file, and puts 10 times. */
static void crowd(const char *where, size_t children, const struct sqlite_tuning *t)
{
	pid_t pids[64];
	struct store *s;

	(void)fflush(NULL);
	for (size_t i = 0; i < children; i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		CHILD_WANTS(sqlite_open_tuned(where, STORE_WRITE, t, &s) == 0);
		for (size_t k = 0; k < 10; k++)
			CHILD_WANTS(put_accesses(s, (i * 10 + k) * 20, 20) == 0);
		store_close(s);
		_exit(0);
	}
	for (size_t i = 0; i < children; i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
	s = opened(where, STORE_READ);
	assert_int_equal(count_accesses(s), children * 200);
	store_close(s);
}

static void two_programs_put_at_once(void **state)
{
	crowd(place_fresh(), 2, &(struct sqlite_tuning){ .patience_ms = 10000 });
}

static void sixty_four_ranks_put_at_once(void **state)
{
	crowd(place_fresh(), 64, &(struct sqlite_tuning){ .patience_ms = 10000 });
}

static void ten_put_at_once_on_a_network_disk(void **state)
{
	crowd(place_fresh(), 10, &(struct sqlite_tuning){ .patience_ms = 10000, .shared = true });
}

static int die(void *arg)
{
	(void)raise(SIGKILL);
	return 0;
}

/* Dies at the given point of a put of 5000; returns the signal. */
static int die_putting(const char *where, int steps, rlim_t file_size, bool shared)
{
	struct sqlite_tuning t = { .patience_ms = 1000, .shared = shared };
	int status;
	pid_t pid;

	(void)fflush(NULL);
	pid = fork();
	if (pid == 0) {
		struct store *s;

		CHILD_WANTS(sqlite_open_tuned(where, STORE_WRITE, &t, &s) == 0);
		if (steps)
			sqlite3_progress_handler(((struct sqlite_store *)s)->db, steps, die, NULL);
		if (file_size)
			(void)setrlimit(RLIMIT_FSIZE, &(struct rlimit){ file_size, file_size });
		if (!steps && !file_size)
			(void)sqlite3_commit_hook(((struct sqlite_store *)s)->db, die, NULL);
		(void)put_accesses(s, 1000, 5000);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void a_put_that_dies_leaves_the_old_state(void **state)
{
	for (int shared = 0; shared < 2; shared++) {
		const char *where = place_fresh();
		struct sqlite_tuning t = { .patience_ms = 1000, .shared = shared };
		struct store *s;

		assert_int_equal(sqlite_open_tuned(where, STORE_WRITE, &t, &s), 0);
		assert_int_equal(put_accesses(s, 0, 500), 0);
		store_close(s);
		for (int steps = 100; steps < 100000; steps *= 5)
			assert_int_equal(die_putting(where, steps, 0, shared), SIGKILL);
		assert_int_equal(die_putting(where, 0, 0, shared), SIGKILL);
		for (rlim_t size = 20000; size < 500000; size *= 2)
			assert_int_equal(die_putting(where, 0, size, shared), SIGXFSZ);
		s = opened(where, STORE_READ);
		assert_int_equal(count_accesses(s), 500);
		store_close(s);
		assert_int_equal(sqlite_open_tuned(where, STORE_WRITE, &t, &s), 0);
		assert_int_equal(put_accesses(s, 1000, 5000), 0);
		assert_int_equal(count_accesses(s), 5500);
		store_close(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_programs_put_at_once),
		cmocka_unit_test(sixty_four_ranks_put_at_once),
		cmocka_unit_test(ten_put_at_once_on_a_network_disk),
		cmocka_unit_test(a_put_that_dies_leaves_the_old_state),
	};

	return cmocka_run_group_tests(tests, place_make, place_remove);
}
