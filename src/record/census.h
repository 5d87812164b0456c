/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_RECORD_CENSUS_H
#define PROV_RECORD_CENSUS_H
#include "base/arena.h"
#include "base/map.h"
#include "engine/engine.h"
/*
 * How many executions of a run are representatives (build/representative.h), told as
 * they begin: by then nobody knows what will come of one, so each utility of a shell
 * counts. Zeroed it is valid; private to this folder.
 */
struct census {
	struct arena memory;
	struct map standings;	/* of images, by pid and start */
	uint64_t representatives;
};

void census_start(struct census *c, uint32_t pid, int64_t start, const struct prov_start *s);
void census_release(struct census *c);
#endif
