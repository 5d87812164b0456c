/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_QUERY_WORLD_H
#define PROV_QUERY_WORLD_H
#include "base/arena.h"
#include "store/store.h"
/*
 * For tests: a tiny machine on which random programs read and write bytes. It
 * knows for every byte what it truly depends on, and tells facts as a recorder
 * at first-last granularity would.
 */
#define WORLD_EXECS   48
#define WORLD_OBJECTS 24
#define WORLD_BYTES   6
#define WORLD_NAMES   8
#define WORLD_OPEN    6
#define WORLD_STEP    1000000 /* ns; the clock of "last" times is 4 steps coarse, or exact */

/* What something depends on; bit n is object or execution n. */
struct mask {
	uint64_t object;  /* data that passed through it */
	uint64_t initial; /* what it held before anything was recorded */
	uint64_t exec;
};

struct world_access {
	struct access fact;
	int exec, object;
	bool open;
	int64_t first_read, last_read, first_write, last_write; /* the truth */
};

struct world_object {
	struct object fact;
	bool pipe;
	int size;
	struct mask byte[WORLD_BYTES];
	struct mask ever; /* all that was ever in it */
};

struct world_exec {
	struct execution fact;
	bool running;
	int64_t clock; /* newest time it stamped anything with */
	struct mask carry;
	int open[WORLD_OPEN]; /* indexes of accesses, -1 free */
	int mapped;           /* access whose object is mapped, -1 none */
};

struct world {
	struct arena arena;
	uint64_t random;
	int64_t now, fuzz;
	struct run *runs;
	size_t n_runs, runs_room;
	struct world_exec execs[WORLD_EXECS];
	int n_execs;
	struct world_object objects[WORLD_OBJECTS];
	int n_objects;
	int name[WORLD_NAMES]; /* object behind each name, -1 none */
	struct world_access *accesses;
	size_t n_accesses, accesses_room;
	struct access *early; /* what was known of some accesses at some time */
	size_t n_early, early_room;
	struct name_event *events;
	size_t n_events, events_room;
	/* the state at one moment in between */
	int64_t moment;
	struct mask then[WORLD_OBJECTS];
};

uint64_t world_random(struct world *w);
int world_below(struct world *w, int n); /* 0 .. n-1 */
void world_run(struct world *w, uint64_t seed, int steps);
void world_release(struct world *w);
struct mask world_content(const struct world_object *o);

/* world_names.c: names, and the exact clock of an execution. */
int64_t world_stamp(struct world *w, struct world_exec *x);
const char *world_name(struct world *w, int name);
void world_rename(struct world *w, int exec);

/* recorder.c: tells the store. Everything once in order, or in pieces,
 * shuffled, repeated and with early facts in between. */
void world_tell(struct world *w, struct store *s);
void world_tell_badly(struct world *w, struct store *s);
/* As if only opens and closes had been seen. */
void world_coarsen(struct world *w);

#endif
