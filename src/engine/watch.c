/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* watch.c - who begins to run on this node */
#include "engine/watch.h"

#include <errno.h>

#include "base/err.h"

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

int watch_fd(const struct watcher *w)
{
	(void)w;
	return -1;
}

void watch_close(struct watcher *w)
{
	(void)w;
}
