/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* spawners.c - eight threads that start programs, the first of each at one moment */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>

#include "must.h"

#define THREADS 8

static pthread_barrier_t start;
static int rounds;
static char *wide[700];	/* an environment that no stack has room for */

static char *narrow[] = { "PATH=/usr/bin:/bin", NULL };

static pid_t by_vfork(char **argv, char **env)
{
	pid_t p = vfork();

	if (p == 0) {
		execve("/bin/sh", argv, env);
		_exit(127);
	}
	return p;
}

static pid_t by_fork(char **argv, char **env)
{
	pid_t p = fork();

	if (p == 0) {
		execve("/bin/sh", argv, env);
		_exit(127);
	}
	return p;
}

static void *spawn(void *arg)
{
	int id = *(int *)arg;

	pthread_barrier_wait(&start);
	for (int i = 0; i < rounds; i++) {
		char name[32], *argv[] = { "sh", "-c", "echo $0 > \"$0\"", name, NULL };
		char **env = i % 2 ? wide : narrow;
		int how = (id + i) % 4, status;
		pid_t p;

		snprintf(name, sizeof(name), "s.%d.%d", id, i);
		if (how == 0)
			p = by_vfork(argv, env);
		else if (how == 1)
			p = by_fork(argv, env);
		else
			must(posix_spawn(&p, "/bin/sh", NULL, NULL, argv, env) == 0);
		must(p > 0 && waitpid(p, &status, 0) == p && status == 0);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	int id[THREADS];

	rounds = argc > 1 ? atoi(argv[1]) : 1;
	for (int i = 0; i < 698; i++)
		must(asprintf(&wide[i], "VARIABLE_%d=0123456789", i) > 0);
	wide[698] = narrow[0];
	pthread_barrier_init(&start, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		id[i] = i;
		must(pthread_create(&t[i], NULL, spawn, &id[i]) == 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	puts("done");
	return 0;
}
