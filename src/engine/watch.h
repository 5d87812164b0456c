/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_ENGINE_WATCH_H
#define PROV_ENGINE_WATCH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
/*
 * Who begins to run on this node, for whoever decides what is recorded. Costs nothing
 * but a look at each exec.
 */
struct watcher;

struct watch_filter {
	uint32_t uid_min, uid_max;	/* both included */
};

/* An execution began of a process that no session has and whose uid is within a range. */
struct watch {
	uint32_t pid, uid;
};

/* One at a time, from one thread; a second one takes over from the first, which is then
 * closed, without a gap. 0, or negative errno with fail_text(). */
int watch_open(const struct watch_filter *f, size_t n, struct watcher **out);
/* Hands over what happened since the last call; returns how many. */
size_t watch_poll(struct watcher *w, void (*seen)(void *ctx, const struct watch *), void *ctx);
/* Readable when there is something to poll; -1: look often. */
int watch_fd(const struct watcher *w);
/* Is this process recorded already? */
bool watch_has(uint32_t pid);
/* It is not to be recorded: what was kept of it until that was decided is dropped. */
void watch_refuse(uint32_t pid);
/* The environment that it began with, also when it has ended already; empty: not known. */
void watch_environ(uint32_t pid, struct buf *out);
void watch_close(struct watcher *w);	/* NULL is fine */
#endif
