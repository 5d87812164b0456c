/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROVD_VIEW_H
#define PROV_PROVD_VIEW_H
#include "store/store.h"
/*
 * What a user may see of the record of his runs: without the executions that had the
 * rights of another user, and what those did. Takes the store, which is closed with it.
 */
struct store *view_of(struct store *s, uint32_t uid);
#endif
