/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* syscall.c - calls by number, through syscall(2) */
#include "workload.h"

#include <linux/fs.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/uio.h>

static const struct iovec *vector(void)
{
	static struct iovec iov[2];

	iov[0] = (struct iovec){ room, some };
	iov[1] = (struct iovec){ room + 200, 11 };
	return iov;
}

static int open_it(const char *name, int flags)
{
	const char *path = in_folder(name);

	return fd_or_die((int)syscall(SYS_openat, AT_FDCWD, path, flags, 0644), path);
}

static void read_in(long n, const char *what)
{
	expect_bytes("read", in_folder("in"), or_die(n, what));
}

static void wrote_out(long n, const char *what)
{
	expect_made(in_folder("out"), or_die(n, what));
}

#define READS(name, ...)                                                                  \
	static void by_##name(void)                                                       \
	{                                                                                 \
		read_in(syscall(SYS_##name, open_it("in", O_RDONLY), __VA_ARGS__), #name); \
	}
#define WRITES(name, ...)                                                                         \
	static void by_##name(void)                                                               \
	{                                                                                         \
		int fd = open_it("out", O_RDWR | O_CREAT);                                        \
\
		wrote_out(syscall(SYS_##name, fd, __VA_ARGS__), #name);                           \
	}
READS(read, room, some)
READS(pread64, room, some, 24L)
READS(readv, vector(), 2L)
READS(preadv, vector(), 2L, 8L, 0L)
READS(preadv2, vector(), 2L, 8L, 0L, 0L)
WRITES(write, room, some)
WRITES(pwrite64, room, some, 24L)
WRITES(writev, vector(), 2L)
WRITES(pwritev, vector(), 2L, 8L, 0L)
WRITES(pwritev2, vector(), 2L, 8L, 0L, 0L)

static void by_open(void)
{
#ifdef SYS_open
	int fd = (int)syscall(SYS_open, in_folder("in"), O_RDONLY);

	read_in(read(fd_or_die(fd, "open"), room, some), "read");
	fd = (int)syscall(SYS_open, in_folder("out"), O_WRONLY | O_CREAT, 0644);
	wrote_out(write(fd_or_die(fd, "open"), room, some), "write");
	fd = (int)syscall(SYS_open, in_folder("old"), O_WRONLY | O_CREAT | O_TRUNC, 0644);
	expect_file("truncate", in_folder("old"));
	put_bytes(fd_or_die(fd, "open"), "old", 7);
#endif
}

static void by_creat(void)
{
#ifdef SYS_creat
	int fd = (int)syscall(SYS_creat, in_folder("out"), 0644);

	wrote_out(write(fd_or_die(fd, "creat"), room, some), "write");
#endif
}

static void by_openat(void)
{
	wrote_out(write(open_it("out", O_WRONLY | O_CREAT), room, some), "write");
	close(open_it("out", O_WRONLY | O_CREAT));
}

static void by_close(void)
{
	int fd = open_it("out", O_WRONLY | O_CREAT);

	or_die(syscall(SYS_close, fd), "close");
	expect_file("create", in_folder("out"));
	if (open_in() != fd)
		exit(99);
	read_in(read(fd, room, some), "read");
}

static void by_close_range(void)
{
#ifdef SYS_close_range
	int fd = open_it("out", O_WRONLY | O_CREAT);

	if (syscall(SYS_close_range, fd, fd, 0) < 0)
		cannot("close_range");
	expect_file("create", in_folder("out"));
	if (open_in() != fd)
		exit(99);
	read_in(read(fd, room, some), "read");
#endif
}

static void by_dup(void)
{
	int fd = open_in();

	or_die(syscall(SYS_dup3, fd, 50, 0), "dup3");
	read_in(read(50, room, 1), "read");
	read_in(read((int)or_die(syscall(SYS_dup, 50), "dup"), room, 2), "read");
	read_in(read((int)or_die(syscall(SYS_fcntl, 50, F_DUPFD, 60), "F_DUPFD"), room, 3), "read");
#ifdef SYS_dup2
	or_die(syscall(SYS_dup2, fd, 70), "dup2");
	read_in(read(70, room, 4), "read");
#endif
	/* A number that something else had before. */
	or_die(syscall(SYS_dup3, open_it("out", O_WRONLY | O_CREAT), 50, 0), "dup3");
	wrote_out(write(50, room, some), "write");
	if (syscall(SYS_fcntl, 50, F_GETFD) < 0)
		exit(99);
}

static void by_transfer(void)
{
	int from = open_in(), to = open_it("out", O_RDWR | O_CREAT), one[2], two[2];
	struct iovec iov = { room, 10 };
	long n = 0;

	or_die(syscall(SYS_pipe2, one, 0), "pipe2");
	or_die(syscall(SYS_pipe2, two, 0), "pipe2");
	or_die(syscall(SYS_splice, from, NULL, one[1], NULL, 10, 0), "splice");
	or_die(syscall(SYS_tee, one[0], two[1], 10, 0), "tee");
	n += or_die(syscall(SYS_splice, two[0], NULL, to, NULL, 10, 0), "splice");
	n += or_die(syscall(SYS_sendfile, to, from, NULL, 20), "sendfile");
	n += or_die(syscall(SYS_copy_file_range, from, NULL, to, NULL, 30, 0), "copy_file_range");
	read_in(n, "");
	or_die(syscall(SYS_vmsplice, two[1], &iov, 1, 0), "vmsplice");
	n += or_die(syscall(SYS_splice, two[0], NULL, to, NULL, 10, 0), "splice");
	wrote_out(n, "");
	if (syscall(SYS_ioctl, to, FICLONE, -1) >= 0)
		exit(99);
}

static void by_truncate(void)
{
	int fd = open_it("old", O_RDWR);

	or_die(syscall(SYS_truncate, in_folder("old"), 0), "truncate");
	expect_file("truncate", in_folder("old"));
	or_die(syscall(SYS_ftruncate, fd, 5000), "ftruncate");
	or_die(syscall(SYS_fallocate, fd, 0, 0, 6000), "fallocate");
	expect_bytes("write", in_folder("old"), -1);
}

static void by_rename(void)
{
#ifdef SYS_rename
	or_die(syscall(SYS_rename, in_folder("old"), in_folder("a")), "rename");
	expect_name("rename", in_folder("old"), in_folder("a"));
	or_die(syscall(SYS_renameat, AT_FDCWD, in_folder("a"), AT_FDCWD, in_folder("b")),
	       "renameat");
	expect_name("rename", in_folder("a"), in_folder("b"));
	or_die(syscall(SYS_renameat2, AT_FDCWD, in_folder("b"), AT_FDCWD, in_folder("in"),
		       RENAME_EXCHANGE), "renameat2");
	expect_name("rename", in_folder("b"), in_folder("in"));
	expect_name("rename", in_folder("in"), in_folder("b"));
#endif
}

static void by_link(void)
{
#ifdef SYS_link
	or_die(syscall(SYS_link, in_folder("in"), in_folder("a")), "link");
	expect_name("link", in_folder("in"), in_folder("a"));
	or_die(syscall(SYS_symlink, "in", in_folder("b")), "symlink");
	expect_name("symlink", "in", in_folder("b"));
#endif
	or_die(syscall(SYS_linkat, AT_FDCWD, in_folder("in"), AT_FDCWD, in_folder("c"), 0),
	       "linkat");
	expect_name("link", in_folder("in"), in_folder("c"));
	or_die(syscall(SYS_symlinkat, "in", AT_FDCWD, in_folder("d")), "symlinkat");
	expect_name("symlink", "in", in_folder("d"));
}

static void by_unlink(void)
{
#ifdef SYS_unlink
	or_die(syscall(SYS_unlink, in_folder("in")), "unlink");
	expect_name("unlink", in_folder("in"), "");
	or_die(syscall(SYS_mkdir, in_folder("sub"), 0755), "mkdir");
	or_die(syscall(SYS_rmdir, in_folder("sub")), "rmdir");
#endif
	or_die(syscall(SYS_unlinkat, AT_FDCWD, in_folder("old"), 0), "unlinkat");
	expect_name("unlink", in_folder("old"), "");
}

static void by_chdir(void)
{
	or_die(mkdir(in_folder("sub"), 0755), "mkdir");
	or_die(syscall(SYS_chdir, in_folder("sub")), "chdir");
	wrote_out(write(fd_or_die(creat("../out", 0644), "out"), room, some), "write");
	or_die(syscall(SYS_fchdir, fd_or_die(open(in_folder("."), O_RDONLY), ".")), "fchdir");
	read_in(read(fd_or_die(open("in", O_RDONLY), "in"), room, some), "read");
}

static void by_getdents(void)
{
	or_die(mkdir(in_folder("sub"), 0755), "mkdir");
	or_die(syscall(SYS_getdents64, open_it("sub", O_RDONLY), room, sizeof(room)), "getdents64");
	expect_bytes("read", in_folder("sub"), -1);
}

static void in_child(long pid)
{
	if (pid == 0) {
		wrote_out(write(open_it("out", O_WRONLY | O_CREAT), room, some), "write");
		syscall(SYS_exit_group, 3);
	}
	wait_for((pid_t)pid);
}

static void by_fork(void)
{
#ifdef SYS_fork
	in_child(syscall(SYS_fork));
#endif
}

static void by_clone(void)
{
	in_child(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

/* A child that does nothing is a child all the same. */
static void idle_child(void)
{
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (child == 0)
		_exit(4);
	expect_for(child, "here", "", "");
	wait_for(child);
}

static void by_wait4(void)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(5);
	or_die(syscall(SYS_wait4, child, &status, 0, NULL), "wait4");
	expect_end(child, status);
	child = fork();
	if (child == 0)
		_exit(6);
	or_die(syscall(SYS_waitid, 1 /* P_PID */, child, NULL, 4 /* WEXITED */, NULL), "waitid");
	expect_for(child, "exit", "6", "");
}

static void run_true(int by_number)
{
	static char word[] = "true";
	char *argv[] = { word, NULL };
	pid_t child = fork();

	if (child == 0) {
		expect_for(getpid(), "exec", word, "");
		if (by_number == SYS_execve)
			syscall(SYS_execve, "/bin/true", argv, environ);
		else
			syscall(SYS_execveat, AT_FDCWD, "/bin/true", argv, environ, 0);
		_exit(99);
	}
	wait_for(child);
}

static void by_execve(void)
{
	run_true(SYS_execve);
}

static void by_execveat(void)
{
	run_true(SYS_execveat);
}

static void refused(void)
{
	if (syscall(SYS_openat, AT_FDCWD, in_folder("absent"), O_RDONLY) >= 0 || errno != ENOENT ||
	    syscall(SYS_read, 99, room, 1) >= 0 || errno != EBADF ||
	    syscall(SYS_renameat2, AT_FDCWD, "absent", AT_FDCWD, "x", 0) >= 0 || errno != ENOENT ||
	    syscall(SYS_close, 99) >= 0 || errno != EBADF || syscall(-1L) >= 0 || errno != ENOSYS)
		exit(99);
}

static const struct mode modes[] = {
	{ "read", by_read }, { "pread64", by_pread64 }, { "readv", by_readv },
	{ "preadv", by_preadv }, { "preadv2", by_preadv2 }, { "write", by_write },
	{ "pwrite64", by_pwrite64 }, { "writev", by_writev }, { "pwritev", by_pwritev },
	{ "pwritev2", by_pwritev2 }, { "open", by_open }, { "creat", by_creat },
	{ "openat", by_openat }, { "close", by_close }, { "close_range", by_close_range },
	{ "dup", by_dup }, { "transfer", by_transfer }, { "truncate", by_truncate },
	{ "rename", by_rename }, { "link", by_link }, { "unlink", by_unlink },
	{ "chdir", by_chdir }, { "getdents64", by_getdents }, { "fork", by_fork },
	{ "clone", by_clone }, { "idle-child", idle_child }, { "wait4", by_wait4 },
	{ "execve", by_execve }, { "execveat", by_execveat }, { "refused", refused },
	{ NULL, NULL }
};

int main(int argc, char **argv)
{
	return workload(argc, argv, modes);
}
