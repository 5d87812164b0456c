/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* late.c - functions that lead to parts of libc that are detoured when needed */
#include "detour.h"
#include "real.h"
#include "shim/image.h"
#include "shim/text.h"

/*
 * Each export below is a few instructions that keep every argument register,
 * see to the detours, and jump on: the caller's return address stays what it
 * was, which dlopen(3) looks at, and variadic arguments pass untouched.
 */
#define LATE(X)                                                                         \
	X(DETOUR_SPAWN, execl) X(DETOUR_SPAWN, execle) X(DETOUR_SPAWN, execlp)          \
	X(DETOUR_SPAWN, execv) X(DETOUR_SPAWN, execvp) X(DETOUR_SPAWN, execvpe)         \
	X(DETOUR_SPAWN, posix_spawn) X(DETOUR_SPAWN, posix_spawnp)                      \
	X(DETOUR_SPAWN, system) X(DETOUR_SPAWN, popen) X(DETOUR_SPAWN, wordexp)         \
	X(DETOUR_UNLINK, shm_unlink) X(DETOUR_UNLINK, sem_unlink)                       \
	X(DETOUR_UNLINK, tmpfile) X(DETOUR_UNLINK, tmpfile64)                           \
	X(DETOUR_FOLDER, fdopendir) X(DETOUR_FOLDER, scandirat)                         \
	X(DETOUR_FOLDER, scandirat64) X(DETOUR_FOLDER, ftw) X(DETOUR_FOLDER, ftw64)     \
	X(DETOUR_FOLDER, nftw) X(DETOUR_FOLDER, nftw64)                                 \
	X(DETOUR_PREAD, aio_read) X(DETOUR_PREAD, aio_read64)                           \
	X(DETOUR_PREAD, aio_write) X(DETOUR_PREAD, aio_write64)                         \
	X(DETOUR_PREAD, lio_listio) X(DETOUR_PREAD, lio_listio64)                       \
	X(DETOUR_LOADER, dlopen) X(DETOUR_LOADER, dlmopen)                              \
	X(DETOUR_LOADER, pthread_exit) X(DETOUR_LOADER, pthread_cancel)                 \
	X(DETOUR_LOADER, backtrace) X(DETOUR_LOADER, iconv_open)                        \
	X(DETOUR_LOADER, getpwnam) X(DETOUR_LOADER, getpwuid)                           \
	X(DETOUR_LOADER, getpwnam_r) X(DETOUR_LOADER, getpwuid_r)                       \
	X(DETOUR_LOADER, getgrnam) X(DETOUR_LOADER, getgrgid)                           \
	X(DETOUR_LOADER, getgrnam_r) X(DETOUR_LOADER, getgrgid_r)                       \
	X(DETOUR_LOADER, getgrouplist) X(DETOUR_LOADER, initgroups)                     \
	X(DETOUR_LOADER, getaddrinfo) X(DETOUR_LOADER, gethostbyname)                   \
	X(DETOUR_NONE, vfork)

#if defined(__x86_64__)

static void report_failure(void)
{
	static const char kind[] = "spawn";
	static const char why[] =
		"libc could not be entered: programs started through it are not followed";
	struct prov_hole *h = record_begin(PROV_HOLE, sizeof(*h) + sizeof(kind) + sizeof(why));

	if (!h)
		return;
	h->kind_size = sizeof(kind);
	h->why_size = sizeof(why);
	memcpy(h->text, kind, sizeof(kind));
	memcpy(h->text + sizeof(kind), why, sizeof(why));
	record_end(h);
}

/* Called by the stubs; returns where to go on. */
void *late_enter(unsigned f, unsigned group) __attribute__((used));

void *late_enter(unsigned f, unsigned group)
{
	/* before there is a child that could begin the image in its own name */
	int ready = image_ready();

	if (group == DETOUR_NONE || group == DETOUR_SPAWN)
		image_is_shared();
	/* where the first detours were not possible or not wanted, these are not */
	if (group != DETOUR_NONE && !(session.start_flags & PROV_STDIO_BLIND) && ready &&
	    detour_install((enum detour_group)group) < 0 && group == DETOUR_SPAWN)
		report_failure();
	return real_next((enum function)f);
}

#define X(group, name)                                                                       \
	__attribute__((naked, visibility("default"))) void late_##name(void) __asm__(#name); \
	__attribute__((naked)) void late_##name(void)                                        \
	{                                                                                    \
		__asm__("push %%rdi; push %%rsi; push %%rdx; push %%rcx\n\t"                 \
			"push %%r8; push %%r9; push %%rax\n\t"                               \
			".cfi_adjust_cfa_offset 56\n\t"                                      \
			"mov %0, %%edi\n\t"                                                  \
			"mov %1, %%esi\n\t"                                                  \
			"call late_enter\n\t"                                                \
			"mov %%rax, %%r11\n\t"                                               \
			"pop %%rax; pop %%r9; pop %%r8\n\t"                                  \
			"pop %%rcx; pop %%rdx; pop %%rsi; pop %%rdi\n\t"                     \
			".cfi_adjust_cfa_offset -56\n\t"                                     \
			"jmp *%%r11"                                                         \
			:                                                                    \
			: "i"(FN_##name), "i"(group));                                       \
	}
LATE(X)
#undef X

#endif
