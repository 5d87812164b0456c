/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* text.c - how single facts read */
#include "prov/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "format/format.h"

const char *text_path(const char *folder, const char *path)
{
	size_t n = folder ? strlen(folder) : 0;

	if (n && folder[n - 1] == '/')
		n--;
	if (n && !strncmp(path, folder, n) && path[n] == '/' && path[n + 1])
		return path + n + 1;
	return path;
}

const char *text_status(struct arena *a, int64_t end, int status, int sig)
{
	if (sig)
		return arena_printf(a, "signal %d (%s)", sig, strsignal(sig));
	if (status > 0)
		return arena_printf(a, "exit %d", status);
	if (status == 0)
		return "ok";
	return end ? "end unseen" : "not ended";
}

const char *text_access(struct arena *a, const struct access *x)
{
	struct buf b = { 0 };
	char size[SIZE_TEXT_SIZE];
	const char *text;
	static const struct {
		uint32_t flag;
		const char *word;
	} words[] = {
		{ ACCESS_CREATE, "created" }, { ACCESS_TRUNCATE, "emptied" },
		{ ACCESS_READ, "read" },      { ACCESS_MAP_READ, "mapped" },
		{ ACCESS_WRITE, "written" },  { ACCESS_MAP_WRITE, "mapped to write" },
		{ ACCESS_LOAD, "loaded" },    { ACCESS_DELETE, "deleted" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		uint64_t bytes = words[i].flag == ACCESS_READ    ? x->bytes_read
				 : words[i].flag == ACCESS_WRITE ? x->bytes_written
								 : 0;

		if (!(x->flags & words[i].flag))
			continue;
		/* who creates a file also finds it empty */
		if (words[i].flag == ACCESS_TRUNCATE && x->flags & ACCESS_CREATE)
			continue;
		buf_printf(&b, "%s%s", b.size ? ", " : "", words[i].word);
		if (bytes)
			buf_printf(&b, " %s", size_text(bytes, size));
	}
	if (x->flags & ACCESS_UNSURE)
		buf_printf(&b, "%spossibly", b.size ? ", " : "");
	text = arena_str(a, b.size ? b.data : "opened");
	buf_release(&b);
	return text;
}

const char *text_name(struct arena *a, const char *folder, const struct name_event *e)
{
	const char *from = text_path(folder, e->from ? e->from : "");
	const char *to = text_path(folder, e->to ? e->to : "");

	switch (e->kind) {
	case NAME_RENAME:
		return arena_printf(a, "%s is renamed to %s", from, to);
	case NAME_EXCHANGE:
		return arena_printf(a, "%s and %s change places", from, to);
	case NAME_LINK:
		return arena_printf(a, "%s gets the further name %s", from, to);
	case NAME_SYMLINK:
		return arena_printf(a, "%s becomes a symbolic link to %s", to,
				    e->from ? e->from : "");
	case NAME_UNLINK:
		break;
	}
	return arena_printf(a, "the name %s is removed", from);
}

const char *text_command(struct arena *a, const struct strings *argv, const char *exe)
{
	struct buf b = { 0 };
	const char *text;

	format_command(argv, &b);
	text = b.size ? arena_str(a, b.data) : exe && exe[0] ? exe : "(command unknown)";
	buf_release(&b);
	return text;
}

void text_line(struct context *c, const char *label, const char *fmt, ...)
{
	struct buf raw = { 0 };
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	buf_reserve(&raw, n > 0 ? (size_t)n : 0);
	va_start(ap, fmt);
	(void)vsnprintf(raw.data, n > 0 ? (size_t)n + 1 : 1, fmt, ap);
	va_end(ap);
	tint(c, TINT_DIM);
	buf_printf(&c->out, "%-9s", label);
	tint(c, TINT_NONE);
	format_text(raw.data, c->columns - 9, c->unicode, &c->out);
	buf_char(&c->out, '\n');
	buf_release(&raw);
}

void text_holes(struct context *c, const struct hole *holes, size_t n)
{
	enum { SHOWN = 12 };
	size_t shown = n > SHOWN ? SHOWN : n;
	char id[ID_TEXT_SIZE];

	if (!n)
		return;
	tint(c, TINT_BAD);
	buf_str(&c->out, "\nnot recorded:\n");
	tint(c, TINT_NONE);
	for (size_t i = 0; i < shown; i++) {
		const struct hole *h = &holes[i];
		const char *who = id_is_zero(&h->exec) ? "" : id_short(ID_EXECUTION, &h->exec, id);
		const char *why = h->why && h->why[0] ? h->why : h->kind;
		const char *times =
			h->count > 1 ? arena_printf(&c->arena, " (%" PRIu64 " times)", h->count)
				     : "";

		buf_printf(&c->out, "  %-9s ", who);
		format_text(arena_printf(&c->arena, "%s%s", why, times), 0, c->unicode, &c->out);
		buf_char(&c->out, '\n');
	}
	if (shown < n)
		buf_printf(&c->out, "  and %zu more: --json lists them\n", n - shown);
}

struct tree tree_begin(struct context *c)
{
	return (struct tree){ .c = c, .pen = { .out = &c->out, .unicode = c->unicode } };
}

void tree_line(struct tree *t, bool last, enum tint how, const char *body, const char *tail)
{
	struct context *c = t->c;
	struct buf cut = { 0 };
	unsigned room = c->columns, least = 12; /* columns of the body that stay legible */

	room -= tree_width(t->depth) < room - 2 * least ? tree_width(t->depth) : room - 2 * least;
	if (tail[0])
		format_text(tail, room - least, c->unicode, &cut);
	room -= cut.size ? text_width(cut.data) : 0;
	tint(c, TINT_DIM);
	tree_item(&t->pen, t->depth, last);
	tint(c, TINT_NONE);
	if (how != TINT_NONE)
		tint(c, how);
	format_text(body, room, c->unicode, &c->out);
	if (how != TINT_NONE)
		tint(c, TINT_NONE);
	buf_printf(&c->out, "%s\n", cut.size ? cut.data : "");
	buf_release(&cut);
}
