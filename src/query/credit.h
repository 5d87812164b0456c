/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_QUERY_CREDIT_H
#define PROV_QUERY_CREDIT_H
#include "model/graph.h"

/* Sets .credited of the graph's activities by build/representative.h, and folds
 * those that are. What was asked about is credited to nobody. Entities are folded
 * before. */
void query_credit(struct graph *g);

#endif
