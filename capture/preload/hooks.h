/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PRELOAD_HOOKS_H
#define PRELOAD_HOOKS_H
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "shim/tally.h"
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
ssize_t detour_getdents64(int fd, void *p, size_t n);
int detour_rmdir(const char *path);
int detour_execve(const char *path, char *const argv[], char *const envp[]);
pid_t detour_wait4(pid_t pid, int *status, int options, struct rusage *usage);

/* What several hooks share. */

/* A transfer is a read of one descriptor and a write to another; -1: none. */
struct transfer {
	struct held from, to;
};

static inline struct transfer transfer_before(int from, int to)
{
	return (struct transfer){ tally_before_read(from), tally_before_write(to) };
}

static inline ssize_t transfer_after(struct transfer t, ssize_t n)
{
	tally_after_read(t.from, n);
	tally_after_write(t.to, n);
	return n;
}

#define ADDRESS_LEAST 65536u	/* what vm.mmap_min_addr keeps empty */

/* O_CREAT makes a file or finds one; which, its time of birth may tell, else
 * only a look before. What tally_open() is to know. */
int64_t will_create(int dirfd, const char *path, int flags);
/* After a fork of any kind that shares no memory, in parent and child. */
pid_t child_made(pid_t pid);
void child_ended(pid_t pid, int status);
void child_told(const siginfo_t *info);	/* likewise, by waitid(2) */
/* Before a clone(2) with these flags. */
void clone_begin(uint64_t flags);
/* Leaves a hole in the record. */
void not_seen(const char *kind, const char *why);
long through_prctl(long nr, const long *a);
long through_seccomp(long nr, const long *a);

/* After the loader has loaded or unloaded something; its lock is held. */
void loaded_report(void);
#endif
