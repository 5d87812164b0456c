/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_store.c - what every store must do, run over each in the registry */
#include <setjmp.h>
#include <stdarg.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "store/store.h"
#include "store/t_facts.h"
#include "store/t_kinds.h"
#include "store/t_place.h"

#include <cmocka.h>

static void put(struct store *s, const struct facts *f)
{
	if (store_put(s, f) < 0)
		fail_msg("%s", fail_text());
}

static struct id id_named(const char *name)
{
	return id_of(name, strlen(name));
}

static struct access access_named(const char *exec, const char *object, const char *path)
{
	return (struct access){ .exec = id_named(exec), .object = id_named(object), .path = path };
}

/* Runs the body once for every kind, with an empty store s and an arena a. */
#define EACH_STORE(s, a)                                                                           \
	for (size_t kind_ = 0; kind_at(kind_); kind_++)                                            \
		for (struct arena a = { 0 }, *once_ = &a; once_; arena_release(&a), once_ = NULL)  \
			for (struct store *s = kind_fresh(kind_at(kind_)); s;                      \
			     store_close(s), s = NULL)

static void put_access(struct store *s, struct access a)
{
	put(s, &(struct facts){ .accesses = &a, .n_accesses = 1 });
}

static void put_execution(struct store *s, struct execution x)
{
	put(s, &(struct facts){ .executions = &x, .n_executions = 1 });
}

static void what_was_put_comes_back(void **state)
{
	EACH_STORE(s, a)
	{
		struct execution x = { .id = id_named("x"),
				       .run = id_named("r"),
				       .parent = id_named("p"),
				       .how = HOW_FORK,
				       .pid = 7,
				       .ppid = 6,
				       .uid = 5,
				       .exe = "/bin/sh",
				       .cwd = "/",
				       .argv = { "sh\0-c\0", 6 },
				       .env = { "A=1\0B=2", 8 },
				       .start = 1000,
				       .end = 2000,
				       .status = 3,
				       .signal = 0,
				       .replaced = true,
				       .blind = true },
				 *found;
		size_t n;

		put_execution(s, x);
		assert_int_equal(store_executions(s, &x.id, 1, &a, &found, &n), 0);
		assert_int_equal(n, 1);
		assert_true(id_equal(&found->run, &x.run) && id_equal(&found->parent, &x.parent));
		assert_int_equal(found->how, HOW_FORK);
		assert_string_equal(found->exe, "/bin/sh");
		assert_int_equal(strings_count(&found->argv), 2);
		assert_memory_equal(found->env.p, "A=1\0B=2", 8);
		assert_true(found->start == 1000 && found->end == 2000 && found->status == 3);
		assert_true(found->pid == 7 && found->ppid == 6 && found->uid == 5);
		assert_true(found->replaced && found->blind);
	}
}

static void facts_for_one_triple_merge_across_puts(void **state)
{
	EACH_STORE(s, a)
	{
		struct access x = access_named("x", "o", "/f"), *found;
		size_t n;

		x.flags = ACCESS_READ;
		x.first_read = 500, x.last_read = 600, x.reads = 3;
		put_access(s, x);
		x.flags = ACCESS_WRITE;
		x.first_read = 400, x.last_read = 0, x.reads = 2,
		x.first_write = x.last_write = 700;
		put_access(s, x);
		assert_int_equal(store_accesses_by_object(s, &x.object, 1, &a, &found, &n), 0);
		assert_int_equal(n, 1);
		assert_int_equal(found->flags, ACCESS_READ | ACCESS_WRITE);
		assert_int_equal(found->first_read, 400);
		assert_int_equal(found->last_read, 600);
		assert_int_equal(found->reads, 3);
		assert_int_equal(found->first_write, 700);
		assert_int_equal(found->opened, 0);
	}
}

static void a_start_that_comes_late_leaves_times_alone(void **state)
{
	EACH_STORE(s, a)
	{
		struct access x = access_named("x", "o", "/f"), *found;
		size_t n;

		x.flags = ACCESS_READ;
		x.first_read = x.last_read = 1700000000123456789;
		put_access(s, x);
		put_execution(s, (struct execution){ .id = x.exec,
						     .how = HOW_EXEC,
						     .exe = "",
						     .cwd = "",
						     .start = 1700000000000000000,
						     .status = -1 });
		x.last_read = x.closed = 1700000009000000000;
		put_access(s, x);
		assert_int_equal(store_accesses_by_execution(s, &x.exec, 1, &a, &found, &n), 0);
		assert_int_equal(n, 1);
		assert_true(found->first_read == 1700000000123456789);
		assert_true(found->last_read == 1700000009000000000);
		assert_true(found->closed == 1700000009000000000 && found->opened == 0);
	}
}

