/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Copyright the prov authors */
#ifndef BPF_PATH_H
#define BPF_PATH_H
#include "maps.h"
/*
 * From a dentry up to the root of its mount namespace: the real path, whatever
 * links, chroot or working directory led there. Components are written as they
 * are met, the last one first. No lock is held: a rename meanwhile can give a
 * path that never was; the caller may look at state.names before and after.
 */
#define NAME_ROOM 256u
#ifdef PROV_CAST
#define DEPTH 256u
#else
#define DEPTH 48u
#endif

/* One component. Everything it needs lies in memory and it is not static, so that
 * the verifier looks at it once and not once for each turn of the loop. */
__noinline int walk_step(void)
{
	uint32_t zero = 0;
	struct scratch *own = bpf_map_lookup_elem(&scratches, &zero);
	struct walk *w;
	struct dentry *d;
	struct mount *m;
	uint64_t parent, name, size;
	char *room;
	long n;

	if (!own)
		return 1;
	w = &own->walk;
	d = AS(struct dentry, w->dentry);
	m = AS(struct mount, w->mount);
	parent = ADDRESS(GET(d, d_parent));
	size = w->size;

	if (w->dentry == ADDRESS(GET(m, mnt.mnt_root))) {
		uint64_t above = ADDRESS(GET(m, mnt_parent));

		w->over = above == w->mount || !above;
		if (w->over)
			return 1;
		w->dentry = ADDRESS(GET(m, mnt_mountpoint));
		w->mount = above;
		return 0;
	}
	if (size >= KERNEL_PATH_ROOM - NAME_ROOM)
		return 1;
	if (parent == w->dentry || !parent) {
		w->over = 1;
		w->flags |= KERNEL_PATH_LOOSE;
	}
	name = ADDRESS(GET(d, d_name.name));
	room = own->room + (w->at & (ROOM - 1));
	/* The compiler knows that this changes nothing and would leave it out; the
	 * verifier up to Linux 6.1 has forgotten by now what size was compared with. */
	asm volatile("%0 &= %1" : "+r"(size) : "i"(KERNEL_PATH_ROOM - 1));
	n = bpf_probe_read_kernel_str(room + size, NAME_ROOM, (const void *)name);
	if (n > 0)
		w->size = (uint32_t)size + ((uint32_t)n & (2 * NAME_ROOM - 1));
	w->dentry = parent;
	return (int)w->over;
}

#ifdef PROV_CAST
static long walk_loop(uint32_t i, void *ctx)
{
	return walk_step() != 0;
}
#endif

/* Writes the components into scratch() at byte `at`; returns how many bytes. */
static __noinline uint32_t path_walk(uint64_t dentry, uint64_t vfsmount, uint32_t at)
{
	uint32_t zero = 0;
	struct scratch *own = bpf_map_lookup_elem(&scratches, &zero);
	struct dentry *d = AS(struct dentry, dentry);
	struct walk *w;

	if (!own)
		return 0;
	w = &own->walk;
	w->dentry = dentry;
	w->mount = vfsmount - OFFSET(struct mount, mnt);
	w->at = at;
	w->size = w->over = 0;
	w->flags = KERNEL_PATH_CUT;
	if (!dentry || !vfsmount)
		return 0;
	if (!GET(d, d_hash.pprev) && ADDRESS(GET(d, d_parent)) != dentry)
		w->flags |= KERNEL_PATH_DELETED;
#ifdef PROV_CAST
	bpf_loop(DEPTH, walk_loop, NULL, 0);
#else
	for (uint32_t i = 0; i < DEPTH; i++)
		if (walk_step())
			break;
#endif
	if (w->over)
		w->flags &= ~(uint32_t)KERNEL_PATH_CUT;
	return w->size & (2 * KERNEL_PATH_ROOM - 1);
}

/* enum kernel_path of the newest walk. */
static __always_inline uint32_t path_flags(void)
{
	uint32_t zero = 0;
	struct scratch *own = bpf_map_lookup_elem(&scratches, &zero);

	return own ? own->walk.flags : KERNEL_PATH_CUT;
}

#endif
