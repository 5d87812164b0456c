/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* exec.c - one program becoming another, or failing to */
#include "workload.h"

#include <pthread.h>
#include <sys/prctl.h>

static char *const no_env[] = { NULL };

/* What an exec'd image of this program does. */
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

/* Before and after an attempt that fails, it is one and the same image. */
static void failing(void (*run)(char **))
{
	static char absent[] = "/absent/program";
	pid_t child = fork();

	if (child == 0) {
		char **argv = arrival();
		int fd = open_out("out");

		argv[0] = absent;
		put_bytes(fd, "out", 5);
		run(argv);
		put_bytes(fd, "out", 7);
		_exit(5);
	}
	wait_for(child);
}

static void run_fexecve_of_text(char **argv)
{
	fexecve(open_in(), argv, environ);
}

static void run_execveat_of_text(char **argv)
{
	execveat(open_in(), "", argv, environ, AT_EMPTY_PATH);
}

#define FAILS(name, run) static void name##_fails(void) { failing(run); }
FAILS(execve, run_execve)
FAILS(execv, run_execv)
FAILS(execvp, run_execvp)
FAILS(execvpe, run_execvpe)
FAILS(execl, run_execl)
FAILS(execlp, run_execlp)
FAILS(execle, run_execle)
FAILS(fexecve, run_fexecve_of_text)
FAILS(execveat, run_execveat_of_text)

/* Five places where it is not, one where it is: one execution. */
static void search(int (*find)(const char *, char *const *))
{
	char name[] = "true", path[4200];
	char *argv[] = { name, NULL };
	pid_t child;

	snprintf(path, sizeof(path),
		 "/absent/a:/absent/b:/absent/c:%s:/etc/passwd:/usr/bin:/bin", in_folder("."));
	setenv("PATH", path, 1);
	child = fork();
	if (child == 0) {
		expect_exec(getpid(), argv);
		find(name, argv);
		_exit(99);
	}
	wait_for(child);
}

static int find_by_list(const char *name, char *const *argv)
{
	return execlp(name, argv[0], (char *)NULL);
}

static int find_with_environment(const char *name, char *const *argv)
{
	return execvpe(name, argv, environ);
}

static void search_execvp(void)
{
	search(execvp);
}

static void search_execlp(void)
{
	search(find_by_list);
}

static void search_execvpe(void)
{
	search(find_with_environment);
}

/* execvp(3) hands text without an interpreter line to the shell. */
static void script_without_interpreter(void)
{
	const char *path = in_folder("script");
	char line[4200], shell[] = "/bin/sh";
	char *argv[] = { (char *)path, NULL };
	static const char text[] = "exit 4\n";
	int fd = open_out("script");
	pid_t child;

	expect_bytes("write", path, or_die(write(fd, text, strlen(text)), "write"));
	or_die(fchmod(fd, 0755), "fchmod");
	close(fd);
	child = fork();
	if (child == 0) {
		execvp(path, argv);
		_exit(99);
	}
	snprintf(line, sizeof(line), "%s %s", shell, path);
	expect_for(child, "exec", line, "");
	expect_for(child, "read", path, "7");
	wait_for(child);
}

/* The thread that calls exec is the process afterwards. */
static void *exec_in_thread(void *argv)
{
	put_bytes(open_out("out"), "out", 5);
	execv(((char **)argv)[0], argv);
	_exit(99);
}

static void from_thread(void)
{
	char **argv = arrival();
	pthread_t thread;
	pid_t child = fork();

	if (child == 0) {
		expect_exec(getpid(), argv);
		or_die(-pthread_create(&thread, NULL, exec_in_thread, argv), "pthread_create");
		pause();
	}
	wait_for(child);
}

/* A descriptor that gives no data gives a program. */
static void by_path_descriptor(void)
{
	char **argv = arrival();
	pid_t child = fork();

	if (child == 0) {
		expect_exec(getpid(), argv);
		fexecve(fd_or_die(open(workload_self, O_PATH), "O_PATH"), argv, environ);
		_exit(99);
	}
	wait_for(child);
}

static void beside_descriptor(void)
{
	char **argv = arrival(), *slash = strrchr(workload_self, '/');
	pid_t child = fork();

	if (child == 0) {
		int dir;

		expect_exec(getpid(), argv);
		*slash = '\0';
		dir = fd_or_die(open(workload_self, O_PATH | O_DIRECTORY), workload_self);
		*slash = '/';
		execveat(dir, slash + 1, argv, environ, 0);
		_exit(99);
	}
	wait_for(child);
}

/* Streams are flushed by nobody at exec; what was flushed counts. */
static void flushed_before(void)
{
	char **argv = arrival();
	pid_t child = fork();

	if (child == 0) {
		FILE *f = ptr_or_die(fopen(in_folder("out"), "w"), "fopen");

		or_die(fputs("abc", f), "fputs");
		or_die(fflush(f), "fflush");
		or_die(fputs("lost", f), "fputs");
		expect_made(in_folder("out"), 3);
		expect_exec(getpid(), argv);
		execv(argv[0], argv);
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

static const struct mode modes[] = {
	{ "execve", by_execve }, { "execv", by_execv }, { "execvp", by_execvp },
	{ "execvpe", by_execvpe }, { "execl", by_execl }, { "execlp", by_execlp },
	{ "execle", by_execle }, { "fexecve", by_fexecve }, { "execveat", by_execveat },
	{ "execve-fails", execve_fails }, { "execv-fails", execv_fails },
	{ "execvp-fails", execvp_fails }, { "execvpe-fails", execvpe_fails },
	{ "execl-fails", execl_fails }, { "execlp-fails", execlp_fails },
	{ "execle-fails", execle_fails }, { "fexecve-fails", fexecve_fails },
	{ "execveat-fails", execveat_fails }, { "search-execvp", search_execvp },
	{ "search-execlp", search_execlp }, { "search-execvpe", search_execvpe },
	{ "environment-scrubbed", by_scrubbed }, { "environment-unset", by_unset },
	{ "chain", chain }, { "script", script },
	{ "script-without-interpreter", script_without_interpreter },
	{ "from-thread", from_thread }, { "path-descriptor", by_path_descriptor },
	{ "beside-descriptor", beside_descriptor }, { "flushed-before", flushed_before },
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
