/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* shared.c - the collector's side of a session's shared memory */
#include "engine/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "engine/granularity.h"

/* The kernel carries less than a whole step over to the next, so the coarse clock
 * may be nearly two steps behind; a busy virtual machine gets its steps late. */
#define LATE_STEPS 8u
#define READY_STEP 32u	/* chunks given memory ahead of need: 1 MiB */

static int shared_map(struct shared *s, const char *path)
{
	struct stat st;

	if (fstat(s->fd, &st) < 0)
		return fail(errno, "%s: %s", path, strerror(errno));
	if ((size_t)st.st_size < sizeof(struct prov_arena))
		return fail(EBADMSG, "%s: not a session of prov", path);
	s->size = (size_t)st.st_size;
	s->map = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (s->map == MAP_FAILED) {
		s->map = NULL;
		return fail(errno, "%s: cannot map: %s", path, strerror(errno));
	}
	s->arena = (struct prov_arena *)s->map;
	s->owners = (uint32_t *)(s->map + PROV_OWNERS_AT);
	return 0;
}

/* ulimit -f is a limit on the arena, too. */
static uint32_t chunks_allowed(uint32_t chunks)
{
	struct rlimit most;
	uint64_t fit;

	if (getrlimit(RLIMIT_FSIZE, &most) < 0 || most.rlim_cur == RLIM_INFINITY)
		return chunks;
	fit = most.rlim_cur < PROV_CHUNKS_AT ? 0
					      : (most.rlim_cur - PROV_CHUNKS_AT) / PROV_CHUNK_SIZE;
	return fit < READY_STEP || fit > chunks ? chunks : (uint32_t)fit;
}

/* Memory must be there before anybody touches it; with little of it, less
 * will do. Returns how many chunks have it, or a negative errno. */
static int reserve_first(const struct shared *s, const char *path)
{
	uint32_t ready = READY_STEP;

	while (fallocate(s->fd, 0, 0, (off_t)PROV_CHUNKS_AT + (off_t)ready * PROV_CHUNK_SIZE) < 0) {
		if (errno == EOPNOTSUPP)
			break;
		if (ready == 1 || errno != ENOSPC)
			return fail(errno,
				    "%s: no room for shared memory: %s; free some or set "
				    "session.dir to another folder",
				    path, strerror(errno));
		ready /= 2;
	}
	return (int)ready;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Writes the names in order, so that a traced process finds those with a given
 * first letter at once. What does not fit is not allowed. */
static void allow(struct prov_arena *a, const struct strings *names)
{
	size_t n = strings_count(names), at = 0, used = 0;
	const char **list = mem_alloc((n + 1) * sizeof(*list)), *s = NULL;

	while ((s = strings_next(names, s)))
		list[at++] = s;
	qsort(list, n, sizeof(*list), compare_names);
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(list[i]) + 1;
		int letter = list[i][0] - 'A';

		if (letter < 0 || letter > 30 || used + len + 1 > PROV_ENV_ROOM)
			continue;
		if (!a->env_first[letter])
			a->env_first[letter] = (uint16_t)(used + 1);
		memcpy(a->env_allow + used, list[i], len);
		used += len;
	}
	free(list);
}

/* What a collector that comes after us will know of it. When there is no more
 * room, the last entry stands for all that follow, by the coarsest of them. */
static void switch_to(struct shared *s, int32_t granularity, uint64_t when)
{
	struct prov_arena *a = s->arena;
	uint32_t at = a->n_switches < PROV_SWITCHES ? a->n_switches++ : PROV_SWITCHES;
	struct prov_switch *last = &a->switches[PROV_SWITCHES - 1];

	if (at < PROV_SWITCHES)
		a->switches[at] = (struct prov_switch){ .time = when, .granularity = granularity };
	else if (granularity > last->granularity)
		last->granularity = granularity;
	s->granularity = a->wanted = granularity;
	__atomic_store_n(&a->granularity, granularity, __ATOMIC_SEQ_CST);
}

void shared_ask(struct shared *s, int32_t granularity)
{
	__atomic_store_n(&s->arena->wanted, granularity, __ATOMIC_RELEASE);
}

bool shared_switch(struct shared *s, struct prov_switch *out)
{
	int32_t wanted = __atomic_load_n(&s->arena->wanted, __ATOMIC_ACQUIRE);
	bool finer = wanted < s->granularity;

	if (wanted == s->granularity || !granularity_ok(wanted))
		return false;
	*out = (struct prov_switch){ .time = (uint64_t)clock_mono(), .granularity = wanted };
	switch_to(s, wanted, out->time);
	if (finer)
		out->time = (uint64_t)clock_mono();
	return true;
}

