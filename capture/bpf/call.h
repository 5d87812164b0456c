/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Copyright the prov authors */
#ifndef BPF_CALL_H
#define BPF_CALL_H
#include <asm/unistd.h>

#include "name.h"
/*
 * What a system call did, told from its arguments and its result when it is over.
 */
#define PROT_READ     1u
#define PROT_WRITE    2u
#define PROT_EXEC     4u
#define MAP_KIND      3u
#define MAP_PRIVATE   2u
#define MAP_ANONYMOUS 0x20u
#define F_DUPFD	      0u
#define F_DUPFD_CLOEXEC 1030u

static __always_inline void note_transfer(struct kernel_thread *t, const struct kernel_slot *s,
					  struct task_struct *task, uint64_t low, uint64_t bytes,
					  uint32_t written, int64_t offset)
{
	struct kernel_transfer *r = (struct kernel_transfer *)scratch();
	uint64_t file = file_of(task, s->fd);

	if (!r)
		return;
	head_set(&r->head, t, KERNEL_TRANSFER);
	r->id = s->id;
	r->before = low;
	/* without one of its own a call moves the file's offset on */
	r->offset = offset >= 0 ? (uint64_t)offset
				: (uint64_t)GET(AS(struct file, file), f_pos) - bytes;
	r->bytes = bytes;
	r->written = written;
	r->pad = 0;
	tell(t, r, sizeof(*r));
}

static __always_inline int32_t level_of(const struct kernel_thread *t)
{
	uint32_t which = t->session;
	struct kernel_session *s = bpf_map_lookup_elem(&sessions, &which);

	return s ? s->granularity : PROV_FIRST_LAST;
}

static __always_inline void did_read(struct kernel_thread *t, struct task_struct *task, uint32_t fd,
				     uint64_t low, uint64_t n, int64_t offset, int32_t level)
{
	struct kernel_slot *s = slot_of(t, task, fd);

	if (!s)
		return;
	slot_read(s, low, t->now, n);
	if (level < PROV_FIRST_LAST)
		note_transfer(t, s, task, low, n, 0, offset);
}

static __always_inline void did_write(struct kernel_thread *t, struct task_struct *task,
				      uint32_t fd, uint64_t low, uint64_t n, int64_t offset,
				      int32_t level)
{
	struct kernel_slot *s = slot_of(t, task, fd);

	if (!s)
		return;
	slot_write(s, low, t->now, n);
	if (level < PROV_FIRST_LAST)
		note_transfer(t, s, task, low, n, 1, offset);
}

static __always_inline int64_t offset_arg(const struct call *c)
{
	return (int64_t)(c->narrow ? arg4(c) | arg5(c) << 32 : arg4(c));
}

/* Calls that read or write; 0 for others. */
static __always_inline int on_data(struct kernel_thread *t, const struct call *c, uint64_t nr,
				   long ret, uint64_t low)
{
	struct task_struct *task = current();
	int64_t offset = -1;
	int32_t level;

	switch (nr) {
	case __NR_pread64:
		offset = offset_arg(c);
		/* fall through */
	case __NR_read:
	case __NR_readv:
	case __NR_preadv:
	case __NR_preadv2:
	case __NR_recvfrom:
	case __NR_recvmsg:
		level = level_of(t);
		if (level < PROV_OPEN_CLOSE && ret >= 0) {
			t->calls++;
			did_read(t, task, (uint32_t)arg1(c), low, (uint64_t)ret, offset,
				 level);
		}
		return 1;
	case __NR_pwrite64:
		offset = offset_arg(c);
		/* fall through */
	case __NR_write:
	case __NR_writev:
	case __NR_pwritev:
	case __NR_pwritev2:
	case __NR_sendto:
	case __NR_sendmsg:
		level = level_of(t);
		if (level < PROV_OPEN_CLOSE && ret >= 0) {
			t->calls++;
			did_write(t, task, (uint32_t)arg1(c), low, (uint64_t)ret, offset,
				  level);
		}
		return 1;
	case __NR_vmsplice: {
		uint32_t fd = (uint32_t)arg1(c);

		level = level_of(t);
		if (level >= PROV_OPEN_CLOSE || ret < 0)
			return 1;
		t->calls++;
		/* pages go into a pipe, or are copied out of it */
		if (GET(AS(struct file, file_of(task, fd)), f_mode) & FMODE_WRITE)
			did_write(t, task, fd, low, (uint64_t)ret, -1, level);
		else
			did_read(t, task, fd, low, (uint64_t)ret, -1, level);
		return 1;
	}
	case __NR_sendfile:
	case __NR_copy_file_range:
	case __NR_splice:
	case __NR_tee: {
		uint32_t first = (uint32_t)arg1(c), second;

		second = (uint32_t)(nr == __NR_sendfile || nr == __NR_tee ? arg2(c)
									  : arg3(c));
		level = level_of(t);
		if (level >= PROV_OPEN_CLOSE || ret < 0)
			return 1;
		t->calls++;
		did_read(t, task, nr == __NR_sendfile ? second : first, low, (uint64_t)ret, -1,
			 level);
		did_write(t, task, nr == __NR_sendfile ? first : second, low, (uint64_t)ret, -1,
			  level);
		return 1;
	}
	}
	return 0;
}

