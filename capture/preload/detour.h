/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PRELOAD_DETOUR_H
#define PRELOAD_DETOUR_H
/*
 * Jumps written over the first bytes of libc's own entry points, so that what
 * libc does for itself (stdio, locale, name services, system, popen) is seen
 * as exactly as what the program does. libc's behaviour, thread cancellation
 * included, stays: a cancellable function continues in its original code after
 * a trampoline has done what the overwritten instruction did; functions that
 * are nothing but a system call are replaced by that call.
 *
 * Where text must not be changed (SELinux, PR_SET_MDWE), or an entry point
 * does not begin as known, nothing is written and the exports count instead;
 * PROV_STDIO_BLIND then says so in the record. PROV_DETOUR=0 in the
 * environment switches detours off.
 */

/*
 * Each page of libc that is written to costs every program a copy, so what few
 * programs need is only written when they first call a function that leads
 * there (late.c).
 */
enum detour_group {
	DETOUR_FILES = 0,	/* open, read, write, close: stdio, locale, name services */
	DETOUR_SPAWN,		/* execve, wait4: execv and its like, posix_spawn, system, popen */
	DETOUR_UNLINK,		/* unlink, rmdir: shm_unlink, tmpfile */
	DETOUR_FOLDER,		/* getdents64: folders not opened by opendir */
	DETOUR_PREAD,		/* pread, pwrite: aio */
	DETOUR_LOADER,		/* the loader's own notice that its list has changed: dlopen */
	DETOUR_NONE,		/* vfork: nothing to write, but good to know */
};

/* What stands at p, libc's copy of f: the detour itself if that was written
 * there, else p. */
void *detour_shortcut(unsigned f, void *p);

/* Is p a cancellable function of libc that looks at real_alone, or f's detour? */
int detour_is_own(unsigned f, const void *p);

/* 0, or -1 when nothing of the group could be written. Repeating is harmless. */
int detour_install(enum detour_group group);
#endif
