/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* steps.c - works without end and notes what is done, in memory that outlives it
 *
 * steps NOTES PROCESSES THREADS ENDING
 *
 * Each thread makes, fills, renames and removes files of its own folder. After
 * every call that has returned it counts it in the file NOTES. ENDING is what
 * happens: "kill" nothing (somebody kills it), "abort", "exit" and "segv" in the
 * first thread of the first process after a while, "cpu" by RLIMIT_CPU.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct notes {
	uint64_t opened, bytes, renamed, unlinked;
	uint64_t pad[4];
};

static struct notes *notes;
static long threads;
static const char *ending;

static void note(uint64_t *counter, uint64_t n)
{
	__atomic_fetch_add(counter, n, __ATOMIC_RELEASE);
}

static void end(void)
{
	if (!strcmp(ending, "abort"))
		abort();
	if (!strcmp(ending, "exit"))
		syscall(SYS_exit_group, 7);
	if (!strcmp(ending, "segv"))
		raise(SIGSEGV);
}

static void *work(void *arg)
{
	size_t me = (size_t)(uintptr_t)arg;
	struct notes *n = &notes[me];
	char a[64], b[64];

	for (unsigned long k = 0;; k++) {
		int fd;

		snprintf(a, sizeof(a), "t%zu/a%lu", me, k);
		snprintf(b, sizeof(b), "t%zu/b%lu", me, k);
		fd = open(a, O_CREAT | O_WRONLY, 0600);
		if (fd < 0)
			_exit(3);
		note(&n->opened, 1);
		for (int i = 0; i < 3; i++)
			if (write(fd, "1234567", 7) == 7)
				note(&n->bytes, 7);
		close(fd);
		if (k % 2 && rename(a, b) == 0)
			note(&n->renamed, 1);
		if (k % 4 == 3 && unlink(b) == 0)
			note(&n->unlinked, 1);
		if (me == 0 && k == 500)
			end();
	}
	return NULL;
}

static void process(size_t first)
{
	pthread_t t;

	for (long i = 1; i < threads; i++)
		pthread_create(&t, NULL, work, (void *)(uintptr_t)(first + (size_t)i));
	work((void *)(uintptr_t)first);
}

int main(int argc, char **argv)
{
	long processes = atol(argv[2]);
	struct rlimit one = { 1, 1 };
	size_t all;
	int fd;

	if (argc < 5)
		return 2;
	threads = atol(argv[3]);
	ending = argv[4];
	all = (size_t)(processes * threads);
	fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, (off_t)(all * sizeof(*notes))) < 0)
		return 2;
	notes = mmap(NULL, all * sizeof(*notes), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (size_t i = 0; i < all; i++) {
		char name[32];

		snprintf(name, sizeof(name), "t%zu", i);
		mkdir(name, 0700);
	}
	if (!strcmp(ending, "cpu"))
		setrlimit(RLIMIT_CPU, &one);
	for (long i = 1; i < processes; i++)
		if (fork() == 0)
			process((size_t)(i * threads));
	process(0);
	return 0;
}
