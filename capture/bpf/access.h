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
#define REG_NR(r)   GET(r, orig_ax)
#define REG_ARG1(r) GET(r, di)
#define REG_ARG2(r) GET(r, si)
#define REG_ARG3(r) GET(r, dx)
#define REG_ARG4(r) GET(r, r10)
#define REG_ARG5(r) GET(r, r8)
#define TS_COMPAT   2u	/* thread_info.status: in a 32-bit system call */
#define KERNEL_STACK (16u << 10)
#define IS_NARROW(task) (GET(task, thread_info.status) & TS_COMPAT)
#else
#error "registers of this processor are not known yet"
#endif

static __always_inline struct task_struct *current(void)
{
	return AS(struct task_struct, bpf_get_current_task());
}

#endif
