/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* blocked_close.c - a descriptor closed while another thread waits in it */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *arg)
{
	char b[8];

	*(long *)arg = read(ends[0], b, sizeof(b));
	return NULL;
}

int main(void)
{
	char name[128];
	long got = 0;
	pthread_t t;

	if (pipe(ends) || pthread_create(&t, NULL, reader, &got))
		return 1;
	usleep(50000);
	close(ends[0]);
	for (int i = 0; i < 4000; i++) {
		int fd;

		snprintf(name, sizeof(name), "some-file-name-that-is-rather-long-%d", i);
		fd = open(name, O_CREAT | O_RDWR, 0600);
		if (fd < 0 || write(fd, "y", 1) != 1 || close(fd) || unlink(name))
			return 2;
		if (i % 200 == 199)
			usleep(60000);
	}
	if (write(ends[1], "12345678", 8) != 8)
		return 3;
	pthread_join(t, NULL);
	printf("read %ld\n", got);
	return 0;
}
