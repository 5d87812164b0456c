/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_ENGINE_KERNEL_H
#define PROV_ENGINE_KERNEL_H
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "prov/kernel.h"
/*
 * The programs of capture/bpf/ in the kernel, shared by all sessions of this
 * process: loaded and attached with the first, detached and unloaded with the
 * last, so that nobody pays when nobody is recorded. A thread of its own empties
 * the ring buffer and sorts records by session. All functions may be called by
 * any thread.
 */

/* Can it work here? 0 or a negative errno; either way a sentence. */
int kernel_probe(struct buf *why);

/* A number below KERNEL_SESSIONS, or a negative errno with fail_text(). */
int kernel_begin(int32_t granularity);
/* Nothing more is recorded for the session; what it knew is forgotten. */
void kernel_end(int session);

/* The calling thread is not recorded, the processes it makes are. */
int kernel_launch(int session, uint32_t tid);
/* This process as it is now, with its threads; those that another session has are
 * left to it. 1 when it is taken, 2 when it was
 * followed from its beginning, 0 when not. Its children are for the caller. */
int kernel_take(int session, uint32_t pid, uint64_t start);

/* Nobody wants what was told of a process before anybody had decided about it. */
void kernel_refuse(uint32_t pid);
/* Is anything kept of it, because nobody has decided? */
bool kernel_waits(uint32_t pid);
/* The environment it began with, while it is undecided; it may have ended since. */
void kernel_environ(uint32_t pid, struct buf *out);

/* Moves what was told for the session to the end of out; records follow each
 * other as in the ring buffer. */
void kernel_collect(int session, struct buf *out);
/* The threads of the session as they are now. */
void kernel_threads(int session, void (*one)(void *ctx, const struct kernel_thread *t), void *ctx);

void kernel_level(int session, int32_t granularity);

struct kernel_figures {
	char variant[256];	/* which programs run, and why */
	uint64_t lost[KERNEL_LOST_KINDS];
	uint64_t records, bytes;	/* that came in */
	uint64_t unread;	/* that a session did not collect in time */
	uint64_t calls;		/* reads and writes counted */
	unsigned sessions, threads;
};

/* false when nothing is loaded. */
bool kernel_figures(struct kernel_figures *out);
/* Records of one session that found no room, in the kernel or here. */
uint64_t kernel_lost(int session);
/* Reads and writes of one session so far. */
uint64_t kernel_calls(int session);

/* Programs that begin in processes of these users, recorded by nobody, are told;
 * what that needs stays loaded
 * and attached, with the coarse set, which takes seconds to come and go. n 0: no more. */
int kernel_watch(const struct kernel_watch *w);
/* Has a session this process? */
bool kernel_has(uint32_t pid);
void kernel_collect_fresh(struct buf *out);
int kernel_fresh_fd(void);	/* readable when there are such; -1 while nobody watches */
#endif
