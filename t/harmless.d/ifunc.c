/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* ifunc.c - uses what ifunc_lib.c has chosen */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

extern int (*const pointer)(void);

int main(void)
{
	int fd = open("/etc/passwd", O_RDONLY);
	char c;

	printf("%d %zd\n", pointer(), read(fd, &c, 1));
	return 0;
}
