/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* ifunc_lib.c - a library that reads and writes files to choose a function; with
 * USER, one that is relocated later and needs the choice while it is */
#include <fcntl.h>
#include <unistd.h>

#ifdef USER
int chosen(void);
int (*const pointer)(void) = chosen;
#else
static int found;

static int one(void)
{
	return found;
}

__attribute__((used)) static int (*choose(void))(void)
{
	char c = 0;
	int in = open("/etc/passwd", O_RDONLY), out = open("resolver", O_CREAT | O_WRONLY, 0600);

	if (in >= 0 && read(in, &c, 1) == 1 && out >= 0 && write(out, &c, 1) == 1)
		found = c;
	close(in);
	close(out);
	return one;
}

int chosen(void) __attribute__((ifunc("choose")));
#endif
