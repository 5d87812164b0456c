/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* cmd_help.c - what the commands are */
#include "prov/args.h"

static const char *name_at(const void *unused, size_t i)
{
	const struct command *command = command_at(i);

	(void)unused;
	return command ? command->name : NULL;
}

static int help_main(struct context *c, int argc, char **argv)
{
	struct args a = args_begin(c, argc, argv);
	const struct command *about;
	const char *near;
	int o = args_next(&a);

	if (o < 0)
		return a.status;
	if (a.n_operands > 1)
		return context_usage(c, "one COMMAND at a time");
	if (!a.n_operands) {
		command_list(&c->out);
		return EXIT_YES;
	}
	about = command_find(a.operands[0]);
	if (about) {
		command_help(about, &c->out);
		return EXIT_YES;
	}
	near = suggest(a.operands[0], name_at, NULL);
	if (near)
		return context_usage(c, "there is no command '%s'; did you mean '%s'?",
				     a.operands[0], near);
	return context_usage(c, "there is no command '%s'", a.operands[0]);
}

const struct command cmd_help = {
	.name = "help",
	.usage = "[COMMAND]",
	.summary = "list the commands, or tell how to use one",
	.flags = COMMAND_ANY_CONF,
	.main = help_main,
};
