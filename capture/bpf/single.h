/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Copyright the prov authors */
#ifndef BPF_SINGLE_H
#define BPF_SINGLE_H
#include "call.h"
/*
 * A program for each call that is of interest, so that all others pay less, or nothing.
 *
 * Where the kernel lets functions be left through a program (fexit), each such call is
 * hooked by itself and no other is touched: open_* and data_*. Elsewhere the
 * tracepoints of single calls cost all others the kernel's slower way in, and
 * themselves more than the program that hooks every call: they are the set for when
 * nobody wants reads and writes (coarse_*).
 */
#define OPENING(X)        \
	X(open) X(openat) X(openat2) X(creat) X(open_by_handle_at) X(memfd_create) X(close) \
	X(mmap) X(getdents) X(getdents64) X(ftruncate) X(fallocate) X(truncate) X(dup) X(dup2) \
	X(dup3) X(fcntl) X(ioctl)

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

/* Not static, see slot_begin(). regs 0: they are to be found. */
__noinline int call_over(uint64_t regs, uint64_t nr, long ret)
{
	struct kernel_thread *t = thread_of((uint32_t)bpf_get_current_pid_tgid());
	struct call c = {};
	uint64_t low;

	if (!t || t->flags & KERNEL_LAUNCHER)
		return 0;
	if (regs)
		c.regs = AS(struct pt_regs, regs);
	else
		c.regs = caller(current());
	c.narrow = call_is_narrow(current());
	low = call_time(t);
	if (!(ret < 0 && ret > -4096))
		on_other(t, &c, nr, ret, low);
	t->turn++;
	return 0;
}

/* 1: it was one that reads or writes. */
__noinline int data_over(uint64_t regs, uint64_t nr, long ret)
{
	struct kernel_thread *t = thread_of((uint32_t)bpf_get_current_pid_tgid());
	struct call c = { .regs = AS(struct pt_regs, regs) };

	if (!t || t->flags & KERNEL_LAUNCHER)
		return 1;
	c.narrow = call_is_narrow(current());
	if (!on_data(t, &c, nr, ret, call_time(t)))
		return 0;
	t->turn++;
	return 1;
}

#define X(name)                                                                        \
	SEC("tracepoint/syscalls/sys_exit_" #name)                                     \
	int coarse_##name(struct call_exit *ctx)                                       \
	{                                                                              \
		return call_over(0, __NR_##name, ctx->ret);                            \
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

/* The first argument of a function that is left: as a number, see slot_begin(); its
 * type is known, so what stands in ctx is a pointer. */
static __always_inline uint64_t first_of(void *ctx)
{
	uint64_t first = 0;

#ifdef PROV_CAST
	bpf_get_func_arg(ctx, 0, &first);
#else
	bpf_probe_read_kernel(&first, sizeof(first), ctx);
#endif
	return first;
}

/* The function that a call is in the kernel: its registers, its result. */
#define ENTRY(set, name, function, over)                                       \
	SEC("fexit/" SYSCALL_PREFIX #function)                                 \
	int set##_##name(uint64_t *ctx)                                        \
	{                                                                      \
		return over(first_of(ctx), __NR_##name, (long)ctx[1]);         \
	}
#define X(name) ENTRY(open, name, name, call_over)
OPENING(X)
NAMING(X)
X(io_submit)
X(io_uring_setup)
#undef X
#define X(name) ENTRY(data, name, name, data_over)
X(read) X(pread64) X(readv) X(preadv) X(preadv2) X(recvfrom) X(recvmsg)
X(write) X(pwrite64) X(writev) X(pwritev) X(pwritev2) X(sendto) X(sendmsg)
X(copy_file_range) X(splice) X(tee) X(vmsplice)
#undef X
ENTRY(data, sendfile, sendfile64, data_over)

#endif
