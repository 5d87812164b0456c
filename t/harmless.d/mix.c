/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* mix.c - threads that add matrices and do I/O, while others fork and exec */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>

#include "must.h"

#define THREADS 8
#define ROUNDS	20
#define SIZE	64

static double a[SIZE][SIZE], b[SIZE][SIZE], c[SIZE][SIZE];

static void *add(void *arg)
{
	int id = *(int *)arg;
	char name[32];
	FILE *f;

	for (int i = id; i < SIZE; i += THREADS)
		for (int k = 0; k < SIZE; k++)
			c[i][k] = a[i][k] + b[i][k];
	snprintf(name, sizeof(name), "rows.%d", id);
	must((f = fopen(name, "w")));
	for (int i = id; i < SIZE; i += THREADS)
		for (int k = 0; k < SIZE; k++)
			fprintf(f, "%.0f ", c[i][k]);
	must(fclose(f) == 0);
	return NULL;
}

static void *files(void *arg)
{
	char name[32], text[8];

	snprintf(name, sizeof(name), "io.%d", *(int *)arg);
	for (int i = 0; i < ROUNDS * 10; i++) {
		int fd = open(name, O_CREAT | O_RDWR | O_APPEND, 0600);

		must(fd >= 0 && write(fd, "abcd", 4) == 4 && pread(fd, text, 4, 0) == 4);
		must(close(fd) == 0);
	}
	return NULL;
}

static void child(int id, int i)
{
	char name[32], other[32];
	int fd;

	snprintf(name, sizeof(name), "child.%d.%d", id, i);
	snprintf(other, sizeof(other), "moved.%d.%d", id, i);
	must((fd = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600)) >= 0);
	must(write(fd, "child", 5) == 5 && close(fd) == 0 && rename(name, other) == 0);
	if (i % 3 == 0)
		must(unlink(other) == 0);
	if (i % 4 == 0)
		execl("/bin/sh", "sh", "-c", "echo $0 > \"exec.$0\"; exit 7", other + 6, NULL);
	_exit(7);
}

static void *children(void *arg)
{
	int id = *(int *)arg, status;

	for (int i = 0; i < ROUNDS; i++) {
		pid_t p = fork();

		if (p == 0)
			child(id, i);
		must(p > 0 && waitpid(p, &status, 0) == p);
		must(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[3 * THREADS];
	int id[THREADS], n = 0;
	double sum = 0;

	for (int i = 0; i < SIZE; i++) {
		for (int k = 0; k < SIZE; k++) {
			a[i][k] = i * SIZE + k;
			b[i][k] = 2 * a[i][k];
		}
	}
	for (int i = 0; i < THREADS; i++) {
		id[i] = i;
		must(pthread_create(&t[n++], NULL, add, &id[i]) == 0);
		must(pthread_create(&t[n++], NULL, files, &id[i]) == 0);
		must(pthread_create(&t[n++], NULL, children, &id[i]) == 0);
	}
	while (n > 0)
		pthread_join(t[--n], NULL);
	for (int i = 0; i < SIZE; i++)
		for (int k = 0; k < SIZE; k++)
			sum += c[i][k];
	printf("%.0f\n", sum);
	return 0;
}
