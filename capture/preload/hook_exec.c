/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* hook_exec.c - one image becoming another */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "environ.h"
#include "hooks.h"
#include "real.h"
#include "shim/name.h"
#include "shim/sys.h"
#include "shim/tally.h"
#include "shim/text.h"

#define ARGV_ROOM 3072u	/* of an attempt; the new image reports all of it */

static size_t argv_size(char *const *argv, int *cut)
{
	size_t total = 0;

	for (; argv && *argv; argv++) {
		size_t n = text_size(*argv);

		if (total + n > ARGV_ROOM) {
			*cut = 1;
			break;
		}
		total += n;
	}
	return total;
}

/* The attempt is on record before it is made: afterwards there is no "we" any
 * more. Attempts that cannot succeed (a search through PATH) are not. */
static struct prov_exec *attempt(int dirfd, const char *path, int at_flags, char *const *argv)
{
	struct prov_object o;
	struct prov_exec *r;
	size_t path_size, args;
	int cut = 0;

	if (!image_ready() || object_at(dirfd, path, at_flags, &o) < 0)
		return NULL;
	path_size = text_size(path);
	if (path_size > 4096)
		return NULL;
	args = argv_size(argv, &cut);
	r = record_begin(PROV_EXEC, sizeof(*r) + path_size + args);
	if (!r)
		return NULL;
	r->head.flags = cut ? PROV_CUT : 0;
	r->object = o;
	r->pid = (uint32_t)sys0(SYS_getpid);
	r->path_size = (uint32_t)path_size;
	r->argv_size = (uint32_t)args;
	memcpy(r->text, path, path_size);
	for (size_t at = 0; at < args; argv++) {
		size_t n = text_size(*argv);

		memcpy(r->text + path_size + at, *argv, n);
		at += n;
	}
	record_end(r);
	return r;
}

static void attempt_failed(struct prov_exec *r, void *room)
{
	if (r)
		__atomic_store_n(&r->failed, real_errno(), __ATOMIC_RELEASE);
	scratch_give(room);
}

/* The scratch memory of a vfork child belongs to the parent, who would wait
 * for it for ever if the exec succeeded: such a child gives it back first. The
 * bytes stay as they are until somebody takes it again, and the parent, the
 * only one who could, sleeps. */
static void room_leave(void *room)
{
	if (image.state == IMAGE_ON && !image_is_mine())
		scratch_give(room);
}

struct departure {
	void *room;
	int shared;
	char *const *envp;
	struct prov_exec *record;
};

static void depart(struct departure *d, int dirfd, const char *path, int at_flags,
		   char *const *argv, char *const *envp)
{
	int left_out = 0;

	d->record = attempt(dirfd, path, at_flags, argv);
	d->room = image_ready() ? scratch_take() : NULL;
	d->envp = d->room ? environ_for_exec(envp, d->room, SCRATCH_ROOM, &left_out) : envp;
	d->shared = image.state == IMAGE_ON && !image_is_mine();
	if (d->shared)
		room_leave(d->room);
}

static int stay(struct departure *d, int r)
{
	attempt_failed(d->record, d->shared ? NULL : d->room);
	return r;
}

static int execve_with(int (*inner)(const char *, char *const *, char *const *), const char *path,
		       char *const *argv, char *const *envp)
{
	struct departure d;

	depart(&d, AT_FDCWD, path, 0, argv, envp);
	return stay(&d, inner(path, argv, d.envp));
}

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	if (real_is_detoured(FN_execve))
		return NEXT(execve)(path, argv, envp);
	return execve_with(NEXT(execve), path, argv, envp);
}

int detour_execve(const char *path, char *const argv[], char *const envp[])
{
	return execve_with(INNER(execve), path, argv, envp);
}

EXPORT int execveat(int dirfd, const char *path, char *const argv[], char *const envp[], int flags)
{
	struct departure d;

	depart(&d, dirfd, path, flags & (AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW), argv, envp);
	return stay(&d, NEXT(execveat)(dirfd, path, argv, d.envp, flags));
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	struct departure d;

	depart(&d, fd, "", AT_EMPTY_PATH, argv, envp);
	return stay(&d, NEXT(fexecve)(fd, argv, d.envp));
}

/* syscall(2) lets a program do anything without a name for it. What has a hook
 * goes to the hook; the rest passes. */
EXPORT long syscall(long nr, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	switch (nr) {
	case SYS_read:
		return read((int)a[0], (void *)a[1], (size_t)a[2]);
	case SYS_write:
		return write((int)a[0], (const void *)a[1], (size_t)a[2]);
	case SYS_openat:
		return openat64((int)a[0], (const char *)a[1], (int)a[2], (mode_t)a[3]);
#ifdef SYS_open
	case SYS_open:
		return open64((const char *)a[0], (int)a[1], (mode_t)a[2]);
#endif
	case SYS_close:
		return close((int)a[0]);
	case SYS_execve:
		return execve((const char *)a[0], (char *const *)a[1], (char *const *)a[2]);
	case SYS_openat2: {
		long fd = real_result(sys4(SYS_openat2, a[0], a[1], a[2], a[3]));
		/* struct open_how begins with the 64-bit flags */
		if (fd >= 0)
			tally_open((int)fd, (int)a[0], (const char *)a[1],
				   (int)*(uint64_t *)a[2], 0);
		return fd;
	}
	case SYS_copy_file_range:
		return copy_file_range((int)a[0], (off64_t *)a[1], (int)a[2], (off64_t *)a[3],
				       (size_t)a[4], (unsigned)a[5]);
	case SYS_renameat2:
		return renameat2((int)a[0], (const char *)a[1], (int)a[2], (const char *)a[3],
				 (unsigned)a[4]);
	case SYS_unlinkat:
		return unlinkat((int)a[0], (const char *)a[1], (int)a[2]);
	case SYS_close_range:
		return close_range((unsigned)a[0], (unsigned)a[1], (int)a[2]);
#ifdef SYS_vfork
	case SYS_vfork:
#endif
	case SYS_clone:
	case SYS_clone3:
		image_is_shared();
		return NEXT(syscall)(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	default:
		return NEXT(syscall)(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	}
}
