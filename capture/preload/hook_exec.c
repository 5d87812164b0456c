/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* hook_exec.c - one image becoming another */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "environ.h"
#include "hooks.h"
#include "real.h"
#include "shim/name.h"
#include "shim/sys.h"
#include "shim/tables.h"
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

/* One call of the exec family on its way. */
struct departure {
	enum { BY_EXECVE, BY_EXECVEAT, BY_FEXECVE } how;
	void *inner;
	int dirfd;	/* fexecve: the program */
	const char *path;
	int flags;
	char *const *argv;
	struct prov_object program;
};

/* The attempt is on record before it is made: afterwards there is no "we" any
 * more. NULL when there is no room. */
static struct prov_exec *attempt(const struct departure *d)
{
	char *const *argv = d->argv;
	struct prov_exec *r;
	size_t path_size = text_size(d->path), args;
	int cut = 0;

	args = argv_size(argv, &cut);
	r = record_begin(PROV_EXEC, sizeof(*r) + path_size + args);
	if (!r)
		return NULL;
	r->head.flags = cut ? PROV_CUT : 0;
	r->object = d->program;
	r->pid = (uint32_t)sys0(SYS_getpid);
	r->path_size = (uint32_t)path_size;
	r->argv_size = (uint32_t)args;
	memcpy(r->text, d->path, path_size);
	for (size_t at = 0; at < args; argv++) {
		size_t n = text_size(*argv);

		memcpy(r->text + path_size + at, *argv, n);
		at += n;
	}
	record_end(r);
	return r;
}

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
 * parent thread that sleeps, or on 32 KiB that posix_spawn has made: enough
 * for the usual environment.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wframe-larger-than="
__attribute__((noinline)) static int go_on_stack(const struct departure *d, char *const *envp)
{
	_Alignas(16) char room[6144];

	return go(d, environ_for_exec(envp, &d->program, room, sizeof(room)));
}
#pragma GCC diagnostic pop

/* A larger one is mapped, in the parent. The mapping is given back when the
 * same thread starts the next child: this one is then long gone. */
static void *room_of_thread(size_t size)
{
	uintptr_t self = (uintptr_t)__builtin_thread_pointer();

	for (unsigned i = 0; i < SPAWN_ROOMS; i++) {
		struct spawn_room *r = &image.spawn[i];
		uintptr_t none = 0;
		long map;

		if (__atomic_load_n(&r->thread, __ATOMIC_ACQUIRE) != self &&
		    !__atomic_compare_exchange_n(&r->thread, &none, self, 0, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		if (r->size >= size)
			return r->room;
		if (r->room)
			(void)sys2(SYS_munmap, r->room, r->size);
		map = sys6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		r->room = sys_failed(map) ? NULL : (void *)map;
		r->size = r->room ? size : 0;
		return r->room;
	}
	return NULL;
}

static int go_from_shared_memory(const struct departure *d, char *const *envp)
{
	size_t size = environ_room(envp);
	void *room;

	if (size <= 6144)
		return go_on_stack(d, envp);
	room = room_of_thread(size);
	return go(d, room ? environ_for_exec(envp, &d->program, room, size) : envp);
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
	r = go(d, environ_for_exec(envp, &d->program, room, map ? size : SCRATCH_ROOM));
	if (map)
		(void)sys2(SYS_munmap, map, size);
	else
		scratch_give(room);
	return r;
}

/* Tells a program file, as it is now, from all others. */
static uint64_t mark_of(const struct prov_object *o)
{
	const uint64_t words[] = { (uint64_t)o->dev_major << 32 | o->dev_minor, o->ino,
				   (uint64_t)o->btime, (uint64_t)o->mtime, o->size };
	uint64_t h = 1;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		h = (h ^ words[i] ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	return h;
}

/*
 * Would the loader of that program find this library, and be able to use it?
 * It would say so on standard error otherwise: after chroot, in a container
 * without us, before a 32-bit program. What cannot be read is taken for good.
 */
static int can_follow(const struct departure *d)
{
	unsigned char ident[5] = { 0 };
	uint64_t which = mark_of(&d->program);
	long fd;

	if (!environ_library_is_there())
		return 0;
	if (!session.arena->narrow)
		return 1;
	/* an open descriptor is the program's own: its file is not read */
	if (d->how == BY_FEXECVE || d->flags & AT_EMPTY_PATH ||
	    __atomic_load_n(&image.followed, __ATOMIC_RELAXED) == which)
		return 1;
	fd = sys4(SYS_openat, d->dirfd, d->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return 1;
	(void)sys4(SYS_pread64, fd, ident, sizeof(ident), 0);
	(void)sys1(SYS_close, fd);
	/* ELFCLASS32 is 1, ELFCLASS64 is 2 */
	if (ident[0] == 0x7f && ident[4] != sizeof(void *) / 4)
		return 0;
	__atomic_store_n(&image.followed, which, __ATOMIC_RELAXED);
	return 1;
}

/* The kernel answers EFAULT where we would crash. The list is looked for, its
 * strings only told from small numbers: a system call each would be dear. */
static int is_readable(char *const *list)
{
	uintptr_t page = (uintptr_t)list & ~(uintptr_t)4095;
	unsigned char in_core;

	if (!list)
		return 1;
	/* anything else but "not mapped" is a sandbox that does not know it */
	if (sys3(SYS_mincore, page, 1, &in_core) == -ENOMEM)
		return 0;
	while (*list && (uintptr_t)*list >= ADDRESS_LEAST &&
	       (uintptr_t)*list < (uintptr_t)0 - ADDRESS_LEAST)
		list++;
	return !*list;
}

static int depart(struct departure *d, char *const *envp)
{
	struct prov_exec *record;
	int at_flags = d->how == BY_FEXECVE ? AT_EMPTY_PATH
					    : d->flags & (AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW);
	int r;

	/* what is not there is no attempt: a search through PATH makes many */
	if (!image_ready() || object_at(d->dirfd, d->path, at_flags, &d->program) < 0 ||
	    !is_readable(d->argv) || !is_readable(envp))
		return go(d, envp);
	record = attempt(d);
	if (image.foreigns && !image_is_mine())
		foreign_leave();
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
