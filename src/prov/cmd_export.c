/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* cmd_export.c - a run or a lineage for other programs */
#include "prov/answer.h"

static const struct option_row rows[] = {
	{ 'f', "format", "FORMAT", "prov-json, dot, svg, text or json; else by the suffix of OUT" },
	{ 'o', "output", "OUT", "file to write instead of standard output" },
	ANSWER_ROW_IMPACT,
	ANSWER_ROW_DEPTH,
	ANSWER_ROW_AT,
	ANSWER_ROW_ALL,
	{ 0 },
};

static const char *format_name(const void *unused, size_t i)
{
	const struct format_ops *f = format_at(i);

	(void)unused;
	return f ? f->name : NULL;
}

static int choose(struct context *c, const struct answer *w, const struct format_ops **out)
{
	const char *near;

	if (!w->format) {
		*out = c->output ? format_for_file(c->output) : NULL;
		return *out ? 0 : context_usage(c, "which format? for example --format prov-json");
	}
	*out = format_find(w->format);
	if (*out)
		return 0;
	near = suggest(w->format, format_name, NULL);
	if (near)
		return context_usage(c, "there is no format '%s'; did you mean %s?", w->format,
				     near);
	return context_usage(c, "there is no format '%s'", w->format);
}

static int export_main(struct context *c, int argc, char **argv)
{
	const struct format_ops *format;
	struct answer w = { .walk.direction = WALK_BACKWARD };
	struct graph g = { 0 };
	int ret = answer_ask(c, argc, argv, "RUN or FILE", &w);

	if (ret || !w.subject)
		return ret;
	ret = choose(c, &w, &format);
	if (ret)
		return ret;
	ret = answer_graph(c, &w, "ro", &g);
	if (ret == 0)
		ret = answer_write(c, &w, &g, format);
	graph_release(&g);
	return ret;
}

const struct command cmd_export = {
	.name = "export",
	.usage = "RUN|FILE [--format FORMAT] [-o OUT] [--impact] [--depth N] [--at TIME] [--all]",
	.summary = "write a run, or where a file came from, for other programs",
	.more = "prov-json is W3C PROV-JSON. An existing OUT is replaced only when all of the new "
		"one\n"
		"is written.",
	.options = rows,
	.flags = COMMAND_READS,
	.main = export_main,
};
