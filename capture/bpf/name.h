/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Copyright the prov authors */
#ifndef BPF_NAME_H
#define BPF_NAME_H
#include <asm/unistd.h>

#include "process.h"
/*
 * Calls that give, change or take names: what the program said, where that starts, and
 * which objects the call touched.
 */
#define AT_FDCWD      -100
#define AT_REMOVEDIR  0x200u
#define RENAME_EXCHANGE 2u

struct name_call {
	uint64_t from, to;	/* user addresses of the paths; 0 none */
	uint64_t low;
	int32_t from_fd, to_fd;
	uint32_t kind, flags;
};

/* Where a path starts: the root, which may have been changed, a folder that is open,
 * or the working directory. */
static __always_inline uint32_t base_walk(struct task_struct *task, int32_t fd, uint32_t whole,
					  uint32_t at)
{
	struct fs_struct *where = AS(struct fs_struct, ADDRESS(GET(task, fs)));
	uint64_t dentry = ADDRESS(GET(where, pwd.dentry)), mount = ADDRESS(GET(where, pwd.mnt));

	if (whole) {
		dentry = ADDRESS(GET(where, root.dentry));
		mount = ADDRESS(GET(where, root.mnt));
	} else if (fd != AT_FDCWD) {
		struct file *f = AS(struct file, file_of(task, (uint32_t)fd));

		dentry = ADDRESS(GET(f, f_path.dentry));
		mount = ADDRESS(GET(f, f_path.mnt));
	}
	return path_walk(dentry, mount, at) & (2 * KERNEL_PATH_ROOM - 1);
}

static __always_inline uint32_t is_whole(const char *room, uint32_t at)
{
	return room[at & (ROOM - 1)] == '/';
}

static __always_inline uint32_t name_read(char *room, uint32_t at, uint64_t from)
{
	long n = from ? bpf_probe_read_user_str(room + (at & (ROOM - 1)), KERNEL_PATH_ROOM,
						(const void *)from)
		      : 0;

	return n > 0 ? (uint32_t)n & (2 * KERNEL_PATH_ROOM - 1) : 0;
}

static __always_inline uint32_t mount_ns_of(struct task_struct *task)
{
	return GET(AS(struct mnt_namespace, ADDRESS(GET2(task, nsproxy, mnt_ns))), ns.inum);
}

static __noinline int tell_name(struct kernel_thread *t, const struct name_call *c)
{
	struct kernel_name *r = (struct kernel_name *)scratch();
	struct task_struct *task = current();
	uint32_t at = sizeof(*r), from_whole, to_whole;

	if (!r || !t)
		return 0;
	if (c->kind != KERNEL_TRUNCATE)
		__sync_fetch_and_add(&state.names, 1);
	head_set(&r->head, t, KERNEL_NAME);
	r->before = c->low;
	r->kind = c->kind;
	r->flags = c->flags;
	r->n_touched = t->touched_turn == t->turn ? t->n_touched : 0;
#pragma clang loop unroll(full)	/* see slot_find() */
	for (uint32_t i = 0; i < KERNEL_TOUCHES; i++) {
		struct inode *inode = AS(struct inode, t->touched_at[i]);

		r->touched[i] = t->touched[i];
		/* still there: links are left, or it is open */
		if (i < r->n_touched && GET(inode, i_ino) == r->touched[i].ino) {
			r->touched[i].nlink = GET(inode, i_nlink);
			/* a new one gets its time of birth after its change time */
			if (c->kind == PROV_NAME_SYMLINK)
				r->touched[i].btime = inode_btime(t->touched_at[i],
								  r->touched[i].magic);
		}
	}
	r->mount_ns = mount_ns_of(task);
	r->pad = 0;
	r->from_size = name_read((char *)r, at, c->from);
	from_whole = is_whole((char *)r, at);
	at += r->from_size;
	r->to_size = name_read((char *)r, at, c->to);
	to_whole = is_whole((char *)r, at);
	at += r->to_size;
	r->from_base_size = base_walk(task, c->from_fd, from_whole, at & (ROOM - 1));
	at += r->from_base_size;
	r->to_base_size = 0;
	if (c->to)
		r->to_base_size = base_walk(task, c->to_fd, to_whole, at & (ROOM - 1));
	at += r->to_base_size;
	tell(t, r, at & (ROOM - 1));
	return 0;
}

static __always_inline void on_name(struct kernel_thread *t, const struct call *c, uint64_t nr,
				    uint64_t low)
{
	struct name_call n = { .from_fd = AT_FDCWD, .to_fd = AT_FDCWD, .low = low };

	switch (nr) {
#ifdef __NR_rename
	case __NR_rename:
	case __NR_link:
	case __NR_symlink:
		n.kind = nr == __NR_rename ? PROV_NAME_RENAME
		       : nr == __NR_link   ? PROV_NAME_LINK
					   : PROV_NAME_SYMLINK;
		n.from = arg1(c);
		n.to = arg2(c);
		break;
	case __NR_unlink:
	case __NR_rmdir:
		n.kind = PROV_NAME_UNLINK;
		n.flags = nr == __NR_rmdir ? KERNEL_NAME_DIRECTORY : 0;
		n.from = arg1(c);
		break;
#endif
	case __NR_renameat2:
		n.kind = arg5(c) & RENAME_EXCHANGE ? PROV_NAME_EXCHANGE : PROV_NAME_RENAME;
		goto four;
	case __NR_linkat:
		n.kind = PROV_NAME_LINK;
		goto four;
	case __NR_renameat:
		n.kind = PROV_NAME_RENAME;
four:
		n.from_fd = (int32_t)arg1(c);
		n.from = arg2(c);
		n.to_fd = (int32_t)arg3(c);
		n.to = arg4(c);
		break;
	case __NR_truncate:
		n.kind = KERNEL_TRUNCATE;
		n.from = arg1(c);
		n.flags = arg2(c) ? 0 : KERNEL_TRUNCATE_TO_0;
		break;
	case __NR_unlinkat:
		n.kind = PROV_NAME_UNLINK;
		n.from_fd = (int32_t)arg1(c);
		n.from = arg2(c);
		n.flags = arg3(c) & AT_REMOVEDIR ? KERNEL_NAME_DIRECTORY : 0;
		break;
	case __NR_symlinkat:
		n.kind = PROV_NAME_SYMLINK;
		n.from = arg1(c);
		n.to_fd = (int32_t)arg2(c);
		n.to = arg3(c);
		break;
	default:
		return;
	}
	tell_name(t, &n);
}

#endif
