/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Copyright the prov authors */
#ifndef BPF_URING_H
#define BPF_URING_H
#include "call.h"
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
	uint64_t id = t ? file_id(t, file) : 0;
	struct kernel_tally *r = (struct kernel_tally *)scratch();

	if (!t || !r || !id || id == UNTOLD)
		return 0;
	head_set(&r->head, t, KERNEL_TALLY);
	r->id = id;
	r->n = *n;
	tell(t, r, sizeof(*r));
	return 0;
}

/* The names in a request, which are no longer there when it is done. */
#define HELD_MOST 512u
struct held {
	uint64_t time;
	int32_t from_fd, to_fd;
	uint32_t kind, flags;
	uint32_t from_size, to_size;
	char from[HELD_MOST], to[HELD_MOST];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 4096);
	__type(key, uint64_t);	/* address of the request */
	__type(value, struct held);
} requests SEC(".maps");

/* 0: longer than is kept */
static __always_inline uint32_t hold_name(char *room, struct filename *name)
{
	long n = bpf_probe_read_kernel_str(room, HELD_MOST,
					   (const void *)ADDRESS(GET(name, name)));

	return n > 0 && n < HELD_MOST ? (uint32_t)n : 0;
}

static __noinline int hold_names(uint64_t req, struct held *h)
{
	struct io_rename *moved = AS(struct io_rename, req);
	struct io_unlink *gone = AS(struct io_unlink, req);
	struct io_link *linked = AS(struct io_link, req);
	uint8_t op = GET(AS(struct io_kiocb, req), opcode);
	struct filename *from, *to = NULL;

	if (!h || bpf_core_type_exists(struct delayed_filename) ||
	    !bpf_core_type_exists(struct io_link))
		return 0;
	if (op == IORING_OP_RENAMEAT) {
		h->kind = GET(moved, flags) & RENAME_EXCHANGE ? PROV_NAME_EXCHANGE
							       : PROV_NAME_RENAME;
		h->from_fd = GET(moved, old_dfd);
		h->to_fd = GET(moved, new_dfd);
		from = AS(struct filename, ADDRESS(GET(moved, oldpath)));
		to = AS(struct filename, ADDRESS(GET(moved, newpath)));
	} else if (op == IORING_OP_UNLINKAT) {
		h->kind = PROV_NAME_UNLINK;
		h->from_fd = GET(gone, dfd);
		h->flags |= GET(gone, flags) & AT_REMOVEDIR ? KERNEL_NAME_DIRECTORY : 0;
		from = AS(struct filename, ADDRESS(GET(gone, filename)));
	} else {
		h->kind = op == IORING_OP_LINKAT ? PROV_NAME_LINK : PROV_NAME_SYMLINK;
		h->from_fd = GET(linked, old_dfd);
		h->to_fd = GET(linked, new_dfd);
		from = AS(struct filename, ADDRESS(GET(linked, oldpath)));
		to = AS(struct filename, ADDRESS(GET(linked, newpath)));
	}
	h->from_size = hold_name(h->from, from);
	if (to)
		h->to_size = hold_name(h->to, to);
	return h->from_size && (!to || h->to_size);
}

static __always_inline int is_of_names(uint8_t op)
{
	return op == IORING_OP_RENAMEAT || op == IORING_OP_UNLINKAT || op == IORING_OP_SYMLINKAT ||
	       op == IORING_OP_LINKAT;
}

/* A request was handed in. */
static __always_inline void on_request(uint64_t req)
{
	struct task_struct *task = AS(struct task_struct, uring_owner(req));
	struct held *h = (struct held *)scratch();

	if (!h || !is_of_names(GET(AS(struct io_kiocb, req), opcode)) ||
	    !(thread_of(GET(task, pid)) || thread_of(GET(task, tgid))))
		return;
	__builtin_memset(h, 0, __builtin_offsetof(struct held, from));
	h->time = bpf_ktime_get_ns();
	h->flags = KERNEL_NAME_URING;
	if (hold_names(req, h))
		bpf_map_update_elem(&requests, &req, h, BPF_ANY);
}

static __noinline int uring_unseen(struct kernel_thread *t)
{
	struct kernel_tally r;

	if (!t)
		return 0;
	__builtin_memset(&r, 0, sizeof(r));
	head_set(&r.head, t, KERNEL_URING_NAME);
	tell(t, &r, sizeof(r));
	return 0;
}

/* A name was changed: which, or that it is not known which. */
static __noinline int uring_name(struct kernel_thread *t, struct task_struct *task, uint64_t req)
{
	struct held *h = bpf_map_lookup_elem(&requests, &req);
	struct kernel_name *r = (struct kernel_name *)scratch();
	uint32_t at = sizeof(*r), n;

	if (!t || !r || !h)
		return 0;
	__sync_fetch_and_add(&state.names, 1);
	__builtin_memset(r, 0, sizeof(*r));
	head_set(&r->head, t, KERNEL_NAME);
	r->before = h->time;
	r->kind = h->kind;
	r->flags = h->flags;
	r->mount_ns = mount_ns_of(task);
	n = h->from_size & (HELD_MOST - 1);
	bpf_probe_read_kernel((char *)r + at, n, h->from);
	r->from_size = n;
	at += n;
	n = h->to_size & (HELD_MOST - 1);
	bpf_probe_read_kernel((char *)r + (at & (ROOM - 1)), n, h->to);
	r->to_size = n;
	at += n;
	r->from_base_size = base_walk(task, h->from_fd, h->from[0] == '/', at & (ROOM - 1));
	at += r->from_base_size;
	if (n)
		r->to_base_size = base_walk(task, h->to_fd, h->to[0] == '/', at & (ROOM - 1));
	at += r->to_base_size;
	tell(t, r, at & (ROOM - 1));
	return 1;
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
	if (!t || t->flags & KERNEL_LAUNCHER)
		return;
	if (done < 0) {
		bpf_map_delete_elem(&requests, &req);
		return;
	}
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
		if (!uring_name(t, task, req))
			uring_unseen(t);
		bpf_map_delete_elem(&requests, &req);
		return;
	case IORING_OP_SPLICE:
	case IORING_OP_TEE:
		uring_unseen(t);
		return;
	default:
		return;
	}
	if (file)
		uring_tell(t, &n, file);
}

#endif
