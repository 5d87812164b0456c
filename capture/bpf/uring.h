/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Copyright the prov authors */
#ifndef BPF_URING_H
#define BPF_URING_H
#include "process.h"
/*
 * What io_uring did for a process, told when it is done; by whom it is done
 * (the caller, a worker, a polling thread) does not matter. Since when a request was
 * under way is not known: as long as the image itself.
 */
enum {	/* linux/io_uring.h */
	IORING_OP_READV = 1, IORING_OP_WRITEV = 2, IORING_OP_READ_FIXED = 4,
	IORING_OP_WRITE_FIXED = 5, IORING_OP_SENDMSG = 9, IORING_OP_RECVMSG = 10,
	IORING_OP_FALLOCATE = 17, IORING_OP_OPENAT = 18, IORING_OP_READ = 22,
	IORING_OP_WRITE = 23, IORING_OP_SEND = 26, IORING_OP_RECV = 27, IORING_OP_OPENAT2 = 28,
	IORING_OP_SPLICE = 30, IORING_OP_TEE = 33, IORING_OP_RENAMEAT = 35,
	IORING_OP_UNLINKAT = 36, IORING_OP_SYMLINKAT = 38, IORING_OP_LINKAT = 39,
	IORING_OP_FTRUNCATE = 55,
};

static __always_inline uint64_t uring_owner(uint64_t req)
{
	struct io_kiocb *r = AS(struct io_kiocb, req);
	struct io_kiocb___task *early = (void *)r;

	if (bpf_core_field_exists(early->task))
		return ADDRESS(BPF_CORE_READ(early, task));
	return ADDRESS(GET2(r, tctx, task));
}

static __noinline int uring_tell(struct kernel_thread *t, const struct kernel_counts *n,
				 uint64_t file)
{
	struct kernel_tally r;

	if (!t)
		return 0;
	__builtin_memset(&r, 0, sizeof(r));
	r.id = file_id(t, file);
	if (!r.id || r.id == NO_ROOM)
		return 0;
	head_set(&r.head, t, KERNEL_TALLY);
	r.n = *n;
	tell(t, &r, sizeof(r));
	return 0;
}

static __noinline int uring_names(struct kernel_thread *t)
{
	struct kernel_tally r;

	if (!t)
		return 0;
	__builtin_memset(&r, 0, sizeof(r));
	head_set(&r.head, t, KERNEL_URING_NAME);
	tell(t, &r, sizeof(r));
	return 0;
}

static __always_inline void on_uring(uint64_t req)
{
	struct io_kiocb *r = AS(struct io_kiocb, req);
	struct task_struct *task = AS(struct task_struct, uring_owner(req));
	struct kernel_thread *t = thread_of(GET(task, pid));
	struct kernel_counts n = {};
	uint64_t file = ADDRESS(GET(r, file));
	int32_t done = GET(r, cqe.res);
	uint8_t op = GET(r, opcode);
	uint32_t mode;

	/* a polling thread stands for its process */
	if (!t)
		t = thread_of(GET(task, tgid));
	if (!t || t->flags & KERNEL_LAUNCHER || done < 0)
		return;
	switch (op) {
	case IORING_OP_READV:
	case IORING_OP_READ_FIXED:
	case IORING_OP_READ:
	case IORING_OP_RECV:
	case IORING_OP_RECVMSG:
		n.reads = 1;
		n.bytes_read = (uint32_t)done;
		n.first_read = t->start;
		n.last_read = bpf_ktime_get_ns();
		break;
	case IORING_OP_WRITEV:
	case IORING_OP_WRITE_FIXED:
	case IORING_OP_WRITE:
	case IORING_OP_SEND:
	case IORING_OP_SENDMSG:
	case IORING_OP_FALLOCATE:
	case IORING_OP_FTRUNCATE:
		n.writes = 1;
		if (op != IORING_OP_FALLOCATE && op != IORING_OP_FTRUNCATE)
			n.bytes_written = (uint32_t)done;
		n.first_write = t->start;
		n.last_write = bpf_ktime_get_ns();
		break;
	case IORING_OP_OPENAT:
	case IORING_OP_OPENAT2:
		file = file_of(task, (uint32_t)done);
		if (!file)
			return;
		mode = GET(AS(struct file, file), f_mode);
		n.opened = t->start;
		n.flags = (mode & FMODE_READ ? KERNEL_READABLE : 0) |
			  (mode & FMODE_WRITE ? KERNEL_WRITABLE : 0) |
			  (mode & FMODE_CREATED ? KERNEL_CREATED : 0);
		if (mode & FMODE_CREATED)
			n.cut = bpf_ktime_get_ns();
		break;
	case IORING_OP_RENAMEAT:
	case IORING_OP_UNLINKAT:
	case IORING_OP_SYMLINKAT:
	case IORING_OP_LINKAT:
	case IORING_OP_SPLICE:
	case IORING_OP_TEE:
		uring_names(t);
		return;
	default:
		return;
	}
	if (file)
		uring_tell(t, &n, file);
}

#endif
