/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_conf.c - settings come from where they are said to come */
#include "base/conf.h"
#include "base/err.h"

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

static char dir[] = "/tmp/prov-t_conf-XXXXXX";

static void put(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_not_equal(fputs(text, f), EOF);
	assert_int_equal(fclose(f), 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static int fresh(void **state)
{
	char path[256];

	(void)state;
	memcpy(dir + strlen(dir) - 6, "XXXXXX", 6);
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/conf.d", dir);
	if (mkdir(path, 0700) < 0)
		return -1;
	snprintf(path, sizeof(path), "%s/prov", dir);
	if (mkdir(path, 0700) < 0)
		return -1;
	setenv("PROV_ETC", dir, 1);
	setenv("XDG_CONFIG_HOME", dir, 1);
	unsetenv("PROV_STORE");
	unsetenv("PROV_NODE");
	unsetenv("PROV_HASH_MAX");
	unsetenv("PROV_ENV_ALLOW");
	conf_release();
	return 0;
}

static int stale(void **state)
{
	(void)state;
	conf_release();
	return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static const struct conf_entry *entry(const char *name)
{
	const struct conf_entry *e;

	for (size_t i = 0; (e = conf_at(i)); i++)
		if (!strcmp(e->name, name))
			return e;
	fail_msg("no setting %s", name);
	return NULL;
}

static void without_files_every_setting_has_its_default(void **state)
{
	const struct conf_entry *e;

	(void)state;
	assert_int_equal(conf_load(), 0);
	for (size_t i = 0; (e = conf_at(i)); i++) {
		assert_string_equal(e->value, e->fallback);
		assert_string_equal(e->origin, "default");
	}
	assert_int_equal(conf_size("hash.max"), 64 << 20);
	assert_true(conf_bool("hash"));
}

static void later_sources_win_and_are_named(void **state)
{
	char origin[256];

	(void)state;
	put("prov.conf", "# site\nstore = /a\nfold = one\nredact=r\n[hash]\nmax = 1M\n");
	put("conf.d/10.conf", "store = /b\n");
	put("conf.d/20.conf", "\n\n  store = /c\n");
	put("conf.d/30.conf.bak", "store = /wrong\n");
	put("prov/config", "store = /d\n");
	assert_int_equal(conf_load(), 0);
	assert_string_equal(conf_text("store"), "/d");
	assert_string_equal(conf_text("fold"), "one");
	assert_int_equal(conf_size("hash.max"), 1 << 20);
	snprintf(origin, sizeof(origin), "%s/prov.conf:6", dir);
	assert_string_equal(entry("hash.max")->origin, origin);
	put("prov/config", "\n");
	conf_release();
	assert_int_equal(conf_load(), 0);
	assert_string_equal(conf_text("store"), "/c");
	snprintf(origin, sizeof(origin), "%s/conf.d/20.conf:3", dir);
	assert_string_equal(entry("store")->origin, origin);
}

static void the_environment_wins_over_files(void **state)
{
	(void)state;
	put("prov/config", "store = /d\n[hash]\nmax=1K\n");
	setenv("PROV_STORE", "/e", 1);
	setenv("PROV_HASH_MAX", "2G", 1);
	setenv("PROV_ENV_ALLOW", "", 1);
	assert_int_equal(conf_load(), 0);
	assert_string_equal(conf_text("store"), "/e");
	assert_string_equal(entry("store")->origin, "PROV_STORE");
	assert_true(conf_size("hash.max") == INT64_C(2) << 30);
	assert_string_equal(entry("env.allow")->origin, "default");
	assert_int_equal(conf_set("store", "/f", "command line"), 0);
	assert_string_equal(conf_text("store"), "/f");
}

static void a_bad_value_is_named_with_file_and_line_and_the_rest_is_kept(void **state)
{
	char start[256];

	(void)state;
	put("prov.conf", "store = /a\nhash = perhaps\n[hash]\nmax = 12Q\n\n[env]\nallow = LC_*\n");
	assert_int_equal(conf_load(), -EINVAL);
	snprintf(start, sizeof(start), "%s/prov.conf:2: hash: 'perhaps' is neither yes nor no",
		 dir);
	assert_string_equal(fail_text(), start);
	assert_string_equal(conf_text("store"), "/a");
	assert_true(conf_bool("hash"));
	assert_int_equal(conf_size("hash.max"), 64 << 20);
	assert_string_equal(conf_text("env.allow"), "LC_*");
}

static void an_unknown_setting_is_named_with_file_and_line(void **state)
{
	char start[256];

	(void)state;
	put("prov.conf", "[hash]\nmaximum = 3\n");
	assert_int_equal(conf_load(), -EINVAL);
	snprintf(start, sizeof(start), "%s/prov.conf:2: there is no setting 'hash.maximum'", dir);
	assert_int_equal(strncmp(fail_text(), start, strlen(start)), 0);
}

static void a_line_that_is_no_setting_is_named(void **state)
{
	char start[256];

	(void)state;
	put("prov.conf", "store = /a\nnonsense\n");
	assert_int_equal(conf_load(), -EINVAL);
	snprintf(start, sizeof(start), "%s/prov.conf:2: ", dir);
	assert_int_equal(strncmp(fail_text(), start, strlen(start)), 0);
	assert_string_equal(conf_text("store"), "/a");
}

static void an_overlong_line_is_refused_not_split(void **state)
{
	char text[70000] = "store = /", start[256];

	(void)state;
	memset(text + strlen(text), 'x', sizeof(text) - 40);
	snprintf(text + sizeof(text) - 40, 40, "\nredact = abc\n");
	put("prov.conf", text);
	assert_int_equal(conf_load(), -EINVAL);
	snprintf(start, sizeof(start), "%s/prov.conf:1: this line is longer than", dir);
	assert_int_equal(strncmp(fail_text(), start, strlen(start)), 0);
	assert_string_equal(conf_text("store"), "");
	assert_string_equal(conf_text("redact"), "abc");
}

static void sizes_are_understood_or_refused(void **state)
{
	(void)state;
	assert_int_equal(conf_set("hash.max", "1k", "test"), 0);
	assert_int_equal(conf_size("hash.max"), 1024);
	assert_int_equal(conf_set("hash.max", "3MB", "test"), 0);
	assert_int_equal(conf_size("hash.max"), 3 << 20);
	assert_int_equal(conf_set("hash.max", "0", "test"), 0);
	assert_int_equal(conf_size("hash.max"), 0);
	assert_int_equal(conf_set("hash.max", "-1", "test"), -EINVAL);
	assert_int_equal(conf_set("hash.max", "", "test"), -EINVAL);
	assert_int_equal(conf_set("hash.max", "99999999999999999999", "test"), -EINVAL);
	assert_int_equal(conf_set("hash.max", "9999999999999999T", "test"), -EINVAL);
	assert_int_equal(conf_set("hash.max", "1Mx", "test"), -EINVAL);
	assert_int_equal(conf_size("hash.max"), 0);
}

static void a_service_is_named_by_its_whole_path(void **state)
{
	(void)state;
	assert_string_equal(conf_text("node"), "auto");
	assert_int_equal(conf_set("node", "/run/x", "test"), 0);
	assert_int_equal(conf_set("node", "off", "test"), 0);
	assert_int_equal(conf_set("node", "run/x", "test"), -EINVAL);
	assert_int_equal(conf_set("node", "", "test"), -EINVAL);
	assert_string_equal(conf_text("node"), "off");
}

static void an_unreadable_file_is_told(void **state)
{
	char path[256];

	(void)state;
	/* a folder opens but does not read, for root as well */
	snprintf(path, sizeof(path), "%s/prov.conf", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(conf_load(), -EINVAL);
	assert_non_null(strstr(fail_text(), path));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, fresh, stale)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(without_files_every_setting_has_its_default),
		CASE(later_sources_win_and_are_named),
		CASE(the_environment_wins_over_files),
		CASE(a_bad_value_is_named_with_file_and_line_and_the_rest_is_kept),
		CASE(an_unknown_setting_is_named_with_file_and_line),
		CASE(a_line_that_is_no_setting_is_named),
		CASE(an_overlong_line_is_refused_not_split),
		CASE(sizes_are_understood_or_refused),
		CASE(a_service_is_named_by_its_whole_path),
		CASE(an_unreadable_file_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
