/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_format.c - conformance of every format in the registry */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "format/format.h"
#include "format/sample.h"
#include "format/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const struct format_options ways[] = {
	{ .unicode = true, .columns = 80 },
	{ .columns = 80 },
	{ .all = true, .unicode = true, .colour = true },
	{ .forward = true, .columns = 20 },
};

static bool is_utf8(const char *s, size_t n)
{
	for (size_t len; n; s += len, n -= len) {
		uint32_t c;

		len = utf8_next(s, n, &c);
		if (!len)
			return false;
	}
	return true;
}

/* Text goes to terminals as it is, and the others to parsers: no control byte
 * but newline (and the colours that were asked for) may come out. */
static void check_clean(const struct format_options *o, const struct buf *out)
{
	for (size_t i = 0; i < out->size; i++) {
		unsigned char c = (unsigned char)out->data[i];

		if (c == '\n' || (c == '\033' && o->colour && out->data[i + 1] == '['))
			continue;
		assert_true(c >= 0x20 && c != 0x7f);
	}
	assert_true(is_utf8(out->data, out->size));
}

static void every_format_writes_every_sample_in_every_way(void **state)
{
	const struct format_ops *f;
	const struct sample *s;

	for (size_t i = 0; (f = format_at(i)); i++)
		for (size_t k = 0; (s = sample_at(k)); k++)
			for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
				struct graph g = { 0 };
				struct buf out = { 0 };

				/* drawing takes a second each and is the same in all ways */
				if (!strcmp(f->name, "svg") && (w || strstr(s->name, "hundred")))
					continue;
				s->build(&g);
				assert_int_equal(f->write(&g, &ways[w], &out), 0);
				assert_true(out.size > 0);
				check_clean(&ways[w], &out);
				assert_int_equal(out.data[out.size - 1], '\n');
				buf_release(&out);
				graph_release(&g);
			}
}

static void no_line_of_text_is_wider_than_the_screen(void **state)
{
	const struct format_options o = { .unicode = true, .columns = 80 };
	const struct sample *s;

	for (size_t k = 0; (s = sample_at(k)); k++) {
		struct graph g = { 0 };
		struct buf out = { 0 };
		char *save = NULL;

		s->build(&g);
		assert_int_equal(format_find("text")->write(&g, &o, &out), 0);
		for (char *line = strtok_r(out.data, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			assert_true(utf8_columns(line) <= 80);
		buf_release(&out);
		graph_release(&g);
	}
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* One file that very many executions read and one that they all wrote. */
static void star(struct graph *g, size_t n)
{
	uint32_t hub, end;

	sample_run(g, "star", "./star");
	hub = sample_file(g, "hub", 0, 0, 0);
	end = sample_file(g, "end", 1, NODE_ROOT, 9);
	for (size_t i = 0; i < n; i++) {
		uint32_t act = sample_exec(g, "ray", 0, 1, 9);

		sample_used(g, act, hub);
		sample_made(g, act, end);
	}
	g->root = end;
}

static void ten_thousand_nodes_take_less_than_two_seconds(void **state)
{
	const struct format_ops *f;

	for (size_t i = 0; (f = format_at(i)); i++)
		for (size_t w = 0; w < 2 * sizeof(ways) / sizeof(ways[0]); w++) {
			struct graph g = { 0 };
			struct buf out = { 0 };
			double begin;

			if (!strcmp(f->name, "svg"))
				continue;
			if (w % 2)
				star(&g, 10000);
			else
				sample_chain(&g, 5000);
			begin = seconds();
			assert_int_equal(f->write(&g, &ways[w / 2], &out), 0);
			assert_true(seconds() - begin < 2);
			buf_release(&out);
			graph_release(&g);
		}
}

static void svg_says_what_to_do_without_graphviz(void **state)
{
	struct graph g = { 0 };
	struct buf out = { 0 };
	char *path = getenv("PATH") ? strdup(getenv("PATH")) : NULL;

	sample_find("five")->build(&g);
	setenv("PATH", "/nonexistent", 1);
	assert_true(format_find("svg")->write(&g, &ways[0], &out) < 0);
	assert_non_null(strstr(fail_text(), "install graphviz, or write OUT.dot"));
	assert_int_equal(out.size, 0);
	if (path)
		setenv("PATH", path, 1);
	free(path);
	graph_release(&g);
}

static void svg_refuses_what_nobody_can_read(void **state)
{
	struct graph g = { 0 };
	struct buf out = { 0 };

	sample_chain(&g, 5000);
	assert_true(format_find("svg")->write(&g, &ways[0], &out) < 0);
	assert_non_null(strstr(fail_text(), "--depth"));
	graph_release(&g);
}

static void formats_are_found_by_name_and_suffix(void **state)
{
	const struct format_ops *f;

	for (size_t i = 0; (f = format_at(i)); i++) {
		char path[64] = "/a.b/out";

		strncat(path, f->suffix, 32);
		assert_ptr_equal(format_find(f->name), f);
		assert_ptr_equal(format_for_file(path), f);
	}
	assert_null(format_find("nothing"));
	assert_null(format_for_file("out"));
	assert_null(format_for_file("svg"));
	assert_null(format_for_file(".svg"));
	assert_ptr_equal(format_for_file("A.SVG"), format_find("svg"));
	assert_ptr_equal(format_for_file("a.gv"), format_find("dot"));
	assert_ptr_equal(format_for_file("a.prov.json"), format_find("prov-json"));
	assert_ptr_equal(format_for_file("a.json"), format_find("json"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_are_found_by_name_and_suffix),
		cmocka_unit_test(every_format_writes_every_sample_in_every_way),
		cmocka_unit_test(no_line_of_text_is_wider_than_the_screen),
		cmocka_unit_test(ten_thousand_nodes_take_less_than_two_seconds),
		cmocka_unit_test(svg_says_what_to_do_without_graphviz),
		cmocka_unit_test(svg_refuses_what_nobody_can_read),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
