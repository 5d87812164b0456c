/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* early_late.c - a library that reads files in its constructor and destructor */
#include <stdio.h>
#include <stdlib.h>

static void look(const char *when)
{
	char line[64];
	FILE *f = fopen("/proc/self/stat", "r");

	if (f && fgets(line, sizeof(line), f))
		printf("%s ok\n", when);
	if (f)
		fclose(f);
}

__attribute__((constructor)) static void early(void)
{
	look("early");
}

__attribute__((destructor)) static void late(void)
{
	look("late");
}

static void at_exit(void)
{
	look("at exit");
}

int main(void)
{
	atexit(at_exit);
	look("main");
	return 0;
}
