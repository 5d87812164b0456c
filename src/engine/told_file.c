/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* told_file.c - objects under their names, as the kernel told of them */
#include "engine/told_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/mem.h"
#include "model/id.h"

#define PIPEFS_MAGIC 0x50495045u
#define SOCKFS_MAGIC 0x534f434bu

void things_release(struct things *t)
{
	void *one;

	for (size_t i = 0; map_next(&t->all, &i, NULL, NULL, &one);)
		free(one);
	map_release(&t->all);
	map_release(&t->named);
}

static struct id digest_of_path(const char *path)
{
	return id_of(path, strlen(path));
}

static struct id digest_of(const struct prov_object *o, const char *path)
{
	static _Thread_local struct {
		uint64_t ino, dev;
		int64_t btime;
		struct id path;
	} key;

	key.ino = o->ino;
	key.dev = (uint64_t)o->dev_major << 32 | o->dev_minor;
	key.btime = o->btime;
	key.path = digest_of_path(path);
	return id_of(&key, sizeof(key));
}

struct thing *thing_hold(struct things *t, const struct prov_object *o, const char *path)
{
	struct id key = digest_of(o, path);
	void **slot = map_at(&t->all, &key, sizeof(key));
	struct thing *one = *slot;

	if (!one) {
		size_t size = strlen(path) + 1;

		one = *slot = mem_alloc(sizeof(*one) + size);
		memcpy(one->path, path, size);
	}
	one->object = *o;
	one->holders++;
	return one;
}

void thing_drop(struct things *t, struct thing *one)
{
	struct id key;

	if (!one || --one->holders)
		return;
	key = digest_of(&one->object, one->path);
	map_remove(&t->all, &key, sizeof(key));
	free(one);
}

struct thing *thing_at(struct things *t, const char *path)
{
	struct id key = digest_of_path(path);

	return map_get(&t->named, &key, sizeof(key));
}

void thing_forget_name(struct things *t, const char *path)
{
	struct thing *was = thing_at(t, path);
	struct id key = digest_of_path(path);

	if (!was)
		return;
	map_remove(&t->named, &key, sizeof(key));
	thing_drop(t, was);
}

void thing_call(struct things *t, const char *path, struct thing *one)
{
	struct id key = digest_of_path(path);
	void **slot = map_at(&t->named, &key, sizeof(key));
	struct thing *was = *slot;

	if (was == one)
		return;
	one->holders++;
	*slot = one;
	thing_drop(t, was);
}

const char *path_of_walk(const char *p, size_t n)
{
	static _Thread_local char out[KERNEL_PATH_ROOM * 2 + 2];
	char *at = out + sizeof(out) - 1;

	*at = 0;
	for (size_t i = 0; i < n;) {
		size_t size = strnlen(p + i, n - i);

		if ((size_t)(at - out) < size + 1)
			break;
		at -= size;
		memcpy(at, p + i, size);
		*--at = '/';
		i += size + 1;
	}
	return *at ? at : "/";
}

/* Without "." and "..", as far as can be told from the text alone. */
static void tidy(char *path)
{
	char *out = path, *in = path;

	while (*in) {
		size_t n = strcspn(in + 1, "/") + 1;

		if (n == 1 || (n == 2 && in[1] == '.')) {
			in += n;
		} else if (n == 3 && in[1] == '.' && in[2] == '.') {
			while (out > path && *--out != '/')
				;
			in += n;
		} else {
			memmove(out, in, n);
			out += n;
			in += n;
		}
	}
	if (out == path)
		*out++ = '/';
	*out = 0;
}

/* What it leads to depends on who asks. */
static bool is_own(const char *path)
{
	return !strncmp(path, "/proc/", 6) || !strncmp(path, "/dev/fd/", 8);
}

const char *path_as_given(const char *base, const char *given, bool same_mounts)
{
	static _Thread_local char text[3 * PATH_MAX], real[PATH_MAX + NAME_MAX + 2];
	char *slash, *folder;

	snprintf(text, sizeof(text), "%s%s%s", strcmp(base, "/") ? base : "",
		 given[0] == '/' ? "" : "/", given);
	/* the folder may have been reached through links; the name itself is meant */
	slash = strrchr(text, '/');
	if (same_mounts && !is_own(text) && slash && slash > text && slash[1] &&
	    strcmp(slash, "/..") && strcmp(slash, "/.")) {
		*slash = 0;
		folder = realpath(text, real);
		*slash = '/';
		if (folder && strlen(slash) <= NAME_MAX + 1) {
			size_t n = strcmp(folder, "/") ? strlen(folder) : 0;

			memcpy(real + n, slash, strlen(slash) + 1);
			return real;
		}
	}
	tidy(text);
	return text;
}

static void from_statx(const struct statx *st, struct prov_object *out)
{
	*out = (struct prov_object){
		.dev_major = st->stx_dev_major,
		.dev_minor = st->stx_dev_minor,
		.ino = st->stx_ino,
		.btime = st->stx_mask & STATX_BTIME
				 ? st->stx_btime.tv_sec * INT64_C(1000000000) +
					   st->stx_btime.tv_nsec
				 : 0,
		.mtime = st->stx_mtime.tv_sec * INT64_C(1000000000) + st->stx_mtime.tv_nsec,
		.size = st->stx_size,
		.mode = st->stx_mode,
		.nlink = st->stx_nlink,
	};
}

bool object_now(const char *path, struct prov_object *out)
{
	struct statx st;

	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
		  STATX_BASIC_STATS | STATX_BTIME, &st) < 0)
		return false;
	from_statx(&st, out);
	return true;
}

void object_of_kernel(const struct kernel_object *k, const char *path, struct prov_object *out)
{
	struct prov_object now;

	*out = (struct prov_object){
		.dev_major = k->dev >> 20,
		.dev_minor = k->dev & 0xfffff,
		.ino = k->ino,
		.btime = k->btime,
		.mtime = k->mtime,
		.size = k->size,
		.mode = k->mode,
		.nlink = k->nlink,
	};
	if (k->magic == PIPEFS_MAGIC || k->magic == SOCKFS_MAGIC || k->btime)
		return;
	/* the device that stat(2) shows and the time of birth are the file system's own
	 * business there: asked for, as long as it is the same file */
	if (object_now(path, &now) && now.ino == k->ino) {
		out->dev_major = now.dev_major;
		out->dev_minor = now.dev_minor;
		out->btime = now.btime;
	}
}
