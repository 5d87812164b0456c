/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* cmd_graph.c - a picture of a run or of the lineage of a file */
#include <string.h>

#include "prov/answer.h"

static const struct option_row rows[] = {
	{ 'o', "output", "OUT", "file to write; its suffix says what: .svg or .dot" },
	ANSWER_ROW_IMPACT,
	ANSWER_ROW_DEPTH,
	ANSWER_ROW_AT,
	ANSWER_ROW_ALL,
	{ 0 },
};

static int graph_main(struct context *c, int argc, char **argv)
{
	const struct format_ops *format;
	struct answer w = { .walk.direction = WALK_BACKWARD };
	struct graph g = { 0 };
	int ret = answer_ask(c, argc, argv, "RUN or FILE", &w);

	if (ret || !w.subject)
		return ret;
	if (!c->output)
		return context_usage(c, "where to? name a file: -o graph.svg or -o graph.dot");
	format = format_for_file(c->output);
	if (!format || (strcmp(format->name, "svg") && strcmp(format->name, "dot")))
		return context_usage(c, "%s: a picture ends in .svg or .dot", c->output);
	ret = answer_graph(c, &w, "ro", &g);
	if (ret == 0)
		ret = answer_write(c, &w, &g, format);
	graph_release(&g);
	return ret;
}

const struct command cmd_graph = {
	.name = "graph",
	.usage = "RUN|FILE -o OUT.svg|OUT.dot [--impact] [--depth N] [--at TIME] [--all]",
	.summary = "draw a run, or where a file came from",
	.more = "SVG needs Graphviz (the program 'dot'); a .dot file does not.",
	.options = rows,
	.flags = COMMAND_READS,
	.main = graph_main,
};
