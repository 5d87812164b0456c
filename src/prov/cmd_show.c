/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* cmd_show.c - what is known of a run, a program or a file */
#include "prov/args.h"
#include "prov/show.h"
#include "query/query.h"

static const struct option_row rows[] = {
	{ 'a', "all", NULL, "also libraries, caches and helpers that are folded away" },
	{ 'j', "json", NULL, "everything, as JSON" },
	{ 0 },
};

static int show_main(struct context *c, int argc, char **argv)
{
	struct args a = args_begin(c, argc, argv);
	bool json = false, all = false;
	struct subject subject;
	int o, ret;

	while ((o = args_next(&a)) > 0) {
		json |= o == 'j';
		all |= o == 'a';
	}
	if (o < 0)
		return a.status;
	if (a.n_operands > 1)
		return context_usage(c, "one RUN, EXECUTION or FILE at a time");
	ret = context_store(c);
	if (ret)
		return ret;
	ret = subject_find(c->store, a.n_operands ? a.operands[0] : "last", "rxo", &c->arena,
			   &subject);
	if (ret < 0)
		return context_fail(c, ret);
	switch (subject.kind) {
	case ID_RUN:
		return show_run(c, &subject.id, json, all);
	case ID_EXECUTION:
		return show_execution(c, &subject.id, json, all);
	default:
		return show_file(c, &subject.id, json);
	}
}

const struct command cmd_show = {
	.name = "show",
	.usage = "[RUN|EXECUTION|FILE] [--json] [--all]",
	.summary = "show what is known of a run, a program or a file",
	.more = "RUN is an id, a beginning of one, the name of a run, 'last', '@' or '@N' for the\n"
		"N-th before it; the newest run when nothing is given. FILE is a path or an id.",
	.options = rows,
	.flags = COMMAND_READS,
	.main = show_main,
};
