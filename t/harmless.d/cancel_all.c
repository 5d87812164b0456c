/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* cancel_all.c - threads cancelled at any moment of calls that are hooked */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>

#include "must.h"

static int cleaned;

static void clean(void *arg)
{
	(void)arg;
	__atomic_fetch_add(&cleaned, 1, __ATOMIC_RELAXED);
}

/* Deferred: the calls are the points of cancellation. */
static void *at_calls(void *arg)
{
	char name[32], c;

	snprintf(name, sizeof(name), "c.%ld", (long)arg);
	pthread_cleanup_push(clean, NULL);
	for (;;) {
		int fd = open(name, O_CREAT | O_RDWR, 0600);

		(void)!write(fd, "x", 1);
		(void)!pread(fd, &c, 1, 0);
		close(fd);
	}
	pthread_cleanup_pop(1);
	return NULL;
}

/* Asynchronous: only in code that holds nothing. */
static void *anywhere(void *arg)
{
	volatile long n = 0;

	pthread_cleanup_push(clean, NULL);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;;)
		n++;
	pthread_cleanup_pop(1);
	return arg;
}

static void *in_blocked_read(void *arg)
{
	char c;

	pthread_cleanup_push(clean, NULL);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	(void)!read(*(int *)arg, &c, 1);
	pthread_cleanup_pop(1);
	return NULL;
}

int main(void)
{
	int p[2], cancelled = 0;
	void *end;

	must(pipe(p) == 0);
	for (long i = 0; i < 150; i++) {
		void *(*const how[])(void *) = { at_calls, anywhere, in_blocked_read };
		pthread_t t;

		must(pthread_create(&t, NULL, how[i % 3], i % 3 == 2 ? (void *)p : (void *)i) == 0);
		usleep(200 + (unsigned)i * 17 % 900);
		must(pthread_cancel(t) == 0 && pthread_join(t, &end) == 0);
		cancelled += end == PTHREAD_CANCELED;
		/* what was open stays so, as POSIX has it */
		closefrom(p[1] + 1);
	}
	printf("%d cancelled, %d cleaned up\n", cancelled, cleaned);
	for (int i = 0; i < 100; i++) {
		int fd = open("after", O_CREAT | O_WRONLY | O_APPEND, 0600);

		must(fd >= 0 && write(fd, "x", 1) == 1 && close(fd) == 0);
	}
	return 0;
}
