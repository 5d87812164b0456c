/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_FORMAT_BRANCH_H
#define PROV_FORMAT_BRANCH_H
#include "format/view.h"
/*
 * What comes under what when a graph is told as a tree: under files the steps
 * that made them (or used them, when forward), under a step its files. Files
 * of one origin go together in one branch.
 */
enum branch_kind { BRANCH_STEP, BRANCH_FILES, BRANCH_CUT };

struct branch {
	enum branch_kind kind;
	bool certain, kept;
	uint32_t step;		/* BRANCH_STEP */
	uint32_t *files;	/* BRANCH_FILES: nodes */
	size_t n;		/* of them; BRANCH_CUT: how many are left out */
	const struct id *run;	/* of the step above, NULL at the top */
};

struct branches {
	struct branch *b;
	size_t n, room;
};

struct branches branches_of_step(struct view *v, uint32_t step, bool forward);
struct branches branches_of_files(struct view *v, const struct branch *files, bool forward);
/* Does anything come under this node? */
bool branch_ends(const struct view *v, uint32_t node, bool forward);
/* Entities that nothing shown uses (forward: that nothing made), by name. */
struct branches branches_of_all(struct view *v, bool forward);
#endif
