/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* descriptor.c - descriptors that are copied, closed, inherited and passed on */
#include "workload.h"

#include <linux/close_range.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

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

static void range_marked_only(void)
{
	int fd = open_out("out");

	/* They are closed by exec, not now. */
	if (close_range((unsigned)fd, ~0U, CLOSE_RANGE_CLOEXEC) < 0)
		cannot("CLOSE_RANGE_CLOEXEC");
	through(fd);
}

static void range_unshared(void)
{
	int fd = open_out("out");

	if (close_range((unsigned)fd + 1, ~0U, CLOSE_RANGE_UNSHARE) < 0)
		cannot("CLOSE_RANGE_UNSHARE");
	through(fd);
}

/* A number that is used again belongs to the new file. */
static void numbers_used_again(void)
{
	char name[16];
	int first = -1;

	for (int i = 0; i < 50; i++) {
		int fd;

		snprintf(name, sizeof(name), "f%d", i);
		fd = open_out(name);
		put_bytes(fd, name, 1 + (size_t)i);
		first = first < 0 ? fd : first;
		if (fd != first)
			exit(99);
		close(fd);
	}
}

static void path_only(void)
{
	int fd = fd_or_die(open(in_folder("in"), O_PATH), "O_PATH"), other;

	/* Neither it nor its copies give data. */
	other = fd_or_die(dup(fd), "dup");
	if (read(fd, room, 1) >= 0 || read(other, room, 1) >= 0)
		exit(99);
	close(fd);
	fd = open_in();
	expect_bytes("read", in_folder("in"), or_die(read(fd, room, some), "read"));
}

static void far_away(int number)
{
	int far = dup2(open_out("out"), number);

	if (far < 0)
		cannot("so high a descriptor");
	put_bytes(far, "out", some);
	close(far);
	far = fd_or_die(dup2(open_in(), number), "dup2");
	expect_bytes("read", in_folder("in"), or_die(read(far, room, some), "read"));
}

