/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* linked.c - uses library.c */
#include <stdio.h>

void library_used(void);

int main(void)
{
	library_used();
	puts("done");
	return 0;
}
