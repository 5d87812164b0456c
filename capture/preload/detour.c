/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* detour.c - jumps written over libc's own entry points */
#include "detour.h"

#include <stddef.h>
#include <sys/mman.h>

#include "hooks.h"
#include "real.h"
#include "shim/elf.h"
#include "shim/image.h"
#include "shim/sys.h"
#include "shim/text.h"

#if defined(__x86_64__)

#define JUMP_SIZE 5u	/* e9 rel32 */

/*
 * What a cancellable entry point begins with, all of them a look at "is this
 * process single-threaded?":
 *
 *	80 3d rel32 00			cmpb $0, rel(%rip)	glibc 2.34 and later
 *	8b 05 rel32			mov rel(%rip), %eax	glibc up to 2.33, shared
 *	64 8b 04 25 18 00 00 00		mov %fs:0x18, %eax	glibc up to 2.33, in libpthread
 *
 * A trampoline does the same with the address from its slot, then continues
 * behind the instruction. At a function's entry %r11 is free by the ABI.
 */
struct tramp {
	const void *what;	/* address the overwritten instruction looked at */
	const void *back;	/* the instruction after it */
};

#define CANCELLABLE(X) X(read) X(write) X(pread64) X(pwrite64) X(readv) X(writev) X(close) X(wait4)

