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
	const struct engine_ops *found = NULL, *last = NULL;
	bool is_auto = !strcmp(name, "auto");
	struct buf why = { 0 };

	for (size_t i = 0; !found && engine_at(i); i++) {
		/* one run of root's is no reason to load programs into the kernel: where a
		 * node is to be recorded so, its service does */
		if (is_auto ? engines[i] == engine_kernel() : strcmp(name, engines[i]->name) != 0)
			continue;
		last = engines[i];
		if (last->probe(&why) == 0)
			found = last;
	}
	buf_release(&why);
	/* where none works the last says why when it is opened */
	return found ? found : last;
}
