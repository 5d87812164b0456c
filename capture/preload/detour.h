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

/* 1 when libc's reads and writes are seen, 0 when not. Once, before threads. */
int detour_install(void);
#endif
