/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* threads.c - four threads read at once */
#include <pthread.h>

#include "victim.h"

static void *reader(void *unused)
{
	read_often(100000);
	return unused;
}

int main(void)
{
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		if (pthread_create(&thread[i], NULL, reader, NULL))
			abort();
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	puts("done");
	return 0;
}
