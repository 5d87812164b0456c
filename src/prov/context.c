/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* context.c - the store and the messages of a command */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/conf.h"
#include "base/err.h"
#include "base/path.h"
#include "base/service.h"
#include "format/format.h"
#include "prov/command.h"
#include "store/union.h"

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

static void node_lost(void *ctx, const char *why)
{
	context_say(ctx, "%s; what it knows is missing from this answer", why);
}

/* NULL where there is none or it does not answer. */
static struct store *open_node(struct context *c)
{
	const char *path = service_path();
	struct store *s = NULL;
	int r;

	if (!path)
		return NULL;
	r = store_open(arena_printf(&c->arena, "node:%s", path), STORE_READ, &s);
	/* nobody who does not have the service is told so by each command */
	if (r < 0 && (r != -ENOENT || strcmp(conf_text("node"), "auto")))
		node_lost(c, fail_text());
	return s;
}

static int open_store(struct context *c, const char **where)
{
	struct union_member members[2];
	struct store *own = NULL, *node;
	size_t n = 0;
	int r;

	*where = path_store(&c->arena);
	if (!*where)
		return context_trouble(c);
	r = store_open(*where, STORE_READ, &own);
	if (r < 0 && r != -ENOENT)
		return context_trouble(c);
	node = open_node(c);
	if (own)
		members[n++] = (struct union_member){ own, /* may_fail= */ false };
	if (node)
		members[n++] = (struct union_member){ node, /* may_fail= */ true };
	c->store = node ? store_union(members, n, node_lost, c) : own;
	return 0;
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