static void what_was_only_mentioned_is_not_found(void **state)
{
	EACH_STORE(s, a)
	{
		struct access x = access_named("x", "o", "/f"), *accesses;
		struct execution *executions;
		struct object *objects;
		struct run run;
		struct id r = id_named("r"), *ids;
		struct id_prefix all = { .kind = ID_EXECUTION };
		struct note note = { .run = r, .key = "k", .value = "v" };
		struct store_info info;
		size_t n;

		memset(&all.highest, 0xff, sizeof(all.highest));
		put_access(s, x);
		put(s, &(struct facts){ .notes = &note, .n_notes = 1 });
		assert_int_equal(store_executions(s, &x.exec, 1, &a, &executions, &n), 0);
		assert_int_equal(n, 0);
		assert_int_equal(store_objects(s, &x.object, 1, &a, &objects, &n), 0);
		assert_int_equal(n, 0);
		assert_int_equal(store_ids(s, &all, 10, &a, &ids, &n), 0);
		assert_int_equal(n, 0);
		assert_int_equal(store_run(s, &r, &a, &run), -ENOENT);
		assert_non_null(strstr(fail_text(), "run"));
		assert_int_equal(store_info(s, &a, &info), 0);
		assert_true(info.runs == 0 && info.executions == 0 && info.accesses >= 1);
		assert_int_equal(store_accesses_by_execution(s, &x.exec, 1, &a, &accesses, &n), 0);
		assert_int_equal(n, 1);
		put_execution(s, (struct execution){ .id = x.exec,
						     .run = r,
						     .how = HOW_ROOT,
						     .exe = "",
						     .cwd = "",
						     .status = -1 });
		assert_int_equal(store_ids(s, &all, 10, &a, &ids, &n), 0);
		assert_int_equal(n, 1);
		assert_int_equal(store_run_accesses(s, &r, &a, &accesses, &n), 0);
		assert_int_equal(n, 1);
	}
}

static void the_object_seen_last_tells_its_size(void **state)
{
	EACH_STORE(s, a)
	{
		struct object o[] = {
			{ .id = id_named("o"), .size = 10, .mtime = 1, .seen = 100,
			  .hashed = true },
			{ .id = id_named("o"), .size = 5, .mtime = 2, .seen = 200 },
			{ .id = id_named("o"), .size = -1, .seen = 300 },
		}, *found;
		size_t n;

		for (int i = 2; i >= 0; i--)
			put(s, &(struct facts){ .objects = &o[i], .n_objects = 1 });
		assert_int_equal(store_objects(s, &o->id, 1, &a, &found, &n), 0);
		assert_int_equal(n, 1);
		assert_true(found->size == 5 && found->mtime == 2 && found->seen == 200);
		assert_false(found->hashed);
	}
}

static void a_path_finds_objects_by_access_and_by_name(void **state)
{
	EACH_STORE(s, a)
	{
		struct access x = access_named("x", "accessed", "/p");
		struct name_event e[] = {
			{ .exec = x.exec,
			  .object = id_named("moved"),
			  .kind = NAME_RENAME,
			  .from = "/p",
			  .to = "/q",
			  .time = 50 },
			{ .exec = x.exec,
			  .object = id_named("link"),
			  .kind = NAME_SYMLINK,
			  .from = "/p",
			  .to = "/l",
			  .time = 60 },
			{ .exec = x.exec,
			  .object = id_named("gone"),
			  .kind = NAME_UNLINK,
			  .from = "/p",
			  .to = "",
			  .time = 70 },
		};
		struct named *found;
		size_t n;

		x.opened = 10, x.closed = 55;
		put_access(s, x);
		put(s, &(struct facts){ .names = e, .n_names = 3 });
		assert_int_equal(store_objects_by_path(s, "/p", &a, &found, &n), 0);
		assert_int_equal(n, 3);
		assert_true(id_equal(&found[0].object, &e[2].object) && found[0].time == 70);
		assert_true(id_equal(&found[1].object, &x.object) && found[1].time == 55);
		assert_true(id_equal(&found[2].object, &e[0].object) && found[2].time == 50);
		assert_int_equal(store_objects_by_path(s, "/l", &a, &found, &n), 0);
		assert_int_equal(n, 1);
		assert_int_equal(store_objects_by_path(s, "/nowhere", &a, &found, &n), 0);
		assert_int_equal(n, 0);
		assert_int_equal(store_objects_by_path(s, "", &a, &found, &n), 0);
		assert_int_equal(n, 0);
	}
}

