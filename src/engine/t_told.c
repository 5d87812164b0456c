/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "engine/t_told.h"

#define REGULAR (S_IFREG | 0644)
#define WALKED(text) text, sizeof(text)
/* A folder that is not there: names in it are nobody's but ours. */
#define NOWHERE "/nowhere-of-prov"

static const struct prov_strings *strings_at(const struct world *w, size_t i, uint16_t type,
					     const char *text)
{
	const struct prov_strings *s = EVENT_AS(prov_strings, t_event(w, i, 1, type));

	assert_int_equal(s->size, strlen(text) + 1);
	assert_string_equal(s->text, text);
	return s;
}

static void program_begins_with_all_that_belongs_to_it(void **state)
{
	struct world *w = *state;
	const struct prov_start *s;

	t_program(w, 1);
	t_text(w, 1, KERNEL_ARGV, 0, 7, "cat", 4);
	t_text(w, 1, KERNEL_ARGV, 4, 7, "-n", 3);
	t_text(w, 1, KERNEL_ENVIRON, 0, 31, "HOME=/h\0KEY=secret\0LC", 21);
	t_text(w, 1, KERNEL_ENVIRON, 21, 31, "_ALL=C\0HOM", 10);
	assert_int_equal(t_hear(w), 6);
	assert_int_equal(w->n, 5);
	s = EVENT_AS(prov_start, t_event(w, 0, 1, PROV_START));
	assert_int_equal(s->how, PROV_HOW_ROOT);
	assert_int_equal(s->uid, 7);
	assert_int_equal(s->head.time, 10);
	assert_string_equal(s->text, "/usr/bin/cat");
	assert_string_equal(s->text + s->exe_size, "/tmp/w");
	strings_at(w, 1, PROV_ARGV, "cat");
	assert_int_equal(strings_at(w, 2, PROV_ARGV, "-n")->offset, 4);
	/* what is not allowed is not handed over, nor what only begins like it */
	strings_at(w, 3, PROV_ENVIRON, "HOME=/h");
	strings_at(w, 4, PROV_ENVIRON, "LC_ALL=C");
}

static void fork_is_told_to_both(void **state)
{
	struct world *w = *state;
	const struct prov_start *s;

	t_program(w, 1);
	t_image(w, 2, 1, KERNEL_FORKED);
	t_text(w, 2, KERNEL_CWD, 0, 4, "tmp", 4);
	t_hear(w);
	assert_int_equal(w->n, 3);
	s = EVENT_AS(prov_start, t_event(w, 1, 2, PROV_START));
	assert_int_equal(s->how, PROV_HOW_FORK);
	assert_int_equal(s->parent_pid, 1);
	assert_int_equal(s->parent_start, 10);
	assert_int_equal(EVENT_AS(prov_fork, t_event(w, 2, 1, PROV_FORK))->pid, 2);
}

static void exec_ends_the_image_before(void **state)
{
	struct world *w = *state;
	struct kernel_image r = { .head = t_head(KERNEL_IMAGE, 1), .parent_pid = 1,
				  .parent_start = 10, .how = KERNEL_EXECED };

	t_program(w, 1);
	r.head.start = 77;
	t_put(w, &r, sizeof(r), "", 0);
	t_hear(w);
	assert_int_equal(w->n, 2);
	assert_int_equal(w->heard[1].what, HEARD_ENDED);
	assert_int_equal(w->heard[1].start, 10);
	assert_int_equal(w->heard[1].when, 77);
	assert_true(w->heard[1].replaced);
	assert_true(told_alive(w->told));
}

