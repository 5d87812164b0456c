/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* hook_data.c - reading and writing */
#include <dirent.h>
#include <sys/uio.h>
#include <unistd.h>

#include "hooks.h"
#include "real.h"
#include "shim/sys.h"
#include "shim/tally.h"

/*
 * The quick way, for a process with one thread: the system call is made here,
 * as libc would make it. To call libc's function would put a frame around it,
 * and where the kernel untrains return prediction each frame that is older than
 * a system call costs 7 ns to return from. Each function is one short piece,
 * for the kernel leaves little of the instruction cache to us: a line more can
 * cost 20 ns. What is not quick goes the long way round.
 */
#define LONG	   static __attribute__((noinline, cold))
/* They begin a page: so they stay in the sets of the instruction cache in which
 * the paths of a read and a write were found to leave room. */
#define HOT_FIRST  __attribute__((hot, aligned(4096)))
#define HOT	   __attribute__((hot, aligned(512)))

/* Each triple: the long way, the export that programs call, and where libc's
 * own calls land. */

LONG ssize_t long_read(int fd, void *p, size_t n)
{
	if (real_is_detoured(FN_read))
		return NEXT(read)(fd, p, n);
	struct held t = tally_before_read(fd);
	ssize_t r = NEXT(read)(fd, p, n);

	tally_after_read(t, r);
	return r;
}

HOT_FIRST EXPORT ssize_t read(int fd, void *p, size_t n)
{
	struct prov_tally *t = tally_read_before(fd);
	uint64_t opened;
	long r;

	if (!t || !real_is_alone() || !real_is_own(FN_read))
		return long_read(fd, p, n);
	opened = __atomic_load_n(&t->opened, __ATOMIC_RELAXED);
	r = sys3(SYS_read, fd, p, n);
	if (__builtin_expect(r < 0, 0))
		return real_result(r);
	tally_was_read(t, opened, (size_t)r);
	return r;
}

ssize_t detour_read(int fd, void *p, size_t n)
{
	struct held t = tally_before_read(fd);
	ssize_t r = real_is_alone() ? real_quick(sys3(SYS_read, fd, p, n))
				    : INNER(read)(fd, p, n);

	tally_after_read(t, r);
	return r;
}

ssize_t detour_read_nocancel(int fd, void *p, size_t n)
{
	struct held t = tally_before_read(fd);
	ssize_t r = ((__typeof__(&read))real_inner[FN___read_nocancel])(fd, p, n);

	tally_after_read(t, r);
	return r;
}

LONG ssize_t long_write(int fd, const void *p, size_t n)
{
	if (real_is_detoured(FN_write))
		return NEXT(write)(fd, p, n);
	struct held t = tally_before_write(fd);
	ssize_t r = NEXT(write)(fd, p, n);

	tally_after_write(t, r);
	return r;
}

HOT EXPORT ssize_t write(int fd, const void *p, size_t n)
{
	struct prov_tally *t = tally_write_before(fd);
	uint64_t opened;
	long r;

	if (!t || !real_is_alone() || !real_is_own(FN_write))
		return long_write(fd, p, n);
	opened = __atomic_load_n(&t->opened, __ATOMIC_RELAXED);
	r = sys3(SYS_write, fd, p, n);
	if (__builtin_expect(r < 0, 0))
		return real_result(r);
	tally_was_written(t, opened, (size_t)r);
	return r;
}

ssize_t detour_write(int fd, const void *p, size_t n)
{
	struct held t = tally_before_write(fd);
	ssize_t r = real_is_alone() ? real_quick(sys3(SYS_write, fd, p, n))
				    : INNER(write)(fd, p, n);

	tally_after_write(t, r);
	return r;
}

ssize_t detour_write_nocancel(int fd, const void *p, size_t n)
{
	struct held t = tally_before_write(fd);
	ssize_t r = ((__typeof__(&write))real_inner[FN___write_nocancel])(fd, p, n);

	tally_after_write(t, r);
	return r;
}

LONG ssize_t long_pread64(int fd, void *p, size_t n, off64_t at)
{
	if (real_is_detoured(FN_pread64))
		return NEXT(pread64)(fd, p, n, at);
	struct held t = tally_before_read_at(fd, at);
	ssize_t r = NEXT(pread64)(fd, p, n, at);

	tally_after_read(t, r);
	return r;
}

HOT EXPORT ssize_t pread64(int fd, void *p, size_t n, off64_t at)
{
	struct prov_tally *t = tally_read_before(fd);
	uint64_t opened;
	long r;

	if (!t || !real_is_alone() || !real_is_own(FN_pread64))
		return long_pread64(fd, p, n, at);
	opened = __atomic_load_n(&t->opened, __ATOMIC_RELAXED);
	r = sys4(SYS_pread64, fd, p, n, at);
	if (__builtin_expect(r < 0, 0))
		return real_result(r);
	tally_was_read(t, opened, (size_t)r);
	return r;
}

ssize_t detour_pread64(int fd, void *p, size_t n, off64_t at)
{
	struct held t = tally_before_read_at(fd, at);
	ssize_t r = real_is_alone() ? real_quick(sys4(SYS_pread64, fd, p, n, at))
				    : INNER(pread64)(fd, p, n, at);

	tally_after_read(t, r);
	return r;
}

