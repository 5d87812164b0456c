/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Copyright the prov authors */
#ifndef BPF_MAPS_H
#define BPF_MAPS_H
#include "access.h"

#include "prov/event.h"
#include "prov/kernel.h"
#include "prov/segment.h"

const volatile struct kernel_setup setup SEC(".rodata.setup") = {};

/* The sizes of the first three are set by who loads them. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} ring SEC(".maps");

/* Where a thread is found by its number alone, at the price of one load. Two
 * that meet in one entry are rare: the second goes into `more`. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 2048);
	__type(key, uint32_t);
	__type(value, struct kernel_thread);
} threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, uint32_t);
	__type(value, struct kernel_thread);
} more SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, KERNEL_SESSIONS);
	__type(key, uint32_t);
	__type(value, struct kernel_session);
} sessions SEC(".maps");

/* What has been told already: the same object under the same name to the same
 * image. A rename makes all names new. */
struct told {
	uint64_t start, dentry, mount, ino;
	uint32_t image, generation, names, pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct told);
	__type(value, uint64_t);
} known SEC(".maps");

#define ROOM (16u << 10)	/* the largest record, and what the verifier must see behind it */
struct walk {			/* see path.h */
	uint64_t dentry, mount;
	uint32_t at;		/* where in the room */
	uint32_t size, flags;
	uint32_t over;		/* the root was met */
};

/* What is too large for the stack: six functions deep, there are 512 bytes of it. */
struct scratch {
	char room[2 * ROOM - sizeof(struct told) - sizeof(uint64_t) - sizeof(struct walk)];
	struct told told;
	uint64_t ids;		/* the newest on this processor, see file.h */
	struct walk walk;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct scratch);
} scratches SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, KERNEL_LOST_KINDS);
	__type(key, uint32_t);
	__type(value, uint64_t);
} lost SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct kernel_watch);
} watched SEC(".maps");

struct state {
	uint32_t n_more;	/* threads in `more` */
	uint32_t names;		/* renames so far */
	uint32_t narrow_unseen;	/* calls of 32-bit programs are not hooked; who attaches sets it */
	uint32_t woken;		/* tick at which the reader was woken last */
} state = {};

static __always_inline char *scratch(void)
{
	uint32_t zero = 0;
	struct scratch *s = bpf_map_lookup_elem(&scratches, &zero);

	return s ? s->room : NULL;
}

static __always_inline void count_lost(uint32_t kind)
{
	uint64_t *n = bpf_map_lookup_elem(&lost, &kind);

	if (n)
		(*n)++;
}

static __always_inline struct kernel_thread *thread_of(uint32_t tid)
{
	uint32_t at = tid & setup.thread_mask;
	struct kernel_thread *t = bpf_map_lookup_elem(&threads, &at);

	if (t && t->tid == tid)
		return t;
	return state.n_more ? bpf_map_lookup_elem(&more, &tid) : NULL;
}

static __always_inline void head_set(struct kernel_head *h, const struct kernel_thread *t,
				     uint16_t type)
{
	*h = (struct kernel_head){
		.type = type,
		.session = t->session,
		.pid = t->pid,
		.tid = t->tid,
		.start = t->start,
		.time = bpf_ktime_get_ns(),
		.image = t->image,
	};
}

/* Once a tick: to be woken costs the reader's processor some us each time. */
static __always_inline uint64_t wakes(void)
{
	uint32_t tick = (uint32_t)bpf_jiffies64();

	if (state.woken == tick || bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) <= setup.wake_at)
		return BPF_RB_NO_WAKEUP;
	state.woken = tick;
	return BPF_RB_FORCE_WAKEUP;
}

/* Hands a record over, or counts it as lost: 0 then. size includes the head. */
static __always_inline int tell(struct kernel_thread *t, void *record, uint32_t size)
{
	struct kernel_head *h = record;

	if (size > ROOM)
		size = ROOM;
	h->size = size;
	if (bpf_ringbuf_output(&ring, record, size, wakes())) {
		count_lost(KERNEL_LOST_RECORD);
		if (t) {
			uint32_t which = t->session;
			struct kernel_session *s = bpf_map_lookup_elem(&sessions, &which);

			t->lost++;
			if (s)
				__sync_fetch_and_add(&s->lost, 1);
		}
		return 0;
	}
	return 1;
}

#endif
