/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* granularity.c - how finely accesses are noted, by name */
#include "engine/granularity.h"

#include <string.h>

static const char *const names[] = {
	[PROV_FIRST_LAST] = "first-last",
	[PROV_OPEN_CLOSE] = "open-close",
	[PROV_OFF] = "off",
};

#define N_NAMES (sizeof(names) / sizeof(names[0]))

const char *granularity_name(uint32_t granularity)
{
	return granularity < N_NAMES ? names[granularity] : "unknown";
}

int granularity_find(const char *name)
{
	for (size_t i = 0; i < N_NAMES; i++)
		if (!strcmp(name, names[i]))
			return (int)i;
	return -1;
}