ssize_t detour_pread64_nocancel(int fd, void *p, size_t n, off64_t at)
{
	struct held t = tally_before_read_at(fd, at);
	ssize_t r = ((__typeof__(&pread64))real_inner[FN___pread64_nocancel])(fd, p, n, at);

	tally_after_read(t, r);
	return r;
}

LONG ssize_t long_pwrite64(int fd, const void *p, size_t n, off64_t at)
{
	if (real_is_detoured(FN_pwrite64))
		return NEXT(pwrite64)(fd, p, n, at);
	struct held t = tally_before_write_at(fd, at);
	ssize_t r = NEXT(pwrite64)(fd, p, n, at);

	tally_after_write(t, r);
	return r;
}

HOT EXPORT ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at)
{
	struct prov_tally *t = tally_write_before(fd);
	uint64_t opened;
	long r;

	if (!t || !real_is_alone() || !real_is_own(FN_pwrite64))
		return long_pwrite64(fd, p, n, at);
	opened = __atomic_load_n(&t->opened, __ATOMIC_RELAXED);
	r = sys4(SYS_pwrite64, fd, p, n, at);
	if (__builtin_expect(r < 0, 0))
		return real_result(r);
	tally_was_written(t, opened, (size_t)r);
	return r;
}

ssize_t detour_pwrite64(int fd, const void *p, size_t n, off64_t at)
{
	struct held t = tally_before_write_at(fd, at);
	ssize_t r = real_is_alone() ? real_quick(sys4(SYS_pwrite64, fd, p, n, at))
				    : INNER(pwrite64)(fd, p, n, at);

	tally_after_write(t, r);
	return r;
}

EXPORT ssize_t readv(int fd, const struct iovec *v, int n)
{
	struct held t = tally_before_read(fd);
	ssize_t r = NEXT(readv)(fd, v, n);

	tally_after_read(t, r);
	return r;
}

EXPORT ssize_t writev(int fd, const struct iovec *v, int n)
{
	struct held t = tally_before_write(fd);
	ssize_t r = NEXT(writev)(fd, v, n);

	tally_after_write(t, r);
	return r;
}

EXPORT ssize_t preadv64(int fd, const struct iovec *v, int n, off64_t at)
{
	struct held t = tally_before_read_at(fd, at);
	ssize_t r = NEXT(preadv64)(fd, v, n, at);

	tally_after_read(t, r);
	return r;
}

EXPORT ssize_t pwritev64(int fd, const struct iovec *v, int n, off64_t at)
{
	struct held t = tally_before_write_at(fd, at);
	ssize_t r = NEXT(pwritev64)(fd, v, n, at);

	tally_after_write(t, r);
	return r;
}

EXPORT ssize_t preadv64v2(int fd, const struct iovec *v, int n, off64_t at, int flags)
{
	struct held t = tally_before_read_at(fd, at);
	ssize_t r = NEXT(preadv64v2)(fd, v, n, at, flags);

	tally_after_read(t, r);
	return r;
}

EXPORT ssize_t pwritev64v2(int fd, const struct iovec *v, int n, off64_t at, int flags)
{
	struct held t = tally_before_write_at(fd, at);
	ssize_t r = NEXT(pwritev64v2)(fd, v, n, at, flags);

	tally_after_write(t, r);
	return r;
}

static ssize_t listed(int fd, ssize_t r)
{
	if (r >= 0)
		tally_directory(fd);
	return r;
}

EXPORT ssize_t getdents64(int fd, void *p, size_t n)
{
	if (real_is_detoured(FN_getdents64))
		return NEXT(getdents64)(fd, p, n);
	return listed(fd, NEXT(getdents64)(fd, p, n));
}

ssize_t detour_getdents64(int fd, void *p, size_t n)
{
	return listed(fd, INNER(getdents64)(fd, p, n));
}

/* _FORTIFY_SOURCE: libc checks the size of the buffer, then reads by itself.
 * Reads that it makes through read(2) are seen there. */
ssize_t __pread_chk(int fd, void *p, size_t n, off64_t at, size_t room);
ssize_t __pread64_chk(int fd, void *p, size_t n, off64_t at, size_t room) ALIAS(__pread_chk);

EXPORT ssize_t __pread_chk(int fd, void *p, size_t n, off64_t at, size_t room)
{
	struct held t = tally_before_read_at(fd, at);
	ssize_t r = NEXT(__pread_chk)(fd, p, n, at, room);

	/* with aio in the program the detour of pread(2) has counted it */
	if (!real_is_detoured(FN_pread64))
		tally_after_read(t, r);
	return r;
}

/* The names that programs without 64-bit offsets, or with _FORTIFY_SOURCE,
 * were linked to. On 64-bit systems both sizes of offset are the same
 * function. */
ssize_t pread(int fd, void *p, size_t n, off64_t at) ALIAS(pread64);
ssize_t pwrite(int fd, const void *p, size_t n, off64_t at) ALIAS(pwrite64);
ssize_t preadv(int fd, const struct iovec *v, int n, off64_t at) ALIAS(preadv64);
ssize_t pwritev(int fd, const struct iovec *v, int n, off64_t at) ALIAS(pwritev64);
ssize_t preadv2(int fd, const struct iovec *v, int n, off64_t at, int flags) ALIAS(preadv64v2);
ssize_t pwritev2(int fd, const struct iovec *v, int n, off64_t at, int flags) ALIAS(pwritev64v2);
