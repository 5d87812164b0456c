/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PRELOAD_REAL_H
#define PRELOAD_REAL_H
#include <stdint.h>

#include "shim/text.h"
/*
 * What each hook calls in the end. A function can be reached in two ways:
 *
 *   - the program calls it by name and lands in the export of this library;
 *   - libc calls its own copy (stdio, locale, system) and lands in a detour,
 *     a jump written over the first bytes of libc's function.
 *
 * With the detour in place it alone counts: the export passes on to the next
 * library that defines the name, and the call arrives at libc in the end, so
 * other preloaded libraries stack in any order. Without it the export counts.
 */
#define FUNCTIONS(X)                                                                          \
	X(read) X(write) X(pread64) X(pwrite64) X(open64) X(close) X(dup2) X(dup3)            \
	X(unlink) X(rmdir) X(execve) X(wait4)                                                 \
	X(__read_nocancel) X(__write_nocancel) X(__pread64_nocancel) X(__close_nocancel)      \
	X(__open64_nocancel) X(getdents64)                                                    \
	X(openat64) X(creat64) X(open) X(openat) X(creat)                                     \
	X(close_range) X(closefrom) X(dup) X(fcntl64)                                         \
	X(readv) X(writev) X(preadv64) X(pwritev64) X(preadv64v2) X(pwritev64v2)              \
	X(rename) X(renameat) X(renameat2) X(unlinkat) X(remove)                              \
	X(link) X(linkat) X(symlink) X(symlinkat)                                             \
	X(truncate64) X(ftruncate64) X(fallocate64) X(posix_fallocate64)                      \
	X(mmap64) X(mprotect) X(mremap)                                                       \
	X(sendfile64) X(copy_file_range) X(splice) X(tee) X(vmsplice) X(ioctl)                \
	X(recv) X(recvfrom) X(recvmsg) X(recvmmsg) X(send) X(sendto) X(sendmsg) X(sendmmsg)   \
	X(execveat) X(fexecve) X(fork) X(_Fork)                                               \
	X(waitid) X(wait3) X(waitpid) X(wait)                                                 \
	X(chdir) X(fchdir) X(unshare) X(prctl) X(syscall)                                     \
	X(execl) X(execle) X(execlp) X(execv) X(execvp) X(execvpe)                            \
	X(posix_spawn) X(posix_spawnp) X(system) X(popen) X(wordexp)                          \
	X(fdopendir) X(scandirat) X(scandirat64) X(ftw) X(ftw64) X(nftw) X(nftw64)            \
	X(shm_unlink) X(sem_unlink) X(tmpfile) X(tmpfile64)                                   \
	X(aio_read) X(aio_read64) X(aio_write) X(aio_write64) X(lio_listio) X(lio_listio64)   \
	X(dlopen) X(dlmopen) X(vfork) X(clone) X(pthread_exit) X(pthread_cancel) X(backtrace) \
	X(iconv_open) X(getpwnam) X(getpwuid) X(getpwnam_r) X(getpwuid_r)                     \
	X(getgrnam) X(getgrgid) X(getgrnam_r) X(getgrgid_r) X(getgrouplist) X(initgroups)     \
	X(getaddrinfo) X(gethostbyname)                                                       \
	X(__pread_chk) X(__recv_chk) X(__recvfrom_chk)                                        \
	X(socket) X(socketpair) X(accept) X(accept4) X(pipe) X(pipe2) X(eventfd)              \
	X(timerfd_create) X(signalfd) X(inotify_init) X(inotify_init1) X(memfd_create)

enum function {
#define X(name) FN_##name,
	FUNCTIONS(X)
#undef X
	FN_COUNT
};

/* Those that can have a detour come first in FUNCTIONS. */
#define FN_DETOURED ((int)FN_openat64)
_Static_assert(FN_DETOURED <= 32, "a bit each");

/* What the export calls; resolved when first needed. */
extern void *real_outer[FN_COUNT] HERE;
/* What the detour calls to get libc's behaviour. */
extern void *real_inner[FN_DETOURED] HERE;
/* Bit f: the jump is in place. Set after it was written: a thread that calls, or
 * a child that is forked, in between is recorded twice rather than never. */
extern uint32_t real_detoured HERE;

const char *real_name(enum function f);

void *real_resolve(enum function f);

static inline void *real_next(enum function f)
{
	void *p = __atomic_load_n(&real_outer[f], __ATOMIC_RELAXED);

	return __builtin_expect(p != 0, 1) ? p : real_resolve(f);
}

static inline int real_is_detoured(enum function f)
{
	return f < FN_DETOURED && (__atomic_load_n(&real_detoured, __ATOMIC_ACQUIRE) >> f & 1);
}

/*
 * Where libc's own functions look for whether the process has one thread, and
 * if so (not 0) reading and writing is the system call and nothing else. Points
 * to a 0 where libc is not known to look at such a byte.
 */
extern const char *real_alone HERE;

static inline int real_is_alone(void)
{
	return *(const volatile char *)real_alone != 0;
}

/* Bit f, for the first 32: what comes next is libc's function that looks at
 * that byte, with or without our detour. */
extern uint32_t real_own HERE;

static inline int real_is_own(enum function f)
{
	return (__atomic_load_n(&real_own, __ATOMIC_RELAXED) >> f & 1) != 0;
}

#define NEXT(name)  ((__typeof__(&name))real_next(FN_##name))
#define INNER(name) ((__typeof__(&name))real_inner[FN_##name])

#define EXPORT __attribute__((visibility("default")))
/* The same function under another name that programs were linked to. */
#define ALIAS(name) __attribute__((visibility("default"), alias(#name)))

/* Turns a raw result into libc's convention. */
long real_result(long r);

static inline long real_quick(long r)
{
	return __builtin_expect(r < 0, 0) ? real_result(r) : r;
}

int real_errno(void);	/* errno of this thread, without importing it */
#endif
