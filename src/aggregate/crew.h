/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_AGGREGATE_CREW_H
#define PROV_AGGREGATE_CREW_H
#include <stddef.h>
/* One thing to do for each of many, on as many processors as there are. */

/* Calls work(ctx, i) once for every i below n, several at a time and in no
 * order. Returns when all are done; without threads the caller does them. */
void crew_do(size_t n, void (*work)(void *ctx, size_t i), void *ctx);
#endif
