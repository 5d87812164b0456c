/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* command.c - what programs were called with, as a person would read it */
#include <stdbool.h>
#include <string.h>

#include "format/format.h"
#include "format/utf8.h"

enum quoting { QUOTE_NONE, QUOTE_PLAIN, QUOTE_ESCAPED };

static enum quoting quoting_of(const char *word, bool first)
{
	static const char safe[] = "%+=:,./_-@";
	enum quoting need = *word && *word != '=' ? QUOTE_NONE : QUOTE_PLAIN;
	size_t n = strlen(word), len;

	for (size_t i = 0; i < n; i += len) {
		uint32_t c;

		len = utf8_next(word + i, n - i, &c);
		if (!len || !utf8_prints(c))
			return QUOTE_ESCAPED;
		if (c >= 0x80 || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z'))
			continue;
		/* "A=b" as the first word would be an assignment */
		if (!strchr(safe, (int)c) || (first && c == '='))
			need = QUOTE_PLAIN;
	}
	return need;
}

static void write_plain(const char *word, struct buf *out)
{
	buf_char(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			buf_str(out, "'\\''");
		else
			buf_char(out, *word);
	}
	buf_char(out, '\'');
}

static void write_escaped(const char *word, struct buf *out)
{
	size_t n = strlen(word);

	buf_str(out, "$'");
	for (size_t i = 0; i < n;) {
		uint32_t c;
		size_t len = utf8_next(word + i, n - i, &c);

		if (len && utf8_prints(c)) {
			if (c == '\'' || c == '\\')
				buf_char(out, '\\');
			buf_append(out, word + i, len);
			i += len;
			continue;
		}
		switch (word[i]) {
		case '\n':
			buf_str(out, "\\n");
			break;
		case '\t':
			buf_str(out, "\\t");
			break;
		default:
			buf_printf(out, "\\%03o", (unsigned char)word[i]);
			break;
		}
		i++;
	}
	buf_char(out, '\'');
}

void format_command(const struct strings *argv, struct buf *out)
{
	for (const char *p = NULL; (p = strings_next(argv, p));) {
		enum quoting q = quoting_of(p, p == argv->p);

		if (p != argv->p)
			buf_char(out, ' ');
		if (q == QUOTE_NONE)
			buf_str(out, p);
		else if (q == QUOTE_PLAIN)
			write_plain(p, out);
		else
			write_escaped(p, out);
	}
}

/* What cannot be divided when text is shown or cut. */
struct unit {
	char text[8];
	size_t size;  /* of text */
	size_t taken; /* bytes of the source */
	unsigned width;
};

static struct unit unit_at(const char *s, size_t n, bool unicode)
{
	struct unit u = { .taken = 1, .width = 4, .size = 4 };
	uint32_t c;
	size_t len = utf8_next(s, n, &c);

	if (len && utf8_prints(c) && (unicode || c < 0x80)) {
		memcpy(u.text, s, len);
		u.taken = u.size = len;
		u.width = utf8_width(c);
		return u;
	}
	u.text[0] = '\\';
	u.text[1] = (char)('0' + ((unsigned char)*s >> 6));
	u.text[2] = (char)('0' + ((unsigned char)*s >> 3 & 7));
	u.text[3] = (char)('0' + ((unsigned char)*s & 7));
	return u;
}

void format_text(const char *s, unsigned columns, bool unicode, struct buf *out)
{
	const char *dots = unicode ? "\xe2\x80\xa6" : "...";
	size_t n = strlen(s), i = 0, total = 0, done = 0, head;
	unsigned dots_width = unicode ? 1 : 3;
	struct unit u;

	for (; columns && i < n; i += u.taken) {
		u = unit_at(s + i, n - i, unicode);
		total += u.width;
	}
	if (total <= columns) {
		for (i = 0; i < n; i += u.taken) {
			u = unit_at(s + i, n - i, unicode);
			buf_append(out, u.text, u.size);
		}
		return;
	}
	if (columns < dots_width)
		return;
	head = (columns - dots_width + 1) / 2;
	for (i = 0; i < n; i += u.taken) {
		u = unit_at(s + i, n - i, unicode);
		if (done + u.width > head)
			break;
		buf_append(out, u.text, u.size);
		done += u.width;
	}
	buf_str(out, dots);
	/* skip until what is left fits; its width is total - done */
	for (; i < n && total - done > columns - dots_width - head; i += u.taken) {
		u = unit_at(s + i, n - i, unicode);
		done += u.width;
	}
	for (; i < n; i += u.taken) {
		u = unit_at(s + i, n - i, unicode);
		buf_append(out, u.text, u.size);
	}
}
