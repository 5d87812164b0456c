/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* process.c - programs that start programs */
#include "workload.h"

#include <spawn.h>
#include <sys/syscall.h>

static char *const no_env[] = { NULL };

static char *folder_arg(void)
{
	char *path = (char *)in_folder("");

	path[strlen(path) - 1] = '\0';
	return path;
}

/* What an exec'd image of this program does. */
static void arrive(void)
{
	int fd = open_out("arrived");

	put_bytes(fd, "arrived", some);
}

static void expect_exec(pid_t pid, char *const argv[])
{
	static char line[3 * 4096];
	size_t n = 0;

	for (; *argv; argv++)
		n += (size_t)snprintf(line + n, sizeof(line) - n, "%s%s", n ? " " : "", *argv);
	expect_for(pid, "exec", line, "");
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

static int self_fd(void)
{
	return fd_or_die(open(workload_self, O_RDONLY | O_CLOEXEC), workload_self);
}

static void run_execve(char **argv)
{
	execve(argv[0], argv, environ);
}

static void run_execv(char **argv)
{
	execv(argv[0], argv);
}

static void run_execvp(char **argv)
{
	execvp(argv[0], argv);
}

static void run_execvpe(char **argv)
{
	execvpe(argv[0], argv, environ);
}

static void run_execl(char **argv)
{
	execl(argv[0], argv[0], argv[1], argv[2], (char *)NULL);
}

static void run_execlp(char **argv)
{
	execlp(argv[0], argv[0], argv[1], argv[2], (char *)NULL);
}

static void run_execle(char **argv)
{
	execle(argv[0], argv[0], argv[1], argv[2], (char *)NULL, environ);
}

static void run_fexecve(char **argv)
{
	fexecve(self_fd(), argv, environ);
}

static void run_execveat(char **argv)
{
	execveat(self_fd(), "", argv, environ, AT_EMPTY_PATH);
}

/* The environment a cautious launcher leaves: nothing. */
static void run_scrubbed(char **argv)
{
	execve(argv[0], argv, no_env);
}

static void run_unset(char **argv)
{
	unsetenv("LD_PRELOAD");
	clearenv();
	execv(argv[0], argv);
}

static void in_child(void (*run)(char **))
{
	char **argv = arrival();
	pid_t child = fork();

	if (child == 0) {
		expect_exec(getpid(), argv);
		run(argv);
		_exit(99);
	}
	wait_for(child);
}

#define IN_CHILD(name) static void by_##name(void) { in_child(run_##name); }
IN_CHILD(execve)
IN_CHILD(execv)
IN_CHILD(execvp)
IN_CHILD(execvpe)
IN_CHILD(execl)
IN_CHILD(execlp)
IN_CHILD(execle)
IN_CHILD(fexecve)
IN_CHILD(execveat)
IN_CHILD(scrubbed)
IN_CHILD(unset)

static void all_fail(void)
{
	char absent[] = "/absent/program";
	char *argv[] = { absent, NULL };
	pid_t child = fork();
	int fd;

	if (child == 0) {
		run_execve(argv);
		run_execv(argv);
		run_execvp(argv);
		run_execvpe(argv);
		execl(absent, absent, NULL);
		execlp(absent, absent, NULL);
		execle(absent, absent, NULL, environ);
		fexecve(open_in(), argv, environ);
		execveat(AT_FDCWD, absent, argv, environ, 0);
		execv(in_folder("in"), argv);
		fd = open_out("after");
		put_bytes(fd, "after", 5);
		_exit(5);
	}
	wait_for(child);
}

static void path_search(void)
{
	char name[] = "true", path[4200];
	char *argv[] = { name, NULL };
	pid_t child;

	snprintf(path, sizeof(path), "/absent/a:/absent/b:%s:/etc/passwd:/usr/bin:/bin",
		 in_folder("."));
	setenv("PATH", path, 1);
	child = fork();
	if (child == 0) {
		expect_exec(getpid(), argv);
		execvp(name, argv);
		_exit(99);
	}
	wait_for(child);
}

/* One process, several images, then an exec that fails: each writes its file. */
static void chain_to(const char *file, const char *next)
{
	static char role[32];
	char *argv[] = { workload_self, role, folder_arg(), NULL };
	int fd = open_out(file);

	expect_bytes("write", in_folder(file), or_die(write(fd, file, strlen(file)), "write"));
	snprintf(role, sizeof(role), "%s", next);
	expect_exec(getpid(), argv);
	execv(workload_self, argv);
	_exit(99);
}

static void chain(void)
{
	int fd = open_out("parent");
	pid_t child;

	put_bytes(fd, "parent", 6);
	child = fork();
	if (child == 0)
		chain_to("first", "chain-second");
	wait_for(child);
}

static void chain_second(void)
{
	chain_to("second", "chain-third");
}

static void chain_third(void)
{
	int fd = open_out("third");

	put_bytes(fd, "third", 5);
	execv("/absent/program", (char *[]){ workload_self, NULL });
	put_bytes(fd, "third", 7);
	_exit(3);
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

static void script(void)
{
	const char *path = in_folder("script");
	char *argv[] = { (char *)path, NULL };
	static const char text[] = "#!/bin/sh\nread line <\"${0%/*}/in\"\n";
	int fd = open_out("script");
	pid_t child;

	expect_bytes("write", path, or_die(write(fd, text, strlen(text)), "write"));
	or_die(fchmod(fd, 0755), "fchmod");
	close(fd);
	child = fork();
	if (child == 0) {
		expect_exec(getpid(), argv);
		execv(path, argv);
		_exit(99);
	}
	expect_for(child, "read", in_folder("in"), "-1");
	expect_for(child, "read", path, "-1");
	wait_for(child);
}

static void grandchildren(void)
{
	for (int i = 0; i < 8; i++) {
		pid_t child = fork();

		if (child == 0) {
			pid_t grandchild = fork();

			if (grandchild == 0)
				_exit(i);
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
		setsid();
		if (fork() == 0) {
			int fd;

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

static const struct mode modes[] = {
	{ "execve", by_execve }, { "execv", by_execv }, { "execvp", by_execvp },
	{ "execvpe", by_execvpe }, { "execl", by_execl }, { "execlp", by_execlp },
	{ "execle", by_execle }, { "fexecve", by_fexecve }, { "execveat", by_execveat },
	{ "environment-scrubbed", by_scrubbed }, { "environment-unset", by_unset },
	{ "all-execs-fail", all_fail }, { "path-search", path_search }, { "exec-chain", chain },
	{ "vfork", by_vfork }, { "vfork-failing", by_vfork_failing },
	{ "posix_spawn", by_posix_spawn }, { "posix_spawnp", by_posix_spawnp },
	{ "spawn-with-actions", spawn_with_actions }, { "system", by_system },
	{ "script", script }, { "grandchildren", grandchildren }, { "storm", storm },
	{ "daemon", daemonised },
	{ NULL, NULL }
};

/* Parts that other modes start; not modes of their own. */
static const struct mode parts[] = {
	{ "arrive", arrive }, { "chain-second", chain_second }, { "chain-third", chain_third },
	{ NULL, NULL }
};

int main(int argc, char **argv)
{
	for (const struct mode *m = parts; argc > 1 && m->name; m++) {
		if (strcmp(m->name, argv[1]) == 0)
			return workload(argc, argv, parts);
	}
	return workload(argc, argv, modes);
}
