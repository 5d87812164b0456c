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
	/* What was given must now survive a kill of this process. */
	void (*commit)(void *ctx);
};

struct aggregate *aggregate_create(const struct run *run, const struct aggregate_out *out);
void aggregate_destroy(struct aggregate *a);	/* NULL is fine */
const struct engine_sink *aggregate_sink(struct aggregate *a);

/* A fact that a collector which died had already settled: what comes in now
 * of the same image adds to it. */
void aggregate_resume(struct aggregate *a, const struct access *settled);

/* How the program that prov started itself ended (wait status), when. */
void aggregate_root_ended(struct aggregate *a, uint32_t pid, int status, int64_t when);

/* The session is over: emits what is left. Hashes files that were read or
 * written, at most hash_max bytes of them in all, smallest first; 0: none. */
void aggregate_finish(struct aggregate *a, int64_t hash_max);

struct aggregate_counts {
	size_t processes, executions;
	size_t files_read, files_written;	/* of the user's */
	size_t blind;				/* holes of every kind but loss */
	struct id root;
};
struct aggregate_counts aggregate_count(const struct aggregate *a);

#endif
