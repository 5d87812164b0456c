/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* openmp.c - 64 OpenMP threads, each in its own files and all in shared ones */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <sys/stat.h>

#include "must.h"

#define THREADS 64
#define ROUNDS	100

static void own(int id)
{
	char name[32], text[16];
	FILE *f;
	int fd;

	snprintf(name, sizeof(name), "own.%d", id);
	must((fd = open(name, O_CREAT | O_RDWR | O_TRUNC, 0600)) >= 0);
	for (int i = 0; i < ROUNDS; i++)
		must(pwrite(fd, "0123456789", 10, i * 10) == 10);
	must(lseek(fd, 0, SEEK_SET) == 0 && read(fd, text, 16) == 16 && close(fd) == 0);
	snprintf(name, sizeof(name), "stream.%d", id);
	must((f = fopen(name, "w")));
	for (int i = 0; i < ROUNDS; i++)
		must(fprintf(f, "%07d %d\n", i, i % 10) == 10);
	must(fclose(f) == 0);
}

int main(void)
{
	int all = open("all", O_CREAT | O_WRONLY | O_APPEND, 0600);
	double sum = 0;
	struct stat st;

	must(all >= 0);
#pragma omp parallel num_threads(THREADS) reduction(+ : sum)
	{
		int id = omp_get_thread_num();

		own(id);
		for (int i = 0; i < ROUNDS; i++) {
			/* opened again and again by all at once, under one name */
			int each = open("each", O_CREAT | O_WRONLY | O_APPEND, 0600);

			must(write(all, "x", 1) == 1);
			must(each >= 0 && write(each, "yz", 2) == 2 && close(each) == 0);
			sum += i * (id + 1);
		}
	}
	must(fstat(all, &st) == 0);
	printf("%d threads, %.0f, %lld bytes\n", THREADS, sum, (long long)st.st_size);
	return 0;
}
