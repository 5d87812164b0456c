/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* context.c - the store and the messages of a command */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/path.h"
#include "format/format.h"
#include "prov/command.h"

static void say(const struct context *c, const char *text, const char *hint)
{
	struct buf line = { 0 };

	buf_str(&line, "prov: ");
	if (c->command)
		buf_printf(&line, "%s: ", c->command->name);
	format_text(text, 0, true, &line);
	buf_str(&line, hint);
	buf_char(&line, '\n');
	/* nothing can be done when even stderr is gone */
	if (write(STDERR_FILENO, line.data, line.size) < 0)
		(void)0;
	buf_release(&line);
}

void context_say(const struct context *c, const char *fmt, ...)
{
	char text[8192];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	say(c, text, "");
}

int context_usage(const struct context *c, const char *fmt, ...)
{
	char text[8192], hint[64];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(hint, sizeof(hint), " (see 'prov help%s%s')", c->command ? " " : "",
		 c->command ? c->command->name : "");
	say(c, text, text[0] && text[strlen(text) - 1] == '?' ? "" : hint);
	return EXIT_USAGE;
}

int context_fail(const struct context *c, int err)
{
	say(c, fail_text(), "");
	if (err == -ENOENT)
		return EXIT_NO;
	return err == -EINVAL ? EXIT_USAGE : EXIT_TROUBLE;
}

int context_trouble(const struct context *c)
{
	say(c, fail_text(), "");
	return EXIT_TROUBLE;
}

static int open_store(struct context *c, const char **where)
{
	int r;

	*where = path_store(&c->arena);
	if (!*where)
		return context_trouble(c);
	r = store_open(*where, STORE_READ, &c->store);
	return r == 0 || r == -ENOENT ? 0 : context_trouble(c);
}

int context_store_or_none(struct context *c)
{
	const char *where;

	return open_store(c, &where);
}

int context_store(struct context *c)
{
	const char *where;
	int ret = open_store(c, &where);

	if (ret || c->store)
		return ret;
	context_say(c, "nothing is recorded yet in %s; start with: prov run -- COMMAND", where);
	return EXIT_NO;
}
