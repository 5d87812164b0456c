/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Copyright the prov authors */
#ifndef BPF_FILE_H
#define BPF_FILE_H
#include "path.h"
/*
 * What threads do with files. Each thread has a few slots, by descriptor; a slot
 * counts until another file comes into it, its descriptor is closed or the thread
 * ends, and is then told in one record.
 */
#define FMODE_READ    1u
#define FMODE_WRITE   2u
#define FMODE_PATH    0x4000u
#define FMODE_CREATED 0x100000u
#define O_TRUNC	      01000u

#define S_IFMT	0170000u
#define S_IFDIR 0040000u

#define EXT4_MAGIC  0xef53u
#define TMPFS_MAGIC 0x01021994u
#define XFS_MAGIC   0x58465342u
#define ANON_MAGIC  0x09041934u	/* eventfd, epoll, ... : nothing flows through them */

static __always_inline int64_t time_ns(int64_t s, int64_t ns)
{
	return s * 1000000000 + ns;
}

static __always_inline int64_t inode_mtime(struct inode *i)
{
	struct inode___early *early = (void *)i;
	struct inode___middle *middle = (void *)i;

	if (bpf_core_field_exists(i->i_mtime_sec))
		return time_ns(GET(i, i_mtime_sec), GET(i, i_mtime_nsec));
	if (bpf_core_field_exists(middle->__i_mtime))
		return time_ns(BPF_CORE_READ(middle, __i_mtime.tv_sec),
			       BPF_CORE_READ(middle, __i_mtime.tv_nsec));
	if (bpf_core_field_exists(early->i_mtime))
		return time_ns(BPF_CORE_READ(early, i_mtime.tv_sec),
			       BPF_CORE_READ(early, i_mtime.tv_nsec));
	return 0;
}

/* Of the file systems that keep a birth time where it can be found from here. */
#define BORN(type, member)                                                                     \
	if (bpf_core_type_exists(type) && bpf_core_field_exists(((type *)0)->i_crtime)) {      \
		type *own = (type *)(inode - OFFSET(type, member));                            \
		return time_ns(BPF_CORE_READ(own, i_crtime.tv_sec),                            \
			       BPF_CORE_READ(own, i_crtime.tv_nsec));                          \
	}

static __always_inline int64_t inode_btime(uint64_t inode, uint64_t magic)
{
	if (magic == EXT4_MAGIC)
		BORN(struct ext4_inode_info, vfs_inode)
	if (magic == TMPFS_MAGIC)
		BORN(struct shmem_inode_info, vfs_inode)
	if (magic == XFS_MAGIC)
		BORN(struct xfs_inode, i_vnode)
	return 0;
}

static __always_inline void object_set(struct kernel_object *o, uint64_t inode)
{
	struct inode *i = AS(struct inode, inode);

	o->ino = GET(i, i_ino);
	o->size = (uint64_t)GET(i, i_size);
	o->magic = GET2(i, i_sb, s_magic);
	o->dev = GET2(i, i_sb, s_dev);
	o->generation = GET(i, i_generation);
	o->mode = GET(i, i_mode);
	o->nlink = GET(i, i_nlink);
	o->mtime = inode_mtime(i);
	o->btime = inode_btime(inode, o->magic);
}

/* The kernel sets a change time: the object is one that the call at hand is about. */
static __always_inline void on_touch(uint64_t inode)
{
	struct kernel_thread *t = thread_of((uint32_t)bpf_get_current_pid_tgid());
	uint32_t at;

	if (!t)
		return;
	if (t->touched_turn != t->turn) {
		t->touched_turn = t->turn;
		t->n_touched = 0;
	}
	at = t->n_touched;
	if (at >= KERNEL_TOUCHES)
		return;
	at &= 3;
	if (at < KERNEL_TOUCHES) {
		object_set(&t->touched[at], inode);
		t->touched_at[at] = inode;
	}
	t->n_touched = at + 1;
}

/* Its own on each processor, and in order of time on all: what they share could not
 * be added to and read at once before Linux 5.12. */
static __always_inline uint64_t id_new(struct scratch *own, uint64_t time)
{
	uint64_t next = time >> 6;

	if (next <= own->ids)
		next = own->ids + 1;
	own->ids = next;
	return next << 12 | (bpf_get_smp_processor_id() & 0xfff);
}

#define UNTOLD (~0ull)

/* The id by which tallies name it; told now unless it was. 0: not a thing that
 * data flows through. UNTOLD: the name was lost, and is counted as such. */
