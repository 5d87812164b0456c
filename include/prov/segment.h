/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_SEGMENT_H
#define PROV_SEGMENT_H
#ifndef __bpf__
#include <stdint.h>
#endif
/*
 * The shared memory through which a traced process reports: version 1.
 *
 * One file per session, the arena, on tmpfs, 0600:
 *
 *	+----------------+------------------+---------+---------+ ...
 *	| struct         | uint32_t owner[] | chunk 0 | chunk 1 |
 *	| prov_arena     |                  |         |         |
 *	+----------------+------------------+---------+---------+ ...
 *
 * A program image claims a chunk by compare-and-swap of its owner word from 0
 * to its pid, maps only that chunk, and appends records (prov/event.h). When
 * it is full it claims another. Nothing is ever flushed: what is in a chunk
 * when the process dies, by whatever means, is the record.
 *
 * Record words are the only synchronisation. A writer reserves room by
 * swapping the word at the end of the records from 0 to size | BUSY, fills
 * the record in, and stores size | READY with release order. A reader walks
 * from record to record by size, stops at a word of 0, and treats everything
 * it finds as hostile.
 *
 * All integers are little-endian and naturally aligned. Times are nanoseconds
 * of CLOCK_MONOTONIC.
 */
#define PROV_ARENA_MAGIC   UINT64_C(0x616e657261767270)	/* "prvarena" */
#define PROV_ARENA_VERSION 1u
#define PROV_CHUNK_MAGIC   UINT32_C(0x6b6e6863)		/* "chnk" */
#define PROV_CHUNK_SIZE	   (32u << 10)
#define PROV_CHUNKS_MAX	   (1u << 16)			/* 2 GiB */
/* The owner words begin here, chunk 0 behind room for all that there may be. */
#define PROV_OWNERS_AT	   4096u
#define PROV_CHUNKS_AT	   (PROV_OWNERS_AT + 4u * PROV_CHUNKS_MAX)
#define PROV_ENV_ROOM	   3072u

/* Why something was not recorded; index of prov_arena.lost. */
enum prov_lost {
	PROV_LOST_IMAGE = 0,	/* an image found no chunk: nothing of it is recorded */
	PROV_LOST_RECORD = 1,	/* a record found no room */
	PROV_LOST_KINDS = 8,
};

/* What is noted of accesses; larger is coarser. */
enum prov_granularity {
	PROV_EVERY_ONE = -1,	/* besides, each read and write by itself */
	PROV_FIRST_LAST = 0,	/* count every access, keep first and last */
	PROV_OPEN_CLOSE = 1,	/* opens and closes only: what was open may have been used */
	PROV_OFF = 2,		/* programs and names only */
};

/* From when on a granularity was in force: when it grew coarser the time is
 * before, when finer after the switch, so that no access is taken for one that
 * was seen more finely than it was. */
struct prov_switch {
	uint64_t time;
	int32_t granularity;
	uint32_t reserved;
};

#define PROV_SWITCHES 32u

struct prov_arena {
	uint64_t magic;
	uint32_t version;
	uint32_t chunk_size;
	uint32_t chunks;	/* how many fit into the file */
	uint32_t narrow;	/* not 0: 32-bit programs can run here, which could not load us */
	uint32_t ready;		/* chunks below this have memory behind them */
	uint32_t hint;		/* where to look for a free chunk next */
	uint32_t closed;	/* not 0: the session is over, report nothing more */
	int32_t granularity;	/* in force, enum prov_granularity */
	uint32_t collector;	/* its pid; it holds a POSIX lock on byte 0 of the file */
	uint32_t pid_space;	/* inode of its /proc/self/ns/pid, 0 = not known */
	uint64_t lost[PROV_LOST_KINDS];
	uint64_t session[2];	/* run id */
	uint64_t fuzz;		/* ns; by how much a "last" time may be too early */
	/* Names of environment variables that may be recorded: NUL-terminated
	 * strings in order of their bytes, a trailing '*' stands for any rest; an
	 * empty one ends them. env_first tells by first letter ('A' is 0) how many
	 * bytes into them its names begin, plus 1; 0 means there are none. Names
	 * that do not begin with a capital or '_' (letter 30) are not looked up. */
	uint16_t env_first[32];
	char env_allow[PROV_ENV_ROOM];
	int32_t wanted;	/* what "prov granularity" asks the collector for */
	uint32_t n_switches;	/* may exceed PROV_SWITCHES: then some were not kept */
	struct prov_switch switches[PROV_SWITCHES];	/* oldest first */
	uint32_t folders;	/* grows when paths through folders may mean something else */
	uint32_t reserved;
	uint64_t creator;	/* which image made a file last, and when */
};

/* At the start of each chunk. */
struct prov_chunk {
	uint32_t magic;
	uint32_t pid;		/* of the image that owns it */
	uint64_t start;		/* when that image began; with pid it names the image */
	uint32_t seq;		/* 0 for the image's first chunk, then 1, 2, ... */
	uint32_t tail;		/* hint: no record begins before the last one and after this */
	uint32_t drained;	/* set by the collector: all of it was read and settled */
	uint32_t pid_space;	/* inode of the pid namespace, 0 = the collector's */
	uint64_t lost;		/* records of this image that found no room */
	uint64_t pad[3];
};

#define PROV_PID_SPACE_UNKNOWN UINT32_MAX	/* there is no /proc to ask */

/* In an owner word: the pid is one of another pid namespace. */
#define PROV_OWNER_ELSEWHERE UINT32_C(0x80000000)

#define PROV_CHUNK_HEAD 64u	/* first record; sizeof(struct prov_chunk) */

/* A record's first word: size in bytes (multiple of 8, header included) and state. */
#define PROV_RECORD_SIZE  UINT32_C(0x00ffffff)
#define PROV_RECORD_BUSY  UINT32_C(0x01000000)
#define PROV_RECORD_READY UINT32_C(0x02000000)
#define PROV_RECORD_MAX	  8192u	/* longer facts are split or cut and say so */

/* How a new image finds its session: "<arena path>,<pid>,<start>,<dev>,<ino>",
 * numbers decimal. pid and start name the image that called exec, dev (major
 * number << 32 | minor) and ino the file that was there to be executed. */
#define PROV_SESSION_ENV "PROV_SESSION"

#endif
