/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* deeds.c - what t/kernel has on record, one deed per word: deeds WORD [ARG...] */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char data[4096];

/* A call that fails ends the program. */
static long must(long got, const char *what)
{
	if (got < 0) {
		perror(what);
		exit(99);
	}
	return got;
}

static int number(const char *text)
{
	return (int)strtol(text, NULL, 10);
}

/* edge FROM TO: a copy */
static int edge(char **arg)
{
	int from = (int)must(open(arg[0], O_RDONLY), arg[0]);
	int to = (int)must(open(arg[1], O_WRONLY | O_CREAT | O_TRUNC, 0644), arg[1]);
	long n;

	while ((n = must(read(from, data, sizeof(data)), "read")) > 0)
		must(write(to, data, (size_t)n), "write");
	return 0;
}

static int own_status;

static int collect(int children)
{
	int status, bad = 0;

	for (int i = 0; i < children; i++) {
		must(wait(&status), "wait");
		bad |= own_status ? 0 : status;
	}
	return bad != 0;
}

/* brief N PROGRAM: N programs, two at a time, each in a folder and with a status of its own */
static int brief(char **arg)
{
	int n = number(arg[0]);

	own_status = 1;
	for (int i = 0; i < n; i++) {
		char word[16], folder[16];

		snprintf(word, sizeof(word), "%d", i);
		snprintf(folder, sizeof(folder), "d%d", i % 3);
		if (must(fork(), "fork") == 0) {
			must(chdir(folder), folder);
			execl(arg[1], "brief", word, "last word", NULL);
			_exit(99);
		}
		if (i % 2)
			must(collect(2), "wait");
	}
	return collect(n % 2);
}

/* forks N: N processes that do nothing but end */
static int forks(char **arg)
{
	for (int n = number(arg[0]), i = 0; i < n; i++) {
		if (must(fork(), "fork") == 0)
			_exit(0);
		if (i % 8 == 7)
			collect(8);
	}
	return 0;
}

/* vforks N */
static int vforks(char **arg)
{
	for (int n = number(arg[0]), i = 0; i < n; i++) {
		pid_t child = vfork();

		if (child == 0) {
			execl("/bin/true", "true", NULL);
			_exit(99);
		}
		must(child, "vfork");
		if (collect(1))
			return 1;
	}
	return 0;
}

#define THREADS 64
static int rounds, shared_in, shared_out;

static void *storm_thread(void *at)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "own.%d", (int)((int *)at - (int *)NULL));
	fd = (int)must(open(name, O_RDWR | O_CREAT, 0644), name);
	for (int i = 0; i < rounds; i++) {
		must(write(fd, "0123456", 7), "write");
		must(pread(shared_in, data, 5, 0), "pread");
		must(pwrite(shared_out, "abc", 3, i * 3), "pwrite");
	}
	close(fd);
	return NULL;
}

/* storm ROUNDS: 64 threads, each in a file of its own and in two that all have */
static int storm(char **arg)
{
	pthread_t t[THREADS];

	rounds = number(arg[0]);
	shared_in = (int)must(open("in", O_RDONLY), "in");
	shared_out = (int)must(open("all", O_WRONLY | O_CREAT, 0644), "all");
	for (int i = 0; i < THREADS; i++)
		must(-pthread_create(&t[i], NULL, storm_thread, (int *)NULL + i), "thread");
	for (int i = 0; i < THREADS; i++)
		must(-pthread_join(t[i], NULL), "join");
	return 0;
}

/* flood N: N reads and N writes of one byte each */
static int flood(char **arg)
{
	int in = (int)must(open("in", O_RDONLY), "in");
	int out = (int)must(open(arg[1], O_WRONLY | O_CREAT, 0644), arg[1]);

	for (int n = number(arg[0]), i = 0; i < n; i++) {
		must(pread(in, data, 1, 0), "pread");
		must(pwrite(out, data, 1, i % 4096), "pwrite");
	}
	return 0;
}

static void *exec_thread(void *arg)
{
	char **a = arg;

	execv("/proc/self/exe", (char *[]){ "deeds", "edge", a[0], a[1], NULL });
	_exit(99);
}

static void *sleeper(void *arg)
{
	pause();
	return NULL;
}

/* thread-exec FROM TO: another thread than the first becomes "edge FROM TO" */
static int thread_exec(char **arg)
{
	pthread_t t;

	must(-pthread_create(&t, NULL, sleeper, NULL), "thread");
	must(-pthread_create(&t, NULL, exec_thread, arg), "thread");
	pause();
	return 99;
}

/* for-ever TO: writes until it is killed */
static int for_ever(char **arg)
{
	int to = (int)must(open(arg[0], O_WRONLY | O_CREAT | O_TRUNC, 0644), arg[0]);

	while (write(to, "0123456789", 10) == 10)
		;
	return 99;
}

/* burst N: N new files, faster than the collector, which is our parent and sleeps,
 * can take them */
static int burst(char **arg)
{
	char name[32];

	must(mkdir("burst", 0755), "mkdir");
	must(kill(getppid(), SIGSTOP), "kill");
	usleep(50000);
	for (int n = number(arg[0]), i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "burst/%d", i);
		close((int)must(open(name, O_WRONLY | O_CREAT, 0644), name));
	}
	must(kill(getppid(), SIGCONT), "kill");
	/* what tells how this ends is to find room */
	usleep(500000);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *word;
		int arguments;
		int (*deed)(char **);
	} deeds[] = {
		{ "edge", 2, edge },
		{ "brief", 2, brief },
		{ "forks", 1, forks },
		{ "vforks", 1, vforks },
		{ "storm", 1, storm },
		{ "flood", 2, flood },
		{ "burst", 1, burst },
		{ "for-ever", 1, for_ever },
		{ "thread-exec", 2, thread_exec },
	};

	/* as "brief" starts it */
	if (argc == 3 && !strcmp(argv[0], "brief"))
		return number(argv[1]) % 256;
	for (size_t i = 0; argc > 1 && i < sizeof(deeds) / sizeof(deeds[0]); i++)
		if (!strcmp(argv[1], deeds[i].word) && argc - 2 == deeds[i].arguments)
			return deeds[i].deed(argv + 2);
	fprintf(stderr, "deeds: no such deed\n");
	return 99;
}
