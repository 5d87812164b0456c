/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_STORE_UNION_H
#define PROV_STORE_UNION_H
#include "store/store.h"
/*
 * Several stores asked as one: the same answers as one store would give that all their
 * facts were put into. Read only.
 *
 * What several know of one thing is merged (store/merge.h). Where two keep different
 * offsets for one boot, times are told on the scale of the first that knows the boot;
 * but the `seen` of objects and the time of a name stay as they are, since nothing
 * tells of which boot they are.
 *
 * Two things differ from one store. A run is found by what each store by itself knows of
 * it: by user, time, name or command line a run is found when one store knows all of
 * that, as all do that have the run at all. And store_info() counts what several have
 * more than once.
 */
struct union_member {
	struct store *store;
	/* When it fails it is left out from then on, after `lost` was told once;
	 * otherwise its failure is that of the question. */
	bool may_fail;
};

/* Takes the stores: they are closed with it. why is of fail_text(). */
struct store *store_union(const struct union_member *members, size_t n,
			  void (*lost)(void *ctx, const char *why), void *ctx);
#endif
