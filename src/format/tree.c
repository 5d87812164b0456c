/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* tree.c - the lines that make a tree of text */
#include "format/tree.h"

static unsigned clamp(unsigned depth)
{
	return depth < TREE_DEPTH ? depth : TREE_DEPTH;
}

/* The branches that pass by, up to and without depth. */
static void pass(struct tree_pen *pen, unsigned depth)
{
	for (unsigned d = 1; d < depth; d++) {
		if (!pen->open[d])
			buf_str(pen->out, "   ");
		else
			buf_str(pen->out, pen->unicode ? "\xe2\x94\x82  " : "|  ");
	}
}

void tree_item(struct tree_pen *pen, unsigned depth, bool last)
{
	depth = clamp(depth);
	pass(pen, depth);
	pen->depth = depth;
	pen->open[depth] = !last;
	if (!depth)
		return;
	if (last)
		buf_str(pen->out, pen->unicode ? "\xe2\x94\x94\xe2\x94\x80 " : "`- ");
	else
		buf_str(pen->out, pen->unicode ? "\xe2\x94\x9c\xe2\x94\x80 " : "|- ");
}

void tree_more(struct tree_pen *pen, bool under)
{
	bool below = pen->depth < TREE_DEPTH;

	if (below)
		pen->open[pen->depth + 1] = under;
	pass(pen, pen->depth + 1 + below);
}

unsigned tree_width(unsigned depth)
{
	return TREE_INDENT * clamp(depth);
}
