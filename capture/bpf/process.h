/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Copyright the prov authors */
#ifndef BPF_PROCESS_H
#define BPF_PROCESS_H
#include "file.h"
/*
 * Who is recorded. A session goes from a thread to those it makes; an image
 * begins at a fork that copies memory and at an exec. The child of a vfork is not
 * an image yet: until it execs, what it does is its parent's image's doing.
 */
#define SIGNAL_GROUP_EXIT 4u
enum { EI_CLASS = 4, ELFCLASS32 = 1 };	/* elf.h */

/* A zero one to make entries of `more` from. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct kernel_thread);
} blank SEC(".maps");

static __always_inline int claim(struct kernel_thread *t, uint32_t tid)
{
#ifdef PROV_CAST
	return __sync_val_compare_and_swap(&t->tid, 0, tid) == 0;
#else
	/* two forks at one moment on two processors that meet in one entry would
	 * have to race for it within a few ns */
	if (t->tid)
		return 0;
	t->tid = tid;
	return 1;
#endif
}

static __noinline struct kernel_thread *thread_new(uint32_t tid)
{
	uint32_t at = tid & setup.thread_mask, zero = 0;
	struct kernel_thread *t = bpf_map_lookup_elem(&threads, &at), *none;

	if (t && claim(t, tid)) {
		/* a session that was closed leaves its threads as they were */
		for (uint32_t i = 0; i < KERNEL_SLOTS; i++)
			t->slot[i].id = t->slot[i].file = 0;
		t->lost = t->calls = t->launches = 0;
		return t;
	}
	none = bpf_map_lookup_elem(&blank, &zero);
	if (!none || bpf_map_update_elem(&more, &tid, none, BPF_ANY)) {
		count_lost(KERNEL_LOST_THREAD);
		return NULL;
	}
	__sync_fetch_and_add(&state.n_more, 1);
	t = bpf_map_lookup_elem(&more, &tid);
	if (t)
		t->tid = tid;
	return t;
}

static __noinline int thread_flush(struct kernel_thread *t)
{
	if (!t)
		return 0;
	/* without a way around in the loop, see slot_find() */
	for (uint32_t i = 0; i < KERNEL_SLOTS; i++)
		slot_flush(t, &t->slot[i]);
	return 0;
}

static __always_inline void thread_free(struct kernel_thread *t)
{
	uint32_t tid = t->tid, at = tid & setup.thread_mask, which = t->session;
	struct kernel_session *s = bpf_map_lookup_elem(&sessions, &which);

	thread_flush(t);
	if (s)
		__sync_fetch_and_add(&s->calls, t->calls);
	t->calls = 0;
	t->lost = 0;
	t->flags = 0;
	t->tick = 0;
	if (t == bpf_map_lookup_elem(&threads, &at)) {
		t->tid = 0;
	} else {
		bpf_map_delete_elem(&more, &tid);
		__sync_fetch_and_add(&state.n_more, -1);
	}
}

/* Text that the new program of the current thread finds on its stack: a piece. */
__noinline int tell_piece(uint64_t at, uint64_t end, uint32_t kind, uint32_t offset)
{
	struct kernel_thread *t = thread_of((uint32_t)bpf_get_current_pid_tgid());
	struct kernel_piece *r = (struct kernel_piece *)scratch();
	uint32_t whole = (uint32_t)(end - at), n = whole - offset;

	if (!r || !t || offset >= whole ||
	    offset >= (kind == KERNEL_ARGV ? KERNEL_ARGV_MOST : KERNEL_ENV_MOST))
		return 1;
	if (n > KERNEL_TEXT_PIECE)
		n = KERNEL_TEXT_PIECE;
	head_set(&r->head, t, KERNEL_TEXT);
	r->kind = kind;
	r->offset = offset;
	r->n = n;
	r->whole = whole;
	n &= 2 * KERNEL_TEXT_PIECE - 1;
	if (bpf_probe_read_user(r->text, n, (const void *)(at + offset)))
		return 1;
	tell(t, r, sizeof(*r) + n);
	return 0;
}

