/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* kernel.c - sessions that share the programs in the kernel */
#include "engine/kernel.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/err.h"
#include "engine/kernel_state.h"
#include "prov/segment.h"

#define DRAIN_MS  20			/* how long a record may lie in the ring buffer */
#define QUEUE_MOST (64u << 20)		/* of one session, uncollected */

struct kernel_all kernel = { .lock = PTHREAD_MUTEX_INITIALIZER, .fresh_fd = -1 };

void kernel_lock(void)
{
	(void)pthread_mutex_lock(&kernel.lock);
}

void kernel_unlock(void)
{
	(void)pthread_mutex_unlock(&kernel.lock);
}

static int on_record(void *ctx, void *p, size_t size)
{
	const struct kernel_head *h = p;
	struct buf *to = NULL;
	int which = h->session;

	kernel.figures.records++;
	kernel.figures.bytes += size;
	if (size < sizeof(*h) || h->size != size || h->session >= KERNEL_SESSIONS)
		return 0;
	if (h->type == KERNEL_FRESH)
		to = &kernel.fresh;
	else if (!which && (which = pending_route(&kernel.pending, h)) == 0)
		return 0;
	else if (kernel.sessions[which].used)
		to = &kernel.sessions[which].queue;
	if (!to)
		return 0;
	if (to->size + size > QUEUE_MOST) {
		kernel.sessions[which].unread++;
		kernel.figures.unread++;
		return 0;
	}
	buf_append(to, p, size);
	/* records follow each other at multiples of 8 */
	while (to->size % 8)
		buf_char(to, 0);
	if (to == &kernel.fresh)
		(void)eventfd_write(kernel.fresh_fd, 1);
	return 0;
}

static void *read_ring(void *arg)
{
	int wake = ring_buffer__epoll_fd(kernel.ring);
	struct epoll_event e;

	while (!__atomic_load_n(&kernel.stop, __ATOMIC_ACQUIRE)) {
		/* most records wake nobody */
		(void)epoll_wait(wake, &e, 1, DRAIN_MS);
		kernel_lock();
		(void)ring_buffer__consume(kernel.ring);
		kernel_unlock();
	}
	return NULL;
}

static int start_reader(void)
{
	sigset_t all, before;
	int err;

	kernel.ring = ring_buffer__new(kernel.programs.ring, on_record, NULL, NULL);
	if (!kernel.ring)
		return fail(errno, "the ring buffer cannot be mapped: %s", strerror(errno));
	kernel.stop = false;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&kernel.reader, NULL, read_ring, NULL);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err) {
		ring_buffer__free(kernel.ring);
		kernel.ring = NULL;
		return fail(err, "no thread to read the ring buffer: %s", strerror(err));
	}
	return 0;
}

/* Called with the lock, which is let go while the reader ends. */
static void unload(void)
{
	__atomic_store_n(&kernel.stop, true, __ATOMIC_RELEASE);
	kernel_unlock();
	(void)pthread_join(kernel.reader, NULL);
	kernel_lock();
	ring_buffer__free(kernel.ring);
	kernel.ring = NULL;
	programs_unload(&kernel.programs);
	buf_release(&kernel.fresh);
	pending_release(&kernel.pending);
	kernel.loaded = false;
	kernel.figures = (struct kernel_figures){ 0 };
}

int kernel_use(bool coarse)
{
	int r = 0;

	if (!kernel.loaded) {
		r = programs_load(&kernel.programs, coarse);
		if (r == 0)
			r = programs_attach_lives(&kernel.programs);
		if (r == 0)
			r = start_reader();
		if (r < 0) {
			programs_unload(&kernel.programs);
			return r;
		}
		kernel.loaded = true;
	}
	kernel.users++;
	return 0;
}

void kernel_let_go(void)
{
	if (--kernel.users == 0)
		unload();
}

/* The coarsest set that is fine enough for all. */
static int attach_set(void)
{
	enum programs_set set = SET_NONE;

	for (unsigned i = 1; i < KERNEL_SESSIONS && set != SET_FINE; i++)
		if (kernel.sessions[i].used)
			set = kernel.programs.sessions[i].granularity < PROV_OPEN_CLOSE ? SET_FINE
										: SET_COARSE;
	return programs_attach_calls(&kernel.programs, set);
}

int kernel_begin(int32_t granularity)
{
	int which = -1, r;

	kernel_lock();
	r = kernel_use(granularity >= PROV_OPEN_CLOSE);
	for (unsigned i = 1; r == 0 && which < 0 && i < KERNEL_SESSIONS; i++)
		which = kernel.sessions[i].used ? -1 : (int)i;
	if (r == 0 && which < 0)
		r = fail(EBUSY, "%u sessions are recorded at once, which is the most",
			 KERNEL_SESSIONS);
	if (which >= 0) {
		kernel.programs.sessions[which] = (struct kernel_session){
			.granularity = granularity, .used = 1 };
		kernel.sessions[which] = (struct kernel_queue){ .used = true };
		kernel.n_sessions++;
		r = attach_set();
	}
	kernel_unlock();
	if (r < 0 && which >= 0)
		kernel_end(which);
	return r < 0 ? r : which;
}

void kernel_end(int session)
{
	struct kernel_queue *s = &kernel.sessions[session];

	kernel_lock();
	for (size_t i = 0; i < kernel.programs.n_threads; i++)
		if (kernel.programs.threads[i].session == session)
			__atomic_store_n(&kernel.programs.threads[i].tid, 0, __ATOMIC_RELEASE);
		else if (kernel.programs.threads[i].launches == (uint32_t)session)
			kernel.programs.threads[i].launches = 0;
	buf_release(&s->queue);
	*s = (struct kernel_queue){ 0 };
	kernel.programs.sessions[session] = (struct kernel_session){ .granularity = PROV_OFF };
	kernel.n_sessions--;
	pending_session_over(&kernel.pending, session);
	(void)attach_set();
	kernel_let_go();
	kernel_unlock();
}

void kernel_collect(int session, struct buf *out)
{
	struct buf *q = &kernel.sessions[session].queue;

	kernel_lock();
	(void)ring_buffer__consume(kernel.ring);
	kernel_settle();
	if (!out->size) {
		struct buf empty = *out;

		*out = *q;
		*q = empty;
	} else {
		buf_append(out, q->data, q->size);
		buf_clear(q);
	}
	kernel_unlock();
}

void kernel_level(int session, int32_t granularity)
{
	kernel_lock();
	__atomic_store_n(&kernel.programs.sessions[session].granularity, granularity,
			 __ATOMIC_RELEASE);
	/* the finer set does coarse ones as well, if that fails */
	(void)attach_set();
	kernel_unlock();
}

int kernel_probe(struct buf *why)
{
	return programs_probe(why);
}