#define X(name)                                                                                     \
	__attribute__((used)) static struct tramp tramp_##name;                                     \
	__asm__(".text\n"                                                                           \
		".balign 16\n"                                                                      \
		"tramp_" #name "_cmpb:\n"                                                           \
		"	movq tramp_" #name "(%rip), %r11\n"                                         \
		"	cmpb $0, (%r11)\n"                                                          \
		"	jmp *8+tramp_" #name "(%rip)\n"                                             \
		"tramp_" #name "_mov:\n"                                                            \
		"	movq tramp_" #name "(%rip), %r11\n"                                         \
		"	movl (%r11), %eax\n"                                                        \
		"	jmp *8+tramp_" #name "(%rip)\n"                                             \
		"tramp_" #name "_tcb:\n"                                                            \
		"	movl %fs:0x18, %eax\n"                                                      \
		"	jmp *8+tramp_" #name "(%rip)\n");                                           \
	extern const char tramp_##name##_cmpb[], tramp_##name##_mov[], tramp_##name##_tcb[];
CANCELLABLE(X)
#undef X

struct cancellable {
	enum function f;
	void *hook;
	struct tramp *tramp;
	const void *cmpb, *mov, *tcb;
};

/* libc's functions that are a system call and nothing else. */
static long plain_execve(const char *path, char *const *argv, char *const *envp)
{
	return real_result(sys3(SYS_execve, path, argv, envp));
}

static long plain_unlink(const char *path)
{
	return real_result(sys1(SYS_unlink, path));
}

static long plain_rmdir(const char *path)
{
	return real_result(sys1(SYS_rmdir, path));
}

static long plain_mmap64(void *at, size_t size, int prot, int flags, int fd, off64_t offset)
{
	return real_result(sys6(SYS_mmap, at, size, prot, flags, fd, offset));
}

static long plain_getdents64(int fd, void *p, size_t n)
{
	return real_result(sys3(SYS_getdents64, fd, p, n > 0x7fffffff ? 0x7fffffff : n));
}

static long plain_read(int fd, void *p, size_t n)
{
	return real_result(sys3(SYS_read, fd, p, n));
}

static long plain_write(int fd, const void *p, size_t n)
{
	return real_result(sys3(SYS_write, fd, p, n));
}

static long plain_pread64(int fd, void *p, size_t n, off64_t at)
{
	return real_result(sys4(SYS_pread64, fd, p, n, at));
}

static long plain_close(int fd)
{
	return real_result(sys1(SYS_close, fd));
}

static long plain_open64(const char *path, int flags, mode_t mode)
{
	return real_result(sys4(SYS_openat, -100 /* AT_FDCWD */, path, flags, mode));
}

static long plain_openat64(int dirfd, const char *path, int flags, mode_t mode)
{
	return real_result(sys4(SYS_openat, dirfd, path, flags, mode));
}

struct plain {
	enum function f;
	void *hook;
	void *inner;
};

/* Readable, writable and executable for as long as it takes: other code of
 * these pages may run meanwhile, in a signal handler. */
static int text_unlock(uintptr_t from, uintptr_t to)
{
	from &= ~(uintptr_t)4095;
	return (int)sys3(SYS_mprotect, from, ((to + 4095) & ~(uintptr_t)4095) - from,
			 PROT_READ | PROT_WRITE | PROT_EXEC);
}

static void text_lock(uintptr_t from, uintptr_t to)
{
	from &= ~(uintptr_t)4095;
	(void)sys3(SYS_mprotect, from, ((to + 4095) & ~(uintptr_t)4095) - from, PROT_READ | PROT_EXEC);
}

static int jump_reaches(const void *from, const void *to)
{
	intptr_t distance = (intptr_t)to - ((intptr_t)from + (intptr_t)JUMP_SIZE);

	return distance == (int32_t)distance;
}

/* Entry points are 16-byte aligned, so the jump lies within one word and one
 * store makes it appear whole. */
static void jump_write(unsigned char *at, const void *to)
{
	uint64_t word;
	int32_t rel = (int32_t)((intptr_t)to - ((intptr_t)at + (intptr_t)JUMP_SIZE));

	__builtin_memcpy(&word, at, 8);
	word &= ~UINT64_C(0xffffffffff);
	word |= UINT64_C(0xe9) | (uint64_t)(uint32_t)rel << 8;
	__atomic_store_n((uint64_t *)at, word, __ATOMIC_SEQ_CST);
}

/* A leading endbr64 stays where it is. */
static unsigned char *entry_of(const struct link_map *libc, enum function f)
{
	unsigned char *p = elf_find_in(libc, real_table[f].name);

	if (!p || (uintptr_t)p & 7)
		return NULL;
	return p;
}

static const void *cancellable_prepare(const struct cancellable *c, const unsigned char *p)
{
	int32_t rel;

	if (p[0] == 0x80 && p[1] == 0x3d && p[6] == 0) {
		__builtin_memcpy(&rel, p + 2, 4);
		c->tramp->what = p + 7 + rel;
		c->tramp->back = p + 7;
		return c->cmpb;
	}
	if (p[0] == 0x8b && p[1] == 0x05) {
		__builtin_memcpy(&rel, p + 2, 4);
		c->tramp->what = p + 6 + rel;
		c->tramp->back = p + 6;
		return c->mov;
	}
	if (p[0] == 0x64 && p[1] == 0x8b && p[2] == 0x04 && p[3] == 0x25 && p[4] == 0x18 && !p[5]) {
		c->tramp->back = p + 8;
		return c->tcb;
	}
	return NULL;
}

/* The loader calls this empty function whenever its list of objects changes;
 * it is followed by padding up to 16 bytes. */
static void loader_watch(void)
{
	struct r_debug *d = elf_debug();
	unsigned char *p = d ? (unsigned char *)d->r_brk : NULL;

	if (!p || (uintptr_t)p & 15 || p[0] != 0xc3 || p[1] == 0 || !jump_reaches(p, (void *)loaded_report))
		return;
	if (text_unlock((uintptr_t)p, (uintptr_t)p + JUMP_SIZE) < 0)
		return;
	jump_write(p, (void *)loaded_report);
	text_lock((uintptr_t)p, (uintptr_t)p + JUMP_SIZE);
}

int detour_install(void)
{
#define X(name)                                                                                     \
	{ FN_##name, (void *)detour_##name, &tramp_##name, tramp_##name##_cmpb, tramp_##name##_mov, \
	  tramp_##name##_tcb },
	const struct cancellable cancellable[] = { CANCELLABLE(X) };
#undef X
	const struct plain plain[] = {
		{ FN_execve, (void *)detour_execve, (void *)plain_execve },
		{ FN_unlink, (void *)detour_unlink, (void *)plain_unlink },
		{ FN_rmdir, (void *)detour_rmdir, (void *)plain_rmdir },
		{ FN_mmap64, (void *)detour_mmap64, (void *)plain_mmap64 },
		{ FN_getdents64, (void *)detour_getdents64, (void *)plain_getdents64 },
		{ FN___read_nocancel, (void *)detour_read_nocancel, (void *)plain_read },
		{ FN___write_nocancel, (void *)detour_write_nocancel, (void *)plain_write },
		{ FN___pread64_nocancel, (void *)detour_pread64_nocancel, (void *)plain_pread64 },
		{ FN___close_nocancel, (void *)detour_close_nocancel, (void *)plain_close },
		{ FN___open64_nocancel, (void *)detour_open64_nocancel, (void *)plain_open64 },
		{ FN___openat64_nocancel, (void *)detour_openat64_nocancel, (void *)plain_openat64 },
		{ FN_open64, (void *)detour_open64, NULL },
	};
	enum { N_C = sizeof(cancellable) / sizeof(cancellable[0]), N_P = sizeof(plain) / sizeof(plain[0]) };
	const struct link_map *libc = elf_libc();
	unsigned char *entry_c[N_C], *entry_p[N_P];
	const void *inner[N_C];
	uintptr_t low = UINTPTR_MAX, high = 0;

	if (!libc)
		return 0;
	for (int i = 0; i < N_C; i++) {
		unsigned char *p = entry_of(libc, cancellable[i].f);

		inner[i] = p ? cancellable_prepare(&cancellable[i], p) : NULL;
		if (!inner[i] || !jump_reaches(p, cancellable[i].hook))
			return 0;
		entry_c[i] = p;
		low = (uintptr_t)p < low ? (uintptr_t)p : low;
		high = (uintptr_t)p > high ? (uintptr_t)p : high;
	}
	for (int i = 0; i < N_P; i++) {
		entry_p[i] = entry_of(libc, plain[i].f);
		/* which internal copies a libc has differs by version */
		if (!entry_p[i] && real_table[plain[i].f].name[0] == '_')
			continue;
		if (!entry_p[i] || !jump_reaches(entry_p[i], plain[i].hook) || entry_p[i][0] == 0xe9)
			return 0;
		low = (uintptr_t)entry_p[i] < low ? (uintptr_t)entry_p[i] : low;
		high = (uintptr_t)entry_p[i] > high ? (uintptr_t)entry_p[i] : high;
	}
	if (text_unlock(low, high + 8) < 0)
		return 0;
	for (int i = 0; i < N_C; i++) {
		struct real *r = &real_table[cancellable[i].f];

		*r = (struct real){ r->name, NULL, (void *)inner[i], entry_c[i], cancellable[i].hook };
		jump_write(entry_c[i], cancellable[i].hook);
	}
	for (int i = 0; i < N_P; i++) {
		struct real *r = &real_table[plain[i].f];
		/* open64 is openat64 with the current folder, and libc has both */
		void *as = plain[i].inner ? plain[i].inner : elf_find_in(libc, "openat64");

		if (!entry_p[i])
			continue;
		*r = (struct real){ r->name, NULL, as, entry_p[i], plain[i].hook };
		jump_write(entry_p[i], plain[i].hook);
	}
	text_lock(low, high + 8);
	loader_watch();
	return 1;
}

#else

int detour_install(void)
{
	return 0;
}

#endif
