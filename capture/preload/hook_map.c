/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* hook_map.c - files as memory, and content changed without a byte written */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hooks.h"
#include "real.h"
#include "shim/tally.h"

static void *mapped(void *p, size_t size, int prot, int flags, int fd)
{
	if (p != MAP_FAILED && fd >= 0 && !(flags & MAP_ANONYMOUS))
		tally_map(fd, prot, flags, (uintptr_t)p, size);
	return p;
}

EXPORT void *mmap64(void *at, size_t size, int prot, int flags, int fd, off64_t offset)
{
	return mapped(NEXT(mmap64)(at, size, prot, flags, fd, offset), size, prot, flags, fd);
}

void *mmap(void *at, size_t size, int prot, int flags, int fd, off64_t offset) ALIAS(mmap64);

EXPORT int mprotect(void *at, size_t size, int prot)
{
	int r = NEXT(mprotect)(at, size, prot);

	if (r == 0 && prot & PROT_WRITE && image.state == IMAGE_ON)
		tally_protect((uintptr_t)at, size);
	return r;
}

EXPORT void *mremap(void *at, size_t size, size_t new_size, int flags, ...)
{
	void *to = NULL, *r;
	va_list ap;

	if (flags & MREMAP_FIXED) {
		va_start(ap, flags);
		to = va_arg(ap, void *);
		va_end(ap);
	}
	r = NEXT(mremap)(at, size, new_size, flags, to);
	if (r != MAP_FAILED && image.state == IMAGE_ON)
		tally_remap((uintptr_t)at, size, (uintptr_t)r, new_size);
	return r;
}

EXPORT int truncate64(const char *path, off64_t size)
{
	int r = NEXT(truncate64)(path, size);

	if (r == 0)
		tally_cut_path(path);
	return r;
}

EXPORT int ftruncate64(int fd, off64_t size)
{
	int r = NEXT(ftruncate64)(fd, size);

	if (r == 0 && size == 0)
		tally_cut(fd);
	else if (r == 0)
		tally_touch_write(fd);
	return r;
}

EXPORT int fallocate64(int fd, int mode, off64_t at, off64_t size)
{
	int r = NEXT(fallocate64)(fd, mode, at, size);

	if (r == 0)
		tally_touch_write(fd);
	return r;
}

EXPORT int posix_fallocate64(int fd, off64_t at, off64_t size)
{
	int r = NEXT(posix_fallocate64)(fd, at, size);

	if (r == 0)
		tally_touch_write(fd);
	return r;
}

int truncate(const char *path, off64_t size) ALIAS(truncate64);
int ftruncate(int fd, off64_t size) ALIAS(ftruncate64);
int fallocate(int fd, int mode, off64_t at, off64_t size) ALIAS(fallocate64);
int posix_fallocate(int fd, off64_t at, off64_t size) ALIAS(posix_fallocate64);
