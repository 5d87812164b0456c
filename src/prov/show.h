/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROV_SHOW_H
#define PROV_PROV_SHOW_H
#include "prov/record.h"
/* The three faces of "prov show"; each returns an exit code after its message. */
int show_run(struct context *c, const struct id *run, bool json, bool all);
int show_execution(struct context *c, const struct id *execution, bool json, bool all);
int show_file(struct context *c, const struct id *object, bool json);

/* Heading lines of a run. */
void show_run_heading(struct context *c, const struct record *r);
/* Would a default view list this access? */
bool show_access(const struct record *r, const struct access *a, bool all);
/* Leaves below one execution: its files, then its changes of names. last_level:
 * nothing else follows below it. */
struct tree;
size_t show_leaves(struct tree *t, const struct record *r, const struct step *s, bool all,
		   bool last_level);
size_t show_leaves_count(const struct record *r, const struct step *s, bool all);
#endif