static void tally_becomes_an_open(void **state)
{
	struct world *w = *state;
	const struct prov_open *o;

	t_program(w, 1);
	t_file(w, 1, 5, 42, REGULAR, WALKED("f\0tmp"));
	t_tally(w, t_head(KERNEL_TALLY, 1), 5,
		(struct kernel_counts){ .reads = 2, .bytes_read = 100, .first_read = 11,
					.last_read = 12, .opened = 10, .closed = 13,
					.flags = KERNEL_READABLE | KERNEL_CLOSED });
	t_hear(w);
	assert_int_equal(w->n, 2);
	o = EVENT_AS(prov_open, t_event(w, 1, 1, PROV_OPEN));
	assert_string_equal(o->text, "/tmp/f");
	assert_int_equal(o->object.ino, 42);
	assert_int_equal(o->object.dev_major, 3);
	assert_int_equal(o->object.dev_minor, 4);
	assert_int_equal(o->object.btime, 99);
	assert_int_equal(o->tally.reads, 2);
	assert_int_equal(o->tally.bytes_read, 100);
	assert_int_equal(o->tally.first_read, 11);
	assert_int_equal(o->tally.last_read, 12);
	assert_int_equal(o->tally.flags, PROV_TALLY_READABLE);
	assert_int_equal(o->tally.refs, 0);
}

static void what_is_mapped_to_be_run_is_a_library(void **state)
{
	struct world *w = *state;
	struct kernel_counts n = { .opened = 10, .flags = KERNEL_MAP_READ | KERNEL_MAP_EXEC };

	t_program(w, 1);
	t_file(w, 1, 5, 42, REGULAR, WALKED("l.so\0lib"));
	t_tally(w, t_head(KERNEL_TALLY, 1), 5, n);
	n.flags |= KERNEL_MAP_WRITE;
	t_tally(w, t_head(KERNEL_TALLY, 1), 5, n);
	t_hear(w);
	assert_int_equal(w->n, 3);
	strings_at(w, 1, PROV_LOADED, "/lib/l.so");
	(void)t_event(w, 2, 1, PROV_OPEN);
}

static void pipe_is_named_after_its_number_and_has_no_offsets(void **state)
{
	struct world *w = *state;
	struct kernel_file f = { .head = t_head(KERNEL_FILE, 1), .id = 6, .path_size = 1,
				 .flags = KERNEL_PATH_LOOSE,
				 .object = { .ino = 8, .magic = 0x50495045, .mode = S_IFIFO } };
	struct kernel_transfer r = { .head = t_head(KERNEL_TRANSFER, 1), .id = 6, .before = 11,
				     .offset = 3, .bytes = 9, .written = 1 };
	const struct prov_transfer *out;

	t_program(w, 1);
	t_put(w, &f, sizeof(f), "", 1);
	t_put(w, &r, sizeof(r), "", 0);
	t_tally(w, t_head(KERNEL_TALLY, 1), 6, (struct kernel_counts){ .writes = 1 });
	t_hear(w);
	assert_int_equal(w->n, 3);
	out = EVENT_AS(prov_transfer, t_event(w, 1, 1, PROV_TRANSFER));
	assert_int_equal(out->ino, 8);
	assert_int_equal(out->bytes, 9);
	assert_int_equal(out->written, 1);
	assert_true(out->offset == PROV_NO_OFFSET);
	assert_string_equal(EVENT_AS(prov_open, t_event(w, 2, 1, PROV_OPEN))->text, "pipe:[8]");
}

static const struct prov_name *name_at(const struct world *w, size_t i, uint32_t kind,
				       const char *from, const char *to)
{
	const struct prov_name *n = EVENT_AS(prov_name, t_event(w, i, 1, PROV_NAME));

	assert_int_equal(n->kind, kind);
	assert_string_equal(n->text, from);
	if (to)
		assert_string_equal(n->text + n->from_size, to);
	else
		assert_int_equal(n->to_size, 0);
	return n;
}

static void removed_is_what_the_call_touched(void **state)
{
	struct world *w = *state;
	const struct prov_name *n;

	t_program(w, 1);
	/* was opened under that name once, and is another file by now */
	t_file(w, 1, 5, 42, REGULAR, WALKED("f\0nowhere-of-prov"));
	t_name(w, 1, PROV_NAME_UNLINK, NOWHERE "/./f", NULL, 43);
	t_hear(w);
	assert_int_equal(w->n, 2);
	n = name_at(w, 1, PROV_NAME_UNLINK, NOWHERE "/f", NULL);
	assert_int_equal(n->object.ino, 43);
	assert_int_equal(n->object.nlink, 1);
}

