/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* engine.c - the engines there are */
#include "config.h"
#include "engine/engine.h"

#include <string.h>

static const struct engine_ops *const engines[] = {
	&engine_preload,
#ifdef PROV_EBPF
	&engine_ebpf,
#endif
};

const struct engine_ops *engine_at(size_t i)
{
	return i < sizeof(engines) / sizeof(engines[0]) ? engines[i] : NULL;
}

const struct engine_ops *engine_find(const char *name)
{
	struct buf why = { 0 };
	const struct engine_ops *found = NULL;

	for (size_t i = 0; !found && engine_at(i); i++)
		if (!strcmp(name, engines[i]->name) ||
		    (!strcmp(name, "auto") && engines[i]->probe(&why) == 0))
			found = engines[i];
	/* "auto" where none works: the first says why when it is opened */
	if (!found && !strcmp(name, "auto"))
		found = engines[0];
	buf_release(&why);
	return found;
}
