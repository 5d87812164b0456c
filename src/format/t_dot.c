/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_dot.c - tests of what Graphviz is given */
#include <stdlib.h>
#include <string.h>

#include "format/format.h"
#include "format/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static char *draw(const char *sample, const char *format)
{
	const struct format_options o = { .unicode = true };
	struct graph g = { 0 };
	struct buf out = { 0 };

	sample_find(sample)->build(&g);
	assert_int_equal(format_find(format)->write(&g, &o, &out), 0);
	graph_release(&g);
	return out.data;
}

static unsigned count(const char *in, const char *what)
{
	unsigned n = 0;

	for (; (in = strstr(in, what)); in++)
		n++;
	return n;
}

static void two_steps_are_drawn_as_expected(void **state)
{
	char *got = draw("five", "dot");

	assert_string_equal(
		got, "digraph provenance {\n"
		     "  rankdir=LR nodesep=0.2 ranksep=0.28 fontname=\"Helvetica\" fontsize=12 "
		     "bgcolor=white\n"
		     "  node [fontname=\"Helvetica\" fontsize=11 fontcolor=black color=black "
		     "margin=\"0.07,0.04\" height=0.3]\n"
		     "  edge [fontname=\"Helvetica\" fontsize=11 color=\"#333333\" arrowsize=0.7]\n"
		     "  labelloc=t label=\"counts.txt\\nrun r222b0bd5 by ada@login1, 2026-11-20 "
		     "06:00:00: ./count.sh\\nrounded: file (yellow: input, blue: made)   square: "
		     "program (purple: failed)\\nframe: pipeline   dashed arrow: only possible\"\n"
		     "  n3 [shape=box style=\"filled\" fillcolor=\"#E69F00\" label=\"sort -o "
		     "names.sorted\\nnames.txt\" tooltip=\"sort -o names.sorted names.txt\"];\n"
		     "  n4 [shape=box style=\"filled\" fillcolor=\"#E69F00\" label=\"uniq -c "
		     "names.sorted\\ncounts.txt\" tooltip=\"uniq -c names.sorted counts.txt\"];\n"
		     "  n0 [shape=box style=\"rounded,filled\" fillcolor=\"#56B4E9\" "
		     "label=\"counts.txt\" tooltip=\"/home/ada/yeast/counts.txt\" penwidth=3 "
		     "color=\"#D55E00\" fontname=\"Helvetica-Bold\"];\n"
		     "  n1 [shape=box style=\"rounded,filled\" fillcolor=\"#F0E442\" "
		     "label=\"names.txt\" tooltip=\"/home/ada/yeast/names.txt\"];\n"
		     "  n2 [shape=box style=\"rounded,filled\" fillcolor=\"#56B4E9\" "
		     "label=\"names.sorted\" tooltip=\"/home/ada/yeast/names.sorted\"];\n"
		     "  n1 -> n3 [];\n"
		     "  n3 -> n2 [];\n"
		     "  n2 -> n4 [];\n"
		     "  n4 -> n0 [];\n"
		     "}\n");
	free(got);
}

static void pipelines_are_framed_and_their_pipes_are_arrows(void **state)
{
	char *got = draw("bwa", "dot");

	assert_int_equal(count(got, "subgraph cluster_"), 2);
	assert_int_equal(count(got, "tooltip=\"pipe\""), 2);
	assert_null(strstr(got, "pipe:["));
	free(got);
}

static void files_of_one_origin_and_use_are_stacked(void **state)
{
	char *got = draw("bwa", "dot");

	assert_int_equal(count(got, "peripheries=2"), 1);
	assert_non_null(strstr(got, "ref.fa.amb\\nand 4 more files"));
	assert_non_null(strstr(got, "/home/ada/yeast/ref.fa.sa"));	/* in the tooltip */
	free(got);
}

static void possible_edges_are_dashed(void **state)
{
	char *got = draw("fifty", "dot");

	assert_int_equal(count(got, "style=dashed label=\"?\""), 1);
	free(got);
}

/* Relative luminance and contrast by WCAG 2; text is black. */
static double channel(const char *hex)
{
	char two[3] = { hex[0], hex[1], 0 };
	double v = (double)strtol(two, NULL, 16) / 255;
	double x = (v + 0.055) / 1.055, root = 1;

	if (v <= 0.03928)
		return v / 12.92;
	/* x^2.4 = x^2 * x^0.4 without libm: fifth root of x^2 by Newton's method */
	for (int i = 0; i < 40; i++)
		root -= (root * root * root * root * root - x * x) /
			(5 * root * root * root * root);
	return x * x * root;
}

static void fill_colours_are_okabe_ito_and_black_reads_on_them(void **state)
{
	static const char allowed[] = "#E69F00 #56B4E9 #009E73 #F0E442 #0072B2 #D55E00 #CC79A7";
	char *got = draw("fifty", "dot"), *at = got;
	unsigned n = 0;

	for (; (at = strstr(at, "fillcolor=\"")); n++) {
		char hex[8] = "";
		double light;

		at += strlen("fillcolor=\"");
		memcpy(hex, at, 7);
		assert_non_null(strstr(allowed, hex));
		light = 0.2126 * channel(hex + 1) + 0.7152 * channel(hex + 3) +
			0.0722 * channel(hex + 5);
		assert_true((light + 0.05) / 0.05 >= 4.5);
	}
	assert_true(n > 20);
	free(got);
}

static void svg_has_text_to_search_and_titles_that_tell_all(void **state)
{
	char *got = draw("five", "svg");

	assert_non_null(strstr(got, "<svg"));
	assert_non_null(strstr(got, ">counts.txt</text>"));
	assert_non_null(strstr(got, "<title>/home/ada/yeast/counts.txt</title>"));
	assert_non_null(strstr(got, "<title>uniq -c names.sorted counts.txt</title>"));
	assert_null(strstr(got, "<title>n"));
	free(got);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_steps_are_drawn_as_expected),
		cmocka_unit_test(pipelines_are_framed_and_their_pipes_are_arrows),
		cmocka_unit_test(files_of_one_origin_and_use_are_stacked),
		cmocka_unit_test(possible_edges_are_dashed),
		cmocka_unit_test(fill_colours_are_okabe_ito_and_black_reads_on_them),
		cmocka_unit_test(svg_has_text_to_search_and_titles_that_tell_all),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
