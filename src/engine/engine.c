/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* engine.c - the engines there are */
#include "config.h"
#include "engine/engine.h"

#include <string.h>

/* Those that "auto" prefers first. */
static const struct engine_ops *const engines[] = {
#ifdef PROV_EBPF
	&engine_ebpf,
#endif
	&engine_remote,
	&engine_preload,
};

const struct engine_ops *engine_kernel(void)
{
#ifdef PROV_EBPF
	return &engine_ebpf;
#else
	return NULL;
#endif
}

const struct engine_ops *engine_at(size_t i)
{
	return i < sizeof(engines) / sizeof(engines[0]) ? engines[i] : NULL;
}

const struct engine_ops *engine_find(const char *name)
{
	struct buf why = { 0 };
	const struct engine_ops *found = NULL;
	bool is_auto = !strcmp(name, "auto");

	/* one run of root's is no reason to load programs into the kernel: where a node is to
	 * be recorded so, its service does */
	for (size_t i = 0; !found && engine_at(i); i++)
		if ((is_auto ? engines[i] != engine_kernel() : !strcmp(name, engines[i]->name)) &&
		    engines[i]->probe(&why) == 0)
			found = engines[i];
	/* where none works the last says why when it is opened */
	for (size_t i = 0; !found && engine_at(i); i++)
		if (!strcmp(name, engines[i]->name) || (is_auto && !engine_at(i + 1)))
			found = engines[i];
	buf_release(&why);
	return found;
}
