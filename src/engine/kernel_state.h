/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_ENGINE_KERNEL_STATE_H
#define PROV_ENGINE_KERNEL_STATE_H
#include <pthread.h>
#include <stdbool.h>

#include "engine/kernel.h"
#include "engine/kernel_programs.h"
#include "engine/pending.h"
/* What all of kernel*.c share: one tracer per process. Private to them, and only
 * touched between kernel_lock() and kernel_unlock(). */
struct kernel_queue {
	bool used;
	struct buf queue;
	uint64_t unread;
};

struct kernel_all {
	pthread_mutex_t lock;
	struct programs programs;
	struct ring_buffer *ring;
	pthread_t reader;
	bool loaded, stop;
	unsigned users;		/* sessions, and one for the watch */
	unsigned n_sessions;
	struct kernel_queue sessions[KERNEL_SESSIONS];
	struct buf fresh;
	struct pending pending;	/* session 0: of those nobody has decided about */
	int fresh_fd;		/* an eventfd, while somebody watches */
	struct kernel_figures figures;
};

extern struct kernel_all kernel;

void kernel_lock(void);
void kernel_unlock(void);
/* Loads with the first user, unloads with the last; the coarse set takes seconds to
 * come and go. 0 or a negative errno with fail_text(). */
int kernel_use(bool coarse);
void kernel_let_go(void);
/* Gives threads that were undecided to whom they belong by now. */
void kernel_settle(void);
#endif
