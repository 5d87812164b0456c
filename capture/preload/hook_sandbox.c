/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* hook_sandbox.c - programs that take rights from themselves */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "detour.h"
#include "hooks.h"
#include "real.h"
#include "shim/image.h"
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

long through_prctl(long nr, const long *a)
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

long through_seccomp(long nr, const long *a)
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
