/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* hook_fd.c - descriptors that are closed or copied */
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <stdarg.h>
#include <unistd.h>

#include "hooks.h"
#include "real.h"
#include "shim/sys.h"
#include "shim/tables.h"

/* The slot is emptied before the close: afterwards another thread may already
 * have been given the same number. Linux frees the number whatever close(2)
 * says, except that EBADF means there was none. */
static int close_with(int (*inner)(int), int fd)
{
	struct prov_tally *t = tally_detach(fd);
	int r = inner(fd);

	if (t)
		tally_release(t);
	return r;
}

EXPORT int close(int fd)
{
	if (real_is_detoured(FN_close))
		return NEXT(close)(fd);
	return close_with(NEXT(close), fd);
}

int detour_close(int fd)
{
	struct prov_tally *t;
	int r;

	if (!real_is_alone())
		return close_with(INNER(close), fd);
	t = tally_detach(fd);
	r = (int)real_quick(sys1(SYS_close, fd));
	if (t)
		tally_release(t);
	return r;
}

int detour_close_nocancel(int fd)
{
	return close_with((int (*)(int))real_inner[FN___close_nocancel], fd);
}

EXPORT int close_range(unsigned from, unsigned to, int flags)
{
	int r = NEXT(close_range)(from, to, flags);

	if (r == 0 && flags & (int)CLOSE_RANGE_UNSHARE && !*(const volatile char *)tally_alone)
		tables_split();
	else if (r == 0 && !(flags & (int)CLOSE_RANGE_CLOEXEC))
		tally_detach_range(from, to);
	return r;
}

EXPORT void closefrom(int from)
{
	NEXT(closefrom)(from);
	tally_detach_range(from < 0 ? 0 : (unsigned)from, UINT_MAX);
}

EXPORT int dup(int fd)
{
	int r = NEXT(dup)(fd);

	if (r >= 0)
		tally_duplicate(fd, r);
	return r;
}

/* freopen(3) moves its new file to the old number with a dup3 of its own. */
static int duplicated(int r, int fd, int to)
{
	if (r >= 0 && fd != to)
		tally_duplicate(fd, to);
	return r;
}

EXPORT int dup2(int fd, int to)
{
	if (real_is_detoured(FN_dup2))
		return NEXT(dup2)(fd, to);
	return duplicated(NEXT(dup2)(fd, to), fd, to);
}

int detour_dup2(int fd, int to)
{
	return duplicated(INNER(dup2)(fd, to), fd, to);
}

EXPORT int dup3(int fd, int to, int flags)
{
	if (real_is_detoured(FN_dup3))
		return NEXT(dup3)(fd, to, flags);
	return duplicated(NEXT(dup3)(fd, to, flags), fd, to);
}

int detour_dup3(int fd, int to, int flags)
{
	return duplicated(INNER(dup3)(fd, to, flags), fd, to);
}

EXPORT int fcntl64(int fd, int cmd, ...)
{
	va_list ap;
	void *arg;
	int r;

	/* whatever the third argument is, it fits into a pointer */
	va_start(ap, cmd);
	arg = va_arg(ap, void *);
	va_end(ap);
	r = NEXT(fcntl64)(fd, cmd, arg);
	if (r >= 0 && (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC))
		tally_duplicate(fd, r);
	return r;
}

int fcntl(int fd, int cmd, ...) ALIAS(fcntl64);
