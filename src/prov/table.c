/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* table.c - aligned columns and small words for numbers */
#include "prov/table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "format/format.h"

unsigned text_width(const char *s)
{
	unsigned width = 0;
	mbstate_t state = { 0 };
	size_t left = strlen(s);

	while (left) {
		wchar_t wide;
		size_t n = mbrtowc(&wide, s, left, &state);
		int w;

		if (n == 0 || n > left) { /* no character of this locale: count bytes */
			memset(&state, 0, sizeof(state));
			n = 1;
			w = 1;
		} else {
			w = wcwidth(wide);
		}
		width += w > 0 ? (unsigned)w : 0;
		s += n;
		left -= n;
	}
	return width;
}

char *size_text(uint64_t bytes, char out[SIZE_TEXT_SIZE])
{
	static const char *const units[] = { "kB", "MB", "GB", "TB", "PB", "EB" };
	double v = (double)bytes;
	int u = -1;

	while (v >= 999.5) {
		v /= 1000;
		u++;
	}
	if (u < 0)
		snprintf(out, SIZE_TEXT_SIZE, "%" PRIu64 " B", bytes);
	else
		snprintf(out, SIZE_TEXT_SIZE, v < 9.95 ? "%.1f %s" : "%.0f %s", v, units[u]);
	return out;
}

void tint(struct context *c, enum tint t)
{
	static const char *const codes[] = {
		[TINT_NONE] = "\033[0m", [TINT_DIM] = "\033[2m",   [TINT_BOLD] = "\033[1m",
		[TINT_BAD] = "\033[31m", [TINT_GOOD] = "\033[32m", [TINT_NAME] = "\033[36m",
	};

	if (c->colour)
		buf_str(&c->out, codes[t]);
}

struct table table_begin(struct context *c, const char *const *heads, unsigned n_columns)
{
	return (struct table){ .c = c, .heads = heads, .n_columns = n_columns };
}

void table_cell(struct table *t, const char *fmt, ...)
{
	struct buf raw = { 0 };
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n > 0) {
		buf_reserve(&raw, (size_t)n);
		va_start(ap, fmt);
		(void)vsnprintf(raw.data, (size_t)n + 1, fmt, ap);
		va_end(ap);
		format_text(raw.data, 0, t->c->unicode, &t->cells);
	}
	buf_append(&t->cells, "", 1);
	t->n_cells++;
	buf_release(&raw);
}

static const char *head_text(const char *head)
{
	return head[0] == '>' ? head + 1 : head;
}

static void write_row(struct table *t, const char **cells, const unsigned *widths)
{
	struct buf *out = &t->c->out;
	unsigned at = 0;

	for (unsigned i = 0; i < t->n_columns; i++) {
		unsigned w = text_width(cells[i]), pad = widths[i] > w ? widths[i] - w : 0;

		if (i + 1 == t->n_columns && t->heads[i][0] != '>') {
			format_text(cells[i], t->c->columns > at + 10 ? t->c->columns - at : 10,
				    t->c->unicode, out);
			break;
		}
		if (t->heads[i][0] == '>')
			buf_printf(out, "%*s%s", (int)pad, "", cells[i]);
		else
			buf_printf(out, "%s%*s", cells[i], (int)pad, "");
		if (i + 1 < t->n_columns)
			buf_str(out, "  ");
		at += widths[i] + 2;
	}
	buf_char(out, '\n');
}

void table_end(struct table *t)
{
	const char *row[16];
	unsigned widths[16] = { 0 };
	const char *p = t->cells.data;

	for (unsigned i = 0; i < t->n_columns; i++) {
		row[i] = head_text(t->heads[i]);
		widths[i] = text_width(row[i]);
	}
	for (size_t i = 0; i < t->n_cells; i++, p += strlen(p) + 1) {
		unsigned w = text_width(p);

		if (widths[i % t->n_columns] < w)
			widths[i % t->n_columns] = w;
	}
	tint(t->c, TINT_DIM);
	write_row(t, row, widths);
	tint(t->c, TINT_NONE);
	p = t->cells.data;
	for (size_t i = 0; i < t->n_cells; i++, p += strlen(p) + 1) {
		row[i % t->n_columns] = p;
		if (i % t->n_columns == t->n_columns - 1)
			write_row(t, row, widths);
	}
	buf_release(&t->cells);
}
