/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Copyright the prov authors */
#ifndef BPF_COARSE_H
#define BPF_COARSE_H
#include "call.h"
/*
 * The set for when nobody wants reads and writes: a program for each call that opens,
 * closes or names, so that all others pay only for the kernel's slower way in. A
 * program that hooks every call would cost them twice that.
 */
#define OPENING(X)        \
	X(open) X(openat) X(openat2) X(creat) X(open_by_handle_at) X(memfd_create) X(close) \
	X(mmap) X(getdents) X(getdents64) X(ftruncate) X(fallocate) X(truncate) X(dup) X(dup2) \
	X(dup3) X(fcntl)

#define NAMING(X)         \
	X(rename) X(renameat) X(renameat2) X(link) X(linkat) X(symlink) X(symlinkat) X(unlink) \
	X(unlinkat) X(rmdir)

struct call_exit {	/* events/syscalls of tracefs */
	uint64_t common;
	int64_t nr;
	long ret;
};

/* Where the registers of the caller lie. */
static __always_inline struct pt_regs *caller(struct task_struct *task)
{
#ifdef PROV_CAST
	return AS(struct pt_regs, bpf_task_pt_regs(bpf_get_current_task_btf()));
#else
	return AS(struct pt_regs, ADDRESS(GET(task, stack)) + KERNEL_STACK - REGS_SIZE);
#endif
}

static __noinline int coarse_call(struct kernel_thread *t, uint64_t nr, long ret)
{
	struct task_struct *task = current();
	struct call c = { .regs = caller(task) };
	uint64_t low;

	if (!t)
		return 0;
	low = call_time(t);
	if (!(ret < 0 && ret > -4096))
		on_other(t, &c, nr, ret, low);
	t->turn++;
	return 0;
}

#define X(name)                                                                        \
	SEC("tracepoint/syscalls/sys_exit_" #name)                                     \
	int coarse_##name(struct call_exit *ctx)                                       \
	{                                                                              \
		struct kernel_thread *t = thread_of((uint32_t)bpf_get_current_pid_tgid()); \
		if (t && !(t->flags & KERNEL_LAUNCHER))                                \
			coarse_call(t, __NR_##name, ctx->ret);                         \
		return 0;                                                              \
	}
OPENING(X)
NAMING(X)
#undef X

/* What was touched before is not this call's doing. */
#define X(name)                                                                        \
	SEC("tracepoint/syscalls/sys_enter_" #name)                                    \
	int coarse_enter_##name(void *ctx)                                             \
	{                                                                              \
		struct kernel_thread *t = thread_of((uint32_t)bpf_get_current_pid_tgid()); \
		if (t)                                                                 \
			t->turn++;                                                     \
		return 0;                                                              \
	}
NAMING(X)
X(truncate)
#undef X

#endif
