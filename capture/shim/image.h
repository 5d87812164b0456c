/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef SHIM_IMAGE_H
#define SHIM_IMAGE_H
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "prov/event.h"
#include "prov/segment.h"
#include "text.h"
/*
 * This program image as the session knows it. Everything that must not
 * survive a fork lies in one block of pages that the kernel hands to a forked
 * child as zeroes (MADV_WIPEONFORK, Linux 4.14): the child finds itself NEW at
 * its first hook and begins an image of its own. A vfork child shares the
 * block with its waiting parent and must not change what describes
 * descriptors; image_is_mine() tells.
 */
enum image_state {
	IMAGE_NEW = 0,
	IMAGE_STARTING,
	IMAGE_ON,
	IMAGE_OFF,
	IMAGE_SEALED,	/* counts in memory, makes no system call of its own */
};

/* Every page that a short program touches costs it a fault of about 1 us, so
 * what all programs use shares one page, and the tables are no larger than
 * they must be. */
#define FD_NEAR	   256u		/* descriptors with a slot in the first page */
#define FD_TABLE   1024u	/* slots of a further table, mapped when needed */
#define FD_TABLES  1024u
#define KNOWN_SIZE 64u		/* recently opened objects; a power of two */
#define FOLDERS	   4u		/* recently met folders; a power of two */
#define FOLDER_ROOM 224u
#define CHUNKS_KEPT 64u		/* own chunks in the first pages */
#define CHUNKS_MORE PROV_CHUNKS_MAX	/* in a further table, mapped when needed */
#define SPAWN_ROOMS  64u
#define MAPS_MAX   32u
#define FOREIGNS   32u
#define SCRATCH_ROOM 10240u
#define SCRATCHES    64u

struct known {
	uint32_t busy;	/* a thread is at it; others do without */
	uint64_t ino, dev, name;	/* name: hash of how it was called */
	int64_t btime;
	struct prov_tally *tally;
};

struct folder {
	uint64_t hash;		/* of a path to it, and of what that depends on */
	uint64_t tick;		/* when that path was met last */
	uint64_t dev;		/* file system of a file in it */
	uint16_t size;		/* of its name; 0 = not asked for yet */
	uint16_t met;		/* times in this tick; then MET_PLAIN or MET_MIXED */
	uint32_t taken;
	char name[FOLDER_ROOM];	/* with a slash, no NUL */
};

struct shared_map {		/* shared mapping that mprotect could make writable */
	uintptr_t from, to;
	struct prov_tally *tally;
};

struct foreign {		/* a descriptor that means something else to a vfork child */
	uint64_t key;		/* child << 32 | fd + 1; 0 = free */
	struct prov_tally *ours, *theirs;
	uint32_t gone;		/* the child has become another program, or is no more */
};

struct spawn_room {		/* environment of a thread's newest vfork child */
	uintptr_t thread;
	void *room;
	size_t size;
};

typedef int (*clock_function)(clockid_t, struct timespec *);

struct image {
	uint32_t state;
	uint32_t pid;
	uint64_t start;
	uint64_t stamp;		/* time of the newest exact reading: orders hot accesses */
	struct prov_chunk *chunk;	/* being filled */
	struct prov_chunk *chunks[CHUNKS_KEPT];	/* for reuse once drained */
	struct prov_chunk **more_chunks;
	uint32_t n_chunks;	/* counted before one is mapped */
	uint32_t reuse_at;	/* where to look for a drained one next: they drain in order */
	uint32_t names;		/* bumped when names may have changed under us */
	uint32_t pid_space;	/* as in prov_chunk */
	uint32_t beyond;	/* a descriptor beyond the tables is on record */
	uint32_t shared;	/* a child that shares this memory may be at work */
	uint32_t clock_calls;
	uintptr_t installing;	/* the thread that writes detours */
	uint64_t followed;	/* mark of the program file last read and found to be for us */
	clock_function clock;	/* the vDSO's, NULL until it is worth it */
	uint32_t foreigns;	/* entries of foreign[] in use */
	struct known *split;	/* threads have several tables: all objects, instead of slots */
	struct prov_tally *fd[FD_NEAR];
	struct known known[KNOWN_SIZE];
	struct folder folders[FOLDERS];
	uint64_t birth_dev;	/* a file system that tells by our clock when a file was made */
	uint64_t birth_tick;	/* when one was made there last */
	struct shared_map maps[MAPS_MAX];
	struct prov_tally **far[FD_TABLES];
	struct foreign foreign[FOREIGNS];
	struct spawn_room spawn[SPAWN_ROOMS];
	uint32_t scratch_taken[SCRATCHES];
	_Alignas(16) char scratch[SCRATCH_ROOM];	/* the first; see session.scratch */
} __attribute__((aligned(4096)));	/* whole pages: the kernel wipes no less */

