/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* image.c - the beginning of an image, clocks and scratch memory */
#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/mman.h>

#include "chunk.h"
#include "elf.h"
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
	clock_function found = (clock_function)elf_find_any("__vdso_clock_gettime");

	__atomic_store_n(&image.clock, found, __ATOMIC_RELEASE);
	return found;
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

uint64_t now_tick(void)
{
	return clock_read(CLOCK_REALTIME_COARSE);
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

/* A forked child still sees its parent's arena, also where it cannot open it. */
static int image_lost(void)
{
	if (session.arena && !__atomic_load_n(&session.arena->closed, __ATOMIC_RELAXED))
		__atomic_fetch_add(&session.arena->lost[PROV_LOST_IMAGE], 1, __ATOMIC_RELAXED);
	return -1;
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
		return image_lost();
	if (arena_map((int)fd) < 0 || __atomic_load_n(&session.arena->closed, __ATOMIC_RELAXED)) {
		(void)sys1(SYS_close, fd);
		return -1;
	}
	image.pid = (uint32_t)sys0(SYS_getpid);
	image.pid_space = pid_space((int)fd);
	image.start = now_exact();
	c = chunk_claim((int)fd);
	(void)sys1(SYS_close, fd);
	if (!c)
		return image_lost();
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
