/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Copyright the prov authors */
#ifndef BPF_TYPES_H
#define BPF_TYPES_H
/*
 * The fields of the kernel's types that are read here, and nothing else. Where
 * they lie is found out when the programs are loaded (CO-RE), so neither order
 * nor neighbours matter, and a kernel that lacks one is asked first. A name after
 * three underscores is another form of the same type, as other kernels have it.
 */
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef signed short int16_t;
typedef signed int int32_t;
typedef signed long long int64_t;

typedef uint8_t __u8;
typedef uint16_t __u16;
typedef uint32_t __u32;
typedef uint64_t __u64;
typedef int16_t __s16;
typedef int32_t __s32;
typedef int64_t __s64;
typedef __u16 __be16, __sum16;
typedef __u32 __be32, __wsum;

enum { false, true };

/* linux/bpf.h, stable */
enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_F_NO_PREALLOC = 1,
	BPF_F_MMAPABLE = 1 << 10,
	BPF_RB_NO_WAKEUP = 1,
	BPF_RB_FORCE_WAKEUP = 2,
	BPF_RB_AVAIL_DATA = 0,
	BPF_ANY = 0,
};

struct bpf_raw_tracepoint_args {
	__u64 args[0];
};

#define CORE __attribute__((preserve_access_index))

struct list_head;
struct hlist_bl_node { struct hlist_bl_node **pprev; } CORE;
struct hlist_node;
struct timespec64 { int64_t tv_sec; long tv_nsec; } CORE;
struct qstr { const unsigned char *name; } CORE;
typedef struct { int counter; } atomic_t;

struct super_block { uint32_t s_dev; unsigned long s_magic; } CORE;
struct inode {
	uint16_t i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
	uint32_t i_nlink;
	int64_t i_size;
	uint32_t i_generation;
	int64_t i_mtime_sec;	/* Linux 6.11 and later */
	uint32_t i_mtime_nsec;
} CORE;
struct inode___early { struct timespec64 i_mtime; } CORE;	/* to Linux 6.6 */
struct inode___middle { struct timespec64 __i_mtime; } CORE;	/* Linux 6.7 to 6.10 */
struct ext4_inode_info { struct inode vfs_inode; struct timespec64 i_crtime; } CORE;
struct shmem_inode_info { struct inode vfs_inode; struct timespec64 i_crtime; } CORE;
struct xfs_inode { struct timespec64 i_crtime; struct inode i_vnode; } CORE;

struct dentry {
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
} CORE;
struct vfsmount { struct dentry *mnt_root; } CORE;
struct mount { struct mount *mnt_parent; struct dentry *mnt_mountpoint; struct vfsmount mnt; } CORE;
struct path { struct vfsmount *mnt; struct dentry *dentry; } CORE;
struct file {
	uint32_t f_mode, f_flags;
	struct inode *f_inode;
	struct path f_path;
	int64_t f_pos;
} CORE;
struct fdtable { unsigned int max_fds; struct file **fd; } CORE;
struct files_struct { struct fdtable *fdt; } CORE;
struct fs_struct { struct path root, pwd; } CORE;

struct mm_struct {
	unsigned long arg_start, arg_end, env_start, env_end;
	struct file *exe_file;
} CORE;
struct signal_struct { atomic_t live; int nr_threads, group_exit_code; unsigned int flags; } CORE;
struct ns_common { unsigned int inum; } CORE;
struct mnt_namespace { struct ns_common ns; } CORE;
struct nsproxy { struct mnt_namespace *mnt_ns; } CORE;
typedef struct { uint32_t val; } kuid_t;
struct cred { kuid_t uid, euid; } CORE;
struct thread_info { unsigned long flags; uint32_t status; } CORE;
struct task_struct {
	struct thread_info thread_info;
	void *stack;
	struct mm_struct *mm;
	int exit_code;
	unsigned int flags;
	int pid, tgid;
	struct task_struct *real_parent, *group_leader;
	const struct cred *cred;
	struct fs_struct *fs;
	struct files_struct *files;
	struct signal_struct *signal;
	struct nsproxy *nsproxy;
} CORE;
struct linux_binprm { char buf[256]; struct file *file; const char *filename, *interp; } CORE;

struct filename { const char *name; } CORE;
struct delayed_filename { char unused; } CORE;	/* what names are in later kernels */
struct io_rename { int old_dfd, new_dfd; struct filename *oldpath, *newpath; int flags; } CORE;
struct io_link { int old_dfd, new_dfd; struct filename *oldpath, *newpath; } CORE;
struct io_unlink { int dfd, flags; struct filename *filename; } CORE;
struct io_cqe { int32_t res; } CORE;
struct io_uring_task { struct task_struct *task; } CORE;
struct io_kiocb {
	struct file *file;
	uint8_t opcode;
	struct io_cqe cqe;
	struct io_uring_task *tctx;
} CORE;
struct io_kiocb___task { struct task_struct *task; } CORE;	/* to Linux 6.12 */

#endif
