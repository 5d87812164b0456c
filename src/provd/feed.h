/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROVD_FEED_H
#define PROV_PROVD_FEED_H
#include <pthread.h>

#include "base/map.h"
#include "engine/wire.h"
/*
 * What an engine says, on its way to a user: kept until it is fetched, up to a limit,
 * and without what programs of other users did (set-user-id ones). Filled by one thread,
 * fetched by another.
 */
struct feed {
	struct engine_sink sink;	/* to fill it */
	uint32_t uid;
	bool all;			/* programs of whatever user */
	uint64_t processes, executions;	/* that began; atomic */
	pthread_mutex_t lock;		/* of what follows */
	struct engine_sink wire;	/* appends to calls */
	struct buf calls;
	struct map hidden;		/* images of other users */
	uint64_t dropped;		/* events for which there was no room */
	uint32_t *running;		/* pids that the session left behind */
	size_t n_running, running_room;
};

void feed_init(struct feed *f, uint32_t uid, bool all);
void feed_release(struct feed *f);
/* What has come since the last time, whole calls, swapped with out, which is empty. */
void feed_fetch(struct feed *f, struct buf *out);
#endif
