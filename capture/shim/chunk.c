/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* chunk.c - room for the records of an image */
#include "chunk.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "known.h"
#include "sys.h"
#include "text.h"

/* Signals that come faster than this takes interrupt it again and again. */
static int memory_reserve(int fd, uint64_t offset)
{
	long r;

	do
		r = sys4(SYS_fallocate, fd, 0, offset, PROV_CHUNK_SIZE);
	while (r == -EINTR);
	return r < 0 ? -1 : 0;
}

/* A chunk of the file in this image's place for its n-th. */
static struct prov_chunk *chunk_map(int fd, uint64_t offset, uint32_t n)
{
	void *at = n < CHUNKS_KEPT ? session.chunk_at[n] : NULL;
	/* who needs a second chunk will fill it */
	long r = sys6(SYS_mmap, at, PROV_CHUNK_SIZE, PROT_READ | PROT_WRITE,
		      MAP_SHARED | (at ? MAP_FIXED : 0) | (n ? MAP_POPULATE : 0), fd, offset);

	if (sys_failed(r))
		return NULL;
	if (n < CHUNKS_KEPT)
		session.chunk_at[n] = (void *)r;
	return (struct prov_chunk *)r;
}

/* Where the at-th own chunk is noted; NULL: nowhere. */
static struct prov_chunk **chunk_place(uint32_t at)
{
	struct prov_chunk **table = __atomic_load_n(&image.more_chunks, __ATOMIC_ACQUIRE);
	struct prov_chunk **none = NULL;
	size_t size = CHUNKS_MORE * sizeof(*table);
	long r;

