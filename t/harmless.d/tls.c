/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* tls.c - loads libraries until there is no thread-local storage left for them */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "must.h"

int main(int argc, char **argv)
{
	int n = 0;

	for (int i = 1; i < argc; i++) {
		void *lib = dlopen(argv[i], RTLD_NOW);

		if (!lib) {
			puts(strstr(dlerror(), "static TLS") ? "no static TLS left" : "other");
			break;
		}
		((char *(*)(void))dlsym(lib, "large_of_thread"))();
		n++;
	}
	printf("%d loaded\n", n);
	return 0;
}
