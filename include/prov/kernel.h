/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_KERNEL_H
#define PROV_KERNEL_H
#ifndef __bpf__
#include <stdint.h>
#endif
/*
 * What the programs of capture/bpf/ and the engine that loads them share: records
 * in the ring buffer, and the tables of threads and sessions. Both are built
 * together, so there is no version. Process numbers are those of the initial pid
 * namespace; times are nanoseconds of CLOCK_MONOTONIC.
 */
enum kernel_type {
	KERNEL_IMAGE = 1,	/* a fork or an exec made an image; text: its program's path */
	KERNEL_TEXT,		/* a piece of what belongs to an image */
	KERNEL_FILE,		/* an object under a name came within reach; text: its path */
	KERNEL_TALLY,		/* what an image did with it since the last one */
	KERNEL_NAME,		/* a name changed; text: both as given, and where they start */
	KERNEL_EXIT,		/* the last thread of an image ended */
	KERNEL_TRANSFER,	/* one read or write */
	KERNEL_URING_NAME,	/* a name was changed, or bytes moved, through io_uring */
	KERNEL_URING,		/* a ring was made whose use is not seen; the head alone */
	KERNEL_FRESH,		/* a program began that nobody records yet */
};

struct kernel_head {
	uint16_t type;		/* enum kernel_type */
	uint16_t session;
	uint32_t size;		/* of the whole record */
	uint32_t pid;		/* thread group, or the process of a vfork child */
	uint32_t tid;
	uint64_t start;		/* with the image's pid it names the image */
	uint64_t time;
	uint32_t image;		/* its pid: differs from pid in a vfork child before exec */
	uint32_t pad;
};

enum kernel_how { KERNEL_FORKED = 1, KERNEL_EXECED = 2, KERNEL_ROOT = 4 };

struct kernel_image {
	struct kernel_head head;
	uint64_t parent_start;
	uint32_t parent_pid, ppid, uid, how;
	uint64_t arg_start, arg_end, env_start, env_end;
	uint32_t path_size, flags;
	char text[];
};

enum kernel_text { KERNEL_CWD = 1, KERNEL_ARGV, KERNEL_ENVIRON };

struct kernel_piece {	/* KERNEL_TEXT */
	struct kernel_head head;
	uint32_t kind;		/* enum kernel_text */
	uint32_t offset, n, whole;	/* whole: bytes in all */
	char text[];
};

/* Paths are components, each NUL-terminated, the last one first. */
enum kernel_path {
	KERNEL_PATH_CUT = 1 << 0,	/* deeper or longer than is walked */
	KERNEL_PATH_DELETED = 1 << 1,
	KERNEL_NARROW = 1 << 3,	/* of an image: a 32-bit program, whose calls are not seen */
	KERNEL_PATH_LOOSE = 1 << 2,	/* leads to no root: a pipe, or a mount that was detached */
};

struct kernel_object {
	uint64_t ino, size, magic;	/* magic: of the file system, statfs(2) */
	int64_t btime, mtime;		/* btime 0: not known to the kernel side */
	uint32_t dev, generation, mode, nlink;
};

struct kernel_file {
	struct kernel_head head;
	uint64_t id;		/* of this object under this name in this image */
	struct kernel_object object;
	uint32_t path_size, flags;	/* enum kernel_path */
	char text[];
};

enum kernel_tally_flags {
	KERNEL_CREATED = 1 << 0,
	KERNEL_TRUNCATED = 1 << 1,
	KERNEL_MAP_READ = 1 << 2,
	KERNEL_MAP_WRITE = 1 << 3,
	KERNEL_INHERITED = 1 << 4,
	KERNEL_LISTED = 1 << 5,		/* a directory was */
	KERNEL_WRITABLE = 1 << 6,
	KERNEL_READABLE = 1 << 7,
	KERNEL_MAP_EXEC = 1 << 8,	/* as a program or a library is */
	KERNEL_CLOSED = 1 << 9,
};

struct kernel_counts {
	uint64_t reads, bytes_read, writes, bytes_written;
	uint64_t first_read, last_read, first_write, last_write;
	uint64_t opened, closed, cut;
	uint32_t flags, pad;
};

struct kernel_tally {
	struct kernel_head head;
	uint64_t id;
	struct kernel_counts n;
};

