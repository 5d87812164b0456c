/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* folder.c - names of files just opened, by what their folders are called */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "image.h"
#include "sys.h"
#include "tally.h"
#include "text.h"

/* A path in two: the folder with its slash, and what is in it. */
struct split {
	uint64_t hash;		/* of the folder, as it means something now */
	size_t folder, last;	/* bytes */
};

/* 0 when such a path is none to remember a folder by. */
static int split_path(int dirfd, const char *path, struct split *s)
{
	size_t n = 0, folder = 0;
	uint64_t seed;

	/* what a relative path means another thread may change, or have for itself */
	if (path[0] != '/' && (dirfd != AT_FDCWD || !*(const volatile char *)tally_alone))
		return 0;
	for (; path[n]; n++)
		if (path[n] == '/')
			folder = n + 1;
	s->folder = folder;
	s->last = n - folder;
	if (s->last == 0 || s->last > 255 || text_equal(path + folder, ".") ||
	    text_equal(path + folder, ".."))
		return 0;
	seed = (uint64_t)__atomic_load_n(&image.names, __ATOMIC_RELAXED) << 32 |
	       __atomic_load_n(&session.arena->folders, __ATOMIC_ACQUIRE);
	s->hash = text_hash_of(path, folder, seed) | 1;
	return 1;
}

/* NULL when another thread, or what a signal handler interrupted, is at it. */
static struct folder *folder_take(const struct split *s)
{
	struct folder *f = &image.folders[s->hash >> 1 & (FOLDERS - 1)];

	return __atomic_exchange_n(&f->taken, 1, __ATOMIC_ACQUIRE) ? NULL : f;
}

static void folder_give(struct folder *f)
{
	__atomic_store_n(&f->taken, 0, __ATOMIC_RELEASE);
}

static uint64_t birth_dev(void)
{
	return __atomic_load_n(&image.birth_dev, __ATOMIC_RELAXED);
}

/* Met so often within a tick, a folder is worth to be looked through. */
#define MET_OFTEN 12u
#define MET_PLAIN 1000u	/* there is no symbolic link in it */
#define MET_MIXED 1001u	/* there is, or it is too large to tell */

/* Entries of a large folder take 50 ns each, files in it 700 ns each. */
#define LOOKS_MOST 8

struct entry {		/* of getdents64(2) */
	uint64_t ino, offset;
	uint16_t size;
	uint8_t type;
};

static int has_links(const char *entries, long size)
{
	for (long at = 0; at < size;) {
		const struct entry *e = (const struct entry *)(entries + at);

		if (e->type == DT_LNK || e->type == DT_UNKNOWN)
			return 1;
		at += e->size;
	}
	return 0;
}

/* Only on this machine's own file systems, and without a trace in the folder. */
static uint16_t look_through(const struct folder *f)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOATIME;
	char *room = f->dev == birth_dev() ? scratch_take() : NULL;
	long fd = -1, n = -1;

	if (room) {
		memcpy(room, f->name, f->size);
		room[f->size] = 0;
		fd = sys4(SYS_openat, AT_FDCWD, room, flags, 0);
	}
	for (int i = 0; fd >= 0 && i < LOOKS_MOST; i++) {
		n = sys3(SYS_getdents64, fd, room, SCRATCH_ROOM);
		if (n <= 0 || has_links(room, n))
			break;
	}
	if (fd >= 0)
		(void)sys1(SYS_close, fd);
	scratch_give(room);
	return n == 0 ? MET_PLAIN : MET_MIXED;
}

static int is_link(struct folder *f, int dirfd, const char *path, int flags)
{
	const int excl = O_CREAT | O_EXCL;
	char c;

	if (f->size && f->met < MET_OFTEN && ++f->met == MET_OFTEN)
		f->met = look_through(f);
	if (f->met == MET_PLAIN || flags & O_NOFOLLOW || (flags & excl) == excl)
		return 0;
	return sys4(SYS_readlinkat, dirfd, path, &c, 1) != -EINVAL;
}

static uint64_t device_of(const struct prov_object *o)
{
	return (uint64_t)o->dev_major << 32 | o->dev_minor;
}

