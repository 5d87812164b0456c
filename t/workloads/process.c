/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* process.c - processes that start processes */
#include "workload.h"

#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <wordexp.h>

/* What an image of this program does that another has started. */
static void arrive(void)
{
	int fd = open_out("arrived");

	put_bytes(fd, "arrived", some);
}

static char **arrival(void)
{
	static char word[] = "arrive";
	static char *argv[4];

	argv[0] = workload_self;
	argv[1] = word;
	argv[2] = folder_arg();
	return argv;
}

static void by_vfork(void)
{
	char **argv = arrival();
	pid_t child = vfork();

	if (child == 0) {
		execve(argv[0], argv, environ);
		_exit(99);
	}
	expect_exec(child, argv);
	wait_for(child);
}

static void by_vfork_failing(void)
{
	static char absent[] = "/absent/program";
	char *argv[] = { absent, NULL };
	int fd = open_out("out"), status;
	pid_t child = vfork();

	if (child == 0) {
		dup2(STDERR_FILENO, 3);
		close(fd);
		execve(absent, argv, environ);
		_exit(5);
	}
	or_die(waitpid(child, &status, 0), "waitpid");
	/* The child closed its own descriptor, not ours. */
	put_bytes(fd, "out", some);
}

static void spawned(int (*spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
				 const posix_spawnattr_t *, char *const *, char *const *))
{
	char **argv = arrival();
	pid_t child;

	or_die(-spawn(&child, argv[0], NULL, NULL, argv, environ), "spawn");
	expect_exec(child, argv);
	wait_for(child);
}

static void by_posix_spawn(void)
{
	spawned(posix_spawn);
}

static void by_posix_spawnp(void)
{
	spawned(posix_spawnp);
}

static void spawn_with_actions(void)
{
	static char cat[] = "cat";
	char *argv[] = { cat, NULL };
	posix_spawn_file_actions_t actions;
	pid_t child;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, in_folder("in"), O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, in_folder("old"), O_WRONLY | O_APPEND, 0);
	or_die(-posix_spawnp(&child, cat, &actions, NULL, argv, environ), "posix_spawnp");
	expect_exec(child, argv);
	expect_for(child, "read", in_folder("in"), "1024");
	expect_for(child, "write", in_folder("old"), "1024");
	wait_for(child);
}

static void by_system(void)
{
	char command[4200];

	snprintf(command, sizeof(command), "cat '%s' >'%s'", in_folder("in"), in_folder("out"));
	or_die(system(command), "system");
	expect_for(0, "create", in_folder("out"), "");
	expect_for(0, "read", in_folder("in"), "1024");
	expect_for(0, "write", in_folder("out"), "1024");
}

static void grandchildren(void)
{
	for (int i = 0; i < 8; i++) {
		pid_t child = fork();

		if (child == 0) {
			pid_t grandchild = fork();

			if (grandchild == 0)
				_exit(i);
			expect_parent(grandchild, getpid());
			wait_for(grandchild);
			_exit(10 + i);
		}
		wait_for(child);
	}
}

static void storm(void)
{
	static char word[] = "true";
	char *argv[] = { word, NULL };

	for (int i = 0; i < 200; i++) {
		pid_t child = vfork();

		if (child == 0) {
			execv("/bin/true", argv);
			_exit(99);
		}
		expect_exec(child, argv);
		wait_for(child);
	}
}

static void daemonised(void)
{
	int done[2];
	char byte;
	pid_t child;

	or_die(pipe(done), "pipe");
	child = fork();
	if (child == 0) {
		pid_t starter = getpid();

		setsid();
		if (fork() == 0) {
			int fd;

			expect_parent(getpid(), starter);
			or_die(chdir("/"), "chdir");
			fd = open_out("daemon");
			put_bytes(fd, "daemon", some);
			_exit(4);
		}
		_exit(0);
	}
	close(done[1]);
	wait_for(child);
	/* End of file: the daemon is gone as well. */
	or_die(read(done[0], &byte, 1), "read");
}

