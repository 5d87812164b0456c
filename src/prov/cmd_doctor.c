/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* cmd_doctor.c - what works here, what does not, and what to do */
#include <string.h>

#include "format/format.h"
#include "format/json.h"
#include "prov/args.h"
#include "prov/doctor.h"
#include "prov/table.h"

static const struct option_row rows[] = {
	{ 'j', "json", NULL, "as JSON" },
	{ 0 },
};

static const char *const words[] = {
	[VERDICT_OK] = "ok", [VERDICT_WARN] = "warn", [VERDICT_NO] = "no"
};

#define MARGIN (4u + 2 + 11 + 2)

/* Broken at blanks, as far as there are any. */
static void write_wrapped(struct context *c, const char *text)
{
	unsigned at = MARGIN;

	while (*text) {
		size_t n = strcspn(text, " ");
		unsigned width = text_width(arena_strn(&c->arena, text, n));

		if (at > MARGIN && at + 1 + width > c->columns) {
			buf_printf(&c->out, "\n%*s", (int)MARGIN, "");
			at = MARGIN;
		} else if (at > MARGIN) {
			buf_char(&c->out, ' ');
			at++;
		}
		buf_append(&c->out, text, n);
		at += width;
		text += n + (text[n] == ' ');
	}
}

/* "ok    store  what - advice"; the advice has a line of its own where it
 * would leave the terminal. */
static void write_line(struct context *c, const char *name, const struct finding *f)
{
	static const enum tint tints[] = { TINT_GOOD, TINT_BOLD, TINT_BAD };
	struct buf what = { 0 };

	format_text(f->what, 0, c->unicode, &what);
	tint(c, tints[f->verdict]);
	buf_printf(&c->out, "%-4s", words[f->verdict]);
	tint(c, TINT_NONE);
	buf_printf(&c->out, "  %-11s  ", name);
	write_wrapped(c, what.data);
	if (f->advice) {
		bool fits =
			MARGIN + text_width(what.data) + 3 + text_width(f->advice) <= c->columns;

		buf_printf(&c->out, "%s - ", fits ? "" : "\n      ");
		format_text(f->advice, 0, c->unicode, &c->out);
	}
	buf_char(&c->out, '\n');
	buf_release(&what);
}

static void write_json(struct json *j, const char *name, const struct finding *f)
{
	json_object(j, NULL);
	json_string(j, "check", name);
	json_string(j, "verdict", words[f->verdict]);
	json_string(j, "what", f->what);
	json_string(j, "advice", f->advice);
	json_end(j);
}

static int doctor_main(struct context *c, int argc, char **argv)
{
	struct args a = args_begin(c, argc, argv);
	struct json j = { .out = &c->out };
	bool json = false, able = true;
	int o;

	while ((o = args_next(&a)) > 0)
		json |= o == 'j';
	if (o < 0)
		return a.status;
	if (a.n_operands)
		return context_usage(c, "'%s' is not expected here", a.operands[0]);
	if (json) {
		json_object(&j, NULL);
		json_array(&j, "checks");
	}
	for (const struct check *k = doctor_checks; k->name; k++) {
		struct finding f = k->look(c);

		able &= f.verdict != VERDICT_NO;
		if (json)
			write_json(&j, k->name, &f);
		else
			write_line(c, k->name, &f);
	}
	if (json) {
		json_end(&j);
		json_bool(&j, "able", able);
		json_end(&j);
		buf_char(&c->out, '\n');
	}
	return able ? EXIT_YES : EXIT_NO;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.usage = "[--json]",
	.summary = "check what works here, what does not, and what to do",
	.more = "Exits with 1 when recording would not work.",
	.options = rows,
	.flags = COMMAND_ANY_CONF,
	.main = doctor_main,
};
