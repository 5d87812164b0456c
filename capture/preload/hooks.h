/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PRELOAD_HOOKS_H
#define PRELOAD_HOOKS_H
#include <sys/resource.h>
#include <sys/types.h>
/* Where libc's own calls land; see detour.c for which is written over what. */
ssize_t detour_read(int fd, void *p, size_t n);
ssize_t detour_write(int fd, const void *p, size_t n);
ssize_t detour_pread64(int fd, void *p, size_t n, off64_t at);
ssize_t detour_pwrite64(int fd, const void *p, size_t n, off64_t at);
int detour_close(int fd);
int detour_dup2(int fd, int to);
int detour_dup3(int fd, int to, int flags);
int detour_open64(const char *path, int flags, mode_t mode);
ssize_t detour_read_nocancel(int fd, void *p, size_t n);
ssize_t detour_write_nocancel(int fd, const void *p, size_t n);
ssize_t detour_pread64_nocancel(int fd, void *p, size_t n, off64_t at);
int detour_close_nocancel(int fd);
int detour_open64_nocancel(const char *path, int flags, mode_t mode);
int detour_unlink(const char *path);
int detour_rmdir(const char *path);
int detour_execve(const char *path, char *const argv[], char *const envp[]);
pid_t detour_wait4(pid_t pid, int *status, int options, struct rusage *usage);

/* After the loader has loaded or unloaded something; its lock is held. */
void loaded_report(void);
#endif
