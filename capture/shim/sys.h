/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef SHIM_SYS_H
#define SHIM_SYS_H
#include <stdint.h>
#include <sys/syscall.h>
/*
 * System calls without libc: they touch neither errno nor a cancellation
 * point. All return the result or a negative errno. The only place that knows
 * the processor's calling convention.
 */
#if defined(__x86_64__)
static inline long sys_call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}
#elif defined(__aarch64__)
static inline long sys_call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#else
#error "no system call convention for this processor"
#endif

#define sys0(nr)		sys_call(nr, 0, 0, 0, 0, 0, 0)
#define sys1(nr, a)		sys_call(nr, (long)(a), 0, 0, 0, 0, 0)
#define sys2(nr, a, b)		sys_call(nr, (long)(a), (long)(b), 0, 0, 0, 0)
#define sys3(nr, a, b, c)	sys_call(nr, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define sys4(nr, a, b, c, d)	sys_call(nr, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define sys5(nr, a, b, c, d, e) \
	sys_call(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define sys6(nr, a, b, c, d, e, f) \
	sys_call(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* A result that mmap(2) and its like return for an error. */
static inline int sys_failed(long r)
{
	return (unsigned long)r >= (unsigned long)-4095;
}
#endif
