/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_ENGINE_GRANULARITY_H
#define PROV_ENGINE_GRANULARITY_H
#include <stdbool.h>
#include <stdint.h>

#include "prov/segment.h"
/* What people call the values of enum prov_granularity. */
#define GRANULARITY_WORDS "all|first-last|open-close|off"

const char *granularity_name(int32_t granularity);
bool granularity_find(const char *name, int32_t *out);
/* Is it one at all? It comes from shared memory. */
bool granularity_ok(int32_t granularity);
#endif
