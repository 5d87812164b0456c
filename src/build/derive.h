/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_BUILD_DERIVE_H
#define PROV_BUILD_DERIVE_H
#include "base/arena.h"
#include "model/model.h"
/*
 * Which versions derive from which, inside one set of executions. Everything
 * is named by the caller's own small numbers.
 *
 * A version made by an execution derives from each version that the execution,
 * or one it was forked from, had begun to read before its last write. Versions
 * are ordered by (bound, object, version); a derivation always runs from a
 * later one to an earlier one, so there is never a cycle. Where two executions
 * feed each other at the same time that leaves out a derivation which may have
 * happened; used and wasGeneratedBy still say it.
 */
struct derive_version {
	struct id object;
	uint32_t version;
	int64_t bound;
};

struct derive_use {
	uint32_t activity, entity;
	int64_t first; /* when the execution began to read it */
	bool certain;
};

struct derive_make {
	uint32_t activity, entity;
	int64_t last; /* its last write of it, in the order of the execution's times */
	bool certain;
};

struct derive_fork {
	uint32_t child, parent;
	int64_t time;
};

struct derivation {
	uint32_t from, to; /* entities; from is the later one */
	bool certain;
};

struct derive {
	const struct derive_version *versions; /* by entity number */
	struct derive_use *uses;               /* all three get sorted in place */
	size_t n_uses;
	struct derive_make *makes;
	size_t n_makes;
	struct derive_fork *forks; /* one per child at most */
	size_t n_forks;
	/* In and out of one execution multiply. More than this many pairs of
	 * one execution are left out, as used and wasGeneratedBy already say
	 * them; 0 = no limit. */
	size_t most_pairs;
};

/* Derivations by (from, to), each once. *skipped counts executions left out. */
size_t derive(struct arena *a, struct derive *d, struct derivation **out, size_t *skipped);

#endif