/* Descriptors are made, moved and closed, and the folder is another. */
static void spawn_with_all_actions(void)
{
	static char shell[] = "sh", option[] = "-c", text[] = "cat in >&5; cat <&6 >/dev/null";
	char *argv[] = { shell, option, text, NULL };
	posix_spawn_file_actions_t actions;
	int fd = open_out("out");
	pid_t child;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fd, 5);
	posix_spawn_file_actions_addclose(&actions, fd);
	posix_spawn_file_actions_addopen(&actions, 6, in_folder("old"), O_RDONLY, 0);
	posix_spawn_file_actions_addchdir_np(&actions, in_folder(""));
	posix_spawn_file_actions_addclosefrom_np(&actions, 7);
	or_die(-posix_spawnp(&child, shell, &actions, NULL, argv, environ), "posix_spawnp");
	wait_for(child);
	expect_for(0, "read", in_folder("in"), "1024");
	expect_for(0, "read", in_folder("old"), "1024");
	expect_for(0, "write", in_folder("out"), "1024");
}

static void spawn_fails(void)
{
	static char absent[] = "/absent/program";
	char *argv[] = { absent, NULL };
	pid_t child;

	if (posix_spawn(&child, absent, NULL, NULL, argv, environ) == 0 ||
	    posix_spawnp(&child, absent, NULL, NULL, argv, environ) == 0)
		exit(99);
	put_bytes(open_out("out"), "out", some);
}

/* Until it becomes a program a vfork child is its parent's code in its parent's
 * memory; descriptors it has of its own. */
static void vfork_child_writes(void)
{
	int fd = open_out("out"), status;
	pid_t child;

	put_bytes(fd, "out", 10);
	expect_bytes("write", in_folder("out"), 20);
	child = vfork();
	if (child == 0)
		_exit(write(fd, room, 20) == 20 ? 0 : 99);
	or_die(waitpid(child, &status, 0), "waitpid");
	put_bytes(fd, "out", 40);
}

static void vfork_child_moves(void)
{
	const char *theirs = in_folder("theirs");
	int fd = open_out("out"), old = fd_or_die(open(in_folder("old"), O_WRONLY), "old"), status;
	pid_t child;

	put_bytes(fd, "out", 10);
	expect_bytes("write", in_folder("old"), 3);
	expect_made(theirs, 5);
	child = vfork();
	if (child == 0) {
		/* What stood behind the number is ours still, in the parent. */
		if (dup2(old, fd) != fd || write(fd, room, 3) != 3)
			_exit(99);
		close(fd);
		if (open(theirs, O_WRONLY | O_CREAT, 0644) != fd || write(fd, room, 5) != 5)
			_exit(99);
		_exit(0);
	}
	or_die(waitpid(child, &status, 0), "waitpid");
	or_die(WEXITSTATUS(status) ? -1 : 0, "child");
	put_bytes(fd, "out", 40);
	close(fd);
	if (open_in() != fd)
		exit(99);
	expect_bytes("read", in_folder("in"), or_die(read(fd, room, some), "read"));
}

/* As python and make do it: move, then become the program. */
static void vfork_child_redirects(void)
{
	static char word[] = "cat";
	char *argv[] = { word, NULL };
	int in = open_in(), out = open_out("out");
	int first = fd_or_die(dup2(fd_or_die(open(in_folder("old"), O_RDONLY), "old"), 0), "dup2");
	pid_t child;

	expect_bytes("read", in_folder("old"), or_die(read(first, room, 7), "read"));
	child = vfork();
	if (child == 0) {
		dup2(in, 0);
		dup2(out, 1);
		execv("/bin/cat", argv);
		_exit(99);
	}
	expect_exec(child, argv);
	expect_for(child, "read", in_folder("in"), "1024");
	expect_for(child, "write", in_folder("out"), "1024");
	wait_for(child);
	expect_bytes("read", in_folder("old"), or_die(read(first, room, 9), "read"));
}

/* Killed before it could tell that it is gone. */
static void vfork_child_killed(void)
{
	int fd = open_out("out"), old = fd_or_die(open(in_folder("old"), O_WRONLY), "old"), status;
	pid_t child;

	expect_bytes("write", in_folder("old"), 3);
	child = vfork();
	if (child == 0) {
		dup2(old, fd);
		(void)!write(fd, room, 3);
		kill(getpid(), SIGKILL);
	}
	put_bytes(fd, "out", 40);
	or_die(waitpid(child, &status, 0), "waitpid");
	put_bytes(fd, "out", 2);
}

static int do_little(void *unused)
{
	(void)unused;
	_exit(3);
}

