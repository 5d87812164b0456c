/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef VICTIM_H
#define VICTIM_H
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Reads times 64 bytes; enough of them make any queue allocate. */
static inline void read_often(int times)
{
	char block[64];
	int fd = open("/dev/zero", O_RDONLY);

	for (int i = 0; i < times; i++)
		if (read(fd, block, sizeof(block)) != sizeof(block))
			abort();
	close(fd);
}
#endif
