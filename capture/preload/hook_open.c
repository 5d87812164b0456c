/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* hook_open.c - bringing objects within reach */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "hooks.h"
#include "real.h"
#include "shim/folder.h"
#include "shim/name.h"
#include "shim/sys.h"
#include "shim/tally.h"

int64_t will_create(int dirfd, const char *path, int flags)
{
	struct prov_object o;
	int64_t clock;

	if ((flags & O_TMPFILE) == O_TMPFILE)
		return 1;
	if (!(flags & O_CREAT) || !image_ready())
		return 0;
	if (flags & O_EXCL)
		return 1;
	clock = folder_birth_clock();
	return clock ? clock : object_at(dirfd, path, 0, &o) == -ENOENT;
}

static int opened(int fd, int dirfd, const char *path, int flags, int64_t born)
{
	if (fd >= 0)
		tally_open(fd, dirfd, path, flags, born);
	return fd;
}

static mode_t mode_of(int flags, va_list ap)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(ap, mode_t) : 0;
}

/* Both names of each function: what is called next must have the same one. A
 * library that interposes open(3) alone is not to be passed over. */
#define OPEN(name)                                                                       \
	EXPORT int name(const char *path, int flags, ...)                                \
	{                                                                                \
		va_list ap;                                                              \
		mode_t mode;                                                             \
		int64_t born;                                                            \
											 \
		va_start(ap, flags);                                                     \
		mode = mode_of(flags, ap);                                               \
		va_end(ap);                                                              \
		if (real_is_detoured(FN_open64))                                         \
			return NEXT(name)(path, flags, mode);                            \
		born = will_create(AT_FDCWD, path, flags);                            \
		return opened(NEXT(name)(path, flags, mode), AT_FDCWD, path, flags, born); \
	}
OPEN(open64)
OPEN(open)

int detour_open64(const char *path, int flags, mode_t mode)
{
	int64_t born = will_create(AT_FDCWD, path, flags);
	int fd = real_is_alone() ? real_quick(sys4(SYS_openat, AT_FDCWD, path, flags, mode))
				 : ((__typeof__(&openat64))real_inner[FN_open64])(
					   AT_FDCWD, path, flags, mode);

	return opened(fd, AT_FDCWD, path, flags, born);
}

/* What libc opens for itself in this way it reads or maps, always: locale data,
 * caches, folders. Its mappings are made by calls of its own that are not
 * detoured, so the opening stands for them. */
int detour_open64_nocancel(const char *path, int flags, mode_t mode)
{
	int64_t born = will_create(AT_FDCWD, path, flags);
	int (*inner)(const char *, int, mode_t) =
		(int (*)(const char *, int, mode_t))real_inner[FN___open64_nocancel];
	int fd = opened(inner(path, flags, mode), AT_FDCWD, path, flags, born);

	if (fd >= 0 && (flags & O_ACCMODE) == O_RDONLY)
		tally_read_by_libc(fd);
	return fd;
}

#define OPENAT(name)                                                                     \
	EXPORT int name(int dirfd, const char *path, int flags, ...)                     \
	{                                                                                \
		va_list ap;                                                              \
		mode_t mode;                                                             \
		int64_t born;                                                            \
											 \
		va_start(ap, flags);                                                     \
		mode = mode_of(flags, ap);                                               \
		va_end(ap);                                                              \
		born = will_create(dirfd, path, flags);                               \
		return opened(NEXT(name)(dirfd, path, flags, mode), dirfd, path, flags, born); \
	}
OPENAT(openat64)
OPENAT(openat)

#define CREAT(name)                                                                      \
	EXPORT int name(const char *path, mode_t mode)                                   \
	{                                                                                \
		int flags = O_CREAT | O_WRONLY | O_TRUNC;                                \
		int64_t born = will_create(AT_FDCWD, path, flags);                        \
											 \
		return opened(NEXT(name)(path, mode), AT_FDCWD, path, flags, born);   \
	}
CREAT(creat64)
CREAT(creat)

/* _FORTIFY_SOURCE sends calls without a mode here; libc checks that none was
 * needed and so do these, by handing over to the same function. */
int __open64_2(const char *path, int flags);
int __openat64_2(int dirfd, const char *path, int flags);

EXPORT int __open64_2(const char *path, int flags)
{
	return open64(path, flags, 0);
}

EXPORT int __openat64_2(int dirfd, const char *path, int flags)
{
	return openat64(dirfd, path, flags, 0);
}

int __open_2(const char *path, int flags) ALIAS(__open64_2);
int __openat_2(int dirfd, const char *path, int flags) ALIAS(__openat64_2);