static void by_clone(void)
{
	static _Alignas(16) char stack[1 << 16];

	wait_for(clone(do_little, stack + sizeof(stack), SIGCHLD, NULL));
}

static void by_raw_fork(void)
{
	pid_t child = _Fork();

	if (child == 0) {
		put_bytes(open_out("out"), "out", some);
		_exit(3);
	}
	wait_for(child);
}

/* Nothing is read or written, and still it was there. */
static void idle(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	expect_for(child, "here", "", "");
	expect_parent(child, getpid());
	wait_for(child);
}

static void by_popen(void)
{
	char command[4200];
	FILE *f;

	snprintf(command, sizeof(command), "cat '%s'", in_folder("in"));
	f = ptr_or_die(popen(command, "r"), "popen");
	while (fgets(room, sizeof(room), f))
		;
	or_die(pclose(f), "pclose");
	expect_for(0, "read", in_folder("in"), "1024");
	snprintf(command, sizeof(command), "cat >'%s'", in_folder("out"));
	f = ptr_or_die(popen(command, "w"), "popen");
	or_die(fputs("abc", f), "fputs");
	or_die(pclose(f), "pclose");
	expect_for(0, "create", in_folder("out"), "");
	expect_for(0, "write", in_folder("out"), "3");
}

static void by_wordexp(void)
{
	char text[4200];
	wordexp_t words;

	snprintf(text, sizeof(text), "$(cat '%s')", in_folder("in"));
	or_die(-wordexp(text, &words, 0), "wordexp");
	wordfree(&words);
	expect_for(0, "read", in_folder("in"), "1024");
}

/* Every call that learns how a child has ended. */
static pid_t ends(int status)
{
	pid_t child = (pid_t)or_die(fork(), "fork");

	if (child == 0)
		_exit(status);
	expect_for(child, "exit", (char[]){ (char)('0' + status), 0 }, "");
	return child;
}

static void waits(void)
{
	struct rusage usage;
	siginfo_t info;
	pid_t child = ends(1);

	or_die(wait(NULL), "wait");
	or_die(waitpid(ends(2), NULL, 0), "waitpid");
	child = ends(3);
	or_die(wait3(NULL, 0, &usage), "wait3");
	or_die(wait4(ends(4), NULL, 0, &usage), "wait4");
	child = ends(5);
	or_die(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), "waitid");
	or_die(waitid(P_PID, (id_t)child, NULL, WEXITED), "waitid");
}

/* Whose parent has gone is the child of whoever asked to be told. */
static void adopted(void)
{
	pid_t child;
	int status;

	or_die(prctl(PR_SET_CHILD_SUBREAPER, 1), "prctl");
	child = fork();
	if (child == 0) {
		pid_t starter = getpid();

		if (fork() == 0) {
			expect_parent(getpid(), starter);
			put_bytes(open_out("out"), "out", some);
			_exit(6);
		}
		_exit(0);
	}
	wait_for(child);
	child = (pid_t)or_die(wait(&status), "wait");
	expect_end(child, status);
}

static const struct mode modes[] = {
	{ "vfork", by_vfork }, { "vfork-failing", by_vfork_failing },
	{ "vfork-child-writes", vfork_child_writes }, { "vfork-child-moves", vfork_child_moves },
	{ "vfork-child-redirects", vfork_child_redirects },
	{ "vfork-child-killed", vfork_child_killed }, { "posix_spawn", by_posix_spawn },
	{ "posix_spawnp", by_posix_spawnp }, { "spawn-with-actions", spawn_with_actions },
	{ "spawn-with-all-actions", spawn_with_all_actions }, { "spawn-fails", spawn_fails },
	{ "system", by_system }, { "popen", by_popen }, { "wordexp", by_wordexp },
	{ "clone", by_clone }, { "_Fork", by_raw_fork }, { "idle", idle }, { "waits", waits },
	{ "grandchildren", grandchildren }, { "storm", storm }, { "daemon", daemonised },
	{ "adopted", adopted }, { NULL, NULL }
};

/* Parts that other modes start; not modes of their own. */
static const struct mode parts[] = { { "arrive", arrive }, { NULL, NULL } };

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], parts[0].name) == 0)
		return workload(argc, argv, parts);
	return workload(argc, argv, modes);
}