static void what_was_renamed_is_known_by_its_new_name(void **state)
{
	struct world *w = *state;

	t_program(w, 1);
	t_file(w, 1, 5, 42, REGULAR, WALKED("a\0nowhere-of-prov"));
	t_name(w, 1, PROV_NAME_RENAME, NOWHERE "/a", NOWHERE "/b", 42);
	t_name(w, 1, PROV_NAME_UNLINK, NOWHERE "/b", NULL, 0);
	t_hear(w);
	assert_int_equal(w->n, 3);
	assert_int_equal(name_at(w, 1, PROV_NAME_RENAME, NOWHERE "/a", NOWHERE "/b")->object.ino,
			 42);
	assert_int_equal(name_at(w, 2, PROV_NAME_UNLINK, NOWHERE "/b", NULL)->object.ino, 42);
}

static void name_that_nobody_knows_is_a_hole(void **state)
{
	struct world *w = *state;

	t_program(w, 1);
	t_name(w, 1, PROV_NAME_UNLINK, NOWHERE "/x", NULL, 0);
	t_hear(w);
	assert_int_equal(w->n, 2);
	assert_int_equal(w->heard[1].what, HEARD_HOLE);
	assert_string_equal(w->heard[1].kind, "name");
}

static void end_tells_the_status_and_what_was_lost(void **state)
{
	struct world *w = *state;

	t_program(w, 1);
	t_tally(w, t_head(KERNEL_TALLY, 1), 5, (struct kernel_counts){ .opened = 10 });
	t_exit(w, 1, 0x700, 3);
	t_hear(w);
	assert_int_equal(w->n, 5);
	assert_int_equal(EVENT_AS(prov_wait, t_event(w, 1, 1, PROV_WAIT))->status, 0x700);
	assert_string_equal(w->heard[2].kind, "lost");
	assert_int_equal(w->heard[2].count, 3);
	/* of a file whose name was lost the counts are nobody's */
	assert_string_equal(w->heard[3].kind, "lost");
	assert_int_equal(w->heard[3].count, 1);
	assert_int_equal(w->heard[4].what, HEARD_ENDED);
	assert_false(w->heard[4].replaced);
	assert_int_equal(told_lost(w->told), 4);
	assert_false(told_alive(w->told));
}

/* The child of a vfork opens a file for the program that it becomes. */
static void put_early(struct world *w)
{
	t_program(w, 1);
	t_file(w, 1, 5, 42, REGULAR, WALKED("out\0tmp"));
	t_tally(w, t_head_in(KERNEL_TALLY, 2, 1), 5,
		(struct kernel_counts){ .opened = 15, .flags = KERNEL_WRITABLE });
	t_hear(w);
	assert_int_equal(w->n, 1);
}

static void what_a_vfork_child_opened_is_its_programs(void **state)
{
	struct world *w = *state;

	put_early(w);
	t_image(w, 2, 1, KERNEL_EXECED);
	t_text(w, 2, KERNEL_CWD, 0, 4, "tmp", 4);
	t_hear(w);
	assert_int_equal(w->n, 2);
	assert_int_equal(EVENT_AS(prov_start, t_event(w, 0, 2, PROV_START))->how, PROV_HOW_EXEC);
	assert_string_equal(EVENT_AS(prov_open, t_event(w, 1, 2, PROV_OPEN))->text, "/tmp/out");
}

