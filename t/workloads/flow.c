/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* flow.c - bytes that move without read or write, or through other descriptors */
#include "workload.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

static void moved(const char *from, const char *to, long n)
{
	expect_bytes("read", in_folder(from), n);
	expect_bytes("write", in_folder(to), n);
}

static void by_sendfile(void)
{
	off_t at = 10;

	moved("in", "out", or_die(sendfile(open_out("out"), open_in(), &at, some), "sendfile"));
}

static void by_sendfile64(void)
{
	const int from = open_in();

	moved("in", "out", or_die(sendfile64(open_out("out"), from, NULL, some), "sendfile64"));
}

static void by_copy_file_range(void)
{
	int from = open_in(), to = open_out("out");
	ssize_t n = copy_file_range(from, NULL, to, NULL, some, 0);

	if (n < 0 && (errno == ENOSYS || errno == EXDEV))
		cannot("copy_file_range");
	moved("in", "out", or_die(n, "copy_file_range"));
}

static void by_splice(void)
{
	int from = open_in(), to = open_out("out"), ends[2];
	ssize_t n;

	or_die(pipe(ends), "pipe");
	n = or_die(splice(from, NULL, ends[1], NULL, some, 0), "splice");
	or_die(splice(ends[0], NULL, to, NULL, (size_t)n, 0), "splice");
	moved("in", "out", n);
}

static void by_tee(void)
{
	int from = open_in(), to = open_out("out"), one[2], two[2];
	ssize_t n;

	or_die(pipe(one) | pipe(two), "pipe");
	n = or_die(splice(from, NULL, one[1], NULL, some, 0), "splice");
	or_die(tee(one[0], two[1], (size_t)n, 0), "tee");
	or_die(splice(two[0], NULL, to, NULL, (size_t)n, 0), "splice");
	moved("in", "out", n);
}

static void by_vmsplice(void)
{
	int to = open_out("out"), ends[2];
	struct iovec iov = { room, some };
	ssize_t n;

	or_die(pipe(ends), "pipe");
	n = or_die(vmsplice(ends[1], &iov, 1, 0), "vmsplice");
	or_die(splice(ends[0], NULL, to, NULL, (size_t)n, 0), "splice");
	expect_bytes("write", in_folder("out"), n);
}

static void by_clone(void)
{
	if (ioctl(open_out("out"), FICLONE, open_in()) < 0)
		cannot("FICLONE");
	moved("in", "out", -1);
}

static void mapped(int fd, int prot, int flags)
{
	char *p = ptr_or_die(mmap(NULL, IN_SIZE, prot, flags, fd, 0), "mmap");

	close(fd);
	if (prot & PROT_WRITE)
		p[5] = 'x';
	else
		some += (size_t)(p[5] == 'x');
}

static void map_private(void)
{
	mapped(open_in(), PROT_READ, MAP_PRIVATE);
	expect_bytes("read", in_folder("in"), -1);
}

static void map_copy(void)
{
	mapped(open_in(), PROT_READ | PROT_WRITE, MAP_PRIVATE);
	expect_bytes("read", in_folder("in"), -1);
}

static void map_shared_read(void)
{
	mapped(open_in(), PROT_READ, MAP_SHARED);
	expect_bytes("read", in_folder("in"), -1);
}

static void map_shared_write(void)
{
	int fd = fd_or_die(open(in_folder("old"), O_RDWR), "old");

	mapped(fd, PROT_READ | PROT_WRITE, MAP_SHARED);
	moved("old", "old", -1);
}

static void map_new_file(void)
{
	int fd = fd_or_die(open(in_folder("out"), O_RDWR | O_CREAT, 0644), "out");

	expect_file("create", in_folder("out"));
	or_die(ftruncate(fd, IN_SIZE), "ftruncate");
	mapped(fd, PROT_READ | PROT_WRITE, MAP_SHARED);
	moved("out", "out", -1);
}

static void made_writable_later(void)
{
	int fd = fd_or_die(open(in_folder("old"), O_RDWR), "old");
	char *p = ptr_or_die(mmap(NULL, IN_SIZE, PROT_READ, MAP_SHARED, fd, 0), "mmap");

	or_die(mprotect(p, IN_SIZE, PROT_READ | PROT_WRITE), "mprotect");
	p[1] = 'x';
	moved("old", "old", -1);
}

static void through(int fd)
{
	put_bytes(fd, "out", some);
}

static void by_dup(void)
{
	int fd = open_out("out"), other = fd_or_die(dup(fd), "dup");

	close(fd);
	through(other);
}

static void by_dup2(void)
{
	int fd = open_out("out");

	/* What 50 was before is closed without a word. */
	or_die(dup2(open_in(), 50), "dup2");
	or_die(dup2(fd, 50), "dup2");
	close(fd);
	through(50);
}