/* As high as may be, and no higher than most programs ever go. */
static void far(rlim_t most)
{
	struct rlimit limit;

	or_die(getrlimit(RLIMIT_NOFILE, &limit), "getrlimit");
	if (limit.rlim_max > most)
		limit.rlim_max = most;
	limit.rlim_cur = limit.rlim_max;
	or_die(setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
	far_away((int)limit.rlim_cur - 1);
}

static void far_19999(void)
{
	far(20000);
}

static void far_as_can_be(void)
{
	far(1 << 20);
}

static void many_at_once(void)
{
	int fds[600];

	for (int i = 0; i < 600; i++)
		fds[i] = open_in();
	for (int i = 0; i < 600; i++)
		or_die(pread(fds[i], room, 10, 0), "pread");
	expect_bytes("read", in_folder("in"), 6000);
	for (int i = 0; i < 600; i += 2)
		close(fds[i]);
	for (int i = 1; i < 600; i += 2)
		or_die(pread(fds[i], room, 10, 0), "pread");
	expect_bytes("read", in_folder("in"), 3000);
}

/* Threads that have descriptors of their own: one number, two files. */
static int turn[2][2];	/* pipes: wake one, wake the other */
static int number;

static void wake(int which)
{
	or_die(write(turn[which][1], "x", 1), "write");
}

static void sleep_until(int which)
{
	char byte;

	or_die(read(turn[which][0], &byte, 1), "read");
}

static void other_table(void)
{
	int fd = fd_or_die(open(in_folder("theirs"), O_WRONLY | O_CREAT | O_EXCL, 0644), "theirs");

	or_die(dup2(fd, number), "dup2");
	or_die(write(number, room, 7), "write");
	wake(0);
	sleep_until(1);
	or_die(write(number, room, 70), "write");
	wake(0);
}

/* After the other has put a file of its own behind the number. */
static void same_number(void)
{
	sleep_until(0);
	put_bytes(number, "ours", 5);
	wake(1);
	sleep_until(0);
	put_bytes(number, "ours", 50);
	close(number);
	number = fd_or_die(dup2(open_in(), number), "dup2");
	expect_bytes("read", in_folder("in"), or_die(read(number, room, some), "read"));
}

static void two_tables_begin(void)
{
	or_die(pipe(turn[0]) | pipe(turn[1]), "pipe");
	number = open_out("ours");
	put_bytes(number, "ours", 1);
	expect_made(in_folder("theirs"), 77);
}

static void *leave_table(void *unused)
{
	or_die(unshare(CLONE_FILES), "unshare");
	other_table();
	return unused;
}

static void table_unshared(void)
{
	pthread_t thread;

	two_tables_begin();
	or_die(-pthread_create(&thread, NULL, leave_table, NULL), "pthread_create");
	same_number();
	or_die(-pthread_join(thread, NULL), "pthread_join");
}

static int cloned(void *unused)
{
	(void)unused;
	other_table();
	return 3;
}

/* A child in the same memory, with a copy of the table or with the same. */
static pid_t start_clone(int flags)
{
	static _Alignas(16) char stack[1 << 16];

	return (pid_t)or_die(clone(cloned, stack + sizeof(stack), CLONE_VM | SIGCHLD | flags, NULL),
			     "clone");
}

static void table_cloned(void)
{
	pid_t child;
	int status;

	two_tables_begin();
	child = start_clone(0);
	same_number();
	or_die(waitpid(child, &status, 0), "waitpid");
}

static int close_in_clone(void *fd)
{
	close(*(int *)fd);
	return 0;
}

static void table_shared_by_clone(void)
{
	static _Alignas(16) char stack[1 << 16];
	int fd = open_out("out"), status;
	pid_t child = clone(close_in_clone, stack + sizeof(stack), CLONE_VM | CLONE_FILES | SIGCHLD,
			    &fd);

	or_die(waitpid((pid_t)or_die(child, "clone"), &status, 0), "waitpid");
	if (open_in() != fd)
		exit(99);
	expect_bytes("read", in_folder("in"), or_die(read(fd, room, some), "read"));
}

/* A folder for each thread: what a relative name means differs. */
static void *in_sub(void *unused)
{
	int fd;

	or_die(unshare(CLONE_FS), "unshare");
	or_die(chdir(in_folder("sub")), "chdir");
	sleep_until(0);
	fd = fd_or_die(open("f", O_WRONLY | O_CREAT, 0644), "sub/f");
	expect_made(in_folder("sub/f"), or_die(write(fd, room, 3), "write"));
	wake(1);
	return unused;
}

static void folder_unshared(void)
{
	pthread_t thread;
	int fd;

	or_die(pipe(turn[0]) | pipe(turn[1]), "pipe");
	or_die(mkdir(in_folder("sub"), 0755), "mkdir");
	or_die(chdir(in_folder("")), "chdir");
	or_die(-pthread_create(&thread, NULL, in_sub, NULL), "pthread_create");
	fd = fd_or_die(open("f", O_WRONLY | O_CREAT, 0644), "f");
	expect_made(in_folder("f"), or_die(write(fd, room, 4), "write"));
	wake(0);
	sleep_until(1);
	or_die(-pthread_join(thread, NULL), "pthread_join");
	fd = fd_or_die(open("f", O_RDONLY), "f");
	expect_bytes("read", in_folder("f"), or_die(read(fd, room, some), "read"));
}

static const struct mode modes[] = {
	{ "dup", by_dup }, { "dup2", by_dup2 }, { "dup3", by_dup3 }, { "fcntl", by_fcntl },
	{ "closed-by-range", closed_by_range }, { "closed-from", closed_from },
	{ "range-marked-only", range_marked_only }, { "range-unshared", range_unshared },
	{ "numbers-used-again", numbers_used_again }, { "path-only", path_only },
	{ "far-19999", far_19999 }, { "far-as-can-be", far_as_can_be },
	{ "many-at-once", many_at_once }, { "redirected", redirected },
	{ "inherited-unused", inherited }, { "inherited-by-child", inherited_by_child },
	{ "inherited-by-program", inherited_by_program }, { "kept-over-exec", kept_over_exec },
	{ "table-unshared", table_unshared }, { "table-cloned", table_cloned },
	{ "table-shared-by-clone", table_shared_by_clone },
	{ "folder-unshared", folder_unshared }, { NULL, NULL }
};

int main(int argc, char **argv)
{
	return workload(argc, argv, modes);
}
