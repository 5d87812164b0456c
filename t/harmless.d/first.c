/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* first.c - reads and writes before the constructor of any library */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void first(void)
{
	int fd = open("first-file", O_RDWR | O_CREAT, 0600);
	char c[3];

	if (fd < 0 || write(fd, "abc", 3) != 3 || pread(fd, c, 3, 0) != 3 || close(fd))
		_exit(3);
}

__attribute__((section(".preinit_array"), used)) static void (*const entry)(void) = first;

int main(void)
{
	puts("done");
	return 0;
}
