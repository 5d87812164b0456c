/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_ingest.c - a journal goes into a store while its end is being written */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "ingest/ingest.h"
#include "journal/journal.h"

#include <cmocka.h>

enum { FILES = 60000 }; /* more journal than is left for the end */

struct fixture {
	char folder[32];
	struct buf store, path;
	struct journal *journal;
};

static int make(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	const struct run run = { .id = id_of("r", 1), .name = "", .host = "h", .boot = "b",
				 .user = "u", .cwd = "/", .engine = "preload", .start = 5,
				 .status = -1 };

	memcpy(f->folder, "/tmp/t_ingest.XXXXXX", 21);
	if (!mkdtemp(f->folder))
		return -1;
	buf_printf(&f->store, "%s/prov.db", f->folder);
	buf_printf(&f->path, "%s/journal", f->folder);
	*state = f;
	return journal_create(f->path.data, &run, "", &f->journal);
}

static int drop(void **state)
{
	struct fixture *f = *state;
	struct buf b = { 0 };
	int r;

	buf_printf(&b, "rm -rf %s", f->folder);
	r = system(b.data);
	journal_close(f->journal);
	buf_release(&b);
	buf_release(&f->store);
	buf_release(&f->path);
	free(f);
	return r;
}

/* n reads of as many files, numbered from first. */
static void append(struct fixture *f, size_t first, size_t n)
{
	for (size_t i = first; i < first + n; i++) {
		char name[32];
		struct access a = { .exec = id_of("x", 1), .object = id_of(&i, sizeof(i)),
				    .path = name, .flags = ACCESS_READ, .opened = 10 };
		struct object o = { .id = a.object, .size = 1, .seen = 10 };
		const struct facts facts = { .accesses = &a, .n_accesses = 1, .objects = &o,
					     .n_objects = 1 };

		(void)snprintf(name, sizeof(name), "/data/%zu", i);
		assert_int_equal(journal_append(f->journal, &facts), 0);
	}
	assert_int_equal(journal_flush(f->journal), 0);
}

static uint64_t accesses_in(const struct fixture *f)
{
	struct arena a = { 0 };
	struct store_info info;
	struct store *s;

	if (store_open(f->store.data, STORE_READ, &s) < 0 || store_info(s, &a, &info) < 0)
		fail_msg("%s", fail_text());
	store_close(s);
	arena_release(&a);
	return info.accesses;
}

static void the_end_written_meanwhile_is_taken_in_too(void **state)
{
	struct fixture *f = *state;
	struct ingest_ahead *ahead;
	struct buf damage = { 0 };
	struct stat st;

	append(f, 0, FILES);
	assert_int_equal(stat(f->path.data, &st), 0);
	assert_true(st.st_size > 1 << 20);
	ahead = ingest_begin(f->store.data, f->path.data);
	append(f, FILES, 1000);
	assert_int_equal(ingest_end(ahead, true, &damage), 0);
	assert_int_equal(damage.size, 0);
	assert_int_equal(accesses_in(f), FILES + 1000);
}

static void nothing_needs_to_be_ahead(void **state)
{
	struct fixture *f = *state;
	struct ingest_ahead *ahead;
	struct buf damage = { 0 };

	append(f, 0, 10);
	ahead = ingest_begin(f->store.data, f->path.data);
	append(f, 10, 10);
	assert_int_equal(ingest_end(ahead, true, &damage), 0);
	assert_int_equal(damage.size, 0);
	assert_int_equal(accesses_in(f), 20);
}

static void what_is_ahead_stays_without_the_rest(void **state)
{
	struct fixture *f = *state;
	struct ingest_ahead *ahead;

	append(f, 0, FILES);
	ahead = ingest_begin(f->store.data, f->path.data);
	assert_int_equal(ingest_end(ahead, false, NULL), 0);
	assert_int_equal(accesses_in(f), FILES);
}

static void a_store_that_cannot_be_made_is_told_at_the_end(void **state)
{
	struct fixture *f = *state;
	struct ingest_ahead *ahead;
	struct buf damage = { 0 };

	append(f, 0, FILES);
	buf_clear(&f->store);
	buf_printf(&f->store, "%s/prov.db", f->path.data);
	ahead = ingest_begin(f->store.data, f->path.data);
	assert_true(ingest_end(ahead, true, &damage) < 0);
	assert_non_null(strstr(fail_text(), f->path.data));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_end_written_meanwhile_is_taken_in_too),
		TEST(nothing_needs_to_be_ahead),
		TEST(what_is_ahead_stays_without_the_rest),
		TEST(a_store_that_cannot_be_made_is_told_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
