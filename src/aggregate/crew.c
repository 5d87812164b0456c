/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* crew.c - threads that share a list of work */
#include "aggregate/crew.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#define HANDS_MOST 8u	/* a file system has no more use for many at once */
#define HANDFUL	   32u	/* taken at a time */

struct crew {
	size_t n, next;
	void (*work)(void *ctx, size_t i);
	void *ctx;
};

static void *lend_a_hand(void *arg)
{
	struct crew *c = arg;
	size_t i;

	while ((i = __atomic_fetch_add(&c->next, HANDFUL, __ATOMIC_RELAXED)) < c->n)
		for (size_t end = c->n - i < HANDFUL ? c->n : i + HANDFUL; i < end; i++)
			c->work(c->ctx, i);
	return NULL;
}

/* A batch system may have given us fewer processors than the machine has. */
static size_t hands_for(size_t n)
{
	cpu_set_t set;
	size_t hands = sched_getaffinity(0, sizeof(set), &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;

	hands = hands < HANDS_MOST ? hands : HANDS_MOST;
	return n / HANDFUL < hands ? n / HANDFUL : hands;
}

void crew_do(size_t n, void (*work)(void *ctx, size_t i), void *ctx)
{
	struct crew c = { .n = n, .work = work, .ctx = ctx };
	pthread_t threads[HANDS_MOST];
	size_t hands = hands_for(n), started = 0;
	sigset_t all, before;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	while (started + 1 < hands && pthread_create(&threads[started], NULL, lend_a_hand, &c) == 0)
		started++;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)lend_a_hand(&c);
	while (started)
		(void)pthread_join(threads[--started], NULL);
}
