/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROV_ANSWER_H
#define PROV_PROV_ANSWER_H
#include "format/format.h"
#include "prov/args.h"
#include "query/query.h"
/* What the commands that answer with a graph have in common. */
struct answer {
	struct walk walk;
	bool json, all, ascii;
	const char *format;
	const char *subject; /* the operand; in argv */
};

enum { ANSWER_AT = 256, ANSWER_ASCII, ANSWER_IMPACT };

#define ANSWER_ROW_DEPTH                                                                           \
	{                                                                                          \
		'd', "depth", "N", "at most N programs away from FILE"                             \
	}
#define ANSWER_ROW_AT                                                                              \
	{                                                                                          \
		ANSWER_AT, "at", "TIME",                                                           \
			"as if asked at TIME: a date and time, \"2 days ago\", 3h"                 \
	}
#define ANSWER_ROW_ALL                                                                             \
	{                                                                                          \
		'a', "all", NULL, "also libraries, caches and helpers that are folded away"        \
	}
#define ANSWER_ROW_IMPACT                                                                          \
	{                                                                                          \
		ANSWER_IMPACT, "impact", NULL,                                                     \
			"of a FILE: what was made from it, not where it came from"                 \
	}

/* Reads options and the one operand, of the kind that what names in messages.
 * 0, or an exit code after the message; subject stays NULL when --help or its
 * like was all that was asked. */
int answer_ask(struct context *c, int argc, char **argv, const char *what, struct answer *w);
/* The graph of a RUN (whole) or a FILE (walked); kinds as in subject_find(). */
int answer_graph(struct context *c, const struct answer *w, const char *kinds, struct graph *g);
/* Writes g to c->out; 0, or an exit code after the message. */
int answer_write(struct context *c, const struct answer *w, const struct graph *g,
		 const struct format_ops *format);
/* "lineage" and "impact" as a whole. */
int answer_main(struct context *c, int argc, char **argv, enum walk_direction direction);
#endif
