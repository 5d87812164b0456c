/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* registers.c - what a call of libc must leave alone, and what it happens to */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/uio.h>

#include "must.h"

#if defined(__x86_64__)
struct state {
	unsigned long saved[6];		/* rbx rbp r12 r13 r14 r15 */
	unsigned mxcsr;
	unsigned short x87;
	unsigned char low[16][16];
};

/* Calls f with every register set to what can be told again. */
static long call(void *f, long a, long b, long c, struct state *s)
{
	static const unsigned long seed[6] = { 0x1111, 0x2222, 0x3333, 0x4444, 0x5555, 0x6666 };
	long r;

	__asm__ volatile(
		"push %%rbx; push %%rbp; push %%r12; push %%r13; push %%r14; push %%r15\n\t"
		"push %[s]; push %[seed]\n\t"
		"mov %[f], %%rax\n\t"
		"mov %[seed], %%r10\n\t"
		"mov 0(%%r10), %%rbx; mov 16(%%r10), %%r12; mov 24(%%r10), %%r13\n\t"
		"mov 32(%%r10), %%r14; mov 40(%%r10), %%r15; mov 8(%%r10), %%rbp\n\t"
		"cld\n\t"
		"mov %%rsp, %%r10; and $-64, %%rsp; push %%r10; sub $8, %%rsp\n\t"
		"call *%%rax\n\t"
		"add $8, %%rsp; pop %%rsp\n\t"
		"pop %%r10; pop %%r11\n\t"
		"mov %%rbx, 0(%%r11); mov %%rbp, 8(%%r11); mov %%r12, 16(%%r11)\n\t"
		"mov %%r13, 24(%%r11); mov %%r14, 32(%%r11); mov %%r15, 40(%%r11)\n\t"
		"stmxcsr 48(%%r11); fnstcw 52(%%r11)\n\t"
		"pop %%r15; pop %%r14; pop %%r13; pop %%r12; pop %%rbp; pop %%rbx\n\t"
		: "=a"(r), "+D"(a), "+S"(b), "+d"(c)
		: [f] "r"(f), [seed] "r"(seed), [s] "r"(s)
		: "rcx", "r10", "r11", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
		  "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
		  "xmm14", "xmm15");
	for (int i = 0; i < 6; i++)
		must(s->saved[i] == seed[i]);
	return r;
}

/* Not promised by the ABI, but so with libc alone: vectors survive these calls. */
static int vectors_after(void *f, long a, long b, long c)
{
	static unsigned char in[8][32] __attribute__((aligned(32))),
		out[8][32] __attribute__((aligned(32)));

	register void *function __asm__("rbx") = f, *from __asm__("r12") = in;
	register void *to __asm__("r13") = out;

	memset(in, 0x3c, sizeof(in));
	__asm__ volatile("vmovdqa (%[in]), %%ymm0; vmovdqa (%[in]), %%ymm1\n\t"
			 "vmovdqa (%[in]), %%ymm2; vmovdqa (%[in]), %%ymm3\n\t"
			 "vmovdqa (%[in]), %%ymm4; vmovdqa (%[in]), %%ymm5\n\t"
			 "vmovdqa (%[in]), %%ymm6; vmovdqa (%[in]), %%ymm15\n\t"
			 "push %%rbp; mov %%rsp, %%rbp; sub $128, %%rsp; and $-64, %%rsp\n\t"
			 "call *%[f]\n\t"
			 "mov %%rbp, %%rsp; pop %%rbp\n\t"
			 "vmovdqa %%ymm0, 0(%[out]); vmovdqa %%ymm1, 32(%[out])\n\t"
			 "vmovdqa %%ymm2, 64(%[out]); vmovdqa %%ymm3, 96(%[out])\n\t"
			 "vmovdqa %%ymm4, 128(%[out]); vmovdqa %%ymm5, 160(%[out])\n\t"
			 "vmovdqa %%ymm6, 192(%[out]); vmovdqa %%ymm15, 224(%[out])\n\t"
			 : "+D"(a), "+S"(b), "+d"(c)
			 : [f] "r"(function), [in] "r"(from), [out] "r"(to)
			 : "rax", "rcx", "r8", "r9", "r10", "r11", "memory", "cc", "xmm0", "xmm1",
			   "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm15");
	return memcmp(in, out, sizeof(in)) == 0;
}

int main(void)
{
	struct state s;
	int fd = (int)call((void *)open, (long)"file", O_CREAT | O_RDWR, 0600, &s);
	unsigned mxcsr = s.mxcsr, x87 = s.x87;

	must(fd >= 0);
	for (int i = 0; i < 100; i++) {
		must(call((void *)write, fd, (long)"x", 1, &s) == 1);
		must(call((void *)pread, fd, (long)&s, 0, &s) == 0);
		must(call((void *)rename, (long)"file", (long)"file", 0, &s) == 0);
		must(call((void *)dup, fd, 0, 0, &s) == fd + 1);
		must(call((void *)close, fd + 1, 0, 0, &s) == 0);
		must(s.mxcsr == mxcsr && s.x87 == x87);
	}
	if (!__builtin_cpu_supports("avx2")) {
		puts("no vectors");
		return 0;
	}
	printf("write %d\n", vectors_after((void *)write, fd, (long)"x", 1));
	printf("read %d\n", vectors_after((void *)read, fd, (long)&s, 1));
	printf("open %d\n", vectors_after((void *)open, (long)"other", O_CREAT | O_RDWR, 0600));
	printf("close %d\n", vectors_after((void *)close, fd, 0, 0));
	printf("rename %d\n", vectors_after((void *)rename, (long)"file", (long)"new", 0));
	printf("fresh read %d\n", vectors_after((void *)read, 0, (long)&s, 1));
	return 0;
}
#else
int main(void)
{
	return 0;
}
#endif
