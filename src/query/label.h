/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_QUERY_LABEL_H
#define PROV_QUERY_LABEL_H
#include "query/known.h"
/* What to call things when a person looks. */

/* The command line as typed, as far as it is known. */
const char *label_execution(struct arena *a, const struct execution *x);

/* A name that an object had, or lost, at a moment. */
struct naming {
	const char *name;
	int64_t given, lost; /* newest of each, 0 never */
	struct id by;        /* who took it away */
};

struct namings {
	struct naming *at;
	size_t n, room;
};

/* Collects names up to a moment. Later ones are passed over. */
void namings_add_access(struct arena *a, struct namings *l, const struct access *x, int64_t until);
void namings_add_event(struct arena *a, struct namings *l, const struct name_event *e,
		       int64_t until);
/* The newest name still in force; when all are gone, the last one with
 * *deleted set to when that was and *by to who did it. NULL when there is none. */
const char *namings_pick(const struct namings *l, int64_t *deleted, struct id *by);

#endif
