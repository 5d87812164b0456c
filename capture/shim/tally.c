/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* tally.c - counting what goes through descriptors */
#include "tally.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "folder.h"
#include "known.h"
#include "name.h"
#include "sys.h"
#include "tables.h"
#include "text.h"

struct prov_tally tally_mute IN_DATA;
static const char several = 0;
const char *tally_alone = &several;
const int32_t tally_every_access = PROV_FIRST_LAST;
intptr_t tally_granularity_at IN_DATA = 0;

void tally_crowded(void)
{
	tally_alone = &several;
}

static struct prov_tally **slot_of(int fd, int create)
{
	unsigned n = (unsigned)fd;
	struct prov_tally **table;

	if (n < FD_NEAR)
		return &image.fd[n];
	n -= FD_NEAR;
	if (n / FD_TABLE >= FD_TABLES)
		return NULL;
	table = __atomic_load_n(&image.far[n / FD_TABLE], __ATOMIC_ACQUIRE);
	if (!table && create && !session.sealed) {
		size_t size = FD_TABLE * sizeof(*table);
		long r = sys6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		struct prov_tally **none = NULL;

		if (sys_failed(r))
			return NULL;
		table = (struct prov_tally **)r;
		if (!__atomic_compare_exchange_n(&image.far[n / FD_TABLE], &none, table, 0,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			(void)sys2(SYS_munmap, table, size);
			table = none;
		}
	}
	return table ? &table[n % FD_TABLE] : NULL;
}

struct prov_tally **tally_slot(int fd)
{
	return slot_of(fd, 1);
}

/* Where a descriptor of this process has its tally, which a vfork child may
 * have moved aside. */
static struct prov_tally **own_slot(int fd, int create)
{
	struct prov_tally **kept = NULL;

