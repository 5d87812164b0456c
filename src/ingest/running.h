/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_INGEST_RUNNING_H
#define PROV_INGEST_RUNNING_H
#include "base/arena.h"
#include "model/model.h"
/* Runs of this user that a prov is recording at this moment. */
struct running {
	struct id id;
	const char *name;	/* what --name said, or "" */
	const char *engine;
	const char *folder;	/* of its session */
};

/* Oldest first; everything lives in the arena. 0, or negative errno with
 * fail_text(). */
int running_list(struct arena *a, struct running **out, size_t *n);
#endif
