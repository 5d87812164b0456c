/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_path.c - where things lie, and paths as text */
#include "base/conf.h"
#include "base/err.h"
#include "base/path.h"

#include <errno.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char dir[] = "/tmp/prov-t_path-XXXXXX";
static struct arena arena;

static int fresh(void **state)
{
	(void)state;
	memcpy(dir + strlen(dir) - 6, "XXXXXX", 6);
	return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static int stale(void **state)
{
	(void)state;
	conf_release();
	arena_release(&arena);
	return chdir("/") == 0 ? nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS) : -1;
}

static const char *below(const char *rest)
{
	return arena_printf(&arena, "%s/%s", dir, rest);
}

static void dots_and_double_slashes_vanish(void **state)
{
	(void)state;
	assert_string_equal(path_real(&arena, "/no//such/./a/../b/"), "/no/such/b");
	assert_string_equal(path_real(&arena, "/../../no-such"), "/no-such");
	assert_string_equal(path_real(&arena, "/"), "/");
	assert_string_equal(path_real(&arena, "new"), below("new"));
	assert_string_equal(path_real(&arena, "a/b/../c"), below("a/c"));
}

static void symlinks_are_resolved_as_far_as_the_path_exists(void **state)
{
	(void)state;
	assert_int_equal(mkdir("real", 0700), 0);
	assert_int_equal(symlink("real", "link"), 0);
	assert_string_equal(path_real(&arena, "link/new/file"), below("real/new/file"));
	assert_string_equal(path_real(&arena, "link"), below("real"));
	assert_string_equal(path_real(&arena, "link/x\ny\xff"), below("real/x\ny\xff"));
}

static void folders_are_made_private_with_their_parents(void **state)
{
	struct stat st;

	(void)state;
	(void)umask(0);
	assert_int_equal(path_make(below("a/b/c")), 0);
	assert_int_equal(stat("a/b/c", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(stat("a", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(path_make(below("a/b/c")), 0);
}

static void a_folder_that_cannot_be_made_is_named(void **state)
{
	FILE *f = fopen("file", "w");

	(void)state;
	assert_non_null(f);
	fclose(f);
	assert_int_equal(path_make(below("file/x")), -ENOTDIR);
	assert_non_null(strstr(fail_text(), below("file/x")));
}

static void the_store_lies_where_the_rules_say(void **state)
{
	(void)state;
	setenv("PROV_ETC", dir, 1);
	setenv("XDG_CONFIG_HOME", dir, 1);
	setenv("HOME", "/home/someone", 1);
	unsetenv("PROV_STORE");
	unsetenv("XDG_STATE_HOME");
	assert_int_equal(conf_load(), 0);
	assert_string_equal(path_store(&arena), "/home/someone/.local/state/prov/prov.db");
	setenv("XDG_STATE_HOME", "relative is invalid", 1);
	assert_string_equal(path_store(&arena), "/home/someone/.local/state/prov/prov.db");
	setenv("XDG_STATE_HOME", "/state", 1);
	assert_string_equal(path_store(&arena), "/state/prov/prov.db");
	assert_string_equal(path_spool(&arena), "/state/prov/spool");
	setenv("PROV_STORE", "/elsewhere/p.db", 1);
	assert_int_equal(conf_load(), 0);
	assert_string_equal(path_store(&arena), "/elsewhere/p.db");
	assert_int_equal(conf_set("store", "sqlite:/x/y.db", "test"), 0);
	assert_string_equal(path_store(&arena), "sqlite:/x/y.db");
	assert_string_equal(path_spool(&arena), "/x/spool");
	assert_int_equal(conf_set("store", "here.db", "test"), 0);
	assert_string_equal(path_store(&arena), below("here.db"));
}

static void base_is_what_follows_the_last_slash(void **state)
{
	(void)state;
	assert_string_equal(path_base("/a/b.c"), "b.c");
	assert_string_equal(path_base("b.c"), "b.c");
	assert_string_equal(path_base("/a/"), "/a/");
}

static void memory_is_told_from_disk(void **state)
{
	(void)state;
	assert_false(path_on_memory("/proc"));
	assert_false(path_on_memory("/no/such/folder"));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, fresh, stale)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(dots_and_double_slashes_vanish),
		CASE(symlinks_are_resolved_as_far_as_the_path_exists),
		CASE(folders_are_made_private_with_their_parents),
		CASE(a_folder_that_cannot_be_made_is_named),
		CASE(the_store_lies_where_the_rules_say),
		CASE(base_is_what_follows_the_last_slash),
		CASE(memory_is_told_from_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
