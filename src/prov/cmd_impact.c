/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* cmd_impact.c - what was made from a file */
#include "prov/answer.h"

static const struct option_row rows[] = {
	ANSWER_ROW_DEPTH,
	ANSWER_ROW_AT,
	ANSWER_ROW_ALL,
	{ ANSWER_ASCII, "ascii", NULL, "draw with plain characters" },
	{ 'j', "json", NULL, "nodes and edges as JSON, with everything that is folded" },
	{ 0 },
};

static int impact_main(struct context *c, int argc, char **argv)
{
	return answer_main(c, argc, argv, WALK_FORWARD);
}

const struct command cmd_impact = {
	.name = "impact",
	.usage = "FILE [--depth N] [--at TIME] [--all] [--ascii] [--json]",
	.summary = "tell what was made from a file",
	.more = "FILE is a path or an id, also of a file that is gone.",
	.options = rows,
	.flags = COMMAND_READS,
	.main = impact_main,
};