extern struct image image HERE;

/* Where the session is, from the environment; survives fork. */
struct session {
	char path[512];
	uint32_t parent_pid;	/* image that started this one, later this one itself */
	uint64_t parent_start;
	/* what the parent saw where it called exec; 0 nothing */
	uint64_t program_dev, program_ino;
	uint32_t begun;		/* this process image has begun once: a NEW state now means fork */
	struct prov_arena *arena;
	uint32_t *owners;
	uint32_t start_flags;	/* enum prov_start_flags */
	uint32_t wipe_by_hand;	/* the kernel is older than 4.14 */
	uint32_t sealed;	/* a forked child must not begin an image */
	uint32_t no_counter;	/* reading the time stamp counter kills */
	char *scratch;		/* all rooms but the first; mapped when needed */
	/* Where chunks are mapped. A forked child puts its own in the same places,
	 * so that generations of them do not pile up. */
	void *chunk_at[CHUNKS_KEPT];
	char exe[256];		/* the program, for forked children; "" = not known or longer */
};

extern struct session session HERE;

/* Takes the value of PROV_SESSION (prov/segment.h). 0, or -1 when it makes no sense. */
int session_set(const char *value);

/* Begins the image if it is new; 1 when it may record. Never blocks; another
 * thread that is just beginning makes this answer 0. */
int image_ready(void);

/* In a forked child: begins its image. */
void image_forked(void);

/* From now on no system call of our own, in this process and those it forks. */
void image_seal(void);
/* May tallies change? Also when sealed. */
int image_counts(void);

/* Not in a vfork child. One system call, and only once the program has called
 * something that makes such children. */
int image_is_mine(void);
void image_is_shared(void);

/* Reserves a record of size bytes (header included), type and time set, the
 * rest zero; NULL (and counted as lost) when there is no room. record_end()
 * hands it over. */
void *record_begin(uint32_t type, size_t size);
void record_end(void *record);

/* SCRATCH_ROOM bytes for a moment: a hook may run on a signal stack of a few
 * KiB, so paths are not kept on it. NULL only when memory is exhausted. */
void *scratch_take(void);
void scratch_give(void *room);	/* NULL is fine */

uint64_t now_exact(void);	/* and remembers it as the stamp */
uint64_t now_tick(void);	/* of the clock that files are stamped with; coarse as well */
uint64_t now_by_kernel(void);	/* the coarse clock, until the vDSO's is known */
void now_without_counter(void);	/* for good: the program forbade itself to read it */

/* At least the stamp, at most fuzz too early. In line: each read and write ends with it. */
static inline uint64_t now_coarse(void)
{
	clock_function read = __atomic_load_n(&image.clock, __ATOMIC_RELAXED);
	uint64_t stamp, t;
	struct timespec s;

	if (__builtin_expect(read && read(CLOCK_MONOTONIC_COARSE, &s) == 0, 1))
		t = (uint64_t)s.tv_sec * UINT64_C(1000000000) + (uint64_t)s.tv_nsec;
	else
		t = now_by_kernel();
	stamp = __atomic_load_n(&image.stamp, __ATOMIC_RELAXED);
	return t > stamp ? t : stamp;
}
#endif
