/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* tables.c - descriptors of threads and children with a table of their own */
#include "tables.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "name.h"
#include "sys.h"

#define SPLIT_SIZE 1024u	/* objects; a power of two */
#define SPLIT_NEAR 16u		/* how far from its place an object may stand */

static struct known *split_place(const struct prov_object *o)
{
	uint64_t h = (o->ino * UINT64_C(0x9e3779b97f4a7c15)) ^ (uint64_t)o->btime ^ o->dev_minor;

	return &image.split[(h ^ h >> 32) & (SPLIT_SIZE - SPLIT_NEAR)];
}

struct prov_tally *split_known(const struct prov_object *o)
{
	struct known *k = split_place(o);

	for (unsigned i = 0; i < SPLIT_NEAR; i++, k++) {
		struct prov_tally *t = __atomic_load_n(&k->tally, __ATOMIC_ACQUIRE);

		if (t && k->ino == o->ino && k->btime == o->btime &&
		    k->dev == ((uint64_t)o->dev_major << 32 | o->dev_minor))
			return t;
	}
	return NULL;
}

void split_learn(const struct prov_object *o, struct prov_tally *t)
{
	struct known *k = split_place(o);

	for (unsigned i = 0; i < SPLIT_NEAR; i++, k++) {
		uint64_t none = 0;

		/* one that finds no place has a record for each use */
		if (!__atomic_compare_exchange_n(&k->name, &none, 1, 0, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		k->ino = o->ino;
		k->dev = (uint64_t)o->dev_major << 32 | o->dev_minor;
		k->btime = o->btime;
		__atomic_store_n(&k->tally, t, __ATOMIC_RELEASE);
		return;
	}
}

struct prov_tally *split_find(int fd)
{
	struct prov_tally *t;
	struct prov_object o;
	struct prov_open *r;

	if (object_of_fd(fd, &o) < 0 || (o.mode & S_IFMT) == 0)
		return &tally_mute;
	t = split_known(&o);
	if (t)
		return t;
	r = open_adopt(fd, &o);
	if (!r)
		return &tally_mute;
	r->tally.flags = PROV_TALLY_INHERITED;
	r->tally.refs = 1;
	record_end(r);
	split_learn(&o, &r->tally);
	return &r->tally;
}

static void slot_hand_over(struct prov_tally **slot)
{
	struct prov_tally *t = __atomic_exchange_n(slot, NULL, __ATOMIC_ACQ_REL);

	/* its reference stays: nobody can say any more when it is closed */
	if (t && t != &tally_mute) {
		const char *at = (const char *)t - offsetof(struct prov_open, tally);

		split_learn(&((const struct prov_open *)at)->object, t);
	}
}

void tables_split(void)
{
	struct known *none = NULL;
	long r;

	if (!image_ready() || image.split)
		return;
	r = sys6(SYS_mmap, 0, SPLIT_SIZE * sizeof(*none), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(r) || !__atomic_compare_exchange_n(&image.split, &none, (struct known *)r,
							   0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	for (unsigned i = 0; i < FD_NEAR; i++)
		slot_hand_over(&image.fd[i]);
	for (unsigned i = 0; i < FD_TABLES; i++)
		for (unsigned k = 0; image.far[i] && k < FD_TABLE; k++)
			slot_hand_over(&image.far[i][k]);
}

static struct foreign *foreign_of(uint32_t child, int fd)
{
	for (unsigned i = 0; i < FOREIGNS; i++) {
		struct foreign *f = &image.foreign[i];
		uint64_t key = __atomic_load_n(&f->key, __ATOMIC_ACQUIRE);

		if (key == ((uint64_t)child << 32 | ((uint32_t)fd + 1)))
			return f;
	}
	return NULL;
}

/* A child that has become another program, or a dead one, waited for or not. */
static int is_gone(const struct foreign *f, int mine)
{
	uint32_t child = (uint32_t)(f->key >> 32);
	siginfo_t info;

	/* and in a sandbox nothing may be asked */
	if (__atomic_load_n(&f->gone, __ATOMIC_ACQUIRE) || session.sealed)
		return 1;
	if (!mine)
		return child != (uint32_t)sys0(SYS_getpid) && sys2(SYS_kill, child, 0) == -ESRCH;
	/* the only thread had to wait until it was */
	if (*(const volatile char *)tally_alone)
		return 1;
	info.si_pid = 0;
	return sys5(SYS_waitid, P_PID, child, &info, WEXITED | WNOHANG | WNOWAIT, 0) < 0 ||
	       info.si_pid;
}

static void foreign_forget(struct foreign *f)
{
	struct prov_tally *t = __atomic_exchange_n(&f->theirs, NULL, __ATOMIC_ACQ_REL);

	if (t)
		tally_release(t);
}

/* To the slot, or to another child that has moved the same number. */
static void give_back(struct foreign *from, uint64_t key)
{
	struct prov_tally **slot = tally_slot((int)(uint32_t)key - 1), *none = NULL, *t;

	t = __atomic_exchange_n(&from->ours, NULL, __ATOMIC_ACQ_REL);
	if (!t)
		return;
	for (unsigned i = 0; i < FOREIGNS; i++) {
		struct foreign *f = &image.foreign[i];

		if (f != from && (uint32_t)f->key == (uint32_t)key && !f->gone)
			slot = &f->ours;
	}
	if (!slot || !__atomic_compare_exchange_n(slot, &none, t, 0, __ATOMIC_ACQ_REL,
						  __ATOMIC_RELAXED))
		tally_release(t);
}

static void settle(int mine)
{
	for (unsigned i = 0; i < FOREIGNS; i++) {
		struct foreign *f = &image.foreign[i];
		uint64_t key = __atomic_load_n(&f->key, __ATOMIC_ACQUIRE);

		if (!key || !is_gone(f, mine))
			continue;
		foreign_forget(f);
		give_back(f, key);
		if (__atomic_compare_exchange_n(&f->key, &key, 0, 0, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			__atomic_sub_fetch(&image.foreigns, 1, __ATOMIC_ACQ_REL);
	}
}

void foreign_settle(void)
{
	settle(1);
}

struct prov_tally **foreign_kept(int fd)
{
	struct foreign *found = NULL;

	for (unsigned i = 0; i < FOREIGNS; i++) {
		struct foreign *f = &image.foreign[i];

		if ((uint32_t)__atomic_load_n(&f->key, __ATOMIC_ACQUIRE) == (uint32_t)fd + 1 &&
		    (!found || f->ours))
			found = f;
	}
	return found ? &found->ours : NULL;
}

void foreign_gone(uint32_t child)
{
	for (unsigned i = 0; i < FOREIGNS; i++)
		if (image.foreign[i].key >> 32 == child)
			__atomic_store_n(&image.foreign[i].gone, 1, __ATOMIC_RELEASE);
}

void foreign_leave(void)
{
	foreign_gone((uint32_t)sys0(SYS_getpid));
}

static struct foreign *foreign_new(uint32_t child, int fd)
{
	struct prov_tally **slot = tally_slot(fd), *t;

	if (!slot)
		return NULL;
	settle(0);
	for (unsigned i = 0; i < FOREIGNS; i++) {
		struct foreign *f = &image.foreign[i];
		uint64_t none = 0;

		if (!__atomic_compare_exchange_n(&f->key, &none,
						 (uint64_t)child << 32 | ((uint32_t)fd + 1), 0,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		f->gone = 0;
		__atomic_add_fetch(&image.foreigns, 1, __ATOMIC_ACQ_REL);
		t = __atomic_exchange_n(slot, NULL, __ATOMIC_ACQ_REL);
		if (t)
			t = __atomic_exchange_n(&f->ours, t, __ATOMIC_ACQ_REL);
		/* what a thread has found there while the slot was empty */
		if (t)
			tally_release(t);
		return f;
	}
	return NULL;
}

void foreign_begin(int fd)
{
	uint32_t child = (uint32_t)sys0(SYS_getpid);
	struct foreign *f = foreign_of(child, fd);

	if (f)
		foreign_forget(f);
	else
		(void)foreign_new(child, fd);
}

struct prov_tally *foreign_find(int fd)
{
	uint32_t child = (uint32_t)sys0(SYS_getpid);
	struct foreign *f = foreign_of(child, fd);
	struct prov_object o;
	struct prov_open *r;

	if (!f)
		f = foreign_new(child, fd);
	if (!f || object_of_fd(fd, &o) < 0 || (o.mode & S_IFMT) == 0)
		return &tally_mute;
	/* after an exec that has failed it is back */
	f->gone = 0;
	if (f->theirs)
		return f->theirs;
	r = open_adopt(fd, &o);
	if (!r)
		return &tally_mute;
	r->tally.flags = PROV_TALLY_INHERITED;
	r->tally.refs = 1;
	record_end(r);
	f->theirs = &r->tally;
	return f->theirs;
}

void foreign_close(int fd)
{
	struct foreign *f = foreign_of((uint32_t)sys0(SYS_getpid), fd);

	if (f)
		foreign_forget(f);
}
