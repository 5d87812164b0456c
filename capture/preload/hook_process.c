/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* hook_process.c - children, and how they end */
#include <sched.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hooks.h"
#include "real.h"
#include "shim/tables.h"
#include "shim/text.h"

/* The child begins its image at once, so that it is on record even if it does
 * nothing that we hook; the parent says whom it has forked in case the child
 * cannot. vfork is never wrapped: its child returns through our frame. */
pid_t child_made(pid_t pid)
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
	return child_made(NEXT(fork)());
}

EXPORT pid_t _Fork(void)
{
	return child_made(NEXT(_Fork)());
}

void clone_begin(uint64_t flags)
{
	if (!(flags & CLONE_VM))
		return;
	if (!(flags & CLONE_VFORK))
		tally_crowded();
	if (!(flags & CLONE_THREAD))
		image_is_shared();
	/* a child that our parent waits for has its own table (tables.h); two
	 * that run at once and share all, or two processes with one table */
	if (flags & CLONE_FILES ? !(flags & CLONE_THREAD) : !(flags & CLONE_VFORK))
		tables_split();
}

/* What a child begins with, on the stack that was given for it. */
struct beginning {
	int (*run)(void *);
	void *arg;
};

static int begin_child(void *p)
{
	struct beginning b = *(struct beginning *)p;

	(void)child_made(0);
	return b.run(b.arg);
}

EXPORT int clone(int (*run)(void *), void *stack, int flags, void *arg, ...)
{
	struct beginning *b = stack;
	void *more[3];
	va_list ap;

	va_start(ap, arg);
	for (int i = 0; i < 3; i++)
		more[i] = va_arg(ap, void *);
	va_end(ap);
	clone_begin((uint64_t)(unsigned)flags);
	if (!run || !stack || flags & CLONE_VM)
		return NEXT(clone)(run, stack, flags, arg, more[0], more[1], more[2]);
	b = (struct beginning *)(((uintptr_t)stack & ~(uintptr_t)15) - sizeof(*b));
	*b = (struct beginning){ run, arg };
	return child_made(NEXT(clone)(begin_child, b, flags, b, more[0], more[1], more[2]));
}

EXPORT int unshare(int flags)
{
	int r = NEXT(unshare)(flags);

	if (r == 0 && flags & CLONE_FILES && !*(const volatile char *)tally_alone)
		tables_split();
	/* what a path means may have changed */
	__atomic_add_fetch(&image.names, 1, __ATOMIC_RELAXED);
	return r;
}

void not_seen(const char *kind, const char *why)
{
	size_t kind_size = text_size(kind), why_size = text_size(why);
	struct prov_hole *h = NULL;

	if (image_ready())
		h = record_begin(PROV_HOLE, sizeof(*h) + kind_size + why_size);
	if (!h)
		return;
	h->kind_size = (uint32_t)kind_size;
	h->why_size = (uint32_t)why_size;
	memcpy(h->text, kind, kind_size);
	memcpy(h->text + kind_size, why, why_size);
	record_end(h);
}

void child_ended(pid_t pid, int status)
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
	if (image.foreigns)
		foreign_gone((uint32_t)pid);
}

/* wait, waitpid and wait3 are wait4 inside libc. */
static pid_t wait4_with(pid_t (*inner)(pid_t, int *, int, struct rusage *), pid_t pid, int *status,
			int options, struct rusage *usage)
{
	int own = 0;
	pid_t r = inner(pid, status ? status : &own, options, usage);

	if (r > 0)
		child_ended(r, status ? *status : own);
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

void child_told(const siginfo_t *info)
{
	if (info->si_pid <= 0)
		return;
	if (info->si_code == CLD_EXITED)
		child_ended(info->si_pid, (info->si_status & 0xff) << 8);
	else if (info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED)
		child_ended(info->si_pid, info->si_status & 0x7f);
}

EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	siginfo_t own = { 0 };
	int r;

	if (!info)
		info = &own;
	r = NEXT(waitid)(type, id, info, options);
	if (r == 0 && !(options & WNOWAIT))
		child_told(info);
	return r;
}