/* read and write of a file that the slot has already; 0: the long way. */
static __always_inline int did_quick(struct kernel_thread *t, struct task_struct *task,
				     const struct call *c, uint64_t nr, long ret, uint64_t low)
{
	uint32_t fd = (uint32_t)arg1(c);
	struct kernel_slot *s = &t->slot[fd & (KERNEL_SLOTS - 1)];
	uint64_t file = file_of(task, fd);

	_Static_assert(__NR_read == 0 && __NR_write == 1, "the two that nr <= 1 means");
	if (!file || s->file != file || !s->id ||
	    s->inode != ADDRESS(GET(AS(struct file, file), f_inode)) ||
	    level_of(t) != PROV_FIRST_LAST)
		return 0;
	t->calls++;
	t->turn++;
	if (nr == __NR_read)
		slot_read(s, low, t->now, (uint64_t)ret);
	else
		slot_write(s, low, t->now, (uint64_t)ret);
	return 1;
}

static __always_inline void did_map(struct kernel_thread *t, const struct call *c, uint64_t low)
{
	uint32_t prot = (uint32_t)arg3(c), flags = (uint32_t)arg4(c), mode;
	struct task_struct *task = current();
	struct kernel_slot *s;

	if (flags & MAP_ANONYMOUS)
		return;
	s = slot_of(t, task, (uint32_t)arg5(c));
	if (!s)
		return;
	s->n.flags |= KERNEL_MAP_READ | (prot & PROT_EXEC ? KERNEL_MAP_EXEC : 0);
	if (!s->n.first_read)
		s->n.first_read = low;
	s->n.last_read = t->now;
	if ((flags & MAP_KIND) == MAP_PRIVATE)
		return;
	/* mprotect may make it writable later without a word */
	mode = GET(AS(struct file, s->file), f_mode);
	if (!(prot & PROT_WRITE) && !(mode & FMODE_WRITE))
		return;
	s->n.flags |= KERNEL_MAP_WRITE;
	if (!s->n.first_write)
		s->n.first_write = low;
	s->n.last_write = t->now;
}

/* A call that leaves a file shorter, or without a part of what was in it. */
static __always_inline void did_cut(struct kernel_thread *t, const struct call *c, uint64_t nr,
				    uint64_t low)
{
	struct kernel_slot *s = slot_of(t, current(), (uint32_t)arg1(c));

	if (!s)
		return;
	slot_write(s, low, t->now, 0);
	if (nr == __NR_ftruncate && arg2(c) == 0) {
		s->n.flags |= KERNEL_TRUNCATED;
		s->n.cut = t->now;
	}
}

/* linux/fs.h */
#define FICLONE	     0x40049409u
#define FICLONERANGE 0x4020940du	/* its argument begins with the descriptor */

/* Blocks are shared instead of copied: to what depends on what it is the same. */
static __always_inline void did_clone(struct kernel_thread *t, const struct call *c, uint64_t low)
{
	uint32_t how = (uint32_t)arg2(c);
	uint64_t from = arg3(c);
	struct kernel_slot *s;

	if (how == FICLONERANGE) {
		uint64_t at = from;

		if (bpf_probe_read_user(&from, sizeof(from), (const void *)at))
			return;
	} else if (how != FICLONE) {
		return;
	}
	s = slot_of(t, current(), (uint32_t)from);
	if (s)
		slot_read(s, low, t->now, 0);
	s = slot_of(t, current(), (uint32_t)arg1(c));
	if (s)
		slot_write(s, low, t->now, 0);
}

