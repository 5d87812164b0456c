/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* stale_map.c - a mapping made writable long after its file was closed */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
	int fd = open("mapped", O_RDWR | O_CREAT, 0600);
	char *p, name[128];

	if (fd < 0 || ftruncate(fd, 4096))
		return 1;
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	/* enough opens for the record of the first to be handed over and reused */
	for (int i = 0; i < 4000; i++) {
		snprintf(name, sizeof(name), "some-file-name-that-is-rather-long-%d", i);
		fd = open(name, O_CREAT | O_RDWR, 0600);
		if (fd < 0 || write(fd, "y", 1) != 1 || close(fd) || unlink(name))
			return 2;
		if (i % 200 == 199)
			usleep(60000);
	}
	if (mprotect(p, 4096, PROT_READ | PROT_WRITE))
		return 3;
	p[0] = 'z';
	return 0;
}
