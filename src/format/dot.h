/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_FORMAT_DOT_H
#define PROV_FORMAT_DOT_H
#include "base/buf.h"
#include "model/graph.h"
/* The full command or path of a node, safe for a terminal, not yet escaped;
 * dot.c names node i "n<i>". */
void dot_tooltip(const struct graph *g, uint32_t node, struct buf *out);
#endif