/* linux/aio_abi.h */
struct iocb {
	uint64_t data, key_flags;
	uint16_t opcode;
	int16_t priority;
	uint32_t fd;
	uint64_t buffer, n;
	int64_t offset;
};
enum { IOCB_PREAD = 0, IOCB_PWRITE = 1, IOCB_PREADV = 7, IOCB_PWRITEV = 8 };
#define IOCBS_MOST 64u

/* What was asked for; how much of it was done, only the caller will learn. */
__noinline int did_one_submit(uint64_t list, uint64_t low)
{
	struct kernel_thread *t = thread_of((uint32_t)bpf_get_current_pid_tgid());
	struct task_struct *task = current();
	struct iocb *c = (struct iocb *)scratch();
	uint64_t at = 0, n;
	uint32_t opcode;

	if (!t || !c || bpf_probe_read_user(&at, sizeof(at), (const void *)list) ||
	    bpf_probe_read_user(c, sizeof(*c), (const void *)at))
		return 0;
	opcode = c->opcode;
	/* of vectors only the number is told here */
	n = opcode == IOCB_PREAD || opcode == IOCB_PWRITE ? c->n : 0;
	if (opcode == IOCB_PREAD || opcode == IOCB_PREADV)
		did_read(t, task, c->fd, low, n, -1, PROV_FIRST_LAST);
	else if (opcode == IOCB_PWRITE || opcode == IOCB_PWRITEV)
		did_write(t, task, c->fd, low, n, -1, PROV_FIRST_LAST);
	return 0;
}

static __always_inline void did_submit(struct kernel_thread *t, uint64_t list, long n, uint64_t low)
{
	for (uint32_t i = 0; i < IOCBS_MOST; i++) {
		if ((long)i >= n)
			break;
		did_one_submit(list + i * sizeof(uint64_t), low);
	}
}

static __always_inline void tell_ring(struct kernel_thread *t)
{
	struct kernel_head *h = (struct kernel_head *)scratch();

	if (!h)
		return;
	head_set(h, t, KERNEL_URING);
	tell(t, h, sizeof(*h));
}

/* All other calls. */
static __always_inline void on_other(struct kernel_thread *t, const struct call *c, uint64_t nr,
				     long ret, uint64_t low)
{
	struct kernel_slot *s;

	switch (nr) {
#ifdef __NR_open
	case __NR_open:
		file_opened(t, current(), (uint32_t)ret, low, (uint32_t)arg2(c));
		break;
	case __NR_creat:
		file_opened(t, current(), (uint32_t)ret, low, O_TRUNC);
		break;
#endif
	case __NR_openat:
	case __NR_open_by_handle_at:
		file_opened(t, current(), (uint32_t)ret, low, (uint32_t)arg3(c));
		break;
	case __NR_openat2: {
		uint64_t how = 0;

		/* struct open_how begins with the flags */
		bpf_probe_read_user(&how, sizeof(how), (const void *)arg3(c));
		file_opened(t, current(), (uint32_t)ret, low, (uint32_t)how);
		break;
	}
	case __NR_memfd_create:
		file_opened(t, current(), (uint32_t)ret, low, 0);
		break;
	case __NR_io_submit:
		did_submit(t, arg3(c), ret, low);
		break;
	case __NR_io_uring_setup:
		if (setup.uring_unseen)
			tell_ring(t);
		break;
	case __NR_close:
		file_closed(t, (uint32_t)arg1(c));
		break;
#ifdef __NR_dup2
	case __NR_dup2:
#endif
	case __NR_dup3:
		if ((uint32_t)arg1(c) != (uint32_t)ret)
			file_closed(t, (uint32_t)ret);
		/* fall through */
	case __NR_dup:
		file_doubled(t, current(), (uint32_t)arg1(c), (uint32_t)ret);
		break;
	case __NR_fcntl:
		if (arg2(c) == F_DUPFD || arg2(c) == F_DUPFD_CLOEXEC)
			file_doubled(t, current(), (uint32_t)arg1(c), (uint32_t)ret);
		break;
	case __NR_mmap:
		did_map(t, c, low);
		break;
	case __NR_getdents64:
#ifdef __NR_getdents
	case __NR_getdents:
#endif
		s = slot_of(t, current(), (uint32_t)arg1(c));
		if (s) {
			slot_read(s, low, t->now, 0);
			s->n.reads--;
			s->n.flags |= KERNEL_LISTED;
		}
		break;
	case __NR_ioctl:
		did_clone(t, c, low);
		break;
	case __NR_ftruncate:
	case __NR_fallocate:
		did_cut(t, c, nr, low);
		break;
	default:
		on_name(t, c, nr, low);
	}
}

#endif
