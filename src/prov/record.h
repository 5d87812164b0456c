/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROV_RECORD_H
#define PROV_PROV_RECORD_H
#include "base/buf.h"
#include "base/map.h"
#include "prov/command.h"
/*
 * Everything the store knows of one run, put together for views of it. All of
 * it lives in the arena of the context until the command ends.
 */
struct step {
	const struct execution *e;
	struct step *parent;    /* NULL: a root of the run's tree */
	struct step **children; /* by start */
	size_t n_children, children_room;
	const struct access **files; /* by first moment, then path */
	size_t n_files, files_room;
	const struct name_event **names; /* by time */
	size_t n_names, names_room;
	bool folded; /* a default view does not name it */
	/* what default views tell: of a representative with what its helpers did */
	struct step *credited; /* its representative; NULL: it is one itself */
	bool has_helpers;
	const struct access **told;
	size_t n_told, told_room;
	const struct name_event **told_names;
	size_t n_told_names, told_names_room;
};

struct thing {
	const struct object *o; /* NULL: the store does not know it */
	const char **paths;     /* distinct, in order of appearance */
	size_t n_paths, paths_room;
	bool folded;
};

struct record {
	struct run run;
	struct execution *executions;
	struct step *steps; /* same index as executions */
	size_t n_executions;
	struct access *accesses;
	size_t n_accesses;
	struct name_event *names;
	size_t n_names;
	struct object *objects;
	struct thing *things; /* same index as objects */
	size_t n_objects;
	struct hole *holes;
	size_t n_holes;
	struct note *notes;
	size_t n_notes;
	struct map step_of, thing_of; /* by id */
};

/* 0 or negative errno with fail_text(). fold also asks what default views hide. */
int record_load(struct context *c, const struct id *run, bool fold, struct record *out);
/* Fills in what default views tell; .credited is known. */
void record_credit(struct arena *a, struct record *r);
/* By first moment, then path. */
void record_sort_accesses(const struct access **at, size_t n);
void record_release(struct record *r);
struct step *record_step(const struct record *r, const struct id *execution); /* or NULL */
struct thing *record_thing(const struct record *r, const struct id *object);  /* or NULL */

/* Order time of this run as real time; 0 stays 0. */
int64_t run_real(const struct run *run, int64_t order);
/* The earliest moment the access is known to have touched its object. */
int64_t access_moment(const struct access *a);
/* Adds path to the names of a thing unless it is there or empty. */
void thing_name(struct arena *arena, struct thing *t, const char *path);
/* Ids that are not zero, each once. *n in and out. */
void ids_unique(struct id *ids, size_t *n);
#endif
