/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef SHIM_TALLY_H
#define SHIM_TALLY_H
#include <stdint.h>
#include <sys/types.h>

#include "image.h"
/*
 * Counting what goes through descriptors. A descriptor's slot points to the
 * tally inside the record of its opening; an empty slot is a descriptor that
 * somebody else opened (a parent, another process through a socket, code that
 * bypasses libc) and is looked up when it is first used.
 */

/* Counts for descriptors of no interest; private, never read. */
extern struct prov_tally tally_mute;
/* Points to a byte that is not 0 while the process has one thread. */
extern const char *tally_alone HERE;
/* What is to be noted, enum prov_granularity; it may change any time. Where it
 * stands is kept as a distance: a pointer would be NULL for those who call
 * before this library is relocated. */
extern const int32_t tally_every_access HERE;
extern intptr_t tally_granularity_at HERE;

static inline int32_t tally_granularity(void)
{
	const char *at = (const char *)&tally_every_access + tally_granularity_at;

	return __atomic_load_n((const int32_t *)(const void *)at, __ATOMIC_RELAXED);
}

/* Threads that libc does not know of may count from now on. */
void tally_crowded(void);

struct prov_tally *tally_find(int fd);	/* never NULL */
/* Where the tally of a descriptor stands; NULL when the number is too high. */
struct prov_tally **tally_slot(int fd);
/* The record, to be completed, of a descriptor that somebody else opened; or NULL. */
struct prov_open *open_adopt(int fd, const struct prov_object *o);

/* After a successful open. born: 1 it did not exist before, 0 it did; else as
 * folder_birth_clock() has said. */
void tally_open(int fd, int dirfd, const char *path, int flags, int64_t born);
/* A content change by path, without a descriptor (truncate). */
void tally_cut_path(const char *path);
/* Before close and before a descriptor is replaced; -1 leaves fd unused. */
struct prov_tally *tally_detach(int fd);
void tally_detach_range(unsigned from, unsigned to);
void tally_hold(struct prov_tally *t);	/* one descriptor more */
void tally_release(struct prov_tally *t);	/* one descriptor less */
void tally_restore(int fd, struct prov_tally *t);	/* the close failed after all */
void tally_duplicate(int from, int to);
void tally_map(int fd, int prot, int flags, uintptr_t at, size_t size);
void tally_protect(uintptr_t at, size_t size);	/* became writable */
void tally_remap(uintptr_t at, size_t size, uintptr_t to, size_t new_size);
void tally_directory(int fd);
void tally_read_by_libc(int fd);	/* it will read or map what it has opened */
void tally_cut(int fd);		/* ftruncate to nothing */
void tally_touch_write(int fd);	/* content changed without a byte count */

static inline struct prov_tally *tally_of(int fd)
{
	if ((unsigned)fd < FD_NEAR) {
		struct prov_tally *t = __atomic_load_n(&image.fd[fd], __ATOMIC_ACQUIRE);

		if (__builtin_expect(t != NULL, 1))
			return t;
	}
	return tally_find(fd);
}

/*
 * A tally while a call is under way. The call may block for hours; meanwhile
 * another thread can close the descriptor, the collector settle the record, and
 * its memory become another record's. The time of opening tells which it is.
 */
struct held {
	struct prov_tally *tally;
	uint64_t opened;
	/* where each call is noted by itself, else 0: */
	uint64_t since;
	int64_t at;	/* offset of its own, or one of these */
	int fd;
};

#define AT_POSITION (-1)	/* where the descriptor stands */
#define AT_UNKNOWN  (-2)

/* Where not every access is to be counted, or more than that. */
struct held held_read(int fd, int64_t at);
struct held held_write(int fd, int64_t at);
/* After a call that moved so many bytes. */
void transfer_note(struct held h, uint64_t bytes, uint32_t written);

static inline int tally_is_usual(void)
{
	return __builtin_expect(tally_granularity() == PROV_FIRST_LAST, 1);
}

static inline struct held held_of(struct prov_tally *t)
{
	return (struct held){ .tally = t, .opened = __atomic_load_n(&t->opened, __ATOMIC_RELAXED) };
}

/* May the call be counted although its descriptor was closed meanwhile? Not
 * when the record may have been settled; a hole says so then. */
int held_late(struct held h);

static inline int held_still(struct held h)
{
	if (__builtin_expect(__atomic_load_n(&h.tally->opened, __ATOMIC_RELAXED) == h.opened &&
				     __atomic_load_n(&h.tally->refs, __ATOMIC_RELAXED),
			     1))
		return 1;
	return held_late(h);
}

/* One instruction each, so that a signal handler that does I/O cannot come
 * between; the lock prefix costs 5 ns and is only paid with several threads. */
