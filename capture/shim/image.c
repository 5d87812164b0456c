/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* image.c - the beginning of an image, and room for its records */
#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/mman.h>

#include "elf.h"
#include "known.h"
#include "program.h"
#include "sys.h"
#include "text.h"

/* The state of a forked child must read as zero before anything of ours runs. */
struct image image;
_Static_assert(sizeof(image) % 4096 == 0, "a fork must wipe the image and nothing else");
struct session session IN_DATA;

#define SESSION_NUMBERS 4	/* in PROV_SESSION, behind the path */

#define CLOCK_CALLS 16	/* before the vDSO is worth its pages */

/*
 * The kernel's own page of code reads a clock several times faster than a
 * system call does, but a program that has not touched it yet pays some us for
 * its pages: a short one is better off without. Sealed, there is no choice.
 */
static clock_function clock_find(void)
{
	if (!session.sealed &&
	    __atomic_add_fetch(&image.clock_calls, 1, __ATOMIC_RELAXED) != CLOCK_CALLS)
		return NULL;
	image.clock = (clock_function)elf_find_any("__vdso_clock_gettime");
	return image.clock;
}

static uint64_t clock_read(clockid_t id)
{
	clock_function read = __atomic_load_n(&image.clock, __ATOMIC_RELAXED);
	struct timespec t;

	if (__builtin_expect(!read, 0))
		read = clock_find();
	/* the coarse clock is read from memory alone */
	if (!read || (id != CLOCK_MONOTONIC_COARSE && session.no_counter) || read(id, &t) != 0)
		(void)sys2(SYS_clock_gettime, id, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

void now_without_counter(void)
{
	session.no_counter = 1;
}

uint64_t now_exact(void)
{
	/* strict seccomp forbids the time stamp counter too */
	uint64_t t = clock_read(session.sealed ? CLOCK_MONOTONIC_COARSE : CLOCK_MONOTONIC);
	uint64_t stamp = __atomic_load_n(&image.stamp, __ATOMIC_RELAXED);

	/* another thread may have read it later and been here earlier */
	while (stamp < t && !__atomic_compare_exchange_n(&image.stamp, &stamp, t, 0,
							 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return t;
}

uint64_t now_by_kernel(void)
{
	return clock_read(CLOCK_MONOTONIC_COARSE);
}

/* Its content is nobody's business after a fork: wiped, it need not be copied. */
static char *scratch_map(void)
{
	size_t size = (size_t)(SCRATCHES - 1) * SCRATCH_ROOM;
	char *rooms = __atomic_load_n(&session.scratch, __ATOMIC_ACQUIRE);
	long r;

	if (rooms || session.sealed)
		return rooms;
	r = sys6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(r))
		return NULL;
	(void)sys3(SYS_madvise, r, size, MADV_WIPEONFORK);
	if (__atomic_compare_exchange_n(&session.scratch, &rooms, (char *)r, 0, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return (char *)r;
	(void)sys2(SYS_munmap, r, size);
	return rooms;
}

static char *scratch_room(unsigned i)
{
	char *rooms = i == 0 ? image.scratch : scratch_map();

	return i == 0 || !rooms ? rooms : rooms + (size_t)(i - 1) * SCRATCH_ROOM;
}

void *scratch_take(void)
{
	long r;

	for (unsigned i = 0; i < SCRATCHES; i++) {
		uint32_t no = 0;

		if (!__atomic_load_n(&image.scratch_taken[i], __ATOMIC_RELAXED) &&
		    __atomic_compare_exchange_n(&image.scratch_taken[i], &no, 1, 0,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
			char *room = scratch_room(i);

			if (!room)
				__atomic_store_n(&image.scratch_taken[i], 0, __ATOMIC_RELEASE);
			return room;
		}
	}
	r = sys6(SYS_mmap, 0, SCRATCH_ROOM, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return sys_failed(r) ? NULL : (void *)r;
}

void scratch_give(void *room)
{
	char *p = room, *rooms = __atomic_load_n(&session.scratch, __ATOMIC_ACQUIRE);

	if (!p)
		return;
	if (p == image.scratch) {
		__atomic_store_n(&image.scratch_taken[0], 0, __ATOMIC_RELEASE);
	} else if (rooms && p >= rooms && p < rooms + (size_t)(SCRATCHES - 1) * SCRATCH_ROOM) {
		size_t i = (size_t)(p - rooms) / SCRATCH_ROOM + 1;

		__atomic_store_n(&image.scratch_taken[i], 0, __ATOMIC_RELEASE);
	} else {
		(void)sys2(SYS_munmap, p, SCRATCH_ROOM);
	}
}

int session_set(const char *value)
{
	uint64_t number[SESSION_NUMBERS];
	const char *end = value + text_size(value) - 1;

	/* the path comes first and may have commas itself */
	for (int i = SESSION_NUMBERS; i--;) {
		while (end > value && end[-1] != ',')
			end--;
		if (end == value || !text_parse(end--, &number[i]))
			return -1;
	}
	if (end == value || (size_t)(end - value) >= sizeof(session.path))
		return -1;
	memcpy(session.path, value, (size_t)(end - value));
	session.path[end - value] = 0;
	session.parent_pid = (uint32_t)number[0];
	session.parent_start = number[1];
	session.program_dev = number[2];
	session.program_ino = number[3];
	return 0;
}

static int arena_map(int fd)
{
	struct prov_arena *a;
	long r, size;

	if (session.arena)
		return 0;
	/* touching what lies behind its end would kill the program */
	size = sys3(SYS_lseek, fd, 0, 2 /* SEEK_END */);
	if (size < (long)PROV_CHUNKS_AT)
		return -1;
	r = sys6(SYS_mmap, 0, PROV_CHUNKS_AT, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (sys_failed(r))
		return -1;
	a = (struct prov_arena *)r;
	if (a->magic != PROV_ARENA_MAGIC || a->version != PROV_ARENA_VERSION ||
	    a->chunk_size != PROV_CHUNK_SIZE || a->chunks == 0 || a->chunks > PROV_CHUNKS_MAX ||
	    (uint64_t)size < PROV_CHUNKS_AT + (uint64_t)a->chunks * PROV_CHUNK_SIZE) {
		(void)sys2(SYS_munmap, a, PROV_CHUNKS_AT);
		return -1;
	}
	session.arena = a;
	session.owners = (uint32_t *)((char *)a + PROV_OWNERS_AT);
	return 0;
}

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
	long r = sys6(SYS_mmap, at, PROV_CHUNK_SIZE, PROT_READ | PROT_WRITE,
		      MAP_SHARED | (at ? MAP_FIXED : 0), fd, offset);

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

/* A chunk that is ours from now on, mapped; NULL when there is none. */
static struct prov_chunk *chunk_claim(int fd)
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

static void chunk_init(struct prov_chunk *c, uint32_t seq)
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
	uint32_t n = __atomic_load_n(&image.n_chunks, __ATOMIC_RELAXED), from = image.reuse_at;

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
			image.reuse_at = at + 1;
			return c;
		}
	}
	image.reuse_at = from + CHUNKS_KEPT;
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

/* The two texts are read into the chunk itself, where the record will be: no
 * other thread can be at it yet, and its pages are needed anyway. */
static void start_record(struct prov_chunk *c, int forked)
{
	char *exe = (char *)c + PROV_CHUNK_HEAD + sizeof(struct prov_start);
	size_t exe_size = program_name(exe);
	struct prov_start *s;
	long cwd_size;

	/* longer than a record together with exe: left out */
	cwd_size = sys2(SYS_getcwd, exe + exe_size, 4096);
	if (cwd_size <= 0) {
		exe[exe_size] = 0;
		cwd_size = 1;
	}
	s = record_begin(PROV_START, sizeof(*s) + exe_size + (size_t)cwd_size);
	if (!s)
		return;
	s->head.time = image.start;
	s->pid = image.pid;
	s->ppid = (uint32_t)sys0(SYS_getppid);
	s->uid = (uint32_t)sys0(SYS_getuid);
	s->parent_pid = session.parent_pid;
	s->parent_start = session.parent_start;
	s->how = forked ? PROV_HOW_FORK : session.parent_start ? PROV_HOW_EXEC : PROV_HOW_ROOT;
	s->head.flags = (uint16_t)session.start_flags;
	s->fuzz = session.arena->fuzz;
	s->exe_size = (uint32_t)exe_size;
	s->cwd_size = (uint32_t)cwd_size;
	record_end(s);
}

/*
 * Where our pid means what it means to the collector, 0. The collector keeps a
 * lock on the arena, and the kernel names its holder by the number that it has
 * in the namespace of who asks, if any. That holds since our namespace can
 * only be the collector's or one inside it. To look into /proc, as elsewhere,
 * costs a new process 15 us.
 */
static uint32_t pid_space(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_len = 1 };
	struct statx st;

	if (sys3(SYS_fcntl, fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK &&
	    lock.l_pid > 0 && (uint32_t)lock.l_pid == session.arena->collector)
		return 0;
	if (sys5(SYS_statx, AT_FDCWD, "/proc/self/ns/pid", 0, STATX_INO, &st) < 0)
		return PROV_PID_SPACE_UNKNOWN;
	return (uint32_t)st.stx_ino == session.arena->pid_space ? 0 : (uint32_t)st.stx_ino;
}

static int image_begin(void)
{
	struct prov_chunk *c;
	int forked = (int)session.begun;
	long fd;

	if (!session.path[0])
		return -1;
	fd = sys4(SYS_openat, AT_FDCWD, session.path, O_RDWR | O_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (arena_map((int)fd) < 0 || __atomic_load_n(&session.arena->closed, __ATOMIC_RELAXED)) {
		(void)sys1(SYS_close, fd);
		return -1;
	}
	image.pid = (uint32_t)sys0(SYS_getpid);
	image.pid_space = pid_space((int)fd);
	image.start = now_exact();
	c = chunk_claim((int)fd);
	(void)sys1(SYS_close, fd);
	if (!c) {
		__atomic_fetch_add(&session.arena->lost[PROV_LOST_IMAGE], 1, __ATOMIC_RELAXED);
		return -1;
	}
	chunk_init(c, 0);
	image.chunk = c;
	start_record(c, forked);
	session.parent_pid = image.pid;
	session.parent_start = image.start;
	if (!session.begun) {
		session.begun = 1;
		session.wipe_by_hand =
			sys3(SYS_madvise, &image, sizeof(image), MADV_WIPEONFORK) < 0;
	}
	return 0;
}

int image_ready(void)
{
	uint32_t state = __atomic_load_n(&image.state, __ATOMIC_ACQUIRE);

	if (state == IMAGE_ON)
		return 1;
	if (state != IMAGE_NEW || !session.path[0] || session.sealed ||
	    !__atomic_compare_exchange_n(&image.state, &state, IMAGE_STARTING, 0, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return 0;
	state = image_begin() == 0 ? IMAGE_ON : IMAGE_OFF;
	__atomic_store_n(&image.state, state, __ATOMIC_RELEASE);
	return state == IMAGE_ON;
}

int image_is_mine(void)
{
	return !__atomic_load_n(&image.shared, __ATOMIC_RELAXED) || session.sealed ||
	       (uint32_t)sys0(SYS_getpid) == image.pid;
}

void image_forked(void)
{
	if (session.wipe_by_hand)
		memset(&image, 0, sizeof(image));
	(void)image_ready();
}

void image_seal(void)
{
	session.sealed = 1;
	__atomic_store_n(&image.state, IMAGE_SEALED, __ATOMIC_RELEASE);
}

int image_counts(void)
{
	uint32_t state = __atomic_load_n(&image.state, __ATOMIC_ACQUIRE);

	return state == IMAGE_ON || state == IMAGE_SEALED;
}

void image_is_shared(void)
{
	__atomic_store_n(&image.shared, 1, __ATOMIC_RELAXED);
}
