/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_FORMAT_TREE_H
#define PROV_FORMAT_TREE_H
#include <stdbool.h>

#include "base/buf.h"
/*
 * The lines that make a tree of text. The caller prints one item per
 * tree_item(), parents first, and tells each time whether more items follow
 * under the same parent; the pen remembers the open branches:
 *
 *	struct tree_pen pen = { .out = &buf, .unicode = true };
 *	buf_str(&buf, "a\n");
 *	tree_item(&pen, 1, false);  buf_str(&buf, "b\n");	|- b
 *	tree_item(&pen, 2, true);   buf_str(&buf, "c\n");	|  `- c
 *	tree_item(&pen, 1, true);   buf_str(&buf, "d\n");	`- d
 *
 * Depth 0 is the margin and has no lines; items deeper than TREE_DEPTH are
 * drawn at TREE_DEPTH.
 */
#define TREE_DEPTH 128
#define TREE_INDENT 3	/* columns per level */

struct tree_pen {
	struct buf *out;
	bool unicode;
	unsigned depth;			/* of the newest item */
	bool open[TREE_DEPTH + 1];	/* more items follow at that depth */
};

void tree_item(struct tree_pen *pen, unsigned depth, bool last);
/* Begins a further line of the newest item; under = items below it follow. */
void tree_more(struct tree_pen *pen, bool under);
/* Columns that the lines of an item at that depth take. */
unsigned tree_width(unsigned depth);
#endif
