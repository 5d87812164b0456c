/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_place.c - a folder for the files of a test */
#include "store/t_place.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"

char place[32];
static struct buf path;

const char *place_fresh(void)
{
	static int made;

	buf_clear(&path);
	buf_printf(&path, "%s/%d.db", place, made++);
	return path.data;
}

int place_make(void **state)
{
	(void)memcpy(place, "/tmp/t_store.XXXXXX", 20);
	return mkdtemp(place) ? 0 : -1;
}

int place_remove(void **state)
{
	struct buf b = { 0 };
	int r;

	buf_printf(&b, "rm -rf %s", place);
	r = system(b.data);
	buf_release(&b);
	buf_release(&path);
	return r;
}