/* Whether a file system keeps the time of birth, and by our clock. */
static void learn_birth(int fd, const struct prov_object *o)
{
	struct statfs fs;

	if (!o->btime || birth_dev() == device_of(o) || sys2(SYS_fstatfs, fd, &fs) < 0)
		return;
	if (fs.f_type == EXT4_SUPER_MAGIC || fs.f_type == XFS_SUPER_MAGIC ||
	    fs.f_type == BTRFS_SUPER_MAGIC || fs.f_type == TMPFS_MAGIC)
		__atomic_store_n(&image.birth_dev, device_of(o), __ATOMIC_RELAXED);
}

/* The kernel has said that a file is called name (size with NUL) whose last
 * component is no link: so it knows how its folder is called. */
static void folder_learn(struct folder *f, const char *name, size_t size, const char *path,
			 const struct split *s)
{
	size_t folder = size - 1 - s->last;

	if (size < s->last + 2 || folder > FOLDER_ROOM || name[0] != '/' ||
	    name[folder - 1] != '/' || !text_equal(name + folder, path + s->folder) ||
	    text_begins(name, "/proc/"))
		return;
	memcpy(f->name, name, folder);
	f->size = (uint16_t)folder;
}

static size_t name_by_folder(struct folder *f, const struct split *s, int fd, int dirfd,
			     const char *path, int flags, const struct prov_object *o,
			     char out[NAME_ROOM], uint16_t *name_flags)
{
	uint64_t tick = now_tick();
	int again = f->hash == s->hash && f->tick == tick;
	int plain = again && !is_link(f, dirfd, path, flags);
	size_t size;

	if (plain && f->size) {
		memcpy(out, f->name, f->size);
		memcpy(out + f->size, path + s->folder, s->last + 1);
		return f->size + s->last + 1;
	}
	size = name_of_fd(fd, out, name_flags);
	if (!again) {
		f->hash = s->hash;
		f->tick = tick;
		f->size = f->met = 0;
	} else if (plain && size) {
		folder_learn(f, out, size, path, s);
		f->dev = device_of(o);
		learn_birth(fd, o);
	}
	return size;
}

size_t folder_name(int fd, int dirfd, const char *path, int flags, const struct prov_object *o,
		   char out[NAME_ROOM], uint16_t *name_flags)
{
	struct folder *f = NULL;
	struct split s;
	size_t size;

	if ((flags & O_TMPFILE) != O_TMPFILE && split_path(dirfd, path, &s))
		f = folder_take(&s);
	if (!f)
		return name_of_fd(fd, out, name_flags);
	size = name_by_folder(f, &s, fd, dirfd, path, flags, o, out, name_flags);
	folder_give(f);
	return size;
}

/* Who made a file last, and in which tick: the bits that ticks differ in are
 * above those that tell images apart. */
#define WHO_BITS 22

static uint64_t creator_word(uint64_t tick)
{
	uint64_t who = (image.start ^ image.pid) & ((UINT64_C(1) << WHO_BITS) - 1);

	return tick >> WHO_BITS << WHO_BITS | who;
}

int64_t folder_birth_clock(void)
{
	uint64_t tick = now_tick(), last, mine = creator_word(tick);

	if (__atomic_load_n(&image.birth_tick, __ATOMIC_RELAXED) != tick)
		return 0;
	/* another image has just made a file; perhaps this one */
	last = __atomic_load_n(&session.arena->creator, __ATOMIC_ACQUIRE);
	return last != mine && (last ^ mine) >> WHO_BITS == 0 ? 0 : (int64_t)tick;
}

/* A coarse clock lags by less than this, on a virtual machine with much to do
 * too; a file that is dated later was given its date. */
#define TICK_MOST 1000000000

int folder_is_born(const struct prov_object *o, int64_t since)
{
	int64_t now;

	if (since == 0)
		return 0;
	now = (int64_t)now_tick();
	__atomic_store_n(&image.birth_tick, device_of(o) == birth_dev() ? (uint64_t)now : 0,
			 __ATOMIC_RELAXED);
	/* a file that was written to, linked or dated since is not ours either */
	if (since > 1 && (!S_ISREG(o->mode) || o->size || o->nlink != 1 || o->mtime < since ||
			  o->mtime > now + TICK_MOST || (o->btime && o->btime != o->mtime)))
		return 0;
	__atomic_store_n(&session.arena->creator, creator_word((uint64_t)now), __ATOMIC_RELEASE);
	return 1;
}

void folder_changed(void)
{
	if (session.arena)
		(void)__atomic_add_fetch(&session.arena->folders, 1, __ATOMIC_ACQ_REL);
}