/* An object whose change time was set during a call: the way to learn which object
 * a name meant that is no more. Folders that a name was in are not among them. */
#define KERNEL_TOUCHES 3u

struct kernel_name {
	struct kernel_head head;
	uint64_t before;	/* the call began later than that */
	uint32_t kind;		/* enum prov_name_kind */
	uint32_t from_size, to_size;	/* as the program gave them, with NUL; 0 none */
	uint32_t from_base_size, to_base_size;	/* folders that they start from, components */
	uint32_t flags, n_touched;
	uint32_t mount_ns, pad;	/* the inode of /proc/PID/ns/mnt: whose names they are */
	struct kernel_object touched[KERNEL_TOUCHES];	/* by the call, in order; nlink: after it */
	char text[];		/* from, to, from's base, to's base */
};

#define KERNEL_NAME_DIRECTORY 1u
#define KERNEL_TRUNCATE	      100u	/* kind: truncate(2); to_size tells nothing */
#define KERNEL_TRUNCATE_TO_0  4u
#define KERNEL_NAME_URING     8u	/* which objects were touched is not told */

struct kernel_exit {
	struct kernel_head head;
	int32_t status;		/* as wait(2) gives it */
	uint32_t lost;		/* records of the thread that found no room */
	uint32_t threads, pad;	/* that may still have something to tell, this one included */
};

struct kernel_transfer {
	struct kernel_head head;
	uint64_t id, before, offset, bytes;
	uint32_t written, pad;
};

/* ---- tables ---- */
#define KERNEL_SLOTS	 16u
#define KERNEL_SESSIONS	 1024u
#define KERNEL_TEXT_PIECE 4096u
#define KERNEL_ENV_MOST	 (128u << 10)
#define KERNEL_ARGV_MOST (128u << 10)
#define KERNEL_PATH_ROOM 4096u

/* One open file of one thread since it was last told. */
struct kernel_slot {
	uint64_t file, inode;	/* addresses; 0: free */
	uint64_t id;
	uint64_t dentry, mount, ino;	/* what id stands for, while no name changed since */
	uint32_t generation, names;
	uint32_t fd, pad;
	struct kernel_counts n;
};

enum kernel_thread_flags {
	KERNEL_VFORKED = 1 << 0,	/* runs in its parent's memory until it execs */
	KERNEL_LAUNCHER = 1 << 1,	/* is not recorded, its children are */
	KERNEL_32BIT = 1 << 2,		/* as its program is */
};

/* One thread that is recorded; 0 in tid: free. */
struct kernel_thread {
	uint32_t tid, pid;
	uint16_t session, flags;
	uint32_t image;		/* pid of the image */
	uint64_t start;		/* of the image */
	uint64_t tick;		/* jiffies at its newest call */
	uint64_t now;		/* time, to a tick, of it */
	uint64_t low;		/* of the call at hand, see call_time() */
	uint64_t calls;		/* reads and writes */
	uint32_t timed;		/* call that low is of, plus 1 */
	uint32_t lost;
	uint32_t turn;		/* calls so far */
	uint32_t touched_turn, n_touched;
	uint32_t launches;	/* session of the processes it makes; 0: its own */
	uint64_t touched_at[KERNEL_TOUCHES];	/* addresses of inodes */
	struct kernel_object touched[KERNEL_TOUCHES];
	struct kernel_slot slot[KERNEL_SLOTS];
};

struct kernel_session {
	int32_t granularity;	/* enum prov_granularity */
	uint32_t used;
	uint64_t calls;		/* of threads that ended */
	uint64_t lost;		/* records that found no room */
};

enum kernel_lost {
	KERNEL_LOST_RECORD,	/* the ring buffer was full */
	KERNEL_LOST_THREAD,	/* no room to follow a thread */
	KERNEL_LOST_KINDS = 4,
};

/* Read-only to the programs, set before they are loaded. */
struct kernel_setup {
	uint32_t thread_mask;	/* entries of the thread table less one */
	uint32_t wake_at;	/* bytes waiting in the ring buffer that wake the reader */
	uint32_t uring_unseen;	/* what comes of io_uring is not told here, so its makers are */
	uint32_t pad;
};

#define KERNEL_UID_RANGES 16u

/* Whose fresh programs are told. */
struct kernel_watch {
	uint32_t n;
	uint32_t range[2 * KERNEL_UID_RANGES];
};

#endif