	if (at < CHUNKS_KEPT)
		return &image.chunks[at];
	if (at - CHUNKS_KEPT >= CHUNKS_MORE)
		return NULL;
	if (!table) {
		r = sys6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (sys_failed(r))
			return NULL;
		table = (struct prov_chunk **)r;
		if (!__atomic_compare_exchange_n(&image.more_chunks, &none, table, 0,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			(void)sys2(SYS_munmap, table, size);
			table = none;
		}
	}
	return &table[at - CHUNKS_KEPT];
}

struct prov_chunk *chunk_claim(int fd)
{
	uint32_t pid = image.pid | (image.pid_space ? PROV_OWNER_ELSEWHERE : 0);
	uint32_t n = __atomic_fetch_add(&image.n_chunks, 1, __ATOMIC_RELAXED);
	struct prov_arena *a = session.arena;
	uint32_t ready = __atomic_load_n(&a->ready, __ATOMIC_ACQUIRE);
	uint32_t first = __atomic_load_n(&a->hint, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < a->chunks; i++) {
		uint32_t at = (first + i) % a->chunks, none = 0;
		uint64_t offset = PROV_CHUNKS_AT + (uint64_t)at * PROV_CHUNK_SIZE;
		struct prov_chunk *c = NULL, **place;

		if (__atomic_load_n(&session.owners[at], __ATOMIC_RELAXED) != 0 ||
		    !__atomic_compare_exchange_n(&session.owners[at], &none, pid, 0,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		__atomic_store_n(&a->hint, at + 1, __ATOMIC_RELAXED);
		/* touching a page that tmpfs has no room for would kill the
		 * program (SIGBUS): make sure of the memory first */
		if (at < ready || memory_reserve(fd, offset) == 0)
			c = chunk_map(fd, offset, n);
		place = c ? chunk_place(n) : NULL;
		if (!c)
			__atomic_store_n(&session.owners[at], 0, __ATOMIC_RELEASE);
		else if (place)
			__atomic_store_n(place, c, __ATOMIC_RELEASE);
		return c;
	}
	return NULL;
}

void chunk_init(struct prov_chunk *c, uint32_t seq)
{
	c->pid = image.pid;
	c->start = image.start;
	c->seq = seq;
	c->pid_space = image.pid_space;
	__atomic_store_n(&c->tail, PROV_CHUNK_HEAD, __ATOMIC_RELAXED);
	__atomic_store_n(&c->magic, PROV_CHUNK_MAGIC, __ATOMIC_RELEASE);
}

/* An own chunk that the collector is done with and no descriptor points into. */
static struct prov_chunk *chunk_reuse(void)
{
	uint32_t n = __atomic_load_n(&image.n_chunks, __ATOMIC_RELAXED),
		 from = __atomic_load_n(&image.reuse_at, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < n && i < CHUNKS_KEPT; i++) {
		uint32_t at = (from + i) % n;
		struct prov_chunk **place = chunk_place(at);
		struct prov_chunk *c = place ? __atomic_load_n(place, __ATOMIC_ACQUIRE) : NULL;
		uint32_t yes = 1;

		/* 2: taken, so that two threads do not take it at once */
		if (c && c != __atomic_load_n(&image.chunk, __ATOMIC_RELAXED) &&
		    __atomic_compare_exchange_n(&c->drained, &yes, 2, 0, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED)) {
			if (known_forget(c) < 0) {
				__atomic_store_n(&c->drained, 1, __ATOMIC_RELEASE);
				continue;
			}
			memset((char *)c + PROV_CHUNK_HEAD, 0, PROV_CHUNK_SIZE - PROV_CHUNK_HEAD);
			__atomic_store_n(&image.reuse_at, at + 1, __ATOMIC_RELAXED);
			return c;
		}
	}
	__atomic_store_n(&image.reuse_at, from + CHUNKS_KEPT, __ATOMIC_RELAXED);
	return NULL;
}

static int chunk_next(struct prov_chunk *full)
{
	struct prov_chunk *c = chunk_reuse();
	uint32_t seq = full->seq + 1;

	if (!c) {
		long fd = sys4(SYS_openat, AT_FDCWD, session.path, O_RDWR | O_CLOEXEC, 0);

		if (fd < 0)
			return -1;
		c = chunk_claim((int)fd);
		(void)sys1(SYS_close, fd);
		if (!c)
			return -1;
	}
	chunk_init(c, seq);
	__atomic_store_n(&c->drained, 0, __ATOMIC_RELEASE);
	/* another thread may have been faster: ours then stays empty until the
	 * image ends, and theirs is used */
	__atomic_compare_exchange_n(&image.chunk, &full, c, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	return 0;
}

static struct prov_record *chunk_reserve(struct prov_chunk *c, uint32_t size)
{
	uint32_t at = __atomic_load_n(&c->tail, __ATOMIC_ACQUIRE);

	while (at + size <= PROV_CHUNK_SIZE) {
		struct prov_record *r = (struct prov_record *)((char *)c + at);
		uint32_t word = 0, step;

		if (__atomic_compare_exchange_n(&r->word, &word, size | PROV_RECORD_BUSY, 0,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			__atomic_store_n(&c->tail, at + size, __ATOMIC_RELEASE);
			return r;
		}
		step = word & PROV_RECORD_SIZE;
		if (step < sizeof(*r) || step % 8)
			return NULL;
		at += step;
	}
	return NULL;
}

static void *record_in(struct prov_chunk *c, uint32_t type, uint32_t size)
{
	struct prov_record *r = chunk_reserve(c, size);

	if (r) {
		r->type = (uint16_t)type;
		r->time = now_exact();
	}
	return r;
}

void *record_begin(uint32_t type, size_t size)
{
	size = (size + 7) & ~(size_t)7;
	for (int tries = 0; size <= PROV_RECORD_MAX && tries < 8; tries++) {
		struct prov_chunk *c = __atomic_load_n(&image.chunk, __ATOMIC_ACQUIRE);
		void *r;

		if (!c)
			return NULL;
		r = record_in(c, type, (uint32_t)size);
		if (r)
			return r;
		if (session.sealed || chunk_next(c) < 0)
			break;
	}
	if (image.chunk)
		__atomic_fetch_add(&image.chunk->lost, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&session.arena->lost[PROV_LOST_RECORD], 1, __ATOMIC_RELAXED);
	return NULL;
}

void record_end(void *record)
{
	struct prov_record *r = record;

	uint32_t size = __atomic_load_n(&r->word, __ATOMIC_RELAXED) & PROV_RECORD_SIZE;

	__atomic_store_n(&r->word, size | PROV_RECORD_READY, __ATOMIC_RELEASE);
}
