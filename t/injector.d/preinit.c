/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* preinit.c - a program whose own first function reads, before any library's */
#include "victim.h"

static void first(void)
{
	read_often(1);
}

__attribute__((section(".preinit_array"), used)) static void (*const entry)(void) = first;

int main(void)
{
	puts("done");
	return 0;
}
