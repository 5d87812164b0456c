/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* hook_name.c - what objects are called */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hooks.h"
#include "real.h"
#include "shim/folder.h"
#include "shim/name.h"
#include "shim/sys.h"
#include "shim/tally.h"
#include "shim/text.h"

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif

/* What a change of names needs to know from before it happens; in scratch
 * memory. */
struct change {
	uint16_t flags;
	struct prov_object object, other;
	size_t from_size, to_size;
	char from[NAME_ROOM], to[NAME_ROOM];
};

_Static_assert(sizeof(struct change) <= SCRATCH_ROOM, "scratch memory must hold two names");

/* NULL when nothing is to be reported. */
static struct change *change_begin(void)
{
	struct change *c;

	if (!image_ready())
		return NULL;
	__atomic_add_fetch(&image.names, 1, __ATOMIC_RELAXED);
	c = scratch_take();
	if (!c)
		return NULL;
	c->flags = 0;
	c->object.mode = c->other.mode = 0;
	c->from_size = c->to_size = 0;
	return c;
}

static void change_report(const struct change *c, uint32_t kind)
{
	struct prov_name *r;

	r = record_begin(PROV_NAME, sizeof(*r) + c->from_size + c->to_size);
	if (!r)
		return;
	r->head.flags = c->flags;
	r->object = c->object;
	r->other = c->other;
	r->kind = kind;
	r->pid = image.pid;
	r->from_size = (uint32_t)c->from_size;
	r->to_size = (uint32_t)c->to_size;
	memcpy(r->text, c->from, c->from_size);
	memcpy(r->text + c->from_size, c->to, c->to_size);
	record_end(r);
}

/* Where files are does not depend on what other files are called. */
static int concerns_folders(const struct change *c)
{
	return !S_ISREG(c->object.mode) || (c->other.mode && !S_ISREG(c->other.mode));
}

/* Reports and lets go of c; NULL is fine. */
static int change_end(struct change *c, uint32_t kind, int result)
{
	if (c && result == 0) {
		if (concerns_folders(c))
			folder_changed();
		change_report(c, kind);
	}
	scratch_give(c);
	return result;
}

static struct change *rename_before(int from_dir, const char *from, int to_dir, const char *to)
{
	struct change *c = change_begin();
	int r;

	if (!c)
		return NULL;
	if (object_at(from_dir, from, AT_SYMLINK_NOFOLLOW, &c->object) < 0) {
		scratch_give(c);
		return NULL;
	}
	r = object_at(to_dir, to, AT_SYMLINK_NOFOLLOW, &c->other);
	if (r == -EFAULT) {
		scratch_give(c);
		return NULL;
	}
	if (r < 0)
		c->other.mode = 0;
	c->from_size = name_of_entry(from_dir, from, c->from, &c->flags);
	c->to_size = name_of_entry(to_dir, to, c->to, &c->flags);
	return c;
}

EXPORT int rename(const char *from, const char *to)
{
	struct change *c = rename_before(AT_FDCWD, from, AT_FDCWD, to);

	return change_end(c, PROV_NAME_RENAME, NEXT(rename)(from, to));
}

EXPORT int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	struct change *c = rename_before(from_dir, from, to_dir, to);

	return change_end(c, PROV_NAME_RENAME, NEXT(renameat)(from_dir, from, to_dir, to));
}

EXPORT int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	struct change *c = rename_before(from_dir, from, to_dir, to);

	return change_end(c, flags & RENAME_EXCHANGE ? PROV_NAME_EXCHANGE : PROV_NAME_RENAME,
			  NEXT(renameat2)(from_dir, from, to_dir, to, flags));
}

static struct change *unlink_before(int dirfd, const char *path)
{
	struct change *c = change_begin();

	if (!c)
		return NULL;
	if (object_at(dirfd, path, AT_SYMLINK_NOFOLLOW, &c->object) < 0) {
		scratch_give(c);
		return NULL;
	}
	c->from_size = name_of_entry(dirfd, path, c->from, &c->flags);
	return c;
}

static int unlink_with(int (*inner)(const char *), const char *path)
{
	struct change *c = unlink_before(AT_FDCWD, path);

	return change_end(c, PROV_NAME_UNLINK, inner(path));
}