static __noinline uint64_t file_id(struct kernel_thread *t, uint64_t file)
{
	struct file *f = AS(struct file, file);
	uint64_t inode = ADDRESS(GET(f, f_inode)), dentry, mount, id, *was;
	struct kernel_file *r;
	struct inode *i = AS(struct inode, inode);
	struct scratch *own;
	uint32_t size, zero = 0;

	own = bpf_map_lookup_elem(&scratches, &zero);
	if (!own || !t || GET2(i, i_sb, s_magic) == ANON_MAGIC)
		return 0;
	dentry = ADDRESS(GET(f, f_path.dentry));
	mount = ADDRESS(GET(f, f_path.mnt));
	own->told = (struct told){
		.start = t->start,
		.image = t->image,
		.dentry = dentry,
		.mount = mount,
		.ino = GET(i, i_ino),
		.generation = GET(i, i_generation),
		.names = state.names,
	};
	was = bpf_map_lookup_elem(&known, &own->told);
	if (was)
		return *was;
	r = (struct kernel_file *)own->room;
	head_set(&r->head, t, KERNEL_FILE);
	id = r->id = id_new(own, r->head.time);
	object_set(&r->object, inode);
	size = path_walk(dentry, mount, sizeof(*r)) & (2 * KERNEL_PATH_ROOM - 1);
	r->flags = path_flags();
	r->path_size = size;
	/* nothing is told of what has no name; the next call tries again */
	if (!tell(t, r, sizeof(*r) + size))
		return UNTOLD;
	bpf_map_update_elem(&known, &own->told, &id, BPF_ANY);
	return id;
}

static __always_inline int is_used(const struct kernel_slot *s)
{
	return s->id && (s->n.reads || s->n.writes || s->n.opened || s->n.flags || s->n.cut);
}

static __noinline int slot_flush(struct kernel_thread *t, struct kernel_slot *s)
{
	struct kernel_tally *r = (struct kernel_tally *)scratch();

	if (!t || !s || !s->id || !r)
		return 0;
	if (is_used(s)) {
		head_set(&r->head, t, KERNEL_TALLY);
		r->id = s->id;
		r->n = s->n;
		tell(t, r, sizeof(*r));
	}
	__builtin_memset(s, 0, sizeof(*s));
	return 0;
}

/* The file behind a descriptor of a task; 0 none. */
static __always_inline uint64_t file_of(struct task_struct *task, uint32_t fd)
{
	uint64_t table = ADDRESS(GET(task, files)), fdt, at;

	if (!table)
		return 0;
	fdt = ADDRESS(GET(AS(struct files_struct, table), fdt));
	if (fd >= GET(AS(struct fdtable, fdt), max_fds))
		return 0;
	at = ADDRESS(GET(AS(struct fdtable, fdt), fd)) + (uint64_t)fd * sizeof(void *);
	/* read as a number: functions that are verified once take no pointers */
	return GET(AS(struct thread_info, at), flags);
}

/* The same object under the same name as the slot had last? */
static __noinline int is_same(const struct kernel_slot *s, uint64_t file)
{
	struct file *f = AS(struct file, file);
	struct inode *i = AS(struct inode, ADDRESS(GET(f, f_inode)));

	return s && s->id && s->dentry == ADDRESS(GET(f, f_path.dentry)) &&
	       s->inode == ADDRESS(GET(f, f_inode)) &&
	       s->mount == ADDRESS(GET(f, f_path.mnt)) && s->ino == GET(i, i_ino) &&
	       s->generation == GET(i, i_generation) && s->names == state.names;
}

static __noinline int slot_name(struct kernel_slot *s, uint64_t id, uint64_t file)
{
	struct file *f = AS(struct file, file);
	struct inode *i = AS(struct inode, ADDRESS(GET(f, f_inode)));

	if (!s)
		return 0;
	s->id = id;
	s->inode = ADDRESS(GET(f, f_inode));
	s->dentry = ADDRESS(GET(f, f_path.dentry));
	s->mount = ADDRESS(GET(f, f_path.mnt));
	s->ino = GET(i, i_ino);
	s->generation = GET(i, i_generation);
	s->names = state.names;
	return 0;
}

/* Unrolled: before Linux 6.3 the verifier refuses loops that the compiler enters in
 * the middle. */
static __always_inline uint32_t slot_find(struct kernel_thread *t, uint64_t id)
{
#pragma clang loop unroll(full)
	for (uint32_t i = 0; i < KERNEL_SLOTS; i++)
		if (t->slot[i].id == id)
			return i;
	return KERNEL_SLOTS;
}

/* The slot of a descriptor for the file with this id; 0: for none. What it counted of
 * another file goes on elsewhere if there is room: files are used by turns. */
static __noinline int slot_turn(struct kernel_thread *t, struct kernel_slot *s, uint64_t id)
{
	/* too large for the stack */
	struct kernel_slot *was = (struct kernel_slot *)scratch();
	uint32_t other;

	if (!t || !s)
		return 0;
	other = slot_find(t, id);

	if (other == KERNEL_SLOTS)
		other = slot_find(t, 0);
	if (was && other < KERNEL_SLOTS) {
		*was = *s;
		*s = t->slot[other & (KERNEL_SLOTS - 1)];
		t->slot[other & (KERNEL_SLOTS - 1)] = *was;
	}
	if (s->id == id && id)
		return 0;
	slot_flush(t, s);
	s->id = id;
	return 0;
}

/* Another file has come to this descriptor of the current thread. Not static, and
 * told by numbers alone: so the verifier looks at it once, not at each of its calls. */
