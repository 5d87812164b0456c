/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* feed.c - what an engine says, on its way to a user */
#include "provd/feed.h"

#include <stdlib.h>

#include "base/mem.h"

#define FEED_MOST (32u << 20)	/* bytes that wait for a user who does not read */

struct image {
	uint32_t pid, pad;
	int64_t start;
};

static bool is_hidden(const struct feed *f, uint32_t pid, int64_t start)
{
	const struct image im = { .pid = pid, .start = start };

	return f->hidden.n && map_get(&f->hidden, &im, sizeof(im));
}

static void hide(struct feed *f, uint32_t pid, int64_t start)
{
	const struct image im = { .pid = pid, .start = start };

	*map_at(&f->hidden, &im, sizeof(im)) = f;
	f->wire.hole(f->wire.ctx, 0, 0, "other-user",
		     "a program had the rights of another user: what it did is in the record "
		     "of the node alone", 1);
}

static bool is_full(struct feed *f)
{
	if (f->calls.size < FEED_MOST)
		return false;
	f->dropped++;
	return true;
}

static void on_event(void *ctx, uint32_t pid, int64_t start, const struct event *e)
{
	struct feed *f = ctx;

	if (event_head(e)->type == PROV_START) {
		__atomic_fetch_add(&f->executions, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&f->processes, 1, __ATOMIC_RELAXED);
	}
	(void)pthread_mutex_lock(&f->lock);
	if (!f->all && event_head(e)->type == PROV_START &&
	    EVENT_AS(prov_start, e)->uid != f->uid && !is_hidden(f, pid, start))
		hide(f, pid, start);
	if (!is_hidden(f, pid, start) && !is_full(f))
		f->wire.event(f->wire.ctx, pid, start, e);
	(void)pthread_mutex_unlock(&f->lock);
}

/* Whatever else there is to say of an image, unless it is none of his. */
#define SAY(f, pid, start, call)                                          \
	do {                                                              \
		(void)pthread_mutex_lock(&(f)->lock);                     \
		if (!is_hidden((f), (pid), (start)) && !is_full(f))       \
			call;                                             \
		(void)pthread_mutex_unlock(&(f)->lock);                   \
	} while (0)

static void on_ended(void *ctx, uint32_t pid, int64_t start, int64_t when, bool replaced)
{
	struct feed *f = ctx;

	/* what an exec replaced was no further process */
	if (replaced)
		__atomic_fetch_sub(&f->processes, 1, __ATOMIC_RELAXED);
	SAY(f, pid, start, f->wire.ended(f->wire.ctx, pid, start, when, replaced));
}

static void on_settled(void *ctx, uint32_t pid, int64_t start)
{
	struct feed *f = ctx;

	SAY(f, pid, start, f->wire.settled(f->wire.ctx, pid, start));
}

static void on_handed(void *ctx, uint32_t pid, int64_t start, uint32_t seq)
{
	struct feed *f = ctx;

	SAY(f, pid, start, f->wire.handed(f->wire.ctx, pid, start, seq));
}

static void on_commit(void *ctx)
{
	struct feed *f = ctx;

	SAY(f, 0, 0, f->wire.commit(f->wire.ctx));
}

static void on_switched(void *ctx, int64_t since, int32_t granularity)
{
	struct feed *f = ctx;

	SAY(f, 0, 0, f->wire.switched(f->wire.ctx, since, granularity));
}

static void on_running(void *ctx, uint32_t pid, int64_t start)
{
	struct feed *f = ctx;

	(void)pthread_mutex_lock(&f->lock);
	if (f->n_running == f->running_room) {
		f->running_room = 2 * f->running_room + 16;
		f->running = mem_resize(f->running, f->running_room * sizeof(*f->running));
	}
	f->running[f->n_running++] = pid;
	(void)pthread_mutex_unlock(&f->lock);
	SAY(f, pid, start, f->wire.running(f->wire.ctx, pid, start));
}

static void on_hole(void *ctx, uint32_t pid, int64_t start, const char *kind, const char *why,
		    uint64_t count)
{
	struct feed *f = ctx;

	SAY(f, pid, start, f->wire.hole(f->wire.ctx, pid, start, kind, why, count));
}

void feed_init(struct feed *f, uint32_t uid, bool all)
{
	*f = (struct feed){
		.sink = {
			.ctx = f,
			.event = on_event,
			.ended = on_ended,
			.settled = on_settled,
			.handed = on_handed,
			.commit = on_commit,
			.switched = on_switched,
			.running = on_running,
			.hole = on_hole,
		},
		.uid = uid,
		.all = all,
	};
	f->wire = wire_sink(&f->calls);
	(void)pthread_mutex_init(&f->lock, NULL);
}

void feed_release(struct feed *f)
{
	(void)pthread_mutex_destroy(&f->lock);
	buf_release(&f->calls);
	map_release(&f->hidden);
	free(f->running);
}

void feed_fetch(struct feed *f, struct buf *out)
{
	struct buf empty = *out;

	(void)pthread_mutex_lock(&f->lock);
	if (f->dropped)
		f->wire.hole(f->wire.ctx, 0, 0, "lost",
			     "the recording command did not take in what the node service sent",
			     f->dropped);
	f->dropped = 0;
	*out = f->calls;
	f->calls = empty;
	(void)pthread_mutex_unlock(&f->lock);
}
