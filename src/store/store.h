/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_STORE_STORE_H
#define PROV_STORE_STORE_H
#include "base/arena.h"
#include "model/model.h"
/*
 * Where facts are kept. A store keeps what was seen (accesses with their
 * intervals), not what follows from it: versions and derivations are computed
 * when somebody asks, so late or repeated facts can never leave a stale graph
 * behind.
 *
 * All results are copied into the caller's arena. Functions return 0 or a
 * negative errno with fail_text(); -ENOENT when the one thing asked for is not
 * there. Order of results is by time, then by id, and never depends on the
 * order facts were put in.
 */
struct store;

enum store_mode {
	STORE_READ,		/* never creates; -ENOENT when there is none */
	STORE_WRITE,		/* creates what is missing, 0600 in a 0700 folder */
};

int store_open(const char *uri, enum store_mode mode, struct store **out);
void store_close(struct store *s);	/* NULL is fine */

/* One transaction: all of it is kept or nothing. */
int store_put(struct store *s, const struct facts *f);

/* real - mono for one boot of one host: the first value ever asked for is kept
 * and given to all who ask later, so that order times stay comparable. */
int store_boot_offset(struct store *s, const char *host, const char *boot, int64_t proposed,
		      int64_t *kept);

/* What it keeps, by host and boot. Times of one boot are comparable across two stores
 * when both keep the same. */
struct boot_offset {
	const char *host, *boot;
	int64_t offset;
};
int store_boot_offsets(struct store *s, struct arena *a, struct boot_offset **out, size_t *n);

struct run_filter {
	int64_t since, until;	/* real time of the start; 0 = open */
	const char *user;	/* NULL = all */
	const char *grep;	/* part of the command line or name, NULL = all */
	size_t most;		/* newest this many, 0 = all */
};

/* Newest first. */
int store_runs(struct store *s, const struct run_filter *f, struct arena *a, struct run **out,
	       size_t *n);
int store_run(struct store *s, const struct id *id, struct arena *a, struct run *out);
int store_run_executions(struct store *s, const struct id *run, struct arena *a,
			 struct execution **out, size_t *n);
int store_run_accesses(struct store *s, const struct id *run, struct arena *a, struct access **out,
		       size_t *n);
int store_run_names(struct store *s, const struct id *run, struct arena *a, struct name_event **out,
		    size_t *n);
int store_run_holes(struct store *s, const struct id *run, struct arena *a, struct hole **out,
		    size_t *n);
int store_run_notes(struct store *s, const struct id *run, struct arena *a, struct note **out,
		    size_t *n);

/* Set-valued: one call per level of a walk. Ids that are not known are passed
 * over. ids may be in any order and are not kept. */
int store_executions(struct store *s, const struct id *ids, size_t n_ids, struct arena *a,
		     struct execution **out, size_t *n);
int store_children(struct store *s, const struct id *parents, size_t n_ids, struct arena *a,
		   struct execution **out, size_t *n);
int store_objects(struct store *s, const struct id *ids, size_t n_ids, struct arena *a,
		  struct object **out, size_t *n);
int store_accesses_by_execution(struct store *s, const struct id *ids, size_t n_ids,
				struct arena *a, struct access **out, size_t *n);
int store_accesses_by_object(struct store *s, const struct id *ids, size_t n_ids, struct arena *a,
			     struct access **out, size_t *n);

/* Of those only what is by executions that the asker does not have yet. */
struct store_except {
	bool (*has)(void *ctx, const struct id *exec);
	void *ctx;
};
int store_accesses_by_others(struct store *s, const struct id *ids, size_t n_ids,
			     const struct store_except *but, struct arena *a, struct access **out,
			     size_t *n);
int store_names_by_object(struct store *s, const struct id *ids, size_t n_ids, struct arena *a,
			  struct name_event **out, size_t *n);

/* Every object that ever had this name, newest use first. time is when it last
 * was accessed under it or given it. */
struct named {
	struct id object;
	int64_t time;
};
int store_objects_by_path(struct store *s, const char *path, struct arena *a, struct named **out,
			  size_t *n);

/* Ids of one kind between two bounds; at most `most`, in order of id. */
int store_ids(struct store *s, const struct id_prefix *p, size_t most, struct arena *a,
	      struct id **out, size_t *n);

struct store_info {
	const char *where;	/* for messages */
	uint64_t runs, executions, objects, accesses;
	int64_t bytes;
};
int store_info(struct store *s, struct arena *a, struct store_info *out);

/*
 * For those who write a store: one of these per kind, registered in store.c.
 * The functions above check arguments and call straight through.
 */
struct store_ops {
	const char *scheme;	/* "sqlite"; a bare path means the first one */
	bool answers_only;	/* opened with STORE_WRITE it says -EROFS */
	int (*open)(const char *where, enum store_mode mode, struct store **out);
	void (*close)(struct store *s);
	int (*put)(struct store *s, const struct facts *f);
	int (*boot_offset)(struct store *s, const char *host, const char *boot, int64_t proposed,
			   int64_t *kept);
	int (*boot_offsets)(struct store *s, struct arena *a, struct boot_offset **out, size_t *n);
	int (*runs)(struct store *s, const struct run_filter *f, struct arena *a, struct run **out,
		    size_t *n);
	int (*executions)(struct store *s, int by, const struct id *ids, size_t n_ids,
			  struct arena *a, struct execution **out, size_t *n);
	int (*accesses)(struct store *s, int by, const struct id *ids, size_t n_ids,
			const struct store_except *but, struct arena *a, struct access **out,
			size_t *n);
	int (*names)(struct store *s, int by, const struct id *ids, size_t n_ids, struct arena *a,
		     struct name_event **out, size_t *n);
	int (*objects)(struct store *s, const struct id *ids, size_t n_ids, struct arena *a,
		       struct object **out, size_t *n);
	int (*holes)(struct store *s, const struct id *run, struct arena *a, struct hole **out,
		     size_t *n);
	int (*notes)(struct store *s, const struct id *run, struct arena *a, struct note **out,
		     size_t *n);
	int (*run)(struct store *s, const struct id *id, struct arena *a, struct run *out);
	int (*by_path)(struct store *s, const char *path, struct arena *a, struct named **out,
		       size_t *n);
	int (*ids)(struct store *s, const struct id_prefix *p, size_t most, struct arena *a,
		   struct id **out, size_t *n);
	int (*info)(struct store *s, struct arena *a, struct store_info *out);
};

enum store_by {
	BY_ID, BY_RUN, BY_PARENT, BY_EXECUTION, BY_OBJECT,
	BY_OBJECT_CHANGES,	/* of BY_OBJECT only those with one of ACCESS_CHANGES */
};

struct store {
	const struct store_ops *ops;	/* first member of every store's own struct */
};

/* The accesses that may have changed an object: few, where its readers may be
 * a million (a library, a reference genome). */
static inline int store_changes_by_object(struct store *s, const struct id *ids, size_t n_ids,
					  struct arena *a, struct access **out, size_t *n)
{
	return s->ops->accesses(s, BY_OBJECT_CHANGES, ids, n_ids, NULL, a, out, n);
}

const struct store_ops *store_kind(size_t i);	/* the registry; NULL after the last */

#endif
