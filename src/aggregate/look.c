/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* look.c - how large the files of a run are now, and their digests */
#include "aggregate/look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "aggregate/crew.h"
#include "base/hash.h"
#include "model/key.h"

static void look_stat(void *ctx, size_t i)
{
	struct look *l = (struct look *)ctx + i;

	l->r = object_stat(l->note->path, &l->now);
}

static bool is_same(const struct object *before, const struct object *now)
{
	struct id id;

	if (before->dev == now->dev && before->ino == now->ino && before->btime == now->btime)
		return true;
	/* a file system that is mounted twice */
	id = object_id_of(fs_of_device(now->dev), now->kind, now->ino, now->btime);
	return id_equal(&before->id, &id);
}

size_t looks_take(struct look *v, size_t n)
{
	size_t kept = 0;

	crew_do(n, look_stat, v);
	for (size_t i = 0; i < n; i++) {
		struct object *o = &v[i].note->object;

		if (v[i].r < 0 || !is_same(o, &v[i].now))
			continue;
		o->size = v[i].now.size;
		o->mtime = v[i].now.mtime;
		o->seen = v[i].now.seen;
		v[kept++] = v[i];
	}
	return kept;
}

static void look_hash(void *ctx, size_t i)
{
	struct look *l = (struct look *)ctx + i;
	struct object *o = &l->note->object;
	int fd = open(l->note->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOATIME);

	if (fd < 0 && errno == EPERM)
		fd = open(l->note->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return;
	/* whoever changes it meanwhile changes the time or size seen before */
	o->hashed = sha256_fd(fd, o->sha256) == 0 && object_is_still(fd, &l->now);
	(void)close(fd);
}

static int compare_size(const void *a, const void *b)
{
	const struct look *x = a, *y = b;

	if (x->now.size != y->now.size)
		return x->now.size < y->now.size ? -1 : 1;
	return id_compare(&x->note->object.id, &y->note->object.id);
}

void looks_hash(struct look *v, size_t n, int64_t most)
{
	uint64_t all = 0;

	if (most <= 0)
		return;
	/* stops before sizes that somebody made up overflow */
	for (size_t i = 0; i < n && all <= (uint64_t)most; i++)
		all += (uint64_t)v[i].now.size;
	if (all > (uint64_t)most) {
		qsort(v, n, sizeof(*v), compare_size);
		for (n = 0, all = 0; all + (uint64_t)v[n].now.size <= (uint64_t)most; n++)
			all += (uint64_t)v[n].now.size;
	}
	crew_do(n, look_hash, v);
}
