/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_QUERY_PICTURE_H
#define PROV_QUERY_PICTURE_H
#include "query/draft.h"
/*
 * From a set of executions with their bounds (.in and .up, see reach.h) to
 * the versions they used and made.
 */
enum picture_kind {
	PICTURE_BACKWARD, /* versions that the root consists of */
	PICTURE_FORWARD,  /* versions that contain something of the root */
	PICTURE_RUN,      /* all that the set touched */
};

struct picture {
	enum picture_kind kind;
	struct draft *draft;
	struct known *known;
	struct arena *tmp;
	int64_t until;             /* nothing later exists */
	unsigned depth;            /* of the walk; 0 = no limit */
	struct execs set;          /* all with .reached */
	struct known_object *root; /* NULL: none */
};

/* Adds all of it to the draft; the root's node becomes graph->root. */
int picture_draw(struct picture *p);

#endif
