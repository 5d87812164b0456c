/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Copyright the prov authors */
#ifndef BPF_ACCESS_H
#define BPF_ACCESS_H
#include "types.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
/*
 * How the kernel's memory is read. Since Linux 6.2 a pointer can be given its
 * type (bpf_rdonly_cast) and be followed by plain loads, which cost next to
 * nothing and read 0 where there is no memory. Before, each field is a call of a
 * helper. The same source is built for both.
 */
#ifdef PROV_CAST
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym;
#define AS(type, p) ((type *)bpf_rdonly_cast((const void *)(unsigned long)(p), \
					     bpf_core_type_id_kernel(type)))
#define GET(p, field) ((p)->field)
#define GET2(p, first, field) ((p)->first->field)
#else
#define AS(type, p)   ((type *)(unsigned long)(p))
#define GET(p, field)                             \
	({                                        \
		__typeof__(p) p_ = (p);           \
		BPF_CORE_READ(p_, field);         \
	})
#define GET2(p, first, field) BPF_CORE_READ(p, first, field)
#endif

#define ADDRESS(p) ((uint64_t)(unsigned long)(p))
#define OFFSET(type, field) bpf_core_field_offset(type, field)

/* ---- registers, the only place that knows the processor ---- */
#if defined(__TARGET_ARCH_x86)
/* As arch/x86/include/asm/ptrace.h has it, which is part of the ABI. */
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip,
		cs, flags, sp, ss;
} CORE;
#define SYSCALL_PREFIX "__x64_sys_"	/* functions of system calls, given registers */
#define TS_COMPAT 2u	/* thread_info.status: in a 32-bit system call */

#define KERNEL_STACK (16u << 10)
#define REGS_SIZE    168u	/* of struct pt_regs, at the top of the stack */

/* A system call that is over. 32-bit programs have other numbers, and their
 * arguments in other registers. */
struct call {
	struct pt_regs *regs;
	uint32_t narrow;
};

#define ARG(n, wide, small)                                                     \
	static __always_inline uint64_t arg##n(const struct call *c)            \
	{                                                                       \
		struct pt_regs *regs = c->regs;                                 \
		return c->narrow ? (uint32_t)GET(regs, small) : GET(regs, wide); \
	}
ARG(1, di, bx)
ARG(2, si, cx)
ARG(3, dx, dx)
ARG(4, r10, si)
ARG(5, r8, di)

static __always_inline uint64_t call_nr(const struct call *c)
{
	struct pt_regs *regs = c->regs;

	return GET(regs, orig_ax);
}

static __always_inline uint32_t call_is_narrow(struct task_struct *task)
{
	return GET(task, thread_info.status) & TS_COMPAT;
}
#else
#error "registers of this processor are not known yet"
#endif

static __always_inline struct task_struct *current(void)
{
	return AS(struct task_struct, bpf_get_current_task());
}

/* Of the current thread: by a load where that is cheaper than a helper. */
static __always_inline uint32_t task_tid(struct task_struct *task)
{
#ifdef PROV_CAST
	return (uint32_t)task->pid;
#else
	return (uint32_t)bpf_get_current_pid_tgid();
#endif
}

#endif
