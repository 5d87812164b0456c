/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/*
 * library.c - a library that reads before main(), after it, or meanwhile
 *
 * The loader initialises what a program is linked to before what is preloaded,
 * and finishes it after: a constructor of this runs before the injector's, a
 * destructor after.
 */
#include "victim.h"

#ifdef WORKER
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static pthread_t thread;
static atomic_int ending;

/* A thread of the library's own works until the library is finished with. */
static void *work(void *unused)
{
	while (!ending)
		usleep(100);
	read_often(10000);
	return unused;
}

/* Tidies up, for which it needs memory, while the thread still works. Whoever
 * writes to memory that it has given back writes to that. */
__attribute__((destructor)) static void end(void)
{
	static unsigned char *mine[64];

	for (size_t i = 0; i < 64; i++) {
		mine[i] = malloc(16 * (i + 1));
		if (!mine[i])
			abort();
		memset(mine[i], 0x55, 16 * (i + 1));
	}
	ending = 1;
	pthread_join(thread, NULL);
	for (size_t i = 0; i < 64; i++)
		for (size_t k = 0; k < 16 * (i + 1); k++)
			if (mine[i][k] != 0x55) {
				fputs("memory of the program was overwritten\n", stderr);
				abort();
			}
}
#endif

void library_used(void);

void library_used(void)
{
#ifdef WORKER
	if (pthread_create(&thread, NULL, work, NULL))
		abort();
#else
	read_often(1000);
#endif
}

#ifdef EARLY
__attribute__((constructor)) static void begin(void)
{
	read_often(1);
}
#endif

#ifdef LATE
__attribute__((destructor)) static void end(void)
{
	read_often(1000);
}
#endif

#ifdef LATE_EXIT
__attribute__((destructor)) static void end(void)
{
	fflush(stdout);
	_exit(0);
}
#endif