EXPORT int unlink(const char *path)
{
	return real_is_detoured(FN_unlink) ? NEXT(unlink)(path) : unlink_with(NEXT(unlink), path);
}

int detour_unlink(const char *path)
{
	return unlink_with(INNER(unlink), path);
}

EXPORT int rmdir(const char *path)
{
	return real_is_detoured(FN_rmdir) ? NEXT(rmdir)(path) : unlink_with(NEXT(rmdir), path);
}

int detour_rmdir(const char *path)
{
	return unlink_with(INNER(rmdir), path);
}

EXPORT int remove(const char *path)
{
	return real_is_detoured(FN_unlink) ? NEXT(remove)(path) : unlink_with(NEXT(remove), path);
}

EXPORT int unlinkat(int dirfd, const char *path, int flags)
{
	struct change *c = unlink_before(dirfd, path);

	return change_end(c, PROV_NAME_UNLINK, NEXT(unlinkat)(dirfd, path, flags));
}

/* A link gives an object that exists a further name; linking a descriptor
 * (AT_EMPTY_PATH, /proc/self/fd/N) gives an O_TMPFILE its first. */
static void link_report(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
	struct change *c = change_begin();

	if (!c)
		return;
	if (object_at(to_dir, to, AT_SYMLINK_NOFOLLOW, &c->object) < 0) {
		scratch_give(c);
		return;
	}
	if (flags & AT_EMPTY_PATH && !from[0])
		c->from_size = name_of_fd(from_dir, c->from, &c->flags);
	else if (flags & AT_SYMLINK_FOLLOW && text_begins(from, "/proc/self/fd/")) {
		long n = sys4(SYS_readlinkat, from_dir, from, c->from, NAME_ROOM - 1);

		c->from_size = n > 0 ? (size_t)n + 1 : 0;
		if (n > 0)
			c->from[n] = 0;
	}
	if (!c->from_size)
		c->from_size = name_of_entry(from_dir, from, c->from, &c->flags);
	c->to_size = name_of_entry(to_dir, to, c->to, &c->flags);
	(void)change_end(c, PROV_NAME_LINK, 0);
}

EXPORT int link(const char *from, const char *to)
{
	int r = NEXT(link)(from, to);

	if (r == 0)
		link_report(AT_FDCWD, from, AT_FDCWD, to, 0);
	return r;
}

EXPORT int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
	int r = NEXT(linkat)(from_dir, from, to_dir, to, flags);

	if (r == 0)
		link_report(from_dir, from, to_dir, to, flags);
	return r;
}

static void symlink_report(const char *target, int dirfd, const char *path)
{
	struct change *c = change_begin();

	if (!c)
		return;
	if (object_at(dirfd, path, AT_SYMLINK_NOFOLLOW, &c->object) < 0) {
		scratch_give(c);
		return;
	}
	c->from_size = text_size(target);
	if (c->from_size > NAME_ROOM) {
		c->from_size = NAME_ROOM;
		c->flags |= PROV_PATH_LONG;
	}
	memcpy(c->from, target, c->from_size);
	c->from[c->from_size - 1] = 0;
	c->to_size = name_of_entry(dirfd, path, c->to, &c->flags);
	(void)change_end(c, PROV_NAME_SYMLINK, 0);
}

EXPORT int symlink(const char *target, const char *path)
{
	int r = NEXT(symlink)(target, path);

	if (r == 0)
		symlink_report(target, AT_FDCWD, path);
	return r;
}

EXPORT int symlinkat(const char *target, int dirfd, const char *path)
{
	int r = NEXT(symlinkat)(target, dirfd, path);

	if (r == 0)
		symlink_report(target, dirfd, path);
	return r;
}

/* What a relative name means has changed. */
EXPORT int chdir(const char *path)
{
	int r = NEXT(chdir)(path);

	__atomic_add_fetch(&image.names, 1, __ATOMIC_RELAXED);
	return r;
}

EXPORT int fchdir(int fd)
{
	int r = NEXT(fchdir)(fd);

	__atomic_add_fetch(&image.names, 1, __ATOMIC_RELAXED);
	return r;
}
