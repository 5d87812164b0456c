/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_AGGREGATE_AGGREGATE_H
#define PROV_AGGREGATE_AGGREGATE_H
#include "engine/engine.h"
#include "model/model.h"
/*
 * From events to facts: what an image did, summed up. Facts of an image are
 * emitted when it ends, what only becomes clear later (exit statuses, programs
 * that could not be entered) when the session does. Not thread-safe: one
 * thread polls the engine and everything else here.
 */
struct aggregate;

/* Receives facts; they are only valid during the call. */
struct aggregate_out {
	void *ctx;
	void (*facts)(void *ctx, const struct facts *f);
	/* Bytes that aggregate_resume_state() understands, to be kept in order
	 * with the facts; may be NULL. */
	void (*keep)(void *ctx, const char *p, size_t n);
	/* What was given must now survive a kill of this process. */
	void (*commit)(void *ctx);
};

struct aggregate *aggregate_create(const struct run *run, const struct aggregate_out *out);
void aggregate_destroy(struct aggregate *a);	/* NULL is fine */
const struct engine_sink *aggregate_sink(struct aggregate *a);

/*
 * Going on where a collector that died had stopped, before the first poll of
 * the session: facts and states in the order in which they were kept, up to the
 * last state that is a commit. What came after it, the engine hands over again.
 */
void aggregate_resume(struct aggregate *a, const struct facts *f);
void aggregate_resume_state(struct aggregate *a, const char *p, size_t n, struct engine *e);
bool aggregate_state_is_commit(const char *p, size_t n);

/* The program that prov started has this number. */
void aggregate_root(struct aggregate *a, uint32_t pid);

/* How the program that prov started itself ended (wait status), when. */
void aggregate_root_ended(struct aggregate *a, uint32_t pid, int status, int64_t when);

/* The session is over: emits what is left. Hashes files that were read or
 * written, at most hash_max bytes of them in all, smallest first; 0: none. */
void aggregate_finish(struct aggregate *a, int64_t hash_max);

/* Instead: the session goes on, and somebody wants to know what it did so far.
 * Before the poll, which then makes no holes of images that run. */
void aggregate_still_runs(struct aggregate *a);
void aggregate_so_far(struct aggregate *a);

struct aggregate_counts {
	size_t processes, executions;
	size_t files_read, files_written;	/* of the user's */
	size_t blind;				/* holes of every kind but loss */
	struct id root;
	int root_status;		/* wait status of its process, once finished; -1 unknown */
};
struct aggregate_counts aggregate_count(const struct aggregate *a);

#endif
