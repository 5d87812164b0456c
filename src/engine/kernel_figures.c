/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* kernel_figures.c - what came of it, in numbers */
#include <stdio.h>
#include <stdlib.h>

#include <bpf/bpf.h>

#include "base/mem.h"
#include "engine/kernel_state.h"

static void count_thread(void *ctx, const struct kernel_thread *t)
{
	*(uint64_t *)ctx += t->calls;
}

uint64_t kernel_calls(int session)
{
	uint64_t n = 0;

	kernel_threads(session, count_thread, &n);
	return n + __atomic_load_n(&kernel.programs.sessions[session].calls, __ATOMIC_RELAXED);
}

uint64_t kernel_lost(int session)
{
	uint64_t unread;

	kernel_lock();
	unread = kernel.sessions[session].unread;
	kernel_unlock();
	return unread + __atomic_load_n(&kernel.programs.sessions[session].lost, __ATOMIC_RELAXED);
}

static uint64_t sum_lost(uint32_t kind)
{
	int cpus = libbpf_num_possible_cpus();
	uint64_t *each, sum = 0;

	if (cpus <= 0)
		return 0;
	each = mem_alloc((size_t)cpus * sizeof(*each));
	if (bpf_map_lookup_elem(kernel.programs.lost, &kind, each) == 0)
		for (int i = 0; i < cpus; i++)
			sum += each[i];
	free(each);
	return sum;
}

bool kernel_figures(struct kernel_figures *out)
{
	struct buf text = { 0 };
	bool loaded;

	kernel_lock();
	loaded = kernel.loaded;
	if (loaded) {
		*out = kernel.figures;
		features_tell(&kernel.programs.features, &text);
		snprintf(out->variant, sizeof(out->variant), "%s", text.data);
		buf_release(&text);
		out->sessions = kernel.n_sessions;
		for (uint32_t i = 0; i < KERNEL_LOST_KINDS; i++)
			out->lost[i] = sum_lost(i);
		out->threads = *kernel.programs.n_more;
		for (size_t i = 0; i < kernel.programs.n_threads; i++) {
			out->threads += kernel.programs.threads[i].tid != 0;
			out->calls += kernel.programs.threads[i].calls;
		}
		for (unsigned i = 0; i < KERNEL_SESSIONS; i++)
			out->calls += kernel.programs.sessions[i].calls;
	}
	kernel_unlock();
	return loaded;
}
