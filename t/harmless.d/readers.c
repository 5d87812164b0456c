/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* readers.c - 32 threads in read, fgets and write at once, as parallel solvers are */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>

#include "must.h"

#define THREADS 32
#define LINES	2000
#define ROUNDS	4

static FILE *common;	/* one stream, all threads */
static unsigned long sums[THREADS];
static long lines_of_all;

static unsigned long by_read(void)
{
	unsigned char block[512];
	unsigned long sum = 0;
	int fd = open("input", O_RDONLY);
	ssize_t n;

	must(fd >= 0);
	while ((n = read(fd, block, sizeof(block))) > 0)
		for (ssize_t i = 0; i < n; i++)
			sum = sum * 31 + block[i];
	must(n == 0 && close(fd) == 0);
	return sum;
}

static unsigned long by_fgets(void)
{
	FILE *f = fopen("input", "r");
	unsigned long sum = 0;
	char line[64];

	must(f);
	while (fgets(line, sizeof(line), f))
		sum += strtoul(line, NULL, 10);
	must(fclose(f) == 0);
	return sum;
}

static void *reader(void *arg)
{
	int id = *(int *)arg, fd;
	char name[32], line[64];

	snprintf(name, sizeof(name), "output.%d", id);
	must((fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600)) >= 0);
	for (int i = 0; i < ROUNDS; i++) {
		sums[id] += (id + i) % 2 ? by_read() : by_fgets();
		must(write(fd, line, (size_t)snprintf(line, sizeof(line), "%020lu\n", sums[id])) ==
		     21);
	}
	while (fgets(line, sizeof(line), common))
		__atomic_fetch_add(&lines_of_all, 1, __ATOMIC_RELAXED);
	must(close(fd) == 0);
	return NULL;
}

int main(void)
{
	FILE *f = fopen("input", "w");
	pthread_t t[THREADS];
	int id[THREADS];

	must(f);
	for (int i = 0; i < LINES; i++)
		fprintf(f, "%08d\n", i * 7919 % 1000003);
	must(fclose(f) == 0 && (common = fopen("input", "r")));
	for (int i = 0; i < THREADS; i++) {
		id[i] = i;
		must(pthread_create(&t[i], NULL, reader, &id[i]) == 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i], NULL);
		printf("%lu\n", sums[i]);
	}
	printf("%ld lines by all\n", lines_of_all);
	return 0;
}
