/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* granularity.c - how finely accesses are noted, by name */
#include "engine/granularity.h"

#include <string.h>

static const char *const names[] = {
	[PROV_EVERY_ONE + 1] = "all",
	[PROV_FIRST_LAST + 1] = "first-last",
	[PROV_OPEN_CLOSE + 1] = "open-close",
	[PROV_OFF + 1] = "off",
};

#define N_NAMES (sizeof(names) / sizeof(names[0]))

bool granularity_ok(int32_t granularity)
{
	return granularity >= PROV_EVERY_ONE && granularity <= PROV_OFF;
}

const char *granularity_name(int32_t granularity)
{
	return granularity_ok(granularity) ? names[granularity + 1] : "unknown";
}

bool granularity_find(const char *name, int32_t *out)
{
	for (size_t i = 0; i < N_NAMES; i++)
		if (!strcmp(name, names[i])) {
			*out = (int32_t)i - 1;
			return true;
		}
	return false;
}
