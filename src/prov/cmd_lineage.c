/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* cmd_lineage.c - where a file came from */
#include "prov/answer.h"

static const struct option_row rows[] = {
	ANSWER_ROW_DEPTH,
	ANSWER_ROW_AT,
	ANSWER_ROW_ALL,
	{ ANSWER_ASCII, "ascii", NULL, "draw with plain characters" },
	{ 'j', "json", NULL, "nodes and edges as JSON, with everything that is folded" },
	{ 0 },
};

static int lineage_main(struct context *c, int argc, char **argv)
{
	return answer_main(c, argc, argv, WALK_BACKWARD);
}

const struct command cmd_lineage = {
	.name = "lineage",
	.usage = "FILE [--depth N] [--at TIME] [--all] [--ascii] [--json]",
	.summary = "tell where a file came from",
	.more = "FILE is a path or an id, also of a file that is gone.",
	.options = rows,
	.flags = COMMAND_READS,
	.main = lineage_main,
};
