/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* hook_exec.c - one image becoming another */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "environ.h"
#include "hooks.h"
#include "real.h"
#include "shim/name.h"
#include "shim/sys.h"
#include "shim/tally.h"
#include "shim/text.h"

#define ARGV_ROOM 3072u	/* of an attempt; the new image reports all of it */

static size_t argv_size(char *const *argv, int *cut)
{
	size_t total = 0;

	for (; argv && *argv; argv++) {
		size_t n = text_size(*argv);

		if (total + n > ARGV_ROOM) {
			*cut = 1;
			break;
		}
		total += n;
	}
	return total;
}

/* The attempt is on record before it is made: afterwards there is no "we" any
 * more. NULL when there is no room. */
static struct prov_exec *attempt(const char *path, char *const *argv, const struct prov_object *o)
{
	struct prov_exec *r;
	size_t path_size = text_size(path), args;
	int cut = 0;

	args = argv_size(argv, &cut);
	r = record_begin(PROV_EXEC, sizeof(*r) + path_size + args);
	if (!r)
		return NULL;
	r->head.flags = cut ? PROV_CUT : 0;
	r->object = *o;
	r->pid = (uint32_t)sys0(SYS_getpid);
	r->path_size = (uint32_t)path_size;
	r->argv_size = (uint32_t)args;
	memcpy(r->text, path, path_size);
	for (size_t at = 0; at < args; argv++) {
		size_t n = text_size(*argv);

		memcpy(r->text + path_size + at, *argv, n);
		at += n;
	}
	record_end(r);
	return r;
}

/* One call of the exec family on its way. */
struct departure {
	enum { BY_EXECVE, BY_EXECVEAT, BY_FEXECVE } how;
	void *inner;
	int dirfd;	/* fexecve: the program */
	const char *path;
	int flags;
	char *const *argv;
};

static int go(const struct departure *d, char *const *envp)
{
	switch (d->how) {
	case BY_EXECVE:
		return ((__typeof__(&execve))d->inner)(d->path, d->argv, envp);
	case BY_EXECVEAT:
		return ((__typeof__(&execveat))d->inner)(d->dirfd, d->path, d->argv, envp,
							 d->flags);
	case BY_FEXECVE:
		break;
	}
	return ((__typeof__(&fexecve))d->inner)(d->dirfd, d->argv, envp);
}

/*
 * Where the new environment is built. A process of its own uses scratch
 * memory, which goes with it. A vfork child has none of its own: what it took
 * from its parent's it could not give back, and gave it back too early, other
 * threads of the parent would write over it. It stands on the stack of a
 * parent thread that sleeps, or on 32 KiB that posix_spawn has made; both have
 * room for this.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wframe-larger-than="
__attribute__((noinline)) static int go_small(const struct departure *d, char *const *envp)
{
	_Alignas(16) char room[6144];

	return go(d, environ_for_exec(envp, room, sizeof(room)));
}

__attribute__((noinline)) static int go_large(const struct departure *d, char *const *envp)
{
	_Alignas(16) char room[24 << 10];

	return go(d, environ_for_exec(envp, room, sizeof(room)));
}
#pragma GCC diagnostic pop

static int go_from_shared_memory(const struct departure *d, char *const *envp)
{
	return environ_room(envp) <= 6144 ? go_small(d, envp) : go_large(d, envp);
}

static int go_from_own_memory(const struct departure *d, char *const *envp)
{
	size_t size = environ_room(envp);
	void *room = size <= SCRATCH_ROOM ? scratch_take() : NULL;
	long map = 0;
	int r;

	if (!room) {
		map = sys6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (sys_failed(map))
			return go(d, envp);
		room = (void *)map;
	}
	r = go(d, environ_for_exec(envp, room, map ? size : SCRATCH_ROOM));
	if (map)
		(void)sys2(SYS_munmap, map, size);
	else
		scratch_give(room);
	return r;
}

/*
 * Would the loader of that program find this library, and be able to use it?
 * It would say so on standard error otherwise: after chroot, in a container
 * without us, before a 32-bit program. What cannot be read is taken for good.
 */
static int can_follow(const struct departure *d)
{
	unsigned char ident[5] = { 0 };
	long fd;

	if (!environ_library_is_there())
		return 0;
	if (d->how == BY_FEXECVE || d->flags & AT_EMPTY_PATH)
		return sys4(SYS_pread64, d->dirfd, ident, sizeof(ident), 0) < 5 ||
		       ident[0] != 0x7f || ident[4] == sizeof(void *) / 4;
	fd = sys4(SYS_openat, d->dirfd, d->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return 1;
	(void)sys4(SYS_pread64, fd, ident, sizeof(ident), 0);
	(void)sys1(SYS_close, fd);
	/* ELFCLASS32 is 1, ELFCLASS64 is 2 */
	return ident[0] != 0x7f || ident[4] == sizeof(void *) / 4;
}

static int depart(const struct departure *d, char *const *envp)
{
	struct prov_exec *record;
	struct prov_object o;
	int at_flags = d->how == BY_FEXECVE ? AT_EMPTY_PATH
					    : d->flags & (AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW);
	int r;

	/* what is not there is no attempt: a search through PATH makes many */
	if (!image_ready() || object_at(d->dirfd, d->path, at_flags, &o) < 0)
		return go(d, envp);
	record = attempt(d->path, d->argv, &o);
	if (!environ_wants_us(envp) || !can_follow(d))
		r = go(d, envp);
	else if (image_is_mine())
		r = go_from_own_memory(d, envp);
	else
		r = go_from_shared_memory(d, envp);
	if (record)
		__atomic_store_n(&record->failed, real_errno(), __ATOMIC_RELEASE);
	return r;
}

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	if (real_is_detoured(FN_execve))
		return NEXT(execve)(path, argv, envp);
	return depart(&(struct departure){ .how = BY_EXECVE, .inner = NEXT(execve),
					   .dirfd = AT_FDCWD, .path = path, .argv = argv },
		      envp);
}