int shared_create(struct shared *s, const char *path, const struct id *session, uint64_t room,
		  const struct strings *env_allow, int32_t granularity)
{
	struct stat space;
	uint64_t chunks = room / PROV_CHUNK_SIZE;
	struct flock lock = { .l_type = F_WRLCK, .l_len = 1 };
	struct timespec step;
	int r, ready;

	*s = (struct shared){ .fd = -1 };
	if (chunks < READY_STEP)
		chunks = READY_STEP;
	s->chunks = chunks < PROV_CHUNKS_MAX ? (uint32_t)chunks : PROV_CHUNKS_MAX;
	s->chunks = chunks_allowed(s->chunks);
	s->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (s->fd < 0)
		return fail(errno, "%s: cannot create: %s", path, strerror(errno));
	if (ftruncate(s->fd, (off_t)PROV_CHUNKS_AT + (off_t)s->chunks * PROV_CHUNK_SIZE) < 0)
		return fail(errno, "%s: cannot make it this large: %s; raise ulimit -f or set "
			    "arena.max smaller", path, strerror(errno));
	ready = reserve_first(s, path);
	if (ready < 0)
		return ready;
	r = shared_map(s, path);
	if (r < 0)
		return r;
	/* by its holder a program finds out whether it is in our pid namespace;
	 * without it, it looks into /proc */
	(void)fcntl(s->fd, F_SETLK, &lock);
	*s->arena = (struct prov_arena){
		.version = PROV_ARENA_VERSION,
		.chunk_size = PROV_CHUNK_SIZE,
		.chunks = s->chunks,
		.ready = (uint32_t)ready,
		.narrow = access("/lib/ld-linux.so.2", F_OK) == 0,
		.collector = (uint32_t)getpid(),
		.pid_space = stat("/proc/self/ns/pid", &space) < 0 ? 0 : (uint32_t)space.st_ino,
	};
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &step) == 0)
		s->arena->fuzz = LATE_STEPS *
				 ((uint64_t)step.tv_sec * 1000000000u + (uint64_t)step.tv_nsec);
	memcpy(s->arena->session, session, sizeof(s->arena->session));
	if (granularity != PROV_FIRST_LAST)
		switch_to(s, granularity, /* from the beginning */ 1);
	allow(s->arena, env_allow);
	__atomic_store_n(&s->arena->magic, PROV_ARENA_MAGIC, __ATOMIC_RELEASE);
	return 0;
}

int shared_attach(struct shared *s, const char *path)
{
	struct prov_arena a;
	int r;

	*s = (struct shared){ .fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) };
	if (s->fd < 0)
		return fail(errno, "%s: %s", path, strerror(errno));
	r = shared_map(s, path);
	if (r < 0)
		return r;
	a = *s->arena;
	if (a.magic != PROV_ARENA_MAGIC || a.version != PROV_ARENA_VERSION ||
	    a.chunk_size != PROV_CHUNK_SIZE || a.chunks > PROV_CHUNKS_MAX ||
	    s->size < PROV_CHUNKS_AT + (size_t)a.chunks * PROV_CHUNK_SIZE)
		return fail(EBADMSG, "%s: not a session of this version of prov", path);
	s->chunks = a.chunks;
	s->granularity = a.granularity;
	return 0;
}

void shared_release(struct shared *s)
{
	if (s->map)
		(void)munmap(s->map, s->size);
	if (s->fd >= 0)
		(void)close(s->fd);
	*s = (struct shared){ .fd = -1 };
}

struct prov_chunk *shared_chunk(const struct shared *s, uint32_t i)
{
	return (struct prov_chunk *)(s->map + PROV_CHUNKS_AT + (size_t)i * PROV_CHUNK_SIZE);
}

void shared_free_chunk(struct shared *s, uint32_t i)
{
	memset(shared_chunk(s, i), 0, PROV_CHUNK_SIZE);
	__atomic_store_n(&s->owners[i], 0, __ATOMIC_RELEASE);
	/* so that low chunks are used again before new ones cost memory */
	if (i < __atomic_load_n(&s->arena->hint, __ATOMIC_RELAXED))
		__atomic_store_n(&s->arena->hint, i, __ATOMIC_RELAXED);
}

void shared_give_back(struct shared *s)
{
	for (uint32_t i = 0; i < s->chunks; i++) {
		uint32_t none = 0;

		/* an image that begins just now must not lose memory it relies on */
		if (!__atomic_compare_exchange_n(&s->owners[i], &none, (uint32_t)getpid(), 0,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		(void)fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				(off_t)PROV_CHUNKS_AT + (off_t)i * PROV_CHUNK_SIZE,
				PROV_CHUNK_SIZE);
	}
}

void shared_ahead(struct shared *s)
{
	uint32_t ready = __atomic_load_n(&s->arena->ready, __ATOMIC_RELAXED);
	uint32_t hint = __atomic_load_n(&s->arena->hint, __ATOMIC_RELAXED);

	if (hint + READY_STEP / 2 < ready || ready >= s->chunks)
		return;
	ready = ready + READY_STEP < s->chunks ? ready + READY_STEP : s->chunks;
	if (fallocate(s->fd, 0, 0, (off_t)PROV_CHUNKS_AT + (off_t)ready * PROV_CHUNK_SIZE) == 0)
		__atomic_store_n(&s->arena->ready, ready, __ATOMIC_RELEASE);
}