	if (image.foreigns) {
		foreign_settle();
		kept = foreign_kept(fd);
	}
	return kept ? kept : slot_of(fd, create);
}

static void hole_say(const char *kind, size_t kind_size, const char *why, size_t why_size)
{
	struct prov_hole *r = record_begin(PROV_HOLE, sizeof(*r) + kind_size + why_size);

	if (!r)
		return;
	r->kind_size = (uint32_t)kind_size;
	r->why_size = (uint32_t)why_size;
	memcpy(r->text, kind, kind_size);
	memcpy(r->text + kind_size, why, why_size);
	record_end(r);
}

/* Once: it would come with every call. */
static void say_beyond(void)
{
	static const char kind[] = "descriptor";
	static const char why[] = "a descriptor was too high to be followed (1048832 and more, or "
				  "no memory for a table): what went through it is not counted";

	if (!__atomic_exchange_n(&image.beyond, 1, __ATOMIC_RELAXED))
		hole_say(kind, sizeof(kind), why, sizeof(why));
}

static void slot_set(int fd, struct prov_tally *t)
{
	struct prov_tally **slot = image.split ? NULL : own_slot(fd, 1);
	struct prov_tally *old;

	if (!slot) {
		if (t != &tally_mute && !image.split)
			say_beyond();
		return;
	}
	old = __atomic_exchange_n(slot, t, __ATOMIC_ACQ_REL);
	/* left behind by a close that libc did not make */
	if (old)
		tally_release(old);
}

void tally_hold(struct prov_tally *t)
{
	__atomic_add_fetch(&t->refs, 1, __ATOMIC_ACQ_REL);
}

/* Each closing leaves its time before it lets go: whether it was the last one,
 * only the count of references can tell. */
void tally_release(struct prov_tally *t)
{
	uint64_t closed, now;

	if (t == &tally_mute)
		return;
	now = now_exact();
	closed = __atomic_load_n(&t->closed, __ATOMIC_RELAXED);
	while (closed < now && !__atomic_compare_exchange_n(&t->closed, &closed, now, 0,
							    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	__atomic_sub_fetch(&t->refs, 1, __ATOMIC_ACQ_REL);
}

static struct prov_open *open_record(const struct prov_object *o, const char *path, size_t size,
				     uint16_t flags)
{
	struct prov_open *r = record_begin(PROV_OPEN, sizeof(*r) + size);

	if (!r)
		return NULL;
	r->head.flags = flags;
	r->object = *o;
	r->pid = image.pid;
	r->path_size = (uint32_t)size;
	memcpy(r->text, path, size);
	r->tally.opened = r->head.time;
	return r;
}

/* Eventfd, epoll, timerfd and their like have no file type and hold no data. */
static int is_uninteresting(const struct prov_object *o)
{
	return (o->mode & S_IFMT) == 0;
}

static uint32_t mode_flags(int open_flags)
{
	switch (open_flags & O_ACCMODE) {
	case O_RDONLY:
		return PROV_TALLY_READABLE;
	case O_WRONLY:
		return PROV_TALLY_WRITABLE;
	default:
		return PROV_TALLY_READABLE | PROV_TALLY_WRITABLE;
	}
}

/* The record of a descriptor that somebody else opened. */
struct prov_open *open_adopt(int fd, const struct prov_object *o)
{
	char *path = scratch_take();
	struct prov_open *r = NULL;
	uint16_t flags = 0;
	size_t size;

	if (path) {
		size = name_of_fd(fd, path, &flags);
		if (size == 0) {
			flags |= PROV_PATH_RAW;
			path[size++] = 0;
		}
		r = open_record(o, path, size, flags);
	}
	scratch_give(path);
	return r;
}

struct prov_tally *tally_find(int fd)
{
	struct prov_tally **slot, *t, *none = NULL;
	struct prov_object o;
	struct prov_open *r;

	if (fd < 0 || !image_ready() || tally_granularity() == PROV_OFF)
		return &tally_mute;
	if (image.split)
		return split_find(fd);
	slot = slot_of(fd, 0);
	t = slot ? __atomic_load_n(slot, __ATOMIC_ACQUIRE) : NULL;
	if (t)
		return t;
	if (!image_is_mine())
		return foreign_find(fd);
	slot = own_slot(fd, 1);
	t = slot ? __atomic_load_n(slot, __ATOMIC_ACQUIRE) : NULL;
	if (t)
		return t;
	if (object_of_fd(fd, &o) < 0)
		return &tally_mute;
	if (!slot) {
		say_beyond();
		return &tally_mute;
	}
	if (is_uninteresting(&o)) {
		__atomic_compare_exchange_n(slot, &none, &tally_mute, 0, __ATOMIC_ACQ_REL,
					    __ATOMIC_RELAXED);
		return &tally_mute;
	}
	r = open_adopt(fd, &o);
	if (!r)
		return &tally_mute;
	r->tally.flags = PROV_TALLY_INHERITED | mode_flags((int)sys2(SYS_fcntl, fd, F_GETFL));
	r->tally.refs = 1;
	record_end(r);
	if (__atomic_compare_exchange_n(slot, &none, &r->tally, 0, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return &r->tally;
	/* another thread has found it at the same time */
	r->tally.closed = r->tally.opened;
	__atomic_store_n(&r->tally.refs, 0, __ATOMIC_RELEASE);
	return none;
}

/* The collector settles a record 200 ms after its last close at the earliest. */
#define SETTLED INT64_C(100000000)

int held_late(struct held h)
{
	static const char kind[] = "closed";
	static const char why[] = "a descriptor was closed while another thread waited in it; what "
				  "came through is not counted";
	uint64_t closed = __atomic_load_n(&h.tally->closed, __ATOMIC_RELAXED);

	if (h.tally == &tally_mute)
		return 0;
	if (__atomic_load_n(&h.tally->opened, __ATOMIC_RELAXED) == h.opened &&
	    (int64_t)(now_coarse() - closed) < SETTLED)
		return 1;
	hole_say(kind, sizeof(kind), why, sizeof(why));
	return 0;
}

int tally_late(struct prov_tally *t, uint64_t opened)
{
	return held_late((struct held){ .tally = t, .opened = opened });
}

static void tally_cut_now(struct prov_tally *t, int created, uint64_t now)
{
	(void)__atomic_fetch_or(&t->flags, created ? PROV_TALLY_CREATED : PROV_TALLY_TRUNCATED,
				__ATOMIC_RELAXED);
	__atomic_store_n(&t->cut, now, __ATOMIC_RELAXED);
}

/* A vfork child opens in its own table, which is not the one we keep. */
static void open_elsewhere(int fd, const struct prov_object *o, int cut, int created)
{
	struct prov_open *r = open_adopt(fd, o);

	if (!r)
		return;
	r->pid = (uint32_t)sys0(SYS_getpid);
	r->tally.flags = PROV_TALLY_RENUMBERED;
	if (cut)
		tally_cut_now(&r->tally, created, r->head.time);
	r->tally.closed = r->head.time;
	record_end(r);
}

static struct prov_open *open_here(int fd, int dirfd, const char *path, int open_flags,
				   const struct prov_object *o)
{
	char *real = scratch_take();
	struct prov_open *r = NULL;
	uint16_t flags = 0;
	size_t size;

	if (real) {
		size = folder_name(fd, dirfd, path, open_flags, o, real, &flags);
		if (size == 0)
			size = name_of_entry(dirfd, path, real, &flags);
		r = open_record(o, real, size, flags);
	}
	scratch_give(real);
	return r;
}

void tally_open(int fd, int dirfd, const char *path, int flags, int64_t born)
{
	int created, cut;
	struct prov_object o;
	struct prov_tally *t;
	struct prov_open *r;
	uint64_t name;

	if (fd < 0 || !image_ready() || object_of_fd(fd, &o) < 0)
		return;
	created = folder_is_born(&o, born);
	cut = created || flags & O_TRUNC;
	if (!image.split && !image_is_mine()) {
		foreign_begin(fd);
		if (!(flags & O_PATH) && !is_uninteresting(&o))
			open_elsewhere(fd, &o, cut, created);
		return;
	}
	if (flags & O_PATH || is_uninteresting(&o)) {
		slot_set(fd, &tally_mute);
		return;
	}
	if (tally_granularity() == PROV_OFF) {
		/* found again when it is used in finer times */
		slot_set(fd, NULL);
		return;
	}
	name = text_hash(path, ((uint64_t)(uint32_t)dirfd << 32) ^ image.names);
	t = image.split ? split_known(&o) : known_again(&o, name);
	if (t) {
		if (image.split)
			tally_hold(t);
		if (cut)
			tally_cut_now(t, created, now_exact());
		if (mode_flags(flags) & ~t->flags)
			(void)__atomic_fetch_or(&t->flags, mode_flags(flags), __ATOMIC_RELAXED);
		slot_set(fd, t);
		return;
	}
	r = open_here(fd, dirfd, path, flags, &o);
	if (!r) {
		slot_set(fd, &tally_mute);
		return;
	}
	r->tally.refs = 1;
	if (cut)
		tally_cut_now(&r->tally, created, r->head.time);
	r->tally.flags |= mode_flags(flags);
	record_end(r);
	if (image.split) {
		split_learn(&o, &r->tally);
		return;
	}
	known_keep(&o, name, &r->tally);
	slot_set(fd, &r->tally);
}

void tally_cut_path(const char *path)
{
	struct prov_object o;
	struct prov_open *r;
	long fd;

	if (!image_ready() || object_at(AT_FDCWD, path, 0, &o) < 0)
		return;
	fd = sys4(SYS_openat, AT_FDCWD, path, O_PATH | O_CLOEXEC, 0);
	r = open_here((int)fd, AT_FDCWD, path, 0, &o);
	if (fd >= 0)
		(void)sys1(SYS_close, fd);
	if (!r)
		return;
	if (o.size == 0)
		tally_cut_now(&r->tally, 0, r->head.time);
	else
		r->tally.writes = 1;
	r->tally.first_write = r->tally.last_write = r->tally.closed = r->head.time;
	record_end(r);
}

struct prov_tally *tally_detach(int fd)
{
	struct prov_tally **slot = fd >= 0 ? slot_of(fd, 0) : NULL;

	if (!slot || (!image.foreigns && !__atomic_load_n(slot, __ATOMIC_RELAXED)))
		return NULL;
	if (!image_is_mine()) {
		foreign_close(fd);
		return NULL;
	}
	if (image.foreigns)
		slot = own_slot(fd, 0);
	return __atomic_exchange_n(slot, NULL, __ATOMIC_ACQ_REL);
}

void tally_restore(int fd, struct prov_tally *t)
{
	struct prov_tally **slot = slot_of(fd, 0), *none = NULL;

	if (!slot ||
	    !__atomic_compare_exchange_n(slot, &none, t, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		tally_release(t);
}

void tally_detach_range(unsigned from, unsigned to)
{
	unsigned last = FD_NEAR + FD_TABLES * FD_TABLE - 1;

	if (!image_counts() || !image_is_mine())
		return;
	if (image.foreigns)
		foreign_settle();
	for (unsigned fd = from; fd <= to && fd <= last; fd++) {
		struct prov_tally **slot = slot_of((int)fd, 0), *t;

		if (!slot) {
			/* to the last of a table that does not exist */
			fd += FD_TABLE - 1 - (fd - FD_NEAR) % FD_TABLE;
			continue;
		}
		t = __atomic_exchange_n(slot, NULL, __ATOMIC_ACQ_REL);
		if (t)
			tally_release(t);
	}
}

void tally_duplicate(int from, int to)
{
	struct prov_tally **slot, *t;

	if (!image_counts())
		return;
	if (!image.split && !image_is_mine()) {
		foreign_begin(to);
		return;
	}
	slot = own_slot(from, 0);
	t = slot ? __atomic_load_n(slot, __ATOMIC_ACQUIRE) : NULL;
	if (t && t != &tally_mute)
		tally_hold(t);
	slot_set(to, t);
}

void tally_directory(int fd)
{
	struct held h = read_begin(tally_of(fd));

	(void)__atomic_fetch_or(&h.tally->flags, PROV_TALLY_DIRECTORY_READ, __ATOMIC_RELAXED);
	tally_after_read(h, 0);
}

void tally_read_by_libc(int fd)
{
	struct prov_tally *t;

	/* a vfork child's descriptor has no slot; the parent's has the same number */
	if (image.state != IMAGE_ON || !image_is_mine())
		return;
	t = read_begin(tally_of(fd)).tally;
	(void)__atomic_fetch_or(&t->flags, PROV_TALLY_MAP_READ, __ATOMIC_RELAXED);
	t->last_read = t->first_read;
}

void tally_cut(int fd)
{
	struct prov_tally *t = tally_of(fd);

	if (t != &tally_mute)
		tally_cut_now(t, 0, now_exact());
}

void tally_touch_write(int fd)
{
	tally_after_write(tally_before_write(fd), 0);
}
