/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* micro.c - one operation many times, and what one of them cost */
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 4096
#define BLOCKS 16384		/* a file of 64 MiB */
#define NAMES  1000		/* files 0 to 999 of a folder */

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(1);
}

static void op_getpid(int fd, const char *path)
{
	syscall(SYS_getpid);
}

static void op_read(int fd, const char *path)
{
	char c;

	if (read(fd, &c, 1) != 1)
		die("read");
}

static void op_write(int fd, const char *path)
{
	if (write(fd, "x", 1) != 1)
		die("write");
}

static void op_open(int fd, const char *path)
{
	int other = open(path, O_RDONLY);

	if (other < 0 || close(other))
		die(path);
}

/* Another file of the folder each time, so that each must be named. */
static void op_names(int fd, const char *path)
{
	static unsigned next;
	char name[4096];
	int other;

	snprintf(name, sizeof(name), "%s/%u", path, next++ % NAMES);
	other = open(name, O_RDONLY);
	if (other < 0 || close(other))
		die(name);
}

/* Anywhere in the file: a generator of its own, so that nothing else is timed.
 * Each process has its own order, or it would find the blocks of another's turn
 * in the cache. */
static void op_pread(int fd, const char *path)
{
	static uint32_t state;
	static char block[BLOCK];

	if (!state)
		state = (uint32_t)getpid() * 2654435761u;
	state = state * 1664525 + 1013904223;
	if (pread(fd, block, BLOCK, (off_t)(state >> 8) % BLOCKS * BLOCK) != BLOCK)
		die("pread");
}

static void op_spawn(int fd, const char *path)
{
	static char name[] = "true";
	char *argv[] = { name, NULL };
	pid_t child = vfork();

	if (child == 0) {
		execv("/bin/true", argv);
		_exit(127);
	}
	if (child < 0 || waitpid(child, NULL, 0) != child)
		die("vfork");
}

static void op_fork(int fd, const char *path)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	if (child < 0 || waitpid(child, NULL, 0) != child)
		die("fork");
}

static const struct op {
	const char *name;
	void (*once)(int fd, const char *path);
} ops[] = {
	{ "getpid", op_getpid }, { "read", op_read }, { "write", op_write }, { "open", op_open },
	{ "names", op_names }, { "pread", op_pread }, { "spawn", op_spawn }, { "fork", op_fork },
};

/* Keeps to the last processor it may use, as the others of its row do: what is
 * compared then does not depend on where the scheduler has put it. */
static void stay(void)
{
	cpu_set_t may, one;

	if (sched_getaffinity(0, sizeof(may), &may) < 0)
		return;
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &may))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
	}
	(void)sched_setaffinity(0, sizeof(one), &one);
}

/* A line of input is a turn: n times, then what one of them cost. Several of
 * these, bare and recorded, take turns of milliseconds, so that whatever else
 * the machine does meets all of them alike. */
static void take_turns(const struct op *op, long n, const char *path)
{
	int fd = path ? open(path, O_RDWR) : -1;
	char line[16];

	if (path && fd < 0)
		fd = open(path, O_RDONLY | O_DIRECTORY);
	if (path && fd < 0)
		die(path);
	stay();
	while (read(STDIN_FILENO, line, sizeof(line)) > 0) {
		const int64_t start = now_ns();

		for (long i = 0; i < n; i++)
			op->once(fd, path);
		printf("%.2f\n", (double)(now_ns() - start) / (double)n);
		fflush(stdout);
	}
}

/* Makes n files, 100 bytes each, in folders of 1000, and reads them back. */
static void small_files(long n, const char *folder)
{
	static char content[100];
	char path[4096];

	for (int pass = 0; pass < 2; pass++) {
		for (long i = 0; i < n; i++) {
			int fd;
			ssize_t done;

			if (!pass && i % 1000 == 0) {
				snprintf(path, sizeof(path), "%s/%ld", folder, i / 1000);
				if (mkdir(path, 0755) < 0)
					die(path);
			}
			snprintf(path, sizeof(path), "%s/%ld/%ld", folder, i / 1000, i);
			fd = open(path, pass ? O_RDONLY : O_WRONLY | O_CREAT, 0644);
			if (fd < 0)
				die(path);
			done = pass ? read(fd, content, sizeof(content)) :
				      write(fd, content, sizeof(content));
			if (done != sizeof(content))
				die(path);
			close(fd);
		}
	}
}

/* Runs a command and says when it started and ended, on the monotonic clock, and
 * how long processors worked for it and what it started: what is before and
 * after is the recorder's own. */
static int timed(const char *result, char **argv)
{
	const int64_t start = now_ns();
	struct rusage used;
	int64_t end, cpu;
	int status;
	FILE *f;
	pid_t child = fork();

	if (child == 0) {
		execvp(argv[0], argv);
		die(argv[0]);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		die("fork");
	end = now_ns();
	(void)getrusage(RUSAGE_CHILDREN, &used);
	cpu = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * INT64_C(1000000000) +
	      (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * INT64_C(1000);
	f = fopen(result, "w");
	if (!f || fprintf(f, "%jd %jd %jd\n", (intmax_t)start, (intmax_t)end, (intmax_t)cpu) < 0 ||
	    fclose(f))
		die(result);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	if (argc >= 4 && strcmp(argv[1], "time") == 0)
		return timed(argv[2], argv + 3);
	if (argc == 4 && strcmp(argv[1], "small") == 0) {
		small_files(atol(argv[2]), argv[3]);
		return 0;
	}
	for (size_t i = 0; argc >= 3 && i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (strcmp(ops[i].name, argv[1]) == 0) {
			take_turns(&ops[i], atol(argv[2]), argc > 3 ? argv[3] : NULL);
			return 0;
		}
	}
	fprintf(stderr, "usage: micro getpid|read|write|open|names|pread|spawn|fork N [FILE]\n"
			"       micro small N FOLDER\n"
			"       micro time RESULT CMD [ARG...]\n");
	return 2;
}
