/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* revive.c - a file that some threads close at the moment others open it, to
 * write to it long after */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>

#include "must.h"

#define THREADS 32
#define ROUNDS	8

static volatile int stop;

static void *slow(void *arg)
{
	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		int fd = open("file", O_WRONLY | O_APPEND);

		must(fd >= 0);
		/* longer than a count that comes late is taken */
		usleep(150000);
		must(write(fd, "slow\n", 5) == 5 && close(fd) == 0);
	}
	return NULL;
}

static void *quick(void *arg)
{
	(void)arg;
	while (!stop)
		must(close(open("file", O_WRONLY | O_APPEND)) == 0);
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS], q[2];

	must(close(open("file", O_CREAT | O_WRONLY, 0600)) == 0);
	for (int i = 0; i < 2; i++)
		must(pthread_create(&q[i], NULL, quick, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		must(pthread_create(&t[i], NULL, slow, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(q[i], NULL);
	puts("done");
	return 0;
}
