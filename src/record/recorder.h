/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_RECORD_RECORDER_H
#define PROV_RECORD_RECORDER_H
#include "aggregate/aggregate.h"
#include "base/arena.h"
#include "base/buf.h"
#include "engine/engine.h"
#include "model/model.h"
/*
 * Recording one run: session, collector thread, journal, store. Whatever goes
 * wrong here never reaches the program; it becomes a sentence in `trouble`.
 */
struct recorder;

/* Where a run is kept. The strings must live as long as the recorder. */
struct recorder_place {
	const char *store;	/* as store_open() takes it */
	const char *spool;	/* folder where the journal waits */
	const char *traces;	/* folder for single reads and writes */
	const char *session;	/* folder for what the engine shares with programs; NULL: any
				 * tmpfs this user can write to */
};

/* Of this user's own store, in the arena; -ENOENT with fail_text() when he has none. */
int recorder_place_own(struct arena *a, struct recorder_place *out);

struct recorder_setup {
	struct run run;		/* id, name, argv, cwd, ...; start and engine are filled in */
	const struct note *notes;	/* must live as long as the recorder */
	size_t n_notes;
	/* Told all that the engine tells, before anything comes of it; may be NULL. Must
	 * live until the end. Called by the recorder's thread. */
	const struct engine_sink *also;
	struct recorder_place place;
	const struct engine_ops *engine;
	uint32_t launcher;	/* as in engine_setup */
	int32_t granularity;	/* enum prov_granularity */
	double budget;		/* as in engine_setup */
};

/* NULL with fail_text() when nothing can be recorded. */
struct recorder *recorder_open(const struct recorder_setup *setup);

/* NAME=value strings, NUL-terminated, to add to the program's environment. */
void recorder_environment(struct recorder *r, struct buf *env);

/* The program is process pid (0: there is no first one); from here on a thread
 * collects. Call with all signals blocked. */
int recorder_begin(struct recorder *r, uint32_t pid);

struct recorder_result {
	struct aggregate_counts counts;
	uint64_t lost;
	struct buf trouble;	/* sentences, one a line; the caller releases it */
};

/*
 * While it records, for a service; any thread may call.
 */
/* This process and its descendants belong to the run from now on: engine_ops.adopt. */
int recorder_adopt(struct recorder *r, uint32_t pid);
void recorder_ask(struct recorder *r, int32_t granularity);
/* What recording cost so far, a sentence; nothing when nobody knows. */
void recorder_cost(struct recorder *r, struct buf *out);
void recorder_hole(struct recorder *r, const char *kind, const char *why);

struct recorder_now {
	uint64_t events, lost;
	uint64_t processes, executions;	/* that began */
	uint64_t representatives;	/* of these executions */
	uint64_t living;		/* executions that have not ended */
	int32_t granularity;
	bool alive;			/* does anything of the run still run? */
};
struct recorder_now recorder_now(struct recorder *r);
/* Puts what is in the journal by now into the store. Only one thread at a time, and
 * not during recorder_end(). */
int recorder_take_in(struct recorder *r);

/* The program has ended (wait status; pid 0, status -1: nobody knows how): collects the
 * rest and puts it into the store. */
void recorder_end(struct recorder *r, uint32_t pid, int status, struct recorder_result *out);

/* The program never began: forgets the run. */
void recorder_cancel(struct recorder *r);
void recorder_close(struct recorder *r);	/* NULL is fine */
#endif
