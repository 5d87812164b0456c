/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_QUERY_CANVAS_H
#define PROV_QUERY_CANVAS_H
#include "query/picture.h"
/*
 * One object in a picture: which of its versions are shown, who used and who
 * made them.
 */
struct reading { /* a read that matters, and when */
	struct known_exec *x;
	const struct access *access;
	int64_t lo, hi;
};

struct using
{ /* what it may have seen */
	struct known_exec *x;
	uint32_t version;
	bool certain;
	int64_t first, hi;
};

struct shown { /* of one version */
	bool wanted;
	bool tainted; /* forward: contains something of the root */
	uint32_t node;
	int64_t lo, hi; /* when its readers looked: from the earliest, to the latest */
};

struct canvas {
	struct known_object *o;
	struct reading *readings;
	size_t n_readings, readings_room;
	struct versions v;
	bool created;        /* version 0 does not exist */
	bool one_writer;     /* a pipe that only one execution writes: overlap leaves no doubt */
	struct shown *shown; /* by version */
	struct using *usings;
	size_t n_usings, usings_room;
	struct maker *makers;
	size_t n_makers;
	const char *name; /* where it always had the same */
	uint32_t root;    /* version asked about, if this is the root's */
};

/* Who it was. */
static inline struct known_exec *canvas_owner(const struct canvas *c, const struct making *m)
{
	return c->o->owners[m->touch];
}

/* From readings and the object's prepared touches to all the rest. */
void canvas_choose(const struct picture *p, struct canvas *c);
/* Does this maker belong into the picture? */
bool canvas_shows(const struct picture *p, const struct canvas *c, const struct maker *m);

#endif