static __noinline int tell_text(uint64_t at, uint64_t end, uint32_t kind)
{
	for (uint32_t i = 0; i < KERNEL_ARGV_MOST / KERNEL_TEXT_PIECE; i++)
		if (tell_piece(at, end, kind, i * KERNEL_TEXT_PIECE))
			break;
	return 0;
}

static __noinline int tell_cwd(struct kernel_thread *t, uint64_t fs)
{
	struct kernel_piece *r = (struct kernel_piece *)scratch();
	struct fs_struct *where = AS(struct fs_struct, fs);
	uint32_t size;

	if (!r || !t)
		return 0;
	head_set(&r->head, t, KERNEL_TEXT);
	r->kind = KERNEL_CWD;
	size = path_walk(ADDRESS(GET(where, pwd.dentry)), ADDRESS(GET(where, pwd.mnt)),
			 sizeof(*r)) & (2 * KERNEL_PATH_ROOM - 1);
	r->offset = 0;
	r->n = r->whole = size;
	tell(t, r, sizeof(*r) + size);
	return 0;
}

/* The parent that an image came from, by name. */
struct origin {
	uint64_t start;
	uint32_t pid, how;
};

static __noinline int tell_image(struct kernel_thread *t, struct task_struct *task,
				 const struct origin *from, uint64_t program)
{
	struct kernel_image *r = (struct kernel_image *)scratch();
	struct file *f = AS(struct file, program);
	uint32_t size = 0;

	if (!r || !t)
		return 0;
	head_set(&r->head, t, KERNEL_IMAGE);
	r->head.time = t->start;
	r->parent_start = from->start;
	r->parent_pid = from->pid;
	r->ppid = GET2(task, real_parent, tgid);
	/* whose rights it has: of a set-user-id program not his who started it */
	r->uid = GET2(task, cred, euid.val);
	r->how = from->how;
	r->arg_start = r->arg_end = r->env_start = r->env_end = 0;
	if (program)
		size = path_walk(ADDRESS(GET(f, f_path.dentry)), ADDRESS(GET(f, f_path.mnt)),
				 sizeof(*r)) & (2 * KERNEL_PATH_ROOM - 1);
	r->flags = program ? path_flags() : 0;
	r->path_size = size;
	if (state.narrow_unseen && t->flags & KERNEL_32BIT)
		r->flags |= KERNEL_NARROW;
	tell(t, r, sizeof(*r) + size);
	return 0;
}

static __always_inline void image_begin(struct kernel_thread *t, uint32_t pid)
{
	t->image = t->pid = pid;
	t->start = t->now = bpf_ktime_get_ns();
	t->tick = bpf_jiffies64();
	t->flags = 0;
}

static __always_inline void on_fork(struct task_struct *parent, struct task_struct *child)
{
	struct kernel_thread *t = thread_of(GET(parent, pid)), *n;
	uint32_t pid = GET(child, tgid), launched, session;
	struct origin from = { .how = KERNEL_FORKED };

	if (!t)
		return;
	launched = t->flags & KERNEL_LAUNCHER;
	if (launched && pid == GET(parent, tgid))
		return;
	session = t->session;
	if (t->launches && pid != GET(parent, tgid)) {
		session = t->launches;
		launched = 1;
	}
	n = thread_new(GET(child, pid));
	if (!n)
		return;
	from.start = t->start;
	from.pid = t->image;
	n->session = (uint16_t)session;
	n->start = t->start;
	n->image = t->image;
	n->pid = pid;
	n->now = bpf_ktime_get_ns();
	n->tick = bpf_jiffies64();
	n->flags = 0;
	if (pid == GET(parent, tgid)) {
		n->flags = t->flags;
		return;
	}
	if (launched) {
		/* a copy of the launcher, until it has become the program */
		n->start = 0;
		n->image = pid;
	}
	if (launched || GET(child, mm) == GET(parent, mm)) {
		n->flags = KERNEL_VFORKED;
		return;
	}
	image_begin(n, pid);
	n->flags = t->flags & KERNEL_32BIT;
	tell_image(n, child, &from, ADDRESS(GET2(child, mm, exe_file)));
	tell_cwd(n, ADDRESS(GET(child, fs)));
}

