/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_FORMAT_FORMAT_H
#define PROV_FORMAT_FORMAT_H
#include <stdio.h>

#include "base/buf.h"
#include "model/graph.h"
/*
 * A graph, written. Each format is one file and one entry of the table in
 * format.c. Writers append to a buffer and cannot fail, except those that need
 * another program (svg: Graphviz), which return a negative errno with
 * fail_text().
 */
struct format_options {
	bool all;		/* show what is folded too */
	bool unicode;		/* box-drawing characters; else plain ASCII */
	bool colour;
	unsigned columns;	/* 0 = do not cut lines */
	bool forward;		/* the graph is an impact, not a lineage */
};

struct format_ops {
	const char *name;	/* "text", "json", "prov-json", "dot", "svg" */
	const char *suffix;	/* ".svg" */
	int (*write)(const struct graph *g, const struct format_options *o, struct buf *out);
};

const struct format_ops *format_find(const char *name);		/* NULL if unknown */
const struct format_ops *format_for_file(const char *path);	/* by suffix, NULL if unknown */
const struct format_ops *format_at(size_t i);			/* NULL after the last */

/* One command line as a person would type it: quoted where a shell needs it. */
void format_command(const struct strings *argv, struct buf *out);
/* Path or text made safe for a terminal: control bytes and invalid UTF-8 as
 * \ooo, cut in the middle with an ellipsis when longer than columns (0 = no). */
void format_text(const char *s, unsigned columns, bool unicode, struct buf *out);

#endif
