/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_record.c - a run is put together, also from a record that lies */
#include "prov/record.h"
#include "prov/show.h"
#include "prov/table.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SECOND INT64_C(1000000000)

static struct id id_for(char kind, unsigned n)
{
	struct id id = { { (uint8_t)kind } };

	memcpy(id.b + 8, &n, sizeof(n));
	return id;
}

static int begin(void **state)
{
	struct context *c = calloc(1, sizeof(*c));

	if (!c || store_open("memory:", STORE_WRITE, &c->store) < 0)
		return -1;
	c->columns = 80;
	*state = c;
	return 0;
}

static int end(void **state)
{
	struct context *c = *state;

	store_close(c->store);
	buf_release(&c->out);
	arena_release(&c->arena);
	free(c);
	return 0;
}

/* A run of n executions whose parents are parent[i], n for none. */
static struct id put(struct context *c, const unsigned *parent, unsigned n)
{
	struct execution *e = calloc(n, sizeof(*e));
	struct run run = { .id = id_for('r', 0),
			   .name = "",
			   .host = "h",
			   .boot = "b",
			   .user = "u",
			   .cwd = "/w",
			   .argv = { "sh", 3 },
			   .engine = "preload",
			   .start = SECOND,
			   .end = 9 * SECOND };
	struct facts f = { .runs = &run, .n_runs = 1, .executions = e, .n_executions = n };

	assert_non_null(e);
	for (unsigned i = 0; i < n; i++)
		e[i] = (struct execution){ .id = id_for('x', i),
					   .run = run.id,
					   .exe = "",
					   .cwd = "/w",
					   .argv = { "a", 2 },
					   .start = SECOND + i,
					   .end = 2 * SECOND,
					   .parent = parent[i] < n ? id_for('x', parent[i])
								   : (struct id){ { 0 } } };
	assert_int_equal(store_put(c->store, &f), 0);
	free(e);
	return run.id;
}

static size_t roots(const struct record *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_executions; i++)
		n += !r->steps[i].parent;
	return n;
}

static void children_stand_below_their_parents_by_start(void **state)
{
	static const unsigned parent[] = { 9, 0, 0, 1 };
	struct context *c = *state;
	struct id run = put(c, parent, 4);
	struct record r;
	struct step *top;
	struct id top_id = id_for('x', 0), second = id_for('x', 2);

	assert_int_equal(record_load(c, &run, false, &r), 0);
	top = record_step(&r, &top_id);
	assert_int_equal(roots(&r), 1);
	assert_int_equal(top->n_children, 2);
	assert_true(id_equal(&top->children[1]->e->id, &second));
	assert_int_equal(top->children[0]->n_children, 1);
	record_release(&r);
}

static void an_unknown_parent_makes_a_root(void **state)
{
	struct context *c = *state;
	struct execution e = { .id = id_for('x', 0),
			       .run = id_for('r', 0),
			       .parent = id_for('x', 77),
			       .exe = "",
			       .cwd = "",
			       .start = SECOND };
	struct facts f = { .executions = &e, .n_executions = 1 };
	struct id run = put(c, NULL, 0);
	struct record r;

	assert_int_equal(store_put(c->store, &f), 0);
	assert_int_equal(record_load(c, &run, false, &r), 0);
	assert_int_equal(roots(&r), 1);
	record_release(&r);
}

static void a_circle_of_parents_is_opened_and_everything_is_shown_once(void **state)
{
	static const unsigned parent[] = { 2, 0, 1, 3, 1 }; /* 0-1-2 and 3 alone; 4 hangs on one */
	struct context *c = *state;
	struct id run = put(c, parent, 5);
	struct record r;
	size_t below = 0, lines = 0;

	assert_int_equal(record_load(c, &run, false, &r), 0);
	for (size_t i = 0; i < r.n_executions; i++) {
		below += r.steps[i].n_children;
		size_t steps = 0;

		for (const struct step *s = &r.steps[i]; s; s = s->parent)
			assert_true(++steps <= r.n_executions);
	}
	assert_int_equal(roots(&r), 2);
	assert_int_equal(below + roots(&r), 5);
	record_release(&r);
	assert_int_equal(show_run(c, &run, false, true), EXIT_YES);
	for (const char *p = c->out.data; (p = strstr(p, "a  (x")); p++)
		lines++;
	assert_int_equal(lines, 5);
}

static void a_very_deep_tree_is_cut_not_overrun(void **state)
{
	enum { N = 100000 };
	unsigned *parent = calloc(N, sizeof(*parent));
	struct context *c = *state;
	struct id run;

	assert_non_null(parent);
	for (unsigned i = 0; i < N; i++)
		parent[i] = i ? i - 1 : N;
	run = put(c, parent, N);
	free(parent);
	assert_int_equal(show_run(c, &run, false, true), EXIT_YES);
	assert_non_null(strstr(c->out.data, "deeper: --json"));
}

static void sizes_read_as_a_person_says_them(void **state)
{
	char out[SIZE_TEXT_SIZE];

	(void)state;
	assert_string_equal(size_text(0, out), "0 B");
	assert_string_equal(size_text(999, out), "999 B");
	assert_string_equal(size_text(1000, out), "1.0 kB");
	assert_string_equal(size_text(34567, out), "35 kB");
	assert_string_equal(size_text(999499, out), "999 kB");
	assert_string_equal(size_text(999999, out), "1.0 MB");
	assert_string_equal(size_text(UINT64_MAX, out), "18 EB");
}

static void width_counts_columns_not_bytes(void **state)
{
	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	assert_int_equal(text_width(""), 0);
	assert_int_equal(text_width("abc"), 3);
	assert_int_equal(text_width("\xc3\xa4\xe2\x94\x9c"), 2);
	assert_int_equal(text_width("\xe6\xbc\xa2"), 2);
	assert_int_equal(text_width("\xff"
				    "a"),
			 2);
}

static void tables_align_and_cut_the_last_column(void **state)
{
	static const char *const heads[] = { "A", ">NUMBER", "LAST" };
	struct context *c = *state;
	struct table t = table_begin(c, heads, 3);

	c->columns = 30;
	for (unsigned i = 0; i < 2; i++) {
		table_cell(&t, "%s", i ? "long one" : "x");
		table_cell(&t, "%u", i ? 12345678 : 1);
		table_cell(&t, "%s", i ? "a text that is too long for it" : "b\n");
	}
	table_end(&t);
	assert_string_equal(c->out.data, "A           NUMBER  LAST\n"
					 "x                1  b\\012\n"
					 "long one  12345678  a te... it\n");
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(children_stand_below_their_parents_by_start),
		CASE(an_unknown_parent_makes_a_root),
		CASE(a_circle_of_parents_is_opened_and_everything_is_shown_once),
		CASE(a_very_deep_tree_is_cut_not_overrun),
		CASE(sizes_read_as_a_person_says_them),
		CASE(width_counts_columns_not_bytes),
		CASE(tables_align_and_cut_the_last_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