static __always_inline int is_watched(uint32_t uid)
{
	uint32_t zero = 0;
	struct kernel_watch *w = bpf_map_lookup_elem(&watched, &zero);

	for (uint32_t i = 0; w && i < KERNEL_UID_RANGES; i++)
		if (i < w->n && uid >= w->range[2 * i] && uid <= w->range[2 * i + 1])
			return 1;
	return 0;
}

static __always_inline void tell_fresh(struct task_struct *task)
{
	struct kernel_head h = {
		.type = KERNEL_FRESH,
		.pid = GET(task, tgid),
		.tid = GET(task, pid),
		.start = GET2(task, cred, uid.val),
		.time = bpf_ktime_get_ns(),
		.size = sizeof(h),
	};

	if (bpf_ringbuf_output(&ring, &h, sizeof(h), BPF_RB_FORCE_WAKEUP))
		count_lost(KERNEL_LOST_RECORD);
}

static __always_inline void on_exec(struct task_struct *task, uint32_t old, uint64_t program,
				    int narrow)
{
	uint32_t tid = GET(task, pid);
	struct kernel_thread *t = thread_of(tid), *was = old != tid ? thread_of(old) : NULL;
	struct mm_struct *mm = AS(struct mm_struct, ADDRESS(GET(task, mm)));
	struct origin from = { .how = KERNEL_EXECED };
	uint32_t fresh = 0;

	/* a thread that is not the first takes the first one's number */
	if (was && !t) {
		t = thread_new(tid);
		if (t) {
			t->session = was->session;
			t->image = was->image;
			t->start = was->start;
			t->pid = was->pid;
			t->flags = was->flags;
		}
	}
	if (was)
		thread_free(was);
	if (!t && is_watched(GET2(task, cred, uid.val))) {
		/* followed at once, until somebody has decided: session 0 */
		t = thread_new(tid);
		if (t) {
			t->session = 0;
			t->start = 0;
			t->launches = 0;
			t->flags = 0;
		}
		fresh = 1;
	}
	if (!t || t->flags & KERNEL_LAUNCHER) {
		if (fresh)
			tell_fresh(task);
		return;
	}
	thread_flush(t);
	from.start = t->start;
	from.pid = t->start ? t->image : 0;
	from.how |= t->start ? 0 : KERNEL_ROOT;
	image_begin(t, tid);
	t->flags = narrow ? KERNEL_32BIT : 0;
	tell_image(t, task, &from, program);
	tell_cwd(t, ADDRESS(GET(task, fs)));
	tell_text(GET(mm, arg_start), GET(mm, arg_end), KERNEL_ARGV);
	tell_text(GET(mm, env_start), GET(mm, env_end), KERNEL_ENVIRON);
	if (fresh)
		tell_fresh(task);
}

static __always_inline void on_exit(struct task_struct *task)
{
	struct kernel_thread *t = thread_of(GET(task, pid));
	struct signal_struct *signal;
	struct kernel_exit r = {};

	if (!t)
		return;
	thread_flush(t);
	signal = AS(struct signal_struct, ADDRESS(GET(task, signal)));
	if (!GET(signal, live.counter) && !(t->flags & KERNEL_LAUNCHER)) {
		head_set(&r.head, t, KERNEL_EXIT);
		r.status = GET(signal, flags) & SIGNAL_GROUP_EXIT
				   ? GET(signal, group_exit_code)
				   : GET2(task, group_leader, exit_code);
		r.lost = t->lost;
		/* of two that end at once both may come here as the last one */
		r.threads = (uint32_t)GET(signal, nr_threads);
		tell(t, &r, sizeof(r));
	}
	thread_free(t);
}

#endif
