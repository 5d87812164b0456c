/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_QUERY_QUERY_H
#define PROV_QUERY_QUERY_H
#include "model/graph.h"
#include "store/store.h"
/*
 * Answers. Each takes an open store and fills in a graph; the caller releases
 * it. 0 or negative errno with fail_text().
 */

/* What a user may mean by FILE, RUN or EXECUTION on a command line. */
struct subject {
	enum id_kind kind;
	struct id id;
	const char *path; /* FILE given as a path: absolute; else NULL */
};

/* Accepts an id or a unique beginning of one (with its letter); "last" or
 * "@" for the newest run and "@N" for the N-th before it; a run's name; a
 * path. kinds is a string of the letters that are welcome, "ro" for RUN|FILE.
 * A path names the object it is now (device, inode, birth time); when that is
 * not recorded, the object that last had that name. -ENOENT, -EINVAL with
 * candidates in fail_text() when ambiguous. */
int subject_find(struct store *s, const char *text, const char *kinds, struct arena *a,
		 struct subject *out);

enum walk_direction { WALK_BACKWARD, WALK_FORWARD };

struct walk {
	enum walk_direction direction;
	unsigned depth; /* executions away from the root, 0 = no limit */
	int64_t at;     /* real time: as if asked then; 0 = now */
};

/* Lineage (backward) or impact (forward) of one object. Time-respecting: see
 * doc/dependency.md. */
int query_walk(struct store *s, const struct id *object, const struct walk *w, struct graph *out);

/* Everything one run did. */
int query_run(struct store *s, const struct id *run, struct graph *out);

/* Marks what default views hide (NODE_FOLDED). Always called by the two above. */
void query_fold(struct graph *g);

#endif
