/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_ENGINE_TOLD_H
#define PROV_ENGINE_TOLD_H
#include "engine/engine.h"
#include "prov/kernel.h"
/*
 * From what the kernel told of one session (prov/kernel.h) to what an engine hands
 * over (prov/event.h): the same events as the guest library makes, so that nothing
 * behind the engine knows who saw them. Not thread-safe.
 */
struct told;

struct told *told_create(const struct strings *env_allow);
void told_destroy(struct told *t);	/* NULL is fine */

/* Records as kernel_collect() gives them; returns how many were handed over. */
size_t told_records(struct told *t, const char *p, size_t n, const struct engine_sink *sink);

/* An image that ran before anybody was told of it. */
struct told_found {
	int64_t start;			/* from when on it is recorded */
	int64_t parent_start;
	uint32_t pid, parent;		/* parent 0: not of this session */
	/* what /proc told: at once, since it may end before anybody is told */
	uint32_t uid;
	bool argv_cut, env_cut;
	struct buf exe, cwd, argv, env;
};
void told_look(struct told_found *f);
/* Takes what it holds. */
void told_found(struct told *t, struct told_found *f, const struct engine_sink *sink);
void told_found_release(struct told_found *f);

/* What a thread has done since its last record. */
void told_thread(struct told *t, const struct kernel_thread *thread,
		 const struct engine_sink *sink);
/* The session ends: who did not end by then still runs. */
void told_running(struct told *t, const struct engine_sink *sink);
/* So many records of the session found no room so far. */
void told_losses(struct told *t, uint64_t records, const struct engine_sink *sink);
/* Appends which program a thread belongs to and the file that it uses most. */
void told_busiest(struct told *t, const struct kernel_thread *thread, struct buf *out);
bool told_alive(const struct told *t);
uint64_t told_lost(const struct told *t);
#endif
