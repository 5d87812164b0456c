/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* touch.c - switching by touching a file */
#include "provd/touch.h"

#include <stdio.h>
#include <sys/stat.h>

#include "engine/granularity.h"

static struct timespec changed(const char *folder, int32_t level)
{
	char path[4400];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", folder, granularity_name(level));
	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) ? st.st_mtim : (struct timespec){ 0 };
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

void touches_begin(struct touches *t, const char *folder)
{
	for (int32_t level = PROV_EVERY_ONE; level <= PROV_OFF; level++)
		t->newest[level - PROV_EVERY_ONE] = changed(folder, level);
}

bool touches_look(struct touches *t, const char *folder, int32_t *level)
{
	struct timespec newest = { 0 };
	bool any = false;

	for (int32_t l = PROV_EVERY_ONE; l <= PROV_OFF; l++) {
		struct timespec now = changed(folder, l), *was = &t->newest[l - PROV_EVERY_ONE];

		if (is_later(&now, was) && is_later(&now, &newest)) {
			newest = now;
			*level = l;
			any = true;
		}
		*was = now;
	}
	return any;
}
