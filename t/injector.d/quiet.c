/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* quiet.c - reads in main(), from one thread: nothing to go wrong */
#include "victim.h"

int main(void)
{
	read_often(10000);
	puts("done");
	return 0;
}
