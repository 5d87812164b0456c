/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_ENGINE_GRANULARITY_H
#define PROV_ENGINE_GRANULARITY_H
#include <stdint.h>

#include "prov/segment.h"
/* What people call the values of enum prov_granularity. */
#define GRANULARITY_WORDS "first-last|open-close|off"

const char *granularity_name(uint32_t granularity);
/* -1 when it is none. */
int granularity_find(const char *name);
#endif
