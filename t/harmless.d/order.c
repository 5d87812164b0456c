/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* order.c - puts the library named first in front of what LD_PRELOAD has, and goes
 * on as the program that follows; linked statically, so that nobody is in between */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *old = getenv("LD_PRELOAD");
	char *now;

	if (argc < 3 || asprintf(&now, "%s%s%s", argv[1], old ? ":" : "", old ? old : "") < 0)
		return 99;
	setenv("LD_PRELOAD", now, 1);
	execv(argv[2], argv + 2);
	return 99;
}
