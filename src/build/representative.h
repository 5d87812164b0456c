/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_BUILD_REPRESENTATIVE_H
#define PROV_BUILD_REPRESENTATIVE_H
#include "base/arena.h"
#include "build/role.h"
/*
 * Representative executions (LPS, IV.B.2): those that a person would name. What
 * the others did is credited to the nearest one that they descend from.
 *
 * Commands of a shell and ranks of a parallel program are representatives.
 * Credited are forks, what a tool starts, what stands between a launcher and
 * its ranks, and utilities of which a shell only takes the output. An execution
 * without a known parent is a representative, whatever it is.
 */
enum yield {               /* what came of an execution, besides its exit status */
	     YIELD_NONE,   /* nothing that was seen */
	     YIELD_ANSWER, /* bytes in pipes, which only those it descends from read,
			    * or others that answer them */
	     YIELD_OWN,    /* more than that: a file, something for others */
};

struct kin {
	uint32_t parent; /* index, KIN_NONE if not known */
	enum how how;
	enum role role;
	enum yield yield;
	struct strings argv;
};

#define KIN_NONE UINT32_MAX

/* What an execution lets those be that it starts. */
enum scope {
	SCOPE_SHELL,  /* commands of their own, but utilities that answer */
	SCOPE_TOOL,   /* helpers; a shell among them starts commands again */
	SCOPE_INNER,  /* of such a shell: commands of their own, but utilities */
	SCOPE_LAUNCH, /* ranks, but what belongs to the launcher */
	SCOPE_RANK,   /* helpers */
};

struct standing {
	bool credited; /* to the representative of its parent */
	enum scope scope;
	const struct strings *launch; /* in SCOPE_LAUNCH: the launcher's .argv, if known */
};

/*
 * One execution. It needs what was decided of its parent (NULL: not known) and
 * nothing else, so it can be asked as executions begin: a fork is decided when
 * it is made, what it becomes when it execs, and nobody has to wait for either.
 * Only .yield is known later; YIELD_OWN until then.
 */
struct standing standing_of(const struct kin *x, const struct standing *parent);

/* All at once, in any order: out[i] is the index of i's representative, i if
 * it is one. Of a circle of parents, which only a damaged record has, one
 * counts as without parent. */
void representatives(struct arena *tmp, const struct kin *x, size_t n, uint32_t *out);

#endif