static void the_first_boot_offset_is_kept(void **state)
{
	EACH_STORE(s, a)
	{
		struct boot_offset *all;
		int64_t kept = 0;
		size_t n;

		assert_int_equal(store_boot_offset(s, "h", "b", 42, &kept), 0);
		assert_int_equal(kept, 42);
		assert_int_equal(store_boot_offset(s, "h", "b", 43, &kept), 0);
		assert_int_equal(kept, 42);
		assert_int_equal(store_boot_offset(s, "h2", "b", 44, &kept), 0);
		assert_int_equal(kept, 44);
		assert_int_equal(store_boot_offsets(s, &a, &all, &n), 0);
		assert_true(n == 2 && all[0].offset == 42 && all[1].offset == 44);
		assert_string_equal(all[1].host, "h2");
		assert_string_equal(all[1].boot, "b");
	}
}

static void runs_come_newest_first_and_filtered(void **state)
{
	static const struct {
		struct run_filter f;
		size_t n;
		const char *first;
	} cases[] = {
		{ { 0 }, 3, "c" },
		{ { .most = 2 }, 2, "c" },
		{ { .since = 1200 }, 2, "c" },
		{ { .until = 1200 }, 2, "b" },
		{ { .user = "ann" }, 2, "c" },
		{ { .grep = "cc -c" }, 1, "b" },
		{ { .grep = "night" }, 1, "a" },
		{ { .user = "ann", .most = 1, .until = 1250 }, 1, "a" },
		{ { .grep = "absent" }, 0, NULL },
	};

	EACH_STORE(s, a)
	{
		struct run r[] = {
			{ .id = id_named("a"), .name = "nightly", .user = "ann", .start = 100,
			  .shift = 1000 },
			{ .id = id_named("b"), .argv = { "cc\0-c\0x.c", 10 }, .user = "bob",
			  .start = 200,
			  .shift = 1000 },
			{ .id = id_named("c"), .user = "ann", .start = 50, .shift = 1250 },
		}, *found;
		size_t n;

		put(s, &(struct facts){ .runs = r, .n_runs = 3 });
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			struct id first = cases[i].n ? id_named(cases[i].first) : (struct id){ 0 };

			assert_int_equal(store_runs(s, &cases[i].f, &a, &found, &n), 0);
			assert_int_equal(n, cases[i].n);
			assert_true(!n || id_equal(&found[0].id, &first));
		}
	}
}

static void paths_are_any_bytes_of_any_length(void **state)
{
	char *odd = malloc(9001);

	odd[0] = '/';
	for (int i = 1; i < 9000; i++)
		odd[i] = (char)(i % 255 + 1);
	odd[9000] = 0;
	EACH_STORE(s, a)
	{
		struct access x = access_named("x", "o", odd), *found;
		struct named *named;
		size_t n;

		put_access(s, x);
		assert_int_equal(store_accesses_by_execution(s, &x.exec, 1, &a, &found, &n), 0);
		assert_int_equal(n, 1);
		assert_string_equal(found->path, odd);
		assert_int_equal(store_objects_by_path(s, odd, &a, &named, &n), 0);
		assert_int_equal(n, 1);
	}
	free(odd);
}

static void changes_leave_out_those_who_only_read(void **state)
{
	EACH_STORE(s, a)
	{
		struct access x[] = { access_named("reader", "o", "/f"),
				      access_named("both", "o", "/f"),
				      access_named("both", "o", "/g"),
				      access_named("late", "o", "/f") };
		struct access *found;
		size_t n;

		for (int i = 0; i < 4; i++) {
			x[i].flags = i == 2 ? ACCESS_WRITE : ACCESS_READ;
			put_access(s, x[i]);
		}
		x[3].flags = ACCESS_TRUNCATE;
		put_access(s, x[3]);
		assert_int_equal(store_changes_by_object(s, &x->object, 1, &a, &found, &n), 0);
		assert_int_equal(n, 2);
		assert_int_equal(store_accesses_by_object(s, &x->object, 1, &a, &found, &n), 0);
		assert_int_equal(n, 4);
	}
}

static bool is_this(void *ctx, const struct id *exec)
{
	return id_equal(ctx, exec);
}