static inline void count(uint64_t *calls, uint64_t *bytes, uint64_t n)
{
#if defined(__x86_64__)
	if (__builtin_expect(*(const volatile char *)tally_alone != 0, 1)) {
		__asm__ volatile("addq $1, %0" : "+m"(*calls));
		__asm__ volatile("addq %1, %0" : "+m"(*bytes) : "er"(n));
		return;
	}
#endif
	__atomic_fetch_add(calls, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(bytes, n, __ATOMIC_RELAXED);
}

static inline struct held read_begin(struct prov_tally *t)
{
	if (__builtin_expect(__atomic_load_n(&t->first_read, __ATOMIC_RELAXED) == 0, 0))
		__atomic_store_n(&t->first_read, now_exact(), __ATOMIC_RELAXED);
	return held_of(t);
}

static inline struct held write_begin(struct prov_tally *t)
{
	if (__builtin_expect(__atomic_load_n(&t->first_write, __ATOMIC_RELAXED) == 0, 0))
		__atomic_store_n(&t->first_write, now_exact(), __ATOMIC_RELAXED);
	return held_of(t);
}

/* Before a call that may read or write, so that "first" is never too late. */
static inline struct held tally_before_read_at(int fd, int64_t at)
{
	return tally_is_usual() ? read_begin(tally_of(fd)) : held_read(fd, at);
}

static inline struct held tally_before_write_at(int fd, int64_t at)
{
	return tally_is_usual() ? write_begin(tally_of(fd)) : held_write(fd, at);
}

static inline struct held tally_before_read(int fd)
{
	return tally_before_read_at(fd, AT_POSITION);
}

static inline struct held tally_before_write(int fd)
{
	return tally_before_write_at(fd, AT_POSITION);
}

/* The tally of a descriptor that has been read (written) before, where nothing
 * but counting is asked for; else NULL. */
static inline struct prov_tally *tally_read_before(int fd)
{
	struct prov_tally *t;

	if (__builtin_expect((unsigned)fd >= FD_NEAR, 0) || !tally_is_usual())
		return NULL;
	t = __atomic_load_n(&image.fd[fd], __ATOMIC_ACQUIRE);
	return t && __atomic_load_n(&t->first_read, __ATOMIC_RELAXED) ? t : NULL;
}

static inline struct prov_tally *tally_write_before(int fd)
{
	struct prov_tally *t;

	if (__builtin_expect((unsigned)fd >= FD_NEAR, 0) || !tally_is_usual())
		return NULL;
	t = __atomic_load_n(&image.fd[fd], __ATOMIC_ACQUIRE);
	return t && __atomic_load_n(&t->first_write, __ATOMIC_RELAXED) ? t : NULL;
}

static inline void tally_after_read(struct held h, ssize_t n)
{
	struct prov_tally *t = h.tally;

	if (__builtin_expect(n < 0, 0) || !held_still(h))
		return;
	count(&t->reads, &t->bytes_read, (uint64_t)n);
	__atomic_store_n(&t->last_read, now_coarse(), __ATOMIC_RELAXED);
	if (__builtin_expect(h.since != 0, 0))
		transfer_note(h, (uint64_t)n, 0);
}

static inline void tally_after_write(struct held h, ssize_t n)
{
	struct prov_tally *t = h.tally;

	if (__builtin_expect(n < 0, 0) || !held_still(h))
		return;
	count(&t->writes, &t->bytes_written, (uint64_t)n);
	__atomic_store_n(&t->last_write, now_coarse(), __ATOMIC_RELAXED);
	if (__builtin_expect(h.since != 0, 0))
		transfer_note(h, (uint64_t)n, 1);
}

/* After a call whose tally tally_read_before() (tally_write_before()) has found,
 * with the time of opening that it had then. */
int tally_late(struct prov_tally *t, uint64_t opened);	/* as held_late() */

static inline int tally_still(struct prov_tally *t, uint64_t opened)
{
	return __builtin_expect(__atomic_load_n(&t->opened, __ATOMIC_RELAXED) == opened &&
					__atomic_load_n(&t->refs, __ATOMIC_RELAXED),
				1) ||
	       tally_late(t, opened);
}

static inline void tally_was_read(struct prov_tally *t, uint64_t opened, size_t n)
{
	if (!tally_still(t, opened))
		return;
	count(&t->reads, &t->bytes_read, n);
	__atomic_store_n(&t->last_read, now_coarse(), __ATOMIC_RELAXED);
}

static inline void tally_was_written(struct prov_tally *t, uint64_t opened, size_t n)
{
	if (!tally_still(t, opened))
		return;
	count(&t->writes, &t->bytes_written, n);
	__atomic_store_n(&t->last_write, now_coarse(), __ATOMIC_RELAXED);
}
#endif
