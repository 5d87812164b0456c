/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* busy_fork.c - forks while 64 threads are in the middle of I/O */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>

#include "must.h"

#define THREADS 64
#define FORKS	40

static volatile int stop;

static void *busy(void *arg)
{
	char name[32], line[32];
	int id = *(int *)arg;
	FILE *f;

	snprintf(name, sizeof(name), "busy.%d", id);
	while (!stop) {
		int fd = open(name, O_CREAT | O_RDWR | O_APPEND, 0600);

		must(fd >= 0 && write(fd, "0123456", 7) == 7 && close(fd) == 0);
		must((f = fopen("/etc/passwd", "r")) && fgets(line, sizeof(line), f));
		must(fclose(f) == 0);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	int id[THREADS], status, fd;
	char name[32];

	for (int i = 0; i < THREADS; i++) {
		id[i] = i;
		must(pthread_create(&t[i], NULL, busy, &id[i]) == 0);
	}
	for (int i = 0; i < FORKS; i++) {
		pid_t p = fork();

		if (p == 0) {
			/* the only thread of a copy of whatever was under way */
			snprintf(name, sizeof(name), "fork.%d", i);
			closefrom(3);
			must((fd = open(name, O_CREAT | O_WRONLY, 0600)) >= 0);
			must(write(fd, "one", 3) == 3 && dup2(fd, 9) == 9);
			must(write(9, "two", 3) == 3 && close(fd) == 0);
			if (i % 8 == 0)
				execl("/bin/sh", "sh", "-c", "echo three >&9", NULL);
			_exit(0);
		}
		must(p > 0 && waitpid(p, &status, 0) == p && status == 0);
	}
	stop = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	puts("done");
	return 0;
}
