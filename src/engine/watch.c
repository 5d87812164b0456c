/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* watch.c - who begins to run on this node */
#include "engine/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "config.h"
#ifdef PROV_EBPF
#include "engine/kernel.h"

struct watcher {
	struct buf records;
};

static unsigned watchers;

int watch_open(const struct watch_filter *f, size_t n, struct watcher **out)
{
	struct kernel_watch w = { .n = (uint32_t)n };
	int r;

	if (n > KERNEL_UID_RANGES)
		return fail(E2BIG, "at most %u ranges of users can be watched", KERNEL_UID_RANGES);
	for (size_t i = 0; i < n; i++) {
		w.range[2 * i] = f[i].uid_min;
		w.range[2 * i + 1] = f[i].uid_max;
	}
	r = kernel_watch(&w);
	if (r < 0)
		return r;
	*out = mem_alloc(sizeof(**out));
	watchers++;
	return 0;
}

size_t watch_poll(struct watcher *w, void (*seen)(void *ctx, const struct watch *), void *ctx)
{
	size_t n = 0;

	buf_clear(&w->records);
	kernel_collect_fresh(&w->records);
	for (size_t at = 0; at + sizeof(struct kernel_head) <= w->records.size; n++) {
		const struct kernel_head *h = (const void *)(w->records.data + at);

		seen(ctx, &(struct watch){ .pid = h->pid, .uid = (uint32_t)h->start });
		at += (h->size + 7) & ~(size_t)7;
	}
	return n;
}

bool watch_has(uint32_t pid)
{
	return kernel_has(pid);
}

void watch_refuse(uint32_t pid)
{
	kernel_refuse(pid);
}

void watch_environ(uint32_t pid, struct buf *out)
{
	kernel_environ(pid, out);
}

int watch_fd(const struct watcher *w)
{
	(void)w;
	return kernel_fresh_fd();
}

void watch_close(struct watcher *w)
{
	if (!w)
		return;
	if (--watchers == 0)
		(void)kernel_watch(&(struct kernel_watch){ 0 });
	buf_release(&w->records);
	free(w);
}
#else
int watch_open(const struct watch_filter *f, size_t n, struct watcher **out)
{
	(void)f;
	(void)n;
	(void)out;
	return fail(ENOSYS, "programs of this node are not watched: this prov was built without "
			    "its engine in the kernel");
}

size_t watch_poll(struct watcher *w, void (*seen)(void *ctx, const struct watch *), void *ctx)
{
	(void)w;
	(void)seen;
	(void)ctx;
	return 0;
}

void watch_refuse(uint32_t pid)
{
	(void)pid;
}

void watch_environ(uint32_t pid, struct buf *out)
{
	(void)pid;
	(void)out;
}

bool watch_has(uint32_t pid)
{
	(void)pid;
	return false;
}

int watch_fd(const struct watcher *w)
{
	(void)w;
	return -1;
}

void watch_close(struct watcher *w)
{
	(void)w;
}
#endif
