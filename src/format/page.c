/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* page.c - lines of a tree that wrap at the right margin */
#include "format/page.h"

#include <limits.h>
#include <string.h>

#include "format/utf8.h"

/* The narrowest column of words that can still be read */
#define NARROW 16

void page_init(struct page *p, const struct format_options *o, struct buf *out)
{
	*p = (struct page){ .pen = { .out = out, .unicode = o->unicode }, .o = o };
}

static void start(struct page *p, unsigned columns)
{
	p->used = columns;
	p->empty = true;
}

void page_item(struct page *p, unsigned depth, bool last, bool under)
{
	tree_item(&p->pen, depth, last);
	p->under = under;
	p->indent = 2;
	start(p, tree_width(depth));
}

void page_more(struct page *p)
{
	buf_char(p->pen.out, '\n');
	tree_more(&p->pen, p->under);
	start(p, tree_width(p->pen.depth + 1));
}

static void wrap(struct page *p)
{
	page_more(p);
	buf_append(p->pen.out, "        ", p->indent);
	p->used += p->indent;
}

unsigned page_left(const struct page *p)
{
	if (!p->o->columns)
		return UINT_MAX;
	return p->o->columns > p->used + NARROW ? p->o->columns - p->used : NARROW;
}

static size_t solid(const char *join)
{
	size_t n = strlen(join);

	while (n && join[n - 1] == ' ')
		n--;
	return n;
}

/* Wider than a line of its own would be, so cut here where there is room. */
static bool hopeless(const struct page *p, size_t width)
{
	unsigned fresh = tree_width(p->pen.depth + 1) + p->indent;

	return fresh + width > p->o->columns && page_left(p) >= 2 * NARROW && !p->o->all;
}

static const char *colour_of(enum page_style style)
{
	switch (style) {
	case STYLE_STEP:
		return "\033[1m";
	case STYLE_NOTE:
		return "\033[2m";
	case STYLE_ROOT:
		return "\033[1;34m";
	case STYLE_DOUBT:
		return "\033[33m";
	case STYLE_PLAIN:
		break;
	}
	return "";
}

void page_word(struct page *p, const char *join, const char *text, enum page_style style)
{
	struct buf *out = p->pen.out, safe = { 0 };
	bool colour = p->o->colour && *colour_of(style);
	size_t width;

	format_text(text, 0, p->o->unicode, &safe);
	width = utf8_columns(safe.data ? safe.data : "");
	if (!p->empty && p->o->columns && p->used + strlen(join) + width > p->o->columns &&
	    !hopeless(p, width)) {
		buf_append(out, join, solid(join));
		wrap(p);
	} else if (!p->empty) {
		buf_str(out, join);
		p->used += strlen(join);
	}
	if (width > page_left(p) && !p->o->all) {
		buf_clear(&safe);
		format_text(text, page_left(p), p->o->unicode, &safe);
		width = utf8_columns(safe.data ? safe.data : "");
	}
	if (colour)
		buf_str(out, colour_of(style));
	buf_append(out, safe.data, safe.size);
	if (colour)
		buf_str(out, "\033[0m");
	p->used += (unsigned)width;
	p->empty = false;
	buf_release(&safe);
}

void page_words(struct page *p, const char *join, const char *text, enum page_style style)
{
	struct buf word = { 0 };

	for (;;) {
		size_t n = strcspn(text, " ");

		buf_clear(&word);
		buf_append(&word, text, n);
		page_word(p, join, word.data, style);
		if (!text[n])
			break;
		join = " ";
		text += n + 1;
	}
	buf_release(&word);
}

void page_end(struct page *p)
{
	buf_char(p->pen.out, '\n');
}
