/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* cmd_config.c - the settings in force, and where they come from */
#include <string.h>

#include "base/conf.h"
#include "base/path.h"
#include "format/format.h"
#include "format/json.h"
#include "prov/args.h"
#include "prov/table.h"

static const struct option_row rows[] = {
	{ 'j', "json", NULL, "as JSON" },
	{ 0 },
};

static const char *name_at(const void *unused, size_t i)
{
	const struct conf_entry *e = conf_at(i);

	(void)unused;
	return e ? e->name : NULL;
}

static void write_json(struct context *c, const char *only)
{
	struct json j = { .out = &c->out };
	const struct conf_entry *e;

	json_object(&j, NULL);
	json_array(&j, "settings");
	for (size_t i = 0; (e = conf_at(i)); i++) {
		if (only && strcmp(only, e->name))
			continue;
		json_object(&j, NULL);
		json_string(&j, "name", e->name);
		json_string(&j, "value", e->value);
		json_string(&j, "default", e->fallback);
		json_string(&j, "origin", e->origin);
		json_string(&j, "help", e->help);
		json_end(&j);
	}
	json_end(&j);
	json_string(&j, "store", path_store(&c->arena));
	json_end(&j);
	buf_char(&c->out, '\n');
}

/* A long value is cut in the middle, so that its origin has room beside it; "prov config
 * NAME" shows all of it. */
static void value_cell(struct table *t, const struct conf_entry *e)
{
	struct buf shown = { 0 };

	format_text(e->value[0] ? e->value : "(empty)", 3 * t->c->columns / 10, t->c->unicode,
		    &shown);
	table_cell(t, "%s", shown.data);
	buf_release(&shown);
}

static void write_table(struct context *c)
{
	static const char *const heads[] = { "NAME", "VALUE", "ORIGIN" };
	struct table t = table_begin(c, heads, 3);
	const struct conf_entry *e;

	for (size_t i = 0; (e = conf_at(i)); i++) {
		table_cell(&t, "%s", e->name);
		value_cell(&t, e);
		table_cell(&t, "%s", e->origin);
	}
	table_end(&t);
}

static int config_main(struct context *c, int argc, char **argv)
{
	struct args a = args_begin(c, argc, argv);
	const char *only, *near;
	bool json = false;
	int o;

	while ((o = args_next(&a)) > 0)
		json |= o == 'j';
	if (o < 0)
		return a.status;
	if (a.n_operands > 1)
		return context_usage(
			c, "one NAME at a time; settings are changed in files, see prov.conf(5)");
	if (c->conf_error) {
		context_say(c, "%s", c->conf_error);
		return EXIT_TROUBLE;
	}
	only = a.operands[0];
	if (only) {
		const struct conf_entry *e;

		for (size_t i = 0; (e = conf_at(i)); i++)
			if (!strcmp(e->name, only))
				break;
		if (!e) {
			near = suggest(only, name_at, NULL);
			context_say(c, "there is no setting '%s'%s%s%s", only,
				    near ? "; did you mean " : "",
				    near ? near : "; 'prov config' lists them", near ? "?" : "");
			return EXIT_NO;
		}
		if (!json) {
			buf_printf(&c->out, "%s\n", e->value);
			return EXIT_YES;
		}
	}
	if (json)
		write_json(c, only);
	else
		write_table(c);
	return EXIT_YES;
}

const struct command cmd_config = {
	.name = "config",
	.usage = "[NAME] [--json]",
	.summary = "list the settings in force and where each comes from",
	.more = "Settings are changed in files and in the environment: see prov.conf(5).",
	.options = rows,
	.flags = COMMAND_ANY_CONF,
	.main = config_main,
};
