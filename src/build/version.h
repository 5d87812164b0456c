/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_BUILD_VERSION_H
#define PROV_BUILD_VERSION_H
#include "base/arena.h"
#include "build/interval.h"
/*
 * The versions of one object, as a pure function of all that is known about
 * it; doc/dependency.md draws the pictures.
 *
 * Version k is what was written in (bound[k-1], bound[k]], on top of what was
 * there unless it was cut to nothing in between. Version 0 is the content
 * before any recorded write.
 */
struct touch {
	struct id exec;
	struct interval reads, writes;
	int64_t cut;  /* when it cut the object to nothing, 0 never */
	int64_t made; /* when it made the object without cutting, 0 never */
	bool has_reads, has_writes;
	bool unsure;   /* inferred, not seen */
	size_t access; /* for the caller */
};

/* All that one access says. */
struct touch touch_of(const struct access *a, enum granularity g, int64_t exec_end);

/* One way content came to be. */
struct making {
	struct id exec;
	int64_t start, last, end;
	bool data; /* false: only cut or created, carries nothing along */
	bool unsure;
	size_t touch; /* index of the touch it is from */
};

struct versions {
	size_t n;               /* versions 0 .. n-1 */
	int64_t *bound;         /* bound[0] = 0 */
	struct making *makings; /* by start */
	size_t n_makings;
	int64_t *cuts; /* ascending, all of them */
	size_t n_cuts;
	struct reach *reach; /* private */
};

void versions_build(struct arena *a, const struct touch *t, size_t n, struct versions *out);

/* The newest version complete at t. */
uint32_t version_current(const struct versions *v, int64_t t);
/* The version that holds all that was written by t; its bound may be later. */
uint32_t version_holding(const struct versions *v, int64_t t);
/* The first cut in (after, upto], 0 none. */
int64_t version_cut(const struct versions *v, int64_t after, int64_t upto);

struct version_use {
	uint32_t version;
	bool certain;
};

/*
 * What a read in [lo, hi] may have seen: the version current at lo, and when
 * others were writing meanwhile, the newest that these writes had made by hi
 * and each that was complete before a cut. Derivation from version to version
 * leads to the rest. In ascending order.
 */
size_t versions_used(struct arena *a, const struct versions *v, const struct id *reader, int64_t lo,
		     int64_t hi, struct version_use **out);

/* Who made version k. */
struct maker {
	uint32_t version;
	uint32_t making;
	bool certain; /* surely wrote in it, as its first or last write did */
};

/* For all versions with wanted[k] (NULL = all), by version, then start. */
size_t versions_makers(struct arena *a, const struct versions *v, const bool *wanted,
		       struct maker **out);

/*
 * The rule of LPS as its paper states it, without the cut at readers that end
 * early: the version that exists when the last overlapped write has ended, or
 * the current one. And its number where both ends of a write count (Fig. 7).
 */
uint32_t versions_lps(const struct versions *v, const struct id *reader, int64_t lo, int64_t hi);
size_t versions_lps_number(const struct versions *v, const struct id *reader, int64_t lo,
			   int64_t hi);

size_t times_sort(int64_t *t, size_t n); /* ascending, each once; how many stay */
size_t times_upto(const int64_t *times, size_t n, int64_t t); /* how many are <= t */

#endif
