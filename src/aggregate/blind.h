/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_AGGREGATE_BLIND_H
#define PROV_AGGREGATE_BLIND_H
#include "base/arena.h"
/* Why a program that was started did not report: looks at its file. A
 * sentence, in the arena; *kind is the kind of hole, NULL when it is none
 * (prov itself, which records on its own). */
const char *blind_reason(struct arena *a, const char *path, const char **kind);
#endif
