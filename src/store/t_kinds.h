/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_STORE_T_KINDS_H
#define PROV_STORE_T_KINDS_H
#include "store/store.h"
/*
 * For tests: every way to have a store. Each kind of the registry that can be written
 * to, and those that only answer with something behind them that can: what is put goes
 * to the stores behind, some of it to several, and what is asked comes through them.
 */
struct kind {
	const char *name;
	bool counts; /* store_info() counts everything once */
	struct store *(*fresh)(void);
};

/* NULL after the last. */
const struct kind *kind_at(size_t i);
/* A new, empty store; the test ends where there is none. */
struct store *kind_fresh(const struct kind *k);
#endif
