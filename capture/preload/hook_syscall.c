/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* hook_syscall.c - syscall(2), which needs no name for what it does */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hooks.h"
#include "real.h"
#include "shim/image.h"
#include "shim/name.h"
#include "shim/sys.h"
#include "shim/tally.h"
#include "shim/text.h"

static long plainly(long nr, const long *a)
{
	return NEXT(syscall)(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Calls that move bytes, and between which descriptors; -1: none. */
static int moves_bytes(long nr, const long *a, int *from, int *to)
{
	*from = *to = -1;
	switch (nr) {
	case SYS_read:
	case SYS_pread64:
	case SYS_readv:
	case SYS_preadv:
	case SYS_preadv2:
	case SYS_recvfrom:
	case SYS_recvmsg:
		*from = (int)a[0];
		return 1;
	case SYS_write:
	case SYS_pwrite64:
	case SYS_writev:
	case SYS_pwritev:
	case SYS_pwritev2:
	case SYS_vmsplice:
	case SYS_sendto:
	case SYS_sendmsg:
		*to = (int)a[0];
		return 1;
	case SYS_sendfile:
		*from = (int)a[1];
		*to = (int)a[0];
		return 1;
	case SYS_splice:
	case SYS_copy_file_range:
		*from = (int)a[0];
		*to = (int)a[2];
		return 1;
	case SYS_tee:
		*from = (int)a[0];
		*to = (int)a[1];
		return 1;
	default:
		return 0;
	}
}

static long opened(long nr, const long *a, int dirfd, const char *path, int flags)
{
	int64_t born = will_create(dirfd, path, flags);
	long r = plainly(nr, a);

	if (r >= 0)
		tally_open((int)r, dirfd, path, flags, born);
	return r;
}

/* What an argument points to, if it does: a bad pointer is the kernel's to find. */
static int fetched(void *to, long from, size_t n)
{
	struct iovec here = { to, n }, there = { (void *)from, n };

	return sys6(SYS_process_vm_readv, image.pid, &here, 1, &there, 1, 0) == (long)n;
}

/* struct open_how: 64 bits each of flags, mode and resolve. */
static long opened_as(const long *a)
{
	const char *path = (const char *)a[1];
	uint64_t how[3] = { 0 };
	int64_t born = 0;
	long r;
	char c;

	if (image_ready() && fetched(how, a[2], sizeof(how)) && fetched(&c, a[1], 1)) {
		/* below a root of its own the same text means another path */
		path += how[2] & 0x10 /* RESOLVE_IN_ROOT */ && c == '/';
		born = will_create((int)a[0], path, (int)how[0]);
	}
	r = plainly(SYS_openat2, a);
	if (r >= 0)
		tally_open((int)r, (int)a[0], path, (int)*(const uint64_t *)a[2], born);
	return r;
}

static long closed(const long *a)
{
	struct prov_tally *t = tally_detach((int)a[0]);
	long r = plainly(SYS_close, a);

	if (t)
		tally_release(t);
	return r;
}

static long mapped(const long *a)
{
	long r = plainly(SYS_mmap, a);

	if (r != -1 && (int)a[4] >= 0 && !(a[3] & MAP_ANONYMOUS))
		tally_map((int)a[4], (int)a[2], (int)a[3], (uintptr_t)r, (size_t)a[1]);
	return r;
}

static long cloned(long nr, const long *a, uint64_t flags)
{
	long r;

	clone_begin(flags);
	r = plainly(nr, a);
	return flags & CLONE_VM ? r : child_made((pid_t)r);
}

static long waited(long nr, long *a)
{
	siginfo_t own = { 0 };
	int status = 0;
	long r;

	if (nr == SYS_wait4) {
		if (!a[1])
			a[1] = (long)&status;
		r = plainly(nr, a);
		if (r > 0)
			child_ended((pid_t)r, *(int *)a[1]);
		return r;
	}
	if (!a[2])
		a[2] = (long)&own;
	r = plainly(nr, a);
	if (r == 0 && !(a[3] & WNOWAIT))
		child_told((const siginfo_t *)a[2]);
	return r;
}

/*
 * Calls whose function in libc does nothing else: those go to its hook. What
 * is a point of cancellation there is none here, so it does not.
 */
static long by_its_hook(long nr, const long *a, int *done)
{
	const char *p0 = (const char *)a[0], *p1 = (const char *)a[1], *p3 = (const char *)a[3];

	*done = 1;
	switch (nr) {
#ifdef SYS_dup2
	case SYS_dup2:
		return dup2((int)a[0], (int)a[1]);
	case SYS_rename:
		return rename(p0, p1);
	case SYS_link:
		return link(p0, p1);
	case SYS_symlink:
		return symlink(p0, p1);
	case SYS_unlink:
		return unlink(p0);
	case SYS_rmdir:
		return rmdir(p0);
#endif
	case SYS_dup:
		return dup((int)a[0]);
	case SYS_dup3:
		return dup3((int)a[0], (int)a[1], (int)a[2]);
	case SYS_close_range:
		return close_range((unsigned)a[0], (unsigned)a[1], (int)a[2]);
	case SYS_renameat:
		return renameat((int)a[0], p1, (int)a[2], p3);
	case SYS_renameat2:
		return renameat2((int)a[0], p1, (int)a[2], p3, (unsigned)a[4]);
	case SYS_linkat:
		return linkat((int)a[0], p1, (int)a[2], p3, (int)a[4]);
	case SYS_symlinkat:
		return symlinkat(p0, (int)a[1], (const char *)a[2]);
	case SYS_unlinkat:
		return unlinkat((int)a[0], p1, (int)a[2]);
	case SYS_truncate:
		return truncate64(p0, a[1]);
	case SYS_ftruncate:
		return ftruncate64((int)a[0], a[1]);
	case SYS_mprotect:
		return mprotect((void *)a[0], (size_t)a[1], (int)a[2]);
	case SYS_mremap:
		return (long)mremap((void *)a[0], (size_t)a[1], (size_t)a[2], (int)a[3], a[4]);
	case SYS_chdir:
		return chdir(p0);
	case SYS_fchdir:
		return fchdir((int)a[0]);
	case SYS_unshare:
		return unshare((int)a[0]);
	case SYS_execve:
		return execve(p0, (char *const *)a[1], (char *const *)a[2]);
	case SYS_execveat:
		return execveat((int)a[0], p1, (char *const *)a[2], (char *const *)a[3], (int)a[4]);
	default:
		*done = 0;
		return 0;
	}
}

static long with_result(long nr, long *a)
{
	uint64_t flags;
	long r;

	switch (nr) {
	case SYS_openat:
		return opened(nr, a, (int)a[0], (const char *)a[1], (int)a[2]);
#ifdef SYS_open
	case SYS_open:
		return opened(nr, a, AT_FDCWD, (const char *)a[0], (int)a[1]);
	case SYS_creat:
		return opened(nr, a, AT_FDCWD, (const char *)a[0], O_CREAT | O_WRONLY | O_TRUNC);
	case SYS_fork:
		return cloned(nr, a, 0);
	case SYS_vfork:
		return cloned(nr, a, CLONE_VM | CLONE_VFORK);
#endif
	case SYS_openat2:
		return opened_as(a);
	case SYS_close:
		return closed(a);
	case SYS_fcntl:
		/* others lock, and waiting for a lock can be cancelled in libc */
		if (a[1] == F_DUPFD || a[1] == F_DUPFD_CLOEXEC)
			return fcntl64((int)a[0], (int)a[1], a[2]);
		break;
	case SYS_ioctl:
		if (a[1] == (long)FICLONE || a[1] == (long)FICLONERANGE)
			return ioctl((int)a[0], (unsigned long)a[1], a[2]);
		break;
	case SYS_mmap:
		return mapped(a);
	case SYS_fallocate:
		r = plainly(nr, a);
		if (r == 0)
			tally_touch_write((int)a[0]);
		return r;
	case SYS_getdents64:
		r = plainly(nr, a);
		if (r >= 0)
			tally_directory((int)a[0]);
		return r;
	case SYS_clone:
		return cloned(nr, a, (uint64_t)a[0]);
	case SYS_clone3:
		return fetched(&flags, a[0], sizeof(flags)) ? cloned(nr, a, flags) : plainly(nr, a);
	case SYS_wait4:
	case SYS_waitid:
		return waited(nr, a);
	case SYS_prctl:
		return through_prctl(nr, a);
	case SYS_seccomp:
		return through_seccomp(nr, a);
	case SYS_io_setup:
		r = plainly(nr, a);
		if (r == 0)
			not_seen("io_submit", "it moves data by io_submit(2), which is not seen");
		return r;
	case SYS_io_uring_setup:
		r = plainly(nr, a);
		if (r >= 0)
			not_seen("io_uring", "it moves data by io_uring, which is not seen");
		return r;
	default:
		break;
	}
	return plainly(nr, a);
}

/* syscall(2) lets a program do anything without a name for it. */
EXPORT long syscall(long nr, ...)
{
	int from, to, done;
	long a[6], r;
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (moves_bytes(nr, a, &from, &to)) {
		struct transfer t = transfer_before(from, to);

		return transfer_after(t, plainly(nr, a));
	}
	r = by_its_hook(nr, a, &done);
	return done ? r : with_result(nr, a);
}
