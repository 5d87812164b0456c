/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* kernel_threads.c - who is recorded, as the programs in the kernel see it */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "base/err.h"
#include "engine/kernel_state.h"

/* Where a new thread is written; NULL when somebody has it already. */
static struct kernel_thread *place_for(uint32_t tid)
{
	struct kernel_thread *t = &kernel.programs.threads[tid & (kernel.programs.n_threads - 1)];

	return t->tid ? NULL : t;
}

static int put(const struct kernel_thread *wanted)
{
	struct kernel_thread *t = place_for(wanted->tid);

	if (t) {
		uint32_t tid = wanted->tid;

		memcpy((char *)t + sizeof(tid), (const char *)wanted + sizeof(tid),
		       sizeof(*t) - sizeof(tid));
		__atomic_store_n(&t->tid, tid, __ATOMIC_RELEASE);
		return 0;
	}
	if (kernel.programs.threads[wanted->tid & (kernel.programs.n_threads - 1)].tid ==
	    wanted->tid)
		return -EEXIST;
	if (bpf_map_update_elem(kernel.programs.more, &wanted->tid, wanted, BPF_NOEXIST) < 0)
		return -errno;
	(void)__atomic_fetch_add(kernel.programs.n_more, 1, __ATOMIC_ACQ_REL);
	return 0;
}

static bool is_at_its_place(uint32_t tid)
{
	return kernel.programs.threads[tid & (kernel.programs.n_threads - 1)].tid == tid;
}

int kernel_launch(int session, uint32_t tid)
{
	struct kernel_thread t = { .tid = tid, .pid = tid, .image = tid,
				   .session = (uint16_t)session, .flags = KERNEL_LAUNCHER };
	int r;

	kernel_lock();
	r = put(&t);
	/* of another session, it stays there, and what it makes is of this one */
	if (r == -EEXIST && is_at_its_place(tid)) {
		kernel.programs.threads[tid & (kernel.programs.n_threads - 1)].launches =
			(uint32_t)session;
		r = 0;
	}
	kernel_unlock();
	return r < 0 ? fail(-r, "process %u is recorded already", tid) : 0;
}

/* Where undecided threads belong by now. */
static void settle(struct kernel_thread *t)
{
	int owner = t->tid && !t->session ? pending_owner(&kernel.pending, t->image) : 0;

	if (owner > 0) {
		t->session = (uint16_t)owner;
	} else if (owner < 0 && t->launches) {
		t->flags = KERNEL_LAUNCHER;
		t->session = (uint16_t)t->launches;
	} else if (owner < 0) {
		__atomic_store_n(&t->tid, 0, __ATOMIC_RELEASE);
	}
}

void kernel_settle(void)
{
	if (!kernel.pending.owners.n)
		return;
	for (size_t i = 0; i < kernel.programs.n_threads; i++)
		settle(&kernel.programs.threads[i]);
}

void kernel_refuse(uint32_t pid)
{
	kernel_lock();
	if (kernel.loaded) {
		(void)ring_buffer__consume(kernel.ring);
		pending_drop(&kernel.pending, pid);
		kernel_settle();
	}
	kernel_unlock();
}

bool kernel_waits(uint32_t pid)
{
	bool waits;

	kernel_lock();
	waits = pending_has(&kernel.pending, pid);
	kernel_unlock();
	return waits;
}

void kernel_environ(uint32_t pid, struct buf *out)
{
	kernel_lock();
	pending_environ(&kernel.pending, pid, out);
	kernel_unlock();
}

bool kernel_has(uint32_t pid)
{
	static struct kernel_thread copy;
	bool has;

	kernel_lock();
	has = kernel.loaded && is_at_its_place(pid);
	if (has)
		has = kernel.programs.threads[pid & (kernel.programs.n_threads - 1)].session != 0;
	else if (kernel.loaded)
		has = bpf_map_lookup_elem(kernel.programs.more, &pid, &copy) == 0 && copy.session;
	kernel_unlock();
	return has;
}

int kernel_take(int session, uint32_t pid, uint64_t start)
{
	struct kernel_thread t = { .pid = pid, .image = pid, .session = (uint16_t)session,
				   .start = start, .now = start };
	char path[64];
	struct dirent *d;
	int taken = 0;
	DIR *tasks;

	kernel_lock();
	(void)ring_buffer__consume(kernel.ring);
	if (pending_has(&kernel.pending, pid)) {
		pending_claim(&kernel.pending, pid, session, &kernel.sessions[session].queue);
		kernel_settle();
		kernel_unlock();
		return 2;
	}
	kernel_unlock();
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	tasks = opendir(path);
	kernel_lock();
	while (tasks && (d = readdir(tasks))) {
		t.tid = (uint32_t)strtoul(d->d_name, NULL, 10);
		if (t.tid && put(&t) == 0)
			taken = 1;
	}
	kernel_unlock();
	if (tasks)
		(void)closedir(tasks);
	return taken;
}

void kernel_threads(int session, void (*one)(void *ctx, const struct kernel_thread *t), void *ctx)
{
	static struct kernel_thread copy;
	uint32_t key, next;
	bool more;

	kernel_lock();
	for (size_t i = 0; i < kernel.programs.n_threads; i++) {
		if (kernel.programs.threads[i].session != session ||
		    !kernel.programs.threads[i].tid)
			continue;
		copy = kernel.programs.threads[i];
		one(ctx, &copy);
	}
	more = *kernel.programs.n_more &&
	       bpf_map_get_next_key(kernel.programs.more, NULL, &next) == 0;
	while (more) {
		key = next;
		more = bpf_map_get_next_key(kernel.programs.more, &key, &next) == 0;
		if (bpf_map_lookup_elem(kernel.programs.more, &key, &copy) == 0 &&
		    copy.session == session)
			one(ctx, &copy);
	}
	kernel_unlock();
}
