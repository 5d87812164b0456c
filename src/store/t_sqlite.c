/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_sqlite.c - the SQLite file among damage, locks and walls */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "store/sqlite.h"
#include "store/t_facts.h"
#include "store/t_place.h"

#include <cmocka.h>

static const struct sqlite_tuning hasty = { .patience_ms = 50 };
static void filled(const char *where, uint64_t seed)
{
	struct arena a = { 0 };
	struct facts f = facts_random(&a, seed);
	struct store *s = opened(where, STORE_WRITE);

	assert_int_equal(store_put(s, &f), 0);
	assert_int_equal(put_accesses(s, 0, 300), 0);
	store_close(s);
	arena_release(&a);
}

/* The error says all of: which file, what is wrong, what to do. */
static void assert_said(const char *file, const char *what)
{
	if (!strstr(fail_text(), file) || !strstr(fail_text(), what))
		fail_msg("said: %s", fail_text());
}

static void mode_set(const char *where, const char *suffix, mode_t mode)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s%s", where, suffix);
	assert_int_equal(chmod(b.data, mode), 0);
	buf_release(&b);
}

static mode_t mode_of(const char *where, const char *suffix)
{
	struct buf b = { 0 };
	struct stat st = { 0 };

	buf_printf(&b, "%s%s", where, suffix);
	(void)stat(b.data, &st);
	buf_release(&b);
	return st.st_mode & 07777;
}

static void reading_makes_nothing(void **state)
{
	const char *where = place_fresh();
	struct store *s;

	assert_int_equal(store_open(where, STORE_READ, &s), -ENOENT);
	assert_said(where, "prov run");
	assert_int_equal(access(where, F_OK), -1);
	filled(where, 1);
	store_close(opened(where, STORE_READ));
	assert_int_equal(mode_of(where, "-wal"), 0);
	assert_int_equal(mode_of(where, "-shm"), 0);
}

static void only_the_owner_may_read(void **state)
{
	struct buf b = { 0 };
	mode_t mask = umask(0);
	struct store *s;

	buf_printf(&b, "%s/new/deeper/prov.db", place);
	s = opened(b.data, STORE_WRITE);
	assert_int_equal(put_accesses(s, 0, 10), 0);
	assert_int_equal(mode_of(b.data, ""), 0600);
	assert_int_equal(mode_of(b.data, "-wal"), 0600);
	assert_int_equal(mode_of(b.data, "-shm"), 0600);
	store_close(s);
	*strrchr(b.data, '/') = 0;
	assert_int_equal(mode_of(b.data, ""), 0700);
	(void)umask(mask);
	buf_release(&b);
}

