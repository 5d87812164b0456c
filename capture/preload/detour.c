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
#define GROUP_MOST 12	/* functions of a group */

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

/* Else their addresses would be relocated at every start of every program. */
#define HIDDEN __attribute__((visibility("hidden")))

#define CANCELLABLE(X)                                                                  \
	X(DETOUR_FILES, read) X(DETOUR_FILES, write) X(DETOUR_FILES, close)             \
	X(DETOUR_PREAD, pread64) X(DETOUR_PREAD, pwrite64) X(DETOUR_SPAWN, wait4)

#define X(group, name)                                                                  \
	__attribute__((used)) static struct tramp tramp_##name IN_DATA;                         \
	__asm__(".text\n"                                                               \
		".balign 16\n"                                                          \
		"tramp_" #name "_cmpb:\n"                                               \
		"	movq tramp_" #name "(%rip), %r11\n"                             \
		"	cmpb $0, (%r11)\n"                                              \
		"	jmp *8+tramp_" #name "(%rip)\n"                                 \
		"tramp_" #name "_mov:\n"                                                \
		"	movq tramp_" #name "(%rip), %r11\n"                             \
		"	movl (%r11), %eax\n"                                            \
		"	jmp *8+tramp_" #name "(%rip)\n"                                 \
		"tramp_" #name "_tcb:\n"                                                \
		"	movl %fs:0x18, %eax\n"                                          \
		"	jmp *8+tramp_" #name "(%rip)\n");                               \
	extern HIDDEN const char tramp_##name##_cmpb[], tramp_##name##_mov[], tramp_##name##_tcb[];
CANCELLABLE(X)
#undef X

/* One function to write over: what runs instead, and what stands for libc's
 * own behaviour then. */
struct detour {
	enum detour_group group;
	enum function f;
	void *hook;
	void *plain;	/* a function of ours that does the same; or else */
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

static long plain_dup2(int fd, int to)
{
	return real_result(sys2(SYS_dup2, fd, to));
}

static long plain_dup3(int fd, int to, int flags)
{
	return real_result(sys3(SYS_dup3, fd, to, flags));
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

static long plain_getdents64(int fd, void *p, size_t n)
{
	return real_result(sys3(SYS_getdents64, fd, p, n));
}

static long plain_close(int fd)
{
	return real_result(sys1(SYS_close, fd));
}

static long plain_open64(const char *path, int flags, mode_t mode)
{
	return real_result(sys4(SYS_openat, -100 /* AT_FDCWD */, path, flags, mode));
}

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
	(void)sys3(SYS_mprotect, from, ((to + 4095) & ~(uintptr_t)4095) - from,
		   PROT_READ | PROT_EXEC);
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

static unsigned char *entry_of(const struct link_map *libc, enum function f)
{
	unsigned char *p = elf_find_in(libc, real_name(f));

	if (!p || (uintptr_t)p & 7)
		return NULL;
	return p;
}

/* Where a function's work begins: compilers for processors with indirect branch
 * tracking put endbr64 in front. The jump replaces that as well. */
static const unsigned char *behind_endbr(const unsigned char *p)
{
	return p[0] == 0xf3 && p[1] == 0x0f && p[2] == 0x1e && p[3] == 0xfa ? p + 4 : p;
}

/* The byte that "cmpb $0, rel(%rip)" at p looks at; NULL when it is something else. */
static const void *compared_byte(const unsigned char *p)
{
	int32_t rel;

	if (p[0] != 0x80 || p[1] != 0x3d || p[6] != 0)
		return NULL;
	__builtin_memcpy(&rel, p + 2, 4);
	return p + 7 + rel;
}

static const void *trampoline_prepare(const struct detour *d, const unsigned char *p)
{
	int32_t rel;

	p = behind_endbr(p);
	if (compared_byte(p)) {
		d->tramp->what = compared_byte(p);
		d->tramp->back = p + 7;
		real_alone = d->tramp->what;
		return d->cmpb;
	}
	if (p[0] == 0x8b && p[1] == 0x05) {
		__builtin_memcpy(&rel, p + 2, 4);
		d->tramp->what = p + 6 + rel;
		d->tramp->back = p + 6;
		return d->mov;
	}
	if (p[0] == 0x64 && p[1] == 0x8b && p[2] == 0x04 && p[3] == 0x25 && p[4] == 0x18 && !p[5]) {
		d->tramp->back = p + 8;
		return d->tcb;
	}
	return NULL;
}

/* The loader calls this empty function whenever its list of objects changes;
 * it is followed by padding up to 16 bytes. */
static int loader_watch(void)
{
	struct r_debug *d = elf_debug();
	unsigned char *p = d ? (unsigned char *)d->r_brk : NULL;

	if (!p || (uintptr_t)p & 15 || *behind_endbr(p) != 0xc3 || p[1] == 0 ||
	    !jump_reaches(p, (void *)loaded_report))
		return -1;
	if (text_unlock((uintptr_t)p, (uintptr_t)p + JUMP_SIZE) < 0)
		return -1;
	jump_write(p, (void *)loaded_report);
	text_lock((uintptr_t)p, (uintptr_t)p + JUMP_SIZE);
	return 0;
}

/* One jump to be written. */
struct jump {
	enum function f;
	unsigned char *entry;
	void *inner;
	const void *hook;
};

static int is_written(const unsigned char *at, const void *hook)
{
	int32_t rel;

	if (at[0] != 0xe9)
		return 0;
	__builtin_memcpy(&rel, at + 1, 4);
	return at + JUMP_SIZE + rel == (const unsigned char *)hook;
}

/* 1 when there is a jump to write, 0 when this libc has no such function, -1
 * when it cannot be done. */
static int jump_plan(const struct detour *d, const struct link_map *libc, struct jump *out)
{
	unsigned char *p = entry_of(libc, d->f);

	*out = (struct jump){ .f = d->f, .entry = p, .inner = d->plain, .hook = d->hook };
	/* a fork in the middle of it leaves the child with half of a group */
	if (p && is_written(p, d->hook)) {
		out->inner = real_inner[d->f];
		return out->inner ? 1 : -1;
	}
	/* which internal copies a libc has differs by version */
	if (!p)
		return real_name(d->f)[0] == '_' ? 0 : -1;
	if (!jump_reaches(p, d->hook) || p[0] == 0xe9)
		return -1;
	if (d->tramp)
		out->inner = (void *)trampoline_prepare(d, p);
	else if (d->f == FN_open64)
		/* is openat64 with the current folder, and libc has both */
		out->inner = elf_find_in(libc, "openat64");
	return out->inner ? 1 : -1;
}

#define PLAIN(X)                                                                        \
	X(DETOUR_FILES, open64, detour_open64, NULL)                                    \
	X(DETOUR_FILES, __read_nocancel, detour_read_nocancel, plain_read)              \
	X(DETOUR_FILES, __write_nocancel, detour_write_nocancel, plain_write)           \
	X(DETOUR_FILES, __close_nocancel, detour_close_nocancel, plain_close)           \
	X(DETOUR_FILES, __open64_nocancel, detour_open64_nocancel, plain_open64)        \
	X(DETOUR_FILES, dup2, detour_dup2, plain_dup2)                                  \
	X(DETOUR_FILES, dup3, detour_dup3, plain_dup3)                                  \
	X(DETOUR_PREAD, __pread64_nocancel, detour_pread64_nocancel, plain_pread64)     \
	X(DETOUR_SPAWN, execve, detour_execve, plain_execve)                            \
	X(DETOUR_UNLINK, unlink, detour_unlink, plain_unlink)                           \
	X(DETOUR_UNLINK, rmdir, detour_rmdir, plain_rmdir)                              \
	X(DETOUR_FOLDER, getdents64, detour_getdents64, plain_getdents64)

/* The detours there are, one at a time: as a table they would be pointers, and
 * every pointer is relocated at every start of every program. */
static int detour_at(enum function f, struct detour *d)
{
	switch (f) {
#define X(group_, name)                                                                       \
	case FN_##name:                                                                       \
		*d = (struct detour){ .group = group_, .f = f, .hook = (void *)detour_##name, \
				      .tramp = &tramp_##name, .cmpb = tramp_##name##_cmpb,    \
				      .mov = tramp_##name##_mov, .tcb = tramp_##name##_tcb }; \
		return 1;
		CANCELLABLE(X)
#undef X
#define X(group_, name, hook_, plain_)                                                  \
	case FN_##name:                                                                 \
		*d = (struct detour){ .group = group_, .f = f, .hook = (void *)hook_,   \
				      .plain = (void *)plain_ };                        \
		return 1;
		PLAIN(X)
#undef X
	default:
		return 0;
	}
}

/* Finds out everything first: a group is written whole or not at all. */
static int group_plan(enum detour_group group, struct jump jumps[GROUP_MOST])
{
	const struct link_map *libc = elf_libc();
	struct detour d;
	int n = 0;

	for (int f = 0; f < FN_DETOURED && libc; f++) {
		int r;

		if (!detour_at((enum function)f, &d) || d.group != group)
			continue;
		r = n < GROUP_MOST ? jump_plan(&d, libc, &jumps[n]) : -1;
		if (r < 0)
			return -1;
		n += r;
	}
	return n;
}

static int group_install(enum detour_group group)
{
	uintptr_t low = UINTPTR_MAX, high = 0;
	struct jump jumps[GROUP_MOST];
	int n = group_plan(group, jumps);

	for (int i = 0; i < n; i++) {
		uintptr_t p = (uintptr_t)jumps[i].entry;

		low = p < low ? p : low;
		high = p > high ? p : high;
	}
	if (n <= 0 || text_unlock(low, high + 8) < 0)
		return -1;
	for (int i = 0; i < n; i++) {
		real_inner[jumps[i].f] = jumps[i].inner;
		jump_write(jumps[i].entry, jumps[i].hook);
		(void)__atomic_fetch_or(&real_detoured, 1u << jumps[i].f, __ATOMIC_RELEASE);
		real_outer[jumps[i].f] = NULL;	/* may have been found by another way */
	}
	text_lock(low, high + 8);
	return 0;
}

void *detour_shortcut(unsigned f, void *p)
{
	struct detour d;

	return detour_at((enum function)f, &d) && is_written(p, d.hook) ? d.hook : p;
}

int detour_is_own(unsigned f, const void *p)
{
	struct detour d;

	if (real_is_detoured((enum function)f) && detour_at((enum function)f, &d) && p == d.hook)
		return 1;
	return compared_byte(behind_endbr(p)) == (const void *)real_alone;
}

/* One thread writes, others wait for what it writes: going on without it, their
 * program would be started unseen. Nobody waits for ever, and a signal handler
 * not at all for the code that it interrupted. */
static int install_begin(void)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	uintptr_t self = (uintptr_t)__builtin_thread_pointer();

	for (int i = 0; i < 3000; i++) {
		uintptr_t who = 0;

		if (__atomic_compare_exchange_n(&image.installing, &who, self, 0, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return 1;
		if (who == self)
			return 0;
		if (i < 100)
			(void)sys0(SYS_sched_yield);
		else	/* it may be waiting for a processor itself */
			(void)sys2(SYS_nanosleep, &pause, NULL);
	}
	return 0;
}

int detour_install(enum detour_group group)
{
	static uint32_t done IN_DATA;
	uint32_t bit = 1u << group;
	int r = 0;

	if (__atomic_load_n(&done, __ATOMIC_ACQUIRE) & bit)
		return 0;
	if (!install_begin())
		return -1;
	if (!(__atomic_load_n(&done, __ATOMIC_ACQUIRE) & bit)) {
		r = group == DETOUR_LOADER ? loader_watch() : group_install(group);
		(void)__atomic_fetch_or(&done, bit, __ATOMIC_ACQ_REL);
	}
	__atomic_store_n(&image.installing, 0, __ATOMIC_RELEASE);
	return r;
}

#else

int detour_is_own(unsigned f, const void *p)
{
	(void)f;
	(void)p;
	return 0;
}

void *detour_shortcut(unsigned f, void *p)
{
	(void)f;
	return p;
}

int detour_install(enum detour_group group)
{
	(void)group;
	return -1;
}

#endif
