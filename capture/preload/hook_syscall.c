/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* hook_syscall.c - syscall(2), which needs no name for what it does, and sandboxes */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "detour.h"
#include "real.h"
#include "shim/image.h"
#include "shim/sys.h"
#include "shim/tally.h"
#include "shim/text.h"

/*
 * Can a filter be the death of a system call of ours? Filters that only let
 * pass, refuse, log or stop for a tracer (strace --seccomp-bpf) cannot. Only
 * after the kernel has accepted the filter: it is then known to be readable.
 */
static int filter_kills(const struct sock_fprog *f)
{
	for (unsigned i = 0; i < f->len; i++) {
		const struct sock_filter *in = &f->filter[i];

		if (BPF_CLASS(in->code) != BPF_RET)
			continue;
		if (BPF_RVAL(in->code) != BPF_K)
			return 1;
		switch (in->k & SECCOMP_RET_ACTION_FULL) {
		case SECCOMP_RET_ALLOW:
		case SECCOMP_RET_LOG:
		case SECCOMP_RET_TRACE:
		case SECCOMP_RET_ERRNO:
			break;
		default:
			return 1;
		}
	}
	return 0;
}

/* Inside a sandbox that kills, nothing is asked of the kernel any more: what
 * was open goes on being counted in memory, nothing else is recorded. */
static long sandboxed(long nr, const long *a, const struct sock_fprog *filter)
{
	static const char kind[] = "sandbox";
	static const char why[] =
		"it has put itself into a sandbox (seccomp); later opens are not recorded";
	struct prov_hole *h;
	long r;

	if (image_ready())
		for (int fd = 0; fd < 16; fd++)
			(void)tally_of(fd);
	r = NEXT(syscall)(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (r < 0 || (filter && !filter_kills(filter)))
		return r;
	image_seal();
	h = record_begin(PROV_HOLE, sizeof(*h) + sizeof(kind) + sizeof(why));
	if (h) {
		h->kind_size = sizeof(kind);
		h->why_size = sizeof(why);
		memcpy(h->text, kind, sizeof(kind));
		memcpy(h->text + sizeof(kind), why, sizeof(why));
		record_end(h);
	}
	return r;
}

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65	/* Linux 6.3: memory once writable can never be executed */
#endif

static long through_prctl(long nr, const long *a)
{
	/* the last moment for detours that would be written when needed */
	if (a[0] == PR_SET_MDWE && image_ready() && !(session.start_flags & PROV_STDIO_BLIND))
		for (int group = DETOUR_SPAWN; group <= DETOUR_LOADER; group++)
			(void)detour_install((enum detour_group)group);
	if (a[0] == PR_SET_TSC && (a[1] & PR_TSC_SIGSEGV))
		now_without_counter();
	if (a[0] != PR_SET_SECCOMP)
		return NEXT(syscall)(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	return sandboxed(nr, a, a[1] == SECCOMP_MODE_FILTER ? (const void *)a[2] : NULL);
}

static long through_seccomp(long nr, const long *a)
{
	if (a[0] != SECCOMP_SET_MODE_STRICT && a[0] != SECCOMP_SET_MODE_FILTER)
		return NEXT(syscall)(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	return sandboxed(nr, a, a[0] == SECCOMP_SET_MODE_FILTER ? (const void *)a[2] : NULL);
}

EXPORT int prctl(int option, ...)
{
	long a[6] = { option };
	va_list ap;

	va_start(ap, option);
	for (int i = 1; i < 5; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (option != PR_SET_SECCOMP && option != PR_SET_MDWE && option != PR_SET_TSC)
		return NEXT(prctl)(option, a[1], a[2], a[3], a[4]);
	return (int)through_prctl(SYS_prctl, a);
}

/* syscall(2) lets a program do anything without a name for it. What has a hook
 * goes to the hook, unless the function is a point of cancellation, which
 * syscall(2) is not; the rest passes. */
EXPORT long syscall(long nr, ...)
{
	struct prov_tally *closing;
	struct held t;
	long a[6], r;
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	switch (nr) {
	case SYS_read:
		t = tally_before_read((int)a[0]);
		r = NEXT(syscall)(nr, a[0], a[1], a[2]);
		tally_after_read(t, r);
		return r;
	case SYS_write:
		t = tally_before_write((int)a[0]);
		r = NEXT(syscall)(nr, a[0], a[1], a[2]);
		tally_after_write(t, r);
		return r;
	case SYS_openat:
		r = NEXT(syscall)(nr, a[0], a[1], a[2], a[3]);
		if (r >= 0)
			tally_open((int)r, (int)a[0], (const char *)a[1], (int)a[2],
				   (a[2] & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL));
		return r;
#ifdef SYS_open
	case SYS_open:
		r = NEXT(syscall)(nr, a[0], a[1], a[2]);
		if (r >= 0)
			tally_open((int)r, AT_FDCWD, (const char *)a[0], (int)a[1],
				   (a[1] & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL));
		return r;
#endif
	case SYS_close:
		closing = tally_detach((int)a[0]);
		r = NEXT(syscall)(nr, a[0]);
		if (closing)
			tally_release(closing);
		return r;
	case SYS_dup2:
	case SYS_dup3:
		r = NEXT(syscall)(nr, a[0], a[1], a[2]);
		if (r >= 0 && a[0] != a[1])
			tally_duplicate((int)a[0], (int)a[1]);
		return r;
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
#ifdef SYS_seccomp
	case SYS_seccomp:
		return through_seccomp(nr, a);
#endif
	case SYS_prctl:
		return through_prctl(nr, a);
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
