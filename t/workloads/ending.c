/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* ending.c - every way to stop, right after a write that must not be lost */
#include "workload.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static void wrote(void)
{
	int fd = open_out("out");

	expect_bytes("read", in_folder("in"), or_die(read(open_in(), room, some), "read"));
	put_bytes(fd, "out", some);
}

static void wrote_then(const char *kind, const char *n)
{
	expect_for(getpid(), kind, n, "");
	wrote();
}

static void by_exit(void)
{
	wrote_then("exit", "3");
	exit(3);
}

static void by_underscore_exit(void)
{
	wrote_then("exit", "4");
	_exit(4);
}

static void by_capital_exit(void)
{
	wrote_then("exit", "5");
	_Exit(5);
}

static void by_quick_exit(void)
{
	wrote_then("exit", "6");
	quick_exit(6);
}

static void by_exit_group(void)
{
	wrote_then("exit", "7");
	syscall(SYS_exit_group, 7);
}

static void no_core(void)
{
	prctl(PR_SET_DUMPABLE, 0);
}

static void by_abort(void)
{
	no_core();
	wrote_then("signal", "6");
	abort();
}

static void by_sigkill(void)
{
	wrote_then("signal", "9");
	kill(getpid(), SIGKILL);
}

static void by_sigterm(void)
{
	wrote_then("signal", "15");
	raise(SIGTERM);
}

static void by_sigsegv(void)
{
	no_core();
	wrote_then("signal", "11");
	*(volatile int *)some = 1;
}

static void closes_all_first(void)
{
	expect_for(getpid(), "exit", "0", "");
	expect_made(in_folder("out"), 100);
	for (int fd = 0; fd < 1024; fd++)
		close(fd);
	or_die(write(open(in_folder("out"), O_WRONLY | O_CREAT, 0644), room, some), "write");
	_exit(0);
}

static void close_range_first(void)
{
	expect_for(getpid(), "exit", "0", "");
	expect_made(in_folder("out"), 100);
	close_range(0, ~0U, 0);
	or_die(write(open(in_folder("out"), O_WRONLY | O_CREAT, 0644), room, some), "write");
	_exit(0);
}

static void *writer(void *unused)
{
	wrote();
	return unused;
}

static void main_thread_leaves(void)
{
	pthread_t thread;

	expect_for(getpid(), "exit", "0", "");
	or_die(-pthread_create(&thread, NULL, writer, NULL), "pthread_create");
	pthread_detach(thread);
	pthread_exit(NULL);
}

static void *endless(void *fd)
{
	for (;;) {
		if (write(*(int *)fd, room, 1) < 0)
			return NULL;
	}
}

static void exits_under_threads(void)
{
	static int fd;
	pthread_t thread;

	fd = open_out("out");
	expect_bytes("write", in_folder("out"), -1);
	expect_for(getpid(), "exit", "8", "");
	for (int i = 0; i < 3; i++)
		or_die(-pthread_create(&thread, NULL, endless, &fd), "pthread_create");
	while (lseek(fd, 0, SEEK_CUR) < 1000)
		;
	exit(8);
}

static void child_killed(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		wrote();
		raise(SIGSTOP);
		_exit(0);
	}
	or_die(waitpid(child, &status, WUNTRACED), "waitpid");
	kill(child, SIGKILL);
	wait_for(child);
}

static void child_not_waited_for(void)
{
	pid_t child;

	signal(SIGCHLD, SIG_IGN);
	child = fork();
	if (child == 0) {
		wrote();
		_exit(9);
	}
	while (kill(child, 0) == 0)
		;
}

static const struct mode modes[] = {
	{ "exit", by_exit }, { "_exit", by_underscore_exit }, { "_Exit", by_capital_exit },
	{ "quick_exit", by_quick_exit }, { "exit_group", by_exit_group }, { "abort", by_abort },
	{ "SIGKILL", by_sigkill }, { "SIGTERM", by_sigterm }, { "SIGSEGV", by_sigsegv },
	{ "closes-all-first", closes_all_first }, { "close_range-first", close_range_first },
	{ "main-thread-leaves", main_thread_leaves },
	{ "exits-under-threads", exits_under_threads },
	{ "child-killed", child_killed }, { "child-not-waited-for", child_not_waited_for },
	{ NULL, NULL }
};

int main(int argc, char **argv)
{
	return workload(argc, argv, modes);
}