static void vfork_child_that_ends_was_its_parents_doing(void **state)
{
	struct world *w = *state;
	struct kernel_exit r = { .head = t_head_in(KERNEL_EXIT, 2, 1) };

	put_early(w);
	t_put(w, &r, sizeof(r), "", 0);
	t_hear(w);
	assert_int_equal(w->n, 2);
	(void)t_event(w, 0, 1, PROV_WAIT);
	assert_string_equal(EVENT_AS(prov_open, t_event(w, 1, 1, PROV_OPEN))->text, "/tmp/out");
	assert_true(told_alive(w->told));
}

static void nobody_known_is_passed_over(void **state)
{
	struct world *w = *state;

	t_text(w, 1, KERNEL_CWD, 0, 4, "tmp", 4);
	t_file(w, 1, 5, 42, REGULAR, WALKED("f\0tmp"));
	t_tally(w, t_head(KERNEL_TALLY, 1), 5, (struct kernel_counts){ .opened = 10 });
	t_name(w, 1, PROV_NAME_UNLINK, "/f", NULL, 42);
	t_exit(w, 1, 0, 9);
	assert_int_equal(t_hear(w), 5);
	assert_int_equal(w->n, 0);
	assert_int_equal(told_lost(w->told), 0);
}

static void put_claims(struct world *w)
{
	struct kernel_image i = { .head = t_head(KERNEL_IMAGE, 9), .path_size = 1 };
	struct kernel_piece p = { .head = t_head(KERNEL_TEXT, 1), .kind = KERNEL_ARGV, .n = 1 };
	struct kernel_file f = { .head = t_head(KERNEL_FILE, 1), .path_size = UINT32_MAX };
	struct kernel_name n = { .head = t_head(KERNEL_NAME, 1), .from_size = UINT32_MAX,
				 .to_size = 1 };
	struct kernel_head short_one = t_head(KERNEL_TALLY, 1), strange = t_head(999, 1);

	t_put(w, &i, sizeof(i), "", 0);
	t_put(w, &p, sizeof(p), "", 0);
	t_put(w, &f, sizeof(f), "", 0);
	t_put(w, &n, sizeof(n), "", 0);
	t_put(w, &short_one, sizeof(short_one), "", 0);
	t_put(w, &strange, sizeof(strange), "", 0);
}

static void records_that_claim_more_than_they_hold_are_passed_over(void **state)
{
	struct world *w = *state;

	t_program(w, 1);
	put_claims(w);
	t_exit(w, 1, 0, 0);
	assert_int_equal(t_hear(w), 9);
	assert_int_equal(w->n, 3);
	(void)t_event(w, 1, 1, PROV_WAIT);
}

static void record_beyond_the_end_ends_it(void **state)
{
	struct world *w = *state;
	const uint32_t sizes[] = { 0, sizeof(struct kernel_head) - 1, 4096, UINT32_MAX };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct kernel_exit r = { .head = t_head(KERNEL_EXIT, 1) };
		size_t at;

		t_program(w, 1);
		at = w->records.size;
		t_put(w, &r, sizeof(r), "", 0);
		((struct kernel_head *)(w->records.data + at))->size = sizes[i];
		assert_int_equal(t_hear(w), 2);
	}
	assert_true(told_alive(w->told));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, t_world_begin, t_world_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(program_begins_with_all_that_belongs_to_it),
		CASE(fork_is_told_to_both),
		CASE(exec_ends_the_image_before),
		CASE(tally_becomes_an_open),
		CASE(what_is_mapped_to_be_run_is_a_library),
		CASE(pipe_is_named_after_its_number_and_has_no_offsets),
		CASE(removed_is_what_the_call_touched),
		CASE(what_was_renamed_is_known_by_its_new_name),
		CASE(name_that_nobody_knows_is_a_hole),
		CASE(end_tells_the_status_and_what_was_lost),
		CASE(what_a_vfork_child_opened_is_its_programs),
		CASE(vfork_child_that_ends_was_its_parents_doing),
		CASE(nobody_known_is_passed_over),
		CASE(records_that_claim_more_than_they_hold_are_passed_over),
		CASE(record_beyond_the_end_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
