/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* cmd_version.c - which prov this is */
#include "config.h"
#include "format/json.h"
#include "prov/args.h"

static const struct option_row rows[] = {
	{ 'j', "json", NULL, "as JSON" },
	{ 0 },
};

static int version_main(struct context *c, int argc, char **argv)
{
	struct args a = args_begin(c, argc, argv);
	struct json j = { .out = &c->out };
	bool json = false;
	int o;

	while ((o = args_next(&a)) > 0)
		json |= o == 'j';
	if (o < 0)
		return a.status;
	if (a.n_operands)
		return context_usage(c, "'%s' is not expected here", a.operands[0]);
	if (!json) {
		buf_str(&c->out, "prov " PROV_VERSION "\n");
		return EXIT_YES;
	}
	json_object(&j, NULL);
	json_string(&j, "version", PROV_VERSION);
	json_end(&j);
	buf_char(&c->out, '\n');
	return EXIT_YES;
}

const struct command cmd_version = {
	.name = "version",
	.usage = "[--json]",
	.summary = "print the version",
	.options = rows,
	.flags = COMMAND_ANY_CONF,
	.main = version_main,
};
