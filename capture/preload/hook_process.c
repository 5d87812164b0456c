/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* hook_process.c - children, and how they end */
#include <sys/wait.h>
#include <unistd.h>

#include "hooks.h"
#include "real.h"
#include "shim/image.h"

/* The child begins its image at once, so that it is on record even if it does
 * nothing that we hook; the parent says whom it has forked in case the child
 * cannot. vfork is never wrapped: its child returns through our frame. */
static pid_t forked(pid_t pid)
{
	struct prov_fork *r;

	if (pid == 0) {
		image_forked();
	} else if (pid > 0 && image_ready()) {
		r = record_begin(PROV_FORK, sizeof(*r));
		if (r) {
			r->pid = (uint32_t)pid;
			record_end(r);
		}
	}
	return pid;
}

EXPORT pid_t fork(void)
{
	return forked(NEXT(fork)());
}

EXPORT pid_t _Fork(void)
{
	return forked(NEXT(_Fork)());
}

static void ended(pid_t pid, int status)
{
	struct prov_wait *r;

	if (pid <= 0 || WIFSTOPPED(status) || WIFCONTINUED(status) || !image_ready())
		return;
	r = record_begin(PROV_WAIT, sizeof(*r));
	if (!r)
		return;
	r->pid = (uint32_t)pid;
	r->status = status;
	record_end(r);
}

/* wait, waitpid and wait3 are wait4 inside libc. */
static pid_t wait4_with(pid_t (*inner)(pid_t, int *, int, struct rusage *), pid_t pid, int *status,
			int options, struct rusage *usage)
{
	int own = 0;
	pid_t r = inner(pid, status ? status : &own, options, usage);

	if (r > 0)
		ended(r, status ? *status : own);
	return r;
}

EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	if (real_is_detoured(FN_wait4))
		return NEXT(wait4)(pid, status, options, usage);
	return wait4_with(NEXT(wait4), pid, status, options, usage);
}

pid_t detour_wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	return wait4_with(INNER(wait4), pid, status, options, usage);
}

EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
	if (real_is_detoured(FN_wait4))
		return NEXT(waitpid)(pid, status, options);
	return wait4_with(NEXT(wait4), pid, status, options, NULL);
}

EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
	if (real_is_detoured(FN_wait4))
		return NEXT(wait3)(status, options, usage);
	return wait4_with(NEXT(wait4), -1, status, options, usage);
}

EXPORT pid_t wait(int *status)
{
	if (real_is_detoured(FN_wait4))
		return NEXT(wait)(status);
	return wait4_with(NEXT(wait4), -1, status, 0, NULL);
}

EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	siginfo_t own = { 0 };
	int r;

	if (!info)
		info = &own;
	r = NEXT(waitid)(type, id, info, options);
	if (r != 0 || options & WNOWAIT || info->si_pid <= 0)
		return r;
	if (info->si_code == CLD_EXITED)
		ended(info->si_pid, (info->si_status & 0xff) << 8);
	else if (info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED)
		ended(info->si_pid, info->si_status & 0x7f);
	return r;
}