static void write_file(const char *where, const void *p, size_t n)
{
	FILE *f = fopen(where, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static void something_else_is_not_taken_for_a_store(void **state)
{
	const char *where = place_fresh();
	struct buf garbage = { 0 };
	struct store *s;
	sqlite3 *db;

	for (int i = 0; i < 5000; i++)
		buf_char(&garbage, (char)(i * 7 + 1));
	write_file(where, garbage.data, garbage.size);
	buf_release(&garbage);
	assert_int_equal(store_open(where, STORE_READ, &s), -EBADMSG);
	assert_said(where, "move it away");
	assert_int_equal(store_open(where, STORE_WRITE, &s), -EBADMSG);
	where = place_fresh();
	assert_int_equal(sqlite3_open(where, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE t(x)", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	assert_int_equal(store_open(where, STORE_WRITE, &s), -EMEDIUMTYPE);
	assert_said(where, "another program");
	assert_int_equal(store_open(place, STORE_WRITE, &s) < 0, 1);
	assert_said(place, "");
}

static void a_newer_schema_asks_for_a_newer_prov(void **state)
{
	const char *where = place_fresh();
	struct store *s;
	sqlite3 *db;

	filled(where, 1);
	assert_int_equal(sqlite3_open(where, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 999", NULL, NULL, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	assert_int_equal(store_open(where, STORE_READ, &s), -EPROTO);
	assert_said(where, "newer prov (schema 999");
	assert_int_equal(store_open(where, STORE_WRITE, &s), -EPROTO);
}

/* Every question either answers or fails with a sentence. */
static int ask_everything(const char *where)
{
	struct arena a = { 0 };
	struct facts f = facts_random(&a, 1);
	struct id x = id_of("x", 1), r = f.runs->id;
	struct execution *executions;
	struct access *accesses;
	struct object *objects;
	struct store_info info;
	struct named *named;
	struct run *runs;
	struct hole *holes;
	struct store *s;
	size_t n;
	int failed = 0;

	(void)(fail)(0, "%s", "");
	if (store_open(where, STORE_READ, &s) < 0) {
		arena_release(&a);
		return fail_text()[0] ? 1 : -1;
	}
	failed += store_runs(s, NULL, &a, &runs, &n) < 0;
	failed += store_run_executions(s, &r, &a, &executions, &n) < 0;
	failed += store_run_accesses(s, &r, &a, &accesses, &n) < 0;
	failed += store_run_holes(s, &r, &a, &holes, &n) < 0;
	failed += store_accesses_by_execution(s, &x, 1, &a, &accesses, &n) < 0;
	failed += store_accesses_by_object(s, &f.accesses->object, 1, &a, &accesses, &n) < 0;
	failed += store_objects(s, &f.objects->id, 1, &a, &objects, &n) < 0;
	failed += store_objects_by_path(s, "/data/7", &a, &named, &n) < 0;
	failed += store_info(s, &a, &info) < 0;
	store_close(s);
	arena_release(&a);
	return failed && !fail_text()[0] ? -1 : failed;
}

static void damage_is_told_and_never_fatal(void **state)
{
	const char *where = place_fresh();
	struct buf good = { 0 }, bad = { 0 };
	int noticed = 0, r;
	size_t size;
	FILE *f;
	char c;

	filled(where, 1);
	f = fopen(where, "r");
	while (fread(&c, 1, 1, f) == 1)
		buf_char(&good, c);
	(void)fclose(f);
	size = good.size;
	assert_int_equal(ask_everything(where), 0);
	for (size_t cut = 1; cut < size; cut = cut * 3 + 50) {
		write_file(where, good.data, cut);
		r = ask_everything(where);
		assert_true(r > 0);
	}
	for (unsigned i = 0; i < 400; i++) {
		buf_clear(&bad);
		buf_append(&bad, good.data, size);
		for (unsigned k = 0; k < 8; k++)
			bad.data[(i * 2654435761u + k * 40503u) % size] ^= (char)(1 + i % 255);
		write_file(where, bad.data, size);
		r = ask_everything(where);
		assert_true(r >= 0);
		noticed += r > 0;
	}
	assert_true(noticed > 50);
	buf_release(&good);
	buf_release(&bad);
}

static void a_locked_store_says_so(void **state)
{
	const char *where = place_fresh();
	struct store *s;
	sqlite3 *db;

	filled(where, 1);
	assert_int_equal(sqlite_open_tuned(where, STORE_WRITE, &hasty, &s), 0);
	assert_int_equal(sqlite3_open(where, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(put_accesses(s, 1000, 10), -EBUSY);
	assert_said(where, "run the command again");
	assert_int_equal(count_accesses(s) > 300, 1);
	assert_int_equal(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(put_accesses(s, 1000, 10), 0);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	store_close(s);
}

static void a_full_disk_keeps_the_old_state(void **state)
{
	struct sqlite_tuning small = { .patience_ms = 50, .most_pages = 60 };
	const struct id exec = id_of("x", 1);
	const char *where = place_fresh();
	struct arena a = { 0 };
	struct access *found;
	struct store *s;
	size_t n;

	assert_int_equal(sqlite_open_tuned(where, STORE_WRITE, &small, &s), 0);
	assert_int_equal(put_accesses(s, 0, 100), 0);
	assert_int_equal(put_accesses(s, 100, 20000), -ENOSPC);
	assert_said(where, "nothing is lost");
	assert_int_equal(count_accesses(s), 100);
	assert_int_equal(put_accesses(s, 100, 50), 0);
	assert_int_equal(count_accesses(s), 150);
	store_close(s);
	/* none of them names a row that was taken back */
	s = opened(where, STORE_READ);
	assert_int_equal(store_accesses_by_execution(s, &exec, 1, &a, &found, &n), 0);
	assert_int_equal(n, 150);
	store_close(s);
	arena_release(&a);
}

/* What was looked up while it was filled is not there when it is opened again. */
static void a_store_opened_anew_answers_the_same(void **state)
{
	for (uint64_t seed = 1; seed < 20; seed++) {
		struct buf expected = { 0 }, got = { 0 };
		const char *where = place_fresh();
		struct arena a = { 0 };
		struct facts f = facts_random(&a, seed);
		struct store *s = opened(where, STORE_WRITE);

		assert_int_equal(store_put(s, &f), 0);
		facts_dump(s, &f, &expected);
		store_close(s);
		s = opened(where, STORE_READ);
		facts_dump(s, &f, &got);
		store_close(s);
		assert_string_equal(got.data, expected.data);
		buf_release(&got);
		buf_release(&expected);
		arena_release(&a);
	}
}

/* For root no wall stands; without these two capabilities it is like anybody. */
static int walls_stand(void)
{
	const uint32_t drop = 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH;
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data) < 0)
		return 0;
	data[0].effective &= ~drop;
	data[0].permitted &= ~drop;
	return syscall(SYS_capset, &head, data) == 0;
}

/* Runs the body as a child that permissions of files apply to. */
static void in_child(void (*body)(const char *where), const char *where)
{
	int status;
	pid_t pid;

	(void)fflush(NULL);
	pid = fork();
	if (pid == 0) {
		if (!walls_stand())
			_exit(9);
		body(where);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void read_but_not_write(const char *where)
{
	struct store *s;

	CHILD_WANTS(store_open(where, STORE_WRITE, &s) == -EROFS && strstr(fail_text(), where));
	CHILD_WANTS(store_open(where, STORE_READ, &s) == 0);
	CHILD_WANTS(count_accesses(s) >= 300);
	CHILD_WANTS(put_accesses(s, 0, 1) == -EROFS);
	store_close(s);
}

static void neither_read_nor_make(const char *where)
{
	struct store *s;
	char other[200];

	CHILD_WANTS(store_open(where, STORE_READ, &s) == -EACCES && strstr(fail_text(), where));
	(void)snprintf(other, sizeof(other), "%s.new", where);
	CHILD_WANTS(store_open(other, STORE_WRITE, &s) == -EACCES && strstr(fail_text(), other));
	(void)snprintf(other, sizeof(other), "%s.dir/x/y.db", where);
	CHILD_WANTS(store_open(other, STORE_WRITE, &s) == -EACCES &&
		    strstr(fail_text(), "PROV_STORE"));
}

static void be_told_to_copy(const char *where)
{
	struct store *s;

	CHILD_WANTS(store_open(where, STORE_READ, &s) == -EROFS && strstr(fail_text(), "-wal"));
}

/* A put that is kept, by a program that then dies without closing. */
static void put_and_die(const char *where)
{
	pid_t pid;

	(void)fflush(NULL);
	pid = fork();
	if (pid == 0) {
		struct store *s;

		CHILD_WANTS(store_open(where, STORE_WRITE, &s) == 0);
		CHILD_WANTS(put_accesses(s, 5000, 100) == 0);
		(void)raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static unsigned entries(void)
{
	DIR *d = opendir(place);
	unsigned n = 0;

	while (readdir(d))
		n++;
	(void)closedir(d);
	return n;
}

static void walls_are_named_and_a_read_only_store_can_be_read(void **state)
{
	const char *where = place_fresh();
	struct store *s;
	unsigned before;

	filled(where, 1);
	before = entries();
	assert_int_equal(chmod(where, 0444), 0);
	assert_int_equal(chmod(place, 0555), 0);
	in_child(read_but_not_write, where);
	assert_int_equal(chmod(where, 0), 0);
	in_child(neither_read_nor_make, where);
	assert_int_equal(entries(), before);
	assert_int_equal(chmod(place, 0700), 0);
	assert_int_equal(chmod(where, 0600), 0);
	put_and_die(where);
	assert_int_equal(chmod(place, 0555), 0);
	mode_set(where, "", 0444);
	mode_set(where, "-wal", 0);
	mode_set(where, "-shm", 0);
	in_child(be_told_to_copy, where);
	assert_int_equal(chmod(place, 0700), 0);
	mode_set(where, "", 0600);
	mode_set(where, "-wal", 0600);
	mode_set(where, "-shm", 0600);
	s = opened(where, STORE_READ);
	assert_true(count_accesses(s) >= 400);
	store_close(s);
}

static void network_disks_get_no_shared_memory(void **state)
{
	struct sqlite_tuning shared = { .patience_ms = 1000, .shared = true };
	const char *where = place_fresh();
	struct store *s;

	assert_int_equal(sqlite_open_tuned(where, STORE_WRITE, &shared, &s), 0);
	assert_int_equal(put_accesses(s, 0, 100), 0);
	assert_int_equal(mode_of(where, "-shm"), 0);
	assert_int_equal(mode_of(where, "-journal"), 0600);
	store_close(s);
	s = opened(where, STORE_READ);
	assert_int_equal(count_accesses(s), 100);
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reading_makes_nothing),
		cmocka_unit_test(only_the_owner_may_read),
		cmocka_unit_test(something_else_is_not_taken_for_a_store),
		cmocka_unit_test(a_newer_schema_asks_for_a_newer_prov),
		cmocka_unit_test(damage_is_told_and_never_fatal),
		cmocka_unit_test(a_locked_store_says_so),
		cmocka_unit_test(a_full_disk_keeps_the_old_state),
		cmocka_unit_test(a_store_opened_anew_answers_the_same),
		cmocka_unit_test(walls_are_named_and_a_read_only_store_can_be_read),
		cmocka_unit_test(network_disks_get_no_shared_memory),
	};

	return cmocka_run_group_tests(tests, place_make, place_remove);
}