static void accesses_by_others_leave_out_what_the_asker_has(void **state)
{
	EACH_STORE(s, a)
	{
		struct access x[] = { access_named("mine", "o", "/f"),
				      access_named("mine", "o", "/g"),
				      access_named("other", "o", "/f") };
		struct store_except but = { is_this, &x->exec };
		struct access *found;
		size_t n;

		put(s, &(struct facts){ .accesses = x, .n_accesses = 3 });
		(void)store_accesses_by_others(s, &x->object, 1, &but, &a, &found, &n);
		assert_int_equal(n, 1);
		assert_true(id_equal(&found->exec, &x[2].exec));
	}
}

static void unknown_and_repeated_ids_are_passed_over(void **state)
{
	EACH_STORE(s, a)
	{
		struct access x = access_named("x", "o", "/f"), *found;
		struct id ids[] = { id_named("zzz"), x.exec, id_named("none"), x.exec, { { 0 } } };
		size_t n;

		put_access(s, x);
		assert_int_equal(store_accesses_by_execution(s, ids, 5, &a, &found, &n), 0);
		assert_int_equal(n, 1);
		assert_int_equal(store_accesses_by_execution(s, NULL, 0, &a, &found, &n), 0);
		assert_int_equal(n, 0);
	}
}

/* Shows the first line that differs. */
static void same_answers(const struct buf *got, const struct buf *expected, const char *kind,
			 uint64_t seed)
{
	size_t i = 0, line = 0;

	for (; i < got->size && i < expected->size && got->data[i] == expected->data[i]; i++)
		if (got->data[i] == '\n')
			line = i + 1;
	if (i < got->size || i < expected->size)
		fail_msg("%s, seed %d:\n%.250s\ninstead of\n%.250s", kind, (int)seed,
			 got->data + (i - line > 150 ? i - 150 : line),
			 expected->data + (i - line > 150 ? i - 150 : line));
}

static void same_counts(struct store *a, struct store *b)
{
	struct arena tmp = { 0 };
	struct store_info x, y;

	assert_int_equal(store_info(a, &tmp, &x), 0);
	assert_int_equal(store_info(b, &tmp, &y), 0);
	assert_true(x.runs == y.runs && x.executions == y.executions && x.objects == y.objects &&
		    x.accesses == y.accesses && x.accesses);
	arena_release(&tmp);
}

/* P5. All kinds must also agree with each other. */
static void order_repeats_and_splits_change_no_answer(void **state)
{
	for (uint64_t seed = 1; seed <= 25; seed++) {
		struct arena a = { 0 };
		struct facts all = facts_random(&a, seed);
		struct buf expected = { 0 }, got = { 0 };

		for (size_t k = 0; kind_at(k); k++) {
			const struct kind *kind = kind_at(k);
			struct store *once = kind_fresh(kind), *parts = kind_fresh(kind);

			put(once, &all);
			facts_put_in_parts(parts, &all, seed + 1000 * k);
			buf_clear(&got);
			facts_dump(once, &all, k ? &got : &expected);
			if (k)
				same_answers(&got, &expected, kind->name, seed);
			buf_clear(&got);
			facts_dump(parts, &all, &got);
			same_answers(&got, &expected, kind->name, seed);
			if (kind->counts)
				same_counts(once, parts);
			store_close(once);
			store_close(parts);
		}
		assert_true(expected.size > 1000);
		buf_release(&expected);
		buf_release(&got);
		arena_release(&a);
	}
}

static void uris_that_name_no_store_say_what_there_is(void **state)
{
	struct store *s;

	assert_int_equal(store_open("oracle:x", STORE_WRITE, &s), -EINVAL);
	assert_non_null(strstr(fail_text(), "sqlite:"));
	assert_int_equal(store_open("", STORE_WRITE, &s), -EINVAL);
	store_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_put_comes_back),
		cmocka_unit_test(facts_for_one_triple_merge_across_puts),
		cmocka_unit_test(a_start_that_comes_late_leaves_times_alone),
		cmocka_unit_test(what_was_only_mentioned_is_not_found),
		cmocka_unit_test(the_object_seen_last_tells_its_size),
		cmocka_unit_test(a_path_finds_objects_by_access_and_by_name),
		cmocka_unit_test(the_first_boot_offset_is_kept),
		cmocka_unit_test(runs_come_newest_first_and_filtered),
		cmocka_unit_test(paths_are_any_bytes_of_any_length),
		cmocka_unit_test(changes_leave_out_those_who_only_read),
		cmocka_unit_test(accesses_by_others_leave_out_what_the_asker_has),
		cmocka_unit_test(unknown_and_repeated_ids_are_passed_over),
		cmocka_unit_test(order_repeats_and_splits_change_no_answer),
		cmocka_unit_test(uris_that_name_no_store_say_what_there_is),
	};

	return cmocka_run_group_tests(tests, place_make, place_remove);
}