__noinline int slot_begin(uint64_t file, uint32_t fd)
{
	struct kernel_thread *t = thread_of((uint32_t)bpf_get_current_pid_tgid());
	struct kernel_slot *s;
	uint64_t id;

	if (!t)
		return 0;
	s = &t->slot[fd & (KERNEL_SLOTS - 1)];
	if (!is_same(s, file)) {
		id = file_id(t, file);
		if (id == UNTOLD)
			id = file = 0;
		/* opened again, under the same name: counts go on */
		if (s->id != id || !id)
			slot_turn(t, s, id);
		slot_name(s, id, file);
	}
	s->file = file;
	s->fd = fd;
	return 0;
}

/* NULL when nothing of it is noted: no file, or one without data. */
static __always_inline struct kernel_slot *slot_of(struct kernel_thread *t,
						   struct task_struct *task, uint32_t fd)
{
	struct kernel_slot *s = &t->slot[fd & (KERNEL_SLOTS - 1)];
	uint64_t file = file_of(task, fd), inode;

	if (!file)
		return NULL;
	inode = ADDRESS(GET(AS(struct file, file), f_inode));
	if (s->file != file || s->inode != inode) {
		slot_begin(file, fd);
		s->n.flags &= ~(uint32_t)KERNEL_CLOSED;
		if (s->id && !s->n.opened)
			s->n.flags |= KERNEL_INHERITED;
	}
	return s->id ? s : NULL;
}

/* The time of a thread moves on with each call: `low` came before it began, t->now
 * is not later than its end, by a tick at most. */
static __always_inline uint64_t call_time(struct kernel_thread *t)
{
	uint64_t tick;

	if (t->timed == t->turn + 1)
		return t->low;
	t->timed = t->turn + 1;
	t->low = t->now;
	tick = bpf_jiffies64();
	if (t->tick != tick) {
		t->tick = tick;
		t->now = bpf_ktime_get_ns();
	}
	return t->low;
}

static __always_inline void slot_read(struct kernel_slot *s, uint64_t low, uint64_t now, uint64_t n)
{
	if (!s->n.reads)
		s->n.first_read = low;
	s->n.reads++;
	s->n.bytes_read += n;
	s->n.last_read = now;
}

static __always_inline void slot_write(struct kernel_slot *s, uint64_t low, uint64_t now,
				       uint64_t n)
{
	if (!s->n.writes)
		s->n.first_write = low;
	s->n.writes++;
	s->n.bytes_written += n;
	s->n.last_write = now;
}

/* A descriptor was made by a call that opens. */
static __always_inline void file_opened(struct kernel_thread *t, struct task_struct *task,
					uint32_t fd, uint64_t low, uint32_t asked)
{
	struct kernel_slot *s = &t->slot[fd & (KERNEL_SLOTS - 1)];
	uint64_t file = file_of(task, fd);
	struct file *f = AS(struct file, file);
	uint32_t mode, flags = 0;

	if (!file)
		return;
	mode = GET(f, f_mode);
	if (mode & FMODE_PATH)
		return;
	slot_begin(file, fd);
	if (!s->id)
		return;
	flags |= mode & FMODE_READ ? KERNEL_READABLE : 0;
	flags |= mode & FMODE_WRITE ? KERNEL_WRITABLE : 0;
	/* a library that is written and then loaded: two things were done */
	if (s->n.opened && (s->n.flags ^ flags) & (KERNEL_READABLE | KERNEL_WRITABLE)) {
		slot_flush(t, s);
		slot_begin(file, fd);
	}
	flags |= mode & FMODE_CREATED ? KERNEL_CREATED : 0;
	/* what did not exist is not truncated, and is new in the same sense */
	if (mode & FMODE_CREATED || asked & O_TRUNC) {
		flags |= mode & FMODE_CREATED ? 0 : KERNEL_TRUNCATED;
		s->n.cut = t->now;
	}
	s->n.flags = (s->n.flags & ~KERNEL_CLOSED) | flags;
	if (!s->n.opened)
		s->n.opened = low;
}

/* Two descriptors of one open file: what is known of the first holds for the second. */
static __always_inline void file_doubled(struct kernel_thread *t, struct task_struct *task,
					 uint32_t from, uint32_t to)
{
	struct kernel_slot *a = &t->slot[from & (KERNEL_SLOTS - 1)];
	struct kernel_slot *b = &t->slot[to & (KERNEL_SLOTS - 1)];
	uint64_t file = file_of(task, to), opened;
	uint32_t flags;

	if (a == b || !file || a->file != file || a->fd != from || !a->n.opened)
		return;
	opened = a->n.opened;
	flags = a->n.flags & (KERNEL_READABLE | KERNEL_WRITABLE);
	slot_begin(file, to);
	b->n.opened = opened;
	b->n.flags |= flags;
}

/* The descriptor is gone already; the slot still tells what it was. */
static __always_inline void file_closed(struct kernel_thread *t, uint32_t fd)
{
	struct kernel_slot *s = &t->slot[fd & (KERNEL_SLOTS - 1)];

	if (!s->file || s->fd != fd)
		return;
	s->n.closed = bpf_ktime_get_ns();
	s->n.flags |= KERNEL_CLOSED;
	s->file = 0;
}

#endif
