/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_FORMAT_PAGE_H
#define PROV_FORMAT_PAGE_H
#include "format/format.h"
#include "format/tree.h"
/*
 * Lines of a tree that wrap at the right margin: begin a line, add words, end
 * it. Words are made safe for the terminal here, so callers pass raw names.
 */
enum page_style { STYLE_PLAIN, STYLE_STEP, STYLE_NOTE, STYLE_ROOT, STYLE_DOUBT };

struct page {
	struct tree_pen pen;
	const struct format_options *o;
	unsigned used;		/* columns of the line so far */
	unsigned indent;	/* of its continuations */
	bool under;		/* items below it follow */
	bool empty;		/* no word on it yet */
};

void page_init(struct page *p, const struct format_options *o, struct buf *out);
/* A line of the tree; depth 0 is the margin. */
void page_item(struct page *p, unsigned depth, bool last, bool under);
/* A further line of the newest item. */
void page_more(struct page *p);
/* join stands between this word and the one before; when the line is full it
 * ends after what of join is not blank. */
void page_word(struct page *p, const char *join, const char *text, enum page_style style);
/* All words of a text divided at its blanks. */
void page_words(struct page *p, const char *join, const char *text, enum page_style style);
void page_end(struct page *p);
/* Columns left on the line, UINT_MAX when lines are not cut. */
unsigned page_left(const struct page *p);
#endif