static void by_dup3(void)
{
	through(fd_or_die(dup3(open_out("out"), 60, O_CLOEXEC), "dup3"));
}

static void by_fcntl(void)
{
	int fd = open_out("out"), other = fd_or_die(fcntl(fd, F_DUPFD, 70), "F_DUPFD");

	close(fd);
	fd = fd_or_die(fcntl(other, F_DUPFD_CLOEXEC, 80), "F_DUPFD_CLOEXEC");
	close(other);
	through(fd);
}

static void closed_by_range(void)
{
	int fd = open_out("out"), again;

	if (close_range((unsigned)fd, (unsigned)fd, 0) < 0)
		cannot("close_range");
	again = open_in();
	if (again != fd)
		exit(99);
	expect_bytes("read", in_folder("in"), or_die(read(again, room, some), "read"));
}

static void closed_from(void)
{
	int fd = open_out("out"), again;

	closefrom(fd);
	again = open_in();
	if (again != fd)
		exit(99);
	expect_bytes("read", in_folder("in"), or_die(read(again, room, some), "read"));
}

static void redirected(void)
{
	/* As a shell does for ">": then the expectations have no way out. */
	expect_made(in_folder("out"), 4);
	or_die(dup2(fd_or_die(creat(in_folder("out"), 0644), "out"), STDOUT_FILENO), "dup2");
	puts("abc");
}

static void inherited(void)
{
	pid_t child;

	open_out("out");
	child = fork();
	if (child == 0)
		_exit(0);
	wait_for(child);
}

static void inherited_by_child(void)
{
	int fd = open_out("out");
	pid_t child = fork();

	if (child == 0) {
		through(fd);
		_exit(0);
	}
	wait_for(child);
}

static void inherited_by_program(void)
{
	int fd = open_out("out");
	pid_t child = fork();

	if (child == 0) {
		expect_for(getpid(), "write", in_folder("out"), "6");
		dup2(fd, STDOUT_FILENO);
		execl("/bin/echo", "echo", "hello", NULL);
		_exit(99);
	}
	wait_for(child);
}

static void kept_over_exec(void)
{
	char number[16];
	int fd = open_out("out");

	snprintf(number, sizeof(number), "%d", fd);
	expect_bytes("write", in_folder("out"), or_die(write(fd, room, 10), "write") + 4);
	execl("/bin/sh", "sh", "-c", "echo abc >&$1", "sh", number, NULL);
	exit(99);
}

static void passed_by_socket(void)
{
	int ends[2];
	char byte = 'x', control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	pid_t child;

	or_die(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
	child = fork();
	if (child == 0) {
		int fd;

		or_die(recvmsg(ends[1], &msg, 0), "recvmsg");
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
		expect_bytes("read", in_folder("in"), or_die(read(fd, room, some), "read"));
		_exit(0);
	}
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &(int){ open_in() }, sizeof(int));
	or_die(sendmsg(ends[0], &msg, 0), "sendmsg");
	wait_for(child);
}

static void piped(void)
{
	int ends[2];
	pid_t child;

	or_die(pipe2(ends, O_CLOEXEC), "pipe2");
	child = fork();
	if (child == 0) {
		int fd = open_out("out");
		long n = or_die(read(ends[0], room, sizeof(room)), "read");

		put_bytes(fd, "out", (size_t)n);
		_exit(0);
	}
	expect_bytes("read", in_folder("in"), or_die(read(open_in(), room, some), "read"));
	or_die(write(ends[1], room, some), "write");
	wait_for(child);
}

static const struct mode modes[] = {
	{ "sendfile", by_sendfile }, { "sendfile64", by_sendfile64 },
	{ "copy_file_range", by_copy_file_range }, { "splice", by_splice }, { "tee", by_tee },
	{ "vmsplice", by_vmsplice }, { "clone", by_clone }, { "map-private", map_private },
	{ "map-copy", map_copy }, { "map-shared-read", map_shared_read },
	{ "map-shared-write", map_shared_write }, { "map-new-file", map_new_file },
	{ "made-writable-later", made_writable_later }, { "dup", by_dup }, { "dup2", by_dup2 },
	{ "dup3", by_dup3 }, { "fcntl", by_fcntl }, { "closed-by-range", closed_by_range },
	{ "closed-from", closed_from }, { "redirected", redirected },
	{ "inherited-unused", inherited }, { "inherited-by-child", inherited_by_child },
	{ "inherited-by-program", inherited_by_program }, { "kept-over-exec", kept_over_exec },
	{ "passed-by-socket", passed_by_socket }, { "piped", piped }, { NULL, NULL }
};

int main(int argc, char **argv)
{
	return workload(argc, argv, modes);
}
