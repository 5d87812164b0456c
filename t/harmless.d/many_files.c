/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* many_files.c - eight threads that go through the same 150 files, each in its order */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>

#include "must.h"

static void *turn(void *arg)
{
	char name[32];

	for (int i = 0; i < 1500; i++) {
		int fd, n = ((int)(long)arg * 7 + i) % 150;

		snprintf(name, sizeof(name), "file.%d", n);
		must((fd = open(name, O_CREAT | O_WRONLY | O_APPEND, 0600)) >= 0);
		must(write(fd, name, (size_t)(n % 9 + 1)) == n % 9 + 1 && close(fd) == 0);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[8];

	for (long i = 0; i < 8; i++)
		must(pthread_create(&t[i], NULL, turn, (void *)i) == 0);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	puts("done");
	return 0;
}
