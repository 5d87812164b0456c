/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* kernel_watch.c - programs that begin and that nobody records yet */
#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/clock.h"
#include "base/err.h"
#include "engine/kernel_state.h"

#define UNDECIDED_MOST 10000000000	/* ns */

int kernel_watch(const struct kernel_watch *w)
{
	static bool watching;
	uint32_t zero = 0;
	int r = 0;

	kernel_lock();
	if (w->n && !watching)
		r = kernel_use(true);
	if (r == 0 && (w->n || watching) &&
	    bpf_map_update_elem(kernel.programs.watched, &zero, w, BPF_ANY) < 0)
		r = -errno;
	if (r == 0 && watching && !w->n)
		kernel_let_go();
	if (r == 0)
		watching = w->n > 0;
	if (watching && kernel.fresh_fd < 0)
		kernel.fresh_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!watching && kernel.fresh_fd >= 0) {
		(void)close(kernel.fresh_fd);
		kernel.fresh_fd = -1;
	}
	kernel_unlock();
	return r;
}

int kernel_fresh_fd(void)
{
	return kernel.fresh_fd;
}

/* Whoever decides has had his time. */
static void forget_undecided(void)
{
	uint64_t before = (uint64_t)(clock_mono() - UNDECIDED_MOST);

	pending_forget(&kernel.pending, before);
	for (size_t i = 0; i < kernel.programs.n_threads; i++) {
		struct kernel_thread *t = &kernel.programs.threads[i];

		if (t->tid && !t->session && !t->launches && t->start && t->start < before)
			__atomic_store_n(&t->tid, 0, __ATOMIC_RELEASE);
	}
}

void kernel_collect_fresh(struct buf *out)
{
	eventfd_t n;

	kernel_lock();
	(void)eventfd_read(kernel.fresh_fd, &n);
	buf_append(out, kernel.fresh.data, kernel.fresh.size);
	buf_clear(&kernel.fresh);
	forget_undecided();
	kernel_unlock();
}