int detour_execve(const char *path, char *const argv[], char *const envp[])
{
	return depart(&(struct departure){ .how = BY_EXECVE, .inner = INNER(execve),
					   .dirfd = AT_FDCWD, .path = path, .argv = argv },
		      envp);
}

EXPORT int execveat(int dirfd, const char *path, char *const argv[], char *const envp[], int flags)
{
	return depart(&(struct departure){ .how = BY_EXECVEAT, .inner = NEXT(execveat),
					   .dirfd = dirfd, .path = path, .flags = flags,
					   .argv = argv },
		      envp);
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	return depart(&(struct departure){ .how = BY_FEXECVE, .inner = NEXT(fexecve), .dirfd = fd,
					   .path = "", .argv = argv },
		      envp);
}

/* Inside a sandbox a system call of ours could be the program's death. What is
 * open is looked up before it closes, counted further in memory, and nothing
 * else is recorded. */
static long sandboxed(long nr, const long *a, int closes)
{
	static const char kind[] = "sandbox";
	static const char why[] =
		"it has put itself into a sandbox (seccomp); later opens are not recorded";
	struct prov_hole *h;
	long r;

	if (!closes || !image_ready())
		return NEXT(syscall)(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	for (int fd = 0; fd < 16; fd++)
		(void)tally_of(fd);
	h = record_begin(PROV_HOLE, sizeof(*h) + sizeof(kind) + sizeof(why));
	if (h) {
		h->kind_size = sizeof(kind);
		h->why_size = sizeof(why);
		memcpy(h->text, kind, sizeof(kind));
		memcpy(h->text + sizeof(kind), why, sizeof(why));
		record_end(h);
	}
	image_seal(1);
	r = NEXT(syscall)(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (r < 0)
		image_seal(0);
	return r;
}

EXPORT int prctl(int option, ...)
{
	long a[6] = { option };
	va_list ap;

	va_start(ap, option);
	for (int i = 1; i < 5; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (option != PR_SET_SECCOMP)
		return NEXT(prctl)(option, a[1], a[2], a[3], a[4]);
	return (int)sandboxed(SYS_prctl, a, 1);
}

/* syscall(2) lets a program do anything without a name for it. What has a hook
 * goes to the hook; the rest passes. */
EXPORT long syscall(long nr, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	switch (nr) {
	case SYS_read:
		return read((int)a[0], (void *)a[1], (size_t)a[2]);
	case SYS_write:
		return write((int)a[0], (const void *)a[1], (size_t)a[2]);
	case SYS_openat:
		return openat64((int)a[0], (const char *)a[1], (int)a[2], (mode_t)a[3]);
#ifdef SYS_open
	case SYS_open:
		return open64((const char *)a[0], (int)a[1], (mode_t)a[2]);
#endif
	case SYS_close:
		return close((int)a[0]);
	case SYS_execve:
		return execve((const char *)a[0], (char *const *)a[1], (char *const *)a[2]);
	case SYS_openat2: {
		long fd = real_result(sys4(SYS_openat2, a[0], a[1], a[2], a[3]));
		/* struct open_how begins with the 64-bit flags */
		if (fd >= 0)
			tally_open((int)fd, (int)a[0], (const char *)a[1],
				   (int)*(uint64_t *)a[2], 0);
		return fd;
	}
	case SYS_copy_file_range:
		return copy_file_range((int)a[0], (off64_t *)a[1], (int)a[2], (off64_t *)a[3],
				       (size_t)a[4], (unsigned)a[5]);
	case SYS_renameat2:
		return renameat2((int)a[0], (const char *)a[1], (int)a[2], (const char *)a[3],
				 (unsigned)a[4]);
	case SYS_unlinkat:
		return unlinkat((int)a[0], (const char *)a[1], (int)a[2]);
#ifdef SYS_seccomp
	case SYS_seccomp:
		/* SECCOMP_SET_MODE_STRICT, SECCOMP_SET_MODE_FILTER */
		return sandboxed(nr, a, a[0] <= 1);
#endif
	case SYS_prctl:
		return sandboxed(nr, a, a[0] == PR_SET_SECCOMP);
	case SYS_close_range:
		return close_range((unsigned)a[0], (unsigned)a[1], (int)a[2]);
#ifdef SYS_vfork
	case SYS_vfork:
#endif
	case SYS_clone:
	case SYS_clone3:
		image_is_shared();
		return NEXT(syscall)(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	default:
		return NEXT(syscall)(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	}
}
