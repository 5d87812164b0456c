/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_QUERY_KNOWN_H
#define PROV_QUERY_KNOWN_H
#include "base/map.h"
#include "build/version.h"
#include "model/graph.h"
#include "store/store.h"
/*
 * The facts one query has met so far: each is asked for once, many in one
 * question, and lives in the arena of the answer. Executions and objects also
 * carry the marks of the query that walks over them.
 */
#define NO_NODE UINT32_MAX

/* Data that was in an object: readers or writers of it may matter. */
struct visit {
	int64_t lo, hi;
};

/* What the store was asked about an object or an execution. */
enum {
	ASKED_ITSELF = 1,
	ASKED_ACCESSES = 2, /* of an execution */
	ASKED_NAMES = 4,
	ASKED_CHANGES = 8,	      /* the accesses that change the object */
	ASKED_ALL = ASKED_CHANGES | 16, /* all accesses of the object */
};

/* An access between its two ends. */
struct deed {
	const struct access *access;
	struct known_object *object;
	struct known_exec *exec; /* NULL where nobody has looked it up */
};

struct deeds {
	struct deed *at;
	size_t n, room;
};

struct known_exec {
	struct execution x; /* only the id, unless found */
	struct deeds deeds;
	unsigned asked;
	bool found;
	/* the walk: how far in time it matters, see reach.c */
	bool reached, queued;
	int64_t in, up, next_in, next_up;
	uint32_t node;
	bool has_shift;
	int64_t shift; /* real - order of its run, once has_shift */
};

struct known_object {
	struct object o; /* only the id, unless found */
	unsigned asked;
	bool found;
	struct deeds deeds; /* all, or only what changes it */
	struct name_event **names;
	size_t n_names, names_room;
	/* deeds as touches, once they are prepared */
	struct touch *touches;
	struct known_exec **owners; /* of the touches that change it, else NULL */
	size_t n_touches;
	int64_t *cuts;
	size_t n_cuts;
	/* the walk */
	bool visited, in_round, incomplete;
	unsigned round;
	struct visit *visits;
	size_t n_visits, visits_room;
	void *picture; /* see picture.c */
};

/* A list of things to ask about, or that were found. */
struct execs {
	struct known_exec **at;
	size_t n, room;
};

struct objects {
	struct known_object **at;
	size_t n, room;
};

struct known {
	struct store *store;
	struct arena *arena; /* facts */
	struct map execs, objects;
	struct known_exec *newest_exec; /* looked up last: facts of one come together */
};

void known_release(struct known *k);
struct known_exec *known_exec(struct known *k, const struct id *id);
struct known_object *known_object(struct known *k, const struct id *id);
/* Gives executions what they did. */
void known_add_deeds(struct known *k, const struct access *v, size_t n);
void execs_add(struct arena *a, struct execs *l, struct known_exec *x);
void objects_add(struct arena *a, struct objects *l, struct known_object *o);

/* Each asks the store about those of the list it has not asked about yet. */
int known_load_execs(struct known *k, const struct execs *l);
int known_load_exec_accesses(struct known *k, const struct execs *l);
int known_load_children(struct known *k, const struct execs *l, struct execs *children);
int known_load_objects(struct known *k, const struct objects *l);
int known_load_names(struct known *k, const struct objects *l);
int known_load_changes(struct known *k, const struct objects *l);
int known_load_all(struct known *k, const struct objects *l);
/* Likewise, where all accesses of many executions are known already. */
int known_load_rest(struct known *k, const struct objects *l, const struct execs *loaded);

/* Fills in touches and cuts from the deeds, asking for the executions
 * whose end matters. */
int known_prepare(struct known *k, const struct objects *l);

#endif
