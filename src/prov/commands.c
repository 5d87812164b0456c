/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* commands.c - the one table of commands */
#include <string.h>

#include "prov/command.h"

extern const struct command cmd_run, cmd_log, cmd_show, cmd_lineage, cmd_impact, cmd_stat,
	cmd_status, cmd_graph, cmd_export, cmd_granularity, cmd_trace, cmd_doctor, cmd_config,
	cmd_help, cmd_version;

static const struct command *const table[] = {
	&cmd_run,    &cmd_log,	 &cmd_show,   &cmd_lineage,	&cmd_impact, &cmd_stat,
	&cmd_status, &cmd_graph, &cmd_export, &cmd_granularity, &cmd_trace,  &cmd_doctor,
	&cmd_config, &cmd_help,	 &cmd_version,
};

const struct command *command_at(size_t i)
{
	return i < sizeof(table) / sizeof(table[0]) ? table[i] : NULL;
}

const struct command *command_find(const char *name)
{
	const struct command *c;

	for (size_t i = 0; (c = command_at(i)); i++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

/* How many letters must change, appear, vanish or swap to make a into b. */
static unsigned distance(const char *a, const char *b)
{
	enum { MOST = 32 };
	unsigned rows[3][MOST + 1];
	size_t n = strlen(a), m = strlen(b);

	if (n > MOST || m > MOST)
		return MOST;
	for (unsigned j = 0; j <= m; j++)
		rows[0][j] = j;
	for (unsigned i = 1; i <= n; i++) {
		unsigned *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

		now[0] = i;
		for (unsigned j = 1; j <= m; j++) {
			unsigned best = last[j - 1] + (a[i - 1] != b[j - 1]);

			if (best > last[j] + 1)
				best = last[j] + 1;
			if (best > now[j - 1] + 1)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    best > before[j - 2] + 1)
				best = before[j - 2] + 1;
			now[j] = best;
		}
	}
	return rows[n % 3][m];
}

const char *suggest(const char *word, const char *(*name_at)(const void *, size_t),
		    const void *names)
{
	const char *best = NULL, *name;
	size_t n = strlen(word);
	unsigned least = n < 4 ? 2 : 3; /* fewer changes than this look like a slip */

	for (size_t i = 0; (name = name_at(names, i)); i++) {
		unsigned d = distance(word, name);

		if (n >= 2 && !strncmp(word, name, n))
			d = 1;
		if (d < least) {
			least = d;
			best = name;
		}
	}
	return best;
}

static void options_help(const struct option_row *r, struct buf *out)
{
	for (; r->name; r++) {
		size_t at = out->size;

		buf_printf(out, r->code < 256 ? "  -%c, " : "      ", r->code);
		buf_printf(out, "--%s%s%s", r->name, r->arg ? " " : "", r->arg ? r->arg : "");
		if (out->size - at < 24)
			buf_printf(out, "%*s", (int)(24 - (out->size - at)), "");
		else
			buf_str(out, "\n                        ");
		buf_printf(out, "%s\n", r->help);
	}
}

/* text, with lines broken between words at column 80; the first begins at margin. */
static void wrapped(const char *text, unsigned margin, struct buf *out)
{
	unsigned at = margin;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (at > margin && at + 1 + n > 80) {
			buf_printf(out, "\n%*s", (int)margin, "");
			at = margin;
		} else if (at > margin) {
			buf_char(out, ' ');
			at++;
		}
		buf_append(out, text, n);
		at += (unsigned)n;
		text += n + (text[n] == ' ');
	}
	buf_char(out, '\n');
}

void command_help(const struct command *c, struct buf *out)
{
	static const struct option_row help_row[] = { { 'h', "help", NULL, "this text" }, { 0 } };

	buf_printf(out, "usage: prov %s%s", c->name, c->usage[0] ? " " : "");
	wrapped(c->usage, (unsigned)strlen(c->name) + 13, out);
	buf_printf(out, "\nprov %s: %s.\n", c->name, c->summary);
	if (c->more)
		buf_printf(out, "\n%s\n", c->more);
	buf_str(out, "\n");
	if (c->options)
		options_help(c->options, out);
	options_help(help_row, out);
}

void command_list(struct buf *out)
{
	const struct command *c;

	buf_str(out,
		"usage: prov [--no-pager] COMMAND [ARG...]\n\n"
		"prov records what programs read and write, and tells where a file came from.\n\n");
	for (size_t i = 0; (c = command_at(i)); i++) {
		buf_printf(out, "  %-9s ", c->name);
		wrapped(c->summary, 12, out);
	}
	buf_str(out, "\nStart with: prov run -- COMMAND\n"
		     "'prov help COMMAND' or 'man prov-COMMAND' tells more.\n");
}
