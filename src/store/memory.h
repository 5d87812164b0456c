/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_STORE_MEMORY_H
#define PROV_STORE_MEMORY_H
#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "store/store.h"
/* Inside the store that lives as long as it is open; nothing but memory*.c
 * includes this. Every fact is kept once, in the arena. */
struct list {
	void **at;
	size_t n, room;
};

/* Facts of one kind: each once, found by its whole identity. */
struct table {
	struct list all;
	struct map by_key;
};

struct memory {
	struct store store;
	struct arena arena;
	struct table runs, executions, objects, accesses, names, holes, notes, offsets, named;
	/* id (or path) to struct list */
	struct map run_executions, parent_executions, exec_accesses, object_accesses;
	struct map exec_names, object_names, path_named;
	struct buf key;
};

/* Copies all strings into the arena. */
void memory_own_run(struct run *r, struct arena *a);
void memory_own_execution(struct execution *e, struct arena *a);

/* memory_find.c: the operations that answer */
int memory_runs(struct store *s, const struct run_filter *f, struct arena *a, struct run **out,
		size_t *n);
int memory_run(struct store *s, const struct id *id, struct arena *a, struct run *out);
int memory_executions(struct store *s, int by, const struct id *ids, size_t n_ids, struct arena *a,
		      struct execution **out, size_t *n);
int memory_accesses(struct store *s, int by, const struct id *ids, size_t n_ids,
		    const struct store_except *but, struct arena *a, struct access **out,
		    size_t *n);
int memory_names(struct store *s, int by, const struct id *ids, size_t n_ids, struct arena *a,
		 struct name_event **out, size_t *n);
int memory_objects(struct store *s, const struct id *ids, size_t n_ids, struct arena *a,
		   struct object **out, size_t *n);
int memory_holes(struct store *s, const struct id *run, struct arena *a, struct hole **out,
		 size_t *n);
int memory_notes(struct store *s, const struct id *run, struct arena *a, struct note **out,
		 size_t *n);
int memory_by_path(struct store *s, const char *path, struct arena *a, struct named **out,
		   size_t *n);
int memory_ids(struct store *s, const struct id_prefix *p, size_t most, struct arena *a,
	       struct id **out, size_t *n);
int memory_boot_offsets(struct store *s, struct arena *a, struct boot_offset **out, size_t *n);
int memory_info(struct store *s, struct arena *a, struct store_info *out);
#endif
